"""Liquid bridges in LAMMPS: formula, hysteresis, energy, and equality of the two pair styles."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.outputs import pair_local
from pysuite.validation.references import bridges
from pysuite.validation.setups import packings

LAWS = {"willett": bridges.Bridge.force, "willett/simple": bridges.Bridge.simple_force}
FRICTIONLESS = "hooke {stiffness} 0 damping velocity tangential linear_nohistory 0 0"

# ------------------------------------------------------------------------------------ the formula

PAIRS = """
units lj
atom_style sphere
atom_modify map array
newton ${newton}
comm_modify vel yes
boundary f f f
read_data ${data}
neighbor 0.1 bin
neigh_modify every 1 delay 0 check yes
pair_style granular/plus
"""
PART = """
fix move all nve/noforce
timestep 1.0
run 1
write_dump all custom end id x fx modify format float %.17g sort id
"""


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2)])
@pytest.mark.parametrize("law", LAWS)
def test_forces_of_a_thousand_stretched_bridges(tmp_path, law, newton, ranks):
    rng = np.random.default_rng(5)
    liquids, each = 25, 40
    count = liquids * each
    diameters = rng.uniform(0.7, 1.0, (count, 2))
    radii = diameters / 2
    tension, degrees = rng.uniform(0.5, 5.0, liquids), rng.uniform(0.0, 50.0, liquids)
    volume = 10.0 ** rng.uniform(math.log10(3e-3), math.log10(4e-2), liquids) * 0.425**3
    radius = bridges.derjaguin_radius(*radii.T)
    liquid = np.arange(count) // each
    liquid_of = [
        bridges.Bridge(tension[n], math.radians(degrees[n]), volume[n], r)
        for n, r in zip(liquid, radius, strict=True)
    ]
    gap = np.array(
        [b.rupture_distance * u for b, u in zip(liquid_of, rng.random(count), strict=True)]
    )
    place, velocity = np.zeros((2, count, 2, 3))
    place[:, 1, 0] = radii.sum(axis=1) - 1e-3
    place[:, :, 1] = 3.0 * (np.arange(count) % each)[:, None] + 1.5
    place[:, :, 2] = 3.0 * liquid[:, None] + 1.5
    velocity[:, 1, 0] = gap + 1e-3
    data = packings.write_spheres(
        tmp_path / "pairs.data",
        [(-2.0, 3.0), (0.0, 3.0 * each), (0.0, 3.0 * liquids)],
        place.reshape(-1, 3),
        diameter=diameters.ravel(),
        kind=np.repeat(liquid + 1, 2),
        velocity=velocity.reshape(-1, 3),
    )
    model = FRICTIONLESS.format(stiffness=100)
    coefficients = [f"pair_coeff * * {model}"] + [
        f"pair_coeff {n + 1} {n + 1} {model} bridge {law} {float(tension[n])!r}"
        f" {float(degrees[n])!r} volume {float(volume[n])!r}"
        for n in range(liquids)
    ]
    run = engine.run(
        PAIRS + "\n".join(coefficients) + PART,
        variables={"newton": newton, "data": data},
        ranks=ranks,
    )
    end = run.dump("end")
    x = end["x"].to_numpy().reshape(count, 2)
    force = end["fx"].to_numpy().reshape(count, 2)
    gap = x[:, 1] - x[:, 0] - radii.sum(axis=1)
    assert gap.min() > 0.0
    expected = [float(LAWS[law](b, s)) for b, s in zip(liquid_of, gap, strict=True)]
    np.testing.assert_allclose(force[:, 0], expected, rtol=1e-12, atol=0)
    np.testing.assert_array_equal(force[:, 1], -force[:, 0])


# ------------------------------------------------------------------------------------- hysteresis

TENSION, DEGREES, VOLUME, RADII = 0.7, 20.0, 2e-3, (0.5, 0.3)
BRIDGE = bridges.Bridge(
    TENSION, math.radians(DEGREES), VOLUME, float(bridges.derjaguin_radius(*RADII))
)
STIFFNESS = 1e3

TWO = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton ${newton}
boundary ${boundary}
region box block -1.2 1.2 -1.2 1.2 -1.2 1.2
create_box 1 box
create_atoms 1 single ${origin} 0 0
create_atoms 1 single $(v_origin+0.95) 0 0
set atom 1 diameter 1 density 1
set atom 2 diameter 0.6 density 1
group one id 1
group two id 2
neighbor 0.02 bin
neigh_modify every 5 delay 0 check no
PAIR
timestep 1e-3
thermo 1
variable gap equal xcm(two,x)-xcm(one,x)-0.8
variable pull equal fcm(one,x)
compute bridge all pair/local VALUES
compute sums all reduce sum c_bridge[*] inputs local
thermo_style custom step v_gap v_pull COLUMNS
thermo_modify format float %.17g norm no
fix hold one move linear ${drift} 0 0
fix move two move variable v_displace NULL NULL v_speed NULL NULL
variable displace equal v_drift*time-0.2*sin(2*PI*time)
variable speed equal v_drift-0.4*PI*cos(2*PI*time)
"""
VALUES = ["friction", "bridge", "gap", "bridge_force", "bridge_energy"]
TWO = TWO.replace("VALUES", pair_local(*VALUES))
BRIDGES_ONLY = f"pair_style capillary/willett\npair_coeff * * {TENSION} {DEGREES} volume {VOLUME}"


