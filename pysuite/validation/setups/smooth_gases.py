"""Gases of smooth, linearly elastic spheres that approximate hard spheres.

The mass of a sphere is 1. At the start, the spheres are on a lattice. They collide elastically
until they are disordered.
"""

from __future__ import annotations

from typing import NamedTuple

from pysuite import statistics
from pysuite.statistics import Interval
from pysuite.validation.references import gases
from pysuite.validation.seeds import seed

STEPS = 20  # time steps per collision

START = """
units lj
atom_style sphere
boundary p p p
newton off
comm_modify vel yes
lattice sc {density:.17g}
region box {box} 0 {side} 0 {side} 0 {side} {tilt}
create_box 1 box
create_atoms 1 box
set group all diameter {diameter:.17g} mass 1
velocity all create {temperature:.17g} {seed} mom yes dist gaussian loop geom
pair_style granular/plus
pair_coeff * * hooke {stiffness:.17g} 0 tangential linear_nohistory 0 0
neighbor 0.35 bin
neigh_modify every 1 delay 0 check yes
fix move all nve/sphere
timestep {step:.17g}
thermo 1000000
run {mix}
reset_timestep 0
velocity all scale {temperature:.17g}
"""
INELASTIC = """
pair_coeff * * hooke {stiffness:.17g} {restitution:.17g} damping coeff_restitution &
  tangential linear_history 0 0 0 synchronized_verlet
"""


class Smooth(NamedTuple):
    """Common parameters of the compared gases.

    Attributes:
        fraction: solid fraction of the box.
        side: number of spheres along an edge of the initial lattice.
        mix: duration of the elastic collisions before the measurement.
        seeds: seed of the first gas.
    """

    fraction: float
    side: int
    collision_time: float
    mix: float
    seeds: int
    temperature: float = 1.0
    diameter: float = 1.0

    @property
    def step(self) -> float:
        """Time step."""
        return self.collision_time / STEPS

    def steps(self, time: float) -> int:
        """Return the number of steps in the time `time`, rounded to a multiple of 5."""
        return 5 * round(time / self.step / 5)

    def start(self, number: int, *, tilted: bool = False) -> str:
        """Return the script in which a gas becomes disordered.

        With `tilted`, the box can be sheared.
        """
        return START.format(
            density=gases.number_density(self.fraction),
            box="prism" if tilted else "block",
            tilt="0 0 0" if tilted else "",
            side=self.side,
            diameter=self.diameter,
            temperature=self.temperature,
            seed=seed(self.seeds + number),
            stiffness=self.stiffness,
            step=self.step,
            mix=round(self.mix / self.step),
        )

    @property
    def stiffness(self) -> float:
        """Stiffness of the springs."""
        return gases.stiffness(self.collision_time)

    def inelastic(self, restitution: float) -> str:
        """Return the commands for contacts with a constant restitution."""
        return INELASTIC.format(stiffness=self.stiffness, restitution=restitution)

    def seeds_of(self, count: int) -> str:
        """Return the range of the seeds of the first `count` gases as text."""
        return f"{seed(self.seeds)} to {seed(self.seeds + count - 1)}"


def hard(
    short: list[float], long: list[float], longer: float, level: float = statistics.LEVEL
) -> Interval:
    """Extrapolate values to hard spheres. Return the mean.

    `short` and `long` contain the values for two collision times. The longer time is `longer` times
    the shorter time. Both lists have the same length. The errors of the values are assumed to be
    proportional to the collision time.
    """
    pairs = zip(short, long, strict=True)
    return statistics.mean([(longer * s - w) / (longer - 1.0) for s, w in pairs], level, "gases")
