"""On the CPU, results of run_style verlet/plus/gpu equal those of LAMMPS's verlet bit for bit."""

from __future__ import annotations

import os
import re

import granular_plus
import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import LEDGER

STEPS = 1_500

HEAD = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
boundary {boundary}
comm_modify vel yes
lattice sc 0.7
region box block 0 5 0 5 0 10
create_box 2 box
region fill block 0.2 4.8 0.2 4.8 0.2 7.8
create_atoms 1 region fill
set group all type/fraction 2 0.4 77
set type 1 diameter 1.0 density 1
set type 2 diameter 0.8 density 2
displace_atoms all random 0.05 0.05 0.05 9
velocity all create 4 123 loop geom
set group all omega 1 -2 0.5
timestep 5e-4
"""
HERTZ = "hertz/material 1e4 20 0.3 tangential mindlin NULL 1 0.5"
GRANULAR = f"pair_style granular/plus\npair_coeff * * {HERTZ}\n"
MOVE = "fix move all nve/sphere\n"
GRAVITY = "fix weight all gravity 5 vector 0.3 0 -1\n"
WALL = "fix {name} all wall/granular/plus {model} {surface}\n"


def walls(model: str, *surfaces: str) -> str:
    return "".join(
        WALL.format(name=f"wall{number}", model=model, surface=surface)
        for number, surface in enumerate(surfaces)
    )


SIDE = 5 * 0.7 ** (-1 / 3)
SIX_PLANES = (f"xplane 0 {SIDE}", f"yplane 0 {SIDE}", f"zplane 0 {2 * SIDE}")
LUDING = "luding 1e4 4e4 1e3 0.1 tangential linear_history 8e3 1 0.5"
ROLLING = "rolling sds 1e3 1 0.2 twisting sds 10 0.1 0.1"


def pair(model: str) -> str:
    return f"pair_style granular/plus\npair_coeff * * {model}\n"


SCENES = {
    "gas": ("p p p", pair("hooke 1e4 20 tangential linear_history 8e3 1 0.3") + MOVE),
    "six planes": ("f f f", GRANULAR + GRAVITY + walls(HERTZ, *SIX_PLANES) + MOVE),
    "gravity behind a wall": ("p p f", GRANULAR + walls(HERTZ, SIX_PLANES[2]) + GRAVITY + MOVE),
    "cylinder": (
        "f f f",
        "displace_atoms all move -2 -2 0\nchange_box all x final -6 6 y final -6 6\n"
        + GRANULAR
        + GRAVITY
        + walls(f"{HERTZ} {ROLLING}", f"zcylinder {SIDE}", f"zplane 0 {2 * SIDE}")
        + MOVE,
    ),
    "rough chute": (
        "p p f",
        GRANULAR
        + "region base block INF INF INF INF 0 1.2\ngroup base region base\n"
        + "group free subtract all base\nvelocity base set 0 0 0\nfix base base freeze\n"
        + f"fix weight all gravity 5 chute 24\nfix lid all wall/granular/plus {HERTZ} zplane NULL "
        + f"{2 * SIDE}\nfix move free nve/sphere\n",
    ),
    "rolling and twisting": (
        "p p f",
        pair(f"{HERTZ} {ROLLING}") + GRAVITY + walls(f"{HERTZ} {ROLLING}", SIX_PLANES[2]) + MOVE,
    ),
    "two materials": (
        "p p f",
        "pair_style granular/plus\n"
        + f"pair_coeff 1 1 {HERTZ}\npair_coeff 2 2 hooke 2e4 20 tangential linear_nohistory 9 0.4\n"
        + f"pair_coeff 1 2 {HERTZ} {ROLLING} slider dsds\n"
        + GRAVITY
        + walls(HERTZ, SIX_PLANES[2])
        + MOVE,
    ),
    "luding": ("p p f", pair(LUDING) + GRAVITY + walls(LUDING, SIX_PLANES[2]) + MOVE),
    "jkr": (
        "p p f",
        pair("jkr 1e4 0.5 0.3 30 tangential mindlin NULL 1 0.5")
        + GRAVITY
        + walls(HERTZ, SIX_PLANES[2])
        + MOVE,
    ),
    "two groups that overlap": (
        "p p f",
        GRANULAR
        + GRAVITY
        + walls(HERTZ, SIX_PLANES[2])
        + "group small type 2\nfix small small nve/sphere\nfix large all nve/sphere/plus\n",
    ),
}
END = (
    "write_dump all custom end id x y z vx vy vz omegax omegay omegaz fx fy fz tqx tqy tqz ix iy iz"
)


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """Run on the CPU unless the environment selects a GPU; overwrite outdated values with NaN."""
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", os.environ.get("GRANULAR_PLUS_DEVICE", "host"))
    monkeypatch.setenv("GRANULAR_PLUS_POISON", "yes")


def end_of(
    scene: str,
    style: str,
    *,
    newton: str = "off",
    run: str = "",
    thermo: int = 500,
    ledger: bool = False,
):
    boundary, commands = SCENES[scene]
    if ledger:
        commands = commands.replace(
            "pair_style granular/plus", "pair_style granular/plus ledger yes"
        )
    script = HEAD.format(newton=newton, boundary=boundary) + commands
    script += f"run_style {style}\nthermo {thermo}\n{run or f'run {STEPS}'}\n"
    return engine.run(f"{script}{END} modify sort id format float %.17g\n")


def bits(run: engine.RunResult) -> np.ndarray:
    return run.dump("end").drop(columns="step").to_numpy(float)


def steps_of_engine(run: engine.RunResult) -> int:
    words = [line.split() for line in run.log.splitlines() if re.search(r"of \d+ steps on", line)]
    return sum(int(line[3]) for line in words)


def entry(name: str) -> str:
    return LEDGER.of("c_books", name)


def lists_of_engine(run: engine.RunResult) -> int:
    return sum(map(int, re.findall(r"steps on .*, and built (\d+) neighbour lists", run.log)))


def lists_in_all(run: engine.RunResult) -> list[int]:
    return [int(count) for count in re.findall(r"Neighbor list builds = (\d+)", run.log)]


@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_verlet(scene):
    """With newton off, both run styles add the forces on a grain in the same order."""
    expected, found = end_of(scene, "verlet"), end_of(scene, "verlet/plus/gpu")
    assert np.array_equal(bits(found), bits(expected))
    assert np.abs(bits(found)[:, 10:13]).max() > 1.0
    assert np.any(bits(found)[:, 16:]) == ("p" in SCENES[scene][0])
    assert lists_in_all(found) == lists_in_all(expected)
    # one list may be missing, because LAMMPS builds the list in the step in which it sorts atoms
    assert lists_of_engine(found) >= lists_in_all(found)[0] - 1 > 10
    assert steps_of_engine(found) > STEPS - 6


@pytest.mark.parametrize("scene", SCENES)
def test_the_ledger_of_verlet(scene):
    more = """compute books all granular/ledger
