"""Walls of region cone push grains along the true normal, for each axis and at pointed ends.

In contrast, LAMMPS divides 0 by 0 on the axis and at ends of radius 0. At the ends of a cone along
y, LAMMPS pushes grains along z.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import engine
from pysuite.validation.setups import packings

STIFFNESS, RADIUS = 1e4, 0.5
LAW = f"hooke {STIFFNESS} 0 tangential linear_nohistory 0 0"
SCRIPT = f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
read_data "{{grains}}"
pair_style zero 1.0
pair_coeff * *
{{region}}
fix wall all wall/granular/plus {LAW} region wall
run 0
write_dump all custom end id fx fy fz modify format float %.17g sort id
"""
LOW, HIGH = -3.0, 3.0
BOX = [(-9.0, 9.0)] * 3


def nearest_on_segment(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    along = end - start
    fraction = np.clip((point - start) @ along / (along @ along), 0.0, 1.0)
    return start + fraction * along


def push(from_axis: float, height: float, radii: tuple[float, float], side: str) -> np.ndarray:
    """Return the two components of the expected force: away from the axis and along the axis.

    For grains inside the cone, the ends are infinite planes, as in LAMMPS.
    """
    point = np.array([from_axis, height])
    corners = [np.array([radius, end]) for radius, end in zip(radii, (LOW, HIGH), strict=True)]
    axis = [np.array([0.0, corner[1]]) for corner in corners]
    mantle = nearest_on_segment(point, *corners)
    ends = [k for k in (0, 1) if radii[k] > 0.0]
    if side == "out":
        flat = [nearest_on_segment(point, corners[k], axis[k]) for k in ends]
        touched = [min([mantle, *flat], key=lambda near: float(np.hypot(*(point - near))))]
    else:
        touched = [mantle, *(np.array([from_axis, corners[k][1]]) for k in ends)]
    force = np.zeros(2)
    for near in touched:
        separation = point - near
        distance = float(np.hypot(*separation))
        if distance < RADIUS:
            force += STIFFNESS * (RADIUS - distance) / distance * separation
    return force


@pytest.mark.parametrize("side", ["in", "out"])
@pytest.mark.parametrize("radii", [(0.0, 2.0), (2.0, 0.0), (1.0, 2.5)])
@pytest.mark.parametrize("axis", "xyz")
def test_forces_are_along_the_normal(axis, radii, side, tmp_path):
    """If a grain is on the axis, the plug-in passes a slightly shifted position to LAMMPS."""
    random = np.random.default_rng(4711)
    slope = (radii[1] - radii[0]) / (HIGH - LOW)
    height = random.uniform(LOW - 0.6, HIGH + 0.6, 600)
    mantle = radii[0] + slope * (height - LOW)
    from_axis = np.abs(mantle + random.uniform(-0.7, 0.7, 600))
    inside = (from_axis < mantle) & (height > LOW) & (height < HIGH)
    fits = (mantle > 0.6) | (side == "out")  # grains that do not fit into the cone cause an error
    height, from_axis = (
        values[(inside == (side == "in")) & fits] for values in (height, from_axis)
    )
    if side == "out":
        height = np.concatenate([height, [LOW - 0.3, HIGH + 0.4]])
        from_axis = np.concatenate([from_axis, [0.0, 0.0]])
    angle = random.uniform(0.0, 2.0 * np.pi, len(height))
    along = "xyz".index(axis)
    first, second = (d for d in range(3) if d != along)
    place = np.zeros((len(height), 3))
    place[:, along] = height
    place[:, first] = 0.2 + from_axis * np.cos(angle)
    place[:, second] = -0.1 + from_axis * np.sin(angle)
    forces = np.array([push(*each, radii, side) for each in zip(from_axis, height, strict=True)])
    expected = np.zeros_like(place)
    expected[:, along] = forces[:, 1]
    expected[:, first] = forces[:, 0] * np.cos(angle)
    expected[:, second] = forces[:, 0] * np.sin(angle)

    region = f"region wall cone {axis} 0.2 -0.1 {radii[0]} {radii[1]} {LOW} {HIGH} side {side}"
    grains = packings.write_spheres(tmp_path / "grains.data", BOX, place, diameter=2.0 * RADIUS)
    state = engine.run(SCRIPT.format(grains=grains, region=region), folder=tmp_path).dump("end")
    found = state[["fx", "fy", "fz"]].to_numpy()
    assert (np.abs(expected).max(axis=1) > 0.0).sum() > 100
    np.testing.assert_allclose(found, expected, atol=2e-8 * STIFFNESS * RADIUS)


EDGE = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -9 9 -9 9 -9 9
create_box 1 box
create_atoms 1 single 2.6 0 -1
set group all diameter 1 density 1
pair_style zero 1.0
pair_coeff * *
variable u equal 4*time
region c cone z 0 0 {radii} -4 4 move v_u NULL NULL
fix c all wall/granular/plus {law} region c
timestep 1e-3
neighbor 0.3 bin
thermo_style custom step f_c[1]
thermo 100
run 700
"""


@pytest.mark.parametrize("radii", ["0 4", "4 0"])
def test_a_pointed_cone_that_moves_over_a_grain_is_not_missed(radii):
    thermo = engine.run(EDGE.format(radii=radii, law=LAW)).thermo.set_index("Step")["f_c[1]"]
    slope = 0.5 if radii == "0 4" else -0.5
    for step in (300, 400):
        axis = 4e-3 * step
        mantle = 2.0 + slope * -1.0
        depth = RADIUS - (mantle - (2.6 - axis)) / np.hypot(1.0, slope)
        expected = STIFFNESS * depth / np.hypot(1.0, slope) if 2.6 - axis < mantle else 0.0
        assert thermo[step] == pytest.approx(max(0.0, expected), rel=1e-6)


def test_ends_across_y_are_refused_within_a_compound(lammps_error):
    """In a compound region, the plug-in must use LAMMPS's contacts.

    Their normals are wrong at the ends of a cone along y.
    """
    region = """
region one cone y 0 0 2 3 -3 3{open}
region two plane 0 0 0 1 0 0
region wall intersect 2 one two
"""
    start = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -9 9 -9 9 -9 9
create_box 1 box
pair_style zero 1.0
pair_coeff * *
"""
    fix = f"fix wall all wall/granular/plus {LAW} region wall\nrun 0\n"
    message = lammps_error(start + region.format(open="") + fix)
    assert "at the ends of region one, a cone along y" in message
    engine.run(start + region.format(open=" open 1 open 2") + fix)


def test_grain_at_the_point_is_not_in_a_hollow(tmp_path: Path):
    """From outside, a cone is convex, so the error about grains in a hollow must not occur."""
    place = np.array([[1.0, 0.0, -2.2]])
    grains = packings.write_spheres(tmp_path / "grains.data", BOX, place, diameter=2.0)
    script = SCRIPT.format(
        grains=grains, region=f"region wall cone z 0 0 0 2 {LOW} {HIGH} side out"
    ).replace("hooke", "hertz")
    state = engine.run(script, folder=tmp_path).dump("end")
    assert state["fx"].iloc[0] > 0.0
