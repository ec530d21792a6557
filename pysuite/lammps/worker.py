"""Worker: a process that runs one script."""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
from pathlib import Path
from typing import NoReturn

from pysuite.lammps import processes
from pysuite.lammps.errors import EngineError
from pysuite.lammps.library import load, preload_mpi, start_lammps
from pysuite.lammps.output import LOG_FILE

REQUEST_FILE = "request.json"
ERROR_FILE = "error.lammps"
ERROR_EXIT = 86
STYLE_CATEGORIES = ("pair", "fix", "compute", "atom", "command", "bond", "region")


def _send_screen_to_log() -> None:
    """Redirect stdout of this process to LOG_FILE, so that no output is lost in a crash.

    MPICH leaves stdout unbuffered. With `-screen FILE`, LAMMPS would buffer its output in spite of
    `-nonbuf`.
    """
    descriptor = os.open(LOG_FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(descriptor, sys.stdout.fileno())


def _worker_run() -> None:
    request = json.loads(Path(REQUEST_FILE).read_text())
    _send_screen_to_log()
    os.chdir(request["folder"])
    instance = start_lammps(request["arguments"])
    newton = request["newton"]
    if newton is not None:
        instance.command(f"newton {newton}")
    instance.file(request["script"])
    if newton is not None and instance.extract_setting("newton_pair") != (newton == "on"):
        raise EngineError(f"newton {newton} was requested, but the script sets another value.")
    instance.finalize()  # otherwise mpiexec would kill ranks that still run


def _worker_probe() -> None:
    _send_screen_to_log()
    instance = start_lammps(["-log", "none"])
    instance.command("info communication")
    log = Path(LOG_FILE).read_text()
    # the MPI that LAMMPS calls, which may differ from the MPI that this process has loaded
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


def _end_mpi_alone() -> None:
    """Finalize MPI in a run without mpiexec, so that MPICH frees a megabyte of shared memory.

    Under mpiexec this function does nothing, because MPI_Finalize in a failed rank would wait for
    the other ranks, and because mpiexec ends all ranks.
    """
    if "PMI_RANK" in os.environ:
        return
    try:
        mpi = preload_mpi()
    except EngineError:
        return
    begun, ended = ctypes.c_int(), ctypes.c_int()
    mpi.MPI_Initialized(ctypes.byref(begun))
    mpi.MPI_Finalized(ctypes.byref(ended))
    if begun and not ended:
        mpi.MPI_Finalize()


def _worker() -> NoReturn:
    """Run one task. After a failure, write the reason to a file."""
    name = sys.argv[1]
    if name == "serve":
        name = processes.serve(int(sys.argv[2]), load)
    task = {"run": _worker_run, "probe": _worker_probe}[name]
    error_file = Path(ERROR_FILE).absolute()
    try:
        task()
    except Exception as error:
        kind = "engine" if isinstance(error, EngineError) else "lammps"
        text = getattr(error, "message", None) or str(error)
        temporary = error_file.with_name(f"{ERROR_FILE}.{os.getpid()}")
        temporary.write_text(json.dumps({"kind": kind, "text": text}))
        temporary.replace(error_file)
        _end_mpi_alone()
        os._exit(ERROR_EXIT)
    sys.exit(0)
