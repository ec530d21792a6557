"""Walls under load with run_style verlet/plus/gpu on the CPU.

Results equal those of LAMMPS's run_style verlet bit for bit.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, meshes
from pysuite.outputs import LEDGER, WALL
from tests.styles.test_meshes_on_gpu import END, HERTZ, HOOKE, belt, quad, turned

STEPS = 2_500

HEAD = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
boundary {boundary}
comm_modify vel yes
lattice sc 0.7
region box block -3 3 -3 3 -6 12 units box
create_box 2 box
region fill cylinder z 0 0 2.9 0.5 6 units box
create_atoms 1 region fill
set group all type/fraction 2 0.4 77
set type 1 diameter 1.0 density 1
set type 2 diameter 0.8 density 2
displace_atoms all random 0.05 0.05 0.05 9
velocity all create 1 123 loop geom
timestep 5e-4
pair_style granular/plus{ledger}
pair_coeff * * {model}
fix weight all gravity 5 vector 0.3 0 -1
"""


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> np.ndarray:
    (a, b, c), (d, e, f) = low, high
    faces = [
        ((a, b, c), (a, e, c), (d, e, c), (d, b, c)),
        ((a, b, f), (d, b, f), (d, e, f), (a, e, f)),
        ((a, b, c), (d, b, c), (d, b, f), (a, b, f)),
        ((a, e, c), (a, e, f), (d, e, f), (d, e, c)),
        ((a, b, c), (a, b, f), (a, e, f), (a, e, c)),
        ((d, b, c), (d, e, c), (d, e, f), (d, b, f)),
    ]
    return np.array([triangle for face in faces for triangle in quad(*face)])


# each scene lists the wall under load with its motion, the model, the boundary, the other wall, and
# the mesh
SCENES = {
    "piston": ("zplane NULL 7 load z -300 mass 20 drag 5", HERTZ, "p p f", "zplane 0 NULL", None),
    "stops": (
        "zplane 0 8 load z 150 mass 10 between -0.3 0.05",
        HERTZ,
        "p p f",
        "zplane -2 NULL",
        None,
    ),
    "shear cell": (
        "zplane NULL 7 load z -300 mass 20 shear x 2 wiggle y 0.1 0.8",
        HERTZ,
        "p p f",
        "zplane 0 NULL",
        None,
    ),
    "tube that turns": (
        "zcylinder 2.95 load z -60 mass 40 rotate 2 0 0 0 0 0 1",
        HERTZ,
        "f f f",
        "zplane 0 11",
        None,
    ),
    "block that falls": (
        "load z -150 mass 15",
        HERTZ,
        "p p f",
        "zplane 0 NULL",
        block((-1.5, -1.2, 6.5), (1.5, 1.2, 8)),
    ),
    "paddle": (
        "load z -120 mass 10 drag 2 rotate 3 0 0 0 0 0 1",
        HOOKE,
        "f f f",
        "zplane 0 NULL",
        block((-2, -0.2, 6.5), (2, 0.2, 8.5)),
    ),
    "roller": (
        "load z -80 mass 20 rotate 3 0 0 7.5 0 1 0",
        HERTZ,
        "f f f",
        "zplane 0 NULL",
        turned([(0.1, -1.5), (1.2, -1.5), (1.2, 1.5), (0.1, 1.5)], 16)[..., [0, 2, 1]]
        + [0.0, 0.0, 7.5],
    ),
    "belt that is pressed": (
        "load z -100 mass 20 between -4 NULL shear x 2",
        HERTZ,
        "f f f",
        "zplane 0 NULL",
        belt() * [0.6, 0.6, -0.6] + [0.0, 0.0, 7.0],
    ),
}


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """Run on the CPU unless the environment selects a GPU; overwrite outdated values with NaN."""
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", os.environ.get("GRANULAR_PLUS_DEVICE", "host"))
    monkeypatch.setenv("GRANULAR_PLUS_POISON", "yes")


