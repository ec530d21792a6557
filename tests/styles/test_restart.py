"""A restarted run equals an uninterrupted run. Restart files that do not match are refused."""

from __future__ import annotations

import os
import re
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

from pysuite import engine

TOLERANCE = 1e-10  # two ranks add forces in a different order; see test_superset.py
STEPS = 100

MIXED = """pair_style granular/plus
pair_coeff 1 1 hertz/material 6e5 0.6 0.25 damping tsuji tangential {0} 0.3 slider {1}
pair_coeff 2 2 hertz/material 9e5 0.5 0.35 damping tsuji tangential {0} 0.5 slider {1}
"""
PAIRS = {
    "csds": MIXED.format("mindlin NULL 1", "csds"),
    "four values": MIXED.format("mindlin_rescale/force 3e5 0.8", "csds"),
    "no history": MIXED.format("linear_nohistory 1", "csds"),
    "truncate": MIXED.format("linear_history 1e4 0.8", "truncate"),
    "whole contact": """pair_style granular/plus
pair_coeff 1 1 hertz 4e5 200 tangential mindlin 3e5 1 0.3 rolling sds 5e3 2 0.2 twisting marshall
pair_coeff 2 2 hertz 6e5 200 tangential mindlin 5e5 1 0.5 rolling sds 8e3 3 0.3 twisting marshall
""",
    "mindlin_deresiewicz": MIXED.format("mindlin_deresiewicz 1", "csds"),
    "jkr": """pair_style granular/plus
pair_coeff 1 1 jkr 6e5 200 0.25 40 tangential mindlin NULL 1 0.3 twisting sds 300 0.05 0.03
pair_coeff 2 2 jkr 9e5 200 0.35 60 tangential mindlin NULL 1 0.5 twisting sds 400 0.1 0.05
""",
    "actm": """pair_style granular/plus
pair_coeff 1 1 actm steps 80 0.6 NULL 0.25 tangential mindlin NULL 1 0.3
pair_coeff 2 2 actm steps 60 0.5 1e7 0.35 tangential mindlin NULL 1 0.5
""",
    "luding": """pair_style granular/plus
pair_coeff 1 1 luding 1e4 5e4 2e4 0.05 eta 5 tangential linear_history 1e4 0.8 0.3
pair_coeff 2 2 luding 2e4 9e4 3e4 0.08 eta 9 tangential linear_history 1e4 0.8 0.5
""",
    "edinburgh": """pair_style granular/plus
pair_coeff 1 1 edinburgh 2e5 8e5 1e5 -0.1 1.5 1.5 tangential mindlin 3e5 0.8 0.3
pair_coeff 2 2 edinburgh 3e5 9e5 2e5 -0.2 1.5 1.5 tangential mindlin 3e5 0.8 0.5
""",
    "thornton_ning": """pair_style granular/plus
pair_coeff 1 1 thornton_ning 6e5 0.25 3e4 2 tangential mindlin NULL 1 0.3
pair_coeff 2 2 thornton_ning 9e5 0.35 4e4 3 tangential mindlin NULL 1 0.5
""",
    "jkr without history": """pair_style granular/plus
pair_coeff 1 1 jkr 6e5 200 0.25 40 tangential linear_nohistory 1 0.3
pair_coeff 2 2 jkr 9e5 200 0.35 60 tangential linear_nohistory 1 0.5
""",
    "one for all types": """pair_style granular/plus
pair_coeff * * hertz 4e5 200 tangential mindlin 3e5 1 0.3
""",
    "unlike": """pair_style granular/plus 1.2
pair_coeff 1 1 hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3
pair_coeff 1 2 hertz 4e5 200 tangential mindlin_rescale 3e5 1 0.4 slider dsds limit_damping
pair_coeff 2 2 hertz 4e5 200 tangential linear_nohistory 1 0.5
""",
}
HYBRID = """pair_style hybrid/overlay granular/plus zero 1.2
pair_coeff * * granular/plus hooke 2e4 15 tangential linear_history 1e4 0.8 0.3
pair_coeff * * zero
"""

AFTER = """
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
"""


