"""Random meshes of bodies whose union is known by construction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pysuite import meshes

Triangles = NDArray[np.float64]


@dataclass
class Scene:
    """Bodies in one mesh, the volume of their union, and points on flat parts of its surface."""

    triangles: Triangles
    volume: float
    places: Triangles  # points on the surface, array of shape (n, 3)
    normals: Triangles  # outward normals at these points
    reach: float = 0.0  # the surface is flat within this distance of each place
    digits: int = 17  # significant digits of the coordinates


def box(low: Triangles, high: Triangles, rng: np.random.Generator) -> Triangles:
    corners = meshes.box(low, high)[:, ::-1].reshape(6, 2, 3, 3)
    other = np.empty_like(corners)
    for k, (one, two) in enumerate(corners):
        ends = [c for c in one if not (c == two).all(axis=1).any()]
        start = next(j for j in range(3) if (one[j] == ends[0]).all())
        a, b, c = np.roll(one, -start, axis=0)
        (d,) = [p for p in two if not (p == one).all(axis=1).any()]
        other[k] = [(a, b, d), (a, d, c)]
    flip = rng.random(6) < 0.5
    return np.where(flip[:, None, None, None], other, corners).reshape(-1, 3, 3)


def boxes(rng: np.random.Generator) -> Scene:
    """Return boxes with faces on a coarse grid. The boxes overlap, share faces or are apart."""
    planes = [np.sort(rng.choice(np.arange(9.0), 5, replace=False)) for _ in range(3)]
    filled = np.zeros((4, 4, 4), dtype=bool)
    drawn = []
    for _ in range(rng.integers(1, 6)):
        first = [int(rng.integers(4)) for _ in range(3)]
        last = [int(rng.integers(f + 1, 5)) for f in first]
        filled[tuple(slice(f, e) for f, e in zip(first, last, strict=True))] = True
        low, high = (
            np.array([p[k] for p, k in zip(planes, at, strict=True)]) for at in (first, last)
        )
        drawn.append(box(low, high, rng))
    widths = [np.diff(p) for p in planes]
    volume = float(np.einsum("i,j,k,ijk->", *widths, filled.astype(float)))
    places, normals = _flat_places(planes, filled, rng)
    return Scene(np.concatenate(drawn), volume, places, normals, 0.3)


def _flat_places(planes, filled, rng) -> tuple[Triangles, Triangles]:
    def inside(points: Triangles) -> NDArray[np.bool_]:
        at = [
            np.searchsorted(p, x, side="right") - 1 for p, x in zip(planes, points.T, strict=True)
        ]
        within = np.all([(a >= 0) & (a < 4) for a in at], axis=0)
        return within & filled[tuple(np.clip(a, 0, 3) for a in at)]

    places, normals = [], []
    grid = np.stack(np.meshgrid(*2 * [np.linspace(-0.35, 0.35, 8)]), -1).reshape(-1, 2)
    for _ in range(200):
        d = int(rng.integers(3))
        place = np.array([rng.uniform(p[0], p[-1]) for p in planes])
        place[d] = rng.choice(planes[d])
        if rng.random() < 0.5:
            e = (d + 1) % 3
            place[e] = rng.choice(planes[e])
        normal = np.zeros(3)
        normal[d] = rng.choice([-1.0, 1.0])
        disc = place + np.insert(grid, d, 0.0, axis=1)
        if inside(disc - 1e-3 * normal).all() and not any(
            inside(disc + h * normal).any() for h in (1e-3, 0.35)
        ):
            places.append(place)
            normals.append(normal)
    return np.array(places).reshape(-1, 3), np.array(normals).reshape(-1, 3)


def prism(profile: Triangles, low: float, high: float) -> Triangles:
    """Return a prism above a convex counterclockwise polygon; each end is a fan of triangles."""
    n = len(profile)
    bottom = np.column_stack([profile, np.full(n, low)])
    top = np.column_stack([profile, np.full(n, high)])
    sides = [
        triangle
        for k in range(n)
        for triangle in (
            (bottom[k], bottom[(k + 1) % n], top[(k + 1) % n]),
            (bottom[k], top[(k + 1) % n], top[k]),
        )
    ]
    ends = [(top[0], top[k], top[k + 1]) for k in range(1, n - 1)]
    ends += [(bottom[0], bottom[k + 1], bottom[k]) for k in range(1, n - 1)]
    return np.array(sides + ends)


def polygon_area(profile: Triangles) -> float:
    x, y = profile.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def common_area(one: Triangles, other: Triangles) -> float:
    for a, b in zip(other, np.roll(other, -1, axis=0), strict=True):
        if not len(one):
            return 0.0
        height = (b[0] - a[0]) * (one[:, 1] - a[1]) - (b[1] - a[1]) * (one[:, 0] - a[0])
        kept = []
        for p, q, here, there in zip(
            one, np.roll(one, -1, axis=0), height, np.roll(height, -1), strict=True
        ):
            if here >= 0.0:
                kept.append(p)
            if here * there < 0.0:
                kept.append(p + here / (here - there) * (q - p))
        one = np.array(kept).reshape(-1, 2)
    return polygon_area(one) if len(one) > 2 else 0.0


def prisms(rng: np.random.Generator) -> Scene:
    n = int(rng.integers(3, 12))
    angles = 2 * np.pi * (np.arange(n) + rng.uniform(0, 0.3, n)) / n
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    profile = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        profile.append(a)
        way = b - a
        out = np.array([way[1], -way[0]])
        bulge = 10.0 ** rng.uniform(-9, -3)
        for share in np.sort(rng.uniform(0.1, 0.9, rng.integers(0, 4))):
            profile.append(a + share * way + 4 * share * (1 - share) * bulge * out)
    height = rng.uniform(0.1, 2.0)
    drawn = prism(np.array(profile), 0.0, height)
    none = np.zeros((0, 3))
    return Scene(drawn, polygon_area(np.array(profile)) * height, none, none)


def drums(rng: np.random.Generator) -> Scene:
    n = int(rng.integers(8, 41))
    angles = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    inner, outer, length = circle, 1.15 * circle, float(rng.uniform(0.2, 1.0))
    shell = meshes.lathe([(1.0, 0.0), (1.0, length)], n)
    shell = np.concatenate([shell, meshes.lathe([(1.15, length), (1.15, 0.0)], n)])
    shell = np.concatenate([shell, meshes.lathe([(1.0, length), (1.15, length)], n)])
    shell = np.concatenate([shell, meshes.lathe([(1.15, 0.0), (1.0, 0.0)], n)])
    if volume_of(shell) < 0.0:
        shell = shell[:, ::-1]
    volume = (polygon_area(outer) - polygon_area(inner)) * length
    apothem = np.cos(np.pi / n)
    half = np.tan(np.pi / n) * apothem * float(rng.uniform(0.2, 0.65))
    flush = rng.random() < 0.5
    back = apothem if flush else apothem + float(rng.uniform(0.01, 0.08))
    ends = (0.0, length) if rng.random() < 0.5 else (0.1 * length, 0.8 * length)
    drawn = [shell]
    places, normals = [], []
    for k in rng.choice(n, int(rng.integers(1, 5)), replace=False):
        turn = angles[k] + np.pi / n
        way, side = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        front = 0.7 * apothem
        corners = [(front, -half), (back, -half), (back, half), (front, half)]
        profile = np.array([out * way + along * side for out, along in corners])
        drawn.append(prism(profile, *ends))
        volume += common_area(profile, inner) * (ends[1] - ends[0])
        places.append([*(front * way), 0.5 * (ends[0] + ends[1])])
        normals.append([*(-way), 0.0])
    reach = 0.9 * min(half, 0.3 * length)
    return Scene(np.concatenate(drawn), volume, np.array(places), np.array(normals), reach)


def volume_of(triangles: Triangles) -> float:
    """Return the enclosed volume of a closed surface; with outward normals, it is positive."""
    a, b, c = np.moveaxis(triangles - triangles.mean(axis=(0, 1)), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def placed(scene: Scene, rng: np.random.Generator) -> Scene:
    turn = np.eye(3)
    if rng.random() < 0.7:
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)
    scale = 10.0 ** rng.uniform(-3, 3)
    shift = scale * rng.uniform(-2, 2, 3)
    triangles = scale * scene.triangles @ turn.T + shift
    triangles = triangles[rng.permutation(len(triangles))]
    digits = int(rng.choice([6, 7, 17]))  # as in text, single precision or double precision
    if digits == 6:
        triangles = np.vectorize(lambda x: float(f"{x:.6g}"))(triangles)
    elif digits == 7:
        triangles = triangles.astype(np.float32).astype(float)
    return Scene(
        triangles,
        scale**3 * scene.volume,
        scale * scene.places @ turn.T + shift,
        scene.normals @ turn.T,
        scale * scene.reach,
        digits,
    )
