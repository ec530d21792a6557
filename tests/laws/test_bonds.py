"""Solid bonds: force and torque derive from an energy, for small loads the energy of a beam."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pysuite import laws
from pysuite.validation.references import bonds
from pysuite.validation.references.bonds import Beam

MODULUS, POISSON, RATIO = 3.0e4, 0.25, 0.8
RADII = 0.5, 0.4
CONTACT = "hooke 1e4 0 tangential linear_nohistory 0 0.3"
TOUGH = f"bond beam {MODULUS} {POISSON} {RATIO} tension NULL shear NULL"


def evaluate(birth, now, text=TOUGH, **given):
    options = {"radius_i": RADII[0], "radius_j": RADII[1], "mass_i": 1.0, "mass_j": 0.7} | given
    return laws.bonds(f"{CONTACT} {text}", birth, now, **options)


def random_states(count, bend=0.7, seed=3):
    rng = np.random.default_rng(seed)
    d = rng.normal(size=(count, 3))
    d *= rng.uniform(0.8, 1.2, (count, 1)) / np.linalg.norm(d, axis=1, keepdims=True)
    orientations = [rng.normal(size=(count, 4)) for _ in range(2)]
    orientations = [q / np.linalg.norm(q, axis=1, keepdims=True) for q in orientations]
    whole = bonds.rotation(rng.uniform(-3, 3, (count, 3)))
    own = [bonds.rotation(rng.uniform(-bend, bend, (count, 3))) for _ in range(2)]
    turned = np.einsum("nij,nj->ni", bonds.matrix(whole), d)
    now = [bonds.product(own[k], bonds.product(whole, orientations[k])) for k in range(2)]
    moved = turned + 0.3 * bend * rng.uniform(-1, 1, (count, 3))
    return (d, *orientations), (moved, *now)


def frames(birth, now):
    """Return frames that rotate with the grains; initially, the first axis is along the bond."""
    d = birth[0] / np.linalg.norm(birth[0], axis=1, keepdims=True)
    across = np.cross(d, np.where(np.abs(d[:, :1]) < 0.9, [[1.0, 0, 0]], [[0, 1.0, 0]]))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    at_birth = np.stack([d, across, np.cross(d, across)], axis=-1)
    return [
        bonds.matrix(now[k]) @ np.swapaxes(bonds.matrix(birth[k]), 1, 2) @ at_birth for k in (1, 2)
    ]


def reference_energy(birth, now):
    lengths = np.linalg.norm(birth[0], axis=1)
    beam = Beam(MODULUS, POISSON, RATIO * min(RADII), lengths)
    return beam.energy(now[0], *frames(birth, now))


def test_energy_is_that_of_the_reference():
    birth, now = random_states(300)
    expected = reference_energy(birth, now)
    # tolerance: round-off of 1 - cos in the reference
    np.testing.assert_allclose(evaluate(birth, now).energy, expected, rtol=1e-12, atol=1e-10)


def test_force_and_torque_are_the_derivative_of_the_energy():
    birth, now = random_states(300)
    step = evaluate(birth, now)
    h = 1e-3  # central differences of fourth order

    def derivative(turn):
        at = {k: reference_energy(birth, turn(k * h)) for k in (-2, -1, 1, 2)}
        return (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)

    numeric = np.zeros((3, len(step.energy), 3))
    for axis in range(3):
        unit = np.eye(3)[axis]
        numeric[0][:, axis] = derivative(lambda s, u=unit: (now[0] - s * u, *now[1:]))
        for k in (1, 2):

            def turn(s, u=unit, k=k):
                turned = list(now)
                turned[k] = bonds.product(bonds.rotation(s * u), now[k])
                return tuple(turned)

            numeric[k][:, axis] = derivative(turn)
    for coded, slope in zip((step.force, step.torque_i, step.torque_j), numeric, strict=True):
        scale = np.abs(coded).max()
        assert np.abs(coded + slope).max() <= 1e-8 * scale


def test_angular_momentum_is_conserved():
    birth, now = random_states(300)
    step = evaluate(birth, now)
    torque = step.torque_i + step.torque_j - np.cross(now[0], step.force)
    assert np.abs(torque).max() <= 1e-14 * np.abs(step.torque_i).max() * 10


def test_nothing_acts_at_birth_nor_after_a_rigid_motion():
    birth, now = random_states(300, bend=0.0)
    step = evaluate(birth, now)
    stiffness = MODULUS * np.pi * 0.32**2
    for values in (step.force, step.torque_i, step.torque_j):
        assert np.abs(values).max() <= 1e-14 * stiffness
    assert step.energy.max() <= 1e-28 * stiffness


def test_the_order_of_the_grains_does_not_matter():
    birth, now = random_states(100)
    step = evaluate(birth, now)
    swapped = evaluate(
        (-birth[0], birth[2], birth[1]),
        (-now[0], now[2], now[1]),
        radius_i=RADII[1],
        radius_j=RADII[0],
    )
    scale = np.abs(step.force).max()
    np.testing.assert_allclose(swapped.force, -step.force, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(swapped.torque_i, step.torque_j, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(swapped.energy, step.energy, rtol=1e-12)


def test_small_deformation_is_that_of_a_timoshenko_beam():
    length, small = 0.93, 1e-6
    beam = Beam(MODULUS, POISSON, RATIO * min(RADII), length)
    moves = np.vstack([np.eye(12), -np.eye(12)]) * small
    straight = np.tile([1.0, 0, 0, 0], (24, 1))
    d = np.tile([length, 0, 0], (24, 1))
    now = (
        d + moves[:, 6:9] - moves[:, :3],
        bonds.rotation(moves[:, 3:6]),
        bonds.rotation(moves[:, 9:]),
    )
    step = evaluate((d, straight, straight), now)
    load = np.hstack([step.force, step.torque_i, -step.force, step.torque_j])
    slope = -(load[:12] - load[12:]) / (2 * small)  # the error is of order small^2
    np.testing.assert_allclose(slope, beam.stiffness(), rtol=0, atol=1e-9 * beam.stiffness().max())


@pytest.mark.parametrize(("ratio", "excess"), [(0.05, 0.0080), (0.5, -0.0019)])
def test_bending_stiffens_as_the_manual_says(ratio, excess):
    """`excess` is the relative difference between the moment and that of beam theory."""
    angle, length = 0.2, 1.0
    beam = Beam(MODULUS, POISSON, ratio, length)
    flexibility = beam.shear_flexibility
    half = np.array([[0.0, 0.0, 0.5 * angle]])
    straight, d = np.array([[1.0, 0.0, 0.0, 0.0]]), np.array([[length, 0.0, 0.0]])
    text = f"bond beam {MODULUS} {POISSON} {ratio} tension NULL shear NULL"
    now = (d, bonds.rotation(-half), bonds.rotation(half))
    step = evaluate((d, straight, straight), now, text, radius_i=1.0, radius_j=1.0)
    linear = MODULUS * beam.second_moment / length
    moment = 6.0 * np.sin(0.5 * angle) - (2.0 - flexibility) * np.sin(angle)
    expected = linear * moment / (1.0 + flexibility)
    assert step.torque_i[0, 2] == pytest.approx(expected, rel=1e-10)
    assert expected / (linear * angle) - 1.0 == pytest.approx(excess, abs=1e-4)


def test_energy_is_never_below_the_bound_of_the_manual():
    """For any rotations, the energy is at least S (1 - c)(1 + phi)/3.

    S is 12 E I/(L (1 + phi)), where phi is the shear flexibility; c is the cosine of half the
    bending angle.
    """
    birth, now = random_states(20_000, bend=3.0)
    energy = evaluate(birth, now).energy
    beam = Beam(MODULUS, POISSON, RATIO * min(RADII), np.linalg.norm(birth[0], axis=1))
    frame_i, frame_j = frames(birth, now)
    along = np.clip((frame_i[:, :, 0] * frame_j[:, :, 0]).sum(axis=1), -1.0, 1.0)
    cosine = np.sqrt(0.5 * (1.0 + along))
    flexibility = beam.shear_flexibility
    shear = 12.0 * MODULUS * beam.second_moment / beam.length / (1.0 + flexibility)
    stretching = 0.5 * MODULUS * beam.area / beam.length
    stretching = stretching * (np.linalg.norm(now[0], axis=1) - beam.length) ** 2
    least = shear * (1.0 - cosine) * (1.0 + flexibility) / 3.0
    assert ((energy - stretching - least) / shear).min() >= -1e-12


def test_stresses_are_those_of_beam_theory():
    beam = Beam(MODULUS, POISSON, RATIO * min(RADII), 1.0)
    turned = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [1e-4, 0, 0]]
    across = [[1e-4, 0, 0], [-1e-4, 0, 0], [0, 1e-4, 0], [0, 0, 0]]
    straight = np.tile([1.0, 0, 0, 0], (4, 1))
    d = np.tile([1.0, 0, 0], (4, 1))
    step = evaluate((d, straight, straight), (d + across, straight, bonds.rotation(turned)))
    shear = 12 * MODULUS * beam.second_moment / (1 + beam.shear_flexibility) * 1e-4
    section = beam.radius / beam.second_moment
    expected = np.zeros((4, 4))
    expected[0, 0], expected[1, 0] = MODULUS * 1e-4, -MODULUS * 1e-4
    expected[2, 1:3] = shear / 2 * section, shear / beam.area
    expected[3, 3] = beam.shear_modulus * beam.radius * 1e-4
    # a shear angle of 1e-4 also stretches the beam slightly
    np.testing.assert_allclose(step.stress, expected, rtol=1e-7, atol=MODULUS * 1e-8)


@pytest.mark.parametrize(
    ("strengths", "case", "breaks"),
    [
        ("tension 2.999 shear NULL", 0, 1),
        ("tension 3.001 shear NULL", 0, 0),
        ("tension 1e-3 shear NULL", 1, 0),
        ("tension NULL shear 1e-3", 0, 0),
        ("tension NULL shear 1e-3", 2, 2),
        ("tension 1e-3 shear 1e9", 2, 1),
    ],
)
def test_what_breaks(strengths, case, breaks):
    across = [[1e-4, 0, 0], [-1e-4, 0, 0], [0, 1e-4, 0]][case]
    straight = np.array([[1.0, 0, 0, 0]])
    d = np.array([[1.0, 0, 0]])
    states = (d, straight, straight), (d + across, straight, straight)
    text = f"bond beam {MODULUS} {POISSON} {RATIO} {strengths}"
    step = evaluate(*states, text, timestep=1e-9)
    whole = evaluate(*states, timestep=1e-9)
    assert step.breaks[0] == breaks
    np.testing.assert_array_equal(step.force, whole.force * (0.5 if breaks else 1.0))
    assert evaluate(*states, text).breaks[0] == 0  # no bond breaks at setup


def test_dashpots_take_energy_from_relative_motion_alone():
    birth, now = random_states(200)
    rng = np.random.default_rng(8)
    damped = f"{TOUGH} damping 0.3"
    spin = rng.normal(size=(200, 3))
    rigid = evaluate(
        birth, now, damped, velocity=np.cross(spin, now[0]), spin_i=spin, spin_j=spin, timestep=1e-6
    )
    still = evaluate(birth, now, timestep=1e-6)
    scale = np.abs(still.force).max()
    np.testing.assert_allclose(rigid.force, still.force, rtol=0, atol=1e-12 * scale)
    motion = {
        "velocity": rng.normal(size=(200, 3)),
        "spin_i": spin,
        "spin_j": rng.normal(size=(200, 3)),
    }
    moving = evaluate(birth, now, damped, timestep=1e-6, **motion)
    power = (
        np.sum((moving.force - still.force) * -motion["velocity"], axis=1)
        + np.sum((moving.torque_i - still.torque_i) * motion["spin_i"], axis=1)
        + np.sum((moving.torque_j - still.torque_j) * motion["spin_j"], axis=1)
    )
    assert power.max() < 0.0
    # the mean of the powers before the step (0) and after it, times the time step
    np.testing.assert_allclose(moving.loss, -0.5e-6 * power, rtol=1e-6)
    torque = moving.torque_i + moving.torque_j - np.cross(now[0], moving.force)
    assert np.abs(torque).max() <= 1e-13 * np.abs(moving.torque_i).max()


@pytest.mark.parametrize("fraction", [0.1, 1.0])
def test_damping_is_a_fraction_of_the_critical_one(fraction):
    """For axial motion of two grains, the damping coefficient is 2 beta sqrt(m_eff k_A)."""
    straight = np.array([[1.0, 0, 0, 0]])
    d = np.array([[1.0, 0, 0]])
    states = (d, straight, straight), (d, straight, straight)
    step = evaluate(*states, f"{TOUGH} damping {fraction}", velocity=[1.0, 0, 0], timestep=1e-6)
    stiffness = MODULUS * np.pi * (RATIO * min(RADII)) ** 2
    expected = 2 * fraction * np.sqrt(0.7 / 1.7 * stiffness)
    np.testing.assert_allclose(step.force, [[expected, 0, 0]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mode", ["axial", "across", "bending", "torsion"])
def test_each_dashpot_is_that_of_its_spring(mode):
    """The damping coefficient is 2 beta sqrt(m k) for the mode's inertia m and stiffness k."""
    length, masses = 0.9, np.array([1.0, 0.7])
    upright = np.array([[1.0, 0, 0, 0]])
    state = (np.array([[length, 0, 0]]), upright, upright)
    k = Beam(MODULUS, POISSON, RATIO * min(RADII), length).stiffness()
    mass = 1 / np.sum(1 / masses)
    inertia = 1 / np.sum(1 / (0.4 * masses * np.square(RADII)))
    direction = np.eye(3)[0 if mode in ("axial", "torsion") else 1]
    turns = mode in ("bending", "torsion")
    stiffness, inert = {
        "axial": (k[0, 0], mass),
        "across": (k[1, 1], mass),
        "bending": (0.5 * (k[4, 4] - k[4, 10]), inertia),
        "torsion": (0.5 * (k[3, 3] - k[3, 9]), inertia),
    }[mode]
    motion = (
        {"spin_i": -0.5 * direction, "spin_j": 0.5 * direction}
        if turns
        else {"velocity": direction}
    )
    step = evaluate(state, state, f"{TOUGH} damping 0.3", timestep=1e-6, **motion)
    found = step.torque_i if turns else step.force
    expected = 2 * 0.3 * np.sqrt(inert * stiffness) * direction
    np.testing.assert_allclose(found, [expected], rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_clones_give_the_same_bits():
    birth, now = random_states(67, bend=0.4)
    text = f"bond beam {MODULUS} {POISSON} {RATIO} tension 2e4 shear 5e3 scatter 3 7 damping 0.1"
    first, *others = (
        evaluate(birth, now, text, timestep=1e-5, velocity=[0.1, 0.2, 0.3], clone=clone)
        for clone in laws.clones()
    )
    assert set(first.breaks) == {0.0, 1.0, 2.0}
    for other in others:
        for name in ("force", "torque_i", "torque_j", "energy", "stress", "breaks", "loss"):
            np.testing.assert_array_equal(getattr(other, name), getattr(first, name))


def test_strengths_follow_a_weibull_law():
    count = 20_000
    straight = np.tile([1.0, 0, 0, 0], (count, 1))
    d = np.tile([1.0, 0, 0], (count, 1))
    for modulus in (2.0, 8.0):
        text = f"bond beam 1 0.2 0.5 tension 1 shear NULL scatter {modulus} 12"
        for stretch in (0.7, 1.0, 1.3):
            now = (d * (1 + stretch), straight, straight)
            broken = evaluate((d, straight, straight), now, text, timestep=1e-9).breaks.mean()
            expected = 1 - np.exp(-(stretch**modulus))
            # five standard deviations
            assert abs(broken - expected) < 5 * np.sqrt(0.25 / count)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bond beam 1e4 0.2 0.5 tension -1 shear 1", "tensile strength sigma = -1 must be >= 0"),
        ("bond beam 0 0.2 0.5 tension 1 shear 1", "E = 0 must be > 0"),
        ("bond beam 1e4 0.6 0.5 tension 1 shear 1", "nu = 0.6 must be > -1 and <= 0.5"),
        ("bond beam 1e4 0.2 0.5 tension 1", "takes 7 to 12 arguments"),
        ("bond beam 1e4 0.2 0.5 tension 1 shear 1 scatter 3", "needs two numbers, M and seed"),
        ("bond beam 1e4 0.2 0.5 tension 1 shear 1 scatter 0 1", "M = 0 must be > 0"),
        ("bond beam 1e4 0.2 0.5 tension 1 shear 1 scatter 3 1.5", "seed = 1.5 must be an integer"),
        ("bond beam 1e4 0.2 0.5 tension 1 shear 1 damping -1", "beta = -1 must be >= 0"),
        ("bond beam 1e4 0.2 0.5 tension 1 shear 1 damping", "damping needs a number"),
        ("bond rod 1", "unknown bond model rod"),
    ],
)
def test_bad_input(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        laws.ContactModel(f"{CONTACT} {text}")


def test_walls_do_not_bond():
    with pytest.raises(ValueError, match="bond beam is for pairs, not for walls"):
        laws.ContactModel(f"{CONTACT} {TOUGH}", wall=True)


def test_both_kinds_of_damping_are_read():
    text = f"{CONTACT} {TOUGH} scatter 3 7 damping 0.1 damping velocity"
    model = laws.ContactModel(text)
    assert "damping velocity" in model.text
    assert "scatter 3 7 damping 0.1" in model.text
    assert laws.ContactModel(model.text).text == model.text
