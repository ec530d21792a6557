"""Pairs of equal grains that collide without friction or damping.

Orientations and impact parameters are random. The pairs are simulated one after the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from pysuite import shapes
from pysuite.validation.seeds import seed
from pysuite.validation.setups.impacts import HERTZ_DURATION

OVERLAP = 0.02  # largest overlap / radius in a head-on collision of spheres of equal volume
SPEED = 0.5  # speed of each grain


class Language(NamedTuple):
    """The commands of a script that depend on the code or the pair style.

    Attributes:
        style: atom style.
        head: commands after the creation of the box. They define a fix for the shape, and a pair
            style with the given stiffness.
        grain: commands after the creation of a grain.
        columns: columns that are written after a collision, besides id, position and velocity. The
            first three columns must be 0 if the grain has not touched another grain.
        end: commands after a collision.
    """

    style: str
    head: str
    grain: str
    columns: str
    end: str = ""


OURS = Language(
    "bpm/sphere",
    """
fix shape all shape/granular/plus file "{file}" density 1
pair_style granular/plus
pair_coeff * * hertz {stiffness:.17g} {restitution} damping coeff_restitution &
  tangential linear_nohistory 0 0
compute turn all property/atom quatw quati quatj quatk
""",
    "set atom {atom} diameter {diameter:.17g} quat {axis} {degrees:.17g} omega 0 0 0",
    "omegax omegay omegaz c_turn[*] fx fy fz",
)

SCRIPT = """
units lj
atom_style {style}
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
region all block {box}
create_box 1 all
neighbor 0.3 bin
timestep {step:.17g}
"""
COLLISION = """
delete_atoms group all compress yes
{grains}
run {steps}
write_dump all custom end.{k} id x y z vx vy vz {columns} modify sort id format float %.17g
{end}
"""
GRAIN = """
create_atoms 1 single {place}
{grain}
group one id {atom}
velocity one set {speed} 0 0
group one delete
"""


class Collisions(NamedTuple):
    """A script of collisions, and the initial states of the grains.

    The script writes a dump `end.k` after collision k. Both grains of a pair have the speed SPEED.
    The first grain moves along +x, the second grain moves along -x. `places` contains one array of
    shape (2, 3) per pair.
    """

    script: str
    momenta: list[np.ndarray]
    places: list[np.ndarray]
    turns: list[Rotation]


def prepare(
    body: shapes.Shape,
    steps: int,
    pairs: int,
    language: Language,
    largest: float = OVERLAP,
    **words: object,
) -> Collisions:
    """Return a script in which pairs of grains collide, with `steps` time steps per contact.

    `largest` is the largest overlap in a head-on collision of spheres of equal volume, divided by
    the radius of these spheres. `words` are further values that are inserted into the commands of
    `language`.
    """
    radius, reach = body.volume_radius, body.bounding_radius
    overlap = largest * radius
    stiffness = 4 / 3 * 15 * (body.volume / 2) / (16 * np.sqrt(radius / 2) * overlap**2.5)
    contact = HERTZ_DURATION * overlap
    step = contact / steps
    script = SCRIPT.format(style=language.style, box=f"{-9 * reach} {9 * reach} " * 3, step=step)
    script += language.head.format(stiffness=stiffness, **words)
    random = np.random.default_rng(seed(7))
    momenta, places, turns = [], [], []
    count = round((0.3 * reach + 3 * radius + 6 * contact) / step)
    for k in range(pairs):
        impact, angle = 0.7 * radius * np.sqrt(random.uniform()), 2 * np.pi * random.uniform()
        grains, momentum, pair = "", np.zeros(3), []
        for atom, side in ((1, -1.0), (2, 1.0)):
            place = side * np.array([1.025 * reach, impact * np.cos(angle), impact * np.sin(angle)])
            vector = Rotation.random(random_state=random).as_rotvec()
            pair.append((place, vector))
            size = np.linalg.norm(vector)
            grain = language.grain.format(
                atom=atom,
                diameter=2 * reach,
                axis=" ".join(f"{x:.17g}" for x in vector / size),
                degrees=np.degrees(size),
                **words,
            )
            grains += GRAIN.format(
                atom=atom,
                place=" ".join(f"{x:.17g}" for x in place),
                grain=grain,
                speed=-SPEED * side,
            )
            momentum = momentum + np.cross(place, [-SPEED * side, 0, 0])
        momenta.append(body.volume * momentum)
        places.append(np.array([place for place, _ in pair]))
        turns.append(Rotation.from_rotvec([vector for _, vector in pair]))
        script += COLLISION.format(
            grains=grains, k=k, steps=count, columns=language.columns, end=language.end
        )
    return Collisions(script, momenta, places, turns)


class Outcome(NamedTuple):
    """Results of collisions.

    `energy` is the relative change of energy. `momentum` is the change of angular momentum divided
    by m v R, where v = 1 is the relative speed. `met` is True if the grains of the pair touched and
    are separated at the end.
    """

    energy: np.ndarray
    momentum: np.ndarray
    met: np.ndarray


def outcomes(body: shapes.Shape, folder: Path, momenta: list[np.ndarray]) -> Outcome:
    """Return the outcomes of all pairs.

    The script of the language OURS must have run in `folder`.
    """
    pairs = [_outcome(body, _end(folder, k), momentum) for k, momentum in enumerate(momenta)]
    return Outcome(*(np.array(column) for column in zip(*pairs, strict=True)))


def motion(body: shapes.Shape, folder: Path, k: int) -> np.ndarray:
    """Return velocities and angular momenta of both grains after collision k, of shape (2, 6).

    The script of the language OURS must have run in `folder`.
    """
    grains = _end(folder, k)
    return np.hstack([grains[:, 4:7], [_spinning(body, row) for row in grains]])


def spins(folder: Path, k: int) -> np.ndarray:
    """Return the first three of `columns` for both grains after collision k."""
    return _end(folder, k)[:, 7:10]


def _end(folder: Path, k: int) -> np.ndarray:
    return np.loadtxt(folder / f"end.{k}", skiprows=9)


def _spinning(body: shapes.Shape, row: np.ndarray) -> np.ndarray:
    spin, quat = row[7:10], row[10:14]
    turn = Rotation.from_quat(np.roll(quat, -1)) * Rotation.from_quat(np.roll(body.principal, -1))
    return turn.apply(body.inertia * turn.inv().apply(spin))


def _outcome(body: shapes.Shape, grains: np.ndarray, start: np.ndarray) -> Outcome:
    mass = body.volume
    energy, momentum = 0.0, -start
    for row in grains:
        place, velocity, spin, spinning = row[1:4], row[4:7], row[7:10], _spinning(body, row)
        energy += 0.5 * mass * velocity @ velocity + 0.5 * spin @ spinning
        momentum = momentum + mass * np.cross(place, velocity) + spinning
    before = mass * SPEED**2
    met = np.array(grains[:, 7:10].any() and not grains[:, 14:17].any())
    return Outcome(energy / before - 1, np.abs(momentum).max() / (mass * body.volume_radius), met)
