"""Mutants of the laws: which numbers in a header are changed, and which tests notice a change."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pysuite import laws, validation

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mutation():
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("tests.mutation.__main__")
    finally:
        sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def mutants(mutation):
    return mutation.mutants


HEADER = """
// F = 2.1 s
struct Law {
  static constexpr const char *name = "law/2.5";
  static constexpr Parameter parameters[] = {{"mu", "-", "friction", {0.01, 1.0, true}}};
  static constexpr double SMALLEST = 1.0e-3;
  static constexpr double FIT[] = {0.25, -7.5};
  LANE double force(double s) { return s > 0.0 ? 2.1 * s + x2.y + 1.0e-300 : 0.0; }
};
"""


def test_numbers_of_formulas_become_mutants(mutants):
    text, found = mutants.instrumented(HEADER, "law.h", 7)
    assert [mutant.place for mutant in found] == ["law.h:7: 0.25", "law.h:7: 7.5", "law.h:8: 2.1"]
    assert "static inline const double FIT[] = {MUTANT(7, 0.25), -MUTANT(8, 7.5)}" in text
    assert "MUTANT(9, 2.1) * s + x2.y + 1.0e-300 : 0.0" in text
    assert {mutant.laws for mutant in found} == {("law/2.5",)}


def test_what_is_no_coefficient_stays(mutants):
    text, _ = mutants.instrumented(HEADER, "law.h", 0)
    for kept in ("// F = 2.1 s", '"law/2.5"', "{0.01, 1.0, true}", "SMALLEST = 1.0e-3"):
        assert kept in text


def test_every_parameter_of_the_registry_is_a_mutant(mutants):
    found = mutants.of_parameters(laws.registry())
    assert "tangential/linear_history/kt" in {mutant.name for mutant in found}
    assert len(found) == sum(
        len(law["parameters"]) for entries in laws.registry().values() for law in entries
    )


def test_the_copy_of_the_sources_is_instrumented(mutants, tmp_path):
    found = mutants.write(tmp_path / "copy")
    assert len(found) > 150
    copy = tmp_path / "copy" / "lammps_plugins" / "core"
    parse = (copy / "model" / "parse.cpp").read_text()
    assert "granular_plus_mutants::chosen" in parse
    assert 'change("attraction", attraction_law(), found.attraction)' in parse
    assert f"factors[{len(found)}]" in (copy / "laws" / "mutants.h").read_text()


def test_a_mutant_goes_to_the_cases_that_name_its_law(mutation, mutants):
    surveyed = {
        "slow": {"laws": ["normal hertz"], "seconds": 9.0},
        "quick": {"laws": ["normal hertz", "slider csds"], "seconds": 1.0},
        "other": {"laws": ["normal hooke"], "seconds": 0.5},
        "none": {"laws": [], "seconds": 0.1},
    }
    hertz = mutants.Mutant("0", "hertz.h:1: 2.0", ("hertz",))
    shared = mutants.Mutant("1", "normal_law.h:1: 2.0", ())
    assert mutation.concerned(hertz, surveyed, {}) == ["quick", "slow"]
    assert mutation.concerned(shared, surveyed, {}) == ["other", "quick", "slow"]
    found = {
        "2": {"place": "hertz.h:9: 1.0", "caught": "slow: a quantity"},
        "3": {"place": "hooke.h:9: 1.0", "caught": "other: a quantity"},
    }
    assert mutation.concerned(hertz, surveyed, found) == ["slow", "quick"]
    surveyed["slow"]["seconds"] = mutation.SECONDS
    assert mutation.concerned(hertz, surveyed, found) == ["slow"]
    assert mutation.concerned(hertz, surveyed, found, mutation.SECONDS + 1) == ["slow", "quick"]
    assert mutation.concerned(shared, surveyed, found) == ["other", "quick", "slow"]


def test_a_mutant_goes_first_to_the_tests_about_its_header(mutation, mutants):
    about = mutation.ABOUT["stages/normal.h"]
    surveyed = {
        "tests/laws/test_csds.py": {"laws": ["normal hertz"], "seconds": 1.0},
        about: {"laws": ["normal hertz"], "seconds": mutation.SECONDS - 1.0},
    }
    mutant = mutants.Mutant("0", "stages/normal.h:1: 2.0", ())
    other = mutants.Mutant("1", "stages/surface.h:1: 2.0", ())
    assert mutation.concerned(mutant, surveyed, {}) == [about, "tests/laws/test_csds.py"]
    assert mutation.concerned(other, surveyed, {}) == ["tests/laws/test_csds.py", about]
    for header, file in mutation.ABOUT.items():
        assert (ROOT / "lammps_plugins" / "core" / "laws" / header).is_file()
        assert file in mutation.unit_tests()


def test_files_of_unit_tests_are_surveyed_as_cases_are(mutation, mutants, monkeypatch):
    """Files that fail without a mutant would catch every mutant."""
    red = "tests/laws/test_actm.py"

    def first_unit_test(mutant, files):
        Path(os.environ[mutants.SEEN]).write_text("normal hertz\nnormal hertz\n")
        return "a test" if files == [red] else ""

    monkeypatch.setattr(mutation, "first_unit_test", first_unit_test)
    found = mutation.survey_of_tests()
    assert {"tests/laws/test_bonds.py", "tests/styles/test_ledger.py"} <= found.keys()
    assert red not in found
    assert all(about["laws"] == ["normal hertz"] for about in found.values())
    assert mutants.SEEN not in os.environ


def test_a_mutant_goes_to_laws_that_build_on_its_own(mutation, mutants):
    surveyed = {
        "films": {"laws": ["bridge willett/simple/film"], "seconds": 1.0},
        "other": {"laws": ["bridge willett/film"], "seconds": 1.0},
    }
    simple = mutants.Mutant("0", "capillary/willett_simple.h:30: 1.0", ("willett/simple",))
    assert mutation.concerned(simple, surveyed, {}) == ["films"]


def test_every_guard_stands_in_its_header(mutation, mutants):
    laws_folder = mutants.ROOT / "lammps_plugins" / "core" / "laws"
    for header, pieces in mutants.guards.GUARDS.items():
        text = (laws_folder / header).read_text()
        for piece in pieces:
            assert piece in text, f"{header}: {piece}"
    name = "stages/normal.h"
    _, found = mutants.instrumented((laws_folder / name).read_text(), name, 0)
    (tolerated,) = [mutant for mutant in found if mutant.guard]
    assert tolerated.place.endswith(": 0.05")


def test_a_stage_of_a_role_goes_to_cases_that_have_such_a_law(mutation, mutants):
    surveyed = {
        "dry": {"laws": ["normal hertz", "rolling none"], "seconds": 1.0},
        "rolls": {"laws": ["normal hertz", "rolling none", "rolling sds"], "seconds": 2.0},
        "bridges only": {"laws": ["bridge willett"], "seconds": 3.0},
    }
    rolling = mutants.Mutant("0", "stages/rolling.h:1: 2.0", ())
    normal = mutants.Mutant("1", "stages/normal.h:1: 2.0", ())
    assert mutation.concerned(rolling, surveyed, {}) == ["rolls"]
    assert mutation.concerned(normal, surveyed, {}) == ["dry", "rolls", "bridges only"]


@pytest.mark.parametrize(
    ("needed", "change", "caught"),
    [(0.15, 0.2, "fine: x"), (0.01, 0.1, "fine: x"), (0.9, 1.0, "fine: x"), (2.0, 1.0, "")],
)
def test_the_change_from_which_a_mutant_is_caught_is_found(
    mutation, mutants, monkeypatch, needed, change, caught
):
    def first_red(mutant, names, tried, tier):
        return "fine: x" if "fine" in names and tried >= needed else ""

    monkeypatch.setattr(mutation, "first_red", first_red)
    mutant, before = mutants.Mutant("0", "a.h:1: 2.0", ()), {"unit": ""}
    found = mutation.from_which(mutant, before, ["coarse", "fine"], "smoke")
    assert found == {"unit": "", "change": change, "caught": caught, "endless": "", "cases": 2}


def test_the_page_tells_apart_what_is_caught(mutation):
    found = {
        "0": {"place": "a", "caught": "case: x", "change": 0.05, "cases": 1},
        "1": {"place": "b", "caught": "case: y", "change": 0.2, "cases": 1},
        "2": {"place": "c", "caught": "", "change": 0.05, "cases": 0},
        "3": {"place": "d", "caught": "", "change": 0.05, "cases": 4, "unit": "test_d.py::test"},
        "4": {"place": "e", "caught": "", "change": 1.0, "cases": 4, "guard": "a flag"},
        "5": {"place": "f", "caught": "", "endless": "case does not end", "change": 0.05},
        "6": {"place": "g", "caught": "", "change": 1.0, "cases": 2, "files": ["a", "b", "c"]},
    }
    text = mutation.page(found, 9, ["restart"])
    assert "7 of 9 coefficients have been tried. 1 were caught,\n1 after a larger change" in text
    assert "2 were not caught. 1 only keep a case or test from ending.\n1 are guards" in text
    assert "| f | case does not end |" in text
    assert "| d | 100% | test_d.py::test |" in text
    assert "| e | a flag |" in text
    assert "Cases that were run: restart." in text
    assert "| a | case: x |" in text
    assert "| b | 20% | case: y |" in text
    assert "| c | 5% | none | none |" in text
    assert "| g | 100% | 2 | 3 |" in text


def test_results_of_headers_that_have_changed_are_not_kept(mutation, tmp_path):
    results = tmp_path / "mutations.json"
    assert mutation.kept_results(mutation.digests(), "rules", results) == {}
    row = {"caught": "case: x", "change": 0.05, "cases": 1}
    places = ("normal/hooke.h:9: 2.0", "normal jkr: kn", "slider csds: mu", "bridge willett: V")
    found = {place: {"place": place} | row for place in places}
    headers = mutation.digests()
    results.write_text(json.dumps({"headers": headers, "rules": "rules", "found": found}))
    assert mutation.kept_results(mutation.digests(), "rules", results) == found
    headers["normal/hooke.h"] = headers["friction/csds.h"] = "of another day"
    results.write_text(json.dumps({"headers": headers, "rules": "rules", "found": found}))
    assert list(mutation.kept_results(mutation.digests(), "rules", results)) == [
        "bridge willett: V"
    ]
    assert mutation.kept_results(mutation.digests(), "of another day", results) == {}


def test_surveys_of_other_rules_are_made_anew(mutation, monkeypatch, tmp_path):
    monkeypatch.setattr(mutation, "FOLDER", tmp_path)
    old, new = ({name: {"laws": [], "seconds": 1.0}} for name in ("old", "new"))
    assert mutation.kept_survey("smoke", "rules", lambda: old) == old
    assert mutation.kept_survey("smoke", "rules", lambda: new) == old
    assert mutation.kept_survey("smoke", "others", lambda: new) == new


def test_rules_change_with_this_folder_and_with_names(mutation, monkeypatch, tmp_path):
    folder = tmp_path / "tests" / "mutation"
    folder.mkdir(parents=True)
    names = ["case"]
    monkeypatch.setattr(mutation.mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutation, "UNIT_TESTS", ("tests",))
    monkeypatch.setattr(
        mutation.validation, "discover", lambda: [SimpleNamespace(name=name) for name in names]
    )
    rules = [mutation.rules_of_today(), mutation.rules_of_today()]
    assert rules[0] == rules[1]
    (folder / "guards.py").write_text("GUARDS = {}")
    rules.append(mutation.rules_of_today())
    (tmp_path / "tests" / "test_new.py").write_text("")
    rules.append(mutation.rules_of_today())
    names[0] = "renamed"
    rules.append(mutation.rules_of_today())
    assert len(set(rules)) == 4


def test_equal_numbers_of_a_line_are_told_apart(mutation, mutants):
    twice = [mutants.Mutant(name, "hertz.h:1: 2.0", ()) for name in ("0", "1")]
    assert list(mutation.keyed(twice)) == ["hertz.h:1: 2.0", "hertz.h:1: 2.0 (2)"]


HUNG = "case does not end at a change of 5%"


@pytest.mark.parametrize(
    ("error", "caught", "endless"),
    [
        ("ERROR: lost atoms", "case: ends with an error", ""),
        ("timeout: the case had not finished after 600 s and was killed", "", HUNG),
        ("timeout: LAMMPS had not finished after 60 s and was killed", "", HUNG),
    ],
)
def test_an_error_has_noticed_the_mutant_and_a_time_has_not(
    mutation, mutants, monkeypatch, tmp_path, error, caught, endless
):
    case = SimpleNamespace(name="case")
    given = dict.fromkeys(("title", "source"), "") | {"parameters": {}, "fingerprint": ""}
    ended = validation.Result("case", tier="smoke", run_tier="smoke", folder=tmp_path, **given)
    ended.fail(error)
    monkeypatch.setattr(mutation.validation, "discover", lambda: [case])
    monkeypatch.setattr(mutation.validation, "run_case", lambda *_, **__: ended)
    mutant = mutants.Mutant("0", "hertz.h:1: 2.0", ("hertz",))
    row = mutation.by_a_little(mutant, {}, ["case"], "smoke")
    assert (row["caught"], row["endless"]) == (caught, endless)


@pytest.mark.parametrize(
    ("ends", "found", "tried"),
    [
        ("hang red", "1: ends with an error", 2),
        ("hang green", "0 does not end", 2),
        ("hang hang red", "0 does not end", 2),
    ],
)
def test_a_case_that_does_not_end_leaves_it_to_the_next(
    mutation, mutants, monkeypatch, ends, found, tried
):
    errors = {"hang": "timeout: the case had not finished after 600 s and was killed", "red": "no"}
    known = [SimpleNamespace(name=str(n), ends=how) for n, how in enumerate(ends.split())]
    asked = []

    def run_case(case, *_, **__):
        asked.append(case.name)
        error = errors.get(case.ends)
        return SimpleNamespace(error=error, passed=not error, verdicts=[])

    monkeypatch.setattr(mutation.validation, "discover", lambda: known)
    monkeypatch.setattr(mutation.validation, "run_case", run_case)
    mutant = mutants.Mutant("0", "hertz.h:1: 2.0", ("hertz",))
    assert mutation.first_red(mutant, [case.name for case in known], 0.05, "smoke") == found
    assert len(asked) == tried


ENDS = {
    "green": "pass",
    "red": "assert 1 == 2",
    "hang": "raise __import__('subprocess').TimeoutExpired('lmp', 60)",
}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ("green,red", "test_0.py::test_1"),
        ("hang,red", "test_0.py::test_1"),
        ("hang red", "test_1.py::test_0"),
        ("hang green,green", "test_0.py::test_0 does not end"),
        ("hang,hang red", "test_0.py::test_0 does not end"),
    ],
)
def test_a_unit_test_that_does_not_end_leaves_it_to_the_next(
    mutation, mutants, monkeypatch, tmp_path, files, found
):
    names = [f"test_{n}.py" for n in range(len(files.split()))]
    for name, tests in zip(names, files.split(), strict=True):
        bodies = [f"def test_{n}(): {ENDS[end]}\n" for n, end in enumerate(tests.split(","))]
        (tmp_path / name).write_text("".join(bodies))
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    mutant = mutants.Mutant("0", "hertz.h:1: 2.0", ("hertz",))
    assert mutation.first_unit_test(mutant, names, 60.0) == found


def test_a_file_that_takes_too_long_leaves_it_to_the_next(mutation, mutants, monkeypatch):
    asked = []

    def run(command, timeout, **_):
        asked.append(command[-1])
        if command[-1] == "a.py" and "--deselect=a.py" not in command:
            raise mutation.subprocess.TimeoutExpired(command, timeout)
        return SimpleNamespace(returncode=mutation.NO_TESTS if command[-1] == "a.py" else 0)

    monkeypatch.setattr(mutation.subprocess, "run", run)
    mutant = mutants.Mutant("0", "hertz.h:1: 2.0", ("hertz",))
    row = mutation.by_unit_test(mutant, {"files": ["c.py"]}, ["c.py", "a.py", "b.py"], 600.0)
    endless = "a.py does not end at a change of 100%"
    assert row == {"files": ["c.py", "a.py", "b.py"], "unit": "", "endless": endless}
    assert asked == ["a.py", "a.py", "b.py"]


def test_what_does_not_end_is_kept_until_something_turns_red(mutation):
    row = mutation.noted({}, "caught", "case does not end", 0.05)
    row = mutation.noted(row, "unit", "test does not end", 1.0)
    row = mutation.noted(row, "caught", "", 1.0)
    assert row == {"caught": "", "unit": "", "endless": HUNG}
    row = mutation.noted(row, "unit", "a.py::test", 1.0)
    assert row == {"caught": "", "unit": "a.py::test", "endless": ""}


def test_files_that_take_long_alone_have_longer(mutation):
    tests = {"long.py": {"seconds": 300.0}, "short.py": {"seconds": 1.0}}
    assert mutation.time_limit(tests, 2) == 1200.0
    assert mutation.time_limit({"short.py": tests["short.py"]}, 2) == mutation.TOO_LONG


def test_what_nothing_catches_goes_to_further_unit_tests(mutation, monkeypatch, tmp_path):
    """The order is: cases, unit tests, cases again, all other files of tests."""
    asked, limits = [], set()
    surveyed = {"case": {"laws": ["normal hertz"], "seconds": 1.0}}
    tests = {f"{n}.py": {"laws": ["normal hertz"], "seconds": 400.0 + n} for n in range(3)}
    number = mutation.mutants.Mutant("0", "normal/hertz.h:1: 2.0", ("hertz",))
    (tmp_path / "numbers.json").write_text(json.dumps([number]))

    def first_red(*_):
        asked.append("cases")
        return "case does not end" if asked == ["cases"] else ""

    def first_unit_test(mutant, files, limit):
        asked.append(files)
        limits.add(limit)
        return "2.py::test" if "2.py" in files else ""

    monkeypatch.setattr(mutation, "FOLDER", tmp_path)
    monkeypatch.setattr(mutation, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(mutation, "survey", lambda tier: surveyed)
    monkeypatch.setattr(mutation, "survey_of_tests", lambda: tests)
    monkeypatch.setattr(mutation, "first_red", first_red)
    monkeypatch.setattr(mutation, "first_unit_test", first_unit_test)
    monkeypatch.setattr(
        mutation.futures, "ProcessPoolExecutor", mutation.futures.ThreadPoolExecutor
    )
    page = tmp_path / "page.md"
    monkeypatch.setattr(sys, "argv", ["", "--only", "normal/hertz.h:1: 2.0", "--page", str(page)])
    mutation.main()
    assert asked == ["cases", ["0.py"], "cases", ["1.py", "2.py"]]
    assert limits == {mutation.time_limit(tests, 1)}
    assert "| normal/hertz.h:1: 2.0 | 100% | 2.py::test |" in page.read_text()
