"""Claims of Führer et al. whose finding is "found" fail if the claimed effect is taken away."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import validation
from pysuite.validation.setups.cooling_gas import Gases

CASES = {case.name: case for case in validation.discover()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changed", "claims"),
    [
        ("sliding-plates", {"discontinuous": "csds"}, ["F2", "F11", "F21"]),
        ("sliding-plates-schemes", {"slider": "dsds"}, ["F22"]),
        ("slider-states", {"slider": "dsds"}, ["F19"]),
        ("slider-states", {"discontinuous": "csds"}, ["F20", "F21"]),
        ("rolling-and-twisting", {"discontinuous": "csds"}, ["F18"]),
        ("random-impacts", {"slider": "dsds"}, ["F5"]),
        ("random-impacts", {"left_out": "slip"}, ["F19"]),
        ("random-impacts", {"left_out": "tangential"}, ["F19"]),
    ],
)
def test_without_the_effect_a_claim_is_red(name, changed, claims, tmp_path):
    result = validation.run_case(CASES[name], tmp_path, tier="smoke", overrides=changed)
    assert result.error is None, result.error
    for number in claims:
        assert not all(v.passed for v in result.verdicts if v.claim == number), number


@pytest.mark.slow
def test_rk4_is_of_second_order_only_if_sliding_changes_to_sticking(tmp_path):
    """At a velocity of 16, the plates slide all the time."""
    changed = {"velocity": 16.0}
    case = CASES["sliding-plates-schemes"]
    result = validation.run_case(case, tmp_path, tier="smoke", overrides=changed)
    assert result.error is None, result.error
    red = [v.quantity for v in result.verdicts if not v.passed]
    assert any("sticks, C-SDS with RK4" in quantity for quantity in red)


@pytest.mark.parametrize(("error", "expected"), [(0.03, "found"), (0.0, "not found")])
def test_a_gas_depends_on_the_temperature_if_its_error_does(error, expected, tmp_path):
    """In the hottest gases, D-SDS gives 1 + `error` times the final temperature of C-SDS."""
    case = CASES["hertz-gas"]
    parts = case.run.__globals__
    ours = Gases(*0.1 * (1.0 + 0.001 * np.random.default_rng(1).normal(size=(2, 16, 3))))
    found = {
        t: parts["Pair"](ours, ours._replace(translation=ours.translation * (1.0 + e)))
        for t, e in zip(parts["TEMPERATURES"], (0.0, 0.0, error), strict=True)
    }
    result = validation.Result(case.name, "", "", "full", "full", {}, folder=tmp_path)
    data = validation.cases_folder() / "data"
    parts["judge"](validation.Context(result, tmp_path, tmp_path, data), found)
    assert [v.finding for v in result.verdicts if v.claim == "F14"] == [expected]
