"""`pysuite convert --survey`: the page about the conversion of all scripts of a folder."""

from __future__ import annotations

import dataclasses
import json

import pytest

from pysuite import (
    commands,
    convert,
)
from pysuite.bench import conversion_survey

SCRIPT = """
units lj
atom_style sphere
newton off
comm_modify vel yes
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single -0.52 0 0
create_atoms 1 single 0.52 0 0
set group all diameter 1 density 1
set atom 1 vx 1 vy 0.8
set atom 2 vx -1 vy -0.8
{pair}
fix move all nve/sphere
timestep 1e-3
run 40
"""
GRANULAR = "pair_style granular\npair_coeff * * hooke 1e4 5 tangential linear_history 1e3 1 0.5"
CLASSIC = "pair_style gran/hooke/history 1e4 NULL 30 NULL 0.5 1\npair_coeff * *"
MDR = GRANULAR.replace("hooke 1e4 5", "mdr 5e6 0.4 1e5 2 0.5 0.5")


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey") / "examples"
    for name, pair in (
        ("in.agrees", GRANULAR),
        ("in.apart", f"{GRANULAR}\nset atom 2 y 3\nfix kicks all langevin 1 1 1 4711"),
        ("in.differs", CLASSIC),
        ("in.refused", MDR),
        ("in.fails", f"{GRANULAR}\nfix nobody nowhere nve"),
        ("in.other", "pair_style lj/cut 2.5\npair_coeff * * 1 1"),
    ):
        (folder / "more").mkdir(parents=True, exist_ok=True)
        (folder / "more" / name).write_text(SCRIPT.format(pair=pair))
    return folder


@pytest.fixture(scope="module")
def kept(examples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kept")
    conversion_survey.survey([examples], folder)
    return folder


def test_a_survey_tells_what_became_of_each_script(examples, tmp_path, capsys):
    report, page = tmp_path / "report", tmp_path / "page.md"
    command = ["convert", "--survey", str(examples), "--report", str(report)]
    assert commands.main([*command, "--document", str(page)]) == 0
    text = page.read_text()
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in text.splitlines()}
    assert "agree for 40 steps" in rows["examples/more/in.agrees"]
    assert "| none |" in rows["examples/more/in.agrees"]
    assert "differ from step 22 on" in rows["examples/more/in.differs"]
    assert "in the contact of atoms 1 and 2" in rows["examples/more/in.differs"]
    assert "a (13)" in rows["examples/more/in.differs"]
    assert "* **a**: with pair gran/*" in text
    assert "normal model mdr" in rows["examples/more/in.refused"]
    assert "even before conversion: Could not find fix group" in rows["examples/more/in.fails"]
    assert "examples/more/in.other" not in rows
    assert (
        "5 scripts use a granular style; 4 are converted, and 3 of these run. Forces agree in 1, "
        "diverge by round-off in 0 and differ in 1; the conversion reports a difference for each "
        "script whose forces differ. In 1 of the scripts that run, there was no contact: "
        "examples/more/in.apart.\n" in text
    )
    assert "no contact in 40 steps: not compared" in rows["examples/more/in.apart"]
    assert sorted(path.name for path in (examples / "more").iterdir()) == [
        "in.agrees", "in.apart", "in.differs", "in.fails", "in.other", "in.refused",
    ]  # fmt: skip
    assert "running examples/more/in.agrees" in capsys.readouterr().out
    assert commands.main(command) == 0
    output = capsys.readouterr().out
    assert "running" not in output
    assert rows["examples/more/in.agrees"] in output


def test_a_script_that_only_conversion_breaks_is_named(tmp_path, monkeypatch):
    folder, kept = tmp_path / "examples", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    for name in ("in.breaks", "in.fails"):
        script = SCRIPT.format(pair=GRANULAR)
        if name == "in.fails":
            script += "fix nobody nowhere nve\n"
        (folder / name).write_text(script)
    proper = convert.convert

    def spoiled(script: str, slider: str) -> convert.Conversion:
        found = proper(script, slider=slider)
        return dataclasses.replace(found, text=f"{found.text}fix nobody nowhere nve\n")

    monkeypatch.setattr(conversion_survey.convert, "convert", spoiled)
    findings = conversion_survey.survey([folder], kept)
    assert [finding.fails for finding in findings] == ["after", "before"]
    text = conversion_survey.document(findings, [folder])
    assert "runs before conversion, but not after it: Could not find fix group" in text
    assert "does not run, even before conversion: Could not find fix group" in text
    assert "0 of these run; conversion broke examples/in.breaks." in text


def test_differences_that_are_not_announced_are_named(examples, kept):
    findings = conversion_survey.survey([examples], kept)
    (differs,) = (finding for finding in findings if finding.differs == "yes")
    differs.announced = []
    text = conversion_survey.document(findings, [examples])
    assert "differ in 1; the conversion reports no difference for examples/more/in.differs." in text


def test_a_busy_machine_is_said(examples, kept):
    findings = conversion_survey.survey([examples], kept)
    findings[0].load = 1e4
    assert "load up to 10000" in conversion_survey.document(findings, [examples])
    for finding in findings:
        finding.load = 0.0
    assert "busy" not in conversion_survey.document(findings, [examples])


def test_what_is_found_is_kept_for_the_same_script(kept, tmp_path):
    script = tmp_path / "in.agrees"
    script.write_text(SCRIPT.format(pair=GRANULAR))
    (file,) = kept.glob("in.agrees-*.json")
    found = json.loads(file.read_text())
    (tmp_path / file.name).write_text(json.dumps(found | {"steps": 7}))
    assert [finding.steps for finding in conversion_survey.survey([tmp_path], tmp_path)] == [7]
    script.write_text(script.read_text().replace("run 40", "run 41"))
    assert [finding.steps for finding in conversion_survey.survey([tmp_path], tmp_path)] == [41]


def test_wrong_usage(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    assert commands.main(["convert"]) == 2
    assert "name either a script or, with --survey, folders" in capsys.readouterr().err
    command = ["convert", "--survey", str(tmp_path), "--report", str(tmp_path / "report")]
    assert commands.main(command) == 2
    assert "no script in.* uses a granular style" in capsys.readouterr().err
