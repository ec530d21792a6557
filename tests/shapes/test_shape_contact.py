"""The contact of two bodies: gradients, conservation laws, and the special case of spheres."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import shapes


def turn_by(angle: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(angle)
    w, (x, y, z) = np.cos(size / 2), np.sin(size / 2) * angle / size
    a, b, c, d = orientation
    return np.array(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c + y * a + z * b - x * d,
            w * d + z * a + x * c - y * b,
        ]
    )


def random_turn(random: np.random.Generator) -> np.ndarray:
    q = random.normal(size=4)
    return q / np.linalg.norm(q)


def random_direction(random: np.random.Generator) -> np.ndarray:
    v = random.normal(size=3)
    return v / np.linalg.norm(v)


@pytest.fixture(scope="module")
def bodies() -> dict[str, shapes.Shape | None]:
    return {
        "ellipsoid": shapes.Shape(shapes.ellipsoid(1.5, 1.0, 0.7)),
        "cube": shapes.Shape(shapes.cube(1.6), nodes=1500),
        "sphere": None,
    }


def at_depth(
    i: shapes.Shape | None, j: shapes.Shape | None, random: np.random.Generator, depth: float
) -> dict:
    q_i, q_j, direction = random_turn(random), random_turn(random), random_direction(random)
    low, high = 0.0, 5.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if shapes.contact(i, j, middle * direction, np.zeros(3), q_i, q_j):
            low = middle
        else:
            high = middle
    return {
        "position_i": (low - depth) * direction,
        "position_j": np.zeros(3),
        "orientation_i": q_i,
        "orientation_j": q_j,
    }


PAIRS = [
    ("ellipsoid", "ellipsoid"),
    ("cube", "cube"),
    ("ellipsoid", "cube"),
    ("sphere", "cube"),
    ("ellipsoid", "sphere"),
]


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_gradients(i, j, bodies):
    i, j = bodies[i], bodies[j]
    random = np.random.default_rng(1)
    step = 1e-6
    for _ in range(4):
        at = at_depth(i, j, random, 0.03)
        found = shapes.contact(i, j, **at)

        def slope(name, shift, at=at):
            ends = []
            for sign in (1, -1):
                moved = dict(at)
                if name.startswith("position"):
                    moved[name] = at[name] + sign * step * shift
                else:
                    moved[name] = turn_by(sign * step * shift, at[name])
                ends.append(shapes.contact(i, j, **moved).overlap)
            return (ends[0] - ends[1]) / (2 * step)

        for name, gradient in (
            ("position_i", found.gradient),
            ("position_j", -found.gradient),
            ("orientation_i", found.turning_i),
            ("orientation_j", found.turning_j),
        ):
            numbers = [slope(name, axis) for axis in np.eye(3)]
            np.testing.assert_allclose(numbers, gradient, atol=5e-8, err_msg=name)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_angular_momentum(i, j, bodies):
    random = np.random.default_rng(2)
    for _ in range(10):
        at = at_depth(bodies[i], bodies[j], random, 0.02)
        found = shapes.contact(bodies[i], bodies[j], **at)
        resultant = found.turning_i + found.turning_j + np.cross(at["position_i"], found.gradient)
        assert np.abs(resultant).max() < 1e-14


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_order_of_the_two(i, j, bodies):
    random = np.random.default_rng(3)
    for _ in range(5):
        at = at_depth(bodies[i], bodies[j], random, 0.02)
        one = shapes.contact(bodies[i], bodies[j], **at)
        other = shapes.contact(
            bodies[j],
            bodies[i],
            at["position_j"],
            at["position_i"],
            at["orientation_j"],
            at["orientation_i"],
        )
        assert other.overlap == pytest.approx(one.overlap, rel=1e-14)
        np.testing.assert_allclose(other.gradient, -one.gradient, atol=1e-13)
        np.testing.assert_allclose(other.turning_i, one.turning_j, atol=1e-13)
        np.testing.assert_allclose(other.point, one.point, atol=1e-13)


def test_memory_changes_no_bit(bodies):
    for i, j in PAIRS:
        random = np.random.default_rng(4)
        at = at_depth(bodies[i], bodies[j], random, 0.0)
        cache = shapes.Cache()
        inwards = -at["position_i"] / np.linalg.norm(at["position_i"])
        touched = 0
        for k in range(400):
            moved = dict(at)
            moved["position_i"] = at["position_i"] + 0.05 * np.sin(0.03 * k) * inwards
            moved["orientation_i"] = turn_by(
                0.002 * (k + 1) * random_direction(np.random.default_rng(5)), at["orientation_i"]
            )
            kept = shapes.contact(bodies[i], bodies[j], **moved, cache=cache)
            new = shapes.contact(bodies[i], bodies[j], **moved)
            assert (kept is None) == (new is None)
            if new:
                touched += 1
                assert kept.overlap == new.overlap
                assert (kept.gradient == new.gradient).all()
                assert (kept.turning_j == new.turning_j).all()
        assert touched > 50


@pytest.mark.parametrize("name", ["ellipsoid", "cube"])
def test_steepest_bounds_the_slope_outside(name, bodies):
    body = bodies[name].compiled
    reach = 1.1 * body.bounding_radius
    points = np.random.default_rng(9).uniform(-reach, reach, (400_000, 3))
    distance, slope = body.distance(points)
    found = np.linalg.norm(slope[distance > 0.0], axis=1).max()
    assert found <= body.steepest < 1.11 * found


def test_memory_misses_no_node_at_an_edge():
    """Near edges, the spline's distance may change by more than the node has moved."""
    cube = shapes.Shape(shapes.cube(1.6))
    random = np.random.default_rng(8)
    touched = 0
    for _ in range(300):
        at = at_depth(cube, cube, random, 0.0)
        inwards = -at["position_i"] / np.linalg.norm(at["position_i"])
        across = np.cross(inwards, random_direction(random))
        cache = shapes.Cache()
        for way in np.linspace(-0.016, 0.004, 11):
            moved = at | {"position_i": at["position_i"] + way * inwards + 0.5 * way * across}
            kept = shapes.contact(cube, cube, **moved, cache=cache)
            new = shapes.contact(cube, cube, **moved)
            assert (kept and kept.overlap) == (new and new.overlap)
            touched += new is not None
    assert touched > 300


