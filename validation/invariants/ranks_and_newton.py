"""Trajectories on 1, 2 and 4 ranks, with newton on and off, must be the same."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import packings

LENGTH = {"smoke": 4, "quick": 8, "full": 16}
STEPS = 200
RUNS = ((1, "on"), (1, "off"), (2, "on"), (2, "off"), (4, "on"), (4, "off"))
# round-off of 1e-16 grows with each collision
TOLERANCE = 1e-10
# in the complete law, round-off decides which knots of the slip pattern merge
SLACK = {"complete": 10.0}


def simulate(c: Context, packing: Path, model: str) -> list[dict[str, float]]:
    along = LENGTH[c.tier]
    ends = []
    for ranks, newton in RUNS:
        shift = c["shift"] if (ranks, newton) != RUNS[0] else 0.0
        script = (
            packings.read(packing)
            + f"pair_style granular/plus\npair_coeff * * {model} slider {c['slider']}\n"
            + packings.move(along)
            + f"group last id {6 * along}\ndisplace_atoms last move {shift} 0 0\n"
            + f"run {STEPS}\n"
            + packings.write("end")
        )
        ends.append(c.lammps(script, ranks=ranks, newton=newton).dump("end"))
    return [packings.differences(ends[0], end) for end in ends[1:]]


def judge(c: Context, name: str, ranks: int, newton: str, found: dict[str, float]) -> None:
    c.check(
        f"{name}, {ranks} rank{'s' * (ranks > 1)}, newton {newton}: largest difference from"
        " one rank with newton on, divided by the root mean square",
        measured=max(found.values()),
        reference=0.0,
        tolerance=SLACK.get(name, 1.0) * TOLERANCE,
        kind="absolute",
        reason="forces are summed in a different order; in 200 steps, round-off grows by a factor"
        + (" of 10,000 with the complete law" if name in SLACK else " of a thousand"),
    )


def run(c: Context) -> None:
    along = LENGTH[c.tier]
    packing = packings.settle(c, along)
    rows = []
    for name, model in list(packings.MODELS.items())[: 2 if c.tier == "smoke" else None]:
        for (ranks, newton), found in zip(RUNS[1:], simulate(c, packing, model), strict=True):
            judge(c, name, ranks, newton, found)
            rows.append({"model": name, "ranks": ranks, "newton": newton, **found})
    c.table(
        "differences",
        pd.DataFrame(rows),
        f"Largest differences from the run on one rank with newton on, after {STEPS} steps.",
    )
    c.note(
        f"{50 * along} grains move for {STEPS} steps. Then, their positions, velocities, spins,"
        " forces and torques are compared."
    )


CASE = Case(
    name="ranks-and-newton",
    title="The same trajectory on any number of ranks and with either newton setting",
    source="comparison of runs that must agree",
    tier="smoke",
    parameters={"slider": "csds", "shift": 0.0},
    spoil={"shift": 1e-7},
    run=run,
)
