"""Velocity and angular momentum of ellipsoids after an impact, compared with rigid bodies.

In the limit of stiff bodies, a single impulse acts along the normal at the contact point of the
ellipsoids (Perram & Wertheim, J. Comput. Phys. 58 (1985) 409).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.transform import Rotation

from pysuite import shapes
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.setups import collisions

AXES = np.array([1.5, 1.0, 0.7])
LEVEL = 6  # 40,962 nodes, of which 25 are in contact at the smallest overlap
STEPS = 50  # per contact
OVERLAPS = (0.02, 0.005)
PAIRS = {"smoke": 12, "quick": 12, "full": 60}


class Touch(NamedTuple):
    """Contact of two ellipsoids. The normal points from the first to the second ellipsoid."""

    point: np.ndarray
    normal: np.ndarray


def apart(places: np.ndarray, turns: Rotation) -> tuple[float, Touch]:
    """Return the contact function and the contact.

    The contact function is below 1 if the ellipsoids overlap.
    """
    one, other = (m @ np.diag(AXES**2) @ m.T for m in turns.as_matrix())
    way = places[1] - places[0]

    def function(share: float) -> float:
        between = (1 - share) * one + share * other
        return -share * (1 - share) * way @ np.linalg.solve(between, way)

    best = minimize_scalar(function, bounds=(0, 1), method="bounded", options={"xatol": 1e-12})
    share = best.x
    across = np.linalg.solve((1 - share) * one + share * other, way)
    point = places[0] + (1 - share) * one @ across
    return -best.fun, Touch(point, across / np.linalg.norm(across))


def meet(places: np.ndarray, turns: Rotation) -> tuple[np.ndarray, Touch] | None:
    def moved(time: float) -> np.ndarray:
        return places + collisions.SPEED * time * np.array([[1.0, 0, 0], [-1.0, 0, 0]])

    times = np.linspace(0, np.ptp(places[:, 0]) / (2 * collisions.SPEED), 60)
    values = [apart(moved(time), turns)[0] - 1 for time in times]
    first = next((k for k, value in enumerate(values) if value < 0), None)
    if first is None:
        return None
    time = brentq(
        lambda t: apart(moved(t), turns)[0] - 1, times[first - 1], times[first], xtol=1e-12
    )
    return moved(time), apart(moved(time), turns)[1]


def rebound(places: np.ndarray, turns: Rotation, touch: Touch) -> tuple[np.ndarray, float]:
    """Return the state after an impact.

    Returns:
        The velocities and angular momenta, an array of shape (2, 6), and the magnitude of each
        ellipsoid's change of velocity.
    """
    mass = 4 / 3 * np.pi * AXES.prod()
    moments = mass / 5 * ((AXES**2).sum() - AXES**2)
    velocity = collisions.SPEED * np.array([[1.0, 0, 0], [-1.0, 0, 0]])
    levers = np.cross(touch.point - places, touch.normal)
    spins = [
        turn.apply(turn.inv().apply(lever) / moments)
        for turn, lever in zip(turns, levers, strict=True)
    ]
    mobility = 2 / mass + sum(lever @ spin for lever, spin in zip(levers, spins, strict=True))
    impulse = 2 * (velocity[0] - velocity[1]) @ touch.normal / mobility
    signs = np.array([[-1.0], [1.0]]) * impulse
    after = np.hstack([velocity + signs * touch.normal / mass, signs * levers])
    return after, impulse / mass


def simulate(c: Context, overlap: float) -> pd.DataFrame:
    mesh = shapes.ellipsoid(*AXES, level=LEVEL)
    body, folder = shapes.Shape(mesh), c.folder / f"{overlap}"
    folder.mkdir(parents=True)
    words = {"file": mesh.write(folder / "grain.obj"), "restitution": c["restitution"]}
    collided = collisions.prepare(
        body, STEPS, PAIRS[c.tier], collisions.OURS, largest=overlap, **words
    )
    c.lammps(collided.script, folder=folder, timeout=3000)
    rows = []
    for k, (places, turns) in enumerate(zip(collided.places, collided.turns, strict=True)):
        met = meet(places, turns)
        if met is None:
            continue
        expected, change = rebound(met[0], turns, met[1])
        off = collisions.motion(body, folder, k) - expected
        rows.append(
            {
                "overlap": overlap,
                "pair": k,
                "velocity": np.linalg.norm(off[0, :3]) / change,
                "angular momentum": np.linalg.norm(off[:, 3:]) / np.linalg.norm(expected[:, 3:]),
            }
        )
    return pd.DataFrame(rows)


def run(c: Context) -> None:
    table = pd.concat([simulate(c, overlap) for overlap in OVERLAPS])
    c.table(
        "pairs",
        table,
        "Difference from rigid bodies after the impact, divided by the change in the impact.",
    )
    typical = table.groupby("overlap")[["velocity", "angular momentum"]].median()
    judge(c, typical, len(table) / (len(OVERLAPS) * PAIRS[c.tier]))
    draw(c, typical)


def judge(c: Context, typical: pd.DataFrame, met: float) -> None:
    for what in ("velocity", "angular momentum"):
        c.check(
            f"{what} after an impact with an overlap of {OVERLAPS[-1]} R: median difference from"
            " rigid bodies",
            measured=float(typical.loc[OVERLAPS[-1], what]),
            reference=0.0,
            tolerance=3 * OVERLAPS[-1],
            kind="at_most",
            reason=(
                "during contact, the grains turn and the contact moves; the relative effect is"
                " about three times overlap / radius; the median is insensitive to the few pairs"
                " that collide twice"
            ),
        )
        c.check(
            f"{what}: median difference from rigid bodies at four times the overlap, relative to"
            " the difference at the smaller overlap",
            measured=float(typical.loc[OVERLAPS[0], what] / typical.loc[OVERLAPS[-1], what]),
            reference=3.0,
            kind="at_least",
            reason=(
                "the difference is of first order in the overlap, so the ratio is 4 for many pairs;"
                " for few pairs, the ratio may be smaller"
            ),
        )
    c.check(
        "pairs that meet",
        measured=met,
        reference=0.8,
        kind="at_least",
        reason="pairs that miss each other test nothing",
    )


def draw(c: Context, typical: pd.DataFrame) -> None:
    figure, (axes,) = panels(1)
    axes.loglog(typical.index, typical["velocity"], "o-", label="velocity")
    axes.loglog(typical.index, typical["angular momentum"], "s-", label="angular momentum")
    axes.loglog(typical.index, typical.index, "k--", label="overlap / radius")
    axes.set(xlabel="largest overlap / radius", ylabel="difference from rigid bodies, median")
    axes.legend()
    c.figure("convergence", figure, "Difference from rigid bodies against overlap.")


CASE = Case(
    name="shape-impulse",
    title="Colliding ellipsoids rebound like rigid bodies, in the limit of stiff bodies",
    source="impulse and angular impulse of rigid bodies",
    tier="quick",
    parameters={"restitution": 1.0},
    spoil={"restitution": 0.9},
    run=run,
    timeout=7200.0,
)
