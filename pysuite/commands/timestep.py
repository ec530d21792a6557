"""`pysuite timestep`: compute the time step and collision time for spheres."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, make_table, print_table
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Compute the time step and collision time for spheres."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    for name, text in (
        ("radius", "radius of the smallest spheres"),
        ("density", "density of the material"),
        ("speed", "largest relative speed in collisions"),
        ("modulus", "Young's modulus"),
    ):
        sub.add_argument(f"--{name}", type=float, required=True, metavar="X", help=text)
    for name, default, text in (
        ("poisson", 0.25, "Poisson's ratio"),
        ("restitution", 1.0, "coefficient of restitution"),
        ("overlap", 0.01, "largest overlap allowed with normal actm, as a fraction of the radius"),
        ("steps", 50, "time steps per collision"),
    ):
        text = f"{text} (default: %(default)s)"
        sub.add_argument(f"--{name}", type=float, default=default, metavar="X", help=text)


def run(options: argparse.Namespace, console: Console) -> int:
    """Print the times for spheres, in the units of the input."""
    from pysuite.measure import timestep

    try:
        advice = timestep.advise(
            radius=options.radius,
            density=options.density,
            speed=options.speed,
            youngs_modulus=options.modulus,
            poisson_ratio=options.poisson,
            restitution=options.restitution,
            overlap=options.overlap,
            steps=options.steps,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    console.print(f"[bold]timestep {advice.step:.3g}[/]   with the unmodified material")
    if advice.speedup > 1.0:
        console.print(
            f"[bold]timestep {advice.actm_step:.3g}[/]   softened material,"
            f" {advice.speedup:.1f} times the Hertz step; normal model:\n"
            f"  actm {advice.collision_time:.3g}"
            f" {options.restitution:g} {options.modulus:g} {options.poisson:g}"
        )
    else:
        console.print(
            f"At this speed grains overlap by {100.0 * advice.hertz_overlap:.2g} % of the radius,"
            f" but only {100.0 * options.overlap:g} % is allowed: the material is already so soft"
            " that actm cannot lengthen the time step."
        )
    table = make_table("", "takes", "fraction", "time step", "largest overlap")
    for column in table.columns[1:]:
        column.justify = "right"
    fraction = f"1/{options.steps:g}"
    rayleigh = f"1/{1.0 / timestep.RAYLEIGH_PART:g}"
    for name, time, share, step, overlap in (
        ("Hertz collision", advice.hertz_time, fraction, advice.hertz_step, advice.hertz_overlap),
        ("Rayleigh wave", advice.rayleigh_time, rayleigh, advice.rayleigh_step, None),
        ("actm collision", advice.collision_time, fraction, advice.actm_step, advice.actm_overlap),
    ):
        percent = "" if overlap is None else f"{100.0 * overlap:.2g} % of radius"
        table.add_row(name, f"{time:.3g}", share, f"{step:.3g}", percent)
    console.print()
    print_table(table, console)
    console.print(
        "\n"
        "If radius, density, speed and modulus are in m, kg/m³, m/s and Pa, times are in seconds."
        " If the input is in the units of a LAMMPS script, so are the times. The time step with the"
        " unmodified material is the smaller of the Hertz and Rayleigh steps."
    )
    return OK
