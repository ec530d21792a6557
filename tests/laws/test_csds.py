"""The six guarantees of the implicit C-SDS step, tested on the compiled slider.

Notation of the law: spring xi, stiffness k, dashpot gamma, velocity v, Coulomb limit F_max, time
step dt. Rounding errors are judged relative to the terms of the test force.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pysuite import laws

ROUND_OFF = 1e-13
TIME_STEPS = [1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e9]
FORMS = pytest.mark.parametrize("form", ["displacement", "force"])
STEPS = pytest.mark.parametrize("dt", TIME_STEPS)


class Springs:
    """Springs with random and extreme parameters; parameters named in `positive` are not zero."""

    def __init__(self, seed: int, count: int = 3000, positive: str = ""):
        rng = np.random.default_rng(seed)
        self.rng, self.count = rng, count
        scale = 10.0 ** rng.uniform(-6, 6, count)
        vanishing = 10.0 ** rng.uniform(-322, -6, count)  # k, gamma and F_max become small together
        scale = np.where(rng.random(count) < 0.2, vanishing, scale)
        self.k = scale * 10.0 ** rng.uniform(-1, 1, count)
        self.gamma = scale * 10.0 ** rng.uniform(-1, 1, count)
        zero = rng.integers(0, 6, count)  # k = 0, gamma = 0, or both
        self.k[(zero == 0) | (zero == 2)] = 0.0
        self.gamma[(zero == 1) | (zero == 2)] = 0.0
        if "k" in positive:
            self.k = scale
        if "gamma" in positive:
            self.gamma = scale
        self.xi = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-3, 3, (count, 1))
        self.v = rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-3, 3, (count, 1))
        self.v[rng.random(count) < 0.1] = 0.0
        self.xi[rng.random(count) < 0.1] = 0.0

    def test_force(self, dt: float) -> np.ndarray:
        k, drag = self.k[:, None], (self.gamma + self.k * dt)[:, None]
        return -(k * self.xi + drag * self.v)

    def terms(self, dt: float) -> np.ndarray:
        """Return the summed magnitudes of the terms of each test force, in shape (n,)."""
        return self.k * length(self.xi) + (self.gamma + self.k * dt) * length(self.v)

    def random_bound(self, dt: float) -> np.ndarray:
        bound = length(self.test_force(dt)) * 10.0 ** self.rng.uniform(-3, 1, self.count)
        bound[self.rng.random(self.count) < 0.1] = 0.0
        return bound

    def step(self, form: str, bound, dt: float, slider: str = "csds", clone: str = ""):
        """Return force and displacement after one step; `form` names what the slider stores."""
        return slide(form, self.xi, self.v, self.k, self.gamma, bound, dt, slider, clone)


def slide(form, xi, v, k, gamma, bound, dt, slider="csds", clone=""):
    """Return force and displacement after one step; xi is a displacement for both forms."""
    carries_force = form == "force"
    state = -k[:, None] * xi if carries_force else xi
    force, state = laws.slide(
        slider, state, v, stiffness=k, damping=gamma, bound=bound, timestep=dt,
        carries_force=carries_force, clone=clone,
    )  # fmt: skip
    if not carries_force:
        return force, state
    # without stiffness, the stored force is always zero and does not reveal the displacement
    with np.errstate(divide="ignore", invalid="ignore"):
        return force, np.where(k[:, None] > 0.0, -state / k[:, None], xi)


def length(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt((vectors**2).sum(axis=1))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=1)


def assert_small(difference, scale, tolerance=ROUND_OFF):
    """Check |difference| <= tolerance * scale + 1e-150 (squares may underflow). NaN fails."""
    difference = np.abs(difference)
    if difference.ndim == 2:
        difference = difference.max(axis=1)
    bad = ~(difference <= tolerance * scale + 1e-150)
    assert not bad.any(), f"{bad.sum()} of {bad.size}: {difference[bad][:5]}"


# ---------------------------------------------------------------------------- 1 sticking


@STEPS
def test_sticking_moves_the_spring_by_v_dt_to_the_last_bit(dt):
    springs = Springs(1)
    _, xi = springs.step("displacement", np.full(springs.count, np.inf), dt)
    moved = springs.xi + dt * springs.v
    rigid = springs.gamma + springs.k * dt == 0  # k dt may underflow
    np.testing.assert_array_equal(xi, np.where(rigid[:, None], springs.xi, moved))


@STEPS
def test_sticking_moves_a_carried_force_by_minus_k_v_dt_to_the_last_bit(dt):
    springs = Springs(2)
    carried = springs.rng.normal(size=(springs.count, 3))
    k, gamma = springs.k, springs.gamma
    _, state = laws.slide(
        "csds", carried, springs.v, stiffness=k, damping=gamma, bound=np.inf, timestep=dt,
        carries_force=True,
    )  # fmt: skip
    moved = carried + (dt * -k)[:, None] * springs.v
    np.testing.assert_array_equal(state, moved)


@FORMS
@STEPS
def test_sticking_force_is_that_of_lammps(form, dt):
    springs = Springs(3)
    force, _ = springs.step(form, np.full(springs.count, np.inf), dt)
    k, gamma = springs.k[:, None], springs.gamma[:, None]
    expected = -k * (springs.xi + dt * springs.v) - gamma * springs.v
    assert_small(force - expected, springs.terms(dt))


# ---------------------------------------------------------------------------- 2 gamma -> 0


@FORMS
@STEPS
def test_without_dashpot_it_is_cundall_strack(form, dt):
    springs = Springs(4, positive="k")
    springs.gamma[:] = 0.0
    bound = springs.random_bound(dt)
    force, xi = springs.step(form, bound, dt)
    elastic = -springs.k[:, None] * (springs.xi + dt * springs.v)
    share = np.minimum(1.0, bound / np.maximum(length(elastic), 1e-300))
    share[length(elastic) < 1e-150] = 1.0  # squares of such forces underflow
    assert_small(force - share[:, None] * elastic, springs.terms(dt))
    assert_small(springs.k[:, None] * xi + force, springs.terms(dt))


def test_the_limit_without_dashpot_is_reached_linearly():
    springs = Springs(5, positive="k")
    springs.k[:] = 1.0
    dt = 0.1
    bound = 0.3 * length(springs.test_force(dt))
    springs.gamma[:] = 0.0
    _, limit = springs.step("displacement", bound, dt)
    errors = []
    for gamma in (1e-4, 1e-6, 1e-8):
        springs.gamma[:] = gamma
        errors.append(length(springs.step("displacement", bound, dt)[1] - limit).max())
    assert errors[0] > 1e-4
    np.testing.assert_allclose(errors[1] / errors[0], 1e-2, rtol=1e-2)
    np.testing.assert_allclose(errors[2] / errors[1], 1e-2, rtol=1e-2)


@FORMS
@STEPS
def test_neither_spring_nor_dashpot_keeps_the_spring_and_gives_no_force(form, dt):
    springs = Springs(6)
    springs.k[:] = springs.gamma[:] = 0.0
    for bound in (0.0, 1.0, np.inf):
        force, xi = springs.step(form, np.full(springs.count, bound), dt)
        np.testing.assert_array_equal(force, 0.0)
        np.testing.assert_array_equal(xi, springs.xi)


@FORMS
@pytest.mark.parametrize("ratio", [1e-3, 1.0, 1e3])
def test_vanishing_overlap_scales_force_and_leaves_the_spring(form, ratio):
    rng = np.random.default_rng(7)
    xi, v = rng.normal(size=(2, 1, 3))
    scales = 2.0 ** -np.arange(0, 1074, 7)
    count, dt = scales.size, 0.1
    xi, v = np.tile(xi, (count, 1)), np.tile(v, (count, 1))
    force, after = slide(form, xi, v, ratio * scales, scales, 0.5 * scales, dt)
    assert np.isfinite(force).all()
    assert np.isfinite(after).all()
    assert (length(after) <= 1.001 * (length(xi) + dt * length(v))).all()
    seen = scales > 2.0**-480  # at smaller scales, |F_S|^2 and the bound underflow
    per_scale = force[seen] / scales[seen, None]
    np.testing.assert_allclose(per_scale, np.tile(force[0], (seen.sum(), 1)), rtol=1e-12)
    np.testing.assert_allclose(after[seen], np.tile(after[0], (seen.sum(), 1)), rtol=1e-12)
    assert (length(force[~seen]) < 1e-140).all()


# ---------------------------------------------------------------------------- 3 dt -> 0


@FORMS
def test_small_steps_follow_equation_10(form):
    """To first order in dt, xi' = -(min(F_S, F_max) F_S/|F_S| + k xi)/gamma."""
    k, gamma, end = 3.0, 0.7, 4.0

    def velocity(t):
        return np.array([np.cos(1.3 * t), 0.6 * np.sin(2.1 * t), 0.2 * np.cos(t)])

    def bound(t):
        return 0.9 + 0.5 * np.sin(1.7 * t)

    def rate(t, xi):
        test = -(k * xi + gamma * velocity(t))
        size = np.linalg.norm(test)
        return -(min(size, bound(t)) * test / size + k * xi) / gamma

    exact = solve_ivp(rate, (0, end), [0.3, -0.1, 0.05], rtol=1e-10, atol=1e-12).y[:, -1]

    def error(count):
        dt = end / count
        xi = np.array([[0.3, -0.1, 0.05]])
        slips = 0
        for step in range(count):
            middle = velocity((step + 0.5) * dt)[None]
            limit = bound((step + 1) * dt)
            force, xi = slide(form, xi, middle, np.array([k]), np.array([gamma]), limit, dt)
            slips += length(force)[0] > limit * (1 - 1e-12)
        assert 0.2 * count < slips < 0.95 * count  # some steps slip, others stick
        return np.abs(xi[0] - exact).max()

    coarse, fine, finest = error(400), error(800), error(1600)
    assert finest < 2e-3
    assert 1.7 < coarse / fine < 2.3
    assert 1.7 < fine / finest < 2.3


