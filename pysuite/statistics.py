"""Intervals in which measured quantities lie.

The interval of a stochastic quantity is a confidence interval. The interval of a deterministic
quantity is its numerical error. Verdicts use the whole interval, not only the measured value.

The probability that all confidence intervals of one validation contain their true values is
`FAMILY`, 99.8 %. For up to 200 intervals (`STOCHASTIC`), each interval must then have the level
`LEVEL`, 99.999 %, according to Šidák's correction. `LEVEL` is the default. A test checks that no
validation has more than 200 intervals.
"""

# functions import scipy.stats only when they need it, because the import takes a second

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike

Key = TypeVar("Key")
P = ParamSpec("P")

FAMILY = 0.998
STOCHASTIC = 200  # largest number of quantities with confidence intervals in one validation
LEVEL = FAMILY ** (1.0 / STOCHASTIC)
SINGLE_LEVEL = 0.95  # level of a single quantity, which needs no correction
FEWEST_BLOCKS = 6  # with fewer blocks, correlated samples could be taken as independent
BLOCK = 5.0  # autocorrelation times per block; the correlation of blocks is then below 0.1


@dataclass(frozen=True)
class Interval:
    """A quantity and the interval in which it lies.

    Attributes:
        value: measured value.
        low: lower end of the interval.
        high: upper end of the interval.
        how: description of how the interval was obtained.
        at_level: function that returns the interval at a given confidence level. It is None if the
            interval has no confidence level.
    """

    value: float
    low: float
    high: float
    how: str
    at_level: Callable[[float], Interval] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for end in ("value", "low", "high"):  # JSON rejects numpy's numbers
            object.__setattr__(self, end, float(getattr(self, end)))
        if not self.low <= self.value <= self.high:
            raise ValueError(f"interval from {self.low} to {self.high} must contain {self.value}")

    def mapped(self, function: Callable[[float], float]) -> Interval:
        """Return the interval in which a monotonic function of the quantity lies."""
        low, high = sorted((function(self.low), function(self.high)))
        at = self.at_level
        other = None if at is None else (lambda level: at(level).mapped(function))
        return Interval(function(self.value), low, high, self.how, other)

    def within(self, low: float, high: float) -> Interval:
        """Return the interval clipped to the bounds `low` and `high`. Infinite ends are kept."""

        def held(end: float) -> float:
            return end if math.isinf(end) else min(max(end, low), high)

        at = self.at_level
        other = None if at is None else (lambda level: at(level).within(low, high))
        return Interval(self.value, held(self.low), held(self.high), self.how, other)


LEAST_P = 1e-12


def p_value(interval: Interval, decides: Callable[[Interval], bool]) -> float:
    """Return 1 minus the highest confidence level at which the interval decides a question.

    `decides` returns True for an interval that decides the question. If `decides` returns True at
    one level, it must return True at all lower levels. The result is nan if the interval has no
    confidence level.
    """
    at = interval.at_level
    if at is None:
        return math.nan
    low, high = math.log(LEAST_P), 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if decides(at(-math.expm1(middle))):
            high = middle
        else:
            low = middle
    return math.exp(high)


def _with_levels(make: Callable[P, Interval]) -> Callable[P, Interval]:
    """Decorate a function with an argument `level` so that its intervals have `at_level`."""
    signature = inspect.signature(make)

    @functools.wraps(make)
    def made(*args: P.args, **keywords: P.kwargs) -> Interval:
        def at(level: float) -> Interval:
            given = signature.bind(*args, **keywords)
            given.arguments["level"] = level
            return make(*given.args, **given.kwargs)

        return dataclasses.replace(make(*args, **keywords), at_level=at)

    return made


def numerical(value: float, error: float, how: str) -> Interval:
    """Return the interval of a deterministic quantity: value ± numerical error."""
    return Interval(value, value - abs(error), value + abs(error), how)


def refined(coarse: float, fine: float) -> Interval:
    """Return the interval fine ± |fine - coarse| of a deterministic quantity.

    The step of the coarse value must be at least twice the step of the fine value. If the method is
    of first order or better, the error of the fine value is then at most |fine - coarse|.
    """
    return numerical(fine, fine - coarse, "change with at least twice the step")


@_with_levels
def mean(samples: ArrayLike, level: float = LEVEL, of: str = "seeds") -> Interval:
    """Return the mean of independent samples. The interval is from Student's t."""
    values = _finite(samples, 2)
    from scipy import stats

    return _student(values.mean(), stats.sem(values), values.size - 1, level, f"{values.size} {of}")


