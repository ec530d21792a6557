"""What the styles put out, by name: the table that numbers their entries, and readers that use it.

LAMMPS knows entry 10 of a ledger, `c_ledger[10]`; here it is "slip". A script that Python writes
asks for entries by name, and what comes back has names:

>>> LEDGER.of("c_ledger", "slip", "residual")
'c_ledger[10] c_ledger[23]'
>>> pair_local("bridge", "gap")
'p23 p24'
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    import pandas


class Output(NamedTuple):
    """One entry of what a style puts out."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Outputs:
    """Everything that a style puts out, in LAMMPS's order.

    Attributes:
        style: name of the style; a wall's columns per atom are "wall/granular/plus contacts",
            those per contact "wall/granular/plus local", and what dissipation has of each pair
            before its columns "granular/dissipation pairs".
        written: how LAMMPS's scripts ask for entry n, the ID of the compute or fix being ID.
    """

    style: str
    written: str

    @functools.cached_property
    def entries(self) -> list[Output]:
        """Names, units and meanings, as they are compiled into the styles."""
        from pysuite import laws

        return [Output(*entry) for entry in laws.outputs()[self.style]]

    @property
    def names(self) -> list[str]:
        """The names of all entries."""
        return [entry.name for entry in self.entries]

    def number(self, name: str) -> int:
        """Return the number of an entry, from 1. Raises ValueError for an unknown name."""
        try:
            return self.names.index(name) + 1
        except ValueError:
            near = difflib.get_close_matches(name, self.names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(self.names)}"
            raise ValueError(f"{self.style} puts out no {name!r}; {hint}") from None

    def of(self, vector: str, *names: str) -> str:
        """Return what a script calls entries of a vector, of all where no names are given."""
        return " ".join(f"{vector}[{self.number(name)}]" for name in names or self.names)


LEDGER = Outputs("granular/ledger", "c_ID[{}]")
PAIR = Outputs("granular/plus", "p{}")
WALL = Outputs("wall/granular/plus", "f_ID[{}]")
WALL_CONTACTS = Outputs("wall/granular/plus contacts", "f_ID[{}]")
WALL_LOCAL = Outputs("wall/granular/plus local", "f_ID[{}]")
DISSIPATION = Outputs("granular/dissipation", "c_ID[{}]")
DISSIPATION_PAIRS = Outputs("granular/dissipation pairs", "c_ID[{}]")
ALL = (LEDGER, PAIR, WALL, WALL_CONTACTS, WALL_LOCAL, DISSIPATION, DISSIPATION_PAIRS)

# entries of a ledger that the balance adds up: its energies, and what was lost so far
STORED = [
    "kinetic_translation",
    "kinetic_rotation",
    "elastic_normal",
    "elastic_tangential",
    "elastic_rolling",
    "elastic_twisting",
    "capillary",
    "van_der_waals",
    "bond",
]
LOSSES = [
    "normal_dashpot",
    "tangential_dashpot",
    "slip",
    "rolling",
    "twisting",
    "rupture",
    "numerical",
    "lever",
    "viscous",
    "volume_change",
    "plastic",
    "bond_damping",
    "fracture",
]
# of the table that fix granular/bond writes
BROKEN_BONDS: dict[str, str] = (
    dict.fromkeys(["step", "id_i", "id_j"], "int64")
    | dict.fromkeys(["mode", "load"], "str")
    | dict.fromkeys(["time", "x", "y", "z"], "float")
    | dict.fromkeys(["axial", "bending", "shear", "torsion", "energy"], "float")
)


def pair_local(*names: str) -> str:
    """Return the words by which `compute pair/local` puts out values of pair granular/plus."""
    return " ".join(f"p{PAIR.number(name)}" for name in names)


def ledger(log: str, table: pandas.DataFrame) -> pandas.DataFrame:
    """Return the entries of a ledger that a table has, by name.

    `log` echoes the commands that defined the computes. Raises ValueError where there is no ledger,
    or the table has none of its entries.
    """
    vectors = [f"c_{words[1]}" for words in _commands(log) if words[3:4] == [LEDGER.style]]
    return _named(table, LEDGER, vectors, f"no compute of style {LEDGER.style}")


