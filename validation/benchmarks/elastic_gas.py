"""The pressure of a dense gas of smooth elastic spheres.

Spheres with linear springs stand for hard ones of the diameter that Barker & Henderson's rule
gives: to first order in the collision time their pressure is the same.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import gases
from pysuite.validation.seeds import seed

FRACTION = 0.4
SIDE = 10  # spheres along an edge
GASES = 24
COLLISION_TIME, STEPS = 0.005, 20  # steps in a collision
MIX, DURATION = 5.0, 40.0  # in units of diameter over thermal speed; 20 collisions of a sphere each
SEED = 5100

SCRIPT = """
units lj
atom_style sphere
boundary p p p
newton off
comm_modify vel yes
lattice sc {density:.17g}
region box block 0 {side} 0 {side} 0 {side}
create_box 1 box
create_atoms 1 box
set group all diameter {diameter:.17g} mass 1
velocity all create 1.0 {seed} mom yes dist gaussian loop geom
pair_style granular/plus
pair_coeff * * hooke {stiffness:.17g} 0 tangential linear_nohistory 0 0
neighbor 0.35 bin
neigh_modify every 1 delay 0 check yes
fix move all nve/sphere
timestep {step:.17g}
thermo 1000000
run {mix}
reset_timestep 0
velocity all scale 1.0
compute virial all pressure NULL pair
fix mean all ave/time 5 {samples} {steps} c_virial c_thermo_temp file means.txt &
  format " %.17g"
run {steps}
"""


def simulate(c: Context, number: int) -> float:
    """Let a gas mix; return the mean of its pressure over density and temperature."""
    step = COLLISION_TIME / STEPS
    steps = 5 * round(DURATION / step / 5)
    density = gases.number_density(FRACTION)
    run = c.lammps(
        SCRIPT.format(
            density=density,
            side=SIDE,
            diameter=gases.soft_diameter(COLLISION_TIME) * c["diameter"],
            stiffness=gases.stiffness(COLLISION_TIME),
            seed=seed(SEED + number),
            step=step,
            mix=round(MIX / step),
            samples=steps // 5,
            steps=steps,
        )
    )
    _, pressure, temperature = np.loadtxt(run.folder / "means.txt").reshape(-1, 3)[-1]
    return float(1.0 + pressure / (density * temperature))


def run(c: Context) -> None:
    found = [simulate(c, number) for number in range(GASES)]
    c.table("gases", pd.DataFrame({"Z": found}), "Pressure over density and temperature of each.")
    c.benchmark(
        "compressibility at 0.4",
        statistics.mean(found, c.level, of="gases"),
        seeds=f"{seed(SEED)} to {seed(SEED + GASES - 1)}",
    )
    figure, (axis,) = panels(1)
    axis.plot(found, "o", mfc="none", label="gases")
    for value, style, name in (
        (gases.compressibility(FRACTION), "k-", "Kolafa"),
        (gases.carnahan_starling(FRACTION), "k:", "Carnahan & Starling"),
    ):
        axis.plot([0, GASES - 1], [value, value], style, linewidth=0.8, label=name)
    axis.set(xlabel="gas", ylabel="pressure over density and temperature")
    axis.legend()
    c.figure("gases", figure, "Each gas and two equations of state.")


CASE = Case(
    name="elastic-gas",
    title="The pressure of a dense gas of smooth elastic spheres",
    source="[boublik1986]; [carnahan1969]",
    tier="full",
    parameters={"diameter": 1.0},
    spoil={"diameter": 0.995},
    run=run,
    timeout=7200.0,
)
