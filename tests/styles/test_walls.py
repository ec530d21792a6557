"""Walls: comparison with LAMMPS's walls, motion, history, output.

With the slider dsds, trajectories are the same as with LAMMPS's walls. In these tests, grains do
not interact with each other.
"""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import WALL, WALL_CONTACTS

FORCE = ["force_x", "force_y", "force_z"]

# There are 800 grains in a cube of side 4.4. A collision takes about 60 steps.
MAKE = """
units lj
atom_style sphere
boundary f f f
region box block -6 6 -6 6 -6 6
create_box 1 box
region fill block -1.8 1.8 -1.8 1.8 -1.8 1.8
create_atoms 1 random 800 8123 fill
variable size atom random(0.8,1.2,4711)
set group all diameter v_size density 1.2
velocity all create 20 8731 loop all
variable spin atom random(-8,8,471)
set group all omega v_spin v_spin v_spin
write_data grains.data
"""
GRAINS = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton ${newton}
comm_modify vel yes
read_data ${grains}
pair_style zero 1.0
pair_coeff * *
"""
MOVE = """
fix move all nve/sphere
timestep 4e-4
thermo 100000
"""
# Without spin, no contact slips at setup. See BEGIN in conftest.py.
BEGIN = """
set group all omega 0 0 0
timestep 1e-12
run 1
timestep 4e-4
"""
STEPS = 200
TOLERANCE = 1e-10  # contacts that open and close amplify round-off, see test_superset.py

DAMPING = {
    "velocity": 3,
    "mass_velocity": 5,
    "viscoelastic": 20,
    "tsuji": 0.6,
    "coeff_restitution": 0.5,
}
NORMAL = {
    "hooke": "hooke 1e4 {}",
    "hertz": "hertz 2e4 {}",
    "hertz/material": "hertz/material 2e4 {} 0.25",
}
COHESIVE = {"dmt": "dmt 2e4 {} 0.25 20", "jkr": "jkr 2e4 {} 0.25 20"}
TANGENTIAL = {
    "linear_nohistory": "0.8 0.3",
    "linear_history": "5e3 0.8 0.3",
    "mindlin": "1.5e4 0.8 0.3",
    "mindlin/force": "1.5e4 0.8 0.3",
    "mindlin_rescale": "1.5e4 0.8 0.3",
    "mindlin_rescale/force": "1.5e4 0.8 0.3",
}
WHOLE = "rolling sds 2e3 1 0.2 twisting marshall"


def law_of(normal: str, damping: str, tangential: str, more: str = "") -> str:
    first = (NORMAL | COHESIVE)[normal].format(DAMPING[damping])
    return f"{first} damping {damping} tangential {tangential} {TANGENTIAL[tangential]} {more}"


LAW = law_of("hertz/material", "tsuji", "mindlin_rescale")
CSDS = f"{LAW} {WHOLE}"


def lammps_wall(law: str, wall: str) -> str:
    style = "wall/gran/region" if wall.startswith("region") else "wall/gran"
    return f"fix wall all {style} granular {law} {wall}\n"


def our_wall(law: str, wall: str) -> str:
    return f"fix wall all wall/granular/plus {law} slider dsds {wall}\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs a script, which may begin with GRAINS."""
    folder = tmp_path_factory.mktemp("grains")
    engine.run(MAKE, folder=folder)

    def run(script: str, newton: str = "on", **options: object) -> engine.Run:
        variables = {"newton": newton, "grains": folder / "grains.data"}
        used = {k: v for k, v in variables.items() if f"${{{k}}}" in script}
        return engine.run(script, variables=used, timeout=300, **options)

    return run


@pytest.fixture
def end(run, tools):
    def end(commands: str, begin: str = "", steps: int = STEPS, **options: object):
        script = f"{GRAINS}{commands}{MOVE}{begin}run {steps}\n{tools.dump_command('end')}"
        return run(script, **options).dump("end")

    return end


def largest(tools, one, other) -> float:
    return max(tools.difference(one, other).values())


# ------------------------------------------------------------------------ dsds and LAMMPS's walls


def assert_same(run, tools, cases, **options):
    script, worst = "", {}
    for number, (_, before, law, wall, begin) in enumerate(cases):
        for style in (lammps_wall, our_wall):
            script += f"clear\n{GRAINS}{before}\n{style(law, wall)}{MOVE}{begin}run {STEPS}\n"
            script += tools.dump_command(f"{style.__name__}.{number}")
    result = run(script, **options)
    for number, (name, *_) in enumerate(cases):
        theirs, ours = (result.dump(f"{s}.{number}") for s in ("lammps_wall", "our_wall"))
        contacts = (theirs[["fx", "fy", "fz"]] != 0.0).any(axis=1).sum()
        assert contacts > 10, f"{name}: {contacts} contacts"
        worst[name] = largest(tools, theirs, ours)
    print(f"\n{len(cases)} cases, largest {max(worst.values()):.1e}")
    assert {name: w for name, w in worst.items() if not w <= TOLERANCE} == {}


