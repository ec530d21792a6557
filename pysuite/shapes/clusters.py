"""Fill a closed surface with grains: a data file, and a script that bonds them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from pysuite import engine, files
from pysuite.shapes import Mesh, distance_to_triangles, read

SMALLEST = 0.8  # smallest / largest diameter; the distribution of diameters is uniform
FRACTION = 0.62  # volume fraction of the packing
MEAN_VOLUME = math.pi / 24 * (1.0 - SMALLEST**4) / (1.0 - SMALLEST)
GAP = 0.06  # largest gap of bonded grains / largest diameter
MARGIN = 0.5  # margin of the box / largest diameter

# Frictionless compression in a periodic box. The largest diameter and the density are 1.
PACKING = """
units lj
atom_style sphere
newton off
comm_modify vel yes
region box block 0 ${loose_x} 0 ${loose_y} 0 ${loose_z}
create_box 1 box
create_atoms 1 random ${n} ${seed} NULL overlap 0.85 maxtry 10000
variable size atom random(${smallest},1.0,${seed})
set group all diameter v_size density 1
neighbor 0.2 bin
pair_style granular/plus
pair_coeff * * hooke 2e3 0.5 damping coeff_restitution tangential linear_nohistory 0 0
fix move all nve/sphere
fix pack all deform 1 x final 0 ${x} y final 0 ${y} z final 0 ${z}
timestep 1e-3
run 6000
unfix pack
fix drag all viscous 2
run 2000
write_dump all custom packing.dump id x y z radius modify sort id format float %.17g
"""

SCRIPT = """\
# {count} bonded grains that fill {part}; data file written by pysuite pack. Any consistent units.

variable E index 1e9         # Young's modulus of bonds and grains
variable strength index 1e6  # strength of bonds in tension; twice that in shear
variable density index 2500  # density of the grains

units           si
atom_style      bpm/sphere
atom_modify     map array
boundary        s s s
newton          off
comm_modify     vel yes
read_data       {data}
set             group all density ${{density}}
neighbor        {skin:.6g} bin

pair_style      granular/plus ledger yes
pair_coeff      * * hertz/material ${{E}} 0.7 0.25 damping coeff_restitution &
                tangential mindlin NULL 1 0.5 &
                bond beam ${{E}} 0.25 0.5 tension ${{strength}} shear $(2*v_strength) damping 0.1
fix             bond all granular/bond form {gap:.6g}
fix             move all nve/bpm/sphere
timestep        $(0.1*{diameter:.6g}*sqrt(v_density/v_E))

run             0
print "bonds $(f_bond[1]:%.0f)"
"""


class Grains(NamedTuple):
    """Positions and radii of n grains, in the unit of the surface.

    `places` has shape (n, 3), and `radii` has shape (n,).
    """

    places: NDArray[numpy.float64]
    radii: NDArray[numpy.float64]

    @property
    def gap(self) -> float:
        """Largest gap across which grains are bonded."""
        return GAP * self.largest

    @property
    def largest(self) -> float:
        """Largest diameter of the grains."""
        return 2.0 * float(self.radii.max())

    @property
    def volume(self) -> float:
        """Total volume of the grains."""
        return 4.0 / 3.0 * math.pi * float((self.radii**3).sum())

    def bonds(self) -> int:
        """Return the number of pairs of grains whose surfaces are less than `gap` apart."""
        pairs = cKDTree(self.places).query_pairs(self.largest + self.gap, output_type="ndarray")
        i, j = pairs.T
        distance = numpy.linalg.norm(self.places[i] - self.places[j], axis=1)
        return int((distance < self.radii[i] + self.radii[j] + self.gap).sum())


def fill(surface: Mesh | Path | str, diameter: float, seed: int = 1) -> Grains:
    """Fill a closed surface with a random dense packing of grains.

    `diameter` is the largest diameter, in the unit of the surface. Diameters are uniformly
    distributed from 0.8 to 1 times `diameter`. The triangles of the surface are flat here, whereas
    the surface of a `Shape` may be smooth. Raises ValueError if the diameter or the seed is out of
    bounds, if the surface is open, or if no grain lies inside the surface.
    """
    if not (diameter > 0.0 and math.isfinite(diameter)):
        raise ValueError(f"diameter = {diameter:g} must be > 0 and finite")
    if not seed > 0:
        raise ValueError(f"seed = {seed} must be > 0")
    mesh = surface if isinstance(surface, Mesh) else read(surface)
    distance_to_triangles(mesh, numpy.empty((0, 3)))  # rejects open meshes
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    # in a narrower box, a grain could touch its own periodic image
    box = numpy.maximum((high - low) / diameter + 2.0 * MARGIN, 4.0)
    loose = (FRACTION / 0.3) ** (1.0 / 3.0)
    variables = {
        "n": round(FRACTION * float(numpy.prod(box)) / MEAN_VOLUME),
        "seed": seed,
        "smallest": SMALLEST,
        **{name: float(side) for name, side in zip("xyz", box, strict=True)},
        **{f"loose_{name}": float(loose * side) for name, side in zip("xyz", box, strict=True)},
    }
    run = engine.run(PACKING, variables=variables)
    packing = run.dump("packing.dump")
    places = (packing[["x", "y", "z"]].to_numpy() - 0.5 * box) * diameter + 0.5 * (low + high)
    radii = packing["radius"].to_numpy() * diameter
    inside = distance_to_triangles(mesh, places) <= -radii
    if not inside.any():
        raise ValueError(
            f"no grain of a packing with diameter {diameter:g} lies completely inside the surface"
        )
    return Grains(places[inside], radii[inside])


def volume_within(mesh: Mesh) -> float:
    """Return the volume of a closed mesh."""
    a, b, c = numpy.moveaxis(mesh.points[mesh.triangles] - mesh.points[0], 1, 0)
    return float((a * numpy.cross(b, c)).sum() / 6.0)


def write_data(path: Path | str, grains: Grains) -> None:
    """Write a data file for atom_style bpm/sphere. The density of the grains is 1."""
    low = grains.places.min(axis=0) - grains.largest
    high = grains.places.max(axis=0) + grains.largest
    lines = ["grains that fill a surface", "", f"{len(grains.radii)} atoms", "1 atom types", ""]
    for name, lo, hi in zip("xyz", low, high, strict=True):
        lines.append(f"{lo:.17g} {hi:.17g} {name}lo {name}hi")
    lines += ["", "Atoms # bpm/sphere", ""]
    for k, ((x, y, z), radius) in enumerate(zip(grains.places, grains.radii, strict=True), 1):
        lines.append(f"{k} 0 1 {2.0 * radius:.17g} 1 {x:.17g} {y:.17g} {z:.17g}")
    files.write(path, "\n".join([*lines, ""]))


def write_script(path: Path | str, data: Path, part: str, grains: Grains) -> None:
    """Write a script that reads the grains from `data` and bonds them.

    Both files must be in the same folder, because the script contains only the name of `data`,
    without its folder.
    """
    text = SCRIPT.format(
        count=len(grains.radii),
        part=part,
        data=data.name,
        diameter=grains.largest,
        gap=grains.gap,
        skin=0.2 * grains.largest,
    )
    files.write(path, text)
