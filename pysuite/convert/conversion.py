r"""Convert a LAMMPS script with `granular` and `gran/*` styles to granular/plus.

>>> script = "pair_style granular\npair_coeff * * hooke 1e4 5 tangential linear_nohistory 1 0.5\n"
>>> print(convert(script, slider="dsds").text, end="")
pair_style granular/plus
pair_coeff * * hooke 1e4 5 tangential linear_nohistory 1 0.5 slider dsds

Only words that must change are replaced. If a command cannot be converted, the whole script stays
unchanged, because a partly converted script would mix two kinds of friction.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pysuite.convert import liggghts
from pysuite.lammps.script import Word, closing, commands, inner_commands, inside

if TYPE_CHECKING:
    from pysuite import laws

CLASSIC = ("gran/hooke/history", "gran/hertz/history", "gran/hooke")
GRANULAR = ("granular", *CLASSIC)
ACCELERATED = ("/omp", "/kk", "/kk/host", "/kk/device", "/gpu", "/intel", "/opt")
WALLS = ("wall/gran", "wall/gran/region")
WALL_STYLES = ("xplane", "yplane", "zplane", "zcylinder", "region")
# computes that evaluate single pairs
ASK_FOR_PAIRS = (
    "pair/local",
    "group/group",
    "fabric",
    "stress/mop",
    "stress/mop/profile",
    "stress/cartesian",
    "stress/cylinder",
    "stress/spherical",
)
INTEGRATOR = "nve/sphere"  # granular/plus has a faster version

VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w)")
NAMES = re.compile(r"(^|\s)(granular(?!/plus)|gran/h|wall/gran)")
COMMANDS = re.compile(r"pair_style\s.*\bgran|\bwall/gran")  # LAMMPS commands in Python code
RELATED = re.compile(r"(^|/)granular(?!/plus)")
ANY_NUMBER = "0.4375"  # placeholder for a computed number
AROUND_NUMBER = re.compile(rf"(?<!\S)[-+.\deE]*{re.escape(ANY_NUMBER)}[-+.\deE]*(?!\S)")
MOST_NESTED = 8
MOST_TEXTS = 64

NEW_FRICTION = {
    slider: f"friction follows `slider {slider}`{advantage}: trajectories differ from LAMMPS's;"
    " `--slider dsds` keeps LAMMPS's slider"
    for slider, advantage in (
        ("csds", ", which creates no energy while stiffness is constant"),
        ("truncate", ""),
    )
}
MINDLIN = (
    "the stiffness of tangential {} changes with the contact radius, which creates energy with any"
    " slider; the model mindlin_rescale/force with slider csds creates no energy"
)
SECOND_RUN = (
    "LAMMPS repeats its setup here: LAMMPS's own styles then reset the springs of sliding contacts"
    " again, but granular/plus leaves springs unchanged"
)
SINGLE = (
    "`compute {}` makes `pair granular` update springs again, which changes the trajectory; with"
    " granular/plus, output does not change the trajectory"
)
MOVING_PART = (
    "region {} is a union or intersection with a moving part: LAMMPS ignores the velocity of that"
    " part at the contact; granular/plus includes this velocity"
)
SPINNING = (
    "region {} rotates: LAMMPS ignores this spin in rolling and twisting at the wall; granular/plus"
    " includes the spin"
)
CONE = (
    "region {} has a cone with grains outside: LAMMPS treats the lateral surface as hollow, so that"
    " forces that depend on curvature (hertz, jkr, ...) are too large; in granular/plus the surface"
    " is {}"
)
FLAT = (
    "region {}: granular/plus treats {} as flat, so that forces that depend on curvature"
    " (hertz, jkr, ...) differ from LAMMPS's"
)
ROLLING = (
    "rolling and twisting springs of `pair granular` change sign when a new neighbour list swaps"
    " the atoms of a pair; in granular/plus these springs keep their sign"
)
MDR = (
    "normal mdr: LAMMPS computes the radius of a retreating adhesive contact only to 1e-10 of the"
    " unit of length, and on several ranks LAMMPS uses the radii of ghosts from the previous step;"
    " granular/plus computes both exactly. In LAMMPS, p13 of `compute pair/local` is the contact"
    " area; in granular/plus, p13 is the elastic part of the normal force, as for other models"
)
MARSHALL = (
    "twisting marshall with a mindlin model: `pair granular` uses kt as the stiffness of the"
    " tangential spring, although kt is a pressure; granular/plus uses kt times the contact radius"
)
CLASSIC_PAIR = (
    "with pair gran/* the lever arm of friction is the radius R; in granular/plus and in `pair"
    " granular` the lever arm is R - overlap/2, so that torques are smaller by the fraction"
    " overlap/(2 R). In granular/plus, springs keep their length as the contact rotates"
)
CLASSIC_WALL = (
    "in LAMMPS 22 Jul 2025, the springs of `fix wall/gran` differ from LAMMPS's manual: with"
    " hooke/history, the springs have the contact radius as an extra factor; with hertz/history,"
    " the springs are wrong after sliding (fixed in 2026). Friction and spins at walls will differ"
)
GROWTH = (
    "fix {} changes the size of grains: neighbour lists cover the radii at the start of a run plus"
    " the skin. The run stops with an error if grains grow by more. To avoid the error, set a"
    " cutoff in `pair_style granular/plus`, or set a wide skin"
)
RESTART = (
    "from a restart file of `pair granular` or gran/*, only particles are read, not springs:"
    " contacts start without history. The script must contain pair_style and pair_coeff, and the"
    " same `newton` as before"
)


CREATE_ENERGY = ("mindlin", "mindlin/force", "mindlin_rescale", "mindlin_classic")
ROLLS_OR_TWISTS = {("rolling", "sds"), ("twisting", "sds"), ("twisting", "marshall")}


class Note(NamedTuple):
    """A remark for the user.

    `line` is 1 for the first line, and 0 for the whole script. `file` is the included file, or
    empty.
    """

    line: int
    text: str
    file: str = ""

    @property
    def place(self) -> str:
        """The included file, if any, and the line; empty for the whole script."""
        where = ([self.file] if self.file else []) + ([f"line {self.line}"] if self.line else [])
        return ", ".join(where)

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


@dataclass
class Conversion:
    """A converted script.

    Attributes:
        text: the converted script or, if any command is refused, the original script.
        converted: number of commands with granular styles that were converted. If any command is
            refused, these conversions are not part of `text`.
        included: conversions of included files, by file name. The converted script includes
            NAME.plus instead of NAME.
    """

    before: str
    text: str = ""
    refused: list[Note] = field(default_factory=list)
    differences: list[Note] = field(default_factory=list)
    converted: int = 0
    included: dict[str, Conversion] = field(default_factory=dict)
    is_liggghts: bool = False

    def diff(self, before: str = "before", after: str = "after") -> str:
        """Return a unified diff from the original script."""
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(
                self.before.splitlines(keepends=True),
                self.text.splitlines(keepends=True),
                before,
                after,
            )
        )


# ---------------------------------------------------------------------------------- coefficients


class RefusalError(ValueError):
    """A command has no counterpart; the text gives the reason."""


def _formula(word: str) -> str | None:
    """Return a word as a term of a LAMMPS formula, or None."""
    if _is_number(word):
        return word
    if match := re.fullmatch(r"\$\{(\w+)\}|\$(\w)", word):
        return f"v_{match[1] or match[2]}"
    if word.startswith("$(") and closing(word, 1, len(word)) == len(word) - 1:
        return f"({word[2:-1].partition(':%')[0]})"
    return None


def _is_number(word: str) -> bool:
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", word) is not None


def _ratio(over: str, under: str) -> str:
    if _is_number(over) and float(over) == 0.0:
        return "0"
    if _is_number(under) and float(under) == 0.0:
        raise RefusalError(
            f"gamma_t = {over} without normal damping (gamma_n = {under}): in granular/plus"
            " tangential damping is a multiple of normal damping"
        )
    if over == under:
        return "1"
    terms = _formula(over), _formula(under)
    if None in terms:
        raise RefusalError(f"gamma_t/gamma_n = {over}/{under} cannot be written as a formula")
    if _is_number(over) and _is_number(under):
        return f"{float(over) / float(under):.15g}"
    return f"$({terms[0]}/{terms[1]}:%.17g)"


def _two_sevenths(kn: str) -> str:
    """Return the tangential stiffness that NULL stands for in gran/* styles: 2/7 of `kn`."""
    if _is_number(kn):
        return f"{2.0 / 7.0 * float(kn):.17g}"
    if (term := _formula(kn)) is not None:
        return f"$(2.0/7.0*{term}:%.17g)"
    raise RefusalError(f"Kt = NULL (2/7 of Kn = {kn}) cannot be written as a formula")


def _computed(word: laws.ClassicWord) -> str:
    if word.computed == "ratio":
        return _ratio(word.text, word.divisor)
    return _two_sevenths(word.text) if word.computed else word.text


def classic_coefficients(model: str, arguments: Sequence[str], slider: str) -> str:
    """Return the coefficients of granular/plus that are equivalent to arguments of gran/* styles.

    `arguments` are Kn Kt gamma_n gamma_t xmu dampflag and, optionally, limit_damping. Raises
    RefusalError if no equivalent coefficients exist.
    """
    from pysuite import laws

    try:
        found = laws.classic(model, arguments)
    except ValueError as error:
        raise RefusalError(str(error)) from None
    words = [_computed(word) for word in found]
    if slider != "csds":
        before_limit = words.index("limit_damping") if "limit_damping" in words else len(words)
        words[before_limit:before_limit] = ["slider", slider]
    return " ".join(words)


# ---------------------------------------------------------------------------------- conversion


def convert(
    script: str,
    *,
    slider: str = "csds",
    check: Callable[..., None] | None = None,
    read: Callable[[str], str | None] | None = None,
) -> Conversion:
    """Convert a script.

    `slider` is csds, dsds (LAMMPS's slider) or truncate. `check` is called with each contact model
    (and with `wall=True` for walls), and raises ValueError if the model is invalid. By default, the
    installed laws check the model. `read` returns the text of an included file, or None.
    """
    if slider not in ("csds", "dsds", "truncate"):
        raise ValueError(f"slider = {slider} must be csds, dsds or truncate")
    files = _Files(script, read or (lambda name: None))
    if of_liggghts := liggghts.first_command(script):
        line, command = of_liggghts
        reason = Note(line, liggghts.REASON.format(command))
        return Conversion(script, script, refused=[reason], is_liggghts=True)
    check = check or _check_model
    conversion = _Converter(files, slider, check).result()
    if conversion.converted:  # scripts without granular styles keep their integrator
        conversion = _Converter(files, slider, check, integrator=True).result()
    if conversion.refused:
        conversion.text, conversion.included = script, {}
    return conversion


def _check_model(text: str, *, wall: bool) -> None:
    from pysuite import laws

    laws.ContactModel(text, wall=wall)


# -------------------------------------------------------------------- variables and styles


@dataclass
class _Variable:
    """Possible values of a variable: `texts` and, if `number` is true, a computed number."""

    texts: list[str] = field(default_factory=list)
    number: bool = False
    unknown: bool = False  # whether values may be set outside the script


class _Style(NamedTuple):
    """The pair style set by a command.

    `line` is 0 before any pair_style. `classic` contains the gran/* styles with their arguments.
    """

    line: int = 0
    hybrid: bool = False
    granular: bool = False
    classic: tuple[tuple[str, tuple[str, ...]], ...] = ()


class _Region(NamedTuple):
    moves: bool
    rotates: bool
    outside_of_cone: bool
    flat: str  # the surface that only LAMMPS treats as curved, or empty
    parts: list[str]  # regions of a union or intersection


class _Files:
    def __init__(self, script: str, read: Callable[[str], str | None]):
        self.script, self.read = script, read
        self.variables: dict[str, _Variable] = {}
        self.jumps = False
        self._texts: list[str] = []
        self._scan(script)

    def _scan(self, script: str) -> None:
        self._texts.append(script)
        for words in commands(script):
            name, rest = words[0].text, words[1:]
            if name == "variable" and len(rest) > 1:
                self._define(rest)
            elif name == "jump":
                self.jumps = True
            elif name == "include" and rest:
                for file in self.possible(rest[0].text)[0]:
                    text = self.read(file)
                    if text is not None and text not in self._texts:
                        self._scan(text)
            for block in inner_commands(words):
                for word in block:
                    self._scan(word.text)

    def _define(self, rest: list[Word]) -> None:
        variable = self.variables.setdefault(rest[0].text, _Variable())
        style, values = rest[1].text, [word.text for word in rest[2:]]
        if style == "string":
            values = values[:1]
        if style in ("string", "index", "universe", "world"):
            variable.texts += [text for text in values if text not in variable.texts]
        elif style in ("getenv", "file", "python", "atomfile"):
            variable.unknown = True
        elif style != "delete":
            variable.number = True

    def possible(self, text: str, depth: int = 0) -> tuple[list[str], list[str]]:
        """Return all texts that may result from substitution, and the unknown variables."""
        text = _with_any_number(text)
        names = _names(text)
        values, unknown = [], []
        for name in names:
            variable = self.variables.get(name, _Variable(unknown=True))
            if variable.unknown:
                unknown.append(name)
            numeric = variable.number or not variable.texts
            values.append([*variable.texts, *([ANY_NUMBER] if numeric else [])])
        found = []
        for combination in itertools.islice(itertools.product(*values), MOST_TEXTS):
            known = dict(zip(names, combination, strict=True))
            substituted = re.sub(VARIABLE, lambda match, k=known: k[match[1] or match[2]], text)  # type: ignore[misc]
            if _names(substituted) and depth < MOST_NESTED:
                texts, also_unknown = self.possible(substituted, depth + 1)
                found += texts
                unknown += also_unknown
            else:
                found.append(re.sub(AROUND_NUMBER, ANY_NUMBER, _with_any_number(substituted)))
        return list(dict.fromkeys(found)), list(dict.fromkeys(unknown))

    def is_used(self, name: str) -> bool:
        asking = ("pair_style", "pair_coeff", "fix", "include")
        return any(
            name in _names(words[0].text)
            or (words[0].text in asking and any(name in _names(w.text) for w in words[1:]))
            for text in self._texts
            for words in commands(text)
        )


def is_number(script: str, text: str) -> bool:
    """Return whether a word is a number after substituting variables.

    A variable that the script does not set is taken as a number, because it is set from outside.
    """
    return all(_is_number(found) for found in _Files(script, lambda name: None).possible(text)[0])


def _with_any_number(text: str) -> str:
    while (begin := text.find("$(")) >= 0 and (
        end := closing(text, begin + 1, len(text))
    ) > begin + 1:
        text = text[:begin] + ANY_NUMBER + text[end + 1 :]
    return text


def _flat_surface(words: list[str]) -> str:
    """Return the name of the surface of a region that granular/plus treats as flat, or "".

    `words` begin with the style of the region.
    """
    side_out = ("side", "out") in itertools.pairwise(words)
    if words[0] == "cone" and not side_out:
        return "a cone"
    if words[0] != "cylinder" or not (side_out or "open" in words) or words[5:7] == ["INF", "INF"]:
        return ""
    if words[5:7] == ["EDGE", "EDGE"] and not {"move", "rotate"} & set(words):
        return ""
    return f"{'the outside of a' if side_out else 'an open'} cylinder that ends within the box"


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(a or b for a, b in VARIABLE.findall(text)))


# ---------------------------------------------------------------------------------- conversion


class _State:
    """Settings made by the commands read so far."""

    def __init__(self, files: _Files, slider: str, check: Callable[..., None], *, integrator: bool):
        self.files, self.slider, self.check, self.integrator = files, slider, check, integrator
        self.conversion = Conversion(files.script)
        self.styles = [_Style()]  # possible current styles: `if` may leave several
        self.first_style: _Style | None = None
        self.regions: dict[str, _Region] = {}
        self.tangential: dict[str, None] = {}  # models that create energy
        self.setups: list[Note] = []


class _Converter:
    def __init__(
        self,
        files: _Files,
        slider: str,
        check: Callable[..., None],
        *,
        integrator: bool = False,
        including: _Converter | None = None,
        script: str = "",
        file: str = "",
    ):
        self.state: _State = (
            including.state if including else _State(files, slider, check, integrator=integrator)
        )
        self.script = script if including else files.script
        self.file = file
        self.stack: list[str] = [*including.stack, file] if including else [file]
        self.edits: list[tuple[int, int, str]] = []
        self.converted = 0

    def result(self) -> Conversion:
        state, conversion = self.state, self.state.conversion
        self.walk(0, len(self.script))
        conversion.text, conversion.converted = self.edited(), self.converted
        if conversion.converted:
            if state.slider != "dsds":
                self.differs(0, NEW_FRICTION[state.slider])
                if state.tangential:
                    self.differs(0, MINDLIN.format(" and ".join(state.tangential)))
            self.report_spring_resets()
        for notes in (conversion.differences, conversion.refused):
            notes.sort(key=lambda note: (note.file, note.line))
        return conversion

    def report_spring_resets(self) -> None:
        setups = self.state.setups
        again = setups[1:] or (setups if self.state.files.jumps else [])
        again = list(dict.fromkeys(again))
        if not again:
            return
        text = SECOND_RUN
        if len(again) > 1:
            also = ", ".join(str(note).partition(": ")[0] for note in again[1:])
            text = f"{SECOND_RUN} (also in {also})"
        self.state.conversion.differences.append(again[0]._replace(text=text))

    def edited(self) -> str:
        text = self.script
        for begin, end, new in sorted(set(self.edits), reverse=True):
            text = text[:begin] + new + text[end:]
        return text

    def walk(self, begin: int, end: int) -> None:
        for words in commands(self.script, begin, end):
            edits = len(self.edits)
            try:
                self.convert_command(words)
            except RefusalError as error:
                self.refuse(words[0], str(error))
            self.converted += len(self.edits) > edits and not inner_commands(words)

    def convert_command(self, words: list[Word]) -> None:
        name, rest = words[0].text, words[1:]
        if name == "pair_style":
            self.pair_style(words[0], rest)
        elif name == "pair_coeff":
            self.pair_coeff(rest)
        elif name == "fix" and len(rest) > 2:
            self.fix(self.substitute_variables(rest))
        elif name == "region" and len(rest) > 1:
            self.region(self.substitute_variables(rest))
        elif name == "variable" and len(rest) > 2:
            self.variable(rest)
        elif name == "compute" and len(rest) > 2:
            if rest[2].text in ASK_FOR_PAIRS and any(s.granular for s in self.state.styles):
                self.differs(self.line(words[0]), SINGLE.format(rest[2].text))
        elif name == "include" and rest:
            self.include(rest[0])
        elif name == "jump" and rest and rest[0].text != "SELF":
            text = self.state.files.read(rest[0].text)
            if text is None or NAMES.search(text):
                raise RefusalError(
                    f"the file {rest[0].text} is another script, which may use granular styles: use"
                    " `include` instead of this command, or convert both scripts manually"
                )
        elif name == "read_restart":
            self.differs(self.line(words[0]), RESTART)
        elif name in ("pair_modify", "suffix"):
            self.other_command(name, rest)
        elif "$" in name and any(NAMES.search(text) for text in self.state.files.possible(name)[0]):
            raise RefusalError(
                f"this command is given by variable {name}: write the command itself instead"
            )
        if name in ("compute", "fix", "partition", "python"):
            self.refuse_other_places(words)
        if name in ("run", "minimize", "rerun"):
            self.setup(words)
        self.blocks(inner_commands(words), may_be_none=name == "if")

    def blocks(self, blocks: list[list[Word]], *, may_be_none: bool) -> None:
        """Convert blocks of quoted commands. LAMMPS may execute any one of these blocks."""
        if not blocks:
            return
        before = self.state.styles
        after: list[_Style] = []
        for block in blocks:
            self.state.styles = before
            for word in block:
                if word.quoted:
                    self.walk(*inside(self.script, word))
            after += self.state.styles
        self.state.styles = list(dict.fromkeys(after + (before if may_be_none else [])))

    def refuse_other_places(self, words: list[Word]) -> None:
        """Refuse a granular style in a place such as `compute pair`."""
        name = words[0].text
        for before, word in itertools.pairwise(words):
            if before.text in ("pair", "pair_style") and self.known_style(word):
                raise RefusalError(
                    f"`{name}` names the style {word.text}, which cannot be converted here"
                )
        if name == "python" and any(COMMANDS.search(word.text) for word in words if word.quoted):
            raise RefusalError(
                f"`{name}` has commands with granular styles: convert these commands manually"
            )

    # ------------------------------------------------------------------------------- commands

    def pair_style(self, command: Word, rest: list[Word]) -> None:
        line = self.line(command)
        self.state.styles = [_Style(line)]
        words = self.substitute_variables(rest)
        if not words:
            return
        hybrid = words[0].text.startswith("hybrid")
        first = int(hybrid)
        candidates = words[first:] if hybrid else words[:1]
        if not hybrid and "$" in words[0].text:
            self.refuse_unknown(words[0], "the pair style")
        if sum(self.known_style(word) is not None for word in candidates) > 1:
            raise RefusalError(
                "several granular sub-styles in one hybrid style: use only one granular sub-style,"
                " with different coefficients for each pair of types"
            )
        if not any(self.known_style(word) for word in candidates):
            for word in candidates:
                if RELATED.search(word.text):
                    raise RefusalError(f"pair_style {word.text} has no counterpart")
        for number, word in enumerate(candidates, start=first):
            style = self.known_style(word)
            if style is None:
                continue
            classic: tuple[tuple[str, tuple[str, ...]], ...] = ()
            last = number
            if style != "granular":
                arguments = words[number + 1 :]
                count = 6 + (len(arguments) > 6 and arguments[6].text == "limit_damping")
                values = tuple(argument.text for argument in arguments[:count])
                classic_coefficients(style.removeprefix("gran/"), values, self.state.slider)
                classic, last = ((style, values),), number + count
                self.differs(line, CLASSIC_PAIR)
            self.rewrite(words, number, last, "granular/plus")
            self.state.styles = [_Style(line, hybrid, True, classic)]
        if self.state.files.jumps:
            self.check_jumps()

    def check_jumps(self) -> None:
        """Refuse a second, different pair style in a script with `jump`."""
        (style,) = self.state.styles
        kind = style._replace(line=0)
        known = self.state.first_style = self.state.first_style or kind
        if kind != known and (kind.classic or known.classic):
            raise RefusalError(
                "the script has `jump`, and this pair style differs from an earlier pair style, so"
                " that a pair_coeff may belong to either style: write one script for each style"
            )

    def known_style(self, word: Word) -> str | None:
        """Return the granular style that a word names, or None.

        Raises RefusalError if the word contains variables that may name a granular style.
        """
        name = word.text
        for ending in ACCELERATED:
            if name.removesuffix(ending) in GRANULAR and name != name.removesuffix(ending):
                name = name.removesuffix(ending)
        if name in GRANULAR:
            return name
        if "$" in name and any(NAMES.search(text) for text in self.state.files.possible(name)[0]):
            self.refuse_unknown(word, "the pair style")
        return None

    def pair_coeff(self, rest: list[Word]) -> None:
        """Convert coefficients, which must be equal for all possible pair styles."""
        styles = self.state.styles
        granular = [style for style in styles if style.granular]
        if not granular or len(rest) < 2:
            return
        edits = []
        for style in granular:
            first = len(self.edits)
            self.coefficients(style, rest)
            edits.append(self.edits[first:])
            del self.edits[first:]
        others = [style for style in styles if not style.granular and style.line]
        if any(edit != edits[0] for edit in edits) or (others and granular[0].classic):
            lines = sorted({style.line for style in styles if style.line})
            raise RefusalError(
                f"the pair style depends on `if` (line {', '.join(map(str, lines))}), and so would"
                " these coefficients: move pair_coeff into the branches of `if`"
            )
        self.edits += edits[0]

    def coefficients(self, pair_style: _Style, rest: list[Word]) -> None:
        classic = dict(pair_style.classic)
        words = self.substitute_variables(rest)
        if not pair_style.hybrid:
            style = next(iter(classic), "granular")
            place, first = None, 2
        else:
            if len(words) < 3:
                return
            style = self.known_style(words[2]) or ""
            if not style:
                return
            place, first = 2, 3
        if style in classic:
            text = classic_coefficients(
                style.removeprefix("gran/"), classic[style], self.state.slider
            )
            self.accept(text, wall=False)
            if place:
                self.rewrite(words, place, place, f"granular/plus {text}")
            else:
                self.replace(rest[1].end, rest[1].end, f" {text}")
            return
        if place:
            first += len(words) > first and words[first].text.isdigit()
        self.with_slider(words[first:], wall=False)
        if place:
            self.rewrite(words, place, place, "granular/plus")

    def fix(self, words: list[Word]) -> None:
        style = words[2].text
        if style.startswith("surface/"):
            raise RefusalError(f"fix {style}: walls of triangles have no counterpart")
        if style == INTEGRATOR and len(words) == 3 and self.state.integrator:
            self.rewrite(words, 2, 2, f"{INTEGRATOR}/plus")
        base = style.removesuffix("/kk")
        changes_size = style in ("adapt", "adapt/fep", "set") and any(
            word.text.startswith("diam") for word in words[3:]
        )
        if changes_size and any(s.granular for s in self.state.styles):
            self.differs(self.line(words[0]), GROWTH.format(style))
        if base not in WALLS:
            if "$" in style and any(
                NAMES.search(text) for text in self.state.files.possible(style)[0]
            ):
                self.refuse_unknown(words[2], "the style of the fix")
            return
        arguments = words[3:]
        if not arguments:
            raise RefusalError(f"fix {style} has no contact model")
        if "$" in arguments[0].text:
            self.wall_in_variable(words, arguments)
            return
        kind = next((k for k, word in enumerate(arguments) if k and word.text in WALL_STYLES), None)
        if kind is None:
            raise RefusalError(f"fix {style} has no wall style: add {' or '.join(WALL_STYLES)}")
        if arguments[kind].begin == arguments[kind - 1].begin:
            raise RefusalError(
                f"{self.script[arguments[kind].begin : arguments[kind].end]} contains more than the"
                " contact model: write all words after the contact model in the command itself"
            )
        model = arguments[0].text
        if model != "granular" and f"gran/{model}" not in CLASSIC:
            raise RefusalError(f"fix {style}: unknown model {model}")
        if model == "granular":
            self.with_slider(arguments[1:kind], wall=True)
            if len(arguments) > 1 and arguments[1].begin == arguments[0].begin:
                self.rewrite(arguments, 0, 0, "")
            else:
                self.delete_word(arguments[0], arguments[1])
        else:
            values = [word.text for word in arguments[1:kind]]
            text = classic_coefficients(model, values, self.state.slider)
            self.accept(text, wall=True)
            self.rewrite(arguments, 0, kind - 1, text)
            if model != "hooke":
                self.differs(self.line(words[0]), CLASSIC_WALL)
        self.rename_wall(words, arguments[kind:], " ".join(word.text for word in arguments[:kind]))

    def rename_wall(self, words: list[Word], surface: list[Word], model: str) -> None:
        """Replace the style of a wall; `surface` begins with a word of WALL_STYLES."""
        self.rewrite(words, 2, 2, "wall/granular/plus")
        if surface[0].text == "region" and len(surface) > 1:
            region = surface[1].text
            if self.has_moving_part(region):
                self.differs(self.line(words[0]), MOVING_PART.format(region))
            if self.rotates(region) and self.rolls_or_twists(model):
                self.differs(self.line(words[0]), SPINNING.format(region))
            if self.is_outside_of_cone(region):
                shape = "convex" if self.state.slider == "dsds" else "flat"
                self.differs(self.line(words[0]), CONE.format(region, shape))
            if self.state.slider != "dsds":
                for flat in self.flat_surfaces(region):
                    self.differs(self.line(words[0]), FLAT.format(region, flat))

    def wall_in_variable(self, words: list[Word], arguments: list[Word]) -> None:
        """Convert a wall whose variable holds the word `granular` and the contact model.

        The variable is not changed, because granular/plus skips the word `granular` before a model.
        """
        texts, unknown = self.state.files.possible(arguments[0].text)
        whole = all(
            text.startswith("granular ") and not set(WALL_STYLES) & set(text.split())
            for text in texts
        )
        if unknown or not whole or len(arguments) < 2 or arguments[1].text not in WALL_STYLES:
            self.refuse_unknown(arguments[0], "the wall's model")
        chosen = "" if self.state.slider == "csds" else f" slider {self.state.slider}"
        for text in texts:
            self.accept(text.removeprefix("granular ") + chosen, wall=True)
        if chosen:
            self.replace(arguments[0].end, arguments[0].end, chosen)
        self.rename_wall(words, arguments[1:], arguments[0].text)

    def region(self, words: list[Word]) -> None:
        texts = [word.text for word in words]
        count = int(texts[2]) if len(texts) > 2 and texts[2].isdigit() else 0
        parts = texts[3 : 3 + count] if texts[1] in ("union", "intersect") else []
        self.state.regions[texts[0]] = _Region(
            bool({"move", "rotate"} & set(texts)),
            "rotate" in texts,
            texts[1] == "cone" and ("side", "out") in itertools.pairwise(texts),
            _flat_surface(texts[1:]),
            parts,
        )

    def rotates(self, name: str) -> bool:
        known = self.state.regions.get(name)
        return known is not None and (known.rotates or any(map(self.rotates, known.parts)))

    def is_outside_of_cone(self, name: str) -> bool:
        known = self.state.regions.get(name)
        return known is not None and (
            known.outside_of_cone or any(map(self.is_outside_of_cone, known.parts))
        )

    def flat_surfaces(self, name: str) -> list[str]:
        known = self.state.regions.get(name)
        if known is None:
            return []
        of_parts = [flat for part in known.parts for flat in self.flat_surfaces(part)]
        return [known.flat, *of_parts] if known.flat else of_parts

    def rolls_or_twists(self, model: str) -> bool:
        texts, _ = self.state.files.possible(model)
        return any(
            ROLLS_OR_TWISTS & set(itertools.pairwise(text.split())) for text in [*texts, model]
        )

    def has_moving_part(self, name: str) -> bool:
        known = self.state.regions
        return any(
            part in known and (known[part].moves or self.has_moving_part(part))
            for part in (known[name].parts if name in known else [])
        )

    def variable(self, rest: list[Word]) -> None:
        """Refuse a variable that may name a granular style and that no converted command uses."""
        name = rest[0].text
        texts = self.state.files.variables[name].texts
        if any(NAMES.search(text) for text in texts) and not self.state.files.is_used(name):
            self.refuse(
                rest[0],
                f"the text of variable {name} may name a granular style: convert the text manually",
            )

    def include(self, word: Word) -> None:
        names, unknown = self.state.files.possible(word.text)
        if unknown:
            self.refuse_unknown(word, "the file")
        found = {name: self.state.files.read(name) for name in names}
        for name, text in found.items():
            if text is None:
                raise RefusalError(f"the file {name}, an included script, cannot be read")
        if len(found) > 1:
            if any(NAMES.search(text or "") for text in found.values()):
                self.refuse_unknown(word, "the file")
            return
        ((name, text),) = found.items()
        if name in self.stack:
            return
        inner = _Converter(
            self.state.files,
            self.state.slider,
            self.state.check,
            including=self,
            script=text or "",
            file=name,
        )
        inner.walk(0, len(inner.script))
        if not inner.converted:
            return
        made, included = Conversion(inner.script, inner.edited()), self.state.conversion.included
        if included.setdefault(name, made).text != made.text:
            raise RefusalError(
                f"the file {name} is included more than once, and would be converted differently"
                " each time"
            )
        self.replace(word.begin, word.end, f"{name}.plus")
        self.converted += inner.converted

    def setup(self, words: list[Word]) -> None:
        """Record a command that sets up a run; `run every` is recorded twice."""
        texts = [word.text for word in words]
        first = not ({("pre", "no")} & set(itertools.pairwise(texts)))
        if first:
            here = Note(self.line(words[0]), SECOND_RUN, self.file)
            self.state.setups += [here] * (1 + ("every" in texts))

    def other_command(self, name: str, rest: list[Word]) -> None:
        if name == "suffix" and rest and rest[0].text not in ("off", "on"):
            self.differs(
                self.line(rest[0]),
                f"granular/plus has no variant for suffix {rest[0].text}; its own styles are used",
            )
        if name == "pair_modify":
            for before, word in itertools.pairwise(rest):
                if before.text == "pair" and self.known_style(word):
                    self.replace(word.begin, word.end, "granular/plus")

    # ------------------------------------------------------------------------------- pieces

    def with_slider(self, coefficients: list[Word], *, wall: bool) -> None:
        if not coefficients:
            raise RefusalError("no coefficients are given")
        words = [word.text for word in coefficients]
        chosen = "" if self.state.slider == "csds" else f" slider {self.state.slider}"
        self.accept(" ".join(words) + chosen, wall=wall)
        if chosen:
            self.replace(coefficients[-1].end, coefficients[-1].end, chosen)
        if not wall and self.rolls_or_twists(" ".join(words)):
            self.differs(self.line(coefficients[0]), ROLLING)
        if not wall and words[0] == "mdr":
            self.differs(self.line(coefficients[0]), MDR)
        mindlin = any(word.startswith("mindlin") for word in words)
        if mindlin and "marshall" in words and self.state.slider != "dsds":
            self.differs(self.line(coefficients[0]), MARSHALL)

    def accept(self, text: str, *, wall: bool) -> None:
        texts, unknown = self.state.files.possible(text)
        for plain in texts:
            for keyword, model in itertools.pairwise(plain.split()):
                if keyword == "tangential" and model in CREATE_ENERGY:
                    self.state.tangential[model] = None
            try:
                self.state.check(plain, wall=wall)
            except ValueError as error:
                reason = str(error)
                if ANY_NUMBER in plain and "must be" in reason:
                    continue  # only the placeholder is out of bounds
                if unknown and ANY_NUMBER in reason:
                    self.refuse_unknown(
                        Word(f"${{{unknown[0]}}}", 0, 0), "part of the contact model"
                    )
                raise RefusalError(reason) from error

    def substitute_variables(self, words: list[Word]) -> list[Word]:
        """Return words with constant variables substituted.

        Variables that are numbers are kept, because they may be set from outside the script.
        """
        found = []
        for word in words:
            texts, unknown = self.state.files.possible(word.text)
            (text,) = texts if len(texts) == 1 else ("",)
            known = text and not unknown and ANY_NUMBER not in text and not _is_number(text)
            if "$" in word.text and not word.quoted and known:
                found += [Word(part, word.begin, word.end) for part in text.split()]
            else:
                found.append(word)
        return found

    def refuse_unknown(self, word: Word, what: str) -> None:
        texts, unknown = self.state.files.possible(word.text)
        name = unknown[0] if unknown else _names(word.text)[0]
        if unknown:
            raise RefusalError(
                f"{what} is given by {word.text}, whose value the script does not define: set it"
                f" with `variable {name} string`"
            )
        raise RefusalError(
            f"{what} is given by {word.text}, which may be {' or '.join(texts)}: write the value"
            " itself"
        )

    def delete_word(self, word: Word, following: Word) -> None:
        between = self.script[word.end : following.begin]
        blanks = len(between) - len(between.lstrip(" \t"))
        self.replace(word.begin, word.end + blanks, "")

    def rewrite(self, words: list[Word], first: int, last: int, new: str) -> None:
        """Replace words. If the words come from a variable, write out all words of the variable."""
        begin, end = words[first].begin, words[last].end
        before = [word.text for word in words[:first] if word.begin == begin]
        after = [word.text for word in words[last + 1 :] if word.end == end]
        self.replace(begin, end, " ".join([*before, *([new] if new else []), *after]))

    def replace(self, begin: int, end: int, new: str) -> None:
        self.edits.append((begin, end, new))

    def line(self, word: Word) -> int:
        return self.script.count("\n", 0, word.begin) + 1

    def refuse(self, word: Word, text: str) -> None:
        self.state.conversion.refused.append(Note(self.line(word), text, self.file))

    def differs(self, line: int, text: str) -> None:
        known = self.state.conversion.differences
        if all(note.text != text for note in known):
            known.append(Note(line, text, self.file if line else ""))
