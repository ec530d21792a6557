"""Base of all laboratory experiments: scales, time step, plan of a run, estimates."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import laws, statistics
from pysuite.engine import Run
from pysuite.lab.grading import Space
from pysuite.lab.settings import Key, Settings, SettingsError
from pysuite.pictures.units import labelled, units_of
from pysuite.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOSE = 0.28  # initial volume fraction, reached by random placing
GRAVITY = {"si": 9.81, "cgs": 981.0, "micro": 9.81e-6, "lj": 1.0}
ANGLE = "°"
STEPS = 30  # time steps in the shortest collision
DEEPEST = 0.2  # largest overlap at which the stiffness is evaluated, divided by the smallest radius
FRACTIONS = ("fraction", "critical_fraction", "rattlers")
REST = 1e-4  # largest kinetic energy of a grain at rest, divided by weight times diameter


@dataclass(frozen=True)
class Plan:
    """Plan of an experiment.

    Attributes:
        variables: value and meaning of the script's variables.
        body: LAMMPS commands after those that read the grains.
        plates: function that receives a random generator and returns the grains of the plates as an
            array of shape (grains, 5): type, diameter, x, y and z. None if there are no plates.
        files: names of further files in the script's folder, each with the function that writes the
            file.
    """

    variables: dict[str, tuple[float | str, str]]
    space: Space
    count: int
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    body: str
    speed: float = 0.0
    pressure: float = 0.0
    sweep: dict[str, list[float]] = field(default_factory=dict)
    plates: Callable[[np.random.Generator], NDArray[np.float64]] | None = None
    files: dict[str, Callable[[Path], object]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> float:
        """Return the value of a numeric variable."""
        return float(self.variables[name][0])


class Experiment(ABC):
    """An experiment: its settings, its plan, and its measured quantities.

    Attributes:
        units: quantities, each with its dimension and meaning.
        counted: whether the user gives the number of grains.
        shapes: whether grains may have a shape. Shaped grains do not interact with curved regions
            and open meshes.
        prepares: whether the sample may be prepared with a different contact model.
        axes: titles and dimensions of the picture's axes.
        each: quantities that are measured for each value of the swept variable.
        together: quantities that need runs at several values of the swept variable. The number for
            each quantity is the smallest number of values needed.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    keys: ClassVar[Mapping[str, Key]]
    units: ClassVar[Mapping[str, tuple[str, str]]]
    counted: ClassVar[bool] = True
    boundary: ClassVar[str] = "f f f"
    shapes: ClassVar[bool] = True
    prepares: ClassVar[bool] = False
    main: ClassVar[str]
    axes: ClassVar[tuple[tuple[str, str], tuple[str, str]]]
    each: ClassVar[tuple[str, ...]] = ()
    together: ClassVar[Mapping[str, int]] = {}

    @abstractmethod
    def plan(self, settings: Settings) -> Plan:
        """Return the plan of the experiment's runs."""

    @abstractmethod
    def measure(self, run: Run, plan: Plan, row: Mapping[str, Any]) -> dict[str, float]:
        """Return the measured values of a run; `row` contains the swept variables."""

    @abstractmethod
    def curve(self, run: Run, plan: Plan) -> pd.DataFrame:
        """Return the curve of a run as a table with columns "x" and "y"."""

    def conclude(self, table: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
        """Return the results of all runs. By default, these are averages over repetitions."""
        return {
            name: estimate(table[name])
            for name in self.units
            if name in table and table[name].notna().any()
        }

    def quantities(self, plan: Plan) -> list[str]:
        """Return the quantities that one repetition gives."""
        values = next((values for values in plan.sweep.values() if len(values) > 1), [])
        if not values:
            return [name for name in self.units if name in self.each or name not in self.together]
        found = [f"{name} ({value:g})" for value in values for name in self.each]
        return found + [name for name, fewest in self.together.items() if len(values) >= fewest]

    def prescribed(self, settings: Settings) -> set[str]:
        """Return the quantities prescribed by the settings."""
        return set()

    def draw(self, axes: Axes, curves: pd.DataFrame, units: str) -> None:
        """Plot the curves of all runs; `units` is the unit style of LAMMPS."""
        for _, one in curves.groupby("line", sort=False):
            axes.plot(one["x"], one["y"], lw=1.0, alpha=0.8)
        xlabel, ylabel = (
            labelled(text, unit_of(dimension, units)) for text, dimension in self.axes
        )
        axes.set(xlabel=xlabel, ylabel=ylabel)


def unit_of(dimension: str, style: str) -> str:
    """Return the unit of a quantity for figures, or "" if the quantity has no unit.

    `dimension` is written as in `Experiment.units`: for example "length" or "mass/time", or "1" if
    the quantity has no dimension.
    """
    if dimension in ("1", ANGLE):
        return dimension.strip("1")
    names = units_of(style)
    parts = [getattr(names, part) for part in dimension.split("/")]
    return "/".join(parts) if all(parts) else f"{style} units"


def estimate(samples: Any) -> Interval:
    """Return the mean of repetitions with its 95 % interval.

    The interval is infinite if there is only one repetition. It is also infinite if a value is
    missing, because missing values may differ systematically from the others.
    """
    every = np.asarray(samples, dtype=float)
    values = every[np.isfinite(every)]
    if not values.size:
        raise ValueError("no repetition gave a value")
    if values.size < every.size:
        how = f"{every.size - values.size} of {every.size} repetitions gave no value"
    elif values.size < 2:
        how = "only one repetition, so the scatter is unknown"
    else:
        return statistics.mean(values, statistics.SINGLE_LEVEL, "repetitions")
    return Interval(values.mean(), -math.inf, math.inf, how)


def remark_unknown(samples: pd.Series[float], plan: Plan, quantity: str, why: str) -> None:
    """Add a remark if some runs gave no value of a quantity."""
    unknown = int(samples.isna().sum())
    where = f" in {unknown} of {len(samples)} runs" if len(samples) > 1 else ""
    remark = f"{quantity} is not known{where}: {why}"
    if unknown and remark not in plan.remarks:
        plan.remarks.append(remark)


def option(settings: Settings, name: str, default: float) -> float:
    """Return a number from the settings, or `default` if the settings do not contain it."""
    value = settings.options[name]
    return default if value is None else float(value)


def distinct(key: str, values: list[float]) -> list[float]:
    """Return the values of a swept variable.

    Raises ValueError if two values agree to six digits.
    """
    names = [f"{value:g}" for value in values]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{key} = {', '.join(names)} must not contain {name} twice")
    return values


def periodic_width(key: str, width: float, settings: Settings) -> float:
    """Return a periodic width, or raise ValueError if a grain may touch two images of a grain."""
    bound = 2.2 * settings.grains.grading.largest
    if width < bound:
        raise ValueError(f"{key} = {width:g} must be >= {bound:g} (2.2 times the largest diameter)")
    return width


def room(settings: Settings, count: int) -> float:
    """Return the volume needed to place grains at random without overlap."""
    return solid_volume(settings, count) * settings.grains.bounding**3 / LOOSE


def solid_volume(settings: Settings, count: int) -> float:
    """Return the mean solid volume of a number of grains."""
    return count * settings.grains.grading.mean_volume()


def collision_time(
    words: str, diameter: float, density: float, speed: float, pressure: float
) -> float:
    """Return the shortest collision time of two equal grains, computed from the stiffness.

    The stiffness is the largest slope of the force up to the overlap that a speed or a pressure
    causes. Both loading and unloading are evaluated, because yielding contacts are stiffer in
    unloading. Raises ValueError if the force depends on more than the overlap, as with the normal
    model `actm`.
    """
    model = laws.ContactModel(words)
    radius = 0.5 * diameter
    mass = density * math.pi / 6.0 * diameter**3
    overlap = np.geomspace(1e-7, DEEPEST, 600) * radius
    separation = np.zeros((len(overlap), 3))
    separation[:, 0] = diameter - overlap
    step: dict[str, Any] = {"radius_i": radius, "radius_j": radius, "mass_i": mass, "mass_j": mass}
    loaded = model.evaluate(separation, np.zeros_like(separation), timestep=1e-30, **step)
    force = loaded.normal_force
    gained = force - force[0]
    energy = np.concatenate([[0.0], np.cumsum(0.5 * (gained[1:] + gained[:-1]) * np.diff(overlap))])
    reached = (energy < 0.25 * mass * speed**2) | (gained < pressure * diameter**2)
    reached[:2] = True
    relaxed = separation.copy()
    relaxed[:, 0] += 1e-4 * overlap
    unloaded = model.evaluate(
        relaxed, np.zeros_like(separation), timestep=1e-30, history=loaded.history, **step
    )
    slopes = np.gradient(force, overlap)
    back = (force - unloaded.normal_force) / (1e-4 * overlap)
    steepest = float(max(np.nanmax(slopes[reached]), np.nanmax(back[reached][1:])))
    if not (math.isfinite(steepest) and steepest > 0.0):
        raise ValueError(
            "no time step can be computed, because the stiffness of this model is 0 or depends on"
            " more than the overlap"
        )
    return math.pi * math.sqrt(0.5 * mass / steepest)


def time_step(settings: Settings, plan: Plan, parameters: Mapping[str, float]) -> float:
    """Return the time step in the settings or, by default, part of the shortest collision time."""
    if settings.timestep is not None:
        return settings.timestep
    shortest = math.inf
    for name, words in (
        ("contact", settings.contact),
        ("wall", settings.wall),
        ("prepare", settings.prepare),
    ):
        text = filled(words, parameters)
        try:
            laws.ContactModel(text)
        except ValueError as error:
            raise SettingsError(f'{name} = "{text}": {error}') from error
        try:
            time = collision_time(
                text,
                settings.grains.grading.smallest,
                settings.grains.density,
                plan.speed,
                plan.pressure,
            )
        except ValueError as error:
            raise SettingsError(f'{name} = "{text}": {error}; give timestep = …') from error
        shortest = min(shortest, time)
    return float(f"{shortest / STEPS:.3g}")


def filled(words: str, parameters: Mapping[str, float]) -> str:
    """Return a contact model with variables replaced by their values."""
    for name, value in parameters.items():
        words = words.replace(f"${{{name}}}", f"{value:.12g}")
    return words
