"""Bridges between grains and walls take liquid from films, store it and return it."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import integrate

from pysuite import engine
from pysuite.outputs import DISSIPATION, WALL, WALL_LOCAL
from pysuite.validation.references.bridges import Bridge

ROUNDING = 1e-15  # rounding error of sums of a few volumes of about 1e-3
RADIUS, TENSION, DEGREES, STIFFNESS, FLOOR = 0.4, 0.5, 25.0, 1e3, -0.55
FILM = 3e-3  # volume of the film on the grain
SWING = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block -1 1 -1 1 -2 2
create_box 1 box
create_atoms 1 single 0 0 0
set group all diameter {2 * RADIUS} density 1
fix film all property/atom d_film ghost yes
set group all d_film {FILM}
pair_style zero 1
pair_coeff * *
region ground block EDGE EDGE EDGE EDGE {FLOOR} EDGE
fix floor all wall/granular/plus hooke {STIFFNESS} 0 damping velocity &
    tangential linear_nohistory 0 0 bridge LAW {TENSION} {DEGREES} film OPTIONS WALL film THICKNESS
variable rise equal -0.2*sin(2*PI*time)
variable speed equal -0.4*PI*cos(2*PI*time)
fix swing all move variable NULL NULL v_rise NULL NULL v_speed
variable gap equal xcm(all,z)+0.15
variable pull equal fcm(all,z)
compute films all property/atom d_film
compute film all reduce sum c_films
timestep 1e-3
thermo 1
thermo_style custom step v_gap v_pull c_film {WALL.of("f_floor", "liquid")}
thermo_modify format float %.17g
"""
COLUMNS = ["gap", "pull", "film", "taken"]
# a square of 2 x 2 at the height of the floor; its centre is at x = y = 0
MESH = (
    "solid floor\n"
    + "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {x} {y} {FLOOR}\n" for x, y in corners)
        + "endloop\nendfacet\n"
        for corners in (((-1, -1), (1, -1), (1, 1)), ((-1, -1), (1, 1), (-1, 1)))
    )
    + "endsolid\n"
)
WALLS = {"plane": f"zplane {FLOOR} NULL", "region": "region ground", "mesh": "mesh FILE"}


def swing(tmp_path, wall: str, *, law="willett", options="", thickness: object = 0, ranks=1):
    (tmp_path / "floor.stl").write_text(MESH)
    script = (
        SWING.replace("WALL", WALLS[wall].replace("FILE", str(tmp_path / "floor.stl")))
        .replace("LAW", law)
        .replace("OPTIONS", options)
        .replace("THICKNESS", str(thickness))
    )
    runs = "run 600\nrun 0\nrun 1000" if ranks > 1 else "run 1200\nrun 0\nrun 1300"
    thermo = engine.run(script + runs, ranks=ranks).thermo.drop_duplicates("Step")
    return thermo[thermo.columns[-4:]].set_axis(COLUMNS, axis=1)


def by_hand(gap: np.ndarray, share: float, limit: float, thickness: np.ndarray, force):
    film, taken, volume, rows = FILM, 0.0, 0.0, []
    for g, thick in zip(gap, thickness, strict=True):
        bridge = Bridge(TENSION, math.radians(DEGREES), volume or 1.0, 2.0 * RADIUS)
        if volume and g >= bridge.rupture_distance:
            film, taken, volume = film + volume / 2, taken + volume / 2, 0.0
        elif not volume and g < 0.0:
            given = np.array([share * film, share * thick * 4.0 * math.pi * RADIUS**2])
            given *= min(1.0, limit / given.sum())
            film, taken, volume = film - given[0], taken - given[1], given.sum()
            bridge = Bridge(TENSION, math.radians(DEGREES), volume, 2.0 * RADIUS)
        pull = float(force(bridge, max(g, 0.0))) if volume else 0.0
        rows.append([film, taken, -pull - STIFFNESS * min(g, 0.0)])
    return pd.DataFrame(rows, columns=["film", "taken", "pull"])


