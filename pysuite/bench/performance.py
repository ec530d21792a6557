"""Compute medians and make tables and a figure from benchmark results."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysuite import engine, files
from pysuite.bench.segments import (
    BASELINE,
    OTHER_SLIDER,
    OURS,
    REFERENCE,
    SECOND_REFERENCE,
    Measurement,
    load,
)
from pysuite.figures import FIGURE_STYLE
from pysuite.lammps import processes

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SECTION_BEGIN, SECTION_END = "<!-- pysuite bench: begin -->", "<!-- pysuite bench: end -->"
QUARTILES = {"low": 0.25, "median": 0.5, "high": 0.75}
NOT_COMPARED = ("size", "memory")

# ---------------------------------------------------------------------------------- statistics


def summary(result: Measurement) -> pandas.DataFrame:
    """Return one row per entry, with medians of times and quartiles of ratios of times.

    Times are in ms per step, except contact_ns: Pair time per contact in ns. Each ratio compares
    times of the same round:

    * pair: Pair time / Pair time of REFERENCE
    * pair_second: Pair time / Pair time of SECOND_REFERENCE
    * slider: Pair time / Pair time of OTHER_SLIDER
    * loop: loop time / loop time of REFERENCE
    * size: Pair time per contact / Pair time per contact in the packing nearest to 10^5 grains

    Each ratio has three columns with its quartiles over the rounds, such as pair_low, pair_median
    and pair_high.
    """
    frame = result.frame()
    frame["contact"] = frame["Pair"] / frame["contacts"]
    middle = min(frame["grains"].unique(), key=lambda grains: abs(math.log(grains / 1e5)))
    comparisons = {
        "pair": ratios(frame, "Pair", "grains", "label", REFERENCE),
        "pair_second": ratios(frame, "Pair", "grains", "label", SECOND_REFERENCE),
        "slider": ratios(frame, "Pair", "grains", "label", OTHER_SLIDER),
        "loop": ratios(frame, "Loop", "grains", "label", REFERENCE),
        "size": ratios(frame, "contact", "label", "grains", middle),
    }
    groups = frame.groupby("entry")
    rows = groups.first()[list(result.entries[0])]
    rows.insert(0, "benchmark", result.benchmark)
    rows.insert(1, "ranks", result.ranks)
    rows["rounds"] = groups.size()
    rows["pair_ms"] = 1e3 * groups["Pair"].median()
    rows["comm_ms"] = 1e3 * groups["Comm"].median()
    rows["loop_ms"] = 1e3 * groups["Loop"].median()
    rows["contact_ns"] = 1e9 * groups["contact"].median()
    for name, quartiles in comparisons.items():
        rows = rows.join(quartiles.add_prefix(f"{name}_"))
    return rows.reset_index(drop=True)


def ratios(
    frame: pandas.DataFrame, section: str, within: str, among: str, reference: Any
) -> pandas.DataFrame:
    """Return, for each entry, quartiles over the rounds of a time divided by a reference time.

    The times are in column `section`. The reference time of a row is from the row with the same
    round and the same value of column `within`, but with the value `reference` in column `among`.
    Ratios without a reference time are NaN.
    """
    key = ["round", within]
    base = frame[frame[among] == reference].set_index(key)[section].rename("base")
    joined = frame.join(base, on=key)
    groups = (joined[section] / joined["base"]).groupby(joined["entry"])
    return groups.quantile(list(QUARTILES.values())).unstack().set_axis(list(QUARTILES), axis=1)


def speed_up(rows: pandas.DataFrame) -> pandas.DataFrame:
    """Return the speed-up of Pair time and of loop time on several ranks."""
    single, several = rows[rows["ranks"] == 1], rows[rows["ranks"] > 1]
    several = several.merge(single, on=["benchmark", "label"], suffixes=("", "_single"))
    table = several[["benchmark", "ranks", "label"]].copy()
    for section in ("pair", "loop"):
        table[section] = several[f"{section}_ms_single"] / several[f"{section}_ms"]
        table[f"{section}_relative"] = (
            several[f"{section}_median_single"] / several[f"{section}_median"]
        )
    return table


def memory(rows: pandas.DataFrame) -> pandas.DataFrame:
    """Return the memory use measured by the benchmark `memory`.

    Columns: label, reported (bytes per grain that LAMMPS reports), resident (growth of the process
    in bytes per grain) and per_contact (growth of the process beyond the growth in a run without a
    contact law, in bytes per contact).
    """
    rows = rows[rows["benchmark"] == "memory"]
    table = rows[["label"]].copy()
    table["reported"] = rows["reported_bytes"] / rows["grains"]
    table["resident"] = rows["resident_bytes"] / rows["grains"]
    bare = rows.loc[rows["label"] == BASELINE, "resident_bytes"]
    more = rows["resident_bytes"] - (bare.iloc[0] if len(bare) else math.nan)
    table["per_contact"] = more / rows["contacts"]
    return table[table["label"] != BASELINE].reset_index(drop=True)


# ------------------------------------------------------------------------- limits of the machine

# Minimum memory traffic for one step of OURS, in bytes. The caches are assumed to keep a grain
# until all its contacts are computed.
# - Every grain reads x and the rounded position stored with the last short list (36).
# - A grain in contact also reads v and omega (48), radius and mass (16), and reads and writes force
#   and torque (96).
# - A contact reads its pair (20), and reads and writes its history and the number of its last
#   evaluation (64).
BYTES_OF_GRAIN = 36
BYTES_OF_TOUCHING_GRAIN = 160
BYTES_OF_CONTACT = 84
# Operations for one contact: search and gather 15, normal force 61, friction 97, scatter 12. A
# division or square root counts as one.
FLOPS_OF_CONTACT = 185


@dataclass(frozen=True)
class Limits:
    """Memory bandwidth (bytes/s) and arithmetic rate (operations/s) of one core.

    The arithmetic rate is half of the rate that numpy reaches in a matrix product, because numpy
    uses fused multiply-add and the laws are compiled without fused multiply-add.
    """

    bandwidth: float
    flops: float

    def shares(self, rows: pandas.DataFrame) -> pandas.DataFrame:
        """Return the share of each limit that OURS reaches on one rank, given a `summary`."""
        rows = rows[(rows["label"] == OURS) & (rows["ranks"] == 1)]
        table = rows[["benchmark"]].copy()
        grains_per_contact = rows["grains"] / rows["contacts"]
        touching = grains_per_contact.clip(upper=2.0)
        table["bytes"] = (
            BYTES_OF_CONTACT
            + BYTES_OF_GRAIN * grains_per_contact
            + BYTES_OF_TOUCHING_GRAIN * touching
        )
        table["flops"] = FLOPS_OF_CONTACT
        seconds = 1e-9 * rows["contact_ns"]
        table["bandwidth"] = table["bytes"] / self.bandwidth / seconds
        table["arithmetic"] = table["flops"] / self.flops / seconds
        return table.reset_index(drop=True)


def measure_limits() -> Limits:
    """Measure the limits in a separate process in which numpy uses only one core."""
    command = processes.worker_command("bench.performance")
    returncode, output = processes.run_process(command, Path.cwd(), timeout=120.0)
    if returncode != 0:
        raise engine.EngineError(engine.describe_exit(returncode or 1, output, "numpy"))
    return Limits(**json.loads(output))


def _worker(repeats: int = 30, values: int = 8_000_000) -> None:
    import numpy

    a, b, c = (numpy.ones(values) for _ in range(3))
    matrix = numpy.ones((800, 800))

    def triad() -> None:
        numpy.multiply(c, 2.0, out=a)
        numpy.add(a, b, out=a)

    def best(function: Callable[[], object]) -> float:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        return min(times)

    # numpy computes the triad in two passes: the first moves two arrays, the second three
    limits = Limits(5 * a.nbytes / best(triad), len(matrix) ** 3 / best(lambda: matrix @ matrix))
    print(json.dumps(asdict(limits)))


# ------------------------------------------------------------------------------------ the report


@dataclass(frozen=True)
class Table:
    """A table of text cells for the terminal and for Markdown."""

    caption: str
    cells: pandas.DataFrame

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [list(self.cells.columns), ["---", *["---:"] * (self.cells.shape[1] - 1)]]
        lines += self.cells.to_numpy().tolist()
        rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{self.caption}\n\n{rows}"


def write_report(folder: Path, limits: Limits, document: Path | None = None) -> list[Table]:
    """Write a CSV file, a figure and tables of all results to the folder, and return the tables.

    If a Markdown file `document` is given, the tables also replace the text between two marks in
    `document`, and the figure replaces `figures/performance.svg` in the folder of `document`.
    Raises UsageError if the marks are missing.
    """
    import matplotlib
    import matplotlib.pyplot as plt
    import pandas

    results = load(folder)
    rows = pandas.concat([summary(result) for result in results], ignore_index=True)
    rows.to_csv(folder / "performance.csv", index=False)
    tables = make_tables(rows, limits)
    text = "\n\n".join(
        [describe(results), "![Cost of pair styles](performance.svg)", *map(Table.markdown, tables)]
    )
    outputs = {folder / "performance.md": text}
    pictures = [folder / "performance.svg"]
    if document is not None:
        section = text.replace("(performance.svg)", "(figures/performance.svg)")
        outputs[document] = files.replace_section(document, section, SECTION_BEGIN, SECTION_END)
        pictures.append(document.parent / "figures" / "performance.svg")
    for path, content in outputs.items():
        files.write(path, content.rstrip() + "\n")
    with matplotlib.rc_context(FIGURE_STYLE):
        drawing = figure(rows)
        for path in pictures:
            path.parent.mkdir(exist_ok=True)
            with files.whole(path) as temporary:
                drawing.savefig(temporary, facecolor="white", metadata={"Date": None})
        plt.close(drawing)
    return tables


def describe(results: Sequence[Measurement]) -> str:
    """Return one sentence about the date, the machine and the build."""
    machine, date = results[0].machine, max(result.date for result in results)
    clone = machine["clones"][-1] if machine["clones"] else "unknown"
    return (
        f"Measured on {date}: {machine['processor']}, {machine['cores']} cores "
        f"({machine['caches']}); LAMMPS {machine['lammps']}; granular/plus compiled by "
        f"{machine['compiler']}, instruction set {clone} unless named in brackets."
    )


def make_tables(rows: pandas.DataFrame, limits: Limits) -> list[Table]:
    """Return the tables for which the summaries have results."""
    compared = rows[~rows["benchmark"].isin(NOT_COMPARED)]
    groups = compared.groupby(["benchmark", "ranks"], sort=False)
    tables = [
        *(_comparison_table(group) for _, group in groups),
        _speed_up_table(speed_up(compared)),
        _size_table(rows[rows["benchmark"] == "size"]),
        _memory_table(memory(rows)),
        _limits_table(limits.shares(compared), limits),
    ]
    return [table for table in tables if len(table.cells)]


def _comparison_table(rows: pandas.DataFrame) -> Table:
    first = rows.iloc[0]
    ranks = "1 rank" if first["ranks"] == 1 else f"{first['ranks']} ranks"
    caption = (
        f"**{first['benchmark']}, {ranks}**: {first['grains']:,} grains, "
        f"{rows['contacts'].max():,.0f} contacts, {rows['pairs'].max():,.0f} pairs in the neighbour"
        " list. The list is rebuilt every "
        f"{first['steps_per_build']:.0f} steps. {first['rounds']} rounds were measured."
    )
    for ratio in _quartiles(rows[rows["label"] == OURS], "slider"):
        caption += f" Pair time {OURS} / {OTHER_SLIDER}: {ratio}."
    columns = {
        "style": rows["label"],
        "Pair, ms per step": rows["pair_ms"].map("{:.3g}".format),
        "ns per contact": rows["contact_ns"].map("{:.1f}".format),
        f"Pair / {REFERENCE}": _quartiles(rows, "pair"),
        f"Pair / {SECOND_REFERENCE}": _quartiles(rows, "pair_second"),
        f"Loop / {REFERENCE}": _quartiles(rows, "loop"),
    }
    return _table(caption, columns)


def _speed_up_table(rows: pandas.DataFrame) -> Table:
    caption = (
        "**More ranks**. Pair and Loop: speed-up, which is the time on one rank divided by the "
        f"time on several ranks. Relative: speed-up divided by the speed-up of {REFERENCE}."
    )
    columns = {
        "benchmark": rows["benchmark"],
        "ranks": rows["ranks"].astype(str),
        "style": rows["label"],
        "Pair": rows["pair"].map("{:.2f}".format),
        "Loop": rows["loop"].map("{:.2f}".format),
        "Pair, relative": rows["pair_relative"].map("{:.2f}".format),
        "Loop, relative": rows["loop_relative"].map("{:.2f}".format),
    }
    return _table(caption, columns)


def _size_table(rows: pandas.DataFrame) -> Table:
    caption = (
        "**Size**: Pair time per contact. Relative: ratio to the Pair time per contact in the "
        "packing nearest to 10⁵ grains."
    )
    columns = {
        "style": rows["label"],
        "ranks": rows["ranks"].astype(str),
        "grains": rows["grains"].map("{:,}".format),
        "contacts": rows["contacts"].map("{:,.0f}".format),
        "ns per contact": rows["contact_ns"].map("{:.1f}".format),
        "relative": _quartiles(rows, "size"),
    }
    return _table(caption, columns)


def _memory_table(rows: pandas.DataFrame) -> Table:
    caption = (
        "**Memory** in bytes. Reported: memory per grain that LAMMPS reports. Resident: growth of "
        "the process per grain. Both include neighbour lists and ghosts. Law: growth of the "
        "process per contact, beyond the growth in a run with neighbour lists but no contact law."
    )
    columns = {
        "style": rows["label"],
        "reported, per grain": rows["reported"].map("{:.0f}".format),
        "resident, per grain": rows["resident"].map("{:.0f}".format),
        "law, per contact": rows["per_contact"].map("{:.0f}".format),
    }
    return _table(caption, columns)


def _limits_table(rows: pandas.DataFrame, limits: Limits) -> Table:
    caption = (
        f"**Limits** of one core: {limits.bandwidth / 1e9:.1f} GB/s from memory, "
        f"{limits.flops / 1e9:.0f} GFlop/s without fused multiply-add. Bytes and flops: least "
        f"memory traffic and fewest operations of {OURS} per contact. The last two columns are "
        "the shares of the limits that this style reaches."
    )
    columns = {
        "benchmark": rows["benchmark"],
        "bytes": rows["bytes"].map("{:.0f}".format),
        "flops": rows["flops"].astype(str),
        "of bandwidth": rows["bandwidth"].map("{:.0%}".format),
        "of arithmetic": rows["arithmetic"].map("{:.0%}".format),
    }
    return _table(caption, columns)


def _table(caption: str, columns: Mapping[str, pandas.Series]) -> Table:
    import pandas

    return Table(caption, pandas.DataFrame(columns))


def _quartiles(rows: pandas.DataFrame, kind: str) -> pandas.Series:
    def text(row: pandas.Series) -> str:
        low, median, high = (row[f"{kind}_{name}"] for name in QUARTILES)
        return "–" if math.isnan(median) else f"{median:.3f} ({low:.3f}–{high:.3f})"

    return rows.apply(text, axis=1, result_type="reduce")


def figure(rows: pandas.DataFrame) -> Figure:
    """Draw Pair times relative to REFERENCE, and Pair times per contact against grain count."""
    import matplotlib.pyplot as plt

    drawing, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), width_ratios=(3, 2))
    single = rows[rows["ranks"] == 1]
    _draw_ratios(left, single[~single["benchmark"].isin(NOT_COMPARED)])
    _draw_sizes(right, single[single["benchmark"] == "size"])
    return drawing


def _draw_ratios(axes: Axes, rows: pandas.DataFrame) -> None:
    rows = rows[rows["pair_median"].notna() & (rows["label"] != REFERENCE)]
    benchmarks, labels = rows["benchmark"].unique().tolist(), rows["label"].unique()
    for number, label in enumerate(labels):
        group = rows[rows["label"] == label]
        shift = 0.7 * ((number + 0.5) / len(labels) - 0.5)
        median = group["pair_median"]
        axes.errorbar(
            median,
            [benchmarks.index(name) + shift for name in group["benchmark"]],
            xerr=[median - group["pair_low"], group["pair_high"] - median],
            fmt="os^vD<>ph"[number % 9],
            markersize=4,
            linewidth=1,
            label=label,
        )
    axes.set_xscale("log")
    axes.set_xlabel(f"Pair time / {REFERENCE} (median and quartiles)")
    axes.set_xticks([0.1, 0.2, 0.5, 1.0], ["0.1", "0.2", "0.5", "1"])
    axes.minorticks_off()
    axes.set_yticks(range(len(benchmarks)), benchmarks)
    axes.invert_yaxis()
    if len(labels):
        axes.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))


def _draw_sizes(axes: Axes, rows: pandas.DataFrame) -> None:
    for label, group in rows.groupby("label", sort=False):
        axes.plot(group["grains"], group["contact_ns"], "o-", markersize=4, label=label)
    axes.set_xscale("log")
    axes.set_xlabel("grains")
    axes.set_ylabel("Pair time per contact, ns")
    axes.set_ylim(bottom=0)
    if len(rows):
        axes.legend(fontsize=8)
