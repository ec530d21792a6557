"""What the fix will use of a mesh, as numbers and as a picture: the command `pysuite shape`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy

from pysuite import files
from pysuite.shapes import generators
from pysuite.shapes.body import Shape, contact_with_plane

# numbers that `--make` takes, with their meaning
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
ENOUGH_NODES = 9.0  # in a contact, for 1 %; 4 give 4 %


def make(kind: str, numbers: list[float]) -> generators.Mesh:
    """Return the mesh of a generator. Raises ValueError for a wrong number of arguments."""
    if kind not in KINDS:
        raise ValueError(f"unknown body {kind}; known are {', '.join(KINDS)}")
    names = KINDS[kind].split()
    least = sum(not name.startswith("[") for name in names)
    if not least <= len(numbers) <= len(names):
        raise ValueError(f"{kind} takes the numbers {KINDS[kind]}, not {len(numbers)} of them")
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
    """Nodes in contacts with a plane, over random orientations.

    Attributes:
        mean, least: number of nodes.
        enough: nodes of the whole body with which the mean would be 9, which give 1 %.
    """

    mean: float
    least: int
    enough: int


def nodes_in_contact(body: Shape, overlap: float, count: int = 60) -> ContactNodes:
    """Push the body into a plane, in random orientations, until laws see the overlap.

    Args:
        body: its size is that of the file.
        overlap: as a fraction of the radius of equal volume.
        count: of orientations.

    Raises ValueError for an overlap that is not between 0 and 0.2.
    """
    if not 0.0 < overlap <= 0.2:
        raise ValueError(f"overlap = {overlap:g} must be > 0 and <= 0.2")
    random = numpy.random.default_rng(1)
    wanted = overlap * body.volume_radius
    numbers = []
    for _ in range(count):
        orientation = random.normal(size=4)
        orientation /= numpy.linalg.norm(orientation)
        low, high = 0.0, body.bounding_radius  # heights of the centre
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


def draw(body: Shape, path: Path) -> Path:
    """Draw the surface with its nodes into a PNG or SVG file."""
    files.check_picture(path)
    import matplotlib.pyplot as plt
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = plt.figure(figsize=(5, 5))
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    corners = body.mesh.points[body.mesh.triangles]
    normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= numpy.maximum(numpy.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    light = 0.55 + 0.35 * normals @ (numpy.array([0.3, -0.6, 0.74]))
    light = numpy.clip(light, 0.2, 1.0)
    colours = numpy.column_stack([0.75 * light, 0.8 * light, light, numpy.ones_like(light)])
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors="none"))
    view = numpy.array([0.75, -0.43, 0.5])  # about that of matplotlib, from where they are seen
    seen = body.nodes @ view > 0.0
    axes.scatter(*body.nodes[seen].T, s=1.0, color="tab:red", depthshade=False)
    reach = body.bounding_radius
    for limits in (axes.set_xlim, axes.set_ylim, axes.set_zlim):
        limits(-reach, reach)
    axes.view_init(elev=30, azim=-30)
    axes.set_box_aspect((1, 1, 1))
    axes.set_title(f"{len(body.mesh.triangles)} triangles, {len(body.nodes)} nodes")
    with files.whole(path) as beside:
        figure.savefig(beside, dpi=120)
    plt.close(figure)
    return path