@pytest.mark.parametrize(
    ("wall", "law", "share", "limit", "thickness", "ranks"),
    [
        ("plane", "willett", 1.0, 6.4e-3, 0.0, 1),
        ("plane", "willett", 0.5, 6.4e-3, 1e-3, 1),
        ("plane", "willett/simple", 0.5, 1.5e-3, 1e-3, 1),
        ("plane", "willett", 0.5, 6.4e-3, 1e-3, 2),
        ("region", "willett", 0.5, 6.4e-3, 1e-3, 1),
        ("mesh", "willett", 0.5, 6.4e-3, 1e-3, 1),
        ("mesh", "willett", 0.5, 6.4e-3, 1e-3, 2),
    ],
)
def test_a_grain_that_meets_and_leaves_a_wall(tmp_path, wall, law, share, limit, thickness, ranks):
    """By default, the volume of a bridge is at most 0.1 R^3, which is 6.4e-3 here."""
    options = f"share {share}" + (f" limit {limit}" if limit < 6e-3 else "")
    table = swing(tmp_path, wall, law=law, options=options, thickness=thickness, ranks=ranks)
    force = Bridge.force if law == "willett" else Bridge.simple_force
    constant = np.full(len(table), thickness)
    expected = by_hand(table["gap"].to_numpy(), share, limit, constant, force)
    assert (np.diff(expected["film"]) > 0.0).sum() >= (1 if ranks == 2 else 2)
    for column in ("film", "taken"):
        np.testing.assert_allclose(table[column], expected[column], rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(table["pull"], expected["pull"], rtol=0, atol=1e-11)


def test_the_film_of_a_wall_may_be_a_variable(tmp_path):
    script = "v_thick\nvariable thick equal 1e-3*step/1000"
    table = swing(tmp_path, "plane", options="share 0.5", thickness=script)
    thickness = 1e-3 * np.arange(len(table)) / 1000
    expected = by_hand(table["gap"].to_numpy(), 0.5, 6.4e-3, thickness, Bridge.force)
    assert len(np.unique(np.diff(expected["taken"]))) > 3
    for column in ("film", "taken"):
        np.testing.assert_allclose(table[column], expected[column], rtol=0, atol=ROUNDING)


def test_a_corner_shares_the_film_out():
    script = f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -1 1 -1 1 -1 1
create_box 1 box
create_atoms 1 single 0 0 0
set group all diameter 1 density 1
fix film all property/atom d_film ghost yes
set group all d_film {FILM}
pair_style zero 1
pair_coeff * *
fix gap all wall/granular/plus hooke 1e3 0 damping velocity tangential linear_nohistory 0 0 &
    bridge willett 0.5 20 film xplane -0.49 0.49 film 0 local
run 0
"""
    script += "write_dump all custom end d_film modify format float %.17g\n"
    script += f"write_dump all local each {WALL_LOCAL.of('f_gap', 'force_x')} modify format float "
    run = engine.run(f"{script}%.17g\n")
    assert run.dump("end")["d_film"].item() == 0.0
    bridge = Bridge(0.5, math.radians(20.0), FILM / 2, 1.0)
    force = 1e3 * 0.01 - float(bridge.force(0.0))
    np.testing.assert_allclose(sorted(run.dump("each").iloc[:, -1]), [-force, force], rtol=1e-12)


# A corner between two blocks. LAMMPS gives both faces the number 0 if the regions are nested and
# grains are outside.
CORNERS = {
    "two numbers": "region corner intersect 2 upright lying",
    "one number": "region both intersect 2 upright lying side out\n"
    "region far block 90 91 90 91 90 91 side out\nregion corner intersect 2 both far side out",
}


@pytest.mark.parametrize("corner", CORNERS.values(), ids=CORNERS)
def test_the_second_face_of_a_corner_gets_its_part_too(corner):
    script = f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0.51 0 0.49
set group all diameter 1 density 1
fix film all property/atom d_film ghost yes
set group all d_film {FILM}
pair_style zero 1
pair_coeff * *
region upright block -2 0 -2 2 -2 2 side out
region lying block -2 2 -2 2 -2 0 side out
{corner}
fix wall all wall/granular/plus hooke 1e3 0 damping velocity tangential linear_nohistory 0 0 &
    bridge willett 0.5 20 film share 0.5 region corner film 0
fix hold all move linear 0 0 0
run 1
set atom 1 x 0.49
run 1
write_dump all custom end d_film modify format float %.17g
"""
    assert engine.run(script).dump("end")["d_film"].item() == pytest.approx(FILM / 4, rel=1e-14)


def test_a_ledger_needs_films_of_the_pairs_too():
    script = BOX + ACTS.replace(f"pair_coeff * * {LAWS}", f"pair_coeff * * {DRY}")
    for line in (
        "compute liquid all granular/liquid\n",
        "compute grains all reduce sum c_liquid[1] c_liquid[2]\n",
    ):
        script = script.replace(line, "")
    with pytest.raises(engine.LammpsError, match=r"also needs `bridge \.\.\. film` in pair"):
        engine.run(script.replace("c_grains[*] ", "") + "run 0")


def test_a_wet_wall_rebounds_as_a_frozen_grain_does():
    """The effective radius of the wet wall equals that of two equal grains with twice the radius.

    The rebound speeds differ by up to 1e-3, because the two contacts begin at different times
    within a step.
    """
    laws = (
        "hertz/material 1e8 0.9 0.3 damping coeff_restitution tangential mindlin NULL 1 0.3 "
        "bridge willett 0.07 10 film viscous VISCOSITY gap 1e-5"
    )
    head = """
units si
atom_style sphere
newton off
comm_modify vel yes
boundary f f f
region box block -0.01 0.01 -0.01 0.01 -0.01 0.02
create_box 1 box
fix film all property/atom d_film ghost yes
timestep 1e-7
"""
    pair = f"""
create_atoms 1 single 0 0 0.0021
create_atoms 1 single 0 0 -0.0001
set group all diameter 0.002 density 2500
set group all d_film 5e-12
set atom 1 vz -0.5
group low id 2
pair_style granular/plus
pair_coeff * * {laws}
fix freeze low freeze
"""
    wall = f"""
create_atoms 1 single 0 0 0.0007
set group all diameter 0.001 density 20000
set group all d_film 5e-12
set atom 1 vz -0.5
pair_style zero 0.001
pair_coeff * *
fix wall all wall/granular/plus {laws} zplane 0 NULL film {5e-12 / (math.pi * 1e-6)}
"""
    end = "fix move all nve/sphere\nrun 40000\n"
    end += "write_dump all custom end id vz modify sort id format float %.17g\n"
    speeds = {}
    for viscosity in (0.0, 0.1):
        for name, scene in (("pair", pair), ("wall", wall)):
            script = head + scene.replace("VISCOSITY", str(viscosity)) + end
            speeds[name, viscosity] = engine.run(script).dump("end")["vz"].iloc[0]
    assert speeds["pair", 0.0] == pytest.approx(0.443, abs=1e-3)
    assert speeds["pair", 0.1] == pytest.approx(0.264, abs=1e-3)
    for viscosity in (0.0, 0.1):
        assert speeds["wall", viscosity] == pytest.approx(speeds["pair", viscosity], rel=1e-3)


# ---------- restitution of wet impacts

IMPACT = """
units lj
atom_style sphere
newton off
comm_modify vel yes
boundary f f f
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single 0 0 0.5001
set group all diameter 1 density 1.9098593171027440292266
set atom 1 vz -1
fix film all property/atom d_film ghost yes
set group all d_film 2e-3
pair_style zero 1
pair_coeff * *
fix wall all wall/granular/plus hooke 1e5 20 damping velocity tangential linear_nohistory 0 0 &
    bridge willett 0 0 film viscous VISCOSITY gap 0.005 zplane 0 NULL film 0
fix move all nve/sphere
timestep 2e-6
run 200000
write_dump all custom end vz modify format float %.17g
"""


def rebound(viscosity: float) -> float:
    """Return the rebound speed of a sphere of mass 1 and radius 0.5 that hits the plane at speed 1.

    While the sphere overlaps the plane, Hooke's law with a dashpot acts. From the first contact
    until the bridge ruptures, Reynolds's lubrication force acts within a cylinder of volume V. The
    bridge ruptures at the gap V^(1/3) + V^(2/3)/(10 R_D). Here V is 2e-3, and R_D is the Derjaguin
    radius.
    """
    volume, derjaguin, smallest = 2e-3, 1.0, 0.005
    longest = volume ** (1 / 3) + 0.1 * volume ** (2 / 3) / derjaguin

    def motion(_, state):
        gap, speed = state
        thickness = max(gap, smallest)
        filled = 1.0 - (1.0 + 2.0 * volume / (math.pi * derjaguin * thickness**2)) ** -0.5
        force = -1.5 * math.pi * viscosity * (derjaguin * filled) ** 2 * speed / thickness
        if gap < 0.0:
            force += -1e5 * gap - 20.0 * speed
        return [speed, force]

    def leaves(_, state):
        return state[0] - longest

    leaves.terminal = True
    end = integrate.solve_ivp(
        motion, (0.0, 50.0), [0.0, -1.0], events=leaves, rtol=1e-10, atol=1e-12, max_step=1e-4
    )
    return end.y[1, -1] if end.status == 1 else 0.0


def test_restitution_falls_linearly_with_the_inverse_stokes_number():
    """Mueller and Huang (2016) measured this law for spheres that bounce on a wet plane.

    The Stokes number is m v/(6 pi mu R^2). The law holds if the viscous force hardly changes the
    collision.
    """
    stokes, wet, expected = np.array([25.0, 50.0, 100.0, 200.0, 400.0]), [], []
    for number in stokes:
        viscosity = 1.0 / (6.0 * math.pi * 0.25 * number)
        end = engine.run(IMPACT.replace("VISCOSITY", f"{viscosity:.17g}")).dump("end")
        wet.append(end["vz"].item())
        expected.append(rebound(viscosity))
    # the tolerance covers the error of the step in which the bridge forms
    np.testing.assert_allclose(wet, expected, rtol=1e-4)
    slope, dry = np.polyfit(1.0 / stokes, wet, 1)
    assert slope < -2.0
    np.testing.assert_allclose(dry + slope / stokes, wet, rtol=0, atol=1e-3)


# ---------- grains shaken in a box

LAWS = (
    "hooke 1e4 10 damping mass_velocity tangential linear_history 5e3 0.5 0.3 "
    "bridge willett/simple 1 20 film share 0.4"
)
DRY = LAWS.partition(" bridge")[0]
MOTION = "wiggle z 0.3 0.5"
BOX = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary p f f
region box block 0 4 -0.5 4.5 -1 5
create_box 1 box
lattice sc 1.0 origin 0.5 0.5 0.5
region inside block 0 4 0 4 0 4
create_atoms 1 region inside
set group all diameter 1 density 1
variable size atom 0.95-0.03*((5*x+3*y+z)%7)
set group all diameter v_size
velocity all create 4 99 loop geom
fix film all property/atom d_film ghost yes
variable film atom 4e-3*(x<2)
set group all d_film v_film
"""
ACTS = f"""
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
timestep 5e-4
pair_style granular/plus ledger yes
pair_coeff * * {LAWS}
fix floor all wall/granular/plus {LAWS} zplane -0.4 4.4 {MOTION} film 2e-4
fix sides all wall/granular/plus {LAWS} yplane -0.1 4.1 film 0
fix guard all wall/granular/plus {DRY} yplane -0.3 4.3
fix cage all wall/granular/plus {DRY} zplane -0.9 4.9
fix down all gravity 5 vector 0 0 -1
fix move all nve/sphere
compute ledger all granular/ledger
compute lost all granular/dissipation sums
compute losses all reduce sum {DISSIPATION.of("c_lost", "walls", "bridge", "total")}
compute liquid all granular/liquid
compute grains all reduce sum c_liquid[1] c_liquid[2]
thermo_style custom step c_ledger[*] c_grains[*] c_losses[*] &
    {WALL.of("f_floor", "liquid")} {WALL.of("f_sides", "liquid")}
thermo_modify format float %.17g norm no
thermo 50
"""
DUMP = "write_dump all custom end id x y z d_film fx fy fz modify format float %.17g sort id\n"
HELD = ("liquid_films", "liquid_bridges", "liquid_lost", "liquid_evaporated", "liquid_walls")


def liquid(ledger: pd.DataFrame) -> np.ndarray:
    return (ledger[list(HELD)].sum(axis=1) - ledger["liquid_supplied"]).to_numpy()


def reduced(run: engine.Run, name: str) -> np.ndarray:
    return run.thermo.filter(like=name).to_numpy()


@pytest.mark.parametrize(("newton", "ranks"), [("off", 1), ("on", 1), ("off", 2), ("on", 2)])
@pytest.mark.parametrize("dries", [False, True], ids=["", "dries"])
def test_liquid_of_a_shaken_box_is_conserved(dries, newton, ranks):
    script = BOX.replace("newton off", f"newton {newton}") + ACTS
    if dries:
        script += "fix dry all granular/film rate 3e-5 bridges yes\n"
        script += "region top block INF INF INF INF 2 INF\n"
        script += "fix spray all granular/film supply 0.1 region top\n"
    steps = 300 if ranks == 2 else 3000
    run = engine.run(script + f"run {steps}\n{DUMP}", ranks=ranks)
    ledger = run.ledger
    total = liquid(ledger)
    np.testing.assert_allclose(total, total[0], rtol=1e-12)
    assert (run.dump("end")["d_film"] >= 0.0).all()
    grains = reduced(run, "c_grains").sum(axis=1)
    held = (ledger["liquid_films"] + ledger["liquid_bridges"]).to_numpy()
    np.testing.assert_allclose(grains, held, rtol=1e-12)
    taken = run.thermo[run.thermo.columns[-2:]].to_numpy()
    np.testing.assert_allclose(taken.sum(axis=1), ledger["liquid_walls"], atol=1e-14 * total[0])
    assert (np.diff(taken[:, 1]) >= 0.0).all()
    if ranks == 1:
        assert taken[-1, 1] > 0.01 * total[0]
        assert (np.diff(taken[:, 0]) < 0.0).any()
        assert ledger["ruptures"].iloc[-1] > 100
    # the measured residual is 6e-4
    turned_over = ledger["normal_dashpot"].iloc[-1] + ledger["slip"].iloc[-1]
    assert abs(ledger["residual"].iloc[-1]) < 1e-3 * turned_over
    assert ledger["exchanged"].abs().max() < 1e-12 * turned_over
    walls, _, lost = reduced(run, "c_losses")[-1]
    assert 0.0 < walls < lost


BOUNCE = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block -1 1 -1 1 -2 3
create_box 1 box
create_atoms 1 single 0 0 1
set group all diameter 1 density 1
set group all vz -1 vx 0.3
fix film all property/atom d_film ghost yes
set group all d_film 4e-3
pair_style granular/plus ledger yes
pair_coeff * * {DRY} bridge willett 0.1 20 film viscous 0.005 gap 0.01
fix floor all wall/granular/plus {DRY} bridge willett 0.1 20 film viscous 0.005 gap 0.01 &
    zplane 0 NULL film 1e-3
fix down all gravity 10 vector 0 0 -1
fix move all nve/sphere
fix dry all granular/film rate 5e-4 bridges yes
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g norm no
thermo STEPS
timestep STEP
run STEPS
"""


def test_the_ledger_of_a_bouncing_grain_closes_with_the_time_step():
    left = []
    for step in (1e-4, 5e-5, 2.5e-5):
        script = BOUNCE.replace("STEPS", str(round(3.0 / step))).replace("STEP", str(step))
        last = engine.run(script).ledger.iloc[-1]
        assert last["ruptures"] >= 2.0
        for name in ("viscous", "rupture", "volume_change", "normal_dashpot"):
            assert last[name] > 1e-5, name
        left.append(abs(last["residual"]) / last["viscous"])
    assert left[0] < 1e-5
    assert left[2] < 0.5 * left[0]


def test_ranks_and_newton_change_nothing_that_a_step_does():
    ends = []
    for newton, ranks in (("off", 1), ("on", 1), ("off", 2), ("on", 4)):
        script = BOX.replace("newton off", f"newton {newton}") + ACTS + f"run 150\n{DUMP}"
        ends.append(engine.run(script, ranks=ranks).dump("end"))
    first, *others = (end.sort_values(["x", "y", "z"], ignore_index=True) for end in ends)
    assert first["d_film"].nunique() > 5
    for end in others:  # IDs depend on the number of ranks
        np.testing.assert_allclose(end["d_film"], first["d_film"], rtol=0, atol=1e-12)
        np.testing.assert_allclose(end[["x", "y", "z"]], first[["x", "y", "z"]], atol=1e-9)


@pytest.mark.parametrize("dries", [False, True], ids=["", "dries"])
def test_a_restart_goes_on_to_the_last_bit(tmp_path, dries):
    acts = ACTS + ("fix dry all granular/film rate 3e-5 bridges yes\n" if dries else "")
    script = BOX + acts
    whole = engine.run(f"{script}run 400\nrun 400\n{DUMP}")
    engine.run(f"{script}run 400\nwrite_restart {tmp_path}/r\n")
    again = engine.run(
        f"comm_modify vel yes\nnewton off\natom_modify map array\nread_restart {tmp_path}/r\n"
        f"fix film all property/atom d_film ghost yes\n{acts}run 400\n{DUMP}"
    )
    pd.testing.assert_frame_equal(again.dump("end"), whole.dump("end"))
    last = whole.ledger.iloc[-1]
    for name in ("liquid_films", "liquid_bridges", "liquid_walls", "liquid_evaporated"):
        assert again.ledger[name].iloc[-1] == last[name]
    assert last["liquid_walls"] != 0.0


@pytest.mark.parametrize(
    ("commands", "lost"),
    [
        ("unfix sides", False),
        (f"fix sides all wall/granular/plus {LAWS} yplane -0.1 4.1 film 1e-4", False),
        (f"fix sides all wall/granular/plus {LAWS.split(' bridge')[0]} yplane -0.1 4.1", False),
        ("group some id 1:20\ndelete_atoms group some compress no", True),
        (
            "group others id 1:40\nunfix floor\nfix floor others wall/granular/plus LAWS "
            "zplane -0.4 4.4 film 0",
            False,
        ),
        (f"pair_coeff * * {LAWS.replace('share 0.4', 'share 0.3')}", False),
    ],
    ids=["removed", "given again", "dry from now on", "grains deleted", "other group", "pairs"],
)
def test_commands_between_runs_lose_nothing(commands, lost):
    head = BOX + ACTS.replace(WALL.of("f_sides", "liquid"), "").replace(
        WALL.of("f_floor", "liquid"), ""
    ).replace("&\n    \n", "\n")
    script = f"{head}run 800\n{commands.replace('LAWS', LAWS)}\nrun 800\n"
    ledger = engine.run(script).ledger
    total = liquid(ledger)
    np.testing.assert_allclose(total, total[0], rtol=1e-12)
    if lost:
        assert ledger["liquid_lost"].iloc[-1] > 0.05 * total[0]
    else:
        assert abs(ledger["liquid_lost"].iloc[-1]) < 1e-12 * total[0]


def test_models_that_differ_after_a_restart_give_the_liquid_back(tmp_path):
    script = BOX + ACTS
    before = engine.run(f"{script}run 800\nwrite_restart {tmp_path}/r\n").ledger.iloc[-1]
    acts = ACTS.replace(LAWS + " zplane", DRY + " zplane").replace("film 2e-4", "")
    again = engine.run(
        f"comm_modify vel yes\nnewton off\natom_modify map array\nread_restart {tmp_path}/r\n"
        f"fix film all property/atom d_film ghost yes\n{acts}run 0\n"
    )
    assert "the liquid of bridges returns to the films" in again.log
    after = again.ledger.iloc[-1]
    names = ["liquid_films", "liquid_bridges", "liquid_walls"]
    assert after[names].sum() == pytest.approx(before[names].sum(), rel=1e-13)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("zplane 0 NULL", "need `film H` after the wall style; H is the thickness of"),
        ("zplane 0 NULL film -1e-3", "keyword film: H = -1e-3 must be >= 0"),
        ("zplane 0 NULL film 1 film 2", "keyword film = 2 must be given only once"),
        ("zplane 0 NULL film", "keyword film needs H: thickness of"),
        ("zplane 0 NULL film thick", "thick"),
        ("zplane 0 NULL flim 1", "did you mean film"),
    ],
)
def test_bad_input(words, message):
    script = f"{BOX}pair_style zero 1\npair_coeff * *\nfix w all wall/granular/plus {LAWS} {words}"
    with pytest.raises(engine.LammpsError, match=re.escape(message)):
        engine.run(script)


