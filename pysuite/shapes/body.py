"""Compiled shapes: nodes, distance and inertia of a mesh, and the contact of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from pysuite import files
from pysuite.shapes.generators import Mesh

try:
    from granular_plus import _shapes
except ImportError as error:
    raise ImportError(
        "The compiled module _shapes is missing: run `pip install .` in the source folder."
    ) from error

Array = NDArray[numpy.float64]
Cache = _shapes.Cache
NO_TURN = (1.0, 0.0, 0.0, 0.0)


def read(file: Path | str) -> Mesh:
    """Read a surface from an STL or OBJ file, as fix shape/granular/plus does.

    Raises ValueError if the file is invalid.
    """
    files.check_readable(file)
    points, triangles = _shapes.read(str(file))
    return Mesh(points, triangles)


def distance_to_triangles(mesh: Mesh, points: ArrayLike) -> Array:
    """Return the distances of n points from a closed mesh as an array of shape (n,).

    Distances are negative inside the mesh. They are exact to round-off, also near edges and
    corners. The triangles are flat here, whereas the surface of a `Shape` may be smooth. Raises
    ValueError if the mesh is not closed.
    """
    return _shapes.distance_to_triangles(
        numpy.ascontiguousarray(mesh.points, numpy.float64),
        numpy.ascontiguousarray(mesh.triangles, numpy.int32),
        numpy.ascontiguousarray(points, numpy.float64).reshape(-1, 3),
    )


class Shape:
    """Representation of a mesh by fix shape/granular/plus.

    Args:
        mesh: a closed surface, or the path of its file.
        surface: "smooth" or "facets". With "", the choice depends on the sharpest edge.
        nodes: smallest number of nodes. The value 0 stands for the number of vertices of the mesh,
            but for at least 2500.
        cell: cell size of the distance grid. With 0, the cell size is a twelfth of the
            volume-equivalent radius.

    Attributes:
        mesh: the surface, relative to the centre of mass.
        volume: volume of the body.
        area: area of the surface.
        centre: centre of mass in coordinates of the file.
        inertia: moments of inertia about the three principal axes, for a density of 1.
        principal: orientation of the principal axes in the file: a quaternion w, x, y, z.
        bounding_radius: largest distance of the surface from the centre of mass. LAMMPS stores this
            distance as the radius of the atom.
        volume_radius: radius of a sphere of equal volume.
        nodes: array of shape (n, 3), points on the surface at which contacts are evaluated.
        weights: array of shape (n,), areas that the nodes represent.
        spacing: distance between nodes, the square root of the area per node.
        sharpest: largest angle between the normals of neighbouring triangles, degrees.
        smooth: True if the surface is smooth, False if it consists of facets.
        cell: cell size of the distance grid.
        grid: numbers of points of the distance grid along x, y and z.

    Raises:
        ValueError: the mesh is not closed, or `surface` is unknown.
    """

    def __init__(
        self, mesh: Mesh | Path | str, surface: str = "", nodes: int = 0, cell: float = 0.0
    ) -> None:
        if surface not in ("", "smooth", "facets"):
            raise ValueError(f"surface = {surface} must be smooth or facets")
        mesh = mesh if isinstance(mesh, Mesh) else read(mesh)
        self.compiled = _shapes.Shape(
            numpy.ascontiguousarray(mesh.points, numpy.float64),
            numpy.ascontiguousarray(mesh.triangles, numpy.int32),
            surface,
            nodes,
            cell,
        )
        self.mesh = Mesh(self.compiled.points, self.compiled.triangles)

    def __getattr__(self, name: str) -> Any:
        if name == "compiled":
            raise AttributeError(name)
        return getattr(self.compiled, name)

    def distance(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return the distances of n points from the surface, and the gradients of the distance.

        The arrays have shapes (n,) and (n, 3). At points outside the distance grid, the values are
        nan.
        """
        return self.compiled.distance(numpy.ascontiguousarray(points, numpy.float64))

    def turn(
        self, orientation: ArrayLike, spin: ArrayLike, timestep: float, steps: int
    ) -> tuple[Array, Array]:
        """Return orientation and spin after `steps` time steps without torque."""
        return self.compiled.turn(_array(orientation), _array(spin), timestep, steps)


@dataclass(frozen=True)
class Contact:
    """Contact of two bodies.

    Attributes:
        overlap: overlap delta, the argument of normal laws.
        radius: effective radius R*, calculated from the volume-equivalent radii.
        gradient: derivative of delta with respect to the position of i. The derivative with respect
            to the position of j is -gradient.
        turning_i: derivative of delta with respect to a rotation of i about the centre of i.
        turning_j: derivative of delta with respect to a rotation of j about the centre of j.
        point: point at which friction acts.
        nodes: number of nodes inside the other body.
        deepest: depth of the deepest node.
    """

    overlap: float
    radius: float
    gradient: Array
    turning_i: Array
    turning_j: Array
    point: Array
    nodes: int
    deepest: float


def contact(
    shape_i: Shape | None,
    shape_j: Shape | None,
    position_i: ArrayLike,
    position_j: ArrayLike,
    orientation_i: ArrayLike = NO_TURN,
    orientation_j: ArrayLike = NO_TURN,
    scale_i: float = 1.0,
    scale_j: float = 1.0,
    cache: Any = None,
) -> Contact | None:
    """Return the contact of two bodies, or None if they do not touch.

    Args:
        shape_i: shape of body i, or None if i is a sphere of radius `scale_i`.
        shape_j: shape of body j, or None if j is a sphere of radius `scale_j`.
        position_i: centre of i.
        position_j: centre of j.
        orientation_i: orientation of i, a quaternion w, x, y, z of length 1.
        orientation_j: orientation of j, a quaternion w, x, y, z of length 1.
        scale_i: factor by which all lengths in the file of i are multiplied.
        scale_j: factor by which all lengths in the file of j are multiplied.
        cache: a `Cache()` that is passed in all calls for the same pair. The cache makes the calls
            faster and does not change the results.
    """
    found = _shapes.contact(
        shape_i and shape_i.compiled,
        _array(position_i),
        _array(orientation_i),
        scale_i,
        shape_j and shape_j.compiled,
        _array(position_j),
        _array(orientation_j),
        scale_j,
        cache,
    )
    return found and Contact(**found)


def contact_with_plane(
    shape: Shape,
    position: ArrayLike,
    orientation: ArrayLike = NO_TURN,
    scale: float = 1.0,
    point: ArrayLike = (0.0, 0.0, 0.0),
    normal: ArrayLike = (0.0, 0.0, 1.0),
    cache: Any = None,
) -> Contact | None:
    """Return the contact of a body with a plane, or None if they do not touch."""
    found = _shapes.contact_with_plane(
        shape.compiled,
        _array(position),
        _array(orientation),
        scale,
        _array(point),
        _array(normal),
        cache,
    )
    return found and Contact(**found)


def _array(values: ArrayLike) -> Array:
    return numpy.ascontiguousarray(values, numpy.float64)
