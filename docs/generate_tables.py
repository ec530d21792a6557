"""Write the manual's tables of models, parameters, keywords and outputs from the compiled code.

Run `python docs/generate_tables.py` after a law, a parameter, a keyword or an output has changed.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import math
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from types import FunctionType, ModuleType

from pysuite import laws, sources, statistics, validation
from pysuite.lammps.options import declared
from pysuite.outputs import (
    DISSIPATION,
    DISSIPATION_PAIRS,
    LEDGER,
    PAIR,
    VALUES_OF_GRANULAR,
    WALL,
    WALL_CONTACTS,
    WALL_LOCAL,
    Outputs,
)

REFERENCE = Path(__file__).with_name("reference")
# each table is between "<!-- NAME: written by ... -->" and the next "<!-- end -->"
BLOCK = r"(<!-- {}: written by docs/generate_tables.py -->\n)(.*?)(<!-- end -->\n)"
# The default law of a role is its first law in the registry. These roles have no default.
WITHOUT_DEFAULT = ("normal", "tangential")


def bounds(parameter: laws.Parameter) -> str:
    """Return the allowed values of a parameter as text."""
    parts = []
    if math.isfinite(parameter["low"]):
        parts.append(f"{'≥' if parameter['low_allowed'] else '>'} {parameter['low']:g}")
    if math.isfinite(parameter["high"]):
        parts.append(f"{'≤' if parameter['high_allowed'] else '<'} {parameter['high']:g}")
    if parameter["may_be_null"]:
        parts.append("or NULL")
    if parameter["may_be_steps"]:
        parts.append("or `steps` *n*")
    return ", ".join(parts).replace(", or", " or")


def argument(parameter: laws.Parameter) -> str:
    """Return an argument as written in the syntax, in brackets if it is optional."""
    text = f"{parameter['label']} *{parameter['symbol']}*".strip()
    # escaped, because two adjacent pairs of brackets would be a link
    return f"\\[{text}\\]" if parameter["may_be_missing"] else text


def models(role: str, entries: list[laws.Law]) -> list[str]:
    """Return the lines of the table of the models of one role, such as normal or damping."""
    lines = [f"| {role} | arguments | source |", "|---|---|---|"]
    for number, law in enumerate(entries):
        default = " (default)" if number == 0 and role not in WITHOUT_DEFAULT else ""
        arguments = " ".join(argument(parameter) for parameter in law["parameters"])
        # two numbers after one label share the brackets of this label
        arguments = arguments.replace("\\] \\[*", " *")
        lines.append(f"| `{law['name']}`{default} | {arguments or '–'} | {law['source']} |")
    return lines


def parameters(entries: list[laws.Law]) -> list[str]:
    """Return the rows of the parameters of these models; equal parameters share a row."""
    users: dict[tuple[str, ...], list[str]] = {}
    for law in entries:
        for parameter in law["parameters"]:
            texts = (parameter["symbol"], parameter["meaning"], parameter["unit"])
            users.setdefault((*texts, bounds(parameter)), []).append(f"`{law['name']}`")
    return [
        f"| *{symbol}* | {', '.join(names)} | {meaning} | {unit} | {limits} |"
        for (symbol, meaning, unit, limits), names in users.items()
    ]


def models_and_parameters() -> str:
    """Return the tables of all laws as Markdown."""
    lines = []
    for role, entries in laws.registry().items():
        lines += models(role, entries)
        rows = parameters(entries)
        if rows:
            lines += ["", "| argument | laws | meaning | unit | allowed |", "|---|---|---|---|---|"]
            lines += rows
        lines.append("")
    return "\n".join(lines)


def outputs(entries: Outputs, only: Collection[str] = ()) -> str:
    """Return a table of outputs; components of a vector share a row."""
    rows = [
        (entries.written.format(number), entry)
        for number, entry in enumerate(entries.entries, start=1)
        if not only or entry.name in only
    ]
    lines = ["| entry | name | unit | meaning |", "|---|---|---|---|"]
    for (unit, meaning), group in itertools.groupby(rows, lambda row: row[1][1:]):
        written, named = zip(*((number, f"`{entry.name}`") for number, entry in group), strict=True)
        lines.append(f"| {' '.join(written)} | {' '.join(named)} | {unit} | {meaning} |")
    return "\n".join([*lines, ""])


def options(*tables: str) -> str:
    """Return the keywords of a command as Markdown; equal operands are listed together."""
    lines = ["| keyword | meaning | values | default |", "|---|---|---|---|"]
    for table in tables:
        for option in declared():
            if option.table != table:
                continue
            values = []
            for text, group in itertools.groupby(option.operands, lambda one: one.explained):
                symbols = ", ".join(f"*{operand.symbol}*" for operand in group)
                if text:
                    values.append(f"{symbols}: {text.replace('>=', '≥').replace('<=', '≤')}")
            default = ": ".join(filter(None, ("required", option.one_of)))
            if not option.is_required:
                default = option.default
            cells = (f"`{option.syntax}`", option.meaning, "; ".join(values), default)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


OF_A_BRIDGE = ("separation_x", "separation_y", "separation_z", "bridge", "gap")
OF_A_BRIDGE += ("bridge_force", "bridge_energy", "bridge_volume", "viscous_force")
OF_A_BRIDGE += tuple(f"{name}_{axis}" for name in ("force", "normal", "point") for axis in "xyz")


def overlay() -> str:
    """Return a table of the index number of *bridge* in capillary/willett after other styles."""
    bridge = PAIR.number("bridge")
    lines = ["| preceding values | bridge |", "|---|---|"]
    for style, count in {"granular": VALUES_OF_GRANULAR, PAIR.style: len(PAIR.names)}.items():
        lines.append(f"| {count} of `{style}` | p{count + bridge} |")
    return "\n".join([*lines, ""])


def papers() -> str:
    """Return the bibliography. Each entry lists the laws and cases that cite it."""
    users: dict[str, list[str]] = {key: [] for key in sources.bibliography()}
    for role, entries in laws.registry().items():
        for law in entries:
            for key in law["cites"]:
                users[key].append(f"{role} `{law['name']}`")
    for key in laws.attraction()["cites"]:
        users[key].append(f"`{laws.attraction()['name']}`")
    for case in validation.discover():
        for key in dict.fromkeys(sources.keys(case.source)):
            users[key].append(f"case {case.name}")
    rows = sorted((sources.full(key), ", ".join(found)) for key, found in users.items())
    lines = ["| paper | cited by |", "|---|---|"]
    return "\n".join([*lines, *(f"| {text} | {found} |" for text, found in rows), ""])


# sections of a docstring whose entries are "name: meaning"
ENTRIES = ("Args", "Attributes", "Keys", "Raises")
SECTION = re.compile(rf"({'|'.join(ENTRIES)}|Returns|Yields):$")


def markdown_of(docstring: str) -> str:
    """Return a docstring in Google's style as Markdown."""
    lines = []
    section, in_example = "", False
    for line in inspect.cleandoc(docstring).splitlines():
        if line.startswith(">>> ") and not in_example:
            lines.append("```python")
        if in_example and not line:
            lines.append("```")
        in_example = line.startswith(">>> ") or (in_example and line != "")
        if found := SECTION.match(line):
            section = found[1]
            lines += [f"**{section}**", ""]
        elif line and not line.startswith(" "):
            section = ""
            lines.append(line)
        elif entry := section in ENTRIES and re.match(r"    (\S+?): (.*)", line):
            lines.append(f"* `{entry[1]}`: {entry[2]}")
        else:
            lines.append(f"  {line.strip()}".rstrip() if section in ENTRIES else line.strip())
    return "\n".join([*lines, "```"] if in_example else lines)


