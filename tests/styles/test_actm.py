"""The normal law actm in LAMMPS: collisions, restart, ranks, time steps, output and warnings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import damped_hertz, engine
from pysuite.outputs import pair_local
from pysuite.validation.references import actm

TIME, SPEED = 0.02, 0.5
FRICTIONLESS = "tangential linear_nohistory 0 0"

# The two spheres have an effective mass of 1/2 and an effective radius of 1/4. They first touch in
# the middle of a step.
IMPACT = """
units lj
atom_style sphere
atom_modify map array
processors * 1 1
boundary f f f
comm_modify vel yes
newton {newton}
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single -{place:.17g} 0 0
create_atoms 1 single {place:.17g} 0 0
set group all diameter 1 mass 1
set atom 1 vx {half}
set atom 2 vx -{half}
pair_style granular/plus
pair_coeff * * {law}
fix move all nve/sphere
timestep {step}
thermo_modify norm no
variable gap equal x[2]-x[1]-1
variable away equal vx[2]-vx[1]
thermo_style custom step v_gap v_away
thermo_modify format float %.17g
thermo 1
"""


def impact(
    law: str,
    *,
    per_time: int = 200,
    time: float = TIME,
    speed: float = SPEED,
    newton: str = "on",
    run: str = "run {steps}",
    **options: object,
) -> pd.DataFrame:
    step = time / per_time
    script = IMPACT.format(
        law=law, step=step, place=0.5 + 0.25 * speed * step, half=0.5 * speed, newton=newton
    )
    script += run.format(steps=round(1.3 * per_time), half=round(0.6 * per_time))
    thermo = engine.run(script, **options).thermo
    table = thermo.drop_duplicates("Step", keep="last").reset_index(drop=True)
    table["time"] = step * table["Step"]
    return table


def outcome(table: pd.DataFrame, speed: float = SPEED) -> tuple[float, float]:
    """Return the coefficient of restitution and the collision time."""
    gap, time = table["v_gap"].to_numpy(), table["time"].to_numpy()
    inside = np.nonzero(gap < 0)[0]
    first, last = inside[0] - 1, inside[-1]
    begin, end = (
        time[k] + (time[k + 1] - time[k]) * gap[k] / (gap[k] - gap[k + 1]) for k in (first, last)
    )
    return table["v_away"].iloc[-1] / speed, end - begin


@pytest.mark.parametrize("e", [0.3, 0.5, 0.8, 0.95, 1.0])
def test_restitution_and_collision_time_at_200_steps(e):
    found, time = outcome(impact(f"actm {TIME} {e} NULL 0.3 {FRICTIONLESS}"))
    assert found == pytest.approx(e, rel=1e-3)
    assert time == pytest.approx(TIME, rel=1e-2)


def test_errors_fall_with_the_time_step():
    errors = []
    for per_time in (50, 100, 200, 400):
        table = impact(f"actm {TIME} 0.5 NULL 0.3 {FRICTIONLESS}", per_time=per_time)
        found, time = outcome(table)
        errors.append((abs(found / 0.5 - 1), abs(time / TIME - 1)))
    print(errors)
    assert errors[-1][0] < 0.3 * errors[0][0]
    assert errors[-1][1] < 0.3 * errors[0][1]


def test_steps_follow_the_time_step_in_force():
    law = f"actm steps 200 0.7 NULL 0.3 {FRICTIONLESS}"
    expected = impact(f"actm {TIME} 0.7 NULL 0.3 {FRICTIONLESS}")
    given = impact(law)
    np.testing.assert_allclose(given["v_gap"], expected["v_gap"], rtol=0, atol=1e-15)
    halves = impact(law, run=f"timestep 1\nrun 0\ntimestep {TIME / 200}\nrun {{steps}}")
    np.testing.assert_allclose(
        halves["v_gap"].iloc[1:], expected["v_gap"].iloc[1:], rtol=0, atol=1e-15
    )
    step, quick = TIME / 200, TIME / 400
    reset = impact(law, run=f"fix reset all dt/reset 1 NULL {quick} 1\nrun 0\nrun {{steps}}")
    reset["time"] = quick * reset["Step"]
    assert outcome(reset)[1] == pytest.approx(0.5 * TIME, rel=0.02)
    assert step != quick


@pytest.mark.parametrize("e", [1.0, 0.6])
def test_bound_of_the_material_is_a_hertz_contact_with_that_restitution(e):
    """Trajectories equal those of the law `hertz` with a dashpot for this restitution.

    If e < 1, the trajectories agree only for small time steps, because the damping law `velocity`
    uses velocities from half a step earlier.
    """
    modulus, poisson = 4e4, 0.3
    stiffness = 4 / 3 * modulus / (2 * (1 - poisson**2))
    unit = (0.5**2 / ((stiffness * 0.5) ** 2 * SPEED)) ** 0.2
    damping = 2 * damped_hertz.damping_for(e) * 0.5 / unit
    time = unit * float(damped_hertz.collide(damped_hertz.damping_for(e)).duration)
    differences = []
    for per_time in (100, 200, 400):
        bounded, hertz = (
            impact(f"{law} {FRICTIONLESS}", time=time, per_time=per_time)
            for law in (
                f"actm {0.1 * time} {e} {modulus} {poisson}",
                f"hertz {stiffness} {damping!r} damping velocity",
            )
        )
        inside = (hertz["v_gap"] < 0) & (bounded["v_gap"] < 0)
        assert inside.sum() > 0.95 * per_time
        difference = (bounded["v_gap"] - hertz["v_gap"])[inside].abs().max()
        differences.append(difference / -hertz["v_gap"].min())
    print(differences)
    if e == 1.0:
        assert max(differences) < 1e-12
    else:
        assert differences[1] < 0.02
        assert differences[2] == pytest.approx(0.25 * differences[0], rel=0.1)
    assert outcome(bounded)[0] == pytest.approx(e, rel=1e-3)


def test_a_sphere_against_a_frozen_one_has_its_whole_mass():
    law = f"actm {TIME} 0.7 NULL 0.3 {FRICTIONLESS}"
    table = impact(law, run="group wall id 1\nset atom 1 vx 0\nset atom 2 vx -0.5\n"
                   "fix wall wall freeze\nrun {steps}")  # fmt: skip
    found, time = outcome(table)
    assert found == pytest.approx(0.7, rel=1e-3)
    assert time == pytest.approx(TIME, rel=1e-2)


@pytest.mark.parametrize("file", ["command", "periodic"])
def test_restart_in_the_middle_of_a_contact(tmp_path, file):
    law = f"actm {TIME} 0.5 NULL 0.3 tangential mindlin NULL 0.5 0.3"
    whole = impact(
        law, folder=tmp_path, run="restart {half} periodic\nrun {half}\n"
        "write_restart command\nrestart 0\nrun $({steps}-{half})",
    ).iloc[-1]  # fmt: skip
    name = "command" if file == "command" else f"periodic.{round(0.6 * 200)}"
    script = f"""
