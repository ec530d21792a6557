"""Convert folders of LAMMPS scripts, run them before and after conversion, and write a report page.

An interrupted survey can continue: its findings are stored in one file per script.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pysuite import convert, engine, files
from pysuite.bench import segments
from pysuite.convert import agreement
from pysuite.errors import UsageError
from pysuite.lammps.script import shortened

SLIDER = "dsds"  # LAMMPS's slider
STEPS = 3000
OTHER_STEPS = {
    "in.bpm.impact.rotational": 800,
    "in.bpm.pour": 1000,
    "in.pour.2d": 6000,
    "in.powerlaw": 300,
    "in.restitution": 100000,
    "in.rigid.gravity": 50000,
    "in.sync_verlet": 20000,
}
FAILS = {
    "": "does not run",
    "before": "does not run, even before conversion",
    "after": "runs before conversion, but not after it",
    "check": "runs, but forces cannot be compared",
}
ROUNDS = 3
SECONDS = 40.0  # no further round starts after this time
TIMEOUT = 900.0


@dataclass
class Finding:
    """Result of the survey for one script.

    Attributes:
        announced: line and text of each difference that the conversion reports.
        differs: whether forces differ: "no", "round-off", "yes", or "untouched" (no contact).
        step: first step at which forces differ.
        size: largest difference of forces, as a fraction of the largest force on a grain. Steps
            after `step` are ignored.
        ratios: loop time after conversion divided by loop time before it, one value per round.
    """

    name: str
    refused: list[str] = field(default_factory=list)
    announced: list[tuple[int, str]] = field(default_factory=list)
    steps: int = 0
    differs: str = ""
    step: int | None = None
    size: float = 0.0
    where: str = ""
    ratios: list[float] = field(default_factory=list)
    load: float = 0.0
    failed: str = ""
    fails: str = ""


def survey(
    folders: Sequence[Path], report: Path, tell: Callable[[str], None] = lambda name: None
) -> list[Finding]:
    """Survey the scripts `in.*` in the folders and their subfolders.

    Scripts without a granular style are skipped. Findings stored in the folder `report` are
    reused. Raises UsageError if no script uses a granular style.
    """
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("in.*")):
            script = path.read_text(encoding="utf-8", errors="surrogateescape")
            conversion = convert.convert(script, slider=SLIDER)
            if not conversion.converted and not conversion.refused:
                continue
            name = str(path.relative_to(folder.parent))
            key = f"{engine.fingerprint()} {script} {_steps(path)}".encode(
                "utf-8", "surrogateescape"
            )
            kept = report / f"{path.name}-{hashlib.sha256(key).hexdigest()[:12]}.json"
            if not kept.is_file():
                if not conversion.refused:
                    tell(name)
                finding = _examine(name, path, conversion)
                files.write(kept, json.dumps(asdict(finding), indent=1))
            found.append(Finding(**json.loads(kept.read_text())))
    if not found:
        raise UsageError(f"no script in.* uses a granular style: {', '.join(map(str, folders))}")
    return found


def _steps(path: Path) -> int:
    return OTHER_STEPS.get(path.name, STEPS)


def _examine(name: str, path: Path, conversion: convert.Conversion) -> Finding:
    finding = Finding(name, [str(note) for note in conversion.refused])
    finding.announced = [(note.line, note.text) for note in conversion.differences]
    if finding.refused:
        return finding
    steps = _steps(path)
    try:
        finding.ratios = _ratios(conversion, path.parent, steps)
        found = agreement.compare_conversion(conversion, path.parent, steps=steps, timeout=TIMEOUT)
    except (engine.LammpsError, ValueError) as error:
        finding.failed = getattr(error, "message", str(error))
        scripts = {"before": conversion.before, "after": conversion.text}
        failing = (key for key, text in scripts.items() if not _runs(text, path.parent, steps))
        finding.fails = next(failing, "check")
        return finding
    finding.load = os.getloadavg()[0]
    finding.steps, finding.step, finding.where = found.steps, found.step, found.where
    finding.size = found.largest
    if not found.touched:
        finding.differs = "untouched"
    else:
        finding.differs = "no" if found.step is None else "yes" if found.real else "round-off"
    return finding


def _runs(script: str, folder: Path, steps: int) -> bool:
    with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
        try:
            agreement.run_copy(
                shortened(script, steps), folder, Path(name) / "run", timeout=TIMEOUT
            )
        except (engine.LammpsError, ValueError):
            return False
    return True


def _ratios(conversion: convert.Conversion, folder: Path, steps: int) -> list[float]:
    """Return the ratio of the loop times after and before conversion, one value per round."""
    ratios: list[float] = []
    begin = time.monotonic()
    while len(ratios) < ROUNDS and (not ratios or time.monotonic() - begin < SECONDS):
        loops = []
        for script in (conversion.before, conversion.text):
            with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
                run = agreement.run_copy(
                    shortened(script, steps), folder, Path(name) / "run", timeout=TIMEOUT
                )
                loops.append(sum(timings["Loop"] for timings in run.all_timings))
        ratios.append(loops[1] / loops[0])
    return ratios


# ---------------------------------------------------------------------------------- the page

PAGE = """# Conversion

LAMMPS's own example scripts were converted by `pysuite convert --slider {slider}`, which keeps
LAMMPS's slider. These scripts are not part of this repository. To repeat the survey, unpack
LAMMPS's source and run this command in its folder `examples`:

