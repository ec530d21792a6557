"""Results of cases that are kept for the pages, one JSON file for each case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pysuite import files
from pysuite.errors import UsageError
from pysuite.validation.verdict import Result

FOLDER = "cases"
ORIGIN = ("Date", "Tier", "Commit", "LAMMPS", "Compiler of LAMMPS")


class Stored(NamedTuple):
    """A result and its origin.

    Attributes:
        result: the result of a case.
        origin: texts such as the commit, keyed by the names in `ORIGIN`.
        repetitions: results of the same case with other random numbers.
    """

    result: Result
    origin: dict[str, str]
    repetitions: tuple[Result, ...]

    @property
    def commit(self) -> str:
        """Commit of the project; "" if the commit is unknown."""
        return self.origin.get("Commit", "")

    @property
    def words(self) -> str:
        """The origin as text in brackets."""
        known = [f"{name}: {self.origin[name]}" for name in ORIGIN if name in self.origin]
        return f"({', '.join(known)}.)"


def save(each: Stored, folder: Path) -> None:
    """Save a result in a folder. An earlier result of the same case is replaced."""
    content = {
        "origin": each.origin,
        "result": _record(each.result),
        "repetitions": [_record(result) for result in each.repetitions],
    }
    file = folder / FOLDER / f"{each.result.case}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    files.write(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _record(result: Result) -> dict[str, Any]:
    return {**result.record(), "tables": [], "fingerprint": ""}


def load(folder: Path) -> list[Stored]:
    """Return the kept results, sorted by the name of the case.

    Raises UsageError if a file is invalid.
    """
    found = []
    for file in sorted((folder / FOLDER).glob("*.json"), key=lambda file: file.stem):
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            repeated = tuple(map(Result.from_record, content["repetitions"]))
            result = Result.from_record(content["result"])
            found.append(Stored(result, dict(content["origin"]), repeated))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(f"{file} is not a stored result: {error}") from error
    return found


def not_stored(names: Iterable[str], kept: Iterable[Stored]) -> list[str]:
    """Return a paragraph on the cases without a kept result; empty if all cases have one."""
    without = sorted(set(names) - {each.result.case for each in kept})
    return ["", f"No result is stored for: {', '.join(without)}."] if without else []


def origins(stored: Iterable[Stored]) -> list[str]:
    """Return one list item per commit and tier. The item names the cases that ran with them."""
    cases: dict[tuple[str, str], list[str]] = {}
    for each in stored:
        cases.setdefault((each.commit, each.result.run_tier), []).append(each.result.case)
    return [
        f"* Commit: {commit or 'unknown'}, tier {tier}: {', '.join(names)}"
        for (commit, tier), names in sorted(cases.items())
    ]


def results(stored: Sequence[Stored]) -> list[Result]:
    """Return the results without their origins."""
    return [each.result for each in stored]


def with_origin(
    result: Result, environment: Mapping[str, str], repetitions: Iterable[Result]
) -> Stored:
    """Return a result of this run with its origin and its repetitions.

    `repetitions` may include results of other cases, which are ignored.
    """
    again = tuple(each for each in repetitions if each.case == result.case)
    return Stored(result, {**environment, "Tier": result.run_tier}, again)
