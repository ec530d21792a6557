"""Steady shear of spheres with friction: stress ratio, solid fraction and contacts.

The sliders `csds` and `dsds` are compared at equal inertial numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed
from pysuite.validation.setups import steady_shear
from pysuite.validation.setups.steady_shear import Flow, Spheres, Stage

SIDE = 8  # spheres along an edge
RESTITUTION = 0.7
FRICTION = (0.1, 0.3, 0.5, 1.0)
SLIDERS = ("csds", "dsds")
STAGES = (  # inertial number, strain of the transient, evaluated strain
    Stage(0.1, 3.0, 100.0),
    Stage(0.03, 1.0, 60.0),
    Stage(0.01, 1.0, 30.0),
    Stage(0.003, 1.0, 18.0),
)
HELD = 0.01  # bound on the relative error of the mean pressure
SEED = {"csds": 6501, "dsds": 6502}
QUANTITIES = ("stress ratio", "solid fraction", "contacts")
BLOCKS = "blocks with a strain of 1"


class State(NamedTuple):
    """Parameters of a flow."""

    friction: float
    slider: str
    inertia: float


Found = Mapping[State, Flow]


def blocks(flow: Flow) -> dict[str, np.ndarray]:
    values = flow.ratio, flow.fraction, flow.contacts
    return {name: steady_shear.strains(each) for name, each in zip(QUANTITIES, values, strict=True)}


def compared(found: Found, quantity: str, level: float, friction: float | None = None) -> Interval:
    states = [state for state in found if friction in (None, state.friction)]
    groups = {state: np.log(blocks(found[state])[quantity]) for state in states}
    sign = {"csds": 2.0, "dsds": -2.0}
    weights = {state: sign[state.slider] / len(states) for state in states}
    return statistics.weighted(groups, weights, level, BLOCKS).mapped(np.exp)


def growth(found: Found, quantity: str, sign: float, level: float) -> Interval:
    """Return the smallest growth of a quantity from one friction coefficient to the next.

    If `sign` is -1, return the smallest decrease. Only the flows with the slider `csds` are used.
    """
    groups = {
        state: sign * blocks(flow)[quantity]
        for state, flow in found.items()
        if state.slider == "csds"
    }
    frictions = sorted({state.friction for state in groups})
    steps = []
    for lower, higher in itertools.pairwise(frictions):
        of = {lower: -1.0, higher: 1.0}
        states = [state for state in groups if state.friction in of]
        weights = {state: 2.0 * of[state.friction] / len(states) for state in states}
        steps.append(statistics.weighted(groups, weights, level, BLOCKS))
    return min(steps, key=lambda step: step.value)


def limits(found: Found, friction: float, quantity: str, level: float) -> Interval:
    """Return the mean of a quantity over both sliders, extrapolated to zero inertial number."""
    small, large = sorted({state.inertia for state in found})[:2]
    share = {small: large / (large - small), large: -small / (large - small)}
    weights = {
        State(friction, slider, inertia): part / len(SLIDERS)
        for slider in SLIDERS
        for inertia, part in share.items()
    }
    groups = {state: blocks(found[state])[quantity] for state in weights}
    return statistics.weighted(groups, weights, level, BLOCKS)


def summary(found: Found) -> pd.DataFrame:
    rows = []
    for state, flow in found.items():
        row = state._asdict() | {"pressure": flow.pressure.mean()}
        for name, values in blocks(flow).items():
            row |= {name: values.mean(), f"{name} error": values.std(ddof=1) / len(values) ** 0.5}
        rows.append(row)
    return pd.DataFrame(rows)


def judge(c: Context, found: Found) -> None:
    seeds = ", ".join(str(seed(SEED[slider])) for slider in SLIDERS)
    for quantity in QUANTITIES:
        words = f"{quantity}, csds divided by dsds"
        c.benchmark(words, compared(found, quantity, c.level), seeds=seeds)
    seeds = str(seed(SEED["csds"]))
    c.benchmark(
        "least growth of the stress ratio with friction, csds",
        growth(found, "stress ratio", 1.0, c.level),
        seeds=seeds,
    )
    c.benchmark(
        "least decrease of the solid fraction with friction, csds",
        growth(found, "solid fraction", -1.0, c.level),
        seeds=seeds,
    )
    c.check(
        "mean pressure of each state",
        measured=max(abs(flow.pressure.mean() - 1.0) for flow in found.values()),
        reference=0.0,
        tolerance=HELD,
        kind="absolute",
        reason="a controller adjusts the height of the box to keep the pressure at 1; a small error"
        " hardly matters, because stresses are divided by the measured pressure",
    )


def tell(c: Context, found: Found) -> None:
    for friction in sorted({state.friction for state in found}):
        ratios, ends = [], []
        for quantity in QUANTITIES:
            i = compared(found, quantity, statistics.SINGLE_LEVEL, friction)
            ratios.append(f"{quantity} {i.value:.4f} [{i.low:.4f}, {i.high:.4f}]")
            i = limits(found, friction, quantity, statistics.SINGLE_LEVEL)
            ends.append(f"{quantity} {i.value:.4f} [{i.low:.4f}, {i.high:.4f}]")
        c.note(
            f"Friction {friction:g}, with 95 % intervals. Ratios of csds to dsds:"
            f" {', '.join(ratios)}. Values at vanishing inertial number: {', '.join(ends)}."
        )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, axes = panels(len(QUANTITIES))
    for (friction, slider), rows in table.groupby(["friction", "slider"]):
        number = sorted(table["friction"].unique()).index(friction)
        look = {"color": f"C{number}", "mfc": "none", "fmt": "o-" if slider == "csds" else "s--"}
        for axis, name in zip(axes, QUANTITIES, strict=True):
            errors = 2.0 * rows[f"{name} error"]
            axis.errorbar(
                rows["inertia"], rows[name], errors, label=f"{friction:g}, {slider}", **look
            )
    for axis, name in zip(axes, QUANTITIES, strict=True):
        axis.set(xscale="log", xlabel="inertial number", ylabel=name)
    axes[0].legend(fontsize=7)
    c.figure(
        "states",
        figure,
        "Each line shows one friction coefficient and one slider. Bars show two standard errors.",
    )


def run(c: Context) -> None:
    stages = [stage.shorter(c["strain"]) for stage in STAGES]
    found = {}
    for friction in FRICTION:
        for slider in SLIDERS:
            higher = c["higher"] if slider == "dsds" else 1.0
            spheres = Spheres(SIDE, higher * friction, RESTITUTION, slider)
            flows = steady_shear.flows(c, spheres, stages, SEED[slider], timeout=20000.0)
            found |= {State(friction, slider, flow.inertia): flow for flow in flows}
    table = summary(found)
    c.table("states", table, "Means and standard errors of all states.")
    judge(c, found)
    tell(c, found)
    draw(c, table)


CASE = Case(
    name="critical-state",
    title="Two sliders give sheared packings the same stress, density and contacts",
    source="[chialvo2012]",
    tier="full",
    # higher: factor on the friction with dsds; strain: factor on the strain of each stage
    parameters={"higher": 1.0, "strain": 1.0},
    spoil={"higher": 2.0, "strain": 0.1},
    run=run,
    timeout=60000.0,
)
