"""Check that numbers quoted in documents from pages of docs/results agree with these pages.

`make release-check` prints each quotation that a document lacks. If results have changed, correct
the document by hand. If you change the wording of a quoted sentence in a document, change it here
too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pysuite.validation import claims

README = "README.md"
PARAMETERS = "docs/howto/choosing_parameters.md"
LEDGER = "docs/reference/compute_granular_ledger.md"
PAIR = "docs/reference/pair_granular_plus.md"
SPEED = "docs/howto/speed.md"
THEORY = "docs/explanation/theory_csds.md"
GAMMA = "x_\N{GREEK SMALL LETTER GAMMA}"


class Quotation(NamedTuple):
    """A text that a document must contain, with numbers from a page of results."""

    page: str
    text: str


class Results:
    """The pages of results of a project."""

    def __init__(self, root: Path):
        self.folder = root / "docs" / "results"
        self.validation = self.text("validation.md")

    def text(self, page: str) -> str:
        """Return the text of a page of results."""
        return (self.folder / page).read_text(encoding="utf-8")

    def measured(self, quantity: str) -> float:
        """Return the value in the only row that begins with a quantity.

        Raises ValueError if there is no such row, or more than one.
        """
        row = rf"^\| {re.escape(quantity)}[^|]*\| ([-+.e\d]+)"
        found = re.findall(row, self.validation, re.MULTILINE)
        if len(found) != 1:
            raise ValueError(
                f"validation.md: {len(found)} rows begin with {quantity!r}; exactly one row must"
            )
        return float(found[0])

    def percent(self, quantity: str) -> str:
        """Return the value of a quantity as a percentage."""
        return f"{100 * self.measured(quantity):.0f} %"

    def times(self, style: str, column: int) -> dict[str, float]:
        """Return a column of a style's rows, by benchmark and ranks."""
        found = {}
        for section in self.text("performance.md").split("\n**")[1:]:
            row = re.search(rf"^\| {style} \|(.*)\|$", section, re.MULTILINE)
            if re.match("chute|dense|gas", section) and row:
                found[section.partition("**")[0]] = float(row[1].split("|")[column].split()[0])
        return found

    def ratios(self, page: str, row: str) -> list[float]:
        """Return the number that a pattern captures in each of a page's rows."""
        return [float(number) for number in re.findall(row, self.text(page), re.MULTILINE)]


def between(values: Iterable[float], digits: int = 1) -> str:
    """Return the range of values as text."""
    listed = list(values)
    return f"{min(listed):.{digits}f} to {max(listed):.{digits}f}"


def words(root: Path, page: str) -> str:
    """Return the prose of a page in one line, without blocks of code and addresses of links."""
    text = (root / page).read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return " ".join(re.sub(r"(?<=\])\([^)]*\)", "", prose).split())


def of_speed(results: Results) -> list[Quotation]:
    """Return the quotations of the speed of forces, whole steps and whole runs."""
    pair = between((1.0 / ratio for ratio in results.times("plus-csds", 2).values()), 0)
    loops = results.times("plus-csds", 4)
    loop = between(1.0 / ratio for ratio in loops.values())
    pair_of_gran = between(1.0 / ratio for ratio in results.times("plus-csds", 3).values())
    loops_of_gran = results.times("gran-hertz", 4)
    loop_of_gran = between(loops_of_gran[benchmark] / loops[benchmark] for benchmark in loops)
    whole = r"^\| [\w-]+: [^|]*\| LAMMPS \|[^|]*\|[^|]*\| ([.\d]+)"
    runs = between(1.0 / ratio for ratio in results.ratios("performance.md", whole))
    examples = between(results.ratios("conversion.md", r"\| ([.\d]+) \([^|]*\) \|$"))
    forces, steps = (
        [time / results.times("plus-csds", column)[benchmark] for benchmark, time in rows.items()]
        for column, rows in ((column, results.times("plus-ledger", column)) for column in (2, 4))
    )
    return [
        Quotation(README, f"computes their pair forces {pair} times as fast"),
        Quotation(README, f"forces between grains {pair} times as fast"),
        Quotation(README, f"whole steps without walls {loop} times as fast"),
        Quotation(README, f"whole runs with walls {runs} times as fast"),
        Quotation(README, f"forces {pair_of_gran} times and whole steps {loop_of_gran} times"),
        Quotation(README, f"example scripts take {examples} times as long"),
        Quotation(SPEED, f"forces take {between(forces)} times as long"),
        Quotation(SPEED, f"whole steps without walls {np.mean(steps):.1f} times"),
    ]


