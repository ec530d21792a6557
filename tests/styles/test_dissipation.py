"""Energy losses of single grains and of contacts with walls add up to the losses in the ledger."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, meshes
from pysuite.outputs import DISSIPATION, DISSIPATION_PAIRS, WALL_LOCAL

TANGENTIAL = "tangential linear_history 1e4 0.8 0.3 rolling sds 1e3 5 0.1 twisting marshall"
HOOKE = f"hooke 2e4 15 damping mass_velocity {TANGENTIAL}"
LAWS = {
    "hooke": HOOKE,
    "dsds": f"{HOOKE} slider dsds",
    "wet": f"{HOOKE} bridge willett 2 20 volume 2e-3",
    "luding": f"luding 1e4 4e4 1e3 0.05 {TANGENTIAL}",
}
FILM = "bridge willett 2 20 film share 0.3 viscous 0.1 gap 1e-3"
SETUP = """
units lj
atom_style sphere
atom_modify map array sort 40 0
boundary f p f
newton ${newton}
comm_modify vel yes
region box block -1 6 0 5 -1 6
create_box 1 box
lattice sc 1.0
region fill block 0.1 4.9 0.1 4.9 0.6 4 units box
create_atoms 1 region fill
displace_atoms all random 0.05 0.05 0.05 8123
variable size atom random(0.8,1.0,4711)
set group all diameter v_size density 1.2
velocity all create 2.0 8731 loop all
"""
WALLS = """
fix side all wall/granular/plus {law} xplane 0.3 4.7
fix floor all wall/granular/plus {law} mesh ridge.stl local
"""
MOVE = """
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
timestep 2e-4
compute ledger all granular/ledger
compute lost all granular/dissipation sums
compute sum all reduce sum c_lost[*]
thermo_style custom step c_ledger[*] c_sum[*] f_floor[*]
thermo_modify format float %.17g norm no
thermo 250
"""
PAIR = "pair_style granular/plus ledger yes\npair_coeff * * {law}\n"
OF_LEDGER = {
    "normal": ["normal_dashpot"],
    "tangential": ["tangential_dashpot"],
    "slip": ["slip"],
    "rolling": ["rolling"],
    "twisting": ["twisting"],
    "bridge": ["rupture", "viscous", "volume_change"],
    "plastic": ["plastic"],
    "created": ["created"],
}
# Tolerance relative to the total loss. The sums contain 1e4 contacts in different orders.
ROUND_OFF = 1e-12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ridge")
    low, top = 0.0, 0.4
    corners = np.array([[-0.5, y, z] for y, z in ((0, low), (2.5, top), (5, low))], dtype=float)
    across = corners + np.array([6.0, 0.0, 0.0])
    quads = [(corners[k], across[k], across[k + 1], corners[k + 1]) for k in (0, 1)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    meshes.write_stl(folder / "ridge.stl", np.array(triangles))
    return folder


def sums(run: engine.Run) -> pd.DataFrame:
    found = run.thermo[DISSIPATION.of("c_sum").split()]
    return found.set_axis(DISSIPATION.names, axis=1)


def run_with(folder, law: str, more: str, **options: object) -> engine.Run:
    script = SETUP + PAIR.format(law=law) + WALLS.format(law=law.split(" bridge")[0]) + MOVE + more
    options = {"newton": "on"} | options
    variables = {"newton": options.pop("newton")}
    return engine.run(script, folder=folder, variables=variables, timeout=300, **options)


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "on"), (2, "off")])
@pytest.mark.parametrize("name", LAWS)
def test_grains_lose_what_the_ledger_has(folder, name, ranks, newton):
    run = run_with(folder, LAWS[name], "run 2000", ranks=ranks, newton=newton)
    ledger, lost = run.ledger, sums(run)
    total = lost["total"].iloc[-1]
    assert total > 10.0
    for column, entries in OF_LEDGER.items():
        difference = (lost[column] - ledger[entries].sum(axis=1)).abs().max()
        assert difference <= ROUND_OFF * total, column
    parts = [c for c in OF_LEDGER if c != "created"]
    assert (lost[parts].sum(axis=1) - lost["total"]).abs().max() <= ROUND_OFF * total
    assert 0.05 * total < lost["walls"].iloc[-1] < 0.95 * total
    for law, column in {"wet": "bridge", "luding": "plastic"}.items():
        assert (lost[column].iloc[-1] != 0.0) == (law == name)
    assert lost["created"].iloc[-1] > 0.0  # twisting marshall creates energy


@pytest.mark.parametrize("ranks", [1, 2])
def test_liquid_of_grains(folder, ranks):
    film = "fix film all property/atom d_film ghost yes\nset group all d_film 4e-3\n"
    dry = "fix dry all granular/film rate 2e-4 bridges yes\n"
    law = f"{HOOKE} {FILM}"
    script = SETUP + film + PAIR.format(law=law) + WALLS.format(law=HOOKE) + MOVE + dry
    run = engine.run(
        script + "run 1000", folder=folder, variables={"newton": "on"}, timeout=300, ranks=ranks
    )
    ledger, lost = run.ledger.iloc[-1], sums(run).iloc[-1]
    assert ledger["viscous"] > 0.0
    assert ledger["volume_change"] != 0.0
    difference = lost["bridge"] - ledger[OF_LEDGER["bridge"]].sum()
    assert abs(difference) <= ROUND_OFF * lost["total"]


def test_rates_are_those_of_the_last_step(folder):
    more = """
