"""Exact solution for the collision of two spheres with a Hertz spring and a linear dashpot.

A collision of effective mass m at approach speed u obeys m x'' + d x' + k x^(3/2) = 0 for the
overlap x. With x = u t* z, t* = (m^2 / (k^2 u))^(1/5) and damping = d t* / (2 m) this becomes

    z'' + 2 damping z' + z^(3/2) = 0,  z(0) = 0, z'(0) = 1.

The collision ends at the time tau, when z = 0 again and z' = -restitution. See Ray, Kempe &
Fröhlich, Int. J. Multiphase Flow 76 (2015) 101.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple, TypeVar

Number = TypeVar("Number", float, Decimal)

CRITICAL_DAMPING = 0.5639938263779648  # from this damping on, the spheres never separate


class Collision(NamedTuple):
    """Speed at separation (in units of u), duration (t*) and largest overlap (u t*)."""

    restitution: float
    duration: float
    overlap: float


def collide(damping: Number, digits: int = 16) -> Collision:
    """Return the exact collision. Raises ValueError unless 0 <= damping < CRITICAL_DAMPING.

    Results have the type of `damping`. Decimals have `digits` correct digits if the decimal context
    has a few digits more. Near z = 0, z' is computed as a series in sqrt(z); around the largest
    overlap, z is computed as a series in time.
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
    # these are Decimals if `damping` is a Decimal
    return Collision(-speed, time, largest)  # type: ignore[arg-type]


def _series_in_root(
    root: Number, speed: Number, damping: Number, terms: int
) -> tuple[list[Number], list[Number]]:
    """Return the Taylor coefficients of p = z' and of time as functions of s = sqrt(z).

    The coefficients follow from p dp/ds = -4 damping s p - 2 s^4.
    """
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
    """Return the largest step at which the last terms of a series do not matter.

    The last five terms are examined, because without damping only every fifth term of the series
    about z = 0 is nonzero.
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
    root = step / 2
    derivative = [k * coefficients[k] for k in range(1, len(coefficients))]
    for _ in range(8):
        root -= _value(coefficients, root) / _value(derivative, root)
    return root


@functools.cache
def damping_for(restitution: float) -> float:
    """Return the damping that causes a coefficient of restitution > 0 and <= 1."""
    from scipy.optimize import brentq

    if not 0.0 < restitution <= 1.0:
        raise ValueError(f"restitution = {restitution} must be > 0 and <= 1")
    if restitution == 1.0:
        return 0.0
    target = math.log(restitution)

    def mismatch(damping: float) -> float:
        return math.log(collide(damping).restitution) - target

    return brentq(mismatch, 0.0, 0.999 * CRITICAL_DAMPING, xtol=1e-15, rtol=1e-15)
