"""`make release-check` finds quoted numbers that are no longer on the pages of results."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def quotations():
    file = ROOT / "docs" / "quotations.py"
    spec = importlib.util.spec_from_file_location("quotations", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path):
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "validation").mkdir()
    shutil.copy(ROOT / "validation" / "claims.json", tmp_path / "validation")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("figures"))
    return tmp_path


CHANGES = {
    "created": ("validation", r"(D-SDS, constant stiffness: energy created[^|]*\| )[\d.]+", "0.77"),
    "cooling": (
        "validation",
        r"(1\.78, friction 1: logarithm of the ratio of gran[^|]*\| )\S+",
        "0.5",
    ),
    "angle": ("validation", r"(largest energy .* angle )\d+(?= degrees, .* x_gamma)", "12"),
    "rise": ("validation", r"(Largest rise with C-SDS: .*mindlin )\S+", "0.9"),
    "speed": ("performance", r"(\| plus-csds \|[^|]*\|[^|]*\| )[\d.]+", "0.01"),
    "gran": ("performance", r"(\| plus-csds \|(?:[^|]*\|){3} )[\d.]+", "0.02"),
    "whole": ("performance", r"(\| LAMMPS \|[^|]*\|[^|]*\| )[\d.]+", "0.04"),
    "example": ("conversion", r"(\| )[\d.]+(?= \([^|]*\) \|\n)", "2.5"),
    "ledger": ("performance", r"(\| plus-ledger \|[^|]*\|[^|]*\| )[\d.]+", "0.9"),
    "text": ("claims", r"(\| F1 \| )\w+", "Otherwise"),
    "finding": ("claims", r"(\| F1 \|[^|]*\| )\w+", "found, not expected"),
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("created", "77 %"),
        ("cooling", "65 % too high"),
        ("angle", "contact normal is 12°"),
        ("rise", "by up to 90.0 %"),
        ("speed", "to 100 times"),
        ("gran", "to 50.0 times and whole steps"),
        ("whole", "whole runs with walls 25.0 to 25.0"),
        ("example", "example scripts take 2.5 to 2.5 times"),
        ("ledger", "forces take 4.5 to"),
        ("text", "lacks claim F1"),
        ("finding", "claim F1 is found, not expected"),
    ],
)
def test_a_result_that_has_changed_is_found(quotations, project, change, problem):
    before = quotations.problems(project)
    page, pattern, value = CHANGES[change]
    results = project / "docs" / "results" / f"{page}.md"
    text, count = re.subn(pattern, rf"\g<1>{value}", results.read_text())
    assert count
    results.write_text(text)
    new = set(quotations.problems(project)) - set(before)
    assert any(problem in found for found in new), new


def test_another_percentage_beside_a_comparison_is_found(quotations, project):
    with (project / "README.md").open("a") as readme:
        readme.write("It created 66 % as much energy as it lost.\n")
    assert any("README.md quotes 66 %" in found for found in quotations.problems(project))


def test_a_row_that_is_gone_is_named(quotations, project):
    results = project / "docs" / "results" / "validation.md"
    results.write_text(results.read_text().replace("Largest rise", "Rise"))
    assert any("of_impacts" in found for found in quotations.problems(project))
