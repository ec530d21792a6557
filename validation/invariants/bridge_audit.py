"""Audit of liquid bridges: no bridge may be lost, duplicated or invented.

Neighbour lists are rebuilt every other step, and grains move between ranks. In the first motion,
grains fly straight through each other. In the second motion, grains fall on a shaken floor. An
auditor keeps a separate list of bridges. Shaken runs diverge by round-off, so the auditor uses the
positions that LAMMPS writes at every step.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import struct
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from pysuite import engine
from pysuite.outputs import LEDGER, pair_local
from pysuite.validation import Case, Context
from pysuite.validation.references.bridges import Bridge, derjaguin_radius
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings

ANGLE, VOLUME = 20.0, 4e-3
FILLED = 0.25  # solid fraction of the box of flying grains
SPEED = 1.0
AMPLITUDE, PERIOD = 0.2, 1.0  # motion of the floor, with an acceleration of eight times gravity
SPACING = 1.22  # initial spacing of the falling grains
LISTED = 10  # steps between bridge lists
EARLY = 2000  # after this number of steps, shaken runs have diverged
ALIKE = 1e-9  # trajectories are compared as long as their distance is smaller
SKIN = 0.3  # extra distance within which the auditor lists pairs
RUNS = ((1, "on"), (1, "off"), (2, "on"), (2, "off"))


class Tier(NamedTuple):
    """Number of grains, number along an edge of the floor, and number of steps of each motion."""

    grains: int
    side: int
    flight: int
    shaken: int


TIERS = {
    "smoke": Tier(150, 5, 600, 2200),
    "quick": Tier(1000, 9, 10_000, 5000),
    "full": Tier(2000, 12, 30_000, 50_000),
}

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
newton ${newton}
comm_modify vel yes
boundary p p ${top}
processors * * 1
read_data ${data}
pair_style granular/plus ledger yes
pair_coeff * * ${contact} bridge willett ${tension} ${angle} volume ${volume}
neighbor 0.3 bin
neigh_modify every 2 delay 0 check no
timestep ${step}
compute ledger all granular/ledger
thermo_style custom step ${bridge_counts}
thermo_modify norm no
thermo 1
compute pair all property/local patom1 patom2
compute bridge all pair/local ${bridge}
"""
END = """
dump bridges all local ${listed} ${bridges} c_pair[*] c_bridge
run ${steps}
"""


class Motion(NamedTuple):
    """Parameters of a motion."""

    script: str
    top: str
    contact: str
    tension: float
    step: float


FLIGHT = Motion(
    SCRIPT + "fix move all nve/noforce" + END,
    top="p",
    contact="hooke 10 0 damping velocity tangential linear_history 10 0 0.5",
    tension=0.1,
    step=2e-3,
)
SHAKEN = Motion(
    SCRIPT
    + """
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor all wall/granular/plus ${contact} zplane 0 NULL wiggle z ${amplitude} ${period}
dump places all custom 1 ${places} x y z
dump_modify places sort id
"""
    + END,
    top="f",
    contact="hooke 5000 0.5 damping coeff_restitution tangential linear_history 2000 0.5 0.5",
    tension=0.3,  # twice the weight of a grain
    step=1e-3,
)


class Grains(NamedTuple):
    """Initial positions, velocities and radii of grains, and edges of the box."""

    place: np.ndarray
    velocity: np.ndarray
    radius: np.ndarray
    box: np.ndarray


def make_flying(count: int) -> Grains:
    rng = np.random.default_rng(seed(7))
    radius = 0.5 * rng.uniform(0.8, 1.2, count)
    edge = float(np.cbrt(4.0 / 3.0 * np.pi * (radius**3).sum() / FILLED))
    place = rng.uniform(0.0, edge, (count, 3))
    return Grains(place, SPEED * rng.normal(size=(count, 3)), radius, np.full(3, edge))


