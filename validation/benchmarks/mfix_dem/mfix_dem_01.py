"""Case DEM01 of MFIX: a ball falls freely and rebounds from a floor with a linear contact."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import bouncing, impact
from pysuite.validation.setups import impacts

GRAVITY = 9.80665
RADIUS, DENSITY, STIFFNESS = 0.1, 2600.0, 5e4
HEIGHT = 0.5  # height of the centre
DROP = HEIGHT - RADIUS
RESTITUTION = (0.6, 0.7, 0.8, 0.9, 1.0)
RESOLUTION = 1000  # steps per contact


class Flight(NamedTuple):
    """Height and velocity of a ball, simulated and in closed form (exact)."""

    time: np.ndarray
    height: np.ndarray
    velocity: np.ndarray
    exact_height: np.ndarray
    exact_velocity: np.ndarray


def simulate(c: Context, bounces: list[bouncing.Bounce]) -> list[Flight]:
    ball = impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0))
    step = np.pi / np.sqrt(STIFFNESS / ball.mass) / RESOLUTION
    end = bounces[0].parting + 0.9 * 2.0 * RESTITUTION[0] * bounces[0].touch
    law = f"hooke {STIFFNESS} {{}} damping {c['damping']} tangential linear_history 0 0 0"
    trace = impacts.collide(
        c,
        [impacts.Impact(law.format(e), ball, gap=DROP) for e in RESTITUTION],
        step=step,
        steps=round(end / step),
        floor=c["floor"],
        trace_every=10,
        commands=f"fix weight balls gravity {GRAVITY} vector 0 0 -1\n",
        lasting=True,
    ).trace
    flights = []
    for n, bounce in enumerate(bounces):
        of_ball = trace[trace["impact"] == n]
        time = of_ball["time"].to_numpy()
        height, velocity = bounce.motion(time)
        found = of_ball[["z", "vz"]].to_numpy().T
        flights.append(Flight(time, found[0], found[1], RADIUS + height, velocity))
    return flights


def judge(c: Context, e: float, fall: float, flight: Flight) -> None:
    """Compare a flight with the closed form. `fall` is the speed at the first contact."""
    for quantity, found, exact, scale, words in (
        ("height", flight.height, flight.exact_height, DROP, "the drop"),
        ("velocity", flight.velocity, flight.exact_velocity, fall, "the speed at touch"),
    ):
        c.check_close(
            f"e = {e}: {quantity} against the closed form at all times, largest error, fraction of"
            f" {words}",
            found,
            exact,
            scale=scale,
            tolerance=1e-3,
            reason=(
                "the benchmark demands this tolerance; the contact may be detected too late by a"
                " thousandth of its duration"
            ),
        )


def draw(c: Context, flights: list[Flight]) -> None:
    figure, (left, right) = panels(2)
    for n, (e, flight) in enumerate(zip(RESTITUTION, flights, strict=True)):
        left.plot(flight.time, flight.height, f"C{n}", label=f"e = {e}")
        left.plot(flight.time[::40], flight.exact_height[::40], "k.", ms=3)
        right.plot(flight.time, flight.velocity, f"C{n}")
        right.plot(flight.time[::40], flight.exact_velocity[::40], "k.", ms=3)
    left.set(xlabel="time [s]", ylabel="height of the centre [m]")
    right.set(xlabel="time [s]", ylabel="velocity [m/s]")
    left.legend()
    c.figure("motion", figure, "Free fall, contact and rebound. Dots show the closed form.")


def run(c: Context) -> None:
    frequency = np.sqrt(STIFFNESS / impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0)).mass)
    bounces = [
        bouncing.Bounce(frequency, impact.linear_damping_ratio(e), GRAVITY, DROP)
        for e in RESTITUTION
    ]
    fall = GRAVITY * bounces[0].touch
    flights = simulate(c, bounces)
    for e, flight in zip(RESTITUTION, flights, strict=True):
        judge(c, e, fall, flight)
    errors = {
        "height": [np.abs(f.height - f.exact_height).max() / DROP for f in flights],
        "velocity": [np.abs(f.velocity - f.exact_velocity).max() / fall for f in flights],
    }
    c.table(
        "errors",
        pd.DataFrame({"e": RESTITUTION, **errors}),
        "Largest errors over all times: error of the height / drop, and error of the velocity /"
        " speed at the start of the contact.",
    )
    draw(c, flights)


CASE = Case(
    name="mfix-dem-01",
    title="MFIX DEM01: free fall, linear contact and rebound follow the closed form",
    source="[garg2012] freely falling particle; closed form",
    tier="smoke",
    parameters={"damping": "coeff_restitution", "floor": "wall"},
    spoil={"damping": "tsuji"},
    run=run,
)
