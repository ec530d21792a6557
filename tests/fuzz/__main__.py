"""Feed LAMMPS random commands: each must run or end in a LAMMPS error, never crash or hang.

    python -m tests.fuzz --lines 20000 --seed 1 --ranks 1

Worker processes run the commands. If a worker dies or hangs, the program removes words from the
command as long as the failure persists. After each accepted command other than pair_style, two
touching grains move for two steps. Commands may read mesh files `drawing-NUMBER.KIND`. The name of
such a file determines its contents.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pysuite import engine
from pysuite.lammps.library import mpiexec
from tests.fuzz import drawings
from tests.fuzz.lines import Author

WORKER_LINES = 500
TIMEOUT = 120.0  # seconds for one command
REFUSED = 3  # exit status if LAMMPS refuses the command
STOPPED = 4  # exit status of a rank after an error that did not occur on the other ranks
DRAWING = re.compile(r"drawing-\d+\.(stl|obj|bin)")
BOX = """
units lj
atom_style bpm/sphere
atom_modify map array
comm_modify vel yes
boundary f f f
region box block -9 9 -9 9 -9 9
create_box 2 box
create_atoms 1 single 1.0 1.0 0.45
create_atoms 2 single 1.9 1.0 0.55
set group all diameter 1.0 density 1.0
velocity all set 0.1 0.2 -0.3
region ball sphere 0 0 0 3 side in
variable push equal 0.3*ramp(0,1)
group shaped type 2
group round subtract all shaped
fix move round nve/sphere
fix film all property/atom temperature heatflow d_film ghost yes
set group all d_film 1e-3
set group all temperature 1
thermo_style custom step
thermo_modify lost ignore
timestep 1e-6
"""


def work(seed: int, first: int, last: int) -> None:
    """Execute commands `first` to `last` - 1 of the sequence that the seed determines."""
    author = Author(seed)
    lines = [author.line() for _ in range(last)]
    session = None
    for number in range(first, last):
        if session is None:
            session = engine.Session()
            session.commands(BOX)
        alone = session.lammps.extract_setting("world_size") == 1
        reports = session.lammps.extract_setting("world_rank") == 0
        try:
            verdict, text = obey(session, lines[number])
        except engine.LammpsError as error:
            if alone or not is_of_one_rank(error):
                raise
            leave_finding(number, "stopped", error.message)
            os._exit(STOPPED)  # mpiexec ends the other ranks
        if reports:
            leave_finding(number, verdict, text)
        # LAMMPS deletes its run style before it creates a new one. Therefore, a session has no
        # run style after a refused run_style command.
        is_refused = verdict == "refused" and not lines[number].startswith("run_style")
        if not is_refused or number % 50 == 0:
            session.close()
            session = None
    if session is not None:
        session.lammps.finalize()  # otherwise, mpiexec kills the other ranks


def leave_finding(number: int, verdict: str, text: str) -> None:
    with Path("findings.jsonl").open("a", encoding="utf-8") as findings:
        findings.write(json.dumps([number, verdict, text]) + "\n")


def is_of_one_rank(error: engine.LammpsError) -> bool:
    return type(error.__cause__).__name__ == "MPIAbortException"


def obey(session: engine.Session, line: str) -> tuple[str, str]:
    """Execute a command; return its outcome and the error message, if there is one.

    The outcome is "refused", "accepted" (pair_style), "run", "stopped" (an error in the two steps)
    or "not finite" (forces). Raises LammpsError if an error occurs on only one of several ranks.
    """
    for word in set(line.split()):
        if DRAWING.fullmatch(word) and not Path(word).exists():
            drawings.write(word, Path())
    session.command("pair_style granular/plus ledger yes")
    session.command("pair_coeff * * hooke 1e4 5 tangential linear_history 5e3 1 0.5")
    several = session.lammps.extract_setting("world_size") > 1
    try:
        session.command(line)
    except engine.LammpsError as error:
        if several and is_of_one_rank(error):
            raise
        return "refused", error.message
    if line.startswith("pair_style"):
        return "accepted", ""
    try:
        session.command("run 2 post no")
    except engine.LammpsError as error:
        if several and is_of_one_rank(error):
            raise
        return "stopped", error.message
    forces = session.atoms("f")
    finite = all(math.isfinite(value) for value in forces[["fx", "fy", "fz"]].to_numpy().ravel())
    return ("run" if finite else "not finite"), ""


def fuzz(lines: int, seed: int, ranks: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = collections.defaultdict(list)
    author = Author(seed)
    commands = [author.line() for _ in range(lines)]
    with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
        folder = Path(name)
        first = 0
        while first < lines:
            last = min(first + WORKER_LINES, lines)
            (folder / "findings.jsonl").unlink(missing_ok=True)
            order = [sys.executable, "-m", "tests.fuzz", "--work", f"{seed}", f"{first}", f"{last}"]
            if ranks > 1:
                order = [str(mpiexec()), "-n", str(ranks), *order]
            process = subprocess.Popen(
                order,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(),
            )
            findings = folder / "findings.jsonl"
            message = ended(process, findings)
            stopped = False
            if findings.exists():
                for text in findings.read_text(encoding="utf-8").splitlines():
                    number, verdict, said = json.loads(text)
                    if number < first:  # another rank has already reported the error
                        continue
                    found[verdict].append(f"{commands[number]}  ->  {said}")
                    stopped = verdict == "stopped"
                    first = number + 1
            one_rank_stopped = ranks > 1 and stopped and process.returncode == STOPPED
            if process.returncode != 0 and first < last and not one_rank_stopped:
                why = message.decode(errors="replace").strip().splitlines()[-1:] or [""]
                found["crashed"].append(f"{commands[first]}  ->  {process.returncode} {why[0]}")
                if crashes(commands[first]):
                    found["shortest"].append(shortest(commands[first], crashes))
                first += 1
    return found


def ended(process: subprocess.Popen[bytes], findings: Path) -> bytes:
    """Wait for a worker and return its error output. If a command hangs, kill the worker."""
    while True:
        try:
            return process.communicate(timeout=TIMEOUT)[1]
        except subprocess.TimeoutExpired:
            if findings.exists() and time.time() - findings.stat().st_mtime < TIMEOUT:
                continue  # the worker has executed commands in the meantime
            process.kill()
            process.communicate()
            return b"hangs"


def crashes(command: str) -> bool:
    order = [sys.executable, "-m", "tests.fuzz", "--try", command]
    try:
        return subprocess.run(
            order, env=environment(), capture_output=True, timeout=TIMEOUT, check=False
        ).returncode not in (0, REFUSED)
    except subprocess.TimeoutExpired:
        return True


def shortest(command: str, fails: Callable[[str], bool]) -> str:
    """Remove words as long as the command still fails."""
    words = command.split(" ")
    size = len(words) // 2
    while size:
        start = 1  # keep the name of the command
        while start < len(words):
            rest = words[:start] + words[start + size :]
            if fails(" ".join(rest)):
                words = rest
            else:
                start += size
        size //= 2
    return " ".join(words)


def try_alone(command: str) -> int:
    """Execute one command in this process; return 0, or REFUSED after a LAMMPS error."""
    with tempfile.TemporaryDirectory(prefix="pysuite-") as folder:
        os.chdir(folder)
        session = engine.Session()
        session.commands(BOX)
        return REFUSED if obey(session, command)[0] in ("refused", "stopped") else 0


def environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--lines", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument(
        "--show", nargs="*", default=["crashed", "shortest", "not finite", "stopped"]
    )
    parser.add_argument("--work", nargs=3, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--try", dest="alone", metavar="COMMAND", help="execute one command")
    arguments = parser.parse_args()
    if arguments.work:
        work(*arguments.work)
        return 0
    if arguments.alone is not None:
        return try_alone(arguments.alone)
    found = fuzz(arguments.lines, arguments.seed, arguments.ranks)
    for verdict, commands in sorted(found.items()):
        print(f"{verdict}: {len(commands)}")
        if verdict in arguments.show:
            for command in commands:
                print("   ", command[:300])
    return 1 if found["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
