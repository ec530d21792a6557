"""`pysuite pack` fills a closed surface with grains and writes a script that bonds the grains."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pysuite import engine
from pysuite.commands import main
from pysuite.shapes import clusters, distance_to_triangles, generators

SIZES = np.array([4.0, 5.0, 6.0])


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))  # a rotation: a reflection would turn the normals inwards
    box = generators.box(*SIZES)
    place = np.array([20.0, -30.0, 7.0])
    path = tmp_path_factory.mktemp("part") / "block.stl"
    generators.Mesh(box.points @ turn.T + place, box.triangles).write(path)
    return path, turn, place


@pytest.fixture(scope="module")
def packed(part):
    path = part[0]
    data = path.with_name("cluster.data")
    assert main(["pack", str(path), "--grains", "1", "--bonded", "-o", str(data)]) == 0
    return data, path.with_name("in.cluster")


def test_grains_fill_the_part_and_none_sticks_out(part, packed):
    _, turn, place = part
    rows = np.loadtxt(packed[0], skiprows=11)
    radii, places = rows[:, 3] / 2, (rows[:, 5:] - place) @ turn
    outside = np.abs(places) + radii[:, None] - SIZES / 2
    assert outside.max() < 1e-5  # STL files store coordinates in single precision
    assert outside.max(axis=0).min() > -0.3
    # clusters.FRACTION refers to the box of possible centres
    fraction = (4 / 3 * np.pi * radii**3).sum() / np.prod(SIZES)
    inner = np.prod(SIZES - 0.9) / np.prod(SIZES)
    assert fraction == pytest.approx(clusters.FRACTION * inner, rel=0.15)
    assert radii.min() >= 0.4
    assert radii.max() <= 0.5
    gaps = np.linalg.norm(places[:, None] - places, axis=2) - radii[:, None] - radii
    assert gaps[np.triu_indices(len(radii), 1)].min() > -0.05


def prism(corners: np.ndarray, height: float) -> generators.Mesh:
    """Return a prism with a star-shaped base.

    The corners of the base have shape (n, 2) and run counterclockwise about the origin.
    """
    n = len(corners)
    rings = [np.column_stack([corners, np.full(n, z)]) for z in (0.0, height)]
    middles = [[0.0, 0.0, 0.0], [0.0, 0.0, height]]
    here, there = np.arange(n), (np.arange(n) + 1) % n
    triangles = [
        np.column_stack([here, there, there + n]),
        np.column_stack([here, there + n, here + n]),
        np.column_stack([there, here, np.full(n, 2 * n)]),
        np.column_stack([here + n, there + n, np.full(n, 2 * n + 1)]),
    ]
    return generators.Mesh(
        np.concatenate([*rings, middles]), np.concatenate(triangles).astype(np.int32)
    )


def round_corners(n: int, radius: float) -> np.ndarray:
    angle = 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def hollow_box() -> generators.Mesh:
    """Return a box with a notch in its top, so that some edges and corners point into the body."""
    profile = np.array(
        [(-2, 0), (2, 0), (2, 3), (0.7, 3), (0.5, 1), (-0.6, 1.2), (-0.9, 3), (-2, 3)]
    )
    n = len(profile)
    ends = [np.insert(profile, 1, y, axis=1) for y in (-2.0, 2.0)]
    here, there = np.arange(n), (np.arange(n) + 1) % n
    cap = np.array([(0, 1, 4), (0, 4, 5), (1, 2, 3), (1, 3, 4), (5, 6, 7), (5, 7, 0)])
    triangles = [
        cap,
        cap[:, ::-1] + n,
        np.column_stack([there, here, here + n]),
        np.column_stack([there, here + n, there + n]),
    ]
    return generators.Mesh(np.concatenate(ends), np.concatenate(triangles).astype(np.int32))


def distance_by_hand(mesh: generators.Mesh, points: np.ndarray) -> np.ndarray:
    """Return the distance from the nearest face, edge or corner, negative inside the body."""
    corners = mesh.points[mesh.triangles]
    least, angle = np.full(len(points), np.inf), np.zeros(len(points))
    for a, b, c in corners:
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        height = (points - a) @ normal
        foot = points - height[:, None] * normal
        within = np.ones(len(points), dtype=bool)
        for p, q in ((a, b), (b, c), (c, a)):
            within &= np.cross(q - p, foot - p) @ normal >= 0.0
            part = np.clip((points - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
            least = np.minimum(least, np.linalg.norm(points - p - part[:, None] * (q - p), axis=1))
        least = np.where(within, np.minimum(least, np.abs(height)), least)
        u, v, w = (corner - points for corner in (a, b, c))
        lengths = [np.linalg.norm(each, axis=1) for each in (u, v, w)]
        bottom = lengths[0] * lengths[1] * lengths[2] + (u * v).sum(1) * lengths[2]
        bottom += (v * w).sum(1) * lengths[0] + (w * u).sum(1) * lengths[1]
        angle += 2.0 * np.arctan2((u * np.cross(v, w)).sum(1), bottom)
    return np.where(angle > 2.0 * np.pi, -least, least)


BODIES = {
    "prism14": prism(round_corners(14, 2.5), 2.0),
    "prism24": prism(round_corners(24, 2.5), 2.0),
    "prism8": prism(round_corners(8, 2.5), 2.0),
    "star": prism(round_corners(10, 3.0) * np.tile([1.0, 0.45], 5)[:, None], 2.5),
    "notch": hollow_box(),
    "tetrahedron": generators.Mesh(
        5.0 * generators.tetrahedron().points, generators.tetrahedron().triangles
    ),
    "ball": generators.sphere(2.0, 1),
}


@pytest.mark.parametrize("body", BODIES)
def test_no_grain_sticks_out_of_any_body(body):
    mesh = BODIES[body]
    grains = clusters.fill(mesh, 0.5)
    assert len(grains.radii) > 15
    depth = -distance_by_hand(mesh, grains.places)
    assert (depth - grains.radii).min() > -1e-14 * np.abs(mesh.points).max()
    assert (depth - grains.radii).min() < 0.05 * 0.5
    points = np.random.default_rng(3).uniform(-3.0, 3.0, (500, 3)) + mesh.points.mean(axis=0)
    np.testing.assert_allclose(
        distance_to_triangles(mesh, points), distance_by_hand(mesh, points), atol=1e-13
    )


def test_volume_within_the_triangles():
    box = generators.box(*SIZES)
    moved = generators.Mesh(box.points + 7.0, box.triangles)
    assert clusters.volume_within(moved) == pytest.approx(np.prod(SIZES), rel=1e-14)


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
        (["--grains", "30"], "no grain of a packing with diameter 30"),
    ],
)
def test_bad_input(part, tmp_path, capsys, more, message):
    assert main(["pack", str(part[0]), "-o", str(tmp_path / "no.data"), *more]) == 2
    assert message in " ".join(capsys.readouterr().err.split())  # the console wraps lines
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
