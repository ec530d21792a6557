"""Legend of a picture: colours, scale bar and time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from PIL.Image import Image

POINTS = 72  # pixels per inch; with 72, font sizes in points are equal to sizes in pixels
SMALLEST_FONT = 9.0  # pixels
FONT = 1.0 / 42.0  # font size / height of the picture
MARGIN = 8.0  # width of the legend in font sizes
MOST_NAMES = 8
SCALE_BAR = 0.2  # largest length of the scale bar / width of the scene
NAMED = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442", "#444444")


class Scale(NamedTuple):
    """Mapping from values to colours. `beyond` is True if a value exceeds the upper end."""

    title: str
    colours: Colormap
    norm: Normalize
    names: tuple[str, ...] = ()
    beyond: bool = False

    def paint(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return the colours of n values as an array of shape (n, 3)."""
        return np.asarray(self.colours(self.norm(values), bytes=True))[:, :3]


def scale_of(
    values: NDArray[np.float64], title: str, *, largest: float | None, kinds: bool, colours: str
) -> Scale:
    """Return the mapping from values to colours.

    `largest` is the upper end of the scale. With None, 98 % of all values are below the upper end.
    `kinds` is True if the values are categories such as atom types. `colours` is the name of a
    matplotlib colour map, optionally with a range, such as "viridis 0.1:0.9".
    """
    import matplotlib
    from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize

    finite = values[np.isfinite(values)]
    finite = finite if finite.size else np.zeros(1)
    numbers = np.unique(finite)
    if kinds and len(numbers) <= MOST_NAMES:
        edges = [numbers[0] - 0.5, *(0.5 * (numbers[1:] + numbers[:-1])), numbers[-1] + 0.5]
        own = ListedColormap(NAMED[: len(numbers)])
        return Scale(
            title, own, BoundaryNorm(edges, len(numbers)), tuple(f"{n:g}" for n in numbers)
        )
    low, high = min(0.0, float(numbers[0])), float(numbers[-1])
    if kinds:
        low = float(numbers[0])
    top = largest if largest is not None else high if kinds else float(np.percentile(finite, 98))
    top = top if top > low else low + 1.0
    name, _, part = colours.partition(" ")
    chosen = matplotlib.colormaps[name]
    if part:
        begin, end = map(float, part.split(":"))
        chosen = ListedColormap(chosen(np.linspace(begin, end, 256)))
    return Scale(title, chosen, Normalize(low, top, clip=True), beyond=high > top)


def font_size(size: tuple[int, int]) -> float:
    """Return the font size of a picture in pixels."""
    return max(SMALLEST_FONT, FONT * size[1])


def margin(size: tuple[int, int]) -> int:
    """Return the width of the legend in pixels."""
    return min(round(MARGIN * font_size(size)), size[0] // 2)


def draw(
    size: tuple[int, int],
    scale: Scale | None,
    names: tuple[str, Mapping[str, str]],
    bar: tuple[float, str] | None,
) -> Image:
    """Return the legend of a picture on a transparent background.

    `names` describes a list of further colours: `names` contains the title of the list, and a
    mapping from names to colours. `bar` is the length of the scale bar in pixels and the text above
    the scale bar.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke
    from PIL import Image

    width, height = size
    font = font_size(size)
    inches = (width / POINTS, height / POINTS)
    figure = Figure(inches, dpi=POINTS, facecolor="none")
    figure.set_layout_engine("none")
    canvas: Any = FigureCanvasAgg(figure)
    left, across, line = 1.0 - (margin(size) - font) / width, font / width, font / height
    top = 1.0 - 2.0 * line
    if scale is not None and scale.names:
        colours = scale.colours(np.arange(len(scale.names)))
        top = _names(figure, (left, top), dict(zip(scale.names, colours, strict=True)), scale.title)
    elif scale is not None:
        title = scale.title.replace(" (", "\n(")
        top -= (2.5 + title.count("\n")) * line
        figure.text(left, top + 1.2 * line, title, fontsize=font, va="bottom", linespacing=1.1)
        tall = max(0.6 - 2.0 * line * len(names[1]), 0.2)
        _colour_bar(figure, (left, top - tall, 1.2 * across, tall), scale)
        top -= tall + 2.0 * line
    if names[1]:
        _names(figure, (left, top), names[1], names[0])
    if bar is not None:
        length = bar[0] / width
        stripe = Rectangle((across, line), length, 0.3 * line, transform=figure.transFigure)
        stripe.set(facecolor="black", edgecolor="white")
        figure.add_artist(stripe)
        text = figure.text(across + 0.5 * length, 1.5 * line, bar[1], fontsize=font, ha="center")
        text.set_path_effects([withStroke(linewidth=0.2 * font, foreground="white")])
    canvas.draw()
    return Image.fromarray(np.array(canvas.buffer_rgba()))


def write(picture: Image, text: str) -> None:
    """Write text into the upper left corner of a picture."""
    from matplotlib.font_manager import findfont
    from PIL import ImageDraw, ImageFont

    font = font_size(picture.size)
    face = ImageFont.truetype(findfont("DejaVu Sans"), font)
    halo = round(0.15 * font)
    ImageDraw.Draw(picture).text(
        (font, font), text, fill="black", font=face, stroke_width=halo, stroke_fill="white"
    )


def _colour_bar(figure: Figure, place: tuple[float, float, float, float], scale: Scale) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_axes(place)
    bar = figure.colorbar(
        ScalarMappable(scale.norm, scale.colours),
        cax=axes,
        extend="max" if scale.beyond else "neither",
        ticks=MaxNLocator(5),
    )
    font = font_size((0, round(figure.get_figheight() * POINTS)))
    axes.tick_params(labelsize=font)
    bar.ax.ticklabel_format(axis="y", scilimits=(-3, 4))
    bar.outline.set_linewidth(0.5)
    axes.yaxis.get_offset_text().set(fontsize=font, ha="left")


def _names(
    figure: Figure, place: tuple[float, float], names: Mapping[str, Any], title: str
) -> float:
    from matplotlib.patches import Patch

    height = round(figure.get_figheight() * POINTS)
    font = font_size((0, height))
    legend = figure.legend(
        [Patch(facecolor=colour) for colour in names.values()],
        list(names),
        loc="upper left",
        bbox_to_anchor=place,
        title=title,
        fontsize=font,
        title_fontsize=font,
        alignment="left",
        frameon=False,
        borderpad=0.0,
        borderaxespad=0.0,
        handlelength=1.0,
        handletextpad=0.5,
    )
    figure.draw_without_rendering()
    return place[1] - legend.get_window_extent().height / height - font / height
