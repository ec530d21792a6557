"""Two plates slide until friction stops them: C-SDS against D-SDS, in Python and through LAMMPS.

Figure 1 of Führer, Brendel & Wolf, Granular Matter 26 (2024), (a) with the explicit Euler scheme
and (b) through LAMMPS with `granular` and `granular/plus`: the continuous slider follows its exact
solution and never gains energy.
"""

from __future__ import annotations

import numpy as np

from pysuite.cases import Case, Context
from pysuite.references import friction
from pysuite.references.friction import State
from pysuite.setups.plates import (
    DURATION,
    GEOMETRY,
    IN_GEOMETRY,
    PLATES,
    draw,
    draw_exact,
    exact,
    explicit,
    history,
    motion,
    panels,
)

LAMMPS_STEPS = (0.1, 0.01, 0.001)
MEASURE_EVERY = (1, 1, 100)


def run(c: Context) -> None:
    explicit_euler(c)
    through_lammps(c)


def explicit_euler(c: Context) -> None:
    coarse = explicit("Euler", "dsds", 0.1).states
    for step in (0.1, 0.001):
        state = explicit("Euler", "dsds", step).states
        early = (state.time > 0) & (state.time < 1)
        c.check(
            f"fig. 1a: force oscillation of D-SDS with Euler, dt = {step}",
            measured=PLATES.limit - np.abs(state.force[early]).min(),
            reference=PLATES.dashpot * PLATES.limit / PLATES.mass * step,
            tolerance=1e-9,
            reason="eq. (19) holds exactly for the scheme: round-off",
        )
    c.check(
        "fig. 1a: spring of D-SDS after the first Euler step",
        measured=coarse.spring[1],
        reference=exact("dsds", np.zeros(1)).spring[0],
        tolerance=1e-12,
        reason="eq. (3) with the velocity at the start: round-off",
    )
    fine, rough = explicit("Euler", "csds", 0.001).states, explicit("Euler", "csds", 0.1).states
    span = np.ptp(coarse.spring)
    c.check(
        "fig. 1a: spring of C-SDS with Euler, dt = 0.1 against dt = 0.001, fraction of the axis",
        measured=np.abs(rough.spring - fine.spring[::100]).max() / span,
        reference=0.0,
        tolerance=0.01,
        kind="absolute",
        reason="the paper calls them virtually indistinguishable: 1 % of the axis is a line width",
    )


def through_lammps(c: Context) -> None:
    stock = history(c, "granular", "dsds", 0.1, 1)
    plus_dsds = history(c, "granular/plus", "dsds", 0.1, 1)
    plus = {
        step: history(c, "granular/plus", c["slider"], step, stride)
        for step, stride in zip(LAMMPS_STEPS, MEASURE_EVERY, strict=True)
    }
    errors = []
    for step, state in plus.items():
        time, velocity, _ = motion(c, "granular/plus", c["slider"], step)
        error = np.abs(velocity - exact("csds", time).velocity).max()
        errors.append(error)
        c.check(
            f"C-SDS v(t) through LAMMPS against the exact solution, dt = {step}",
            measured=error,
            reference=0.0,
            tolerance=2 * step,
            kind="absolute",
            reason="backward Euler is first order: within 2 dt, in units of bound/mass",
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
            reason="the contact creates nothing",
        )
        c.check(
            f"measured C-SDS spring against the exact solution, dt = {step}",
            measured=np.abs(state.spring - exact("csds", state.time).spring).max(),
            reference=0.0,
            tolerance=2 * step,
            kind="absolute",
            reason="first order; the spring moves by at most v dt = 4 dt in a step, half of it",
        )
        c.check(
            f"Coulomb's law, largest force, dt = {step}",
            measured=np.abs(state.force).max(),
            reference=PLATES.limit,
            tolerance=GEOMETRY,
            kind="at_most",
            reason=IN_GEOMETRY,
        )
    every_step(c, plus[step])
    c.check(
        "order of the C-SDS velocity error through LAMMPS",
        measured=friction.convergence_order(LAMMPS_STEPS, errors),
        reference=1.0,
        tolerance=0.1,
        kind="absolute",
        reason="first order: measured slope 0.9-1.1",
    )
    independent = friction.verlet(PLATES, friction.csds_step, 0.1, len(plus[0.1].time) - 1)
    c.check(
        "C-SDS through LAMMPS against the same implicit step in numpy: v, F and spring, dt = 0.1",
        measured=max(np.abs(np.subtract(plus[0.1][1:], independent[1:])).max(axis=1)),
        reference=0.0,
        tolerance=GEOMETRY,
        kind="absolute",
        reason=IN_GEOMETRY,
    )
    independent = friction.verlet(PLATES, friction.dsds_step, 0.1, len(stock.time) - 1)
    c.check(
        "`granular` against LAMMPS's order of operations in numpy: v, F and spring, dt = 0.1",
        measured=max(np.abs(np.subtract(stock[1:], independent[1:])).max(axis=1)),
        reference=0.0,
        tolerance=GEOMETRY,
        kind="absolute",
        reason=IN_GEOMETRY,
    )
    c.check(
        "`granular/plus` with slider dsds against `granular`: v, F and spring, dt = 0.1",
        measured=max(np.abs(np.subtract(plus_dsds[1:], stock[1:])).max(axis=1)),
        reference=0.0,
        tolerance=1e-10,
        kind="absolute",
        reason="the same operations: round-off only",
    )
    early = (stock.time > 0) & (stock.time < 2)
    c.check(
        "force oscillation of D-SDS in LAMMPS while sliding, dt = 0.1",
        measured=PLATES.limit - np.abs(stock.force[early]).min(),
        reference=0.0,
        tolerance=GEOMETRY,
        kind="absolute",
        reason="the reset after loading reaches the Coulomb limit at once; " + IN_GEOMETRY,
    )
    c.check(
        "energy created by `granular` in its first step",
        measured=stock.elastic(PLATES)[1],
        reference=friction.dsds_created_energy(PLATES),
        tolerance=GEOMETRY,
        reason="eq. (3) with the initial velocity; " + IN_GEOMETRY,
    )
    figure_1(c, stock, plus[0.1])
    figure_energy(c, stock, plus_dsds, plus)


