"""Find the files that a run has read, and tell whether they have changed since.

The files are found in the log: if a word of the log is the name of a file, the run is assumed to
have read this file.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# commands that write files, besides fix print and fix ave/*
WRITE = {"dump", "info", "log", "print", "restart", "write_coeff", "write_data", "write_dump"}
WRITE |= {"write_restart"}
WRITTEN = ("events", "vtk")  # keywords of our fixes; one of the next two words names the file
# code that may read any file
OPAQUE = re.compile(r"(python|mdi|external)(/\S+)?")
# programs of `shell` that read only files they name
SHELL = {"cat", "cd", "cp", "echo", "gunzip", "gzip", "head", "ln", "ls", "mkdir", "mv", "putenv"}
SHELL |= {"rm", "rmdir", "sed", "sleep", "sort", "tail", "touch", "true"}
# commands with wildcards * or % in file names
WITH_WILDCARDS = {"read_data", "read_dump", "read_restart", "rerun"}
NUMBER = re.compile(r"[-+\d.eE*%:]+")


class ReadFiles(NamedTuple):
    """Hash of the files that a run has read. If the files are unknown, `unknown` tells why."""

    digest: str
    unknown: str


def file_words(text: str) -> set[str]:
    """Return all words of a script or log that may name files."""
    return {word for command in _commands(text) for word in _names(command)}


def read_files(
    log: str, folder: Path, script_folder: Path | None, since: int | None = None
) -> ReadFiles:
    """Return a hash of the files that a run has read, except those in its own folder.

    `since` is the start of the run in ns of file-system time. If a file changed after this time,
    `unknown` names the file.
    """
    unknown = ""
    states: dict[str, list[str]] = {}
    bases = [folder, *([script_folder] if script_folder else []), *_potentials()]
    for command in _commands(log):
        unknown = unknown or _why_unknown(command)
        first = command.split(None, 1)[0]
        for name in _names(command):
            if name not in states:
                paths = list(_paths(name, bases, folder, first in WITH_WILDCARDS))
                found = [_state(path) for path in paths]
                states[name] = [digest for digest, _ in found]
                if not unknown and since is not None and any(at > since for _, at in found):
                    unknown = f"{name} changed during the run"
        if asked := re.search(r"^\s*variable\s+\S+\s+getenv\s+(\S+)", command):
            states[f"${asked[1]}"] = [os.environ.get(asked[1], "")]
    known = repr(sorted(states.items()))
    return ReadFiles(hashlib.sha256(known.encode()).hexdigest(), unknown)


def _commands(text: str) -> Iterator[str]:
    for line in re.sub(r"&[ \t\r]*\n", " ", text).splitlines():
        if line.strip():
            yield line


def _names(command: str) -> Iterator[str]:
    parts = command.split()
    if parts[0] in WRITE or (
        parts[0] == "fix" and len(parts) > 3 and re.fullmatch(r"print|ave/.*", parts[3])
    ):
        return
    for keyword in WRITTEN if parts[0] == "fix" else ():
        if keyword in parts:
            at = parts.index(keyword)
            command = " ".join(parts[: at + 1] + parts[at + 3 :])
    quoted = re.findall(r'"([^"]+)"', command) + re.findall(r"'([^']+)'", command)
    for name in {*command.split(), *re.findall(r"[^\s\"'(),=]+", command), *quoted}:
        if not NUMBER.fullmatch(name):
            yield name


def _why_unknown(command: str) -> str:
    parts = command.split()
    if parts[0] == "shell" and len(parts) > 1:
        if re.search(r"\$", re.sub(r"\".*?\"|'.*?'", "", command)):
            return ""  # LAMMPS echoes the command again with substituted variables
        if parts[1] not in SHELL or re.search(r"[$|;<>`&*?]", command):
            return f"`{command.strip()}` may read any file"
    elif parts[0] in ("python", "mdi", "fix", "pair_style", "compute"):
        if any(OPAQUE.fullmatch(part) for part in parts[:4]):
            return f"`{' '.join(parts[:4])}` may read any file"
    elif parts[0] == "echo" and parts[1:2] in (["none"], ["log"]):
        return "`echo` keeps commands out of the log"
    return ""


def _paths(name: str, bases: Sequence[Path], folder: Path, with_wildcards: bool) -> Iterator[Path]:
    for base in bases:
        path = Path(os.path.normpath(base / name))
        found = [path]
        if with_wildcards and ("*" in name or "%" in name):
            found = sorted(path.parent.glob(path.name.replace("%", "*")))
        yield from (one for one in found if not one.is_relative_to(folder))


def _potentials() -> list[Path]:
    return [Path(one) for one in os.environ.get("LAMMPS_POTENTIALS", "").split(os.pathsep) if one]


def is_file(path: Path) -> bool:
    """Return whether a file exists. Unlike Path.is_file, accept names of any length."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _state(path: Path) -> tuple[str, int]:
    if not is_file(path):
        return "", 0
    found = path.stat()
    changed = max(found.st_mtime_ns, found.st_ctime_ns)
    return _hash(path, found.st_size, changed), changed


@functools.cache
def _hash(path: Path, _size: int, _changed: int) -> str:
    """Return the hash of a file, which is cached until the file changes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
