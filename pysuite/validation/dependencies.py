"""The files on which the result of a case depends.

A result is reused only if none of these files has changed.
"""

from __future__ import annotations

import ast
import json
import threading
from collections.abc import Iterator
from pathlib import Path

from pysuite.validation import claims
from pysuite.validation.case import Case

PACKAGE = Path(__file__).resolve().parents[1]
# code that runs cases, apart from the folders setups/ and references/
RUNNER = PACKAGE / "validation"
LAMMPS = PACKAGE / "lammps"
ONE_AT_A_TIME = threading.Lock()  # Python 3.11's ast.parse may fail if several threads call it


def files(case: Case) -> list[Path]:
    """Return the files on which a case depends, sorted.

    The files are:

    * the file of the case
    * the files of pysuite that run cases and LAMMPS
    * all files of pysuite that the files above import directly or indirectly
    * the scripts in `inputs`
    * the files in those folders of `data` that are named in one of the files above
    """
    assert case.file is not None
    assert case.root is not None
    # the case, and the code that runs cases and LAMMPS, also in worker processes
    code = {case.file, RUNNER / "runner.py", *LAMMPS.rglob("*.py")}
    left = list(code)
    while left:
        new = set(imported(left.pop())) - code
        code |= new
        left += new
    texts = [path.read_text(encoding="utf-8") for path in code if _may_name_data(path)]
    data = [
        path
        for path in case.root.glob("data/*/**/*")
        if any(path.relative_to(case.root / "data").parts[0] in text for text in texts)
    ]
    others = [*(case.root.parent / "inputs").glob("*"), *data]
    return sorted(code | {path for path in others if path.is_file() and path.suffix != ".md"})


def expected(case: Case) -> str:
    """Return the findings that the register of claims expects from a case, as JSON."""
    assert case.root is not None
    known = claims.register(case.root).values()
    return json.dumps([[each.number, each.expected] for each in known if case.name in each.cases])


def imported(path: Path) -> Iterator[Path]:
    """Yield the files of pysuite that a Python file imports, also within functions."""
    try:
        with ONE_AT_A_TIME:
            tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError:  # ignored here: the case fails with this error when it runs
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (file for name in names for file in _modules(name.name))
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for name in names:
                    yield from _modules(f"{module}.{name.name}")


def _modules(name: str) -> Iterator[Path]:
    """Yield the files of pysuite that are read when a dotted name is imported."""
    first, *parts = name.split(".")
    if first != PACKAGE.name:
        return
    for count in range(len(parts) + 1):
        place = PACKAGE.joinpath(*parts[:count])
        files = (place / "__init__.py", place.with_suffix(".py"))
        yield from (file for file in files if file.is_file())


def _may_name_data(path: Path) -> bool:
    return path.parent not in (RUNNER, LAMMPS)
