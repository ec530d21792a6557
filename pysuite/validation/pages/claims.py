"""The page of the claims of papers and their findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pysuite.validation import claims, report
from pysuite.validation.pages import cases, stored
from pysuite.validation.pages.marks import write_marked
from pysuite.validation.pages.stored import Stored
from pysuite.validation.report import table_row

FILE = "claims.md"
COLUMN_BY = (
    "*By* gives the origin of the limit: the paper, a theory, or this project. The p of an"
    " undecided quantity is one minus the highest confidence level at which it would be decided."
)


def write(kept: Sequence[Stored], folder: Path, root: Path) -> None:
    """Write the page. If `root` has no register of claims, nothing is written."""
    register = claims.register(root)
    if not register:
        return
    found = claims.rows(register, stored.results(kept))
    judges = {case for row in found for case in row.judges}
    lines = [report.claims_summary(found), "", "The cases that judge claims ran as follows.", ""]
    lines += stored.origins(each for each in kept if each.result.case in judges)
    lines += ["", COLUMN_BY]
    for source in dict.fromkeys(row.claim.source for row in found):
        of_source = [row for row in found if row.claim.source == source]
        lines += ["", f"## {of_source[0].claim.cited}", ""]
        lines += ["| | claim | finding | quantity, with its interval | required | by | case |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for row in of_source:
            lines += _rows(row)
    write_marked(folder / FILE, "Claims of the papers", lines)


def _rows(row: claims.Row) -> list[str]:
    """Return a row for each judged quantity of a claim, or one row if no quantity was judged."""
    claim = row.claim
    notes = " ".join(filter(None, [claim.reason, report.NUMPY if claim.numpy else ""]))
    text = claim.text + (f" *{notes}*" if notes else "")
    finding = row.finding if row.as_expected else f"**{row.finding}**, not {claim.expected}"
    if not row.verdicts:
        cells = [claim.number, text, finding, "", "", claim.bound]
        return [table_row([*cells, ", ".join(map(_link, claim.cases))])]
    first, bound, shown = [claim.number, text, finding], claim.bound, ""
    lines = []
    for verdict in row.verdicts:
        case = "" if verdict.case == shown else _link(verdict.case)
        lines.append(
            table_row(
                [
                    *first,
                    f"{verdict.quantity}: {report.interval(verdict)}",
                    report.demand(verdict),
                    bound,
                    case,
                ]
            )
        )
        first, bound, shown = ["", "", ""], "", verdict.case  # further rows leave these cells empty
    return lines


def _link(case: str) -> str:
    return f"[{case}]({cases.FILE}#{case})"
