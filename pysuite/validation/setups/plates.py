"""Two plates that slide until friction stops them, simulated by LAMMPS.

Plates and units are those of Führer, Brendel & Wolf, Granular Matter 26 (2024). To measure the
spring xi after n steps, the plate is halted and the Coulomb limit is removed. The remaining force
is then -k xi.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pysuite.validation.references import friction
from pysuite.validation.references.friction import Plates, State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pysuite.validation import Context

PLATES = Plates()
DURATION = 10.0

# Bound on the errors described by IN_GEOMETRY. With a radius of 1e12 and an overlap of 1e8, these
# errors are below 4e-10.
GEOMETRY = 1e-9
IN_GEOMETRY = "finite radius and rounded overlap of the spheres that represent the plates"

SWEEP = """
label again
clear
include ${inputs}/in.sliding_plates
next ${swept}
jump SELF again
"""


def sweep(c: Context, style: str, swept: str, values: list[Any], **settings: Any) -> State:
    """Simulate the plates for each value of the variable `swept`.

    Return the final states. Their springs are measured.
    """
    variables = {"style": style, "swept": swept, "every": 10**9, **settings, swept: values}
    thermo = c.lammps(SWEEP, variables={"inputs": c.inputs, **variables}).thermo
    ends = thermo.groupby("run").last()
    moving, halted = ends[ends.index % 2 == 0], ends[ends.index % 2 == 1]
    return State(
        moving["Step"].to_numpy() * float(settings["step"]),
        -halted["v_force"].to_numpy() / PLATES.stiffness,
        moving["v_velocity"].to_numpy(),
        moving["v_force"].to_numpy(),
    )


def history(c: Context, style: str, slider: str, step: float, stride: int) -> State:
    """Return the motion, with measured springs, at every ``stride``-th step."""
    steps = list(range(0, round(DURATION / step) + 1, stride))
    return sweep(c, style, "steps", steps, slider=slider, step=step)


def motion(c: Context, style: str, slider: str, step: float) -> tuple[np.ndarray, ...]:
    """Return time, velocity and force at every step of a run, each of shape (steps + 1,)."""
    variables = {"style": style, "slider": slider, "step": step, "steps": round(DURATION / step)}
    thermo = c.lammps(c.inputs / "in.sliding_plates", variables=variables).thermo
    thermo = thermo[thermo["run"] == 0]
    return (
        thermo["Step"].to_numpy() * step,
        thermo["v_velocity"].to_numpy(),
        thermo["v_force"].to_numpy(),
    )


def explicit(scheme: str, model: str, step: float, reset: str = "evaluating") -> friction.Explicit:
    """Integrate the motion of the plates with the explicit scheme of `friction.explicit`."""
    return friction.explicit(PLATES, scheme, model, step, round(DURATION / step), reset)


def exact(model: str, time: np.ndarray) -> State:
    """Return the exact motion for the model "csds" or "dsds"."""
    return {"csds": friction.csds_exact, "dsds": friction.dsds_exact}[model](PLATES, time)


def worst(state: State, model: str) -> float:
    """Return the largest difference between the velocity and the exact velocity of a model."""
    return float(np.abs(state.velocity - exact(model, state.time).velocity).max())


def panels(columns: int) -> tuple[Figure, np.ndarray]:
    """Return a figure and its panels. Each column has three panels: spring, velocity and force."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        3, columns, figsize=(5.2 * columns, 6.6), sharex=True, sharey="row", squeeze=False
    )
    for axis, label in zip(
        axes[:, 0], (r"spring $\xi$", r"velocity $v$", r"force $F$"), strict=True
    ):
        axis.set_ylabel(f"{label} [n. u.]")
    for axis in axes[-1]:
        axis.set_xlabel("time [n. u.]")
    return figure, axes


def draw(axes: np.ndarray, state: State, *args: Any, **style: Any) -> None:
    """Plot spring, velocity and force on three axes."""
    for axis, values in zip(axes, state[1:], strict=True):
        axis.plot(state.time, values, *args, **style)


def draw_exact(axes: np.ndarray) -> None:
    """Plot the exact motion of D-SDS and C-SDS."""
    time = np.linspace(0.0, DURATION, 1001)
    for model in ("dsds", "csds"):
        label = "exact" if model == "csds" else None
        draw(axes, exact(model, time), color="black", linewidth=0.8, zorder=3, label=label)


def draw_columns(columns: dict[str, list[tuple[State, str, dict[str, Any]]]]) -> Figure:
    """Return a figure with one column of panels per title.

    `columns` maps a title to a list of curves. A curve is a tuple (state, format, keywords for
    `plot`). All panels also show the exact motion.
    """
    figure, axes = panels(len(columns))
    for column, (title, shown) in zip(axes.T, columns.items(), strict=True):
        for state, style, words in shown:
            draw(column, state, style, **words)
        draw_exact(column)
        column[0].set_title(title, loc="left")
        column[1].legend(loc="upper right")
    return figure