def script_of(
    scene: str, folder: Path, *, ledger: bool = False, newton: str = "off"
) -> tuple[str, str]:
    wall, model, boundary, other, mesh = SCENES[scene]
    if mesh is not None:
        meshes.write_stl(folder / "wall.stl", mesh, text=True)
        wall = f"mesh wall.stl {wall}"
    head = HEAD.format(newton=newton, boundary=boundary, model=model, ledger=" ledger yes" * ledger)
    walls = {"wall": wall, "floor": other}
    if boundary == "f f f" and "zcylinder" not in wall:
        walls["round"] = "zcylinder 2.95"
    acting = "".join(
        f"fix {name} all wall/granular/plus {model} {words}\n" for name, words in walls.items()
    )
    return head, f"{acting}fix move all nve/sphere\n"


def run(
    scene: str,
    style: str,
    folder: Path,
    *,
    ledger: bool = False,
    newton: str = "off",
    more: str = f"run {STEPS}",
) -> engine.Run:
    of_run = folder / f"run{len(list(folder.iterdir()))}"
    of_run.mkdir()
    head, acting = script_of(scene, of_run, ledger=ledger, newton=newton)
    script = f"{head}{acting}run_style {style}\nthermo 500\n"
    script += f"thermo_style custom step f_wall[*]{' c_books[*]' * ledger}\n"
    script += f"thermo_modify norm no format float %.17g\n{more}\n"
    if ledger:
        script = script.replace("thermo_style", "compute books all granular/ledger\nthermo_style")
    return engine.run(f"{script}{END} modify sort id format float %.17g\n", folder=of_run)


def bits(run: engine.Run) -> np.ndarray:
    return run.dump("end").drop(columns="step").to_numpy(float)


def steps_of_engine(run: engine.Run) -> int:
    return sum(map(int, re.findall(r"gpu: computed (\d+) of \d+ steps on", run.log)))


@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_verlet(scene, tmp_path):
    """Only the work of a belt differs, because the terms of its sum are rounded differently."""
    expected, found = (
        run(scene, style, tmp_path, more=f"run {STEPS}\nrun 100")
        for style in ("verlet", "verlet/plus/gpu")
    )
    assert steps_of_engine(found) > 0.95 * STEPS
    assert np.array_equal(bits(found), bits(expected))
    table, found_table = expected.thermo, found.thermo
    work = WALL.of("f_wall", "work")
    assert np.allclose(found_table[work], table[work], rtol=1e-13, atol=0)
    if "belt" in scene:
        table, found_table = (each.drop(columns=work) for each in (table, found_table))
    assert found_table.equals(table)
    assert table[WALL.of("f_wall", "contacts")].max() >= 2
    assert np.abs(table[WALL.of("f_wall", "displacement_z")]).max() > 0.04
    stopped = table[WALL.of("f_wall", "stopped")].max()
    assert (stopped > 1e-3) == (scene == "stops")


@pytest.mark.parametrize("scene", SCENES)
def test_the_ledger(scene, tmp_path):
    expected, found = (
        run(scene, style, tmp_path, ledger=True) for style in ("verlet", "verlet/plus/gpu")
    )
    assert steps_of_engine(found) > 0.95 * STEPS
    assert np.array_equal(bits(found), bits(expected))
    table, found_table = (run.thermo.to_numpy(float)[:, 1:] for run in (expected, found))
    assert table.shape == found_table.shape
    assert np.abs(found_table - table).max() <= 1e-13 * np.abs(table).max()
    work = [each.thermo[LEDGER.of("c_books", "wall_work")] for each in (expected, found)]
    assert np.abs(work[0]).max() > 0.1
    assert np.allclose(*work, rtol=1e-12, atol=0)


@pytest.mark.parametrize("scene", ["piston", "paddle"])
@pytest.mark.parametrize("thermo", [1, 7])
def test_looking_changes_nothing(scene, thermo, tmp_path):
    tables, all_bits = [], []
    for style in ("verlet", "verlet/plus/gpu"):
        found = run(scene, style, tmp_path, more=f"thermo {thermo}\nrun {STEPS}")
        tables.append(found.thermo)
        all_bits.append(bits(found))
    assert (steps_of_engine(found) == 0) == (thermo == 1)
    assert np.array_equal(*all_bits)
    assert tables[0].equals(tables[1])
    rarely = run(scene, "verlet/plus/gpu", tmp_path)
    assert np.array_equal(bits(rarely), all_bits[0])


