"""Preview of a mesh as represented by fix shape/granular/plus, for the command `pysuite shape`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import ArrayLike, NDArray

from pysuite import files
from pysuite.meshes import surfaces
from pysuite.shapes import generators
from pysuite.shapes.body import Shape, contact_with_plane

KINDS = {
    "sphere": "radius [level]",
    "ellipsoid": "a b c [level]",
    "superellipsoid": "a b c n e [level]",
    "box": "a b c",
    "cube": "edge",
    "tetrahedron": "edge",
    "cylinder": "radius height [sides]",
    "rock": "radius [roughness] [corners] [seed]",
}
WHOLE = {"level", "sides", "corners", "seed"}
ENOUGH_NODES = 9.0  # per contact; forces are accurate to 1 % with 9 nodes, and to 4 % with 4 nodes
LARGEST_OVERLAP = 0.2  # in volume-equivalent radii
ELEVATION, AZIMUTH = 30.0, -30.0  # degrees
# a point is regarded as inside the body if its depth is at least IN_BODY cells of the distance grid
IN_BODY = 0.1


def make(kind: str, numbers: list[float]) -> generators.Mesh:
    """Return the mesh of a generator. Raises ValueError if the kind or a number is invalid."""
    if kind not in KINDS:
        raise ValueError(f"unknown body {kind}: it must be one of {', '.join(KINDS)}")
    names = KINDS[kind].split()
    least = sum(not name.startswith("[") for name in names)
    if not least <= len(numbers) <= len(names):
        raise ValueError(
            f"{kind} must be followed by the numbers {KINDS[kind]}; numbers given: {len(numbers)}"
        )
    arguments: list[float] = []
    for name, number in zip(names, numbers, strict=False):
        whole = name.strip("[]") in WHOLE
        if whole and number != int(number):
            raise ValueError(f"{kind}: {name.strip('[]')} = {number:g} must be a whole number")
        if not whole and not number > 0.0:
            raise ValueError(f"{kind}: {name.strip('[]')} = {number:g} must be > 0")
        arguments.append(int(number) if whole else number)
    return getattr(generators, kind)(*arguments)


@dataclass(frozen=True)
class ContactNodes:
    """Nodes in contact when a body in random orientations touches a plane.

    `mean` and `least` are the mean and the smallest number of nodes in contact. `enough` is the
    number of nodes of the whole body that makes forces accurate to about 1 %.
    """

    mean: float
    least: int
    enough: int


def nodes_in_contact(body: Shape, overlap: float, count: int = 60) -> ContactNodes:
    """Count the nodes in contact when a body in `count` random orientations touches a plane.

    `overlap` is a fraction of the volume-equivalent radius. Raises ValueError unless `overlap` is
    > 0 and <= `LARGEST_OVERLAP`.
    """
    if not 0.0 < overlap <= LARGEST_OVERLAP:
        raise ValueError(f"overlap = {overlap:g} must be > 0 and <= {LARGEST_OVERLAP:g}")
    random = numpy.random.default_rng(1)
    wanted = overlap * body.volume_radius
    numbers = []
    for _ in range(count):
        orientation = random.normal(size=4)
        orientation /= numpy.linalg.norm(orientation)
        low, high = 0.0, body.bounding_radius  # bounds of the height of the centre
        for _ in range(30):
            middle = 0.5 * (low + high)
            touch = contact_with_plane(body, [0.0, 0.0, middle], orientation)
            if touch is None or touch.overlap < wanted:
                high = middle
            else:
                low, nodes = middle, touch.nodes
        numbers.append(nodes)
    mean = float(numpy.mean(numbers))
    enough = int(numpy.ceil(len(body.nodes) * ENOUGH_NODES / mean))
    return ContactNodes(mean, min(numbers), enough)


def visible(body: Shape, view: ArrayLike) -> NDArray[numpy.bool_]:
    """Return True for each node that is visible to a distant viewer in the direction `view`."""
    towards = numpy.asarray(view, dtype=float)
    towards = towards / numpy.linalg.norm(towards)
    free = numpy.ones(len(body.nodes), dtype=bool)
    step = 0.5 * min(body.cell, body.spacing)
    for away in numpy.arange(step, 2.0 * body.bounding_radius, step):
        rays = numpy.flatnonzero(free)
        distance, _ = body.distance(body.nodes[rays] + away * towards)  # nan beyond the grid
        free[rays[distance < -IN_BODY * body.cell]] = False
    return free


def _divided(corners: surfaces.Triangles, longest: float) -> surfaces.Triangles:
    """Divide triangles until all edges are short.

    Matplotlib draws triangles in the correct order, from back to front, only if they are small.
    """
    while True:
        edges = numpy.linalg.norm(corners - numpy.roll(corners, 1, axis=1), axis=2).max(axis=1)
        long = edges > longest
        if not long.any():
            return corners
        a, b, c = numpy.moveaxis(corners[long], 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        corners = numpy.concatenate([corners[~long], *(numpy.stack(part, 1) for part in parts)])


def draw(body: Shape, path: Path) -> Path:
    """Draw the surface with its visible nodes as PNG or SVG."""
    files.check_picture(path)
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = plt.figure(figsize=(5, 5))
    axes = figure.add_subplot(projection="3d", computed_zorder=False, proj_type="ortho")
    axes.view_init(elev=ELEVATION, azim=AZIMUTH)
    height, turn = numpy.radians([ELEVATION, AZIMUTH])
    view = numpy.array([numpy.cos(height) * numpy.cos(turn), numpy.cos(height) * numpy.sin(turn)])
    view = numpy.append(view, numpy.sin(height))
    reach = body.bounding_radius
    corners = body.mesh.points[body.mesh.triangles]
    corners = _divided(corners[surfaces.normals(corners) @ view > 0.0], reach / 10.0)
    light = 0.55 + 0.35 * surfaces.normals(corners) @ (numpy.array([0.3, -0.6, 0.74]))
    light = numpy.clip(light, 0.2, 1.0)
    colours = numpy.column_stack([0.75 * light, 0.8 * light, light, numpy.ones_like(light)])
    surface = Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.3)
    axes.add_collection3d(surface)
    seen = visible(body, view)
    axes.scatter(*body.nodes[seen].T, s=1.0, color="tab:red", depthshade=False)
    for limits in (axes.set_xlim, axes.set_ylim, axes.set_zlim):
        limits(-reach, reach)
    axes.set_box_aspect((1, 1, 1))
    axes.set_title(f"{len(body.mesh.triangles)} triangles, {len(body.nodes)} nodes")
    with files.whole(path) as temporary:
        figure.savefig(temporary, dpi=120)
    plt.close(figure)
    return path
