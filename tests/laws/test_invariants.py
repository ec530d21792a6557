"""What every stack of laws that the registry can form must obey."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pysuite import laws

FRICTION = 0.3


def flipped(history: np.ndarray) -> np.ndarray:
    """History as the partner sees it: leading vectors change sign, scalars do not."""
    signs = np.ones(history.shape[1])
    signs[: 3 * (history.shape[1] // 3)] = -1.0
    return signs * history


def test_action_equals_reaction(stack_text, make_contacts):
    """To the last bit, so that no result hangs on the order in which LAMMPS lists a pair."""
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    one = contacts.evaluate(stack)
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
        history=flipped(contacts.history),
    ).evaluate(stack)
    np.testing.assert_array_equal(other.force, -one.force)
    np.testing.assert_array_equal(other.torque_i, one.torque_j)
    np.testing.assert_array_equal(other.torque_j, one.torque_i)
    np.testing.assert_array_equal(other.history, flipped(one.history))
    assert np.abs(one.force).min() > 0.0


def test_angular_momentum_is_conserved(stack_text, make_contacts):
    """Torques balance the couple of the forces: both act at one point between the surfaces."""
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    step = contacts.evaluate(stack)
    couple = np.cross(contacts.separation, step.force)
    total = couple + step.torque_i + step.torque_j
    scale = np.abs(step.force).max(axis=1) * np.linalg.norm(contacts.separation, axis=1)
    assert (np.abs(total).max(axis=1) <= 1e-12 * scale).all()


def test_a_turned_contact_gives_the_turned_force(stack_text, make_contacts):
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    turn = Rotation.from_quat(np.random.default_rng(5).normal(size=4)).apply

    def turned(history):
        vectors = 3 * (history.shape[1] // 3)
        parts = [turn(history[:, n : n + 3]) for n in range(0, vectors, 3)]
        return np.hstack([*parts, history[:, vectors:]])

    here = contacts.evaluate(stack)
    there = replace(
        contacts,
        separation=turn(contacts.separation),
        velocity=turn(contacts.velocity),
        spin_i=turn(contacts.spin_i),
        spin_j=turn(contacts.spin_j),
        history=turned(contacts.history),
    ).evaluate(stack)
    # the overlap is a difference of lengths: its own rounding is amplified where it is small
    tolerance = {"rtol": 1e-9, "atol": 1e-10 * np.abs(here.force).max()}
    np.testing.assert_allclose(there.force, turn(here.force), **tolerance)
    np.testing.assert_allclose(there.torque_i, turn(here.torque_i), **tolerance)
    np.testing.assert_allclose(there.torque_j, turn(here.torque_j), **tolerance)
    history = turned(here.history)
    np.testing.assert_allclose(there.history, history, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("situation", ["touching", "one bit", "new", "coincident", "at rest"])
def test_results_are_finite(stack_text, situation, make_contacts):
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    if situation == "touching":
        contacts = contacts.with_overlap(0.0)
        distance = np.linalg.norm(contacts.separation, axis=1)
        apart = distance > contacts.radius_i + contacts.radius_j
        contacts.separation[apart] *= 1 - 2.3e-16  # a pair that rounding has parted is no contact
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
        step = contacts.evaluate(stack, timestep)
        for name, values in vars(step).items():
            assert np.isfinite(values).all(), name


def test_friction_is_tangential_and_within_coulombs_bound(stack_text, make_contacts):
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    step = contacts.evaluate(stack)
    distance = np.linalg.norm(contacts.separation, axis=1)
    normal = contacts.separation / distance[:, None]
    along = (step.force * normal).sum(axis=1)
    friction = np.linalg.norm(step.force - along[:, None] * normal, axis=1)
    size = np.linalg.norm(step.force, axis=1)
    np.testing.assert_allclose(along, step.normal_force, rtol=1e-9, atol=1e-9 * size.max())
    if "slider truncate" in stack.text and "linear_nohistory" not in stack.text:
        return  # holds the bound for the spring alone
    bound = FRICTION * np.abs(step.normal_force)
    assert (friction <= bound * (1 + 1e-12) + 1e-13 * size).all()
    assert (friction > 0.999 * bound).any()
    assert (friction < 0.999 * bound).any()


def test_the_force_as_it_stands_leaves_the_spring_alone(stack_text, make_contacts):
    """A time step of 0 (LAMMPS's setup and output): springs in the plane and sticking stay."""
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    history = contacts.history
    if stack.history_size:
        normal = contacts.separation / np.linalg.norm(contacts.separation, axis=1)[:, None]
        vector = history[:, :3]
        vector -= (vector * normal).sum(axis=1)[:, None] * normal
        vector *= 1e-9  # far below the bound
        if stack.history_size % 3:
            history[:, 3] = 0.0
    still = np.zeros_like(contacts.velocity)
    contacts = replace(contacts, velocity=still, spin_i=still, spin_j=still)
    step = contacts.evaluate(stack, timestep=0.0)
    np.testing.assert_allclose(step.history[:, :3], history[:, :3], rtol=1e-12, atol=1e-20)


def test_all_clones_give_the_same_bits(stack_text, make_contacts):
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    first, *others = (contacts.evaluate(stack, clone=clone) for clone in laws.clones())
    for other in others:
        for name, values in vars(first).items():
            assert np.array_equal(values, getattr(other, name)), name


def test_lanes_do_not_know_of_each_other(stack_text, make_contacts):
    """A contact gives the same bits alone and in any place of a batch."""
    stack = laws.Stack(stack_text)
    contacts = make_contacts(stack)
    together = contacts.evaluate(stack)
    for lane in (0, 7, 127, 128, 299):
        one = type(contacts)(**{k: v[lane : lane + 1] for k, v in vars(contacts).items()})
        alone = one.evaluate(stack)
        np.testing.assert_array_equal(alone.force[0], together.force[lane])
        np.testing.assert_array_equal(alone.history[0], together.history[lane])


@pytest.mark.parametrize("clone", laws.clones())
def test_spring_follows_the_spin_of_the_pair_about_its_normal(clone):
    """With csds, where LAMMPS leaves it behind: the pair turns as one about its normal."""
    stack = laws.Stack("hooke 1e4 0 tangential linear_history 1e3 0 0.5 slider csds")
    angle, timestep = 0.1, 1e-2
    spin = [angle / timestep, 0.0, 0.0]
    step = stack.evaluate(
        [[0.9, 0, 0]], [[0, 0, 0]], spin_i=spin, spin_j=spin, timestep=timestep,
        history=[[0, 1e-3, 0]], clone=clone,
    )  # fmt: skip
    expected = 1e-3 * np.array([0.0, np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(step.history[0], expected, rtol=1e-2, atol=1e-5)


def test_wrong_shapes_and_clones_are_refused(make_contacts):
    stack = laws.Stack("hooke 1 1 tangential linear_history 1 1 0.5")
    contacts = make_contacts(stack)
    with pytest.raises(ValueError, match="no clone abacus"):
        contacts.evaluate(stack, clone="abacus")
    with pytest.raises(ValueError, match="keeps 3 history values"):
        replace(contacts, history=np.zeros((300, 4))).evaluate(stack)
    with pytest.raises(ValueError, match="same number of contacts"):
        replace(contacts, history=np.zeros((299, 3))).evaluate(stack)
