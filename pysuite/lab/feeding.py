"""Place grains with size distributions by mass, as measured by sieves, and write a data file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pysuite import engine
from pysuite.lab.grading import Grading
from pysuite.lab.settings import LAWS, POSITIVE, Key, Table, grading_of

TOP = ("number", "mass", "seed", "tries", "units", "box", "periodic", "inside", "species")
INSIDE = ("mesh", "scale", "turn", "offset")
SPECIES = ("density", *LAWS, "fraction")
ANY = Key(None, "", "", -math.inf)


@dataclass(frozen=True)
class Species:
    """One kind of grains. The atom type is the position in the list of kinds, counted from 1.

    Attributes:
        words: size law in the syntax of `fix granular/insert`.
        fraction: share of the mass. The shares of all kinds are divided by their sum.
    """

    density: float
    grading: Grading
    words: str
    fraction: float


@dataclass(frozen=True)
class Feed:
    """Grains to place, and the space in which they are placed.

    Attributes:
        total: "number N" or "mass M".
        place: "region box" or "mesh FILE …", in the syntax of `fix granular/insert`.
        box: array of shape (3, 2) with the lower and upper bounds.
    """

    total: str
    place: str
    box: np.ndarray
    periodic: str
    species: tuple[Species, ...]
    seed: int = 1
    tries: int = 1000
    units: str = "si"

    @classmethod
    def read(cls, settings: Path | str | Mapping[str, Any]) -> Feed:
        """Read a feed from a TOML file, or from a mapping with the same keys.

        Raises SettingsError if a setting is invalid.
        """
        top = Table.read(settings)
        top.only(TOP)
        given = [name for name in ("number", "mass") if name in top.values]
        if len(given) != 1:
            raise top.error("mass", "and number: give exactly one of the two")
        if given == ["number"]:
            total = f"number {top.whole('number', None)}"
        else:
            total = f"mass {top.needed('mass', POSITIVE)!r}"
        rows = top.values.get("species", [])
        if not isinstance(rows, list) or not rows or not all(isinstance(r, Mapping) for r in rows):
            raise top.error("species", "must be one or more [[species]] tables")
        species = tuple(_species(Table(row, "species", top.text, top.file)) for row in rows)
        periodic = top.text_of("periodic", "none")
        if periodic != "none" and not set(periodic) <= set("xyz"):
            raise top.error("periodic", 'must be axes such as "xy"')
        return cls(
            total,
            _place(top),
            _box(top),
            periodic.replace("none", ""),
            species,
            top.whole("seed", 1),
            top.whole("tries", 1000),
            top.text_of("units", "si"),
        )

    def script(self, data: Path) -> str:
        """Return the script that places the grains and writes a data file."""
        bounds = " ".join(f"{low!r} {high!r}" for low, high in self.box.tolist())
        boundary = " ".join("p" if axis in self.periodic else "f" for axis in "xyz")
        largest = max(one.grading.largest for one in self.species)
        grains = " &\n    ".join(
            f"species {number} density {one.density!r} diameter {one.words}"
            f" fraction {one.fraction!r}"
            for number, one in enumerate(self.species, start=1)
        )
        return f"""units {self.units}
atom_style sphere
boundary {boundary}
newton off
comm_modify vel yes
region box block {bounds}
create_box {len(self.species)} box
pair_style zero {largest!r}
pair_coeff * *
neighbor {0.1 * largest!r} bin
fix feed all granular/insert {self.place} seed {self.seed} {self.total} tries {self.tries} &
    {grains}
run 1
print "FED $(f_feed[1]:%.17g) $(f_feed[2]:%.17g) $(f_feed[3]:%.17g)"
write_dump all custom grains.dump id type radius modify format float %.17g
unfix feed
write_data "{data}" nocoeff
"""


@dataclass(frozen=True)
class Fed:
    """Grains that were placed.

    Attributes:
        missing: number of grains that were not placed or, if a mass was specified, the mass that
            was not placed. Even if all grains found room, the missing mass may be up to half the
            mass of a grain.
        sieves: sieve curves of the species; see `Grading.sieve_curve`.
    """

    count: int
    mass: float
    missing: float
    found_room: bool
    sieves: tuple[pd.DataFrame, ...]


def feed(settings: Feed, data: Path) -> Fed:
    """Place grains at random without overlaps, and write a data file of LAMMPS.

    Raises LammpsError if LAMMPS fails, for instance because a mesh is open.
    """
    run = engine.run(settings.script(data.absolute()))
    told = next(line for line in run.log.splitlines() if line.startswith("FED "))
    count, mass, missing = (float(word) for word in told.split()[1:])
    grains = run.dump("grains.dump")
    sieves = tuple(
        one.grading.sieve_curve(2.0 * grains["radius"][grains["type"] == number])
        if (grains["type"] == number).any()
        else pd.DataFrame({"opening": [], "wanted": [], "drawn": []})
        for number, one in enumerate(settings.species, start=1)
    )
    found_room = "there was no room" not in run.log
    return Fed(int(count), mass, missing, found_room, sieves)


def _species(table: Table) -> Species:
    table.only(SPECIES)
    density = table.needed("density", Key(None, "", "density of the material"))
    grading = grading_of(table)
    fraction = table.number("fraction", Key(1.0, "", "share of the mass"))
    return Species(density, grading, _words(table, grading), float(fraction or 1.0))


def _words(table: Table, grading: Grading) -> str:
    law = next(name for name in LAWS if name in table.values)
    ends = f"{grading.smallest!r} {grading.largest!r}"
    if law == "diameter":
        return f"one {table.needed('diameter', POSITIVE)!r}"
    if law == "sieve":
        rows = zip(grading.diameter.tolist(), grading.passing.tolist(), strict=True)
        return "sieve " + " ".join(f"{size!r} {passing!r}" for size, passing in rows)
    if law == "uniform":
        return f"uniform {ends}"
    numbers = [table.table(law).needed(key, POSITIVE) for key in LAWS[law]]
    return f"{law} {' '.join(map(repr, numbers))} {ends}"


def _box(top: Table) -> np.ndarray:
    value = top.values.get("box")
    if value is None:
        raise top.error("box", "is missing: give the box of the simulation, even with [inside]")
    try:
        box = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise top.error("box", "must be [[xlo, xhi], [ylo, yhi], [zlo, zhi]]") from error
    if box.shape != (3, 2) or not np.isfinite(box).all():
        raise top.error("box", "must be [[xlo, xhi], [ylo, yhi], [zlo, zhi]]")
    if not (box[:, 0] < box[:, 1]).all():
        raise top.error("box", "must have lower bounds < upper bounds")
    return box


def _place(top: Table) -> str:
    if "inside" not in top.values:
        return "region box"
    inside = top.table("inside")
    inside.only(INSIDE)
    mesh = Path(inside.text_of("mesh"))
    if not mesh.is_absolute() and top.file:
        mesh = Path(top.file).parent / mesh
    if not mesh.is_file():
        raise inside.error("mesh", "must be a file")
    words = [f'mesh "{mesh.absolute()}"']
    if "scale" in inside.values:
        words.append(f"scale {inside.needed('scale', POSITIVE)!r}")
    for key, count in (("turn", 4), ("offset", 3)):
        numbers = inside.numbers(key, ANY)
        if numbers is None:
            continue
        if len(numbers) != count:
            raise inside.error(key, f"must be {count} numbers")
        words.append(f"{key} {' '.join(map(repr, numbers))}")
    return " ".join(words)
