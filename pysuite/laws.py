"""The compiled contact laws as numpy functions: the code that LAMMPS runs, without LAMMPS.

>>> stack = Stack("hertz 1e6 50 tangential mindlin 8e5 1 0.3 slider csds")
>>> step = stack.evaluate(separation=[[0.99, 0, 0]], velocity=[[0, 1, 0]], timestep=1e-5)
>>> step.force.shape, step.history.shape
((1, 3), (1, 3))

Units are the caller's, as with LAMMPS: any set in which force = mass distance / time^2. Text that
LAMMPS would refuse raises ValueError with the same message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

try:
    from granular_plus import _laws
except ImportError as error:
    raise ImportError(
        "The compiled laws are missing: install them with `pip install .` in the source folder."
    ) from error

Array = NDArray[numpy.float64]


def registry() -> dict[str, list[dict[str, Any]]]:
    """Return all laws by role (normal, damping, tangential, slider, ...).

    A law is a dict with name, source, history (values kept per contact) and parameters; a
    parameter is a dict with symbol, unit, meaning, low, high, low_allowed, high_allowed,
    may_be_null and label, a word that stands before its value.
    """
    return _laws.registry()


def clones() -> list[str]:
    """Return the instruction sets that the laws are compiled for and this processor runs."""
    return _laws.clones()


def elementary(function: str, x: ArrayLike) -> Array:
    """Return logarithm, exponential or arctangent of (n,) numbers, as laws compute them.

    Raises ValueError for another function.
    """
    return _laws.elementary(function, numpy.ascontiguousarray(x, dtype=float))


def mix(first: str, second: str) -> str:
    """Return the text of the stack that LAMMPS would mix for contacts between two types.

    The text is for reading: an effective modulus stands in it where Young's modulus would.
    Raises ValueError where the two cannot be mixed.
    """
    return _laws.mix(first, second)


def slide(
    slider: str,
    state: ArrayLike,
    velocity: ArrayLike,
    *,
    stiffness: ArrayLike,
    damping: ArrayLike,
    bound: ArrayLike,
    timestep: float,
    carries_force: bool = False,
    clone: str = "",
) -> tuple[Array, Array]:
    """Take one step of a slider on n independent springs.

    Args:
        slider: csds, dsds or truncate.
        state: (n, 3) displacement of the springs, or their force with `carries_force`.
        velocity: (n, 3) at the half step.
        stiffness: (n,) or scalar, of the spring.
        damping: (n,) or scalar, coefficient of the dashpot.
        bound: (n,) or scalar, Coulomb's bound mu F_n.
        timestep: scalar.
        carries_force: whether `state` is the spring's force instead of its displacement.
        clone: one of `clones()`; empty for the fastest.

    Returns:
        The force that acts, (n, 3), and the state at the end of the step, (n, 3).

    Raises:
        ValueError: unknown slider or clone, or shapes that do not fit.
    """
    state = _vectors(state)
    count = len(state)
    return _laws.slide(
        slider,
        state,
        _vectors(velocity, count),
        _scalars(stiffness, count),
        _scalars(damping, count),
        _scalars(bound, count),
        float(timestep),
        carries_force,
        clone,
    )


@dataclass(frozen=True)
class Step:
    """What n contacts give in one step.

    Attributes:
        force: (n, 3) on particle i; the opposite acts on j.
        torque_i, torque_j: (n, 3) about the centres.
        normal_force: (n,) spring and dashpot, positive when repulsive.
        history: (n, history_size) at the end of the step.
        conductance: (n,) heat per time and difference of temperature.
        warming: (n,) heat per time that dissipation gives to either particle.
    """

    force: Array
    torque_i: Array
    torque_j: Array
    normal_force: Array
    history: Array
    conductance: Array
    warming: Array


class Stack:
    """A stack of laws, given by the words of a pair_coeff command after the types.

    With `wall`, the laws of contacts with a wall, which may have `wallmaterial E nu`; the text then
    names the one material that meets itself as grains and wall meet. With `mixed_with`, the stack
    that LAMMPS mixes of the two for contacts between unlike types.
    """

    def __init__(self, text: str, *, wall: bool = False, mixed_with: str = ""):
        given = f"{text} | {mixed_with}" if mixed_with else text
        self.text: str = _laws.canonical(given, wall)
        self.history_size: int = _laws.history_size(given, wall)
        self.wall = wall
        self._given = given if mixed_with else self.text

    def __repr__(self) -> str:
        return f"Stack({self.text!r})"

    def reach(self, radius_i: float, radius_j: float) -> float:
        """Return the gap up to which a contact or liquid bridge that has formed acts."""
        return _laws.reach(self.text, radius_i, radius_j)

    def evaluate(
        self,
        separation: ArrayLike,
        velocity: ArrayLike,
        *,
        timestep: float,
        spin_i: ArrayLike = (0.0, 0.0, 0.0),
        spin_j: ArrayLike = (0.0, 0.0, 0.0),
        radius_i: ArrayLike = 0.5,
        radius_j: ArrayLike = 0.5,
        mass_i: ArrayLike = 1.0,
        mass_j: ArrayLike = 1.0,
        surface_radius: ArrayLike = numpy.inf,
        history: ArrayLike | None = None,
        clone: str = "",
    ) -> Step:
        """Take one step of n independent contacts.

        With a liquid bridge, pairs that are apart are taken as bridged, at any distance.

        Args:
            separation: (n, 3), x_i - x_j.
            velocity: (n, 3), v_i - v_j at the half step.
            timestep: scalar; 0 gives the force as it stands and leaves springs as they are.
            spin_i: angular velocity, (n, 3) or (3,).
            spin_j: the partner's.
            radius_i: (n,) or scalar.
            radius_j: the partner's.
            mass_i: (n,) or scalar.
            mass_j: the partner's.
            surface_radius: of a wall, (n,) or scalar; infinite for a plane, negative where it is
                hollow. Separation and velocity are those from the nearest point of the wall, about
                which `torque_j` acts; the wall has no radius and cannot be moved.
            history: (n, history_size) of the step before; None for new contacts.
            clone: one of `clones()`; empty for the fastest.

        Raises:
            ValueError: unknown clone, or shapes that do not fit.
        """
        separation = _vectors(separation)
        count = len(separation)
        shape = (count, self.history_size)
        if history is None:
            history = numpy.zeros(shape)
        if self.wall:
            radius_j, mass_j = 0.0, -1.0
        result = _laws.evaluate(
            self._given,
            self.wall,
            separation,
            _vectors(velocity, count),
            _vectors(spin_i, count),
            _vectors(spin_j, count),
            _scalars(radius_i, count),
            _scalars(radius_j, count),
            _scalars(mass_i, count),
            _scalars(mass_j, count),
            _scalars(surface_radius, count),
            numpy.ascontiguousarray(history, dtype=float),
            float(timestep),
            clone,
        )
        result["history"] = result["history"][:, : self.history_size]
        return Step(**result)


def _vectors(values: ArrayLike, count: int | None = None) -> Array:
    array = numpy.asarray(values, dtype=float)
    shape = (len(array) if count is None else count, 3)
    return numpy.ascontiguousarray(numpy.broadcast_to(array, shape))


def _scalars(values: ArrayLike, count: int) -> Array:
    return numpy.ascontiguousarray(numpy.broadcast_to(numpy.asarray(values, dtype=float), count))
