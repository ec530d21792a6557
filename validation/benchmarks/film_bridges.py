"""Two wet grains touch and are pulled apart: volume, pull, drag and rupture of the bridge.

Viscosity multiplies the rupture distance by 1 + GROWTH sqrt(Ca), where Ca is the capillary number.
The factor is at most LONGEST and reaches this limit if the bridge is stretched fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.outputs import pair_local
from pysuite.validation import Case, Context
from pysuite.validation.references.bridges import Bridge

RADIUS, TENSION, ANGLE = 0.5, 0.7, 20.0  # contact angle in degrees
VISCOSITY, SMALLEST = 0.3, 0.01  # below the gap SMALLEST, the drag does not increase further
GROWTH, LONGEST = 2.0, 1.3
SLOW, FAST = 0.02, 1.0  # speeds of stretching, at which sqrt(Ca) is 0.093 and 0.65
OVERLAP, STRETCH, STEPS = 2e-3, 0.3, 3000
VALUES = ["bridge", "bridge_volume", "bridge_force", "viscous_force"]
LAWS: dict[str, Callable] = {"willett": Bridge.force, "willett/simple": Bridge.simple_force}

SCRIPT = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary f f f
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {start:.17g} 0 0
set group all diameter {diameter} density 1
group one id 1
group two id 2
fix film all property/atom d_film ghost yes
set atom 1 d_film {first:.17g}
set atom 2 d_film {second:.17g}
neighbor 0.1 bin
pair_style granular/plus
pair_coeff * * hooke 1e3 0 damping velocity tangential linear_nohistory 0 0 &
    bridge {law} {tension:.17g} {angle:.17g} film {options}
timestep {step:.17g}
fix hold one move linear 0 0 0
fix move two move linear {speed:.17g} 0 0
compute bridge all pair/local {values}
compute sums all reduce sum c_bridge[*] inputs local
variable gap equal x[2]-x[1]-{diameter}
thermo 1
thermo_style custom step v_gap c_sums[*]
thermo_modify norm no format float %.17g
run {steps}
"""


class Setting(NamedTuple):
    """Film volumes of both grains, options of the keyword film, and expected bridge volume."""

    films: tuple[float, float]
    options: str
    volume: float


CUBE = RADIUS**3
SETTINGS = {
    "half of each film": Setting((3e-3, 1e-3), "share 0.5", 2e-3),
    "films limited by the largest volume": Setting((3e-3, 1e-3), "limit 1e-3", 1e-3),
    "no more than 0.1 R^3": Setting((2e-2, 1e-2), "", 0.1 * CUBE),
    "films 2 % above the smallest volume": Setting((5.1e-5, 5.1e-5), "least 1e-4", 1.02e-4),
    "films 2 % below the smallest volume": Setting((4.9e-5, 4.9e-5), "least 1e-4", 0.0),
    "2 % more than 1e-6 R^3": Setting((5.1e-7 * CUBE, 5.1e-7 * CUBE), "", 1.02e-6 * CUBE),
    "2 % less than 1e-6 R^3": Setting((4.9e-7 * CUBE, 4.9e-7 * CUBE), "", 0.0),
}


def pull(c: Context, law: str, setting: Setting, speed: float, stretch: float) -> pd.DataFrame:
    options = f"{setting.options} viscous {VISCOSITY * c['viscosity']} gap {SMALLEST}"
    step = stretch / speed / STEPS
    thermo = c.lammps(
        SCRIPT.format(
            start=2.0 * RADIUS - OVERLAP,
            diameter=2.0 * RADIUS,
            first=setting.films[0],
            second=setting.films[1],
            law=law,
            tension=TENSION,
            angle=ANGLE,
            options=f"{options} rupture {GROWTH} longest {LONGEST}",
            step=step,
            speed=speed,
            values=pair_local(*VALUES),
            steps=STEPS,
        )
    ).thermo
    table = thermo.filter(like="c_sums").set_axis(VALUES, axis=1)
    return table.assign(gap=thermo["v_gap"])


def judge_volumes(c: Context, law: str) -> None:
    found, expected = [], []
    for setting in SETTINGS.values():
        short = pull(c, law, setting, FAST, 10.0 * OVERLAP)
        found.append(short["bridge_volume"].max() / CUBE)
        expected.append(setting.volume / CUBE)
    c.table(
        f"volumes, {law}", pd.DataFrame({"films": list(SETTINGS), "found": found, "is": expected})
    )
    c.check_close(
        f"{law}: volume of a bridge that forms from films / R^3, {len(SETTINGS)} settings",
        found,
        expected,
        tolerance=1e-12,
        reason="round-off only; no bridge forms if its volume would be below the smallest volume",
    )


def judge_stretching(c: Context, law: str, name: str, speed: float, factor: float) -> pd.DataFrame:
    setting = SETTINGS["half of each film"]
    table = pull(c, law, setting, speed, STRETCH)
    bridge = Bridge(TENSION, np.radians(ANGLE), setting.volume, RADIUS)
    wet = table[table["bridge"] == 1.0]
    across = wet[wet["gap"] > 0.0]
    c.check_close(
        f"{law}, {name}: pull against Willett's, largest difference / pull at touch",
        across["bridge_force"],
        LAWS[law](bridge, across["gap"]),
        scale=float(LAWS[law](bridge, 0.0)),
        tolerance=1e-10,
        reason="the law and the reference use the same formula; only round-off differs",
    )
    some = wet.iloc[1::50]  # the forces before the run contain no drag
    drag = [
        VISCOSITY * speed * bridge.viscous_resistance(max(gap, SMALLEST)) for gap in some["gap"]
    ]
    c.check_close(
        f"{law}, {name}: drag against Reynolds's equation, largest relative difference",
        some["viscous_force"],
        drag,
        scale=max(drag),
        tolerance=1e-10,
        reason=(
            "the law uses the closed form of an integral, the reference a quadrature; round-off"
            " affects both"
        ),
    )
    c.check(
        f"{law}, {name}: gap at rupture / rupture distance without viscosity",
        measured=wet["gap"].max() / bridge.rupture_distance,
        reference=factor,
        tolerance=1.1 * STRETCH / STEPS / bridge.rupture_distance,
        kind="absolute",
        reason="the gap is sampled once per step; the tolerance is 1.1 times the change per step",
    )
    return table


def run(c: Context) -> None:
    figure, axes = panels(2)
    for axis, law in zip(axes, LAWS, strict=True):
        judge_volumes(c, law)
        slow = 1.0 + GROWTH * np.sqrt(VISCOSITY * SLOW / TENSION)
        for name, speed, factor in (("slow", SLOW, slow), ("fast", FAST, LONGEST)):
            table = judge_stretching(c, law, name, speed, factor)
            wet = table[table["bridge"] == 1.0].iloc[1:]
            axis.plot(wet["gap"], wet["bridge_force"] + wet["viscous_force"], label=name)
        axis.set(title=law, xlabel="gap", ylabel="pull and drag", yscale="log")
        axis.legend()
    c.figure("forces", figure, "Force of a bridge stretched at two speeds.")


CASE = Case(
    name="film-bridges",
    title="Bridges fed by films: volume, pull, drag and rupture",
    source="[willett2000]; [pitois2000]",
    tier="smoke",
    parameters={"viscosity": 1.0},
    spoil={"viscosity": 1.02},
    run=run,
)
