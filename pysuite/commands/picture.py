"""`pysuite picture`: draw a picture or a film of a run, without a screen."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Draw a picture or a film of a run, without a screen."
SMALLEST = 50  # pixels


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    from pysuite import pictures

    sub.add_argument(
        "dump", type=Path, metavar="FILE", help="dump with id x y z radius and colour, or restart"
    )
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="PICTURE",
        help="PNG or JPEG: the last frame of the dump; GIF or MP4: a film of all frames",
    )
    for name, text in (
        ("meshes", "vtp files of walls; of NAME.STEP.vtp those that belong to the frame"),
        ("shapes", "vtp files of fix shape/granular/plus, drawn instead of spheres"),
    ):
        sub.add_argument(f"--{name}", type=Path, nargs="+", default=[], metavar="VTP", help=text)
    sub.add_argument(
        "--colour",
        default="speed",
        metavar="NAME",
        help="speed, force or a column of the dump, as type or v_liquid (default: %(default)s)",
    )
    sub.add_argument("--label", default="", help="written at the colour bar")
    sub.add_argument("--largest", type=float, metavar="X", help="upper end of the colours")
    sub.add_argument(
        "--chains",
        type=Path,
        metavar="DUMP",
        help="force chains: dump local with patom1, force, separation and point",
    )
    sub.add_argument(
        "--log",
        type=Path,
        metavar="LOG",
        help="log that has the units, the --regions and the names of the columns of --chains",
    )
    sub.add_argument(
        "--regions",
        nargs="+",
        default=[],
        metavar="ID",
        help="regions of the log, drawn half transparent",
    )
    sub.add_argument("--box", action="store_true", help="draw the edges of the simulation box")
    sub.add_argument(
        "--cracks",
        type=Path,
        metavar="CSV",
        help="broken bonds in glassy grains, red in tension, blue in shear: the table of fix "
        "granular/bond with keyword events",
    )
    sub.add_argument(
        "--eye",
        type=float,
        nargs=3,
        default=(0.6, -2.0, 0.7),
        metavar="X",
        help="direction from the middle of the scene to the eye (default: %(default)s)",
    )
    sub.add_argument(
        "--up",
        type=float,
        nargs=3,
        default=(0.0, 0.0, 1.0),
        metavar="X",
        help="what points up in the picture (default: %(default)s)",
    )
    sub.add_argument(
        "--zoom",
        type=float,
        default=1.0,
        metavar="X",
        help="1: all of the scene is in the picture; larger than 1: closer",
    )
    sub.add_argument("--parallel", action="store_true", help="no perspective")
    sub.add_argument("--size", type=int, nargs=2, default=(800, 600), metavar="PIXELS")
    sub.add_argument(
        "--units",
        default="",
        metavar="STYLE",
        help="unit style, such as si; default: that of the dump or of --log",
    )
    sub.add_argument(
        "--timestep",
        type=float,
        metavar="DT",
        help="to write times if the dump has none (dump_modify ... time yes)",
    )
    sub.add_argument(
        "--rate",
        type=float,
        default=pictures.Scene().rate,
        metavar="N",
        help="frames per second of a film (default: %(default)s)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Draw the grains of a dump or restart with meshes, regions, shapes and force chains."""
    from pysuite import engine, outputs, pictures
    from pysuite.pictures import films

    for name in ("zoom", "rate", "timestep"):
        value = getattr(options, name)
        if value is not None and not value > 0.0:
            raise UsageError(f"--{name} {value:g} must be > 0")
    if min(options.size) < SMALLEST:
        width, height = options.size
        raise UsageError(f"--size {width} {height} must be >= {SMALLEST}")
    if options.regions and not options.log:
        raise UsageError("--regions needs --log, which has the commands that define them")
    log = options.log.read_text(errors="replace") if options.log else ""
    try:
        contacts = None
        if options.chains:
            text = options.chains.read_text()
            contacts = engine.parse_dump(text)
            if log:
                contacts = outputs.local(log, contacts, options.chains.name)
        dump = pictures.read_dump(options.dump)
        grains, frames = engine.parse_dump(dump), engine.parse_frames(dump)
        if options.chains:
            drawn = grains["step"].unique()
            drawn = drawn if films.is_film(options.output) else drawn[-1:]
            lacking = sorted({*map(int, drawn)} - {*engine.parse_steps(text)})
            if lacking:
                last = max(engine.parse_steps(text))
                raise ValueError(
                    f"{options.chains} has no frame of step {lacking[0]}, which {options.dump} has;"
                    f" its last is of step {last}"
                )
        cracks = outputs.read_broken_bonds(options.cracks) if options.cracks else None
        scene = pictures.Scene(
            colour=options.colour,
            label=options.label,
            meshes=tuple(options.meshes),
            shapes=tuple(options.shapes),
            regions=tuple(options.regions),
            log=log,
            box=options.box,
            chains=options.chains is not None,
            eye=tuple(options.eye),
            up=tuple(options.up),
            zoom=options.zoom,
            parallel=options.parallel,
            size=tuple(options.size),
            largest=options.largest,
            units=options.units or pictures.unit_style(frames, log),
            timestep=options.timestep,
            rate=options.rate,
        )
        count = pictures.draw(
            grains, options.output, scene, frames=frames, contacts=contacts, cracks=cracks
        )
    except (ValueError, ImportError) as error:
        raise UsageError(str(error)) from error
    console.print(
        f"written: {options.output}" + (f", {count} frames" if count > 1 else ""), soft_wrap=True
    )
    return OK
