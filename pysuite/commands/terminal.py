"""What commands share: exit status, progress, tables, options."""

from __future__ import annotations

import argparse
import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.errors import UsageError

if TYPE_CHECKING:
    import pandas
    from rich.console import Console
    from rich.progress import Progress

OK, RED, USAGE = 0, 1, 2
INTERRUPTED = 130
SECONDS_OF_SILENCE = 20.0


@contextlib.contextmanager
def show_progress(console: Console) -> Iterator[Progress]:
    """Show a bar or, where there is no terminal, a line now and then."""
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


def print_frame(caption: str, frame: pandas.DataFrame, console: Console) -> None:
    """Print a table with a line above it."""
    from rich.markup import escape
    from rich.table import Table

    console.print(f"\n{escape(caption.replace('**', ''))}")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, column in enumerate(frame.columns):
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*map(escape, row))
    console.print(table)


def add_overwrite(sub: argparse.ArgumentParser) -> None:
    """Add the option that lets a command replace a drawing."""
    sub.add_argument("--overwrite", action="store_true", help="even where there is a drawing")


def check_targets(options: argparse.Namespace, drawing: Path | None) -> None:
    """Refuse to write over a drawing, and pictures of unknown kinds, before any work is done."""
    from pysuite import files

    if drawing is not None and drawing.is_file() and not options.overwrite:
        raise UsageError(f"{drawing} exists: give another name, or --overwrite")
    if options.picture:
        try:
            files.check_picture(options.picture)
        except ValueError as error:
            raise UsageError(str(error)) from error


def add_runs_options(sub: argparse.ArgumentParser, what: str, folder: str) -> None:
    """Add the options of commands that run many scripts, in a folder from which they go on."""
    sub.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at once (default: 1)")
    sub.add_argument("--ranks", type=int, default=1, metavar="N", help="MPI ranks of each run")
    sub.add_argument("--timeout", type=float, metavar="SECONDS", help="of each run; default: none")
    sub.add_argument("--retry", action="store_true", help="run again what failed before")
    sub.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help=f"where {what}; the same command goes on from there (default: {folder})",
    )
