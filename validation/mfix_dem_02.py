"""Case DEM02 of MFIX: the peaks of a bouncing ball, h_k = R + (h_0 - R) e^(2 k)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import impacts
from pysuite.cases import Case, Context
from pysuite.references import bouncing

GRAVITY = 9.80665
RADIUS, DENSITY = 0.1, 2600.0
HEIGHT = 0.5  # of the centre at the start
RESTITUTION = (0.7, 0.8, 0.9, 1.0)
BOUNCES = {"smoke": 2, "quick": 5, "full": 5}
# The closed form is that of a hard ball: gravity during the contact matters as g/(omega v), which
# is 1e-4 at the slowest bounce
FREQUENCY = {"smoke": 2e4, "quick": 4e4, "full": 4e4}
RESOLUTION = 100  # steps in a contact


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    ball = impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0))
    frequency, bounces = FREQUENCY[c.tier], BOUNCES[c.tier]
    drop = HEIGHT - RADIUS
    touch = np.sqrt(2.0 * drop / GRAVITY)
    step = np.pi / frequency / RESOLUTION
    # the most elastic ball flies longest; half a flight more brings it to its last peak
    end = (1.05 + 2.0 * bounces) * touch
    outcome = impacts.collide(
        c,
        [
            impacts.Impact(
                f"hooke {ball.mass * frequency**2:.17g} {e} damping {c['damping']}"
                " tangential linear_history 0 0 0",
                ball,
                gap=drop,
            )
            for e in RESTITUTION
        ],
        step=step,
        steps=round(end / step),
        floor=c["floor"],
        # no flight between two bounces that count is as short as a tenth of the first fall
        trace_every=round(0.01 * touch / step),
        commands=f"fix weight balls gravity {GRAVITY} vector 0 0 -1\n",
        lasting=True,
    )
    figure, axis = plt.subplots()
    rows = []
    for n, e in enumerate(RESTITUTION):
        trace = outcome.trace[outcome.trace["impact"] == n]
        height = trace["z"].to_numpy() - RADIUS
        rising = trace["vz"].to_numpy() > 0.0
        # in flight, height and velocity tell the peak
        peak = height + 0.5 * trace["vz"].to_numpy() ** 2 / GRAVITY
        starts = np.flatnonzero(rising[1:] & ~rising[:-1] & (height[1:] > 0.0)) + 1
        found = peak[starts][:bounces]
        reference = bouncing.peak_heights(drop, e, bounces)
        if found.size < bounces:
            raise RuntimeError(f"e = {e}: {found.size} bounces seen instead of {bounces}")
        error = np.abs(found / reference - 1.0).max()
        c.check(
            f"e = {e}: peaks of {bounces} bounces, largest relative error",
            measured=error,
            reference=0.0,
            tolerance=1e-3,
            kind="absolute",
            reason="the bound that the benchmark asks for; gravity during the contact and 100 steps"
            " in it leave 1e-4 per bounce",
        )
        rows += [
            {"e": e, "bounce": k + 1, "peak": found[k], "closed form": reference[k]}
            for k in range(bounces)
        ]
        axis.plot(trace["time"], trace["z"], f"C{n}", linewidth=1.0, label=f"e = {e}")
        axis.hlines(RADIUS + reference, 0.0, end, f"C{n}", linewidth=0.5, linestyles="dashed")
    c.table("peaks", pd.DataFrame(rows), "Height of the lowest point at the peaks, m.")
    axis.set(xlabel="time [s]", ylabel="height of the centre [m]")
    axis.legend(loc="upper right")
    c.figure("bouncing", figure, "Bouncing balls; dashed: peaks of hard balls.")


CASE = Case(
    name="mfix-dem-02",
    title="MFIX DEM02: peak heights of a bouncing ball",
    source="Garg et al., Powder Technol. 220 (2012) 122, bouncing particle; closed form",
    tier="smoke",
    parameters={"damping": "coeff_restitution", "floor": "wall"},
    spoil={"damping": "tsuji"},
    run=run,
)
