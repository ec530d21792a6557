"""Repair meshes for use as walls: bodies are united, sheets and vessels stay open.

The repair depends on the kind of surface:

* A **body** is a closed surface. After the repair, its normals point out of the solid, also at
  cavities. Bodies that overlap or share a face are united into one body without inner walls.
* A **sheet** is an open surface, such as a single triangle or a plate without thickness. If a part
  of a sheet is drawn twice, the second copy is removed.
* A **vessel** is an open surface, such as a bin without a lid. It stays open, unless small repairs
  turn it into a body. These repairs close gaps narrower than 1e-5 of the drawing's size, join edges
  that end within other edges, and add single missing triangles.

>>> from pysuite import meshes
>>> boxes = [meshes.box((0, 0, 0), (1, 1, 1)), meshes.box((1, 0, 0), (2, 1, 1))]
>>> repair(numpy.concatenate(boxes)).done[-1]
'united 2 bodies that overlap or share faces into one'
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from pysuite import meshes
from pysuite.meshes import Triangles, drawing

Indices = NDArray[numpy.int64]

SIX_DIGITS = 1e-5  # distance that LAMMPS does not resolve / size of the drawing
FLAT = 1e-12  # largest height of a flat triangle / its longest edge, as in LAMMPS
SAME_ANGLE = 1e-5  # smaller angles between two triangles at an edge are taken as 0, radians
LOST = 0.01  # largest area of a missing triangle / area of the part
LEAST_PUSH = 0.02  # smallest shift / tolerance, far above round-off
STEPS_OF_A_CAP = 20  # largest number of steps per narrow triangle that is to be removed
PARALLEL = 1e-3  # planes are taken as parallel if their relative singular value is smaller


class Repaired(NamedTuple):
    """The repaired surface, and a phrase for each change."""

    triangles: Triangles
    done: list[str]


@dataclass
class Part:
    """Triangles with consistent winding that are connected by common edges."""

    faces: Indices  # vertex indices of each triangle
    numbers: Indices  # number of each triangle in the surface from which the part was taken
    open_edges: Indices  # (n, 2), vertex indices in the order of the winding
    body: int = -1

    @property
    def closed(self) -> bool:
        """True if each edge joins two triangles."""
        return not len(self.open_edges)


def repair(triangles: Triangles) -> Repaired:
    """Repair a surface so that LAMMPS accepts it.

    Raises ImportError if bodies must be united and manifold3d is missing.
    """
    done: list[str] = []
    size = float(numpy.linalg.norm(numpy.ptp(triangles, axis=(0, 1))))
    tolerance = SIX_DIGITS * size
    bodies, sheets = _bodies(_without_flat_ones(triangles, done))
    more, sheets = _bodies(_without_copies(sheets, done))
    closed, sheets = _closed(sheets, tolerance, done)
    whole = _united(_outwards([*bodies, *more, *closed], done), tolerance, done)
    sheets = _counted_once(sheets, whole, tolerance, done)
    result = numpy.concatenate([whole, sheets])
    return _checked(triangles, result, done)


def _checked(before: Triangles, after: Triangles, done: list[str]) -> Repaired:
    old, new = drawing.examine(before), drawing.examine(after) if len(after) else None
    worse = new is None or new.overlaps > old.overlaps or new.without_area > old.without_area
    if new is None or worse or (old.closed and not old.overlaps and not new.closed):
        return Repaired(before, ["left the drawing unchanged: the repair would make it worse"])
    if new.open_edges:
        done.append(
            f"left {_count(new.open_edges, 'edge')} of only one triangle, because sheets and"
            " vessels stay open"
        )
    if new.overlaps:
        done.append(f"{_count(new.overlaps, 'pair')} of triangles still lie on one another")
    if new.closed and (problem := _problem(after)):
        done.append(f"not repaired: {problem}")
    if not done:
        done.append("nothing had to be repaired")
    return Repaired(after, done)


def _problem(corners: Triangles) -> str:
    """Return the reason why a closed surface cannot bound bodies; empty if there is none."""
    from granular_plus import _shapes

    vertices, faces = meshes.indexed(corners)
    try:
        _shapes.check(vertices, faces.astype(numpy.int32))
    except ValueError as error:
        return str(error)
    return ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _heights(corners: Triangles) -> NDArray[numpy.float64]:
    longest = _longest(corners)
    unit = numpy.where(longest > 0.0, longest, 1.0)
    ways = (corners[:, 1:] - corners[:, :1]) / unit[:, None, None]  # squares must not underflow
    doubled = numpy.linalg.norm(numpy.cross(ways[:, 0], ways[:, 1]), axis=1)
    return numpy.asarray(doubled * longest)


def _longest(corners: Triangles) -> NDArray[numpy.float64]:
    ways = numpy.roll(corners, -1, axis=1) - corners
    return numpy.asarray(numpy.linalg.norm(ways, axis=2).max(axis=1, initial=0.0))


def _without_flat_ones(triangles: Triangles, done: list[str]) -> Triangles:
    """Remove flat triangles. Divide the neighbour at the longest edge of each flat triangle."""
    vertices, faces = meshes.indexed(triangles)
    faces = _without_caps(vertices, _without_collapsed(faces), 0.0)
    corners = vertices[faces]
    kept = corners[_heights(corners) > FLAT * _longest(corners)]
    if len(kept) < len(triangles):
        done.append(f"removed {_count(len(triangles) - len(kept), 'triangle')} of zero area")
    return kept


def _without_collapsed(faces: Indices) -> Indices:
    return faces[(faces != numpy.roll(faces, -1, axis=1)).all(axis=1)]


def _without_copies(triangles: Triangles, done: list[str]) -> Triangles:
    _, faces = meshes.indexed(triangles)
    first = numpy.argmin(faces, axis=1)
    turned = numpy.take_along_axis(faces, (first[:, None] + numpy.arange(3)) % 3, axis=1)
    _, kept = numpy.unique(turned, axis=0, return_index=True)
    if len(kept) < len(triangles):
        done.append(f"removed {_count(len(triangles) - len(kept), 'duplicate triangle')}")
    return triangles[numpy.sort(kept)]


# Parts of a surface


def _half_edges(faces: Indices) -> tuple[Indices, NDArray[numpy.bool_], Indices]:
    """Return the edge number and direction of each side, and the number of sides at each edge.

    A side belongs to one triangle, an edge to all triangles that have its two vertices. The
    direction is True if the side goes from the lower to the higher vertex index.
    """
    ends = numpy.stack([faces, numpy.roll(faces, -1, axis=1)], -1).reshape(-1, 2)
    _, edge, count = numpy.unique(
        numpy.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    return edge.reshape(-1), ends[:, 0] < ends[:, 1], count


def _links(vertices: Triangles, faces: Indices) -> Indices:
    """Return pairs of sides at which triangles are joined. A side is 3 * triangle + corner."""
    edge, upwards, count = _half_edges(faces)
    order = numpy.argsort(edge, kind="stable")
    start = numpy.concatenate([[0], numpy.cumsum(count)[:-1]]).astype(int)
    two = start[count == 2]
    pairs = [numpy.stack([order[two], order[two + 1]], 1)]
    patch = _connected(len(faces), pairs[0] // 3)
    joined: dict[int, int] = {}  # maps a patch to the patch into which it was merged
    for k in numpy.flatnonzero(count > 2):
        sides = order[start[k] : start[k] + count[k]]
        patches = [_root(joined, int(n)) for n in patch[sides // 3]]
        own, rest = _of_one_patch(sides, numpy.array(patches), upwards)
        others = _round_an_edge(vertices, faces, rest, upwards)
        for one, other in patch[others // 3].tolist():
            joined[_root(joined, one)] = _root(joined, other)
        pairs += [own, others]
    return numpy.concatenate(pairs)


def _connected(count: int, pairs: Indices) -> Indices:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((numpy.ones(len(pairs)), pairs.T), shape=(count, count))
    return numpy.asarray(connected_components(graph, directed=False)[1], dtype=numpy.int64)


def _root(joined: dict[int, int], number: int) -> int:
    while joined.get(number, number) != number:
        number = joined[number]
    return number


def _of_one_patch(
    sides: Indices, patch: Indices, upwards: NDArray[numpy.bool_]
) -> tuple[Indices, Indices]:
    """Pair sides at an edge that belong to the same patch. Return the pairs and the other sides.

    A patch consists of triangles connected by edges of exactly two triangles. Patches are needed
    because angles alone do not determine the pairs where overlapping bodies share an edge.
    """
    pairs, rest = [], []
    for number in numpy.unique(patch):
        own = sides[patch == number].tolist()
        if len(own) == 2 and upwards[own[0]] != upwards[own[1]]:
            pairs.append(own)
        else:
            rest += own
    return numpy.array(pairs, dtype=numpy.int64).reshape(-1, 2), numpy.array(
        rest, dtype=numpy.int64
    )


def _round_an_edge(
    vertices: Triangles, faces: Indices, sides: Indices, upwards: NDArray[numpy.bool_]
) -> Indices:
    """Pair the triangles at an edge so that one body lies between the triangles of each pair."""
    none = numpy.zeros((0, 2), dtype=numpy.int64)
    ends = upwards[sides]  # True where a counterclockwise turn about the edge leaves a body
    if not len(sides) or 2 * ends.sum() != len(sides):
        return none
    face, k = faces[sides[0] // 3], sides[0] % 3
    low, high = sorted((int(face[k]), int(face[(k + 1) % 3])))
    axis = vertices[high] - vertices[low]
    axis = axis / numpy.linalg.norm(axis)
    ways = vertices[faces[sides // 3, (sides + 2) % 3]] - vertices[low]
    ways = ways - numpy.outer(ways @ axis, axis)
    angles = numpy.arctan2(numpy.cross(ways[0], ways) @ axis, ways @ ways[0]) % (2.0 * numpy.pi)
    angles[angles > 2.0 * numpy.pi - SAME_ANGLE] = 0.0
    order = numpy.argsort(angles, kind="stable")
    group = numpy.cumsum(numpy.diff(angles[order], prepend=angles[order[0]]) > SAME_ANGLE)
    order = order[numpy.lexsort((~ends[order], group))]  # at equal angles, leave before entering
    depth = numpy.cumsum(numpy.where(ends[order], -1, 1))
    order = numpy.roll(order, -1 - int(numpy.argmin(depth)))
    waiting: deque[int] = deque()
    pairs = []
    for k in order:
        if ends[k]:
            pairs.append((waiting.popleft(), int(sides[k])))
        else:
            waiting.append(int(sides[k]))
    return numpy.array(pairs, dtype=numpy.int64)


def _parts(vertices: Triangles, faces: Indices) -> list[Part]:
    """Return connected parts with consistent winding: the winding of the larger area of a part."""
    if not len(faces):
        return []
    links = _links(vertices, faces)
    part_of = _connected(len(faces), links // 3)
    faces, is_open = _wound_alike(vertices, faces, links)
    sides = is_open.reshape(-1, 3)
    order = numpy.argsort(part_of, kind="stable")
    parts = []
    for numbers in numpy.split(order, numpy.cumsum(numpy.bincount(part_of))[:-1]):
        own, k = numpy.nonzero(sides[numbers])
        found = faces[numbers]
        parts.append(Part(found, numbers, numpy.stack([found[own, k], found[own, (k + 1) % 3]], 1)))
    return parts


def _wound_alike(
    vertices: Triangles, faces: Indices, links: Indices
) -> tuple[Indices, NDArray[numpy.bool_]]:
    """Return faces with consistent winding within each part, and a mask of open sides."""
    from_ = faces.reshape(-1)
    alike = from_[links[:, 0]] != from_[links[:, 1]]
    is_open = numpy.ones(3 * len(faces), dtype=bool)
    is_open[links] = False
    if alike.all():
        return faces, is_open
    beside: list[list[tuple[int, bool, int]]] = [[] for _ in faces]
    for number, ((one, other), same) in enumerate(zip(links.tolist(), alike.tolist(), strict=True)):
        beside[one // 3].append((other // 3, same, number))
        beside[other // 3].append((one // 3, same, number))
    ways = numpy.roll(vertices[faces], -1, axis=1) - vertices[faces]
    areas = numpy.linalg.norm(numpy.cross(ways[:, 0], ways[:, 1]), axis=1)
    turn = numpy.zeros(len(faces), dtype=int)
    for first in range(len(faces)):
        if turn[first]:
            continue
        turn[first] = 1
        waiting, seen = [first], [first]
        while waiting:
            here = waiting.pop()
            for there, same, number in beside[here]:
                needed = turn[here] if same else -turn[here]
                if not turn[there]:
                    turn[there] = needed
                    waiting.append(there)
                    seen.append(there)
                elif turn[there] != needed:
                    is_open[links[number]] = True
        if areas[seen] @ turn[seen] < 0.0:
            turn[seen] *= -1
    turned = turn < 0
    faces = faces.copy()
    faces[turned] = faces[turned][:, [1, 0, 2]]  # side 0 stays, sides 1 and 2 are swapped
    open_sides = is_open.reshape(-1, 3)
    open_sides[turned] = open_sides[turned][:, [0, 2, 1]]
    return faces, open_sides.reshape(-1)


def _bodies(corners: Triangles) -> tuple[list[Triangles], Triangles]:
    vertices, faces = meshes.indexed(corners)
    is_loose = numpy.ones(len(corners), dtype=bool)
    bodies = []
    for part in _parts(vertices, faces):
        if _is_body(vertices, part):
            bodies.append(vertices[part.faces])
            is_loose[part.numbers] = False
    return bodies, corners[is_loose]


def _volume(corners: Triangles) -> float:
    own = corners - corners.mean(axis=(0, 1))
    return float(numpy.einsum("ij,ij->", own[:, 0], numpy.cross(own[:, 1], own[:, 2])) / 6.0)


def _is_body(vertices: Triangles, part: Part) -> bool:
    corners = vertices[part.faces]
    area = float((0.5 * _heights(corners) * _longest(corners)).sum())
    return part.closed and abs(_volume(corners)) > 1e-9 * area**1.5


# Surfaces that are open only because of errors in the drawing


def _closed(
    corners: Triangles, tolerance: float, done: list[str]
) -> tuple[list[Triangles], Triangles]:
    """Return bodies that result from closing small gaps, and the triangles that form no body."""
    if not len(corners):
        return [], corners
    vertices, faces = _welded(corners, tolerance)
    origin = numpy.flatnonzero((faces != numpy.roll(faces, -1, axis=1)).all(axis=1))
    faces = faces[origin]
    faces, of = _divided(vertices, faces, tolerance)
    origin = origin[of]
    pieces = numpy.bincount(origin, minlength=len(corners))
    bodies: list[Triangles] = []
    used = numpy.zeros(len(corners), dtype=bool)
    lost = 0
    for part in _parts(vertices, faces):
        holes = _lost_triangles(vertices, part)
        if 3 * len(holes) < len(part.open_edges):
            continue
        filled = Part(numpy.concatenate([part.faces, holes]), part.numbers, part.open_edges[:0])
        if not _is_body(vertices, filled):
            continue
        own = origin[part.numbers]
        if (pieces[own] != numpy.bincount(own, minlength=len(corners))[own]).any():
            continue
        lost += len(holes)
        bodies.append(vertices[filled.faces])
        used[own] = True
    if bodies:
        done.append(f"closed {_count(len(bodies), 'surface')} whose edges did not fit together")
    if lost:
        done.append(f"added {_count(lost, 'missing triangle')}")
    return bodies, corners[~used]


def _welded(corners: Triangles, tolerance: float) -> tuple[Triangles, Indices]:
    size = float(numpy.linalg.norm(numpy.ptp(corners, axis=(0, 1))))
    return meshes.indexed(corners, tolerance / size if size > 0.0 else 0.0)


def _lost_triangles(vertices: Triangles, part: Part) -> Indices:
    """Return triangles that close all triangular holes; none if one of the holes is large."""
    after = {int(a): int(b) for a, b in part.open_edges}
    if len(after) < len(part.open_edges):
        return part.faces[:0]
    holes = []
    for a, b in after.items():
        c = after.get(b, -1)
        if after.get(c, -1) == a and a < min(b, c):
            holes.append((b, a, c))
    found = numpy.array(holes, dtype=numpy.int64).reshape(-1, 3)
    areas = [
        0.5 * _heights(vertices[faces]) * _longest(vertices[faces]) for faces in (found, part.faces)
    ]
    return found if (areas[0] < LOST * areas[1].sum()).all() else found[:0]


def _divided(vertices: Triangles, faces: Indices, tolerance: float) -> tuple[Indices, Indices]:
    """Divide triangles at vertices that lie on their open edges.

    Return the new triangles, and for each new triangle the index of the triangle that was divided.
    """
    from scipy.spatial import cKDTree

    edge, _, count = _half_edges(faces)
    is_open = (count[edge] == 1).reshape(-1, 3)
    own, k = numpy.nonzero(is_open)
    ends = numpy.unique(numpy.concatenate([faces[own, k], faces[own, (k + 1) % 3]]))
    if not len(ends):
        return faces, numpy.arange(len(faces))
    tree = cKDTree(vertices[ends])
    done: list[tuple[int, int, int]] = []
    of: list[int] = []
    for number, face in enumerate(faces.tolist()):
        on = [
            _on_edge(vertices, face[c], face[(c + 1) % 3], tree, ends, tolerance)
            if is_open[number, c]
            else []
            for c in range(3)
        ]
        found = _cut((face[0], face[1], face[2]), on)
        done += found
        of += len(found) * [number]
    return numpy.array(done, dtype=numpy.int64), numpy.array(of, dtype=numpy.int64)


def _on_edge(
    vertices: Triangles, a: int, b: int, tree: Any, ends: Indices, tolerance: float
) -> list[int]:
    way = vertices[b] - vertices[a]
    size = float(numpy.linalg.norm(way))
    near = ends[tree.query_ball_point(vertices[a] + 0.5 * way, 0.5 * size)]
    along = (vertices[near] - vertices[a]) @ way / size
    beside = numpy.linalg.norm(
        vertices[near] - vertices[a] - numpy.outer(along, way / size), axis=1
    )
    on = (beside < tolerance) & (along > tolerance) & (along < size - tolerance)
    return [int(n) for n in near[on][numpy.argsort(along[on])]]


def _cut(face: tuple[int, int, int], on: list[list[int]]) -> list[tuple[int, int, int]]:
    a, b, c = face
    for _ in range(3):
        if on[0]:
            p, rest = on[0][0], on[0][1:]
            return [*_cut((a, p, c), [[], [], on[2]]), *_cut((p, b, c), [rest, on[1], []])]
        a, b, c = b, c, a
        on = [on[1], on[2], on[0]]
    return [(a, b, c)]


# Direction of the normals of bodies, and union of bodies


def _outwards(surfaces: list[Triangles], done: list[str]) -> list[Triangles]:
    """Return bodies with outward normals. A body includes the surfaces of its cavities.

    A closed surface inside another one is a cavity if their windings in the drawing are opposite.
    """
    volumes = [_volume(surface) for surface in surfaces]
    order = sorted(range(len(surfaces)), key=lambda k: -abs(volumes[k]))
    low, high = _boxes(surfaces)
    sign: dict[int, float] = {}
    bodies: dict[int, list[Triangles]] = {}
    turned = hollows = 0
    for place, k in enumerate(order):
        larger = numpy.array(order[:place][::-1], dtype=int)
        near = (low[larger] <= low[k]).all(axis=1) & (high[larger] >= high[k]).all(axis=1)
        around = next(
            (int(other) for other in larger[near] if _holds(surfaces[other], surfaces[k])), None
        )
        drawn = numpy.sign(volumes[k])
        wanted = 1.0
        if around is not None:
            wanted = sign[around] * float(drawn * numpy.sign(volumes[around]))
        sign[k] = wanted
        turned += int(wanted != drawn)
        corners = surfaces[k] if wanted == drawn else surfaces[k][:, ::-1]
        if wanted > 0.0 or around not in bodies:
            bodies[k] = [corners]
        else:
            bodies[around].append(corners)
            hollows += 1
    if turned:
        done.append(f"flipped {_count(turned, 'closed surface')} that had been inside out")
    if hollows:
        done.append(f"kept {_count(hollows, 'hollow')} in a body")
    return [numpy.concatenate(bodies[k]) for k in sorted(bodies)]


def _boxes(surfaces: list[Triangles]) -> tuple[Triangles, Triangles]:
    low = [surface.min(axis=(0, 1)) for surface in surfaces]
    high = [surface.max(axis=(0, 1)) for surface in surfaces]
    return numpy.array(low).reshape(-1, 3), numpy.array(high).reshape(-1, 3)


def _holds(outer: Triangles, inner: Triangles) -> bool:
    """Return whether about 16 triangles of the inner surface all lie within the outer surface."""
    places = inner[:: max(1, len(inner) // 16)].mean(axis=1)
    return all(abs(_turns(outer, place)) > 0.75 for place in places)


def _turns(triangles: Triangles, place: Triangles) -> float:
    """Return the winding number of a surface about a point, computed from solid angles."""
    a, b, c = numpy.moveaxis(triangles - place, 1, 0)
    la, lb, lc = (numpy.linalg.norm(v, axis=1) for v in (a, b, c))

    def dot(u: Triangles, v: Triangles) -> Triangles:
        return numpy.asarray(numpy.einsum("ij,ij->i", u, v))

    below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return float(numpy.arctan2(dot(a, numpy.cross(b, c)), below).sum() / (2.0 * numpy.pi))


def _united(bodies: list[Triangles], tolerance: float, done: list[str]) -> Triangles:
    if not bodies:
        return numpy.zeros((0, 3, 3))
    body_of = numpy.repeat(numpy.arange(len(bodies)), [len(body) for body in bodies])
    lying = _lying_on_another(bodies, body_of)
    overlapping = _that_overlap(bodies, tolerance)
    cluster_of = _connected(len(bodies), numpy.concatenate([body_of[lying], overlapping]))
    first = numpy.concatenate([[0], numpy.cumsum([len(body) for body in bodies])])
    parts = []
    united, unions = 0, 0
    for cluster in range(cluster_of.max() + 1):
        members = numpy.flatnonzero(cluster_of == cluster)
        if len(members) == 1:
            parts.append(bodies[members[0]])
            continue
        numbers = numpy.concatenate([numpy.arange(first[m], first[m + 1]) for m in members])
        own = lying[numpy.isin(lying[:, 0], numbers)]
        union = None
        if not numpy.isin(overlapping, members).any():
            union = _without_common_triangles([bodies[m] for m in members], tolerance)
        if union is None:
            union = _union(
                [bodies[m] for m in members], numpy.searchsorted(numbers, own), tolerance
            )
        if union is None:
            done.append(f"could not unite {len(members)} bodies that overlap or share faces")
            parts += [bodies[m] for m in members]
            continue
        united += len(members)
        unions += 1
        parts.append(union)
    if unions:
        into = "one" if unions == 1 else str(unions)
        done.append(f"united {united} bodies that overlap or share faces into {into}")
    return numpy.concatenate(parts)


def _lying_on_another(bodies: list[Triangles], body_of: Indices) -> Indices:
    from granular_plus import _surfaces

    pairs = _surfaces.overlaps(numpy.ascontiguousarray(numpy.concatenate(bodies)))
    found = numpy.array(pairs, dtype=numpy.int64).reshape(-1, 2)
    return found[body_of[found[:, 0]] != body_of[found[:, 1]]]


def _without_common_triangles(bodies: list[Triangles], tolerance: float) -> Triangles | None:
    """Return bodies without the triangles they share, or None if triangles still overlap."""
    from granular_plus import _surfaces

    vertices, faces = _welded(numpy.concatenate(bodies), tolerance)
    corners = vertices[_without_opposites(faces)]
    return None if _surfaces.overlaps(numpy.ascontiguousarray(corners)) else corners


def _that_overlap(bodies: list[Triangles], tolerance: float) -> Indices:
    low, high = _boxes(bodies)
    solids: dict[int, Any] = {}
    found = []
    for one in range(len(bodies)):
        near = (low[one] < high).all(axis=1) & (low < high[one]).all(axis=1)
        for other in numpy.flatnonzero(near[:one]):
            for k in (one, int(other)):
                solids[k] = solids[k] if k in solids else _solid(*meshes.indexed(bodies[k]))
            if solids[one] is None or solids[int(other)] is None:
                continue
            extent = float(
                min(
                    numpy.ptp(bodies[one], axis=(0, 1)).max(),
                    numpy.ptp(bodies[other], axis=(0, 1)).max(),
                )
            )
            if (solids[one] ^ solids[int(other)]).volume() > tolerance**2 * extent:
                found.append((int(other), one))
    return numpy.array(found, dtype=numpy.int64).reshape(-1, 2)


def _solid(vertices: Triangles, faces: Indices, name: int = 0) -> Any:
    """Return a solid of manifold3d with an original number; None if the surface is not closed."""
    import manifold3d

    mesh = manifold3d.Mesh64(
        numpy.ascontiguousarray(vertices),
        numpy.ascontiguousarray(faces, dtype=numpy.uint64),
        run_index=numpy.array([0, 3 * len(faces)], dtype=numpy.uint64),
        run_original_id=numpy.array([name], dtype=numpy.uint32),
        face_id=numpy.arange(len(faces), dtype=numpy.uint64),
    )
    solid = manifold3d.Manifold(mesh)
    return solid if solid.status() == manifold3d.Error.NoError else None


def _union(bodies: list[Triangles], lying: Indices, tolerance: float) -> Triangles | None:
    """Return the surface of the union of bodies; None if manifold3d rejects a body.

    `lying` are the pairs of faces that lie on one another. Rounding may leave gaps between the
    faces of a pair. Therefore these faces are shifted outwards before the union and are moved back
    afterwards.
    """
    corners = numpy.concatenate(bodies)
    body_of = numpy.repeat(numpy.arange(len(bodies)), [len(body) for body in bodies])
    amount = _pushes(corners, body_of, lying) * _gap(corners, lying, tolerance)
    united = _union_of_pushed(corners, body_of, amount)
    if united is None:
        return None
    vertices, faces, origin = united
    vertices = _returned(vertices, faces, origin, corners, tolerance)
    return _tidied(vertices[faces], corners, tolerance)


def _union_of_pushed(
    corners: Triangles, body_of: Indices, amount: NDArray[numpy.float64]
) -> tuple[Triangles, Indices, Indices] | None:
    """Return the union of shifted bodies: vertices, triangles, and origins of triangles.

    The origin of a triangle is the index in `corners` of the triangle from which it was cut.
    """
    import manifold3d

    solids = []
    first = numpy.searchsorted(body_of, numpy.arange(body_of[-1] + 1))
    for number in range(len(first)):
        own = body_of == number
        vertices, faces = meshes.indexed(corners[own])
        pushed = vertices + _shifts(vertices, faces, corners[own], amount[own])
        solid = _solid(pushed, faces, number)
        if solid is None:
            return None
        solids.append(solid)
    union = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    mesh = union.to_mesh64()
    starts = numpy.asarray(mesh.run_index, dtype=int) // 3
    body = numpy.repeat(numpy.asarray(mesh.run_original_id, dtype=int), numpy.diff(starts))
    return (
        numpy.array(mesh.vert_properties, dtype=float)[:, :3],
        numpy.array(mesh.tri_verts, dtype=numpy.int64),
        first[body] + numpy.asarray(mesh.face_id, dtype=int),
    )


def _gap(corners: Triangles, lying: Indices, tolerance: float) -> float:
    """Return a distance larger than the gaps between the pairs of triangles `lying`."""
    one, other = corners[lying.T]
    normal, middle = meshes.normals(one), one.mean(axis=1)
    off = numpy.abs(numpy.einsum("ikj,ij->ik", other - middle[:, None], normal))
    return float(numpy.clip(2.0 * off.max(initial=0.0), LEAST_PUSH * tolerance, tolerance))


def _pushes(corners: Triangles, body_of: Indices, lying: Indices) -> NDArray[numpy.float64]:
    """Return the outward shift of each triangle, in units of the gap."""
    normal = meshes.normals(corners)
    amount = numpy.zeros(len(corners))
    order = numpy.argsort(body_of[lying].max(axis=1), kind="stable")
    for one, other in lying[order]:
        if normal[one] @ normal[other] < 0.0:
            amount[[one, other]] = numpy.maximum(amount[[one, other]], 1.0)
    for one, other in lying[order]:
        if normal[one] @ normal[other] > 0.0:
            early, late = (one, other) if body_of[one] < body_of[other] else (other, one)
            amount[late] = max(amount[late], amount[early] + 1.0)
    return amount


def _shifts(
    vertices: Triangles, faces: Indices, corners: Triangles, amount: NDArray[numpy.float64]
) -> Triangles:
    pushed = numpy.flatnonzero(amount > 0.0)
    normal = meshes.normals(corners)
    shift = numpy.zeros_like(vertices)
    for vertex, at in _by_vertex(faces[pushed], pushed).items():
        shift[vertex] = numpy.linalg.lstsq(normal[at], amount[at], rcond=PARALLEL)[0]
    return shift


def _by_vertex(faces: Indices, numbers: Indices) -> dict[int, Indices]:
    found: dict[int, set[int]] = {}
    for face, number in zip(faces.tolist(), numbers.tolist(), strict=True):
        for vertex in face:
            found.setdefault(vertex, set()).add(number)
    return {vertex: numpy.array(sorted(at)) for vertex, at in found.items()}


def _returned(
    vertices: Triangles,
    faces: Indices,
    origin: Indices,
    corners: Triangles,
    tolerance: float,
) -> Triangles:
    normal = meshes.normals(corners)
    height = numpy.einsum("ij,ij->i", normal, corners.mean(axis=1))
    off = height[origin, None] - numpy.einsum("ijk,ik->ij", vertices[faces], normal[origin])
    displaced = numpy.isin(faces, faces[numpy.abs(off) > 1e-3 * LEAST_PUSH * tolerance]).any(axis=1)
    displaced &= _heights(corners)[origin] > tolerance  # narrow triangles have inaccurate normals
    moved = vertices.copy()
    for vertex, planes in _by_vertex(faces[displaced], origin[displaced]).items():
        away = height[planes] - normal[planes] @ vertices[vertex]
        way = numpy.linalg.lstsq(normal[planes], away, rcond=PARALLEL)[0]
        if numpy.linalg.norm(way) < 10.0 * tolerance:
            moved[vertex] += way
    return moved


def _tidied(corners: Triangles, drawn: Triangles, tolerance: float) -> Triangles:
    """Weld vertices and remove narrow triangles; the surface stays closed."""
    vertices, faces = _welded(numpy.concatenate([drawn, corners]), tolerance)
    faces = _without_opposites(_without_collapsed(faces[len(drawn) :]))
    faces = _without_opposites(_without_caps(vertices, faces, tolerance))
    return numpy.asarray(vertices[faces])


def _without_opposites(faces: Indices) -> Indices:
    if not len(faces):
        return faces
    _, of, count = numpy.unique(
        numpy.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    of = of.reshape(-1)
    kept = numpy.ones(len(faces), dtype=bool)
    order = numpy.argsort(of, kind="stable")
    start = numpy.concatenate([[0], numpy.cumsum(count)[:-1]]).astype(int)
    for k in numpy.flatnonzero(count > 1):
        waiting: dict[bool, list[int]] = {True: [], False: []}
        for t in order[start[k] : start[k] + count[k]].tolist():
            a, b, c = faces[t].tolist()
            even = (a < b) + (b < c) + (c < a) == 2
            if waiting[not even]:
                kept[[t, waiting[not even].pop()]] = False
            else:
                waiting[even].append(t)
    return faces[kept]


def _without_caps(vertices: Triangles, faces: Indices, tolerance: float) -> Indices:
    """Remove narrow triangles. Divide the neighbour at the longest edge of each narrow triangle."""
    corners = vertices[faces]
    narrow = _heights(corners) <= numpy.maximum(tolerance, FLAT * _longest(corners))
    if not narrow.any():
        return faces
    at: dict[tuple[int, int], set[int]] = {}
    alive: dict[int, tuple[int, int, int]] = {}

    def sides(face: tuple[int, int, int]) -> list[tuple[int, int]]:
        return [(face[k], face[(k + 1) % 3]) for k in range(3)]

    def add(number: int, face: tuple[int, int, int]) -> None:
        alive[number] = face
        for side in sides(face):
            at.setdefault(side, set()).add(number)

    def remove(number: int) -> tuple[int, int, int]:
        face = alive.pop(number)
        for side in sides(face):
            at[side].discard(number)
        return face

    def height(face: tuple[int, int, int]) -> float:
        return float(_heights(vertices[None, list(face)])[0])

    def is_narrow(face: tuple[int, int, int]) -> bool:
        longest = float(_longest(vertices[None, list(face)])[0])
        return height(face) <= max(tolerance, FLAT * longest)

    for number, face in enumerate(faces.tolist()):
        add(number, (face[0], face[1], face[2]))
    waiting = deque(int(k) for k in numpy.flatnonzero(narrow))
    following = len(faces)
    for _ in range(STEPS_OF_A_CAP * len(waiting)):
        if not waiting:
            break
        number = waiting.popleft()
        if number not in alive:
            continue
        face = alive[number]
        lengths = [float(numpy.linalg.norm(vertices[b] - vertices[a])) for a, b in sides(face)]
        k = int(numpy.argmax(lengths))
        a, b, p = face[k], face[(k + 1) % 3], face[(k + 2) % 3]
        beyond = at.get((b, a), set())
        if len(beyond) != 1 or len(at[a, b]) != 1:
            waiting.append(number)
            continue
        other = next(iter(beyond))
        (x,) = set(alive[other]) - {a, b}
        new = ((b, p, x), (p, a, x))
        if is_narrow(alive[other]):
            better = float(numpy.linalg.norm(vertices[x] - vertices[p])) < max(lengths)
        else:
            better = min(height(n) for n in new) > height(face)
        if x == p or not better:
            waiting.append(number)
            continue
        remove(number)
        remove(other)
        for n in new:
            add(following, n)
            if is_narrow(n):
                waiting.append(following)
            following += 1
    return numpy.array(list(alive.values()), dtype=numpy.int64).reshape(-1, 3)


# Sheets


def _counted_once(
    sheets: Triangles, bodies: Triangles, tolerance: float, done: list[str]
) -> Triangles:
    """Remove parts of sheets that lie on earlier triangles or on a body."""
    from granular_plus import _surfaces

    if not len(sheets):
        return sheets
    _, faces = meshes.indexed(sheets)
    _, kept = numpy.unique(numpy.sort(faces, axis=1), axis=0, return_index=True)
    sheets = sheets[numpy.sort(kept)]
    both = numpy.concatenate([bodies, sheets])
    knives: dict[int, list[int]] = {}
    for one, other in _surfaces.overlaps(numpy.ascontiguousarray(both)):
        if other >= len(bodies):
            knives.setdefault(other, []).append(one)
    if not knives and len(kept) == len(faces):
        return sheets
    done.append("removed parts of sheets that lay on another sheet or on a body")
    whole = numpy.delete(both, list(knives), axis=0)[len(bodies) :]
    parts = [whole]
    for cut, by in knives.items():
        polygons = [both[cut]]
        for knife in by:
            polygons = [part for p in polygons for part in _without(p, both[knife])]
        for p in polygons:
            fan = numpy.array([(p[0], p[k], p[k + 1]) for k in range(1, len(p) - 1)])
            parts.append(fan[_heights(fan) > tolerance])
    return numpy.concatenate(parts)


def _across(triangle: Triangles) -> Triangles:
    """Return the outward normals of a triangle's edges within the triangle's plane."""
    ways = numpy.roll(triangle, -1, axis=0) - triangle
    across = numpy.cross(ways, numpy.cross(ways[0], ways[1]))
    return across / numpy.linalg.norm(across, axis=1, keepdims=True)


def _halves(polygon: Triangles, place: Triangles, way: Triangles) -> tuple[Triangles, Triangles]:
    """Divide a convex polygon into the parts behind and in front of a plane."""
    height = (polygon - place) @ way
    sides: tuple[list[Triangles], list[Triangles]] = ([], [])
    for k, (here, there) in enumerate(zip(height, numpy.roll(height, -1), strict=True)):
        for side, sign in zip(sides, (-1.0, 1.0), strict=True):
            if sign * here >= 0.0:
                side.append(polygon[k])
            if here * there < 0.0:
                end = polygon[(k + 1) % len(polygon)]
                side.append(polygon[k] + here / (here - there) * (end - polygon[k]))
    return numpy.array(sides[0]).reshape(-1, 3), numpy.array(sides[1]).reshape(-1, 3)


def _without(polygon: Triangles, knife: Triangles) -> list[Triangles]:
    parts = []
    for place, way in zip(knife, _across(knife), strict=True):
        polygon, beside = _halves(polygon, place, way)
        if len(beside) > 2:
            parts.append(beside)
        if len(polygon) < 3:
            break
    return parts