@pytest.mark.parametrize("ranks", [1, 2])
def test_planes_give_the_trajectory_of_lammps_for_all_models(run, tools, ranks):
    models = [law_of(*m) for m in itertools.product(NORMAL, DAMPING, TANGENTIAL)]
    models += [f"{law_of('hooke', 'mass_velocity', 'linear_history')} limit_damping"]
    cohesive = itertools.product(COHESIVE, ("velocity", "viscoelastic"), TANGENTIAL)
    models += [law_of(*m) for m in cohesive]
    cases = [(law, "", law, "zplane -2.2 2.2", "") for law in models]
    whole = [
        law_of(n, d, t, f"rolling sds 2e3 1 0.2 twisting {w}")
        for n, d in (("hooke", "mass_velocity"), ("hertz/material", "tsuji"), ("jkr", "velocity"))
        for t in ("linear_history", "mindlin_rescale/force")
        for w in ("sds 100 0.05 0.03", "marshall")
    ]
    cases += [(law, "", law, "zplane -2.2 2.2", "") for law in whole]
    assert len(cases) == 127
    assert_same(run, tools, cases[:: 1 if ranks == 1 else 6], ranks=ranks)


VERSION = engine.environment().get("lammps", engine.OLDEST_LAMMPS)
IS_OLD = VERSION < 20260704
WITH_CYLINDER = pytest.mark.skipif(not IS_OLD, reason="this LAMMPS has no zcylinder")
PLANES = (
    "xplane -2.2 2.2",
    "yplane -2.2 NULL",
    "yplane NULL 2.2",
    "zplane -2.2 2.2 shear x 3",
    "xplane -2.2 2.2 shear z -3",
    "zplane -2.2 2.2 wiggle z 0.1 0.05",
    "zplane -2.2 2.2 wiggle x 0.1 0.05",
    "zcylinder 2.4",
    "zcylinder 2.4 shear z 3",
    "zcylinder 2.4 wiggle z 0.1 0.05",
)
BLOCK = "block -2.2 2.2 -2.2 2.2 -2.2 2.2"
SHIFT = "variable shift equal 0.1*sin(20*step*dt)\n"
ANGLE = "variable angle equal 3*step*dt\n"
REGIONS = {
    "block": f"region wall {BLOCK}",
    "cylinder": "region wall cylinder z 0 0 2.4 -2.2 2.2",
    "sphere": "region wall sphere 0 0 0 2.5",
    "ball": "region wall sphere 0 0 0 0.3 side out",
    "cone": "region wall cone z 0 0 2.0 2.6 -2.2 2.2",
    "prism": "region wall prism -2.2 2.2 -2.2 2.2 -2.2 2.2 0.4 0.1 0.2",
    "plane": "region wall plane 0 0 -2.2 0.1 0 1",
    "open": f"region wall {BLOCK} open 6",
    "union": "region one block -2.2 2.2 -2.2 2.2 -2.2 0.2\n"
    "region two cylinder z 0 0 2.1 -2.2 2.2\nregion wall union 2 one two",
    "shifted sphere": f"{SHIFT}region wall sphere 0 0 0 2.5 move v_shift NULL v_shift",
    "shifted cylinder": f"{SHIFT}region wall cylinder z 0 0 2.4 -2.2 2.2 move v_shift NULL v_shift",
    "rotating cylinder": f"{ANGLE}region wall cylinder z 0 0 2.4 -2.2 2.2"
    " rotate v_angle 0 0 0 0 0 1",
    "rotating block": f"{ANGLE}region wall {BLOCK} rotate v_angle 0.1 0.2 0 0 0.6 0.8",
    "both": f"{SHIFT}{ANGLE}region wall {BLOCK} move v_shift NULL v_shift"
    " rotate v_angle 0.1 0.2 0 0 0.6 0.8",
}


def test_wall_styles_give_the_trajectory_of_lammps(run, tools):
    """Walls that move are compared without rolling and twisting resistance.

    LAMMPS ignores the spin of a wall. In the setup of a second run, LAMMPS also ignores the
    velocity of a wall.
    """

    def case(wall: str, before: str = ""):
        moves = "wiggle" in wall or "variable" in before
        return (before or wall, before, LAW if moves else CSDS, wall, "" if moves else BEGIN)

    cases = [case(wall) for wall in PLANES if IS_OLD or "zcylinder" not in wall]
    cases += [case("region wall", region) for region in REGIONS.values()]
    assert_same(run, tools, cases)