# ---------------------------------------------------------------------------- 4 continuity


@FORMS
@STEPS
def test_force_and_spring_are_continuous_where_sliding_begins(form, dt):
    springs = Springs(8, positive="gamma")
    springs.k[springs.k < 1e-12] = 0.0
    springs.gamma = np.maximum(springs.gamma, 1e-12)
    terms = springs.terms(dt)
    magnitude = length(springs.test_force(dt))
    for nearness in (1e-3, 1e-6, 1e-9):
        stick = springs.step(form, (1 + nearness) * magnitude, dt)
        slip = springs.step(form, (1 - nearness) * magnitude, dt)
        force_jump, spring_jump = (slip[n] - stick[n] for n in (0, 1))
        assert_small(force_jump, (1.01 * nearness + ROUND_OFF) * terms, 1.0)
        # if forces differ by dF, springs differ by dt dF/(gamma + k dt)
        reach = terms / (springs.gamma + springs.k * dt) * dt + length(springs.xi)
        assert_small(spring_jump, (1.01 * nearness + ROUND_OFF) * reach, 1.0)


def test_truncate_is_not_continuous_so_the_test_above_can_fail():
    springs = Springs(9, positive="k gamma")
    stretched = springs.k * length(springs.xi + springs.v)
    stick = springs.step("displacement", (1 + 1e-9) * stretched, 1.0, "truncate")[0]
    slip = springs.step("displacement", (1 - 1e-9) * stretched, 1.0, "truncate")[0]
    assert (length(slip - stick) > 0.1 * springs.terms(1.0)).mean() > 0.1


