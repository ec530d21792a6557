"""A dry and a wet granulate in two dimensions, sheared by parabolic walls under pressure.

After Kovalcinova et al. 2018. A pack of 47 by 17 mean diameters between walls of grains; the upper
and the lower wall take the shape y = A sin(2 pi t/T)(1 - (2x/L)^2), left and right walls stand
still. Units: mean diameter, mass of a grain of that size, and the time of a collision.

The ledger says where the energy goes: E_bb is what ruptured bridges lose, E_l all other losses.
What the walls put in is integrated from the forces on them, apart from the ledger.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from pysuite.cases import Case, Context, intervals
from pysuite.outputs import LOSSES
from pysuite.references.bridges import Bridge
from pysuite.setups import packings

LENGTH, HEIGHT = 47.0, 17.0
SPREAD = 0.2
SHEAR_ANGLE = math.radians(4.0)
AMPLITUDE = math.tan(SHEAR_ANGLE) * LENGTH / 2.0
STIFFNESS = math.pi**2 / 2.0  # a collision of two grains takes 1
RESTITUTION = 0.5
ANGLE, VOLUME = 12.0, 7.4e-3
# The paper names no size of its beads, hence no surface tension in these units. It says that the
# pull of the bridges squeezes the pack as a pressure of 0.07 does; grains in contact with four
# others that each pull with 0.14 do so. Beads of 0.4 mm have this tension.
TENSION = 0.045
FRICTION = {"dry": 0.29, "wet": 0.25}
SEGMENTS = 9  # of the way between the two largest shear angles, as in the paper


SAMPLES = 36  # of a cycle
ROWS, COLUMNS, SPACING = 22, 38, 1.22  # of grains before they are pressed together


class Tier(NamedTuple):
    """How long and how slowly the pack is sheared; the paper's period is 65700, its cycles 35.

    At the paper's rate one run takes hours. That of the full tier is quasi-static as well: the
    inertial number, shear rate times sqrt(mass/(diameter * pressure)), stays below 1e-3.
    `--set slower=24` shears as slowly as the paper.
    """

    pressures: tuple[float, ...]
    period: float
    cycles: int
    settled: int  # cycles before those that count, the pressure renewed after each
    timestep: float


TIERS = {
    "quick": Tier((0.03, 0.1, 0.17, 0.25), 900.0, 3, 1, 1.0 / 30.0),
    "full": Tier((0.05, 0.1, 0.17, 0.28), 2700.0, 8, 4, 1.0 / 30.0),
}
SETTLE = 400.0

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
dimension 2
newton off
comm_modify vel yes
boundary f f p
read_data ${data}
group grains type 1
group top type 2
group bottom type 3
group sides type 4
group walls union top bottom sides
pair_style granular/plus ledger yes
pair_coeff * * ${law}
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
neigh_modify exclude group walls walls
timestep ${step}
fix move grains nve/sphere
fix sides sides move linear 0 0 0
fix flat all enforce2d
variable place atom x
fix place walls store/state 0 v_place
variable shape atom 1-(2*f_place/${length})^2
variable phase equal 2*PI*(time-v_begin)/${period}
variable displacement atom ${amplitude}*sin(v_phase)*v_shape
variable speed atom ${amplitude}*2*PI/${period}*cos(v_phase)*v_shape
variable zero equal 0
group moved union top bottom
compute ledger all granular/ledger
variable push atom -fy*vy
compute push moved reduce sum v_push
fix push all ave/time 5 $(v_every/5) ${every} c_push
variable pressure equal (fcm(top,y)-fcm(bottom,y))/2/${length}
thermo_style custom step time v_pressure c_ledger[*] f_push
thermo_modify norm no format float %.17g
thermo ${every}
"""
# the upper wall comes down as one row under the pressure, and stays where it comes to rest
PRESS = """
fix bottom bottom move linear 0 0 0
fix press top aveforce NULL $(-v_load*v_length/count(top)) NULL
fix guide top setforce 0 NULL 0
fix fall top nve
fix drag all viscous 0.1
run ${settle}
unfix drag
unfix fall
unfix guide
unfix press
unfix bottom
velocity all set 0 0 0
set group all omega 0 0 0
"""
SHEAR = """
variable begin equal $(time)
fix moved moved move variable v_zero v_displacement NULL v_zero v_speed NULL
run ${cycle}
unfix moved
"""
WATCH = "dump places grains custom ${every} places id x y\ndump_modify places sort id\n"


