"""Test 7 of Chung & Ooi: spheres with opposite spins collide without slip and keep their spin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import impacts

RESOLUTION = 1000
SPINS = np.array([0.175, 1.0, 5.0, 10.0, 22.86])


def simulate(c: Context, test: dict[str, Any], material: dict[str, float]) -> impacts.Outcome:
    mu, e, normal, radius = test["mu"], test["e"], test["Vn"], test["R"]
    both = (material["E"], material["nu"])
    modulus, _ = impacts.effective_moduli(*both, *both)
    law = f"hertz/material {both[0]} {e} {both[1]} damping coeff_restitution"
    law += f" tangential {c['tangential']} {mu}"
    if c["rolling_friction"] > 0.0:
        law += f" rolling sds 1e9 0 {c['rolling_friction']}"
    down, up = (0.0, 0.0, -normal), (0.0, 0.0, normal)
    pairs = [
        impacts.Impact(
            law,
            impacts.Ball(radius, material["rho"], down, (0.0, spin, 0.0)),
            impacts.Ball(radius, material["rho"], up, (0.0, -spin, 0.0)),
        )
        for spin in SPINS
    ]
    mass = pairs[0].ball.mass
    duration = impacts.hertz_time(0.5 * mass, modulus, 0.5 * radius, 2.0 * normal)
    return impacts.collide(c, pairs, step=duration / RESOLUTION, steps=round(1.4 * RESOLUTION))


def judge(c: Context, name: str, test: dict[str, Any], found: impacts.Outcome) -> None:
    surface = test["R"] * np.maximum(SPINS, 1.0)
    turned = np.abs(found.spin[:, 1] - SPINS) + np.abs(found.partner_spin[:, 1] + SPINS)
    for quantity, fraction in (
        ("largest relative change of spin", turned / SPINS),
        ("tangential velocity of the centre / of the surface", found.velocity[:, 0] / surface),
    ):
        c.check_close(
            f"{name}: {quantity}",
            fraction,
            0.0,
            tolerance=1e-9,
            reason=(
                "without slip there is no tangential force; positions of a few radii are rounded to"
                " 1e-15, and overlaps are 1e-4"
            ),
        )
    apart = (found.velocity[:, 2] - found.partner_velocity[:, 2])[0]
    c.check(
        f"{name}: restitution of the normal velocity",
        measured=apart / (2 * test["Vn"]),
        reference=test["e"],
        tolerance=1e-3,
        reason="the law is exact; a thousand steps per contact cause an error of integration",
    )


def run(c: Context) -> None:
    test = c.reference("chung_ooi")["T7"]
    tables = []
    for name, material in test["materials"].items():
        found = simulate(c, test, material)
        judge(c, name, test, found)
        spins = {"spin before": SPINS, "spin after": found.spin[:, 1]}
        tables.append(pd.DataFrame({"material": name, **spins}))
    c.table(
        "spins", pd.concat(tables), "Spin of the upper sphere before and after the impact in rad/s."
    )


CASE = Case(
    name="chung-ooi-7",
    title="Chung & Ooi 7: spheres with opposite spins collide without slip and keep their spin",
    source="[chung2011] test 7",
    tier="smoke",
    parameters={"tangential": "mindlin NULL 1", "rolling_friction": 0.0},
    spoil={"rolling_friction": 0.1},
    run=run,
)
