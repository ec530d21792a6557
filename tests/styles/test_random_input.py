"""Random commands end in a LAMMPS error or are obeyed; the long run is `make fuzz`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
