"""Synthetic problems with known answers for `pysuite calibrate`.

A problem has two parameters. Two or three bulk values depend smoothly on the parameters, and
scatter from run to run. The targets are the bulk values at the true parameters plus random errors.
The standard deviation of each error is the uncertainty of the target.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite.lab import calibrate, inference
from pysuite.lab.inference import Parameter, Target

Array = NDArray[np.float64]
Law = Callable[[Array], Array]

PARAMETERS = Parameter("friction", 0.05, 1.0), Parameter("rolling", 0.002, 0.2, log=True)
DESIGN = calibrate.Design(points=16, repetitions=2, rounds=1, batch=4, check=0)
SCATTER = 0.8  # standard deviation of a bulk value from run to run
UNCERTAINTY = 0.5  # standard uncertainty of a target
KINDS = {
    "bent": "targets that leave a bent ridge of parameters",
    "end": "one or both parameters at an end of their range",
    "correlated": "three values whose errors and scatter are correlated",
    "varying": "scatter that varies over the ranges by factors of 7 to 55",
}


class Problem(NamedTuple):
    """A problem: the coordinates of the true parameters, the targets, the function to calibrate."""

    planted: Array
    targets: list[Target]
    evaluate: calibrate.Evaluate


def smooth(random: np.random.Generator) -> list[Law]:
    """Return the laws of three bulk values. The first two depend mostly on one parameter each."""
    amplitude = random.uniform(8.0, 20.0, 3)
    bend = random.uniform(0.5, 2.0, (3, 2))
    share = np.array([[1.0, 0.3], [0.25, 1.0], [0.7, 0.7]]) * random.uniform(0.7, 1.3, (3, 2))
    cross = random.uniform(-0.3, 0.3, 3)

    def value(n: int, u: Array) -> Array:
        curved = (1.0 - np.exp(-bend[n] * u)) / (1.0 - np.exp(-bend[n]))
        rise = curved @ share[n] + cross[n] * u[..., 0] * u[..., 1]
        return np.asarray(15.0 + amplitude[n] * rise)

    return [functools.partial(value, n) for n in range(3)]


def ridge(random: np.random.Generator) -> list[Law]:
    """Return the laws of two bulk values.

    The first value depends on the product of the parameters. The second value varies little.
    """
    amplitude, tilt = random.uniform(12.0, 24.0), random.uniform(-2.5, 2.5)
    shift = random.uniform(0.05, 0.2, 2)
    return [
        lambda u: np.asarray(15.0 + amplitude * np.prod(u + shift, axis=-1)),
        lambda u: np.asarray(10.0 + tilt * (u[..., 0] - u[..., 1])),
    ]


def problem(kind: str, number: int, *, error: float = 1.0) -> Problem:
    """Return a problem of the kind `kind`. Random errors of targets are multiplied by `error`."""
    seeds = [50, list(KINDS).index(kind), number]
    random = np.random.default_rng(seeds)
    laws = ridge(random) if kind == "bent" else smooth(random)
    if kind in ("end", "varying"):
        laws = laws[: random.integers(2, 4)]
    planted = random.uniform(0.0, 1.0, len(PARAMETERS))
    if kind == "end":
        at_end = [[0], [1], [0, 1]][number % 3]
        planted[at_end] = random.integers(0, 2, len(at_end))
    correlation = random.uniform(0.6, 0.95) if kind == "correlated" else 0.0
    mixed = np.linalg.cholesky(
        np.full((len(laws), len(laws)), correlation) + (1.0 - correlation) * np.eye(len(laws))
    )
    grows = random.uniform(1.0, 2.0) * random.choice([-1.0, 1.0], 2) * (kind == "varying")
    errors = error * UNCERTAINTY * (mixed @ random.normal(size=len(laws)))
    targets = [
        Target(f"value {n}", float(law(planted) + errors[n]), UNCERTAINTY)
        for n, law in enumerate(laws)
    ]

    def evaluate(points: list[dict[str, float]], numbers: list[int], stage: str) -> pd.DataFrame:
        u = np.column_stack([p.coordinate([q[p.name] for q in points]) for p in PARAMETERS])
        scatter = SCATTER * np.exp((u - 0.5) @ grows)
        normal = [np.random.default_rng([*seeds, run]).normal(size=len(laws)) for run in numbers]
        noise = np.array(normal) @ mixed.T * scatter[:, None]
        return pd.DataFrame({f"value {n}": law(u) + noise[:, n] for n, law in enumerate(laws)})

    return Problem(planted, targets, evaluate)


def solve(given: Problem) -> dict[str, float]:
    """Calibrate the parameters, and compare the posterior with the true parameters.

    Returns:
        A dictionary with these keys:

        * "level": posterior probability of all points that are likelier than the true point.
        * "friction": 1 if the 95 % interval of the parameter friction contains the true value, and
          0 otherwise.
        * "rolling": the same for the parameter rolling.
        * "width": width of the posterior divided by the width of the prior.
    """
    found = calibrate.calibrate(PARAMETERS, given.targets, given.evaluate, DESIGN)
    there = inference.log_likelihood(given.planted, given.targets, found.surrogates)[0]
    low, high = found.posterior.intervals(0.95)
    inside = (low <= given.planted) & (given.planted <= high)
    return {
        "level": found.posterior.level_of(float(there)),
        **{p.name: float(within) for p, within in zip(PARAMETERS, inside, strict=True)},
        "width": float(found.posterior.widths.mean()),
    }
