"""The ledger includes contacts with walls, their losses, and the work of moving walls."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.outputs import LOSSES, STORED

HOOKE = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
WHOLE = (
    "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin_rescale/force NULL 1 0.3"
    " rolling sds 1e3 5 0.1 twisting marshall"
)
JKR = "jkr 6e5 200 0.25 5 tangential mindlin_rescale/force NULL 1 0.3 rolling sds 1e3 5 0.1"
WET = f"{HOOKE} bridge willett 2 20 volume 2e-3"
MODELS = {"hooke": HOOKE, "whole": WHOLE, "jkr": JKR, "dsds": f"{HOOKE} slider dsds", "wet": WET}

BLOCK = "block -2.6 2.6 -2.6 2.6 -2.6 2.6"
ANGLE = "variable angle equal 4*time\n"
SHIFT = "variable shift equal 0.2*sin(10*time)\n"
REGION = "fix wall all wall/granular/plus {law} region wall\n"
LIDS = "fix lids all wall/granular/plus {law} zplane -2.6 2.6\n"
WALLS = {
    "at rest": f"region wall {BLOCK}\n{REGION}",
    "drum": f"{ANGLE}region wall cylinder y 0 0 2.9 -2.6 2.6 rotate v_angle 0 0 0 0 1 0\n{REGION}",
    "tumbling": f"{ANGLE}region wall {BLOCK} rotate v_angle 0.3 0 0.1 0 3 4\n{REGION}",
    "shaken": f"{SHIFT}region wall {BLOCK} move v_shift NULL v_shift\n{REGION}",
    "growing": "variable radius equal 2.9-0.3*sin(10*time)\n"
    f"region wall sphere 0 0 0 v_radius\n{REGION}",
    "wiggling": "fix wall all wall/granular/plus {law} zplane -2.6 2.6 wiggle z 0.2 0.6\n"
    "fix side all wall/granular/plus {law} zcylinder 2.7\n",
    "sheared": f"{LIDS}fix wall all wall/granular/plus {{law}} zcylinder 2.7 shear x 5\n",
}
MAKE = """
units lj
atom_style sphere
boundary f f f
region box block -6 6 -6 6 -6 6
create_box 1 box
lattice sc 1.0
region fill sphere 0 0 0 2.3 units box
create_atoms 1 region fill
displace_atoms all random 0.05 0.05 0.05 8123
variable size atom random(0.8,1.0,4711)
set group all diameter v_size density 1.2
velocity all create 2.0 8731 loop all
write_data grains.data
"""
SETUP = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
read_data ${grains}
"""
LAWS = "pair_style granular/plus ledger {ledger}\npair_coeff * * {law}\n"
MOVE = """
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
timestep {step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*] f_wall[*]
thermo_modify format float %.17g
"""
ENERGIES = [*STORED, *LOSSES, "created", "potential", "wall_work", "residual"]


def script_of(model: str, wall: str, step: float) -> str:
    text = LAWS + WALLS[wall] + MOVE
    return SETUP + text.format(law=MODELS[model], step=step, ledger="yes")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grains")
    engine.run(MAKE, folder=folder)

    def run(script: str, **options: object) -> engine.Run:
        variables = {"grains": folder / "grains.data"}
        used = {k: v for k, v in variables.items() if f"${{{k}}}" in script}
        return engine.run(script, variables=used, timeout=300, **options)

    return run


def entries(run: engine.Run) -> pd.DataFrame:
    wall = run.wall_vector("wall")
    return run.ledger.assign(work=wall["work"], touching=wall["contacts"])


def lost(row: pd.Series) -> float:
    return row[LOSSES].sum()


