"""Heat with run_style verlet/plus/gpu on the CPU.

Results equal those of LAMMPS's run_style verlet bit for bit.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from pysuite import engine, meshes
from tests.styles import test_verlet_plus_gpu as plain
from tests.styles.test_films_on_gpu import FILMS
from tests.styles.test_films_on_gpu import WET as FILMS_OF_GRAINS
from tests.styles.test_gaps_on_gpu import ATTRACTED, IN_CYLINDER, JKR, WET
from tests.styles.test_meshes_on_gpu import floor, quad
from tests.styles.test_styles_on_gpu import said
from tests.styles.test_verlet_plus_gpu import (
    GRAVITY,
    HERTZ,
    LUDING,
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

THERMAL = """fix heat all property/atom temperature heatflow ghost yes
variable start atom 300+10*sin(id)
set group all temperature v_start
compute thermal all property/atom temperature heatflow
"""
FLOW = "fix flow all heat/flow constant 0.5\n"
RADIUS = "heat radius 40 friction 0.9"
GAPS = "heat radius 20 gas 1 1e-3 lens 0.3 radiation 0.8 2e-8 view 0.6"
ROUGH = f"{HERTZ} {ROLLING} {RADIUS}"
FALLING = f"{GRAVITY}{FLOW}"
DRUM = f"zcylinder {SIDE} rotate 0 0 0 0 0 1 0.5 wiggle z 0.3 1"
FLOOR = f"zplane 0 {2 * SIDE}"
MESH = "mesh wall.stl"


def hot(*surfaces: str) -> tuple[str, ...]:
    return tuple(f"{surface} temperature {500 + 50 * k}" for k, surface in enumerate(surfaces))


def scene(model: str, *surfaces: str, more: str = "", of_walls: str = "") -> str:
    acting = walls(of_walls or model, *hot(*surfaces))
    return more + THERMAL + pair(model) + FALLING + acting + MOVE


SCENES = {
    "conduction": ("p p f", scene(f"{HERTZ} heat area 90", SIX_PLANES[2])),
    "heat of friction": ("p p f", scene(ROUGH, SIX_PLANES[2])),
    "in a box": ("f f f", scene(f"{HERTZ} {RADIUS}", *SIX_PLANES)),
    "a gas": (
        "p p p",
        THERMAL
        + pair(f"hooke 1e4 20 tangential linear_history 8e3 1 0.3 {RADIUS} slider dsds")
        + FLOW
        + MOVE,
    ),
    "yielding": ("p p f", scene(f"{LUDING} {RADIUS}", SIX_PLANES[2])),
    "across gaps": ("f f f", scene(f"{HERTZ} {GAPS} friction 1", *SIX_PLANES)),
    "across gaps in a drum": (
        "f f f",
        scene(f"{HERTZ} {GAPS}", f"{DRUM}", FLOOR, more=IN_CYLINDER),
    ),
    "in a slit that moves": (
        "p p f",
        scene(
            f"{HERTZ} {GAPS} friction 0.5",
            "zplane 0.3 1.6 wiggle z 0.02 0.3",
            more="region above block INF INF INF INF 1.3 INF\ndelete_atoms region above\n",
        ),
    ),
    "bridges": ("p p f", scene(f"{WET} {RADIUS} gas 1 1e-3 liquid 4 1e-3", SIX_PLANES[2])),
    "bridges in a drum": (
        "f f f",
        scene(f"{WET} heat none liquid 4 1e-3 friction 1", f"{DRUM}", FLOOR, more=IN_CYLINDER),
    ),
    "bridges from films": (
        "p p f",
        scene(
            f"{FILMS_OF_GRAINS} {RADIUS} liquid 4 1e-3",
            f"{FLOOR} film 1e-3",
            more=f"{FILMS}fix dry all granular/film rate 2e-3 bridges yes\n",
        ),
    ),
    "attraction": ("p p f", scene(f"{ATTRACTED} {GAPS} friction 0.7", SIX_PLANES[2])),
    "adhesion": ("p p f", scene(f"{JKR} {RADIUS}", SIX_PLANES[2])),
    "a piston": (
        "p p f",
        scene(f"{HERTZ} {GAPS} friction 1", "zplane NULL 8.5 load z -300 mass 20 drag 5", FLOOR),
    ),
    "a mesh": (
        "p p f",
        scene(f"{HERTZ} {GAPS} friction 1", MESH, f"zplane NULL {2 * SIDE}"),
    ),
    "a mesh that shakes": (
        "p p f",
        scene(ROUGH, f"{MESH} wiggle z 0.2 0.3", f"zplane NULL {2 * SIDE}"),
    ),
    "across gaps in a periodic box": (
        "p p p",
        THERMAL + pair(f"{HERTZ} {GAPS} friction 1") + FLOW + MOVE,
    ),
    # some pairs and the walls conduct no heat; each type has its own specific heat
    "each pair of types its own": (
        "p p f",
        f"{THERMAL}pair_style granular/plus\npair_coeff 1 1 {HERTZ} {GAPS}\n"
        f"pair_coeff 2 2 {ATTRACTED}\npair_coeff 1 2 {WET} {RADIUS} liquid 4 1e-3\n"
        "group small type 2\nfix cool small heat/flow type 0.9 0.6\n"
        f"fix flow all heat/flow type 0.4 0.8\n{GRAVITY}{walls(HERTZ, SIX_PLANES[2])}{MOVE}",
    ),
    "heat made at walls only": (
        "p p f",
        THERMAL
        + pair(HERTZ)
        + FALLING
        + walls(f"{HERTZ} heat none friction 1", SIX_PLANES[2])
        + MOVE,
    ),
}
TEMPERATURE, HEAT_FLOW = 19, 20  # columns of `bits`
ACTS = re.compile(r"^fix (?:flow|cool|weight|wall\d|move) .*\n", re.MULTILINE)


@pytest.fixture(autouse=True)
def scenes(monkeypatch, tmp_path):
    mesh = floor(0.0, SIDE, 16, 0.2)
    meshes.write_stl(tmp_path / "wall.stl", mesh + np.array([0.0, 0.0, 0.3]), text=True)
    placed = {
        name: (boundary, commands.replace("wall.stl", str(tmp_path / "wall.stl")))
        for name, (boundary, commands) in SCENES.items()
    }
    monkeypatch.setattr(plain, "SCENES", placed)
    monkeypatch.setattr(plain, "END", f"{plain.END} c_thermal[1] c_thermal[2]")


@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_verlet(scene):
    """Heat flows are added in this order: at contacts, across gaps, from contacts that ended."""
    expected, found = end_of(scene, "verlet"), end_of(scene, "verlet/plus/gpu strict yes")
    assert np.array_equal(bits(found), bits(expected))
    assert np.abs(bits(found)[:, 10:13]).max() > 1.0
    start = 300 + 10 * np.sin(found.dump("end")["id"].to_numpy())
    temperatures = bits(found)[:, TEMPERATURE]
    assert np.abs(temperatures - start).max() > 0.01
    assert 280 < temperatures.min() < temperatures.max() < 600
    assert np.abs(bits(found)[:, HEAT_FLOW]).max() > 0.01
    assert steps_of_engine(found) > STEPS - 6
    assert lists_in_all(found) == lists_in_all(expected)
    assert lists_of_engine(found) >= lists_in_all(found)[0] - 1 > 5


WARMED = f"{HERTZ} {ROLLING} heat none friction 1"
ROUND = tuple(f"{side} temperature 0" for side in SIX_PLANES[:2])
FROM_ZERO = {
    "grains": f"zplane 0 {2 * SIDE} wiggle z 0.3 0.3",
    "planes": "zplane 0.3 1.29 wiggle z 0.05 0.1",
    "mesh": "mesh grooves.stl wiggle z 0.05 0.1",
}


@pytest.mark.parametrize("where", FROM_ZERO)
def test_heat_of_ended_contacts_is_added_last(where, monkeypatch, tmp_path):
    """Temperatures start at 0. If they were large, rounding would hide the order of addition."""
    edges = [(SIDE * k / 12, 0.3 + 0.47 * (k % 2)) for k in range(13)]
    faces = [
        quad((x0, 0.0, z0), (x1, 0.0, z1), (x1, SIDE, z1), (x0, SIDE, z0))
        for (x0, z0), (x1, z1) in itertools.pairwise(edges)
    ]
    meshes.write_stl(tmp_path / "grooves.stl", np.concatenate(faces), text=True)
    surface = FROM_ZERO[where].replace("grooves.stl", str(tmp_path / "grooves.stl"))
    falling = FALLING.replace("vector 0.3 0 -1", "vector 1 0.7 -1")  # into a corner
    commands = f"{THERMAL}set group all temperature 0\n{pair(WARMED)}{falling}"
    commands += walls(WARMED, *ROUND, f"{surface} temperature 0") + MOVE
    if where == "planes":
        commands = "region up block INF INF INF INF 1 INF\ndelete_atoms region up\n" + commands
    monkeypatch.setitem(plain.SCENES, where, ("f f f", commands))
    run = """variable zero atom 0*id
