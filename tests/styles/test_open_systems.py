"""Energy balance of compute granular/ledger if grains enter and leave, and after a reset."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.outputs import LOSSES

KINETIC = ["kinetic_translation", "kinetic_rotation"]
LAW = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
WET = f"{LAW} bridge willett 1 20 volume 0.003"
LEDGER = """
compute ledger all granular/ledger
thermo_style custom step atoms c_ledger[*]
thermo_modify format float %.17g lost ignore
thermo 50
"""

SETUP = """
atom_modify map array
newton ${{newton}}
{start}
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor all wall/granular/plus {law} zplane 0 NULL
timestep 2e-4
region above block 0 6 0 6 8 12
region below block 0 6 0 6 0 1.2
"""
EMPTY = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 6 0 6 0 12
create_box 1 box
"""
POUR = "fix source all pour 300 1 4711 region above diam one 0.9 dens 1 1 vel 0 0 0 0 -6\n"
DEPOSIT = """
group new empty
fix source new deposit 250 1 60 4711 region above near 1.0 vz -6 -5 vx -1 1
"""
SINK = "fix sink all evaporate 500 4 below 8123\n"


def table_of(run: engine.Run) -> pd.DataFrame:
    return run.ledger.assign(step=run.thermo["Step"], atoms=run.thermo["Atoms"])


def turned_over(table: pd.DataFrame) -> float:
    last = table.iloc[-1]
    return last[LOSSES].sum() + abs(last["exchanged"])


@pytest.mark.parametrize(
    ("law", "ranks", "newton"),
    [
        pytest.param(LAW, 1, "on", id="dry"),
        pytest.param(WET, 1, "on", id="wet"),
        pytest.param(LAW, 2, "off", id="dry, two ranks"),
        pytest.param(WET, 2, "off", id="wet, two ranks", marks=pytest.mark.slow),
    ],
)
def test_the_balance_closes_while_grains_come_and_go(law, ranks, newton):
    script = SETUP.format(start=EMPTY, law=law) + POUR + SINK + LEDGER + "run 20000"
    table = table_of(engine.run(script, variables={"newton": newton}, ranks=ranks))
    came = np.diff(table["atoms"].to_numpy())
    assert (came > 0).any()
    assert (came < 0).any()
    assert table["contacts"].max() > 40
    assert abs(table["exchanged"]).max() > 100.0
    # all tests of the ledger use this bound if the time step is at most 1/50 of the collision time
    assert abs(table["residual"]).max() <= 1e-3 * turned_over(table)


GRAVITY = "fix weight all gravity 1 vector 0 0 -1"


def test_gravity_of_a_constant_variable_is_gravity():
    """The ledger needs the gravity before LAMMPS evaluates the variable for the first time."""
    tables = []
    for gravity in ("1", "v_one"):
        weight = f"variable one equal 1.0\n{GRAVITY.replace('gravity 1', f'gravity {gravity}')}"
        script = SETUP.format(start=EMPTY, law=LAW).replace(GRAVITY, weight) + DEPOSIT + LEDGER
        # a new fix does not know the strength of gravity yet
        script += f"run 9000\nunfix weight\n{weight}\nrun 1000\n"
        tables.append(table_of(engine.run(script, variables={"newton": "on"})))
    assert tables[0]["contacts"].max() > 5
    np.testing.assert_array_equal(tables[1], tables[0])


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "off")])
def test_what_changing_gravity_brings_in_is_booked(ranks, newton):
    """There are no contacts, so the residual is of second order in the time step."""
    residuals = []
    for step in (2e-3, 1e-3):
        start = EMPTY + (
            "create_atoms 1 single 2 3 8\ncreate_atoms 1 single 4 3 9\n"
            "set group all diameter 1 density 1\n"
        )
        script = SETUP.format(start=start, law=LAW).replace("2e-4", f"{step}")
        script = script.replace(
            GRAVITY,
            "variable up equal -1-sin(5*time)\nvariable along equal cos(3*time)\n"
            "fix weight all gravity 1 vector v_along 0 v_up",
        )
        script += "velocity all set 1 0.5 0\n" + LEDGER
        table = table_of(
            engine.run(
                f"{script}run {round(2.0 / step)}", variables={"newton": newton}, ranks=ranks
            )
        )
        assert (table["contacts"] == 0).all()
        kinetic = table["kinetic_translation"]
        assert table["exchanged"].abs().max() > kinetic.iloc[0]
        residuals.append(table["residual"].abs().max() / kinetic.max())
    assert residuals[0] < 1e-5
    assert residuals[1] < 0.27 * residuals[0]


def test_a_ledger_that_comes_later_books_changing_gravity():
    """LAMMPS calls the pair style after each step only if there is a ledger."""
    start = f"{EMPTY}create_atoms 1 single 2 3 8\nset group all diameter 1 density 1\n"
    script = SETUP.format(start=start, law=LAW).replace("ledger yes", "ledger no")
    script = script.replace(
        GRAVITY,
        "variable up equal -1-sin(5*time)\nvariable along equal cos(3*time)\n"
        "fix weight all gravity 1 vector v_along 0 v_up",
    )
    script += f"velocity all set 1 0.5 0\nrun 100\npair_style granular/plus ledger yes\n{LEDGER}"
    table = table_of(engine.run(f"{script}run 5000", variables={"newton": "on"}))
    kinetic = table["kinetic_translation"]
    assert table["exchanged"].abs().max() > 0.1 * kinetic.max()
    assert table["residual"].abs().max() < 1e-5 * kinetic.max()


