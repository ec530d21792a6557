"""Shapes as in `fix shape/granular/plus`, and their contacts, computed without LAMMPS.

>>> from pysuite import shapes
>>> grain = shapes.Shape(shapes.ellipsoid(1.5, 1.0, 0.7))
>>> grain.volume_radius, len(grain.nodes)
(1.0163..., 2562)
"""

from pysuite.shapes.body import (
    Cache,
    Contact,
    Shape,
    contact,
    contact_with_plane,
    distance_to_triangles,
    read,
)
from pysuite.shapes.generators import (
    Mesh,
    box,
    cube,
    cylinder,
    ellipsoid,
    rock,
    sphere,
    superellipsoid,
    tetrahedron,
)

__all__ = [
    "Cache",
    "Contact",
    "Mesh",
    "Shape",
    "box",
    "contact",
    "contact_with_plane",
    "cube",
    "cylinder",
    "distance_to_triangles",
    "ellipsoid",
    "read",
    "rock",
    "sphere",
    "superellipsoid",
    "tetrahedron",
]
