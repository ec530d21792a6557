"""Functions shared by commands: exit status, progress, tables, options."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.errors import UsageError

if TYPE_CHECKING:
    import pandas
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from pysuite import engine, pictures

OK, RED, USAGE = 0, 1, 2
INTERRUPTED = 130
SECONDS_OF_SILENCE = 20.0
UNWRAPPED = 100_000
GAP = 2


def open_console(*, stderr: bool = False) -> Console:
    """Return a console.

    The width is COLUMNS or, if COLUMNS is not set, the width of the terminal.
    """
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False)
    if not (console.is_terminal or "COLUMNS" in os.environ):
        console.width = UNWRAPPED
    return console


@contextlib.contextmanager
def show_progress(console: Console) -> Iterator[Progress]:
    """Show a progress bar. If the output is no terminal, print a line now and then instead."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    over = threading.Event()

    def tell() -> None:
        while not over.wait(SECONDS_OF_SILENCE):
            for task in progress.tasks:
                of = f" of {task.total:g}" if task.total is not None else ""
                done = f"{task.completed:g}{of}, {task.elapsed or 0.0:.0f} s"
                console.print(f"{task.description}: {done}", soft_wrap=True)

    teller = threading.Thread(target=tell, daemon=True)
    with progress:
        if not console.is_terminal:
            teller.start()
        try:
            yield progress
        finally:
            over.set()


def add_variables_option(sub: argparse.ArgumentParser, text: str) -> None:
    """Add the option --set; see `parse_variables`."""
    sub.add_argument(
        "--set",
        dest="variables",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"{text} (may be repeated)",
    )


def parse_variables(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the variables of --set with their values.

    Raises UsageError if a text does not have the form NAME=VALUE.
    """
    variables = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not name or not separator:
            raise UsageError(f"--set {text!r} must have the form NAME=VALUE")
        variables[name] = value.split()
    return variables


def print_frame(caption: str, frame: pandas.DataFrame, console: Console) -> None:
    """Print a data frame of text cells below a caption."""
    from rich.markup import escape

    console.print(f"\n{escape(caption.replace('**', ''))}")
    table = make_table(*frame.columns)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in frame.itertuples(index=False):
        table.add_row(*map(escape, row))
    print_table(table, console)


def make_table(*headings: str) -> Table:
    """Return a table without lines between cells."""
    from rich.table import Table

    return Table(
        *headings,
        box=None,
        pad_edge=False,
        padding=(0, GAP, 0, 0),
        header_style="dim",
        show_header=bool(headings),
    )


def print_table(table: Table, console: Console) -> None:
    """Print a table whose columns are no narrower than their longest word."""
    from rich.measure import Measurement
    from rich.text import Text

    unlimited = console.options.update(max_width=UNWRAPPED)
    least, widths = [], []
    for column in table.columns:
        cells = [column.header, *column.cells]
        sizes = [Measurement.get(console, unlimited, cell) for cell in cells]
        widths.append(max(size.maximum for size in sizes))
        least.append(widths[-1] if column.no_wrap else max(size.minimum for size in sizes))
    gaps = GAP * (len(widths) - 1)
    for _ in range(sum(widths) + gaps - console.width):
        spare = [width if width > low else 0 for width, low in zip(widths, least, strict=True)]
        if not any(spare):
            break
        widths[spare.index(max(spare))] -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    table.width = sum(widths) + gaps
    for line in console.render_lines(table, unlimited):
        text = Text.assemble(*((segment.text, segment.style or "") for segment in line))
        text.rstrip()
        console.print(text, soft_wrap=True)


def print_wrote(path: object, console: Console, details: str = "") -> None:
    """Print `wrote FILE` without wrapping the line."""
    from rich.markup import escape

    console.print(f"wrote {escape(str(path))}{details}", soft_wrap=True)


def print_indented(text: str, console: Console) -> None:
    """Print a paragraph indented by two spaces."""
    from rich.markup import escape
    from rich.padding import Padding

    console.print(Padding(escape(text), (0, 0, 0, 2), expand=False))


def add_overwrite(sub: argparse.ArgumentParser) -> None:
    """Add the option --overwrite."""
    sub.add_argument("--overwrite", action="store_true", help="replace an existing file")


def refuse_existing(options: argparse.Namespace, *files: Path) -> None:
    """Raise UsageError if a file exists, unless --overwrite is given."""
    for file in files:
        replaced = file.is_file() or file.is_dir()  # writing to /dev/stdout replaces nothing
        if replaced and not options.overwrite:
            raise UsageError(f"{file} exists: choose another name, or add --overwrite")


def check_targets(options: argparse.Namespace, drawing: Path | None) -> None:
    """Raise UsageError if `drawing` would be replaced or the picture's format is unknown."""
    from pysuite import files

    if drawing is not None:
        refuse_existing(options, drawing)
    if options.picture:
        try:
            files.check_picture(options.picture)
        except ValueError as error:
            raise UsageError(str(error)) from error


def add_runs_options(sub: argparse.ArgumentParser, what: str, folder: str) -> None:
    """Add the options of commands that run many scripts in a folder."""
    sub.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="simultaneous runs (default: 1)"
    )
    sub.add_argument("--ranks", type=int, default=1, metavar="N", help="MPI ranks of each run")
    sub.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="time limit of each run (default: none)"
    )
    sub.add_argument("--retry", action="store_true", help="repeat runs that failed before")
    sub.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help=f"folder where {what}; after an interruption, the same command continues there"
        f" (default: {folder})",
    )


