"""Oblique impact of two equal spheres with a linear normal force and C-SDS friction.

The overlap is assumed to be small. The equation of the tangential motion, eq. (10) of Führer,
Brendel & Wolf 2024, is integrated by an adaptive solver.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

Array = NDArray[np.float64]
Number = TypeVar("Number", float, NDArray[np.float64])

# a tangential impulse J changes the velocity of the contact point by (1 + SPIN_GAIN) J / m_eff
SPIN_GAIN = 2.5


class Impact(NamedTuple):
    """Ratios of values after and before n impacts, and whether contacts always slide."""

    normal_restitution: Array
    tangential_restitution: Array  # ratio of the centres' velocities
    kinetic_energy: Array
    always_slides: NDArray[np.bool_]


def linear_damping_ratio(restitution: Number) -> Number:
    """Damping ratio of a linear contact from its restitution, if the force may be attractive."""
    logarithm = np.log(restitution)
    return -logarithm / np.hypot(np.pi, logarithm)


def linear_restitution(damping_ratio: Number) -> Number:
    """Restitution of a linear contact from its damping ratio, if the force may be attractive."""
    return np.exp(-np.pi * damping_ratio / np.sqrt(1.0 - damping_ratio**2))


def repulsive_duration(damping_ratio: float) -> float:
    """Time at which the repulsion of a linear contact ends, in units of sqrt(m_eff / k_n)."""
    damped = np.sqrt(1.0 - damping_ratio**2)
    return float(np.arctan2(2.0 * damping_ratio * damped, 2.0 * damping_ratio**2 - 1.0) / damped)


def unlimited_restitution(limited: float) -> float:
    """Return the nominal restitution for which the actual restitution is `limited`.

    The damping is limited so that the normal force is never attractive. This changes the
    restitution. The result is valid for linear contacts, and for Hertz contacts with a dashpot
    proportional to delta^(1/4) (Antypov & Elliott 2011).
    """

    def excess(zeta: float) -> float:
        return float(np.exp(-zeta * repulsive_duration(zeta))) - limited

    zeta = brentq(excess, 1e-12, 1.0 - 1e-12, xtol=1e-14)
    return float(linear_restitution(zeta))


def gross_sliding_restitution(
    angle: ArrayLike, friction: ArrayLike, normal_restitution: ArrayLike
) -> Array:
    """Tangential restitution of the centres, e_t = 1 - mu (1 + e_n) cot(angle).

    The equation is valid if the contact slides during the whole impact. ``angle`` is the angle to
    the normal in radians.
    """
    return 1.0 - np.asarray(friction) * (1.0 + np.asarray(normal_restitution)) / np.tan(angle)


def csds_impact(
    angle: ArrayLike,
    friction: ArrayLike,
    damping_ratio: float,
    stiffness_ratio: float,
    dashpot: ArrayLike,
    tolerance: float = 1e-9,
) -> Impact:
    """Return the result of impacts of spheres without initial spin.

    ``angle`` is the angle to the normal in radians. ``stiffness_ratio`` is k_t / k_n. ``dashpot``
    is in units of sqrt(k_n m_eff) and must be > 0. Array arguments are broadcast to the shape (n,).
    The impact ends when the normal force is zero, as with the keyword ``limit_damping``.
    """
    theta, mu, c = np.broadcast_arrays(*map(np.atleast_1d, (angle, friction, dashpot)))
    zeta, kt = damping_ratio, stiffness_ratio
    damped = np.sqrt(1.0 - zeta**2)
    approach, tangent = np.cos(theta), np.sin(theta)
    end = repulsive_duration(zeta)

    def normal(t: float) -> tuple[float, float]:
        decay = np.exp(-zeta * t)
        sine, cosine = np.sin(damped * t) / damped, np.cos(damped * t)
        return decay * sine, decay * (cosine - zeta * sine)

    def tangential(t: float, y: Array) -> tuple[Array, Array, Array]:
        spring, velocity = y.reshape(2, -1)
        overlap, rate = normal(t)
        bound = mu * approach * max(overlap + 2.0 * zeta * rate, 0.0)
        return spring, -(kt * spring + c * velocity), bound

    def derivative(t: float, y: Array) -> Array:
        spring, test, bound = tangential(t, y)
        force = np.clip(test, -bound, bound)
        return np.concatenate([-(force + kt * spring) / c, (1.0 + SPIN_GAIN) * force])

    start = np.concatenate([np.zeros_like(tangent), tangent])
    # the step is limited because the solver could skip a short sticking phase
    solution = solve_ivp(
        derivative, (0.0, end), start, rtol=tolerance, atol=tolerance, max_step=end / 150
    )
    always_slides = np.ones(theta.shape, dtype=bool)
    for t, y in zip(solution.t, solution.y.T, strict=True):
        _, test, bound = tangential(t, y)
        always_slides &= np.abs(test) > bound
    impulse = (solution.y[theta.size :, -1] - tangent) / (1.0 + SPIN_GAIN)
    restitution = np.full(theta.shape, -normal(end)[1])
    kinetic = (restitution * approach) ** 2 + (tangent + impulse) ** 2 + SPIN_GAIN * impulse**2
    with np.errstate(divide="ignore", invalid="ignore"):
        centres = (tangent + impulse) / tangent
    return Impact(restitution, centres, kinetic, always_slides)
