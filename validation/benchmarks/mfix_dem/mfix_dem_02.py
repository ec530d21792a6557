"""Case DEM02 of MFIX: the peaks of a bouncing ball, h_k = R + (h_0 - R) e^(2 k).

The closed form holds for a hard ball, so results are extrapolated to contacts of zero duration. The
contact is Hertzian, because the dashpot force of a linear contact would jump at touch.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import bouncing
from pysuite.validation.setups import impacts

GRAVITY = 9.80665
RADIUS, DENSITY = 0.1, 2600.0
HEIGHT = 0.5  # height of the centre
DROP = HEIGHT - RADIUS
RESTITUTION = (0.7, 0.8, 0.9, 1.0)
BOUNCES = {"smoke": 2, "quick": 5, "full": 5}
DURATION = {"smoke": 2e-3, "quick": 1e-3, "full": 5e-4}  # of the first contact, s
RESOLUTION = 1000  # steps per contact


def judge(c: Context, e: float, reference: np.ndarray, extrapolated: np.ndarray, hard: np.ndarray):
    c.check_close(
        f"e = {e}: peaks of {reference.size} bounces, extrapolated to a hard ball, largest relative"
        " error",
        extrapolated / reference,
        1.0,
        tolerance=1e-3,
        reason="the benchmark demands this tolerance; the extrapolation has a second-order error",
    )
    c.check_close(
        f"e = {e}: peaks without extrapolation, largest relative error",
        hard / reference,
        1.0,
        tolerance=0.02,
        reason=(
            "the ratio of weight to largest contact force is 1e-3 at the slowest bounce; the error"
            " is several times this ratio"
        ),
    )


def draw(c: Context, trace: pd.DataFrame, peaks: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    for n, (e, of_e) in enumerate(peaks.groupby("e", sort=False)):
        of_ball = trace[trace["impact"] == n]
        axis.plot(of_ball["time"], of_ball["z"], f"C{n}", linewidth=1.0, label=f"e = {e}")
        height, end = RADIUS + of_e["closed form"], of_ball["time"].iloc[-1]
        axis.hlines(height, 0.0, end, f"C{n}", linewidth=0.5, linestyles="dashed")
    axis.set(xlabel="time [s]", ylabel="height of the centre [m]")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    c.figure("bouncing", figure, "Bouncing balls. Dashed lines show the peaks of hard balls.")


def run(c: Context) -> None:
    soft, _ = bounce(c, 1)
    hard, trace = bounce(c, 2)
    tables = []
    for n, e in enumerate(RESTITUTION):
        reference = bouncing.peak_heights(DROP, e, BOUNCES[c.tier])
        extrapolated = 2.0 * hard[n] - soft[n]
        judge(c, e, reference, extrapolated, hard[n])
        columns = {"bounce": np.arange(reference.size) + 1, "soft": soft[n], "harder": hard[n]}
        columns |= {"extrapolated": extrapolated, "closed form": reference}
        tables.append(pd.DataFrame({"e": e, **columns}))
    peaks = pd.concat(tables)
    c.not_reproduced(
        "The closed form holds for a hard ball. The results of soft balls are therefore"
        " extrapolated to contacts of zero duration."
    )
    c.table("peaks", peaks, "Peak heights of the lowest point of the ball [m].")
    draw(c, trace, peaks)


def bounce(c: Context, factor: int) -> tuple[list[np.ndarray], pd.DataFrame]:
    ball = impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0))
    duration = DURATION[c.tier] / factor
    bounces = BOUNCES[c.tier]
    touch = np.sqrt(2.0 * DROP / GRAVITY)
    speed = GRAVITY * touch
    overlap = duration * speed / impacts.HERTZ_DURATION
    # 4/3 E*, from the energy 8/15 E* sqrt(R) delta^(5/2) at the largest overlap
    stiffness = 1.25 * ball.mass * speed**2 / (np.sqrt(RADIUS) * overlap**2.5)
    step = duration / RESOLUTION
    end = (1.1 + 2.0 * bounces) * touch
    trace = impacts.collide(
        c,
        [
            impacts.Impact(
                f"hertz {stiffness:.17g} {e} damping {c['damping']}"
                " tangential linear_history 0 0 0",
                ball,
                gap=DROP,
            )
            for e in RESTITUTION
        ],
        step=step,
        steps=round(end / step),
        floor=c["floor"],
        trace_every=round(0.01 * touch / step),
        commands=f"fix weight balls gravity {GRAVITY} vector 0 0 -1\n",
        lasting=True,
    ).trace
    peaks = []
    for n, e in enumerate(RESTITUTION):
        flight = trace[(trace["impact"] == n) & (trace["overlap"] < 0.0)]
        rising = flight["vz"].to_numpy() > 0.0
        # height and velocity at any time in flight determine the peak
        peak = (flight["z"] - RADIUS + 0.5 * flight["vz"] ** 2 / GRAVITY).to_numpy()
        found = peak[np.flatnonzero(rising[1:] & ~rising[:-1]) + 1][:bounces]
        if found.size < bounces:
            raise RuntimeError(f"e = {e}: found only {found.size} bounces instead of {bounces}")
        peaks.append(found)
    return peaks, trace


CASE = Case(
    name="mfix-dem-02",
    title="MFIX DEM02: peak heights of a bouncing ball",
    source="[garg2012] bouncing particle; closed form",
    tier="smoke",
    parameters={"damping": "coeff_restitution", "floor": "wall"},
    spoil={"damping": "tsuji"},
    run=run,
)
