"""Closed surfaces of triangles for grains: round and angular bodies, and rocks.

Each surface is a `Mesh` around the origin.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import NDArray

from pysuite import files

Array = NDArray[numpy.float64]
Indices = NDArray[numpy.int32]


@dataclass(frozen=True)
class Mesh:
    """A surface of triangles.

    Attributes:
        points: array of shape (n, 3), coordinates of the corners.
        triangles: array of shape (m, 3), indices into points. The corners of a triangle are
            counterclockwise if seen from outside.
    """

    points: Array
    triangles: Indices

    def write(self, path: Path | str) -> Path:
        """Write the mesh as OBJ, or as binary STL if the name ends in .stl. Return the path."""
        path = Path(path)
        if path.suffix.lower() == ".stl":
            corners = self.points[self.triangles]
            normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            lengths = numpy.linalg.norm(normals, axis=1, keepdims=True)
            facet = numpy.dtype([("values", "<f4", 12), ("attribute", "<u2")])
            facets = numpy.zeros(len(self.triangles), facet)
            facets["values"][:, :3] = normals / numpy.where(lengths > 0.0, lengths, 1.0)
            facets["values"][:, 3:] = corners.reshape(-1, 9)
            header = b"granular/plus".ljust(80) + numpy.uint32(len(facets)).tobytes()
            files.write(path, header + facets.tobytes())
        else:
            lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in self.points]
            lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in self.triangles]
            files.write(path, "\n".join(lines) + "\n")
        return path


def sphere(radius: float = 1.0, level: int = 4) -> Mesh:
    """A sphere: an icosahedron whose facets are subdivided `level` times.

    The mesh has 20 * 4^level facets and 10 * 4^level + 2 vertices. All vertices lie on the sphere.
    With level 4, the mesh has 5120 facets, as in Li et al. 2022.
    """
    golden = (1.0 + numpy.sqrt(5.0)) / 2.0
    corners = numpy.array(
        [[0.0, s, t * golden] for s, t in itertools.product((-1.0, 1.0), repeat=2)]
    )
    points = numpy.concatenate([numpy.roll(corners, k, axis=1) for k in range(3)])
    points /= numpy.linalg.norm(points, axis=1, keepdims=True)
    triangles = _hull(points)
    for _ in range(level):
        points, triangles = _cut(points, triangles)
        points /= numpy.linalg.norm(points, axis=1, keepdims=True)
    return Mesh(radius * points, triangles)


def ellipsoid(a: float, b: float, c: float, level: int = 4) -> Mesh:
    """An ellipsoid with the half axes a, b and c, and as many facets as `sphere(level=level)`."""
    ball = sphere(1.0, level)
    return Mesh(ball.points * numpy.array([a, b, c]), ball.triangles)


def superellipsoid(a: float, b: float, c: float, north: float, east: float, level: int = 4) -> Mesh:
    """A superellipsoid: (|x/a|^e + |y/b|^e)^(n/e) + |z/c|^n = 1.

    With n = e = 2, the body is an ellipsoid. With large n and e, the body is almost a block.

    Args:
        a: half axis along x.
        b: half axis along y.
        c: half axis along z.
        north: exponent n, as for superellipsoids in LAMMPS.
        east: exponent e.
        level: number of subdivisions, as in `sphere`. The points of this sphere are moved onto the
            surface along rays from the centre.
    """
    ball = sphere(1.0, level)
    x, y, z = numpy.abs(ball.points / numpy.array([a, b, c])).T
    # division by the largest component prevents overflow and underflow of high powers
    flat = numpy.maximum(numpy.maximum(x, y), 1e-300)
    plane = flat * ((x / flat) ** east + (y / flat) ** east) ** (1.0 / east)
    top = numpy.maximum(plane, z)
    value = top * ((plane / top) ** north + (z / top) ** north) ** (1.0 / north)
    return Mesh(ball.points / value[:, None], ball.triangles)


def box(a: float, b: float, c: float) -> Mesh:
    """A block with edges of length a, b and c.

    Each face is divided into four triangles at its centre, so that all corners are equivalent.
    """
    corners = numpy.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    middles = numpy.array([corners[list(quad)].mean(axis=0) for quad in quads])
    triangles = [
        (quad[k], quad[(k + 1) % 4], 8 + face) for face, quad in enumerate(quads) for k in range(4)
    ]
    points = numpy.concatenate([corners, middles]) * numpy.array([a, b, c])
    return Mesh(points, numpy.array(triangles, numpy.int32))


def cube(edge: float = 1.0) -> Mesh:
    """A cube."""
    return box(edge, edge, edge)


def tetrahedron(edge: float = 1.0) -> Mesh:
    """A regular tetrahedron."""
    points = numpy.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * (
        edge / numpy.sqrt(8.0)
    )
    return Mesh(points, numpy.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], numpy.int32))


def cylinder(radius: float, height: float, sides: int = 48) -> Mesh:
    """A cylinder along z. The side of the cylinder has `sides` rectangular facets."""
    angle = 2.0 * numpy.pi * numpy.arange(sides) / sides
    rim = radius * numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)
    ends = [numpy.column_stack([rim, numpy.full(sides, z)]) for z in (-height / 2, height / 2)]
    points = numpy.concatenate([*ends, [[0.0, 0.0, -height / 2], [0.0, 0.0, height / 2]]])
    triangles = []
    for k in range(sides):
        n = (k + 1) % sides
        low, high = 2 * sides, 2 * sides + 1
        triangles += [(k, n, sides + n), (k, sides + n, sides + k)]
        triangles += [(low, n, k), (high, sides + k, sides + n)]
    return Mesh(points, numpy.array(triangles, numpy.int32))


def rock(radius: float = 1.0, roughness: float = 0.25, corners: int = 24, seed: int = 1) -> Mesh:
    """A convex stone: the hull of random points close to an ellipsoid with random axes.

    Args:
        radius: radius of a sphere of equal volume.
        roughness: the half axes are random numbers between 1 - roughness and 1 + roughness. The
            stone is then scaled to `radius`.
        corners: number of random points.
        seed: random seed.
    """
    random = numpy.random.default_rng(seed)
    axes = 1.0 + roughness * random.uniform(-1.0, 1.0, 3)
    points = random.normal(size=(corners, 3))
    for _ in range(30):  # points are pushed apart to avoid narrow facets
        points /= numpy.linalg.norm(points, axis=1, keepdims=True)
        away = points[:, None] - points[None]
        square = numpy.einsum("ijk,ijk->ij", away, away) + numpy.eye(corners)
        points = points + 0.3 / corners * numpy.einsum("ijk,ij->ik", away, square**-1.5)
    points /= numpy.linalg.norm(points, axis=1, keepdims=True)
    points *= axes * (1.0 + 0.3 * roughness * random.uniform(-1.0, 1.0, (corners, 1)))
    triangles = _hull(points)
    used = numpy.unique(triangles)
    renumbered = numpy.searchsorted(used, triangles).astype(numpy.int32)
    points = points[used]
    corner = points[renumbered]
    volume = numpy.einsum("ij,ij->", corner[:, 0], numpy.cross(corner[:, 1], corner[:, 2])) / 6.0
    return Mesh(points * radius * (4.0 * numpy.pi / 3.0 / volume) ** (1.0 / 3.0), renumbered)


def _hull(points: Array) -> Indices:
    """Return the triangles of the convex hull. The normals point outwards."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    triangles = hull.simplices.astype(numpy.int32)
    corner = points[triangles]
    normal = numpy.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    inwards = numpy.einsum("ij,ij->i", normal, hull.equations[:, :3]) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return triangles


def _cut(points: Array, triangles: Indices) -> tuple[Array, Indices]:
    edges = numpy.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, index = numpy.unique(edges, axis=0, return_inverse=True)
    middle = points[unique].mean(axis=1)
    ab, bc, ca = (len(points) + index.reshape(-1, 3)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    cut = numpy.concatenate([numpy.stack(part, axis=1) for part in parts])
    return numpy.concatenate([points, middle]), cut.astype(numpy.int32)
