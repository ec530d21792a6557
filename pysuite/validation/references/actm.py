"""Damped Hertz collisions for the adaptive collision time model.

In a collision of effective mass m with approach speed u, the overlap x obeys

    m x'' + d x' + k x^(3/2) = 0.

With x = u t* z, t* = (m^2 / (k^2 u))^(1/5) and damping = d t* / (2 m), this equation becomes

    z'' + 2 damping z' + z^(3/2) = 0,  z(0) = 0, z'(0) = 1.

The collision ends after the duration tau, when z = 0 again. Then z' = -restitution (Ray, Kempe &
Fröhlich, Int. J. Multiphase Flow 76 (2015) 101). The exact solution is in `pysuite.damped_hertz`.
This module contains the approximations of Ray et al. and those of Kempe & Fröhlich, J. Fluid Mech.
709 (2012) 445.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pysuite.damped_hertz import collide, damping_for

Number = TypeVar("Number", float, NDArray[np.float64])

UNDAMPED_DURATION = (
    4 / 5 * (5 / 4) ** (2 / 5) * math.sqrt(math.pi) * math.gamma(2 / 5) / math.gamma(9 / 10)
)
UNDAMPED_OVERLAP = (5 / 4) ** (2 / 5)
SLOPE = 10 / 9 * UNDAMPED_DURATION  # d(1 - restitution)/d(damping) at zero damping


class Contact(NamedTuple):
    """Stiffness k and dashpot coefficient d of a contact with the force F = k x^(3/2) + d x'."""

    stiffness: float
    damping: float


def contact(damping: float, duration: float, time: float, speed: float, mass: float) -> Contact:
    """Return the contact from a dimensionless damping and duration, and the collision time."""
    unit = time / duration
    return Contact(mass / math.sqrt(speed * unit**5), 2.0 * damping * mass / unit)


def exact_contact(restitution: float, time: float, speed: float, mass: float) -> Contact:
    """Return the contact that has exactly the given restitution and collision time."""
    damping = damping_for(restitution)
    return contact(damping, collide(damping).duration, time, speed, mass)


def resulting_collision(
    stiffness: float, damping: float, speed: float, mass: float
) -> tuple[float, float, float]:
    """Return the exact restitution, collision time and largest overlap of a contact."""
    unit = (mass**2 / (stiffness**2 * speed)) ** 0.2
    result = collide(damping * unit / (2.0 * mass))
    return result.restitution, result.duration * unit, result.overlap * unit * speed


# ------------------------------------------------------------------- approximations of the papers


def series(damping: float) -> tuple[float, float]:
    """Return restitution (to second order) and duration (to first order) as series in damping."""
    weak = SLOPE * damping
    return 1.0 - weak + 0.4 * weak**2, UNDAMPED_DURATION * (1.0 + 0.1 * weak)


# Ray et al. 2015, with digits of the public code CP3d (CFDACM, Prtcl_Property.f90)
DIRECT_A, DIRECT_B, DIRECT_C = 0.716, 0.830, 0.744
DIRECT_DURATION = 3.218
DIRECT_SLOPE = 1.111 * DIRECT_DURATION


def direct_fits(damping: float) -> tuple[float, float]:
    """Return restitution and duration from damping: closed forms of Ray et al. 2015."""
    restitution = math.exp(-DIRECT_SLOPE * damping / math.sqrt(1.0 - DIRECT_C * damping))
    shortening = 1.0 - DIRECT_A * damping - DIRECT_B * damping**2
    return restitution, DIRECT_DURATION / math.sqrt(shortening)


def direct_inversion(restitution: float) -> tuple[float, float]:
    """Return damping and duration from restitution: direct formulas of Ray et al. 2015."""
    logarithm = math.log(restitution) ** 2
    half = 0.5 * DIRECT_C * logarithm
    root = math.sqrt(half**2 + DIRECT_SLOPE**2 * logarithm)
    damping = (root - half) / DIRECT_SLOPE**2
    return damping, direct_fits(damping)[1]


def direct_contact(restitution: float, time: float, speed: float, mass: float) -> Contact:
    """Return the contact from restitution and collision time: formulas of Ray et al. 2015."""
    return contact(*direct_inversion(restitution), time, speed, mass)


class Iteration(NamedTuple):
    """The result of the iteration, and the number of collisions that were integrated."""

    contact: Contact
    integrations: int


