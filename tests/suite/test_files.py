"""`pysuite` never overwrites a mesh, and writes a file either completely or not at all."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from pysuite import (
    commands,
    files,
    meshes,
)
from pysuite.commands import terminal
from pysuite.validation import report


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")

    def run(*arguments: str) -> tuple[int, str]:
        status = commands.main(arguments)
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return run


@pytest.mark.parametrize(
    ("arguments", "drawing"),
    [
        (("mesh", "ball.stl", "-o", "part.stl"), "part.stl"),
        (("mesh", "ball.stl", "--scale", "2", "-o", "ball.stl"), "ball.stl"),
        (("shape", "part.stl", "--make", "cube", "2"), "part.stl"),
    ],
)
def test_a_drawing_is_not_written_over(run, arguments, drawing):
    for name in ("ball.stl", "part.stl"):
        meshes.write_stl(name, meshes.sphere(1.0, 1))
    before = Path(drawing).read_bytes()
    status, output = run(*arguments)
    assert (status, f"{drawing} exists" in output) == (2, True)
    assert Path(drawing).read_bytes() == before
    assert run(*arguments, "--overwrite")[0] == 0
    if drawing == "ball.stl" or arguments[0] == "shape":
        assert Path(drawing).read_bytes() != before
    assert {path.name for path in Path().iterdir()} == {"ball.stl", "part.stl"}


def test_what_stood_there_stays_if_a_file_cannot_be_finished(tmp_path):
    good = tmp_path / "result.csv"
    missing = tmp_path / "none" / "page.html"
    with pytest.raises(FileNotFoundError) as raised:
        files.write(missing, "")
    assert raised.value.filename == str(missing)
    good.write_text("1,2\n")
    good.chmod(0o640)

    def fill() -> None:
        with files.whole(good) as beside:
            beside.write_text("1,")
            raise OSError("the disk is full")

    with pytest.raises(OSError, match=r"disk.*result\.csv"):
        fill()
    assert good.read_text() == "1,2\n"
    files.write(good, "3,4\n")
    assert good.read_text() == "3,4\n"
    assert good.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["result.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mesh", "ball.stl", "-o", "/dev/full"), "/dev/full: No space left on device"),
        (("mesh", "ball.stl", "-o", "nowhere/part.stl"), "nowhere"),
        (
            ("mesh", "ball.stl", "--picture", "ball.foo"),
            "picture ball.foo: suffix .foo must be one of",
        ),
        (("mesh", "ball.stl", "--picture", "ball"), "picture ball: suffix (none) must be one of"),
        (("mesh", "ball.stl", "--picture", "nowhere/ball.png"), "nowhere"),
        (("shape", "ball.stl", "--picture", "ball.foo"), "picture ball.foo: suffix .foo must be"),
        (("shape", "nowhere/cube.obj", "--make", "cube", "1"), "nowhere"),
        (("shape", "ball.stl", "--picture", "nowhere/ball.png"), "nowhere"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_line(run, arguments, message):
    meshes.write_stl("ball.stl", meshes.sphere(1.0, 1))
    status, output = run(*arguments)
    assert status == 2
    assert message in output
    assert output.splitlines()[-1].startswith("pysuite: ")


@pytest.mark.parametrize(
    "arguments",
    [
        "fields none.dump --width 1",
        "fields grains.dump --width 1 --contacts none.dump",
        "fields grains.dump --width 1 --log none.dump",
        "picture none.dump -o a.png",
        "picture grains.dump --meshes none.stl -o a.png",
        "picture grains.dump --shapes none.vtp -o a.png",
        "view none.dump -o a.html",
        "mesh none.stl",
        "mesh none.obj",
        "mesh none.ply",
        "shape none.stl",
        "pack none.stl --grains 1",
        "convert in.none",
        "sweep in.none --vary a=1",
        "tune in.none",
        "compare --input in.none default a=1",
        "lab heap none.toml",
        "calibrate none.toml",
    ],
)
def test_a_file_that_is_missing_is_named(run, arguments):
    head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
    atoms = "ITEM: ATOMS id x y z radius vx vy vz\n1 1 1 1 1 1 1 1\n"
    Path("grains.dump").write_text(head + atoms)
    status, output = run(*arguments.split())
    missing = next(word for word in arguments.split() if "none" in word)
    assert status == 2
    assert output.splitlines()[-1] == f"pysuite: {missing}: No such file or directory"


def test_a_report_on_a_full_disk_is_said_in_a_line(run, make_case, case_folder, monkeypatch):
    make_case(name="small")

    def fill(*arguments, **options):
        raise OSError(28, "No space left on device", "report/index.html")

    monkeypatch.setattr(report, "write_report", fill)
    status, output = run("run", "--cases", str(case_folder), "small", "--report", "report")
    assert status == 2
    assert "pysuite: report/index.html: No space left on device" in output


def test_obj_needs_no_other_package(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert run("shape", "ball.obj", "--make", "sphere", "1", "1")[0] == 0
    status, output = run("mesh", "ball.obj", "-o", "ball.stl")
    assert status == 0
    assert "80 in 1 part\n" in output
    assert meshes.read_stl("ball.stl").shape == (80, 3, 3)
    Path("ball.ply").write_text("ply\n")
    status, output = run("mesh", "ball.ply")
    assert status == 2
    assert "needs the Python package trimesh" in output


def test_a_package_that_is_missing_is_named():
    hide = "import sys, runpy; sys.modules['rich'] = None; sys.argv = ['pysuite', 'doctor']; "
    found = subprocess.run(
        [sys.executable, "-c", hide + "runpy.run_module('pysuite', run_name='__main__')"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "Python package rich is missing: install it with" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("name", ["run", "tune", "bench", "validate"])
def test_only_what_goes_on_is_said_to_go_on(run, monkeypatch, name):
    def interrupt(options: argparse.Namespace, console: object) -> int:
        raise KeyboardInterrupt

    for command in commands.COMMANDS.values():
        monkeypatch.setattr(command, "run", interrupt)
    arguments = {"run": ["small"], "tune": ["in.script"]}.get(name, [])
    status, output = run(name, *arguments)
    assert status == terminal.INTERRUPTED
    assert ("continues" in output) == (name == "validate")


def test_without_a_terminal_there_is_a_line_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(terminal, "SECONDS_OF_SILENCE", 0.05)
    console = Console(highlight=False, force_terminal=False)
    with terminal.show_progress(console) as progress:
        progress.add_task("large-case", total=3, completed=1)
        time.sleep(0.3)
    assert "large-case: 1 of 3, 0 s\n" in capsys.readouterr().out
