"""A drum mixes wet and dry grains: bridges equalize the liquid of grains, and no liquid is lost.

The judged quantity is the variance of the liquid over the grains, divided by the square of the
mean. The initial value of this quantity is 1.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Circle

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

SCRIPT = Path(__file__).parents[2] / "inputs" / "in.wet_mixing"
RADIUS = {"quick": 6, "full": 10}
TURNS = {"quick": 1.5, "full": 3.0}
DRUMS = 8
FROUDE = 0.2
STEP = 4e-4
ROWS = 40
FILM = 0.004  # initial film of a wet grain, as in the script
GRAINS = "write_dump all custom {name} id x y z radius v_all modify format float %.9g"


class Results(NamedTuple):
    """Results of one drum.

    Attributes:
        table: variance of the liquid after each number of revolutions.
        change: relative change of the total liquid.
    """

    table: pd.DataFrame
    change: float
    start: pd.DataFrame
    end: pd.DataFrame


def simulate(c: Context, number: int) -> Results:
    folder = c.folder / f"{number}"
    folder.mkdir(parents=True, exist_ok=True)
    settled = "run             0\n"
    script = SCRIPT.read_text().replace(settled, f"{settled}{GRAINS.format(name='start')}\n")
    steps = TURNS[c.tier] * 2.0 * np.pi / np.sqrt(FROUDE / RADIUS[c.tier]) / STEP
    run = c.lammps(
        f"{script}\n{GRAINS.format(name='end')}\n",
        folder=folder,
        variables={
            "share": c["share"],
            "seed": seed(4711 + number),
            "film": FILM,
            "radius": RADIUS[c.tier],
            "froude": FROUDE,
            "turns": TURNS[c.tier],
            "every": round(steps / ROWS),
        },
        timeout=3600,
    )
    thermo = run.thermo
    table = pd.DataFrame(
        {
            "revolutions": thermo["Step"] / steps * TURNS[c.tier],
            "variance": thermo["v_spread"] ** 2,
            "nearly dry grains": thermo["c_dry"],
        }
    )
    change = re.findall(r"^relative change of the total liquid +(\S+)$", run.log, re.MULTILINE)
    return Results(table, float(change[-1]), run.dump("start"), run.dump("end"))


def judge(c: Context, drums: list[Results]) -> None:
    c.check(
        "largest relative change of the liquid in films and bridges",
        measured=max(abs(drum.change) for drum in drums),
        reference=0.0,
        tolerance=1e-12,
        kind="absolute",
        reason="round-off of sums over all grains",
    )
    variances = [drum.table["variance"] / drum.table["variance"].iloc[0] for drum in drums]
    c.check(
        "ratio of the final to the initial variance of the liquid",
        measured=statistics.mean([variance.iloc[-1] for variance in variances], of="drums"),
        reference=0.5,
        kind="at_most",
        reason="without bridges, the variance would be constant; the bound, a half, is a choice",
    )
    c.check(
        "largest rise of the variance between two outputs, fraction of the initial variance",
        measured=max(variance.diff().max() for variance in variances),
        reference=0.02,
        kind="at_most",
        reason=(
            "a rupture equalizes the liquid of two grains; small rises are possible, because a"
            " grain has several bridges at a time"
        ),
    )


def draw_grains(axis: Axes, grains: pd.DataFrame) -> EllipseCollection:
    seen = grains.sort_values("y", ascending=False)
    circles = EllipseCollection(
        2.0 * seen["radius"],
        2.0 * seen["radius"],
        np.zeros(len(seen)),
        units="xy",
        offsets=seen[["x", "z"]].to_numpy(),
        offset_transform=axis.transData,
        array=seen["v_all"] / FILM,
        cmap=LinearSegmentedColormap.from_list("wet", ["#e8d5b0", "#1f4fa0"]),
        clim=(0.0, 1.0),
        edgecolor="#00000060",
        linewidth=0.3,
    )
    axis.add_collection(circles)
    return circles


def draw_drum(c: Context, results: Results) -> None:
    figure, axes = panels(2)
    radius = RADIUS[c.tier]
    for axis, grains, turns in zip(
        axes, (results.start, results.end), (0.0, TURNS[c.tier]), strict=True
    ):
        circles = draw_grains(axis, grains)
        axis.add_patch(Circle((0.0, 0.0), radius, fill=False, color="0.5"))
        axis.set(xlim=(-1.05 * radius, 1.05 * radius), ylim=(-1.05 * radius, 1.05 * radius))
        axis.set(title=f"{turns:g} revolutions", aspect="equal")
        axis.axis("off")
    figure.colorbar(circles, ax=list(axes), label="liquid / initial film of a wet grain")
    c.figure(
        "grains",
        figure,
        "Grains of the drum. The colour shows the liquid in the film and in half of each bridge.",
    )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    drums = table.groupby("drum")
    for what, color in (("variance", "C0"), ("nearly dry grains", "C1")):
        for number, drum in drums:
            label = what if number == 0 else None
            axis.plot(drum["revolutions"], drum[what] / drum[what].iloc[0], color, label=label)
    axis.set(xlabel="revolutions", ylabel="relative to the start", ylim=(0.0, None))
    axis.legend()
    c.figure(
        "mixing",
        figure,
        f"Variance of the liquid, and fraction of nearly dry grains, in {DRUMS} drums.",
    )


def run(c: Context) -> None:
    drums = [simulate(c, number) for number in range(DRUMS)]
    judge(c, drums)
    draw_drum(c, drums[0])
    table = pd.concat([drum.table.assign(drum=number) for number, drum in enumerate(drums)])
    draw(c, table)
    rows = table[table.groupby("drum").cumcount() % 5 == 0]
    c.table("mixing", rows, "Liquid of the grains in each drum after the given revolutions.")


CASE = Case(
    name="wet-mixing",
    title="A drum mixes wet and dry grains",
    source="conservation of liquid",
    tier="quick",
    parameters={"share": 0.3},
    spoil={"share": 1e-6},
    run=run,
)
