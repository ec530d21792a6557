"""`pysuite tune`: find the neighbour settings with which a script runs fastest."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, add_variables_option, parse_variables, print_frame

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Find the neighbour settings with which a script runs fastest."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("script", type=Path, metavar="FILE", help="a LAMMPS input script")
    sub.add_argument(
        "--ranks", type=int, nargs="+", default=[1], metavar="N", help="MPI ranks (default: 1)"
    )
    add_variables_option(sub, "a variable of the script, like LAMMPS's -var")
    for name, default, text in (
        (
            "run",
            1,
            "number of the run command to measure, counted from 1; earlier run commands of the"
            " script are executed in full",
        ),
        ("warm-up", 200, "steps before the first measurement"),
        ("rounds", 15, "number of segments of the run that are measured with each setting"),
    ):
        text = f"{text} (default: %(default)s)"
        sub.add_argument(f"--{name}", type=int, default=default, metavar="N", help=text)


def run(options: argparse.Namespace, console: Console) -> int:
    """Measure a script with different settings; print the fastest lines."""
    from pysuite import tune

    arguments: list[str] = []
    for name, values in parse_variables(options.variables).items():
        arguments += ["-var", name, *values]
    tuner = tune.Tuner(
        tune.read_script(options.script, options.run),
        arguments,
        options.warm_up,
        options.rounds,
        lambda stage, trials: console.print(f"[dim]measuring {stage} ({trials})[/]"),
    )
    for ranks in options.ranks:
        found = tuner.tune(ranks)
        console.print(f"\n[bold]{ranks} rank{'s' if ranks > 1 else ''}[/]")
        for name, trials in found.stages.items():
            print_frame(
                f"{name}: time relative to the unmodified script",
                tune.frame(name, trials),
                console,
            )
        if found.best is None:
            console.print("\nNo setting is significantly faster than the unmodified script.")
            continue
        ratio = found.best.ratio
        console.print(
            f"\n{1 / ratio.value:.2f} ({1 / ratio.high:.2f}–{1 / ratio.low:.2f}) times as fast with"
        )
        for name, words in found.best.settings.items():
            console.print(f"  {name:<12} {words}")
    return OK