def signature(name: str, function: object) -> str:
    """Return a block of code with the signature of a function. Types are shown as in the source."""
    shown, parameters = [], inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        known = parameter.annotation is not parameter.empty
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = stars.get(parameter.kind, "") + parameter.name
        if known:
            text += f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            value = getattr(parameter.default, "__name__", None) or repr(parameter.default)
            value = "LEVEL" if parameter.default == statistics.LEVEL else value
            text += f"{' = ' if known else '='}{value.replace('PosixPath', 'Path')}"
        shown.append(text)
    result = inspect.signature(function).return_annotation
    arrow = (
        f" -> {result}" if isinstance(result, str) and isinstance(function, FunctionType) else ""
    )
    call = f"{name}({', '.join(shown)}){arrow}"
    if len(call) > 100:
        call = "\n".join([f"{name}(", *(f"    {part}," for part in shown), f"){arrow}"])
        call = call.replace("    *,,", "    *,")
    return f"```python\n{call}\n```"


def described(name: str, member: object) -> Iterator[str]:
    """Yield the paragraphs on a function, a class with its methods, or a constant."""
    yield f"### {name}"
    if not callable(member):
        yield f"`{member!r}`"
        return
    if (
        isinstance(member, FunctionType)
        or "__init__" in vars(member)
        or hasattr(member, "__dataclass_fields__")
    ):
        yield signature(name, member)
    yield markdown_of(member.__doc__ or "")
    if isinstance(member, FunctionType):
        return
    for attribute, value in vars(member).items():
        function = getattr(value, "__func__", getattr(value, "fget", None) or value)
        function = getattr(function, "func", function)  # of a cached property
        if attribute.startswith("_") or not isinstance(function, FunctionType):
            continue
        called = isinstance(value, FunctionType | staticmethod | classmethod)
        yield f"#### {name}.{attribute}"
        if called:
            yield signature(attribute, function)
        yield markdown_of(function.__doc__ or "")


