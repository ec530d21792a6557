"""Walls of region ellipsoid detect every contact with grains inside or outside."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import WALL_CONTACTS

FORCE = WALL_CONTACTS.of("f_wall", "force_x", "force_y", "force_z").split()
AXES = np.array([1.8, 2.0, 2.3])
RADIUS, OVERLAP, STIFFNESS = 0.5, 0.002, 1e4
SCRIPT = """
units lj
atom_style sphere
boundary f f f
region box block -9 9 -9 9 -9 9
create_box 1 box
{grains}
set group all diameter {diameter!r} density 1
region wall ellipsoid 0 0 0 {axes} side {side}
{region}
pair_style none
fix wall all wall/granular/plus hooke {stiffness!r} 0 tangential linear_nohistory 0 0 &
    region {name} contacts
fix move all nve/sphere
dump forces all custom 1 forces id {columns}
dump_modify forces sort id format float %.17g
run 0
"""
COMPOUND = "region far block -8 8 -8 8 -8 8\nregion both intersect 2 wall far"


@pytest.mark.parametrize(
    ("side", "region"), [("in", ""), ("out", ""), ("in", COMPOUND)], ids=["in", "out", "compound"]
)
@pytest.mark.parametrize("axes", [AXES, AXES * (1.0, 1.0, 3.0)], ids=["round", "long"])
def test_every_contact_of_an_ellipsoid_is_found(axes, side, region):
    random = np.random.default_rng(3)
    directions = random.normal(size=(100, 3))
    place = axes * directions / np.linalg.norm(directions, axis=1)[:, None]
    normal = place / axes**2
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    outwards = -1.0 if side == "in" else 1.0
    centre = place + outwards * (RADIUS - OVERLAP) * normal
    tightest = axes.min() ** 2 / axes.max()  # smallest radius of curvature
    run = engine.run(
        SCRIPT.format(
            grains="\n".join(
                "create_atoms 1 single " + " ".join(map(repr, map(float, c))) for c in centre
            ),
            diameter=2 * RADIUS,
            axes=" ".join(map(repr, map(float, axes))),
            side=side,
            region=region,
            name="both" if region else "wall",
            stiffness=STIFFNESS,
            columns=" ".join(FORCE),
        )
    )
    force = run.dump("forces")[FORCE].to_numpy()
    expected = outwards * STIFFNESS * OVERLAP * normal
    # If a grain is inside and near an end of the long axis, another point of the wall may be nearer
    # to its centre. Such grains are not compared.
    judged = np.ones(100, bool) if tightest > RADIUS else np.abs(place[:, 2]) < 0.5 * axes[2]
    assert judged.sum() > 30
    np.testing.assert_allclose(force[judged], expected[judged], atol=1e-6)
