"""The result of a case: judged quantities, figures and tables. Results can be saved and loaded."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysuite import sources
from pysuite.errors import CaseError
from pysuite.figures import LARGEST_SVG, PREVIEW, save_preview
from pysuite.statistics import Interval, p_value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("relative", "absolute", "at_most", "at_least")
UNDECIDABLE = "undecidable"
FINDINGS = ("found", "not found", "undecided", UNDECIDABLE)
RESULT_FILE = "result.json"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one quantity.

    Attributes:
        measured: measured value of the quantity.
        error: error, in the unit of `tolerance`. The error of an interval is the larger of the
            errors at its two ends.
        passed: whether the finding is the expected finding. If the quantity decides a claim, the
            register of claims contains the expected finding. The expected finding of a quantity of
            a benchmark is "not found" if a deviation is known, and "undecided" if the interval is
            known to be too wide. The expected finding of all other quantities is "found".
        low: lower end of the interval in which the quantity lies.
        high: upper end of the interval.
        how: description of how the interval was obtained; empty if the measured value is taken as
            exact.
        finding: "found" if the whole interval is within the tolerance, "not found" if the whole
            interval is outside the tolerance, and "undecided" otherwise. If the verdict was
            returned by `reported`, the finding is "undecidable".
        p: for an undecided quantity, one minus the highest confidence level at which the finding
            would be decided; nan if the interval has no confidence level.
        claim: number of the claim that the quantity decides; empty if it decides no claim.
        benchmark: whether the quantity belongs to a benchmark of `pysuite.validation.benchmarks`.
        unit: unit of a quantity of a benchmark.
        seeds: description of the seeds of the random numbers used for a quantity of a benchmark.
    """

    case: str
    quantity: str
    measured: float
    reference: float
    error: float
    tolerance: float
    kind: str
    reason: str
    passed: bool
    low: float = math.nan
    high: float = math.nan
    how: str = ""
    finding: str = ""
    p: float = math.nan
    claim: str = ""
    benchmark: bool = False
    unit: str = ""
    seeds: str = ""


def judge(
    case: str,
    quantity: str,
    *,
    measured: float | Interval,
    reference: float,
    tolerance: float,
    kind: str,
    reason: str,
    claim: str = "",
    expected: str = FINDINGS[0],
) -> Verdict:
    """Return the verdict on a measured quantity.

    The definition of the error depends on `kind`. For a measured value m and a reference r, the
    error is:

    * relative: |m-r|/|r|
    * absolute: |m-r|
    * at_most: m-r
    * at_least: r-m

    The finding is "found" if the error is at most `tolerance` in the whole interval. The finding is
    "not found" if the error exceeds `tolerance` in the whole interval. Otherwise, or if a value is
    not finite, the finding is "undecided". The verdict passes if the finding is `expected`, and if
    `measured` and `reference` are finite.

    Raises:
        CaseError: the kind is unknown, the tolerance is negative or not finite, the reason is
            missing, or the error is relative and the reference is 0.
    """
    found = measured if isinstance(measured, Interval) else None
    value, low, high = (
        (found.value, found.low, found.high) if found else (float(measured),) * 3  # type: ignore[arg-type]
    )
    reference, tolerance = float(reference), float(tolerance)
    if kind not in KINDS:
        raise CaseError(f"{quantity}: kind {kind!r} must be one of {', '.join(KINDS)}")
    if not 0 <= tolerance < math.inf:
        raise CaseError(f"{quantity}: tolerance {tolerance} must be finite and >= 0")
    if not reason.strip():
        raise CaseError(f"{quantity}: a reason for the tolerance must be given")
    if kind == "relative" and reference == 0:
        raise CaseError(f"{quantity}: the reference of a relative error must not be 0")

    def error(at: float) -> float:
        if kind in ("at_most", "at_least"):
            return at - reference if kind == "at_most" else reference - at
        return abs(at - reference) / (abs(reference) if kind == "relative" else 1.0)

    def finding_of(value: float, low: float, high: float) -> str:
        if not all(map(math.isfinite, (value, low, high, reference))):
            return "undecided"
        around = low <= reference <= high and kind not in ("at_most", "at_least")
        nearest = 0.0 if around else min(error(low), error(high))
        if max(error(low), error(high)) <= tolerance:
            return "found"
        return "not found" if nearest > tolerance else "undecided"

    farthest = max(error(low), error(high))
    finding = finding_of(value, low, high)
    p = math.nan
    if found and finding == "undecided":
        p = p_value(found, lambda x: finding_of(x.value, x.low, x.high) != "undecided")
    return Verdict(
        case,
        quantity,
        value,
        reference,
        farthest,
        tolerance,
        kind,
        reason,
        passed=finding == expected and math.isfinite(value) and math.isfinite(reference),
        low=low,
        high=high,
        how=found.how if found else "",
        finding=finding,
        p=p,
        claim=claim,
    )


