"""Elastic moduli and speed of sound in packings of Hertz spheres, against the mean-field theory.

Walton's theory assumes that all spheres follow the strain of the packing. The moduli are also
compared with the moduli of a network that has a spring for each contact. The moduli of the network
are computed without LAMMPS.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import networks
from pysuite.validation.references.networks import bulk, shear
from pysuite.validation.seeds import seed
from pysuite.validation.setups import elasticity, jammed
from pysuite.validation.setups.elasticity import Packing
from pysuite.validation.setups.jammed import State

GRAINS = 1024
PACKINGS = 16
STEPS = 13
USED = {"dense": 4, "loose": 12}  # numbers of the states with pressures of 1e-4 and 1e-7
SEED = 9400
POISSON = 0.2
TANGENTIAL = 2.0 * (1.0 - POISSON) / (2.0 - POISSON)  # k_t/k_n of Mindlin's contacts
HERTZ = jammed.Kind(3, "hertz", elasticity.POWER)
AT_EQUAL_CONTACTS = "exponent of the {} at equal contacts"
LIMITS = dict.fromkeys(("affine bulk modulus", "bulk modulus"), (", at most", ", at least"))
MORE_FOLLOW = (
    "spheres with more contacts follow the strain more closely, so the shear modulus grows faster"
    " than in the mean-field theory"
)


def measure(c: Context, of: Packing, folder: Path) -> dict[str, float]:
    """Return the measurements of one state of a packing."""
    tangential = TANGENTIAL * c["k_t"]
    folder.mkdir(parents=True)
    moduli = elasticity.strained(c, of, tangential, folder / "strains")
    network = of.network(tangential)
    differences = [np.abs(a - b).max() for a, b in zip(moduli, network, strict=True)]
    found, expected = elasticity.sound(c, of, tangential, moduli.relaxed, folder / "waves")
    ratio = found / expected
    mean_field = networks.mean_field(of.fraction_times_contacts, of.pressure)
    return {
        "pressure": of.pressure,
        "fraction_times_contacts": of.fraction_times_contacts,
        "density": len(of.places) / of.edge**3,
        "overlap": of.overlap,
        "bulk": bulk(moduli.relaxed),
        "shear": shear(moduli.relaxed),
        "affine_bulk": bulk(moduli.affine),
        "affine_shear": shear(moduli.affine),
        "mean_field": mean_field,
        "least_bulk": networks.least_bulk(of.contacts, of.edge**3),
        "network_error": max(differences) / bulk(network.relaxed),
        "longitudinal": found[2],
        "longitudinal_ratio": ratio[2],
        "transverse_ratio": 0.5 * (ratio[0] + ratio[1]),
    }


def exponent(
    table: pd.DataFrame, column: str, *, contacts: float = 0.0, density: float = 0.0
) -> pd.Series:
    """Return the exponent of a column against the pressure for each packing.

    The column is first divided by
    (solid fraction * number of contacts)**contacts * (mass density)**density.
    """
    powers = {"fraction_times_contacts": contacts, "density": density}
    logarithms = np.log(table[["pressure", *powers, column]])
    rise = logarithms.xs("dense", level="state") - logarithms.xs("loose", level="state")
    grown = rise[column] - sum(power * rise[name] for name, power in powers.items())
    return grown / rise["pressure"]


def judge(c: Context, table: pd.DataFrame) -> None:
    mean_field_shear = networks.affine_ratio(TANGENTIAL) * table["mean_field"]
    ratios = {
        "affine bulk modulus": table["affine_bulk"] / table["mean_field"],
        "affine shear modulus": table["affine_shear"] / table["affine_bulk"],
        "bulk modulus": table["bulk"] / table["affine_bulk"],
        "bulk modulus divided by its lower bound": table["bulk"] / table["least_bulk"],
        "shear modulus": table["shear"] / mean_field_shear,
        "longitudinal speed": table["longitudinal_ratio"],
        "transverse speed": table["transverse_ratio"],
    }
    values = {name: of.groupby(level="packing").mean() for name, of in ratios.items()}
    values |= {
        "exponent of the bulk modulus": exponent(table, "bulk"),
        "exponent of the shear modulus": exponent(table, "shear"),
        AT_EQUAL_CONTACTS.format("bulk modulus"): exponent(table, "bulk", contacts=2.0 / 3.0),
        AT_EQUAL_CONTACTS.format("shear modulus"): exponent(table, "shear", contacts=2.0 / 3.0),
        AT_EQUAL_CONTACTS.format("longitudinal speed"): exponent(
            table, "longitudinal", contacts=1.0 / 3.0, density=-0.5
        ),
    }
    seeds = f"{seed(SEED)} to {seed(SEED + PACKINGS - 1)}"
    known = {AT_EQUAL_CONTACTS.format("shear modulus"): MORE_FOLLOW}
    for name, of in values.items():
        interval = statistics.mean(of, c.level, "packings")
        for limit in LIMITS.get(name, ("",)):
            c.benchmark(name + limit, interval, seeds=seeds, deviates=known.get(name, ""))
    c.check(
        "largest difference from the moduli of springs, divided by bulk modulus and overlap",
        measured=float((table["network_error"] / table["overlap"]).max()),
        reference=0.0,
        tolerance=10.0,
        kind="absolute",
        reason="contacts bear forces at rest, whereas the springs of the network do not; these"
        " forces change affine moduli by less than 3 overlap/diameter, and relaxed moduli by about"
        " twice as much",
    )
    told = {
        "bulk modulus divided by that of the mean field": table["bulk"] / table["mean_field"],
        "bulk modulus divided by shear modulus": table["bulk"] / table["shear"],
    }
    for name, of in told.items():
        parts = []
        for state in USED:
            i = statistics.mean(of.xs(state, level="state"), statistics.SINGLE_LEVEL, "packings")
            parts.append(f"{state} {i.value:.4g} [{i.low:.4g}, {i.high:.4g}]")
        c.note(f"{name}, with 95 % intervals: {', '.join(parts)}.")


def draw(c: Context, states: list[State], table: pd.DataFrame) -> None:
    figure, axes = panels(2)
    rows = []
    for state in states[USED["dense"] - 2 :]:
        of = elasticity.bearing(state)
        relaxed = of.network(TANGENTIAL * c["k_t"]).relaxed
        theory = networks.mean_field(of.fraction_times_contacts, of.pressure)
        rows.append((of.pressure, bulk(relaxed), shear(relaxed), theory))
    pressure, *moduli, theory = np.array(rows).T
    factors = (1.0, networks.affine_ratio(TANGENTIAL))
    columns = ("bulk", "shear")
    for axis, name, modulus, factor in zip(axes, columns, moduli, factors, strict=True):
        axis.loglog(pressure, factor * theory, "0.6", label="mean field")
        axis.loglog(pressure, modulus, "C0", label="springs")
        axis.loglog(table["pressure"], table[name], "C1o", mfc="none", label="LAMMPS")
        axis.set(xlabel="pressure", ylabel=f"{name} modulus")
    axes[0].legend(fontsize=8)
    c.figure("moduli", figure, "Moduli against pressure, in units of A. Lines: one packing.")


def run(c: Context) -> None:
    rows, first = [], []
    for number in range(PACKINGS):
        states = jammed.prepare(c, HERTZ, SEED + number, grains=GRAINS, steps=STEPS)
        first = first or states
        for name, k in USED.items():
            folder = c.folder / f"packing-{number}-{name}"
            found = measure(c, elasticity.bearing(states[k]), folder)
            rows.append({"packing": number, "state": name} | found)
    table = pd.DataFrame(rows).set_index(["packing", "state"])
    c.table("packings", table.reset_index(), "Moduli and speeds of each packing, in units of A.")
    judge(c, table)
    draw(c, first, table)


CASE = Case(
    name="packing-sound",
    title="Elastic moduli and sound in packings of spheres",
    source="[walton1987]; [makse1999]; [agnolin2007]",
    tier="full",
    parameters={"k_t": 1.0},
    spoil={"k_t": 1.1},
    run=run,
    timeout=3600.0,
)
