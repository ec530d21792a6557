"""The steady flow rate out of silos, compared with LIGGGHTS and YADE.

The exercise is from [dosta2024], with 30 % of the grains. Moduli are reduced to a hundredth, and
all lengths except the grain sizes are halved. The results of the other codes are stored.
`pysuite peers silo` computes these results for one packing of each silo.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import silo_and_drum

SLIDERS = ("csds", "dsds")
SILOS = {
    "quick": (("large", "M1"), ("small", "M2")),
    "full": tuple(product(silo_and_drum.ORIFICES, silo_and_drum.MATERIALS)),
}
PACKINGS = {"quick": 3, "full": 6}
SILO = ["orifice", "material"]


def run(c: Context) -> None:
    numbers = range(1, PACKINGS[c.tier] + 1)
    flows = pd.DataFrame([empty(c, *silo, number) for silo in SILOS[c.tier] for number in numbers])
    c.table("flows", flows, "Flow rate out of each silo with each slider, in grains per second.")
    of_silos = flows.groupby(SILO)[list(SLIDERS)]
    mean = of_silos.mean()
    deviations = (flows[list(SLIDERS)] / of_silos.transform("mean") - 1.0).to_numpy()
    freedom = len(SLIDERS) * (len(flows) - len(mean))
    scatter = float(np.sqrt((deviations**2).sum() / freedom))
    c.check(
        "relative standard deviation of the flow between packings",
        measured=scatter,
        reference=0.05,
        kind="at_most",
        reason=(
            "the tolerances of the other checks are proportional to this scatter; a scatter above"
            " 5 % would make these tolerances too wide"
        ),
    )
    kept = pd.read_csv(c.data / "dosta" / "silo.csv")
    theirs = kept.pivot(index=SILO, columns="code", values="flow")
    for slider, (code, flow) in product(SLIDERS, theirs.items()):
        c.check_close(
            f"flow with {slider}, mean over packings, divided by the flow with {code}, minus 1:"
            f" largest of {len(mean)} silos",
            mean[slider] / flow.reindex(mean.index),
            np.ones(len(mean)),
            tolerance=3.0 * scatter * np.sqrt(1.0 + 1.0 / len(numbers)),
            reason=(
                "three standard deviations of the difference between the other code's single"
                " packing and the mean over the packings here"
            ),
        )
    c.check_close(
        "flow with csds divided by flow with dsds, means over packings, minus 1: largest of"
        f" {len(mean)} silos",
        mean["csds"] / mean["dsds"],
        np.ones(len(mean)),
        tolerance=3.0 * scatter * np.sqrt(2.0 / len(numbers)),
        reason=(
            "three standard deviations of the difference of the means; the means scatter because"
            " trajectories diverge during the run"
        ),
    )
    draw(c, flows, theirs)


def empty(c: Context, orifice: str, material: str, number: int) -> dict[str, str | float]:
    silo = silo_and_drum.Silo(orifice, material, **silo_and_drum.SILO)
    folder = c.folder / f"{orifice}-{material}-{number}"
    folder.mkdir()
    grains = silo_and_drum.fill_silo(c.lammps, silo, number, folder)
    data = silo_and_drum.write_silo(silo, grains, folder / "silo.data")
    row = {"orifice": orifice, "material": material, "packing": number}
    for slider in SLIDERS:
        script = silo_and_drum.flow(
            silo, data, folder, slider, silo_and_drum.SILO_TIME, c["friction"]
        )
        row[slider] = silo_and_drum.rate(c.lammps(script).thermo["c_left"])
    return row


def draw(c: Context, flows: pd.DataFrame, theirs: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    silos = list(flows.groupby(SILO).groups)
    places = [silos.index(silo) for silo in zip(flows["orifice"], flows["material"], strict=True)]
    for slider in SLIDERS:
        axes.plot(places, flows[slider], "o", mfc="none", label=slider)
    for code, flow in theirs.reindex(silos).items():
        axes.plot(range(len(silos)), flow, "x", label=code)
    axes.set_xticks(range(len(silos)), [f"{orifice}, {material}" for orifice, material in silos])
    axes.set(ylabel="grains per second")
    axes.legend()
    c.figure("flows", figure, "Flow rate out of each silo, with one circle per packing.")


CASE = Case(
    name="silo",
    title="The steady flow rate out of silos agrees with LIGGGHTS and YADE",
    source="[dosta2024]",
    tier="quick",
    parameters={"friction": 1.0},
    spoil={"friction": 0.0},
    run=run,
    timeout=7200.0,
)
