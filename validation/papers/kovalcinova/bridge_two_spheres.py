"""Liquid bridges between two spheres, pulled apart and pushed together.

Lengths are in diameters, and the surface tension is 1. The laws are compared with shapes of the
liquid that solve the capillary equation of Young and Laplace.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.outputs import pair_local
from pysuite.validation import Case, Context
from pysuite.validation.references.bridges import (
    Bridge,
    Shape,
    derjaguin_radius,
    young_laplace,
)
from pysuite.validation.setups import packings
from pysuite.validation.setups.shear_cell import (
    COHESION,
    GRAVITY,
    PRESSURE,
    PRINTED_STIFFNESS,
    TENSION,
)

RADIUS = 0.5
VOLUMES = (1e-3, 1e-2, 1e-1)  # divided by the cube of Derjaguin's radius
ANGLES = (0.0, 20.0, 40.0)
SIZE_RATIOS = (1.0, 0.5)
STEPS = {"smoke": 4000, "quick": 4000, "full": 20000}  # steps up to the largest gap
FARTHEST = 1.15  # largest gap / rupture distance
OVERLAP = 1e-3
# largest compared gap / widest gap with an equilibrium shape
STABLE = 0.9

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
newton off
comm_modify vel yes
boundary f f f
read_data ${data}
neighbor 0.05 bin
neigh_modify every 1 delay 0 check yes
pair_style capillary/willett
"""
CYCLE = """
fix move all nve/noforce
timestep $(1/v_steps)
dump cycle all custom 1 cycle id x fx
dump_modify cycle sort id format float %.17g
compute energy all pair/local ENERGY
compute held all reduce sum c_energy inputs local
thermo $(v_steps/10)
thermo_style custom step c_held
thermo_modify norm no format float %.17g
run ${steps}
variable back atom -vx
velocity all set v_back NULL NULL
run ${steps}
""".replace("ENERGY", pair_local("bridge_energy"))


class Pair(NamedTuple):
    """Two spheres and the liquid between them. Lengths are in diameters of the larger sphere."""

    ratio: float
    angle: float  # contact angle, degrees
    volume: float

    @property
    def radii(self) -> tuple[float, float]:
        """Radii of both spheres."""
        return RADIUS, RADIUS * self.ratio

    @property
    def bridge(self) -> Bridge:
        """Reference solution for the bridge of the pair."""
        radius = float(derjaguin_radius(*self.radii))
        return Bridge(1.0, math.radians(self.angle), self.volume, radius)

    @property
    def label(self) -> str:
        """Name in tables and figures."""
        ratio = self.volume / self.bridge.radius**3
        return f"V/R³ = {ratio:g}, θ = {self.angle:g}°, sizes 1:{self.ratio:g}"


def all_pairs() -> list[Pair]:
    return [
        Pair(ratio, angle, volume * float(derjaguin_radius(RADIUS, RADIUS * ratio)) ** 3)
        for ratio in SIZE_RATIOS
        for angle in ANGLES
        for volume in VOLUMES
    ]


PAPER = Pair(1.0, 12.0, 7.4e-3)  # values of Kovalcinova et al.
PRINTED_ENERGY = 4.58e-6
# surface tension of water, density of glass and gravity, in SI units
WATER, GLASS, EARTH = 0.072, 2500.0, 9.81


class Cycle(NamedTuple):
    """Gap and pull at every step while a pair moves apart and together again."""

    gap: np.ndarray
    pull: np.ndarray

    @property
    def half(self) -> int:
        """Number of steps in which the pair moves apart."""
        return len(self.gap) // 2