class Cycles(NamedTuple):
    """What one run tells of the cycles that count.

    Attributes:
        angle: (samples,) shear angle in the middle of a sample, radians.
        pressure: (samples + 1,) mean of both moved walls.
        bridges: (samples,) energy lost by ruptures.
        losses: (samples,) all other losses.
        work: (samples,) of the walls, from the forces on them.
        balance: (samples,) the same by the ledger: what its entries do not explain.
        nonaffine: (samples,) mean D2min of the grains.
    """

    angle: np.ndarray
    pressure: np.ndarray
    bridges: np.ndarray
    losses: np.ndarray
    work: np.ndarray
    balance: np.ndarray
    nonaffine: np.ndarray

    @staticmethod
    def per_cycle(samples: np.ndarray) -> np.ndarray:
        """The same as (cycles, samples of one)."""
        return samples.reshape(-1, SAMPLES)


def write_pack(c: Context) -> Path:
    """Grains on a grid between walls of grains, seeded."""
    rng = np.random.default_rng(20)
    low, high = -0.5 * HEIGHT, -0.5 * HEIGHT + ROWS * SPACING + 1.0
    rows = []
    for column in range(COLUMNS):
        for row in range(ROWS):
            x = (column - 0.5 * (COLUMNS - 1)) * SPACING
            y = low + 0.5 + (row + 0.5) * SPACING
            rows.append((1, rng.uniform(1.0 - SPREAD, 1.0 + SPREAD), x, y))
    along = np.arange(LENGTH) - 0.5 * (LENGTH - 1.0)
    rows += [(2, 1.0, x, high + 0.5) for x in along]
    rows += [(3, 1.0, x, low - 0.5) for x in along]
    upright = np.arange(low - 0.5, high + 3.0)
    rows += [(4, 1.0, side * (0.5 * LENGTH + 0.5), y) for side in (-1, 1) for y in upright]
    kind, diameter, x, y = np.transpose(rows)
    return packings.write_spheres(
        c.folder / "pack.data",
        [(-30.0, 30.0), (low - 5.0, high + 8.0), (-0.5, 0.5)],
        np.column_stack([x, y, np.zeros_like(x)]),
        diameter=diameter,
        density=6.0 / math.pi,  # the mass of a grain of diameter 1 is 1
        kind=kind.astype(int),
    )


def law(c: Context, kind: str) -> str:
    words = (
        f"hooke {STIFFNESS:.17g} {c['restitution']} damping coeff_restitution"
        f" tangential linear_history {0.8 * STIFFNESS:.17g} 0.5"
        f" {FRICTION[kind] * c['friction']}"
    )
    if kind == "wet":
        words += f" bridge willett/simple {c['tension']} {ANGLE} volume {VOLUME}"
    return words


def shear(c: Context, kind: str, load: float) -> Cycles:
    tier = TIERS["full" if c.tier == "full" else "quick"]
    every = 5 * round(c["slower"] * tier.period / SAMPLES / tier.timestep / 5)
    cycle = every * SAMPLES
    counted = tier.cycles - tier.settled
    script = SCRIPT + PRESS + tier.settled * (SHEAR + PRESS) + WATCH + counted * SHEAR
    run = c.lammps(
        script,
        variables={
            "data": write_pack(c),
            "law": law(c, kind),
            "step": tier.timestep,
            "length": LENGTH,
            "period": cycle * tier.timestep,
            "amplitude": AMPLITUDE,
            "every": every,
            "cycle": cycle,
            "settle": every * round(SETTLE / tier.timestep / every),
            "load": load,
        },
        timeout=100 * 3600.0,
    )
    thermo = run.thermo
    last = thermo[thermo["run"] > thermo["run"].max() - counted].drop_duplicates("Step")
    ledger = run.ledger.loc[last.index]
    lost = ledger[[loss for loss in LOSSES if loss != "rupture"]].sum(axis=1) - ledger["created"]
    places = run.dump("places").drop_duplicates(["step", "id"])
    steps = places["step"].nunique()
    places = places[["x", "y"]].to_numpy().reshape(steps, -1, 2)
    middle = (np.arange(steps - 1) % SAMPLES + 0.5) / SAMPLES
    return Cycles(
        SHEAR_ANGLE * np.sin(2.0 * np.pi * middle),
        last["v_pressure"].to_numpy(),
        np.diff(ledger["rupture"]),
        np.diff(lost),
        last["f_push"].to_numpy()[1:] * every * tier.timestep,
        np.diff(ledger["residual"]),
        np.array([nonaffine(a, b) for a, b in itertools.pairwise(places)]),
    )


