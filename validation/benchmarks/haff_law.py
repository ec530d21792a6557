"""Smooth inelastic spheres cool at the rate of kinetic theory: Haff's law.

The rate is extrapolated to collisions of zero duration. A box with a thousand spheres is too small
for vortices or clusters to grow.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import actm
from pysuite.validation.setups import smooth_gases
from pysuite.validation.setups.smooth_gases import Smooth

FRACTION, RESTITUTION = 0.05, 0.9
SIDE = 10  # spheres along an edge
# rates of single gases scatter by 1.3 %
GASES = 160
# in units of diameter / initial thermal speed
COLLISION_TIME = 0.04
COARSE = 5.0  # in further runs, collisions last COARSE times as long, to extrapolate to zero
MIX = 9.0
FALL = 16.0  # ratio of initial to final energy
SETTLED = 0.7  # below this temperature, velocities have lost their initial distribution
SAMPLES, PARTS = 100, 8
SEED = 5600

MEASURE = """
thermo_style custom step time temp
thermo_modify norm no format float %.17g
thermo {every}
run {steps}
"""


def cool(c: Context, number: int, longer: float) -> pd.DataFrame:
    of = Smooth(FRACTION, SIDE, longer * COLLISION_TIME, MIX, SEED)
    duration = (np.sqrt(FALL) - 1.0) / actm.haff_rate(RESTITUTION, FRACTION)
    every = of.steps(duration / SAMPLES)
    run = c.lammps(
        of.start(number)
        + of.inelastic(c["restitution"])
        + MEASURE.format(every=every, steps=SAMPLES * every),
        timeout=3000.0,
    )
    thermo = run.thermo[run.thermo["run"] == 1]
    return pd.DataFrame({"time": thermo["Time"], "temperature": thermo["Temp"]})


def rate(gas: pd.DataFrame) -> float:
    late = gas[gas["temperature"] < SETTLED]
    growth, time = late["temperature"].to_numpy() ** -0.5, late["time"].to_numpy()
    ends = np.searchsorted(growth, np.geomspace(growth[0], growth.max(), PARTS + 1))
    ends[-1] = len(growth) - 1
    return float(np.mean(np.diff(growth[ends]) / np.diff(time[ends])))


def judge(c: Context, short: list[pd.DataFrame], long: list[pd.DataFrame]) -> None:
    rates = [[rate(gas) for gas in of] for of in (short, long)]
    c.benchmark(
        "cooling rate at 0.05, e = 0.9",
        smooth_gases.hard(*rates, COARSE, c.level),
        seeds=Smooth(FRACTION, SIDE, COLLISION_TIME, MIX, SEED).seeds_of(c["gases"]),
    )
    c.table(
        "rates",
        pd.DataFrame({"short": rates[0], "long": rates[1]}),
        "Cooling rate of each gas, with short and with long collisions.",
    )


def draw(c: Context, gas: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    axis.plot(gas["time"], gas["temperature"] ** -0.5, "o", markersize=3, label="a gas")
    law = 1.0 + actm.haff_rate(RESTITUTION, FRACTION) * gas["time"]
    axis.plot(gas["time"], law, "k-", linewidth=0.8, label="Haff's law")
    axis.set(xlabel="time", ylabel=r"$\sqrt{T_0/T}$")
    axis.legend()
    c.figure("cooling", figure, "Temperature of a cooling gas with restitution 0.9.")


def run(c: Context) -> None:
    short, long = ([cool(c, n, longer) for n in range(c["gases"])] for longer in (1.0, COARSE))
    judge(c, short, long)
    draw(c, short[0])


CASE = Case(
    name="haff-law",
    title="A gas of smooth inelastic spheres cools at the rate of kinetic theory",
    source="[haff1983]; [noije1998]",
    tier="full",
    parameters={"restitution": RESTITUTION, "gases": GASES},
    spoil={"restitution": 0.89},
    run=run,
    timeout=7200.0,
)
