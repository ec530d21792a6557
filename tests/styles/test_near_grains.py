"""Walls skip grains that are too far away to touch. Skipping grains does not change any result."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, meshes
from pysuite.outputs import WALL

LAW = "hertz 4e5 20 tangential mindlin_rescale 3e5 1 0.3 rolling sds 1e3 5 0.1"
BRIDGE = "hertz 4e5 20 tangential mindlin 3e5 1 0.3 bridge willett 2 20 volume 0.01"

SETUP = """
units lj
atom_style sphere 1
atom_modify map array
boundary f f f
newton ${newton}
comm_modify vel yes
processors ${grid}
"""
CREATE = """
region box block -9 9 -9 9 -9 9
create_box 1 box
region inside sphere 0 0 0 5.3
create_atoms 1 random 250 4711 inside overlap 1.05 maxtry 1000
variable size atom random(0.7,1.0,4711)
set group all diameter v_size density 1.2
velocity all create 25 8731 loop all
"""
MOVE = """
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
fix move all nve/sphere
fix weight all gravity 30 vector 0.3 -0.2 -1
timestep 2e-4
compute ledger all granular/ledger
thermo 20
"""
BOX = "block -6 6 -6 6 -6 6"
TURN = "variable angle equal 2*time\n"
ROCK = "variable angle equal 0.5*sin(10*time)\n"
LIFT = "variable lift equal 0.5*sin(9*time)\n"
SHRINK = "variable r equal 7-3*time\n"
CLOSED = f"region wall {BOX}\n"

# each scene lists the commands that precede the walls, and the words that define each wall
WALLS = {
    "planes": ("", ["xplane -6 6", "yplane -6 6", "zplane -6 6"]),
    "planes that move": ("", ["zplane -6 6 wiggle z 0.5 0.2", "xplane -6 6 move 1 NULL NULL"]),
    "a plane that rocks": (ROCK, ["zplane -6 6 rotate v_angle 0 0 0 1 1 0"]),
    "a plane under load": ("", ["zplane -6 NULL", "zplane NULL 4 load z -500 mass 30"]),
    "cylinder": ("", ["zcylinder 6", "zplane -6 6"]),
    "cylinder that turns": ("", ["zcylinder 6 rotate 3 0 0 0 1 0 0", "zplane -6 6"]),
    "mesh": ("", ["mesh box.stl"]),
    "mesh that turns": ("", ["mesh box.stl rotate 3 0 0 0 0 1 0"]),
    "mesh that moves": (LIFT, ["mesh box.stl move NULL NULL v_lift"]),
    "block": (CLOSED, ["region wall"]),
    "sphere": ("region wall sphere 0 0 0 6.5\n", ["region wall"]),
    "prism": ("region wall prism -6 6 -6 6 -6 6 1 0.5 1\n", ["region wall"]),
    "funnel": (
        "region bin cylinder z 0 0 6.5 0 8 open 1 open 2\n"
        "region funnel cone z 0 0 2 6.5 -6 0 open 1 open 2\n",
        ["region bin", "region funnel"],
    ),
    "pointed cones": (
        "region top cone z 0 0 6.5 0 0 7\nregion low cone y 0.5 0 0 2 -4 -1 side out\n"
        "region floor plane 0 0 -5 0 0 1\n",
        ["region top", "region low", "region floor"],
    ),
    "obstacles": (
        "region ball sphere 2 2 0 2 side out\n"
        "region post cylinder x -2 -2 1 -3 3 side out\n"
        "region top plane 0 0 6 0 0 -1\nregion low plane 0 0 -6 0 0 1\n",
        ["region ball", "region post", "region top", "region low"],
    ),
    "union": (
        "region a sphere -2 0 0 5\nregion b cylinder z 2 0 5 -7 7\nregion wall union 2 a b\n",
        ["region wall"],
    ),
    "intersection": (
        "region a sphere 0 0 0 7\nregion b block -6 6 -5 5 -6 6\nregion c plane 0 0 -4 0.2 0 1\n"
        "region wall intersect 3 a b c\n",
        ["region wall"],
    ),
    "union outside": (
        "region a sphere 0 0 2 2\nregion b block -1 1 -1 1 -4 1\n"
        "region wall union 2 a b side out\n",
        ["region wall", "zplane -6 6"],
    ),
    "region that turns": (
        f"{TURN}region wall {BOX} rotate v_angle 0 0 0 0 1 0\n",
        ["region wall"],
    ),
    "region that moves": (
        f"{LIFT}region wall {BOX} move v_lift NULL v_lift\n",
        ["region wall"],
    ),
    "region that shrinks": (f"{SHRINK}region wall sphere 0 0 0 v_r\n", ["region wall"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("near")
    box = meshes.box((-6, -6, -6), (6, 6, 6), 3, 1)
    meshes.write_stl(folder / "box.stl", box, text=True)
    return folder


def script_of(kind: str, law: str = LAW, group: str = "all", go: str = "run 1500") -> str:
    """Return the script of a scene. The word RESTART in `go` stands for a restart."""
    before, walls = WALLS[kind]
    number = range(len(walls))
    pair = f"pair_style granular/plus ledger yes\npair_coeff * * {law}\n{before}"
    pair += "".join(
        f"fix wall{n} {group} wall/granular/plus {law} {walls[n]} contacts\n" for n in number
    )
    pair += MOVE + "thermo_style custom step c_ledger[*] "
    pair += " ".join(f"f_wall{n}[*]" for n in number) + "\nthermo_modify lost ignore\n"
    seen = " ".join(f"f_wall{n}[{k}]" for n in number for k in range(1, 7))
    dump = (
        f"write_dump all custom end id x y z vx vy vz omegax omegay omegaz {seen} "
        "modify format float %.17g sort id\n"
    )
    again = f"write_restart middle\nclear\n{SETUP}read_restart middle\n{pair}"
    return f"{SETUP}{CREATE}{pair}{go.replace('RESTART', again)}\n{dump}"


def fingerprint(run: engine.Run) -> tuple[str, int]:
    """Return a hash of the final state and the output of walls. Also return the contact count."""
    table = run.dump("end")
    values = np.ascontiguousarray(table.to_numpy(float))
    assert np.isfinite(values).all()
    thermo = run.thermo
    number = WALL.of("", "contacts")
    touching = thermo[
        [column for column in thermo if column.startswith("f_wall") and column.endswith(number)]
    ]
    data = values.tobytes() + np.ascontiguousarray(thermo.to_numpy(float)).tobytes()
    return hashlib.sha256(data).hexdigest(), int(touching.to_numpy().sum())


def both(monkeypatch, folder: Path, script: str, newton: str = "on", ranks: int = 1):
    found = []
    for all_of_them in (False, True):
        if all_of_them:
            monkeypatch.setenv("GRANULAR_PLUS_LOOK_AT_ALL", "yes")
        else:
            monkeypatch.delenv("GRANULAR_PLUS_LOOK_AT_ALL", raising=False)
        run = engine.run(
            script,
            folder=folder,
            ranks=ranks,
            variables={"newton": newton, "grid": "2 1 1" if ranks == 2 else "1 1 1"},
            timeout=300,
        )
        found.append(fingerprint(run))
    return found


def test_the_switch_for_all_grains_is_yes_or_no(folder, monkeypatch):
    script = script_of(next(iter(WALLS)))
    variables = {"newton": "on", "grid": "1 1 1"}
    for value in ("no", "", "yes"):
        monkeypatch.setenv("GRANULAR_PLUS_LOOK_AT_ALL", value)
        engine.run(script.replace("run ", "run 0 #"), folder=folder, variables=variables)
    monkeypatch.setenv("GRANULAR_PLUS_LOOK_AT_ALL", "maybe")
    message = engine.run(script, folder=folder, variables=variables, check=False).error.message
    assert "environment variable GRANULAR_PLUS_LOOK_AT_ALL = maybe must be yes or no" in message


@pytest.mark.parametrize("kind", WALLS)
def test_every_kind_of_wall(kind, folder, monkeypatch):
    short, whole = both(monkeypatch, folder, script_of(kind))
    assert short == whole
    assert short[1] > 50


GO_ON = """
run 300
displace_atoms all move 0.3 -0.2 -0.4
run 1 pre no
run 300
set group all diameter 0.95
run 0
run 300
change_box all x final -9.5 9.5
timestep 1e-4
reset_timestep 0
run 300
"""
CHANGES = {
    # each wall checks how far grains have moved, even if LAMMPS does not
    "lists that are not checked": "neigh_modify every 400 check no\nrun 1500",
    "lists that are checked late": "neigh_modify every 5 delay 20\nrun 1500",
    "without a skin": "neighbor 0 bin\nrun 1200",
    "atoms are sorted often": "atom_modify sort 20 0\nrun 1500",
    "grains grow": "variable d equal 0.8+0.19*step/1500\nfix grow all adapt 1 atom diameter v_d\n"
    "run 1500",
    "grains grow, lists are not checked": "variable d equal 0.8+0.19*step/1500\n"
    "fix grow all adapt 10 atom diameter v_d\nneigh_modify every 400 check no\nrun 1500",
    "fix set makes grains grow": "variable d atom 0.8+0.19*step/1500\n"
    "fix grow all set 1 0 group all diameter v_d\nrun 1500",
    "set makes grains grow between runs": "variable d atom 2.06*radius\nrun 1100\n"
    "set group all diameter v_d\nrun 200 pre no\nset group all diameter v_d\nrun 200 pre no",
    "grains arrive": "fix rain all deposit 40 1 25 8123 region source near 0.9 vz -9 -7\nrun 1500",
    "grains leave": "region hole block -9 9 -9 9 -9 -5.3\nfix out all evaporate 50 3 hole 4711\n"
    "run 1500",
    "several runs": GO_ON,
    "restart": "run 700\nRESTART run 800",
    "box is deformed": "fix squeeze all deform 1 x scale 0.9 remap x\nrun 1000",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["planes that move", "union", "mesh that turns"])
def test_whatever_happens_to_the_grains(kind, change, folder, monkeypatch):
    go = "region source sphere 0 0 0 4\n" + CHANGES[change]
    short, whole = both(monkeypatch, folder, script_of(kind, go=go))
    assert short == whole
    assert short[1] > 50


@pytest.mark.parametrize("kind", ["planes", "funnel", "mesh"])
def test_bridges_hold_on_beyond_reach(kind, folder, monkeypatch):
    short, whole = both(monkeypatch, folder, script_of(kind, law=BRIDGE))
    assert short == whole
    assert short[1] > 50


@pytest.mark.parametrize(
    ("ranks", "newton"),
    [(1, "off"), (2, "on"), pytest.param(2, "off", marks=pytest.mark.product)],
)
@pytest.mark.parametrize("kind", ["planes that move", "union", "mesh that turns"])
def test_ranks_and_newton(kind, ranks, newton, folder, monkeypatch):
    script = script_of(kind, go="run 700\nRESTART run 800")
    short, whole = both(monkeypatch, folder, script, newton, ranks)
    assert short == whole
    assert short[1] > 50


GROWING = f"""
units lj
atom_style sphere 1
boundary f f f
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 4 4 0.48
set group all diameter 0.5 density 1
pair_style zero 2.0
pair_coeff * *
neighbor 0.3 bin
neigh_modify every 10000 check no
variable d equal 0.5+0.001*step
fix grow all adapt 1 atom diameter v_d
fix floor all wall/granular/plus hooke 1e4 0 tangential linear_nohistory 0 0 zplane 0 NULL
thermo_style custom step {WALL.of("f_floor", "force_z")}
thermo 1
run 480
"""


def test_a_grain_at_rest_grows_until_it_touches():
    thermo = engine.run(GROWING).thermo
    radius = 0.25 + 0.0005 * thermo["Step"].to_numpy()
    force = thermo[WALL.of("f_floor", "force_z")].to_numpy()
    assert -force == pytest.approx(np.maximum(0.0, 1e4 * (radius - 0.48)), abs=1e-3)
