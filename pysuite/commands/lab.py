"""`pysuite lab`: run a laboratory experiment with grains."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import (
    OK,
    RED,
    add_runs_options,
    make_table,
    print_failure,
    print_indented,
    print_table,
    show_progress,
)
from pysuite.errors import UsageError
from pysuite.lammps.errors import LammpsError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Run a laboratory experiment with grains."
RESUMES = True


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "experiment",
        choices=("heap", "drum", "hopper", "silo", "shear", "triaxial", "oedometer", "packing"),
        metavar="EXPERIMENT",
        help="%(choices)s",
    )
    sub.add_argument("settings", type=Path, metavar="SETTINGS", help="TOML file")
    sub.add_argument(
        "--repetitions",
        type=int,
        default=4,
        metavar="K",
        help="number of repetitions with different grains, from which the uncertainty is computed"
        " (default: %(default)s)",
    )
    add_runs_options(sub, "script, runs, tables and picture are stored", "lab/EXPERIMENT")


def run(options: argparse.Namespace, console: Console) -> int:
    """Print the measured values with their uncertainty; fail if a run failed."""
    from rich.markup import escape

    from pysuite import lab

    if options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs} must be >= 1")
    if options.repetitions < 1:
        raise UsageError(f"--repetitions {options.repetitions} must be >= 1")
    try:
        with show_progress(console) as progress:
            task = progress.add_task(f"{options.experiment}, finished runs", total=None)
            outcome = lab.run(
                options.experiment,
                options.settings,
                folder=options.folder,
                jobs=options.jobs,
                repetitions=options.repetitions,
                ranks=options.ranks,
                timeout=options.timeout,
                retry=options.retry,
                progress=lambda done, of: progress.update(task, completed=done, total=of),
            )
    except ValueError as error:
        raise UsageError(str(error)) from error
    except LammpsError as error:
        print_failure(str(error))
        return RED
    shown = outcome.table.drop(columns=["folder"])
    console.print(escape(shown.to_string(index=False)), soft_wrap=True)
    table = make_table("", "value", "95 % interval", "unit", "meaning")
    table.columns[1].justify = "right"
    for _, row in outcome.summary().iterrows():
        known = math.isfinite(row["low"])
        between = f"{row['low']:.4g} to {row['high']:.4g}" if known else "unknown"
        cells = (row["quantity"], f"{row['value']:.4g}", between, row["unit"], row["meaning"])
        table.add_row(*(escape(cell) for cell in cells))
    console.print()
    print_table(table, console)
    console.print()
    for remark in outcome.remarks:
        print_indented(remark, console)
    console.print(f"script, tables and picture: {escape(str(outcome.folder))}", soft_wrap=True)
    return RED if (outcome.table["error"] != "").any() else OK
