"""Reads a LAMMPS script as LAMMPS does: words, quotes, continuation lines, commands in quotes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Word(NamedTuple):
    """A word of a command, without its quotes, and where it stands with them."""

    text: str
    begin: int
    end: int
    quoted: bool = False


def commands(script: str, begin: int = 0, end: int | None = None) -> Iterator[list[Word]]:
    """Yield the words of each command as LAMMPS reads them: `&`, comments, quotes."""
    at, end = begin, len(script) if end is None else end
    while at < end:
        words, at = _command(script, at, end)
        if words:
            yield words


def _command(script: str, at: int, end: int) -> tuple[list[Word], int]:
    """Return the words of the command that begins at a place, and where the next may begin."""
    words: list[Word] = []
    in_comment = False
    while at < end:
        character = script[at]
        if character == "\n":
            return words, at + 1
        if character == "&" and not script[at + 1 : _line_end(script, at, end)].strip():
            at = _line_end(script, at, end) + 1  # a comment goes on, too
        elif in_comment or character.isspace():
            at += 1
        elif character == "#":
            in_comment = True
        else:
            word = _word(script, at, end)
            words.append(word)
            at = word.end
    return words, end


def _line_end(script: str, at: int, end: int) -> int:
    found = script.find("\n", at, end)
    return end if found < 0 else found


def _word(script: str, at: int, end: int) -> Word:
    for quote in ('"""', '"', "'"):
        if script.startswith(quote, at):
            close = script.find(quote, at + len(quote), end)
            if close >= 0:
                return Word(script[at + len(quote) : close], at, close + len(quote), True)
    stop = at
    while stop < end and not script[stop].isspace() and script[stop] != "#":
        if script[stop] == "&" and not script[stop + 1 : _line_end(script, stop, end)].strip():
            break
        if script.startswith(("${", "$("), stop):  # may hold blanks
            stop = _closing(script, stop + 1, end)
        stop += 1
    return Word(script[at:stop], at, stop)


def _closing(script: str, at: int, end: int) -> int:
    """Return the place of the bracket that closes the one at a place, else the place itself."""
    opening, closing, depth = script[at], {"{": "}", "(": ")"}[script[at]], 0
    for place in range(at, _line_end(script, at, end)):
        depth += (script[place] == opening) - (script[place] == closing)
        if depth == 0:
            return place
    return at


def inner_commands(words: list[Word]) -> list[list[Word]]:
    """Return the blocks of commands that a command holds in quotes, as `if` and `run every` do.

    A block of `if` is what follows `then`, one `elif` or `else`; each has the words that LAMMPS
    runs as commands. Of any other command there is none.
    """
    if not words:
        return []
    name, rest = words[0].text, words[1:]
    if name == "if":
        blocks: list[list[Word]] = []
        skipped = 1  # the condition
        for word in rest:
            if skipped:
                skipped -= 1
            elif word.text in ("then", "else", "elif") and not word.quoted:
                blocks.append([])
                skipped = int(word.text == "elif")
            elif blocks:
                blocks[-1].append(word)
        return blocks
    if name == "run":
        for number, word in enumerate(rest):
            if word.text == "every":
                return [rest[number + 2 :]]
    return []
