"""Twisting springs: Marshall's stiffness, loading of springs at setup, limits of the time step."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pysuite import engine

DUST = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -{size!r} {size!r} -{size!r} {size!r} -{size!r} {size!r}
create_box 1 box
neighbor {skin!r} bin
create_atoms 1 single 0 0 {height!r}
set group all diameter {diameter!r}
set group all mass {mass!r}
set group all omega 0 0 1
pair_style granular/plus ledger yes
pair_coeff * * {model}
fix floor all wall/granular/plus {model} zplane 0 NULL
fix move all nve/sphere
timestep {step!r}
compute spin all property/atom omegaz
compute fastest all reduce max c_spin
compute ledger all granular/ledger
thermo_style custom step c_fastest c_ledger[*]
thermo_modify format float %.17g norm no
thermo 100
run 4000
"""


def spinning_dust(law: str, metre: float) -> engine.Run:
    """Run a grain with a radius of 5 micrometres that spins on a floor at 1/s.

    `metre` is the length unit of the simulation in metres.
    """
    radius, density, modulus = 5e-6, 2500.0, 5e7
    mass = 4 / 3 * np.pi * radius**3 * density
    stiffness = modulus / 2 / (1 - 0.3**2)
    step = 2.94 * (mass**2 / (radius * stiffness**2 * 0.05)) ** 0.2 / 60
    contact = float(np.sqrt(radius * 1e-3 * radius))
    shear = 8 * modulus / 2 / 1.3 / (2 - 0.3) / 2
    if law == "sds":
        law = f"sds {0.5 * shear * contact**3 / metre**2!r} 0 {0.5 * 2 / 3 * contact / metre!r}"
    eta = float(1e-3 / step / radius * metre)
    model = f"jkr {modulus * metre!r} {eta!r} 0.3 0.02 tangential mindlin NULL 0.3 0.5"
    size = radius / metre
    return engine.run(
        DUST.format(
            size=4 * size,
            skin=0.3 * size,
            height=0.999 * size,
            diameter=2 * size,
            mass=float(mass),
            step=float(step),
            model=f"{model} twisting {law}",
        )
    )


@pytest.mark.parametrize("law", ["marshall", "marshall slider truncate", "sds"])
def test_a_spinning_grain_stays_slow_in_any_unit_of_length(law):
    """If the dimension of the stiffness were wrong, the grain would spin at 25,000/s.

    This would happen in a simulation with lengths in metres.
    """
    for metre in (1.0, 1e-6):
        thermo = spinning_dust(law, metre).thermo
        assert thermo["c_fastest"].abs().max() <= 1.0 + 1e-9


