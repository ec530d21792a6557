"""A closed surface filled with grains, and the script that bonds them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pysuite import clusters, engine
from pysuite.cli import main
from pysuite.shapes import generators

SIZES = np.array([4.0, 5.0, 6.0])


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """A box whose axes and centre are not those of the file, and what turns it back."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))  # or the surface would be inside out
    box = generators.box(*SIZES)
    place = np.array([20.0, -30.0, 7.0])
    path = tmp_path_factory.mktemp("part") / "block.stl"
    generators.Mesh(box.points @ turn.T + place, box.triangles).write(path)
    return path, turn, place


@pytest.fixture(scope="module")
def packed(part):
    """The commands as a user gives them: its data file and script."""
    path = part[0]
    data = path.with_name("cluster.data")
    assert main(["pack", str(path), "--grains", "1", "--bonded", "-o", str(data)]) == 0
    return data, path.with_name("in.cluster")


def test_grains_fill_the_part_and_none_sticks_out(part, packed):
    _, turn, place = part
    rows = np.loadtxt(packed[0], skiprows=11)
    radii, places = rows[:, 3] / 2, (rows[:, 5:] - place) @ turn
    outside = np.abs(places) + radii[:, None] - SIZES / 2
    assert outside.max() < 0.02  # the distance to the part is that of a grid, half a grain wide
    assert outside.max(axis=0).min() > -0.3  # at all sides some grain comes near
    # 0.62, of a grain in the layer of centres half a grain from the sides only
    fraction = (4 / 3 * np.pi * radii**3).sum() / np.prod(SIZES)
    inner = np.prod(SIZES - 0.9) / np.prod(SIZES)
    assert fraction == pytest.approx(clusters.FRACTION * inner, rel=0.15)
    assert radii.min() >= 0.4
    assert radii.max() <= 0.5
    gaps = np.linalg.norm(places[:, None] - places, axis=2) - radii[:, None] - radii
    assert gaps[np.triu_indices(len(radii), 1)].min() > -0.05


def test_the_script_bonds_what_was_promised(packed):
    run = engine.run(packed[1])
    bonds = int(re.search(r"^bonds (\d+)$", run.log, re.MULTILINE)[1])
    rows = np.loadtxt(packed[0], skiprows=11)
    grains = clusters.Grains(rows[:, 5:], rows[:, 3] / 2)
    assert bonds == grains.bonds()
    assert 5 < 2 * bonds / len(rows) < 10


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--grains", "0"], "diameter = 0 must be > 0"),
        (["--grains", "nan"], "diameter = nan must be > 0"),
        (["--grains", "1", "--seed", "0"], "seed = 0 must be > 0"),
        (["--grains", "30"], "no grain of diameter 30 has room"),
    ],
)
def test_bad_input(part, tmp_path, capsys, more, message):
    assert main(["pack", str(part[0]), "-o", str(tmp_path / "no.data"), *more]) == 2
    assert message in " ".join(capsys.readouterr().err.split())  # the console breaks lines
    assert not (tmp_path / "no.data").exists()


def test_an_open_surface_and_a_file_that_is_there_are_refused(part, tmp_path, capsys):
    box = generators.box(*SIZES)
    opened = generators.Mesh(box.points, box.triangles[1:]).write(tmp_path / "open.obj")
    there = tmp_path / "there.data"
    there.write_text("mine")
    assert main(["pack", str(opened), "--grains", "1", "-o", str(tmp_path / "x.data")]) == 2
    assert "open.obj" in capsys.readouterr().err.replace("\n", "")
    assert main(["pack", str(part[0]), "--grains", "1", "-o", str(there)]) == 2
    assert "exists" in capsys.readouterr().err
    assert there.read_text() == "mine"
