"""Cohesive normal laws compared with their papers; the equations of JKR are solved numerically."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from pysuite import laws

MODULUS, POISSON, ENERGY = 5.0e4, 0.25, 0.7
EFFECTIVE_MODULUS = MODULUS / (2 * (1 - POISSON**2))  # for two equal spheres
FRICTIONLESS = "tangential linear_nohistory 0 0"


def evaluate(normal, overlap, *, radius_i=0.5, radius_j=0.5, speed=0.0, options="", **other):
    """Evaluate contacts along x; return the overlaps between rounded positions, and the step."""
    overlap = np.atleast_1d(overlap)
    separation, velocity = np.zeros((2, overlap.size, 3))
    separation[:, 0] = radius_i + radius_j - overlap
    velocity[:, 0] = speed
    model = laws.ContactModel(f"{normal} {MODULUS} 3.0 {POISSON} {ENERGY} {options} {FRICTIONLESS}")
    step = model.evaluate(
        separation, velocity, timestep=1e-3, radius_i=radius_i, radius_j=radius_j, **other
    )
    return radius_i + radius_j - separation[:, 0], step


def reduced(a, b):
    return a * b / (a + b)


# ---------------------------------------------------------------------------- equations of JKR


def jkr_overlap(a, radius):
    return a**2 / radius - 2 * np.sqrt(np.pi * ENERGY * a / EFFECTIVE_MODULUS)


def jkr_limit(radius):
    """Return the contact radius and gap at which a contact breaks under displacement control."""

    def slope(a):
        return 2 * a / radius - np.sqrt(np.pi * ENERGY / (EFFECTIVE_MODULUS * a))

    a = brentq(slope, 1e-6 * radius, radius, xtol=1e-18)
    return a, -jkr_overlap(a, radius)


def jkr_radius(overlap, radius):
    """Return the larger of the two contact radii that have this overlap."""
    smallest, _ = jkr_limit(radius)
    largest = 3 * smallest + 2 * np.sqrt(radius * abs(overlap))
    return brentq(lambda a: jkr_overlap(a, radius) - overlap, smallest, largest, xtol=1e-18)


def jkr_force(a, radius):
    hertz = 4 * EFFECTIVE_MODULUS * a**3 / (3 * radius)
    return hertz - 4 * np.sqrt(np.pi * ENERGY * EFFECTIVE_MODULUS * a**3)


def test_jkr_force_in_overlap_and_across_the_gap():
    rng = np.random.default_rng(1)
    count = 300
    radius_i, radius_j = rng.uniform(0.2, 1.0, (2, count))
    radius = reduced(radius_i, radius_j)
    gaps = np.array([jkr_limit(r)[1] for r in radius])
    overlap = np.where(
        rng.random(count) < 0.5,
        -gaps * rng.uniform(0, 0.99, count) / 9 ** (1 / 3),  # up to the gap at pull-off
        10 ** rng.uniform(-6, -1, count),
    )
    overlap, step = evaluate("jkr", overlap, radius_i=radius_i, radius_j=radius_j)
    a = np.array([jkr_radius(d, r) for d, r in zip(overlap, radius, strict=True)])
    expected = jkr_force(a, radius)
    tension = 3 * np.pi * ENERGY * radius
    # near the limit, an error of 1e-16 in the quartic causes an error of 1e-8 in its root
    error = np.abs(step.normal_force - expected) / (tension + np.abs(expected))
    assert (error <= 1e-7).all()
    assert (error[overlap > -0.9 * gaps] <= 1e-11).all()
    assert (expected < -0.5 * tension).any()
    assert (expected > tension).any()


@pytest.mark.parametrize(("radius_i", "radius_j"), [(0.5, 0.5), (0.2, 1.3)])
def test_jkr_pulls_off_at_three_pi_gamma_r(radius_i, radius_j):
    """LAMMPS and granular/plus end the contact at the largest tension, 3 pi gamma R.

    Under displacement control, a contact would end at cbrt(9) times the gap at that tension.
    """
    radius = reduced(radius_i, radius_j)
    gap = jkr_limit(radius)[1]
    end = gap / 9 ** (1 / 3)
    overlap, step = evaluate(
        "jkr", np.linspace(-end * (1 - 1e-9), 0.01, 200001), radius_i=radius_i, radius_j=radius_j
    )
    tension = 3 * np.pi * ENERGY * radius
    np.testing.assert_allclose(-step.normal_force.min(), tension, rtol=1e-6)
    np.testing.assert_allclose(-step.normal_force[0], tension, rtol=1e-5)
    _, beyond = evaluate("jkr", [-1.001 * end], radius_i=radius_i, radius_j=radius_j)
    assert beyond.normal_force[0] == 0.0
    at_touch = np.interp(0.0, overlap, step.normal_force)
    np.testing.assert_allclose(-at_touch, 8 / 9 * tension, rtol=1e-6)
    # Johnson's closed form of the gap
    closed = 0.75 * (np.pi**2 * ENERGY**2 * radius / EFFECTIVE_MODULUS**2) ** (1 / 3) * 4 ** (1 / 3)
    np.testing.assert_allclose(gap, closed, rtol=1e-9)


def test_without_surface_energy_both_are_hertz():
    overlap = 10.0 ** np.linspace(-8, -1, 50)
    separation = [[1.0 - d, 0, 0] for d in overlap]
    ends = [
        laws.ContactModel(f"{text} {FRICTIONLESS}").evaluate(
            separation, np.zeros((50, 3)), timestep=1e-3
        )
        for text in (
            f"jkr {MODULUS} 2 {POISSON} 0",
            f"dmt {MODULUS} 2 {POISSON} 0",
            f"hertz/material {MODULUS} 2 {POISSON}",
        )
    ]
    jkr, dmt, hertz = (step.normal_force for step in ends)
    np.testing.assert_allclose(dmt, hertz, rtol=1e-13)
    # the closed form of JKR's quartic loses half of its digits
    np.testing.assert_allclose(jkr, hertz, rtol=1e-7)


# ---------------------------------------------------------------------------- DMT


def test_dmt_is_hertz_less_four_pi_gamma_r():
    rng = np.random.default_rng(2)
    radius_i, radius_j = rng.uniform(0.2, 1.0, (2, 300))
    overlap, step = evaluate(
        "dmt", 10.0 ** rng.uniform(-7, -1, 300), radius_i=radius_i, radius_j=radius_j
    )
    radius = reduced(radius_i, radius_j)
    hertz = 4 / 3 * EFFECTIVE_MODULUS * np.sqrt(radius) * overlap**1.5
    pull = 4 * np.pi * ENERGY * radius
    assert (np.abs(step.normal_force - (hertz - pull)) <= 1e-12 * (hertz + pull)).all()
    assert (step.normal_force < 0).any()
    assert (step.normal_force > 0).any()


# ---------------------------------------------------------------------------- dashpots, bound


@pytest.mark.parametrize("normal", ["dmt", "jkr"])
@pytest.mark.parametrize("damping", ["velocity", "mass_velocity", "viscoelastic"])
def test_dashpots_of_cohesive_contacts(normal, damping):
    """Viscoelastic damping depends on the contact radius, which differs between JKR and Hertz."""
    rng = np.random.default_rng(3)
    overlap = 10.0 ** rng.uniform(-5, -1, 200)
    mass_i, mass_j = rng.uniform(0.5, 2.0, (2, 200))
    options = {"options": f"damping {damping}", "mass_i": mass_i, "mass_j": mass_j}
    overlap, still = evaluate(normal, overlap, **options)
    _, moving = evaluate(normal, overlap, speed=2.0, **options)
    radius, mass = 0.25, reduced(mass_i, mass_j)
    hertz = np.sqrt(radius * overlap)
    a = np.array([jkr_radius(d, radius) for d in overlap]) if normal == "jkr" else hertz
    expected = {"velocity": np.ones(200), "mass_velocity": mass, "viscoelastic": mass * a}[damping]
    difference = (still.normal_force - moving.normal_force) / 2.0
    scale = np.abs(still.normal_force) + np.abs(moving.normal_force)
    assert (np.abs(difference - 3.0 * expected) <= 1e-10 * expected + 1e-14 * scale).all()


@pytest.mark.parametrize(("normal", "factor"), [("dmt", 4), ("jkr", 3)])
def test_coulombs_bound_counts_from_the_pull_off_force(normal, factor):
    """The bound is mu |F_elastic + 2 F_pull-off|, as in LAMMPS."""
    friction, radius = 0.4, 0.25
    model = laws.ContactModel(
        f"{normal} {MODULUS} 0 {POISSON} {ENERGY} tangential linear_history 1e9 0 {friction}"
    )
    overlap = np.array([1e-4, 1e-3, 1e-2])
    separation, velocity = np.zeros((2, 3, 3))
    separation[:, 0] = 1.0 - overlap
    velocity[:, 1] = 1.0
    step = model.evaluate(separation, velocity, timestep=1.0)
    bound = friction * np.abs(step.normal_force + 2 * factor * np.pi * ENERGY * radius)
    np.testing.assert_allclose(-step.force[:, 1], bound, rtol=1e-12)
    assert step.normal_force[0] < 0
