"""Walls, packings and scripts of the silo and the drum by which [dosta2024] compares eight codes.

All lengths except those of the grains are multiplied by `scale`. Softer grains have a longer time
step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from pysuite import meshes
from pysuite.engine import Run
from pysuite.validation.setups import packings
from pysuite.validation.setups.bulk import (
    DENSITY,
    GRAIN,
    GRAVITY,
    SOFT,
    law,
    materials_in_liggghts,
    materials_in_yade,
    settle,
)


class Silo(NamedTuple):
    """A silo: a cylinder above a 45-degree cone with a round orifice.

    With the default arguments, the silo contains 100,000 grains with a diameter of 4 mm.

    Attributes:
        orifice: "small" or "large".
        material: "M1" or "M2".
        scale: factor by which all lengths except those of the grains are multiplied.
        softer: factor by which Young's moduli are divided.
        filled: factor by which the number of grains is multiplied.
    """

    orifice: str
    material: str
    scale: float = 1.0
    softer: float = 1.0
    filled: float = 1.0

    @property
    def number(self) -> int:
        """Number of grains."""
        return round(100_000 * self.filled * self.scale**3)

    @property
    def radius(self) -> float:
        """Radius of the cylinder."""
        return 0.1 * self.scale

    @property
    def hole(self) -> float:
        """Radius of the orifice."""
        return {"small": 0.02, "large": 0.03}[self.orifice] * self.scale

    @property
    def low(self) -> float:
        """Height of the orifice."""
        return {"small": -0.0593008, "large": -0.0554222}[self.orifice] * self.scale

    @property
    def top(self) -> float:
        """Height of the upper end of the silo."""
        return 0.4 * self.scale

    @property
    def step(self) -> float:
        """Time step of [dosta2024], lengthened for softer grains."""
        return {"M1": 1.5e-6, "M2": 2e-6}[self.material] * np.sqrt(self.softer)

    def steps(self, time: float) -> dict[str, int]:
        """Return the number of steps of a run (`steps`), and of steps between counts (`every`)."""
        every = round(COUNTED / self.step)
        return {"every": every, "steps": round(time / COUNTED) * every}

    def mesh(self, folder: Path) -> Path:
        """Write an STL file of the walls. There are 60 facets around the axis."""
        rim = self.low + self.radius - self.hole
        profile = [(self.hole, self.low), (self.radius, rim), (self.radius, self.top)]
        return meshes.write_stl(folder / "walls.stl", meshes.lathe(profile, 60), text=True)

    def contacts(self, slider: str, mesh: Path, **keywords: float) -> str:
        """Return the commands for contacts between grains and with the walls."""
        keywords = {"softer": self.softer, **keywords}
        return (
            f"pair_coeff * * {law(self.material, self.material, slider, **keywords)}\n"
            f"fix silo all wall/granular/plus {law(self.material, 'steel', slider, **keywords)}"
            f' mesh "{mesh}"\n'
        )


SILO, SILO_TIME = {"scale": 0.5, "softer": 100.0, "filled": 0.3}, 0.2
DRUM, DRUM_TIME = {"scale": 0.4, "softer": 100.0}, 0.25
ORIFICES, MATERIALS = ("small", "large"), ("M1", "M2")
BEGUN = 0.05  # seconds after which the flow is steady
COUNTED = 0.01  # seconds between counts of the grains
COARSE = 4e-3  # diameter of the grains in the silo, and of M2 in the drum


def fill_silo(
    lammps: Callable[..., Run], silo: Silo, number: int, folder: Path
) -> NDArray[np.float64]:
    """Return an array of shape (n, 3): positions of the settled grains above the closed orifice."""
    mesh = silo.mesh(folder)
    spacing = 1.15 * COARSE
    rim = silo.low + silo.radius - silo.hole
    inside = silo.radius - 0.6 * COARSE
    top = rim + 1.05 * silo.number * spacing**3 / (np.pi * inside**2)
    ends = [-silo.radius - COARSE, silo.radius + COARSE] * 2 + [silo.low - COARSE, top + COARSE]
    fill = (
        f"lattice sc {spacing:.17g}\n"
        f"region fill cylinder z 0 0 {inside:.17g} {rim:.17g} {top:.17g} units box\n"
        f"create_atoms 1 region fill subset {silo.number} {number}\n"
        f"set group all diameter {COARSE} density {DENSITY[silo.material]}\n"
    )
    loose = silo._replace(softer=SOFT)
    plug = f"zplane {silo.low:.17g} NULL"

    def contacts(which: Silo) -> str:
        steel = law(silo.material, "steel", "csds", softer=which.softer)
        return f"{which.contacts('csds', mesh)}fix plug all wall/granular/plus {steel} {plug}\n"

    grains = settle(
        lammps,
        number,
        box=ends,
        fill=fill,
        grain=COARSE,
        material=silo.material,
        displaced=0.05 * COARSE,
        soft=contacts(loose),
        stiff=contacts(silo),
        softer=silo.softer,
        long_step=loose.step,
        falling=0.4 * np.sqrt(silo.scale),
        damped=1e-3,
        relax=2000,
        step=silo.step,
        rest=round(10_000 / np.sqrt(silo.softer)),
    )
    return grains[["x", "y", "z"]].to_numpy(float)


FLOW = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
neighbor {skin} bin
pair_style granular/plus
{contacts}
fix move all nve/sphere/plus
fix weight all gravity {gravity} vector 0 0 -1
timestep {step:.17g}
variable in atom z>{low:.17g}
compute left all reduce sum v_in
thermo_style custom step c_left
thermo_modify norm no lost ignore format float %.17g
thermo {every}
run {steps}
"""


