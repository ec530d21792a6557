"""Claims of Ray, Kempe & Fröhlich 2015: a planted deviation changes the finding."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from pysuite import validation
from pysuite.validation.references import actm

CASES = {case.name: case for case in validation.discover()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claims", "planted"),
    [
        # the damping coefficient is then proportional to the mass
        ({"R3", "R11"}, {"dashpot": "mass_velocity"}),
        ({"R10", "R14"}, {"work": 1e-6}),
    ],
)
def test_a_planted_deviation_is_not_found(claims, planted, tmp_path):
    result = validation.run_case(CASES["damped-hertz"], tmp_path, tier="smoke", overrides=planted)
    assert result.error is None, result.error
    assert claims <= {v.claim for v in result.verdicts if v.finding == "not found"}


@pytest.mark.long
def test_schemes_that_differ_do_not_agree(tmp_path):
    result = validation.run_case(CASES["sedimentation"], tmp_path, overrides={"difference": 100.0})
    assert result.error is None, result.error
    assert "not found" in {v.finding for v in result.verdicts if v.claim == "R9"}


def test_only_rising_work_is_a_trend():
    module = sys.modules[CASES["damped-hertz"].run.__module__]
    e = np.linspace(0.3, 0.97, 8)
    assert module.rise(e, 10.0 - 5.0 * e) == pytest.approx(8.5 / 5.15 - 1.0)
    assert module.rise(e, np.full(8, 7.0)) == pytest.approx(0.0, abs=1e-12)
    assert module.rise(e, 5.0 + e) < 0.0


def test_instructions_are_counted_and_do_not_depend_on_the_machine():
    module = sys.modules[CASES["damped-hertz"].run.__module__]

    def task(n):
        total = 0
        for k in range(n):
            total += k
        return total

    counts = [module.instructions(lambda n=n: task(n)) for n in (10, 10, 20, 30)]
    assert counts[0] == counts[1]
    assert counts[3] - counts[2] == counts[2] - counts[1] > 0


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("undamped_start", [False, True])
@pytest.mark.parametrize("secant", [False, True])
def test_every_iteration_meets_its_tolerance(e, undamped_start, secant):
    result = actm.iterative_contact(e, 1e-3, 1.0, 0.5, undamped_start=undamped_start, secant=secant)
    found, time, _ = actm.resulting_collision(*result.contact, 1.0, 0.5)
    assert found == pytest.approx(e, rel=3e-3)
    assert time == pytest.approx(1e-3, rel=3e-3)