def write_pairs(c: Context, pairs: list[Pair]) -> Path:
    spheres = []
    for n, pair in enumerate(pairs):
        way = FARTHEST * pair.bridge.rupture_distance + OVERLAP
        x = sum(pair.radii) - OVERLAP
        spheres.append((n + 1, pair.radii[0], (0.0, 4 * n + 2, 0.0), (0.0, 0.0, 0.0)))
        spheres.append((n + 1, pair.radii[1], (x, 4 * n + 2, 0.0), (way, 0.0, 0.0)))
    kind, radius, place, velocity = zip(*spheres, strict=True)
    return packings.write_spheres(
        c.folder / "pairs.data",
        [(-2.0, 4.0), (0.0, 4.0 * len(pairs)), (-2.0, 2.0)],
        place,
        diameter=2.0 * np.array(radius),
        kind=kind,
        velocity=velocity,
    )


def cycles(c: Context, pairs: list[Pair], simple: bool) -> tuple[list[Cycle], np.ndarray]:
    """Return the cycles, and the sum of the bridge energies at eleven gaps."""
    word = " simple" if simple else ""
    angle = c["angle_offset"]
    coefficients = [f"pair_coeff * * 1 20 volume 1e-3{word}"] + [
        f"pair_coeff {n + 1} {n + 1} 1 {pair.angle + angle:.17g} volume {pair.volume:.17g}{word}"
        for n, pair in enumerate(pairs)
    ]
    run = c.lammps(
        SCRIPT + "\n".join(coefficients) + CYCLE,
        variables={"data": write_pairs(c, pairs), "steps": STEPS[c.tier]},
    )
    table = run.dump("cycle")[["x", "fx"]].to_numpy().reshape(-1, len(pairs), 2, 2)
    there = run.thermo["run"] == 0
    return [
        Cycle(table[:, n, 1, 0] - table[:, n, 0, 0] - sum(pair.radii), table[:, n, 0, 1])
        for n, pair in enumerate(pairs)
    ], run.thermo.loc[there, "c_held"].to_numpy()


def expected(pair: Pair, cycle: Cycle, simple: bool) -> np.ndarray:
    bridge = pair.bridge
    law = bridge.simple_force if simple else bridge.force
    bridged, acts = False, []
    for gap in cycle.gap:
        bridged = bool(gap < 0.0 or (bridged and gap < bridge.rupture_distance))
        acts.append(bridged)
    return np.where(acts, law(np.maximum(cycle.gap, 0.0)), 0.0)


def work_to_rupture(pair: Pair, cycle: Cycle) -> float:
    end = pair.bridge.rupture_distance
    gap, pull = cycle.gap[: cycle.half], cycle.pull[: cycle.half]
    acts = (gap > 0.0) & (pull > 0.0)
    gap, pull = gap[acts], pull[acts]
    last = np.interp(end, gap[-2:], pull[-2:])
    last += (pull[-1] - pull[-2]) / (gap[-1] - gap[-2]) * (end - gap[-1])
    gap = np.concatenate([[0.0], gap, [end]])
    pull = np.concatenate([[cycle.pull[0]], pull, [last]])
    return float((0.5 * (pull[1:] + pull[:-1]) * np.diff(gap)).sum())


def run(c: Context) -> None:
    pairs = [*all_pairs(), PAPER]
    found, stored = {}, {}
    for simple in (False, True):
        found[simple], stored[simple] = cycles(c, pairs, simple)
        judge_stored(c, pairs, found[simple], stored[simple], simple)
    laws_and_energies(c, pairs, found)
    paper(c, found[True][-1])
    shapes(c, pairs[:-1], found)


