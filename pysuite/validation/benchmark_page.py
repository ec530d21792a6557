"""The results page of the benchmarks, and the CSV table of granular/plus's results next to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pysuite.validation import benchmarks
from pysuite.validation.report import (
    SECTION_BEGIN,
    SECTION_END,
    about,
    commit,
    format_number,
    table_row,
    write_between,
)
from pysuite.validation.verdict import FINDINGS, Result, Verdict

DIGITS = 7
SIGNS = {"at_least": "≥ ", "at_most": "≤ "}
WORDS = {"found": "within", "not found": "**outside**", "undecided": "**undecided**"}
HEADING = "\n## "
LINE = re.compile(r"\| \[(?P<name>[^]]+)\]\(#")  # start of a line of the table of benchmarks


def write(
    results: Sequence[Result],
    document: Path,
    root: Path,
    *,
    environment: Mapping[str, Any],
) -> Path:
    """Update the benchmarks in a document's marked section; return the CSV file's path.

    The CSV file, next to the document and with its name, holds granular/plus's results. Benchmarks
    that are not among the results remain as they are in both files; those without references are
    removed. Raises UsageError if the document has no marked section (see `write_between`).
    """
    judged = [result for result in results if any(v.benchmark for v in result.verdicts)]
    known = benchmarks.names(root)
    lines, sections = _written(document)
    for result in judged:
        lines[result.case] = _line(result)
        sections[result.case] = _section(result, root, about(result.run_tier, environment))
    names = [name for name in known if name in lines and name in sections]
    table = ["| benchmark | tier | seconds | quantities | within | outside | undecided |"]
    table += ["|---|---|---:|---:|---:|---:|---:|"]
    table += [lines[name] for name in names]
    write_between(document, "\n".join([*table, *(sections[name] for name in names)]) + "\n")

    file = document.with_suffix(".csv")
    new = {result.case for result in judged}
    rows = benchmarks.read(file) if file.is_file() else []
    rows = [row for row in rows if row.benchmark in known and row.benchmark not in new]
    revision = commit(Path(__file__).resolve().parents[2]) or ""
    rows += benchmarks.found(judged, revision)
    benchmarks.write(sorted(rows, key=lambda row: row.benchmark), file)
    return file


def _written(document: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the lines and sections of the benchmarks in a document, keyed by name."""
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    text = text.partition(SECTION_BEGIN)[2].partition(SECTION_END)[0].strip()
    table, *parts = f"\n{text}".split(HEADING)
    lines = {found["name"]: line for line in table.split("\n") if (found := LINE.match(line))}
    sections = {part.split("\n", 1)[0]: f"{HEADING}{part}".rstrip() for part in parts}
    return lines, sections


def _line(result: Result) -> str:
    """Return the benchmark's line in the table of benchmarks."""
    findings = [v.finding for v in result.verdicts if v.benchmark]
    counts = [len(findings), *(findings.count(finding) for finding in FINDINGS[:3])]
    link = f"[{result.case}](#{result.case})"
    return table_row([link, result.run_tier, f"{result.seconds:.0f}", *map(str, counts)])


def _section(result: Result, root: Path, made: str) -> str:
    known = benchmarks.references(root, result.case)
    lines = [f"{HEADING}{result.case}", "", f"{result.title}. *{result.cited}.* {made}", ""]
    lines += ["| quantity | unit | reference | by | tolerance | by | granular/plus | |"]
    lines += ["|---|---|---:|---|---:|---|---:|---|"]
    reasons: dict[str, None] = {}
    for v in result.verdicts:
        if not v.benchmark:
            continue
        reference = known[v.quantity]
        part = " of it" if v.kind == "relative" else ""
        if v.finding != "found":
            reasons[f"\n{WORDS[v.finding].strip('*').capitalize()}: {v.reason}."] = None
        lines.append(
            table_row(
                [
                    v.quantity,
                    v.unit,
                    SIGNS.get(v.kind, "") + format_number(v.reference, DIGITS),
                    reference.reference_by,
                    format_number(v.tolerance, 3) + part,
                    reference.tolerance_by,
                    _value(v),
                    WORDS[v.finding],
                ]
            )
        )
    return "\n".join([*lines, *reasons])


def _value(v: Verdict) -> str:
    ends = f"{format_number(v.low, DIGITS)}, {format_number(v.high, DIGITS)}"
    return f"{format_number(v.measured, DIGITS)} [{ends}]"
