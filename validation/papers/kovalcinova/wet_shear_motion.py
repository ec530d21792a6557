"""Nonaffine motion in sheared granulates: within a cycle, without friction, with stiff grains.

The cell is described in `pysuite.validation.setups.shear_cell`. E_bb is the loss by ruptured
bridges. D2min measures nonaffine motion.

The printed rupture distance and volume of the bridges contradict each other: bridges of the printed
volume rupture at four times the printed distance. The case simulates bridges with the printed
rupture distance and bridges with the printed volume.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from pysuite import independent, statistics
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.setups import shear_cell
from pysuite.validation.setups.shear_cell import (
    FRICTION,
    SAMPLES,
    SHEAR_ANGLE,
    SMALL_VOLUME,
    TENSION,
    Cycles,
    Granulate,
    Protocol,
)

LOADS = (0.1, 0.4)
SEGMENTS = 9  # segments of the shear angle, as in the paper
PROTOCOL = Protocol(pressed=5, settling=3, counted=4, period=100.0)
AS_PRINTED = PROTOCOL._replace(counted=15)  # the figures average over 15 cycles
SHORT, LONG = "bridges of the printed length", "bridges of the printed volume"
STIFFER, STIFF = "wet, stiffer", 2.0
PACKS = 15  # packs of short bridges
STIFF_PACKS = 20  # more packs, because packs of stiff grains differ more from each other

Cells = Sequence[list[Cycles]]


def granulates(c: Context) -> dict[str, Granulate]:
    smooth = {"restitution": 1.0}
    friction, restitution = FRICTION["wet"] * c["friction"], c["restitution"]
    wet = {SHORT: Granulate(friction, TENSION, c["volume"], restitution)}
    if c.tier != "full":
        return wet
    return wet | {
        LONG: Granulate(friction, TENSION, restitution=restitution),
        STIFFER: Granulate(FRICTION["wet"], TENSION, stiffer=STIFF),
        "wet, without friction": Granulate(0.0, TENSION),
        "wet, without friction and elastic": Granulate(0.0, TENSION, **smooth),
        "dry": Granulate(FRICTION["dry"]),
        "dry, without friction": Granulate(0.0),
        "dry, without friction and elastic": Granulate(0.0, **smooth),
    }


def simulate(c: Context) -> dict[str, list[Cycles]]:
    return {
        name: [
            shear_cell.shear(
                c,
                granulate,
                load,
                pack=n,
                protocol=AS_PRINTED if c.tier == "full" and name in (SHORT, LONG) else PROTOCOL,
                parts=SEGMENTS if name in (SHORT, LONG) else 0,
            )
            for n, load in packs(name)
        ]
        for name, granulate in granulates(c).items()
    }


def packs(name: str) -> list[tuple[int, float]]:
    if name == STIFFER:
        return list(enumerate(np.linspace(*LOADS, STIFF_PACKS), PACKS))
    every = list(enumerate(np.linspace(*LOADS, PACKS)))
    return every if name == SHORT else every[::2]


def segments(cycles: Cycles) -> pd.DataFrame:
    """Return E_bb and D2min in each segment of the shear angle, divided by their means."""
    edges = np.linspace(-SHEAR_ANGLE, SHEAR_ANGLE, SEGMENTS + 1)
    angle = shear_cell.angles(len(cycles.nonaffine) // shear_cell.SAMPLES)
    place = np.clip(np.digitize(angle, edges) - 1, 0, SEGMENTS - 1)
    frame = pd.DataFrame({"place": place, "E_bb": cycles.ruptured, "D2min": cycles.nonaffine})
    mean = frame.groupby("place").mean()
    mean.index = pd.Index(0.5 * (edges[1:] + edges[:-1])[mean.index], name="angle")
    return mean / mean.mean()


def motion(cycles: list[Cycles]) -> np.ndarray:
    return np.array([of_one.nonaffine.mean() for of_one in cycles])


def pressure(cycles: list[Cycles]) -> np.ndarray:
    return np.array([of_one.pressure.mean() for of_one in cycles])


def agitation(cycles: list[Cycles]) -> np.ndarray:
    """Return the mean kinetic energy of each pack at the reversals of the lids."""
    turn = slice(SAMPLES // 4, None, SAMPLES // 2)
    return np.array([of_one.ledger["kinetic_translation"].iloc[turn].mean() for of_one in cycles])


def run(c: Context) -> None:
    found = simulate(c)
    c.table(
        "packs",
        pd.DataFrame(
            {"granulate": name, "pressure": p, "D2min": d}
            for name, cycles in found.items()
            for p, d in zip(pressure(cycles), motion(cycles), strict=True)
        ),
        "Means over the evaluated cycles.",
    )
    judge_cycle(c, found)
    judge_pressure(c, found[SHORT])
    if c.tier == "full":
        judge_grains(c, found)
    draw(c, found)


def following(cycles: list[Cycles]) -> np.ndarray:
    """Return, for each pack, Fisher's z of the correlation of E_bb and D2min."""
    each = [np.corrcoef(of["E_bb"], of["D2min"])[0, 1] for of in map(segments, cycles)]
    return np.arctanh(each)


