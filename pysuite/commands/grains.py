"""`pysuite grains`: write a data file of grains whose sizes follow a sieve table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import (
    OK,
    RED,
    add_overwrite,
    make_table,
    print_table,
    print_wrote,
    refuse_existing,
)
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

FEW = 0.05  # if sieve curves differ by more than this mass fraction, a remark is printed
HELP = "Write a data file of grains whose sizes follow a sieve table."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument(
        "settings", type=Path, metavar="SIEVE", help="TOML file with sizes, mass and box"
    )
    add_overwrite(sub)
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DATA",
        help="data file for atom_style sphere (default: SIEVE's name with the ending .data, in the"
        " current folder)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Write the data file and print the sieve curve; fail if grains do not fit."""
    data = options.output or Path(f"{options.settings.stem}.data")
    refuse_existing(options, data)
    from pysuite.lab import SettingsError, feeding

    try:
        settings = feeding.Feed.read(options.settings)
    except SettingsError as error:
        raise UsageError(str(error)) from error
    fed = feeding.feed(settings, data)
    for number, sieve in enumerate(fed.sieves, start=1):
        table = make_table("opening", "fraction passing, specified", "placed")
        for row in sieve.itertuples():
            table.add_row(f"{row.opening:.5g}", f"{row.wanted:.4f}", f"{row.drawn:.4f}")
        console.print(f"type {number}: {settings.species[number - 1].grading.name}")
        print_table(table, console)
        off = float((sieve["drawn"] - sieve["wanted"]).abs().max())
        if off > FEW:
            console.print(
                f"The grains differ from the specified curve by up to {off:.2f} of the mass. There"
                " are too few grains of the largest sizes. Use a larger mass, or a narrower"
                " distribution."
            )
    print_wrote(data, console, f": {fed.count} grains, mass {fed.mass:.6g}")
    if fed.found_room:
        return OK
    what = settings.total.split()[0]
    console.print(
        f"Some grains found no room ({what} {fed.missing:.6g}). Use a larger box, or raise `tries`."
    )
    return RED