# ---------------------------------------------------------------------------- 5 passivity


@FORMS
@STEPS
def test_what_the_contact_is_given_is_stored_or_lost(form, dt):
    springs = Springs(10)
    k, gamma, v = springs.k, springs.gamma, springs.v
    if form == "force":
        springs.xi[k == 0] = 0.0
    force, xi = springs.step(form, springs.random_bound(dt), dt)
    move = xi - springs.xi
    slip_velocity = v - move / dt
    slip_loss = -dot(force, slip_velocity) * dt
    dashpot_loss = gamma * dot(move, move) / dt
    numerical_loss = 0.5 * k * dot(move, move)
    stored = 0.5 * k * (dot(xi, xi) - dot(springs.xi, springs.xi))
    supplied = -dot(force, v) * dt
    alive = (k > 0) | (gamma > 0)

    reach = length(springs.xi) + dt * length(v)
    scale = k * reach**2 + gamma * dt * length(v) * (length(v) + length(springs.xi) / dt)
    assert_small(supplied - stored - slip_loss - dashpot_loss - numerical_loss, scale)
    assert (slip_loss[alive] >= -ROUND_OFF * scale[alive] - 1e-150).all()
    assert (stored <= supplied + ROUND_OFF * scale + 1e-150).all()

    # slip has no component perpendicular to the friction force
    across = dt * np.cross(slip_velocity, force)[alive]
    assert_small(across, (length(force) * reach)[alive])


