"""Pictures and films of a run, drawn from its dumps without a screen or a viewer.

Needs PyVista, which `pip install 'granular-plus[pictures]'` brings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import engine, files
from pysuite.contacts import need, paths

WRITTEN = (".png", ".jpg", ".jpeg", ".gif")
INSTALL = "pictures need PyVista: pip install 'granular-plus[pictures]'"
VECTORS = {"speed": ["vx", "vy", "vz"], "force": ["fx", "fy", "fz"]}
EDGE = 30.0  # degrees between triangles from which an edge is drawn
CRACKS = {"tension": "crimson", "shear": "royalblue"}  # colour of bonds that broke in this mode


class Scene(NamedTuple):
    """What is drawn and how.

    Attributes:
        colour: "speed", "force", or a column of the grains, such as "type" or "v_liquid".
        label: written at the colour bar; by default `colour`.
        meshes: vtp files of walls, drawn half transparent.
        shapes: vtp files of grains with a shape, drawn instead of spheres.
        chains: whether to draw contacts as tubes, as wide as their normal force, in glassy grains.
        eye: direction from the middle of the scene to the eye.
        up: what points up in the picture.
        zoom: larger than 1: closer.
        size: width and height, pixels.
        largest: value at the upper end of the colours; None: 98 % of the grains lie below.
    """

    colour: str = "speed"
    label: str = ""
    meshes: tuple[Path, ...] = ()
    shapes: tuple[Path, ...] = ()
    chains: bool = False
    eye: tuple[float, float, float] = (0.6, -2.0, 0.7)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    zoom: float = 1.0
    size: tuple[int, int] = (800, 600)
    largest: float | None = None


def draw(
    grains: pd.DataFrame,
    path: Path,
    scene: Scene,
    *,
    contacts: pd.DataFrame | None = None,
    cracks: pd.DataFrame | None = None,
) -> int:
    """Draw grains, to PNG or JPEG their last time, to GIF all times; return how many pictures.

    Args:
        grains: a dump with columns x, y, z, radius and what they are coloured by.
        path: the picture.
        scene: how it is drawn.
        contacts: for chains, as `Run.local` returns them; of grains with a shape with "point_x" to
            "_z", the contact point.
        cracks: bonds that broke, as `Run.broken_bonds` returns them, drawn in glassy grains where
            they broke: red in tension, blue in shear.

    Raises:
        ImportError: there is no PyVista.
        ValueError: a column or a file is missing, or the format of the picture is unknown.
    """
    suffix = path.suffix.lower()
    if suffix not in WRITTEN:
        raise ValueError(f"picture {path}: {suffix or 'no suffix'} must be {', '.join(WRITTEN)}")
    steps = [int(step) for step in grains["step"].unique()]
    if suffix != ".gif":
        steps = steps[-1:]
    values = coloured(grains, scene.colour)
    scaled = values[grains["step"].isin(steps)]
    top = scene.largest if scene.largest is not None else float(np.percentile(scaled, 98))
    low = min(0.0, float(scaled.min()))
    if scene.colour == "type":
        low, top = float(scaled.min()), float(scaled.max())
    limits = (low, top if top > low else low + 1.0)
    pictures = list(_pictures(grains.assign(colour=values), contacts, cracks, scene, steps, limits))
    with files.whole(path) as beside:
        if suffix == ".gif":
            pictures[0].save(beside, save_all=True, append_images=pictures[1:], duration=80, loop=0)
        else:
            pictures[0].save(beside, optimize=True, quality=88)
    return len(pictures)


def coloured(grains: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return the values by which grains are coloured. Raises ValueError for a missing column."""
    columns = VECTORS.get(name, [name])
    missing = [column for column in columns if column not in grains]
    if missing:
        raise ValueError(f"colour {name}: the dump has no column {missing[0]}")
    values = grains[columns].to_numpy(dtype=float)
    return np.asarray(np.linalg.norm(values, axis=1) if name in VECTORS else values[:, 0])


def read_restart(restart: Path) -> pd.DataFrame:
    """Return the grains of a restart file."""
    run = engine.run(
        f"atom_modify map yes\nread_restart {restart.resolve()}\n"
        "write_dump all custom grains id type x y z radius vx vy vz modify sort id\n"
    )
    return run.dump("grains")


def at_step(paths: Sequence[Path], step: int) -> list[Path]:
    """Return, of files NAME.STEP.vtp, the last of each name that is not after a step."""
    chosen: dict[str, tuple[int, Path]] = {}
    for path in paths:
        found = re.fullmatch(r"(.*?)\.?(\d+)\.vtp", path.name)
        name, number = (found[1], int(found[2])) if found else (path.name, 0)
        name = str(path.parent / name)
        if number <= step and number >= chosen.get(name, (-1, path))[0]:
            chosen[name] = number, path
    return [path for _, path in chosen.values()]


