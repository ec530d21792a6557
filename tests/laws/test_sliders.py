"""The sliders `dsds` and `truncate`, compared with implementations in numpy for single springs."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import laws


def dsds(xi, v, k, gamma, bound, dt):
    xi = xi + v * dt
    force = -k * xi - gamma * v
    size = np.linalg.norm(force)
    if size > bound:
        if np.linalg.norm(xi) == 0.0:  # as in LAMMPS: no friction if the spring is not stretched
            return 0.0 * force, xi
        force = bound * force / size
        xi = -(force + gamma * v) / k
    return force, xi


def truncate(xi, v, k, gamma, bound, dt):
    xi = xi + v * dt
    size = k * np.linalg.norm(xi)
    if size > bound:
        xi = bound / size * xi
        return -k * xi, xi
    return -k * xi - gamma * v, xi


RULES = {"dsds": dsds, "truncate": truncate}  # csds is tested in test_csds.py


def test_every_slider_has_a_rule():
    assert {law["name"] for law in laws.registry()["slider"]} == {"csds", *RULES}


@pytest.mark.parametrize("form", ["displacement", "force"])
@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_slider_follows_its_rule(rule, dt, form):
    rng = np.random.default_rng(1)
    count = 2000
    k, gamma = 10.0 ** rng.uniform(-3, 3, (2, count))
    gamma[rng.random(count) < 0.2] = 0.0
    xi, v = rng.normal(size=(2, count, 3))
    xi[rng.random(count) < 0.1] = 0.0
    v[rng.random(count) < 0.1] = 0.0
    bound = k * 10.0 ** rng.uniform(-2, 2, count)
    bound[rng.random(count) < 0.1] = 0.0
    bound[rng.random(count) < 0.1] = np.inf

    carries_force = form == "force"
    force, state = laws.slide(
        rule.__name__,
        -k[:, None] * xi if carries_force else xi,
        v,
        stiffness=k,
        damping=gamma,
        bound=bound,
        timestep=dt,
        carries_force=carries_force,
    )
    after = -state / k[:, None] if carries_force else state
    expected = [rule(*values, dt) for values in zip(xi, v, k, gamma, bound, strict=True)]
    expected_force, expected_after = np.array(expected).transpose(1, 0, 2)
    terms = k * np.linalg.norm(xi, axis=1) + (gamma + k * dt) * np.linalg.norm(v, axis=1)
    error = np.abs(force - expected_force).max(axis=1)
    assert (error <= 1e-13 * terms).all()
    error = np.abs(after - expected_after).max(axis=1)
    assert (k * error <= 1e-13 * terms).all()
    slipping = np.linalg.norm(expected_after - xi - v * dt, axis=1) > 1e-9
    assert 0.1 < slipping.mean() < 0.9


def test_synchronized_dsds_resets_the_spring_by_the_velocity_before_it_turns():
    """As in LAMMPS: k xi + gamma v + F = 0, where v is in the contact plane of the half step."""
    k, mu, gamma, timestep = 1e4, 0.3, 40.0, 1e-3
    model = laws.ContactModel(
        f"hooke 1e5 {gamma} damping velocity tangential linear_history {k} 1 {mu} slider dsds"
        " synchronized_verlet"
    )
    separation, velocity = np.array([0.98, 0.01, 0.0]), np.array([-2.0, 30.0, 10.0])
    step = model.evaluate([separation], [velocity], timestep=timestep, history=[[0.0, 1e-3, 2e-3]])
    before = separation - 0.5 * timestep * velocity
    normal = before / np.linalg.norm(before)
    slip = velocity - velocity @ normal * normal
    friction = step.force[0] - step.normal_force[0] * normal
    assert np.linalg.norm(friction) == pytest.approx(mu * step.normal_force[0], rel=1e-12)
    spring = -(friction + gamma * slip) / k
    np.testing.assert_allclose(step.history[0], spring, rtol=1e-10, atol=1e-14)


def test_contact_without_spring_slips_freely_with_dsds():
    force, state = laws.slide(
        "dsds", np.zeros((1, 3)), [[0, 1, 0]], stiffness=0, damping=5, bound=1, timestep=0
    )
    np.testing.assert_array_equal(force, 0.0)
    np.testing.assert_array_equal(state, 0.0)


@pytest.mark.parametrize("slider", [law["name"] for law in laws.registry()["slider"]])
@pytest.mark.parametrize("carries_force", [False, True])
@pytest.mark.parametrize("zero", ["stiffness", "damping", "bound", "all"])
def test_nothing_but_zeros_gives_finite_results(slider, carries_force, zero):
    rng = np.random.default_rng(2)
    values = {"stiffness": 2.0, "damping": 3.0, "bound": 0.1}
    values |= dict.fromkeys(values if zero == "all" else [zero], 0.0)
    state = np.vstack([np.zeros((1, 3)), rng.normal(size=(5, 3))])
    for velocity in (np.zeros_like(state), np.ones_like(state)):
        for dt in (0.0, 1e-3):
            force, after = laws.slide(
                slider, state, velocity, timestep=dt, carries_force=carries_force, **values
            )
            assert np.isfinite(force).all()
            assert np.isfinite(after).all()


def test_unknown_slider_and_unequal_shapes_are_refused():
    arguments = {"stiffness": 1, "damping": 1, "bound": 1, "timestep": 1}
    with pytest.raises(ValueError, match="unknown slider model glide"):
        laws.slide("glide", np.zeros((2, 3)), np.zeros((2, 3)), **arguments)
    with pytest.raises(
        ValueError, match=r"velocity has shape \(3, 3\), but must have shape \(2, 3\)"
    ):
        laws.slide("csds", np.zeros((2, 3)), np.zeros((3, 3)), **arguments)