@pytest.mark.parametrize("change", ["slider csds", "xgamma", "wall"])
def test_what_differs_shows_so_the_comparison_can_fail(end, tools, change):
    wall = "zplane -2.2 2.2"
    theirs = end(lammps_wall(CSDS, wall), BEGIN)
    other = {
        "slider csds": our_wall(CSDS, wall).replace("dsds", "csds"),
        "xgamma": our_wall(CSDS.replace("0.8 0.3", "0.8 0.31"), wall),
        "wall": our_wall(CSDS, "zplane -2.2 2.2001"),
    }[change]
    assert largest(tools, theirs, end(other, BEGIN)) > 1e-5


# ------------------------------------------------------- cases in which LAMMPS's walls are wrong


def ours(law: str, wall: str) -> str:
    return f"fix wall all wall/granular/plus {law} {wall}\n"


INSIDE = """
region inside cylinder z 0 0 1.9 INF INF
group inside region inside
group outside subtract all inside
delete_atoms group outside
"""
TURNED = "region wall cylinder z 0 0 2.4 INF INF rotate v_angle 0 0 0 0 0 {length}\n"


@WITH_CYLINDER
def test_zcylinder_turned_by_shear_is_a_rotating_region(end, tools):
    """In LAMMPS's fix wall/gran, the speed of the wall wrongly increases from grain to grain.

    A region has a velocity only from the second step on. Therefore, the run begins with a short
    step.
    """
    sheared = end(INSIDE + ours(CSDS, "zcylinder 2.4 shear x 3"), BEGIN)
    region = "variable angle equal -3/2.4*time\n" + TURNED.format(length=1)
    rotating = end(INSIDE + region + ours(CSDS, "region wall"), BEGIN)
    still = end(INSIDE + ours(CSDS, "zcylinder 2.4"), BEGIN)
    assert largest(tools, sheared, rotating) < 1e-9
    assert largest(tools, sheared, still) > 1e-2
    theirs = end(INSIDE + lammps_wall(LAW, "zcylinder 2.4 shear x 3"))
    right = end(INSIDE + our_wall(LAW, "zcylinder 2.4 shear x 3"))
    assert largest(tools, theirs, right) > 1e-2


def test_the_length_of_the_axis_does_not_matter(end, tools):
    """In LAMMPS's fix wall/gran/region, the speed of the wall increases with the axis length."""
    angle = "variable angle equal 2*time\n"
    one, five = (
        end(INSIDE + angle + TURNED.format(length=length) + ours(CSDS, "region wall"))
        for length in (1, 5)
    )
    assert largest(tools, one, five) < 1e-12
    theirs = end(INSIDE + angle + TURNED.format(length=5) + lammps_wall(LAW, "region wall"))
    right = end(INSIDE + angle + TURNED.format(length=5) + our_wall(LAW, "region wall"))
    assert largest(tools, theirs, right) > 1e-2


@pytest.mark.parametrize("how", ["union", "intersect"])
def test_parts_of_a_compound_region_move(end, tools, how):
    turns = "rotate v_angle 0 0 0 0 0 1"
    parts = {
        "union": ("cylinder z 0 0 2.4 -2.2 0", "cylinder z 0 0 2.4 0 2.2"),
        "intersect": ("cylinder z 0 0 2.4 -9 9", "block -9 9 -9 9 -2.2 2.2"),
    }[how]
    commands = "".join(f"region part{k} {part} {turns}\n" for k, part in enumerate(parts))
    compound = f"{commands}region wall {how} 2 part0 part1\n"
    whole = f"region wall cylinder z 0 0 2.4 -2.2 2.2 {turns}\n"
    start = INSIDE + "variable angle equal 2*time\n"
    if not IS_OLD:
        with pytest.raises(engine.LammpsError, match="loses contacts with rotating parts"):
            end(start + compound + ours(CSDS, "region wall"))
        return
    one, other = (end(start + region + ours(CSDS, "region wall")) for region in (whole, compound))
    still = end(start + whole.replace("2*time", "0") + ours(CSDS, "zcylinder 2.4"))
    difference = np.abs(one[["vx", "vy", "vz"]].to_numpy() - other[["vx", "vy", "vz"]].to_numpy())
    alike = difference.max(axis=1) < 1e-9
    assert alike.all() if how == "intersect" else alike.mean() > 0.9  # some grains touch the seam
    assert largest(tools, one, still) > 1e-2


