"""`engine.sweep` returns one row per set of variables, and continues after an interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas
import pytest

from pysuite import (
    commands,
    engine,
)
from pysuite.outputs import LEDGER, WALL

SCRIPT = """
variable speed index 1
variable atoms index 1
variable long index 0
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms ${atoms} single 1 1 1
mass 1 1
velocity all set ${speed} 0 0
fix move all nve
compute motion all ke
thermo_style custom step c_motion
run 3
if "${long} > 0" then "shell sleep ${long}"
"""
VALUES = {"speed": [1, 2], "atoms": [1, 2]}  # atoms = 2 is an error: there is one atom type


def without_times(table: pandas.DataFrame) -> pandas.DataFrame:
    return table.drop(columns="seconds")


def test_all_combinations_are_rows(tmp_path):
    ended = []
    table = engine.sweep(
        SCRIPT, VALUES, folder=tmp_path, jobs=2, progress=lambda *n: ended.append(n)
    )
    assert table["speed"].tolist() == [1, 1, 2, 2]
    assert table["c_motion"].tolist()[::2] == [0.5, 2.0]
    assert table["c_motion"].isna().tolist() == [False, True] * 2
    assert (table["error"] != "").tolist() == [False, True] * 2
    assert "atom type" in table["error"][1].lower()
    assert sorted(ended) == [(n, 4) for n in (0, 1, 2, 3, 4)]


BOOKS = f"""
variable speed index 1
atom_style sphere
comm_modify vel yes
boundary p p f
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 single 1 1 1
set group all diameter 1 density 6
velocity all set ${{speed}} 0 0
variable law string "hooke 1 0.5 damping coeff_restitution tangential linear_nohistory 0 0"
pair_style granular/plus ledger yes
pair_coeff * * ${{law}}
fix w all wall/granular/plus ${{law}} zplane 0 NULL
fix move all nve/sphere
compute books all granular/ledger
thermo_style custom step {LEDGER.of("c_books", "kinetic_translation")} {WALL.of("f_w", "force_z")}
run 3
"""


def test_numbered_output_has_names_and_success_no_error(tmp_path):
    table = engine.sweep(BOOKS, {"speed": [1, 2]}, folder=tmp_path)
    assert table["error"].tolist() == ["", ""]
    assert table["books.kinetic_translation"].tolist() == pytest.approx([np.pi / 2, 2 * np.pi])
    assert table["w.force_z"].tolist() == [0.0, 0.0]
    assert not [name for name in table if "[" in name]


def test_what_has_ended_is_not_run_again(tmp_path):
    calls = []

    def count(run):
        calls.append(run.folder)
        return {"steps": run.thermo["Step"].iloc[-1]}

    first = engine.sweep(SCRIPT, VALUES, folder=tmp_path)
    logs = {place: Path(place, "log.lammps").stat().st_mtime_ns for place in first["folder"]}
    again = engine.sweep(SCRIPT, VALUES, folder=tmp_path)
    pandas.testing.assert_frame_equal(first, again)
    # a new `take` evaluates the stored runs
    table = engine.sweep(SCRIPT, VALUES, folder=tmp_path, take=count)
    assert (table["steps"].tolist()[::2], len(calls)) == ([3, 3], 2)
    engine.sweep(SCRIPT, VALUES, folder=tmp_path, retry=True)
    ran_again = [Path(place, "log.lammps").stat().st_mtime_ns != at for place, at in logs.items()]
    assert ran_again == [False, True] * 2
    other = engine.sweep(SCRIPT.replace("run 3", "run 4"), VALUES, folder=tmp_path)
    assert not set(other["folder"]) & set(first["folder"])


def test_a_sweep_goes_on_after_it_was_killed(tmp_path):
    values = {"speed": list(range(1, 9)), "long": [0.3]}
    whole = engine.sweep(SCRIPT, values, folder=tmp_path / "whole", jobs=4)
    program = f"from pysuite import engine\nengine.sweep({SCRIPT!r}, {values!r}, folder='half')\n"
    killed = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, start_new_session=True)
    limit = time.monotonic() + 60.0
    while len(list((tmp_path / "half").glob("*/sweep.json"))) < 3:
        assert time.monotonic() < limit
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    kept = list((tmp_path / "half").glob("*/sweep.json"))
    assert 3 <= len(kept) < 8
    written = {file: file.stat().st_mtime_ns for file in kept}
    table = engine.sweep(SCRIPT, values, folder=tmp_path / "half")
    assert all(file.stat().st_mtime_ns == at for file, at in written.items())
    drop = ["seconds", "folder"]
    pandas.testing.assert_frame_equal(table.drop(columns=drop), whole.drop(columns=drop))


def test_sets_of_variables_and_files_beside_the_script(tmp_path):
    script = tmp_path / "in.mine"
    script.write_text(f"include common # too\n{SCRIPT}")
    (tmp_path / "common").write_text("print mine\n")
    (tmp_path / "other").write_text("")
    sets = [{"speed": 3}, {"speed": 4, "atoms": 1}, {"speed": 3}]
    table = engine.sweep(script, sets, folder=tmp_path / "runs")
    assert table["c_motion"].tolist() == [4.5, 8.0, 4.5]
    assert table["folder"][0] == table["folder"][2]
    names = {path.name for path in Path(table["folder"][0]).iterdir()}
    assert "common" in names
    assert "other" not in names
    assert {path.name for path in tmp_path.iterdir()} == {"in.mine", "common", "other", "runs"}


COUNTING = """
variable here index .
variable a index 1
units lj
atom_style sphere
region b block 0 4 0 4 0 4
create_box 1 b
{read}
variable n equal count(all)*${{a}}
thermo_style custom step v_n
thermo_modify norm no
fix m all nve/sphere
run 0
"""
DATA = (
    "x\n\n{count} atoms\n1 atom types\n0 4 xlo xhi\n0 4 ylo yhi\n0 4 zlo zhi\n\nAtoms # sphere\n\n"
)


def write_grains(path: Path, count: int) -> None:
    path.parent.mkdir(exist_ok=True)
    rows = [f"{k} 1 1.0 1.0 {k} 1 1\n" for k in range(1, count + 1)]
    path.write_text(DATA.format(count=count) + "".join(rows))


@pytest.mark.parametrize(
    "read",
    [
        "read_data ${{here}}/sub/grains add append",
        "read_data sub/grains add append",
        "read_data {folder}/sub/grains add append",
        'read_data "{folder}/sub/grains" add append',
        "variable d index sub\nread_data ${{d}}/grains add append",
        "variable d string ${{here}}/sub\nread_data ${{d}}/grains add append",
        'if "1 > 0" then "read_data ${{here}}/sub/grains add append"',
        'include "${{here}}/sub/reads"',
        "variable part string reads\ninclude ${{here}}/sub/${{part}}",
        "variable list file ${{here}}/sub/list\nread_data ${{list}} add append",
        "shell cp ${{here}}/sub/grains kept\nread_data kept add append",
    ],
)
def test_a_file_that_has_changed_is_read_again(tmp_path, read):
    """The file has 2 grains at first and 3 grains later. `n` is `a` times the number of grains."""
    script, grains = tmp_path / "in.x", tmp_path / "sub" / "grains"
    write_grains(grains, 2)
    (tmp_path / "sub" / "reads").write_text("read_data ${here}/sub/grains add append\n")
    (tmp_path / "sub" / "list").write_text(f"{grains}\n")
    script.write_text(COUNTING.format(read=read.format(folder=tmp_path)))

    def swept() -> pandas.DataFrame:
        return engine.sweep(script, {"a": [1, 2]}, folder=tmp_path / "out")

    first = swept()
    assert first["error"].tolist() == ["", ""]
    assert first["v_n"].tolist() == [2, 4]
    pandas.testing.assert_frame_equal(swept(), first)
    write_grains(grains, 3)
    assert swept()["v_n"].tolist() == [3, 6]
    grains.unlink()
    assert (swept()["error"] != "").all()
    write_grains(grains, 1)
    assert swept()["v_n"].tolist() == [1, 2]


def test_the_environment_and_files_that_appear_are_read_again(tmp_path, monkeypatch):
    read = "variable more getenv PYSUITE_TEST_MORE\ncreate_atoms 1 single 1 1 ${{more}}\n"
    read += 'if "$(is_file({folder}/two))" then "create_atoms 1 single 3 3 3"'
    script = COUNTING.format(
        read=read.format(folder=tmp_path).replace("{{", "{").replace("}}", "}")
    )

    def swept() -> list[float]:
        return engine.sweep(script, {"a": [1]}, folder=tmp_path / "out")["v_n"].tolist()

    monkeypatch.setenv("PYSUITE_TEST_MORE", "1")
    assert swept() == [1]
    (tmp_path / "two").write_text("")
    assert swept() == [2]
    monkeypatch.setenv("PYSUITE_TEST_MORE", "9")  # this position is outside the box
    assert swept() == [1]


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        ("shell ./count", "shell ./count"),
        ("shell cat ${here}/a > b", "shell cat"),
        ('python one input 0 here "def one(): pass"', "python one"),
        ("echo none", "echo"),
        ("write_data ${here}/mine\nread_data ${here}/mine add append", "changed during"),
    ],
)
def test_what_may_have_read_anything_is_run_again(tmp_path, read, reason):
    script = tmp_path / "in.x"
    script.write_text(COUNTING.replace("{read}", read).replace("{{", "{").replace("}}", "}"))
    with pytest.warns(UserWarning, match=f"1 of 1 runs.*{reason}"):
        first = engine.sweep(script, {"a": [1]}, folder=tmp_path / "out")
    with pytest.warns(UserWarning, match="unknown which files"):
        again = engine.sweep(script, {"a": [1]}, folder=tmp_path / "out")
    assert first["seconds"][0] != again["seconds"][0]


def test_what_a_run_writes_is_not_read(tmp_path):
    written = (
        "create_atoms 1 single 1 1 1\ndump d all custom 1 ${here}/dump.x id\nlog ${here}/log.x\n"
    )
    written += "print text append ${here}/mine"
    script = tmp_path / "in.x"
    script.write_text(COUNTING.replace("{read}", written).replace("{{", "{").replace("}}", "}"))
    first = engine.sweep(script, {"a": [1, 2]}, folder=tmp_path / "out")
    again = engine.sweep(script, {"a": [1, 2]}, folder=tmp_path / "out")
    pandas.testing.assert_frame_equal(again, first)


@pytest.mark.parametrize(
    ("variables", "more", "message"),
    [
        ({"speed": [1]}, {"jobs": 0}, "jobs = 0 must be >= 1"),
        ({"speed": 1}, {}, "speed = 1 must be a sequence"),
        ({"speed": "12"}, {}, "speed = '12' must be a sequence"),
        ({"speed": []}, {}, "nothing to run"),
        ({"sped": [1]}, {}, "does not use 'sped'; did you mean speed"),
    ],
)
def test_bad_arguments_are_named(tmp_path, variables, more, message):
    with pytest.raises(ValueError, match=message):
        engine.sweep(SCRIPT, variables, folder=tmp_path, **more)


def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.mine").write_text(SCRIPT)
    good = ["sweep", "in.mine", "--vary", "speed=1,2", "-o", "table.csv"]
    assert commands.main(good) == 0
    assert pandas.read_csv("table.csv")["c_motion"].tolist() == [0.5, 2.0]
    assert "c_motion" in capsys.readouterr().out
    assert commands.main(["sweep", "in.mine", "--vary", "atoms=1,2"]) == 1
    assert "failed atoms=2: " in capsys.readouterr().out
    assert commands.main(["sweep", "in.mine", "--vary", "speed"]) == 2
    assert "--vary speed must have the form NAME=A,B,..." in capsys.readouterr().err
    assert commands.main(["sweep", "in.mine", "--vary", "speed=1,2", "--vary", "speed=3"]) == 2
    assert "is given twice: write --vary speed=1,2,3" in capsys.readouterr().err
    assert commands.main(["sweep", "in.mine", "--vary", "speed=1,2,1"]) == 2
    assert "--vary speed=1,2,1: 1 is given twice" in capsys.readouterr().err
    assert commands.main(["sweep", "in.none", "--vary", "speed=1"]) == 2
    assert "in.none: No such file or directory" in capsys.readouterr().err
