"""Pictures and films of a run, drawn from its dumps without a screen.

Needs PyVista: `pip install 'granular-plus[pictures]'`.
"""

from __future__ import annotations

import logging
import re
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import engine, outputs
from pysuite.contacts import need, normal_forces, paths
from pysuite.files import check_readable
from pysuite.pictures import camera, films, legend, regions, units

if TYPE_CHECKING:
    from PIL.Image import Image

INSTALL = "pictures need PyVista: pip install 'granular-plus[pictures]'"
VECTORS = {"speed": ["vx", "vy", "vz"], "force": ["fx", "fy", "fz"]}
# columns that can be requested as colours but are not offered
OTHERS = {"step", "id", "x", "y", "z", "xu", "yu", "zu", "ix", "iy", "iz"}
OTHERS |= {name for names in VECTORS.values() for name in names}
RESTART = b"LammpS RestartT"
MESHES = (".stl", ".obj", ".vtp")
EDGE = 30.0  # smallest angle between triangles, in degrees, at which an edge is drawn
CRACKS = {"tension": "crimson", "shear": "royalblue"}  # colours of broken bonds by mode
GRAINS = "viridis"
# the ends of this colour map are left out, because their colours are hard to distinguish
CHAINS = "inferno_r 0.15:0.75"
GLASS = 0.15  # fraction of light transmitted by a packing of transparent grains
GLASSIEST = 0.25  # largest opacity of a transparent grain
GLASS_COLOUR = (0.62, 0.62, 0.6)
# A sphere is drawn with triangles if its radius exceeds CLOSE times its distance from the camera.
# ROUND is the number of triangles around the equator.
CLOSE, ROUND = 0.08, 48
# A mesh is reported as misplaced if its size, or its distance from the grains, is more than
# MISPLACED times the size of the box around the grains.
MISPLACED = 50.0


class Scene(NamedTuple):
    """Content and view of a picture.

    Attributes:
        colour: "speed", "force", or a column of the grains, such as "type" or "v_liquid".
        label: label of the colour bar; by default `colour` with its unit.
        meshes: vtp, STL or OBJ files of walls, drawn semi-transparent.
        mesh_scale: factor by which STL and OBJ files are scaled, as for the keyword *scale* of the
            wall in the script.
        mesh_turn: rotation after scaling: an angle in degrees and an axis through the origin, as
            for the keyword *turn* of the wall.
        mesh_offset: shift after the rotation, as for the keyword *offset* of the wall.
        shapes: vtp files of grains with a shape, drawn instead of spheres.
        regions: IDs of LAMMPS regions, drawn like meshes.
        log: text of the log that contains the commands of the regions.
        chains: whether to draw force chains. If true, grains are transparent, and contacts are
            tubes whose width is proportional to the normal force.
        eye: direction from the centre of the scene to the camera.
        zoom: magnification; 1 shows the whole scene.
        size: width and height in pixels.
        largest: upper end of the colour scale. For force chains, it is a force. With None, 98 % of
            the values are below the upper end.
        units: unit style. With "", units are not shown.
        timestep: time step, used for dumps that contain no times. With None, the step number is
            shown for such dumps.
        rate: frames per second of a film.
    """

    colour: str = "speed"
    label: str = ""
    meshes: tuple[Path, ...] = ()
    mesh_scale: float = 1.0
    mesh_turn: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    mesh_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    shapes: tuple[Path, ...] = ()
    regions: tuple[str, ...] = ()
    log: str = ""
    box: bool = False
    chains: bool = False
    eye: tuple[float, float, float] = (0.6, -2.0, 0.7)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    zoom: float = 1.0
    parallel: bool = False
    size: tuple[int, int] = (800, 600)
    largest: float | None = None
    units: str = ""
    timestep: float | None = None
    rate: float = 12.5


