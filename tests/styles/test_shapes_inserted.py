"""Grains with a shape that are inserted in or between runs, or changed by commands."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pysuite import engine, meshes, shapes
from pysuite.meshes import drawing

DENSITY = 2.0
SIZE = np.array([1.0, 2.0, 3.0])
ROUNDING = 1e-12  # rounding error of sums of a few numbers

SHAPE = "fix shape grains shape/granular/plus file {file} density 2 nodes 100 {more}"
PAIR = """pair_style granular/plus ledger yes
pair_coeff * * hooke 1e3 0.5 tangential linear_nohistory 1 0.3"""
ORDERS = pytest.mark.parametrize("order", ["shape first", "pair style first"])


@pytest.fixture(scope="module")
def box(tmp_path_factory) -> Path:
    return shapes.box(*SIZE).write(tmp_path_factory.mktemp("box") / "box.obj")


@pytest.fixture(scope="module")
def cube(tmp_path_factory) -> Path:
    return shapes.cube().write(tmp_path_factory.mktemp("cube") / "cube.obj")


def in_order(order: str, shape: str) -> str:
    return f"{shape}\n{PAIR}" if order == "shape first" else f"{PAIR}\n{shape}"


def inertia(diameter: float, density: float = DENSITY) -> np.ndarray:
    """Return the moments of inertia of a box whose bounding sphere has the given diameter."""
    edges = SIZE * diameter / np.linalg.norm(SIZE)
    return density * np.prod(edges) / 12 * (np.sum(edges**2) - edges**2)


POUR = """units lj
atom_style bpm/sphere
comm_modify vel yes
boundary p p f
region all block 0 6 0 6 0 12
create_box 1 all
group grains empty
region top block 1 5 1 5 7 11
{styles}
fix weight all gravity 1 vector 0 0 -1
{source}
compute ledger all granular/ledger
timestep 1e-3
thermo_style custom step atoms c_ledger[*]
thermo_modify norm no format float %.17g
thermo 100
run 400
"""
SOURCES = {
    "pour": "fix source grains pour 12 1 4711 region top diam one 1.2 vol 0.3 100 dens 40 40 "
    "vel 0 0 0 0 -2",
    "deposit": "fix source grains deposit 3 1 100 4711 region top near 1.2 vx -1 1 vz -2 -1 "
    "units box",
}


@ORDERS
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("ranks", [1, 2])
def test_grains_that_come_bring_the_energy_of_their_shape(order, source, ranks, cube):
    styles = in_order(order, SHAPE.format(file=cube, more="orient random 3"))
    balance = engine.run(POUR.format(styles=styles, source=SOURCES[source]), ranks=ranks).ledger
    last = balance.iloc[-1]
    energy = last[["kinetic_translation", "kinetic_rotation", "potential"]].sum()
    assert (balance["contacts"] == 0).all()
    assert energy > 1.0
    assert last["exchanged"] == pytest.approx(energy, rel=ROUNDING)
    assert abs(balance["residual"]).max() < ROUNDING * energy


TOP = """units lj
atom_style bpm/sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region all block -20 20 -20 20 -20 20
create_box 1 all
create_atoms 1 single 0 0 0
set group all diameter {diameter:.17g}
group grains union all
{styles}
set atom 1 omega 0 5 0
compute ledger all granular/ledger
compute now all property/atom omegax omegay omegaz quatw quati quatj quatk mass
compute sum all reduce sum c_now[*]
timestep 1e-3
thermo_style custom step c_sum[*] c_ledger[*]
thermo_modify norm no format float %.17g
thermo 10
run 20
{commands}
run 20
"""
AT_END, AT_START = 2, 3  # thermo rows at the end of the first run and at the start of the second
WHOLE = np.linalg.norm(SIZE)  # diameter of the bounding sphere


def between_runs(commands: str, box: Path, order: str = "shape first") -> engine.Run:
    styles = in_order(order, SHAPE.format(file=box, more=""))
    return engine.run(TOP.format(diameter=WHOLE, styles=styles, commands=commands))


def spin_energy(run: engine.Run, row: int) -> float:
    values = run.thermo[[f"c_sum[{k}]" for k in range(1, 8)]].iloc[row].to_numpy(copy=True)
    spin, turn = values[:3], Rotation.from_quat(values[[4, 5, 6, 3]])
    return 0.5 * inertia(WHOLE) @ turn.inv().apply(spin) ** 2


@ORDERS
@pytest.mark.parametrize(
    "commands",
    [
        "set atom 1 diameter 3",
        "unfix shape\nfix shape grains shape/granular/plus file {file} density 7 nodes 100",
        "unfix shape\nfix shape grains shape/granular/plus file {cube} density 2 nodes 100",
        "create_atoms 1 single 8 0 0\nset atom 2 diameter 3 omega 1 0 0\ngroup grains id 2",
        "set atom 1 quat 0 0 1 90",
    ],
    ids=["diameter", "density", "file", "new grain", "orientation"],
)
def test_what_changes_between_runs_is_exchanged(order, commands, box, cube):
    commands = commands.format(file=box, cube=cube)
    balance = between_runs(commands, box, order).ledger
    energy = balance["kinetic_translation"] + balance["kinetic_rotation"]
    change = energy.iloc[AT_START] - energy.iloc[AT_END]
    assert abs(change) > 0.1
    assert balance["exchanged"].iloc[AT_START] == pytest.approx(change, rel=ROUNDING)
    assert abs(balance["residual"].iloc[AT_START]) < ROUNDING * energy.iloc[AT_START]


def test_minimize_has_the_grains_as_they_are(box):
    commands = """create_atoms 1 single 8 0 0
