"""Pulse in an uncompressed chain of spheres or shapes with Hertz contacts, hit by a ball.

For a force F = A overlap^(3/2), all scales follow from A, the mass m and the speed v of the ball.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import meshes, shapes
from pysuite.figures import panels
from pysuite.statistics import Interval, numerical
from pysuite.validation import Case, Context
from pysuite.validation.references import chains
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings

COUNT, NEAR, FAR = 48, 24, 36  # the pulse speed is measured from NEAR to FAR
SPEEDS = (1e-6, 1e-4, 1e-2)  # overlaps of 1e-5, 5e-4 and 2e-2 diameters
MIDDLE = SPEEDS[1]
STEPS = (0.02, 0.01)  # in scaled time; the pulse takes a scaled time of 1.2 per ball
DURATION = 1.3 * COUNT
STIFFNESS = 2.0  # gives A = 1 with the effective radius 1/4
LEVEL = 5  # 20480 facets
SEED = 11

HEAD = """
units lj
atom_style {style}
atom_modify map array
boundary f f f
comm_modify vel yes
newton off
"""

SCRIPT = """
neighbor 0.3 bin
pair_style granular/plus
pair_coeff * * hertz {stiffness:.17g} 0 tangential linear_nohistory 0 0
fix end all wall/granular/plus hertz {wall:.17g} 0 tangential linear_nohistory 0 0 {geometry}
timestep {step:.17g}
dump motion all custom 1 motion id x vx fx
dump_modify motion sort id format float %.17g
thermo 1000000
run {steps}
"""

SPHERES = "read_data chain.data\nfix move all nve/sphere\n"

SHAPES = """
region box block -2 {end} -2 2 -2 2
create_box 1 box
{atoms}
set group all diameter {diameter:.17g}
fix shape all shape/granular/plus file grain.obj density {density:.17g} orient random {seed}
group first id 1
velocity first set {speed:.17g} 0 0
"""

PLANE, MESH = f"xplane NULL {COUNT}.5", "mesh wall.stl"


class Motion(NamedTuple):
    """Motion of a chain, in scaled units.

    Attributes:
        time: time of each output.
        velocity: array of shape (times, balls).
        force: array of shape (times, balls) with the force between each ball and the next ball. The
            last column is the force on the wall.
    """

    time: np.ndarray
    velocity: np.ndarray
    force: np.ndarray


def simulate(c: Context, kind: str, geometry: str, speed: float, step: float) -> Motion:
    folder = c.folder / f"{kind}-{geometry.split()[0]}-{speed:g}-{step:g}"
    folder.mkdir()
    unit = speed**-0.2
    count = round(DURATION / step)
    if kind == "spheres":
        head = HEAD.format(style="sphere") + SPHERES
        packings.write_spheres(
            folder / "chain.data",
            [(-2.0, COUNT + 2.0), (-2.0, 2.0), (-2.0, 2.0)],
            np.outer(np.arange(1, COUNT + 1), [1.0, 0.0, 0.0]),
            diameter=1.0,
            density=6.0 / np.pi,
            velocity=speed * np.outer(np.arange(COUNT) == 0, [1.0, 0.0, 0.0]),
        )
    else:
        body = shapes.Shape(mesh := shapes.sphere(0.5, LEVEL))
        mesh.write(folder / "grain.obj")
        head = HEAD.format(style="bpm/sphere") + SHAPES.format(
            end=COUNT + 2,
            atoms="\n".join(f"create_atoms 1 single {n} 0 0" for n in range(1, COUNT + 1)),
            diameter=2.0 * body.bounding_radius,
            density=1.0 / body.volume,
            seed=seed(SEED),
            speed=speed,
        )
    if geometry == MESH:
        corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        plate = np.column_stack([np.full(4, COUNT + 0.5), corners])
        meshes.write_stl(folder / "wall.stl", plate[[[0, 2, 1], [0, 3, 2]]], text=True)
    # at the wall, the effective radius is 1/2 and the stiffness A 2^(3/2)
    wall = chains.WALL_STIFFNESS / np.sqrt(0.5)
    script = head + SCRIPT.format(
        stiffness=STIFFNESS * c["stiffness"],
        wall=wall * c["stiffness"],
        geometry=geometry,
        step=step * unit,
        steps=count,
    )
    motion = c.lammps(script, folder=folder, timeout=600).dump("motion")
    table = motion[["vx", "fx"]].to_numpy().reshape(-1, COUNT, 2)
    # the force of a contact is minus the sum of the forces on all balls before the contact
    force = -np.cumsum(table[:, :, 1], axis=1)
    return Motion(step * np.arange(len(table)), table[:, :, 0] / speed, force / speed**1.2)


def measure(motion: Motion) -> chains.Pulse:
    def top(values: np.ndarray, ball: int) -> tuple[float, float]:
        early = motion.time < 1.05 * ball / 0.84 + 5.0
        return chains.peak(motion.time[early], values[early, ball])

    (first, height), (last, _) = top(motion.force, NEAR), top(motion.force, FAR)
    _, velocity = top(motion.velocity, NEAR)
    _, wall = chains.peak(motion.time, motion.force[:, -1])
    return chains.Pulse((FAR - NEAR) / (last - first), velocity, height, wall)


def to_no_step(runs: list[chains.Pulse]) -> tuple[chains.Pulse, chains.Pulse]:
    coarse, fine = map(np.array, runs)
    value = (4.0 * fine - coarse) / 3.0
    return chains.Pulse(*value), chains.Pulse(*np.abs(value - fine))


def over_speeds(pulses: dict[float, tuple[chains.Pulse, chains.Pulse]], name: str) -> Interval:
    values = np.array([getattr(found, name) for found, _ in pulses.values()])
    errors = np.array([getattr(change, name) for _, change in pulses.values()])
    middle = getattr(pulses[MIDDLE][0], name)
    return Interval(
        middle,
        float((values - errors).min()),
        float((values + errors).max()),
        "range over three speeds, which span four decades, and change with the time step",
    )


def run(c: Context) -> None:
    motions = {v: [simulate(c, "spheres", PLANE, v, s) for s in STEPS] for v in SPEEDS}
    pulses = {v: to_no_step([measure(motion) for motion in of]) for v, of in motions.items()}
    mesh, change = to_no_step([measure(simulate(c, "spheres", MESH, MIDDLE, s)) for s in STEPS])
    faceted = measure(shaped := simulate(c, "shapes", PLANE, SPEEDS[-1], STEPS[-1]))
    c.benchmark("speed of the pulse", over_speeds(pulses, "speed"))
    c.benchmark("largest speed of a ball", over_speeds(pulses, "velocity"))
    c.benchmark("largest force", over_speeds(pulses, "force"))
    c.benchmark("speed by the largest force", scaled_speed(pulses))
    c.benchmark("largest force on a plane", over_speeds(pulses, "wall_force"))
    c.benchmark(
        "largest force on a mesh",
        numerical(mesh.wall_force, change.wall_force, "change with the time step"),
    )
    seeds = str(seed(SEED))
    for quantity, value in (
        ("speed of the pulse, faceted spheres", faceted.speed),
        ("largest speed of a ball, faceted spheres", faceted.velocity),
    ):
        c.benchmark(quantity, numerical(value, 1e-4 * value, "error of the time step"), seeds=seeds)
    rows = [{"v": v, **found._asdict()} for v, (found, _) in pulses.items()]
    c.table("pulses", pd.DataFrame(rows), "The pulse in units of A, m and v.")
    draw(c, motions[MIDDLE][-1], shaped)


def scaled_speed(pulses: dict[float, tuple[chains.Pulse, chains.Pulse]]) -> Interval:
    """Return the pulse speed in units of sqrt(A^(2/3) F^(1/3)/m), where F is the largest force."""
    values = [found.scaled_speed for found, _ in pulses.values()]
    error = max(
        change.speed / found.speed + change.force / found.force / 6.0
        for found, change in pulses.values()
    )
    return Interval(
        pulses[MIDDLE][0].scaled_speed,
        min(values) * (1.0 - error),
        max(values) * (1.0 + error),
        "range over three speeds, which span four decades, and change with the time step",
    )


def draw(c: Context, spheres: Motion, shaped: Motion) -> None:
    figure, (axis,) = panels(1)
    for ball in (4, 12, NEAR, FAR):
        axis.plot(spheres.time, spheres.velocity[:, ball], "C0", linewidth=0.8)
        axis.plot(shaped.time, shaped.velocity[:, ball], "C1:", linewidth=1.2)
    axis.plot([], [], "C0", label="spheres")
    axis.plot([], [], "C1:", label="faceted spheres")
    axis.set(xlabel="time", ylabel="speed of a ball / v")
    axis.legend()
    c.figure("pulse", figure, f"Speed of balls 5, 13, {NEAR + 1} and {FAR + 1} of the chain.")


CASE = Case(
    name="nesterenko-chain",
    title="A pulse in a chain of spheres or shapes with Hertz contacts, and its force on a wall",
    source="[nesterenko1983]; equations of motion, integrated",
    tier="smoke",
    parameters={"stiffness": 1.0},
    spoil={"stiffness": 1.003},
    run=run,
)
