"""Damped Hertz collisions and what the adaptive collision time model asks of them.

A collision of effective mass m at approach speed u obeys m x'' + d x' + k x^(3/2) = 0 for the
overlap x. With x = u t* z, t* = (m^2 / (k^2 u))^(1/5) and damping = d t* / (2 m) it is

    z'' + 2 damping z' + z^(3/2) = 0,  z(0) = 0, z'(0) = 1,

until z = 0 again, after the duration tau, with z' = -restitution (Ray, Kempe & Fröhlich, Int. J.
Multiphase Flow 76 (2015) 101). The exact solution here is a Taylor series of any order, in floats
or in decimals of any length. The approximations are those that the exact one replaces: the series
and the direct inversion of the same paper, and the iteration of Kempe & Fröhlich, J. Fluid Mech.
709 (2012) 445.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

Number = TypeVar("Number", float, Decimal)

UNDAMPED_DURATION = (
    4 / 5 * (5 / 4) ** (2 / 5) * math.sqrt(math.pi) * math.gamma(2 / 5) / math.gamma(9 / 10)
)
UNDAMPED_OVERLAP = (5 / 4) ** (2 / 5)
SLOPE = 10 / 9 * UNDAMPED_DURATION  # of 1 - restitution over damping, without damping
CRITICAL_DAMPING = 0.5639938263779648  # above it the spheres never part


class Collision(NamedTuple):
    """A collision in units of u, t* and u t*.

    Attributes:
        restitution: speed at the end.
        duration: time from touch to parting.
        overlap: the largest.
    """

    restitution: float
    duration: float
    overlap: float


class Contact(NamedTuple):
    """Stiffness k and dashpot d of a contact, F = k x^(3/2) + d x'."""

    stiffness: float
    damping: float


# ------------------------------------------------------------------------------- exact solution


def collide(damping: Number, digits: int = 16) -> Collision:
    """Return the exact collision for a damping below CRITICAL_DAMPING.

    Numbers are of the type of `damping`; with decimals, `digits` are meant to be right and the
    decimal context must allow some more. On the branches near touch z' is a series in sqrt(z),
    around the turning point z is one in time.

    Raises:
        ValueError: the spheres never part.
    """
    if not 0 <= damping < CRITICAL_DAMPING:
        raise ValueError(f"damping = {damping} must be >= 0 and < {CRITICAL_DAMPING}")
    terms = max(18, round(1.4 * digits))
    one = type(damping)(1)
    root, speed, time = 0 * one, one, 0 * one  # sqrt(z), z'
    while speed > one * 7 / 10:
        speeds, times = _series_in_root(root, speed, damping, terms)
        step = _step(speeds, digits)
        root, speed, time = root + step, _value(speeds, step), time + _value(times, step)

    overlap, largest = root * root, root * root
    while speed > 0 or overlap > largest * 3 / 10:
        overlaps = _series_in_time(overlap, speed, damping, terms)
        step = _step(overlaps, digits)
        speeds = [k * overlaps[k] for k in range(1, len(overlaps))]
        next_speed = _value(speeds, step)
        if speed > 0 >= next_speed:
            largest = _value(overlaps, _first_root(speeds, step))
        overlap, speed, time = _value(overlaps, step), next_speed, time + step

    root = overlap ** (one / 2)
    while root > 0:
        speeds, times = _series_in_root(root, speed, damping, terms)
        step = -min(_step(speeds, digits), root)
        root, speed, time = root + step, _value(speeds, step), time + _value(times, step)
    # Decimal where digits beyond those of a float were asked for
    return Collision(-speed, time, largest)  # type: ignore[arg-type]


def _series_in_root(
    root: Number, speed: Number, damping: Number, terms: int
) -> tuple[list[Number], list[Number]]:
    """Taylor coefficients of p = z' and of time in s = sqrt(z): p p' = -4 damping s p - 2 s^4."""
    fourth = [root**4, 4 * root**3, 6 * root**2, 4 * root, 1 + 0 * root]
    speeds: list[Number] = [speed]
    rates: list[Number] = []
    for k in range(terms):
        product = root * speeds[k] + (speeds[k - 1] if k else 0)
        right = -4 * damping * product - (2 * fourth[k] if k < 5 else 0)
        known = sum(speeds[j] * speeds[k - j + 1] * (k - j + 1) for j in range(1, k + 1))
        speeds.append((right - known) / ((k + 1) * speed))
        twice_root = 2 * root if k == 0 else 2 if k == 1 else 0
        earlier = sum(speeds[j] * rates[k - j] for j in range(1, k + 1))
        rates.append((twice_root - earlier) / speed)
    times: list[Number] = [0 * root]
    times += [rate / (k + 1) for k, rate in enumerate(rates)]
    return speeds, times


