"""A column of grains collapses into a heap, which is steeper for a larger surface tension."""

from __future__ import annotations

import re

import pandas as pd

from pysuite import statistics
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

TENSIONS = {"quick": (0.0, 0.25, 0.5), "full": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75)}
SEEDS = (4711, 17, 23, 99, 5, 61, 8)
# in tier quick, columns have half the height
COLUMN = {"quick": {"n": 12, "settle": 5, "collapse": 30}, "full": {}}


def simulate(c: Context) -> pd.DataFrame:
    tier = "full" if c.tier == "full" else "quick"
    rows = []
    for tension in TENSIONS[tier]:
        for number in SEEDS:
            variables = {"gamma": tension * c["wetness"], "seed": seed(number), **COLUMN[tier]}
            log = c.lammps(c.inputs / "in.wet_heap", variables=variables, timeout=3600.0).log
            rows.append(
                {
                    "tension": tension,
                    "seed": number,
                    "slope": printed(log, "slope of the triangle"),
                    "kinetic energy": printed(log, "kinetic energy per grain"),
                    "bridges per grain": printed(log, "liquid bridges per grain"),
                }
            )
    return pd.DataFrame(rows)


def judge(c: Context, table: pd.DataFrame) -> None:
    c.check(
        "heaps have come to rest: largest kinetic energy per grain",
        measured=table["kinetic energy"].max(),
        reference=1e-3,
        tolerance=0.0,
        kind="at_most",
        reason="the bound is a thousandth of the energy of a grain that has fallen by its diameter",
    )
    c.check(
        "slope against surface tension, degrees per (weight / distance)",
        measured=statistics.slope(table["tension"], table["slope"]),
        reference=5.0,
        kind="at_least",
        reason=(
            "heaps of different seeds differ by one degree; a surface tension larger by 0.2 must"
            " change the slope by more than this"
        ),
    )
    slopes = {tension: group["slope"] for tension, group in table.groupby("tension")}
    most = max(slopes)
    c.check(
        "slope of the wettest heaps minus slope of the dry heaps, degrees",
        measured=statistics.pooled(slopes, {most: 1.0, min(slopes): -1.0}),
        reference=1.0,
        kind="at_least",
        reason="heaps of different seeds differ by one degree",
    )
    wet = table[table["tension"] > 0.0]
    bridges = {tension: group["bridges per grain"] for tension, group in wet.groupby("tension")}
    c.check(
        "bridges per grain of the wettest heaps",
        measured=statistics.pooled(bridges, {most: 1.0}),
        reference=4.0,
        tolerance=0.0,
        kind="at_least",
        reason="on average, a grain at rest has at least four contacts, each with a bridge",
    )


def run(c: Context) -> None:
    table = simulate(c)
    c.table(
        "heaps",
        table,
        "All heaps. The slope is in degrees, the kinetic energy in units of weight times diameter.",
    )
    judge(c, table)
    draw(c, table)


def printed(log: str, words: str) -> float:
    return float(re.findall(rf"^{words}.*?([-+.\de]+)$", log, flags=re.MULTILINE)[-1])


def draw(c: Context, table: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(5.5, 4.0))
    axis.plot(table["tension"], table["slope"], "o")
    axis.plot(table.groupby("tension")["slope"].mean(), "k-", linewidth=0.8)
    axis.set(xlabel="surface tension [weight / distance]", ylabel="slope [degrees]")
    c.figure("slope", figure, "Slope of a heap against the surface tension of the liquid.")


CASE = Case(
    name="wet-heap",
    title="A heap of wet grains becomes steeper with surface tension",
    source="qualitative observation: wet sand stands more steeply than dry sand",
    tier="quick",
    parameters={"wetness": 1.0},
    spoil={"wetness": 0.0},
    run=run,
    timeout=7200.0,
)
