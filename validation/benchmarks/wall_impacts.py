"""Impacts on a wall: the slider dsds (D-SDS) creates energy, the slider csds (C-SDS) does not.

The wall is also compared with a huge sphere. Radius, mass and speed of the impacting spheres are 1.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import pandas as pd

from pysuite.validation import Case, Context
from pysuite.validation.references import impact

STIFFNESS = 1e10  # gives an overlap of 1e-5 of the radius
STIFFNESS_RATIO = 2.0 / 7.0
RESTITUTION = 0.9
RESOLUTION = 200  # steps per collision time
COLLISION_TIME = np.pi / np.sqrt(STIFFNESS)
STEP = COLLISION_TIME / RESOLUTION
DAMPING_RATIO = impact.linear_damping_ratio(RESTITUTION)
TANGENTIAL_DAMPING = (1.0, 3.0, 10.0)  # ratios of tangential to normal damping
START_ENERGY = 0.5
EXHIBIT = 76.0  # angle of the figure in degrees
ANGLES = {"smoke": 4.0, "quick": 2.0, "full": 1.0}
OSCILLATION = 2.0 * (np.pi / RESOLUTION) ** 2 / 4.0

LAW = (
    f"hooke {STIFFNESS} {RESTITUTION} damping coeff_restitution tangential linear_history"
    f" {STIFFNESS_RATIO * STIFFNESS:.17g} {{damping}} {{friction}} limit_damping"
)
IMPACT = """
clear
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -2 2 -2 2 -1 3
create_box 1 box
create_atoms 1 single 0 0 {height:.17g}
set group all diameter 2 mass 1
velocity all set {along:.17g} 0 {towards:.17g}
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix wall all {wall} zplane 0 NULL
fix move all nve/sphere
timestep {step:.17g}
compute ledger all granular/ledger
compute speed all reduce sum vx vz
compute spins all property/atom omegay
compute spin all reduce sum c_spins
thermo_style custom time c_ledger[*] c_speed[*] c_spin
thermo_modify norm no format float %.17g
thermo 2
run {steps}
"""
COLUMNS = {
    "Time": "time",
    "c_speed[1]": "along",  # vx
    "c_speed[2]": "away",  # vz
    "c_spin": "spin",
}

# The contact with the huge sphere is soft: the overlap must be much larger than the round-off of
# positions.
SOFT = (
    "hertz/material {modulus} 0.8 0.3 damping coeff_restitution tangential mindlin_rescale/force"
    " NULL 1 {friction} rolling sds 2e3 2 0.05 twisting marshall slider {slider}"
)
MODULUS, SOFT_STEP, SOFT_STEPS = 1e5, 2e-5, 3000
RADIUS = 1e6
AT_SPHERE = """
clear
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -2 2 -2 2 -1000002 3
create_box 1 box
create_atoms 1 single 0 0 1
set group all diameter 2 mass 1
velocity all set {along:.17g} 0 {towards:.17g}
set group all omega 0.3 -1 0.5
{wall}
fix move grain nve/sphere
timestep {step:.17g}
thermo 1000000
run {steps}
write_dump grain custom {name} id vx vy vz omegax omegay omegaz modify format float %.17g
"""
SPHERE = f"""
group grain id 1
create_atoms 1 single 0 0 -{RADIUS}
group large id 2
set group large diameter {2 * RADIUS} density 1
neighbor 0.3 nsq
pair_style granular/plus
pair_coeff * * {{law}}
fix still large freeze
"""
WALL = """
group grain id 1
pair_style zero 1
pair_coeff * *
fix wall all wall/granular/plus {law} zplane 0 NULL
"""


def run(c: Context) -> None:
    energies(c)
    large_sphere(c)


def block(angle: float, wall: str, law: str) -> str:
    theta = np.radians(angle)
    return IMPACT.format(
        height=1.0 + 0.5 * STEP * np.cos(theta),
        along=np.sin(theta),
        towards=-np.cos(theta),
        law=law,
        wall=wall,
        step=STEP,
        steps=round(1.25 * RESOLUTION),
    )


def sweep(c: Context, style: str, slider: str, angles: np.ndarray) -> pd.DataFrame:
    cases = [(damping, angle) for damping in TANGENTIAL_DAMPING for angle in angles]
    script = ""
    for damping, angle in cases:
        law = LAW.format(damping=damping, friction=c["friction"])
        words = f"{law} slider {slider}" if "plus" in style else f"granular {law}"
        script += block(angle, f"{style} {words}", law)
    run = c.lammps(script)
    frame = run.thermo[["run", *COLUMNS]].rename(columns=COLUMNS).join(run.ledger)
    index = frame["run"].to_numpy(int)
    frame["damping"] = np.array(cases)[index, 0]
    frame["angle"] = np.array(cases)[index, 1]
    energies = ["kinetic_translation", "kinetic_rotation", "elastic_normal", "elastic_tangential"]
    frame["energy"] = frame[energies].sum(axis=1) / START_ENERGY
    return frame


def outcome(frame: pd.DataFrame) -> pd.DataFrame:
    groups = frame.groupby("run")
    last = groups.last()
    return pd.DataFrame(
        {
            "damping": last["damping"],
            "angle": last["angle"],
            "peak": groups["energy"].max(),
            "end": (last["kinetic_translation"] + last["kinetic_rotation"]) / START_ENERGY,
            "created": last["created"] / START_ENERGY,
            "along": last["along"],
            "away": last["away"],
            "spin": last["spin"],
        }
    )


def energies(c: Context) -> None:
    angles = np.union1d(np.arange(0.0, 89.5, ANGLES[c.tier]), [EXHIBIT, 89.0])
    measure = functools.partial(sweep, c, angles=angles)
    frames = {
        "csds": measure("wall/granular/plus", c["slider"]),
        "dsds": measure("wall/granular/plus", "dsds"),
        "lammps": measure("wall/gran", "dsds"),
    }
    ends = {name: outcome(frame) for name, frame in frames.items()}
    csds, dsds, lammps = ends.values()
    c.table(
        "energy",
        pd.DataFrame(
            {
                "tangential over normal damping": csds["damping"],
                "angle": csds["angle"],
                "largest, C-SDS": csds["peak"],
                "largest, D-SDS": dsds["peak"],
                "at the end, C-SDS": csds["end"],
                "at the end, D-SDS": dsds["end"],
                "at the end, fix wall/gran": lammps["end"],
                "created, D-SDS": dsds["created"],
            }
        ),
        "Kinetic energy plus energy of the springs, divided by the energy before the impact.",
    )
    judge_csds(c, csds)
    judge_dsds(c, dsds, lammps)
    judge_sliding(c, csds)
    tell(c, csds, dsds)
    figure(c, frames, ends)


def judge_csds(c: Context, csds: pd.DataFrame) -> None:
    c.check(
        f"C-SDS, {len(csds)} impacts: largest energy relative to the initial energy",
        measured=csds["peak"].max(),
        reference=1.0,
        tolerance=OSCILLATION,
        kind="at_most",
        reason="friction creates no energy; with velocity Verlet, however, the energy of each of"
        " the two springs oscillates by (omega dt)^2/4",
    )
    c.check(
        "C-SDS: energy that friction created, all impacts",
        measured=csds["created"].sum(),
        reference=0.0,
        kind="absolute",
        reason="the discrete law is passive, so the value is exactly zero",
    )


def exhibited(frame: pd.DataFrame) -> pd.Series:
    strong = frame["damping"] == TANGENTIAL_DAMPING[-1]
    return frame[(frame["angle"] == EXHIBIT) & strong].iloc[0]


def judge_dsds(c: Context, dsds: pd.DataFrame, lammps: pd.DataFrame) -> None:
    theta = np.radians(EXHIBIT)
    excess = TANGENTIAL_DAMPING[-1] * np.sin(theta) - c["friction"] * np.cos(theta)
    loaded = (2.0 * DAMPING_RATIO * excess) ** 2 / STIFFNESS_RATIO
    c.check(
        f"D-SDS at {EXHIBIT:g} degrees, friction {c['friction']:g}: largest gain / initial energy",
        measured=exhibited(dsds)["peak"] - 1.0,
        reference=loaded,
        tolerance=0.03,
        reason=(
            "for short time steps, the gain is (gamma_t v_t - mu gamma_n v_n)^2/2k with the"
            " velocities at the start of the contact; during the first of the 200 steps, friction"
            " slows the sphere"
        ),
    )
    motion = ["along", "away", "spin"]
    c.check_close(
        f"D-SDS and LAMMPS's fix wall/gran, {len(dsds)} impacts: velocity and spin, largest"
        " difference",
        dsds[motion],
        lammps[motion],
        tolerance=1e-10,
        reason="LAMMPS's wall has the same law and creates the same energy, except for round-off",
    )


def judge_sliding(c: Context, csds: pd.DataFrame) -> None:
    sliding = np.tan(np.radians(csds["angle"])) > 1.1 * 3.5 * c["friction"] * (1.0 + RESTITUTION)
    chosen = csds[sliding]
    theta = np.radians(chosen["angle"])
    lost = c["friction"] * (np.cos(theta) + chosen["away"])
    c.check(
        f"C-SDS, gross sliding, {len(chosen)} impacts: loss of velocity along the wall divided by"
        " mu (v_n + v_n'), largest error",
        measured=((np.sin(theta) - chosen["along"]) / lost - 1.0).abs().max(),
        reference=0.0,
        tolerance=1e-10,
        kind="at_most",
        reason="the reference is exact if friction is at the Coulomb limit in all steps",
    )


def tell(c: Context, csds: pd.DataFrame, dsds: pd.DataFrame) -> None:
    weak = dsds["peak"][dsds["damping"] == TANGENTIAL_DAMPING[0]].max()
    c.note(
        f"With D-SDS, an impact gains {exhibited(dsds)['peak'] - 1.0:.2f} of its initial energy at"
        f" {EXHIBIT:g} degrees. The largest gain of all impacts is"
        f" {dsds['peak'].max() - 1.0:.2f}. Among impacts with a ratio of tangential to normal"
        f" damping of {TANGENTIAL_DAMPING[0]:g}, the largest gain is {weak - 1.0:.2g}. At the end"
        " of the first-mentioned impact, most of the gain is dissipated again:"
        f" {exhibited(dsds)['end']:.3f} of the initial energy remains with D-SDS, and"
        f" {exhibited(csds)['end']:.3f} with C-SDS."
    )


def figure(c: Context, frames: dict[str, pd.DataFrame], ends: dict[str, pd.DataFrame]) -> None:
    import matplotlib.pyplot as plt

    strong = TANGENTIAL_DAMPING[-1]
    drawing, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.0))
    for name, label in (("csds", "C-SDS"), ("dsds", "D-SDS, like fix wall/gran")):
        frame = frames[name]
        one = frame[(frame["angle"] == EXHIBIT) & (frame["damping"] == strong)]
        left.plot(one["time"] / COLLISION_TIME, one["energy"], label=label)
        for damping, style in zip(TANGENTIAL_DAMPING, (":", "--", "-"), strict=True):
            end = ends[name][ends[name]["damping"] == damping]
            colour = left.lines[-1].get_color()
            words = f"{label}, {damping:g}" if name == "dsds" else None
            right.plot(end["angle"], end["peak"], style, color=colour, label=words)
    left.set(xlabel="time / collision time", ylabel="energy / initial energy")
    left.set_title(f"impact at {EXHIBIT:g}°, friction {c['friction']:g}")
    right.set(xlabel="angle from the normal", ylabel="largest energy / initial energy")
    right.set_title("legend: tangential / normal damping")
    left.legend()
    right.legend()
    c.figure("energy", drawing, "Energy of a sphere and its contact with a wall.")


def large_sphere(c: Context) -> None:
    angles = np.arange(0.0, 85.0, 20.0 if c.tier == "smoke" else 5.0)
    table = pd.DataFrame(impulses(c, angles))
    c.table("large sphere", table, f"A wall compared with a frozen sphere of {RADIUS:g} radii.")
    for quantity in ("impulse", "spin"):
        c.check(
            f"a wall and a frozen sphere of 1e6 radii, {len(angles)} impacts: {quantity}, largest"
            " relative difference",
            measured=table[f"error of the {quantity}"].max(),
            reference=0.0,
            tolerance=1e-5,
            kind="at_most",
            reason="the curvature of the large sphere changes the effective radius by 1e-6",
        )
    c.check(
        "a wall and a frozen sphere of 1e6 radii: smallest impulse",
        measured=table["impulse"].min(),
        reference=0.1,
        kind="at_least",
        reason="the spheres must hit the wall and leave it",
    )


def impulses(c: Context, angles: np.ndarray) -> Iterator[dict[str, float]]:
    law = SOFT.format(modulus=MODULUS, friction=c["friction"], slider=c["slider"])
    script = "".join(
        AT_SPHERE.format(
            along=np.sin(np.radians(angle)),
            towards=-np.cos(np.radians(angle)),
            wall=commands.format(law=law),
            step=SOFT_STEP,
            steps=SOFT_STEPS,
            name=f"{name}.{angle:g}",
        )
        for name, commands in (("wall", WALL), ("sphere", SPHERE))
        for angle in angles
    )
    result = c.lammps(script)
    columns = ["vx", "vy", "vz", "omegax", "omegay", "omegaz"]
    norm = np.linalg.norm
    for angle in angles:
        theta = np.radians(angle)
        before = np.array([np.sin(theta), 0.0, -np.cos(theta), 0.3, -1.0, 0.5])
        wall, sphere = (
            result.dump(f"{name}.{angle:g}")[columns].to_numpy(float)[0] - before
            for name in ("wall", "sphere")
        )
        yield {
            "angle": angle,
            "impulse": norm(wall[:3]),
            "change of spin": norm(wall[3:]),
            "error of the impulse": norm((wall - sphere)[:3]) / norm(wall[:3]),
            "error of the spin": norm((wall - sphere)[3:]) / norm(wall[3:]),
        }


CASE = Case(
    name="wall-impacts",
    title="Walls create no energy and act like a very large sphere",
    source="Coulomb friction; LAMMPS 22 Jul 2025, fix wall/gran; [fuehrer2024]",
    tier="smoke",
    parameters={"slider": "csds", "friction": 0.5},
    spoil={"slider": "dsds"},
    run=run,
)
