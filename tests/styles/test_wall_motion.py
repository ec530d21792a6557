"""Planes and meshes whose motion is prescribed, or follows from a load by Newton's law."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, meshes
from pysuite.outputs import LEDGER, LOSSES, WALL

LAW = "hertz 4e5 200 tangential mindlin_rescale 3e5 1 0.3 rolling sds 1e3 5 0.1"
DRY = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
MAKE = """
units lj
atom_style sphere
boundary f f f
region box block -4 9 -4 9 -4 9
create_box 1 box
lattice sc 1.0
region fill block 0.4 4.8 0.4 4.8 0.5 4 units box
create_atoms 1 region fill
displace_atoms all random 0.05 0.05 0.05 8123
variable size atom random(0.8,1.0,4711)
set group all diameter v_size density 1.2
velocity all create 2.0 8731 loop all
write_data grains.data
"""
SETUP = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton ${newton}
comm_modify vel yes
"""
START = f"{SETUP}read_data grains.data\n"
MOVE = """
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
timestep {step}
compute ledger all granular/ledger
thermo_style custom step time c_ledger[*] f_wall[*]
thermo_modify format float %.17g
thermo {every}
"""
SIDES = (
    f"fix x all wall/granular/plus {LAW} xplane 0 5\n"
    f"fix y all wall/granular/plus {LAW} yplane 0 5\n"
)
FORCE, WORK, PLACE, SPEED, STOPPED = WALL.of(  # components along z
    "f_wall", "force_z", "work", "displacement_z", "velocity_z", "stopped"
).split()
MOVED = WALL.of(
    "f_wall", *(f"{what}_{axis}" for what in ("displacement", "velocity") for axis in "xyz")
).split()
WORK_OF_WALLS = LEDGER.of("c_ledger", "wall_work")