def _series_in_time(overlap: Number, speed: Number, damping: Number, terms: int) -> list[Number]:
    """Taylor coefficients of z in time."""
    one = type(overlap)(1)
    overlaps, forces = [overlap, speed], [overlap ** (3 * one / 2)]
    for k in range(terms - 1):
        if k:
            total = sum((5 * j - 2 * k) * overlaps[j] * forces[k - j] for j in range(1, k + 1))
            forces.append(total / (2 * k * overlap))
        change = -2 * damping * (k + 1) * overlaps[k + 1] - forces[k]
        overlaps.append(change / ((k + 1) * (k + 2)))
    return overlaps


def _value(coefficients: Sequence[Number], step: Number) -> Number:
    total = 0 * step
    for coefficient in reversed(coefficients):
        total = total * step + coefficient
    return total


def _step(coefficients: Sequence[Number], digits: int) -> Number:
    """Return the step at which the last terms are too small to matter.

    Of the last five: without damping the series in sqrt(z) at touch has only every fifth term.
    """
    last = len(coefficients) - 1
    wanted = -(digits + 1) * math.log(10)
    logarithm = min(
        (wanted - _logarithm(abs(coefficients[k]))) / k
        for k in range(last - 4, last + 1)
        if coefficients[k]
    )
    return type(coefficients[0])(math.exp(logarithm))


def _logarithm(value: Number) -> float:
    return float(value.ln()) if isinstance(value, Decimal) else math.log(value)


def _first_root(coefficients: Sequence[Number], step: Number) -> Number:
    """Root of a series that changes sign within the step, by Newton's method."""
    root = step / 2
    derivative = [k * coefficients[k] for k in range(1, len(coefficients))]
    for _ in range(8):
        root -= _value(coefficients, root) / _value(derivative, root)
    return root


@functools.cache
def damping_for(restitution: float) -> float:
    """Return the damping that gives a restitution, 0 < restitution <= 1, to rounding."""
    from scipy.optimize import brentq

    if not 0.0 < restitution <= 1.0:
        raise ValueError(f"restitution = {restitution} must be > 0 and <= 1")
    if restitution == 1.0:
        return 0.0
    target = math.log(restitution)

    def mismatch(damping: float) -> float:
        return math.log(collide(damping).restitution) - target

    return brentq(mismatch, 0.0, 0.999 * CRITICAL_DAMPING, xtol=1e-15, rtol=1e-15)


def contact(damping: float, duration: float, time: float, speed: float, mass: float) -> Contact:
    """Return k and d of a contact that takes a time, from damping and duration without units."""
    unit = time / duration
    return Contact(mass / math.sqrt(speed * unit**5), 2.0 * damping * mass / unit)


def exact_contact(restitution: float, time: float, speed: float, mass: float) -> Contact:
    """Return k and d by the exact solution."""
    damping = damping_for(restitution)
    return contact(damping, collide(damping).duration, time, speed, mass)


def resulting_collision(
    stiffness: float, damping: float, speed: float, mass: float
) -> tuple[float, float, float]:
    """Return restitution, time and largest overlap of a contact with this k and d, exactly."""
    unit = (mass**2 / (stiffness**2 * speed)) ** 0.2
    result = collide(damping * unit / (2.0 * mass))
    return result.restitution, result.duration * unit, result.overlap * unit * speed


# ------------------------------------------------------------------- what the exact one replaces


def series(damping: float) -> tuple[float, float]:
    """Return restitution and duration to second and first order in the damping."""
    weak = SLOPE * damping
    return 1.0 - weak + 0.4 * weak**2, UNDAMPED_DURATION * (1.0 + 0.1 * weak)


# with the digits of Ray et al. 2015
DIRECT_A, DIRECT_B, DIRECT_C = 0.716, 0.830, 0.744
DIRECT_DURATION = 3.218
DIRECT_SLOPE = 1.111 * DIRECT_DURATION


def direct_fits(damping: float) -> tuple[float, float]:
    """Return restitution and duration by the closed forms of Ray et al. 2015, which they invert."""
    restitution = math.exp(-DIRECT_SLOPE * damping / math.sqrt(1.0 - DIRECT_C * damping))
    shortening = 1.0 - DIRECT_A * damping - DIRECT_B * damping**2
    return restitution, DIRECT_DURATION / math.sqrt(shortening)


def direct_inversion(restitution: float) -> tuple[float, float]:
    """Return damping and duration by the direct formulas of Ray et al. 2015."""
    logarithm = math.log(restitution) ** 2
    half = 0.5 * DIRECT_C * logarithm
    root = math.sqrt(half**2 + DIRECT_SLOPE**2 * logarithm)
    damping = (root - half) / DIRECT_SLOPE**2
    return damping, direct_fits(damping)[1]


