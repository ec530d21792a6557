"""Bulk density of lattices, and fragments held together by bonds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, measure
from pysuite.measure.volumes import Box, block, region
from pysuite.outputs import pair_local

BAR = f"""
units lj
atom_style bpm/sphere
boundary f f f
comm_modify vel yes
region box block 0 8 0 2 0 2
create_box 1 box
create_atoms 1 single 1 1 1
create_atoms 1 single 2.02 1 1
create_atoms 1 single 3.04 1 1
create_atoms 1 single 5 1 1
create_atoms 1 single 6.02 1 1
create_atoms 1 single 7.5 1 1
set group all diameter 1 density 1
set atom 6 diameter 0.5 density 1
pair_style granular/plus
pair_coeff * * hertz/material 1e4 0.7 0.25 damping coeff_restitution tangential mindlin NULL 1 0.5 &
  bond beam 1e4 0.25 0.5 tension 60 shear 120
fix bond all granular/bond form 0.05
fix move all nve/bpm/sphere
timestep 1e-3
compute ends all property/local patom1 patom2
compute bond all pair/local {pair_local("bond")}
dump grains all custom 5 grains.dump id x y z mass
dump bonds all local 5 bonds.dump index c_ends[*] c_bond
run 5
delete_atoms group all
run 0
"""


def lattice(count):
    places = np.stack(np.meshgrid(*[np.arange(count) + 0.5] * 3, indexing="ij"), -1)
    return pd.DataFrame(places.reshape(-1, 3), columns=list("xyz")).assign(radius=0.5, mass=2.0)


def test_a_lattice_has_its_bulk_density_wherever_the_box_ends():
    grains = lattice(8)
    for ends in ((0, 8, 0, 8, 0, 8), (1.3, 5.3, 2.1, 4.1, 1.6, 5.6)):
        found = measure.bulk_density(grains, block(ends, grains))
        assert found.density == pytest.approx(2.0, rel=1e-12)
        assert found.fraction == pytest.approx(np.pi / 6, rel=1e-12)
        assert found.volume == pytest.approx(np.prod(np.diff(np.reshape(ends, (3, 2)))))
    assert measure.bulk_density(grains).mass == pytest.approx(2 * 512)
    # in a periodic box, the parts of grains that protrude from its sides count too
    box = Box(np.array([[0.0, 8.0]] * 3), (True, True, True))
    moved = grains.assign(x=grains["x"] + 0.4)
    assert measure.bulk_density(moved, box=box).density == pytest.approx(2.0, rel=1e-12)


def test_a_grain_at_the_border_counts_in_part():
    one = lattice(1)
    for ends, part in (((0.5, 1, 0, 1, 0, 1), 0.5), ((0.75, 1, 0, 1, 0, 1), 0.15625)):
        found = measure.bulk_density(one, block(ends, one))
        assert found.mass / 2.0 == pytest.approx(part, abs=0.02)  # a grain has 128 sample points


def test_a_cylinder_cut_from_a_lattice_has_its_bulk_density():
    grains = lattice(30)
    words = ["cylinder", "z", "15", "15", "12", "2", "28"]
    found = measure.bulk_density(grains, region(words, grains))
    assert found.volume == pytest.approx(np.pi * 144 * 26, rel=1e-3)
    assert found.density == pytest.approx(2.0, rel=5e-3)


def test_pieces_are_what_bonds_hold_together():
    run = engine.run(BAR, check=False)
    pieces = run.fragments("grains.dump", "bonds.dump", step=5)
    assert pieces["grains"].tolist() == [3, 2, 1]
    mass = np.pi / 6 * np.array([3.0, 2.0, 0.125])
    np.testing.assert_allclose(pieces["mass"], mass, rtol=1e-5)
    grains, contacts = run.dump("grains.dump"), run.local("bonds.dump")
    first = [table[table["step"] == 0] for table in (grains, contacts)]
    assert measure.fragment_numbers(*first).tolist() == [0, 0, 0, 1, 1, 2]
    with pytest.raises(ValueError, match=r"'grains.dump' has no frame of step 4"):
        run.fragments("grains.dump", "bonds.dump", step=4)
    for name in ("bonds.dump", "grains.dump"):
        path = run.folder / name
        whole = path.read_text()
        path.write_text(whole[:-4])
        with pytest.raises(ValueError, match=f"{name}: the frame of step 5 is incomplete"):
            run.fragments("grains.dump", "bonds.dump", step=5)
        with pytest.warns(UserWarning, match=f"{name}: the frame of step 5 is incomplete"):
            assert set(run.local(name)["step"]) == {0}
        assert len(run.fragments("grains.dump", "bonds.dump", step=0)) == 3
        path.write_text(whole)
    with pytest.raises(
        ValueError, match="contacts is of step 5, but the table of grains is of step 0"
    ):
        measure.fragments(first[0], contacts[contacts["step"] == 5])
    with pytest.raises(ValueError, match=f"no column bond: add the word {pair_local('bond')}"):
        measure.fragments(first[0], first[1].drop(columns="bond"))
