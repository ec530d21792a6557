"""Measurements of packings and flows, compared with values computed by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, measure
from pysuite.contacts import NORMAL, SEPARATION
from pysuite.outputs import WALL_CONTACTS, pair_local


def cone(slope: float, rough: float = 0.0) -> pd.DataFrame:
    """Return grains with tops on a cone: eight grains at each distance from the axis at (3, -2)."""
    random = np.random.default_rng(7)
    away, angle = np.meshgrid(np.arange(0.5, 10.0), np.arange(8) * np.pi / 4)
    away, angle = away.ravel(), angle.ravel()
    tops = 10.0 - slope * away + rough * random.uniform(-1, 1, away.size)
    x, y = 3.0 + away * np.cos(angle), -2.0 + away * np.sin(angle)
    return pd.DataFrame({"x": x, "y": y, "z": tops - 0.5, "radius": 0.5})


def test_a_cone_has_the_angle_of_its_slope():
    profile = measure.surface(cone(0.5), np.arange(11))
    found = measure.angle_of_repose(profile)
    assert found.value == pytest.approx(np.degrees(np.arctan(0.5)), rel=1e-12)
    assert found.high - found.low < 1e-9


def test_a_rough_surface_has_an_uncertain_angle():
    profile = measure.surface(cone(0.5, 0.3), np.arange(11))
    found = measure.angle_of_repose(profile, level=0.999)
    assert found.low < np.degrees(np.arctan(0.5)) < found.high
    assert 0.2 < found.high - found.low < 10.0


def test_both_sides_of_a_ridge_count_and_what_lies_around_it_can_be_left_out():
    x = np.arange(-12.5, 13.0)
    tops = np.maximum(8.0 - 0.8 * np.abs(x), 1.0)
    ridge = pd.DataFrame({"x": x, "y": 0.0, "z": tops - 0.5, "radius": 0.5})
    profile = measure.surface(ridge, np.arange(-13, 14), ridge["x"])
    steep = np.degrees(np.arctan(0.8))
    found = measure.angle_of_repose(profile, between=(1.1, np.inf))
    assert found.value == pytest.approx(steep, rel=1e-12)
    assert measure.angle_of_repose(profile).value < steep - 3.0
    with pytest.raises(ValueError, match="between the heights 7 and inf; there are 2"):
        measure.angle_of_repose(profile, between=(7.0, np.inf))


def test_where_no_grain_lies_the_surface_has_no_height_or_that_of_the_floor():
    grain = pd.DataFrame({"x": [0.5], "y": [0.0], "z": [2.0], "radius": [0.25]})
    assert measure.surface(grain, [0, 1, 2], grain["x"])["height"].isna().tolist() == [False, True]
    found = measure.surface(grain, [0, 1, 2], grain["x"], floor=0.1)
    assert found["height"].tolist() == [2.25, 0.1]
    with pytest.raises(ValueError, match="must be two or more numbers"):
        measure.surface(grain, [1, 0])


def test_mass_flow_finds_the_rate_of_a_noisy_discharge():
    random = np.random.default_rng(3)
    time = 0.25 * np.arange(401)
    steps = 0.5 + 0.2 * random.standard_normal(400)
    found = measure.mass_flow(time, np.concatenate([[7.0], 7.0 + steps.cumsum()]))
    assert found.low < 2.0 < found.high
    # twice 1.96 standard errors of 400 increments
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.8 / 20, rel=0.4)


def test_mass_flow_refuses_times_that_are_not_even():
    with pytest.raises(
        ValueError, match="time must be evenly spaced; its intervals range from 1 to 2"
    ):
        measure.mass_flow([0, 1, 3], [0, 1, 2])
    with pytest.raises(ValueError, match="must have the same length"):
        measure.mass_flow([0, 1, 3], [0, 1])
    with pytest.raises(ValueError, match=r"time has 4 values, too few .*Write more lines"):
        measure.mass_flow([0, 1, 2, 3], [0, 1, 2, 3])
    with pytest.raises(ValueError, match="time and mass must be finite"):
        measure.mass_flow(range(20), [float("nan"), *range(19)])


def test_rattlers_are_taken_away_one_after_the_other():
    grains = pd.DataFrame({"id": [5, 1, 2, 3, 4, 6, 9]})
    pairs = [(1, 2), (2, 3), (3, 4), (4, 1), (4, 5), (5, 6)]
    contacts = pd.DataFrame(pairs, columns=["patom1", "patom2"])
    found = measure.coordination(grains, contacts)
    assert found.mean == pytest.approx(12 / 7)
    assert found.contacts.tolist() == [2, 2, 2, 2, 3, 1, 0]
    assert found.bearing == 2.0
    assert found.rattling.tolist() == [True, False, False, False, False, True, True]
    assert found.rattlers == pytest.approx(3 / 7)
    held = measure.coordination(grains, contacts, walls=[0, 0, 0, 0, 0, 1, 0])
    assert held.rattling.tolist() == [False] * 6 + [True]
    assert held.bearing == pytest.approx(13 / 6)


def test_bridges_across_a_gap_are_no_contacts():
    grains = pd.DataFrame({"id": [1, 2, 3]})
    contacts = pd.DataFrame({"patom1": [1, 2], "patom2": [2, 3], "gap": [-0.01, 0.02]})
    contacts[NORMAL] = [[1.0, 0, 0], [0, 1.0, 0]]
    assert measure.coordination(grains, contacts).contacts.tolist() == [1, 1, 0]
    np.testing.assert_array_equal(measure.fabric(contacts), np.diag([1.0, 0.0, 0.0]))


@pytest.mark.parametrize("cutoff", ["", "1.5"])
@pytest.mark.parametrize("gap", ["gap", ""])
def test_grains_that_do_not_touch_do_not_count(cutoff, gap):
    """The gap between neighbours is 0.08, so they are within LAMMPS's cutoff."""
    run = engine.run(f"""
units lj
atom_style sphere
boundary p p p
comm_modify vel yes
lattice sc 0.7513148
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
set group all diameter 1.02 density 1
set atom 1 diameter 1.3
pair_style granular/plus {cutoff}
pair_coeff * * hooke 1e4 10 tangential linear_history 1e3 1 0.5
fix move all nve/sphere
compute ends all property/local patom1 patom2
compute pair all pair/local dist force {pair_local(*SEPARATION, *gap.split())}
dump grains all custom 1 grains id x y z radius
dump contacts all local 1 contacts index c_ends[*] c_pair[*]
run 0
""")
    contacts = run.local("contacts")
    assert len(contacts) > 100
    assert measure.coordination(run.dump("grains"), contacts).mean == 12 / 64
    np.testing.assert_allclose(measure.fabric(contacts), np.eye(3) / 3, atol=1e-12)


