"""The manual says what the compiled laws say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from pysuite import laws

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_tables", DOCS / "generate_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_up_to_date(generator):
    page = generator.PAGE.read_text()
    assert generator.renewed(page) == page, "run: python docs/generate_tables.py"


def test_old_tables_are_noticed(generator):
    page = generator.PAGE.read_text()
    assert generator.renewed(page.replace("friction coefficient", "coefficient")) != page.replace(
        "friction coefficient", "coefficient"
    )


def test_examples_are_understood(generator):
    """Every pair_coeff line of the page parses."""
    found = 0
    for line in generator.PAGE.read_text().splitlines():
        if line.startswith("pair_coeff ") and "NORMAL" not in line:
            laws.Stack(" ".join(line.split()[3:]))
            found += 1
    assert found >= 5


def test_index_names_all_pages():
    index = (DOCS / "README.md").read_text()
    assert [page.name for page in DOCS.glob("*.md") if f"({page.name})" not in index] == [
        "README.md"
    ]
