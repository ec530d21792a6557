"""Materials, walls and packings of the bulk processes by which [dosta2024] compares eight codes.

The grains consist of material M1 or M2. The walls and the ball consist of steel. All values are in
SI units. Containers have the dimensions of [dosta2024]. Walls are planes, cylinders and cones, as
in the scripts for `MercuryDPM` that belong to this paper. All lengths except those of the grains
are multiplied by `scale`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pysuite.engine import Run
from pysuite.validation.setups import packings

GRAVITY = 9.81
POISSON = 0.2  # Poisson's ratio of all materials
YOUNG = {"M1": 1e9, "M2": 0.5e9, "steel": 210e9}
DENSITY = {"M1": 2500.0, "M2": 2000.0, "steel": 7200.0}
RESTITUTION = {
    ("M1", "M1"): 0.5,
    ("M1", "M2"): 0.45,
    ("M2", "M2"): 0.4,
    ("M1", "steel"): 0.4,
    ("M2", "steel"): 0.4,
    ("steel", "steel"): 0.4,
}
FRICTION = {
    ("M1", "M1"): 0.3,
    ("M1", "M2"): 0.2,
    ("M2", "M2"): 0.4,
    ("M1", "steel"): 0.2,
    ("M2", "steel"): 0.2,
    ("steel", "steel"): 0.2,
}
# factor for which normal and tangential motion have equal damping ratios, as in LIGGGHTS
DASHPOT = float(np.sqrt(2.0 * (1.0 - POISSON) / (2.0 - POISSON)))
# During pouring, Young's modulus is divided by SOFT, and the time step is multiplied by sqrt(SOFT).
SOFT = 100.0

# the upper end of the box moves with rising grains
POUR = """
units si
atom_style sphere
boundary f f fm
newton off
comm_modify vel yes
region box block {box}
create_box {kinds} box
{fill}
displace_atoms all random {displaced} {displaced} {displaced} {places}
variable along atom random(-0.2,0.2,{first})
variable across atom random(-0.2,0.2,{second})
variable up atom random(-0.2,0.2,{third})
velocity all set v_along v_across v_up
neighbor {skin} bin
fix move all nve/sphere/plus
fix weight all gravity {gravity} vector {down}
{soft}
timestep {long_step}
thermo 5000
run {settle}
# under less gravity soft grains overlap as much as stiff ones will later; then stiffen them
fix weight all gravity {less_gravity} vector {down}
fix drag all viscous {drag}
run {relax}
unfix drag
{stiff}
fix weight all gravity {gravity} vector {down}
timestep {step}
run {rest}
write_dump all custom grains id type x y z vx vy vz modify sort id format float %.17g
"""


def law(one: str, other: str, slider: str, *, softer: float = 1.0, rougher: float = 1.0) -> str:
    """Return the contact law of two materials.

    Young's moduli are divided by `softer`. The coefficient of friction is multiplied by `rougher`.
    """
    pair = min(one, other), max(one, other)
    # The law has one Young's modulus. For equal Poisson's ratios, this is the harmonic mean.
    young = 2.0 / sum(1.0 / YOUNG[material] for material in pair) / softer
    return (
        f"hertz/material {young:.15g} {RESTITUTION[pair]} {POISSON} damping coeff_restitution"
        f" tangential mindlin_rescale/force NULL {DASHPOT:.15g} {rougher * FRICTION[pair]:.15g}"
        f" slider {slider}"
    )


class Bed(NamedTuple):
    """Grains of M1 with a diameter of 2 mm in a box of 0.1 m × 0.06 m × 0.2 m, and a ball."""

    scale: float = 1.0

    @property
    def number(self) -> int:
        """Number of grains."""
        return round(25_000 * self.scale**3)

    @property
    def low(self) -> NDArray[np.float64]:
        """Lower corner of the box. With scale 1, the floor is 0.09 m below the origin."""
        return self.scale * np.array([-0.05, -0.03, -0.090243])

    @property
    def high(self) -> NDArray[np.float64]:
        """Upper corner of the box, which is open at the top."""
        return self.low + self.scale * np.array([0.1, 0.06, 0.2])

    @property
    def radius(self) -> float:
        """Radius of the ball."""
        return 0.01 * self.scale

    def walls(self, slider: str, **keywords: float) -> str:
        """Return the commands for the walls of the box."""
        steel = law("M1", "steel", slider, **keywords)
        planes = zip("xyz", self.low, self.high, strict=True)
        return "".join(
            f"fix {axis} grains wall/granular/plus {steel} {axis}plane {low:.17g}"
            f" {'NULL' if axis == 'z' else f'{high:.17g}'}\n"
            for axis, low, high in planes
        )

    def flight(self, time: float) -> tuple[float, float]:
        """Return height and velocity of the ball in free fall at a time.

        With scale 1, the height is 0.06 m at time 0. The speed is then 5 m/s.
        """
        return (
            0.06 * self.scale - 5.0 * time - 0.5 * GRAVITY * time**2,
            -5.0 - GRAVITY * time,
        )


GRAIN = 2e-3  # diameter of the grains of the bed
AT_REST = 0.02  # largest root-mean-square speed of grains at rest, m/s
STEP = 5e-7  # time step of the impact on the bed


def pour(lammps: Callable[..., Run], bed: Bed, number: int) -> NDArray[np.float64]:
    """Return the positions of the settled grains of a bed, of shape (n, 3).

    `lammps` is a function that runs a script. `number` is the number of the packing. The first
    packing has the number 1. Raises ValueError if the grains are still moving.
    """
    spacing = 1.15 * GRAIN
    low, high = bed.low + 0.5 * GRAIN, bed.high - 0.5 * GRAIN
    across = np.prod((high[:2] - low[:2]) // spacing)
    high[2] = low[2] + (bed.number // across + 2) * spacing
    ends = np.transpose([bed.low - GRAIN, high + GRAIN])
    fill = (
        f"lattice sc {spacing:.17g}\n"
        f"region fill block {words(np.transpose([low, high]))} units box\n"
        f"create_atoms 1 region fill subset {bed.number} {number}\n"
        f"set group all diameter {GRAIN} density {DENSITY['M1']}\n"
        "group grains type 1\n"
    )

    def contacts(softer: float) -> str:
        between = law("M1", "M1", "csds", softer=softer)
        return f"pair_coeff * * {between}\n{bed.walls('csds', softer=softer)}"

    grains = settle(
        lammps,
        number,
        box=ends,
        fill=fill,
        grain=GRAIN,
        displaced=0.05 * GRAIN,
        soft=contacts(SOFT),
        stiff=contacts(1.0),
        softer=1.0,
        long_step=20 * STEP,
        falling=0.2 * np.sqrt(bed.scale),
        damped=1e-3 * bed.scale,  # about the time in which sound travels from floor to surface
        relax=6000,
        step=2 * STEP,
        rest=20_000,
    )
    speed = np.sqrt((grains[["vx", "vy", "vz"]] ** 2).sum(axis=1).mean())
    if speed > AT_REST:
        raise ValueError(f"the grains of bed {number} still move, at {speed:.3g} m/s (rms)")
    return grains[["x", "y", "z"]].to_numpy(float)


def settle(
    lammps: Callable[..., Run],
    number: int,
    *,
    box: ArrayLike,
    fill: str,
    grain: float,
    displaced: float,
    soft: str,
    stiff: str,
    softer: float,
    long_step: float,
    falling: float,
    damped: float,
    relax: int,
    step: float,
    rest: int,
    material: str = "M1",
    kinds: int = 1,
    down: str = "0 0 -1",
) -> pd.DataFrame:
    """Let soft grains fall, restore their stiffness, and return the dump of the final state.

    Args:
        lammps: function that runs a script.
        number: number of the packing. The first packing has the number 1.
        box: array of shape (3, 2), lower and upper ends of the simulation box.
        fill: commands that create the grains.
        grain: diameter of the smallest grains.
        displaced: largest random displacement of a grain along each axis.
        soft: commands for the contacts of grains whose Young's modulus is divided by `SOFT`.
        stiff: commands for the contacts of the final, stiff grains.
        softer: factor by which Young's modulus of the stiff grains is divided.
        long_step: time step of the soft grains.
        falling: duration of the fall of the soft grains, in seconds.
        damped: time constant of the drag on the smallest grains, in seconds.
        relax: number of steps of the soft grains under reduced gravity and drag.
        step: time step of the stiff grains.
        rest: number of steps during which the stiff grains come to rest.
        material: material of the smallest grains.
        kinds: number of atom types.
        down: direction of gravity.
    """
    run = lammps(
        POUR.format(
            box=words(box),
            kinds=kinds,
            fill=fill,
            displaced=displaced,
            **seeds(number),
            skin=0.15 * grain,
            gravity=GRAVITY,
            down=down,
            soft=f"pair_style granular/plus\n{soft}",
            stiff=stiff,
            long_step=long_step,
            settle=round(falling / long_step),
            less_gravity=GRAVITY * softer / SOFT,
            drag=np.pi / 6 * grain**3 * DENSITY[material] / damped,
            relax=relax,
            step=step,
            rest=rest,
        ),
        timeout=7200.0,
    )
    return run.dump("grains")


def seeds(number: int) -> Mapping[str, int]:
    """Return the seeds of a poured packing. All repetitions and codes use the same seeds."""
    names = ("places", "first", "second", "third")
    return {name: 1000 * number + 13 * k for k, name in enumerate(names, 1)}


def words(numbers: ArrayLike) -> str:
    """Return numbers as words of a command, with all digits."""
    return " ".join(f"{number:.17g}" for number in np.ravel(numbers))


IMPACT = """
units si
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
read_data {data}
neighbor {skin} multi
group grains type 1
pair_style granular/plus
pair_coeff 1 1 {grains}
pair_coeff 1 2 {ball}
pair_coeff 2 2 {ball}
{walls}
fix move all nve/sphere/plus
fix weight all gravity {gravity} vector 0 0 -1
timestep {step}
variable z equal z[{last}]
thermo_style custom step v_z
thermo_modify norm no format float %.17g
thermo {every}
run {steps}
"""
UNTIL = 0.035  # end of a full-size impact, in seconds
TIMES = {"at 25 ms": 0.025, "at 28 ms": 0.028}  # times of the compared heights
MILLISECONDS = np.linspace(0.02, UNTIL, 16)  # times in s at which the codes reported heights
EVERY = 100  # steps between stored heights


class Impact(NamedTuple):
    """A bed and a ball above it. The ball has already fallen for `begin` × `EVERY` steps."""

    bed: Bed
    grains: NDArray[np.float64]
    begin: int

    @property
    def steps(self) -> int:
        """Number of steps from the start of the simulation to the time `UNTIL` × scale."""
        return round(UNTIL * self.bed.scale / STEP) - self.begin * EVERY

    def curve(self, steps: ArrayLike, heights: ArrayLike) -> NDArray[np.float64]:
        """Return an array of shape (n, 2): times and heights of the ball.

        At time 0, the speed of the ball is 5 m/s.
        """
        times = STEP * (self.begin * EVERY + np.asarray(steps, dtype=float))
        return np.column_stack([times, heights])

    def write(self, path: Path) -> Path:
        """Write a data file with the grains and the ball. The ball is the last atom."""
        height, velocity = self.bed.flight(self.begin * EVERY * STEP)
        place = np.vstack([self.grains, [0.0, 0.0, height]])
        motion = np.zeros_like(place)
        motion[-1, 2] = velocity
        last = np.arange(len(place)) == len(self.grains)
        return packings.write_spheres(
            path,
            np.transpose([self.bed.low - GRAIN, self.bed.high + GRAIN]),
            place,
            diameter=np.where(last, 2.0 * self.bed.radius, GRAIN),
            density=np.where(last, DENSITY["steel"], DENSITY["M1"]),
            kind=np.where(last, 2, 1),
            velocity=motion,
        )

    def script(self, data: Path, slider: str, rougher: float = 1.0) -> str:
        """Return the script for granular/plus."""
        return IMPACT.format(
            data=data,
            skin=0.2 * GRAIN,
            grains=law("M1", "M1", slider, rougher=rougher),
            ball=law("M1", "steel", slider, rougher=rougher),
            walls=self.bed.walls(slider, rougher=rougher),
            gravity=GRAVITY,
            step=STEP,
            last=len(self.grains) + 1,
            every=EVERY,
            steps=self.steps,
        )


def read(curve: NDArray[np.float64], scale: float) -> dict[str, float]:
    """Return the heights that are compared between codes.

    `curve` has shape (n, 2): times and heights.
    """
    found = {name: float(np.interp(time * scale, *curve.T)) for name, time in TIMES.items()}
    return found | {"lowest": float(np.interp(MILLISECONDS * scale, *curve.T).min())}


HALF = 0.5  # scale of the stored beds


def kept_beds(data: Path) -> list[NDArray[np.float64]]:
    """Return the positions of the grains in the stored half-size beds.

    The beds are stored in `validation/data`. There is an array of shape (n, 3) for each bed.
    """
    with np.load(data / "dosta" / "beds.npz") as file:
        return [file[name].astype(float) for name in file.files]


def above(bed: Bed, grains: NDArray[np.float64]) -> Impact:
    """Return an impact that begins when the ball is one grain diameter above the highest grain."""
    top = grains[:, 2].max() + 0.5 * GRAIN
    begin = 0
    while bed.flight((begin + 1) * EVERY * STEP)[0] - bed.radius > top + GRAIN:
        begin += 1
    return Impact(bed, grains, begin)


# ----------------------------------------------------------------- the same impact in other codes

LIGGGHTS = """
units si
atom_style granular
hard_particles yes
atom_modify map array
boundary f f f
newton off
communicate single vel yes
read_data grains.data
neighbor {skin} bin
neigh_modify delay 0 every 1
{materials}
{walls}
fix move all nve/sphere
fix weight all gravity {gravity} vector 0 0 -1
timestep {step}
variable step equal step
variable z equal z[{last}]
fix heights all print {every} "${{step}} ${{z}}" file heights screen no
thermo 100000
run {steps}
"""
YADE = """
import numpy as np
{materials}
low, high = {low!r}, {high!r}
O.bodies.append([wall(low[axis], axis=axis, sense=1, material=steel) for axis in range(3)])
O.bodies.append([wall(high[axis], axis=axis, sense=-1, material=steel) for axis in range(2)])
for place in np.loadtxt("grains.txt"):
    O.bodies.append(sphere(tuple(place), {radius!r}, material=M1))
