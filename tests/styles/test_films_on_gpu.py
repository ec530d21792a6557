"""Liquid films with run_style verlet/plus/gpu on the CPU.

Results equal those of LAMMPS's run_style verlet bit for bit.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import LEDGER
from tests.styles import test_verlet_plus_gpu as plain
from tests.styles.test_verlet_plus_gpu import (
    GRAVITY,
    HEAD,
    HERTZ,
    MOVE,
    ROLLING,
    SIDE,
    STEPS,
    bits,
    entry,
    lists_in_all,
    lists_of_engine,
    steps_of_engine,
)

device = plain.device  # make the fixture known in this file

WET = f"{HERTZ} {ROLLING} bridge willett 1 20 film"
SHARED = f"{HERTZ} bridge willett/simple 0.5 40 film share 0.3 limit 5e-3 least 1e-4"
VISCOUS = f"{HERTZ} bridge willett 1 20 film share 0.5 viscous 0.3 gap 0.01 rupture 0.8 longest 2"
LIGHT = "hertz/material 1e4 1 0.3 tangential mindlin NULL 1 0.5"
LIGHT += " bridge willett 0.05 20 film share 0.3"
FIXED = f"{HERTZ} bridge willett 1 20 volume 2e-3"
FILMS = "fix film all property/atom d_film ghost yes\nset group all d_film 6e-3\n"
IN_CYLINDER = "displace_atoms all move -2 -2 0\nchange_box all x final -6 6 y final -6 6\n"


def pairs(model: str) -> str:
    return f"pair_style granular/plus{{ledger}}\npair_coeff * * {model}\n"


def wall(name: str, model: str, surface: str) -> str:
    return f"fix {name} all wall/granular/plus {model} {surface}\n"


FLOOR = f"zplane 0 {2 * SIDE}"
TYPES = "pair_style granular/plus{ledger}\n" + "".join(
    f"pair_coeff {types} {model}\n"
    for types, model in (("1 1", VISCOUS), ("1 2", FIXED), ("2 2", WET))
)
# each scene lists the boundary and the commands
SCENES = {
    "settling": ("p p f", FILMS + pairs(WET) + GRAVITY + wall("w", WET, f"{FLOOR} film 0")),
    "sheared": (
        "p p f",
        FILMS + pairs(SHARED) + GRAVITY + wall("w", SHARED, "zplane 0 7 shear x 2 film 2e-3"),
    ),
    "viscous": (
        "p p p",
        FILMS + "velocity all create 20 123 loop geom\n" + pairs(VISCOUS),
    ),
    "viscous at walls": (
        "f f f",
        FILMS
        + pairs(VISCOUS)
        + wall("x", VISCOUS, f"xplane 0 {SIDE} wiggle x 0.1 0.2 film 1e-3")
        + wall("y", VISCOUS, f"yplane 0 {SIDE} film 0")
        + wall("z", VISCOUS, f"{FLOOR} film 1e-2"),
    ),
    "drum": (
        "f f f",
        IN_CYLINDER
        + FILMS
        + pairs(WET)
        + GRAVITY
        + wall("w", VISCOUS, f"zcylinder {SIDE} rotate 0 0 0 0 0 1 0.5 wiggle z 0.3 1 film 1e-3")
        + wall("z", WET, f"{FLOOR} film 0"),
    ),
    "bouncing in a drum": (
        "f f f",
        IN_CYLINDER
        + FILMS
        + "velocity all create 40 123 loop geom\n"
        + pairs(LIGHT)
        + wall("w", LIGHT, f"zcylinder {SIDE} rotate 0 0 0 0 0 1 0.5 film 1e-3")
        + wall("z", LIGHT, f"{FLOOR} film 0"),
    ),
    "tilted slit": (
        "p p f",
        FILMS
        + pairs(WET)
        + GRAVITY
        + wall("w", WET, "zplane 0.4 1.6 rotate 2.8 2.8 0 0.2 1 0 60 film 1e-3")
        + wall("top", HERTZ, f"zplane NULL {2 * SIDE}"),
    ),
    "each pair of types its own": (
        "p p f",
        FILMS + TYPES + GRAVITY + wall("w", HERTZ, f"{FLOOR} wiggle z 0.1 0.7"),
    ),
    "dry grains among wet ones": (
        "p p f",
        FILMS
        + "set type 2 d_film 0\n"
        + pairs(SHARED)
        + GRAVITY
        + wall("w", SHARED, f"{FLOOR} film 0"),
    ),
    "wet walls": ("p p f", FILMS + pairs(HERTZ) + GRAVITY + wall("w", WET, f"{FLOOR} film 1e-3")),
    "drying": (
        "p p f",
        FILMS
        + pairs(WET)
        + GRAVITY
        + wall("w", VISCOUS, f"{FLOOR} film 1e-3")
        + "group small type 2\nfix dry all granular/film rate 2e-3 bridges yes\n"
        + "fix drier small granular/film rate 1e-2 bridges yes\n"
        + "fix films all granular/film rate 1e-4\n",
    ),
}
LIQUID_OF_GRAINS = "compute liquid all granular/liquid\n"
END = f"{plain.END} d_film c_liquid[*]"
NO_LIQUID = {"wet walls"}  # compute granular/liquid needs films of pairs


def run(scene: str, style: str, *, more: str = "", newton: str = "off", ledger: bool = False):
    boundary, commands = SCENES[scene]
    commands = commands.replace("{ledger}", " ledger yes" * ledger)
    end = f"{plain.END} d_film" if scene in NO_LIQUID else END
    script = HEAD.format(newton=newton, boundary=boundary) + commands + MOVE
    script += "" if scene in NO_LIQUID else LIQUID_OF_GRAINS
    script += f"run_style {style}\nthermo 500\n{more or f'run {STEPS}'}\n"
    return engine.run(f"{script}{end} modify sort id format float %.17g\n")


STRICT = "verlet/plus/gpu strict yes"


@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_verlet(scene):
    expected, found = run(scene, "verlet"), run(scene, STRICT)
    assert np.array_equal(bits(found), bits(expected))
    assert np.abs(bits(found)[:, 10:13]).max() > 1.0
    assert steps_of_engine(found) > STEPS - 6
    assert lists_in_all(found) == lists_in_all(expected)
    assert lists_of_engine(found) >= lists_in_all(found)[0] - 1 > 5
    films = found.dump("end")["d_film"]
    assert films.nunique() > 4


LIQUID = [entry(name) for name in LEDGER.names if name.startswith("liquid")]
BOOKS = """compute books all granular/ledger
thermo_style custom step c_books[*] {more}
thermo_modify norm no format float %.17g
"""


@pytest.mark.parametrize("scene", sorted(set(SCENES) - NO_LIQUID))
def test_the_ledger_of_verlet(scene):
    """Ledger entries agree only up to round-off, because terms are added in different orders."""
    more = BOOKS.format(more="f_dry[*] f_drier[*]" if scene == "drying" else "")
    expected, found = (
        run(scene, style, ledger=True, more=f"{more}run {STEPS}") for style in ("verlet", STRICT)
    )
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) > 0.8 * STEPS
    energies = [name for name in found.thermo.columns[1:] if name not in LIQUID]
    for columns in (LIQUID, energies):
        table, found_table = (each.thermo[columns].to_numpy(float) for each in (expected, found))
        assert np.abs(found_table - table).max() <= 1e-13 * np.abs(table).max(), columns
    last = found.thermo.iloc[-1]
    assert last[entry("rupture")] > 1e-3
    assert last[entry("liquid_bridges")] > 1e-3
    if scene == "drying":
        assert last[entry("liquid_evaporated")] > 1e-2
        assert last[entry("volume_change")] > 1e-3


@pytest.mark.parametrize("scene", ["viscous at walls", "drying", "dry grains among wet ones"])
@pytest.mark.parametrize("thermo", [1, 7])
def test_looking_changes_nothing(scene, thermo):
    found, expected = (
        run(scene, "verlet/plus/gpu", more=f"thermo {each}\nrun 400") for each in (thermo, 400)
    )
    assert (steps_of_engine(found) == 0) == (thermo == 1)
    assert np.array_equal(bits(found), bits(expected))


@pytest.mark.parametrize("scene", ["sheared", "viscous at walls", "drying"])
@pytest.mark.parametrize("styles", [("verlet", "verlet/plus/gpu"), ("verlet/plus/gpu", "verlet")])
def test_a_run_goes_on_from_a_restart_with_the_other_style(scene, styles):
    boundary, commands = SCENES[scene]
    commands = commands.replace("{ledger}", "")
    acting = FILMS.splitlines()[0] + "\n" + commands[commands.index("pair_style") :] + MOVE
    acting = acting.replace("group small type 2\n", "")

    def halves(first: str, second: str) -> np.ndarray:
        head = HEAD.format(newton="off", boundary=boundary) + commands + MOVE
        script = f"{head}run_style {first}\nrun 700\nwrite_restart half\nclear\n"
        script += f"newton off\nread_restart half\ncomm_modify vel yes\n{acting}{LIQUID_OF_GRAINS}"
        script += f"run_style {second}\nrun 500\n"
        return bits(engine.run(f"{script}{END} modify sort id format float %.17g\n"))

    assert np.array_equal(halves(*styles), halves("verlet", "verlet"))


@pytest.mark.parametrize("scene", ["drum", "drying"])
def test_the_two_styles_take_turns(scene):
    turns = (("verlet/plus/gpu", 301, "3e-4"), ("verlet", 99, "4e-4"), (STRICT, 400, "5e-4"))
    found, expected = (
        run(
            scene,
            "verlet",
            more="".join(
                f"run_style {style if mixed else 'verlet'}\nrun {steps}\ntimestep {step}\n"
                for style, steps, step in turns
            ),
        )
        for mixed in (True, False)
    )
    assert steps_of_engine(found) > 650
    assert np.array_equal(bits(found), bits(expected))


def test_wet_grains_that_are_inserted():
    more = f"""region top block 0.3 4.7 0.3 4.7 8.3 9.7