class Restarts:
    def __init__(self, packing, tools, folder: Path):
        self.packing, self.tools, self.folder = packing, tools, folder

    def whole(self, pair: str, **options):
        script = f"""{self.tools.setup}{pair}{self.tools.move}
restart {STEPS} {self.folder}/periodic.*
run {STEPS}
write_restart {self.folder}/command
restart 0
run {STEPS}
{self.tools.dump_command("end")}"""
        return self.packing.run(script, **options).dump("end")

    def second(self, pair: str, file: str, **options):
        script = f"""
atom_modify map array sort 60 0
newton ${{newton}}
comm_modify vel yes
read_restart {self.folder}/{file}
{AFTER}{pair}{self.tools.move}run {STEPS}
{self.tools.dump_command("end")}"""
        return self.packing.run(script, **options).dump("end")


@pytest.fixture
def restarts(packing, tools, tmp_path):
    return Restarts(packing, tools, tmp_path)


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_restart_is_exact_on_one_rank(restarts, pair):
    expected = restarts.whole(pair)
    for file in ("command", f"periodic.{STEPS}"):
        for again in ("", pair):
            assert restarts.second(again, file).equals(expected), (file, again)


@pytest.mark.parametrize(
    ("newton", "models"),
    [
        ("on", "four values"),
        ("off", "four values"),
        ("on", "whole contact"),
        ("off", "jkr"),
        ("off", "actm"),
    ],
)
def test_restart_is_exact_on_two_ranks(restarts, tools, newton, models):
    pair = PAIRS[models]
    expected = restarts.whole(pair, ranks=2, newton=newton)
    for file in ("command", f"periodic.{STEPS}"):
        for again in ("", pair):
            second = restarts.second(again, file, ranks=2, newton=newton)
            assert max(tools.difference(expected, second).values()) <= TOLERANCE, (file, again)


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
@pytest.mark.parametrize("models", ["csds", "whole contact", "jkr", "actm"])
def test_restart_on_another_number_of_ranks(restarts, tools, models, before, after):
    """The order of the two grains of a pair may depend on the number of ranks."""
    expected = restarts.whole(PAIRS[models], ranks=before)
    for file in ("command", f"periodic.{STEPS}"):
        second = restarts.second("", file, ranks=after)
        assert max(tools.difference(expected, second).values()) <= TOLERANCE, file


def test_hybrid_restarts_with_the_coefficients_given_again(restarts):
    """LAMMPS does not store coefficients of hybrid styles in restart files."""
    expected = restarts.whole(HYBRID)
    for file in ("command", f"periodic.{STEPS}"):
        assert restarts.second(HYBRID, file).equals(expected), file


def test_springs_matter_so_the_tests_above_can_fail(packing, tools):
    pair = PAIRS["csds"]
    start = f"{tools.setup}{pair}{tools.move}run {STEPS}\n"
    end = f"run {STEPS}\n{tools.dump_command('end')}"
    kept = packing.run(start + end).dump("end")
    lost = packing.run(f"{start}pair_style none\n{pair}{end}").dump("end")
    assert tools.difference(kept, lost)["force"] > 1e-2


def test_other_models_after_the_restart_start_without_springs_and_say_so(restarts, packing, tools):
    restarts.whole(PAIRS["csds"])
    script = f"""
comm_modify vel yes
read_restart {restarts.folder}/command
{AFTER}{PAIRS["four values"]}{tools.move}run 10
"""
    log = packing.run(script).log
    assert "WARNING" in log
    assert "without history" in log


def test_restart_files_of_a_run_are_read_more_than_once(restarts):
    pair = PAIRS["csds"]
    expected = restarts.whole(pair)
    script = f"""
atom_modify map array sort 60 0
comm_modify vel yes
read_restart {restarts.folder}/command
{AFTER}
write_restart {restarts.folder}/again
"""
    restarts.packing.run(script)
    assert restarts.second("", "again").equals(expected)


# ---------------------------------------------------- files that do not match, and killed processes


def settings_of(file: bytes) -> int:
    """Return the position in the file at which the settings of the pair style begin."""
    name = b"of granular/plus (read this restart file with -sf plus)"
    assert file.count(name) == 1
    return file.index(name) + len(name) + 1  # 1 for the null byte


