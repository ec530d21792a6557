"""Grains and contacts need no more memory in granular/plus than in pair_style granular."""

from __future__ import annotations

import re

import pytest

from pysuite import engine

PACKED = """
units lj
atom_style sphere
comm_modify vel yes
region box block 0 30 0 30 0 30
create_box 1 box
lattice {lattice}
create_atoms 1 box
set group all diameter 1 density 1
neighbor {skin} bin
pair_style {style}
pair_coeff * * hertz/material 1e6 0.9 0.3 damping tsuji tangential mindlin NULL 1.0 0.5
fix move all nve/sphere
timestep 1e-5
run 1
"""


@pytest.mark.parametrize("skin", [0.1, 0.3])
@pytest.mark.parametrize("lattice", ["sc 1.01", "fcc 1.42"])  # 3 and 6 contacts per grain
def test_no_more_is_reported_than_by_granular(lattice, skin):
    """LAMMPS prints the memory of all arrays with four digits, so the resolution is 0.1 %."""
    reported = {}
    for style in ("granular", "granular/plus"):
        result = engine.run(PACKED.format(lattice=lattice, skin=skin, style=style))
        (figure,) = re.findall(r"Per MPI rank memory .* = \S+ \| (\S+) \|", result.log)
        reported[style] = float(figure)
    assert 0.0 < reported["granular/plus"] < reported["granular"], reported
