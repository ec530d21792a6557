"""Rolling and twisting: rules of the sliders, guarantees of csds, coefficients, spin, pair order.

The rolling spring is a vector in the contact plane. Its velocity is R (w_i - w_j) x n, and its
torque on i is R n x f. The twisting spring is an angle. Its velocity is (w_i - w_j) . n, and its
torque on i is f n.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pysuite import laws

ROUND_OFF = 1e-13
MU = 0.2
BOTH = pytest.mark.parametrize("role", ["rolling", "twisting"])
STEPS = pytest.mark.parametrize("dt", [1e-9, 1e-3, 1.0, 1e6])
COEFFICIENTS = {
    "spring and dashpot": (50.0, 0.3),
    "spring": (50.0, 0.0),
    "dashpot": (0.0, 0.3),
    "stiff": (3e6, 1e-2),
}
SPRINGS = pytest.mark.parametrize(("k", "gamma"), COEFFICIENTS.values(), ids=COEFFICIENTS)


def dot(a, b):
    return (a * b).sum(axis=1)


def length(vectors):
    return np.sqrt(dot(vectors, vectors))


def model_of(role, k, gamma, slider="csds"):
    """Return a model whose normal force is the approach speed."""
    resistance = f"{role} sds {k} {gamma} {MU} slider {slider}"
    return laws.ContactModel(
        f"hooke 0 1 damping velocity tangential linear_nohistory 0 0 {resistance}"
    )


class Springs:
    """Contacts with random normals and spins.

    The springs have shape (n, 3) for rolling and (n, 1) for twisting.
    """

    def __init__(self, role: str, seed: int, count: int = 2000):
        rng = np.random.default_rng(seed)
        self.rng, self.role, self.count = rng, role, count
        self.radius_i, self.radius_j = rng.uniform(0.2, 1.0, (2, count))
        self.radius = 1 / (1 / self.radius_i + 1 / self.radius_j)
        normal = rng.normal(size=(count, 3))
        self.normal = normal / length(normal)[:, None]
        self.q = rng.normal(size=(count, 3 if role == "rolling" else 1))
        self.q *= 10.0 ** rng.uniform(-4, 1, (count, 1))
        self.q[rng.random(count) < 0.1] = 0.0
        if role == "rolling":
            self.q -= dot(self.q, self.normal)[:, None] * self.normal
        self.draw_spins()
        self.bound = 10.0 ** rng.uniform(-3, 2, count)

    def draw_spins(self) -> None:
        self.spin = self.rng.normal(size=(self.count, 3))
        self.spin *= 10.0 ** self.rng.uniform(-3, 2, (self.count, 1))
        self.spin[self.rng.random(self.count) < 0.1] = 0.0

    @property
    def velocity(self) -> np.ndarray:
        relative = 2 * self.spin  # the partner has the opposite spin
        if self.role == "rolling":
            return self.radius[:, None] * np.cross(relative, self.normal)
        return dot(relative, self.normal)[:, None]

    def step(self, model: laws.ContactModel, dt: float):
        distance = 0.99 * (self.radius_i + self.radius_j)
        step = model.evaluate(
            distance[:, None] * self.normal,
            -(self.bound / MU)[:, None] * self.normal,
            spin_i=self.spin,
            spin_j=-self.spin,
            radius_i=self.radius_i,
            radius_j=self.radius_j,
            history=self.q,
            timestep=dt,
        )
        np.testing.assert_array_equal(step.torque_j, -step.torque_i)
        if self.role == "rolling":
            force = np.cross(step.torque_i, self.normal) / self.radius[:, None]
        else:
            force = dot(step.torque_i, self.normal)[:, None]
        return force, step.history

    def terms(self, k: float, gamma: float, dt: float) -> np.ndarray:
        return k * length(self.q) + (gamma + k * dt) * length(self.velocity)


# ---------------------------------------------------------------------------- rules of LAMMPS


def in_plane(q, normal, k, bound):
    """Rotate the spring into the contact plane under the same condition as in LAMMPS."""
    along = q @ normal
    if abs(along) * k <= 1e-10 * bound:
        return q
    remains = q - along * normal
    size = np.linalg.norm(remains)
    return np.linalg.norm(q) / size * remains if size > 0 else remains


def dsds_rolling(q, v, normal, k, gamma, bound, dt):
    """If the force exceeds the bound, reset the spring so that spring + dashpot = bound."""
    q = in_plane(q, normal, k, bound) + dt * v
    force = -k * q - gamma * v
    size = np.linalg.norm(force)
    if size <= bound:
        return force, q
    if np.linalg.norm(q) == 0.0:
        return 0.0 * force, q
    force = bound / size * force
    return force, -(force + gamma * v) / k


def dsds_twisting(q, v, normal, k, gamma, bound, dt):
    """At the bound, the force opposes the velocity, whatever the sign of spring plus dashpot."""
    q = q + dt * v
    force = -k * q - gamma * v
    if abs(force[0]) <= bound:
        return force, q
    return -bound * np.sign(v), (bound * np.sign(v) - gamma * v) / k


def truncate(q, v, normal, k, gamma, bound, dt):
    """If the force of the spring exceeds the bound, cut it to the bound and drop the dashpot."""
    if q.size == 3:
        q = in_plane(q, normal, k, bound)
    q = q + dt * v
    size = k * np.linalg.norm(q)
    if size > bound:
        q = bound / size * q
        return -k * q, q
    return -k * q - gamma * v, q


RULES = {
    ("rolling", "dsds"): dsds_rolling,
    ("twisting", "dsds"): dsds_twisting,
    ("rolling", "truncate"): truncate,
    ("twisting", "truncate"): truncate,
}


@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize(("role", "slider"), RULES)
def test_slider_follows_its_rule(role, slider, dt):
    springs = Springs(role, 1)
    if role == "rolling":
        springs.q[::2] += springs.rng.normal(size=(1000, 3)) * length(springs.q[::2])[:, None]
    k, gamma = 50.0, 0.3
    force, after = springs.step(model_of(role, k, gamma, slider), dt)
    rule = RULES[role, slider]
    expected = [
        rule(q, v, n, k, gamma, b, dt)
        for q, v, n, b in zip(
            springs.q, springs.velocity, springs.normal, springs.bound, strict=True
        )
    ]
    expected_force, expected_after = (np.array(values) for values in zip(*expected, strict=True))
    terms = springs.terms(k, gamma, dt)
    if role == "rolling":  # only the component in the plane exerts a torque
        along = dot(expected_force, springs.normal)
        expected_force = expected_force - along[:, None] * springs.normal
    assert (np.abs(force - expected_force).max(axis=1) <= 1e-12 * terms).all()
    assert (k * np.abs(after - expected_after).max(axis=1) <= 1e-12 * terms).all()
    slipping = k * length(springs.q + dt * springs.velocity) > springs.bound
    assert 0.1 < slipping.mean() < 0.95


# ---------------------------------------------------------------------------- what csds guarantees


@BOTH
@STEPS
@SPRINGS
def test_sticking_moves_the_spring_by_v_dt_with_the_force_of_lammps(role, dt, k, gamma):
    springs = Springs(role, 2)
    terms = springs.terms(k, gamma, dt)
    springs.bound = 1.01 * terms
    force, after = springs.step(model_of(role, k, gamma), dt)
    moved = springs.q + dt * springs.velocity
    reach = length(springs.q) + dt * length(springs.velocity)
    assert (length(after - moved) <= ROUND_OFF * reach).all()
    expected = -k * moved - gamma * springs.velocity
    assert (length(force - expected) <= ROUND_OFF * terms).all()


@BOTH
@STEPS
def test_without_dashpot_it_is_cundall_strack(role, dt):
    springs = Springs(role, 3)
    k = 50.0
    springs.bound = springs.terms(k, 0.0, dt) * 10.0 ** springs.rng.uniform(-2, 1, springs.count)
    force, after = springs.step(model_of(role, k, 0.0), dt)
    elastic = -k * (springs.q + dt * springs.velocity)
    share = np.minimum(1.0, springs.bound / np.maximum(length(elastic), 1e-300))[:, None]
    terms = springs.terms(k, 0.0, dt)
    assert (length(force - share * elastic) <= ROUND_OFF * terms).all()
    assert (length(k * after + force) <= ROUND_OFF * terms).all()
    assert 0.1 < (share < 1).mean() < 0.9


@BOTH
def test_neither_spring_nor_dashpot_keeps_the_spring_and_gives_no_torque(role):
    springs = Springs(role, 4)
    force, after = springs.step(model_of(role, 0.0, 0.0), 1e-3)
    np.testing.assert_array_equal(force, 0.0)
    # rounding errors are proportional to the length of the spring
    np.testing.assert_allclose(after, springs.q, rtol=0, atol=1e-14 * length(springs.q).max())


@BOTH
@STEPS
def test_torque_and_spring_are_continuous_where_slip_begins(role, dt):
    springs = Springs(role, 5)
    k, gamma = 50.0, 0.3
    magnitude = length(k * springs.q + (gamma + k * dt) * springs.velocity)
    terms = springs.terms(k, gamma, dt)
    reach = length(springs.q) + dt * length(springs.velocity)
    for nearness in (1e-3, 1e-6, 1e-9):
        ends = []
        for side in (1 + nearness, 1 - nearness):
            springs.bound = side * magnitude
            ends.append(springs.step(model_of(role, k, gamma), dt))
        force_jump, spring_jump = (length(ends[0][n] - ends[1][n]) for n in (0, 1))
        tolerance = 1.01 * nearness + ROUND_OFF
        assert (force_jump <= tolerance * terms).all()
        assert (spring_jump <= tolerance * (terms * dt / (gamma + k * dt) + reach)).all()


def stored_and_supplied(springs: Springs, model: laws.ContactModel, k: float, dt: float):
    force, after = springs.step(model, dt)
    stored = 0.5 * k * (dot(after, after) - dot(springs.q, springs.q))
    return stored, -dot(force, springs.velocity) * dt, after


@BOTH
@STEPS
@SPRINGS
def test_what_the_contact_is_given_is_stored_or_lost(role, dt, k, gamma):
    springs = Springs(role, 6)
    stored, supplied, _ = stored_and_supplied(springs, model_of(role, k, gamma), k, dt)
    reach = length(springs.q) + dt * length(springs.velocity)
    scale = k * reach**2 + gamma * length(springs.velocity) * reach
    assert (stored <= supplied + ROUND_OFF * scale).all()


@BOTH
@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0])
def test_no_sequence_of_spins_and_loads_extracts_energy(role, dt):
    springs = Springs(role, 7, count=300)
    k, gamma = 50.0, 0.3
    model = model_of(role, k, gamma)
    springs.q[:] = 0.0
    supplied, attempted = np.zeros((2, springs.count))
    for _ in range(200):
        springs.draw_spins()
        springs.bound = 10.0 ** springs.rng.uniform(-3, 2, springs.count)
        attempted += springs.terms(k, gamma, dt) * length(springs.velocity) * dt
        _, work, springs.q = stored_and_supplied(springs, model, k, dt)
        supplied += work
        assert (0.5 * k * dot(springs.q, springs.q) <= supplied + ROUND_OFF * attempted).all()


@BOTH
def test_dsds_extracts_energy_so_the_tests_above_can_fail(role):
    springs = Springs(role, 8)
    k, gamma, dt = 50.0, 3.0, 1e-3
    springs.q *= 1e-6
    stored, supplied, _ = stored_and_supplied(springs, model_of(role, k, gamma, "dsds"), k, dt)
    assert (stored > 2 * np.abs(supplied)).mean() > 0.1


@BOTH
def test_small_steps_follow_equation_10(role):
    """To first order in dt, xi' = -(min(F_S, F_max) F_S/|F_S| + k xi)/gamma."""
    k, gamma, end = 3.0, 0.7, 4.0
    directions = 2 if role == "rolling" else 1

    def spin_about(t):
        return np.array([np.cos(1.3 * t), 0.6 * np.sin(2.1 * t)])[:directions]

    def bound(t):
        scale = 0.25 if role == "rolling" else 1.0
        return scale * (0.7 + 0.4 * np.sin(1.7 * t))

    def velocity(t):
        spin = spin_about(t)
        return 0.25 * np.array([spin[1], -spin[0]]) if role == "rolling" else spin

    def rate(t, xi):
        test = -(k * xi + gamma * velocity(t))
        size = np.linalg.norm(test)
        return -(min(size, bound(t)) * test / size + k * xi) / gamma

    start = [0.03, -0.01][:directions]
    exact = solve_ivp(rate, (0, end), start, rtol=1e-10, atol=1e-12).y[:, -1]
    model = model_of(role, k, gamma)

    def error(count):
        dt = end / count
        axes = slice(1, 3) if role == "rolling" else slice(0, 1)
        q = np.zeros((1, 3))
        q[0, axes] = start
        slips = 0
        for step in range(count):
            spin = np.zeros(3)
            spin[axes] = spin_about((step + 0.5) * dt)
            limit = bound((step + 1) * dt)
            history = q if role == "rolling" else q[:, :1]
            result = model.evaluate(
                [[0.99, 0, 0]], [[-limit / MU, 0, 0]], timestep=dt,
                spin_i=0.5 * spin, spin_j=-0.5 * spin, history=history,
            )  # fmt: skip
            q = q.copy()
            q[:, : history.shape[1]] = result.history
            resists = np.linalg.norm(result.torque_i) / (0.25 if role == "rolling" else 1.0)
            slips += resists > limit * (1 - 1e-9)
        assert 0.05 * count < slips < 0.95 * count
        return np.abs(q[0, axes] - exact).max()

    coarse, fine, finest = error(400), error(800), error(1600)
    assert finest < 2e-3
    assert 1.7 < coarse / fine < 2.3
    assert 1.7 < fine / finest < 2.3


