"""Neighbour lists of granular/plus contain all pairs that interact.

With GRANULAR_PLUS_CHECK_LISTS=yes, pair granular/plus checks all pairs of grains in every step.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from pysuite import engine

LAW = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
HEAD = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
comm_modify vel yes
"""
# a tenth of the 150 grains move fast
GAS = """
dimension {dimension}
boundary {boundary}
region box {box}
create_box 2 box
{inside}
create_atoms 1 random 150 4711 {where} overlap 0.8 maxtry 1000
set group all type/fraction 2 0.3 17
set type 1 diameter 0.9 density 1
set type 2 diameter 0.6 density 1
velocity all create 4 8731 loop geom
group fast id 1:150:10
velocity fast set 30 -20 {fly} sum yes
neighbor {skin} bin
"""
MOVE = """
fix move all nve/sphere
timestep 1e-3
"""
ANYWHERE = {"inside": "", "where": "NULL"}
CUBE = ANYWHERE | {"dimension": 3, "boundary": "p p p", "box": "block 0 6 0 6 0 6", "fly": 25}
SCENES = {
    "cube": CUBE,
    "walls": CUBE
    | {
        "boundary": "f f f",
        "inside": "region inside block 0.45 5.55 0.45 5.55 0.45 5.55",
        "where": "inside",
    },
    "triclinic": CUBE | {"box": "prism 0 6 0 6 0 6 1.5 0.5 -0.7"},
    "plane": ANYWHERE
    | {"dimension": 2, "boundary": "p p p", "box": "block 0 14 0 12 -0.5 0.5", "fly": 0},
    "flat": CUBE | {"box": "block 0 2.5 0 9 0 11"},
    "thin": CUBE | {"box": "block 0 0.85 0 18 0 20"},  # large grains touch their own images
}
WALLS = "\n".join(f"fix {d} all wall/granular/plus {LAW} {d}plane 0 6" for d in "xyz")


def script(scene, *, pair=LAW, more="", newton="on", skin=0.3, steps=300, style="list own") -> str:
    text = HEAD.format(newton=newton) + GAS.format(**SCENES[scene], skin=skin)
    text += f"pair_style granular/plus {style}\npair_coeff * * {pair}\n{MOVE}"
    if scene == "walls":
        text += WALLS
    if scene == "plane":
        text += "fix plane all enforce2d\n"
    if "adapt" in more:
        text = text.replace("atom_style sphere", "atom_style sphere 1")
    return f"{text}\n{more}\nrun {steps}\n"


@pytest.fixture(autouse=True)
def looks_at_all_pairs(monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_CHECK_LISTS", "yes")


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (1, "off"), (2, "on"), (4, "off")])
@pytest.mark.parametrize("scene", SCENES)
def test_no_pair_is_missed(scene, ranks, newton):
    engine.run(script(scene, newton=newton), ranks=ranks)


ACROSS_GAPS = {
    "bridges": "hooke 2e4 15 tangential linear_history 1e4 0.8 0.3 bridge willett 2 20 volume 0.01",
    "jkr": "jkr 6e5 200 0.25 5 tangential mindlin NULL 1 0.3",
    "van der Waals": f"{LAW} van_der_waals 0.6 0.02 0.15",
}