atom_modify map array
comm_modify vel yes
read_restart {tmp_path / name}
fix move all nve/sphere
timestep {TIME / 200}
variable gap equal x[2]-x[1]-1
variable away equal vx[2]-vx[1]
thermo_style custom step v_gap v_away
thermo_modify format float %.17g
run {round(1.3 * 200) - round(0.6 * 200)}
"""
    again = engine.run(script).thermo.iloc[-1]
    assert again["v_gap"] == whole["v_gap"]
    assert again["v_away"] == whole["v_away"]


@pytest.mark.parametrize("newton", ["on", "off"])
def test_contact_across_a_rank_boundary(newton):
    law = f"actm {TIME} 0.5 NULL 0.3 {FRICTIONLESS}"
    one = impact(law)
    two = impact(law, ranks=2, newton=newton)
    np.testing.assert_allclose(two["v_gap"], one["v_gap"], rtol=0, atol=1e-13)


def test_two_contacts_at_once():
    """Two spheres hit a third one from both sides.

    By symmetry, the middle sphere stays at rest and acts like a body of infinite mass. The law
    calculates stiffness and damping from the effective mass of a pair. The exact solution uses
    this stiffness and damping, and the mass of one sphere.
    """
    law = f"actm {TIME} 0.6 NULL 0.3 {FRICTIONLESS}"
    more = "create_atoms 1 single {x:.17g} 0 0\nset atom 3 diameter 1 mass 1 vx {v}\n"
    place = 0.5 + 0.25 * SPEED * TIME / 200
    more = more.format(x=3 * place, v=-SPEED)
    table = impact(
        law, run=f"set atom 1 vx {SPEED}\nset atom 2 vx 0\n{more}run 400"
    )  # fmt: skip
    # the law calculates k and d for the effective mass 1/2, but the mass of the moving sphere is 1
    stiffness, damping = actm.exact_contact(0.6, TIME, SPEED, 0.5)
    found, _, _ = actm.resulting_collision(stiffness, damping, SPEED, 1.0)
    assert table["v_away"].iloc[-1] / SPEED == pytest.approx(found, rel=5e-3)


def test_a_contact_that_never_ends():
    law = f"actm {TIME} 0.5 1e9 0.3 {FRICTIONLESS}"
    table = impact(
        law, run="group wall id 1\nset atom 1 vx 0\nset atom 2 vx -0.05\n"
        "fix weight all gravity 1 vector -1 0 0\nfix wall wall freeze\nthermo 100\nrun 40000",
    )  # fmt: skip
    rest = table["v_gap"].iloc[-1]
    assert -1e-3 < rest < 0
    assert abs(table["v_away"].iloc[-1]) < 1e-6
    assert table["v_gap"].iloc[-20:].std() < 1e-3 * abs(rest)


@pytest.mark.parametrize(("steps", "modulus"), [(50, "NULL"), (20, "NULL"), (20, "1e12")])
def test_a_packing_from_a_start_without_history_comes_to_rest(packing, tools, steps, modulus):
    law = f"actm steps {steps} 0.5 {modulus} 0.25 tangential mindlin NULL 1 0.3"
    script = f"""{tools.setup}pair_style granular/plus\npair_coeff * * {law}{tools.move}
