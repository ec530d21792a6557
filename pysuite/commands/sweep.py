"""`pysuite sweep`: run a script with many values of its variables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, RED, add_runs_options, print_wrote, show_progress
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Run a script with many values of its variables."
RESUMES = True


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("script", type=Path, metavar="FILE", help="the LAMMPS script")
    sub.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAME=A,B,...",
        help="values of a variable; if several variables are given, all combinations of their"
        " values are run",
    )
    add_runs_options(sub, "the runs are stored", "sweep")
    sub.add_argument("-o", "--output", type=Path, metavar="CSV", help="write the table here")


def run(options: argparse.Namespace, console: Console) -> int:
    """Print the last thermo output of each run; fail if a run failed."""
    from rich.markup import escape

    from pysuite import engine, files

    files.check_readable(options.script)
    variables: dict[str, list[str]] = {}
    for text in options.vary:
        name, separator, values = text.partition("=")
        if not name or not separator or not values:
            raise UsageError(f"--vary {text} must have the form NAME=A,B,...")
        if name in variables:
            both = ",".join([*variables[name], values])
            raise UsageError(f"--vary {name} is given twice: write --vary {name}={both}")
        variables[name] = values.split(",")
        twice = [value for value in variables[name] if variables[name].count(value) > 1]
        if twice:
            raise UsageError(f"--vary {text}: {twice[0]} is given twice")
    try:
        with show_progress(console) as progress:
            task = progress.add_task(f"{options.script.name}, finished runs", total=None)
            table = engine.sweep(
                options.script,
                variables,
                folder=options.folder or Path("sweep"),
                jobs=options.jobs,
                ranks=options.ranks,
                timeout=options.timeout,
                retry=options.retry,
                progress=lambda done, of: progress.update(task, completed=done, total=of),
            )
    except ValueError as error:
        raise UsageError(str(error)) from error
    shown = table.drop(columns=["error", "folder"]).to_string(index=False)
    console.print(escape(shown), soft_wrap=True)
    failed = table[table["error"] != ""]
    for _, row in failed.iterrows():
        settings = ", ".join(f"{name}={row[name]}" for name in variables)
        console.print(f"[red]failed[/] {escape(settings)}: {escape(row['error'])}", soft_wrap=True)
    if options.output:
        files.write(options.output, table.to_csv(index=False))
        print_wrote(options.output, console)
    return RED if len(failed) else OK