@pytest.mark.parametrize("pair", ACROSS_GAPS.values(), ids=ACROSS_GAPS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_across_gaps(pair, ranks):
    engine.run(script("cube", pair=pair), ranks=ranks)


WHILE = {
    "grains come in": "region top block 0 6 0 6 4 6\n"
    "fix more all deposit 40 2 10 771 region top vz -30 -20 near 0.3",
    "grains grow": "variable d equal 0.6+0.3*step/600\nfix grow all adapt 1 atom diameter v_d",
    "fix set makes grains grow": "variable d atom 0.6+0.4*step/300\n"
    "fix grow all set 1 0 type 1 diameter v_d",
    # Only the growth of grains causes a rebuild of the list. Because grains will be inserted, the
    # chosen skin is wide. The list must be rebuilt long before grains have grown by half the skin.
    "grains at rest grow": "unfix move\nvelocity all set 0 0 0\nneighbor 0.02 bin\n"
    "region top block 0 6 0 6 4 6\n"
    "fix later all deposit 1 2 100000 771 region top\nvariable d atom 0.6+0.4*step/300\n"
    "fix grow all set 1 0 type 1 diameter v_d",
    "images of grains at rest come closer": "unfix move\nvelocity all set 0 0 0\n"
    "fix shrink all deform 1 x scale 0.8 remap none",
    "grains grow between runs": "run 50\nset type 1 diameter 1.1\nrun 50 pre no",
    "the box shrinks": "fix shrink all deform 1 x scale 0.9 y scale 0.9 z scale 0.9 remap x",
    "the box is sheared": "change_box all triclinic\nfix shear all deform 1 xy erate 2 remap v",
    "pairs are left out": "neigh_modify exclude group fast fast\nneigh_modify exclude type 2 2",
    "lists are rare by hand": "neigh_modify every 50 delay 50 check no",
    "atoms are sorted": "atom_modify sort 5 0",
    "fast grains are stopped": "run 100\nvelocity fast set 0 0 0\n"
    "run 100\nvelocity fast set 40 0 0",
    "a minimization comes between": "run 50\nmin_style quickmin\nminimize 0 1e-9 20 100",
    "a minimization moves grains far": "min_style fire\nneighbor 0.05 bin\n"
    "change_box all x scale 0.8 y scale 0.8 z scale 0.8 remap\nminimize 0 0 300 300",
    "the box shrinks between rare lists": "fix shrink all deform 1 x scale 0.9 remap x\n"
    "neigh_modify every 1 delay 100 check yes",
    "the skin changes in between": "run 100\nneighbor 3 bin\nrun 200 pre no",
    "sizes communicate by themselves": "neighbor 0.3 multi\ncomm_modify mode multi reduce/multi",
    "a run goes on": "run 100\nrun 200 pre no",
}


@pytest.mark.parametrize("more", WHILE.values(), ids=WHILE)
@pytest.mark.parametrize("ranks", [1, 2])
def test_while(more, ranks):
    engine.run(script("cube", more=more), ranks=ranks)


@pytest.mark.parametrize("style", ["list own", "list lammps"])
def test_grains_attract_a_frozen_one_that_is_larger(style):
    """The grains attract each other up to a gap of 0.4."""
    forces = engine.run(
        HEAD.format(newton="on")
        + f"""
boundary f f f
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single 2.3 0 0
set atom 1 diameter 3 density 1
set atom 2 diameter 1 density 1
group held id 1
neighbor 0.02 bin
pair_style granular/plus {style} skin given
pair_coeff * * {LAW} van_der_waals 5 0.05 0.4
fix held held freeze
{MOVE}
dump all all custom 1 end.dump id fx
run 0
"""
    ).dump("end.dump")
    assert forces["fx"].iloc[1] < -0.1


def test_a_missed_pair_is_told():
    rare = "neigh_modify every 50 delay 50 check no"
    with pytest.raises(engine.LammpsError, match="act on each other through 1 images"):
        engine.run(script("cube", more=rare, style="list lammps", skin=0.01))


# -------------------------------------------------------------------- results with either list


def difference_of_lists(scene, ranks, newton, more="") -> float:
    ends = []
    for style in ("list own", "list lammps"):
        dump = (
            "dump all all custom 150 end.dump id xu yu zu\n"
            "dump_modify all sort id format float %.17g"
        )
        text = script(scene, newton=newton, more=f"{more}\n{dump}", steps=150, style=style)
        ends.append(engine.run(text, ranks=ranks).dump("end.dump").tail(150))
    own, theirs = (end[["xu", "yu", "zu"]].to_numpy() for end in ends)
    return np.abs(own - theirs).max()


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (1, "off"), (2, "on")])
@pytest.mark.parametrize("scene", ["cube", "walls", "triclinic", "plane"])
def test_motion_is_that_with_lists_of_lammps(scene, ranks, newton, monkeypatch):
    """Forces are added in different orders, and collisions amplify the round-off."""
    monkeypatch.delenv("GRANULAR_PLUS_CHECK_LISTS")
    assert difference_of_lists(scene, ranks, newton) < 1e-9


