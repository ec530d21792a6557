"""The shear cell of Kovalcinova et al. 2018: a two-dimensional pack sheared by lids that bend.

The pack lies between walls of grains. The side walls do not move. The upper and lower walls (lids)
have the shape y = A sin(2 pi t/T)(1 - (2x/L)^2). Units are the mean diameter, the mass of a grain
of this diameter, and the duration of a collision. The work of the lids is computed from the forces
on the lids. It is not taken from the ledger.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from pysuite.engine import Run
from pysuite.outputs import LOSSES, pair_local
from pysuite.validation import Context
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings

LENGTH, HEIGHT = 47.0, 17.0
SPREAD = 0.2
SHEAR_ANGLE = math.radians(4.0)
AMPLITUDE = math.tan(SHEAR_ANGLE) * LENGTH / 2.0
STIFFNESS = math.pi**2 / 2.0  # a collision of two grains lasts 1
RESTITUTION = 0.5
ANGLE, VOLUME = 12.0, 7.4e-3
SMALL_VOLUME = 9e-5  # volume of bridges with the rupture distance that is printed in the paper
# The paper gives no surface tension in these units, but states that the bridges are equivalent to a
# pressure of 0.07. For discs with four contacts each and an area fraction of 0.8, this pressure
# corresponds to a tension of 0.022. PRESSURE is this pressure / the force of a bridge at gap 0.
COHESION = 0.07
TENSION = 0.022
PRESSURE = 4.0 * 0.8 / math.pi
# The printed stiffness, 4e3, agrees with the collision time of the paper, pi (d/2 g k)^(1/2), only
# in units of m g/d. The printed pressures may also be in these units. GRAVITY converts them.
PRINTED_STIFFNESS = 4e3
GRAVITY = STIFFNESS / PRINTED_STIFFNESS
FRICTION = {"dry": 0.29, "wet": 0.25}
SAMPLES = 36  # samples per cycle
ROWS, COLUMNS, SPACING = 22, 38, 1.22  # grid of grains before they are pressed together
STEP = 1.0 / 30.0
PRESSING = 100.0  # duration of the first pressing; later pressings last a third as long

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
group lids union top bottom
pair_style granular/plus
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
variable speed atom ${amplitude}*2*PI/${period}*(1-(2*f_place/${length})^2)
thermo 1000000
# otherwise LAMMPS would compute energy and virial whenever the fix ave/time below samples
thermo_style custom step ke
uncompute thermo_press
uncompute thermo_pe
"""
# The upper lid moves down as a rigid row of grains. When it is at rest, it is fixed there.
PRESS = """
fix bottom bottom move linear 0 0 0
fix press top aveforce NULL $(-v_load*v_length/count(top)) NULL
fix guide top setforce 0 NULL 0
fix fall top nve
fix drag all viscous 0.1
run ${pressing}
unfix drag
unfix fall
unfix guide
unfix press
unfix bottom
velocity all set 0 0 0
set group all omega 0 0 0
"""
SWING = """
fix pull lids store/force
fix top top setforce 0 0 0
fix base bottom setforce 0 0 0
fix spring lids spring/self $((2*PI/v_period)^2) y
fix swing lids nve
velocity lids set 0 v_speed 0
"""
REST = """
unfix swing
unfix spring
unfix base
unfix top
unfix pull
"""
# Means over samples. The ledger makes steps 50 % slower. It is used only in the evaluated cycles.
WATCH = """
variable push atom -f_pull[2]*vy
compute push lids reduce sum v_push
fix watch all ave/time 5 $(v_every/5) ${every} c_push f_top[2] f_base[2]
thermo_style custom step f_watch[2] f_watch[3]
thermo_modify norm no format float %.17g
thermo ${every}
compute ids all property/local patom1 patom2
compute normal all pair/local NORMAL
run ${settling}
pair_style granular/plus ledger yes
compute ledger all granular/ledger
thermo_style custom step c_ledger[*] f_watch[1] f_watch[2] f_watch[3]
thermo_modify norm no format float %.17g
dump places grains custom ${every} places id x y
dump_modify places sort id
run ${counted}
write_dump all local contacts index c_ids[1] c_ids[2] c_normal[1] c_normal[2] &
  modify format float %.17g
write_dump all custom grains id type x y radius modify sort id format float %.17g
""".replace("NORMAL", pair_local("normal_elastic", "normal_dashpot"))


class Granulate(NamedTuple):
    """Properties of the grains.

    If `tension` is 0, no bridges form. `STIFFNESS` is multiplied by `stiffer`.
    """

    friction: float
    tension: float = 0.0
    volume: float = VOLUME
    restitution: float = RESTITUTION
    stiffer: float = 1.0

    @property
    def law(self) -> str:
        """Arguments of pair_coeff."""
        stiffness = self.stiffer * STIFFNESS
        words = (
            f"hooke {stiffness:.17g} {self.restitution} damping coeff_restitution"
            f" tangential linear_history {0.8 * stiffness:.17g} 0.5 {self.friction}"
        )
        if self.tension > 0.0:
            words += f" bridge willett/simple {self.tension} {ANGLE} volume {self.volume}"
        return words


