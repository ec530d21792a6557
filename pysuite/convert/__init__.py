"""Conversion of LAMMPS scripts to granular/plus, and comparison of forces."""

from pysuite.convert.conversion import (
    CLASSIC_PAIR,
    CLASSIC_WALL,
    CONE,
    MARSHALL,
    MOVING_PART,
    NEW_FRICTION,
    RESTART,
    ROLLING,
    SECOND_RUN,
    SINGLE,
    SPINNING,
    Conversion,
    Note,
    classic_coefficients,
    convert,
    is_number,
)

__all__ = [
    "CLASSIC_PAIR",
    "CLASSIC_WALL",
    "CONE",
    "MARSHALL",
    "MOVING_PART",
    "NEW_FRICTION",
    "RESTART",
    "ROLLING",
    "SECOND_RUN",
    "SINGLE",
    "SPINNING",
    "Conversion",
    "Note",
    "classic_coefficients",
    "convert",
    "is_number",
]
