"""Errors for which the command line prints only the text and exits with status 2.

Errors of LAMMPS and its library are in `pysuite.lammps.errors`.
"""

from __future__ import annotations


class UsageError(ValueError):
    """An option, file or setting given by the user is invalid."""


class CaseError(ValueError):
    """A validation case or the register of claims is invalid; the text gives the reason."""
