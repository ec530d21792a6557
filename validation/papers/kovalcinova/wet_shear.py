"""Pressure, losses and nonaffine motion of a dry and of a wet granulate sheared in cycles.

The cell is described in `pysuite.validation.setups.shear_cell`. Each run gives a single value,
because the cycles of a run are not independent. E_bb is the energy lost by ruptured bridges, E_l
the sum of all other losses, and E_diss the sum of both.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import independent, statistics
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.references.bridges import Bridge
from pysuite.validation.setups import shear_cell
from pysuite.validation.setups.shear_cell import (
    ANGLE,
    FRICTION,
    LENGTH,
    SAMPLES,
    SHEAR_ANGLE,
    TENSION,
    VOLUME,
    Cycles,
    Granulate,
    Protocol,
    per_cycle,
)

# Packs settle at pressures of 0.04 to 0.4. At lower pressures, lids and dry grains separate; at
# higher pressures, overlaps exceed the paper's range.
LOADS = {"dry": (0.09, 0.19, 0.3), "wet": (0.1, 0.22, 0.36)}
ROUGH = "wet, friction of the dry"

LARGEST = 0.3  # largest pressure in the paper
# own choices: bounds on relative changes of pressure (K2, K27) and differences of losses (K9)
STEADY = 0.1
ALIKE = 0.5
SETTLED = (0.05, STEADY, 0.2)  # K27 is judged with each of these bounds


class Tier(NamedTuple):
    """Loads, number of packs of each kind under each load, and protocol of the shear."""

    loads: Mapping[str, Sequence[float]]
    dry: int
    wet: int  # wet packs sheared upwards first
    downwards: int  # wet packs sheared downwards first
    rough: int
    protocol: Protocol


TIERS = {
    "quick": Tier(
        {kind: (loads[0], loads[-1]) for kind, loads in LOADS.items()},
        *(8, 5, 0, 0),
        Protocol(pressed=5, settling=3, counted=3, period=100.0),
    ),
    "full": Tier(LOADS, *(7, 9, 7, 9), Protocol(pressed=6, settling=8, counted=6, period=150.0)),
}


class Run(NamedTuple):
    """A sheared pack."""

    kind: str
    load: float
    first: int  # 1 if sheared upwards first, -1 if downwards
    cycles: Cycles


def simulate(c: Context) -> list[Run]:
    tier = TIERS["full" if c.tier == "full" else "quick"]
    liquid = c["tension"], VOLUME, c["restitution"], c["stiffer"]
    granulates = {
        "dry": Granulate(FRICTION["dry"], stiffer=c["stiffer"]),
        "wet": Granulate(FRICTION["wet"] * c["friction"], *liquid),
        ROUGH: Granulate(FRICTION["dry"] * c["friction"], *liquid),
    }
    runs: list[Run] = []
    for kind, first, count in (
        ("dry", 1, tier.dry),
        ("wet", 1, tier.wet),
        ("wet", -1, tier.downwards),
        (ROUGH, 1, tier.rough),
    ):
        for load in np.repeat(tier.loads["dry" if kind == "dry" else "wet"], count):
            cycles = shear_cell.shear(
                c, granulates[kind], load, pack=len(runs), protocol=tier.protocol, first=first
            )
            runs.append(Run(kind, load, first, cycles))
    return runs


def tabulate(runs: list[Run]) -> pd.DataFrame:
    rows = [
        {
            "granulate": run.kind,
            "pressed with": run.load,
            "first": run.first,
            "pressure": run.cycles.pressure.mean(),
            "E_bb": per_cycle(run.cycles.ruptured).sum(axis=1).mean(),
            "E_l": per_cycle(run.cycles.lost).sum(axis=1).mean(),
            "work of lids": run.cycles.work.sum(),
            "work by the ledger": np.subtract(*run.cycles.ledger["residual"].iloc[[-1, 0]]),
            "D2min": run.cycles.nonaffine.mean(),
            "drift": drift(run.cycles),
            "peak upwards less downwards": run.first * asymmetry(run.cycles),
            "area of loop": run.first * area(run.cycles),
        }
        | {f"cycles to {bound:.0%}": settled(run.cycles, bound) for bound in SETTLED}
        for run in runs
    ]
    table = pd.DataFrame(rows)
    return table.assign(E_diss=table["E_bb"] + table["E_l"])


def drift(cycles: Cycles) -> float:
    """Return the pressure change over the evaluated cycles, from a line through their means."""
    means = per_cycle(cycles.pressure).mean(axis=1)
    return float(np.polyfit(np.arange(len(means)), means, 1)[0]) * len(means)


def settled(cycles: Cycles, bound: float) -> int:
    """Return the number of cycles after which the pressure stays near the final mean.

    `bound` is the largest relative difference from the final mean.
    """
    means = per_cycle(np.concatenate([cycles.settling, cycles.pressure])).mean(axis=1)
    away = np.abs(means / cycles.pressure.mean() - 1.0) > bound
    return int(np.flatnonzero(away)[-1]) + 1 if away.any() else 0


def asymmetry(cycles: Cycles) -> float:
    """Return the mean pressure peak in first halves of cycles minus that in second halves."""
    first, second = per_cycle(cycles.pressure).reshape(-1, 2, SAMPLES // 2).max(axis=2).T
    return float((0.5 * (first[1:] + first[:-1]) - second[:-1]).mean())


def area(cycles: Cycles) -> float:
    """Return the area of the mean loop of pressure against angle, divided by the largest angle."""
    mean = per_cycle(cycles.pressure).mean(axis=0)
    angle = shear_cell.angles() / SHEAR_ANGLE
    following = np.roll(mean, -1), np.roll(angle, -1)
    return float((0.5 * (mean + following[0]) * (following[1] - angle)).sum())


def run(c: Context) -> None:
    runs = simulate(c)
    table = tabulate(runs)
    c.table("runs", table, "Means over the evaluated cycles. Energies are per cycle.")
    c.note(f"Pressures of the settled packs: {pressures(table)}.")
    judge_balance(c, table)
    upwards = table[table["first"] == 1]
    dry, wet, rough = (upwards[upwards["granulate"] == kind] for kind in (*FRICTION, ROUGH))
    judge_losses(c, dry)
    judge_wet(c, dry, wet)
    if c.tier == "full" or c["stiffer"] != 1.0:
        judge_growth(c, dry, wet)
    if c.tier == "full":
        judge_lines(c, dry, wet, rough)
        judge_pressure(c, wet, table[table["first"] == -1])
    draw_pressure(c, runs)
    draw_losses(c, dry, wet, rough)


def pressures(table: pd.DataFrame) -> str:
    return "; ".join(
        f"{kind}, sheared {'upwards' if first > 0 else 'downwards'} first: {least:.2g} to"
        f" {largest:.2g}"
        for (kind, first), (least, largest) in table.groupby(["granulate", "first"])["pressure"]
        .agg(["min", "max"])
        .iterrows()
    )


def judge_balance(c: Context, table: pd.DataFrame) -> None:
    gap = (table["work by the ledger"] / table["work of lids"] - 1.0).abs()
    c.claim(
        "K21",
        "work of the lids from the ledger's residual / from the forces on the lids, minus 1:"
        " largest of all runs",
        statistics.numerical(gap.max(), 1e-3, "power at every fifth step"),
        equals=0.0,
        within=0.01,
        reason="sums over every fifth step omit the work of sound waves, some thousandths",
    )


def judge_losses(c: Context, dry: pd.DataFrame) -> None:
    c.check(
        "dry: slope of E_diss against pressure",
        measured=slope(dry, c.level),
        reference=0.0,
        kind="at_least",
        reason="figure 4: E_diss grows, because friction is proportional to the normal load",
    )


def at_levels(make: Callable[[float], Interval], level: float) -> Interval:
    return dataclasses.replace(make(level), at_level=make)


def slope(runs: pd.DataFrame, level: float) -> Interval:
    return statistics.slope(runs["pressure"], runs["E_diss"], level)


def steeper(these: pd.DataFrame, those: pd.DataFrame, level: float) -> Interval:
    return at_levels(lambda at: independent.difference(slope(these, at), slope(those, at)), level)


def crossing(these: pd.DataFrame, those: pd.DataFrame, level: float) -> Interval:
    """Return the pressure at which straight lines through the losses of two granulates cross.

    The interval follows from Fieller's theorem and may be unbounded.
    """

    def lines(pressure: float, level: float) -> Interval:
        one, other = (
            statistics.extrapolated(of["pressure"], of["E_diss"], 1, pressure, level)
            for of in (these, those)
        )
        return independent.difference(one, other)

    def make(level: float) -> Interval:
        at = np.array([0.0, 0.5 * LARGEST, LARGEST])
        apart = [lines(pressure, level) for pressure in at]
        incline, start = np.polyfit(at, [of.value for of in apart], 1)
        # (squared difference) - (its squared error) is a quadratic function of the pressure
        margin = [of.value**2 - (0.5 * (of.high - of.low)) ** 2 for of in apart]
        parabola = np.polyfit(at, margin, 2)
        ends = np.sort(np.roots(parabola).real) if parabola[0] > 0.0 else [-math.inf, math.inf]
        return Interval(-start / incline, *ends, apart[0].how)

    return at_levels(make, level)


def judge_growth(c: Context, dry: pd.DataFrame, wet: pd.DataFrame) -> None:
    c.check(
        "slope of E_diss against pressure, the smaller of dry and wet",
        measured=at_levels(
            lambda level: independent.extreme(min, [slope(dry, level), slope(wet, level)]), c.level
        ),
        reference=0.0,
        kind="at_least",
        reason="figure 4: E_diss grows for dry and for wet packs, with scatter",
    )
    told = []
    for kind, runs in (("dry", dry), ("wet", wet)):
        bend = statistics.bend(runs["pressure"], runs["E_diss"], c.level)
        c.undecidable(
            "K6",
            f"{kind}: E_diss against pressure, p-value of a straight line against a parabola",
            statistics.numerical(p_of(bend), 0.0, "t test of the quadratic term"),
            reason="the stiffness depends on the units of pressure, which the paper does not give",
        )
        usual, line = bend.at_level(0.95), slope(runs, 0.95)
        told.append(
            f"{kind}, slope {line.value:.2g} [{line.low:.2g}, {line.high:.2g}], change of the slope"
            f" {usual.value:.2g} [{usual.low:.2g}, {usual.high:.2g}]"
        )
    c.note(
        "Slope of a line fitted to E_diss against pressure, and change of the slope of a fitted"
        " parabola between the smallest and the largest pressure, with 95 % intervals:"
        f" {'; '.join(told)}."
    )


def judge_lines(c: Context, dry: pd.DataFrame, wet: pd.DataFrame, rough: pd.DataFrame) -> None:
    c.claim(
        "K7",
        "slope of E_diss against pressure: dry packs minus wet packs",
        steeper(dry, wet, c.level),
        at_least=0.0,
        reason="figure 4: the line of dry packs is steeper; the higher friction of dry packs alone"
        " gives 1.16 times the slope of wet packs",
    )
    judge_cause(c, dry, wet, rough)
    judge_no_pressure(c, dry, wet)
    firm = {
        kind: statistics.extrapolated(runs["pressure"], runs["E_diss"], 1, LARGEST, c.level)
        for kind, runs in (("dry", dry), ("wet", wet))
    }
    c.claim(
        "K9",
        f"straight lines, at pressure {LARGEST:g}: E_diss of dry packs / E_diss of wet packs",
        independent.quotient(firm["dry"], firm["wet"]),
        equals=1.0,
        within=ALIKE,
        reason=(
            "figure 4: the losses are similar; the paper gives no bound on the difference; a half"
            " is a choice"
        ),
    )
    judge_large_pressure(c, dry, wet)
    alike = crossing(dry, rough, c.level)
    c.note(
        "If wet packs have the friction of dry packs, the lines cross at a pressure of"
        f" {alike.value:.2g} [{alike.low:.2g}, {alike.high:.2g}] ({alike.how})."
    )


def judge_large_pressure(c: Context, dry: pd.DataFrame, wet: pd.DataFrame) -> None:
    reason = (
        "introduction: dry packs lose more at sufficiently large pressure; the paper gives no"
        " pressure, and beyond the pressures of the packs, the verdict depends on the fitted curve"
    )
    c.undecidable(
        "K10",
        "pressure at which the straight lines of the dry and the wet pack cross; no bounds if the"
        " slopes do not differ",
        crossing(dry, wet, c.level),
        reason=reason,
    )
    curved = {
        kind: statistics.extrapolated(runs["pressure"], runs["E_diss"], 2, LARGEST, c.level)
        for kind, runs in (("dry", dry), ("wet", wet))
    }
    c.undecidable(
        "K10",
        f"parabolas, at pressure {LARGEST:g}: E_diss of dry packs minus E_diss of wet packs",
        independent.difference(curved["dry"], curved["wet"]),
        reason=reason,
    )
    told = " and ".join(
        f"{of.value:.3g} [{of.low:.3g}, {of.high:.3g}] ({kind})" for kind, of in curved.items()
    )
    c.note(
        f"According to parabolas, packs lose {told} at pressure {LARGEST:g}. The largest pressure"
        f" of the dry packs is {dry['pressure'].max():.2g}."
    )


def judge_cause(c: Context, dry: pd.DataFrame, wet: pd.DataFrame, rough: pd.DataFrame) -> None:
    """Judge whether losses of wet packs grow more slowly because of their lower friction."""

    def friction_less_liquid(level: float) -> Interval:
        middle = slope(rough, level).mapped(lambda value: 2.0 * value)
        return independent.difference(
            independent.difference(middle, slope(wet, level)), slope(dry, level)
        )

    c.claim(
        "K22",
        "slope of E_diss against pressure: the part of dry minus wet that is due to friction, minus"
        " the part that remains at equal friction",
        at_levels(friction_less_liquid, c.level),
        at_least=0.0,
        reason="abstract: the cause is the lower friction; so the part due to friction is larger",
    )
    parts = steeper(rough, wet, c.level), steeper(dry, rough, c.level)
    of_friction, of_liquid = (f"{of.value:.2g} [{of.low:.2g}, {of.high:.2g}]" for of in parts)
    less = FRICTION["wet"] / FRICTION["dry"]
    c.note(
        "Differences of the slope of E_diss against pressure: wet packs with the friction of dry"
        f" packs minus wet packs, {of_friction}; dry packs minus wet packs with the friction of dry"
        f" packs, {of_liquid} ({parts[0].how}). If slopes were proportional to friction, the lower"
        f" friction would subtract {(1.0 - less) * slope(dry, c.level).value:.2g} from the slope of"
        f" the dry packs, which is {slope(dry, c.level).value:.2g}."
    )


def judge_no_pressure(c: Context, dry: pd.DataFrame, wet: pd.DataFrame) -> None:
    rest = {
        kind: statistics.extrapolated(runs["pressure"], runs["E_diss"], 1, level=c.level)
        for kind, runs in (("dry", dry), ("wet", wet))
    }
    words = "E_diss at zero pressure, by straight lines"
    c.check(
        f"wet: {words}",
        measured=rest["wet"],
        reference=0.0,
        kind="at_least",
        reason="figure 4: E_diss is not zero for wet grains",
    )
    c.check(
        f"wet packs minus dry packs: {words}",
        measured=independent.difference(rest["wet"], rest["dry"]),
        reference=0.0,
        kind="at_least",
        reason="figure 4: E_diss is about zero for dry grains",
    )
    curved = statistics.extrapolated(dry["pressure"], dry["E_diss"], 2, level=c.level)
    for form, found in (("a straight line", rest["dry"]), ("a parabola", curved)):
        c.undecidable(
            "K8",
            f"dry: E_diss at zero pressure, by {form}",
            found,
            reason=(
                "figure 4 shows about zero, without a number, at pressures too small for a"
                " measurement; the verdict depends on the fitted curve"
            ),
        )


def judge_wet(c: Context, dry: pd.DataFrame, wet: pd.DataFrame) -> None:
    parts = {
        load: statistics.mean(runs["E_bb"] / runs["E_diss"], c.level, of="runs")
        for load, runs in wet.groupby("pressed with")
    }
    part = "wet: fraction of the losses due to ruptures, under the"
    c.claim(
        "K12",
        f"{part} smallest load",
        parts[min(parts)],
        at_least=2.0 / 3.0,
        reason="summary: about two thirds at small pressures",
    )
    c.claim(
        "K24",
        f"{part} smallest load; the curves of figure 5 cross only if it exceeds 1/2",
        parts[min(parts)],
        at_least=0.5,
        reason="figure 5: E_bb exceeds all other losses together at small pressure",
    )
    c.claim(
        "K25",
        "wet: fraction of the losses not due to ruptures, under the smallest load",
        parts[min(parts)].mapped(lambda fraction: 1.0 - fraction),
        at_most=1.0 / 3.0,
        reason="summary: the remaining third is friction caused by cohesion",
    )
    c.check(
        f"{part} largest load",
        measured=parts[max(parts)],
        reference=0.5,
        kind="at_most",
        reason="figure 5: E_bb is less than all other losses together",
    )
    # logarithms, because the scatter is proportional to the value
    motion = {
        key: np.log(group["D2min"])
        for key, group in pd.concat([dry, wet]).groupby(["granulate", "pressed with"])
    }
    least, *_, most = (key for key in motion if key[0] == "wet")
    c.claim(
        "K15",
        "wet: logarithm of D2min, largest load minus smallest load",
        statistics.pooled(motion, {most: 1.0, least: -1.0}, c.level, of="packs"),
        at_most=0.0,
        reason="figure 7: D2min decreases with the pressure",
    )
    if c.tier == "full":
        c.claim(
            "K11",
            "wet: slope of the logarithm of E_bb against pressure",
            statistics.slope(wet["pressure"], np.log(wet["E_bb"]), c.level),
            at_most=0.0,
            reason="figure 5: E_bb decreases with the pressure",
        )
    bridge = Bridge(TENSION, math.radians(ANGLE), VOLUME, 0.5)
    one = float(bridge.simple_energy(bridge.rupture_distance))
    c.check(
        "wet: E_bb per cycle / energy of a bridge, smallest of all pressures",
        measured=wet["E_bb"].min() / one,
        reference=1.0,
        kind="at_least",
        reason="with less than one rupture per cycle, the packing would be effectively dry",
    )
    stroke = 4.0 * math.tan(SHEAR_ANGLE) * LENGTH * shear_cell.HEIGHT * FRICTION["wet"]
    slid = stroke * shear_cell.COHESION
    c.note(
        f"The energy lost when a bridge between mean grains breaks is {one:.3e}, in units of mass,"
        " diameter and collision time. If the whole pack slides, Coulomb's law gives a loss per"
        f" cycle of about {slid:.2g} at a pressure of {shear_cell.COHESION:g}, or"
        f" {slid * shear_cell.GRAVITY:.2g} if this pressure is in units of m g/d. The paper prints"
        " a loss of 5e-4."
    )


def judge_pressure(c: Context, upwards: pd.DataFrame, downwards: pd.DataFrame) -> None:
    both = pd.concat([upwards, downwards])
    c.claim(
        "K2",
        "wet: relative pressure change over the evaluated cycles, from a line through the means of"
        " cycles, root mean square of the runs",
        statistics.root_mean_square(both["drift"] / both["pressure"], c.level, of="runs"),
        at_most=STEADY,
        reason=(
            "figure 3a: the pressure is constant after about 20 cycles; the paper gives no bound on"
            " the change; a tenth of the mean is a choice"
        ),
    )
    peaks = "pressure peak upwards minus pressure peak downwards"
    first = "figure 3a: the peak is larger on the side sheared first; a drift cancels out"
    c.claim(
        "K3",
        f"wet, first sheared upwards: {peaks}",
        statistics.mean(upwards["peak upwards less downwards"], c.level, of="runs"),
        at_least=0.0,
        reason=first,
    )
    c.claim(
        "K4",
        f"wet, first sheared downwards: {peaks}",
        statistics.mean(downwards["peak upwards less downwards"], c.level, of="runs"),
        at_most=0.0,
        reason=first,
    )
    c.claim(
        "K5",
        "wet: area of the pressure-angle loop towards the side sheared first, in"
        " units of the largest angle",
        statistics.mean(both["first"] * both["area of loop"], c.level, of="runs"),
        at_least=0.0,
        reason="figure 3b shows hysteresis: the pressure is larger on the way to the larger peak",
    )

    each = [group for _, group in both.groupby("pressed with")]
    upper = "peak upwards less downwards"
    c.claim(
        "K23",
        "wet: pressure peak on the side sheared first minus the other peak, relative to the"
        " pressure, smallest of the loads",
        lowest(c, [of["first"] * of[upper] / of["pressure"] for of in each]),
        at_least=0.0,
        reason="section III A: the asymmetry is observed for all initial pressures",
    )
    c.claim(
        "K23",
        "wet: area of the pressure-angle loop towards the side sheared first, relative to the"
        " pressure, smallest of the loads",
        lowest(c, [of["first"] * of["area of loop"] / of["pressure"] for of in each]),
        at_least=0.0,
        reason="section III A: a hysteresis loop forms at all initial pressures",
    )
    judge_settling(c, each)


def lowest(c: Context, samples: Sequence[pd.Series]) -> Interval:
    def make(level: float) -> Interval:
        return independent.extreme(min, [statistics.mean(of, level, of="runs") for of in samples])

    return at_levels(make, c.level)


def judge_settling(c: Context, each: Sequence[pd.DataFrame]) -> None:
    differences, told = [], []
    for bound in SETTLED:
        column = f"cycles to {bound:.0%}"
        found = statistics.difference(each[0][column], each[-1][column], c.level, of="runs")
        sign = math.copysign(1.0, found.value)
        differences.append(found.mapped(lambda value, sign=sign: sign * value))
        means = ", ".join(f"{of[column].mean():.1f}" for of in each)
        told.append(f"{bound:.0%}: {means} (p = {p_of(found):.1g})")
    c.claim(
        "K27",
        "wet: cycles between fixed lids until the pressure is steady, difference between the"
        " smallest and the largest load; smallest difference for three bounds",
        independent.extreme(min, differences),
        at_least=0.0,
        reason=(
            "section III A: the number of cycles differs for each initial pressure; the paper does"
            f" not give the sign. The bounds, {', '.join(f'{bound:.0%}' for bound in SETTLED)}, are"
            " a choice"
        ),
    )
    c.note(
        "Cycles between fixed lids until the pressure of wet packs is steady, for each bound and"
        f" for the loads in ascending order: {'; '.join(told)}. The p-values refer to the"
        " hypothesis of no difference between the smallest and the largest load."
    )


def p_of(found: Interval) -> float:
    return statistics.p_value(found, lambda of: of.low > 0.0 or of.high < 0.0)


def draw_pressure(c: Context, runs: list[Run]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.0))
    wet = [run for run in runs if run.kind == "wet"]
    for run in wet[:: max(1, len(wet) // 6)]:
        pressure = np.concatenate([run.cycles.settling, run.cycles.pressure])
        way = "" if run.first == 1 else ", downwards first"
        time = (np.arange(len(pressure)) + 0.5) / SAMPLES
        left.plot(time, pressure, label=f"load {run.load:.2g}{way}", linewidth=0.8)
        angle = np.degrees(shear_cell.angles(2))
        right.plot(run.first * angle, run.cycles.pressure[-2 * SAMPLES :])
    left.set(xlabel="cycle between fixed lids", ylabel="pressure")
    right.set(xlabel="shear angle [degrees]", ylabel="pressure")
    left.legend(fontsize=7)
    c.figure(
        "pressure", figure, "Pressure of wet packs, in all cycles and in the last two (figure 3)."
    )


def draw_losses(c: Context, dry: pd.DataFrame, wet: pd.DataFrame, rough: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(14.0, 4.0))
    for runs, style, kind in ((dry, "ks", "dry"), (wet, "ro", "wet"), (rough, "m+", ROUGH)):
        axes[0].plot(runs["pressure"], runs["E_diss"], style, label=kind)
    axes[1].plot(wet["pressure"], wet["E_bb"], "bo", label="$E_{bb}$, ruptures")
    axes[1].plot(wet["pressure"], wet["E_l"], "r^", label="$E_l$, all other")
    axes[2].plot(wet["pressure"], wet["D2min"], "go")
    for axis, label in zip(axes, ("$E_{diss}$", "energy", "$D^2_{min}$"), strict=True):
        axis.set(xlabel="pressure", ylabel=label, xlim=(0.0, None), ylim=(0.0, None))
    axes[0].legend()
    axes[1].legend()
    c.figure("energies", figure, "Losses per cycle and nonaffine motion (figures 4, 5 and 7).")


CASE = Case(
    name="wet-shear",
    title="Pressure, losses and nonaffine motion of a sheared dry and wet granulate",
    source="[kovalcinova2018]",
    tier="quick",
    # friction: factor on the friction of wet grains; stiffer: factor on the stiffness of all grains
    parameters={
        "tension": TENSION,
        "friction": 1.0,
        "restitution": shear_cell.RESTITUTION,
        "stiffer": 1.0,
    },
    spoil={"tension": 1e-6},
    planted={
        "K12": {"friction": 0.0, "restitution": 1.0},
        "K24": {"friction": 0.0, "restitution": 1.0},
        "K25": {"friction": 0.0, "restitution": 1.0},
    },
    run=run,
    timeout=8 * 3600.0,
)
