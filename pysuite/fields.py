"""The documented import path of `pysuite.measure.fields`."""

from pysuite.measure.fields import fields, grid, read_box
from pysuite.measure.volumes import Box

__all__ = ["Box", "fields", "grid", "read_box"]