def flow(
    silo: Silo, data: Path, folder: Path, slider: str, time: float, rougher: float = 1.0
) -> str:
    """Return the script of a silo with an open orifice.

    The thermo output `c_left` of the script is the number of grains above the orifice.
    """
    return FLOW.format(
        data=data,
        skin=0.2 * COARSE,
        contacts=silo.contacts(slider, silo.mesh(folder), rougher=rougher),
        gravity=GRAVITY,
        step=silo.step,
        low=silo.low,
        **silo.steps(time),
    )


def rate(left: ArrayLike) -> float:
    """Return the number of grains that leave the silo per second after the time `BEGUN`.

    `left` are the numbers of remaining grains at intervals of `COUNTED` seconds.
    """
    counts = np.asarray(left, dtype=float)[round(BEGUN / COUNTED) :]
    return float((counts[0] - counts[-1]) / (COUNTED * (len(counts) - 1)))


def write_silo(silo: Silo, grains: NDArray[np.float64], path: Path, kinds: int = 1) -> Path:
    """Write a data file of the grains of a silo."""
    side = [-silo.radius - COARSE, silo.radius + COARSE]
    return packings.write_spheres(
        path,
        [side, side, [silo.low - 0.02, silo.top + COARSE]],
        grains,
        diameter=COARSE,
        density=DENSITY[silo.material],
        kinds=kinds,
    )


LIGGGHTS = """
units si
atom_style granular
hard_particles yes
boundary f f f
newton off
communicate single vel yes
read_data grains.data
neighbor {skin} bin
neigh_modify delay 0 every 1
{materials}
fix drawing all mesh/surface file walls.stl type {kinds}
fix walls all wall/gran model hertz tangential history mesh n_meshes 1 meshes drawing
fix move all nve/sphere
fix weight all gravity {gravity} vector {down}
timestep {step:.17g}
{output}
run {steps}
"""
COUNT_IN_LIGGGHTS = """
variable in atom z>{low:.17g}
compute left all reduce sum v_in
variable step equal step
variable left equal c_left
thermo_style custom step c_left
thermo_modify norm no lost ignore
thermo {every}
fix count all print {every} "${{step}} ${{left}}" file count screen no
"""
YADE = """
import numpy as np
from yade import ymport
{materials}
walls = O.bodies.append(ymport.stl("walls.stl", material=steel))
grains = []
for kind, x, y, z, radius in np.loadtxt("grains.txt"):
    grains.append(sphere((x, y, z), radius, material=kinds[int(kind) - 1]))
O.bodies.append(grains)
file = open("count", "w")
{output}
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()], verletDist={skin!r}),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom(hertzian=True)],
        [physics], [Law2_ScGeom_MindlinPhys_Mindlin()]),
    PyRunner(iterPeriod={every}, command="output()"),
    NewtonIntegrator(damping=0, gravity={down!r}),
    {motion}
]
O.dt = {step!r}
output()
O.run({steps} + 1, True)
file.close()
"""
COUNT_IN_YADE = """
def output():
    print(O.iter, sum(body.state.pos[2] > {low!r} for body in grains), file=file)
"""