ball = O.bodies[O.bodies.append(sphere((0, 0, {height!r}), {ball!r}, material=steel))]
ball.state.vel = (0, 0, {velocity!r})
heights = open("heights", "w")
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist={skin!r}),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
        [physics], [Law2_ScGeom_MindlinPhys_Mindlin()]),
    PyRunner(iterPeriod={every}, command="print(O.iter, ball.state.pos[2], file=heights)"),
    NewtonIntegrator(damping=0, gravity=(0, 0, -{gravity!r})),
]
O.dt = {step!r}
O.run({steps} + 1, True)
heights.close()
"""


def materials_in_liggghts(names: Sequence[str], softer: float = 1.0) -> str:
    """Return the commands for materials. `names` are the materials of the atom types 1, 2, ..."""

    def fix(name: str, kind: str, values: Iterable[float]) -> str:
        return f"fix {name} all property/global {name} {kind} {words(list(values))}\n"

    pairs = [(min(pair), max(pair)) for pair in product(names, names)]
    each = f"peratomtypepair {len(names)}"
    return (
        fix("youngsModulus", "peratomtype", (YOUNG[name] / softer for name in names))
        + fix("poissonsRatio", "peratomtype", (POISSON for _ in names))
        + fix("coefficientRestitution", each, (RESTITUTION[pair] for pair in pairs))
        + fix("coefficientFriction", each, (FRICTION[pair] for pair in pairs))
        + "pair_style gran model hertz tangential history\npair_coeff * *\n"
    )


def materials_in_yade(names: Sequence[str], softer: float = 1.0) -> str:
    """Return lines that define the variable `physics` and one variable per material."""
    lines = [
        f"{name} = O.materials.append(FrictMat(young={YOUNG[name] / softer!r},"
        f" poisson={POISSON!r}, density={DENSITY[name]!r}))\n"
        for name in names
    ]
    pairs = list(combinations_with_replacement(sorted(names), 2))
    matches = {
        key: ", ".join(f"({one}, {other}, {value[one, other]!r})" for one, other in pairs)
        for key, value in (
            ("frictAngle", {pair: float(np.arctan(FRICTION[pair])) for pair in pairs}),
            ("en", RESTITUTION),
        )
    }
    physics = ", ".join(f"{key}=MatchMaker(matches=({text}))" for key, text in matches.items())
    return f"{''.join(lines)}physics = Ip2_FrictMat_FrictMat_MindlinPhys({physics})\n"


def in_liggghts(impact: Impact, folder: Path) -> str:
    """Return the LIGGGHTS script, which writes steps and heights to the file `heights`."""
    data = impact.write(folder / "grains.data")
    data.write_text(data.read_text().replace("Atoms # sphere", "Atoms"))
    low, high = impact.bed.low, impact.bed.high
    planes = [*zip("xyz", low, strict=True), *zip("xy", high[:2], strict=True)]
    walls = [
        f"fix wall{k} all wall/gran model hertz tangential history primitive type 2"
        f" {axis}plane {place:.17g}\n"
        for k, (axis, place) in enumerate(planes)
    ]
    return LIGGGHTS.format(
        skin=0.2 * GRAIN,
        materials=materials_in_liggghts(("M1", "steel")),
        walls="".join(walls),
        gravity=GRAVITY,
        step=STEP,
        last=len(impact.grains) + 1,
        every=EVERY,
        steps=impact.steps,
    )


def in_yade(impact: Impact, folder: Path) -> str:
    """Return the YADE script, which writes steps and heights to the file `heights`."""
    np.savetxt(folder / "grains.txt", impact.grains)
    height, velocity = impact.bed.flight(impact.begin * EVERY * STEP)
    return YADE.format(
        materials=materials_in_yade(("M1", "steel")),
        low=impact.bed.low.tolist(),
        high=impact.bed.high.tolist(),
        radius=0.5 * GRAIN,
        ball=impact.bed.radius,
        height=float(height),
        velocity=float(velocity),
        skin=0.1 * GRAIN,
        gravity=GRAVITY,
        every=EVERY,
        step=STEP,
        steps=impact.steps,
    )
