"""Read the keywords of all commands from `OPTIONS` of the C++ classes."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import NamedTuple

import granular_plus

from pysuite.lammps import environment, library


class Operand(NamedTuple):
    """An argument of a keyword.

    Attributes:
        kind: "number", "whole", "number or variable", "word", "one of" or "yes or no".
        symbol: name in the syntax; may be empty.
        label: word that precedes the argument; may be empty.
        choices: words of kind "one of"; otherwise empty.
        unit: unit of a number, or meaning of a word.
        explained: unit and bounds in the words of the manual.
    """

    kind: str
    symbol: str
    label: str
    choices: tuple[str, ...]
    low: float
    high: float
    low_allowed: bool
    high_allowed: bool
    may_be_missing: bool
    may_be_null: bool
    unit: str
    explained: str


class Option(NamedTuple):
    """A keyword with its arguments.

    Attributes:
        table: table that declares the keyword, usually a style of fix.
        syntax: keyword and arguments, with optional ones in brackets.
        default: default in words; empty if there is none.
        one_of: keywords that exclude each other, such as "number or mass"; may be empty.
        is_required: whether this keyword, or another of `one_of`, is required.
        rest: syntax of further words; may be empty.
    """

    table: str
    keyword: str
    syntax: str
    meaning: str
    default: str
    one_of: str
    is_required: bool
    may_be_repeated: bool
    rest: str
    operands: tuple[Operand, ...]


@functools.cache
def declared() -> tuple[Option, ...]:
    """Return all keywords of the installed plug-in, in the order of declaration."""
    library.load()
    plug_in = ctypes.CDLL(str(Path(granular_plus.plugin_folder()) / environment.PLUGIN))
    plug_in.granular_plus_options.restype = ctypes.c_char_p
    text = plug_in.granular_plus_options().decode()
    return tuple(_option(line.split("\t")) for line in text.splitlines())


def _option(parts: list[str]) -> Option:
    table, keyword, syntax, meaning, default, one_of, required, repeated, rest = parts[:9]
    size = len(Operand._fields)
    return Option(
        table=table,
        keyword=keyword,
        syntax=syntax,
        meaning=meaning,
        default=default,
        one_of=one_of,
        is_required=required == "1",
        may_be_repeated=repeated == "1",
        rest=rest,
        operands=tuple(
            _operand(parts[first : first + size]) for first in range(9, len(parts), size)
        ),
    )


def _operand(parts: list[str]) -> Operand:
    kind, symbol, label, choices, low, high, *flags = parts[:10]
    low_allowed, high_allowed, may_be_missing, may_be_null = (flag == "1" for flag in flags)
    return Operand(
        kind=kind,
        symbol=symbol,
        label=label,
        choices=tuple(choices.split()),
        low=float(low),
        high=float(high),
        low_allowed=low_allowed,
        high_allowed=high_allowed,
        may_be_missing=may_be_missing,
        may_be_null=may_be_null,
        unit=parts[10],
        explained=parts[11],
    )
