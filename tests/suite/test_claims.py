"""The register of claims: its entries, the judgement by intervals, and the page of claims."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pysuite import statistics, validation
from pysuite.errors import CaseError
from pysuite.statistics import Interval
from pysuite.validation import (
    Result,
    claims,
    judge,
    pages,
    report,
)
from pysuite.validation.verdict import FINDINGS

REGISTER = validation.register(validation.cases_folder())
CASES = {case.name: case for case in validation.discover()}
JUDGED = [(number, CASES[name]) for number, claim in REGISTER.items() for name in claim.cases]
NOT_FOUND = [(number, case) for number, case in JUDGED if REGISTER[number].expected == "not found"]


def finding(kind, low, high, reference=1.0, tolerance=0.1, **more):
    measured = Interval(0.5 * (low + high), low, high, "test")
    return judge(
        "case",
        "quantity",
        measured=measured,
        reference=reference,
        tolerance=tolerance,
        kind=kind,
        reason="test",
        **more,
    )


@pytest.mark.parametrize(
    ("kind", "low", "high", "expected"),
    [
        ("at_most", 0.5, 1.09, "found"),
        ("at_most", 0.5, 1.2, "undecided"),
        ("at_most", 1.11, 1.2, "not found"),
        ("at_least", 0.91, 2.0, "found"),
        ("at_least", 0.8, 2.0, "undecided"),
        ("at_least", 0.8, 0.89, "not found"),
        ("absolute", 0.91, 1.09, "found"),
        ("absolute", 0.8, 1.2, "undecided"),
        ("absolute", 1.05, 1.2, "undecided"),
        ("absolute", 1.11, 1.2, "not found"),
        ("relative", 0.91, 1.09, "found"),
        ("relative", 0.5, 0.89, "not found"),
        ("at_most", 0.5, float("inf"), "undecided"),
    ],
)
def test_a_whole_interval_is_judged(kind, low, high, expected):
    verdict = finding(kind, low, high) if high < 1e300 else finding(kind, low, 1e300 * 10)
    assert verdict.finding == expected
    assert verdict.passed is (expected == "found")


@pytest.mark.parametrize("expected", FINDINGS[:3])
@pytest.mark.parametrize(("low", "high"), [(0.5, 0.9), (0.9, 1.3), (1.3, 1.5)])
def test_a_claim_passes_when_it_is_what_the_register_says(low, high, expected):
    verdict = finding("at_most", low, high, expected=expected)
    assert verdict.passed is (verdict.finding == expected)


# ------------------------------------------------------------------------------- the register


def test_the_register_holds_every_claim():
    numbers = [
        f"{paper}{n}"
        for paper, last in zip("FRKL", (23, 17, 28, 30), strict=True)
        for n in range(1, last + 1)
    ]
    numbers.remove("K20")  # the figure K20 makes no claim
    assert list(REGISTER) == numbers


@pytest.mark.parametrize(("number", "case"), JUDGED, ids=[f"{n}-{c.name}" for n, c in JUDGED])
def test_the_cases_of_a_claim_judge_it(number, case):
    assert number in claims.judged_in(case.file)


def test_no_case_judges_a_claim_of_another():
    for case in CASES.values():
        foreign = {
            number
            for number in claims.judged_in(case.file)
            if case.file not in {CASES[name].file for name in REGISTER[number].cases}
        }
        assert not foreign, f"{case.name} judges {foreign}"


def test_what_is_not_found_can_be_planted():
    assert {(number, case.name) for number, case in NOT_FOUND} == {
        (number, case.name) for case in CASES.values() for number in case.planted
    }


@pytest.mark.parametrize(
    ("number", "case"),
    [
        pytest.param(
            number,
            case,
            id=f"{number}-{case.name}",
            marks=pytest.mark.slow if case.runs_in("smoke") else pytest.mark.long,
        )
        for number, case in NOT_FOUND
    ],
)
def test_what_is_planted_is_found(number, case, tmp_path):
    result = validation.run_case(case, tmp_path, tier="smoke", plant=number)
    assert result.error is None, result.error
    assert result.found_what_is_planted, [v for v in result.verdicts if v.claim == number]


SOUND = {
    "fuehrer2024": {"F1": {"claim": "a", "expected": "found", "cases": ["b"], "bound": "paper"}}
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expected": "perhaps"}, "expected 'perhaps' must be one of found, not found"),
        ({"cases": "gas"}, "cases = 'gas' must be a list of different names"),
        ({"cases": ["b", "b"]}, "must be a list of different names"),
        ({"cases": []}, "claim F1 must have cases, unless it is not addressed"),
        ({"claim": ""}, "has no text of the claim"),
        ({"expected": "not found"}, "a reason must be given"),
        ({"verdict": "found"}, "unknown entries: verdict"),
        (
            {"bound": "nobody"},
            "claim F1 is found: bound 'nobody' must be one of paper, theory, ours",
        ),
        ({"bound": ""}, "bound '' must be one of"),
        ({"expected": "undecidable", "reason": "a"}, "bound 'paper' must be left out"),
        ({"numpy": "yes"}, "numpy = 'yes' must be true or false"),
    ],
)
def test_a_wrong_entry_is_refused(tmp_path, change, message):
    wrong = {"fuehrer2024": {"F1": SOUND["fuehrer2024"]["F1"] | change}}
    (tmp_path / claims.REGISTER).write_text(json.dumps(wrong))
    with pytest.raises(CaseError, match=message):
        validation.register(tmp_path)


def test_a_claim_of_no_paper_is_refused(tmp_path):
    (tmp_path / claims.REGISTER).write_text(json.dumps({"nobody2024": {}}))
    with pytest.raises(CaseError, match=r"nobody2024 is not a key of sources\.bib\."):
        validation.register(tmp_path)


def test_a_paper_outside_the_bibliography_is_cited_in_words(tmp_path):
    words = "A. Author, Journal 1 (2020) 2"
    (tmp_path / claims.REGISTER).write_text(json.dumps({words: SOUND["fuehrer2024"]}))
    assert {claim.cited for claim in validation.register(tmp_path).values()} == {words}


# ------------------------------------------------------------------------- cases and claims

BODY = """
from pysuite import statistics
c.claim("F1", "x", statistics.numerical(c["x"], 0.1, "test"), at_most=1.5, reason="test")
"""


@pytest.fixture
def claiming(make_case, case_folder):
    def make(expected="found", **more):
        entry = {"claim": "a", "expected": expected, "cases": ["sample"], "reason": "b"}
        entry |= {"numpy": True} | ({} if expected == "undecidable" else {"bound": "paper"})
        (case_folder / claims.REGISTER).write_text(json.dumps({"fuehrer2024": {"F1": entry}}))
        return make_case(name="sample", body=BODY, **more)

    return make


@pytest.mark.parametrize(
    ("x", "expected", "passed"),
    [
        (1.0, "found", True),
        (2.0, "found", False),
        (1.5, "found", False),
        (2.0, "not found", True),
        (1.0, "not found", False),
        (1.5, "undecided", True),
    ],
)
def test_a_case_is_red_when_the_register_says_otherwise(claiming, tmp_path, x, expected, passed):
    result = validation.run_case(claiming(expected), tmp_path, overrides={"x": x})
    assert result.error is None
    assert result.passed is passed


@pytest.mark.parametrize("expected", FINDINGS)
def test_what_cannot_be_judged_is_undecidable(claiming, case_folder, tmp_path, expected):
    case = claiming(expected)
    text = case.file.read_text().replace("c.claim(", "c.undecidable(").replace(" at_most=1.5,", "")
    case.file.write_text(text)
    assert claims.judged_in(case.file) == {"F1"}
    result = validation.run_case(case, tmp_path)
    assert result.error is None
    assert result.passed is (expected == "undecidable")
    (row,) = claims.rows(validation.register(case.root), [result])
    assert row.finding == "undecidable"
    assert Result.load(result.folder).verdicts[0].finding == "undecidable"
    page = page_of([result], tmp_path, case.root)
    by = "" if expected == "undecidable" else "paper"
    assert f"| x: 1 [0.9, 1.1] (test) | – | {by} | [sample]" in page


def test_a_planted_effect_must_be_found(claiming, tmp_path):
    case = claiming("not found", parameters={"x": 2.0}, planted={"F1": {"x": 1.0}})
    assert validation.run_case(case, tmp_path).passed
    planted = validation.run_case(case, tmp_path, plant="F1")
    assert planted.found_what_is_planted
    assert planted.passed
    weak = claiming("not found", parameters={"x": 2.0}, planted={"F1": {"x": 1.5}})
    assert not validation.run_case(weak, tmp_path, plant="F1").found_what_is_planted
    with pytest.raises(
        CaseError, match="no parameters are given with which claim 'F2' must be found"
    ):
        validation.run_case(case, tmp_path, plant="F2")


def test_a_case_judges_only_claims_of_its_own(make_case, tmp_path):
    result = validation.run_case(make_case(name="sample", body=BODY), tmp_path)
    assert "no claim F1 for case sample" in result.error


@pytest.mark.parametrize("more", ["", "if c.tier == 'full':\n    c.claim('F1', 'x', 1, reason='')"])
def test_a_case_judges_its_claims(claiming, make_case, tmp_path, more):
    claiming()
    check = "c.check('x', measured=1, reference=1, reason='test')"
    result = validation.run_case(make_case(name="sample", body=f"{check}\n{more}"), tmp_path)
    assert result.passed is bool(more)
    forgotten = "the case must judge F1, which claims.json assigns to the case"
    assert result.error == (None if more else forgotten)


def test_a_claim_needs_one_limit(claiming, case_folder, tmp_path):
    case = claiming()
    text = case.file.read_text()
    case.file.write_text(text.replace("at_most=1.5", "at_most=1.5, equals=1.0"))
    assert "one of at_most, at_least and equals" in validation.run_case(case, tmp_path).error


# ---------------------------------------------------------------------------------- report


def page_of(results: list[Result], tmp_path: Path, root: Path) -> str:
    """Return the page of claims."""
    names = [result.case for result in results]
    pages.update(results, tmp_path, root, names=names, environment={})
    return (tmp_path / "claims.md").read_text()


def results_of(claiming, tmp_path, **more) -> tuple[list[Result], dict]:
    case = claiming(**more)
    return [validation.run_case(case, tmp_path)], validation.register(case.root)


def test_the_report_folds_the_claims_below_the_cases(claiming, tmp_path):
    results, register = results_of(claiming, tmp_path)
    page = report.html(results, tier="quick", environment={}, register=register)
    assert page.index('data-case="sample"') < page.index('<details id="claims">')
    assert "1 claim of the papers: 1 found." in page
    assert "1 [0.9, 1.1] (test)" in page


@pytest.mark.parametrize(
    ("expected", "x", "badge"),
    [
        ("found", 1.0, "green"),
        ("not found", 2.0, "absent"),
        ("undecided", 1.5, "open"),
        ("found", 2.0, "red"),
        ("not found", 1.0, "red"),
    ],
)
def test_the_report_marks_findings_apart(claiming, tmp_path, expected, x, badge):
    results, register = results_of(claiming, tmp_path, expected=expected, parameters={"x": x})
    page = report.html(results, tier="quick", environment={}, register=register)
    row = page[page.index('data-claim="F1"') : page.index("</tr>", page.index('data-claim="F1"'))]
    assert re.findall(r'class="badge (\w+)"', row) == [badge]


def test_the_report_has_every_claim_of_the_register(tmp_path):
    verdict = finding("at_most", 0.0, 0.5, claim="F5")
    result = Result("sliding-plates", "", "", "smoke", "smoke", {}, verdicts=[verdict])
    page = report.html([result], tier="quick", environment={}, register=REGISTER)
    missing = [number for number in REGISTER if f'data-claim="{number}"' not in page]
    assert not missing


def test_a_report_without_claims_has_no_table_of_them(make_case, tmp_path):
    result = validation.run_case(make_case(), tmp_path)
    page = report.html([result], tier="quick", environment={}, register=REGISTER)
    assert "data-claim" not in page


def test_a_claim_is_as_good_as_its_worst_quantity():
    verdicts = [finding("at_most", 0.0, high, claim="F5") for high in (0.5, 3.0)]
    result = Result("sliding-plates", "", "", "smoke", "smoke", {}, verdicts=verdicts)
    row = next(row for row in claims.rows(REGISTER, [result]) if row.claim.number == "F5")
    assert row.finding == "undecided"
    assert not row.as_expected


def test_the_page_of_claims(claiming, tmp_path):
    case = claiming()
    text = page_of([validation.run_case(case, tmp_path)], tmp_path, case.root)
    assert "* Commit: unknown, tier quick: sample\n" in text
    text = text.replace(f"*b {report.NUMPY}*", "*b*, numpy")
    assert "| F1 | a *b*, numpy | found | x: 1 [0.9, 1.1] (test) | ≤ 1.5 | paper | [sample]" in text


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_value_that_is_not_finite_never_passes(value):
    words = {"kind": "at_most", "reason": "test", "tolerance": 0.0, "expected": "undecided"}
    verdict = judge("case", "x", measured=value, reference=1.0, **words)
    assert (verdict.finding, verdict.passed) == ("undecided", False)
    unbounded = Interval(0.5, -math.inf, math.inf, "ratio")
    assert judge("case", "x", measured=unbounded, reference=1.0, **words).passed


def test_an_undecided_quantity_has_its_p():
    samples = np.array([-1.0, 1.0] * 5)
    samples += 2.0 * samples.std(ddof=1) / np.sqrt(10.0)
    words = {"kind": "at_least", "reason": "test", "tolerance": 0.0}
    verdict = judge("case", "mean", measured=statistics.mean(samples), reference=0.0, **words)
    assert verdict.finding == "undecided"
    assert verdict.p == pytest.approx(2.0 * stats.t.sf(2.0, 9), rel=1e-6)
    assert report.interval(verdict).endswith(", p = 0.077")
    decided = judge("case", "mean", measured=statistics.mean(samples), reference=-9.0, **words)
    assert math.isnan(decided.p)
    squared = judge(
        "case", "e", measured=statistics.mean(samples).mapped(np.exp), reference=1.0, **words
    )
    assert squared.p == pytest.approx(verdict.p, rel=1e-6)
    held = statistics.mean(samples).within(-9.0, 9.0)
    assert judge("case", "h", measured=held, reference=0.0, **words).p == pytest.approx(verdict.p)
    exact = judge(
        "case", "x", measured=Interval(0.0, -1.0, 1.0, "round-off"), reference=0.0, **words
    )
    assert math.isnan(exact.p)


def test_the_level_covers_all_quantities_judged_by_an_interval():
    page = Path(__file__).parents[2] / "docs/results/validation.md"
    lines = page.read_text().splitlines()
    stochastic = f"{100.0 * statistics.LEVEL:.6g} % from"
    rows = [line for line in lines if line.startswith("| ") and stochastic in line]
    judged = [row for row in rows if row.split(" | ")[2] != "–"]
    assert 0 < len(judged) < len(rows)
    assert len(judged) <= statistics.STOCHASTIC
