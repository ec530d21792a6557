"""Oblique elastic impacts with every Mindlin model against the theory of Maw, Barber & Fawcett.

The scaled angle of reflection psi_2 depends only on chi and on the scaled angle of incidence psi_1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import maw
from pysuite.validation.setups import impacts

POISSON = (0.0, 0.3, 0.5)
INCIDENCE = {
    "smoke": np.array([0.3, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.5]),
    "quick": np.arange(0.2, 8.01, 0.2),
    "full": np.arange(0.1, 8.01, 0.1),
}
FRICTION, SPEED = 0.3, 1.0
RADIUS, DENSITY = 0.01, 2500.0
OVERLAP = 1e-4  # largest overlap / R
RESOLUTION = 1000
DI_RENZO = "mindlin {reduced:.17g} 0"  # two thirds of the stiffness 8 G*
SIMPLER = {
    "mindlin NULL 0": "mindlin",
    "mindlin_rescale NULL 0": "mindlin_rescale",
    "mindlin/force NULL 0": "mindlin/force",
    "mindlin_rescale/force NULL 0": "mindlin_rescale/force",
    DI_RENZO: "mindlin with 2/3 of the stiffness",
}


class Reflection(NamedTuple):
    """Reflection for one Poisson's ratio: psi_2 by theory and with each model."""

    chi: float
    psi_1: np.ndarray
    theory: np.ndarray
    found: dict[str, np.ndarray]

    @property
    def slides(self) -> np.ndarray:
        """Mask of the values of psi_1 for which the contact slides (almost) throughout."""
        return self.psi_1 > 4.0 * self.chi - 1.0


def judge(c: Context, poisson: float, reflection: Reflection) -> None:
    chi, psi_1 = reflection.chi, reflection.psi_1
    c.check_close(
        f"nu = {poisson}, chi = {chi:.3f}: psi_2 of the complete law against theory, largest"
        f" error of {psi_1.size} impacts",
        reflection.found[c["tangential"]],
        reflection.theory,
        tolerance=2e-3 * 4.0 * chi,
        reason=(
            "the impulse of mu F_n changes psi by 4 chi. The error is 6e-4 of this change. Twice as"
            " many steps give the same error, so its cause is the slip pattern with three knots. A"
            " stiffness wrong by 2 % would cause an error of 5e-3"
        ),
    )
    sliding = psi_1 > 4.0 * chi
    c.check_close(
        f"nu = {poisson}, sliding, all models: psi_2 against psi_1 - 4 chi, largest error",
        [psi_2[sliding] - psi_1[sliding] for psi_2 in reflection.found.values()],
        -4.0 * chi,
        tolerance=4.0 * chi * (0.5 * OVERLAP + 1e-4),
        reason="the reference neglects that the overlap shortens the lever arm by 5e-5; the time"
        " step adds an error of 1e-4",
    )


def deviations(poisson: float, reflection: Reflection) -> pd.DataFrame:
    below = ~reflection.slides
    rows = []
    for model, psi_2 in reflection.found.items():
        error = np.abs(psi_2 - reflection.theory)[below]
        rows.append(
            {
                "nu": poisson,
                "tangential": SIMPLER.get(model, "complete"),
                "mean deviation": error.mean(),
                "largest": error.max(),
                "at psi_1": reflection.psi_1[below][error.argmax()],
            }
        )
    return pd.DataFrame(rows)


def judge_models(c: Context, frame: pd.DataFrame) -> None:
    complete = frame[frame["tangential"] == "complete"]
    simple = frame[frame["tangential"] != "complete"].groupby("tangential", sort=False)
    c.check(
        "largest deviation of the best simpler model / largest deviation of the complete law",
        measured=simple["largest"].max().min() / complete["largest"].max(),
        reference=2.0,
        kind="at_least",
        reason="the complete law must be at least twice as close to theory",
    )
    c.note(
        "Mean (largest) deviation of psi_2 from theory, for contacts that stick or slip partially:"
        f" complete law {describe(complete)}, with the largest deviation at psi_1 ="
        f" {complete.nlargest(1, 'largest')['at psi_1'].item():g}; "
        + "; ".join(f"{model} {describe(group)}" for model, group in simple)
        + ". With two thirds of the stiffness, as proposed by Di Renzo & Di Maio, the law mindlin"
        " is closer to theory, but still deviates."
    )


