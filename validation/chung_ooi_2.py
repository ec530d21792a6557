"""Test 2 of Chung & Ooi: a sphere meets a rigid floor at a right angle without loss."""

from __future__ import annotations

import json

import pandas as pd

from pysuite import impacts
from pysuite.cases import Case, Context


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    test = json.loads((c.data / "chung_ooi" / "reference.json").read_text())["T2"]
    figure, axis = plt.subplots()
    rows = []
    for name, material in test["materials"].items():
        moduli = impacts.effective_moduli(material["E"], material["nu"])
        young, poisson = impacts.equivalent_material(*moduli)
        ball = impacts.Ball(test["R"], material["rho"], (0.0, 0.0, -test["v"]))
        law = f"hertz/material {young:.17g} {c['restitution']} {poisson:.17g}"
        law += " damping coeff_restitution tangential mindlin NULL 1 0"
        step = impacts.hertz_time(ball.mass, moduli[0], ball.radius, test["v"]) / c["resolution"]
        outcome = impacts.collide(
            c,
            [impacts.Impact(law, ball)],
            step=step,
            steps=round(1.1 * c["resolution"]),
            floor=c["floor"],
            trace_every=1,
        )
        trace = outcome.trace
        found = {
            "Tc": step * (trace["fz"] > 0.0).sum(),
            "dmax": trace["overlap"].max(),
            "Fmax": trace["fz"].max(),
        }
        rows.append({"material": name, **found, **{f"{k}, paper": material[k] for k in found}})
        for quantity, words, tolerance, reason in (
            ("Tc", "duration of the contact [s]", 2e-3, "counted in steps of a thousandth"),
            ("dmax", "largest overlap [m]", 1e-4, "sampling and integrator 1e-6; paper's digits"),
            ("Fmax", "largest force [N]", 1e-4, "sampling and integrator 1e-6; paper's digits"),
        ):
            c.check(
                f"{name}: {words}",
                measured=found[quantity],
                reference=material[quantity],
                tolerance=tolerance,
                reason=reason,
            )
        axis.plot(1e3 * trace["time"], trace["fz"] / 1e3, label=name)
        axis.plot(1e3 * material["Tc"], 0.0, "k+")
        axis.axhline(material["Fmax"] / 1e3, color="0.5", linewidth=0.8, linestyle="--")
    axis.set(xlabel="time [ms]", ylabel="force [kN]")
    axis.legend()
    c.table("contact", pd.DataFrame(rows), "Duration, largest overlap and force.")
    c.figure("force", figure, "Force over time; dashed and crosses: largest force and end, paper.")


CASE = Case(
    name="chung-ooi-2",
    title="Chung & Ooi 2: elastic impact of a sphere on a rigid floor",
    source="Chung & Ooi, Granular Matter 13 (2011) 643, test 2; Hertz 1882",
    tier="smoke",
    parameters={"restitution": 1.0, "resolution": 1000, "floor": "wall"},
    spoil={"restitution": 0.9},
    run=run,
)
