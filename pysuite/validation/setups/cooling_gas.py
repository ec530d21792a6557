"""A gas of rough spheres that cools by collisions.

At the start, the velocities are Maxwellian and the spins are 0. Diameter and mass of the spheres
are 1. The box is periodic.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pysuite.validation import Context
from pysuite.validation.seeds import seed

SCRIPT = """
units lj
atom_style sphere
boundary p p p
comm_modify vel yes
region box block 0 {edge:.17g} 0 {edge:.17g} 0 {edge:.17g}
create_box 1 box
create_atoms 1 random {spheres} {places} NULL overlap 1.05 maxtry 1000
set group all diameter 1.0 mass 1.0
velocity all create {temperature} {velocities} mom yes dist gaussian
velocity all scale {temperature}
pair_style {style}
pair_coeff * * {law}
neighbor 0.5 bin
neigh_modify delay 0 every 10
fix move all nve/sphere
timestep {step:.17g}
compute spinning all erotate/sphere
thermo_style custom step ke c_spinning
thermo_modify norm no
thermo {every}
run {steps}
"""


class Gases(NamedTuple):
    """Energies divided by the initial energy. The arrays have shape (gases, samples)."""

    translation: np.ndarray
    rotation: np.ndarray

    @property
    def energy(self) -> np.ndarray:
        """Sum of translational and rotational energy."""
        return self.translation + self.rotation


class Cooling(NamedTuple):
    """Common parameters of the compared gases.

    Energies are recorded at `samples` equally spaced times. The number of a gas is added to the
    seeds `places` and `velocities`.
    """

    spheres: int
    packing_fraction: float
    step: float
    end: float
    samples: int
    places: int
    velocities: int

    def simulate(
        self, c: Context, style: str, law: str, number: int, temperature: float = 1.0
    ) -> np.ndarray:
        """Return the translational and rotational energies divided by the initial energy.

        The result has the shape (2, samples).
        """
        every = round(self.end / self.step / self.samples)
        run = c.lammps(
            SCRIPT.format(
                edge=(self.spheres * math.pi / 6.0 / self.packing_fraction) ** (1.0 / 3.0),
                spheres=self.spheres,
                places=seed(self.places + number),
                velocities=seed(self.velocities + number),
                temperature=temperature,
                style=style,
                law=law,
                step=self.step,
                every=every,
                steps=every * self.samples,
            ),
            timeout=3600.0,
        )
        energies = run.thermo[["KinEng", "c_spinning"]].to_numpy().T
        return energies[:, 1:] / energies[0, 0]
