"""Nonaffine motion of the sheared granulate: in the course of a cycle, and of other grains.

The cell is that of `pysuite.setups.shear_cell`, each run with a pressure and a pack of its own.
Ruptures follow the motion where bridges are as short as the paper prints; the volume that it prints
gives bridges four times as long, and these hardly do.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context, intervals
from pysuite.setups import shear_cell
from pysuite.setups.shear_cell import (
    FRICTION,
    SHEAR_ANGLE,
    SMALL_VOLUME,
    TENSION,
    Cycles,
    Granulate,
    Protocol,
)

LOADS = (0.1, 0.4)
SEGMENTS = 9  # of the way between the two largest shear angles, as in the paper
PROTOCOL = Protocol(pressed=5, settling=3, counted=4, period=100.0)
SHORT, LONG = "bridges of the length printed", "bridges of the volume printed"
STIFFER, STIFF = "wet, stiffer", 2.0
PACKS = 8  # of each granulate, their loads spread evenly
MORE = {SHORT: 16, STIFFER: 20}  # where packs differ more


def granulates(c: Context) -> dict[str, Granulate]:
    """Those that are sheared in this tier; all of one tension."""
    smooth = {"restitution": 1.0}
    wet = {SHORT: Granulate(FRICTION["wet"], TENSION, c["volume"])}
    if c.tier != "full":
        return wet
    return wet | {
        LONG: Granulate(FRICTION["wet"], TENSION),
        STIFFER: Granulate(FRICTION["wet"], TENSION, stiffer=STIFF),
        "wet, without friction": Granulate(0.0, TENSION),
        "wet, without friction and elastic": Granulate(0.0, TENSION, **smooth),
        "dry": Granulate(FRICTION["dry"]),
        "dry, without friction": Granulate(0.0),
        "dry, without friction and elastic": Granulate(0.0, **smooth),
    }


def simulate(c: Context) -> dict[str, list[Cycles]]:
    """Return for each granulate the cycles of its packs, the first pressed least."""
    return {
        name: [
            shear_cell.shear(c, granulate, load, pack=n, protocol=PROTOCOL)
            for n, load in enumerate(np.linspace(*LOADS, MORE.get(name, PACKS)))
        ]
        for name, granulate in granulates(c).items()
    }


def segments(cycles: Cycles) -> pd.DataFrame:
    """Means over equal segments of the shear angle, by the mean of all."""
    edges = np.linspace(-SHEAR_ANGLE, SHEAR_ANGLE, SEGMENTS + 1)
    angle = shear_cell.angles(len(cycles.nonaffine) // shear_cell.SAMPLES)
    place = np.clip(np.digitize(angle, edges) - 1, 0, SEGMENTS - 1)
    frame = pd.DataFrame({"place": place, "E_bb": cycles.ruptured, "D2min": cycles.nonaffine})
    mean = frame.groupby("place").mean()
    mean.index = pd.Index(0.5 * (edges[1:] + edges[:-1])[mean.index], name="angle")
    return mean / mean.mean()


def motion(cycles: list[Cycles]) -> np.ndarray:
    """Mean D2min of each pack."""
    return np.array([of_one.nonaffine.mean() for of_one in cycles])


def pressure(cycles: list[Cycles]) -> np.ndarray:
    """Mean pressure of each pack."""
    return np.array([of_one.pressure.mean() for of_one in cycles])


def run(c: Context) -> None:
    found = simulate(c)
    c.table(
        "packs",
        pd.DataFrame(
            {"granulate": name, "pressure": p, "D2min": d}
            for name, cycles in found.items()
            for p, d in zip(pressure(cycles), motion(cycles), strict=True)
        ),
        "Means over the cycles that count.",
    )
    judge_cycle(c, found)
    if c.tier == "full":
        judge_grains(c, found)
    draw(c, found)


def follows(cycles: list[Cycles]) -> intervals.Interval:
    """Correlation of ruptures and motion over the segments of a cycle, mean of the packs.

    The segments of one pack are not independent of each other: packs are, by Fisher's z.
    """
    each = [np.corrcoef(of["E_bb"], of["D2min"])[0, 1] for of in map(segments, cycles)]
    return intervals.mean(np.arctanh(each), of="packs").mapped(math.tanh)


def judge_cycle(c: Context, found: dict[str, list[Cycles]]) -> None:
    """Figure 6: what happens in the course of a cycle."""
    c.claim(
        "K13",
        f"{SHORT}: correlation of E_bb and D2min over the segments of a cycle, mean of the packs",
        follows(found[SHORT]),
        at_least=0.0,
        reason="figure 6: they clearly go together; the scatter is in the interval",
    )
    if LONG in found:
        of_long = follows(found[LONG])
        c.not_reproduced(
            "Figure 6 of Kovalcinova et al. shows ruptures that follow the nonaffine motion. With"
            " the rupture distance printed, 0.05, they do; with the volume printed,"
            f" {shear_cell.VOLUME:g}, the correlation is {of_long.value:.2f}, between"
            f" {of_long.low:.2f} and {of_long.high:.2f}."
        )
    flat = [
        segments(of_one)["D2min"].pipe(
            lambda of: (
                of[np.abs(of.index) < 0.5 * SHEAR_ANGLE].mean()
                - of[np.abs(of.index) >= 0.5 * SHEAR_ANGLE].mean()
            )
        )
        for of_one in found[SHORT]
    ]
    c.claim(
        "K14",
        "D2min of the segments with the lids flat, less that of the others, over the mean",
        intervals.mean(flat, c.level, of="packs"),
        at_least=0.0,
        reason="figure 6: largest there",
    )


def judge_grains(c: Context, found: dict[str, list[Cycles]]) -> None:
    """What the paper says of other grains, the same packs under the same loads."""
    base = {"wet": motion(found[LONG]), "dry": motion(found["dry"])}
    loads, middle = np.linspace(*LOADS, PACKS), float(np.mean(LOADS))
    heated = []
    for kind, usual in base.items():
        more = {
            other: intervals.extrapolated(
                loads,
                np.log(motion(found[f"{kind}, {other}"]) / usual),
                1,
                middle,
                c.level,
            ).mapped(math.exp)
            for other in ("without friction", "without friction and elastic")
        }
        c.claim(
            "K16",
            f"{kind}, without friction: D2min over that with it, at the middle load",
            more["without friction"],
            at_least=1.0,
            reason="section III C: significantly larger",
        )
        heated.append(f"{more['without friction and elastic'].value:.0f} ({kind})")
    c.note(
        f"Elastic grains without friction have {' and '.join(heated)} times the D2min of usual"
        " ones. Nothing takes the work of the lids from them but the ends of bridges, so that they"
        " move as a gas does: this says nothing of the shear, and is not judged."
    )
    exponent = {
        name: intervals.slope(np.log(pressure(found[name])), np.log(motion(found[name])), c.level)
        for name in (STIFFER, LONG)
    }
    off = exponent[STIFFER].value - exponent[LONG].value
    half = math.hypot(*(0.5 * (each.high - each.low) for each in exponent.values()))
    c.claim(
        "K17",
        f"exponent of D2min over pressure: grains {STIFF:g} times as stiff less usual ones, over"
        " that of the usual ones",
        intervals.Interval(off, off - half, off + half, exponent[STIFFER].how).mapped(
            lambda difference: difference / exponent[LONG].value
        ),
        equals=0.0,
        within=1.0,
        reason="section III C: the trend is not influenced; by less than itself at least",
    )
    losses = [
        np.mean([(of_one.ruptured + of_one.lost).sum() for of_one in found[name]])
        for name in (STIFFER, LONG)
    ]
    c.note(
        f"Grains twice as stiff lose {losses[0] / losses[1]:.2f} times as much: of the same"
        " displacement less is stored in the contacts and more slides."
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
            ylabel="over the mean of a cycle",
            title=f"{SHORT}, pressure {cycles.pressure.mean():.2f}",
        )
        axis.legend()
    for name, cycles in found.items():
        axes[2].semilogy(pressure(cycles), motion(cycles), "o", mfc="none", label=name)
    axes[2].set(xlabel="pressure", ylabel="$D^2_{min}$")
    axes[2].legend(fontsize=7)
    figure.tight_layout()
    c.figure("motion", figure, "Ruptures and nonaffine motion over the shear angle (figure 6).")


CASE = Case(
    name="wet-shear-motion",
    title="Nonaffine motion of a sheared granulate, the ruptures that follow it, and other grains",
    source="[kovalcinova2018]",
    tier="quick",
    parameters={"volume": SMALL_VOLUME},
    spoil={"volume": shear_cell.VOLUME},
    run=run,
    timeout=4 * 3600.0,
)
