"""Grains of any shape collide: without friction and damping no energy is lost or gained.

Pairs of equal grains meet at random orientations and impact parameters, one pair after the other,
so that nothing hides in a sum.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from pysuite import shapes
from pysuite.cases import Case, Context

MESHES = {
    "ellipsoids 1.5 : 1 : 0.7": shapes.ellipsoid(1.5, 1.0, 0.7),
    "cubes": shapes.cube(1.6),
}
PAIRS = {"smoke": 12, "quick": 60, "full": 60}
LIMITS = {50: 3e-4, 200: 2e-5}  # steps in a contact; change of energy, rms
OVERLAP = 0.02  # over the radius of equal volume

HEAD = """
units lj
atom_style bpm/sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
region all block {box}
create_box 1 all
neighbor 0.3 bin
fix shape all shape/granular/plus file grain.obj density 1
pair_style granular/plus
pair_coeff * * hertz {stiffness:.17g} {restitution} damping coeff_restitution &
  tangential linear_nohistory 0 0
timestep {step:.17g}
compute turn all property/atom quatw quati quatj quatk
"""
GRAIN = """
create_atoms 1 single {place}
set atom {atom} diameter {diameter:.17g} quat {axis} {degrees:.17g} omega 0 0 0
group one id {atom}
velocity one set {speed} 0 0
group one delete
"""
COLLISION = """
delete_atoms group all compress yes
{grains}
run {steps}
write_dump all custom end.{k} id x y z vx vy vz omegax omegay omegaz c_turn[*] &
  modify sort id format float %.17g
"""


class Outcome(NamedTuple):
    """Of each collision: change of energy over energy, and of angular momentum over m v R."""

    energy: np.ndarray
    momentum: np.ndarray
    met: np.ndarray


def simulate(c: Context, mesh: shapes.Mesh, steps: int) -> Outcome:
    body = shapes.Shape(mesh)
    radius, reach = body.volume_radius, body.bounding_radius
    overlap = OVERLAP * radius  # of spheres of this volume that meet head-on at speed 1
    stiffness = 4 / 3 * 15 * (body.volume / 2) / (16 * np.sqrt(radius / 2) * overlap**2.5)
    contact = 2.943 * overlap
    step = contact / steps
    script = HEAD.format(
        box=f"{-9 * reach} {9 * reach} " * 3, stiffness=stiffness, step=step,
        restitution=c["restitution"],
    )  # fmt: skip
    random, starts = np.random.default_rng(7), []
    count = round((0.3 * reach + 3 * radius + 6 * contact) / step)
    for k in range(PAIRS[c.tier]):
        impact, angle = 0.7 * radius * np.sqrt(random.uniform()), 2 * np.pi * random.uniform()
        grains, start = "", 0.0
        for atom, side in ((1, -1.0), (2, 1.0)):
            place = side * np.array([1.025 * reach, impact * np.cos(angle), impact * np.sin(angle)])
            rotation = Rotation.random(random_state=random)
            vector = rotation.as_rotvec()
            size = np.linalg.norm(vector)
            grains += GRAIN.format(
                atom=atom,
                place=" ".join(f"{x:.17g}" for x in place),
                diameter=2 * reach,
                axis=" ".join(f"{x:.17g}" for x in vector / size),
                degrees=np.degrees(size),
                speed=-0.5 * side,
            )
            start = start + np.cross(place, [-0.5 * side, 0, 0])
        starts.append(body.volume * start)
        script += COLLISION.format(grains=grains, k=k, steps=count)
    folder = Path(c.folder) / f"{steps}-{len(mesh.triangles)}"
    folder.mkdir(parents=True, exist_ok=True)
    mesh.write(folder / "grain.obj")
    run = c.lammps(script.replace("file grain.obj", f"file {folder / 'grain.obj'}"), timeout=1500)
    outcomes = [
        outcome(body, np.loadtxt(run.folder / f"end.{k}", skiprows=9), start)
        for k, start in enumerate(starts)
    ]
    return Outcome(*(np.array(column) for column in zip(*outcomes, strict=True)))


def outcome(body: shapes.Shape, end: np.ndarray, start: np.ndarray) -> tuple[float, float, bool]:
    mass, inertia = body.volume, body.inertia
    axes = Rotation.from_quat(np.roll(body.principal, -1))
    energy, momentum = 0.0, -start
    for row in end:
        place, velocity, spin, quat = row[1:4], row[4:7], row[7:10], row[10:14]
        turn = Rotation.from_quat(np.roll(quat, -1)) * axes
        spinning = turn.apply(inertia * turn.inv().apply(spin))
        energy += 0.5 * mass * velocity @ velocity + 0.5 * spin @ spinning
        momentum = momentum + mass * np.cross(place, velocity) + spinning
    before = 2 * 0.5 * mass * 0.5**2
    met = bool(np.abs(end[:, 7:10]).max() > 0.0)
    return energy / before - 1, np.abs(momentum).max() / (mass * body.volume_radius), met


def run(c: Context) -> None:
    rows = []
    for name, mesh in MESHES.items():
        for steps, limit in LIMITS.items():
            found = simulate(c, mesh, steps)
            rms = float(np.sqrt((found.energy[found.met] ** 2).mean()))
            rows.append(
                {
                    "grains": name,
                    "steps": steps,
                    "collisions": int(found.met.sum()),
                    "rms": rms,
                    "largest gain": found.energy.max(),
                    "largest loss": -found.energy.min(),
                    "momentum": found.momentum.max(),
                }
            )
            judge(c, name, steps, limit, found, rms)
    c.table(
        "collisions",
        pd.DataFrame(rows),
        "Change of energy over energy; change of angular momentum over m v R.",
    )


def judge(c: Context, name: str, steps: int, limit: float, found: Outcome, rms: float) -> None:
    c.check(
        f"{name}, {steps} steps in a contact: change of energy, rms",
        measured=rms,
        reference=0.0,
        tolerance=limit,
        kind="at_most",
        reason="the integrator's error, of second order in the step; codes that pick a contact"
        " point change energy by 3e-3 to 8e-2 however short the step",
    )
    c.check(
        f"{name}, {steps} steps in a contact: change of angular momentum, m v R, largest",
        measured=float(found.momentum.max()),
        reference=0.0,
        tolerance=1e-12,
        kind="at_most",
        reason="force and torques have no resultant; positions are rounded in some ten thousand"
        " steps",
    )
    c.check(
        f"{name}, {steps} steps in a contact: pairs that met",
        measured=float(found.met.mean()),
        reference=0.9,
        kind="at_least",
        reason="a pair that misses shows nothing",
    )


CASE = Case(
    name="shape-collisions",
    title="Elastic collisions of ellipsoids and cubes conserve energy and angular momentum",
    source="energy and angular momentum; mechanics",
    tier="smoke",
    parameters={"restitution": 1.0},
    spoil={"restitution": 0.998},
    run=run,
)
