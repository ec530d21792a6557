"""Two spheres touch and are pulled apart: force against distance for JKR and DMT contacts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.integrate import quad
from scipy.optimize import brentq

from pysuite.figures import panels
from pysuite.outputs import LEDGER
from pysuite.validation import Case, Context

# ENERGY of one surface; the work of adhesion is 2 ENERGY
YOUNG, POISSON, ENERGY = 1.0e4, 0.25, 50.0
MODULUS = YOUNG / (2.0 * (1.0 - POISSON**2))
RADIUS = 0.25  # effective radius of spheres of diameter 1
STEPS = 2000
# contact radius at the largest tension: a^3 = 9 pi gamma R^2/(4 E*)
LEAST = (2.25 * np.pi * ENERGY * RADIUS**2 / MODULUS) ** (1.0 / 3.0)

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
boundary f f f
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {start:.17g} 0 0
set group all diameter 1 density 1
neighbor 0.05 bin
pair_style granular/plus ledger yes
pair_coeff * * {law} tangential linear_nohistory 0 0
group one id 1
group two id 2
timestep 1e-3
variable overlap equal 1-(x[2]-x[1])
variable force equal fx[2]
compute ledger all granular/ledger
variable energy equal {energy}
thermo 1
thermo_style custom step v_overlap v_force v_energy
thermo_modify norm no
thermo_modify format float %.17g
fix hold one move linear 0 0 0
fix move two move linear -{speed:.17g} 0 0
run {steps}
unfix move
fix move two move linear {speed:.17g} 0 0
run {back}
"""


def depth(a: float) -> float:
    """Return the overlap of a JKR contact of radius a [johnson1971]."""
    return a**2 / RADIUS - 2.0 * np.sqrt(np.pi * ENERGY * a / MODULUS)


def push(a: float) -> float:
    return 4.0 * MODULUS * a**3 / (3.0 * RADIUS) - 4.0 * np.sqrt(np.pi * ENERGY * MODULUS * a**3)


def contact_radius(overlap: float) -> float:
    least = LEAST * (1.0 - 1e-9)
    return float(brentq(lambda a: depth(a) - overlap, least, 100.0 * LEAST, xtol=1e-15))


def jkr(overlap: float) -> float:
    return push(contact_radius(overlap))


def jkr_energy(overlap: float) -> float:
    def work(a: float) -> float:
        return push(a) * (2.0 * a / RADIUS - np.sqrt(np.pi * ENERGY / (MODULUS * a)))

    return float(quad(work, 0.0, contact_radius(overlap), epsrel=1e-12)[0])


SCALE = 3.0 * np.pi * ENERGY * RADIUS  # pull-off force, JKR
DMT_SCALE = 4.0 * np.pi * ENERGY * RADIUS
REACH = 2.0 * np.sqrt(np.pi * ENERGY * LEAST / MODULUS) - LEAST**2 / RADIUS  # gap at break


def judge_jkr(c: Context, way: pd.DataFrame) -> None:
    overlap, force = way["v_overlap"], way["v_force"]
    approach, retreat = way["run"] == 0, way["run"] == 1
    touching = overlap > 1e-9
    c.check_close(
        "JKR: force in contact against Johnson, Kendall & Roberts, largest error, fraction of the"
        " pull-off force",
        force[touching],
        overlap[touching].map(jkr),
        scale=SCALE,
        tolerance=1e-6,
        reason="law and reference are closed forms; solving a quartic equation causes round-off",
    )
    some = touching[touching].index[::20]
    c.check_close(
        "JKR: energy against the work of the force, largest error / (pull-off force times gap at"
        " rupture)",
        way["v_energy"][some],
        overlap[some].map(jkr_energy),
        scale=SCALE * REACH,
        tolerance=1e-6,
        reason="law and reference are closed forms with the same round-off as the force",
    )
    c.check_close(
        "JKR: force during the approach before the surfaces touch",
        force[approach & (overlap < -1e-9)],
        0.0,
        tolerance=0.0,
        reason="before the surfaces touch, there is no contact",
    )
    c.check(
        "JKR: largest tension / (3 pi gamma R)",
        measured=-force.min() / SCALE,
        reference=1.0,
        tolerance=1e-4,
        reason=(
            "between outputs, the spheres move by 1/2000 of the path of the approach; near the"
            " largest tension, the force hardly depends on the distance"
        ),
    )
    c.check(
        "JKR: gap at which the contact breaks",
        measured=-overlap[retreat & (force < 0.0)].min(),
        reference=REACH,
        tolerance=1.1 * 4.0 / STEPS,
        reason="the gap is sampled once per step; the tolerance is 1.1 times the change per step",
    )


