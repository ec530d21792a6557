"""The complete law of Mindlin & Deresiewicz, compared with closed forms and a spring foundation.

Forces are in units of mu N at the largest approach. Displacements are in units of U, the
displacement at which the whole contact slides.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.spatial.transform import Rotation

from pysuite import laws
from pysuite.validation.references import mindlin

YOUNG, POISSON, FRICTION, RADIUS = 1.0e7, 0.25, 0.3, 0.01
SPHERES = mindlin.Spheres(
    radius=RADIUS / 2,
    modulus=YOUNG / (2 * (1 - POISSON**2)),
    shear_modulus=YOUNG / (4 * (2 - POISSON) * (1 + POISSON)),
    friction=FRICTION,
)
DEEPEST = 1e-2 * RADIUS
SLIDES = float(SPHERES.sliding_displacement(DEEPEST))
LIMIT = float(FRICTION * SPHERES.normal_force(DEEPEST))
STIFFNESS = float(SPHERES.stiffness(DEEPEST))
KNOTS = 3
SPRINGS = 2000  # number of springs of the reference, whose error is below 1e-6 mu N

# the approach is a difference of positions, with a relative rounding error of 2e-14
ROUND_OFF = 1e-12


def model(normal_damping: float = 0.0, xgamma: float = 0.0, friction: float = FRICTION):
    return laws.ContactModel(
        f"hertz/material {YOUNG} {normal_damping} {POISSON} damping velocity"
        f" tangential mindlin_deresiewicz {xgamma} {friction}"
    )


def drive(approach, path, law=None, turn=None, clone=""):
    """Move contacts through `approach`, of shape (steps, n), and shear `path`, (steps, n, 2).

    The normal is along x, and the shear is in the plane of y and z; `turn` rotates the contact.
    Returns the friction force, of shape (steps, n, 3), and the history values, of shape (steps, n,
    size).
    """
    law, turn = law or model(), turn or Rotation.identity()
    steps, count = approach.shape
    vectors = np.zeros((steps, count, 3))
    vectors[:, :, 1 : 1 + path.shape[2]] = path
    force, histories = np.zeros_like(vectors), np.zeros((steps, count, law.history_size))
    for step in range(1, steps):
        separation = np.zeros((count, 3))
        separation[:, 0] = 2 * RADIUS - approach[step]
        result = law.evaluate(
            turn.apply(separation),
            turn.apply(vectors[step] - vectors[step - 1]),
            timestep=1.0,
            radius_i=RADIUS,
            radius_j=RADIUS,
            history=histories[step - 1],
            clone=clone,
        )
        normal = turn.apply(separation / np.linalg.norm(separation, axis=1)[:, None])
        force[step] = result.normal_force[:, None] * normal - result.force
        histories[step] = result.history
    return force, histories


def pulled(approach, displacement, **other):
    """Return the friction force in each step, for one contact sheared in one direction."""
    approach = np.broadcast_to(np.asarray(approach, dtype=float), np.shape(displacement))
    force, _ = drive(approach[:, None], np.asarray(displacement)[:, None, None], **other)
    return force[:, 0, 1]


def straight(points, count=40):
    """Return a path of straight lines through points (n, ...). The first point occurs twice."""
    points = np.asarray(points, dtype=float)
    part = np.linspace(0, 1, count + 1)[1:].reshape(-1, *[1] * (points.ndim - 1))
    parts = [a + part * (b - a) for a, b in zip(points, points[1:])]  # noqa: B905, RUF007
    return np.concatenate([points[:1], points[:1], *parts])


def elastic_energy(history):
    """Return 4 G* int_0^a u^2 dx for histories of shape (..., size). Gauss's rule is exact here."""
    radii = np.concatenate([np.zeros_like(history[..., :1]), history[..., 3 * KNOTS :]], -1)
    stretch = history[..., : 3 * KNOTS].reshape(*history.shape[:-1], KNOTS, 3)
    stretch = np.concatenate(
        [stretch[..., :1, :], stretch, np.zeros_like(stretch[..., :1, :])], axis=-2
    )
    nodes, weights = np.polynomial.legendre.leggauss(4)
    total = 0.0
    for k in range(KNOTS + 1):
        left, right = radii[..., k, None], radii[..., k + 1, None]
        x = left + (right - left) * (nodes + 1) / 2
        wide = right**2 > left**2
        share = np.where(wide, (x**2 - left**2) / np.where(wide, right**2 - left**2, 1.0), 0.0)
        u = (
            stretch[..., k, None, :]
            + share[..., None] * (stretch[..., k + 1, :] - stretch[..., k, :])[..., None, :]
        )
        total = total + ((u**2).sum(-1) * weights).sum(-1) * (right - left)[..., 0] / 2
    return 4.0 * SPHERES.shear_modulus * total


