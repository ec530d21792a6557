"""Normal and damping laws: forces as in LAMMPS's manual, restitution as prescribed.

The expressions follow the manual of pair_style granular, not the code of the laws.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import laws

STIFFNESS, MODULUS, POISSON = 2.0e4, 5.0e4, 0.25
NORMALS = {
    "hooke": f"hooke {STIFFNESS} {{}}",
    "hertz": f"hertz {STIFFNESS} {{}}",
    "hertz/material": f"hertz/material {MODULUS} {{}} {POISSON}",
}
DAMPINGS = ["velocity", "mass_velocity", "viscoelastic", "tsuji", "coeff_restitution"]
FRICTIONLESS = "tangential linear_nohistory 0 0"


# test files of single laws; a law counts as tested if its name and an argument occur in one of them
ELSEWHERE = ("test_cohesion.py", "test_actm.py", "test_yielding.py")


def test_every_normal_and_damping_law_of_the_registry_is_tested():
    table = laws.registry()
    texts = "".join((Path(__file__).parent / file).read_text() for file in ELSEWHERE)
    untested = [
        law["name"]
        for law in table["normal"]
        if not law["non_local"]  # tested in tests/styles: test_mdr.py, test_brodu.py
        and law["name"] not in NORMALS
        and f'"{law["name"]} ' not in texts
    ]
    assert untested == []
    local = {law["name"] for law in table["damping"] if not law["non_local"]}
    assert local == set(DAMPINGS)


def elastic_force(normal, overlap, radius):
    if normal == "hooke":
        return STIFFNESS * overlap
    stiffness = STIFFNESS
    if normal == "hertz/material":
        stiffness = 4 / 3 / (2 * (1 - POISSON**2) / MODULUS)
    return stiffness * np.sqrt(radius) * overlap**1.5


tsuji_alpha = np.polynomial.Polynomial([1.2728, -4.2783, 11.087, -22.348, 27.467, -18.022, 4.8218])


def damping_coefficient(normal, damping, value, overlap, radius, mass):
    secant = elastic_force(normal, overlap, radius) / overlap
    if damping == "velocity":
        return value * np.ones_like(overlap)
    if damping == "mass_velocity":
        return value * mass
    if damping == "viscoelastic":
        return value * mass * np.sqrt(radius * overlap)
    if damping == "tsuji":
        return tsuji_alpha(value) * np.sqrt(mass * secant)
    ratio = -np.log(value) / np.hypot(np.pi, np.log(value))
    if normal == "hooke":
        return 2 * ratio * np.sqrt(mass * secant)
    tangent = 1.5 * secant  # Hertz's dF/d(overlap)
    return 2 * np.sqrt(5 / 6) * ratio * np.sqrt(mass * tangent)


@pytest.mark.parametrize("limited", [False, True])
@pytest.mark.parametrize("damping", DAMPINGS)
@pytest.mark.parametrize("normal", NORMALS)
def test_normal_force_is_that_of_the_manual(normal, damping, limited):
    rng = np.random.default_rng(1)
    count = 500
    radius_i, radius_j = rng.uniform(0.2, 1.0, (2, count))
    mass_i, mass_j = rng.uniform(0.2, 5.0, (2, count))
    overlap = 10.0 ** rng.uniform(-6, -1, count)
    velocity = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-3, 4, (count, 1))
    value = 0.4
    text = f"{NORMALS[normal].format(value)} damping {damping} {FRICTIONLESS}"
    model = laws.ContactModel(text + limited * " limit_damping")
    separation = np.zeros((count, 3))
    separation[:, 0] = radius_i + radius_j - overlap
    overlap = radius_i + radius_j - separation[:, 0]  # as rounded
    step = model.evaluate(
        separation, velocity, timestep=1e-3,
        radius_i=radius_i, radius_j=radius_j, mass_i=mass_i, mass_j=mass_j,
    )  # fmt: skip

    radius = 1 / (1 / radius_i + 1 / radius_j)
    mass = 1 / (1 / mass_i + 1 / mass_j)
    elastic = elastic_force(normal, overlap, radius)
    dashpot = -damping_coefficient(normal, damping, value, overlap, radius, mass) * velocity[:, 0]
    expected = elastic + dashpot
    assert (expected < 0).any()
    if limited:
        expected = np.maximum(expected, 0.0)
    error = np.abs(step.normal_force - expected)
    assert (error <= 1e-12 * (elastic + np.abs(dashpot))).all()
    np.testing.assert_allclose(step.force[:, 0], step.normal_force, rtol=1e-15)
    assert (step.force[:, 1:] == 0.0).all()


def collide(model: laws.ContactModel, speeds, steps: int) -> np.ndarray:
    """Return the restitution of head-on impacts of two spheres, computed by velocity Verlet.

    `steps` is the number of time steps in a period of an undamped Hooke contact of stiffness 2000.
    """
    speeds = np.asarray(speeds, dtype=float)
    mass = 1.0  # of each sphere
    gap = np.zeros_like(speeds)
    velocity = -speeds
    left = np.full_like(speeds, np.nan)
    timestep = 2 * np.pi * np.sqrt(0.5 * mass / 2000.0) / steps

    def acceleration(gap, velocity):
        separation = np.zeros((gap.size, 3))
        separation[:, 0] = 1.0 + gap
        relative = np.zeros((gap.size, 3))
        relative[:, 0] = velocity
        force = model.evaluate(separation, relative, timestep=timestep).force[:, 0]
        return np.where(gap < 0.0, force, 0.0) * 2 / mass

    gap = gap + velocity * timestep * 1e-6
    for _ in range(6 * steps):
        half = velocity + 0.5 * timestep * acceleration(gap, velocity)
        before, gap = gap, gap + timestep * half
        velocity = half + 0.5 * timestep * acceleration(gap, half)
        ended = np.isnan(left) & (before < 0.0) & (gap >= 0.0)
        left[ended] = half[ended]
        if not np.isnan(left).any():
            return left / speeds
    raise AssertionError("the spheres stay together")


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9, 1.0])
def test_hooke_gives_the_restitution_asked_for(e):
    """With this time step, the integration is accurate to 1e-3."""
    model = laws.ContactModel(f"hooke 2e3 {e} damping coeff_restitution {FRICTIONLESS}")
    np.testing.assert_allclose(collide(model, [0.01, 0.1, 1.0], 2000), e, rtol=2e-3)


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9, 1.0])
def test_hertz_gives_the_restitution_asked_for_at_any_speed(e):
    """Damping is proportional to sqrt(stiffness) (Antypov & Elliott 2011)."""
    model = laws.ContactModel(f"hertz 1e5 {e} damping coeff_restitution {FRICTIONLESS}")
    np.testing.assert_allclose(collide(model, [0.1, 0.3, 1.0], 2000), e, rtol=3e-3)


@pytest.mark.parametrize(("e", "given"), [(0.1, 0.235), (0.5, 0.616), (0.9, 0.928), (1.0, 1.0)])
def test_tsuji_gives_the_same_restitution_at_any_speed_but_not_the_one_asked_for(e, given):
    """With the effective mass of the law, LAMMPS's alpha(e) is too small by about sqrt(2).

    The law keeps the fit because `slider dsds` must agree with LAMMPS.
    """
    ratio = tsuji_alpha(e) / np.sqrt(5)
    expected = np.exp(-np.pi * ratio / np.sqrt(1 - ratio**2))
    model = laws.ContactModel(f"hertz 1e5 {e} damping tsuji {FRICTIONLESS}")
    np.testing.assert_allclose(collide(model, [0.1, 0.3, 1.0], 2000), expected, rtol=2e-3)
    np.testing.assert_allclose(expected, given, atol=6e-4)


def test_viscoelastic_restitution_falls_with_speed_so_the_tests_above_can_fail():
    model = laws.ContactModel(f"hertz 1e5 5 damping velocity {FRICTIONLESS}")
    slow, fast = collide(model, [0.1, 1.0], 500)
    assert abs(slow - fast) > 0.05


@pytest.mark.parametrize("poisson", [-0.5, 0.0, 0.3, 0.5])
def test_mindlin_stiffness_from_the_material(poisson):
    """For equal materials, 1/G* = 2 (2 - nu)/G with G = E/(2 (1 + nu))."""
    shear = MODULUS / (2 * (1 + poisson))
    stiffness = 8 / (2 * (2 - poisson) / shear)
    material = f"hertz/material {MODULUS} 0 {poisson} tangential mindlin"
    arguments = {"separation": [[0.99, 0, 0]], "velocity": [[0, 1e-3, 0]], "timestep": 1e-3}
    derived = laws.ContactModel(f"{material} NULL 1 0.5").evaluate(**arguments)
    given = laws.ContactModel(f"{material} {stiffness!r} 1 0.5").evaluate(**arguments)
    assert derived.force[0, 1] < 0.0
    np.testing.assert_allclose(derived.force, given.force, rtol=1e-13)
