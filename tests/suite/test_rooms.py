"""Imports within pysuite: each module imports only from its own layer or from layers below it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pysuite"
# from the lowest layer to the highest
LAYERS = (
    (
        "errors",
        "files",
        "names",
        "statistics",
        "figures",
        "sources",
        "damped_hertz",
        "pouring",
        "independent",
    ),
    ("laws", "outputs", "contacts", "lammps", "engine"),
    ("meshes", "shapes", "convert", "measure", "fields", "timestep", "pictures"),
    ("bench.segments",),
    ("tune", "lab"),
    ("validation", "cases"),
    ("bench",),
    ("commands",),
    ("__main__",),
)
TOOLS = [name for layer in LAYERS[:5] for name in layer]


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


MODULES = modules()


def imported(module: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module} | {f"{node.module}.{name.name}" for name in node.names}
    short = {name.removeprefix("pysuite.") for name in names if name.startswith("pysuite.")}
    found = short & set(MODULES)
    # `from pysuite.bench import segments` counts as an import of segments only
    of_bench = any(name.startswith("bench.") for name in found)
    return found - {"bench"} if of_bench else found


def with_all_they_import(roots: set[str]) -> set[str]:
    found, left = set(), set(roots)
    while left:
        found |= left
        left = {new for name in left for new in imported(name)} - found
    return found


def layer(module: str) -> int:
    known = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    fitting = [name for name in known if f"{module}.".startswith(f"{name}.")]
    assert fitting, f"{module} is not in the table of layers"
    return known[max(fitting, key=len)]


@pytest.mark.parametrize("module", sorted(set(MODULES) - {""}))
def test_no_import_goes_up(module):
    above = {name for name in imported(module) if layer(name) > layer(module)}
    assert above == set()


@pytest.mark.parametrize("tool", sorted(TOOLS))
def test_no_tool_imports_the_validation(tool):
    brought = with_all_they_import({name for name in MODULES if f"{name}.".startswith(f"{tool}.")})
    assert brought
    assert not {name for name in brought if name.split(".")[0] in ("validation", "cases")}


def test_references_know_no_laws_and_no_lammps():
    references = {name for name in MODULES if name.startswith("validation.references.")}
    rooms = {name.split(".")[0] for name in with_all_they_import(references)}
    assert not rooms & {"laws", "engine", "lammps"}


def test_the_command_line_loads_nothing_that_help_does_not_need():
    code = "import sys; from pysuite import commands; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "pandas", "matplotlib", "scipy", "rich", "lammps", "granular_plus"}
    assert not heavy & {name.split(".")[0] for name in loaded.stdout.split()}


def test_every_command_has_a_file_and_every_file_a_command():
    from pysuite import commands

    named = {module.__name__.split(".")[-1] for module in commands.COMMANDS.values()}
    files = {path.stem for path in (PACKAGE / "commands").glob("*.py")}
    assert files - named == {"__init__", "cases", "terminal"}
    assert named <= files


def test_documented_import_paths_stay():
    from pysuite import cases, fields, measure, timestep, validation

    assert fields.fields is measure.fields.fields
    assert timestep.advise is measure.timestep.advise
    assert cases.Case is validation.Case
