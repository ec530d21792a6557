"""Plant mutants of the laws and test whether the selection for a push catches them all.

    make selection      20 mutants; the page is docs/results/selection.md

On a push, the tests of contact models run only with a selection of models, which contains each
permitted pair of laws. This program doubles coefficients one at a time. The tests run with the
models that have the coefficient's law: once with models of the selection, once with the remaining
models.

The mutants (tests/mutation) are taken from every third law or header, then from the others. In each
law or header, the last, the middle and the first coefficient are tried until a test fails. The exit
status is 1 if the selection misses a mutant.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pysuite import laws
from tests.mutation import mutants
from tests.mutation.__main__ import FOLDER, keyed

PAGE = mutants.ROOT / "docs" / "results" / "selection.md"
FILES = ("invariants", "walls", "surface_stage", "units", "python")
EXCLUDED = ("bond", "attraction", "heat")  # roles that these tests do not cover
DOUBLED = 2.0
EVERY = 3
HEAD = """# Mutants and the selection of a push

Coefficients of the laws are doubled, one at a time: the last, the middle or the first one of every
third law or header, then of the others. The tests of all contact models run until one fails, once
with the selection of models that `make test` tests, and once with the remaining models, which
`make test-laws` adds. A coefficient that none of these tests detects is left to the tests of its
law. Written by `make selection`.

"""


class Row(NamedTuple):
    place: str
    selection: str
    others: str


def groups() -> list[list[tuple[str, mutants.Mutant]]]:
    numbers = [mutants.Mutant(*row) for row in json.loads((FOLDER / "numbers.json").read_text())]
    everyone = keyed(mutants.of_parameters(laws.registry()) + numbers)
    found = [
        (place, mutant)
        for place, mutant in everyone.items()
        if not mutant.guard
        and not any(re.search(rf"^{word}|/{word}\b", place) for word in EXCLUDED)
    ]
    by_place = itertools.groupby(found, lambda each: each[0].partition(":")[0])
    return [list(group) for _, group in by_place]


def first_red(mutant: mutants.Mutant, chosen: str) -> str:
    named = " or ".join(mutant.laws) or "+"  # names of models consist of the names of their laws
    files = [f"tests/laws/test_{name}.py" for name in FILES]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", chosen, "-k", f"+ and ({named})"]
    run = subprocess.run(
        [*command, *files],
        cwd=mutants.ROOT,
        env=os.environ | {mutants.VARIABLE: f"{mutant.name} {DOUBLED!r}"},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = re.search(r"^(?:FAILED|ERROR) tests/laws/(\S+)", run.stdout, re.MULTILINE)
    if failed is None and run.returncode not in (0, 5):  # pytest returns 5 if no model has the law
        raise RuntimeError(run.stdout[-2000:] + run.stderr[-2000:])
    return failed[1] if failed else ""


def planted(number: int) -> Iterator[Row]:
    """Yield `number` mutants that tests catch, with the selection or with the other models."""
    known = groups()
    for group in itertools.chain.from_iterable(known[first::EVERY] for first in range(EVERY)):
        for k in dict.fromkeys((len(group) - 1, len(group) // 2, 0)):
            place, mutant = group[k]
            caught = first_red(mutant, "not slow and not long and not product")
            other = first_red(mutant, "product")
            print(f"{place} → {caught or other or 'no model'}", flush=True)
            if caught or other:
                yield Row(place, caught, other)
                number -= 1
                break
        if number == 0:
            return


def page(rows: list[Row]) -> str:
    missed = sum(not row.selection for row in rows)
    lines = [f"{HEAD}{len(rows)} mutants: the selection catches {len(rows) - missed}.", ""]
    lines += ["| coefficient | first test of the selection | first test of the other models |"]
    lines += ["|---|---|---|"]
    lines += [f"| {place} | {caught} | {other} |" for place, caught, other in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--page", type=Path, default=PAGE, help="file to write")
    options = parser.parse_args()
    rows = list(planted(options.mutants))
    options.page.write_text(page(rows))
    return 1 if any(not row.selection for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
