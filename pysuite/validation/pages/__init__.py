"""The pages of results: all cases, the claims of papers, the benchmarks and the figures.

The pages are written from the last result of each case, which is kept in the same folder:

<folder>/cases/<name>.json   last result of a case, with the commit and the software versions
<folder>/validation.md       all cases with their quantities
<folder>/claims.md           the claims of papers, and the findings
<folder>/benchmarks.md       the benchmarks
<folder>/benchmarks.csv      the results of benchmarks as a table
<folder>/gallery.md          figures, and results that could not be reproduced
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
    """Check, before cases run, that their results can be added to the results kept in a folder.

    Args:
        folder: folder of the pages.
        names: names of all cases.
        tiers: tier of each case that will run, keyed by the name of the case.

    Raises:
        UsageError: the folder has results of cases that are not in `names`, a result from a higher
            tier would be replaced, or a kept result is invalid.
    """
    kept = {each.result.case: each.result.run_tier for each in stored.load(folder)}
    if unknown := sorted(set(kept) - set(names)):
        raise UsageError(
            f"{folder / stored.FOLDER} has results of cases that are not in the folder of cases:"
            f" {_some(unknown)}. If these cases have been removed or renamed, delete the files of"
            " their results. Otherwise, give another folder with --pages"
        )
    lower = [
        f"{case} (stored: {kept[case]}, this run: {tier})"
        for case, tier in sorted(tiers.items())
        if case in kept and TIERS.index(tier) < TIERS.index(kept[case])
    ]
    if lower:
        raise UsageError(
            f"results in {folder / stored.FOLDER} would be replaced by results of a lower tier:"
            f" {_some(lower)}. Run these cases in the stored tier (--full CASE or --tier), do not"
            " run them, or delete their files there"
        )


def _some(texts: Sequence[str]) -> str:
    """Return a list of the first few texts, followed by the number of further texts."""
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
    """Keep new results in a folder, and write the pages from all results in this folder.

    Args:
        new: results of cases. They replace earlier results of the same cases.
        folder: folder of the pages.
        root: folder of the cases, with the register of claims and the references of benchmarks.
        names: names of all cases in `root`.
        environment: date, commit and software versions of the new results, keyed by name.
        repetitions: results of the same cases with other random numbers.

    Raises:
        UsageError: a page has no marks around its generated part, a kept result is invalid, or a
            file cannot be written.
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
