"""Pictures without a screen: contents are at the right place; errors state what cannot be drawn."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from pysuite import commands, engine, outputs
from pysuite.pictures import at_step, camera, coloured, films, legend, regions, units

pytest.importorskip("pyvista", reason="pictures need the extra `pictures`")

DUMP = """ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS ff ff ff
-2 2
-2 2
-2 2
ITEM: ATOMS id type x y z radius vx vy vz
1 1 -1 0 0 0.99 0 0 0
2 2 {x} 0 0 1 3 0 4
"""


@pytest.fixture
def dump(tmp_path) -> Path:
    path = tmp_path / "grains.dump"
    path.write_text(DUMP.format(step=0, x=1.5) + DUMP.format(step=10, x=1))
    return path


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def test_a_picture_shows_both_grains_in_their_colours(dump):
    picture = dump.with_name("a.png")
    words = ["picture", str(dump), "-o", str(picture), "--eye", "0", "-1", "0"]
    assert commands.main([*words, "--size", "400", "300"]) == 0
    found = pixels(picture)
    assert found.shape == (300, 400, 3)
    assert (found[0, 0] == 255).all()
    grains = (found.min(axis=2) < 200)[40:260, :300]
    assert 0.05 < grains.mean() < 0.6
    left, right = found[150, 110], found[150, 210]
    assert left[2] > left[0]  # slow: violet
    assert right[0] > right[2]  # fast: yellow


def violet(path: Path) -> np.ndarray:
    """Return how violet each pixel of the scene is.

    Strong force chains are violet. Glassy grains are not.
    """
    found = pixels(path)
    red, green, blue = np.moveaxis(found, 2, 0)
    return (np.minimum(red, blue) - green)[:, : -legend.margin(found.shape[1::-1])]


@pytest.mark.parametrize(("eye", "size"), [("0 -1 0", (300, 400)), ("1 -1 9", (400, 150))])
@pytest.mark.parametrize("parallel", [[], ["--parallel"]])
def test_a_tall_scene_is_in_the_picture_as_large_as_possible(tmp_path, eye, size, parallel):
    path, picture = tmp_path / "tall.dump", tmp_path / "a.png"
    rows = "".join(f"{n} 1 0.3 0.2 {n} 0.5 0 0 0\n" for n in range(40))
    path.write_text(
        DUMP.format(step=0, x=0).partition("1 1 -1")[0].replace("\n2\nI", "\n40\nI") + rows
    )
    words = ["picture", str(path), "-o", str(picture), "--size", *map(str, size), *parallel]
    assert commands.main([*words, "--colour", "type", "--eye", *eye.split()]) == 0
    # legend and scale bar are grey
    grains = np.abs(np.diff(pixels(picture), axis=2)).max(axis=2) > 25
    grains = grains[:, : size[0] - legend.margin(size)]
    filled = [np.nonzero(grains.any(axis=axis))[0] for axis in (1, 0)]
    lengths = grains.shape
    for seen, length in zip(filled, lengths, strict=True):
        assert seen.min() >= 0.03 * length
        assert seen.max() <= 0.97 * length
    assert max(np.ptp(seen) / length for seen, length in zip(filled, lengths, strict=True)) > 0.85


@pytest.mark.parametrize("parallel", [False, True])
def test_the_camera_touches_the_spheres_that_are_farthest_out(parallel):
    random = np.random.default_rng(1)
    centres, radii = random.normal(size=(50, 3)) * [1, 2, 5], random.uniform(0.1, 0.9, 50)
    seen = camera.fit(centres, radii, eye=(1, -2, 0.5), up=(0, 0, 1), aspect=1.5, parallel=parallel)
    view = seen.focus - seen.position
    view /= np.linalg.norm(view)
    right = np.cross(view, seen.up)
    free = []
    for axis, aspect in ((right, 1.5), (seen.up, 1.0)):
        slope = (1 - 2 * camera.MARGIN) * aspect * np.tan(np.radians(0.5 * camera.VIEW_ANGLE))
        for side in (-1, 1):
            away = centres - seen.position
            if parallel:
                reach = seen.half_height * (1 - 2 * camera.MARGIN) * aspect
                free.append((reach - side * away @ axis - radii).min())
            else:
                inside = (slope * away @ view - side * away @ axis) / np.hypot(1, slope)
                free.append((inside - radii).min())
    assert min(free) == pytest.approx(0, abs=1e-9)
    assert max(min(free[:2]), min(free[2:])) > 0
    assert [*free[:2]] == pytest.approx([0, 0], abs=1e-9) or free[2:] == pytest.approx(
        [0, 0], abs=1e-9
    )
    depth = (centres - seen.position) @ view
    np.testing.assert_allclose(seen.depths, [(depth - radii).min(), (depth + radii).max()])


@pytest.mark.parametrize("suffix", films.FILMS)
def test_a_film_has_all_frames_and_they_differ(dump, suffix):
    picture = dump.with_name(f"a{suffix}")
    words = ["picture", str(dump), "-o", str(picture), "--size", "201", "150", "--rate", "5"]
    assert commands.main(words) == 0
    if suffix == ".gif":
        with Image.open(picture) as film:
            assert film.n_frames == 2
            assert film.info["duration"] == 200
            shown = []
            for number in range(2):
                film.seek(number)
                shown.append(np.asarray(film.convert("RGB")).astype(int))
    else:
        imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
        words = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(picture)]
        words += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
        found = subprocess.run(words, capture_output=True, check=True)
        assert b" 200x150" in found.stderr
        assert b" 5 fps" in found.stderr
        shown = np.frombuffer(found.stdout, np.uint8).reshape(-1, 150, 200, 3).astype(int)
        assert len(shown) == 2
    assert np.abs(shown[0] - shown[1])[40:110, :120].max() > 50


def test_force_chains_and_meshes_are_drawn(dump, tmp_path, capsys):
    import pyvista

    pyvista.Plane(center=(0, 0, -1.2), i_size=4, j_size=4).triangulate().save(tmp_path / "f.0.vtp")
    contacts = tmp_path / "contacts.dump"
    contacts.write_text(
        "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS ff ff ff\n"
        "-2 2\n-2 2\n-2 2\nITEM: ENTRIES index patom1 patom2 force separation_x separation_y "
        "separation_z point_x point_y point_z\n1 1 2 5 -2 0 0 1 0 0\n"
    )
    picture = tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--meshes", str(tmp_path / "f.0.vtp")]
    assert commands.main([*words, "--chains", str(contacts), "--size", "400", "300"]) == 0
    assert (violet(picture) > 60).any()
    later = contacts.read_text()
    contacts.write_text(later.replace("STEP\n10", "STEP\n0") + later.replace("\n1\nI", "\n2\nI"))
    capsys.readouterr()
    assert commands.main([*words, "--chains", str(contacts)]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "frame of step 10 is incomplete, with 1 of 2 rows; this frame is skipped" in told
    assert (violet(picture) > 60).any()
    contacts.write_text(later.replace("ITEM: TIMESTEP\n10", "ITEM: TIMESTEP\n0"))
    assert commands.main([*words, "--chains", str(contacts)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "has no frame of step 10, but" in told
    assert "is at step 0" in told


def test_meshes_are_scaled_and_misplaced_ones_are_named(dump, tmp_path, capsys):
    import pyvista

    scenes = [tmp_path / name for name in ("small.stl", "large.stl", "far.stl", "wall.vtp")]
    small = pyvista.Box(bounds=(-2, 2, -2, 2, -2, 2)).triangulate()
    for path, mesh in zip(
        scenes, (small, small.scale(1e3), small.translate((900, 0, 0)), small), strict=True
    ):
        mesh.save(path)
    drawn = []
    for mesh, more in ((0, []), (1, ["--scale", "1e-3"]), (3, ["--scale", "1e-3"])):
        picture = tmp_path / "a.png"
        words = ["picture", str(dump), "-o", str(picture), "--meshes", str(scenes[mesh])]
        assert commands.main([*words, "--size", "200", "150", *more]) == 0
        assert capsys.readouterr().err == ""
        drawn.append(pixels(picture))
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] == drawn[2]).all()  # vtp files use the run's unit of length
    for command, out in (("picture", "a.png"), ("view", "a.html")):
        for mesh, told in ((1, "measures 4e+03"), (2, "is 896 away from the grains")):
            words = [command, str(dump), "-o", str(tmp_path / out), "--meshes", str(scenes[mesh])]
            assert commands.main(words) == 0
            error = " ".join(capsys.readouterr().err.split())
            assert f"{told}; the box around the grains measures 4.49: if the drawing is" in error
        assert commands.main([*words, "--scale", "0"]) == 2
        assert "--scale 0 must be > 0 and finite" in capsys.readouterr().err
        assert commands.main([*words, "--turn", "9", "0", "0", "0"]) == 2
        assert "--turn: the axis must not be 0 0 0" in capsys.readouterr().err
        assert commands.main([*words, "--offset", "0", "inf", "0"]) == 2
        assert "--offset must be finite" in capsys.readouterr().err


def test_meshes_are_placed_as_in_the_script(dump, tmp_path):
    import pyvista

    drawing, placed, written = (tmp_path / name for name in ("a.stl", "b.stl", "c.vtp"))
    pyvista.Box(bounds=(0, 4000, 0, 2000, 0, 1000)).triangulate().save(drawing)
    for path in (placed, written):
        pyvista.Box(bounds=(-1, 1, 0, 4, 0.5, 1.5)).triangulate().save(path)
    place = ["--scale", "1e-3", "--turn", "90", "0", "0", "2", "--offset", "1", "0", "0.5"]
    drawn = []
    for file, more in ((placed, []), (drawing, place), (written, place)):
        picture = tmp_path / "a.png"
        words = ["picture", str(dump), "-o", str(picture), "--meshes", str(file), *more]
        assert commands.main([*words, "--size", "200", "150"]) == 0
        drawn.append(pixels(picture))
    assert (np.abs(drawn[0].astype(int) - drawn[1]) > 8).mean() < 0.01  # pixels at edges differ
    assert (drawn[0] == drawn[2]).all()


@pytest.mark.parametrize("command", ["picture", "view"])
def test_meshes_that_cannot_be_drawn_are_named_with_the_reason(command, dump, tmp_path, capfd):
    import pyvista

    pyvista.Plane().triangulate().save(tmp_path / "good.stl")
    pyvista.Plane().triangulate().save(tmp_path / "good.vtp")
    triangle = "facet normal 0 0 1\nouter loop\n" + 3 * "vertex 0 0 0\n" + "endloop\nendfacet\n"
    files = {
        "a.png": (b"\x89PNG", ": the suffix must be one of .stl, .obj, .vtp"),
        "hello.vtp": (b"hello", " is not a .vtp file, or is truncated"),
        "half.vtp": (
            (tmp_path / "good.vtp").read_bytes()[:400],
            " is not a .vtp file, or is truncated",
        ),
        "half.stl": (
            (tmp_path / "good.stl").read_bytes()[:-60],
            " is not a .stl file, or is truncated",
        ),
        "text.stl": (f"solid\n{triangle}".encode(), " is not a .stl file, or is truncated"),
        "empty.stl": (b"solid\nendsolid\n", " has no triangles, or is truncated"),
        "half.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2", " is not a .obj file, or is truncated"),
        "bare.obj": (b"hello", " has no triangles, or is truncated"),
    }
    page = tmp_path / ("a.jpg" if command == "picture" else "a.html")
    for name, (content, reason) in files.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert commands.main([command, str(dump), "-o", str(page), "--meshes", str(path)]) == 2
        told = capfd.readouterr()
        assert told.err.replace("\n", "").endswith(f"mesh {path}{reason}")
        assert told.err.startswith("pysuite: ")
    for name in ("good.stl", "good.vtp"):
        words = [command, str(dump), "-o", str(page), "--meshes", str(tmp_path / name)]
        assert commands.main(words) == 0


def test_chains_take_forces_as_vectors(dump, tmp_path, capsys):
    head = "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS ff ff ff\n"
    head += 3 * "-2 2\n" + "ITEM: ENTRIES patom1 separation_x separation_y separation_z "
    contacts, picture = tmp_path / "contacts.dump", tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--chains", str(contacts)]
    drawn = []
    for columns, row in (
        ("normal_x normal_y normal_z force", "-1 0 0 5"),
        ("normal_x normal_y normal_z force_x force_y force_z", "-1 0 0 -5 3 0"),
    ):
        contacts.write_text(f"{head}{columns}\n1 -2 0 0 {row}\n")
        assert commands.main([*words, "--size", "200", "150"]) == 0
        drawn.append(pixels(picture))
    assert (drawn[0] == drawn[1]).all()
    assert (violet(picture) > 60).any()
    for columns, row, told in (
        ("force_x force_y force_z", "-5 3 0", "no column normal_x: add the word p47"),
        ("friction_x", "3", "no column force"),
    ):
        contacts.write_text(f"{head}{columns}\n1 -2 0 0 {row}\n")
        assert commands.main(words) == 2
        assert told in " ".join(capsys.readouterr().err.split())


def test_chains_pass_through_the_contact_point(dump, tmp_path, capsys):
    head = "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS ff ff ff\n"
    head += 3 * "-2 2\n"
    columns = "ITEM: ENTRIES patom1 force separation_x separation_y separation_z"
    contacts, picture = tmp_path / "contacts.dump", tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--chains", str(contacts)]
    words += ["--eye", "0", "-1", "0", "--size", "400", "300"]
    dark = []
    for height in (0.0, 0.8):
        point = f"point_x point_y point_z\n1 5 -2 0 0 1 0 {height}\n"
        contacts.write_text(f"{head}{columns} {point}")
        assert commands.main(words) == 0
        rows = np.nonzero((violet(picture)[:, 155:175] > 30).any(axis=1))[0]
        dark.append(rows.mean())
    assert abs(dark[0] - 150) < 5
    assert dark[1] < 130
    contacts.write_text(f"{head}{columns} normal_x normal_y normal_z\n1 5 -2 0 0 -0.6 0 -0.8\n")
    assert commands.main(words) == 2
    assert "no column point_x: add the word p" in " ".join(capsys.readouterr().err.split())


def test_broken_bonds_are_drawn_in_glassy_grains(dump, tmp_path):
    table = tmp_path / "events.csv"
    rest = "axial,0,0,0,0,0"
    table.write_text(
        "step,time,id_i,id_j,x,y,z,mode,load,axial,bending,shear,torsion,energy\n"
        f"10,0,1,2,-1,0,0,tension,{rest}\n10,0,1,2,1,0,0,shear,{rest}\n"
        f"11,0,1,2,0,0,0,tension,{rest}\n"
    )
    picture = tmp_path / "a.png"
    words = ["picture", str(dump), "-o", str(picture), "--cracks", str(table)]
    assert commands.main([*words, "--eye", "0", "-1", "0", "--size", "400", "300"]) == 0
    found = pixels(picture)
    red, _, blue = np.moveaxis(found, 2, 0)
    assert (red - blue)[150, 80:140].max() > 80
    assert (blue - red)[150, 190:250].max() > 80
    assert np.abs(red - blue)[150, 155:175].max() < 80
    table.write_text("step,time\n1,0\n")
    assert commands.main([*words]) == 2


def test_a_cut_table_of_broken_bonds_is_named_with_the_line(tmp_path):
    head = ",".join(outputs.BROKEN_BONDS)
    row = ",".join(
        "5" if kind == "int64" else "tension" if kind == "str" else "0.25"
        for kind in outputs.BROKEN_BONDS.values()
    )
    path = tmp_path / "cracks.csv"
    path.write_text(f"{head}\n{row}\n{row}\n")
    assert len(outputs.read_broken_bonds(path)) == 2
    for lost in range(1, len(row) + 1):
        path.write_text(f"{head}\n{row}\n{row}\n"[:-lost])
        with pytest.warns(UserWarning, match=r"cracks.csv: line 3 is incomplete and was skipped"):
            assert len(outputs.read_broken_bonds(path)) == 1
    path.write_text(f"{head}\n{row}\n5,5\n{row}\n")
    with pytest.raises(ValueError, match=r"cracks.csv: line 3 has 2 columns instead of"):
        outputs.read_broken_bonds(path)


def test_a_file_that_is_neither_dump_nor_restart_leaves_no_folder(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for content, told in (
        ("units si\n", "is neither a text dump nor a restart file"),
        ("LammpS RestartT\n", "LAMMPS restart file"),
    ):
        path = tmp_path / "in.heap"
        path.write_text(content)
        assert commands.main(["view", str(path), "-o", str(tmp_path / "a.html")]) == 2
        assert told in capfd.readouterr().err.replace("\n", " ")
        assert list((tmp_path / "temporary").iterdir()) == []


def test_a_restart_file_is_drawn(tmp_path):
    engine.run(
        "units lj\natom_style sphere\nregion b block -2 2 -2 2 -2 2\ncreate_box 1 b\n"
        "create_atoms 1 single 0 0 0\nset group all diameter 1 density 1\n"
        "comm_modify vel yes\npair_style granular/plus\npair_coeff * * hooke 1e4 20 tangential "
        "linear_nohistory 1 0.5\nrun 0\nwrite_restart state\n",
        folder=tmp_path,
    )
    picture = tmp_path / "a.png"
    words = ["picture", str(tmp_path / "state"), "-o", str(picture), "--colour", "type"]
    assert commands.main([*words, "--size", "200", "150"]) == 0
    assert (pixels(picture).min(axis=2) < 200).mean() > 0.05


HEAD = """ITEM: UNITS
si
ITEM: TIME
{time}
ITEM: TIMESTEP
{step}
ITEM: NUMBER OF ATOMS
0
ITEM: BOX BOUNDS xy xz yz pp pp pp
0 3.5 0.5
-1 1 0
0 2 -1
ITEM: ATOMS id
"""


def test_heads_of_frames_have_times_units_and_the_box():
    first, second = engine.parse_frames(
        HEAD.format(step=3, time=0.25) + HEAD.format(step=9, time=1)
    )
    assert first[:3] == (3, 0.25, "si")
    assert second[:3] == (9, 1.0, "si")
    np.testing.assert_allclose(first.origin, [0, 0, 0])
    np.testing.assert_allclose(first.edges, [[3, 0, 0], [0.5, 1, 0], [0, -1, 2]])
    (plain,) = engine.parse_frames(DUMP.format(step=7, x=1))
    assert plain[:3] == (7, None, "")
    np.testing.assert_allclose(plain.edges, 4 * np.eye(3))
    general = HEAD.replace("xy xz yz pp pp pp", "abc origin pp pp pp").format(step=0, time=0)
    general = general.replace("0 3.5 0.5\n-1 1 0\n0 2 -1", "1 0 0 5\n0 2 0 6\n0 1 3 7")
    (general,) = engine.parse_frames(general)
    np.testing.assert_allclose(general.origin, [5, 6, 7])
    np.testing.assert_allclose(general.edges, [[1, 0, 0], [0, 2, 0], [0, 1, 3]])


def test_units_are_those_of_the_style():
    si = units.units_of("si")
    assert units.labelled("speed", units.unit_of("speed", si)) == "speed (m/s)"
    assert units.unit_of("fx", units.units_of("cgs")) == "dyn"
    assert units.unit_of("d_film", si) == ""
    assert units.labelled("speed", units.unit_of("speed", units.units_of("lj"))) == "speed"
    assert [units.round_length(length) for length in (0.9, 1.0, 2.4, 7e-3)] == [0.5, 1.0, 2.0, 5e-3]
    assert units.written_length(5e-3, si) == "5 mm"
    assert units.written_length(2.0, units.units_of("cgs")) == "2 cm"
    assert units.written_length(200.0, units.units_of("micro")) == "200 µm"
    assert units.written_length(5.0, units.units_of("lj")) == "5"
    with pytest.raises(ValueError, match="units SI: unknown; there are: cgs"):
        units.units_of("SI")


@pytest.mark.parametrize("words", [[], ["--zoom", "2"], ["--parallel", "--zoom", "2"]])
def test_the_scale_bar_is_as_long_as_a_grain_in_the_middle(tmp_path, words):
    path, picture = tmp_path / "one.dump", tmp_path / "a.png"
    text = DUMP.format(step=0, x=0).replace("\n2\nI", "\n1\nI").partition("2 2 0 0 0 1")[0]
    path.write_text(text.replace("-1 0 0 0.99", "0 0 0 1"))
    # the wide mesh makes the grain appear smaller
    import pyvista

    box = pyvista.Box((-9, 9, -9, 9, -9, 9)).triangulate()
    box.save(tmp_path / "box.vtp")
    words = ["picture", str(path), "-o", str(picture), "--size", "800", "600", *words]
    words += ["--colour", "type", "--meshes", str(tmp_path / "box.vtp"), "--eye", "0", "-1", "0"]
    assert commands.main(words) == 0
    found = pixels(picture)
    grain = (found[..., 2] - found[..., 0] > 60)[:, :600]
    diameter = np.ptp(np.nonzero(grain.any(axis=0))[0]) + 1
    bar = np.nonzero((found[584] < 60).all(axis=1))[0]
    length = (np.ptp(bar) + 1) * 2.0 / diameter
    assert min(abs(length / known - 1) for known in (1, 2, 5)) < 0.06


def test_time_is_written(dump, tmp_path):
    """The label is the dump's time, else the step times `--timestep`, else the step."""
    corners = []
    for words in ([], ["--timestep", "0.1"], ["--timestep", "1"]):
        picture = tmp_path / "a.png"
        assert commands.main(["picture", str(dump), "-o", str(picture), *words]) == 0
        corners.append(pixels(picture)[:40, :200])
    assert all((corner < 100).any() for corner in corners)
    assert not any((a == b).all() for a, b in ((corners[0], corners[1]), (corners[1], corners[2])))
    timed = tmp_path / "timed.dump"
    timed.write_text(f"ITEM: TIME\n10\n{DUMP.format(step=10, x=1)}")
    assert commands.main(["picture", str(timed), "-o", str(picture)]) == 0
    assert (pixels(picture)[:40, :200] == corners[2]).all()  # t = 10


