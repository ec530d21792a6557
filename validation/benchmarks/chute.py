"""Flow down a rough chute: Bagnold's profile, and the stress that carries the weight.

For any contact law, the ratio of shear stress to normal stress is the tangent of the chute's angle.
The inertial number is therefore the same at all depths. Hence the shear rate grows with the square
root of the pressure, and the solid fraction is constant.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

Array = NDArray[np.float64]

# units: diameter and mass of a grain, and gravity
ANGLE = 24.0  # degrees
LENGTH, WIDTH = 20, 10
LAYERS, SPACING = 26, 1.12  # initial lattice
STIFFNESS, DASHPOT = 2e4, 15.8  # give a restitution of 0.88
STEP = 5e-4  # a thirtieth of the duration of a collision
SETTLE, DURATION, BLOCK = 100.0, 800.0, 25.0
ABOVE_BASE, BELOW_SURFACE = 5.0, 3.0  # layers closer to the base or surface are not judged
SEED = 8100
SLIDERS = ("csds", "dsds")

# x is the depth and z the direction of the flow, because the fifth component of LAMMPS's virial
# contains forces along z on planes normal to x, but not forces along x on planes normal to z
SCRIPT = """
units lj
atom_style sphere
boundary f p p
newton off
comm_modify vel yes
region box block -2 {top} 0 {width} 0 {length}
create_box 2 box
lattice sc 1.0
region base block -1.1 0.1 0 {width} 0 {length} units box
region unique block INF INF 0 $({width}-0.1) 0 $({length}-0.1) units box
region bottom intersect 2 base unique
create_atoms 2 region bottom
displace_atoms all random 0.3 0.2 0.2 {seed}
lattice sc $(1/{spacing}^3)
region fill block 1.5 $(1.6+{spacing}*{layers}) 0 $({width}-{spacing}) &
  0 $({length}-{spacing}) units box
create_atoms 1 region fill
group base type 2
group flowing type 1
set group all diameter 1 mass 1
displace_atoms flowing random 0.05 0.05 0.05 {seed}
velocity flowing ramp vz 0 3 x 0 {layers} units box
pair_style granular/plus
pair_coeff * * hooke {stiffness} {dashpot} damping mass_velocity &
  tangential linear_history $(2/7*{stiffness}) 0.5 0.5 slider {slider}
neighbor 0.3 bin
neigh_modify every 1 delay 0 exclude group base base
variable angle equal {angle}*PI/180
fix weight all gravity 1 vector $(-cos(v_angle)) 0 $(sin(v_angle))
fix base base freeze
fix move flowing nve/sphere
timestep {step}
thermo 100000
run {settle}
reset_timestep 0
compute stress all stress/atom NULL
compute bins flowing chunk/atom bin/1d x 0.0 1.0 units box
fix profile flowing ave/chunk 20 {samples} {block} bins vz c_stress[1] c_stress[5] file profile &
  format " %.17g"
fix reaction all ave/time 1 {block} {block} f_base[1] f_base[3] file reaction &
  format " %.17g"