@_with_levels
def root_mean_square(samples: ArrayLike, level: float = LEVEL, of: str = "seeds") -> Interval:
    """Return the root mean square of independent samples.

    The interval is from Student's t for the mean of the squares.
    """
    squares = mean(np.square(samples), level, of)
    return squares.mapped(lambda square: math.sqrt(max(square, 0.0)))


@_with_levels
def series(samples: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean of a stationary time series.

    The series is divided into blocks that are longer than its correlation time. The interval is
    from the scatter of the blocks. Raises ValueError if there are too few blocks.
    """
    values = _finite(samples, FEWEST_BLOCKS)
    length = math.ceil(BLOCK * autocorrelation_time(values)) if np.ptp(values) > 0.0 else 1
    count = values.size // length
    if count < FEWEST_BLOCKS:
        raise ValueError(
            f"a series of {values.size} samples has {count} blocks of {length} samples"
            f" ({BLOCK:g} autocorrelation times each); {FEWEST_BLOCKS} or more blocks are needed"
        )
    blocks = values[values.size - count * length :].reshape(count, length).mean(axis=1)
    return mean(blocks, level, f"blocks of {length} samples")


def autocorrelation_time(samples: ArrayLike) -> float:
    """Return the integrated autocorrelation time of samples, in units of the sampling interval.

    The autocorrelation time of independent samples is 1/2.
    """
    values = np.asarray(samples, dtype=float)
    values = values - values.mean()
    size = values.size
    spectrum = np.abs(np.fft.rfft(values, 2 * size)) ** 2
    correlation = np.fft.irfft(spectrum)[:size] / np.arange(size, 0, -1)
    times = np.cumsum(correlation / correlation[0]) - 0.5
    window = np.flatnonzero(np.arange(size) >= 5.0 * times)
    return float(max(times[window[0] if window.size else -1], 0.5))


@_with_levels
def difference(
    these: ArrayLike, those: ArrayLike, level: float = LEVEL, of: str = "seeds"
) -> Interval:
    """Return the difference of the means of two independent samples.

    The interval is from Welch's t.
    """
    a, b = _finite(these, 2), _finite(those, 2)
    parts = np.array([a.var(ddof=1) / a.size, b.var(ddof=1) / b.size])
    freedom = parts.sum() ** 2 / (parts**2 / [a.size - 1, b.size - 1]).sum() if any(parts) else 1.0
    how = f"{a.size} and {b.size} {of}"
    return _student(a.mean() - b.mean(), math.sqrt(parts.sum()), freedom, level, how)


@_with_levels
def pooled(
    groups: Mapping[Key, Sequence[float]],
    weights: Mapping[Key, float],
    level: float = LEVEL,
    of: str = "seeds",
) -> Interval:
    """Return a weighted sum of the means of groups whose variances are equal."""
    values = {name: _finite(samples, 2) for name, samples in groups.items()}
    freedom = sum(each.size - 1 for each in values.values())
    variance = sum(((each - each.mean()) ** 2).sum() for each in values.values()) / freedom
    part = sum(weight**2 / values[name].size for name, weight in weights.items())
    value = sum(weight * values[name].mean() for name, weight in weights.items())
    count = sum(each.size for each in values.values())
    how = f"{count} {of} of {len(values)} kinds"
    return _student(value, math.sqrt(variance * part), freedom, level, how)


@_with_levels
def weighted(
    groups: Mapping[Key, Sequence[float]],
    weights: Mapping[Key, float],
    level: float = LEVEL,
    of: str = "seeds",
) -> Interval:
    """Return a weighted sum of the means of groups whose variances differ.

    The interval is from Welch's t.
    """
    values = {name: _finite(groups[name], 2) for name in weights}
    value = sum(weight * values[name].mean() for name, weight in weights.items())
    sizes = np.array([values[name].size for name in weights])
    squares = np.array([w**2 * values[name].var(ddof=1) for name, w in weights.items()]) / sizes
    freedom = squares.sum() ** 2 / (squares**2 / (sizes - 1)).sum() if any(squares) else 1.0
    how = f"{sizes.sum()} {of} of {len(sizes)} kinds"
    return _student(value, math.sqrt(squares.sum()), freedom, level, how)


@_with_levels
def ratio(these: ArrayLike, those: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the ratio of the means of paired samples.

    The interval is from Fieller's theorem. It is infinite if the mean of `those` does not differ
    significantly from 0.
    """
    a, b = _finite(these, 2), _finite(those, 2)
    covariance = np.cov(a, b) / a.size
    from scipy import stats

    square = stats.t.ppf(0.5 + 0.5 * level, a.size - 1) ** 2
    # all r for which mean(a - r b) does not differ significantly from 0
    leading = b.mean() ** 2 - square * covariance[1, 1]
    found, how = float(a.mean() / b.mean()), _how(level, f"{a.size} pairs")
    if leading <= 0.0:
        return Interval(found, -math.inf, math.inf, how)
    middle = a.mean() * b.mean() - square * covariance[0, 1]
    last = a.mean() ** 2 - square * covariance[0, 0]
    root = math.sqrt(max(middle**2 - leading * last, 0.0))
    low, high = (middle - root) / leading, (middle + root) / leading
    return Interval(found, min(low, found), max(high, found), how)


@_with_levels
def correlation(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the correlation of independent pairs x, y. The interval is from Fisher's z."""
    a, b = _finite(x, 4), _finite(y, 4)
    z = np.arctanh(np.clip(np.corrcoef(a, b)[0, 1], -1.0 + 1e-15, 1.0 - 1e-15))
    from scipy import stats

    half = stats.norm.ppf(0.5 + 0.5 * level) / math.sqrt(a.size - 3)
    return Interval(z, z - half, z + half, _how(level, f"{a.size} points")).mapped(math.tanh)


@_with_levels
def slope(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the slope of a straight line through independent points."""
    from scipy import stats

    found = stats.linregress(_finite(x, 3), _finite(y, 3))
    count = np.size(x)
    return _student(found.slope, found.stderr, count - 2, level, f"{count} points")


@_with_levels
def jackknife(
    value: float, without: ArrayLike, level: float = LEVEL, of: str = "groups"
) -> Interval:
    """Return a quantity with its jackknife error.

    `without` contains, for each independent group, the value of the quantity without this group.
    """
    others = _finite(without, 2)
    error = math.sqrt((others.size - 1) * others.var())
    return _student(value, error, others.size - 1, level, f"{others.size} {of}")


@_with_levels
def extrapolated(
    x: ArrayLike, y: ArrayLike, degree: int, to: float = 0.0, level: float = LEVEL
) -> Interval:
    """Fit a polynomial to independent points, and return the value of the polynomial at `to`."""
    return _coefficient(x, y, degree, 0, to, level)


@_with_levels
def bend(x: ArrayLike, y: ArrayLike, level: float = LEVEL) -> Interval:
    """Fit a parabola to independent points.

    Return the change of the slope of the parabola from the smallest to the largest x.
    """
    width = float(np.ptp(np.asarray(x, dtype=float)))
    return _coefficient(x, y, 2, 2, 0.0, level).mapped(lambda square: 2.0 * width * square)


def _coefficient(
    x: ArrayLike, y: ArrayLike, degree: int, power: int, origin: float, level: float
) -> Interval:
    a, b = _finite(x, degree + 2), _finite(y, degree + 2)
    powers = np.vander(a - origin, degree + 1, increasing=True)
    found, *_ = np.linalg.lstsq(powers, b, rcond=None)
    freedom = a.size - degree - 1
    variance = float(np.sum((b - powers @ found) ** 2)) / freedom
    error = math.sqrt(variance * np.linalg.inv(powers.T @ powers)[power, power])
    return _student(found[power], error, freedom, level, f"{a.size} points")


@_with_levels
def fraction(hits: int, trials: int, level: float = LEVEL) -> Interval:
    """Return the probability of an event that occurred `hits` times in independent trials."""
    from scipy import stats

    bounds = stats.binomtest(int(hits), int(trials)).proportion_ci(level, method="exact")
    return Interval(hits / trials, bounds.low, bounds.high, _how(level, f"{trials} trials"))


def _student(value: float, error: float, freedom: float, level: float, what: str) -> Interval:
    from scipy import stats

    half = float(stats.t.ppf(0.5 + 0.5 * level, freedom) * error)
    return Interval(float(value), float(value) - half, float(value) + half, _how(level, what))


def _how(level: float, what: str) -> str:
    return f"{100.0 * level:.6g} % from {what}"


def _finite(samples: ArrayLike, fewest: int) -> np.ndarray:
    values = np.asarray(samples, dtype=float).ravel()
    if values.size < fewest or not np.isfinite(values).all():
        raise ValueError(f"an interval needs at least {fewest} finite samples, not {values}")
    return values
