"""Coarse-grained fields: mass is conserved, and the stress in a column at rest is its weight."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from pysuite import (
    commands,
    engine,
    measure,
)
from pysuite.contacts import FORCE, NORMAL, SEPARATION
from pysuite.measure.fields import (
    Box,
    fields,
    grid,
    read_box,
)
from pysuite.outputs import pair_local

# a pack that falls on a floor, periodic along x and y, and comes to rest
SCRIPT = f"""
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 4 0 4 -1 20
create_box 1 box
lattice sc 0.95 origin 0.5 0.5 0.5
region pile block 0 4 0 4 0 8
create_atoms 1 region pile
displace_atoms all random 0.05 0.05 0.02 8123
variable size atom random(0.9,1.0,4711)
set group all diameter v_size density 1
pair_style granular/plus
pair_coeff * * hooke 2e3 0.2 damping coeff_restitution tangential linear_history 600 1 0.5
fix floor all wall/granular/plus hooke 2e3 0.2 damping coeff_restitution &
  tangential linear_history 600 1 0.5 zplane 0 NULL
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix drag all viscous 0.3
timestep 1e-3
run 20000
compute ends all property/local patom1 patom2
compute pair all pair/local dist force &
  {pair_local("separation_x", "separation_y", "separation_z", "gap")} &
  {pair_local("friction_x", "friction_y", "friction_z")}
