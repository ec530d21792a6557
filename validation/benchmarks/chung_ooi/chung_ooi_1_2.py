"""Tests 1 and 2 of Chung & Ooi: lossless impacts of two spheres, and of a sphere on a floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import impacts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPEED_OF_EACH = 10.0  # test 1: the paper's 20 m/s is the relative speed
QUANTITIES = {
    "Tc": ("duration of the contact [s]", 2e-3, "a time step is 1/1000 of the duration"),
    "dmax": (
        "largest overlap [m]",
        1e-4,
        "sampling and integration cause errors of 1e-6; the paper gives six digits",
    ),
    "Fmax": (
        "largest force [N]",
        1e-4,
        "sampling and integration cause errors of 1e-6; the paper gives six digits",
    ),
}


class Found(NamedTuple):
    """Results for one material.

    Attributes:
        numbers: values of the quantities that the paper lists.
        restitution: ratio of the speeds after and before the impact.
        trace: a row for each time step.
    """

    numbers: dict[str, float]
    restitution: float
    trace: pd.DataFrame


def simulate(c: Context, test: dict[str, Any], material: dict[str, float], pair: bool) -> Found:
    own = (material["E"], material["nu"])
    moduli = impacts.effective_moduli(*own, *own) if pair else impacts.effective_moduli(*own)
    speed = SPEED_OF_EACH if pair else test["v"]
    ball = impacts.Ball(test["R"], material["rho"], (0.0, 0.0, -speed))
    partner = ball._replace(velocity=(0.0, 0.0, speed)) if pair else None
    # two equal bodies of this material have the effective moduli of a sphere on the rigid floor
    young, poisson = own if pair else impacts.equivalent_material(*moduli)
    law = f"hertz/material {young:.17g} {c['restitution']} {poisson:.17g}"
    law += f" damping coeff_restitution tangential mindlin NULL 1 {test['mu'] if pair else 0}"
    half = 0.5 if pair else 1.0
    duration = impacts.hertz_time(half * ball.mass, moduli[0], half * ball.radius, speed / half)
    step = duration / c["resolution"]
    outcome = impacts.collide(
        c,
        [impacts.Impact(law, ball, partner)],
        step=step,
        steps=round(1.1 * c["resolution"]),
        floor=c.parameters.get("floor", "wall"),
        trace_every=1,
    )
    trace = outcome.trace
    numbers = {
        "Tc": step * (trace["fz"] > 0.0).sum(),
        "dmax": trace["overlap"].max(),
        "Fmax": trace["fz"].max(),
    }
    return Found(numbers, outcome.velocity[0, 2] / speed, trace)


def check(c: Context, name: str, material: dict[str, float], found: Found) -> None:
    for quantity, (words, tolerance, reason) in QUANTITIES.items():
        c.check(
            f"{name}: {words}",
            measured=found.numbers[quantity],
            reference=material[quantity],
            tolerance=tolerance,
            reason=reason,
        )
    c.check(
        f"{name}: ratio of the speeds after and before the impact",
        measured=found.restitution,
        reference=1.0,
        tolerance=1e-4,
        reason="nothing dissipates energy; velocity Verlet has an error of second order with 1000"
        " steps per contact",
    )


def draw(axis: Axes, name: str, material: dict[str, float], trace: pd.DataFrame) -> None:
    axis.plot(1e6 * trace["time"], trace["fz"] / 1e3, label=name)
    axis.plot(1e6 * material["Tc"], 0.0, "k+")
    axis.axhline(material["Fmax"] / 1e3, color="0.5", linewidth=0.8, linestyle="--")
    axis.set(xlabel="time [µs]", ylabel="force [kN]")
    axis.legend()


def run(c: Context, number: int) -> None:
    import matplotlib.pyplot as plt

    test = c.reference("chung_ooi")[f"T{number}"]
    figure, axis = plt.subplots()
    rows = []
    for name, material in test["materials"].items():
        found = simulate(c, test, material, pair=number == 1)
        check(c, name, material, found)
        draw(axis, name, material, found.trace)
        paper = {f"{quantity}, paper": material[quantity] for quantity in QUANTITIES}
        rows.append({"material": name, **found.numbers, **paper})
    c.table(
        "contact", pd.DataFrame(rows), "Duration of the contact, largest overlap and largest force."
    )
    c.figure(
        "force",
        figure,
        "Force against time. The paper gives the largest force (dashed line) and the end of the"
        " contact (cross).",
    )


CASES = [
    Case(
        name="chung-ooi-1",
        title="Chung & Ooi 1: head-on elastic impact of two equal spheres",
        source="[chung2011] test 1; [hertz1882]",
        tier="smoke",
        parameters={"restitution": 1.0, "resolution": 1000},
        spoil={"restitution": 0.9},
        run=lambda c: run(c, 1),
    ),
    Case(
        name="chung-ooi-2",
        title="Chung & Ooi 2: elastic impact of a sphere on a rigid floor",
        source="[chung2011] test 2; [hertz1882]",
        tier="smoke",
        parameters={"restitution": 1.0, "resolution": 1000, "floor": "wall"},
        spoil={"restitution": 0.9},
        run=lambda c: run(c, 2),
    ),
]
