"""Surfaces of LAMMPS regions that are defined by the commands in a log."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pysuite import outputs
from pysuite.names import close_matches

Array = NDArray[np.float64]
COMMANDS = {"region": 3, "lattice": 2, "clear": 1}
AXES = {"x": 0, "y": 1, "z": 2}
SIDES = 48  # facets around a round region
# number of arguments of each style, without the axis
COUNTS = {"block": 6, "prism": 9, "cylinder": 5, "cone": 6, "sphere": 4, "ellipsoid": 6, "plane": 6}


def definitions(log: str) -> dict[str, list[str]]:
    """Return the words that follow the ID of each region in the log.

    If a lattice was defined before the region, "lattice" is appended to the words.
    """
    found: dict[str, list[str]] = {}
    lattice = False
    for words in outputs.commands(log, COMMANDS):
        match words:
            case ["clear", *_]:
                found, lattice = {}, False
            case ["lattice", style, *_]:
                lattice = style != "none"
            case ["region", name, "delete"]:
                found.pop(name, None)
            case ["region", name, *rest] if not any("$" in word for word in rest):
                found[name] = [*rest, *(["lattice"] if lattice else [])]
    return found


def surfaces(log: str, names: tuple[str, ...], bounds: Array) -> list[Any]:
    """Return the surfaces of regions as meshes of PyVista, cut at `bounds` of shape (2, 3).

    Raises ValueError if a region is not in the log or cannot be drawn.
    """
    known = definitions(log)
    found = []
    for name in names:
        if name not in known:
            raise ValueError(f"the log has no region {name}{close_matches(name, known)}")
        found += _surfaces(name, known, bounds)
    return found


def _surfaces(name: str, known: dict[str, list[str]], bounds: Array) -> list[Any]:
    style, *words = known[name]
    if style == "union" and words[0].isdigit():
        members = words[1 : 1 + int(words[0])]
        return [mesh for member in members for mesh in _surfaces(member, known, bounds)]
    if style not in COUNTS:
        raise ValueError(
            f"region {name} of style {style} cannot be drawn; the style must be one of"
            f" {', '.join(COUNTS)}, union"
        )
    lead = 1 if style in ("cylinder", "cone") else 0  # the axis
    arguments, options = words[: lead + COUNTS[style]], words[lead + COUNTS[style] :]
    if "lattice" in options and "box" not in options:
        raise ValueError(f"region {name} is in lattice spacings: only units box can be drawn")
    if "move" in options or ("rotate" in options and style not in ("cylinder", "cone", "sphere")):
        raise ValueError(f"region {name} moves: only regions at rest can be drawn")
    opened = {int(face) for word, face in itertools.pairwise(options) if word == "open"}
    try:
        return [_surface(style, arguments, opened, bounds)]
    except ValueError as error:
        raise ValueError(f"region {name} {' '.join(known[name])}: {error}") from error


def _surface(style: str, words: list[str], opened: set[int], bounds: Array) -> Any:
    import pyvista

    if style in ("cylinder", "cone"):
        axis = AXES[words[0]]
        first, second, *ring = map(float, words[1:-2])
        ring = ring * 2 if style == "cylinder" else ring
        return _round(axis, (first, second), ring, _ends(words[-2:], bounds[:, axis]), opened)
    if style in ("block", "prism"):
        x, y, z = (_ends(words[2 * n : 2 * n + 2], bounds[:, n]) for n in range(3))
        xy, xz, yz = map(float, words[6:]) if style == "prism" else (0.0, 0.0, 0.0)
        tilt = np.array([[0, 0, 0], [xy, 0, 0], [xz, yz, 0]])
        corners = [
            [x[i], y[j], z[k]] + np.array([0, j, k]) @ tilt for i, j, k in np.ndindex(2, 2, 2)
        ]
        faces = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
        shown = [(4, *face) for n, face in enumerate(faces, start=1) if n not in opened]
        return pyvista.PolyData(np.array(corners, dtype=float), np.ravel(shown))
    values = np.array(words, dtype=float)
    if style == "plane":
        box = pyvista.Box(bounds.T.ravel())
        return box.slice(normal=values[3:], origin=values[:3]).delaunay_2d()
    radii = values[3:] if style == "ellipsoid" else values[[3, 3, 3]]
    ball = pyvista.Sphere(radius=1.0, theta_resolution=SIDES, phi_resolution=SIDES)
    ball.points = values[:3] + ball.points * radii
    return ball


def _ends(words: list[str], box: Array) -> tuple[float, float]:
    """Return the lower and upper end as numbers; INF and EDGE are replaced by the ends of `box`."""
    low, high = (
        float(end) if word in ("INF", "EDGE") else float(word)
        for word, end in zip(words, box, strict=True)
    )
    return low, high


def _round(
    axis: int,
    centre: tuple[float, float],
    radii: list[float],
    ends: tuple[float, float],
    opened: set[int],
) -> Any:
    """Return a cylinder or cone without the faces `opened`.

    Face 1 is the lower end, face 2 the upper end, and face 3 the side.
    """
    import pyvista

    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rings = []
    for radius, end in zip(radii, ends, strict=True):
        ring = np.empty((SIDES, 3))
        ring[:, axis] = end
        others = [n for n in range(3) if n != axis]
        ring[:, others] = centre + radius * np.column_stack([np.cos(angle), np.sin(angle)])
        rings.append(ring)
    number = np.arange(SIDES)
    faces: list[int] = []
    for face, first in ((1, 0), (2, SIDES)):
        if face not in opened:
            faces += [SIDES, *(first + number)]
    if 3 not in opened:
        after = np.roll(number, -1)
        side = [np.full(SIDES, 4), number, after, after + SIDES, number + SIDES]
        faces += [*np.column_stack(side).ravel()]
    return pyvista.PolyData(np.concatenate(rings), np.array(faces))
