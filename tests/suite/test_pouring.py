"""Grains are poured in the requested proportions by mass."""

from __future__ import annotations

import doctest
import re

import numpy as np
import pytest

from pysuite import engine, pouring

SCRIPT = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 12 0 12 -1 30
create_box 1 box
pair_style granular/plus 2.0
pair_coeff * * hooke 1e4 10 damping mass_velocity tangential linear_history 3e3 1 0.5
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor all wall/granular/plus hooke 1e4 10 damping mass_velocity &
    tangential linear_history 3e3 1 0.5 zplane 0 NULL
region above block 1 11 1 11 4 28 units box
fix pour all pour 400 1 4711 region above {diameters} dens 1 1
timestep 1e-3
run 1
write_dump all custom grains id diameter
"""


def test_the_example_is_true():
    assert doctest.testmod(pouring).attempted == 1
    assert doctest.testmod(pouring).failed == 0


def test_the_mass_is_shared_as_asked_for():
    """The number of grains of the rarest size scatters by 10 %."""
    wanted = {0.8: 0.3, 1.2: 0.3, 1.8: 0.4}
    found = engine.run(SCRIPT.format(diameters=pouring.diameters_by_mass(wanted))).dump("grains")
    mass = {d: (np.isclose(found["diameter"], d)).sum() * d**3 for d in wanted}
    for diameter, fraction in wanted.items():
        assert mass[diameter] / sum(mass.values()) == pytest.approx(fraction, abs=0.12)


@pytest.mark.parametrize(
    ("fractions", "message"),
    [
        ({}, "at least one class of grains must have"),
        ({1.0: 0.0}, "at least one class of grains must have"),
        ({-1.0: 0.5}, "diameter = -1.0 must be > 0"),
        ({1.0: -0.5}, "mass fraction -0.5 of diameter 1 must be >= 0"),
        ({1.0: float("nan")}, "mass fraction nan of diameter 1 must be >= 0"),
    ],
)
def test_what_cannot_be_is_refused(fractions, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        pouring.diameters_by_mass(fractions)
