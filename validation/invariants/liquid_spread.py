"""Liquid spreads through a sheared pack as by diffusion, faster than its grains, and none is lost.

Grains are sheared between periodic images. Their films follow a cosine across the flow, of which
only the amplitude changes: where liquid diffuses it decays exponentially with strain, and what
stands in the exponent grows as the square of the width of a wet stripe would. Grains carry their
liquid with them, which alone makes it spread; bridges hand it on.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context, panels

SIDES = {"smoke": 6, "quick": 10, "full": 14}
STRAINS = {"smoke": 2.0, "quick": 6.0, "full": 20.0}
SPACING = 0.955  # 0.6 of the volume is filled
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
displace_atoms all random 0.05 0.05 0.05 8123
variable size atom random(0.9,1.1,4711)
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
SUMS = ["wet", "wc", "ws", "mark", "mc", "ms"]  # over grains: liquid and mark, times cos and sin


def simulate(c: Context) -> pd.DataFrame:
    """Return what is summed up over the grains, and films and bridges, by strain."""
    steps = round(STRAINS[c.tier] / RATE / STEP)
    run = c.lammps(
        SCRIPT,
        variables={
            "side": SIDES[c.tier] * SPACING,
            "spacing": SPACING,
            "share": c["share"],
            "rate": RATE,
            "step": STEP,
            "every": steps // 100,
            "steps": steps,
        },
    )
    sums = run.thermo.filter(like="c_sums").set_axis(SUMS, axis=1)
    return sums.join(run.ledger).assign(strain=RATE * STEP * run.thermo["Step"])


def width_squared(c: Context, total: pd.Series, cosine: pd.Series, sine: pd.Series) -> np.ndarray:
    """Return by how much the mean square of the way across the flow has grown."""
    amplitude = (np.hypot(cosine, sine) / total).to_numpy()
    wave = 2.0 * np.pi / (SIDES[c.tier] * SPACING)
    return np.asarray(-2.0 * np.log(amplitude / amplitude[0]) / wave**2)


def judge(c: Context, total: np.ndarray, spread: pd.DataFrame) -> None:
    strain, liquid = spread["strain"], spread["liquid"]
    late = strain >= 0.25 * strain.iloc[-1]
    c.check_close(
        "largest change of films and bridges together",
        total / total[0],
        1.0,
        tolerance=1e-12,
        reason="round-off of sums over all grains",
    )
    c.check(
        "exponent of the mean square way of the liquid over strain",
        measured=np.polyfit(np.log(strain[late]), np.log(liquid[late]), 1)[0],
        reference=1.0,
        tolerance=0.25,
        reason="diffusion; one packing of few grains fluctuates",
    )
    c.check(
        "mean square way of the liquid over that of the grains, at the end",
        measured=liquid.iloc[-1] / spread["grains"].iloc[-1],
        reference=1.3,
        tolerance=0.0,
        kind="at_least",
        reason="bridges hand liquid on; what grains carry alone gives 1",
    )


def draw(c: Context, spread: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    for name in ("liquid", "grains"):
        axis.plot(spread["strain"], spread[name], label=name)
    axis.set(xlabel="strain", ylabel="mean square way across the flow, in diameters squared")
    axis.legend()
    c.figure("spread", figure, "Mean square way across the flow of the liquid and of the grains.")


def run(c: Context) -> None:
    table = simulate(c)
    spread = pd.DataFrame(
        {
            "strain": table["strain"],
            "liquid": width_squared(c, table["wet"], table["wc"], table["ws"]),
            "grains": width_squared(c, table["mark"], table["mc"], table["ms"]),
        }
    )
    judge(c, table[["liquid_films", "liquid_bridges"]].sum(axis=1).to_numpy(), spread)
    draw(c, spread)
    words = "Mean square way across the flow, in diameters squared."
    c.table("spread", spread.iloc[::10], words)


CASE = Case(
    name="liquid-spread",
    title="Liquid spreads through a sheared pack",
    source="own; [willett2000]",
    tier="quick",
    parameters={"share": 0.3},
    spoil={"share": 1e-6},
    run=run,
)
