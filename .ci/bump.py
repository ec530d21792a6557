#!/usr/bin/env python3
"""Set the version of the next release, or the date of a release, in all files that state it.

    .ci/bump.py 1.1.0              the next release will be 1.1.0
    .ci/bump.py 1.1.0 --release    1.1.0 is released today, or on the day given by --date

pysuite/__init__.py contains the version. CITATION.cff contains the version and a date. The heading
of the first section in CHANGELOG.md becomes "1.1.0 (not released)" or "1.1.0 (date of release)".
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
    """Replace the only line that matches a pattern. Raises ValueError for none or several lines."""
    text, count = re.subn(pattern, by, text, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{file}: {count} lines match {pattern!r}; exactly one line must match")
    return text


def in_order(version: str) -> list[int]:
    """Return the numbers of a version as a list. Lists of newer versions compare as greater."""
    return [int(number) for number in version.split(".")]


def changelog(text: str, version: str, state: str) -> str:
    """Return the changelog with this version in its first heading.

    Raises ValueError if no heading has a version, or if this version cannot follow the newest one.
    """
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
    """Write version and date into all files. Raises ValueError before any file has changed."""
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
