"""Cooling of a gas of smooth inelastic spheres, compared with Haff's law.

Haff's law holds if the restitution does not depend on speed: sqrt(T0/T) grows linearly in time. The
restitution does not depend on speed with the normal model actm, but does with a Hertz contact and a
constant dashpot. The input script is inputs/in.granular_gas.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import curve_fit

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.references import actm
from pysuite.validation.seeds import seed

FRACTION = 0.05
# collision time in units of diameter / thermal speed, and steps per collision
COLLISION_TIME, STEPS = 0.03, 20
SIDES = {"quick": 8, "full": 14}  # spheres along an edge
GASES = {"quick": 32, "full": 36}
COARSE = 2.0  # in further runs, collisions last COARSE times as long, to extrapolate to zero
FALLS = {"quick": 16.0, "full": 100.0}  # ratio of initial to final energy
SAMPLES = 200


def cool(c: Context, normal: str, number: int, longer: float = 1.0) -> pd.DataFrame:
    collision_time = longer * COLLISION_TIME
    step = collision_time / STEPS
    duration = (np.sqrt(FALLS[c.tier]) - 1.0) / actm.haff_rate(c["restitution"], FRACTION)
    every = max(1, round(duration / step / SAMPLES))
    run = c.lammps(
        c.inputs / "in.granular_gas",
        variables={
            "normal": normal,
            "side": SIDES[c.tier],
            "fraction": FRACTION,
            "e": c["restitution"],
            "Tc": collision_time,
            "seed": seed(4711 + number),
            "mix": round(9.0 / step),
            "step": f"{step:.17g}",
            "every": every,
            "n": round(1.05 * SAMPLES) * every,
        },
        timeout=3000.0,
    )
    thermo = run.thermo[run.thermo["run"] == 1]
    return pd.DataFrame({"time": thermo["Time"], "temperature": thermo["Temp"]}).reset_index(
        drop=True
    )


class Cooling(NamedTuple):
    """Slope of sqrt(T0/T) against time, and exponent n of the fit T ~ (1 + rate time)^-n."""

    slope: float
    exponent: float


def fit(gas: pd.DataFrame) -> Cooling:
    rate = actm.haff_rate(0.9, FRACTION)
    # at the start, the distribution of velocities is still changing
    settled = gas["temperature"] < 0.7
    time, temperature = gas["time"][settled].to_numpy(), gas["temperature"][settled].to_numpy()
    slope, _ = np.polyfit(time, temperature**-0.5, 1)

    def law(time: np.ndarray, rate: float, exponent: float, scale: float) -> np.ndarray:
        return scale - exponent * np.log1p(rate * time)

    (_, exponent, _), _ = curve_fit(law, time, np.log(temperature), p0=(rate, 2.0, 0.0))
    return Cooling(slope, exponent)


def without_duration(long: np.ndarray, short: np.ndarray) -> Interval:
    return statistics.mean((COARSE * short - long) / (COARSE - 1.0), of="gases")


def judge(c: Context, gases: dict[float, list[pd.DataFrame]], hertz: list[pd.DataFrame]) -> None:
    rate = actm.haff_rate(0.9, FRACTION)
    count = SIDES[c.tier] ** 3
    found = {longer: np.array([fit(gas) for gas in of]).T for longer, of in gases.items()}
    falls = [gas["temperature"].iloc[0] / gas["temperature"].iloc[-1] for gas in gases[1.0]]
    part = {"quick": 0.08, "full": 0.03}[c.tier]
    known = "the scatter of the mean over these gases"
    c.check(
        f"{count} spheres, e = 0.9: ratio of initial to final energy",
        measured=statistics.mean(falls, of="gases"),
        reference=0.8 * FALLS[c.tier],
        kind="at_least",
        reason="the cooling law must be judged over a wide range of energies",
    )
    c.check(
        "actm: slope of sqrt(T0/T) / Haff's rate, extrapolated to zero collision duration",
        measured=without_duration(found[COARSE][0] / rate, found[1.0][0] / rate),
        reference=1.0,
        tolerance=part,
        reason=known,
    )
    c.check(
        "actm: cooling exponent",
        measured=statistics.mean(found[1.0][1], of="gases"),
        reference=2.0,
        tolerance=2.0 * part,
        reason=(
            f"{known}; each fit also determines the rate. Initially, collisions last 2 % of the"
            " time between collisions; this changes the exponent by about 2 %"
        ),
    )
    late = [gas["temperature"].iloc[-1] * (1.0 + rate * gas["time"].iloc[-1]) ** 2 for gas in hertz]
    c.check(
        "Hertz with a constant dashpot: ratio of the final temperature to that of Haff's law",
        measured=statistics.mean(late, of="gases"),
        reference=1.0 - 0.5 * part,
        kind="at_most",
        reason=(
            "1 - e is proportional to u^(-1/5) at the speed u, so this gas becomes colder than"
            " Haff's law predicts; the difference must exceed the scatter of the mean"
        ),
    )
    c.note(
        f"sqrt(T0/T) grows at {found[1.0][0].mean() / rate:.4f} times Haff's rate. If collisions"
        f" take {COARSE:g} times as long, it grows at {found[COARSE][0].mean() / rate:.4f} times"
        f" Haff's rate. T falls with the exponent {found[1.0][1].mean():.3f}. With the constant"
        f" dashpot, the final T is {np.mean(late):.2f} times the T of Haff's law."
    )


def draw(c: Context, gas: pd.DataFrame, hertz: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    scaled = actm.haff_rate(0.9, FRACTION) * gas["time"]
    axis.loglog(1.0 + scaled, gas["temperature"], "o", markersize=3, label="actm")
    axis.loglog(1.0 + scaled, hertz["temperature"], "s", markersize=3, label="constant dashpot")
    axis.loglog(1.0 + scaled, (1.0 + scaled) ** -2.0, "k-", linewidth=0.8, label="Haff's law")
    axis.set(xlabel="1 + t/τ", ylabel="T/T₀")
    axis.legend()
    c.figure("cooling", figure, "Granular temperature of a cooling gas with restitution 0.9.")


def run(c: Context) -> None:
    numbers = range(GASES[c.tier])
    gases = {longer: [cool(c, "actm", n, longer) for n in numbers] for longer in (1.0, COARSE)}
    hertz = [cool(c, "hertz", n) for n in numbers]
    c.table("gas", gases[1.0][0].assign(hertz=hertz[0]["temperature"]))
    judge(c, gases, hertz)
    draw(c, gases[1.0][0], hertz[0])


CASE = Case(
    name="granular-gas",
    title="A granular gas cools by Haff's law over two decades of energy",
    source="[haff1983]; [noije1998]",
    tier="quick",
    parameters={"restitution": 0.9},
    spoil={"restitution": 0.87},
    run=run,
    timeout=7200.0,
)
