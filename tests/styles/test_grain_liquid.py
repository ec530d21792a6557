"""Liquid films on grains feed bridges, and bridges return liquid to films. No liquid is lost."""

from __future__ import annotations

import hashlib
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy import integrate

from pysuite import engine
from pysuite.outputs import LEDGER, pair_local
from pysuite.validation.references import bridges

ROUNDING = 1e-15  # rounding error of sums of a few volumes of about 1e-3

# ---------- two grains

HEAD = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton ${newton}
"""
TWO = (
    HEAD
    + """
boundary p p p
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 2.5 0 0
create_atoms 1 single -2.55 0 0
set group all diameter 1 density 1
group one id 1
group two id 2
fix film all property/atom d_film ghost yes
set atom 1 d_film 0.003
set atom 2 d_film 0.001
neighbor 0.1 bin
PAIR
timestep 1e-3
fix hold one move linear 0 0 0
variable shift equal 0.3*sin(2*PI*time)
variable speed equal 0.6*PI*cos(2*PI*time)
fix move two move variable v_shift NULL NULL v_speed NULL NULL
variable gap equal v_shift-0.05
compute bridge all pair/local VALUES
compute sums all reduce sum c_bridge[*] inputs local
compute films all property/atom d_film
compute first one reduce sum c_films
compute second two reduce sum c_films
variable pull equal fcm(one,x)
thermo 1
thermo_style custom step v_gap v_pull c_first c_second c_sums[*]
thermo_modify norm no format float %.17g
"""
)
VALUES = ["bridge", "bridge_volume", "bridge_force", "viscous_force"]
TWO = TWO.replace("VALUES", pair_local(*VALUES))
WRITTEN = "v_gap v_pull c_first c_second c_sums[1] c_sums[2] c_sums[3] c_sums[4]"
COLUMNS = ["gap", "pull", "first", "second", *VALUES]
STIFFNESS = 1e3
MODEL = f"hooke {STIFFNESS:g} 0 damping velocity tangential linear_nohistory 0 0"
INSIDE = f"pair_style granular/plus\npair_coeff * * {MODEL} bridge {{law}} 0.7 20 film {{options}}"
OVERLAY = (
    "pair_style hybrid/overlay granular/plus 2 capillary/willett\n"
    f"pair_coeff * * granular/plus {MODEL}\n"
    "pair_coeff * * capillary/willett 0.7 20 film {options}"
)


def two(pair: str, runs: str = "run 2500", newton: str = "on", ranks: int = 1) -> pd.DataFrame:
    script = TWO.replace("PAIR", pair) + runs
    thermo = engine.run(script, variables={"newton": newton}, ranks=ranks).thermo
    names = dict(zip(WRITTEN.split(), COLUMNS, strict=True))
    return thermo.rename(columns=names).drop_duplicates("Step")


def by_hand(gap: np.ndarray, share: float, limit: float) -> pd.DataFrame:
    films, volume, rows = [0.003, 0.001], 0.0, []
    for g in gap:
        bridge = bridges.Bridge(0.7, math.radians(20.0), volume or 1.0, 0.5)
        if volume and g >= bridge.rupture_distance:
            films = [film + 0.5 * volume for film in films]
            volume = 0.0
        elif not volume and g < 0.0:
            taken = [share * film for film in films]
            scale = min(1.0, limit / sum(taken))
            taken = [scale * each for each in taken]
            films = [film - each for film, each in zip(films, taken, strict=True)]
            volume = sum(taken)
        rows.append([*films, volume])
    return pd.DataFrame(rows, columns=["first", "second", "volume"])


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize(
    ("share", "limit", "ranks"),
    [(1.0, 0.0125, 1), (0.5, 0.0125, 1), (1.0, 1e-3, 1), (0.5, 0.0125, 2)],
)
def test_volumes_of_two_grains_that_meet_and_part(share, limit, newton, ranks):
    """By default, the volume of a bridge is at most 0.1 R^3, which is 0.0125 here."""
    options = f"share {share}" + (f" limit {limit}" if limit < 0.01 else "")
    runs = "run 600\nrun 0\nrun 500" if ranks == 2 else "run 1200\nrun 0\nrun 1300"
    table = two(INSIDE.format(law="willett", options=options), runs, newton, ranks)
    expected = by_hand(table["gap"].to_numpy(), share, limit)
    assert (np.diff(expected["volume"]) > 0.0).sum() >= (1 if ranks == 2 else 2)
    for have, want in (("first", "first"), ("second", "second"), ("bridge_volume", "volume")):
        np.testing.assert_allclose(table[have], expected[want], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("law", ["willett", "willett/simple"])
def test_the_pull_is_that_of_the_volume(law):
    table = two(INSIDE.format(law=law, options="share 0.5"), "run 1200")
    force = bridges.Bridge.force if law == "willett" else bridges.Bridge.simple_force
    stretched = table[(table["bridge"] == 1.0) & (table["gap"] > 0.0)]
    volumes = stretched["bridge_volume"].unique()
    assert len(volumes) == 1
    assert len(stretched) > 50
    bridge = bridges.Bridge(0.7, math.radians(20.0), volumes[0], 0.5)
    expected = [float(force(bridge, gap)) for gap in stretched["gap"]]
    np.testing.assert_allclose(stretched["pull"], expected, rtol=1e-12)
    dry = table[(table["bridge"] == 0.0) & (table["gap"] > 0.0)]
    assert len(dry) > 50
    assert (dry["pull"] == 0.0).all()


def test_bridges_on_top_of_another_style_do_the_same():
    inside = two(INSIDE.format(law="willett", options="share 0.5"), "run 1200")
    overlay = two(OVERLAY.format(options="share 0.5"), "run 1200")
    np.testing.assert_array_equal(overlay[["first", "second"]], inside[["first", "second"]])
    np.testing.assert_allclose(overlay["pull"], inside["pull"], rtol=1e-12, atol=1e-12)


def test_dry_grains_meet_without_a_bridge():
    script = INSIDE.format(law="willett", options="") + "\nset group all d_film 0"
    table = two(script, "run 1200")
    assert (table["bridge"] == 0.0).all()
    assert (table["pull"][table["gap"] > 0.0] == 0.0).all()


# ---------- several bridges at once

CROSS = (
    HEAD
    + """
