"""Heat of friction: dissipated energy warms grains, even without a ledger."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import WALL

CAPACITY = 2.0
FRACTION = 0.7
DISSIPATED = ["normal_dashpot", "tangential_dashpot", "slip", "rolling", "twisting", "plastic"]
MODELS = {
    "csds": (
        "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin_rescale/force NULL 1 0.3 "
        "rolling sds 5e3 2 0.2 twisting sds 300 0.05 0.03"
    ),
    "wet": (
        "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3 "
        "bridge willett 5 20 volume 2e-3"
    ),
    "luding": "luding 1e4 5e4 2e4 0.05 eta 5 tangential linear_history 1e4 0.8 0.3"
    " rolling sds 5e3 2 0.2",
    "actm": "actm 2e-3 0.6 6e5 0.25 tangential mindlin_deresiewicz 1 0.3",
    "dsds": "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3 "
    "rolling sds 5e3 2 0.2 twisting sds 300 0.05 0.03 slider dsds",
    "truncate": "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3 "
    "slider truncate",
}
THERMAL = f"""
fix heat all property/atom temperature heatflow ghost yes
fix flow all heat/flow constant {CAPACITY}
compute thermal all property/atom temperature heatflow
variable warmth atom {CAPACITY}*mass*c_thermal[1]
compute warmth all reduce sum v_warmth
"""
REPORT = """
compute books all granular/ledger
thermo_style custom step c_warmth c_books[*]
thermo_modify norm no format float %.17g
"""


def warmth_and_loss(run) -> tuple[float, float]:
    """Return the heat that grains have gained and the energy that contacts have dissipated."""
    end = run.ledger.iloc[-1]
    return run.thermo["c_warmth"].iloc[-1], end[DISSIPATED].sum() - end["created"]


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("model", MODELS)
def test_grains_warm_by_their_fraction_of_what_the_ledger_books(
    packing, tools, model, newton, ranks
):
    """The tolerance covers round-off: the sums have some ten thousand terms of both signs."""
    script = f"""{tools.setup}pair_style granular/plus ledger yes
pair_coeff * * {MODELS[model]} heat none friction {FRACTION}
{tools.move}{THERMAL}{REPORT}
run 200
"""
    warmth, lost = warmth_and_loss(packing.run(script, newton=newton, ranks=ranks))
    assert lost > 1.0
    np.testing.assert_allclose(warmth, FRACTION * lost, rtol=1e-10)


BALL = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 2 2 {{height!r}}
set group all diameter 1 density 2
velocity all set 3 1 {{fall}}
pair_style granular/plus ledger yes
pair_coeff * * hooke 1e4 5 tangential linear_history 5e3 1 0.5
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
fix wall all wall/granular/plus granular {{wall}}
timestep {{timestep}}
{THERMAL}{REPORT}
run {{steps}}
"""
MECHANICAL = [
    "kinetic_translation",
    "kinetic_rotation",
    "elastic_normal",
    "elastic_tangential",
    "potential",
]


@pytest.mark.parametrize("tangential", ["linear_history 5e3", "mindlin 5e4", "mindlin/force 5e4"])
@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
def test_a_sliding_ball_warms_by_what_its_motion_loses(slider, tangential):
    """The error is of first order in the time step. With the time step 1e-4, it is below 2e-3."""
    mass, weight, stiffness = 2.0 * np.pi / 6.0, 10.0, 1e4
    for timestep in (1e-4, 2.5e-5):
        script = BALL.format(
            height=0.5 - mass * weight / stiffness,
            fall=0,
            wall=f"hooke 1e4 5 tangential {tangential} 1 0.5 slider {slider}"
            " heat none friction 1 zplane 0 NULL",
            timestep=timestep,
            steps=round(0.5 / timestep),
        )
        run = engine.run(script)
        mechanical = run.ledger[MECHANICAL].sum(axis=1)
        lost = mechanical.iloc[0] - mechanical.iloc[-1]
        assert lost == pytest.approx(0.5 * mass * (3**2 + 1**2) * 2 / 7, rel=0.01)
        assert 2.0 * run.thermo["c_warmth"].iloc[-1] == pytest.approx(lost, rel=20 * timestep)


