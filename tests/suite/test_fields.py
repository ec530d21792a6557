"""Coarse-grained fields conserve mass. At rest, stress is the weight per area of grains above."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from pysuite import commands, engine, measure, shapes
from pysuite.contacts import FORCE, NORMAL, SEPARATION, joined
from pysuite.measure.fields import fields, grid, read_box
from pysuite.measure.volumes import Box, Volume, around, block, region
from pysuite.outputs import pair_local

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
  tangential linear_history 600 1 0.5 zplane 0 NULL local
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
write_dump all local floor index f_floor[*] modify format float %.17g
write_dump all local contacts index c_ends[*] c_pair[*] modify format float %.17g
compute near all property/local patom1 patom2 cutoff radius
compute touch all pair/local dist force &
  {pair_local("separation_x", "separation_y", "separation_z", "gap")} &
  {pair_local("friction_x", "friction_y", "friction_z")} cutoff radius
run 0
write_dump all local touching index c_near[*] c_touch[*] modify format float %.17g
"""


@pytest.fixture(scope="module")
def column():
    return engine.run(SCRIPT)


def test_mass_is_conserved(column):
    grains = column.dump("grains")
    box = read_box(column.folder / "grains")
    assert box.periodic == (True, True, False)
    volume = around(grains, box)
    for cells, width in (((1, 1, 40), 0.5), ((5, 4, 20), 0.8)):
        found = fields(grains, grid(volume, cells), width, box=box, volume=volume)
        assert len(found) == np.prod(cells)
        mass = (found["density"] * found["volume"]).sum()
        assert mass == pytest.approx(grains["mass"].sum(), rel=1e-10)
    assert found["volume"].sum() == pytest.approx(16 * np.ptp(volume.ends[2]), rel=1e-12)


def lattice(counts, radius=0.5, mass=0.5):
    places = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in counts], indexing="ij"), -1)
    grains = pd.DataFrame(places.reshape(-1, 3), columns=list("xyz"))
    grains[["vx", "vy", "vz"]] = 0.0
    return grains.assign(id=np.arange(len(grains)) + 1, radius=radius, mass=mass)


@pytest.mark.parametrize("cells", [(1, 1, 14), (3, 2, 7), (8, 1, 1)])
def test_a_lattice_has_its_density_up_to_the_walls(cells):
    grains = lattice((5, 4, 9))
    volume = around(grains)
    np.testing.assert_allclose(volume.ends, [[0, 5], [0, 4], [0, 9]])
    found = fields(grains, grid(volume, cells), 0.6, volume=volume)
    # between lattice planes, the sum of the Gaussians varies by the fraction 2 exp(-2 pi^2 0.6^2)
    np.testing.assert_allclose(found["density"], 0.5, rtol=2e-3)


@pytest.mark.parametrize("kind", ["cylinder", "mesh"])
def test_a_lattice_in_a_cylinder_has_its_density_up_to_the_wall(kind, tmp_path):
    grains = lattice((90, 90, 4))
    grains[["x", "y"]] -= 45.0
    grains["z"] -= 2.0
    shapes.cylinder(1.0, 0.1, sides=96).write(tmp_path / "pipe.stl")
    words = ["cylinder", "z", "0", "0", "40", "-2", "2"]
    words = words if kind == "cylinder" else ["mesh", str(tmp_path / "pipe.stl"), "40"]
    volume = region(words, grains)
    np.testing.assert_allclose(volume.ends, [[-40, 40], [-40, 40], [-2, 2]], atol=1e-5)
    inside = measure.bulk_density(grains, volume)
    assert inside.density == pytest.approx(0.5, rel=2e-3)
    for cells, least, tolerance in (((1, 1, 8), 8, 0.005), ((5, 5, 1), 25, 0.03)):
        found = fields(grains, grid(volume, cells), 0.8, volume=volume)
        assert (found["volume"] > 0).sum() == least
        np.testing.assert_allclose(found["density"], 0.5, rtol=tolerance)
        mass = (found["density"] * found["volume"]).sum()
        assert mass == pytest.approx(inside.mass, rel=1e-9)
        assert found["volume"].sum() == pytest.approx(6400 * np.pi, rel=2e-3)


def test_a_border_within_a_lattice_leaves_its_density():
    grains = lattice((9, 9, 9))
    for low in ((1.3, 2.1, 1.8), (2.0, 2.0, 2.0), (2.5, 2.5, 2.5)):
        ends = [one for place in low for one in (place, place + 5.0)]
        volume = block(ends, grains)
        found = fields(grains, grid(volume, (1, 1, 4)), 0.6, volume=volume)
        mean = (found["density"] * found["volume"]).sum() / found["volume"].sum()
        assert mean == pytest.approx(0.5, rel=1e-12)
        np.testing.assert_allclose(found["density"], 0.5, rtol=0.1)


