"""A wall is a partner of infinite mass: the limit of a sphere whose radius goes to infinity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pysuite import laws

LARGE = 1e8  # radius of the sphere that represents a wall


def at_wall(contacts, model, surface_radius=np.inf, **changes):
    overlap = contacts.radius_i + contacts.radius_j - np.linalg.norm(contacts.separation, axis=1)
    distance = contacts.radius_i - overlap
    normal = contacts.separation / np.linalg.norm(contacts.separation, axis=1)[:, None]
    arguments = vars(contacts) | {"separation": distance[:, None] * normal} | changes
    return (
        model.evaluate(timestep=1e-3, surface_radius=surface_radius, **arguments),
        overlap,
        normal,
    )


def test_a_wall_is_a_very_large_sphere(wall_model_text, make_contacts):
    """The centre of a sphere with radius 1e8 is rounded to about 1e-8; overlaps are above 1e-4."""
    slider = "dsds" if "slider dsds" in wall_model_text else "other"
    model = laws.ContactModel(wall_model_text)
    contacts = make_contacts(model)
    contacts = replace(contacts, spin_j=np.zeros_like(contacts.spin_j))
    contacts = contacts.with_overlap(0.01 * contacts.radius_i)
    step, overlap, normal = at_wall(contacts, laws.ContactModel(wall_model_text, wall=True))
    radius = LARGE * contacts.radius_i
    sphere = replace(
        contacts,
        radius_j=radius,
        mass_j=np.full_like(radius, np.inf),
        separation=(contacts.radius_i + radius - overlap)[:, None] * normal,
    ).evaluate(model)
    scale = np.linalg.norm(sphere.force, axis=1).max()
    np.testing.assert_allclose(step.force, sphere.force, rtol=2e-5, atol=2e-5 * scale)
    if slider == "other":  # the lever arm of dsds differs, as in LAMMPS's walls
        scale = np.linalg.norm(sphere.torque_i, axis=1).max()
        np.testing.assert_allclose(step.torque_i, sphere.torque_i, rtol=2e-5, atol=2e-5 * scale)


def one(text: str, surface_radius: float = np.inf, overlap: float = 0.01, **motion: object):
    model = laws.ContactModel(text, wall=True)
    arguments = {"velocity": [[0.0, 0.0, 0.0]], "timestep": 1e-6} | motion
    return model.evaluate(
        [[0.0, 0.0, 0.5 - overlap]], radius_i=0.5, surface_radius=surface_radius, **arguments
    )


@pytest.mark.parametrize(
    ("surface_radius", "effective"),
    [(np.inf, 0.5), (2.0, 0.4), (-2.0, 2.0 / 3.0), (-0.6, 3.0)],
    ids=["plane", "outside", "inside", "tight"],
)
def test_curvature(surface_radius, effective):
    """The effective radius R is given by 1/R = 1/R_i + 1/R_w; at a plane, 1/R_w = 0."""
    step = one("hertz 1e4 0 tangential linear_nohistory 0 0", surface_radius)
    expected = 1e4 * np.sqrt(effective) * 0.01**1.5
    assert step.normal_force[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(("slider", "depth"), [("csds", 0.5), ("truncate", 0.5), ("dsds", 0.0)])
def test_arm_of_the_torque(slider, depth):
    """With dsds, the lever arm is the radius; otherwise it ends in the middle of the overlap."""
    law = f"hooke 1e4 0 tangential linear_history 5e3 0 0.5 slider {slider}"
    step = one(law, velocity=[[1.0, 0.0, 0.0]])
    friction = step.force[0, 0]
    assert friction < 0.0
    assert step.torque_i[0, 1] == pytest.approx(-(0.5 - depth * 0.01) * friction, rel=1e-12)
    assert step.torque_j[0, 1] == pytest.approx(depth * 0.01 * friction, rel=1e-12)


OWN, WALL = (2.0e4, 0.2), (7.0e4, 0.4)


def moduli(*materials: tuple[float, float]) -> tuple[float, float]:
    stiffness = 1.0 / sum((1 - nu**2) / e for e, nu in materials)
    shear = 1.0 / sum(2 * (2 - nu) * (1 + nu) / e for e, nu in materials)
    return stiffness, shear


@pytest.mark.parametrize("normal", ["hertz/material {} 0 {}", "dmt {} 0 {} 0", "jkr {} 0 {} 0"])
@pytest.mark.parametrize("tangential", ["mindlin NULL 0 9", "mindlin_deresiewicz 0 9"])
@pytest.mark.parametrize("wall", [None, WALL, OWN, (1e12, 0.3), (1e2, -0.5), (3e4, 0.5)])
def test_material_of_the_wall(normal, tangential, wall):
    text = f"{normal.format(*OWN)} tangential {tangential}"
    if wall:
        text += f" wallmaterial {wall[0]} {wall[1]}"
    stiffness, shear = moduli(OWN, wall or OWN)
    begun = one(text)  # springs of mindlin_deresiewicz act from the second step on
    step = one(text, velocity=[[0.1, 0.0, 0.0]], history=begun.history)
    radius = np.sqrt(0.5 * 0.01)
    assert step.normal_force[0] == pytest.approx(4 / 3 * stiffness * radius * 0.01, rel=1e-11)
    assert step.force[0, 0] == pytest.approx(
        -8 * shear * radius * 1e-7, rel=1e-4
    )  # tolerance: slip at the edge


def test_what_a_wall_material_needs():
    for text, wall, message in (
        ("hooke 1 1 tangential linear_nohistory 1 1 wallmaterial 1 0.3", True, "E and nu"),
        ("hertz/material 1 1 0.3 tangential linear_nohistory 1 1 wallmaterial 1", True, "E and nu"),
        (
            "hertz/material 1 1 0.3 tangential linear_nohistory 1 1 wallmaterial 1 0.3"
            " wallmaterial 1 0.3",
            True,
            "only once",
        ),
        (
            "hertz/material 1 1 0.3 tangential linear_nohistory 1 1 wallmaterial -1 0.3",
            True,
            "E = -1 must be > 0",
        ),
        (
            "hertz/material 1 1 0.3 tangential linear_nohistory 1 1 wallmaterial 1 0.3",
            False,
            "wallmaterial",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            laws.ContactModel(text, wall=wall)


def test_all_clones_give_the_same_bits(wall_model_text, make_contacts):
    contacts = make_contacts(laws.ContactModel(wall_model_text))
    model = laws.ContactModel(wall_model_text, wall=True)
    surface = np.where(np.arange(len(contacts.mass_i)) % 2, np.inf, -3.0)
    results = [at_wall(contacts, model, surface, clone=clone)[0] for clone in laws.clones()]
    for other in results[1:]:
        np.testing.assert_array_equal(other.force, results[0].force)
        np.testing.assert_array_equal(other.torque_i, results[0].torque_i)
        np.testing.assert_array_equal(other.history, results[0].history)
    assert np.isfinite(results[0].force).all()
