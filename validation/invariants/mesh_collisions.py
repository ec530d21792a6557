"""Energy conservation of balls that collide with triangle meshes without friction and damping."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot

from pysuite import statistics
from pysuite.validation import Case, Context
from pysuite.validation.setups import bounces

STEPS = bounces.STEPS
LIMITS = dict(zip(STEPS, (3e-4, 8e-5, 2e-5), strict=True))
BALLS = {"smoke": 25, "quick": 60, "full": 60}


def simulate(c: Context, wall: bounces.Wall, steps: int) -> np.ndarray:
    line = bounces.OURS.format(stiffness=bounces.STIFFNESS, restitution=c["restitution"])
    folder = c.folder / f"{len(wall.triangles)}-{steps}"
    script = bounces.prepare(folder, wall, steps, BALLS[c.tier], line)
    return bounces.changes(c.lammps(script, folder=folder, timeout=1500).dump("energies"))


def run(c: Context) -> None:
    rows = []
    for name, wall in bounces.WALLS.items():
        for steps in STEPS:
            found = simulate(c, wall, steps)
            rms = statistics.root_mean_square(found, of="bounces")
            judge_energy(c, name, steps, rms)
            rows.append(
                {
                    "wall": name,
                    "steps": steps,
                    "bounces": len(found),
                    "rms": rms.value,
                    "largest gain": float(found.max()),
                    "largest loss": float(-found.min()),
                }
            )
    table = pd.DataFrame(rows)
    c.table("bounces", table, "Relative change of energy in a bounce.")
    judge(c, table)
    draw(c, table)


def judge_energy(c: Context, name: str, steps: int, rms: statistics.Interval) -> None:
    c.check(
        f"{name}, {steps} steps in a collision: change of energy in a bounce, rms",
        measured=rms,
        reference=0.0,
        tolerance=LIMITS[steps],
        kind="at_most",
        reason=(
            "the integrator has an error of second order in the time step; with LAMMPS's"
            " surface/global, balls in the shell gain up to 5e-3 at any time step"
        ),
    )


def judge(c: Context, table: pd.DataFrame) -> None:
    for name, part in table.groupby("wall", sort=False):
        c.check(
            f"{name}: rms change of energy with 50 steps in a collision / that with 200 steps",
            measured=float(part["rms"].iloc[0] / part["rms"].iloc[-1]),
            reference=8.0,
            kind="at_least",
            reason=(
                "an error of second order would give 16, but there are few bounces, and the time"
                " step changes their places"
            ),
        )
        c.check(
            f"{name}: bounces",
            measured=float(part["bounces"].min()),
            reference=10.0,
            kind="at_least",
            reason="with too few bounces, the case would test nothing",
        )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, axes = pyplot.subplots()
    for name, part in table.groupby("wall", sort=False):
        axes.loglog(part["steps"], part["rms"], "o-", label=name)
    steps = np.array([STEPS[0], STEPS[-1]], dtype=float)
    axes.loglog(steps, 3e-5 * (steps / STEPS[0]) ** -2, "k--", label="second order")
    axes.set(xlabel="time steps per collision", ylabel="change of energy in a bounce, rms")
    axes.legend()
    c.figure(
        "energy",
        figure,
        "Change of the energy of balls that hit a shell or rocks without friction and damping.",
    )


CASE = Case(
    name="mesh-collisions",
    title="No seam, edge or corner of a triangle mesh creates energy",
    source="energy; mechanics",
    tier="smoke",
    parameters={"restitution": 1.0},
    spoil={"restitution": 0.99},
    run=run,
)