def two(pair: str, runs: str = "run 1100", columns: str = "", **options) -> pd.DataFrame:
    """Return the thermo output for two spheres whose gap oscillates between -0.05 and 0.35."""
    script = TWO.replace("PAIR", pair).replace("COLUMNS", columns)
    variables = {"newton": "on", "boundary": "f f f", "origin": 0.0, "drift": 0.0}
    variables |= {key: options.pop(key) for key in tuple(options) if key in variables}
    return engine.run(f"{script}{runs}", variables=variables, **options).thermo


def expected_pull(gap: np.ndarray, law, stiffness: float) -> np.ndarray:
    bridged, result = False, []
    for g in gap:
        bridged = g < 0.0 or (bridged and g < BRIDGE.rupture_distance)
        result.append((law(BRIDGE, max(g, 0.0)) if bridged else 0.0) + stiffness * min(g, 0.0))
    return np.array(result, dtype=float)


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2), ("off", 2)])
@pytest.mark.parametrize("law", LAWS)
def test_a_bridge_forms_at_touch_and_ruptures(law, newton, ranks):
    pair = (
        f"pair_style granular/plus\npair_coeff * * {FRICTIONLESS.format(stiffness=STIFFNESS)}"
        f" bridge {law} {TENSION} {DEGREES} volume {VOLUME}"
    )
    thermo = two(pair, newton=newton, ranks=ranks, boundary="p p p", drift=2.0)
    gap, pull = thermo["v_gap"].to_numpy(), thermo["v_pull"].to_numpy()
    expected = expected_pull(gap, LAWS[law], STIFFNESS)
    np.testing.assert_allclose(pull, expected, rtol=0, atol=1e-11)
    stretched = (gap > 0.0) & (pull > 0.0)
    assert stretched.any()
    assert ((gap > 0.0) & (gap < BRIDGE.rupture_distance) & (pull == 0.0)).any()
    assert gap[stretched].max() > 0.98 * BRIDGE.rupture_distance


def test_runs_in_pieces_are_one_run():
    pieces = "run 400\nrun 0\nrun 50\nrun 650"
    once, parts = two(BRIDGES_ONLY), two(BRIDGES_ONLY, pieces)
    parts = parts.drop_duplicates("Step")
    np.testing.assert_allclose(parts["v_pull"], once["v_pull"], rtol=1e-12, atol=1e-13)


def test_what_pair_local_tells():
    thermo = two(BRIDGES_ONLY, columns="c_sums[*]")
    table = thermo.join(thermo.filter(like="c_sums").set_axis(VALUES, axis=1))
    assert (table["friction"] == 0.0).all()
    on = table["bridge"] == 1.0
    assert set(table["bridge"]) == {0.0, 1.0}
    np.testing.assert_array_equal(on, table["v_pull"] != 0.0)
    np.testing.assert_allclose(table["bridge_force"], table["v_pull"], rtol=1e-14)
    np.testing.assert_allclose(table["gap"][on], table["v_gap"][on], rtol=0, atol=1e-15)
    gap = table["v_gap"][on].to_numpy()
    expected = [BRIDGE.energy(g) if g > 0 else float(BRIDGE.force(0.0)) * g for g in gap[::7]]
    np.testing.assert_allclose(table["bridge_energy"][on][::7], expected, rtol=1e-9, atol=1e-15)


# ----------------------------------------------------------------------------------------- energy


