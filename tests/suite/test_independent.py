"""Intervals of differences and quotients have the stated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pysuite import independent, statistics
from pysuite.statistics import Interval

TRIALS, LEVEL = 500, 0.9
SCATTER = 3.0 * math.sqrt(LEVEL * (1.0 - LEVEL) / TRIALS)  # three standard deviations
X = np.linspace(0.0, 1.0, 30)


def coverage(truth, find) -> float:
    found = [find(np.random.default_rng(seed)) for seed in range(TRIALS)]
    return float(np.mean([each.low <= truth <= each.high for each in found]))


def noisy_mean(rng, truth, size):
    return statistics.mean(rng.normal(truth, 1.0, size), LEVEL)


def test_difference():
    def find(rng):
        return independent.difference(noisy_mean(rng, 3.0, 30), noisy_mean(rng, 1.0, 40))

    assert coverage(2.0, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_quotient_with_a_denominator_that_is_hardly_known():
    def find(rng):
        return independent.quotient(noisy_mean(rng, 3.0, 30), noisy_mean(rng, 0.7, 40))

    assert coverage(3.0 / 0.7, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_bend_over_slope_of_the_same_points():
    def find(rng):
        y = 2.0 * X + rng.normal(0.0, 0.4, X.size)
        return independent.quotient(statistics.bend(X, y, LEVEL), statistics.slope(X, y, LEVEL))

    assert coverage(0.0, find) == pytest.approx(LEVEL, abs=SCATTER)


def test_a_quotient_of_nothing_has_no_bounds():
    found = independent.quotient(Interval(1.0, 0.9, 1.1, "a"), Interval(0.1, -0.1, 0.3, "b"))
    assert (found.low, found.high) == (-math.inf, math.inf)


def test_extremes():
    each = [Interval(1.0, 0.0, 2.0, "a"), Interval(0.9, 0.8, 1.0, "b")]
    assert independent.extreme(min, each) == Interval(0.9, 0.0, 1.0, "a, combined with the others")
    assert independent.extreme(max, each) == Interval(1.0, 0.8, 2.0, "a, combined with the others")