def make_shaken(count: int, side: int) -> Grains:
    rng = np.random.default_rng(seed(8))
    layers = -(-count // side**2)
    grid = itertools.product(range(layers), range(side), range(side))
    place = SPACING * (np.array(list(grid), float)[:count, ::-1] + 0.5)
    box = SPACING * np.array([side, side, 5.0 * layers])
    radius = 0.5 * rng.uniform(0.8, 1.2, count)
    return Grains(place, SPEED * rng.normal(size=(count, 3)), radius, box)


def write_grains(path: Path, grains: Grains) -> Path:
    place, velocity, radius, edges = grains
    box = [(0.0, edge) for edge in edges]
    return packings.write_spheres(path, box, place, diameter=2.0 * radius, velocity=velocity)


class Auditor:
    """Finds bridges: they form when grains touch and break beyond their rupture distance."""

    def __init__(self, grains: Grains):
        self.formed = self.ruptured = 0
        self._radius, self._box = grains.radius, grains.box
        self._seen: np.ndarray | None = None
        self._keys = np.empty(0, dtype=np.int64)
        self._bridged = np.empty(0, dtype=bool)
        small, large = grains.radius.min(), grains.radius.max()
        self._farthest = 2.0 * large + float(rupture_distance(small, small)) + SKIN

    def look(self, place: np.ndarray) -> None:
        """Process the next step. `place` has shape (n, 3) and contains the positions of grains."""
        if self._seen is None or self._lengths(place - self._seen).max() > 0.5 * SKIN:
            self._search(place)
        gap = self._lengths(place[self._i] - place[self._j]) - self._touch
        bridged = (gap < 0.0) | (self._bridged & (gap < self._reach))
        self.formed += np.count_nonzero(bridged & ~self._bridged)
        self.ruptured += np.count_nonzero(self._bridged & ~bridged)
        self._bridged = bridged

    def bridges(self) -> np.ndarray:
        """Return the sorted keys of live bridges.

        The key of the bridge between grains i < j is i n + j, where n is the number of grains.
        """
        return self._keys[self._bridged]

    def _lengths(self, ways: np.ndarray) -> np.ndarray:
        """Return the lengths of `ways` (shape (m, 3)), reduced to the nearest periodic images."""
        ways = ways - self._box * np.round(ways / self._box)
        return np.sqrt(np.einsum("mk,mk->m", ways, ways))

    def _search(self, place: np.ndarray) -> None:
        live = self.bridges()
        inside = np.mod(place, self._box)
        inside[inside >= self._box] = 0.0
        near = cKDTree(inside, boxsize=self._box).query_pairs(self._farthest, output_type="ndarray")
        keys = near[:, 0] * len(place) + near[:, 1]
        order = np.argsort(keys)
        self._keys, (self._i, self._j) = keys[order], near[order].T
        one, other = self._radius[self._i], self._radius[self._j]
        self._touch, self._reach = one + other, rupture_distance(one, other)
        self._bridged = np.isin(self._keys, live, assume_unique=True)
        self._seen = place


def rupture_distance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    flat, unit = (
        Bridge(1.0, np.radians(ANGLE), VOLUME, radius).rupture_distance for radius in (1e9, 1.0)
    )
    return flat + (unit - flat) / derjaguin_radius(one, other)


class Audit(NamedTuple):
    """Results of one run and its auditor.

    Attributes:
        lost: number of omitted bridges, summed over all lists.
        made_up: number of invented bridges, summed over all lists.
        doubled: number of repeated bridges, summed over all lists.
        history: array of shape (steps + 1, 2) with the numbers of live and ruptured bridges in the
            ledger.
        true: the same numbers according to the auditor.
        places: array of shape (lists, grains, 3) with positions early in the run.
    """

    formed: int
    lost: int
    made_up: int
    doubled: int
    history: np.ndarray
    true: np.ndarray
    places: np.ndarray


def audit(c: Context, motion: Motion, grains: Grains, steps: int, ranks: int, newton: str) -> Audit:
    auditor = Auditor(grains)
    count = len(grains.radius)
    lost = made_up = doubled = 0
    true, places = [], []
    with running(c, motion, grains, steps, ranks, newton) as (run, places_pipe, bridges_pipe):
        for step in range(steps + 1):
            if motion is FLIGHT:
                place = grains.place + (step * motion.step) * grains.velocity
            else:
                place = read_places(places_pipe)
            auditor.look(place)
            right = auditor.bridges()
            true.append((len(right), auditor.ruptured))
            if step % LISTED == 0:
                found = read_bridges(bridges_pipe, count)
                lost += len(np.setdiff1d(right, found))
                made_up += len(np.setdiff1d(found, right))
                doubled += len(found) - len(np.unique(found))
                if step <= EARLY:
                    places.append(place)
    history = run.result().ledger[["bridges", "ruptures"]].to_numpy()
    return Audit(auditor.formed, lost, made_up, doubled, history, np.array(true), np.array(places))


@contextlib.contextmanager
def running(
    c: Context, motion: Motion, grains: Grains, steps: int, ranks: int, newton: str
) -> Iterator[tuple[Future[engine.Run], BinaryIO, BinaryIO]]:
    """Yield a run in progress, and pipes with the positions and bridges written by the run."""
    folder = c.folder / f"{ranks}-{newton}-{motion.top}"
    folder.mkdir()
    paths = [folder / "places.bin", folder / "bridges"]
    for path in paths:
        os.mkfifo(path)
    readers = [os.open(path, os.O_RDONLY | os.O_NONBLOCK) for path in paths]
    # open writers keep the pipes from ending before LAMMPS ends
    writers = [os.open(path, os.O_WRONLY) for path in paths]

    def run() -> engine.Run:
        try:
            return c.lammps(
                motion.script,
                variables={
                    "data": write_grains(folder / "grains.data", grains),
                    "top": motion.top,
                    "contact": motion.contact,
                    "tension": motion.tension,
                    "angle": ANGLE,
                    "volume": VOLUME * c["liquid"],
                    "step": motion.step,
                    "amplitude": AMPLITUDE,
                    "period": PERIOD,
                    "places": paths[0],
                    "bridges": paths[1],
                    "listed": LISTED,
                    "bridge": pair_local("bridge"),
                    "bridge_counts": LEDGER.of("c_ledger", "bridges", "ruptures"),
                    "steps": steps,
                    "newton": newton,
                },
                ranks=ranks,
                newton=newton,
                timeout=4 * 3600.0,
                folder=folder,
            )
        finally:
            for writer in writers:
                os.close(writer)

    with ThreadPoolExecutor() as pool, contextlib.ExitStack() as stack:
        for reader in readers:
            os.set_blocking(reader, True)
        pipes = [stack.enter_context(os.fdopen(reader, "rb")) for reader in readers]
        future = pool.submit(run)
        try:
            yield future, *pipes
        except EOFError:
            future.result()  # raises the error with which LAMMPS ended early
            raise


# marker, name, byte order, revision, step, atoms, box, columns, units, time, length of names
HEADER = struct.Struct("=q10siiqqi6i6diibi")


def read_places(pipe: BinaryIO) -> np.ndarray:
    """Read a frame of a binary dump of x, y and z, sorted by id."""
    header = HEADER.unpack(read(pipe, HEADER.size))
    read(pipe, header[-1])
    (chunks,) = struct.unpack("=i", read(pipe, 4))
    values = b""
    for _ in range(chunks):
        (size,) = struct.unpack("=i", read(pipe, 4))
        values += read(pipe, 8 * size)
    return np.frombuffer(values).reshape(-1, 3)


def read_bridges(pipe: BinaryIO, count: int) -> np.ndarray:
    """Read a frame of a dump of pairs. Return the keys of the pairs that have a bridge."""
    lines = [pipe.readline() for _ in range(9)]
    if not lines[-1]:
        raise EOFError("the dump of bridges ended")
    text = b"".join(pipe.readline() for _ in range(int(lines[3])))
    rows = np.fromstring(text.decode(), sep=" ").reshape(-1, 3)
    pairs = np.sort(rows[rows[:, 2] == 1.0, :2].astype(np.int64) - 1, axis=1)
    return pairs[:, 0] * count + pairs[:, 1]


def read(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError("the dump of places ended")
    return data


def alike(one: Audit, other: Audit, box: np.ndarray) -> int:
    ways = one.places - other.places
    ways -= box * np.round(ways / box)
    apart = np.abs(ways).max(axis=(1, 2)) > ALIKE
    return LISTED * int(apart.argmax() if apart.any() else len(apart) - 1)


def simulate(c: Context, tier: Tier) -> pd.DataFrame:
    flying, shaken = make_flying(tier.grains), make_shaken(tier.grains, tier.side)
    rows = []
    for name, motion, grains, steps in (
        ("flight", FLIGHT, flying, tier.flight),
        ("shaken", SHAKEN, shaken, tier.shaken),
    ):
        audits = [audit(c, motion, grains, steps, *setting) for setting in RUNS]
        for setting, one in zip(RUNS, audits, strict=True):
            same = len(one.true) - 1 if name == "flight" else alike(audits[0], one, shaken.box)
            rows.append(row(name, *setting, one, audits[0], same))
    return pd.DataFrame(rows)


def row(
    motion: str, ranks: int, newton: str, one: Audit, first: Audit, same: int
) -> dict[str, float | str]:
    wrong = np.abs(one.history - one.true).max(axis=0)
    return {
        "motion": motion,
        "ranks": ranks,
        "newton": newton,
        "steps": len(one.true) - 1,
        "formed": one.formed,
        "ruptured": one.true[-1, 1],
        "live": one.true[-1, 0],
        "lost": one.lost,
        "made up": one.made_up,
        "doubled": one.doubled,
        "count off by": wrong[0],
        "ruptures off by": wrong[1],
        "steps alike": same,
        "history off by": np.abs(one.history - first.history)[: same + 1].max(),
    }


def judge(c: Context, table: pd.DataFrame, grains: int) -> None:
    for column, words in (
        ("lost", "bridges lost"),
        ("made up", "bridges that should not exist"),
        ("doubled", "bridges counted twice"),
        ("count off by", "live bridges at each step, largest difference"),
        ("ruptures off by", "cumulative ruptures at each step, largest difference"),
    ):
        c.check(
            f"{words}, all runs",
            measured=int(table[column].max()),
            reference=0,
            tolerance=0.0,
            kind="absolute",
            reason="counts are exact; positions agree to 1e-12, so no count depends on round-off",
        )
    c.check(
        "live and ruptured bridges on several ranks and with newton on and off, while trajectories"
        " agree: largest difference",
        measured=int(table["history off by"].max()),
        reference=0,
        tolerance=0.0,
        kind="absolute",
        reason=(
            "for flying grains, the numbers of bridges must be equal during the whole run; for"
            " shaken grains, they must be equal until round-off has grown to a distance of"
            f" {ALIKE:g}"
        ),
    )
    c.check(
        "number of ruptures, smallest of all runs",
        measured=int(table["ruptured"].min()),
        reference=grains // 2,
        tolerance=0.0,
        kind="at_least",
        reason="the audit needs enough ruptures: one for every two grains",
    )


def run(c: Context) -> None:
    tier = TIERS[c.tier]
    table = simulate(c, tier)
    c.table(
        "audit",
        table,
        f"Number of bridges in each run, errors in the bridge lists of every {LISTED}th step, and"
        " largest errors of the numbers of live and ruptured bridges over all steps.",
    )
    judge(c, table, tier.grains)


CASE = Case(
    name="bridge-audit",
    title="No liquid bridge is lost, duplicated or invented, on any number of ranks",
    source="comparison with a brute-force search over all pairs",
    tier="smoke",
    parameters={"liquid": 1.0},
    spoil={"liquid": 0.9},
    run=run,
    timeout=8 * 3600.0,
)
