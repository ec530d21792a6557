"""Reading of valid STL files, error messages for invalid ones, and writing of VTK files."""

from __future__ import annotations

import struct
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from granular_plus import _surfaces

from pysuite import engine, meshes, shapes
from pysuite.meshes import drawing

TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)[
    np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
]
LAW = "hertz 4e5 200 tangential mindlin 3e5 1 0.3"
SETUP = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -2 2 -2 2 -2 2
create_box 1 box
create_atoms 1 single 0.2 0.2 -0.49 units box
set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * hertz 4e5 200 tangential mindlin 3e5 1 0.3
fix move all nve/sphere
timestep 1e-4
"""


def binary(triangles: np.ndarray, folder: Path) -> bytes:
    return meshes.write_stl(folder / "x.stl", triangles).read_bytes()


def text(triangles: np.ndarray, folder: Path) -> bytes:
    return meshes.write_stl(folder / "x.stl", triangles, text=True).read_bytes()


@pytest.mark.parametrize("write", [binary, text])
def test_what_is_written_is_read(tmp_path, write):
    surface = meshes.sphere(2.0, 2).astype(np.float32).astype(float)
    np.testing.assert_array_equal(_surfaces.parse_stl(write(surface, tmp_path)), surface)


@pytest.mark.parametrize("boundary", ["f f f", "p p p"])
@pytest.mark.parametrize("scale", ["", "scale 0.001"])
def test_a_drawing_in_another_unit_than_the_box_is_said(boundary, scale, tmp_path):
    sides = 1000 * meshes.box((-1.5, -1.5, -1.5), (1.5, 1.5, 1.5))
    meshes.write_stl(tmp_path / "drum.stl", sides)
    script = SETUP.replace("boundary f f f", f"boundary {boundary}")
    script += f"fix drum all wall/granular/plus {LAW} mesh drum.stl {scale}\nrun 0\n"
    if scale or boundary == "f f f":
        log = engine.run(script, folder=tmp_path).log
        assert ("no triangle reaches into the box" in log) == (not scale)
        assert ("use keyword scale" in log) == (not scale)
    else:
        with pytest.raises(engine.LammpsError, match=r"within the box.* use keyword scale"):
            engine.run(script, folder=tmp_path)


def test_forms_of_text():
    facet = "facet normal nan 0 0\nouter loop\nvertex 0 0 0\nvertex +1e0 0 .0\nvertex 0 1.5E-1 0\n"
    facet += "endloop\nendfacet\n"
    several = f"solid the facet of vertex\n{facet}endsolid x y\nsolid\n{facet.upper()}endsolid"
    expected = np.array([[[0, 0, 0], [1, 0, 0], [0, 0.15, 0]]] * 2)
    for form in (
        several,
        "\n " + several,
        several.replace("\n", "\r\n"),
        several.replace("\n", "\r"),
        several.upper(),
    ):
        np.testing.assert_array_equal(_surfaces.parse_stl(form.encode()), expected)


@pytest.mark.parametrize(
    "above",
    [
        "# written by a program, 2026\n",
        "; one\n\n// two, solid\r\nsolids of all kinds\n",
        "\ufeff\n",
        "COMMENT: " + 300 * "x" + "\n",
    ],
)
def test_lines_above_solid_are_no_part_of_the_surface(tmp_path, above):
    data = above.encode() + text(TETRAHEDRON, tmp_path)
    np.testing.assert_array_equal(_surfaces.parse_stl(data), TETRAHEDRON)
    (tmp_path / "part.stl").write_bytes(data)
    assert len(shapes.read(tmp_path / "part.stl").triangles) == 4


@pytest.mark.parametrize("sign", ["#", ";", "//"])
def test_comments_between_triangles(tmp_path, sign):
    data = text(TETRAHEDRON, tmp_path).replace(b"endfacet\n", b"endfacet\n%s x\n" % sign.encode())
    np.testing.assert_array_equal(_surfaces.parse_stl(data), TETRAHEDRON)


def test_a_binary_file_may_begin_with_solid(tmp_path):
    data = binary(TETRAHEDRON, tmp_path)
    np.testing.assert_array_equal(_surfaces.parse_stl(b"solid" + data[5:]), TETRAHEDRON)


def spoiled(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda d, _: d[:-7], ["has 277 bytes, but must have 284", "4 triangles", "is cut off"]),
        (lambda d, _: d + b"\0", ["has 285 bytes, but must have 284", "bytes after its last"]),
        (lambda d, _: d[:60], ["has 60 bytes", "84"]),
        (lambda d, _: b"", ["has 0 bytes"]),
        (lambda d, _: spoiled(d, 80, b"\xff\xff\xff\xff"), ["4294967295 triangles"]),
        (lambda d, _: spoiled(d[:84], 80, b"\0\0\0\0"), ["the file has no triangles"]),
        (
            lambda d, _: spoiled(d, 84 + 50 + 12 + 4 * 4, struct.pack("<f", np.nan)),
            ["triangle 2", "y of corner 2 = nan"],
        ),
        (
            lambda d, _: spoiled(d, 84 + 100 + 12, struct.pack("<f", np.inf)),
            ["triangle 3", "x of corner 1 = inf", "1e30"],
        ),
        (lambda _, t: t[: len(t) // 2], ["triangle 3", "end of the file"]),
        (
            lambda _, t: t[: t.rindex(b"facet normal")],
            ["triangle 4", "endsolid", "end of the file"],
        ),
        (lambda _, t: t[: t.index(b"endsolid")], ["triangle 5", "endsolid", "end of the file"]),
        (lambda _, t: t.replace(b"vertex", b"vortex", 5), ["triangle 1", "vertex", "'vortex'"]),
        (lambda _, t: t.replace(b"1.0", b"1,0", 1), ["triangle 1", "a number", "'1,0'"]),
        (lambda _, t: t.replace(b"1.0", b"+-1.0", 1), ["triangle 1", "a number", "'+-1.0'"]),
        (lambda _, t: t.replace(b"1.0", b"inf", 1), ["triangle 1", "inf"]),
        (lambda _, t: t.replace(b"1.0", b"1e999", 1), ["triangle 1", "inf", "1e30"]),
        (lambda _, t: b"solid nothing\nendsolid nothing\n", ["the file has no triangles"]),
        (lambda _, t: b"<html>not found</html>", ["has 22 bytes", "solid"]),
        (lambda _, t: 9 * b"<p>not found</p>\n", ["no line", "solid", "triangles"]),
        (lambda _, t: t.replace(b"solid", b"sold"), ["no line", "solid", "ASCII"]),
        (lambda _, t: t.replace(b"endfacet", b"endfacet x", 1), ["triangle 2", "facet", "'x'"]),
    ],
)
def test_bad_files(tmp_path, change, named):
    with pytest.raises(ValueError) as error:  # noqa: PT011 the words are checked below
        _surfaces.parse_stl(change(binary(TETRAHEDRON, tmp_path), text(TETRAHEDRON, tmp_path)))
    for words in named:
        assert words in str(error.value)


def test_surfaces_that_are_none():
    for triangles, named in (
        ([*TETRAHEDRON, TETRAHEDRON[1]], "triangle 5 lies on triangle 2"),
        ([*TETRAHEDRON, TETRAHEDRON[1][::-1]], "triangle 5 lies on triangle 2"),
        ([TETRAHEDRON[0, [0, 0, 1]]] * 2, "none of the 2 triangles has an area"),
        (
            [[(0, 0, 0), (1, 0, 0), (0, np.cos(t), np.sin(t))] for t in range(9)],
            "triangles at one of its edges is 9, but must be <= 8",
        ),
    ):
        with pytest.raises(ValueError, match=named):
            _surfaces.Mesh(np.array(triangles, dtype=float), 30.0)


def test_what_a_mesh_tells():
    flat = np.array([[(0, 0, 0), (1, 0, 0), (2, 0, 0)]], dtype=float)
    mesh = _surfaces.Mesh(np.concatenate([TETRAHEDRON[:3], flat]), 30.0)
    assert (len(mesh), mesh.without_area, mesh.open_edges, mesh.crowded_edges) == (3, 1, 3, 0)
    assert (mesh.shortest_edge, mesh.longest_edge) == (1.0, pytest.approx(2**0.5))


@pytest.mark.parametrize(("feature", "linked"), [(5.0, False), (30.0, True)])
def test_links_do_not_care_how_triangles_are_wound(feature, linked):
    a, b = np.radians(20), np.zeros(3)
    one = np.array([b, (0, 1, 0), (-1, 0, 0)])
    other = np.array([b, (0, 1, 0), (np.cos(a), 0, np.sin(a))])
    for first in (one, one[::-1]):
        for second in (other, other[::-1]):
            mesh = _surfaces.Mesh(np.array([first, second]), feature)
            assert sorted(mesh.links()) == ([(1, 2), (2, 1)] if linked else [])


def mutations(rng: np.random.Generator, data: bytes) -> bytes:
    spoiled_ = bytearray(data)
    # kinds 1, 2 and 6 change values, but not the length of the data
    kinds = [1, 2, 6] if rng.random() < 0.5 else range(7)
    for _ in range(rng.integers(1, 4)):
        if not spoiled_:
            break
        place = int(rng.integers(len(spoiled_)))
        kind = rng.choice(kinds)
        if kind == 0:
            del spoiled_[place:]
        elif kind == 1:
            spoiled_[place] = int(rng.integers(256))
        elif kind == 2:
            spoiled_[place : place + 4] = struct.pack(
                "<f", rng.choice([np.nan, np.inf, -0.0, 1e-45, 3e38, 1e20, 0.5])
            )
        elif kind == 3:
            end = min(len(spoiled_), place + 50)
            spoiled_[place:place] = spoiled_[place:end]
        elif kind == 4 and len(spoiled_) > 84:
            spoiled_[80:84] = struct.pack("<I", int(rng.integers(2**32)))
        elif kind == 5:
            del spoiled_[place : place + int(rng.integers(1, 60))]
        elif len(spoiled_) > 84 + 50:
            record = 84 + 50 * int(rng.integers((len(spoiled_) - 84) // 50))
            spoiled_[record : record + 50] = spoiled_[84 : 84 + 50]
    return bytes(spoiled_)


def test_2000_broken_files(tmp_path):
    rng = np.random.default_rng(20)
    seeds = [
        write(surface, tmp_path)
        for surface in (TETRAHEDRON, meshes.sphere(1.0, 1), meshes.box((0, 0, 0), (1, 1, 1), 2, 1))
        for write in (binary, text)
    ]
    read = refused = 0
    centres = np.ascontiguousarray(rng.uniform(-1.5, 1.5, (20, 3)))
    for k in range(2000):
        data = mutations(rng, seeds[k % len(seeds)])
        problem = ""
        try:
            mesh = _surfaces.Mesh(_surfaces.parse_stl(data), 30.0)
        except ValueError as error:
            problem = str(error)
            refused += 1
        else:
            read += 1
            assert np.isfinite(mesh.contacts(centres, 0.5, 0.5)).all()
        assert not problem or "triangle" in problem or "size of" in problem
    print(read, refused)
    assert read > 200
    assert refused > 500


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("mesh", ["mesh", "STL file"]),
        ("mesh missing.stl", ["missing.stl", "cannot be read"]),
        ("mesh .", ["mesh .", "cannot be read"]),
        ("mesh cut.stl", ["cut.stl", "must have 284"]),
        ("mesh good.stl scale 0", ["scale", "factor = 0", "> 0"]),
        ("mesh good.stl scale -1", ["scale", "factor = -1", "> 0"]),
        ("mesh good.stl scale nan", ["nan"]),
        ("mesh good.stl scale", ["keyword scale needs factor"]),
        ("mesh good.stl turn 90 0 0 0", ["turn", "axis = 0", "> 0"]),
        ("mesh good.stl turn 90 0 0", ["keyword turn needs angle ax ay az"]),
        ("mesh good.stl offset 1 2", ["keyword offset needs x y z"]),
        ("mesh good.stl offset 0 0 9", ["good.stl", "z from 9 to 10", "from -2 to 2"]),
        ("mesh good.stl scale 1e30 offset 1e30 0 0", ["good.stl", "1e30"]),
        ("mesh good.stl feature 100", ["feature", "angle = 100", ">= 0.1 and <= 90"]),
        ("mesh good.stl feature 0", ["feature", "angle = 0", ">= 0.1 and <= 90"]),
        ("mesh good.stl wear -1", ["keyword wear: K = -1", ">= 0"]),
        ("mesh good.stl onesided perhaps", ["onesided", "yes or no"]),
        ("mesh good.stl vtk 0 x.*.vtp", ["vtk", "N = 0", ">= 1"]),
        ("mesh good.stl vtk 10 x.vtp", ["vtk", "x.vtp", "*"]),
        ("mesh good.stl vtk 1 nowhere/x.*.vtp", ["vtk", "cannot write file nowhere/x.0.vtp"]),
        ("mesh good.stl scael 2", ["scael", "did you mean scale"]),
        (
            "mesh good.stl turn 90 0 1 0 turn 80 0 0 1",
            ["turn = 80 0 0 1", "given only once", "90 0 1 0 was given"],
        ),
        ("mesh good.stl scale 2 feature 5 scale 3", ["scale = 3", "given only once", "2 was"]),
        (
            "mesh good.stl offset 0 0 1 offset 0 1 0",
            ["offset = 0 1 0", "given only once", "0 0 1 was given"],
        ),
        ("mesh good.stl feature 5 feature 6", ["feature = 6", "given only once", "5 was given"]),
        ("mesh good.stl temperature 5 temperature 6", ["temperature = 6", "given only once"]),
        ("mesh double.stl", ["double.stl", "triangle 5 lies on triangle 2"]),
        ("mesh good.stl move 1 0 0 shear x 1", ["shear", "dimension x", "move"]),
    ],
)
def test_bad_words(lammps_error, tmp_path, words, named):
    data = binary(TETRAHEDRON, tmp_path)
    (tmp_path / "good.stl").write_bytes(data)
    (tmp_path / "cut.stl").write_bytes(data[:-1])
    meshes.write_stl(tmp_path / "double.stl", [*TETRAHEDRON, TETRAHEDRON[1]])
    message = lammps_error(f"{SETUP}fix w all wall/granular/plus {LAW} {words}\nrun 1\n")
    for word in named:
        assert word in message


@pytest.mark.parametrize(
    ("law", "named"),
    [
        ("jkr 1e5 50 0.3 1 tangential mindlin NULL 1 0.3", ["normal jkr", "mesh"]),
        ("dmt 1e5 50 0.3 1 tangential mindlin NULL 1 0.3", ["normal dmt", "mesh"]),
    ],
)
def test_cohesion_that_needs_more_than_overlap(lammps_error, tmp_path, law, named):
    binary(TETRAHEDRON, tmp_path)
    message = lammps_error(f"{SETUP}fix w all wall/granular/plus {law} mesh x.stl\nrun 1\n")
    for word in named:
        assert word in message


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("offset 1.5 0 0", ["x from 1.5 to 2.5", "within the box", "periodic in x"]),
        ("move 1 0 0", ["can neither move in x", "periodic"]),
        ("rotate 1 0 0 0 0 0 1", ["can neither move in x nor rotate", "periodic"]),
    ],
)
def test_periodic_boxes(lammps_error, tmp_path, words, named):
    binary(TETRAHEDRON, tmp_path)
    setup = SETUP.replace("boundary f f f", "boundary p f f")
    message = lammps_error(f"{setup}fix w all wall/granular/plus {LAW} mesh x.stl {words}\nrun 1\n")
    for word in named:
        assert word in message


THIN = f"""
units lj
atom_style sphere
boundary f p f
newton off
comm_modify vel yes
region all block -2 2 0 {{period}} -2 2
create_box 1 all
create_atoms 1 single 0 {{y}} 0.15
set group all diameter {{diameter}} density 1
neighbor {{skin}} bin
pair_style granular/plus
pair_coeff * * {LAW}
fix w all wall/granular/plus {LAW} mesh x.stl
thermo_style custom step f_w[1] f_w[2] f_w[3]
run 0
"""


def test_a_grain_reaches_far_across_a_periodic_border(tmp_path):
    forces = []
    for middle, y in ((0.6, 0.25), (0.3, 0.95)):
        meshes.write_stl(
            tmp_path / "x.stl", meshes.box((-0.05, middle - 0.02, 0), (0.05, middle + 0.02, 0.3))
        )
        done = engine.run(THIN.format(y=y, diameter=0.8, skin=0.1, period=1), folder=tmp_path)
        forces.append(done.thermo.iloc[-1, -3:].to_numpy(dtype=float))
    assert np.linalg.norm(forces[0]) > 1.0
    np.testing.assert_allclose(forces[1], forces[0], rtol=1e-5, atol=1e-9)


def test_a_mesh_in_a_box_that_has_changed(lammps_error, tmp_path):
    meshes.write_stl(tmp_path / "x.stl", meshes.box((-0.05, 0.28, 0), (0.05, 0.32, 0.3)))
    script = THIN.format(y=0.7, diameter=0.4, skin=0.1, period=1)
    message = lammps_error(f"{script}change_box all y final 0 2 units box\nrun 0\n")
    assert "the box has changed in a periodic dimension" in message


def test_a_mesh_in_a_box_too_thin_for_its_grains(lammps_error, tmp_path):
    meshes.write_stl(tmp_path / "x.stl", meshes.box((-0.05, 0.28, 0), (0.05, 0.32, 0.3)))
    message = lammps_error(THIN.format(y=0.7, diameter=0.8, skin=0.6, period=0.8))
    for word in (
        "grain 1 extends to a distance of 0.72",
        "must be <= 0.6",
        "0.75 times the period",
    ):
        assert word in message


def test_placement(tmp_path):
    sheet = meshes.sheet((-10, -10, 10), (20, 0, 0), (0, 20, 0), (2, 2))
    meshes.write_stl(tmp_path / "sheet.stl", sheet)
    wall = f"fix w all wall/granular/plus {LAW} mesh sheet.stl scale 0.1"
    place = "turn 90 0 1 0 offset 0.15 0.2 -0.49"  # turned from z = 1 to x = 1, moved to x = 1.15
    setup = SETUP.replace("0.2 0.2 -0.49", "0.66 0.2 -0.49")
    done = engine.run(
        f"{setup}{wall} {place}\nthermo_style custom step f_w[*]\nrun 0\n",
        folder=tmp_path,
    )
    force = done.wall_vector().iloc[-1][["force_x", "force_y", "force_z"]].to_numpy(dtype=float)
    assert force == pytest.approx([4e5 * np.sqrt(0.5) * 0.01**1.5, 0, 0], rel=1e-4, abs=1e-4)


def test_the_order_of_the_words_of_a_placement_does_not_matter(tmp_path):
    binary(TETRAHEDRON, tmp_path)
    words = ["scale 0.5", "turn 90 0 0 1", "offset 0.25 0 -0.75"]
    forces = []
    for order in permutations(words):
        done = engine.run(
            f"{SETUP}fix w all wall/granular/plus {LAW} mesh x.stl {' '.join(order)}\n"
            "thermo_style custom step f_w[*]\nrun 0\n",
            folder=tmp_path,
        )
        forces.append(done.wall_vector().iloc[-1].to_numpy(dtype=float))
    assert np.linalg.norm(forces[0]) > 1.0
    for force in forces[1:]:
        np.testing.assert_array_equal(force, forces[0])


CUBE = """
units si
atom_style bpm/sphere
boundary f f f
comm_modify vel yes
region b block -1 2 -1 2 -1 2
create_box 1 b
create_atoms 1 single 0.25 0.25 0.25
set group all diameter 0.2
pair_style granular/plus
pair_coeff * * hertz/material 1e7 0.3 0.25 damping tsuji tangential mindlin NULL 1 0.5
fix s all shape/granular/plus file {grain} density 2500
fix w all wall/granular/plus hertz/material 1e7 0.3 0.25 damping tsuji tangential mindlin NULL 1 0.5 mesh {wall}
run 0
"""  # noqa: E501


@pytest.mark.parametrize("shift", [1e-17, 1.5e-7, 3e-7])
def test_walls_and_shapes_take_the_same_corners_for_one(tmp_path, shift):
    """Walls, shapes and `pysuite mesh` merge corners that are closer than 2e-7 of the mesh size."""
    cube = meshes.box((0, 0, 0), (1, 1, 1))[:, ::-1] / np.sqrt(3.0)
    cube[0, 0, 0] += shift
    meshes.write_stl(tmp_path / "cube.stl", cube, text=True)
    meshes.write_stl(tmp_path / "small.stl", 0.1 * cube, text=True)
    found = drawing.examine(cube)
    if shift < 2e-7:
        engine.run(CUBE.format(grain="small.stl", wall="cube.stl"), folder=tmp_path)
        assert found.closed
    else:
        for grain, message in (("small.stl", "is open: "), ("good.stl", "open edges")):
            meshes.write_stl(tmp_path / "good.stl", meshes.box((0, 0, 0), (1, 1, 1))[:, ::-1])
            with pytest.raises(engine.LammpsError, match=message):
                engine.run(CUBE.format(grain=grain, wall="cube.stl"), folder=tmp_path)
        assert not found.closed


def test_a_grain_behind_a_wall_is_told(tmp_path):
    floor = meshes.sheet((-2, -2, -1), (4, 0, 0), (0, 4, 0), (1, 1))
    meshes.write_stl(tmp_path / "floor.stl", floor)
    forces = []
    for side in ("yes", "no"):
        setup = SETUP.replace("-0.49", "-1.49")
        done = engine.run(
            f"{setup}fix w all wall/granular/plus {LAW} mesh floor.stl onesided {side}\n"
            "thermo_style custom step f_w[*]\nrun 1\n",
            folder=tmp_path,
        )
        forces.append(done.wall_vector()["force_z"].iloc[0])
        told = "grain 1 got behind triangle" in done.log
        assert told == (side == "yes")
    assert forces[0] == forces[1] > 0.0


def test_the_first_file_of_vtk_is_that_of_the_start(tmp_path):
    binary(TETRAHEDRON, tmp_path)
    wall = f"fix w all wall/granular/plus {LAW} mesh x.stl vtk 100 x.*.vtp wear 1\n"
    engine.run(f"{SETUP}{wall}run 0\n", folder=tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.vtp")) == ["x.0.vtp"]
    engine.run(
        f"{SETUP}velocity all set 1 0 0\n{wall}run 100\n"
        "shell cp x.100.vtp first\nrun 100\nwrite_restart r\n",
        folder=tmp_path,
    )
    assert (tmp_path / "x.100.vtp").read_bytes() == (tmp_path / "first").read_bytes()
    last = (tmp_path / "x.200.vtp").read_bytes()
    engine.run(f"read_restart r\n{wall}run 0\n", folder=tmp_path)
    assert (tmp_path / "x.200.vtp").read_bytes() == last


def test_few_triangles_are_never_too_small(tmp_path):
    small = meshes.box((0.19, 0.19, -1.0), (0.21, 0.21, -0.995))
    meshes.write_stl(tmp_path / "x.stl", small)
    wall = f"fix w all wall/granular/plus {LAW} mesh x.stl\n"
    log = engine.run(f"{SETUP}{wall}run 1\n", folder=tmp_path).log
    assert "triangles are small" not in log


def test_files_of_vtk(tmp_path):
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    sheet = meshes.sheet((-2, -2, -1), (4, 0, 0), (0, 4, 0), (4, 4))
    meshes.write_stl(tmp_path / "sheet.stl", sheet)
    weight, speed, mu, coefficient = 50.0, 2.0, 0.3, 1e-4
    law = f"hooke 1e4 0 damping velocity tangential linear_history 5e4 0 {mu}"
    setup = SETUP.replace("0.2 0.2 -0.49", f"-1.2 0.2 {-0.5 - weight / 1e4}")
    engine.run(
        f"{setup}fix w all wall/granular/plus {law} mesh sheet.stl wear {coefficient}"
        f" vtk 500 sheet.*.vtp\nvelocity all set {speed} 0 0\n"
        f"fix pull all addforce 0 0 {-weight}\ntimestep 1e-5\nrun 500\n",
        folder=tmp_path,
    )
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(tmp_path / "sheet.500.vtp"))
    reader.Update()
    data = reader.GetOutput()
    assert (data.GetNumberOfCells(), data.GetNumberOfPoints()) == (32, 96)
    corners = vtk_to_numpy(data.GetPoints().GetData()).reshape(-1, 3, 3)
    cells = data.GetCellData()
    of = {
        cells.GetArrayName(k): vtk_to_numpy(cells.GetArray(k))
        for k in range(cells.GetNumberOfArrays())
    }
    assert set(of) == {"pressure", "shear_traction", "sliding_distance", "wear", "triangle"}
    np.testing.assert_allclose(np.sort(corners, 0), np.sort(sheet, 0), atol=1e-6)
    area = 0.5
    assert of["pressure"].sum() * area == pytest.approx(weight, rel=0.01)
    assert of["shear_traction"].sum() * area == pytest.approx(mu * weight, rel=0.02)
    # equations of motion of the ball: m dv/dt = -mu W and 2/5 m R dw/dt = mu W
    time, mass = 500 * 1e-5, np.pi / 6
    way = speed * time - 0.5 * 3.5 * mu * weight / mass * time**2
    assert of["sliding_distance"].sum() == pytest.approx(way, rel=0.02)
    assert of["wear"].sum() * area == pytest.approx(coefficient * weight * way, rel=0.02)
    assert (of["wear"] > 0).sum() <= 2


def test_ovito_opens_meshes_and_grains(tmp_path, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    pytest.importorskip("ovito")
    from ovito.io import import_file

    meshes.write_stl(
        tmp_path / "sheet.stl", meshes.sheet((-2, -2, -1), (4, 0, 0), (0, 4, 0), (4, 4))
    )
    shapes.cube(1.0).write(tmp_path / "die.obj")
    setup = SETUP.replace("atom_style sphere", "atom_style bpm/sphere").replace(
        "fix move all nve/sphere",
        "fix move all shape/granular/plus file die.obj density 1 vtk 50 dice.*.vtp",
    )
    engine.run(
        f"{setup.replace('-0.49', '0.2')}"
        f"fix w all wall/granular/plus {LAW} zplane -1 NULL\n"
        "velocity all set 0 0 -5\nrun 100\n",
        folder=tmp_path,
    )
    engine.run(
        f"{SETUP}fix w all wall/granular/plus {LAW} mesh sheet.stl wear 1 vtk 50 sheet.*.vtp\n"
        "velocity all set 1 0 -5\nrun 100\n",
        folder=tmp_path,
    )
    for name, corners, triangles, columns in (
        ("sheet", 96, 32, {"pressure", "shear_traction", "sliding_distance", "wear", "triangle"}),
        ("dice", 14, 24, {"id", "type", "velocity"}),
    ):
        pipeline = import_file(str(tmp_path / f"{name}.*.vtp"))
        assert pipeline.source.num_frames >= 2
        (surface,) = pipeline.compute(pipeline.source.num_frames - 1).surfaces.values()
        assert (surface.vertices.count, surface.faces.count) == (corners, triangles)
        assert set(surface.faces.keys()) == columns
        if name == "sheet":
            assert surface.faces["wear"][...].max() > 0.0


def test_wear_goes_on_after_a_restart(tmp_path):
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    sheet = meshes.sheet((-2, -2, -1), (4, 0, 0), (0, 4, 0), (4, 4))
    meshes.write_stl(tmp_path / "sheet.stl", sheet)
    wall = f"fix w all wall/granular/plus {LAW} mesh sheet.stl wear 1 vtk 500 NAME.*.vtp\n"
    push = "fix push all addforce 5 0 -50\n"
    setup = SETUP.replace("0.2 0.2 -0.49", "-1.2 0.2 -0.502")

    def worn(name: str) -> np.ndarray:
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(str(tmp_path / name))
        reader.Update()
        return vtk_to_numpy(reader.GetOutput().GetCellData().GetArray("wear"))

    engine.run(
        f"{setup}{wall.replace('NAME', 'one')}{push}run 500\nwrite_restart half\nrun 500\n",
        folder=tmp_path,
    )
    engine.run(
        "units lj\natom_style sphere\nboundary f f f\ncomm_modify vel yes\nread_restart half\n"
        f"{SETUP[SETUP.index('pair_style') :]}{wall.replace('NAME', 'two')}{push}run 500\n",
        folder=tmp_path,
    )
    assert worn("one.1000.vtp").sum() > worn("one.500.vtp").sum() > 0
    np.testing.assert_allclose(worn("two.1000.vtp"), worn("one.1000.vtp"), rtol=1e-5)
