"""Contacts with a mesh do not depend on the division of its surface into triangles."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from granular_plus import _surfaces

from pysuite import engine, meshes
from pysuite.meshes import repair
from pysuite.outputs import LEDGER, WALL

ONE = """
units lj
atom_style sphere
boundary f f f
region box block -20 20 -20 20 -20 20
create_box 1 box
comm_modify vel yes
"""
STIFFNESS = 2e4
HOOKE = f"hooke {STIFFNESS} 20 damping velocity tangential linear_history {STIFFNESS} 1 0.5"
WET = "bridge willett 2 20 volume 2e-3"
FLOOR = "zplane 0 NULL"


def drawn(folder: Path, surface: np.ndarray) -> str:
    meshes.write_stl(folder / "surface.stl", surface, text=True)
    return "mesh surface.stl"


def plate(thickness: float, cells: int = 1, seed: int = -1) -> np.ndarray:
    return meshes.box((-3, -3, -thickness), (3, 3, 0), cells, seed)


ORDERS = {
    "as drawn": lambda surface: surface,
    "backwards": lambda surface: surface[::-1],
    "shuffled": lambda surface: np.random.default_rng(7).permutation(surface),
    "wound the other way": lambda surface: surface[:, ::-1],
}


def on_a_slope(folder: Path, wall: str, law: str, overlap: float = 5e-4) -> np.ndarray:
    """Press a grain that does not rotate onto a wall, and pull the grain along x for a time of 2.

    Return displacements and velocity of the grain, forces on the wall and the number of contacts.
    """
    weight = STIFFNESS * overlap
    columns = ["v_x", "v_z", "v_vx", WALL.of("f_w", "force_x"), WALL.of("f_w", "force_z")]
    columns.append(WALL.of("f_w", "contacts"))
    done = engine.run(
        f"{ONE}create_atoms 1 single 0 0 {0.5 - overlap:.17g} units box\n"
        f"set group all diameter 1 density {6 / np.pi:.17g}\n"
        f"pair_style zero 1\npair_coeff * *\nfix move all nve\n"
        f"fix w all wall/granular/plus {law} {wall}\n"
        f"fix weight all addforce {0.3 * weight} 0 {-weight}\ntimestep 1e-4\n"
        "variable x equal xcm(all,x)\nvariable z equal xcm(all,z)\nvariable vx equal vcm(all,x)\n"
        f"thermo_style custom step {' '.join(columns)}\nthermo_modify format float %.17g\n"
        "run 20000\n",
        folder=folder,
    )
    return done.thermo[columns].iloc[-1].to_numpy(dtype=float)


# ------------------------------------------------------------------------------------- thin plates


@pytest.mark.parametrize("law", [HOOKE, f"{HOOKE} {WET}"], ids=["dry", "wet"])
@pytest.mark.parametrize("thickness", [0.2, 0.02, 0.002])
@pytest.mark.parametrize("order", ORDERS)
def test_a_thin_plate_is_a_plane(tmp_path, law, thickness, order):
    """The search finds both faces of the plate, but the grain touches only the near face.

    The grain is above the seam of two triangles.
    """
    plane = on_a_slope(tmp_path, FLOOR, law)
    # the grain sticks: the pulling force divided by the stiffness is 1.5e-4
    assert plane[0] < 2e-4
    thin = on_a_slope(tmp_path, drawn(tmp_path, ORDERS[order](plate(thickness))), law)
    np.testing.assert_allclose(thin, plane, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_a_plate_thinner_than_the_overlap_holds_by_two_springs(tmp_path, order):
    thickness, overlap = 0.002, 0.003
    below = f"fix below all wall/granular/plus {HOOKE} zplane -{thickness} NULL"
    planes = on_a_slope(tmp_path, f"{FLOOR}\n{below}", HOOKE, overlap)
    wall = drawn(tmp_path, ORDERS[order](plate(thickness)))
    end = on_a_slope(tmp_path, wall, HOOKE, overlap)
    assert end[-1] == 2
    np.testing.assert_allclose(end[:3], planes[:3], rtol=1e-9, atol=1e-9)
    log = (tmp_path / "log.lammps").read_text()
    assert "grain 1 reaches through a plate to triangle" in log


def test_a_bridge_stays_with_the_face_that_is_seen(tmp_path):
    pulls = []
    for wall in (FLOOR, drawn(tmp_path, plate(0.02))):
        done = engine.run(
            f"{ONE}create_atoms 1 single 0 0 0.5 units box\nset group all diameter 1 density 1\n"
            "pair_style zero 1\npair_coeff * *\n"
            f"fix w all wall/granular/plus {HOOKE} {WET} {wall}\n"
            "variable z equal 0.5-0.03*sin(2*PI*time)\n"
            "variable rise equal v_z-0.5\nvariable speed equal -0.06*PI*cos(2*PI*time)\n"
            "fix lift all move variable NULL NULL v_rise NULL NULL v_speed\n"
            f"timestep 1e-3\nthermo_style custom step {WALL.of('f_w', 'force_z')}\n"
            "thermo_modify format float %.17g\nthermo 750\nrun 750\n",
            folder=tmp_path,
        )
        pulls.append(done.thermo.iloc[-1, -1])
    assert pulls[0] > 1.0
    assert pulls[1] == pytest.approx(pulls[0], rel=1e-9)


@pytest.mark.parametrize("order", ["as drawn", "backwards"])
def test_a_drum_with_a_thin_shell_keeps_its_energy_balance(tmp_path, order):
    law = "hertz 2e4 20 tangential mindlin 2e4 1 0.5"
    shell = meshes.lathe([(2, -1), (2, 1), (2.01, 1), (2.01, -1), (2, -1)], 48)
    done = engine.run(
        f"""units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -1.5 1.5
