"""Invariants of every contact model that the registry can form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pysuite import laws

FRICTION, SURFACE_ENERGY = 0.3, 0.5  # as in conftest.py
ADHESIVE, EXPONENT, AT_TOUCH = 1.0e4, 2.0, -0.3  # ADHESIVE: kc, kadh; EXPONENT: chi; AT_TOUCH: f0
YOUNG, POISSON, YIELD = 4.0e4, 0.3, 1.0e4
YIELDING = {law["name"] for law in laws.registry()["normal"] if law["yields"]}


def test_action_equals_reaction(model_text, make_contacts, layout):
    """Results are bitwise equal for both orders in which LAMMPS may list a pair."""
    model = laws.ContactModel(model_text)
    signs = layout(model).signs
    contacts = make_contacts(model)
    one = contacts.evaluate(model)
    other = replace(
        contacts,
        separation=-contacts.separation,
        velocity=-contacts.velocity,
        spin_i=contacts.spin_j,
        spin_j=contacts.spin_i,
        radius_i=contacts.radius_j,
        radius_j=contacts.radius_i,
        mass_i=contacts.mass_j,
        mass_j=contacts.mass_i,
        history=signs * contacts.history,
    ).evaluate(model)
    np.testing.assert_array_equal(other.force, -one.force)
    np.testing.assert_array_equal(other.torque_i, one.torque_j)
    np.testing.assert_array_equal(other.torque_j, one.torque_i)
    np.testing.assert_array_equal(other.history, signs * one.history)
    bears = np.abs(one.force).min(axis=1) > 0.0
    # a yielded contact may have no force if its overlap is less than the plastic overlap
    assert bears.any() if model.text.split()[0] in YIELDING else bears.all()


def test_angular_momentum_is_conserved(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    step = contacts.evaluate(model)
    couple = np.cross(contacts.separation, step.force)
    total = couple + step.torque_i + step.torque_j
    scale = np.abs(step.force).max(axis=1) * np.linalg.norm(contacts.separation, axis=1)
    scale += np.abs(step.torque_i).max(axis=1)
    assert (np.abs(total).max(axis=1) <= 1e-12 * scale).all()


def test_a_turned_contact_gives_the_turned_force(model_text, make_contacts, layout):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    turn = Rotation.from_quat(np.random.default_rng(5).normal(size=4)).apply

    def turned(history):
        result = history.copy()
        for first in layout(model).vectors:
            result[:, first : first + 3] = turn(history[:, first : first + 3])
        return result

    here = contacts.evaluate(model)
    there = replace(
        contacts,
        separation=turn(contacts.separation),
        velocity=turn(contacts.velocity),
        spin_i=turn(contacts.spin_i),
        spin_j=turn(contacts.spin_j),
        history=turned(contacts.history),
    ).evaluate(model)
    # a small overlap has a large relative rounding error
    tolerance = {"rtol": 1e-9, "atol": 1e-10 * np.abs(here.force).max()}
    np.testing.assert_allclose(there.force, turn(here.force), **tolerance)
    np.testing.assert_allclose(there.torque_i, turn(here.torque_i), **tolerance)
    np.testing.assert_allclose(there.torque_j, turn(here.torque_j), **tolerance)
    history = turned(here.history)
    np.testing.assert_allclose(there.history, history, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("situation", ["touching", "one bit", "new", "coincident", "at rest"])
def test_results_are_finite(model_text, situation, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    if situation == "touching":
        contacts = contacts.with_overlap(0.0)
        distance = np.linalg.norm(contacts.separation, axis=1)
        apart = distance > contacts.radius_i + contacts.radius_j
        contacts.separation[apart] *= 1 - 2.3e-16  # the gap is only round-off
    elif situation == "one bit":
        contacts = contacts.with_overlap(2.3e-16)
    elif situation == "new":
        contacts = replace(contacts, history=np.zeros_like(contacts.history))
    elif situation == "coincident":
        contacts = replace(contacts, separation=np.zeros_like(contacts.separation))
    elif situation == "at rest":
        still = np.zeros_like(contacts.velocity)
        contacts = replace(contacts, velocity=still, spin_i=still, spin_j=still)
    for timestep in (0.0, 1e-3, 1e3):
        step = contacts.evaluate(model, timestep)
        for name, values in vars(step).items():
            assert np.isfinite(values).all(), name


def across(vectors: np.ndarray, normal: np.ndarray) -> np.ndarray:
    return vectors - (vectors * normal).sum(axis=1)[:, None] * normal


def coulomb_force(model: laws.ContactModel, contacts) -> np.ndarray:
    """Return the force whose product with mu is the Coulomb limit."""
    normal_force = contacts.evaluate(model).normal_force
    name = model.text.split()[0]
    still = replace(contacts, velocity=np.zeros_like(contacts.velocity))
    distance = np.linalg.norm(contacts.separation, axis=1)
    overlap = np.maximum(contacts.radius_i + contacts.radius_j - distance, 0.0)
    if name in ("dmt", "jkr"):  # adhesion is twice the pull-off force
        adhesion = {"dmt": 8, "jkr": 6}[name] * np.pi * SURFACE_ENERGY * effective_radius(contacts)
    elif name == "luding":
        adhesion = ADHESIVE * overlap
    elif name == "edinburgh":
        adhesion = ADHESIVE * overlap**EXPONENT - AT_TOUCH
    elif name == "thornton_ning":
        adhesion = 6 * np.pi * SURFACE_ENERGY * flattened_radius(model, contacts)
    else:
        return np.abs(normal_force)
    bound = np.abs(still.evaluate(model).normal_force + adhesion)
    return np.where(only_bridged(model, contacts), 0.0, bound)


def flattened_radius(model: laws.ContactModel, contacts) -> np.ndarray:
    """Return radii of curvature for the law thornton_ning; 0 for contacts that are torn off."""
    _, _, a, joined = contacts.evaluate(model).history[:, :4].T
    radius, modulus = effective_radius(contacts), YOUNG / (2 * (1 - POISSON**2))
    a = np.where(a > 0.0, a, 1.0)
    high, low = (
        2 * modulus * a / (np.pi * radius),
        np.sqrt(4 * SURFACE_ENERGY * modulus / np.pi / a),
    )
    s = (YIELD + np.sqrt(YIELD**2 + 4 * high * low)) / (2 * high)
    force = 2 * np.pi * a**2 * (high * s**3 / 3 - low * s + YIELD * (1 - s**2) / 2)
    force += 4 * np.sqrt(np.pi * SURFACE_ENERGY * modulus * a**3)
    yielded = contacts.evaluate(model).history[:, 2] > 0.0
    return joined * np.where(yielded, 4 * modulus * a**3 / (3 * force), radius)


def only_bridged(model: laws.ContactModel, contacts) -> np.ndarray:
    distance = np.linalg.norm(contacts.separation, axis=1)
    apart = distance >= contacts.radius_i + contacts.radius_j
    return apart & ("bridge willett" in model.text)


def capillary_pull(model: laws.ContactModel, contacts) -> np.ndarray:
    _, keyword, bridge = model.text.partition(" heat ")[0].partition("bridge ")
    if bridge == "none":
        return np.zeros(len(contacts.separation))
    bridges = laws.ContactModel(keyword + bridge)
    # the bridge's history values come last
    own = contacts.history.shape[1] - bridges.history_size
    contacts = replace(contacts, history=np.ascontiguousarray(contacts.history[:, own:]))
    return np.linalg.norm(contacts.evaluate(bridges).force, axis=1)


def effective_radius(contacts) -> np.ndarray:
    return 1 / (1 / contacts.radius_i + 1 / contacts.radius_j)


def test_friction_is_tangential_and_within_coulombs_bound(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    step = contacts.evaluate(model)
    distance = np.linalg.norm(contacts.separation, axis=1)
    normal = contacts.separation / distance[:, None]
    along = (step.force * normal).sum(axis=1)
    friction = np.linalg.norm(across(step.force, normal), axis=1)
    size = np.linalg.norm(step.force, axis=1)
    central = step.normal_force - capillary_pull(model, contacts)
    np.testing.assert_allclose(along, central, rtol=1e-9, atol=1e-9 * size.max())
    assert (friction[only_bridged(model, contacts)] <= 1e-15).all()
    if "slider truncate" in model.text and "linear_nohistory" not in model.text:
        return  # truncate does not limit the force of the dashpot
    if model.text.startswith("bridge"):
        return
    if "linear_nohistory" in model.text and model.text.split()[0] in YIELDING:
        assert (friction <= 1e-13 * size).all()  # no dashpot without the keyword eta
        return
    bound = FRICTION * coulomb_force(model, contacts)
    assert (friction <= bound * (1 + 1e-12) + 1e-13 * size).all()
    assert (friction > 0.999 * bound).any()
    assert (friction < 0.999 * bound).any()


def test_rolling_and_twisting_couples_are_within_their_bounds(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    step = contacts.evaluate(model)
    distance = np.linalg.norm(contacts.separation, axis=1)
    normal = contacts.separation / distance[:, None]
    radius = effective_radius(contacts)
    arm = contacts.radius_i - 0.5 * (contacts.radius_i + contacts.radius_j - distance)
    friction = np.cross(across(step.force, normal), normal)
    couple = step.torque_i - arm[:, None] * friction
    rolling = np.linalg.norm(across(couple, normal), axis=1)
    twisting = np.abs((couple * normal).sum(axis=1))
    noise = 1e-13 * (np.linalg.norm(step.torque_i, axis=1) + np.linalg.norm(step.force, axis=1))
    limits = {"rolling sds": (rolling, radius), "twisting sds": (twisting, 1.0)}
    for law, resistance in (("rolling none", rolling), ("twisting none", twisting)):
        assert law not in model.text or (resistance <= noise).all()
    for law, (resistance, length) in limits.items():
        if law in model.text and "slider truncate" not in model.text:
            bound = FRICTION * length * coulomb_force(model, contacts)
            assert (resistance <= bound * (1 + 1e-12) + noise).all()
            assert (resistance > 0.999 * bound).any()
            assert (resistance < 0.999 * bound).any()


def test_the_force_as_it_stands_leaves_springs_alone(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    slow = {
        name: 1e-9 * getattr(contacts, name) for name in ("velocity", "spin_i", "spin_j")
    }  # far below the Coulomb limit
    contacts = replace(contacts, history=np.zeros_like(contacts.history), **slow)
    history = contacts.evaluate(model).history
    still = dict.fromkeys(slow, np.zeros_like(contacts.velocity))
    step = replace(contacts, history=history, **still).evaluate(model, timestep=0.0)
    np.testing.assert_allclose(step.history, history, rtol=1e-9, atol=1e-20)
    springs = history[:, : model.history_size - ("/film" in model.text)]  # without film volume
    assert springs.shape[1] == 0 or np.abs(springs).max() > 0.0


def test_all_clones_give_the_same_bits(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    first, *others = (contacts.evaluate(model, clone=clone) for clone in laws.clones())
    for other in others:
        for name, values in vars(first).items():
            assert np.array_equal(values, getattr(other, name)), name


def test_lanes_do_not_know_of_each_other(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    together = contacts.evaluate(model)
    for lane in (0, 7, 127, 128, 299):
        one = type(contacts)(**{k: v[lane : lane + 1] for k, v in vars(contacts).items()})
        alone = one.evaluate(model)
        np.testing.assert_array_equal(alone.force[0], together.force[lane])
        np.testing.assert_array_equal(alone.history[0], together.history[lane])


def test_wrong_shapes_and_clones_are_refused(make_contacts):
    model = laws.ContactModel("hooke 1 1 tangential linear_history 1 1 0.5")
    contacts = make_contacts(model)
    with pytest.raises(ValueError, match="there is no clone abacus"):
        contacts.evaluate(model, clone="abacus")
    with pytest.raises(ValueError, match=r"must have shape \(300, 3\)"):
        replace(contacts, history=np.zeros((300, 4))).evaluate(model)
    with pytest.raises(ValueError, match=r"history has shape \(299, 3\)"):
        replace(contacts, history=np.zeros((299, 3))).evaluate(model)
