"""Two plates that slide until friction stops them, with C-SDS and D-SDS, in Python and LAMMPS.

The case reproduces figure 1 of Führer, Brendel & Wolf, Granular Matter 26 (2024): (a) with the
explicit Euler scheme, (b) with the pair styles granular and granular/plus in LAMMPS.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pysuite import statistics
from pysuite.validation import Case, Context
from pysuite.validation.references import friction
from pysuite.validation.references.friction import State
from pysuite.validation.setups.plates import (
    DURATION,
    GEOMETRY,
    IN_GEOMETRY,
    PLATES,
    draw_columns,
    exact,
    explicit,
    history,
    motion,
)

LAMMPS_STEPS = (0.1, 0.01, 0.001)
MEASURE_EVERY = (1, 1, 100)
ROUGH = 0.1  # coarse step of fig. 1


ROUND_OFF = "round-off, and the finite radius of the spheres that represent the plates"


def run(c: Context) -> None:
    explicit_euler(c)
    sticking_threshold(c)
    found = simulate(c)
    for (step, state), error in zip(found.csds.items(), found.errors, strict=True):
        judge_step(c, step, state, error)
    every_step(c, found.csds[LAMMPS_STEPS[-1]])
    smoothness(c)
    judge_independent(c, found)
    judge_stock(c, found.stock)
    thrown_backwards(c, found.dsds)
    figure_1(c, found.stock, found.csds[0.1])
    figure_energy(c, found.stock, found.dsds, found.csds)


def explicit_euler(c: Context) -> None:
    coarse = explicit("Euler", "dsds", 0.1).states
    swings, turns = [], []
    steps = (0.1, 0.001)
    for step in steps:
        state = explicit("Euler", "dsds", step).states
        early = (state.time > 0) & (state.time < 1)
        swings.append(PLATES.limit - np.abs(state.force[early]).min())
        turns.append(np.count_nonzero(np.diff(np.sign(np.diff(state.force[early])))))
        c.check(
            f"fig. 1a: force oscillation of D-SDS with Euler, dt = {step}",
            measured=swings[-1],
            reference=PLATES.dashpot * PLATES.limit / PLATES.mass * step,
            tolerance=1e-9,
            reason="eq. (19) holds exactly for the scheme, except for round-off",
        )
    c.claim(
        "F1",
        "order, in the step, of the amplitude of the D-SDS force oscillation, Euler",
        statistics.numerical(friction.convergence_order(steps, swings), 1e-9, "round-off"),
        equals=1.0,
        within=0.05,
        reason="the amplitude is proportional to the time step; an error of 0.05 in the order"
        " changes the amplitude by a factor of 1.25 over two decades",
    )
    c.claim(
        "F1",
        "order, in the step, of the frequency of the D-SDS force oscillation, Euler",
        statistics.numerical(
            friction.convergence_order(steps, turns),
            1.0 / turns[0] / np.log(steps[0] / steps[1]),
            "one period more or less at the coarse step",
        ),
        equals=-1.0,
        within=0.1,
        reason="the frequency is inversely proportional to the time step; the tolerance is wide,"
        " because only ten periods are counted",
    )
    c.check(
        "fig. 1a: spring of D-SDS after the first Euler step",
        measured=coarse.spring[1],
        reference=exact("dsds", np.zeros(1)).spring[0],
        tolerance=1e-12,
        reason="eq. (3) with the initial velocity gives the reference, except for round-off",
    )
    c.claim(
        "F2",
        "spring of D-SDS after the first Euler step / largest spring that Coulomb's law allows",
        statistics.numerical(
            coarse.spring[1] * PLATES.stiffness / PLATES.limit, 1e-12, "round-off"
        ),
        at_most=-1.0,
        reason="the reset stretches the spring backwards by more than Coulomb's law allows",
    )
    immediate_sticking(c)
    between_steps(c, coarse)


def immediate_sticking(c: Context) -> None:
    """Judge eq. (19): after a step with sliding, the contact must stick in the next step."""
    repeated, slides = 0, 0
    for step in (0.1, 0.001):
        state = explicit("Euler", c["discontinuous"], step).states
        test = np.abs(PLATES.stiffness * state.spring + PLATES.dashpot * state.velocity)
        sliding = test > PLATES.limit * (1.0 + 1e-12)
        repeated += np.count_nonzero(sliding[1:] & sliding[:-1])
        slides += np.count_nonzero(sliding)
    c.claim(
        "F21",
        f"plates with Euler, dt = 0.1 and 0.001: steps that slide right after one of the {slides}"
        " steps that slide",
        statistics.numerical(float(repeated), 0.0, "counted"),
        at_most=0.0,
        reason="by eq. (19), the test force falls below the limit in the next step",
    )


def between_steps(c: Context, dsds: State) -> None:
    """Judge and report the distances between the C-SDS curves for both time steps of fig. 1."""
    rough = explicit("Euler", "csds", ROUGH).states
    fine, finest = (explicit("Euler", "csds", step).states for step in (0.002, 0.001))
    apart = [
        {name: distances(rough, other, name, dsds) for name in ("spring", "velocity", "force")}
        for other in (fine, finest)
    ]
    name = max(apart[1], key=lambda name: apart[1][name].vertical)
    least, most = (
        f"C-SDS with Euler, dt = {ROUGH:g} against dt = 0.001: largest {words} distance between the"
        f" curves of {name}, fraction of the panel of fig. 1"
        for words in ("nearest", "vertical")
    )
    reason = "the paper does not state which distance can be distinguished"
    nearest, vertical = (
        statistics.refined(*(getattr(each[name], which) for each in apart))
        for which in ("nearest", "vertical")
    )
    c.undecidable("F3", least, nearest, reason=reason)
    c.undecidable("F3", most, vertical, reason=reason)
    c.note(
        f"Distances in fig. 1 between the curves of C-SDS with Euler at dt = {ROUGH:g} and 0.001,"
        " vertically, horizontally and to the nearest point, in fractions of the panel: "
        + ", ".join(
            f"{100.0 * part.vertical:.1f} %, {100.0 * part.horizontal:.1f} % and"
            f" {100.0 * part.nearest:.1f} % ({of})"
            for of, part in apart[1].items()
        )
        + "."
    )


class Distances(NamedTuple):
    """Largest distances between two curves, as fractions of the height and width of a panel."""

    vertical: float
    horizontal: float
    nearest: float  # distance to the nearest point


def distances(one: State, other: State, name: str, shown: State) -> Distances:
    """Return the distances of curve `one` from curve `other`.

    The size of the panel follows from both curves and from `shown`.
    """
    values = [getattr(states, name) for states in (one, other, shown)]
    height, width = np.ptp(np.concatenate(values)), other.time[-1]
    gap = np.abs(values[0] - np.interp(one.time, other.time, values[1]))
    slope = np.gradient(values[1], other.time)
    slope = np.abs(np.interp(one.time, other.time, slope))
    steep = slope > 0.1 * slope.max()
    points, curve = (
        np.stack([states.time / width, each / height], axis=-1)
        for states, each in ((one, values[0]), (other, values[1]))
    )
    return Distances(
        float(gap.max() / height),
        float((gap[steep] / slope[steep]).max() / width),
        max(float(np.hypot(*(curve - point).T).min()) for point in points),
    )


THRESHOLD = PLATES.dashpot * PLATES.limit / (PLATES.mass * PLATES.stiffness)  # eq. (20)
THRESHOLD_STEPS = (4e-3, 4e-4, 4e-5)  # LAMMPS uses the first two, numpy the last two


def lowest_slide(step: float) -> float:
    """Return (lowest speed at which D-SDS slides with Euler) / (threshold of eq. (20))."""
    until = PLATES.mass * PLATES.velocity / PLATES.limit
    state = friction.explicit(PLATES, "Euler", "dsds", step, round(until / step)).states
    test = np.abs(PLATES.stiffness * state.spring + PLATES.dashpot * state.velocity)
    slides = np.flatnonzero(test >= PLATES.limit * (1.0 - 1e-12))
    return float(state.velocity[slides[-1]] / THRESHOLD)


def lowest_slide_in_lammps(c: Context, step: float) -> float:
    """Return (lowest speed at which D-SDS slides in LAMMPS) / (threshold of eq. (20))."""
    _, velocity, force = motion(c, "granular/plus", c["discontinuous"], step)
    slides = np.flatnonzero(np.abs(force) >= PLATES.limit * (1.0 - GEOMETRY))
    return float(velocity[slides[-1]] / THRESHOLD)


def sticking_threshold(c: Context) -> None:
    c.claim(
        "F11",
        "lowest speed at which D-SDS slides with Euler / threshold of eq. (20)",
        statistics.refined(*map(lowest_slide, THRESHOLD_STEPS[1:])),
        equals=1.0,
        within=0.03,
        reason=(
            "near the threshold, the change of the spring in a step is of second order, so the"
            " error is proportional to the square root of the time step: 0.02 with the coarse"
            " and 0.006 with the fine step"
        ),
    )
    c.claim(
        "F11",
        "lowest speed at which D-SDS slides in LAMMPS / threshold of eq. (20)",
        statistics.refined(*(lowest_slide_in_lammps(c, step) for step in THRESHOLD_STEPS[:2])),
        equals=1.0,
        within=0.03,
        reason="the tolerance is the same as for Euler's scheme",
    )


class Found(NamedTuple):
    """Results of `granular`, of granular/plus with dsds, and with C-SDS at each time step."""

    stock: State
    dsds: State
    csds: dict[float, State]
    errors: list[float]  # of the velocity of C-SDS


def simulate(c: Context) -> Found:
    csds, errors = {}, []
    for step, stride in zip(LAMMPS_STEPS, MEASURE_EVERY, strict=True):
        csds[step] = history(c, "granular/plus", c["slider"], step, stride)
        time, velocity, _ = motion(c, "granular/plus", c["slider"], step)
        errors.append(np.abs(velocity - exact("csds", time).velocity).max())
    stock = history(c, "granular", "dsds", 0.1, 1)
    dsds = history(c, "granular/plus", c["discontinuous"], 0.1, 1)
    return Found(stock, dsds, csds, errors)


def judge_step(c: Context, step: float, state: State, error: float) -> None:
    c.check(
        f"C-SDS v(t) in LAMMPS against the exact solution, dt = {step}",
        measured=error,
        reference=0.0,
        tolerance=2 * step,
        kind="absolute",
        reason="backward Euler is of first order; the tolerance is 2 dt in units of limit / mass",
    )
    mechanical = state.mechanical(PLATES)
    c.check(
        f"largest rise of kinetic + elastic energy between measurements, dt = {step}",
        measured=np.diff(mechanical).max(),
        reference=0.0,
        tolerance=GEOMETRY * step,
        kind="at_most",
        reason=f"{IN_GEOMETRY}, per step",
    )
    c.check(
        f"largest kinetic + elastic energy after the start, dt = {step}",
        measured=mechanical[1:].max(),
        reference=PLATES.energy,
        tolerance=0.0,
        kind="at_most",
        reason="the contact creates no energy",
    )
    c.check_close(
        f"measured C-SDS spring against the exact solution, dt = {step}",
        state.spring,
        exact("csds", state.time).spring,
        tolerance=2 * step,
        reason=(
            "the error is of first order; in a step, the spring changes by at most v dt = 4 dt; the"
            " tolerance is half of this change"
        ),
    )
    c.check(
        f"largest force against Coulomb's limit, dt = {step}",
        measured=np.abs(state.force).max(),
        reference=PLATES.limit,
        tolerance=GEOMETRY,
        kind="at_most",
        reason=IN_GEOMETRY,
    )


def judge_independent(c: Context, found: Found) -> None:
    plus, stock = found.csds[0.1], found.stock
    c.check(
        "order, in the time step, of the velocity error of C-SDS in LAMMPS",
        measured=friction.convergence_order(LAMMPS_STEPS, found.errors),
        reference=1.0,
        tolerance=0.1,
        kind="absolute",
        reason="the error is of first order; the measured slope must be 0.9 to 1.1",
    )
    c.check_close(
        "C-SDS in LAMMPS against the same implicit step in numpy: v, F and spring, dt = 0.1",
        plus[1:],
        friction.verlet(PLATES, friction.csds_step, 0.1, len(plus.time) - 1)[1:],
        tolerance=GEOMETRY,
        reason=IN_GEOMETRY,
    )
    c.check_close(
        "`granular` against LAMMPS's order of operations in numpy: v, F and spring, dt = 0.1",
        stock[1:],
        friction.verlet(PLATES, friction.dsds_step, 0.1, len(stock.time) - 1)[1:],
        tolerance=GEOMETRY,
        reason=IN_GEOMETRY,
    )
    c.check_close(
        "`granular/plus` with slider dsds against `granular`: v, F and spring, dt = 0.1",
        found.dsds[1:],
        stock[1:],
        tolerance=1e-10,
        reason="the operations are the same, so only round-off differs",
    )


def judge_stock(c: Context, stock: State) -> None:
    early = (stock.time > 0) & (stock.time < 2)
    c.claim(
        "F10",
        "force oscillation of D-SDS in LAMMPS while sliding, dt = 0.1",
        statistics.numerical(
            PLATES.limit - np.abs(stock.force[early]).min(), 0.1 * GEOMETRY, ROUND_OFF
        ),
        equals=0.0,
        within=GEOMETRY,
        reason="the reset follows the loading, so the force is at the Coulomb limit immediately; "
        + IN_GEOMETRY,
    )
    c.claim(
        "F10",
        "energy created by `granular` in its first step",
        statistics.numerical(stock.elastic(PLATES)[1], 0.1 * GEOMETRY, ROUND_OFF),
        equals=friction.dsds_created_energy(PLATES),
        within=GEOMETRY * friction.dsds_created_energy(PLATES),
        reason="eq. (3) with the initial velocity gives the reference; " + IN_GEOMETRY,
    )


def thrown_backwards(c: Context, dsds: State) -> None:
    c.claim(
        "F2",
        "spring of D-SDS after the first step in LAMMPS / largest spring that Coulomb's law allows",
        statistics.numerical(
            dsds.spring[1] * PLATES.stiffness / PLATES.limit, GEOMETRY, IN_GEOMETRY
        ),
        at_most=-1.0,
        reason="the reset stretches the spring backwards by more than Coulomb's law allows",
    )


def every_step(c: Context, measured: State) -> None:
    step, stride = LAMMPS_STEPS[-1], MEASURE_EVERY[-1]
    time, velocity, force = motion(c, "granular/plus", c["slider"], step)
    spring = spring_by_forces(force, step)
    c.check_close(
        f"spring from the forces by eq. (6) against the measured spring, dt = {step}",
        spring[::stride],
        measured.spring,
        tolerance=GEOMETRY,
        reason=IN_GEOMETRY,
    )
    rise = np.diff(State(time, spring, velocity, force).mechanical(PLATES)).max()
    c.claim(
        "F5",
        f"largest rise of kinetic + elastic energy in a single step, dt = {step}",
        statistics.numerical(rise, 0.1 * GEOMETRY * step, ROUND_OFF),
        at_most=0.0,
        within=GEOMETRY * step,
        reason=f"{IN_GEOMETRY}, per step",
    )


def smoothness(c: Context) -> None:
    """Judge whether the largest change of the force per step is proportional to the time step."""
    steps = (0.01, 0.005, 0.0025)
    jumps, largest = [], 0.0
    for step in steps:
        force = motion(c, "granular/plus", c["slider"], step)[2]
        jumps.append(np.abs(np.diff(force)).max())
        largest = max(largest, np.abs(force).max())
    halves = [friction.convergence_order(steps[n : n + 2], jumps[n : n + 2]) for n in (0, 1)]
    c.claim(
        "F4",
        "order, in the step, of the largest change of force per step, C-SDS in LAMMPS",
        statistics.refined(*halves),
        equals=1.0,
        within=0.1,
        reason="the change of a continuous force in a step is proportional to the time step,"
        " whereas a jump has the same size at any time step",
    )
    c.claim(
        "F4",
        "largest force of C-SDS in LAMMPS / Coulomb's limit",
        statistics.numerical(largest / PLATES.limit, 1e-12, "round-off"),
        at_most=1.0,
        within=GEOMETRY,
        reason=IN_GEOMETRY,
    )


def spring_by_forces(force: np.ndarray, step: float) -> np.ndarray:
    spring = np.zeros_like(force)
    resistance = PLATES.dashpot + PLATES.stiffness * step
    for n in range(1, len(force)):
        spring[n] = (PLATES.dashpot * spring[n - 1] - step * force[n]) / resistance
    return spring


def figure_1(c: Context, stock: State, plus: State) -> None:
    euler = [
        (explicit("Euler", model, step).states, "", {"label": f"{label}, dt = {step}"})
        for label, model, step in (
            ("D-SDS", "dsds", 0.1),
            ("D-SDS", "dsds", 0.001),
            ("C-SDS", "csds", 0.1),
        )
    ]
    ours = f"granular/plus, slider {c['slider']}, dt = 0.1"
    lammps = [
        (stock, "C0.", {"markersize": 3, "label": "granular, dt = 0.1"}),
        (plus, "C2.", {"markersize": 3.5, "label": ours}),
    ]
    c.figure(
        "figure-1",
        draw_columns({"(a) Euler": euler, "(b) LAMMPS": lammps}),
        "Spring, relative velocity and force of two sliding plates. D-SDS resets the spring to -7"
        " at the start, whereas C-SDS loads the spring from zero. In (b), springs are measured.",
    )


def figure_energy(c: Context, stock: State, dsds: State, plus: dict[float, State]) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots()
    time = np.linspace(0.0, DURATION, 1001)
    axis.plot(stock.time, stock.mechanical(PLATES), "o", mfc="none", label="granular (D-SDS)")
    axis.plot(dsds.time, dsds.mechanical(PLATES), ".", label="granular/plus, slider dsds")
    state = plus[0.1]
    axis.plot(state.time, state.mechanical(PLATES), ".", label=f"granular/plus, {c['slider']}")
    for model in ("dsds", "csds"):
        axis.plot(time, exact(model, time).mechanical(PLATES), "k", linewidth=0.8, zorder=3)
    axis.axhline(PLATES.energy, color="0.5", linestyle="--", linewidth=0.8)
    axis.annotate("initial energy", (DURATION, PLATES.energy), ha="right", va="bottom")
    axis.set(xlabel="time [n. u.]", ylabel="kinetic + elastic energy [n. u.]")
    axis.legend()
    c.figure(
        "energy",
        figure,
        "Kinetic plus measured elastic energy of the plates in LAMMPS at dt = 0.1."
        " The black line is the exact solution. D-SDS creates 24.5 units of energy at the start.",
    )


CASE = Case(
    name="sliding-plates",
    title="Two sliding plates: C-SDS follows its exact solution and gains no energy",
    source="[fuehrer2024] fig. 1",
    tier="smoke",
    parameters={"slider": "csds", "discontinuous": "dsds"},
    spoil={"slider": "dsds"},
    run=run,
)
