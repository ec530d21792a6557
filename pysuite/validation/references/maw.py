"""Oblique impact of an elastic sphere with partial slip: Maw, Barber & Fawcett, Wear 38 (1976) 101.

The non-dimensional velocity of the contact patch is psi = (kappa/mu) v_t/v_n, where v_n is the
approach speed. psi_1 is the value of psi before the impact, and psi_2 is the value after the
impact. The only other parameter is chi. The contact sticks at first if psi_1 < 1. It always slides
if psi_1 > 4 chi - 1.

The rings of Maw et al. are replaced here by a line of springs, according to the method of
dimensionality reduction (Popov & Hess 2015). Lyashenko & Popov, Sci. Rep. 5 (2015) 8479, applied
the method to this impact. The normal motion is that of an elastic Hertz contact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

SOLID_SPHERE = 0.4  # K^2, moment of inertia / (m R^2)
# duration of a Hertz impact / (largest overlap / speed): (4/5) sqrt(pi) Gamma(2/5)/Gamma(9/10)
HERTZ_DURATION = 2.943275


def kappa(poisson: float) -> float:
    """Return kappa = 2 (1 - nu)/(2 - nu), for equal materials or if one body is rigid."""
    return 2.0 * (1.0 - poisson) / (2.0 - poisson)


def chi(kappa: float, inertia: float = SOLID_SPHERE) -> float:
    """Return chi = kappa (1 + 1/K^2)/2, which is 7 kappa/4 for solid spheres."""
    return 0.5 * kappa * (1.0 + 1.0 / inertia)


def incidence(angle: ArrayLike, kappa: float, friction: float) -> Array:
    """Return psi_1 of an impact without initial spin. The angle to the normal is in radians."""
    return kappa / friction * np.tan(angle)


def tangential_restitution(psi_1: ArrayLike, psi_2: ArrayLike) -> Array:
    """Return the tangential restitution of the centre of a solid sphere without initial spin.

    The restitution is e_t = 1 - 2/7 (1 - psi_2/psi_1).
    """
    return 1.0 - 2.0 / 7.0 * (1.0 - np.asarray(psi_2) / np.asarray(psi_1))


def gross_sliding(psi_1: ArrayLike, chi: float) -> Array:
    """Return psi_2 if the contact always slides, which requires psi_1 > 4 chi - 1."""
    return np.asarray(psi_1) - 4.0 * chi


def reflection(psi_1: ArrayLike, chi: float, *, springs: int = 400, steps: int = 4000) -> Array:
    """Return psi_2 for each psi_1.

    Mass, approach speed, largest overlap and R are 1. At the overlap z, a spring at x is compressed
    by z - x^2. A spring slips if its stretch exceeds mu/kappa times its compression. Stretches are
    in units of mu/kappa. The velocity of the contact patch obeys psi' = -2 chi T/mu.
    """
    psi = np.atleast_1d(np.asarray(psi_1, dtype=float))
    hertz = 1.25  # N = hertz z^(3/2)
    step = HERTZ_DURATION / steps
    width = 1.0 / springs
    position_squared = ((np.arange(springs) + 0.5) * width) ** 2
    density = 1.5 * hertz * width
    stretch = np.zeros((psi.size, springs))
    overlap, approach = 0.0, 1.0
    slip = psi.copy()
    for _ in range(steps):
        overlap += 0.5 * step * approach
        press = hertz * max(overlap, 0.0) ** 1.5
        depth = np.maximum(overlap - position_squared, 0.0)
        stretch += step * slip[:, None] * (depth > 0.0)
        np.clip(stretch, -depth, depth, out=stretch)
        shear = density * stretch.sum(axis=1)
        approach -= step * press
        slip -= step * 2.0 * chi * shear
        overlap += 0.5 * step * approach
    return slip