def test_heat_of_friction_needs_no_ledger_and_moves_nothing(packing, tools):
    ends = {}
    for ledger, heat in (("yes", 0.7), ("no", 0.7), ("no", 0.0)):
        script = f"""{tools.setup}pair_style granular/plus ledger {ledger}
pair_coeff * * {MODELS["csds"]} heat none friction {heat}
{tools.move}{THERMAL}
run 200
{tools.dump_command("end")}
write_dump all custom heat.dump id c_thermal[1] modify sort id format float %.17g
"""
        run = packing.run(script)
        ends[ledger, heat] = run.dump("end"), run.dump("heat.dump")["c_thermal[1]"]
    with_ledger, without, cold = ends.values()
    assert max(tools.difference(without[0], cold[0]).values()) == 0.0
    assert without[1].max() > 0.0
    assert cold[1].abs().max() == 0.0
    np.testing.assert_array_equal(with_ledger[1], without[1])


def on_a_wall(heat: str, temperature: str) -> str:
    wall = (
        "hertz/material 1e5 0.5 0.3 damping tsuji tangential mindlin_rescale/force NULL 1 0.3"
        f" heat {heat} zplane 0 NULL {temperature}"
    )
    return BALL.format(height=0.51, fall=-2, wall=wall, timestep=1e-4, steps=20000)


def test_half_of_the_heat_of_friction_leaves_with_the_wall(tools):
    script = on_a_wall(heat=f"none friction {FRACTION}", temperature="")
    warmth, lost = warmth_and_loss(engine.run(script))
    assert lost > 1.0
    np.testing.assert_allclose(warmth, 0.5 * FRACTION * lost, rtol=1e-10)


def test_a_grain_on_a_warm_wall_takes_its_temperature(tools):
    script = on_a_wall(heat="area 1e4 friction 0", temperature="temperature 7")
    warmth, _ = warmth_and_loss(engine.run(script))
    mass = 2.0 * np.pi / 6.0
    assert warmth == pytest.approx(CAPACITY * mass * 7.0, rel=1e-3)


def test_heat_of_friction_goes_on_over_a_restart(packing, tools):
    begin = f"""{tools.setup}pair_style granular/plus
pair_coeff * * {MODELS["csds"]} heat none friction 1
{tools.move}{THERMAL}run 100
"""
    dump = "write_dump all custom heat.dump id c_thermal[1] modify sort id format float %.17g\n"
    whole = packing.run(f"{begin}write_restart half.restart\nrun 100\n{dump}")
    again = packing.run(f"""read_restart {whole.folder}/half.restart
comm_modify vel yes
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
{tools.move}{THERMAL}run 100
{dump}""")
    ours, theirs = (run.dump("heat.dump")["c_thermal[1]"] for run in (again, whole))
    # the order of neighbour lists differs
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * theirs.max())


BAD = {
    "heat without temperatures": ("", "heat area 1", "", ["use fix ID all property"]),
    "fraction above one": (
        "t",
        "heat none friction 1.1",
        "",
        ["friction: fraction of the energy", "F = 1.1", "<= 1"],
    ),
    "negative conductivity": ("t", "heat radius -1", "", ["heat radius", "ks = -1", ">= 0"]),
    "unknown heat": ("t", "heat aera 1", "", ["unknown heat model aera", "did you mean area?"]),
    "unknown word": ("t", "heat area 1 fricton 1", "", ["fricton", "friction"]),
    "wall without temperature": ("t", "", "heat area 1 zplane 0 NULL", ["needs", "temperature"]),
    "temperature without heat": (
        "t",
        "",
        "zplane 0 NULL temperature 3",
        ["temperature", "needs a heat model"],
    ),
    "no such variable": (
        "t",
        "",
        "heat area 1 zplane 0 NULL temperature v_hot",
        ["v_hot: there is no variable hot"],
    ),
    "synchronized wall": ("t", "", "synchronized_verlet zplane 0 NULL", ["synchronized_verlet"]),
    "half a keyword": ("t", "", "heat area 1 zplane 0 NULL temperature", ["temperature needs"]),
}


@pytest.mark.parametrize(("atoms", "pair", "wall", "named"), BAD.values(), ids=BAD)
def test_bad_input(lammps_error, atoms, pair, wall, named):
    model = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"
    script = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 2 2 2
