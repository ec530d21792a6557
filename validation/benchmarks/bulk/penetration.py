"""Penetration of a steel ball into a bed of grains, compared with other codes on the same bed.

The exercise is from [dosta2024]. The published results of eight codes are not judged, because the
published packings differ from the packings poured here. In tier full, codes are compared on one
packing poured here. In lower tiers, codes are compared on stored beds with halved times and lengths
(`pysuite peers penetration`). The lowest height of the ball depends on single grains and is not
judged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.validation import Case, Context
from pysuite.validation.setups import bulk

BEDS = {"smoke": 2, "quick": 4, "full": 10}
SLIDERS = ("csds", "dsds")
QUANTITIES = (*bulk.TIMES, "lowest")


class Hits(NamedTuple):
    """Heights of the ball in metres.

    Attributes:
        table: heights at given times, and the lowest height.
        curves: for each code and packing, an array of shape (times, 2) with time and height.
    """

    table: pd.DataFrame
    curves: dict[tuple[str, int], np.ndarray]


def run(c: Context) -> None:
    bed = bulk.Bed(1.0 if c.tier == "full" else bulk.HALF)
    hits = hit(c, bed)
    c.table(
        "heights",
        hits.table,
        "Height of the ball at given times, and its lowest height, in metres.",
    )
    codes = of_others(c, "codes.csv", 1.0)
    others = of_others(c, "full.csv" if c.tier == "full" else "reduced.csv", bed.scale)
    allowed = {quantity: 1e3 * bed.scale * apart(codes.table, quantity) for quantity in bulk.TIMES}
    judge_beds(c, hits.table, others.table, allowed)
    judge_sliders(c, hits.table, allowed)
    if c.tier == "full":
        compare_packings(c, hits.table, others.table, codes.table)
        others = codes
    draw(c, hits, others)


def hit(c: Context, bed: bulk.Bed) -> Hits:
    numbers = range(1, (c["beds"] or BEDS[c.tier]) + 1)
    if c.tier == "full":
        beds = [bulk.pour(c.lammps, bed, number) for number in numbers]
    else:
        beds = bulk.kept_beds(c.data)[: len(numbers)]
    curves = {}
    for number, grains in zip(numbers, beds, strict=True):
        impact = bulk.above(bed, grains)
        data = impact.write(c.folder / f"bed-{number}.data")
        for slider in SLIDERS:
            run = c.lammps(impact.script(data, slider, c["friction"]), timeout=7200.0)
            curves[slider, number] = impact.curve(run.thermo["Step"], run.thermo["v_z"])
    return tabled(curves, bed.scale)


def of_others(c: Context, file: str, scale: float) -> Hits:
    """Read a file with the results of other codes. `scale` is the scale of the beds' lengths."""
    frame = pd.read_csv(c.data / "dosta" / file)
    times = 1e-3 * frame.columns[2:].to_numpy(float)
    heights = frame.set_index(["code", "packing"])
    return tabled({key: np.column_stack([times, row]) for key, row in heights.iterrows()}, scale)


def tabled(curves: dict[tuple[str, int], np.ndarray], scale: float) -> Hits:
    rows = [
        {"code": code, "packing": number, **bulk.read(curve, scale)}
        for (code, number), curve in curves.items()
    ]
    return Hits(pd.DataFrame(rows), curves)


def apart(codes: pd.DataFrame, quantity: str) -> float:
    """Return the range of the eight codes' results on one bed, as the median over all beds."""
    heights = codes.groupby("packing")[quantity]
    return float((heights.max() - heights.min()).median())


def judge_sliders(c: Context, table: pd.DataFrame, allowed: dict[str, float]) -> None:
    for quantity, tolerance in allowed.items():
        both = table.pivot(index="packing", columns="code", values=quantity)
        c.check_close(
            f"dsds minus csds on the same bed: height {quantity}, largest difference, mm",
            1e3 * both["dsds"],
            1e3 * both["csds"],
            tolerance=tolerance,
            reason="on one bed, the eight published codes differ by this much (median of ten beds)",
        )


def judge_beds(
    c: Context, table: pd.DataFrame, others: pd.DataFrame, allowed: dict[str, float]
) -> None:
    for quantity, tolerance in allowed.items():
        own = table.pivot(index="packing", columns="code", values=quantity)
        for code, theirs in others.groupby("code"):
            heights = theirs.set_index("packing")[quantity]
            differences = 1e3 * own.sub(heights, axis=0).dropna()
            c.check_close(
                f"csds minus {code} and dsds minus {code} on the same bed: height {quantity},"
                " largest difference, mm",
                differences,
                np.zeros(differences.shape),
                tolerance=tolerance,
                reason=(
                    "on one bed, the eight published codes differ by this much (median of ten beds)"
                ),
            )


def compare_packings(
    c: Context, table: pd.DataFrame, others: pd.DataFrame, codes: pd.DataFrame
) -> None:
    own = table[table["code"] == "csds"]
    theirs, here = (
        1e3 * frame[frame["code"] == "LIGGGHTS"]["at 25 ms"] for frame in (codes, others)
    )
    lines = []
    for quantity in QUANTITIES:
        by_code = (1e3 * codes.set_index("code")[quantity]).groupby("code")
        low, high, scatter = by_code.mean().min(), by_code.mean().max(), by_code.std().median()
        ours = statistics.mean(1e3 * own[quantity], c.level, of="packings")
        within = low - scatter <= ours.value <= high + scatter
        lines.append(
            f"{quantity} {ours.value:.2f} mm ({ours.low:.2f} to {ours.high:.2f}),"
            f" {'within' if within else 'outside'} the range of the codes ({low:.2f} to {high:.2f};"
            f" scatter between packings {scatter:.2f})"
        )
    c.not_reproduced(
        "The heights on packings poured here differ from those on the published packings: "
        + "; ".join(lines)
        + f". The cause is the packing: for LIGGGHTS, the height at 25 ms is {theirs.mean():.2f} mm"
        f" in the publication and {here.mean():.2f} mm on {len(here)} packings poured here."
    )


def draw(c: Context, hits: Hits, others: Hits) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.0))
    names = [*SLIDERS, *others.table["code"].unique()]
    for k, name in enumerate(names):
        frame = hits if name in SLIDERS else others
        curves = [curve for (code, _), curve in frame.curves.items() if code == name]
        begin = max(curve[0, 0] for curve in curves)
        times = curves[0][curves[0][:, 0] >= begin, 0]
        mean = np.mean([np.interp(times, *curve.T) for curve in curves], axis=0)
        style = "-" if name in SLIDERS else "."
        left.plot(1e3 * times, 1e3 * mean, style, color=f"C{k}", markersize=4, label=name)
        rows = frame.table[frame.table["code"] == name]
        right.plot(
            1e3 * rows["at 25 ms"], 1e3 * rows["lowest"], "o" if name in SLIDERS else "x",
            color=f"C{k}", mfc="none", label=name,
        )  # fmt: skip
    left.set(xlabel="time [ms]", ylabel="height of the ball [mm]")
    left.legend(fontsize=8)
    right.set(xlabel="height at 25 ms [mm]", ylabel="lowest height [mm]")
    c.figure(
        "heights",
        figure,
        "Left: height of the ball, averaged over the packings. Right: lowest height against height"
        " at 25 ms, with one marker per packing.",
    )


CASE = Case(
    name="penetration",
    title="A steel ball penetrates a bed of grains as deeply as in other codes on the same bed",
    source="[dosta2024] fig. 11",
    tier="smoke",
    parameters={"friction": 1.0, "beds": 0},
    spoil={"friction": 0.0},
    run=run,
    timeout=43200.0,
)
