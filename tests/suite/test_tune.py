"""`pysuite tune` reads a script up to a run, inserts settings, and chooses the fastest settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import (
    commands,
    tune,
)
from pysuite.commands import terminal
from pysuite.errors import UsageError

GRAINS = """
variable here index .
newton on   # the default
atom_style sphere
include settings
region box block 0 10 0 10 0 10
create_box 1 box
comm_modify vel yes
create_atoms 1 random 200 4711 NULL overlap 1.0 maxtry 1000
set group all diameter 1.0 density 1.0
pair_style granular/plus
pair_coeff * * hertz 1e4 50 damping velocity &
  tangential linear_nohistory 0 0
read_data ${here}/more.data add append
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "settings").write_text("neighbor 0.2 multi\ntimestep 1e-4\n")
    (tmp_path / "more.data").write_text("")
    path = tmp_path / "in.script"
    path.write_text(GRAINS + "run 5\nfix move all nve/sphere\nrun 100\nlabel again\njump SELF x\n")
    return path


def test_a_script_is_read_up_to_its_run(script):
    first, second = tune.read_script(script), tune.read_script(script, 2)
    assert first.lines[-1].startswith("read_data")
    assert second.lines[-2:] == ("run 5", "fix move all nve/sphere")
    assert "timestep 1e-4" in first.lines
    assert any("damping velocity   tangential" in line for line in first.lines)
    assert first.neighbor_style() == "multi"
    assert first.files == ("more.data",)  # included scripts are in `lines`


def test_continued_lines_are_joined_as_lammps_does(tmp_path):
    """LAMMPS joins continued lines without removing blanks, so a word may be split across lines."""
    path = tmp_path / "in.cut"
    path.write_text("pair_coeff * * hooke 4e3& \n 0.5\ntimestep 1&\ne-4\nrun 1\n")
    assert tune.read_script(path).lines == ("pair_coeff * * hooke 4e3 0.5", "timestep 1e-4")


def test_settings_take_the_place_of_the_scripts_own(script):
    read = tune.read_script(script)
    changed = read.commands({"newton": "off", "neighbor": "0.3 bin"}).splitlines()
    assert changed[0] == "newton off"
    assert changed[-1] == "neighbor 0.3 bin"
    assert not any(line.startswith("newton on") for line in changed)
    assert "\nnewton on\n" in read.commands({"neighbor": "0.3 bin"})


@pytest.mark.parametrize(
    ("change", "run", "message"),
    [
        (lambda text: text, 0, "--run 0 must be >= 1"),
        (lambda text: text, 3, "`jump SELF x` precedes run 3"),
        (lambda text: text.replace("run ", "rerun "), 1, "`jump SELF x` precedes run 1"),
        (lambda _: "units lj\n", 1, "has no command `run`"),
        (lambda text: text.partition("label")[0], 3, "has 2 commands `run`; --run 3 must be <= 2"),
        (lambda text: text.replace("settings", "${name}"), 1, "contains a variable"),
    ],
)
def test_what_cannot_be_cut_is_refused(script, change, run, message):
    script.write_text(change(script.read_text()))
    with pytest.raises(UsageError, match=message):
        tune.read_script(script, run)


def test_an_included_file_that_is_missing_is_named(script):
    script.write_text(script.read_text().replace("settings", "no_such_file"))
    with pytest.raises(FileNotFoundError, match="no_such_file"):
        tune.read_script(script)


def trial(times: list[float], name: str = "") -> tune.Trial:
    """Return a trial with the given times. The times of the reference are 1, 2 and 3 s."""
    return tune.Trial({"neighbor": name}, np.array(times), np.array([1.0, 2.0, 3.0]), 10.0)


def test_a_ratio_is_that_of_the_same_rounds():
    ratio = trial([0.5, 1.0, 1.5]).ratio
    assert ratio == pytest.approx((0.5, 0.5, 0.5))
    wide = trial([0.5, 3.0, 2.0]).ratio
    assert wide.value == pytest.approx(5.5 / 6.0)
    assert wide.low < wide.value < wide.high


def test_only_a_gain_beyond_doubt_is_chosen():
    as_it_is, faster = trial([1.0, 2.0, 3.0], "as it is"), trial([0.9, 1.8, 2.7], "faster")
    doubtful = trial([0.1, 2.5, 2.5], "doubtful")
    assert tune.chosen([as_it_is, faster]) is faster
    assert tune.chosen([as_it_is, doubtful]) is as_it_is
    assert list(tune.frame("neighbor", [as_it_is, faster])[""]) == ["", "chosen"]


def test_a_script_is_tuned(script, capsys, monkeypatch):
    script.write_text(script.read_text().replace("read_data", "#"))
    (script.parent / "more.data").write_text("kept")
    monkeypatch.setattr(tune, "SKINS", (0.2, 0.4))
    monkeypatch.setattr(tune, "SEGMENT_STEPS", (5, 5))
    options = ["--ranks", "2", "--warm-up", "5", "--rounds", "2", "--set", "x=1"]
    assert commands.main(["tune", str(script), "--run", "2", *options]) == terminal.OK
    printed = capsys.readouterr().out
    for words in ("newton", "1 2 1", "0.4 multi", "sort 100 0.0"):
        assert words in printed
    assert sorted(file.name for file in script.parent.iterdir()) == [
        "in.script",
        "more.data",
        "settings",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rounds", "0"], "--rounds 0 must be >= 1"),
        (["--warm-up", "0"], "--warm-up 0 must be >= 1"),
        (["--ranks", "0"], "--ranks 0 must be >= 1"),
        (["--set", "x"], "--set 'x' must have the form NAME=VALUE"),
    ],
)
def test_bad_options_are_refused(script, capsys, options, message):
    assert commands.main(["tune", str(script), *options]) == terminal.USAGE
    assert message in capsys.readouterr().err
