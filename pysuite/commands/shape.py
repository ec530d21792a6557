"""`pysuite shape`: show how fix shape/granular/plus represents a mesh, or make a mesh."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import (
    OK,
    add_overwrite,
    check_targets,
    make_table,
    print_table,
    print_wrote,
)
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Show how fix shape/granular/plus represents a mesh, or make a mesh."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("part", type=Path, metavar="FILE", help="a closed surface, STL or OBJ")
    sub.add_argument(
        "--make",
        nargs="+",
        default=[],
        metavar=("KIND", "NUMBER"),
        help="first create FILE; KIND is sphere, ellipsoid, superellipsoid, box, cube, tetrahedron,"
        " cylinder or rock; if NUMBERs are missing, an error message tells which are needed",
    )
    add_overwrite(sub)
    sub.add_argument(
        "--surface",
        choices=("smooth", "facets"),
        default="",
        help="same as keyword surface of fix shape/granular/plus",
    )
    sub.add_argument(
        "--nodes",
        type=int,
        default=0,
        metavar="N",
        help="same as keyword nodes of fix shape/granular/plus",
    )
    sub.add_argument(
        "--cell",
        type=float,
        default=0.0,
        metavar="H",
        help="same as keyword cell of fix shape/granular/plus",
    )
    sub.add_argument(
        "--overlap",
        type=float,
        default=0.01,
        metavar="X",
        help="overlap at which the nodes in contact are counted, as a fraction of the"
        " volume-equivalent radius (default: %(default)s)",
    )
    sub.add_argument("--picture", type=Path, metavar="OUT", help="draw surface and nodes: PNG, SVG")


def run(options: argparse.Namespace, console: Console) -> int:
    """Print how fix shape/granular/plus represents a mesh."""
    from pysuite import shapes
    from pysuite.shapes import preview

    check_targets(options, options.part if options.make else None)
    if not 0.0 < options.overlap <= preview.LARGEST_OVERLAP:
        bound = f"must be > 0 and <= {preview.LARGEST_OVERLAP:g}"
        raise UsageError(f"--overlap {options.overlap:g} {bound}")
    try:
        if options.make:
            kind, *numbers = options.make
            preview.make(kind, [float(number) for number in numbers]).write(options.part)
        body = shapes.Shape(options.part, options.surface, options.nodes, options.cell)
        contact = preview.nodes_in_contact(body, options.overlap)
    except ValueError as error:
        raise UsageError(f"{options.part}: {error}") from error
    table = make_table()
    moments = ", ".join(f"{moment:.6g}" for moment in body.inertia)
    x, y, z = body.centre
    triangles, nodes = len(body.mesh.triangles), len(body.nodes)
    for name, text in (
        ("triangles", f"{triangles}, sharpest edge {body.sharpest:.3g} degrees"),
        ("surface", "smooth" if body.smooth else "with sharp edges"),
        ("volume", f"{body.volume:.8g}"),
        ("area", f"{body.area:.8g}"),
        ("centre of mass", f"{x:.6g} {y:.6g} {z:.6g} in the file"),
        ("moments of inertia", f"{moments} at density 1"),
        ("bounding radius", f"{body.bounding_radius:.8g}, stored as the radius of the atom"),
        ("volume-equivalent radius", f"{body.volume_radius:.8g}"),
        ("nodes", f"{nodes}, {body.spacing:.3g} apart"),
        ("cell", f"{body.cell:.3g}, {body.field_bytes / 1e6:.2g} MB"),
        (
            "nodes per contact",
            f"{contact.mean:.3g} on average, at least {contact.least}, in contact with a plane at"
            f" an overlap of {options.overlap:g} radii",
        ),
    ):
        table.add_row(name, text)
    print_table(table, console)
    if contact.mean < preview.ENOUGH_NODES:
        console.print(
            f"With keyword nodes {contact.enough}, a contact would have 9 nodes on average, and"
            " forces would be accurate to about 1 %."
        )
    if options.picture:
        print_wrote(preview.draw(body, options.picture), console)
    return OK
