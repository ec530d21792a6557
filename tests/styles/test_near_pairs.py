"""Pairs that cannot touch yet are left out of the loop, and are back before they touch."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

from pysuite import engine
from pysuite.setups import packings

# Grains that fly through each other's neighbourhood, and all together through space. Against the
# others none flies half of the wide skin, so that one list serves; most of its pairs never touch,
# and the short list pays.
SCRIPT = """
units lj
atom_style sphere
atom_modify map array sort 0 0
boundary s s s
comm_modify vel yes
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 random 700 4711 box overlap 1.02 maxtry 1000
set group all diameter 1 density 1
velocity all create 3 1234 loop all
velocity all set {drift} 0 0 sum yes
neighbor 1.0 bin
neigh_modify every {every} delay 0 check no
pair_style granular/plus
pair_coeff * * hertz 1e5 100 tangential mindlin 1e5 0.8 0.3
fix move all nve/sphere
timestep 1e-4
run 500
"""


def flown(drift: float, every: int) -> pandas.DataFrame:
    """State of the grains after the flight."""
    return engine.run(SCRIPT.format(drift=drift, every=every) + packings.write("end")).dump("end")


@pytest.mark.parametrize("drift", [0.0, 30.0])
def test_no_contact_is_missed(tools, drift):
    """A new list in every step has all pairs; rounding differs, as lists have another order."""
    state = flown(drift, every=100_000)
    spins = state[["omegax", "omegay", "omegaz"]].to_numpy()
    assert (np.abs(spins).max(axis=1) > 1e-3).sum() > 100  # so many have met somebody
    found = tools.difference(state, flown(drift, every=1))
    assert max(found.values()) < 1e-8, found