def reported(
    case: str, quantity: str, *, measured: Interval, reason: str, claim: str, expected: str
) -> Verdict:
    """Return a verdict for a claim that cannot be judged. The measured value is only reported."""
    return Verdict(
        case,
        quantity,
        measured.value,
        math.nan,
        math.nan,
        math.nan,
        "none",
        reason,
        passed=expected == UNDECIDABLE,
        low=measured.low,
        high=measured.high,
        how=measured.how,
        finding=UNDECIDABLE,
        claim=claim,
    )


@dataclass(frozen=True)
class Attachment:
    """A figure or table of a case. The file is in the folder of the result of the case."""

    name: str
    file: str
    caption: str = ""

    @property
    def preview(self) -> str:
        """Name of the file with a small picture of the figure, for pages with many figures."""
        return str(Path(self.file).with_suffix(PREVIEW))


@dataclass
class Result:
    """The result of a case. If the case did not run to its end, `error` states the reason."""

    case: str
    title: str
    source: str
    tier: str
    run_tier: str
    parameters: dict[str, Any]
    spoiled: bool = False
    planted: str = ""  # number of the claim whose effect is planted
    repetition: int = 0  # see `pysuite.validation.seeds`
    random: bool = False  # whether the case drew random numbers
    verdicts: list[Verdict] = field(default_factory=list)
    figures: list[Attachment] = field(default_factory=list)
    tables: list[Attachment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_reproduced: list[str] = field(default_factory=list)
    seconds: float = 0.0
    error: str | None = None
    complete: bool = False
    fingerprint: str = ""
    folder: Path | None = None
    reused: bool = False  # whether an earlier result was read instead of a new run; never saved

    @property
    def cited(self) -> str:
        """The source as text. Keys of the bibliography are replaced by short citations."""
        return sources.expand(self.source)

    @property
    def passed(self) -> bool:
        """True if the case ran to its end, judged at least one quantity, and no quantity failed."""
        return self.complete and bool(self.verdicts) and all(v.passed for v in self.verdicts)

    @property
    def failed_a_check(self) -> bool:
        """True if a judged quantity failed. A spoiled case must fail in this way."""
        return self.error is None and any(not v.passed for v in self.verdicts)

    @property
    def found_what_is_planted(self) -> bool:
        """True if all quantities of the claim whose effect is planted have the finding "found"."""
        findings = {v.finding for v in self.verdicts if v.claim == self.planted}
        return self.error is None and findings == {"found"}

    def fail(self, message: str) -> None:
        """Let the case fail for a reason other than a judged quantity."""
        self.error = message
        nan = math.nan
        quantity, reason = "case runs to its end", message.splitlines()[0]
        self.verdicts.append(Verdict(self.case, quantity, nan, nan, nan, nan, "", reason, False))

    def attachment(self, name: str, suffix: str) -> Path:
        """Return the path of a new figure or table.

        Raises CaseError if the name is empty or already used.
        """
        assert self.folder is not None
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
        path = self.folder / (stem + suffix)
        if not stem or path.exists():
            raise CaseError(f"name {name!r} of a figure or table must be unique and not empty")
        return path

    def keep_figure(self, name: str, figure: Figure, caption: str) -> None:
        """Save a matplotlib figure as SVG, or as PNG if the SVG is large. The figure is closed."""
        import matplotlib.pyplot as plt

        path = self.attachment(name, ".svg")
        figure.savefig(path, facecolor="white")
        save_preview(figure, path.with_suffix(PREVIEW))
        if path.stat().st_size > LARGEST_SVG:
            path.unlink()
            path = path.with_suffix(".png")
            figure.savefig(path, facecolor="white")
        plt.close(figure)
        self.figures.append(Attachment(name, path.name, caption))
        self.save()

    def record(self) -> dict[str, Any]:
        """Return the fields that are saved, with values that JSON can represent."""
        record = dataclasses.asdict(self)
        del record["folder"], record["reused"]
        return record

    def save(self) -> None:
        """Write result.json. Other processes never see a partly written file."""
        assert self.folder is not None
        record = self.record()
        temporary = self.folder / f"{RESULT_FILE}.{os.getpid()}"
        temporary.write_text(json.dumps(record, indent=1))
        temporary.replace(self.folder / RESULT_FILE)

    @classmethod
    def load(cls, folder: Path) -> Result:
        """Read a result written by `save`.

        Raises OSError if the file cannot be read, and ValueError if the file is not a result.
        """
        file = folder / RESULT_FILE
        try:
            record = json.loads(file.read_text())
            return dataclasses.replace(cls.from_record(record), folder=folder)
        except KeyError as error:
            raise ValueError(f"{file} is not a result: missing entry {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{file} is not a result: {error}") from error

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Result:
        """Return the result from values returned by `record`.

        Raises KeyError or TypeError if the values are invalid.
        """
        parts = {"verdicts": Verdict, "figures": Attachment, "tables": Attachment}
        lists = {name: [kind(**row) for row in record[name]] for name, kind in parts.items()}
        for verdict in lists["verdicts"]:
            for name in ("measured", "reference", "error", "tolerance"):
                if not isinstance(value := getattr(verdict, name), (int, float)):
                    raise TypeError(f"{name} of {verdict.quantity} is {value!r}, not a number")
        return cls(**{**record, **lists})
