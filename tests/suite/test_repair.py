"""`pysuite mesh --repair` unites bodies, keeps vessels open, and leaves sound meshes alone."""

from __future__ import annotations

import builtins
import time
from pathlib import Path

import numpy as np
import pytest
from granular_plus import _shapes, _surfaces

from pysuite import (
    commands,
    engine,
    meshes,
)
from pysuite.meshes import drawing, repair
from tests.suite import solids

DRAWINGS = Path(__file__).parent / "drawings"
SIX_DIGITS = 1e-5  # fraction of the size of a mesh; LAMMPS and the repair ignore smaller lengths


def mended(name: str) -> repair.Repaired:
    return repair.repair(meshes.read_stl(DRAWINGS / f"{name}.stl"))


def assert_sound(triangles: np.ndarray, digits: int = 17) -> None:
    """Check that a mesh is closed, consistently oriented, and without bad triangles.

    If coordinates have six digits, intersections are not checked, because rounding makes some
    neighbouring triangles intersect.
    """
    found = drawing.examine(triangles)
    assert (found.open_edges, found.turned_edges) == (0, 0)
    assert (found.overlaps, found.without_area) == (0, 0)
    if not found.crowded_edges and digits > 6:  # bodies may touch along an edge
        vertices, faces = meshes.indexed(triangles)
        _shapes.check(vertices, faces.astype(np.int32))


@pytest.mark.parametrize(
    "name",
    [
        "min_two_plates",
        "min_two_plates_d",
        "min_three_lone_triangles",
        "repair_hangs",
        "min_repair_acute_corner",
    ],
)
def test_plates_stay_as_they_are(name):
    before = meshes.read_stl(DRAWINGS / f"{name}.stl")
    after, done = repair.repair(before)
    np.testing.assert_array_equal(after, before)
    assert "sheets and vessels stay open" in " ".join(done)


@pytest.mark.parametrize("name", ["min_open_bin", "min_open_round_bin"])
def test_open_vessels_stay_open(name):
    before = meshes.read_stl(DRAWINGS / f"{name}.stl")
    after, done = repair.repair(before)
    np.testing.assert_array_equal(after, before)
    open_edges = drawing.examine(before).open_edges
    assert done == [
        f"left {open_edges} edges of only one triangle, because sheets and vessels stay open"
    ]


def test_a_sound_prism_stays_as_it_is():
    before = meshes.read_stl(DRAWINGS / "min_repair_hangs_closed.stl")
    after, done = repair.repair(before)
    np.testing.assert_array_equal(after, before)
    assert done == ["nothing had to be repaired"]