@pytest.mark.parametrize("law", LAWS)
def test_work_of_a_quasistatic_cycle(law):
    pair = f"pair_style capillary/willett\npair_coeff * * {TENSION} {DEGREES} volume {VOLUME}"
    if law == "willett/simple":
        pair += " simple"
    end = BRIDGE.rupture_distance
    energy = BRIDGE.energy(end) if law == "willett" else float(BRIDGE.simple_energy(end))
    # the spheres move slowly at the start, where the force falls steeply
    script = TWO.split("fix hold")[0].replace("PAIR", pair).replace("COLUMNS", "")
    script = script.replace("+0.95", "+0.8-1e-9")
    script += f"""
fix hold one move linear 0 0 0
variable displace equal {end:.17g}*(step/20000)^3
variable speed equal 0
fix move two move variable v_displace NULL NULL v_speed NULL NULL
run 20100
"""
    variables = {"newton": "on", "boundary": "f f f", "origin": 0.0}
    thermo = engine.run(script, variables=variables).thermo
    gap, pull = thermo["v_gap"].to_numpy(), thermo["v_pull"].to_numpy()
    assert pull[-1] == 0.0
    # in the step in which the bridge ruptures, the force acts only up to the rupture distance
    acts = gap < end
    gap, pull = np.append(gap[acts], end), np.append(pull[acts], pull[acts][-1])
    work = float((0.5 * (pull[1:] + pull[:-1]) * np.diff(gap)).sum())
    assert work == pytest.approx(energy, rel=1e-6)


