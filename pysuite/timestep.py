"""The public names of `pysuite.measure.timestep`."""

from pysuite.measure.timestep import RAYLEIGH_PART, STEPS, Advice, advise

__all__ = ["RAYLEIGH_PART", "STEPS", "Advice", "advise"]
