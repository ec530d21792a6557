"""Pictures and films of grains, without a screen."""

from pysuite.pictures.scene import Scene, at_step, coloured, draw, read_dump, unit_style

__all__ = ["Scene", "at_step", "coloured", "draw", "read_dump", "unit_style"]