LOG = """region long cylinder x 0 0.5 2 -3 INF open 1 side in units box
region big block -4 4 -4 4 -4 4
region cone cone z 1 2 0 1 -1 ${end}
region cone cone z 1 2 0 1 -1 1 rotate v_a 1 2 0 0 0 1
region away cylinder z 0 0 1 -1 1 move NULL NULL v_z
region ball sphere 1 2 3 0.5
region egg ellipsoid 1 2 3 0.5 1 1.5
region slab plane 0 0 1 0 0 1
region tilted prism 0 2 0 1 0 1 0.5 0 0
region both union 2 ball big
region part intersect 2 ball big
region gone sphere 0 0 0 1
region gone delete
"""
BOUNDS = np.array([[-10.0, -11.0, -12.0], [10.0, 11.0, 12.0]])


@pytest.mark.parametrize(
    ("name", "extent", "area"),
    [
        ("long", (-3, 10, -2, 2, -1.5, 2.5), 2 * np.pi * 2 * 13 + np.pi * 4),
        ("big", (-4, 4, -4, 4, -4, 4), 6 * 64),
        ("cone", (0, 2, 1, 3, -1, 1), np.pi * (1 + np.sqrt(5))),
        ("ball", (0.5, 1.5, 1.5, 2.5, 2.5, 3.5), np.pi),
        ("egg", (0.5, 1.5, 1, 3, 1.5, 4.5), None),
        ("slab", (-10, 10, -11, 11, 1, 1), 20 * 22),
        ("tilted", (0, 2.5, 0, 1, 0, 1), 2 * (2 + 2 + np.sqrt(1.25))),
    ],
)
def test_regions_have_their_extent_and_area(name, extent, area):
    (mesh,) = regions.surfaces(LOG, (name,), BOUNDS)
    np.testing.assert_allclose(mesh.bounds, extent, atol=0.02)
    if area:
        assert mesh.triangulate().area == pytest.approx(area, rel=0.01)


