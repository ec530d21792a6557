"""Grains that expand with temperature: radii, masses, spin, lists, restart and the ledger."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine

ALPHA, REFERENCE = 1e-3, 300.0
EXPAND = f"fix warm all granular/temperature expansion {ALPHA} reference {REFERENCE}"
SCRIPT = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 9 0 9 -1 10 units box
create_box 1 box
fix heat all property/atom temperature heatflow ghost yes
{grains}
pair_style granular/plus ledger yes
pair_coeff * * hooke {stiffness} 0 tangential linear_nohistory 0 0
fix move all nve/sphere
fix flow all heat/flow constant 1
{fixes}
compute thermal all property/atom temperature
compute books all granular/ledger
thermo_style custom step c_books[*]
thermo_modify norm no format float %.17g
timestep 1e-3
{run}
write_dump all custom end.dump id radius mass omegaz c_thermal modify sort id format float %.17g
"""
SPINNER = """create_atoms 1 single 4 4 4
set group all diameter 1 density 2 temperature 350
set group all omega 0 0 3"""


def run(grains: str, fixes: str, steps: str, stiffness: float = 1e4, **options):
    words = {"grains": grains, "fixes": fixes, "run": steps, "stiffness": stiffness}
    return engine.run(SCRIPT.format(**words), **options)


def test_a_grain_grows_in_proportion_and_keeps_mass_and_angular_momentum():
    """The grain has the given radius at 350, its temperature when the fix is defined."""
    done = run(SPINNER, EXPAND, "run 1\nset group all temperature 450\nrun 3")
    end = done.dump("end.dump").iloc[0]
    ratio = (1 + ALPHA * 150) / (1 + ALPHA * 50)
    assert end["radius"] == pytest.approx(0.5 * ratio, rel=1e-15)
    assert end["mass"] == pytest.approx(2 * np.pi / 6, rel=1e-15)
    assert end["omegaz"] * ratio**2 == pytest.approx(3.0, rel=1e-14)
    books = done.ledger.iloc[-1]
    energy = 0.5 * 0.4 * end["mass"] * 0.25 * 9.0
    assert books["exchanged"] == pytest.approx(energy * (ratio**-2 - 1), rel=1e-12)
    assert abs(books["residual"]) < 1e-13 * energy


def test_the_radius_returns_with_the_temperature():
    steps = "".join(f"set group all temperature {t}\nrun 2\n" for t in (350, 500, 120, 350))
    end = run(SPINNER, EXPAND, steps).dump("end.dump").iloc[0]
    assert end["radius"] == pytest.approx(0.5, rel=2e-16)


SQUEEZED = """create_atoms 1 single 4 4 0.5
set group all diameter 1 density 2 temperature 300"""


def test_the_ledger_books_the_work_of_a_grain_that_grows_between_two_planes():
    """The ledger calculates the work of a step from the forces at the start of the step."""
    stiffness = 1e4
    wall = (
        f"fix walls all wall/granular/plus hooke {stiffness} 0 tangential linear_nohistory 0 0 "
        "heat none gas 1 1e-3 zplane 0 1 temperature 310"
    )
    done = run(SQUEEZED, f"{EXPAND}\n{wall}", "thermo 1\nrun 400", stiffness=stiffness)
    radius = done.dump("end.dump")["radius"].iloc[0]
    books = done.ledger.iloc[-1]
    growth = radius - 0.5
    assert 1e-3 < growth < 0.5 * 0.01
    stored = 2 * 0.5 * stiffness * growth**2
    assert books["elastic_normal"] == pytest.approx(stored, rel=1e-10)
    largest_step = np.diff(np.sqrt(done.ledger["elastic_normal"] / stiffness)).max()
    assert abs(books["residual"]) < 1.01 * stiffness * growth * largest_step
    assert books["exchanged"] == pytest.approx(stored, rel=2 * largest_step / growth)


PACKED = """{setup}pair_style granular/plus ledger yes list {list}
pair_coeff * * hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3 &
    heat radius 40 gas 20 1e-3
{move}
fix heat all property/atom temperature heatflow ghost yes
fix flow all heat/flow constant 2
set group all temperature 300
variable hot atom "300 + 400*(id%7 == 0)"
set group all temperature v_hot
fix warm all granular/temperature expansion 1e-4 reference 300
{more}
compute thermal all property/atom temperature
compute books all granular/ledger
thermo_style custom step c_books[*]
thermo_modify norm no format float %.17g
run {steps}
write_dump all custom end.dump id x y z radius c_thermal modify sort id format float %.17g
"""


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_lists_follow_grains_that_grow(packing, tools, monkeypatch, newton, ranks):
    words = {"setup": tools.setup, "move": tools.move, "steps": 200}
    words["more"] = "variable hot atom 300+20*sin(id)\nset group all temperature v_hot"
    ends = []
    for listed in ("own", "lammps"):
        with monkeypatch.context() as patch:
            patch.setenv("GRANULAR_PLUS_CHECK_LISTS", "yes" if listed == "own" else "no")
            done = packing.run(PACKED.format(list=listed, **words), newton=newton, ranks=ranks)
        ends.append(done.dump("end.dump"))
    for column in ("x", "z", "radius", "c_thermal"):
        np.testing.assert_allclose(*(end[column] for end in ends), rtol=1e-11)


