"""Infer the parameters that meet the targets, with their uncertainty, from a set of runs.

A surrogate predicts each bulk value and the error of this prediction for any parameters. The
posterior is the product of the prior, which is uniform in the ranges, and the likelihood of the
targets. Integrals over the posterior use weighted low-discrepancy points from scipy. For a handful
of parameters, these points are as accurate as a Markov chain, but faster and reproducible.

The coordinate of a parameter runs from 0 to 1 over its range, on a linear or logarithmic scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import optimize
from scipy.stats import qmc

from pysuite.lab.surrogate import Surrogate

Array = NDArray[np.float64]

POINTS = 13  # 2**POINTS weighted points
MORE_POINTS = 16  # replaces POINTS if too few points would be effective
ROUNDS = 6
DEEP = 12.0  # the box may leave out points whose log-likelihood is this far below the largest
ENOUGH = 200.0  # required effective number of points
PLENTY = 1500.0  # desired effective number of points
FEWEST_POINTS = 200  # likeliest points that the box always encloses
UNDECIDED = 0.5  # a direction is undetermined if posterior width / prior width exceeds this
DECIDES = 3.0  # a value is useful if it changes by this many errors along an undetermined direction
PRIOR = math.sqrt(1.0 / 12.0)  # standard deviation of a coordinate
CUT_OFF = 0.5  # a range is too narrow if the density at an end exceeds this share of the largest
TAILS = 41
UNMET = 3.0  # a target is not met if it is missed by more than this many standard errors


class Parameter(NamedTuple):
    """A parameter to determine, with its range.

    Attributes:
        name: name of the parameter.
        low: lower end of the range.
        high: upper end of the range.
        log: whether the coordinate is logarithmic; False by default. The prior is uniform in the
            coordinate.
    """

    name: str
    low: float
    high: float
    log: bool = False

    def value(self, coordinate: ArrayLike) -> Array:
        """Return the values at coordinates from 0 to 1."""
        u = np.asarray(coordinate, dtype=float)
        if self.log:
            return np.asarray(self.low * (self.high / self.low) ** u)
        return np.asarray(self.low + (self.high - self.low) * u)

    def coordinate(self, value: ArrayLike) -> Array:
        """Return the coordinates of values. Coordinates run from 0 to 1 over the range."""
        x = np.asarray(value, dtype=float)
        if self.log:
            return np.asarray(np.log(x / self.low) / math.log(self.high / self.low))
        return np.asarray((x - self.low) / (self.high - self.low))


class Target(NamedTuple):
    """A measured bulk value to be met.

    Attributes:
        name: name of the quantity and of its column in the table of runs.
        value: measured value.
        uncertainty: standard uncertainty of the value.
        unit: unit for figures; "" by default.
    """

    name: str
    value: float
    uncertainty: float
    unit: str = ""


@dataclass(frozen=True)
class Posterior:
    """Probability distribution of the parameters for given targets, as weighted points.

    Attributes:
        coordinates: array of shape (points, parameters) with the coordinates of the points.
        weights: array of shape (points,) with the weights of the points. The sum of weights is 1.
        log_likelihood: array of shape (points,) with the log-likelihood of the targets.
    """

    coordinates: Array
    weights: Array
    log_likelihood: Array

    @property
    def best(self) -> Array:
        """The coordinates with the largest likelihood."""
        return self.coordinates[int(np.argmax(self.log_likelihood))]

    @property
    def worth(self) -> float:
        """Effective number of independent points."""
        return float(1.0 / (self.weights**2).sum())

    @property
    def mean(self) -> Array:
        """Array of shape (parameters,) with the mean of the coordinates."""
        return np.asarray(self.weights @ self.coordinates)

    @property
    def covariance(self) -> Array:
        """Array of shape (parameters, parameters) with the covariance of the coordinates."""
        away = self.coordinates - self.mean
        return np.asarray(np.einsum("n,ni,nj->ij", self.weights, away, away))

    @property
    def widths(self) -> Array:
        """Array of shape (parameters,): standard deviation / standard deviation of the prior."""
        return np.asarray(np.sqrt(np.diag(self.covariance)) / PRIOR)

    def quantiles(self, levels: Sequence[float]) -> Array:
        """Return the quantiles of the coordinates as an array of shape (levels, parameters)."""
        columns = []
        for values in self.coordinates.T:
            order = np.argsort(values)
            below = np.cumsum(self.weights[order]) - 0.5 * self.weights[order]
            columns.append(np.interp(levels, below, values[order]))
        return np.stack(columns, axis=-1)

    def intervals(self, level: float) -> Array:
        """Return an interval for each coordinate that contains it with probability `level`.

        The result is an array of shape (2, parameters). The intervals leave out tails of equal
        probability, except if the shortest interval reaches an end of the range. In that case the
        shortest interval is returned: the posterior is largest near this end, and equal tails would
        exclude the end.
        """
        tail = 0.5 * (1.0 - level)
        ends = self.quantiles((tail, 1.0 - tail))
        lower = np.linspace(0.0, 1.0 - level, TAILS)
        lows, highs = self.quantiles(list(lower)), self.quantiles(list(lower + level))
        lows[0], highs[-1] = 0.0, 1.0
        for n, shortest in enumerate(np.argmin(highs - lows, axis=0)):
            if shortest in (0, TAILS - 1):
                ends[:, n] = lows[shortest, n], highs[shortest, n]
        return ends

    def density_at_ends(self) -> Array:
        """Return the density at 0 and 1 divided by the largest density.

        The result is an array of shape (2, parameters). The density of each coordinate is averaged
        over a third of the coordinate's standard deviation.
        """
        ends = []
        for values, width in zip(self.coordinates.T, self.widths * PRIOR, strict=True):
            bins = math.ceil(3.0 / max(width, 1e-6))
            density = np.bincount(
                np.minimum((values * bins).astype(int), bins - 1), self.weights, bins
            )
            ends.append(density[[0, -1]] / density.max())
        return np.stack(ends, axis=-1)

    def level_of(self, log_likelihood: float) -> float:
        """Return the fraction of the posterior that is more likely than a point of this likelihood.

        The smallest region of probability p contains the point if the result is less than p.
        """
        return float(self.weights[self.log_likelihood > log_likelihood].sum())

    def draw(self, count: int, seed: int) -> Array:
        """Return equally weighted points as an array of shape (count, parameters)."""
        random = np.random.default_rng(seed)
        chosen = random.choice(len(self.weights), count, p=self.weights)
        return self.coordinates[chosen]


def log_likelihood(
    coordinates: ArrayLike, targets: Sequence[Target], surrogates: Mapping[str, Surrogate]
) -> Array:
    """Return the log-likelihood of the targets at points as an array of shape (points,).

    The error of the surrogate adds to the uncertainty of the target.
    """
    points = np.atleast_2d(coordinates)
    total = np.zeros(len(points))
    for target in targets:
        mean, error = surrogates[target.name](points)
        variance = target.uncertainty**2 + error**2
        total -= 0.5 * ((mean - target.value) ** 2 / variance + np.log(variance))
    return total


def posterior(
    count: int, targets: Sequence[Target], surrogates: Mapping[str, Surrogate], *, seed: int = 1
) -> Posterior:
    """Return the posterior of `count` parameters.

    The points fill a box that contracts and rotates around the points of significant likelihood.
    Raises ValueError if there are too few effective points although the likeliest point meets all
    targets.
    """
    axes, low, high = np.eye(count), np.zeros(count), np.ones(count)
    for turn in range(ROUNDS):
        found = _weighted(POINTS, (axes, low, high), targets, surrogates, seed + turn)
        likelihood = found.log_likelihood
        likely = np.sort(likelihood)[-FEWEST_POINTS:][0]
        counts = found.coordinates[likelihood >= min(likelihood.max() - DEEP, likely)]
        turned = np.linalg.eigh(np.atleast_2d(np.cov(counts.T)))[1]
        along = counts @ turned
        margin = 0.1 * np.ptp(along, axis=0)
        margin = np.maximum(margin, 1e-3 * (high - low))
        lower, upper = along.min(axis=0) - margin, along.max(axis=0) + margin
        if np.prod((upper - lower) / (high - low)) > 0.7:
            break
        axes, low, high = turned, lower, upper
    if found.worth < PLENTY:
        found = _weighted(MORE_POINTS, (axes, low, high), targets, surrogates, seed)
    if found.worth < ENOUGH and (offsets(found.best, targets, surrogates) <= UNMET).all():
        raise ValueError(
            f"the posterior of {count} parameters has only {found.worth:.0f} effective points, but"
            f" {ENOUGH:.0f} are required: use fewer parameters, or narrower ranges"
        )
    return found


def _weighted(
    points: int,
    box: tuple[Array, Array, Array],
    targets: Sequence[Target],
    surrogates: Mapping[str, Surrogate],
    seed: int,
) -> Posterior:
    """Return points in a box (axes, lower ends, upper ends), weighted by likelihood."""
    axes, low, high = box
    sequence = qmc.Sobol(len(low), seed=seed).random_base2(points)
    coordinates = (low + (high - low) * sequence) @ axes.T
    coordinates = coordinates[((coordinates >= 0.0) & (coordinates <= 1.0)).all(axis=1)]
    likelihood = log_likelihood(coordinates, targets, surrogates)
    weights = np.exp(likelihood - likelihood.max())
    return Posterior(coordinates, weights / weights.sum(), likelihood)


class Direction(NamedTuple):
    """A direction in parameter space that the data do not determine.

    Attributes:
        width: standard deviation in this direction, divided by the prior's standard deviation.
        step: array of shape (parameters,): change of the coordinates over one standard deviation.
    """

    width: float
    step: Array


def undecided(found: Posterior) -> list[Direction]:
    """Return the directions that the data leave undetermined, widest first."""
    variances, vectors = np.linalg.eigh(found.covariance)
    directions = []
    for variance, vector in zip(variances[::-1], vectors.T[::-1], strict=True):
        width = math.sqrt(max(variance, 0.0)) / PRIOR
        if width > UNDECIDED:
            sign = math.copysign(1.0, vector[np.argmax(np.abs(vector))])
            directions.append(Direction(width, sign * math.sqrt(variance) * vector))
    return directions


def offsets(point: Array, targets: Sequence[Target], surrogates: Mapping[str, Surrogate]) -> Array:
    """Return |surrogate - target| / combined error at a point, one value per target."""
    away = []
    for target in targets:
        mean, error = (float(x[0]) for x in surrogates[target.name](point))
        away.append(abs(mean - target.value) / math.hypot(target.uncertainty, error))
    return np.array(away)


def closest(
    found: Posterior,
    targets: Sequence[Target],
    surrogates: Mapping[str, Surrogate],
    *,
    seed: int = 1,
) -> Array:
    """Return the coordinates that come closest to the targets: shape (parameters,).

    The likeliest coordinates are returned if they meet the targets. Otherwise the result minimizes
    the sum of ((surrogate - target)/uncertainty)^2. The likelihood is not used in this case,
    because the likelihood favours uncertain surrogates far from the targets.
    """
    if (offsets(found.best, targets, surrogates) <= UNMET).all():
        return found.best

    def distance(points: Array) -> Array:
        return np.asarray(
            sum(
                ((surrogates[target.name](points)[0] - target.value) / target.uncertainty) ** 2
                for target in targets
            )
        )

    everywhere = qmc.Sobol(len(found.best), seed=seed).random_base2(POINTS)
    start = everywhere[int(np.argmin(distance(everywhere)))]
    ends = [(0.0, 1.0)] * len(start)
    best = optimize.minimize(
        lambda point: float(distance(point)[0]), start, method="Nelder-Mead", bounds=ends
    )
    return np.asarray(best.x)


def reach(
    best: Array,
    targets: Sequence[Target],
    surrogates: Mapping[str, Surrogate],
    *,
    seed: int = 1,
) -> pd.DataFrame:
    """Return which values each target's quantity can have within the ranges of the parameters.

    Columns: "quantity", "target", "uncertainty", "lowest" and "highest" (within the ranges),
    "closest" (at `best`), and "off" (difference of "closest" from the target / combined error).
    """
    everywhere = qmc.Sobol(len(best), seed=seed).random_base2(POINTS)
    rows = []
    for target, off in zip(targets, offsets(best, targets, surrogates), strict=True):
        means, _ = surrogates[target.name](everywhere)
        nearest = float(surrogates[target.name](best)[0][0])
        rows.append(
            {
                "quantity": target.name,
                "target": target.value,
                "uncertainty": target.uncertainty,
                "lowest": min(float(means.min()), nearest),
                "highest": max(float(means.max()), nearest),
                "closest": nearest,
                "off": off,
            }
        )
    return pd.DataFrame(rows)


def constraints(
    parameters: Sequence[Parameter], targets: Sequence[Target], surrogates: Mapping[str, Surrogate]
) -> pd.DataFrame:
    """Return posterior width / prior width, for all targets together and for each alone."""
    rows = []
    sets = [("all", list(targets))]
    if len(targets) > 1:
        sets += [(target.name, [target]) for target in targets]
    for name, chosen in sets:
        widths = posterior(len(parameters), chosen, surrogates).widths
        names = (parameter.name for parameter in parameters)
        rows.append({"targets": name} | dict(zip(names, widths, strict=True)))
    return pd.DataFrame(rows)


def telling(
    found: Posterior, directions: Sequence[Direction], others: Mapping[str, Surrogate]
) -> pd.DataFrame:
    """Return how well bulk values that are not targets would determine the first direction.

    Columns: "quantity", "change" (from -2 to +2 standard deviations along the first direction),
    "error" (combined error of run and surrogate), and "ratio" (change / error). The row with the
    largest ratio comes first.
    """
    rows = []
    for name, surrogate in others.items():
        for direction in directions[:1]:
            ends = np.clip([found.mean + 2 * direction.step, found.mean - 2 * direction.step], 0, 1)
            values, errors = surrogate(ends)
            change = float(abs(values[0] - values[1]))
            error = float(np.hypot(surrogate.scatter(ends), errors).max())
            rows.append({"quantity": name, "change": change, "error": error})
    table = pd.DataFrame(rows, columns=["quantity", "change", "error"])
    table["ratio"] = table["change"] / table["error"].where(table["error"] > 0.0)
    return table.sort_values("ratio", ascending=False, ignore_index=True)


def design(count: int, parameters: int, seed: int) -> Array:
    """Return points that fill the ranges evenly, as an array of shape (count, parameters).

    The points are a scrambled Halton sequence.
    """
    return np.asarray(qmc.Halton(parameters, seed=seed).random(count))
