"""No bridge is lost, doubled or made up: an audit of every bridge against a list kept apart.

Wet grains fly straight through each other and through a periodic box, whatever the forces, so that
all runs and the auditor see the same ways to round-off. They touch, stretch their bridges and tear
them by the thousand, while neighbour lists are built at every other step and grains go from
processor to processor. The auditor goes through the same steps with a list of pairs of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from pysuite.cases import Case, Context
from pysuite.references.bridges import Bridge, derjaguin_radius

ANGLE, VOLUME = 20.0, 4e-3
FILLED = 0.25  # of the box
SPEED, STEP = 1.0, 2e-3
SAMPLES = 20
SIZES = {"smoke": (300, 2000), "quick": (2000, 10_000), "full": (2000, 100_000)}  # grains, steps
RUNS = ((1, "on"), (1, "off"), (2, "on"), (2, "off"))

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
newton ${newton}
comm_modify vel yes
boundary p p p
read_data ${data}
pair_style granular/plus ledger yes
pair_coeff * * hooke 10 0 damping velocity tangential linear_history 10 0 0.5 &
           bridge willett 0.1 ${angle} volume ${volume}
neighbor 0.3 bin
neigh_modify every 2 delay 0 check no
fix move all nve/noforce
timestep ${step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[19] c_ledger[21] c_ledger[22]
thermo_modify norm no
thermo ${every}
compute pair all property/local patom1 patom2
compute bridge all pair/local p28
dump bridges all local ${every} bridges c_pair[*] c_bridge
run ${steps}
"""


class Books(NamedTuple):
    """Bridges at each sample, as sorted keys of pairs; contacts and ruptures so far."""

    bridges: list[np.ndarray]
    contacts: list[int]
    ruptures: list[int]


class Grains(NamedTuple):
    """Where grains start, how fast, how large; edge of the box."""

    place: np.ndarray
    velocity: np.ndarray
    radius: np.ndarray
    edge: float


def make_grains(count: int) -> Grains:
    rng = np.random.default_rng(7)
    radius = 0.5 * rng.uniform(0.8, 1.2, count)
    edge = float(np.cbrt(4.0 / 3.0 * np.pi * (radius**3).sum() / FILLED))
    place = rng.uniform(0.0, edge, (count, 3))
    return Grains(place, SPEED * rng.normal(size=(count, 3)), radius, edge)


