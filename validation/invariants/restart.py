"""A restarted run equals an uninterrupted run. On one rank, the runs are bitwise equal."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import packings

LENGTH = {"smoke": 4, "quick": 8, "full": 16}
STEPS = 100
TOLERANCE = 1e-10  # two ranks sum forces in a different order

WHOLE = """
restart {steps} periodic.*
run {steps}
write_restart command
write_data data.* nocoeff
restart 0
run {steps}
"""

AGAIN = """
comm_modify vel yes
read_restart {file}
"""


class Comparison(NamedTuple):
    """Comparison of a restarted run with an uninterrupted run.

    Attributes:
        ranks: number of ranks of the uninterrupted run.
        then: number of ranks of the restarted run.
        source: kind of file from which the run restarts.
        worst: largest difference between the runs.
    """

    model: str
    ranks: int
    then: int
    source: str
    worst: float


def simulate(c: Context, packing: Path, name: str, model: str, ranks: int) -> list[Comparison]:
    along = LENGTH[c.tier]
    pair = f"pair_style granular/plus\npair_coeff * * {model} slider {c['slider']}\n"
    move, write = packings.move(along), packings.write("end")
    script = packings.read(packing) + pair + move + WHOLE.format(steps=STEPS) + write
    whole = c.lammps(script, ranks=ranks)
    expected = whole.dump("end")
    found = []
    for source, begin in begins(c, whole.folder, pair).items():
        for again in dict.fromkeys((ranks, 3 - ranks)):
            end = c.lammps(f"{begin}{move}run {STEPS}\n{write}", ranks=again).dump("end")
            worst = max(packings.differences(expected, end).values())
            found.append(Comparison(name, ranks, again, source, worst))
    return found


def judge(c: Context, found: Comparison) -> None:
    exact = found.ranks == found.then == 1
    c.check(
        f"{found.model}, {found.ranks} then {found.then} rank(s), from {found.source}: largest"
        " difference from the uninterrupted run",
        measured=found.worst,
        reference=0.0,
        tolerance=0.0 if exact else TOLERANCE,
        kind="absolute",
        reason="both runs do the same operations on bitwise identical numbers"
        if exact
        else "forces are summed in a different order, and round-off grows during 100 steps",
    )


def run(c: Context) -> None:
    packing = packings.settle(c, LENGTH[c.tier])
    found = [
        comparison
        for name, model in packings.MODELS.items()
        for ranks in ((1, 2) if name == "whole contact" or c.tier != "smoke" else (1,))
        for comparison in simulate(c, packing, name, model, ranks)
    ]
    for comparison in found:
        judge(c, comparison)
    table = pd.DataFrame(found).rename(columns={"source": "from"})
    c.table("differences", table, f"Largest differences {STEPS} steps after the restart.")


def begins(c: Context, folder: Path, pair: str) -> dict[str, str]:
    if c["file"] == "data":  # a data file does not contain springs
        return {"write_data": packings.read(folder / f"data.{STEPS}") + pair}
    return {
        "write_restart": AGAIN.format(file=folder / "command"),
        "restart N": AGAIN.format(file=folder / f"periodic.{STEPS}"),
    }


CASE = Case(
    name="restart",
    title="A restart is exact and keeps the contact history, on any number of ranks",
    source="comparison of runs that must agree",
    tier="smoke",
    parameters={"slider": "csds", "file": "restart"},
    spoil={"file": "data"},
    run=run,
)
