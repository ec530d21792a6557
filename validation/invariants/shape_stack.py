"""Load on the faces of stacked cubes, and overhang at which a stack tips, compared with theory.

In a stack of three cubes, the second cube is shifted by a quarter of an edge relative to the first,
and the third by half an edge relative to the second. This is the largest overhang at which the
stack stands. The distance field rounds edges by a fraction of its cell. With the default cell, the
stack already tips at 0.9 of the largest overhang.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import shapes
from pysuite.figures import panels
from pysuite.outputs import WALL, pair_local
from pysuite.validation import Case, Context

EDGE, DENSITY, GRAVITY = 0.010, 2500.0, 9.81
WEIGHT = DENSITY * EDGE**3 * GRAVITY
CELL = EDGE / 80  # of the distance field
TOWER = 5  # number of cubes
ON_FLOOR = WALL.of("f_floor", "force_z")
SHIFTS = (0.9, 1.1)  # fractions of the largest overhang
STEP, SECONDS = 5e-6, 0.2

SCRIPT = """
units si
atom_style bpm/sphere
atom_modify map array
comm_modify vel yes
boundary p p f
region all block -0.05 0.05 -0.05 0.05 -0.01 0.08
create_box 1 all
{cubes}
set group all diameter {diameter:.17g}
fix cube all shape/granular/plus file {file} density {density} cell {cell}
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix floor all wall/granular/plus {law} zplane 0 NULL
fix weight all gravity {gravity:.17g} vector 0 0 -1
timestep {step}
compute ledger all granular/ledger
compute faces all pair/local {columns}
compute push all reduce sum c_faces inputs local
variable top equal z[{top}]
thermo_style custom step time v_top {on_floor} c_push c_ledger[*]
thermo 400
run {steps}
write_dump all custom {dump} id x y z modify sort id format float %.17g
"""
LAW = (
    "hertz/material 5e6 0.3 0.2 damping tsuji tangential mindlin_rescale/force NULL 1 0.5"
    " twisting marshall"
)


def stack(c: Context, places: list[float]) -> pd.DataFrame:
    file = shapes.cube(EDGE).write(c.folder / "cube.obj")
    dump = c.folder / "end.txt"
    run = c.lammps(
        SCRIPT.format(
            cubes="\n".join(
                f"create_atoms 1 single {x:.17g} 0 {(k + 0.5) * EDGE:.17g}"
                for k, x in enumerate(places)
            ),
            top=len(places),
            diameter=np.sqrt(3) * EDGE,
            file=file,
            density=DENSITY,
            cell=CELL,
            law=LAW,
            gravity=GRAVITY * c["gravity"],
            columns=pair_local("normal_elastic"),
            on_floor=ON_FLOOR,
            step=STEP,
            steps=round(SECONDS / STEP),
            dump=dump,
        ),
        timeout=1500,
    )
    trace = run.ledger.assign(
        time=run.thermo["Time"],
        top=run.thermo["v_top"],
        floor=-run.thermo[ON_FLOOR],
        faces=run.thermo["c_push"],
    )
    places_now = np.loadtxt(dump, skiprows=9, usecols=(1, 2))
    placed = np.column_stack([places, np.zeros_like(places)])
    trace.attrs["moved"] = float(np.abs(places_now - placed).max())
    return trace


def judge_tower(c: Context, trace: pd.DataFrame) -> None:
    end = trace.iloc[-1]
    c.check(
        f"{TOWER} cubes: force on the floor / their weight",
        measured=float(end["floor"] / (TOWER * WEIGHT)),
        reference=1.0,
        tolerance=1e-4,
        reason="the cubes are at rest; remaining oscillations are smaller than the tolerance",
    )
    carried = sum(range(1, TOWER))
    c.check(
        f"{TOWER} cubes: sum of the forces between cubes / sum of the weights that they carry",
        measured=float(end["faces"] / (carried * WEIGHT)),
        reference=1.0,
        tolerance=1e-4,
        reason="each face carries the weight of all cubes above",
    )
    kinetic = end["kinetic_translation"] + end["kinetic_rotation"]
    c.check(
        f"{TOWER} cubes: final kinetic energy / energy of a fall by one edge",
        measured=float(kinetic / (WEIGHT * EDGE)),
        reference=0.0,
        tolerance=1e-9,
        kind="at_most",
        reason="faces that rest on each other must not creep or vibrate",
    )
    c.check(
        f"{TOWER} cubes: sideways motion / edge",
        measured=trace.attrs["moved"] / EDGE,
        reference=0.0,
        tolerance=1e-6,
        kind="at_most",
        reason="a straight tower has no sideways force",
    )


def judge_overhang(c: Context, traces: dict[float, pd.DataFrame]) -> None:
    for shift, trace in traces.items():
        sunk = (trace["top"].iloc[0] - trace["top"].iloc[-1]) / EDGE
        stands = shift < 1.0
        c.check(
            f"{shift} of the largest overhang: sinking of the top cube / edge",
            measured=float(sunk),
            reference=0.05 if stands else 0.5,
            kind="at_most" if stands else "at_least",
            reason="a standing stack sinks by the overlap at edges, which is smaller than the bound"
            if stands
            else "a cube that tips falls past the cube below",
        )


def draw(c: Context, traces: dict[float, pd.DataFrame]) -> None:
    figure, (axes,) = panels(1)
    for shift, trace in traces.items():
        axes.plot(trace["time"], trace["top"] / EDGE, label=f"{shift} of the largest overhang")
    axes.set(xlabel="time [s]", ylabel="height of the top cube [edges]")
    axes.legend()
    c.figure("overhang", figure, "Height of the centre of the top cube in a stack of three.")


def run(c: Context) -> None:
    judge_tower(c, stack(c, [0.0] * TOWER))
    traces = {shift: stack(c, [0.0, 0.25 * shift * EDGE, 0.75 * shift * EDGE]) for shift in SHIFTS}
    judge_overhang(c, traces)
    draw(c, traces)


CASE = Case(
    name="shape-stack",
    title="Stacked cubes carry the weight above them, and tip beyond the largest overhang",
    source="mechanics of blocks at rest",
    tier="quick",
    parameters={"gravity": 1.0},
    spoil={"gravity": 1.01},
    run=run,
)