def every_step(c: Context, measured: State) -> None:
    """Energy over each single step where measuring the spring after each would take too long."""
    step, stride = LAMMPS_STEPS[-1], MEASURE_EVERY[-1]
    time, velocity, force = motion(c, "granular/plus", c["slider"], step)
    spring = np.zeros_like(time)
    resistance = PLATES.dashpot + PLATES.stiffness * step
    for n in range(1, len(time)):
        spring[n] = (PLATES.dashpot * spring[n - 1] - step * force[n]) / resistance
    c.check(
        f"spring that follows from the forces by eq. (6) against the measured one, dt = {step}",
        measured=np.abs(spring[::stride] - measured.spring).max(),
        reference=0.0,
        tolerance=GEOMETRY,
        kind="absolute",
        reason=IN_GEOMETRY,
    )
    c.check(
        f"largest rise of kinetic + elastic energy over a single step, dt = {step}",
        measured=np.diff(State(time, spring, velocity, force).mechanical(PLATES)).max(),
        reference=0.0,
        tolerance=GEOMETRY * step,
        kind="at_most",
        reason=f"{IN_GEOMETRY}, per step",
    )


def figure_1(c: Context, stock: State, plus: State) -> None:
    figure, axes = panels(2)
    draw(axes[:, 0], explicit("Euler", "dsds", 0.1).states, label="D-SDS, dt = 0.1")
    draw(axes[:, 0], explicit("Euler", "dsds", 0.001).states, label="D-SDS, dt = 0.001")
    draw(axes[:, 0], explicit("Euler", "csds", 0.1).states, label="C-SDS, dt = 0.1")
    draw(axes[:, 1], stock, "C0.", markersize=3, label="granular, dt = 0.1")
    draw(
        axes[:, 1],
        plus,
        "C2.",
        markersize=3.5,
        label=f"granular/plus, slider {c['slider']}, dt = 0.1",
    )
    for column, title in zip(axes.T, ("(a) Euler", "(b) LAMMPS"), strict=True):
        draw_exact(column)
        column[0].set_title(title, loc="left")
        column[1].legend(loc="upper right")
    c.figure(
        "figure-1",
        figure,
        "Spring, relative velocity and force of two sliding plates. The D-SDS throws the spring to"
        " -7 at the start; the C-SDS loads it from zero. Springs in (b) are measured.",
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
    axis.annotate("energy at the start", (DURATION, PLATES.energy), ha="right", va="bottom")
    axis.set(xlabel="time [n. u.]", ylabel="kinetic + elastic energy [n. u.]")
    axis.legend()
    c.figure(
        "energy",
        figure,
        "Kinetic plus elastic energy of the plates through LAMMPS, dt = 0.1, springs measured;"
        " black: exact. The D-SDS starts with 24.5 units of energy from nowhere.",
    )


CASE = Case(
    name="sliding-plates",
    title="Two sliding plates: the C-SDS follows its exact solution and gains no energy",
    source="Führer, Brendel & Wolf, Granular Matter 26 (2024), fig. 1",
    tier="smoke",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
)
