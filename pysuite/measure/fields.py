"""Fields of a packing or a flow on a grid, by coarse graining with a Gaussian (Goldhirsch 2010).

Each value is the mean of the coarse-grained field over a cell of the grid. The integral of the
Gaussian over a cell is exact, so mass and momentum are balanced as in continuum mechanics. If a
`Volume` is given, the Gaussian is reflected at the sides of the volume's box. The volume of a cell
is then the volume of the part of the cell inside the `Volume`, smoothed by the same Gaussian. Thus
density and stress are correct up to a wall, and the fields contain all of the mass inside.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from pysuite.contacts import AXES, FORCE, SEPARATION, check_steps, joined, need, paths, rows_of
from pysuite.engine import read_dump
from pysuite.measure.volumes import Box, Volume

Array = NDArray[np.float64]

REACH = 7.0  # cutoff in widths; 1e-12 of a Gaussian lies beyond
# Gauss-Legendre points on the line between two grains; exact to 1e-6 if the line is shorter than
# four widths of the Gaussian
POINTS = 8
CHUNK = 2_000_000  # array elements in memory at a time
LEAST_VOLUME = 0.01  # a cell has no values if less than this fraction of it is inside the volume


def fields(
    grains: pd.DataFrame,
    edges: Sequence[ArrayLike],
    width: float,
    *,
    contacts: pd.DataFrame | None = None,
    walls: Sequence[pd.DataFrame] = (),
    box: Box | None = None,
    losses: Sequence[pd.DataFrame] = (),
    volume: Volume | None = None,
) -> pd.DataFrame:
    """Return coarse-grained fields at one time, one row per cell of a grid.

    Args:
        grains: a table with columns x, y, z, vx, vy, vz and mass. With `contacts` or `walls`, the
            table must also have the column id. With `volume`, it needs the column radius if the
            border may cut grains: without radii, grains are treated as points.
        edges: edges of the cells along x, y and z, in ascending order. If an axis has only two
            edges, the fields are averaged over this axis.
        width: standard deviation of the Gaussian. A width of 0.5 to 1 grain diameters resolves
            layers of grains. A larger width smooths them. If the true field changes linearly
            towards a wall, the computed value at the wall is the true value at a distance of 0.8
            widths from the wall.
        contacts: a table in the form returned by `Run.local`. The columns are "patom1",
            "separation_x" to "_z", "force_x" to "_z" (total force on grain "patom1") and "point_x"
            to "_z" (contact point). For spheres, "normal_x" to "_z" may replace the contact point.
            Rows with separation 0 are ignored, because their grains have no contact, bridge or
            bond.
        walls: tables of contacts with walls. Each table is the local array of a
            `fix wall/granular/plus`, in the form returned by `Run.local`, with columns "id", "x" to
            "z" and "force_x" to "_z". Without these tables, the stress between a wall and the
            centres of the grains that touch the wall is missing.
        box: simulation box, used for the periodic images of grains. With None, there are no images.
        losses: tables in the form returned by `Run.local` for `compute granular/dissipation pairs`
            and for walls. The columns are "x", "y", "z", and "total" or "dissipation" (energy per
            time).
        volume: the volume to which the packing or flow is confined. Only the parts of grains and
            contacts inside the volume count, and the Gaussian ends at the border. With None, the
            Gaussian has no border: a grain outside the edges contributes the part of its Gaussian
            that lies between the edges.

    Returns:
        A table with these columns:

        * "x", "y", "z": centres of the cells.
        * "volume": volume of the part of the cell that is inside, smoothed by the same Gaussian.
          The sum of density times volume over all cells is the mass.
        * "density": mass per volume.
        * "velocity_x" to "_z": momentum divided by mass. Without mass the velocity is nan.
        * "temperature": a third of the mean square of the velocity fluctuations. Without mass the
          temperature is nan.
        * "stress_xx" to "stress_zz": stress, positive in compression. stress_ab is the force along
          a per area normal to b. The stress includes the kinetic stress. Without contacts, only
          the kinetic stress is returned.
        * "pressure": a third of the trace of the stress.
        * "dissipation": power per volume. The table has this column only if `losses` are given.

        All values of a cell are nan if less than a hundredth of the cell is inside the volume.

    Raises:
        ValueError: the width is not positive, the edges are not in ascending order, a column is
            missing, or the tables belong to different steps.
    """
    if not width > 0.0:
        raise ValueError(f"width = {width} must be > 0")
    grid = [np.asarray(one, dtype=float) for one in edges]
    if len(grid) != 3 or any(one.size < 2 or not (np.diff(one) > 0.0).all() for one in grid):
        raise ValueError("edges must be three sequences of two or more numbers in ascending order")
    need(grains, ["x", "y", "z", "vx", "vy", "vz", "mass"], "grains")
    tables = {"grains": grains} | ({} if contacts is None else {"contacts": contacts})
    tables |= {f"walls {n}": one for n, one in enumerate(walls, start=1)}
    check_steps(tables | {f"losses {n}": one for n, one in enumerate(losses, start=1)})
    spread = _Spread(grid, width, box, volume)
    place = grains[list(AXES)].to_numpy(dtype=float)
    velocity = grains[["vx", "vy", "vz"]].to_numpy(dtype=float)
    mass = grains["mass"].to_numpy(dtype=float)[:, None]
    moments = (velocity[:, :, None] * velocity[:, None, :]).reshape(-1, 9)
    carried = mass * np.hstack([np.ones_like(mass), velocity, moments])
    if volume is not None:
        radius = grains["radius"].to_numpy(float) if "radius" in grains else np.zeros(len(grains))
        part, place = volume.parts(place, radius, box)
        place, carried = place[part > 0.0], (part[:, None] * carried)[part > 0.0]
    sums = spread.mean(place, carried)
    density = sums[:, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums[:, 1:4] / density[:, None]
    flow = np.nan_to_num(mean)
    # kinetic stress, from velocities relative to the mean of the cell
    stress = sums[:, 4:] - density[:, None] * (flow[:, :, None] * flow[:, None, :]).reshape(-1, 9)
    with np.errstate(invalid="ignore", divide="ignore"):
        temperature = stress[:, [0, 4, 8]].sum(axis=1) / (3.0 * density)
    columns = {"volume": spread.volume[:, 0], "density": density}
    columns |= {f"velocity_{axis}": mean[:, n] for n, axis in enumerate(AXES)}
    columns["temperature"] = temperature
    lines = [] if contacts is None else _branches(grains, contacts)
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    for middle, branch, force in itertools.chain(lines, *(_radii(grains, one) for one in walls)):
        product = (force[:, :, None] * branch[:, None, :]).reshape(-1, 9)
        for node, weight in zip(nodes, weights, strict=True):
            stress += spread(middle + 0.5 * node * branch, 0.5 * weight * product)
    for n, (a, b) in enumerate(itertools.product(AXES, AXES)):
        columns[f"stress_{a}{b}"] = stress[:, n]
    columns["pressure"] = stress[:, [0, 4, 8]].sum(axis=1) / 3.0
    for lost in losses:
        column = "total" if "total" in lost else "dissipation"
        need(lost, [*AXES, column], "losses")
        power = spread(lost[list(AXES)].to_numpy(float), lost[[column]].to_numpy(float))[:, 0]
        columns["dissipation"] = columns.get("dissipation", 0.0) + power
    middles = [0.5 * (one[1:] + one[:-1]) for one in grid]
    points = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 3)
    return pd.DataFrame({axis: points[:, n] for n, axis in enumerate(AXES)} | columns)


def grid(volume: Volume, cells: Sequence[int]) -> list[Array]:
    """Return the edges of a grid that fills a volume. `cells` is the number of cells per axis."""
    return [
        np.linspace(low, high, count + 1)
        for (low, high), count in zip(volume.ends, cells, strict=True)
    ]


def read_box(dump: Path | str, step: int | None = None) -> Box:
    """Return the simulation box of one frame of a text dump. The default is the last frame.

    Raises:
        ValueError: the box is tilted, or the frame is missing or incomplete.
    """
    text = read_dump(Path(dump), step=step)
    if step is not None:
        frames = re.split(r"^(?=ITEM: TIMESTEP)", text, flags=re.MULTILINE)
        text = "".join(frame for frame in frames if frame.split("\n")[1:2] == [str(step)])
    found = re.findall(r"^ITEM: BOX BOUNDS(.*)\n(.*)\n(.*)\n(.*)$", text, re.MULTILINE)
    if not found:
        raise ValueError(
            f"{dump} has no frame of step {step}"
            if step is not None
            else f"{dump} is not a text dump of style custom or local"
        )
    words, *rows = found[-1]
    if "xy" in words or "abc" in words:
        raise ValueError(f"{dump}: fields of a tilted box are not supported")
    sides = words.split()
    periodic = tuple(n < len(sides) and sides[n] == "pp" for n in range(3))
    ends = np.array([[float(word) for word in row.split()[:2]] for row in rows])
    return Box(ends, periodic)  # type: ignore[arg-type]


class _Spread:
    """Sums over points. A Gaussian spreads each point over the cells of a grid.

    `volume`, of shape (cells, 1), is the volume by which the sums of each cell are divided. It is
    nan if too little of the cell is inside.
    """

    def __init__(
        self, edges: Sequence[Array], width: float, box: Box | None, within: Volume | None
    ) -> None:
        self.edges, self.width, self.box, self.within = edges, width, box, within
        self.shape = tuple(one.size - 1 for one in edges)
        sizes = np.meshgrid(*[np.diff(one) for one in edges], indexing="ij")
        self.volume = (sizes[0] * sizes[1] * sizes[2]).reshape(-1, 1)
        if within is not None and within.encloses is not None:
            points, share = within.samples()
            filled = self._sums(points, np.full((len(points), 1), share))
            self.volume = np.where(filled > LEAST_VOLUME * self.volume, filled, np.nan)

    def __call__(self, place: Array, carried: Array) -> Array:
        """Return sums / volume of m quantities at n points: an array of shape (cells, m)."""
        if self.within is not None:
            place, inside = self.within.locate(place, self.box)
            place, carried = place[inside], carried[inside]
        return self.mean(place, carried)

    def mean(self, place: Array, carried: Array) -> Array:
        return np.asarray(self._sums(place, carried) / self.volume)

    def _sums(self, place: Array, carried: Array) -> Array:
        sums = np.zeros((self.volume.size, carried.shape[1]))
        count = self.volume.size // self.shape[0] + carried.shape[1] * self.shape[0]
        size = max(1, CHUNK // count)
        for start in range(0, len(place), size):
            part = slice(start, start + size)
            x, y, z = (self._parts(place[part, n], n) for n in range(3))
            across = (y[:, :, None] * z[:, None, :]).reshape(len(y), -1)
            along = (x[:, :, None] * carried[part, None, :]).reshape(len(x), -1)
            product = (along.T @ across).reshape(self.shape[0], carried.shape[1], -1)
            sums += product.transpose(0, 2, 1).reshape(sums.shape)
        return sums

    def _parts(self, place: Array, axis: int) -> Array:
        edges = self.edges[axis]
        total = np.zeros((len(place), edges.size - 1))
        for image in self._images(place, axis):
            total += np.diff(ndtr((edges - image[:, None]) / self.width), axis=1)
        return total

    def _images(self, place: Array, axis: int) -> Iterator[Array]:
        period = self.box is not None and self.box.periodic[axis]
        if self.within is not None and not self.within.spans_period(self.box, axis):
            low, high = self.within.ends[axis]
            length = high - low
            reach = int(REACH * self.width / length) + 1
            for n in range(-reach, reach + 1):
                yield (low + high - place if n % 2 else place) + n * length
        elif self.box is not None and period:
            low, high = self.box.ends[axis]
            length = high - low
            place = low + np.mod(place - low, length)
            reach = int(np.ceil(REACH * self.width / length)) + 1
            yield from (place + n * length for n in range(-reach, reach + 1))
        else:
            yield place


def _branches(grains: pd.DataFrame, contacts: pd.DataFrame) -> Iterator[tuple[Array, Array, Array]]:
    """Yield midpoint, vector and force of the lines along which contacts transmit forces.

    Each array has the shape (n, 3). A contact has two lines that meet at the contact point. If the
    contact point is not known, the contact has one line between the centres of the spheres.
    """
    need(contacts, ["patom1", *SEPARATION, *FORCE], "contacts")
    contacts = contacts[joined(contacts)]
    centre = grains[list(AXES)].to_numpy(dtype=float)[rows_of(grains, contacts["patom1"])]
    force = contacts[FORCE].to_numpy(dtype=float)
    path = paths(contacts)
    for n in range(path.shape[1] - 1):
        begin, end = path[:, n], path[:, n + 1]
        yield centre + 0.5 * (begin + end), begin - end, force


def _radii(grains: pd.DataFrame, contacts: pd.DataFrame) -> Iterator[tuple[Array, Array, Array]]:
    """Yield midpoint, vector and force of lines from centres to contact points on a wall.

    Each array has the shape (n, 3).
    """
    need(contacts, ["id", *AXES, *FORCE], "walls")
    centre = grains[list(AXES)].to_numpy(dtype=float)[rows_of(grains, contacts["id"])]
    point = contacts[list(AXES)].to_numpy(dtype=float)
    yield 0.5 * (centre + point), centre - point, contacts[FORCE].to_numpy(dtype=float)
