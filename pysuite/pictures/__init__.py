"""Pictures, films and web pages of grains."""

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