def wall(log: str, table: pandas.DataFrame, fix: str | None = None) -> pandas.DataFrame:
    """Return what a table has of the vector of a wall, by name; `fix` tells which, of several."""
    walls = [words[1] for words in _commands(log) if words[3:4] == [WALL.style]]
    vectors = [f"f_{name}" for name in walls if fix in (None, name)]
    return _named(table, WALL, vectors, f"no fix of style {WALL.style}{f' {fix}' if fix else ''}")


def local(log: str, table: pandas.DataFrame) -> pandas.DataFrame:
    """Return a dump of contacts with its columns named by the words of their computes and fixes.

    `c_contact[2]` of `compute contact all pair/local dist p4` becomes "friction"; words of
    LAMMPS's, as dist or natom1, are names already, and the first twelve values of pair granular
    have the names of ours. Of hybrid styles, whose values LAMMPS puts one after the other, p4 stays
    "p4".
    """
    names: dict[str, str] = {}
    known = 0  # values of the pair style whose names are ours
    for words in _commands(log):
        if words[3:4] == [WALL.style] and "local" in words:
            vector = f"f_{words[1]}"
            names |= dict(zip(WALL_LOCAL.of(vector).split(), WALL_LOCAL.names, strict=True))
        elif words[3:5] == [DISSIPATION.style, "pairs"]:
            values = [*DISSIPATION_PAIRS.names, *(words[5:] or DISSIPATION.names)]
            names |= {f"c_{words[1]}[{n}]": value for n, value in enumerate(values, start=1)}
        elif words[0] == "pair_style":
            whole = words[1] in (PAIR.style, "capillary/willett")
            known = len(PAIR.names) if whole else 12 if words[1] == "granular" else 0
        elif words[3] in ("pair/local", "property/local"):
            values = words[4 : words.index("cutoff") if "cutoff" in words else None]
            if words[3] == "pair/local":
                values = [_value(word, known) for word in values]
            vector = f"c_{words[1]}"
            names |= {f"{vector}[{n}]": value for n, value in enumerate(values, start=1)}
            names[vector] = values[0]
    return table.rename(columns=names)


def broken_bonds(log: str, folder: Path, fix: str | None = None) -> pandas.DataFrame:
    """Return the table that a fix granular/bond with `events` has written; `fix` tells which."""
    fixes = [words for words in _commands(log) if words[3:4] == ["granular/bond"]]
    tables = [words for words in fixes if "events" in words and fix in (None, words[1])]
    if not tables:
        name = f" {fix}" if fix else ""
        raise ValueError(f"the run has no fix of style granular/bond{name} with keyword events")
    file = tables[-1][tables[-1].index("events") + 1]
    return read_broken_bonds(folder / file)


def read_broken_bonds(path: Path) -> pandas.DataFrame:
    """Return a table of broken bonds, one a row; its columns are those of the manual."""
    import pandas

    found = pandas.read_csv(path, dtype=BROKEN_BONDS)
    lacking = [name for name in BROKEN_BONDS if name not in found]
    if lacking:
        raise ValueError(f"{path}: no table of broken bonds, it has no column {lacking[0]}")
    return found


def _value(word: str, known: int) -> str:
    number = re.fullmatch(r"p(\d+)", word)
    return PAIR.names[int(number[1]) - 1] if number and int(number[1]) <= known else word


def _commands(log: str) -> Iterator[list[str]]:
    """Give the words of the commands in a log that say what a column is."""
    for line in re.sub(r"&\s*\n", " ", log).splitlines():
        words = line.split("#")[0].split()
        if (words[:1] == ["pair_style"] and len(words) > 1) or (
            words[:1] in (["compute"], ["fix"]) and len(words) > 3
        ):
            yield words


def _named(
    table: pandas.DataFrame, outputs: Outputs, vectors: list[str], lacking: str
) -> pandas.DataFrame:
    if not vectors:
        raise ValueError(f"the run has {lacking}")
    for vector in reversed(vectors):  # one that was defined again has the name of its last
        columns = dict(zip(outputs.of(vector).split(), outputs.names, strict=True))
        found = [column for column in columns if column in table]
        if found:
            return table[found].rename(columns=columns)
    raise ValueError(f"the table has no entry of {' or '.join(vectors)}, of {outputs.style}")
