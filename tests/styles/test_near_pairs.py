"""The loop over pairs omits pairs that are too far apart to touch, until they come closer.

The pairs that remain are called the short list.
"""

from __future__ import annotations

import numpy as np
import pandas
import pytest

from pysuite import engine, laws
from pysuite.validation.setups import packings

# No grain moves by half of the skin relative to other grains, so one neighbour list suffices. Most
# pairs in this list never touch, so the short list is used.
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
    return engine.run(SCRIPT.format(drift=drift, every=every) + packings.write("end")).dump("end")


@pytest.mark.parametrize("drift", [0.0, 30.0])
def test_no_contact_is_missed(tools, drift):
    """Compare with a neighbour list that is rebuilt in every step and therefore misses no pair.

    The order of this list changes only the rounding.
    """
    state = flown(drift, every=100_000)
    spins = state[["omegax", "omegay", "omegaz"]].to_numpy()
    assert (np.abs(spins).max(axis=1) > 1e-3).sum() > 100
    found = tools.difference(state, flown(drift, every=1))
    assert max(found.values()) < 1e-8, found


FAR = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
read_data "{spheres}"
neighbor 1.0 bin
neigh_modify every 100000 delay 0 check no
pair_style granular/plus
pair_coeff * * hooke 1e5 0 tangential linear_nohistory 0 0
fix move all nve/sphere
timestep 1e-4
run 2500
"""


def test_no_contact_is_missed_far_from_the_origin(tmp_path):
    """This far from the origin, positions in single precision can only be even numbers.

    Rounding hides 0.15 of the distance by which the last two grains approach each other. The short
    list is used because many grains are at rest.
    """
    corner = 2.0**24
    resting = np.stack(np.meshgrid(*[2.0 * np.arange(1, 5)] * 3), axis=-1).reshape(-1, 3)
    place = corner + np.vstack([resting, [[3.925, 14, 4], [6.075, 14, 4]]])
    diameter = np.array([1.1] * len(resting) + [1.9] * 2)
    velocity = np.zeros_like(place)
    velocity[-2:, 0] = 1.0, -1.0
    box = [(corner, corner + 20)] * 3
    file = tmp_path / "spheres.data"
    packings.write_spheres(file, box, place, diameter=diameter, velocity=velocity)
    state = engine.run(FAR.format(spheres=file) + packings.write("end")).dump("end")
    # the tolerance is wide because coordinates are rounded to 4e-9
    assert state["vx"].to_numpy()[-2:] == pytest.approx([-1.0, 1.0], abs=1e-3)


TOUCH = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data "{spheres}"
pair_style granular/plus
pair_coeff * * hooke 1e9 0 tangential linear_nohistory 0 0
fix move all nve/sphere
run 0
"""


@pytest.mark.parametrize("clone", laws.clones())
def test_touch_is_decided_by_the_last_bit(clone, tmp_path, monkeypatch):
    """The short list stores squared sums of radii only in single precision."""
    monkeypatch.setenv("GRANULAR_PLUS_CLONE", clone)
    touch = 0.55 + 0.55
    steps = np.arange(-24, 25)
    distance = touch * np.concatenate(
        [1.0 + 2.0**-52 * steps, 1.0 + 1e-8 * steps, 1.0 + 0.001 * steps]
    )
    pairs = len(distance)
    place = np.zeros((2 * pairs, 3))
    place[:, 1] = np.repeat(3.0 * np.arange(pairs), 2)
    place[1::2, 0] = distance
    box = [(-1, 3), (-1, 3 * pairs), (-1, 1)]
    spheres = packings.write_spheres(tmp_path / "spheres.data", box, place, diameter=1.1)
    state = engine.run(TOUCH.format(spheres=spheres) + packings.write("end")).dump("end")
    force = state["fx"].to_numpy()[::2]
    assert np.array_equal(force != 0.0, distance * distance < touch * touch)


LEAP = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
neighbor 2.0 bin
region box block 0 30 0 10 0 10
create_box 1 box
lattice sc 0.5
region others block 0 8 0 8 0 8 units box
create_atoms 1 region others
create_atoms 1 single 20.0 5 5 units box
create_atoms 1 single 20.8 5 5 units box
set group all diameter 1.0 density 1.0
region left block 19.9 20.1 INF INF INF INF units box
region right block 20.7 20.9 INF INF INF INF units box
group left region left
group right region right
velocity left set -400 0 0
velocity right set 400 0 0
pair_style granular/plus ledger yes
pair_coeff * * hooke 1000 0 tangential linear_nohistory 0 0
compute ledger all granular/ledger
fix move all nve/sphere
timestep 1e-3
thermo_style custom step pe c_ledger[*]
thermo 1
run 1
"""


def test_a_contact_that_leaps_out_of_the_short_list_is_in_the_ledger():
    """In one step, the two grains move so far apart that the short list no longer contains them."""
    ledger = engine.run(LEAP).ledger
    held = 0.5 * 1000.0 * 0.2**2
    assert ledger["elastic_normal"].iloc[0] == pytest.approx(held, rel=1e-12)
    assert ledger["elastic_normal"].iloc[-1] == 0.0
    # If the end of the contact were missed, the contact's energy of 20 would remain in the ledger.
    # The force acts during half a step. The ledger multiplies the force by the speed at the end of
    # this half step, which causes a residual of F^2 dt^2/(4 m) for both grains. The tolerance
    # covers rounding in the thermo output.
    force, mass = 1000.0 * 0.2, np.pi / 6.0
    half_step = force**2 * 1e-3**2 / (4.0 * mass)
    assert ledger["residual"].iloc[-1] == pytest.approx(-half_step, abs=1e-5)
