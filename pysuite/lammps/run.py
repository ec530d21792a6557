"""Run scripts in workers: in a separate process, or under mpiexec."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
import shutil
import tempfile
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
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
    timeout: float | None = None,
    folder: Path | None = None,
    check: bool = True,
    progress: Callable[[str], object] | None = None,
) -> Run:
    """Run a LAMMPS script in a worker process and return its output.

    Args:
        script: LAMMPS commands as text, or the Path of an input script. For a Path, the variable
            `here` is set to the folder of the script. If the script has the lines `variable here
            index .` and `read_data ${here}/data.file`, it works with this function and with
            `lmp -in`.
        variables: values passed as `-var name value`; a sequence gives a list of values. A variable
            that the script does not use causes an error.
        ranks: number of MPI ranks. Several ranks run under mpiexec of the mpich wheel.
        newton: "on" or "off", set before the script runs; with None, the script decides.
        timeout: time limit in seconds, after which the worker and its children are killed; with
            None, there is no limit.
        folder: folder in which to run. With None, a script given as a Path runs in the folder of
            the script, and a script given as text runs in a temporary folder. For a script given as
            a Path, only the log and internal files are in a temporary folder. A temporary folder is
            deleted with the Run. If the run fails, the folder is kept, and the error names it.
        check: if False, a failed run is returned with `Run.error` set instead of raising an error.
        progress: called with each line of the log as LAMMPS writes it, from another thread.

    Raises:
        LammpsError: LAMMPS stopped with an error, crashed or ran past the timeout.
        EngineError: LAMMPS or MPI is missing, or has the wrong version.
        ValueError: an argument is out of bounds, or the script does not use one of `variables`.
    """
    if ranks < 1:
        raise ValueError(f"ranks = {ranks} must be >= 1")
    if newton not in (None, "on", "off"):
        raise ValueError(f"newton = {newton!r} must be 'on', 'off' or None")
    if ranks > (cores := processes.cores()):
        warnings.warn(
            f"{ranks} ranks on {cores} cores slow each other down: use at most {cores}",
            stacklevel=2,
        )
    variables = dict(variables or {})
    if isinstance(script, Path):
        script = script.resolve(strict=True)
    _check_variables(script, variables)
    temporary = None
    if folder is None:
        temporary = Path(tempfile.mkdtemp(prefix="pysuite-")).resolve()
    in_own_folder = folder is None and isinstance(script, Path)
    files = Path(temporary or folder or "").resolve()
    files.mkdir(parents=True, exist_ok=True)
    result = Run(script.parent if in_own_folder and isinstance(script, Path) else files, ranks)
    result.log_file = files / LOG_FILE
    if temporary:
        goes_with_result = weakref.finalize(result, shutil.rmtree, temporary, ignore_errors=True)
    for name in (ERROR_FILE, LOG_FILE):
        (files / name).unlink(missing_ok=True)

    if isinstance(script, Path):
        variables.setdefault("here", script.parent)
        script_path = script
    else:
        script_path = files / "in.script"
        script_path.write_text(script if script.endswith("\n") else script + "\n")
    arguments = ["-log", "none", "-echo", "screen"]
    for name, value in variables.items():
        arguments += ["-var", name, *_variable_words(value)]
    request = {
        "script": str(script_path),
        "folder": str(result.folder),
        "newton": newton,
        "arguments": arguments,
    }
    (files / REQUEST_FILE).write_text(json.dumps(request))

    start = time.monotonic()
    with followed(result.log_file, progress):
        if ranks > 1:
            worker = processes.worker_command("lammps.worker", "run")
            command = [str(mpiexec()), "-n", str(ranks), *worker]
            returncode, output = processes.run_process(command, files, timeout)
        else:
            returncode, output = processes.run_in_child("run", files, timeout)
    result.wall = time.monotonic() - start
    if returncode != 0:
        result.returncode = returncode
        result.error = failure(result, returncode, output, timeout)
        if check:
            if temporary:
                goes_with_result.detach()
            result.error.folder = files
            result.error.ran_in = result.folder
            raise result.error
    return result


def unused_variables(script: str | Path, variables: Mapping[str, Any]) -> list[str]:
    """Return the variables that neither the script nor its included files use.

    The result is empty if an included file cannot be read before LAMMPS runs.
    """
    text, unknown_files = text_with_includes(script)
    if unknown_files:
        return []
    words = {word.removeprefix("v_") for word in re.findall(r"\w+", text)}
    return [name for name in variables if name not in words and name != "here"]


def _check_variables(script: str | Path, variables: Mapping[str, Any]) -> None:
    unused = unused_variables(script, variables)
    if not unused:
        return
    text, _ = text_with_includes(script)
    asked = sorted(set(re.findall(r"^\s*variable\s+(\w+)\s+index\b", text, re.MULTILINE)))
    close = difflib.get_close_matches(unused[0], asked, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    if not close and asked:
        hint = f"; its variables are {', '.join(asked)}"
    raise ValueError(f"variables: the script does not use {unused[0]!r}{hint}")


def text_with_includes(script: str | Path) -> tuple[str, bool]:
    """Return the text of a script with its included files, and whether a file cannot be read."""
    texts, unread = [], False
    waiting: list[str | Path] = [script]
    seen: set[Path] = set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, Path):
            if one in seen:
                continue
            seen.add(one)
            try:
                one = one.read_text(errors="replace")
            except OSError:
                unread = True
                continue
        texts.append(re.sub(r"#.*", "", one))
        for name in re.findall(r"^\s*(?:include|jump)\s+(\S+)", texts[-1], re.MULTILINE):
            if name == "SELF":
                continue
            base = script.parent if isinstance(script, Path) else Path()
            path = base / name.replace("${here}", str(base))
            if "$" in str(path) or not path.is_file():
                unread = True
            else:
                waiting.append(path)
    return "\n".join(texts), unread


@contextlib.contextmanager
def followed(file: Path, tell: Callable[[str], object] | None) -> Iterator[None]:
    """Call `tell` with each line written to a file during the block; re-raise errors of `tell`."""
    if tell is None:
        yield
        return
    ended = threading.Event()
    raised: list[Exception] = []

    def follow() -> None:
        rest, place = "", 0
        last = False
        while not raised:
            if file.exists():
                with file.open(errors="replace") as stream:
                    stream.seek(place)
                    rest += stream.read()
                    place = stream.tell()
            *lines, rest = rest.split("\n")
            try:
                for line in lines:
                    tell(line)
            except Exception as error:
                raised.append(error)
            if last:
                return
            last = ended.wait(0.1)

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if raised:
        raise raised[0]


def _variable_words(value: Any) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return [str(value)]


def failure(run: Run, returncode: int | None, output: str, timeout: float | None) -> LammpsError:
    """Return the error of a failed worker. Raises EngineError if LAMMPS never ran."""
    error_file = (run.folder / run.log_file).with_name(ERROR_FILE)
    if returncode is None:
        message = f"timeout: LAMMPS had not finished after {timeout:g} s and was killed"
    elif error_file.exists():
        error = json.loads(error_file.read_text())
        if error["kind"] == "engine":
            raise EngineError(error["text"])
        # an error before the first command is only in the log
        logged = re.search(r"^ERROR.*", run.log, re.MULTILINE)
        silent = error["text"].startswith("Failed to initialize")
        message = lammps_message(logged[0] if silent and logged else error["text"])
    else:
        message = describe_exit(returncode, output, "LAMMPS")
    return LammpsError(message, log=run.log or output, returncode=returncode)
