"""Run-out of a cylindrical column of grains that collapses on a horizontal plane.

A deposit cannot be thinner than a grain, so the thin edge of an ideal deposit is missing. The
missing fraction of the run-out is proportional to the grain diameter divided by the final height.
The run-outs of columns with several radii are therefore extrapolated to a ratio of zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import least_squares

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.references import collapse
from pysuite.validation.seeds import seed
from pysuite.validation.setups import columns
from pysuite.validation.setups.columns import Collapse, Column

Array = NDArray[np.float64]

BOTH = ("csds", "dsds")
ROLLING = 0.1
COVERED = 0.95  # a collapse counts as ended at this fraction of the final run-out
SEED = 6400
FURTHER = (
    "for tall columns, the simulated run-out grows faster with the aspect ratio than the measured"
    " run-out; the cause is unknown; the simulated radii (8 to 12 grain diameters) may be too small"
    " and the aspect ratios (up to 8) too low for the power law"
)
FEW = "with one to four columns of each kind, the interval is wider than the bound"
LOW, TALL = "low columns", "tall columns"
POWERS = {LOW: collapse.LOW.exponent, TALL: collapse.TALL.exponent}


class Plan(NamedTuple):
    """Columns of one kind.

    Attributes:
        aspect: height divided by radius.
        radius: radius in mean grain diameters.
        packs: number of packings. Each packing collapses once with every slider.
    """

    aspect: float
    radius: float
    packs: int
    sliders: tuple[str, ...] = ("csds",)


PLANS = (
    Plan(0.6, 10.0, 4),
    Plan(1.0, 10.0, 3, BOTH),
    Plan(1.4, 10.0, 3, BOTH),
    *(Plan(aspect, 14.0, 1) for aspect in (0.6, 1.0, 1.4)),
    *(Plan(aspect, 20.0, 1) for aspect in (0.6, 1.0)),
    Plan(2.0, 8.0, 4, BOTH),
    Plan(3.0, 8.0, 2, BOTH),
    Plan(5.0, 8.0, 1, BOTH),
    Plan(8.0, 8.0, 1),
    Plan(2.0, 12.0, 1),
    Plan(3.0, 12.0, 1),
    Plan(5.0, 11.0, 1),
)


def row(column: Column, number: int, found: Collapse) -> dict[str, float | str]:
    """Return the results of a collapse. Lengths are in mean diameters d, times in sqrt(d/g)."""
    runout = found.front - column.radius
    over = int(np.argmax(runout >= COVERED * runout[-1]))
    return {
        "slider": column.slider,
        "pack": number,
        "aspect": column.aspect,
        "radius": column.radius,
        "height": found.height,
        "fraction": found.fraction,
        "runout": runout[-1],
        "top": found.top[-1],
        "duration": found.time[over],
        "moved": runout[-1] - runout[-1 - columns.FRAMES // 10],
        "energy": found.energy[-1],
        "overlap": found.overlap[0],
        "largest_overlap": found.overlap[1],
        "outside": found.outside,
    }


def aspects(table: pd.DataFrame) -> Array:
    return (table["height"] / table["radius"]).to_numpy()


def split(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    ours = table[table["slider"] == "csds"]
    low = aspects(ours) < collapse.CHANGE
    return {LOW: ours[low], TALL: ours[~low]}


class Law(NamedTuple):
    """The law: run-out = factor * radius * aspect**exponent * (1 - edge / final height)."""

    factor: float
    exponent: float
    edge: float


def fit(table: pd.DataFrame, power: float, *, free: bool = True) -> Law:
    """Return the least-squares fit of the law to the logarithms of all run-outs.

    If `free` is false, the exponent is `power`. Otherwise, the exponent is fitted as well, starting
    from `power`.
    """
    aspect, radius = aspects(table), table["radius"].to_numpy()
    runout, top = table["runout"].to_numpy(), table["top"].to_numpy()

    def misses(law: Array) -> Array:
        factor, edge, more = law
        left = np.maximum(1.0 - edge / top, 1e-3)
        power_law = factor + (power + more * free) * np.log(aspect)
        return power_law + np.log(radius * left / runout)

    factor, edge, more = least_squares(misses, [0.0, 0.0, 0.0]).x
    return Law(float(np.exp(factor)), float(power + more * free), float(edge))


def exponent(table: pd.DataFrame, expected: float, level: float) -> Interval:
    value = fit(table, expected).exponent
    without = [fit(table.drop(index=i), expected).exponent for i in table.index]
    return statistics.jackknife(value, without, level, "columns")


def prefactor(table: pd.DataFrame, power: float, level: float) -> Interval:
    value = np.log(fit(table, power, free=False).factor)
    without = [np.log(fit(table.drop(index=i), power, free=False).factor) for i in table.index]
    return statistics.jackknife(value, without, level, "columns").mapped(math.exp)


def height_exponent(table: pd.DataFrame, level: float) -> Interval:
    return statistics.slope(np.log(aspects(table)), np.log(table["top"] / table["radius"]), level)


def local_exponents(table: pd.DataFrame) -> list[tuple[float, float, float]]:
    narrow = table[table["radius"] == table["radius"].min()]
    each = narrow.assign(real=aspects(narrow)).groupby("aspect")[["real", "runout"]].mean()
    power = np.diff(np.log(each["runout"])) / np.diff(np.log(each["real"]))
    return list(zip(each["real"][:-1], each["real"][1:], power, strict=True))


def pairs(table: pd.DataFrame) -> tuple[Array, Array]:
    table = table.assign(relative=table["runout"] / table["radius"])
    wide = table.pivot(index=["pack", "radius", "aspect"], columns="slider", values="relative")
    wide = wide.dropna()
    return wide["dsds"].to_numpy(), wide["csds"].to_numpy()


def judge(c: Context, table: pd.DataFrame) -> None:
    seeds = f"{seed(SEED)} to {seed(SEED + int(table['pack'].max()))}"
    parts = split(table)
    powers = {name: exponent(parts[name], power, c.level) for name, power in POWERS.items()}
    factors = {name: prefactor(parts[name], power, c.level) for name, power in POWERS.items()}
    c.benchmark(f"{LOW}: exponent of the run-out", powers[LOW], seeds=seeds)
    c.benchmark(f"{LOW}: factor of the run-out", factors[LOW], seeds=seeds)
    c.benchmark(f"{TALL}: exponent of the run-out", powers[TALL], seeds=seeds, deviates=FURTHER)
    c.benchmark(f"{TALL}: factor of the run-out", factors[TALL], seeds=seeds, undecided=FEW)
    height = height_exponent(parts[TALL], c.level)
    c.benchmark(f"{TALL}: exponent of the height", height, seeds=seeds, undecided=FEW)
    ratio = statistics.ratio(*pairs(table), c.level)
    c.benchmark("run-out with dsds divided by run-out with csds", ratio, seeds=seeds, undecided=FEW)


def words(interval: Interval) -> str:
    return f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def tell(c: Context, table: pd.DataFrame) -> None:
    level = statistics.SINGLE_LEVEL
    for name, of in split(table).items():
        power = POWERS[name]
        law = fit(of, power)
        root = np.sqrt(of["height"])
        least = of["radius"].min()
        narrow = of[of["radius"] == least]
        plain = statistics.slope(np.log(aspects(narrow)), np.log(narrow["runout"] / least), level)
        c.note(
            f"{name}, 95 %: exponent of the run-out {words(exponent(of, power, level))}; factor of"
            f" a fit with exponent {power:g}: {words(prefactor(of, power, level))}; missing"
            f" fraction of the run-out: {law.edge:.2f} d divided by the final height. Without"
            f" extrapolation, at a radius of {least:g} d: exponent {words(plain)}, factor"
            f" {(narrow['runout'] / (least * aspects(narrow) ** power)).mean():.3f}."
        )
        c.note(
            f"{name}: {100 * COVERED:g} % of the run-out is covered after"
            f" {words(statistics.mean(of['duration'] / root, level, 'columns'))} sqrt(h/g);"
            f" experiment: about {collapse.DURATION:g}."
        )
    low, tall = split(table).values()
    parts = [f"{power:.2f} from {a:.1f} to {b:.1f}" for a, b, power in local_exponents(tall)]
    c.note(
        "Exponent of the run-out between successive aspect ratios, for the narrowest tall columns"
        f" and without extrapolation: {', '.join(parts)}."
    )
    height = statistics.mean(tall["top"] / tall["radius"], level, "columns")
    c.note(
        f"Final height of tall columns: exponent {words(height_exponent(tall, level))}, 95 %;"
        f" height / radius {words(height)}; height / (radius a^(1/6))"
        f" {(tall['top'] / tall['radius'] / aspects(tall) ** (1 / 6)).mean():.2f}, experiment 0.88."
        " Final height / initial height of columns with aspect ratios a below 0.8:"
        f" {(low['top'] / low['height'])[aspects(low) < 0.8].mean():.2f}, experiment about 1."
    )
    c.note(f"Run-out, dsds / csds: {words(statistics.ratio(*pairs(table), level))}, 95 %.")
    c.note(
        f"Overlaps are at most {table['overlap'].max():.4f} d in 999 of 1000 contacts, and at most"
        f" {table['largest_overlap'].max():.4f} d in the others. In the last tenth of the time, the"
        f" front moves by at most {table['moved'].abs().max():.2f} d."
        f" At most {100 * table['outside'].max():.1f} % of the mass lies beyond the front."
    )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, (left, middle, right) = panels(3)
    for marker, (radius, of) in zip("os^Dv<>", table.groupby("radius"), strict=False):
        aspect = aspects(of)
        for axis, values in ((left, of["runout"] / radius), (middle, of["top"] / radius)):
            axis.loglog(aspect, values, marker, mfc="none", label=f"radius {radius:g} d")
        right.plot(aspect, of["duration"] / np.sqrt(of["height"]), marker, mfc="none")
    for name, of in split(table).items():
        law = fit(of, POWERS[name])
        aspect = np.geomspace(aspects(of).min(), aspects(of).max())
        left.loglog(aspect, law.factor * aspect**law.exponent, "k--", linewidth=0.8)
    low, tall = np.geomspace(0.5, collapse.CHANGE), np.geomspace(collapse.CHANGE, 9.0)
    left.loglog(low, collapse.LOW(low), "k", linewidth=0.8)
    left.loglog(tall, collapse.TALL(tall), "k", linewidth=0.8)
    middle.loglog(tall, collapse.HEIGHT(tall), "k", linewidth=0.8)
    right.axhline(collapse.DURATION, color="k", linewidth=0.8)
    for axis, quantity in (
        (left, "run-out / radius"),
        (middle, "final height / radius"),
        (right, "duration / sqrt(h/g)"),
    ):
        axis.set(xlabel="aspect ratio", ylabel=quantity)
    left.legend(fontsize=7)
    c.figure(
        "columns",
        figure,
        "Columns of several radii. Solid lines show the experiment, dashed lines the extrapolation"
        " to small grains.",
    )


def plans(c: Context) -> list[Plan]:
    return [plan._replace(packs=min(plan.packs, c["packs"])) for plan in PLANS]


def simulate(c: Context, plan: Plan, pack: int) -> list[dict[str, float | str]]:
    column = Column(plan.aspect, plan.radius, c["friction"], ROLLING)
    filled = columns.fill(c, column, SEED + pack)
    of = [column._replace(slider=slider) for slider in plan.sliders]
    return [row(each, pack, columns.collapse(c, each, filled)) for each in of]


def run(c: Context) -> None:
    rows = [r for plan in plans(c) for pack in range(plan.packs) for r in simulate(c, plan, pack)]
    table = pd.DataFrame(rows)
    judge(c, table)
    tell(c, table)
    c.table("columns", table, "All columns. Lengths are in mean diameters d, times in sqrt(d/g).")
    draw(c, table)


CASE = Case(
    name="column-collapse",
    title="Run-out and height of collapsing columns of grains, compared with experiments",
    source="[lube2004]; [lajeunesse2004]; [warnett2014]",
    tier="full",
    # packs: upper bound on the number of packings of each kind of column
    parameters={"friction": 0.5, "packs": 4},
    spoil={"friction": 0.1},
    run=run,
    timeout=14400.0,
)
