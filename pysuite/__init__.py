"""Drives LAMMPS with granular/plus, compares with reference solutions and judges."""

__version__ = "1.0.0"