def test_size_is_a_scale(bodies):
    body = bodies["ellipsoid"]
    at = at_depth(body, body, np.random.default_rng(6), 0.02)
    one = shapes.contact(body, body, **at)
    at["position_i"] = 2 * at["position_i"]
    two = shapes.contact(body, body, **at, scale_i=2.0, scale_j=2.0)
    assert two.overlap == pytest.approx(2 * one.overlap, rel=1e-13)
    assert two.radius == pytest.approx(2 * one.radius, rel=1e-13)
    np.testing.assert_allclose(two.gradient, one.gradient, rtol=1e-11)
    np.testing.assert_allclose(two.turning_i, 2 * one.turning_i, atol=1e-13)


class TestHertz:
    """Ratios of the force of faceted spheres to Hertz's force."""

    @staticmethod
    def forces(level: int, depth: float, count: int) -> np.ndarray:
        body = shapes.Shape(shapes.sphere(1.0, level), nodes=10)
        random = np.random.default_rng(7)
        found = (
            shapes.contact_with_plane(body, [0, 0, 1 - depth], random_turn(random))
            for _ in range(count)
        )
        return np.array([(c.overlap / depth) ** 1.5 * np.linalg.norm(c.gradient) for c in found])

    def test_5120_facets(self):
        """The spheres and the overlap are those of Li et al. 2022."""
        force = self.forces(4, 0.0068, 400)
        assert force.mean() == pytest.approx(1.0, abs=0.003)
        assert force.std() < 0.01

    def test_convergence(self):
        spread = [self.forces(level, 0.02, 100).std() for level in (3, 4, 5)]
        assert spread[1] < 0.25 * spread[0]
        assert spread[2] < 0.25 * spread[1]

    @pytest.mark.parametrize("other", ["shape", "sphere"])
    def test_spheres(self, other):
        """Equal spheres of radius R, pressed together by d, have the overlap d - d^2/(15 R)."""
        body = shapes.Shape(shapes.sphere(1.0, 5))
        partner = body if other == "shape" else None
        random = np.random.default_rng(8)
        for depth in (0.01, 0.02, 0.05):
            found = [
                shapes.contact(
                    partner,
                    body,
                    (2 - depth) * random_direction(random),
                    np.zeros(3),
                    random_turn(random),
                    random_turn(random),
                ).overlap
                for _ in range(40)
            ]
            assert np.mean(found) == pytest.approx(depth * (1 - depth / 15), rel=1e-3)
            assert np.std(found) < 2e-3 * depth


