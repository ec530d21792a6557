"""The Brazil nut of Li et al. 2022 with the friction law as printed, in two dimensions.

The printed law uses the total displacement of the contact and loses no energy in a closed cycle of
sliding (see the case `li-laws`). With this law, grains of friction 0.8 might therefore slide on a
slope of 15 degrees. Spheres move in a vertical plane by the equations in `li_grains`. Spheres have
the mass and the volume of the paper's ellipsoids, but radii vary by 5 % to avoid a crystal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import li_grains
from pysuite.validation.seeds import seed

PEANUT, NUT = (6.0 * 5.0 * 5.0) ** (1 / 3) * 1e-3, (12.0 * 9.0 * 9.0) ** (1 / 3) * 1e-3  # radii, m
MASSES = (1.9e-3, 12e-3)
PEANUTS, WIDTH, SCATTER_OF_RADIUS = 40, 0.055, 0.05
SETTLING, RISEN = 0.6, 6.0  # seconds before rocking; rise time of the paper's nut with M1 in s
FASTEST = {"M1": 2.0, "M4": 0.12}  # largest speeds of the paper's nut, m/s
# energy to lift all grains by a peanut's width
LIFT = li_grains.GRAVITY * (PEANUTS * MASSES[0] + MASSES[1]) * 2.0 * PEANUT
VISIBLE = 0.01  # smallest change of energy that a figure shows, in units of LIFT
LAWS = ("M1", "M4")
EVERY = 2e-3  # seconds between samples


class Scale(NamedTuple):
    """Size of the runs. Tier full has the paper's stiffness and number of cycles."""

    packings: int
    cycles: int
    young: float
    step: float


SCALES = {"quick": Scale(24, 1, 5e6, 5e-5), "full": Scale(24, 4, 50e6, 2e-5)}