def loop(amplitude, cycles=2, count=40):
    return straight([0.0, *[amplitude, -amplitude] * cycles, amplitude], count)


# ------------------------------------------------------------------------- the references agree


def test_foundation_is_cattaneo_mindlin_on_every_branch():
    w = straight(SLIDES * np.array([0, 0.7, -0.3, 0.5]))
    force = mindlin.foundation(SPHERES, np.full(len(w), DEEPEST), w)
    np.testing.assert_allclose(force, closed_form(w, 40), atol=1e-6 * LIMIT)


def closed_form(w, count):
    """Return the force of loading, unloading and reloading at constant N."""
    one, two = count + 1, 2 * count + 1
    load = mindlin.loading(LIMIT, STIFFNESS, w[: one + 1])
    unload = mindlin.branch(LIMIT, STIFFNESS, w[one], load[-1], w[one + 1 : two + 1])
    reload = mindlin.branch(LIMIT, STIFFNESS, w[two], unload[-1], w[two + 1 :])
    return np.concatenate([load, unload, reload])


def test_area_of_the_closed_form_loop_is_the_closed_form_dissipation():
    for part in (0.2, 0.8, 1.0, 1.4):
        top = part * SLIDES
        force = float(mindlin.loading(LIMIT, STIFFNESS, top))
        w = np.linspace(top, -top, 20001)
        down = mindlin.branch(LIMIT, STIFFNESS, top, force, w)
        # reloading mirrors unloading
        area = 2.0 * cumulative_trapezoid(down, w)[-1]
        expected = mindlin.loop_dissipation(LIMIT, STIFFNESS, top)
        np.testing.assert_allclose(area, expected, rtol=1e-5)


def oblique_history(excess):
    """Return approach and shear from first touch on; the shear is `excess` times U(approach)."""
    approach = np.linspace(0.0, DEEPEST, 201)
    return approach, excess * SPHERES.sliding_displacement(approach)


def loaded_then_oblique(rate):
    """Return approach and shear: the shear grows to 0.4 U at constant N, then both grow.

    The approach doubles, and the shear increases by `rate` times the initial U.
    """
    approach = straight([0.5 * DEEPEST, 0.5 * DEEPEST, DEEPEST], 100)
    step = SPHERES.sliding_displacement(0.5 * DEEPEST)
    return approach, straight([0.0, 0.4 * step, (0.4 + rate) * step], 100)


@pytest.mark.parametrize("rate", [1.0, 1.3])
def test_closed_form_of_oblique_loading_is_that_of_the_foundation(rate):
    approach, w = loaded_then_oblique(rate)
    force = mindlin.foundation(SPHERES, approach, w)
    np.testing.assert_allclose(force, oblique_force(approach, w), atol=1e-6 * LIMIT)


def oblique_force(approach, w):
    limit = FRICTION * SPHERES.normal_force(approach)
    return mindlin.oblique_loading(limit, SPHERES.stiffness(approach), w)


def test_oblique_loading_has_the_compliance_of_mindlin_and_deresiewicz():
    """dw/dT = (q + (1 - q) (1 - T/mu N)^(-1/3))/K with q = mu dN/dT."""
    approach = np.linspace(0.5, 1.0, 20001) * DEEPEST
    limit, stiffness = FRICTION * SPHERES.normal_force(approach), SPHERES.stiffness(approach)
    start = 0.2 * SLIDES
    w = start + 1.2 * (SPHERES.sliding_displacement(approach) - 0.5 * SLIDES)
    force = oblique_force(approach, w)
    ratio = np.gradient(limit, force)
    compliance = (ratio + (1 - ratio) * (1 - force / limit) ** (-1 / 3)) / stiffness
    integral = start + cumulative_trapezoid(compliance, force, initial=0.0)
    np.testing.assert_allclose(integral, w, rtol=1e-6)


