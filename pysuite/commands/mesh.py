"""`pysuite mesh`: check, repair and convert a mesh for use as a wall."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import (
    OK,
    RED,
    add_overwrite,
    check_targets,
    make_table,
    print_table,
    print_wrote,
)
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Check, repair and convert a mesh for use as a wall."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "drawing", type=Path, metavar="FILE", help="STL, or another format that trimesh can read"
    )
    sub.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="S",
        help="factor by which all lengths are multiplied (default: 1)",
    )
    sub.add_argument(
        "--grains", type=float, default=0.0, metavar="D", help="diameter of the grains"
    )
    sub.add_argument("--picture", type=Path, metavar="PNG", help="write a picture of the mesh here")
    sub.add_argument("--repair", action="store_true", help="repair the mesh before writing it")
    sub.add_argument(
        "--thicken",
        type=float,
        metavar="T",
        help="turn a sheet into a closed plate of thickness T (after scaling)",
    )
    sub.add_argument("-o", "--output", type=Path, metavar="STL", help="write the scaled mesh here")
    add_overwrite(sub)


def run(options: argparse.Namespace, console: Console) -> int:
    """Print the properties of a mesh as a wall; fail if LAMMPS would refuse the mesh."""
    from rich.markup import escape

    from pysuite import meshes
    from pysuite.meshes import drawing, repair

    if not 0.0 < options.scale < math.inf:
        raise UsageError(f"--scale {options.scale} must be > 0 and finite")
    if not options.grains >= 0.0:
        raise UsageError(f"--grains {options.grains} must be >= 0")
    if options.repair and not options.output:
        raise UsageError("--repair needs --output, the file of the repaired mesh")
    if options.thicken is not None and not options.thicken > 0.0:
        raise UsageError(f"--thicken {options.thicken} must be > 0")
    if options.thicken is not None and not options.output:
        raise UsageError("--thicken needs --output, the file of the plate")
    check_targets(options, options.output)
    try:
        triangles = drawing.load(options.drawing, options.scale)
        done: list[str] = []
        if options.repair:
            triangles, done = repair.repair(triangles)
        if options.thicken is not None:
            triangles = drawing.thickened(triangles, options.thicken)
    except ValueError as error:
        raise UsageError(f"{options.drawing}: {error}") from error
    except ImportError as error:
        raise UsageError(
            f"this command needs the Python package {error.name}: install it with"
            f" `pip install 'granular-plus[mesh]'` ({error})"
        ) from error
    found = drawing.examine(triangles, options.grains)
    table = make_table()

    def lengths(*values: float) -> str:
        text = " to ".join(f"{value:.5g}" for value in values)
        if options.grains > 0.0:
            text += " = " + " to ".join(f"{value / options.grains:.3g}" for value in values)
            text += " grains"
        return text

    table.add_row("triangles", f"{found.triangles} in {found.parts} part{'s'[: found.parts != 1]}")
    for name, low, high in zip("xyz", found.low, found.high, strict=True):
        table.add_row(name, lengths(low, high))
    table.add_row("edges", lengths(found.shortest, found.longest))
    table.add_row("area", f"{found.area:.5g}")
    table.add_row("closed", f"yes, volume {found.volume:.5g}" if found.closed else "no")
    print_table(table, console)
    for sentence in done:
        console.print(f"  repair: {escape(sentence)}")
    for remark in found.remarks:
        console.print(f"  {escape(remark)}")
    for problem in found.problems:
        console.print(f"[red]  {escape(problem)}[/]")
    if options.output:
        meshes.write_stl(options.output, triangles)
        print_wrote(options.output, console)
    if options.picture:
        drawing.draw(triangles, options.picture)
        print_wrote(options.picture, console)
    return RED if found.problems else OK
