"""`pysuite fields`: density, velocity, stress, temperature on a grid from dumps."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, print_frame
from pysuite.errors import UsageError

if TYPE_CHECKING:
    import pandas
    from rich.console import Console

HELP = "Density, velocity, stress, temperature on a grid from dumps."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "dump", type=Path, metavar="DUMP", help="grains: x y z vx vy vz mass, with contacts id"
    )
    sub.add_argument(
        "--contacts",
        type=Path,
        metavar="DUMP",
        help="dump local with patom1, separation, force_x to _z and point; without it the stress "
        "is only that of the motion",
    )
    sub.add_argument(
        "--losses",
        type=Path,
        action="append",
        default=[],
        metavar="DUMP",
        help="dump local of compute granular/dissipation pairs, or of a wall; may be given again",
    )
    sub.add_argument(
        "--log", type=Path, metavar="LOG", help="log of the run, from which columns get their names"
    )
    sub.add_argument(
        "--step", type=int, metavar="N", help="of the frame (default: the last of the grains)"
    )
    sub.add_argument(
        "--cells",
        type=int,
        nargs=3,
        default=(1, 1, 40),
        metavar="N",
        help="of the grid along x, y and z (default: 1 1 40)",
    )
    sub.add_argument(
        "--width", type=float, required=True, metavar="W", help="of the Gaussian, about a radius"
    )
    sub.add_argument("-o", "--output", type=Path, metavar="CSV", help="write the table here")


def run(options: argparse.Namespace, console: Console) -> int:
    """Print or write coarse-grained fields of one frame of a dump, by default the last."""
    from pysuite import files, outputs
    from pysuite.measure import fields

    if not all(count >= 1 for count in options.cells):
        raise UsageError(f"--cells {' '.join(map(str, options.cells))} must be >= 1")
    try:
        grains, step = _frame(options.dump, options.step)
        box = fields.read_box(options.dump, step)
        log = options.log.read_text(errors="replace") if options.log else ""

        def named(dump: Path) -> pandas.DataFrame:
            return outputs.local(log, _frame(dump, step, options.dump)[0], dump.name)

        contacts = named(options.contacts) if options.contacts else None
        losses = [named(dump) for dump in options.losses]
        edges = fields.grid(grains, options.cells, options.width, box)
        table = fields.fields(
            grains, edges, options.width, contacts=contacts, box=box, losses=losses
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    if options.output:
        with files.whole(options.output) as beside:
            table.to_csv(beside, index=False)
        console.print(f"written: {options.output}", soft_wrap=True)
    else:
        cells = table.map(lambda value: f"{value:.4g}")
        print_frame(f"{len(table)} cells:", cells, console)
    volume = math.prod(edge[1] - edge[0] for edge in edges)
    console.print(
        f"mass of the fields {table['density'].sum() * volume:.10g}, "
        f"of the grains {grains['mass'].sum():.10g}"
    )
    return OK


def _frame(
    dump: Path, step: int | None, beside: Path | None = None
) -> tuple[pandas.DataFrame, int]:
    """Return the frame of a step, by default the last, and its step.

    Raises ValueError where there is none, as of the step of the frame of another dump.
    """
    from pysuite import engine

    text = dump.read_text()
    table, steps = engine.parse_dump(text), engine.parse_steps(text)
    found = max(steps) if step is None else step
    if found not in steps:
        wanted = f", which {beside} has" if beside else ""
        raise ValueError(
            f"{dump} has no frame of step {found}{wanted}; its last is of step {max(steps)}:"
            " choose a step of both with --step"
        )
    return table[table["step"] == found].reset_index(drop=True), found
