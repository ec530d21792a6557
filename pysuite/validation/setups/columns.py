"""Collapse of a cylindrical column of spheres on a horizontal plane.

First, overlapping spheres in a smooth cylinder are pushed apart, without friction or gravity. Then
the spheres settle under gravity, with friction. Units are the mean diameter, the density of the
spheres, and gravity.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from pysuite.validation import Context
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings

Array = NDArray[np.float64]

SPREAD = 0.1  # diameters are uniformly distributed between 1 - SPREAD and 1 + SPREAD
PUSHED = 0.54  # solid fraction up to which spheres are pushed apart without gravity
SETTLED = 0.56  # expected solid fraction under gravity
ROUGH = 0.5  # rolling friction at the plane
STIFFNESS = 1e3  # contact stiffness divided by the height of the column
STEPS = 20.0  # time steps in a collision of the smallest spheres
SETTLE, REST, DURATION = 1.2, 0.25, 5.0  # times divided by the square root of the height
FRAMES = 50  # number of frames of the collapse
PIXEL = 0.125  # edge of the squares into which the view of a deposit is divided
RING = 1.0  # width of the rings over which coverage and height are averaged
RINGS = 0.1  # difference between the mean radii of successive rings

START = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data ${data}
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes binsize 1.4
pair_style granular/plus
thermo 1000000
thermo_modify lost ignore flush yes
"""
FILL = """
pair_coeff * * ${soft}
fix floor all wall/granular/plus ${soft} zplane 0 NULL
fix cylinder all wall/granular/plus ${soft} zcylinder ${radius}
fix push all nve/limit 0.03
fix drag all viscous 2.0
timestep 0.02
run 3000
unfix push
unfix drag
velocity all set 0 0 0
pair_coeff * * ${law}
fix floor all wall/granular/plus ${rough} zplane 0 NULL
fix cylinder all wall/granular/plus ${smooth} zcylinder ${radius}
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
timestep ${step}
run ${settle}
write_data column.data nocoeff
write_dump all custom column id radius x y z modify sort id format float %.17g
"""
COLLAPSE = """
pair_coeff * * ${law}
fix floor all wall/granular/plus ${rough} zplane 0 NULL
fix cylinder all wall/granular/plus ${smooth} zcylinder ${radius}
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
timestep ${step}
run ${rest}
unfix cylinder
reset_timestep 0
dump places all custom ${every} places id radius x y z vx vy vz
dump_modify places sort id format float %.9g
run $(v_every*v_frames)
"""


class Column(NamedTuple):
    """A column before its collapse. `aspect` is the intended height divided by the radius."""

    aspect: float
    radius: float
    friction: float
    rolling: float
    slider: str = "csds"

    @property
    def height(self) -> float:
        """Intended height of the column."""
        return self.aspect * self.radius

    @property
    def stiffness(self) -> float:
        """Normal stiffness, which is proportional to the height."""
        return STIFFNESS * self.height

    @property
    def step(self) -> float:
        """Time step."""
        mass = math.pi / 6.0 * (1.0 - SPREAD) ** 3
        return math.pi * math.sqrt(0.5 * mass / self.stiffness) / STEPS

    def law(self, friction: float, rolling: float) -> str:
        """Return the contact law. The restitution is 0.5."""
        k = self.stiffness
        words = (
            f"hooke {k:.17g} 0.5 damping coeff_restitution"
            f" tangential linear_history {2.0 / 7.0 * k:.17g} 1 {friction:g}"
        )
        if rolling > 0.0:
            spring = 0.4 * k
            words += f" rolling sds {spring:.17g} {0.08 * math.sqrt(spring):.17g} {rolling:g}"
        return f"{words} slider {self.slider}"

    def variables(self) -> dict[str, str | float]:
        """Return the variables of the scripts."""
        root = math.sqrt(self.height)
        return {
            "radius": self.radius,
            "soft": "hooke 100 0.5 damping coeff_restitution tangential linear_history 1 1 0",
            "law": self.law(self.friction, self.rolling),
            "rough": self.law(self.friction, ROUGH),
            "smooth": self.law(0.0, 0.0),
            "step": self.step,
            "settle": round((2.0 + SETTLE * root) / self.step),
            "rest": round(REST * root / self.step),
            "every": round(DURATION * root / FRAMES / self.step),
            "frames": FRAMES,
        }