def test_a_block_is_six_planes(end, tools):
    def planes(wall, law):
        lines = (
            wall(law, f"{axis}plane -2.2 2.2").replace("fix wall", f"fix {axis}") for axis in "xyz"
        )
        return "".join(lines)

    block = end(f"region wall {BLOCK}\n" + our_wall(LAW, "region wall"), steps=400)
    assert largest(tools, block, end(planes(our_wall, LAW), steps=400)) < TOLERANCE
    assert largest(tools, block, end(planes(lammps_wall, LAW), steps=400)) < TOLERANCE


BOX = "block -2 12 -2 12 -2 12"
CORNER = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -2 2 -2 2 -2 2
create_box 1 box
create_atoms 1 single 0.52 0.53 0.51
set group all diameter 1 density 1
velocity all set -1 -0.9 -0.8
pair_style zero 1
pair_coeff * *
region wall block 0 9 0 9 0 9
{}
fix move all nve/sphere
timestep 1e-4
run 500
"""


def test_three_walls_that_are_touched_one_after_another(run, tools):
    """In contrast, LAMMPS's fix wall/gran/region swaps the springs of different contacts."""
    law = "hooke 1e3 1 tangential linear_history 1e3 0.5 0.5"
    walls = {
        "ours": our_wall(law, "region wall"),
        "lammps": lammps_wall(law, "region wall"),
        "planes": "".join(
            lammps_wall(law, f"{axis}plane 0 NULL").replace("fix wall", f"fix {axis}")
            for axis in "xyz"
        ),
    }
    ends = {
        name: run(CORNER.format(wall) + tools.dump_command("end")).dump("end")
        for name, wall in walls.items()
    }
    assert largest(tools, ends["ours"], ends["planes"]) < TOLERANCE
    assert largest(tools, ends["lammps"], ends["planes"]) > 1e-3


def test_jkr_acts_across_the_gap_to_a_region(end, tools):
    """In LAMMPS's fix wall/gran/region, the contact ends when the overlap becomes zero."""
    law = law_of("jkr", "viscoelastic", "mindlin")
    plane = ours(law, "zplane -2.2 2.2")
    region = "region wall block INF INF INF INF -2.2 2.2\n" + ours(law, "region wall")
    assert largest(tools, end(plane), end(region)) < TOLERANCE


def test_both_planes_of_a_narrow_gap_act(run):
    script = CORNER.replace("0.52 0.53 0.51", "0 0 0.01").replace("run 500", "run 0")
    wall = ours("hooke 100 0 tangential linear_nohistory 0 0", "zplane -0.45 0.4")
    table = run(script.format(wall + "thermo_style custom f_wall[*]")).wall_vector()
    assert table["force_z"].iloc[-1] == pytest.approx(100 * (0.11 - 0.04))
    assert table["contacts"].iloc[-1] == 2


# ----------------------------------------------------------------- continued history and motion

MOVING = {
    "planes": "fix wall all wall/granular/plus {law} zplane -2.2 2.2 wiggle z 0.1 0.05",
    "zcylinder": "fix wall all wall/granular/plus {law} zcylinder 2.6 shear x 3",
    "block": "variable angle equal 3*step*dt\nvariable shift equal 0.1*sin(20*step*dt)\n"
    f"region wall {BLOCK} move v_shift NULL v_shift rotate v_angle 0.1 0.2 0 0 3 4\n"
    "fix wall all wall/granular/plus {law} region wall",
    "growing": "variable radius equal 2.4-0.1*sin(20*step*dt)\n"
    "region wall sphere 0 0 0 v_radius\nfix wall all wall/granular/plus {law} region wall",
}
MODELS = {"csds": CSDS, "jkr": law_of("jkr", "viscoelastic", "mindlin", WHOLE)}
JUMPS = pytest.mark.parametrize(
    ("wall", "model"), [*((wall, "csds") for wall in MOVING), ("block", "jkr")]
)


@JUMPS
def test_a_run_in_pieces_is_one_run(end, wall, model):
    """The runs have no setup, because a setup calculates dashpots from velocities at full steps."""
    commands = MOVING[wall].format(law=MODELS[model]) + "\n"
    pieces = "run 70 post no\nrun 50 pre no post no\nrun 80 pre no\n"
    whole, joined = end(commands), end(commands, pieces, steps=0)
    for column in ("xu", "vx", "vz", "omegay"):
        assert whole[column].equals(joined[column])


