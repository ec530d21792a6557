"""Bulk processes: the scripts of all codes have the materials and walls of Dosta et al. (2024)."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pysuite import meshes
from pysuite.validation.setups import bulk, silo_and_drum


@pytest.mark.parametrize("pair", bulk.RESTITUTION)
def test_the_modulus_of_a_pair_is_that_of_both_materials(pair):
    law = bulk.law(*pair, "csds", softer=10.0).split()
    young, restitution, poisson = map(float, law[1:4])
    effective = 10.0 * young / (2.0 * (1.0 - poisson**2))
    compliance = sum((1.0 - bulk.POISSON**2) / bulk.YOUNG[name] for name in pair)
    assert 1.0 / effective == pytest.approx(compliance)
    assert restitution == bulk.RESTITUTION[pair]
    assert bulk.law(*reversed(pair), "csds", softer=10.0).split() == law


def test_friction_is_the_last_number_of_the_tangential_law():
    assert " 0.3 slider" in bulk.law("M1", "M1", "dsds")
    assert " 0.15 slider" in bulk.law("M1", "M1", "dsds", rougher=0.5)


def test_materials_are_the_same_in_other_codes():
    words = bulk.materials_in_liggghts(("M1", "M2", "steel"), softer=2.0)
    (young,) = re.findall(r"youngsModulus peratomtype (.*)", words)
    assert [float(word) for word in young.split()] == [0.5e9, 0.25e9, 105e9]
    (friction,) = re.findall(r"coefficientFriction peratomtypepair 3 (.*)", words)
    matrix = np.array(friction.split(), dtype=float).reshape(3, 3)
    np.testing.assert_allclose(matrix, [[0.3, 0.2, 0.2], [0.2, 0.4, 0.2], [0.2, 0.2, 0.2]])
    lines = bulk.materials_in_yade(("M1", "M2", "steel"), softer=2.0)
    assert "M2 = O.materials.append(FrictMat(young=250000000.0" in lines
    assert f"(M1, M2, {float(np.arctan(0.2))!r})" in lines
    assert "(M1, M2, 0.45)" in lines
    compile(lines, "materials", "exec")


@pytest.mark.parametrize(("orifice", "hole"), [("small", 0.02), ("large", 0.03)])
def test_the_cone_of_the_silo_is_that_of_the_exercise(tmp_path, orifice, hole):
    """The cone is inclined by 45 degrees. It ends at the cylinder, whose radius is 0.1 m."""
    silo = silo_and_drum.Silo(orifice, "M1")
    corners = meshes.read_stl(silo.mesh(tmp_path)).reshape(-1, 3)
    radius, height = np.hypot(*corners.T[:2]), corners[:, 2]
    lowest = np.isclose(height, height.min())
    np.testing.assert_allclose(radius[lowest], hole, rtol=1e-6)
    cone = height < silo.low + 0.1 - hole - 1e-6
    np.testing.assert_allclose((radius - height)[cone], hole - silo.low, rtol=1e-5)
    assert silo.number == 100_000
    assert silo.steps(0.02) == {"every": 6667, "steps": 13334}


def test_the_rate_of_a_silo_is_that_after_it_has_begun():
    counts = [1000, 1000, 990, 970, 940, 900, 880, 860, 840]  # one count per 10 ms
    assert silo_and_drum.rate(counts) == pytest.approx(2000.0)


def test_the_level_of_coarse_grains_in_the_drum():
    assert silo_and_drum._chord(2.0, 2.0 * np.pi) == pytest.approx(0.0)
    assert silo_and_drum._chord(2.0, np.pi) < 0.0


def test_what_is_read_off_a_curve():
    times = np.linspace(0.019, 0.036, 3401)
    curve = np.column_stack([times, -0.07 + 100.0 * (times - 0.0304) ** 2])
    read = bulk.read(curve, 1.0)
    assert read["at 25 ms"] == pytest.approx(-0.07 + 100.0 * 0.0054**2, abs=1e-6)
    assert read["lowest"] == pytest.approx(-0.07 + 100.0 * 0.0004**2, abs=1e-6)
    assert bulk.read(curve * [0.5, 1.0], 0.5) == pytest.approx(read)
