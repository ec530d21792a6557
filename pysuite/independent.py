"""Differences and quotients of independent quantities with symmetric intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pysuite.statistics import Interval


def difference(this: Interval, that: Interval) -> Interval:
    """Return `this` minus `that`."""
    value = this.value - that.value
    half = math.hypot(_half(this), _half(that))
    return Interval(value, value - half, value + half, _how(this))


def quotient(this: Interval, that: Interval) -> Interval:
    """Return `this` / `that`, by Fieller's theorem.

    The interval is infinite if the denominator does not differ significantly from 0.
    """
    value, how = this.value / that.value, _how(this)
    # all r for which this - r * that does not differ significantly from 0
    leading = that.value**2 - _half(that) ** 2
    if leading <= 0.0:
        return Interval(value, -math.inf, math.inf, how)
    middle, last = this.value * that.value, this.value**2 - _half(this) ** 2
    root = math.sqrt(max(middle**2 - leading * last, 0.0))
    low, high = (middle - root) / leading, (middle + root) / leading
    return Interval(value, min(low, value), max(high, value), how)


def extreme(which: Callable[[Sequence[float]], float], each: Sequence[Interval]) -> Interval:
    """Return the smallest or largest of quantities with intervals; `which` is `min` or `max`."""
    value, low, high = (
        which([getattr(of_one, end) for of_one in each]) for end in ("value", "low", "high")
    )
    return Interval(value, low, high, f"{each[0].how}, combined with the others")


def _half(of: Interval) -> float:
    return 0.5 * (of.high - of.low)


def _how(this: Interval) -> str:
    return f"{this.how}, combined with the other quantity"