# ------------------------------------------------------------------------- constant normal force


@pytest.mark.parametrize("count", [1, 3, 7, 50])
def test_first_loading_is_cattaneo_mindlin_whatever_the_step(count):
    w = straight([0.0, 1.5 * SLIDES], count)
    expected = mindlin.loading(LIMIT, STIFFNESS, w)
    np.testing.assert_allclose(pulled(DEEPEST, w), expected, atol=ROUND_OFF * LIMIT)


@pytest.mark.parametrize("count", [1, 7, 50])
@pytest.mark.parametrize("points", [(0.7, -0.3, 0.5), (0.9, -0.89, 0.2), (1.4, 0.3, 1.2)])
def test_unloading_and_reloading_are_the_closed_branches_whatever_the_step(points, count):
    w = straight(SLIDES * np.array([0.0, *points]), count)
    expected = closed_form(w, count)
    np.testing.assert_allclose(pulled(DEEPEST, w), expected, atol=ROUND_OFF * LIMIT)


def test_masing_rule():
    """Unloading is the curve of first loading with both axes doubled."""
    way = np.linspace(0, 0.6, 31) * SLIDES
    first = pulled(DEEPEST, np.r_[0.0, way])[1:]
    down = pulled(DEEPEST, np.r_[0.0, 0.0, 0.6 * SLIDES - 2 * way])[2:]
    assert first[-1] > 0.7 * LIMIT
    np.testing.assert_allclose(down[0] - down, 2 * first, atol=ROUND_OFF * LIMIT)


@pytest.mark.parametrize("amplitude", [0.1, 0.6, 1.0, 1.3])
def test_loops_close_and_dissipate_the_closed_form(amplitude):
    count = 400
    w = loop(amplitude * SLIDES, 2, count)
    force = pulled(DEEPEST, w)
    first, second = force[count + 1 : 3 * count + 2], force[3 * count + 1 :]
    np.testing.assert_allclose(second, first, atol=ROUND_OFF * LIMIT)
    np.testing.assert_allclose(first[-1], first[0], atol=ROUND_OFF * LIMIT)
    way = w[count + 1 : 3 * count + 2]
    area = np.sum(0.5 * (first[1:] + first[:-1]) * np.diff(way))
    expected = mindlin.loop_dissipation(LIMIT, STIFFNESS, amplitude * SLIDES)
    # tolerance: error of the trapezoidal rule at a kink and at the ends
    np.testing.assert_allclose(area, expected, rtol=2e-3 if amplitude < 0.2 else 2e-4)


def test_a_closed_loop_is_forgotten():
    w = straight(SLIDES * np.array([0.0, 0.5, 0.2, 0.8]), 30)
    force = pulled(DEEPEST, w)
    beyond = w >= 0.5 * SLIDES
    beyond[:40] = False
    expected = mindlin.loading(LIMIT, STIFFNESS, w)
    np.testing.assert_allclose(force[beyond], expected[beyond], atol=ROUND_OFF * LIMIT)
    assert np.abs(force[62:72] - expected[62:72]).max() > 0.05 * LIMIT


@pytest.mark.parametrize(
    ("points", "largest"),
    [
        pytest.param((0.8, 0.3, 0.35, 0.3, 0.7, -0.4), 0.01, id="small loop within reloading"),
        pytest.param((0.9, -0.6, 0.4, -0.1, 0.2, -0.1, 0.4, -0.6, 0.9), 0.04, id="three nested"),
    ],
)
def test_a_fourth_open_turning_point_costs_memory(points, largest):
    """The law is exact for three turning points. Measured errors: 0.005, 0.025 mu N."""
    w = straight(SLIDES * np.array([0.0, *points]), 30)
    reference = mindlin.foundation(SPHERES, np.full(len(w), DEEPEST), w, springs=SPRINGS)
    difference = np.abs(pulled(DEEPEST, w) - reference) / LIMIT
    assert difference[: 3 * 30 + 2].max() < 1e-6
    assert 1e-3 < difference.max() < largest


