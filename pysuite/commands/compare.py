"""`pysuite compare`: compare two versions, settings or styles."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.cases import add_case_options, print_verdicts
from pysuite.commands.terminal import OK, RED
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from pysuite.validation import Result

HELP = "Compare two versions, settings or styles."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "sides",
        nargs="+",
        metavar="SIDE",
        help="two report folders or baseline files; with --case or --input, two or more lists of"
        " settings: each list is written as key=value,key=value or as the word default; the first"
        " SIDE is the reference",
    )
    chosen = sub.add_mutually_exclusive_group()
    chosen.add_argument(
        "--case",
        metavar="NAME",
        help="run this case once for each SIDE; the settings of SIDE are parameters of the case",
    )
    chosen.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="run this LAMMPS script once for each SIDE; the settings of SIDE are variables of the"
        " script",
    )
    add_case_options(sub, "quick")
    sub.add_argument(
        "--share",
        type=float,
        default=0.1,
        metavar="X",
        help="allowed change of a quantity, as a fraction of its tolerance (default: %(default)s)",
    )
    sub.add_argument(
        "--tolerance",
        type=float,
        default=1e-10,
        metavar="X",
        help="with --input: allowed difference in a thermo column, as a fraction of the largest"
        " value in this column (default: %(default)s)",
    )
    sub.add_argument("--ranks", type=int, default=1, metavar="N", help="with --input: MPI ranks")
    sub.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="time limit of each run (default: none)"
    )
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/compare"),
        metavar="DIR",
        help="folder of the comparison (default: %(default)s)",
    )
    sub.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="do not compare, but save the verdicts of one report folder as a baseline file",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Compare sides and write a report; fail if a difference is larger than allowed."""
    from rich.markup import escape

    from pysuite import figures, validation
    from pysuite.validation import compare, report

    if options.save:
        if len(options.sides) != 1 or options.case or options.input:
            raise UsageError(
                "--save needs exactly one report folder, and cannot be combined with --case or"
                " --input"
            )
        side = compare.load(Path(options.sides[0]))
        compare.save_baseline(side, options.save)
        console.print(f"baseline: {options.save}, {report.summary(list(side.results.values()))}")
        return OK
    if len(options.sides) < 2:
        raise UsageError("nothing to compare: give at least two SIDEs")
    if not options.share >= 0 or not options.tolerance >= 0:
        raise UsageError("--share and --tolerance must be >= 0")
    folder = validation.prepare_folder(options.report)
    figures.prepare_figures()
    tier = options.tier

    def tell(settings: str) -> None:
        name = options.case or options.input
        console.print(f"[dim]running {escape(f'{name} with {settings}')}[/]", soft_wrap=True)

    if options.input:
        outputs = compare.run_input(
            options.input,
            options.sides,
            ranks=options.ranks,
            timeout=options.timeout,
            on_start=tell,
        )
        name = re.sub(r"[^a-z0-9]+", "-", options.input.name.lower()).strip("-")
        results = compare.compare_outputs(name, outputs, folder, options.tolerance)
        tier = "of an input script"
    else:
        if options.case:
            (case,) = validation.select(validation.discover(options.cases), [options.case])
            sides = compare.run_sides(
                case, options.sides, folder, tier=tier, timeout=options.timeout, on_start=tell
            )
        else:
            sides = [compare.load(Path(side)) for side in options.sides]
            tier = ", ".join(sorted({r.run_tier for s in sides for r in s.results.values()}))
        results = [
            result
            for number, side in enumerate(sides[1:], start=1)
            for result in compare.compare_results(
                sides[0], side, folder / f"comparison-{number}", options.share
            )
        ]
    return _report_comparison(results, folder, tier, console)


def _report_comparison(results: list[Result], folder: Path, tier: str, console: Console) -> int:
    from pysuite import engine
    from pysuite.validation import compare, report

    if not any(result.verdicts for result in results):
        raise UsageError("nothing to judge: no side has a quantity with a verdict")
    for result in results:
        if not result.passed:
            print_verdicts(result, console)
    path = report.write_report(
        results, folder, tier=tier, environment=engine.environment(), title=compare.TITLE
    )
    console.print(f"\n{report.summary(results)}\nreport: {path}", soft_wrap=True)
    return OK if all(result.passed for result in results) else RED
