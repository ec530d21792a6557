"""`pysuite validate`: run all cases of a tier and write a report."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.cases import (
    add_case_options,
    of_tier,
    print_verdicts,
    run_cases,
    write_report,
)
from pysuite.commands.terminal import OK, RED, print_indented
from pysuite.errors import UsageError
from pysuite.names import close_matches

if TYPE_CHECKING:
    from rich.console import Console

    from pysuite.validation import Case, Result

HELP = "Run all cases of a tier and write a report."
RESUMES = True  # the same command continues an interrupted run


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_case_options(sub, "quick")
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report"),
        metavar="DIR",
        help="folder of the report (default: %(default)s)",
    )
    sub.add_argument(
        "-j",
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="number of cases to run simultaneously (default: 1)",
    )
    sub.add_argument(
        "--only",
        nargs="+",
        metavar="PATTERN",
        help="run only cases whose name matches one of the patterns, for example 'oblique-*'",
    )
    sub.add_argument(
        "--full",
        nargs="+",
        default=[],
        metavar="PATTERN",
        help="run the matching cases once in tier full, regardless of --tier, --only and"
        " --repetitions",
    )
    sub.add_argument(
        "--repetitions",
        type=int,
        default=0,
        metavar="N",
        help="repeat each case that uses random numbers N times with different seeds, and report"
        " verdicts that change; cases of --full are not repeated",
    )
    sub.add_argument(
        "--fresh",
        action="store_true",
        help="rerun every case, even if its result in the folder of the report is still valid",
    )
    sub.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="time limit for every case; replaces the limit set by the case",
    )
    sub.add_argument(
        "--pages",
        type=Path,
        metavar="DIR",
        help="also store the results in DIR/cases and update the pages in DIR: validation.md,"
        " claims.md, benchmarks.md, benchmarks.csv and gallery.md; refused if DIR has results of"
        " other cases, or if a result of a lower tier would replace one of a higher tier",
    )
    sub.add_argument("--keep", action="store_true", help="keep all files that LAMMPS wrote")


def run(options: argparse.Namespace, console: Console) -> int:
    """Run a tier and write the report; fail if any case fails."""
    from pysuite import engine, validation
    from pysuite.validation import pages, report
    from pysuite.validation.repetitions import repeated

    if options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs} must be >= 1")
    if options.repetitions < 0:
        raise UsageError(f"--repetitions {options.repetitions} must be >= 0")
    found = validation.discover(options.cases)
    chosen = of_tier(found, options.tier)
    if options.only:
        chosen = [case for case in chosen if _matches(case, options.only)]
        if not chosen:
            names = ", ".join(case.name for case in of_tier(found, options.tier))
            raise UsageError(
                f"no case of tier {options.tier} matches {' or '.join(map(repr, options.only))};"
                f" the cases of this tier are: {names}"
            )
    keywords = {
        "jobs": options.jobs,
        "resume": not options.fresh,
        "timeout": options.timeout,
        "keep": options.keep,
    }
    for pattern in options.full:
        if not any(_matches(case, [pattern]) for case in found):
            known = close_matches(pattern, [case.name for case in found])
            raise UsageError(f"--full {pattern!r} matches no case{known}")
    in_full = [case for case in found if _matches(case, options.full)]
    others = [case for case in chosen if case not in in_full]
    if options.pages:
        tiers = {case.name: options.tier for case in others}
        tiers |= {case.name: "full" for case in in_full}
        pages.check(options.pages, [case.name for case in found], tiers)
    results = run_cases(others, options.report, console, tier=options.tier, **keywords)
    results += run_cases(in_full, options.report, console, tier="full", **keywords)
    results.sort(key=lambda result: result.case)
    drawn = {result.case for result in results if result.random}
    repetitions: list[Result] = []
    for number in range(1, options.repetitions + 1):
        console.print(f"\n[bold]Repetition {number}[/]")
        repetitions += run_cases(
            [case for case in others if case.name in drawn],
            options.report / f"repetition-{number}",
            console,
            tier=options.tier,
            repetition=number,
            **keywords,
        )
    everything = [*results, *repetitions]
    for result in everything:
        if not result.passed:
            print_verdicts(result, console)
    if repetitions:
        console.print(f"\n{repeated(results, repetitions).summary}", soft_wrap=True)
    write_report(results, options, console)
    if options.pages:
        pages.update(
            results,
            options.pages,
            options.cases or validation.cases_folder(),
            names=[case.name for case in found],
            environment=report.origin(engine.environment()),
            repetitions=repetitions,
        )
        console.print(f"pages: {options.pages}", soft_wrap=True)
    console.print("\n[bold]What to cite[/]")
    for citation in report.citations(results):
        print_indented(citation, console)
    return OK if results and all(result.passed for result in everything) else RED


def _matches(case: Case, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(case.name, pattern) for pattern in patterns)
