"""The model of many ranks: its counts are right, and its limits are those that they must be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite.bench import scaling
from pysuite.bench.scaling import Costs

COST = Costs(pair=80e-9, rest=60e-9, ghost=40e-9, edge=1.0, cutoff=1.0)


def test_ghosts_fill_a_shell_around_the_cube():
    assert COST.ghosts(1000) == pytest.approx(12**3 - 10**3)


def test_pairs_across_borders_are_computed_twice():
    """Directions at random: the mean of |cos| is 1/2 for each of the three dimensions."""
    rng = np.random.default_rng(1)
    places = rng.uniform(0.0, 10.0, (200_000, 3))
    ways = rng.normal(size=places.shape)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    across = (((places + ways) < 0.0) | ((places + ways) > 10.0)).any(axis=1).mean()
    # 0.143 +- 0.001; the model leaves out pairs across edges, (3/2L)^2/3 of all
    assert COST.twice(1000) - 1 == pytest.approx(across, abs=0.01)


def test_costs_come_back_from_what_they_give():
    grains = 32_768
    row = pd.Series(
        {
            "grains": grains,
            "ghosts": COST.ghosts(grains),
            "spacing": 1.1 * COST.edge,
            "cutoff": 1.1 * COST.cutoff,
            "diameter": 1.1,
            "pair_ms": 1e3 * grains * COST.pair * COST.twice(grains),
            "comm_ms": 1e3 * COST.ghosts(grains) * COST.ghost,
            "loop_ms": 1e3 * COST.step(grains, 1),
        }
    )
    found = scaling.costs(row)
    for name in ("pair", "rest", "ghost", "edge", "cutoff"):
        assert getattr(found, name) == pytest.approx(getattr(COST, name))


def test_large_cubes_scale_and_small_ones_do_not():
    table = scaling.weak(COST, 1000, (100, 10_000, 1_000_000))
    assert table["efficiency"].is_monotonic_increasing
    assert table["efficiency"].iloc[0] < 0.6
    assert table["efficiency"].iloc[-1] > 0.9
    assert table["in_all"].iloc[-1] == 10**9
    shares = table["borders"] + table["messages"]
    inner = table["grains"] * (COST.pair + COST.rest) / table["step"]
    np.testing.assert_allclose(shares + inner, 1.0)


def test_one_rank_sends_no_messages():
    table = scaling.strong(COST, 100_000, (1, 10, 100))
    assert COST.messages(100_000, 1) == 0.0
    assert table["speed_up"].iloc[0] == 1.0
    assert (np.diff(table["efficiency"]) < 0.0).all()
