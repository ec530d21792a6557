"""Case DEM04 of MFIX: a ball that slides slows down, spins up and rolls on at 5/7 of its speed."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context
from pysuite.references import bouncing
from pysuite.setups import impacts

GRAVITY = 9.80665
RADIUS, DENSITY, SPEED = 0.05, 2600.0, 2.0
FRICTION = (0.1, 0.2, 0.3, 0.5, 1.0)
OVERLAP = 2e-6  # at rest, fraction of the radius
RESOLUTION = 100  # steps in a swing of the contact


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    ball = impacts.Ball(RADIUS, DENSITY, (SPEED, 0.0, 0.0))
    stiffness = ball.mass * GRAVITY / (OVERLAP * RADIUS)
    step = 2.0 * np.pi * np.sqrt(ball.mass / stiffness) / RESOLUTION
    starts = [bouncing.rolling_starts(SPEED, mu, GRAVITY) for mu in FRICTION]
    steps = round(1.2 * max(starts) / step)
    every = max(1, steps // 2000)
    rolling = f" rolling sds {stiffness:.17g} 0 {c['rolling_friction']}"
    outcome = impacts.collide(
        c,
        [
            impacts.Impact(
                f"hooke {stiffness:.17g} 0.5 damping coeff_restitution"
                f" tangential linear_history {2.0 / 7.0 * stiffness:.17g} 1 {mu}"
                + (rolling if c["rolling_friction"] > 0.0 else "")
                + f" slider {c['slider']}",
                ball,
                gap=-OVERLAP * RADIUS,
            )
            for mu in FRICTION
        ],
        step=step,
        steps=steps,
        floor=c["floor"],
        trace_every=every,
        commands=f"fix weight balls gravity {GRAVITY} vector 0 0 -1\n",
        lasting=True,
    )
    figure, axis = plt.subplots()
    rows = []
    for n, (mu, start) in enumerate(zip(FRICTION, starts, strict=True)):
        trace = outcome.trace[outcome.trace["impact"] == n]
        time = trace["time"].to_numpy()
        speed, surface = bouncing.sliding_ball(time, SPEED, mu, GRAVITY)
        found = {"speed": trace["vx"].to_numpy(), "surface speed": RADIUS * trace["omegay"]}
        slip = (found["speed"] - found["surface speed"]) / SPEED
        rolling = time[slip < 1e-3]
        rolls = rolling[0] if rolling.size else np.nan
        last = found["speed"][-1] / SPEED
        rows.append({"mu": mu, "rolls from": rolls, "closed form": start, "speed at the end": last})
        for quantity, exact in (("speed", speed), ("surface speed", surface)):
            c.check(
                f"mu = {mu}: {quantity} over time, largest error, fraction of the speed at the"
                " start",
                measured=np.abs(found[quantity] - exact).max() / SPEED,
                reference=0.0,
                tolerance=1e-3,
                kind="absolute",
                reason="the tolerance that the benchmark prescribes; overlap 2e-6 of the radius,"
                " and the"
                " swing of the tangential spring when it sticks",
            )
        c.check(
            f"mu = {mu}: time at which it rolls, 2 u0 / (7 mu g) [s]",
            measured=rolls,
            reference=start,
            tolerance=2e-3,
            reason="slip below a thousandth of the speed counts as rolling: a thousandth of the"
            " time before; another for the rows of the output",
        )
        c.check(
            f"mu = {mu}: speed at the end over that at the start",
            measured=last,
            reference=5.0 / 7.0,
            tolerance=1e-3,
            reason="angular momentum about the point of contact; the tolerance of the benchmark",
        )
        axis.plot(time, found["speed"], f"C{n}", label=rf"$\mu$ = {mu}")
        axis.plot(time, found["surface speed"], f"C{n}--")
        axis.plot(start, 5.0 / 7.0 * SPEED, "k+", ms=10)
    c.table("rolling", pd.DataFrame(rows), "Time at which rolling begins, s, and speed at the end.")
    axis.set(xlabel="time [s]", ylabel="speed, of the surface [m/s]", xlim=(0, 1.1 * starts[0]))
    axis.legend()
    c.figure("rolling", figure, "A ball slides until it rolls; crosses: closed form.")


CASE = Case(
    name="mfix-dem-04",
    title="MFIX DEM04: from sliding to rolling",
    source="Garg et al., Powder Technol. 220 (2012) 122, ball slipping on a rough surface",
    tier="smoke",
    parameters={"slider": "csds", "rolling_friction": 0.0, "floor": "wall"},
    spoil={"rolling_friction": 0.05},
    run=run,
)
