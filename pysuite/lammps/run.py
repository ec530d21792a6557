"""Runs scripts in workers: LAMMPS in a process of its own, or under mpiexec."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pysuite.lammps import processes
from pysuite.lammps.errors import EngineError, LammpsError, describe_exit, lammps_message
from pysuite.lammps.library import mpiexec
from pysuite.lammps.output import LOG_FILE, Run
from pysuite.lammps.worker import ERROR_FILE, REQUEST_FILE


def run(
    script: str | Path,
    *,
    variables: Mapping[str, Any] | None = None,
    ranks: int = 1,
    newton: str | None = None,
    timeout: float = 600.0,
    folder: Path | None = None,
    check: bool = True,
) -> Run:
    """Run a LAMMPS script in a worker process and return what it left behind.

    Args:
        script: LAMMPS commands as text, or the Path of an input script. A script read from a
            Path gets the variable `here`, the folder it lies in, so that
            `variable here index .` and `read_data ${here}/data.file` work here as with `lmp -in`.
        variables: set as `-var name value`; a sequence gives a list of values.
        ranks: number of MPI ranks; more than one run under mpiexec of the mpich wheel.
        newton: "on" or "off" sets it before the script; None leaves it to the script.
        timeout: seconds after which the worker and its children are killed.
        folder: where to run; None makes a temporary folder that lives as long as the Run.
        check: False returns a failed run with `Run.error` set.

    Raises:
        LammpsError: LAMMPS stopped with an error, crashed or ran past the timeout.
        EngineError: LAMMPS or MPI is missing, or of the wrong version.
    """
    if ranks < 1:
        raise ValueError(f"ranks = {ranks} must be >= 1")
    if newton not in (None, "on", "off"):
        raise ValueError(f"newton = {newton!r} must be 'on', 'off' or None")
    if isinstance(script, Path):
        script = script.resolve(strict=True)
    temporary = folder is None
    folder = Path(folder or tempfile.mkdtemp(prefix="pysuite-")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    result = Run(folder, ranks)
    if temporary:
        weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    for name in (ERROR_FILE, LOG_FILE):
        (folder / name).unlink(missing_ok=True)

    variables = dict(variables or {})
    if isinstance(script, Path):
        variables.setdefault("here", script.parent)
        script_path = script
    else:
        script_path = folder / "in.script"
        script_path.write_text(script if script.endswith("\n") else script + "\n")
    arguments = ["-log", "none", "-echo", "screen"]
    for name, value in variables.items():
        arguments += ["-var", name, *_variable_words(value)]
    request = {"script": str(script_path), "newton": newton, "arguments": arguments}
    (folder / REQUEST_FILE).write_text(json.dumps(request))

    start = time.monotonic()
    if ranks > 1:
        command = processes.worker_command("lammps.worker", "run")
        command = [str(mpiexec()), "-n", str(ranks), *command]
        returncode, output = processes.run_process(command, folder, timeout)
    else:
        returncode, output = processes.run_in_child("run", folder, timeout)
    result.wall = time.monotonic() - start
    if returncode != 0:
        result.returncode = returncode
        result.error = failure(result, returncode, output, timeout)
        if check:
            raise result.error
    return result


def _variable_words(value: Any) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return [str(value)]


def failure(run: Run, returncode: int | None, output: str, timeout: float) -> LammpsError:
    """Return the exception for a worker that failed. Raises EngineError if LAMMPS never ran."""
    error_file = run.folder / ERROR_FILE
    if returncode is None:
        message = f"timeout: LAMMPS had not finished after {timeout:g} s and was killed"
    elif error_file.exists():
        error = json.loads(error_file.read_text())
        if error["kind"] == "engine":
            raise EngineError(error["text"])
        # an error before the first command, such as a plug-in's, is told in the log only
        logged = re.search(r"^ERROR.*", run.log, re.MULTILINE)
        silent = error["text"].startswith("Failed to initialize")
        message = lammps_message(logged[0] if silent and logged else error["text"])
    else:
        message = describe_exit(returncode, output, "LAMMPS")
    return LammpsError(message, log=run.log or output, returncode=returncode)