def in_liggghts(silo: Silo, grains: NDArray[np.float64], folder: Path, time: float) -> str:
    """Return the LIGGGHTS script. It writes steps and numbers of remaining grains to `count`."""
    silo.mesh(folder)
    data = write_silo(silo, grains, folder / "grains.data", kinds=2)
    data.write_text(data.read_text().replace("Atoms # sphere", "Atoms"))
    steps = silo.steps(time)
    return LIGGGHTS.format(
        materials=materials_in_liggghts((silo.material, "steel"), silo.softer),
        kinds=2,
        skin=0.2 * COARSE,
        gravity=GRAVITY,
        down="0 0 -1",
        step=silo.step,
        output=COUNT_IN_LIGGGHTS.format(low=silo.low, every=steps["every"]),
        steps=steps["steps"],
    )


def in_yade(silo: Silo, grains: NDArray[np.float64], folder: Path, time: float) -> str:
    """Return the YADE script. It writes steps and numbers of remaining grains to `count`."""
    silo.mesh(folder)
    ends = np.ones(len(grains)), np.full(len(grains), 0.5 * COARSE)
    np.savetxt(folder / "grains.txt", np.column_stack([ends[0], grains, ends[1]]))
    return YADE.format(
        materials=materials_in_yade((silo.material, "steel"), silo.softer)
        + f"kinds = [{silo.material}]\n",
        skin=0.1 * COARSE,
        down=(0.0, 0.0, -GRAVITY),
        motion="",
        step=float(silo.step),
        output=COUNT_IN_YADE.format(low=silo.low),
        **silo.steps(time),
    )