IMPACT = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single -0.55 0 0
create_atoms 1 single 0.55 0 0
set group all diameter 1 density 1.9098593171027443
variable approach atom -x/abs(x)
variable shear atom x
velocity all set v_approach v_shear 0
set atom 1 omega 0.1 0.2 0.3
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
timestep {step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g norm no
thermo 1
run {steps}
"""
FRICTION = "tangential linear_history 3e3 0.5 0.5 rolling sds 1e3 5 0.1 twisting sds 300 1 0.05"


@pytest.mark.parametrize("law", LAWS)
def test_the_ledger_of_an_impact_closes(law):
    stack = f"hooke 1e4 5 damping velocity {FRICTION} bridge {law} 0.3 20 volume 2e-3"
    bridge = bridges.Bridge(0.3, math.radians(20.0), 2e-3, 0.5)
    end = bridge.rupture_distance
    energy = bridge.energy(end) if law == "willett" else float(bridge.simple_energy(end))
    residuals = []
    for step in (1e-4, 5e-5):
        script = IMPACT.format(law=stack, step=step, steps=round(0.5 / step))
        table = engine.run(script).ledger
        last = table.iloc[-1]
        assert last[["bridges", "ruptures", "contacts", "capillary"]].tolist() == [0, 1, 0, 0]
        assert last["rupture"] == pytest.approx(energy, rel=1e-8)
        assert last["slip"] > 0.0
        assert (table["bridges"] > table["contacts"]).any()
        touching = table["contacts"] == 1
        assert (table["capillary"][touching] < 0.0).all()
        residuals.append(table["residual"].abs().max())
    assert residuals[0] < 1e-3 * energy * 5
    # The residual is of first order in the time step, because contacts begin and end within steps.
    assert residuals[1] < 0.6 * residuals[0]


@pytest.mark.parametrize("law", LAWS)
def test_the_last_force_of_a_bridge_works_for_half_a_step(law):
    """Otherwise, the error of the energy at a rupture would be of first order in the time step."""
    stack = f"hooke 1e4 5 damping velocity tangential linear_nohistory 0 0 bridge {law} 0.3 20"
    jumps = []
    for step in (1e-4, 5e-5):
        script = IMPACT.format(law=f"{stack} volume 2e-3", step=step, steps=round(0.5 / step))
        table = engine.run(script).ledger
        at = int(np.argmax(table["ruptures"].to_numpy() > 0))
        assert at > 0
        jumps.append(abs(table["residual"].iloc[at] - table["residual"].iloc[at - 1]))
    bridge = bridges.Bridge(0.3, math.radians(20.0), 2e-3, 0.5)
    pull = float(LAWS[law](bridge, bridge.rupture_distance))
    # The error is below a tenth of the work that the last force does in half a step. The speed 0.2
    # is a lower bound.
    assert jumps[1] < 0.1 * (0.5 * 5e-5 * pull * 0.2)
    assert jumps[0] / jumps[1] == pytest.approx(4.0, rel=0.2)


# ------------------------------------------------------------------------------------------ walls

WALL = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary p p f
region box block -1 1 -1 1 -1 2
create_box 1 box
create_atoms 1 single 0 0 0.6
set group all diameter 1 density 1
pair_style granular/plus ledger yes
pair_coeff * * hooke 1e3 0 damping velocity tangential linear_nohistory 0 0
fix wall all wall/granular/plus hooke 1e3 0 damping velocity tangential linear_history 1e3 0 0.5 &
    bridge {law} 0.7 20 volume 0.02 zplane {place} NULL
compute ledger all granular/ledger
timestep 1e-3
thermo 1
{motion}
variable gap equal xcm(all,z)-0.5-({place})
variable pull equal -fcm(all,z)
thermo_style custom step v_gap v_pull c_ledger[*]
thermo_modify format float %.17g norm no
{runs}
"""
SWING = """
variable displace equal -0.25*sin(2*PI*time)+0.1
variable speed equal -0.5*PI*cos(2*PI*time)
variable zero equal 0
fix move all move variable v_zero v_zero v_displace v_zero v_zero v_speed"""


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("runs", ["run 1200", "run 620\nrun 0\nrun 580"])
def test_a_wall_is_wet(law, runs):
    """At a plane wall, the Derjaguin radius is twice the radius of the sphere."""
    bridge = bridges.Bridge(0.7, math.radians(20.0), 0.02, 1.0)
    run = engine.run(WALL.format(law=law, place="0", motion=SWING, runs=runs))
    thermo = run.thermo.drop_duplicates("Step")
    ledger = run.ledger.loc[thermo.index]
    gap, pull = thermo["v_gap"].to_numpy(), thermo["v_pull"].to_numpy()
    bridged, expected = [], []
    for g in gap:
        bridged.append(bool(g < 0.0 or (bridged and bridged[-1] and g < bridge.rupture_distance)))
        expected.append(LAWS[law](bridge, max(g, 0.0)) if bridged[-1] else 0.0)
    expected = np.array(expected, dtype=float) + 1e3 * np.minimum(gap, 0.0)
    np.testing.assert_allclose(pull, expected, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(ledger["bridges"], np.array(bridged, dtype=float))
    np.testing.assert_array_equal(ledger["contacts"], (gap < 0.0).astype(float))
    assert (np.array(bridged) & (gap > 0.5 * bridge.rupture_distance)).any()
    end = bridge.rupture_distance
    lost = bridge.energy(end) if law == "willett" else float(bridge.simple_energy(end))
    torn = (np.diff(np.array(bridged, dtype=int)) == -1).sum()
    assert torn >= 1
    last = ledger.iloc[-1]
    assert last["ruptures"] == torn
    assert last["rupture"] == pytest.approx(torn * lost, rel=1e-8)


# ----------------------------------------------------------------- packings with both pair styles

LIQUID = "0.5 15 volume 5e-3"
MODEL = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
BUILT_IN = f"pair_style granular/plus\npair_coeff * * {MODEL} slider dsds bridge willett {LIQUID}"
OVERLAYS = {
    "granular/plus": f"""
pair_style hybrid/overlay granular/plus capillary/willett
pair_coeff * * granular/plus {MODEL} slider dsds
pair_coeff * * capillary/willett {LIQUID}""",
    "granular": f"""
pair_style hybrid/overlay granular capillary/willett 1.6
pair_coeff * * granular {MODEL}
pair_coeff * * capillary/willett {LIQUID}""",
}


@pytest.mark.parametrize("below", OVERLAYS)
def test_an_overlay_is_the_keyword(packing, tools, below):
    """Results agree only to 1e-8, because forces are added in different orders."""
    move = tools.move + tools.begin
    one, other = (packing.end(pair, move=move) for pair in (BUILT_IN, OVERLAYS[below]))
    dry = packing.end(BUILT_IN.split(" bridge")[0], move=move)
    assert tools.difference(one, dry)["force"] > 1e-2
    difference = tools.difference(one, other)
    print(below, difference)
    assert max(difference.values()) < 1e-8


@pytest.mark.parametrize("pair", [BUILT_IN, OVERLAYS["granular/plus"]], ids=["keyword", "overlay"])
def test_ranks_and_newton_do_not_matter(packing, tools, pair):
    ends = [
        packing.end(pair, ranks=ranks, newton=newton)
        for ranks, newton in ((1, "on"), (1, "off"), (2, "on"), (2, "off"))
    ]
    for other in ends[1:]:
        assert max(tools.difference(ends[0], other).values()) < 1e-8


RESTART = """
atom_modify map array sort 60 0
newton ${newton}
comm_modify vel yes
read_restart ${folder}/middle
group bottom id <= 35
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
"""


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 2), (2, 1)])
def test_bridges_go_on_after_a_restart(packing, tools, tmp_path, before, after):
    start = f"{tools.setup}{BUILT_IN}\n{tools.move}"
    start = start.replace("timestep 1e-4", "timestep 5e-4")
    count = f"""
compute bridge all pair/local {pair_local("bridge")}
compute bridges all reduce sum c_bridge inputs local
thermo_style custom step c_bridges
thermo_modify norm no
"""
    runs = f"run 600\nwrite_restart {tmp_path}/middle\nrun 200\n"
    whole = packing.run(start + count + runs + tools.dump_command("end"), ranks=before)
    move = tools.move.replace("timestep 1e-4", "timestep 5e-4")
    again = engine.run(
        f"{RESTART}{move}{count}run 200\n{tools.dump_command('end')}",
        variables={"newton": "on", "folder": str(tmp_path)},
        ranks=after,
    )
    bridged = whole.thermo["c_bridges"]
    assert bridged.iloc[-1] > 500
    assert again.thermo["c_bridges"].iloc[0] == bridged.iloc[-2]
    assert again.thermo["c_bridges"].iloc[-1] == bridged.iloc[-1]
    one, other = whole.dump("end"), again.dump("end")
    if before == after == 1:
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    else:
        assert max(tools.difference(one, other).values()) < 1e-8


