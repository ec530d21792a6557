"""Runs LAMMPS; `pysuite.engine` has the public names."""