def judge_dmt(c: Context, way: pd.DataFrame) -> None:
    overlap, force = way["v_overlap"], way["v_force"]
    inside = overlap > 1e-9
    derjaguin = 4.0 / 3.0 * MODULUS * np.sqrt(RADIUS) * overlap[inside] ** 1.5 - DMT_SCALE
    c.check_close(
        "DMT: force in contact against Derjaguin, Muller & Toporov, largest error, fraction of the"
        " pull-off force",
        force[inside],
        derjaguin,
        scale=DMT_SCALE,
        tolerance=1e-9,
        reason="law and reference use the same closed form; only round-off differs",
    )
    c.check_close(
        "DMT: energy against the work of the force from touch, largest error / (pull-off force"
        " times radius)",
        way["v_energy"][inside],
        8.0 / 15.0 * MODULUS * np.sqrt(RADIUS) * overlap[inside] ** 2.5
        - DMT_SCALE * overlap[inside],
        scale=DMT_SCALE * RADIUS,
        tolerance=1e-9,
        reason="law and reference use the same closed form; only round-off differs",
    )
    c.check_close(
        "DMT: force across a gap",
        force[overlap < -1e-9],
        0.0,
        tolerance=0.0,
        reason="the attraction acts only in contact",
    )


def draw(c: Context, jkr_curve: pd.DataFrame, dmt_curve: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    overlap = jkr_curve["v_overlap"]
    for number, style, label in ((0, "C0:", "JKR, approach"), (1, "C0", "JKR, retreat")):
        part = jkr_curve[jkr_curve["run"] == number]
        axis.plot(part["v_overlap"], part["v_force"], style, label=label)
    touching = overlap[overlap > 1e-9][::40]
    axis.plot(touching, touching.map(jkr), "k.", ms=4, label="closed form")
    axis.plot(dmt_curve["v_overlap"], dmt_curve["v_force"], "C1", label="DMT")
    axis.set(xlabel="overlap", ylabel="force on the second sphere")
    axis.legend()
    c.figure("force", figure, "Force while two spheres approach and are pulled apart.")


def run(c: Context) -> None:
    energy = ENERGY * c["scale"]
    jkr_curve = pull(c, f"jkr {YOUNG} 0 {POISSON} {energy}", REACH)
    dmt_curve = pull(c, f"dmt {YOUNG} 0 {POISSON} {energy}", REACH)
    judge_jkr(c, jkr_curve)
    judge_dmt(c, dmt_curve)
    overlap = jkr_curve["v_overlap"]
    columns = {
        "overlap": overlap,
        "JKR": jkr_curve["v_force"],
        "DMT": np.interp(overlap, dmt_curve["v_overlap"], dmt_curve["v_force"]),
    }
    c.table(
        "curves", pd.DataFrame(columns)[::20], "Forces of JKR and DMT contacts at each overlap."
    )
    draw(c, jkr_curve, dmt_curve)


def pull(c: Context, law: str, reach: float) -> pd.DataFrame:
    way = 4.0 * reach
    speed = way / (STEPS * 1e-3)
    return c.lammps(
        SCRIPT.format(
            start=1.0 + 0.5 * way,
            law=law,
            energy=LEDGER.of("c_ledger", "elastic_normal"),
            speed=speed,
            steps=STEPS,
            back=round(1.2 * STEPS),
        )
    ).thermo


CASE = Case(
    name="pull-off",
    title="Adhesive contacts: force against distance, and gap at rupture",
    source="[johnson1971]; [derjaguin1975]",
    tier="smoke",
    parameters={"scale": 1.0},
    spoil={"scale": 0.9},
    run=run,
)