set atom 2 diameter 3
group grains id 2
minimize 0 0 1 1"""
    styles = SHAPE.format(file=box, more="orient random 3") + "\n" + PAIR
    table = engine.run(TOP.format(diameter=WHOLE, styles=styles, commands=commands)).thermo
    state = table[table["Step"] == 21][[f"c_sum[{k}]" for k in range(1, 9)]].to_numpy()
    minimized, started = state
    whole = DENSITY * np.prod(SIZE)
    assert minimized[-1] == pytest.approx(whole * (1 + (3 / WHOLE) ** 3), rel=ROUNDING)
    np.testing.assert_allclose(started, minimized, rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize(
    "command",
    ["set atom 1 quat 0 0 1 90", "displace_atoms all rotate 0 0 0 0 0 1 90"],
)
def test_a_grain_that_is_turned_keeps_its_spin(command, box):
    """There are no contacts, so energy is conserved up to the integrator's error of 1e-3."""
    run = between_runs(command, box)
    turned = spin_energy(run, AT_START)
    assert turned > 1.2 * spin_energy(run, AT_END)
    found = run.ledger["kinetic_rotation"]
    assert found.iloc[AT_START] == pytest.approx(turned, rel=ROUNDING)
    assert found.iloc[-1] == pytest.approx(turned, rel=1e-3)
    assert abs(run.ledger["residual"].iloc[-1]) < 1e-3 * turned
    spin = run.thermo["c_sum[2]"]
    assert spin.iloc[AT_START] == pytest.approx(5.0, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "value", "axis", "spin"),
    [("quat 0 0 1 v_value", 90, 0, 5.0), ("omega 0 v_value 0", 2, 1, 2.0)],
    ids=["quat", "omega"],
)
def test_what_a_fix_sets_within_a_run_counts(change, value, axis, spin, box):
    fix = f"variable value atom {value}\nfix turn all set 30 0 atom 1 {change}"
    found = between_runs(fix, box).ledger["kinetic_rotation"].iloc[-1]
    assert found == pytest.approx(0.5 * inertia(WHOLE)[axis] * spin**2, rel=1e-3)