# volumes of the unions, known from their construction
BODIES = {
    "min_two_boxes_same_diagonal": 2.0,
    "min_two_boxes_other_diagonal": 2.0,
    "min_two_boxes_whole_face": 2.0,
    "min_two_boxes_part_face": 1.25,
    "min_two_boxes_offset_face": 2.21,
    "min_three_boxes_corner": 3.0,
    "min_baffle_flush": 0.109,
    "min_baffle_sunk": 0.109,
    "min_baffle_ends_flush": 0.115,
    "min_baffle_through_ends_flush": 0.115,
    "min_drum_baffle_1": 0.338112,
    "min_drum_baffle_3": 0.338112,  # baffle embedded in the shell
    "min_drum_one_baffle_open": 0.300985,
    "min_drum_six_baffles_overlap": 0.353385,
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_are_united(name):
    after, done = mended(name)
    assert_sound(after)
    assert drawing.examine(after).closed
    assert solids.volume_of(after) == pytest.approx(BODIES[name], rel=2e-6)
    assert done[0].startswith("united")


@pytest.mark.parametrize("name", ["same_diagonal", "other_diagonal", "whole_face"])
def test_of_two_boxes_the_outer_triangles_are_left(name):
    assert len(mended(f"min_two_boxes_{name}").triangles) == 20


ROLL = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -2 4 -2 3 -2 3
create_box 1 box
create_atoms 1 single 0.6 {y} 1.49
set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * hooke 1000 1 damping coeff_restitution tangential linear_nohistory 0 0
fix roll all move linear 1 0 0
fix w all wall/granular/plus hooke 1000 1 damping coeff_restitution tangential linear_nohistory 0 0 mesh w.stl
timestep 0.01
thermo_style custom step f_w[1] f_w[2] f_w[3]
thermo 1
run 80
"""  # noqa: E501


@pytest.mark.parametrize("name", ["same_diagonal", "other_diagonal", "whole_face"])
def test_a_ball_rolls_over_the_joint_of_two_boxes(name, tmp_path):
    """A face left between the boxes would make the force at the joint 13.29 instead of 10."""
    after, _ = mended(f"min_two_boxes_{name}")
    low = after.min(axis=(0, 1))
    meshes.write_stl(tmp_path / "w.stl", after - low)
    run = engine.run(ROLL.format(y=0.5), folder=tmp_path)
    force = run.thermo.iloc[:, -3:].to_numpy(dtype=float)
    np.testing.assert_allclose(force, [[0.0, 0.0, -10.0]] * len(force), rtol=1e-6, atol=1e-5)


def contacts_at(scene: solids.Scene, triangles: np.ndarray) -> np.ndarray:
    """Return the number of contacts and the error of the overlap for a ball at each place."""
    mesh = _surfaces.Mesh(np.ascontiguousarray(triangles), 30.0)
    radius, overlap = scene.reach, 0.02 * scene.reach
    found = []
    for place, normal in zip(scene.places, scene.normals, strict=True):
        centre = place + (radius - overlap) * normal
        overlaps = [c[2] for c in mesh.contacts(centre[None], radius, radius) if c[2] > 0.0]
        found.append((len(overlaps), max(overlaps, default=0.0) - overlap))
    return np.array(found).reshape(-1, 2)


def check_scene(kind: str, seed: int) -> int:
    rng = np.random.default_rng(seed)
    scene = solids.placed(getattr(solids, kind)(rng), rng)
    start = time.perf_counter()
    after, _ = repair.repair(scene.triangles)
    assert time.perf_counter() - start < 60.0
    assert_sound(after, scene.digits)
    found = drawing.examine(after)
    step = SIX_DIGITS * float(np.linalg.norm(found.high - found.low))
    assert abs(solids.volume_of(after) - scene.volume) < step * found.area
    again, _ = repair.repair(after)
    assert abs(solids.volume_of(again) - scene.volume) < step * found.area
    contacts = contacts_at(scene, after)
    assert (contacts[:, 0] == 1).all()
    # rounding coordinates to six digits shifts the surface by less than `step`
    assert (np.abs(contacts[:, 1]) < step).all()
    return len(contacts)


@pytest.mark.parametrize("kind", ["boxes", "prisms", "drums"])
def test_random_bodies(kind):
    places = sum(check_scene(kind, seed) for seed in range(15))
    assert kind == "prisms" or places > 30


@pytest.mark.long
@pytest.mark.parametrize("kind", ["boxes", "prisms", "drums"])
def test_many_random_bodies(kind):
    for seed in range(1000, 1200):
        check_scene(kind, seed)


@pytest.mark.parametrize("seed", range(10))
def test_random_bins_stay_as_they_are(seed):
    rng = np.random.default_rng(seed)
    scene = solids.prisms(rng)
    top = (scene.triangles[:, :, 2] == scene.triangles[:, :, 2].max()).all(axis=1)
    rim = solids.Scene(scene.triangles[~top], 0.0, scene.places, scene.normals)
    bin_ = solids.placed(rim, rng).triangles
    after, done = repair.repair(bin_)
    np.testing.assert_allclose(after, bin_, rtol=0.0, atol=3e-7 * np.ptp(bin_, axis=(0, 1)).max())
    assert "sheets and vessels stay open" in done[-1]


def test_a_lost_triangle_is_put_in_and_said():
    ball = meshes.sphere(1.0, 2)
    broken = np.concatenate([ball[1:], ball[5:6], ball[:1, [0, 0, 1]]])
    broken[7] = broken[7, ::-1]
    after, done = repair.repair(broken)
    assert_sound(after)
    assert solids.volume_of(after) == pytest.approx(solids.volume_of(ball), rel=1e-12)
    text = "; ".join(done)
    for words in ("of zero area", "duplicate triangle", "added 1 missing triangle"):
        assert words in text


def test_a_body_that_is_inside_out_is_turned():
    cube = meshes.box((0, 0, 0), (1, 1, 1))
    after, done = repair.repair(cube)
    assert solids.volume_of(after) == pytest.approx(1.0)
    assert done == ["flipped 1 closed surface that had been inside out"]


@pytest.mark.parametrize("turned", [False, True])
def test_hollows_stay(turned):
    """The mesh is a spherical shell around a ball."""
    outer, inner = meshes.sphere(2.0, 2), meshes.sphere(1.5, 2)[:, ::-1]
    ball = meshes.sphere(0.5, 1)
    drawn = np.concatenate([ball, inner, outer])
    after, done = repair.repair(drawn[:, ::-1] if turned else drawn)
    assert len(after) == len(drawn)
    assert solids.volume_of(after) == pytest.approx(solids.volume_of(drawn), rel=1e-12)
    assert ("flipped 3 closed surfaces that had been inside out" in done) == turned
    assert done[-1] == "kept 1 hollow in a body"


def test_a_body_inside_out_is_united_with_its_neighbour():
    drawn = meshes.read_stl(DRAWINGS / "min_baffle_through_ends_flush.stl")
    drawn[:12] = drawn[:12, ::-1]
    after, _ = repair.repair(drawn)
    assert_sound(after)
    assert solids.volume_of(after) == pytest.approx(0.115, rel=2e-6)


@pytest.mark.parametrize("copies", ["same", "other triangles"])
def test_a_body_that_is_there_twice_is_there_once(copies):
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    one = meshes.box((0, 0, 0), (1, 1, 1))
    other = one if copies == "same" else meshes.box((0, 0, 0), (1, 1, 1), 3)
    after, _ = repair.repair(np.concatenate([one, other]) @ turn.T)
    assert_sound(after)
    assert solids.volume_of(after) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("second", ["as drawn", "turned round"])
def test_a_sheet_that_is_there_twice_is_there_once(second):
    turn = slice(None, None, -1 if second == "turned round" else 1)
    whole = meshes.sheet((0, 0, 0), (4, 0, 0), (0, 4, 0), (1, 1))
    finer = meshes.sheet((1, 1, 0), (5, 0, 0), (0, 2, 0), (7, 3))[:, turn]
    crossed = np.array([[(0, 0, 0), (4, 0, 0), (0, 4, 0)], [(4, 0, 0), (4, 4, 0), (0, 4, 0)]])
    twice = np.concatenate([whole, finer, crossed[:, turn].astype(float)])
    assert drawing.examine(twice).overlaps > 10
    found = drawing.examine(repair.repair(twice).triangles)
    assert found.overlaps == 0
    assert found.area == pytest.approx(16 + 2 * 2, rel=1e-12)


def test_a_plate_without_thickness_keeps_one_face():
    sheet = meshes.sheet((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1))
    found = drawing.examine(repair.repair(np.concatenate([sheet, sheet[:, ::-1]])).triangles)
    assert (found.overlaps, found.area) == (0, pytest.approx(1.0))


def test_a_sheet_on_a_body_is_left_out_there():
    box = meshes.box((0, 0, 0), (1, 1, 1))[:, ::-1]
    sheet = meshes.sheet((0.5, 0.25, 1), (1, 0, 0), (0, 0.5, 0), (1, 1))
    after, _ = repair.repair(np.concatenate([box, sheet]))
    found = drawing.examine(after)
    assert (found.overlaps, found.area) == (0, pytest.approx(6.25))


def test_edges_are_divided_at_the_vertices_on_them():
    box = meshes.box((0, 0, 0), (1, 1, 1))
    top = (box[:, :, 2] == 1).all(axis=1)
    finer = meshes.sheet((0, 0, 1), (1, 0, 0), (0, 1, 0), (3, 5))
    after, done = repair.repair(np.concatenate([box[~top], finer]))
    assert_sound(after)
    assert solids.volume_of(after) == pytest.approx(1.0, rel=1e-12)
    assert "closed 1 surface whose edges did not fit together" in done


@pytest.mark.parametrize("digits", [6, 17])
@pytest.mark.parametrize("low", [(1, 0, 0), (1, -0.2, 0.3)], ids=["whole face", "part of a face"])
def test_of_boxes_that_share_a_face_the_outer_faces_are_left(low, digits):
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    one, other = meshes.box((0, 0, 0), (1, 1, 1)), meshes.box((0, 0, 0), (1, 1, 1), 3)
    both = np.concatenate([one, other + low]) @ turn.T
    both = np.vectorize(lambda x: float(f"{x:.{digits}g}"))(both)
    shared = 2 * (1 - abs(low[1])) * (1 - abs(low[2]))
    after, _ = repair.repair(both)
    assert_sound(after, digits)
    assert drawing.examine(after).area == pytest.approx(12 - shared, rel=1e-4)
    assert solids.volume_of(after) == pytest.approx(2, rel=1e-4)


def test_any_triangles_end(tmp_path):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        points = rng.integers(0, 4, (12, 3)).astype(float)
        soup = points[rng.integers(0, 12, (40, 3))]
        before = drawing.examine(soup)
        after = drawing.examine(repair.repair(soup).triangles)
        assert after.overlaps <= before.overlaps
        assert after.without_area <= before.without_area


def test_the_command_says_what_it_did(tmp_path, capsys):
    out = tmp_path / "out.stl"
    part = DRAWINGS / "min_two_boxes_other_diagonal.stl"
    assert commands.main(["mesh", str(part), "--repair", "-o", str(out)]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "repair: united 2 bodies that overlap or share faces into one" in text
    assert "yes, volume 2" in text
    assert len(meshes.read_stl(out)) == 20


def test_where_manifold3d_is_missing(tmp_path, capsys, monkeypatch):
    original = builtins.__import__

    def without(name, *rest):
        if name == "manifold3d":
            raise ModuleNotFoundError("No module named 'manifold3d'", name="manifold3d")
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    out = tmp_path / "out.stl"
    for name, status in (("min_open_bin", 0), ("min_baffle_sunk", 2)):
        command = ["mesh", str(DRAWINGS / f"{name}.stl"), "--repair", "-o", str(out)]
        assert commands.main([*command, "--overwrite"]) == status
    captured = capsys.readouterr()
    text = " ".join((captured.out + captured.err).split())
    assert (
        "this command needs the Python package manifold3d: install it with"
        " `pip install 'granular-plus[mesh]'`" in text
    )
