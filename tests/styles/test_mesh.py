"""Mesh walls: a plane of triangles acts like a plane wall. Seams and corners create no energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, meshes
from pysuite.outputs import LEDGER, WALL, WALL_CONTACTS

HERTZ = "hertz 4e5 200 tangential mindlin_rescale 3e5 1 0.3"
LAWS = {
    "hooke": "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    "dsds": f"{HERTZ} slider dsds",
    "truncate": f"{HERTZ} rolling sds 1e3 5 0.1 slider truncate",
    "whole": f"{HERTZ} rolling sds 1e3 5 0.1 twisting marshall",
    "mindlin_deresiewicz": "hertz/material 6e5 0.6 0.25 damping tsuji tangential"
    " mindlin_deresiewicz 1 0.3",
    "wet": f"{HERTZ} bridge willett 2 20 volume 2e-3",
    "actm": "actm 0.02 0.6 NULL 0.25 tangential mindlin NULL 1 0.3 rolling sds 1e3 5 0.1",
}
SIDES = {"x": (0, 5), "y": (0, 5), "z": (0, 9)}
GRAINS = """
units lj
atom_style sphere
boundary f f f
region box block -0.5 5.5 -0.5 5.5 -0.5 9.5
create_box 1 box
lattice sc 1.0
region fill block 0.4 4.8 0.4 4.8 0.5 8 units box
create_atoms 1 region fill
displace_atoms all random 0.05 0.05 0.05 8123
variable size atom random(0.8,1.0,4711)
set group all diameter v_size density 1.2
velocity all create 2.0 8731 loop all
"""
SETUP = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton ${newton}
comm_modify vel yes
read_data grains.data
neigh_modify every 20 delay 0 check no
"""
MOVE = """
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
timestep 2e-4
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 100
"""


def laws_of(law: str) -> str:
    return f"pair_style granular/plus ledger yes\npair_coeff * * {law}\n"


def planes(law: str, sides: str = "xyz") -> str:
    return "".join(
        f"fix {d} all wall/granular/plus {law} {d}plane {SIDES[d][0]} {SIDES[d][1]}\n"
        for d in sides
    )


def mesh(law: str, surface: np.ndarray, folder: Path, words: str = "", name: str = "wall") -> str:
    meshes.write_stl(folder / f"{name}.stl", surface, text=True)
    return f"fix {name} all wall/granular/plus {law} mesh {name}.stl {words}\n"


def box(cells: int, seed: int = -1) -> np.ndarray:
    low, high = zip(*SIDES.values(), strict=True)
    return meshes.box(low, high, cells, seed)


