"""Modes of regular arrangements of spheres of mass and diameter 1, and their frequencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import curve_fit

from pysuite.validation.references.chains import INERTIA

if TYPE_CHECKING:
    import pandas

MOTION = ["vx", "vy", "vz", "omegax", "omegay", "omegaz"]
WEIGHT = np.repeat([1.0, 0.25 * INERTIA], 3)  # weights of MOTION in the kinetic energy


def left(motion: pandas.DataFrame, shapes: np.ndarray) -> np.ndarray:
    """Return the amplitudes of modes from a dump as an array of shape (modes, times).

    Initially, the amplitudes are 1. `shapes` has shape (modes, spheres, 6) and contains the initial
    velocities and spins of each mode. Modes in which the same spheres move must be orthogonal.
    """
    times = motion["step"].nunique()
    state = motion[MOTION].to_numpy().reshape(times, -1, 6)
    weighted = shapes * WEIGHT
    size = np.einsum("mnk,mnk->m", shapes, weighted)
    return np.einsum("mnk,tnk->mt", weighted, state) / size[:, None]


def frequency(times: np.ndarray, left: np.ndarray, guess: float) -> float:
    """Return the frequency of a mode whose velocity is largest at the start."""

    def law(t: np.ndarray, frequency: float, size: float, phase: float) -> np.ndarray:
        return size * np.cos(frequency * t + phase)

    fitted, _ = curve_fit(law, times, left, p0=(guess, 1.0, 0.0), xtol=1e-14, ftol=1e-14)
    return float(fitted[0])


def to_no_step(values: list[float]) -> tuple[float, float]:
    """Return two extrapolations to a time step of zero, from values at the steps h, h/2 and h/4.

    The first extrapolation uses h/2 and h/4. The second extrapolation uses h and h/2.
    """
    coarse, medium, fine = values
    return (4.0 * fine - medium) / 3.0, (4.0 * medium - coarse) / 3.0