class Protocol(NamedTuple):
    """Duration and rate of shearing.

    Attributes:
        pressed: number of first cycles. After each of them, the pack is pressed again.
        settling: number of further cycles before the evaluated cycles. During these cycles, the
            mean heights of the lids are fixed.
        counted: number of evaluated cycles. During these cycles, the mean heights of the lids are
            fixed.
        period: duration of a cycle. If equation 4 of the paper gives a shear rate, the period of
            the paper is 65700. If equation 4 gives a velocity, the period is 4e4.
    """

    pressed: int
    settling: int
    counted: int
    period: float


class Cycles(NamedTuple):
    """Results of the evaluated cycles. Each cycle consists of SAMPLES samples.

    Attributes:
        lids: array of shape (samples, 2), pressure on the upper and the lower lid.
        ledger: table with samples + 1 rows, entries of the ledger at the ends of samples.
        work: array of shape (samples,), work of the lids, computed from the forces on the lids.
        nonaffine: array of shape (samples,), mean D2min of the grains.
        settling: array of shape (samples,), mean pressure on both lids in the settling cycles.
        grains: type, x, y, radius and sum of normal forces of each grain at the end.
        strained: array of shape (sweeps, parts), mean D2min for equal changes of the shear angle.
    """

    lids: np.ndarray
    ledger: pd.DataFrame
    work: np.ndarray
    nonaffine: np.ndarray
    settling: np.ndarray
    grains: pd.DataFrame
    strained: np.ndarray

    @property
    def pressure(self) -> np.ndarray:
        """Mean pressure on both lids in each sample."""
        return self.lids.mean(axis=1)

    @property
    def ruptured(self) -> np.ndarray:
        """Energy E_bb lost in ruptures of bridges in each sample."""
        return np.diff(self.ledger["rupture"])

    @property
    def lost(self) -> np.ndarray:
        """All other losses E_l in each sample."""
        others = [loss for loss in LOSSES if loss != "rupture"]
        return np.diff(self.ledger[others].sum(axis=1) - self.ledger["created"])


def angles(cycles: int = 1) -> np.ndarray:
    """Return the shear angle in the middle of each sample, in radians."""
    middle = (np.arange(cycles * SAMPLES) + 0.5) / SAMPLES
    return SHEAR_ANGLE * np.sin(2.0 * np.pi * middle)


def per_cycle(samples: np.ndarray) -> np.ndarray:
    """Return samples as an array of shape (cycles, SAMPLES)."""
    return samples.reshape(-1, SAMPLES)


def write_pack(folder: Path, number: int) -> Path:
    """Write a data file with grains on a grid between walls of grains."""
    rng = np.random.default_rng(seed(number))
    low, high = -0.5 * HEIGHT, -0.5 * HEIGHT + ROWS * SPACING + 1.0
    rows = []
    for column in range(COLUMNS):
        for row in range(ROWS):
            x = (column - 0.5 * (COLUMNS - 1)) * SPACING
            y = low + 0.5 + (row + 0.5) * SPACING
            rows.append((1, rng.uniform(1.0 - SPREAD, 1.0 + SPREAD), x, y))
    # The walls overlap at the corners. Otherwise, small grains could leave the cell there.
    along = np.arange(-1.0, LENGTH + 1.0) - 0.5 * (LENGTH - 1.0)
    rows += [(2, 1.0, x, high + 0.5) for x in along]
    rows += [(3, 1.0, x, low - 0.5) for x in along]
    upright = np.arange(low - 0.5, high + 3.0)
    rows += [(4, 1.0, side * (0.5 * LENGTH + 0.5), y) for side in (-1, 1) for y in upright]
    kind, diameter, x, y = np.transpose(rows)
    folder.mkdir(parents=True, exist_ok=True)
    return packings.write_spheres(
        folder / f"pack-{number}.data",
        [(-30.0, 30.0), (low - 5.0, high + 8.0), (-0.5, 0.5)],
        np.column_stack([x, y, np.zeros_like(x)]),
        diameter=diameter,
        density=6.0 / math.pi,
        kind=kind.astype(int),
    )