def draw(c: Context, reflections: dict[float, Reflection]) -> None:
    figure, axes = panels(len(POISSON), height=4.4, sharey=True)
    for axis, (poisson, of_ratio) in zip(axes, reflections.items(), strict=True):
        chi, psi_1, _, found = of_ratio
        for model in ("mindlin NULL 0", DI_RENZO):
            axis.plot(psi_1, found[model], ".", ms=4, label=SIMPLER[model])
        fine = np.linspace(0.05, psi_1.max(), 160)
        axis.plot(fine, maw.reflection(fine, chi, steps=1000), "k", linewidth=0.8, label="theory")
        complete = c["tangential"]
        axis.plot(psi_1, found[complete], "C0o", mfc="none", ms=4, label=complete.split()[0])
        axis.set(xlabel=r"$\psi_1$", title=rf"$\nu$ = {poisson}, $\chi$ = {chi:.3f}")
    axes[0].set_ylabel(r"$\psi_2$")
    axes[0].legend(fontsize=8)
    c.figure("reflection", figure, "Scaled angle of reflection against scaled angle of incidence.")


def run(c: Context) -> None:
    psi_1 = INCIDENCE[c.tier]
    reflections = {}
    for poisson in POISSON:
        chi = maw.chi(maw.kappa(poisson))
        found = reflect(c, (c["tangential"], *SIMPLER), poisson)
        reflections[poisson] = Reflection(chi, psi_1, maw.reflection(psi_1, chi), found)
        judge(c, poisson, reflections[poisson])
    frame = pd.concat([deviations(nu, of_ratio) for nu, of_ratio in reflections.items()])
    judge_models(c, frame)
    c.table("deviations", frame, "Deviation of psi_2 from theory below gross sliding.")
    complete = pd.concat(
        pd.DataFrame(
            {"nu": nu, "psi_1": psi_1, "psi_2": r.found[c["tangential"]], "theory": r.theory}
        )
        for nu, r in reflections.items()
    )
    c.table("complete", complete, "psi_2 of the complete law and of the theory.")
    draw(c, reflections)


def describe(frame: pd.DataFrame) -> str:
    return f"{frame['mean deviation'].mean():.3f} ({frame['largest'].max():.2f})"


def reflect(c: Context, models: Sequence[str], poisson: float) -> dict[str, np.ndarray]:
    kappa = maw.kappa(poisson)
    # E* that gives the chosen largest overlap
    modulus = 15.0 / 16.0 * (4.0 / 3.0 * np.pi) * DENSITY * SPEED**2 / OVERLAP**2.5
    # Poisson's ratio that gives the chosen tangential stiffness
    part = c["stiffness"] * kappa
    given = (2.0 - 2.0 * part) / (2.0 - part)
    young = 2.0 * modulus * (1.0 - given**2)
    balls = [
        impacts.Ball(RADIUS, DENSITY, (FRICTION / kappa * psi * SPEED, 0.0, -SPEED))
        for psi in INCIDENCE[c.tier]
    ]
    laws = [
        f"hertz/material {young:.17g} 1 {given:.17g} damping coeff_restitution"
        f" tangential {model.format(reduced=4.0 / 3.0 * kappa * modulus)} {FRICTION}"
        for model in models
    ]
    duration = impacts.hertz_time(balls[0].mass, modulus, RADIUS, SPEED)
    outcome = impacts.collide(
        c,
        [impacts.Impact(law, ball) for law in laws for ball in balls],
        step=duration / RESOLUTION,
        steps=round(1.1 * RESOLUTION),
        floor=c["floor"],
    )
    patch = outcome.velocity[:, 0] - RADIUS * outcome.spin[:, 1]
    psi_2 = kappa / FRICTION * patch.reshape(len(models), -1) / SPEED
    return dict(zip(models, psi_2, strict=True))


CASE = Case(
    name="maw-barber-fawcett",
    title="With the complete law, oblique elastic impacts follow Maw, Barber & Fawcett",
    source="[maw1976]",
    tier="smoke",
    parameters={"tangential": "mindlin_deresiewicz 0", "floor": "wall", "stiffness": 1.0},
    spoil={"stiffness": 1.02},
    run=run,
)
