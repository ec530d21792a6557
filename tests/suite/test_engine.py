"""The engine runs scripts, reads their output and reports clearly why a script failed."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.engine import EngineError, LammpsError, Session
from pysuite.lammps import processes
from pysuite.lammps.run import failure

# Python code that determines the ID of the process in which LAMMPS runs
WORKER_NUMBER = """
import os, pathlib
pid = os.getpid()
while b"pysuite.lammps" not in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes():
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    pid = int(status.split("PPid:")[1].split()[0])
"""
THREE_GRAINS = """
units si
atom_style sphere
atom_modify map array
comm_modify vel yes
region box block -1 1 -1 1 -1 1 units box
create_box 1 box
create_atoms 1 single 0.5 0 0 units box
create_atoms 1 single -0.2 0 0 units box
create_atoms 1 single 0.61 0.4 0.1 units box
set group all diameter 0.5 density 1000
pair_style granular
pair_coeff * * hooke 1e5 0.5 tangential linear_history 1e4 0.5 0.5
velocity all set -1 0 0.5
fix integrate all nve/sphere
timestep 1e-5
thermo 50
thermo_modify lost warn
"""

TWO_RUNS = (
    THREE_GRAINS
    + """
thermo_style custom step time ke atoms
dump grains all custom 50 dump.grains id x vx
dump_modify grains format float %.17g
compute pairs all property/local patom1 patom2
dump pairs all local 50 dump.pairs index c_pairs[1] c_pairs[2]
run 100
thermo_style one
run 50
"""
)


@pytest.fixture(scope="module")
def two_runs() -> engine.Run:
    return engine.run(TWO_RUNS)


def test_thermo_of_several_runs_and_styles(two_runs):
    thermo = two_runs.thermo
    assert thermo["run"].tolist() == [0, 0, 0, 1, 1]
    assert thermo["Step"].tolist() == [0, 50, 100, 100, 150]
    first = thermo[thermo["run"] == 0]
    np.testing.assert_allclose(first["Time"], [0, 5e-4, 1e-3])
    mass = 1000 * np.pi / 6 * 0.5**3
    assert first["KinEng"].iloc[0] == pytest.approx(3 * 0.5 * mass * 1.25, rel=1e-7)
    assert first["Temp"].isna().all()
    assert thermo.loc[thermo["run"] == 1, "TotEng"].notna().all()


def test_dump_is_sorted_and_exact(two_runs):
    grains = two_runs.dump("dump.grains")
    assert list(grains.columns) == ["step", "id", "x", "vx"]
    assert grains["step"].tolist() == np.repeat([0, 50, 100, 150], 3).tolist()
    assert grains["id"].tolist() == [1, 2, 3] * 4
    assert grains.loc[1, "x"] == -0.2
    assert grains.loc[4, "x"] == pytest.approx(-0.2 - 5e-4, abs=1e-15)


def test_local_dump_and_several_files(two_runs):
    pairs = two_runs.dump("dump.pairs")
    assert list(pairs.columns) == ["step", "index", "c_pairs[1]", "c_pairs[2]"]
    assert {frozenset(row) for row in pairs[["c_pairs[1]", "c_pairs[2]"]].to_numpy()} == {
        frozenset((1, 3))
    }
    run = engine.run(TWO_RUNS.replace("dump.grains", "grains.*.txt"))
    pd.testing.assert_frame_equal(run.dump("grains.*.txt"), two_runs.dump("dump.grains"))


def test_missing_dump_names_what_there_is(two_runs):
    with pytest.raises(FileNotFoundError, match=r"no dump 'dump.grain'.*dump.grains"):
        two_runs.dump("dump.grain")
    with pytest.raises(FileNotFoundError, match="no file 'restart'"):
        two_runs.text("restart")


def test_timings(two_runs):
    assert len(two_runs.all_timings) == 2
    timings = two_runs.timings
    assert {"Loop", "Pair", "Neigh", "Comm", "Output", "Modify", "Other"} <= set(timings)
    parts = sum(seconds for section, seconds in timings.items() if section != "Loop")
    assert parts == pytest.approx(timings["Loop"], rel=0.01)
    with pytest.raises(ValueError, match="no timing breakdown"):
        _ = engine.run("print hello").timings


def test_two_ranks_see_the_same(two_runs):
    parallel = engine.run(TWO_RUNS, ranks=2)
    assert "on 2 procs" in parallel.log
    np.testing.assert_allclose(
        parallel.dump("dump.grains"), two_runs.dump("dump.grains"), rtol=1e-12, atol=1e-15
    )


def test_log_has_commands_and_survives_log_commands():
    run = engine.run(TWO_RUNS + "\nlog elsewhere\nrun 10")
    assert run.thermo["run"].max() == 2
    assert "pair_style granular" in run.log


# --------------------------------------------------------------------------- scripts, variables


def test_script_file_finds_its_neighbours(tmp_path):
    inputs, scratch = tmp_path / "inputs", tmp_path / "scratch"
    inputs.mkdir()
    (inputs / "values.txt").write_text("print 'value from the file'\n")
    script = inputs / "in.test"
    script.write_text(
        "variable here index .\ninclude ${here}/values.txt\nprint done file out.txt\n"
    )
    run = engine.run(script, folder=scratch)
    assert "value from the file" in run.log
    assert run.text("out.txt") == "done\n"
    assert run.folder == scratch
    assert sorted(path.name for path in inputs.iterdir()) == ["in.test", "values.txt"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_script_runs_in_its_folder_as_with_lmp(tmp_path, monkeypatch, ranks):
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    (inputs / "more.in").write_text("print 'from beside'\n")
    script = inputs / "in.test"
    script.write_text("include more.in\nprint done file out.txt\n")
    monkeypatch.chdir(tmp_path)
    run = engine.run(Path("inputs/in.test"), ranks=ranks)
    assert "from beside" in run.log
    assert run.folder == inputs
    assert run.text("out.txt") == "done\n"
    assert sorted(path.name for path in inputs.iterdir()) == ["in.test", "more.in", "out.txt"]


def test_a_variable_that_the_script_does_not_use_is_an_error(tmp_path):
    (tmp_path / "common").write_text("print ${depth}\n")
    script = tmp_path / "in.test"
    script.write_text("variable slider index csds\ninclude common\nprint ${slider}\n")
    with pytest.raises(ValueError, match="does not use 'slidr'; did you mean slider"):
        engine.run(script, variables={"slidr": "dsds", "depth": 1})
    with pytest.raises(ValueError, match="not use 'radius'; its variables are slider"):
        engine.run(script, variables={"depth": 1, "radius": 2})
    with pytest.raises(ValueError, match="does not use 'n'"):
        engine.run("print hello # not ${n}", variables={"n": 1})
    assert "\n7" in engine.run(script, variables={"depth": 7}).log


def test_progress_is_told_line_by_line():
    told = []
    run = engine.run("print one\nprint two", progress=told.append)
    assert told == run.log.splitlines()


@pytest.mark.parametrize("ranks", [1, 2])
def test_progress_is_told_while_the_run_goes(tmp_path, ranks):
    (tmp_path / "wait").write_text("until [ -e go ]; do sleep 0.01; done\n")

    def go(line: str) -> None:
        if line == "ready":
            (tmp_path / "go").touch()

    run = engine.run(
        "print ready\nshell sh wait\nprint gone",
        folder=tmp_path,
        ranks=ranks,
        progress=go,
        timeout=30,
    )
    assert "\ngone" in run.log


def test_an_error_in_the_callback_is_raised():
    def refuse(line: str) -> None:
        raise KeyError(line)

    with pytest.raises(KeyError):
        engine.run("print one", progress=refuse)


def test_variables_reach_the_script():
    script = """
    print "(${flag}) ($(v_step:%.17g)) (${list})"
    next list
    print "next ${list}"
    """
    variables = {"flag": True, "step": np.float64(1) / 3, "list": ["a", "b"]}
    log = engine.run(script, variables=variables).log
    assert "\n(yes) (0.33333333333333331) (a)" in log
    assert "\nnext b" in log


def test_loops_work():
    log = engine.run("variable i loop 3\nlabel top\nprint 'turn $i'\nnext i\njump SELF top").log
    assert [f"turn {i}" in log.splitlines() for i in (1, 2, 3, 4)] == [True, True, True, False]


@pytest.mark.parametrize("newton", ["on", "off"])
def test_newton_is_set(newton):
    log = engine.run(THREE_GRAINS + "run 0", newton=newton).log
    assert f"newton {newton}, size, history" in log.replace("half, ", "")


def test_newton_that_the_script_overrides_is_refused():
    with pytest.raises(EngineError, match="newton on was requested"):
        engine.run("newton off\n" + THREE_GRAINS, newton="on")


@pytest.mark.parametrize("wrong", [{"ranks": 0}, {"newton": "maybe"}])
def test_wrong_arguments(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        engine.run("print hello", **wrong)


# ------------------------------------------------------------------------------------- failures


@pytest.mark.parametrize("ranks", [1, 2])
def test_lammps_error(ranks):
    with pytest.raises(LammpsError) as caught:
        engine.run("units si\nnonsense 1 2", ranks=ranks)
    assert caught.value.message == "Unknown command: nonsense 1 2"
    assert caught.value.returncode == engine.ERROR_EXIT
    assert "units si" in caught.value.log
    assert "last lines of the log" in str(caught.value)


@pytest.mark.parametrize("ranks", [1, 2])
def test_what_a_failed_run_has_left_is_kept(ranks):
    with pytest.raises(LammpsError) as caught:
        engine.run("print first file out.txt\nnonsense 1 2", ranks=ranks)
    folder = caught.value.folder
    assert f"are kept in {folder}" in str(caught.value)
    assert (folder / "out.txt").read_text() == "first\n"
    assert "nonsense 1 2" in (folder / engine.LOG_FILE).read_text()


def test_a_failed_script_in_a_file_ran_in_the_folder_of_the_file(tmp_path):
    script = tmp_path / "in.wrong"
    script.write_text("print here file written\nwrong\n")
    with pytest.raises(engine.LammpsError) as caught:
        engine.run(script)
    error = caught.value
    assert error.ran_in == tmp_path
    assert (tmp_path / "written").exists()
    assert error.folder != tmp_path
    assert f"the log is kept in {error.folder}; the script ran in {tmp_path}" in str(error)


def test_a_run_has_no_limit_of_its_own(monkeypatch):
    asked = []
    monkeypatch.setattr(
        processes, "run_in_child", lambda *given: asked.append(given[-1]) or (0, "")
    )
    engine.run("print one")
    assert asked == [None]


def test_error_is_a_result_without_check():
    run = engine.run(TWO_RUNS + "\nnonsense", check=False)
    assert run.error.message.startswith("Unknown command: nonsense")
    assert len(run.thermo) == 5


def test_error_of_one_rank_ends_all():
    with pytest.raises(LammpsError) as caught:
        engine.run("print $x", ranks=2, timeout=30)
    assert caught.value.message == "Substitution for illegal variable x"


def test_crash_names_the_signal(tmp_path, monkeypatch):
    # PYTHONUNBUFFERED would also unbuffer LAMMPS's screen output
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (tmp_path / "crash.py").write_text(f"{WORKER_NUMBER}os.kill(pid, 11)\n")
    script = f"print before\nshell {sys.executable} crash.py\nprint after"
    with pytest.raises(LammpsError, match="LAMMPS crashed with SIGSEGV") as caught:
        engine.run(script, folder=tmp_path)
    assert caught.value.returncode == -11
    assert "before" in caught.value.log


def test_crash_of_a_rank_names_the_signal(tmp_path):
    crash = "import os; os.kill(os.getpid(), 11)"
    command = [str(engine.mpiexec()), "-n", "2", sys.executable, "-c", crash]
    returncode, output = processes.run_process(command, tmp_path, 30)
    assert "SIGSEGV" in engine.describe_exit(returncode, output, "LAMMPS")


@pytest.fixture
def null_device_with_text(tmp_path, monkeypatch):
    """Replace the null device by a file with output of other programs, as on some machines."""
    (tmp_path / "null").write_text("words of others\n" * 20_000)
    monkeypatch.setattr("os.devnull", str(tmp_path / "null"))


@pytest.mark.usefixtures("null_device_with_text")
def test_ranks_read_nothing_from_standard_input():
    assert "hello" in engine.run("print hello", ranks=2).log


def test_failure_of_mpiexec_is_named_by_its_first_line():
    output = "thermo\n[proxy:0@host] cannot keep up\n[mpiexec@host] error waiting for completion\n"
    assert engine.describe_exit(255, output, "LAMMPS").endswith("cannot keep up")


def test_a_failed_run_leaves_nothing_in_shared_memory(tmp_path):
    (tmp_path / "number.py").write_text(f"{WORKER_NUMBER}print(pid)\n")
    script = f"shell {sys.executable} number.py > number\nshell ls /dev/shm > segments\nnonsense"
    with pytest.raises(LammpsError, match="nonsense"):
        engine.run(script, folder=tmp_path)
    own = f"mpich_shm_{int((tmp_path / 'number').read_text()):x}_0"
    assert own in (tmp_path / "segments").read_text().split()
    assert not Path("/dev/shm", own).exists()


def test_exit_status_of_a_script():
    with pytest.raises(LammpsError, match="ended with exit status 3"):
        engine.run("print hello\nquit 3")


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("endless", ["label a\njump SELF a", "shell sleep 60"])
def test_timeout_leaves_no_process(tmp_path, ranks, endless, processes_in):
    timeout = 1.5 * ranks**2  # on a busy machine, mpiexec is slow
    with pytest.raises(LammpsError, match=f"timeout: .* {timeout:g} s") as caught:
        engine.run(f"print start\n{endless}", ranks=ranks, timeout=timeout, folder=tmp_path)
    assert "start" in caught.value.log
    assert processes_in(tmp_path) == []


def test_nobody_left_at_the_other_end_ends_a_child_that_has_not_even_told_its_number():
    code = """