# -------------------------------------------------------------------------------------- bad input

BOX = """
units lj
atom_style sphere
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single 1 0 0
set group all diameter 1 density 1
fix move all nve/sphere
"""


@pytest.mark.parametrize(
    ("pair", "named"),
    [
        ("pair_coeff * * 1 90 volume 1e-3", ["capillary/willett", "theta = 90", "< 90"]),
        ("pair_coeff * * 1 20 volume 0", ["V = 0", "> 0"]),
        ("pair_coeff * * -1 20 volume 1e-3", ["gamma = -1", ">= 0"]),
        ("pair_coeff * * 1 20 1e-3", ["gamma theta volume V"]),
        ("pair_coeff * * 1 20 amount 1e-3", ["amount", "volume"]),
        ("pair_coeff * * 1 20 volume 1e-3 complicated", ["complicated", "simple"]),
    ],
)
def test_what_is_refused(lammps_error, pair, named):
    message = lammps_error(f"{BOX}pair_style capillary/willett\n{pair}\nrun 0")
    for word in named:
        assert word in message


@pytest.mark.parametrize("words", ["0", "nan", "1.5 more"])
def test_cutoffs_that_are_refused(lammps_error, words):
    message = lammps_error(f"{BOX}pair_style capillary/willett {words}\n")
    assert "capillary/willett" in message or "nan" in message


@pytest.mark.parametrize("style", ["capillary/willett 1.05", "granular/plus 1.05"])
def test_a_cutoff_that_would_lose_bridges_is_refused(lammps_error, style):
    model = "1 20 volume 1e-3"
    if "plus" in style:
        model = f"{MODEL} bridge willett {model}"
    message = lammps_error(f"{BOX}pair_style {style}\npair_coeff * * {model}\nrun 0")
    for word in ("cutoff = 1.05", ">= 1.1", "rupture"):
        assert word in message


@pytest.mark.parametrize(
    ("liquid", "named"),
    [
        ("1 20 volume 1e-3", None),
        ("1 20 volume 1e-5", "V/R^3 = 8e-05 is not within the range"),
        ("1 20 volume 0.1", "V/R^3"),
        ("1 60 volume 1e-3", "theta = 60"),
    ],
)
def test_one_warning_beyond_the_regression(liquid, named):
    pair = f"pair_style capillary/willett\npair_coeff * * {liquid}\nrun 0\n"
    warnings = [line for line in engine.run(BOX + pair).log.splitlines() if "WARNING" in line]
    found = [line for line in warnings if "fitted" in line]
    assert len(found) == (named is not None)
    assert named is None or named in found[0]
