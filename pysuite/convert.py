r"""Rewrites a LAMMPS script for `granular` and `gran/*` styles into one for granular/plus.

>>> script = "pair_style granular\npair_coeff * * hooke 1e4 5 tangential linear_nohistory 1 0.5\n"
>>> print(convert(script, slider="dsds").text, end="")
pair_style granular/plus
pair_coeff * * hooke 1e4 5 tangential linear_nohistory 1 0.5 slider dsds

Only words that must change are replaced: comments, blanks, continuation lines and everything else
stay as they are. What cannot be converted is left alone and named with its line.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

CLASSIC = ("gran/hooke/history", "gran/hertz/history", "gran/hooke")
GRANULAR = ("granular", *CLASSIC)
ACCELERATED = ("/omp", "/kk", "/kk/host", "/kk/device", "/gpu", "/intel", "/opt")
WALLS = ("wall/gran", "wall/gran/region")
WALL_STYLES = ("xplane", "yplane", "zplane", "zcylinder", "region")
NESTING = ("if", "run")  # commands whose quoted words are commands
RELATED = ("granular/superellipsoid", "surf/granular", "tracker")

NEW_FRICTION = (
    "friction follows `slider csds`, which creates no energy: trajectories are others than before;"
    " `--slider dsds` keeps LAMMPS's slider"
)
SECOND_RUN = (
    "there is more than one run, or there may be: at the start of the second LAMMPS's own styles"
    " reset the springs of sliding contacts once more; granular/plus leaves springs as they are"
)
PAIR_LOCAL = (
    "`compute pair/local` makes `pair granular` compute springs once more and so changes its"
    " trajectory; here output changes nothing"
)
ROLLING = (
    "rolling and twisting springs of `pair granular` change their sign when a new neighbour list"
    " turns a pair round; here they do not"
)
CLASSIC_PAIR = (
    "with pair gran/* the lever of friction is the radius R, here it is R - overlap/2, as in"
    " `pair granular`: torques are smaller by the fraction overlap/(2 R); and springs keep their"
    " length as the contact turns"
)
CLASSIC_WALL = (
    "the springs of `fix wall/gran` in LAMMPS 22 Jul 2025 are not those of its manual: with"
    " hooke/history they have the contact radius as a factor too many, with hertz/history they"
    " come out wrong from sliding (mended in 2026). Friction and spins at walls are others than"
    " before"
)
RESTART = (
    "a restart file of `pair granular` or gran/* gives its particles and not its springs: contacts"
    " start anew; pair_style, pair_coeff and the same `newton` as before must stand in the script"
)


class Note(NamedTuple):
    """What a user must know, and the line of the script that it is about (0: the whole)."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass
class Conversion:
    """A converted script.

    Attributes:
        before: the script.
        text: the script after conversion.
        refused: what could not be converted.
        differences: what the converted script does otherwise than the old one.
        converted: number of commands that were changed.
    """

    before: str
    text: str = ""
    refused: list[Note] = field(default_factory=list)
    differences: list[Note] = field(default_factory=list)
    converted: int = 0

    def diff(self, before: str = "before", after: str = "after") -> str:
        """Return a unified diff from the old script to the new."""
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(
                self.before.splitlines(keepends=True),
                self.text.splitlines(keepends=True),
                before,
                after,
            )
        )


# -------------------------------------------------------------------------------- reading a script


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


# ---------------------------------------------------------------------------------- coefficients


class RefusalError(ValueError):
    """A command has no counterpart; the text says why."""


def _formula(word: str) -> str | None:
    """Return a word as a term of a LAMMPS formula, None where it is none."""
    if _is_number(word):
        return word
    if match := re.fullmatch(r"\$\{(\w+)\}|\$(\w)", word):
        return f"v_{match[1] or match[2]}"
    if match := re.fullmatch(r"\$\(([^:]*)(:%.*)?\)", word):
        return f"({match[1]})"
    return None


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", word) is not None


def _ratio(over: str, under: str) -> str:
    """Return over/under: a number, or a formula that LAMMPS works out when it reads the line."""
    if _is_number(over) and float(over) == 0.0:
        return "0"
    if _is_number(under) and float(under) == 0.0:
        raise RefusalError(
            f"gamma_t = {over} without normal damping (gamma_n = {under}): here tangential damping"
            " is a multiple of the normal one"
        )
    if over == under:
        return "1"
    terms = _formula(over), _formula(under)
    if None in terms:
        raise RefusalError(f"gamma_t/gamma_n of {over} and {under} cannot be written as a formula")
    if _is_number(over) and _is_number(under):
        return f"{float(over) / float(under):.15g}"
    return f"$({terms[0]}/{terms[1]}:%.17g)"


