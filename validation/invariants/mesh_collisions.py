"""Balls meet walls of triangles: without friction and damping no energy comes or goes.

Balls fly about in a shell of 320 facets, and meet a rock of 80 facets and an icosahedron, whose
edges are sharp: faces, seams, edges and corners.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib import pyplot

from pysuite import meshes
from pysuite.cases import Case, Context
from pysuite.outputs import WALL_CONTACTS
from pysuite.setups import packings


class Wall(NamedTuple):
    """A surface, and whether balls are in it."""

    triangles: np.ndarray
    inside: bool


WALLS = {
    "shell of 320 facets": Wall(meshes.sphere(3.0, 2), True),
    "rock of 80 facets": Wall(meshes.sphere(2.0, 1), False),
    "icosahedron": Wall(meshes.sphere(2.0, 0), False),
}
STEPS = [50, 100, 200]  # in a collision
LIMITS = dict(zip(STEPS, (3e-4, 8e-5, 2e-5), strict=True))
BALLS = {"smoke": 25, "quick": 60, "full": 60}
TOUCHING = WALL_CONTACTS.of("f_wall", "contacts")
RADIUS, DEEPEST = 0.5, 0.01  # of a ball, of an overlap

SCRIPT = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
read_data balls.data
pair_style zero 1.0
pair_coeff * *
fix wall all wall/granular/plus hertz {stiffness:.17g} {restitution} damping coeff_restitution &
  tangential linear_nohistory 0 0 mesh wall.stl contacts
fix move all nve/sphere
variable energy atom mass*(vx^2+vy^2+vz^2)
timestep {step:.17g}
thermo 1000000
dump energy all custom {every} energies id {touching} v_energy
dump_modify energy sort id format float %.17g
run {count}
"""


def directions(random: np.random.Generator, count: int) -> np.ndarray:
    v = random.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def simulate(c: Context, wall: Wall, steps: int) -> np.ndarray:
    """Return the change of energy in each bounce, over the energy of a ball."""
    random, count = np.random.default_rng(4), BALLS[c.tier]
    heading = directions(random, count)
    place = 0.5 * random.normal(size=(count, 3))
    if not wall.inside:
        aside = np.cross(heading, directions(random, count))
        aside *= random.uniform(0, 2.5, (count, 1)) / np.linalg.norm(aside, axis=1, keepdims=True)
        place = aside - 4 * heading
    # mass 1, speed 1: Hertz holds 0.4 k sqrt(R) delta^2.5
    stiffness = 0.5 / (0.4 * np.sqrt(RADIUS) * DEEPEST**2.5)
    step = 2.943 * DEEPEST / steps
    packings.write_spheres(
        c.folder / "balls.data",
        [(-12, 12)] * 3,
        place,
        diameter=2 * RADIUS,
        density=1 / (4 / 3 * np.pi * RADIUS**3),
        velocity=heading,
    )
    meshes.write_stl(c.folder / "wall.stl", wall.triangles, text=True)
    script = SCRIPT.format(
        stiffness=stiffness,
        restitution=c["restitution"],
        touching=TOUCHING,
        step=step,
        every=max(1, steps // 4),
        count=int((15 if wall.inside else 8) / step),
    )
    for name in ("balls.data", "wall.stl"):
        script = script.replace(f" {name}", f" {c.folder / name}")
    frames = c.lammps(script, timeout=1500).dump("energies")
    changes = []
    for _, ball in frames.groupby("id"):
        touching, energy = ball[TOUCHING].to_numpy(), ball["v_energy"].to_numpy()
        free = np.flatnonzero(touching == 0)
        bounced = np.flatnonzero(np.diff(free) > 1)
        changes.append(energy[free[bounced + 1]] / energy[free[bounced]] - 1)
    return np.concatenate(changes)


def run(c: Context) -> None:
    rows = []
    for name, wall in WALLS.items():
        for steps in STEPS:
            found = simulate(c, wall, steps)
            rms = float(np.sqrt((found**2).mean()))
            rows.append(
                {
                    "wall": name,
                    "steps": steps,
                    "bounces": len(found),
                    "rms": rms,
                    "largest gain": float(found.max()),
                    "largest loss": float(-found.min()),
                }
            )
    table = pd.DataFrame(rows)
    c.table("bounces", table, "Change of energy in a bounce, over the energy.")
    judge(c, table)
    draw(c, table)


def judge(c: Context, table: pd.DataFrame) -> None:
    for name, part in table.groupby("wall", sort=False):
        for row in part.itertuples():
            c.check(
                f"{name}, {row.steps} steps in a collision: change of energy in a bounce, rms",
                measured=row.rms,
                reference=0.0,
                tolerance=LIMITS[row.steps],
                kind="at_most",
                reason="the integrator's error, of second order in the step; LAMMPS's surface/"
                "global gains up to 5e-3 in the shell however short the step",
            )
        c.check(
            f"{name}: error at 50 over that at 200 steps",
            measured=float(part["rms"].iloc[0] / part["rms"].iloc[-1]),
            reference=8.0,
            kind="at_least",
            reason="second order would be 16; few bounces, at other places with another step",
        )
        c.check(
            f"{name}: bounces",
            measured=float(part["bounces"].min()),
            reference=10.0,
            kind="at_least",
            reason="a ball that misses shows nothing",
        )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, axes = pyplot.subplots()
    for name, part in table.groupby("wall", sort=False):
        axes.loglog(part["steps"], part["rms"], "o-", label=name)
    steps = np.array([STEPS[0], STEPS[-1]], dtype=float)
    axes.loglog(steps, 3e-5 * (steps / STEPS[0]) ** -2, "k--", label="second order")
    axes.set(xlabel="time steps in a collision", ylabel="change of energy in a bounce, rms")
    axes.legend()
    c.figure("energy", figure, "Balls in a shell and against rocks, without friction and damping.")


CASE = Case(
    name="mesh-collisions",
    title="No seam, edge or corner of a wall of triangles makes energy",
    source="energy; mechanics",
    tier="smoke",
    parameters={"restitution": 1.0},
    spoil={"restitution": 0.99},
    run=run,
)
