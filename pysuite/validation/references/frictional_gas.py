"""Cooling of a dilute gas of rough spheres by direct simulation Monte Carlo.

The outcome of a collision is computed by `impact.csds_impact`, from eq. (10) of Führer, Brendel &
Wolf 2024. For linear contacts, the outcome depends on the ratio of tangential to normal velocity,
but not on the speed. The outcome is therefore tabulated as a function of this ratio. Diameter and
mass of the spheres are 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pysuite.validation.references import impact

Array = NDArray[np.float64]

INERTIA = 0.1  # 2/5 m R^2
RADIUS = 0.5


class Collision(NamedTuple):
    """Outcome of a collision as a function of the direction of approach.

    `ratio` is the tangential velocity before the collision, divided by the normal velocity.
    `impulse` is the tangential impulse, divided by the effective mass and the normal velocity.
    """

    restitution: float
    ratio: Array
    impulse: Array

    @classmethod
    def linear(
        cls, friction: float, damping_ratio: float, stiffness_ratio: float, dashpot: float
    ) -> Collision:
        """Return the collision of linear C-SDS contacts. Arguments are those of `csds_impact`."""
        angle = np.arctan(np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 240)]))
        outcome = impact.csds_impact(angle[1:], friction, damping_ratio, stiffness_ratio, dashpot)
        ratio = np.tan(angle)
        impulse = np.concatenate([[0.0], (1.0 - outcome.tangential_restitution) * ratio[1:]])
        return cls(float(outcome.normal_restitution[0]), ratio, impulse)


class Cooling(NamedTuple):
    """Energies per sphere, and collisions per sphere so far, at n times: arrays of shape (n,)."""

    translation: Array
    rotation: Array
    collisions: Array


def contact_value(packing_fraction: float) -> float:
    """Return the pair correlation at contact (Carnahan & Starling)."""
    return (1.0 - 0.5 * packing_fraction) / (1.0 - packing_fraction) ** 3


def cool(
    collision: Collision,
    packing_fraction: float,
    temperature: float,
    times: ArrayLike,
    *,
    spheres: int = 40_000,
    seed: int = 20240205,
) -> Cooling:
    """Return the cooling of a gas. At time 0, velocities are Maxwellian and spins are 0.

    `temperature` is the initial value of m <v^2>/3.
    """
    rng = np.random.default_rng(seed)
    velocity = rng.normal(size=(spheres, 3))
    velocity -= velocity.mean(axis=0)
    velocity *= np.sqrt(3.0 * temperature / (velocity**2).sum(axis=1).mean())
    spin = np.zeros_like(velocity)
    density = packing_fraction * 6.0 / np.pi
    # The collision rate of a pair with the relative velocity g, per density and per solid angle of
    # the normal k, is g0 |g.k|.
    rate = 4.0 * np.pi * density * contact_value(packing_fraction)
    now, count = 0.0, 0
    rows = []
    for time in np.asarray(times, dtype=float):
        while now < time:
            fastest = 4.0 * np.sqrt((velocity**2).sum(axis=1).mean())
            per_time = 0.5 * spheres * rate * fastest
            step = min(spheres // 20 / per_time, time - now)
            now = now + step if step < time - now else time
            pairs = min(rng.poisson(per_time * step), spheres // 2)
            chosen = rng.permutation(spheres)[: 2 * pairs].reshape(2, pairs)
            count += _collide(rng, velocity, spin, chosen, fastest, collision)
        rows.append(
            (
                0.5 * (velocity**2).sum(axis=1).mean(),
                0.5 * INERTIA * (spin**2).sum(axis=1).mean(),
                2.0 * count / spheres,
            )
        )
    return Cooling(*np.array(rows).T)


def _collide(
    rng: np.random.Generator,
    velocity: Array,
    spin: Array,
    chosen: NDArray[np.int64],
    fastest: float,
    collision: Collision,
) -> int:
    one, other = chosen
    normal = rng.normal(size=(one.size, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    approach = -np.sum((velocity[one] - velocity[other]) * normal, axis=1)
    meet = approach > fastest * rng.random(one.size)
    one, other, normal, approach = one[meet], other[meet], normal[meet], approach[meet]
    # the normal points from `other` to `one`
    relative = velocity[one] - velocity[other]
    relative -= RADIUS * np.cross(spin[one] + spin[other], normal)
    tangential = relative + approach[:, None] * normal
    speed = np.linalg.norm(tangential, axis=1)
    along = tangential / np.where(speed > 0.0, speed, 1.0)[:, None]
    size = np.interp(speed / approach, collision.ratio, collision.impulse)
    reduced = 0.5 * approach[:, None]
    impulse = reduced * ((1.0 + collision.restitution) * normal - size[:, None] * along)
    velocity[one] += impulse
    velocity[other] -= impulse
    torque = -RADIUS / INERTIA * np.cross(normal, impulse)
    spin[one] += torque
    spin[other] += torque
    return one.size