class Drum(NamedTuple):
    """A drum with grains of two materials.

    With scale 1, the drum has a radius of 0.1 m and a length of 0.06 m. At the start, 30,000 grains
    of M1 (diameter 2 mm) lie above 8,000 grains of M2 (4 mm). The axis of the drum is z. x points
    upwards. The bottom of the drum moves towards positive y.
    """

    scale: float = 1.0
    softer: float = 1.0

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of grains of M1 and M2."""
        return round(30_000 * self.scale**3), round(8_000 * self.scale**3)

    @property
    def radius(self) -> float:
        """Radius of the drum."""
        return 0.1 * self.scale

    @property
    def half(self) -> float:
        """Half the length of the drum."""
        return 0.03 * self.scale

    @property
    def step(self) -> float:
        """Time step of [dosta2024], lengthened for softer grains."""
        return 8e-7 * np.sqrt(self.softer)

    @property
    def speed(self) -> float:
        """Angular velocity: 2 rad/s with scale 1. The Froude number is the same for all scales."""
        return 2.0 / np.sqrt(self.scale)

    def steps(self, time: float) -> dict[str, int]:
        """Return the number of steps of a run (`steps`), and of steps between outputs (`every`)."""
        every = round(COUNTED / self.step)
        return {"every": every, "steps": round(time / COUNTED) * every}

    def mesh(self, folder: Path) -> Path:
        """Write an STL file of the shell and the end walls, with 60 facets around the axis."""
        profile = [(0.0, -self.half), (self.radius, -self.half), (self.radius, self.half)]
        triangles = meshes.lathe([*profile, (0.0, self.half)], 60)
        return meshes.write_stl(folder / "walls.stl", triangles, text=True)

    def contacts(self, slider: str, mesh: Path, turn: bool, **keywords: float) -> str:
        """Return the commands for contacts between grains and with the drum."""
        keywords = {"softer": self.softer, **keywords}
        lines = [
            f"pair_coeff {i} {j} {law(MATERIALS[i - 1], MATERIALS[j - 1], slider, **keywords)}\n"
            for i, j in ((1, 1), (1, 2), (2, 2))
        ]
        motion = f" rotate {-self.speed:.17g} 0 0 0 0 0 1" if turn else ""
        for kind, name in enumerate(MATERIALS, 1):
            steel = law(name, "steel", slider, **keywords)
            lines.append(
                f"group {name} type {kind}\n"
                f'fix drum{kind} {name} wall/granular/plus {steel} mesh "{mesh}"{motion}\n'
            )
        return "".join(lines)


class Filled(NamedTuple):
    """Types (1 for M1, 2 for M2) and positions of n grains. `place` has shape (n, 3)."""

    kind: NDArray[np.int_]
    place: NDArray[np.float64]


def fill_drum(lammps: Callable[..., Run], drum: Drum, number: int, folder: Path) -> Filled:
    """Return types and positions of the settled grains. Grains of M1 are above grains of M2."""
    mesh = drum.mesh(folder)
    coarse, fine = 1.1 * COARSE, 1.1 * GRAIN
    inside = drum.radius - 0.55 * COARSE
    length = 2.0 * (drum.half - 0.55 * COARSE)
    below = _chord(inside, 1.3 * drum.counts[1] * coarse**3 / length)
    end = drum.half + COARSE
    box = [-drum.radius - COARSE, drum.radius + COARSE] * 2 + [-end, end]
    region = (
        f"region {{}} cylinder z 0 0 {inside:.17g} {-length / 2:.17g} {length / 2:.17g} units box"
    )
    fill = (
        f"lattice sc {coarse:.17g}\n{region.format('shell')}\n"
        f"region low block INF {below:.17g} INF INF INF INF units box\n"
        "region lower intersect 2 shell low\n"
        f"create_atoms 2 region lower subset {drum.counts[1]} {number}\n"
        f"lattice sc {fine:.17g}\n"
        f"region high block {below + COARSE:.17g} INF INF INF INF INF units box\n"
        "region upper intersect 2 shell high\n"
        f"create_atoms 1 region upper subset {drum.counts[0]} {number + 1}\n"
        f"set type 1 diameter {GRAIN} density {DENSITY['M1']}\n"
        f"set type 2 diameter {COARSE} density {DENSITY['M2']}\n"
    )
    loose = drum._replace(softer=SOFT)
    grains = settle(
        lammps,
        number,
        box=box,
        kinds=2,
        fill=fill,
        grain=GRAIN,
        displaced=0.03 * GRAIN,
        down="-1 0 0",
        soft=loose.contacts("csds", mesh, turn=False),
        stiff=drum.contacts("csds", mesh, turn=False),
        softer=drum.softer,
        long_step=loose.step,
        falling=0.3 * np.sqrt(drum.scale),
        damped=3e-4,
        relax=2000,
        step=drum.step,
        rest=round(10_000 / np.sqrt(drum.softer)),
    )
    return Filled(grains["type"].to_numpy(int), grains[["x", "y", "z"]].to_numpy(float))


def _chord(radius: float, area: float) -> float:
    """Return the height of a horizontal chord above the centre of a circle.

    The part of the circle below the chord has the area `area`.
    """
    return float(
        brentq(
            lambda x: radius**2 * np.arccos(-x / radius) + x * np.sqrt(radius**2 - x**2) - area,
            -radius,
            radius,
        )
    )


TURN = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {data}
neighbor {skin} bin
pair_style granular/plus
{contacts}
fix move all nve/sphere/plus
fix weight all gravity {gravity} vector -1 0 0
timestep {step:.17g}
compute fine M1 com
compute coarse M2 com
thermo_style custom step c_fine[1] c_fine[2] c_coarse[1] c_coarse[2]
thermo_modify norm no format float %.17g
thermo {every}
run {steps}
"""
CENTRES_IN_LIGGGHTS = """
group M1 type 1
group M2 type 2
fix turn all move/mesh mesh drawing rotate origin 0 0 0 axis 0 0 -1 period {period:.17g}
variable step equal step
variable a equal xcm(M1,x)
variable b equal xcm(M1,y)
variable c equal xcm(M2,x)
variable d equal xcm(M2,y)
thermo {every}
fix centres all print {every} "${{step}} ${{a}} ${{b}} ${{c}} ${{d}}" file count screen no
"""
CENTRES_IN_YADE = """
groups = [[body for body in grains if body.material.id == kind] for kind in (M1, M2)]
def output():
    centres = [sum(body.state.pos[k] for body in group) / len(group)
        for group in groups for k in (0, 1)]
    print(O.iter, *centres, file=file)
"""


