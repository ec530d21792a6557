"""Degenerate geometry causes a finite force or an error, and NaN does not spread."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import PAIR, pair_local

STACKS = {
    "hooke": "hooke 1e4 5 tangential linear_history 5e3 1 0.5 rolling sds 1e3 1 0.2 "
    "twisting sds 10 0.1 0.05",
    "no history": "hooke 1e4 0.5 damping coeff_restitution tangential linear_nohistory 1 0.5 "
    "limit_damping",
    "hertz": "hertz 1e4 5 tangential mindlin 5e3 1 0.5 twisting marshall slider truncate",
    "material": "hertz/material 1e5 0.5 0.25 damping tsuji tangential mindlin_rescale NULL 1 0.5 "
    "slider dsds",
    "mindlin_deresiewicz": "hertz/material 1e5 5 0.25 tangential mindlin_deresiewicz 1 0.5",
    "dmt": "dmt 1e5 5 0.25 10 tangential mindlin_rescale/force NULL 1 0.5",
    "jkr": "jkr 1e5 50 0.25 10 tangential mindlin NULL 1 0.5 twisting sds 300 0.05 0.03",
    "actm": "actm steps 20 0.5 NULL 0.25 tangential mindlin NULL 1 0.5 "
    "bridge willett/simple 1 20 volume 0.001",
    "willett": "hertz 1e4 5 tangential mindlin 5e3 1 0.5 rolling sds 1e3 1 0.2 "
    "bridge willett 1 20 volume 0.001",
}
every_stack = pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS)

# The box contains x = 0, where the smallest distances can be represented.
BOX = """
units lj
atom_style sphere
atom_modify map array
boundary f p p
comm_modify vel yes
region box block -5 5 0 60 -5 5
create_box 1 box
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
"""
STEPS = """
fix move all nve
timestep 1e-3
thermo 1
run 0
write_dump all custom start id fx fy fz tqx tqy tqz modify format float %.17g sort id
run 5
write_dump all custom end id x y z vx vy vz fx fy fz tqx tqy tqz modify format float %.17g sort id
"""

# each case lists the distance between the centres, and the two radii
PAIRS = {
    "coincident": (0.0, 0.5, 0.5),
    "coincident, unequal": (0.0, 0.5, 0.3),
    "nearly coincident": (1e-300, 0.5, 0.5),
    "overlap of zero": (1.0, 0.5, 0.5),
    "overlap of one bit": (math.nextafter(1.0, 0.0), 0.5, 0.5),
    "centre inside the other": (0.2, 0.5, 0.5),
    "one inside the other": (0.05, 0.5, 0.2),
    "a point in a sphere": (0.3, 0.5, 0.0),
    "a point at a sphere": (0.5, 0.0, 0.5),
    "coincident points": (0.0, 0.0, 0.0),
    "hardly more than a point": (0.45, 0.5, 1e-150),
}


def grain(number: int, x: float, y: float, radius: float, motion: str) -> str:
    return f"""create_atoms 1 single {x!r} {y!r} 0
set atom {number} diameter {2 * radius!r}
set atom {number} mass 1
set atom {number} {motion}
"""


def is_finite(table) -> bool:
    return bool(np.isfinite(table.to_numpy(float)).all())


@every_stack
@pytest.mark.parametrize("ledger", ["no", "yes"])
def test_pairs(stack, ledger):
    script = BOX
    for place, (distance, one, other) in enumerate(PAIRS.values()):
        y = 2.0 + 5.0 * place
        script += grain(2 * place + 1, 0.0, y, one, "vx 0.3 vy 0.1 vz 0.2 omega 0.3 0.2 -0.5")
        script += grain(2 * place + 2, distance, y, other, "vx -0.2 omega 0.1 0.5 0.7")
    script += f"""