@pytest.fixture(scope="module")
def grains(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("grains")
    law = LAWS["whole"]
    engine.run(
        f"{GRAINS}{laws_of(law)}{planes(law)}comm_modify vel yes\n{MOVE}run 6000\n"
        "write_data grains.data",
        folder=folder,
    )
    return folder


def run(folder: Path, script: str, *, newton: str = "on", **options: object) -> engine.Run:
    return engine.run(
        SETUP + script, folder=folder, variables={"newton": newton}, timeout=300, **options
    )


@pytest.fixture
def end(grains, tools):
    def end(law: str, walls: str, steps: int = 2000, **options: object):
        script = f"{laws_of(law)}{walls}{MOVE}run {steps}\n{tools.dump_command('end')}"
        done = run(grains, script, **options)
        return done.dump("end"), done.thermo

    return end


def distance(one, other) -> float:
    places = ["xu", "yu", "zu"]
    return float(np.abs(one[places].to_numpy() - other[places].to_numpy()).max())


# ------------------------------------------------------------------------ planes cut into triangles


@pytest.mark.parametrize("law", LAWS)
def test_a_box_of_triangles_is_a_box_of_planes(grains, end, law):
    """Collisions amplify round-off to 1e-11."""
    law = LAWS[law]
    plain, table = end(law, planes(law))
    cut, other = end(law, mesh(law, box(4, seed=3), grains))
    assert distance(plain, cut) < 1e-9
    assert table[LEDGER.of("c_ledger", "contacts")].iloc[-1] > 140
    scale = table[LEDGER.of("c_ledger", "normal_dashpot", "slip").split()].iloc[-1].sum()
    np.testing.assert_allclose(
        other.iloc[-1].to_numpy(), table.iloc[-1].to_numpy(), rtol=1e-7, atol=1e-7 * scale
    )


def test_a_contact_ends_in_the_step_in_which_another_begins(tmp_path):
    law = LAWS["hooke"]
    booked = []
    for walls in (planes(law), mesh(law, box(4, seed=3), tmp_path)):
        script = (
            "units lj\natom_style sphere\nboundary f f f\ncomm_modify vel yes\n"
            "region box block -0.5 5.5 -0.5 5.5 -0.5 9.5\ncreate_box 1 box\n"
            "create_atoms 1 single 2.5 4.50001 0.50001\n"
            "set group all diameter 1 density 1.2 vy -1 vz -1\n"
            f"{laws_of(law)}{walls}{MOVE}thermo 1\nrun 1\n"
        )
        booked.append(engine.run(script, folder=tmp_path).thermo)
    by_planes, by_mesh = booked
    assert by_planes[LEDGER.of("c_ledger", "normal_dashpot")].iloc[-1] > 1e-3
    np.testing.assert_allclose(by_mesh.to_numpy(), by_planes.to_numpy(), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(("cells", "seed"), [(1, -1), (10, 3), (100, 3)])
def test_however_it_is_cut(grains, end, cells, seed):
    law = LAWS["whole"]
    plain, _ = end(law, planes(law), 1000)
    cut, _ = end(law, mesh(law, box(cells, seed), grains), 1000)
    assert distance(plain, cut) < 1e-9


@pytest.mark.parametrize(("ranks", "newton"), [(2, "on"), (2, "off"), (1, "off")])
def test_on_ranks(grains, end, ranks, newton):
    law = LAWS["whole"]
    plain, _ = end(law, planes(law), 1000, newton=newton, ranks=ranks)
    cut, _ = end(law, mesh(law, box(5, 3), grains), 1000, newton=newton, ranks=ranks)
    assert distance(plain, cut) < 1e-9


def test_coordinates_in_binary32(grains, end):
    """Only the corners of the box are exact in single precision. Other vertices are rounded."""
    law = LAWS["whole"]
    surface = box(8)
    meshes.write_stl(grains / "binary.stl", surface)
    plain, _ = end(law, planes(law), 500)
    cut, _ = end(law, f"fix b all wall/granular/plus {law} mesh binary.stl\n", 500)
    assert distance(plain, cut) < 1e-9


def test_edges_that_do_not_match(grains, end):
    law = LAWS["whole"]
    coarse = meshes.sheet((0, 0, 0), (2.3, 0, 0), (0, 5, 0), (1, 1))
    fine = meshes.sheet((2.3, 0, 0), (2.7, 0, 0), (0, 5, 0), (3, 7))
    floor = np.concatenate([coarse, fine])
    plain, _ = end(law, planes(law), 1000)
    cut, _ = end(law, planes(law, "xy") + mesh(law, floor, grains), 1000)
    assert distance(plain, cut) < 1e-9


def test_as_many_triangles_as_a_drawing_has(tmp_path, tools):
    law, width = LAWS["whole"], 220
    surface = meshes.sheet((0, 0, 0), (width, 0, 0), (0, width, 0), (width, width), seed=5)
    meshes.write_stl(tmp_path / "floor.stl", surface, text=True)
    results = []
    for wall in ("zplane 0 NULL", "mesh floor.stl"):
        done = engine.run(
            f"""units lj
atom_style sphere
atom_modify map array
boundary p p f
comm_modify vel yes
region box block 0 {width} 0 {width} -1 4
create_box 1 box
lattice sc 1.0 origin 0.5 0.5 0.5
region fill block 0 {width} 0 {width} 0 1 units box
create_atoms 1 region fill subset 32000 4711
displace_atoms all random 0.05 0.05 0 8123
variable size atom random(0.9,1.0,4711)
set group all diameter v_size density 1.2
velocity all create 1.0 8731 loop all
velocity all set NULL NULL -1
{laws_of(law)}fix floor all wall/granular/plus {law} {wall}
{MOVE}thermo 20
run 300
{tools.dump_command("end")}
""",
            folder=tmp_path,
            timeout=600,
        )
        results.append((done.dump("end"), done.ledger["contacts"].to_numpy()))
    (plane, of_plane), (triangles, of_triangles) = results
    np.testing.assert_array_equal(of_triangles, of_plane)
    assert of_plane.max() > 5000
    assert distance(plane, triangles) < 1e-9


def test_periodic(grains, tools):
    law = LAWS["whole"]
    script = SETUP.replace("boundary f f f", "boundary p p f").replace(
        "read_data grains.data", GRAINS.split("boundary f f f")[1].replace("-0.5 5.5", "0 5")
    )
    floor = meshes.sheet((0, 0, 0), (5, 0, 0), (0, 5, 0), (3, 4))
    meshes.write_stl(grains / "floor.stl", floor, text=True)
    results = []
    for wall in ("zplane 0 NULL", "mesh floor.stl"):
        text = f"{script}{laws_of(law)}fix z all wall/granular/plus {law} {wall}\n{MOVE}run 3000\n"
        done = engine.run(
            f"{text}{tools.dump_command('end')}", folder=grains, variables={"newton": "on"}
        )
        results.append(done.dump("end"))
    # a collision multiplies differences by about a thousand, starting at round-off of 1e-16
    assert distance(*results) < 1e-6


def test_springs_stay_when_a_ledger_is_opened(grains, tools):
    law = LAWS["whole"]
    floor = mesh(law, meshes.sheet((0, 0, 0), (5, 0, 0), (0, 5, 0), (3, 4)), grains, name="floor")
    script = (
        f"{SETUP}pair_style granular/plus\npair_coeff * * {law}\n{planes(law, 'xy')}{floor}"
        "fix move all nve/sphere\nfix weight all gravity 10 vector 1 0 -1\n"
        "timestep 2e-4\nrun 2000\n"
    )
    ends = [
        engine.run(
            f"{script}{change}run 50\n{tools.dump_command('end')}",
            folder=grains,
            variables={"newton": "on"},
        ).dump("end")
        for change in ("", "pair_style granular/plus ledger yes\n")
    ]
    assert distance(*ends) < 1e-10


# ------------------------------------------------------------------------------------- single balls

ONE = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
region box block -20 20 -20 20 -20 20
create_box 1 box
comm_modify vel yes
"""


def balls(places: np.ndarray, velocities: np.ndarray, spins: np.ndarray | None = None) -> str:
    lines = []
    for k, (x, v) in enumerate(zip(places, velocities, strict=True), 1):
        w = (0, 0, 0) if spins is None else spins[k - 1]
        lines += [
            "create_atoms 1 single " + " ".join(f"{c:.17g}" for c in x) + " units box",
            f"set atom {k} diameter 1.0 density {6 / np.pi:.17g}",
            f"set atom {k} vx {v[0]:.17g} vy {v[1]:.17g} vz {v[2]:.17g}",
            f"set atom {k} omega {w[0]:.17g} {w[1]:.17g} {w[2]:.17g}",
        ]
    return "\n".join(lines) + "\n"


FREE = "pair_style zero 1.0\npair_coeff * *\nfix move all nve/sphere\n"


def test_a_ball_runs_over_seams_as_on_a_plane(tmp_path, tools):
    rng = np.random.default_rng(5)
    angle = rng.uniform(0, 2 * np.pi, 20)
    places = np.column_stack([rng.uniform(-2, 2, (20, 2)), np.full(20, 0.5 - 1e-3)])
    velocities = 3.0 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(20)])
    law = "hertz 1e5 0 tangential mindlin 8e4 0 0.3 rolling sds 1e3 0 0.01"
    floor = meshes.sheet((-14, -14, 0), (28, 0, 0), (0, 28, 0), (110, 110), seed=2)
    ends = []
    for wall in (f"fix w all wall/granular/plus {law} zplane 0 NULL\n", mesh(law, floor, tmp_path)):
        done = engine.run(
            f"{ONE}{balls(places, velocities)}{FREE}{wall}fix g all gravity 10 vector 0 0 -1\n"
            f"timestep 2e-4\nrun 16000\n{tools.dump_command('end')}",
            folder=tmp_path,
        )
        ends.append(done.dump("end"))
    plane, seams = ends
    travelled = np.hypot(*(plane[["xu", "yu"]].to_numpy() - places[:, :2]).T)
    assert travelled.min() > 5.0
    assert distance(plane, seams) < 1e-10
    for quantity in ("v", "omega"):
        names = [f"{quantity}{d}" for d in "xyz"]
        np.testing.assert_allclose(seams[names], plane[names], atol=1e-9)


def collisions(
    folder: Path, surface: np.ndarray, places, velocities, *, steps: int, time: float, words=""
) -> np.ndarray:
    """Return the change of energy in each frictionless, undamped collision.

    The energy of a ball is 1. Overlaps reach 2 % of the radius, and a collision takes `steps` time
    steps.
    """
    deepest = 0.01
    stiffness = 1.0 / (0.4 * np.sqrt(0.5) * deepest**2.5)  # Hertz: E = 0.4 k sqrt(R) delta^2.5
    speed = np.sqrt(2.0)
    step = 2.94 * deepest / speed / steps
    law = f"hertz {stiffness:.17g} 0 tangential linear_nohistory 0 0"
    every = max(1, steps // 4)
    columns = f"id {WALL_CONTACTS.of('f_wall', 'contacts')} v_e"
    engine.run(
        f"{ONE}{balls(places, speed * velocities)}{FREE}"
        f"{mesh(law, surface, folder, words + ' contacts')}"
        f"variable e atom 0.5*mass*(vx^2+vy^2+vz^2)\ntimestep {step:.17g}\nthermo 1000000\n"
        f"dump e all custom {every} energies {columns}\n"
        "dump_modify e sort id format float %.17g\n"
        f"run {int(time / speed / step)}\n",
        folder=folder,
        timeout=600,
    )
    text = (folder / "energies").read_text().split(f"ITEM: ATOMS {columns}\n")[1:]
    data = np.array([np.fromstring(part.split("ITEM")[0], sep=" ").reshape(-1, 3) for part in text])
    changes = []
    for touching, energy in zip(data[:, :, 1].T, data[:, :, 2].T, strict=True):
        free = np.flatnonzero(touching == 0)
        bounced = np.flatnonzero(np.diff(free) > 1)
        changes.append(energy[free[bounced + 1]] - energy[free[bounced]])
    return np.concatenate(changes)


def directions(count: int, seed: int = 4) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=(count, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def test_energy_in_a_shell(tmp_path):
    """Errors decrease with the time step.

    The measured rms errors are 4e-5, 8e-6 and 1.5e-6 with 50, 100 and 200 steps per collision.
    """
    heading = directions(20)
    places = 0.5 * np.random.default_rng(6).normal(size=(20, 3))
    rms = {}
    for steps in (50, 100, 200):
        found = collisions(tmp_path, meshes.sphere(3.0, 2), places, heading, steps=steps, time=15.0)
        assert len(found) > 40
        rms[steps] = np.sqrt((found**2).mean())
    assert rms[200] < 5e-6
    assert rms[100] < 0.35 * rms[50]
    assert rms[200] < 0.35 * rms[100]


@pytest.mark.parametrize("level", [0, 1], ids=["sharp", "round"])
def test_energy_against_a_rock(tmp_path, level):
    """Each facet of the sharp rock is a separate smooth patch. The round rock is a single patch."""
    heading = directions(60)
    aside = np.cross(heading, directions(60, 9))
    aside *= np.random.default_rng(3).uniform(0, 2.5, (60, 1)) / np.linalg.norm(
        aside, axis=1, keepdims=True
    )
    found = collisions(
        tmp_path, meshes.sphere(2.0, level), aside - 4 * heading, heading, steps=200, time=8.0
    )
    assert len(found) > 30
    assert np.sqrt((found**2).mean()) < 5e-6


def test_neighbouring_boxes_rebound_alike(tmp_path, tools):
    law = "hertz 1e5 50 tangential mindlin 8e4 1 0.3"
    ends = []
    places = np.array([[0.0, 0.1, 0.7], [0.3, 0.2, 0.6], [-0.05, -0.6, 0.8]])
    velocities = np.array([[0.3, 0.2, -3], [-0.5, 0.4, -2], [1.0, 0.0, -2]])
    two = np.concatenate(
        [
            meshes.sheet((-3, -3, 0), (3, 0, 0), (0, 6, 0), (1, 1)),
            meshes.sheet((0, -3, 0), (3, 0, 0), (0, 6, 0), (1, 1)),
        ]
    )
    for wall in (f"fix w all wall/granular/plus {law} zplane 0 NULL\n", mesh(law, two, tmp_path)):
        script = f"{ONE}{balls(places, velocities)}{FREE}{wall}fix g all gravity 10 vector 0 0 -1\n"
        done = engine.run(
            f"{script}timestep 1e-4\nrun 8000\n{tools.dump_command('end')}", folder=tmp_path
        )
        ends.append(done.dump("end"))
    assert distance(*ends) < 1e-11


# ----------------------------------------------------------------------------- one spring per patch


def pressed(folder: Path, walls: str, place, velocity=(0, 0, 0)) -> np.ndarray:
    columns = ["v_fx", "v_fy", "v_fz", WALL.of("f_wall", "contacts")]
    done = engine.run(
        f"{ONE}{balls(np.array([place]), np.array([velocity]))}{FREE}{walls}"
        "timestep 1e-9\nvariable fx equal fx[1]\nvariable fy equal fy[1]\nvariable fz equal fz[1]\n"
        f"thermo_style custom step {' '.join(columns)}\nthermo_modify format float %.17g\n"
        "run 1\n",
        folder=folder,
    )
    return done.thermo[columns].iloc[-1].to_numpy(dtype=float)


PLAIN = "hertz 1e5 0 tangential mindlin 8e4 0 0.5"


@pytest.mark.parametrize("opening", [60.0, 90.0, 140.0])
def test_a_groove_is_two_planes(tmp_path, opening):
    half = np.radians(0.5 * opening)
    run_, rise = 4 * np.sin(half), 4 * np.cos(half)
    groove = meshes.extruded([(-run_, rise), (0, 0), (run_, rise)], -3, 3, 4)
    height = 0.499 / np.sin(half)  # the ball overlaps both flanks by 0.001
    place, velocity = (0.001, 0.2, height), (0.3, 0.7, -0.1)
    tilt = np.pi / 2 - half
    turned = "".join(
        f"variable a{name} equal {sign * tilt:.17g}\n"
        f"fix {name} all wall/granular/plus {PLAIN} zplane 0 NULL rotate v_a{name} 0 0 0 0 1 0\n"
        for name, sign in (("wall", 1), ("other", -1))
    )
    planes_ = pressed(tmp_path, turned, place, velocity)
    triangles = pressed(tmp_path, mesh(PLAIN, groove, tmp_path), place, velocity)
    assert triangles[3] == 2
    size = np.abs(planes_[:3]).max()
    np.testing.assert_allclose(triangles[:3], planes_[:3], atol=1e-12 * size)


def rounded(points: list[tuple[float, float]], radius: float, parts: int) -> np.ndarray:
    a, b, c = (np.array(p, dtype=float) for p in points)
    u, v = (a - b) / np.linalg.norm(a - b), (c - b) / np.linalg.norm(c - b)
    half = 0.5 * np.arccos(u @ v)
    middle = b + radius / np.sin(half) * (u + v) / np.linalg.norm(u + v)
    start, end_ = b + radius / np.tan(half) * u - middle, b + radius / np.tan(half) * v - middle
    angle = np.arctan2(start[0] * end_[1] - start[1] * end_[0], start @ end_)
    turns = angle * np.arange(parts + 1) / parts
    arc = [
        middle
        + np.array(
            [
                np.cos(t) * start[0] - np.sin(t) * start[1],
                np.sin(t) * start[0] + np.cos(t) * start[1],
            ]
        )
        for t in turns
    ]
    return np.array([a, *arc, c])


def test_a_filleted_groove_has_two_contacts(tmp_path):
    profile = rounded([(-4, 4), (0, 0), (4, 4)], 0.2, 6)
    groove = meshes.extruded(profile, -3, 3, 2)
    place = (0, 0, 0.49 * np.sqrt(2))
    found = pressed(tmp_path, mesh(PLAIN, groove, tmp_path), place)
    assert found[3] == 2
    one = 1e5 * np.sqrt(0.5) * 0.01**1.5
    np.testing.assert_allclose(found[2], np.sqrt(2) * one, rtol=1e-9)


def test_the_sides_of_a_channel_are_two_contacts(tmp_path):
    sides = np.concatenate(
        [meshes.sheet((x, -3, -3), (0, 6, 0), (0, 0, 6), (3, 3)) for x in (-0.49, 0.49)]
    )
    turns = np.linspace(0, np.pi, 17)
    ends = [(0.49 * np.cos(t), 2 + 0.49 * np.sin(t)) for t in turns]
    ring = np.array([*ends, *((-x, -z) for x, z in ends), ends[0]])
    pipe = meshes.extruded(ring, -3, 3, 3)
    one = 1e5 * np.sqrt(0.5) * 0.01**1.5
    for surface in (sides, pipe):
        walls = mesh(PLAIN, surface, tmp_path)
        here = pressed(tmp_path, walls, (0, 0, 0))
        assert here[3] == 2
        np.testing.assert_allclose(here[:3], 0, atol=1e-9 * one)
        aside = pressed(tmp_path, walls, (0.004, 0, 0), (0, 1.0, 0))
        restoring = 1e5 * np.sqrt(0.5) * (0.006**1.5 - 0.014**1.5)
        np.testing.assert_allclose(aside[0], restoring, rtol=1e-9)
        # Each spring exerts the force k_t a v dt. Here a is the contact radius.
        spring = 8e4 * (np.sqrt(0.5 * 0.006) + np.sqrt(0.5 * 0.014)) * 1e-9
        np.testing.assert_allclose(aside[1], -spring, rtol=1e-6)


def ring(radius: float, sides: int) -> np.ndarray:
    """Return the corners of a regular polygon whose inscribed circle has the given radius."""
    turns = 2 * np.pi * (np.arange(sides + 1) % sides) / sides
    return radius / np.cos(np.pi / sides) * np.column_stack([np.cos(turns), np.sin(turns)])


@pytest.mark.parametrize(("sides", "words"), [(8, ""), (12, "feature 20")])
def test_a_pipe_of_facets_jams_a_ball(tmp_path, sides, words):
    pipe = meshes.extruded(ring(0.49, sides), -3, 3, 3)
    walls = mesh(PLAIN, pipe, tmp_path, words)
    one = 1e5 * np.sqrt(0.5) * 0.01**1.5
    *force, contacts = pressed(tmp_path, walls, (0, 0, 0), (0, 1.0, 0))
    assert contacts == sides
    np.testing.assert_allclose([force[0], force[2]], 0, atol=1e-9 * one)
    spring = sides * 8e4 * np.sqrt(0.5 * 0.01) * 1e-9  # each side exerts the force k_t a v dt
    assert force[1] == pytest.approx(-spring, rel=1e-6)
    normals = np.pi * (2 * np.arange(sides) + 1) / sides
    aside = 1e-3 * np.array([1.0, 0.5])
    overlaps = 0.01 + np.cos(normals) * aside[0] + np.sin(normals) * aside[1]
    expected = [-1e5 * np.sqrt(0.5) * (overlaps**1.5 * f(normals)).sum() for f in (np.cos, np.sin)]
    found = pressed(tmp_path, walls, (aside[0], 0, aside[1]))
    np.testing.assert_allclose(found[[0, 2]], expected, rtol=1e-9)


@pytest.mark.parametrize(("radius", "told"), [(0.49, True), (0.501, False)])
def test_a_round_pipe_that_a_ball_fills_is_told(tmp_path, radius, told):
    walls = mesh(PLAIN, meshes.extruded(ring(radius, 24), -3, 3, 3), tmp_path)
    place = (0.5e-3, 0, 0) if told else (2e-3, 0, 0)
    log = engine.run(
        f"{ONE}{balls(np.array([place]), np.zeros((1, 3)))}{FREE}{walls}timestep 1e-9\nrun 1\n",
        folder=tmp_path,
    ).log
    assert ("grain 1 is squeezed from opposite sides but has only one contact" in log) == told


@pytest.mark.parametrize("inside", [True, False])
def test_facets_converge_to_the_smooth_surface(tmp_path, inside):
    """Forces converge to Hertz's law for a ball on a sphere or in a hollow sphere."""
    radius, depth = 2.0, 0.02
    curvature = 1 / 0.5 - 1 / radius if inside else 1 / 0.5 + 1 / radius
    smooth = 1e5 * np.sqrt(1 / curvature) * depth**1.5
    off = []
    for level in (4, 5):
        surface = meshes.sphere(radius, level)
        sizes = []
        for way in directions(6, 11):
            place = (radius - 0.5 + depth if inside else radius + 0.5 - depth) * way
            sizes.append(
                np.linalg.norm(pressed(tmp_path, mesh(PLAIN, surface, tmp_path), place)[:3])
            )
        off.append(np.mean(sizes) / smooth - 1)
    assert abs(off[1]) < 0.3 * abs(off[0])
    # Hertz's law replaces spheres by paraboloids, which causes a relative error of 0.1 depth/radius
    assert abs((4 * off[1] - off[0]) / 3) < 0.01


def test_contacts_that_become_one(tmp_path):
    """Two contacts merge if the ball is pressed into a groove with a fillet.

    The fillet has 0.86 times the radius of the ball. Merging divides the elastic energy by
    sqrt(2).
    """
    profile = rounded([(-4, 4), (0, 0), (4, 4)], 0.43, 8)
    groove = meshes.extruded(profile, -3, 3, 2)
    stiffness, speed, mass = 1e5, 1.0, 1.0
    law = f"hertz {stiffness} 0 tangential linear_nohistory 0 0"
    start = f"{ONE}{balls(np.array([[0, 0, 0.72]]), np.array([[0, 0, -speed]]))}"
    done = engine.run(
        f"{start}pair_style granular/plus ledger yes\npair_coeff * * {law}\n"
        f"fix move all nve/sphere\n{mesh(law, groove, tmp_path)}timestep 2e-5\n"
        "compute ledger all granular/ledger\n"
        "thermo_style custom step ke c_ledger[*] f_wall[*]\n"
        "thermo_modify format float %.17g\nthermo 1\nrun 6000\n",
        folder=tmp_path,
    )
    table = done.thermo
    contacts = table[WALL.of("f_wall", "contacts")].to_numpy()
    assert contacts.max() == 2
    assert 1 in contacts[(contacts > 0).argmax() :]
    assert "grain 1 had two contacts that merged into one at triangle" in done.log
    elastic, booked = (
        table[LEDGER.of("c_ledger", "elastic_normal")].to_numpy(),
        table[LEDGER.of("c_ledger", "numerical")].to_numpy(),
    )
    merged = np.flatnonzero((contacts[:-1] == 2) & (contacts[1:] == 1))[0]
    jump = elastic[merged] - elastic[merged + 1]
    assert jump == pytest.approx((1 - np.sqrt(0.5)) * elastic[merged], rel=0.05)
    assert booked[merged + 1] - booked[merged] == pytest.approx(jump, rel=0.05)
    energy = 0.5 * mass * speed**2
    assert np.abs(table[LEDGER.of("c_ledger", "residual")]).max() < 1e-3 * energy
    assert contacts[-1] == 0
    assert abs(booked[-1]) < 0.02 * energy
