"""A tumbling and vibrating bar of bonded grains.

The bar is simulated with the bonds of granular/plus and with the bonds of LAMMPS's BPM package.
Only the run with granular/plus is judged. LAMMPS's bonds report no energy, so a table compares the
kinetic energies of the two runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import engine
from pysuite.outputs import LEDGER
from pysuite.validation import Case, Context
from pysuite.validation.references.bonds import Beam
from pysuite.validation.seeds import seed

GRAINS, STEP, EVERY = 5, 2e-3, 10
STEPS = {"smoke": 100_000, "quick": 500_000, "full": 1_000_000}
BEAM = Beam(modulus=1e4, poisson_ratio=0.25, radius=0.4, length=1.1)
INERTIA = 0.1  # moment of inertia of a grain of diameter and mass 1
PARTS = 10  # parts of the run; the drift is the change from the first part to the last part

SCRIPT = """
units lj
atom_style bpm/sphere
newton on
comm_modify vel yes
region box block -20 20 -20 20 -20 20
create_box 1 box ${box}
${grains}
set group all diameter 1 mass 1
velocity all create 0.4 ${seed} rot yes mom yes
set group all omega 0.2 0.3 -0.4
${bonds}
fix move all nve/bpm/sphere
timestep ${step}
compute translation all ke
compute rotation all erotate/sphere
thermo_style custom step c_translation c_rotation ${more}
thermo_modify norm no format float %.17g
thermo ${every}
dump all all custom ${seldom} frames id x y z vx vy vz omegax omegay omegaz
dump_modify all sort id format float %.17g
run ${steps}
"""
OURS = """
pair_style granular/plus ledger yes
pair_coeff * * hooke 1 0 damping velocity tangential linear_nohistory 0 0 &
    bond beam ${modulus} ${poisson} ${ratio} tension NULL shear NULL damping ${damping}
fix bonds all granular/bond form 0.2
compute books all granular/ledger
"""
BPM = """
special_bonds lj 0 1 1 coul 0 1 1
pair_style zero 2
pair_coeff * *
create_bonds many all all 1 1.0 1.2
bond_style bpm/rotational break no smooth no
bond_coeff 1 ${axial} ${shear} ${torsion} ${bending} 1e30 1e30 1e30 1e30 0 0 0 0
"""


class Motion(NamedTuple):
    """Motion of a bar.

    Attributes:
        energy: kinetic energy at each output.
        momentum: array of shape (frames, 3), the angular momentum in each frame of the dump.
        total: kinetic energy plus bond energy at each output; None for LAMMPS's BPM.
    """

    energy: np.ndarray
    momentum: np.ndarray
    total: np.ndarray | None = None


def script(style: str, steps: int, damping: float) -> str:
    ours = style == "granular/plus"
    k = BEAM.stiffness()
    words = {
        "box": "" if ours else "bond/types 1 extra/bond/per/atom 2 extra/special/per/atom 4",
        "grains": "\n".join(
            f"create_atoms 1 single {BEAM.length * n!r} 0 0" for n in range(GRAINS)
        ),
        "bonds": OURS if ours else BPM,
        "seed": seed(4711),
        "modulus": BEAM.modulus,
        "poisson": BEAM.poisson_ratio,
        "ratio": 2 * BEAM.radius,
        "damping": damping,
        "axial": k[0, 0],
        "shear": k[1, 1],
        "torsion": k[3, 3],
        "bending": BEAM.modulus * BEAM.second_moment / BEAM.length,
        "more": LEDGER.of("c_books") if ours else "",
        "step": STEP,
        "every": EVERY,
        "seldom": steps // 100,
        "steps": steps,
    }
    text = SCRIPT
    for name, value in words.items():  # the value of "bonds" contains some of the later names
        text = text.replace(f"${{{name}}}", str(value))
    return text


def motion(run: engine.Run, style: str) -> Motion:
    thermo, frames = run.thermo, run.dump("frames")

    def of(*names: str) -> np.ndarray:
        return frames[list(names)].to_numpy().reshape(-1, GRAINS, 3)

    velocity, spin = of("vx", "vy", "vz"), of("omegax", "omegay", "omegaz")
    momentum = (np.cross(of("x", "y", "z"), velocity) + INERTIA * spin).sum(axis=1)
    kinetic = (thermo["c_translation"] + thermo["c_rotation"]).to_numpy()
    ledger = run.ledger if style == "granular/plus" else None
    total = kinetic + ledger["bond"].to_numpy() if ledger is not None else None
    return Motion(kinetic, momentum, total)


def drift(energy: np.ndarray) -> float:
    parts = [part.mean() for part in np.array_split(energy[1:], PARTS)]
    return float((parts[-1] - parts[0]) / energy.mean())


def turned(momentum: np.ndarray) -> float:
    return float(np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0]))


def simulate(c: Context) -> dict[str, Motion]:
    found = {}
    for style in ("granular/plus", "bpm/rotational"):
        folder = c.folder / style.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        text = script(style, STEPS[c.tier], c["damping"])
        found[style] = motion(c.lammps(text, folder=folder, timeout=1500), style)
    return found


def run(c: Context) -> None:
    found = simulate(c)
    rows = [
        {
            "bonds": style,
            "steps": STEPS[c.tier],
            "drift of kinetic energy": drift(each.energy),
            "drift of all energy": "" if each.total is None else f"{drift(each.total):.1e}",
            "band of all energy": ""
            if each.total is None
            else f"{np.ptp(each.total) / each.total.mean():.1e}",
            "change of angular momentum": turned(each.momentum),
        }
        for style, each in found.items()
    ]
    c.table(
        "bar",
        pd.DataFrame(rows),
        "The drift is the change of the mean energy from the first to the last tenth of the run."
        " The band is the range of the energy. Both are divided by the mean energy. The change of"
        " angular momentum is the largest change, divided by the initial magnitude.",
    )
    judge(c, found["granular/plus"])


def judge(c: Context, ours: Motion) -> None:
    assert ours.total is not None
    band = np.ptp(ours.total) / ours.total.mean()
    c.check(
        "ratio of the energy drift to the band of its oscillation",
        measured=abs(drift(ours.total)) / band,
        reference=0.0,
        tolerance=0.1,
        kind="at_most",
        reason=(
            "the forces derive from an energy and the integrator is symplectic, so the total energy"
            " oscillates about a constant mean; with a larger drift, the energy would leave the"
            " band of the oscillation in a long run"
        ),
    )
    c.check(
        "relative change of angular momentum",
        measured=turned(ours.momentum),
        reference=0.0,
        tolerance=1e-11,
        kind="at_most",
        reason="internal forces exert no net torque, but every step rounds the positions",
    )


CASE = Case(
    name="bonded-bar",
    title="A bar of bonded grains conserves energy and angular momentum",
    source="[kuzkin2012]; energy and angular momentum; mechanics",
    tier="smoke",
    parameters={"damping": 0.0},
    spoil={"damping": 1e-4},
    run=run,
)
