"""The report is complete and self-contained, and shows failures."""

from __future__ import annotations

import csv
import dataclasses
import subprocess
from html.parser import HTMLParser

import pandas
import pytest

from pysuite import engine
from pysuite.validation import judge, report
from tests.suite.made_results import make_result, make_results

VOID = {"meta", "input", "img", "br"}


class Page(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def results(tmp_path):
    return make_results(tmp_path)


@pytest.fixture
def page(results, tmp_path):
    path = report.write_report(results, tmp_path, tier="quick", environment=engine.environment())
    return Page(path.read_text(encoding="utf-8"))


def test_page_is_well_formed_and_stands_alone(page):
    assert page.faults == []
    assert page.open == []
    assert page.all("link") == []
    sources = [attributes["src"] for attributes in page.all("img")]
    assert [source.split(",")[0] for source in sources[:2]] == [
        "data:image/svg+xml;base64",
        "data:image/png;base64",
    ]
    identifiers = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    for anchor in page.all("a"):
        assert anchor["href"].removeprefix("#") in identifiers
    assert all("src" not in script for script in page.all("script"))


def test_page_opens_with_the_cases_that_fail(page):
    cases = [attributes["data-case"] for attributes in page.all("tr") if "data-case" in attributes]
    assert cases == ["wrong", "crashed", "plates"]


def test_page_shows_everything(page):
    words = [
        "3 cases, 3 judged quantities: 2 cases and 2 quantities fail.",
        "Plates <slide>",
        "slope <&>",
        "Figure 3 is drawn too.",
        "Not reproduced. Figure 4 is another.",
        "A line.",
        "dt = 0.1",
        "Errors. (100 rows)",
        "<b>2</b>",
        "cases/plates/errors.csv",
        "the case crashed with SIGSEGV\nsecond line",
        "Traceback <most recent>",
        "Correction of the spring-dashpot-slider model",
        "20250722",
        "MPICH",
    ]
    assert [word for word in words if word not in page.text] == []
    rows = [row["data-passed"] for row in page.all("tr") if "data-passed" in row]
    assert rows == ["true", "false", "false"]


def test_csv_has_every_verdict(results, page, tmp_path):
    with (tmp_path / "verdicts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["case"] for row in rows] == ["plates", "wrong", "crashed"]
    assert [row["passed"] for row in rows] == ["True", "False", "False"]
    assert float(rows[0]["tolerance"]) == 0.1
    assert rows[0]["source"] == "Führer, Brendel & Wolf, Granular Matter 26 (2024), fig. 1"


def test_markdown(results):
    text = report.markdown(results)
    assert "| plates | pass | 1 | 0.0 |" in text
    assert "| wrong | slope <&> | – | 1 | – | 0.1 | first \\| order |" in text
    assert "What fails" not in report.markdown(results[:1])


def test_summary_counts(results):
    assert report.summary(results[:1]) == "1 case, 1 judged quantity: all pass."
    assert report.summary([]) == "No case ran."


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        (["not found"], "1 is outside its tolerance or not found."),
        (["undecided"], "1 is undecided."),
        (
            ["not found", "not found", "undecided", "undecided"],
            "2 are outside their tolerance or not found and 2 are undecided.",
        ),
    ],
)
def test_summary_counts_what_is_expected_to_deviate(results, findings, words):
    sound = results[0].verdicts[0]
    results[0].verdicts += [dataclasses.replace(sound, finding=finding) for finding in findings]
    assert report.summary(results[:1]).endswith(f": all pass; as the cases expect, {words}")


def test_error_and_tolerance_are_told_apart(results):
    verdict = dataclasses.replace(results[0].verdicts[0], error=0.1499, tolerance=0.15)
    assert report.error_and_tolerance(verdict) == ["0.1499", "0.15"]
    assert report.error_and_tolerance(dataclasses.replace(verdict, error=0.15)) == ["0.15"] * 2


def test_what_is_told_is_not_counted_as_judged(results):
    told = dataclasses.replace(results[0].verdicts[0], finding="undecidable")
    results[0].verdicts.append(told)
    text = (
        "1 case, 1 judged quantity: all pass. 1 more quantity of undecidable claims has no verdict."
    )
    assert report.summary(results[:1]) == text


def test_citations_are_whole_and_not_doubled(tmp_path):
    found = [
        make_result(tmp_path, "a"),
        make_result(tmp_path, "b"),
        make_result(tmp_path, "c", source="closed form"),
        make_result(tmp_path, "d", source="Haff 1983"),
    ]
    text = "\n".join(report.citations(found))
    assert text.count("Führer") == 1
    assert "Thompson" in text
    assert "Haff 1983" in text
    assert "closed form" not in text


def test_texts_are_shown_as_they_are_meant(tmp_path):
    result = make_result(
        tmp_path,
        title="`slider csds` <and> others",
        parameters={"option": "", "dt": 0.1},
        notes=["As `limit_damping` does; one ` alone."],
    )
    text = report.html([result], tier="quick", environment={})
    assert "<h2><code>slider csds</code> &lt;and&gt; others</h2>" in text
    assert "As <code>limit_damping</code> does; one ` alone." in text
    assert "option = none, dt = 0.1" in Page(text).text


def test_the_finding_of_a_quantity_is_shown(tmp_path):
    result = make_result(tmp_path)
    found = dataclasses.replace(result.verdicts[0], finding="not found", claim="A1")
    text = report.html(
        [dataclasses.replace(result, verdicts=[found])], tier="quick", environment={}
    )
    assert "pass A1: not found, as expected" in " ".join(Page(text).text.split())


def test_figures_open_large(page):
    assert [a["class"] for a in page.all("button")] == ["enlarge"] * 4
    assert len(page.all("dialog")) == 1


def test_report_of_a_machine_without_lammps(results, tmp_path):
    environment = {"pysuite": "0", "python": "3", "platform": "x", "error": "LAMMPS is missing."}
    text = report.html(results, tier="quick", environment=environment)
    assert "LAMMPS is missing." in text


def test_parquet_holds_what_csv_holds(results, tmp_path):
    pytest.importorskip("pyarrow", reason="an optional dependency; `make coverage` installs it")
    report.write_csv(results, tmp_path / "verdicts.csv")
    report.write_parquet(tmp_path / "verdicts.csv")
    table = pandas.read_parquet(tmp_path / "verdicts.parquet")
    assert table.equals(pandas.read_csv(tmp_path / "verdicts.csv"))


def test_pages_of_results_are_no_change_of_a_commit(tmp_path):
    def git(*arguments):
        user = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        command = ["git", "-C", tmp_path, *user, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout[:12]

    def commit(name: str, text: str) -> str:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        git("add", "-A")
        git("commit", "-qm", "change")
        return git("rev-parse", "HEAD")

    git("init", "-q")
    sources = commit("law.h", "1.0")
    commit("docs/results/page.md", "found")
    (tmp_path / "docs/results/page.md").write_text("found again")
    assert report.commit(tmp_path) == sources
    (tmp_path / "law.h").write_text("2.0")
    assert report.commit(tmp_path) == f"{sources} + changes"


@pytest.mark.parametrize(
    ("kind", "shown"),
    [("at_most", "≤ 2 + 0.5"), ("at_least", "≥ 2 - 0.5"), ("absolute", "2 ± 0.5")],
)
def test_the_requirement_on_a_quantity(kind, shown):
    verdict = judge(
        "heap",
        "height",
        measured=2.0,
        reference=2.0,
        tolerance=0.5,
        kind=kind,
        reason="half a grain",
    )
    assert report.demand(verdict) == shown
