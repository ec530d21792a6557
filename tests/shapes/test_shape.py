"""Properties computed from a mesh (volume, inertia, nodes, distance), and invalid meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import meshes, shapes
from pysuite.shapes import preview
from tests.fuzz import drawings


def unlike(seed: int, count: int) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def moved(mesh: shapes.Mesh, shift: tuple[float, float, float]) -> shapes.Mesh:
    return shapes.Mesh(mesh.points + np.array(shift), mesh.triangles)


class TestSolid:
    def test_box(self):
        a, b, c = 1.0, 2.0, 3.5
        body = shapes.Shape(moved(shapes.box(a, b, c), (10.0, -20.0, 30.0)))
        volume = a * b * c
        expected = volume / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        assert body.volume == pytest.approx(volume, rel=1e-12)
        assert body.area == pytest.approx(2 * (a * b + b * c + c * a), rel=1e-12)
        np.testing.assert_allclose(np.sort(body.inertia), np.sort(expected), rtol=1e-12)
        np.testing.assert_allclose(body.centre, (10, -20, 30), rtol=1e-12)
        assert body.bounding_radius == pytest.approx(np.sqrt(a * a + b * b + c * c) / 2, rel=1e-12)

    def test_tetrahedron(self):
        body = shapes.Shape(shapes.tetrahedron(2.0))
        volume = 8 / (6 * np.sqrt(2))
        assert body.volume == pytest.approx(volume, rel=1e-12)
        np.testing.assert_allclose(body.inertia, volume * 4 / 20, rtol=1e-12)

    @pytest.mark.parametrize("surface", ["facets", "smooth"])
    def test_ellipsoid(self, surface):
        a, b, c = 1.5, 1.0, 0.7
        volume = 4 / 3 * np.pi * a * b * c
        inertia = volume / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        errors = []
        for level in (2, 3):
            body = shapes.Shape(
                shapes.ellipsoid(a, b, c, level), surface=surface, nodes=10, cell=0.3
            )
            error = [body.volume / volume - 1, *(np.sort(body.inertia) / np.sort(inertia) - 1)]
            errors.append(np.abs(error))
        ratio = errors[0] / errors[1]  # 4 for second order
        assert (ratio > 3.5).all()
        assert (errors[1] < (2e-4 if surface == "smooth" else 2e-2)).all()

    def test_principal_axes(self):
        mesh = shapes.box(1.0, 2.0, 3.0)
        angle = 0.4
        turn = np.array(
            [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
        )
        body = shapes.Shape(shapes.Mesh(mesh.points @ turn.T, mesh.triangles))
        np.testing.assert_allclose(np.sort(body.inertia), np.sort([6.5, 5, 2.5]), rtol=1e-12)
        w, x, y, z = body.principal
        axes = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        inertia = turn @ np.diag([6.5, 5.0, 2.5]) @ turn.T
        np.testing.assert_allclose(axes @ np.diag(body.inertia) @ axes.T, inertia, atol=1e-12)


class TestNodes:
    @pytest.mark.parametrize("mesh", [shapes.sphere(), shapes.cube(), shapes.cylinder(1, 2)])
    def test_weights_are_the_area(self, mesh):
        body = shapes.Shape(mesh)
        assert body.weights.sum() == pytest.approx(body.area, rel=1e-12)
        assert body.weights.min() > 0
        assert len(body.nodes) >= 2500

    def test_number(self):
        assert len(shapes.Shape(shapes.sphere(1, 2), nodes=100).nodes) == 162
        assert len(shapes.Shape(shapes.sphere(1, 2), nodes=163).nodes) == 642

    def test_smooth_bodies_have_nodes_on_the_body(self):
        body = shapes.Shape(shapes.sphere(1, 2), nodes=2000)
        radius = np.linalg.norm(body.nodes, axis=1)
        assert abs(radius - 1).max() < 2e-3
        flat = shapes.Shape(shapes.sphere(1, 2), nodes=2000, surface="facets")
        assert abs(np.linalg.norm(flat.nodes, axis=1) - 1).max() > 1e-2

    def test_sharp_edges_stay(self):
        body = shapes.Shape(shapes.cylinder(1.0, 2.0, 24), nodes=3000)
        assert not body.smooth
        assert abs(body.nodes[:, 2]).max() == pytest.approx(1.0, abs=1e-12)
        radius = np.hypot(*body.nodes[:, :2].T)
        assert radius.max() < 1.0002
        assert body.volume == pytest.approx(2 * np.pi, rel=2e-4)


class TestDistance:
    def test_of_a_sphere(self):
        body = shapes.Shape(shapes.sphere())
        for radius in (0.97, 0.995, 1.01):
            distance, slope = body.distance(radius * unlike(1, 1000))
            np.testing.assert_allclose(distance, radius - 1, atol=8e-5)
            np.testing.assert_allclose(np.linalg.norm(slope, axis=1), 1.0, atol=3e-3)

    def test_of_a_box(self):
        """The spline is exact at six cells or more from the box's edges."""
        body = shapes.Shape(shapes.cube(2.0))
        points = np.random.default_rng(2).uniform(-0.35, 0.35, (200, 3))
        points[:, 0] = np.random.default_rng(3).uniform(0.93, 1.1, 200)
        distance, slope = body.distance(points)
        np.testing.assert_allclose(distance, points[:, 0] - 1, atol=3e-5)
        np.testing.assert_allclose(slope, np.tile([1.0, 0, 0], (200, 1)), atol=2e-3)

    def test_gradient_is_that_of_the_value(self):
        body = shapes.Shape(shapes.cube(2.0))
        points = np.random.default_rng(4).uniform(-1, 1, (300, 3))
        step = 1e-6
        for axis in range(3):
            shift = step * np.eye(3)[axis]
            change = body.distance(points + shift)[0] - body.distance(points - shift)[0]
            found = body.distance(points)[1][:, axis]
            np.testing.assert_allclose(found, change / (2 * step), atol=1e-8)


