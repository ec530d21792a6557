"""Run LAMMPS with granular/plus, compare with reference solutions and judge the results."""

__version__ = "1.0.0"