class Collapse(NamedTuple):
    """Results of a collapse.

    Attributes:
        height: twice the height of the centre of mass at rest.
        fraction: solid fraction at rest.
        time: array of shape (frames,), time since the cylinder was removed.
        front: array of shape (frames,), distance of the front of the deposit from the axis.
        top: array of shape (frames,), height of the surface at the axis.
        energy: array of shape (frames,), translational kinetic energy per sphere within the front.
        outside: fraction of the mass that is beyond the front at the end.
        overlap: two overlaps: the overlap that one contact in a thousand exceeds, and the largest
            overlap. Each is the largest value of all frames.
        deposit: id, radius, position and velocity of each sphere at the end.
    """

    height: float
    fraction: float
    time: Array
    front: Array
    top: Array
    energy: Array
    outside: float
    overlap: tuple[float, float]
    deposit: pd.DataFrame


class Seen(NamedTuple):
    """A deposit seen from above, averaged over rings around the axis.

    Attributes:
        distance: distance from the axis to the middle of the ring.
        coverage: fraction of the ring that spheres cover.
        height: mean height of the surface. Where no sphere covers the plane, the height is 0.
    """

    distance: Array
    coverage: Array
    height: Array

    @property
    def front(self) -> float:
        """Smallest distance from the axis at which the coverage is below one half."""
        bare = np.flatnonzero(self.coverage < 0.5)
        if bare.size == 0 or bare[0] == 0:
            return math.nan
        outside = int(bare[0])
        between = self.coverage[[outside, outside - 1]]
        return float(np.interp(0.5, between, self.distance[[outside, outside - 1]]))

    def top(self, within: float) -> float:
        """Return the mean height of the surface within a distance of the axis."""
        inside = self.distance < within
        return float(np.average(self.height[inside], weights=self.distance[inside]))


def seen(place: Array, radius: Array) -> Seen:
    """Return a deposit seen from above. The deposit is on the plane z = 0, around the z axis.

    `place` has shape (n, 3), and `radius` has shape (n,).
    """
    extent = float(np.hypot(place[:, 0], place[:, 1]).max()) + 3.0
    count = math.ceil(extent / PIXEL)
    surface = np.zeros((2 * count, 2 * count))
    corner = np.floor(place[:, :2] / PIXEL).astype(int)
    reach = math.ceil(float(radius.max()) / PIXEL)
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            pixel = corner + np.array([i, j])
            away = (pixel + 0.5) * PIXEL - place[:, :2]
            squared = radius**2 - (away**2).sum(axis=1)
            covers = squared > 0.0
            top = place[covers, 2] + np.sqrt(squared[covers])
            np.maximum.at(surface, tuple((pixel[covers] + count).T), top)
    middle = (np.arange(-count, count) + 0.5) * PIXEL
    away = np.hypot(middle[:, None], middle[None, :])
    fine = (away / RINGS).astype(int).ravel()
    last = int(extent / RINGS)
    half = round(0.5 * RING / RINGS)

    def rings(values: NDArray[np.floating[Any]]) -> Array:
        total = np.zeros(last + 1)
        total[1:] = np.cumsum(np.bincount(fine, values.ravel(), minlength=last))[:last]
        at = np.arange(half, last - half)
        return total[at + half] - total[at - half]

    area = rings(np.ones_like(surface))
    distance = np.asarray(RINGS * np.arange(half, last - half), dtype=float)
    return Seen(distance, rings((surface > 0.0) * 1.0) / area, rings(surface) / area)


