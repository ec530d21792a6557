"""Check a mesh file (drawing) for use as a wall.

>>> from pysuite import meshes
>>> found = examine(meshes.sphere(1.0, level=2), diameter=0.1)
>>> found.triangles, found.closed, found.problems
(320, True, [])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from pysuite import files, meshes
from pysuite.meshes import Triangles

# LAMMPS rejects meshes in which more triangles share an edge. In such meshes, `examine` counts no
# overlaps.
MOST_AT_AN_EDGE = 8
# `thickened` moves a vertex along its mean normal. The distance is half the thickness divided by
# the cosine of the largest angle between the mean normal and the normals of adjacent triangles.
# LEAST_ALONG is the smallest cosine used. At sharper edges the plate is thinner than requested.
LEAST_ALONG = 0.3
SMALL, LARGE = 0.2, 1e3  # bounds of triangle size / grain diameter


@dataclass(frozen=True)
class Findings:
    """Result of `examine`.

    Attributes:
        volume: enclosed volume, positive if normals point outwards; nan if the surface is open or
            its windings are inconsistent.
        closed: whether every edge joins two triangles.
        open_edges: number of edges that belong to only one triangle. Another triangle may touch
            such an edge without having the same two vertices.
        crowded_edges: number of edges that more than two triangles share.
        turned_edges: number of edges whose two triangles have opposite winding.
        without_area: number of triangles of zero area, which LAMMPS skips.
        overlaps: number of pairs of triangles that lie on one another. LAMMPS rejects such meshes.
        parts: number of parts that have no vertices in common.
    """

    triangles: int
    low: NDArray[numpy.float64]
    high: NDArray[numpy.float64]
    shortest: float
    longest: float
    area: float
    volume: float
    closed: bool
    open_edges: int
    crowded_edges: int
    turned_edges: int
    without_area: int
    overlaps: int
    parts: int
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def load(path: Path, scale: float = 1.0) -> Triangles:
    """Read a drawing. STL and OBJ are read as in LAMMPS, other formats are read by trimesh.

    Raises ValueError if the file is invalid, and ImportError if trimesh is needed but missing.
    """
    suffix = path.suffix.lower()
    if suffix == ".stl":
        return scale * meshes.read_stl(path)
    if suffix == ".obj":
        return scale * meshes.read_obj(path)
    import trimesh

    files.check_readable(path)
    try:
        mesh: Any = trimesh.load(path, force="mesh")
        corners: Triangles = numpy.asarray(mesh.triangles, dtype=float)
    except Exception as error:  # each format raises different errors
        raise ValueError(f"trimesh cannot read {path}: {error}") from error
    if not len(corners):
        raise ValueError(f"{path} has no triangles")
    return scale * corners


def examine(triangles: Triangles, diameter: float = 0.0) -> Findings:
    """Examine triangles, of shape (n, 3, 3), for use as a wall.

    `diameter` is the diameter of the grains, or 0 if it is not known.
    """
    corners = numpy.asarray(triangles, dtype=float)
    vertices, faces = meshes.indexed(corners)
    corners = vertices[faces]
    ways = numpy.roll(corners, -1, axis=1) - corners
    lengths = numpy.linalg.norm(ways, axis=2)
    areas = 0.5 * numpy.linalg.norm(numpy.cross(ways[:, 0], ways[:, 1]), axis=1)
    flat = areas <= 0.5e-12 * lengths.max(axis=1) ** 2

    ends = numpy.stack([faces[~flat], numpy.roll(faces[~flat], -1, axis=1)], -1).reshape(-1, 2)
    forwards = ends[:, 0] < ends[:, 1]
    _, edge, count = numpy.unique(
        numpy.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    balance = numpy.bincount(edge.reshape(-1), weights=numpy.where(forwards, 1.0, -1.0))
    closed = bool((count == 2).all())
    turned = int((numpy.abs(balance[count == 2]) > 0).sum())
    whole = closed and turned == 0
    solid = numpy.einsum("ij,ij->i", corners[:, 0], numpy.cross(corners[:, 1], corners[:, 2]))
    findings = Findings(
        triangles=len(corners),
        low=corners.min(axis=(0, 1)),
        high=corners.max(axis=(0, 1)),
        shortest=float(lengths[~flat].min(initial=numpy.inf)),
        longest=float(lengths.max()),
        area=float(areas.sum()),
        volume=float(solid.sum() / 6.0) if whole else float("nan"),
        closed=closed,
        open_edges=int((count == 1).sum()),
        crowded_edges=int((count > 2).sum()),
        turned_edges=turned,
        without_area=int(flat.sum()),
        overlaps=_overlaps(corners) if not flat.all() and count.max() <= MOST_AT_AN_EDGE else 0,
        parts=_parts(len(vertices), faces),
    )
    _judge(findings, diameter)
    return findings


def _overlaps(triangles: Triangles) -> int:
    from granular_plus import _surfaces

    return len(_surfaces.overlaps(numpy.ascontiguousarray(triangles)))


def _parts(vertices: int, faces: NDArray[numpy.int64]) -> int:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    one = numpy.concatenate([faces[:, 0], faces[:, 1]])
    other = numpy.concatenate([faces[:, 1], faces[:, 2]])
    graph = coo_matrix((numpy.ones(len(one)), (one, other)), shape=(vertices, vertices))
    return int(connected_components(graph, directed=False)[0])


def _judge(found: Findings, diameter: float) -> None:
    if found.overlaps:
        found.problems.append(
            f"{found.overlaps} pairs of triangles lie on one another. LAMMPS rejects the mesh,"
            " because the wall would be twice as stiff there; see --repair"
        )
    if found.triangles == found.without_area:
        found.problems.append("all triangles have zero area")
    if found.crowded_edges:
        found.problems.append(f"{found.crowded_edges} edges belong to more than two triangles")
    if found.turned_edges:
        found.remarks.append(
            f"{found.turned_edges} edges join triangles of opposite winding. This affects the"
            " warnings of the keyword onesided, but not the forces"
        )
    if found.without_area:
        found.remarks.append(f"{found.without_area} triangles of zero area will be skipped")
    if not found.closed:
        found.remarks.append(
            f"the surface is not closed: {found.open_edges} edges belong to only one triangle. A"
            " wall may be open"
        )
    elif found.volume < 0.0:
        found.remarks.append("normals point inwards")
    if diameter > 0.0:
        span = float((found.high - found.low).max()) / diameter
        if span < 3.0 or span > 1e5:
            found.problems.append(
                f"the drawing measures {span:.3g} grain diameters. Are the lengths of drawing and"
                " grains in the same unit? See --scale"
            )
        mean = (found.area / found.triangles) ** 0.5 / diameter
        if mean < SMALL:
            found.remarks.append(
                f"triangles measure {mean:.2g} grain diameters on average. The simulation would be"
                " faster with larger triangles"
            )


def thickened(triangles: Triangles, thickness: float) -> Triangles:
    """Thicken a sheet to a closed plate. The sheet is the middle surface of the plate.

    Raises ValueError if the sheet is closed, has only one side (as a Moebius strip), or has an edge
    of more than two triangles.
    """
    vertices, of = numpy.unique(triangles.reshape(-1, 3) + 0.0, axis=0, return_inverse=True)
    faces = _wound_alike(of.reshape(-1, 3))
    corners = vertices[faces]
    normals = meshes.normals(corners)
    ways = numpy.roll(corners, -1, axis=1) - corners
    back = -numpy.roll(ways, 1, axis=1)
    angles = numpy.arctan2(
        numpy.linalg.norm(numpy.cross(ways, back), axis=2), numpy.einsum("ijk,ijk->ij", ways, back)
    )
    mean = numpy.zeros_like(vertices)
    for k in range(3):
        numpy.add.at(mean, faces[:, k], angles[:, k, None] * normals)
    mean /= numpy.linalg.norm(mean, axis=1, keepdims=True)
    # smallest component of the mean normal along the normals of the adjacent triangles
    along = numpy.ones(len(vertices))
    for k in range(3):
        numpy.minimum.at(along, faces[:, k], numpy.einsum("ij,ij->i", mean[faces[:, k]], normals))
    shift = 0.5 * thickness / numpy.maximum(along, LEAST_ALONG)[:, None] * mean
    ends = numpy.stack([faces, numpy.roll(faces, -1, axis=1)], -1).reshape(-1, 2)
    _, edge, count = numpy.unique(
        numpy.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    a, b = ends[count[edge.reshape(-1)] == 1].T
    if not len(a):
        raise ValueError("the surface is closed; only an open surface can be thickened")
    above, below = vertices + shift, vertices - shift
    rim = [
        numpy.stack([above[b], above[a], below[a]], 1),
        numpy.stack([above[b], below[a], below[b]], 1),
    ]
    return numpy.concatenate([above[faces], below[faces[:, ::-1]], *rim])


def _wound_alike(faces: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
    """Flip triangles until neighbours traverse their common edge in opposite directions."""
    faces = faces.copy()
    at: dict[tuple[int, int], list[int]] = {}
    for t, face in enumerate(faces):
        for k in range(3):
            a, b = int(face[k]), int(face[(k + 1) % 3])
            at.setdefault((min(a, b), max(a, b)), []).append(t)
    crowded = max(len(there) for there in at.values())
    if crowded > 2:
        raise ValueError(f"an edge of the surface belongs to {crowded} triangles instead of 1 or 2")
    seen = numpy.zeros(len(faces), dtype=bool)
    for first in range(len(faces)):
        waiting = [] if seen[first] else [first]
        seen[first] = True
        while waiting:
            t = waiting.pop()
            for k in range(3):
                a, b = int(faces[t, k]), int(faces[t, (k + 1) % 3])
                for other in at[min(a, b), max(a, b)]:
                    if other == t:
                        continue
                    there = faces[other].tolist()
                    alike = there[(there.index(a) + 1) % 3] != b
                    if seen[other] and not alike:
                        raise ValueError("the surface has only one side")
                    if not seen[other]:
                        seen[other] = True
                        faces[other] = faces[other] if alike else faces[other, ::-1]
                        waiting.append(other)
    return faces


def draw(triangles: Triangles, path: Path, *, most: int = 20_000) -> None:
    """Draw the surface. If it has 2 * `most` triangles or more, only every nth one is drawn."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    chosen = triangles[:: max(1, len(triangles) // most)]
    light = numpy.abs(meshes.normals(chosen) @ numpy.array([0.3, -0.5, 0.81]))
    figure = pyplot.figure(figsize=(6, 6))
    axes = figure.add_subplot(projection="3d")
    shade = 0.35 + 0.6 * light[:, None] * numpy.array([[0.9, 0.95, 1.0]])
    axes.add_collection3d(
        Poly3DCollection(chosen, facecolors=numpy.clip(shade, 0, 1), edgecolors="0.4", lw=0.2)
    )
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    half = 0.5 * (high - low).max()
    for name, middle in zip("xyz", 0.5 * (low + high), strict=True):
        getattr(axes, f"set_{name}lim")(middle - half, middle + half)
        getattr(axes, f"set_{name}label")(name)
    with files.whole(path) as temporary:
        figure.savefig(temporary, dpi=120)
    pyplot.close(figure)
