"""A drum mixes wet and dry grains: bridges make the liquid of the grains alike, and none is lost.

The left half is wet at first. What the drum does to grains does not change how much liquid each
of them has; only bridges, which take from both and give back in halves, do. So the variance of the
liquid over the grains, 1 in units of the square of its mean at first, falls with every revolution.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context, panels

SCRIPT = Path(__file__).parents[2] / "inputs" / "in.wet_mixing"
RADIUS = {"quick": 6, "full": 10}
TURNS = {"quick": 1.5, "full": 3.0}
FROUDE = 0.2
STEP = 4e-4
ROWS = 40


def simulate(c: Context) -> tuple[pd.DataFrame, float]:
    """Return the variance of the liquid by revolutions, and by how much its sum has changed."""
    steps = TURNS[c.tier] * 2.0 * np.pi / np.sqrt(FROUDE / RADIUS[c.tier]) / STEP
    run = c.lammps(
        SCRIPT,
        variables={
            "share": c["share"],
            "radius": RADIUS[c.tier],
            "froude": FROUDE,
            "turns": TURNS[c.tier],
            "every": round(steps / ROWS),
        },
        timeout=3600,
    )
    thermo = run.thermo
    table = pd.DataFrame(
        {
            "revolutions": thermo["Step"] / steps * TURNS[c.tier],
            "variance": thermo["v_spread"] ** 2,
            "dry": thermo["c_dry"],
        }
    )
    # the script prints it with all digits
    change = re.findall(r"^change of the sum of the liquid +(\S+)$", run.log, re.MULTILINE)
    return table, float(change[-1])


def judge(c: Context, table: pd.DataFrame, change: float) -> None:
    c.check(
        "change of films and bridges together, part of them",
        measured=change,
        reference=0.0,
        tolerance=1e-12,
        kind="absolute",
        reason="round-off of sums over all grains",
    )
    variance = table["variance"]
    c.check(
        "variance of the liquid at the end over that at the start",
        measured=variance.iloc[-1] / variance.iloc[0],
        reference=0.5,
        kind="at_most",
        reason="the variance falls to less than a half; without bridges it stays what it is",
    )
    c.check(
        "largest rise of the variance between two outputs, part of that at the start",
        measured=variance.diff().max() / variance.iloc[0],
        reference=0.02,
        kind="at_most",
        reason="each bridge that ruptures brings its two grains closer to each other, but a grain"
        " takes part in several at a time",
    )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    axis.plot(table["revolutions"], table["variance"] / table["variance"].iloc[0], label="variance")
    axis.plot(table["revolutions"], table["dry"] / table["dry"].iloc[0], label="nearly dry grains")
    axis.set(xlabel="revolutions", ylabel="over that at the start", ylim=(0.0, None))
    axis.legend()
    c.figure("mixing", figure, "How unevenly the liquid is spread over the grains of a drum.")


def run(c: Context) -> None:
    table, change = simulate(c)
    judge(c, table, change)
    draw(c, table)
    c.table("mixing", table.iloc[::5], "Liquid of the grains of a drum, by revolutions.")


CASE = Case(
    name="wet-mixing",
    title="A drum mixes wet and dry grains",
    source="conservation of liquid",
    tier="quick",
    parameters={"share": 0.3},
    spoil={"share": 1e-6},
    run=run,
)
