"""Run LAMMPS in a worker process, under mpiexec, or in this process.

Results are pandas frames. Scripts and cases import the functions from here; `pysuite.lammps`
implements them.
"""

from pysuite.lammps.dumps import (
    Frame,
    incomplete_steps,
    parse_dump,
    parse_frames,
    parse_steps,
    read_dump,
)
from pysuite.lammps.environment import (
    PLUGIN,
    Environment,
    environment,
    fingerprint,
    foreign_launchers,
    require_style,
    shadowing_file,
)
from pysuite.lammps.errors import (
    INSTALL_LAMMPS,
    EngineError,
    LammpsError,
    describe_exit,
    lammps_message,
)
from pysuite.lammps.library import OLDEST_LAMMPS, mpiexec
from pysuite.lammps.output import (
    LOG_FILE,
    Run,
    parse_thermo,
    parse_timings,
)
from pysuite.lammps.run import run
from pysuite.lammps.session import Session
from pysuite.lammps.sweep import sweep
from pysuite.lammps.worker import ERROR_EXIT, ERROR_FILE

__all__ = [
    "ERROR_EXIT",
    "ERROR_FILE",
    "INSTALL_LAMMPS",
    "LOG_FILE",
    "OLDEST_LAMMPS",
    "PLUGIN",
    "EngineError",
    "Environment",
    "Frame",
    "LammpsError",
    "Run",
    "Session",
    "describe_exit",
    "environment",
    "fingerprint",
    "foreign_launchers",
    "incomplete_steps",
    "lammps_message",
    "mpiexec",
    "parse_dump",
    "parse_frames",
    "parse_steps",
    "parse_thermo",
    "parse_timings",
    "read_dump",
    "require_style",
    "run",
    "shadowing_file",
    "sweep",
]
