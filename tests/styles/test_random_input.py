"""Random commands end in a LAMMPS error or are obeyed; the long run is `make fuzz`."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_no_command_crashes_lammps():
    order = [sys.executable, "-m", "tests.fuzz", "--lines", "800", "--seed", "11"]
    found = subprocess.run(order, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    counts = dict(
        line.split(": ") for line in found.stdout.splitlines() if not line.startswith(" ")
    )
    assert int(counts["refused"]) + int(counts["run"]) + int(counts["accepted"]) > 700
    assert int(counts["run"]) > 50  # else nothing was tried in earnest


@pytest.fixture(scope="module")
def fuzz():
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("tests.fuzz.__main__")
    finally:
        sys.path.remove(str(ROOT))


def test_a_finding_is_shortened_to_what_it_takes(fuzz):
    """Words in any place, alone or with others, of which a crash needs two."""
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
    assert fuzz.crashes("quit 7")  # ends the worker
