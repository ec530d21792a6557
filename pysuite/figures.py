"""Style and previews of the cases' figures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

PREVIEW = ".preview.png"
PREVIEW_WIDTH = 760  # pixels
PREVIEW_COLOURS = 48
LARGEST_SVG = 1_500_000  # bytes; a larger figure becomes a PNG
FIGURE_STYLE: dict[Any, Any] = {
    "figure.figsize": (6.4, 4.0),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "savefig.dpi": 160,
    "svg.hashsalt": "pysuite",
    # Okabe and Ito's colours for colour-blind readers
    "axes.prop_cycle": "cycler('color', ['#0072b2', '#d55e00', '#009e73', '#cc79a7', "
    "'#e69f00', '#56b4e9', '#000000'])",
}


def prepare_figures() -> None:
    """Set up matplotlib for the style of the reports, without a screen."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams.update(FIGURE_STYLE)


def panels(count: int, *, height: float = 4.0, **shared: Any) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure and the axes of its panels, which are side by side.

    Other keywords are passed to `subplots`.
    """
    import matplotlib.pyplot as plt

    width = {1: 6.4, 2: 10.4, 3: 13.0}.get(count, 3.5 * count)
    figure, axes = plt.subplots(1, count, figsize=(width, height), squeeze=False, **shared)
    return figure, list(axes[0])


def spread_ticks(axis: Axis, count: int = 5) -> None:
    """Label about `count` ticks of an axis. The limits of the axis must be set before."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    low, high = axis.get_view_interval()
    if axis.get_scale() == "log":
        wide = high >= 10.0 * low
        axis.set_major_locator(LogLocator(numticks=count) if wide else MaxNLocator(count))
        axis.set_minor_formatter(NullFormatter())
    else:
        axis.set_major_locator(MaxNLocator(count))
    axis.set_major_formatter(StrMethodFormatter("{x:.6g}"))


def save_preview(figure: Figure, path: Path) -> None:
    """Save a figure as a small picture with few colours."""
    from PIL import Image

    with io.BytesIO() as file:
        resolution = PREVIEW_WIDTH / figure.get_figwidth()
        figure.savefig(file, format="png", dpi=resolution, facecolor="white")
        picture = Image.open(file).convert("RGB")
    picture.quantize(PREVIEW_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
