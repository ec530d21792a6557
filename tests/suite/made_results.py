"""Results that look like those of cases, for tests of reports and pages. No case is run."""

from __future__ import annotations

import math
from pathlib import Path

from pysuite.figures import PREVIEW
from pysuite.validation import Attachment, Result, judge


def make_result(folder: Path, name: str = "plates", measured: float = 1.0, **other) -> Result:
    """Write a result with one quantity, two figures and a table below a folder, and return it."""
    folder = folder / "cases" / name
    folder.mkdir(parents=True)
    (folder / "line.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "dots.png").write_bytes(b"\x89PNG")
    for figure in ("line", "dots"):
        (folder / f"{figure}{PREVIEW}").write_bytes(figure.encode())
    (folder / "errors.csv").write_text("t,error\n" + "1,<b>2</b>\n" * 100)
    row = judge(
        name,
        "slope <&>",
        measured=measured,
        reference=1.0,
        tolerance=0.1,
        kind="absolute",
        reason="first | order",
    )
    values = {
        "case": name,
        "title": "Plates <slide>",
        "source": "[fuehrer2024] fig. 1",
        "tier": "smoke",
        "run_tier": "quick",
        "parameters": {"dt": 0.1},
        "verdicts": [row],
        "figures": [Attachment("line", "line.svg", "A line."), Attachment("dots", "dots.png")],
        "tables": [Attachment("errors", "errors.csv", "Errors.")],
        "notes": ["Figure 3 is drawn too."],
        "not_reproduced": ["Figure 4 is another."],
        "complete": True,
        "folder": folder,
    }
    return Result(**(values | other))


def make_results(folder: Path) -> list[Result]:
    """Return three results: the first passes, the second fails, and the third has crashed."""
    crashed = make_result(folder, "crashed", figures=[], tables=[], verdicts=[])
    crashed.fail("the case crashed with SIGSEGV\nsecond line")
    (crashed.folder / "output.txt").write_text("Traceback <most recent>")
    return [make_result(folder), make_result(folder, "wrong", math.nan), crashed]
