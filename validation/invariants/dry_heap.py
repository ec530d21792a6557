"""The angle of repose of a pile that slumps rises with friction and with rolling friction.

A roof-shaped pile with slopes of 45 degrees collapses on a plate, which is periodic along y. Grains
that fall off the edges of the plate are deleted. The mean diameter, the density and gravity are 1.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import measure, statistics
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

EDGE = 12.0  # half the length of the plate
STIFFNESS = 5e2
STEP = 2.4e-3  # 1/30 of a collision time
TIME = 80.0
REST = 1e-3  # largest kinetic energy per grain at rest, in m g d
FRICTION = {"quick": (0.0, 0.3, 0.8), "full": (0.0, 0.1, 0.3, 0.8)}
LARGEST = 0.8
RISES = 0.3  # up to this friction coefficient, the angle grows with friction
ROLLING = 0.3
SEEDS = {"quick": tuple(range(1, 13)), "full": tuple(range(1, 17))}
FRICTIONLESS = 5.76  # internal friction angle of frictionless beads, degrees

SCRIPT = """
units lj
atom_style sphere
boundary f p f
newton off
comm_modify vel yes
region box block -{outer} {outer} 0 4 -2 {top}
create_box 1 box
lattice sc 1.0
region plate block -{edge} {edge} 0 3.9 -0.1 0.1
create_atoms 1 region plate
group plate id > 0
set group plate diameter 1.0 density 1.0
displace_atoms plate random 0.2 0.2 0.2 {plate}
lattice sc 0.62
variable inside equal "v_z < 1.3 + {edge} - abs(v_x)"
variable x internal 0
variable z internal 0
region block block -{edge} {edge} 0.1 3.9 1.3 {fill}
create_atoms 1 region block var inside set x x set z z
group grains subtract all plate
variable size atom random(0.85,1.15,{seed})
set group grains diameter v_size density 1.0
displace_atoms grains random 0.03 0.03 0.03 {seed}
pair_style granular/plus
pair_coeff * * {law}
neighbor 0.25 bin
neigh_modify delay 0 exclude group plate plate
fix weight grains gravity 1 vector 0 0 -1
fix plate plate freeze
fix move grains nve/sphere
timestep {step}
compute motion grains ke
thermo_style custom step atoms c_motion
thermo_modify norm no lost ignore
thermo {steps}
run {steps}
variable motion equal c_motion/count(grains)
fix rest grains halt 1000 v_motion < {rest} error soft
run {longest}
write_dump grains custom heap id x z radius mass vx vy vz
"""


def run(c: Context) -> None:
    tier = "full" if c.tier == "full" else "quick"
    heaps = [(mu, 0.0, "csds", 1.0) for mu in FRICTION[tier]]
    heaps += [(LARGEST, ROLLING, "csds", 1.0), (LARGEST, 0.0, "dsds", 1.0)]
    if tier == "full":
        heaps += [(LARGEST, 0.0, "csds", 0.5)]
    rows, profiles = [], {}
    for heap in heaps:
        for number in SEEDS[tier]:
            row, profile = pile(c, *heap, number)
            rows.append(row)
            profiles.setdefault(heap, []).append(profile)
    table = pd.DataFrame(rows)
    c.table("heaps", table, "Angle in degrees; motion: kinetic energy per grain, in m g d.")
    judge_heaps(c, table)
    draw(c, table, profiles)


def pile(
    c: Context, mu: float, rolling: float, slider: str, refined: float, number: int
) -> tuple[dict, pd.DataFrame]:
    law = f"hooke {STIFFNESS} 0.3 damping coeff_restitution tangential linear_history"
    law += f" {2 / 7 * STIFFNESS} 1 {mu * c['friction']}"
    if rolling > 0.0:
        law += f" rolling sds {2 / 7 * STIFFNESS} 5 {rolling * c['friction']}"
    step = STEP * refined
    run = c.lammps(
        SCRIPT.format(
            law=f"{law} slider {slider}",
            edge=EDGE,
            outer=EDGE + 3.0,
            top=EDGE + 5.0,
            fill=EDGE + 1.3,
            seed=seed(number),
            plate=seed(8675),
            step=step,
            steps=round(TIME / step),
            longest=round(4.0 * TIME / step),
            rest=0.1 * REST,
        ),
        timeout=3600.0,
    )
    grains = run.dump("heap")
    edges = np.arange(-EDGE + 1.0, EDGE - 0.5)
    profile = measure.surface(grains, edges, grains["x"], floor=0.5)
    motion = 0.5 * grains["mass"] * (grains[["vx", "vy", "vz"]] ** 2).sum(axis=1)
    row = {
        "friction": mu,
        "rolling friction": rolling,
        "slider": slider,
        "step": step,
        "seed": number,
        "grains": len(grains),
        "angle": measure.angle_of_repose(profile).value,
        "motion": motion.mean(),
    }
    return row, profile


def judge_heaps(c: Context, table: pd.DataFrame) -> None:
    columns = ["friction", "rolling friction", "slider", "step"]
    angle = table.groupby(columns)["angle"].mean()
    spread = table.groupby(columns)["angle"].std()
    angles = {key: group["angle"] for key, group in table.groupby(columns)}
    steep = (LARGEST, 0.0, "csds", STEP)

    def above(heap: tuple, other: tuple) -> Interval:
        return statistics.pooled(angles, {heap: 1.0, other: -1.0}, of="heaps")

    others = {"slider dsds": (LARGEST, 0.0, "dsds", STEP)}
    if c.tier == "full":
        others["half the time step"] = (LARGEST, 0.0, "csds", 0.5 * STEP)
    c.check(
        "heaps have come to rest: largest kinetic energy per grain",
        measured=table["motion"].max(),
        reference=REST,
        kind="at_most",
        reason="the bound is a thousandth of the energy of a grain that has fallen by its diameter",
    )
    c.check(
        f"rise of the angle from friction 0 to {LARGEST}, degrees",
        measured=above(steep, (0.0, 0.0, "csds", STEP)),
        reference=0.0,
        kind="at_least",
        reason="the angle must rise with friction",
    )
    few = table[(table["rolling friction"] == 0.0) & (table["slider"] == "csds")]
    few = few[np.isclose(few["step"], STEP) & (few["friction"] <= RISES)]
    c.check(
        f"slope of the angle against friction up to {RISES}, degrees",
        measured=statistics.slope(few["friction"], few["angle"]),
        reference=0.0,
        kind="at_least",
        reason="the angle must rise in this range; at higher friction, the angle hardly rises",
    )
    c.check(
        f"rise of the angle with rolling friction {ROLLING}, degrees",
        measured=above((LARGEST, ROLLING, "csds", STEP), steep),
        reference=0.0,
        kind="at_least",
        reason="grains that cannot roll off stay on steeper slopes",
    )
    width = float(np.degrees(np.arctan(0.5 / EDGE)))
    for label, heap in others.items():
        c.check(
            f"angle at friction {LARGEST} with {label}, minus that with csds and the usual step,"
            " degrees",
            measured=above(heap, steep),
            reference=0.0,
            tolerance=2.0 * width,
            kind="absolute",
            reason=(
                "slider and time step have no effect on a heap at rest; the tolerance is twice the"
                " angle whose tangent is half a grain diameter / half the length of the plate"
            ),
        )
    c.note(
        "Angles: "
        + ", ".join(
            f"{angle[key]:.1f} ± {spread[key]:.1f} (friction {key[0]:g}"
            + (f", rolling {key[1]:g}" if key[1] else "")
            + (f", {key[2]}" if key[2] != "csds" else "")
            + (", half the step" if key[3] < 0.9 * STEP else "")
            + ")"
            for key in angle.index
        )
        + " degrees (mean ± spread of the packings). A heap without friction is so thin that the"
        " bumps of the plate support it at an angle above the internal friction angle of"
        f" frictionless beads, {FRICTIONLESS} degrees (Peyneau & Roux 2008)."
    )


def draw(c: Context, table: pd.DataFrame, profiles: dict[tuple, list[pd.DataFrame]]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.0))
    for n, (heap, own) in enumerate(profiles.items()):
        mu, rolling, slider, refined = heap
        if slider != "csds" or refined < 1.0:
            continue
        label = f"friction {mu:g}" + (f", rolling {rolling:g}" if rolling else "")
        height = np.mean([profile["height"] for profile in own], axis=0)
        left.plot(own[0]["place"], height, ".-", color=f"C{n}", label=label)
    left.set(xlabel="position [diameters]", ylabel="height [diameters]", ylim=(0, None))
    left.legend(fontsize=8)
    whole = table[np.isclose(table["step"], STEP)]
    for (slider, rolling), own in whole.groupby(["slider", "rolling friction"]):
        label = slider + (f", rolling {rolling:g}" if rolling else "")
        marker = {"csds": "o", "dsds": "x"}[slider] if not rolling else "s"
        right.plot(own["friction"], own["angle"], marker, mfc="none", label=label)
    right.axhline(FRICTIONLESS, color="0.5", linewidth=0.8)
    right.set(xlabel="friction coefficient", ylabel="angle of repose [degrees]", ylim=(0, None))
    right.legend(fontsize=8)
    c.figure(
        "heaps",
        figure,
        "Mean profiles and angles of the heaps. The grey line shows the internal friction angle of"
        " frictionless beads.",
    )


CASE = Case(
    name="dry-heap",
    title="The angle of repose of dry grains rises with friction and with rolling friction",
    source="comparison of runs that must agree; [peyneau2008] for beads without friction",
    tier="quick",
    parameters={"friction": 1.0},
    spoil={"friction": 0.0},
    run=run,
    timeout=7200.0,
)
