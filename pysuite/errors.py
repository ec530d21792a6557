"""Errors whose text is all that the command line shows of them; it then ends with status 2.

Those of LAMMPS and its library are in `pysuite.lammps.errors`.
"""

from __future__ import annotations


class UsageError(ValueError):
    """The user asked for something impossible: an option, a file or a setting is wrong."""


class CaseError(ValueError):
    """A validation case, or the register of claims, is not usable; the text says why."""