def test_cells_outside_of_the_region_are_nan():
    grains = lattice((30, 30, 4))
    volume = region(["cylinder", "z", "15", "15", "10", "INF", "INF"], grains)
    assert list(volume.ends[2]) == [0.0, 4.0]
    found = fields(grains, grid(volume, (40, 40, 1)), 0.3, volume=volume)
    corner = np.hypot(found["x"] - 15, found["y"] - 15) > 12
    assert corner.any()
    assert found.loc[corner, ["volume", "density", "stress_xx"]].isna().all(axis=None)


def test_a_block_across_periodic_sides_holds_what_lies_there():
    grains = lattice((4, 4, 4))
    box = Box(np.array([[0.0, 4.0]] * 3), (True, True, False))
    volume = region(["block", "3", "5", "0", "4", "INF", "INF"], grains, box)
    found = fields(grains, grid(volume, (1, 1, 1)), 0.5, box=box, volume=volume)
    assert found["volume"][0] == pytest.approx(32)
    assert found["density"][0] == pytest.approx(0.5, rel=1e-12)
    with pytest.raises(
        ValueError, match=r"xlo = 0 and xhi = 5 must not be further apart than .*, 4"
    ):
        block([0, 5, 0, 4, 0, 4], grains, box)


def test_the_pressure_at_the_floor_is_the_weight_per_area(column):
    """The mean stress is the sum of m g z over all grains, divided by the volume."""
    grains, contacts = column.dump("grains"), column.local("contacts")
    floor = column.local("floor")
    box = read_box(column.folder / "grains")
    volume = around(grains, box)

    def found(walls):
        edges = grid(volume, (1, 1, 40))
        return fields(grains, edges, 0.2, contacts=contacts, walls=walls, box=box, volume=volume)

    table = found([floor])
    weight = grains["mass"].sum()  # g = 1
    moment = (grains["mass"] * (grains["z"] - volume.ends[2, 0])).sum()
    assert (table["stress_zz"] * table["volume"]).sum() == pytest.approx(moment, rel=0.01)
    # The floor cuts off the Gaussian of the lowest cell. The mean height of this Gaussian is 0.8 of
    # its width.
    assert table["stress_zz"][0] == pytest.approx(weight / 16, rel=0.05)
    assert found([])["stress_zz"][0] < 0.5 * weight / 16


def test_the_stress_in_a_column_at_rest_is_the_weight_above(column):
    grains, contacts = column.dump("grains"), column.local("contacts")
    box = read_box(column.folder / "grains")
    edges = [np.array([0.0, 4.0]), np.array([0.0, 4.0]), np.linspace(-4.0, 13.0, 171)]
    found = fields(grains, edges, 0.5, contacts=contacts, box=box)
    above = found["density"].to_numpy()[::-1].cumsum()[::-1] * 0.1
    above -= 0.5 * 0.1 * found["density"].to_numpy()  # above the middle of the cell
    # cells higher than the floor contacts, with more than a tenth of the total weight above them
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
    found = fields(grains, grid(Volume(box.ends), (1, 1, 1)), 1.0, box=box)
    (row,) = (row for _, row in found.iterrows())
    assert row["density"] == pytest.approx(n * 0.5 / 1000, rel=1e-12)
    # The tolerances are four standard errors. The standard error of the mean is 2/sqrt(n), that of
    # the variance is 4 sqrt(2/(3n)).
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
    unnamed = pd.DataFrame({"c_ends[1]": [1], "c_pair[1]": 1.0})
    with pytest.raises(ValueError, match=r"patom1: if .* c_ends\[1\], c_pair\[1\], .* --log"):
        fields(grains, edges, 1, contacts=unnamed)
    contacts = pd.DataFrame({"patom1": [1], "force": 1.0, **dict.fromkeys(SEPARATION, 1.0)})
    word = re.escape(pair_local("force_x"))
    with pytest.raises(ValueError, match=f"no column force_x: add the word {word} to compute"):
        fields(grains, edges, 1, contacts=contacts)
    aslant = contacts.assign(**dict.fromkeys(FORCE, 1.0), normal_x=1.0, normal_y=0.0, normal_z=0.0)
    with pytest.raises(ValueError, match="no column point_x"):
        fields(grains.assign(id=1), edges, 1, contacts=aslant)