def classic_coefficients(model: str, arguments: Sequence[str], slider: str) -> str:
    """Return the coefficients of granular/plus for those of a gran/* style.

    Args:
        model: hooke, hooke/history or hertz/history.
        arguments: Kn Kt gamma_n gamma_t xmu dampflag, and perhaps limit_damping.
        slider: of granular/plus.

    Raises:
        RefusalError: where there are none.
    """
    if len(arguments) < 6 or list(arguments[6:]) not in ([], ["limit_damping"]):
        raise RefusalError(
            f"{model} takes Kn Kt gamma_n gamma_t xmu dampflag [limit_damping],"
            f" got {' '.join(arguments) or 'nothing'}"
        )
    kn, kt, gamma_n, gamma_t, mu, dampflag = arguments[:6]
    if dampflag not in ("0", "1"):
        raise RefusalError(f"{model}: dampflag = {dampflag} must be 0 or 1 for a conversion")
    if dampflag == "0":
        xgamma = "0"
    elif gamma_t == "NULL":
        xgamma = "0.5"
    else:
        xgamma = _ratio(gamma_t, gamma_n)
    if kt == "NULL" and model != "hooke":
        if _is_number(kn):
            kt = f"{2.0 / 7.0 * float(kn):.17g}"
        elif (term := _formula(kn)) is not None:
            kt = f"$(2.0/7.0*{term}:%.17g)"
        else:
            raise RefusalError(f"{model}: Kt = NULL with Kn = {kn} cannot be written as a formula")
    normal, tangential = {
        "hooke": ("hooke {} {} damping mass_velocity", "linear_nohistory"),
        "hooke/history": ("hooke {} {} damping mass_velocity", f"linear_history {kt}"),
        "hertz/history": ("hertz {} {} damping viscoelastic", f"mindlin {kt}"),
    }[model]
    words = [normal.format(kn, gamma_n), f"tangential {tangential} {xgamma} {mu}"]
    if slider != "csds":
        words.append(f"slider {slider}")
    return " ".join([*words, *arguments[6:]])


# ---------------------------------------------------------------------------------- conversion


def convert(
    script: str, *, slider: str = "csds", check: Callable[..., None] | None = None
) -> Conversion:
    """Convert a script.

    Args:
        script: the text.
        slider: csds (the default of granular/plus), dsds (LAMMPS's) or truncate.
        check: raises ValueError where granular/plus does not know the words of a stack, with
            `wall=True` those of a wall; by default the installed laws are asked.
    """
    if slider not in ("csds", "dsds", "truncate"):
        raise ValueError(f"slider = {slider} must be csds, dsds or truncate")
    return _Converter(script, slider, check or _check_stack).result()


def _check_stack(text: str, *, wall: bool) -> None:
    from pysuite import laws

    laws.ContactModel(text, wall=wall)