def test_members_of_a_union_are_drawn_and_what_cannot_be_is_told():
    assert len(regions.surfaces(LOG, ("both", "slab"), BOUNDS)) == 3
    for name, told in {
        "away": "region away moves",
        "part": "style intersect cannot be drawn",
        "gone": "no region gone",
        "bal": "no region bal; did you mean ball",
    }.items():
        with pytest.raises(ValueError, match=told):
            regions.surfaces(LOG, (name,), BOUNDS)
    with pytest.raises(ValueError, match="lattice spacings"):
        regions.surfaces(f"lattice sc 1.0\n{LOG}", ("big",), BOUNDS)
    with pytest.raises(ValueError, match=r"region ball sphere 1 2 v_z 0\.5: could not"):
        regions.surfaces("region ball sphere 1 2 v_z 0.5", ("ball",), BOUNDS)


def test_regions_of_a_log_and_the_box_are_drawn(dump, tmp_path):
    log, picture = tmp_path / "log", tmp_path / "a.png"
    log.write_text(LOG)
    words = ["picture", str(dump), "-o", str(picture)]
    shown = []
    for more in ([], ["--box"], ["--regions", "big", "--log", str(log)]):
        assert commands.main([*words, *more]) == 0
        shown.append((pixels(picture)[:, :600].min(axis=2) < 240).mean())
    assert shown[2] > 0.4
    assert commands.main([*words, "--regions", "big"]) == 2


