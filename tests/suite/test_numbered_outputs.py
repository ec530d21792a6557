"""Index numbers of outputs, written by hand in pages and scripts, agree with the tables.

LAMMPS numbers the outputs of a style, for example p15 of a pair or "entry 23" of a ledger.
`numbered_outputs.csv` lists the index numbers on each page and the names of these outputs.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from pysuite.outputs import (
    DISSIPATION,
    DISSIPATION_PAIRS,
    LEDGER,
    PAIR,
    VALUES_OF_GRANULAR,
    WALL,
)

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("numbered_outputs.csv")
REGISTER = [*csv.DictReader(TABLE.read_text().splitlines())]
GENERATED = re.compile(
    r"<!-- \S+: written by docs/generate_tables.py -->.*?<!-- end -->", re.DOTALL
)
# each page or script that uses one of these vectors defines the entries of the vector
WITHOUT_TABLE = {"c_liquid", "c_pair", "c_sums", "f_bond", "f_feed", "f_ID", "c_ID of liquid"}
TABLES = {
    "p": PAIR.names,
    "entry": LEDGER.names,
    "c_ledger": LEDGER.names,
    "f_floor": WALL.names,
    "f_lid": WALL.names,
    "f_funnel": WALL.names,
    "c_ID": [*DISSIPATION_PAIRS.names, *DISSIPATION.names],
}
TOKEN = re.compile(
    r"(?<![\w.$-])(?P<p>p)(?P<number>\d{1,2})(?![\w.%])"
    r"|\b(?P<vector>[cf]_\w+)\[(?P<index>\d+)\]"
    r"|\b[Ee]ntr(?:y|ies) (?P<entries>\d+(?:(?:–|, | and | to )\d+)*)"
)


def pages() -> list[Path]:
    """Return the pages except pages of results, which may show outputs of an earlier version."""
    found = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/tutorial/in.*")]
    return sorted(page for page in found if "results" not in page.parts)


def numbers(page: Path, text: str) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for match in TOKEN.finditer(GENERATED.sub("", text)):
        if match["p"]:
            found.add(("p", int(match["number"])))
        elif match["vector"]:
            liquid = match["vector"] == "c_ID" and page.name == "compute_granular_liquid.md"
            vector = "c_ID of liquid" if liquid else match["vector"]
            found.add((vector, int(match["index"])))
        else:
            found |= {("entry", int(one)) for one in re.findall(r"\d+", match["entries"])}
    return {(vector, number) for vector, number in found if vector not in WITHOUT_TABLE}


def registered(page: Path) -> dict[tuple[str, int], str]:
    own = [row for row in REGISTER if row["page"] == str(page.relative_to(ROOT))]
    return {(row["vector"], int(row["number"])): row["name"] for row in own}


def stale(page: Path, text: str) -> list[str]:
    known = registered(page)
    found = numbers(page, text)
    wrong = [f"{vector} {n} is not in numbered_outputs.csv" for vector, n in found - set(known)]
    wrong += [f"{vector} {n} is registered but not on the page" for vector, n in set(known) - found]
    for (vector, number), name in known.items():
        if TABLES[vector].index(name) + 1 != number:
            wrong.append(f"{vector} {number} is {TABLES[vector][number - 1]}, not {name}")
    return sorted(wrong)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_numbers_on_a_page_are_those_of_the_tables(page):
    assert stale(page, page.read_text()) == []


def test_every_registered_page_exists():
    assert {row["page"] for row in REGISTER} <= {str(page.relative_to(ROOT)) for page in pages()}


def test_a_stale_number_is_found():
    page = ROOT / "docs" / "howto" / "energy_ledger.md"
    text = page.read_text()
    assert stale(page, text.replace("p15", "p14")) == ["p 15 is registered but not on the page"]
    assert stale(page, f"{text} entry 22") == ["entry 22 is not in numbered_outputs.csv"]


def test_the_bridge_of_a_hybrid_style_has_its_number():
    bridge = PAIR.number("bridge")
    over = {"granular": VALUES_OF_GRANULAR + bridge, PAIR.style: len(PAIR.names) + bridge}
    script = (ROOT / "inputs" / "in.wet_overlay").read_text()
    words = r'granular" then "variable column string p(\d+)" else "variable column string p(\d+)"'
    (found,) = re.findall(words, script)
    assert [*map(int, found)] == [*over.values()]
    assert f"{VALUES_OF_GRANULAR} of granular or {len(PAIR.names)} of granular/plus" in script
    page = (ROOT / "docs" / "reference" / "pair_capillary_willett.md").read_text()
    assert f"pair/local p{over['granular']} " in page


def test_the_table_of_walls_has_the_numbers_of_the_vector():
    page = (ROOT / "docs" / "howto" / "walls.md").read_text()
    words = r"^\| the force on a wall \| `f_floor\[3\]` in `thermo_style`: (.*) \|$"
    (row,) = re.findall(words, page, re.MULTILINE)
    for name, first, last in re.findall(r"(\w+) (\d+)(?:–(\d+))?", row):
        numbered = WALL.names[int(first) - 1 : int(last or first)]
        assert numbered == ([f"{name}_{axis}" for axis in "xyz"] if last else [name])


def test_units_of_the_ledger_are_those_of_its_page():
    page = (ROOT / "docs" / "reference" / "compute_granular_ledger.md").read_text()
    numbers = r"([\d–, and]+)"
    words = (
        f"Entries {numbers} are in energy units, entries {numbers} are in volume units,"
        f" and entries {numbers} are"
    )
    (found,) = re.findall(words, page.replace("\n", " "))
    for ranges, unit in zip(found, ("energy", "volume", "1"), strict=True):
        told = {
            n
            for first, last in re.findall(r"(\d+)(?:–(\d+))?", ranges)
            for n in range(int(first), int(last or first) + 1)
        }
        assert told == {n for n, entry in enumerate(LEDGER.entries, 1) if entry.unit == unit}
