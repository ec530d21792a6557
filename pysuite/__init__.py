"""Run LAMMPS with granular/plus, compare the results with reference solutions and judge them."""

__version__ = "1.0.0"
