"""Every case of the smoke tier can fail: its spoiled parameter turns a judged quantity red."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pysuite import cases

SMOKE = [case for case in cases.discover() if case.runs_in("smoke")]


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, cases.Result]:
    """Run all of them spoiled, one per core, and return the results by name."""
    folder: Path = tmp_path_factory.mktemp("spoiled")
    jobs = len(os.sched_getaffinity(0))
    results = cases.run_cases(SMOKE, folder, jobs=jobs, tier="smoke", spoil=True)
    return {result.case: result for result in results}


@pytest.mark.parametrize("name", [case.name for case in SMOKE])
def test_spoiled_it_is_red(spoiled, name):
    result = spoiled[name]
    assert result.error is None, result.error
    assert result.failed_a_check, f"{result.parameters}: still green"
