"""Whole runs: timings read from logs, ratios within rounds, and the page of results."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pysuite import (
    commands,
)
from pysuite.bench import whole
from pysuite.errors import UsageError

LOG = """
Loop time of 2.0 on 1 procs for 10 steps with 100 atoms
Section |  min time  |  avg time  |  max time  |%varavg| %total
Pair    | 0.1        | 0.5        | 0.9        |   0.0 | 25.00
Neigh   | 0.2        | 0.2        | 0.2        |   0.0 | 10.00
Comm    | 0.1        | 0.1        | 0.1        |   0.0 | 5.00
Output  | 0.1        | 0.1        | 0.1        |   0.0 | 5.00
Modify  | 1e0        | 1.0e+0     | 1.0        |   0.0 | 50.00
Other   |            | 0.1        |            |       | 5.00
Loop time of 3.0 on 1 procs for 10 steps with 100 atoms
"""
LIGGGHTS_LOG = """
Loop time of 4 on 1 procs for 1000 steps with 100 atoms, finish time Wed

Pair  time (%) = 1 (25)
Neigh time (%) = 0.4 (10)
Comm  time (%) = 0.2 (5)
Outpt time (%) = 0.2 (5)
Modfy time (%) = 2 (50)
Other time (%) = 0.2 (5)
"""
SHARES = {"Pair": 0.25, "Modify": 0.5, "Neigh": 0.1, "Comm": 0.05}


@pytest.mark.parametrize(("log", "loop"), [(LOG, 5.0), (LIGGGHTS_LOG, 4.0)])
def test_times_of_a_log(log, loop):
    found = whole.timing(log)
    assert found.loop == loop
    assert found.shares() == pytest.approx(SHARES)


def test_log_without_times_is_refused():
    with pytest.raises(ValueError, match="no timing breakdown"):
        whole.timing("Loop time of 3.0 on 1 procs\n")


@pytest.mark.parametrize("case", [case for case in whole.CASES if case.skin], ids=lambda c: c.name)
def test_the_skin_of_every_script_can_be_set(case):
    inputs = Path(__file__).parents[2] / "inputs"
    script = case.script if "\n" in case.script else (inputs / case.script).read_text()
    assert re.findall(r"^neighbor +(\S+)", whole.with_skin(script, "0.77"), re.M) == ["0.77"]


def test_a_script_without_a_skin_is_refused():
    with pytest.raises(ValueError, match="no command `neighbor`"):
        whole.with_skin("run 1\n", "0.1")


def result(case: str, ours: list[float], theirs: list[float]) -> whole.Result:
    seconds = {whole.PLUS: ours, whole.LAMMPS: theirs}
    return whole.Result(case, whole.LAMMPS, seconds, dict.fromkeys(seconds, SHARES))


def test_ratios_are_taken_within_rounds(tmp_path):
    whole.save(tmp_path, result("drum", [1.0], [9.0]))
    whole.save(tmp_path, result("drum", [1.0, 4.0, 3.0], [2.0, 4.0, 4.0]))
    whole.save(tmp_path, result("chute", [1.0], [4.0]))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{whole.SECTION_BEGIN}\nold\n{whole.SECTION_END}\nafter\n")
    table = whole.write_report(tmp_path, page).cells
    assert table["run"].str.partition(":")[0].tolist() == ["chute", "drum"]
    assert table["ratio"].tolist() == ["0.25 (0.25–0.25)", "0.75 (0.50–1.00)"]
    assert table["shares"].tolist() == ["25 50 10 5"] * 2
    text = page.read_text()
    assert "drum: a rotating drum" in text
    assert "old" not in text
    assert text.endswith("after\n")


def test_other_builds_are_not_mixed(tmp_path):
    whole.save(tmp_path, result("drum", [1.0], [9.0]))
    with pytest.raises(UsageError, match="another machine or build"):
        whole.save(tmp_path, replace(result("chute", [1.0], [4.0]), build="another"))


FEW = """
units lj
atom_style sphere
newton off
comm_modify vel yes
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 random 50 4711 NULL overlap 0.8 maxtry 1000
set group all diameter 1.0 density 1.0
pair_style gran/hooke/history 1e3 NULL 10 NULL 0.5 1
pair_coeff * *
fix move all nve/sphere
neighbor 0.3 bin
timestep 1e-3
run 100
"""


def test_command_measures_the_chosen_cases(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(whole, "CASES", (whole.WholeRun("few", "a few grains", FEW, skin="0.2"),))
    words = ["bench", "--only", "whole", "--case", "few", "--quick", "--report", str(tmp_path)]
    assert commands.main(words) == 0
    assert "Whole runs" in capsys.readouterr().out
    (found,) = whole.load(tmp_path)
    assert set(found.seconds) == {whole.PLUS, whole.LAMMPS, whole.AS_GIVEN}
    assert commands.main([*words[:3], "--case", "nothing", *words[5:]]) != 0


@pytest.mark.parametrize("case", [case for case in whole.CASES if case.script])
def test_scripts_name_their_variables(case):
    if "\n" in case.script:
        return
    text = (whole.cases_folder().parent / "inputs" / case.script).read_text()
    for name in ("style", *case.variables):
        assert f"variable {name} index" in text
