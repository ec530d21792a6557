"""Sizes that one rank cannot address are rejected. The check is called directly, without a run."""

from __future__ import annotations

import pytest
from granular_plus import _laws

PARTICLES = (2**32 - 1) // 24  # rows of 24 bytes, whose byte offsets have 32 bits
PAIRS = 2**30 - 1  # a link stores the pair and a side, i or j, in one number


@pytest.mark.parametrize(
    ("particles", "pairs", "named"),
    [
        (PARTICLES, PAIRS, []),
        (PARTICLES + 1, 0, [str(PARTICLES + 1), "atoms", "178956970", "ranks"]),
        (10, PAIRS + 1, [str(PAIRS + 1), "pairs", str(PAIRS), "ranks"]),
        (10, 2**40, [str(2**40)]),
    ],
)
def test_numbers_beyond_the_limits_are_named(particles, pairs, named):
    message = _laws.beyond_limits(particles, pairs)
    assert bool(message) == bool(named)
    for word in named:
        assert word in message