READ = """
atom_modify map array
comm_modify vel yes
read_restart {}
"""


def test_restart_file_of_another_version_is_refused(restarts, lammps_error):
    restarts.whole(PAIRS["csds"])
    path = restarts.folder / "command"
    content = bytearray(path.read_bytes())
    first = settings_of(content)
    content[first : first + 8] = struct.pack("d", 19001001)
    path.write_bytes(content)
    message = lammps_error(READ.format(path))
    assert "another version of granular/plus" in message
    assert "19001001" in message


@pytest.mark.parametrize("kept", [0.5, 0.98])
def test_restart_file_cut_short_is_refused(restarts, lammps_error, kept):
    restarts.whole(PAIRS["csds"])
    path = restarts.folder / "command"
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    assert "restart file" in lammps_error(READ.format(path))


def test_restart_file_with_unreadable_coefficients_is_refused(restarts, lammps_error):
    restarts.whole(PAIRS["csds"])
    path = restarts.folder / "command"
    content = path.read_bytes()
    assert content.count(b"hertz/material") >= 2
    path.write_bytes(content.replace(b"hertz/material", b"hertz/whatever", 1))
    message = lammps_error(READ.format(path))
    assert "restart file" in message
    assert "hertz/whatever" in message


def test_models_that_keep_as_many_values_are_told_apart(restarts, packing):
    restarts.whole(PAIRS["one for all types"])
    script = f"""
comm_modify vel yes
read_restart {restarts.folder}/command
{AFTER}{PAIRS["one for all types"].replace("mindlin", "mindlin/force")}{{}}run 1
"""
    log = packing.run(script.format(restarts.tools.move)).log
    assert "contacts start without history" in log
    script = script.replace("mindlin/force", "mindlin")
    assert "without history" not in packing.run(script.format(restarts.tools.move)).log


@pytest.mark.parametrize("again", ["mindlin/force", "mindlin"])
def test_models_that_change_between_runs_start_without_history(packing, tools, again):
    pair = PAIRS["one for all types"]
    script = f"{tools.setup}{pair}{tools.move}run 20\n"
    script += pair.splitlines()[1].replace("mindlin", again) + "\nrun 1\n"
    assert ("contacts start without history" in packing.run(script).log) == (again != "mindlin")


