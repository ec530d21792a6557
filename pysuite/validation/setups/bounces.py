"""Balls that bounce off triangle meshes without friction or damping.

In some set-ups, balls fly inside a shell of 320 facets. In others, balls hit a rock of 80 facets or
a sharp-edged icosahedron from outside. The balls bounce off faces, seams, edges and corners.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pysuite import meshes
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings
from pysuite.validation.setups.impacts import HERTZ_DURATION

if TYPE_CHECKING:
    import pandas


class Wall(NamedTuple):
    """A surface, and whether the balls are inside the surface."""

    triangles: np.ndarray
    inside: bool


WALLS = {
    "shell of 320 facets": Wall(meshes.sphere(3.0, 2), True),
    "rock of 80 facets": Wall(meshes.sphere(2.0, 1), False),
    "icosahedron": Wall(meshes.sphere(2.0, 0), False),
}
STEPS = (50, 100, 200)  # time steps per collision
RADIUS, DEEPEST = 0.5, 0.01  # radius of a ball, largest overlap
# Balls have mass 1 and speed 1. The energy of a Hertz contact is 0.4 k sqrt(R) delta^2.5.
STIFFNESS = 0.5 / (0.4 * np.sqrt(RADIUS) * DEEPEST**2.5)
OURS = (
    "wall/granular/plus hertz {stiffness:.17g} {restitution} damping coeff_restitution "
    "tangential linear_nohistory 0 0 mesh wall.stl"
)

SCRIPT = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
read_data balls.data
pair_style zero 1.0
pair_coeff * *
fix wall all {wall}
fix move all nve/sphere
variable energy atom mass*(vx^2+vy^2+vz^2)
timestep {step:.17g}
thermo 1000000
dump energy all custom {every} energies id fx fy fz v_energy
dump_modify energy sort id format float %.17g
run {count}
"""


def _directions(random: np.random.Generator, count: int) -> np.ndarray:
    v = random.normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def prepare(folder: Path, wall: Wall, steps: int, balls: int, line: str) -> str:
    """Write balls and wall into a folder. Return the script, which must run in this folder.

    `line` is the fix command of the wall without ID and group. It must name the file wall.stl and
    contain the stiffness STIFFNESS.
    """
    random = np.random.default_rng(seed(4))
    heading = _directions(random, balls)
    place = 0.5 * random.normal(size=(balls, 3))
    if not wall.inside:
        aside = np.cross(heading, _directions(random, balls))
        aside *= random.uniform(0, 2.5, (balls, 1)) / np.linalg.norm(aside, axis=1, keepdims=True)
        place = aside - 4 * heading
    folder.mkdir(parents=True, exist_ok=True)
    packings.write_spheres(
        folder / "balls.data",
        [(-12, 12)] * 3,
        place,
        diameter=2 * RADIUS,
        density=1 / (4 / 3 * np.pi * RADIUS**3),
        velocity=heading,
    )
    meshes.write_stl(folder / "wall.stl", wall.triangles, text=True)
    step = HERTZ_DURATION * DEEPEST / steps
    return SCRIPT.format(
        wall=line,
        step=step,
        every=max(1, steps // 4),
        count=int((15 if wall.inside else 8) / step),
    )


def changes(energies: pandas.DataFrame) -> np.ndarray:
    """Return the relative change of the energy of a ball, for each bounce of each ball."""
    found = []
    for _, ball in energies.groupby("id"):
        pushed = (ball[["fx", "fy", "fz"]].to_numpy() != 0.0).any(axis=1)
        energy = ball["v_energy"].to_numpy()
        free = np.flatnonzero(~pushed)
        bounced = np.flatnonzero(np.diff(free) > 1)
        found.append(energy[free[bounced + 1]] / energy[free[bounced]] - 1)
    return np.concatenate(found)
