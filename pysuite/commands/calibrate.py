"""`pysuite calibrate`: find contact parameters from bulk measurements."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import (
    OK,
    RED,
    add_runs_options,
    print_frame,
    print_indented,
    show_progress,
)
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Find contact parameters from bulk measurements."
RESUMES = True


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("targets", type=Path, metavar="TARGETS", help="TOML file")
    sub.epilog = (
        "In TARGETS, the number `points` of [design] must be at least 5 + 2 × the number of"
        " parameters, for example 9 for two parameters. The exit status is 1 if no parameters in"
        " the ranges meet all targets."
    )
    add_runs_options(sub, "runs and report are stored", "calibration")


def run(options: argparse.Namespace, console: Console) -> int:
    """Print parameters with their uncertainty; fail if no parameters meet all targets."""
    from rich.markup import escape

    from pysuite.lab import calibrate

    if options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs} must be >= 1")
    try:
        job = calibrate.read(options.targets, options.folder or Path("calibration"))
        with show_progress(console) as progress:
            task = progress.add_task("design", total=job.runs)

            def tell(stage: str, done: int, of: int) -> None:
                elapsed = progress.tasks[0].elapsed or 0.0
                left = f", {(of - done) * elapsed / done / 60:.0f} min left" if done else ""
                progress.update(task, completed=done, description=f"{stage}{left}")

            found = calibrate.run(
                job,
                jobs=options.jobs,
                ranks=options.ranks,
                timeout=options.timeout,
                retry=options.retry,
                progress=tell,
            )
    except (ValueError, ImportError) as error:
        raise UsageError(str(error)) from error
    if found.unmet:
        frames = {
            "Values reached within the ranges": found.reach,
            "Runs at the closest point": found.check,
        }
        for text in found.diagnosis():
            print_indented(text, console)
    else:
        frames = {
            "Parameters": found.table(),
            "Width relative to the prior": found.constraints,
            "Runs at the solution": found.check,
        }
    for title, frame in frames.items():
        text = frame.map(lambda x: x if isinstance(x, str) else f"{x:.4g}")
        print_frame(title, text, console)
    if not found.unmet:
        for text in found.diagnosis() or ["The targets determine all parameters."]:
            print_indented(text, console)
    console.print(f"report: {escape(str(job.folder / 'report.md'))}", soft_wrap=True)
    return RED if found.unmet else OK
