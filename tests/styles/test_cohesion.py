"""JKR contacts form when grains touch. Stretched contacts break at the largest tension."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine

MODULUS, POISSON, ENERGY = 1.0e4, 0.25, 50.0
EFFECTIVE_MODULUS = MODULUS / (2 * (1 - POISSON**2))
# gap at which the tension is largest
REACH = (3 / 16 * np.pi**2 * ENERGY**2 * 0.25 / EFFECTIVE_MODULUS**2) ** (1 / 3)

TWO = f"""
units lj
atom_style sphere
comm_modify vel yes
newton ${{newton}}
boundary f f f
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single ${{start}} 0 0
set group all diameter 1 density 1
neighbor 0.05 bin
neigh_modify every 5 delay 0 check no
pair_style granular/plus
pair_coeff * * jkr {MODULUS} 0 {POISSON} {ENERGY} tangential linear_nohistory 0 0
group one id 1
group two id 2
timestep 1e-3
thermo 1
variable gap equal x[2]-x[1]-1
variable pull equal fx[1]
thermo_style custom step v_gap v_pull
thermo_modify format float %.17g
fix hold one move linear 0 0 0
fix move two move linear ${{speed}} 0 0
run ${{steps}}
"""


def pull(start: float, speed: float, steps: int = 400, newton: str = "on", ranks: int = 1):
    """Return, for each step, the gap and the force that pulls grain 1 towards grain 2."""
    variables = {"start": start, "speed": speed, "steps": steps, "newton": newton}
    script = "atom_modify map array\n" + TWO
    thermo = engine.run(script.lstrip(), variables=variables, ranks=ranks).thermo
    return thermo["v_gap"].to_numpy(), thermo["v_pull"].to_numpy()


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2)])
def test_a_contact_forms_at_touch_and_breaks_at_the_largest_tension(newton, ranks):
    steps = 400
    speed = 2 * REACH / (steps * 1e-3)
    gap, force = pull(1 + REACH + 1e-6, -speed, steps, newton, ranks)
    assert (force[gap > 0] == 0.0).all()
    assert (force[gap < 0] != 0.0).all()
    assert force[gap < 0][0] == pytest.approx(8 / 3 * np.pi * ENERGY * 0.25, rel=0.02)

    gap, force = pull(1 - REACH, 2.2 / 2 * speed, steps, newton, ranks)
    assert gap[-1] > REACH
    acts = gap < REACH
    assert (force[~acts] == 0.0).all()
    assert (force[acts & (gap > 0)] > 0.0).all()
    assert force[acts][-1] == force.max()
    assert force.max() == pytest.approx(3 * np.pi * ENERGY * 0.25, rel=1e-4)


def test_a_contact_that_touches_at_the_start_lives_on():
    """Setup must record the contact, because the contact attracts across a gap in the next step."""
    gap, force = pull(1 - 1e-9, 1e-3, steps=3)
    assert gap[0] < 0 < gap[1] < REACH
    assert (force > 0.0).all()


def test_a_stretched_contact_lives_on_through_runs_and_run_0():
    speed = REACH / 0.4
    once = pull(1 - 1e-4, speed, steps=200)
    pieces = TWO.replace("run ${steps}", "run 100\nrun 0\nrun 100")
    variables = {"start": 1 - 1e-4, "speed": speed, "newton": "on"}
    run = engine.run("atom_modify map array\n" + pieces.lstrip(), variables=variables)
    np.testing.assert_allclose(run.thermo["v_pull"].iloc[-1], once[1][-1], rtol=1e-12)
    assert once[1][-1] > 0.0
    assert once[0][-1] > 0.4 * REACH