MOLECULES = "fix mol all property/atom mol ghost yes\nset type 1 mol 1\nset group fast mol 2\n"
EXCLUSIONS = {
    "types": "neigh_modify exclude type 1 2",
    "a group": "neigh_modify exclude group fast fast",
    "two groups": "group slow subtract all fast\nneigh_modify exclude group fast slow",
    "within molecules": f"{MOLECULES}neigh_modify exclude molecule/intra all",
    "between molecules": f"{MOLECULES}neigh_modify exclude molecule/inter all",
}


@pytest.mark.parametrize("exclude", EXCLUSIONS.values(), ids=EXCLUSIONS)
def test_pairs_left_out_are_those_that_lammps_leaves_out(exclude, monkeypatch):
    """Compare the two lists, because the check of all pairs cannot detect wrong exclusions."""
    monkeypatch.delenv("GRANULAR_PLUS_CHECK_LISTS")
    assert difference_of_lists("cube", 1, "on", exclude) < 1e-9
    assert difference_of_lists("cube", 2, "off", exclude) < 1e-9


def test_when_lists_are_made_does_not_change_a_bit(monkeypatch):
    """Forces are added in the same order, because the rows of a list are sorted by ID.

    The box is not periodic. In a periodic box, a rebuild of the list would wrap positions, which
    causes round-off.
    """
    monkeypatch.delenv("GRANULAR_PLUS_CHECK_LISTS")
    ends = []
    for check in ("no", "yes"):
        more = (
            f"atom_modify sort 0 0\nneigh_modify every 1 delay 0 check {check}\n"
            "dump all all custom 300 end.dump id x y z vx vy vz\n"
            "dump_modify all sort id format float %.17g"
        )
        done = engine.run(script("walls", more=more))
        ends.append((done.dump("end.dump").tail(150), done.log))
    (each, log_of_each), (rarely, log_of_rarely) = ends
    assert each.equals(rarely)
    builds = [
        int(re.findall(r"list builds = (\d+)", log)[-1]) for log in (log_of_each, log_of_rarely)
    ]
    assert builds[0] == 300
    assert builds[1] < 100


def test_the_skin_that_suits_is_said_and_given_back():
    fast = script("cube", skin=0.05, steps=0)
    log = engine.run(fast).log
    chosen = re.search(
        r"granular/plus: skin = ([0-9.]+) instead of 0.05, chosen for the fastest", log
    )
    assert chosen
    assert 0.05 < float(chosen[1]) <= 0.9
    assert (
        "instead of"
        not in engine.run(script("cube", skin=0.05, steps=0, style="list own skin given")).log
    )
    again = "pair_style granular/plus list own\npair_coeff * * " + LAW + "\nrun 0\n"
    assert engine.run(fast + again).log.count("instead of 0.05") == 2


REASONS = {
    "neigh_modify once yes": ("neigh_modify once yes", 1),
    "a compute that requests single pairs": ("compute each all pair/local dist", 2),
    "comm_modify mode multi with newton on": ("neighbor 0.3 multi\ncomm_modify mode multi", 1),
}


@pytest.mark.parametrize("alone", [True, False])
def test_the_only_style_of_a_hybrid_has_a_list_of_its_own(alone):
    # hybrid would read the keyword `list` as the pair style `list`
    plain = script("cube", style="", steps=200)
    others = r"\2" if alone else "/overlay\\2 zero 1.0\npair_coeff * * zero"
    hybrid = plain.replace("pair_style granular/plus", "pair_style hybrid granular/plus").replace(
        "pair_coeff * * ", "pair_coeff * * granular/plus "
    )
    hybrid = re.sub(r"(pair_style hybrid)( .*)", rf"\1{others}", hybrid)
    write = "write_dump all custom end.dump id x y z vx vy vz modify sort id format float %.17g\n"
    one, other = (engine.run(f"{text}\n{write}") for text in (plain, hybrid))
    found = float(re.findall(r"Ave neighs/atom = (\S+)", other.log)[-1])
    assert (found == 0.0) == alone
    if alone:
        pd.testing.assert_frame_equal(other.dump("end.dump"), one.dump("end.dump"))


@pytest.mark.parametrize(("reason", "more"), REASONS.items(), ids=REASONS)
def test_the_list_is_that_of_lammps_where_it_is_needed(reason, more):
    command, ranks = more
    for style, said in (("list own", 1), ("list chosen", 0), ("list lammps", 0)):
        log = engine.run(script("cube", more=command, style=style, steps=0), ranks=ranks).log
        assert log.count("using LAMMPS's neighbour list despite `list own`") == said
        assert reason in log or not said
        assert "ave neighs/atom" in log.lower()


