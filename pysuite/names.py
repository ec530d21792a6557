"""Selection by name, with a hint for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from pysuite.errors import UsageError


class HasName(Protocol):
    """An object that can be selected by name."""

    @property
    def name(self) -> str:
        """The name of the object."""


Named = TypeVar("Named", bound=HasName)


def select(things: Sequence[Named], names: Iterable[str]) -> list[Named]:
    """Return the objects with these names. Raises UsageError if a name is unknown."""
    by_name = {thing.name: thing for thing in things}
    chosen = []
    for name in names:
        if name not in by_name:
            raise UsageError(f"unknown case {name!r}{close_matches(name, by_name)}")
        chosen.append(by_name[name])
    return chosen


def close_matches(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message: known names similar to `name`, or all if none is."""
    known = sorted(known)
    matches = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if matches:
        return f"; did you mean {' or '.join(matches)}?"
    return f"; there are: {', '.join(known)}" if known else "; there are none"
