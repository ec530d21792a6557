"""Web page that shows the frames of a dump: a single file that needs no network.

`page/three.js` lists the parts of three.js that `page/three.min.js` contains.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import engine, files
from pysuite.pictures import legend, units
from pysuite.pictures.scene import (
    BOX_EDGES,
    GRAINS,
    Scene,
    at_step,
    coloured,
    corners_of,
    known_colours,
    read_mesh,
    surfaces_of_regions,
    written_colour,
    written_time,
)

PAGE = resources.files("pysuite.pictures") / "page"
NAN = 65535  # represents nan; the largest value is represented by NAN - 1


def view(
    grains: pd.DataFrame,
    path: Path,
    scene: Scene,
    *,
    frames: Sequence[engine.Frame] = (),
    colours: Sequence[str] = (),
) -> int:
    """Write all frames of a dump as a web page. Return the number of frames.

    Positions, radii and values are stored with 16 bits. `colours` are the quantities offered as
    colours: "speed", "force" or columns of the dump. By default, all available quantities are
    offered.

    Raises ImportError if PyVista, which draws meshes and regions, is needed but missing. Raises
    ValueError if a column, a file or a region is missing.
    """
    import jinja2
    from markupsafe import Markup

    described, data = _describe(grains, scene, frames, colours or known_colours(grains))
    environment = jinja2.Environment(autoescape=True, keep_trailing_newline=True)
    text = environment.from_string(_part("viewer.html")).render(
        title=path.stem,
        scene=Markup(json.dumps(described).replace("<", "\\u003c")),
        bytes=Markup(base64.b64encode(data).decode()),
        licence=Markup(_part("three.LICENSE")),
        three=Markup(_part("three.min.js")),
        viewer=Markup(_part("viewer.js")),
    )
    files.write(path, text)
    return len(described["frames"])


def _part(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


class _Store:
    """A store of concatenated arrays. Equal arrays are stored only once."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.places: dict[bytes, list[int]] = {}

    def add(self, array: NDArray[Any]) -> list[int]:
        content = array.tobytes()
        if content not in self.places:
            self.bytes += bytes(-len(self.bytes) % 4)
            self.places[content] = [len(self.bytes), array.size]
            self.bytes += content
        return self.places[content]


def _describe(
    grains: pd.DataFrame, scene: Scene, frames: Sequence[engine.Frame], colours: Sequence[str]
) -> tuple[dict[str, Any], bytes]:
    steps = [int(step) for step in grains["step"].unique()]
    if not steps:
        raise ValueError("the dump has no grains")
    heads = {frame.step: frame for frame in frames}
    store = _Store()
    columns = [_colour(coloured(grains, name), name, scene) for name in colours]
    centres = grains[["x", "y", "z"]].to_numpy(dtype=float)
    radii = grains["radius"].to_numpy(dtype=float)
    origin, largest = centres.min(axis=0), float(radii.max())
    size = np.ptp(centres, axis=0)
    size[size == 0.0] = 1.0
    spheres = np.column_stack([(centres - origin) / size, radii / largest])
    spheres = np.round(spheres * 65535).astype(np.uint16)
    surfaces, meshes = _surfaces(scene, steps, heads)
    boxes = {step: _box(heads[step]) for step in steps if scene.box and step in heads}
    kinds = {box.tobytes(): box for box in boxes.values()}
    shown = [
        {
            "text": written_time(step, heads.get(step), scene),
            "count": int(rows.sum()),
            "spheres": store.add(spheres[rows]),
            "values": [store.add(levels[rows]) for _, levels in columns],
            "meshes": meshes[step],
            "boxes": [list(kinds).index(boxes[step].tobytes())] if step in boxes else [],
        }
        for step in steps
        for rows in [(grains["step"] == step).to_numpy()]
    ]
    ends = [(centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)]
    ends += [end(each, axis=0) for each in (*surfaces, *kinds.values()) for end in (np.min, np.max)]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    length = units.units_of(scene.units).length
    return {
        "frames": shown,
        "columns": [column for column, _ in columns],
        "meshes": [store.add(surface) for surface in surfaces],
        "boxes": [store.add(kind) for kind in kinds.values()],
        "origin": origin.tolist(),
        "size": size.tolist(),
        "largest": largest,
        "middle": (0.5 * (low + high)).tolist(),
        "reach": float(0.5 * np.linalg.norm(high - low)),
        "eye": list(scene.eye),
        "up": list(scene.up),
        "length": {"name": length, "metres": units.METRES.get(length, 0.0)},
        "prefixes": units.PREFIXES,
    }, bytes(store.bytes)


def _colour(
    values: NDArray[np.float64], name: str, scene: Scene
) -> tuple[dict[str, Any], NDArray[np.uint16]]:
    title = written_colour(name, scene)
    scale = legend.scale_of(values, title, largest=None, kinds=name == "type", colours=GRAINS)
    finite = np.isfinite(values)
    least, most = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 0.0)
    if scale.names:
        share = (np.asarray(scale.norm(values)) + 0.5) / len(scale.names)
        colours = scale.colours(np.arange(len(scale.names)), bytes=True)
    else:
        share = (np.where(finite, values, least) - least) / (most - least or 1.0)
        colours = scale.colours(np.linspace(0.0, 1.0, 256), bytes=True)
    levels = np.where(finite, np.round(share * (NAN - 1)), NAN).astype(np.uint16)
    return {
        "name": name,
        "title": title,
        "least": float(least),
        "most": float(most),
        "low": float(scale.norm.vmin or 0.0),
        "high": float(scale.norm.vmax or 0.0),
        "names": list(scale.names),
        "colours": np.asarray(colours)[:, :3].tolist(),
    }, levels


def _surfaces(
    scene: Scene, steps: Sequence[int], heads: Mapping[int, engine.Frame]
) -> tuple[list[NDArray[np.float32]], dict[int, list[int]]]:
    """Return the vertices of each wall, and for each step the indices of the walls shown.

    The vertices of a wall of n triangles have shape (3 n, 3).
    """
    if not scene.meshes and not scene.regions:
        return [], {step: [] for step in steps}
    found = [_corners(mesh) for mesh in surfaces_of_regions(scene, heads.values())]
    regions = list(range(len(found)))
    numbers: dict[Path, int] = {}
    at = {}
    for step in steps:
        paths = at_step(scene.meshes, step)
        for path in paths:
            if path not in numbers:
                numbers[path] = len(found)
                found.append(_corners(read_mesh(path, scene)))
        at[step] = regions + [numbers[path] for path in paths]
    return found, at


def _corners(mesh: Any) -> NDArray[np.float32]:
    surface = mesh.triangulate()
    numbers = surface.faces.reshape(-1, 4)[:, 1:].ravel()
    return np.asarray(surface.points, dtype=np.float32)[numbers]


def _box(head: engine.Frame) -> NDArray[np.float32]:
    """Return the ends of the edges of the box, of shape (24, 3)."""
    return corners_of(head)[BOX_EDGES.reshape(-1, 3)[:, 1:].ravel()].astype(np.float32)