compute rate all granular/dissipation rates total slip walls
compute power all reduce sum c_rate[*]
thermo_style custom step c_sum[1] c_sum[4] c_sum[9] c_power[*]
thermo_modify format float %.17g norm no
thermo 1
run 300
"""
    table = run_with(folder, LAWS["wet"], more).thermo
    for n, column in enumerate(("total", "slip", "walls"), start=1):
        rate = table[f"c_power[{n}]"].to_numpy()
        steps = np.diff(table[DISSIPATION.of("c_sum", column)])
        assert rate[0] == 0.0
        np.testing.assert_allclose(2e-4 * rate[1:], steps, rtol=0, atol=1e-11 * steps.sum())


def test_a_setup_has_lost_nothing():
    """The setup of a run repeats the last step of the previous run, but not its energy losses."""
    script = """
    units lj
    atom_style sphere
    comm_modify vel yes
    region box block -2 2 -2 2 -2 2
    create_box 1 box
    create_atoms 1 single 0 0 0
    create_atoms 1 single 0.95 0 0
    set group all diameter 1 density 1
    pair_style granular/plus ledger yes
    pair_coeff * * hooke 1e4 10 tangential linear_nohistory 0 0
    fix move all nve/sphere
    compute each all granular/dissipation pairs total
    compute listed all reduce sum c_each[6] inputs local
    compute rates all granular/dissipation rates total
    compute grains all reduce sum c_rates
    thermo_style custom step c_listed c_grains
    thermo 20
    timestep 1e-4
    run 20
    run 0
    """
    thermo = engine.run(script).thermo
    for name in ("c_listed", "c_grains"):
        assert thermo[name].iloc[-2] > 1.0
        assert thermo[name].iloc[-1] == 0.0


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "on"), (2, "off")])
@pytest.mark.parametrize("name", ["wet", "luding"])
def test_contacts_lose_what_their_grains_do(folder, name, ranks, newton):
    chosen = [c for c in DISSIPATION.names if c != "walls"]
    more = f"""
