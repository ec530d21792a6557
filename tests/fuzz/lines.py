"""Random commands for LAMMPS: valid ones from the registry of laws, and slips of the hand."""

from __future__ import annotations

import random
from collections.abc import Callable

from pysuite import laws

# numbers and words that a parser may stumble over
ODD_WORDS = (
    *("nan", "-nan", "inf", "-inf", "1e400", "-1e400", "1e-400", "1e308", "-1", "0", "-0", "1.5.2"),
    *("0x10", "1e", "e", "+", "--3", "1,5", "1d3", "NULL", "null", "*", "**", "1*", "*2", "3*1"),
    *("''", "$x", "v_none", "c_none", "f_none", "&", "#", "%s%n", "\u00b5", "\u221e", "a" * 3000),
    *("yes", "no", "2147483648", "-2147483649", "999999999999999999999", "all", "none"),
    *("damping", "tangential", "rolling", "twisting", "slider", "bridge", "cutoff", "heat"),
    *("limit_damping", "ledger", "steps", "volume", "region", "xplane", "wiggle", "shear"),
)
WALLS = (
    "xplane 0 NULL",
    "yplane NULL 9",
    "zplane 0 9",
    "zplane 0 9 film 1e-3",
    "zcylinder 4",
    "region ball",
    "zplane 0 NULL wiggle z 0.1 2",
    "zplane 0 NULL shear x 0.3",
    "zcylinder 4 shear z 1 contacts",
    "zplane 0 NULL load z 3 mass 0.5",
    "zplane 0 9 load z v_push mass 2 drag 0.1 between -0.1 0.2 wiggle x 0.1 3",
    "zcylinder 4 rotate 0.3 0 0 0 0 0 1",
    "yplane 0 NULL move 0 0.1 NULL temperature 3",
)
MESH_MODEL = "hooke 1e4 5 tangential linear_history 5e3 1 0.5 bridge willett 0.1 20 volume 1e-3"
# each with its arguments; numbers within bounds
MESH_OPTIONS = (
    *("scale 0.9", "turn 30 1 1 0", "offset 0.1 0 -0.2", "feature 30", "feature 0.1"),
    *("onesided yes", "wear 1e-9", "vtk 1 wall.*.vtp", "move 0.1 NULL v_push", "shear x 0.8"),
    *("rotate 0.3 1 1 1 0 0 1", "rotate v_push 0 0 0 1 0 0", "wiggle z 0.01 3", "contacts"),
    *("load z -3 mass 0.5 between -0.1 NULL", "temperature v_push", "limit_damping"),
)


