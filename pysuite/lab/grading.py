"""Size distributions of grains by mass, as measured by sieves, and their samples.

>>> grading = Grading.of_sieves([(1.0, 0.0), (2.0, 1.0)])
>>> float(grading.quantile(0.5).round(6))
1.414214
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import special

Array = NDArray[np.float64]

POINTS = 4001
TAIL = 0.01  # mass fraction that is cut off at an end of a distribution without a given limit
WIDE = 3.0  # ratio of diameters above which neighbour lists use collections
AROUND = np.array(list(np.ndindex(3, 3, 3))) - 1  # steps from a cell to itself and its neighbours
TRIES = 5000  # attempts per grain, of eight positions each
ROUND_OFF = 1e-9  # diameters with a smaller relative difference are treated as equal
OCTAVE = 2.0  # ratio of diameters within a collection


@dataclass(frozen=True)
class Grading:
    """A distribution of diameters by mass.

    Attributes:
        diameter: array of shape (n,) with increasing diameters.
        passing: array of shape (n,) with the fraction of the mass that is finer than each diameter.
            The fraction grows from 0 to 1. Between two diameters, the fraction is linear in the
            logarithm of the diameter.
        name: description in words.
        left_out: two mass fractions of the given distribution: the fraction that is finer than the
            simulated range, and the fraction that is coarser.
    """

    diameter: Array
    passing: Array
    name: str
    left_out: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of_sieves(cls, table: Sequence[tuple[float, float]]) -> Grading:
        """Return the grading of a sieve table.

        Each row of the table is (opening, fraction of the mass that passes). Raises ValueError
        unless openings increase and fractions grow from 0 to 1.
        """
        rows = np.asarray(table, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < 2:
            raise ValueError("must have at least two rows of [opening, fraction passing]")
        size, passing = rows.T
        if not (size[0] > 0.0 and (np.diff(size) > 0.0).all() and np.isfinite(size).all()):
            raise ValueError("must list openings > 0 that increase from row to row")
        if not (passing[0] == 0.0 and passing[-1] == 1.0 and (np.diff(passing) >= 0.0).all()):
            raise ValueError(
                "must list fractions that grow from 0 in the first row to 1 in the last row:"
                " the first sieve must retain all grains, and the last sieve must let all pass"
            )
        name = f"sieve table of {len(rows)} openings"
        # keep the last sieve that nothing passes, the first that everything passes, and all between
        first, last = (
            int(np.flatnonzero(passing == 0.0)[-1]),
            int(np.flatnonzero(passing == 1.0)[0]),
        )
        return cls(size[first : last + 1], passing[first : last + 1], name)

    @classmethod
    def of_one_size(cls, diameter: float) -> Grading:
        """Return the grading of equal grains. Raises ValueError unless diameter > 0."""
        _must_exceed(0.0, diameter=diameter)
        size = np.array([diameter, diameter * (1.0 + 1e-12)])
        return cls(size, np.array([0.0, 1.0]), "one size")

    @classmethod
    def uniform(cls, smallest: float, largest: float) -> Grading:
        """Return a grading with equal mass in equal intervals of diameter.

        Raises ValueError unless 0 < smallest < largest.
        """
        _must_exceed(0.0, smallest=smallest)
        _must_exceed(smallest, largest=largest)
        size = np.linspace(smallest, largest, POINTS)
        passing = (size - smallest) / (largest - smallest)
        return cls(size, passing, "uniform by mass")

    @classmethod
    def lognormal(
        cls,
        median: float,
        deviation: float,
        smallest: float | None = None,
        largest: float | None = None,
    ) -> Grading:
        """Return a log-normal distribution by mass.

        `deviation` is the geometric standard deviation, d84/d50. Raises ValueError unless deviation
        > 1 and median > 0.
        """
        _must_exceed(0.0, median=median)
        _must_exceed(1.0, deviation=deviation)
        spread = np.log(deviation)

        def passing(size: Array) -> Array:
            return np.asarray(special.ndtr(np.log(size / median) / spread))

        ends = [median * np.exp(spread * special.ndtri(q)) for q in (TAIL, 1.0 - TAIL)]
        return cls._cut(passing, ends, smallest, largest, "log-normal by mass")

    @classmethod
    def rosin_rammler(
        cls,
        size: float,
        exponent: float,
        smallest: float | None = None,
        largest: float | None = None,
    ) -> Grading:
        """Return the Rosin-Rammler distribution, passing = 1 - exp(-(d/size)^exponent).

        Raises ValueError unless size > 0 and exponent > 0.
        """
        _must_exceed(0.0, size=size, exponent=exponent)

        def passing(diameter: Array) -> Array:
            return np.asarray(-np.expm1(-((diameter / size) ** exponent)))

        ends = [size * (-np.log1p(-q)) ** (1.0 / exponent) for q in (TAIL, 1.0 - TAIL)]
        return cls._cut(passing, ends, smallest, largest, "Rosin-Rammler")

    @classmethod
    def _cut(
        cls,
        law: Callable[[Array], Array],
        ends: Sequence[float],
        smallest: float | None,
        largest: float | None,
        name: str,
    ) -> Grading:
        low = ends[0] if smallest is None else smallest
        high = ends[1] if largest is None else largest
        if not low < high:
            raise ValueError(f"must have smallest < largest, not {low:g} and {high:g}")
        size = np.geomspace(low, high, POINTS)
        whole = law(size)
        if not whole[-1] - whole[0] > 0.0:
            raise ValueError(f"has no mass between smallest = {low:g} and largest = {high:g}")
        passing = (whole - whole[0]) / (whole[-1] - whole[0])
        return cls(size, passing, name, (float(whole[0]), float(1.0 - whole[-1])))

    @property
    def smallest(self) -> float:
        """The smallest diameter."""
        return float(self.diameter[0])

    @property
    def largest(self) -> float:
        """The largest diameter."""
        return float(self.diameter[-1])

    @property
    def is_one_size(self) -> bool:
        """True if all grains have the same size, up to round-off."""
        return self.largest <= self.smallest * (1.0 + ROUND_OFF)

    @property
    def median(self) -> float:
        """Median diameter d50 by mass."""
        return float(self.quantile(0.5))

    def quantile(self, passing: ArrayLike) -> Array:
        """Return the diameters below which these fractions of the mass lie."""
        where = np.interp(np.asarray(passing), self.passing, np.log(self.diameter))
        return np.asarray(np.exp(where))

    def finer(self, diameter: ArrayLike) -> Array:
        """Return the fraction of the mass that is finer than these diameters."""
        return np.asarray(
            np.interp(np.log(np.asarray(diameter)), np.log(self.diameter), self.passing)
        )

    def mean_volume(self) -> float:
        """Return the mean volume of a grain, averaged over the number of grains."""
        size, mass = self._classes()
        volume = np.pi / 6.0 * size**3
        return float(mass.sum() / (mass / volume).sum())

    def sample(self, count: int, random: np.random.Generator) -> Array:
        """Return the diameters of a sample of grains: shape (count,), largest first.

        The distribution by number is divided into `count` equal parts, and one grain is drawn from
        each part. Therefore the sieve curve of the sample scatters less than with independent
        draws. If less than one grain of a size is expected in the sample, as often for the largest
        size, a grain of this size is drawn with a probability equal to the expected number.
        """
        size, mass = self._classes()
        number = np.cumsum(mass / size**3)
        part = (np.arange(count) + random.random(count)) / count
        edges = np.concatenate([[0.0], number / number[-1]])
        logs = np.log(np.concatenate([self._edges()[:1], self._edges()[1:]]))
        return np.exp(np.interp(part, edges, logs))[::-1].copy()

    def _edges(self) -> Array:
        knots = np.geomspace(self.smallest, self.largest, POINTS)
        inside = self.diameter[(self.diameter > knots[0]) & (self.diameter < knots[-1])]
        return np.unique(np.concatenate([knots, inside]))

    def _classes(self) -> tuple[Array, Array]:
        edges = self._edges()
        return np.sqrt(edges[1:] * edges[:-1]), np.diff(self.finer(edges))

    def sieve_curve(self, diameters: ArrayLike) -> pd.DataFrame:
        """Return the sieve curve of a sample next to the specified curve.

        Columns are "opening" and the fractions of the mass that pass: "wanted" as specified, and
        "drawn" in the sample. If all grains have the same size, the table has one row.
        """
        sizes = np.sort(np.asarray(diameters, dtype=float))
        mass = np.cumsum(sizes**3)
        if self.is_one_size:
            openings, wanted = self.diameter[:1], np.ones(1)
        else:
            few = len(self.diameter) <= 40
            openings = self.diameter if few else self.quantile(np.linspace(0.0, 1.0, 21))
            wanted = self.finer(openings)
        below = np.searchsorted(sizes, openings * (1.0 + ROUND_OFF), side="right")
        drawn = np.where(below > 0, mass[below - 1], 0.0) / mass[-1]
        return pd.DataFrame({"opening": openings, "wanted": wanted, "drawn": drawn})

    def collections(self) -> Array:
        """Return the upper diameters of the collections for `neighbor multi`.

        The array is empty if all sizes are similar.
        """
        ratio = self.largest / self.smallest
        if ratio < WIDE:
            return np.empty(0)
        count = int(np.ceil(np.log(ratio) / np.log(OCTAVE)))
        bounds = np.geomspace(self.smallest, self.largest, count + 1)[1:]
        bounds[-1] *= 1.0 + 1e-6  # rounding must not exclude the largest grain
        return np.asarray(bounds)


@dataclass(frozen=True)
class Space:
    """Space in which grains are placed: a box, or a cylinder inside a box along x, y or z.

    Attributes:
        low, high: corners of the box. A cylinder touches the sides of the box.
        axis: number of the cylinder's axis, from 0 to 2, or None for a box.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    axis: int | None = None
    periodic: tuple[bool, bool, bool] = (False, False, False)

    @property
    def volume(self) -> float:
        """The volume."""
        sides = np.subtract(self.high, self.low)
        return float(np.prod(sides) * (1.0 if self.axis is None else np.pi / 4.0))

    def place(self, diameters: ArrayLike, random: np.random.Generator) -> Array:
        """Place grains without overlap, and return their centres: shape (grains, 3).

        Raises ValueError if no room is found for a grain.
        """
        low, high = np.array(self.low), np.array(self.high)
        sides = np.where(self.periodic, high - low, np.inf)
        wall = ~np.array(self.periodic)
        radii = 0.5 * np.asarray(diameters, dtype=float)
        centres = np.empty((len(radii), 3))
        round_plane = [n for n in range(3) if n != self.axis]
        middle = 0.5 * (low + high)
        # no cell is smaller than the largest grain: only grains in neighbouring cells can overlap
        cells: dict[tuple[int, ...], list[int]] = {}
        counts = np.maximum(1, ((high - low) / (2.0 * radii.max())).astype(int))

        def cell_of(centre: Array) -> Array:
            return np.clip(((centre - low) / (high - low) * counts).astype(int), 0, counts - 1)

        def free(centre: Array, radius: float) -> bool:
            around = cell_of(centre) + AROUND
            around = np.where(wall, around, around % counts)
            near = [n for cell in set(map(tuple, around.tolist())) for n in cells.get(cell, ())]
            apart = centre - centres[near]
            apart -= np.where(wall, 0.0, sides) * np.round(apart / sides)
            return bool(((apart**2).sum(axis=1) > (radii[near] + radius) ** 2).all())

        for n, radius in enumerate(radii):
            for _ in range(TRIES):
                margin = radius * wall
                tries = low + margin + random.random((8, 3)) * (high - low - 2.0 * margin)
                if self.axis is not None:
                    inner = 0.5 * (high - low)[round_plane[0]] - radius
                    away = np.linalg.norm((tries - middle)[:, round_plane], axis=1)
                    tries = tries[away <= inner]
                found = next((centre for centre in tries if free(centre, radius)), None)
                if found is not None:
                    centres[n] = found
                    cells.setdefault(tuple(cell_of(found).tolist()), []).append(n)
                    break
            else:
                part = np.pi / 6.0 * float((8.0 * radii**3).sum()) / self.volume
                raise ValueError(
                    f"no room for grain {n + 1} of {len(radii)}: all grains would fill {part:.2f}"
                    " of the space, so the space is too small"
                )
        return centres


def _must_exceed(bound: float, **given: float) -> None:
    for name, value in given.items():
        if not bound < value < np.inf:
            raise ValueError(f"{name} = {value:g} must be > {bound:g} and finite")