create_box 1 box
lattice sc 1.0
region middle cylinder z 0 0 1.4 -0.4 0.4 units box
create_atoms 1 region middle
set group all diameter 1 density 1.9
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
fix weight all gravity 10 vector 0 -1 0
fix drum all wall/granular/plus {law} {drawn(tmp_path, ORDERS[order](shell))} rotate 1 0 0 0 0 0 1
fix ends all wall/granular/plus {law} zplane -1 1
timestep 2e-4
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 100
run 10000
""",
        folder=tmp_path,
    )
    ledger = {name: done.thermo[LEDGER.of("c_ledger", name)] for name in ("residual", "slip")}
    assert ledger["slip"].iloc[-1] > 30
    assert np.abs(ledger["residual"]).max() < 0.01


# ---------------------------------------------------------------------- badly divided surfaces

# after this rotation, no plane is perpendicular to an axis
TURN = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]


def grid(xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    """Return triangles of a grid in the plane z = 0; its lines are at the given x and y."""
    low = np.array([(x, y, 0) for x in xs[:-1] for y in ys[:-1]], dtype=float)
    high = np.array([(x, y, 0) for x in xs[1:] for y in ys[1:]], dtype=float)
    return np.concatenate([tile(a, b) for a, b in zip(low, high, strict=True)])


def tile(low: np.ndarray, high: np.ndarray, diagonal: int = 0) -> np.ndarray:
    (x, y, z), (u, v, _) = low, high
    corners = np.roll([(x, y, z), (u, y, z), (u, v, z), (x, v, z)], diagonal, axis=0)
    return corners[np.array([(0, 1, 2), (0, 2, 3)])].astype(float)


def bricks() -> np.ndarray:
    rows = [np.linspace(-1, 1, 6), np.clip(np.linspace(-1.4, 1.4, 8) + 0.148, -1, 1)]
    lines = np.linspace(-1, 1, 6)
    return np.concatenate([grid(rows[k % 2], lines[k : k + 2]) for k in range(5)])


def unequal() -> np.ndarray:
    return np.concatenate(
        [
            grid(np.linspace(-1, 0.1, 4), np.linspace(-1, 1, 4)),
            grid(np.linspace(0.1, 1, 9), np.linspace(-1, 1, 24)),
        ]
    )


def stitched() -> np.ndarray:
    """Return the triangles of `unequal`, and triangles of zero area that close the seam."""
    coarse, fine = np.linspace(-1, 1, 4), np.linspace(-1, 1, 24)
    seam = []
    for y, v in itertools.pairwise(coarse):
        ends = [y, *fine[(fine > y + 1e-9) & (fine < v - 1e-9)], v]
        for k in range(1, len(ends) - 1):
            seam.append([(0.1, ends[0], 0), (0.1, ends[k], 0), (0.1, ends[k + 1], 0)])
    return np.concatenate([unequal(), np.array(seam)])


def to_digits(points: np.ndarray, digits: int) -> np.ndarray:
    return np.vectorize(lambda x: float(f"{x:.{digits}g}"))(points)


def shaken(points: np.ndarray) -> np.ndarray:
    return points * (1 + np.random.default_rng(3).uniform(-2e-16, 2e-16, points.shape))


CUTS = {"bricks": bricks, "unequal": unequal, "stitched": stitched}
NUMBERS = {
    "binary64": lambda points: points,
    "binary32": lambda points: points.astype(np.float32).astype(float),
    "six digits": lambda points: to_digits(points, 6),
    "round-off": shaken,
}
OFF = {"binary64": 1e-12, "binary32": 6e-8, "six digits": 5e-6, "round-off": 1e-12}


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("turn", [np.eye(3), TURN], ids=["level", "tilted"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("cut", CUTS)
def test_a_plane_is_one_contact_however_it_is_cut(cut, order, turn, numbers):
    radius, overlap = 0.25, 2e-3
    surface = ORDERS[order](NUMBERS[numbers](CUTS[cut]() @ turn.T))
    places = np.random.default_rng(1).uniform(-0.9, 0.9, (400, 2))
    places[:100, 0] = 0.1  # these grains are above the seam
    centres = np.column_stack([places, np.full(400, radius - overlap)]) @ turn.T
    mesh = _surfaces.Mesh(np.ascontiguousarray(surface), 30.0)
    found = np.array(mesh.contacts(np.ascontiguousarray(centres), radius, radius))
    assert found[:, 0].tolist() == list(range(400))
    np.testing.assert_allclose(found[:, 2], overlap, atol=OFF[numbers])
    normals = found[:, 4:] @ turn
    np.testing.assert_allclose(normals[:, 2], 1.0, atol=OFF[numbers] / overlap)


def test_parts_that_only_come_close_are_not_joined():
    for shift in ((0.01, 0, 0), (0, 0, 0.01)):
        halves = [grid([-1, 0], [-1, 1]), grid([0, 1], [-1, 0, 1]) + shift]
        mesh = _surfaces.Mesh(np.concatenate(halves), 30.0)
        assert not any((one < 3) != (other < 3) for one, other in mesh.links())


def cube(low: tuple[float, float, float], diagonals: int) -> np.ndarray:
    sides = []
    for d in range(3):
        for way in (0, 1):
            flat = tile(np.zeros(3), np.ones(3), diagonals)
            flat = flat[:, :: 1 if way else -1] + np.array([0, 0, way])
            sides.append(np.roll(flat, d + 1, axis=2))
    return np.concatenate(sides) + low


def lid(shift: float, cells: int) -> np.ndarray:
    lines = np.linspace(-1, 1, cells + 1) + shift
    return grid(lines, lines)


TWICE = {
    "other diagonal": [tile((-1, -1, 0), (1, 1, 0)), tile((-1, -1, 0), (1, 1, 0), 1)],
    "wound the other way": [tile((-1, -1, 0), (1, 1, 0)), tile((-1, -1, 0), (1, 1, 0), 1)[:, ::-1]],
    "cut more finely": [lid(0, 1), lid(0, 7)],
    "in part": [lid(0, 3), lid(0.3, 4)],
    "boxes that share a face": [cube((-1, -0.5, -1), 0), cube((0, -0.5, -1), 1)],
    "boxes that share a part of a face": [cube((-1, -0.5, -1), 0), cube((0, -0.2, -1.3), 0)],
}


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("turn", [np.eye(3), TURN], ids=["level", "tilted"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("twice", TWICE)
def test_what_is_there_twice_is_refused(twice, order, turn, numbers):
    surface = ORDERS[order](NUMBERS[numbers](np.concatenate(TWICE[twice]) @ turn.T))
    with pytest.raises(ValueError, match=r"triangle \d+ lies on triangle \d+"):
        _surfaces.Mesh(np.ascontiguousarray(surface), 30.0)


@pytest.mark.parametrize("turn", [np.eye(3), TURN], ids=["level", "tilted"])
@pytest.mark.parametrize("twice", TWICE)
def test_what_is_repaired_is_a_plane(twice, turn):
    """Without a repair, grains above the seam of two boxes detect the faces between the boxes."""
    radius, overlap = 0.1, 2e-3
    surface = repair.repair(np.concatenate(TWICE[twice]) @ turn.T).triangles
    mesh = _surfaces.Mesh(np.ascontiguousarray(surface), 30.0)
    places = np.random.default_rng(1).uniform(-0.3, 0.3, (50, 2))
    if twice == "boxes that share a part of a face":
        places[:, 0] -= 0.5
    elif "boxes" in twice:
        places[:25, 0] = 0.0
    centres = np.column_stack([places, np.full(50, radius - overlap)]) @ turn.T
    found = np.array(mesh.contacts(np.ascontiguousarray(centres), radius, radius))
    assert found[:, 0].tolist() == list(range(50))
    np.testing.assert_allclose(found[:, 2], overlap, rtol=1e-9)


def force_on(folder: Path, surface: np.ndarray) -> np.ndarray:
    columns = [WALL.of("f_w", "force_z"), WALL.of("f_w", "contacts")]
    done = engine.run(
        f"{ONE}create_atoms 1 single 0 0 0.498 units box\nset group all diameter 1 density 1\n"
        "pair_style zero 1\npair_coeff * *\nfix move all nve\n"
        f"fix w all wall/granular/plus {HOOKE} {drawn(folder, surface)}\n"
        f"thermo_style custom step {' '.join(columns)}\nthermo_modify format float %.17g\nrun 0\n",
        folder=folder,
    )
    return done.thermo[columns].iloc[0].to_numpy()


@pytest.mark.parametrize("cut", CUTS)
def test_a_wall_is_one_contact_however_it_is_cut(tmp_path, cut):
    surface = CUTS[cut]() - np.array([0.1, 0, 0])
    np.testing.assert_allclose(np.abs(force_on(tmp_path, surface)), (40, 1), rtol=1e-9)


@pytest.mark.parametrize("twice", TWICE)
def test_a_wall_that_is_there_twice_names_the_remedy(tmp_path, twice):
    surface = np.concatenate(TWICE[twice])
    with pytest.raises(engine.LammpsError, match="twice as stiff there; pysuite mesh --repair"):
        force_on(tmp_path, surface)
    if "part of a face" not in twice:
        whole = force_on(tmp_path, repair.repair(surface).triangles)
        np.testing.assert_allclose(np.abs(whole), (40, 1), rtol=1e-9)


def test_a_body_through_the_border_of_the_box_lies_on_its_own_image(tmp_path):
    """The slab is as long as the period, so each end face lies on the image of the other one."""
    slab = meshes.box((-20, -3, -1), (20, 3, 0))
    ends = (np.abs(slab[:, :, 0]) == 20).all(axis=1) & (np.ptp(slab[:, :, 0], axis=1) == 0)
    script = (
        f"{ONE.replace('boundary f f f', 'boundary p f f')}create_atoms 1 single 19.9 0 0.498"
        " units box\nset group all diameter 1 density 1\npair_style zero 1\npair_coeff * *\n"
        f"fix move all nve\nfix w all wall/granular/plus {HOOKE} mesh surface.stl\n"
        f"thermo_style custom step {WALL.of('f_w', 'force_z')}\nrun 0\n"
    )
    drawn(tmp_path, slab)
    with pytest.raises(engine.LammpsError, match=r"lies on the periodic image of triangle \d+"):
        engine.run(script, folder=tmp_path)
    drawn(tmp_path, slab[~ends])
    end = engine.run(script, folder=tmp_path).thermo.iloc[0, -1]
    assert abs(end) == pytest.approx(40, rel=1e-6)