NO_HISTORY = "contacts start without history"
TWO = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
comm_modify vel yes
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 single 1 1 1
create_atoms 1 single 1.99 1 1
set group all diameter 1 density 1
velocity all set -0.3 0 0
set atom 1 vx 0.3 vy 0.1
pair_style granular/plus {ledger}
pair_coeff * * hooke 1e3 5 tangential {tangential} 1 0.3
fix move all nve/sphere
timestep 1e-3
"""
SEPARATE = "set atom 2 x 4 vx 0\n"
MINDLIN = "pair_coeff * * hooke 1e3 5 tangential mindlin 5e2 1 0.2\n"


@pytest.mark.parametrize(("ranks", "newton"), [(1, "off"), (2, "on")])
@pytest.mark.parametrize(
    ("tangential", "before", "lost"),
    [
        # delete_atoms initialises the pair style without a time step
        ("linear_history 5e2", "delete_atoms overlap 0.5 all all\n", False),
        ("linear_history 5e2", "run 0\n", True),
        ("linear_history 5e2", "run 10\n", True),
        ("linear_history 5e2", f"run 10\n{SEPARATE}run 1\n", False),
        ("linear_nohistory", "run 10\n", False),
    ],
    ids=["no run", "setup", "contact", "contact that has ended", "contact without history"],
)
def test_lost_history_is_told_where_there_was_some(tangential, before, lost, ranks, newton):
    two = TWO.format(newton=newton, ledger="", tangential=tangential)
    run = engine.run(f"{two}{before}{MINDLIN}run 10\n", ranks=ranks)
    assert (NO_HISTORY in run.log) == lost


WALL = "fix floor all wall/granular/plus hooke 1e3 5 tangential {} 1 0.3 zplane 0.51 NULL\n"


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    ("tangential", "before", "lost"),
    [
        ("linear_history 5e2", "", False),
        ("linear_history 5e2", "run 10\n", True),
        ("linear_history 5e2", "run 10\nset group all z 4\nrun 1\n", False),
        ("linear_nohistory", "run 10\n", False),
    ],
    ids=["no run", "contact", "contact that has ended", "contact without history"],
)
def test_lost_history_is_told_of_a_wall_that_is_given_again(tangential, before, lost, ranks):
    two = TWO.format(newton="off", ledger="", tangential="linear_nohistory")
    two = two.replace("newton off", "newton off\nboundary p p f\nprocessors * 1 1")
    walls = f"{WALL.format(tangential)}{before}{WALL.format('mindlin 5e2')}"
    assert (NO_HISTORY in engine.run(f"{two}{walls}run 10\n", ranks=ranks).log) == lost


def test_the_ledger_goes_on_where_models_change_without_contacts():
    ledger = "compute ledger all granular/ledger\nthermo_style custom step c_ledger[*]\n"
    two = TWO.format(newton="on", ledger="ledger yes", tangential="linear_history 5e2")
    script = f"{two}{ledger}thermo 10\nrun 1000\n{{}}run 10\n"
    run = engine.run(script.format(MINDLIN))
    assert NO_HISTORY not in run.log
    before, after = run.ledger.iloc[0], run.ledger.iloc[-1]
    assert (before["contacts"], after["contacts"]) == (1, 0)
    assert after["normal_dashpot"] > 1e-4
    assert after.equals(engine.run(script.format("")).ledger.iloc[-1])


def test_restart_file_of_pair_granular(restarts, packing, tools):
    pair = PAIRS["one for all types"]
    restarts.whole(pair.replace("granular/plus", "granular"))
    script = f"comm_modify vel yes\nread_restart {restarts.folder}/command\n{AFTER}{{}}{tools.move}"
    end = f"run 0\n{tools.dump_command('start')}"
    run = packing.run(script.format(pair) + end)
    assert re.search(r"Unused restart file peratom fix info:\s+fix style: NEIGH_HISTORY", run.log)
    data = restarts.folder / "bare.data"
    bare = f"pair_style zero 1.2\npair_coeff * *\nwrite_data {data} nocoeff\n"
    packing.run(script.format(bare).replace(tools.move, ""))
    fresh = f"{tools.setup.replace('${packing}', str(data))}{pair}{tools.move}"
    fresh = packing.run(fresh + end).dump("start")
    assert max(tools.difference(run.dump("start"), fresh).values()) <= TOLERANCE


def test_kill_9_loses_no_more_than_the_steps_since(packing, tools, tmp_path, lmp):
    """The reference has two runs. The first run ends at the step of the restart file.

    A single reference run would differ slightly, because each run starts with dashpot forces that
    are calculated from velocities at the full step.
    """
    pair = PAIRS["whole contact"]
    files = [tmp_path / "state.a", tmp_path / "state.b"]
    keep = f"restart 100 {files[0]} {files[1]}\n"
    begin = f"{tools.setup}{pair}{tools.move}{keep}"
    script = tmp_path / "in.endless"
    script.write_text(f"{begin}run 100000000\n")
    command = [lmp, "-in", str(script), "-log", "none", "-screen", "none"]
    for name, value in packing.variables().items():
        command += ["-var", name, value]
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True) as process:
        while process.poll() is None and not files[1].exists():
            time.sleep(0.01)
        assert process.poll() is None, "LAMMPS ended before it was killed"
        os.killpg(process.pid, signal.SIGKILL)

    again = f"""
atom_modify map array sort 60 0
comm_modify vel yes
read_restart {{}}
{AFTER}{tools.move}{keep}run 500
{tools.dump_command("end")}"""
    other, newest = sorted(files, key=lambda path: path.stat().st_mtime_ns)
    run = packing.run(again.format(newest), check=False)
    if run.error:  # LAMMPS was killed while it wrote this file
        assert "restart file" in run.error.message
        run = packing.run(again.format(other))
    first = run.thermo["Step"].iloc[0]
    assert first >= 100
    paused = f"{begin}run {first}\nrun 500\n{tools.dump_command('end')}"
    assert run.dump("end").equals(packing.run(paused).dump("end"))
