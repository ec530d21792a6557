"""Test 8 of Chung & Ooi: a small spinning sphere falls on a large one, as on the floor before."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context
from pysuite.references import impact
from pysuite.setups import impacts

RESOLUTION = 1000
SCALED = np.array([0.176, 0.25, 0.35, 0.45, 0.55])  # as in test 6: sliding throughout
SIZE, DENSITY = 5.0, 1000.0  # of the large sphere over the small one
STIFFNESS = {"A, 1000 times as stiff": 1000.0, "B, as stiff": 1.0}


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    test = json.loads((c.data / "chung_ooi" / "reference.json").read_text())["T6"]
    mu, e, normal, radius = test["mu"], test["e"], test["Vn"], test["R"]
    # The closed forms want a force that only pushes: then the friction goes with its impulse.
    asked = impact.unlimited_restitution(e)
    surface = 3.5 * mu * (1.0 + e) * normal / SCALED
    figure, axis = plt.subplots()
    rows = []
    for name, material in test["materials"].items():
        for label, factor in STIFFNESS.items():
            small = (material["E"], material["nu"])
            moduli = impacts.effective_moduli(*small, factor * material["E"], material["nu"])
            young, poisson = impacts.equivalent_material(*moduli)
            law = f"hertz/material {young:.17g} {asked:.17g} {poisson:.17g}"
            law += f" damping coeff_restitution tangential {c['tangential']} {mu} limit_damping"
            large = impacts.Ball(SIZE * radius, DENSITY * material["rho"], (0.0, 0.0, 0.0))
            pairs = [
                impacts.Impact(
                    law,
                    impacts.Ball(
                        radius, material["rho"], (0.0, 0.0, -normal), (0.0, -v / radius, 0.0)
                    ),
                    large,
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
            beta = -slip / surface
            c.check(
                f"{name}, {label}: restitution of the surface velocity against x - 1, largest"
                " error",
                measured=np.abs(beta - (SCALED - 1.0)).max(),
                reference=0.0,
                tolerance=2e-3,
                kind="absolute",
                reason="as in test 6; the large sphere, 1.25e5 times as heavy, takes 1e-5",
            )
            c.check(
                f"{name}, {label}: restitution of the normal velocity",
                measured=outcome.velocity[0, 2] / normal,
                reference=e,
                tolerance=1e-3,
                reason="closed form of a contact that ends when it stops pushing; error of a"
                " thousand steps",
            )
            axis.plot(SCALED, beta, "ox"[factor > 1], mfc="none", label=f"{name}, {label}")
            rows += [
                {"material": name, "large sphere": label, "x": x, "restitution": b}
                for x, b in zip(SCALED, beta, strict=True)
            ]
    axis.plot([0, 0.7], [-1, -0.3], "k", linewidth=0.8, label="sliding")
    axis.set(xlabel=r"$7\mu(1+e)V_n / 2V_s$", ylabel="restitution of the surface velocity")
    axis.legend(fontsize=8)
    c.table("impacts", pd.DataFrame(rows), "Restitution of the surface velocity.")
    c.figure("restitution", figure, "Restitution of the surface velocity, sliding throughout.")


CASE = Case(
    name="chung-ooi-8",
    title="Chung & Ooi 8: a small spinning sphere falls on a large one",
    source="Chung & Ooi, Granular Matter 13 (2011) 643, test 8",
    tier="smoke",
    parameters={"tangential": "mindlin NULL 1", "resolution": RESOLUTION},
    spoil={"resolution": 12},
    run=run,
)