# ------------------------------------------------------------------------- varying normal force


@pytest.mark.parametrize("excess", [0.3, 0.9])
def test_compression_at_a_constant_angle_within_the_cone_is_elastic(excess):
    """If dT/dN < mu from touch on, T = (dT/dN) N without slip."""
    approach, w = oblique_history(excess)
    expected = excess * FRICTION * SPHERES.normal_force(approach)
    force = pulled(np.r_[approach, approach[::-1]], np.r_[w, w[::-1]])
    np.testing.assert_allclose(force, np.r_[expected, expected[::-1]], atol=ROUND_OFF * LIMIT)


def test_compression_at_a_constant_angle_beyond_the_cone_slides():
    approach, w = oblique_history(1.1)
    expected = FRICTION * SPHERES.normal_force(approach)
    np.testing.assert_allclose(pulled(approach, w), expected, atol=ROUND_OFF * LIMIT)


@pytest.mark.parametrize("rate", [1.0, 1.3])
def test_oblique_loading_with_slip_is_the_closed_form(rate):
    approach, w = loaded_then_oblique(rate)
    expected = oblique_force(approach, w)
    np.testing.assert_allclose(pulled(approach, w), expected, atol=ROUND_OFF * LIMIT)


def test_normal_force_that_outruns_the_shear_stops_the_slip():
    """While mu dN > dT, dT = K dw without slip; here dT/dN = mu/2."""
    approach, w = loaded_then_oblique(0.5)
    force = pulled(approach, w)
    limit = FRICTION * SPHERES.normal_force(approach)
    expected = force[101] + 0.5 * (limit - limit[101])
    np.testing.assert_allclose(force[101:], expected[101:], atol=ROUND_OFF * LIMIT)


def test_normal_force_that_falls_lets_the_edge_slip():
    """T is always the force of first loading at the current N."""
    approach = straight([DEEPEST, DEEPEST, 0.3 * DEEPEST], 50)
    w = straight([0.0, 0.5 * SLIDES, 0.5 * SLIDES], 50)
    expected = oblique_force(approach, w)
    np.testing.assert_allclose(pulled(approach, w), expected, atol=ROUND_OFF * LIMIT)
    assert expected[-1] < 0.3 * expected[51]


def random_histories(seed, count, directions, constant=False, turns=10, part=40):
    """Return straight paths between random points.

    The shear is at most 1.2 U, and the approach is between 0.1 DEEPEST and DEEPEST.
    """
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1.2, 1.2, (turns, count, directions)) * SLIDES
    points[0] = 0.0
    approach = rng.uniform(0.1, 1.0, (turns, count)) * DEEPEST
    if constant:
        approach[:] = DEEPEST
    return straight(approach, part), straight(points, part)


def impact_histories(seed, count):
    """Return an approach of half a sine wave, and a shear that reverses during or after it."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, np.pi, 401)[:, None]
    shear = rng.uniform(0.2, 4, count) * SLIDES * np.sin(rng.uniform(0.6, 1.6, count) * time)
    return np.sin(time) * DEEPEST * np.ones(count), shear[:, :, None]


def deviations(approach, path):
    """Return each contact's largest and rms deviation from the foundation, in units of mu N."""
    force, _ = drive(approach, path)
    force = force[:, :, 1 : 1 + path.shape[2]]
    reference = np.stack(
        [
            mindlin.foundation(SPHERES, approach[:, k], path[:, k], springs=SPRINGS)
            for k in range(approach.shape[1])
        ],
        axis=1,
    )
    size = np.linalg.norm(force - reference, axis=2) / LIMIT
    return size.max(axis=0), np.sqrt((size**2).mean(axis=0))


