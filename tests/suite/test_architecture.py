"""ARCHITECTURE.md says which folders of the plug-in know which: as many as their files include."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "lammps_plugins"


def table() -> dict[str, set[str]]:
    """Return what each folder knows, in the order of the table."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    block = text[text.index("lammps_plugins/\n") :]
    block = block[: block.index("pysuite/")]
    known: dict[str, set[str]] = {}
    for folder, words in re.findall(r"^  (\w+)/ .*  knows (.+)$", block, re.MULTILINE):
        above = set(known) if "all above" in words else set()
        known[folder] = set(re.findall(r"\w+", words)) & (set(known) | {"LAMMPS"}) | above
    return known


def included(folder: str) -> set[str]:
    """Return the other folders of which the files in this one include something."""
    found = set()
    for path in (SOURCES / folder).rglob("*"):
        if path.suffix not in {".h", ".cpp"}:
            continue
        for name in re.findall(r'#include "([^"]+)"', path.read_text()):
            file = (path.parent / name).resolve()
            if not file.exists():
                found.add("LAMMPS")
            elif file.parent != SOURCES.resolve():
                found.add(file.relative_to(SOURCES.resolve()).parts[0])
    return found - {folder}


def test_every_folder_is_in_the_table():
    folders = {path.name for path in SOURCES.iterdir() if path.is_dir()}
    assert folders == set(table())


def test_the_table_says_what_the_files_include():
    known = table()
    assert included("styles") <= known.pop("styles")  # all above
    assert {folder: included(folder) for folder in known} == known


def test_the_plug_in_has_the_styles_that_a_lammps_with_them_built_in_has():
    """`all_styles.h` lists for the plug-in what `cmake/builtin.cmake` finds by file names."""
    styles = SOURCES / "styles"
    listed = re.findall(r'#include "(.+)"', (styles / "all_styles.h").read_text())
    assert listed == sorted(
        path.name for kind in ("pair", "fix", "compute") for path in styles.glob(f"{kind}_*.h")
    )