def overlaps(place: Array, radius: Array) -> Array:
    """Return the overlaps of all pairs of spheres that touch."""
    pairs = cKDTree(place).query_pairs(2.0 * float(radius.max()), output_type="ndarray")
    i, j = pairs.T
    depth = radius[i] + radius[j] - np.linalg.norm(place[i] - place[j], axis=1)
    return depth[depth > 0.0]


def write(folder: Path, column: Column, number: int, wide: float) -> Path:
    """Write a data file of overlapping spheres at random positions in a cylinder.

    `wide` is half the width of the simulation box.
    """
    rng = np.random.default_rng(seed(number))
    volume = math.pi * column.radius**2 * column.height
    count = round(SETTLED * volume / (math.pi / 6.0 * (1.0 + SPREAD**2)))
    diameter = rng.uniform(1.0 - SPREAD, 1.0 + SPREAD, count)
    top = column.height * SETTLED / PUSHED
    away = (column.radius - 0.5) * np.sqrt(rng.uniform(size=count))
    angle = rng.uniform(0.0, 2.0 * math.pi, count)
    height = rng.uniform(0.5, top - 0.5, count)
    folder.mkdir(parents=True, exist_ok=True)
    return packings.write_spheres(
        folder / f"column-{column.aspect:g}-{number}.data",
        [(-wide, wide), (-wide, wide), (-1.0, 1.5 * top + 5.0)],
        np.column_stack([away * np.cos(angle), away * np.sin(angle), height]),
        diameter=diameter,
    )


def fill(c: Context, column: Column, number: int) -> Path:
    """Fill the cylinder. Return the folder that contains the data file `column.data`."""
    wide = 2.5 * column.radius * (1.0 + 1.6 * max(math.sqrt(column.aspect), column.aspect**0.25))
    data = write(c.folder, column, number, wide)
    words = column.variables() | {"data": str(data)}
    return c.lammps(START + FILL, variables=words, timeout=20000.0).folder


def collapse(c: Context, column: Column, filled: Path) -> Collapse:
    """Remove the cylinder. Return the results. `filled` is the folder returned by `fill`."""
    words = column.variables() | {"data": str(filled / "column.data")}
    run = c.lammps(START + COLLAPSE, variables=words, timeout=20000.0)
    return measure(column, run.dump("places"))


def measure(column: Column, dumped: pd.DataFrame) -> Collapse:
    """Return the results of a collapse from its frames.

    In the first frame, the column is at rest.
    """
    steps = np.unique(dumped["step"].to_numpy(float))
    front, top, energy, small, large = [], [], [], [], []
    for _, frame in dumped.groupby("step"):
        place, radius = frame[["x", "y", "z"]].to_numpy(), frame["radius"].to_numpy()
        view = seen(place, radius)
        depth = overlaps(place, radius)
        speed = frame[["vx", "vy", "vz"]].to_numpy()
        inside = np.hypot(place[:, 0], place[:, 1]) < view.front
        mass = 4.0 / 3.0 * math.pi * radius**3
        front.append(view.front)
        top.append(view.top(0.2 * column.radius))
        energy.append(float((0.5 * mass * (speed**2).sum(axis=1))[inside].mean()))
        small.append(float(np.quantile(depth, 0.999)))
        large.append(float(depth.max()))
    first, last = (dumped[dumped["step"] == step] for step in dumped["step"].agg(["min", "max"]))
    volume = 4.0 / 3.0 * math.pi * first["radius"].to_numpy() ** 3
    height = 2.0 * float(np.average(first["z"], weights=volume))
    inside = np.hypot(last["x"], last["y"]) < front[-1]
    held = 4.0 / 3.0 * math.pi * float((last["radius"][inside] ** 3).sum())
    return Collapse(
        height,
        float(volume.sum() / (math.pi * column.radius**2 * height)),
        steps * column.step,
        np.array(front),
        np.array(top),
        np.array(energy),
        1.0 - held / float(volume.sum()),
        (max(small), max(large)),
        last.reset_index(drop=True),
    )