# Upper bounds, in mu N, of the largest deviation and of the mean of the rms deviations; the
# comments give the measured values.
@pytest.mark.parametrize(
    ("histories", "largest", "typical"),
    [
        pytest.param(random_histories(1, 30, 1), 0.09, 0.003, id="shear and N"),  # 0.046, 0.0011
        pytest.param(random_histories(2, 30, 1, True), 0.16, 0.012, id="shear"),  # 0.108, 0.0058
        pytest.param(impact_histories(3, 30), 0.006, 0.0004, id="impact"),  # 0.0025, 0.00014
        pytest.param(
            random_histories(4, 12, 2), 0.09, 0.016, id="2 directions and N"
        ),  # .045, .009
        pytest.param(random_histories(5, 12, 2, True), 0.18, 0.04, id="2D shear"),  # 0.124, 0.026
    ],
)
def test_arbitrary_histories_follow_the_foundation(histories, largest, typical):
    worst, mean_square = deviations(*histories)
    assert worst.max() < largest
    assert mean_square.mean() < typical


@pytest.mark.parametrize(
    ("radius", "largest"), [(0.1, 0.002), (0.3, 0.02), (0.7, 0.09), (1.5, 0.06)]
)
def test_circular_shear_follows_the_foundation(radius, largest):
    """Measured errors: 0.0009, 0.010, 0.057, 0.038 mu N."""
    angle = np.linspace(0, 4 * np.pi, 401)
    circle = radius * SLIDES * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    path = np.concatenate([straight([[0.0, 0.0], circle[0]], 40), circle[1:]])[:, None]
    worst, _ = deviations(np.full(path.shape[:2], DEEPEST), path)
    assert worst[0] < largest


# ------------------------------------------------------------------------- what always holds