fix zero all set 10 0 type 1*2 temperature v_zero
dump all all custom 5 all.dump id c_thermal[1]
dump_modify all sort id format float %.17g
run 1500
"""
    runs = [end_of(where, style, run=run) for style in ("verlet/plus/gpu strict yes", "verlet")]
    texts = [(run.folder / "all.dump").read_text() for run in runs]
    assert texts[0] == texts[1]
    assert steps_of_engine(runs[0]) > 1000


@pytest.mark.parametrize("scene", ["heat of friction", "bridges", "a mesh"])
@pytest.mark.parametrize("thermo", [1, 7])
def test_looking_changes_nothing(scene, thermo):
    found, expected = (
        end_of(scene, "verlet/plus/gpu", thermo=each, run="run 400") for each in (thermo, 400)
    )
    assert np.array_equal(bits(found), bits(expected))


OF_LEDGER = ["in a box", "across gaps", "bridges in a drum", "bridges from films", "attraction"]


@pytest.mark.parametrize("scene", [*OF_LEDGER, "a mesh", "each pair of types its own"])
def test_the_ledger_of_verlet(scene):
    more = """compute books all granular/ledger
variable warmth atom mass*c_thermal[1]
compute warmth all reduce sum v_warmth
thermo_style custom step c_warmth c_books[*]
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
    assert np.array_equal(*(run.thermo["c_warmth"] for run in runs))
    for column in (entry("heat_made"), entry("heat_walls")):
        ours, theirs = (run.thermo[column].to_numpy() for run in runs[::-1])
        assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max()
    made, given = (runs[1].thermo[entry(name)].iloc[-1] for name in ("heat_made", "heat_walls"))
    assert made > 0.01 or scene == "each pair of types its own"
    assert (abs(given) > 0.01) == (scene != "each pair of types its own")
    if scene != "each pair of types its own":  # all grains have the same specific heat
        warmth = 0.5 * runs[1].thermo["c_warmth"].to_numpy()
        assert warmth[-1] - warmth[0] == pytest.approx(made + given, rel=1e-9)
    assert np.abs(found - expected)[:, 2:].max() <= 1e-13 * np.abs(expected[:, 2:]).max()