def test_a_grain_is_brought_to_rest(box):
    run = between_runs("set atom 1 omega 0 0 0", box)
    assert run.ledger["kinetic_rotation"].iloc[AT_END] > 1.0
    assert (run.ledger["kinetic_rotation"].iloc[AT_START:] == 0.0).all()


@pytest.mark.parametrize("restart", ["clear\nread_restart middle", "run 0", ""])
def test_spin_goes_on_to_the_bit(restart, box, tmp_path):
    styles = in_order("shape first", SHAPE.format(file=box, more=""))
    script = TOP.format(diameter=WHOLE, styles=styles, commands="")
    script = script.replace("omega 0 5 0", "omega 0.3 5 1.1")
    head, tail = script.split("\nrun 20\n", 1)
    settings = head[head.index("compute ledger") :]
    again = f"{styles}\n{settings}" if "read" in restart else ""
    interrupted = f"{head}\nrun 20\nwrite_restart middle\n{restart}\n{again}\n{tail}"
    found = [
        engine.run(text, folder=tmp_path).thermo.filter(like="c_sum").iloc[-1].to_numpy()
        for text in (f"{head}\nrun 20\n{tail}", interrupted)
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("command", ["set atom 1 density 7", "set atom 1 mass 7"])
def test_mass_is_that_of_density_and_size(command, box):
    run = between_runs(command, box)
    np.testing.assert_allclose(run.thermo["c_sum[8]"], DENSITY * np.prod(SIZE), rtol=ROUNDING)
    energy = run.ledger["kinetic_rotation"]
    np.testing.assert_allclose(energy, energy.iloc[0], rtol=1e-3)
    assert abs(run.ledger["exchanged"]).max() < ROUNDING * energy.iloc[0]
    warnings = [line for line in run.log.splitlines() if "WARNING" in line]
    assert len(warnings) == 1
    assert "density = 2 times volume; 1 grain had another mass" in warnings[0]


def test_nothing_is_said_of_masses_that_follow_the_size(box):
    commands = "set atom 1 diameter 3\ncreate_atoms 1 single 8 0 0\nset atom 2 diameter 1\nrun 1\n"
    commands += "group grains id 2\nunfix shape\n"
    commands += f"fix shape grains shape/granular/plus file {box} density 7 nodes 100"
    assert "WARNING" not in between_runs(commands, box).log


TWO_MOVE = """units lj
atom_style bpm/sphere 1
comm_modify vel yes
boundary p p f
region all block 0 6 0 6 0 12
create_box 1 all
group grains empty
group others empty
region top block 1 5 1 5 7 11
region below block 0 6 0 6 0 9 units box
{styles}
fix weight all gravity 1 vector 0 0 -1
{source}
{other}
timestep 1e-3
thermo_style custom step atoms
run {steps}
"""


def two_move(cube: Path, other: str, source: str = "", **more: object) -> engine.Run:
    styles = in_order("shape first", SHAPE.format(file=cube, more=""))
    values = {"styles": styles, "other": other, "source": source, "steps": 0, "ranks": 1} | more
    ranks = int(str(values.pop("ranks")))
    return engine.run(TWO_MOVE.format(**values), ranks=ranks)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            "fix move all nve/sphere",
            "fix move nve/sphere moves grains {source} that fix shape already moves",
        ),
        (
            "fix move grains nve",
            "fix move nve moves grains {source} that fix shape already moves",
        ),
        (
            "fix two grains shape/granular/plus file {file} density 1 nodes 100",
            "fix two shape/granular/plus moves grains {source} that fix shape already moves",
        ),
        (
            "variable size equal 1\nfix grow all adapt 1 atom diameter v_size",
            "fix grow adapt changes the size of grains {source} to which fix shape gives a shape",
        ),
    ],
    ids=["sphere", "point", "shape", "size"],
)
def test_two_fixes_may_not_move_the_grains_to_come(source, other, message, cube):
    message = message.format(source=f"inserted by fix source {source}")
    with pytest.raises(engine.LammpsError, match=message):
        two_move(cube, other.format(file=cube), SOURCES[source])