fix rain all granular/film initial 4e-3
fix pour all granular/insert region top seed 5 number 12 every 200 species 1 density 1 &
diameter one 0.7
{BOOKS.format(more="f_rain[*]")}run {STEPS}
"""
    expected, found = (
        run("settling", style, more=more, ledger=True) for style in ("verlet", STRICT)
    )
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) > STEPS - 20
    assert found.thermo["f_rain[2]"].iloc[-1] == pytest.approx(12 * 4e-3)
    assert found.thermo[entry("liquid_supplied")].iloc[-1] == pytest.approx(12 * 4e-3)


def test_newton_on_to_rounding():
    few = "run 300"
    found, expected = (
        run("sheared", style, newton="on", more=few) for style in ("verlet/plus/gpu", "verlet")
    )
    assert steps_of_engine(found) > 200
    size = np.abs(bits(expected)).max(axis=0)
    assert np.all(np.abs(bits(found) - bits(expected)).max(axis=0) <= 1e-10 * size)


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
{FILMS}{pairs(VISCOUS).replace("{ledger}", "")}{MOVE}{LIQUID_OF_GRAINS}timestep 2e-4
"""
    runs = [
        engine.run(f"{script}run_style {style}\nrun 2000\n{END} modify format float %.17g\n")
        for style in ("verlet", STRICT)
    ]
    assert np.array_equal(bits(runs[0]), bits(runs[1]))
    assert lists_of_engine(runs[1]) == lists_in_all(runs[1])[0] > 3