boundary p p p
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single 0.999 0 0
create_atoms 1 single -0.999 0 0
create_atoms 1 single 0 0.999 0
create_atoms 1 single 0 1.998 0
set group all diameter 1 density 1
fix film all property/atom d_film ghost yes
set group all d_film 1e-3
set atom 1 d_film 2e-3
set atom 5 d_film 0
neighbor 0.1 bin
pair_style granular/plus
pair_coeff * * hooke 1e3 0 damping velocity tangential linear_nohistory 0 0 &
    bridge willett 0.7 20 film share SHARE
fix hold all move linear 0 0 0
run 1
write_dump all custom end id d_film modify format float %.17g sort id
"""
)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("volume", ["-1e-9", "inf", "nan"])
def test_a_film_that_cannot_be_is_named_with_its_grain(lammps_error, volume, ranks):
    script = CROSS.replace("SHARE", "1").replace(
        "set atom 5 d_film 0", f"set atom 5 d_film {volume}"
    )
    if volume != "-1e-9":  # LAMMPS's command `set` cannot read inf and nan
        formula = {"inf": "exp(1000)", "nan": "exp(1000)-exp(1000)"}[volume]
        script = script.replace(f"d_film {volume}", "d_film v_wrong")
        script = script.replace(
            "set group all d_film", f"variable wrong atom {formula}\nset group all d_film"
        )
    message = lammps_error(script, ranks=ranks, variables={"newton": "on"})
    assert re.search(
        rf"the film d_film = -?{volume.lstrip('-').replace('e-9', 'e-09')} of grain 5 must be >= 0",
        message,
    )


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2), ("off", 2)])
@pytest.mark.parametrize("share", [1.0, 0.25])
def test_a_grain_that_forms_several_bridges_at_once(share, newton, ranks):
    end = engine.run(
        CROSS.replace("SHARE", str(share)), variables={"newton": newton}, ranks=ranks
    ).dump("end")
    films, count = np.array([2e-3, 1e-3, 1e-3, 1e-3, 0.0]), np.array([3, 1, 1, 2, 1])
    expected = films * (1.0 - count * np.minimum(share, 1.0 / count))
    np.testing.assert_allclose(end["d_film"], expected, rtol=0, atol=ROUNDING * 1e-3)
    assert (end["d_film"] >= 0.0).all()


# ---------- a sheared pack

TALLY = """
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g norm no
"""
PACK = (
    HEAD
    + """
boundary p p p
region box prism 0 4 0 4 0 4 0 0 0
create_box 1 box
lattice sc 1.0
create_atoms 1 box
set group all diameter 1 density 1
variable size atom 1-0.2*((id%7)/7)
set group all diameter v_size
displace_atoms all random 0.1 0.1 0.1 17
velocity all create 4 99
fix film all property/atom d_film ghost yes
variable film atom 4e-3*(x<2)
set group all d_film v_film
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
timestep 5e-4
pair_style granular/plus ledger yes
pair_coeff * * hooke 1e4 10 damping mass_velocity tangential linear_history 5e3 0.5 0.3 &
    BRIDGE
