"""Forces across gaps with run_style verlet/plus/gpu on the CPU.

Results equal those of LAMMPS's run_style verlet bit for bit.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.styles import test_verlet_plus_gpu as plain
from tests.styles.test_verlet_plus_gpu import (
    GRAVITY,
    HERTZ,
    MOVE,
    ROLLING,
    SIDE,
    SIX_PLANES,
    STEPS,
    bits,
    end_of,
    entry,
    lists_in_all,
    lists_of_engine,
    pair,
    steps_of_engine,
    walls,
)

device = plain.device  # make the fixture known in this file

ATTRACTED = f"{HERTZ} van_der_waals 0.01 0.01 0.1"
WET = f"{HERTZ} {ROLLING} bridge willett 1 20 volume 2e-3"
WET_SIMPLY = f"{HERTZ} bridge willett/simple 0.5 40 volume 4e-3"
JKR = "jkr 1e4 0.5 0.3 30 tangential mindlin NULL 1 0.5"
IN_CYLINDER = "displace_atoms all move -2 -2 0\nchange_box all x final -6 6 y final -6 6\n"
FLOOR = f"zplane 0 {2 * SIDE}"
SCENES = {
    "attraction": ("p p f", pair(ATTRACTED) + GRAVITY + walls(ATTRACTED, SIX_PLANES[2]) + MOVE),
    "attraction in a cylinder": (
        "f f f",
        IN_CYLINDER
        + pair(ATTRACTED)
        + GRAVITY
        + walls(ATTRACTED, f"zcylinder {SIDE} rotate 0 0 0 0 0 1 0.5", FLOOR)
        + MOVE,
    ),
    # Grains touch one plane while the other plane attracts them. The order in which the two forces
    # are added changes the results.
    "a narrow slit": (
        "p p f",
        "region above block INF INF INF INF 1.3 INF\ndelete_atoms region above\n"
        + pair(ATTRACTED)
        + GRAVITY
        + walls(ATTRACTED, "zplane 0.52 1.56 wiggle z 0.02 0.3")
        + MOVE,
    ),
    "bridges": ("p p f", pair(WET) + GRAVITY + walls(WET, SIX_PLANES[2]) + MOVE),
    "bridges in a drum": (
        "f f f",
        IN_CYLINDER
        + pair(WET_SIMPLY)
        + GRAVITY
        + walls(WET, f"zcylinder {SIDE} rotate 0 0 0 0 0 1 0.5 wiggle z 0.3 1", FLOOR)
        + MOVE,
    ),
    "each pair of types its own": (
        "f f f",
        "pair_style granular/plus\n"
        + f"pair_coeff 1 1 {ATTRACTED}\npair_coeff 1 2 {WET}\npair_coeff 2 2 {HERTZ}\n"
        + GRAVITY
        + walls(WET, *SIX_PLANES[:2])
        + "fix base all wall/granular/plus "
        + f"{ATTRACTED} zplane 0 {2 * SIDE} wiggle z 0.1 0.7\n"
        + MOVE,
    ),
    "adhesion at walls": ("f f f", pair(JKR) + GRAVITY + walls(JKR, *SIX_PLANES) + MOVE),
}


@pytest.fixture(autouse=True)
def scenes(monkeypatch):
    monkeypatch.setattr(plain, "SCENES", SCENES)


@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_verlet(scene):
    expected, found = end_of(scene, "verlet"), end_of(scene, "verlet/plus/gpu strict yes")
    assert np.array_equal(bits(found), bits(expected))
    assert np.abs(bits(found)[:, 10:13]).max() > 1.0
    assert steps_of_engine(found) > STEPS - 6
    assert lists_in_all(found) == lists_in_all(expected)
    assert lists_of_engine(found) >= lists_in_all(found)[0] - 1 > 5


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("thermo", [1, 7])
def test_looking_changes_nothing(scene, thermo):
    run = "run 400"
    found, expected = (
        end_of(scene, "verlet/plus/gpu", thermo=each, run=run) for each in (thermo, 400)
    )
    assert np.array_equal(bits(found), bits(expected))


@pytest.mark.parametrize("scene", SCENES)
def test_the_ledger_of_verlet(scene):
    more = """compute books all granular/ledger
thermo_style custom step c_books[*]
thermo_modify norm no format float %.17g
"""
    runs = [
        end_of(scene, style, run=f"{more}run {STEPS}", ledger=True)
        for style in ("verlet", "verlet/plus/gpu strict yes")
    ]
    assert np.array_equal(bits(runs[0]), bits(runs[1]))
    assert steps_of_engine(runs[1]) > 0.8 * STEPS
    expected, found = (run.thermo.to_numpy(float) for run in runs)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-14 * np.abs(expected[:, 1:]).max()
    if "bridge" in scene or "each" in scene:
        assert runs[1].thermo[entry("rupture")].iloc[-1] > 0.01


@pytest.mark.parametrize("scene", ["attraction", "bridges", "each pair of types its own"])
@pytest.mark.parametrize("styles", [("verlet", "verlet/plus/gpu"), ("verlet/plus/gpu", "verlet")])
def test_a_run_goes_on_from_a_restart_with_the_other_style(scene, styles):
    boundary, commands = SCENES[scene]
    acting = commands[commands.index("fix") :]

    def halves(first: str, second: str) -> np.ndarray:
        head = plain.HEAD.format(newton="off", boundary=boundary)
        script = f"{head}{commands}run_style {first}\nrun 700\nwrite_restart half\nclear\n"
        script += f"newton off\nread_restart half\ncomm_modify vel yes\n{acting}"
        script += f"run_style {second}\nrun 700\n"
        return bits(plain.engine.run(f"{script}{plain.END} modify sort id format float %.17g\n"))

    assert np.array_equal(halves(*styles), halves("verlet", "verlet"))


def test_what_a_moving_wall_bears_that_attracts():
    more = "thermo_style custom step f_wall0[*]\nthermo_modify norm no format float %.17g\n"
    table, found = (
        end_of("a narrow slit", style, run=f"{more}run {STEPS}", thermo=250).thermo.to_numpy(float)
        for style in ("verlet", "verlet/plus/gpu strict yes")
    )
    assert np.abs(found - table)[:, 1:].max() <= 1e-13 * np.abs(table[:, 1:]).max()


def test_a_loaded_wall_that_attracts_is_left_to_lammps():
    commands = f"fix lid all wall/granular/plus {ATTRACTED} zplane NULL 11 load z -1 mass 9"
    found = end_of("attraction", "verlet/plus/gpu", run=f"{commands}\nrun 10")
    assert "a wall under load with a contact model that acts across a gap" in found.log


def test_a_mesh_that_attracts_is_left_to_lammps():
    mesh = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 1 1 1\nvertex 3 1 1\nvertex 1 3 1\n"
    mesh += "endloop\nendfacet\nendsolid s\n"
    commands = f"fix mesh all wall/granular/plus {ATTRACTED} mesh m.stl"
    lines = [f"shell \"echo '{line}' >> m.stl\"" for line in mesh.splitlines()]
    run = "\n".join([*lines, commands, "run 10"])
    found = end_of("attraction", "verlet/plus/gpu", run=run)
    assert "fix mesh (style wall/granular/plus): a mesh with a contact model" in found.log
