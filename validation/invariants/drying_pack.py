"""Drying of a wet pack: films lose liquid at a constant rate, and bridges vanish in finite time.

At the evaporation rate E, a film loses the volume E 4 pi R^2 per unit of time. A bridge of volume V
between two touching spheres loses E times its lateral area. The area is 2 pi sqrt(R) H^(3/2) with
H = sqrt(2 V/(pi R)), so V^(1/4) falls at a constant rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.outputs import pair_local
from pysuite.validation import Case, Context
from pysuite.validation.references.bridges import derjaguin_radius
from pysuite.validation.seeds import seed

SIDE = 5  # grains along each edge
RATE = 8e-3  # evaporation rate, volume per area and time
TIME = 20.0  # most bridges dry up in this time
STEPS = (1000, 2000)

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
newton off
comm_modify vel yes
boundary p p p
region box block 0 ${edge} 0 ${edge} 0 ${edge} units box
create_box 1 box
lattice sc $(0.9^-3)
create_atoms 1 box
displace_atoms all random 0.1 0.1 0.1 ${displaced}
variable size atom random(0.85,1.05,${sizes})
set group all diameter v_size density 1
fix film all property/atom d_film ghost yes
variable film atom random(0,0.3,${films})
set group all d_film v_film
pair_style granular/plus ledger yes
pair_coeff * * hooke 1e3 0 damping velocity tangential linear_nohistory 0 0 &
    bridge willett 0.02 20 film share 0.01
neighbor 0.1 bin
timestep ${step}
fix hold all move linear 0 0 0
compute pair all property/local patom1 patom2
compute volume all pair/local ${volume}
compute ledger all granular/ledger
thermo_style custom step time c_ledger[*]
thermo_modify norm no format float %.17g
run 0
write_dump all custom films id radius d_film modify format float %.17g sort id
dump bridges all local 1000000 bridges c_pair[*] c_volume
dump_modify bridges format float %.17g
fix dry all granular/film rate ${rate} bridges ${bridges}
thermo ${every}
run ${steps}
"""


class Wet(NamedTuple):
    """State before drying: radii and films of grains, Derjaguin radii and volumes of bridges."""

    radius: np.ndarray
    film: np.ndarray
    derjaguin: np.ndarray
    volume: np.ndarray


def dry(c: Context, steps: int) -> tuple[Wet, pd.DataFrame]:
    run = c.lammps(
        SCRIPT,
        variables={
            "edge": SIDE * 0.9,
            "displaced": seed(8123),
            "sizes": seed(4711),
            "films": seed(977),
            "step": TIME / steps,
            "rate": RATE,
            "bridges": c["bridges"],
            "volume": pair_local("bridge_volume"),
            "steps": steps,
            "every": steps // 50,
        },
    )
    grains, pairs = run.dump("films"), run.dump("bridges")
    pairs = pairs[(pairs["step"] == 0) & (pairs["c_volume"] > 0.0)]
    radius = grains["radius"].to_numpy()
    ends = pairs[["c_pair[1]", "c_pair[2]"]].to_numpy(int) - 1
    derjaguin = derjaguin_radius(*radius[ends].T)
    wet = Wet(radius, grains["d_film"].to_numpy(), derjaguin, pairs["c_volume"].to_numpy())
    names = ["liquid_films", "liquid_bridges", "liquid_evaporated", "ruptures"]
    return wet, run.ledger[names].assign(time=run.thermo["Time"])


def by_law(wet: Wet, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    t = np.asarray(time)[:, None]
    films = np.maximum(0.0, wet.film - RATE * 4.0 * np.pi * wet.radius**2 * t)
    # lateral area of a bridge divided by V^(3/4)
    side = 2.0 * np.pi * np.sqrt(wet.derjaguin) * (2.0 / (np.pi * wet.derjaguin)) ** 0.75
    bridges = np.maximum(0.0, wet.volume**0.25 - 0.25 * RATE * side * t) ** 4
    return films.sum(axis=1), bridges.sum(axis=1)


def run(c: Context) -> None:
    errors = []
    for steps in STEPS:
        wet, table = dry(c, steps)
        films, bridges = by_law(wet, table["time"].to_numpy())
        errors.append(np.abs(table["liquid_bridges"] - bridges).max() / bridges[0])
    judge(c, table, films, bridges, errors)
    figure, (axis,) = panels(1)
    for name, law in (("films", films), ("bridges", bridges)):
        axis.plot(table["time"], law / law[0], label=f"{name}, by law")
        axis.plot(table["time"], table[f"liquid_{name}"] / law[0], ".", label=name)
    axis.set(xlabel="time", ylabel="remaining / initial liquid")
    axis.legend()
    c.figure("drying", figure, "Films and bridges of a pack that dries.")
    c.table(
        "drying",
        table.iloc[::10],
        "Liquid in films and bridges, evaporated liquid, and number of ruptures at each time.",
    )


def judge(
    c: Context, table: pd.DataFrame, films: np.ndarray, bridges: np.ndarray, errors: list[float]
) -> None:
    c.check_close(
        "volume of the films: largest difference from the law / initial volume",
        table["liquid_films"] / films[0],
        films / films[0],
        tolerance=1e-11,
        reason="a constant rate is integrated exactly, except for round-off in each step",
    )
    c.check(
        f"volume of the bridges, {STEPS[1]} steps: largest difference from the law / initial"
        " volume",
        measured=errors[1],
        reference=1e-3,
        kind="at_most",
        reason=(
            "each step uses the area at its start, which causes an error; a bridge lasts a thousand"
            " steps"
        ),
    )
    c.check(
        f"volume of the bridges: largest difference with {STEPS[1]} steps / with {STEPS[0]} steps",
        measured=errors[1] / errors[0],
        reference=0.5,
        tolerance=0.02,
        reason="the method is of first order in the time step",
    )
    total = table[["liquid_films", "liquid_bridges", "liquid_evaporated"]].sum(axis=1)
    c.check_close(
        "volume of films, bridges and evaporated liquid together / initial volume",
        total / total.iloc[0],
        1.0,
        tolerance=1e-12,
        reason="round-off of sums over all grains and steps",
    )
    c.check(
        "bridges that dried up",
        measured=table["ruptures"].iloc[-1],
        reference=20,
        kind="at_least",
        reason="the test that dry bridges return no liquid needs enough dry bridges",
    )


CASE = Case(
    name="drying-pack",
    title="Films and bridges of a wet pack dry by the evaporation law",
    source="conservation of liquid",
    tier="smoke",
    parameters={"bridges": "yes"},
    spoil={"bridges": "no"},
    run=run,
)
