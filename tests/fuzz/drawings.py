"""Random mesh files, some of them damaged."""

from __future__ import annotations

import itertools
import os
import random
import struct
from pathlib import Path

Point = tuple[float, float, float]
Triangle = tuple[Point, Point, Point]

ODD_NUMBERS = (
    *("nan", "-inf", "1e400", "1e39", "1e-400", "-0", "+-1.0", "--1", "1,5", "1.5.2", "0x10", "e"),
    *("", "1e300", "99999999999999999999", "-1", "0", "2147483648", "1/2/3", "1//", "\u00b5"),
)
ODD_LINES = (
    *("", "solid", "endsolid", "SOLID twice", "facet", "endfacet", "outer loop", "endloop", "f"),
    *("vertex 1 2", "vertex 1 2 3 4", "f 1 2", "f 1 2 3 4 5", "f 0 0 0", "v 1", "usemtl x", "\x00"),
    *("f -1 -2 -3", "f 1 1 2", "# comment", "a" * 5000),
)


def write(name: str, folder: Path) -> None:
    """Write the file `name`, whose contents are determined by its name.

    The name has the form drawing-NUMBER.KIND. KIND is stl, obj or bin (binary STL).
    """
    number, _, kind = name.removeprefix("drawing-").partition(".")
    generator = random.Random(f"{number} {kind}")
    triangles = [_spoil_shape(body, generator) for body in _bodies(generator)]
    flat = list(itertools.chain.from_iterable(triangles))
    data = {"stl": _ascii, "obj": _obj, "bin": _binary}[kind](flat, generator)
    if generator.random() < 0.5:
        for _ in range(generator.choice((1, 1, 2, 5))):
            data = _spoil_bytes(data, generator) if kind == "bin" else _spoil_text(data, generator)
    # Several ranks write and read the file at the same time. Renaming a complete file is safe.
    beside = folder / f"{name}.{os.getpid()}"
    beside.write_bytes(data)
    beside.replace(folder / name)


def _bodies(generator: random.Random) -> list[list[Triangle]]:
    bodies = []
    for _ in range(generator.choice((1, 1, 1, 2))):
        size = [10.0 ** generator.uniform(-1.5, 0.5) for _ in range(3)]
        if generator.random() < 0.2:
            size[generator.randrange(3)] = generator.choice((0.0, 1e-12, 1e-3))
        low = [generator.uniform(-0.5, 1.5) for _ in range(3)]
        x, y, z = ((a, a + b) for a, b in zip(low, size, strict=True))
        c = [(i, j, k) for i in x for j in y for k in z]
        sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        body = []
        for p, q, r, s in sides:
            if generator.random() < 0.5:
                body += [(c[p], c[q], c[r]), (c[p], c[r], c[s])]
            else:
                body += [(c[p], c[q], c[s]), (c[q], c[r], c[s])]
        bodies.append(body if generator.random() < 0.8 else body[: generator.randrange(1, 12)])
    return bodies


def _spoil_shape(body: list[Triangle], generator: random.Random) -> list[Triangle]:
    body = list(body)
    for _ in range(generator.choice((0, 0, 0, 0, 0, 1, 2))):
        where = generator.randrange(len(body))
        a, b, c = body[where]
        change = generator.randrange(6)
        if change == 0:
            body[where] = (a, c, b)
        elif change == 1:
            body.append(body[where])
        elif change == 2 and len(body) > 1:
            del body[where]
        elif change == 3:
            body[where] = (a, b, b)
        elif change == 4:
            scale = 10.0 ** generator.uniform(-16, -2)
            body = [
                tuple(tuple(x + generator.gauss(0, scale) for x in p) for p in triangle)  # type: ignore[misc]
                for triangle in body
            ]
        else:
            body = [(a, c, b) for a, b, c in body]
    return body


def _ascii(triangles: list[Triangle], generator: random.Random) -> bytes:
    keyword = generator.choice(("solid", "solid", "SOLID", "  solid"))
    digits = generator.choice((3, 6, 17))
    lines = [f"{keyword} part"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex " + " ".join(f"{x:.{digits}g}" for x in point) for point in triangle]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid part", ""]).encode()


def _obj(triangles: list[Triangle], generator: random.Random) -> bytes:
    places: dict[Point, int] = {}
    faces = []
    for triangle in triangles:
        faces.append([places.setdefault(point, len(places) + 1) for point in triangle])
    style = generator.choice(("{}", "{}", "{}/{}", "{}//{}"))
    lines = ["v " + " ".join(map(repr, point)) for point in places]
    lines += ["f " + " ".join(style.format(n, n) for n in face) for face in faces]
    return "\n".join([*lines, ""]).encode()


def _binary(triangles: list[Triangle], generator: random.Random) -> bytes:
    header = generator.choice((b"", b"solid of a careless program", bytes(80)))
    records = (struct.pack("<12fH", 0, 0, 0, *itertools.chain(*t), 0) for t in triangles)
    return header.ljust(80)[:80] + struct.pack("<I", len(triangles)) + b"".join(records)


def _spoil_text(data: bytes, generator: random.Random) -> bytes:
    lines = data.decode(errors="replace").split("\n")
    where = generator.randrange(len(lines))
    change = generator.randrange(6)
    if change == 0:
        lines.insert(where, generator.choice(ODD_LINES))
    elif change == 1:
        del lines[where]
    elif change == 2:
        words = lines[where].split(" ")
        words[generator.randrange(len(words))] = generator.choice(ODD_NUMBERS)
        lines[where] = " ".join(words)
    elif change == 3:
        del lines[where:]
    elif change == 4:
        lines = [line + "\r" for line in lines]
    else:
        return _spoil_bytes(data, generator)
    return "\n".join(lines).encode()


def _spoil_bytes(data: bytes, generator: random.Random) -> bytes:
    if not data:
        return data
    where = generator.randrange(len(data))
    change = generator.randrange(4)
    if change == 0:
        return data[:where]
    if change == 1:
        return data + generator.randbytes(generator.randrange(1, 200))
    if change == 2:
        return data[:where] + generator.randbytes(4) + data[where + 4 :]
    return data[:where] + data[where + generator.choice((1, 50)) :]
