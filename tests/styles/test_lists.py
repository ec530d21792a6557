"""Motion and all ledger entries do not depend on the steps in which neighbour lists are built.

Two runs of the same scene are compared. The first run has a narrow skin and builds a list in every
step. The second run has a wide skin and rarely builds a list. Every law of the registry has a
scene.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, laws, meshes, shapes
from pysuite.outputs import DISSIPATION, LEDGER

# The two runs add forces in different orders. There are a few collisions, and each multiplies the
# rounding error by about ten.
TOLERANCE = 1e-9
STEPS = 1200

LISTS = {
    "in every step": "neighbor 0.02 bin\nneigh_modify every 1 delay 0 check no\n",
    "rarely": "neighbor 1.2 bin\nneigh_modify every 1 delay 0 check yes\n",
}

ROLLS = "rolling sds 1e3 5 0.1"
TURNS = f"{ROLLS} twisting sds 300 1 0.05"
SPRING = "tangential linear_history 1e4 0.8 0.3"
HOOKE = "hooke 2e4 15 damping mass_velocity"
HERTZ = "hertz 4e5 200 damping viscoelastic"
MATERIAL = "hertz/material 6e5 0.6 0.25 damping tsuji"
FILMS = "share 0.3"
VISCOUS = f"{FILMS} viscous 0.5 gap 0.01 rupture 1 longest 3"

# all laws of the registry except sliders and friction laws
MODELS = [
    f"{HOOKE} {SPRING}",
    f"{HOOKE} {SPRING} {TURNS} synchronized_verlet",
    "hooke 2e4 0.6 damping coeff_restitution tangential linear_history 1e4 0.8 0.3",
    f"{HERTZ} {SPRING} {ROLLS}",
    "hertz 4e5 5 damping velocity tangential mindlin 3e5 1 0.3 twisting marshall",
    f"{MATERIAL} tangential mindlin NULL 1 0.3",
    "dmt 6e5 200 0.25 5 tangential mindlin NULL 1 0.3",
    f"jkr 6e5 200 0.25 5 tangential mindlin_rescale NULL 1 0.3 {TURNS}",
    "actm 0.02 0.6 6e5 0.25 tangential mindlin NULL 1 0.3 twisting marshall",
    f"walton_braun 1e4 4e4 eta 5 damping mass_velocity {SPRING}",
    f"luding 1e4 5e4 1e4 0.05 eta 5 damping mass_velocity {SPRING} {TURNS}",
    f"edinburgh 2e4 8e4 1e3 -0.1 1.5 1.5 {SPRING}",
    "thornton_ning 6e5 0.25 3e4 2 tangential mindlin NULL 0.8 0.3",
    f"{HOOKE} {SPRING} {TURNS} van_der_waals 0.6 0.02 0.15",
    f"{HOOKE} {SPRING} {TURNS} bridge willett 2 20 volume 0.01",
    f"{HERTZ} {SPRING} bridge willett/simple 2 20 volume 0.01",
    f"{HOOKE} {SPRING} {ROLLS} bridge willett 2 20 film {FILMS}",
    f"{HERTZ} {SPRING} bridge willett/simple 2 20 film {VISCOUS}",
    f"{HOOKE} {SPRING} {TURNS} heat none friction 1",
    f"{MATERIAL} tangential mindlin NULL 1 0.3 heat radius 1",
    f"luding 1e4 5e4 1e4 0.05 {SPRING} {TURNS} heat area 2 friction 0.7",
    f"{HOOKE} {SPRING} bond beam 2e3 0.25 0.6 tension 40 shear 40 damping 0.1",
]
FRICTION = [
    f"{HOOKE} tangential linear_nohistory 1 0.3",
    f"{MATERIAL} tangential mindlin_deresiewicz 1 0.3",
    f"{HOOKE} tangential linear_history 1e4 1 0.3 {TURNS}",
    f"{HOOKE} tangential linear_history_classic 1e4 1 0.3",
] + [
    f"{HERTZ} tangential {law} 3e5 1 0.3"
    for law in (
        "mindlin",
        "mindlin/force",
        "mindlin_rescale",
        "mindlin_rescale/force",
        "mindlin_classic",
    )
]
SLIDERS = ["csds", "dsds", "truncate"]
FEW = """
boundary f f f
region box block -4 4 -4 4 -4 4
create_box 2 box
create_atoms 1 single -0.53 0.02 0.03
create_atoms 2 single 0.53 0 0
create_atoms 1 single 0.15 1.3 0.1
set group all diameter 1 density 1
set atom 2 diameter 1.06 density 1.1
set atom 3 diameter 0.93 density 0.9
set atom 1 vx 1 vy 0.7 vz 0.1 omega 2 -1 3
set atom 2 vx -1 vy -0.6 vz -0.2 omega -3 2 4
set atom 3 vy -3 omega 1 5 -2
"""
MANY = """
boundary p p f
region box block 0 5 0 5 0 6
create_box 2 box
lattice sc 0.512
region filled block 0 4.9 0 4.9 0.6 2.9 units box
create_atoms 1 region filled
set type 1 type/subset 2 9 4711
set type 1 diameter 1 density 1
set type 2 diameter 1.1 density 1.1
displace_atoms all random 0.05 0.05 0.05 17
velocity all create 5 99 loop geom
set group all omega 1 -2 3
fix weight all gravity 10 vector 0.1 0 -1
"""
BALL = """
boundary f f f
region box block -4 4 -4 4 -4 4
create_box 2 box
lattice sc 0.8
region filled sphere 0 0 0 1.25 units box
create_atoms 1 region filled
set type 1 type/subset 2 5 4711
set group all diameter 1 density 1
set type 2 diameter 1.06 density 1.1
velocity all create 8 99 loop geom
set group all omega 1 -2 3
"""
VESSELS = {
    "planes": """
