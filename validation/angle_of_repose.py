"""At which slope a layer of grains comes to rest: with friction, and without any.

A layer flows down a bumpy slope and is then tilted back to an angle at which it goes
on or stops. Between the steepest angle that stops it and the flattest that does not lies the angle
of repose. Known: with mu = 0.5 flow stops between 19 and 21 degrees in layers of this height;
frictionless spheres hold a slope of 5.8 degrees. Natural units: diameter, mass, gravity are 1.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from pysuite.cases import Case, Context


class Material(NamedTuple):
    """A friction coefficient, the slope to start on, those tried and the one known, in degrees."""

    friction: float
    steep: float
    slopes: tuple[float, ...]
    known: float
    tolerance: float
    source: str


FRICTIONAL = Material(
    0.5, 28.0, (16.0, 18.0, 20.0, 22.0, 24.0), 20.0, 2.0, "Silbert et al. 2001: 19 to 21 degrees"
)
FRICTIONLESS = Material(
    0.0, 12.0, (2.0, 4.0, 6.0, 8.0, 10.0), 5.76, 2.0, "Peyneau & Roux 2008: 5.76 degrees"
)
SIZE = {"smoke": (5, 4, 7), "quick": (8, 5, 12), "full": (16, 10, 24)}  # along, across, high
DURATION = {"smoke": 40.0, "quick": 80.0, "full": 300.0}
STIFFNESS, STEP = 2e4, 5e-4
STOPPED = 1e-4  # kinetic energy of a grain over that of a fall by its diameter

START = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 {along} 0 {across} -1.5 {top}
create_box 2 box
lattice sc 1.0
region floor block 0 {inside[0]} 0 {inside[1]} -0.6 0.1
create_atoms 2 region floor
region fill block 0 {inside[0]} 0 {inside[1]} 1.9 {fill}
create_atoms 1 region fill
group floor type 2
group grains type 1
displace_atoms floor random 0.15 0.15 0.3 4711
displace_atoms grains random 0.05 0.05 0.05 8123
set group all diameter 1.0 mass 1.0
velocity grains create 0.5 1
"""

LAW = """
pair_style granular/plus
pair_coeff * * {contact}
fix move grains nve/sphere
fix floor floor freeze
timestep {step}
compute turning grains erotate/sphere
compute moving grains ke
variable energy equal (c_turning+c_moving)/count(grains)
thermo_style custom step v_energy
thermo_modify norm no
"""

FLOW = """
fix weight all gravity 1 chute {steep}
thermo {every}
run {steps}
write_data flowing.data nocoeff
"""

TILT = """
clear
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
read_data flowing.data
group floor type 2
group grains type 1
"""


def run(c: Context) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.8, 4.0), sharey=True)
    rows = []
    for axis, material in zip(axes, (FRICTIONAL, FRICTIONLESS), strict=True):
        friction = c["friction"] if material is FRICTIONAL else material.friction
        energies = tilt(c, material, friction)
        print({k: (v.iloc[0], v.iloc[10], v.iloc[-1]) for k, v in energies.items()})
        rests = [slope for slope, energy in energies.items() if energy.iloc[-1] < STOPPED]
        flows = [slope for slope, energy in energies.items() if energy.iloc[-1] >= STOPPED]
        repose = 0.5 * (max(rests) + min(flows)) if rests and flows else float("nan")
        rows.append({"mu": friction, "rests at": max(rests, default=0.0), "angle": repose})
        c.check(
            f"mu = {material.friction}: angle between the last slope that stops the layer and the"
            " first that does not [degrees]",
            measured=repose,
            reference=material.known,
            tolerance=material.tolerance,
            kind="absolute",
            reason=f"{material.source}; slopes 2 degrees apart, and a layer of {SIZE[c.tier][2]}"
            " diameters stops a degree earlier than a high one",
        )
        c.check(
            f"mu = {material.friction}: slopes that stop a layer although a flatter one does not",
            measured=sum(slope > min(flows, default=90.0) for slope in rests),
            reference=0.0,
            kind="absolute",
            reason="a count",
        )
        for slope, energy in energies.items():
            time = DURATION[c.tier] * energy.reset_index(drop=True).index / (len(energy) - 1)
            axis.semilogy(time, energy.clip(lower=1e-12), label=f"{slope:g} degrees")
        axis.axhline(STOPPED, color="0.5", linewidth=0.8, linestyle="--")
        axis.set(title=rf"$\mu$ = {friction}", xlabel="time")
        axis.legend(fontsize=8)
    axes[0].set_ylabel("kinetic energy of a grain")
    c.table("repose", pd.DataFrame(rows), "Angle of repose in degrees.")
    c.figure("energy", figure, "Kinetic energy after the slope is made flatter; dashed: at rest.")


def tilt(c: Context, material: Material, friction: float) -> dict[float, pd.Series]:
    """Return the kinetic energy of a grain over time for each slope."""
    along, across, high = SIZE[c.tier]
    law = LAW.format(
        contact=f"hooke {STIFFNESS} 50 damping mass_velocity tangential linear_history"
        f" {2.0 / 7.0 * STIFFNESS} 0 {friction} slider {c['slider']}",
        step=STEP,
    )
    script = START.format(
        along=along,
        across=across,
        top=3 * high,
        fill=high + 1.8,
        inside=(along - 0.1, across - 0.1),
    )
    steps = round(DURATION[c.tier] / STEP)
    samples = {"every": steps // 40, "steps": steps // 40 * 40}
    begin = {**samples, "steps": steps // 120 * 40}
    script += law + FLOW.format(steep=material.steep, **begin)
    for slope in material.slopes:
        script += TILT + law + FLOW.format(steep=slope, **samples).replace("flowing.", "end.")
    thermo = c.lammps(script, timeout=3600.0).thermo
    return {
        slope: thermo[thermo["run"] == n + 1]["v_energy"] for n, slope in enumerate(material.slopes)
    }


CASE = Case(
    name="angle-of-repose",
    title="A layer on a slope comes to rest at the known angle, with friction and without",
    source="Silbert et al., Phys. Rev. E 64 (2001) 051302; Peyneau & Roux, Phys. Rev. E 78 (2008)"
    " 011307",
    tier="quick",
    parameters={"slider": "csds", "friction": 0.5},
    spoil={"friction": 0.05},
    run=run,
    timeout=7200.0,
)
