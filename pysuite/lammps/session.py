"""LAMMPS in this process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pysuite.lammps.errors import LammpsError, lammps_message
from pysuite.lammps.library import start_lammps

if TYPE_CHECKING:
    import pandas


class Session:
    """LAMMPS in this process, for tests and notebooks. This is fast, but a crash also ends Python.

    >>> with Session() as session:
    ...     session.command("atom_style sphere")
    """

    def __init__(self, args: Sequence[str] = ()):
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        self.lammps = start_lammps(["-log", "none", "-screen", "none", *args])

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the LAMMPS instance."""
        self.lammps.close()

    def command(self, command: str) -> None:
        """Run one LAMMPS command. Raises LammpsError if LAMMPS stops with an error."""
        with self._errors():
            self.lammps.command(command)

    def commands(self, commands: str) -> None:
        """Run several LAMMPS commands. Raises LammpsError if LAMMPS stops with an error."""
        with self._errors():
            self.lammps.commands_string(commands)

    def atoms(self, *fields: str) -> pandas.DataFrame:
        """Return per-atom data sorted by id. "x" gives columns x, y, z; "v" gives vx, vy, vz."""
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
            # str() of MPIAbortException has quotes around the text
            text = getattr(error, "message", None) or str(error)
            raise LammpsError(lammps_message(text)) from error
