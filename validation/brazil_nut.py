"""A large grain among small ones in a rocking box: the Brazil nut of Li et al. 2022, M1 and M4.

150 peanuts (ellipsoids of half axes 6, 5 and 5 mm) and a nut (12, 9 and 9 mm) lie in a box that
rocks by 15 degrees with a period of 3 s. Here they are rigid clumps of two and of three spheres of
the same length and width: blunter ends, straight flanks, other moments of inertia. Gravity rocks
instead of the box, which leaves out the 2 % that the box's own acceleration adds.

The paper sees the nut rise to the top within two to three cycles. It does not here, nor can it: a
slope of 15 degrees is flatter than any at which grains of this friction begin to move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context

YOUNG, POISSON, RESTITUTION = 50e6, 0.2, 0.5
BOX = (0.055, 0.040, 0.200)
PERIOD, TILT, GRAVITY = 3.0, 15.0, 9.81
STEP = 1e-5
PEANUTS = 150
SETTLING = 0.6  # s
ROCKING = {"quick": PERIOD, "full": 4 * PERIOD}
MODELS = {"M1": "mindlin NULL", "M4": "mindlin_deresiewicz"}
SAMPLES = 200


class Grain(NamedTuple):
    """A clump of equal spheres in a row: radius, places along x, mass."""

    radius: float
    places: tuple[float, ...]
    mass: float


PEANUT = Grain(5e-3, (-1e-3, 1e-3), 1.9e-3)
NUT = Grain(9e-3, (-3e-3, 0.0, 3e-3), 12e-3)

SCRIPT = """
units si
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
fix clump all property/atom mol ghost yes
read_data {data} fix clump NULL Clumps
group nut type 2
pair_style granular/plus
pair_coeff * * {law}
neighbor 2e-3 bin
neigh_modify exclude molecule/intra all delay 0
fix left all wall/granular/plus {law} xplane 0.0 {box[0]}
fix back all wall/granular/plus {law} yplane 0.0 {box[1]}
fix floor all wall/granular/plus {law} zplane 0.0 NULL
fix weight all gravity {gravity} vector 0 0 -1
fix rigid all rigid/small molecule
timestep {step}
variable height equal xcm(nut,z)
variable speed equal vcm(nut,z)
compute moving all ke/rigid rigid
compute turning all erotate/rigid rigid
compute pairs all pair/local dist
compute deep all reduce min c_pairs inputs local
thermo_style custom step v_height v_speed c_moving c_turning c_deep
thermo {settle_every}
run {settle}
unfix weight
variable tilt equal {tilt}*sin(2*PI*elapsed*dt/{period})
fix weight all gravity {gravity} chute v_tilt
thermo {rock_every}
run {rock}
"""


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.8, 4.0))
    total = PEANUTS * PEANUT.mass + NUT.mass
    rows = []
    for name, model in MODELS.items():
        thermo, seconds = rock(c, model)
        settled, rocking = thermo[thermo["run"] == 0].iloc[-1], thermo[thermo["run"] == 1]
        moved = (rocking["v_height"] - settled["v_height"]).abs().max()
        motion = rocking["c_moving"] + rocking["c_turning"]
        rows.append(
            {
                "model": name,
                "height at rest": settled["v_height"],
                "at the end": rocking["v_height"].iloc[-1],
                "moved": moved,
                "largest kinetic energy": motion.max(),
                "fastest nut": rocking["v_speed"].abs().max(),
                "seconds": seconds,
            }
        )
        time = STEP * (rocking["Step"] - rocking["Step"].iloc[0])
        left.plot(time, 1e3 * rocking["v_height"], label=name)
        right.semilogy(time, motion.clip(lower=1e-15), label=name)
        c.check(
            f"{name}: height of the nut while the box rocks, largest change over a peanut's width",
            measured=moved / (2.0 * PEANUT.radius),
            reference=0.0,
            tolerance=0.1,
            kind="absolute",
            reason="tan(15 degrees) is a third of the friction coefficient, and packings of round"
            " grains with it hold slopes above 20 degrees: only contacts may give a little",
        )
        c.check(
            f"{name}: largest kinetic energy while the box rocks, over that of a fall of all grains"
            " by a hundredth of a peanut",
            measured=motion.iloc[1:].max() / (total * GRAVITY * 0.02 * PEANUT.radius),
            reference=1.0,
            kind="at_most",
            reason="nothing flows, as above",
        )
        c.check(
            f"{name}: deepest overlap of two grains, part of a peanut's radius",
            measured=(2.0 * PEANUT.radius - rocking["c_deep"].min()) / PEANUT.radius,
            reference=0.05,
            kind="at_most",
            reason="the limit of soft spheres; pairs of peanuts are the closest",
        )
    frame = pd.DataFrame(rows)
    c.table("rocking", frame, "SI units; seconds of computing are not judged.")
    cost = frame["seconds"].iloc[1] / frame["seconds"].iloc[0]
    c.note(
        "Li et al. 2022 report that the nut reaches the top within 6 s (M1) and 10 s (M4), with a"
        " higher total energy for M1. Not reproduced: with the friction, tilt and period given, the"
        " packing stands still. What may differ: the shape of ellipsoids, the axis about which the"
        " box turns, which is not given, and how friction between polyhedra is computed there."
        f" M4 took {cost:.2f} times as long as M1 here (1.38 in the paper)."
    )
    left.set(xlabel="time [s]", ylabel="height of the nut [mm]")
    right.set(xlabel="time [s]", ylabel="kinetic energy of all grains [J]")
    left.legend()
    c.figure("nut", figure, "Height of the nut and kinetic energy while the box rocks.")


def rock(c: Context, model: str) -> tuple[pd.DataFrame, float]:
    """Return the thermo output of settling and rocking, and the seconds it took."""
    law = f"hertz/material {YOUNG} {RESTITUTION} {POISSON} damping coeff_restitution"
    law += f" tangential {model} 1 {c['friction']}"
    settle, shake = (round(t / STEP) for t in (SETTLING, ROCKING[c.tier]))
    run = c.lammps(
        SCRIPT.format(
            data=write_grains(c),
            law=law,
            box=BOX,
            gravity=GRAVITY,
            tilt=TILT,
            period=PERIOD,
            step=STEP,
            settle=settle,
            settle_every=settle // 20,
            rock=shake,
            rock_every=shake // SAMPLES,
        ),
        timeout=7200.0,
    )
    return run.thermo, run.wall


def write_grains(c: Context) -> str:
    """Write the nut at the bottom and layers of peanuts above it."""
    grains = [(NUT, 2, (0.5 * BOX[0], 0.5 * BOX[1], NUT.radius))]
    for n in range(PEANUTS):
        layer, place = divmod(n, 12)
        row, column = divmod(place, 4)
        grains.append(
            (PEANUT, 1, (0.0075 + 0.0133 * column, 0.007 + 0.013 * row, 0.025 + 0.0115 * layer))
        )
    rng = np.random.default_rng(20221121)
    atoms, velocities, clumps = [], [], []
    for clump, (grain, kind, centre) in enumerate(grains, start=1):
        volume = 4.0 / 3.0 * np.pi * grain.radius**3
        density = grain.mass / len(grain.places) / volume
        sideways = 0.05 * rng.normal(size=2)
        for offset in grain.places:
            atom = len(atoms) + 1
            x = centre[0] + offset
            atoms.append(
                f"{atom} {kind} {2 * grain.radius} {density:.12g} {x:.12g} {centre[1]} {centre[2]}"
            )
            velocities.append(f"{atom} {sideways[0]:.12g} {sideways[1]:.12g} 0 0 0 0")
            clumps.append(f"{atom} {clump}")
    lines = ["nut and peanuts", "", f"{len(atoms)} atoms", "2 atom types"]
    lines += [
        f"-0.01 {BOX[0] + 0.01} xlo xhi",
        f"-0.01 {BOX[1] + 0.01} ylo yhi",
        "-0.01 0.5 zlo zhi",
    ]
    for title, body in (
        ("Atoms # sphere", atoms),
        ("Velocities", velocities),
        ("Clumps", clumps),
    ):
        lines += ["", title, "", *body]
    path = c.folder / "grains.data"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


CASE = Case(
    name="brazil-nut",
    title="A Brazil nut in a rocking box: with friction 0.8 a slope of 15 degrees moves nothing",
    source="Li, Zeng, Wen & Zhang, Aerospace 9 (2022) 737, section 3.2",
    tier="quick",
    parameters={"friction": 0.8},
    spoil={"friction": 0.0},
    run=run,
    timeout=10_000.0,
)