def nonaffine(before: np.ndarray, after: np.ndarray) -> float:
    """Mean of D2min: mean square by which neighbours within 2.5 miss the best affine motion."""
    i, j = cKDTree(before).query_pairs(2.5, output_type="ndarray").T
    i, j = np.concatenate([i, j]), np.concatenate([j, i])
    old, new = before[j] - before[i], after[j] - after[i]
    squares, products = np.zeros((2, len(before), 2, 2))  # least squares for each grain
    np.add.at(squares, i, old[:, :, None] * old[:, None, :])
    np.add.at(products, i, old[:, :, None] * new[:, None, :])
    affine = np.linalg.pinv(squares, hermitian=True) @ products  # neighbours may lie in a line
    missed = ((new - np.einsum("mk,mkl->ml", old, affine[i])) ** 2).sum(axis=1)
    neighbours = np.bincount(i)
    near = neighbours > 0
    return float((np.bincount(i, missed)[near] / neighbours[near]).mean())


def run(c: Context) -> None:
    tier = TIERS["full" if c.tier == "full" else "quick"]
    counted = tier.cycles - tier.settled
    found = {(kind, load): shear(c, kind, load) for kind in FRICTION for load in tier.pressures}
    rows = []
    for (kind, load), cycles in found.items():
        rows.append(
            {
                "granulate": kind,
                "pressed with": load,
                "pressure": cycles.pressure.mean(),
                "E_bb": cycles.bridges.sum() / counted,
                "E_l": cycles.losses.sum() / counted,
                "E_diss": (cycles.bridges + cycles.losses).sum() / counted,
                "work of walls": cycles.work.sum() / counted,
                "work by the ledger": cycles.balance.sum() / counted,
                "D2min": cycles.nonaffine.mean(),
            }
        )
    table = pd.DataFrame(rows)
    c.table("cycles", table, "Energies per cycle, means over the cycles that count.")
    ledger(c, table, found)
    claims(c, table, found)
    draw(c, table, found)


def ledger(c: Context, table: pd.DataFrame, found: dict[tuple[str, float], Cycles]) -> None:
    """What must hold whatever the physics."""
    gap = (table["work by the ledger"] / table["work of walls"] - 1.0).abs()
    c.claim(
        "K21",
        "work of the walls: what the ledger leaves unexplained against the forces on them, largest"
        " difference of all runs",
        intervals.numerical(gap.max(), 1e-3, "trapezoids of the power"),
        equals=0.0,
        within=0.01,
        reason="trapezoids of the power, and the residual of the ledger, both below 1e-3 of all"
        " losses; some of the work is stored and returned",
    )
    bridge = Bridge(TENSION, math.radians(ANGLE), VOLUME, 0.5)
    one = float(bridge.simple_energy(bridge.rupture_distance))
    per_rupture = one * c["tension"] / TENSION
    wet = table[table["granulate"] == "wet"]
    ruptures = wet["E_bb"] / one
    c.check(
        "bridges ruptured per cycle in the wet pack, least of all pressures",
        measured=ruptures.min(),
        reference=1.0,
        tolerance=0.0,
        kind="at_least",
        reason="otherwise the packing is dry",
    )
    c.note(
        f"A bridge between mean grains loses {per_rupture:.3e} when it breaks, in units of mass,"
        " diameter and collision time. The paper names no size of its beads, so no surface tension"
        " in these units; 0.045 makes the bridges squeeze the pack as it says they do."
    )


def by_cycle(found: dict[tuple[str, float], Cycles], kind: str) -> pd.DataFrame:
    """Return a row for each counted cycle of a granulate: its pressure, losses and motion."""
    parts = []
    for (of_kind, load), run in found.items():
        if of_kind == kind:
            columns = {"pressure": run.pressure[1:], "D2min": run.nonaffine}
            frame = pd.DataFrame({n: run.per_cycle(v).mean(axis=1) for n, v in columns.items()})
            frame["E_bb"] = run.per_cycle(run.bridges).sum(axis=1)
            frame["E_l"] = run.per_cycle(run.losses).sum(axis=1)
            parts.append(frame.assign(load=load))
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(E_diss=frame["E_bb"] + frame["E_l"])