# ---------------------------------------------------------------------------- marshall

NORMALS = {
    "hooke": "hooke 2e4 3",
    "hertz": "hertz 4e5 3",
    "hertz/material": "hertz/material 4e5 3 0.3",
    "dmt": "dmt 4e5 3 0.3 50",
}
TANGENTIALS = {
    "linear_nohistory": ("linear_nohistory 0.8 0.4", 0.0),
    "linear_history": ("linear_history 1e4 0.8 0.4", 1e4),
    "mindlin": ("mindlin 3e5 0.8 0.4", 3e5),
    "mindlin/force": ("mindlin/force 3e5 0.8 0.4", 3e5),
    "mindlin_rescale": ("mindlin_rescale 3e5 0.8 0.4", 3e5),
    "NULL": ("mindlin NULL 0.8 0.4", 8 * 4e5 / (4 * (2 - 0.3) * (1 + 0.3))),
}


@pytest.mark.parametrize("damping", ["velocity", "viscoelastic"])
@pytest.mark.parametrize("tangential", TANGENTIALS)
@pytest.mark.parametrize("normal", NORMALS)
def test_marshalls_coefficients(normal, tangential, damping):
    """The stiffness is K a^2/2, the damping is gamma_t a^2/2, and the bound is 2/3 mu a F_n.

    K is the stiffness of the tangential spring: kt, or kt a in Mindlin's models.
    """
    if tangential == "NULL" and normal in ("hooke", "hertz"):
        with pytest.raises(ValueError, match="kt = NULL"):
            laws.ContactModel(f"{NORMALS[normal]} tangential {TANGENTIALS[tangential][0]}")
        return
    rng = np.random.default_rng(9)
    count, dt = 300, 1e-3
    text, stiffness = TANGENTIALS[tangential]
    model = laws.ContactModel(
        f"{NORMALS[normal]} damping {damping} tangential {text} twisting marshall"
    )
    radius, mass = 0.25, 0.5
    separation = np.zeros((count, 3))
    separation[:, 2] = 1.0 - 10.0 ** rng.uniform(-4, -1, count)
    a = np.sqrt(radius * (1.0 - separation[:, 2]))
    spin = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-2, 6, (count, 1)) * [0, 0, 1]
    history = np.zeros((count, model.history_size))
    history[:, -1] = rng.normal(size=count) * 10.0 ** rng.uniform(-3, 1, count)
    result = model.evaluate(
        separation, np.zeros((count, 3)), spin_i=spin, history=history, timestep=dt
    )

    elastic = result.normal_force  # elastic only, because the velocity along the normal is 0
    cohesion = 2 * 4 * np.pi * 50 * radius if normal == "dmt" else 0.0
    grows = text.startswith("mindlin")
    k = 0.5 * stiffness * (a if grows else 1.0) * a**2
    gamma = 0.5 * 0.8 * a**2 * 3.0 * (mass * a if damping == "viscoelastic" else 1.0)
    bound = 2 / 3 * 0.4 * a * np.abs(elastic + cohesion)
    test = -(k * history[:, -1] + (gamma + k * dt) * spin[:, 2])
    share = np.minimum(1.0, bound / np.abs(test))
    moment = share * test
    after = (gamma * history[:, -1] - dt * moment) / (gamma + k * dt)
    np.testing.assert_allclose(result.torque_i[:, 2], moment, rtol=1e-9)
    np.testing.assert_allclose(result.torque_j[:, 2], -moment, rtol=1e-9)
    error = np.abs(result.history[:, -1] - after)
    assert (error <= 1e-12 * (np.abs(history[:, -1]) + dt * np.abs(spin[:, 2]))).all()
    assert 0.05 < (share < 1).mean() < 0.99


