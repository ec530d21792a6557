"""Stacks of laws walked from the registry, and random contacts to try them on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from pysuite import laws

FRICTION = 0.3
VALUES = {
    "kn": 2.0e4,
    "E": 4.0e4,
    "nu": 0.3,
    "kt": 1.1e4,
    "eta": 0.6,
    "xgamma": 0.8,
    "mu": FRICTION,
}


def value_of(parameter: dict) -> float:
    """A value for a parameter: one known to suit, else one within its bounds."""
    if parameter["symbol"] in VALUES:
        return VALUES[parameter["symbol"]]
    low, high = max(parameter["low"], 0.0), min(parameter["high"], 1.0)
    return 0.5 * (low + high)


def words_of(law: dict) -> str:
    return " ".join([law["name"], *(repr(value_of(p)) for p in law["parameters"])])


def all_stacks() -> Iterator[str]:
    """Every stack of laws that the registry can form, as text."""
    table = laws.registry()
    normals = table.pop("normal")
    for normal, *others in itertools.product(normals, *table.values()):
        parts = [f"{role} {words_of(law)}" for role, law in zip(table, others, strict=True)]
        yield " ".join([words_of(normal), *parts])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "stack_text" in metafunc.fixturenames:
        metafunc.parametrize("stack_text", list(all_stacks()))


@dataclass
class Contacts:
    """Arguments of `Stack.evaluate` but the time step; separation and vectors are (n, 3)."""

    separation: np.ndarray
    velocity: np.ndarray
    spin_i: np.ndarray
    spin_j: np.ndarray
    radius_i: np.ndarray
    radius_j: np.ndarray
    mass_i: np.ndarray
    mass_j: np.ndarray
    history: np.ndarray

    def evaluate(self, stack: laws.Stack, timestep: float = 1e-3, clone: str = "") -> laws.Step:
        return stack.evaluate(timestep=timestep, clone=clone, **vars(self))

    def with_overlap(self, overlap: float) -> Contacts:
        distance = np.linalg.norm(self.separation, axis=1)
        stretch = (self.radius_i + self.radius_j - overlap) / distance
        return replace(self, separation=stretch[:, None] * self.separation)


@pytest.fixture
def make_contacts() -> Callable[..., Contacts]:
    """Return a function that draws contacts for a stack: three batches, the last not full."""

    def make(stack: laws.Stack, seed: int = 0, count: int = 300) -> Contacts:
        rng = np.random.default_rng(seed)
        radius_i, radius_j = rng.uniform(0.3, 0.7, (2, count))
        normal = rng.normal(size=(count, 3))
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        overlap = 10.0 ** rng.uniform(-5, -1.5, count)
        history = rng.normal(size=(count, stack.history_size)) * 10.0 ** rng.uniform(
            -7, 1, (count, 1)
        )
        if stack.history_size % 3:  # the last value is the contact radius of the step before
            history[:, -1] = rng.uniform(0.0, 0.1, count)
        return Contacts(
            (radius_i + radius_j - overlap)[:, None] * normal,
            *(rng.normal(size=(3, count, 3)) * 10.0 ** rng.uniform(-3, 3, (count, 1))),
            radius_i,
            radius_j,
            *rng.uniform(0.5, 2.0, (2, count)),
            history,
        )

    return make