thermo_style custom step c_books[*]
thermo_modify norm no format float %.17g
"""
    runs = [
        end_of(scene, style, run=f"{more}run {STEPS}", ledger=True)
        for style in ("verlet", "verlet/plus/gpu")
    ]
    assert np.array_equal(bits(runs[0]), bits(runs[1]))
    assert steps_of_engine(runs[1]) > 0.8 * STEPS
    expected, found = (run.thermo.to_numpy(float) for run in runs)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-14 * np.abs(expected[:, 1:]).max()
    lost = runs[1].thermo[[entry("normal_dashpot"), entry("slip")]].iloc[-1]
    assert (lost > 0.1).all()


CYLINDER = f"zcylinder {SIDE}"
MOTIONS = {
    "vibrated plate": ("p p f", f"zplane 0 {2 * SIDE} wiggle z 0.2 0.7"),
    "sheared plane": ("p p f", f"zplane 0 {2 * SIDE} shear x 2"),
    "piston": ("p p f", f"zplane 0 {2 * SIDE} move NULL NULL 0.4"),
    "tilted planes": ("p p f", f"zplane 0.4 {2 * SIDE - 0.4} rotate 2.8 2.8 0 0.2 1 0 60"),
    "rotating drum": ("f f f", f"{CYLINDER} rotate 0 0 0 0 0 1 0.5 wiggle z 0.3 1"),
    "drum on a shaking table": ("f f f", f"{CYLINDER} move 0.1 -0.2 NULL"),
    "sheared cylinder": ("f f f", f"{CYLINDER} shear x 1.5 shear z 0.5"),
}


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("ledger", [False, True])
def test_walls_that_move(motion, ledger, monkeypatch):
    """The output of the wall agrees only up to round-off, because sums are rounded differently."""
    boundary, surface = MOTIONS[motion]
    commands = GRANULAR + GRAVITY + WALL.format(name="wall", model=HERTZ, surface=surface)
    if CYLINDER in surface:
        commands = (
            "displace_atoms all move -2 -2 0\nchange_box all x final -6 6 y final -6 6\n"
            + commands
            + WALL.format(name="floor", model=HERTZ, surface=f"zplane 0 {2 * SIDE}")
        )
    monkeypatch.setitem(SCENES, motion, (boundary, commands + MOVE))
    more = "thermo_style custom step f_wall[*]\nthermo_modify norm no format float %.17g\n"
    if ledger:
        more = f"compute books all granular/ledger\n{more}".replace(
            "f_wall[*]", "f_wall[*] c_books[*]"
        )
    run = f"{more}run {STEPS}\nrun 100"
    expected, found = (
        end_of(motion, style, run=run, ledger=ledger) for style in ("verlet", "verlet/plus/gpu")
    )
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) > STEPS
    table, found_table = (run.thermo.to_numpy(float)[:, 1:] for run in (expected, found))
    assert table.shape == found_table.shape
    assert np.abs(found_table - table).max() <= 1e-13 * np.abs(table).max()
    if ledger:
        work = np.abs(expected.thermo[entry("wall_work")]).max()
        assert work > 0.1
        of_work = [run.thermo[entry("wall_work")] for run in (expected, found)]
        difference = np.abs(of_work[1] - of_work[0]).max()
        assert difference <= 1e-12 * work


def test_images_of_grains_in_a_thin_box():
    """Each grain touches its own periodic images and several images of the same partner."""
    script = f"""
