"""Liquid bridges: the compiled laws compared with formulas, and the functions that they use."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pysuite import laws
from pysuite.validation.references import bridges

LAWS = {"willett": bridges.Bridge.force, "willett/simple": bridges.Bridge.simple_force}
MODEL = "hooke 1e3 2 damping velocity tangential linear_history 500 0.5 0.4"


def pull(text: str, gaps, radius_i: float = 0.5, radius_j: float = 0.5, **options) -> np.ndarray:
    """Return the pull of a model with only bridges, and the gaps between the rounded positions."""
    separation = np.zeros((len(gaps), 3))
    separation[:, 0] = radius_i + radius_j + np.asarray(gaps)
    step = laws.ContactModel(f"bridge {text}").evaluate(
        separation,
        np.zeros_like(separation),
        timestep=1e-3,
        radius_i=radius_i,
        radius_j=radius_j,
        **options,
    )
    assert (step.force[:, 1:] == 0.0).all()
    return -step.force[:, 0], separation[:, 0] - (radius_i + radius_j)


# ---------------------------------------------------------------------------- elementary functions


@pytest.mark.parametrize(
    ("function", "reference", "low", "high"),
    [
        ("logarithm", np.log, 1e-300, 1e300),
        ("exponential", lambda x: np.exp(x), 1e-10, 700.0),
        ("exponential", lambda x: np.exp(x), -700.0, -1e-10),
        ("arctangent", np.arctan, 1e-10, 1e10),
    ],
)
def test_elementary_functions(function, reference, low, high):
    rng = np.random.default_rng(1)
    sign = 1.0 if high > 0 else -1.0
    x = sign * 10.0 ** rng.uniform(*sorted(np.log10(np.abs([low, high]))), 20000)
    np.testing.assert_allclose(laws.elementary(function, x), reference(x), rtol=1e-15, atol=0)


def test_logarithm_near_one():
    x = 1.0 + np.concatenate([[0.0], np.geomspace(1e-15, 0.6, 500), -np.geomspace(1e-15, 0.4, 500)])
    np.testing.assert_allclose(laws.elementary("logarithm", x), np.log(x), rtol=1e-15, atol=0)


def test_exponential_stays_finite():
    ends = laws.elementary("exponential", [-np.inf, -1e9, 1e9, np.inf])
    np.testing.assert_allclose(ends, np.exp([-708.0, -708.0, 709.0, 709.0]), rtol=1e-15)


# --------------------------------------------------------------------------------------- the laws


@pytest.mark.parametrize("law", LAWS)
def test_force_and_rupture_on_random_pairs(law):
    rng = np.random.default_rng(2)
    for _ in range(1000):
        radius_i, radius_j = rng.uniform(0.1, 2.0, 2)
        radius = float(bridges.derjaguin_radius(radius_i, radius_j))
        degrees = rng.uniform(0.0, 50.0)
        bridge = bridges.Bridge(
            rng.uniform(0.1, 10.0),
            math.radians(degrees),
            10.0 ** rng.uniform(-3, -1) * radius**3,
            radius,
        )
        text = f"{law} {bridge.tension!r} {degrees!r} volume {bridge.volume!r}"
        gaps = rng.uniform(0.0, bridge.rupture_distance, 3)
        found, gaps = pull(text, gaps, radius_i, radius_j)
        np.testing.assert_allclose(found, LAWS[law](bridge, gaps), rtol=1e-13, atol=0)
        reach = laws.ContactModel(f"bridge {text}").breaking_gap(radius_i, radius_j)
        np.testing.assert_allclose(reach, bridge.rupture_distance, rtol=1e-14)


@pytest.mark.parametrize("law", LAWS)
def test_force_is_constant_in_overlap_and_continuous_at_touch(law):
    text = f"{law} 0.7 20 volume 2e-3"
    found, _ = pull(text, [-0.3, -1e-3, 0.0, 1e-15, 1e-12, 1e-9, 1e-6])
    assert (found[:3] == found[0]).all()
    np.testing.assert_allclose(found[3:5], found[0], rtol=1e-8)
    assert (np.diff(found) <= 5e-15 * found[0]).all()
    assert found[-1] < found[0]


@pytest.mark.parametrize("degrees", [0.0, 10.0, 30.0, 50.0, 89.0])
@pytest.mark.parametrize("ratio", [1e-9, 1e-6, 1e-4, 1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("law", LAWS)
def test_force_within_and_beyond_the_fit(law, degrees, ratio):
    bridge = bridges.Bridge(1.0, math.radians(degrees), ratio * 0.5**3, 0.5)
    gaps = np.concatenate([[0.0], np.geomspace(1e-12, 1.0, 300) * bridge.rupture_distance])
    found, gaps = pull(f"{law} 1 {degrees} volume {bridge.volume!r}", gaps)
    noise = 5e-15 * found[0]  # a few units in the last place
    if degrees <= 50.0 and 1e-4 <= ratio <= 1.0:
        assert (np.diff(found) <= noise).all()
    assert (found >= 0.0).all()
    if degrees <= 50.0:
        assert (found <= found[0] + noise).all()
    np.testing.assert_allclose(found, LAWS[law](bridge, gaps), rtol=1e-12, atol=0)


@pytest.mark.parametrize("law", LAWS)
def test_a_wall_is_a_sphere_of_infinite_radius(law):
    """At a wall, the Derjaguin radius is 2 R instead of R, its value for two equal spheres."""
    text = f"{law} 0.7 20 volume 2e-3"
    wall = bridges.Bridge(0.7, math.radians(20.0), 2e-3, 1.0)
    reach = laws.ContactModel(f"bridge {text}").breaking_gap(0.5, np.inf)
    np.testing.assert_allclose(reach, wall.rupture_distance, rtol=1e-14)
    found, _ = pull(text, [0.0], 0.5, 1e12)
    np.testing.assert_allclose(found, LAWS[law](wall, 0.0), rtol=1e-11)


@pytest.mark.parametrize("law", LAWS)
def test_keyword_is_the_contact_law_less_the_pull(law):
    rng = np.random.default_rng(3)
    count = 300
    text = f"{law} 2.0 30 volume 4e-3"
    separation = rng.normal(size=(count, 3))
    gap = rng.uniform(-0.05, 0.1, count)
    separation *= ((1.0 + gap) / np.linalg.norm(separation, axis=1))[:, None]
    velocity = rng.normal(size=(count, 3))
    state = {"timestep": 1e-3, "history": rng.normal(size=(count, 3)) * 1e-3}
    wet = laws.ContactModel(f"{MODEL} bridge {text}").evaluate(separation, velocity, **state)
    dry = laws.ContactModel(MODEL).evaluate(separation, velocity, **state)
    bridge = laws.ContactModel(f"bridge {text}").evaluate(separation, velocity, timestep=1e-3)
    touches = np.linalg.norm(separation, axis=1) < 1.0
    assert 50 < touches.sum() < 250
    scale = np.abs(dry.force[touches]).max()
    np.testing.assert_allclose(
        wet.force[touches], (dry.force + bridge.force)[touches], rtol=0, atol=1e-14 * scale
    )
    np.testing.assert_array_equal(wet.torque_i[touches], dry.torque_i[touches])
    np.testing.assert_array_equal(wet.history[touches], dry.history[touches])
    np.testing.assert_array_equal(wet.force[~touches], bridge.force[~touches])
    for nothing in (wet.torque_i, wet.torque_j, wet.history, wet.normal_force):
        assert (nothing[~touches] == 0.0).all()


# ---------------------------------------------------------------------------------------- grammar


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("willett 1 20 1e-3", ["4 arguments", "gamma theta volume V"]),
        ("willett 1 20 amount 1e-3", ["amount", "volume"]),
        ("willett -1 20 volume 1e-3", ["gamma = -1", ">= 0"]),
        ("willett nan 20 volume 1e-3", ["gamma", "finite"]),
        ("willett 1 90 volume 1e-3", ["theta = 90", ">= 0 and < 90"]),
        ("willett 1 -5 volume 1e-3", ["theta = -5"]),
        ("willett 1 20 volume 0", ["V = 0", "> 0"]),
        ("willett 1 20 volume -1", ["V = -1", "> 0"]),
        ("willett/simple 1 95 volume 1", ["theta = 95", "willett/simple"]),
        ("rumpf 1 20 volume 1", ["rumpf", "willett/simple"]),
    ],
)
def test_what_is_refused(words, named):
    for text in (f"{MODEL} bridge {words}", f"bridge {words}"):
        with pytest.raises(ValueError) as refused:  # noqa: PT011
            laws.ContactModel(text)
        for word in named:
            assert word in str(refused.value)


def test_companies_that_are_refused():
    bridge = "bridge willett 1 20 volume 1e-3"
    with pytest.raises(ValueError, match="cannot be combined with the normal model jkr"):
        laws.ContactModel(f"jkr 1e4 1 0.3 1 tangential linear_nohistory 0 0 {bridge}")
    with pytest.raises(ValueError, match="needs a normal model"):
        laws.ContactModel(f"{bridge} tangential linear_history 1 1 1")
    with pytest.raises(ValueError, match="defines no force"):
        laws.ContactModel("bridge none")


def mean_of_cosines(one: float, other: float) -> float:
    return 0.5 * (math.cos(math.radians(one)) + math.cos(math.radians(other)))


def test_bridges_mix_and_come_back_from_text():
    """Parameters mix geometrically; for contact angles, the cosines are averaged."""
    one, other = "bridge willett 1 10 volume 1e-3", "bridge willett 4 40 volume 4e-3"
    for model in ("", f"{MODEL} "):
        *_, bridge, name, tension, angle, label, volume = laws.mix(
            model + one, model + other
        ).split()
        assert (bridge, name, tension, label, volume) == (
            "bridge",
            "willett",
            "2",
            "volume",
            "0.002",
        )
        assert math.cos(math.radians(float(angle))) == pytest.approx(mean_of_cosines(10, 40))
        assert laws.ContactModel(laws.ContactModel(model + one).text).text.endswith(
            "bridge willett 1 10 volume 0.001"
        )
    with pytest.raises(ValueError, match="cannot mix bridge models willett and none"):
        laws.mix(f"{MODEL} {one}", MODEL)


@pytest.mark.parametrize("liquid", ["volume 1e-3", "film share 0.5"])
@pytest.mark.parametrize("law", ["willett", "willett/simple"])
@pytest.mark.parametrize("angles", [(0, 60), (10, 50), (60, 0), (20, 20)])
def test_contact_angles_mix_by_their_cosines(law, liquid, angles):
    """Each of two unlike grains contributes half of a small bridge's pull."""
    one, other = (f"{MODEL} bridge {law} 1 {angle} {liquid}" for angle in angles)
    mixed = laws.mix(one, other).split()
    angle = float(mixed[mixed.index("bridge") + 3])
    assert math.cos(math.radians(angle)) == pytest.approx(mean_of_cosines(*angles), rel=1e-14)
    if angles[0] == angles[1]:
        assert angle == angles[0]