class Author:
    """Writes commands; the same seed gives the same commands."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.registry = laws.registry()
        self.commands: tuple[tuple[float, Callable[[], list[str]]], ...] = (
            (0.1, self.pair_style),
            (0.4, self.pair_coeff),
            (0.15, self.wall),
            (0.15, self.mesh),
            (0.1, self.shape),
            (0.05, self.film),
            (0.03, self.insertion),
            (0.05, self.compute),
            (0.05, self.liquid),
            (0.05, self.bond),
            (0.02, self.temperature),
        )

    def line(self) -> str:
        """Return a command; two of three are spoiled, of those with a drawing every other one."""
        weights = [weight for weight, _ in self.commands]
        write = self.random.choices([write for _, write in self.commands], weights)[0]
        words = write()
        often = 0.4 if write in (self.mesh, self.shape) else 0.8
        for _ in range(self.random.choice((0, 1, 1, 2, 5)) if self.random.random() < often else 0):
            self.spoil(words)
        return " ".join(words)

    def spoil(self, words: list[str]) -> None:
        """Change one word after the command's name."""
        where = self.random.randrange(1, len(words) + 1)
        change = self.random.randrange(6)
        if change == 0:
            words.insert(where, self.random.choice(ODD_WORDS))
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
            words[where] = self.random.choice(ODD_WORDS)

    def number(self, parameter: laws.Parameter) -> str:
        """Return a value within the bounds of a parameter, now and then at their edge."""
        low, high = parameter["low"], parameter["high"]
        if parameter["may_be_null"] and self.random.random() < 0.5:
            return "NULL"
        if self.random.random() < 0.05:
            return repr(self.random.choice((low, high)))
        low, high = max(low, 0.0), min(high, 1e7)
        if high > 1e3:
            return f"{10.0 ** self.random.uniform(-3, 7):.6g}"
        return f"{self.random.uniform(low, high):.6g}"

    def law(self, role: str) -> list[str]:
        """Return the name of a law and its arguments."""
        law = self.random.choice(self.registry[role])
        words = [law["name"]]
        for parameter in law["parameters"]:
            words += [*parameter["label"].split(), self.number(parameter)]
        return words

    def model(self) -> list[str]:
        """Return a normal law and keywords with theirs."""
        words = self.law("normal")
        for role in self.registry:
            if role == "tangential" or (role != "normal" and self.random.random() < 0.4):
                words += [role, *self.law(role)]
        if self.random.random() < 0.2:
            words += f"van_der_waals {10.0 ** self.random.uniform(-9, 1):.3g} 1e-3 0.1".split()
        if self.random.random() < 0.1:
            words.append("limit_damping")
        if self.random.random() < 0.1:
            words += ["cutoff", f"{self.random.uniform(0.5, 3):.3g}"]
        return words

    def pair_style(self) -> list[str]:
        """Return a `pair_style` command."""
        words = ["pair_style", "granular/plus"]
        if self.random.random() < 0.3:
            words.append(f"{self.random.uniform(0.5, 3):.3g}")
        if self.random.random() < 0.5:
            words += ["ledger", self.random.choice(("yes", "no"))]
        return words

    def pair_coeff(self) -> list[str]:
        """Return a `pair_coeff` command."""
        types = self.random.choice(("* *", "1 1", "1 2", "2 2", "1 *")).split()
        return ["pair_coeff", *types, *self.model()]

    def wall(self) -> list[str]:
        """Return a `fix` command of a wall."""
        wall = self.random.choice(WALLS).split()
        return ["fix", "wall", "all", "wall/granular/plus", *self.model(), *wall]

    def drawing(self, *kinds: str) -> str:
        """Return the name of a file that `drawings.write` can make."""
        kind = self.random.choice(kinds)
        return f"drawing-{self.random.randrange(10**9)}.{kind}"

    def mesh(self) -> list[str]:
        """Return a `fix` command of a wall of triangles, with options in any order."""
        options = self.random.sample(MESH_OPTIONS, self.random.choice((0, 0, 1, 2, 4)))
        model = self.model() if self.random.random() < 0.5 else MESH_MODEL.split()
        fix = ["fix", "wall", "all", "wall/granular/plus", *model]
        return [*fix, "mesh", self.drawing("stl", "bin"), *" ".join(options).split()]

    def shape(self) -> list[str]:
        """Return a `fix` command of grains of any shape."""
        words = ["fix", "shape", "shaped", "shape/granular/plus", "file"]
        words.append(self.drawing("stl", "bin", "obj"))
        words += ["density", f"{10.0 ** self.random.uniform(-3, 3):.3g}"]
        for option in ("surface facets", "surface smooth", "nodes 100", "cell 0.2", "cell 1e-3"):
            if self.random.random() < 0.2:
                words += option.split()
        if self.random.random() < 0.3:
            words += ["orient", "random", f"{self.random.randrange(1, 99)}"]
        if self.random.random() < 0.1:
            words += ["vtk", "1", "grains.*.vtp"]
        return words

    def film(self) -> list[str]:
        """Return a `fix` command of films."""
        words = ["fix", "dry", "all", "granular/film"]
        for option in ("rate 1e-3", "bridges yes", "supply 0.1 region ball", "initial 1e-3"):
            if self.random.random() < 0.5:
                words += option.split()
        return words

    def insertion(self) -> list[str]:
        """Return a `fix` command that feeds grains."""
        words = ["fix", "feed", "all", "granular/insert", "region", "ball", "seed", "7"]
        words += self.random.choice(("number 30", "mass 5")).split()
        sizes = (
            "one 0.5",
            "uniform 0.3 0.6",
            "sieve 0.3 0 0.5 0.4 0.6 1",
            "lognormal 0.4 1.2 0.3 0.6",
        )
        words += ["species", "1", "density", "1", "diameter", *self.random.choice(sizes).split()]
        for option in (
            "rate 10",
            "every 3",
            "tries 20",
            "velocity 0 0 -1",
            "film 1e-3",
            "face no.stl scale 2",
        ):
            if self.random.random() < 0.3:
                words += option.split()
        return words

    def bond(self) -> list[str]:
        """Return a command that forms bonds, or removes them."""
        if self.random.random() < 0.2:
            return ["fix_modify", "bonds", "remove", self.random.choice(("all", "shaped"))]
        words = ["fix", "bonds", "all", "granular/bond", "form", self.random.choice(("0", "0.1"))]
        for option in ("once", "every 1", "within type 1 *", "events cracks.csv"):
            if self.random.random() < 0.3:
                words += option.split()
        return words

    def temperature(self) -> list[str]:
        """Return the command for the temperature of poured grains."""
        initial = self.random.choice(("300", "v_push"))
        return ["fix", "hot", "all", "granular/temperature", "initial", initial]

    def compute(self) -> list[str]:
        """Return the `compute` command of the ledger."""
        return ["compute", "books", "all", "granular/ledger"]

    def liquid(self) -> list[str]:
        """Return a `pair_style` command of bridges alone."""
        return ["pair_style", "capillary/willett", f"{self.random.uniform(0.5, 3):.3g}"]