def direct_contact(restitution: float, time: float, speed: float, mass: float) -> Contact:
    """Return k and d by the direct formulas of Ray et al. 2015."""
    return contact(*direct_inversion(restitution), time, speed, mass)


class Iteration(NamedTuple):
    """What the iteration found and what it took."""

    contact: Contact
    integrations: int


def iterative_contact(
    restitution: float,
    time: float,
    speed: float,
    mass: float,
    tolerance: float = 1e-3,
    steps: int = 200,
) -> Iteration:
    """Return k and d as Kempe & Fröhlich 2012 do: integrate, correct, until e and T_c are met.

    Each round integrates the collision with the classical Runge-Kutta scheme and corrects k and d
    by Newton's method with finite differences, three integrations a round; it ends when e and T_c
    are within `tolerance`. The start is a collision without damping and with a weak dashpot.

    Raises:
        ValueError: no solution, or none in 30 rounds.
    """
    logarithm = math.log(restitution)
    start = min(-logarithm / SLOPE, 0.4)  # above about 0.56 they would stick together
    stiffness, damping = contact(start, UNDAMPED_DURATION, time, speed, mass)
    integrations = 0

    def errors(stiffness: float, damping: float) -> tuple[float, float]:
        nonlocal integrations
        integrations += 1
        e, t = _integrate(stiffness / mass, damping / mass, speed, time / steps)
        return math.log(max(e, 1e-12)) - logarithm, math.log(t / time)

    for _ in range(30):
        first, second = errors(stiffness, damping)
        if math.hypot(first, second) <= tolerance:
            return Iteration(Contact(stiffness, damping), integrations)
        small = 1e-4
        nudge = small * max(damping, 1e-3 * mass / time)
        by_stiffness = errors(stiffness * math.exp(small), damping)
        by_damping = errors(stiffness, damping + nudge)
        a, c = ((by_stiffness[k] - (first, second)[k]) / small for k in (0, 1))
        b, d = ((by_damping[k] - (first, second)[k]) / nudge for k in (0, 1))
        determinant = a * d - b * c
        if determinant == 0.0:
            break  # it has come to spheres that stick together
        change = -(d * first - b * second) / determinant
        stiffness *= math.exp(min(max(change, -1.0), 1.0))
        more = -(a * second - c * first) / determinant
        damping = max(damping + min(max(more, -0.5 * damping), damping + mass / time), 0.0)
    raise ValueError(f"no stiffness and damping found for restitution {restitution}")


def _integrate(stiffness: float, damping: float, speed: float, step: float) -> tuple[float, float]:
    """Return restitution and time of a collision, both coefficients per mass."""

    def acceleration(x: float, v: float) -> float:
        return -damping * v - stiffness * max(x, 0.0) ** 1.5

    x, v, time = 0.0, speed, 0.0
    for _ in range(10_000):
        a1 = acceleration(x, v)
        v2 = v + 0.5 * step * a1
        a2 = acceleration(x + 0.5 * step * v, v2)
        v3 = v + 0.5 * step * a2
        a3 = acceleration(x + 0.5 * step * v2, v3)
        v4 = v + step * a3
        a4 = acceleration(x + step * v3, v4)
        next_x = x + step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
        next_v = v + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if next_x <= 0.0:
            part = x / (x - next_x)
            return -(v + part * (next_v - v)) / speed, time + part * step
        x, v, time = next_x, next_v, time + step
    return 0.0, time


# --------------------------------------------------------------------------------- granular gas


def haff_rate(
    restitution: float, volume_fraction: float, diameter: float = 1.0, speed: float = 1.0
) -> float:
    """Return 1/tau of Haff's law T = T0/(1 + t/tau)^2 for smooth spheres in three dimensions.

    1/tau = (1 - e^2) omega/6 (1 + 3 a2/16) with the collision rate omega = 4 n d^2 g0 sqrt(pi) v at
    the start, v^2 = T0/m, g0 of Carnahan and Starling and a2 of the homogeneous state (van Noije &
    Ernst, Granular Matter 1 (1998) 57).
    """
    e, phi = restitution, volume_fraction
    contact_value = (1.0 - 0.5 * phi) / (1.0 - phi) ** 3
    density = 6.0 * phi / (math.pi * diameter**3)
    collisions = 4.0 * density * diameter**2 * contact_value * math.sqrt(math.pi) * speed
    kurtosis = 16.0 * (1.0 - e) * (1.0 - 2.0 * e**2)
    kurtosis /= 81.0 - 17.0 * e + 30.0 * e**2 * (1.0 - e)
    return (1.0 - e**2) / 6.0 * collisions * (1.0 + 3.0 / 16.0 * kurtosis)