def start(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places and radii of the spheres before they fall. The nut is the first sphere.

    Returns:
        The places are an array of shape (spheres, 2), the radii an array of shape (spheres,).
    """
    random = np.random.default_rng(seed(number))
    radii = PEANUT * random.uniform(1.0 - SCATTER_OF_RADIUS, 1.0 + SCATTER_OF_RADIUS, PEANUTS)
    spacing = 2.0 * PEANUT * (1.0 + SCATTER_OF_RADIUS) + 4e-4
    columns = int(WIDTH / spacing)
    across = (np.arange(PEANUTS) % columns + 0.5) * WIDTH / columns
    up = 2.0 * NUT + (np.arange(PEANUTS) // columns + 0.6) * spacing
    places = np.column_stack([across, up]) + random.uniform(-2e-4, 2e-4, (PEANUTS, 2))
    nut = np.array([[0.5 * WIDTH + random.uniform(-5e-3, 5e-3), NUT]])
    return np.concatenate([nut, places]), np.r_[NUT, radii]


def simulate(c: Context, scale: Scale) -> pd.DataFrame:
    laws = np.repeat(LAWS, scale.packings)
    packings = np.tile(np.arange(1, scale.packings + 1), len(LAWS))
    places, radii = zip(*(start(number) for number in packings), strict=True)
    disturbed = np.isin(laws, c["disturbed"])
    scenes = li_grains.Scenes(
        list(laws),
        np.array(places),
        np.array(radii),
        np.r_[MASSES[1], np.full(PEANUTS, MASSES[0])],
        width=WIDTH,
        young=scale.young,
        step=scale.step,
        begin=SETTLING,
        shaking=c["shaking"] * disturbed,
    )
    # the box starts to rock in the next step
    scenes.advance(round(SETTLING / scale.step) - 1)
    scenes.velocity[:: PEANUTS + 1, 1] += c["kick"] * disturbed
    samples = [scenes.sample()]
    every = round(EVERY / scale.step)
    for _ in range(round(scale.cycles * li_grains.PERIOD / EVERY)):
        scenes.advance(every)
        samples.append(scenes.sample())
    frames = [pd.DataFrame({"law": laws, "packing": packings, **s._asdict()}) for s in samples]
    return pd.concat(frames, ignore_index=True)


def tabulate(samples: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (law, packing), of in samples.groupby(["law", "packing"]):
        above = of["nut"] - of["height"]
        first = of["time"] <= SETTLING + RISEN
        energy = (of["energy"] - of["energy"].iloc[0]) / LIFT
        rows.append(
            {
                "law": law,
                "packing": packing,
                "rise": (above[first] - above.iloc[0]).max() / (2.0 * PEANUT),
                "speed": of["speed"].max(),
                "energy, mean": energy.mean(),
                "energy, end": energy.iloc[-1],
                "kinetic energy": of["kinetic"].mean(),
                "height of the nut / height of all": (of["nut"] / of["height"]).iloc[0],
            }
        )
    return pd.DataFrame(rows)


def judge(c: Context, table: pd.DataFrame, scale: Scale) -> None:
    of = {law: table[table["law"] == law].set_index("packing") for law in LAWS}
    rocked = scale.cycles * li_grains.PERIOD
    words = f"in {rocked:g} s of rocking, {PEANUTS} peanuts in two dimensions"

    def mean(values: pd.Series) -> statistics.Interval:
        return statistics.mean(values, c.level, of="packings")

    c.check(
        "largest height of the nut / mean height of all grains before the rocking",
        measured=table["height of the nut / height of all"].max(),
        reference=0.5,
        kind="at_most",
        reason="at the start, grains must lie above the nut",
    )
    for law in LAWS:
        c.claim(
            "L16",
            f"{law} as printed, {words}: largest rise of the nut relative to the grains within"
            f" {min(RISEN, rocked):g} s / peanut width",
            mean(of[law]["rise"]),
            at_least=1.0,
            reason="the nut must rise by at least one layer",
        )
        c.claim(
            "L29",
            f"{law} as printed, {words}: kinetic and potential energy at the end minus that at the"
            " start / energy to lift all grains by a peanut width",
            mean(of[law]["energy, end"]),
            at_least=VISIBLE,
            reason="a smaller growth is invisible in a figure; the box is level at both times",
        )
    c.claim(
        "L17",
        f"M1 as printed, {words}: largest rise of the nut relative to the grains within"
        f" {min(RISEN, rocked):g} s / peanut width",
        mean(of["M1"]["rise"]),
        at_least=1.0,
        reason="the nut must rise by at least one layer; in the paper, the nut is then at the top",
    )
    c.claim(
        "L18",
        f"M1 as printed, {words}: largest speed of the nut, m/s",
        mean(of["M1"]["speed"]),
        at_least=FASTEST["M1"],
        reason="the paper prints this speed",
    )
    c.claim(
        "L19",
        f"M1 and M4 as printed, {words}: mean kinetic and potential energy gained, M1 minus M4 /"
        " energy to lift all grains by a peanut width",
        mean(of["M1"]["energy, mean"] - of["M4"]["energy, mean"]),
        at_least=VISIBLE,
        reason="a smaller difference is invisible in a figure",
    )
    c.claim(
        "L28",
        f"M4 as printed, {words}: largest speed of the nut, m/s",
        mean(of["M4"]["speed"]),
        at_most=FASTEST["M4"],
        reason="the paper prints this speed",
    )


def draw(c: Context, samples: pd.DataFrame) -> None:
    figure, axes = panels(2)
    for (law, packing), of in samples.groupby(["law", "packing"]):
        style = {"color": f"C{LAWS.index(law)}", "linewidth": 0.6}
        style["label"] = law if packing == 1 else None
        time = of["time"] - SETTLING
        axes[0].plot(time, 1e3 * (of["nut"] - of["nut"].iloc[0]), **style)
        axes[1].semilogy(time, 1e3 * of["kinetic"].clip(lower=1e-12), **style)
    axes[0].set(xlabel="time [s]", ylabel="rise of the nut in the box [mm]")
    axes[1].set(xlabel="time [s]", ylabel="kinetic energy of all grains [mJ]")
    axes[0].legend(fontsize=8)
    c.figure("rise", figure, "Rise of the nut and kinetic energy. Each line shows a packing.")


def run(c: Context) -> None:
    scale = SCALES[c.tier]
    samples = simulate(c, scale)
    table = tabulate(samples)
    c.table(
        "runs",
        table,
        "Rise in peanut widths, speed in m/s, mean kinetic energy in J, and gained energies in"
        " units of the energy to lift all grains by a peanut width.",
    )
    judge(c, table, scale)
    moved = table.groupby("law")[["rise", "speed"]].max()
    c.not_reproduced(
        "With the friction law as printed, rocking alone does not make the nut rise either: in two"
        f" dimensions, the nut rises by at most {moved['rise'].max():.3f} of a peanut's width"
        f" relative to the grains, at up to {1e3 * moved['speed'].max():.0f} mm/s."
    )
    draw(c, samples)


CASE = Case(
    name="brazil-nut-printed",
    title="With the friction law as printed by Li et al., the Brazil nut does not rise either",
    source="[li2022] section 3.2, eqs. 5 and 18",
    tier="quick",
    parameters={"kick": 0.0, "shaking": 0.0, "disturbed": list(LAWS)},
    spoil={"shaking": 5.0},
    planted={
        "L16": {"shaking": 5.0},
        "L17": {"shaking": 5.0},
        "L18": {"kick": 4.0},
        "L19": {"shaking": 2.0, "disturbed": ["M1"]},
        "L29": {"shaking": 2.0},
    },
    run=run,
    timeout=20_000.0,
)