def write_grains(c: Context, grains: Grains) -> str:
    count = len(grains.radius)
    lines = ["grains", "", f"{count} atoms", "1 atom types"]
    lines += [f"0 {grains.edge:.17g} {axis}lo {axis}hi" for axis in "xyz"]
    lines += ["", "Atoms # sphere", ""]
    for n, (x, radius) in enumerate(zip(grains.place, grains.radius, strict=True), 1):
        lines.append(f"{n} 1 {2 * radius:.17g} 1 " + " ".join(f"{value:.17g}" for value in x))
    lines += ["", "Velocities", ""]
    for n, v in enumerate(grains.velocity, 1):
        lines.append(f"{n} " + " ".join(f"{value:.17g}" for value in v) + " 0 0 0")
    path = c.folder / "grains.data"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def audit(grains: Grains, steps: int, every: int) -> Books:
    """Go through all steps with all pairs near enough."""
    count, radius = len(grains.radius), grains.radius

    def rupture_distance(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        size = derjaguin_radius(radius[i], radius[j])
        unit = Bridge(1.0, np.radians(ANGLE), VOLUME, 1.0).rupture_distance
        one = Bridge(1.0, np.radians(ANGLE), VOLUME, 1e9).rupture_distance
        return one + (unit - one) / size  # (1 + theta/2)(V^(1/3) + V^(2/3)/(10 R))

    smallest = np.array([radius.argmin()])
    farthest = 2.0 * radius.max() + float(rupture_distance(smallest, smallest)[0])
    bridged = np.empty(0, dtype=np.int64)
    ruptures = 0
    books = Books([], [], [])
    for step in range(steps + 1):
        x = np.mod(grains.place + (step * STEP) * grains.velocity, grains.edge)
        x[x >= grains.edge] = 0.0
        near = cKDTree(x, boxsize=grains.edge).query_pairs(farthest, output_type="ndarray")
        i, j = near[:, 0], near[:, 1]
        way = x[i] - x[j]
        way -= grains.edge * np.round(way / grains.edge)
        gap = np.sqrt((way**2).sum(axis=1)) - radius[i] - radius[j]
        keys = i.astype(np.int64) * count + j
        touching = gap < 0.0
        alive = np.isin(keys, bridged) & (gap < rupture_distance(i, j))
        now = np.sort(keys[touching | alive])
        ruptures += len(np.setdiff1d(bridged, now, assume_unique=True))
        bridged = now
        if step % every == 0:
            books.bridges.append(now)
            books.contacts.append(int(touching.sum()))
            books.ruptures.append(ruptures)
    return books


def lammps(c: Context, data: str, size: tuple[int, int], ranks: int, newton: str) -> Books:
    count, steps = size
    every = steps // SAMPLES
    run = c.lammps(
        SCRIPT,
        variables={
            "data": data,
            "angle": ANGLE,
            "volume": VOLUME * c["liquid"],
            "step": STEP,
            "every": every,
            "steps": steps,
            "newton": newton,
        },
        ranks=ranks,
        newton=newton,
        timeout=3600.0,
    )
    thermo = run.thermo
    table = run.dump("bridges")
    columns = [name for name in table.columns if name != "step"]
    table = table[table[columns[2]] == 1.0]
    first, second = (table[columns[k]].to_numpy(dtype=np.int64) - 1 for k in (0, 1))
    key = np.minimum(first, second) * count + np.maximum(first, second)
    of_step = pd.Series(key).groupby(table["step"].to_numpy())
    empty = np.empty(0, dtype=np.int64)
    groups = {step: np.sort(values.to_numpy()) for step, values in of_step}
    return Books(
        [groups.get(step, empty) for step in thermo["Step"]],
        [round(value) for value in thermo["c_ledger[19]"]],
        [round(value) for value in thermo["c_ledger[22]"]],
    )


def run(c: Context) -> None:
    size = SIZES[c.tier]
    grains = make_grains(size[0])
    data = write_grains(c, grains)
    true = audit(grains, size[1], size[1] // SAMPLES)
    rows = []
    for ranks, newton in RUNS:
        found = lammps(c, data, size, ranks, newton)
        pairs = list(zip(found.bridges, true.bridges, strict=True))
        rows.append(
            {
                "ranks": ranks,
                "newton": newton,
                "lost": sum(len(np.setdiff1d(right, here)) for here, right in pairs),
                "made up": sum(len(np.setdiff1d(here, right)) for here, right in pairs),
                "doubled": sum(len(here) - len(np.unique(here)) for here, _ in pairs),
                "contacts": int(np.abs(np.subtract(found.contacts, true.contacts)).max()),
                "ruptures": int(np.abs(np.subtract(found.ruptures, true.ruptures)).max()),
            }
        )
    table = pd.DataFrame(rows)
    c.table("audit", table, f"Mistakes in {SAMPLES + 1} samples of all bridges, by run.")
    c.note(
        f"{size[0]} grains, {size[1]} steps: {len(true.bridges[-1])} bridges at the end,"
        f" {true.ruptures[-1]} ruptures, {true.contacts[-1]} contacts."
    )
    for mistake, words in (
        ("lost", "bridges lost"),
        ("made up", "bridges that should not be"),
        ("doubled", "bridges counted twice"),
        ("contacts", "contacts, largest difference"),
        ("ruptures", "ruptures so far, largest difference"),
    ):
        c.check(
            f"{words}, all runs",
            measured=int(table[mistake].max()),
            reference=0,
            tolerance=0.0,
            kind="absolute",
            reason="counts are exact; ways agree to 1e-12, so that none hangs on round-off",
        )
    c.check(
        "ruptures seen, for the audit to mean something",
        measured=true.ruptures[-1],
        reference=size[0],
        tolerance=0.0,
        kind="at_least",
        reason="one for each grain",
    )


CASE = Case(
    name="bridge-audit",
    title="No liquid bridge is lost, doubled or made up, on any ranks",
    source="a brute-force list of pairs",
    tier="smoke",
    parameters={"liquid": 1.0},
    spoil={"liquid": 0.9},
    run=run,
    timeout=4 * 3600.0,
)
