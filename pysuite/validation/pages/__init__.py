"""The pages of results: all cases, the claims of papers, the benchmarks and the figures.

The pages are made from the last result of each case, which is kept in a folder next to them:

<folder>/cases/<name>.json   the result of a case, with the commit and the versions that gave it
<folder>/validation.md       every case with its quantities
<folder>/claims.md           the claims of papers and the findings
<folder>/benchmarks.md       the benchmarks; benchmarks.csv has the same results as a table
<folder>/gallery.md          figures, and what could not be reproduced
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pysuite.errors import UsageError
from pysuite.validation.case import TIERS
from pysuite.validation.pages import benchmarks, cases, claims, gallery, stored
from pysuite.validation.pages.stored import Stored
from pysuite.validation.verdict import Result

__all__ = ["Stored", "check", "update"]
FEW = 5


def check(folder: Path, names: Collection[str], tiers: Mapping[str, str]) -> None:
    """Check, before cases run, that their results can be kept in a folder without a loss.

    Args:
        folder: folder of the pages.
        names: names of all cases; results of other cases would spoil the pages.
        tiers: tier in which each case is going to run, keyed by name.

    Raises:
        UsageError: the folder has results of other cases or, for a case of this run, from a higher
            tier; or a kept result is invalid.
    """
    kept = {each.result.case: each.result.run_tier for each in stored.load(folder)}
    if unknown := sorted(set(kept) - set(names)):
        raise UsageError(
            f"{folder / stored.FOLDER} has results of cases that are not in the folder of cases:"
            f" {_some(unknown)}; name another folder with --pages or, if these cases have been"
            " removed or renamed, delete their files there"
        )
    lower = [
        f"{case} (stored: {kept[case]}, this run: {tier})"
        for case, tier in sorted(tiers.items())
        if case in kept and TIERS.index(tier) < TIERS.index(kept[case])
    ]
    if lower:
        raise UsageError(
            f"results in {folder / stored.FOLDER} would be replaced by results of a lower tier:"
            f" {_some(lower)}; run these cases in the stored tier (--full CASE or --tier), leave"
            " them out, or delete their files there"
        )


def _some(texts: Sequence[str]) -> str:
    """Return a list in words that ends after a few of many texts."""
    more = f" and {len(texts) - FEW} more" if len(texts) > FEW else ""
    return ", ".join(texts[:FEW]) + more


def update(
    new: Sequence[Result],
    folder: Path,
    root: Path,
    *,
    names: Collection[str],
    environment: Mapping[str, str],
    repetitions: Sequence[Result] = (),
) -> None:
    """Keep new results in a folder and write its pages from all results kept there.

    Args:
        new: results of cases; they replace earlier results of the same cases.
        folder: folder of the pages.
        root: folder of the cases, with the register of claims and the references of benchmarks.
        names: names of all cases in `root`.
        environment: date, commit and versions that gave the new results, keyed by name.
        repetitions: results of the same cases with other random numbers.

    Raises:
        UsageError: a page has no marked section, a kept result is invalid, or a file cannot be
            written.
    """
    try:
        for result in new:
            stored.save(stored.with_origin(result, environment, repetitions), folder)
            gallery.keep_figures(result, folder)
        kept = stored.load(folder)
        cases.write(kept, folder, names)
        claims.write(kept, folder, root)
        benchmarks.write(kept, folder, root)
        gallery.write(kept, folder)
    except OSError as error:
        raise UsageError(f"cannot write the pages in {folder}: {error}") from error
