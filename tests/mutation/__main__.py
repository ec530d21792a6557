"""Change each coefficient of every law slightly, one at a time, and find a case that fails.

    make mutate                 every coefficient; the cases run in tier smoke
    make mutate ONLY='*hertz*'  coefficients whose place matches, for example normal/hertz.h

The results are written to docs/results/mutations.md. The program runs in an environment built by
`make mutate`. In this environment, every coefficient of the laws can be changed at run time. A
changed coefficient is called a mutant. The program takes these steps until a case or a test fails:

  1. Change the coefficient by 5 %. For half a minute, run cases whose scripts name its law.
  2. Double the coefficient. Run unit tests that name its law.
  3. Run the cases with the doubled coefficient. If one fails, reduce the change step by step.
  4. Run further files of unit tests with the doubled coefficient. This step takes a quarter of an
     hour for all mutants together.

The numbers listed in guards.py go through the first step only. The next call continues from the
stored results. A coefficient is tried again only if its header has changed. All coefficients are
tried again if a file of this folder, the name of a case or the name of a file of unit tests has
changed.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent import futures
from pathlib import Path
from typing import Any

from pysuite import laws, validation
from tests.mutation import mutants

FOLDER = mutants.ROOT / "build" / "mutants"
PAGE = mutants.ROOT / "docs" / "results" / "mutations.md"
RESULTS = FOLDER / "results.json"
# the folders of headers that are not named after the role
FOLDER_OF_ROLE = {"slider": "friction", "bridge": "capillary"}
OPTIONAL = ("bridge", "rolling", "twisting", "bond", "attraction")  # roles that may be absent
CHANGE = 0.05
SECONDS = 30.0  # seconds for the cases of a mutant, and again for its unit tests
LAST_PASS = 900.0  # seconds for the further unit tests of all remaining mutants together
TOO_LONG = 600.0  # seconds after which a case or a file of tests is taken to hang
SLOWER = 2.0  # factor for a busy machine
NEVER_ENDS = "does not end"
HANGS = 2  # a pass stops after this number of cases or tests that do not end
NO_TESTS = 5  # exit status of pytest if it has run no tests
KILLED = re.compile(r"timeout: .* had not finished after [\d.]+ s|subprocess\.TimeoutExpired: ")
LARGER = (0.1, 0.2, 0.5, 1.0)  # changes tried if nothing fails after a change of 0.05
UNIT_TESTS = (
    "tests/laws",
    "tests/shapes",
    "tests/styles/test_ledger.py",
    "tests/styles/test_bridges.py",
    "tests/styles/test_grain_liquid.py",
    "tests/styles/test_actm.py",
    "tests/styles/test_cohesion.py",
    "tests/styles/test_shapes.py",
    "tests/styles/test_superset.py",
    "tests/styles/test_powders.py",
    "tests/styles/test_van_der_waals.py",
    "tests/styles/test_bonds.py",
    "tests/styles/test_surroundings.py",
    "tests/styles/test_walls.py",
    "tests/styles/test_wall_ledger.py",
    "tests/styles/test_heat.py",
    "tests/styles/test_dissipation.py",
)
# the file of unit tests that runs first for mutants in a header
ABOUT = {
    "friction/csds.h": "tests/styles/test_ledger.py",
    "friction/dsds.h": "tests/styles/test_ledger.py",
    "friction/truncate.h": "tests/styles/test_ledger.py",
    "normal/actm.h": "tests/styles/test_ledger.py",
    "stages/ending.h": "tests/styles/test_ledger.py",
    "stages/normal.h": "tests/styles/test_ledger.py",
    "stages/tangential.h": "tests/styles/test_ledger.py",
}
HEAD = f"""# Mutations of the laws

The coefficients of a law are its parameters and the numbers in its header. Each coefficient is
tested separately:

1. The coefficient is increased by {CHANGE:.0%}, or decreased if a larger parameter is not allowed.
   Then `make mutate` runs cases of tier smoke whose scripts name the law. It stops if a case fails,
   or after about {SECONDS:.0f} seconds. Cases that have caught other coefficients of the header
   come first, then the quickest cases.
2. If no case fails, the coefficient is doubled. Then `make mutate` runs files of unit tests that
   name the law, also for about {SECONDS:.0f} seconds. If the header fills the ledger, the file that
   tests the ledger comes first.