class TestFiles:
    @pytest.mark.parametrize("name", ["grain.stl", "grain.obj"])
    def test_there_and_back(self, name, tmp_path):
        mesh = shapes.ellipsoid(1.5, 1.0, 0.7, 2)
        again = shapes.read(mesh.write(tmp_path / name))
        corners = np.sort(mesh.points[mesh.triangles].reshape(-1, 9), axis=0)
        found = np.sort(again.points[again.triangles].reshape(-1, 9), axis=0)
        assert len(again.points) == len(mesh.points)
        np.testing.assert_allclose(found, corners, atol=1e-7)  # an STL file has single precision

    @pytest.mark.parametrize("spelled", [str.lower, str.upper])
    def test_text_stl(self, spelled, tmp_path):
        mesh = shapes.cube(2.0)
        lines = ["solid cube"]
        for corner in mesh.points[mesh.triangles]:
            lines += ["facet normal 0 0 0", " outer loop"]
            lines += [f"  vertex {x:g} {y:g} {z:g}" for x, y, z in corner]
            lines += [" endloop", "endfacet"]
        file = tmp_path / "cube.stl"
        file.write_text(spelled("\n".join([*lines, "endsolid"])))
        assert shapes.Shape(shapes.read(file)).volume == pytest.approx(8.0, rel=1e-12)

    def test_obj_of_squares(self, tmp_path):
        mesh = shapes.cube(2.0)
        quads = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
        text = "# a facet a line\n"
        text += "".join(f"v {x} {y} {z}\n" for x, y, z in mesh.points[:8])
        text += "".join(f"f {a}/1/1 {b}//2 {c} {d - 9}\n" for a, b, c, d in quads)
        file = tmp_path / "cube.obj"
        file.write_text(text)
        assert shapes.Shape(file).volume == pytest.approx(8.0, rel=1e-12)


CUBE = shapes.cube()


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        (shapes.Mesh(CUBE.points, CUBE.triangles[1:]), "is open: 3 edges"),
        (shapes.Mesh(CUBE.points, CUBE.triangles[:, ::-1]), "is inside out: its volume is -1"),
        (
            shapes.Mesh(
                CUBE.points, np.concatenate([CUBE.triangles[:1, ::-1], CUBE.triangles[1:]])
            ),
            "consistent orientations",
        ),
        (
            shapes.Mesh(CUBE.points, np.concatenate([CUBE.triangles, CUBE.triangles[:1]])),
            "no triangle may occur twice",
        ),
        (shapes.Mesh(CUBE.points * np.array([1, 1, 0]), CUBE.triangles), "encloses no volume"),
    ],
)
def test_what_is_no_grain(mesh, message):
    with pytest.raises(ValueError, match=message):
        shapes.Shape(shapes.Mesh(mesh.points, np.ascontiguousarray(mesh.triangles)))


