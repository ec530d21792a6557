"""Releases: all files state the same version, a tool sets this version, and actions are pinned."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path

import pytest
import yaml

import pysuite

ROOT = Path(__file__).parents[2]
FILES = ("pysuite/__init__.py", "CITATION.cff", "CHANGELOG.md")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def bump():
    spec = importlib.util.spec_from_file_location("bump", ROOT / ".ci" / "bump.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pysuite").mkdir()
    for file in FILES:
        shutil.copy(ROOT / file, tmp_path / file)
    text = (tmp_path / "CHANGELOG.md").read_text()
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    pending = f"{parts[0]}## 1.0.0 (not released)\n\n- New.\n"
    (tmp_path / "CHANGELOG.md").write_text(pending)
    return tmp_path


def named(root: Path) -> tuple[str, str, str, list[str]]:
    package, citation, changes = ((root / file).read_text() for file in FILES)
    cited = yaml.safe_load(citation)
    (version,) = re.findall(r'^__version__ = "(.*)"$', package, re.MULTILINE)
    headings = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    return version, str(cited["version"]), str(cited["date-released"]), headings


def test_all_files_name_the_same_version():
    package, cited, date, headings = named(ROOT)
    assert package == cited == pysuite.__version__
    assert headings[0] in {f"{package} (not released)", f"{package} ({date})"}


def test_a_release_is_dated(bump, project):
    bump.bump(project, "1.0.0", "2027-01-31", release=True)
    assert named(project) == ("1.0.0", "1.0.0", "2027-01-31", ["1.0.0 (2027-01-31)"])


def test_the_version_of_the_next_release_may_change(bump, project):
    bump.bump(project, "2.0.0", "2027-01-31", release=False)
    assert named(project)[3] == ["2.0.0 (not released)"]


def test_a_section_begins_after_a_release(bump, project):
    bump.bump(project, "1.0.0", "2027-01-31", release=True)
    bump.bump(project, "1.1.0", "2027-02-01", release=False)
    assert named(project)[0] == "1.1.0"
    assert named(project)[3] == ["1.1.0 (not released)", "1.0.0 (2027-01-31)"]
    assert (project / "CHANGELOG.md").read_text().endswith("## 1.0.0 (2027-01-31)\n\n- New.\n")


@pytest.mark.parametrize(
    ("version", "date", "release", "message"),
    [
        ("1.1", "2027-02-01", False, "version = 1.1 must be MAJOR.MINOR.PATCH"),
        ("1.0.0", "2027-02-01", False, "version = 1.0.0 must be > 1.0.0"),
        ("0.9.12", "2027-02-01", False, "version = 0.9.12 must be > 1.0.0"),
        ("1.1.0", "2027-02-01", True, "nothing to release since 1.0.0"),
        ("1.1.0", "2027-02-30", False, "day"),
    ],
)
def test_a_wrong_version_changes_no_file(bump, project, version, date, release, message):
    bump.bump(project, "1.0.0", "2027-01-31", release=True)
    before = [(project / file).read_text() for file in FILES]
    with pytest.raises(ValueError, match=re.escape(message)):
        bump.bump(project, version, date, release=release)
    assert [(project / file).read_text() for file in FILES] == before


def test_versions_are_compared_as_numbers(bump, project):
    bump.bump(project, "1.9.0", "2027-01-31", release=True)
    bump.bump(project, "1.10.0", "2027-02-01", release=False)
    assert named(project)[0] == "1.10.0"


# ------------------------------------------------------------------------------- workflows


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_few_rights_and_runs_once(file):
    workflow = yaml.safe_load(file.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert "group" in workflow["concurrency"]
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(file):
    used = re.findall(r"uses: (\S+)(.*)", file.read_text())
    assert used
    for action, comment in used:
        # this action recommends its release branch instead of a commit
        if action != "pypa/gh-action-pypi-publish@release/v1":
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)
            assert re.fullmatch(r"  # v\d+\.\d+\.\d+", comment), action
