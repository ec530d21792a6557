"""The page of the benchmarks, and the CSV table of the results of granular/plus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pysuite.validation import benchmarks
from pysuite.validation.pages.marks import write_marked
from pysuite.validation.pages.stored import Stored, not_stored
from pysuite.validation.report import format_number, table_row
from pysuite.validation.verdict import FINDINGS, Result, Verdict

FILE = "benchmarks.md"
DIGITS = 7


def write(kept: Sequence[Stored], folder: Path, root: Path) -> None:
    """Write the page and the table. If `root` has no benchmarks, nothing is written."""
    known = benchmarks.names(root)
    if not known:
        return
    judged = [each for each in kept if each.result.case in known]
    lines = ["| benchmark | tier | seconds | quantities | within | outside | undecided |"]
    lines += ["|---|---|---:|---:|---:|---:|---:|"]
    lines += [_line(each.result) for each in judged]
    lines += not_stored(known, judged)
    for each in judged:
        lines += _section(each, benchmarks.references(root, each.result.case))
    write_marked(folder / FILE, "Benchmarks", lines)
    rows = [row for each in judged for row in benchmarks.found([each.result], each.commit)]
    benchmarks.write(rows, (folder / FILE).with_suffix(".csv"))


def _line(result: Result) -> str:
    """Return the line of a benchmark in the table of benchmarks."""
    findings = [v.finding for v in result.verdicts if v.benchmark]
    counts = [len(findings), *(findings.count(finding) for finding in FINDINGS[:3])]
    link = f"[{result.case}](#{result.case})"
    return table_row([link, result.run_tier, f"{result.seconds:.0f}", *map(str, counts)])


def _section(each: Stored, known: dict[str, benchmarks.Reference]) -> list[str]:
    """Return the section of a benchmark. Quantities without a current reference are omitted."""
    result = each.result
    lines = ["", f"## {result.case}", "", f"{result.title}. *{result.cited}.* {each.words}", ""]
    lines += ["| quantity | unit | reference | reference by | tolerance | tolerance by"]
    lines[-1] += f" | {benchmarks.OURS} | finding |"
    lines += ["|---|---|---:|---|---:|---|---:|---|"]
    reasons: dict[str, None] = {}
    for v in result.verdicts:
        if not v.benchmark or v.quantity not in known:
            continue
        reference = known[v.quantity]
        word = benchmarks.WORDS[v.finding]
        if v.finding != "found":
            reasons[f"\n{word.capitalize()}: {v.reason}."] = None
        lines.append(
            table_row(
                [
                    v.quantity,
                    v.unit,
                    benchmarks.limit(v.reference, v.kind),
                    reference.reference_by,
                    benchmarks.part(v.tolerance, v.kind),
                    reference.tolerance_by,
                    _value(v),
                    word if v.finding == "found" else f"**{word}**",
                ]
            )
        )
    return [*lines, *reasons]


def _value(v: Verdict) -> str:
    ends = f"{format_number(v.low, DIGITS)}, {format_number(v.high, DIGITS)}"
    return f"{format_number(v.measured, DIGITS)} [{ends}]"
