"""Printed values of Li et al. 2022 compared with arithmetic: mass, energy, vertices and facets.

For a surface of V vertices, E edges and F triangles, V - E + F is 2 - 2 g if the surface is closed
and has g handles, and 1 if the surface is a sheet with one border. A closed surface without handles
therefore has 2 V - 4 facets.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import shapes, statistics
from pysuite.validation import Case, Context
from pysuite.validation.references import alumina

SPEED = 4.0  # as printed
PRINTED_MASS, PRINTED_INERTIA = 2.29e-4, 5.73e-10  # kg, kg m^2
PRINTED_ENERGY = 1.8  # mJ, of the incoming sphere
VERTICES = {"sphere": 2562, "anvil": 1906, "peanut": 810, "nut": 2864}


def energy(mass: float) -> float:
    """Return the initial kinetic energy in mJ."""
    return 1e3 * 0.5 * mass * SPEED**2


def judge_energy(c: Context) -> None:
    mass = c["density"] * np.pi / 6.0 * (2.0 * alumina.RADIUS) ** 3
    c.claim(
        "L3",
        "energy with the printed mass and speed [mJ]",
        statistics.numerical(energy(PRINTED_MASS), 1e-12, "round-off"),
        equals=PRINTED_ENERGY,
        within=0.05,
        reason="the paper prints two digits",
    )
    c.check(
        "energy of a sphere of the printed diameter, density and speed / that with the printed"
        " mass",
        measured=energy(mass) / energy(PRINTED_MASS),
        reference=1.05,
        kind="at_least",
        reason="diameter and density contradict the mass, which is printed to three digits",
    )
    c.check(
        "printed moment of inertia / that of a solid sphere of the printed mass",
        measured=PRINTED_INERTIA / (0.4 * PRINTED_MASS * alumina.RADIUS**2),
        reference=1.0,
        tolerance=0.005,
        reason="mass and moment of inertia are printed to three digits",
    )
    c.not_reproduced(
        f"The printed mass, {1e3 * PRINTED_MASS:.3f} g, gives an initial energy of"
        f" {energy(PRINTED_MASS):.2f} mJ and corresponds to a density of"
        f" {alumina.DENSITY * PRINTED_MASS / alumina.MASS:.0f} kg/m^3. With the printed density,"
        f" {alumina.DENSITY:.0f} kg/m^3, the sphere has a mass of {1e3 * alumina.MASS:.4f} g and an"
        f" initial energy of {energy(alumina.MASS):.2f} mJ."
    )


def judge_facets(c: Context) -> None:
    facets = dict(zip(VERTICES, c["facets"], strict=True))
    table = pd.DataFrame(
        {"body": body, "vertices": count, "facets": facets[body], "closed": 2 * count - 4}
        for body, count in VERTICES.items()
    )
    table["more than closed"] = table["facets"] - table["closed"]
    c.table("facets", table, "Tables 1 and 2. A closed surface has 2 V - 4 facets.")
    c.claim(
        "L21",
        "number of facets in excess of a closed surface with the same number of vertices, largest"
        " of all bodies",
        statistics.numerical(table["more than closed"].max(), 0.0, "counted"),
        at_most=0.0,
        reason="a closed surface without handles has 2 V - 4 facets, whatever its shape",
    )
    cut = shapes.sphere(1.0, 4)
    c.check(
        "facets of an icosahedron subdivided four times, which has as many vertices as the sphere",
        measured=len(cut.triangles) if len(cut.points) == VERTICES["sphere"] else np.nan,
        reference=5120.0,
        tolerance=0.0,
        reason="counted",
    )
    border = 2 * VERTICES["anvil"] - 2 - facets["anvil"]
    c.not_reproduced(
        f"Table 1: a sphere of {VERTICES['sphere']} vertices has {2 * VERTICES['sphere'] - 4}"
        f" facets. A surface with the printed number of {facets['sphere']} facets would need ten"
        f" handles. The {facets['anvil']} facets of the anvil can be a sheet with a border of"
        f" {border} edges. Table 2 is correct."
    )


def run(c: Context) -> None:
    judge_energy(c)
    judge_facets(c)


CASE = Case(
    name="li-tables",
    title="Mass, energy, vertices and facets printed by Li et al., against arithmetic",
    source="[li2022] tables 1 and 2, fig. 4e",
    tier="smoke",
    parameters={"density": 4000.0, "facets": [5160, 3638, 1616, 5724]},
    spoil={"density": 3499.0},
    planted={
        "L21": {"facets": [5120, 3638, 1616, 5724]},
    },
    run=run,
)
