"""`pysuite peers`: compare energy in collisions and computing time with other codes."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, print_frame
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Compare energy in collisions and computing time with other codes."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "name",
        nargs="*",
        metavar="NAME",
        help="comparisons: packing, bounces, collisions, walls, hopper, shapes, bridges,"
        " penetration, silo, drum (default: all)",
    )
    sub.add_argument(
        "--lammps",
        metavar="PROGRAM",
        help="a separate LAMMPS of July 2026 with the packages GRANULAR, GRANSURF and ASPHERE",
    )
    sub.add_argument(
        "--liggghts",
        default="liggghts",
        metavar="PROGRAM",
        help="LIGGGHTS 3.8 (default: the installed one)",
    )
    sub.add_argument(
        "--yade",
        default="yade",
        metavar="PROGRAM",
        help="YADE 2023 (default: the installed one)",
    )
    sub.add_argument("--quick", action="store_true", help="fewer collisions, shorter runs")
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/peers"),
        metavar="DIR",
        help="folder of the tables (default: %(default)s)",
    )
    sub.add_argument(
        "--document", type=Path, metavar="FILE", help="also update the generated sections of FILE"
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the comparisons and print the tables. Nothing is judged."""
    from pysuite import validation
    from pysuite.bench import peers

    for name in options.name:
        if name not in peers.COMPARISONS:
            raise UsageError(f"comparison {name!r} must be one of {', '.join(peers.COMPARISONS)}")
    folder = validation.prepare_folder(options.report)
    lammps, liggghts = peers.find(options.lammps), peers.find(options.liggghts)
    yade = peers.find_yade(options.yade)
    for name in options.name or peers.COMPARISONS:
        console.print(f"[dim]measuring {name}[/]")
        with tempfile.TemporaryDirectory(prefix="pysuite-") as runs:
            request = peers.Request(lammps, liggghts, options.quick, Path(runs), yade)
            table = peers.COMPARISONS[name](request)
            for series in Path(runs).glob("*.csv"):
                shutil.copy(series, folder)
        print_frame(table.caption, table.cells, console)
        peers.write(table, name, request.describe(), folder, options.document)
    console.print(request.describe())
    return OK
