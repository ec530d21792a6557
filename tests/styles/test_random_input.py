"""Random commands run or end in a LAMMPS error. `make fuzz` tries many more commands."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pysuite.lammps import options
from tests.fuzz.lines import MESH, beginning

ROOT = Path(__file__).parents[2]


def test_no_command_crashes_lammps():
    order = [sys.executable, "-m", "tests.fuzz", "--lines", "800", "--seed", "11"]
    found = subprocess.run(order, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    counts = dict(
        line.split(": ") for line in found.stdout.splitlines() if not line.startswith(" ")
    )
    assert int(counts["refused"]) + int(counts["run"]) + int(counts["accepted"]) > 700
    assert int(counts["run"]) > 50


@pytest.fixture(scope="module")
def fuzz():
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("tests.fuzz.__main__")
    finally:
        sys.path.remove(str(ROOT))


def test_a_new_keyword_is_tried(fuzz):
    number = options.Operand(
        "number", "A", "by", (), 2.0, 3.0, True, True, False, False, "distance", ""
    )
    word = number._replace(kind="one of", label="", choices=("left", "right"), may_be_missing=True)
    new = options.Option(
        "granular/film", "newest", "", "", "", "", False, False, "", (number, word)
    )
    declared = [*options.declared(), new, new._replace(table="motion of walls")]
    author = fuzz.Author(3, declared)
    lines = [author.line() for _ in range(3000)]
    for style in ("granular/film", "wall/granular/plus"):
        tried = [line.split() for line in lines if f" {style} " in line and " newest by " in line]
        assert len(tried) > 5
        starts = [words.index("newest") for words in tried]
        given = [words[at + 2 : at + 4] for words, at in zip(tried, starts, strict=True)]
        values = [float(a) for a, *_ in given if re.fullmatch(r"\d\.\d+", a)]
        assert len(values) > len(tried) / 2
        assert all(2.0 <= value <= 3.0 for value in values)
        assert {"left", "right"} <= {b for _, *rest in given for b in rest}


def test_all_keywords_are_tried(fuzz):
    author = fuzz.Author(5)
    lines = [set(author.line().split()) for _ in range(6000)]
    for option in options.declared():
        of_wall = option.table in MESH
        command = ["wall/granular/plus"] if of_wall else beginning(option.table)
        assert any({*command, option.keyword} <= words for words in lines), option


def test_a_finding_is_shortened_to_what_it_takes(fuzz):
    """Words that do not cause the failure are removed, one or several at a time."""
    tried = []

    def fails(command: str) -> bool:
        tried.append(command)
        return "nan" in command.split() and "NULL" in command.split()

    command = "pair_coeff * * hooke 1e4 nan tangential mindlin NULL 1 0.3 rolling sds 1 2 3"
    assert fuzz.shortest(command, fails) == "pair_coeff nan NULL"
    assert len(tried) < 40


def test_a_command_is_tried_alone(fuzz):
    assert not fuzz.crashes("pair_coeff * * hooke 1e4 5 tangential linear_history 5e3 1 0.5")
    assert not fuzz.crashes("pair_coeff * * hooke nan")
    assert fuzz.crashes("quit 7")  # this command ends the process
