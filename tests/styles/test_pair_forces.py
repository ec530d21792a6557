"""Compute pair/local gives the total force between two grains, the normal and the contact point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, measure
from pysuite.contacts import FORCE, NORMAL, POINT, SEPARATION
from pysuite.measure import fields
from pysuite.outputs import pair_local
from pysuite.shapes import cube

START = """
units lj
newton {newton}
atom_style bpm/sphere
boundary p p p
comm_modify vel yes
lattice sc {density}
region box block 0 3 0 3 0 3
create_box 1 box
create_atoms 1 box
displace_atoms all random 0.1 0.1 0.1 8123
set group all diameter {diameter} density 1
{set}
velocity all create 0.5 4711 rot yes
pair_style granular/plus
pair_coeff * * hooke 1e3 3 tangential linear_history 4e2 1 0.4 {model}
{fix}
timestep 1e-3
run 100
"""
END = f"""
compute ends all property/local patom1 patom2
compute pair all pair/local dist force {pair_local(*SEPARATION, *FORCE, *NORMAL, *POINT, "gap")} &
  {pair_local("normal_elastic", "normal_dashpot", "bridge", "bond")}
compute virial all pressure NULL pair
thermo_style custom step {" ".join(f"c_virial[{n}]" for n in range(1, 7))}
thermo_modify norm no format float %.15g
run 0
write_dump all custom grains id x y z radius mass vx vy vz fx fy fz modify format float %.17g
write_dump all local contacts index c_ends[*] c_pair[*] modify format float %.17g
"""
MOVE = "fix move all nve/bpm/sphere"
SCENES = {
    "spheres": {},
    "bridges": {"model": "bridge willett 0.5 20 volume 1e-2", "density": 0.9},
    "attraction": {"model": "van_der_waals 1 0.01 0.1"},
    "bonds": {
        "model": "bond beam 1e3 0.25 0.5 tension NULL shear NULL damping 0.1",
        "fix": f"{MOVE}\nfix bond all granular/bond form 0.1",
        "density": 0.9,
    },
    "cubes": {
        "fix": "fix body all shape/granular/plus file cube.obj density 1",
        "diameter": "1.7320508075688772",
        "density": 0.8,
        "set": "set group all quat/random 917",
    },
}


def scene(name: str, folder: Path, newton: str = "on") -> engine.Run:
    cube(1.0).write(folder / "cube.obj")
    words = {"model": "", "fix": MOVE, "set": "", "diameter": "1.05", "density": "1.05"}
    words |= SCENES[name]
    return engine.run(START.format(newton=newton, **words) + END, folder=folder)


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("name", SCENES)
def test_the_forces_of_all_pairs_are_those_of_the_grains(name, newton, tmp_path):
    run = scene(name, tmp_path, newton)
    grains = run.dump("grains").set_index("id")
    contacts = run.local("contacts")
    contacts = contacts[(contacts[SEPARATION] != 0).any(axis=1)]
    assert len(contacts) > 20
    total = 0.0 * grains[["fx", "fy", "fz"]].to_numpy()
    for end, sign in (("patom1", 1.0), ("patom2", -1.0)):
        at = grains.index.get_indexer(contacts[end].astype(int))
        np.add.at(total, at, sign * contacts[FORCE].to_numpy())
    scale = np.abs(contacts[FORCE].to_numpy()).max()
    np.testing.assert_allclose(total, grains[["fx", "fy", "fz"]], atol=1e-13 * scale, rtol=0)


@pytest.mark.parametrize("name", SCENES)
def test_fields_have_the_virial_of_lammps(name, tmp_path):
    """The force along b times the separation along a contributes to stress_ba.

    This also holds for shapes and bonds.
    """
    run = scene(name, tmp_path)
    grains, contacts = run.dump("grains"), run.local("contacts")
    still = grains.assign(vx=0.0, vy=0.0, vz=0.0)
    box = fields.read_box(run.folder / "grains")
    edges = list(box.ends)
    found = fields.fields(still, edges, 0.4, contacts=contacts, box=box).iloc[0]
    virial = run.thermo.iloc[-1]
    pairs = ["xx", "yy", "zz", "yx", "zx", "zy"]  # LAMMPS calls the last three xy, xz, yz
    expected = [virial[f"c_virial[{n}]"] for n in range(1, 7)]
    scale = np.abs(expected).max()
    # The integral over the box is exact, because lines have eight points. The virial has 15 digits.
    np.testing.assert_allclose(
        [found[f"stress_{pair}"] for pair in pairs], expected, atol=1e-12 * scale, rtol=0
    )


def test_normal_and_contact_point_are_those_of_the_surfaces(tmp_path):
    (tmp_path / "a").mkdir()
    run = scene("spheres", tmp_path / "a")
    contacts = run.local("contacts")
    contacts = contacts[contacts["gap"] < 0.0]
    normal = contacts[SEPARATION].to_numpy() / contacts[["dist"]].to_numpy()
    np.testing.assert_allclose(contacts[NORMAL], normal, atol=1e-14)
    depth = contacts[["gap"]].to_numpy()
    np.testing.assert_allclose(contacts[POINT], -(0.525 + 0.5 * depth) * normal, atol=1e-14)
    shaped = scene("cubes", tmp_path).local("contacts")
    shaped = shaped[shaped["gap"] < 0.0]
    along = (shaped[FORCE].to_numpy() * shaped[NORMAL].to_numpy()).sum(axis=1)
    central = shaped["normal_elastic"] + shaped["normal_dashpot"]
    np.testing.assert_allclose(along, central, rtol=1e-10, atol=1e-12 * central.abs().max())
    aslant = np.cross(shaped[NORMAL], shaped[SEPARATION].to_numpy() / shaped[["dist"]].to_numpy())
    assert np.linalg.norm(aslant, axis=1).max() > 0.2
    # the limit is the radius of the bounding sphere of a cube with edge length 1
    for distance in (shaped[POINT], shaped[POINT].to_numpy() + shaped[SEPARATION].to_numpy()):
        assert np.linalg.norm(distance, axis=1).max() < 0.8660254037844386
    expected = np.einsum("ni,nj->ij", shaped[NORMAL], shaped[NORMAL]) / len(shaped)
    np.testing.assert_allclose(measure.fabric(shaped), expected, atol=1e-12)