def test_setup_keeps_the_speed_of_the_wall(end, tools):
    """In contrast, walls of LAMMPS's fix wall/gran/region are at rest at setup."""
    law = "hooke 1e3 1 damping velocity tangential linear_nohistory 1 0.1"
    region = "variable angle equal 20*time\n" + TURNED.format(length=1)
    commands = INSIDE + "velocity all set 0 0 0\nset group all omega 0 0 0\n" + region

    def change(wall) -> float:
        before = end(commands + wall(law, "region wall"), steps=20)
        after = end(commands + wall(law, "region wall"), "run 20\n", steps=0)
        return tools.difference(before, after)["torque"]

    assert change(our_wall) < 0.1
    assert change(lammps_wall) > 0.5


@pytest.mark.parametrize("ranks", [(1, 1), (2, 2), (1, 2), (2, 1)])
@JUMPS
def test_restart_goes_on_as_if_nothing_had_happened(run, tools, tmp_path, wall, model, ranks):
    commands = MOVING[wall].format(law=MODELS[model]) + "\n"
    first, again = ranks
    script = f"""{GRAINS}{commands}{MOVE}restart 100 {tmp_path}/periodic.*
run 100
write_restart {tmp_path}/command
restart 0
run 100
{tools.dump_command("end")}"""
    whole = run(script, ranks=first).dump("end")
    for file in ("periodic.100", "command"):
        script = f"""comm_modify vel yes
read_restart {tmp_path}/{file}
pair_style zero 1.0
pair_coeff * *
{commands}{MOVE}run 100
{tools.dump_command("end")}"""
        second = run(script, ranks=again).dump("end")
        tolerance = TOLERANCE if ranks != (1, 1) else 1e-13
        assert largest(tools, whole, second) <= tolerance, file
    lost = run(script.replace("fix wall", "fix other"), ranks=again).dump("end")
    assert largest(tools, whole, lost) > 1e-6


@pytest.mark.parametrize("newton", ["on", "off"])
@JUMPS
def test_ranks_do_not_matter(end, tools, wall, model, newton):
    commands = MOVING[wall].format(law=MODELS[model]) + "\nneigh_modify every 5 delay 0\n"
    one, two = (end(commands, newton=newton, ranks=ranks, steps=400) for ranks in (1, 2))
    assert largest(tools, one, two) < TOLERANCE


# ------------------------------------------------------------------------------------------ output


def test_the_wall_bears_what_the_grains_feel(run, tools):
    commands = MOVING["block"].format(law=CSDS) + " contacts\n"
    names = WALL_CONTACTS.names[:-1]  # the last column exists only for models with heat
    columns = f"x y z radius {WALL_CONTACTS.of('f_wall', *names)}"
    script = f"""{GRAINS}{commands}{MOVE}thermo_style custom step f_wall[*]
thermo_modify format float %.17g
run 200
{tools.dump_command("end")}
write_dump all custom contacts id {columns} modify format float %.17g sort id
"""
    runs = [run(script, ranks=ranks) for ranks in (1, 2)]
    vectors = [r.wall_vector().iloc[-1] for r in runs]
    vector = vectors[0]
    np.testing.assert_allclose(vector.to_numpy(), vectors[1].to_numpy(), rtol=1e-9)
    end, contacts = runs[0].dump("end"), runs[0].dump("contacts")
    forces = end[["fx", "fy", "fz"]].to_numpy()
    np.testing.assert_allclose(vector[FORCE].to_numpy(), -forces.sum(axis=0), rtol=1e-12)

    table = contacts.filter(like="f_wall").set_axis(names, axis=1)
    np.testing.assert_allclose(table[FORCE], forces, rtol=1e-12, atol=1e-12)
    assert table["contacts"].sum() == vector["contacts"]
    touching = table["contacts"] > 0
    np.testing.assert_array_equal(touching, (forces != 0).any(axis=1))
    np.testing.assert_array_equal(table["radius"][touching], contacts["radius"][touching])
    assert (table[~touching] == 0.0).all(axis=None)
    once = table["contacts"] == 1
    distance = np.linalg.norm(contacts[["x", "y", "z"]] - table[["x", "y", "z"]], axis=1)
    assert (distance[once] < contacts["radius"][once]).all()
    assert once.sum() > 50


