"""Cubes in YADE, for docs/results/peers.md: yade -n -x -j1 docs/yade_cubes.py [PAIRS].

Pairs of unit cubes at random orientations collide without friction and damping. Then the forces of
overlapping pairs at rest are computed repeatedly to measure the CPU time of a contact. In YADE, the
force between polyhedra follows from the volume of their overlap.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.spatial.transform import Rotation
from yade import Quaternion, Vector3, polyhedra_utils, wrapper

PAIRS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
STEPS = (4e-4, 2e-4)
TIME = 2.2
scene = wrapper.Omega()


def begin(half_way: float, speed: float) -> None:
    """Place the two cubes of each pair on opposite sides of the plane x = 0."""
    scene.reset()
    scene.materials.append(
        wrapper.PolyhedraMat(young=2e5, poisson=0.3, frictionAngle=0.0, density=1.0)
    )
    random = np.random.default_rng(7)
    for pair in range(PAIRS):
        aside = 0.3 * random.uniform()
        for side in (-1, 1):
            vector = Rotation.random(random_state=random).as_rotvec()
            angle = float(np.linalg.norm(vector))
            body = polyhedra_utils.polyhedra(scene.materials[0], v=CORNERS)
            body.state.pos = (side * half_way, 6.0 * pair, 0.5 * side * aside)
            axis = Vector3(*map(float, vector / angle))
            body.state.ori = Quaternion(axis, angle)
            body.state.vel = (-speed * side, 0, 0)
            scene.bodies.append(body)
    scene.engines = [
        wrapper.ForceResetter(),
        wrapper.InsertionSortCollider([wrapper.Bo1_Polyhedra_Aabb()]),
        wrapper.InteractionLoop(
            [wrapper.Ig2_Polyhedra_Polyhedra_PolyhedraGeom()],
            [wrapper.Ip2_PolyhedraMat_PolyhedraMat_PolyhedraPhys()],
            [wrapper.Law2_PolyhedraGeom_PolyhedraPhys_Volumetric()],
        ),
        wrapper.NewtonIntegrator(damping=0.0, exactAsphericalRot=True),
    ]


def touching() -> set[int]:
    """Return the pairs that overlap."""
    return {i.id1 // 2 for i in scene.interactions if i.isReal and i.geom.penetrationVolume > 0.0}


def energies() -> np.ndarray:
    """Return the kinetic energy of each pair; the three moments of inertia of a cube are equal."""
    each = [
        0.5 * b.state.mass * b.state.vel.squaredNorm()
        + 0.5 * b.state.inertia[0] * b.state.angVel.squaredNorm()
        for b in scene.bodies
    ]
    return np.array(each).reshape(-1, 2).sum(axis=1)


for step in STEPS:
    begin(0.95, 0.5)
    scene.dt = step
    before, met = energies(), set()
    for _ in range(round(TIME / step / 20)):
        scene.run(20, True)
        met |= touching()
    done = sorted(met - touching())
    change = energies()[done] / before[done] - 1
    rms = np.sqrt((change**2).mean())
    print(
        f"step {step}: {len(done)} collisions, change of energy rms {rms:.3g}, "
        f"largest gain {change.max():.3g}, largest loss {-change.min():.3g}",
        flush=True,
    )

begin(0.525, 0.0)
scene.dt = 1e-9
scene.run(2, True)
contacts = len(touching())
start = time.process_time()
scene.run(40, True)
print(
    f"{1e6 * (time.process_time() - start) / 40 / contacts:.0f} us of CPU per contact, {contacts}"
)
