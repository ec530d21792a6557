"""Draw the input scripts with walls of triangles: python docs/draw_meshes.py [NAME ...].

Each script runs at a smaller size and leaves its grains and triangles, where they are at the end.
Pictures go to docs/howto/figures. The environment is that of `make test`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection, PolyCollection
from numpy.typing import NDArray

from pysuite import engine

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "howto" / "figures"
Array = NDArray[np.float64]


class View(NamedTuple):
    """How a script is run and from where it is seen.

    Attributes:
        variables: of the script.
        eye: where the eye is, from the middle.
        up: what points up in the picture.
    """

    variables: dict[str, object]
    eye: tuple[float, float, float]
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)


VIEWS = {
    "auger": View({"length": 24, "settle": 4, "turns": 1.5}, (0.9, -2.0, 0.7), (1.0, 0.0, 0.0)),
    "belt": View({"n": 400, "length": 24, "width": 6, "time": 11}, (0.6, -2.0, 0.8)),
}
SLABS = 60  # from back to front
EVERY = 1000  # steps from one file of triangles to the next


def simulate(name: str, view: View) -> tuple[Array, Array]:
    """Return grains, (n, 5): place, radius, speed; and triangles, (m, 3, 3), at the end."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    script = (ROOT / "inputs" / f"in.{name}").read_text()
    lines = []
    for line in script.splitlines():
        if line.startswith("fix ") and " mesh " in line and " vtk " not in line:
            line += f" vtk {EVERY} {line.split()[1]}.*.vtp"
        lines.append(re.sub(r"\bvtk \d+", f"vtk {EVERY}", line))
    with tempfile.TemporaryDirectory() as folder:
        run = engine.run(
            "\n".join(lines)
            + f"\nrun $({EVERY}-step%{EVERY}) post no"
            + "\nwrite_dump all custom end id x y z radius vx vy vz modify sort id\n",
            folder=folder,
            variables={"here": str(ROOT / "inputs"), **view.variables},
            timeout=1800,
        )
        table = run.dump("end")
        triangles = []
        for file in sorted(Path(folder).glob(f"*.{run.thermo['Step'].iloc[-1]}.vtp")):
            reader = vtk.vtkXMLPolyDataReader()
            reader.SetFileName(str(file))
            reader.Update()
            points = vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
            triangles.append(points.reshape(-1, 3, 3).astype(float))
    speed = np.linalg.norm(table[["vx", "vy", "vz"]].to_numpy(), axis=1)
    grains = np.column_stack([table[["x", "y", "z", "radius"]].to_numpy(), speed])
    return grains, np.concatenate(triangles)


def axes_of(view: View) -> Array:
    """Return the axes of the picture, rows: right, up, towards the eye."""
    ahead = np.array(view.eye) / np.linalg.norm(view.eye)
    right = np.cross(view.up, ahead)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(ahead, right), ahead])


def draw(name: str, view: View, grains: Array, triangles: Array) -> Path:
    """Paint from back to front, triangles half transparent."""
    axes = axes_of(view)
    seen, corners = grains[:, :3] @ axes.T, triangles @ axes.T
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    light = np.abs(normals @ axes[2]) / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
    depth = np.concatenate([seen[:, 2], corners[:, :, 2].mean(axis=1)])
    edges = np.linspace(depth.min(), depth.max() + 1e-9, SLABS + 1)
    figure, plane = plt.subplots(figsize=(6, 4.5), layout="constrained")
    top = np.percentile(grains[:, 4], 98)
    for near, far in zip(edges[1:], edges[:-1], strict=True):
        here = (corners[:, :, 2].mean(axis=1) >= far) & (corners[:, :, 2].mean(axis=1) < near)
        shade = 0.45 + 0.4 * light[here, None] * np.ones(3)
        plane.add_collection(
            PolyCollection(
                corners[here][:, :, :2], facecolors=shade, edgecolors="0.35", lw=0.15, alpha=0.45
            )
        )
        here = (seen[:, 2] >= far) & (seen[:, 2] < near)
        size = 2 * grains[here, 3]
        plane.add_collection(
            EllipseCollection(
                size,
                size,
                np.zeros(len(size)),
                units="xy",
                offsets=seen[here, :2],
                transOffset=plane.transData,
                facecolors=plt.get_cmap("viridis")(grains[here, 4] / top),
                edgecolors="k",
                lw=0.2,
            )
        )
    flat = np.concatenate([seen[:, :2], corners[:, :, :2].reshape(-1, 2)])
    plane.set(xlim=(flat[:, 0].min() - 1, flat[:, 0].max() + 1))
    plane.set(ylim=(flat[:, 1].min() - 1, flat[:, 1].max() + 1))
    plane.set_aspect("equal")
    plane.axis("off")
    colours = plt.cm.ScalarMappable(plt.Normalize(0, top), "viridis")
    figure.colorbar(colours, ax=plane, shrink=0.6, label="speed, in sqrt(g d)")
    FIGURES.mkdir(parents=True, exist_ok=True)
    path = FIGURES / f"{name}.png"
    figure.savefig(path, dpi=100, bbox_inches="tight", pad_inches=0.05)
    plt.close(figure)
    return path


if __name__ == "__main__":
    for chosen in sys.argv[1:] or VIEWS:
        print(draw(chosen, VIEWS[chosen], *simulate(chosen, VIEWS[chosen])))