def iterative_contact(
    restitution: float,
    time: float,
    speed: float,
    mass: float,
    tolerance: float = 1e-3,
    steps: int = 200,
    undamped_start: bool = False,
    secant: bool = False,
) -> Iteration:
    """Return the contact from restitution and time: iteration of Kempe & Fröhlich 2012.

    Each round corrects k and d by Newton's method with finite differences. The errors of
    restitution and time are ln(result / target). The iteration ends when the root of the sum of the
    two squared errors is at most `tolerance`. With `undamped_start`, the first round has no
    dashpot. With `secant`, later rounds use Broyden's rule.

    Raises:
        ValueError: no solution was found in 30 rounds.
    """
    logarithm = math.log(restitution)
    start = min(-logarithm / SLOPE, 0.4)  # if the damping is above about 0.56, spheres stick
    start = 0.0 if undamped_start else start
    stiffness, damping = contact(start, UNDAMPED_DURATION, time, speed, mass)
    derivatives: tuple[float, float, float, float] | None = None
    last: tuple[float, float, float, float] | None = None
    integrations = 0

    def errors(stiffness: float, damping: float) -> tuple[float, float]:
        nonlocal integrations
        integrations += 1
        e, t = _integrate(stiffness / mass, damping / mass, speed, time / steps)
        return math.log(max(e, 1e-12)) - logarithm, math.log(t / time)

    for _ in range(30):
        first, second = errors(stiffness, damping)
        if math.hypot(first, second) <= tolerance:
            return Iteration(Contact(stiffness, damping), integrations)
        if derivatives is None or last is None or not secant:
            small = 1e-4
            nudge = small * max(damping, 1e-3 * mass / time)
            by_stiffness = errors(stiffness * math.exp(small), damping)
            by_damping = errors(stiffness, damping + nudge)
            a, c = ((by_stiffness[k] - (first, second)[k]) / small for k in (0, 1))
            b, d = ((by_damping[k] - (first, second)[k]) / nudge for k in (0, 1))
        else:
            a, b, c, d = broyden(derivatives, last, (first, second), mass / time)
        derivatives = (a, b, c, d)
        determinant = a * d - b * c
        if determinant == 0.0:
            break
        change = min(max(-(d * first - b * second) / determinant, -1.0), 1.0)
        stiffness *= math.exp(change)
        more = -(a * second - c * first) / determinant
        more = max(min(max(more, -0.5 * damping), damping + mass / time), -damping)
        damping += more
        last = (first, second, change, more)
    raise ValueError(f"no stiffness and damping found for restitution {restitution}")


def resulting_by_steps(
    stiffness: float, damping: float, time: float, speed: float, mass: float, steps: int = 200
) -> tuple[float, float]:
    """Integrate a collision with the time step time / steps. Return restitution and duration."""
    return _integrate(stiffness / mass, damping / mass, speed, time / steps)


def broyden(
    derivatives: tuple[float, float, float, float],
    last: tuple[float, float, float, float],
    errors: tuple[float, float],
    unit: float,
) -> tuple[float, float, float, float]:
    """Return the derivatives of two errors, corrected by Broyden's rule after a step.

    `derivatives` contains the derivatives of the first error with respect to ln k and the dashpot,
    followed by the derivatives of the second error. `last` contains both errors before the step,
    followed by the changes of ln k and the dashpot in the step. The length of the step is
    calculated with the dashpot in units of `unit`.
    """
    a, b, c, d = derivatives
    first, second, change, more = last
    length = change**2 + (more / unit) ** 2
    by_stiffness, by_damping = change / length, more / (unit**2 * length)
    one = errors[0] - first - a * change - b * more
    two = errors[1] - second - c * change - d * more
    return (
        a + one * by_stiffness,
        b + one * by_damping,
        c + two * by_stiffness,
        d + two * by_damping,
    )


def runge_kutta_step(
    acceleration: Callable[[Number, Number], Number], x: Number, v: Number, step: Number
) -> tuple[Number, Number]:
    """Return position and velocity after a step of the classical Runge-Kutta scheme."""
    a1 = acceleration(x, v)
    v2 = v + 0.5 * step * a1
    a2 = acceleration(x + 0.5 * step * v, v2)
    v3 = v + 0.5 * step * a2
    a3 = acceleration(x + 0.5 * step * v2, v3)
    v4 = v + step * a3
    a4 = acceleration(x + step * v3, v4)
    return (
        x + step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4),
        v + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
    )


def _integrate(stiffness: float, damping: float, speed: float, step: float) -> tuple[float, float]:
    """Return restitution and collision time. Stiffness and damping are per unit mass."""

    def acceleration(x: float, v: float) -> float:
        return -damping * v - stiffness * max(x, 0.0) ** 1.5

    x, v, time = 0.0, speed, 0.0
    for _ in range(10_000):
        next_x, next_v = runge_kutta_step(acceleration, x, v, step)
        if next_x <= 0.0:
            part = x / (x - next_x)
            return -(v + part * (next_v - v)) / speed, time + part * step
        x, v, time = next_x, next_v, time + step
    return 0.0, time


# --------------------------------------------------------------------------------- granular gas


def haff_rate(
    restitution: float, volume_fraction: float, diameter: float = 1.0, speed: float = 1.0
) -> float:
    """Return 1/tau of Haff's law T = T0/(1 + t/tau)^2 for smooth spheres in three dimensions.

    The rate is 1/tau = (1 - e^2) omega/6 (1 + 3 a2/16). The initial collision rate is
    omega = 4 n d^2 g0 sqrt(pi) v with v^2 = T0/m. g0 is the contact value of Carnahan and Starling.
    a2 is the Sonine coefficient of the homogeneous cooling state (van Noije & Ernst, Granular
    Matter 1 (1998) 57).
    """
    e, phi = restitution, volume_fraction
    contact_value = (1.0 - 0.5 * phi) / (1.0 - phi) ** 3
    density = 6.0 * phi / (math.pi * diameter**3)
    collisions = 4.0 * density * diameter**2 * contact_value * math.sqrt(math.pi) * speed
    kurtosis = 16.0 * (1.0 - e) * (1.0 - 2.0 * e**2)
    kurtosis /= 81.0 - 17.0 * e + 30.0 * e**2 * (1.0 - e)
    return (1.0 - e**2) / 6.0 * collisions * (1.0 + 3.0 / 16.0 * kurtosis)
