"""Two materials in a drum that starts to turn, compared with LIGGGHTS and YADE.

The exercise is from [dosta2024]. Moduli are reduced to a hundredth, and all lengths except the
grain sizes are scaled by 0.4. The drum makes an eighth of a turn at the published Froude number.
The results of the other codes are stored. `pysuite peers drum` computes these results for the first
two fillings.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.setups import silo_and_drum

SLIDERS = ("csds", "dsds")
FILLINGS = {"quick": 4, "full": 8}


def run(c: Context) -> None:
    drum = silo_and_drum.Drum(**silo_and_drum.DRUM)
    curves: dict[tuple[str, int], np.ndarray] = {}
    for number in range(1, FILLINGS[c.tier] + 1):
        folder = c.folder / f"drum-{number}"
        folder.mkdir()
        filled = silo_and_drum.fill_drum(c.lammps, drum, number, folder)
        data = silo_and_drum.write_drum(drum, filled, folder / "drum.data")
        for slider in SLIDERS:
            script = silo_and_drum.turn(
                drum, data, folder, slider, silo_and_drum.DRUM_TIME, c["friction"]
            )
            curves[slider, number] = c.lammps(script).thermo.iloc[:, -4:].to_numpy()
    own = silo_and_drum.centres(curves, drum)
    theirs = pd.read_csv(c.data / "dosta" / "drum.csv")
    c.table(
        "centres",
        pd.concat([own, theirs]),
        "Final centres of mass of both materials, in drum radii.",
    )
    judge(c, own.set_index(["code", "packing"]), theirs.set_index(["code", "packing"]))
    draw(c, curves, drum, theirs)


def judge(c: Context, own: pd.DataFrame, theirs: pd.DataFrame) -> None:
    scatter = np.sqrt(own.groupby("code").var().mean())
    for slider, code in product(SLIDERS, theirs.index.unique("code")):
        on_same = own.loc[slider].reindex(theirs.loc[code].index)
        c.check_close(
            f"centres of mass with {slider} minus those of {code} in the same filling: largest"
            " difference, in standard deviations among fillings",
            on_same / scatter,
            theirs.loc[code] / scatter,
            tolerance=3.0,
            reason=(
                "this bound is a choice: with the same filling, two codes must not differ by more"
                " than three standard deviations of one code's results among fillings"
            ),
        )
    c.note(
        "Standard deviations of the centres of mass among repeated fillings, in radii of the drum: "
        + ", ".join(f"{size:.2g} ({name})" for name, size in scatter.items())
        + "."
    )


def draw(
    c: Context,
    curves: dict[tuple[str, int], np.ndarray],
    drum: silo_and_drum.Drum,
    theirs: pd.DataFrame,
) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    for (slider, number), curve in curves.items():
        for material in range(2):
            sideways, up = curve[:, 2 * material + 1], curve[:, 2 * material]
            axes.plot(
                sideways / drum.radius, up / drum.radius, "-" if slider == "csds" else "--",
                color=f"C{material}",
                label=f"{silo_and_drum.MATERIALS[material]}, {slider}" if number == 1 else None,
            )  # fmt: skip
    for marker, (code, of_code) in zip("x+", theirs.groupby("code"), strict=False):
        for material in silo_and_drum.MATERIALS:
            place = of_code[f"{material} sideways"], of_code[f"{material} up"]
            label = code if material == silo_and_drum.MATERIALS[0] else None
            axes.plot(*place, marker, color="k", label=label)
    axes.set(xlabel="sideways / radius", ylabel="up / radius")
    axes.legend(fontsize=8)
    c.figure("centres", figure, "Paths of the centres of mass. Markers show the other codes.")


CASE = Case(
    name="drum",
    title="In a drum that starts to turn, two materials move as in LIGGGHTS and YADE",
    source="[dosta2024]",
    tier="quick",
    parameters={"friction": 1.0},
    spoil={"friction": 0.0},
    run=run,
    timeout=7200.0,
)