run 0
write_dump all custom grains id x y z radius mass vx vy vz modify format float %.17g
write_dump all local contacts index c_ends[*] c_pair[*] modify format float %.17g
"""


@pytest.fixture(scope="module")
def column():
    return engine.run(SCRIPT)


def test_mass_is_conserved(column):
    grains = column.dump("grains")
    box = read_box(column.folder / "grains")
    assert box.periodic == (True, True, False)
    for cells, width in (((1, 1, 40), 0.5), ((5, 4, 20), 0.8)):
        edges = grid(grains, cells, width, box)
        found = fields(grains, edges, width, box=box)
        assert len(found) == np.prod(cells)
        cell = np.prod([edge[1] - edge[0] for edge in edges])
        mass = grains["mass"].sum()
        assert found["density"].sum() * cell == pytest.approx(mass, rel=1e-10)


def test_the_stress_in_a_column_at_rest_is_the_weight_above(column):
    grains, contacts = column.dump("grains"), column.local("contacts")
    box = read_box(column.folder / "grains")
    edges = [np.array([0.0, 4.0]), np.array([0.0, 4.0]), np.linspace(-4.0, 13.0, 171)]
    found = fields(grains, edges, 0.5, contacts=contacts, box=box)
    above = found["density"].to_numpy()[::-1].cumsum()[::-1] * 0.1
    above -= 0.5 * 0.1 * found["density"].to_numpy()  # to the middle of the cell
    # without the walls' contacts near the floor, and down to a tenth of the whole weight
    inner = (found["z"] > 2.2) & (above > 0.1 * above.max())
    assert inner.sum() > 20
    ratio = found["stress_zz"][inner] / above[inner]
    np.testing.assert_allclose(ratio, 1.0, atol=0.01)
    shear = found.loc[inner, ["stress_xz", "stress_yz"]].abs().to_numpy()
    assert shear.max() < 0.01 * above.max()
    without = fields(grains, edges, 0.5, box=box)
    assert without["stress_zz"].max() < 1e-3 * above.max()


def test_a_gas_has_its_temperature_and_velocity():
    random = np.random.default_rng(5)
    n = 20000
    grains = pd.DataFrame(random.uniform(0, 10, (n, 3)), columns=list("xyz"))
    grains[["vx", "vy", "vz"]] = random.normal([3.0, 0.0, -1.0], 2.0, (n, 3))
    grains["mass"] = 0.5
    box = Box(np.array([[0.0, 10.0]] * 3), (True, True, True))
    found = fields(grains, grid(grains, (1, 1, 1), 1.0, box), 1.0, box=box)
    (row,) = (row for _, row in found.iterrows())
    assert row["density"] == pytest.approx(n * 0.5 / 1000, rel=1e-12)
    # to four standard errors of the mean, 2/sqrt(n), and of the variance, 4 sqrt(2/3n)
    assert row["velocity_x"] == pytest.approx(3.0, abs=0.06)
    assert row["temperature"] == pytest.approx(4.0, abs=0.1)
    assert row["stress_zz"] == pytest.approx(row["density"] * 4.0, rel=0.05)
    assert row["pressure"] == pytest.approx(row["density"] * row["temperature"], rel=1e-12)


def test_a_single_contact_has_the_stress_and_the_loss_of_its_forces():
    grains = pd.DataFrame({"id": [7, 3], "x": [1.0, 0.0], "y": 0.0, "z": 0.0, "mass": 1.0})
    grains[["vx", "vy", "vz"]] = 0.0
    words = ["separation_x", "separation_y", "separation_z"]
    contacts = pd.DataFrame({"patom1": [7], "patom2": [3]})
    contacts[words] = contacts[NORMAL] = [[1.0, 0.0, 0.0]]
    contacts[FORCE] = [[2.0, 0.25, 0.0]]
    edges = [np.linspace(-6, 7, 14)] + 2 * [np.linspace(-6, 6, 13)]
    losses = [
        pd.DataFrame({"x": [0.5], "y": 0.0, "z": 0.0, "total": 0.3}),
        pd.DataFrame({"x": [-0.5], "y": 0.0, "z": 0.0, "dissipation": 0.2}),  # at a wall
    ]
    found = fields(grains, edges, 0.7, contacts=contacts, losses=losses).sum()
    assert found["stress_xx"] == pytest.approx(2.0, rel=1e-10)
    assert found["stress_yx"] == pytest.approx(0.25, rel=1e-10)
    assert found["stress_xy"] == pytest.approx(0.0, abs=1e-12)
    assert found["dissipation"] == pytest.approx(0.5, rel=1e-10)


def test_what_cannot_be_is_told():
    grains = pd.DataFrame(np.zeros((1, 7)), columns=["x", "y", "z", "vx", "vy", "vz", "mass"])
    edges = 3 * [[0.0, 1.0]]
    with pytest.raises(ValueError, match="width = 0 must be > 0"):
        fields(grains, edges, 0)
    with pytest.raises(ValueError, match="grains has no column mass"):
        fields(grains.drop(columns="mass"), edges, 1)
    with pytest.raises(ValueError, match="contacts has no column patom1"):
        fields(grains, edges, 1, contacts=pd.DataFrame())
    contacts = pd.DataFrame({"patom1": [1], "force": 1.0, **dict.fromkeys(SEPARATION, 1.0)})
    word = re.escape(pair_local("force_x"))
    with pytest.raises(ValueError, match=f"no column force_x: add the word {word} to compute"):
        fields(grains, edges, 1, contacts=contacts)
    aslant = contacts.assign(**dict.fromkeys(FORCE, 1.0), normal_x=1.0, normal_y=0.0, normal_z=0.0)
    with pytest.raises(ValueError, match="no column point_x"):
        fields(grains.assign(id=1), edges, 1, contacts=aslant)


def test_tables_of_different_steps_are_refused():
    columns = ["step", "id", "x", "y", "z", "vx", "vy", "vz", "mass"]
    grains = pd.DataFrame([[95, 1, 0, 0, 0, 0, 0, 0, 1.0]], columns=columns)
    contacts = pd.DataFrame({"step": [0], "patom1": [1]})
    lost = pd.DataFrame({"step": [90], "x": [0.0], "y": 0.0, "z": 0.0, "total": 0.0})
    message = "of contacts is of step 0, that of grains of step 95"
    with pytest.raises(ValueError, match=message):
        fields(grains, 3 * [[0.0, 1.0]], 1, contacts=contacts)
    with pytest.raises(ValueError, match=message):
        measure.coordination(grains, contacts.assign(patom2=1))
    with pytest.raises(ValueError, match="of losses 1 is of step 90, that of grains of step 95"):
        fields(grains, 3 * [[0.0, 1.0]], 1, losses=[lost])


FRAME = "ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {what}\n{count}\nITEM: BOX BOUNDS pp pp pp\n"
FRAME += "0 4\n0 4\n0 4\nITEM: {what} {columns}\n{rows}"


def test_the_command_takes_frames_of_the_same_step(tmp_path, capsys):
    """An empty frame of contacts is a frame: its stress is that of the motion."""
    columns = "id x y z vx vy vz mass"
    grains = "".join(
        FRAME.format(step=step, what="ATOMS", count=1, columns=columns, rows=f"1 1 2 2 {v} 0 0 1\n")
        for step, v in ((0, 2), (90, 3), (95, 4))
    )
    (tmp_path / "grains").write_text(grains)
    columns = " ".join(["patom1", *SEPARATION, *FORCE, *NORMAL])
    row = "1 1 0 0 64 0 0 1 0 0\n"
    contacts = FRAME.format(step=0, what="ENTRIES", count=1, columns=columns, rows=row)
    contacts += FRAME.format(step=90, what="ENTRIES", count=0, columns=columns, rows="")
    (tmp_path / "contacts").write_text(contacts)
    words = ["fields", str(tmp_path / "grains"), "--contacts", str(tmp_path / "contacts")]
    words += ["--cells", "1", "1", "1", "--width", "0.5", "-o", str(tmp_path / "table")]
    assert commands.main(words) == 2
    told = "".join(capsys.readouterr().err.split())  # lines may end within a long path
    assert "contacts has no frame of step 95, which".replace(" ", "") in told
    assert "last is of step 90: choose a step of both with --step".replace(" ", "") in told
    for step, stress in (("0", 1.0), ("90", 0.0)):  # the contact; the mean velocity is no stress
        assert commands.main([*words, "--step", step]) == 0
        assert pd.read_csv(tmp_path / "table")["stress_xx"][0] == pytest.approx(stress, abs=1e-12)
    assert commands.main([*words, "--step", "5"]) == 2


def test_the_command_writes_the_fields_of_the_last_frame(column, tmp_path, capsys):
    table = tmp_path / "fields.csv"
    where = column.folder
    words = ["fields", str(where / "grains"), "--contacts", str(where / "contacts")]
    words += ["--log", str(column.folder / column.log_file)]
    words += ["--cells", "1", "1", "30", "--width", "0.5", "-o", str(table)]
    lost = tmp_path / "lost"
    head = "ITEM: TIMESTEP\n20000\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS pp pp ff\n"
    lost.write_text(f"{head}0 4\n0 4\n-1 20\nITEM: ENTRIES x y z total\n1 2 3 0.25\n")
    words += ["--losses", str(lost), "--losses", str(lost)]
    assert commands.main(words) == 0
    assert "mass" in capsys.readouterr().out
    found = pd.read_csv(table)
    height = found["z"][1] - found["z"][0]
    assert (found["dissipation"] * 4 * 4 * height).sum() == pytest.approx(0.5, rel=1e-9)
    assert len(found) == 30
    assert found["stress_zz"].max() > 1.0
    assert commands.main([*words[:2], "--width", "0"]) == 2
    assert "width = 0.0 must be > 0" in capsys.readouterr().err
