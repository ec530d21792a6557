"""All code in the documents runs: scripts, the tutorial, examples in Python."""

from __future__ import annotations

import calendar
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pysuite import commands, engine, sources, validation

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs/tutorial"
REFERENCE = ROOT / "docs/reference"
STYLES = sorted([*REFERENCE.glob("pair_*.md"), *REFERENCE.glob("fix_*.md")])
STYLES += sorted(REFERENCE.glob("compute_*.md"))


def blocks(page: Path, language: str) -> list[str]:
    fenced = r"^```(\w*)\n(.*?)^```$"
    found = re.findall(fenced, page.read_text(), re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


def complete_scripts() -> list[tuple[str, str]]:
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
def test_script_runs_as_it_stands(page, script, monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", "host")  # there may be no GPU on this machine
    result = engine.run(script, timeout=60)
    assert len(result.thermo) > 1, page
    assert np.isfinite(result.thermo.to_numpy()).all()


def test_first_script_prints_what_the_readme_shows():
    page = ROOT / "README.md"
    (script,) = blocks(page, "lammps")
    table = next(text for text in blocks(page, "") if "v_created" in text)
    shown = np.array([line.split() for line in table.splitlines()[1:]], dtype=float)
    for slider, columns in (("csds", shown[:, :3]), ("dsds", shown[:, [0, 3, 4]])):
        found = engine.run(script, variables={"slider": slider}).thermo
        # the tolerances follow from the digits that LAMMPS prints; energies are of order one
        np.testing.assert_allclose(
            found[["Step", "v_energy", "v_created"]], columns, rtol=1e-7, atol=1e-8
        )


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def words(page: Path) -> str:
    """Return the prose of a page as one line, without link addresses and DOIs."""
    return " ".join(re.sub(r"(?<=\])\([^)]*\)|\bdoi:\S+", "", prose(page)).split())


def test_energies_of_the_theory_are_those_of_the_first_script():
    (script,) = blocks(ROOT / "README.md", "lammps")
    script = script.replace("thermo          100", "thermo 1")
    strong, ordinary = (
        engine.run(script, variables={"slider": "dsds", "damping": damping}).thermo
        for damping in (10, 1)
    )
    created = [thermo["v_created"].iloc[-1] for thermo in (ordinary, strong)]
    theory = words(ROOT / "docs" / "explanation" / "theory_csds.md")
    assert f"{created[0]:.3g} instead of {created[1]:.3g}" in theory


def quoted_names() -> list[str]:
    project = (ROOT / "pyproject.toml").read_text()
    (python,) = re.findall(r'requires-python = ">=([\d.]+)"', project)
    year, month, day, update = re.findall(r'"lammps==(\d+)\.(\d+)\.(\d+)\.(\d+)', project)[0]
    (standard,) = re.findall(r"CMAKE_CXX_STANDARD (\d+)", (ROOT / "CMakeLists.txt").read_text())
    (licence,) = re.findall(r'^license = "(.*)-only"', project, re.MULTILINE)
    names = [case.name for case in validation.discover()]
    chung, mfix = (
        [name.removeprefix(f"{of}-") for name in names if name.startswith(f"{of}-")]
        for of in ("chung-ooi", "mfix-dem")
    )
    fuehrer = sources.bibliography()["fuehrer2024"].fields["year"]
    return [
        f"Python ≥ {python}",
        f"a C++{standard} compiler",
        f"({day} {calendar.month_name[int(month)]} {year}, update {update})",
        "Linux on x86-64",
        f"Chung & Ooi {chung[0]}–{chung[-1]}",
        f"MFIX-DEM {mfix[0]}–{mfix[-1]}",
        f"Brendel and Wolf ({fuehrer})",
        f"Granular Matter ({fuehrer})",
        f"License: {licence}, like LAMMPS",
    ]


def test_names_and_versions_of_the_readme_are_those_of_the_project():
    text = words(ROOT / "README.md")
    assert [name for name in quoted_names() if name not in text] == []
    # the README must state no durations, because durations depend on the machine
    assert not re.search(r"#.*\d", "".join(blocks(ROOT / "README.md", "")))


NEAR_NORMAL = """
units lj
atom_style sphere
comm_modify vel yes
boundary f f f
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single 0 0 0.5
set group all diameter 1 density 1
velocity all set $(sin(5.7*PI/180)) 0 $(-cos(5.7*PI/180))
pair_style granular/plus ledger yes
pair_coeff * * hertz 1 0 tangential linear_nohistory 0 0
fix floor all wall/granular/plus hertz/material 1e6 1 0.3 damping coeff_restitution &
    tangential mindlin NULL 0 0.3 zplane 0 NULL
fix move all nve/sphere
timestep 1e-6
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
run 20000
"""


def test_what_mindlin_creates_in_an_impact_is_what_the_theory_says():
    pages = ("docs/explanation/theory_csds.md", "docs/reference/pair_granular_plus.md")
    text = "".join(words(ROOT / page) for page in pages)
    told = re.findall(r"create[sd] (\d+) % as much (?:energy )?as slip", text)
    ledger = engine.run(NEAR_NORMAL).ledger.iloc[-1]
    assert ledger["contacts"] == 0
    assert told == 2 * [f"{100 * ledger['created'] / ledger['slip']:.0f}"]


def test_wall_carries_the_weight():
    """At the end, the force differs from the weight, 100 pi/6, by less than 2 %."""
    (script,) = blocks(REFERENCE / "fix_wall_granular_plus.md", "lammps")
    force = engine.run(script).wall_vector()["force_z"].iloc[-1]
    assert force == pytest.approx(-100 * np.pi / 6, rel=0.02)


def test_ledger_of_its_page_closes():
    (script,) = blocks(REFERENCE / "compute_granular_ledger.md", "lammps")
    end = engine.run(script).thermo.iloc[-1]
    # the page states this bound for 60 steps per collision
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
    assert names["step"].history.any()


@pytest.mark.parametrize(
    "page", ["howto/python.md", "explanation/theory_csds.md", "reference/calibrate.md"]
)
def test_examples_in_python_run(page, monkeypatch, tmp_path):
    examples = blocks(ROOT / "docs" / page, "python")
    assert examples
    (tmp_path / "inputs").symlink_to(ROOT / "inputs")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in examples:
        exec(example, names)


def test_example_of_a_case_passes_and_can_fail(tmp_path, capsys):
    page = ROOT / "docs/howto/validate.md"
    (example,), (register,) = blocks(page, "python"), blocks(page, "json")
    file = tmp_path / "head_on.py"
    file.write_text(example)
    options = ("run", "head-on", "--cases", str(tmp_path))
    assert commands.main(options) == 0, capsys.readouterr()
    assert commands.main([*options, "--spoil"]) == 0, capsys.readouterr()

    (tmp_path / "claims.json").write_text(register)
    assert validation.register(tmp_path)["A1"].cases == ("head-on",)
    call = re.search(r"`(c\.claim\(.+?\))`, with", " ".join(page.read_text().split()))[1]
    ratio = 'ratio = thermo["v_speed"].iloc[-1] / 0.5'
    example = example.replace("\n\n\nCASE", f"\n    {ratio}\n    {call}\n\n\nCASE")
    file.write_text(example.replace("\nSCRIPT", "\nfrom pysuite import statistics\n\nSCRIPT"))
    assert commands.main(options) == 0, capsys.readouterr()
    assert "A1" in capsys.readouterr().out


# -------------------------------------------------------------------------------- tutorial


def test_tutorial_shows_what_its_script_does():
    script, place = (TUTORIAL / "heap.py").read_text(), 0
    parts = blocks(TUTORIAL / "heap.md", "python")
    assert len(parts) >= 5
    for part in parts:
        assert part in script[place:], f"heap.py lacks or reorders these lines:\n{part}"
        place += script[place:].index(part) + len(part)


@pytest.mark.slow
def test_tutorial_runs(tmp_path):
    copy, here = tmp_path / "tutorial", tmp_path / "here"
    shutil.copytree(TUTORIAL, copy, ignore=shutil.ignore_patterns("figures"))
    here.mkdir()
    result = subprocess.run(
        [sys.executable, copy / "heap.py"],
        cwd=here,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    pictures = {path.name for path in (TUTORIAL / "figures").iterdir()}
    assert {path.name for path in here.iterdir()} == pictures | {"heaps"}
    assert len(list((here / "heaps").glob("*/sweep.json"))) == 8
    dry, wet = map(float, re.findall(r"slope of the .* heap: (\d+)", result.stdout))
    # the slopes are usually 14 and 28 degrees
    assert wet > dry + 5
    csds, dsds = map(float, re.findall(r"sds: energy created .* = ([\d.]+)", result.stdout))
    assert csds == 0.0
    assert dsds > 1.0
    residuals = [float(text) for text in re.findall(r"residual / losses = (\S+)", result.stdout)]
    # the page states that the residual is below 1e-3 and decreases with the time step
    assert len(residuals) == 3
    assert max(residuals) < 1e-3
    assert residuals[1] < residuals[0]
