"""The volume over which fields are averaged: a box, or a cylinder or a closed mesh in a box."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite.contacts import AXES, need

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SAMPLES = 16  # 2^16 points give the cross-section of a cylinder to 1e-3

IN_SPHERE = 7  # 2^7 points in a cut sphere
# A sphere is regarded as cut by the border if the points at 1.13 radii from its centre along
# DIRECTIONS lie on both sides of the border. The angle between any direction and the nearest of
# DIRECTIONS is at most 27 degrees.
AROUND = 1.13
DIRECTIONS = np.array(
    [
        np.array(way) / np.linalg.norm(way)
        for way in itertools.product((-1, 0, 1), repeat=3)
        if np.count_nonzero(way) in (1, 3)
    ]
)


class Box(NamedTuple):
    """A simulation box. `ends` is an array of shape (3, 2): lowest and highest coordinates."""

    ends: Array
    periodic: tuple[bool, bool, bool]


class Volume(NamedTuple):
    """The volume over which fields are averaged.

    Attributes:
        ends: array of shape (3, 2), the lowest and highest coordinates along x, y and z.
        encloses: function that receives an array of n points between the ends, of shape (n, 3), and
            returns an array of shape (n,), True for points inside. With None, all points between
            the ends are inside.
        words: description of the volume in messages.
    """

    ends: Array
    encloses: Callable[[Array], Mask] | None = None
    words: str = "box"

    def spans_period(self, box: Box | None, axis: int) -> bool:
        """Return whether the box is periodic along an axis and as long as the volume."""
        if box is None or not box.periodic[axis]:
            return False
        return bool(np.isclose(np.ptp(self.ends[axis]), np.ptp(box.ends[axis]), rtol=1e-9))

    def locate(self, points: Array, box: Box | None = None) -> tuple[Array, Mask]:
        """Return the periodic image of each point, and whether the image is inside the volume.

        The shapes are (n, 3) and (n,). Along periodic axes, the image lies between the lower end of
        the volume and one period above. Coordinates along other axes are kept.
        """
        images = np.array(points, dtype=float)
        inside = np.ones(len(images), dtype=bool)
        for axis, (low, high) in enumerate(self.ends):
            if box is not None and box.periodic[axis]:
                images[:, axis] = low + np.mod(images[:, axis] - low, np.ptp(box.ends[axis]))
            if not self.spans_period(box, axis):
                inside &= (images[:, axis] >= low) & (images[:, axis] <= high)
        if self.encloses is not None:
            inside[inside] = self.encloses(images[inside])
        return images, inside

    def parts(self, centres: Array, radii: Array, box: Box | None = None) -> tuple[Array, Array]:
        """Return the fraction of each sphere that is inside, and the centre of the part inside.

        The shapes are (n,) and (n, 3).
        """

        def holds(offsets: Array, of: Array) -> Mask:
            points = of[:, None] + offsets
            return self.locate(points.reshape(-1, 3), box)[1].reshape(points.shape[:2])

        around = holds(AROUND * radii[:, None, None] * DIRECTIONS, centres)
        part = around.all(axis=1).astype(float)
        cut = around.any(axis=1) & ~around.all(axis=1)
        offsets = radii[cut, None, None] * _ball()
        inside = holds(offsets, centres[cut])
        part[cut] = inside.mean(axis=1)
        places = np.array(centres, dtype=float)
        places[cut] += (inside[:, :, None] * offsets).sum(axis=1) / np.maximum(
            inside.sum(axis=1), 1
        )[:, None]
        return part, self.locate(places, box)[0]

    def samples(self) -> tuple[Array, float]:
        """Return evenly distributed points in the volume, of shape (n, 3), and volume per point."""
        from scipy.stats import qmc

        lengths = np.ptp(self.ends, axis=1)
        points = qmc.scale(
            qmc.Sobol(3, scramble=False).random_base2(SAMPLES), self.ends[:, 0], self.ends[:, 1]
        )
        share = float(np.prod(lengths)) / len(points)
        return (points if self.encloses is None else points[self.encloses(points)]), share


def _ball() -> Array:
    """Return evenly distributed points in a ball of radius 1, of shape (n, 3); their mean is 0."""
    from scipy.stats import qmc

    u, v, w = (qmc.Sobol(3, scramble=False).random_base2(IN_SPHERE) + 0.5 ** (IN_SPHERE + 1)).T
    away, height, turn = np.cbrt(u), 2.0 * v - 1.0, 2.0 * np.pi * w
    flat = np.sqrt(1.0 - height**2)
    points = away * np.stack([flat * np.cos(turn), flat * np.sin(turn), height])
    return np.asarray((points - points.mean(axis=1)[:, None]).T)


def around(grains: pd.DataFrame, box: Box | None = None) -> Volume:
    """Return the smallest box around all grains. Along periodic axes, it fills the simulation box.

    Raises:
        ValueError: there is no grain, or a column x, y, z or radius is missing.
    """
    ends = np.array(
        [
            box.ends[axis] if box is not None and box.periodic[axis] else _reach(grains, axis)
            for axis in range(3)
        ],
        dtype=float,
    )
    return Volume(ends, words="box around the grains")


def _reach(grains: pd.DataFrame, axis: int) -> tuple[float, float]:
    name = AXES[axis]
    if grains.empty:
        raise ValueError("the table of grains is empty: there is no volume around the grains")
    need(grains, [name, "radius"], "grains")
    low, high = grains[name] - grains["radius"], grains[name] + grains["radius"]
    return float(low.min()), float(high.max())


def block(ends: Sequence[float], grains: pd.DataFrame, box: Box | None = None) -> Volume:
    """Return a block. `ends` are xlo, xhi, ylo, yhi, zlo and zhi.

    An infinite end is replaced by the corresponding end of `around(grains, box)`.

    Raises:
        ValueError: an end is not a number, a lower end is not below the upper end, or the volume
            is larger than a periodic box.
    """
    return _within(np.reshape(np.asarray(ends, dtype=float), (3, 2)), grains, box, "box")


def region(words: Sequence[str], grains: pd.DataFrame, box: Box | None = None) -> Volume:
    """Return the volume described by words similar to those of the LAMMPS command `region`.

    The words are one of:

    * cylinder AXIS C1 C2 RADIUS LO HI
    * block XLO XHI YLO YHI ZLO ZHI
    * mesh FILE [SCALE], where FILE is a closed surface in STL or OBJ format

    INF as LO or HI stands for the surface of the outermost grain. Along a periodic axis, INF stands
    for the end of the simulation box.

    Raises:
        ValueError: the words have another form, a value is invalid, or the mesh is not closed.
        FileNotFoundError: the mesh does not exist.
    """
    match list(words):
        case ["block", *ends] if len(ends) == 6:
            return block([_number(end) for end in ends], grains, box)
        case ["cylinder", axis, *values] if axis in AXES and len(values) == 5:
            first, second, radius, low, high = map(_number, values)
            return _cylinder(AXES.index(axis), (first, second), radius, (low, high), grains, box)
        case ["mesh", file]:
            return _mesh(Path(file), 1.0, grains, box)
        case ["mesh", file, scale]:
            return _mesh(Path(file), _number(scale), grains, box)
    raise ValueError(
        f"region {' '.join(words)} must be cylinder x|y|z C1 C2 RADIUS LO HI,"
        " block XLO XHI YLO YHI ZLO ZHI or mesh FILE [SCALE]"
    )


def _number(word: str) -> float:
    try:
        return float(word)  # accepts inf like INF
    except ValueError:
        raise ValueError(f"region: {word} must be a number or INF") from None


def _cylinder(
    axis: int,
    centre: tuple[float, float],
    radius: float,
    ends: tuple[float, float],
    grains: pd.DataFrame,
    box: Box | None,
) -> Volume:
    if not 0.0 < radius < np.inf:
        raise ValueError(f"region cylinder: radius {radius:g} must be > 0 and finite")
    across = [n for n in range(3) if n != axis]
    limits = np.empty((3, 2))
    limits[axis] = ends
    for n, middle in zip(across, centre, strict=True):
        limits[n] = middle - radius, middle + radius

    def encloses(points: Array) -> Mask:
        return np.asarray(np.hypot(*(points[:, across] - centre).T) <= radius)

    words = f"cylinder of radius {radius:g} along {AXES[axis]}"
    return _within(limits, grains, box, words, encloses)


def _mesh(file: Path, scale: float, grains: pd.DataFrame, box: Box | None) -> Volume:
    from pysuite import shapes

    if not 0.0 < scale < np.inf:
        raise ValueError(f"region mesh: scale {scale:g} must be > 0 and finite")
    try:
        mesh = shapes.read(file)
        mesh = shapes.Mesh(scale * mesh.points, mesh.triangles)
        shapes.distance_to_triangles(mesh, np.empty((0, 3)))  # rejects open meshes
    except ValueError as error:
        raise ValueError(f"region mesh: {file}: {error}") from error

    def encloses(points: Array) -> Mask:
        return np.asarray(shapes.distance_to_triangles(mesh, points) <= 0.0)

    ends = np.stack([mesh.points.min(axis=0), mesh.points.max(axis=0)], axis=1)
    return _within(ends, grains, box, f"inside of {file}", encloses)


def _within(
    ends: Array,
    grains: pd.DataFrame,
    box: Box | None,
    words: str,
    encloses: Callable[[Array], Mask] | None = None,
) -> Volume:
    unlimited = ~np.isfinite(ends)
    if np.isnan(ends).any():
        raise ValueError("the ends of a volume must be numbers or INF")
    if unlimited.any():
        ends = np.where(unlimited, around(grains, box).ends, ends)
    for axis, (low, high) in zip(AXES, ends, strict=True):
        if not low < high:
            raise ValueError(f"{axis}lo = {low:g} must be < {axis}hi = {high:g}")
        if box is None or not box.periodic[AXES.index(axis)]:
            continue
        period = float(np.ptp(box.ends[AXES.index(axis)]))
        if high - low > period * (1.0 + 1e-9):
            raise ValueError(
                f"{axis}lo = {low:g} and {axis}hi = {high:g} must not be further apart than the"
                f" length of the periodic box along {axis}, {period:g}"
            )
    return Volume(ends, encloses, words)
