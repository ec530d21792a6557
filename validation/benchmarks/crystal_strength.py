"""Strength of a face-centred cubic crystal of spheres, sheared until all loaded contacts slide.

The box shortens along z. The contacts in the lateral plane open, and their force H vanishes. Each
other contact keeps its normal force N, while its friction force T grows from 0 to mu N. The ratio
of axial to lateral stress is 2 (N + T)/(N - T + H).
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context

STIFFNESS, TANGENTIAL = 1.0e4, 3.0e3
OVERLAP = 1.0e-6  # initial overlap
FRICTION = (0.1, 0.25, 0.5)
STYLES = ("-", "--", "-.")
SLIDERS = ("csds", "dsds", "truncate")
HERTZ = "hertz 1e7 0 damping velocity tangential"
LAWS = {
    "hooke, linear_history": (
        f"hooke {STIFFNESS} 0 damping velocity tangential linear_history {TANGENTIAL}"
    ),
    "hertz, mindlin": f"{HERTZ} mindlin 8e6",
    "hertz, mindlin_rescale/force": f"{HERTZ} mindlin_rescale/force 8e6",
}
STEPS = 20000
# final strain / overlap
STRAIN = 3.0

SCRIPT = """
units lj
atom_style sphere
boundary p p p
newton off
comm_modify vel yes
lattice fcc {density:.17g}
region box block 0 2 0 2 0 2
create_box 1 box
create_atoms 1 box
set group all diameter 1 density 1
neighbor 0.1 bin
pair_style granular/plus
pair_coeff * * {law} 0 {friction:.17g} slider {slider}
timestep 1e-4
fix move all nve/sphere
variable rate equal {rate:.17g}
velocity all ramp vx $(-v_rate*lx/2) $(v_rate*lx/2) x $(xlo) $(xhi) sum yes units box
velocity all ramp vy $(-v_rate*ly/2) $(v_rate*ly/2) y $(ylo) $(yhi) sum yes units box
velocity all ramp vz $(v_rate*lz/2) $(-v_rate*lz/2) z $(zlo) $(zhi) sum yes units box
fix squeeze all deform 1 x erate $(v_rate) y erate $(v_rate) z erate $(-v_rate) remap v
compute stress all pressure NULL pair
variable strain equal 1-lz/$(lz:%.17g)
thermo 20
thermo_style custom step v_strain c_stress[1] c_stress[2] c_stress[3]
thermo_modify norm no format float %.17g
run {steps}
"""


def strength(friction: float) -> float:
    """Return the ratio of axial to lateral stress at failure (Thornton 1979)."""
    return 2.0 * (1.0 + friction) / (1.0 - friction)


def shear(c: Context, law: str, friction: float, slider: str) -> pd.DataFrame:
    spacing = np.sqrt(2.0) * (1.0 - OVERLAP)
    way = c.lammps(
        SCRIPT.format(
            density=4.0 / spacing**3,
            law=law,
            friction=friction * c["friction"],
            slider=slider,
            rate=STRAIN * OVERLAP / (STEPS * 1e-4),
            steps=STEPS,
        )
    ).thermo
    lateral = 0.5 * (way["c_stress[1]"] + way["c_stress[2]"])
    return pd.DataFrame({"strain": way["v_strain"], "ratio": way["c_stress[3]"] / lateral})


def judge_way(c: Context, ways: pd.DataFrame) -> None:
    linear = ways[ways["law"].str.startswith("hooke")]
    for (slider, friction), way in linear.groupby(["slider", "friction"], sort=False):
        moved = way["strain"] / OVERLAP
        slope = np.minimum(TANGENTIAL / STIFFNESS * moved, friction)
        opening = np.maximum(1.0 - moved, 0.0)
        expected = 2.0 * (1.0 + slope) / (1.0 - slope + opening)
        c.check_close(
            f"{slider}, friction {friction:g}: axial / lateral stress until contacts slide,"
            " largest relative error",
            (way["ratio"] / expected)[slope < friction],
            1.0,
            tolerance=2.1 * STRAIN / STEPS,
            reason=(
                "the strain of the box is one step ahead of the contacts; a strain larger by a"
                " fraction f of the overlap makes the expected ratio up to 1 + 2.1 f times as large"
            ),
        )


def judge_strength(c: Context, table: pd.DataFrame) -> None:
    c.check_close(
        "largest ratio of axial to lateral stress against Thornton's value, largest relative error",
        table["ratio"] / table["Thornton"],
        1.0,
        tolerance=20.0 * OVERLAP,
        reason="a strain of up to 3e-6 changes the crystal's shape and thus the stress ratio",
    )


def draw(c: Context, ways: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    with_csds = ways[ways["slider"] == "csds"]
    for (law, friction), way in with_csds.groupby(["law", "friction"], sort=False):
        colour, style = f"C{[*LAWS].index(law)}", STYLES[FRICTION.index(friction)]
        axis.plot(
            way["strain"] / OVERLAP, way["ratio"], colour, ls=style, label=f"{law}, {friction:g}"
        )
        axis.axhline(strength(friction), color="0.5", ls=":", lw=0.8)
    axis.set(xlabel="axial strain / overlap", ylabel="axial / lateral stress")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7)
    c.figure(
        "ratio", figure, "Stress ratio with csds. Dotted lines show Thornton's value at failure."
    )


def run(c: Context) -> None:
    ways = pd.concat(
        shear(c, law, friction, slider).assign(law=name, friction=friction, slider=slider)
        for (name, law), friction, slider in itertools.product(LAWS.items(), FRICTION, SLIDERS)
    )
    table = ways.groupby(["law", "slider", "friction"], sort=False)["ratio"].max().reset_index()
    table["Thornton"] = table["friction"].map(strength)
    judge_way(c, ways)
    judge_strength(c, table)
    c.table("strength", table, "Largest ratio of axial to lateral stress, and Thornton's value.")
    draw(c, ways)


CASE = Case(
    name="crystal-strength",
    title="A crystal of spheres fails at the stress ratio that friction allows",
    source="[thornton1979]",
    tier="smoke",
    parameters={"friction": 1.0},
    spoil={"friction": 0.9},
    run=run,
)
