"""Names of the outputs of the styles, and tables of results with these names.

LAMMPS numbers the outputs of a style. For example, `c_ledger[10]` is the tenth entry of a
`compute granular/ledger`, the entry "slip". This module translates such names into the words of a
LAMMPS script, and renames the columns of tables.

>>> LEDGER.of("c_ledger", "slip", "residual")
'c_ledger[10] c_ledger[23]'
>>> pair_local("bridge", "gap")
'p23 p24'
"""

from __future__ import annotations

import difflib
import fnmatch
import functools
import io
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    import pandas


class Output(NamedTuple):
    """One output of a style: its name, unit and meaning."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Outputs:
    """All outputs of a style, in LAMMPS's order.

    The module provides `PAIR`, `LEDGER`, `WALL`, `WALL_CONTACTS`, `WALL_LOCAL`, `DISSIPATION` and
    `DISSIPATION_PAIRS`.

    Attributes:
        style: name of the style. For a further table of outputs of the style, a word is added:
            "wall/granular/plus contacts" (per-atom columns), "wall/granular/plus local" (columns
            per contact), or "granular/dissipation pairs" (first columns of each pair).
        written: form of an entry in a LAMMPS script. {} stands for the number of the entry, and ID
            stands for the ID of the compute or fix.
    """

    style: str
    written: str

    @functools.cached_property
    def entries(self) -> list[Output]:
        """Names, units and meanings, as compiled into the styles."""
        from pysuite import laws

        return [Output(*entry) for entry in laws.outputs()[self.style]]

    @property
    def names(self) -> list[str]:
        """The names of all entries."""
        return [entry.name for entry in self.entries]

    def number(self, name: str) -> int:
        """Return the number of an entry, from 1. Raises ValueError if the name is unknown."""
        try:
            return self.names.index(name) + 1
        except ValueError:
            near = difflib.get_close_matches(name, self.names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(self.names)}"
            raise ValueError(f"{self.style} has no output {name!r}; {hint}") from None

    def of(self, vector: str, *names: str) -> str:
        """Return the words with which a script requests entries.

        `vector` is the reference to the compute or fix in the script, such as "c_ledger". `names`
        are the names of the entries. By default, all entries are requested.
        """
        return " ".join(f"{vector}[{self.number(name)}]" for name in names or self.names)


LEDGER = Outputs("granular/ledger", "c_ID[{}]")
PAIR = Outputs("granular/plus", "p{}")
WALL = Outputs("wall/granular/plus", "f_ID[{}]")
WALL_CONTACTS = Outputs("wall/granular/plus contacts", "f_ID[{}]")
WALL_LOCAL = Outputs("wall/granular/plus local", "f_ID[{}]")
DISSIPATION = Outputs("granular/dissipation", "c_ID[{}]")
DISSIPATION_PAIRS = Outputs("granular/dissipation pairs", "c_ID[{}]")
OURS = r"granular/plus|capillary/willett|gran/\S+/plus"  # pair styles with all outputs of PAIR
VALUES_OF_GRANULAR = 12  # the first outputs of PAIR are those of LAMMPS's pair style granular
ALL = (LEDGER, PAIR, WALL, WALL_CONTACTS, WALL_LOCAL, DISSIPATION, DISSIPATION_PAIRS)

# entries of a ledger that add up to the energy balance
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
# columns of the table written by fix granular/bond
BROKEN_BONDS: dict[str, str] = (
    dict.fromkeys(["step", "id_i", "id_j"], "int64")
    | dict.fromkeys(["mode", "load"], "str")
    | dict.fromkeys(["time", "x", "y", "z"], "float")
    | dict.fromkeys(["axial", "bending", "shear", "torsion", "energy"], "float")
)


def pair_local(*names: str) -> str:
    """Return the words with which `compute pair/local` requests outputs of granular/plus."""
    return " ".join(f"p{PAIR.number(name)}" for name in names)


def ledger(log: str, table: pandas.DataFrame) -> pandas.DataFrame:
    """Return the columns of a table that are entries of a ledger, renamed to the entries' names.

    `log` contains the commands of the computes. Raises ValueError if the log has no ledger, or if
    the table has no entries of a ledger.
    """
    vectors = [f"c_{words[1]}" for words in commands(log) if words[3:4] == [LEDGER.style]]
    return _named(table, LEDGER, vectors, f"no compute of style {LEDGER.style}")


def wall(log: str, table: pandas.DataFrame, fix: str | None = None) -> pandas.DataFrame:
    """Return the columns of a table that are entries of a wall, renamed to the entries' names.

    `fix` is the ID of the wall. With None, the last wall that has entries in the table is chosen.
    """
    walls = [words[1] for words in commands(log) if words[3:4] == [WALL.style]]
    vectors = [f"f_{name}" for name in walls if fix in (None, name)]
    return _named(table, WALL, vectors, f"no fix of style {WALL.style}{f' {fix}' if fix else ''}")


def thermo_names(log: str, table: pandas.DataFrame) -> pandas.DataFrame:
    """Return the thermo output with the columns of ledgers and walls renamed to "ID.name".

    For example, `c_ledger[10]` of `compute ledger all granular/ledger` becomes "ledger.slip".
    """
    styles = {("compute", LEDGER.style): LEDGER, ("fix", WALL.style): WALL}
    names: dict[str, str] = {}
    for words in commands(log):
        outputs = styles.get((words[0], words[3] if len(words) > 3 else ""))
        if outputs:
            own = outputs.of(f"{words[0][0]}_{words[1]}").split()
            names |= zip(own, (f"{words[1]}.{name}" for name in outputs.names), strict=True)
    return table.rename(columns=names)


def local(log: str, table: pandas.DataFrame, file: str | None = None) -> pandas.DataFrame:
    """Return a dump of contacts whose columns are renamed to the names of the outputs.

    For example, let the script contain `compute contact all pair/local dist p4`. Then
    `c_contact[1]` becomes "dist", a name of LAMMPS, and `c_contact[2]` becomes "friction", the name
    of output p4. With hybrid styles, p4 stays "p4", because LAMMPS concatenates the outputs of the
    styles. If all grains are spheres without bonds, missing columns "normal_x" to "force_z" are
    computed.

    If the script defines a compute more than once, columns are named by the definition that was
    valid when the dump `file` was written. Raises ValueError if a column had several meanings.
    """
    from pysuite.contacts import with_forces_of_spheres

    meanings = _meanings(log, file) or _meanings(log, None)
    names: dict[str, str] = {}
    for column in table.columns:
        found = sorted(meanings.get(column, set()))
        if len(found) > 1:
            raise ValueError(
                f"column {column} of {file or 'the dump'} is ambiguous ({' or '.join(found)}),"
                " because the compute was redefined during the run"
            )
        names |= dict(zip([column], found, strict=False))
    table = table.rename(columns=names)
    return with_forces_of_spheres(table) if _are_free_spheres(log) else table


def _meanings(log: str, file: str | None) -> dict[str, set[str]]:
    """Return the meanings that columns had when the dump `file` was written.

    With None, the meanings in any dump are returned.
    """
    defined: dict[str, list[str]] = {}  # maps c_ID or f_ID to the words of the command
    dumps: dict[str, str] = {}  # maps the ID of a dump to the file
    found: dict[str, set[str]] = {}
    stand_ins = set(re.findall(r"^granular/plus computes pair_style (\S+),", log, re.MULTILINE))
    known = 0
    for words in commands(log):
        match words:
            case ["compute" | "fix" as kind, name, *_]:
                defined[f"{kind[0]}_{name}"] = words
            case ["uncompute" | "unfix" as kind, name]:
                defined.pop(f"{kind[2]}_{name}", None)
            case ["dump", name, _, "local", _, path, *_]:
                dumps[name] = path
            case ["undump", name]:
                dumps.pop(name, None)
            case ["clear"]:
                defined, dumps, known = {}, {}, 0
            case ["pair_style", style, *_] | ["restoring", "pair", "style", style, *_]:
                whole = style in stand_ins or re.fullmatch(OURS, style)
                known = len(PAIR.names) if whole else 0
                known = VALUES_OF_GRANULAR if style == "granular" and not whole else known
            case ["run" | "rerun" | "minimize" | "write_dump", *_]:
                writes = [words[3]] if words[0] == "write_dump" else list(dumps.values())
                if file is None or any(_is_file(path, file) for path in writes):
                    for column, meaning in _columns(defined, known).items():
                        found.setdefault(column, set()).add(meaning)
    if file is None and not found:  # the log has no run
        return {column: {meaning} for column, meaning in _columns(defined, known).items()}
    return found


def _columns(defined: Mapping[str, list[str]], known: int) -> dict[str, str]:
    """Return the names of all columns of computes and fixes.

    The first `known` outputs p1, p2, ... of the pair style are renamed. Further outputs keep the
    names p1, p2, ...
    """
    names: dict[str, str] = {}
    for vector, words in defined.items():
        if words[3:4] == [WALL.style] and "local" in words:
            names |= dict(zip(WALL_LOCAL.of(vector).split(), WALL_LOCAL.names, strict=True))
        elif words[3:5] == [DISSIPATION.style, "pairs"]:
            values = [*DISSIPATION_PAIRS.names, *(words[5:] or DISSIPATION.names)]
            names |= {f"{vector}[{n}]": value for n, value in enumerate(values, start=1)}
        elif words[3] in ("pair/local", "property/local"):
            values = words[4 : words.index("cutoff") if "cutoff" in words else None]
            if words[3] == "pair/local":
                values = [_value(word, known) for word in values]
            names |= {f"{vector}[{n}]": value for n, value in enumerate(values, start=1)}
            names[vector] = values[0]
    return names


def _is_file(path: str, file: str) -> bool:
    written, asked = PurePath(path).name, PurePath(file).name
    return fnmatch.fnmatchcase(asked, written) or fnmatch.fnmatchcase(written, asked)


def _are_free_spheres(log: str) -> bool:
    """Return True if the log shows that all grains are spheres without bonds.

    After `read_restart` the result is False, because the log may lack commands for shapes or bonds.
    """
    found = list(commands(log))
    return any(words[0] == "pair_style" for words in found) and not any(
        words[0] == "read_restart"
        or words[3:4] in (["shape/granular/plus"], ["granular/bond"])
        or (words[0] == "pair_coeff" and "bond" in words)
        for words in found
    )


def broken_bonds(log: str, folder: Path, fix: str | None = None) -> pandas.DataFrame:
    """Return the table of broken bonds, which fix granular/bond writes with the keyword `events`.

    `fix` is the ID of the fix. With None, the last fix with the keyword is chosen.
    """
    fixes = [words for words in commands(log) if words[3:4] == ["granular/bond"]]
    tables = [words for words in fixes if "events" in words and fix in (None, words[1])]
    if not tables:
        name = f" {fix}" if fix else ""
        raise ValueError(f"the run has no fix of style granular/bond{name} with keyword events")
    file = tables[-1][tables[-1].index("events") + 1]
    return read_broken_bonds(folder / file)


def read_broken_bonds(path: Path) -> pandas.DataFrame:
    """Return a table with one broken bond per row.

    Warns if the last line is truncated. Raises ValueError if a column is missing or a line is
    invalid.
    """
    import pandas

    lines = path.read_text(errors="replace").splitlines(keepends=True)
    names = [name.strip() for name in lines[0].split(",")] if lines else []
    lacking = [name for name in BROKEN_BONDS if name not in names]
    if lacking:
        raise ValueError(f"{path} is not a table of broken bonds: it lacks column {lacking[0]}")
    if len(lines) > 1 and not lines[-1].endswith("\n"):
        warnings.warn(f"{path}: line {len(lines)} is incomplete and was skipped", stacklevel=2)
        lines.pop()
    for number, line in enumerate(lines[1:], start=2):
        if (count := line.count(",") + 1) != len(names):
            raise ValueError(f"{path}: line {number} has {count} columns instead of {len(names)}")
    try:
        return pandas.read_csv(io.StringIO("".join(lines)), dtype=BROKEN_BONDS)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _value(word: str, known: int) -> str:
    number = re.fullmatch(r"p(\d+)", word)
    return PAIR.names[int(number[1]) - 1] if number and int(number[1]) <= known else word


# smallest number of words of each command that affects columns of dumps and thermo output
COMMANDS = {"compute": 4, "fix": 4, "dump": 6, "write_dump": 4, "pair_style": 2, "pair_coeff": 4}
COMMANDS |= {"uncompute": 2, "unfix": 2, "undump": 2, "clear": 1, "run": 2, "rerun": 2}
COMMANDS |= {"minimize": 2, "read_restart": 2}
COMMANDS |= {"restoring": 6}  # "restoring pair style NAME from restart" of read_restart


def commands(log: str, least: Mapping[str, int] = COMMANDS) -> Iterator[list[str]]:
    """Yield the words of each command in a log.

    Only commands named in `least` are found. `least` maps each name to the smallest number of words
    of the command.
    """
    for line in re.sub(r"&\s*\n", " ", log).splitlines():
        words = line.split("#")[0].split()
        if words and len(words) >= least.get(words[0], len(words) + 1):
            yield words


def _named(
    table: pandas.DataFrame, outputs: Outputs, vectors: list[str], lacking: str
) -> pandas.DataFrame:
    if not vectors:
        raise ValueError(f"the run has {lacking}")
    for vector in reversed(vectors):
        columns = dict(zip(outputs.of(vector).split(), outputs.names, strict=True))
        found = [column for column in columns if column in table]
        if found:
            return table[found].rename(columns=columns)
    known = " or ".join(dict.fromkeys(vectors))  # a log may contain a command twice
    raise ValueError(f"the table has no column of {known} (style {outputs.style})")