def test_a_wall_without_films_refuses_the_keyword():
    dry = DRY
    script = f"{BOX}fix w all wall/granular/plus {dry} zplane 0 NULL film 1e-3"
    with pytest.raises(engine.LammpsError, match="needs a bridge that takes its liquid from films"):
        engine.run(script)


def test_grains_without_films_are_refused():
    script = (BOX + ACTS).replace("fix film all property/atom d_film ghost yes\n", "")
    script = script.replace("set group all d_film v_film\n", "").replace(
        f"pair_coeff * * {LAWS}", f"pair_coeff * * {LAWS.split(' bridge')[0]}"
    )
    for line in (
        "compute liquid all granular/liquid\n",
        "compute grains all reduce sum c_liquid[1] c_liquid[2]\n",
    ):
        script = script.replace(line, "")
    with pytest.raises(engine.LammpsError, match="fix floor: keyword film needs the films"):
        engine.run(script.replace("c_grains[*] ", "") + "run 0")


def test_one_warning_beyond_the_fit():
    script = BOX.replace("4e-3*(x<2)", "1e-5") + ACTS + "run 100\nrun 100"
    log = engine.run(script).log
    told = re.findall(
        r"fix floor: V/R\^3 of new bridges is up to (\S+), but the law was fitted for the range "
        r"from 0.001 to 0.1",
        log,
    )
    assert len(told) == 1
    assert 0.0 < float(told[0]) < 0.001
