"""A stored result of a case is reused until a file on which the result depends changes."""

from __future__ import annotations

import json

import pytest

from pysuite import validation
from pysuite.validation import dependencies

CHECK = "c.check('x', measured=c['x'], reference=1, tolerance=0, reason='test')"


def names(case: validation.Case) -> set[str]:
    files = dependencies.files(case)
    package = dependencies.PACKAGE
    return {
        str(file.relative_to(package)) if file.is_relative_to(package) else file.name
        for file in files
    }


def test_what_runs_cases_and_lammps_counts_for_every_case(make_case):
    found = names(make_case(CHECK))
    assert {"sample.py", "validation/runner.py", "lammps/worker.py", "engine.py"} <= found
    others = ("validation/setups", "validation/references", "validation/report", "bench")
    assert not {each for each in found if each.startswith(others)}


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("from pysuite.validation.setups import impacts", "validation/setups/impacts.py"),
        ("import pysuite.validation.setups.impacts", "validation/setups/impacts.py"),
        ("from pysuite.validation.setups.impacts import oblique", "validation/setups/impacts.py"),
        ("from pysuite.validation.setups import collisions", "validation/setups/packings.py"),
    ],
)
def test_what_a_case_imports_counts(make_case, line, file):
    assert file in names(make_case(f"{line}\n{CHECK}"))


def test_a_folder_of_data_counts_where_it_is_named(make_case):
    case = make_case(CHECK)
    for folder in ("ours", "theirs"):
        (case.root / "data" / folder).mkdir(parents=True)
        for file in ("of_{}.csv", "of_{}.md"):
            (case.root / "data" / folder / file.format(folder)).write_text("1")
    found = names(make_case(f"c.reference('ours') if not c['x'] else None\n{CHECK}"))
    assert "of_ours.csv" in found
    assert not {"of_theirs.csv", "of_ours.md"} & found


def test_what_the_register_expects_counts_and_its_reason_does_not(make_case):
    case = make_case(CHECK)

    def register(**entry):
        entry = {"claim": "It is so.", "expected": "found", "bound": "ours"} | entry
        entry.setdefault("cases", ["sample"])
        (case.root / "claims.json").write_text(json.dumps({"fuehrer2024": {"F1": entry}}))
        return dependencies.expected(case)

    first = register()
    assert "F1" in first
    assert register(reason="because") == first
    assert register(expected="not found", reason="because") != first
    assert "F1" not in register(cases=["another"])
