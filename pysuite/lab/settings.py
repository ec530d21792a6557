"""Settings of an experiment, read from TOML or a mapping, and checked."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pysuite.lab.grading import Grading
from pysuite.names import close_matches

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class SettingsError(ValueError):
    """A setting is invalid. The message names the setting's table, key, value and bound."""


class Key(NamedTuple):
    """A numerical setting of an experiment.

    Attributes:
        default: default value, or a description if the default depends on the grains.
        strict: whether the number must be > `low` rather than >= `low`.
        several: whether a list is allowed.
    """

    default: float | str | None
    unit: str
    meaning: str
    low: float = 0.0
    strict: bool = True
    high: float = math.inf
    several: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a TOML file, with the name and text of the file for error messages."""

    values: Mapping[str, Any]
    name: str = ""
    text: str = ""
    file: str = ""

    @classmethod
    def read(cls, settings: Path | str | Mapping[str, Any]) -> Table:
        """Return the top-level table."""
        if isinstance(settings, Mapping):
            return cls(settings)
        path = Path(settings)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise SettingsError(f"{path}: must be UTF-8 text ({error.reason})") from error
        try:
            return cls(tomllib.loads(text), text=text, file=str(path))
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{path}: {error}") from error

    def error(self, key: str, must: str) -> SettingsError:
        """Return an error about a key, with its value and the requirement."""
        value = f" = {_shown(self.values[key])}" if key in self.values else ""
        return self.located(f"{key}{value} {must}")

    def located(self, problem: str) -> SettingsError:
        """Return an error with file and line; `problem` begins with a key."""
        place = f"{self.file}: " if self.file else ""
        line = self._line(problem.split(" ", 1)[0])
        place += f"line {line}: " if line else ""
        table = f"[{self.name}] " if self.name else ""
        return SettingsError(f"{place}{table}{problem}")

    def _line(self, key: str) -> int | None:
        current = ""
        table = f"{self.name}.{key}" if self.name else key
        for number, line in enumerate(self.text.splitlines(), start=1):
            head = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?", line)
            if head:
                current = head[1]
                if current == table:
                    return number
            elif current == self.name and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[=.]", line):
                return number
        return None

    def table(self, key: str) -> Table:
        """Return a table inside this table, or an empty table if the key is missing."""
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            raise self.error(key, "must be a table")
        name = f"{self.name}.{key}" if self.name else key
        return Table(value, name, self.text, self.file)

    def text_of(self, key: str, default: str | None = None) -> str:
        """Return a text, or the default if the key is missing."""
        value = self.values.get(key, default)
        if value is None:
            raise self.error(key, "is missing")
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, "must be a text that is not empty")
        return " ".join(value.split())

    def texts(self, key: str) -> list[str]:
        """Return a list of texts, which is empty if the key is missing."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
            raise self.error(key, "must be a list of texts")
        return list(value)

    def number(self, key: str, kind: Key) -> float | None:
        """Return a number within its bounds, or None if there is neither a value nor a default."""
        value = self.values.get(key, kind.default if not isinstance(kind.default, str) else None)
        if value is None:
            return None
        return self._checked(key, value, kind)

    def needed(self, key: str, kind: Key) -> float:
        """Return a required number."""
        value = self.number(key, kind)
        if value is None:
            raise self.error(key, f"is missing: {kind.meaning}")
        return value

    def whole(self, key: str, default: int | None, low: int = 1, bound: str = "") -> int:
        """Return a whole number. `bound` describes the lower bound in error messages."""
        value = self.values.get(key, default)
        if value is None:
            raise self.error(key, "is missing")
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise self.error(key, f"must be a whole number >= {bound or low}")
        return value

    def numbers(self, key: str, kind: Key) -> list[float] | None:
        """Return a list of numbers, or None if there is neither a value nor a default.

        A single number is returned as a list.
        """
        value = self.values.get(key)
        if value is None:
            return None if not isinstance(kind.default, (int, float)) else [float(kind.default)]
        if not isinstance(value, list):
            return [self._checked(key, value, kind)]
        if not value:
            raise self.error(key, "must contain at least one number")
        return [self._checked(key, one, kind) for one in value]

    def _checked(self, key: str, value: Any, kind: Key) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, "must be a number")
        if not abs(value) <= sys.float_info.max:
            raise self.error(key, "must be finite")
        bounds = []
        if kind.low > -math.inf:
            bounds.append(f"{'>' if kind.strict else '>='} {kind.low:g}")
        if kind.high < math.inf:
            bounds.append(f"<= {kind.high:g}")
        above = value > kind.low if kind.strict else value >= kind.low
        if not (above and value <= kind.high):
            raise self.error(key, f"must be {' and '.join(bounds)}")
        return float(value)

    def only(self, known: Iterable[str]) -> None:
        """Raise an error if a key is unknown, and suggest a known key."""
        known = list(known)
        for key in self.values:
            if key not in known:
                raise self.error(key, f"is unknown{close_matches(key, known)}")


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Mapping):
        return "{…}"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


@dataclass(frozen=True)
class Grains:
    """The grains of an experiment.

    Attributes:
        grading: size distribution by mass. The size of a shaped grain is the diameter of a sphere
            of equal volume.
        shape: mesh file, or None for spheres.
        commands: LAMMPS commands after the grains are read.
    """

    density: float
    grading: Grading
    count: int | None
    shape: Path | None
    words: str
    commands: list[str]

    @functools.cached_property
    def bounding(self) -> float:
        """Diameter of the sphere around a grain / diameter of the sphere of equal volume."""
        if self.shape is None:
            return 1.0
        from pysuite import shapes

        body = shapes.Shape(self.shape)
        return float(body.bounding_radius / body.volume_radius)


