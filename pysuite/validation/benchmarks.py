"""Benchmarks: reference values with which any code can be compared.

The reference values of a benchmark are in `data/benchmarks/<benchmark>.csv`, below the folder of
the validation cases. `README.md` in the same folder describes the set-ups. The case with the same
name as the benchmark computes the quantities with granular/plus, and judges them with
`Context.benchmark`. `pysuite benchmarks` judges results of any code by the same reference values.
The results are passed as a table with the columns `COLUMNS`.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pysuite import files
from pysuite.errors import CaseError, UsageError
from pysuite.statistics import Interval
from pysuite.validation.verdict import KINDS, Verdict, judge

if TYPE_CHECKING:
    from pysuite.validation.verdict import Result

FOLDER = Path("data") / "benchmarks"
WHO = ("theory", "paper", "experiment", "ours")
COLUMNS = ("benchmark", "quantity", "unit", "value", "low", "high", "seeds", "code", "commit")
OURS = "granular/plus"
# words that replace the findings of quantities that decide no claim
WORDS = {"found": "within", "not found": "outside", "undecided": "undecided"}
SIGNS = {"at_least": "≥ ", "at_most": "≤ "}


class Reference(NamedTuple):
    """A quantity of a benchmark and its reference: a row of the benchmark's CSV file.

    Attributes:
        quantity: description of the quantity, unique in the benchmark.
        unit: unit of the reference and of results, or "-" if there is none.
        reference: reference value.
        tolerance: largest allowed error.
        kind: definition of the error, as in `judge`.
        reference_by: origin of the reference, one of `WHO`.
        tolerance_by: origin of the tolerance, one of `WHO`.
        reason: reason for the tolerance.
    """

    quantity: str
    unit: str
    reference: float
    tolerance: float
    kind: str
    reference_by: str
    tolerance_by: str
    reason: str


def names(root: Path) -> list[str]:
    """Return the sorted names of the benchmarks in a folder of cases."""
    return sorted(file.stem for file in (root / FOLDER).glob("*.csv"))


def references(root: Path, benchmark: str) -> dict[str, Reference]:
    """Return the references of a benchmark, keyed by quantity.

    Raises:
        CaseError: there is no benchmark of this name, or its file is invalid.
    """
    file = root / FOLDER / f"{benchmark}.csv"
    if not file.is_file():
        known = ", ".join(names(root)) or "none"
        raise CaseError(f"there is no benchmark {benchmark!r}; there are: {known}")
    with file.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        if tuple(reader.fieldnames or ()) != Reference._fields:
            raise CaseError(f"{file.name}: columns must be {','.join(Reference._fields)}")
        found: dict[str, Reference] = {}
        for row in reader:
            reference = _reference(f"{file.name}, line {reader.line_num}", row)
            if reference.quantity in found:
                raise CaseError(f"{file.name} has {reference.quantity!r} twice")
            found[reference.quantity] = reference
    return found


def _reference(where: str, row: dict[str, str]) -> Reference:
    try:
        numbers = float(row["reference"]), float(row["tolerance"])
    except (TypeError, ValueError):
        raise CaseError(f"{where}: reference and tolerance must be numbers") from None
    if row["kind"] not in KINDS:
        raise CaseError(f"{where}: kind {row['kind']!r} must be one of {', '.join(KINDS)}")
    for column in ("reference_by", "tolerance_by"):
        if row[column] not in WHO:
            raise CaseError(f"{where}: {column} {row[column]!r} must be one of {', '.join(WHO)}")
    return Reference(
        row["quantity"],
        row["unit"],
        *numbers,
        row["kind"],
        row["reference_by"],
        row["tolerance_by"],
        row["reason"],
    )


def judge_by(
    reference: Reference,
    benchmark: str,
    measured: Interval,
    seeds: str = "",
    deviates: str = "",
    undecided: str = "",
) -> Verdict:
    """Return the verdict on a result.

    By default, the result passes if its whole interval is within the tolerance. `deviates` is the
    reason for a known deviation. With `deviates`, the result passes only if its whole interval is
    outside the tolerance. `undecided` is the reason why the interval is too wide for a decision.
    With `undecided`, the result passes only if one part of the interval is within the tolerance and
    another part is outside.
    """
    verdict = judge(
        benchmark,
        reference.quantity,
        measured=measured,
        reference=reference.reference,
        tolerance=reference.tolerance,
        kind=reference.kind,
        reason=deviates or undecided or reference.reason,
        expected="not found" if deviates else "undecided" if undecided else "found",
    )
    return dataclasses.replace(verdict, benchmark=True, unit=reference.unit, seeds=seeds)


def limit(reference: float, kind: str) -> str:
    """Return a reference as text, with ≥ or ≤ if the reference is a limit."""
    return f"{SIGNS.get(kind, '')}{reference:.7g}"


def part(number: float, kind: str) -> str:
    """Return an error or a tolerance as text, in percent if it is relative."""
    return f"{100.0 * number:.3g} %" if kind == "relative" else f"{number:.3g}"


class Found(NamedTuple):
    """The result of a code for one quantity: a row of a table of results."""

    benchmark: str
    quantity: str
    unit: str
    value: float
    low: float
    high: float
    seeds: str
    code: str
    commit: str


def found(results: Iterable[Result], commit: str) -> list[Found]:
    """Return those results of validation cases that belong to benchmarks."""
    rows = []
    for result in results:
        for v in result.verdicts:
            if v.benchmark:
                ends = v.measured, v.low, v.high
                rows.append(Found(v.case, v.quantity, v.unit, *ends, v.seeds, OURS, commit))
    return rows


def write(rows: Sequence[Found], path: Path) -> None:
    """Write a table of results as CSV."""
    with files.whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)


def read(path: Path) -> list[Found]:
    """Read a CSV table of results. Only the columns benchmark, quantity and value are required.

    If `low` and `high` are missing, the value is taken as exact.

    Raises:
        UsageError: the file or a column is missing, or a number is invalid.
    """
    files.check_readable(path)
    with path.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        missing = {"benchmark", "quantity", "value"} - set(reader.fieldnames or ())
        if missing:
            raise UsageError(f"{path} has no column {', '.join(sorted(missing))}")
        rows = []
        for row in reader:
            texts = {name: row.get(name) or "" for name in COLUMNS}
            try:
                value = float(texts["value"])
                low, high = (float(texts[end] or value) for end in ("low", "high"))
            except ValueError:
                raise UsageError(
                    f"{path}, line {reader.line_num}: value, low and high must be numbers"
                ) from None
            if not (math.isfinite(value) and low <= value <= high):
                raise UsageError(
                    f"{path}, line {reader.line_num}: value {value} must be finite and"
                    f" between low {low} and high {high}"
                )
            about = texts["seeds"], texts["code"] or path.stem, texts["commit"]
            rows.append(
                Found(
                    texts["benchmark"], texts["quantity"], texts["unit"], value, low, high, *about
                )
            )
    return rows


def judge_all(rows: Iterable[Found], root: Path) -> list[tuple[Found, Verdict]]:
    """Compare a table of results with the references.

    Raises:
        UsageError: a benchmark or a quantity is unknown, or the unit of a result differs from the
            unit of its reference.
    """
    judged = []
    for row in rows:
        try:
            known = references(root, row.benchmark)
        except CaseError as error:
            raise UsageError(str(error)) from error
        reference = known.get(row.quantity)
        if reference is None:
            raise UsageError(f"benchmark {row.benchmark} has no quantity {row.quantity!r}")
        if row.unit not in ("", reference.unit):
            raise UsageError(
                f"{row.benchmark}, {row.quantity}: unit {row.unit!r} must be {reference.unit!r}"
            )
        interval = Interval(row.value, row.low, row.high, row.code)
        judged.append((row, judge_by(reference, row.benchmark, interval, row.seeds)))
    return judged
