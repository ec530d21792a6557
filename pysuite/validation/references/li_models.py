"""Contact models M1, M3 and M4 of Li et al. 2022 for the impact of a sphere on a plane.

The source is Li, Zeng, Wen & Zhang, Aerospace 9 (2022) 737, eqs. (5), (6), (13), (17) and (18).
There are two laws, "printed" and "slider":

* In the law "printed", the spring force of M1 and M3 is the stiffness at the present overlap times
  the total tangential displacement since the contact began. Coulomb's limit applies only to the
  spring. Sliding friction opposes the total displacement.
* In the law "slider", as in the compiled laws, the spring stops growing when the contact slides
  (backward Euler). Sliding friction opposes the motion.

M4 has many springs, which slip one after another (see `mindlin`). The paper states neither the
lever arm of friction nor the tangential restitution in eq. (6).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pysuite.validation.references import alumina, impact

Array = NDArray[np.float64]

LAWS = ("printed", "slider")
# Tangential stiffness in units of G* sqrt(R overlap). For M4, this is the stiffness before any
# spring slips.
STIFFNESS = {"M1": 8.0, "M3": 16.0 / 3.0, "M4": 8.0}
SPRINGS = 200  # springs of M4 on each half of the contact


class Impacts(NamedTuple):
    """State after n impacts, and histories during the impacts.

    The arrays of the state have shape (n,). The histories of forces have shape (steps, n).
    """

    normal: Array  # normal velocity, away from the plane
    tangential: Array  # tangential velocity of the centre
    spin: Array
    time: Array  # (steps,)
    force: Array  # tangential force, positive against the initial motion
    limit: Array  # friction times normal force


def collide(
    model: str,
    angle: ArrayLike,
    speed: float,
    *,
    friction: ArrayLike = alumina.FRICTION,
    restitution: float = alumina.RESTITUTION,
    tangential: ArrayLike | None = None,
    law: str = "printed",
    arm: ArrayLike = 0.0,
    softening: float = 1.0,
    step: float = 1e-8,
    steps: int = 1800,
) -> Impacts:
    """Return the results of impacts on the plane, integrated by leapfrog.

    The spheres have no initial spin.

    Args:
        model: M1, M3 or M4.
        angle: array of shape (n,), angle to the normal in radians.
        speed: speed of all spheres.
        friction: friction coefficient, a number or an array of shape (n,).
        restitution: normal restitution e_n.
        tangential: tangential restitution e_t in eq. (6), a number or an array of shape (n,). With
            None, e_t is `restitution`.
        law: "printed" or "slider".
        arm: number or array of shape (n,). The lever arm of friction is radius - `arm` × overlap.
        softening: factor by which E* and G* are multiplied. The time step is multiplied by
            softening^(-2/5).
        step: time step without softening.
        steps: number of steps.

    Raises:
        ValueError: the model or law is unknown, or a sphere still touches the plane after all
            steps.
    """
    if model not in STIFFNESS:
        raise ValueError(f"model = {model!r} must be one of {', '.join(STIFFNESS)}")
    if law not in LAWS:
        raise ValueError(f"law = {law!r} must be one of {', '.join(LAWS)}")
    step = step * softening**-0.4
    tangential = restitution if tangential is None else tangential
    angle, friction, arm, tangential = np.broadcast_arrays(
        *(
            np.atleast_1d(np.asarray(each, dtype=np.float64))
            for each in (angle, friction, arm, tangential)
        )
    )
    mass, radius = alumina.MASS, alumina.RADIUS
    stiffness = 4.0 / 3.0 * softening * alumina.MODULUS * np.sqrt(radius)
    damping = impact.linear_damping_ratio(restitution)
    tangential_damping = impact.linear_damping_ratio(tangential)
    overlap, stretch = np.zeros_like(angle), np.zeros_like(angle)
    approach, along, spin = speed * np.cos(angle), speed * np.sin(angle), np.zeros_like(angle)
    deepest = (15.0 / 16.0 * mass * speed**2 / (softening * alumina.MODULUS * radius**0.5)) ** 0.4
    foundation = Foundation(softening, deepest, friction)
    forces, limits = [], []
    for _ in range(steps):
        overlap = overlap + step * approach
        inside = np.maximum(overlap, 0.0)
        lever = radius - arm * inside
        slip = along - lever * spin
        normal = stiffness * inside**1.5
        normal += damping * np.sqrt(5.0 * stiffness * mass) * inside**0.25 * approach
        spring = STIFFNESS[model] * softening * alumina.SHEAR_MODULUS * np.sqrt(radius * inside)
        dashpot = 2.0 * np.sqrt(5.0 / 6.0) * tangential_damping * np.sqrt(spring * mass)
        limit = friction * np.maximum(normal, 0.0)
        if law == "printed" or model == "M4":
            stretch = np.where(overlap > 0.0, stretch + step * slip, 0.0)
        if model == "M4":
            elastic = foundation.follow(overlap, step * approach, step * slip, normal)
            force = complete_force(law, elastic, stretch, slip, dashpot, limit)
        elif law == "printed":
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
        raise ValueError(f"steps = {steps} must be larger: a sphere still touches the plane")
    time = step * np.arange(1.0, steps + 1.0)
    return Impacts(-approach, along, spin, time, np.array(forces), np.array(limits))


def printed_force(
    stretch: Array, slip: Array, spring: Array, dashpot: Array, limit: Array
) -> Array:
    """Return the force of spring and dashpot, or `limit` if the spring force exceeds `limit`."""
    sticks = spring * np.abs(stretch) < limit
    return np.where(sticks, spring * stretch + dashpot * slip, limit * np.sign(stretch))


def complete_force(
    law: str, elastic: Array, stretch: Array, slip: Array, dashpot: Array, limit: Array
) -> Array:
    """Return the force of M4.

    In the law "printed", the force is given by eq. (18). In the law "slider", it is the force of
    springs and dashpot, up to Coulomb's limit.
    """
    whole = elastic + dashpot * slip
    if law == "slider":
        return np.clip(whole, -limit, limit)
    return np.where(np.abs(elastic) < (1.0 - 1e-9) * limit, whole, limit * np.sign(stretch))


class Foundation:
    """Springs of M4 for n spheres on the plane. At first, all springs are relaxed."""

    def __init__(self, softening: float, deepest: float, friction: Array):
        width = np.sqrt(alumina.RADIUS * deepest) / SPRINGS
        self.depth = (width * (np.arange(SPRINGS) + 0.5)) ** 2 / alumina.RADIUS
        self.stretch = np.zeros((len(friction), SPRINGS))
        self._stiffness = 8.0 * softening * alumina.SHEAR_MODULUS * width
        self._pressure = 2.0 * softening * alumina.MODULUS * width  # normal stiffness of a spring
        self._friction = friction[:, None]

    def follow(self, overlap: Array, pressed: Array, slip: Array, normal: Array) -> Array:
        """Return the tangential force after a step.

        `overlap` is the overlap after the step, `pressed` is the increase of the overlap, and
        `slip` is the tangential displacement in the step. `normal` is the normal force, including
        the force of the dashpot. The springs bear the normal force in proportion to their
        compression. All arrays have shape (n,).
        """
        inside = np.maximum(overlap[:, None] - self.depth, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # a spring that is first compressed during the step is displaced only from then on
            part = np.where(pressed[:, None] > inside, inside / pressed[:, None], 1.0)
            load = np.maximum(normal / (self._pressure * inside.sum(axis=1)), 0.0)
        load = np.where(np.isfinite(load), load, 0.0)
        cap = self._friction * (self._pressure / self._stiffness) * load[:, None] * inside
        self.stretch = np.clip(self.stretch + part * slip[:, None], -cap, cap)
        return self._stiffness * self.stretch.sum(axis=1)


def slider_force(
    stretch: Array, slip: Array, spring: Array, dashpot: Array, limit: Array, step: float
) -> tuple[Array, Array]:
    """Return the force and the new stretch. The stretch does not grow while the contact slides."""
    whole = dashpot + spring * step
    test = spring * stretch + whole * slip
    with np.errstate(divide="ignore", invalid="ignore"):
        force = test * np.minimum(1.0, np.where(test != 0.0, limit / np.abs(test), 1.0))
        return force, np.where(whole > 0.0, (dashpot * stretch + step * force) / whole, stretch)


def lost_in_a_slide(
    law: str, amplitude: float, spring: float, limit: float, cycles: int = 3, steps: int = 20_000
) -> float:
    """Return the energy lost in the last cycle of an oscillation at constant normal force."""
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
