"""Write a copy of the sources in which every coefficient of the laws can be changed at run time.

A coefficient is a parameter that a law declares, or a number in the law's header. The environment
variable GRANULAR_PLUS_MUTANT contains the name of one coefficient and a factor. The copy multiplies
this coefficient by the factor.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

try:
    from tests.mutation import guards
except ModuleNotFoundError:  # run as a script
    import guards  # type: ignore[no-redef]

ROOT = Path(__file__).parents[2]
COPIED = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "cmake", "inputs")
COPIED += ("lammps_plugins", "pysuite", "validation")
FOLDERS = ("normal", "damping", "tangential", "friction", "rolling", "twisting", "capillary")
FOLDERS += ("heat", "bond", "attraction", "stages")  # stages: code that all laws share
ROUNDING = 1e-8  # smaller numbers only guard against rounding, so they are not changed
VARIABLE = "GRANULAR_PLUS_MUTANT"  # its value is "NAME FACTOR"
SEEN = "GRANULAR_PLUS_MUTANTS_SEEN"  # path of a file to which laws named in scripts are added

NUMBER = re.compile(r"(?<![\w.])\d+\.\d*(?:[eE][-+]?\d+)?(?![\w.])")
# code without coefficients: comments, strings, tables of parameters, limits that concern rounding
LIMITS = r"RESTING|NO_KINK|SMALLEST|LEAST|LARGEST|LOWEST\w*|HIGHEST\w*|UNBOUNDED"
IGNORED = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"|static_assert[^;]*;"
    r"|(?:static )?constexpr (?!double)[^;()]*;|(?:static )?constexpr Parameter [^;]*;"
    r"|constexpr double (?:" + LIMITS + r")\b[^;]*;",
    re.DOTALL,
)
TABLE = re.compile(r"(static )?constexpr double (?=\w+(?:\[[^\]]*\])* = [^;]*MUTANT)")

HEADER = """\
// written by tests/mutation/mutants.py
#ifndef GRANULAR_PLUS_MUTANTS_H
#define GRANULAR_PLUS_MUTANTS_H
#include <cstdlib>
#include <cstring>
#include <string>
namespace granular_plus_mutants {
inline double factors[COUNT];
inline std::string chosen;
inline double factor_of_chosen = 1.0;
// The variable is "NAME FACTOR". NAME is the index of a number, or role/law/symbol of a parameter.
inline const bool known = [] {
  for (double &factor : factors) factor = 1.0;
  const char *text = std::getenv("GRANULAR_PLUS_MUTANT");
  if (!text || !*text) return false;
  const char *space = std::strrchr(text, ' ');
  chosen = std::string(text, space);
  factor_of_chosen = std::atof(space);
  if (chosen.find('/') == std::string::npos) factors[std::atoi(text)] = factor_of_chosen;
  return true;
}();
}
#define MUTANT(n, value) (granular_plus_mutants::factors[n] * (value))
#endif
"""

# parameters are changed after the check of their bounds, so that no changed value is refused
PARSED = "  return Parser(words, wall, following).parse();\n"
CHANGED = """\
  Choices found = Parser(words, wall, following).parse();
  const char *seen = std::getenv("GRANULAR_PLUS_MUTANTS_SEEN");
  const auto change = [seen](const std::string &role, const LawEntry &law,
                             std::vector<double> &values) {
    if (seen) std::ofstream(seen, std::ios::app) << role << ' ' << law.name << std::endl;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Parameter &parameter = law.parameters[k];
      const std::string name = role + "/" + law.name + "/" + parameter.symbol;
      if (name != granular_plus_mutants::chosen || values[k] == NULL_PARAMETER) continue;
      const double value = values[k], factor = granular_plus_mutants::factor_of_chosen;
      values[k] = within(parameter.bounds, value * factor) ? value * factor : value / factor;
    }
  };
  for (int r = 0; r < ROLES; ++r) {
    const Role role = static_cast<Role>(r);
    if (found.has(role)) change(role_name(role), found.law(role), found.choice[r].parameters);
  }
  if (!found.attraction.empty()) change("attraction", attraction_law(), found.attraction);
  return found;
"""


class Mutant(NamedTuple):
    """A coefficient that can be changed.

    Attributes:
        name: name of the coefficient in the environment variable.
        place: the law and the parameter, or the file, line and number.
        laws: names of the laws that use the coefficient; empty for code that several laws share.
        guard: the reason why no case needs to detect a change; empty if a case must detect it.
    """

    name: str
    place: str
    laws: tuple[str, ...]
    guard: str = ""


def write(folder: Path) -> list[Mutant]:
    """Write the copy to a folder; return the mutants that are numbers in headers."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy(source, folder / name)
    found: list[Mutant] = []
    laws = folder / "lammps_plugins" / "core" / "laws"
    for place in FOLDERS:
        for file in sorted((laws / place).glob("*.h")):
            text, own = instrumented(file.read_text(), f"{place}/{file.name}", len(found))
            file.write_text(text)
            found += own
    (laws / "mutants.h").write_text(HEADER.replace("COUNT", str(len(found))))
    _replace(laws / "lane.h", "#include <cmath>\n", '#include "mutants.h"\n\n#include <cmath>\n')
    parse = folder / "lammps_plugins" / "core" / "model" / "parse.cpp"
    _replace(parse, PARSED, CHANGED)
    _replace(
        parse,
        '#include "parse.h"\n',
        '#include "parse.h"\n\n#include "../laws/mutants.h"\n#include <fstream>\n',
    )
    return found


def instrumented(text: str, name: str, first: int) -> tuple[str, list[Mutant]]:
    laws = tuple(re.findall(r'\*name = "([^"]+)"', text))
    spared = [found.span() for found in IGNORED.finditer(text)]
    mutants: list[Mutant] = []
    parts, end = [], 0
    for found in NUMBER.finditer(text):
        inside = any(begin <= found.start() < stop for begin, stop in spared)
        if inside or not ROUNDING < float(found[0]) < 1.0 / ROUNDING:
            continue
        line = text.count("\n", 0, found.start()) + 1
        number = first + len(mutants)
        place = f"{name}:{line}: {found[0]}"
        guard = guards.reason(place, text.splitlines()[line - 1])
        mutants.append(Mutant(str(number), place, laws, guard))
        parts += [text[end : found.start()], f"MUTANT({number}, {found[0]})"]
        end = found.end()
    text = "".join([*parts, text[end:]])
    return TABLE.sub(
        lambda found: "static inline const double " if found[1] else "const double ", text
    ), mutants


def of_parameters(registry: dict[str, list]) -> list[Mutant]:
    return [
        Mutant(
            f"{role}/{law['name']}/{parameter['symbol']}",
            f"{role} {law['name']}: {parameter['symbol']}",
            (law["name"],),
        )
        for role, entries in registry.items()
        for law in entries
        for parameter in law["parameters"]
    ]


def _replace(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name} contains the replaced text {text.count(old)} times"
    file.write_text(text.replace(old, new))


if __name__ == "__main__":
    import json

    target = ROOT / "build" / "mutants"
    for stale in target.glob("survey-*.json"):
        stale.unlink(missing_ok=True)
    numbers = write(target / "source")
    (target / "numbers.json").write_text(json.dumps(numbers, indent=1))
