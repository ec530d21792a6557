"""A run that is interrupted and restarted is the run that was not, to the last bit on one rank."""

from __future__ import annotations

import pandas as pd

from pysuite.cases import Case, Context
from pysuite.setups import packings

LENGTH = {"smoke": 4, "quick": 8, "full": 16}
STEPS = 100
TOLERANCE = 1e-10  # two ranks sum forces in another order

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


def run(c: Context) -> None:
    along = LENGTH[c.tier]
    packing = packings.settle(c, along)
    rows = []
    for name, model in packings.MODELS.items():
        pair = f"pair_style granular/plus\npair_coeff * * {model} slider {c['slider']}\n"
        rank_counts = (1, 2) if name == "whole contact" or c.tier != "smoke" else (1,)
        for ranks in rank_counts:
            whole = c.lammps(
                packings.read(packing)
                + pair
                + packings.move(along)
                + WHOLE.format(steps=STEPS)
                + packings.write("end"),
                ranks=ranks,
            )
            expected = whole.dump("end")
            for source, begin in begins(c, whole.folder, pair).items():
                for again in dict.fromkeys((ranks, 3 - ranks)):
                    end = c.lammps(
                        begin + packings.move(along) + f"run {STEPS}\n" + packings.write("end"),
                        ranks=again,
                    ).dump("end")
                    worst = max(packings.differences(expected, end).values())
                    rows.append(
                        {
                            "model": name,
                            "ranks": ranks,
                            "then": again,
                            "from": source,
                            "worst": worst,
                        }
                    )
                    exact = ranks == again == 1
                    c.check(
                        f"{name}, {ranks} then {again} rank(s), from {source}: largest difference"
                        " from the run that was not interrupted",
                        measured=worst,
                        reference=0.0,
                        tolerance=0.0 if exact else TOLERANCE,
                        kind="absolute",
                        reason="the same operations on the same bits"
                        if exact
                        else "forces are summed in another order: round-off grown in 100 steps",
                    )
    c.table("differences", pd.DataFrame(rows), f"Largest differences after {STEPS} more steps.")


def begins(c: Context, folder: object, pair: str) -> dict[str, str]:
    """Return the commands that begin again from each kind of file."""
    if c["file"] == "data":  # holds no springs
        return {"write_data": packings.read(folder / f"data.{STEPS}") + pair}
    return {
        "write_restart": AGAIN.format(file=folder / "command"),
        "restart N": AGAIN.format(file=folder / f"periodic.{STEPS}"),
    }


CASE = Case(
    name="restart",
    title="Restart is exact: contact history is kept, on any number of ranks",
    source="comparison of runs that must agree",
    tier="smoke",
    parameters={"slider": "csds", "file": "restart"},
    spoil={"file": "data"},
    run=run,
)
