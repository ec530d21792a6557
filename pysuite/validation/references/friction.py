"""Spring-dashpot-slider friction: exact solutions, discrete steps and explicit schemes.

The source is Führer, Brendel & Wolf, Correction of the spring-dashpot-slider model, Granular Matter
26 (2024). C-SDS is their continuous model, eq. (10). D-SDS is the common discontinuous model,
eq. (3).

Two plates that are pressed together by a constant force slide on each other. The relative velocity
v obeys m v' = F. The force F is exerted by a spring of length xi and a dashpot. It is at most the
Coulomb limit ``limit``. All quantities are in consistent units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plates:
    """Two plates: reduced mass, spring stiffness, dashpot, Coulomb limit, initial velocity > 0."""

    mass: float = 1.0
    stiffness: float = 1.0
    dashpot: float = 2.0
    limit: float = 1.0
    velocity: float = 4.0

    def __post_init__(self) -> None:
        for name in ("mass", "stiffness", "dashpot", "limit", "velocity"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} = {getattr(self, name)} must be > 0")

    @property
    def energy(self) -> float:
        """Initial energy. The spring is relaxed at the start."""
        return 0.5 * self.mass * self.velocity**2


class State(NamedTuple):
    """Histories of shape (n,): time, spring xi, relative velocity v, and force F on the plate."""

    time: Array
    spring: Array
    velocity: Array
    force: Array

    def kinetic(self, plates: Plates) -> Array:
        """Kinetic energy of the relative motion, shape (n,)."""
        return 0.5 * plates.mass * self.velocity**2

    def elastic(self, plates: Plates) -> Array:
        """Energy of the tangential spring, shape (n,)."""
        return 0.5 * plates.stiffness * self.spring**2

    def mechanical(self, plates: Plates) -> Array:
        """Kinetic plus elastic energy, shape (n,)."""
        return self.kinetic(plates) + self.elastic(plates)


class Energies(NamedTuple):
    """Histories of energies, of shape (n,): two stored energies and two cumulative losses."""

    kinetic: Array
    elastic: Array
    dashpot: Array
    slip: Array

    @property
    def total(self) -> Array:
        """Sum of stored energies and losses. It is constant in the exact solution."""
        return self.kinetic + self.elastic + self.dashpot + self.slip


# --- exact solutions ------------------------------------------------------------------------------


def _oscillate(plates: Plates, spring: float, velocity: float, time: Array) -> tuple[Array, Array]:
    """Spring and velocity of the sticking contact."""
    decay = 0.5 * plates.dashpot / plates.mass
    rate = np.sqrt(max(decay**2 - plates.stiffness / plates.mass, 0.0))
    slow, fast = np.exp((rate - decay) * time), np.exp(-(rate + decay) * time)
    cosine = 0.5 * (slow + fast)
    sine = 0.5 * (slow - fast) / rate if rate > 0.0 else time * slow
    drift = velocity + decay * spring
    return (
        spring * cosine + drift * sine,
        velocity * cosine - (decay * velocity + plates.stiffness / plates.mass * spring) * sine,
    )


def _require_overdamped(plates: Plates) -> None:
    # a weakly damped contact may slide again after it has stuck
    if plates.dashpot**2 < 4.0 * plates.stiffness * plates.mass * (1.0 - 1e-12):
        raise ValueError(f"dashpot = {plates.dashpot} must be >= 2 sqrt(stiffness mass)")


def _assemble(
    plates: Plates,
    time: ArrayLike,
    end: float,
    slide: Callable[[Array], tuple[Array, Array]],
) -> State:
    t = np.atleast_1d(np.asarray(time, dtype=float))
    last_spring, last_velocity = (float(x[0]) for x in slide(np.array([end])))
    sliding = t < end
    spring, velocity = slide(np.where(sliding, t, 0.0))
    stick = _oscillate(plates, last_spring, last_velocity, np.where(sliding, 0.0, t - end))
    spring, velocity = np.where(sliding, spring, stick[0]), np.where(sliding, velocity, stick[1])
    test = -(plates.stiffness * spring + plates.dashpot * velocity)
    return State(t, spring, velocity, np.where(sliding, -plates.limit, test))


def csds_slide_duration(plates: Plates) -> float:
    """Time t at which the continuous slider starts to stick, or 0 if it never slides.

    The equation for t is dashpot (v0 - limit t / m) = limit exp(-k t / dashpot).
    """
    k, c, bound = plates.stiffness, plates.dashpot, plates.limit
    if c * plates.velocity <= bound:
        return 0.0
    stop = plates.mass * plates.velocity / bound

    def excess(t: float) -> float:
        return c * (plates.velocity - bound * t / plates.mass) - bound * np.exp(-k * t / c)

    return float(brentq(excess, 0.0, stop, xtol=1e-15 * stop, rtol=1e-15))


def csds_exact(plates: Plates, time: ArrayLike) -> State:
    """Exact C-SDS motion, eq. (10), at the given times.

    Raises ValueError if the contact is not overdamped.
    """
    _require_overdamped(plates)

    def slide(t: Array) -> tuple[Array, Array]:
        loaded = -np.expm1(-plates.stiffness * t / plates.dashpot)
        return (
            plates.limit / plates.stiffness * loaded,
            plates.velocity - plates.limit / plates.mass * t,
        )

    return _assemble(plates, time, csds_slide_duration(plates), slide)


def csds_energies(plates: Plates, time: ArrayLike) -> Energies:
    """Exact energies of C-SDS at the given times.

    The losses in sliding are given in closed form by eq. (11).
    """
    state = csds_exact(plates, time)
    end = csds_slide_duration(plates)
    kinetic, elastic = state.kinetic(plates), state.elastic(plates)
    t = np.minimum(state.time, end)
    k, c, bound = plates.stiffness, plates.dashpot, plates.limit
    path = plates.velocity * t - 0.5 * bound / plates.mass * t**2
    slip = bound * (path + bound / k * np.expm1(-k * t / c))
    dashpot = -0.5 * bound**2 / k * np.expm1(-2.0 * k * t / c)
    at_end = csds_exact(plates, end).mechanical(plates)[0]
    dashpot = dashpot + np.where(state.time > end, at_end - (kinetic + elastic), 0.0)
    return Energies(kinetic, elastic, dashpot, slip)


def dsds_slide_duration(plates: Plates) -> float:
    """Time from which the discontinuous slider always sticks, eq. (20); 0 if it never slides."""
    sticking_velocity = plates.dashpot * plates.limit / (plates.mass * plates.stiffness)
    return max(plates.velocity - sticking_velocity, 0.0) * plates.mass / plates.limit


def dsds_exact(plates: Plates, time: ArrayLike) -> State:
    """D-SDS motion in the limit of a vanishing time step.

    If the contact slides at t = 0, the spring at t = 0 is the reset spring. Raises ValueError if
    the contact is not overdamped.
    """
    _require_overdamped(plates)
    slides = plates.dashpot * plates.velocity > plates.limit

    def slide(t: Array) -> tuple[Array, Array]:
        velocity = plates.velocity - plates.limit / plates.mass * t
        spring = (plates.limit - plates.dashpot * velocity) / plates.stiffness
        return (spring if slides else np.zeros_like(t)), velocity

    return _assemble(plates, time, dsds_slide_duration(plates), slide)


def dsds_created_energy(plates: Plates) -> float:
    """Elastic energy created when D-SDS starts to slide and resets the relaxed spring, eq. (3).

    The energy is (dashpot v0 - limit)^2 / (2 k), or zero if the contact sticks.
    """
    return max(plates.dashpot * plates.velocity - plates.limit, 0.0) ** 2 / (2.0 * plates.stiffness)


# --- one discrete step ----------------------------------------------------------------------------

Step = Callable[..., tuple[Array, Array]]


def _sized(test: Array) -> Array:
    return np.linalg.norm(test, axis=-1) if test.ndim else np.abs(test)


def _over_components(values: ArrayLike, like: Array) -> Array:
    values = np.asarray(values, dtype=float)
    return values[..., None] if like.ndim else values


def _bounded(test: Array, limit: ArrayLike) -> Array:
    size = _sized(test)
    scale = np.minimum(1.0, np.asarray(limit) / np.where(size > 0.0, size, np.inf))
    return test * _over_components(np.where(size > 0.0, scale, 1.0), test)


def csds_step(
    spring: ArrayLike,
    velocity: ArrayLike,
    stiffness: ArrayLike,
    dashpot: ArrayLike,
    limit: ArrayLike,
    time_step: float,
) -> tuple[Array, Array]:
    """Return the new spring and the acting force after a backward Euler step of eq. (10).

    ``spring`` and ``velocity`` are scalars, or arrays of vectors of shape (..., d). For vectors,
    the coefficients are numbers, or arrays of shape (...).
    """
    xi, v = np.asarray(spring, dtype=float), np.asarray(velocity, dtype=float)
    k, c = _over_components(stiffness, xi), _over_components(dashpot, xi)
    resistance = c + k * time_step
    force = _bounded(-(k * xi + resistance * v), limit)
    rigid = resistance > 0.0
    new = np.where(rigid, (c * xi - time_step * force) / np.where(rigid, resistance, 1.0), xi)
    return new, force


def dsds_step(
    spring: ArrayLike,
    velocity: ArrayLike,
    stiffness: ArrayLike,
    dashpot: ArrayLike,
    limit: ArrayLike,
    time_step: float,
) -> tuple[Array, Array]:
    """Return the new spring and the acting force after a D-SDS step, eq. (3).

    The step loads the spring, tests the force and resets the spring, in this order, as in LAMMPS.
    The arguments are those of ``csds_step``. The stiffness must be > 0. The force of a sliding
    contact with a relaxed spring is zero, as in LAMMPS.
    """
    xi, v = np.asarray(spring, dtype=float), np.asarray(velocity, dtype=float)
    k, c = _over_components(stiffness, xi), _over_components(dashpot, xi)
    loaded = xi + v * time_step
    test = -(k * loaded + c * v)
    slides = _over_components(_sized(test) > np.asarray(limit, dtype=float), xi) > 0.0
    relaxed = _over_components(_sized(loaded) == 0.0, xi) > 0.0
    force = np.where(slides & relaxed, 0.0, _bounded(test, limit))
    return np.where(slides & ~relaxed, -(force + c * v) / k, loaded), force


def test_force(spring: Array, velocity: Array, stiffness: ArrayLike, dashpot: ArrayLike) -> Array:
    """Magnitude of the test force k xi + dashpot v.

    The vectors have shape (n, d), and the coefficients have shape (n,).
    """
    force = _over_components(stiffness, spring) * spring
    return _sized(force + _over_components(dashpot, velocity) * velocity)


def capped_test_force(spring: Array, velocity: Array, dashpot: ArrayLike) -> Array:
    """Smallest test force |k xi + dashpot v| that can be reached by changing the spring's length.

    The direction of the spring is kept. Silbert et al. 2001 enforce Coulomb's limit by changing the
    length of the spring. The vectors have shape (n, d), and the dashpot has shape (n,).
    """
    drag = _over_components(dashpot, velocity) * velocity
    direction = spring / _sized(spring)[..., None]
    along = np.sum(drag * direction, axis=-1)
    across = _sized(drag - along[..., None] * direction)
    return np.where(along < 0.0, across, _sized(drag))


def verlet(plates: Plates, step: Step, time_step: float, steps: int) -> State:
    """Velocity Verlet as in LAMMPS. The function ``step`` receives velocities at half steps."""
    coefficients = (plates.stiffness, plates.dashpot, plates.limit)
    spring, velocity = 0.0, plates.velocity
    force = float(step(spring, velocity, *coefficients, 0.0)[1])
    rows = [(0.0, spring, velocity, force)]
    half_kick = 0.5 * time_step / plates.mass
    for n in range(1, steps + 1):
        velocity += half_kick * force
        spring, force = map(float, step(spring, velocity, *coefficients, time_step))
        velocity += half_kick * force
        rows.append((n * time_step, spring, velocity, force))
    return State(*np.array(rows).T)


# --- explicit schemes of section 3 and appendix A of the paper ------------------------------------


class Scheme(NamedTuple):
    """An explicit scheme with the stages u_j = u^n + f(u_{j-1}) c_j dt.

    ``advances`` are the coefficients c_j. The new state u^{n+1} is the sum of u^n, u_1, u_2, ...,
    weighted by ``weights``. ``adjusted`` is True for the stages that D-SDS may reset.
    """

    advances: tuple[float, ...]
    weights: tuple[float, ...]
    adjusted: tuple[bool, ...]
    order: int


SCHEMES: dict[str, Scheme] = {
    "Euler": Scheme((1.0,), (0.0, 1.0), (True,), 1),
    "Heun": Scheme((1.0, 1.0), (0.0, 0.5, 0.5), (True, True), 2),
    "RK4": Scheme(
        (0.5, 0.5, 1.0, 0.5), (-2 / 3, 1 / 3, 2 / 3, 1 / 3, 1 / 3), (True, True, True, True), 4
    ),
    "midpoint": Scheme((0.5, 1.0), (0.0, 0.0, 1.0), (True, False), 2),
}


class Explicit(NamedTuple):
    """The states u^n, and the auxiliary states of all steps. Both contain their times."""

    states: State
    auxiliary: State


def explicit(
    plates: Plates,
    scheme: str,
    model: str,
    time_step: float,
    steps: int,
    reset_velocity: str = "evaluating",
) -> Explicit:
    """Integrate the motion of the plates with an explicit scheme.

    ``model`` is "csds" or "dsds". In D-SDS, the spring of a stage is reset if the contact slides.
    With ``reset_velocity="evaluating"``, the test and the reset use the state in which the force
    was evaluated, eq. (18). With ``"reached"``, the test and the reset use the stage that was
    reached.
    """
    if model not in ("csds", "dsds"):
        raise ValueError(f"model = {model!r} must be 'csds' or 'dsds'")
    if reset_velocity not in ("evaluating", "reached"):
        raise ValueError(f"reset_velocity = {reset_velocity!r} must be 'evaluating' or 'reached'")
    advances, weights, adjusted, _ = SCHEMES[scheme]
    m, k, c, bound = plates.mass, plates.stiffness, plates.dashpot, plates.limit

    def test(state: tuple[float, float]) -> float:
        return -(k * state[0] + c * state[1])

    def acting(state: tuple[float, float]) -> float:
        return min(max(test(state), -bound), bound)

    def rate(state: tuple[float, float]) -> tuple[float, float]:
        force = acting(state)
        return (-(force + k * state[0]) / c if model == "csds" else state[1]), force / m

    def reset(stage: tuple[float, float], judge: tuple[float, float]) -> tuple[float, float]:
        if abs(test(judge)) <= bound:
            return stage
        return -(acting(judge) + c * judge[1]) / k, stage[1]

    state = (0.0, plates.velocity)
    rows = [(0.0, *state, acting(state))]
    inner = []
    for n in range(steps):
        stages = [state]
        for advance, may_reset in zip(advances, adjusted, strict=True):
            before = stages[-1]
            slope = rate(before)
            stage = (
                state[0] + slope[0] * advance * time_step,
                state[1] + slope[1] * advance * time_step,
            )
            if model == "dsds" and may_reset:
                stage = reset(stage, before if reset_velocity == "evaluating" else stage)
            stages.append(stage)
        inner += [
            ((n + advance) * time_step, *stage, acting(stage))
            for advance, stage in zip(advances[:-1], stages[1:-1], strict=True)
        ]
        state = (
            sum(w * u[0] for w, u in zip(weights, stages, strict=True)),
            sum(w * u[1] for w, u in zip(weights, stages, strict=True)),
        )
        rows.append(((n + 1) * time_step, *state, acting(state)))
    return Explicit(State(*np.array(rows).T), State(*np.array(inner).reshape(-1, 4).T))


def convergence_order(time_steps: ArrayLike, errors: ArrayLike) -> float:
    """Least-squares slope of log(error) against log(time step)."""
    return float(np.polyfit(np.log(time_steps), np.log(errors), 1)[0])
