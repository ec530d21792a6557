"""Parse a LAMMPS script as LAMMPS does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

RUNNING = ("run", "minimize")
CONTINUED = re.compile(r"&[ \t\r]*\n")  # LAMMPS joins lines by deleting this text


class Word(NamedTuple):
    """A word of a command (without quotes), and the word's position in the script (with quotes)."""

    text: str
    begin: int
    end: int
    quoted: bool = False


def commands(script: str, begin: int = 0, end: int | None = None) -> Iterator[list[Word]]:
    """Yield the words of each command, with `&`, comments and quotes read as by LAMMPS."""
    at, end = begin, len(script) if end is None else end
    while at < end:
        words, at = _command(script, at, end)
        if words:
            yield words


def _command(script: str, at: int, end: int) -> tuple[list[Word], int]:
    words: list[Word] = []
    in_comment = False
    while at < end:
        character = script[at]
        if character == "\n":
            return words, at + 1
        if character == "&" and not script[at + 1 : _line_end(script, at, end)].strip():
            at = _line_end(script, at, end) + 1  # `&` continues comments, too
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
                text = CONTINUED.sub("", script[at + len(quote) : close])
                return Word(text, at, close + len(quote), True)
    stop = at
    while stop < end and not script[stop].isspace() and script[stop] != "#":
        if continued := CONTINUED.match(script, stop, end):
            if script[continued.end() : continued.end() + 1].strip(" \t\r\n#") == "":
                break
            stop = continued.end()
            continue
        if script.startswith(("${", "$("), stop):  # variables and formulas may contain blanks
            stop = closing(script, stop + 1, end)
        stop += 1
    return Word(CONTINUED.sub("", script[at:stop]), at, stop)


def closing(script: str, at: int, end: int) -> int:
    """Return the position of the matching closing bracket, or `at` if there is none."""
    opening, closing, depth = script[at], {"{": "}", "(": ")"}[script[at]], 0
    for place in range(at, _line_end(script, at, end)):
        depth += (script[place] == opening) - (script[place] == closing)
        if depth == 0:
            return place
    return at


def joined(script: str, words: list[Word]) -> str:
    """Return a command on one line, without comment."""
    return CONTINUED.sub("", script[words[0].begin : words[-1].end])


def inside(script: str, word: Word) -> tuple[int, int]:
    """Return the start and end of the text of a quoted word."""
    quotes = 3 if script.startswith('"""', word.begin) else 1
    return word.begin + quotes, word.end - quotes


def inner_commands(words: list[Word]) -> list[list[Word]]:
    """Return the blocks of quoted commands of a command such as `if` or `run every`."""
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


def shortened(script: str, steps: int, begin: Sequence[str] = ()) -> str:
    """Return a script that ends after a number of steps, even if the script has several runs.

    The commands `begin` run before the first step. Raises ValueError if the script has no command
    `run`.
    """
    found = list(commands(script))
    runs = [number for number, words in enumerate(found) if _runs(words)]
    if not runs:
        raise ValueError("the script has no command `run`")
    first = [
        *begin,
        f"variable pysuite_end equal $(step+{steps}:%.0f)",
        "variable pysuite_step equal step",
        "fix pysuite_end all halt 1 v_pysuite_step >= ${pysuite_end} error continue message no",
    ]
    # a loop may run the inserted line again, so the line tests whether the fix exists
    quoted = " ".join(f'"""{command}"""' for command in first)
    ends = [words[0].begin for words in found[1:]] + [len(script)]
    inserted = {ends[number]: 'if "$(step) >= ${pysuite_end}" then quit\n' for number in runs}
    start = found[runs[0]][0].begin
    inserted[start] = (
        inserted.get(start, "") + f'if "$(is_defined(fix,pysuite_end)) == 0" then {quoted}\n'
    )
    text = script
    for place in sorted(inserted, reverse=True):
        before = text[:place]
        line_end = "" if not before or before.rpartition("\n")[2].strip() == "" else "\n"
        text = before + line_end + inserted[place] + text[place:]
    return text


def _runs(words: list[Word]) -> bool:
    return words[0].text in RUNNING or any(
        _runs(inner)
        for block in inner_commands(words)
        for word in block
        for inner in commands(word.text)
    )