compute pairs all granular/dissipation pairs {" ".join(chosen)}
compute rates all granular/dissipation rates
dump pairs all local 1 pairs index c_pairs[*]
dump_modify pairs format float %.17g
dump rates all custom 1 rates id x y z radius c_rates[*]
dump_modify rates format float %.17g sort id
run 20
"""
    run = run_with(
        folder, LAWS[name], f"run 1500\nreset_timestep 0{more}", ranks=ranks, newton=newton
    )
    rows, rates = run.local("pairs"), run.dump("rates")
    assert len(rows) > 50
    assert list(rows) == ["step", "index", *DISSIPATION_PAIRS.names, *chosen]
    ends = rows[["first_id", "second_id"]].to_numpy()
    assert not pd.DataFrame(np.sort(ends, axis=1)).assign(step=rows["step"]).duplicated().any()
    rates = rates.rename(
        columns=dict(zip(DISSIPATION.of("c_rates").split(), DISSIPATION.names, strict=True))
    )
    for step, frame in rates.groupby("step"):
        here, grains = rows[rows["step"] == step], frame.set_index("id")
        assert here.empty == (step == 0)
        halves = pd.concat([here.set_index(end)["total"] for end in ("first_id", "second_id")]) / 2
        found = halves.groupby(level=0).sum().reindex(grains.index, fill_value=0.0)
        expected = grains["total"] - grains["walls"]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * grains["total"].sum())
    for end in ("first_id", "second_id"):
        grain = grains.loc[here[end]]
        way = here[["x", "y", "z"]].to_numpy() - grain[["x", "y", "z"]].to_numpy()
        way[:, 1] -= 5.0 * np.round(way[:, 1] / 5.0)  # y is periodic
        ratio = np.linalg.norm(way, axis=1) / grain["radius"].to_numpy()
        assert (np.abs(ratio - 1.0) < 0.2).all()


def test_sums_whose_store_is_gone(folder):
    with pytest.raises(engine.LammpsError, match="fix lost_granular_dissipation, which this"):
        run_with(folder, LAWS["hooke"], "unfix lost_granular_dissipation\nrun 1")


def test_a_wall_lists_its_contacts(folder):
    columns = WALL_LOCAL.of("f_floor")
    more = f"""
unfix side
compute floors all granular/dissipation rates walls
compute power all reduce sum c_floors
dump contacts all local 1 contacts {columns}
dump_modify contacts format float %.17g
thermo_style custom step f_floor[*] c_power
thermo_modify format float %.17g norm no
thermo 1
run 1
"""
    more = f"run 6000\nreset_timestep 0\n{more}"
    for ranks in (1, 2):
        run = run_with(folder, LAWS["hooke"], more, ranks=ranks)
        contacts, wall = run.local("contacts"), run.wall_vector("floor").iloc[-1]
        assert list(contacts) == ["step", *WALL_LOCAL.names]
        now = contacts[contacts["step"] == 1]
        assert len(now) == wall["contacts"] >= 5
        force = now[["force_x", "force_y", "force_z"]].to_numpy()
        np.testing.assert_allclose(
            force.sum(axis=0), -wall[["force_x", "force_y", "force_z"]], rtol=1e-9, atol=1e-9
        )
        power = run.thermo["c_power"].iloc[-1]
        # Contacts that ended in the last step are not listed. The power includes the energy left in
        # their springs.
        assert now["dissipation"].sum() == pytest.approx(power, rel=0.2)
        normal = now[["normal_x", "normal_y", "normal_z"]].to_numpy()
        slip = now[["slip_x", "slip_y", "slip_z"]].to_numpy()
        np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=1e-12)
        np.testing.assert_allclose((normal * slip).sum(axis=1), 0.0, atol=1e-12)
        assert (now["z"] < 0.45).all()
        assert (contacts["id"].value_counts() >= 1).all()


ONE = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single -1 0 0.499
create_atoms 1 single 1 0 1.499
create_atoms 1 single 1.7 0 1.499
set group all diameter 1 mass 1
set atom 1 vx 0.5
pair_style granular/plus ledger yes
pair_coeff * * hooke 1e4 20 damping mass_velocity tangential linear_history 3e3 1 0.3
fix floor all wall/granular/plus hooke 1e4 0 damping velocity &
    tangential linear_history 3e3 0 0.3 zplane 0 NULL
fix move all nve/sphere
timestep 1e-4
compute lost all granular/dissipation sums
"""
SHOW = f"write_dump all custom lost id {DISSIPATION.of('c_lost')} modify format float %.17g sort id"


