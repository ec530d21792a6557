"""Confidence intervals have the stated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal, stats

from pysuite import statistics
from pysuite.statistics import Interval

TRIALS = 500
LEVEL = 0.9
# three standard deviations of the coverage
SCATTER = 3.0 * np.sqrt(LEVEL * (1.0 - LEVEL) / TRIALS)


def coverage(truth, make, level=LEVEL) -> float:
    found = [make(np.random.default_rng(seed), level) for seed in range(TRIALS)]
    return float(np.mean([interval.low <= truth <= interval.high for interval in found]))


def correlated(rng, memory, size):
    noise = rng.normal(size=size)
    noise[0] /= np.sqrt(1.0 - memory**2)
    return signal.lfilter([1.0], [1.0, -memory], noise)


def test_mean():
    assert coverage(
        2.0, lambda rng, level: statistics.mean(rng.normal(2.0, 3.0, 5), level)
    ) == pytest.approx(LEVEL, abs=SCATTER)


def test_difference():
    def find(rng, level):
        return statistics.difference(rng.normal(2.0, 3.0, 6), rng.normal(1.0, 0.5, 9), level)

    # Welch's number of degrees of freedom is approximate, so the coverage is too
    assert coverage(1.0, find) == pytest.approx(LEVEL, abs=SCATTER + 0.01)


def test_pooled():
    """The true weighted sum of the means is 2 - 3 * 0.5."""

    def find(rng, level):
        groups = {name: rng.normal(mean, 0.4, n) for name, mean, n in (("a", 2, 3), ("b", 0.5, 7))}
        return statistics.pooled(groups, {"a": 1.0, "b": -3.0}, level)

    assert coverage(0.5, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_pooled_needs_two_of_each():
    with pytest.raises(ValueError, match="2 finite samples"):
        statistics.pooled({"a": [1.0, 2.0], "b": [1.0]}, {"a": 1.0})


def test_weighted():
    """The true weighted sum of the means is 2 - 3 * 0.5."""

    def find(rng, level):
        groups = {
            name: rng.normal(mean, scatter, count)
            for name, mean, scatter, count in (("a", 2, 1.5, 6), ("b", 0.5, 0.4, 9))
        }
        return statistics.weighted(groups, {"a": 1.0, "b": -3.0}, level)

    assert coverage(0.5, find) == pytest.approx(LEVEL, abs=SCATTER + 0.01)
    two = {"a": [1.0, 2.0, 4.0], "b": [0.0, 5.0, 7.0, 7.0]}
    alike = statistics.difference(two["a"], two["b"])
    found = statistics.weighted(two, {"a": 1.0, "b": -1.0})
    assert (found.low, found.high) == pytest.approx((alike.low, alike.high))


def test_ratio_of_pairs():
    def find(rng, level):
        common = rng.normal(0.0, 0.3, 8)
        return statistics.ratio(
            2.0 + common + rng.normal(0.0, 0.1, 8), 4.0 + common + rng.normal(0.0, 0.1, 8), level
        )

    assert coverage(0.5, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_correlation():
    def find(rng, level):
        x = rng.normal(size=40)
        return statistics.correlation(x, 0.6 * x + 0.8 * rng.normal(size=40), level)

    # Fisher's z is normally distributed except for terms of order 1/n
    assert coverage(0.6, find) == pytest.approx(LEVEL, abs=SCATTER + 0.01)


def test_slope():
    x = np.linspace(0.0, 1.0, 7)

    def find(rng, level):
        return statistics.slope(x, 3.0 * x + rng.normal(0.0, 0.4, 7), level)

    assert coverage(3.0, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_extrapolated():
    x = np.linspace(0.5, 2.0, 9)

    def find(rng, level):
        y = 1.0 + x - 2.0 * x**2 + rng.normal(0.0, 0.3, 9)
        return statistics.extrapolated(x, y, 2, 0.2, level)

    assert coverage(1.12, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_fraction_covers_at_least_as_often():
    found = coverage(0.2, lambda rng, level: statistics.fraction(rng.binomial(50, 0.2), 50, level))
    assert LEVEL - SCATTER < found < LEVEL + 0.05


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_series_knows_its_memory(memory):
    def find(rng, level):
        return statistics.series(correlated(rng, memory, 2000), level)

    # the autocorrelation time is an estimate, and the blocks remain slightly correlated
    assert coverage(0.0, find) == pytest.approx(LEVEL, abs=SCATTER + 0.03)


def test_without_blocks_a_series_would_claim_too_much():
    def find(rng, level):
        return statistics.mean(correlated(rng, 0.9, 2000), level)

    assert coverage(0.0, find) < 0.5


def test_autocorrelation_time():
    values = correlated(np.random.default_rng(1), 0.8, 200_000)
    # with r = 0.8, the time is (1 + r) / (2 (1 - r)) = 4.5
    assert statistics.autocorrelation_time(values) == pytest.approx(4.5, rel=0.1)
    assert statistics.autocorrelation_time(np.random.default_rng(1).normal(size=9999)) < 0.6


def test_a_short_series_is_refused():
    with pytest.raises(ValueError, match="6 or more blocks are needed"):
        statistics.series(correlated(np.random.default_rng(1), 0.99, 100))


def test_a_ratio_to_nothing_has_no_bounds():
    found = statistics.ratio([1.0, 1.1, 0.9], [0.1, -0.1, 0.05])
    assert (found.low, found.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("samples", [[1.0], [], [1.0, np.nan]])
def test_too_few_samples_are_refused(samples):
    with pytest.raises(ValueError, match="needs at least 2 finite samples"):
        statistics.mean(samples)


def test_the_family_holds_together():
    together = statistics.LEVEL**statistics.STOCHASTIC
    assert together == pytest.approx(statistics.FAMILY)


def test_default_level_is_that_of_the_family():
    samples = np.arange(8.0)
    found = statistics.mean(samples)
    half = stats.t.ppf(0.5 + 0.5 * statistics.LEVEL, 7) * stats.sem(samples)
    assert (found.low, found.high) == pytest.approx((3.5 - half, 3.5 + half))
    assert found.how == "99.999 % from 8 seeds"


def test_refined_says_how_far_the_finer_may_be_off():
    found = statistics.refined(1.2, 1.1)
    assert (found.value, found.low, found.high) == pytest.approx((1.1, 1.0, 1.2))


def test_mapped_turns_the_ends_of_a_falling_function():
    found = Interval(2.0, 1.0, 4.0, "test").mapped(lambda x: 1.0 / x)
    assert (found.value, found.low, found.high) == (0.5, 0.25, 1.0)


def test_the_value_lies_between_the_ends():
    with pytest.raises(ValueError, match="must contain 3"):
        Interval(3.0, 1.0, 2.0, "test")


def test_bend_is_the_change_of_the_slope_of_a_parabola():
    rng = np.random.default_rng(7)
    x = np.linspace(1.0, 3.0, 40)
    exact = statistics.bend(x, 2.0 + 3.0 * x - 0.5 * x**2)
    assert exact.value == pytest.approx(-2.0, rel=1e-9)
    noisy = statistics.bend(x, -0.5 * x**2 + rng.normal(scale=0.1, size=x.size))
    assert noisy.low < -2.0 < noisy.high
    straight = statistics.bend(x, 3.0 * x + rng.normal(scale=0.1, size=x.size))
    assert straight.low < 0.0 < straight.high