@pytest.mark.parametrize("wall", ["zplane -2.2 2.2", "region ball"])
def test_the_array_of_contacts_is_that_of_lammps(run, wall):
    names = WALL_CONTACTS.names[:-1]
    columns = WALL_CONTACTS.of("f_wall", *names)
    script = "".join(
        f"clear\n{GRAINS}region ball sphere 0 0 0 2.9\n{style(LAW, f'{wall} contacts')}{MOVE}"
        f"run 100\nrun 100\n"
        f"write_dump all custom {style.__name__} id {columns} modify format float %.17g sort id\n"
        for style in (lammps_wall, our_wall)
    )
    result = run(script)
    theirs, ours = (
        result.dump(style.__name__).filter(like="f_wall").set_axis(names, axis=1)
        for style in (lammps_wall, our_wall)
    )
    assert 50 < (theirs["contacts"] == 1.0).sum() < 700
    for name in names:
        largest = theirs[name].abs().max()
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=TOLERANCE * largest)


def test_torque_on_the_wall(run, tools):
    commands = MOVING["block"].format(law=CSDS) + " contacts\n"
    script = f"""{GRAINS}{commands}{MOVE}thermo_style custom step f_wall[*] v_shift
thermo_modify format float %.17g
run 200
{tools.dump_command("end")}"""
    result = run(script)
    row, end = result.thermo.iloc[-1], result.dump("end")
    point = np.array([0.1, 0.2, 0.0]) + row["v_shift"] * np.array([1.0, 0.0, 1.0])
    arm = end[["xu", "yu", "zu"]].to_numpy() - point
    torque = np.cross(arm, end[["fx", "fy", "fz"]]).sum(axis=0)
    torque += end[["tqx", "tqy", "tqz"]].to_numpy().sum(axis=0)
    found = result.wall_vector()[["torque_x", "torque_y", "torque_z"]].iloc[-1]
    np.testing.assert_allclose(found, -torque, rtol=1e-10)
    assert np.abs(torque).min() > 1.0


def test_virial_when_asked_for(run):
    """With fix_modify virial yes, the virial includes separation times force for walls."""
    script = f"""{GRAINS}{our_wall(LAW, "zplane -2.2 2.2")}fix_modify wall virial ANSWER
{MOVE}compute pressure all pressure NULL virial
compute stress all stress/atom NULL fix
compute sum all reduce sum c_stress[3]
variable here equal vol
thermo_style custom c_pressure[*] c_sum v_here
thermo_modify norm no format float %.17g
run 100
"""
    with_wall = run(script.replace("ANSWER", "yes")).thermo.iloc[-1]
    without = run(script.replace("ANSWER", "no")).thermo.iloc[-1]
    assert without["c_pressure[3]"] == 0.0
    expected = -with_wall["c_pressure[3]"] * with_wall["v_here"]
    assert with_wall["c_sum"] == pytest.approx(expected, rel=1e-12)
    assert expected < 0.0  # a repulsive wall exerts pressure


WATCHED = """
from pysuite.lammps import library

lmp = library.start_lammps(["-screen", "none", "-log", "none"])
lmp.commands_string('''{script}''')
tallied = []


def look(caller, step, nlocal, tag, x, f):
    try:
        lmp.extract_compute("thermo_press", 0, 0)
        tallied.append(step)
    except Exception:  # the virial has not been calculated in this step
        pass


lmp.set_fix_external_callback("look", look, None)
lmp.command("run 20")
print(*tallied)
"""


# Before the first step, the value of c_thermo_press is arbitrary. Therefore, the factor (step>0)
# removes it.
@pytest.mark.parametrize(
    ("way", "steps"), [("1e-6*step", 10), ("1e-6*step+1e-9*c_thermo_press*(step>0)", 1)]
)
@pytest.mark.parametrize("moved_by", ["region", "command"])
def test_a_moving_wall_asks_for_no_virial_that_its_variable_does_not_use(moved_by, way, steps):
    """LAMMPS's function Modify::addstep_compute would request all computes, even unused ones."""
    wall = "zplane 0 NULL move NULL NULL v_way"
    if moved_by == "region":
        wall = "region wall"
    script = f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0.5
