"""Pictures and films of grains, and pages for a browser."""

from pysuite.pictures.scene import (
    Scene,
    at_step,
    coloured,
    describe_misplaced,
    draw,
    read_dump,
    unit_style,
)
from pysuite.pictures.viewer import view

__all__ = [
    "Scene",
    "at_step",
    "coloured",
    "describe_misplaced",
    "draw",
    "read_dump",
    "unit_style",
    "view",
]
