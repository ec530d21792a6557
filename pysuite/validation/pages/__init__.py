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
from pysuite.validation.pages import benchmarks, cases, claims, gallery, stored
from pysuite.validation.pages.stored import Stored
from pysuite.validation.verdict import Result

__all__ = ["Stored", "update"]


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
        names: names of all cases in `root`; kept results of other cases are removed.
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
        kept = stored.load(folder, names)
        cases.write(kept, folder)
        claims.write(kept, folder, root)
        benchmarks.write(kept, folder, root)
        gallery.write(kept, folder)
    except OSError as error:
        raise UsageError(f"cannot write the pages in {folder}: {error}") from error