@pytest.mark.parametrize("slider", ["csds", "truncate", "dsds"])
def test_marshalls_stiffness_with_each_slider(slider):
    """The stiffness is K a^2/2. With the slider dsds, K is kt although kt is a pressure."""
    tangential = "mindlin 3e5 0 0.4"
    model = laws.ContactModel(
        f"hertz 4e5 0 tangential {tangential} twisting marshall slider {slider}"
    )
    overlap, angle = np.array([1e-4, 1e-3, 1e-2]), 1e-6
    separation = np.zeros((3, 3))
    separation[:, 0] = 1.0 - overlap
    history = np.zeros((3, model.history_size))
    history[:, -1] = angle
    step = model.evaluate(separation, np.zeros((3, 3)), history=history, timestep=1e-3)
    a = np.sqrt(0.25 * overlap)
    stiffness = 0.5 * 3e5 * (1.0 if slider == "dsds" else a) * a**2
    # the overlap is a small difference of numbers of order 1
    np.testing.assert_allclose(-step.torque_i[:, 0], stiffness * angle, rtol=1e-11)


# ---------------------------------------------------------------------------- order of the pair


@BOTH
@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
def test_the_partner_sees_the_same_rolling_and_twisting_spring(role, slider):
    """Swapping the particles reverses both factors of the velocity, so springs keep their sign."""
    springs = Springs(role, 10)
    model = model_of(role, 50.0, 0.3, slider)
    one = springs.step(model, 1e-3)
    springs.normal, springs.spin = -springs.normal, -springs.spin
    springs.radius_i, springs.radius_j = springs.radius_j, springs.radius_i
    other = springs.step(model, 1e-3)
    for here, there in zip(one, other, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-12)
    assert length(one[0]).max() > 0.0