@pytest.mark.parametrize("ranks", [1, 2])
def test_two_fixes_may_not_move_grains_that_come_otherwise(ranks, cube):
    other = """create_atoms 1 single 3 3 9.1
set group all diameter 1.2
group grains union all
group below dynamic all region below every 1
fix move below nve/sphere
run 0"""
    with pytest.raises(engine.LammpsError, match="fix move nve/sphere moves grains"):
        two_move(cube, other, steps=2000, ranks=ranks)


@pytest.mark.parametrize(
    ("other", "source"),
    [
        ("fix move others nve/sphere", SOURCES["pour"]),
        ("fix move all nve/sphere", SOURCES["pour"].replace("source grains", "source others")),
    ],
    ids=["grains with a shape", "spheres"],
)
def test_each_kind_of_grain_may_be_poured(other, source, cube):
    assert two_move(cube, other, source, steps=100).thermo["Atoms"].iloc[-1] > 0


@pytest.mark.parametrize("given", ["file {box} density 6", "file {cube} density 2"])
def test_a_restart_with_another_density_or_file_is_as_the_fix_says(given, box, cube, tmp_path):
    styles = in_order("shape first", SHAPE.format(file=box, more=""))
    script = TOP.format(diameter=WHOLE, styles=styles, commands="")
    head, tail = script.split("\nrun 20\n", 1)
    settings = head[head.index("compute ledger") :]
    given = given.format(box=box, cube=cube)
    again = f"fix shape grains shape/granular/plus {given} nodes 100\n{PAIR}\n{settings}"
    run = engine.run(
        f"{head}\nrun 20\nwrite_restart middle\nclear\nread_restart middle\n{again}\n{tail}",
        folder=tmp_path,
    )
    spins, mass = run.thermo["c_sum[2]"], run.thermo["c_sum[8]"]
    volume = np.prod(SIZE) if "box" in given else (WHOLE / 3**0.5) ** 3
    density = 6 if "6" in given.split()[-1] else 2
    assert mass.iloc[AT_START] == pytest.approx(density * volume, rel=1e-6)
    assert spins.iloc[AT_START] == pytest.approx(spins.iloc[AT_END], rel=1e-12)
    assert f"mass of a grain is density = {density} times volume; 1 grain had" in run.log


def test_a_block_from_outside_is_refused_before_the_run(box):
    styles = in_order("shape first", SHAPE.format(file=box, more=""))
    script = TOP.format(diameter=WHOLE, styles=styles, commands="")
    law = "hooke 1e3 0.5 tangential linear_nohistory 1 0.3"
    for region, refused in (
        ("block -9 9 -9 9 -9 -5 side out", True),
        ("plane 0 0 -5 0 0 1 side out", False),
        ("block -9 9 -9 9 -9 9", False),
    ):
        wall = f"region wall {region}\nfix wall all wall/granular/plus {law} region wall\n"
        text = script.replace("timestep", f"{wall}timestep")
        if refused:
            with pytest.raises(engine.LammpsError, match="a region must enclose them"):
                engine.run(text)
        else:
            engine.run(text)


@pytest.mark.parametrize("against", ["wall", "grain"])
def test_a_thin_plate_that_is_pressed_through_is_an_error(against, tmp_path):
    """If the run did not stop, the force on the plate would have the wrong sign."""
    at_wall = against == "wall"
    turn = 90 if at_wall else 0
    file = shapes.box(4, 4, 0.02).write(tmp_path / "plate.obj")
    law = "hooke 1e3 0.5 tangential linear_nohistory 1 0.3"
    other = f"fix floor all wall/granular/plus {law} zplane 0 NULL"
    if not at_wall:
        other = "create_atoms 1 single 0 0 5.05\nset atom 2 diameter 10"
    script = f"""units lj
atom_style bpm/sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region all block -20 20 -20 20 -20 20
create_box 1 all
create_atoms 1 single 0 0 {{height}}
set group all diameter 5.65
pair_style granular/plus
pair_coeff * * {law}
{other}
group plate id 1
fix shape plate shape/granular/plus file {file} density 1
set atom 1 quat 0 1 0 {{turn}}
compute force plate reduce max fz
thermo_style custom step c_force
run 0
"""
    touching = engine.run(script.format(height=1.9 if at_wall else 0.1, turn=turn)).thermo
    assert touching["c_force"].iloc[0] * (1 if at_wall else -1) > 0
    with pytest.raises(engine.LammpsError, match=r"overlap of grain.* must be < .*of equal volume"):
        engine.run(script.format(height=1.5 if at_wall else 4.5, turn=turn))


