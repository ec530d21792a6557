"""Adhesive contacts that yield: the model of Thornton & Ning and the Edinburgh model.

Pairs of spheres are pressed to given overlaps and pulled apart. Other spheres fall on a wall.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval, numerical
from pysuite.validation import Case, Context
from pysuite.validation.references import adhesion
from pysuite.validation.setups import impacts

# Thornton & Ning, for E* = 1 and R = 1
SCALED = adhesion.Material(1.0, 1.0, work=1e-7, limit=8e-3)
MODULUS, POISSON = 1.0e5, 0.3
YOUNG = 2.0 * (1.0 - POISSON**2) * MODULUS
DEPTHS, TIMES = (0.001, 0.003, 0.01), (5.0, 20.0, 100.0)
# Edinburgh, for diameter 1 and mass 1
K1, K2, EXPONENT, JUMP = 1.0e4, 4.0e4, 1.5, -0.1
ADHESIVE = 2.0e3
ED_DEPTHS, ED_SPEEDS = (0.005, 0.01, 0.02), (0.1, 0.2, 0.5)
PULL_STEPS, SLOWER = 2000, 8  # steps of the approach; the retreat has SLOWER times as many steps
# steps per Hertz impact, and starting positions
STEPS, PHASES = (1000, 2000), 8
LONGEST = 6.0
EARLY = (
    "contacts of the models thornton_ning and jkr break at the largest tension, whereas freely"
    " moving spheres separate only at the widest gap"
)

PULL = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
boundary f f f
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single 1 0 0
set group all diameter 1 density 1
neighbor 0.05 bin
pair_style granular/plus
pair_coeff * * {law} tangential linear_nohistory 0 0
group one id 1
group two id 2
timestep 1e-3
variable overlap equal 1-(x[2]-x[1])
variable force equal fx[2]
thermo 1
thermo_style custom step v_overlap v_force
thermo_modify norm no
thermo_modify format float %.17g
fix hold one move linear 0 0 0
fix move two move linear -{speed:.17g} 0 0
run {steps}
unfix move
fix move two move linear {back:.17g} 0 0
run {steps_back}
"""


class Pulled(NamedTuple):
    """Force at the largest overlap, largest tension in the retreat, and force along the path."""

    force: float
    tension: float
    way: pd.DataFrame


def laws(c: Context, radius: float) -> tuple[str, str]:
    limit, work = SCALED.limit * MODULUS, SCALED.work * MODULUS * radius
    thornton_ning = (
        f"thornton_ning {YOUNG:.17g} {POISSON} {limit:.17g} {0.5 * work * c['work']:.17g}"
    )
    adhesive = ADHESIVE * c["adhesive"]
    return thornton_ning, f"edinburgh {K1} {K2} {adhesive} {JUMP} {EXPONENT} {EXPONENT}"


def pull(c: Context, law: str, depth: float) -> Pulled:
    speed = depth / (PULL_STEPS * 1e-3)
    text = PULL.format(
        law=law,
        speed=speed,
        steps=PULL_STEPS,
        back=speed / SLOWER,
        steps_back=round(1.1 * SLOWER * PULL_STEPS),
    )
    way = c.lammps(text).thermo
    loaded = way[way["run"] == 0].iloc[-1]
    tension = -way[way["run"] == 1]["v_force"].min()
    return Pulled(float(loaded["v_force"]), float(tension), way)


def fall(c: Context, law: str, speed: float, duration: float) -> Interval:
    means = []
    for steps in STEPS:
        step = duration / steps
        ball = impacts.Ball(0.5, 6.0 / np.pi, (0.0, 0.0, -speed))
        text = f"{law} tangential linear_nohistory 0 0"
        phases = (np.arange(PHASES) + 0.5) / PHASES
        given = [impacts.Impact(text, ball, gap=float(p * step * speed)) for p in phases]
        outcome = impacts.collide(
            c, given, step=step, steps=round(LONGEST * duration / step), lasting=True
        )
        means.append(float(outcome.velocity[:, 2].mean()) / speed)
    return statistics.refined(*means)


