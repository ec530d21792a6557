"""Test 4 of Chung & Ooi: oblique impacts on a rigid floor at constant speed.

Where the contact slides throughout, momentum alone fixes the outcome. Where it sticks, the paper
compares with Kharaz's experiment; the reference here is the solution of Maw, Barber & Fawcett.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context
from pysuite.references import maw
from pysuite.setups import impacts

RESOLUTION = 1000


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    test = json.loads((c.data / "chung_ooi" / "reference.json").read_text())["T4"]
    mu, e, speed, radius = test["mu"], test["e"], test["v"], test["R"]
    angle = np.radians(test["theta_deg"])
    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.0))
    rows = []
    for colour, (name, material) in zip(("C0", "C1"), test["materials"].items(), strict=True):
        kappa = maw.kappa(material["nu"])
        chi = maw.chi(kappa)
        moduli = impacts.effective_moduli(material["E"], material["nu"])
        young, poisson = impacts.equivalent_material(*moduli)
        law = f"hertz/material {young:.17g} {e} {poisson:.17g} damping coeff_restitution"
        law += f" tangential {c['tangential']} {mu}"
        balls = [impacts.Ball(radius, material["rho"], impacts.oblique(speed, a)) for a in angle]
        slowest = speed * np.cos(angle.max())
        step = impacts.hertz_time(balls[0].mass, moduli[0], radius, speed) / RESOLUTION
        outcome = impacts.collide(
            c,
            [impacts.Impact(law, ball) for ball in balls],
            step=step,
            steps=round(1.1 * RESOLUTION * (slowest / speed) ** -0.2),
            floor=c["floor"],
        )
        e_t = outcome.velocity[:, 0] / (speed * np.sin(angle))
        spin = outcome.spin[:, 1]
        patch = outcome.velocity[:, 0] - radius * spin
        rebound = np.degrees(np.arctan2(patch, outcome.velocity[:, 2]))
        psi_1 = maw.incidence(angle, kappa, mu)
        slides = psi_1 > 4.0 * chi
        closed = {
            "e_t": 1.0 - mu * (1.0 + e) / np.tan(angle),
            "spin": 2.5 * mu * (1.0 + e) * speed * np.cos(angle) / radius,
            "tangent": np.tan(angle) / e - 3.5 * mu * (1.0 + 1.0 / e),
        }
        theory = maw.tangential_restitution(psi_1, maw.reflection(psi_1, chi))
        c.check(
            f"{name}: restitution of the normal velocity, farthest from {e}",
            measured=np.abs(-outcome.velocity[:, 2] / [b.velocity[2] for b in balls] - e).max(),
            reference=0.0,
            tolerance=1e-3,
            kind="absolute",
            reason="the law is exact; error of a thousand steps in a contact",
        )
        for quantity, found, scale in (
            ("e_t", e_t, 1.0),
            ("spin", spin, closed["spin"][slides].max()),
            ("tangent", np.tan(np.radians(rebound)), closed["tangent"][slides].max()),
        ):
            words = {
                "e_t": "e_t against 1 - mu (1 + e) cot(angle)",
                "spin": "spin over the largest one",
                "tangent": "tangent of the rebound angle of the patch over the largest",
            }[quantity]
            c.check(
                f"{name}, sliding, {slides.sum()} angles: {words}, largest error",
                measured=np.abs(found - closed[quantity])[slides].max() / scale,
                reference=0.0,
                tolerance=5e-3,
                kind="absolute",
                reason="momentum fixes it but for the lever arm, shorter than R by half the"
                " overlap of up to 7e-3 R, and 1e-3 for the step",
            )
        c.check(
            f"{name}, sticking or partially slipping: e_t against Maw, Barber & Fawcett, largest"
            " error",
            measured=np.abs(e_t - theory)[~slides].max(),
            reference=0.0,
            tolerance=0.02,
            kind="absolute",
            reason="theory without loss; e = 0.98 takes a hundredth of the normal impulse and"
            " tangential damping as much",
        )
        rows += [
            {
                "material": name,
                "angle": test["theta_deg"][n],
                "psi_1": psi_1[n],
                "e_t": e_t[n],
                "e_t, theory": theory[n],
                "spin": spin[n],
                "rebound angle of the patch": rebound[n],
            }
            for n in range(angle.size)
        ]
        fine = np.radians(np.linspace(3.0, 87.0, 85))
        fine_psi = maw.incidence(fine, kappa, mu)
        smooth = maw.tangential_restitution(fine_psi, maw.reflection(fine_psi, chi, steps=1000))
        axes[0].plot(np.degrees(fine), smooth, colour, linewidth=0.8)
        axes[0].plot(test["theta_deg"], e_t, colour + "o", mfc="none", label=name)
        axes[1].plot(test["theta_deg"], spin, colour + "o", mfc="none", label=name)
        axes[1].plot(test["theta_deg"], closed["spin"], colour, linewidth=0.8)
    c.table("impacts", pd.DataFrame(rows), "Outcome over the angle; theory: Maw et al.")
    axes[0].set(xlabel="angle from the normal [degrees]", ylabel="tangential restitution")
    axes[1].set(xlabel="angle from the normal [degrees]", ylabel="spin after the impact [rad/s]")
    axes[0].legend()
    c.figure(
        "restitution",
        figure,
        "Left: tangential restitution; lines: Maw, Barber & Fawcett. Right: spin; lines: sliding.",
    )


CASE = Case(
    name="chung-ooi-4",
    title="Chung & Ooi 4: oblique impacts at constant speed, sliding and sticking",
    source="Chung & Ooi, Granular Matter 13 (2011) 643, test 4; Maw, Barber & Fawcett 1976",
    tier="smoke",
    parameters={"tangential": "mindlin_deresiewicz 1", "floor": "wall"},
    spoil={"tangential": "linear_nohistory 1"},
    run=run,
)
