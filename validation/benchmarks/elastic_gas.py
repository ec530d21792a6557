"""Pressure and collision rate of a dense gas of smooth elastic spheres.

Spheres with linear springs represent hard spheres. The hard-sphere diameter follows from Barker &
Henderson's rule. All collisions have the same duration, so the mean number of contacts gives the
collision rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import gases
from pysuite.validation.setups import smooth_gases
from pysuite.validation.setups.smooth_gases import Smooth

FRACTION = 0.4
SIDE = 10  # spheres along an edge
GASES = 24
COLLISION_TIME = 0.005
COARSE = 2.0  # in further runs, collisions last COARSE times as long, to extrapolate to zero
MIX, DURATION = 5.0, 40.0  # in units of diameter over thermal speed
SEED = 5100

MEASURE = """
compute virial all pressure NULL pair
compute touching all contact/atom
compute contacts all reduce ave c_touching
fix mean all ave/time 5 {samples} {steps} c_virial c_thermo_temp c_contacts file means.txt &
  format " %.17g"
run {steps}
"""


class Gas(NamedTuple):
    """Time averages: p/(n T), and the number of collisions per sphere and unit of time."""

    compressibility: float
    rate: float


def simulate(c: Context, number: int, longer: float = 1.0) -> Gas:
    collision_time = longer * COLLISION_TIME
    diameter = gases.soft_diameter(collision_time) * c["diameter"]
    of = Smooth(FRACTION, SIDE, collision_time, MIX, SEED, diameter=diameter)
    steps = of.steps(DURATION)
    run = c.lammps(of.start(number) + MEASURE.format(samples=steps // 5, steps=steps))
    means = np.loadtxt(run.folder / "means.txt").reshape(-1, 4)[-1]
    _, pressure, temperature, contacts = means
    density = gases.number_density(FRACTION)
    return Gas(
        1.0 + pressure / (density * temperature), contacts / collision_time / temperature**0.5
    )


def judge(c: Context, fine: list[Gas], coarse: list[Gas]) -> None:
    seeds = Smooth(FRACTION, SIDE, COLLISION_TIME, MIX, SEED).seeds_of(GASES)
    c.benchmark(
        "compressibility at 0.4",
        statistics.mean([gas.compressibility for gas in fine], c.level, of="gases"),
        seeds=seeds,
    )
    rates = [gas.rate for gas in fine], [gas.rate for gas in coarse]
    c.benchmark("collision rate at 0.4", smooth_gases.hard(*rates, COARSE, c.level), seeds=seeds)


def draw(c: Context, found: list[Gas]) -> None:
    figure, (axis,) = panels(1)
    axis.plot([gas.compressibility for gas in found], "o", mfc="none", label="gases")
    for value, style, name in (
        (gases.compressibility(FRACTION), "k-", "Kolafa"),
        (gases.carnahan_starling(FRACTION), "k:", "Carnahan & Starling"),
    ):
        axis.plot([0, GASES - 1], [value, value], style, linewidth=0.8, label=name)
    axis.set(xlabel="gas", ylabel="p/(n T)")
    axis.legend()
    c.figure("gases", figure, "p/(n T) of each gas, and of two equations of state.")


def run(c: Context) -> None:
    fine, coarse = ([simulate(c, n, longer) for n in range(GASES)] for longer in (1.0, COARSE))
    c.table(
        "gases",
        pd.DataFrame(fine).assign(coarse=[gas.rate for gas in coarse]),
        "p/(n T) and collision rate per sphere of each gas. coarse: collision rate in the runs"
        f" whose collisions last {COARSE:g} times as long.",
    )
    judge(c, fine, coarse)
    draw(c, fine)


CASE = Case(
    name="elastic-gas",
    title="Pressure and collision rate of a dense gas of smooth elastic spheres",
    source="[boublik1986]; [carnahan1969]",
    tier="full",
    parameters={"diameter": 1.0},
    spoil={"diameter": 0.995},
    run=run,
    timeout=7200.0,
)
