"""Write the tables of models and parameters in the manual from the registry of the laws.

Run `python docs/generate_tables.py` after a law or a parameter has changed.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pysuite import laws

PAGE = Path(__file__).with_name("reference") / "pair_granular_plus.md"
BEGIN = "<!-- tables: written by docs/generate_tables.py -->\n"
END = "<!-- end of tables -->\n"
# a default is the law that the registry lists first; these roles have none
WITHOUT_DEFAULT = ("normal", "tangential")


def bounds(parameter: dict[str, Any]) -> str:
    """Return the allowed values as the error messages spell them."""
    parts = []
    if math.isfinite(parameter["low"]):
        parts.append(f"{'≥' if parameter['low_allowed'] else '>'} {parameter['low']:g}")
    if math.isfinite(parameter["high"]):
        parts.append(f"{'≤' if parameter['high_allowed'] else '<'} {parameter['high']:g}")
    if parameter["may_be_null"]:
        parts.append("or NULL")
    if parameter["may_be_steps"]:
        parts.append("or `steps` *n*")
    return ", ".join(parts).replace(", or", " or")


def argument(parameter: dict[str, Any]) -> str:
    """Return an argument as the syntax shows it, in brackets if it may be left out."""
    text = f"{parameter['label']} *{parameter['symbol']}*".strip()
    return f"[{text}]" if parameter["may_be_missing"] else text


def models(role: str, entries: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the table of one role's models."""
    lines = [f"| {role} | arguments | source |", "|---|---|---|"]
    for number, law in enumerate(entries):
        default = " (default)" if number == 0 and role not in WITHOUT_DEFAULT else ""
        arguments = " ".join(argument(parameter) for parameter in law["parameters"])
        lines.append(f"| `{law['name']}`{default} | {arguments or '–'} | {law['source']} |")
    return lines


def parameters(entries: list[dict[str, Any]]) -> list[str]:
    """Return the rows of one role's parameters; models with the same parameter share a row."""
    users: dict[tuple[str, ...], list[str]] = {}
    for law in entries:
        for parameter in law["parameters"]:
            texts = (parameter["symbol"], parameter["meaning"], parameter["unit"])
            users.setdefault((*texts, bounds(parameter)), []).append(f"`{law['name']}`")
    return [
        f"| *{symbol}* | {', '.join(names)} | {meaning} | {unit} | {limits} |"
        for (symbol, meaning, unit, limits), names in users.items()
    ]


def tables() -> str:
    """Return all tables as Markdown."""
    lines = []
    for role, entries in laws.registry().items():
        lines += models(role, entries)
        rows = parameters(entries)
        if rows:
            lines += ["", "| argument | of | meaning | unit | allowed |", "|---|---|---|---|---|"]
            lines += rows
        lines.append("")
    return "\n".join(lines)


def renewed(page: str) -> str:
    """Return the text of the page with its tables brought up to date."""
    head, rest = page.split(BEGIN)
    return head + BEGIN + "\n" + tables() + "\n" + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
