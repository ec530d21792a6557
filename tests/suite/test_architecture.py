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


def test_styles_are_the_same_in_a_plugin_and_built_into_lammps():
    """LAMMPS reads the headers of the styles; the plug-in's entry point registers them itself."""
    entry = (SOURCES / "styles" / "plugin.cpp").read_text()
    registered = {("pair", *found) for found in _found(r"add_pair", r"create_pair", entry)}
    registered |= {
        (kind, *rest)
        for kind in ("fix", "compute")
        for rest in _found(rf'add_other\("{kind}",\s*', "create", entry)
    }
    built_in = {
        (kind.lower(), name, style)
        for path in (SOURCES / "styles").glob("*.h")
        for kind, name, style in re.findall(
            r"^(Pair|Fix|Compute)Style\((\S+?),(\w+)\);", path.read_text(), re.MULTILINE
        )
    }
    assert registered == built_in


def _found(call: str, creator: str, text: str) -> list[tuple[str, str]]:
    """Return names and classes of the styles that are registered in this way."""
    return re.findall(rf'{call}\(?"([^"]+)",[^;]*?\b{creator}<(\w+)>\);', text)
