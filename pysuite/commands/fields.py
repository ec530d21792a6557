"""`pysuite fields`: compute density, velocity, stress and temperature on a grid from dumps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, print_frame, print_wrote
from pysuite.errors import UsageError

if TYPE_CHECKING:
    import numpy
    import pandas
    from numpy.typing import NDArray
    from rich.console import Console

    from pysuite.measure.volumes import Box, Volume

SPARSE = 0.01  # if the solid fraction is smaller, the user is told to check the volume

HELP = "Compute density, velocity, stress and temperature on a grid from dumps."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "dump",
        type=Path,
        metavar="DUMP",
        help="dump of the grains, with columns x y z vx vy vz mass; --contacts also needs id",
    )
    sub.add_argument(
        "--contacts",
        type=Path,
        metavar="DUMP",
        help="dump local of the contacts, with columns patom1, separation, force_x to force_z and"
        " point; without --contacts, only the kinetic stress is computed",
    )
    sub.add_argument(
        "--walls",
        type=Path,
        action="append",
        default=[],
        metavar="DUMP",
        help="dump local of fix wall/granular/plus with keyword local; the stress caused by this"
        " wall is added; may be repeated",
    )
    sub.add_argument(
        "--losses",
        type=Path,
        action="append",
        default=[],
        metavar="DUMP",
        help="dump local of compute granular/dissipation pairs, or of fix wall/granular/plus with"
        " keyword local; the dissipated power is added; may be repeated",
    )
    sub.add_argument(
        "--log",
        type=Path,
        metavar="LOG",
        help="log of the run, from which the names of the dumps' columns are read (default:"
        " log.lammps in the folder of DUMP, if this file exists)",
    )
    sub.add_argument(
        "--step",
        type=int,
        metavar="N",
        help="step of the frame (default: last frame of the grains' dump)",
    )
    sub.add_argument(
        "--cells",
        type=int,
        nargs=3,
        default=(1, 1, 40),
        metavar="N",
        help="numbers of cells of the grid along x, y and z (default: 1 1 40)",
    )
    sub.add_argument(
        "--width",
        type=float,
        required=True,
        metavar="W",
        help="standard deviation of the Gaussian with which each grain is smoothed; one grain"
        " radius is suitable",
    )
    within = sub.add_mutually_exclusive_group()
    within.add_argument(
        "--box",
        type=float,
        nargs=6,
        metavar=("XLO", "XHI", "YLO", "YHI", "ZLO", "ZHI"),
        help="bounds of the box to average over; inf selects the bound of the simulation box along"
        " periodic axes, and the bound of the box around all grains along other axes (needs column"
        " radius)",
    )
    within.add_argument(
        "--region",
        nargs="+",
        metavar="WORD",
        help="volume to average over: cylinder x|y|z C1 C2 RADIUS LO HI; block XLO XHI YLO YHI"
        " ZLO ZHI; or mesh FILE [SCALE], where FILE is a closed surface in STL or OBJ format; a"
        " bound INF stands for the surface of the outermost grain",
    )
    sub.add_argument("-o", "--output", type=Path, metavar="CSV", help="write the table here")


def run(options: argparse.Namespace, console: Console) -> int:
    """Print or write the coarse-grained fields of one frame of a dump."""
    from pysuite import engine, files, outputs
    from pysuite.measure import fields, volumes

    if not all(count >= 1 for count in options.cells):
        raise UsageError(f"--cells {' '.join(map(str, options.cells))} must be >= 1")
    if not options.width > 0.0:
        raise UsageError(f"--width {options.width:g} must be > 0")
    try:
        grains, step = _frame(options.dump, options.step)
        box = fields.read_box(options.dump, step)
        default_log = options.dump.with_name(engine.LOG_FILE)
        file = options.log or (default_log if default_log.is_file() else None)
        log = file.read_text(errors="replace") if file else ""

        def named(dump: Path) -> pandas.DataFrame:
            return outputs.local(log, _frame(dump, step, options.dump)[0], dump.name)

        contacts = named(options.contacts) if options.contacts else None
        losses = [named(dump) for dump in options.losses]
        walls = [named(dump) for dump in options.walls]
        if options.region:
            volume = volumes.region(options.region, grains, box)
        elif options.box:
            volume = volumes.block(options.box, grains, box)
        else:
            volume = volumes.around(grains, box)
        filled = _filled(grains, volume, box)
        table = fields.fields(
            grains,
            fields.grid(volume, options.cells),
            options.width,
            contacts=contacts,
            walls=walls,
            box=box,
            losses=losses,
            volume=volume,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    if options.output:
        with files.whole(options.output) as temporary:
            table.to_csv(temporary, index=False)
        print_wrote(options.output, console)
    else:
        cells = table.map(lambda value: f"{value:.4g}")
        print_frame(f"{len(table)} cells:", cells, console)
    size, mass = table["volume"].sum(), (table["density"] * table["volume"]).sum()
    console.print(
        f"averaged over the {_described(volume)}: volume {size:.6g}, bulk density"
        f" {mass / size:.6g}",
        soft_wrap=True,
    )
    console.print(
        f"mass inside {mass:.10g}, mass of all grains {grains['mass'].sum():.10g}", soft_wrap=True
    )
    if filled is not None and filled < SPARSE:
        scale = " and its scale" if options.region and options.region[0] == "mesh" else ""
        console.print(
            f"grains fill only {100.0 * filled:.2g} % of this volume: check its bounds{scale}",
            soft_wrap=True,
        )
    return OK


def _described(volume: Volume) -> str:
    return f"{volume.words}, {_written_ends(volume.ends)}"


def _written_ends(ends: NDArray[numpy.float64]) -> str:
    return ", ".join(
        f"{axis} = {low:.6g} to {high:.6g}" for axis, (low, high) in zip("xyz", ends, strict=True)
    )


def _filled(grains: pandas.DataFrame, volume: Volume, box: Box) -> float | None:
    """Return the solid fraction of a volume, or None if radii are unknown."""
    from pysuite import contacts
    from pysuite.measure import bulk

    centres = ["x", "y", "z"]
    contacts.need(grains, [*centres, "mass"], "grains")
    fraction = None
    if "radius" in grains:
        fraction = bulk.bulk_density(grains, volume, box).fraction
        empty = fraction == 0.0
    else:
        empty = not volume.locate(grains[centres].to_numpy(dtype=float), box)[1].any()
    if empty:
        ends = grains[centres].agg(["min", "max"]).to_numpy(dtype=float).T
        raise ValueError(
            f"no grain is inside the {_described(volume)}; the centres of the grains are in the"
            f" range {_written_ends(ends)}"
        )
    return fraction


def _frame(
    dump: Path, step: int | None, other_dump: Path | None = None
) -> tuple[pandas.DataFrame, int]:
    """Return the frame of a step; the default is the last complete frame."""
    from pysuite import engine

    text = engine.read_dump(dump, step=step)
    if not text:
        raise ValueError(f"{dump}: the file is empty")
    table, steps = engine.parse_dump(text), engine.parse_steps(text)
    found = max(steps) if step is None else step
    if found not in steps:
        wanted = f", which {other_dump} has" if other_dump else ""
        having = "both dumps have" if other_dump else "this dump has"
        raise ValueError(
            f"{dump} has no frame of step {found}{wanted}; the last frame of {dump} is at step"
            f" {max(steps)}: use --step with a step that {having}"
        )
    return table[table["step"] == found].reset_index(drop=True), found
