"""Triangle meshes of walls."""

from pysuite.meshes.surfaces import (
    Triangles,
    box,
    extruded,
    indexed,
    lathe,
    normals,
    read_obj,
    read_stl,
    sheet,
    sphere,
    write_stl,
)

__all__ = [
    "Triangles",
    "box",
    "extruded",
    "indexed",
    "lathe",
    "normals",
    "read_obj",
    "read_stl",
    "sheet",
    "sphere",
    "write_stl",
]
