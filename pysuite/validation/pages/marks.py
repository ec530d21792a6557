"""The generated part of a page, which is between two marks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pysuite import files

SECTION_BEGIN = "<!-- pysuite validate: begin -->"
SECTION_END = "<!-- pysuite validate: end -->"


def write_marked(page: Path, title: str, lines: Iterable[str]) -> None:
    """Replace the text between the marks of a page.

    If the page does not exist, a new page with the given title is written. Raises UsageError if an
    existing page has no marks.
    """
    if not page.exists():
        files.write(page, f"# {title}\n\n{SECTION_BEGIN}\n{SECTION_END}\n")
    text = "\n".join(lines)
    files.write(page, files.replace_section(page, text, SECTION_BEGIN, SECTION_END))