pair_style granular/plus
pair_coeff * * {model} {pair}
{"fix heat all property/atom temperature heatflow ghost yes" if atoms else ""}
{f"fix wall all wall/granular/plus {model} {wall}" if wall else ""}
run 1
"""
    message = lammps_error(script)
    for word in named:
        assert word in message


WITHOUT_FLOW = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 9 0 9 0 9
create_box 1 box
create_atoms 1 single 2 2 0.49
create_atoms 1 single 2 2 1.48
set group all diameter 1 density 1
fix heat all property/atom temperature heatflow ghost yes
set atom 1 temperature 2
pair_style granular/plus
pair_coeff * * hooke 1e4 5 tangential linear_nohistory 0 0 {pair}
fix floor all wall/granular/plus hooke 1e4 5 tangential linear_nohistory 0 0 {wall}
fix move all nve/sphere
timestep 1e-6
{flow}
run 0
compute q all property/atom heatflow
dump end all custom 1 end id c_q
dump_modify end sort id
run 10
"""


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    ("pair", "wall", "flow", "warner"),
    [
        ("heat radius 1", "zplane 0 NULL", "", "granular/plus"),
        ("heat none friction 1", "zplane 0 NULL", "", "granular/plus"),
        ("", "heat area 1 zplane 0 NULL temperature 1", "", "granular/plus: fix floor"),
        ("heat radius 1", "heat area 1 zplane 0 NULL temperature 1", "", "granular/plus"),
        ("heat radius 1", "zplane 0 NULL", "fix flow all heat/flow constant 1", None),
        ("", "zplane 0 NULL", "", None),
    ],
)
def test_a_run_whose_temperatures_nothing_changes_is_warned_of(ranks, pair, wall, flow, warner):
    run = engine.run(WITHOUT_FLOW.format(pair=pair, wall=wall, flow=flow), ranks=ranks)
    told = [line for line in run.log.splitlines() if "there is no fix heat/flow" in line]
    assert len(told) == 2 * (warner is not None)  # there are two runs
    assert all(f"WARNING: {warner}: " in line and "heat/flow constant C" in line for line in told)
    if "radius" in pair and "area" not in wall:
        flows = run.dump("end").query("id == 2")["c_q"].to_numpy()
        # Without fix heat/flow, the flows of all 12 evaluations are added. The first frame contains
        # two evaluations.
        evaluations = 12.0 / 2.0
        assert flows[-1] / flows[0] == pytest.approx(evaluations if warner else 1.0, rel=0.01)


def test_a_wall_whose_temperature_follows_its_own_load_puts_out_what_is_now():
    """The temperature is a variable that reads the sums of the wall before they are complete."""
    load, contacts, work = (WALL.of("f_floor", name) for name in ("force_z", "contacts", "work"))
    script = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 5 0 5 -1 12
create_box 1 box
create_atoms 1 single 2.5 2.5 0.52
set group all diameter 1.0 density 1.0
fix heat all property/atom temperature heatflow ghost yes
pair_style granular/plus
pair_coeff * * hooke 1e4 10 tangential linear_nohistory 0 0
variable warm equal TEMPERATURE
fix floor all wall/granular/plus hooke 1e4 10 tangential linear_nohistory 0 0 heat area 1 &
    zplane 0 NULL temperature v_warm
fix weight all gravity 5 vector 0 0 -1
fix move all nve/sphere
thermo_style custom step {load} {contacts}
thermo_modify format float %.17g
timestep 1e-3
"""
    found = [
        engine.run(f"{script.replace('TEMPERATURE', given)}thermo 1\nrun 100").thermo
        for given in ("300", f"300+{work}+{contacts}")
    ]
    assert found[0][load].nunique() > 5
    assert found[1].equals(found[0])


POUR = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 5 0 5 -1 12
create_box 1 box
create_atoms 1 single 2.5 2.5 0.4
set group all diameter 1.0 density 1.0
fix heat all property/atom temperature heatflow ghost yes
set group all temperature 300
pair_style granular/plus
pair_coeff * * hooke 1e4 10 damping mass_velocity tangential linear_history 3e3 1 0.5
fix floor all wall/granular/plus hooke 1e4 10 damping mass_velocity &
    tangential linear_history 3e3 1 0.5 zplane 0 NULL
{fix}
fix weight all gravity 5 vector 0 0 -1
fix move all nve/sphere
region above block 0.5 4.5 0.5 4.5 4 10 units box
fix pour all pour 60 1 4711 region above diam one 1.0 dens 1.0 1.0
timestep 1e-3
compute each all property/atom temperature
dump all all custom 500 all id c_each
run 2000
"""


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("initial", ["800", "v_rising"])
def test_grains_are_poured_with_a_temperature(initial, ranks):
    rising = "variable rising equal 500+step+0*ke\n"
    fix = f"{rising}fix hot all granular/temperature initial {initial}"
    found = engine.run(POUR.format(fix=fix), ranks=ranks).dump("all")
    last = found[found["step"] == 2000].set_index("id")["c_each"]
    assert len(last) > 20
    assert last[1] == 300.0
    poured = last.drop(1)
    if initial == "800":
        assert (poured == 800.0).all()
    else:
        assert poured.min() >= 500.0
        assert poured.is_monotonic_increasing
        assert poured.nunique() > 1
    cold = engine.run(POUR.format(fix="")).dump("all")
    assert set(cold.loc[cold["step"] == 2000, "c_each"]) == {0.0, 300.0}