def test_shares():
    """A grain gets the whole loss of a contact with a wall, but half of the loss of a pair."""
    run = engine.run(
        f"{ONE}run 400\ncreate_atoms 1 single 0 2 2\nset atom 4 diameter 1 mass 1\nrun 0\n{SHOW}"
    )
    lost = run.dump("lost").filter(like="c_lost").set_axis(DISSIPATION.names, axis=1)
    slides, one, other, new = (row for _, row in lost.iterrows())
    assert slides["slip"] == slides["total"] == slides["walls"] > 0.0
    assert one["normal"] == other["normal"] > 0.0
    assert one["walls"] == other["walls"] == 0.0 == pytest.approx(one["slip"], abs=1e-20)
    assert (new == 0.0).all()


def test_a_grain_that_comes_in_has_lost_nothing():
    box = "region box block -3 3 -3 3 0 6\ncreate_box 1 box\n"
    places = "create_atoms 1 single 0 0 1\ncreate_atoms 1 single 0.9 0 1\n"
    head = "units lj\natom_style sphere\nboundary p p f\ncomm_modify vel yes\n" + box + places
    collide = "velocity all set 0 0 0\ngroup one id 1\nvelocity one set 1 0 0\n"
    lost = "compute lost all granular/dissipation sums\nfix move all nve/sphere\ntimestep 1e-3\n"
    ends = "dump end all custom 1 end.dump id c_lost[1]\ndump_modify end format float %.17g\n"
    new = "group one delete\ngroup gone id 2\ndelete_atoms group gone compress no\n"
    new += "create_atoms 1 single 0 0 4\nset group all diameter 1 density 1\n"
    script = head + "set group all diameter 1 density 1\n" + PAIR.format(law=HOOKE) + lost
    run = engine.run(script + collide + "run 200\n" + new + ends + "run 0\n")
    grains = run.dump("end.dump").set_index("id")["c_lost[1]"]
    assert grains[1] > 1e-3
    assert grains[grains.index != 1].tolist() == [0.0]


def test_sums_go_on_after_a_restart(tmp_path):
    whole = engine.run(f"{ONE}run 100\nrun 100\n{SHOW}").dump("lost")
    engine.run(f"{ONE}run 100\nwrite_restart half", folder=tmp_path)
    fixes = ONE[ONE.index("fix floor") :]
    again = f"comm_modify vel yes\nread_restart half\n{fixes}run 100\n{SHOW}"
    pd.testing.assert_frame_equal(engine.run(again, folder=tmp_path).dump("lost"), whole)


def test_the_run_stays_the_same(folder, tools):
    end = f"run 500\n{tools.dump_command('end')}"
    looked_at = run_with(folder, LAWS["wet"], end).dump("end")
    script = SETUP + PAIR.format(law=LAWS["wet"]) + WALLS.format(law=HOOKE) + MOVE
    script = script.replace(" local", "").replace("compute lost", "#").replace("compute sum", "#")
    script = script.replace("c_sum[*]", "")
    plain = engine.run(script + end, folder=folder, variables={"newton": "on"}).dump("end")
    pd.testing.assert_frame_equal(looked_at, plain)


def test_bad_input_is_named(lammps_error):
    error = lammps_error(ONE.replace("dissipation sums", "dissipation sum"))
    assert "unknown word sum; known are total, normal" in error
    error = lammps_error(ONE.replace("dissipation sums", "dissipation sums pairs"))
    assert "unknown word pairs; known are total, normal" in error
    error = lammps_error(ONE.replace("ledger yes", "") + "run 0")
    assert "needs pair_style granular/plus ledger yes" in error
    error = lammps_error(ONE.replace("zplane 0 NULL", "zplane 0 NULL locals"))
    assert "unknown keyword locals; known are" in error


def test_a_compute_that_is_gone_is_not_asked():
    engine.run(f"{ONE}run 10\nuncompute lost\nrun 10 pre no")
