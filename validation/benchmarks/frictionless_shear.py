"""Slow shear of spheres without friction.

The packing has an internal friction but does not dilate. Stress ratio and volume are extrapolated
to vanishing inertial number. A bound on the solid fraction detects crystals.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed
from pysuite.validation.setups import steady_shear
from pysuite.validation.setups.steady_shear import Flow, Spheres, Stage

SIDE = 8  # spheres along an edge
RESTITUTION = 0.1
STAGES = (  # inertial number, strain of the transient, evaluated strain
    Stage(0.05, 3.0, 30.0),
    Stage(0.02, 1.0, 30.0),
    Stage(0.01, 1.0, 25.0),
    Stage(0.005, 1.0, 20.0),
    Stage(0.002, 1.0, 15.0),
    Stage(0.001, 1.0, 12.0),
    Stage(0.0005, 1.0, 10.0),
)
SOFT, STIFF = 1e3, 1e4  # stiffnesses of the spheres
COMPARED = Stage(0.005, 3.0, 12.0), Stage(0.002, 1.0, 8.0)
DENSEST = 0.65  # bound on the mean solid fraction over a strain of 1
FITTED = 0.02  # largest inertial number of the fit
EXPONENTS = np.linspace(0.3, 0.5, 201)  # of the inertial number
HELD = 0.01  # bound on the relative error of the mean pressure
SEED = 6401
WIDE = (
    "with 512 spheres, strains of 10 to 30 and inertial numbers of 5e-4 or more, the interval is"
    " about two degrees wide; spheres ten times as stiff have an angle larger by a third of a"
    " degree"
)


class Limit(NamedTuple):
    """Fit of a quantity with value + factor * inertia ** exponent.

    Attributes:
        value: the limit with its interval.
        factor: factor of the power of the inertial number.
        exponent: the element of `EXPONENTS` that fits best.
        misfit: sum of the squares of (deviation / standard error), divided by the degrees of
            freedom.
    """

    value: Interval
    factor: float
    exponent: float
    misfit: float

    def at(self, inertia: ArrayLike) -> np.ndarray:
        """Return the fitted quantity."""
        return self.value.value + self.factor * np.asarray(inertia) ** self.exponent


def limit(
    inertia: ArrayLike,
    means: ArrayLike,
    errors: ArrayLike,
    freedom: int,
    level: float = statistics.LEVEL,
) -> Limit:
    """Fit a constant plus a power of the inertial number, with a likelihood interval.

    For each constant, the exponent and the factor minimize the sum of squares. The interval
    contains all constants for which this sum exceeds the smallest sum by at most the square of
    Student's t. If the points scatter more than their errors explain, all errors are enlarged.
    `freedom` is the total number of degrees of freedom of the errors.
    """
    from scipy import stats

    x, y, sigma = (np.asarray(values, dtype=float) for values in (inertia, means, errors))
    lines = []
    for exponent in EXPONENTS:
        terms = np.column_stack([np.ones_like(x), x**exponent]) / sigma[:, None]
        (constant, factor), *_ = np.linalg.lstsq(terms, y / sigma, rcond=None)
        misfit = float(np.sum((terms @ [constant, factor] - y / sigma) ** 2))
        lines.append((misfit, constant, np.linalg.inv(terms.T @ terms)[0, 0], factor))
    misfits, constants, variances, factors = np.transpose(lines)
    best = int(misfits.argmin())
    scale = max(1.0, misfits[best] / (len(x) - 3))
    excess = (misfits - misfits[best]) / scale

    def at(level: float) -> Interval:
        room = stats.t.ppf(0.5 + 0.5 * level, freedom) ** 2 - excess
        half = np.sqrt(scale * variances * np.maximum(room, 0.0))
        inside = room >= 0.0
        low, high = (constants - half)[inside].min(), (constants + half)[inside].max()
        how = f"{100.0 * level:.6g} % from {len(x)} inertial numbers"
        return Interval(constants[best], low, high, how)

    value = dataclasses.replace(at(level), at_level=at)
    return Limit(value, factors[best], EXPONENTS[best], misfits[best] / (len(x) - 3))


def angle(ratio: float) -> float:
    return float(np.degrees(np.arctan(ratio)))


def summary(flows: list[Flow]) -> pd.DataFrame:
    rows = []
    for flow in flows:
        parts = {
            "ratio": flow.ratio,
            "volume": 1.0 / flow.fraction,
            "contacts": flow.contacts,
            "pressure": flow.pressure,
        }
        fractions = steady_shear.strains(flow.fraction)
        row = {"inertia": flow.inertia, "blocks": len(fractions), "densest": fractions.max()}
        for name, values in parts.items():
            blocks = steady_shear.strains(values)
            row |= {name: blocks.mean(), f"{name}_error": blocks.std(ddof=1) / len(blocks) ** 0.5}
        rows.append(row)
    return pd.DataFrame(rows).assign(fraction=lambda table: 1.0 / table["volume"])


def limits(table: pd.DataFrame, level: float, largest: float = FITTED) -> dict[str, Limit]:
    fitted = table[table["inertia"] < 1.001 * largest]
    freedom = int((fitted["blocks"] - 1).sum())
    return {
        name: limit(fitted["inertia"], fitted[name], fitted[f"{name}_error"], freedom, level)
        for name in ("ratio", "volume")
    }


def judge(c: Context, table: pd.DataFrame) -> None:
    found = limits(table, c.level)
    seeds = str(seed(SEED))
    c.benchmark(
        "internal friction angle",
        found["ratio"].value.mapped(angle),
        seeds=seeds,
        undecided=WIDE,
    )
    c.benchmark("solid fraction", found["volume"].value.mapped(lambda v: 1.0 / v), seeds=seeds)
    c.check(
        "mean pressure of each stage",
        measured=float((table["pressure"] - 1.0).abs().max()),
        reference=0.0,
        tolerance=HELD,
        kind="absolute",
        reason="a controller adjusts the height of the box to keep the pressure at 1; a small error"
        " hardly matters, because stresses are divided by the measured pressure",
    )
    c.check(
        "largest solid fraction over a strain of 1",
        measured=float(table["densest"].max()),
        reference=DENSEST,
        kind="at_most",
        reason="random packings have solid fractions up to 0.64; equal spheres may crystallise"
        " under shear, as in the paper, and a crystal has a different stress",
    )


def differences(both: pd.DataFrame, name: str) -> pd.Series:
    return both[f"{name}_stiff"] - both[name]


def mean_difference(
    both: pd.DataFrame, name: str, level: float = statistics.SINGLE_LEVEL
) -> Interval:
    from scipy import stats

    weights = 1.0 / (both[f"{name}_error"] ** 2 + both[f"{name}_error_stiff"] ** 2)
    mean = float((weights * differences(both, name)).sum() / weights.sum())
    freedom = (both["blocks"] + both["blocks_stiff"] - 2).sum()
    half = stats.t.ppf(0.5 + 0.5 * level, freedom) / weights.sum() ** 0.5
    return Interval(mean, mean - half, mean + half, f"{100.0 * level:g} %")


def rigid(found: Interval, shift: Interval) -> Interval:
    """Extrapolate a limit linearly in 1/stiffness to rigid spheres."""
    factor = STIFF / (STIFF - SOFT)
    value = found.value + factor * shift.value
    low = np.hypot(found.value - found.low, factor * (shift.value - shift.low))
    high = np.hypot(found.high - found.value, factor * (shift.high - shift.value))
    return Interval(value, value - low, value + high, found.how)


def tell(c: Context, table: pd.DataFrame) -> None:
    for largest in (FITTED, table["inertia"].max()):
        found = limits(table, statistics.SINGLE_LEVEL, largest)
        tan, volume = found["ratio"], found["volume"]
        degrees, fraction = tan.value.mapped(angle), volume.value.mapped(lambda v: 1.0 / v)
        c.note(
            f"Fit up to an inertial number of {largest:g}, 95 %: angle {degrees.value:.2f}"
            f" [{degrees.low:.2f}, {degrees.high:.2f}] degrees, exponent {tan.exponent:.2f},"
            f" misfit {tan.misfit:.1f}; solid fraction {fraction.value:.4f} [{fraction.low:.4f},"
            f" {fraction.high:.4f}], exponent {volume.exponent:.2f}, misfit {volume.misfit:.1f}."
        )


def compare(c: Context, table: pd.DataFrame, stiff: pd.DataFrame) -> None:
    if stiff["densest"].max() > DENSEST:
        c.note(f"Spheres {STIFF / SOFT:g} times as stiff crystallised and are not compared.")
        return
    both = table.merge(stiff, on="inertia", suffixes=("", "_stiff"))
    for name, words in (("ratio", "stress ratio"), ("volume", "volume")):
        by, shift = differences(both, name), mean_difference(both, name)
        parts = [f"{each:+.4f} at I = {i:g}" for i, each in zip(both["inertia"], by, strict=True)]
        c.note(
            f"Change of the {words} with spheres {STIFF / SOFT:g} times as stiff:"
            f" {', '.join(parts)}. The mean change is"
            f" {shift.value:+.4f} [{shift.low:+.4f}, {shift.high:+.4f}], 95 %."
        )
    ends = {
        name: rigid(limit.value, mean_difference(both, name))
        for name, limit in limits(table, statistics.SINGLE_LEVEL).items()
    }
    degrees, fraction = ends["ratio"].mapped(angle), ends["volume"].mapped(lambda v: 1.0 / v)
    c.note(
        f"Extrapolated to rigid spheres, 95 %: angle {degrees.value:.2f} [{degrees.low:.2f},"
        f" {degrees.high:.2f}] degrees, solid fraction {fraction.value:.4f} [{fraction.low:.4f},"
        f" {fraction.high:.4f}]."
    )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, axes = panels(2)
    found = limits(table, c.level)
    line = np.geomspace(table["inertia"].min(), FITTED, 100)
    for axis, name, words in zip(
        axes, ("ratio", "volume"), ("stress ratio", "volume / volume of spheres"), strict=True
    ):
        axis.errorbar(
            table["inertia"], table[name], 2.0 * table[f"{name}_error"], fmt="o", mfc="none"
        )
        axis.plot(line, found[name].at(line), "k-", linewidth=0.8)
        axis.set(xscale="log", xlabel="inertial number", ylabel=words)
    axes[0].axhline(np.tan(np.radians(5.76)), color="0.5", linestyle="--", linewidth=0.8)
    c.figure(
        "shear",
        figure,
        "Spheres without friction. Bars show two standard errors, solid lines the fits, dashed"
        " lines the limit in the paper.",
    )


def run(c: Context) -> None:
    spheres = Spheres(c["side"], c["friction"], RESTITUTION, stiffness=SOFT)
    stages = [stage.shorter(c["strain"]) for stage in STAGES if stage.inertia >= c["slowest"]]
    flows = steady_shear.flows(c, spheres, stages, SEED, timeout=20000.0)
    table = summary(flows)
    c.table("stages", table, "Means and standard errors at each inertial number.")
    judge(c, table)
    tell(c, table)
    draw(c, table)
    if c["compare"]:
        stiffer = spheres._replace(stiffness=STIFF)
        stiff = summary(steady_shear.flows(c, stiffer, COMPARED, SEED + 2, timeout=20000.0))
        c.table(
            "stiffer",
            stiff,
            f"Means and standard errors for spheres {STIFF / SOFT:g} times as stiff.",
        )
        compare(c, table, stiff)


CASE = Case(
    name="frictionless-shear",
    title="Spheres without friction have an internal friction, but do not dilate",
    source="[peyneau2008]",
    tier="full",
    # strain: factor on the strain of each stage; compare: whether stiffer spheres are run too
    parameters={
        "friction": 0.0,
        "side": SIDE,
        "strain": 1.0,
        "slowest": STAGES[-1].inertia,
        "compare": True,
    },
    spoil={"friction": 0.05, "side": 6, "strain": 0.3, "slowest": 0.002, "compare": False},
    run=run,
    timeout=30000.0,
)
