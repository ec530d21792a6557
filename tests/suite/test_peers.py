"""Comparisons with other codes: what is not there is said to be; no test depends on a time."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from pysuite import cli
from pysuite.bench import peers
from pysuite.cases import CaseError


@pytest.fixture
def alone(tmp_path):
    """No other code."""
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


def test_version_is_that_which_a_code_says(tmp_path):
    program = tmp_path / "other"
    program.write_text(f"#!{sys.executable}\nprint('LAMMPS (4 Jul 2026)')\n")
    program.chmod(0o755)
    assert peers.find(str(program)).version == "LAMMPS 4 Jul 2026"
    program.write_text(f"#!{sys.executable}\nprint('LIGGGHTS (Version LIGGGHTS-PUBLIC 3.8.0, x)')")
    assert peers.find(str(program)).version == "LIGGGHTS-PUBLIC 3.8.0"
    assert peers.find(str(tmp_path / "none")) is None
    program.write_text(f"#!{sys.executable}\nprint('something else')\n")
    with pytest.raises(CaseError, match="says no version"):
        peers.find(str(program))


def test_a_code_that_fails_says_why(tmp_path):
    program = tmp_path / "other"
    program.write_text(f"#!{sys.executable}\nraise SystemExit('ERROR: Unknown fix style')\n")
    program.chmod(0o755)
    with pytest.raises(CaseError, match="Unknown fix style"):
        peers.Code(program, "LAMMPS 1 Jan 2030").run("", tmp_path)


def test_hopper_is_open_below_and_above():
    triangles = peers.hopper(4.0)
    assert triangles[..., 2].min() == 0.0
    radius = np.hypot(triangles[..., 0], triangles[..., 1])
    assert radius.min() == pytest.approx(peers.HOLE)
    assert radius.max() == pytest.approx(peers.RIM)


def test_unknown_comparison_names_those_that_there_are(capsys):
    assert cli.main(["peers", "speed"]) == cli.USAGE
    assert "bounces, collisions" in capsys.readouterr().err
