"""`pysuite grains` writes a data file of grains whose sizes are specified in a TOML file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pysuite import commands, engine, meshes
from pysuite.lab import SettingsError, feeding

SIEVE = """
mass = 0.02
box = [[0, 0.05], [0, 0.05], [0, 0.08]]
periodic = "xy"

[[species]]
density = 2650
sieve = [[1e-3, 0], [2e-3, 0.4], [4e-3, 1]]
fraction = 0.7

[[species]]
density = 1200
rosin_rammler = { size = 3e-3, exponent = 4, smallest = 1e-3, largest = 5e-3 }
fraction = 0.3
"""


def atoms(data: Path) -> np.ndarray:
    """Return type, diameter, density and position of each grain in an array of shape (n, 6)."""
    lines = data.read_text().split("Atoms # sphere")[1].split("Velocities")[0].split("\n")
    return np.array([line.split()[1:7] for line in lines if line.strip()], dtype=float)


def test_a_sieve_table_becomes_a_data_file(tmp_path, capsys):
    (tmp_path / "sand.toml").write_text(SIEVE)
    data = tmp_path / "sand.data"
    assert commands.main(["grains", str(tmp_path / "sand.toml"), "-o", str(data)]) == 0
    shown = capsys.readouterr().out
    assert "0.002    0.4000" in shown
    grains = atoms(data)
    mass = np.pi / 6.0 * grains[:, 2] * grains[:, 1] ** 3
    largest = mass.max()
    assert mass.sum() == pytest.approx(0.02, abs=0.5 * largest)
    sand = grains[:, 0] == 1
    assert mass[sand].sum() == pytest.approx(0.7 * mass.sum(), abs=largest)
    finer = mass[sand & (grains[:, 1] <= 2e-3)].sum() / mass[sand].sum()
    assert finer == pytest.approx(0.4, abs=largest / mass[sand].sum())
    place, radius = grains[:, 3:6], 0.5 * grains[:, 1]
    apart = place[:, None] - place[None]
    apart[..., :2] -= 0.05 * np.round(apart[..., :2] / 0.05)
    gap = np.linalg.norm(apart, axis=2) - radius[:, None] - radius[None]
    np.fill_diagonal(gap, 1.0)
    assert gap.min() >= 0.0
    run = engine.run(
        f"units si\natom_style sphere\nboundary p p f\nread_data {data}\n"
        "pair_style zero 5e-3\npair_coeff * *\nrun 0"
    )
    assert f"{len(grains)} atoms" in run.log
    assert commands.main(["grains", str(tmp_path / "sand.toml"), "-o", str(data)]) == 2
    assert "--overwrite" in capsys.readouterr().err


LAWS = {
    "uniform": {"smallest": 1.0, "largest": 3.0},
    "lognormal": {"median": 1.5, "deviation": 1.4},
    "rosin_rammler": {"size": 1.8, "exponent": 3.0, "smallest": 1.0},
    "sieve": [[1.0, 0.0], [1.4, 0.2], [2.0, 0.9], [3.0, 1.0]],
}


@pytest.mark.parametrize("name", LAWS)
def test_the_sizes_are_those_of_the_laboratory(tmp_path, name):
    """The curves differ by less than the mass of three of the largest grains."""
    settings = feeding.Feed.read(
        {
            "number": 4000,
            "box": [[0.0, 60.0]] * 3,
            "species": [{"density": 1.0, name: LAWS[name]}],
        }
    )
    fed = feeding.feed(settings, tmp_path / "grains.data")
    assert fed.found_room
    assert fed.count == 4000
    (sieve,) = fed.sieves
    largest = np.pi / 6.0 * settings.species[0].grading.largest ** 3
    np.testing.assert_allclose(
        sieve["drawn"], sieve["wanted"], rtol=0, atol=3.0 * largest / fed.mass
    )


def test_grains_fill_a_mesh(tmp_path):
    meshes.write_stl(tmp_path / "bin.stl", meshes.box([0.0, 0.0, 0.0], [1.0, 2.0, 3.0]))
    (tmp_path / "bin.toml").write_text(
        "number = 200\nbox = [[-5, 5], [-5, 5], [-5, 5]]\n"
        '[inside]\nmesh = "bin.stl"\nscale = 1.5\noffset = [1, 0, -2]\n'
        "[[species]]\ndensity = 1\ndiameter = 0.3\n"
    )
    data = tmp_path / "bin.data"
    assert commands.main(["grains", str(tmp_path / "bin.toml"), "-o", str(data)]) == 0
    place = atoms(data)[:, 3:6]
    assert len(place) == 200
    assert (place >= np.array([1.0, 0.0, -2.0]) + 0.15).all()
    assert (place <= np.array([2.5, 3.0, 2.5]) - 0.15).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass = 0.02", "", "mass and number: give exactly one"),
        ("mass = 0.02", "mass = -1", "mass = -1 must be > 0"),
        ("mass = 0.02", "mass = 1\nnumber = 3", "exactly one of the two"),
        ("mass = 0.02", "mas = 0.02", "mas = 0.02 is unknown; did you mean mass?"),
        ('periodic = "xy"', 'periodic = "xw"', "must be axes"),
        ("[0, 0.08]]", "[0, -1]]", "must have lower bounds < upper bounds"),
        ("[0, 0.08]]", "3]", "must be [[xlo, xhi]"),
        ("box = [[0, 0.05], [0, 0.05], [0, 0.08]]", "", "box is missing: give the box of the"),
        ("density = 2650", "density = 0", "density = 0 must be > 0"),
        ("sieve = [[1e-3, 0]", "seive = [[1e-3, 0]", "seive"),
        ("[[1e-3, 0]", "[[1e-3, 0.5]", "must list fractions that grow from 0"),
        ("fraction = 0.7", "fraction = -3", "fraction = -3 must be > 0"),
        ('periodic = "xy"', '[inside]\nmesh = "none.stl"', "must be a file"),
    ],
)
def test_what_cannot_be_is_named(tmp_path, old, new, message):
    assert old in SIEVE
    file = tmp_path / "sand.toml"
    file.write_text(SIEVE.replace(old, new, 1))
    with pytest.raises(SettingsError, match=re.escape(message)):
        feeding.Feed.read(file)


def test_too_few_grains_for_the_largest_sizes_are_told(tmp_path, capsys):
    wide = "lognormal = { median = 1.2e-3, deviation = 1.8 }"
    text = SIEVE.replace("sieve = [[1e-3, 0], [2e-3, 0.4], [4e-3, 1]]", wide)
    (tmp_path / "sand.toml").write_text(text.replace("mass = 0.02", "mass = 4e-4"))
    data = tmp_path / "sand.data"
    assert commands.main(["grains", str(tmp_path / "sand.toml"), "-o", str(data)]) == 0
    assert "differ from the specified curve by up to 0." in capsys.readouterr().out


def test_what_finds_no_room_is_told(tmp_path, capsys):
    (tmp_path / "sand.toml").write_text(SIEVE.replace("mass = 0.02", "mass = 1\ntries = 20"))
    data = tmp_path / "sand.data"
    assert commands.main(["grains", str(tmp_path / "sand.toml"), "-o", str(data)]) == 1
    assert re.search(r"found no room \(mass 0\.9", capsys.readouterr().out)
    assert data.exists()