set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * {LAW}
variable way equal {way}
region wall plane 0 0 0 0 0 1 move NULL NULL v_way
fix wall all wall/granular/plus {LAW} {wall}
fix move all nve/sphere
fix look all external pf/callback 1 1
thermo_style custom step press
thermo 10
timestep 1e-4
"""
    output = subprocess.check_output(
        [sys.executable, "-c", WATCHED.format(script=script)], text=True
    )
    assert [int(step) for step in output.split()] == list(range(0, 21, steps))


def test_grains_in_a_rigid_body_have_the_mass_of_the_body(end, tools):
    rigid = "group pair id 1 2\ngroup rest subtract all pair\nfix rigid pair rigid single\n"
    law = law_of("hooke", "mass_velocity", "linear_history")
    body = "create_atoms 1 single 0 0 -1.75\ncreate_atoms 1 single 0.5 0 -1.75\n"
    body += "set atom 801*802 diameter 1 density 1\nvelocity all set NULL NULL -3 sum yes\n"
    rigid = rigid.replace("1 2", "801 802")
    script = body + rigid + "{}fix rest rest nve/sphere\nunfix rest\n"
    theirs, mine = (end(script.format(w(law, "zplane -2.2 2.2"))) for w in (lammps_wall, our_wall))
    assert largest(tools, theirs, mine) < TOLERANCE


@pytest.mark.parametrize("restitution", [0.3, 0.9])
@pytest.mark.parametrize("wall", ["zplane 0 NULL", "region wall"])
def test_actm_keeps_restitution_at_a_wall(run, tools, restitution, wall):
    law = f"actm 0.02 {restitution} 1e6 0.3 tangential mindlin NULL 1 0.3 wallmaterial 1e5 0.2"
    script = CORNER.replace("0.52 0.53 0.51", "5 5 0.501").replace("block -2 2 -2 2 -2 2", BOX)
    script = script.replace("-1 -0.9 -0.8", "0.4 0 -1").format(ours(law, wall))
    end = run(script + tools.dump_command("end")).dump("end")
    assert end["vz"].iloc[0] == pytest.approx(restitution, abs=1e-3)


# ------------------------------------------------------------------------------------- bad input

GOOD = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"
MATERIAL = "hertz/material 1e6 5 0.3 tangential mindlin NULL 1 0.5"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("", ["normal", "hooke"]),
        (GOOD, ["wall style", "xplane", "region"]),
        ("zplane 0 1", ["contact model must come before zplane"]),
        (f"{GOOD} zplane 0", ["zplane", "lo and hi"]),
        (f"{GOOD} zplane 1 0", ["lo = 1", "<= hi = 0"]),
        (f"{GOOD} zplane NULL NULL", ["zplane lo = NULL hi = NULL", "a position"]),
        (f"{GOOD} zplane zero 1", ["zero"]),
        (f"{GOOD} zplane nan 1", ["nan"]),
        (f"{GOOD} zcylinder -3", ["radius = -3", "> 0"]),
        (f"{GOOD} zcylinder", ["zcylinder", "radius"]),
        (f"{GOOD} region nowhere", ["nowhere", "does not exist"]),
        (f"{GOOD} region", ["region", "ID"]),
        (f"{GOOD} xplane 0 1", ["xplane", "periodic"]),
        (f"{GOOD} zcylinder 3", ["zcylinder", "periodic"]),
        (f"{GOOD} zplane 0 1 wiggle w 1 1", ["wiggle", "w", "x, y or z"]),
        (f"{GOOD} zplane 0 1 wiggle x 1", ["wiggle", "period"]),
        (f"{GOOD} zplane 0 1 wiggle x 1 0", ["period = 0", "> 0"]),
        (f"{GOOD} zplane 0 1 shear z 1", ["shear", "zplane"]),
        (f"{GOOD} zplane 0 1 shear x 1 wiggle x 1 1", ["wiggle", "dimension x", "motion shear"]),
        (f"{GOOD} region box wiggle x 1 1", ["wiggle", "region"]),
        (f"{GOOD} zplane 0 1 colour red", ["colour"]),
        (f"{GOOD} zplane 0 1 temperature 3", ["temperature"]),
        (f"{GOOD} cutoff 3 zplane 0 1", ["cutoff"]),
        (f"{GOOD} heat area 1 zplane 0 1", ["heat", "needs keyword temperature"]),
        (f"{GOOD} heat area 1 zplane 0 1 temperature v_", ["v_ needs the name of a variable"]),
        (f"{GOOD.replace('0.5', '-0.3')} zplane 0 1", ["mu = -0.3 must be >= 0"]),
        (f"{GOOD} wallmaterial 1e6 0.3 zplane 0 1", ["wallmaterial", "E and nu", "hooke"]),
        (
            f"{MATERIAL} wallmaterial 1e6 0.7 zplane 0 1",
            ["wallmaterial", "nu = 0.7", "<= 0.5"],
        ),
        (
            f"{MATERIAL} wallmaterial 0 0.3 zplane 0 1",
            ["wallmaterial", "E = 0", "> 0"],
        ),
        (
            f"{MATERIAL} wallmaterial 1e6 zplane 0 1",
            ["wallmaterial", "E and nu"],
        ),
    ],
)
def test_bad_fix(lammps_error, words, named):
    script = f"""
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 9 0 9 0 9
create_box 1 box
fix wall all wall/granular/plus {words}
"""
    message = lammps_error(script)
    for word in named:
        assert word in message


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("atom_style sphere", "atom_style atomic\natom_modify map array", ["radius", "sphere"]),
        ("run 500", "run_style respa 2 2\nrun 1", ["respa"]),
        ("0.52 0.53 0.51", "1.0 1.0 1.0", ["does not fit", "radius 0.5"]),
    ],
    ids=["wrong atom style", "respa", "larger than the hollow"],
)
def test_what_the_fix_needs(lammps_error, old, new, named):
    script = CORNER.replace(old, new).replace(
        "region wall block 0 9 0 9 0 9", "region wall sphere 1 1 1 0.49"
    )
    script = script.format(ours(GOOD, "region wall"))
    if "atomic" in new:
        script = script.replace("set group all diameter 1 density 1", "mass * 1")
        script = script.replace("nve/sphere", "nve")
    if "respa" in new:
        script = script.replace("sphere 1 1 1 0.49", "sphere 1 1 1 3")
    message = lammps_error(script)
    for word in named:
        assert word in message


def test_models_changed_at_a_restart_start_without_springs_and_say_so(run, tmp_path):
    run(f"{GRAINS}{ours(LAW, 'zplane -2.2 2.2')}{MOVE}run 50\nwrite_restart {tmp_path}/file\n")
    again = ours(law_of("hooke", "velocity", "linear_nohistory"), "zplane -2.2 2.2")
    log = run(f"""comm_modify vel yes
