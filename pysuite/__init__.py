"""Drives LAMMPS with granular/plus, compares with reference solutions and judges."""

__version__ = "0.1.0"