def test_volumes_that_cannot_be_are_refused(tmp_path):
    grains = lattice((2, 2, 2))
    for words, message in (
        ("ball 0 0 0 1", "region ball 0 0 0 1 must be cylinder x|y|z C1 C2 RADIUS LO HI"),
        ("cylinder z 0 0 1 0", "region cylinder z 0 0 1 0 must be"),
        ("cylinder z 0 0 -1 0 1", "radius -1 must be > 0"),
        ("cylinder z 0 0 one 0 1", "region: one must be a number or INF"),
        ("block 0 1 2 1 0 1", "ylo = 2 must be < yhi = 1"),
        ("mesh part.stl 0", "scale 0 must be > 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            region(words.split(), grains)
    with pytest.raises(FileNotFoundError, match="No such file"):
        region(["mesh", str(tmp_path / "part.stl")], grains)
    cube = shapes.cube(1.0)
    shapes.Mesh(cube.points, cube.triangles[1:]).write(tmp_path / "open.stl")
    with pytest.raises(ValueError, match=r"region mesh: .*open\.stl: the mesh is open: 3 edges"):
        region(["mesh", str(tmp_path / "open.stl")], grains)
    with pytest.raises(ValueError, match="the table of grains has no column radius"):
        around(grains.drop(columns="radius"))
    with pytest.raises(ValueError, match="the table of grains is empty"):
        around(grains[:0])
    walls = pd.DataFrame([[9, 0, 0, 0, 0, 0, 1]], columns=["id", *"xyz", *FORCE])
    with pytest.raises(ValueError, match="a contact has grain 9, which is not in the table"):
        fields(grains, 3 * [[0.0, 2.0]], 1, walls=[walls])


def test_tables_of_different_steps_are_refused():
    columns = ["step", "id", "x", "y", "z", "vx", "vy", "vz", "mass"]
    grains = pd.DataFrame([[95, 1, 0, 0, 0, 0, 0, 0, 1.0]], columns=columns)
    contacts = pd.DataFrame({"step": [0], "patom1": [1]})
    lost = pd.DataFrame({"step": [90], "x": [0.0], "y": 0.0, "z": 0.0, "total": 0.0})
    message = "of contacts is of step 0, but the table of grains is of step 95"
    with pytest.raises(ValueError, match=message):
        fields(grains, 3 * [[0.0, 1.0]], 1, contacts=contacts)
    with pytest.raises(ValueError, match=message):
        measure.coordination(grains, contacts.assign(patom2=1))
    with pytest.raises(
        ValueError, match="of losses 1 is of step 90, but the table of grains is of step 95"
    ):
        fields(grains, 3 * [[0.0, 1.0]], 1, losses=[lost])


FRAME = "ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {what}\n{count}\nITEM: BOX BOUNDS pp pp pp\n"
FRAME += "0 4\n0 4\n0 4\nITEM: {what} {columns}\n{rows}"


def test_the_command_takes_frames_of_the_same_step(tmp_path, capsys):
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
    told = "".join(capsys.readouterr().err.split())  # lines may be wrapped
    assert "contacts has no frame of step 95, which".replace(" ", "") in told
    assert "at step 90: use --step with a step that both dumps have".replace(" ", "") in told
    for step, stress in (("0", 1.0), ("90", 0.0)):
        assert commands.main([*words, "--step", step]) == 0
        assert pd.read_csv(tmp_path / "table")["stress_xx"][0] == pytest.approx(stress, abs=1e-12)
    assert commands.main([*words, "--step", "5"]) == 2
    capsys.readouterr()
    for text, told in (("", "the file is empty"), ("1 2 3", "not a text dump")):
        (tmp_path / "contacts").write_text(text)
        assert commands.main(words) == 2
        assert f"{tmp_path}/contacts: {told}" in capsys.readouterr().err.replace("\n", "")


def test_the_command_leaves_out_frames_that_are_incomplete(tmp_path, capsys):
    columns = "id x y z vx vy vz mass"
    grains = "".join(
        FRAME.format(step=step, what="ATOMS", count=1, columns=columns, rows=f"1 1 2 2 {v} 0 0 1\n")
        for step, v in ((90, 3), (95, 4))
    )
    (tmp_path / "grains").write_text(grains[:-4])
    columns = " ".join(["patom1", *SEPARATION, *FORCE, *NORMAL])
    contacts = FRAME.format(step=90, what="ENTRIES", count=1, columns=columns, rows="")
    (tmp_path / "contacts").write_text(contacts)
    words = ["fields", str(tmp_path / "grains"), "--cells", "1", "1", "1", "--width", "0.5"]
    words += ["-o", str(tmp_path / "table")]
    assert commands.main(words) == 0
    told = "".join(capsys.readouterr().err.split())
    assert told.count("grains: the frame of step 95 is incomplete".replace(" ", "")) == 1
    assert pd.read_csv(tmp_path / "table")["velocity_x"].tolist() == pytest.approx([3])
    assert commands.main([*words, "--step", "95"]) == 2
    told = "".join(capsys.readouterr().err.split())
    assert "grains: the frame of step 95 is incomplete".replace(" ", "") in told
    for option in ("--contacts", "--walls", "--losses"):
        assert commands.main([*words, option, str(tmp_path / "contacts")]) == 2
        told = "".join(capsys.readouterr().err.split())
        assert "contacts: the frame of step 90 is incomplete".replace(" ", "") in told


def test_the_command_writes_the_fields_of_the_last_frame(column, tmp_path, capsys):
    table = tmp_path / "fields.csv"
    where = column.folder
    words = ["fields", str(where / "grains"), "--contacts", str(where / "contacts")]
    words += ["--log", str(column.folder / column.log_file), "--walls", str(where / "floor")]
    words += ["--cells", "1", "1", "30", "--width", "0.5", "-o", str(table)]
    lost = tmp_path / "lost"
    head = "ITEM: TIMESTEP\n20000\nITEM: NUMBER OF ENTRIES\n1\nITEM: BOX BOUNDS pp pp ff\n"
    lost.write_text(f"{head}0 4\n0 4\n-1 20\nITEM: ENTRIES x y z total\n1 2 3 0.25\n")
    words += ["--losses", str(lost), "--losses", str(lost)]
    assert commands.main(words) == 0
    mass = f"{column.dump('grains')['mass'].sum():.10g}"
    told = capsys.readouterr().out
    assert "averaged over the box around the grains, x = 0 to 4, y = 0 to 4, z = " in told
    assert f"mass inside {mass}, mass of all grains {mass}" in told
    found = pd.read_csv(table)
    pairs = column.local("contacts")
    assert len(column.local("touching")) == joined(pairs).sum() < len(pairs)
    words[3] = str(where / "touching")  # this dump was written with `cutoff radius`
    assert commands.main([*words, "-o", str(tmp_path / "same")]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "same"), found, rtol=1e-12, atol=1e-12)
    height = found["z"][1] - found["z"][0]
    assert (found["dissipation"] * 4 * 4 * height).sum() == pytest.approx(0.5, rel=1e-9)
    assert len(found) == 30
    assert found["stress_zz"].max() > 3.0
    assert commands.main([*words[:2], "--width", "0"]) == 2
    assert "--width 0 must be > 0" in capsys.readouterr().err


def test_the_command_checks_its_options_before_the_columns(tmp_path, capsys):
    dump = tmp_path / "grains"
    dump.write_text("ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n0\n")
    assert commands.main(["fields", str(dump), "--width", "-1"]) == 2
    assert "--width -1 must be > 0" in capsys.readouterr().err


def test_the_command_averages_over_a_region_or_a_box(column, capsys):
    words = ["fields", str(column.folder / "grains"), "--width", "0.5", "--cells", "1", "1", "1"]
    assert commands.main([*words, "--region", *["cylinder", "z", "2", "2", "1.5", "0", "4"]]) == 0
    told = capsys.readouterr().out
    assert "averaged over the cylinder of radius 1.5 along z, x = 0.5 to 3.5" in told
    assert f"volume {np.pi * 2.25 * 4:.2f}" in told
    assert commands.main([*words, "--box", *["0", "4", "0", "4", "0", "inf"]]) == 0
    assert "averaged over the box, x = 0 to 4, y = 0 to 4, z = 0 to " in capsys.readouterr().out
    assert commands.main([*words, "--region", "mesh", "nowhere.stl"]) == 2
    assert "nowhere.stl: No such file" in capsys.readouterr().err


def test_the_command_remarks_on_a_volume_that_is_empty_or_too_large(column, tmp_path, capsys):
    dump = column.folder / "grains"
    words = ["--width", "0.5", "--cells", "1", "1", "2"]
    shapes.box(3.9, 3.9, 8000.0).write(tmp_path / "tall.stl")
    mesh = ["--region", "mesh", str(tmp_path / "tall.stl")]
    assert commands.main(["fields", str(dump), *words, *mesh]) == 0
    assert "% of this volume: check its bounds and its scale" in capsys.readouterr().out
    assert commands.main(["fields", str(dump), *words]) == 0
    assert "of this volume" not in capsys.readouterr().out
    points = tmp_path / "points"
    points.write_text(
        FRAME.format(
            step=0,
            what="ATOMS",
            count=1,
            columns="id x y z vx vy vz mass",
            rows="1 1 2 3 0 0 0 1\n",
        )
    )
    for grains, box, where in (
        (dump, ["0", "4", "0", "4", "50", "60"], "x = 0 to 4, y = 0 to 4, z = 50 to 60"),
        (
            points,
            ["0", "4", "0", "4", "0", "2.9"],
            "are in the range x = 1 to 1, y = 2 to 2, z = 3 to 3",
        ),
    ):
        assert commands.main(["fields", str(grains), *words, "--box", *box]) == 2
        told = " ".join(capsys.readouterr().err.split())
        assert "no grain is inside the box, x = 0 to 4" in told
        assert where in told
    assert commands.main(["fields", str(points), *words, "--box", *box[:5], "3.1"]) == 0
