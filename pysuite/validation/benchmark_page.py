"""The results page of the benchmarks, and the CSV table of granular/plus's results next to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pysuite.validation import benchmarks
from pysuite.validation.report import (
    about,
    commit,
    format_number,
    table_row,
    write_between,
)
from pysuite.validation.verdict import Result, Verdict

DIGITS = 7


def write(
    results: Sequence[Result],
    document: Path,
    root: Path,
    *,
    tier: str,
    environment: Mapping[str, Any],
) -> Path:
    """Replace a document's marked section with the benchmark results; return the CSV file's path.

    The CSV file, next to the document and with its name, holds granular/plus's results. Raises
    UsageError if the document has no marked section (see `write_between`).
    """
    judged = [result for result in results if any(v.benchmark for v in result.verdicts)]
    lines = [about(tier, environment), ""]
    lines += ["| benchmark | tier | seconds | quantities | within | outside |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    for result in judged:
        verdicts = [v for v in result.verdicts if v.benchmark]
        within = sum(v.finding == "found" for v in verdicts)
        counts = [len(verdicts), within, len(verdicts) - within]
        link = f"[{result.case}](#{result.case})"
        words = [link, result.tier, f"{result.seconds:.0f}", *map(str, counts)]
        lines.append(table_row(words))
    for result in judged:
        lines += _benchmark(result, root)
    write_between(document, "\n".join(lines) + "\n")
    table = document.with_suffix(".csv")
    revision = commit(Path(__file__).resolve().parents[2]) or ""
    benchmarks.write(benchmarks.found(judged, revision), table)
    return table


def _benchmark(result: Result, root: Path) -> list[str]:
    known = benchmarks.references(root, result.case)
    lines = ["", f"## {result.case}", "", f"{result.title}. *{result.cited}.*", ""]
    lines += ["| quantity | unit | reference | by | tolerance | by | granular/plus | |"]
    lines += ["|---|---|---:|---|---:|---|---:|---|"]
    outside: dict[str, None] = {}
    for v in result.verdicts:
        if not v.benchmark:
            continue
        reference = known[v.quantity]
        part = " of it" if v.kind == "relative" else ""
        if v.finding != "found":
            outside[v.reason] = None
        lines.append(
            table_row(
                [
                    v.quantity,
                    v.unit,
                    format_number(v.reference, DIGITS),
                    reference.reference_by,
                    format_number(v.tolerance, 3) + part,
                    reference.tolerance_by,
                    _value(v),
                    "within" if v.finding == "found" else "**outside**",
                ]
            )
        )
    return lines + [f"\nOutside: {reason}." for reason in outside]


def _value(v: Verdict) -> str:
    ends = f"{format_number(v.low, DIGITS)}, {format_number(v.high, DIGITS)}"
    return f"{format_number(v.measured, DIGITS)} [{ends}]"
