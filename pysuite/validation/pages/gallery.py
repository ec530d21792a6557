"""The page of all figures and of the results that could not be reproduced."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pysuite import files
from pysuite.validation import report
from pysuite.validation.pages import cases, stored
from pysuite.validation.pages.stored import Stored
from pysuite.validation.verdict import Attachment, Result

FILE = "gallery.md"
PICTURES = Path("figures") / "gallery"


def keep_figures(result: Result, folder: Path) -> None:
    """Copy the previews of the figures of a result to the folder of pictures."""
    assert result.folder is not None
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    for figure in result.figures:
        files.write(
            folder / _picture(result, figure), (result.folder / figure.preview).read_bytes()
        )


def write(kept: Sequence[Stored], folder: Path) -> None:
    """Write the page. Delete pictures that are not on the page."""
    results = stored.results(kept)
    lines = ["# Gallery", ""]
    lines += [
        "This page shows the figures of all validation cases. The judged numbers are on the page"
        f" [{cases.TITLE}]({cases.FILE}). The last section lists claims of the sources that the"
        " cases do not find. The page is written by `pysuite validate --pages`.",
        "",
        report.summary(results),
        "",
        *stored.origins(kept),
    ]
    wanted = set()
    for result in results:
        if not result.figures:
            continue
        title, verdict = report.sentence(result.title), "pass" if result.passed else "**fail**"
        lines += ["", f"## {result.case}", "", f"{title} *{result.cited}.*", ""]
        quantities = report.count(len(result.verdicts), "quantity")
        lines += [f"Verdict: {verdict}, {quantities}; tier {result.run_tier}."]
        for figure in result.figures:
            picture = _picture(result, figure)
            wanted.add(picture.name)
            lines += ["", f"![{result.case}: {figure.name}]({picture.as_posix()})"]
            lines += ["", f"*{figure.caption or figure.name}*"]
    for old in (folder / PICTURES).glob("*.png"):
        if old.name not in wanted:
            old.unlink()
    lines += ["", "## What could not be reproduced", ""]
    for result in results:
        if result.not_reproduced:
            lines += [f"* **{result.case}** – {result.cited}"]
            lines += [f"  * {text}" for text in result.not_reproduced]
    if lines[-1] == "":
        lines += ["These cases report no results that they failed to reproduce."]
    files.write(folder / FILE, "\n".join(lines) + "\n")


def _picture(result: Result, figure: Attachment) -> Path:
    """Return the path of the preview of a figure, relative to the page."""
    return PICTURES / f"{result.case}-{Path(figure.file).stem}.png"
