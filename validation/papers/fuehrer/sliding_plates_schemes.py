"""Two plates slide: what explicit schemes and LAMMPS make of a slider that jumps.

Figures 3 and 4 of Führer, Brendel & Wolf, Granular Matter 26 (2024): with the D-SDS every scheme is
of first order, and the midpoint scheme does not converge at all.
"""

from __future__ import annotations

import numpy as np

from pysuite.cases import Case, Context
from pysuite.references import friction
from pysuite.references.friction import State
from pysuite.setups.plates import (
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
    worst,
)

LAMMPS_STEPS = (0.1, 0.01, 0.001)
SCHEME_STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)


def run(c: Context) -> None:
    orders_of_the_schemes(c)
    midpoint(c)


def orders_of_the_schemes(c: Context) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.0))
    schemes = ("Euler", "Heun", "RK4")
    orders = {}
    for number, scheme in enumerate(schemes):
        for reset in ("evaluating", "reached"):
            errors = [
                worst(explicit(scheme, "dsds", h, reset).states, "dsds") for h in SCHEME_STEPS
            ]
            orders[scheme, reset] = friction.convergence_order(SCHEME_STEPS, errors)
            if reset == "evaluating":
                axes[1].loglog(SCHEME_STEPS, errors, f"C{number}o-", label=f"D-SDS, {scheme}")
        for step, style in ((0.01, "-"), (0.001, ":")):
            state = explicit(scheme, "dsds", step).states
            error = state.velocity - exact("dsds", state.time).velocity
            axes[0].plot(
                state.time, error / step, f"C{number}{style}", label=f"{scheme}, dt = {step}"
            )
        c.check(
            f"fig. 3a: order of the D-SDS velocity error with {scheme}",
            measured=orders[scheme, "evaluating"],
            reference=1.0,
            tolerance=0.15,
            kind="absolute",
            reason="the paper: first order for all three; slope scatters with where a step ends",
        )
    for label, style, slider, model, marker in (
        ("granular (D-SDS)", "granular", "dsds", "dsds", "C3s--"),
        ("granular/plus, dsds", "granular/plus", "dsds", "dsds", "C4x--"),
        (f"granular/plus, {c['slider']}", "granular/plus", c["slider"], "csds", "C5d--"),
    ):
        errors = []
        for step in LAMMPS_STEPS:
            time, velocity, _ = motion(c, style, slider, step)
            errors.append(np.abs(velocity - exact(model, time).velocity).max())
        axes[1].loglog(LAMMPS_STEPS, errors, marker, label=label)
        if model == "dsds":
            c.check(
                f"fig. 3b: order of the D-SDS velocity error through LAMMPS, {label}",
                measured=friction.convergence_order(LAMMPS_STEPS, errors),
                reference=1.0,
                tolerance=0.1,
                kind="absolute",
                reason="first order like the explicit schemes: measured slope 0.9-1.1",
            )
    smooth = np.array(SCHEME_STEPS)
    axes[1].loglog(smooth, smooth, color="black", linewidth=0.8, label="dt")
    axes[0].set(xlabel="time [n. u.]", ylabel=r"$(v - v_\mathrm{exact}) / dt$ [n. u.]")
    axes[0].set_title("(a) explicit schemes, D-SDS", loc="left")
    axes[1].set(xlabel="dt [n. u.]", ylabel=r"max $|v - v_\mathrm{exact}|$ [n. u.]")
    axes[1].set_title("(b) all schemes and LAMMPS", loc="left")
    for axis in axes:
        axis.legend(fontsize=8)
    c.figure(
        "figure-3", figure, "Error of the velocity, rescaled by the time step and at its worst."
    )
    reached = ", ".join(f"{s} {orders[s, 'reached']:.2f}" for s in schemes)
    c.not_reproduced(
        "Fig. 3: first order for Euler, Heun and RK4 alike is found only if a stage is reset with"
        " the velocity of the state in which the force was evaluated, as in eq. (18). With the"
        f" velocity of the stage itself, as appendix A can be read, the orders are {reached}."
    )