```
pysuite convert --survey {folders} --document {document}
```

{described} Each script ran
for {steps} steps or to its end. Exceptions: {others} steps. `pysuite convert --check` does
the same for one script. Forces *differ* if the force on any grain differs by more than {tolerance}
of the largest force on any grain so far. A contact is ignored while its overlap is so small that
the last digits of the coordinates decide its size. *Round-off* means that the flow has amplified
a difference in a last digit
(see [Coming from another code](../howto/migrating.md#from-lammps)). *Time* is the loop time after
conversion divided by the loop time before it: the median over up to {rounds} alternating pairs of
runs, with the smallest and the largest ratio in brackets. While all grains fall freely, the ratio
is near 1 for any style.{load}

{summary}

{table}

Differences reported by `pysuite convert`:

{legend}
"""


def document(findings: Sequence[Finding], folders: Sequence[Path]) -> str:
    """Return the report page in Markdown."""
    letters: dict[str, str] = {}
    rows = []
    for finding in findings:
        for _, text in finding.announced if not finding.refused else ():
            letters.setdefault(_kind(text), chr(ord("a") + len(letters)))
        announced = ", ".join(
            f"{letters[_kind(text)]} ({_lines(line, text)})"
            for line, text in finding.announced
            if not finding.refused
        )
        cells = (
            finding.name,
            "no" if finding.refused else "yes",
            announced or ("" if finding.refused else "none"),
            _outcome(finding),
            _time(finding.ratios),
        )
        rows.append(f"| {' | '.join(cells)} |")
    heads = ("script", "converted", "reported (line)", "forces", "time")
    table = "\n".join([f"| {' | '.join(heads)} |", "| --- | --- | --- | --- | --: |", *rows])
    others = ", ".join(f"`{name}` for {steps:,}" for name, steps in OTHER_STEPS.items())
    return PAGE.format(
        slider=SLIDER,
        document="conversion.md",
        folders=" ".join(folder.name for folder in folders),
        described=_described(),
        steps=f"{STEPS:,}",
        others=others,
        tolerance=f"{agreement.TOLERANCE:.0e}",
        rounds=ROUNDS,
        load=_load(findings),
        summary=_summary(findings),
        table=table,
        legend="\n".join(f"* **{letter}**: {text}" for text, letter in letters.items()),
    )


def _kind(text: str) -> str:
    """Return the text of a difference without line numbers and region names."""
    return re.sub(r"region \S+ is", "a region is", text.partition(" (also in ")[0])


def _lines(line: int, text: str) -> str:
    also = re.search(r"\(also in (.*)\)$", text)
    more = re.findall(r"line (\d+)", also[1]) if also else []
    return ", ".join([str(line), *more] if line else ["all"])


def _outcome(finding: Finding) -> str:
    if finding.refused:
        by_reason: dict[str, list[str]] = {}
        for note in finding.refused:
            place, _, reason = note.partition(": ")
            by_reason.setdefault(reason, []).append(place.removeprefix("line "))
        parts = (f"{reason} (line {', '.join(where)})" for reason, where in by_reason.items())
        return "; ".join(parts).replace("|", "\\|")
    if finding.failed:
        return f"{FAILS[finding.fails]}: {finding.failed}".replace("|", "\\|")
    if finding.differs == "untouched":
        return f"no contact in {finding.steps:,} steps: not compared"
    if finding.differs == "no":
        size = f"within {finding.size:.0e}" if finding.size else "to the last bit"
        return f"agree for {finding.steps:,} steps, {size}"
    what = "differ" if finding.differs == "yes" else "diverge by round-off"
    return f"{what} from step {finding.step:,} on, {finding.where}, by {finding.size:.0e}"


def _time(ratios: Sequence[float]) -> str:
    if not ratios:
        return ""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def _summary(findings: Sequence[Finding]) -> str:
    ran = [finding for finding in findings if finding.differs]
    kinds = ("no", "round-off", "yes", "untouched")
    count = {kind: sum(f.differs == kind for f in ran) for kind in kinds}
    silent = [f.name for f in ran if f.differs == "yes" and not f.announced]
    broken = [f.name for f in findings if f.fails == "after"]
    by_conversion = f"; conversion broke {', '.join(broken)}" if broken else ""
    text = (
        f"{len(findings)} scripts use a granular style; {sum(not f.refused for f in findings)} are "
        f"converted, and {len(ran)} of these run{by_conversion}. Forces agree in {count['no']}, "
        f"diverge by round-off in {count['round-off']} and differ in {count['yes']}"
    )
    if silent:
        text += f"; the conversion reports no difference for {', '.join(silent)}."
    elif count["yes"]:
        text += "; the conversion reports a difference for each script whose forces differ."
    else:
        text += "."
    untouched = [f.name for f in ran if f.differs == "untouched"]
    if untouched:
        text += (
            f" In {len(untouched)} of the scripts that run, there was no contact:"
            f" {', '.join(untouched)}."
        )
    return text


def _described() -> str:
    machine = segments.describe_machine()
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return (
        f"Written on {today}: {machine['processor']}, {machine['cores']} cores; LAMMPS"
        f" {machine['lammps']}, one rank."
    )


def _load(findings: Sequence[Finding]) -> str:
    load, cores = max(finding.load for finding in findings), os.cpu_count() or 1
    if load <= cores:
        return ""
    return (
        f"\nThe machine was busy with other work (load up to {load:.0f} on {cores} cores): times"
        " are rough."
    )