def test_largest_is_the_upper_end_of_the_colours(dump, tmp_path):
    contacts, picture = tmp_path / "contacts.dump", tmp_path / "a.png"
    contacts.write_text(
        "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS ff ff ff\n"
        "-2 2\n-2 2\n-2 2\nITEM: ENTRIES patom1 force separation_x separation_y separation_z "
        "point_x point_y point_z\n1 5 -2 0 0 1 0 0\n"
    )
    words = ["picture", str(dump), "-o", str(picture), "--size", "400", "300"]
    shown = []
    for more in ([], ["--largest", "50"]):
        assert commands.main([*words, *more]) == 0
        grains = pixels(picture)[:, : -legend.margin((400, 300))]
        assert commands.main([*words, *more, "--chains", str(contacts)]) == 0
        shown.append(((grains[..., 0] - grains[..., 2]).max(), (violet(picture) > 30).sum()))
    assert shown[0][0] > 100 > shown[1][0]  # yellow
    assert shown[0][1] > 100 > shown[1][1]


def test_every_picture_of_the_how_to_pages_is_made_by_a_command():
    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location("draw", root / "docs" / "draw_pictures.py")
    draw_pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw_pictures)
    shown = {path.stem for path in (root / "docs" / "howto" / "figures").iterdir()}
    assert shown - set(draw_pictures.PICTURES) == {"wet_mixing"}  # drawn by the case wet-mixing
    assert set(draw_pictures.PICTURES) <= shown
    script = "fix a all wall/granular/plus hooke 1 0 mesh a.stl wear 1 vtk 7 x.*\nfix b all nve\n"
    found = draw_pictures.with_meshes(script).splitlines()
    assert found[0] == "fix a all wall/granular/plus hooke 1 0 mesh a.stl wear 1 vtk 1000 a.*.vtp"
    assert found[1] == "fix b all nve"
    assert draw_pictures.with_meshes("fix b all nve\n") == "fix b all nve\n"


