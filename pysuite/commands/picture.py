"""`pysuite picture`: draw a picture or a video of a run, without a screen."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, add_scene, print_misplaced, print_wrote, read_scene
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Draw a picture or a video of a run, without a screen."
SMALLEST = 50  # pixels


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_scene(sub)
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="PICTURE",
        help="output file; PNG and JPEG show the last frame of the dump, GIF and MP4 are films of"
        " all frames",
    )
    sub.add_argument(
        "--shapes",
        type=Path,
        nargs="+",
        default=[],
        metavar="VTP",
        help="draw the surfaces in these vtp files of fix shape/granular/plus instead of spheres",
    )
    sub.add_argument(
        "--colour",
        default="speed",
        metavar="NAME",
        help="colour grains by speed, by force or by a column of the dump, such as type or"
        " v_liquid (default: %(default)s)",
    )
    sub.add_argument("--label", default="", help="label of the colour bar")
    sub.add_argument("--largest", type=float, metavar="X", help="upper end of the colour scale")
    sub.add_argument(
        "--chains",
        type=Path,
        metavar="DUMP",
        help="draw force chains from this dump local; needed columns: patom1, separation, point,"
        " and either force or force_x, force_y and force_z",
    )
    sub.add_argument(
        "--cracks",
        type=Path,
        metavar="CSV",
        help="make grains transparent and draw the broken bonds of this table, which fix"
        " granular/bond writes with keyword events; bonds broken in tension are red, bonds broken"
        " in shear are blue",
    )
    sub.add_argument(
        "--zoom",
        type=float,
        default=1.0,
        metavar="X",
        help="1 shows the whole scene; larger values zoom in",
    )
    sub.add_argument("--parallel", action="store_true", help="parallel projection, no perspective")
    sub.add_argument("--size", type=int, nargs=2, default=(800, 600), metavar="PIXELS")
    sub.add_argument(
        "--rate",
        type=float,
        default=12.5,
        metavar="N",
        help="frames per second of a film (default: %(default)s)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Draw the grains of a dump or restart."""
    from pysuite import engine, outputs, pictures
    from pysuite.pictures import films

    for name in ("zoom", "rate"):
        if not getattr(options, name) > 0.0:
            raise UsageError(f"--{name} {getattr(options, name):g} must be > 0")
    if min(options.size) < SMALLEST:
        width, height = options.size
        raise UsageError(f"--size {width} {height} must be >= {SMALLEST}")
    try:
        grains, frames, scene = read_scene(options)
        contacts = None
        if options.chains:
            text = engine.read_dump(options.chains)
            known = ~grains["step"].isin(engine.incomplete_steps(options.chains))
            grains = grains[known] if known.any() else grains
            contacts = engine.parse_dump(text)
            if scene.log:
                contacts = outputs.local(scene.log, contacts, options.chains.name)
            drawn = grains["step"].unique()
            drawn = drawn if films.is_film(options.output) else drawn[-1:]
            lacking = sorted({*map(int, drawn)} - {*engine.parse_steps(text)})
            if lacking:
                last = max(engine.parse_steps(text))
                raise ValueError(
                    f"{options.chains} has no frame of step {lacking[0]}, but {options.dump} has"
                    f" this frame; the last frame of --chains is at step {last}"
                )
        cracks = outputs.read_broken_bonds(options.cracks) if options.cracks else None
        scene = scene._replace(
            colour=options.colour,
            label=options.label,
            shapes=tuple(options.shapes),
            chains=options.chains is not None,
            zoom=options.zoom,
            parallel=options.parallel,
            size=tuple(options.size),
            largest=options.largest,
            rate=options.rate,
        )
        count = pictures.draw(
            grains, options.output, scene, frames=frames, contacts=contacts, cracks=cracks
        )
        print_misplaced(grains, scene)
    except (ValueError, ImportError) as error:
        raise UsageError(str(error)) from error
    print_wrote(options.output, console, f", {count} frames" if count > 1 else "")
    return OK