def run(c: Context) -> None:
    pair, wall = laws(c, 0.25), laws(c, 0.5)
    dented = {depth: pull(c, pair[0], depth * 0.25) for depth in DEPTHS}
    pulled = {depth: pull(c, pair[1], depth) for depth in ED_DEPTHS}
    unit = float(np.sqrt(SCALED.limit**5 * MODULUS * 0.5**3))
    fallen = {}
    for times in TIMES:
        speed = times * unit
        fallen[times] = fall(c, wall[0], speed, impacts.hertz_time(1.0, MODULUS, 0.5, speed))
    adhesive = {}
    for speed in ED_SPEEDS:
        # k1 replaces 4/3 E* R^(1/2)
        duration = impacts.hertz_time(1.0, 0.75 * K1 / np.sqrt(0.5), 0.5, speed)
        adhesive[speed] = fall(c, wall[1], speed, duration)
    judge_thornton_ning(c, dented, fallen)
    judge_edinburgh(c, pulled, adhesive)
    ways = {f"Thornton & Ning, {d:g} R": of.way for d, of in dented.items()}
    ways |= {f"Edinburgh, {d:g} d": of.way for d, of in pulled.items()}
    c.table(
        "ways",
        pd.concat(way.iloc[::20].assign(contact=name) for name, way in ways.items()),
        "Force of each pair against overlap during approach and retreat.",
    )
    draw(c, dented, pulled)


def judge_thornton_ning(
    c: Context, dented: dict[float, Pulled], fallen: dict[float, Interval]
) -> None:
    scale = MODULUS * 0.25**2
    tear = 1.5 * np.pi * SCALED.work * MODULUS * 0.25 * 0.25
    for depth, of in dented.items():
        c.benchmark(
            f"Thornton & Ning: force at an overlap of {depth:g} R",
            numerical(of.force / scale, 1e-8 * of.force / scale, "rounding of the overlap"),
        )
        value = of.tension / tear
        c.benchmark(
            f"Thornton & Ning: pull-off force after an overlap of {depth:g} R",
            numerical(value, 1e-5 * value, "displacement in one step"),
        )
    errors = []
    for times, e in fallen.items():
        quantity = f"Thornton & Ning: restitution at {times:g} times the unit of speed"
        c.benchmark(quantity, e, deviates=EARLY if times < TIMES[-1] else "")
        speed = times * np.sqrt(SCALED.limit**5)
        errors.append(e.value - adhesion.restitution(speed, 1.0, SCALED, adhesion.largest_tension))
    c.check_close(
        "Thornton & Ning: restitution of contacts that break at the largest tension, largest error",
        errors,
        0.0,
        tolerance=5e-4,
        reason=(
            "the contact begins and ends abruptly, and its times are resolved only to a step"
            " (1/2000 of an impact)"
        ),
    )


def judge_edinburgh(c: Context, pulled: dict[float, Pulled], fallen: dict[float, Interval]) -> None:
    for depth, of in pulled.items():
        error = 2e-4 * of.tension
        c.benchmark(
            f"Edinburgh: least force after an overlap of {depth:g} d",
            numerical(-of.tension, error, "displacement in one step at a kink of the force"),
        )
    for speed, e in fallen.items():
        c.benchmark(f"Edinburgh: restitution at a speed of {speed:g}", e)


def draw(c: Context, dented: dict[float, Pulled], pulled: dict[float, Pulled]) -> None:
    figure, axes = panels(2)
    for axis, ways, title in zip(
        axes, (dented, pulled), ("Thornton & Ning", "Edinburgh"), strict=True
    ):
        for of in ways.values():
            axis.plot(of.way["v_overlap"], of.way["v_force"])
        axis.axhline(0.0, color="k", linewidth=0.5)
        axis.set(xlabel="overlap", ylabel="force", title=title)
    c.figure("ways", figure, "Force of pairs pressed to three overlaps and pulled apart.")


CASE = Case(
    name="yielding-adhesion",
    title="Adhesive contacts that yield: force, pull-off and restitution",
    source="[thornton1998]; [thakur2014]; quadrature",
    tier="smoke",
    parameters={"work": 1.0, "adhesive": 1.0},
    spoil={"work": 1.02, "adhesive": 1.02},
    run=run,
)
