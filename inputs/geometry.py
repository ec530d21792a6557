"""Write a mesh for an input script as an STL file: python3 geometry.py PART FILE [SIZE ...].

Parts and their sizes, in diameters of a grain:
  funnel   width of the bin, width of the hole, height of the funnel, height of the bin
  screw    radius of the blade, radius of the shaft, length, pitch
  lifters  radius of the drum, depth of the drum, number and height of the lifters
  belt     length, width
  chute    width, height of the drop, length
  bin      radius of the hole, radius of the bin, height of the funnel, total height, wall thickness
  ellipsoid  half axes along x, y and z
This script needs only Python.
"""

import itertools
import math
import sys
from pathlib import Path


def quad(a, b, c, d):
    """Return the two triangles of a quadrilateral."""
    return [(a, b, c), (a, c, d)]


def funnel(width=12.0, hole=5.0, height=6.0, bin_height=30.0):
    """Return four walls above four slopes; the hole is at z = 0."""
    triangles = []
    sizes = [(hole / 2, 0.0), (width / 2, height), (width / 2, height + bin_height)]
    for (low, z0), (high, z1) in itertools.pairwise(sizes):
        for k in range(4):
            s0, c0 = [(-1, -1), (1, -1), (1, 1), (-1, 1)][k]
            s1, c1 = [(-1, -1), (1, -1), (1, 1), (-1, 1)][(k + 1) % 4]
            triangles += quad(
                (s0 * low, c0 * low, z0),
                (s1 * low, c1 * low, z0),
                (s1 * high, c1 * high, z1),
                (s0 * high, c0 * high, z1),
            )
    return triangles


def screw(radius=5.0, shaft=1.2, length=40.0, pitch=8.0, segments=24):
    """Return a blade around a shaft along z. Blade and shaft are open at their ends."""

    def point(r, step):
        angle = 2 * math.pi * step / segments
        return (r * math.cos(angle), r * math.sin(angle), pitch * step / segments)

    triangles = []
    for step in range(round(length / pitch * segments)):
        triangles += quad(
            point(shaft, step), point(radius, step), point(radius, step + 1), point(shaft, step + 1)
        )
    for step in range(segments):
        x0, y0, _ = point(shaft, step)
        x1, y1, _ = point(shaft, (step + 1) % segments)
        triangles += quad((x0, y0, 0.0), (x1, y1, 0.0), (x1, y1, length), (x0, y0, length))
    return triangles


def lifters(radius=12.0, depth=6.0, count=8, height=2.0, segments=96):
    """Return a drum about the y axis, with blades on its inside."""

    def point(r, angle, y):
        return (r * math.sin(angle), y, -r * math.cos(angle))

    triangles = []
    turns = [2 * math.pi * k / segments for k in range(segments)]
    for a, b in zip(turns, turns[1:] + turns[:1], strict=False):
        triangles += quad(
            point(radius, a, 0.0),
            point(radius, b, 0.0),
            point(radius, b, depth),
            point(radius, a, depth),
        )
    for k in range(int(count)):
        a = 2 * math.pi * k / count
        triangles += quad(
            point(radius, a, 0.0),
            point(radius, a, depth),
            point(radius - height, a, depth),
            point(radius - height, a, 0.0),
        )
    return triangles


def belt(length=40.0, width=8.0):
    """Return a belt along x at z = 0 with a roll of radius 2 at its end."""
    triangles = quad((0, 0, 0), (length, 0, 0), (length, width, 0), (0, width, 0))
    steps = 12
    turns = [math.pi / 2 * k / steps for k in range(steps + 1)]
    profile = [(length + 2 * math.sin(a), 2 * math.cos(a) - 2) for a in turns]
    for (x0, z0), (x1, z1) in itertools.pairwise(profile):
        triangles += quad((x0, 0, z0), (x1, 0, z1), (x1, width, z1), (x0, width, z0))
    return triangles


def chute(width=8.0, drop=14.0, length=18.0):
    """Return a back wall, a slope of 35 degrees towards -x, and two sides; the top is at z = 0."""
    fall = length * math.tan(math.radians(35))
    back, front = [(0, 0), (0, -drop)], (-length, -drop - fall)
    triangles = quad(
        (0, 0, back[0][1]), (0, width, back[0][1]), (0, width, back[1][1]), (0, 0, back[1][1])
    )
    triangles += quad(
        (0, 0, -drop), (0, width, -drop), (front[0], width, front[1]), (front[0], 0, front[1])
    )
    for y in (0, width):
        triangles += quad(
            (0, y, 0), (0, y, -drop), (front[0], y, front[1]), (front[0], y, front[1] + drop)
        )
    return triangles


def bin_with_funnel(hole=2.0, radius=3.6, height=2.0, top=16.0, wall=1.0, segments=32):
    """Return a round bin above a funnel, as a wall of finite thickness; the hole is at z = 0."""
    profile = [(hole, 0.0), (hole + 1.2 * wall, 0.0), (radius + wall, height)]
    profile += [(radius + wall, top), (radius, top), (radius, height)]

    def point(corner, step):
        angle = 2 * math.pi * (step % segments) / segments
        r, z = profile[corner % len(profile)]
        return (r * math.cos(angle), r * math.sin(angle), z)

    triangles = []
    for corner, step in itertools.product(range(len(profile)), range(segments)):
        triangles += quad(
            point(corner, step),
            point(corner, step + 1),
            point(corner + 1, step + 1),
            point(corner + 1, step),
        )
    return triangles


def ellipsoid(a=0.65, b=0.5, c=0.4, level=3):
    """Return an ellipsoid, made from an icosahedron by dividing each triangle into four."""
    golden = (1 + math.sqrt(5)) / 2
    rings = [(0, i, j * golden) for i in (-1, 1) for j in (-1, 1)]
    points = [p[k:] + p[:k] for p in rings for k in range(3)]

    def unit(p):
        return tuple(x / math.hypot(*p) for x in p)

    def volume(p, q, r):
        return sum(p[k] * (q[k - 2] * r[k - 1] - q[k - 1] * r[k - 2]) for k in range(3))

    def middle(p, q):
        return unit([(x + y) / 2 for x, y in zip(p, q, strict=True)])

    corners = itertools.combinations(points, 3)
    sides = [s for s in corners if all(math.dist(*e) < 2.1 for e in itertools.combinations(s, 2))]
    triangles = [tuple(map(unit, s if volume(*s) > 0 else s[::-1])) for s in sides]
    for _ in range(int(level)):
        finer = []
        for p, q, r in triangles:
            pq, qr, rp = middle(p, q), middle(q, r), middle(r, p)
            finer += [(p, pq, rp), (q, qr, pq), (r, rp, qr), (pq, qr, rp)]
        triangles = finer
    return [tuple((a * x, b * y, c * z) for x, y, z in s) for s in triangles]


def write(path, triangles):
    """Write ASCII STL with all digits."""
    with Path(path).open("w") as file:
        file.write("solid part\n")
        for triangle in triangles:
            file.write("facet normal 0 0 0\nouter loop\n")
            for corner in triangle:
                file.write("vertex {!r} {!r} {!r}\n".format(*(float(x) for x in corner)))
            file.write("endloop\nendfacet\n")
        file.write("endsolid part\n")


PARTS = {
    "funnel": funnel,
    "screw": screw,
    "lifters": lifters,
    "belt": belt,
    "chute": chute,
    "bin": bin_with_funnel,
    "ellipsoid": ellipsoid,
}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in PARTS:
        sys.exit(__doc__)
    write(sys.argv[2], PARTS[sys.argv[1]](*map(float, sys.argv[3:])))
