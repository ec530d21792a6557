"""`pysuite pack`: fill a closed surface with grains, and bond them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, add_overwrite, refuse_existing
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Fill a closed surface with grains, and bond them."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("part", type=Path, metavar="FILE", help="a closed surface, STL or OBJ")
    sub.add_argument(
        "--grains",
        type=float,
        required=True,
        metavar="D",
        help="diameter of the largest grains, in the unit of FILE; the smallest grains have 0.8"
        " times this diameter",
    )
    sub.add_argument(
        "--seed", type=int, default=1, help="random seed of the packing (default: %(default)s)"
    )
    sub.add_argument(
        "--bonded", action="store_true", help="also write in.NAME, a script that bonds the grains"
    )
    add_overwrite(sub)
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DATA",
        help="data file for atom_style bpm/sphere (default: FILE's name with the ending .data, in"
        " the current folder)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the data file and, with --bonded, the script."""
    from rich.markup import escape

    data = options.output or Path(f"{options.part.stem}.data")
    script = data.with_name(f"in.{data.stem}")
    refuse_existing(options, data, *([script] if options.bonded else []))
    from pysuite import shapes
    from pysuite.shapes import clusters

    try:
        mesh = shapes.read(options.part)
        grains = clusters.fill(mesh, options.grains, options.seed)
    except ValueError as error:
        raise UsageError(f"{options.part}: {error}") from error
    clusters.write_data(data, grains)
    share = grains.volume / clusters.volume_within(mesh)
    console.print(
        f"wrote {escape(str(data))}: {len(grains.radii)} grains, which fill {share:.3g} of the"
        " volume"
    )
    if options.bonded:
        clusters.write_script(script, data, options.part.name, grains)
        console.print(
            f"wrote {escape(str(script))}: {grains.bonds()} bonds, between grains less than"
            f" {grains.gap:.3g} apart"
        )
    return OK