def _pictures(
    grains: pd.DataFrame,
    contacts: pd.DataFrame | None,
    cracks: pd.DataFrame | None,
    scene: Scene,
    steps: Sequence[int],
    limits: tuple[float, float],
) -> Iterator[Any]:
    from PIL import Image

    pyvista = _pyvista()
    camera = None
    for step in steps:
        frame = grains[grains["step"] == step]
        plotter = pyvista.Plotter(off_screen=True, window_size=scene.size)
        plotter.set_background("white")
        plotter.enable_anti_aliasing("ssaa")
        glassy = scene.chains or cracks is not None
        _add_grains(pyvista, plotter, frame, scene, step, limits, glassy)
        for path in at_step(scene.meshes, step):
            mesh = pyvista.read(path).clean()
            plotter.add_mesh(mesh, color="lightsteelblue", opacity=0.3)
            edges = mesh.extract_feature_edges(EDGE)
            if edges.n_points:
                plotter.add_mesh(edges, color="slategray", line_width=1.5)
        if scene.chains:
            if contacts is None:
                raise ValueError("chains need a dump of contacts")
            own = contacts[contacts["step"] == step]
            _add_chains(pyvista, plotter, frame, own)
        if cracks is not None:
            _add_cracks(pyvista, plotter, frame, cracks[cracks["step"] <= step])
        if camera is None:
            plotter.view_vector(scene.eye, viewup=scene.up)
            plotter.camera.zoom(1.15 * scene.zoom)
            camera = plotter.camera.copy()
        plotter.camera = camera
        yield Image.fromarray(plotter.screenshot(return_img=True))
        plotter.close()


def _add_grains(
    pyvista: Any,
    plotter: Any,
    frame: pd.DataFrame,
    scene: Scene,
    step: int,
    limits: tuple[float, float],
    glassy: bool,
) -> None:
    bar = _bar(scene.label or scene.colour)
    style: dict[str, Any] = {
        "scalars": "colour",
        "cmap": "viridis",
        "clim": limits,
        "scalar_bar_args": bar,
    }
    style |= {"smooth_shading": True, "specular": 0.2}
    shaped = at_step(scene.shapes, step)
    if scene.shapes and not shaped:
        raise ValueError(f"no file of shapes is of step {step} or before")
    for path in shaped:
        surface = pyvista.read(path)
        number = pd.Series(frame["colour"].to_numpy(), frame["id"].to_numpy())
        surface.cell_data["colour"] = number.reindex(surface.cell_data["id"]).to_numpy()
        plotter.add_mesh(surface, **style | {"smooth_shading": False})
        edges = surface.extract_feature_edges(EDGE)
        plotter.add_mesh(edges, color="black", line_width=1.0)
    if shaped:
        return
    cloud = pyvista.PolyData(frame[["x", "y", "z"]].to_numpy(dtype=float))
    cloud["colour"] = frame["colour"].to_numpy()
    cloud["size"] = 2.0 * frame["radius"].to_numpy(dtype=float)
    ball = pyvista.Sphere(radius=0.5, theta_resolution=20, phi_resolution=20)
    balls = cloud.glyph(geom=ball, scale="size", orient=False)
    if glassy:
        plotter.add_mesh(balls, color="tan", opacity=0.12, smooth_shading=True)
    else:
        plotter.add_mesh(balls, **style)


def _add_chains(pyvista: Any, plotter: Any, frame: pd.DataFrame, contacts: pd.DataFrame) -> None:
    need(contacts, ["patom1", "force"], "contacts")
    contacts = contacts[contacts["force"] > 0.0]
    if contacts.empty:
        return
    place = frame.set_index("id")[["x", "y", "z"]]
    first = place.loc[contacts["patom1"].astype("int64")].to_numpy(dtype=float)
    force = contacts["force"].to_numpy(dtype=float)
    strong = float(np.percentile(force, 98))
    lines = pyvista.PolyData()
    path = first[:, None] + paths(contacts)
    count, points = path.shape[:2]
    lines.points = path.reshape(-1, 3)
    lines.lines = np.column_stack(
        [np.full(count, points), np.arange(count * points).reshape(count, points)]
    ).ravel()
    widest = 0.4 * float(frame["radius"].mean())
    lines["wide"] = np.repeat(widest * np.clip(force / strong, 0.02, 1.2), points)
    lines["force"] = np.repeat(force, points)
    tubes = lines.tube(scalars="wide", absolute=True, n_sides=10)
    bar = _bar("normal force")
    plotter.add_mesh(
        tubes, scalars="force", cmap="inferno_r", clim=(0, strong), scalar_bar_args=bar
    )


def _add_cracks(pyvista: Any, plotter: Any, frame: pd.DataFrame, cracks: pd.DataFrame) -> None:
    ball = pyvista.Sphere(radius=0.3 * float(frame["radius"].mean()))
    for mode, colour in CRACKS.items():
        place = cracks.loc[cracks["mode"] == mode, ["x", "y", "z"]].to_numpy(dtype=float)
        if len(place):
            balls = pyvista.PolyData(place).glyph(geom=ball, scale=False, orient=False)
            plotter.add_mesh(balls, color=colour, smooth_shading=True)


def _bar(title: str) -> dict[str, Any]:
    """Return where the colour bar is; an empty line keeps the title off the largest number."""
    place = {"position_x": 0.87, "position_y": 0.25, "height": 0.5, "width": 0.05}
    text = {"title_font_size": 16, "label_font_size": 14, "fmt": "%.3g", "n_labels": 3}
    return {"title": f"{title}\n", "color": "black", "vertical": True, **place, **text}


def _pyvista() -> Any:
    try:
        import pyvista
    except ImportError as error:
        raise ImportError(f"{INSTALL} ({error})") from error
    import vtk

    vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_OFF)  # of screens that are not there
    return pyvista
