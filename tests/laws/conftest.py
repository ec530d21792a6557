"""Contact models walked from the registry, and random contacts to try them on."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from pysuite import laws

VALUES = {
    "kn": 2.0e4,
    "E": 4.0e4,
    "nu": 0.3,
    "kt": 1.1e4,
    "k": 1.0e3,
    "eta": 0.6,
    "gamma": 0.5,
    "xgamma": 0.8,
    "mu": 0.3,
    "theta": 20.0,
    "V": 1.0e-3,
    "Tc": 0.02,
    "k1": 1.0e4,
    "k2": 4.0e4,
    "kc": 1.0e4,
    "phi": 0.05,
    "kadh": 1.0e4,
    "f0": -0.3,
    "n": 1.5,
    "chi": 2.0,
    "py": 1.0e4,
}
COHESIVE = ("dmt", "jkr")  # those that yield say so themselves
ACROSS_GAP = ("jkr", "thornton_ning")
PER_RESTITUTION = ("tsuji", "coeff_restitution")  # dampings that cohesion leaves without meaning


def value_of(parameter: dict) -> float:
    """A value for a parameter: one known to suit, else one within its bounds."""
    if parameter["symbol"] in VALUES:
        return VALUES[parameter["symbol"]]
    low, high = max(parameter["low"], 0.0), min(parameter["high"], 1.0)
    return 0.5 * (low + high)


# The other units in the present ones, as powers of two. Roots of lengths, masses and times, and
# lengths to the power of 3/2, stay exact.
MASS, LENGTH, TIME, TEMPERATURE = -18, 12, 6, 4
DIMENSIONS = {
    "": (0, 0, 0, 0),
    "-": (0, 0, 0, 0),
    "1": (0, 0, 0, 0),
    "degree": (0, 0, 0, 0),
    "mass": (1, 0, 0, 0),
    "distance": (0, 1, 0, 0),
    "area": (0, 2, 0, 0),
    "volume": (0, 3, 0, 0),
    "time": (0, 0, 1, 0),
    "temperature": (0, 0, 0, 1),
    "force": (1, 1, -2, 0),
    "pressure": (1, -1, -2, 0),
    "torque": (1, 2, -2, 0),
    "energy": (1, 2, -2, 0),
    "power": (1, 2, -3, 0),
}


def exponent_of(unit: str) -> float:
    """The power of two of a unit such as `force time/distance^n`."""
    total = 0.0
    above, _, below = unit.partition("/")
    for words, sign in ((above, 1), (below.strip("()"), -1)):
        for word in words.split():
            name, _, power = word.partition("^")
            often = float(VALUES.get(power, power or 1))
            powers = zip(DIMENSIONS[name], (MASS, LENGTH, TIME, TEMPERATURE), strict=True)
            total += sign * often * sum(a * b for a, b in powers)
    return total


def factor_of(unit: str) -> float:
    """What a number with this unit is multiplied by in the other units."""
    power = exponent_of(unit)
    assert power == round(power), unit
    return 2.0**power


def as_given(unit: str) -> float:
    """The factor of a parameter with this unit, in the units in which the values are given."""
    return 1.0


def words_of(law: dict, factor: Callable[[str], float] = as_given, coefficient: str = "") -> str:
    """What may be left out is left out: the heat of friction has the stages observe.

    The coefficient is the unit of what the damping law reads.
    """
    given = (p for p in law["parameters"] if not p["may_be_missing"])
    parameters = []
    for p in given:
        unit = coefficient if p["unit"] == "see damping" else p["unit"]
        parameters.append(f"{p['label']} {value_of(p) * factor(unit)!r}".strip())
    return " ".join([law["name"], *parameters])


def forms(normal: dict, damping: dict, bridge: dict) -> bool:
    """Whether the grammar allows the three together; `velocity` stands for no damping given."""
    if normal["name"] in ACROSS_GAP and bridge["name"] != "none":
        return False
    if normal["per_collision"]:
        return damping["name"] == "velocity"
    return not (
        (normal["name"] in COHESIVE or normal["yields"]) and damping["name"] in PER_RESTITUTION
    )


def all_models(factor: Callable[[str], float] = as_given) -> Iterator[str]:
    """Every law of the registry in every company that matters, as text.

    All normal, damping and slider laws with one each of the others, then all others and all
    sliders with one normal and damping law: laws of these two sets meet in few numbers only.
    Liquid bridges meet the normal law only; there is one model of bridges alone. The tangential
    stiffness that follows actm is in test_actm.py; bonds act beside a contact and change nothing
    in it, see test_bonds.py.
    """
    table = laws.registry()

    def named(role: str, name: str) -> list[dict]:
        return [law for law in table[role] if law["name"] == name]

    one = {"tangential": "mindlin_rescale", "rolling": "sds", "twisting": "marshall"}
    one |= {"heat": "none", "bond": "none"}
    other = {"normal": "hertz/material", "damping": "viscoelastic", "heat": "area", "bond": "none"}
    wet = one | {"damping": "viscoelastic", "slider": "csds"}
    for few in (one | {"bridge": "none"}, other | {"bridge": "none"}, wet):
        chosen = (named(role, few[role]) if role in few else table[role] for role in table)
        for normal, *others in itertools.product(*chosen):
            bridge = others[list(table).index("bridge") - 1]
            if few is wet and bridge["name"] == "none":
                continue
            if forms(normal, others[0], bridge):
                roles = list(table)[1:]
                parts = [
                    f"{role} {words_of(law, factor)}"
                    for role, law in zip(roles, others, strict=True)
                    if not (normal["per_collision"] and role == "damping")
                ]
                unit = others[roles.index("damping")]["coefficient_unit"]
                yield " ".join([words_of(normal, factor, unit), *parts])
    yield f"bridge {words_of(named('bridge', 'willett')[0], factor)}"


@dataclass
class Layout:
    """What the values of a contact's history are.

    Attributes:
        vectors: where a vector begins; all other values are scalars.
        signs: (history_size,), -1 where the partner sees the opposite.
    """

    vectors: list[int]
    signs: np.ndarray


def layout_of(model: laws.ContactModel) -> Layout:
    """Tangential springs are odd under exchange of the particles, the others are even.

    Rolling and twisting velocities, R (w_i - w_j) x n and (w_i - w_j) . n, are products of two
    quantities that both change sign.
    """
    words = model.text.split()
    vectors, signs = [], []
    for role, entries in laws.registry().items():
        if words[0] == "bridge":  # alone, without history
            break
        if role not in ("normal", *words):
            continue  # actm brings its own damping
        name = words[0] if role == "normal" else words[words.index(role) + 1]
        law = next(law for law in entries if law["name"] == name)
        odd = law["history_vectors"]
        count = law["history"] // 3 if role == "rolling" else odd
        vectors += range(len(signs), len(signs) + 3 * count, 3)
        signs += [-1.0] * (3 * odd) + [1.0] * (law["history"] - 3 * odd)
    assert len(signs) == model.history_size
    return Layout(vectors, np.array(signs))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "model_text" in metafunc.fixturenames:
        metafunc.parametrize("model_text", list(all_models()))
    if "model_in_two_units" in metafunc.fixturenames:
        models = list(zip(all_models(), all_models(factor_of), strict=True))
        metafunc.parametrize("model_in_two_units", models, ids=[text for text, _ in models])
    if "wall_model_text" in metafunc.fixturenames:  # walls have no films to form bridges from
        metafunc.parametrize("wall_model_text", [m for m in all_models() if "/film" not in m])


@dataclass
class Contacts:
    """Arguments of `ContactModel.evaluate` but the time step; separation and vectors are (n, 3)."""

    separation: np.ndarray
    velocity: np.ndarray
    spin_i: np.ndarray
    spin_j: np.ndarray
    radius_i: np.ndarray
    radius_j: np.ndarray
    mass_i: np.ndarray
    mass_j: np.ndarray
    history: np.ndarray

    def evaluate(
        self, model: laws.ContactModel, timestep: float = 1e-3, clone: str = ""
    ) -> laws.Step:
        return model.evaluate(timestep=timestep, clone=clone, **vars(self))

    def with_overlap(self, overlap: float) -> Contacts:
        distance = np.linalg.norm(self.separation, axis=1)
        stretch = (self.radius_i + self.radius_j - overlap) / distance
        return replace(self, separation=stretch[:, None] * self.separation)


@pytest.fixture
def make_contacts() -> Callable[..., Contacts]:
    """Return a function that draws contacts for a model: three batches, the last not full."""

    def make(model: laws.ContactModel, seed: int = 0, count: int = 300) -> Contacts:
        rng = np.random.default_rng(seed)
        radius_i, radius_j = rng.uniform(0.3, 0.7, (2, count))
        mass_i, mass_j = rng.uniform(0.5, 2.0, (2, count))
        normal = rng.normal(size=(count, 3))

        def moving(history: np.ndarray, normal: np.ndarray) -> Contacts:
            overlap = 10.0 ** rng.uniform(-5, -1.5, count)
            bridged = "bridge willett" in model.text
            if bridged or model.text.startswith("jkr"):  # acts across a gap of up to 0.1 or 5e-4
                gap = 10.0 ** rng.uniform(-6, -1.1 if bridged else -3.4, count)
                overlap = np.where(rng.random(count) < 0.3, -gap, overlap)
            distance = radius_i + radius_j - overlap
            length = np.linalg.norm(normal, axis=1)
            motion = rng.normal(size=(3, count, 3)) * 10.0 ** rng.uniform(-3, 3, (count, 1))
            return Contacts(
                (distance / length)[:, None] * normal,
                *motion,
                radius_i,
                radius_j,
                mass_i,
                mass_j,
                history,
            )

        # a history that the laws themselves have made, in contacts that turn
        history = np.zeros((count, model.history_size))
        if "/film" in model.text:  # what the grains have put into each bridge
            volume = 10.0 ** rng.uniform(-4.0, -2.0, count)
            history[:, -1] = volume
        for _ in range(3):
            history = moving(history, normal).evaluate(model).history
            normal = normal + 0.1 * rng.normal(size=(count, 3))
        return moving(history, normal)

    return make


@pytest.fixture
def other_units() -> Callable[[str], float]:
    """Return what numbers are multiplied by in other units, by their unit."""
    return factor_of


@pytest.fixture
def layout() -> Callable[[laws.ContactModel], Layout]:
    """Return the function that tells what the values of a model's history are."""
    return layout_of


@pytest.fixture(scope="session")
def gcc() -> str:
    """Return the first GCC of those that a build may take. Skips without one."""
    for name in (os.environ.get("CXX"), "c++", "g++"):
        if name and shutil.which(name):
            command = [name, "-dM", "-E", "-x", "c++", os.devnull]
            macros = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if "__GNUC__" in macros and "__clang__" not in macros:
                return name
    pytest.skip("this machine has no GCC, whose report this test reads")
