"""Hashes of the sources, which show whether an installation was made from them.

`sources.py` prints the hashes as JSON, which CMake adds to the package. `sources.py --installed`
fails with a message unless the granular/plus installed for this Python has the same hashes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILED = (
    "CMakeLists.txt",
    "cmake",
    "lammps_plugins",
    "pyproject.toml",
    "pysuite/__init__.py",  # contains the version
)
COPIED = ("inputs", "pysuite", "validation")


def digest(*names: str) -> str:
    """Return the hash of the names and contents of these files and all files in these folders."""
    paths: set[Path] = set()
    for path in map(ROOT.joinpath, names):
        paths.update(path.rglob("*") if path.is_dir() else [path])
    result = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file() and "__pycache__" not in path.parts:
            result.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
            result.update(hashlib.sha256(path.read_bytes()).digest())
    return result.hexdigest()[:16]


def digests() -> dict[str, str]:
    """Return the hash of the compiled files, and the hash of the files copied into a package."""
    return {"compiled": digest(*COMPILED), "copied": digest(*COPIED)}


def installed() -> dict[str, str]:
    """Return the hashes of the installation for this Python.

    An editable installation copies no files, so `copied` is the hash of the present sources.
    """
    package, suite = map(importlib.util.find_spec, ("granular_plus", "pysuite"))
    if package is None or suite is None:
        return {}
    for folder in package.submodule_search_locations or ():
        file = Path(folder) / "sources.json"
        if file.is_file():
            found = json.loads(file.read_text())
            if Path(suite.origin or "").parent == ROOT / "pysuite":
                found["copied"] = digest(*COPIED)
            return found
    return {}


if sys.argv[1:] != ["--installed"]:
    print(json.dumps(digests()))
elif installed() != digests():
    sys.exit(
        f"The granular/plus installed in {sys.prefix} was made from other sources: "
        f"run {sys.prefix}/bin/pip install . again."
    )
