"""`pysuite mesh`: what it reports about a mesh for a wall, and how it makes plates from sheets."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import (
    commands,
    meshes,
)
from pysuite.meshes import drawing


def test_a_closed_surface():
    found = drawing.examine(meshes.sphere(2.0, 3), diameter=0.5)
    assert (found.triangles, found.parts, found.closed) == (1280, 1, True)
    assert (found.open_edges, found.crowded_edges, found.turned_edges) == (0, 0, 0)
    # the facets enclose less volume than the sphere
    assert found.volume == pytest.approx(4 / 3 * np.pi * 8, rel=0.02)
    assert found.area == pytest.approx(16 * np.pi, rel=0.01)
    assert found.problems == found.remarks == []


def test_what_is_wrong_is_said():
    ball = meshes.sphere(1.0, 1)
    turned = ball.copy()
    turned[3] = turned[3, ::-1]
    flat = ball[:1, [0, 0, 1]]
    for triangles, diameter, word in (
        (np.concatenate([ball, ball[5:6]]), 0.0, "lie on one another"),
        (turned, 0.0, "3 edges join triangles of opposite winding"),
        (np.concatenate([ball, flat]), 0.0, "1 triangles of zero area"),
        (ball[1:], 0.0, "not closed: 3 edges"),
        (ball[:, ::-1], 0.0, "inwards"),
        (ball, 100.0, "--scale"),
        (ball, 1e-6, "--scale"),
        (meshes.sphere(1.0, 4), 0.6, "larger triangles"),
    ):
        found = drawing.examine(triangles, diameter)
        assert any(word in text for text in found.problems + found.remarks), word


@pytest.mark.parametrize("wound", ["alike", "at random"])
def test_a_thickened_sheet_is_a_closed_plate(wound):
    sheet = meshes.sheet((0, 0, 0), (2, 0, 0), (0, 1, 0), (4, 3), seed=1)
    box = meshes.box((0, 0, 0), (1, 1, 1), 2)
    box = box[~(box[:, :, 2] == 1).all(axis=1)]
    tube = meshes.lathe([(1, 0), (1, 2)], 60)
    thickness = 0.1
    for surface, volume in ((sheet, 0.2), (box, 1.1**2 * 1.05 - 0.9**2 * 0.95), (tube, None)):
        drawn = surface.copy()
        if wound == "at random":
            turned = np.random.default_rng(3).random(len(drawn)) < 0.5
            drawn[turned] = drawn[turned, ::-1]
        plate = drawing.thickened(drawn, thickness)
        found = drawing.examine(plate)
        assert (found.closed, found.turned_edges, found.overlaps) == (True, 0, 0)
        if volume is None:
            volume = drawing.examine(surface).area * thickness
            assert abs(found.volume) == pytest.approx(volume, rel=2e-3)
        elif surface is sheet:
            assert abs(found.volume) == pytest.approx(volume, rel=1e-12)


def test_the_command(tmp_path, capsys):
    part = meshes.write_stl(tmp_path / "part.stl", 1000 * meshes.sphere(1.0, 2))
    out, picture = tmp_path / "out.stl", tmp_path / "out.png"
    command = ["mesh", str(part), "--scale", "0.001", "--grains", "0.1", "-o", str(out)]
    assert commands.main([*command, "--picture", str(picture)]) == 0
    text = capsys.readouterr().out
    assert "320 in 1 part\n" in text
    assert "-1 to 1 = -10 to 10 grains" in text
    np.testing.assert_allclose(meshes.read_stl(out), meshes.sphere(1.0, 2), rtol=1e-6)
    assert picture.stat().st_size > 10_000
    obj = tmp_path / "part.obj"
    obj.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    assert commands.main(["mesh", str(obj), "--repair", "-o", str(out), "--overwrite"]) == 0
    assert len(meshes.read_stl(out)) == 4


@pytest.mark.parametrize(
    ("words", "status", "named"),
    [
        (["missing.stl"], 2, "missing.stl: No such file or directory"),
        (["double.stl"], 1, "lie on one another"),
        (["good.stl", "--scale", "0"], 2, "--scale 0.0 must be > 0 and finite"),
        (["good.stl", "--grains", "-1"], 2, "--grains -1.0 must be >= 0"),
        (["good.stl", "--repair"], 2, "--output"),
        (["bad.obj"], 2, "bad.obj"),
        (["good.stl", "--thicken", "0", "-o", "o.stl"], 2, "--thicken 0.0 must be > 0"),
        (["good.stl", "--thicken", "1"], 2, "--output"),
        (["good.stl", "--thicken", "1", "-o", "o.stl"], 2, "only an open surface can be thickened"),
    ],
)
def test_bad_words(tmp_path, monkeypatch, capsys, words, status, named):
    monkeypatch.chdir(tmp_path)
    ball = meshes.sphere(1.0, 1)
    meshes.write_stl("good.stl", ball)
    meshes.write_stl("double.stl", np.concatenate([ball, ball[:1]]))
    (tmp_path / "bad.obj").write_text("this is no drawing\n")
    assert commands.main(["mesh", *words]) == status
    out = capsys.readouterr()
    assert named in (out.out + out.err).replace("\n", " ")
