"""`pysuite view`: write a web page on which a run can be rotated and played."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, add_scene, print_misplaced, print_wrote, read_scene
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Write a web page (a single file) on which a run can be rotated and played."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_scene(sub)
    sub.add_argument(
        "-o", "--output", type=Path, required=True, metavar="HTML", help="file of the page"
    )
    sub.add_argument(
        "--colours",
        nargs="+",
        default=[],
        metavar="NAME",
        help="quantities by which grains can be coloured: speed, force or columns of the dump"
        " (default: all that the dump contains)",
    )
    sub.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="use every Nth frame (default: %(default)s)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the page."""
    from pysuite import pictures

    if options.every < 1:
        raise UsageError(f"--every {options.every} must be >= 1")
    if options.output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"the name of the page, {options.output}, must end in .html")
    try:
        grains, frames, scene = read_scene(options)
        steps = grains["step"].unique()[:: options.every]
        count = pictures.view(
            grains[grains["step"].isin(steps)],
            options.output,
            scene,
            frames=frames,
            colours=options.colours,
        )
        print_misplaced(grains, scene)
    except (ValueError, ImportError) as error:
        raise UsageError(str(error)) from error
    size = options.output.stat().st_size / 1e6
    frames_and_size = f", {count} frame{'s'[: count != 1]}, {size:.1f} MB"
    print_wrote(options.output, console, frames_and_size)
    return OK
