"""The models of Li et al. as printed: single contacts, and grains in a rocking box."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite.validation.references import alumina, impact, li_grains, li_models, maw, mindlin


@pytest.mark.parametrize("model", ["M1", "M3", "M4"])
def test_a_contact_that_slides_follows_from_momentum_alone(model):
    angle = np.radians([45.0, 60.0, 75.0])
    found = li_models.collide(model, angle, 4.0, steps=4000)
    expected = impact.gross_sliding_restitution(angle, alumina.FRICTION, alumina.RESTITUTION)
    # the force becomes attractive near the end; the impulse of attraction is 2e-4 of the total
    np.testing.assert_allclose(found.tangential / (4.0 * np.sin(angle)), expected, atol=1e-3)
    np.testing.assert_allclose(found.normal / (4.0 * np.cos(angle)), 0.98, atol=1e-3)


def test_the_spring_has_the_stiffness_of_the_model_while_it_sticks():
    """Without losses, friction is at first proportional to the tangential stiffness."""
    m1, m3 = (
        li_models.collide(model, 0.1, 4.0, friction=10.0, restitution=1.0).force[20, 0]
        for model in ("M1", "M3")
    )
    assert m3 / m1 == pytest.approx(2.0 / 3.0, rel=1e-3)


def test_m4_with_a_slider_follows_the_theory_of_maw():
    angle = np.radians([5.0, 10.0, 20.0, 30.0])
    found = li_models.collide("M4", angle, 4.0, law="slider", restitution=1.0, steps=2000)
    psi_1 = maw.incidence(angle, alumina.KAPPA, alumina.FRICTION)
    psi_2 = maw.reflection(psi_1, maw.chi(alumina.KAPPA))
    expected = maw.tangential_restitution(psi_1, psi_2)
    np.testing.assert_allclose(found.tangential / (4.0 * np.sin(angle)), expected, atol=3e-3)


def test_impacts_of_different_friction_and_arm_do_not_affect_each_other():
    words = {"law": "printed", "steps": 2000}
    together = li_models.collide("M4", 0.2, 4.0, friction=[0.05, 0.1], arm=[0.0, 1.0], **words)
    for n, (friction, arm) in enumerate(((0.05, 0.0), (0.1, 1.0))):
        one = li_models.collide("M4", 0.2, 4.0, friction=friction, arm=arm, **words)
        assert one.spin[0] == pytest.approx(together.spin[n], rel=1e-12)


def test_softening_changes_nothing_if_friction_acts_at_the_radius():
    """Softening scales forces, overlaps and times, but not velocities."""
    words = {"law": "slider", "steps": 2000}
    stiff = li_models.collide("M1", 0.2, 4.0, **words)
    soft = li_models.collide("M1", 0.2, 4.0, softening=1e-3, **words)
    np.testing.assert_allclose(soft.tangential, stiff.tangential, rtol=1e-9)
    shorter = li_models.collide("M1", 0.2, 4.0, softening=1e-3, arm=0.5, **words)
    assert abs(shorter.tangential - stiff.tangential).max() > 0.01


def test_only_a_slider_loses_energy_in_a_closed_slide():
    spring, limit, amplitude = 7.0, 1.5, 0.8
    lost = [li_models.lost_in_a_slide(law, amplitude, spring, limit) for law in li_models.LAWS]
    assert lost == pytest.approx([0.0, 4.0 * limit * (amplitude - limit / spring)], abs=1e-5)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="law = 'stick' must be one of printed, slider"):
        li_models.collide("M1", 0.1, 4.0, law="stick")
    with pytest.raises(ValueError, match="model = 'M5' must be one of M1, M3, M4"):
        li_models.collide("M5", 0.1, 4.0)
    with pytest.raises(ValueError, match="steps = 100 must be larger"):
        li_models.collide("M1", 0.1, 4.0, steps=100)


# --------------------------------------------------------------------------- grains in a box


def scenes(places, *, laws=("M1",), **words) -> li_grains.Scenes:
    places = np.array(places, dtype=float)
    radii, masses = np.full(places.shape[:2], 5e-3), np.full(places.shape[1], 1.9e-3)
    words = {"width": 0.1, "young": 5e6, "step": 2e-5, "gravity": 0.0} | words
    return li_grains.Scenes(laws, places, radii, masses, **words)


def test_a_sphere_rebounds_with_the_restitution():
    box = scenes([[[0.05, 5.1e-3]]])
    box.velocity[0] = 0.0, -0.3
    box.advance(1000)
    assert box.velocity[0, 1] == pytest.approx(0.3 * li_grains.RESTITUTION, rel=0.01)


@pytest.mark.parametrize("law", ["M1", "M4"])
def test_two_spheres_keep_momentum_and_angular_momentum(law):
    box = scenes([[[0.04, 0.05], [0.051, 0.053]]], laws=(law,))
    box.velocity[:] = [[0.5, 0.1], [-0.3, 0.0]]
    box.spin[:] = 20.0, -5.0
    mass = box.mass[:, None]

    def momenta():
        turn = (box.place[:, 0] * box.velocity[:, 1] - box.place[:, 1] * box.velocity[:, 0]) @ (
            box.mass
        )
        return *(mass * box.velocity).sum(axis=0), turn + box.inertia @ box.spin

    before, spin = momenta(), box.spin.copy()
    box.advance(2000)
    assert momenta() == pytest.approx(before, rel=1e-9)
    assert np.abs(box.spin - spin).min() > 1.0


def test_a_free_sphere_moves_straight_in_a_rocking_box():
    box = scenes([[[0.05, 0.05]]], begin=0.0)
    box.velocity[0] = 0.02, 0.01
    before = box.sample()
    box.advance(20_000)
    assert abs(box.angle) > 0.1
    after = box.sample()
    assert after.speed[0] == pytest.approx(before.speed[0], rel=1e-3)
    # in the frame at rest, the sphere does not spin
    assert box.spin[0] + box.rate == pytest.approx(0.0, abs=1e-4)


def test_the_foundation_of_m4_follows_mindlin():
    box = scenes([[[0.05, 4.8e-3]]], laws=("M4",))
    inside, limit = np.array([2e-4]), np.array([0.8])
    stiffness = float(8.0 * box.shear * np.sqrt(5e-3 * 2e-4))
    limit[:] = li_grains.FRICTION * box.normal_stiffness[:1] * inside**1.5
    sliding = 1.5 * limit[0] / stiffness
    way = np.linspace(0.0, 1.2 * sliding, 200)
    force = [box.foundation(np.array([0]), inside, np.diff(way)[:1], limit)[0] for _ in way[1:]]
    expected = mindlin.loading(limit[0], stiffness, way[1:])
    np.testing.assert_allclose(force, expected, atol=0.03 * limit[0])


def test_friction_as_printed_opposes_the_total_displacement():
    """After sliding forwards and a little back, friction still acts backwards."""
    box = scenes([[[0.05, 4.9e-3]]])
    box.velocity[0] = 0.1, 0.0
    for _ in range(200):
        forward = box.forces()[0][0]
    box.velocity[0] = -0.1, 0.0
    for _ in range(20):
        backward = box.forces()[0][0]
    assert forward < 0.0
    assert backward == pytest.approx(forward)
