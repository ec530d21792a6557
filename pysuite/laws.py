"""The compiled contact laws as numpy functions.

The functions run the code that LAMMPS runs, but do not need LAMMPS.

>>> model = ContactModel("hertz 1e6 50 tangential mindlin 8e5 1 0.3 slider csds")
>>> step = model.evaluate(separation=[[0.99, 0, 0]], velocity=[[0, 1, 0]], timestep=1e-5)
>>> step.force.shape, step.history.shape
((1, 3), (1, 3))

All units are allowed in which force = mass distance / time^2. If LAMMPS would reject a text, the
functions raise ValueError with LAMMPS's message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy
from numpy.typing import ArrayLike, NDArray

from pysuite import sources

try:
    from granular_plus import _laws
except ImportError as error:
    raise ImportError(
        "The compiled laws are missing: install them with `pip install .` in the source folder."
    ) from error

Array = NDArray[numpy.float64]
Bools = NDArray[numpy.bool_]


class Parameter(TypedDict):
    """A dictionary that describes one argument of a law.

    Keys:
        symbol: symbol of the argument in the manual.
        unit: unit in words, such as "force/distance".
        meaning: meaning of the argument.
        low: lower bound.
        high: upper bound.
        low_allowed: whether the value may equal the lower bound.
        high_allowed: whether the value may equal the upper bound.
        may_be_null: whether NULL may replace the value.
        may_be_missing: whether the argument is optional.
        may_be_steps: whether the word `steps` and a number of time steps may replace the value.
        label: keyword that precedes the value; "" if there is none.
    """

    symbol: str
    unit: str
    meaning: str
    low: float
    high: float
    low_allowed: bool
    high_allowed: bool
    may_be_null: bool
    may_be_missing: bool
    may_be_steps: bool
    label: str


class Law(TypedDict):
    """A dictionary that describes one law of a role.

    Keys:
        name: name of the law in a contact model.
        source: publication in which the law is described.
        cites: keys of the source in the bibliography of `pysuite.sources`.
        parameters: arguments of the law, in their order.
        coefficient_unit: unit of the coefficient that a damping law reads from the normal law.
        history: number of values that a contact stores.
        history_vectors: number of vectors at the beginning of the stored values that change sign
            when the two particles are exchanged.
        needs_material: whether a tangential law needs Young's modulus and Poisson's ratio from the
            normal law.
        per_collision: whether a normal law sets stiffness and damping for each contact.
        yields: whether contacts deform permanently with this normal law.
        non_local: whether the force of a contact depends on all contacts of its grains. Such a law
            works only within LAMMPS.
        synchronizes: whether `synchronized_verlet` has an effect on this tangential law.
    """

    name: str
    source: str
    cites: list[str]
    parameters: list[Parameter]
    coefficient_unit: str
    history: int
    history_vectors: int
    needs_material: bool
    per_collision: bool
    yields: bool
    non_local: bool
    synchronizes: bool


def registry() -> dict[str, list[Law]]:
    """Return the laws for each role (normal, damping, tangential, slider, ...)."""
    return {role: [_with_sources(law) for law in laws] for role, laws in _laws.registry().items()}


def attraction() -> Law:
    """Return the law of van der Waals attraction.

    This law is added to normal laws, and has no role of its own.
    """
    return _with_sources(_laws.attraction())


def _with_sources(law: Law) -> Law:
    cites = sources.keys(law["source"])
    return {**law, "cites": cites, "source": sources.expand(law["source"])}


class ClassicWord(NamedTuple):
    """A word of a contact model that replaces a style gran/*.

    Attributes:
        text: the word, or the argument of gran/* from which the word is computed.
        computed: how the word is computed: "" if it is `text` itself, "two sevenths" of `text`, or
            "ratio" for text/divisor.
        divisor: argument of gran/* that is the divisor of a ratio; otherwise empty.
    """

    text: str
    computed: str
    divisor: str


def classic(model: str, arguments: Sequence[str]) -> list[ClassicWord]:
    """Return the words of the contact model that is equivalent to a style gran/* and its arguments.

    Args:
        model: hooke, hooke/history or hertz/history.
        arguments: Kn Kt gamma_n gamma_t xmu dampflag and, optionally, limit_damping. Arguments from
            which a word is computed may also be variables.

    Raises:
        ValueError: the model, the number of arguments or dampflag is invalid.
    """
    return [ClassicWord(*word) for word in _laws.classic(model, list(arguments))]


def outputs() -> dict[str, list[tuple[str, str, str]]]:
    """Return name, unit and meaning of each style's outputs; see `pysuite.outputs`."""
    return _laws.outputs()


def clones() -> list[str]:
    """Return the instruction sets for which the laws are compiled and which this CPU supports."""
    return _laws.clones()


def elementary(function: str, x: ArrayLike) -> Array:
    """Return the logarithm, exponential or arctangent that the compiled laws use.

    Raises ValueError if `function` is another function, or if x does not have the shape (n,).
    """
    return _laws.elementary(function, numpy.ascontiguousarray(_array("x", x, (None,))))


def mix(first: str, second: str) -> str:
    """Return the text of the model that LAMMPS would mix for contacts between two types.

    The text is only for reading, because it contains an effective modulus in place of Young's
    modulus. Raises ValueError if the two models cannot be mixed.
    """
    return _laws.canonical(f"{first} | {second}", False)


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
    """Compute one time step of n independent springs, each with a slider.

    Args:
        slider: csds, dsds or truncate.
        state: displacement of the springs or, with `carries_force`, their force; shape (n, 3).
        velocity: velocity at the half step; shape (n, 3).
        stiffness: stiffness of the spring; shape (n,), or a scalar.
        damping: coefficient of the dashpot; shape (n,), or a scalar.
        bound: Coulomb limit mu F_n; shape (n,), or a scalar.
        timestep: time step, a scalar.
        carries_force: whether `state` is the spring's force instead of its displacement.
        clone: one of `clones()`; if empty, the fastest is used.

    Returns:
        The acting force, and the state at the end of the step: two arrays of shape (n, 3).

    Raises:
        ValueError: the slider or clone is unknown, or an argument has an invalid shape or value.
            The message names the argument.
    """
    state = _vectors("state", state)
    count = len(state)
    return _laws.slide(
        slider,
        state,
        _vectors("velocity", velocity, count),
        _scalars("stiffness", stiffness, count, NON_NEGATIVE),
        _scalars("damping", damping, count, NON_NEGATIVE),
        _scalars("bound", bound, count, MAY_BE_INFINITE),
        _timestep(timestep),
        carries_force,
        clone,
    )


@dataclass(frozen=True)
class Step:
    """Result of one step of n contacts.

    Attributes:
        force: force on particle i, shape (n, 3). The opposite force acts on j.
        torque_i: torque about the centre of i, shape (n, 3).
        torque_j: torque about the centre of j, shape (n, 3).
        normal_force: normal force of spring and dashpot, shape (n,), positive if repulsive.
        history: history at the end of the step, shape (n, history_size).
        conductance: heat per time and temperature difference, shape (n,).
        warming: heat per time that dissipation gives to each of the two particles, shape (n,).
        energy: elastic energy of normal contact, shape (n,). Without `observe`, energies are 0.
        plastic_loss: energy lost in plastic deformation in this step, shape (n,). Without
            `observe`, losses are 0.
    """

    force: Array
    torque_i: Array
    torque_j: Array
    normal_force: Array
    history: Array
    conductance: Array
    warming: Array
    energy: Array
    plastic_loss: Array


class ContactModel:
    """A contact model, given by the words that follow the types in a pair_coeff command.

    With `wall`, the model describes contacts with a wall, and the words may include `wallmaterial E
    nu`. The attribute `text` then contains a single material, which is equivalent to the materials
    of grain and wall. If `mixed_with` contains the words of a second model, the result is the
    mixture of both models that LAMMPS uses for contacts between unlike types.

    Attributes:
        text: the words of the model with all defaults.
        history_size: number of values that a contact stores.
        wall: whether the model describes contacts with a wall.
    """

    def __init__(self, text: str, *, wall: bool = False, mixed_with: str = ""):
        given = f"{text} | {mixed_with}" if mixed_with else text
        self.text: str = _laws.canonical(given, wall)
        self.history_size: int = _laws.history_size(given, wall)
        self.wall = wall
        self._given = given if mixed_with else self.text

    def __repr__(self) -> str:
        return f"ContactModel({self.text!r})"

    def breaking_gap(self, radius_i: float, radius_j: float) -> float:
        """Return the largest gap across which an existing contact or liquid bridge acts.

        A plane has an infinite radius. Raises ValueError if a radius is not > 0.
        """
        for name, radius in (("radius_i", radius_i), ("radius_j", radius_j)):
            _check(name, numpy.asarray(radius, dtype=float), "> 0", radius > 0.0)
        return _laws.breaking_gap(self.text, radius_i, radius_j)

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
        gradient: ArrayLike | None = None,
        history: ArrayLike | None = None,
        clone: str = "",
        observe: bool = False,
    ) -> Step:
        """Take one step of n independent contacts.

        Across a gap, no force acts and history is zero, unless the pair is assumed to be joined.
        Pairs within the range of adhesion are assumed to be joined. If the model has a bridge law,
        pairs at any distance are assumed to be joined.

        Args:
            separation: x_i - x_j, shape (n, 3).
            velocity: v_i - v_j at the half step, shape (n, 3).
            timestep: time step, a scalar. With 0, the result is the current force, and the springs
                are unchanged.
            spin_i: angular velocity of particle i, shape (n, 3) or (3,).
            spin_j: angular velocity of the partner, shape (n, 3) or (3,).
            radius_i: radius of particle i, shape (n,), or a scalar.
            radius_j: radius of the partner, shape (n,), or a scalar.
            mass_i: mass of particle i, shape (n,), or a scalar.
            mass_j: mass of the partner, shape (n,), or a scalar; infinite if the partner is fixed.
            surface_radius: radius of curvature of a wall, shape (n,), or a scalar; infinite for a
                plane, and negative where the wall is concave. Separation and velocity are relative
                to the nearest point of the wall, and `torque_j` acts about this point. The wall has
                no radius and is fixed.
            gradient: derivative of the overlap with respect to the approach along the normal, for
                surfaces of any shape; shape (n,), or a scalar. None stands for 1, which is right
                for spheres and simple walls. If a gradient is given, choose `separation` and radii
                such that they give the actual overlap and normal.
            history: history at the end of the previous step, shape (n, history_size), or None for
                new contacts.
            clone: one of `clones()`; if empty, the fastest is used.
            observe: whether to compute energies.

        Raises:
            ValueError: the clone is unknown, or an argument has an invalid shape or value. The
                message names the argument.
        """
        separation = _vectors("separation", separation)
        count = len(separation)
        radius_i = _scalars("radius_i", radius_i, count, POSITIVE)
        mass_i = _scalars("mass_i", mass_i, count, POSITIVE)
        surface_radius = _scalars("surface_radius", surface_radius, count, NOT_ZERO)
        if self.wall:
            radius_j, mass_j = numpy.zeros(count), numpy.full(count, numpy.inf)
            fits = (surface_radius > 0.0) | (surface_radius < -radius_i)
            _check("surface_radius", surface_radius, "> 0 or, if concave, < -radius_i", fits)
        else:
            radius_j = _scalars("radius_j", radius_j, count, POSITIVE)
            mass_j = _scalars("mass_j", mass_j, count, POSITIVE_OR_INFINITE)
        if history is None:
            history = numpy.zeros((count, self.history_size))
        history = _array("history", history, (count, self.history_size))
        _check("history", history, FINITE[0], FINITE[1](history))
        history = numpy.ascontiguousarray(history)
        result = _laws.evaluate(
            self._given,
            self.wall,
            separation,
            _vectors("velocity", velocity, count),
            _vectors("spin_i", spin_i, count, one_for_all=True),
            _vectors("spin_j", spin_j, count, one_for_all=True),
            radius_i,
            radius_j,
            mass_i,
            mass_j,
            surface_radius,
            None if gradient is None else _scalars("gradient", gradient, count, POSITIVE),
            history,
            _timestep(timestep),
            clone,
            observe,
        )
        return Step(**result)


@dataclass(frozen=True)
class Bonds:
    """Result of one step of n bonds.

    Attributes:
        force: force on grain i, shape (n, 3). The opposite force acts on j.
        torque_i: torque about the centre of i, shape (n, 3).
        torque_j: torque about the centre of j, shape (n, 3).
        energy: elastic energy, shape (n,).
        stress: stresses from axial force, bending, shear and torsion, shape (n, 4).
        breaks: 1 if a bond breaks in tension, 2 if a bond breaks in shear, otherwise 0; shape (n,).
            In the step in which a bond breaks, `force` and the torques are halved, because the bond
            acts only in the first half of the interval. `energy` is then the energy that the break
            releases.
        loss: energy dissipated by the dashpots in this step, shape (n,). The dashpot forces of the
            previous step are assumed to be 0.
    """

    force: Array
    torque_i: Array
    torque_j: Array
    energy: Array
    stress: Array
    breaks: Array
    loss: Array


def bonds(
    text: str,
    birth: tuple[ArrayLike, ArrayLike, ArrayLike],
    now: tuple[ArrayLike, ArrayLike, ArrayLike],
    *,
    timestep: float = 0.0,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    spin_i: ArrayLike = (0.0, 0.0, 0.0),
    spin_j: ArrayLike = (0.0, 0.0, 0.0),
    radius_i: ArrayLike = 0.5,
    radius_j: ArrayLike = 0.5,
    mass_i: ArrayLike = 1.0,
    mass_j: ArrayLike = 1.0,
    clone: str = "",
) -> Bonds:
    """Evaluate n independent bonds, without the contacts of their grains.

    Positions and velocities are given for j relative to i, whereas `ContactModel.evaluate` uses i
    relative to j. The resulting `force` acts on i in both functions.

    Args:
        text: words of a pair_coeff command after the types, with keyword bond.
        birth: state in which the bonds formed, as three arrays: x_j - x_i, shape (n, 3), and the
            orientations of i and of j, shape (n, 4), as unit quaternions w, x, y, z.
        now: the same quantities at the end of the step.
        timestep: time step, a scalar. With 0, the result is the current force, and nothing breaks.
        velocity: v_j - v_i at the half step, shape (n, 3) or (3,).
        spin_i: angular velocity of grain i, shape (n, 3) or (3,).
        spin_j: angular velocity of the partner, shape (n, 3) or (3,).
        radius_i: radius of grain i, shape (n,), or a scalar.
        radius_j: radius of the partner, shape (n,), or a scalar.
        mass_i: mass of grain i, shape (n,), or a scalar.
        mass_j: mass of the partner, shape (n,), or a scalar.
        clone: one of `clones()`; if empty, the fastest is used.

    Raises:
        ValueError: the text has no keyword bond, the clone is unknown, or an argument has an
            invalid shape or value. The message names the argument.
    """
    count = len(_vectors("birth", birth[0]))

    def state(name: str, given: tuple[ArrayLike, ArrayLike, ArrayLike]) -> list[Array]:
        turned = [_array(f"{name} orientation", q, (count, 4)) for q in given[1:]]
        return [_vectors(name, given[0], count), *map(numpy.ascontiguousarray, turned)]

    result = _laws.bonds(
        text,
        *state("birth", birth),
        *state("now", now),
        _vectors("velocity", velocity, count, one_for_all=True),
        _vectors("spin_i", spin_i, count, one_for_all=True),
        _vectors("spin_j", spin_j, count, one_for_all=True),
        _scalars("radius_i", radius_i, count, POSITIVE),
        _scalars("radius_j", radius_j, count, POSITIVE),
        _scalars("mass_i", mass_i, count, POSITIVE),
        _scalars("mass_j", mass_j, count, POSITIVE),
        _timestep(timestep),
        clone,
    )
    return Bonds(**result)


# ----------------------------------------------------------------------- checks of arguments

Test = Callable[[Array], Bools]

FINITE: tuple[str, Test] = ("finite", numpy.isfinite)
POSITIVE: tuple[str, Test] = ("> 0 and finite", lambda x: numpy.isfinite(x) & (x > 0.0))
POSITIVE_OR_INFINITE: tuple[str, Test] = ("> 0", lambda x: x > 0.0)
NON_NEGATIVE: tuple[str, Test] = (">= 0 and finite", lambda x: numpy.isfinite(x) & (x >= 0.0))
MAY_BE_INFINITE: tuple[str, Test] = (">= 0", lambda x: x >= 0.0)
NOT_ZERO: tuple[str, Test] = ("a number other than 0", lambda x: ~numpy.isnan(x) & (x != 0.0))


def _array(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> Array:
    """Return values as an array of a given shape. None in `shape` stands for any length."""
    try:
        array = numpy.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not an array of numbers: {error}") from error
    wanted = [length if k is None else k for k, length in zip(shape, array.shape, strict=False)]
    if array.ndim != len(shape) or list(array.shape) != wanted:
        lengths = ", ".join("n" if k is None else str(k) for k in shape)
        lengths += "," if len(shape) == 1 else ""
        raise ValueError(f"{name} has shape {array.shape}, but must have shape ({lengths})")
    return array


def _vectors(
    name: str, values: ArrayLike, count: int | None = None, *, one_for_all: bool = False
) -> Array:
    """Return finite numbers as an array of shape (n, 3).

    With `one_for_all`, a single vector may be given for all contacts.
    """
    if one_for_all and count is not None and numpy.ndim(values) == 1:
        array = numpy.tile(_array(name, values, (3,)), (count, 1))
    else:
        array = _array(name, values, (count, 3))
    _check(name, array, FINITE[0], FINITE[1](array))
    return numpy.ascontiguousarray(array)


def _scalars(name: str, values: ArrayLike, count: int, bounds: tuple[str, Test]) -> Array:
    """Return numbers within bounds as an array of shape (n,).

    A single number may be given for all contacts.
    """
    array = _array(name, values, () if numpy.ndim(values) == 0 else (count,))
    _check(name, array, bounds[0], bounds[1](array))
    return numpy.ascontiguousarray(numpy.broadcast_to(array, count))


def _timestep(value: float) -> float:
    return float(_scalars("timestep", value, 1, NON_NEGATIVE)[0])


def _check(name: str, array: Array, bound: str, allowed: Bools | bool) -> None:
    for place in numpy.argwhere(~numpy.asarray(allowed)):
        index = f"[{', '.join(map(str, place))}]" if len(place) else ""
        raise ValueError(f"{name}{index} = {array[tuple(place)]:g} must be {bound}")