units lj
atom_style sphere
atom_modify sort 0 0
newton off
comm_modify vel yes
region box block 0 1.4 0 3 0 2.1
create_box 1 box
create_atoms 1 random 9 7 NULL overlap 0.6 maxtry 1000
set group all diameter 1.3 density 1
velocity all create 20 5
{pair(HERTZ)}{GRAVITY}{MOVE}timestep 2e-4
"""
    runs = [
        engine.run(
            f"{script}run_style {style}\nrun 6000\n{END} modify sort id format float %.17g\n"
        )
        for style in ("verlet", "verlet/plus/gpu")
    ]
    assert np.array_equal(bits(runs[0]), bits(runs[1]))
    assert lists_of_engine(runs[1]) == lists_in_all(runs[1])[0] > 10


LISTS_OF_LAMMPS = {
    "excluded pairs": "neigh_modify exclude type 1 2",
    "a box that follows the grains": "change_box all boundary p p m",
    "a fix that acts at new lists": "fix more all balance 0 1.0 shift xyz 10 1.1",
}


@pytest.mark.parametrize("reason", LISTS_OF_LAMMPS)
def test_lists_that_are_left_to_lammps(reason):
    scene, run = "gravity behind a wall", f"{LISTS_OF_LAMMPS[reason]}\nrun 600"
    found, expected = (end_of(scene, style, run=run) for style in ("verlet/plus/gpu", "verlet"))
    assert np.array_equal(bits(found), bits(expected))
    assert lists_in_all(found) == lists_in_all(expected)
    assert steps_of_engine(found) > 400
    assert lists_of_engine(found) == 0


def test_grains_that_are_lost_are_missed():
    """LAMMPS computes the step in which a grain leaves the box, so grains are lost as in verlet."""
    scene, run = "gas", "change_box all boundary f p p\nthermo_modify lost ignore\nrun 2000"
    found, expected = (end_of(scene, style, run=run) for style in ("verlet/plus/gpu", "verlet"))
    assert len(bits(found)) < 112
    assert np.array_equal(bits(found), bits(expected))
    assert lists_of_engine(found) > 5


@pytest.mark.parametrize("thermo", [1, 7])
def test_looking_changes_nothing(thermo):
    scene = "gravity behind a wall"
    found = end_of(scene, "verlet/plus/gpu", thermo=thermo)
    assert np.array_equal(bits(found), bits(end_of(scene, "verlet/plus/gpu")))
    assert (steps_of_engine(found) == 0) == (thermo == 1)


@pytest.mark.parametrize(("deleted", "thermo"), [(0.85, 500), (0.9, 3)])
def test_looking_at_lists_of_few_pairs_changes_nothing(deleted, thermo, monkeypatch):
    """With up to three pairs, verlet uses different code, but verlet/plus/gpu lists more pairs."""
    boundary, commands = SCENES["six planes"]
    few = f"delete_atoms random fraction {deleted} yes all NULL 77\nreset_atoms id\n"
    monkeypatch.setitem(SCENES, "few", (boundary, few + commands))
    found, expected = (
        end_of("few", style, thermo=thermo, run="run 4000")
        for style in ("verlet/plus/gpu", "verlet")
    )
    assert np.array_equal(bits(found), bits(expected))
    assert lists_of_engine(found) > 20


def test_newton_on_to_rounding():
    """Results with newton on agree only up to round-off.

    Run_style verlet/plus/gpu adds the forces on a grain and on its images in a single sum.
    """
    few = "run 100"
    found = end_of("gas", "verlet/plus/gpu", newton="on", run=few)
    expected = end_of("gas", "verlet", newton="on", run=few)
    assert steps_of_engine(found) > 50
    size = np.abs(bits(expected)).max(axis=0)
    assert np.all(np.abs(bits(found) - bits(expected)).max(axis=0) <= 1e-12 * size)


@pytest.mark.parametrize("styles", [("verlet", "verlet/plus/gpu"), ("verlet/plus/gpu", "verlet")])
def test_a_run_goes_on_from_a_restart_with_the_other_style(styles):
    scene = "rolling and twisting"
    boundary, commands = SCENES[scene]
    acting = commands[commands.index("fix") :]

    def halves(first: str, second: str) -> np.ndarray:
        head = HEAD.format(newton="off", boundary=boundary)
        script = f"{head}{commands}run_style {first}\nrun 700\nwrite_restart half\nclear\n"
        script += f"newton off\nread_restart half\ncomm_modify vel yes\n{acting}"
        script += f"run_style {second}\nrun 700\n"
        return bits(engine.run(f"{script}{END} modify sort id format float %.17g\n"))

    assert np.array_equal(halves(*styles), halves("verlet", "verlet"))


def test_walls_and_history_go_on_where_the_two_styles_take_turns():
    turns = "".join(
        f"run_style {style}\nrun {steps}\n"
        for style, steps in (("verlet/plus/gpu", 301), ("verlet", 99), ("verlet/plus/gpu", 400))
    )
    plain = "".join(f"run_style verlet\nrun {steps}\n" for steps in (301, 99, 400))
    for scene in ("six planes", "cylinder", "jkr"):
        found, expected = (end_of(scene, "verlet", run=run) for run in (turns, plain))
        assert np.array_equal(bits(found), bits(expected)), scene


def test_what_acts_every_so_many_steps_acts():
    scene = "gravity behind a wall"
    more = """region top block 0.5 4.5 0.5 4.5 8 9.5
