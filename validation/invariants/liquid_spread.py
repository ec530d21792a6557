"""Liquid in a sheared pack spreads by diffusion, faster than the grains, and without loss.

Grains are sheared in a periodic box. The film volumes initially follow a cosine across the flow. By
diffusion, the amplitude of the cosine decays exponentially with strain. The logarithm of the
amplitude is proportional to the mean square displacement of the liquid.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

SIDES = {"quick": 8, "full": 10}
STRAINS = {"quick": 5.0, "full": 20.0}
PACKS = 16
SPACING = 0.955  # for a solid fraction of 0.6
RATE = 0.2
STEP = 5e-4

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
newton off
comm_modify vel yes
boundary p p p
region box prism 0 ${side} 0 ${side} 0 ${side} 0 0 0 units box
create_box 1 box
lattice sc $(v_spacing^-3)
create_atoms 1 box
displace_atoms all random 0.05 0.05 0.05 ${displaced}
variable size atom random(0.9,1.1,${sizes})
set group all diameter v_size density 1.9098593171027443
variable flow atom ${rate}*y
velocity all set v_flow 0 0
fix film all property/atom d_film d_mark ghost yes
variable wet atom 5e-3*(1+cos(2*PI*y/ly))
set group all d_film v_wet
set group all d_mark v_wet
pair_style granular/plus ledger yes
pair_coeff * * hooke 5e3 0.5 damping coeff_restitution tangential linear_history 2e3 1 0.4 &
    bridge willett/simple 0.02 20 film share ${share}
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
timestep ${step}
fix move all nve/sphere
fix shear all deform 1 xy erate ${rate} remap v flip yes
compute liquid all granular/liquid
compute mark all property/atom d_mark
variable c atom cos(2*PI*(y-ylo)/ly)
variable s atom sin(2*PI*(y-ylo)/ly)
variable wet atom c_liquid[1]+c_liquid[2]
variable wc atom v_wet*v_c
variable ws atom v_wet*v_s
variable mc atom c_mark*v_c
variable ms atom c_mark*v_s
compute sums all reduce sum v_wet v_wc v_ws c_mark v_mc v_ms
compute ledger all granular/ledger
thermo_style custom step c_sums[*] c_ledger[*]
thermo_modify norm no format float %.17g
thermo ${every}
run ${steps}
"""
SUMS = [
    "wet",
    "wc",
    "ws",
    "mark",
    "mc",
    "ms",
]  # sums over grains: liquid and mark, each times 1, cos and sin


def simulate(c: Context, pack: int) -> pd.DataFrame:
    steps = round(STRAINS[c.tier] / RATE / STEP)
    run = c.lammps(
        SCRIPT,
        variables={
            "side": SIDES[c.tier] * SPACING,
            "spacing": SPACING,
            "displaced": seed(8123 + pack),
            "sizes": seed(4711 + pack),
            "share": c["share"],
            "rate": RATE,
            "step": STEP,
            "every": steps // 100,
            "steps": steps,
        },
    )
    sums = run.thermo.filter(like="c_sums").set_axis(SUMS, axis=1)
    return pd.DataFrame(
        {
            "strain": RATE * STEP * run.thermo["Step"],
            "liquid": width_squared(c, sums["wet"], sums["wc"], sums["ws"]),
            "grains": width_squared(c, sums["mark"], sums["mc"], sums["ms"]),
            "sum": run.ledger[["liquid_films", "liquid_bridges"]].sum(axis=1),
        }
    )


def width_squared(c: Context, total: pd.Series, cosine: pd.Series, sine: pd.Series) -> np.ndarray:
    amplitude = (np.hypot(cosine, sine) / total).to_numpy()
    wave = 2.0 * np.pi / (SIDES[c.tier] * SPACING)
    return np.asarray(-2.0 * np.log(amplitude / amplitude[0]) / wave**2)


def exponent(pack: pd.DataFrame) -> float:
    late = pack[pack["strain"] >= 0.25 * pack["strain"].iloc[-1]]
    return float(np.polyfit(np.log(late["strain"]), np.log(late["liquid"]), 1)[0])


def judge(c: Context, packs: list[pd.DataFrame]) -> None:
    c.check(
        "largest relative change of the liquid in films and bridges",
        measured=max((pack["sum"] / pack["sum"].iloc[0] - 1.0).abs().max() for pack in packs),
        reference=0.0,
        tolerance=1e-12,
        kind="absolute",
        reason="round-off of sums over all grains",
    )
    c.check(
        "exponent of the liquid's mean square displacement against strain",
        measured=statistics.mean([exponent(pack) for pack in packs]),
        reference=1.0,
        tolerance=0.5,
        reason="the exponent is 1 for diffusion, 0 for confinement and 2 for advection; it must be"
        " closest to 1",
    )
    ends = [pack.iloc[-1] for pack in packs]
    c.check(
        "final mean square displacement of the liquid / of the grains",
        measured=statistics.ratio([end["liquid"] for end in ends], [end["grains"] for end in ends]),
        reference=1.3,
        tolerance=0.0,
        kind="at_least",
        reason="bridges transfer liquid, whereas transport by grains alone would give 1",
    )


def draw(c: Context, packs: list[pd.DataFrame]) -> None:
    figure, (axis,) = panels(1)
    for name, colour in (("liquid", "C0"), ("grains", "C1")):
        for n, pack in enumerate(packs):
            axis.plot(pack["strain"], pack[name], colour, lw=0.8, label="" if n else name)
    axis.set(xlabel="strain", ylabel="mean square displacement / diameter squared")
    axis.legend()
    c.figure("spread", figure, f"Mean square displacement across the flow in {PACKS} packs.")


def run(c: Context) -> None:
    packs = [simulate(c, pack) for pack in range(PACKS)]
    judge(c, packs)
    draw(c, packs)
    words = (
        "First pack: mean square displacements across the flow in squared diameters, and total"
        " liquid."
    )
    c.table("spread", packs[0].iloc[::10], words)


CASE = Case(
    name="liquid-spread",
    title="Liquid spreads through a sheared pack",
    source="own; [willett2000]",
    tier="quick",
    parameters={"share": 0.3},
    spoil={"share": 1e-6},
    run=run,
)