def follows(cycles: list[Cycles], level: float) -> Interval:
    return statistics.mean(following(cycles), level, of="packs").mapped(math.tanh)


def follows_at(cycles: list[Cycles], at: float, level: float) -> Interval:
    z = statistics.extrapolated(pressure(cycles), following(cycles), 1, at, level)
    return z.mapped(math.tanh)


def flatter(of: pd.Series) -> float:
    """Return D2min with nearly flat lids minus D2min at other times, divided by the mean."""
    flat = np.abs(of.index) < 0.5 * SHEAR_ANGLE
    return float((of[flat].mean() - of[~flat].mean()) / of.mean())


def by_strain(cycles: Cycles) -> pd.Series:
    edges = np.linspace(-SHEAR_ANGLE, SHEAR_ANGLE, SEGMENTS + 1)
    return pd.Series(cycles.strained.mean(axis=0), 0.5 * (edges[1:] + edges[:-1]))


def smallest(make: Callable[[list[Cycles], float], Interval], c: Context, each: Cells) -> Interval:
    """Return the smaller of the values that `make` gives for the two kinds of bridges."""

    def at(level: float) -> Interval:
        return independent.extreme(min, [make(cycles, level) for cycles in each])

    return dataclasses.replace(at(c.level), at_level=at)


def judge_cycle(c: Context, found: dict[str, list[Cycles]]) -> None:
    each = [found[name] for name in (SHORT, LONG) if name in found]
    for name in (SHORT, LONG):
        if name in found:
            shares = [of.ruptured.sum() / (of.ruptured + of.lost).sum() for of in found[name]]
            correlation = follows(found[name], c.level)
            c.note(
                f"{name}: ruptures cause {min(shares):.1%} to {max(shares):.1%} of a pack's"
                f" losses, and their correlation with D2min is {correlation.value:.2f}"
                f" [{correlation.low:.2f}, {correlation.high:.2f}] ({correlation.how})."
            )
    c.check(
        f"{SHORT}: correlation of E_bb and D2min over the segments of a cycle, mean of the packs",
        measured=follows(found[SHORT], c.level),
        reference=0.0,
        kind="at_least",
        reason="figure 6: E_bb and D2min are clearly correlated; the interval accounts for scatter",
    )
    judge_flat(c, each)
    if c.tier != "full":
        return
    c.claim(
        "K13",
        "correlation of E_bb and D2min over the segments of a cycle, mean of the packs; the smaller"
        " value for the two kinds of bridges",
        smallest(follows, c, each),
        at_least=0.0,
        reason="figure 6: E_bb and D2min are clearly correlated; the interval accounts for scatter",
    )
    ends = [float(of(pressure(cycles))) for cycles in each for of in (np.min, np.max)]
    c.claim(
        "K26",
        "correlation of E_bb and D2min over the segments of a cycle, at the smallest and the"
        f" largest pressure of the packs, {min(ends):.2g} and {max(ends):.2g}; the smallest"
        " value for the two pressures and the two kinds of bridges",
        smallest(
            lambda cycles, level: independent.extreme(
                min,
                [follows_at(cycles, at(pressure(cycles)), level) for at in (np.min, np.max)],
            ),
            c,
            each,
        ),
        at_least=0.0,
        reason="section III C: a similar correlation is seen at other pressures",
    )


def judge_flat(c: Context, each: Cells) -> None:
    def excess(motion_of: Callable[[Cycles], pd.Series]) -> Interval:
        def make(cycles: list[Cycles], level: float) -> Interval:
            return statistics.mean([flatter(motion_of(of)) for of in cycles], level, of="packs")

        return smallest(make, c, each)

    words = "D2min of equal {} in the segments with nearly flat lids (below half the largest angle)"
    less = "minus D2min in the others, divided by the mean; the smaller for two kinds of bridges"
    c.claim(
        "K14",
        f"{words.format('times')} {less}",
        excess(lambda of: segments(of)["D2min"]),
        at_least=0.0,
        reason="figure 6: D2min is largest with flat lids, when the shearing speed is largest",
    )
    strained = excess(by_strain)
    c.note(
        f"{words.format('changes of the angle')} {less}: {strained.value:.2f}"
        f" [{strained.low:.2f}, {strained.high:.2f}] ({strained.how}). The speed of the lids"
        " has no direct effect on this quantity."
    )


def judge_pressure(c: Context, cycles: list[Cycles]) -> None:
    p = pressure(cycles)
    ruptures = np.array([of.ruptured.sum() for of in cycles])
    shares = ruptures / [(of.ruptured + of.lost).sum() for of in cycles]
    low = f"{SHORT}: fraction of the losses due to ruptures, at the smallest pressure of the packs"
    share = statistics.extrapolated(p, shares, 1, p.min(), c.level)
    c.claim("K12", low, share, at_least=2.0 / 3.0, reason="summary: about two thirds")
    c.claim(
        "K24",
        f"{low}; the curves of figure 5 cross only if it exceeds 1/2",
        share,
        at_least=0.5,
        reason="figure 5: E_bb exceeds all other losses together at small pressure",
    )
    if c.tier != "full":
        return
    c.claim(
        "K11",
        f"{SHORT}: slope of the logarithm of E_bb against pressure",
        statistics.slope(p, np.log(ruptures), c.level),
        at_most=0.0,
        reason="figure 5: E_bb decreases with the pressure",
    )
    c.claim(
        "K15",
        f"{SHORT}: slope of the logarithm of D2min against pressure",
        statistics.slope(p, np.log(motion(cycles)), c.level),
        at_most=0.0,
        reason="figure 7: D2min decreases with the pressure",
    )


