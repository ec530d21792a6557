"""Test 1 of Chung & Ooi: two equal spheres meet head-on without loss; Hertz's contact."""

from __future__ import annotations

import json

import pandas as pd

from pysuite import impacts
from pysuite.cases import Case, Context


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    test = json.loads((c.data / "chung_ooi" / "reference.json").read_text())["T1"]
    figure, axis = plt.subplots()
    rows = []
    for name, material in test["materials"].items():
        both = (material["E"], material["nu"])
        modulus, _ = impacts.effective_moduli(*both, *both)
        ball = impacts.Ball(test["R"], material["rho"], (0.0, 0.0, -10.0))
        partner = ball._replace(velocity=(0.0, 0.0, 10.0))
        law = f"hertz/material {material['E']} {c['restitution']} {material['nu']}"
        law += f" damping coeff_restitution tangential mindlin NULL 1 {test['mu']}"
        duration = impacts.hertz_time(0.5 * ball.mass, modulus, 0.5 * ball.radius, 20.0)
        step = duration / c["resolution"]
        outcome = impacts.collide(
            c,
            [impacts.Impact(law, ball, partner)],
            step=step,
            steps=round(1.1 * c["resolution"]),
            trace_every=1,
        )
        trace = outcome.trace
        touching = trace[trace["fz"] > 0.0]
        found = {
            "Tc": step * len(touching),
            "dmax": trace["overlap"].max(),
            "Fmax": trace["fz"].max(),
        }
        rows.append({"material": name, **found, **{f"{k}, paper": material[k] for k in found}})
        c.check(
            f"{name}: duration of the contact [s]",
            measured=found["Tc"],
            reference=material["Tc"],
            tolerance=2.0 / 1000,
            reason="counted in steps of a thousandth of the duration, one at either end",
        )
        for quantity, unit in (("dmax", "m"), ("Fmax", "N")):
            c.check(
                f"{name}: largest {'overlap' if quantity == 'dmax' else 'force'} [{unit}]",
                measured=found[quantity],
                reference=material[quantity],
                tolerance=1e-4,
                reason="sampling at 1000 points misses 1e-6, and the integrator has an error of"
                " the same size; the paper"
                " gives six digits",
            )
        c.check(
            f"{name}: speed after the impact over that before",
            measured=outcome.velocity[0, 2] / 10.0,
            reference=1.0,
            tolerance=1e-4,
            reason="no loss; velocity Verlet at 1000 steps, of second order",
        )
        axis.plot(1e6 * trace["time"], trace["fz"] / 1e3, label=name)
        axis.plot(1e6 * material["Tc"], 0.0, "k+")
        axis.axhline(material["Fmax"] / 1e3, color="0.5", linewidth=0.8, linestyle="--")
    axis.set(xlabel="time [µs]", ylabel="force [kN]")
    axis.legend()
    c.table("contact", pd.DataFrame(rows), "Duration, largest overlap and force.")
    c.figure("force", figure, "Force over time; dashed and crosses: largest force and end, paper.")


CASE = Case(
    name="chung-ooi-1",
    title="Chung & Ooi 1: head-on elastic impact of two equal spheres",
    source="Chung & Ooi, Granular Matter 13 (2011) 643, test 1; Hertz 1882",
    tier="smoke",
    parameters={"restitution": 1.0, "resolution": 1000},
    spoil={"restitution": 0.9},
    run=run,
)