def mixed_histories(count=24):
    one, two = random_histories(7, count // 2, 2), random_histories(8, count // 2, 2, True)
    return np.hstack([one[0], two[0]]), np.hstack([one[1], two[1]])


def test_friction_never_exceeds_coulomb_and_reaches_it():
    approach, path = mixed_histories()
    force, _ = drive(approach, path)
    size = np.linalg.norm(force, axis=2)
    limit = FRICTION * SPHERES.normal_force(approach)
    assert (size[1:] <= limit[1:] * (1 + ROUND_OFF)).all()
    assert (size[1:] >= limit[1:] * (1 - 1e-9)).any()


def test_a_step_never_creates_energy():
    for approach, path in (mixed_histories(), impact_histories(9, 30)):
        force, history = drive(approach, path)
        work = (force[1:, :, 1 : 1 + path.shape[2]] * np.diff(path, axis=0)).sum(axis=2)
        gained = np.diff(elastic_energy(history), axis=0) - work
        scale = np.abs(work).sum(axis=0)
        assert (gained < ROUND_OFF * scale).all()
        assert (gained < -1e-3 * scale).any()


def test_gross_sliding_is_mu_n_against_the_motion():
    turn = np.deg2rad(30)
    path = np.outer(np.linspace(0, 30, 61), [np.cos(turn), np.sin(turn)])[:, None] * SLIDES
    force, _ = drive(np.full((61, 1), DEEPEST), path)
    expected = LIMIT * np.array([0.0, np.cos(turn), np.sin(turn)])
    np.testing.assert_allclose(force[10:, 0], np.tile(expected, (51, 1)), atol=ROUND_OFF * LIMIT)


def test_turned_histories_give_turned_forces():
    approach, path = mixed_histories()
    turn = Rotation.from_quat([0.3, -0.5, 0.2, 0.8])
    here, _ = drive(approach, path)
    there, _ = drive(approach, path, turn=turn)
    there = turn.inv().apply(there.reshape(-1, 3)).reshape(there.shape)
    np.testing.assert_allclose(there, here, atol=1e-10 * LIMIT)


def test_all_springs_turn_with_the_contact():
    law, steps = model(), 400
    points = straight(SLIDES * np.array([0.0, 0.8, 0.1, 0.5]))
    force, history = drive(np.full((len(points), 1), DEEPEST), points[:, None, None])
    before, values = force[-1, 0], history[-1]
    spin = np.array([0.0, 0.0, np.pi / 2])
    for step in range(1, steps + 1):
        turn = Rotation.from_rotvec(spin * step / steps)
        normal = turn.apply([1.0, 0.0, 0.0])
        result = law.evaluate(
            [(2 * RADIUS - DEEPEST) * normal],
            [(2 * RADIUS - DEEPEST) / steps * np.cross(spin, normal)],
            spin_i=[spin / steps],
            spin_j=[spin / steps],
            timestep=1.0,
            radius_i=RADIUS,
            radius_j=RADIUS,
            history=values,
        )
        values = result.history
    after = -(result.force[0] - result.normal_force[0] * normal)
    np.testing.assert_allclose(after, turn.apply(before), atol=1e-6 * LIMIT)


@pytest.mark.parametrize("clone", laws.clones())
def test_all_clones_take_the_same_path_to_the_last_bit(clone):
    approach, path = mixed_histories(8)
    first, history = drive(approach, path)
    other, other_history = drive(approach, path, clone=clone)
    np.testing.assert_array_equal(other, first)
    np.testing.assert_array_equal(other_history, history)


def test_vanishing_contacts_stay_finite_and_bounded():
    depth = DEEPEST * 10.0 ** -np.r_[np.zeros(2), np.arange(0, 13), np.arange(13, 0, -1)]
    approach = np.repeat(depth[:, None], 3, axis=1)
    approach[10:20, 2] = 0.0
    rng = np.random.default_rng(0)
    path = np.cumsum(rng.normal(size=(len(depth), 3, 2)) * SLIDES, axis=0)
    force, history = drive(approach, path)
    assert np.isfinite(force).all()
    assert np.isfinite(history).all()
    actual = FRICTION * SPHERES.normal_force(approach)
    # a small overlap has a large relative rounding error
    margin = 1e-3 * actual + 1e-20
    assert (np.linalg.norm(force, axis=2)[1:] <= (actual + margin)[1:]).all()


def test_no_friction_no_force():
    approach, path = mixed_histories(4)
    force, _ = drive(approach, path, law=model(friction=0.0))
    np.testing.assert_array_less(np.abs(force), 1e-13 * LIMIT)


def test_the_force_as_it_stands_is_that_of_the_last_step():
    approach, path = mixed_histories()
    force, history = drive(approach, path)
    separation = np.zeros((approach.shape[1], 3))
    separation[:, 0] = 2 * RADIUS - approach[-1]
    result = model().evaluate(
        separation, np.zeros_like(separation), timestep=0.0, radius_i=RADIUS, radius_j=RADIUS,
        history=history[-1],
    )  # fmt: skip
    np.testing.assert_array_equal(result.history, history[-1])
    np.testing.assert_allclose(-result.force[:, 1:], force[-1, :, 1:], atol=ROUND_OFF * LIMIT)


# ------------------------------------------------------------------------- with a dashpot


def damped_step(velocity, history, timestep=1e-4):
    law = model(normal_damping=2.0, xgamma=1.0)
    result = law.evaluate(
        [[2 * RADIUS - DEEPEST, 0, 0]],
        [[0.0, *velocity]],
        timestep=timestep,
        radius_i=RADIUS,
        radius_j=RADIUS,
        history=history,
    )
    return -result.force[0, 1:], result.history


def test_a_sticking_dashpot_acts_in_full():
    _, history = damped_step([0.0, 0.0], None)
    speed = 1e-3 * LIMIT / 2.0
    force, _ = damped_step([speed, 0.0], history)
    spring = pulled(DEEPEST, [0.0, 0.0, speed * 1e-4])[-1]
    np.testing.assert_allclose(force, [spring + 2.0 * speed, 0.0], rtol=1e-9, atol=1e-12 * LIMIT)


def test_the_dashpot_keeps_to_what_the_bound_leaves_and_creates_no_energy():
    rng = np.random.default_rng(3)
    history, lost, sizes = None, 0.0, []
    for _ in range(300):
        velocity = rng.normal(size=2) * LIMIT * 10.0 ** rng.uniform(-2, 1)
        timestep = 0.3 * SLIDES / np.linalg.norm(velocity)
        before = 0.0 if history is None else elastic_energy(history)[0]
        force, history = damped_step(velocity, history, timestep)
        gained = elastic_energy(history)[0] - before - force @ velocity * timestep
        assert gained < ROUND_OFF * LIMIT * SLIDES
        sizes.append(np.linalg.norm(force) / LIMIT)
        lost -= gained
    assert max(sizes) <= 1 + ROUND_OFF
    assert min(sizes) < 0.9
    assert lost > LIMIT * SLIDES