fix ends flowing ave/chunk 1 1 {block} bins vz vx file ends format " %.17g"
run {steps}
"""


class Profile(NamedTuple):
    """Values in layers one diameter thick: a row for each block of time, or the mean over time.

    Attributes:
        height: height of the middle of each layer above the base.
        fraction: solid fraction.
        speed: velocity along the flow.
        pressure: measured normal stress, minus the upward momentum that the grains above gain per
            area and time.
        shear: measured shear stress, plus the momentum along the flow that the grains above gain
            per area and time.
    """

    height: Array
    fraction: Array
    speed: Array
    pressure: Array
    shear: Array

    def mean(self) -> Profile:
        """Return means over time."""
        return Profile(self.height, *(values.mean(axis=0) for values in self[1:]))

    def blocks(self) -> list[Profile]:
        """Return the profile in each block of time."""
        return [Profile(self.height, *values) for values in zip(*self[1:], strict=True)]

    def inside(self) -> Profile:
        """Return the layers that are judged."""
        fraction = self.mean().fraction
        covered = np.cumsum(fraction[::-1])[::-1] / fraction[2:6].mean()
        these = (self.height > ABOVE_BASE) & (covered > BELOW_SURFACE)
        return Profile(*(values[..., these] for values in self))


class Flow(NamedTuple):
    """Results of a flow.

    Attributes:
        profile: profile of all layers.
        weight: array of shape (blocks, 2), components of the weight of all grains along the chute
            and normal to it. They are computed from the force on the base and from the momentum
            that the grains gain.
    """

    profile: Profile
    weight: Array


def blocks_of(text: str, columns: int) -> Array:
    """Return the output of `fix ave/chunk` as array of shape (columns, blocks of time, layers)."""
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    numbers = np.array([row for row in rows if len(row) == columns], dtype=float)
    return np.moveaxis(numbers.reshape(-1, int(numbers[:, 0].max()), columns), 2, 0)


def read(folder: Path, duration: float = BLOCK) -> Flow:
    _, height, grains, speed, normal, along = blocks_of((folder / "profile").read_text(), 6)
    _, _, there, *velocity = blocks_of((folder / "ends").read_text(), 5)
    forward, upward = (there * component for component in velocity)
    area = LENGTH * WIDTH

    def gain(momentum: Array) -> Array:
        above = momentum[:, ::-1].cumsum(axis=1)[:, ::-1] - 0.5 * momentum
        return np.diff(above, axis=0) / (duration * area)

    profile = Profile(
        height[0],
        np.pi / 6.0 * grains / area,
        speed,
        -grains * normal / area - gain(upward),
        grains * along / area + gain(forward),
    )
    _, down, on = np.loadtxt(folder / "reaction", ndmin=2).T
    weight = (
        on + np.diff(forward.sum(axis=1)) / duration,
        -down - np.diff(upward.sum(axis=1)) / duration,
    )
    return Flow(profile, np.transpose(weight))


def flow(c: Context, slider: str) -> Flow:
    script = SCRIPT.format(
        length=LENGTH, width=WIDTH, top=10 + SPACING * LAYERS, spacing=SPACING, layers=LAYERS,
        stiffness=STIFFNESS, dashpot=DASHPOT, slider=slider, angle=ANGLE * c["steeper"], step=STEP,
        seed=seed(SEED), settle=round(SETTLE / STEP), steps=round(c["duration"] / STEP),
        block=round(BLOCK / STEP), samples=round(BLOCK / STEP) // 20,
    )  # fmt: skip
    return read(c.lammps(script, timeout=5000.0).folder)


def exponent(mean: Profile) -> float:
    rate, between = np.diff(mean.speed), np.sqrt(mean.pressure[1:] * mean.pressure[:-1])
    return float(np.polyfit(np.log(between), np.log(rate), 1)[0])


def dilation(mean: Profile) -> float:
    """Return the relative decrease of the solid fraction from the lower to the upper layers."""
    half = len(mean.fraction) // 2
    lower, upper = mean.fraction[:half].mean(), mean.fraction[-half:].mean()
    return float((lower - upper) / mean.fraction.mean())


def stress_ratio(mean: Profile) -> float:
    """Return the shear stress divided by the pressure, averaged over the layers.

    LAMMPS assigns half the stress of a contact to each grain, even if the grains are in different
    layers. The stress of the lowest and the highest layer is therefore inaccurate, and these layers
    have small weights in the average.
    """
    count = len(mean.height)
    weights = np.sin(np.pi * (np.arange(count) + 0.5) / count) ** 2
    return float((weights @ mean.shear) / (weights @ mean.pressure))


def judge(c: Context, found: dict[str, Flow]) -> None:
    slope = np.tan(np.radians(ANGLE))
    for slider, (profile, weight) in found.items():
        blocks = profile.inside().blocks()
        quantities = {
            "force on the base and tan 24°": weight[:, 0] / weight[:, 1] / slope,
            "shear stress divided by pressure and tan 24°": [
                stress_ratio(block) / slope for block in blocks
            ],
            "exponent of the shear rate against the pressure": [exponent(b) for b in blocks],
            "solid fraction, lower half less upper half": [dilation(b) for b in blocks],
        }
        for words, samples in quantities.items():
            interval = statistics.mean(samples, c.level, "blocks of time")
            c.benchmark(f"{slider}: {words}", interval, seeds=str(seed(SEED)))


def tell(c: Context, found: dict[str, Flow]) -> None:
    inside = {slider: f.profile.inside() for slider, f in found.items()}
    speeds = {slider: profile.speed.mean(axis=1) for slider, profile in inside.items()}
    fractions = {slider: profile.fraction.mean() for slider, profile in inside.items()}
    change = statistics.mean(
        speeds["dsds"] / speeds["csds"].mean(), statistics.SINGLE_LEVEL, "blocks"
    )
    c.note(
        f"Mean speed with dsds divided by mean speed with csds: {change.value:.3f}"
        f" (95 % interval {change.low:.3f} to {change.high:.3f}). The solid fraction is"
        f" {fractions['csds']:.4f} with csds and {fractions['dsds']:.4f} with dsds."
    )


def draw(c: Context, found: dict[str, Flow]) -> None:
    figure, (left, middle, right) = panels(3)
    for slider, (profile, _) in found.items():
        mean = profile.mean()
        full = mean.fraction > 0.3
        left.plot(mean.speed[full], mean.height[full], "o", mfc="none", label=slider)
        middle.plot(mean.fraction, mean.height, "o", mfc="none")
        right.plot((mean.shear / mean.pressure)[full], mean.height[full], "o", mfc="none")
    right.axvline(np.tan(np.radians(ANGLE)), color="k", linewidth=0.8)
    left.set(xlabel="speed", ylabel="height above the base")
    middle.set(xlabel="solid fraction")
    right.set(xlabel="shear stress over pressure")
    left.legend()
    c.figure("profiles", figure, f"Flow down a chute of {ANGLE:g} degrees. Line: tan 24°.")


def run(c: Context) -> None:
    found = {slider: flow(c, slider) for slider in SLIDERS}
    judge(c, found)
    tell(c, found)
    rows = [pd.DataFrame(f.profile.mean()._asdict()).assign(slider=s) for s, f in found.items()]
    c.table("profiles", pd.concat(rows), "Means over time of layers one diameter thick.")
    draw(c, found)


CASE = Case(
    name="chute",
    title="Flow of grains down a rough chute, compared with Bagnold's profile",
    source="[silbert2001]",
    tier="full",
    parameters={"steeper": 1.0, "duration": DURATION},
    spoil={"steeper": 1.01},
    run=run,
    timeout=7200.0,
)
