"""Rolling and twisting resistance: exact motion of the rotational continuous slider.

Two spheres rotate relative to each other about one axis by the angle phi, with phi' = rate. A
moment M resists the rotation. It is exerted by a spring, which is turned by the angle q, and a
dashpot. A Coulomb limit bounds M. The equations are eq. (10) of Führer, Brendel & Wolf, Granular
Matter 26 (2024), with angles instead of displacements:

    inertia rate' = M,  q' = -(M + stiffness q) / dashpot,
    M = -T min(1, limit / |T|),  T = stiffness q + dashpot rate.

The solution consists of sticking phases (damped oscillations with q' = rate) and sliding phases
(constant M).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

Array = NDArray[np.float64]

SCANNED = 64  # points per oscillation at which the ends of phases are searched
SOLID_SPHERE = 0.4  # moment of inertia / (mass radius^2)


@dataclass(frozen=True)
class Pivot:
    """A contact that resists rotation: inertia, stiffness, dashpot and largest moment.

    All values are in consistent units. Angles are in radians.
    """

    inertia: float
    stiffness: float
    dashpot: float
    limit: float

    def __post_init__(self) -> None:
        for name in ("inertia", "stiffness", "limit"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} = {getattr(self, name)} must be > 0")
        if not self.dashpot >= 0.0:
            raise ValueError(f"dashpot = {self.dashpot} must be >= 0")

    @property
    def frequency(self) -> float:
        """Angular frequency of the undamped spring."""
        return float(np.sqrt(self.stiffness / self.inertia))

    def test_moment(self, spring: ArrayLike, rate: ArrayLike) -> Array:
        """Moment of spring and dashpot without the Coulomb limit."""
        return self.stiffness * np.asarray(spring) + self.dashpot * np.asarray(rate)

    def moment(self, spring: ArrayLike, rate: ArrayLike) -> Array:
        """Moment that acts on the relative motion."""
        return -np.clip(self.test_moment(spring, rate), -self.limit, self.limit)


class Motion(NamedTuple):
    """Histories of shape (n,): time, angle phi, angle q of the spring, rate and moment."""

    time: Array
    angle: Array
    spring: Array
    rate: Array
    moment: Array

    def mechanical(self, pivot: Pivot) -> Array:
        """Kinetic energy of the relative motion plus elastic energy, shape (n,)."""
        return 0.5 * (pivot.inertia * self.rate**2 + pivot.stiffness * self.spring**2)


# --------------------------------------------------------------- pivots equivalent to contacts


def reduced(one: float, other: float) -> float:
    """Return one * other / (one + other), a reduced moment of inertia or radius."""
    return one * other / (one + other)


def rolling_pair(
    inertia: float, arm: float, stiffness: float, dashpot: float, limit: float
) -> Pivot:
    """Return the pivot that is equivalent to the rolling law `sds`.

    The rolling law `sds` is a pseudo-force. The lever arm of this force is the effective radius.
    """
    return Pivot(inertia, stiffness * arm**2, dashpot * arm**2, limit * arm)


def marshall(
    inertia: float, contact_radius: float, stiffness: float, dashpot: float, limit: float
) -> Pivot:
    """Return the pivot that is equivalent to the twisting law `marshall`.

    `stiffness`, `dashpot` and `limit` are those of the sliding law. The twisting law is the
    integral of the sliding law over the contact area (Marshall, J. Comput. Phys. 228 (2009) 1541).
    """
    half_square = 0.5 * contact_radius**2
    arm = 2.0 / 3.0 * contact_radius
    return Pivot(inertia, stiffness * half_square, dashpot * half_square, limit * arm)


def rolling_inertia(mass: float, radius: float) -> float:
    """Return the inertia of a solid sphere that rolls on a plane without sliding, 7/5 m R^2."""
    return (1.0 + SOLID_SPHERE) * mass * radius**2


# ------------------------------------------------------------------- the exact motion


State = tuple[float, float, float]  # angle, spring, rate
Phase = Callable[[Array], tuple[Array, Array, Array]]


def _slide(pivot: Pivot, start: State, sign: float) -> Phase:
    angle, spring, rate = start
    full = sign * pivot.limit / pivot.stiffness
    deceleration = sign * pivot.limit / pivot.inertia

    def at(t: Array) -> tuple[Array, Array, Array]:
        if pivot.dashpot > 0.0:
            remains = (spring - full) * np.exp(-pivot.stiffness / pivot.dashpot * t)
        else:
            remains = np.zeros_like(t)
        return angle + rate * t - 0.5 * deceleration * t**2, full + remains, rate - deceleration * t

    return at


def _stick(pivot: Pivot, start: State) -> Phase:
    angle, spring, rate = start
    decay = 0.5 * pivot.dashpot / pivot.inertia
    root = np.sqrt(complex(decay**2 - pivot.frequency**2))

    def at(t: Array) -> tuple[Array, Array, Array]:
        slow, fast = np.exp((root - decay) * t), np.exp(-(root + decay) * t)
        cosine = (0.5 * (slow + fast)).real
        sine = (0.5 * (slow - fast) / root).real if root != 0.0 else t * slow.real
        drift = rate + decay * spring
        q = spring * cosine + drift * sine
        v = rate * cosine - (decay * rate + pivot.frequency**2 * spring) * sine
        return angle + q - spring, q, v

    return at


def _first_root(f: Callable[[float], float], end: float, spacing: float) -> float:
    times = np.linspace(0.0, end, int(np.ceil(end / spacing)) + 1)
    values = np.array([f(t) for t in times])
    # skip the start of a phase, where f is zero up to round-off
    crossings = np.flatnonzero((values[1:-1] < 0.0) & (values[2:] >= 0.0)) + 1
    if len(times) > 1 and values[0] < 0.0 <= values[1]:
        crossings = np.concatenate([[0], crossings])
    if not crossings.size:
        return np.inf
    n = int(crossings[0])
    return float(brentq(f, times[n], times[n + 1], xtol=1e-15 * end, rtol=1e-14))


def exact_motion(pivot: Pivot, rate: float, time: ArrayLike) -> Motion:
    """Return the exact motion. At time 0, the spring is relaxed.

    Raises ValueError if a time is negative, or if times are not in ascending order.
    """
    t = np.atleast_1d(np.asarray(time, dtype=float))
    if t[0] < 0.0 or np.any(np.diff(t) < 0.0):
        raise ValueError("times must be >= 0 and in ascending order")
    columns = np.empty((3, t.size))
    begin, state = 0.0, (0.0, 0.0, float(rate))
    spacing = 2.0 * np.pi / pivot.frequency / SCANNED
    slides = abs(float(pivot.test_moment(0.0, rate))) > pivot.limit
    while True:
        left = max(t[-1] - begin, 0.0) + spacing
        if slides:
            sign = float(np.sign(pivot.test_moment(state[1], state[2])))
            phase = _slide(pivot, state, sign)
            # sliding ends when the rate changes sign, or earlier
            stop = 2.0 * abs(state[2]) * pivot.inertia / pivot.limit + spacing

            def ends(s: float, phase: Phase = phase, sign: float = sign) -> float:
                _, q, v = phase(np.array([s]))
                return pivot.limit - sign * float(pivot.test_moment(q, v)[0])

            if pivot.dashpot == 0.0:
                duration = abs(state[2]) * pivot.inertia / pivot.limit
            else:
                duration = _first_root(ends, stop, min(spacing, stop / SCANNED))
        else:
            phase = _stick(pivot, state)

            def ends(s: float, phase: Phase = phase, sign: float = 0.0) -> float:
                _, q, v = phase(np.array([s]))
                return abs(float(pivot.test_moment(q, v)[0])) - pivot.limit

            duration = _first_root(ends, left, spacing)
        chosen = (t >= begin) & (t <= begin + duration)
        columns[:, chosen] = phase(t[chosen] - begin)
        if not begin + duration < t[-1]:
            break
        angle, spring, velocity = (float(x[0]) for x in phase(np.array([duration])))
        state = (angle, spring, velocity)
        begin += duration
        slides = not slides
    return Motion(t, columns[0], columns[1], columns[2], pivot.moment(columns[1], columns[2]))
