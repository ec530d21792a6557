"""The pages of results are written from the stored results of all cases."""

from __future__ import annotations

import dataclasses
import re

import pytest

from pysuite.errors import UsageError
from pysuite.statistics import Interval
from pysuite.validation import Result, Verdict, benchmarks, judge, pages
from pysuite.validation.pages import gallery, stored
from pysuite.validation.repetitions import repeated
from pysuite.validation.verdict import reported
from tests.suite.made_results import make_result, make_results

ORIGIN = {"Date": "today", "Commit": 12 * "a", "LAMMPS": "1"}
EVERY = ("plates", "wrong", "fast", "slow", "old")


@pytest.fixture
def folder(tmp_path):
    """Return an empty folder for pages."""
    path = tmp_path / "pages"
    path.mkdir()
    return path


def update(folder, *results: Result, root=None, names=EVERY, commit=12 * "a", **more) -> None:
    origin = ORIGIN | {"Commit": commit}
    pages.update(results, folder, root or folder, names=names, environment=origin, **more)


def test_what_is_stored_is_loaded(folder, tmp_path):
    result = make_result(tmp_path)
    again = make_result(tmp_path / "again", measured=2.0, repetition=1)
    update(folder, result, repetitions=[again])
    (found,) = stored.load(folder)
    assert found.result.figures == result.figures
    assert str(found.result.verdicts) == str(result.verdicts)  # as text, because p is NaN
    assert str(found.repetitions[0].verdicts) == str(again.verdicts)
    assert found.words == f"(Date: today, Tier: quick, Commit: {12 * 'a'}, LAMMPS: 1.)"
    (folder / "cases" / "plates.json").write_text("{}")
    with pytest.raises(UsageError, match=r"plates\.json is not a stored result"):
        stored.load(folder)


def test_pages_keep_cases_that_did_not_run(folder, tmp_path):
    update(folder, make_result(tmp_path))
    update(folder, make_result(tmp_path, "wrong", 2.0, run_tier="full"), commit=12 * "b")
    text = (folder / "validation.md").read_text()
    assert text.startswith("# Validation\n")
    assert "2 cases, 2 judged quantities: 1 case and 1 quantity fail." in text
    assert "| [plates](#plates) | quick | pass |" in text
    assert "| [wrong](#wrong) | full | **fail** |" in text
    assert f"Tier: quick, Commit: {12 * 'a'}, LAMMPS: 1.)" in text
    assert f"Tier: full, Commit: {12 * 'b'}, LAMMPS: 1.)" in text
    assert f"* Commit: {12 * 'b'}, tier full: wrong\n" in (folder / "gallery.md").read_text()
    assert "\nNo result is stored for: fast, old, slow.\n" in text
    update(folder, names=["plates", "wrong"])
    assert "No result is stored" not in (folder / "validation.md").read_text()
    (folder / "cases" / "plates.json").unlink()
    update(folder, names=["wrong"])
    assert "plates" not in (folder / "validation.md").read_text()
    assert {path.name.split("-")[0] for path in (folder / gallery.PICTURES).iterdir()} == {"wrong"}


def test_results_that_would_be_lost_are_named(folder, tmp_path):
    update(folder, make_result(tmp_path), make_result(tmp_path, "wrong", run_tier="full"))
    pages.check(folder, EVERY, {"plates": "quick", "wrong": "full", "fast": "smoke"})
    pages.check(folder, EVERY, {"plates": "full"})
    with pytest.raises(UsageError, match=r"lower tier: wrong \(stored: full, this run: quick\)\."):
        pages.check(folder, EVERY, {"wrong": "quick", "plates": "quick"})
    with pytest.raises(UsageError, match=r"not in the folder of cases: plates, wrong\. If"):
        pages.check(folder, ["other"], {})
    for number in range(4):
        update(folder, make_result(tmp_path, f"a{number}"))
    with pytest.raises(UsageError, match=r": a0, a1, a2, a3, plates and 1 more\. If these"):
        pages.check(folder, ["other"], {})
    assert len(list((folder / "cases").iterdir())) == 6


def test_the_page_of_cases_states_what_was_found(folder, tmp_path):
    def judged(quantity: str, measured: float | Interval, **keywords) -> Verdict:
        words = {"reference": 1.0, "tolerance": 0.1, "kind": "absolute", "reason": "test"}
        return judge("plates", quantity, measured=measured, **words | keywords)

    wide = Interval(1.0, 0.5, 1.5, "")
    verdicts = [
        judged("far", 3.0, claim="A1", expected="not found"),
        judged("near", 1.05, claim="A2"),
        judged("close", 1.02),
        dataclasses.replace(judged("wide", wide, expected="undecided"), benchmark=True),
        reported(
            "plates", "told", measured=wide, reason="test", claim="A3", expected="undecidable"
        ),
    ]
    update(folder, make_result(tmp_path, verdicts=verdicts))
    text = (folder / "validation.md").read_text()
    findings = re.findall(r"^\| (far|near|close|wide|told) .*\| (.*) \|$", text, re.MULTILINE)
    assert dict(findings) == {
        "far": "A1: not found, as expected",
        "near": "A2: found",
        "close": "within",
        "wide": "undecided, as expected",
        "told": "A3: undecidable",
    }
    assert "| [plates](#plates) | quick | pass | 5 | near | 0.05 | 0.1 |" in text
    failed = [
        judged("far", 1.0, claim="A1", expected="not found"),
        dataclasses.replace(judged("close", 1.0, expected="not found"), benchmark=True),
        judged("wide", wide),
    ]
    update(folder, make_result(tmp_path / "again", verdicts=failed))
    text = (folder / "validation.md").read_text()
    findings = re.findall(r"^\| (far|close|wide) .*\| (.*) \|$", text, re.MULTILINE)
    assert dict(findings) == {
        "far": "**A1: found, not as expected**",
        "close": "**within, not as expected**",
        "wide": "**undecided**",
    }


