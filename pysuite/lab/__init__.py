"""Functions that run laboratory experiments and measure bulk properties of grains.

The function of an experiment, such as `heap`, accepts a TOML file (or a mapping with the same keys)
and the keyword arguments of `run`. The function writes a LAMMPS script, runs this script with
several samples of grains, and returns an `Outcome` with a table, a picture, and values with their
uncertainty.
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
    """Let grains flow out of a bin.

    The results are the flow rate, the probability of arching, and a fit of Beverloo's law.
    """
    return run("hopper", settings, **keywords)


def silo(settings: Source, **keywords: Any) -> Outcome:
    """Let grains flow out of a silo with a conical hopper. The results are those of `hopper`."""
    return run("silo", settings, **keywords)


def shear(settings: Source, **keywords: Any) -> Outcome:
    """Shear grains under normal stress and measure yield locus, bulk friction and cohesion."""
    return run("shear", settings, **keywords)


def triaxial(settings: Source, **keywords: Any) -> Outcome:
    """Compress a periodic sample under lateral stress.

    The results are strength, dilatancy and stiffness.
    """
    return run("triaxial", settings, **keywords)


def oedometer(settings: Source, **keywords: Any) -> Outcome:
    """Compress grains between a piston and a floor, unload them, and measure moduli and strains."""
    return run("oedometer", settings, **keywords)


def packing(settings: Source, **keywords: Any) -> Outcome:
    """Make a packing with a given pressure or volume fraction."""
    return run("packing", settings, **keywords)
