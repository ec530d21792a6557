"""`pysuite list`: list the cases, their tiers and sources."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pysuite.commands.cases import add_case_options, of_tier
from pysuite.commands.terminal import OK, make_table, print_table

if TYPE_CHECKING:
    from rich.console import Console

HELP = "List the cases, their tiers and sources."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_case_options(sub, "full")


def run(options: argparse.Namespace, console: Console) -> int:
    """List the cases of a tier."""
    from rich.markup import escape

    from pysuite import sources, validation

    table = make_table("case", "tier", "title and source")
    for case in of_tier(validation.discover(options.cases), options.tier):
        text = f"{escape(case.title)}\n[dim]{escape(sources.expand(case.source))}[/]"
        table.add_row(case.name, case.tier, text)
    print_table(table, console)
    return OK