@pytest.mark.parametrize("scene", ["piston", "stops", "paddle"])
@pytest.mark.parametrize("styles", [("verlet", "verlet/plus/gpu"), ("verlet/plus/gpu", "verlet")])
def test_a_run_goes_on_from_a_restart_with_the_other_style(scene, styles, tmp_path):
    head, acting = script_of(scene, tmp_path)

    def halves(first: str, second: str) -> np.ndarray:
        script = f"{head}{acting}run_style {first}\nrun 1300\nwrite_restart half\nclear\n"
        script += "newton off\nread_restart half\ncomm_modify vel yes\n"
        script += f"fix weight all gravity 5 vector 0.3 0 -1\n{acting}run_style {second}\nrun 700\n"
        end = engine.run(f"{script}{END} modify sort id format float %.17g\n", folder=tmp_path)
        return bits(end)

    assert np.array_equal(halves(*styles), halves("verlet", "verlet"))


@pytest.mark.parametrize("scene", SCENES)
def test_the_two_styles_take_turns(scene, tmp_path):
    turns = (("verlet/plus/gpu", 801), ("verlet", 99), ("verlet/plus/gpu", 700))
    found, expected = (
        run(
            scene,
            "verlet",
            tmp_path,
            more="".join(
                f"run_style {style if mixed else 'verlet'}\nrun {steps}\ntimestep {step}\n"
                for (style, steps), step in zip(turns, ("3e-4", "4e-4", "5e-4"), strict=True)
            ),
        )
        for mixed in (True, False)
    )
    assert steps_of_engine(found) > 1400
    assert np.array_equal(bits(found), bits(expected))
    assert found.thermo.drop(columns=WALL.of("f_wall", "work")).equals(
        expected.thermo.drop(columns=WALL.of("f_wall", "work"))
    )


def test_newton_on_to_rounding(tmp_path):
    few = "run 300"
    found, expected = (
        run("piston", style, tmp_path, newton="on", more=few)
        for style in ("verlet/plus/gpu", "verlet")
    )
    assert steps_of_engine(found) > 200
    size = np.abs(bits(expected)).max(axis=0)
    assert np.all(np.abs(bits(found) - bits(expected)).max(axis=0) <= 1e-10 * size)


def test_steps_that_are_computed_anew_move_the_wall_once(tmp_path, monkeypatch):
    """Steps are repeated because memory is reserved for fewer contacts than the grain gets."""
    bowl = turned([(0.2, 0.0), (2.0, 2.0)], 7)
    meshes.write_stl(tmp_path / "wall.stl", bowl * [1, 1, -1] + [0, 0, 3], text=True)

    def fall(style: str) -> engine.Run:
        return engine.run(
            f"""units lj
atom_style sphere
atom_modify map array
newton off
boundary f f f
region box block -3 3 -3 3 -3 5
create_box 1 box
create_atoms 1 single 0.1 0.05 0.5
set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * {HERTZ}
comm_modify vel yes
fix weight all gravity 5 vector 0 0 -1
fix floor all wall/granular/plus {HERTZ} zplane 0 NULL
fix wall all wall/granular/plus {HERTZ} mesh wall.stl load z -20 mass 1 drag 1
fix move all nve/sphere
timestep 5e-4
thermo_style custom step f_wall[*]
thermo_modify format float %.17g
thermo 4000
run_style {style}
run 16000
{END} modify sort id format float %.17g
""",
            folder=tmp_path,
        )

    expected, found = fall("verlet"), fall("verlet/plus/gpu")
    assert np.array_equal(bits(found), bits(expected))
    assert found.thermo.equals(expected.thermo)
    assert found.thermo[WALL.of("f_wall", "contacts")].iloc[-1] == 7
    assert steps_of_engine(found) > 15_000
