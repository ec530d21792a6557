"""With `slider dsds`, granular/plus has the same trajectory as LAMMPS's `pair_style granular`."""

from __future__ import annotations

import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import packings

LENGTH = {"smoke": 4, "quick": 8, "full": 16}
STEPS = 200
# round-off of 1e-16 per step grows to 1e-11; an omitted term would give 1e-6 or more
TOLERANCE = 1e-10
MODELS = (
    "hooke 2e4 8 damping velocity tangential linear_nohistory 0.8 0.3",
    "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    "hooke 2e4 0.5 damping coeff_restitution tangential linear_history 1e4 0.8 0.3 limit_damping",
    "hooke 2e4 15 damping mass_velocity tangential linear_history_classic 1e4 0.8 0.3",
    "hertz 4e5 200 tangential mindlin_classic 3e5 0.8 0.3",
    "hertz 4e5 200 tangential mindlin 3e5 0.8 0.3",
    "hertz 4e5 200 tangential mindlin/force 3e5 0.8 0.3",
    "hertz 4e5 200 tangential mindlin_rescale 3e5 0.8 0.3",
    "hertz 4e5 200 tangential mindlin_rescale/force 3e5 0.8 0.3",
    "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 0.8 0.3",
    "dmt 6e5 200 0.25 10 tangential mindlin 3e5 0.8 0.3",
    "jkr 6e5 200 0.25 40 tangential mindlin_rescale 3e5 0.8 0.3",
)


def simulate(c: Context) -> list[dict[str, float]]:
    along = LENGTH[c.tier]
    packing = packings.settle(c, along)
    sides = {"granular": "", "granular/plus": f" slider {c['slider']}"}
    script = ""
    for n, model in enumerate(MODELS):
        for style, slider in sides.items():
            script += "clear\n" + packings.read(packing)
            script += f"pair_style {style}\npair_coeff * * {model}{slider}\n"
            script += packings.move(along) + f"run {STEPS}\n"
            script += packings.write(f"{n}-{style.replace('/', '-')}")
    run = c.lammps(script)
    return [
        packings.differences(*(run.dump(f"{n}-{style.replace('/', '-')}") for style in sides))
        for n in range(len(MODELS))
    ]


def run(c: Context) -> None:
    found = simulate(c)
    for model, differences in zip(MODELS, found, strict=True):
        c.check(
            f"{model}: largest difference after {STEPS} steps, divided by the root mean square",
            measured=max(differences.values()),
            reference=0.0,
            tolerance=TOLERANCE,
            kind="absolute",
            reason=(
                "both styles do the same operations in a different order; round-off grows during"
                " two collision times"
            ),
        )
    table = pd.DataFrame(found)
    table.insert(0, "model", MODELS)
    c.table("differences", table, "Largest differences between the two styles.")


CASE = Case(
    name="superset",
    title="With slider dsds, granular/plus reproduces pair_style granular",
    source="[thompson2022] pair_style granular",
    tier="smoke",
    parameters={"slider": "dsds"},
    spoil={"slider": "csds"},
    run=run,
)
