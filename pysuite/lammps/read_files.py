"""Which files a run has read, from its log, and whether they are still the same.

LAMMPS echoes each command after it has put in the values of variables, those of included files and
of `if` too. Any word of the log may name a file, so every word that does counts as read.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# commands that write the files they name; fix print and fix ave/* do so, too
WRITE = {"dump", "info", "log", "print", "restart", "write_coeff", "write_data", "write_dump"}
WRITE |= {"write_restart"}
WRITTEN = ("events", "vtk")  # keywords of our fixes: the file is among the two words that follow
# commands and styles whose code may read any file
OPAQUE = re.compile(r"(python|mdi|external)(/\S+)?")
# programs of `shell` that read no file but those that they name
SHELL = {"cat", "cd", "cp", "echo", "gunzip", "gzip", "head", "ln", "ls", "mkdir", "mv", "putenv"}
SHELL |= {"rm", "rmdir", "sed", "sleep", "sort", "tail", "touch", "true"}
# commands in whose file names a * or % stands for other files
WITH_WILDCARDS = {"read_data", "read_dump", "read_restart", "rerun"}
NUMBER = re.compile(r"[-+\d.eE*%:]+")


class ReadFiles(NamedTuple):
    """What a run has read.

    Attributes:
        digest: a hash of all files that it may have read, and of environment variables.
        unknown: why it cannot be known what the run has read; empty where it can.
    """

    digest: str
    unknown: str


def file_words(text: str) -> set[str]:
    """Return all words of a script or log that may name a file that is read."""
    return {word for command in _commands(text) for word in _names(command)}


def read_files(log: str, folder: Path, beside: Path | None, since: int | None = None) -> ReadFiles:
    """Return what a run has read, files in its own folder left out.

    Args:
        log: of the run, with the commands echoed.
        folder: in which it ran.
        beside: folder of the script, from which files were copied to the run's folder.
        since: time of the file system at which the run began, in ns; a file that has changed since
            then may have been read before or after.
    """
    unknown = ""
    states: dict[str, list[str]] = {}
    bases = [folder, *([beside] if beside else []), *_potentials()]
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
    """Yield the lines of a script or log that are not empty, continued lines as one."""
    for line in re.sub(r"&[ \t\r]*\n", " ", text).splitlines():
        if line.strip():
            yield line


def _names(command: str) -> Iterator[str]:
    """Yield what may be the name of a file that a command reads."""
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
            return ""  # LAMMPS echoes it again, with the values of its variables
        if parts[1] not in SHELL or re.search(r"[$|;<>`&*?]", command):
            return f"`{command.strip()}` may read any file"
    elif parts[0] in ("python", "mdi", "fix", "pair_style", "compute"):
        if any(OPAQUE.fullmatch(part) for part in parts[:4]):
            return f"`{' '.join(parts[:4])}` may read any file"
    elif parts[0] == "echo" and parts[1:2] in (["none"], ["log"]):
        return "`echo` keeps commands out of the log"
    return ""


def _paths(name: str, bases: Sequence[Path], folder: Path, with_wildcards: bool) -> Iterator[Path]:
    """Yield the files that a word may name, those in the run's own folder left out."""
    for base in bases:
        path = Path(os.path.normpath(base / name))
        found = [path]
        if with_wildcards and ("*" in name or "%" in name):
            found = sorted(path.parent.glob(path.name.replace("%", "*")))
        yield from (one for one in found if not one.is_relative_to(folder))


def _potentials() -> list[Path]:
    """Return where LAMMPS looks for files of coefficients, too."""
    return [Path(one) for one in os.environ.get("LAMMPS_POTENTIALS", "").split(os.pathsep) if one]


def is_file(path: Path) -> bool:
    """Return whether there is such a file; unlike that of Path, for names of any length."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _state(path: Path) -> tuple[str, int]:
    """Return a hash of a file and when it changed; empty and 0 where there is none."""
    if not is_file(path):
        return "", 0
    found = path.stat()
    changed = max(found.st_mtime_ns, found.st_ctime_ns)
    return _hash(path, found.st_size, changed), changed


@functools.cache
def _hash(path: Path, _size: int, _changed: int) -> str:
    """Return the hash of a file; the same file is read once, until it changes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
