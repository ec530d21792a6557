"""Write the parts of the input scripts as STL: python3 geometry.py PART FILE [SIZE ...].

Parts and their sizes, in diameters of a grain:
  funnel   width of the bin, width of the hole, height of the funnel, height of the bin
  screw    radius, radius of the shaft, length, pitch
  lifters  radius of the drum, depth of the drum, number of lifters, their height
  belt     length, width, height of the sides
  chute    width, height of the drop, length
Needs nothing but Python.
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
    """Return a blade around a shaft along z, both open at the ends."""

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
    """Return a drum about the y axis, with blades that stand on its inside."""

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


def belt(length=40.0, width=8.0, side=3.0):
    """Return a belt along x at z = 0 with a roll of radius 2 at its end, without sides."""
    triangles = quad((0, 0, 0), (length, 0, 0), (length, width, 0), (0, width, 0))
    steps = 12
    turns = [math.pi / 2 * k / steps for k in range(steps + 1)]
    profile = [(length + 2 * math.sin(a), 2 * math.cos(a) - 2) for a in turns]
    for (x0, z0), (x1, z1) in itertools.pairwise(profile):
        triangles += quad((x0, 0, z0), (x1, 0, z1), (x1, width, z1), (x0, width, z0))
    return triangles


def chute(width=8.0, drop=14.0, length=18.0):
    """Return a back wall, a slope of 35 degrees to the left, and two sides; the top is at z = 0."""
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


PARTS = {"funnel": funnel, "screw": screw, "lifters": lifters, "belt": belt, "chute": chute}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in PARTS:
        sys.exit(__doc__)
    write(sys.argv[2], PARTS[sys.argv[1]](*map(float, sys.argv[3:])))