@pytest.mark.parametrize(
    ("model", "wall"),
    [
        *((m, w) for m in ("hooke", "whole") for w in WALLS),
        ("jkr", "drum"),
        ("dsds", "drum"),
        ("wet", "drum"),
    ],
)
def test_the_balance_closes(run, model, wall):
    """The time steps are 1/50 and 1/100 of the collision time."""
    residuals, tables = [], []
    for step in (2e-4, 1e-4):
        steps = round(1.0 / step)
        script = script_of(model, wall, step) + f"thermo {steps // 50}\nrun {steps}"
        table = entries(run(script))
        assert abs(table["residual"].iloc[0]) <= 1e-12 * table["kinetic_translation"].iloc[0]
        residuals.append(table["residual"].abs().max() / lost(table.iloc[-1]))
        tables.append(table)
    end = tables[-1].iloc[-1]
    print(f"{model}, {wall}: {residuals[0]:.1e} {residuals[1]:.1e}, work {end['wall_work']:.3g}")
    assert residuals[0] <= 1e-3
    # the residual is of first order in the time step, because contacts begin within steps
    assert residuals[1] <= 0.7 * residuals[0]
    assert tables[-1]["touching"].max() > 3
    if wall == "at rest":
        assert end["wall_work"] == 0.0
    else:
        assert abs(end["wall_work"]) > 100 * residuals[1] * lost(end)
    if model == "hooke":
        assert end["created"] == 0.0
    if model == "dsds":
        assert end["created"] > 0.0
    if wall not in ("wiggling", "sheared"):  # in these cases, `work` omits one of two walls
        np.testing.assert_allclose(tables[-1]["wall_work"], tables[-1]["work"], rtol=1e-12)


@pytest.mark.parametrize("wall", WALLS)
def test_a_ledger_does_not_change_the_run(run, tools, wall):
    script = script_of("whole", wall, 2e-4)
    end = f"run 1000\n{tools.dump_command('end')}"
    with_ledger = run(script + end).dump("end")
    without = script.replace("ledger yes", "ledger no").replace("compute ledger", "# ")
    without = without.replace("c_ledger[*]", "")
    assert run(without + end).dump("end").equals(with_ledger)


@pytest.mark.parametrize("wall", ["tumbling", "growing", "wiggling"])
def test_work_is_there_without_a_ledger(run, wall):
    script = script_of("whole", wall, 2e-4) + "run 1000"
    kept = run(script).wall_vector("wall")["work"].iloc[-1]
    without = script.replace("ledger yes", "ledger no").replace("compute ledger", "# ")
    without = run(without.replace("c_ledger[*]", ""))
    assert without.wall_vector("wall")["work"].iloc[-1] == kept


@pytest.mark.parametrize("wall", ["tumbling", "growing", "sheared"])
def test_ranks_and_newton_do_not_matter(run, wall):
    script = script_of("whole", wall, 2e-4) + "run 300"
    ends = [
        entries(run(script, ranks=ranks, newton=newton)).iloc[-1]
        for ranks, newton in ((1, "on"), (2, "on"), (2, "off"))
    ]
    for other in ends[1:]:
        assert (other[["contacts", "touching"]] == ends[0][["contacts", "touching"]]).all()
        assert (other[ENERGIES] - ends[0][ENERGIES]).abs().max() <= 1e-9 * lost(ends[0])


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("wall", ["tumbling", "growing", "wiggling"])
def test_totals_go_on_after_a_restart(run, tmp_path, wall, ranks):
    start = script_of("whole", wall, 2e-4)
    pieces = f"""restart 500 {tmp_path}/periodic.*
run 500
write_restart {tmp_path}/command
restart 0
run 500"""
    expected = entries(run(start + pieces, ranks=ranks)).iloc[-1]
    for file in ("periodic.500", "command"):
        again = f"atom_modify map array\ncomm_modify vel yes\nread_restart {tmp_path}/{file}\n"
        script = again + start[len(SETUP) :] + "run 500"
        table = entries(run(script, ranks=ranks))
        assert lost(table.iloc[0]) > 0.1 * lost(expected)
        found = table.iloc[-1]
        tolerance = 1e-9 if ranks > 1 else 1e-13
        assert (found[ENERGIES] - expected[ENERGIES]).abs().max() <= tolerance * lost(expected)


