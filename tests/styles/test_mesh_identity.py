"""Contacts with a mesh are those with its surface, whichever way that is drawn.

Thin plates, triangles in any order, edges that overlap in part, coordinates of six digits.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, meshes
from pysuite.outputs import LEDGER, WALL

ONE = """
units lj
atom_style sphere
boundary f f f
region box block -20 20 -20 20 -20 20
create_box 1 box
comm_modify vel yes
"""
STIFFNESS = 2e4
HOOKE = f"hooke {STIFFNESS} 20 damping velocity tangential linear_history {STIFFNESS} 1 0.5"
WET = "bridge willett 2 20 volume 2e-3"
FLOOR = "zplane 0 NULL"


def drawn(folder: Path, surface: np.ndarray) -> str:
    meshes.write_stl(folder / "surface.stl", surface, text=True)
    return "mesh surface.stl"


def plate(thickness: float, cells: int = 1, seed: int = -1) -> np.ndarray:
    """Return a closed plate whose upper face is at z = 0."""
    return meshes.box((-3, -3, -thickness), (3, 3, 0), cells, seed)


ORDERS = {
    "as drawn": lambda surface: surface,
    "backwards": lambda surface: surface[::-1],
    "shuffled": lambda surface: np.random.default_rng(7).permutation(surface),
    "wound the other way": lambda surface: surface[:, ::-1],
}


def on_a_slope(folder: Path, wall: str, law: str, overlap: float = 5e-4) -> np.ndarray:
    """Press a grain that cannot turn onto a wall, and pull it with 0.3 of that force, for 2.

    Returns how far it is then, its velocity, the force on the wall and the number of contacts.
    """
    weight = STIFFNESS * overlap
    columns = ["v_x", "v_z", "v_vx", WALL.of("f_w", "force_x"), WALL.of("f_w", "force_z")]
    columns.append(WALL.of("f_w", "contacts"))
    done = engine.run(
        f"{ONE}create_atoms 1 single 0 0 {0.5 - overlap:.17g} units box\n"
        f"set group all diameter 1 density {6 / np.pi:.17g}\n"
        f"pair_style zero 1\npair_coeff * *\nfix move all nve\n"
        f"fix w all wall/granular/plus {law} {wall}\n"
        f"fix weight all addforce {0.3 * weight} 0 {-weight}\ntimestep 1e-4\n"
        "variable x equal xcm(all,x)\nvariable z equal xcm(all,z)\nvariable vx equal vcm(all,x)\n"
        f"thermo_style custom step {' '.join(columns)}\nthermo_modify format float %.17g\n"
        "run 20000\n",
        folder=folder,
    )
    return done.thermo[columns].iloc[-1].to_numpy(dtype=float)


# ------------------------------------------------------------------------------------- thin plates


@pytest.mark.parametrize("law", [HOOKE, f"{HOOKE} {WET}"], ids=["dry", "wet"])
@pytest.mark.parametrize("thickness", [0.2, 0.02, 0.002])
@pytest.mark.parametrize("order", ORDERS)
def test_a_thin_plate_is_a_plane(tmp_path, law, thickness, order):
    """The spring and the bridge are those of the near face; the far one is never touched.

    The centre is above the seam of two triangles, where both faces are looked at.
    """
    plane = on_a_slope(tmp_path, FLOOR, law)
    assert plane[0] < 2e-4  # sticks: 0.3 of the weight over the stiffness is 1.5e-4
    thin = on_a_slope(tmp_path, drawn(tmp_path, ORDERS[order](plate(thickness))), law)
    np.testing.assert_allclose(thin, plane, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", ORDERS)
def test_a_plate_thinner_than_the_overlap_holds_by_two_springs(tmp_path, order):
    """Both faces act, as two planes do, each with a spring of its own; a warning says so."""
    thickness, overlap = 0.002, 0.003
    below = f"fix below all wall/granular/plus {HOOKE} zplane -{thickness} NULL"
    planes = on_a_slope(tmp_path, f"{FLOOR}\n{below}", HOOKE, overlap)
    wall = drawn(tmp_path, ORDERS[order](plate(thickness)))
    end = on_a_slope(tmp_path, wall, HOOKE, overlap)
    assert end[-1] == 2
    np.testing.assert_allclose(end[:3], planes[:3], rtol=1e-9, atol=1e-9)
    log = (tmp_path / "log.lammps").read_text()
    assert "grain 1 reaches through a plate to triangle" in log


def test_a_bridge_stays_with_the_face_that_is_seen(tmp_path):
    """A grain pressed through a plate, then lifted, hangs on one bridge, as on a plane."""
    pulls = []
    for wall in (FLOOR, drawn(tmp_path, plate(0.02))):
        done = engine.run(
            f"{ONE}create_atoms 1 single 0 0 0.5 units box\nset group all diameter 1 density 1\n"
            "pair_style zero 1\npair_coeff * *\n"
            f"fix w all wall/granular/plus {HOOKE} {WET} {wall}\n"
            "variable z equal 0.5-0.03*sin(2*PI*time)\n"
            "variable rise equal v_z-0.5\nvariable speed equal -0.06*PI*cos(2*PI*time)\n"
            "fix lift all move variable NULL NULL v_rise NULL NULL v_speed\n"
            f"timestep 1e-3\nthermo_style custom step {WALL.of('f_w', 'force_z')}\n"
            "thermo_modify format float %.17g\nthermo 750\nrun 750\n",
            folder=tmp_path,
        )
        pulls.append(done.thermo.iloc[-1, -1])
    assert pulls[0] > 1.0
    assert pulls[1] == pytest.approx(pulls[0], rel=1e-9)


@pytest.mark.parametrize("order", ["as drawn", "backwards"])
def test_a_drum_with_a_thin_shell_keeps_its_energy_balance(tmp_path, order):
    """36 go into friction; what the balance misses is that of a drum with one surface, 0.003."""
    law = "hertz 2e4 20 tangential mindlin 2e4 1 0.5"
    shell = meshes.lathe([(2, -1), (2, 1), (2.01, 1), (2.01, -1), (2, -1)], 48)
    done = engine.run(
        f"""units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -1.5 1.5
create_box 1 box
lattice sc 1.0
region middle cylinder z 0 0 1.4 -0.4 0.4 units box
create_atoms 1 region middle
set group all diameter 1 density 1.9
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
fix weight all gravity 10 vector 0 -1 0
fix drum all wall/granular/plus {law} {drawn(tmp_path, ORDERS[order](shell))} rotate 1 0 0 0 0 0 1
fix ends all wall/granular/plus {law} zplane -1 1
timestep 2e-4
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 100
run 10000
""",
        folder=tmp_path,
    )
    ledger = {name: done.thermo[LEDGER.of("c_ledger", name)] for name in ("residual", "slip")}
    assert ledger["slip"].iloc[-1] > 30
    assert np.abs(ledger["residual"]).max() < 0.01
