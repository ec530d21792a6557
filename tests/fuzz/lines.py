"""Random commands for LAMMPS, with and without mistakes.

The laws and options come from tables compiled into the plug-in. Arguments that no table declares,
such as the place of a wall, are listed here.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Sequence

from pysuite import laws
from pysuite.lammps import options
from pysuite.lammps.options import Operand, Option

ODD_WORDS = (
    *("nan", "-nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "1e308", "-1", "0", "-0", "1.5.2"),
    *("0x10", "1e", "e", "+", "--3", "1,5", "1d3", "NULL", "null", "*", "**", "1*", "*2", "3*1"),
    *("''", "$x", "v_none", "c_none", "f_none", "&", "#", "%s%n", "\u00b5", "\u221e", "a" * 3000),
    *("yes", "no", "2147483648", "-2147483649", "999999999999999999999", "all", "none"),
    *("cutoff", "limit_damping", "ledger", "steps", "volume", "xplane", "species"),
)
PLACES_OF_WALLS = (
    *("xplane 0 NULL", "yplane NULL 9", "zplane 0 9", "zplane 0 NULL", "zcylinder 4"),
    "region ball",
)
PAIR_STYLE = "pair_style granular/plus"
WALL = ("motion of walls", "wall/granular/plus")
MESH = (*WALL, "placement of meshes", "meshes as walls")
MESH_MODEL = "hooke 1e4 5 tangential linear_history 5e3 1 0.5 bridge willett 0.1 20 volume 1e-3"
# These words precede the options in a command. If a table of options is not listed here, the words
# are `fix it all` and the name of the table.
BEGINNINGS = {
    "shape/granular/plus": "fix shape shaped shape/granular/plus",
    "fix_modify granular/bond": "fix_modify bonds",
    "compute granular/ledger": "compute books all granular/ledger",
    PAIR_STYLE: PAIR_STYLE,
    "run_style verlet/plus/gpu": "run_style verlet/plus/gpu",
}
# relative frequencies of commands
OFTEN = {"shape/granular/plus": 0.1, "granular/bond": 0.05, "granular/film": 0.05}
SELDOM = 0.03  # all other tables
# WORDS lists possible values of operands. DRAWINGS lists possible kinds of mesh files.
WORDS = {
    "ID of a region": ("ball",),
    "ID of a group": ("all", "shaped"),
    "a type or a range": ("1", "2", "*", "1*2", "2*"),
    "a file": ("out.*.vtp",),
}
DRAWINGS = {"an STL file": ("stl", "bin"), "an STL or OBJ file": ("stl", "bin", "obj")}
# in the option `species` of fix granular/insert, density and diameters follow the type
SIZES = ("one 0.5", "uniform 0.3 0.6", "sieve 0.3 0 0.5 0.4 0.6 1", "lognormal 0.4 1.2 0.3 0.6")
RESTS = {"species": tuple(f"density 1 diameter {size}" for size in SIZES)}
NAMED_OPTION = re.compile(r"\[(\w+) \.\.\.\]")  # operand that is an option itself
# the upper bound of many integers; commands do not use this value, because it is too large
MOST_OF_WHOLE = 2**31 - 1


def beginning(table: str) -> list[str]:
    """Return the words that precede the options of this table in a command."""
    return BEGINNINGS.get(table, f"fix it all {table}").split()


class Author:
    """Writes random commands. The seed determines the commands."""

    def __init__(self, seed: int, declared: Sequence[Option] = ()):
        self.random = random.Random(seed)
        self.registry = laws.registry()
        self.declared = declared or options.declared()
        words = dict.fromkeys([*self.registry, *(option.keyword for option in self.declared)])
        self.odd_words = (*ODD_WORDS, *words)
        self.commands: list[tuple[float, Callable[[], list[str]]]] = [
            (0.1, self.pair_style),
            (0.4, self.pair_coeff),
            (0.15, self.wall),
            (0.15, self.mesh),
            (0.05, self.liquid),
        ]
        for table in dict.fromkeys(option.table for option in self.declared):
            if table not in MESH:
                write = functools.partial(self.command, table)
                self.commands.append((OFTEN.get(table, SELDOM), write))

    def line(self) -> str:
        """Return a command.

        If a command names a mesh file, it is damaged with a probability of one third. Other
        commands are damaged with a probability of two thirds.
        """
        weights = [weight for weight, _ in self.commands]
        write = self.random.choices([write for _, write in self.commands], weights)[0]
        words = write()
        has_drawing = any(word.startswith("drawing-") for word in words)
        often = 0.4 if has_drawing else 0.8
        for _ in range(self.random.choice((0, 1, 1, 2, 5)) if self.random.random() < often else 0):
            self.spoil(words)
        return " ".join(words)

    def spoil(self, words: list[str]) -> None:
        where = self.random.randrange(1, len(words) + 1)
        change = self.random.randrange(6)
        if change == 0:
            words.insert(where, self.random.choice(self.odd_words))
        elif where == len(words):
            return
        elif change == 1:
            del words[where]
        elif change == 2:
            words.insert(where, words[where])
        elif change == 3:
            other = self.random.randrange(1, len(words))
            words[where], words[other] = words[other], words[where]
        elif change == 4:
            del words[where:]
        else:
            words[where] = self.random.choice(self.odd_words)

    def number(self, low: float, high: float, may_be_null: bool) -> str:
        if may_be_null and self.random.random() < 0.5:
            return "NULL"
        if self.random.random() < 0.05:
            return repr(self.random.choice((low, high)))
        if high > 1e3:
            sign = "-" if low < 0.0 and self.random.random() < 0.5 else ""
            return f"{sign}{10.0 ** self.random.uniform(-3, 7):.6g}"
        return f"{self.random.uniform(max(low, -1.0), high):.6g}"

    def whole(self, low: float, high: float) -> str:
        if self.random.random() < 0.05:
            return f"{high if high != MOST_OF_WHOLE and self.random.random() < 0.5 else low:.0f}"
        return f"{min(max(10.0 ** self.random.uniform(0, 4), low), high):.0f}"

    def law(self, role: str) -> list[str]:
        return self.law_with_arguments(self.random.choice(self.registry[role]))

    def law_with_arguments(self, law: laws.Law) -> list[str]:
        words = [law["name"]]
        for parameter in law["parameters"]:
            words += parameter["label"].split()
            words.append(self.number(parameter["low"], parameter["high"], parameter["may_be_null"]))
        return words

    def operand(self, operand: Operand) -> str:
        if operand.kind == "number or variable" and self.random.random() < 0.3:
            return "v_push"
        if operand.kind == "whole":
            return self.whole(operand.low, operand.high)
        if operand.kind in ("number", "number or variable"):
            return self.number(operand.low, operand.high, operand.may_be_null)
        if operand.unit in DRAWINGS:
            return self.drawing(*DRAWINGS[operand.unit])
        return self.random.choice(operand.choices or WORDS.get(operand.unit, self.odd_words))

    def option(self, option: Option) -> list[str]:
        words = [option.keyword]
        is_given = True
        for operand in option.operands:
            if operand.may_be_missing:
                is_given = self.random.random() < 0.5 if operand.label else is_given
            else:
                is_given = True
            if is_given:
                words += [*operand.label.split(), self.operand(operand)]
        if option.keyword in RESTS:
            words += self.random.choice(RESTS[option.keyword]).split()
        for keyword in NAMED_OPTION.findall(option.rest):
            if self.random.random() < 0.3:
                words += self.option(self.random.choice(self.named(keyword)))
        return words

    def named(self, keyword: str) -> list[Option]:
        return [option for option in self.declared if option.keyword == keyword]

    def options(self, *tables: str) -> list[str]:
        """Return, in random order, all required and some optional keywords of these tables."""
        groups: dict[str, list[Option]] = {}
        for option in self.declared:
            if option.table in tables:
                groups.setdefault(option.one_of or option.keyword, []).append(option)
        groups = {
            name: group
            for name, group in groups.items()
            if group[0].is_required or self.random.random() < 0.2
        }
        names = self.random.sample(list(groups), len(groups))
        return [word for name in names for word in self.option(self.random.choice(groups[name]))]

    def command(self, table: str) -> list[str]:
        return [*beginning(table), *self.options(table)]

    def model(self) -> list[str]:
        words = self.law("normal")
        for role in self.registry:
            if role == "tangential" or (role != "normal" and self.random.random() < 0.4):
                words += [role, *self.law(role)]
        if self.random.random() < 0.2:
            words += self.law_with_arguments(laws.attraction())
        if self.random.random() < 0.1:
            words.append("limit_damping")
        if self.random.random() < 0.1:
            words += ["cutoff", f"{self.random.uniform(0.5, 3):.3g}"]
        return words

    def pair_style(self) -> list[str]:
        words = ["pair_style", "granular/plus"]
        if self.random.random() < 0.3:
            words.append(f"{self.random.uniform(0.5, 3):.3g}")
        return [*words, *self.options(PAIR_STYLE)]

    def pair_coeff(self) -> list[str]:
        types = self.random.choice(("* *", "1 1", "1 2", "2 2", "1 *")).split()
        return ["pair_coeff", *types, *self.model()]

    def wall(self) -> list[str]:
        place = self.random.choice(PLACES_OF_WALLS).split()
        fix = ["fix", "wall", "all", "wall/granular/plus", *self.model()]
        return [*fix, *place, *self.options(*WALL)]

    def drawing(self, *kinds: str) -> str:
        """Return the name of a file that `drawings.write` can generate."""
        kind = self.random.choice(kinds)
        return f"drawing-{self.random.randrange(10**9)}.{kind}"

    def mesh(self) -> list[str]:
        model = self.model() if self.random.random() < 0.5 else MESH_MODEL.split()
        fix = ["fix", "wall", "all", "wall/granular/plus", *model]
        return [*fix, "mesh", self.drawing("stl", "bin"), *self.options(*MESH)]

    def liquid(self) -> list[str]:
        return ["pair_style", "capillary/willett", f"{self.random.uniform(0.5, 3):.3g}"]
