"""Repetitions of cases with different random numbers, and the verdicts that change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pysuite.validation.report import count
from pysuite.validation.verdict import UNDECIDABLE, Result, Verdict


class Repeated(NamedTuple):
    """Results of cases that were repeated with different random numbers.

    Attributes:
        summary: text that states the numbers of cases, quantities and changes.
        verdicts: verdicts in all runs, for each case and quantity.
        changed: case and quantity of each changed verdict. A verdict changes if the quantity passes
            in one run and fails in another, or if its finding differs between runs. If the runs of
            a case judge different numbers of quantities, this also counts as a change.
    """

    summary: str
    verdicts: dict[str, list[tuple[Verdict, ...]]]
    changed: list[tuple[str, str]]


def repeated(results: Sequence[Result], repetitions: Sequence[Result]) -> Repeated:
    """Compare the verdicts of cases that drew random numbers with the verdicts in repetitions.

    A quantity is identified by its position in the case, because its name may contain numbers that
    depend on the seeds.
    """
    names = {result.case for result in repetitions}
    runs: dict[str, list[list[Verdict]]] = {
        result.case: [result.verdicts] for result in results if result.case in names
    }
    for result in repetitions:
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
    times = max((result.repetition for result in repetitions), default=0)
    text = (
        f"{count(len(runs), 'case')} with {count(quantities, 'judged quantity')} drew random"
        f" numbers, and ran {count(times, 'more time')} with other seeds:"
        f" {count(len(changed), 'verdict') if changed else 'no verdict'} changed."
    )
    once = sum(result.random and result.case not in names for result in results)
    if once:
        text += f" {count(once, 'more case')} that drew random numbers ran once."
    return Repeated(text, verdicts, changed)