fix move all nve/sphere
fix shear all deform 1 xy erate 0.5 remap v flip yes
"""
    + TALLY
    + "thermo 100\n"
)
FILMS = "bridge willett/simple 1 20 film share 0.4"
DUMP = "write_dump all custom end id x y z d_film fx fy fz modify format float %.17g sort id\n"


def liquid(ledger: pd.DataFrame) -> np.ndarray:
    return ledger.filter(["liquid_films", "liquid_bridges", "liquid_lost"]).sum(axis=1).to_numpy()


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2), ("off", 2)])
def test_liquid_of_a_sheared_pack_is_conserved(newton, ranks):
    steps = 200 if ranks == 2 else 4000
    run = engine.run(
        PACK.replace("BRIDGE", FILMS) + f"run {steps}\n{DUMP}",
        variables={"newton": newton},
        ranks=ranks,
    )
    ledger = run.ledger
    total = liquid(ledger)
    np.testing.assert_allclose(total, total[0], rtol=1e-13)
    assert total[0] == pytest.approx(4e-3 * 32, rel=0.3)
    assert (run.dump("end")["d_film"] >= 0.0).all()
    # When a neighbour list is built, a difference of two sums is added to `liquid_lost`. This
    # difference is only round-off.
    assert ledger["liquid_lost"].abs().max() < 1e-13 * total[0]
    assert ledger["bridges"].iloc[-1] > 20
    if ranks == 1:
        assert ledger["ruptures"].iloc[-1] > 100
        assert (run.dump("end")["d_film"] > 0.0).sum() > 48


# If the box is "narrow", grains touch several periodic images of another grain. If it is "one grain
# wide", grains touch their own images.
PLACES = {
    "wide": (),
    "narrow": (("prism 0 4 0 4 0 4 0 0 0", "prism 0 4 0 4 0 1.7 0 0 0"),),
    "one grain wide": (
        ("prism 0 4 0 4 0 4 0 0 0", "prism 0 4 0 4 0 1 0 0 0"),
        ("1-0.2*((id%7)/7)", "1.01-0.1*((id%7)/7)"),
    ),
}
BALANCE = "fix balance all balance 50 1.0 shift xz 5 1.05\n"


@pytest.mark.parametrize(
    ("newton", "ranks"),
    [("on", 1), ("off", 1), ("on", 2), pytest.param("off", 2, marks=pytest.mark.product)],
)
@pytest.mark.parametrize("place", PLACES)
def test_liquid_is_conserved_across_balance_and_restart(place, newton, ranks, tmp_path):
    script = PACK.replace("BRIDGE", FILMS).replace("thermo 100", "thermo 10")
    for old, new in PLACES[place]:
        script = script.replace(old, new)
    script = script.replace("lattice sc 1.0", "lattice sc 1.0 origin 0 0 0.5")
    tail = script.split("neighbor 0.3")[1]
    first = engine.run(
        f"{script}{BALANCE}run 300\nwrite_restart {tmp_path}/r\n",
        variables={"newton": newton},
        ranks=ranks,
    ).ledger
    again = engine.run(
        f"newton {newton}\nread_restart {tmp_path}/r\nfix film all property/atom d_film ghost yes\n"
        f"comm_modify vel yes\nneighbor 0.3{tail}{BALANCE}run 300\n{DUMP}",
        ranks=ranks,
    )
    ledger = pd.concat([first, again.ledger])
    held = (ledger["liquid_films"] + ledger["liquid_bridges"]).to_numpy()
    np.testing.assert_allclose(held, held[0], rtol=1e-13)
    assert ledger["ruptures"].iloc[-1] > 20
    assert (again.dump("end")["d_film"] >= 0.0).all()


@pytest.mark.parametrize("newton", ["on", "off"])
def test_liquid_of_a_bridge_that_ruptures_with_the_next_step_is_counted_before_it(newton):
    """If a command between runs makes a gap too wide, the bridge ruptures in the next step."""
    pair = INSIDE.format(law="willett", options="").replace("plus", "plus ledger yes", 1)
    script = TWO.replace("PAIR", pair).split("thermo 1\n")[0]
    script += (
        "compute ledger all granular/ledger\nthermo 1\nthermo_style custom step c_ledger[*]\n"
        "thermo_modify norm no format float %.17g\nthermo 1100\nrun 1100\n"
        "unfix move\nset atom 2 x -2.25\nrun 0\nrun 1\n"
    )
    ledger = engine.run(script, variables={"newton": newton}).ledger
    np.testing.assert_array_equal(ledger["ruptures"].iloc[-4:], [1.0, 1.0, 1.0, 2.0])
    assert ledger["liquid_bridges"].iloc[-4] > 0.9 * ledger["liquid_films"].iloc[0]
    held = (ledger["liquid_films"] + ledger["liquid_bridges"]).to_numpy()
    np.testing.assert_allclose(held, held[0], rtol=1e-14)


def across_a_border(squared: float) -> str:
    random = np.random.default_rng(7)
    low, high = 0.1, 3.4
    rows = []
    for row in range(60):
        distance = math.sqrt(squared) * (1.0 + random.uniform(-2e-15, 2e-15))
        left = low + random.uniform(0.1, 0.6) * distance
        right = high - (distance - (left - low))
        rows += [f"create_atoms 1 single {x:.17g} {1.5 * row + 0.5} 0" for x in (left, right)]
    return (
        f"{HEAD}boundary p p p\nregion box block {low} {high} 0 90 -2 2\ncreate_box 1 box\n"
        + "\n".join(rows)
        + "\nset group all diameter 1 density 1\nfix film all property/atom d_film ghost yes\n"
        "variable film atom 1e-3*id\nset group all d_film v_film\nneighbor 0.1 bin\n"
        f"pair_style granular/plus ledger yes\npair_coeff * * {MODEL} bridge willett 1 20 film\n"
        f"fix hold all move linear 0 0 0\n{TALLY}run 1\n"
    )


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("squared", [1.0, 1.0 - 1e-9])
def test_both_sides_of_a_periodic_border_agree_on_who_touches(squared, ranks):
    ledger = engine.run(across_a_border(squared), variables={"newton": "off"}, ranks=ranks).ledger
    total = 1e-3 * 120 * 121 / 2
    assert liquid(ledger)[-1] == pytest.approx(total, rel=1e-14)
    bridges_formed = ledger["bridges"].iloc[-1]
    assert bridges_formed == round(bridges_formed)
    assert (0 < bridges_formed < 60) == (squared < 1.0)


def test_ranks_agree_until_chaos_parts_them():
    """Within 200 steps, round-off grows by less than four orders of magnitude."""
    script = PACK.replace("BRIDGE", FILMS) + f"run 200\n{DUMP}"
    one, two_ranks = (
        engine.run(script, variables={"newton": "on"}, ranks=ranks).dump("end") for ranks in (1, 2)
    )
    np.testing.assert_allclose(two_ranks["d_film"], one["d_film"], rtol=0, atol=1e-14)


def test_a_restart_goes_on_with_films_and_bridges(tmp_path):
    whole = engine.run(
        PACK.replace("BRIDGE", FILMS) + f"run 1000\nwrite_restart {tmp_path}/r\nrun 1000\n{DUMP}",
        variables={"newton": "on"},
    )
    tail = PACK.replace("BRIDGE", FILMS).split("neighbor 0.3")[1]
    again = engine.run(
        f"newton on\nread_restart {tmp_path}/r\nfix film all property/atom d_film ghost yes\n"
        f"comm_modify vel yes\nneighbor 0.3{tail}run 1000\n{DUMP}"
    )
    ends = [run.dump("end")[["d_film", "fx", "fy", "fz"]].to_numpy() for run in (whole, again)]
    np.testing.assert_array_equal(ends[1], ends[0])
    # the runs add the liquid of bridges in different orders
    ledgers = [liquid(run.ledger.tail(1)) for run in (whole, again)]
    np.testing.assert_allclose(ledgers[1], ledgers[0], rtol=1e-14)


@pytest.mark.parametrize("law", ["willett", "willett/simple"])
@pytest.mark.parametrize("newton", ["on", "off"])
def test_bridges_at_their_limit_are_those_of_fixed_volume_bit_for_bit(law, newton):
    def fingerprint(bridge: str) -> str:
        script = PACK.replace("BRIDGE", bridge) + "set group all d_film 1000\n"
        end = engine.run(
            f"{script}run 1500\n{DUMP.replace(' d_film', '')}", variables={"newton": newton}
        ).dump("end")
        return hashlib.sha256(np.ascontiguousarray(end.to_numpy(float)).tobytes()).hexdigest()

    films = fingerprint(f"bridge {law} 1 20 film share 0.4 limit 0.01")
    assert films == fingerprint(f"bridge {law} 1 20 volume 0.01")
    assert films != fingerprint(f"bridge {law} 1 20 film share 0.4 limit 0.011")


@pytest.mark.parametrize("rupture", ["", "rupture 0.5 longest 1.5"])
@pytest.mark.parametrize("law", ["willett", "willett/simple"])
def test_the_energy_ledger_closes(law, rupture):
    residuals = []
    for step in (4e-4, 1e-4):
        viscous = f"share 1 viscous 0.5 gap 0.01 {rupture}"
        script = PACK.replace("BRIDGE", f"bridge {law} 1 20 film {viscous}")
        script = script.replace("fix shear all deform 1 xy erate 0.5 remap v flip yes", "")
        script = script.replace("thermo 100", "thermo 1").replace("5e-4", str(step))
        ledger = engine.run(f"{script}run {round(0.6 / step)}", variables={"newton": "on"}).ledger
        last = ledger.iloc[-1]
        assert last["viscous"] > 0.0
        assert last["ruptures"] > 5
        residuals.append(ledger["residual"].abs().max() / ledger["kinetic_translation"].iloc[0])
    # The residual is of first order in the time step, because contacts and bridges begin and end
    # within steps.
    assert residuals[1] < 1e-3
    assert residuals[1] < 0.5 * residuals[0]


# ---------- grains come and go


@pytest.mark.parametrize("newton", ["on", "off"])
def test_a_deleted_grain_takes_its_film_and_half_of_its_bridges(newton):
    pair = INSIDE.format(law="willett", options="share 0.5").replace("plus\n", "plus ledger yes\n")
    script = TWO.replace("PAIR", pair).split("compute bridge")[0] + TALLY
    script += "run 500\ndelete_atoms group one compress no\nrun 1\n"
    ledger = engine.run(script, variables={"newton": newton}).ledger
    before, after = ledger.iloc[-3], ledger.iloc[-1]
    assert before["liquid_bridges"] > 1e-3
    assert after["liquid_bridges"] == 0.0
    all_before = before["liquid_films"] + before["liquid_bridges"]
    assert after["liquid_films"] + after["liquid_lost"] == pytest.approx(all_before, rel=1e-14)
    assert after["liquid_films"] == pytest.approx(7.5e-4 + 1e-3, rel=1e-13)


FILM_FIX = PACK.replace("BRIDGE", FILMS)


@pytest.mark.parametrize("bridges", ["no", "yes"])
@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2), ("off", 2)])
def test_liquid_dries_and_is_sprayed(newton, ranks, bridges):
    time = 1.0 if ranks == 1 else 0.1
    script = FILM_FIX + (
        "region nozzle block 0 4 2 4 0 4\n"
        f"fix liquid all granular/film rate 1e-4 bridges {bridges} supply 2e-2 region nozzle\n"
        "thermo_style custom step c_ledger[*] f_liquid[1] f_liquid[2]\n"
        f"thermo_modify format float %.17g norm no\nrun {round(time / 5e-4)}"
    )
    run = engine.run(script, variables={"newton": newton}, ranks=ranks)
    ledger, thermo = run.ledger, run.thermo
    balance = liquid(ledger) + ledger["liquid_evaporated"] - ledger["liquid_supplied"]
    np.testing.assert_allclose(balance, balance.iloc[0], rtol=1e-13)
    assert ledger["liquid_supplied"].iloc[-1] == pytest.approx(2e-2 * time, rel=1e-12)
    assert ledger["liquid_evaporated"].iloc[-1] > 1e-3 * time
    np.testing.assert_allclose(thermo["f_liquid[1]"], ledger["liquid_evaporated"], rtol=1e-14)
    np.testing.assert_allclose(thermo["f_liquid[2]"], ledger["liquid_supplied"], rtol=1e-14)


def test_a_film_dries_at_the_rate_of_its_surface_and_not_below_zero():
    script = CROSS.split("run 1\n")[0].replace("SHARE", "1").replace("0.999", "1.2")
    script = script.replace("1.998", "2.4")
    script += "fix dry all granular/film rate 1e-2\ntimestep 0.01\nrun 5\n"
    script += "write_dump all custom end id d_film modify format float %.17g sort id\n"
    end = engine.run(script, variables={"newton": "on"}).dump("end")
    lost = 5 * 1e-2 * 0.01 * math.pi
    expected = np.maximum(np.array([2e-3, 1e-3, 1e-3, 1e-3, 0.0]) - lost, 0.0)
    np.testing.assert_allclose(end["d_film"], expected, rtol=1e-13)
    assert (expected > 0.0).any()
    assert (expected == 0.0).any()


def dried_by_hand(gap: np.ndarray, depth: float) -> pd.DataFrame:
    """Return the same columns as `by_hand`, but for liquid that dries.

    The share is 1. Bridges and the film of the first grain dry.
    """
    films, volume, rows = [0.003, 0.001], 0.0, []
    for step, g in enumerate(gap):
        bridge = bridges.Bridge(0.7, math.radians(20.0), volume or 1.0, 0.5)
        if volume and g >= bridge.rupture_distance:
            films = [film + 0.5 * volume for film in films]
            volume = 0.0
        elif not volume and g < 0.0 and sum(films) >= 1e-6 * 0.5**3:
            films, volume = [0.0, 0.0], sum(films)
        if step:
            films[0] = max(0.0, films[0] - depth * math.pi)
            s = max(0.0, g)
            height = math.sqrt(s * s + 2.0 * volume / (math.pi * 0.5))
            side = 2.0 * math.pi * math.sqrt(0.5 * (height - s)) * height
            volume = max(0.0, volume - 0.5 * depth * side)
        rows.append([*films, volume])
    return pd.DataFrame(rows, columns=["first", "second", "volume"])


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize(("rate", "dries_up"), [(2e-3, False), (0.3, True)])
def test_bridges_dry(rate, dries_up, newton):
    """Bridges are cylinders that evaporate at their surface. A dry bridge returns no liquid."""
    script = INSIDE.format(law="willett", options="").replace("plus\n", "plus ledger yes\n")
    script = TWO.replace("PAIR", script) + TALLY.replace("step", f"step {WRITTEN}")
    script += f"fix dry one granular/film rate {rate} bridges yes\nrun 2500"
    run = engine.run(script, variables={"newton": newton})
    table = run.thermo.rename(columns=dict(zip(WRITTEN.split(), COLUMNS, strict=True)))
    gap = table["gap"].to_numpy()
    expected = dried_by_hand(gap, rate * 1e-3)
    for have, want in (("first", "first"), ("second", "second"), ("bridge_volume", "volume")):
        np.testing.assert_allclose(table[have], expected[want], rtol=0, atol=ROUNDING)
    ruptured = (np.diff(expected["second"]) > 0.0).sum()
    dried_up = (np.diff((expected["volume"] > 0.0).astype(int)) == -1).sum() - ruptured
    assert ruptured > 0
    assert (dried_up > 0) == dries_up
    ledger = run.ledger
    np.testing.assert_allclose(liquid(ledger) + ledger["liquid_evaporated"], 0.004, rtol=1e-13)
    assert ledger["ruptures"].iloc[-1] == ruptured + dried_up


@pytest.mark.parametrize("law", ["willett", "willett/simple"])
def test_the_energy_ledger_closes_while_bridges_dry(law):
    residuals = []
    for step in (4e-4, 1e-4):
        script = PACK.replace("BRIDGE", f"bridge {law} 1 20 film share 1")
        script = script.replace("fix shear all deform 1 xy erate 0.5 remap v flip yes", "")
        script = script.replace("thermo 100", "thermo 1").replace("5e-4", str(step))
        script += "fix dry all granular/film rate 1e-2 bridges yes\n"
        ledger = engine.run(f"{script}run {round(0.6 / step)}", variables={"newton": "on"}).ledger
        residuals.append(ledger["residual"].abs().max() / ledger["kinetic_translation"].iloc[0])
        assert abs(ledger["volume_change"].iloc[-1]) > 5e-3 * ledger["kinetic_translation"].iloc[0]
        np.testing.assert_allclose(
            liquid(ledger) + ledger["liquid_evaporated"], liquid(ledger)[0], rtol=1e-13
        )
    # the residual is of first order in the time step
    assert residuals[1] < 1e-3
    assert residuals[1] < 0.5 * residuals[0]


BONDED = (
    "hooke 1e4 10 damping mass_velocity tangential linear_history 5e3 0.5 0.3"
    f" {FILMS} bond beam 1e4 0.25 0.8 tension NULL shear NULL"
)
RAIN = FILM_FIX.replace("fix shear all deform 1 xy erate 0.5 remap v flip yes\n", "")
for old, new in (
    ("boundary p p p", "boundary p p f"),
    ("prism 0 4 0 4 0 4 0 0 0", "block 0 4 0 4 0 8"),
    ("create_atoms 1 box", "region low block 0 4 0 4 1 4\ncreate_atoms 1 region low"),
):
    RAIN = RAIN.replace(old, new)
RAIN += """
fix floor all wall/granular/plus hooke 1e4 10 damping mass_velocity &
    tangential linear_nohistory 0 0 zplane 0 8