def python_module(name: str, members: str = "") -> str:
    """Return the docstrings of a module and of these members as Markdown.

    Without names, all public members that the module defines are included.
    """
    module = importlib.import_module(name)
    names = members.split() or [
        member
        for member, value in vars(module).items()
        if getattr(value, "__module__", None) == name
        and not member.startswith("_")
        and not isinstance(value, ModuleType)
    ]
    paragraphs = [markdown_of(module.__doc__ or "")]
    for member in names:
        paragraphs += described(member, getattr(module, member))
    return "\n\n".join(paragraphs) + "\n"


PYTHON = {
    "pysuite.engine": "run sweep Run Session LammpsError EngineError",
    "pysuite.outputs": "STORED LOSSES Outputs Output pair_local",
    "pysuite.measure": "surface angle_of_repose felt heap_surface heap_angle mass_flow"
    " coordination Coordination fabric anisotropy bulk_density Bulk fragments fragment_numbers",
    "pysuite.lab": "run Outcome Grading heap drum hopper silo shear triaxial oedometer packing",
    "pysuite.lab.calibrate": "calibrate Calibration Design",
    "pysuite.lab.inference": "Parameter Target Posterior",
    "pysuite.lab.surrogate": "Surrogate",
    "pysuite.measure.fields": "fields grid read_box",
    "pysuite.measure.volumes": "around block region Volume Box",
    "pysuite.pouring": "",
    "pysuite.laws": "",
    "pysuite.shapes": "Shape Mesh Contact contact contact_with_plane distance_to_triangles read"
    " sphere ellipsoid superellipsoid box cube tetrahedron cylinder rock",
    "pysuite.measure.timestep": "advise Advice",
    "pysuite.validation": "Case Context judge",
    "pysuite.statistics": "Interval numerical refined mean root_mean_square series difference"
    " pooled weighted ratio fraction correlation slope extrapolated bend jackknife",
}
PAGES = {
    REFERENCE / "python.md": {
        name: functools.partial(python_module, name, members) for name, members in PYTHON.items()
    },
    REFERENCE / "pair_granular_plus.md": {
        "options": functools.partial(options, "pair_style granular/plus"),
        "tables": models_and_parameters,
        "outputs": functools.partial(outputs, PAIR),
    },
    REFERENCE / "compute_granular_ledger.md": {
        "options": functools.partial(options, "compute granular/ledger"),
        "outputs": functools.partial(outputs, LEDGER),
    },
    REFERENCE / "run_style_verlet_plus_gpu.md": {
        "options": functools.partial(options, "run_style verlet/plus/gpu"),
    },
    REFERENCE / "fix_wall_granular_plus.md": {
        "options": functools.partial(options, "motion of walls", "wall/granular/plus"),
        "mesh options": functools.partial(options, "placement of meshes", "meshes as walls"),
        "outputs": functools.partial(outputs, WALL),
        "contacts": functools.partial(outputs, WALL_CONTACTS),
        "local": functools.partial(outputs, WALL_LOCAL),
    },
    REFERENCE / "compute_granular_dissipation.md": {
        "outputs": functools.partial(outputs, DISSIPATION),
        "pairs": functools.partial(outputs, DISSIPATION_PAIRS),
    },
    **{
        REFERENCE / f"fix_{style.replace('/', '_')}.md": {
            "options": functools.partial(options, style)
        }
        for style in (
            "granular/film",
            "granular/insert",
            "granular/temperature",
            "shape/granular/plus",
        )
    },
    REFERENCE / "fix_granular_bond.md": {
        "options": functools.partial(options, "granular/bond"),
        "fix_modify": functools.partial(options, "fix_modify granular/bond"),
    },
    REFERENCE / "sources.md": {"sources": papers},
    REFERENCE / "pair_capillary_willett.md": {
        "outputs": functools.partial(outputs, PAIR, OF_A_BRIDGE),
        "overlay": overlay,
    },
}


def renewed(page: Path, text: str) -> str:
    """Return the text of a page with updated tables."""
    for name, write in PAGES[page].items():
        block = re.compile(BLOCK.format(name), re.DOTALL)
        assert block.search(text), f"{page.name} has no block {name}"
        text = block.sub(lambda found, write=write: f"{found[1]}\n{write()}\n{found[3]}", text)
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(renewed(page, page.read_text()))