@pytest.mark.parametrize(
    ("fix", "message"),
    [
        ("fix hot all granular/temperature", "needs keyword initial with a temperature"),
        (
            "fix hot all granular/temperature initial nan",
            "= nan must be a number or v_name",
        ),
        ("fix hot all granular/temperature initial -5", "keyword initial: T = -5 must be >= 0"),
        ("fix hot all granular/temperature initial v_", "v_ needs the name of a variable"),
        ("fix hot all granular/temperature initial v_none", "there is no variable none"),
        (
            "variable far equal exp(1000)\nfix hot all granular/temperature initial v_far",
            "keyword initial: T v_far = inf must be >= 0 and finite",
        ),
    ],
)
def test_a_temperature_that_is_none_is_refused(fix, message, lammps_error):
    assert message in lammps_error(POUR.format(fix=fix))
    without = POUR.replace("fix heat", "#").replace("set group all temperature", "#")
    error = lammps_error(without.format(fix="fix hot all granular/temperature initial 1"))
    assert "the temperatures of grains must be defined before this fix" in error


def test_a_wall_whose_temperature_has_no_bound_is_refused(lammps_error):
    floor = "heat area 1 zplane 0 NULL temperature v_far"
    script = POUR.format(fix="variable far equal exp(1000)").replace("zplane 0 NULL", floor)
    assert "keyword temperature: T v_far = inf must be finite" in lammps_error(script)


MEET = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
{processors}
region box block -9 9 -9 9 -9 9
create_box 1 box
create_atoms 1 single {first} 0 0
create_atoms 1 single {second} 0 0
{others}
set group all diameter 1 density 1
set atom 1 vx 1 vy 2
set atom 2 vx -1 vy -2
pair_style granular/plus 1.2 ledger {ledger}
pair_coeff * * hooke 1e5 0.9 damping coeff_restitution &
    tangential linear_history 2e4 0.1 5 heat none friction 1
fix move all nve/sphere
timestep 1e-5
compute motion all ke
compute spin all erotate/sphere
thermo_style custom step c_warmth c_motion c_spin
thermo_modify norm no format float %.17g
thermo 1000
run 2000
"""


@pytest.mark.parametrize("ledger", ["yes", "no"])
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("far", [0, 4])
def test_what_a_contact_holds_as_it_ends_is_heat_whoever_else_there_is(ledger, ranks, far):
    """The result must not depend on the length of the list of pairs.

    Four distant grains make this list longer. The reference value has been calculated with the
    longer list and a ledger.
    """
    middle = 4.0 if ranks == 2 else 0.0  # both grains are on the same rank
    others = "".join(
        f"create_atoms 1 single {-6 + 1.05 * (k % 2)} 6 {1.05 * (k // 2)}\n" for k in range(far)
    )
    script = MEET.format(
        first=middle - 0.505,
        second=middle + 0.505,
        others=others,
        ledger=ledger,
        processors="processors * 1 1" if ranks == 2 else "",
    )
    warm = THERMAL.replace(f"{CAPACITY}", "1.0")
    script = script.replace("pair_style", f"{warm}pair_style", 1)
    run = engine.run(script, ranks=ranks)
    assert run.thermo["c_warmth"].iloc[-1] == pytest.approx(0.29800484, abs=1e-8)
