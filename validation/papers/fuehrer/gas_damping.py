"""Does a gas of rough spheres cool too slowly with the D-SDS? It depends on the tangential dashpot.

The same gases, of linear contacts, cool with D-SDS and C-SDS, for several ratios of tangential to
normal damping and several frictions. With as much tangential as normal damping, which is what most
scripts have, a gas of friction 1 cools faster with the D-SDS; only where the tangential dashpot is
several times the normal one does the energy that the D-SDS creates outweigh what its springs,
thrown the wrong way, take from the slip. Diameter and mass of a sphere are 1.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.setups.cooling_gas import Cooling, Gases

SPHERES = 1000
PACKING_FRACTION = 0.03
RESTITUTION = 0.6
STIFFNESS_RATIO = 2.0 / 7.0
FRICTION = 1.0
DAMPINGS = {"quick": (1.0, 10.0), "full": (0.5, 1.0, 3.0, 5.0, 10.0)}
FRICTIONS = {"quick": (FRICTION,), "full": (0.1, 0.3, FRICTION)}
JUDGED, SHOWN = 64, 12  # gases where the claim is judged, and elsewhere
CONTACT_TIME = 0.02  # of the mean free time of about 2
RESOLUTION = 40
END = 8.0
SAMPLES = 24


class Point(NamedTuple):
    """The same gases with both sliders, energies at the end over those at the start."""

    damping: float  # tangential over normal
    friction: float
    ours: Gases
    theirs: Gases

    def logarithm(self, part: str) -> np.ndarray:
        """Return that of an energy left with the D-SDS over that with the C-SDS, of each gas."""
        return np.log(getattr(self.theirs, part)[:, -1] / getattr(self.ours, part)[:, -1])

    def interval(self, part: str = "energy", level: float = statistics.ALONE) -> Interval:
        """Return the mean of that of all gases."""
        return statistics.mean(self.logarithm(part), level, "gases")


@functools.cache
def simulate(c: Context, slider: str, damping: float, friction: float, number: int) -> np.ndarray:
    """Return translational and rotational energy over that at the start, (2, samples)."""
    stiffness = 0.5 * (np.pi / CONTACT_TIME) ** 2
    law = (
        f"hooke {stiffness:.17g} {RESTITUTION} damping coeff_restitution tangential linear_history"
        f" {STIFFNESS_RATIO * stiffness:.17g} {damping} {friction} limit_damping slider {slider}"
    )
    step = CONTACT_TIME / RESOLUTION
    cooling = Cooling(SPHERES, PACKING_FRACTION, step, END, SAMPLES, places=6700, velocities=7100)
    return cooling.simulate(c, "granular/plus", law, number)


def measure(c: Context, damping: float, friction: float, gases: int) -> Point:
    ours, theirs = (
        Gases(*np.stack([simulate(c, s, damping, friction, n + 1) for n in range(gases)], axis=1))
        for s in (c["slider"], "dsds")
    )
    return Point(damping, friction, ours, theirs)


def judge(c: Context, ordinary: Point, strong: Point) -> None:
    c.claim(
        "F13",
        f"x_gamma = {ordinary.damping:g}, friction {ordinary.friction:g}: logarithm of the energy"
        " left with the D-SDS over that with the C-SDS",
        ordinary.interval(level=c.level),
        at_least=0.0,
        reason="a gas that cools too slowly has more energy left",
    )
    c.check(
        f"x_gamma = {strong.damping:g}, friction {strong.friction:g}: the same",
        measured=strong.interval(level=c.level),
        reference=0.0,
        kind="at_least",
        reason="created energy stays where the tangential dashpot is far stronger than the normal",
    )


def tabulate(points: list[Point]) -> pd.DataFrame:
    rows = []
    for point in points:
        row = {"friction": point.friction, "x_gamma": point.damping}
        row |= {
            "gases": len(point.ours.energy),
            "energy left, C-SDS": point.ours.energy[:, -1].mean(),
        }
        for part in ("energy", "translation", "rotation"):
            found = point.interval(part)
            row |= {f"ln D/C, {part}": found.value, f"±, {part}": found.high - found.value}
        rows.append(row)
    return pd.DataFrame(rows)


def told(points: list[Point]) -> str:
    """Return what the D-SDS does to a gas of each friction, over the damping."""
    texts = []
    for friction in sorted({point.friction for point in points}):
        line = [point for point in points if point.friction == friction]
        below = [point.damping for point in line if point.interval().high < 0.0]
        above = [point.damping for point in line if point.interval().low > 0.0]
        unseen = [p.interval() for p in line if p.interval().low <= 0.0 <= p.interval().high]
        parts = []
        if below:
            parts.append(f"a gas cools too fast at x_gamma = {', '.join(f'{x:g}' for x in below)}")
        elif unseen:
            # half of the widest interval that holds 0
            limit = 50.0 * max(found.high - found.low for found in unseen)
            parts.append(f"no difference of more than {limit:.1f} % is seen at low x_gamma")
        if above:
            parts.append(f"a gas cools too slowly from {min(above):g} on")
        texts.append(f"With friction {friction:g} {', and '.join(parts)}.")
    return " ".join(texts)


def draw(points: list[Point]) -> Figure:
    figure, (axis,) = panels(1, height=4.2)
    for number, friction in enumerate(sorted({point.friction for point in points})):
        line = [point for point in points if point.friction == friction]
        found = [point.interval() for point in line]
        x = np.array([point.damping for point in line]) * (1.0 + 0.02 * (number - 1))
        y = 100.0 * np.expm1([each.value for each in found])
        ends = [100.0 * np.expm1([getattr(each, end) for each in found]) for end in ("low", "high")]
        bars = [y - ends[0], ends[1] - y]
        axis.errorbar(x, y, bars, fmt="o-", mfc="none", capsize=3, label=f"friction {friction:g}")
    axis.axhline(0.0, color="0.5", linewidth=0.8)
    axis.set(xscale="log", xlabel=r"$x_\gamma$: tangential over normal damping")
    axis.set(ylabel="energy left, D-SDS over C-SDS, less 1 [%]")
    ticks = sorted({point.damping for point in points})
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
    axis.minorticks_off()
    axis.legend(fontsize=8)
    return figure


def run(c: Context) -> None:
    ordinary = measure(c, c["damping"], FRICTION, JUDGED)
    tier = "full" if c.tier == "full" else "quick"
    points = [
        ordinary
        if (damping, friction) == (c["damping"], FRICTION)
        else measure(c, damping, friction, SHOWN)
        for friction in FRICTIONS[tier]
        for damping in DAMPINGS[tier]
    ]
    judge(c, ordinary, points[-1])
    c.table("ends", tabulate(points), "Energies left, D-SDS over C-SDS, with intervals of 95 %.")
    c.note(f"Tangential over normal damping, x_gamma, and friction decide. {told(points)}")
    c.figure("damping", draw(points), "How the D-SDS errs in the energy of a gas, 95 % intervals.")


CASE = Case(
    name="gas-damping",
    title="With friction 1 and equal damping a gas cools too fast with the D-SDS; too slowly where"
    " tangential damping is several times the normal one",
    source="[fuehrer2024] conclusions",
    tier="quick",
    parameters={"slider": "csds", "damping": 1.0},
    spoil={"slider": "dsds"},
    planted={"F13": {"damping": 10.0}},
    run=run,
    timeout=7200.0,
)
