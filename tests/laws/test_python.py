"""The laws in Python: valid arguments, and results of pairs on which no force acts."""

from __future__ import annotations

import numpy as np
import pytest
from granular_plus import _laws

from pysuite import laws

HERTZ = "hertz 1e6 50 tangential mindlin 8e5 1 0.3"
ONE = {"separation": [[0.99, 0.0, 0.0]], "velocity": [[0.0, 1.0, 0.0]], "timestep": 1e-5}


def evaluate(**changes):
    return laws.ContactModel(HERTZ).evaluate(**(ONE | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"separation": [0.99, 0.0, 0.0]},
            r"separation has shape \(3,\), but must have shape \(n, 3\)",
        ),
        ({"separation": [[0.99], [0.9]]}, r"separation has shape \(2, 1\), but must have shape"),
        ({"separation": "here"}, "separation is not an array of numbers"),
        ({"separation": [[0.99, np.nan, 0.0]]}, r"separation\[0, 1\] = nan must be finite"),
        ({"velocity": [0.0, 1.0, 0.0]}, r"velocity has shape \(3,\), but must have shape \(1, 3\)"),
        ({"velocity": [[0.0, np.inf, 0.0]]}, r"velocity\[0, 1\] = inf must be finite"),
        ({"spin_i": 1.0}, r"spin_i has shape \(\), but must have shape \(1, 3\)"),
        ({"spin_j": [np.nan, 0.0, 0.0]}, r"spin_j\[0, 0\] = nan must be finite"),
        ({"radius_i": -1.0}, "radius_i = -1 must be > 0 and finite"),
        ({"radius_j": [0.5, 0.5]}, r"radius_j has shape \(2,\), but must have shape \(1,\)"),
        ({"mass_i": 0.0}, "mass_i = 0 must be > 0 and finite"),
        ({"mass_i": np.inf}, "mass_i = inf must be > 0 and finite"),
        ({"mass_j": np.nan}, "mass_j = nan must be > 0"),
        ({"timestep": -1.0}, "timestep = -1 must be >= 0 and finite"),
        ({"timestep": np.nan}, "timestep = nan must be >= 0 and finite"),
        ({"history": np.zeros(3)}, r"history has shape \(3,\), but must have shape \(1, 3\)"),
        ({"history": [[0.0, np.nan, 0.0]]}, r"history\[0, 1\] = nan must be finite"),
        ({"clone": "8086"}, "there is no clone 8086"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        evaluate(**changes)


@pytest.mark.parametrize(
    ("radius", "message"),
    [
        (0.0, "surface_radius = 0 must be a number other than 0"),
        (np.nan, "surface_radius = nan must be"),
        (-0.5, r"surface_radius\[0\] = -0.5 must be > 0 or, if concave, < -radius_i"),
    ],
)
def test_a_hollow_into_which_no_sphere_fits(radius, message):
    wall = laws.ContactModel(HERTZ, wall=True)
    with pytest.raises(ValueError, match=message):
        wall.evaluate(**(ONE | {"separation": [[0.49, 0.0, 0.0]], "surface_radius": radius}))


def test_reach_needs_radii():
    model = laws.ContactModel("bridge willett 0.07 20 volume 1e-3")
    with pytest.raises(ValueError, match="radius_j = 0 must be > 0"):
        model.breaking_gap(0.5, 0.0)
    assert 0.0 < model.breaking_gap(0.5, np.inf) < 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state": [0.0, 0.0, 0.0]}, r"state has shape \(3,\), but must have shape \(n, 3\)"),
        ({"stiffness": -1.0}, "stiffness = -1 must be >= 0 and finite"),
        ({"damping": [1.0, np.nan]}, r"damping has shape \(2,\), but must have shape \(1,\)"),
        ({"bound": np.nan}, "bound = nan must be >= 0"),
        ({"timestep": -1.0}, "timestep = -1 must be >= 0 and finite"),
    ],
)
def test_bad_springs_are_named(change, message):
    good = {"state": np.zeros((1, 3)), "velocity": np.ones((1, 3)), "stiffness": 1.0}
    good |= {"damping": 1.0, "bound": 1.0, "timestep": 0.1}
    with pytest.raises(ValueError, match=message):
        laws.slide("csds", **(good | change))


def test_elementary_functions_take_one_row():
    with pytest.raises(ValueError, match=r"x has shape \(1, 1\), but must have shape \(n,\)"):
        laws.elementary("exponential", [[1.0]])


def test_nothing_acts_where_surfaces_are_apart(model_text):
    model = laws.ContactModel(model_text)
    if "bridge willett" in model_text:
        far = np.array([[1e3, 0.0, 0.0], [1.0, 0.0, 0.0]])
    else:
        far = np.array([[2.0, 0.0, 0.0], [0.0, 1e200, 0.0]])
    history = np.full((2, model.history_size), 0.1)
    velocity = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    step = model.evaluate(far, velocity, timestep=1e-3, spin_i=(1.0, 2.0, 3.0), history=history)
    for values in vars(step).values():
        assert np.isfinite(values).all()
    if "bridge willett" not in model_text:
        for values in vars(step).values():
            assert not values.any()


