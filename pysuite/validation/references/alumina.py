"""The sphere of Kharaz's experiment and of Li et al. 2022: materials, moduli and indicators.

The sphere is of aluminium oxide and has a diameter of 5 mm. It hits an anvil of soda-lime glass.
All values are in SI units. The mass is calculated from the density given by Li et al., which
contradicts their printed mass, 0.229 g.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

RADIUS, DENSITY = 2.5e-3, 4000.0
SPHERE = (380e9, 0.23)  # Young's modulus, Poisson's ratio
ANVIL = (70e9, 0.25)
FRICTION, RESTITUTION = 0.092, 0.98
MODULUS = 1.0 / sum((1.0 - nu**2) / e for e, nu in (SPHERE, ANVIL))  # E*
SHEAR_MODULUS = 1.0 / sum(2.0 * (2.0 - nu) * (1.0 + nu) / e for e, nu in (SPHERE, ANVIL))  # G*
KAPPA = 4.0 * SHEAR_MODULUS / MODULUS  # ratio of tangential to normal stiffness
MASS = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
INERTIA = 0.4 * MASS * RADIUS**2

# maps quantities in the file of the experiment to attributes of `Rebound`
MEASURED = {
    "e_t": "e_t",
    "omega_rad_s": "omega",
    "rebound_angle_center_deg": "centre_angle",
    "rebound_angle_contact_patch_deg": "patch_angle",
}


class Rebound(NamedTuple):
    """Indicators of n rebounds: arrays of shape (n,). Angles are in degrees, energies in J."""

    e_n: Array
    e_t: Array
    omega: Array
    centre_angle: Array
    patch_angle: Array
    translation: Array
    rotation: Array
    psi_1: Array
    psi_2: Array


def indicators(
    angle: ArrayLike, speed: float, normal: ArrayLike, tangential: ArrayLike, spin: ArrayLike
) -> Rebound:
    """Return the indicators of rebounds from the velocities and spins after the impacts."""
    angle, normal, tangential, spin = map(np.asarray, (angle, normal, tangential, spin))
    approach, along = speed * np.cos(angle), speed * np.sin(angle)
    patch = tangential - RADIUS * spin
    return Rebound(
        e_n=normal / approach,
        e_t=tangential / along,
        omega=spin,
        centre_angle=np.degrees(np.arctan2(tangential, normal)),
        patch_angle=np.degrees(np.arctan2(patch, normal)),
        translation=0.5 * MASS * (normal**2 + tangential**2),
        rotation=0.5 * INERTIA * spin**2,
        psi_1=KAPPA / FRICTION * along / approach,
        psi_2=KAPPA / FRICTION * patch / approach,
    )


def experiment(file: Path) -> dict[str, Array]:
    """Return the measured indicators: arrays of shape (n, 2), impact angle in degrees and value."""
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURED.values()}
    with file.open(newline="") as rows:
        for row in csv.DictReader(rows):
            angle = float(row["impact_angle_deg_from_normal"])
            points[MEASURED[row["quantity"]]].append((angle, float(row["value"])))
    return {name: np.array(sorted(values)) for name, values in points.items()}
