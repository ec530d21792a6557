"""With D-SDS, the granular temperature of a gas of rough spheres falls too slowly.

The paper prints the tangential dashpot, gamma = 2 (m k)^(1/2), but does not define m. The mass m
may be the effective mass of the pair, or the effective mass of a contact point, which is 2/7 of the
former. The case judges both possibilities. With D-SDS, springs loaded in the wrong direction reduce
the spin. Diameter and mass of a sphere are 1.
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
from pysuite.validation.references import impact
from pysuite.validation.setups.cooling_gas import Cooling, Gases

SPHERES = 1000
PACKING_FRACTION = 0.03
RESTITUTION = 0.6
ELASTIC = 0.9
STIFFNESS_RATIO = 2.0 / 7.0
FRICTION = 1.0
POINT = 2.0 / 7.0  # effective mass of two contact points / effective mass of the spheres
STRONG = 10.0  # tangential / normal damping
DAMPINGS = (0.5, 1.0, 3.0, 5.0, STRONG)
FRICTIONS = (0.1, 0.3, FRICTION)
# numbers of gases: MANY for the total energy, SOME for the temperature, SHOWN for other settings
MANY, SOME, SHOWN = 64, 24, 12
CLEAR = 0.01  # smallest difference that is regarded as an effect of D-SDS
CONTACT_TIME = 0.02  # the mean free time is about 2
RESOLUTION = 40
END = 8.0
SAMPLES = 24


class Settings(NamedTuple):
    """Parameters of a gas."""

    restitution: float
    damping: float  # tangential / normal
    friction: float = FRICTION

    def __str__(self) -> str:
        return f"e = {self.restitution:g}, x_gamma = {self.damping:.3g}, friction {self.friction:g}"


class Point(NamedTuple):
    """Gases with C-SDS (`ours`) and D-SDS (`theirs`) from equal initial states."""

    settings: Settings
    ours: Gases
    theirs: Gases

    def logarithm(self, part: str) -> np.ndarray:
        """Return log(final energy with D-SDS / final energy with C-SDS) for each gas."""
        return np.log(getattr(self.theirs, part)[:, -1] / getattr(self.ours, part)[:, -1])

    def interval(self, part: str = "energy", level: float = statistics.SINGLE_LEVEL) -> Interval:
        """Return the mean of `logarithm`."""
        return statistics.mean(self.logarithm(part), level, "gases")


def printed(restitution: float, mass: float) -> float:
    """Return 2 (m k)^(1/2) in units of the normal dashpot. `mass` is m / effective mass."""
    return float(np.sqrt(mass * STIFFNESS_RATIO) / impact.linear_damping_ratio(restitution))


@functools.cache
def simulate(c: Context, slider: str, settings: Settings, number: int) -> np.ndarray:
    stiffness = 0.5 * (np.pi / CONTACT_TIME) ** 2
    law = (
        f"hooke {stiffness:.17g} {settings.restitution} damping coeff_restitution"
        f" tangential linear_history {STIFFNESS_RATIO * stiffness:.17g} {settings.damping:.17g}"
        f" {settings.friction} limit_damping slider {slider}"
    )
    step = CONTACT_TIME / RESOLUTION
    cooling = Cooling(SPHERES, PACKING_FRACTION, step, END, SAMPLES, places=6700, velocities=7100)
    return cooling.simulate(c, "granular/plus", law, number)


def measure(c: Context, settings: Settings, gases: int) -> Point:
    ours, theirs = (
        Gases(*np.stack([simulate(c, s, settings, n + 1) for n in range(gases)], axis=1))
        for s in (c["slider"], "dsds")
    )
    return Point(settings, ours, theirs)


def judge_printed(c: Context, points: list[Point]) -> None:
    for point in points:
        c.claim(
            "F13",
            f"{point.settings}: logarithm of the ratio of granular temperatures, D-SDS to C-SDS",
            point.interval("translation", c.level),
            at_least=CLEAR,
            reason=(
                "a gas that cools too slowly stays too hot; a difference of at least a hundredth is"
                " required"
            ),
        )
    c.check(
        f"{points[0].settings}: logarithm of the ratio of all energy left, including spin, D-SDS to"
        " C-SDS",
        measured=points[0].interval(level=c.level),
        reference=0.0,
        kind="at_most",
        reason="the spins lose more energy than the translational motion gains",
    )


def judge_others(c: Context, equal: Point, strong: Point, elastic: Point) -> None:
    words = "logarithm of the ratio of energy left, D-SDS to C-SDS"
    c.check(
        f"x_gamma = {equal.settings.damping:g}, friction {FRICTION:g}: {words}",
        measured=equal.interval(level=c.level),
        reference=0.0,
        kind="at_most",
        reason="with equal tangential and normal damping, the total energy falls too fast",
    )
    for name, point in (
        (f"x_gamma = {strong.settings.damping:g}, friction {FRICTION:g}", strong),
        (str(elastic.settings), elastic),
    ):
        c.check(
            f"{name}: {words}",
            measured=point.interval(level=c.level),
            reference=0.0,
            kind="at_least",
            reason=(
                "if the tangential dashpot is much stronger than the normal one, some of the energy"
                " that D-SDS creates remains"
            ),
        )


def tabulate(points: list[Point]) -> pd.DataFrame:
    rows = []
    for point in points:
        row = point.settings._asdict() | {
            "gases": len(point.ours.energy),
            "energy left, C-SDS": point.ours.energy[:, -1].mean(),
        }
        for part in ("energy", "translation", "rotation"):
            found = point.interval(part)
            row |= {f"ln D/C, {part}": found.value, f"±, {part}": found.high - found.value}
        rows.append(row)
    return pd.DataFrame(rows)


def told(points: list[Point]) -> str:
    texts = []
    for friction in sorted({point.settings.friction for point in points}):
        line = [point for point in points if point.settings.friction == friction]
        found = {point.settings.damping: point.interval() for point in line}
        below = [x for x, each in found.items() if each.high < 0.0]
        above = [x for x, each in found.items() if each.low > 0.0]
        unseen = [each for each in found.values() if each.low <= 0.0 <= each.high]
        parts = []
        if below:
            parts.append(
                f"too little energy is left at x_gamma = {', '.join(f'{x:g}' for x in below)}"
            )
        if above:
            parts.append(f"too much energy is left if x_gamma is {min(above):g} or more")
        if unseen:
            limit = 100.0 * max(max(-each.low, each.high) for each in unseen)
            gases = min(len(p.ours.energy) for p in line)
            parts.append(
                f"for other x_gamma, {gases} gases show no difference (differences larger than"
                f" ±{limit:.1f} % are excluded)"
            )
        texts.append(f"With friction {friction:g}, {', '.join(parts)}.")
    return " ".join(texts)


def draw(points: list[Point]) -> Figure:
    figure, (axis,) = panels(1, height=4.2)
    for number, friction in enumerate(FRICTIONS):
        line = [point for point in points if point.settings.friction == friction]
        found = [point.interval() for point in line]
        x = np.array([point.settings.damping for point in line]) * (1.0 + 0.02 * (number - 1))
        y = 100.0 * np.expm1([each.value for each in found])
        ends = [100.0 * np.expm1([getattr(each, end) for each in found]) for end in ("low", "high")]
        bars = [y - ends[0], ends[1] - y]
        axis.errorbar(x, y, bars, fmt="o-", mfc="none", capsize=3, label=f"friction {friction:g}")
    axis.axhline(0.0, color="0.5", linewidth=0.8)
    axis.set(xscale="log", xlabel=r"$x_\gamma$: tangential / normal damping")
    axis.set(ylabel="energy left, D-SDS / C-SDS - 1 [%]")
    axis.set_xticks(DAMPINGS, [f"{tick:g}" for tick in DAMPINGS], minor=False)
    axis.minorticks_off()
    axis.legend(fontsize=8)
    return figure


def explore(c: Context) -> list[Point]:
    return [
        measure(
            c,
            Settings(RESTITUTION, damping, friction),
            MANY if (damping, friction) == (1.0, FRICTION) else SHOWN,
        )
        for friction in FRICTIONS
        for damping in DAMPINGS
    ]


def run(c: Context) -> None:
    point_mass, pair_mass = (Settings(RESTITUTION, printed(RESTITUTION, m)) for m in (POINT, 1.0))
    points = [measure(c, point_mass, MANY), measure(c, pair_mass, SOME)]
    others: list[Point] = []
    if c.tier == "full":
        points += [measure(c, Settings(ELASTIC, printed(ELASTIC, m)), SOME) for m in (POINT, 1.0)]
        others = explore(c)
        (equal,) = (p for p in others if p.settings == Settings(RESTITUTION, 1.0))
        judge_others(c, equal, others[-1], points[-1])
        c.note(
            "Total energy, including spin, for several ratios x_gamma of tangential to normal"
            f" damping. {told(others)}"
        )
        c.figure(
            "damping", draw(others), "Error of the energy of a gas with D-SDS and 95 % interval."
        )
    judge_printed(c, points)
    c.table(
        "ends",
        tabulate(points + others),
        "Final energies, and logarithms of D-SDS / C-SDS with 95 % intervals.",
    )


CASE = Case(
    name="gas-damping",
    title=(
        "With D-SDS and the paper's dashpot, the granular temperature of a gas falls too slowly,"
        " even if its total energy falls too fast"
    ),
    source="[fuehrer2024] conclusions",
    tier="quick",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
    timeout=7200.0,
)