@FORMS
@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0, 1e3])
def test_no_sequence_of_velocities_and_bounds_extracts_energy(form, dt):
    springs = Springs(11, count=400, positive="k")
    springs.k = np.clip(springs.k, 1e-6, 1e6)
    if form == "force":
        springs.gamma = np.clip(springs.gamma, 0, 1e6)
    xi = 0.0 * springs.xi
    supplied = np.zeros(springs.count)
    attempted = np.zeros(springs.count)  # work of the test force
    for _ in range(200):
        springs.xi = xi
        springs.v = springs.rng.normal(size=xi.shape)
        force, xi = springs.step(form, springs.random_bound(dt), dt)
        supplied -= dot(force, springs.v) * dt
        attempted += springs.terms(dt) * length(springs.v) * dt
        stored = 0.5 * springs.k * dot(xi, xi)
        assert (stored <= supplied + ROUND_OFF * attempted).all()


def growth_per_step(stiffness: float, damping: float, dt: float = 1.0) -> float:
    """Return the spectral radius of one step of a unit mass held by a sticking contact."""

    def step(displacement: float, velocity: float) -> tuple[float, float]:
        force, state = laws.slide(
            "csds",
            [[displacement, 0.0, 0.0]],
            [[velocity, 0.0, 0.0]],
            stiffness=stiffness,
            damping=damping,
            bound=np.inf,
            timestep=dt,
        )
        return state[0, 0], velocity + dt * force[0, 0]

    columns = np.column_stack([step(1.0, 0.0), step(0.0, 1.0)])
    return float(np.abs(np.linalg.eigvals(columns)).max())


@pytest.mark.parametrize("stiffness", [0.0, 0.3, 1.0, 2.5, 3.9])
def test_motion_is_stable_up_to_the_bound_of_the_manual(stiffness):
    """If (gamma + k dt/2) dt < 2 m, no mode grows (theory_csds, section 7)."""
    bound = 2.0 - 0.5 * stiffness
    within, beyond = (growth_per_step(stiffness, bound + d) for d in (-0.01, 0.01))
    assert within < 1.0 if stiffness else within <= 1.0
    assert beyond > 1.0
    if stiffness < 2.0:
        assert growth_per_step(stiffness, 2.0 - stiffness) <= 1.0 + 1e-12


def test_undamped_motion_is_stable_up_to_verlets_bound():
    assert growth_per_step(3.99, 0.0) == pytest.approx(1.0, abs=1e-12)
    assert growth_per_step(4.01, 0.0) > 1.05