def test_heat_without_a_ledger_leaves_none_behind():
    books = f"pair_style granular/plus ledger yes\npair_coeff * * {ROUGH}\n"
    books += "compute books all granular/ledger\nthermo_style custom step c_books[*]\nrun 10\n"
    tables = [
        end_of("heat of friction", style, run=f"run 300\nrun_style verlet\n{books}").thermo
        for style in ("verlet", "verlet/plus/gpu strict yes")
    ]
    assert tables[0].iloc[-2:].equals(tables[1].iloc[-2:])
    assert tables[0][entry("kinetic_translation")].iloc[-1] > 0.1


@pytest.mark.parametrize("scene", ["heat of friction", "bridges", "across gaps", "a mesh"])
@pytest.mark.parametrize("styles", [("verlet", "verlet/plus/gpu"), ("verlet/plus/gpu", "verlet")])
def test_a_run_goes_on_from_a_restart_with_the_other_style(scene, styles):
    boundary, commands = plain.SCENES[scene]
    acting = "".join(ACTS.findall(commands))
    heat = "fix heat all property/atom temperature heatflow ghost yes\n"

    def halves(first: str, second: str) -> np.ndarray:
        head = plain.HEAD.format(newton="off", boundary=boundary)
        script = f"{head}{commands}run_style {first}\nrun 700\nwrite_restart half\nclear\n"
        script += f"newton off\nread_restart half\ncomm_modify vel yes\n{heat}{acting}"
        script += "compute thermal all property/atom temperature heatflow\n"
        script += f"run_style {second}\nrun 700\n"
        return bits(engine.run(f"{script}{plain.END} modify sort id format float %.17g\n"))

    assert np.array_equal(halves(*styles), halves("verlet", "verlet"))


def test_the_styles_take_turns():
    turns = (("verlet/plus/gpu", 301), ("verlet", 99), ("verlet/plus/gpu", 400))
    mixed, plainly = (
        "".join(f"run_style {style or name}\nrun {steps}\n" for name, steps in turns)
        for style in ("", "verlet")
    )
    for scene in ("a piston", "each pair of types its own"):
        found, expected = (end_of(scene, "verlet", run=run) for run in (mixed, plainly))
        assert np.array_equal(bits(found), bits(expected)), scene


INSERT = {
    "granular/insert": "seed 5 number 40 every 200 species 1 density 1 diameter one 0.7",
    "pour": "40 1 4711 vel 0 0 0 0 -6",
}


