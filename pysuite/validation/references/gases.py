"""Dense gases of smooth spheres. Diameter, mass and temperature are 1 unless they are arguments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


def number_density(fraction: float) -> float:
    """Return the number of spheres of diameter 1 per volume at a solid fraction."""
    return float(6.0 * fraction / np.pi)


def carnahan_starling(fraction: float) -> float:
    """Return p/(n T) of elastic hard spheres. The result is 0.3 % too low at a fraction of 0.4."""
    return 1.0 + 4.0 * fraction * (1.0 - 0.5 * fraction) / (1.0 - fraction) ** 3


def compressibility(fraction: float) -> float:
    """Return p/(n T) of elastic hard spheres from Kolafa's equation (Boublik & Nezbeda 1986)."""
    x = fraction
    return (1.0 + x + x**2 - 2.0 / 3.0 * x**3 * (1.0 + x)) / (1.0 - x) ** 3


def stiffness(collision_time: float) -> float:
    """Return the linear stiffness of spheres with the given collision time."""
    return float(0.5 * (np.pi / collision_time) ** 2)


def soft_diameter(collision_time: float) -> float:
    """Return the diameter of soft spheres that are equivalent to hard spheres of diameter 1.

    The diameter of the equivalent hard spheres is the integral of 1 - exp(-u/T) over the distance,
    where u is the potential (Barker & Henderson 1967).
    """
    return float(1.0 + np.sqrt(np.pi / (2.0 * stiffness(collision_time))))


def contact_value(compressibility: float, fraction: float) -> float:
    """Return the pair correlation at contact from the compressibility p/(n T)."""
    return (compressibility - 1.0) / (4.0 * fraction)


def collision_rate(fraction: float, contact: float, temperature: float = 1.0) -> float:
    """Return Enskog's collision rate of a sphere. `contact` is the value of g(r) at contact."""
    return float(4.0 * np.sqrt(np.pi * temperature) * number_density(fraction) * contact)


class Sheared(NamedTuple):
    """A gas in steady uniform shear.

    Attributes:
        temperature: granular temperature / (shear rate × diameter)^2.
        pressure: pressure / (density of the solid × (shear rate × diameter)^2).
        stress: shear stress in the unit of the pressure.
    """

    temperature: float
    pressure: float
    stress: float


def sheared(fraction: float, restitution: float) -> Sheared:
    """Return the steady state of smooth inelastic spheres in shear (Lun et al. 1984).

    The pressure is (1 + 4 eta nu g0) nu T, where eta = (1 + e)/2 and g0 is the pair correlation at
    contact (Carnahan & Starling). The viscosity is given by eq. (4.10). The temperature follows
    from the balance of shear work and dissipation. The dissipation rate is
    48/pi^(1/2) eta (1 - eta) nu^2 g0 T^(3/2).
    """
    eta = 0.5 * (1.0 + restitution)
    contact = contact_value(carnahan_starling(fraction), fraction)
    dense = eta * fraction * contact
    viscosity = (1.0 + 1.6 * dense) * (1.0 + 1.6 * (3.0 * eta - 2.0) * dense)
    viscosity /= eta * (2.0 - eta) * contact
    viscosity += 768.0 / (25.0 * np.pi) * dense * fraction
    viscosity *= 5.0 * np.sqrt(np.pi) / 96.0
    dissipation = 48.0 / np.sqrt(np.pi) * (1.0 - eta) * dense * fraction
    temperature = viscosity / dissipation
    return Sheared(
        float(temperature),
        float((1.0 + 4.0 * dense) * fraction * temperature),
        float(viscosity * np.sqrt(temperature)),
    )