region above block 1 3 1 3 6 7
FIXES
fix rain all deposit 3 1 200 4711 region above near 1
run 1000
"""


@pytest.mark.parametrize(
    ("films", "each"),
    [
        ("fix wet all granular/film initial 5e-3", 5e-3),
        ("fix wet all granular/film initial 5e-3\nfix dry all granular/film rate 0", 5e-3),
        ("fix dry all granular/film rate 0\nfix wet all granular/film initial 5e-3", 5e-3),
        ("fix a all granular/film initial 5e-3\nfix b all granular/film initial 2e-3", 7e-3),
        (f"fix wet all granular/film initial 5e-3\npair_coeff * * {BONDED}", 5e-3),
    ],
    ids=["one fix", "another after it", "another before it", "two that wet", "bonds after it"],
)
def test_grains_that_are_deposited_come_wet(films, each):
    script = RAIN.replace("FIXES", films)
    if "bond" in films:
        script = script.replace("atom_style sphere", "atom_style bpm/sphere")
        script = script.replace("nve/sphere", "nve/bpm/sphere")
    run = engine.run(script, variables={"newton": "on"})
    ledger = run.ledger
    assert ledger["liquid_supplied"].iloc[-1] == pytest.approx(3 * each, rel=1e-13)
    balance = liquid(ledger) - ledger["liquid_supplied"]
    np.testing.assert_allclose(balance, balance.iloc[0], rtol=1e-13)
    assert ledger["liquid_lost"].abs().max() < 1e-13 * liquid(ledger)[0]


@pytest.mark.parametrize("at", ["pair_style", "region above"])
def test_grains_come_wet_whatever_the_order_of_commands(at):
    """A fix of the pair style empties the films of new grains before fix `wet` fills them."""
    wet = "fix wet all granular/film initial 5e-3\n"
    again = f"pair_style granular/plus ledger yes\npair_coeff * * {MODEL} {FILMS}"
    script = RAIN.replace(at, wet + at, 1)
    for films in ("", f"pair_style zero 2\npair_coeff * *\n{again}"):
        run = engine.run(script.replace("FIXES", films), variables={"newton": "on"})
        supplied = run.ledger["liquid_supplied"].iloc[-1]
        assert supplied == pytest.approx(3 * 5e-3, rel=1e-13)
        balance = liquid(run.ledger) - run.ledger["liquid_supplied"]
        np.testing.assert_allclose(balance, balance.iloc[0], rtol=1e-13)


@pytest.mark.parametrize("run", ["run 0", "run 1"])
def test_bridges_of_the_last_step_are_looked_at(run):
    pair = INSIDE.format(law="willett", options="")
    script = TWO.replace("PAIR", pair).replace("d_film 0.003", "d_film 1e-6")
    script = script.replace("d_film 0.001", "d_film 1e-6") + run
    log = engine.run(script, variables={"newton": "on"}).log
    assert log.count("but the law was fitted for the range") == 1
    told = re.search(r"V/R\^3 of new bridges is up to (\S+), but .* the range from (\S+) to", log)
    assert 0.0 < float(told[1]) < float(told[2])


# ---------- models change between runs

CHANGES = {
    "another law": f"pair_coeff * * {MODEL} bridge willett/simple 1 20 film",
    "a volume of its own": f"pair_coeff * * {MODEL} bridge willett 1 20 volume 1e-3",
    "dry": f"pair_coeff * * {MODEL}",
    "dry between the types": f"pair_coeff 1 2 {MODEL}",
    "the style anew": f"pair_style granular/plus\npair_coeff * * {MODEL} bridge willett 1 20 film",
}


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 1), ("on", 2), ("off", 2)])
@pytest.mark.parametrize("change", CHANGES)
def test_liquid_of_bridges_goes_back_to_the_films_where_models_change(change, newton, ranks):
    script = PACK.replace("create_box 1", "create_box 2").replace("ledger yes", "")
    script = script.split("compute ledger")[0].replace("BRIDGE", "bridge willett 1 20 film")
    script += (
        "set group all type/fraction 2 0.5 4711\n"
        "compute liquid all granular/liquid\ncompute films all property/atom d_film\n"
        "compute sums all reduce sum c_films c_liquid[2]\n"
        "thermo_style custom step c_sums[*]\nthermo_modify format float %.17g norm no\nrun 200\n"
    )
    wet_still = "volume" not in CHANGES[change] and change != "dry"
    if not wet_still:
        script += (
            "thermo_style custom step\nuncompute sums\nuncompute liquid\n"
            "compute sums all reduce sum c_films c_films\n"
            "thermo_style custom step c_sums[*]\nthermo_modify format float %.17g norm no\n"
        )
    script += f"{CHANGES[change]}\nrun 0\n"
    thermo = engine.run(script, variables={"newton": newton}, ranks=ranks).thermo
    before, after = thermo.iloc[-2], thermo.iloc[-1]
    assert before["c_sums[2]"] > 1e-2
    held = after["c_sums[1]"] + (after["c_sums[2]"] if wet_still else 0.0)
    assert held == pytest.approx(before["c_sums[1]"] + before["c_sums[2]"], rel=1e-14)


@pytest.mark.parametrize(("newton", "ranks"), [("on", 1), ("off", 2)])
@pytest.mark.parametrize("place", ["wide", "narrow"])
@pytest.mark.parametrize("change", ["another law", "a volume of its own", "dry"])
def test_liquid_of_a_restart_file_goes_to_the_films_of_other_models(
    change, place, newton, ranks, tmp_path
):
    script = PACK.replace("BRIDGE", FILMS)
    for old, new in PLACES[place]:
        script = script.replace(old, new)
    first = engine.run(
        f"{script}run 200\nwrite_restart {tmp_path}/r\n",
        variables={"newton": newton},
        ranks=ranks,
    ).ledger.iloc[-1]
    assert first["liquid_bridges"] > 0.1 * first["liquid_films"]
    wet_still = change == "another law"
    bridged = LEDGER.of("c_ledger", "liquid_bridges")
    again = engine.run(
        f"newton {newton}\nread_restart {tmp_path}/r\nfix film all property/atom d_film ghost yes\n"
        f"comm_modify vel yes\nneighbor 0.3 bin\npair_style granular/plus ledger yes\n"
        f"{CHANGES[change]}\n{TALLY}"
        "compute films all property/atom d_film\ncompute sum all reduce sum c_films\n"
        f"thermo_style custom step c_sum {bridged}\n"
        "thermo_modify norm no format float %.17g\nrun 0\n",
        ranks=ranks,
    )
    end = again.thermo.iloc[-1]
    held = end["c_sum"] + (end[bridged] if wet_still else 0.0)
    assert held == pytest.approx(first["liquid_films"] + first["liquid_bridges"], rel=1e-14)
    assert "the liquid of bridges returns to the films" in again.log


def test_a_restart_into_models_and_a_script_without_films_says_that_liquid_is_lost(tmp_path):
    engine.run(
        PACK.replace("BRIDGE", FILMS) + f"run 100\nwrite_restart {tmp_path}/r\n",
        variables={"newton": "on"},
    )
    again = engine.run(
        f"newton on\nread_restart {tmp_path}/r\ncomm_modify vel yes\n"
        f"pair_style granular/plus\n{CHANGES['dry']}\nrun 0\n"
    )
    assert "the liquid of bridges is lost" in again.log


# ---------- viscosity


def test_the_viscous_force_of_a_stretched_bridge():
    """The expected force is the integral of Pitois, Moucheront & Chateau for R = 0.5.

    See J. Colloid Interface Sci. 231 (2000) 26.
    """
    dry = two(INSIDE.format(law="willett", options="share 0.5"), "run 1200")
    wet = two(INSIDE.format(law="willett", options="share 0.5 viscous 0.3 gap 0.01"), "run 1200")
    bridged = (wet["bridge"] == 1.0) & (wet["gap"] > 0.0)
    gap, volume = wet["gap"][bridged], wet["bridge_volume"][bridged]
    # Fix move sets velocities at the time of the step. Velocities of integrated grains would be
    # half a step old.
    speed = 0.6 * math.pi * np.cos(2.0 * math.pi * 1e-3 * wet["Step"][bridged])
    # Solve Reynolds's equation for the thickness S + r^2/R. The liquid is a cylinder that has the
    # volume of the bridge.
    expected = []
    for s, v, rate in zip(np.maximum(gap, 0.01), volume, speed, strict=True):
        edge_squared = 0.5 * (math.sqrt(s * s + 2.0 * v / (math.pi * 0.5)) - s)
        integral = integrate.quad(
            lambda r, s=s: r**3 / (s + 2.0 * r * r) ** 3,
            0.0,
            edge_squared**0.5,
            epsabs=0.0,
            epsrel=1e-13,
        )
        expected.append(6.0 * math.pi * 0.3 * rate * integral[0])
    assert (gap < 0.01).any()
    assert (gap > 0.05).any()
    # an absolute tolerance is needed, because the speed passes through zero
    rounding = {"rtol": 1e-12, "atol": 1e-12 * np.abs(expected).max()}
    np.testing.assert_allclose(wet["viscous_force"][bridged], expected, **rounding)
    np.testing.assert_allclose(wet["pull"][bridged] - dry["pull"][bridged], expected, **rounding)


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize(("growth", "longest"), [(0.0, 1.5), (0.5, 1.5), (1.0, 1.2)])
def test_a_bridge_that_is_stretched_fast_lasts_longer(growth, longest, newton):
    """A bridge ruptures at the gap S_c (1 + B sqrt(mu v/gamma)), or at M S_c if that is smaller.

    B is `growth`, and M is `longest`.
    """
    options = f"limit 2e-3 viscous 0.5 gap 0.01 rupture {growth} longest {longest}"
    table = two(INSIDE.format(law="willett", options=options), newton=newton)
    gap = table["gap"].to_numpy()
    speed = 0.6 * math.pi * np.cos(2.0 * math.pi * 1e-3 * table["Step"].to_numpy())
    slow = bridges.Bridge(0.7, math.radians(20.0), 2e-3, 0.5).rupture_distance
    factor = np.minimum(longest, 1.0 + growth * np.sqrt(0.5 / 0.7 * np.maximum(speed, 0.0)))
    factor = np.where(growth > 0.0, factor, 1.0)
    expected, bridged = [], False
    for g, rupture in zip(gap, factor * slow, strict=True):
        bridged = g < 0.0 or (bridged and g < rupture)
        expected.append(bridged)
    np.testing.assert_array_equal(table["bridge"] == 1.0, expected)
    ruptures = np.flatnonzero(np.diff(np.asarray(expected, int)) == -1)
    assert len(ruptures) > 1
    if growth > 0.0:
        assert (gap[ruptures] > 1.15 * slow).all()
    assert (factor[ruptures] == longest).any() == (growth == 1.0)
    held = table[["first", "second", "bridge_volume"]].sum(axis=1)
    np.testing.assert_allclose(held, 0.004, rtol=0, atol=ROUNDING)


# ---------- bad input


@pytest.mark.parametrize(
    ("bridge", "message"),
    [
        (
            "willett 1 20 film rupture 1 viscous 1 gap 0.1",
            "keyword rupture needs keyword viscous with a viscosity mu > 0 and keyword longest",
        ),
        ("willett 1 20 film rupture 1 longest 2", "keyword rupture needs keyword viscous with"),
        ("willett 1 20 film rupture 1 longest 0.5", "slow stretching M = 0.5 must be >= 1"),
        (
            "willett 0 20 film rupture 1 longest 2 viscous 1 gap 0.1",
            "with keyword rupture, surface tension gamma = 0 must be > 0",
        ),
        (
            "willett 1 20 film share 0",
            "largest share of a film that goes into one bridge S = 0 must be > 0",
        ),
        ("willett 1 20 film share 2", "S = 2 must be > 0 and <= 1"),
        ("willett 1 20 film limit -1", "largest volume of a bridge when it forms Vmax = -1"),
        ("willett 1 20 film limit", "limit needs a number"),
        ("willett 1 20 film shere 0.5", "unknown word shere; did you mean share"),
        ("willett 1 20 film share 1 share 1", "share must be given only once"),
        ("willett 1 20 film viscous 1", "keyword viscous needs keyword gap"),
        ("willett 1 20 film least 2 limit 1", "Vmin = 2 must be <= Vmax = 1"),
    ],
)
def test_bad_words(bridge, message):
    with pytest.raises(engine.LammpsError, match=message.replace("?", r"\?")):
        engine.run(PACK.replace("BRIDGE", f"bridge {bridge}") + "run 0", variables={"newton": "on"})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("rate -1", "liquid granular/film: keyword rate: E = -1 must be >= 0"),
        ("bridges yes", "keyword bridges needs keyword rate with E > 0"),
        ("rate 1 bridges", "keyword bridges needs yes or no"),
        ("rate 1 brigdes yes", "unknown keyword brigdes; .* did you mean bridges"),
        (
            "supply 1 region",
            "keyword supply needs Q region R: volume of liquid per time, shared",
        ),
        ("supply 1 above", "keyword supply: expected region, found above"),
        ("rate 1 rate 2", "keyword rate = 2 must be given only once; rate = 1 was given before"),
    ],
)
def test_bad_words_of_the_film_fix(words, message):
    script = PACK.replace("BRIDGE", FILMS) + f"fix liquid all granular/film {words}\nrun 0"
    with pytest.raises(engine.LammpsError, match=message):
        engine.run(script, variables={"newton": "on"})


def test_a_region_deleted_before_run_pre_no_is_missed():
    script = PACK.replace("BRIDGE", FILMS) + (
        "region nozzle block 0 4 2 4 0 4\n"
        "fix liquid all granular/film supply 2e-2 region nozzle\n"
        "run 1\nregion nozzle delete\nrun 1 pre no"
    )
    with pytest.raises(engine.LammpsError, match="region nozzle has been deleted since"):
        engine.run(script, variables={"newton": "on"})


def test_films_must_be_there():
    script = PACK.replace("BRIDGE", FILMS).replace("d_film ghost yes", "d_other")
    script = script.replace("d_film v_film", "d_other v_film")
    with pytest.raises(engine.LammpsError, match="fix ID all property/atom d_film ghost yes"):
        engine.run(script + "run 0", variables={"newton": "on"})


def test_a_negative_film_is_refused():
    script = PACK.replace("BRIDGE", FILMS) + "set atom 1 d_film -1e-3\nrun 0"
    with pytest.raises(engine.LammpsError, match=r"d_film = -0\.001 of grain 1 must be >= 0"):
        engine.run(script, variables={"newton": "on"})


DRY = "hooke 1e4 10 damping mass_velocity tangential linear_history 5e3 0.5 0.3"


def hybrid(styles: str, *coefficients: str) -> str:
    given = "\n".join(f"pair_coeff * * {words}" for words in coefficients)
    styles = f"pair_style hybrid/overlay granular/plus ledger yes {styles}"
    return re.sub(r"pair_style.*BRIDGE", f"{styles}\n{given}", PACK, flags=re.DOTALL)


@pytest.mark.parametrize(
    "script",
    [
        hybrid(
            "capillary/willett",
            f"granular/plus {DRY} {FILMS}",
            "capillary/willett 1 20 film",
        ),
        hybrid(
            "capillary/willett capillary/willett",
            f"granular/plus {DRY}",
            "capillary/willett 1 1 20 film",
            "capillary/willett 2 1 20 film share 0.1",
        ),
    ],
)
def test_films_that_two_styles_would_share_are_refused(script):
    message = "two sub-styles of hybrid, .* have the keyword film; use this keyword in only one"
    with pytest.raises(engine.LammpsError, match=message):
        engine.run(script + "run 0", variables={"newton": "on"})


def test_films_may_go_from_one_style_of_a_hybrid_to_another():
    script = hybrid(
        "capillary/willett", f"granular/plus {DRY} {FILMS}", "capillary/willett 1 20 volume 1e-3"
    )
    script += f"run 5\npair_coeff * * granular/plus {DRY}\n"
    script += "pair_coeff * * capillary/willett 1 20 film\nrun 5\n"
    engine.run(script, variables={"newton": "on"})
