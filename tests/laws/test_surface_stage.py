"""Surfaces of any shape: the depth grows at the approach speed times g, where g = |grad depth|."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pysuite import laws


def test_a_gradient_of_1_is_a_sphere(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    plain = contacts.evaluate(model)
    shaped = model.evaluate(timestep=1e-3, gradient=1.0, **vars(contacts))
    for name, values in vars(plain).items():
        scale = np.abs(values).max(initial=0.0)
        other = getattr(shaped, name)
        np.testing.assert_allclose(other, values, rtol=1e-12, atol=1e-14 * scale, err_msg=name)


def gradients(count: int) -> np.ndarray:
    return 10.0 ** np.random.default_rng(3).uniform(-1, 1, count)


@pytest.mark.parametrize("normal", ["hooke 2e4 0.6", "hertz 2e4 0.6", "hertz/material 4e4 0.6 0.3"])
@pytest.mark.parametrize(
    "damping", [law["name"] for law in laws.registry()["damping"] if not law["non_local"]]
)
@pytest.mark.parametrize("wall", [False, True], ids=["pair", "wall"])
def test_force_along_the_depth(normal, damping, wall, make_contacts):
    model = laws.ContactModel(
        f"{normal} damping {damping} tangential linear_nohistory 0 0", wall=wall
    )
    contacts = make_contacts(model)
    contacts = replace(contacts, history=np.zeros_like(contacts.history))
    g = gradients(len(contacts.mass_i))
    arguments = vars(contacts)
    if wall:
        distance = np.linalg.norm(contacts.separation, axis=1)
        near = contacts.radius_i * (1 - 10.0 ** np.random.default_rng(1).uniform(-5, -1.5, len(g)))
        arguments = arguments | {"separation": (near / distance)[:, None] * contacts.separation}
    shaped = model.evaluate(timestep=1e-3, gradient=g, **arguments)
    changed = arguments | {
        "velocity": g[:, None] * contacts.velocity,
        "mass_i": contacts.mass_i / g**2,
        "mass_j": contacts.mass_j / g**2,
    }
    sphere = model.evaluate(timestep=1e-3, **changed)
    np.testing.assert_allclose(shaped.normal_force, g * sphere.normal_force, rtol=1e-11)
    np.testing.assert_allclose(shaped.force, g[:, None] * sphere.force, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("normal", ["hooke 2e4 0.6", "hertz 2e4 0.6"])
@pytest.mark.parametrize("slider", ["csds", "dsds"])
@pytest.mark.parametrize(
    "tangential",
    [
        "linear_nohistory 0.8 0.3",
        "linear_history 1.1e4 0.8 0.3",
        "mindlin 1.1e4 0.8 0.3",
        "mindlin_rescale/force 1.1e4 0.8 0.3",
    ],
)
def test_friction_is_bounded_by_the_force_along_the_normal(
    normal, tangential, slider, make_contacts
):
    model = laws.ContactModel(f"{normal} tangential {tangential} slider {slider}")
    contacts = make_contacts(model)
    contacts = replace(contacts, history=np.zeros_like(contacts.history))
    step = model.evaluate(timestep=1e-3, gradient=gradients(300), **vars(contacts))
    distance = np.linalg.norm(contacts.separation, axis=1)
    direction = contacts.separation / distance[:, None]
    along = (step.force * direction).sum(axis=1)
    friction = np.linalg.norm(step.force - along[:, None] * direction, axis=1)
    size = np.abs(along).max()
    np.testing.assert_allclose(along, step.normal_force, rtol=1e-9, atol=1e-9 * size)
    assert (friction <= 0.3 * np.abs(along) * (1 + 1e-9) + 1e-12 * size).all()
    assert (friction > 0.299 * np.abs(along)).any()


def test_tangential_stiffness_goes_with_the_contact_radius():
    model = laws.ContactModel("hertz 1e4 0 tangential mindlin 8e3 0 1e9 slider csds")
    overlap, step, speed, g = 0.01, 1e-6, 0.3, 0.7
    contact = model.evaluate(
        [[1 - overlap, 0, 0]], [[0, speed, 0]], timestep=step, radius_i=0.5, gradient=g
    )
    stiffness = 8e3 * np.sqrt(0.25 * overlap) * g**2
    assert contact.force[0, 1] == pytest.approx(-stiffness * speed * step, rel=1e-12)


@pytest.mark.parametrize("g", [0.3, 2.5])
def test_a_viscous_bridge_feels_the_velocity_itself(g):
    law = "hooke 1e4 20 damping velocity tangential linear_nohistory 0 0 bridge willett 2 20 film"
    contact = {"separation": [[0.99, 0, 0]], "velocity": [[-0.7, 0.4, 0]], "timestep": 1e-4}

    def drag(gradient: float | None) -> float:
        wet, inviscid = (
            laws.ContactModel(f"{law} viscous {viscosity} gap 1e-3").evaluate(
                **contact, history=[[1e-3]], gradient=gradient
            )
            for viscosity in (0.1, 0.0)
        )
        return float(wet.force[0, 0] - inviscid.force[0, 0])

    # volume of the bridge, Derjaguin radius, gap of asperities
    volume, radius, gap = 1e-3, 0.5, 1e-3
    filled = 1.0 - 1.0 / np.sqrt(1.0 + 2.0 * volume / (np.pi * radius * gap**2))
    expected = 1.5 * np.pi * 0.1 * radius**2 * filled**2 * 0.7 / gap
    assert drag(None) == pytest.approx(expected, rel=1e-10)
    assert drag(g) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("normal", "step"),
    [
        ("hooke 1e4 {e} damping coeff_restitution", 2e-5),
        ("hertz 1e4 {e} damping coeff_restitution", 1e-4),
        ("hooke 1e4 {e} damping tsuji", 2e-5),
        ("hertz 1e4 {e} damping tsuji", 1e-4),
    ],
)
@pytest.mark.parametrize("g", [0.3, 2.5])
def test_restitution_is_that_of_spheres(normal, step, g):
    """The law works with the mass m/g^2 if the depth is g times the path of the grain.

    The tolerance allows for the last step: its force acts for the whole step, although the contact
    is open for about half of it.
    """
    model = laws.ContactModel(f"{normal.format(e=0.6)} tangential linear_nohistory 0 0")
    mass = 1.7

    def bounce(gradient: float | None) -> float:
        scale = gradient or 1.0
        x, v, dt, force, steps = 1e-9, 0.1, step / scale, 0.0, 0
        while x > 0.0:
            v += dt * force / mass
            x += dt * v
            steps += 1
            # the velocity is that of the half step
            found = model.evaluate(
                [[1.0 - scale * max(x, 0.0), 0, 0]],
                [[-v, 0, 0]],
                timestep=dt,
                mass_i=mass,
                mass_j=np.inf,
                gradient=gradient,
            )
            force = -found.normal_force[0]
        assert steps > 1000
        return -v / 0.1

    assert bounce(g) == pytest.approx(bounce(None), abs=3e-3)


def test_what_actm_fixes_at_touch_does_not_know_of_the_gradient():
    """At the first touch of a face, g is unbounded."""
    model = laws.ContactModel("actm 0.01 0.7 NULL 0.3 tangential linear_nohistory 0 0")
    contact = {"separation": [[0.999, 0, 0]], "velocity": [[-1.0, 0, 0]], "timestep": 1e-5}
    kept = model.evaluate(**contact).history[0]
    for g in (0.1, 3.0, 1e6):
        step = model.evaluate(**contact, gradient=g)
        np.testing.assert_array_equal(step.history[0], kept)
        assert np.isfinite(step.force).all()


def test_all_clones_give_the_same_bits(model_text, make_contacts):
    model = laws.ContactModel(model_text)
    contacts = make_contacts(model)
    g = gradients(len(contacts.mass_i))
    first, *others = (
        model.evaluate(timestep=1e-3, gradient=g, clone=clone, **vars(contacts))
        for clone in laws.clones()
    )
    assert np.isfinite(first.force).all()
    for other in others:
        for name, values in vars(first).items():
            assert np.array_equal(values, getattr(other, name)), name


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_a_gradient_that_cannot_be(value):
    model = laws.ContactModel("hooke 1 1 tangential linear_history 1 1 0.5")
    with pytest.raises(ValueError, match=r"gradient.* must be > 0 and finite"):
        model.evaluate([[0.9, 0, 0]], [[0, 0, 0]], timestep=1.0, gradient=value)
