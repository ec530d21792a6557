"""Contact models made from the registry, and random contacts to test them with."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pytest

from pysuite import laws

T = TypeVar("T")

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
COHESIVE = ("dmt", "jkr")
ACROSS_GAP = ("jkr", "thornton_ning")
PER_RESTITUTION = ("tsuji", "coeff_restitution")  # these damping laws are not allowed with cohesion


def value_of(parameter: dict) -> float:
    if parameter["symbol"] in VALUES:
        return VALUES[parameter["symbol"]]
    low, high = max(parameter["low"], 0.0), min(parameter["high"], 1.0)
    return 0.5 * (low + high)


# Exponents of the powers of 2 by which tests change the units. They are even, so that roots of
# masses, lengths and times, and lengths to the power of 3/2, are exact.
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
    """Return the power to which 2 is raised to convert a unit such as `force time/distance^n`."""
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
    power = exponent_of(unit)
    assert power == round(power), unit
    return 2.0**power


def as_given(unit: str) -> float:
    return 1.0


def words_of(law: dict, factor: Callable[[str], float] = as_given, coefficient: str = "") -> str:
    """Return the text of a law, with values for its required parameters.

    `coefficient` is the unit of a damping coefficient, which depends on the damping law.
    """
    given = (p for p in law["parameters"] if not p["may_be_missing"])
    parameters = []
    for p in given:
        unit = coefficient if p["unit"] == "see damping" else p["unit"]
        parameters.append(f"{p['label']} {value_of(p) * factor(unit)!r}".strip())
    return " ".join([law["name"], *parameters])


def forms(chosen: Mapping[str, dict]) -> bool:
    """Return whether the grammar allows these laws together."""
    normal, damping, tangential, bridge = (
        chosen.get(role) for role in ("normal", "damping", "tangential", "bridge")
    )
    if any(law and law["non_local"] for law in (normal, damping)):
        return False  # only within LAMMPS: see tests/styles/test_mdr.py and test_brodu.py
    if normal is None:
        return True
    if bridge and bridge["name"] != "none" and normal["name"] in ACROSS_GAP:
        return False
    if tangential and tangential["needs_material"] and not has_material(normal):
        return False
    if damping is None:
        return True
    if normal["per_collision"]:
        return damping["name"] == "velocity"
    return not (
        (normal["name"] in COHESIVE or normal["yields"]) and damping["name"] in PER_RESTITUTION
    )


def has_material(normal: dict) -> bool:
    return {"E", "nu"} <= {parameter["symbol"] for parameter in normal["parameters"]}


def every_company() -> Iterator[dict[str, dict]]:
    """Yield combinations of laws, by role; together they contain every law of the registry.

    First, all normal, damping and slider laws are combined, with one law of each remaining role.
    Then all laws of the remaining roles and all sliders are combined, with one normal and one
    damping law.
    """
    table = laws.registry()
    one = {"tangential": "mindlin_rescale", "rolling": "sds", "twisting": "marshall"}
    one |= {"heat": "none", "bond": "none"}
    other = {"normal": "hertz/material", "damping": "viscoelastic", "heat": "area", "bond": "none"}
    wet = one | {"damping": "viscoelastic", "slider": "csds"}
    for few in (one | {"bridge": "none"}, other | {"bridge": "none"}, wet):
        entries = (
            [law for law in table[role] if law["name"] == few.get(role, law["name"])]
            for role in table
        )
        for company in itertools.product(*entries):
            chosen = dict(zip(table, company, strict=True))
            if few is wet and chosen["bridge"]["name"] == "none":
                continue
            if forms(chosen):
                yield chosen


def pairwise(
    factors: Mapping[str, Sequence[T]], allowed: Callable[[Mapping[str, T]], bool]
) -> list[dict[str, T]]:
    """Return a small number of rows that together contain each permitted pair of values.

    Each row has one value of each factor. If `allowed` accepts all pairs in a row, it must accept
    the row.
    """

    def pair(one: tuple[str, int], other: tuple[str, int]) -> tuple[tuple[str, int], ...]:
        return tuple(sorted((one, other)))

    def meet(*values: tuple[str, int]) -> bool:
        return allowed({name: factors[name][k] for name, k in values})

    values = [(name, k) for name, entries in factors.items() for k in range(len(entries))]
    left = dict.fromkeys(
        pair(one, other)
        for one, other in itertools.combinations(values, 2)
        if one[0] != other[0] and meet(one, other)
    )
    rows = []
    while left:
        row = dict(next(iter(left)))
        for name in sorted(factors, key=lambda name: -len(factors[name])):
            if name in row:
                continue
            fitting = [
                (name, k)
                for k in range(len(factors[name]))
                if all(meet((name, k), value) for value in row.items())
            ]
            new = [sum(pair(one, value) in left for value in row.items()) for one in fitting]
            row[name] = fitting[new.index(max(new))][1]
        for met in itertools.combinations(row.items(), 2):
            left.pop(pair(*met), None)
        rows.append({name: factors[name][row[name]] for name in factors})
    return rows


def selection() -> list[dict[str, dict]]:
    """Return the models tested on a push. They contain each permitted pair of laws except bonds."""
    alone = {"bond"}
    factors = {
        role: [law for law in entries if role not in alone or law["name"] == "none"]
        for role, entries in laws.registry().items()
    }
    return pairwise(factors, forms)


def name_of(chosen: Mapping[str, dict]) -> str:
    return "+".join(law["name"] for role, law in chosen.items() if role != "bond")


def text_of(chosen: Mapping[str, dict], factor: Callable[[str], float] = as_given) -> str:
    normal = words_of(chosen["normal"], factor, chosen["damping"]["coefficient_unit"])
    others = [
        f"{role} {words_of(law, factor)}"
        for role, law in chosen.items()
        if role != "normal" and not (role == "damping" and chosen["normal"]["per_collision"])
    ]
    return " ".join([normal, *others])


def only_a_bridge(factor: Callable[[str], float] = as_given) -> str:
    [bridge] = (law for law in laws.registry()["bridge"] if law["name"] == "willett")
    return f"bridge {words_of(bridge, factor)}"


@functools.cache
def all_models(*factors: Callable[[str], float]) -> list[Any]:
    """Return one test parameter for each model: its text in each system of units.

    `factors` convert to these systems of units. Models outside the selection are marked `product`.
    """
    chosen = {name_of(company): company for company in selection()}
    others = {name_of(company): company for company in every_company()}
    models = [
        pytest.param(
            *(text_of(company, factor) for factor in factors),
            id=name,
            marks=() if name in chosen else pytest.mark.product,
        )
        for name, company in (chosen | others).items()
    ]
    return [*models, pytest.param(*(only_a_bridge(factor) for factor in factors), id="bridge")]


@dataclass
class Layout:
    """The meaning of each value of a contact's history.

    Attributes:
        vectors: indices at which a vector begins; all other values are scalars.
        signs: array of shape (history_size,); -1 for values whose sign changes if the particles
            are swapped, otherwise 1.
    """

    vectors: list[int]
    signs: np.ndarray


def layout_of(model: laws.ContactModel) -> Layout:
    """Return the layout of a model.

    A swap of particles reverses only tangential springs. Springs of rolling and twisting keep their
    sign, because rolling and twisting velocities are products of two quantities that both change
    sign.
    """
    words = model.text.split()
    vectors, signs = [], []
    for role, entries in laws.registry().items():
        if words[0] == "bridge":  # a bridge alone has no history
            break
        if role not in ("normal", *words):
            continue  # actm has its own damping
        name = words[0] if role == "normal" else words[words.index(role) + 1]
        law = next(law for law in entries if law["name"] == name)
        odd = law["history_vectors"]
        count = law["history"] // 3 if role == "rolling" else odd
        vectors += range(len(signs), len(signs) + 3 * count, 3)
        signs += [-1.0] * (3 * odd) + [1.0] * (law["history"] - 3 * odd)
    assert len(signs) == model.history_size
    return Layout(vectors, np.array(signs))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    names = metafunc.fixturenames
    if "model_text" in names:
        metafunc.parametrize("model_text", all_models(as_given))
    if "model_in_other_units" in names:
        metafunc.parametrize(
            "model_in_units, model_in_other_units", all_models(as_given, factor_of)
        )
    if "wall_model_text" in names:
        metafunc.parametrize("wall_model_text", all_models(as_given))


@dataclass
class Contacts:
    """Arguments of `ContactModel.evaluate` without the time step; vectors have the shape (n, 3)."""

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
    """Return a function that draws random contacts for a model."""

    def make(model: laws.ContactModel, seed: int = 0, count: int = 300) -> Contacts:
        rng = np.random.default_rng(seed)
        radius_i, radius_j = rng.uniform(0.3, 0.7, (2, count))
        mass_i, mass_j = rng.uniform(0.5, 2.0, (2, count))
        normal = rng.normal(size=(count, 3))

        def moving(history: np.ndarray, normal: np.ndarray) -> Contacts:
            overlap = 10.0 ** rng.uniform(-5, -1.5, count)
            bridged = "bridge willett" in model.text
            # bridges act across gaps up to 0.1, and the law jkr across gaps up to 5e-4
            if bridged or model.text.startswith("jkr"):
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

        # a history that the laws computed themselves
        history = np.zeros((count, model.history_size))
        if "/film" in model.text:  # the volume of the liquid that each bridge holds
            volume = 10.0 ** rng.uniform(-4.0, -2.0, count)
            history[:, -1] = volume
        for _ in range(3):
            history = moving(history, normal).evaluate(model).history
            normal = normal + 0.1 * rng.normal(size=(count, 3))
        return moving(history, normal)

    return make


@pytest.fixture
def other_units() -> Callable[[str], float]:
    return factor_of


@pytest.fixture
def layout() -> Callable[[laws.ContactModel], Layout]:
    return layout_of


@pytest.fixture(name="pairwise")
def pairwise_rows() -> Callable[..., list[dict]]:
    return pairwise


@pytest.fixture(name="selection", scope="session")
def selected_laws() -> list[dict[str, dict]]:
    return selection()


@pytest.fixture(name="text_of")
def text_of_laws() -> Callable[..., str]:
    return text_of


@pytest.fixture(scope="session")
def gcc() -> str:
    """Return the command of GCC; skip the test if GCC is not installed."""
    for name in (os.environ.get("CXX"), "c++", "g++"):
        if name and shutil.which(name):
            command = [name, "-dM", "-E", "-x", "c++", os.devnull]
            macros = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if "__GNUC__" in macros and "__clang__" not in macros:
                return name
    pytest.skip("GCC, whose report this test reads, is not installed")
