"""The manual agrees with the compiled laws."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pysuite import laws
from pysuite.lammps import options

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_tables", DOCS / "generate_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_are_up_to_date(generator):
    for page in generator.PAGES:
        text = page.read_text()
        assert generator.renewed(page, text) == text, "run: python docs/generate_tables.py"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pair_granular_plus.md", "friction coefficient"),
        ("pair_granular_plus.md", "p15"),
        ("compute_granular_ledger.md", "c_ID[10]"),
        ("fix_wall_granular_plus.md", "torque on the wall"),
        ("fix_wall_granular_plus.md", "feature angle"),
        ("fix_granular_film.md", "evaporation rate of films"),
        ("pair_capillary_willett.md", "bridge_force"),
    ],
)
def test_old_tables_are_noticed(generator, name, words):
    (page,) = (page for page in generator.PAGES if page.name == name)
    text = page.read_text()
    old = text.replace(f"| {words}", "| old").replace(f"`{words}`", "old")
    assert old != text
    assert generator.renewed(page, old) != old


def test_all_keywords_are_in_the_manual(generator):
    rows = "".join(page.read_text() for page in generator.PAGES)
    declared = [option.syntax for option in options.declared()]
    assert len(declared) > 40
    assert [syntax for syntax in declared if f"| `{syntax}` |" not in rows] == []


def test_examples_are_understood(generator):
    found = 0
    for line in (DOCS / "reference" / "pair_granular_plus.md").read_text().splitlines():
        if line.startswith("pair_coeff ") and "NORMAL" not in line:
            laws.ContactModel(" ".join(line.split()[3:]))
            found += 1
    assert found >= 5


def test_index_names_all_pages():
    index = (DOCS / "README.md").read_text()
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert [page for page in pages if f"({page})" not in index] == ["README.md"]


# ------------------------------------------------------------------------------------- as web pages


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the manual of a checkout. A warning makes the build fail."""
    options = ["--config-file", root / "docs/site/mkdocs.yml", "--site-dir", site]
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *options],
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_manual_builds_without_a_warning(tmp_path):
    result = build(ROOT, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "WARNING" not in result.stderr
    site = tmp_path / "docs"
    pages = {
        path.relative_to(site).with_suffix("").as_posix(): path.read_text()
        for path in site.rglob("*.html")
    }
    written = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    assert set(pages) == written - {"README"} | {"index"}
    # equations are MathML, and pages load nothing from other sites
    assert pages["explanation/theory_csds"].count("<math") >= 50
    assert [name for name, page in pages.items() if "arithmatex" in page] == []
    fetched = r"<(?:script|link|img)[^>]* (?:src|href)=.?https?:"
    assert [name for name, page in pages.items() if re.search(fetched, page)] == []
    # this script enables search in pages that are opened from disk
    assert [name for name, page in pages.items() if "site/iframe-worker.js" not in page] == []


def test_manual_is_searched_from_disk(tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None and "GITHUB_ACTIONS" not in os.environ:
        pytest.skip("Chromium is not installed")
    assert browser is not None
    assert build(ROOT, tmp_path).returncode == 0
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=15000"]
    page = f"{(tmp_path / 'docs' / 'reference' / 'limits.html').as_uri()}?q=restart"
    shown = subprocess.run(
        [browser, *options, "--dump-dom", page], capture_output=True, text=True, timeout=120
    )
    found = re.search(r"(\d+) matching documents", shown.stdout)
    assert found is not None
    assert int(found[1]) > 3


def test_manual_notices_links_to_nowhere(tmp_path):
    for name in ("docs", "inputs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for path in [*ROOT.glob("*.md"), ROOT / "LICENSE", ROOT / "CITATION.cff"]:
        shutil.copy(path, tmp_path)
    links = ("#nowhere", "../README.md#nowhere", "nowhere.md", "../../inputs/in.nowhere")
    with (tmp_path / "docs/reference/limits.md").open("a") as page:
        page.writelines(f"\n[link]({link})\n" for link in links)
    (tmp_path / "docs/orphan.md").write_text("# A page that the index does not name\n")
    result = build(tmp_path, tmp_path / "site")
    assert result.returncode == 1
    warnings = [line for line in result.stderr.splitlines() if line.startswith("WARNING")]
    unnoticed = [link for link in links if not any(f"'{link}'" in line for line in warnings)]
    assert unnoticed == []
    assert any("docs/reference/limits.md" in line for line in warnings)
