"""Sources of laws and cases: the bibliography `sources.bib`, and texts that cite it.

A source is a text such as "[fuehrer2024] fig. 1; mechanics". The brackets contain a key of the
bibliography. After the brackets comes the place in the paper. Text without a key is kept unchanged.

>>> expand("[maw1976] fig. 6; mechanics")
'Maw, Barber & Fawcett, Wear 38 (1976) 101, fig. 6; mechanics'
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("sources.bib")
KEY = re.compile(r"\[([a-z]+\d{4}[a-z]?)\]")
NAMED = 3  # a citation of a paper with more authors names only the first author


@functools.cache
def bibliography() -> Mapping[str, Any]:
    """Return a mapping from keys of the bibliography to entries of pybtex."""
    from pybtex.database import parse_file

    return dict(parse_file(str(FILE), bib_format="bibtex").entries)


def known(text: str) -> list[str]:
    """Return the keys that a text cites. Keys that the bibliography lacks are left out."""
    return [key for key in KEY.findall(text) if key in bibliography()]


def keys(text: str) -> list[str]:
    """Return the keys that a text cites. Raises ValueError if a key is unknown."""
    for key in KEY.findall(text):
        if key not in bibliography():
            raise ValueError(f"{text!r} cites {key}, which is not in {FILE.name}")
    return known(text)


def expand(text: str) -> str:
    """Return the text with known keys replaced by short citations."""
    return re.sub(
        KEY.pattern + r"(\s+(?=[^\s;]))?",
        lambda match: (
            short(match[1]) + (", " if match[2] else "") if match[1] in bibliography() else match[0]
        ),
        text,
    )


def short(key: str) -> str:
    """Return a short citation: authors, abbreviated journal, volume (year) page."""
    entry = bibliography()[key]
    names = [_last(person) for person in entry.persons["author"] if str(person) != "others"]
    if len(names) > NAMED or len(names) < len(entry.persons["author"]):
        authors = f"{names[0]} et al."
    else:
        authors = " & ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{authors}, {_where(entry, entry.fields.get('shortjournal'))}"


def full(key: str) -> str:
    """Return a full citation: authors, title, journal volume (year) page, doi."""
    entry = bibliography()[key]
    people = entry.persons["author"]
    names = [f"{_initials(p)} {_last(p)}".strip() for p in people if str(p) != "others"]
    if len(names) < len(people):
        authors = f"{', '.join(names)} et al."
    else:
        authors = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    if "journal" in entry.fields:
        authors += f", {_plain(entry.fields['title'])}"
    doi = f", doi:{entry.fields['doi']}" if "doi" in entry.fields else ""
    return f"{authors}, {_where(entry)}{doi}"


def _where(entry: Any, journal: str | None = None) -> str:
    fields = entry.fields
    if "journal" not in fields:
        return f"{_plain(fields['title'])}, {fields['publisher']} ({fields['year']})"
    page = f" {fields['pages']}" if "pages" in fields else ""
    return f"{journal or fields['journal']} {fields['volume']} ({fields['year']}){page}"


def _last(person: Any) -> str:
    return _plain(" ".join([*person.prelast_names, *person.last_names]))


def _initials(person: Any) -> str:
    return " ".join([*person.first_names, *person.middle_names])


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("{", "").replace("}", ""))
