"""Heat laws compared with their formulas; friction heat compared with a dashpot's loss."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import laws

FRICTION = "tangential linear_nohistory 0 0"
RADII = np.array([0.5, 0.2, 1.0])
OVERLAP = np.array([1e-2, 1e-4, 2.0**-20])


def evaluate(text, **options):
    separation = np.zeros((3, 3))
    separation[:, 1] = 2 * RADII - OVERLAP
    arguments = {"velocity": (0.0, 0.0, 0.0), "timestep": 1e-3} | options
    arguments["velocity"] = np.broadcast_to(arguments["velocity"], (3, 3))
    return laws.ContactModel(text).evaluate(separation, radius_i=RADII, radius_j=RADII, **arguments)


def test_conductance_by_radius_and_by_area():
    contact_radius = np.sqrt(0.5 * RADII * OVERLAP)
    radius = evaluate(f"hooke 1 0 {FRICTION} heat radius 3")
    # the overlap is a small difference of numbers of order 1
    np.testing.assert_allclose(radius.conductance, 2 * 3 * contact_radius, rtol=1e-12)
    area = evaluate(f"hertz 1 0 {FRICTION} heat area 3")
    np.testing.assert_allclose(area.conductance, 3 * np.pi * contact_radius**2, rtol=1e-12)
    assert (area.warming == 0.0).all()


def test_cohesion_widens_what_conducts():
    bare, sticky = (evaluate(f"{n} {FRICTION} heat area 3") for n in ("dmt 1 0 0 1", "jkr 1 0 0 1"))
    assert (sticky.conductance > bare.conductance).all()


def test_half_of_the_power_of_the_dashpot_warms_either_grain():
    """The force is the mean of the forces before and after a step; before touch, the force is 0."""
    text = f"hooke 0 5 damping velocity {FRICTION} heat none friction 0.6"
    motion = {"velocity": (0.0, -2.0, 0.0)}
    first = evaluate(text, **motion)
    second = evaluate(text, **motion, history=first.history)
    power = 5 * 2.0**2
    np.testing.assert_allclose(first.warming, 0.5 * 0.6 * power / 2, rtol=1e-13)
    np.testing.assert_allclose(second.warming, 0.5 * 0.6 * power, rtol=1e-13)
    assert (evaluate(text, velocity=(0, -2, 0), timestep=0.0).warming == 0.0).all()


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
def test_slip_rolling_and_twisting_warm(slider):
    text = (
        "hooke 100 0 tangential linear_history 100 0 0.1 rolling sds 100 0 0.1 "
        f"twisting sds 100 0 0.1 slider {slider} heat none friction 1"
    )
    motion = {"velocity": (30.0, 0.0, 0.0), "spin_i": (20.0, 20.0, 0.0), "timestep": 1e-2}
    history, warmth = None, 0.0
    for _ in range(5):
        step = evaluate(text, **motion, history=history)
        history = step.history
        warmth = step.warming
    assert (warmth > 0.0).all()


def test_heat_mixes_geometrically():
    a, b = (f"hooke 1 1 {FRICTION} heat area {h} friction {f}" for h, f in ((2, 0.25), (8, 1)))
    assert laws.mix(a, b).endswith("heat area 4 friction 0.5")
    with pytest.raises(ValueError, match="cannot mix heat models area and none"):
        laws.mix(a, f"hooke 1 1 {FRICTION}")
