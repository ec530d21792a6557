"""Uniform shear of smooth inelastic spheres against kinetic theory.

Stresses and temperature are extrapolated to collisions of zero duration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.references import gases
from pysuite.validation.setups import smooth_gases
from pysuite.validation.setups.smooth_gases import Smooth


class State(NamedTuple):
    """Solid fraction, restitution, and number of gases."""

    fraction: float
    restitution: float
    gases: int


GASES = 24
JUDGED = (0.3, 0.95), (0.3, 0.9)
TOLD = State(0.45, 0.95, 3), State(0.45, 0.9, 3)
SIDE = 10  # spheres along an edge
CONTACT = 0.12  # duration of a collision / Enskog's mean time between collisions
COARSE = 3.0  # in further runs, collisions last COARSE times as long, to extrapolate to zero
MIX = 2.0  # time before the shear, in units of the inverse shear rate
SETTLE, DURATION = 8.0, 20.0  # strains
SEED = 5300
WORDS = {"temperature": "temperature", "pressure": "pressure", "stress": "shear stress"}

SHEAR = """
fix shear all deform 1 xy erate 1.0 remap v flip yes
velocity all ramp vx 0 $(ly:%.17g) y 0 $(ly:%.17g) sum yes units box
compute peculiar all temp/deform
compute stress all pressure peculiar
run {settle}
reset_timestep 0
fix mean all ave/time 5 {samples} {steps} c_peculiar c_stress c_stress[4] file means.txt &
  format " %.17g"
run {steps}
"""


def simulate(c: Context, state: State, number: int, longer: float) -> gases.Sheared:
    expected = gases.sheared(state.fraction, state.restitution)
    contact = gases.contact_value(gases.carnahan_starling(state.fraction), state.fraction)
    rate = gases.collision_rate(state.fraction, contact, expected.temperature)
    collision_time = longer * CONTACT / rate
    of = Smooth(
        state.fraction,
        SIDE,
        collision_time,
        MIX,
        SEED,
        temperature=expected.temperature,
        diameter=gases.soft_diameter(collision_time * expected.temperature**0.5),
    )
    steps = of.steps(DURATION)
    restitution = 1.0 - c["loss"] * (1.0 - state.restitution)
    run = c.lammps(
        of.start(number, tilted=True)
        + of.inelastic(restitution)
        + SHEAR.format(settle=of.steps(SETTLE), samples=steps // 5, steps=steps),
        timeout=3000.0,
    )
    means = np.loadtxt(run.folder / "means.txt").reshape(-1, 4)[-1]
    _, temperature, pressure, stress = means
    matter = 6.0 / np.pi  # density of a sphere
    return gases.Sheared(temperature, pressure / matter, -stress / matter)


class Gases(NamedTuple):
    """Gases of one state, with short and with long collisions."""

    state: State
    short: list[gases.Sheared]
    long: list[gases.Sheared]

    def hard(self, part: str, level: float) -> Interval:
        """Return a quantity extrapolated to hard spheres."""
        both = ([getattr(gas, part) for gas in of] for of in (self.short, self.long))
        return smooth_gases.hard(*both, COARSE, level)


def measure(c: Context, state: State) -> Gases:
    short, long = (
        [simulate(c, state, number, longer) for number in range(state.gases)]
        for longer in (1.0, COARSE)
    )
    return Gases(state, short, long)


def judge(c: Context, found: list[Gases]) -> None:
    for of in found:
        for part, words in WORDS.items():
            c.benchmark(
                f"{words} at {of.state.fraction:g}, e = {of.state.restitution:g}",
                of.hard(part, c.level),
                seeds=Smooth(of.state.fraction, SIDE, 1.0, MIX, SEED).seeds_of(of.state.gases),
            )


def compare(found: list[Gases]) -> pd.DataFrame:
    rows = []
    for of in found:
        theory = gases.sheared(of.state.fraction, of.state.restitution)
        for part in theory._fields:
            interval = of.hard(part, statistics.SINGLE_LEVEL)
            rows.append(
                of.state._asdict()
                | {
                    "quantity": part,
                    "theory": getattr(theory, part),
                    "found": interval.value,
                    "low": interval.low,
                    "high": interval.high,
                }
            )
    return pd.DataFrame(rows)


def tell(c: Context, table: pd.DataFrame) -> None:
    for (fraction, restitution), rows in table.groupby(["fraction", "restitution"]):
        parts = [
            f"{row.quantity} {row.found / row.theory:.3f}"
            f" [{row.low / row.theory:.3f}, {row.high / row.theory:.3f}]"
            for row in rows.itertuples()
        ]
        c.note(
            f"Solid fraction {fraction:g}, e = {restitution:g}, values divided by theory, with 95 %"
            f" intervals: {', '.join(parts)}."
        )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    for shift, (part, rows) in enumerate(table.groupby("quantity", sort=False)):
        ratio, low, high = (rows[key] / rows["theory"] for key in ("found", "low", "high"))
        at = np.arange(len(rows)) + 0.15 * (shift - 1)
        axis.errorbar(at, ratio, [ratio - low, high - ratio], fmt="o", mfc="none", label=part)
    labels = [f"fraction {row.fraction:g}\ne = {row.restitution:g}" for row in rows.itertuples()]
    axis.set_xticks(np.arange(len(rows)), labels)
    axis.axhline(1.0, color="k", linewidth=0.8)
    axis.set(ylabel="measured / kinetic theory")
    axis.legend()
    c.figure(
        "theory", figure, "Gases in uniform shear against kinetic theory, with 95 % intervals."
    )


def run(c: Context) -> None:
    judged = [measure(c, State(*of, c["gases"])) for of in JUDGED]
    judge(c, judged)
    table = compare(judged + [measure(c, state) for state in TOLD if c["dense"]])
    c.table("states", table, "Values extrapolated to hard spheres, with 95 % intervals.")
    tell(c, table)
    draw(c, table)


CASE = Case(
    name="sheared-gas",
    title="Uniform shear of smooth inelastic spheres agrees with kinetic theory",
    source="[lun1984]",
    tier="full",
    parameters={"loss": 1.0, "gases": GASES, "dense": True},
    spoil={"loss": 1.3},
    run=run,
    timeout=7200.0,
)