def judge_losses(c: Context, dry: pd.DataFrame, wet: pd.DataFrame) -> None:
    """Figures 4, 5 and 7: means of a cycle over pressure, each cycle a point."""
    slopes = {}
    for kind, cycles in (("dry", dry), ("wet", wet)):
        slopes[kind] = intervals.slope(cycles["pressure"], cycles["E_diss"])
        c.claim(
            "K6",
            f"{kind}: slope of E_diss over pressure",
            slopes[kind],
            at_least=0.0,
            reason="figure 4: grows, with scatter",
        )
    c.claim(
        "K7",
        "lowest slope of E_diss over pressure that the dry pack may have, less the highest of the"
        " wet one",
        intervals.Interval(
            slopes["dry"].value - slopes["wet"].value,
            slopes["dry"].low - slopes["wet"].high,
            slopes["dry"].high - slopes["wet"].low,
            slopes["dry"].how,
        ),
        at_least=0.0,
        reason="figure 4: the dry one is steeper; friction alone makes it 1.16 times as steep",
    )
    # the loss bends down as the pressure rises, which lifts the end of a straight line by as much
    # as a sixth of the largest loss
    largest = dry["E_diss"].max()
    for kind, cycles, words in (
        ("dry", dry, {"equals": 0.0, "within": 0.25}),
        ("wet", wet, {"at_least": 0.25}),
    ):
        rest = intervals.extrapolated(cycles["pressure"], cycles["E_diss"], 2)
        c.claim(
            "K8",
            f"{kind}: E_diss at no pressure, extrapolated, over the largest of dry",
            rest.mapped(lambda loss: loss / largest),
            **words,
            reason="figure 4: about zero when dry, a third of the largest value when wet",
        )
    firmest = [cycles[cycles["load"] == cycles["load"].max()]["E_diss"] for cycles in (wet, dry)]
    c.claim(
        "K9",
        "wet over dry at the largest load: E_diss",
        intervals.ratio(*firmest),
        equals=1.0,
        within=0.5,
        reason="figure 4: alike",
    )
    c.claim(
        "K11",
        "wet: slope of E_bb over pressure",
        intervals.slope(wet["pressure"], wet["E_bb"]),
        at_most=0.0,
        reason="figure 5: falls",
    )
    c.claim(
        "K15",
        "wet: slope of D2min over pressure",
        intervals.slope(wet["pressure"], wet["D2min"]),
        at_most=0.0,
        reason="figure 7: falls",
    )


def judge_share(c: Context, wet: pd.DataFrame) -> None:
    """Figure 5 at low pressure; friction is what Coulomb's law demands at any."""
    c.claim(
        "K12",
        "wet: part of the losses that ruptures have, cycles at all pressures",
        intervals.mean(wet["E_bb"] / wet["E_diss"], c.level, of="cycles"),
        at_least=2.0 / 3.0,
        reason="two thirds, as the paper says of low pressures; less at larger ones would still"
        " show a half",
    )


def judge_segments(c: Context, wet: dict[float, Cycles]) -> None:
    """Figures 6 and 7: what happens in the course of a cycle, each segment a point."""
    means = [segments(cycles) for cycles in wet.values()]
    together = pd.concat(mean / mean.mean() for mean in means)
    c.claim(
        "K13",
        "wet: correlation of E_bb and D2min over the segments of all pressures",
        intervals.correlation(together["E_bb"], together["D2min"]),
        at_least=0.3,
        reason="figure 6: they go together, with scatter",
    )
    flat = np.abs(together.index.to_numpy()) < 0.5 * SHEAR_ANGLE
    c.claim(
        "K14",
        "wet: D2min of the segments with the walls flat, less that of the others, over the mean",
        intervals.difference(together["D2min"][flat], together["D2min"][~flat], of="segments"),
        at_least=0.0,
        reason="figure 7: largest there",
    )


def claims(c: Context, table: pd.DataFrame, found: dict[tuple[str, float], Cycles]) -> None:
    """The paper's, one by one; most need the cycles of the full tier."""
    dry, wet = by_cycle(found, "dry"), by_cycle(found, "wet")
    c.table(
        "losses", pd.concat([dry, wet], keys=["dry", "wet"], names=["granulate", ""]).reset_index(0)
    )
    runs = {load: cycles for (kind, load), cycles in found.items() if kind == "wet"}
    judge_share(c, wet)
    if c.tier == "full":
        judge_losses(c, dry, wet)
        judge_segments(c, runs)
    up, down = np.mean([peaks(cycles) for cycles in runs.values()], axis=0)
    tier = TIERS["full" if c.tier == "full" else "quick"]
    period = c["slower"] * tier.period
    inertia = SHEAR_ANGLE * 2.0 * math.pi / period / math.sqrt(table["pressure"].min())
    c.note(
        f"The pressure peaks at {up:.3g} while sheared up, as at first, and at {down:.3g} while"
        f" sheared down. Sheared {65700.0 / period:.3g} times as fast as in the paper, inertial"
        f" number at most {inertia:.1g}; {tier.settled} cycles to settle, then"
        f" {tier.cycles - tier.settled} that count (20 and 15 in the paper)."
    )


