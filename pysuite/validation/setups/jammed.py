"""Packings of frictionless grains above jamming: preparation and measurement.

The packing is expanded in steps towards the solid fraction at which the pressure vanishes. The
stiffness, the mass of a grain, and the diameter of the smaller grains are 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite.validation import Context
from pysuite.validation.references import networks
from pysuite.validation.references.networks import Contacts
from pysuite.validation.seeds import seed

Array = NDArray[np.float64]

PART = 0.56  # fraction of the distance to jamming that remains after a step
FIRST = 0.004  # change of the solid fraction in the first step
BALANCE = 1e-5  # largest net force on a grain at rest, divided by the pressure
LARGER = 1.4  # diameter of the larger half of the grains, in two dimensions

SCRIPT = """
units lj
atom_style sphere
dimension {dimension}
boundary p p p
newton off
comm_modify vel yes
region box block 0 {edge:.17g} 0 {edge:.17g} {across}
create_box 2 box
create_atoms 1 random {grains} {seed} NULL
group large id > {small}
set group large type 2
set type 1 diameter 1 mass 1
set type 2 diameter {larger} mass 1
pair_style granular/plus
pair_coeff * * {law} 1 0 damping velocity tangential linear_nohistory 0 0
neighbor 0.2 bin
fix move all nve/sphere
{flat}
compute pressure all pressure NULL virial
variable root equal c_pressure^(1/{power})
min_style fire
min_modify norm max integrator verlet tmax 5
thermo_style custom step c_pressure
thermo 1000000
variable fraction equal {fraction}
variable force equal 1e-6
timestep 0.1
variable k loop {steps}
label again
minimize 0 $(v_force:%.17g) 20000 20000
variable now equal $(v_root:%.17g)
write_dump all custom packing.${{k}} id diameter x y z modify sort id format float %.17g
if "${{k}} == 1" then "variable jams equal ${{fraction}}-{first}/(1-{part})" else &
  "variable jams equal ${{fraction}}-${{now}}*(${{before}}-${{fraction}})/(${{past}}-${{now}})"
