"""D-SDS against C-SDS in a gas of many rough spheres with Hertz contacts and viscoelastic dashpots.

The outcome of a collision depends only on (dashpot coefficient) speed^(1/5) / stiffness^(3/5). All
gases start at temperature 1. A different temperature of the same material is represented by a
different dashpot coefficient. Diameter and mass of a sphere are 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import actm
from pysuite.validation.setups.cooling_gas import Cooling, Gases

SPHERES = 20_000
GASES = 16
PACKING_FRACTION = 0.03
TEMPERATURES = (1e-4, 1e-2, 1.0)
STIFFNESS, DAMPING = 1e8, 2e4  # k of F = k sqrt(R) overlap^(3/2); damping of `hertz`
RATIO = 1.2  # tangential / normal stiffness: Mindlin's for nu = 0.25
TANGENTIAL_DAMPING, FRICTION = 10.0, 0.3
MASS, RADIUS = 0.5, 0.25  # effective values
CONTACT_TIME = 0.01  # duration of a contact without damping; the mean free time is about 2
RESOLUTION = 40
END = 8.0
SAMPLES = 24
CLEAR = 0.01


def law(temperature: float) -> str:
    """Return the law for gases that start at temperature 1.

    With this law, collisions at temperature 1 have the same outcome as collisions of the material
    at `temperature`.
    """
    speed = float(np.sqrt(np.pi))
    time = actm.resulting_collision(STIFFNESS * np.sqrt(RADIUS), 0.0, speed, MASS)[1]
    softer = (time / CONTACT_TIME) ** 2.5
    stiffness = softer * STIFFNESS
    damping = softer**0.6 * temperature**0.1 * DAMPING
    return (
        f"hertz {stiffness:.17g} {damping:.17g} tangential mindlin {RATIO * stiffness:.17g}"
        f" {TANGENTIAL_DAMPING} {FRICTION}"
    )


def cool(c: Context, temperature: float, slider: str) -> Gases:
    cooling = Cooling(
        SPHERES,
        PACKING_FRACTION,
        CONTACT_TIME / RESOLUTION,
        END,
        SAMPLES,
        places=5700,
        velocities=9100,
    )
    words = f"{law(temperature)} slider {slider}"
    runs = [cooling.simulate(c, "granular/plus", words, n + 1) for n in range(GASES)]
    return Gases(*np.stack(runs, axis=1))


class Pair(NamedTuple):
    """Gases with C-SDS (`ours`) and D-SDS (`theirs`) from equal initial states."""

    ours: Gases
    theirs: Gases

    @property
    def excess(self) -> np.ndarray:
        """Logarithm of the ratio of final granular temperatures, D-SDS / C-SDS."""
        return np.log(self.theirs.translation[:, -1] / self.ours.translation[:, -1])

    @property
    def spin(self) -> np.ndarray:
        """Logarithm of the ratio of final rotational energies, D-SDS / C-SDS."""
        return np.log(self.theirs.rotation[:, -1] / self.ours.rotation[:, -1])

    @property
    def energy(self) -> np.ndarray:
        """Logarithm of the ratio of final total energies, D-SDS / C-SDS."""
        return np.log(self.theirs.energy[:, -1] / self.ours.energy[:, -1])


def judge(c: Context, found: dict[float, Pair]) -> None:
    for temperature, pair in found.items():
        c.check(
            f"T = {temperature:g}: logarithm of the ratio of total energy left, D-SDS to C-SDS",
            measured=statistics.mean(pair.energy, c.level, "gases"),
            reference=0.0,
            tolerance=CLEAR,
            kind="absolute",
            reason=(
                "D-SDS does not change the cooling rate, because translation gains the energy that"
                " spins lose; with twice as many steps per collision, the result changes by 0.2 %"
            ),
        )
    cold, hot = TEMPERATURES[0], TEMPERATURES[-1]
    rise = np.expm1(found[hot].excess) - np.expm1(found[cold].excess)
    c.claim(
        "F14",
        "ratio of final granular temperatures, D-SDS to C-SDS: value at T ="
        f" {hot:g} minus value at T = {cold:g}",
        statistics.mean(rise, c.level, "gases"),
        at_least=CLEAR,
        reason="with twice as many steps per collision, the result changes by only 0.2 %",
    )
    c.check(
        f"T = {hot:g}: ratio of final granular temperatures, D-SDS to C-SDS, minus 1",
        measured=statistics.mean(found[hot].excess, c.level, "gases").mapped(np.expm1),
        reference=CLEAR,
        kind="at_least",
        reason="with twice as many steps per collision, the result changes by only 0.2 %",
    )


def tabulate(c: Context, found: dict[float, Pair]) -> pd.DataFrame:
    rows = []
    for temperature, pair in found.items():
        row: dict[str, float] = {
            "temperature": temperature,
            "translational energy left, C-SDS": pair.ours.translation[:, -1].mean(),
            "rotational": pair.ours.rotation[:, -1].mean(),
        }
        for name, values in (
            ("translational, D-SDS over C-SDS", pair.excess),
            ("rotational, D-SDS over C-SDS", pair.spin),
            ("all energy, D-SDS over C-SDS", pair.energy),
        ):
            interval = statistics.mean(values, c.level, "gases").mapped(np.exp)
            row |= {name: interval.value, f"{name}, ±": 0.5 * (interval.high - interval.low)}
        rows.append(row)
    return pd.DataFrame(rows)


def draw(c: Context, found: dict[float, Pair]) -> None:
    figure, (left, right) = panels(2, height=4.2)
    times = END * np.arange(1, SAMPLES + 1) / SAMPLES
    for number, (temperature, pair) in enumerate(found.items()):
        for axis, part in ((left, "translation"), (right, "rotation")):
            ours, theirs = (getattr(gas, part).mean(axis=0) for gas in pair)
            style = {"color": f"C{number}", "label": f"T = {temperature:g}"}
            axis.plot(times, 100.0 * (theirs / ours - 1.0), "o-", mfc="none", **style)
    for axis, part in ((left, "translational"), (right, "rotational")):
        axis.axhline(0.0, color="0.5", linewidth=0.8)
        axis.set(xlabel="time", ylabel=f"{part} energy, D-SDS / C-SDS - 1 [%]")
    left.legend(fontsize=8)
    c.figure("excess", figure, "Mean errors of D-SDS in gases with Hertz contacts.")


def run(c: Context) -> None:
    found = {t: Pair(*(cool(c, t, s) for s in (c["slider"], "dsds"))) for t in TEMPERATURES}
    judge(c, found)
    c.table(
        "ends",
        tabulate(c, found),
        f"Final / initial energies of {GASES} gases with {SPHERES} spheres, and their ratios.",
    )
    draw(c, found)


CASE = Case(
    name="hertz-gas",
    title=(
        "In a gas of 20,000 spheres with Hertz contacts, D-SDS leaves too little energy in spins"
        " and too much in translation, but the correct total energy"
    ),
    source="[fuehrer2024] conclusions",
    tier="full",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
    timeout=7200.0,
)