def draw(
    grains: pd.DataFrame,
    path: Path,
    scene: Scene,
    *,
    frames: Sequence[engine.Frame] = (),
    contacts: pd.DataFrame | None = None,
    cracks: pd.DataFrame | None = None,
) -> int:
    """Draw the grains at the last step as PNG or JPEG, or at all steps as GIF or MP4.

    `frames` contains the times and the simulation box. The box is needed for `scene.box` and for
    infinite regions. Force chains are drawn from `contacts`, a table returned by `Run.local`. If
    grains have shapes, this table must contain the contact point. `cracks` is a table returned by
    `Run.broken_bonds`. The function returns the number of frames.

    Raises ImportError if PyVista is missing, or if the format is MP4 and imageio-ffmpeg is missing.
    Raises ValueError if a column, a file or a region is missing, or if the format is unknown.
    """
    steps = [int(step) for step in grains["step"].unique()]
    if not steps:
        raise ValueError("the dump has no grains")
    if not films.is_film(path):
        steps = steps[-1:]
    if scene.chains:
        if contacts is None:
            raise ValueError("chains need a dump of contacts")
        need(contacts, ["patom1"], "contacts")
        contacts = contacts.assign(force=normal_forces(contacts))
    kept = grains["step"].isin(steps)
    drawn = grains[kept].assign(colour=coloured(grains, scene.colour)[kept])
    heads = {frame.step: frame for frame in frames}
    return films.write(
        _Painter(drawn, scene, steps, heads, contacts, cracks).pictures(), path, scene.rate
    )


