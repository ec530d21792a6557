"""Recognize scripts of LIGGGHTS by commands that LAMMPS lacks."""

from __future__ import annotations

import re

from pysuite.lammps.script import commands

# `communicate single vel yes` is missing here, because old versions of LAMMPS also accepted it
PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"atom_style granular$",
        r"pair_style gran( |$)",
        r"fix \S+ \S+ (property/global|particletemplate/|particledistribution/)",
        r"fix \S+ \S+ (mesh/surface|move/mesh)",
        r"fix \S+ \S+ insert/(pack|stream|rate/region)",
        r"fix \S+ \S+ wall/gran model ",
    )
)
REASON = (
    "`{}` is a command of LIGGGHTS; `pysuite convert` converts only LAMMPS scripts. To rewrite"
    " the script manually, use the table in docs/howto/migrating.md"
)


def first_command(script: str) -> tuple[int, str] | None:
    r"""Return line and words of the first command that exists only in LIGGGHTS, or None.

    >>> first_command("units si\natom_style granular # grains\n")
    (2, 'atom_style granular')
    """
    for words in commands(script):
        text = " ".join(word.text for word in words)
        for pattern in PATTERNS:
            if pattern.match(text):
                shown = 4 if words[0].text == "fix" else 3
                line = script.count("\n", 0, words[0].begin) + 1
                return line, " ".join(word.text for word in words[:shown])
    return None