@dataclass(frozen=True)
class Settings:
    """All settings of an experiment.

    Attributes:
        contact: arguments of pair_coeff, with variables such as ${mu}.
        wall: arguments for contacts with walls; by default `contact`.
        prepare: arguments of pair_coeff while a sample is prepared; by default `contact`.
        parameters: values of the variables in these arguments.
        options: value of each key of the experiment. The value is None if the default applies and
            depends on the grains. The value is a list if there are separate runs for each element.
        timestep: time step, or None if the time step is chosen automatically.
        seed: random seed, combined with the number of the repetition.
    """

    contact: str
    wall: str
    prepare: str
    parameters: dict[str, float]
    grains: Grains
    options: dict[str, Any]
    timestep: float | None
    units: str
    seed: int

    @property
    def used_parameters(self) -> set[str]:
        """The variables that the contact models use."""
        return set(re.findall(r"\$\{(\w+)\}", f"{self.contact} {self.wall} {self.prepare}"))


POSITIVE = Key(None, "", "")
TOP = ("contact", "wall", "prepare", "parameters", "grains", "timestep", "units", "seed")
# size laws, with the keys of their tables besides smallest and largest
LAWS: dict[str, tuple[str, ...]] = {
    "sieve": (),
    "diameter": (),
    "uniform": (),
    "lognormal": ("median", "deviation"),
    "rosin_rammler": ("size", "exponent"),
}


def parse(top: Table, experiment: str, keys: Mapping[str, Key], counted: bool) -> Settings:
    """Return the settings of an experiment. Raises SettingsError if a setting is invalid."""
    top.only([*TOP, experiment])
    contact = top.text_of("contact")
    wall = top.text_of("wall", contact)
    prepare = top.text_of("prepare", contact)
    units = top.text_of("units", "si")
    if units not in ("si", "lj", "cgs", "micro"):
        raise top.error("units", "must be si, cgs, micro or lj")
    parameters = top.table("parameters")
    values = {
        name: parameters.needed(name, Key(None, "", "", -math.inf)) for name in parameters.values
    }
    for key, words in (("contact", contact), ("wall", wall), ("prepare", prepare)):
        for name in re.findall(r"\$\{(\w+)\}", words):
            if name not in values:
                raise top.error(key, f"must use variables of [parameters] only, not {name!r}")
    grains = _grains(top.table("grains"), counted)
    own = top.table(experiment)
    own.only(keys)
    options: dict[str, Any] = {}
    for name, kind in keys.items():
        options[name] = own.numbers(name, kind) if kind.several else own.number(name, kind)
    timestep = top.number("timestep", POSITIVE)
    seed = top.whole("seed", 1)
    return Settings(contact, wall, prepare, values, grains, options, timestep, units, seed)


def _grains(table: Table, counted: bool) -> Grains:
    own = ["density", *LAWS, "shape", "shape_words", "commands"]
    table.only([*own, "count"] if counted else own)
    density = table.needed("density", Key(None, "", "density of the material"))
    grading = grading_of(table)
    count = table.whole("count", None, 2) if counted else None
    shape = table.values.get("shape")
    path = None
    if shape is not None:
        path = Path(table.text_of("shape"))
        if not path.is_absolute() and table.file:
            path = Path(table.file).parent / path
        if not path.is_file():
            raise table.error("shape", "must be a file")
    words = table.text_of("shape_words", "surface smooth") if shape else ""
    commands = table.texts("commands")
    return Grains(density, grading, count, path, words, commands)


def grading_of(table: Table) -> Grading:
    """Return the size law of a table.

    Raises SettingsError unless the table has exactly one size law.
    """
    given = [name for name in LAWS if name in table.values]
    if len(given) != 1:
        raise table.error(
            given[1] if given else "sieve",
            f"must be the only size law; the laws are: {', '.join(LAWS)}"
            if given
            else f"is missing: give `sieve` or another size law: {', '.join(list(LAWS)[1:])}",
        )
    law = given[0]
    if law == "diameter":
        return Grading.of_one_size(table.needed("diameter", POSITIVE))
    if law == "sieve":
        try:
            return Grading.of_sieves(table.values["sieve"])
        except (ValueError, TypeError) as error:
            raise table.error("sieve", str(error)) from error
    return _law(table, law)


def _law(table: Table, name: str) -> Grading:
    law = table.table(name)
    law.only([*LAWS[name], "smallest", "largest"])
    limits = [law.number(end, POSITIVE) for end in ("smallest", "largest")]
    try:
        if name == "uniform":
            low, high = (law.needed(end, POSITIVE) for end in ("smallest", "largest"))
            if not low < high:
                raise law.error("largest", f"must be > smallest = {low:g}")
            grading = Grading.uniform(low, high)
        elif name == "lognormal":
            median = law.needed("median", POSITIVE)
            deviation = law.needed("deviation", Key(None, "", "d84/d50", 1.0))
            grading = Grading.lognormal(median, deviation, *limits)
        else:
            size = law.needed("size", POSITIVE)
            grading = Grading.rosin_rammler(size, law.needed("exponent", POSITIVE), *limits)
    except SettingsError:
        raise
    except ValueError as error:
        raise table.error(name, str(error)) from error
    return grading