def add_scene(sub: argparse.ArgumentParser) -> None:
    """Add the options for grains, surroundings and view."""
    sub.add_argument(
        "dump",
        type=Path,
        metavar="FILE",
        help="dump with id x y z radius and columns for colours, or a restart file",
    )
    sub.add_argument(
        "--meshes",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="STL, OBJ or vtp files of walls; if there are several files NAME.STEP.vtp, each frame"
        " shows the file with the largest STEP up to the step of the frame",
    )
    sub.add_argument(
        "--scale",
        type=float,
        default=1.0,
        metavar="S",
        help="factor for STL and OBJ files of --meshes, the same as keyword scale of fix"
        " wall/granular/plus; for example 1e-3 for drawings in millimetres; vtp files are not"
        " scaled",
    )
    sub.add_argument(
        "--turn",
        type=float,
        nargs=4,
        default=(0.0, 0.0, 0.0, 1.0),
        metavar=("ANGLE", "AX", "AY", "AZ"),
        help="rotation of STL and OBJ files after --scale, the same as keyword turn of fix"
        " wall/granular/plus: an angle in degrees, and the direction of an axis through the origin",
    )
    sub.add_argument(
        "--offset",
        type=float,
        nargs=3,
        default=(0.0, 0.0, 0.0),
        metavar=("X", "Y", "Z"),
        help="shift of STL and OBJ files after --turn, the same as keyword offset of fix"
        " wall/granular/plus",
    )
    sub.add_argument(
        "--log",
        type=Path,
        metavar="LOG",
        help="log of the run, from which the units, the definitions of --regions and the names of"
        " the columns of --chains are read",
    )
    sub.add_argument(
        "--regions",
        nargs="+",
        default=[],
        metavar="ID",
        help="regions defined in the log, drawn semi-transparent",
    )
    sub.add_argument("--box", action="store_true", help="draw the edges of the simulation box")
    sub.add_argument(
        "--units",
        default="",
        metavar="STYLE",
        help="unit style, such as si (default: the unit style in the dump or in --log)",
    )
    sub.add_argument(
        "--timestep",
        type=float,
        metavar="DT",
        help="time step of the run; needed to compute times if the dump contains no times"
        " (dump_modify ... time yes writes times)",
    )
    sub.add_argument(
        "--eye",
        type=float,
        nargs=3,
        default=(0.6, -2.0, 0.7),
        metavar="X",
        help="direction from the centre of the scene to the camera (default: %(default)s)",
    )
    sub.add_argument(
        "--up",
        type=float,
        nargs=3,
        default=(0.0, 0.0, 1.0),
        metavar="X",
        help="direction that points up in the picture (default: %(default)s)",
    )


def read_scene(
    options: argparse.Namespace,
) -> tuple[pandas.DataFrame, list[engine.Frame], pictures.Scene]:
    """Return the grains, frames and scene given by the options of `add_scene`.

    Raises ValueError if an option is wrong, a file is not a dump, or the dump lacks a column.
    """
    from pysuite import contacts, engine, pictures

    if options.timestep is not None and not options.timestep > 0.0:
        raise UsageError(f"--timestep {options.timestep:g} must be > 0")
    if not 0.0 < options.scale < math.inf:
        raise UsageError(f"--scale {options.scale:g} must be > 0 and finite")
    if not any(options.turn[1:]):
        raise UsageError("--turn: the axis must not be 0 0 0")
    for name in ("turn", "offset"):
        if not all(map(math.isfinite, getattr(options, name))):
            raise UsageError(f"--{name} must be finite")
    if options.regions and not options.log:
        raise UsageError("--regions needs --log: the log contains the definitions of the regions")
    log = options.log.read_text(errors="replace") if options.log else ""
    dump = pictures.read_dump(options.dump)
    frames = engine.parse_frames(dump)
    scene = pictures.Scene(
        meshes=tuple(options.meshes),
        mesh_scale=options.scale,
        mesh_turn=tuple(options.turn),
        mesh_offset=tuple(options.offset),
        regions=tuple(options.regions),
        log=log,
        box=options.box,
        eye=tuple(options.eye),
        up=tuple(options.up),
        units=options.units or pictures.unit_style(frames, log),
        timestep=options.timestep,
    )
    grains = engine.parse_dump(dump)
    contacts.need(grains, ["x", "y", "z", "radius"], "grains")
    return grains, frames, scene


def print_warning(text: str) -> None:
    """Print a warning without wrapping the line."""
    open_console(stderr=True).print(f"warning: {text}", markup=False, soft_wrap=True)


def print_failure(text: str) -> None:
    """Print the reason for a failure without wrapping."""
    from rich.markup import escape

    open_console(stderr=True).print(f"[red]pysuite:[/] {escape(text)}", soft_wrap=True)


def print_misplaced(grains: pandas.DataFrame, scene: pictures.Scene) -> None:
    """Warn if meshes are so large or so far away that the grains become too small to see."""
    from pysuite import pictures

    for text in pictures.describe_misplaced(grains, scene):
        print_warning(
            f"{text}: if the drawing is in another unit, scale the drawing with --scale S"
        )