def coloured(grains: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Return, for each grain, the value that its colour shows.

    Raises ValueError if the dump lacks a column that is needed.
    """
    columns = VECTORS.get(name, [name])
    missing = [column for column in columns if column not in grains]
    if missing:
        known = ", ".join(known_colours(grains))
        raise ValueError(f"colour {name}: the dump has no column {missing[0]}; colours are {known}")
    values = grains[columns].to_numpy(dtype=float)
    return np.asarray(np.linalg.norm(values, axis=1) if name in VECTORS else values[:, 0])


def known_colours(grains: pd.DataFrame) -> list[str]:
    """Return the names of quantities offered as colours: speed, force and numerical columns."""
    vectors = [name for name, columns in VECTORS.items() if set(columns) <= set(grains)]
    numbers = grains.select_dtypes("number").columns
    return vectors + [str(name) for name in numbers if name not in OTHERS]


def read_dump(path: Path) -> str:
    """Return the complete frames of a dump or restart file as a text dump.

    Raises ValueError if the file is neither a text dump nor a restart file.
    """
    with path.open("rb") as file:
        start = file.read(len(RESTART))
    if start.startswith(b"ITEM:"):
        return engine.read_dump(path)
    if start != RESTART:
        raise ValueError(f"{path} is neither a text dump nor a restart file")
    script = (
        f"atom_modify map yes\nread_restart {path.resolve()}\n"
        "write_dump all custom grains id type x y z radius vx vy vz "
        "modify sort id time yes units yes\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            return engine.run(script, folder=Path(folder)).text("grains")
        except engine.LammpsError as error:
            raise ValueError(f"restart file {path}: {str(error).splitlines()[0]}") from error


def unit_style(frames: Sequence[engine.Frame], log: str) -> str:
    """Return the unit style of a dump. If the dump does not name one, use the log.

    If the log names no unit style either, return "lj". Without a log, return "".
    """
    found = [frame.units for frame in frames if frame.units]
    found += [words[1] for words in outputs.commands(log, {"units": 2})]
    return found[0] if found else "lj" if log else ""


def surfaces_of_regions(scene: Scene, heads: Iterable[engine.Frame]) -> list[Any]:
    """Return the regions of a scene as meshes of PyVista, cut at the box around all frames."""
    if not scene.regions:
        return []
    corners = [corners_of(head) for head in heads]
    if not corners:
        raise ValueError("regions cannot be drawn: the dump has no frame with a simulation box")
    ends = np.concatenate(corners)
    bounds = np.array([ends.min(axis=0), ends.max(axis=0)])
    return regions.surfaces(scene.log, scene.regions, bounds)


def written_time(step: int, head: engine.Frame | None, scene: Scene) -> str:
    """Return the time of a frame with its unit, or the step if the time is unknown."""
    time = head.time if head else None
    if time is None and scene.timestep is not None:
        time = step * scene.timestep
    unit = units.units_of(scene.units).time
    return f"step {step}" if time is None else f"t = {time:.4g} {unit}".rstrip()


def written_colour(name: str, scene: Scene) -> str:
    """Return the name of the quantity shown by colours, with its unit."""
    return units.labelled(name, units.unit_of(name, units.units_of(scene.units)))


def at_step(paths: Sequence[Path], step: int) -> list[Path]:
    """Return the files to be drawn at a step.

    If several files NAME.STEP.vtp have the same NAME, only one is returned: the file with the
    largest STEP that is <= `step`.
    """
    chosen: dict[str, tuple[int, Path]] = {}
    for path in paths:
        found = re.fullmatch(r"(.*?)\.?(\d+)\.vtp", path.name)
        name, number = (found[1], int(found[2])) if found else (path.name, 0)
        name = str(path.parent / name)
        if number <= step and number >= chosen.get(name, (-1, path))[0]:
            chosen[name] = number, path
    return [path for _, path in chosen.values()]


class _Painter:
    """Draws frames with the same camera and the same colour scale."""

    def __init__(
        self,
        grains: pd.DataFrame,
        scene: Scene,
        steps: Sequence[int],
        heads: Mapping[int, engine.Frame],
        contacts: pd.DataFrame | None,
        cracks: pd.DataFrame | None,
    ) -> None:
        self.pyvista = load_pyvista()
        self.scene = scene
        self.heads = heads
        self.units = units.units_of(scene.units)
        self.grains = {step: grains[grains["step"] == step] for step in steps}
        self.steps = steps
        self.contacts = contacts[contacts["step"].isin(steps)] if contacts is not None else None
        self.cracks = cracks
        self.glassy = scene.chains or cracks is not None
        # radius of the tube that is drawn for the largest force
        self.widest = 0.4 * float(grains["radius"].mean())
        self.regions = surfaces_of_regions(scene, self.heads.values())
        self.scale = self._scale(grains["colour"].to_numpy())
        self.camera = self._fit()

    def pictures(self) -> Iterator[Image]:
        from PIL import Image

        scene = self.scene
        width, height = scene.size
        plotter = self.pyvista.Plotter(
            off_screen=True, window_size=(width - legend.margin(scene.size), height)
        )
        plotter.set_background("white")
        plotter.enable_anti_aliasing("ssaa")
        self._aim(plotter.camera)
        names = ("broken in", CRACKS) if self.cracks is not None else ("", {})
        over = legend.draw(scene.size, self.scale, names, self._scale_bar())
        for step in self.steps:
            plotter.clear_actors()
            self._add(plotter, step)
            plotter.render()
            picture = Image.new("RGB", scene.size, "white")
            picture.paste(Image.fromarray(plotter.screenshot(return_img=True)))
            picture.paste(over, mask=over)
            legend.write(picture, written_time(step, self.heads.get(step), scene))
            yield picture
        plotter.close()

    def _scale(self, values: NDArray[np.float64]) -> legend.Scale | None:
        scene = self.scene
        if scene.chains and self.contacts is not None:
            force = self.contacts["force"].to_numpy(dtype=float)
            title = units.labelled("normal force", self.units.force)
            return legend.scale_of(
                force[force > 0.0], title, largest=scene.largest, kinds=False, colours=CHAINS
            )
        if self.glassy:
            return None
        title = scene.label or written_colour(scene.colour, scene)
        kinds = scene.colour == "type"
        return legend.scale_of(values, title, largest=scene.largest, kinds=kinds, colours=GRAINS)

    def _read_mesh(self, path: Path) -> Any:
        return read_mesh(path, self.scene)

    def _fit(self) -> camera.Camera:
        scene = self.scene
        centres, radii = [mesh.points for mesh in self.regions], []
        for step_files, read in ((scene.meshes, self._read_mesh), (scene.shapes, read_surface)):
            files = {path for step in self.steps for path in at_step(step_files, step)}
            centres += [read(path).points for path in sorted(files)]
        if scene.box:
            centres += [
                corners_of(head) for step, head in self.heads.items() if step in self.grains
            ]
        radii = [np.zeros(len(points)) for points in centres]
        if not scene.shapes:
            for frame in self.grains.values():
                centres.append(frame[["x", "y", "z"]].to_numpy(dtype=float))
                radii.append(frame["radius"].to_numpy(dtype=float))
        width, height = scene.size
        return camera.fit(
            np.concatenate(centres),
            np.concatenate(radii),
            eye=scene.eye,
            up=scene.up,
            aspect=(width - legend.margin(scene.size)) / height,
            parallel=scene.parallel,
        )

    def _aim(self, plotted: Any) -> None:
        seen = self.camera
        plotted.position, plotted.focal_point, plotted.up = seen.position, seen.focus, seen.up
        plotted.view_angle = camera.VIEW_ANGLE
        if self.scene.parallel:
            plotted.enable_parallel_projection()
            plotted.parallel_scale = seen.half_height
        plotted.zoom(self.scene.zoom)
        slack = 0.05 * (seen.depths[1] - seen.depths[0])
        plotted.clipping_range = (
            max(seen.depths[0] - slack, 0.5 * seen.depths[0]),
            seen.depths[1] + slack,
        )

    def _scale_bar(self) -> tuple[float, str]:
        """Return the length of the scale bar in pixels, at the scene's centre, and the text."""
        width, height = self.scene.size
        angle = np.radians(0.5 * camera.VIEW_ANGLE)
        shown = np.tan(angle / self.scene.zoom) / np.tan(angle)
        shown = 1.0 / self.scene.zoom if self.scene.parallel else shown
        pixel = 2.0 * self.camera.half_height * shown / height
        length = units.round_length(legend.SCALE_BAR * width * pixel)
        return length / pixel, units.written_length(length, self.units)

    def _add(self, plotter: Any, step: int) -> None:
        frame, scene = self.grains[step], self.scene
        self._add_grains(plotter, frame, step)
        for mesh in [*self.regions, *map(self._read_mesh, at_step(scene.meshes, step))]:
            surface = mesh.clean()
            plotter.add_mesh(surface, color="lightsteelblue", opacity=0.3, reset_camera=False)
            edges = surface.extract_feature_edges(EDGE)
            if edges.n_points:
                plotter.add_mesh(edges, color="slategray", line_width=1.5, reset_camera=False)
        if scene.box and step in self.heads:
            lines = self.pyvista.PolyData(corners_of(self.heads[step]), lines=BOX_EDGES)
            plotter.add_mesh(lines, color="gray", line_width=1.0, reset_camera=False)
        if scene.chains and self.contacts is not None:
            self._add_chains(plotter, frame, self.contacts[self.contacts["step"] == step])
        if self.cracks is not None:
            self._add_cracks(plotter, self.cracks[self.cracks["step"] <= step])

    def _add_grains(self, plotter: Any, frame: pd.DataFrame, step: int) -> None:
        shaped = at_step(self.scene.shapes, step)
        if self.scene.shapes and not shaped:
            raise ValueError(f"there is no shape file of step {step} or of an earlier step")
        if not shaped:
            self._add_spheres(plotter, frame)
            return
        number = pd.Series(frame["colour"].to_numpy(dtype=float), frame["id"].to_numpy())
        for path in shaped:
            surface = read_surface(path)
            style: dict[str, Any] = {"color": "tan", "opacity": 0.12}
            if self.scale is not None and not self.glassy:
                values = number.reindex(surface.cell_data["id"]).to_numpy()
                surface.cell_data["rgb"] = self.scale.paint(values)
                style = {"scalars": "rgb", "rgb": True, "specular": 0.2, "ambient": 0.3}
            drawn = plotter.add_mesh(surface, reset_camera=False, **style)
            # draws the edges in front of the surface on which they lie
            drawn.mapper.SetResolveCoincidentTopologyToPolygonOffset()
            edges = surface.extract_feature_edges(EDGE)
            plotter.add_mesh(edges, color="black", line_width=1.0, reset_camera=False)

    def _add_spheres(self, plotter: Any, frame: pd.DataFrame) -> None:
        """Add spheres. Only spheres close to the camera are drawn with triangles."""
        import vtk

        centres = frame[["x", "y", "z"]].to_numpy(dtype=float)
        away = np.linalg.norm(centres - self.camera.position, axis=1)
        close = frame["radius"].to_numpy(dtype=float) > CLOSE * away
        if self.scene.parallel:
            close[:] = False
        for is_close in (False, True):
            chosen = close == is_close
            if not chosen.any():
                continue
            cloud = self.pyvista.PolyData(centres[chosen])
            # the mapper of spheres does not accept doubles
            cloud["radius"] = frame["radius"].to_numpy(dtype=np.float32)[chosen]
            if self.scale is not None and not self.glassy:
                cloud["rgb"] = self.scale.paint(frame["colour"].to_numpy(dtype=float)[chosen])
            if is_close:
                ball = self.pyvista.Sphere(theta_resolution=ROUND, phi_resolution=ROUND, radius=1.0)
                mapper = vtk.vtkPolyDataMapper()
                mapper.SetInputData(cloud.glyph(geom=ball, scale="radius", orient=False))
            else:
                mapper = vtk.vtkOpenGLSphereMapper()
                mapper.SetInputData(cloud)
                mapper.SetScaleArray("radius")
            plotter.add_actor(self._actor(mapper, len(frame)), reset_camera=False, render=False)

    def _actor(self, mapper: Any, count: int) -> Any:
        import vtk

        actor = vtk.vtkActor()
        actor.SetMapper(mapper)
        looks = actor.GetProperty()
        looks.SetInterpolationToPhong()
        looks.SetSpecular(0.2)
        looks.BackfaceCullingOn()  # only the front of transparent grains
        if self.glassy:
            mapper.ScalarVisibilityOff()
            looks.SetColor(*GLASS_COLOUR)
            looks.SetOpacity(min(GLASSIEST, 1.0 - GLASS ** (1.0 / np.cbrt(count))))
        else:
            mapper.SetScalarModeToUsePointFieldData()
            mapper.SelectColorArray("rgb")
            mapper.SetColorModeToDirectScalars()
        return actor

    def _add_chains(self, plotter: Any, frame: pd.DataFrame, contacts: pd.DataFrame) -> None:
        contacts = contacts[contacts["force"] > 0.0]
        if contacts.empty or self.scale is None:
            return
        place = frame.set_index("id")[["x", "y", "z"]]
        first = place.loc[contacts["patom1"].astype("int64")].to_numpy(dtype=float)
        force = contacts["force"].to_numpy(dtype=float)
        path = first[:, None] + paths(contacts)
        count, points = path.shape[:2]
        lines = self.pyvista.PolyData()
        lines.points = path.reshape(-1, 3)
        lines.lines = np.column_stack(
            [np.full(count, points), np.arange(count * points).reshape(count, points)]
        ).ravel()
        strong = float(self.scale.norm.vmax or 1.0)
        lines["wide"] = np.repeat(self.widest * np.clip(force / strong, 0.02, 1.2), points)
        lines["rgb"] = np.repeat(self.scale.paint(force), points, axis=0)
        tubes = lines.tube(scalars="wide", absolute=True, n_sides=10)
        plotter.add_mesh(tubes, scalars="rgb", rgb=True, ambient=0.4, reset_camera=False)

    def _add_cracks(self, plotter: Any, cracks: pd.DataFrame) -> None:
        ball = self.pyvista.Sphere(radius=0.75 * self.widest)
        for mode, colour in CRACKS.items():
            place = cracks.loc[cracks["mode"] == mode, ["x", "y", "z"]].to_numpy(dtype=float)
            if len(place):
                balls = self.pyvista.PolyData(place).glyph(geom=ball, scale=False, orient=False)
                plotter.add_mesh(balls, color=colour, smooth_shading=True, reset_camera=False)


# edges of a box in VTK's format: the number 2, then the indices of two corners
BOX_EDGES = np.array(
    [(2, i, i | side) for i in range(8) for side in (1, 2, 4) if not i & side]
).ravel()


def corners_of(head: engine.Frame) -> NDArray[np.float64]:
    """Return the corners of a box, of shape (8, 3).

    The box is spanned by three edges that start at its origin. Bits 2, 1 and 0 of the index of a
    corner belong to the first, second and third edge. A bit is 1 at the far end of its edge.
    """
    return head.origin + np.array([[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)]) @ head.edges


def read_surface(path: Path) -> Any:
    """Return the mesh in a file, for PyVista.

    Raises OSError if the file cannot be read, and ValueError if the file is not a valid mesh.
    """
    check_readable(path)
    kind = path.suffix.lower()
    if kind not in MESHES:
        raise ValueError(f"mesh {path}: the suffix must be one of {', '.join(MESHES)}")
    pyvista = load_pyvista()
    silent = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # VTK's messages repeat the error
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            surface = pyvista.read(path)
    finally:
        logging.disable(silent)
    if any("error" in str(one.message) for one in told):
        raise ValueError(f"mesh {path} is not a {kind} file, or is truncated")
    return surface


def read_mesh(path: Path, scene: Scene) -> Any:
    """Return the mesh of a wall for PyVista, placed as in the script.

    Raises OSError if the file cannot be read, and ValueError if the file is not a valid mesh.
    """
    surface = read_surface(path)
    if not surface.n_cells:
        raise ValueError(f"mesh {path} has no triangles, or is truncated")
    if path.suffix.lower() == ".vtp":
        return surface
    angle, *axis = scene.mesh_turn
    scaled = surface.scale(scene.mesh_scale, inplace=False)
    turned = scaled.rotate_vector(axis, angle, inplace=False) if angle else scaled
    return turned.translate(scene.mesh_offset, inplace=False)


def describe_misplaced(grains: pd.DataFrame, scene: Scene) -> list[str]:
    """Return a sentence for each mesh so large or so far away that grains would be invisible."""
    if not scene.meshes or grains.empty:
        return []
    centres = grains[["x", "y", "z"]].to_numpy(dtype=float)
    radii = grains[["radius"]].to_numpy(dtype=float)
    low, high = (centres - radii).min(axis=0), (centres + radii).max(axis=0)
    size = float((high - low).max())
    found = []
    for path in at_step(scene.meshes, int(grains["step"].max())):
        begin, end = np.reshape(read_mesh(path, scene).bounds, (3, 2)).T
        extent = float((end - begin).max())
        distance = float(np.linalg.norm(np.maximum(np.maximum(begin - high, low - end), 0.0)))
        if extent > MISPLACED * size:
            what = f"measures {extent:.3g}"
        elif distance > MISPLACED * size:
            what = f"is {distance:.3g} away from the grains"
        else:
            continue
        found.append(f"mesh {path} {what}; the box around the grains measures {size:.3g}")
    return found


def load_pyvista() -> Any:
    """Import pyvista, switch off its messages, and return the module.

    Raises ImportError if PyVista is missing.
    """
    try:
        import pyvista
    except ImportError as error:
        raise ImportError(f"{INSTALL} ({error})") from error
    import vtk

    vtk.vtkLogger.SetStderrVerbosity(vtk.vtkLogger.VERBOSITY_OFF)  # messages on missing screens
    return pyvista
