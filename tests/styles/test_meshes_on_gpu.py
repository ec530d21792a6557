"""Mesh walls with run_style verlet/plus/gpu on the CPU.

Results equal those of LAMMPS's run_style verlet bit for bit.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, meshes
from pysuite.outputs import LEDGER, WALL

STEPS = 2_500
TOUCHES = WALL.of("f_wall", "contacts")
HERTZ = "hertz/material 1e4 20 0.3 tangential mindlin NULL 1 0.5"
ROLLING = "rolling sds 1e3 1 0.2 twisting sds 10 0.1 0.1"
HOOKE = "hooke 2e4 20 tangential linear_history 8e3 1 0.5 slider truncate"

HEAD = """
units lj
atom_style sphere
atom_modify map array
newton off
boundary {boundary}
comm_modify vel yes
lattice sc 0.7
region box block -6 6 -6 6 -6 12 units box
create_box 2 box
region fill cylinder z 0 0 {radius} {low} {high} units box
create_atoms 1 region fill
set group all type/fraction 2 0.4 77
set type 1 diameter 1.0 density 1
set type 2 diameter 0.8 density 2
displace_atoms all random 0.05 0.05 0.05 9
velocity all create 4 123 loop geom
set group all omega 1 -2 0.5
timestep 5e-4
pair_style granular/plus{ledger}
pair_coeff * * {model}
fix weight all gravity 5 vector 0.3 0 -1
"""
MOVE = "fix move all nve/sphere\n"
END = (
    "write_dump all custom end id x y z vx vy vz omegax omegay omegaz fx fy fz tqx tqy tqz ix iy iz"
)


def quad(*corners: tuple[float, float, float]) -> list[tuple[tuple[float, ...], ...]]:
    a, b, c, d = corners
    return [(a, b, c), (a, c, d)]


def turned(profile: list[tuple[float, float]], sides: int) -> np.ndarray:
    """Return the surface of revolution about z; the points of `profile` are (radius, height)."""
    angles = 2 * np.pi * np.arange(sides + 1) / sides
    angles[-1] = 0.0
    triangles = []
    for (low, z0), (high, z1) in itertools.pairwise(profile):
        for a, b in itertools.pairwise(angles):
            ring = [(low, z0, a), (low, z0, b), (high, z1, b), (high, z1, a)]
            triangles += quad(*((r * np.cos(t), r * np.sin(t), z) for r, z, t in ring))
    return np.array(triangles)


def drum() -> np.ndarray:
    shell = turned([(0.3, -3.0), (5.0, -3.0), (5.0, 3.0), (0.3, 3.0)], 32)
    lifters = []
    for k in range(6):
        a = np.pi / 3 * k

        def corner(r: float, side: float, z: float, a: float = a) -> tuple[float, float, float]:
            return (
                r * np.cos(a) - side * np.sin(a),
                r * np.sin(a) + side * np.cos(a),
                z,
            )

        path = [(5.0, -0.3), (4.0, -0.3), (4.0, 0.3), (5.0, 0.3)]
        for (r0, s0), (r1, s1) in itertools.pairwise(path):
            lifters += quad(
                corner(r0, s0, -3.0), corner(r0, s0, 3.0), corner(r1, s1, 3.0), corner(r1, s1, -3.0)
            )
    both = np.concatenate([shell, lifters])
    return both[..., [0, 2, 1]] + np.array([0.0, 0.0, 3.0])


def floor(low: float, high: float, cells: int, height: float = 0.0) -> np.ndarray:
    """Return a surface of 2 `cells`^2 triangles above a square; it is flat if `height` is 0."""
    places = np.linspace(low, high, cells + 1)

    def point(i: int, j: int) -> tuple[float, float, float]:
        z = height * np.sin(2 * np.pi * i / cells) * np.cos(2 * np.pi * j / cells)
        return (places[i], places[j], z)

    triangles = []
    for i, j in itertools.product(range(cells), repeat=2):
        triangles += quad(point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1))
    return np.array(triangles)


def belt() -> np.ndarray:
    angles = np.linspace(0, np.pi / 2, 7)
    right = [(3 + 1.5 * np.sin(a), 1.5 * np.cos(a) - 1.5) for a in angles]
    profile = [(-x, z) for x, z in right[::-1]] + right
    triangles = []
    for (x0, z0), (x1, z1) in itertools.pairwise(profile):
        triangles += quad((x0, -3, z0), (x1, -3, z1), (x1, 3, z1), (x0, 3, z0))
    return np.array(triangles)


def grooves(count: int, radius: float, flank: float, strips: int = 8) -> np.ndarray:
    angles = np.linspace(-np.pi / 4, np.pi / 4, strips + 1)
    half = np.sqrt(0.5) * flank
    bottom = [(radius * np.sin(a), radius * (1 - np.cos(a))) for a in angles]
    (left, low), (right, _) = bottom[0], bottom[-1]
    profile = [(left - half, low + half), *bottom, (right + half, low + half)]
    width = 2 * (right + half)
    triangles = []
    for groove in range(count):
        shift = (groove - (count - 1) / 2) * width
        for (x0, z0), (x1, z1) in itertools.pairwise(profile):
            low_x, high_x = x0 + shift, x1 + shift
            triangles += quad((low_x, -6, z0), (high_x, -6, z1), (high_x, 6, z1), (low_x, 6, z0))
    return np.array(triangles)


GROOVE = 0.444  # radius of the bottom of a groove
HOPPER = turned([(1.2, -3.0), (4.5, 1.0), (4.5, 10.0)], 24)
TABLE = floor(-2.0, 2.0, 3)
# Each scene lists the mesh, the options of the mesh wall, the boundary, the model, the place and
# sizes of the grains, and the other wall.
SCENES = {
    "conical hopper": (HOPPER, "", "f f f", HERTZ, (3.2, 2, 9.5), "zplane -5 11.5"),
    "rotating drum with lifters": (
        drum(),
        "rotate 2 0 0 3 0 1 0",
        "f f f",
        HERTZ,
        (2.6, 0.9, 5.9),
        "zplane -5.5 11.5",
    ),
    "belt": (belt(), "shear x 2", "f f f", HOOKE, (2.6, 0.6, 7), "zplane -4 11.5"),
    "vibrated bowl": (
        turned([(0.4, 0.0), (3.9, 0.0), (4.4, 6.0)], 7),
        "wiggle z 0.2 0.7 move 0.1 NULL NULL",
        "f f f",
        f"{HERTZ} {ROLLING}",
        (3.0, 1, 9),
        "zplane -5 11.5",
    ),
    "open sheet": (TABLE, "", "f f f", HERTZ, (3.2, 1, 9), "zplane -3 11.5"),
    "small triangles": (floor(-5, 5, 60, 0.3), "", "f f f", HERTZ, (3.2, 1, 8), "zplane NULL 11.5"),
    # A large grain may touch both flanks, which then belong to one patch.
    "grooves that are shaken": (
        grooves(8, GROOVE, 0.55),
        "wiggle z 0.4 0.5",
        "f f f",
        HERTZ,
        (4.5, 1.2, 5),
        "zplane -5 11.5",
    ),
    "periodic floor": (floor(-6, 6, 4, 0.5), "", "p p f", HERTZ, (4.5, 1.5, 6), "zplane NULL 11.5"),
}


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """Run on the CPU unless the environment selects a GPU; overwrite outdated values with NaN."""
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", os.environ.get("GRANULAR_PLUS_DEVICE", "host"))
    monkeypatch.setenv("GRANULAR_PLUS_POISON", "yes")


def script_of(scene: str, folder: Path, *, ledger: bool = False) -> tuple[str, str]:
    surface, words, boundary, model, (radius, low, high), other = SCENES[scene]
    meshes.write_stl(folder / "wall.stl", surface, text=True)
    head = HEAD.format(
        boundary=boundary,
        radius=radius,
        low=low,
        high=high,
        model=model,
        ledger=" ledger yes" * ledger,
    )
    acting = f"fix wall all wall/granular/plus {model} mesh wall.stl {words}\n"
    if other:
        acting += f"fix floor all wall/granular/plus {model} {other}\n"
    if boundary == "f f f":
        acting += f"fix round all wall/granular/plus {model} zcylinder 5.8\n"
    return head, acting + MOVE


def run(scene: str, style: str, folder: Path, *, ledger: bool = False, more: str = ""):
    head, acting = script_of(scene, folder, ledger=ledger)
    script = f"{head}{acting}run_style {style}\nthermo 500\n{more or f'run {STEPS}'}\n"
    return engine.run(f"{script}{END} modify sort id format float %.17g\n", folder=folder)


def bits(run: engine.Run) -> np.ndarray:
    return run.dump("end").drop(columns="step").to_numpy(float)


def steps_of_engine(run: engine.Run) -> int:
    return sum(map(int, re.findall(r"gpu: computed (\d+) of \d+ steps on", run.log)))


@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_verlet(scene, tmp_path):
    expected = bits(run(scene, "verlet", tmp_path))
    found = run(scene, "verlet/plus/gpu", tmp_path)
    assert steps_of_engine(found) > 0.95 * STEPS
    assert np.array_equal(bits(found), expected)
    assert np.abs(expected[:, 10:13]).max() > 1.0


@pytest.mark.parametrize("scene", SCENES)
def test_what_the_wall_bears_and_the_ledger(scene, tmp_path):
    more = f"""compute books all granular/ledger
