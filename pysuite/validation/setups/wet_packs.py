"""A packing whose liquid bridges are stretched in stages, for comparison with another code.

At the start, about half of all neighbours touch, so that bridges form. Then all distances are
multiplied by growing factors. In the later stages, no grains touch, and bridges rupture.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import engine, outputs
from pysuite.validation.seeds import seed

TENSION, ANGLE = 0.7, 20.0  # surface tension; contact angle in degrees
VOLUME = 2.5e-3  # volume of each bridge: 0.02 R^3, where R is the mean radius
# factors by which distances are multiplied; the last bridge would rupture at a factor above 1.3
STAGES = (1.0, 1.14, 1.16, 1.18, 1.2, 1.22, 1.25)
SIDE = {False: 8, True: 4}  # number of grains along an edge, keyed by the parameter `quick`


class Pack(NamedTuple):
    """Positions and radii of n grains. `place` has shape (n, 3), and `radius` has shape (n,)."""

    place: np.ndarray
    radius: np.ndarray


def make(side: int) -> Pack:
    """Return grains close to the points of a cubic lattice. About half of all neighbours touch."""
    random = np.random.default_rng(seed(23))
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)
    place = lattice + random.uniform(-0.02, 0.02, lattice.shape)
    return Pack(place, random.uniform(0.45, 0.55, len(lattice)))


OURS = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -9 {far} -9 {far} -9 {far}
create_box 1 box
{grains}
set group all density 1
fix film all property/atom d_film ghost yes
set group all d_film 1
neighbor 0.1 bin
pair_style granular/plus
pair_coeff * * hooke 1e3 0 damping velocity tangential linear_nohistory 0 0 &
  bridge {law} {tension} {angle} film limit {volume:.17g}
timestep 1e-6
compute ids all property/local patom1 patom2
compute bridges all pair/local {values}
"""


def _ours(pack: Pack, law: str) -> str:
    grains = "".join(
        f"create_atoms 1 single {x:.17g} {y:.17g} {z:.17g}\nset atom {n} diameter {2 * r:.17g}\n"
        for n, ((x, y, z), r) in enumerate(zip(pack.place, pack.radius, strict=True), 1)
    )
    script = OURS.format(
        far=1.5 * len(pack.radius) ** (1 / 3) + 9,
        grains=grains,
        law=law,
        tension=TENSION,
        angle=ANGLE,
        volume=VOLUME,
        values=outputs.pair_local("bridge", "bridge_volume", "bridge_force"),
    )
    before = 1.0
    for stage, factor in enumerate(STAGES):
        script += "".join(f"variable {a} atom {a}*{factor / before!r}\n" for a in "xyz")
        script += "set group all x v_x y v_y z v_z\nrun 1\n"
        script += f"write_dump all local bridges.{stage} index c_ids[*] c_bridges[*] &\n"
        script += "  modify format float %.17g\n"
        before = factor
    return script


# YADE adds up the forces on grains from stage to stage, but does not add up the forces of
# interactions. The script therefore reads the forces of interactions.
THEIRS = """
import json
grains = json.load(open("pack.json"))
material = O.materials.append(ViscElCapMat(density=1, frictionAngle=0, kn=2e3, cn=0, ks=0, cs=0,
    Capillar=True, CapillarType="{law}", Vb={volume!r}, gamma={tension!r}, theta={angle!r}))
for place, radius in zip(grains["place"], grains["radius"]):
    O.bodies.append(sphere(place, radius, material=material))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb()], verletDist=0),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom()], [Ip2_ViscElCapMat_ViscElCapMat_ViscElCapPhys()],
        [Law2_ScGeom_ViscElCapPhys_Basic()]),
]
O.dt = 1e-6
found = []
for stage, factor in enumerate({stages!r}):
    for body, place in zip(O.bodies, grains["place"]):
        body.state.pos = [factor * x for x in place]
    O.step()
    for pair in O.interactions:
        if pair.isReal and pair.geom.penetrationDepth < 0:
            first, second = sorted((pair.id1 + 1, pair.id2 + 1))
            found.append((stage, first, second, pair.phys.Vb, pair.phys.normalForce.norm()))
json.dump(found, open("bridges.json", "w"))
"""
COLUMNS = ["stage", "first", "second", "volume", "force"]
LAWS = {"willett": "Willett_numeric", "willett/simple": "Willett_analytic"}  # names in YADE


def run_ours(pack: Pack, law: str, folder: Path) -> pd.DataFrame:
    """Run granular/plus. Return a table of the bridges, indexed by stage and pair of grains."""
    engine.run(_ours(pack, law), folder=folder, timeout=3600.0)
    rows = []
    for stage in range(len(STAGES)):
        dump = engine.parse_dump((folder / f"bridges.{stage}").read_text())
        bridged = dump[dump["c_bridges[1]"] == 1.0]
        ids = np.sort(bridged[["c_ids[1]", "c_ids[2]"]].to_numpy(int), axis=1)
        rows += [
            (stage, *pair, volume, force)
            for pair, volume, force in zip(
                ids, bridged["c_bridges[2]"], bridged["c_bridges[3]"], strict=True
            )
        ]
    return pd.DataFrame(rows, columns=COLUMNS).set_index(COLUMNS[:3])


def write_theirs(pack: Pack, law: str, folder: Path) -> str:
    """Write the input of the YADE script into the folder. Return the script."""
    (folder / "pack.json").write_text(
        json.dumps({"place": pack.place.tolist(), "radius": pack.radius.tolist()})
    )
    return THEIRS.format(law=LAWS[law], volume=VOLUME, tension=TENSION, angle=ANGLE, stages=STAGES)


def read_theirs(folder: Path) -> pd.DataFrame:
    """Return the bridges of a finished YADE run. The columns are the same as for `run_ours`."""
    found = json.loads((folder / "bridges.json").read_text())
    return pd.DataFrame(found, columns=COLUMNS).set_index(COLUMNS[:3])


def compare(ours: pd.DataFrame, theirs: pd.DataFrame) -> list[dict[str, str]]:
    """Return a row for each stage except the first. In the first stage, grains touch."""
    rows = []
    for stage, factor in list(enumerate(STAGES))[1:]:
        mine, other = (
            frame[frame.index.get_level_values("stage") == stage] for frame in (ours, theirs)
        )
        both = mine.index.intersection(other.index)
        apart = {
            value: np.abs(mine.loc[both, value] / other.loc[both, value] - 1.0).max()
            for value in ("volume", "force")
        }
        rows.append(
            {
                "factor": f"{factor:g}",
                "bridges": f"{len(both):,}",
                "in one only": f"{len(mine) + len(other) - 2 * len(both)}",
                "volumes differ by": f"{apart['volume']:.0e}",
                "pulls differ by": f"{apart['force']:.0e}",
            }
        )
    return rows
