"""Every damping law, linear and Hertzian: restitution against speed.

What comes out must be what the equation of motion gives. It shows which laws keep the restitution
at all speeds and which do not; LAMMPS's default, viscoelastic, is among the latter.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context
from pysuite.references import central
from pysuite.setups import impacts

SPEEDS = np.geomspace(0.05, 5.0, 7)
RADIUS, DENSITY = 0.01, 2500.0
STIFFNESS = {"hooke": 1e6, "hertz": 1e9}
RESTITUTION = 0.7
ETA = {
    "hooke": {"velocity": 10.0, "mass_velocity": 2e3, "viscoelastic": 2e6},
    "hertz": {"velocity": 10.0, "mass_velocity": 2e3, "viscoelastic": 2e6},
}
RESOLUTION = 2000


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.8, 4.2), sharey=True)
    reduced = 0.5 * impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, 0.0)).mass
    effective = 0.5 * RADIUS
    rows = []
    for axis, (normal, stiffness) in zip(axes, STIFFNESS.items(), strict=True):
        power = 0.5 if normal == "hertz" else 0.0

        def secant(overlap: float, k: float = stiffness, p: float = power) -> float:
            return k * (effective * overlap) ** p

        factor = np.sqrt(5.0) if normal == "hertz" else 2.0
        exact = factor * -np.log(RESTITUTION) / np.hypot(np.pi, np.log(RESTITUTION))
        dashpots = {
            "velocity": lambda d, n=normal: ETA[n]["velocity"],
            "mass_velocity": lambda d, n=normal: ETA[n]["mass_velocity"] * reduced,
            "viscoelastic": lambda d, n=normal: (
                ETA[n]["viscoelastic"] * reduced * np.sqrt(effective * d)
            ),
            "coeff_restitution": lambda d, s=secant, e=exact: e * np.sqrt(reduced * s(d)),
        }
        etas = ETA[normal] | {"coeff_restitution": RESTITUTION}
        durations = [contact_time(normal, stiffness, reduced, effective, v) for v in SPEEDS]
        laws = [
            f"{normal} {stiffness} {etas[damping]} damping {damping}"
            f" tangential linear_nohistory 0 0{c['ending']}"
            for damping in dashpots
        ]
        measured = np.array(
            [collide(c, laws, v, d) for v, d in zip(SPEEDS, durations, strict=True)]
        )
        for n, (damping, dashpot) in enumerate(dashpots.items()):
            found = measured[:, n]
            reference = [
                central.restitution(lambda d, s=secant: s(d) * d, dashpot, reduced, speed, duration)
                for speed, duration in zip(SPEEDS, durations, strict=True)
            ]
            rows += [
                {"normal": normal, "damping": damping, "speed": v, "found": f, "solver": r}
                for v, f, r in zip(SPEEDS, found, reference, strict=True)
            ]
            c.check(
                f"{normal}, {damping}: restitution at {SPEEDS.size} speeds against the equation of"
                " motion, largest error",
                measured=np.abs(np.subtract(found, reference)).max(),
                reference=0.0,
                tolerance=2e-3,
                kind="absolute",
                reason="2000 steps in a contact; the dashpot sees the velocity of half a step"
                " before, and one that does not vanish at touch begins anywhere in a step",
            )
            axis.semilogx(SPEEDS, found, f"C{n}o", mfc="none", label=damping)
            axis.semilogx(SPEEDS, reference, f"C{n}", linewidth=0.8)
        axis.set(title=normal, xlabel="speed of approach [m/s]")
    frame = pd.DataFrame(rows)
    c.table("restitution", frame, "Restitution over speed.")
    exact = frame[frame["damping"] == "coeff_restitution"]
    c.check(
        "coeff_restitution: restitution minus the prescribed one, largest over all speeds",
        measured=(exact["found"] - RESTITUTION).abs().max(),
        reference=0.0,
        tolerance=1e-3,
        kind="absolute",
        reason="exact for both contacts; error of 2000 steps",
    )
    spread = frame.groupby(["normal", "damping"])["found"].agg(np.ptp)
    c.note(
        "Restitution over two decades of speed changes by "
        + ", ".join(f"{value:.2f} ({' '.join(key)})" for key, value in spread.items())
        + "."
    )
    axes[0].set_ylabel("restitution")
    axes[0].legend(fontsize=8)
    c.figure("restitution", figure, "Restitution over speed; lines: equation of motion.")


def collide(c: Context, laws: list[str], speed: float, duration: float) -> np.ndarray:
    """Return the restitution of each law."""
    ball = impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, -0.5 * speed))
    partner = ball._replace(velocity=(0.0, 0.0, 0.5 * speed))
    outcome = impacts.collide(
        c,
        [impacts.Impact(law, ball, partner) for law in laws],
        step=duration / RESOLUTION,
        steps=round(2.0 * RESOLUTION),
    )
    return 2.0 * outcome.velocity[:, 2] / speed


def contact_time(normal: str, stiffness: float, mass: float, radius: float, speed: float) -> float:
    if normal == "hooke":
        return float(np.pi * np.sqrt(mass / stiffness))
    return impacts.hertz_time(mass, 0.75 * stiffness, radius, speed)


CASE = Case(
    name="damping-laws",
    title="Restitution against speed, for every damping law",
    source="equation of motion; Antypov & Elliott, EPL 94 (2011) 50004",
    tier="smoke",
    parameters={"ending": ""},
    spoil={"ending": " limit_damping"},
    run=run,
)
