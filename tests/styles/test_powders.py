"""Models of powders: energy balance of a compacted pack, restarts, ranks, output and heat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, meshes
from pysuite.outputs import LEDGER, LOSSES, pair_local

FRICTION = "tangential linear_history 1e4 0.8 0.3"
LAWS = {
    "walton_braun": f"walton_braun 1e4 4e4 eta 5 damping mass_velocity {FRICTION}",
    "luding": f"luding 1e4 5e4 1e4 0.05 {FRICTION} rolling sds 1e3 5 0.1",
    "thornton_ning": "thornton_ning 2e5 0.3 1e4 0.3 tangential mindlin_rescale/force NULL 1 0.3",
    "edinburgh": f"edinburgh 2e4 8e4 1e4 -0.5 1.5 1.5 {FRICTION}",
}
PRESS = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 4 0 4 -1 8
create_box 2 box
lattice sc 1.0
region fill block 0 3.9 0 3.9 0.2 4.2
create_atoms 1 region fill
set group all diameter 1 density 1
set type 1 type/subset 2 20 4711
set type 2 diameter 0.9 density 1
displace_atoms all random 0.04 0.04 0.02 8123
velocity all create 0.5 8731 loop all
pair_style granular/plus ledger yes
pair_coeff * * {law}
variable down equal -0.5*(1-cos(10*time))
fix floor all wall/granular/plus {law} {floor}
fix lid all wall/granular/plus {law} zplane NULL 4.6 move NULL NULL v_down
fix move all nve/sphere
timestep {step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
"""


def script(law: str, *, step: float = 1e-4, floor: str = "zplane 0 NULL") -> str:
    return PRESS.format(law=law, step=step, floor=floor)


def ledger(run: engine.Run) -> pd.Series:
    last = run.thermo.iloc[-1]
    return pd.Series({name: last[f"c_ledger[{n}]"] for n, name in enumerate(LEDGER.names, 1)})


@pytest.mark.parametrize("name", LAWS)
def test_the_balance_of_a_compacted_pack_closes(name):
    found = []
    for step in (1e-4, 5e-5):
        run = engine.run(script(LAWS[name], step=step) + f"run {round(0.6 / step)}\n")
        of = ledger(run)
        lost = of[LOSSES].sum()
        assert of["plastic"] > 0.1 * lost
        assert of["created"] == 0.0
        found.append(abs(of["residual"]) / lost)
    print(name, found)
    assert found[0] <= 1e-3
    assert found[1] < 0.7 * found[0] or found[1] < 1e-5


def write_floor(folder: Path) -> None:
    floor = np.array([[[0, 0, 0], [4, 0, 0], [4, 4, 0]], [[0, 0, 0], [4, 4, 0], [0, 4, 0]]], float)
    meshes.write_stl(folder / "floor.stl", floor, text=True)


@pytest.mark.parametrize("name", ["walton_braun", "luding"])
def test_the_balance_closes_at_meshes(name, tmp_path):
    step = [[[0, 0, 0.6], [2, 0, 0.6], [2, 4, 0.6]], [[0, 0, 0.6], [2, 4, 0.6], [0, 4, 0.6]]]
    step += [[[2, 0, 0.6], [2, 0, -0.5], [2, 4, 0.6]], [[2, 0, -0.5], [2, 4, -0.5], [2, 4, 0.6]]]
    ground = [[[2, 0, 0], [4, 0, 0], [4, 4, 0]], [[2, 0, 0], [4, 4, 0], [2, 4, 0]]]
    meshes.write_stl(tmp_path / "floor.stl", np.array([*step, *ground], float), text=True)
    found = []
    for timestep in (1e-4, 5e-5):
        text = script(LAWS[name], step=timestep, floor="mesh floor.stl")
        text = text.replace("block 0 3.9 0 3.9 0.2 4.2", "block 0 3.9 0 3.9 1.2 4.2")
        run = engine.run(text + f"run {round(0.6 / timestep)}\n", folder=tmp_path)
        of = ledger(run)
        assert of["plastic"] > 0.1 * of[LOSSES].sum()
        found.append(abs(of["residual"]) / of[LOSSES].sum())
    assert found[0] <= 1e-3
    assert found[1] < 0.7 * found[0] or found[1] < 1e-5


def test_the_floor_may_be_a_mesh(tmp_path):
    write_floor(tmp_path)
    found = {}
    for kind in ("zplane 0 NULL", "mesh floor.stl"):
        text = script(LAWS["luding"], floor=kind) + "run 1500\n"
        (tmp_path / "in.press").write_text(text)
        found[kind] = ledger(engine.run(tmp_path / "in.press"))
    plane, mesh = found.values()
    assert mesh["plastic"] == pytest.approx(plane["plastic"], rel=1e-6)
    assert abs(mesh["residual"]) <= 1e-3 * mesh[LOSSES].sum()
    (tmp_path / "in.press").write_text(
        script(LAWS["edinburgh"], floor="mesh floor.stl") + "run 0\n"
    )
    with pytest.raises(engine.LammpsError, match="edinburgh attracts at zero overlap and cannot"):
        engine.run(tmp_path / "in.press")


PAIR = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single -0.5 0 0
create_atoms 1 single 0.500001 0 0
set group all diameter 1 mass 2
set atom 1 vx 0.5
set atom 2 vx -0.5
pair_style granular/plus
pair_coeff * * walton_braun 1e4 4e4 tangential linear_nohistory 0 0
fix move all nve/sphere
timestep 2e-5
"""


def test_largest_and_plastic_overlap_are_put_out():
    names = ["largest_overlap", "plastic_overlap", "gap", "normal_elastic"]
    text = f"""{PAIR}compute contact all pair/local {pair_local(*names)}
dump contact all local 100 contact c_contact[*]
dump_modify contact format float %.17g
run 1200
"""
    table = engine.run(text).local("contact")
    assert len(table) > 9
    largest, plastic, gap, force = table[names].to_numpy().T
    np.testing.assert_allclose(largest, np.maximum.accumulate(-gap), rtol=0.1)
    np.testing.assert_allclose(plastic, 0.75 * largest, rtol=1e-12)
    np.testing.assert_allclose(force, np.maximum(4e4 * (-gap - plastic), 0.0), rtol=1e-9, atol=1e-9)
    assert (np.diff(gap) > 0.0).any()


def test_what_is_torn_off_loses_what_it_holds_after_half_a_step():
    """The residual of a contact that is torn off is of second order in the time step."""
    law = "thornton_ning 2e5 0.3 1e4 3 tangential linear_nohistory 0 0"
    output = """
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g norm no
thermo 1
"""
    jumps = []
    for step in (4e-6, 2e-6):
        text = PAIR.replace("granular/plus\n", "granular/plus ledger yes\n")
        text = text.replace("walton_braun 1e4 4e4 tangential linear_nohistory 0 0", law)
        text = text.replace("2e-5", str(step))
        table = engine.run(f"{text}{output}run {round(0.045 / step)}\n").ledger
        holds = table["elastic_normal"].to_numpy() != 0.0
        torn = len(holds) - int(np.argmax(holds[::-1]))
        assert table["contacts"].iloc[torn] == 1
        jumps.append(abs(table["residual"].iloc[torn] - table["residual"].iloc[torn - 1]))
    assert jumps[0] / jumps[1] == pytest.approx(4.0, rel=0.2)