velocity all set 0 0 0
thermo_style custom step ke
thermo 1000
run 20000"""
    energy = packing.run(script).thermo["KinEng"]
    # the kinetic energy per grain would be 0.25 after a fall by one radius
    assert energy.max() < 0.04
    assert energy.iloc[-1] < 0.3 * energy.max()


KEPT = ["stiffness", "damping", "approach_speed", "contact_time", "largest_overlap"]
OUTPUT = f"""
compute kept all pair/local {pair_local(*KEPT)}
dump kept all local 1 kept c_kept[*]
dump_modify kept format float %.17g
"""


def contacts(law: str, ledger: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    script = IMPACT.format(
        law=law, step=TIME / 200, place=0.5 + 0.25 * SPEED * TIME / 200, half=0.5 * SPEED,
        newton="on",
    )  # fmt: skip
    script = script.replace("granular/plus", f"granular/plus ledger {ledger}")
    run = engine.run(f"{script}{OUTPUT}run 260")
    return run.local("kept")[KEPT], run.thermo


def test_what_pair_local_tells():
    law = f"actm {TIME} 0.5 NULL 0.3 {FRICTIONLESS}"
    kept, thermo = contacts(law, "collisions")
    exact = actm.exact_contact(0.5, TIME, SPEED, 0.5)
    stiffness, damping, speed, time, largest = kept.to_numpy().T
    np.testing.assert_allclose(stiffness * np.sqrt(0.25), exact.stiffness, rtol=1e-8)
    np.testing.assert_allclose(damping, exact.damping, rtol=1e-8)
    np.testing.assert_allclose(speed, SPEED, rtol=1e-12)
    assert time[-1] == pytest.approx(TIME, rel=1e-2)
    np.testing.assert_allclose(np.diff(time), TIME / 200, rtol=1e-9)
    assert largest[-1] == pytest.approx(-thermo["v_gap"].min(), rel=1e-12)
    for ledger in ("no", "yes"):
        without = contacts(law, ledger)[0].to_numpy()
        np.testing.assert_array_equal(without[:, :2], kept.to_numpy()[:, :2])
        assert (without[:, 2:] == 0.0).all()


def test_other_laws_tell_of_the_collision_too():
    kept, thermo = contacts(f"hertz 1e5 0 {FRICTIONLESS}", "collisions")
    stiffness, damping, speed, _, largest = kept.to_numpy().T
    assert (stiffness == 0.0).all()
    assert (damping == 0.0).all()
    np.testing.assert_allclose(speed, SPEED, rtol=1e-12)
    assert largest[-1] == pytest.approx(-thermo["v_gap"].min(), rel=1e-12)


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "off")])
def test_large_overlaps_are_reported_once(ranks, newton):
    def log(speed: float) -> str:
        script = IMPACT.format(
            law=f"actm 0.2 0.9 NULL 0.3 {FRICTIONLESS}", step=1e-3, place=0.6, half=0.5 * speed,
            newton=newton,
        )  # fmt: skip
        return engine.run(f"{script}thermo 100\nrun 600", ranks=ranks).log

    assert "overlap by more than 5 %" not in log(0.3)
    assert log(0.6).count("overlap by more than 5 %") == 1


def test_large_overlaps_at_walls_are_reported_once():
    def log(speed: float) -> str:
        script = f"""
        units lj
        atom_style sphere
        boundary f f f
        region box block -2 2 -2 2 -2 2
        create_box 1 box
        create_atoms 1 single 0 0 0
        set group all diameter 1 density 1
        velocity all set 0 0 -{speed}
        pair_style zero 1
        pair_coeff * *
        fix move all nve/sphere
        fix floor all wall/granular/plus actm 0.2 0.9 NULL 0.3 {FRICTIONLESS} zplane -0.6 NULL
        timestep 1e-3
        run 600
        """
        return engine.run(script).log

    assert "overlap by more than 5 %" not in log(0.25)
    assert log(1.0).count("overlap by more than 5 %") == 1


def test_limited_damping_is_warned_of():
    def log(option: str) -> str:
        script = IMPACT.format(
            law=f"actm 0.2 0.5 NULL 0.3 {FRICTIONLESS}{option}", step=1e-3, place=0.6, half=0.1,
            newton="on",
        )  # fmt: skip
        return engine.run(f"{script}run 1").log

    assert "with limit_damping" not in log("")
    assert "WARNING: granular/plus: with limit_damping" in log(" limit_damping")
    found = outcome(impact(f"actm {TIME} 0.5 NULL 0.3 {FRICTIONLESS} limit_damping"))[0]
    assert found == pytest.approx(0.5728, abs=1e-3)  # above 0.5, because contacts do not attract


@pytest.mark.parametrize(
    ("law", "named"),
    [
        ("actm 1e-3 0 1e6 0.3", ["e = 0", ">= 0.01"]),
        ("actm 1e-3 1.01 1e6 0.3", ["e = 1.01", "<= 1"]),
        ("actm 1e-3 0.005 1e6 0.3", ["e = 0.005", ">= 0.01"]),
        ("actm 0 0.5 1e6 0.3", ["Tc = 0", "> 0"]),
        ("actm 1e-3 0.5 1e6 0.3 damping tsuji", ["damping tsuji", "actm"]),
    ],
)
def test_bad_input_is_a_lammps_error(lammps_error, law, named):
    message = lammps_error(
        "atom_style sphere\ncomm_modify vel yes\nregion box block 0 1 0 1 0 1\n"
        f"create_box 1 box\npair_style granular/plus\npair_coeff * * {law} {FRICTIONLESS}"
    )
    for word in ["granular/plus", *named]:
        assert word in message
