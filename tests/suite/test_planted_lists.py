"""`make lists` can plant its faults: each line that a fault changes occurs exactly once."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_fault_has_its_place(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    faults = importlib.import_module("tests.lists.__main__").FAULTS
    assert len(faults) >= 10
    for fault in faults:
        assert (ROOT / fault.file).read_text().count(fault.right) == 1, fault.title
        assert fault.wrong != fault.right
