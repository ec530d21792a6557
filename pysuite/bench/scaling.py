"""A model of many ranks: what a step of granular/plus costs beyond the cores that one has.

Ranks own cubes of a packing. What a step takes on a rank is

    T = N (t_rest + t_pair (1 + 3 d/2L)) + G t_ghost + 6 a + 72 G/b + a log2 P

with N grains in a cube of edge L and G ghosts, those within the communication cutoff around it.
With newton off a pair across a border is computed by both ranks: of pairs at the distance d,
oriented at random, 3 d/2L. The times t are measured on one rank, whose periodic images are ghosts
too. A ghost costs 72 bytes (position, velocity, spin) in six messages; the last term is the
question, asked in every step, whether anyone needs a new neighbour list. Latency a and bandwidth b
are assumed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

GHOST_BYTES = 72.0
MESSAGES = 6
LATENCY, BANDWIDTH = 2e-6, 0.4e9  # s, bytes/s: a port of 200 Gbit/s that 64 ranks share


@dataclass(frozen=True)
class Costs:
    """What a packing costs.

    Attributes:
        pair: seconds of Pair per grain and step, without pairs that are computed twice.
        rest: seconds of all else per grain and step, without communication.
        ghost: seconds of communication per ghost and step, within a process.
        edge: of the cube that one grain takes up, in diameters.
        cutoff: of communication, in diameters.
    """

    pair: float
    rest: float
    ghost: float
    edge: float
    cutoff: float

    def ghosts(self, grains: float) -> float:
        """Return the number of ghosts of a cube of so many grains."""
        side = grains ** (1 / 3)
        return (side + 2 * self.cutoff / self.edge) ** 3 - grains

    def alone(self, grains: float) -> float:
        """Return the seconds of a step on one rank with periodic borders."""
        return (
            grains * (self.rest + self.pair * self.twice(grains)) + self.ghosts(grains) * self.ghost
        )

    def twice(self, grains: float) -> float:
        """Return the number of pairs that are computed over those there are."""
        return 1 + 1.5 / (grains ** (1 / 3) * self.edge)

    def messages(self, grains: float, ranks: float) -> float:
        """Return the seconds of a step that go into messages between ranks."""
        if ranks <= 1:
            return 0.0
        bytes_sent = GHOST_BYTES * self.ghosts(grains)
        return LATENCY * (MESSAGES + math.log2(ranks)) + bytes_sent / BANDWIDTH

    def step(self, grains: float, ranks: float) -> float:
        """Return the seconds of a step with so many grains on each of so many ranks."""
        return self.alone(grains) + self.messages(grains, ranks)


def costs(row: pandas.Series) -> Costs:
    """Return the costs of an entry on one rank; a row of `pysuite.bench.performance.summary`."""
    per_step = {name: row[f"{name}_ms"] / 1e3 for name in ("pair", "comm", "loop")}
    grains, ghosts = row["grains"], row["ghosts"]
    shape = Costs(0.0, 0.0, 0.0, row["spacing"] / row["diameter"], row["cutoff"] / row["diameter"])
    rest = per_step["loop"] - per_step["pair"] - per_step["comm"]
    return Costs(
        per_step["pair"] / grains / shape.twice(grains),
        rest / grains,
        per_step["comm"] / ghosts,
        shape.edge,
        shape.cutoff,
    )


def weak(cost: Costs, ranks: int, grains: tuple[int, ...]) -> pandas.DataFrame:
    """Return the prediction for so many grains on each of the ranks.

    Columns: grains (per rank), in_all, ghosts (per grain), step (seconds), borders (the share of a
    step that goes into ghosts and into pairs that are computed twice), messages (share), efficiency
    (time on one rank over that on all).
    """
    import pandas

    rows = []
    for number in grains:
        step = cost.step(number, ranks)
        borders = (
            cost.ghosts(number) * cost.ghost + number * cost.pair * (cost.twice(number) - 1)
        ) / step
        rows.append(
            {
                "grains": number,
                "in_all": number * ranks,
                "ghosts": cost.ghosts(number) / number,
                "step": step,
                "borders": borders,
                "messages": cost.messages(number, ranks) / step,
                "efficiency": cost.alone(number) / step,
            }
        )
    return pandas.DataFrame(rows)


def strong(cost: Costs, grains: int, ranks: tuple[int, ...]) -> pandas.DataFrame:
    """Return the prediction for a packing that is divided between more and more ranks.

    Columns: ranks, grains (per rank), step (seconds), speed_up (over one rank), efficiency (that
    over the ranks).
    """
    import pandas

    rows = []
    for number in ranks:
        step = cost.step(grains / number, number)
        speed_up = cost.step(grains, 1) / step
        rows.append(
            {
                "ranks": number,
                "grains": grains / number,
                "step": step,
                "speed_up": speed_up,
                "efficiency": speed_up / number,
            }
        )
    return pandas.DataFrame(rows)
