"""`pysuite list`: list the cases, their tiers and sources."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pysuite.commands.cases import add_case_options, of_tier
from pysuite.commands.terminal import OK

if TYPE_CHECKING:
    from rich.console import Console

HELP = "List the cases, their tiers and sources."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_case_options(sub, "full")


def run(options: argparse.Namespace, console: Console) -> int:
    """List the cases of a tier."""
    from rich.markup import escape
    from rich.table import Table

    from pysuite import sources, validation

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("case", no_wrap=True)
    table.add_column("tier", no_wrap=True)
    table.add_column("what it shows, and its source")
    for case in of_tier(validation.discover(options.cases), options.tier):
        text = f"{escape(case.title)}\n[dim]{escape(sources.expand(case.source))}[/]"
        table.add_row(case.name, case.tier, text)
    console.print(table)
    return OK
