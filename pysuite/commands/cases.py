"""Functions shared by commands that work on cases."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysuite.commands.terminal import make_table, print_table, show_progress

if TYPE_CHECKING:
    from rich.console import Console

    from pysuite import validation
    from pysuite.validation import Case, Result, Verdict


def add_case_options(sub: argparse.ArgumentParser, default_tier: str) -> None:
    """Add the options of commands that work on cases."""
    sub.add_argument(
        "--cases", type=Path, metavar="DIR", help="folder of cases, instead of validation/"
    )
    sub.add_argument(
        "--tier",
        choices=("smoke", "quick", "full"),
        default=default_tier,
        help="tier of the cases; quick includes smoke, full includes quick (default: %(default)s)",
    )


def of_tier(found: Sequence[Case], tier: str) -> list[Case]:
    """Return the cases that run in a tier."""
    return [case for case in found if case.runs_in(tier)]


def run_cases(
    chosen: Sequence[Case], folder: Path, console: Console, **keywords: Any
) -> list[Result]:
    """Run cases with a progress bar that names the running cases."""
    from pysuite import validation

    at_work: list[str] = []
    with show_progress(console) as progress:
        task = progress.add_task("", total=len(chosen))

        def start(case: Case) -> None:
            at_work.append(case.name)
            progress.update(task, description=", ".join(at_work))

        def finish(result: Result) -> None:
            at_work.remove(result.case)
            mark = "[green]pass[/]" if result.passed else "[red]FAIL[/]"
            count = f"{sum(v.passed for v in result.verdicts)}/{len(result.verdicts)}"
            took = "reused" if result.reused else f"{result.seconds:.1f} s"
            progress.console.print(f"{mark} {result.case}  {count}  {took}")
            progress.update(task, advance=1, description=", ".join(at_work))

        return validation.run_cases(chosen, folder, on_start=start, on_result=finish, **keywords)


def print_verdicts(result: Result, console: Console) -> None:
    """Print a case's verdicts and the findings that the case did not reproduce."""
    from rich.markup import escape

    console.print(f"\n[bold]{result.case}[/]  {escape(result.title)}")
    table = make_table()
    for verdict in result.verdicts:
        mark = "[green]pass[/]" if verdict.passed else "[red]FAIL[/]"
        claim = f"[bold]{verdict.claim}[/] " if verdict.claim else ""
        table.add_row(mark, f"{claim}{escape(verdict.quantity)}\n[dim]{_numbers(verdict)}[/]")
    print_table(table, console)
    if result.error:
        console.print(f"[red]{escape(result.error)}[/]")
    for note in result.notes:
        console.print(f"[dim]{escape(note)}[/]")
    for text in result.not_reproduced:
        console.print(f"[dim]Not reproduced. {escape(text)}[/]")


def _numbers(verdict: Verdict) -> str:
    from pysuite.validation import report

    number = report.format_number(verdict.measured)
    measured = f"measured {report.interval(verdict) if verdict.how else number}"
    if verdict.claim:
        return f"{measured}, required {report.demand(verdict)}: {verdict.finding}"
    reference = report.format_number(verdict.reference)
    error, tolerance = (report.format_number(x, 3) for x in (verdict.error, verdict.tolerance))
    if verdict.kind in ("at_most", "at_least"):
        sign = "≤" if verdict.kind == "at_most" else "≥"
        beyond = f", tolerance {tolerance}" if verdict.tolerance else ""
        return f"{measured}, must be {sign} {reference}{beyond}"
    return f"{measured}, reference {reference}, error {error}, tolerance {tolerance}"


def register(options: argparse.Namespace) -> dict[str, validation.Claim]:
    """Return the register of claims."""
    from pysuite import validation

    return validation.register(options.cases or validation.cases_folder())


def write_report(results: list[Result], options: argparse.Namespace, console: Console) -> None:
    """Write a validation report and print its path."""
    from pysuite import engine
    from pysuite.validation import report

    path = report.write_report(
        results,
        options.report.resolve(),
        tier=options.tier,
        environment=engine.environment(),
        register=register(options),
    )
    console.print(f"\n{report.summary(results)}\nreport: {path}", soft_wrap=True)
