"""Run LAMMPS. The public names are in `pysuite.engine`."""
