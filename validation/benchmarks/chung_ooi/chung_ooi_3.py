"""Test 3 of Chung & Ooi: normal impacts have the prescribed restitution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import impacts

# smallest restitution; the paper's e = 0 would need an infinite damping coefficient
LEAST = 0.01
RESOLUTION = 2000
# damping coefficient / sqrt(m k) as a polynomial in e, from LAMMPS's documentation
TSUJI = (1.2728, -4.2783, 11.087, -22.348, 27.467, -18.022, 4.8218)


def simulate(c: Context, test: dict[str, Any], asked: np.ndarray) -> pd.DataFrame:
    tables = []
    for name, material in test["materials"].items():
        moduli = impacts.effective_moduli(material["E"], material["nu"])
        young, poisson = impacts.equivalent_material(*moduli)
        ball = impacts.Ball(test["R"], material["rho"], (0.0, 0.0, -test["v"]))
        duration = impacts.hertz_time(ball.mass, moduli[0], ball.radius, test["v"])
        for damping in (c["damping"], "tsuji"):
            laws = [
                f"hertz/material {young:.17g} {e:.17g} {poisson:.17g} damping {damping}"
                " tangential mindlin NULL 1 0"
                for e in asked
            ]
            outcome = impacts.collide(
                c,
                [impacts.Impact(law, ball) for law in laws],
                step=duration / RESOLUTION,
                steps=3 * RESOLUTION,
                floor=c["floor"],
            )
            found = outcome.velocity[:, 2] / test["v"]
            kind = {"material": name, "damping": damping}
            tables.append(pd.DataFrame({"asked": asked, "found": found}).assign(**kind))
    return pd.concat(tables, ignore_index=True)[["material", "damping", "asked", "found"]]


def judge_exact(c: Context, exact: pd.DataFrame) -> None:
    for name, of_material in exact.groupby("material", sort=False):
        c.check_close(
            f"{name}: measured minus prescribed restitution, largest of {len(of_material)}",
            of_material["found"],
            of_material["asked"],
            tolerance=1e-3,
            reason=(
                "the law is exact; with strong damping, a time step of T_c/2000 causes an error of"
                " 1e-3"
            ),
        )


def judge_tsuji(c: Context, fit: pd.DataFrame, asked: np.ndarray) -> None:
    coefficient = np.polyval(TSUJI[::-1], fit["asked"])
    c.check_close(
        "damping tsuji: measured restitution minus the closed form for the coefficient of tsuji,"
        " largest difference",
        fit["found"],
        restitution(coefficient),
        tolerance=1e-3,
        reason="the closed form is exact; a time step of T_c/2000 causes a small error",
    )
    larger = np.abs(restitution(np.sqrt(2.0) * coefficient) - fit["asked"])
    c.note(
        "The damping law tsuji, which is LAMMPS's polynomial, does not give the prescribed"
        " restitution: "
        + "; ".join(
            f"{a:g} is prescribed, and e is {f:.3f}"
            for a, f in zip(asked, fit["found"], strict=False)
        )
        + ". The coefficient is too small by a factor of sqrt(2), as if fitted with the mass of a"
        " sphere instead of the effective mass. A coefficient larger by this factor would give e to"
        f" within {larger.max():.3f}. The damping law coeff_restitution is exact."
    )


def draw(c: Context, frame: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(4.6, 4.2))
    for (name, damping), found in frame.groupby(["material", "damping"], sort=False):
        marker = "x" if damping == "tsuji" else "o"
        axis.plot(found["asked"], found["found"], marker, mfc="none", label=f"{name}, {damping}")
    axis.plot([0, 1], [0, 1], "k", linewidth=0.8)
    axis.set(xlabel="prescribed restitution", ylabel="measured restitution")
    axis.legend(fontsize=8)
    c.figure("restitution", figure, "Measured against prescribed restitution.")


def run(c: Context) -> None:
    test = c.reference("chung_ooi")["T3"]
    asked = np.maximum(test["e"], LEAST)
    frame = simulate(c, test, asked)
    c.table("restitution", frame, "Prescribed and measured restitution.")
    judge_exact(c, frame[frame["damping"] == c["damping"]])
    judge_tsuji(c, frame[frame["damping"] == "tsuji"], asked)
    c.not_reproduced("e = 0 would need infinite damping; 0.01 is used instead.")
    draw(c, frame)


def restitution(coefficient: np.ndarray) -> np.ndarray:
    """Return the restitution of a Hertz contact [antypov2011].

    `coefficient` is the damping coefficient / sqrt(m k).
    """
    return np.exp(-np.pi * coefficient / np.sqrt(5.0 - coefficient**2))


CASE = Case(
    name="chung-ooi-3",
    title="Chung & Ooi 3: normal impacts have the prescribed restitution",
    source="[chung2011] test 3",
    tier="smoke",
    parameters={"damping": "coeff_restitution", "floor": "wall"},
    spoil={"damping": "viscoelastic"},
    run=run,
)