3. If the tests pass, the cases run again with the doubled coefficient. If one fails, the table
   gives the smallest change at which this case still fails.
4. If no case fails either, further files of unit tests that name the law are run with the doubled
   coefficient. This step takes {LAST_PASS / 60:.0f} minutes for all remaining coefficients
   together.

Written by `make mutate`.
"""


def survey(tier: str) -> dict[str, dict[str, Any]]:
    """Return, for each passing case, its duration in seconds and the laws named in its scripts."""

    def passes(case: validation.Case) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            return validation.run_case(case, Path(folder), tier=tier).passed

    chosen = {case.name: case for case in validation.discover() if case.runs_in(tier)}
    return _survey(chosen, lambda name: passes(chosen[name]))


def survey_of_tests() -> dict[str, dict[str, Any]]:
    return _survey(unit_tests(), lambda file: not first_unit_test(None, [file]))


def unit_tests() -> list[str]:
    return [
        file.relative_to(mutants.ROOT).as_posix()
        for name in UNIT_TESTS
        for file in sorted((mutants.ROOT / name).glob("test_*.py")) or [mutants.ROOT / name]
    ]


def _survey(names: Iterable[str], passes: Callable[[str], bool]) -> dict[str, dict[str, Any]]:
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            seen = Path(folder) / "seen"
            os.environ[mutants.SEEN] = str(seen)
            start = time.monotonic()
            green = passes(name)
            del os.environ[mutants.SEEN]
            named = sorted(set(seen.read_text().splitlines())) if seen.is_file() else []
        if green:
            found[name] = {"laws": named, "seconds": time.monotonic() - start}
        else:
            print(f"{name} fails without any mutant and is left out", flush=True)
    return found


def kept_survey(
    name: str, rules: str, make: Callable[[], dict[str, dict[str, Any]]]
) -> dict[str, dict[str, Any]]:
    file = FOLDER / f"survey-{name}.json"
    kept = json.loads(file.read_text()) if file.is_file() else {}
    if kept.get("rules") != rules:
        kept = {"rules": rules, "found": make()}
        file.write_text(json.dumps(kept, indent=1))
    return kept["found"]


def may_run(mutant: mutants.Mutant, laws_named: Iterable[str]) -> bool:
    """Return whether a case might execute the mutated code.

    `laws_named` lists the laws in the scripts of the case, each as "role name".
    """
    if mutant.laws:
        # a mutant of willett/simple also affects willett/simple/film
        families = tuple(f"{law}/" for law in mutant.laws)
        names = [text.split()[1] for text in laws_named]
        return any(name in mutant.laws or name.startswith(families) for name in names)
    folder, _, file = mutant.place.partition(":")[0].partition("/")
    role = file.removesuffix(".h")
    if folder == "stages" and role in OPTIONAL:
        return any(text.startswith(role) and text != f"{role} none" for text in laws_named)
    return True


def concerned(
    mutant: mutants.Mutant,
    surveyed: dict[str, dict[str, Any]],
    found: dict[str, dict[str, Any]],
    seconds: float = SECONDS,
) -> list[str]:
    """Return the cases or files of tests for a mutant, in the order in which they will be run.

    Their total duration is about `seconds`.
    """
    header = mutant.place.partition(":")[0]
    caught = Counter(
        (row["caught"] or row.get("unit", "")).partition(":")[0]
        for row in found.values()
        if row["place"].partition(":")[0] == header
    )
    names = [
        name for name, about in surveyed.items() if about["laws"] and may_run(mutant, about["laws"])
    ]
    names.sort(
        key=lambda name: (name != ABOUT.get(header), -caught[name], surveyed[name]["seconds"])
    )
    until = itertools.accumulate(surveyed[name]["seconds"] for name in names[:-1])
    return names[:1] + [
        name for name, spent in zip(names[1:], until, strict=True) if spent < seconds
    ]


def first_red(mutant: mutants.Mutant, names: list[str], change: float, tier: str) -> str:
    """Return the first case that fails, with its failing quantity.

    If no case fails, return the first case that does not end. Return "" if all cases pass.
    """
    known = {case.name: case for case in validation.discover()}
    hung: list[str] = []
    os.environ[mutants.VARIABLE] = f"{mutant.name} {1.0 + change!r}"
    try:
        for name in names:
            with tempfile.TemporaryDirectory() as folder:
                result = validation.run_case(known[name], Path(folder), tier=tier, timeout=TOO_LONG)
            # if a case ends with an error, its last verdict only states the error
            judged = result.verdicts[:-1] if result.error else result.verdicts
            red = [verdict.quantity for verdict in judged if not verdict.passed]
            if result.passed:
                continue
            if red or not KILLED.search(result.error or ""):
                return f"{name}: {red[0] if red else 'ends with an error'}"
            hung.append(f"{name} {NEVER_ENDS}")
            if len(hung) == HANGS:
                break
    finally:
        del os.environ[mutants.VARIABLE]
    return hung[0] if hung else ""


def noted(row: dict[str, Any], kind: str, text: str, change: float) -> dict[str, Any]:
    """Return the row with `text`, the case or test that failed, in column `kind`.

    A case or test that does not end is entered in column `endless` instead. A later failure clears
    this column.
    """
    endless = row.get("endless", "")
    if text.endswith(NEVER_ENDS):
        text, endless = "", endless or f"{text} at a change of {change:.0%}"
    return row | {kind: text, "endless": "" if text else endless}


def by_a_little(
    mutant: mutants.Mutant, row: dict[str, Any], names: list[str], tier: str, change: float = CHANGE
) -> dict[str, Any]:
    caught = first_red(mutant, names, change, tier)
    return noted(row, "caught", caught, change) | {"change": change, "cases": len(names)}


def from_which(
    mutant: mutants.Mutant, row: dict[str, Any], names: list[str], tier: str
) -> dict[str, Any]:
    """Return the row with the smallest change, up to 100 %, at which a case fails."""
    row = by_a_little(mutant, row, names, tier, LARGER[-1])
    for change in reversed(LARGER[:-1]):
        if not row["caught"]:
            break
        less = by_a_little(mutant, row, [row["caught"].partition(":")[0]], tier, change)
        if not less["caught"]:
            break
        row = less | {"cases": len(names)}
    return row


def first_unit_test(
    mutant: mutants.Mutant | None, files: list[str], limit: float | None = None
) -> str:
    """Return the first test of these files that fails.

    The tests run with the doubled coefficient of the mutant. If `mutant` is None, no coefficient is
    changed. If no test fails, return the first test that does not end, or the first file that takes
    longer than `limit` seconds. Return "" if all tests pass.
    """
    hung: list[str] = []
    for file in files:
        # after a test that does not end, run the other tests of the file
        while len(hung) < HANGS and (test := _unit_test(mutant, file, hung, limit)):
            if not test.endswith(NEVER_ENDS):
                return test
            hung.append(test)
    return hung[0] if hung else ""


def _unit_test(
    mutant: mutants.Mutant | None, file: str, hung: list[str], limit: float | None
) -> str:
    changed = {mutants.VARIABLE: f"{mutant.name} {1.0 + LARGER[-1]!r}"} if mutant else {}
    # Tests on several ranks take long. --deselect removes all tests whose names begin with the
    # given name.
    chosen = ["-m", "not slow and not long", "-k", "not ranks"]
    chosen += [f"--deselect={text.removesuffix(f' {NEVER_ENDS}')}" for text in hung]
    command = [sys.executable, "-m", "pytest", "-x", "-q", *chosen, file]
    try:
        run = subprocess.run(
            command,
            cwd=mutants.ROOT,
            env=os.environ | changed,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return f"{file} {NEVER_ENDS}"
    if run.returncode == 0 or (hung and run.returncode == NO_TESTS):
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    test = failed[1] if failed else "ends with an error"
    return f"{test} {NEVER_ENDS}" if KILLED.search(run.stdout) else test


def time_limit(among: dict[str, dict[str, Any]], jobs: int) -> float:
    """Return the number of seconds after which a file of tests is taken to hang."""
    longest = max((about["seconds"] for about in among.values()), default=0.0)
    return max(TOO_LONG, SLOWER * jobs * longest)


def by_unit_test(
    mutant: mutants.Mutant, row: dict[str, Any], files: list[str], limit: float
) -> dict[str, Any]:
    tried = row.get("files", [])
    new = [file for file in files if file not in tried]
    caught = first_unit_test(mutant, new, limit)
    return noted(row, "unit", caught, LARGER[-1]) | {"files": tried + new}


def page(found: dict[str, dict], known: int, names: Iterable[str]) -> str:
    """Return the text of the page; `names` are the cases that have been run."""
    rows = sorted(found.values(), key=lambda row: row["place"])
    caught = [row for row in rows if row["caught"] and row["change"] == CHANGE]
    late = [row for row in rows if row["caught"] and row["change"] != CHANGE]
    endless = [row for row in rows if row.get("endless")]
    left = [row for row in rows if not row["caught"] and not row.get("endless")]
    guards = [row for row in left if row.get("guard")]
    units = [row for row in left if row.get("unit")]
    never = [row for row in left if not row.get("unit") and not row.get("guard")]
    lines = [HEAD]
    lines += [f"{len(rows)} of {known} coefficients have been tried. {len(caught)} were caught,"]
    lines += [f"{len(late)} after a larger change only, {len(units)} by a unit test only, and"]
    lines += [f"{len(never)} were not caught. {len(endless)} only keep a case or test from ending."]
    lines += [f"{len(guards)} are guards and placeholders."]
    lines += ["", f"Cases that were run: {', '.join(sorted(names))}.", "", "## Caught", ""]
    lines += ["| coefficient | first case that fails, and its quantity |", "|---|---|"]
    lines += [_row(row["place"], row["caught"]) for row in caught]
    lines += [
        "",
        "## Caught after a larger change only",
        "",
        "| coefficient | at a change of | case |",
        "|---|---|---|",
    ]
    lines += [_row(row["place"], f"{row['change']:.0%}", row["caught"]) for row in late]
    lines += ["", "## Caught by a unit test only", "", "| coefficient | at a change of | test |"]
    lines += ["|---|---|---|"]
    lines += [_row(row["place"], f"{LARGER[-1]:.0%}", row["unit"]) for row in units]
    lines += [
        "",
        "## Cases or tests that do not end",
        "",
        "If a coefficient in this table is changed, a case or a test does not end, but none fails.",
        f"It does not count as caught. A pass stops after {HANGS} cases or tests that do not end.",
        "",
        "| coefficient | first case or test that does not end |",
        "|---|---|",
    ]
    lines += [_row(row["place"], row["endless"]) for row in endless]
    lines += [
        "",
        "## Guards and placeholders",
        "",
        "| number | reason why no case needs to detect a change |",
        "|---|---|",
    ]
    lines += [_row(row["place"], row["guard"]) for row in guards]
    lines += [
        "",
        "## Not caught",
        "",
        "| coefficient | changed by up to | cases tried | files of unit tests tried |",
        "|---|---|---|---|",
    ]
    lines += [
        _row(
            row["place"],
            f"{row['change']:.0%}",
            str(row["cases"] or "none"),
            str(len(row.get("files", ())) or "none"),
        )
        for row in never
    ]
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def keyed(everyone: Iterable[mutants.Mutant]) -> dict[str, mutants.Mutant]:
    """Return a dictionary of the mutants by place.

    If several mutants have the same place, a counter is added to the key.
    """
    found: dict[str, mutants.Mutant] = {}
    for mutant in everyone:
        key, times = mutant.place, 1
        while key in found:
            times += 1
            key = f"{mutant.place} ({times})"
        found[key] = mutant
    return found


def digests() -> dict[str, str]:
    folder = mutants.ROOT / "lammps_plugins" / "core" / "laws"
    return {
        header.relative_to(folder).as_posix(): hashlib.sha256(header.read_bytes()).hexdigest()
        for place in mutants.FOLDERS
        for header in sorted((folder / place).glob("*.h"))
    }


def rules_of_today() -> str:
    """Return a hash of the code of this folder and the names of all cases and test files."""
    here = sorted((mutants.ROOT / "tests" / "mutation").glob("*.py"))
    names = [case.name for case in validation.discover()] + unit_tests()
    decides = b"".join(file.read_bytes() for file in here) + "\n".join(names).encode()
    return hashlib.sha256(decides).hexdigest()


def kept_results(present: dict[str, str], rules: str, results: Path) -> dict[str, dict[str, Any]]:
    """Return the stored results that are still valid.

    The result for a number depends on its header. The result for a parameter depends on all headers
    in the folder of its role. If the rules have changed, no result is valid.
    """
    kept = json.loads(results.read_text()) if results.is_file() else {}
    if kept.get("rules") != rules:
        return {}
    then = kept["headers"]
    changed = {name for name in {*present, *then} if present.get(name) != then.get(name)}

    def holds(key: str) -> bool:
        header = key.partition(":")[0]
        if header.endswith(".h"):
            return header not in changed
        role = header.partition(" ")[0]
        folder = FOLDER_OF_ROLE.get(role, role)
        return all(name.partition("/")[0] != folder for name in changed)

    return {key: row for key, row in kept["found"].items() if holds(key)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tier", choices=validation.TIERS, default="smoke")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="places, as in '*hertz*'")
    parser.add_argument("--parameters", action="store_true", help="leave out numbers in headers")
    parser.add_argument("-j", "--jobs", type=int, default=1, metavar="N", help="mutants at once")
    parser.add_argument("--page", type=Path, default=PAGE, help="file to write")
    options = parser.parse_args()
    numbers = [mutants.Mutant(*row) for row in json.loads((FOLDER / "numbers.json").read_text())]
    roles = laws.registry() | {"attraction": [laws.attraction()]}
    everyone = keyed(mutants.of_parameters(roles) + numbers)
    chosen = [
        key
        for key, mutant in everyone.items()
        if fnmatch.fnmatch(key, options.only) and ("/" in mutant.name or not options.parameters)
    ]
    # compute hashes first, because files may be edited during the run
    headers, rules = digests(), rules_of_today()
    found = kept_results(headers, rules, RESULTS)
    surveyed = kept_survey(options.tier, rules, lambda: survey(options.tier))
    running: dict[futures.Future, str] = {}

    def keep_finished() -> None:
        finished, _ = futures.wait(running, return_when=futures.FIRST_COMPLETED)
        for future in finished:
            key = running.pop(future)
            row = found[key] = future.result() | {"place": key}
            if guard := everyone[key].guard:
                row["guard"] = guard
            kept = {"headers": headers, "rules": rules, "found": found}
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
            options.page.write_text(page(found, len(everyone), surveyed))
            caught = row["caught"] or row.get("unit") or row["endless"] or "nobody"
            print(f"{row['place']} by {row['change']:.0%} → {caught}", flush=True)

    def left(key: str) -> bool:
        row = found[key]
        return not row["caught"] and not row.get("unit") and not everyone[key].guard

    def try_all(
        pool: futures.Executor,
        keys: list[str],
        among: dict[str, dict[str, Any]],
        how: Callable[..., Any],
        *given: Any,
        seconds: float = SECONDS,
    ) -> None:
        for key in keys:
            if len(running) == options.jobs:
                keep_finished()
            mutant = everyone[key]
            names = concerned(mutant, among, found, seconds)
            running[pool.submit(how, mutant, found.get(key, {}), names, *given)] = key
        while running:
            keep_finished()

    with futures.ProcessPoolExecutor(options.jobs) as pool:
        new = [key for key in chosen if key not in found]
        try_all(pool, new, surveyed, by_a_little, options.tier)
        unknown = [key for key in chosen if left(key) and "files" not in found[key]]
        if unknown:
            tests = kept_survey("tests", rules, survey_of_tests)
            try_all(pool, unknown, tests, by_unit_test, time_limit(tests, options.jobs))
        small = [key for key in chosen if left(key) and found[key]["change"] < LARGER[-1]]
        try_all(pool, small, surveyed, from_which, options.tier)
        last = [key for key in chosen if left(key)]
        if last:
            seconds = SECONDS + LAST_PASS * min(1.0, options.jobs / len(last))
            tests = kept_survey("tests", rules, survey_of_tests)
            limit = time_limit(tests, options.jobs)
            try_all(pool, last, tests, by_unit_test, limit, seconds=seconds)
    options.page.write_text(page(found, len(everyone), surveyed))
    print(f"wrote {options.page}")


if __name__ == "__main__":
    main()
