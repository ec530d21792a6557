"""`pysuite run`: run named cases, with changed parameters on request."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.cases import add_case_options, print_verdicts, run_cases, write_report
from pysuite.commands.terminal import OK, RED
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from pysuite.validation import Result

HELP = "Run named cases, with changed parameters on request."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("names", nargs="+", metavar="CASE")
    add_case_options(sub, "quick")
    sub.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a parameter of the cases (may be repeated)",
    )
    sub.add_argument(
        "--spoil",
        action="store_true",
        help="give each case a wrong parameter on purpose; the command succeeds if every case then"
        " fails",
    )
    sub.add_argument(
        "--plant",
        default="",
        metavar="CLAIM",
        help="run the cases with other parameters, which cause the effect described in CLAIM; the"
        " command succeeds if the cases find the effect",
    )
    sub.add_argument("--report", type=Path, metavar="DIR", help="also write a report")
    sub.add_argument(
        "--keep", action="store_true", help="with --report: keep all files that LAMMPS wrote"
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the named cases."""
    from pysuite import validation

    if options.spoil and options.plant:
        raise UsageError("--spoil and --plant cannot be combined")
    chosen = validation.select(validation.discover(options.cases), options.names)
    if options.plant and any(options.plant not in case.planted for case in chosen):
        without = ", ".join(case.name for case in chosen if options.plant not in case.planted)
        raise UsageError(
            f"{without}: no parameters are given with which claim {options.plant!r} must be found"
        )
    overrides = {case.name: validation.parse_settings(case, options.settings) for case in chosen}
    with tempfile.TemporaryDirectory(prefix="pysuite-") as temporary:
        results = run_cases(
            chosen,
            options.report or Path(temporary),
            console,
            tier=options.tier,
            overrides=overrides,
            spoil=options.spoil,
            plant=options.plant,
            keep=options.keep,
        )
        for result in results:
            print_verdicts(result, console)
        if options.report:
            write_report(results, options, console)
    if options.spoil:
        return _judge_spoiled(results, console)
    if options.plant:
        return _judge_planted(results, console)
    return OK if all(result.passed for result in results) else RED


def _judge_planted(results: Sequence[Result], console: Console) -> int:
    for result in results:
        planted = f"{result.case}: the effect of claim {result.planted} was planted"
        if result.found_what_is_planted:
            console.print(f"[green]{planted}, and the case found it.[/]")
        else:
            console.print(f"[red]{planted}, but the case did not find it.[/]")
    return OK if all(result.found_what_is_planted for result in results) else RED


def _judge_spoiled(results: Sequence[Result], console: Console) -> int:
    status = OK
    for result in results:
        if result.failed_a_check:
            console.print(f"[green]{result.case}: spoiled, and failed as it should.[/]")
            continue
        status = RED
        if result.error:
            text = "spoiled, but stopped with an error, so that its checks were not tested."
        else:
            text = "spoiled, but passed: the checks of this case detect no error."
        console.print(f"[red]{result.case}: {text}[/]")
    return status
