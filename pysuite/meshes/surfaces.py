"""Simple surfaces of triangles; STL and OBJ files.

A surface is an array of shape (n, 3, 3) with the axes triangle, corner and coordinate.

>>> surface = sphere(2.0, level=1)
>>> surface.shape
(80, 3, 3)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy
from numpy.typing import ArrayLike, NDArray

from pysuite import files

Triangles = NDArray[numpy.float64]

PHI = (1.0 + 5.0**0.5) / 2.0


def write_stl(path: Path | str, triangles: ArrayLike, *, text: bool = False) -> Path:
    """Write triangles to an STL file.

    By default, the file is binary with single precision. If `text` is true, the file is ASCII with
    all digits. Raises ValueError if the shape of `triangles` is not (n, 3, 3).
    """
    corners = _triangles(triangles)
    path = Path(path)
    if text:
        lines = ["solid surface"]
        for triangle, normal in zip(corners, normals(corners), strict=True):
            lines += ["facet normal {:.9g} {:.9g} {:.9g}".format(*normal), "outer loop"]
            lines += ["vertex {!r} {!r} {!r}".format(*map(float, corner)) for corner in triangle]
            lines += ["endloop", "endfacet"]
        files.write(path, "\n".join([*lines, "endsolid surface", ""]))
        return path
    record = numpy.zeros(
        len(corners),
        dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")],
    )
    record["normal"], record["corners"] = normals(corners), corners
    header = b"binary STL".ljust(80) + numpy.uint32(len(corners)).tobytes()
    files.write(path, header + record.tobytes())
    return path


def read_stl(path: Path | str) -> Triangles:
    """Read a binary or ASCII STL file as LAMMPS does. Raises ValueError if the file is invalid."""
    from granular_plus import _surfaces

    files.check_readable(path)
    return numpy.array(_surfaces.read_stl(str(path)))


def read_obj(path: Path | str) -> Triangles:
    """Read an OBJ file as LAMMPS does, and divide its faces into triangles.

    Raises ValueError if the file is invalid.
    """
    from granular_plus import _shapes

    files.check_readable(path)
    points, corners = _shapes.read(str(path))
    return numpy.asarray(points)[numpy.asarray(corners)]


def indexed(triangles: ArrayLike, same: float = 2e-7) -> tuple[Triangles, NDArray[numpy.int64]]:
    """Return vertices and the vertex indices of each triangle.

    Vertices are merged if they are closer than `same` times the size of the surface. Walls and
    shapes use the default value of `same`.
    """
    from granular_plus import _surfaces

    corners = numpy.ascontiguousarray(_triangles(triangles))
    vertices, faces = _surfaces.vertices(corners, same)
    return numpy.asarray(vertices), numpy.asarray(faces, dtype=numpy.int64)


def normals(triangles: ArrayLike) -> NDArray[numpy.float64]:
    """Return unit normals, of shape (n, 3). The normal of a triangle of zero area is 0."""
    corners = _triangles(triangles)
    area = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = numpy.linalg.norm(area, axis=1, keepdims=True)
    return area / numpy.where(size > 0.0, size, 1.0)


def sheet(
    corner: ArrayLike, one: ArrayLike, other: ArrayLike, cells: tuple[int, int], seed: int = -1
) -> Triangles:
    """Return a parallelogram that is divided into cells of two triangles each.

    With a seed >= 0, inner vertices and the diagonals of the cells are random.
    """
    origin, u, v = (numpy.asarray(w, dtype=float) for w in (corner, one, other))
    rng = numpy.random.default_rng(max(seed, 0))
    across, along = cells
    grid = numpy.stack(
        numpy.meshgrid(numpy.arange(across + 1.0), numpy.arange(along + 1.0), indexing="ij"), -1
    )
    if seed >= 0:
        grid[1:-1, 1:-1] += rng.uniform(-0.3, 0.3, grid[1:-1, 1:-1].shape)
    points = origin + grid[..., :1] / across * u + grid[..., 1:] / along * v
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    flip = rng.random(a.shape[:2]) < 0.5 if seed >= 0 else numpy.zeros(a.shape[:2], dtype=bool)
    if seed >= 0:  # in a cell with a reflex corner, one diagonal lies outside the cell
        p, q, r, s = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
        flip |= (_turn(p, q, r) <= 0.0) | (_turn(p, r, s) <= 0.0)
        flip &= (_turn(p, q, s) > 0.0) & (_turn(q, r, s) > 0.0)
    straight = numpy.stack([numpy.stack([a, b, c], -2), numpy.stack([a, c, d], -2)], 2)
    crossed = numpy.stack([numpy.stack([a, b, d], -2), numpy.stack([b, c, d], -2)], 2)
    chosen = numpy.where(flip[:, :, None, None, None], crossed, straight)
    return chosen.reshape(-1, 3, 3)


def box(low: ArrayLike, high: ArrayLike, cells: int = 1, seed: int = -1) -> Triangles:
    """Return the surface of a box as 12 * cells^2 triangles. Normals point inwards."""
    low, high = numpy.asarray(low, dtype=float), numpy.asarray(high, dtype=float)
    sides = []
    for d in range(3):
        one, other = numpy.zeros(3), numpy.zeros(3)
        one[(d + 1) % 3] = (high - low)[(d + 1) % 3]
        other[(d + 2) % 3] = (high - low)[(d + 2) % 3]
        for k, start in enumerate((low, numpy.where(numpy.arange(3) == d, high, low))):
            spans = (one, other) if k == 0 else (other, one)
            sides.append(
                sheet(start, *spans, (cells, cells), seed + 2 * d + k if seed >= 0 else -1)
            )
    return numpy.concatenate(sides)


def sphere(radius: float, level: int = 2) -> Triangles:
    """Return a sphere: an icosahedron subdivided `level` times, with 20 * 4^level triangles."""
    t = PHI
    vertices: list[tuple[float, float, float]]
    vertices = [(-1, t, 0), (1, t, 0), (-1, -t, 0), (1, -t, 0), (0, -1, t), (0, 1, t)]
    vertices += [(0, -1, -t), (0, 1, -t), (t, 0, -1), (t, 0, 1), (-t, 0, -1), (-t, 0, 1)]
    faces = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4)]
    faces += [(11, 10, 2), (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8)]
    faces += [(3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    triangles = numpy.array(vertices)[numpy.array(faces)]
    for _ in range(level):
        a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
        # midpoints are bitwise equal in both triangles at an edge, because addition commutes
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = numpy.concatenate([numpy.stack(part, 1) for part in parts])
        triangles /= numpy.linalg.norm(triangles, axis=2, keepdims=True)
    return radius * triangles / numpy.linalg.norm(triangles, axis=2, keepdims=True)


def lathe(profile: Sequence[tuple[float, float]], segments: int) -> Triangles:
    """Return the surface swept by a line of (r, z) points that rotates about the z axis."""
    angles = 2.0 * numpy.pi * numpy.arange(segments) / segments
    circle = numpy.stack([numpy.cos(angles), numpy.sin(angles)], -1)
    circle = numpy.concatenate([circle, circle[:1]])  # the last point is bitwise equal to the first
    triangles = []
    for (r0, z0), (r1, z1) in pairwise(profile):
        low = numpy.column_stack([r0 * circle, numpy.full(segments + 1, z0)])
        high = numpy.column_stack([r1 * circle, numpy.full(segments + 1, z1)])
        a, b, c, d = low[:-1], low[1:], high[1:], high[:-1]
        if r0 != 0.0:
            triangles.append(numpy.stack([a, b, c] if r1 == 0.0 else [a, b, d], 1))
        if r1 != 0.0:
            triangles.append(numpy.stack([a, c, d] if r0 == 0.0 else [b, c, d], 1))
    return numpy.concatenate(triangles)


def extruded(profile: ArrayLike, low: float, high: float, cells: int = 1) -> Triangles:
    """Return the surface swept by a line of (x, z) points that moves from y = low to y = high."""
    points = numpy.asarray(profile, dtype=float)
    strips = []
    for (x0, z0), (x1, z1) in pairwise(points):
        strips.append(_strip((x0, low, z0), (x1, low, z1), high - low, cells))
    return numpy.concatenate(strips)


def _strip(start: ArrayLike, end: ArrayLike, length: float, cells: int) -> Triangles:
    a, b = numpy.asarray(start, dtype=float), numpy.asarray(end, dtype=float)
    steps = length * numpy.arange(cells + 1) / cells
    shift = numpy.zeros((cells + 1, 3))
    shift[:, 1] = steps
    low, high = a + shift, b + shift
    return numpy.concatenate(
        [
            numpy.stack([low[:-1], high[:-1], high[1:]], 1),
            numpy.stack([low[:-1], high[1:], low[1:]], 1),
        ]
    )


def _turn(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> NDArray[numpy.float64]:
    """Return twice the area of triangles, positive if the corners are counterclockwise."""
    one, other = numpy.subtract(b, a), numpy.subtract(c, a)
    return numpy.asarray(one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0])


def _triangles(triangles: ArrayLike) -> Triangles:
    corners = numpy.asarray(triangles, dtype=float)
    if corners.ndim != 3 or corners.shape[1:] != (3, 3):
        raise ValueError(f"triangles have shape {corners.shape}, but must have shape (n, 3, 3)")
    return corners
