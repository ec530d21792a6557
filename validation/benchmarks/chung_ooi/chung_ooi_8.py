"""Test 8 of Chung & Ooi: test 6 with a large sphere instead of the floor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import impact
from pysuite.validation.setups import impacts

RESOLUTION = 1000
# x = 3.5 mu (1 + e) V_n / V_s; all contacts slide throughout
SCALED = np.array([0.176, 0.25, 0.35, 0.45, 0.55])
SIZE, DENSITY = 5.0, 1000.0  # ratios of radii and densities, large / small sphere
STIFFNESS = {"A, 1000 times as stiff": 1000.0, "B, equally stiff": 1.0}


class Found(NamedTuple):
    """Results for one material: restitution of surface velocities and of the normal velocity."""

    beta: np.ndarray
    e_n: float


def simulate(
    c: Context, test: dict[str, Any], material: dict[str, float], stiffness: float
) -> Found:
    mu, e, normal, radius = test["mu"], test["e"], test["Vn"], test["R"]
    surface = 3.5 * mu * (1.0 + e) * normal / SCALED
    small = (material["E"], material["nu"])
    moduli = impacts.effective_moduli(*small, stiffness * material["E"], material["nu"])
    young, poisson = impacts.equivalent_material(*moduli)
    # limit_damping keeps the normal force repulsive, as the closed forms assume
    law = f"hertz/material {young:.17g} {impact.unlimited_restitution(e):.17g} {poisson:.17g}"
    law += f" damping coeff_restitution tangential {c['tangential']}"
    law += f" {mu * c['friction']:.17g} limit_damping"
    large = impacts.Ball(SIZE * radius, DENSITY * material["rho"], (0.0, 0.0, 0.0))
    down = (0.0, 0.0, -normal)
    pairs = [
        impacts.Impact(
            law, impacts.Ball(radius, material["rho"], down, (0.0, -v / radius, 0.0)), large
        )
        for v in surface
    ]
    effective = radius * SIZE / (1.0 + SIZE)
    duration = impacts.hertz_time(pairs[0].ball.mass, moduli[0], effective, normal)
    outcome = impacts.collide(
        c, pairs, step=duration / c["resolution"], steps=round(1.4 * c["resolution"])
    )
    slip = (
        outcome.velocity[:, 0]
        - radius * outcome.spin[:, 1]
        - outcome.partner_velocity[:, 0]
        - SIZE * radius * outcome.partner_spin[:, 1]
    )
    return Found(-slip / surface, outcome.velocity[0, 2] / normal)


def judge(c: Context, name: str, restitution: float, found: Found) -> None:
    c.check_close(
        f"{name}: restitution of the surface velocity against x - 1, largest error",
        found.beta,
        SCALED - 1.0,
        tolerance=2e-3,
        reason=(
            "the shorter lever arm and the time step cause the same errors as in test 6; the large"
            " sphere is 1.25e5 times as heavy and takes up a fraction of 1e-5 of the momentum"
        ),
    )
    c.check(
        f"{name}: restitution of the normal velocity",
        measured=found.e_n,
        reference=restitution,
        tolerance=1e-3,
        reason=(
            "the damping follows from the closed form for contacts that end when the force"
            " vanishes; a thousand steps per contact cause an error of integration"
        ),
    )


def draw(c: Context, found: dict[tuple[str, str], Found]) -> None:
    figure, (axis,) = panels(1)
    for (name, label), of_pair in found.items():
        marker = "ox"[STIFFNESS[label] > 1]
        axis.plot(SCALED, of_pair.beta, marker, mfc="none", label=f"{name}, {label}")
    axis.plot([0, 0.7], [-1, -0.3], "k", linewidth=0.8, label="sliding")
    axis.set(xlabel=r"$7\mu(1+e)V_n / 2V_s$", ylabel="restitution of the surface velocity")
    axis.legend(fontsize=8)
    c.figure(
        "restitution",
        figure,
        "Restitution of the surface velocity. The line is the closed form for sliding contacts.",
    )


def run(c: Context) -> None:
    test = c.reference("chung_ooi")["T6"]
    found = {
        (name, label): simulate(c, test, material, factor)
        for name, material in test["materials"].items()
        for label, factor in STIFFNESS.items()
    }
    for (name, label), of_pair in found.items():
        judge(c, f"{name}, {label}", test["e"], of_pair)
    table = pd.concat(
        pd.DataFrame({"material": name, "large sphere": label, "x": SCALED, "restitution": f.beta})
        for (name, label), f in found.items()
    )
    c.table("impacts", table, "Restitution of the surface velocity.")
    draw(c, found)


CASE = Case(
    name="chung-ooi-8",
    title="Chung & Ooi 8: a small spinning sphere falls on a large one",
    source="[chung2011] test 8",
    tier="smoke",
    parameters={"tangential": "mindlin NULL 1", "resolution": RESOLUTION, "friction": 1.0},
    spoil={"friction": 1.02},
    run=run,
)