def test_a_ledger_may_be_opened_late(run):
    closed = script_of("whole", "drum", 2e-4).replace("ledger yes", "ledger no")
    closed = closed.replace("compute ledger", "# ").replace("c_ledger[*]", "time")
    opened = LAWS.format(law=MODELS["whole"], ledger="yes")
    compute = "compute ledger all granular/ledger\nthermo_style custom step c_ledger[*]\n"
    compute += "thermo_modify format float %.17g\n"
    found = run(f"{closed}run 1000\n{opened}{compute}thermo 50\nrun 2000")
    table = found.ledger[found.thermo["run"] == 1]
    losses = table[LOSSES].iloc[-1].sum()
    work = table["wall_work"].iloc[-1] - table["wall_work"].iloc[0]
    assert losses > 0.0
    assert work != 0.0
    residual = table["residual"].abs()
    assert residual.max() - residual.iloc[0] < 1e-3 * losses


OTHER = HOOKE.replace("linear_history", "mindlin")


def test_walls_begin_anew_with_the_pairs(run):
    script = script_of("hooke", "tumbling", 2e-4)
    table = run(f"{script}run 2000\npair_coeff * * {OTHER}\nrun 0\nthermo 100\nrun 2000").ledger
    scale = table["kinetic_translation"].iloc[0]
    later = table.iloc[2:]
    assert lost(table.iloc[1]) > 0.1 * scale
    assert lost(later.iloc[0]) == 0.0
    assert abs(later["residual"].iloc[0]) <= 1e-12 * scale
    assert later["residual"].abs().max() <= 1e-3 * lost(later.iloc[-1])


def test_other_models_of_a_wall_are_exchanged(run):
    script = script_of("hooke", "at rest", 2e-4)
    again = WALLS["at rest"].split("\n", 1)[1]
    end = f"{again.format(law=OTHER)}run 0"
    table = run(f"{script}run 2000\n{end}").ledger
    before, after = table.iloc[-2], table.iloc[-1]
    assert before["elastic_tangential"] > after["elastic_tangential"]
    assert after["residual"] == pytest.approx(before["residual"], abs=1e-12 * lost(after))


@pytest.mark.parametrize("model", ["whole", "wet", "attracted"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_the_books_of_a_wall_that_is_removed_are_kept(run, tmp_path, model, ranks):
    """The ledger keeps the work of a removed wall, but not the energy stored in its contacts."""
    attracted = f"{HOOKE} van_der_waals 0.6 0.02 0.15"
    text = (LAWS + WALLS["wiggling"] + MOVE).replace("f_wall[*]", "")
    law = attracted if model == "attracted" else MODELS[model]
    start = SETUP + text.format(law=law, step=2e-4, ledger="yes")
    removed = f"run 1500\nunfix wall\nrun 0\nwrite_restart {tmp_path}/removed\nrun 300"
    table = run(start + removed, ranks=ranks).ledger.iloc[-4:].reset_index(drop=True)
    with_wall, without = table.iloc[0], table.iloc[1]
    scale = lost(with_wall)
    rounding = 1e-12 * scale  # rounding error of sums over 1500 steps
    for entry in ("residual", "wall_work", *LOSSES):
        assert without[entry] == pytest.approx(with_wall[entry], abs=rounding), entry
    assert abs(with_wall["wall_work"]) > 1e-3 * scale
    held = [name for name in STORED if not name.startswith("kinetic")]
    gone = with_wall[held].sum() - without[held].sum()
    assert abs(gone) > 1e-6 * scale
    assert with_wall["exchanged"] - without["exchanged"] == pytest.approx(gone, abs=rounding)
    assert table["residual"].iloc[3] - without["residual"] == pytest.approx(0.0, abs=1e-3 * scale)

    again = "atom_modify map array\ncomm_modify vel yes\n" + f"read_restart {tmp_path}/removed\n"
    rest = start[len(SETUP) :].replace(WALLS["wiggling"].split("\n")[0].format(law=law) + "\n", "")
    after = run(f"{again}{rest}run 300", ranks=ranks).ledger.iloc[-1]
    last = table.iloc[3]
    tolerance = 1e-9 if ranks > 1 else 1e-13
    assert (after[ENERGIES] - last[ENERGIES]).abs().max() <= tolerance * scale