thermo_style custom step f_wall[*] c_books[*]
thermo_modify norm no format float %.17g
run {STEPS}
run 100
"""
    all_bits, tables, work = [], [], []
    for style in ("verlet", "verlet/plus/gpu"):
        found = run(scene, style, tmp_path, ledger=True, more=more)
        all_bits.append(bits(found))
        tables.append(found.thermo.to_numpy(float)[:, 1:])
        work.append(found.thermo[LEDGER.of("c_books", "wall_work")])
    assert np.array_equal(*all_bits)
    assert steps_of_engine(found) > 0.9 * STEPS
    assert tables[0].shape == tables[1].shape
    assert np.abs(tables[1] - tables[0]).max() <= 1e-13 * np.abs(tables[0]).max()
    moves = (
        "rotate" in SCENES[scene][1] or "shear" in SCENES[scene][1] or "wiggle" in SCENES[scene][1]
    )
    assert (np.abs(work[0]).max() > 0.1) == moves
    assert np.abs(work[1] - work[0]).max() <= 1e-12 * np.abs(work[0]).max()


@pytest.mark.parametrize("thermo", [1, 7])
def test_looking_changes_nothing(thermo, tmp_path):
    scene = "rotating drum with lifters"
    found = run(scene, "verlet/plus/gpu", tmp_path, more=f"thermo {thermo}\nrun {STEPS}")
    assert (steps_of_engine(found) == 0) == (thermo == 1)
    assert np.array_equal(bits(found), bits(run(scene, "verlet", tmp_path)))


@pytest.mark.parametrize("scene", ["rotating drum with lifters", "small triangles"])
@pytest.mark.parametrize("styles", [("verlet", "verlet/plus/gpu"), ("verlet/plus/gpu", "verlet")])
def test_a_run_goes_on_from_a_restart_with_the_other_style(scene, styles, tmp_path):
    head, acting = script_of(scene, tmp_path)

    def halves(first: str, second: str) -> np.ndarray:
        script = f"{head}{acting}run_style {first}\nrun 1300\nwrite_restart half\nclear\n"
        script += "newton off\nread_restart half\ncomm_modify vel yes\n"
        script += f"fix weight all gravity 5 vector 0.3 0 -1\n{acting}run_style {second}\nrun 700\n"
        end = engine.run(f"{script}{END} modify sort id format float %.17g\n", folder=tmp_path)
        return bits(end)

    assert np.array_equal(halves(*styles), halves("verlet", "verlet"))


@pytest.mark.parametrize("scene", SCENES)
def test_contacts_go_on_where_the_two_styles_take_turns(scene, tmp_path):
    turns = "".join(
        f"run_style {style}\nrun {steps}\n"
        for style, steps in (("verlet/plus/gpu", 801), ("verlet", 99), ("verlet/plus/gpu", 700))
    )
    plain = "".join(f"run_style verlet\nrun {steps}\n" for steps in (801, 99, 700))
    found, expected = (bits(run(scene, "verlet", tmp_path, more=more)) for more in (turns, plain))
    assert np.array_equal(found, expected)


def test_more_contacts_than_there_is_room_for_at_first(tmp_path):
    """Steps are repeated because memory is reserved for fewer contacts than the ball gets."""
    cone = turned([(0.2, 0.0), (2.0, 2.0)], 7)
    meshes.write_stl(tmp_path / "cone.stl", cone, text=True)

    def ball(style: str) -> engine.Run:
        return engine.run(
            f"""units lj
