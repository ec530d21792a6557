"""Compare the results of two versions, settings or pair styles, quantity by quantity.

A comparison has two or more sides. A side is a folder with results of `pysuite validate`, a
baseline file made from such a folder, a case with given settings, or an input script with given
variables. The first side is the reference. A comparison is a list of `Result`. Its report has the
same form as the report of a validation.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pysuite import engine, files, validation
from pysuite.errors import UsageError
from pysuite.validation import (
    Case,
    Result,
    Verdict,
    judge,
)
from pysuite.validation.verdict import RESULT_FILE, UNDECIDABLE

if TYPE_CHECKING:
    import numpy
    import pandas

TITLE = "granular/plus: differences"
SHARE = 0.1  # default of allowed change / tolerance of the verdict
ROUND_OFF = 1e-12
ONLY_THERE = "a quantity that only one side has cannot be compared"


class Side(NamedTuple):
    """One side of a comparison: its name and the result of each case."""

    label: str
    results: dict[str, Result]


# ---------------------------------------------------------------------------------- sides


def load(path: Path) -> Side:
    """Return the side that is stored in a report folder or a baseline file.

    Raises UsageError if a result is missing, unfinished or invalid.
    """
    if path.is_dir():
        folders = sorted(path.glob(f"cases/*/{RESULT_FILE}"))
        try:
            results = [Result.load(file.parent) for file in folders]
        except (OSError, ValueError) as error:
            raise UsageError(f"{error}. Run that case again, or remove its folder") from error
        results = [result for result in results if not (result.spoiled or result.planted)]
        if not results:
            raise UsageError(f"{path} has no results. `pysuite validate` writes results")
    elif path.is_file():
        try:
            records = json.loads(path.read_text())["results"]
            results = [Result.from_record(record) for record in records]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{path} is not a baseline file: {error}") from error
    else:
        raise UsageError(f"{path} is neither a report folder nor a baseline file")
    unfinished = [result.case for result in results if not result.complete]
    if unfinished:
        raise UsageError(f"{path}: {', '.join(unfinished)} did not run to the end")
    return Side(str(path), {result.case: result for result in results})


def save_baseline(side: Side, path: Path) -> None:
    """Write a baseline file, with verdicts and parameters but without figures, tables and times.

    Raises UsageError if a case failed, because failed results cannot be a reference.
    """
    red = [result.case for result in side.results.values() if not result.passed]
    if red:
        raise UsageError(f"failed cases cannot be saved as a baseline: {', '.join(red)}")
    records = []
    for result in side.results.values():
        lists: dict[str, Any] = {
            key: [] for key in ("figures", "tables", "notes", "not_reproduced")
        }
        records.append(result.record() | lists | {"seconds": 0.0, "fingerprint": ""})
    try:
        files.write(path, json.dumps({"results": records}, indent=1) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write the baseline {path}: {error.strerror}") from error


def parse_side(text: str) -> dict[str, str]:
    """Return the settings of a side from "key=value,key=value". "default" means no settings."""
    if text == "default":
        return {}
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(key and separator for key, separator, _ in pairs):
        raise UsageError(f"side {text!r} must be key=value[,key=value...] or the word default")
    return {key: value for key, _, value in pairs}


# --------------------------------------------------------------------------------- results


def allowed(verdict: Verdict, share: float) -> float:
    """Return the allowed change of a measured value, in the unit of the value.

    The allowed change is `share` times the tolerance of the verdict, plus round-off. For the kinds
    `at_most` and `at_least`, the larger of the tolerance and the distance to the limit is used. If
    the verdict has no limits, the allowed change is `share` times the value.
    """
    if verdict.finding == UNDECIDABLE:
        return share * abs(verdict.measured)
    covered = verdict.tolerance
    if verdict.kind == "relative":
        covered *= abs(verdict.reference)
    elif verdict.kind in ("at_most", "at_least"):
        covered = max(covered, abs(verdict.measured - verdict.reference))
    return share * covered + ROUND_OFF * abs(verdict.measured)


def compare_results(
    reference: Side, other: Side, folder: Path, share: float = SHARE
) -> list[Result]:
    """Return one result per case. The result has a verdict for each quantity, and a figure.

    Raises UsageError if a case ran in different tiers on the two sides.
    """
    compared = []
    for name in sorted(reference.results | other.results):
        one, two = reference.results.get(name), other.results.get(name)
        if one and two and one.run_tier != two.run_tier:
            raise UsageError(
                f"{name} ran in tier {one.run_tier} in {reference.label} and in tier {two.run_tier}"
                f" in {other.label}. Only results of the same tier can be compared"
            )
        known = one or two
        assert known is not None
        result = _empty(name, known.title, folder, known.run_tier)
        result.source = f"{other.label} (measured) against {reference.label} (reference)"
        result.parameters = {
            key: f"{_of(one, key)} → {_of(two, key)}"
            for key in known.parameters
            if one and two and _of(one, key) != _of(two, key)
        }
        rows = [{v.quantity: v for v in side.verdicts} if side else {} for side in (one, two)]
        for quantity in rows[0] | rows[1]:
            result.verdicts.append(_compare(name, quantity, rows[0], rows[1], share))
        _draw_shares(result)
        result.save()
        compared.append(result)
    return compared


def _of(result: Result, key: str) -> Any:
    return result.parameters.get(key, "none")


def _empty(name: str, title: str, folder: Path, tier: str) -> Result:
    result = Result(
        case=name, title=title, source="", tier=tier, run_tier=tier, parameters={}, complete=True
    )
    result.folder = folder / "differences" / name
    shutil.rmtree(result.folder, ignore_errors=True)
    result.folder.mkdir(parents=True)
    return result


def _compare(
    case: str,
    quantity: str,
    ones: Mapping[str, Verdict],
    twos: Mapping[str, Verdict],
    share: float,
) -> Verdict:
    one, two = ones.get(quantity), twos.get(quantity)
    there = one or two
    assert there is not None
    nan = float("nan")
    reason = f"{share:g} of the case's tolerance: {there.reason}"
    return judge(
        case,
        quantity,
        measured=two.measured if two else nan,
        reference=one.measured if one else nan,
        tolerance=allowed(there, share) if one and two else 0.0,
        kind="absolute",
        reason=reason if one and two else ONLY_THERE,
    )


def _draw_shares(result: Result) -> None:
    """Plot each difference divided by the allowed difference."""
    import matplotlib.pyplot as plt
    import numpy

    rows = [row for row in result.verdicts if row.tolerance > 0.0]
    if not rows:
        return
    parts = numpy.array([row.error / row.tolerance for row in rows])
    figure, axis = plt.subplots(figsize=(9.0, 1.2 + 0.24 * len(rows)))
    colours = ["#009e73" if row.passed else "#d55e00" for row in rows]
    axis.scatter(numpy.maximum(parts, 1e-4), range(len(rows)), c=colours)
    axis.axvline(1.0, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.set_yticks(range(len(rows)), [_short(row.quantity) for row in rows], fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("difference / allowed difference (0 is drawn at 0.0001)")
    result.keep_figure(
        "differences",
        figure,
        "Difference of each quantity between the two sides, divided by the allowed difference.",
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def run_sides(
    case: Case,
    settings: Sequence[str],
    folder: Path,
    *,
    tier: str,
    timeout: float | None = None,
    on_start: Callable[[str], None] = lambda text: None,
) -> list[Side]:
    """Run a case once for each text in `settings`.

    `on_start` is called with the text before each run. Raises UsageError if a run does not finish.
    """
    sides = []
    for number, text in enumerate(settings):
        on_start(text)
        words = [f"{key}={value}" for key, value in parse_side(text).items()]
        overrides = validation.parse_settings(case, words)
        result = validation.run_case(
            case,
            validation.prepare_folder(folder / f"side-{number + 1}"),
            tier=tier,
            overrides=overrides,
            resume=True,
            timeout=timeout,
        )
        if result.error:
            raise UsageError(f"{case.name} with {text}: {result.error}")
        sides.append(Side(text, {case.name: result}))
    return sides


# --------------------------------------------------------------------------- input scripts


def run_input(
    script: Path,
    settings: Sequence[str],
    *,
    ranks: int,
    timeout: float | None,
    on_start: Callable[[str], None] = lambda text: None,
) -> list[tuple[str, pandas.DataFrame]]:
    """Run an input script once for each text in `settings`. Return texts and thermo outputs.

    `on_start` is called with the text before each run. Raises UsageError if there is no thermo
    output to compare, OSError if the script cannot be read, and LammpsError if LAMMPS fails.
    """
    files.check_readable(script)
    outputs = []
    for text in settings:
        on_start(text)
        try:
            run = engine.run(script, variables=parse_side(text), ranks=ranks, timeout=timeout)
        except ValueError as error:
            raise UsageError(f"{script} with {text}: {error}") from error
        if run.thermo.empty or not _compared_columns(run.thermo):
            raise UsageError(f"{script} with {text} writes no thermo output to compare")
        outputs.append((text, run.thermo))
    return outputs


def _compared_columns(thermo: pandas.DataFrame) -> list[Hashable]:
    return [column for column in thermo if column not in ("run", "Step")]


def compare_outputs(
    name: str,
    outputs: Sequence[tuple[str, pandas.DataFrame]],
    folder: Path,
    tolerance: float,
) -> list[Result]:
    """Compare the thermo columns of each side, from `run_input`, with those of the first side."""
    import numpy

    (label, reference), *others = outputs
    keys = ["run", "Step"] if "Step" in reference else ["run"]
    results = []
    for number, (other_label, other) in enumerate(others, start=1):
        same_rows = reference[keys].equals(other[keys]) and list(reference) == list(other)
        if not same_rows:
            raise UsageError(
                f"{label} and {other_label} cannot be compared, because the steps or columns of"
                " their thermo output differ"
            )
        case = f"{name}-{number}"
        result = _empty(case, f"{other_label} against {label}", folder, "quick")
        result.source = "thermo output, row by row; the first side is the reference"
        columns = _compared_columns(reference)
        for column in columns:
            one, two = reference[column].to_numpy(), other[column].to_numpy()
            result.verdicts.append(
                judge(
                    case,
                    f"{column}: largest difference of {len(one)} rows",
                    measured=float(numpy.abs(two - one).max()),
                    reference=0.0,
                    tolerance=tolerance * float(numpy.abs(one).max()),
                    kind="absolute",
                    reason=f"{tolerance:g} of the column's largest value in the reference",
                )
            )
        _draw_outputs(result, [(label, reference), (other_label, other)], columns)
        result.save()
        results.append(result)
    return results


def _draw_outputs(
    result: Result,
    outputs: Sequence[tuple[str, pandas.DataFrame]],
    columns: Sequence[Hashable],
) -> None:
    import matplotlib.pyplot as plt

    across = min(3, len(columns))
    down = -(-len(columns) // across)
    figure, axes = plt.subplots(
        down, across, figsize=(4.2 * across, 2.8 * down), squeeze=False, sharex=True
    )
    for axis, column in zip(axes.flat, columns, strict=False):
        for (label, frame), style in zip(outputs, ("-", "--"), strict=True):
            axis.plot(_rows(frame), frame[column], style, label=label, linewidth=1.2)
        axis.set_title(column, fontsize=9)
    for axis in axes.flat[len(columns) :]:
        axis.set_visible(False)
    axes[0, 0].legend(fontsize=8)
    result.keep_figure("outputs", figure, "Thermo output of both sides against the row number.")


def _rows(frame: pandas.DataFrame) -> numpy.ndarray:
    import numpy

    return numpy.arange(len(frame))