class _Converter:
    def __init__(self, script: str, slider: str, check: Callable[..., None]):
        self.script, self.slider, self.check = script, slider, check
        self.conversion = Conversion(script)
        self.edits: list[tuple[int, int, str]] = []
        self.classic: dict[str, list[str]] = {}  # arguments of the gran/* styles in use
        self.hybrid = False
        self.granular = False  # whether the pair style in use has been converted
        self.runs: list[int] = []
        self.variables: dict[str, str] = {}

    def result(self) -> Conversion:
        self.walk(0, len(self.script))
        text = self.script
        for begin, end, new in sorted(self.edits, reverse=True):
            text = text[:begin] + new + text[end:]
        self.conversion.text = text
        if self.conversion.converted:
            if self.slider != "dsds":
                self.differs(0, NEW_FRICTION)
            loops = re.search(r"^\s*(jump|next)\b", self.script, re.MULTILINE)
            if len(self.runs) > 1 or (self.runs and loops):
                self.differs(self.runs[-1], SECOND_RUN)
        self.conversion.differences.sort(key=lambda note: note.line)
        self.conversion.refused.sort(key=lambda note: note.line)
        return self.conversion

    def walk(self, begin: int, end: int) -> None:
        for words in commands(self.script, begin, end):
            edits = len(self.edits)
            try:
                self.one(words)
            except RefusalError as error:
                self.refuse(words[0], str(error))
            self.conversion.converted += len(self.edits) > edits

    def one(self, words: list[Word]) -> None:
        name, rest = words[0].text, words[1:]
        if name == "pair_style":
            self.pair_style(rest)
        elif name == "pair_coeff":
            self.pair_coeff(rest)
        elif name == "fix" and len(rest) > 2:
            self.fix(rest)
        elif name == "variable" and len(rest) > 2:
            self.variable(rest)
        elif name == "compute" and len(rest) > 2 and rest[2].text == "pair/local":
            if self.granular:
                self.differs(self.line(words[0]), PAIR_LOCAL)
        elif name in ("include", "jump") and rest and rest[0].text != "SELF":
            self.refuse(words[0], f"the file {rest[0].text} is another script: convert it as well")
        elif name == "read_restart":
            self.differs(self.line(words[0]), RESTART)
        elif name in ("pair_modify", "change_box", "suffix"):
            self.other_command(name, rest)
        if name in ("run", "minimize", "rerun"):
            self.runs.append(self.line(words[0]))
        if name in NESTING:
            for word in rest:
                if word.quoted and word.text.split()[:1] in (
                    ["pair_style"],
                    ["pair_coeff"],
                    ["fix"],
                ):
                    self.walk(word.end - 1 - len(word.text), word.end - 1)

    # ------------------------------------------------------------------------------- commands

    def pair_style(self, rest: list[Word]) -> None:
        self.hybrid, self.granular, self.classic = False, False, {}
        if not rest:
            return
        self.hybrid = rest[0].text.startswith("hybrid")
        candidates = rest[1:] if self.hybrid else rest[:1]
        if sum(self.known_style(word) is not None for word in candidates) > 1:
            raise RefusalError(
                "several granular sub-styles in one hybrid: granular/plus needs one, with"
                " coefficients for each pair of types"
            )
        for number, word in enumerate(candidates):
            style = self.known_style(word)
            if style is None:
                continue
            arguments = candidates[number + 1 :] if self.hybrid else rest[1:]
            if style != "granular":
                count = 6 + (len(arguments) > 6 and arguments[6].text == "limit_damping")
                arguments = arguments[:count]
                values = [argument.text for argument in arguments]
                classic_coefficients(style.removeprefix("gran/"), values, self.slider)
                self.classic[style] = values
                self.replace(word.begin, arguments[-1].end, "granular/plus")
                self.differs(self.line(word), CLASSIC_PAIR)
            else:
                self.replace(word.begin, word.end, "granular/plus")
            self.granular = True

    def known_style(self, word: Word) -> str | None:
        """Return the granular style that a word names; None for another. Raises RefusalError."""
        name = word.text
        for ending in ACCELERATED:
            if name.removesuffix(ending) in GRANULAR and name != name.removesuffix(ending):
                name = name.removesuffix(ending)
        if name in GRANULAR:
            return name
        if name in RELATED:
            raise RefusalError(f"pair_style {name} has no counterpart")
        if "$" in name and "gran" in self.expanded(name):
            raise RefusalError(f"the pair style {name} is given by a variable")
        return None

    def pair_coeff(self, rest: list[Word]) -> None:
        if not self.granular or len(rest) < 2:
            return
        if not self.hybrid:
            style = next(iter(self.classic), "granular")
            place, first = None, 2
        else:
            if len(rest) < 3:
                return
            style = self.known_style(rest[2]) or ""
            if not style:
                return
            place, first = rest[2], 3
        if style in self.classic:
            model = style.removeprefix("gran/")
            words = classic_coefficients(model, self.classic[style], self.slider)
            self.accept(words, wall=False)
            if place:
                self.replace(place.begin, place.end, f"granular/plus {words}")
            else:
                self.replace(rest[1].end, rest[1].end, f" {words}")
            return
        if place:
            first += len(rest) > first and rest[first].text.isdigit()
        self.with_slider(rest[first:], wall=False)
        if place:
            self.replace(place.begin, place.end, "granular/plus")

    def fix(self, rest: list[Word]) -> None:
        style = rest[2].text
        if style.startswith("surface/"):
            raise RefusalError(f"fix {style}: walls of triangles have no counterpart")
        base = style.removesuffix("/kk")
        if base not in WALLS:
            if "$" in style and "wall/gran" in self.expanded(style):
                raise RefusalError(f"the fix style {style} is given by a variable")
            return
        arguments = rest[3:]
        if not arguments:
            raise RefusalError(f"fix {style} without a model")
        if "$" in arguments[0].text:
            raise RefusalError(f"the wall's model is given by the variable {arguments[0].text}")
        kind = next((k for k, word in enumerate(arguments) if k and word.text in WALL_STYLES), None)
        if kind is None:
            raise RefusalError(f"fix {style} names none of {', '.join(WALL_STYLES)}")
        model = arguments[0].text
        if model == "granular":
            self.with_slider(arguments[1:kind], wall=True)
            self.replace(rest[2].begin, rest[2].end, "wall/granular/plus")
            self.delete_word(arguments[0], arguments[1])
            return
        if f"gran/{model}" not in CLASSIC:
            raise RefusalError(f"fix {style}: unknown model {model}")
        values = [word.text for word in arguments[1:kind]]
        words = classic_coefficients(model, values, self.slider)
        self.accept(words, wall=True)
        self.replace(rest[2].begin, rest[2].end, "wall/granular/plus")
        self.replace(arguments[0].begin, arguments[kind - 1].end, words)
        if model != "hooke":
            self.differs(self.line(rest[0]), CLASSIC_WALL)

    def variable(self, rest: list[Word]) -> None:
        name, style, value = rest[0].text, rest[1].text, rest[2].text
        if style in ("string", "index", "getenv", "equal", "universe", "world"):
            self.variables[name] = value
        if re.search(r"(^|\s)(granular|gran/h|wall/gran)", value) and not value.startswith(
            "granular/plus"
        ):
            self.refuse(
                rest[0], f"the text of variable {name} may name a granular style: see to it"
            )

    def other_command(self, name: str, rest: list[Word]) -> None:
        if name == "suffix" and rest and rest[0].text not in ("off", "on"):
            self.differs(
                self.line(rest[0]),
                f"granular/plus has no variant for suffix {rest[0].text}; the plain one is used",
            )
        if name == "pair_modify":
            for before, word in itertools.pairwise(rest):
                if before.text == "pair" and self.known_style(word):
                    self.replace(word.begin, word.end, "granular/plus")

    # ------------------------------------------------------------------------------- pieces

    def with_slider(self, coefficients: list[Word], *, wall: bool) -> None:
        """Check coefficients of `granular`, and put the slider behind them."""
        if not coefficients:
            raise RefusalError("no coefficients are given")
        words = [word.text for word in coefficients]
        chosen = "" if self.slider == "csds" else f" slider {self.slider}"
        self.accept(" ".join(words) + chosen, wall=wall)
        if chosen:
            self.replace(coefficients[-1].end, coefficients[-1].end, chosen)
        if not wall and {("rolling", "sds"), ("twisting", "sds"), ("twisting", "marshall")} & set(
            itertools.pairwise(words)
        ):
            self.differs(self.line(coefficients[0]), ROLLING)

    def accept(self, text: str, *, wall: bool) -> None:
        """Raise RefusalError where granular/plus does not know the words."""
        plain = re.sub(r"\$\([^)]*\)|\$\{\w+\}|\$\w", "0.5", self.expanded(text))
        try:
            self.check(plain, wall=wall)
        except ValueError as error:
            doubtful = "$" in text and "must be" in str(error)  # 0.5 may not suit
            if not doubtful:
                raise RefusalError(str(error)) from error

    def expanded(self, text: str) -> str:
        """Return a text with the variables that the script itself sets to one text."""

        def value(match: re.Match[str]) -> str:
            known = self.variables.get(match[1] or match[2])
            return (
                known if known is not None and (_is_number(known) or "gran" in known) else match[0]
            )

        return re.sub(r"\$\{(\w+)\}|\$(\w)", value, text)

    def delete_word(self, word: Word, following: Word) -> None:
        """Take a word away with the blanks behind it, as far as its line goes."""
        between = self.script[word.end : following.begin]
        blanks = len(between) - len(between.lstrip(" \t"))
        self.replace(word.begin, word.end + blanks, "")

    def replace(self, begin: int, end: int, new: str) -> None:
        self.edits.append((begin, end, new))

    def line(self, word: Word) -> int:
        return self.script.count("\n", 0, word.begin) + 1

    def refuse(self, word: Word, text: str) -> None:
        self.conversion.refused.append(Note(self.line(word), text))

    def differs(self, line: int, text: str) -> None:
        if all(note.text != text for note in self.conversion.differences):
            self.conversion.differences.append(Note(line, text))