LENGTH, PARTNER = 7.3, 6.9  # length of the box, position of a grain


def doubtful_positions() -> list[float]:
    """Return positions of a grain near its contact with the grain at PARTNER across the boundary.

    Grains touch if their squared distance is below 1 - 1e-9. At these positions, only one of the
    two grains detects the contact, because of rounding.
    """
    found, x = [], PARTNER + 1.0 - 5e-10 - LENGTH - 2e-14
    while len(found) < 3 and x < PARTNER + 1.0 - LENGTH:
        seen = [x - (PARTNER - LENGTH), PARTNER - (x + LENGTH)]
        if (seen[0] ** 2 < 1.0 - 1e-9) != (seen[1] ** 2 < 1.0 - 1e-9):
            found.append(x)
        x = math.nextafter(x, 1.0)
    return found


@pytest.mark.parametrize("number", range(3))
def test_both_sides_of_a_boundary_see_the_touch(number):
    step, way = 2.0**-13, 2.0**-20  # sums with these values are exact
    script = f"""
units lj
atom_style sphere
atom_modify map array sort 0 0
newton off
comm_modify vel yes
region box block 0 {LENGTH} 0 3 0 3
create_box 1 box
create_atoms 1 single {doubtful_positions()[number] + 2 * way!r} 1.5 1.5
create_atoms 1 single {PARTNER} 1.5 1.5
set group all diameter 1.0 density 1
set atom 1 vx {-way / step!r}
{FILMS}{pairs(WET).replace("{ledger}", "")}{MOVE}{LIQUID_OF_GRAINS}timestep {step!r}
"""
    expected, found = (
        engine.run(f"{script}run_style {style}\nrun 4\n{END} modify format float %.17g\n")
        for style in ("verlet", STRICT)
    )
    assert np.array_equal(bits(found), bits(expected))
    assert steps_of_engine(found) == 3
    films = found.dump("end")["d_film"]
    assert films.nunique() == 1
    assert films.iloc[0] < 6e-3