def joined(*meshes: shapes.Mesh) -> shapes.Mesh:
    firsts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    return shapes.Mesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate(
            [mesh.triangles + first for mesh, first in zip(meshes, firsts, strict=False)]
        ).astype(np.int32),
    )


def turned_round(mesh: shapes.Mesh) -> shapes.Mesh:
    return shapes.Mesh(mesh.points, mesh.triangles[:, ::-1])


def dented(depth: float) -> shapes.Mesh:
    """Return a box with a dent in its top; for depth > 1, the dent passes through the bottom."""
    points = np.array(
        [[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)] + [[0.5, 0.5, 1 - depth]], float
    )
    triangles = [(0, 2, 1), (1, 2, 3), (0, 1, 4), (1, 5, 4), (1, 3, 5), (3, 7, 5), (3, 2, 7)]
    triangles += [(2, 6, 7), (2, 0, 6), (0, 4, 6), (4, 5, 8), (5, 7, 8), (7, 6, 8), (6, 4, 8)]
    return shapes.Mesh(points, np.array(triangles, np.int32))


TILTED = shapes.Mesh(
    moved(shapes.box(0.3, 0.3, 5.0), (0.01, 0.02, 0)).points
    @ np.array([[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]]),
    CUBE.triangles,
)


@pytest.mark.parametrize(
    "mesh",
    [
        joined(CUBE, moved(CUBE, (0.4, 0.3, 0.2))),
        joined(CUBE, moved(CUBE, (0.5, 0.0, 0.0))),
        joined(CUBE, TILTED),
        dented(1.2),
    ],
    ids=["cubes", "cubes in line", "bar through a cube", "dent"],
)
def test_surfaces_that_cross_themselves(mesh):
    with pytest.raises(ValueError, match=r"crosses itself at \S+ \S+ \S+: .*unite the bodies"):
        shapes.Shape(mesh, nodes=10, cell=0.3)


SMALL_CUBE = shapes.Mesh(0.3 * CUBE.points, CUBE.triangles)


def test_surfaces_within_each_other():
    with pytest.raises(ValueError, match="lies inside another surface"):
        shapes.Shape(joined(CUBE, SMALL_CUBE), nodes=10, cell=0.3)
    with pytest.raises(ValueError, match="is inside out and lies in no other body"):
        shapes.Shape(joined(CUBE, turned_round(moved(SMALL_CUBE, (2, 0, 0)))), nodes=10, cell=0.3)


@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (joined(CUBE, turned_round(SMALL_CUBE)), 1 - 0.3**3),
        (joined(CUBE, moved(CUBE, (1.0, 0.25, 0.0))), 2.0),
        (joined(CUBE, moved(CUBE, (3, 0, 0))), 2.0),
        (joined(CUBE, turned_round(SMALL_CUBE), shapes.Mesh(0.1 * CUBE.points, CUBE.triangles)),
         1 - 0.3**3 + 0.1**3),
        (dented(0.9), 1 - 0.3),
    ],
    ids=["hollow", "side by side", "apart", "loose kernel", "dent"],
)  # fmt: skip
def test_surfaces_of_several_parts(mesh, volume):
    assert shapes.Shape(mesh, nodes=10, cell=0.3).volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("far", [0.0, 1000.0])
def test_rounded_surfaces_do_not_cross_themselves(far, tmp_path: Path):
    sides = meshes.box((-1, -1, -1), (1, 1, 1), cells=4, seed=3)[:, ::-1]
    file = meshes.write_stl(tmp_path / "cube.stl", sides + far)
    assert shapes.Shape(file, nodes=10, cell=0.3).volume == pytest.approx(8, rel=1e-3)


def test_too_fine_a_grid():
    with pytest.raises(ValueError, match=r"cell = 0\.0001.* more than the limit of 5e7"):
        shapes.Shape(CUBE, cell=1e-4)


