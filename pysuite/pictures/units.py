"""Units of the quantities in a dump, for each unit style of LAMMPS."""

from __future__ import annotations

import math
from typing import NamedTuple

from pysuite.names import close_matches


class Units(NamedTuple):
    """The units of one unit style. A quantity without a unit has the unit ""."""

    length: str = ""
    mass: str = ""
    time: str = ""
    force: str = ""
    pressure: str = ""


STYLES = {
    "si": Units("m", "kg", "s", "N", "Pa"),
    "cgs": Units("cm", "g", "s", "dyn", "dyn/cm²"),
    "micro": Units("µm", "pg", "µs", "pg µm/µs²", "pg/(µm µs²)"),
    "nano": Units("nm", "ag", "ns", "ag nm/ns²", "ag/(nm ns²)"),
    "metal": Units("Å", "g/mol", "ps", "eV/Å", "bar"),
    "real": Units("Å", "g/mol", "fs", "kcal/(mol Å)", "atm"),
    "lj": Units(),
    "": Units(),
}
METRES = {"m": 1.0, "cm": 1e-2, "µm": 1e-6, "nm": 1e-9}
PREFIXES = {"km": 1e3, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "µm": 1e-6, "nm": 1e-9}
LENGTHS = ("x", "y", "z", "xu", "yu", "zu", "radius", "diameter")
SPEEDS = ("speed", "vx", "vy", "vz")
FORCES = ("force", "fx", "fy", "fz")


def units_of(style: str) -> Units:
    """Return the units of a unit style. Raises ValueError if the style is unknown."""
    if style not in STYLES:
        raise ValueError(f"units {style}: unknown{close_matches(style, filter(None, STYLES))}")
    return STYLES[style]


def unit_of(column: str, units: Units) -> str:
    """Return the unit of "speed", "force" or a column of a dump; "" if there is none."""
    if column in LENGTHS:
        return units.length
    if column in SPEEDS:
        return units.length and f"{units.length}/{units.time}"
    if column in FORCES:
        return units.force
    return {"mass": units.mass}.get(column, "")


def labelled(name: str, unit: str) -> str:
    """Return a name with its unit."""
    return f"{name} ({unit})" if unit else name


def round_length(most: float) -> float:
    """Return the largest number <= `most` that is 1, 2 or 5 times a power of ten.

    `most` must be > 0.
    """
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (0.5, 1.0, 2.0, 5.0) if step * power <= most * (1 + 1e-9))


def written_length(length: float, units: Units) -> str:
    """Return a length as text, in a unit for which the number is between 1 and 1000.

    If there is no such unit, the unit of the unit style is kept.
    """
    if units.length not in METRES:
        return f"{length:.3g} {units.length}".rstrip()
    metres = length * METRES[units.length]
    for unit, size in PREFIXES.items():
        if metres >= 0.9999 * size:
            return f"{metres / size:.3g} {unit}"
    return f"{length:.3g} {units.length}"
