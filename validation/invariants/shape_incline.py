"""A cube on an incline rests below the angle of friction and slides above this angle."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import shapes
from pysuite.validation import Case, Context

EDGE, DENSITY, GRAVITY, FRICTION = 0.010, 2500.0, 9.81, 0.5
STEP, TILTING = 2e-6, 0.1  # s
# tan(tilt)/mu: tolerance of the acceleration, or None if the cube must stay at rest
RATIOS = {0.9: None, 0.98: None, 1.02: 0.015, 1.1: 0.002}
SLIDING = {"smoke": 0.2, "quick": 0.6, "full": 1.0}  # s

SCRIPT = """
units si
atom_style bpm/sphere
comm_modify vel yes
boundary p p f
region all block -0.05 0.05 -0.05 0.05 -0.01 0.04
create_box 1 all
create_atoms 1 single 0 0 {height:.17g}
set group all diameter {diameter:.17g}
fix cube all shape/granular/plus file {file} density {density}
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix plane all wall/granular/plus {law} zplane 0 NULL
variable part equal (time<{tilting})*time/{tilting}+(time>={tilting})
variable tilt equal {tilt:.17g}*(1-cos(PI*v_part))/2
variable gx equal sin(v_tilt)
variable gz equal -cos(v_tilt)
fix weight all gravity {gravity} vector v_gx 0 v_gz
timestep {step}
compute ledger all granular/ledger
variable x equal xcm(all,x)
variable v equal vcm(all,x)
thermo_style custom step time v_x v_v c_ledger[*]
thermo 1000
run {steps}
"""
LAW = "hertz/material 5e7 0.5 0.2 damping tsuji tangential mindlin_rescale/force NULL 1 {mu}"


def slide(c: Context, ratio: float, seconds: float) -> pd.DataFrame:
    file = shapes.cube(EDGE).write(c.folder / "cube.obj")
    run = c.lammps(
        SCRIPT.format(
            height=0.5 * EDGE - 9.3e-8,  # equilibrium overlap
            diameter=np.sqrt(3) * EDGE,
            file=file,
            density=DENSITY,
            law=LAW.format(mu=FRICTION * c["friction"]),
            tilt=np.arctan(ratio * FRICTION),
            tilting=TILTING,
            gravity=GRAVITY,
            step=STEP,
            steps=round((TILTING + seconds) / STEP),
        ),
        timeout=1500,
    )
    return run.ledger.assign(time=run.thermo["Time"], speed=run.thermo["v_v"])


def run(c: Context) -> None:
    traces = {ratio: slide(c, ratio, SLIDING[c.tier]) for ratio in RATIOS}
    for ratio, tolerance in RATIOS.items():
        tilted = traces[ratio][traces[ratio]["time"] > TILTING]
        tilt = np.arctan(ratio * FRICTION)
        if tolerance is None:
            c.check(
                f"tan(tilt) = {ratio} mu: final speed / (g t)",
                measured=abs(tilted["speed"].iloc[-1]) / (GRAVITY * SLIDING[c.tier]),
                reference=0.0,
                tolerance=1e-9,
                kind="at_most",
                reason="the cube sticks, and its oscillations decay",
            )
            continue
        exact = GRAVITY * (np.sin(tilt) - FRICTION * np.cos(tilt))
        late = tilted[tilted["time"] > TILTING + 0.1 * SLIDING[c.tier]]
        measured = np.polyfit(late["time"], late["speed"], 1)[0]
        c.check(
            f"tan(tilt) = {ratio} mu: acceleration [m/s²]",
            measured=float(measured),
            reference=float(exact),
            tolerance=tolerance * (3 if c.tier == "smoke" else 1),
            reason=(
                "the reference is the acceleration of a sliding block; the cube also rocks"
                " slightly; the tolerance is larger in tier smoke, whose run is too short to"
                " average the rocking"
            ),
        )
    residuals = [
        abs(trace["residual"].diff()[trace["time"] > TILTING + 2e-3].sum()) / trace["slip"].iloc[-1]
        for ratio, trace in traces.items()
        if RATIOS[ratio]
    ]
    c.check(
        "residual of the ledger during sliding / work of slip",
        measured=max(residuals),
        reference=0.0,
        tolerance=1e-3,
        kind="at_most",
        reason=(
            "the manual states a residual of at most 1e-3 of the energy lost; the time of tilting"
            " is excluded, because gravity does work while its direction changes"
        ),
    )


CASE = Case(
    name="shape-incline",
    title="A cube on an incline rests below the angle of friction and slides above it",
    source="Coulomb's law; mechanics",
    tier="smoke",
    parameters={"friction": 1.0},
    spoil={"friction": 0.95},
    run=run,
)
