"""The laboratory: experiments that measure bulk properties of grains, as functions.

Each function takes a TOML file, or a mapping with the same keys, and the keywords of
`pysuite.lab.runs.run`; it writes a LAMMPS script, runs it with several samples of grains, and
returns an `Outcome`: a table, values with their uncertainty, a picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pysuite.lab.grading import Grading
from pysuite.lab.runs import EXPERIMENTS, Outcome, run
from pysuite.lab.settings import SettingsError

__all__ = [
    "EXPERIMENTS",
    "Grading",
    "Outcome",
    "SettingsError",
    "drum",
    "heap",
    "hopper",
    "oedometer",
    "packing",
    "run",
    "shear",
    "silo",
    "triaxial",
]

Source = Path | str | Mapping[str, Any]


def heap(settings: Source, **keywords: Any) -> Outcome:
    """Lift a cylinder off a pile of grains and measure the angle of the resulting heap."""
    return run("heap", settings, **keywords)


def drum(settings: Source, **keywords: Any) -> Outcome:
    """Rotate a drum and measure the dynamic angle of the surface."""
    return run("drum", settings, **keywords)


def hopper(settings: Source, **keywords: Any) -> Outcome:
    """Let grains flow out of a bin: rate, Beverloo's law, probability of an arch."""
    return run("hopper", settings, **keywords)


def silo(settings: Source, **keywords: Any) -> Outcome:
    """Let grains flow out of a silo with a conical hopper; measures the same as `hopper`."""
    return run("silo", settings, **keywords)


def shear(settings: Source, **keywords: Any) -> Outcome:
    """Shear grains under normal stress: yield locus, bulk friction, cohesion."""
    return run("shear", settings, **keywords)


def triaxial(settings: Source, **keywords: Any) -> Outcome:
    """Compress a periodic sample under lateral stress: strength, dilatancy, stiffness."""
    return run("triaxial", settings, **keywords)


def oedometer(settings: Source, **keywords: Any) -> Outcome:
    """Compress grains between rigid sides and unload them: moduli and strains."""
    return run("oedometer", settings, **keywords)


def packing(settings: Source, **keywords: Any) -> Outcome:
    """Make a packing of given pressure or volume fraction."""
    return run("packing", settings, **keywords)
