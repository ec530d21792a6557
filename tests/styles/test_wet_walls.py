"""Liquid bridges between grains and walls, whose Derjaguin radius is twice the grain's radius."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import WALL_CONTACTS
from pysuite.validation.references.bridges import Bridge

TENSION, DEGREES, VOLUME, RADIUS, STIFFNESS = 0.5, 25.0, 2e-3, 0.4, 1e3
BRIDGE = Bridge(TENSION, np.radians(DEGREES), VOLUME, 2.0 * RADIUS)
LAWS = {"willett": BRIDGE.force, "willett/simple": BRIDGE.simple_force}
SWING = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block -1 1 -1 1 -2 2
create_box 1 box
create_atoms 1 single 0 0 0
set group all diameter {2 * RADIUS} density 1
pair_style zero 1
pair_coeff * *
region ground block EDGE EDGE EDGE EDGE -{RADIUS + 0.15} EDGE
fix floor all wall/granular/plus hooke {STIFFNESS} 0 damping velocity &
    tangential linear_nohistory 0 0 bridge LAW {TENSION} {DEGREES} volume {VOLUME} WALL contacts
variable rise equal -0.2*sin(2*PI*time)
variable speed equal -0.4*PI*cos(2*PI*time)
fix swing all move variable NULL NULL v_rise NULL NULL v_speed
variable gap equal xcm(all,z)+0.15
variable pull equal fcm(all,z)
compute row all reduce sum {WALL_CONTACTS.of("f_floor", "contacts", "force_z", "z")}
timestep 1e-3
thermo 1
thermo_style custom step v_gap v_pull f_floor[*] c_row[*]
thermo_modify format float %.17g
"""
WALLS = {"plane": f"zplane -{RADIUS + 0.15} NULL", "region": "region ground"}


def expected_pull(gap: np.ndarray, law) -> np.ndarray:
    """Return the force on the grain, positive upwards, for a sequence of gaps."""
    bridged, result = False, []
    for g in gap:
        bridged = g < 0.0 or (bridged and g < BRIDGE.rupture_distance)
        pull = float(law(max(g, 0.0))) if bridged else 0.0
        result.append(-pull - STIFFNESS * min(g, 0.0))
    return np.array(result)


@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_bridge_forms_stretches_and_ruptures(law, wall, ranks):
    script = SWING.replace("LAW", law).replace("WALL", WALLS[wall])
    run = engine.run(script + "run 700\nrun 0\nrun 900", ranks=ranks)
    thermo, floor = run.thermo, run.wall_vector()
    gap, pull = thermo["v_gap"].to_numpy(), thermo["v_pull"].to_numpy()
    np.testing.assert_allclose(pull, expected_pull(gap, LAWS[law]), rtol=0, atol=1e-11)
    np.testing.assert_allclose(floor["force_z"], -pull, rtol=0, atol=1e-12)
    assert (floor["contacts"] == (gap < 0.0)).all()  # without overlap, a bridge is not a contact
    contacts, force, place = (thermo[f"c_row[{n}]"].to_numpy() for n in (1, 2, 3))
    np.testing.assert_array_equal(contacts, floor["contacts"])
    np.testing.assert_allclose(force, pull, rtol=0, atol=1e-12)
    acts = (gap < 0.0) | (pull < 0.0)
    np.testing.assert_allclose(place, np.where(acts, -RADIUS - 0.15, 0.0), rtol=0, atol=1e-12)
    stretched = (gap > 0.0) & (pull < 0.0)
    assert gap[stretched].max() > 0.98 * BRIDGE.rupture_distance
    assert ((gap > 0.0) & (gap < BRIDGE.rupture_distance) & (pull == 0.0)).any()


def test_a_bridge_goes_on_after_a_restart(tmp_path):
    script = SWING.replace("LAW", "willett").replace("WALL", WALLS["plane"])
    engine.run(f"{script}run 430\nwrite_restart {tmp_path}/stretched")  # the grain is rising
    begin = script.index("pair_style")
    again = script[begin:].replace("region ground", "region soil").replace("units lj", "")
    thermo = engine.run(
        f"comm_modify vel yes\natom_modify map yes\nread_restart {tmp_path}/stretched\n{again}run 1"
    ).thermo
    gap, pull = thermo["v_gap"].iloc[0], thermo["v_pull"].iloc[0]
    assert 0.0 < gap < BRIDGE.rupture_distance
    np.testing.assert_allclose(pull, -BRIDGE.force(gap), rtol=1e-12)


def test_one_warning_beyond_the_regression():
    drop = SWING.replace("LAW", "willett").replace(f"volume {VOLUME}", "volume 2")
    log = engine.run(drop.replace("WALL", WALLS["plane"]) + "run 0").log
    assert log.count("not within the range from 0.001 to 0.1") == 1
