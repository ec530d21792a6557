"""The register of claims: claims of papers, the cases that judge them, and the findings.

`claims.json`, in the folder of the cases, lists the claims of each paper and the expected findings.
A case judges a claim with `Context.claim`. The case fails if the finding is not the expected one.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pysuite import sources
from pysuite.errors import CaseError
from pysuite.validation.verdict import (
    FINDINGS,
    UNDECIDABLE,
    Result,
    Verdict,
)

REGISTER = "claims.json"
BOUNDS = ("paper", "theory", "ours")
NOT_ADDRESSED = "not addressed"
NOT_JUDGED = "not judged here"  # the cases of the claim did not run, or need a higher tier


class Claim(NamedTuple):
    """A claim of a paper.

    Attributes:
        number: a letter for the paper, followed by a number.
        source: key of the bibliography, or a citation in words if the bibliography lacks the paper.
        text: the claim, in a sentence.
        expected: expected finding, one of `FINDINGS` or "not addressed".
        cases: names of the cases that judge the claim; none if the claim is not addressed.
        reason: the reason why the expected finding is not "found". The reason is required unless
            the expected finding is "found".
        bound: origin of the limits on the quantities that decide the claim, one of `BOUNDS`. The
            text is empty if the claim is undecidable or not addressed.
        numpy: True if the claim is judged only with an implementation of the law in numpy, not with
            the compiled law.
    """

    number: str
    source: str
    text: str
    expected: str
    cases: tuple[str, ...]
    reason: str
    bound: str
    numpy: bool

    @property
    def cited(self) -> str:
        """The short citation of the paper."""
        return sources.short(self.source) if self.source in sources.bibliography() else self.source


def register(root: Path) -> dict[str, Claim]:
    """Return the claims of a folder of cases, keyed by number.

    If the folder has no register of claims, the result is empty.

    Raises:
        CaseError: an entry is incomplete or has an unknown value.
    """
    file = root / REGISTER
    if not file.is_file():
        return {}
    found: dict[str, Claim] = {}
    for source, entries in json.loads(file.read_text(encoding="utf-8")).items():
        if source not in sources.bibliography() and " " not in source:
            raise CaseError(
                f"{file.name}: {source} is not a key of {sources.FILE.name}. If the paper is not"
                " there, write a citation such as 'A. Author, Journal 1 (2020) 2'"
            )
        for number, entry in entries.items():
            if number in found:
                raise CaseError(f"{file.name}: there are two claims {number}")
            found[number] = _claim(f"{file.name}: claim {number}", number, source, entry)
    return found


def _claim(where: str, number: str, source: str, entry: Mapping[str, Any]) -> Claim:
    if unknown := set(entry) - {"claim", "expected", "cases", "reason", "bound", "numpy"}:
        raise CaseError(f"{where} has unknown entries: {', '.join(sorted(unknown))}")
    names = entry.get("cases", [])
    if not isinstance(names, list) or not all(names) or len(set(names)) < len(names):
        raise CaseError(f"{where}: cases = {names!r} must be a list of different names")
    texts = {key: entry.get(key, "") for key in ("expected", "reason", "bound")}
    numpy = entry.get("numpy", False)
    if not isinstance(numpy, bool):
        raise CaseError(f"{where}: numpy = {numpy!r} must be true or false")
    claim = Claim(number, source, entry.get("claim", ""), cases=tuple(names), numpy=numpy, **texts)
    if not claim.text:
        raise CaseError(f"{where} has no text of the claim")
    if claim.expected not in (*FINDINGS, NOT_ADDRESSED):
        raise CaseError(
            f"{where}: expected {claim.expected!r} must be one of"
            f" {', '.join((*FINDINGS, NOT_ADDRESSED))}"
        )
    if (claim.expected == NOT_ADDRESSED) == bool(claim.cases):
        raise CaseError(f"{where} must have cases, unless it is {NOT_ADDRESSED}")
    demands = claim.expected not in (UNDECIDABLE, NOT_ADDRESSED)
    if claim.bound not in (BOUNDS if demands else ("",)):
        raise CaseError(
            f"{where} is {claim.expected}: bound {claim.bound!r} must be"
            f" {'one of ' + ', '.join(BOUNDS) if demands else 'left out'}"
        )
    if claim.expected != FINDINGS[0] and not claim.reason:
        raise CaseError(f"{where} is {claim.expected}: a reason must be given")
    return claim


class Row(NamedTuple):
    """A claim, its finding in a validation run, and the verdicts that led to the finding."""

    claim: Claim
    finding: str
    verdicts: Sequence[Verdict]

    @property
    def judges(self) -> set[str]:
        """The cases that judged the claim."""
        return {verdict.case for verdict in self.verdicts}

    @property
    def as_expected(self) -> bool:
        """True if the finding is the expected one, or if the claim was not judged."""
        return all(verdict.passed for verdict in self.verdicts)


def rows(known: Mapping[str, Claim], results: Iterable[Result]) -> list[Row]:
    """Return a row for each claim, in the order of the register."""
    by_number: dict[str, list[Verdict]] = {number: [] for number in known}
    for result in results:
        for verdict in result.verdicts:
            if verdict.claim in by_number:
                by_number[verdict.claim].append(verdict)
    return [
        Row(claim, _finding(claim, by_number[claim.number]), by_number[claim.number])
        for claim in known.values()
    ]


def _finding(claim: Claim, verdicts: Sequence[Verdict]) -> str:
    """Return the worst finding of the quantities that decide a claim."""
    if claim.expected == NOT_ADDRESSED:
        return NOT_ADDRESSED
    found = {verdict.finding for verdict in verdicts}
    for finding in ("not found", UNDECIDABLE, "undecided", "found"):
        if finding in found:
            return finding
    return NOT_JUDGED


def forgotten(known: Mapping[str, Claim], result: Result, file: Path) -> list[str]:
    """Return the claims that a case should judge but has forgotten.

    The case has not judged such a claim, and the file of the case does not name the claim. If the
    file names a claim, the case may judge the claim in a higher tier.
    """
    judged = {verdict.claim for verdict in result.verdicts}
    text = file.read_text(encoding="utf-8")
    return [
        number
        for number, claim in known.items()
        if result.case in claim.cases
        and number not in judged
        and not re.search(rf"""['"]{re.escape(number)}['"]""", text)
    ]


def judged_in(file: Path) -> set[str]:
    """Return the numbers of the claims that are judged in the file of a case."""
    numbers = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        called = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and called in ("claim", UNDECIDABLE):
            match node.args[:1]:
                case [ast.Constant(value=str(number))]:
                    numbers.add(number)
                case _:
                    raise CaseError(
                        f"{file.name}: {called}() in line {node.lineno} has no claim number"
                    )
    return numbers
