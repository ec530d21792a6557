"""Case DEM01 of MFIX: a ball falls freely, touches a linear contact and rebounds, in gravity."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context
from pysuite.references import bouncing
from pysuite.setups import impacts

GRAVITY = 9.80665
RADIUS, DENSITY, STIFFNESS = 0.1, 2600.0, 5e4
HEIGHT = 0.5  # of the centre at the start
RESTITUTION = (0.6, 0.7, 0.8, 0.9, 1.0)
RESOLUTION = 1000  # steps in a contact


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    ball = impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0))
    frequency = np.sqrt(STIFFNESS / ball.mass)
    step = np.pi / frequency / RESOLUTION
    drop = HEIGHT - RADIUS
    bounces = [
        bouncing.Bounce(frequency, bouncing.damping_ratio(e), GRAVITY, drop) for e in RESTITUTION
    ]
    # until the least elastic ball is about to touch again
    end = bounces[0].parting + 0.9 * 2.0 * RESTITUTION[0] * bounces[0].touch
    every = 10
    outcome = impacts.collide(
        c,
        [
            impacts.Impact(
                f"hooke {STIFFNESS} {e} damping {c['damping']} tangential linear_history 0 0 0",
                ball,
                gap=drop,
            )
            for e in RESTITUTION
        ],
        step=step,
        steps=round(end / step),
        floor=c["floor"],
        trace_every=every,
        commands=f"fix weight balls gravity {GRAVITY} vector 0 0 -1\n",
        lasting=True,
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.0))
    fall = GRAVITY * bounces[0].touch
    rows = []
    for n, (e, bounce) in enumerate(zip(RESTITUTION, bounces, strict=True)):
        trace = outcome.trace[outcome.trace["impact"] == n]
        time = trace["time"].to_numpy()
        height, velocity = bounce.motion(time)
        # the touch falls anywhere in its step, and the velocity then jumps in slope, not in value
        off_height = np.abs(trace["z"] - RADIUS - height).max() / drop
        off_velocity = np.abs(trace["vz"] - velocity).max() / fall
        rows.append({"e": e, "height": off_height, "velocity": off_velocity})
        left.plot(time, trace["z"], f"C{n}", label=f"e = {e}")
        left.plot(time[::40], (RADIUS + height)[::40], "k.", ms=3)
        right.plot(time, trace["vz"], f"C{n}")
        right.plot(time[::40], velocity[::40], "k.", ms=3)
        for quantity, value, scale in (
            ("height", off_height, "the drop"),
            ("velocity", off_velocity, "that at the touch"),
        ):
            c.check(
                f"e = {e}: {quantity} over time against the closed form, largest error, fraction of"
                f" {scale}",
                measured=value,
                reference=0.0,
                tolerance=1e-3,
                kind="absolute",
                reason="the tolerance that the benchmark prescribes; a touch may be late by a"
                " thousandth"
                " of the contact",
            )
    c.table("errors", pd.DataFrame(rows), "Largest errors over all times.")
    left.set(xlabel="time [s]", ylabel="height of the centre [m]")
    right.set(xlabel="time [s]", ylabel="velocity [m/s]")
    left.legend()
    c.figure("motion", figure, "Free fall, contact and rebound; dots: closed form.")


CASE = Case(
    name="mfix-dem-01",
    title="MFIX DEM01: free fall, linear contact and rebound in closed form",
    source="Garg et al., Powder Technol. 220 (2012) 122, freely falling particle; closed form",
    tier="smoke",
    parameters={"damping": "coeff_restitution", "floor": "wall"},
    spoil={"damping": "tsuji"},
    run=run,
)
