"""Convergence of an oblique impact with the time step, for every slider and model."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.references import friction, impact
from pysuite.validation.setups import impacts

RESOLUTIONS = (25, 50, 100, 200, 400)
STEPS = 1.0 / np.array(RESOLUTIONS)
FINEST = 6400
# bounds on (error of e_t) * (steps per collision): twice the largest measured values
COEFFICIENT = {"truncate, strong dashpot": 1.5, "others": 0.27}
ANGLES = np.radians(np.arange(10.0, 71.0, 4.0))
FRICTION, RESTITUTION = 0.3, 0.9
STIFFNESS, STIFFNESS_RATIO = 1e10, 2.0 / 7.0
DAMPING = {"strong": 10.0, "weak": 0.1}
# effective mass 1
BALL = {"radius": 1.0, "density": 2.0 / (4.0 / 3.0 * np.pi)}
# overlap of a Hertz contact that lasts as long as the linear contact at speed 1
OVERLAP = np.pi / np.sqrt(STIFFNESS) / impacts.HERTZ_DURATION
YOUNG = 2.0 * (1.0 - 0.3**2) * 15.0 / (16.0 * np.sqrt(0.5) * OVERLAP**2.5)
HERTZ = f"hertz/material {YOUNG:.17g} {RESTITUTION} 0.3 damping coeff_restitution"


def laws(c: Context) -> dict[str, str]:
    hooke = f"hooke {STIFFNESS} {RESTITUTION} damping coeff_restitution tangential linear_history"
    hooke += f" {STIFFNESS_RATIO * STIFFNESS:.17g}"
    found = {
        f"{slider}, {name} dashpot": f"{hooke} {damping} {FRICTION} limit_damping slider {slider}"
        for slider in ("csds", "dsds", "truncate")
        for name, damping in DAMPING.items()
    }
    for model in ("mindlin", "mindlin_rescale/force"):
        found[f"csds, {model}"] = f"{HERTZ} tangential {model} NULL 1 {FRICTION} slider csds"
    found["mindlin_deresiewicz"] = f"{HERTZ} tangential mindlin_deresiewicz 1 {FRICTION}"
    exact = {
        f"{EXACT}, {name} dashpot": found[f"csds, {name} dashpot"].replace("csds", c["slider"])
        for name in DAMPING
    }
    return {**exact, **found}


EXACT = "slider against its exact solution"


def errors_by_step(c: Context) -> pd.DataFrame:
    named = laws(c)
    outcomes = {n: tangential(c, list(named.values()), n) for n in (*RESOLUTIONS, FINEST)}
    ratio = impact.linear_damping_ratio(RESTITUTION)
    exact = {
        f"{EXACT}, {name} dashpot": impact.csds_impact(
            ANGLES, FRICTION, ratio, STIFFNESS_RATIO, damping * 2.0 * ratio
        ).tangential_restitution
        for name, damping in DAMPING.items()
    }
    references = [exact.get(name, outcomes[FINEST][k]) for k, name in enumerate(named)]
    errors = {
        n: [np.abs(outcomes[n][k] - reference).mean() for k, reference in enumerate(references)]
        for n in RESOLUTIONS
    }
    return pd.DataFrame(errors, index=list(named))


def judge(c: Context, name: str, errors: pd.Series, order: float) -> None:
    c.check(
        f"{name}: order of convergence of the mean error of e_t",
        measured=order,
        reference=1.0,
        tolerance=0.25,
        kind="at_least",
        reason="backward Euler and half-step velocities are of first order; the measured order"
        " scatters, because slip may begin anywhere within a step",
    )
    c.check(
        f"{name}: mean error of e_t at {RESOLUTIONS[-1]} steps per collision, times"
        f" {RESOLUTIONS[-1]}",
        measured=errors[RESOLUTIONS[-1]] * RESOLUTIONS[-1],
        reference=COEFFICIENT.get(name, COEFFICIENT["others"]),
        kind="at_most",
        reason=(
            "this product is the coefficient of a first-order error; the bound is twice the largest"
            " value measured at 50 steps; the bound for a capped spring is larger, because capping"
            " discards the force of a strong dashpot at each change between stick and slip"
        ),
    )


def draw(c: Context, errors: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7.6, 5.0))
    for k, (name, of_contact) in enumerate(errors.iterrows()):
        exact = name.startswith(EXACT)
        style = f"k{'^v'[k]}--" if exact else f"C{(k - 2) % 7}{'os'[k > 8]}-"
        axis.loglog(STEPS, of_contact, style, ms=4, linewidth=1.0, label=name)
    axis.loglog(STEPS, STEPS, "k:", linewidth=0.8, label="first order")
    axis.set_xticks(STEPS, [f"1/{n}" for n in RESOLUTIONS], minor=False)
    axis.minorticks_off()
    axis.set(xlabel="time step [collision times]", ylabel="error of e_t")
    axis.legend(fontsize=8, bbox_to_anchor=(1.0, 1.0))
    c.figure("errors", figure, "Mean error of the tangential restitution against the time step.")


def run(c: Context) -> None:
    errors = errors_by_step(c)
    orders = [friction.convergence_order(STEPS, row) for row in errors.to_numpy()]
    for (name, of_contact), order in zip(errors.iterrows(), orders, strict=True):
        judge(c, name, of_contact, order)
    table = errors.rename(columns=lambda n: f"error, {n} steps").rename_axis("contact")
    table.insert(0, "order", orders)
    c.table("errors", table.reset_index(), "Mean error of e_t over all angles, and its order.")
    draw(c, errors)


def tangential(c: Context, words: list[str], resolution: int) -> np.ndarray:
    step = np.pi / np.sqrt(STIFFNESS) / resolution
    down = [impacts.oblique(0.5, angle) for angle in ANGLES]
    outcome = impacts.collide(
        c,
        [
            impacts.Impact(
                law,
                impacts.Ball(**BALL, velocity=v),
                impacts.Ball(**BALL, velocity=tuple(-x for x in v)),
            )
            for law in words
            for v in down
        ],
        step=step,
        steps=round(2.0 * resolution),
    )
    relative = outcome.velocity[:, 0] - outcome.partner_velocity[:, 0]
    return (relative.reshape(len(words), -1)) / np.sin(ANGLES)


CASE = Case(
    name="step-convergence",
    title="The error of every slider and tangential model falls with the time step",
    source="[fuehrer2024] eq. (10); numerical analysis",
    tier="smoke",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
)