def test_a_part_without_volume_does_not_carry_the_core_away(tmp_path: Path):
    drawings.write("drawing-243376082.stl", tmp_path)
    body = shapes.Shape(tmp_path / "drawing-243376082.stl", surface="smooth", nodes=10, cell=0.5)
    assert body.volume == pytest.approx(2.4323, rel=1e-4)


def test_two_small_bodies_far_apart_need_a_cell():
    """The default cell would make the grid very large."""
    far = moved(shapes.cube(0.01), (2.0, 2.0, 2.0))
    near = shapes.cube(0.01)
    both = shapes.Mesh(
        np.concatenate([near.points, far.points]),
        np.concatenate([near.triangles, far.triangles + len(near.points)]),
    )
    with pytest.raises(ValueError, match=r"default cell = .* more than .* 5e6; set a larger cell"):
        shapes.Shape(both)
    assert shapes.Shape(both, cell=0.05).volume == pytest.approx(2e-6, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no triangles"),
        ("v 0 0 0\nf 1 2 3\n", "unknown vertex"),
        ("v 0 zero 0\n", "must have three numbers"),
        ("solid a\nfacet\nvertex 0 0 0\nvertex 1 0 0\n", "triangle|facet|outer"),
        ("# written by hand\nfacet\nvertex 0 0 0\n", "no line begins with solid"),
        ("# written by hand\nsolid a\nfacet\nvertex 0 0 0\n", "triangle 1: expected normal"),
        ("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "must have three numbers|not a finite number"),
        ("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", "coincide"),
    ],
)
def test_files_that_cannot_be_read(text, message, tmp_path: Path):
    file = tmp_path / "grain"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        shapes.read(file)


@pytest.mark.parametrize(
    "mesh",
    [
        shapes.superellipsoid(1.0, 0.8, 0.6, 6.0, 3.0),
        shapes.rock(2.0, seed=3),
        shapes.rock(1.0, 0.5, 12, seed=4),
        shapes.tetrahedron(),
        shapes.cylinder(0.5, 3.0),
    ],
)
def test_generators_make_grains(mesh):
    body = shapes.Shape(mesh, surface="facets", nodes=100)
    assert np.linalg.norm(body.centre) < 0.2 * body.volume_radius


def test_rocks_have_the_size_asked_for():
    assert shapes.Shape(shapes.rock(2.0, seed=3), "facets").volume_radius == pytest.approx(2.0)


class TestVisibleNodes:
    def test_of_an_angle(self):
        profile = np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]])
        points = np.vstack([np.column_stack([profile, np.full(6, height)]) for height in (0, 1)])
        caps = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
        around = [(n, (n + 1) % 6, (n + 1) % 6 + 6, n + 6) for n in range(6)]
        sides = [part for a, b, c, d in around for part in ((a, b, c), (a, c, d))]
        triangles = np.vstack([caps[:, ::-1], caps + 6, sides])
        body = shapes.Shape(shapes.Mesh(points, triangles), surface="facets")
        x, y, z = (body.nodes + body.centre).T
        seen = preview.visible(body, (1.0, -1.0, 0.5))
        for face in (np.isclose(z, 1.0), np.isclose(y, 0.0), np.isclose(x, 3.0)):
            assert face.any()
            assert seen[face].all()
        for back in (np.isclose(z, 0.0), np.isclose(x, 0.0), np.isclose(y, 3.0)):
            assert not seen[back & (x < 0.9) & (y > 0.1) & (z < 0.9)].any()
        # height at which a ray from the inner face passes the other leg, minus the leg's height
        above = z + 0.5 * (y - 1.0) - 1.0
        inner = np.isclose(x, 1.0) & (y > 1.05) & (y < 2.95) & (np.abs(above) > 0.1)
        assert 0 < (above[inner] > 0.0).sum() < inner.sum()
        np.testing.assert_array_equal(seen[inner], above[inner] > 0.0)

    def test_of_a_sphere(self):
        body = shapes.Shape(shapes.sphere(1.0, 3))
        assert body.smooth
        view = np.array([0.6, -0.48, 0.64])
        seen = preview.visible(body, view)
        height = body.nodes @ view
        assert seen[height > 0.05].all()
        assert not seen[height < -0.2].any()  # rays that graze the facets may pass