import os, socket, sys, time
from pysuite.lammps import processes

child = os.fork()
if child == 0:
    time.sleep(60.0)
print(child, flush=True)
line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
other.close()
processes._run_keeper(child, line)
"""
    keeper = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, timeout=30
    )
    child, patience = Path("/proc") / keeper.stdout.strip(), time.monotonic() + 10.0
    while child.exists() and time.monotonic() < patience:
        time.sleep(0.05)
    assert not child.exists()


def test_missing_script(tmp_path):
    with pytest.raises(FileNotFoundError):
        engine.run(tmp_path / "in.missing")


# ------------------------------------------------------------------------------------- parsers


def test_thermo_skips_what_is_no_row():
    log = """Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes
   Step          Time
         0   0
WARNING: strange
For more
        50   nan
Loop time of 1.0 on 1 procs
       100   1
Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes
   Step          Temp
ERROR: Lost atoms
"""
    thermo = engine.parse_thermo(log)
    assert thermo["Step"].tolist() == [0, 50]
    assert np.isnan(thermo["Time"].iloc[1])
    assert engine.parse_thermo("no run at all").empty


PRINTING = """
units lj
atom_style sphere
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 single 1 1 1
set group all diameter 1 density 1
velocity all set 1 0 0
fix move all nve
variable two equal 2.5
variable tiny equal -1.23456789e-121
variable count equal step-1000
variable sign equal 9-step/20
fix told all print 10 "{text}" {more}
thermo_style custom {columns}
thermo 20
timestep 1e-3
{format}
run 40
run 40
"""
STEPS_OF_ROWS = [0, 20, 40, 40, 60, 80]


@pytest.mark.parametrize("columns", ["step ke", "step v_tiny v_count", "v_sign step", "step"])
@pytest.mark.parametrize(
    "text", ["$(step) ${two}", "  $(step) $(step) 7", "1", "          1.5   2"]
)
@pytest.mark.parametrize("style", ["", "thermo_modify format float %20.15g"])
def test_lines_of_fix_print_are_no_rows(columns, text, style):
    found = engine.run(PRINTING.format(columns=columns, text=text, format=style, more="")).thermo
    assert found["Step"].tolist() == STEPS_OF_ROWS
    if "v_count" in found:
        assert found["v_count"].tolist() == [step - 1000 for step in STEPS_OF_ROWS]
    if "v_sign" in found:
        assert found["v_sign"].tolist() == [9.0, 8.0, 7.0, 7.0, 6.0, 5.0]


FORMATS = ["%10d", "%d", "%-14.8g", "%.15g", "%.17g", "%20.10e", "%-8g", "%6.2f"]


def test_rows_of_any_format_are_taken():
    random = np.random.default_rng(11)
    for _ in range(300):
        formats = [str(one) for one in random.choice(FORMATS, random.integers(1, 9))]
        # other formats of the first column are ambiguous
        formats[0] = str(random.choice(["%10d", "% -14.8g", "%20.10e"]))
        rows = random.normal(size=(20, len(formats))) * 10.0 ** random.integers(-9, 9, (20, 1))
        rows[random.uniform(size=rows.shape) < 0.2] = 0.0
        rows[0, 0] = abs(rows[0, 0])
        lines = [
            " ".join(
                one % (int(v) if one.endswith("d") else v)
                for one, v in zip(formats, row, strict=True)
            )
            for row in rows
        ]
        printed = [" ".join(f"{abs(v):.3g}" for v in row) for row in rows]
        text = [line for pair in zip(lines, printed, strict=True) for line in pair]
        names = " ".join(["Step", *(f"v_{n}" for n in range(1, len(formats)))])
        names = names if formats[0] == "%10d" else names.replace("Step", "v_0")
        log = "\n".join(["Per MPI rank memory allocation", names, *text, "Loop time of 1"])
        found = engine.parse_thermo(log).drop(columns="run").to_numpy()
        expected = [[float(word) for word in line.split()] for line in lines]
        np.testing.assert_array_equal(found, expected, err_msg="\n".join(text))


def test_rows_without_columns_are_told_apart_or_refused():
    """Without widths in `thermo_modify format line`, numbers are not aligned in columns."""
    plain = 'thermo_modify format line "%d %g"'
    other = PRINTING.format(columns="step ke", text="$(step) 1 2", format=plain, more="")
    assert engine.run(other).thermo["Step"].tolist() == STEPS_OF_ROWS
    negative = PRINTING.format(columns="v_tiny ke", text="-1 2", format="", more="")
    with pytest.raises(ValueError, match="lines of fix told cannot be distinguished"):
        _ = engine.run(negative).thermo
    silent = PRINTING.format(columns="step ke", text="$(step) 1", format=plain, more="screen no")
    with pytest.raises(ValueError, match=r"lines of fix told cannot .* add `screen no` to"):
        _ = engine.run(silent.replace("screen no", "")).thermo
    assert engine.run(silent).thermo["Step"].tolist() == STEPS_OF_ROWS
    ended = silent.replace("screen no", "").replace("run 40\nrun 40", "unfix told\nrun 40\nrun 40")
    assert engine.run(ended).thermo["Step"].tolist() == STEPS_OF_ROWS


def frame(step: int, rows: list[str], columns: str = "id x", label: str = "ATOMS") -> str:
    head = f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {label}\n{len(rows)}\n"
    box = "ITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
    return head + box + f"ITEM: {label} {columns}\n" + "".join(row + "\n" for row in rows)


def test_dump_with_empty_frames_and_another_label():
    text = frame(0, [], label="CONTACTS") + frame(10, ["7 0.1 "], label="CONTACTS")
    assert engine.parse_dump(text).to_numpy().tolist() == [[10, 7, 0.1]]
    empty = engine.parse_dump(frame(0, []))
    assert empty.empty
    assert list(empty.columns) == ["step", "id", "x"]


def test_dump_keeps_text_and_bits():
    table = engine.parse_dump(frame(0, ["2 Si 0.1", "1 O -3"], columns="id element x"))
    assert table["element"].tolist() == ["O", "Si"]
    assert table["x"].tolist() == [-3.0, 0.1]
    number = "0.30000000000000004"
    assert engine.parse_dump(frame(0, [f"1 {number}"]))["x"].tolist() == [float(number)]


@pytest.mark.parametrize("lost", [1, 2, 8, 30])
def test_dump_leaves_out_a_frame_cut_short(lost):
    text = frame(0, ["2 0.25", "1 0.5"]) + frame(5, ["1 0.5", "2 0.25"])
    with pytest.warns(UserWarning, match="frame of step 5 is incomplete"):
        assert engine.parse_dump(text[:-lost])["step"].tolist() == [0, 0]
    assert engine.parse_steps(text[:-lost]) == [0]
    assert [head.step for head in engine.parse_frames(text[:-lost])] == [0]


def test_a_dump_cut_anywhere_has_its_complete_frames_alone(tmp_path):
    path = tmp_path / "grains"
    heads = "ITEM: UNITS\nlj\nITEM: TIME\n{}\n"
    empty, first = heads.format(0) + frame(0, []), frame(5, ["1 0.5", "2 0.25"])
    text = empty + "ITEM: TIME\n0.5\n" + first
    for size in range(len(text) + 1):
        path.write_text(text[:size])
        if size < len(empty):
            with pytest.raises(
                ValueError, match=r"not a text dump|the file|incomplete, w.*no other"
            ):
                engine.parse_dump(engine.read_dump(path))
            continue
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = engine.read_dump(path)
        assert engine.parse_steps(found) == ([0, 5] if size == len(text) else [0])
        assert len(engine.parse_dump(found)) == (2 if size == len(text) else 0)
        assert len(told) == (len(empty) < size < len(text))
        assert all(str(one.message).startswith(f"{path}: the ") for one in told)


def test_an_incomplete_frame_that_is_asked_for_is_an_error(tmp_path):
    path = tmp_path / "pairs"
    first, last = (frame(n, ["1 0.5", "2 0.25"], label="ENTRIES") for n in (0, 5))
    path.write_text(first + last[:-3])
    assert engine.read_dump(path, step=0) == first
    assert engine.incomplete_steps(path) == [5]
    with pytest.raises(ValueError, match="pairs: the frame of step 5 is incomplete, with 1 of 2"):
        engine.read_dump(path, step=5)
    path.write_text(first + last[:-3] + last)  # as after a continued run with dump_modify append
    assert engine.parse_steps(engine.read_dump(path, step=5)) == [0, 5]
    assert engine.incomplete_steps(path) == []
    path.write_text(last.replace("2 0.25", "2"))
    with pytest.raises(ValueError, match="1 of 2 columns in its last row; there is no other frame"):
        engine.read_dump(path)


def test_dump_refuses_what_it_cannot_read():
    with pytest.raises(ValueError, match="columns of the dump change"):
        engine.parse_dump(frame(0, ["1 2"]) + frame(1, ["1 2"], columns="id y"))
    with pytest.raises(ValueError, match="not a text dump"):
        engine.parse_dump("hello\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ERROR: Bad thing (src/src/input.cpp:12)\nLast input line: x", "Bad thing"),
        ("ERROR on proc 3: Lost atoms: 2 (src/a.cpp:1)", "Lost atoms: 2"),
        ("ERROR: Bad\nFor more information see https://x (src/a.cpp:1)", "Bad"),
        (
            "ERROR: mu = -0.3 must be >= 0 (see the manual)",
            "mu = -0.3 must be >= 0 (see the manual)",
        ),
        ("no prefix", "no prefix"),
    ],
)
def test_message_of_an_error(text, message):
    assert engine.lammps_message(text) == message


def test_an_error_before_the_first_command_stands_in_the_log(tmp_path):
    error = {"kind": "lammps", "text": "Failed to initialize LAMMPS object"}
    (tmp_path / engine.ERROR_FILE).write_text(json.dumps(error))
    (tmp_path / engine.LOG_FILE).write_text("LAMMPS\nERROR: It does not fit. (src/a.cpp:3)\n")
    found = failure(engine.Run(tmp_path, ranks=1), 86, "", 60.0)
    assert found.message == "It does not fit."


# ------------------------------------------------------------------------ session, environment


def test_session():
    with Session() as session:
        session.commands(THREE_GRAINS)
        session.command("run 0")
        atoms = session.atoms("x", "radius", "v")
        assert list(atoms.columns) == ["id", "x", "y", "z", "radius", "vx", "vy", "vz"]
        assert atoms["id"].tolist() == [1, 2, 3]
        assert atoms.loc[2, ["x", "y", "vz"]].tolist() == [0.61, 0.4, 0.5]
        with pytest.raises(ValueError, match="no per-atom field 'charge'"):
            session.atoms("charge")
        with pytest.raises(LammpsError, match=r"^Unknown command: nonsense$"):
            session.command("nonsense")
        session.command("run 1")


def test_environment():
    found = engine.environment()
    assert "error" not in found
    assert found["lammps"] >= engine.OLDEST_LAMMPS
    assert "MPICH" in found["mpi"]
    assert found["integers"]["tagint"] in (4, 8)
    assert found["styles"]["pair granular"] is True


def test_require_style():
    engine.require_style("pair", "gran/hertz/history")
    with pytest.raises(EngineError, match=r"has no fix style wall/nothing\. .*pip install"):
        engine.require_style("fix", "wall/nothing")


def test_worker_environment(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "1")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    environment = processes.worker_environment()
    assert "PMI_RANK" not in environment
    assert environment["OMP_NUM_THREADS"] == "1"


def test_missing_mpi(monkeypatch):
    def files(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", files)
    with pytest.raises(EngineError, match=r"MPI library of LAMMPS is missing.*pip install"):
        engine.mpiexec()


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("raise ImportError('not there')", r"does not load: not there.*pip install"),
        ("__version__ = 20230802", r"20230802 is older than 20250722.*pip install"),
        # in LAMMPS's source tree, the module reports version 0
        (
            "class lammps:\n  def __init__(self, cmdargs): pass\n"
            "  def version(self): return 20230802\n__version__ = 0",
            r"library is version 20230802, older than 20250722.*pip install",
        ),
    ],
)
def test_missing_or_old_lammps(monkeypatch, tmp_path, module, message):
    package: Path = tmp_path / "lammps"
    package.mkdir()
    (package / "__init__.py").write_text(module)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(EngineError, match=message):
        engine.run("print hello")


def test_many_runs_at_once_from_threads(tmp_path):
    def one(number: int) -> float:
        return float(engine.run(f'print "answer $({number}*2)"').log.split("answer")[-1].split()[0])

    with ThreadPoolExecutor(max_workers=8) as pool:
        assert list(pool.map(one, range(40))) == [2.0 * number for number in range(40)]


def test_a_run_sees_the_environment_of_its_moment(monkeypatch):
    script = 'variable seen getenv PYSUITE_TRIAL\nprint "seen <${seen}>"'
    for value in ("one", "two"):
        monkeypatch.setenv("PYSUITE_TRIAL", value)
        assert f"seen <{value}>" in engine.run(script).log


def test_no_run_outlives_who_asked_for_it(tmp_path, processes_in):
    program = f"""
from pathlib import Path
from pysuite import engine
engine.run("print start\\nlabel a\\njump SELF a", folder=Path({str(tmp_path)!r}))
"""
    caller = subprocess.Popen([sys.executable, "-c", program])
    end = time.monotonic() + 60
    while not processes_in(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert processes_in(tmp_path)
    caller.kill()
    caller.wait()
    while processes_in(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert processes_in(tmp_path) == []


def test_more_ranks_than_cores_are_warned_of(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    with pytest.warns(UserWarning, match="2 ranks on 1 cores slow each other down: use at most 1"):
        engine.run("units lj\n", ranks=2)
