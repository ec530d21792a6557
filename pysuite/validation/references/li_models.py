"""Contact models M1 and M3 of Li et al. 2022 for the impact of a sphere on a plane.

Source: Li, Zeng, Wen & Zhang, Aerospace 9 (2022) 737, eqs. (5), (6), (13) and (17). As printed, the
tangential spring force is the stiffness at the present overlap times the total displacement since
touch, which keeps growing while the contact slides. Spring and dashpot together may exceed
Coulomb's limit, which applies to the spring alone. With a slider, as in the compiled laws, the
spring stops growing when the contact slides (backward Euler). The paper does not state the lever
arm of friction. The sphere is defined in `alumina`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pysuite.validation.references import alumina

Array = NDArray[np.float64]

LAWS = ("printed", "slider")
STIFFNESS = {"M1": 8.0, "M3": 16.0 / 3.0}  # tangential stiffness in units of G* sqrt(R overlap)


class Impacts(NamedTuple):
    """State after the impacts, (n,), and histories during them, (steps, n)."""

    normal: Array  # velocity, away from the plane
    tangential: Array  # velocity of the centre
    spin: Array
    time: Array  # (steps,)
    force: Array  # tangential; positive against the initial motion
    limit: Array  # friction times normal force


def collide(
    model: str,
    angle: ArrayLike,
    speed: float,
    *,
    friction: float = alumina.FRICTION,
    restitution: float = alumina.RESTITUTION,
    law: str = "printed",
    arm: float = 0.0,
    softening: float = 1.0,
    step: float = 1e-8,
    steps: int = 1800,
) -> Impacts:
    """Integrate impacts of spheres without spin on the plane by leapfrog.

    Args:
        model: M1 or M3.
        angle: from the normal, radians, (n,).
        speed: of all spheres.
        friction: coefficient.
        restitution: normal restitution.
        law: "printed" or "slider".
        arm: friction acts at radius - `arm` × overlap from the centre.
        softening: factor on both moduli; the step scales with softening^(-2/5).
        step: time step without softening.
        steps: number of steps.

    Raises:
        ValueError: unknown model or law, or a sphere still touches after all steps.
    """
    if model not in STIFFNESS:
        raise ValueError(f"model = {model!r} must be one of {', '.join(STIFFNESS)}")
    if law not in LAWS:
        raise ValueError(f"law = {law!r} must be one of {', '.join(LAWS)}")
    step = step * softening**-0.4
    angle = np.atleast_1d(np.asarray(angle, dtype=np.float64))
    mass, radius = alumina.MASS, alumina.RADIUS
    stiffness = 4.0 / 3.0 * softening * alumina.MODULUS * np.sqrt(radius)
    logarithm = np.log(restitution)
    damping = -logarithm / np.hypot(logarithm, np.pi)
    overlap, stretch = np.zeros_like(angle), np.zeros_like(angle)
    approach, along, spin = speed * np.cos(angle), speed * np.sin(angle), np.zeros_like(angle)
    forces, limits = [], []
    for _ in range(steps):
        overlap = overlap + step * approach
        inside = np.maximum(overlap, 0.0)
        lever = radius - arm * inside
        slip = along - lever * spin
        normal = stiffness * inside**1.5
        normal += damping * np.sqrt(5.0 * stiffness * mass) * inside**0.25 * approach
        spring = STIFFNESS[model] * softening * alumina.SHEAR_MODULUS * np.sqrt(radius * inside)
        dashpot = 2.0 * np.sqrt(5.0 / 6.0) * damping * np.sqrt(spring * mass)
        limit = friction * np.maximum(normal, 0.0)
        if law == "printed":
            stretch = np.where(overlap > 0.0, stretch + step * slip, 0.0)
            force = printed_force(stretch, slip, spring, dashpot, limit)
        else:
            force, stretch = slider_force(stretch, slip, spring, dashpot, limit, step)
            stretch = np.where(overlap > 0.0, stretch, 0.0)
        approach = approach - step * normal / mass
        along = along - step * force / mass
        spin = spin + step * force * lever / alumina.INERTIA
        forces.append(force)
        limits.append(limit)
    if np.any(overlap > 0.0) or np.any(approach > 0.0):
        raise ValueError(f"steps = {steps} must be larger: a sphere still touches")
    time = step * np.arange(1.0, steps + 1.0)
    return Impacts(-approach, along, spin, time, np.array(forces), np.array(limits))


def printed_force(
    stretch: Array, slip: Array, spring: Array, dashpot: Array, limit: Array
) -> Array:
    """Return the force of the total displacement, or Coulomb's limit if the spring exceeds it."""
    sticks = spring * np.abs(stretch) < limit
    return np.where(sticks, spring * stretch + dashpot * slip, limit * np.sign(stretch))


def slider_force(
    stretch: Array, slip: Array, spring: Array, dashpot: Array, limit: Array, step: float
) -> tuple[Array, Array]:
    """Return the force and the new spring, which stops growing while the contact slides."""
    whole = dashpot + spring * step
    test = spring * stretch + whole * slip
    with np.errstate(divide="ignore", invalid="ignore"):
        force = test * np.minimum(1.0, np.where(test != 0.0, limit / np.abs(test), 1.0))
        return force, np.where(whole > 0.0, (dashpot * stretch + step * force) / whole, stretch)


def lost_in_a_slide(
    law: str, amplitude: float, spring: float, limit: float, cycles: int = 3, steps: int = 20_000
) -> float:
    """Return the work lost in the last cycle of tangential oscillation at constant normal force.

    A slider loses 4 limit (amplitude - limit/spring). The printed force depends on the position
    alone and therefore loses nothing.
    """
    place = amplitude * np.sin(2.0 * np.pi * np.arange(cycles * steps + 1) / steps)
    stretch, forces = np.zeros(1), np.zeros(len(place))
    k, none, bound = np.array([spring]), np.zeros(1), np.array([limit])
    for n, way in enumerate(np.diff(place), start=1):
        if law == "printed":
            force = printed_force(place[n : n + 1], none, k, none, bound)
        else:
            force, stretch = slider_force(stretch, np.array([way]), k, none, bound, 1.0)
        forces[n] = force[0]
    last = slice(-steps - 1, None)
    return float(np.trapezoid(forces[last], place[last]))