def judge_grains(c: Context, found: dict[str, list[Cycles]]) -> None:
    judge_friction(c, found)
    exponent = {
        name: statistics.slope(np.log(pressure(found[name])), np.log(motion(found[name])), c.level)
        for name in (STIFFER, LONG)
    }
    c.claim(
        "K17",
        f"exponent of D2min against pressure, grains {STIFF:g} times as stiff",
        exponent[STIFFER],
        at_most=0.0,
        reason="section III C: D2min decreases, whatever the stiffness",
    )
    losses = [
        np.mean([(of_one.ruptured + of_one.lost).mean() for of_one in found[name]])
        for name in (STIFFER, LONG)
    ]
    told = [f"{of.value:.2f} [{of.low:.2f}, {of.high:.2f}]" for of in exponent.values()]
    c.note(
        f"The exponent of D2min against pressure is {told[0]} for grains {STIFF:g} times as stiff,"
        f" and {told[1]} for grains of the printed stiffness. The stiffer grains lose"
        f" {losses[0] / losses[1]:.2f} times as much energy, because their contacts store less"
        " and slide more for the same displacement."
    )


def judge_friction(c: Context, found: dict[str, list[Cycles]]) -> None:
    """Judge grains without friction.

    Runs with elastic grains show the contribution of agitation to D2min at a given kinetic energy.
    """
    _, loads = np.transpose(packs("dry"))
    middle = float(np.mean(LOADS))
    heated, agitated = [], []
    for kind, usual in (("wet", LONG), ("dry", "dry")):
        smooth, gas = (
            found[f"{kind}, {other}"]
            for other in ("without friction", "without friction and elastic")
        )
        thermal = agitation(smooth) * (motion(gas).mean() / agitation(gas).mean())
        c.claim(
            "K16",
            f"{kind}, without friction: (D2min minus D2min of agitation) / D2min with friction, at"
            " the middle load",
            statistics.extrapolated(
                loads,
                np.log((motion(smooth) - thermal) / motion(found[usual])),
                1,
                middle,
                c.level,
            ).mapped(math.exp),
            at_least=1.0,
            reason="section III C: D2min is significantly larger without friction",
        )
        agitated.append(f"{np.mean(thermal / motion(smooth)):.0%} ({kind})")
        heated.append(f"{np.mean(motion(gas) / motion(found[usual])):.0f} ({kind})")
    c.note(
        f"Elastic grains without friction have {' and '.join(heated)} times the D2min of grains"
        " with friction. Only ruptured bridges dissipate the work done by the lids on elastic"
        " grains, so these grains move like a gas. The motion of elastic grains is not due to shear"
        " and is not judged. Inelastic grains without friction are also agitated: these grains"
        " retain some kinetic energy when the lids reverse. Elastic grains with the same kinetic"
        f" energy have {' and '.join(agitated)} of the measured D2min. This part is subtracted."
    )


def draw(c: Context, found: dict[str, list[Cycles]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(15.0, 4.0))
    for axis, cycles in zip(axes, (found[SHORT][0], found[SHORT][-1]), strict=False):
        mean = segments(cycles)
        axis.plot(np.degrees(mean.index), mean["E_bb"], "bo-", label="$E_{bb}$")
        axis.plot(np.degrees(mean.index), mean["D2min"], "g^--", label="$D^2_{min}$")
        axis.set(
            xlabel="shear angle [degrees]",
            ylabel="relative to the mean of a cycle",
            title=f"{SHORT}, pressure {cycles.pressure.mean():.2f}",
        )
        axis.legend()
    for name, cycles in found.items():
        axes[2].semilogy(pressure(cycles), motion(cycles), "o", mfc="none", label=name)
    axes[2].set(xlabel="pressure", ylabel="$D^2_{min}$")
    axes[2].legend(fontsize=7)
    figure.tight_layout()
    c.figure("motion", figure, "Ruptures and nonaffine motion against shear angle (figure 6).")


CASE = Case(
    name="wet-shear-motion",
    title=(
        "Nonaffine motion of a sheared granulate, and effects of ruptures, friction and stiffness"
    ),
    source="[kovalcinova2018]",
    tier="quick",
    # friction: factor on the friction of wet grains
    parameters={
        "volume": SMALL_VOLUME,
        "friction": 1.0,
        "restitution": shear_cell.RESTITUTION,
    },
    spoil={"volume": shear_cell.VOLUME},
    planted={
        "K12": {"friction": 0.0, "restitution": 1.0},
        "K24": {"friction": 0.0, "restitution": 1.0},
    },
    run=run,
    timeout=4 * 3600.0,
)
