"""Hook of mkdocs: build the manual from the documents of the project.

Pages keep their paths in the project, so links that work in a checkout also work in the manual.
docs/README.md lists the pages: its headings are the sections, and the links below a heading are the
pages of the section.
Equations are converted to MathML, which browsers display without a script.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
INDEX = "docs/README.md"
# files that pages link to or need
OTHER_FILES = (
    "inputs/in.*",
    "inputs/*.py",
    "docs/**/figures/**/*.*",
    "docs/**/*.py",
    "docs/tutorial/in.*",
    "docs/tutorial/beads/*.toml",
    "tests/suite/calibration_problems.csv",
    "docs/site/*.css",
    "docs/site/*.js",
    "LICENSE",
    "CITATION.cff",
)
EQUATION = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


def sections() -> dict[str, list[str]]:
    """Return the pages of each section of the index, as paths from the project's root."""
    result: dict[str, list[str]] = {}
    for part in re.split(r"^## ", (ROOT / INDEX).read_text(), flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        links = re.findall(r"\]\(([^)#:]+\.md)\)", text)
        pages = [(ROOT / INDEX).parent.joinpath(link).resolve() for link in links]
        result[title] = [page.relative_to(ROOT).as_posix() for page in dict.fromkeys(pages)]
    return result


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Set the navigation to the sections and pages of the index."""
    config.nav = ["README.md", INDEX, *({title: pages} for title, pages in sections().items())]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files that mkdocs found by the project's pages, each under its path."""
    pages = ["README.md", *(path.relative_to(ROOT) for path in ROOT.glob("docs/**/*.md"))]
    pages += [page for part in sections().values() for page in part]
    pages += [path.relative_to(ROOT) for other in OTHER_FILES for path in ROOT.glob(other)]
    theme = [file for file in files if file.src_uri.startswith("assets/")]
    ours = dict.fromkeys(Path(page).as_posix() for page in pages)
    return Files(
        theme + [File.generated(config, page, abs_src_path=str(ROOT / page)) for page in ours]
    )


def on_page_content(content: str, **_: object) -> str:
    """Convert equations to MathML."""

    def equation(match: re.Match[str]) -> str:
        display = "block" if match[1] == "div" else "inline"
        return convert(html.unescape(match[2]).strip(), display=display)

    return EQUATION.sub(equation, content)
