"""`pysuite.measure` on data whose angle, rate, coordination and fabric are known."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import measure

RNG = np.random.default_rng(5)


def test_the_angle_of_a_heap_of_known_slope():
    """Of points on two slopes of 27 degrees the angle is exact, and has no error."""
    place = np.linspace(-5.0, 5.0, 21)
    height = 4.0 - np.tan(np.radians(27.0)) * np.abs(place - 0.5)
    angle = measure.angle_of_repose(np.column_stack([place, height]), centre=0.5)
    assert angle.value == pytest.approx(27.0, abs=1e-10)
    assert angle.error < 1e-6


def test_the_error_of_an_angle_is_its_scatter():
    """Angles of 400 heaps with rough surfaces scatter by their errors, within 10 %."""
    place = np.linspace(-5.0, 5.0, 21)
    found = []
    for _ in range(400):
        height = 4.0 - 0.5 * np.abs(place) + RNG.normal(0.0, 0.1, place.size)
        found.append(measure.angle_of_repose(np.column_stack([place, height])))
    errors = np.sqrt(np.mean([angle.error**2 for angle in found]))
    assert np.std([angle.value for angle in found]) == pytest.approx(errors, rel=0.1)


def test_the_free_surface_is_the_highest_grain_of_each_bin():
    surface = measure.free_surface([0.1, 0.2, 1.5, 9.0], [1.0, 2.0, 0.2, 7.0], [0, 1, 2, 3], 0.5)
    np.testing.assert_array_equal(surface, [[0.5, 2.0], [1.5, 0.5], [2.5, 0.5]])


def test_a_steady_flow_has_its_rate():
    """The error is that of a sum of independent increments: the scatter over 200 flows."""
    time = np.arange(201.0)
    flows = []
    for _ in range(200):
        passed = np.concatenate([[0.0], np.cumsum(RNG.normal(3.0, 1.0, 200))])
        flows.append(measure.mass_flow(time, passed))
    assert measure.mass_flow(time, 3.0 * time) == pytest.approx((3.0, 0.0), abs=1e-12)
    errors = np.sqrt(np.mean([flow.error**2 for flow in flows]))
    assert errors == pytest.approx(1.0 / np.sqrt(200.0), rel=0.1)
    assert np.std([flow.value for flow in flows]) == pytest.approx(errors, rel=0.15)


def test_coordination_without_rattlers():
    """Four grains that touch each other, a fifth that hangs on them, a sixth alone."""
    first, second = [1, 1, 1, 2, 2, 3, 5], [2, 3, 4, 3, 4, 4, 1]
    found = measure.coordination(first, second, 6, least=3)
    assert found == (14 / 6, 3.0, pytest.approx(2 / 6))
    assert measure.coordination(first, second, 6, least=4) == (14 / 6, 0.0, 1.0)
    # on a floor, which holds but is no grain
    assert measure.coordination([1], [0], 1, least=1) == (1.0, 1.0, 0.0)


def test_fabric_of_known_directions():
    np.testing.assert_allclose(
        measure.fabric([[2, 0, 0], [-1, 0, 0], [0, 3, 0], [0, 0, -1]]),
        np.diag([0.5, 0.25, 0.25]),
    )
    np.testing.assert_allclose(
        measure.fabric([[1, 1, 0], [0, 0, 1]], [3.0, 1.0]),
        [[0.375, 0.375, 0], [0.375, 0.375, 0], [0, 0, 0.25]],
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure.angle_of_repose([[0, 1], [1, 0]]), "shape \\(3 or more, 2\\)"),
        (lambda: measure.free_surface([0], [0, 1], [0, 1]), "must be equal"),
        (lambda: measure.free_surface([0], [0], [1, 0]), "each larger than the one before"),
        (lambda: measure.mass_flow([0, 1, 1, 2], [0, 1, 2, 3]), "larger than the one before"),
        (lambda: measure.mass_flow([0, 1], [0, 1]), "n >= 4"),
        (lambda: measure.coordination([1], [2], 1), "grains = 1 must be >= 2"),
        (lambda: measure.fabric([[0, 0, 0]]), "a normal is zero"),
        (lambda: measure.fabric([[1, 0, 0]], [1, 2]), "one for each contact"),
    ],
)
def test_bad_data_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