def peaks(cycles: Cycles) -> tuple[float, float]:
    """Largest pressure in the first and in the second half of a cycle, means over cycles."""
    halves = cycles.pressure[:-1].reshape(-1, 2, SAMPLES // 2).max(axis=2)
    return tuple(halves.mean(axis=0))


def segments(cycles: Cycles) -> pd.DataFrame:
    """Means over equal segments of the shear angle."""
    edges = np.linspace(-SHEAR_ANGLE, SHEAR_ANGLE, SEGMENTS + 1)
    place = np.clip(np.digitize(cycles.angle, edges) - 1, 0, SEGMENTS - 1)
    frame = pd.DataFrame({"place": place, "E_bb": cycles.bridges, "D2min": cycles.nonaffine})
    mean = frame.groupby("place").mean()
    mean.index = pd.Index(0.5 * (edges[1:] + edges[:-1])[mean.index], name="angle")
    return mean


def draw(c: Context, table: pd.DataFrame, found: dict[tuple[str, float], Cycles]) -> None:
    import matplotlib.pyplot as plt

    loads = sorted(table["pressed with"].unique())
    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.0))
    for load in loads:
        pressure = found["wet", load].pressure
        time = np.arange(len(pressure)) / SAMPLES
        left.plot(time, pressure, label=f"pressed with {load:g}")
        angle = np.degrees(SHEAR_ANGLE * np.sin(2.0 * np.pi * time))
        right.plot(angle, pressure)
    left.set(xlabel="cycle", ylabel="pressure")
    right.set(xlabel="shear angle [degrees]", ylabel="pressure")
    left.legend(fontsize=8)
    c.figure("pressure", figure, "Confining pressure of the wet pack (figure 3).")

    figure, axes = plt.subplots(1, 3, figsize=(14.0, 4.0))
    for kind, style in (("dry", "ks-"), ("wet", "ro-")):
        of_kind = table[table["granulate"] == kind]
        axes[0].plot(of_kind["pressure"], of_kind["E_diss"], style, label=kind)
    wet = table[table["granulate"] == "wet"]
    axes[1].plot(wet["pressure"], wet["E_bb"], "bo-", label="$E_{bb}$, ruptures")
    axes[1].plot(wet["pressure"], wet["E_l"], "r^-", label="$E_l$, all else")
    axes[2].plot(wet["pressure"], wet["D2min"], "go-")
    for axis, label in zip(axes, ("$E_{diss}$", "energy", "$D^2_{min}$"), strict=True):
        axis.set(xlabel="pressure", ylabel=label, ylim=(0.0, None))
    axes[0].legend()
    axes[1].legend()
    c.figure("energies", figure, "Losses per cycle and nonaffine motion (figures 4, 5 and 7).")

    figure, axes = plt.subplots(1, 2, figsize=(11.0, 4.0))
    for axis, load in zip(axes, (loads[0], loads[-1]), strict=True):
        mean = segments(found["wet", load])
        axis.plot(np.degrees(mean.index), mean["E_bb"], "bo-")
        axis.set(xlabel="shear angle [degrees]", ylabel="$E_{bb}$ per sample", title=f"{load:g}")
        other = axis.twinx()
        other.plot(np.degrees(mean.index), mean["D2min"], "g^--")
        other.set_ylabel("$D^2_{min}$")
    c.figure("segments", figure, "Ruptures and nonaffine motion over the shear angle (figure 6).")


CASE = Case(
    name="wet-shear",
    title="Energy of a sheared dry and wet granulate under pressure",
    source="[kovalcinova2018]",
    tier="quick",
    parameters={
        "tension": TENSION,
        "slower": 1.0,
        "friction": 1.0,
        "restitution": RESTITUTION,
    },
    spoil={"tension": 1e-6},
    # ruptures alone take energy
    planted={"K12": {"tension": 4.0 * TENSION, "friction": 0.0, "restitution": 1.0}},
    run=run,
    timeout=400 * 3600.0,
)