@pytest.mark.parametrize("fix", INSERT)
def test_new_grains_and_output_of_heat(fix):
    words = f"region top {INSERT[fix]}" if fix == "granular/insert" else f"{INSERT[fix]} region top"
    more = f"""region top block 0.5 4.5 0.5 4.5 9.3 10.5 units box
unfix weight
fix weight all gravity 5 vector 0 0 -1
fix new all granular/temperature initial 420
fix pour all {fix} {words}
compute sum all reduce sum c_thermal[*]
fix mean all ave/time 10 5 100 c_sum[*] file heat.txt format " %.17g"
dump all all custom 250 all.dump id c_thermal[*]
dump_modify all sort id format float %.17g
thermo_style custom step c_sum[*]
thermo_modify norm no format float %.17g
"""
    runs = [
        end_of("in a box", style, run=f"{more}run 900", thermo=150)
        for style in ("verlet", "verlet/plus/gpu strict yes")
    ]
    assert np.array_equal(bits(runs[0]), bits(runs[1]))
    assert len(bits(runs[0])) > 112 + 20
    assert np.array_equal(*(run.thermo.to_numpy(float) for run in runs))
    for file in ("heat.txt", "all.dump"):
        texts = [(run.folder / file).read_text() for run in runs]
        assert texts[0] == texts[1]
    assert 300 < steps_of_engine(runs[1]) < 850


def test_temperatures_that_a_fix_changes_are_seen():
    run = "variable new atom 300+step\nfix warmer all set 70 0 type 2 temperature v_new\nrun 600"
    found, expected = (
        end_of("conduction", style, run=run) for style in ("verlet/plus/gpu strict yes", "verlet")
    )
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) > 400


def test_newton_on_to_rounding():
    run = "run 100"
    found, expected = (
        end_of("across gaps in a periodic box", style, newton="on", run=run)
        for style in ("verlet/plus/gpu strict yes", "verlet")
    )
    assert steps_of_engine(found) > 50
    size = np.abs(bits(expected)).max(axis=0)
    assert np.all(np.abs(bits(found) - bits(expected)).max(axis=0) <= 1e-12 * size)


# each case lists the commands added to the scene, and the expected message
OBSTACLES = {
    "no fix heat/flow": ("unfix flow", "heat without fix heat/flow"),
    "grains that expand": (
        "fix more all granular/temperature expansion 1e-5 reference 300",
        "fix more (style granular/temperature): grains that expand",
    ),
    "a varying temperature of new grains": (
        "variable t equal 300+step\nfix more all granular/temperature initial v_t",
        "fix more (style granular/temperature): keyword initial with a variable",
    ),
    "a wall whose temperature varies": (
        "variable t equal 300+step\n"
        f"fix more all wall/granular/plus {HERTZ} heat radius 1 zplane -1 NULL temperature v_t",
        "fix more (style wall/granular/plus): a wall whose temperature is a variable",
    ),
    "a cold wall that radiates": (
        f"fix more all wall/granular/plus {HERTZ} {GAPS} zplane -9 NULL temperature 0",
        "fix more (style wall/granular/plus): a wall that radiates at a temperature that",
    ),
    "heat added to grains": (
        "fix more all add/heat constant 1",
        "fix more (style add/heat) acts in",
    ),
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_the_engine_cannot_do_is_named_and_lammps_does_it(obstacle):
    commands, message = OBSTACLES[obstacle]
    run = f"{commands}\nrun 100"
    found, expected = (
        end_of("conduction", each, run=run) for each in ("verlet/plus/gpu", "verlet")
    )
    assert message in found.log
    assert steps_of_engine(found) == 0
    assert np.array_equal(bits(found), bits(expected))
    with pytest.raises(engine.LammpsError) as error:
        end_of("conduction", "verlet/plus/gpu strict yes", run=run)
    assert message in str(error.value)


# Temperatures <= 0 are set at the start, or arise during steps of run_style verlet/plus/gpu.
COLD = {
    "set": "set atom 7 temperature 0",
    "unstable": f"pair_coeff * * {HERTZ} {GAPS.replace('gas 1 ', 'gas 30 ')}",
}


@pytest.mark.parametrize("reason", COLD)
def test_a_grain_that_gets_cold_is_named(reason):
    said = []
    for style in ("verlet/plus/gpu strict yes", "verlet"):
        with pytest.raises(engine.LammpsError) as error:
            end_of("across gaps", style, run=f"{COLD[reason]}\nrun 500")
        (line,) = re.findall(r"temperature of grain .*", str(error.value).splitlines()[0])
        said.append(line)
    assert said[0] == said[1]


def test_steps_of_a_cold_grain_are_left_to_lammps():
    alone = "region far block 0 5 0 5 9.4 10\ncreate_atoms 1 single 2.5 2.5 9.6\n"
    alone += "set region far density 1 diameter 0.3 temperature 0\nrun 50"
    found, expected = (
        end_of("across gaps", style, run=alone)
        for style in ("verlet/plus/gpu strict yes", "verlet")
    )
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) == 0


def test_the_manual_says_so():
    assert said("heat/flow") == "on the GPU"
    assert said("granular/temperature") == "at its own steps"
    assert said("add/heat") == "refused"