def test_the_mesh_of_a_frame_is_the_last_before_it():
    files = [Path(f"drum.{n}.vtp") for n in (0, 100, 1000)] + [Path("lid.50.vtp")]
    assert at_step(files, 500) == [Path("drum.100.vtp"), Path("lid.50.vtp")]
    assert at_step(files, 20) == [Path("drum.0.vtp")]


def test_what_cannot_be_drawn_is_told(dump, capsys):
    assert commands.main(["picture", str(dump), "-o", "a.bmp"]) == 2
    assert "a.bmp: .bmp must be one of .png, .jpg" in capsys.readouterr().err.replace("\n", " ")
    assert commands.main(["picture", str(dump), "-o", "a.png", "--colour", "d_film"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "the dump has no column d_film; colours are speed, type, radius" in told
    with pytest.raises(ValueError, match="no column fx"):
        coloured(pd.DataFrame({"x": [1.0]}), "force")
    for words, told in (
        (["--zoom", "0"], "--zoom 0 must be > 0"),
        (["--rate", "-1"], "--rate -1 must be > 0"),
        (["--size", "20", "300"], "--size 20 300 must be >= 50"),
        (["--eye", "0", "0", "1"], "must not be parallel or zero"),
    ):
        assert commands.main(["picture", str(dump), "-o", "a.png", *words]) == 2
        assert told in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize("command", ["picture", "view"])
@pytest.mark.parametrize("lacking", ["radius", "z"])
def test_a_dump_that_lacks_a_column_is_named(command, lacking, tmp_path, capsys):
    columns = [name for name in ("id", "type", "x", "y", "z", "radius") if name != lacking]
    dump = tmp_path / "some.dump"
    dump.write_text(
        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n"
        f"ITEM: ATOMS {' '.join(columns)}\n{' '.join('1' for _ in columns)}\n"
    )
    output = tmp_path / {"picture": "a.png", "view": "a.html"}[command]
    assert commands.main([command, str(dump), "-o", str(output)]) == 2
    assert f"the table of grains has no column {lacking}" in capsys.readouterr().err
    assert not output.exists()