def test_one_that_touches_among_others_that_do_not():
    near, far = [0.99, 0.0, 0.0], [1.5, 0.0, 0.0]
    velocity = [[0.0, 1.0, 0.0]] * 40
    separation = [near if k % 3 else far for k in range(40)]
    mixed = laws.ContactModel(HERTZ).evaluate(separation, velocity, timestep=1e-5)
    alone = laws.ContactModel(HERTZ).evaluate([near], [[0.0, 1.0, 0.0]], timestep=1e-5)
    touching = np.arange(40) % 3 > 0
    for name, values in vars(mixed).items():
        expected = np.broadcast_to(getattr(alone, name), values[touching].shape)
        np.testing.assert_array_equal(values[touching], expected)
        assert not values[~touching].any()


def test_a_wall_that_is_not_touched_does_nothing():
    wall = laws.ContactModel(HERTZ, wall=True)
    step = wall.evaluate([[0.6, 0.0, 0.0]], [[1.0, 2.0, 0.0]], timestep=1e-3)
    assert not any(values.any() for values in vars(step).values())


def test_adhesion_holds_across_a_gap_within_its_reach_only():
    model = laws.ContactModel("jkr 4e4 0.5 0.3 0.5 tangential linear_nohistory 1 0.3")
    reach = model.breaking_gap(0.5, 0.5)
    assert reach > 0.0
    gaps = np.array([0.9, 1.1]) * reach
    separation = np.stack([1.0 + gaps, 0.0 * gaps, 0.0 * gaps], axis=1)
    step = model.evaluate(separation, np.zeros((2, 3)), timestep=0.0)
    assert step.force[0, 0] < 0.0
    assert not step.force[1].any()


def test_a_model_without_history_returns_none():
    model = laws.ContactModel("hooke 1e4 5 tangential linear_nohistory 1 0.3")
    assert model.history_size == 0
    count, scalar = 2, np.ones(2)
    vectors = np.full((count, 3), 0.5)
    result = _laws.evaluate(
        model.text, False, vectors, vectors, vectors, vectors, scalar, scalar, scalar, scalar,
        np.full(count, np.inf), None, np.zeros((count, 0)), 1e-3, "", False,
    )  # fmt: skip
    assert result["history"].shape == (count, 0)
    assert model.evaluate(vectors, vectors, timestep=1e-3).history.shape == (count, 0)


def test_no_contact_is_no_error():
    none = np.zeros((0, 3))
    step = laws.ContactModel(HERTZ).evaluate(none, none, timestep=1e-3)
    assert (step.force.shape, step.history.shape) == ((0, 3), (0, 3))


def test_numbers_are_written_as_they_were_given():
    model = laws.ContactModel("hertz 1e6 0.3 tangential mindlin 800000 0.1 0.7")
    assert repr(model) == (
        "ContactModel('hertz 1000000 0.3 damping viscoelastic tangential mindlin 800000 0.1 0.7 "
        "rolling none twisting none slider csds bridge none')"
    )


def test_numbers_that_need_all_their_digits_keep_them():
    rng = np.random.default_rng(1)
    for value in map(
        float, (1 / 3, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, *rng.lognormal(0, 50, 300))
    ):
        text = laws.ContactModel(f"hooke {value!r} 1 tangential linear_nohistory 1 0.3").text
        assert float(text.split()[1]) == value


def test_laws_have_the_keys_that_their_types_name():
    for entries in laws.registry().values():
        for law in entries:
            assert set(law) == set(laws.Law.__annotations__)
            for parameter in law["parameters"]:
                assert set(parameter) == set(laws.Parameter.__annotations__)


def test_words_of_a_classic_style():
    arguments = ["${kn}", "NULL", "$g", "7", "0.5", "1", "limit_damping"]
    words = laws.classic("hertz/history", arguments)
    text = " ".join(word.text for word in words if not word.computed)
    assert text == "hertz ${kn} $g damping viscoelastic tangential mindlin 0.5 limit_damping"
    assert [word for word in words if word.computed] == [
        ("${kn}", "two sevenths", ""),
        ("7", "ratio", "$g"),
    ]
    with pytest.raises(ValueError, match=r"hooke takes Kn Kt .* given: 1 2"):
        laws.classic("hooke", ["1", "2"])
    with pytest.raises(ValueError, match="hooke: dampflag = 2 must be 0 or 1"):
        laws.classic("hooke", ["1", "2", "3", "4", "5", "2"])
    with pytest.raises(ValueError, match="model = jkr must be hooke, hooke/history or hertz/hist"):
        laws.classic("jkr", arguments)
