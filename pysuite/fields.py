"""The documented import path of `pysuite.measure.fields`."""

from pysuite.measure.fields import Box, fields, grid, read_box

__all__ = ["Box", "fields", "grid", "read_box"]