def test_fabric_needs_normals():
    contacts = pd.DataFrame({name: [1.0] for name in SEPARATION})
    with pytest.raises(ValueError, match="no column normal_x: add the word p"):
        measure.fabric(contacts)


def test_unknown_grains_and_tables_of_several_times_are_told():
    contacts = pd.DataFrame({"patom1": [1], "patom2": [7]})
    with pytest.raises(ValueError, match="grain 7, which is not in the table"):
        measure.coordination(pd.DataFrame({"id": [1, 2]}), contacts)
    with pytest.raises(ValueError, match="an ID occurs twice"):
        measure.coordination(pd.DataFrame({"id": [1, 1]}), contacts)


def test_fabric_of_many_directions_is_isotropic_and_that_of_few_is_not():
    vectors = np.random.default_rng(1).standard_normal((40000, 3))
    tensor = measure.fabric(vectors)
    assert np.trace(tensor) == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(tensor, np.eye(3) / 3, atol=0.006)  # 4 standard errors
    squashed = measure.fabric(vectors * [1, 1, 0])
    np.testing.assert_allclose(squashed[2], 0.0)
    assert measure.anisotropy(squashed) == pytest.approx(0.5, abs=0.01)
    weighted = measure.fabric([[2, 0, 0], [0, 0, 5]], weights=[3, 1])
    np.testing.assert_allclose(weighted, np.diag([0.75, 0, 0.25]))
    with pytest.raises(ValueError, match="at least one contact"):
        measure.fabric(np.zeros((0, 3)))


SCRIPT = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 2 0 2 -1 4
create_box 1 box
lattice sc 1.0 origin 0.5 0.5 0.5
region pile block 0 2 0 2 0 3
create_atoms 1 region pile
set group all diameter 1.001 density 1
pair_style granular/plus
pair_coeff * * hooke 1e4 20 tangential linear_history 5e3 1 0.5
fix floor all wall/granular/plus hooke 1e4 20 tangential linear_history 5e3 1 0.5 zplane 0 NULL &
  contacts
compute ends all property/local patom1 patom2
compute pair all pair/local dist {pair_local(*SEPARATION, "gap")}
dump contacts all local 1 contacts c_ends[*] c_pair[*]
dump grains all custom 1 grains id {WALL_CONTACTS.of("f_floor", "contacts")}
run 0
"""


def test_tables_of_a_run_are_taken_as_they_are():
    """The grains are a lattice of 2 x 2 x 3 on a floor."""
    run = engine.run(SCRIPT)
    grains, contacts = run.dump("grains"), run.local("contacts")
    walls = grains[WALL_CONTACTS.of("f_floor", "contacts")]
    found = measure.coordination(grains, contacts, walls=walls)
    assert found.mean == pytest.approx((6 + 6 + 5) / 3)
    assert found.rattlers == 0.0
    # in each layer, four contacts along x and four along y; between layers, four along z
    np.testing.assert_allclose(measure.fabric(contacts), np.diag([12, 12, 8]) / 32, atol=1e-12)
