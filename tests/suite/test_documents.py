"""What the documents show runs: scripts as they stand, the tutorial, examples in Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs/tutorial"
REFERENCE = ROOT / "docs/reference"
STYLES = sorted([*REFERENCE.glob("pair_*.md"), *REFERENCE.glob("fix_*.md")])
STYLES += sorted(REFERENCE.glob("compute_*.md"))


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in this language, in their order."""
    fenced = r"^```(\w*)\n(.*?)^```$"
    found = re.findall(fenced, page.read_text(), re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def complete_scripts() -> list[tuple[str, str]]:
    """Return page and text of all scripts that are to run as they stand."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        (page.relative_to(ROOT).as_posix(), text)
        for page in pages
        for text in blocks(page, "lammps")
    ]


# --------------------------------------------------------------------------------- scripts


@pytest.mark.parametrize("page", STYLES, ids=lambda page: page.stem)
def test_page_of_a_style_opens_with_a_script(page):
    head = page.read_text().partition("## Syntax")[0]
    assert "```lammps\n" in head
    style = page.read_text().splitlines()[0].split()[2]
    assert style in head.partition("```lammps\n")[2]


@pytest.mark.parametrize(("page", "script"), complete_scripts(), ids=lambda text: text[:40])
def test_script_runs_as_it_stands(page, script):
    result = engine.run(script, timeout=60)
    assert len(result.thermo) > 1, page
    assert np.isfinite(result.thermo.to_numpy()).all()


def test_first_script_prints_what_the_readme_shows():
    """The numbers of the README are those of the run, with either slider."""
    page = ROOT / "README.md"
    (script,) = blocks(page, "lammps")
    table = next(text for text in blocks(page, "") if "v_created" in text)
    shown = np.array([line.split() for line in table.splitlines()[1:]], dtype=float)
    for slider, columns in (("csds", shown[:, :3]), ("dsds", shown[:, [0, 3, 4]])):
        found = engine.run(script, variables={"slider": slider}).thermo
        # as many digits as LAMMPS prints; energies are of order one
        np.testing.assert_allclose(
            found[["Step", "v_energy", "v_created"]], columns, rtol=1e-7, atol=1e-8
        )


def test_wall_carries_the_weight():
    """The page says 100 pi/6; the grains still tremble by less than two percent of it."""
    (script,) = blocks(REFERENCE / "fix_wall_granular_plus.md", "lammps")
    force = engine.run(script).wall_vector()["force_z"].iloc[-1]
    assert force == pytest.approx(-100 * np.pi / 6, rel=0.02)


def test_ledger_of_its_page_closes():
    (script,) = blocks(REFERENCE / "compute_granular_ledger.md", "lammps")
    end = engine.run(script).thermo.iloc[-1]
    # the bound that the page names, at 60 steps in a collision
    assert abs(end.v_residual) < 1e-3 * (end.v_dashpots + end.v_slip)


def test_example_in_python_of_the_readme(tmp_path, monkeypatch):
    (script,) = blocks(ROOT / "README.md", "lammps")
    (example,) = blocks(ROOT / "README.md", "python")
    monkeypatch.chdir(tmp_path)
    Path("in.first").write_text(script)
    names: dict[str, object] = {}
    exec(example, names)
    assert names["run"].thermo.v_created.iloc[-1] > 1.0
    assert np.isfinite(names["step"].force).all()
    assert names["step"].history.any()  # the spring of the contact


@pytest.mark.parametrize("page", ["howto/python.md", "explanation/theory_csds.md"])
def test_examples_in_python_run(page, monkeypatch):
    """The blocks of a page run one after the other, in the folder of the project."""
    examples = blocks(ROOT / "docs" / page, "python")
    assert examples
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for example in examples:
        exec(example, names)


# -------------------------------------------------------------------------------- tutorial


def test_tutorial_shows_what_its_script_does():
    """Every block of the page stands in the script, in the same order."""
    script, place = (TUTORIAL / "heap.py").read_text(), 0
    parts = blocks(TUTORIAL / "heap.md", "python")
    assert len(parts) >= 5
    for part in parts:
        assert part in script[place:], f"not in heap.py, or in another order:\n{part}"
        place += script[place:].index(part) + len(part)


def test_tutorial_runs(tmp_path):
    result = subprocess.run(
        [sys.executable, TUTORIAL / "heap.py"],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    pictures = {path.name for path in (TUTORIAL / "figures").iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == pictures
    dry, wet = map(float, re.findall(r"slope of the .* heap: (\d+)", result.stdout))
    assert wet > dry + 5  # 14 and 28; a heap is chaotic, liquid is not
    csds, dsds = map(float, re.findall(r"sds: energy created .* = ([\d.]+)", result.stdout))
    assert csds == 0.0
    assert dsds > 1.0
    residuals = [float(text) for text in re.findall(r"residual / losses = (\S+)", result.stdout)]
    # the page promises that less than 1e-3 is missing, and less with smaller steps
    assert len(residuals) == 3
    assert max(residuals) < 1e-3
    assert residuals[1] < residuals[0]