variable next equal $(v_jams:%.17g)+(${{fraction}}-$(v_jams:%.17g))*{part}
variable past equal ${{now}}
variable before equal ${{fraction}}
variable force equal $(c_pressure*{balance})
timestep $(0.1*{slower})
print "${{fraction}} $(c_pressure:%.17g)" append states.txt
variable by equal (${{before}}/v_next)^(1/{dimension})
change_box all x scale $(v_by:%.17g) y scale $(v_by:%.17g) {third} remap
variable fraction equal $(v_next:%.17g)
next k
jump SELF again
"""


class Kind(NamedTuple):
    """A kind of packing: number of dimensions, normal law, and power of the overlap in the law."""

    dimension: int
    law: str
    power: float

    @property
    def diameters(self) -> tuple[float, float]:
        """Diameters of the two halves of the grains."""
        return (1.0, LARGER) if self.dimension == 2 else (1.0, 1.0)

    @property
    def start(self) -> float:
        """Solid fraction at the start, which is above random close packing."""
        return 0.88 if self.dimension == 2 else 0.68


class Packed(NamedTuple):
    """A packing at rest.

    Attributes:
        fraction: solid fraction.
        bearing: number of grains that bear forces. These grains are left after repeatedly removing
            all grains whose number of contacts is at most the number of dimensions.
        contacts: mean number of contacts of a bearing grain with other bearing grains.
    """

    fraction: float
    bearing: int
    contacts: float


def shears(dimension: int) -> Array:
    """Return strains that do not change the volume. Each strain is equivalent to a shear of 1."""
    e = np.eye(dimension)
    pairs = [(i, j) for i in range(dimension) for j in range(i)]
    mixed = [0.5 * (np.outer(e[i], e[j]) + np.outer(e[j], e[i])) for i, j in pairs]
    stretched = [
        (np.diag(e[:n].sum(axis=0)) - n * np.diag(e[n])) / np.sqrt(2.0 * n * (n + 1))
        for n in range(1, dimension)
    ]
    return np.array(mixed + stretched)


def shear_modulus(of: Contacts, grains: int, volume: float) -> float:
    """Return the mean shear modulus over all directions of shear.

    The contacts of bearing grains are replaced by springs that are not under load. If the springs
    bore the contact forces, some packings would be so close to instability that a mean over
    packings would be useless. The modulus is in units of the stiffness and the smaller diameter.
    """
    relaxed = networks.moduli(of, grains, volume, shears(of.normal.shape[1])).relaxed
    return float(np.diag(relaxed).mean())


def contacts(places: Array, diameters: Array, edge: float, power: float) -> Contacts:
    """Return all contacts in a cubic or square periodic box.

    `places` has shape (grains, dimensions).
    """
    from scipy.spatial import cKDTree

    tree = cKDTree(places % edge, boxsize=edge)
    one, other = tree.query_pairs(diameters.max(), output_type="ndarray").T
    branch = places[one] - places[other]
    branch -= edge * np.round(branch / edge)
    distance = np.linalg.norm(branch, axis=1)
    overlap = 0.5 * (diameters[one] + diameters[other]) - distance
    radius = 0.5 * diameters[one] * diameters[other] / (diameters[one] + diameters[other])
    prefactor = radius ** (power - 1.0)
    force = prefactor * np.maximum(overlap, 0.0) ** power
    stiffness = prefactor * power * np.maximum(overlap, 0.0) ** (power - 1.0)
    found = Contacts(one, other, branch / distance[:, None], distance, force, stiffness)
    return found.only(overlap > 0.0)


def between_bearing(found: Contacts, grains: int) -> tuple[Contacts, NDArray[np.bool_]]:
    """Return the contacts between bearing grains, and a mask of the bearing grains.

    In the returned contacts, the bearing grains are numbered from 0.
    """
    bears = np.ones(grains, dtype=bool)
    while True:
        kept = found.only(bears[found.one] & bears[found.other])
        number = np.bincount(np.concatenate([kept.one, kept.other]), minlength=grains)
        if np.array_equal(still := bears & (number > found.normal.shape[1]), bears):
            break
        bears = still
    rank = np.cumsum(bears) - 1
    return kept._replace(one=rank[kept.one], other=rank[kept.other]), bears


def measure(places: Array, diameters: Array, edge: float, power: float) -> Packed:
    """Measure a packing in a cubic or square periodic box.

    `places` has shape (grains, dimensions).
    """
    count, dimension = places.shape
    filled = np.pi / (2.0 * dimension) * (diameters**dimension).sum()
    found = contacts(places, diameters, edge, power)
    kept, bears = between_bearing(found, count)
    bearing = int(bears.sum())
    return Packed(
        float(filled / edge**dimension),
        bearing,
        2.0 * len(kept.one) / bearing if bearing else 0.0,
    )


class State(NamedTuple):
    """A packing at rest in a cubic or square periodic box.

    Attributes:
        places: array of shape (grains, dimensions), centres of the grains.
        diameters: array of shape (grains,), diameters of the grains.
        edge: edge length of the box.
        pressure: pressure in units of the stiffness and the smaller diameter.
    """

    places: Array
    diameters: Array
    edge: float
    pressure: float


def prepare(c: Context, kind: Kind, number: int, *, grains: int, steps: int) -> list[State]:
    """Return the states of a packing, from dense to loose."""
    diameters = np.repeat(kind.diameters, [grains // 2, grains - grains // 2])
    d = kind.dimension
    edge = float((np.pi / (2.0 * d) * (diameters**d).sum() / kind.start) ** (1.0 / d))
    run = c.lammps(
        SCRIPT.format(
            dimension=d,
            edge=edge,
            across="-0.5 0.5" if d == 2 else f"0 {edge:.17g}",
            grains=grains,
            seed=seed(number),
            small=grains // 2,
            larger=kind.diameters[1],
            law=kind.law,
            flat="fix flat all enforce2d" if d == 2 else "",
            power=kind.power,
            fraction=kind.start,
            steps=steps,
            first=FIRST,
            part=PART,
            balance=BALANCE,
            slower="1" if kind.power == 1.0 else "v_now^(-0.25)",
            third="" if d == 2 else "z scale $(v_by:%.17g)",
        ),
        timeout=1200.0,
    )
    fractions, pressures = np.loadtxt(run.folder / "states.txt").T
    states = []
    for k, (fraction, pressure) in enumerate(zip(fractions, pressures, strict=True), 1):
        state = run.dump(f"packing.{k}")
        places = state[["x", "y", "z"][:d]].to_numpy()
        now = edge * (kind.start / fraction) ** (1.0 / d)
        states.append(State(places, state["diameter"].to_numpy(), now, pressure))
    return states


def make(c: Context, kind: Kind, number: int, *, grains: int, steps: int) -> pd.DataFrame:
    """Return measurements of the states of a packing, from dense to loose.

    The table has one row per state. The columns are the attributes of `Packed` and these:

    * `pressure`: in units of the stiffness and the smaller diameter.
    * `modulus`: the result of `shear_modulus`.
    * `forces`: array of the forces between bearing grains, divided by the mean of these forces.
    """
    rows = []
    for state in prepare(c, kind, number, grains=grains, steps=steps):
        packing = (*state[:3], kind.power)
        kept, bears = between_bearing(contacts(*packing), grains)
        modulus = shear_modulus(kept, int(bears.sum()), state.edge**kind.dimension)
        more = {"pressure": state.pressure, "modulus": modulus}
        rows.append(measure(*packing)._asdict() | more | {"forces": kept.force / kept.force.mean()})
    return pd.DataFrame(rows)
