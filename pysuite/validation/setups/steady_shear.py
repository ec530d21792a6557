"""Homogeneous simple shear of equal spheres under a constant pressure on the planes of shear.

A periodic box is sheared with Lees-Edwards boundary conditions. The flow is along x, and the
velocity gradient is along y. The height of the box is controlled to keep the pressure constant.
Units are the diameter and the mass of a sphere, and the pressure. In these units, the shear rate is
equal to the inertial number.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pysuite.validation import Context
from pysuite.validation.seeds import seed

Array = NDArray[np.float64]

STEP = 0.1  # time step / (mass/stiffness)^(1/2); a collision takes 22 steps
GAIN = 0.05  # rate of change of the height / error of the pressure
BLOCK = 0.25  # strain during a block of time
LOOSE, PACKED = 0.5, 0.58  # solid fraction of the lattice; solid fraction when the shear starts
EVERY, COUNTS = 20, 5  # steps between samples of the stress; samples of contacts per block
INERTIA = 0.1  # moment of inertia of a solid sphere
SPHERE = np.pi / 6.0  # volume of a sphere

START = """
units lj
atom_style sphere
boundary p p p
newton off
comm_modify vel yes
lattice sc {density:.17g}
region box prism 0 {side} 0 {side} 0 {side} 0 0 0
create_box 1 box
create_atoms 1 box
set group all diameter 1 mass 1
velocity all create 1.0 {seed} mom yes dist gaussian loop geom
pair_style granular/plus
pair_coeff * * hooke {stiffness:.17g} {restitution:.17g} damping coeff_restitution &
  tangential linear_history {tangential:.17g} 0.5 {friction:.17g} slider {slider}
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
fix move all nve/sphere
timestep {step:.17g}
thermo 1000000
fix squeeze all deform 1 x scale {smaller:.17g} y scale {smaller:.17g} z scale {smaller:.17g} &
  remap x
run 10000
unfix squeeze
compute touching all contact/atom
compute contacts all reduce ave c_touching
compute turning all property/atom omegaz
compute spin all reduce sum c_turning
variable fraction equal count(all)*PI/6/vol
"""
STAGE = """
reset_timestep 0
velocity all ramp vx $({faster:.17g}*ylo:%.17g) $({faster:.17g}*yhi:%.17g) y $(ylo:%.17g) &
  $(yhi:%.17g) sum yes units box
fix shear all deform/pressure 1 y pressure 1 {gain} xy erate {rate:.17g} remap v flip yes
compute peculiar all temp/deform
compute stress all pressure peculiar
fix mean all ave/time {every} {samples} {steps} c_stress[2] c_stress[4] v_fraction &
  file stress-{number} format " %.17g"
fix count all ave/time {between} {counts} {steps} c_contacts file contacts-{number} format " %.17g"
fix ends all ave/time {steps} 1 {steps} c_spin file spin-{number} format " %.17g"
{runs}
unfix ends
unfix count
unfix mean
uncompute stress
uncompute peculiar
unfix shear
"""


class Spheres(NamedTuple):
    """Properties of the spheres.

    `side` is the number of spheres along an edge of the initial lattice. The stiffness is in units
    of pressure times diameter.
    """

    side: int
    friction: float
    restitution: float
    slider: str = "csds"
    stiffness: float = 1000.0

    @property
    def step(self) -> float:
        """Time step."""
        return STEP / self.stiffness**0.5


class Stage(NamedTuple):
    """Shear at one inertial number. A stage starts from the packing of the previous stage.

    The stage consists of a transient and a measurement. `transient` is the strain during the
    transient, and `strain` is the strain during the measurement.
    """

    inertia: float
    transient: float
    strain: float

    def steps(self, spheres: Spheres) -> int:
        """Return the number of steps in a block of time."""
        unit = EVERY * COUNTS
        return unit * max(1, round(BLOCK / self.inertia / spheres.step / unit))

    def shorter(self, factor: float) -> Stage:
        """Return the stage with `strain` multiplied by `factor`. The new strain is at least 2."""
        return self._replace(strain=max(2.0, factor * self.strain))

    @property
    def blocks(self) -> int:
        """Number of blocks, including the blocks of the transient."""
        return round((self.transient + self.strain) / BLOCK)


class Flow(NamedTuple):
    """Means over each block of time after the transient. The arrays have one entry per block.

    Attributes:
        inertia: inertial number of the stage (a scalar).
        pressure: normal stress on planes normal to y.
        shear: stress along the flow on planes normal to y.
        fraction: solid fraction.
        contacts: number of contacts per sphere, including spheres that bear no load.
    """

    inertia: float
    pressure: Array
    shear: Array
    fraction: Array
    contacts: Array

    @property
    def ratio(self) -> Array:
        """Shear stress / pressure in each block."""
        return self.shear / self.pressure


def script(spheres: Spheres, stages: Sequence[Stage], number: int) -> str:
    """Return the commands that shear the spheres in stages. The seed depends on `number`."""
    text = START.format(
        density=LOOSE / SPHERE,
        side=spheres.side,
        seed=seed(number),
        stiffness=spheres.stiffness,
        restitution=spheres.restitution,
        tangential=2.0 / 7.0 * spheres.stiffness,
        friction=spheres.friction,
        slider=spheres.slider,
        step=spheres.step,
        smaller=(LOOSE / PACKED) ** (1.0 / 3.0),
    )
    before = 0.0
    for position, stage in enumerate(stages):
        steps = stage.steps(spheres)
        text += STAGE.format(
            faster=stage.inertia - before,
            rate=stage.inertia,
            gain=GAIN,
            every=EVERY,
            samples=steps // EVERY,
            steps=steps,
            between=steps // COUNTS,
            counts=COUNTS,
            number=position,
            runs="\n".join([f"run {steps}"] * stage.blocks),
        )
        before = stage.inertia
    return text


def read(folder: Path, spheres: Spheres, stage: Stage, number: int) -> Flow:
    """Read the files that a stage has written. `number` is the index of the stage.

    LAMMPS sums x distances times y forces. However, the stress along the flow is the sum of y
    distances times x forces. The difference between the two sums is the torque on the spheres. It
    is calculated from the change of the spins.
    """
    _, pressure, across, fraction = np.loadtxt(folder / f"stress-{number}", ndmin=2).T
    contacts = np.loadtxt(folder / f"contacts-{number}", ndmin=2)[:, 1]
    spin = np.loadtxt(folder / f"spin-{number}", ndmin=2)[:, 1]
    first = max(1, round(stage.transient / BLOCK))
    count = min(len(fraction), len(contacts), len(spin))  # the run may have been stopped
    volume = spheres.side**3 * SPHERE / fraction[first:count]
    duration = stage.steps(spheres) * spheres.step
    torque = INERTIA * np.diff(spin)[first - 1 : count - 1] / duration
    return Flow(
        stage.inertia,
        pressure[first:count],
        -(across[first:count] + torque / volume),
        fraction[first:count],
        contacts[first:count],
    )


def flows(
    c: Context, spheres: Spheres, stages: Sequence[Stage], number: int, timeout: float = 10000.0
) -> list[Flow]:
    """Shear a packing in stages, and return the flow of each stage."""
    folder = c.lammps(script(spheres, stages, number), timeout=timeout).folder
    return [read(folder, spheres, stage, at) for at, stage in enumerate(stages)]


def strains(values: Array) -> Array:
    """Return the mean of each strain interval of length 1. The means are nearly uncorrelated."""
    count = round(1.0 / BLOCK)
    return values[len(values) % count :].reshape(-1, count).mean(axis=1)
