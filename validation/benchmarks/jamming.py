"""Pressure, contacts, forces and shear modulus of frictionless grains above jamming.

The grains are equal spheres, or discs of two sizes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed
from pysuite.validation.setups import jammed
from pysuite.validation.setups.jammed import Kind

GRAINS = 1024
PACKINGS = 32
STEPS = 13  # the last state is about 1e-4 above jamming
NEAR, FAR = 1e-4, 1e-2  # range of the distance to jamming for fits
SEED = 9200


class Jamming(NamedTuple):
    """One packing above jamming.

    Attributes:
        fraction: solid fraction at jamming.
        pressure: exponent of the pressure against the distance to jamming.
        contacts: exponent of the excess contacts against the distance to jamming. This distance is
            computed from the pressure: it is assumed proportional to the pressure (harmonic
            contacts) or to the pressure to the power 2/3 (Hertz contacts).
        contacts_by_fraction: exponent of the excess contacts against the distance to jamming in
            solid fraction.
        at_jamming: contacts per load-bearing grain at jamming.
        modulus: exponent of the shear modulus against the distance computed from the pressure.
        squares: mean square of the forces / square of the mean force, in the state nearest to
            jamming.
    """

    fraction: float
    pressure: float
    contacts: float
    contacts_by_fraction: float
    at_jamming: float
    modulus: float
    squares: float


def slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def distances(states: pd.DataFrame, kind: Kind) -> NDArray[np.float64]:
    """Return the solid fractions minus the fraction at which the pressure extrapolates to zero.

    The solid fraction must decrease from one row of `states` to the next.
    """
    root = states["pressure"].to_numpy() ** (1.0 / kind.power)
    fraction = states["fraction"].to_numpy()
    last = root[-1] * (fraction[-2] - fraction[-1]) / (root[-2] - root[-1])
    return fraction - fraction[-1] + last


def near_jamming(distance: NDArray[np.float64]) -> NDArray[np.bool_]:
    return (distance > NEAR) & (distance < FAR)


def excess_contacts(states: pd.DataFrame, kind: Kind) -> NDArray[np.float64]:
    """Return the contacts per grain minus their number in an isostatic periodic packing."""
    d = kind.dimension
    least = 2.0 * d - 2.0 * (d - 1) / states["bearing"].to_numpy()
    return states["contacts"].to_numpy() - least


def analyse(states: pd.DataFrame, kind: Kind) -> Jamming:
    distance = distances(states, kind)
    jams = states["fraction"].iloc[-1] - distance[-1]
    part = near_jamming(distance)
    distance, of = distance[part], states[part]
    excess = excess_contacts(of, kind)
    pressure = of["pressure"].to_numpy()
    by_pressure = pressure ** (1.0 / kind.power)
    return Jamming(
        jams,
        slope(distance, pressure),
        slope(by_pressure, excess),
        slope(distance, excess),
        np.polyfit(np.sqrt(distance), of["contacts"], 1)[1],
        slope(by_pressure, of["modulus"].to_numpy()),
        float((states["forces"].iloc[-1] ** 2).mean()),
    )


def judge(c: Context, kinds: dict[str, Kind], made: dict[str, list[pd.DataFrame]]) -> pd.DataFrame:
    seeds = f"{seed(SEED)} to {seed(SEED + PACKINGS - 1)}"
    rows = []
    for name, packings in made.items():
        kind = kinds[name]
        table = pd.DataFrame([analyse(states, kind) for states in packings])
        rows.append(table.assign(kind=name))
        quantities = {
            "pressure": "exponent of the pressure",
            "at_jamming": "contacts at jamming",
            "squares": "mean square of the forces",
        }
        if kind.dimension == 3:
            quantities["contacts"] = "exponent of the contacts"
            quantities["modulus"] = "exponent of the shear modulus"
        for column, words in quantities.items():
            interval = statistics.mean(table[column], c.level, "packings")
            c.benchmark(f"{name}: {words}", interval, seeds=seeds)
        told = {
            "fraction": "solid fraction at jamming",
            "contacts": "exponent of the contacts against the distance derived from the pressure",
            "contacts_by_fraction": "exponent of the contacts against the distance in solid"
            " fraction",
            "modulus": "exponent of the shear modulus",
        }
        parts = [
            f"{words} {i.value:.4g} [{i.low:.4g}, {i.high:.4g}]"
            for column, words in told.items()
            for i in [statistics.mean(table[column], statistics.SINGLE_LEVEL, "packings")]
        ]
        c.note(f"{name}, with 95 % intervals: {', '.join(parts)}.")
    table = pd.concat(rows)
    for dimension in ("3D", "2D"):
        harmonic, hertz = (
            table.loc[table["kind"] == f"{dimension}, {law}", "squares"]
            for law in ("harmonic", "Hertz")
        )
        difference = statistics.difference(hertz, harmonic, c.level, "packings")
        words = "mean square of the forces, Hertz minus harmonic"
        c.benchmark(f"{dimension}: {words}", difference, seeds=seeds)
    return table


def draw(c: Context, kinds: dict[str, Kind], made: dict[str, list[pd.DataFrame]]) -> None:
    figure, (*axes, last) = panels(4)
    bins = np.arange(0.0, 5.0, 0.2)
    for name, packings in made.items():
        distance = np.mean([distances(states, kinds[name]) for states in packings], axis=0)
        mean = pd.concat(packings).groupby(level=0).mean(numeric_only=True)
        columns = (mean["pressure"], excess_contacts(mean, kinds[name]), mean["modulus"])
        for axis, values in zip(axes, columns, strict=True):
            axis.loglog(distance, values, "o-", mfc="none", label=name)
        forces = np.concatenate([states["forces"].iloc[-1] for states in packings])
        density = np.histogram(forces, bins, density=True)[0]
        last.semilogy(bins[:-1] + 0.5 * np.diff(bins), density, "o-", mfc="none")
    last.semilogy(bins, np.exp(-bins), "0.6")
    last.set(xlabel="force / mean force, nearest to jamming", ylabel="probability density")
    for axis, words in zip(axes, ("pressure", "excess contacts", "shear modulus"), strict=True):
        axis.set(xlabel="solid fraction above jamming", ylabel=words)
    axes[0].legend(fontsize=8)
    c.figure(
        "jamming",
        figure,
        f"Means of {PACKINGS} packings of {GRAINS} grains. The grey line is an exponential.",
    )


def run(c: Context) -> None:
    kinds = {
        f"{d}D, {name}": Kind(d, law, power)
        for d in (3, 2)
        for name, law, power in (("harmonic", c["harmonic"], 1.0), ("Hertz", "hertz", 1.5))
    }
    made = {
        name: [
            jammed.make(c, kind, SEED + number, grains=GRAINS, steps=STEPS)
            for number in range(PACKINGS)
        ]
        for name, kind in kinds.items()
    }
    c.table(
        "packings",
        judge(c, kinds, made),
        "Solid fraction and contacts of each packing at jamming, and exponents above jamming.",
    )
    draw(c, kinds, made)


CASE = Case(
    name="jamming",
    title="Pressure, contacts, forces and shear modulus of frictionless grains above jamming",
    source="[ohern2003]",
    tier="full",
    parameters={"harmonic": "hooke"},
    spoil={"harmonic": "hertz"},
    run=run,
    timeout=7200.0,
)
