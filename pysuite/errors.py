"""Errors for which the command line prints only the text and exits with status 2."""

from __future__ import annotations


class UsageError(ValueError):
    """An option, file or setting is invalid."""


class CaseError(ValueError):
    """A validation case or the register of claims is invalid."""
