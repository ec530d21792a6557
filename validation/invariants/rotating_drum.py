"""Balance of energy in a rotating drum on two ranks.

The wall of the drum is a region. A wall with the keyword zcylinder must give the same trajectories.
The largest diameter, the density and gravity are 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.engine import Run
from pysuite.outputs import LOSSES
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

STIFFNESS = 5e3
LAW = (
    f"hooke {STIFFNESS} 0.5 damping coeff_restitution tangential linear_history"
    f" {2 / 7 * STIFFNESS:.17g} 1 0.5 rolling sds 2e3 5 0.05 twisting sds 200 0.5 0.02"
)
MASS = np.pi / 6.0
COLLISION_TIME = np.pi / np.sqrt(STIFFNESS / (0.5 * MASS))
REFINEMENTS = (50, 100)  # steps per collision time
RADIUS = 10.0
LENGTH = {"smoke": 15, "quick": 15, "full": 40}  # cells of the lattice along the axis
TIME = {"smoke": 2.0, "quick": 10.0, "full": 20.0}
SPACING = 1.05
SPEED = np.sqrt(0.1 * RADIUS)  # surface speed of the wall at a Froude number of 0.1

WALLS = {
    "region": "variable angle equal {angular}*time\n"
    "region drum cylinder z 0 0 {radius} INF INF rotate v_angle 0 0 0 0 0 1\n"
    "fix drum all wall/granular/plus {law} region drum",
    # clockwise, like the region
    "zcylinder": "fix drum all wall/granular/plus {law} zcylinder {radius} shear x -{speed}",
}
GRAINS = """
units lj
atom_style sphere
boundary f f p
comm_modify vel yes
region box block -11 11 -11 11 0 {height}
create_box 1 box
lattice sc {density:.17g}
region inside cylinder z 0 0 {inside} INF INF units box
region lower block INF 0 INF INF INF INF units box
region grains intersect 2 inside lower
create_atoms 1 region grains
displace_atoms all random 0.02 0.02 0.02 {displaced}
variable diameter atom random(0.9,1.0,{sizes})
set group all diameter v_diameter density 1
write_data drum.data
"""
RUN = """
units lj
atom_style sphere
boundary f f p
newton off
comm_modify vel yes
processors * * 1
read_data ${{data}}
neighbor 0.2 bin
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
fix weight all gravity 1 vector -1 0 0
{wall}
timestep {step:.17g}
compute ledger all granular/ledger
thermo_style custom step time atoms c_ledger[*] f_drum[*]
thermo_modify norm no format float %.17g
thermo {every}
run {steps}
write_dump all custom end id xu yu zu modify format float %.17g sort id
"""


def run(c: Context) -> None:
    made = c.lammps(
        GRAINS.format(
            height=LENGTH[c.tier] * SPACING,
            density=SPACING**-3,
            inside=RADIUS - 0.53,
            displaced=seed(8123),
            sizes=seed(4711),
        )
    )
    data = {"data": made.folder / "drum.data"}
    balance(c, data)
    same_wall(c, data)


def script(c: Context, wall: str, refinement: int, *, steps: int, every: int) -> str:
    law = f"{LAW} slider {c['slider']}"
    speed = c["turned"] * SPEED
    commands = WALLS[wall].format(
        law=law, radius=RADIUS, speed=f"{speed:.17g}", angular=f"{speed / RADIUS:.17g}"
    )
    step = COLLISION_TIME / refinement
    return RUN.format(law=law, wall=commands, step=step, steps=steps, every=every)


def lost_by(run: Run) -> pd.Series:
    return run.ledger[LOSSES].sum(axis=1)


def turn(c: Context, data: dict, refinement: int) -> Run:
    steps = round(TIME[c.tier] / COLLISION_TIME * refinement)
    commands = script(c, "region", refinement, steps=steps, every=5)
    return c.lammps(commands, variables=data, ranks=2, timeout=3600)


def balance(c: Context, data: dict) -> None:
    runs = [turn(c, data, refinement) for refinement in REFINEMENTS]
    parts = [run.ledger["residual"].abs().max() / lost_by(run).iloc[-1] for run in runs]
    run = runs[0]
    grains = int(run.thermo["Atoms"].iloc[0])
    c.table(
        "balance",
        pd.DataFrame({"steps in a collision": REFINEMENTS, "largest residual over losses": parts}),
        f"{grains} grains in a rotating drum on two ranks: largest residual for two time steps.",
    )
    c.check(
        "grains",
        measured=grains,
        reference=2000,
        kind="at_least",
        reason="a run on two ranks needs enough grains",
    )
    judge_residuals(c, *parts)
    judge_work(c, run)
    figure(c, run)


def judge_residuals(c: Context, coarse: float, fine: float) -> None:
    c.check(
        "largest residual at T_c/50, fraction of the energy lost",
        measured=coarse,
        reference=0.0,
        tolerance=1e-3,
        kind="at_most",
        reason=(
            "for a step of T_c/50, the manual states a residual of at most 1e-3 of the energy lost"
        ),
    )
    c.check(
        "ratio of the residuals at T_c/100 and T_c/50",
        measured=fine / coarse,
        reference=0.6,
        kind="at_most",
        reason="an error of first order gives 0.5; the bound is larger, because a contact may begin"
        " anywhere within a step",
    )


def judge_work(c: Context, run: Run) -> None:
    work = run.ledger["wall_work"].iloc[-1]
    c.check(
        "work of the wall, fraction of the energy lost",
        measured=work / lost_by(run).iloc[-1],
        reference=0.02,
        kind="at_least",
        reason="without this work, the balance must have a large residual",
    )
    power = -run.wall_vector()["torque_z"] * SPEED / RADIUS
    c.check(
        "work of the wall, computed as the integral of torque times angular velocity",
        measured=np.trapezoid(power, run.thermo["Time"]),
        reference=work,
        tolerance=0.005,
        reason="the torque on the wall is sampled only every 5 steps",
    )


class End(NamedTuple):
    """Positions of the grains, and number of contacts with the wall."""

    places: np.ndarray
    touching: int


def start_with(c: Context, data: dict, wall: str, ranks: int) -> End:
    commands = script(c, wall, REFINEMENTS[0], steps=3000, every=1000)
    run = c.lammps(commands, variables=data, ranks=ranks)
    places = run.dump("end")[["xu", "yu", "zu"]].to_numpy(float)
    return End(places, run.wall_vector()["contacts"].iloc[-1])


def same_wall(c: Context, data: dict) -> None:
    first, cylinder, serial = (
        start_with(c, data, wall, ranks)
        for wall, ranks in (("region", 2), ("zcylinder", 2), ("region", 1))
    )
    judge_same(
        c,
        "wall as region and as zcylinder",
        (first, cylinder),
        1e-8,
        "both commands describe the same wall. With a region, the wall is at rest in the first half"
        " step, when no grain touches the wall, and its speed is computed from rounded positions",
    )
    judge_same(c, "1 and 2 ranks", (first, serial), 1e-10, "the order of sums differs")
    c.check(
        "contacts with the wall after 3000 steps",
        measured=first.touching,
        reference=20,
        kind="at_least",
        reason="the comparison of trajectories needs enough contacts",
    )


def judge_same(c: Context, name: str, ends: tuple[End, End], tolerance: float, reason: str) -> None:
    first, other = ends
    c.check_close(
        f"{name}, 3000 steps: positions, largest distance",
        other.places,
        first.places,
        tolerance=tolerance,
        reason=reason,
    )
    c.check(
        f"{name}: contacts with the wall",
        measured=other.touching,
        reference=first.touching,
        kind="absolute",
        reason="counts are exact",
    )


def figure(c: Context, run: Run) -> None:
    import matplotlib.pyplot as plt

    drawing, axis = plt.subplots(figsize=(7.0, 4.5))
    time, ledger = run.thermo["Time"], run.ledger
    given_off = ledger["potential"].iloc[0] - ledger["potential"]
    axis.plot(time, ledger["wall_work"], label="work of the wall")
    axis.plot(time, given_off, label="potential energy released")
    axis.plot(time, lost_by(run), label="energy lost")
    axis.plot(time, ledger["slip"], "--", label="energy lost by slip")
    axis.plot(time, ledger["kinetic_translation"] + ledger["kinetic_rotation"], label="kinetic")
    axis.set(xlabel="time", ylabel="energy")
    axis.legend()
    c.figure("energy", drawing, "Energy in a rotating drum.")


CASE = Case(
    name="rotating-drum",
    title="The energy balance of a rotating drum on two ranks includes the work of the wall",
    source="conservation of energy",
    tier="smoke",
    parameters={"slider": "csds", "turned": 1.0},
    # the drum turns faster than the speed with which the work of the torque is computed
    spoil={"turned": 1.02},
    run=run,
)