def test_the_balance_closes_while_grains_come_into_changing_gravity():
    script = SETUP.format(start=EMPTY, law=LAW).replace(
        GRAVITY,
        "variable strength equal 1+0.5*sin(20*time)\n"
        "fix weight all gravity v_strength vector 0 0 -1",
    )
    script += DEPOSIT + LEDGER + "run 10000"
    table = table_of(engine.run(script, variables={"newton": "on"}))
    assert table["contacts"].max() > 10
    assert abs(table["residual"]).max() <= 1e-3 * turned_over(table)


def test_grains_that_are_deposited_bring_their_energy():
    script = SETUP.format(start=EMPTY, law=LAW) + DEPOSIT + LEDGER + "run 200"
    table = table_of(engine.run(script, variables={"newton": "on"}))
    energy = table[[*KINETIC, "potential"]].sum(axis=1)
    assert table["atoms"].iloc[-1] == 4
    assert (table["contacts"] == 0).all()
    assert energy.iloc[-1] > 5.0
    assert table["exchanged"].iloc[-1] == pytest.approx(energy.iloc[-1], rel=1e-12)


HEAP = SETUP.format(start=EMPTY, law=LAW) + POUR + LEDGER + "run 12000\nunfix source\n"


@pytest.fixture(scope="module")
def heap(tmp_path_factory):
    folder = tmp_path_factory.mktemp("heap")
    engine.run(HEAP + "write_restart heap.restart", variables={"newton": "on"}, folder=folder)
    return folder / "heap.restart"


def go_on(heap, what: str, **options) -> pd.DataFrame:
    script = SETUP.format(start=f"read_restart {heap}", law=LAW) + LEDGER + "run 100\n" + what
    newton = options.pop("newton", "on")
    return table_of(engine.run(script, variables={"newton": newton}, **options))


@pytest.mark.parametrize("ranks", [1, 2])
def test_nothing_is_booked_of_a_closed_system(heap, ranks):
    table = go_on(heap, "run 2000\nrun 100", ranks=ranks)
    before = table["exchanged"].iloc[0]
    assert before > 100.0
    # after each new neighbour list, sums over grains are rounded differently
    assert abs(table["exchanged"] - before).max() <= 1e-11 * before
    assert table["contacts"].min() > 50


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    "command",
    [
        "group gone region below\ndelete_atoms group gone compress no",
        "group gone region below\ndelete_atoms group gone compress yes",
        "velocity all ramp vx 0 2 z 0 5",
        "unfix weight\nfix weight all gravity 2 vector 0 0 -1",
    ],
)
def test_what_commands_do_between_runs_is_booked(heap, ranks, command):
    table = go_on(heap, f"{command}\nrun 2000", ranks=ranks)
    jump = int(np.argmax(table["step"].diff().to_numpy() == 0.0))
    booked = table["exchanged"].iloc[jump] - table["exchanged"].iloc[jump - 1]
    assert abs(booked) > 1.0
    residual = table["residual"].to_numpy()
    assert abs(residual[jump] - residual[jump - 1]) <= 1e-12 * turned_over(table)
    assert abs(residual).max() <= 1e-3 * turned_over(table)


def test_the_balance_begins_again(heap):
    table = go_on(
        heap, "uncompute ledger\ncompute ledger all granular/ledger reset yes\nrun 1000\nrun 10"
    )
    reset = int(np.argmax(table["step"].diff().to_numpy() == 0.0))
    first = table.iloc[reset]
    assert table[LOSSES].iloc[reset - 1].sum() > 100.0
    assert (first[[*LOSSES, "created", "wall_work", "ruptures", "exchanged"]] == 0.0).all()
    assert abs(first["residual"]) <= 1e-14 * abs(first["potential"])
    rest = table.iloc[reset:]
    assert abs(rest["residual"]).max() <= 1e-3 * turned_over(table)


@pytest.mark.parametrize("words", ["reset", "reset perhaps"])
def test_reset_is_yes_or_no(lammps_error, words):
    script = (
        SETUP.format(start=EMPTY, law=LAW) + LEDGER + f"compute more all granular/ledger {words}"
    )
    message = lammps_error(script, variables={"newton": "on"})
    assert "reset" in message or "perhaps" in message


def test_other_walls_beside_the_ledger_are_warned_of_once():
    script = SETUP.format(start=EMPTY, law=LAW) + LEDGER
    other = "fix other all wall/gran granular hooke 1e4 9 tangential linear_nohistory 0 0 "
    other += "zplane 0 NULL\n"
    for wall, expected in ((other, 1), ("", 0)):
        log = engine.run(script + wall + "run 1\nrun 1", variables={"newton": "on"}).log
        found = [line for line in log.splitlines() if "WARNING" in line and "residual" in line]
        assert len(found) == expected
        assert all("fix other wall/gran" in line for line in found)