def shear(
    c: Context,
    granulate: Granulate,
    load: float,
    *,
    pack: int,
    protocol: Protocol,
    first: int = 1,
    then: Sequence[float] = (),
    parts: int = 0,
) -> Cycles:
    """Return the results of a pack that is pressed and sheared.

    The pack is first pressed. It is then sheared and pressed again several times. Finally, it is
    sheared without further pressing.

    Args:
        c: context of the case.
        granulate: properties of the grains.
        load: pressure of the upper lid in the first pressing. If `then` is empty, all further
            pressings have the same pressure.
        pack: number of the pack.
        protocol: duration and rate of shearing.
        first: direction of the lids at the start of cycles: 1 for upwards, as in the paper, or -1
            for downwards.
        then: pressures of further pressings before the first cycle. The last of these pressures
            also applies to the pressings after cycles.
        parts: number of parts of the shear angle, for `Cycles.strained`.
    """
    step = STEP / math.sqrt(granulate.stiffer)
    every = 5 * round(protocol.period / SAMPLES / step / 5)
    cycle = every * SAMPLES
    pressing, again = (
        every * math.ceil(time / step / every) for time in (PRESSING, PRESSING / 3.0)
    )
    press_again = PRESS.replace("${pressing}", str(again))
    script = SCRIPT + PRESS.replace("${pressing}", str(pressing))
    for other in then:
        script += f"variable load delete\nvariable load equal {other:.17g}\n" + press_again
    script += protocol.pressed * (SWING + "run ${cycle}" + REST + press_again)
    script += SWING + WATCH
    run = c.lammps(
        script,
        variables={
            "data": write_pack(c.folder, pack),
            "law": granulate.law,
            "step": step,
            "length": LENGTH,
            "period": cycle * step,
            "amplitude": first * AMPLITUDE,
            "every": every,
            "cycle": cycle,
            "settling": protocol.settling * cycle,
            "counted": protocol.counted * cycle,
            "load": load,
        },
        timeout=100 * 3600.0,
    )
    thermo = run.thermo
    before, last = (thermo[thermo["run"] == thermo["run"].max() - n] for n in (1, 0))
    places = run.dump("places")
    steps = places["step"].nunique()
    places = places[["x", "y"]].to_numpy().reshape(steps, -1, 2)

    def lids(part: pd.DataFrame) -> np.ndarray:
        return part[["f_watch[2]", "f_watch[3]"]].to_numpy()[1:] * [1.0, -1.0] / LENGTH

    return Cycles(
        lids(last),
        run.ledger.loc[last.index].reset_index(drop=True),
        last["f_watch[1]"].to_numpy()[1:] * every * step,
        np.array([nonaffine(a, b) for a, b in itertools.pairwise(places)]),
        lids(before).mean(axis=1),
        pressed_grains(run),
        strained(places, parts),
    )


def pressed_grains(run: Run) -> pd.DataFrame:
    """Return the grains at the end of a run, with the sum of the normal forces on each grain."""
    contacts = run.local("contacts")
    force = (contacts["normal_elastic"] + contacts["normal_dashpot"]).to_numpy()
    grains = run.dump("grains").set_index("id")
    total = pd.Series(0.0, grains.index)
    for end in ("patom1", "patom2"):
        total = total.add(pd.Series(force).groupby(contacts[end].to_numpy()).sum(), fill_value=0.0)
    return grains.assign(force=total)


def strained(places: np.ndarray, parts: int) -> np.ndarray:
    """Return the mean D2min of the grains for equal changes of the shear angle.

    The result has the shape (sweeps, parts). In a sweep, the shear angle changes from one of its
    extreme values to the other, in equal parts. `places` is an array of shape
    (samples + 1, grains, 2) with the positions at the ends of samples.
    """
    half = SAMPLES // 2
    way = np.arcsin(np.linspace(-1.0, 1.0, parts + 1)) * SAMPLES / (2.0 * np.pi)
    found = []
    for turn in range(SAMPLES // 4, len(places) - half if parts else 0, half):
        time = turn + SAMPLES / 4 + way
        early = np.minimum(np.floor(time + 1e-9).astype(int), len(places) - 2)
        at_time, start, end = np.sin(2.0 * np.pi / SAMPLES * np.stack([time, early, early + 1]))
        later = ((at_time - start) / (end - start))[:, None, None]
        at = (1.0 - later) * places[early] + later * places[early + 1]
        sweep = [nonaffine(*pair) for pair in itertools.pairwise(at)]
        falling = (turn - SAMPLES // 4) // half % 2 == 0
        found.append(sweep[::-1] if falling else sweep)
    return np.array(found).reshape(len(found), parts)


def nonaffine(before: np.ndarray, after: np.ndarray) -> float:
    """Return D2min averaged over grains.

    The neighbours of a grain are the grains within 2.5 mean diameters. An affine map is fitted from
    the earlier to the later relative positions of the neighbours. D2min of the grain is the mean
    square deviation of the later positions from this map.
    """
    i, j = cKDTree(before).query_pairs(2.5, output_type="ndarray").T
    i, j = np.concatenate([i, j]), np.concatenate([j, i])
    old, new = before[j] - before[i], after[j] - after[i]
    squares, products = np.zeros((2, len(before), 2, 2))
    np.add.at(squares, i, old[:, :, None] * old[:, None, :])
    np.add.at(products, i, old[:, :, None] * new[:, None, :])
    affine = np.linalg.pinv(squares, hermitian=True) @ products  # singular for collinear neighbours
    missed = ((new - np.einsum("mk,mkl->ml", old, affine[i])) ** 2).sum(axis=1)
    neighbours = np.bincount(i)
    near = neighbours > 0
    return float((np.bincount(i, missed)[near] / neighbours[near]).mean())
