"""The page of all cases: a table of the cases, and a section on the quantities of each case."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from pysuite.validation import report
from pysuite.validation.pages import stored
from pysuite.validation.pages.marks import write_marked
from pysuite.validation.pages.stored import Stored
from pysuite.validation.repetitions import Repeated, repeated
from pysuite.validation.report import format_number, table_row
from pysuite.validation.verdict import Verdict

TITLE, FILE = "Validation", "validation.md"


def write(kept: Sequence[Stored], folder: Path, names: Collection[str]) -> None:
    """Write the page. `names` are the names of all cases."""
    results = stored.results(kept)
    lines = [report.summary(results), ""]
    lines += [
        "| case | tier | verdict | quantities | closest to failing | error or value | tolerance |"
    ]
    lines += ["|---|---|---|---:|---|---:|---:|"]
    for result in results:
        mark = "pass" if result.passed else "**fail**"
        cells = [f"[{result.case}](#{result.case})", result.run_tier, mark]
        cells.append(str(len(result.verdicts)))
        within = filter(report.must_be_within, result.verdicts)
        nearest = max(within, key=report.part_of_tolerance, default=None)
        if nearest:
            cells += [nearest.quantity, *_error_or_value(nearest)]
        lines.append(table_row(cells))
    lines += stored.not_stored(names, kept)
    for each in kept:
        lines += _section(each)
    if repetitions := [result for each in kept for result in each.repetitions]:
        lines += _repetitions(repeated(results, repetitions))
    write_marked(folder / FILE, TITLE, lines)


def _section(each: Stored) -> list[str]:
    """Return the title, notes and quantities of a case."""
    result = each.result
    title = report.sentence(result.title)
    lines = ["", f"### {result.case}", "", f"{title} *{result.cited}.* {each.words}"]
    lines += [f"\n> {note}" for note in result.notes]
    lines += [f"\n> *Not reproduced.* {text}" for text in result.not_reproduced]
    lines += ["", "| quantity | measured | reference | error | tolerance | finding |"]
    lines += ["|---|---:|---:|---:|---:|---|"]
    for verdict in result.verdicts:
        numbers = [report.interval(verdict), format_number(verdict.reference)]
        numbers += report.error_and_tolerance(verdict)
        finding = report.finding(verdict)
        mark = finding if verdict.passed else f"**{finding}**"
        lines.append(table_row([verdict.quantity, *numbers, mark]))
    return lines


def _repetitions(found: Repeated) -> list[str]:
    """Return the list of changed verdicts, and a table of how close each case came to failing."""
    lines = ["", "### Repetitions with other random numbers", "", found.summary]
    lines += [f"* **{case}**: {quantity}" for case, quantity in found.changed]
    lines += ["", "| case | closest to failing in any run | error or value by run | tolerance |"]
    lines += ["|---|---|---|---:|"]
    for case, quantities in found.verdicts.items():
        within = [same for same in quantities if any(map(report.must_be_within, same))]
        if not within:
            continue
        nearest = max(within, key=lambda same: max(map(report.part_of_tolerance, same)))
        numbers, tolerances = zip(*map(_error_or_value, nearest), strict=True)
        lines.append(table_row([case, nearest[0].quantity, ", ".join(numbers), tolerances[0]]))
    return lines


def _error_or_value(verdict: Verdict) -> list[str]:
    """Return error and tolerance as texts. If the limit is one-sided, return value and limit."""
    error, tolerance = report.error_and_tolerance(verdict)
    return [format_number(verdict.measured, 3) if error == "–" else error, tolerance]