fix pour all granular/insert region top seed 5 number 40 every 200 species 1 density 1 &
    diameter one 0.7
compute spin all erotate/sphere
fix mean all ave/time 10 5 100 c_spin file spin.txt
dump all all custom 250 all.dump id vx
"""
    runs = [end_of(scene, style, run=f"{more}run 900") for style in ("verlet", "verlet/plus/gpu")]
    assert np.array_equal(bits(runs[0]), bits(runs[1]))
    assert len(bits(runs[0])) == 112 + 40
    texts = [(run.folder / "spin.txt").read_text() for run in runs]
    assert texts[0] == texts[1]
    assert 300 < steps_of_engine(runs[1]) < 850


CHANGES = {
    "dynamic group": "region low block INF INF INF INF INF 3\n"
    "group low dynamic all region low every 30\nfix lift low gravity 20 vector 0 0 1",
    "time step": "fix step all dt/reset 50 1e-5 5e-4 0.0005 units box",
    "masses": "fix heavier all set 70 0 type 2 density v_heavier",
    "masses, some held": "fix heavier all set 70 0 type 2 density v_heavier\n"
    "group low id <= 5\nfix hold low freeze",
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_fix_changes_is_seen(change):
    run = f"variable heavier atom 2+step/500\n{CHANGES[change]}\nrun 600"
    scene = "gravity behind a wall"
    found, expected = (end_of(scene, style, run=run) for style in ("verlet/plus/gpu", "verlet"))
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) > 400


def test_radii_that_a_fix_changes_end_the_steps_of_the_engine():
    run = "variable larger atom 0.8+0.001*(step>0)\nfix grow all set 300 0 type 2 diameter v_larger"
    scene = "gravity behind a wall"
    found, expected = (
        end_of(scene, style, run=f"{run}\nrun 900") for style in ("verlet/plus/gpu", "verlet")
    )
    assert np.array_equal(bits(found), bits(expected))
    assert 200 < steps_of_engine(found) < 300
    assert "LAMMPS computes all steps on the CPU: radii that change" in found.log
    with pytest.raises(engine.LammpsError, match="radii that change"):
        end_of(scene, "verlet/plus/gpu strict yes", run=f"{run}\nrun 900")


OBSTACLES = {
    "fix addforce": ("fix wind all addforce 0.1 0 0", "fix wind (style addforce) acts in every"),
    "fix ave/time": (
        "compute spin all erotate/sphere\nfix more all ave/time 1 10 10 c_spin",
        "fix more (style ave/time) acts in every step",
    ),
    "dynamic group": (
        "region low block INF INF INF INF INF 3\ngroup low dynamic all region low",
        "fix GROUP_low (style GROUP) acts in every step",
    ),
    "a variable": (
        "variable g equal 5+sin(step/100)\nfix more all gravity v_g vector 0 0 -1",
        "fix more (style gravity): gravity that depends on a variable",
    ),
    "a variable load": (
        "variable f equal -1\n"
        f"fix more all wall/granular/plus {HERTZ} zplane -1 NULL load z v_f mass 9",
        "fix more (style wall/granular/plus): a wall moved or loaded by a variable",
    ),
    "a wall moved or loaded by a variable": (
        "variable s equal 0\n"
        f"fix more all wall/granular/plus {HERTZ} zplane -1 NULL move NULL NULL v_s",
        "fix more (style wall/granular/plus): a wall moved or loaded by a variable",
    ),
    "deform": ("fix more all deform 1 x scale 1.0", "fix more (style deform) changes the box"),
    "losses of all steps": (
        "compute more all granular/dissipation sums total",
        "compute more (style granular/dissipation), which sums",
    ),
    "actm": (
        "pair_coeff 1 1 actm 0.02 0.5 NULL 0.3 tangential mindlin NULL 1 0.5",
        "a normal model that adapts to a prescribed collision time",
    ),
    "list": (
        "pair_style granular/plus list lammps\n" + pair(HERTZ)[25:],
        "a neighbour list without",
    ),
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_the_engine_cannot_do_is_named_and_lammps_does_it(obstacle):
    commands, message = OBSTACLES[obstacle]
    scene = "gravity behind a wall"
    if obstacle == "losses of all steps":
        commands = f"pair_style granular/plus ledger yes\npair_coeff * * {HERTZ}\n{commands}"
    run = f"{commands}\nrun 100"
    found, expected = (end_of(scene, style, run=run) for style in ("verlet/plus/gpu", "verlet"))
    assert "WARNING: run_style verlet/plus/gpu: LAMMPS computes all steps" in found.log
    assert message in found.log
    assert steps_of_engine(found) == 0
    assert np.array_equal(bits(found), bits(expected))
    with pytest.raises(engine.LammpsError) as error:
        end_of(scene, "verlet/plus/gpu strict yes", run=run)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("set_up", "message"),
    [
        (
            ("region box block", "region box prism", " 0 10\ncreate", " 0 10 0.1 0 0\ncreate"),
            "a tri",
        ),
        (("dimension 3", "dimension 2"), "dimension 2"),
    ],
)
def test_boxes_that_the_engine_does_not_know(set_up, message):
    boundary = "p p p"
    script = "dimension 3\n" + HEAD.format(newton="off", boundary=boundary) + GRANULAR + MOVE
    for old, new in zip(set_up[::2], set_up[1::2], strict=True):
        assert old in script
        script = script.replace(old, new)
    if message == "dimension 2":
        script = script.replace("5 0 10\ncreate", "5 -0.1 0.1\ncreate").replace(
            "lattice sc", "lattice sq"
        )
        script = script.replace("4.8 0.2 7.8", "4.8 -0.1 0.1").replace(
            "0.05 0.05 0.05", "0.05 0.05 0"
        )
        script = script.replace("1 -2 0.5", "0 0 0.5") + "fix flat all enforce2d\n"
    found = engine.run(f"{script}run_style verlet/plus/gpu\nrun 10\n")
    assert f"LAMMPS computes all steps on the CPU: {message}" in found.log


def test_two_ranks_are_left_to_lammps():
    script = HEAD.format(newton="off", boundary="p p p") + GRANULAR + MOVE
    found = engine.run(f"{script}run_style verlet/plus/gpu\nrun 10\n", ranks=2)
    assert "LAMMPS computes all steps on the CPU: 2 MPI ranks instead of 1" in found.log


@pytest.mark.parametrize(
    ("words", "device", "message"),
    [
        ("fast", "host", "verlet/plus/gpu: unknown keyword fast; known are strict"),
        ("strict maybe", "host", "verlet/plus/gpu: keyword strict: maybe must be yes or no"),
        ("strict", "host", "keyword strict needs yes or no"),
        ("", "abacus", "GRANULAR_PLUS_DEVICE = abacus must be cuda"),
    ],
)
def test_wrong_words(words, device, message, monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", device)
    with pytest.raises(engine.LammpsError, match=message):
        end_of("gas", f"verlet/plus/gpu {words}")


def test_the_compiler_that_pip_installs_is_found(monkeypatch, tmp_path):
    class File:
        name = "libnvrtc.so.13"

        def locate(self) -> object:
            return tmp_path / self.name

    found = {"nvidia-cuda-nvrtc": [File()]}
    monkeypatch.setattr("importlib.metadata.files", found.get)
    monkeypatch.setenv("GRANULAR_PLUS_NVRTC", "given")
    granular_plus.plugin_folder()
    assert os.environ["GRANULAR_PLUS_NVRTC"] == "given"
    monkeypatch.delenv("GRANULAR_PLUS_NVRTC")
    granular_plus.plugin_folder()
    assert os.environ["GRANULAR_PLUS_NVRTC"] == str(tmp_path / "libnvrtc.so.13")
    monkeypatch.delenv("GRANULAR_PLUS_NVRTC")