read_restart {tmp_path}/file
pair_style zero 1.0
pair_coeff * *
{again}{MOVE}run 10
""").log
    assert "without history" in log


def test_minimize_says_once_that_the_wall_does_not_act(run):
    setup = f"{GRAINS}{ours(LAW, 'zplane -2.2 2.2')}"
    assert "does not act" not in run(f"{setup}{MOVE}run 1\n").log
    log = run(f"{setup}minimize 0 0 1 1\nminimize 0 0 1 1\n{MOVE}run 1\n").log
    assert log.count("the wall does not act during minimization") == 1


def force_of(law: str, regions: str) -> float:
    """Return the force along z that a grain exerts on a wall at z = -3.

    The overlap is 0.01. The wall is the last of `regions`.
    """
    wall = regions.split("\n")[-1].split()[1]
    done = engine.run(f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single 0 0 -2.51 units box
set group all diameter 1 density 1
{regions}
pair_style zero 1
pair_coeff * *
fix wall all wall/granular/plus {law} 1e4 0 tangential linear_nohistory 0 0 region {wall}
thermo_style custom step {WALL.of("f_wall", "force_z")}
thermo_modify format float %.17g
run 0
""")
    return done.thermo.iloc[-1, -1]


@pytest.mark.parametrize(
    ("law", "force"), [("hooke", 1e4 * 0.01), ("hertz", 1e4 * 0.5**0.5 * 1e-3)]
)
def test_ellipsoids_count_as_flat(law, force):
    """Ellipsoids are treated as flat, because LAMMPS does not set their curvature."""
    assert -force_of(law, "region egg ellipsoid 0 0 0 3 3 3") == pytest.approx(force, rel=1e-6)


def test_each_part_of_a_union_at_rest_has_its_own_curvature():
    """The first part is an ellipsoid, which is treated as flat, but the second part is curved."""
    egg, ball = "region egg ellipsoid 0 0 3 1 1 1\n", "region ball sphere 0 0 0 3"
    both = force_of("hertz", f"{egg}{ball}\nregion both union 2 egg ball")
    assert both == force_of("hertz", ball) != 0


def test_a_contact_that_begins_as_another_ends_has_no_spring_of_the_other():
    """The grain moves from one plane to the other in a single step."""
    force, contacts = WALL.of("f_wall", "force_x"), WALL.of("f_wall", "contacts")
    script = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 9 0 9 0 1.2
create_box 1 box
create_atoms 1 single 4 4 0.15
set group all diameter 1 density 1e6
velocity all set 1 0 30
pair_style zero 1.0
pair_coeff * *
fix wall all wall/granular/plus hooke 1e-6 0 damping velocity &
    tangential linear_history 100 0 1e9 zplane {{low}} 1.2
fix move all nve/sphere
timestep 0.01
thermo 1
thermo_style custom step {force} {contacts}
run 2
"""
    here, alone = (engine.run(script.format(low=low)).thermo for low in ("0", "NULL"))
    assert here[contacts].tolist() == [1, 1, 1]
    assert alone[contacts].tolist() == [0, 0, 1]
    assert here[force].iloc[-1] == pytest.approx(alone[force].iloc[-1], rel=1e-3)
    assert alone[force].iloc[-1] == pytest.approx(1.0, rel=1e-3)
