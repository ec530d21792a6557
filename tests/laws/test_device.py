"""Laws and stages compiled for a GPU do what the clones do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make(target: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", target], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.long  # ten minutes of a compiler
def test_lanes_compiled_for_a_device_agree_with_the_clones():
    compiler = make("build/device/venv/installed")
    if compiler.returncode:
        pytest.skip(f"nvcc cannot be installed: {compiler.stderr.strip().splitlines()[-1]}")
    built = make("build/device/liblanes.so")
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    command = [sys.executable, "-m", "tests.device"]
    compared = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert compared.returncode == 0, compared.stdout[-4000:] + compared.stderr[-4000:]
    assert "; 0 differ from the clones" in compared.stdout
