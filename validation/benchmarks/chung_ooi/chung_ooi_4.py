"""Test 4 of Chung & Ooi: oblique impacts on a rigid floor at constant speed.

The paper compares its results with Kharaz's experiment. Here, contacts that stick are compared with
the solution of Maw, Barber & Fawcett.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import maw
from pysuite.validation.setups import impacts

RESOLUTION = 1000


class Found(NamedTuple):
    """Results for one material at each impact angle.

    Attributes:
        angle: impact angle from the normal in radians.
        psi_1: scaled impact angle of Maw, Barber & Fawcett.
        slides: whether the contact slides throughout.
        rebound: rebound angle of the contact patch from the normal in radians.
        theory: e_t of Maw, Barber & Fawcett.
        closed: for each quantity, the closed form for contacts that slide throughout.
    """

    angle: np.ndarray
    psi_1: np.ndarray
    slides: np.ndarray
    e_n: np.ndarray
    e_t: np.ndarray
    spin: np.ndarray
    rebound: np.ndarray
    theory: np.ndarray
    closed: dict[str, np.ndarray]

    @property
    def tangent(self) -> np.ndarray:
        """Tangent of the rebound angle of the patch."""
        return np.tan(self.rebound)


def simulate(c: Context, test: dict[str, Any], material: dict[str, float]) -> Found:
    mu, e, speed, radius = test["mu"], test["e"], test["v"], test["R"]
    angle = np.radians(test["theta_deg"])
    moduli = impacts.effective_moduli(material["E"], material["nu"])
    young, poisson = impacts.equivalent_material(*moduli)
    law = f"hertz/material {young:.17g} {e} {poisson:.17g} damping coeff_restitution"
    law += f" tangential {c['tangential']} {mu}"
    balls = [impacts.Ball(radius, material["rho"], impacts.oblique(speed, a)) for a in angle]
    slowest = speed * np.cos(angle.max())
    outcome = impacts.collide(
        c,
        [impacts.Impact(law, ball) for ball in balls],
        step=impacts.hertz_time(balls[0].mass, moduli[0], radius, speed) / RESOLUTION,
        steps=round(1.1 * RESOLUTION * (slowest / speed) ** -0.2),
        floor=c["floor"],
    )
    spin = outcome.spin[:, 1]
    patch = outcome.velocity[:, 0] - radius * spin
    kappa = maw.kappa(material["nu"])
    chi = maw.chi(kappa)
    psi_1 = maw.incidence(angle, kappa, mu)
    return Found(
        angle,
        psi_1,
        psi_1 > 4.0 * chi,
        -outcome.velocity[:, 2] / [ball.velocity[2] for ball in balls],
        outcome.velocity[:, 0] / (speed * np.sin(angle)),
        spin,
        np.arctan2(patch, outcome.velocity[:, 2]),
        maw.tangential_restitution(psi_1, maw.reflection(psi_1, chi)),
        {
            "e_t": 1.0 - mu * (1.0 + e) / np.tan(angle),
            "spin": 2.5 * mu * (1.0 + e) * speed * np.cos(angle) / radius,
            "tangent": np.tan(angle) / e - 3.5 * mu * (1.0 + 1.0 / e),
        },
    )


def judge(c: Context, name: str, restitution: float, found: Found) -> None:
    slides = found.slides
    c.check_close(
        f"{name}: restitution of the normal velocity, value farthest from {restitution}",
        found.e_n,
        restitution,
        tolerance=1e-3,
        reason="the law is exact; a thousand steps per contact cause an error of integration",
    )
    for quantity, words in (
        ("e_t", "e_t against 1 - mu (1 + e) cot(angle), largest error"),
        ("spin", "largest error of the spin / largest spin"),
        ("tangent", "tangent of the patch's rebound angle, largest error / largest value"),
    ):
        closed = found.closed[quantity][slides]
        c.check_close(
            f"{name}, sliding, {slides.sum()} angles: {words}",
            getattr(found, quantity)[slides],
            closed,
            scale=1.0 if quantity == "e_t" else closed.max(),
            tolerance=5e-3,
            reason=(
                "the reference neglects that half the overlap shortens the lever arm (the overlap"
                " is up to 7e-3 R); the time step adds an error of 1e-3"
            ),
        )
    c.check_close(
        f"{name}, sticking or partially slipping: e_t against Maw, Barber & Fawcett, largest error",
        found.e_t[~slides],
        found.theory[~slides],
        tolerance=0.02,
        reason=(
            "the theory has no losses; e = 0.98 reduces the normal impulse by 1 %, and tangential"
            " damping reduces the tangential impulse by as much"
        ),
    )


def draw(c: Context, test: dict[str, Any], found: dict[str, Found]) -> None:
    figure, (left, right) = panels(2)
    fine = np.radians(np.linspace(3.0, 87.0, 85))
    for colour, (name, of_material) in zip(("C0", "C1"), found.items(), strict=True):
        kappa = maw.kappa(test["materials"][name]["nu"])
        psi_1 = maw.incidence(fine, kappa, test["mu"])
        psi_2 = maw.reflection(psi_1, maw.chi(kappa), steps=1000)
        left.plot(np.degrees(fine), maw.tangential_restitution(psi_1, psi_2), colour, linewidth=0.8)
        angle = np.degrees(of_material.angle)
        left.plot(angle, of_material.e_t, colour + "o", mfc="none", label=name)
        right.plot(angle, of_material.spin, colour + "o", mfc="none", label=name)
        right.plot(angle, of_material.closed["spin"], colour, linewidth=0.8)
    left.set(xlabel="angle from the normal [degrees]", ylabel="tangential restitution")
    right.set(xlabel="angle from the normal [degrees]", ylabel="spin after the impact [rad/s]")
    left.legend()
    c.figure(
        "restitution",
        figure,
        "Left: tangential restitution; the lines are the theory of Maw, Barber & Fawcett. Right:"
        " spin after the impact; the lines are the closed form for sliding contacts.",
    )


def run(c: Context) -> None:
    test = c.reference("chung_ooi")["T4"]
    found = {name: simulate(c, test, m) for name, m in test["materials"].items()}
    for name, of_material in found.items():
        judge(c, name, test["e"], of_material)
    table = pd.concat(
        pd.DataFrame(
            {
                "material": name,
                "angle": test["theta_deg"],
                "psi_1": f.psi_1,
                "e_t": f.e_t,
                "e_t, theory": f.theory,
                "spin": f.spin,
                "rebound angle of the patch": np.degrees(f.rebound),
            }
        )
        for name, f in found.items()
    )
    c.table(
        "impacts", table, "Results at each angle of impact; the theory is Maw, Barber & Fawcett's."
    )
    draw(c, test, found)


CASE = Case(
    name="chung-ooi-4",
    title="Chung & Ooi 4: oblique impacts at constant speed, sliding and sticking",
    source="[chung2011] test 4; [maw1976]",
    tier="smoke",
    parameters={"tangential": "mindlin_deresiewicz 1", "floor": "wall"},
    spoil={"tangential": "linear_nohistory 1"},
    run=run,
)
