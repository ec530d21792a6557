"""A gas of smooth inelastic spheres cools by Haff's law if e is the same at any speed.

inputs/in.granular_gas: spheres that fill a twentieth of a periodic box, elastic at first to forget
the lattice, then with e = 0.9. In the homogeneous state sqrt(T0/T) grows in proportion to time, at
the rate of kinetic theory. Normal actm does that over a hundredfold fall of the energy, with one
collision time and one time step throughout. A Hertz contact with a constant dashpot that has this
restitution at the mean speed of the start does not: slow collisions lose more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import curve_fit

from pysuite.cases import Case, Context, panels
from pysuite.references import actm

FRACTION = 0.05
COLLISION_TIME, STEPS = 0.03, 20  # in units of diameter over thermal speed; steps in a collision
SIDES = {"quick": 13, "full": 22}  # spheres along an edge: 2197, 10648
FALLS = {"quick": 16.0, "full": 100.0}  # of the energy
SAMPLES = 200


def cool(c: Context, normal: str) -> pd.DataFrame:
    """Return time and temperature of a gas that cools."""
    step = COLLISION_TIME / STEPS
    duration = (np.sqrt(FALLS[c.tier]) - 1.0) / actm.haff_rate(c["restitution"], FRACTION)
    every = max(1, round(duration / step / SAMPLES))
    run = c.lammps(
        c.inputs / "in.granular_gas",
        variables={
            "normal": normal,
            "side": SIDES[c.tier],
            "fraction": FRACTION,
            "e": c["restitution"],
            "Tc": COLLISION_TIME,
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
    """How a gas cooled: slope of sqrt(T0/T), exponent of T, and the other's last T over Haff's."""

    slope: float
    exponent: float
    late: float


def fit(gas: pd.DataFrame, hertz: pd.DataFrame) -> Cooling:
    rate = actm.haff_rate(0.9, FRACTION)
    # the first of it settles: velocities lose their Gaussian shape, contacts hold a little energy
    settled = gas["temperature"] < 0.7
    time, temperature = gas["time"][settled].to_numpy(), gas["temperature"][settled].to_numpy()
    slope, _ = np.polyfit(time, temperature**-0.5, 1)

    def law(time: np.ndarray, rate: float, exponent: float, scale: float) -> np.ndarray:
        return scale - exponent * np.log1p(rate * time)

    (_, exponent, _), _ = curve_fit(law, time, np.log(temperature), p0=(rate, 2.0, 0.0))
    late = hertz["temperature"].iloc[-1] * (1.0 + rate * hertz["time"].iloc[-1]) ** 2
    return Cooling(slope, exponent, late)


def judge(c: Context, gas: pd.DataFrame, cooling: Cooling) -> None:
    rate = actm.haff_rate(0.9, FRACTION)
    count = SIDES[c.tier] ** 3
    part = {"quick": 0.04, "full": 0.02}[c.tier]
    noise = f"the temperature of {count} spheres is known to {100 * np.sqrt(2 / 3 / count):.1f} %"
    c.check(
        f"{count} spheres, e = 0.9: energy at the start over that at the end",
        measured=gas["temperature"].iloc[0] / gas["temperature"].iloc[-1],
        reference=0.9 * FALLS[c.tier],
        kind="at_least",
        reason="range of energies over which the cooling law is judged",
    )
    c.check(
        "actm: cooling rate, slope of sqrt(T0/T), against Haff's law",
        measured=cooling.slope,
        reference=rate,
        tolerance=part,
        reason=f"{noise}; a collision takes 2 % of the time between two at the start, less later",
    )
    c.check(
        "actm: cooling exponent",
        measured=cooling.exponent,
        reference=2.0,
        tolerance=2.0 * part if c.tier == "quick" else part,
        reason=f"{noise}; the exponent of a fit with free rate is known less well on a short range",
    )
    c.check(
        "Hertz with a constant dashpot: temperature at the end over Haff's",
        measured=cooling.late,
        reference=1.0 - 2.0 * part,
        kind="at_most",
        reason="restitution falls with the speed, 1 - e grows as u^(-1/5): more than twice what is"
        " tolerated above",
    )
    c.note(
        f"sqrt(T0/T) grows at {cooling.slope / rate:.4f} of Haff's rate, T falls with exponent"
        f" {cooling.exponent:.3f}; with the constant dashpot T ends at {cooling.late:.2f} of Haff's"
        " law."
    )


def draw(c: Context, gas: pd.DataFrame, hertz: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    scaled = actm.haff_rate(0.9, FRACTION) * gas["time"]
    axis.loglog(1.0 + scaled, gas["temperature"], "o", markersize=3, label="actm")
    axis.loglog(1.0 + scaled, hertz["temperature"], "s", markersize=3, label="constant dashpot")
    axis.loglog(1.0 + scaled, (1.0 + scaled) ** -2.0, "k-", linewidth=0.8, label="Haff's law")
    axis.set(xlabel="1 + t/τ", ylabel="T/T₀")
    axis.legend()
    c.figure("cooling", figure, "Granular temperature of a cooling gas, e = 0.9.")


def run(c: Context) -> None:
    gas, hertz = cool(c, "actm"), cool(c, "hertz")
    c.table("gas", gas.assign(hertz=hertz["temperature"]))
    judge(c, gas, fit(gas, hertz))
    draw(c, gas, hertz)


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
