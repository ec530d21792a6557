#!/usr/bin/env python3
"""Set the version of the next release, or date it, in all files that name it.

    .ci/bump.py 1.1.0              the next release will be 1.1.0
    .ci/bump.py 1.1.0 --release    it is released today; --date names another day

The version is that of pysuite/__init__.py. CITATION.cff follows with version and date, CHANGELOG.md
with the heading of its first section: "1.1.0 (not released)", or the date of the release.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r"\d+\.\d+\.\d+")
HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((not released|\d{4}-\d\d-\d\d)\)$", re.MULTILINE)
PENDING = "not released"


def replaced(pattern: str, by: str, text: str, file: str) -> str:
    """Return a text in which the only line that matches has been replaced. Raises ValueError."""
    text, count = re.subn(pattern, by, text, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{file} has {count} lines like {pattern!r}, not one")
    return text


def in_order(version: str) -> list[int]:
    """Return the numbers of a version, which compare as versions do."""
    return [int(number) for number in version.split(".")]


def changelog(text: str, version: str, state: str) -> str:
    """Return a changelog whose first section is of this version. Raises ValueError."""
    newest = HEADING.search(text)
    if newest is None:
        raise ValueError("CHANGELOG.md has no section with a version")
    before, was = newest.groups()
    heading = f"## {version} ({state})"
    if was == PENDING:
        return text[: newest.start()] + heading + text[newest.end() :]
    if state != PENDING:
        raise ValueError(f"CHANGELOG.md has nothing to release since {before}")
    if in_order(version) <= in_order(before):
        raise ValueError(f"version = {version} must be > {before}, which has been released")
    return f"{text[: newest.start()]}{heading}\n\n{text[newest.start() :]}"


def bump(root: Path, version: str, date: str, *, release: bool) -> None:
    """Write the version and the date into all files, or none of them. Raises ValueError."""
    if not VERSION.fullmatch(version):
        raise ValueError(f"version = {version} must be MAJOR.MINOR.PATCH")
    datetime.date.fromisoformat(date)
    files = ("pysuite/__init__.py", "CITATION.cff", "CHANGELOG.md")
    package, citation, changes = ((root / file).read_text(encoding="utf-8") for file in files)
    package = replaced(r'^__version__ = ".*"$', f'__version__ = "{version}"', package, files[0])
    citation = replaced(r"^version: .*$", f"version: {version}", citation, files[1])
    citation = replaced(r"^date-released: .*$", f"date-released: {date}", citation, files[1])
    changes = changelog(changes, version, date if release else PENDING)
    for file, text in zip(files, (package, citation, changes), strict=True):
        (root / file).write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Change the files of the project."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("version", metavar="MAJOR.MINOR.PATCH")
    parser.add_argument("--release", action="store_true", help="date the section of the changelog")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), metavar="YYYY-MM-DD")
    options = parser.parse_args(arguments)
    try:
        bump(ROOT, options.version, options.date, release=options.release)
    except ValueError as error:
        sys.exit(f"bump: {error}")


if __name__ == "__main__":
    main()