def test_a_repetition_that_changes_a_verdict_is_listed(folder, tmp_path):
    first = [make_result(tmp_path, name, random=True) for name in ("plates", "wrong")]
    again = make_result(tmp_path / "again", "plates", measured=2.0, random=True, repetition=1)
    found = repeated(first, [again])
    assert list(found.verdicts) == ["plates"]
    assert found.changed == [("plates", "slope <&>")]
    assert found.summary == (
        "1 case with 1 judged quantity drew random numbers, and ran 1 more time with other seeds:"
        " 1 verdict changed. 1 more case that drew random numbers ran once."
    )
    update(folder, *first, repetitions=[again])
    assert f"{found.summary}\n* **plates**: slope <&>\n" in (folder / "validation.md").read_text()


def test_gallery_shows_figures_and_what_is_not_reproduced(folder, tmp_path):
    results = make_results(tmp_path)
    names = [result.case for result in results]
    pictures = folder / gallery.PICTURES
    pictures.mkdir(parents=True)
    (pictures / "old.png").write_bytes(b"")
    update(folder, *results, names=names)
    text = (folder / "gallery.md").read_text()
    assert "Verdict: pass, 1 quantity; tier quick." in text
    assert "Verdict: **fail**" in text
    assert "## crashed" not in text  # this case draws nothing
    assert "*A line.*" in text
    source = "Führer, Brendel & Wolf, Granular Matter 26 (2024), fig. 1"
    assert f"* **wrong** – {source}\n  * Figure 4 is another.\n" in text
    shown = re.findall(r"!\[[^]]*\]\(([^)]*)\)", text)
    assert len(shown) == 4
    assert {folder / path for path in shown} == set(pictures.iterdir())
    assert (folder / shown[0]).read_bytes() == b"line"


def test_pages_that_cannot_be_written(folder, tmp_path):
    (folder / "figures").write_text("a file where a folder must be")
    with pytest.raises(UsageError, match="cannot write the pages"):
        update(folder, make_result(tmp_path))


HEADER = ",".join(benchmarks.Reference._fields)
ROW = "speed,m/s,2,0.1,relative,theory,ours,because"


def judged(root, benchmark: str, value: Interval, **keywords) -> Result:
    """Return the result of a case that judges the only quantity of a benchmark."""
    reference = benchmarks.references(root, benchmark)["speed"]
    verdict = benchmarks.judge_by(reference, benchmark, value, **keywords)
    return Result(
        benchmark, "Race", "[haff1983]", "smoke", "full", {}, verdicts=[verdict], folder=root
    )


def test_the_page_of_benchmarks(folder, tmp_path):
    data = tmp_path / benchmarks.FOLDER
    data.mkdir(parents=True)
    for name in ("fast", "slow", "old"):
        (data / f"{name}.csv").write_text(f"{HEADER}\n{ROW}\n")
    inside, outside = Interval(2.0, 1.95, 2.05, ""), Interval(3.0, 2.9, 3.1, "")
    wide = Interval(2.0, 1.0, 3.0, "")

    def write(*results: Result) -> str:
        update(folder, *results, root=tmp_path)
        return (folder / "benchmarks.md").read_text()

    slow = judged(tmp_path, "slow", outside, deviates="a known defect")
    write(slow, judged(tmp_path, "old", inside))
    (data / "old.csv").unlink()
    assert "\nNo result is stored for: fast.\n" in (folder / "benchmarks.md").read_text()
    text = write(judged(tmp_path, "fast", wide, undecided="one run"))
    assert "| [fast](#fast) | full | 0 | 1 | 0 | 0 | 1 |" in text
    assert "| [slow](#slow) | full | 0 | 1 | 0 | 1 | 0 |" in text
    assert text.index("\n## fast\n") < text.index("Undecided: one run.") < text.index("\n## slow\n")
    assert text.index("\n## slow\n") < text.index("Outside: a known defect.")
    assert "## old" not in text
    assert "No result is stored" not in text
    assert write(judged(tmp_path, "fast", wide, undecided="one run")) == text
    assert "| [fast](#fast) | full | 0 | 1 | 1 | 0 | 0 |" in write(judged(tmp_path, "fast", inside))
    rows = benchmarks.read(folder / "benchmarks.csv")
    assert [(row.benchmark, row.value, row.low, row.commit) for row in rows] == [
        ("fast", 2.0, 1.95, 12 * "a"),
        ("slow", 3.0, 2.9, 12 * "a"),
    ]