class TestPlane:
    def test_flat_punch(self):
        """At depth d, the integral of depth^4 is d^4 A, where A includes part of the sides."""
        body = shapes.Shape(shapes.cube(2.0))
        depth, spacing = 0.01, 2.0 / 16
        found = shapes.contact_with_plane(body, [0, 0, 1 - depth])
        # nodes on edges represent a third of each adjacent triangle on the sides
        sides = 4 * spacing**2 * (15 / 4 + 1 / 3)
        moment = depth**4 * (4.0 + sides)
        assert found.overlap == pytest.approx(
            (5 * moment / (2 * np.pi * body.volume_radius)) ** 0.2, rel=1e-12
        )
        np.testing.assert_allclose(found.gradient, [0, 0, -0.8 * found.overlap / depth], atol=1e-12)
        np.testing.assert_allclose(found.turning_i, 0.0, atol=1e-12)
        np.testing.assert_allclose(found.point, [0, 0, -depth / 2], atol=1e-12)

    def test_cone(self):
        """For blunt cones, the energy is 2.6 % above that of Sneddon's solution."""
        slope, depth = 0.1, 0.05
        mesh = shapes.cylinder(1.0, 1.0, 96)
        points = mesh.points.copy()
        points[-2, 2] -= slope
        body = shapes.Shape(
            shapes.Mesh(points, mesh.triangles), surface="facets", nodes=100000, cell=0.1
        )
        bottom = body.mesh.points[:, 2].min()
        found = shapes.contact_with_plane(body, [0, 0, -bottom - depth])
        moment = 2 * np.pi / 5 * body.volume_radius * found.overlap**5
        energy = 8 / 15 * np.sqrt(5 / (2 * np.pi)) * np.sqrt(moment)
        sneddon = 2 * depth**3 / (3 * np.pi * slope)  # the force is 2 d^2 / (pi slope)
        assert energy / sneddon == pytest.approx(1.026 * (1 + slope**2) ** 0.25, abs=0.006)


def test_free_top():
    body = shapes.Shape(shapes.box(1.0, 2.0, 3.0), nodes=10, cell=0.5)
    spin = np.array([0.3, 1.0, 0.2])
    bands = []
    for timestep in (0.05, 0.025):
        orientation, now = np.array([1.0, 0, 0, 0]), spin
        energies = []
        start = body.inertia * spin
        for _ in range(400):
            orientation, now = body.turn(orientation, now, timestep, round(1 / timestep))
            w, x, y, z = orientation
            turn = np.array(
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
                ]
            )
            momentum = turn @ (body.inertia * (turn.T @ now))
            np.testing.assert_allclose(momentum, start, atol=1e-12 * np.abs(start).max())
            energies.append(0.5 * now @ momentum)
        bands.append(np.ptp(energies) / energies[0])
    assert bands[0] < 2e-3
    assert bands[1] == pytest.approx(bands[0] / 4, rel=0.1)