def test_an_open_mesh_is_refused_before_a_grain_is_poured_and_taken_when_thickened(cube, tmp_path):
    sheet = meshes.sheet((0, 0, 4), (6, 0, 0), (0, 6, 0), (2, 3))
    law = "hooke 1e3 5 tangential linear_nohistory 1 0.3"
    styles = in_order("shape first", SHAPE.format(file=cube, more="orient random 3"))
    floor = f"fix floor all wall/granular/plus {law} mesh floor.stl"
    for side in ("xplane 0 6", "yplane 0 6", "zplane NULL 12"):
        floor += f"\nfix {side[0]} all wall/granular/plus {law} {side}"
    script = POUR.format(styles=f"{styles}\n{floor}", source=SOURCES["pour"])
    script = script.replace("boundary p p f", "boundary f f f").replace("run 400", "run 4000")
    meshes.write_stl(tmp_path / "floor.stl", sheet, text=True)
    with pytest.raises(
        engine.LammpsError, match=r"open edges; use pysuite mesh .*--thicken"
    ) as refused:
        engine.run(script, folder=tmp_path)
    assert "Step" not in str(refused.value)
    meshes.write_stl(tmp_path / "floor.stl", drawing.thickened(sheet, 0.5), text=True)
    run = engine.run(script + "write_dump all custom end id z\n", folder=tmp_path)
    end = run.dump("end")
    assert len(end) > 3
    # The floor is at z = 4.25. The centres of cubes are above it by half an edge minus the overlap.
    assert end["z"].min() > 4.25 + 0.6 / 3**0.5 - 0.05


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(("depth", "warned"), [(0.2, True), (0.05, False)])
@pytest.mark.parametrize("against", ["wall", "grain"])
def test_overlaps_of_cubes_at_the_start_are_warned_of(against, depth, warned, ranks, cube):
    """Overlaps are reported only in the first run.

    The reported values are relative to the radius of a sphere of equal volume.
    """
    law = "hooke 1e3 0.5 tangential linear_nohistory 1 0.3"
    other = (
        f"fix floor all wall/granular/plus {law} zplane {depth - 0.5} NULL"
        if against == "wall"
        else f"create_atoms 1 single 0 0 {1 - depth}"
    )
    log = engine.run(
        f"""units lj
atom_style bpm/sphere
atom_modify map array
boundary p p f
comm_modify vel yes
region all block -20 20 -20 20 -20 20
create_box 1 all
create_atoms 1 single 0 0 0
{other}
set group all diameter {3**0.5}
pair_style granular/plus
pair_coeff * * {law}
fix shape all shape/granular/plus file {cube} density 1 surface facets
run 0
run 0
""",
        ranks=ranks,
    ).log
    found = re.findall(r"at the start of the run grain [12] overlaps .* by (\d+) %", log)
    body, away = shapes.Shape(shapes.cube(), surface="facets"), (0, 0, 1 - depth)
    contact = (
        shapes.contact_with_plane(body, (0, 0, 0.5 - depth))
        if against == "wall"
        else shapes.contact(body, body, (0, 0, 0), away)
    )
    expected = 100 * contact.overlap / body.volume_radius
    assert (expected > 20) == warned
    assert [float(share) for share in found] == pytest.approx([expected] * warned, abs=0.5)
