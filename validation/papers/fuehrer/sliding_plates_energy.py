"""Two sliding plates: the energy that D-SDS creates, against time and speed.

The case reproduces figure 2 of Führer, Brendel & Wolf, Granular Matter 26 (2024). In the first
step, D-SDS creates the energy (dashpot v0 - limit)^2 / (2 stiffness).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import friction
from pysuite.validation.references.friction import Plates
from pysuite.validation.setups.plates import (
    DURATION,
    GEOMETRY,
    IN_GEOMETRY,
    PLATES,
    exact,
    explicit,
    motion,
    sweep,
)

SPEEDS = [1.0, 2.0, 4.0, 8.0, 16.0]
FIRST_STEP = 1e-4


class Difference(NamedTuple):
    """Kinetic energy with D-SDS minus kinetic energy with C-SDS, against time."""

    time: np.ndarray
    energy: np.ndarray


def difference(time: np.ndarray, dsds: np.ndarray, csds: np.ndarray) -> Difference:
    return Difference(time, 0.5 * PLATES.mass * (dsds**2 - csds**2))


def exact_difference(time: np.ndarray) -> Difference:
    return difference(time, exact("dsds", time).velocity, exact("csds", time).velocity)


def by_euler() -> Difference:
    dsds, csds = (explicit("Euler", model, 0.1).states for model in ("dsds", "csds"))
    return difference(dsds.time, dsds.velocity, csds.velocity)


def through_lammps(c: Context, step: float) -> Difference:
    time, stock, _ = motion(c, "granular", "dsds", step)
    return difference(time, stock, motion(c, "granular/plus", c["slider"], step)[1])


def judge_kinetic(c: Context, smooth: Difference, euler: Difference, found: Difference) -> None:
    peak = smooth.energy.max()
    c.check_close(
        "fig. 2b: kinetic energy of D-SDS minus that of C-SDS in LAMMPS, dt = 0.001",
        found.energy,
        exact_difference(found.time).energy,
        tolerance=PLATES.velocity * 0.001,
        reason=(
            "both velocities have errors of first order, 0.5 dt and 0.16 dt; the error of the"
            " energy is larger by the factor v0"
        ),
    )
    c.check(
        "fig. 2a: peak of the kinetic energy of D-SDS minus that of C-SDS, Euler, dt = 0.1",
        measured=euler.energy.max(),
        reference=peak,
        tolerance=0.0,
        kind="at_least",
        reason="created energy becomes kinetic energy, which oscillates with Euler's scheme",
    )
    top = smooth.time[smooth.energy.argmax()]
    ratio = exact("dsds", top).kinetic(PLATES)[0] / exact("csds", top).kinetic(PLATES)[0]
    c.note(
        f"Fig. 2, dt -> 0: the surplus of kinetic energy is largest at t = {top:.2f}. At that time,"
        f" D-SDS has {ratio:.1f} times the kinetic energy of C-SDS. Later, the difference is"
        f" negative ({smooth.energy.min():.3f}). With Euler at dt = 0.1, the largest surplus,"
        f" {euler.energy.max():.3f}, occurs at t = {euler.time[euler.energy.argmax()]:.1f}. This"
        f" surplus is {share_then(euler):.0%} of the kinetic energy of C-SDS at the same time."
    )


def share_then(euler: Difference) -> float:
    """Return (largest surplus of D-SDS) / (kinetic energy of C-SDS at the same time)."""
    top = euler.energy.argmax()
    return float(euler.energy[top] / explicit("Euler", "csds", 0.1).states.kinetic(PLATES)[top])


def report_share(
    c: Context, smooth: Difference, euler: Difference, found: dict[float, Difference]
) -> None:
    created = friction.dsds_created_energy(PLATES)
    reason = "the paper does not state which fraction of which energy is significant"
    surplus = "largest surplus of kinetic energy, D-SDS over C-SDS,"
    exactly = "only round-off, because the scheme is used as printed"
    for words, measured in (
        (
            "fraction of the energy created, Euler, dt = 0.1 as in fig. 2",
            statistics.numerical(euler.energy.max() / created, 1e-12, exactly),
        ),
        (
            "fraction of the initial energy, Euler, dt = 0.1 as in fig. 2",
            statistics.numerical(euler.energy.max() / PLATES.energy, 1e-12, exactly),
        ),
        (
            "fraction of the energy created, dt -> 0",
            statistics.refined(smooth.energy[::2].max() / created, smooth.energy.max() / created),
        ),
        (
            "fraction of the energy created, LAMMPS, dt = 0.001",
            statistics.numerical(
                found[0.001].energy.max() / created,
                PLATES.velocity * 0.001 / created,
                "errors of first order of both velocities",
            ),
        ),
    ):
        c.undecidable("F8", f"{surplus} {words}", measured, reason=reason)


def draw_kinetic(
    c: Context, smooth: Difference, euler: Difference, found: dict[float, Difference]
) -> None:
    figure, axes = panels(2, height=3.8, sharey=True)
    axes[0].plot(*euler, "C0.-", label="dt = 0.1")
    axes[0].set_title("(a) Euler", loc="left")
    for (step, measured), marker in zip(found.items(), ("C0.", "C1-"), strict=True):
        axes[1].plot(*measured, marker, label=f"dt = {step}")
    axes[1].set_title("(b) LAMMPS: granular - granular/plus", loc="left")
    for axis in axes:
        axis.plot(*smooth, color="black", linewidth=0.8, zorder=3, label="exact")
        axis.set_xlabel("time [n. u.]")
        axis.legend()
    axes[0].set_ylabel(r"$\Delta E_\mathrm{kin}$ [n. u.]")
    c.figure(
        "figure-2",
        figure,
        "Kinetic energy with D-SDS minus kinetic energy with C-SDS. At dt = 0.1, the difference"
        " with `granular` is positive from the start, because in LAMMPS's setup a relaxed spring"
        " that should slide has no force.",
    )


def first_steps(c: Context) -> pd.DataFrame:
    columns = {"exact_dsds": [friction.dsds_created_energy(Plates(velocity=v)) for v in SPEEDS]}
    for label, style, slider in (
        ("granular", "granular", "dsds"),
        ("dsds", "granular/plus", "dsds"),
        ("csds", "granular/plus", c["slider"]),
    ):
        after = sweep(c, style, "speed", SPEEDS, slider=slider, step=FIRST_STEP, steps=1)
        columns[label] = after.mechanical(PLATES) - 0.5 * PLATES.mass * np.square(SPEEDS)
    return pd.DataFrame({"velocity": SPEEDS, **columns})


def judge_created(c: Context, created: pd.DataFrame) -> None:
    for label in ("granular", "dsds"):
        leading = PLATES.dashpot**2 / (2 * PLATES.stiffness)
        c.claim(
            "F9",
            f"energy created against v0, {label}: leading coefficient of the parabola",
            statistics.numerical(np.polyfit(SPEEDS, created[label], 2)[0], GEOMETRY, IN_GEOMETRY),
            equals=leading,
            within=1e-6 * leading,
            reason="the decrease of kinetic energy in this step is linear in v0; " + IN_GEOMETRY,
        )
        path = created["velocity"] * FIRST_STEP
        c.check_close(
            f"energy created against v0, {label}: largest deviation / (v0 dt)",
            (created[label] - created["exact_dsds"]) / path,
            0.0,
            tolerance=1.0,
            reason="in this step, the kinetic energy decreases by the limit times the path v0 dt",
        )
    c.check(
        "largest energy created at any v0, C-SDS",
        measured=created["csds"].max(),
        reference=0.0,
        tolerance=0.0,
        kind="at_most",
        reason="the contact creates no energy",
    )


def draw_created(c: Context, created: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    fine = np.linspace(0.5, 16.0, 200)
    axis.plot(
        fine,
        [friction.dsds_created_energy(Plates(velocity=v)) for v in fine],
        color="black",
        linewidth=0.8,
        label=r"exact, $(\gamma v_0 - F_\mathrm{max})^2 / 2k$",
    )
    axis.plot(SPEEDS, created["granular"], "o", mfc="none", ms=8, label="granular (D-SDS)")
    axis.plot(SPEEDS, created["dsds"], "x", label="granular/plus, slider dsds")
    axis.plot(SPEEDS, created["csds"], "s", ms=4, label=f"granular/plus, slider {c['slider']}")
    axis.set(xlabel=r"initial velocity $v_0$ [n. u.]", ylabel="energy created [n. u.]")
    axis.legend()
    c.figure("created-energy", figure, "Energy created in the first step, against the speed.")


def run(c: Context) -> None:
    smooth, euler = exact_difference(np.linspace(0.0, DURATION, 20001)), by_euler()
    found = {step: through_lammps(c, step) for step in (0.1, 0.001)}
    judge_kinetic(c, smooth, euler, found[0.001])
    report_share(c, smooth, euler, found)
    draw_kinetic(c, smooth, euler, found)
    created = first_steps(c)
    judge_created(c, created)
    c.table(
        "created-energy", created, "Energy gained in the first step of 0.0001, in natural units."
    )
    draw_created(c, created)


CASE = Case(
    name="sliding-plates-energy",
    title="Two sliding plates: energy that D-SDS creates, against time and speed",
    source="[fuehrer2024] fig. 2",
    tier="smoke",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
)