@pytest.mark.parametrize("among_large", [False, True])
def test_the_reach_of_heat_grows_with_the_grains(monkeypatch, among_large):
    """If `among_large` is true, a large grain of another type increases the cutoffs."""
    approach, large = "-0.5*(y>0.5)", ""
    if among_large:
        approach = "0.25-0.5*(y>0.5)"
        large = "create_atoms 2 single 30 10 0\nset atom 43 diameter 3\n"
    monkeypatch.setenv("GRANULAR_PLUS_CHECK_LISTS", "yes")
    gaps = np.linspace(1.0, 1.8, 21)
    create = "".join(
        f"create_atoms 1 single {3 * k} 0 0\ncreate_atoms 1 single {3 * k} {1 + gap:.17g} 0\n"
        for k, gap in enumerate(gaps)
    )
    end = engine.run(f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 66 -3 13 -3 3 units box
create_box 2 box
fix heat all property/atom temperature heatflow ghost yes
{create}set group all diameter 1
{large}set group all density 1
group small type 1
variable start atom 300+10*(y<0.5)
set group all temperature v_start
variable approach atom {approach}
velocity small set 0 v_approach 0
neighbor 0.02 bin
pair_style granular/plus list own
pair_coeff * * hooke 1 0 tangential linear_nohistory 0 0
pair_coeff 1 1 hooke 1 0 tangential linear_nohistory 0 0 heat none gas 1 1e-3 lens 1
fix move small nve/sphere
fix flow all heat/flow constant 1e15
{EXPAND.replace(" all ", " small ")}
compute thermal all property/atom temperature heatflow
timestep 1e-2
run 1
variable later atom 500+10*(y<0.5)
set group all temperature v_later
run 180
write_dump small custom end.dump id y radius c_thermal[2] modify sort id format float %.17g
""").dump("end.dump")
    apart = np.diff(end["y"].to_numpy().reshape(-1, 2))[:, 0]
    radius = end["radius"].to_numpy().reshape(-1, 2).max(axis=1)
    flows = end["c_thermal[2]"].to_numpy()[1::2] > 0.0
    np.testing.assert_array_equal(flows, apart < 3 * radius)
    assert 0 < flows.sum() < len(flows)


def test_the_ledger_books_growth_alike_on_any_ranks(packing, tools):
    books = []
    for ranks, newton in ((1, "on"), (2, "on"), (2, "off")):
        words = {"setup": tools.setup, "move": tools.move, "steps": 200, "list": "chosen"}
        text = PACKED.format(more="", **words)
        books.append(packing.run(text, newton=newton, ranks=ranks).ledger.iloc[-1])
    for other in books[1:]:
        assert other["exchanged"] == pytest.approx(books[0]["exchanged"], rel=1e-9)
    assert books[0]["exchanged"] != 0.0
    assert abs(books[0]["residual"]) < 0.05 * abs(books[0]["exchanged"])


BAD = {
    "nothing": ("", ["initial", "expansion"]),
    "no reference": ("expansion 1e-5", ["expansion and reference must be given together"]),
    "no expansion": ("initial 3 reference 300", ["expansion and reference must be given together"]),
    "negative": ("expansion -1e-5 reference 300", ["keyword expansion: alpha = -1e-5", ">= 0"]),
    "no number": ("expansion 1e-5 reference", ["keyword reference needs T0: reference temp"]),
    "twice": (
        "initial 3 initial 4",
        ["initial = 4 must be given only once", "initial = 3 was given before"],
    ),
    "unknown": ("expansoin 1e-5", ["unknown keyword expansoin", "did you mean expansion?"]),
    "too cold": (
        "expansion 0.1 reference 390",
        ["keyword expansion: grain 1", "temperature 300", "-8 times", "> 0"],
    ),
}


@pytest.mark.parametrize(("words", "named"), BAD.values(), ids=BAD)
def test_bad_input(lammps_error, words, named):
    fix = f"fix warm all granular/temperature {words}"
    text = SCRIPT.format(grains=SQUEEZED, fixes=fix, run="run 1", stiffness=1)
    message = lammps_error(text)
    for word in named:
        assert word in message
