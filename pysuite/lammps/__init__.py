"""Drives LAMMPS; the names for users are in `pysuite.engine`."""
