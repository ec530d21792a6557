"""Restitution against speed for every damping law with linear and Hertz contacts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import central
from pysuite.validation.setups import impacts

SPEEDS = np.geomspace(0.05, 5.0, 7)
RADIUS, DENSITY = 0.01, 2500.0
STIFFNESS = {"hooke": 1e6, "hertz": 1e9}
RESTITUTION = 0.7
ETA = {
    "hooke": {"velocity": 10.0, "mass_velocity": 2e3, "viscoelastic": 2e6},
    "hertz": {"velocity": 10.0, "mass_velocity": 2e3, "viscoelastic": 2e6},
}
RESOLUTION = 2000


REDUCED = 0.5 * impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0)).mass
EFFECTIVE_RADIUS = 0.5 * RADIUS
DAMPINGS = ("velocity", "mass_velocity", "viscoelastic", "coeff_restitution")


def secant(normal: str, overlap: float) -> float:
    power = 0.5 if normal == "hertz" else 0.0
    return STIFFNESS[normal] * (EFFECTIVE_RADIUS * overlap) ** power


def dashpot(normal: str, damping: str, overlap: float) -> float:
    if damping == "coeff_restitution":
        factor = np.sqrt(5.0) if normal == "hertz" else 2.0
        exact = factor * -np.log(RESTITUTION) / np.hypot(np.pi, np.log(RESTITUTION))
        return float(exact * np.sqrt(REDUCED * secant(normal, overlap)))
    eta = ETA[normal][damping]
    if damping == "velocity":
        return eta
    if damping == "mass_velocity":
        return eta * REDUCED
    return float(eta * REDUCED * np.sqrt(EFFECTIVE_RADIUS * overlap))


def simulate(c: Context, normal: str) -> np.ndarray:
    etas = ETA[normal] | {"coeff_restitution": RESTITUTION}
    laws = [
        f"{normal} {STIFFNESS[normal]} {etas[damping]} damping {damping}"
        f" tangential linear_nohistory 0 0{c['ending']}"
        for damping in DAMPINGS
    ]
    return np.array([collide(c, laws, v, contact_time(normal, v)) for v in SPEEDS])


def solve(normal: str, damping: str) -> list[float]:
    return [
        central.restitution(
            lambda d: secant(normal, d) * d,
            lambda d: dashpot(normal, damping, d),
            REDUCED,
            speed,
            contact_time(normal, speed),
        )
        for speed in SPEEDS
    ]


def judge(c: Context, frame: pd.DataFrame) -> None:
    for (normal, damping), of_law in frame.groupby(["normal", "damping"], sort=False):
        c.check_close(
            f"{normal}, {damping}: restitution at {SPEEDS.size} speeds against the equation of"
            " motion, largest error",
            of_law["found"],
            of_law["solver"],
            tolerance=2e-3,
            reason=(
                "a contact lasts 2000 steps; two effects cause errors: dashpots use the velocity of"
                " half a step earlier, and the contact may begin anywhere within a step"
            ),
        )
    c.check_close(
        "coeff_restitution: restitution minus the prescribed one, largest over all speeds",
        frame[frame["damping"] == "coeff_restitution"]["found"],
        RESTITUTION,
        tolerance=1e-3,
        reason="the law is exact for linear and Hertz contacts; the time step causes the error",
    )
    spread = frame.groupby(["normal", "damping"])["found"].agg(np.ptp)
    c.note(
        "Change of the restitution over two decades of speed: "
        + ", ".join(f"{value:.2f} ({' '.join(key)})" for key, value in spread.items())
        + "."
    )


def draw(c: Context, frame: pd.DataFrame) -> None:
    figure, axes = panels(2, height=4.2, sharey=True)
    for axis, (normal, of_normal) in zip(axes, frame.groupby("normal", sort=False), strict=True):
        for n, (damping, of_law) in enumerate(of_normal.groupby("damping", sort=False)):
            axis.semilogx(of_law["speed"], of_law["found"], f"C{n}o", mfc="none", label=damping)
            axis.semilogx(of_law["speed"], of_law["solver"], f"C{n}", linewidth=0.8)
        axis.set(title=normal, xlabel="speed of approach [m/s]")
    axes[0].set_ylabel("restitution")
    axes[0].legend(fontsize=8)
    c.figure("restitution", figure, "Restitution against speed. Lines show the equation of motion.")


def run(c: Context) -> None:
    tables = []
    for normal in STIFFNESS:
        found = simulate(c, normal)
        for n, damping in enumerate(DAMPINGS):
            columns = {"speed": SPEEDS, "found": found[:, n], "solver": solve(normal, damping)}
            tables.append(pd.DataFrame({"normal": normal, "damping": damping, **columns}))
    frame = pd.concat(tables, ignore_index=True)
    c.table(
        "restitution",
        frame,
        "Restitution at each speed. found: measured; solver: from the equation of motion.",
    )
    judge(c, frame)
    draw(c, frame)


def collide(c: Context, laws: list[str], speed: float, duration: float) -> np.ndarray:
    ball = impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, -0.5 * speed))
    partner = ball._replace(velocity=(0.0, 0.0, 0.5 * speed))
    outcome = impacts.collide(
        c,
        [impacts.Impact(law, ball, partner) for law in laws],
        step=duration / RESOLUTION,
        steps=round(2.0 * RESOLUTION),
    )
    return 2.0 * outcome.velocity[:, 2] / speed


def contact_time(normal: str, speed: float) -> float:
    stiffness = STIFFNESS[normal]
    if normal == "hooke":
        return float(np.pi * np.sqrt(REDUCED / stiffness))
    return impacts.hertz_time(REDUCED, 0.75 * stiffness, EFFECTIVE_RADIUS, speed)


CASE = Case(
    name="damping-laws",
    title="Restitution against speed, for every damping law",
    source="equation of motion; [antypov2011]",
    tier="smoke",
    parameters={"ending": ""},
    spoil={"ending": " limit_damping"},
    run=run,
)
