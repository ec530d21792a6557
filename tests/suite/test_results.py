"""Pages of results state the commit of their code. `make release-check` finds outdated pages."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from pysuite import validation
from pysuite.validation import pages

FILE = Path(__file__).parents[2] / "docs" / "make_results.py"


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("make_results", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(made, tmp_path):
    def git(*arguments):
        user = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", tmp_path, *user, *arguments], check=True, capture_output=True)

    def commit(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        git("add", "-A")
        git("commit", "-qm", "change")

    git("init", "-q")
    commit("lammps_plugins/core/laws/normal/hooke.h", "double force() { return 2.0; }")
    commit("validation/papers/case.py", "STEPS = 50")
    first = made.git(tmp_path, "rev-parse", "--short=12", "HEAD")
    for page in made.PAGES:
        commit(f"docs/results/{page}", made.stamped("# Page\n", first))
    return tmp_path, commit


def test_pages_of_the_last_change_are_up_to_date(made, repository):
    root, commit = repository
    commit("README.md", "words")
    assert made.out_of_date(root) == {}


@pytest.mark.parametrize(
    ("change", "pages"),
    [
        ("lammps_plugins/core/laws/normal/hooke.h", 9),
        ("lammps_plugins/core/ledger/energy_ledger.h", 7),
        ("validation/papers/case.py", 4),
        ("lammps_plugins/grains/pair.cpp", 4),
        ("pysuite/validation/runner.py", 4),
        ("pysuite/validation/references/maw.py", 4),
        ("pysuite/validation/setups/impacts.py", 5),
        ("tests/mutation/guards.py", 1),
        ("tests/laws/conftest.py", 1),
    ],
)
def test_a_page_that_lacks_a_change_is_named(made, repository, change, pages):
    root, commit = repository
    commit(change, "3.0")
    stale = made.out_of_date(root)
    assert len(stale) == pages
    assert all(f"lacks changes of {change}" in why for why in stale.values())


def test_every_page_names_its_commit(made):
    pages = [FILE.parent / "results" / page for page in made.PAGES]
    assert [page.name for page in pages if not made.commits_of(page.read_text())] == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("lammps_plugins/core/laws/normal/hooke.h", "// why\ndouble force() {\n return 2.0; }"),
        ("validation/papers/case.py", "STEPS = 50  # why"),
        ("validation/papers/case.py", '"""Why."""\nSTEPS = 50'),
    ],
)
def test_comments_and_layout_are_no_changes(made, repository, change, text):
    root, commit = repository
    commit(change, text)
    assert made.out_of_date(root) == {}


def test_a_comment_ends_before_a_text_does(made):
    assert made.code("a.h", 'f("//", 1);  // why') == made.code("a.h", 'f("//", 1);')
    assert made.code("a.h", 'f("//", 1);') != made.code("a.h", 'f("//", 2);')


def test_docstrings_are_no_code_and_other_texts_are(made):
    plain = "class A:\n    def f(self):\n        return 1\n"
    told = plain.replace("A:\n", 'A:\n    """Why."""\n').replace(
        "(self):\n", "(self):\n        'How.'\n"
    )
    assert made.code("a.py", told) == made.code("a.py", plain)
    assert made.code("a.py", 'NAME = "a"') != made.code("a.py", 'NAME = "b"')


def test_a_file_that_does_not_parse_has_changed(made, repository):
    root, commit = repository
    commit("validation/papers/case.py", "STEPS = = 50")
    assert len(made.out_of_date(root)) == 4


def test_a_page_of_no_clean_commit_is_named(made, repository):
    root, commit = repository
    commit("docs/results/claims.md", "(Commit: c66c08134737 + changes, LAMMPS: 1.)")
    assert made.out_of_date(root) == {"claims.md": "names no clean commit"}
    commit("docs/results/claims.md", "(Commit: c66c08134737, LAMMPS: 1.)")
    assert "which is not in this repository" in made.out_of_date(root)["claims.md"]


def test_steps_go_on_where_pages_have_been_committed(made, repository):
    root, commit = repository
    sources = made.commit_of_sources(root)
    assert made.git(root, "rev-parse", "HEAD")[:12] != sources
    assert made.steps_left(root, sources) == []
    commit("docs/results/claims.md", f"(Commit: {12 * 'c'}, LAMMPS: 1.)")
    assert made.commit_of_sources(root) == sources
    assert [step.name for step in made.steps_left(root, sources)] == ["validation"]
    commit("README.md", "words")
    assert made.steps_left(root, made.commit_of_sources(root)) == list(made.STEPS)


def test_parts_of_a_page_state_their_commits(made, repository):
    root, commit = repository
    sources = made.commit_of_sources(root)
    page = f"* Commit: {sources}, tier full: drum\n* Commit: {12 * 'c'}, tier quick: silo\n"
    assert made.stamped(page, sources) == page
    commit("docs/results/claims.md", page)
    assert "which is not in this repository" in made.out_of_date(root)["claims.md"]
    assert [step.name for step in made.steps_left(root, sources)] == ["validation"]
    page = page.replace(12 * "c", f"{sources} + changes")
    commit("docs/results/claims.md", page)
    assert made.out_of_date(root)["claims.md"] == "names no clean commit"


def test_a_stamp_replaces_the_one_before(made):
    page = made.stamped(made.stamped("# Page\n", 12 * "a"), 12 * "b")
    assert page == f"# Page\n\nMade from commit {12 * 'b'}\n"
    assert made.commits_of(page) == [12 * "b"]


def test_a_stamp_is_removed_from_a_page_whose_parts_state_their_commits(made):
    page = f"# Page\n\n* Commit: {12 * 'c'}, tier full: drum\n"
    assert made.stamped(f"{page}\nMade from commit {12 * 'a'}\n", 12 * "b") == page


def test_stored_results_can_be_replaced_by_those_that_are_made(made):
    """Each result belongs to an existing case. Its tier is at most that used by `make results`."""
    names = [case.name for case in validation.discover()]
    pages.check(
        FILE.parent / "results", names, dict.fromkeys(set(names) - {*made.IN_FULL}, "quick")
    )
    assert set(made.IN_FULL) <= set(names)


def test_every_page_is_made_by_a_step(made):
    assert sorted(page for step in made.STEPS for page in step.pages) == sorted(made.PAGES)
    assert all((FILE.parent / "results" / page).is_file() for page in made.PAGES)
