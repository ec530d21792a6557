"""Comparisons with other codes. Missing codes are reported. No test depends on computing times."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from pysuite import (
    commands,
    engine,
)
from pysuite.bench import peers
from pysuite.commands import terminal
from pysuite.errors import UsageError


@pytest.fixture
def alone(tmp_path):
    return peers.Request(None, None, quick=True, folder=tmp_path)


def test_a_code_that_is_not_installed_is_named_in_the_table(alone, monkeypatch):
    monkeypatch.setattr(peers.bounces, "STEPS", (50,))
    monkeypatch.setattr(peers.bounces, "WALLS", {"icosahedron": peers.bounces.WALLS["icosahedron"]})
    rows = peers.bounce_table(alone).cells.to_dict("records")
    assert [row["code"] for row in rows if row["bounces"] == peers.ABSENT] == [
        "surface/global",
        "surface/global, flat 20",
    ]
    (ours,) = (row for row in rows if row["code"] == "granular/plus")
    assert float(ours["rms, 50 steps"]) < 1e-4
    assert "no other code" in alone.describe()


def test_grains_that_lammps_does_not_have_are_not_left_out(alone, monkeypatch):
    monkeypatch.setattr(peers, "COLLISION_STEPS", (50,))
    monkeypatch.setattr(peers, "GRAINS", {"cubes": peers.GRAINS["cubes"]})
    ours, theirs = peers.collision_table(alone).cells.to_dict("records")
    assert float(ours["rms, 50 steps"]) < 1e-3
    assert theirs["collisions"] == "not possible"


def test_bridges_of_another_code_are_looked_for_pair_by_pair():
    pack = peers.wet_packs.make(2)
    assert pack.place.shape == (8, 3)
    rows = [(stage, 1, j, 0.5, 1.0) for stage in (0, 1) for j in (2, 3)]
    ours = pd.DataFrame(rows, columns=peers.wet_packs.COLUMNS).set_index(
        ["stage", "first", "second"]
    )
    theirs = ours.drop((1, 1, 3)) * [1.0, 1.25]
    stretched = peers.wet_packs.compare(ours, theirs)[0]
    assert (stretched["bridges"], stretched["in one only"]) == ("1", "1")
    assert (stretched["volumes differ by"], stretched["pulls differ by"]) == ("0e+00", "2e-01")


def test_bridges_are_stretched_until_some_rupture(alone, monkeypatch):
    monkeypatch.setattr(peers.wet_packs, "STAGES", (1.0, 1.14, 1.22))
    ours = peers.wet_packs.run_ours(peers.wet_packs.make(3), "willett", alone.folder)
    bridges = ours.groupby("stage").size()
    assert 20 < bridges[1] <= 54
    assert 0 < bridges[2] < bridges[1]
    assert (ours["volume"] == peers.wet_packs.VOLUME).all()
    rows = peers.bridge_table(alone).cells.to_dict("records")
    assert [row["bridges"] for row in rows] == [peers.ABSENT] * 2


def test_the_packing_is_the_same_for_all_codes(alone, monkeypatch):
    lattice = np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3) * 0.98 + 0.5
    packings, cell = peers.packings, alone.folder / "cell.data"
    packings.write_spheres(cell, [(0.0, 3.92)] * 3, lattice, diameter=1.0)
    monkeypatch.setattr(peers.segments, "make_cell", lambda packing, folder: cell)
    rows = peers.packing_table(alone).cells.to_dict("records")
    assert [row["code"] for row in rows if row["s"] == peers.ABSENT] == ["LIGGGHTS", "YADE"]
    assert [row["code"] for row in rows][:3] == list(peers.dense_packs.LAMMPS_STYLES)
    assert all(float(row["s"]) > 0.0 for row in rows[:3])
    folder = alone.folder / "packing"
    grains = np.loadtxt(folder / "grains.txt")
    assert grains.shape == (4 * len(lattice), 4)
    read = engine.run(
        "units lj\natom_style sphere\nboundary p p p\nread_data grains.data\n"
        "run 0\nwrite_dump all custom read x y z diameter modify sort id format float %.17g\n",
        folder=folder,
    )
    there = read.dump("read")[["x", "y", "z", "diameter"]].to_numpy()
    np.testing.assert_allclose(there, grains, rtol=1e-15, atol=1e-15)


def test_yade_says_its_version_and_where_its_script_fails(tmp_path):
    program = tmp_path / "yade"
    program.write_text(f"#!{sys.executable}\nprint('Yade version: 2023.02a ')\n")
    program.chmod(0o755)
    yade = peers.find_yade(str(program))
    assert yade.version == "YADE 2023.02a"
    assert "2023" in yade.run("", tmp_path)
    program.write_text(f"#!{sys.executable}\nprint('Traceback: no ViscElCapMat')\n")
    with pytest.raises(UsageError, match="no ViscElCapMat"):
        yade.run("", tmp_path)
    with pytest.raises(UsageError, match="prints no version"):
        peers.find_yade(str(program))


def test_version_is_that_which_a_code_says(tmp_path):
    program = tmp_path / "other"
    program.write_text(f"#!{sys.executable}\nprint('LAMMPS (4 Jul 2026)')\n")
    program.chmod(0o755)
    assert peers.find(str(program)).version == "LAMMPS 4 Jul 2026"
    program.write_text(f"#!{sys.executable}\nprint('LIGGGHTS (Version LIGGGHTS-PUBLIC 3.8.0, x)')")
    assert peers.find(str(program)).version == "LIGGGHTS-PUBLIC 3.8.0"
    assert peers.find(str(tmp_path / "none")) is None
    program.write_text(f"#!{sys.executable}\nprint('something else')\n")
    with pytest.raises(UsageError, match="prints no version"):
        peers.find(str(program))


def test_a_code_that_fails_says_why(tmp_path):
    program = tmp_path / "other"
    program.write_text(f"#!{sys.executable}\nraise SystemExit('ERROR: Unknown fix style')\n")
    program.chmod(0o755)
    with pytest.raises(UsageError, match="Unknown fix style"):
        peers.Code(program, "LAMMPS 1 Jan 2030").run("", tmp_path)


def test_hopper_is_open_below_and_above():
    triangles = peers.hopper(4.0)
    assert triangles[..., 2].min() == 0.0
    radius = np.hypot(triangles[..., 0], triangles[..., 1])
    assert radius.min() == pytest.approx(peers.HOLE)
    assert radius.max() == pytest.approx(peers.RIM)


def test_unknown_comparison_names_those_that_there_are(capsys):
    assert commands.main(["peers", "speed"]) == terminal.USAGE
    assert "bounces, collisions" in capsys.readouterr().err


def test_a_ball_hits_the_same_bed_in_all_codes(alone, monkeypatch):
    bed = peers.bulk.Bed(0.2)
    pour = peers.partial(engine.run, folder=alone.folder / "pour")
    grains = peers.bulk.pour(pour, bed, 1)
    assert grains.shape == (200, 3)
    assert (np.abs(grains[:, :2]) < bed.high[:2]).all()
    monkeypatch.setattr(peers.bulk, "HALF", 0.2)
    monkeypatch.setattr(peers.bulk, "kept_beds", lambda folder: [grains])
    rows = peers.penetration_table(alone).cells.to_dict("records")
    assert [row["code"] for row in rows if row["at 25 ms, mm"] == peers.ABSENT] == [
        "LIGGGHTS",
        "YADE",
    ]
    curves = pd.read_csv(alone.folder / "penetration.csv")
    assert list(curves["code"]) == ["granular/plus, csds", "granular/plus, dsds"]
    heights = curves.to_numpy()[:, 2:].astype(float)
    assert (heights > bed.low[2]).all()
    assert (heights < 0.0).all()

    impact = peers.bulk.Impact(bed, np.array([[0.0, 0.0, -0.017]]), 40)
    script = peers.bulk.in_liggghts(impact, alone.folder)
    assert f"{alone.folder}" not in script
    assert "Atoms\n" in (alone.folder / "grains.data").read_text()
    compile(peers.bulk.in_yade(impact, alone.folder), "script.py", "exec")
    np.testing.assert_allclose(np.loadtxt(alone.folder / "grains.txt"), impact.grains[0])


def test_the_ball_falls_freely_until_it_is_near(tmp_path):
    bed = peers.bulk.Bed()
    impact = peers.bulk.above(bed, np.array([[0.0, 0.0, -0.061]]))
    height, velocity = bed.flight(impact.begin * peers.bulk.EVERY * peers.bulk.STEP)
    assert 0.002 < height - bed.radius + 0.06 < 0.0023
    # the speed is 5 m/s at a height of 0.06 m
    assert velocity**2 - 5.0**2 == pytest.approx(2 * peers.bulk.GRAVITY * (0.06 - height))