@pytest.fixture(scope="module")
def grains(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("grains")
    engine.run(MAKE, folder=folder)
    floor = meshes.sheet((-3, -3, 0), (11, 0, 0), (0, 11, 0), (9, 9), seed=4)
    meshes.write_stl(folder / "floor.stl", floor, text=True)
    meshes.write_stl(folder / "box.stl", meshes.box((0, 0, 0), (5, 5, 5), 3, 1), text=True)
    return folder


def run(folder: Path, script: str, newton: str = "on", **options: object) -> engine.Run:
    return engine.run(script, folder=folder, variables={"newton": newton}, timeout=300, **options)


def script_of(walls: str, steps: int, step: float = 2e-4, law: str = LAW, every: int = 100) -> str:
    pair = f"pair_style granular/plus ledger yes\npair_coeff * * {law}\n"
    return f"{START}{pair}{walls}{MOVE.format(step=step, every=every)}run {steps}\n"


def wall(law: str, words: str) -> str:
    return f"fix wall all wall/granular/plus {law} {words}\n"


def distance(one, other) -> float:
    places = ["xu", "yu", "zu"]
    return float(np.abs(one[places].to_numpy() - other[places].to_numpy()).max())


ROCK = "variable angle equal 0.2*sin(3*time)\n"
LIFT = "variable lift equal 0.3*time^2\n"
MOTIONS = {
    "wiggle": ("", "wiggle z 0.2 0.6"),
    "wiggle x": ("", "wiggle x 0.2 0.6"),
    "shear": ("", "shear x 2"),
    "wiggle and shear": ("", "wiggle z 0.1 0.6 shear y -1"),
    "move": ("", "move 0.5 NULL 0.7"),
    "move by variable": (LIFT, "move NULL NULL v_lift"),
    "rotate": ("", "rotate 0.3 2.5 2.5 0 0 0 1"),
    "tilt": (ROCK, "rotate v_angle 2.5 2.5 0 1 1 0"),
    "tilt and lift": (ROCK + LIFT, "rotate v_angle 2.5 2.5 0 1 1 0 move 0.3 NULL v_lift"),
    "load": ("", "load z 500 mass 30 drag 5 between -1 0.5"),
    "load and shear": ("", "load z 500 mass 30 shear x 1"),
}


@pytest.mark.parametrize("motion", MOTIONS)
def test_a_mesh_moves_as_a_plane(grains, tools, motion):
    before, words = MOTIONS[motion]
    ends, tables = [], []
    for style in ("zplane 0 NULL", "mesh floor.stl"):
        walls = f"{before}{SIDES}{wall(LAW, f'{style} {words}')}"
        done = run(grains, script_of(walls, 3000) + tools.dump_command("end"))
        ends.append(done.dump("end"))
        tables.append(done.thermo)
    # the tolerance is wide because each collision amplifies round-off
    assert distance(*ends) < 1e-8
    plane, triangles = (table.iloc[-1] for table in tables)
    assert abs(plane[WORK]) > 0.1
    for column in [FORCE, WORK, *MOVED]:
        assert triangles[column] == pytest.approx(plane[column], rel=1e-6, abs=1e-8), column


@pytest.mark.parametrize("wall_", ["planes", "mesh"])
@pytest.mark.parametrize(
    "motion", ["tilt and lift", "load and shear", "rotate", "wiggle and shear"]
)
def test_the_balance_closes(grains, wall_, motion):
    """The residual is divided by the sum of the losses and the work of the walls.

    The time steps are 1/50 and 1/100 of the collision time.
    """
    before, words = MOTIONS[motion]
    style = "zplane 0 NULL" if wall_ == "planes" else "mesh floor.stl"
    sides = SIDES.replace(LAW, DRY)
    residuals = []
    for step in (2e-4, 1e-4):
        walls = f"{before}{sides}{wall(DRY, f'{style} {words}')}"
        steps = round(0.8 / step)
        script = script_of(walls, steps, step, DRY)
        ledger = run(grains, script).ledger
        end = ledger.iloc[-1]
        assert abs(end["wall_work"]) > 1.0
        turned_over = end[LOSSES].sum() + abs(end["wall_work"])
        residuals.append(ledger["residual"].abs().max() / turned_over)
    print(motion, wall_, residuals)
    assert residuals[0] <= 1e-3
    assert residuals[1] <= 0.8 * residuals[0]


def test_a_turning_box_is_a_turning_frame(grains, tools):
    """Regions and meshes differ at edges. The run is so short that no grain reaches an edge."""
    variable = "variable angle equal 2*time\n"
    region = "region block block 0 5 0 5 0 5 rotate v_angle 2.5 2.5 2.5 0 1 1\n"
    ends = []
    for words in ("region block", "mesh box.stl rotate v_angle 2.5 2.5 2.5 0 1 1"):
        walls = f"{variable}{region}{wall(LAW, words)}"
        ends.append(run(grains, script_of(walls, 1500) + tools.dump_command("end")).dump("end"))
    assert distance(*ends) < 1e-8


def test_a_belt_carries_along_its_surface(grains):
    """The surface velocity of a mesh is tangential, so belts move grains along their slope."""
    slope = meshes.sheet((-3, -3, 0), (11, 0, 5.5), (0, 11, 0), (5, 5))
    meshes.write_stl(grains / "slope.stl", slope, text=True)
    walls = wall(f"{DRY}", "mesh slope.stl shear x 1")
    script = script_of(walls, 1, 1e-6, DRY).replace(
        "read_data grains.data",
        "region box block -4 9 -4 9 -4 9\ncreate_box 1 box\n"
        "create_atoms 1 single 2.5 2.5 3.3036 units box\nset atom 1 diameter 1 density 1",
    )
    script += "variable fx equal fx[1]\nvariable fz equal fz[1]\nprint '${fx} ${fz}'\n"
    direction = np.array([2.0, 1.0]) / np.sqrt(5)
    end = run(grains, script).wall_vector("wall").iloc[-1]
    force = -end[["force_x", "force_z"]].to_numpy(dtype=float)
    normal = np.array([-1.0, 2.0]) / np.sqrt(5)
    friction = force - (force @ normal) * normal
    assert force @ normal > 0
    assert friction @ direction > 0
    assert end["velocity_x"] == 0.0


# --------------------------------------------------------------------------------------- under load

PLATE = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -2 2 -2 2 -1 4
create_box 1 box
create_atoms 1 single 0 0 0.499 units box
create_atoms 1 single 1 0 0.499 units box
create_atoms 1 single 0 1 0.499 units box
set group all diameter 1 density 1.9
pair_style zero 1.0
pair_coeff * *
fix move all nve/sphere
velocity all set 0 0 0
"""


@pytest.mark.parametrize("style", ["zplane NULL 0.998", "mesh plate.stl offset 0 0 0.998"])
def test_a_plate_swings_and_comes_to_rest(tmp_path, style):
    """On three grains of stiffness k, a plate of mass M swings with the period 2 pi sqrt(M/(3 k)).

    With drag, the plate comes to rest, and the grains carry the load.
    """
    plate = meshes.sheet((-2, -2, 0), (4, 0, 0), (0, 4, 0), (4, 4), seed=1)
    meshes.write_stl(tmp_path / "plate.stl", plate, text=True)
    stiffness, mass, force = 2e4, 40.0, -300.0
    law = f"hooke {stiffness} 0 tangential linear_nohistory 0 0"
    words = f"{style} load z {force} mass {mass}"
    step = 2e-4

    def swing(more: str, steps: int):
        return engine.run(
            f"{PLATE}{wall(law, f'{words} {more}')}fix hold all setforce 0 0 0\ntimestep {step}\n"
            "thermo_style custom step time f_wall[*]\n"
            f"thermo_modify format float %.17g\nthermo 1\nrun {steps}\n",
            folder=tmp_path,
        ).thermo

    # at the start, each of the three grains overlaps the plate by 0.001
    free = swing("", 6000)
    place = free[PLACE].to_numpy()
    rest = force / (3 * stiffness) + 0.001
    crossings = np.flatnonzero((place[:-1] > rest) & (place[1:] <= rest))
    period = np.diff(free["Time"].to_numpy()[crossings]).mean()
    assert len(crossings) > 3
    assert period == pytest.approx(2 * np.pi * np.sqrt(mass / (3 * stiffness)), rel=2e-3)
    assert place.min() == pytest.approx(2 * rest, rel=1e-3)
    damped = swing("drag 400", 14000)
    assert damped[FORCE].iloc[-500:].mean() == pytest.approx(-force, rel=1e-3)
    assert abs(damped[SPEED].iloc[-1]) < 1e-3


# mass times acceleration divided by force; units other than lj test the conversion factors
PER_FORCE = {"lj": 1.0, "metal": 1 / 1.0364269e-4, "real": 1 / 48.88821291**2}


@pytest.mark.parametrize("units", PER_FORCE)
def test_stops(tmp_path, units):
    law = "hooke 1e4 0 tangential linear_nohistory 0 0"
    factor = PER_FORCE[units]
    table = engine.run(
        PLATE.replace("units lj", f"units {units}")
        + wall(law, "zplane NULL 3 load z -20 mass 4 between -1 NULL")
        + f"timestep {1e-4 / np.sqrt(factor)}\nthermo_style custom step time f_wall[*]\n"
        "thermo 100\nthermo_modify format float %.17g\nrun 8000\n",
        folder=tmp_path,
    ).thermo
    time = table["Time"] * np.sqrt(factor)
    fall = table[time < 0.6]
    np.testing.assert_allclose(fall[PLACE], -0.5 * 5 * time[time < 0.6] ** 2, rtol=1e-9, atol=1e-12)
    assert table[PLACE].iloc[-1] == -1.0
    assert table[SPEED].iloc[-1] == 0.0
    assert table[STOPPED].iloc[-1] == pytest.approx(20.0, rel=1e-3)  # load times displacement
    assert table[STOPPED].nunique() == 2


# -------------------------------------------------------------------------------- restart and ranks


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("style", ["zplane 0 NULL", "mesh floor.stl"])
def test_restart_in_mid_motion(grains, tools, motion, style):
    before, words = MOTIONS[motion]
    pair = f"pair_style granular/plus ledger yes\npair_coeff * * {LAW}\n"
    walls = f"{before}{SIDES}{wall(LAW, f'{style} {words}')}"
    move = MOVE.format(step=2e-4, every=100) + "neigh_modify every 20 delay 0 check no\n"
    whole = run(
        grains,
        f"{START}{pair}{walls}{move}run 1000\nwrite_restart middle\nrun 500\n"
        f"{tools.dump_command('end')}",
    )
    again = run(
        grains,
        f"{SETUP}read_restart middle\n{pair}{walls}{move}run 500\n{tools.dump_command('again')}",
    )
    assert distance(whole.dump("end"), again.dump("again")) < 1e-10
    for column in [WORK, PLACE, SPEED, WORK_OF_WALLS]:
        assert again.thermo[column].iloc[-1] == pytest.approx(
            whole.thermo[column].iloc[-1], rel=1e-8, abs=1e-9
        )


OTHER = {
    "move": "move 0.2 NULL -0.3",
    "wiggle": "wiggle z 0.05 0.3",
    "move by variable": "move NULL NULL v_lift",
    "rotate": "rotate 1 2.5 2.5 0 0 0 1",
    "load": "load z 600 mass 20",
    "rest": "",
}


@pytest.mark.parametrize("how", ["restart", "again"])
@pytest.mark.parametrize("after", OTHER)
@pytest.mark.parametrize("before", ["move", "wiggle", "rotate", "load"])
def test_another_motion_goes_on_from_where_the_wall_is(grains, before, after, how):
    pair = f"pair_style granular/plus ledger yes\npair_coeff * * {LAW}\n"
    first = wall(LAW, f"zplane 0 NULL {MOTIONS[before][1]}")
    second = wall(LAW, f"zplane 0 NULL {OTHER[after]}")
    head = f"{START}{pair}{LIFT}{SIDES}{first}{MOVE.format(step=2e-4, every=1)}run 1000\n"
    if how == "restart":
        move = MOVE.format(step=2e-4, every=1)
        run(grains, f"{head}write_restart middle\n")
        more = f"{SETUP}read_restart middle\n{pair}{LIFT}{SIDES}{second}{move}run 200\n"
        then = run(grains, more).thermo
        last = run(grains, f"{head}run 0\n").thermo.iloc[-1]
    else:
        table = run(grains, f"{head}{second}run 200\n").thermo
        last, then = table.iloc[1000], table.iloc[1001:]
        assert table["Step"].iloc[1001] == last["Step"]
    np.testing.assert_allclose(
        then[MOVED[:3]].iloc[0], last[MOVED[:3]], rtol=1e-12, atol=1e-12, err_msg="place"
    )
    energies = LEDGER.of("c_ledger", "elastic_normal", "elastic_tangential").split()
    for column in [WORK, WORK_OF_WALLS, *energies]:
        assert then[column].iloc[0] == pytest.approx(last[column], rel=1e-9, abs=1e-9)
    # In a step, the wall moves at most by its largest speed times dt. For the motion `wiggle`, this
    # speed is 0.2 * 2 pi/0.6.
    assert np.abs(then[MOVED[:3]].diff()).max().max() < 2.2 * 2e-4
    residual = LEDGER.of("c_ledger", "residual")
    moved = np.abs(then[residual].iloc[-1] - last[residual])
    # The error is of second order in the time step. It is at most 2e-4 at 25 steps per collision.
    assert moved < 5e-4 * then[LEDGER.of("c_ledger", "kinetic_translation")].max()


def test_a_wall_turned_goes_on_about_its_axis_only(grains):
    first = wall(LAW, "zplane 0 NULL rotate 0.3 2.5 2.5 0 1 0 0")
    second = wall(LAW, "zplane 0 NULL rotate 0.3 2.5 2.5 0 0 1 0")
    with pytest.raises(engine.LammpsError, match=r"rotated by 0.006 about the axis .1, 0, 0."):
        run(grains, f"{script_of(first, 100)}{second}")


def test_a_load_takes_over_within_its_stops(grains):
    first = wall(LAW, "zplane 0 NULL move NULL NULL 0.7")
    second = wall(LAW, "zplane 0 NULL load z 1 mass 1 between -0.01 0.01")
    with pytest.raises(engine.LammpsError, match=r"between = -0.01 0.01 .* 0.014"):
        run(grains, f"{script_of(first, 100)}{second}")


def test_a_wall_at_another_place_or_after_unfix_begins_anew(grains):
    first = wall(LAW, "zplane 0 NULL move NULL NULL 0.7")
    for again in (wall(LAW, "zplane 0.01 NULL"), f"unfix wall\n{wall(LAW, 'zplane 0 NULL')}"):
        result = run(grains, f"{script_of(first, 100)}{again}run 0\n")
        assert result.thermo[PLACE].iloc[-1] == 0.0
        assert ("its motion starts over" in result.log) == ("unfix" not in again)


@pytest.mark.parametrize("newton", ["on", "off"])
def test_ranks(grains, tools, newton):
    words = "mesh floor.stl load z 500 mass 30 shear x 1"
    walls = f"{SIDES}{wall(LAW, words)}fix even all balance 100 1.0 shift xy 5 1.1\n"
    ends = []
    for ranks in (1, 2):
        more = walls if ranks > 1 else walls.rsplit("fix even", 1)[0]
        script = script_of(more, 1500) + tools.dump_command("end")
        ends.append(run(grains, script, newton, ranks=ranks).dump("end"))
    assert distance(*ends) < 1e-8


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("zplane 0 NULL load z 1", ["load", "mass"]),
        ("zplane 0 NULL load z 1 weight 3", ["keyword load: expected mass, found weight"]),
        ("zplane 0 NULL load z 1 mass 0", ["mass M = 0", "> 0"]),
        ("zplane 0 NULL load z 1 mass nan", ["nan"]),
        ("zplane 0 NULL load z 1 mass 1 drag -2", ["drag C = -2", ">= 0"]),
        ("zplane 0 NULL load z 1 mass 1 between 1 2", ["between lo = 1", "<= 0"]),
        ("zplane 0 NULL load z 1 mass 1 between -1 -2", ["hi = -2", ">= 0"]),
        ("zplane 0 NULL load z 1 mass 1 load x 1 mass 1", ["load", "once"]),
        ("zplane 0 NULL load z 1 mass 1 move NULL NULL 1", ["dimension z", "load"]),
        ("zplane 0 NULL wiggle z 1 1 load z 1 mass 1", ["dimension z", "wiggle"]),
        (
            "zplane 0 NULL load z v_none mass 1",
            ["fix wall: keyword load: F v_none: there is no variable none"],
        ),
        (
            "zplane 0 NULL load z v_many mass 1",
            ["fix wall: keyword load: F v_many must be an equal-style"],
        ),
        (
            "zplane 0 NULL move NULL NULL v_none",
            ["fix wall: keyword move: vz v_none: there is no variable none"],
        ),
        ("zplane 0 NULL move NULL NULL NULL", ["move", "NULL"]),
        ("zplane 0 NULL move NULL NULL v_", ["move", "v_ needs the name of a variable"]),
        ("zplane 0 NULL move 1 2", ["keyword move needs vx vy vz"]),
        ("zplane 0 NULL move 1 2 inf", ["inf"]),
        ("zplane 0 NULL rotate 1 0 0 0 0 0 0", ["length of the axis = 0", "> 0"]),
        ("zplane 0 NULL rotate 1 0 0 0 0 0", ["rotate", "axis"]),
        (
            "zplane 0 NULL rotate v_none 0 0 0 0 0 1",
            ["fix wall: keyword rotate: w v_none: there is no variable none"],
        ),
        ("zplane 0 NULL rotate 1 0 0 0 0 0 1 rotate 1 0 0 0 0 0 1", ["rotate", "once"]),
        ("zcylinder 3 shear x 1 rotate 1 0 0 0 0 0 1", ["shear x", "rotate"]),
        ("region r load z 1 mass 1", ["load", "region"]),
        ("region r move 1 1 1", ["move", "region"]),
    ],
)
def test_bad_motion(lammps_error, words, named):
    message = lammps_error(
        f"{PLATE}region r block -1 1 -1 1 -1 1\nvariable many atom x\n"
        f"{wall(DRY, words)}timestep 1e-4\nrun 1\n"
    )
    for word in named:
        assert word in message


def test_oedometer_by_the_means_of_lammps(grains, tools):
    """In the reference, the lid is a region, and the script moves the lid before each `run 1`.

    The script uses the velocity Verlet scheme. The tolerance is wide because contacts amplify
    round-off.
    """
    law = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
    steps, step, force, mass, drag = 1000, 2e-4, -600.0, 30.0, 40.0
    move = MOVE.format(step=step, every=1)
    ours = f"{law} slider dsds"
    walls = "".join(
        f"fix {name} all wall/granular/plus {ours} {words}\n"
        for name, words in (("x", "xplane 0 5"), ("y", "yplane 0 5"), ("z", "zplane 0 NULL"))
    )
    lid = wall(ours, f"zplane NULL 4.5 load z {force} mass {mass} drag {drag}")
    pair = f"pair_style granular/plus ledger yes\npair_coeff * * {ours}\n"
    one = run(grains, f"{START}{pair}{walls}{lid}{move}run {steps}\n{tools.dump_command('end')}")

    end, here = one.dump("end"), one.thermo[PLACE].iloc[-1]  # the second run overwrites the dump

    theirs = walls.replace("wall/granular/plus", "wall/gran granular").replace(ours, law)
    factor = 1 + 0.5 * step * drag / mass
    other = run(
        grains,
        f"""{START}pair_style granular
pair_coeff * * {law}
{theirs}
variable place equal 0.0
region lid plane 0 0 4.5 0 0 -1 units box move NULL NULL v_place
fix lid all wall/gran/region granular {law} region lid contacts
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
timestep {step}
compute push all reduce sum f_lid[4]
thermo_style custom step c_push
thermo 1
run 0 post no
variable speed equal 0.0
variable way equal 0.0
variable n loop {steps}
label begin
variable total equal {force}-$(c_push:%.17g)
variable half equal $((v_speed+0.5*{step}*v_total/{mass})/{factor}:%.17g)
variable way equal $(v_way+{step}*v_half:%.17g)
variable place equal ${{way}}
run 1 pre no post no
variable total equal {force}-$(c_push:%.17g)
variable speed equal $(v_half+0.5*{step}*(v_total-{drag}*v_half)/{mass}:%.17g)
next n
jump SELF begin
print "lid ${{way}} ${{speed}}"
{tools.dump_command("other")}""",
    )
    place = [float(w) for w in other.log.split("\nlid ")[1].split()[:2]]
    assert abs(place[0]) > 0.01
    assert here == pytest.approx(place[0], rel=1e-9)
    assert distance(end, other.dump("other")) < 1e-8


REDEFINED = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single 0 0 0.49
set group all diameter 1 density 1
pair_style zero 1.0
pair_coeff * *
variable u equal 5*time
variable k equal -5*time
variable r equal 0.2+5*time
{first}
fix f all wall/granular/plus hooke 1e4 5 tangential linear_history 5e3 1 0.5 region c
fix m all nve/sphere
timestep 1e-4
thermo_style custom step f_f[1] f_f[3]
thermo 1
run 3
region c delete
{second}
"""
SLIDES = "region c plane 0 0 0 0 0 1 move v_{} NULL NULL"
GROWS = "region c sphere 0 0 -0.2 v_r side out"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SLIDES.format("u"), SLIDES.format("k")),
        (SLIDES.format("u"), SLIDES.format("u")),
        (GROWS, GROWS),
        (SLIDES.format("u"), "region c plane 0 0 0 0 0 1"),
    ],
)
def test_a_region_defined_again_is_another_one(first, second):
    """The new region is at rest at setup, even if LAMMPS reuses the address of the old region."""
    run = engine.run(REDEFINED.format(first=first, second=second) + "run 3")
    assert "region c has changed between runs" in run.log
    script = REDEFINED.format(first=first, second="").replace("region c delete", "")
    before = engine.run(script + "run 3")
    assert "has changed" not in before.log
    setup, same = (r.thermo.drop_duplicates("Step", keep="last") for r in (run, before))
    if first.startswith(SLIDES.format("u")):
        slip = same["f_f[1]"].iloc[3] - setup["f_f[1]"].iloc[3]
        assert abs(slip) > 0.5


def test_a_region_deleted_before_run_pre_no_is_missed(lammps_error):
    """With `run pre no`, regions are not looked up, so using a deleted region would crash."""
    for second in ("", SLIDES.format("k")):
        script = REDEFINED.format(first=SLIDES.format("u"), second=second)
        message = lammps_error(script + "\nrun 3 pre no")
        assert "region c has been deleted or defined again" in message


def test_a_variable_deleted_before_run_pre_no_is_missed(lammps_error):
    script = REDEFINED.format(first="", second="variable u delete\nrun 3 pre no")
    script = script.replace("region c\n", "zplane 0 NULL move v_u NULL NULL\n")
    message = lammps_error(script.replace("region c delete", ""))
    assert "v_u has been deleted since the last run" in message
