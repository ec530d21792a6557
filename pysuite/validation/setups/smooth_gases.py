"""Gases of smooth, linearly elastic spheres that approximate hard spheres.

Mass and temperature at the start are 1. Spheres begin on a lattice and forget it while they are
elastic.
"""

from __future__ import annotations

from typing import NamedTuple

from pysuite import statistics
from pysuite.statistics import Interval
from pysuite.validation.references import gases
from pysuite.validation.seeds import seed

STEPS = 20  # in a collision

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
    """What gases have in common that are compared.

    Attributes:
        fraction: of the box that spheres fill.
        side: spheres along an edge.
        collision_time: of two spheres.
        mix: time in which the lattice is forgotten.
        seeds: number to which that of the gas is added for its random numbers.
        temperature: of the start.
        diameter: of the spheres; see `gases.soft_diameter`.
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
        """Return the number of steps that last a time, a multiple of 5."""
        return 5 * round(time / self.step / 5)

    def start(self, number: int, *, tilted: bool = False) -> str:
        """Return the script that lets a gas mix; its box can be sheared if it is tilted."""
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
        """Of the springs."""
        return gases.stiffness(self.collision_time)

    def inelastic(self, restitution: float) -> str:
        """Return the commands that give collisions a restitution, at any speed the same."""
        return INELASTIC.format(stiffness=self.stiffness, restitution=restitution)

    def seeds_of(self, count: int) -> str:
        """Return in words the seeds of so many gases."""
        return f"{seed(self.seeds)} to {seed(self.seeds + count - 1)}"


def hard(
    short: list[float], long: list[float], longer: float, level: float = statistics.LEVEL
) -> Interval:
    """Return what hard spheres would give: the error is of first order in the collision time.

    `short` and `long` are those of as many gases, collisions of the latter `longer` times as long.
    """
    pairs = zip(short, long, strict=True)
    return statistics.mean([(longer * s - w) / (longer - 1.0) for s, w in pairs], level, "gases")