SETUP = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
region box block -9 9 -9 9 -9 9
create_box 1 box
create_atoms 1 single 0 0 {first}
create_atoms 1 single 0 0 {second}
set group all diameter 1 density 1.2
set atom 1 omega 0 0 3
set atom 2 vz -3
{commands}
fix move all nve/sphere
timestep 1e-4
compute torque all property/atom tqz
compute largest all reduce maxabs c_torque
thermo_style custom step c_largest
thermo_modify format float %.17g
thermo 1
run 3
"""
MODEL = "hertz 4e5 20 tangential linear_nohistory 0 0 twisting sds 1e2 1 0.05"
PAIR = f"pair_style granular\npair_coeff * * {MODEL}"
WALL = (
    "pair_style zero 2\npair_coeff * *\n"
    f"fix wall all wall/gran granular {MODEL} zplane -0.4999 NULL"
)


@pytest.mark.parametrize(
    ("commands", "places"),
    [(PAIR, (0, 0.9999)), (WALL, (0, 3))],
    ids=["pair", "wall"],
)
def test_a_twist_at_its_limit_in_the_first_setup_is_that_of_lammps(commands, places):
    """As in LAMMPS, contacts that begin at setup load their springs already at setup."""
    script = SETUP.format(commands=commands, first=places[0], second=places[1])
    theirs, ours = (
        engine.run(start + script).thermo["c_largest"].to_numpy()
        for start in ("", "suffix plus/dsds\n")
    )
    assert np.ptp(theirs) > 0.0
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    if commands is PAIR:
        np.testing.assert_allclose(theirs[1:], [0.04469, 0.07455, 0.10430], rtol=2e-4)


def test_the_ledger_closes_where_a_twist_begins_in_setup():
    """Springs are loaded at setup, as in LAMMPS. The ledger books their energy as created."""
    ledger = "pair_style granular/plus ledger yes\npair_coeff * * {}\ncompute l all granular/ledger"
    commands = ledger.format(f"{MODEL} slider dsds")
    script = SETUP.format(commands=commands, first=0, second=0.9999)
    script = script.replace("step c_largest", "step c_l[*]").replace("run 3", "run 200")
    found = engine.run(script).ledger
    kinetic = found["kinetic_translation"].iloc[0]
    assert abs(found["residual"]).max() <= 1e-4 * kinetic


RESTING = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -0.1 0.1 -0.1 0.1 -0.1 0.1
create_box 1 box
create_atoms 1 single 0 0 0.0033999
set group all diameter 0.0068 density 2650
set group all omega 1e-6 0 1e-6
pair_style granular/plus
pair_coeff * * {law}
fix floor all wall/granular/plus {law} zplane 0 NULL
fix move all nve/sphere
fix weight all gravity 9.81 vector 0 0 -1
timestep {step!r}
compute spin all erotate/sphere
thermo_style custom step c_spin
thermo 1000
run 20000
"""
RADIUS, STEP = 0.0034, 4.37e-7
INERTIA = 0.4 * 2650 * 4 / 3 * np.pi * RADIUS**5
HOOKE = "hooke 2.95e6 0.3 damping coeff_restitution tangential linear_history 2.95e5 0 0.577"


@pytest.mark.parametrize("kind", ["rolling", "twisting"])
def test_springs_too_stiff_for_the_time_step_are_warned_of(kind):
    """Twisting needs (gamma + k dt) dt < 2 I. For rolling, the left side is multiplied by R^2."""
    arm = RADIUS**2 if kind == "rolling" else 1.0
    warned = re.compile(rf"fix floor.*the {kind} spring or dashpot is too strong.* is (\S+) times")
    for share in (0.1, 0.98, 1.02, 6.0):
        stiffness = share * 2 * INERTIA / STEP**2 / arm
        text = RESTING.format(law=f"{HOOKE} {kind} sds {stiffness!r} 0 1.4", step=STEP)
        run = engine.run(text)
        told = [m for line in run.log.splitlines() if (m := warned.search(line))]
        assert len(told) == (share > 1)
        if told:
            assert float(told[0][1]) == pytest.approx(share, rel=6e-3)
        spin = run.thermo["c_spin"]
        if share == 6.0:
            assert spin.max() > 1e3 * spin.iloc[0]
        elif share < 1.0:
            assert spin.max() <= 2.0 * spin.iloc[0]


def test_a_dashpot_too_strong_for_the_time_step_is_warned_of():
    for share, warned in ((0.98, False), (1.02, True)):
        damping = share * 2 * INERTIA / STEP
        text = RESTING.format(law=f"{HOOKE} twisting sds 0 {damping!r} 1.4", step=STEP)
        log = engine.run(text.replace("run 20000", "run 1")).log
        told = re.search("fix floor.*the twisting spring or dashpot is too strong", log)
        assert bool(told) == warned


TWO_TYPES = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 2 box
create_atoms 1 single 0 0 0
create_atoms 2 single 2 0 0
set group all diameter 1 mass 1
pair_style granular/plus
pair_coeff 1 1 hooke 1e6 0 tangential linear_nohistory 0 0
pair_coeff 2 2 hooke 1e4 0 tangential linear_nohistory 0 0 twisting sds 1e5 0 1
pair_coeff 1 2 hooke 1e5 0 tangential linear_nohistory 0 0
fix move all nve/sphere
timestep 2e-3
run 0
"""


def test_every_model_is_checked_and_not_only_that_of_the_shortest_collision():
    log = engine.run(
        TWO_TYPES.replace("2 single 2 0 0", "2 single 2 0 0\ncreate_atoms 2 single 0 2 0")
    ).log
    [line] = [line for line in log.splitlines() if "spring or dashpot is too strong" in line]
    assert "types 2 2: the twisting" in line
