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

from pysuite.cases import Case, Context
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
        f"hooke {STIFFNESS:.17g} {RESTITUTION} damping coeff_restitution"
        f" tangential linear_history {0.8 * STIFFNESS:.17g} 0.5 {FRICTION[kind]}"
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
    return float((np.bincount(i, missed) / np.bincount(i)).mean())


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
    c.check(
        "work of the walls: what the ledger leaves unexplained against the forces on them",
        measured=gap.max(),
        reference=0.0,
        tolerance=0.01,
        kind="absolute",
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
    dry = table[table["granulate"] == "dry"]
    c.check(
        "energy lost by bridges in the dry pack",
        measured=float(dry["E_bb"].abs().max()),
        reference=0.0,
        tolerance=0.0,
        kind="absolute",
        reason="the dry packing has no bridges",
    )
    c.note(
        f"A bridge between mean grains loses {per_rupture:.3e} when it breaks, in units of mass,"
        " diameter and collision time. The paper names no size of its beads, so no surface tension"
        " in these units; 0.045 makes the bridges squeeze the pack as it says they do."
    )


def line(table: pd.DataFrame, entry: str) -> tuple[float, float, float]:
    """Slope, intercept and correlation of an entry over pressure."""
    slope, intercept = np.polyfit(table["pressure"], table[entry], 1)
    return slope, intercept, float(np.corrcoef(table["pressure"], table[entry])[0, 1])


def at_no_pressure(runs: list[Cycles]) -> float:
    """E_diss of a cycle at no pressure, by a parabola through all cycles of these runs.

    The loss bends down as the pressure rises, which lifts the end of a straight line by as much as
    a sixth of the largest loss. Scatter from cycle to cycle goes with the loss, and so weights do.
    """
    loss = np.concatenate([run.per_cycle(run.bridges + run.losses).sum(axis=1) for run in runs])
    pressure = np.concatenate([run.per_cycle(run.pressure[1:]).mean(axis=1) for run in runs])
    return float(np.polyfit(pressure, loss, 2, w=1.0 / loss)[-1])


def at_rest(table: pd.DataFrame, found: dict[tuple[str, float], Cycles]) -> dict[str, float]:
    """Return E_diss at no pressure, dry and wet."""
    loads = table["pressed with"].unique()
    return {kind: at_no_pressure([found[kind, load] for load in loads]) for kind in FRICTION}


def judge_losses(c: Context, table: pd.DataFrame, rest: dict[str, float]) -> None:
    """Figure 4: losses over pressure."""
    for kind in FRICTION:
        slope, _, correlation = line(table[table["granulate"] == kind], "E_diss")
        c.check(
            f"{kind}: E_diss grows with pressure, correlation",
            measured=correlation if slope > 0.0 else 0.0,
            reference=0.95,
            tolerance=0.0,
            kind="at_least",
            reason="figure 4: linear, with scatter",
        )
    largest = table[table["granulate"] == "dry"]["E_diss"].max()
    c.check(
        "dry: E_diss at no pressure, extrapolated, fraction of the largest",
        measured=rest["dry"] / largest,
        reference=0.0,
        tolerance=0.15,
        kind="absolute",
        reason="figure 4: about zero; losses of two cycles at one pressure differ by a fifth",
    )
    c.check(
        "wet less dry: E_diss at no pressure, extrapolated, fraction of the largest of dry",
        measured=(rest["wet"] - rest["dry"]) / largest,
        reference=0.1,
        tolerance=0.0,
        kind="at_least",
        reason="figure 4: not zero, unlike the dry packing; a third of the largest value there",
    )


class Claim(NamedTuple):
    """What the paper says, what is found, and whether that is the same."""

    claim: str
    found: str
    holds: bool


def over_pressure(table: pd.DataFrame, rest: dict[str, float]) -> list[Claim]:
    """The paper's claims on how means of a cycle change with the pressure."""
    dry, wet = (table[table["granulate"] == kind] for kind in ("dry", "wet"))
    ratio = line(dry, "E_diss")[0] / line(wet, "E_diss")[0]
    level = wet["E_diss"].iloc[-1] / dry["E_diss"].iloc[-1]
    falls, squeezed = line(wet, "E_bb")[2], line(wet, "D2min")[2]
    share = wet["E_bb"] / wet["E_l"]
    return [
        Claim(
            "E_diss of the dry pack goes to 0 with the pressure, of the wet one not",
            f"{rest['dry']:.3g} and {rest['wet']:.3g}",
            rest["wet"] > 2.0 * abs(rest["dry"]),
        ),
        Claim(
            "the dry one grows faster (friction alone: 1.16)",
            f"ratio of slopes {ratio:.2f}",
            ratio > 1.0,
        ),
        Claim(
            "both lose alike at large pressure",
            f"wet over dry {level:.2f}",
            2.0 / 3.0 < level < 1.5,
        ),
        Claim("E_bb falls with pressure", f"correlation {falls:.2f}", falls < -0.5),
        Claim("D2min falls with pressure", f"correlation {squeezed:.2f}", squeezed < -0.5),
        Claim(
            "E_bb leads at low pressure (two thirds of all), E_l at high: they cross",
            f"E_bb over E_l from {share.iloc[0]:.2f} to {share.iloc[-1]:.2f}",
            share.iloc[0] > 1.0 > share.iloc[-1],
        ),
    ]


def within_a_cycle(wet: dict[float, Cycles]) -> list[Claim]:
    """The paper's claims on what happens in the course of a cycle."""
    means = [segments(cycles) for cycles in wet.values()]
    together = [float(np.corrcoef(mean["E_bb"], mean["D2min"])[0, 1]) for mean in means]
    summits = [float(np.degrees(mean["D2min"].idxmax())) for mean in means]
    up, down = np.mean([peaks(cycles) for cycles in wet.values()], axis=0)
    return [
        Claim(
            "E_bb and D2min go together in the cycle",
            "correlation " + ", ".join(f"{value:.2f}" for value in together),
            min(together) > 0.3,
        ),
        Claim(
            "D2min is largest where the walls are flat and fastest",
            "at " + ", ".join(f"{angle:.1f}" for angle in summits) + " degrees",
            max(map(abs, summits)) < 1.5 * np.degrees(2.0 * SHEAR_ANGLE / SEGMENTS),
        ),
        Claim(
            "the pressure peaks higher while sheared up, as at first, than down",
            f"on average {up:.3g} and {down:.3g}",
            up > down,
        ),
    ]


def claims(c: Context, table: pd.DataFrame, found: dict[tuple[str, float], Cycles]) -> None:
    """The paper's, one by one."""
    rest = at_rest(table, found)
    judge_losses(c, table, rest)
    wet = {load: cycles for (kind, load), cycles in found.items() if kind == "wet"}
    said = [*over_pressure(table, rest), *within_a_cycle(wet)]
    frame = pd.DataFrame(said).rename(columns={"found": "found here"})
    c.table("claims", frame, "The paper's claims and what was found.")
    for claim in said:
        if not claim.holds:
            c.not_reproduced(f"Not found in this tier: {claim.claim}; {claim.found}.")
    tier = TIERS["full" if c.tier == "full" else "quick"]
    period = c["slower"] * tier.period
    inertia = SHEAR_ANGLE * 2.0 * math.pi / period / math.sqrt(table["pressure"].min())
    c.note(
        f"Sheared {65700.0 / period:.3g} times as fast as in the paper, inertial number at most"
        f" {inertia:.1g}; {tier.settled} cycles to settle, then {tier.cycles - tier.settled} that"
        " count (20 and 15 in the paper)."
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
    parameters={"tension": TENSION, "slower": 1.0},
    spoil={"tension": 1e-6},
    run=run,
    timeout=400 * 3600.0,
)
