"""Test 6 of Chung & Ooi: a spinning sphere meets a rigid floor at a right angle.

As long as the contact slides throughout, momentum fixes what is left of the surface velocity. Where
it sticks, the paper shows its own law, and the comparison is a table and a figure.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context
from pysuite.references import impact
from pysuite.setups import impacts

RESOLUTION = 1000
# x = 3.5 mu (1 + e) V_n / V_s; where it is below SLIDING the contact slides throughout
SCALED = np.array([0.176, 0.25, 0.35, 0.45, 0.55, 0.77, 0.97, 1.2, 1.5, 2.1, 3.0, 4.5, 7.8, 24.0])
SLIDING = 0.6


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    test = json.loads((c.data / "chung_ooi" / "reference.json").read_text())["T6"]
    mu, e, normal, radius = test["mu"], test["e"], test["Vn"], test["R"]
    # The closed forms want a force that only pushes: then the friction goes with its impulse.
    asked = impact.unlimited_restitution(e)
    surface = 3.5 * mu * (1.0 + e) * normal / SCALED
    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.2), sharey=True)
    curves = {"Al_alloy": "digitised_DEM_Al_beta(x)", "nylon": "digitised_DEM_nylon_beta(x)"}
    rows = []
    for axis, (name, material) in zip(axes, test["materials"].items(), strict=True):
        moduli = impacts.effective_moduli(material["E"], material["nu"])
        young, poisson = impacts.equivalent_material(*moduli)
        law = f"hertz/material {young:.17g} {asked:.17g} {poisson:.17g}"
        law += f" damping coeff_restitution tangential {c['tangential']} {mu} limit_damping"
        balls = [
            impacts.Ball(radius, material["rho"], (0.0, 0.0, -normal), (0.0, -v / radius, 0.0))
            for v in surface
        ]
        step = impacts.hertz_time(balls[0].mass, moduli[0], radius, normal) / c["resolution"]
        outcome = impacts.collide(
            c,
            [impacts.Impact(law, ball) for ball in balls],
            step=step,
            steps=round(1.4 * c["resolution"]),
            floor=c["floor"],
        )
        c.check(
            f"{name}: restitution of the normal velocity",
            measured=outcome.velocity[0, 2] / normal,
            reference=e,
            tolerance=1e-3,
            reason="closed form of a contact that ends when it stops pushing; error of a"
            " thousand steps",
        )
        slip = outcome.velocity[:, 0] - radius * outcome.spin[:, 1]
        beta = -slip / surface
        slides = SCALED < SLIDING
        c.check(
            f"{name}, sliding, {slides.sum()} spins: restitution of the surface velocity against"
            " x - 1, largest error",
            measured=np.abs(beta - (SCALED - 1.0))[slides].max(),
            reference=0.0,
            tolerance=2e-3,
            kind="absolute",
            reason="momentum fixes it; lever arm shorter by half the overlap of 1e-3 R, and a"
            " thousandth for the step",
        )
        ratio = slip / outcome.velocity[:, 2]
        closed = surface / (e * normal) - 3.5 * mu * (1.0 + 1.0 / e)
        c.check(
            f"{name}, sliding: slip over normal velocity after the impact, largest error,"
            " fraction of"
            " the largest value",
            measured=np.abs(ratio - closed)[slides].max() / closed.max(),
            reference=0.0,
            tolerance=2e-3,
            kind="absolute",
            reason="as above",
        )
        c.check(
            f"{name}: tangential velocity of the centre over -2/7 of the change of slip, largest"
            " error",
            measured=np.abs(outcome.velocity[:, 0] / (2.0 / 7.0 * (slip - surface)) - 1.0).max(),
            reference=0.0,
            tolerance=2e-3,
            kind="absolute",
            reason="one impulse turns and moves a solid sphere; lever arm as above",
        )
        paper = np.array(test[curves[name]])
        difference = np.interp(paper[:, 0], SCALED, beta) - paper[:, 1]
        c.note(
            f"{name}: `{c['tangential'].split()[0]}` differs from the paper's own curve by"
            f" {np.abs(difference).mean():.3f} on average, at most {np.abs(difference).max():.2f}."
        )
        axis.plot(*paper.T, "s", color="0.6", ms=4, label="DEM (paper)")
        axis.plot(SCALED, beta, "C0o", mfc="none", label=c["tangential"].split()[0])
        axis.plot([0, 1], [-1, 0], "k", linewidth=0.8, label="sliding")
        axis.set(xscale="log", xlabel=r"$7\mu(1+e)V_n / 2V_s$", title=name)
        rows += [
            {"material": name, "x": x, "restitution": b} for x, b in zip(SCALED, beta, strict=True)
        ]
    c.note(
        "Without `limit_damping` the normal force attracts at the end of a contact while Coulomb's"
        " bound stays positive, and the restitution of the surface velocity misses the closed form"
        " by up to 0.037. With it, the restitution asked for is not the one that comes out; here"
        f" {asked:.4f} is asked for to get {e}."
    )
    axes[0].set_ylabel("restitution of the surface velocity")
    axes[0].legend(fontsize=8)
    c.table("impacts", pd.DataFrame(rows), "Restitution of the surface velocity.")
    c.figure("restitution", figure, "Restitution of the surface velocity of a spinning sphere.")


CASE = Case(
    name="chung-ooi-6",
    title="Chung & Ooi 6: normal impacts of a spinning sphere on a rigid floor",
    source="Chung & Ooi, Granular Matter 13 (2011) 643, test 6",
    tier="smoke",
    parameters={"tangential": "mindlin_deresiewicz 1", "resolution": RESOLUTION, "floor": "wall"},
    spoil={"resolution": 12},
    run=run,
)