CREATED = {
    "dsds": "D-SDS, constant stiffness: energy created",
    "rescale": "D-SDS, mindlin_rescale/force: energy",
    "mindlin": "C-SDS, mindlin, whose stiffness grows",
}


def of_packings(results: Results) -> list[Quotation]:
    """Return the quotations of the energy that friction creates in packings."""
    created = {key: results.percent(quantity) for key, quantity in CREATED.items()}
    return [
        Quotation(
            THEORY,
            f"`dsds` created energy equal to {created['dsds']} of the total loss with"
            f" `linear_history`, and {created['rescale']} with",
        ),
        *(
            Quotation(page, f"energy equal to {created['mindlin']} of the total loss")
            for page in (README, THEORY)
        ),
    ]


def other_percentages(root: Path, results: Results) -> list[str]:
    """Return a message for each quoted percentage of energy that is not a result of the suite."""
    known = {results.percent(quantity) for quantity in CREATED.values()}
    of_one_impact = {"84 %"}  # tests/suite/test_documents.py
    problems = []
    for page in (README, LEDGER, THEORY, PARAMETERS, PAIR):
        sentences = re.split(r"(?<=[.:;])\s+", words(root, page))
        compared = [text for text in sentences if re.search("as much|energy equal to", text)]
        quoted = {n for text in compared for n in re.findall(r"\d+ %", text)}
        for number in sorted(quoted - known - of_one_impact):
            problems.append(f"{page} quotes {number}, which is not a result of ledger-balance")
    return problems


def of_impacts(results: Results) -> list[Quotation]:
    """Return the quotations of README's figure, and of the energy that Mindlin models create."""
    row = r"^\| `granular`: largest energy gain .* angle (\d+) degrees, .* x_gamma = (\d+)"
    angle, strong = re.findall(row, results.validation, re.MULTILINE)[0]
    rises = re.findall(r"Largest rise with C-SDS: (.*)\. Only", results.validation)[0]
    rise = dict(re.findall(r"(mindlin\S*) (\S+) \(", rises))
    largest = [
        f"{100 * float(rise[model]):.1f} %"
        for model in ("mindlin", "mindlin/force", "mindlin_rescale")
    ]
    return [
        Quotation(README, f"between relative velocity and contact normal is {angle}°"),
        Quotation(README, f"strong tangential dashpot, {GAMMA} = {strong}, and small with"),
        Quotation(PAIR, f"by up to {largest[0]}, {largest[1]} and {largest[2]} of"),
    ]


def of_gases(results: Results) -> list[Quotation]:
    """Return the sentences that quote the errors of the D-SDS in a gas with friction 1."""
    row = "e = 0.6, x_gamma = {}, friction 1: logarithm of the ratio of {}"
    weak, strong, energy = (
        100.0 * np.expm1(results.measured(row.format(damping, ratio)))
        for damping, ratio in (
            (1.78, "granular temperatures"),
            (3.33, "granular temperatures"),
            (1.78, "all energy left"),
        )
    )
    return [
        Quotation(THEORY, f"the final temperature is {weak:.0f} % too high if $m$ is the mass of"),
        Quotation(THEORY, f"and {strong:.0f} % too high if $m$ is the effective mass"),
        Quotation(THEORY, f"1.78$ the final energy is {-energy:.1f} % too low"),
    ]


def of_claims(root: Path, results: Results) -> list[str]:
    """Return the errors in the page of claims: a missing claim, or an unexpected finding."""
    text, page = results.text("claims.md"), "docs/results/claims.md"
    rows = [line for line in text.splitlines() if line.startswith("| ") and line.count("|") > 4]
    found = [
        f"{page} lacks claim {number} with the wording of the register"
        for number, claim in claims.register(root / "validation").items()
        if f"| {number} | {claim.text}" not in text
    ]
    findings = ((row.split("|")[1].strip(), row.split("|")[3]) for row in rows)
    return found + [
        f"{page}: claim {number} is{finding}" for number, finding in findings if ", not " in finding
    ]


def problems(root: Path) -> list[str]:
    """Return a message for each quotation that a document lacks."""
    results = Results(root)
    found = []
    for make in (of_speed, of_packings, of_impacts, of_gases):
        try:
            quoted = make(results)
        except (ValueError, IndexError, KeyError) as error:
            found.append(f"{make.__name__} of docs/quotations.py: row not found: {error}")
            continue
        found += [
            f"{page} should read {text!r}" for page, text in quoted if text not in words(root, page)
        ]
    return found + other_percentages(root, results) + of_claims(root, results)


if __name__ == "__main__":
    sys.exit("\n".join(problems(Path(__file__).resolve().parents[1])) or None)