def judge_stored(
    c: Context, pairs: list[Pair], found: list[Cycle], stored: np.ndarray, simple: bool
) -> None:
    expected_sum = np.zeros(len(stored))
    for pair, cycle in zip(pairs, found, strict=True):
        for n, gap in enumerate(cycle.gap[: cycle.half + 1 : (cycle.half + 1) // 10]):
            if gap <= 0.0:  # the pull does not depend on the overlap
                expected_sum[n] += gap * cycle.pull[0]
            elif gap < pair.bridge.rupture_distance:
                energy = pair.bridge.simple_energy if simple else pair.bridge.energy
                expected_sum[n] += float(energy(gap))
    c.check(
        f"{'willett/simple' if simple else 'willett'}: energy of all bridges, largest error,"
        " fraction of the largest energy",
        measured=np.abs(stored - expected_sum).max() / expected_sum.max(),
        reference=0.0,
        tolerance=1e-10,
        kind="absolute",
        reason="the reference is a quadrature to ten digits",
    )


def laws_and_energies(c: Context, pairs: list[Pair], found: dict[bool, list[Cycle]]) -> None:
    rows = []
    for simple, name in ((False, "willett"), (True, "willett/simple")):
        for pair, cycle in zip(pairs, found[simple], strict=True):
            reference = expected(pair, cycle, simple)
            bridge = pair.bridge
            end = bridge.rupture_distance
            stored = float(bridge.simple_energy(end)) if simple else bridge.energy(end)
            stretched = cycle.gap[: cycle.half][cycle.pull[: cycle.half] > 0.0]
            returning = slice(cycle.half, None)
            early = cycle.pull[returning][cycle.gap[returning] > 0.0]
            late = cycle.pull[returning][cycle.gap[returning] < 0.0]
            rows.append(
                {
                    "law": name,
                    "pair": pair.label,
                    "force": float(np.abs(cycle.pull - reference).max() / reference.max()),
                    "rupture": float(stretched.max() / end - 1.0),
                    "energy": work_to_rupture(pair, cycle) / stored - 1.0,
                    "before touch": float(early.max(initial=0.0)),
                    "after touch": float(late.min(initial=np.inf) / reference.max()),
                }
            )
    table = pd.DataFrame(rows)
    c.table("laws", table, "Deviations from the formulas, for each law and pair.")
    way = FARTHEST / STEPS[c.tier]
    for name in ("willett", "willett/simple"):
        of_law = table[table["law"] == name]
        c.check(
            f"{name}: force against the formula, largest error, fraction of the force at touch",
            measured=of_law["force"].max(),
            reference=0.0,
            tolerance=1e-12,
            kind="absolute",
            reason="only round-off of positions and of a few dozen operations",
        )
        c.check(
            f"{name}: largest gap at which a bridge pulls / rupture distance, minus 1",
            measured=of_law["rupture"].abs().max(),
            reference=0.0,
            tolerance=1.1 * way,
            kind="absolute",
            reason="the gap is sampled once per step; the tolerance is 1.1 times the change per"
            " step",
        )
        c.check(
            f"{name}: work from touch to rupture / energy of the bridge at rupture, minus 1",
            measured=of_law["energy"].abs().max(),
            reference=0.0,
            tolerance=1e-6,
            kind="absolute",
            reason="the trapezoidal rule with 4000 intervals has an error of 6e-8; the tolerance is"
            " more than ten times this error",
        )
        c.check(
            f"{name}: capillary force during approach, before touch",
            measured=of_law["before touch"].max(),
            reference=0.0,
            tolerance=0.0,
            kind="absolute",
            reason="a ruptured bridge must not pull at any gap",
        )
        c.check(
            f"{name}: smallest capillary force after renewed touch, fraction of the force at touch",
            measured=of_law["after touch"].min(),
            reference=1.0,
            tolerance=1e-12,
            kind="absolute",
            reason=(
                "the bridge forms at touch, and the force of a bridge does not depend on the"
                " overlap, except for round-off"
            ),
        )


def paper(c: Context, cycle: Cycle) -> None:
    c.check(
        "V = 7.4e-3 d³, θ = 12°, law willett/simple: energy of a bridge / (tension d²)",
        measured=work_to_rupture(PAPER, cycle),
        reference=0.23786,
        tolerance=5e-6,
        kind="absolute",
        reason="the reference is given to five digits",
    )
    pulled = cycle.gap[: cycle.half][cycle.pull[: cycle.half] > 0.0]
    c.check(
        "V = 7.4e-3 d³, θ = 12°: rupture distance / d",
        measured=pulled.max(),
        reference=0.22367,
        tolerance=FARTHEST * 0.22367 / STEPS[c.tier] + 5e-6,
        kind="absolute",
        reason="the tolerance is the change of the gap in a step plus half of the last digit of the"
        " reference",
    )
    printed = Bridge(1.0, PAPER.bridge.angle, c["printed_volume"], RADIUS)
    c.claim(
        "K1",
        "rupture distance for the printed volume / d",
        statistics.numerical(printed.rupture_distance, 1e-12, "closed form"),
        equals=0.05,
        within=0.005,
        reason="the paper prints about 0.05",
    )
    c.not_reproduced(
        "Kovalcinova et al. print S_max = 0.05 and E_max = 4.58e-6 for V = 7.4e-3 d³ and θ = 12°."
        " Their equations (2) and (3) give S_max = 0.22367 d and E_max = 0.23786 tension d². The"
        " printed constant 8.8795 in (3) should read 8.8975 = 10 - 1.05²."
    )
    printed_energy(c, printed)


def printed_energy(c: Context, printed: Bridge) -> None:
    energy = TENSION * float(printed.simple_energy(printed.rupture_distance))
    for unit, factor in (
        ("mean diameters, masses and collision times", 1.0),
        ("units of m g/d", GRAVITY),
    ):
        c.undecidable(
            "K28",
            f"energy of a bridge / {PRINTED_ENERGY:g}, with the tension for the printed cohesive"
            f" pressure of {COHESION:g}, in {unit}",
            statistics.numerical(energy * factor / PRINTED_ENERGY, 1e-9, "closed form"),
            reason="the paper uses two units of pressure and does not give the bead size, but the"
            " tension depends on the bead size",
        )
    tension = PRINTED_ENERGY * TENSION / energy
    pressure = PRESSURE * math.pi * tension * math.cos(printed.angle)
    collision = math.pi**2 / (2.0 * EARTH * PRINTED_STIFFNESS)  # time^2 / bead size
    bead = math.sqrt(WATER * collision / (GLASS * math.pi / 6.0 * tension))
    c.note(
        f"The printed E_max requires a tension of {tension:.3g} in units of mean diameters, masses"
        f" and collision times. Wet glass beads of {1e3 * bead:.0f} mm with the printed stiffness"
        f" have this tension. The cohesive pressure of such bridges is {pressure:.2g} in the same"
        f" units, or {pressure / GRAVITY:.2g} in units of m g/d. The paper gives a cohesive"
        f" pressure of {COHESION:g}. If {COHESION:g} is in the former units, E_max is {energy:.3g}."
        f" If the pressure is in units of m g/d, E_max is {energy * GRAVITY:.3g}."
    )


def shapes(c: Context, pairs: list[Pair], found: dict[bool, list[Cycle]]) -> None:
    rows, curves = [], []
    for n, pair in enumerate(pairs):
        bridge = pair.bridge
        gaps = np.linspace(0.01, 1.3, 80) * bridge.rupture_distance
        solved = young_laplace(pair.radii, bridge.angle, bridge.volume, gaps)
        curves.append(solved)
        exact = np.array([(shape.gap, shape.force) for shape in solved])
        stable = exact[:, 0] <= STABLE * exact[-1, 0]
        errors = {}
        for simple in (False, True):
            cycle = found[simple][n]
            out = slice(0, cycle.half)
            pull = np.interp(exact[stable, 0], cycle.gap[out], cycle.pull[out])
            errors[simple] = np.abs(pull / exact[stable, 1] - 1.0)
        rows.append(
            {
                "pair": pair.label,
                "angle": pair.angle,
                "near touch": errors[False][0],
                "willett": errors[False].max(),
                "willett/simple": errors[True].max(),
                "widest gap over rupture distance": exact[-1, 0] / bridge.rupture_distance,
            }
        )
    table = pd.DataFrame(rows)
    c.table(
        "young-laplace",
        table.drop(columns="angle"),
        "Largest difference of the laws from the capillary equation, up to"
        f" {STABLE:g} of the widest gap that the equation allows.",
    )
    c.check(
        "willett against Young-Laplace, largest relative difference",
        measured=table["willett"].max(),
        reference=0.12,
        tolerance=0.0,
        kind="at_most",
        reason="in this range, the stated accuracy of the regression is 2 to 12 %",
    )
    c.check(
        "willett against Young-Laplace at a hundredth of the rupture distance",
        measured=table["near touch"].max(),
        reference=0.0,
        tolerance=0.02,
        kind="absolute",
        reason="the stated accuracy of the regression is 2 % at small gaps, where the force is"
        " largest",
    )
    c.check(
        "willett/simple against Young-Laplace, θ ≤ 20°",
        measured=table["willett/simple"][table["angle"] <= 20.0].max(),
        reference=0.33,
        tolerance=0.0,
        kind="at_most",
        reason="the stated accuracy, 12 to 32 %, refers to different grids of gaps; the bound is"
        " therefore larger by 1 %",
    )
    widest = table["widest gap over rupture distance"]
    equal = np.array([pair.ratio == 1.0 for pair in pairs])
    c.check(
        "equal spheres: rupture distance / widest gap with an equilibrium shape, minus 1",
        measured=float(np.abs(1.0 / widest[equal] - 1.0).max()),
        reference=0.0,
        tolerance=0.06,
        kind="absolute",
        reason="the formula is known to deviate by 4 to 5 % at 20°; gaps have a spacing of 1.6 %",
    )
    c.note(
        "For spheres of sizes 1:2, the rupture distance with Derjaguin's radius is up to"
        f" {np.abs(1.0 / widest[~equal] - 1.0).max():.0%} larger than the widest gap that has an"
        " equilibrium shape."
    )
    draw(c, pairs, found, curves)


def draw(
    c: Context, pairs: list[Pair], found: dict[bool, list[Cycle]], curves: list[list[Shape]]
) -> None:
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(3, 3, figsize=(12.0, 9.0))
    for axis, n in zip(grid.T.flat, range(9), strict=True):
        pair = pairs[n]
        bridge = pair.bridge
        scale = 2.0 * np.pi * bridge.radius
        for simple, label, colour in (
            (False, "willett", "C0"),
            (True, "willett/simple", "C1"),
        ):
            cycle = found[simple][n]
            x = cycle.gap / bridge.rupture_distance
            axis.plot(x, cycle.pull / scale, colour, label=label, linewidth=1.0)
        axis.plot(
            [shape.gap / bridge.rupture_distance for shape in curves[n]],
            [shape.force / scale for shape in curves[n]],
            "k--",
            label="Young–Laplace",
            linewidth=1.0,
        )
        axis.set_title(pair.label, fontsize=9)
    grid[0, 0].legend(fontsize=8)
    for axis in grid[-1]:
        axis.set_xlabel("gap / rupture distance")
    for axis in grid[:, 0]:
        axis.set_ylabel("pull / (2π R tension)")
    figure.tight_layout()
    c.figure(
        "force",
        figure,
        "Pull of bridges between equal spheres. The pull follows the curve while the spheres move"
        " apart. While the spheres return, the pull is zero until they touch.",
    )


CASE = Case(
    name="bridge-two-spheres",
    title="Liquid bridges form, stretch and rupture by Willett's formulas and the Young-Laplace"
    " equation",
    source="[willett2000]; [kovalcinova2018]",
    tier="smoke",
    parameters={"angle_offset": 0.0, "printed_volume": 7.4e-3},
    spoil={"angle_offset": 3.0},
    planted={
        "K1": {"printed_volume": 9e-5},
    },
    run=run,
)