pair_style granular/plus ledger {ledger}
pair_coeff * * {stack}
compute contact all pair/local dist force {pair_local(*PAIR.names)}
dump contacts all local 1 contacts index c_contact[*]
{"compute ledger all granular/ledger" if ledger == "yes" else ""}
thermo_style custom step pe ke press {"c_ledger[*]" if ledger == "yes" else ""}
"""
    run = engine.run(script + STEPS, timeout=60)
    for name in ("start", "end", "contacts"):
        assert is_finite(run.dump(name)), name
    assert is_finite(run.thermo)
    force = run.dump("start")[["fx", "fy", "fz"]].to_numpy()
    assert (force[0::2] == -force[1::2]).all()
    assert np.abs(force).max() > 1.0, "no forces to check"


@every_stack
def test_coincident_centres_have_no_normal(stack):
    still = "vx 0"
    script = BOX + grain(1, 0.0, 5.0, 0.5, still) + grain(2, 0.0, 5.0, 0.5, still)
    pair = f"pair_style granular/plus\npair_coeff * * {stack}\n"
    end = engine.run(script + pair + STEPS, timeout=60).dump("end")
    assert (end[["fx", "fy", "fz", "tqx", "tqy", "tqz"]].to_numpy() == 0.0).all()


# each case lists the distance of the grain's centre from the wall, and the radius of the grain
AT_WALL = {
    "centre on the wall": (0.0, 0.5),
    "nearly on the wall": (1e-300, 0.5),
    "overlap of zero": (0.5, 0.5),
    "overlap of one bit": (math.nextafter(0.5, 0.0), 0.5),
    "centre behind the wall": (-0.2, 0.5),
    "behind the wall": (-0.7, 0.5),
    "a point": (0.0, 0.0),
    "a point behind the wall": (-0.1, 0.0),
    "hardly more than a point": (1e-151, 1e-150),
}
WALLS = {
    "plane": ("xplane 0 NULL", ""),
    "region": ("region half", "region half block 0 INF INF INF INF INF\n"),
    "outside of a region": ("region slab", "region slab block INF 0 INF INF INF INF side out\n"),
}


@every_stack
@pytest.mark.parametrize("wall", WALLS)
def test_walls(stack, wall):
    words, region = WALLS[wall]
    script = BOX
    for place, (distance, radius) in enumerate(AT_WALL.values()):
        motion = "vx -0.3 vy 0.1 vz 0.2 omega 0.3 0.2 -0.5"
        script += grain(place + 1, distance, 2.0 + 5.0 * place, radius, motion)
    script += f"""
pair_style granular/plus ledger yes
pair_coeff * * {stack}
{region}fix wall all wall/granular/plus {stack} {words} contacts
compute ledger all granular/ledger
thermo_style custom step pe ke press f_wall[*] c_ledger[*]
dump contacts all custom 1 contacts id f_wall[*]
"""
    run = engine.run(script + STEPS, timeout=60)
    for name in ("start", "end", "contacts"):
        assert is_finite(run.dump(name)), name
    assert is_finite(run.thermo)
    assert np.abs(run.dump("start")["fx"]).max() > 0.1, "no forces to check"


@every_stack
def test_grain_on_the_axis_of_a_cylinder(stack):
    script = BOX.replace("boundary f p p", "boundary f f p").replace(
        "block -5 5 0 60", "block -5 5 -5 5"
    )
    for number, x in enumerate((0.0, 1e-300, 1e-9), start=1):
        script += grain(number, x, 0.0, 0.45, "vx 0.1").replace(" 0\n", f" {2 * number - 4}\n", 1)
    script += f"""
pair_style granular/plus
pair_coeff * * {stack}
fix wall all wall/granular/plus {stack} zcylinder 0.44
"""
    run = engine.run(script + STEPS, timeout=60, check=False)
    if run.error:
        assert "does not fit into a concave wall" in run.error.message
    else:
        assert is_finite(run.dump("end"))


# ------------------------------------------------------------------------------------------- NaN

NAN = "variable nan atom exp(1000)-exp(1000)\n"
CHAIN = (
    BOX
    + "".join(grain(n + 1, 0.45 + 0.95 * n, 5.0, 0.5, "vx 0") for n in range(4))
    + f"""
pair_style granular/plus
pair_coeff * * {STACKS["hooke"]}
fix wall all wall/granular/plus {STACKS["hooke"]} xplane 0 NULL
neigh_modify every 1000 check no
fix move all nve/sphere
timestep 1e-3
thermo 1
thermo_style custom step ke
run 5
"""
)


def test_nan_position_is_an_error_at_the_start_of_a_run(lammps_error):
    assert "Non-numeric" in lammps_error(f"{CHAIN}{NAN}set atom 1 x v_nan\nrun 1\n")


@pytest.mark.parametrize("grain_number", [1, 2])
def test_nan_position_touches_nobody_and_ends_the_run(grain_number, lammps_error, tmp_path):
    """A position of NaN does not spread to other grains. The next neighbour list causes an error.

    With `list own`, a grain at NaN causes a new list in the next step.
    """
    begin = f"{CHAIN}{NAN}set atom {grain_number} vx v_nan\n"
    assert "Non-numeric" in lammps_error(f"{begin}run 3 pre no\n")
    theirs = begin.replace("pair_style granular/plus", "pair_style granular/plus list lammps")
    script = f"""{theirs}
run 3 pre no
write_dump all custom nan id x vx fx modify sort id
neigh_modify every 1 check no
run 2
"""
    assert "Non-numeric" in lammps_error(script)
    table = engine.parse_dump((tmp_path / "nan").read_text())
    finite = np.isfinite(table[["x", "vx", "fx"]].to_numpy(float)).all(axis=1)
    assert finite.tolist() == [number != grain_number for number in range(1, 5)]
