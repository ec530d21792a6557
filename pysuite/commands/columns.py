"""`pysuite columns`: explain the numbered output of the styles."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, make_table, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from pysuite import outputs

HELP = "Explain the numbered output of the styles."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    from pysuite import outputs

    sub.add_argument(
        "style",
        nargs="?",
        choices=sorted({_style(table) for table in outputs.ALL}),
        metavar="STYLE",
        help="show only this style: %(choices)s",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Print number, name, unit and meaning of each output."""
    from rich.markup import escape

    from pysuite import outputs

    for entries in outputs.ALL:
        if options.style in (None, _style(entries)):
            console.print(f"\n[bold]{entries.style}[/]")
            table = make_table("entry", "name", "unit", "meaning")
            for column in table.columns[:3]:
                column.no_wrap = True
            for number, entry in enumerate(entries.entries, start=1):
                table.add_row(escape(entries.written.format(number)), *entry)
            print_table(table, console)
    return OK


def _style(entries: outputs.Outputs) -> str:
    return entries.style.split()[0]