def test_bridges_outside_the_fit_are_told(monkeypatch):
    """Bridges beyond the range of Willett's fit are reported even if they exist only within a run.

    The warnings of the two run styles state different volumes. The volume in the warning of verlet
    is the largest volume before the first check.
    """
    model = WET.replace("film", "film limit 0.5")
    commands = pairs(model) + GRAVITY + wall("w", model, f"{FLOOR} film 0")
    monkeypatch.setitem(SCENES, "large", ("p p f", FILMS.replace("6e-3", "0.2") + commands))
    told = [
        re.findall(r"WARNING: (.*: V/R.3 of new bridges)", run("large", style, more="run 600").log)
        for style in ("verlet", STRICT)
    ]
    assert set(told[0]) == set(told[1])
    assert len(told[1]) == 2


REFUSED = {
    "a spray": (
        "region low block INF INF INF INF 0 2\nfix spray all granular/film supply 1 region low",
        "fix spray (style granular/film): keyword supply",
    ),
    "a wall whose film varies": (
        f"variable h equal 1e-3\nfix more all wall/granular/plus {WET} zplane -1 NULL film v_h",
        "fix more (style wall/granular/plus): a wall whose film thickness is a variable",
    ),
    "a wall under a load": (
        f"fix more all wall/granular/plus {WET} zplane NULL 11 load z -1 mass 9 film 0",
        "fix more (style wall/granular/plus): a wall under load with a contact model that",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_left_to_lammps(what):
    commands, message = REFUSED[what]
    found, expected = (
        run("settling", style, more=f"{commands}\nrun 100")
        for style in ("verlet/plus/gpu", "verlet")
    )
    assert f"LAMMPS computes all steps on the CPU: {message}" in found.log
    assert steps_of_engine(found) == 0
    assert np.array_equal(bits(found), bits(expected))
