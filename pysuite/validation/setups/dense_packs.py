"""Scripts for several codes that simulate a dense packing, to compare the time per step.

All scripts use Hertz's law with a dashpot, Mindlin's spring and Coulomb friction. The packing
drifts uniformly. Therefore the codes rebuild neighbour lists as often as in a flow.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import engine
from pysuite.validation.setups import packings

# numbers of copies of a cell of 1024 grains along x, y and z, keyed by the argument `quick`
REPEATED = {False: (4, 4, 2), True: (2, 2, 1)}
STEP = 1e-4
SKINS = (0.1, 0.2, 0.3)  # in mean diameters
DRIFT = (16.0, 4.0, 2.0)
YOUNG, POISSON, RESTITUTION, FRICTION = 1e6, 0.3, 0.9, 0.5
MATERIAL = f"{YOUNG:g} {RESTITUTION} {POISSON}"
TANGENTIAL = f"tangential mindlin NULL 1.0 {FRICTION}"
LAMMPS_STYLES = {
    "granular/plus": "pair_style granular/plus\n"
    f"pair_coeff * * hertz/material {MATERIAL} damping tsuji {TANGENTIAL} slider csds",
    "granular": "pair_style granular\n"
    f"pair_coeff * * hertz/material {MATERIAL} damping tsuji {TANGENTIAL}",
    "gran/hertz/history": f"pair_style gran/hertz/history 732601 904977 900 NULL {FRICTION} 0\n"
    "pair_coeff * *",
}
LIGGGHTS_STYLE = f"""
fix young all property/global youngsModulus peratomtype {YOUNG:g}
fix poisson all property/global poissonsRatio peratomtype {POISSON}
fix restitution all property/global coefficientRestitution peratomtypepair 1 {RESTITUTION}
fix friction all property/global coefficientFriction peratomtypepair 1 {FRICTION}
pair_style gran model hertz tangential history
pair_coeff * *
"""
SCRIPT = """
units lj
atom_style {atoms}
boundary p p p
newton off
{velocities}
read_data grains.data
{style}
timestep {step}
neighbor {skin} bin
neigh_modify every 1 delay 0
fix move all nve/sphere
thermo 100000
run {warm_up}
run {steps}
"""
YADE = """
import math, time
import numpy as np
grains = np.loadtxt("grains.txt")
O.periodic = True
O.cell.setBox(*{edges!r})
material = O.materials.append(FrictMat(young={young!r}, poisson={poisson!r},
    frictionAngle=math.atan({friction!r}), density=1))
O.bodies.append([sphere(tuple(g[:3]), 0.5 * g[3], material=material) for g in grains])
for body in O.bodies:
    body.state.vel = {drift!r}
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb()], verletDist=0.5 * {skin!r}),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom()],
        [Ip2_FrictMat_FrictMat_MindlinPhys(en={restitution!r})],
        [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(damping=0),
]
O.dt = {step!r}
O.run({warm_up}, True)
began = time.perf_counter()
O.run({steps}, True)
print("Loop time of", time.perf_counter() - began)
"""


class Pack(NamedTuple):
    """Edges of the periodic box, grains, and numbers of steps before and during the measurement."""

    edges: tuple[float, float, float]
    grains: pd.DataFrame
    warm_up: int
    steps: int

    def in_lammps(self, name: str, skin: float) -> str:
        """Return the script for a style of LAMMPS."""
        return self._script("sphere", "comm_modify vel yes", LAMMPS_STYLES[name], skin)

    def in_liggghts(self, skin: float) -> str:
        """Return the script for LIGGGHTS."""
        return self._script("granular", "communicate single vel yes", LIGGGHTS_STYLE, skin)

    def in_yade(self, skin: float) -> str:
        """Return the script for YADE."""
        return YADE.format(
            edges=self.edges,
            young=YOUNG,
            poisson=POISSON,
            friction=FRICTION,
            restitution=RESTITUTION,
            drift=DRIFT,
            skin=skin,
            step=STEP,
            warm_up=self.warm_up,
            steps=self.steps,
        )

    def _script(self, atoms: str, velocities: str, style: str, skin: float) -> str:
        return SCRIPT.format(
            atoms=atoms,
            velocities=velocities,
            style=style,
            step=STEP,
            skin=skin,
            warm_up=self.warm_up,
            steps=self.steps,
        )


def make(cell: Path, quick: bool, folder: Path) -> Pack:
    """Repeat a cell. Write the grains to files in `folder` that the scripts can read."""
    repeated = REPEATED[quick]
    engine.run(
        f"units lj\natom_style sphere\nboundary p p p\nread_data {cell}\n"
        f"replicate {' '.join(map(str, repeated))}\npair_style zero 1.1\npair_coeff * *\n"
        'run 0\nprint "$(lx:%.17g) $(ly:%.17g) $(lz:%.17g) $(xlo:%.17g) $(ylo:%.17g) $(zlo:%.17g)" '
        "file box screen no\n"
        "write_dump all custom grains x y z diameter modify format float %.17g\n",
        folder=folder,
    )
    grains = engine.parse_dump((folder / "grains").read_text())
    box = np.loadtxt(folder / "box")
    edges, low = box[:3], box[3:]
    grains[["x", "y", "z"]] -= low
    data = packings.write_spheres(
        folder / "grains.data",
        [(0.0, edge) for edge in edges],
        grains[["x", "y", "z"]],
        diameter=grains["diameter"],
        velocity=DRIFT,
    )
    # LIGGGHTS rejects the comment "# sphere"
    data.write_text(data.read_text().replace("Atoms # sphere", "Atoms"))
    np.savetxt(folder / "grains.txt", grains[["x", "y", "z", "diameter"]])
    warm_up, steps = (20, 100) if quick else (100, 1000)
    x, y, z = (float(edge) for edge in edges)
    return Pack((x, y, z), grains, warm_up, steps)