fix floor all wall/granular/plus {law} zplane -1.8 1.8 wiggle z 0.1 0.3
fix sides all wall/granular/plus {law} zcylinder 1.9 shear z 5
""",
    "region": """
variable angle equal 3*time
region vessel block -1.8 1.8 -1.8 1.8 -1.8 1.8 rotate v_angle 0.1 0 0.1 0 3 4
fix vessel all wall/granular/plus {law} region vessel
""",
    "mesh": """
fix vessel all wall/granular/plus {law} mesh {folder}/box.stl rotate 0 0.1 0 1 3 4 0.5
""",
}
AT_WALLS = [
    f"{HOOKE} {SPRING} {TURNS} heat none friction 1",
    f"luding 1e4 5e4 1e4 0.05 eta 5 damping mass_velocity {SPRING} {TURNS}",
    f"{HOOKE} {SPRING} bridge willett 2 20 volume 0.01",
    f"{HERTZ} tangential mindlin_rescale/force 3e5 1 0.3 van_der_waals 0.6 0.02 0.15",
    f"{HOOKE} {SPRING} {TURNS} slider dsds",
]
SHAPES = """
fix cubes cubes shape/granular/plus file {folder}/cube.obj density 1 orient random 7 nodes 300
"""
WARM = """
fix temperatures all property/atom temperature heatflow ghost yes
set type 1 temperature 3
set type 2 temperature 5
fix warm all heat/flow constant 1
compute temperatures all property/atom temperature
"""
WET = """
fix films all property/atom d_film ghost yes
set type 1 d_film 0.006
set type 2 d_film 0.003
"""
BONDED = "fix bonds all granular/bond form 0.15 every 50\n"
SCRIPT = """
units lj
atom_style {style}
atom_modify map array
newton {newton}
comm_modify vel yes
{grains}{before}
{lists}
pair_style granular/plus ledger {ledger}
pair_coeff * * {model}
{walls}{after}{move}
timestep 2e-4
compute kinetic all ke
thermo 25
thermo_style custom step c_kinetic
{books}
thermo_modify norm no format float %.17g
run {steps}
write_dump all custom end {fields} modify format float %.17g sort id
"""
BOOKS = f"""
compute ledger all granular/ledger
compute lost all granular/dissipation
thermo_style custom step {LEDGER.of("c_ledger")}
"""
SPHERES = "fix move all nve/sphere"
MOTION = {
    "place": ["xu", "yu", "zu"],
    "velocity": ["vx", "vy", "vz"],
    "spin": ["omegax", "omegay", "omegaz"],
}


@dataclass(frozen=True)
class Scene:
    model: str
    walls: str = ""
    before: str = ""
    after: str = ""
    style: str = "sphere"
    move: str = SPHERES
    extra: tuple[str, ...] = ()  # further columns of grains
    ball: bool = False

    def run(self, size: str, *, lists: str, ledger: str) -> engine.Run:
        columns = ["id", *itertools.chain(*MOTION.values()), *self.extra]
        if ledger == "yes":
            columns += DISSIPATION.of("c_lost").split()
        floor = f"fix floor all wall/granular/plus {dry(self.model)} zplane 0 NULL\n"
        script = SCRIPT.format(
            grains=FEW if size == "few" else BALL if self.ball else MANY,
            before=self.before,
            after=self.after,
            model=self.model,
            style=self.style,
            newton="off" if size == "few" else "on",
            lists=LISTS[lists],
            ledger=ledger,
            walls=floor if size == "many" and not self.ball else self.walls,
            move=self.move,
            books=BOOKS if ledger == "yes" else "",
            steps=STEPS,
            fields=" ".join(columns),
        )
        return engine.run(script)


def dry(model: str) -> str:
    """Return the model without bridges, bonds and heat, so that a wall can use it."""
    for word in (" bridge", " bond", " heat", " synchronized"):
        model = model.partition(word)[0]
    return model


def scene(model: str, **others) -> Scene:
    made = Scene(model, **others)
    if " film " in model:
        made = replace(made, before=made.before + WET, extra=(*made.extra, "d_film"))
    if " heat " in model:
        made = replace(made, before=made.before + WARM, extra=(*made.extra, "c_temperatures"))
    if " bond " in model:
        made = replace(made, after=BONDED, style="bpm/sphere", move="fix move all nve/bpm/sphere")
    return made


def largest(values: pd.DataFrame) -> float:
    return float(values.abs().to_numpy().max(initial=0.0))


def differences(one: engine.Run, two: engine.Run, *, books: bool) -> dict[str, float]:
    """Return the largest difference of each quantity between two runs.

    Differences are relative to the largest value with the same unit.
    """
    found = {}
    a, b = one.dump("end"), two.dump("end")
    assert list(a.id) == list(b.id)
    quantities = dict(MOTION)
    for name in set(a.columns) & {"c_temperatures", "d_film"}:
        quantities[name] = [name]
    if books:
        quantities["lost"] = [name for name in a.columns if name.startswith("c_lost")]
    for name, columns in quantities.items():
        found[name] = largest(a[columns] - b[columns]) / (largest(a[columns]) or 1.0)
    if books:
        a, b = one.ledger, two.ledger
        for entry in LEDGER.entries:
            alike = [other.name for other in LEDGER.entries if other.unit == entry.unit]
            change = largest(a[[entry.name]] - b[[entry.name]])
            found[entry.name] = change / (largest(a[alike]) or 1.0)
    return found


def check(found: dict[str, float]) -> None:
    assert np.isfinite(list(found.values())).all()
    assert {name: value for name, value in found.items() if value > TOLERANCE} == {}


def check_twins(scene: Scene, size: str) -> None:
    kept = {lists: scene.run(size, lists=lists, ledger="yes") for lists in LISTS}
    builds = {
        lists: int(re.findall(r"list builds = (\d+)", kept[lists].log)[-1]) for lists in LISTS
    }
    assert builds["in every step"] == STEPS
    assert builds["rarely"] < STEPS / 100
    contacts = np.diff(kept["rarely"].ledger["contacts"])
    assert contacts.min() < 0 < contacts.max()
    check(differences(kept["rarely"], kept["in every step"], books=True))
    for lists in LISTS:
        plain = scene.run(size, lists=lists, ledger="no")
        check(differences(kept["rarely"], plain, books=False))


def test_every_law_has_a_scene():
    words = {word for model in MODELS + FRICTION for word in model.split()} | {*SLIDERS, "none"}
    names = {
        law["name"].removesuffix("/film")
        for known in laws.registry().values()
        for law in known
        # Non-local laws need newton off or equal types. They are tested in test_mdr.py and
        # test_brodu.py.
        if not law["non_local"]
    }
    assert names <= words


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("model", MODELS)
def test_lists_do_not_matter(model, size):
    check_twins(scene(model), size)


@pytest.mark.parametrize("slider", SLIDERS)
@pytest.mark.parametrize("model", FRICTION)
def test_springs_of_friction_do_not_feel_new_lists(model, slider):
    check_twins(scene(f"{model} slider {slider}"), "few")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("lists")
    meshes.write_stl(made / "box.stl", meshes.box([-1.8] * 3, [1.8] * 3, 3, seed=5))
    shapes.cube().write(made / "cube.obj")
    return made


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("law", AT_WALLS)
@pytest.mark.parametrize("vessel", VESSELS)
def test_walls_do_not_feel_new_lists(folder, vessel, law, size):
    walls = VESSELS[vessel].format(law=law, folder=folder)
    check_twins(scene(law, walls=walls, ball=True), size)


@pytest.mark.parametrize("size", ["few", "many"])
@pytest.mark.parametrize("model", AT_WALLS[:2])
def test_shapes_do_not_feel_new_lists(folder, model, size):
    given = {
        "style": "bpm/sphere",
        "walls": VESSELS["mesh"].format(law=model, folder=folder),
        "before": "group cubes type 1\ngroup spheres type 2\n" + SHAPES.format(folder=folder),
        "move": "fix move spheres nve/bpm/sphere",
    }
    check_twins(scene(model, ball=True, **given), size)
