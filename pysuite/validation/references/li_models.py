"""Contact models M1 and M3 of Li et al. 2022 as printed: a sphere that meets a plane.

Source: Li, Zeng, Wen & Zhang, Aerospace 9 (2022) 737, eqs. (5), (6), (13) and (17). The tangential
spring is a stiffness of the present overlap times the total displacement since touch, which goes on
while the contact slides; spring and dashpot together may exceed Coulomb's limit, which judges the
spring alone. The compiled laws do neither. The sphere is that of `alumina`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pysuite.validation.references import alumina

Array = NDArray[np.float64]

STIFFNESS = {"M1": 8.0, "M3": 16.0 / 3.0}  # of the tangential spring, over G* sqrt(R overlap)


class Impacts(NamedTuple):
    """After the impacts, (n,); while they last, (steps, n)."""

    normal: Array  # velocities
    tangential: Array
    spin: Array
    time: Array  # (steps,)
    force: Array  # tangential, against the motion at the start
    limit: Array  # friction times normal force


def collide(
    model: str,
    angle: ArrayLike,
    speed: float,
    *,
    friction: float = alumina.FRICTION,
    restitution: float = alumina.RESTITUTION,
    step: float = 1e-8,
    steps: int = 1800,
) -> Impacts:
    """Let spheres without spin hit the plane at angles from its normal, in radians, by leapfrog.

    Raises:
        ValueError: unknown model, or a sphere is not away after all steps.
    """
    if model not in STIFFNESS:
        raise ValueError(f"model = {model!r} must be one of {', '.join(STIFFNESS)}")
    angle = np.atleast_1d(np.asarray(angle, dtype=np.float64))
    mass, radius = alumina.MASS, alumina.RADIUS
    stiffness = 4.0 / 3.0 * alumina.MODULUS * np.sqrt(radius)
    logarithm = np.log(restitution)
    damping = -logarithm / np.hypot(logarithm, np.pi)
    overlap, stretch = np.zeros_like(angle), np.zeros_like(angle)
    approach, along, spin = speed * np.cos(angle), speed * np.sin(angle), np.zeros_like(angle)
    forces, limits = [], []
    for _ in range(steps):
        overlap = overlap + step * approach
        slip = along - radius * spin
        inside = np.maximum(overlap, 0.0)
        stretch = np.where(overlap > 0.0, stretch + step * slip, 0.0)
        normal = stiffness * inside**1.5
        normal += damping * np.sqrt(5.0 * stiffness * mass) * inside**0.25 * approach
        spring = STIFFNESS[model] * alumina.SHEAR_MODULUS * np.sqrt(radius * inside)
        dashpot = 2.0 * np.sqrt(5.0 / 6.0) * damping * np.sqrt(spring * mass)
        limit = friction * np.maximum(normal, 0.0)
        sticks = spring * np.abs(stretch) < limit
        force = np.where(sticks, spring * stretch + dashpot * slip, limit * np.sign(stretch))
        approach = approach - step * normal / mass
        along = along - step * force / mass
        spin = spin + step * force * radius / alumina.INERTIA
        forces.append(force)
        limits.append(limit)
    if np.any(overlap > 0.0) or np.any(approach > 0.0):
        raise ValueError(f"steps = {steps} must be more: a sphere is not away yet")
    time = step * np.arange(1.0, steps + 1.0)
    return Impacts(-approach, along, spin, time, np.array(forces), np.array(limits))