# ---------------------------------------------------------------------------- spin of the pair

SPRINGS_IN_THE_PLANE = {
    "tangential": "tangential linear_history 1e3 0 0.5",
    "carried force": "tangential mindlin/force 1e3 0 0.5",
    "rolling": "tangential linear_nohistory 0 0 rolling sds 1e3 0 0.5",
}


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
@pytest.mark.parametrize("law", SPRINGS_IN_THE_PLANE.values(), ids=SPRINGS_IN_THE_PLANE)
def test_springs_in_the_plane_follow_the_spin_of_the_pair(law, slider):
    """With the slider dsds, springs keep their direction, as in LAMMPS."""
    model = laws.ContactModel(f"hertz 1e5 0 {law} slider {slider}")
    angle = 1.0

    def turned(count):
        rate = angle / count
        history = np.array([[0.0, 1e-4, 0.0]])
        for _ in range(count):
            spin = [rate / 1e-3, 0.0, 0.0]
            step = model.evaluate(
                [[0.99, 0, 0]], [[0, 0, 0]], spin_i=spin, spin_j=spin, timestep=1e-3,
                history=history,
            )  # fmt: skip
            history = step.history
        return history[0] / 1e-4

    coarse, fine = turned(50), turned(100)
    if slider == "dsds":
        np.testing.assert_allclose(fine, [0, 1, 0], rtol=1e-12, atol=1e-15)
        return
    assert np.linalg.norm(fine) == pytest.approx(1.0, rel=1e-12)
    expected = [0.0, np.cos(angle), np.sin(angle)]
    errors = [np.linalg.norm(result - expected) for result in (coarse, fine)]
    assert errors[1] < 1e-4  # each step rotates by atan(angle/count)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_twist_does_not_hang_on_the_spin_of_the_pair():
    model = model_of("twisting", 50.0, 0.3)
    ends = [
        model.evaluate(
            [[0.99, 0, 0]], [[0, 0, 0]], spin_i=[common + 1.0, 0, 0], spin_j=[common, 0, 0],
            timestep=1e-3, history=[[1e-3]],
        )
        for common in (0.0, 64.0)
    ]  # fmt: skip
    np.testing.assert_array_equal(ends[0].torque_i, ends[1].torque_i)
    np.testing.assert_array_equal(ends[0].history, ends[1].history)