@pytest.mark.parametrize(("damping", "loses"), [(1.99, True), (2.01, False)])
def test_particles_lose_the_work_less_that_of_the_integrator(damping, loses):
    """Equation (5) of theory_csds, tested for mass 1, time step 1 and a contact without spring."""
    velocity = 0.7
    force, _ = laws.slide(
        "csds",
        [[0.0, 0.0, 0.0]],
        [[velocity, 0.0, 0.0]],
        stiffness=0.0,
        damping=damping,
        bound=np.inf,
        timestep=1.0,
    )
    lost = 0.5 * velocity**2 - 0.5 * (velocity + force[0, 0]) ** 2
    assert lost == pytest.approx(-force[0, 0] * velocity - 0.5 * force[0, 0] ** 2, rel=1e-14)
    assert bool(lost > 0.0) is loses


def test_dsds_extracts_energy_so_the_test_above_can_fail():
    springs = Springs(12, count=400, positive="k gamma")
    springs.xi[:] = 0.0
    force, xi = springs.step("displacement", 0.1 * length(springs.test_force(1e-3)), 1e-3, "dsds")
    stored = 0.5 * springs.k * dot(xi, xi)
    assert (stored > -2.0 * dot(force, springs.v) * 1e-3).mean() > 0.5


def energy_from_changing_stiffness(tangential: str) -> np.ndarray:
    """Return created energy divided by total work for each contact, at random overlaps."""
    rng = np.random.default_rng(13)
    count, dt, stiffness = 200, 0.02, 50.0
    model = laws.ContactModel(
        f"hertz 1e3 2 damping viscoelastic tangential {tangential} {stiffness} 1 1"
    )
    history = np.zeros((count, model.history_size))
    stored, created, work = np.zeros((3, count))
    for _ in range(100):
        separation = np.zeros((count, 3))
        separation[:, 0] = 1.0 - rng.uniform(1e-4, 0.1, count)
        velocity = rng.normal(size=(count, 3)) * [0, 1, 1]
        step = model.evaluate(separation, velocity, timestep=dt, history=history)
        history = step.history
        before = stored
        supplied = -dot(step.force[:, 1:], velocity[:, 1:]) * dt
        spring = stiffness * np.sqrt(0.25 * (1.0 - separation[:, 0]))
        carried = dot(history[:, :3], history[:, :3])
        stored = 0.5 * (carried / spring if tangential.endswith("force") else spring * carried)
        created += np.maximum(0.0, stored - before - supplied)
        work += np.abs(supplied)
    return created / work


def test_rescaled_force_stays_passive_when_the_stiffness_changes():
    assert energy_from_changing_stiffness("mindlin_rescale/force").max() <= ROUND_OFF


@pytest.mark.parametrize("tangential", ["mindlin", "mindlin/force", "mindlin_rescale"])
def test_other_mindlin_forms_create_energy_as_documented(tangential):
    assert energy_from_changing_stiffness(tangential).max() > 1e-3


# ---------------------------------------------------------------------------- 6 clones, branches


@FORMS
@STEPS
@pytest.mark.parametrize("slider", [law["name"] for law in laws.registry()["slider"]])
def test_all_clones_give_the_same_bits(form, dt, slider):
    springs = Springs(14)
    bound = springs.random_bound(dt)
    results = [springs.step(form, bound, dt, slider, clone) for clone in laws.clones()]
    for force, xi in results[1:]:
        assert force.tobytes() == results[0][0].tobytes()
        assert xi.tobytes() == results[0][1].tobytes()


@FORMS
@STEPS
@pytest.mark.parametrize("slider", ["csds", "dsds"])
def test_coulombs_bound_holds(form, dt, slider):
    springs = Springs(15)
    bound = springs.random_bound(dt)
    force, xi = springs.step(form, bound, dt, slider)
    assert np.isfinite(force).all()
    assert np.isfinite(xi).all()
    assert (length(force) <= bound * (1 + 1e-14) + 1e-150).all()