def midpoint(c: Context) -> None:
    step = 0.2
    states, auxiliary = explicit("midpoint", "dsds", step)

    def last_violation(state: State) -> float:
        test = PLATES.stiffness * state.spring + PLATES.dashpot * state.velocity
        inside = np.abs(test) <= PLATES.limit * (1 + 1e-12)
        return float(state.time[np.flatnonzero(inside)[0] - 1])

    # Each force is taken half a step after a reset, where it is 1 - dashpot dt / 2 of the bound;
    # with v = 4 - slow t and xi = 4 t - slow t^2 / 2 the bound is met at 2 v + xi = 1.
    slow = 1.0 - step
    end = (4 - 2 * slow + np.sqrt((4 - 2 * slow) ** 2 + 14 * slow)) / slow
    c.check(
        "fig. 4a: time until which Coulomb's law is violated, midpoint, dt = 0.2",
        measured=last_violation(states),
        reference=8.0,
        tolerance=step,
        kind="absolute",
        reason="the paper gives about 8: one step",
    )
    c.check(
        "fig. 4a: the same against the parabola of the scheme",
        measured=last_violation(states),
        reference=end,
        tolerance=step,
        kind="absolute",
        reason="the last state before the parabola reaches the Coulomb limit: one step",
    )
    sliding = states.time[:-1] <= last_violation(states)
    c.check(
        "fig. 4a: auxiliary springs against the line bound - dashpot v",
        measured=np.abs(auxiliary.spring - (PLATES.limit - PLATES.dashpot * states.velocity[:-1]))[
            sliding
        ].max(),
        reference=0.0,
        tolerance=1e-12,
        kind="absolute",
        reason="eq. (3); round-off",
    )
    fine = explicit("midpoint", "dsds", 0.001).states
    c.check(
        "midpoint does not converge: velocity error at dt = 0.001 over that at dt = 0.2",
        measured=worst(fine, "dsds") / worst(states, "dsds"),
        reference=0.5,
        tolerance=0.0,
        kind="at_least",
        reason="a converging scheme would be at 1/200",
    )
    stock = history(c, "granular", "dsds", step, 1)
    plus = history(c, "granular/plus", c["slider"], step, 1)
    c.check(
        "fig. 4b: Coulomb's law through LAMMPS with D-SDS, dt = 0.2",
        measured=np.abs(stock.force).max(),
        reference=PLATES.limit,
        tolerance=GEOMETRY,
        kind="at_most",
        reason=IN_GEOMETRY,
    )
    c.check(
        "fig. 4b: C-SDS v(t) through LAMMPS against the exact solution, dt = 0.2",
        measured=worst(plus, "csds"),
        reference=0.0,
        tolerance=2 * step,
        kind="absolute",
        reason="backward Euler is first order; 2 dt, in units of bound/mass",
    )
    c.note(
        f"Fig. 4: the time 8 belongs to dt = 0.2; with dt = 0.001 Coulomb's law is violated until"
        f" {last_violation(fine):.2f}, where the exact D-SDS slides until"
        f" {friction.dsds_slide_duration(PLATES):g}."
    )
    figure, axes = panels(2)
    # States and auxiliary states in order of time, as in the paper.
    order = np.argsort(np.concatenate([states.time, auxiliary.time]), kind="stable")
    both = State(*(np.concatenate(pair)[order] for pair in zip(states, auxiliary, strict=True)))
    draw(axes[:, 0], both, "C0.-", linewidth=0.6, markersize=3, label="D-SDS, midpoint, dt = 0.2")
    draw(axes[:, 1], stock, "C0.", markersize=4, label="granular, dt = 0.2")
    draw(
        axes[:, 1],
        plus,
        "C2.",
        markersize=4,
        label=f"granular/plus, slider {c['slider']}, dt = 0.2",
    )
    for column, title in zip(axes.T, ("(a) midpoint scheme", "(b) LAMMPS"), strict=True):
        draw_exact(column)
        column[0].set_title(title, loc="left")
        column[1].legend(loc="upper right")
    c.figure(
        "figure-4",
        figure,
        "The midpoint scheme with D-SDS, auxiliary states included, does not come near the exact"
        " solution (black); LAMMPS, at the same step, does.",
    )


CASE = Case(
    name="sliding-plates-schemes",
    title="Two sliding plates: order of convergence of explicit schemes and of LAMMPS",
    source="Führer, Brendel & Wolf, Granular Matter 26 (2024), figs. 3 and 4",
    tier="smoke",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
)