def turn(
    drum: Drum, data: Path, folder: Path, slider: str, time: float, rougher: float = 1.0
) -> str:
    """Return the script of a turning drum. It prints the centres of mass of M1 and M2."""
    return TURN.format(
        data=data,
        skin=0.2 * GRAIN,
        contacts=drum.contacts(slider, drum.mesh(folder), turn=True, rougher=rougher),
        gravity=GRAVITY,
        step=drum.step,
        **drum.steps(time),
    )


CENTRES = ("M1 up", "M1 sideways", "M2 up", "M2 sideways")


def centres(curves: Mapping[tuple[str, int], NDArray[np.float64]], drum: Drum) -> pd.DataFrame:
    """Return the final centres of mass for each code and packing, divided by the drum's radius."""
    rows = [
        {"code": code, "packing": number} | dict(zip(CENTRES, curve[-1] / drum.radius, strict=True))
        for (code, number), curve in curves.items()
    ]
    return pd.DataFrame(rows)


def write_drum(drum: Drum, filled: Filled, path: Path, kinds: int = 2) -> Path:
    """Write a data file of the grains of a drum."""
    side = [-drum.radius - COARSE, drum.radius + COARSE]
    density = np.array([DENSITY[name] for name in MATERIALS])
    return packings.write_spheres(
        path,
        [side, side, [-drum.half - COARSE, drum.half + COARSE]],
        filled.place,
        diameter=np.array([GRAIN, COARSE])[filled.kind - 1],
        density=density[filled.kind - 1],
        kind=filled.kind,
        kinds=kinds,
    )


def drum_in_liggghts(drum: Drum, filled: Filled, folder: Path, time: float) -> str:
    """Return the LIGGGHTS script. It writes steps and centres of mass to the file `count`."""
    drum.mesh(folder)
    data = write_drum(drum, filled, folder / "grains.data", kinds=3)
    data.write_text(data.read_text().replace("Atoms # sphere", "Atoms"))
    steps = drum.steps(time)
    output = CENTRES_IN_LIGGGHTS.format(period=2.0 * np.pi / drum.speed, every=steps["every"])
    return LIGGGHTS.format(
        materials=materials_in_liggghts((*MATERIALS, "steel"), drum.softer),
        kinds=3,
        skin=0.2 * GRAIN,
        gravity=GRAVITY,
        down="-1 0 0",
        step=drum.step,
        output=output,
        steps=steps["steps"],
    )


def drum_in_yade(drum: Drum, filled: Filled, folder: Path, time: float) -> str:
    """Return the YADE script. It writes steps and centres of mass to the file `count`."""
    drum.mesh(folder)
    radius = np.array([0.5 * GRAIN, 0.5 * COARSE])[filled.kind - 1]
    np.savetxt(folder / "grains.txt", np.column_stack([filled.kind, filled.place, radius]))
    return YADE.format(
        materials=materials_in_yade((*MATERIALS, "steel"), drum.softer) + "kinds = [M1, M2]\n",
        skin=0.1 * GRAIN,
        down=(-GRAVITY, 0.0, 0.0),
        motion="RotationEngine(ids=walls, rotateAroundZero=True, zeroPoint=(0, 0, 0),"
        f" rotationAxis=(0, 0, -1), angularVelocity={float(drum.speed)!r}),",
        step=float(drum.step),
        output=CENTRES_IN_YADE,
        **drum.steps(time),
    )
