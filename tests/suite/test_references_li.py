"""The models of Li et al. as printed: properties that do not depend on the spring, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite.validation.references import alumina, impact, li_models


@pytest.mark.parametrize("model", ["M1", "M3"])
def test_a_contact_that_slides_follows_from_momentum_alone(model):
    angle = np.radians([45.0, 60.0, 75.0])
    found = li_models.collide(model, angle, 4.0, steps=4000)
    expected = impact.gross_sliding_restitution(angle, alumina.FRICTION, alumina.RESTITUTION)
    # tolerance: the collision ends with attraction, whose impulse is 2e-4 of the total at e = 0.98
    np.testing.assert_allclose(found.tangential / (4.0 * np.sin(angle)), expected, atol=1e-3)
    np.testing.assert_allclose(found.normal / (4.0 * np.cos(angle)), 0.98, atol=1e-3)


def test_the_spring_has_the_stiffness_of_the_model_while_it_sticks():
    """Without losses, friction is proportional to stiffness as long as it hardly slows the slip."""
    m1, m3 = (
        li_models.collide(model, 0.1, 4.0, friction=10.0, restitution=1.0).force[20, 0]
        for model in ("M1", "M3")
    )
    assert m3 / m1 == pytest.approx(2.0 / 3.0, rel=1e-3)


def test_softening_changes_nothing_if_friction_acts_at_the_radius():
    """Softening scales forces, overlaps and times; only a shorter lever arm changes the result."""
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
    with pytest.raises(ValueError, match="model = 'M5' must be one of M1, M3"):
        li_models.collide("M5", 0.1, 4.0)
    with pytest.raises(ValueError, match="steps = 100 must be larger"):
        li_models.collide("M1", 0.1, 4.0, steps=100)
