"""Two grains conduct heat while they touch, and heat each other when they collide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pysuite.validation import Case, Context

RADIUS, DENSITY = 0.5, 2.0
MASS = 4.0 / 3.0 * np.pi * RADIUS**3 * DENSITY
CAPACITY = 3.0  # heat per mass and temperature
OVERLAP = 0.01
COEFFICIENT, PART = 0.8, 0.7  # conduction coefficient; fraction of the losses that becomes heat
CONTACT_RADIUS = np.sqrt(0.5 * RADIUS * OVERLAP)
CONDUCTANCES = {
    "radius": 2.0 * COEFFICIENT * CONTACT_RADIUS,
    "area": COEFFICIENT * np.pi * CONTACT_RADIUS**2,
}
HOT, COLD = 5.0, 1.0
STEPS = 2000

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {distance:.17g} 0 0
set group all diameter {diameter} density {density}
fix heat all property/atom temperature heatflow ghost yes
set atom 1 temperature {first}
set atom 2 temperature {second}
pair_style granular/plus
pair_coeff * * hertz/material 1e4 0.5 0.3 damping tsuji &
    tangential mindlin_rescale/force NULL 1 0.3 heat {heat}
fix flow all heat/flow constant {capacity}
timestep {step:.17g}
{motion}
compute heat all property/atom temperature
run {steps}
write_dump all custom end id c_heat vx vy vz omegax omegay omegaz &
    modify sort id format float %.17g
"""
AT_REST = "fix hold all move linear 0 0 0"
IMPACT = """
velocity all set 0 0 0
group two id 2
velocity two set -1 0.8 0
fix move all nve/sphere
"""


class End(NamedTuple):
    """Temperatures and kinetic energy of both grains."""

    temperature: np.ndarray
    energy: float


def simulate(c: Context, heat: str, impact: bool, step: float) -> End:
    run = c.lammps(
        SCRIPT.format(
            distance=2.0 * RADIUS + (1e-6 if impact else -OVERLAP),
            diameter=2.0 * RADIUS,
            density=DENSITY,
            first=0.0 if impact else HOT,
            second=0.0 if impact else COLD,
            heat=heat,
            capacity=CAPACITY,
            step=step,
            motion=IMPACT if impact else AT_REST,
            steps=10 * STEPS if impact else STEPS,
        )
    )
    end = run.dump("end")
    velocity, spin = (end[[name + axis for axis in "xyz"]].to_numpy() for name in ("v", "omega"))
    energy = 0.5 * MASS * ((velocity**2).sum() + 0.4 * RADIUS**2 * (spin**2).sum())
    return End(end["c_heat"].to_numpy(), float(energy))


def judge_conduction(c: Context) -> None:
    for name, conductance in CONDUCTANCES.items():
        # relative decrease of the temperature difference in a step
        part = 1e-3
        step = 0.5 * part * CAPACITY * MASS / conductance
        end = simulate(c, f"{name} {COEFFICIENT * c['conductivity']}", False, step)
        middle = 0.5 * (HOT + COLD)
        left = 0.5 * (HOT - COLD) * (1.0 - part) ** STEPS
        c.check_close(
            f"heat {name}: temperatures of two touching grains, largest error / initial difference",
            end.temperature,
            [middle + left, middle - left],
            scale=HOT - COLD,
            tolerance=1e-10,
            reason="only round-off: the reference is Newton's law of cooling in discrete steps",
        )


def judge_friction(c: Context) -> None:
    before = 0.5 * MASS * (1.0 + 0.8**2)
    for name in ("none", "radius", "area"):
        words = name if name == "none" else f"{name} {COEFFICIENT}"
        end = simulate(c, f"{words} friction {PART}", True, 5e-5)
        lost = before - end.energy
        c.check(
            f"heat {name}: ratio of both grains' heat after an impact to the energy lost",
            measured=CAPACITY * MASS * end.temperature.sum() / lost,
            reference=PART,
            tolerance=2e-3,
            reason="the time step, 1/1000 of a collision, causes the error",
        )
        c.check(
            f"heat {name}: energy lost in the impact, fraction of the initial energy",
            measured=lost / before,
            reference=0.1,
            kind="at_least",
            reason="without a loss of energy, the previous check would test nothing",
        )


def run(c: Context) -> None:
    judge_conduction(c)
    judge_friction(c)


CASE = Case(
    name="heat-of-contacts",
    title="Contacts conduct heat, and their dissipation heats the grains",
    source="[vargas2001]; balance of energy",
    tier="smoke",
    parameters={"conductivity": 1.0},
    spoil={"conductivity": 1.02},
    run=run,
)