MOLECULE = f"""
units lj
atom_style hybrid sphere bond
comm_modify vel yes
region box block 0 6 0 6 0 6
create_box 1 box bond/types 1 extra/bond/per/atom 1 extra/special/per/atom 2
create_atoms 1 single 2 2 2
create_atoms 1 single 2.9 2 2
set group all diameter 1 density 1
pair_style granular/plus list own
pair_coeff * * {LAW}
bond_style zero
bond_coeff 1
{{bonds}}
fix move all nve/sphere
timestep 1e-4
{{insert}}
run 0
"""


@pytest.mark.parametrize(
    ("bonds", "insert", "said"),
    [
        ("", "", 0),
        ("create_bonds single/bond 1 1 2", "", 1),
        ("", "region top block 1 5 1 5 4 5\nfix rain all deposit 5 1 100 71 region top", 1),
    ],
    ids=["none", "bonded", "inserted"],
)
def test_special_neighbours_need_the_list_of_lammps(bonds, insert, said, monkeypatch):
    """LAMMPS excludes bonded pairs from its list. Grains that a fix inserts may also have bonds."""
    monkeypatch.delenv("GRANULAR_PLUS_CHECK_LISTS")
    log = engine.run(MOLECULE.format(bonds=bonds, insert=insert)).log
    assert log.count("despite `list own`: special neighbours") == said


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "on"), (2, "off")])
def test_computes_see_the_same_pairs(ranks, newton, monkeypatch):
    """Forces with the two lists agree only to 1e-3.

    If a pair crosses a boundary, one of its grains is a ghost. The two lists may select different
    grains as the ghost. The velocity of a ghost is half a step old.
    """
    monkeypatch.delenv("GRANULAR_PLUS_CHECK_LISTS")
    sums = []
    for style in ("list own", "list lammps"):
        more = (
            "compute each all pair/local dist force\n"
            "compute both all reduce sum c_each[1] c_each[2] inputs local\n"
            "thermo_style custom step c_both[*]\nthermo_modify format float %.15g"
        )
        text = script("cube", newton=newton, more=more, steps=100, style=style)
        sums.append(engine.run(text, ranks=ranks).thermo.drop(columns="run").iloc[-1].to_numpy())
    (_, *own), (_, *theirs) = sums
    assert theirs[1] != 0.0
    np.testing.assert_allclose(own[0], theirs[0], rtol=1e-9)
    np.testing.assert_allclose(own[1], theirs[1], rtol=1e-3)


def test_the_scripts_delay_is_given_back():
    text = script("cube", more="neigh_modify delay 3", steps=20)
    text += f"pair_style granular/plus list lammps\npair_coeff * * {LAW}\nrun 0\n"
    assert "delay = 3 steps" in engine.run(text).log


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("list", "pair_style granular/plus: keyword list needs chosen, own or lammps"),
        ("list mine", "keyword list: mine must be chosen, own or lammps"),
        (
            "list own 1.5",
            r"granular/plus: 1\.5 must come before all keywords if this number is the cutoff",
        ),
        ("skin wide", "keyword skin: wide must be chosen or given"),
        (
            "lists own",
            "unknown keyword lists; known are ledger, list, skin; did you mean list",
        ),
    ],
)
def test_bad_words(words, message):
    with pytest.raises(engine.LammpsError, match=message):
        engine.run(script("cube", style=words, steps=0))


LONG = """
group slow subtract all fast
region top block 0 6 0 6 4 6
fix more all deposit 60 2 1500 771 region top vz -30 -20 near 0.3
variable d equal 0.9+0.1*step/100000
fix grow slow adapt 10 atom diameter v_d
fix breathe all deform 1 x wiggle 0.3 7.0 remap v
timestep 5e-4
run 100000 every 2000 &
  "displace_atoms fast random 3 3 3 $(step+17) units box" &
  "velocity all create 4 $(step+18) loop geom" &
  "velocity fast set 30 -20 25 sum yes"
"""


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_no_pair_is_missed_in_100_000_steps(ranks):
    text = script("cube", more="adapt", steps=0).replace("adapt", "")
    engine.run(text.replace("run 0", LONG), ranks=ranks, timeout=3600.0)
