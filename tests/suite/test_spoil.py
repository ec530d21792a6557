"""Every case can fail: with its spoiled parameter, a judged quantity fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from pysuite import validation

CASES = validation.discover()


def how_long(case: validation.Case) -> pytest.MarkDecorator:
    return pytest.mark.slow if case.runs_in("smoke") else pytest.mark.long


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=how_long(case))
        for case in CASES
        if case.runs_in("quick")
    ],
)
def test_spoiled_it_is_red(case: validation.Case, tmp_path: Path) -> None:
    result = validation.run_case(case, tmp_path, tier=case.tier, spoil=True)
    output = tmp_path / "cases" / f"{case.name}.spoiled" / validation.OUTPUT_FILE
    assert result.error is None, f"{result.error}\n{output.read_text()}"
    assert result.failed_a_check, f"{result.parameters}: no check failed"
