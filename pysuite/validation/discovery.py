"""Find and load cases, and parse settings of their parameters.

A file below `validation/` defines one case, `CASE = Case(...)`, or several cases that share most of
their code, `CASES = [Case(...), ...]`.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pysuite.errors import CaseError, UsageError
from pysuite.names import close_matches
from pysuite.validation.case import Case, Context


def cases_folder() -> Path:
    """Return the folder of the cases: next to the package, or in the package granular_plus."""
    candidates = [Path(__file__).resolve().parents[2] / "validation"]
    specification = importlib.util.find_spec("granular_plus")
    if specification is not None:
        for location in specification.submodule_search_locations or ():
            candidates.append(Path(location) / "share" / "validation")
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise UsageError(
        f"no validation cases found in {' or '.join(map(str, candidates))}. "
        "Give their folder with --cases DIR"
    )


def discover(folder: Path | None = None) -> list[Case]:
    """Return the cases in a folder and its subfolders, sorted by name.

    Files whose names begin with "_" and files in a folder `data` are skipped. If a file cannot be
    loaded, the returned case raises the error when the case runs. Thus the report shows the
    failure. Raises UsageError if the folder does not exist, and CaseError if two cases have the
    same name.
    """
    folder = cases_folder() if folder is None else folder
    if not folder.is_dir():
        raise UsageError(f"the folder of cases {folder} does not exist")
    found: dict[str, Case] = {}
    root = folder.resolve()
    for path in sorted(root.rglob("[!_]*.py")):
        if "data" in path.relative_to(root).parts[:-1]:
            continue
        try:
            cases = load_cases(path, root)
        except Exception as error:
            cases = [_unloadable(path, root, error)]
        for case in cases:
            if case.name in found:
                raise CaseError(f"{path} and {found[case.name].file} both define case {case.name}")
            found[case.name] = case
    return [found[name] for name in sorted(found)]


def load_case(path: Path) -> Case:
    """Return the only case that a file defines.

    Raises CaseError if the file does not define exactly one case. Errors of the file are passed on.
    """
    cases = load_cases(path, path.resolve().parent)
    if len(cases) != 1:
        raise CaseError(f"{path} defines {len(cases)} cases instead of one")
    return cases[0]


def load_cases(path: Path, root: Path) -> list[Case]:
    """Return the cases that a file defines.

    Raises CaseError if the file does not define cases. Errors of the file are passed on.
    """
    specification = importlib.util.spec_from_file_location(f"pysuite_case_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise CaseError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    # dataclasses look up the module of a class in sys.modules
    sys.modules[specification.name] = module
    try:
        # exec_module would run outdated bytecode if the file was changed within a second and kept
        # its size
        exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[specification.name]
        raise
    cases = getattr(module, "CASES", None) or [getattr(module, "CASE", None)]
    if not all(isinstance(case, Case) for case in cases):
        raise CaseError(f"{path} does not define CASE = Case(...) or CASES = [Case(...), ...]")
    return [dataclasses.replace(case, file=path, root=root) for case in cases]


def _unloadable(path: Path, root: Path, error: Exception) -> Case:
    def run(_: Context) -> None:
        raise error

    return Case(
        name=re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "unnamed",
        title=f"{path.name} cannot be loaded: {error}",
        source="",
        tier="smoke",
        parameters={"loads": True},
        spoil={"loads": False},
        run=run,
        file=path,
        root=root,
    )


def parse_settings(case: Case, settings: Iterable[str]) -> dict[str, Any]:
    """Return settings given as "key=value". Each value has the type of the parameter's default."""
    overrides: dict[str, Any] = {}
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise UsageError(f"setting {setting!r} must have the form key=value")
        if key not in case.parameters:
            raise UsageError(
                f"{case.name} has no parameter {key!r}{close_matches(key, case.parameters)}"
            )
        default = case.parameters[key]
        try:
            overrides[key] = _convert(text, default)
        except ValueError as error:
            kind = type(default).__name__
            raise UsageError(f"{case.name}: {key} = {text!r} is not of type {kind}") from error
    return overrides


def _convert(text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() not in ("yes", "true", "no", "false"):
            raise ValueError(text)
        return text.lower() in ("yes", "true")
    if isinstance(default, (int, float, str)):
        return type(default)(text)
    return json.loads(text)
