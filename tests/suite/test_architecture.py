"""Includes: each folder of core uses exactly the folders stated in ARCHITECTURE.md; no cycles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "lammps_plugins").resolve()
CORE = SOURCES / "core"


def files() -> list[Path]:
    return sorted(path for path in SOURCES.rglob("*") if path.suffix in {".h", ".cpp"})


def included(path: Path) -> Iterator[Path | str]:
    for name in re.findall(r'#include "([^"]+)"', path.read_text()):
        file = (path.parent / name).resolve()
        yield file if file.exists() else name


def table() -> dict[str, set[str]]:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    block = text[text.index("  core/") : text.index("  glue/")]
    known: dict[str, set[str]] = {}
    for folder, words in re.findall(r"^    (\w+)/ .*  uses (.+)$", block, re.MULTILINE):
        known[folder] = set(re.findall(r"\w+", words)) & set(known)
    return known


def test_core_knows_no_lammps():
    for path in files():
        if CORE not in path.parents:
            continue
        for file in included(path):
            inside = isinstance(file, Path) and CORE in file.parents
            assert inside, f"{path} includes {file}"


def test_the_table_says_what_folders_of_core_include():
    found: dict[str, set[str]] = {path.name: set() for path in CORE.iterdir() if path.is_dir()}
    for path in files():
        if CORE not in path.parents:
            continue
        folder = path.relative_to(CORE).parts[0]
        found[folder] |= {
            file.relative_to(CORE).parts[0] for file in included(path) if isinstance(file, Path)
        } - {folder}
    assert found == table()


def outside(folder: str) -> list[Path | str]:
    return [
        file
        for path in files()
        if path.parent == SOURCES / folder
        for file in included(path)
        if not (isinstance(file, Path) and (file.parent == path.parent or CORE in file.parents))
    ]


def test_glue_knows_core_and_lammps_only():
    assert [file for file in outside("glue") if isinstance(file, Path)] == []


def test_device_knows_core_only():
    assert outside("device") == []


def modules() -> dict[str, set[str]]:
    """Return the modules that each module (X.h and X.cpp) includes."""
    found: dict[str, set[str]] = {}
    for path in files():
        name = str(path.with_suffix("").relative_to(SOURCES))
        others = {
            str(file.with_suffix("").relative_to(SOURCES))
            for file in included(path)
            if isinstance(file, Path)
        }
        found.setdefault(name, set()).update(others - {name})
    return found


def circle(graph: dict[str, set[str]]) -> list[str]:
    done: set[str] = set()

    def search(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for other in sorted(graph.get(name, ())):
            if found := search(other, [*way, name]):
                return found
        done.add(name)
        return []

    return next((found for name in graph if (found := search(name, []))), [])


def test_no_file_depends_on_itself():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle(modules()) == []


MEMBER = re.compile(r"^(?!\s)(?!.*;$)(?:[\w:<>*&, ]*?[\s*&])?(\w+)::~?\w+\(", re.MULTILINE)
CLASS = re.compile(r"^ *(?:class|struct) (\w+)(?: final)?(?:\s*:[^;{]*)?\s*\{", re.MULTILINE)


def test_a_class_lives_in_the_header_and_source_of_one_name():
    homes: dict[str, set[Path]] = {}
    for path in files():
        for name in CLASS.findall(path.read_text()):
            homes.setdefault(name, set()).add(path.with_suffix(""))
    # compile.cpp also defines members of ContactModel
    homes["ContactModel"].add(CORE / "model" / "compile")
    elsewhere = {
        f"{name} in {path.relative_to(SOURCES)}"
        for path in files()
        for name in set(MEMBER.findall(path.read_text()))
        if name in homes and path.with_suffix("") not in homes[name]
    }
    assert elsewhere == set()


RELATIVE = "Paths are relative to `{}/`"


def rows() -> list[tuple[str, Path]]:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    found = []
    for begin, end, folder in (
        (RELATIVE.format("lammps_plugins"), RELATIVE.format("pysuite"), SOURCES),
        (RELATIVE.format("pysuite"), "## How a force", ROOT / "pysuite"),
    ):
        table = text[text.index(begin) : text.index(end)]
        found += [(row, folder) for row in re.findall(r"^\| (.+) \|$", table, re.MULTILINE)]
    return found


def test_the_map_leads_to_files_and_to_names_in_them():
    """A file name without a folder belongs to the folder of the file before it in the row."""
    wrong = []
    for row, folder in rows():
        beside, file = folder, None
        for path, names in re.findall(r"`([\w/]+\.\w+|\w[\w/]*/)`|\((`[^()]*`)\)", row):
            if path and "KIND" not in path:
                places = (folder / path, beside / path, ROOT / path)
                file = next((place for place in places if place.exists()), None)
                wrong += [path] if file is None else []
                beside = file if file and file.is_dir() else file.parent if file else beside
            elif names and file and file.is_file():
                text = file.read_text()
                wrong += [
                    f"{name} in {file}"
                    for name in re.findall(r"`(\w+)`", names)
                    if name not in text
                ]
    assert wrong == []


def test_the_architecture_is_short():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 200


@pytest.mark.parametrize("kind", ["pair", "fix", "compute", "verlet"])
def test_the_plug_in_has_the_styles_that_a_lammps_with_them_built_in_has(kind):
    listed = re.findall(r'#include "(.+)"', (SOURCES / "all_styles.h").read_text())
    assert listed == sorted(listed, key=lambda name: Path(name).name)
    here = {name for name in listed if Path(name).name.startswith(f"{kind}_")}
    assert here == {str(path.relative_to(SOURCES)) for path in SOURCES.glob(f"*/{kind}_*.h")}