atom_style sphere
atom_modify map array
newton off
boundary f f f
region box block -3 3 -3 3 -3 5
create_box 1 box
create_atoms 1 single 0.1 0.05 0.8
set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * {HERTZ}
comm_modify vel yes
fix weight all gravity 5 vector 0 0 -1
fix wall all wall/granular/plus {HERTZ} mesh cone.stl
fix move all nve/sphere
timestep 5e-4
thermo_style custom step {TOUCHES}
thermo 4000
run_style {style}
run 16000
{END} modify sort id format float %.17g
""",
            folder=tmp_path,
        )

    expected = bits(ball("verlet"))
    found = ball("verlet/plus/gpu")
    assert np.array_equal(bits(found), expected)
    assert found.thermo[TOUCHES].iloc[-1] == 7
    assert steps_of_engine(found) > 15_000


SLOT = np.array(
    [
        triangle
        for side in (-0.508, 0.508)
        for triangle in quad((side, -6, -4), (side, 6, -4), (side, 6, 8), (side, -6, 8))
    ]
)
# Each scene lists the mesh, the velocity of the balls and their heights. In a step, balls move by
# 0.05 times their radius.
FAST = {
    "into a groove": (grooves(1, GROOVE, 0.55), (0, 0, -12), np.linspace(1.0, 1.06, 8)),
    "between two plates": (SLOT, (12, 0, 0), np.linspace(0.5, 1.5, 8)),
}


@pytest.mark.parametrize("scene", FAST)
def test_patches_a_little_out_of_reach_count(scene, tmp_path):
    """Patches include triangles up to 1.05 times the radius from a ball's centre."""
    mesh, velocity, heights = FAST[scene]
    places = np.linspace(-4.5, 4.5, len(heights))
    balls = "".join(
        f"create_atoms 1 single 0 {y:.17g} {z:.17g}\n" for y, z in zip(places, heights, strict=True)
    )
    velocities = "velocity all set {} {} {}".format(*velocity)

    def fly(style: str) -> engine.Run:
        folder = tmp_path / style.replace("/", "-")
        folder.mkdir()
        meshes.write_stl(folder / "wall.stl", mesh, text=True)
        return engine.run(
            f"""units lj
atom_style sphere
newton off
boundary f f f
comm_modify vel yes
region box block -6 6 -6 6 -6 12
create_box 1 box
{balls}set group all diameter 1 density 1
{velocities}
pair_style granular/plus ledger yes
pair_coeff * * {HERTZ}
fix weight all gravity 5 vector 0 0 -1
fix wall all wall/granular/plus {HERTZ} mesh wall.stl
fix move all nve/sphere
timestep 2e-3
compute books all granular/ledger
thermo_style custom step {TOUCHES} c_books[*]
thermo_modify norm no format float %.17g
thermo 250
run_style {style}
run 250
{END} modify sort id format float %.17g
""",
            folder=folder,
        )

    expected, found = (fly(style) for style in ("verlet", "verlet/plus/gpu"))
    assert steps_of_engine(found) > 245
    assert np.array_equal(bits(found), bits(expected))
    table, found_table = (each.thermo.to_numpy(float)[:, 1:] for each in (expected, found))
    assert np.abs(found_table - table).max() <= 1e-13 * np.abs(table).max()


def test_files_of_what_triangles_bear_are_left_to_lammps(tmp_path):
    scene = "open sheet"
    head, acting = script_of(scene, tmp_path)
    acting = acting.replace("mesh wall.stl", "mesh wall.stl vtk 50 wall.*.vtp")
    found = engine.run(f"{head}{acting}run_style verlet/plus/gpu\nrun 100\n", folder=tmp_path)
    assert steps_of_engine(found) == 0
    assert (
        "fix wall (style wall/granular/plus): files of the load on triangles (keyword vtk)"
        in found.log
    )
