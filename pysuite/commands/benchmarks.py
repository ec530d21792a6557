"""`pysuite benchmarks`: judge the results of any code against the benchmarks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, RED, make_table, print_table

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Judge the results of any code against the benchmarks."
COLOURS = {"found": "green", "not found": "red", "undecided": "yellow"}


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "results",
        nargs="*",
        type=Path,
        metavar="RESULTS.csv",
        help="files of results with the columns benchmark, quantity and value; optional columns are"
        " unit, low, high, seeds, code and commit; without a file, the command lists the"
        " benchmarks",
    )
    sub.add_argument(
        "--cases", type=Path, metavar="DIR", help="folder of cases, instead of validation/"
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """List the benchmarks, or judge results; fail unless every result is within its tolerance."""
    from rich.markup import escape

    from pysuite.validation import benchmarks, cases_folder

    root = options.cases or cases_folder()
    if not options.results:
        for name in benchmarks.names(root):
            console.print(f"\n[bold]{name}[/]")
            table = make_table("quantity", "unit", "reference", "tolerance", "kind", "by")
            for r in benchmarks.references(root, name).values():
                numbers = f"{r.reference:.9g}", benchmarks.part(r.tolerance, r.kind)
                cells = r.quantity, r.unit, *numbers, r.kind, r.reference_by
                table.add_row(*map(escape, cells))
            print_table(table, console)
        return OK
    judged = [
        pair
        for file in options.results
        for pair in benchmarks.judge_all(benchmarks.read(file), root)
    ]
    columns = ("code", "benchmark", "quantity", "value", "reference", "largest error", "tolerance")
    table = make_table("", *columns)
    for row, verdict in judged:
        mark = f"[{COLOURS[verdict.finding]}]{benchmarks.WORDS[verdict.finding]}[/]"
        words = [*map(escape, (row.code, row.benchmark, row.quantity)), f"{row.value:.7g}"]
        words.append(benchmarks.limit(verdict.reference, verdict.kind))
        words += [benchmarks.part(x, verdict.kind) for x in (verdict.error, verdict.tolerance)]
        table.add_row(mark, *words)
    print_table(table, console)
    return OK if judged and all(verdict.passed for _, verdict in judged) else RED
