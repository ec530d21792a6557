"""Chains of equal spheres: modes of a periodic chain, and the pulse in a chain with Hertz's law."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

INERTIA = 0.4  # moment of inertia of a solid sphere / (m R^2)


class Modes(NamedTuple):
    """Squared frequencies of a periodic chain of n spheres, in ascending order.

    Attributes:
        longitudinal: array of shape (n,), in units of k_n/m.
        transverse: array of shape (2 n,), in units of k_t/m. In these modes the spheres move across
            the chain and spin.
    """

    longitudinal: Array
    transverse: Array


def modes(count: int) -> Modes:
    """Return the eigenvalues of a periodic chain of spheres of radius 1/2 and mass 1.

    The tangential spring between two neighbours is stretched by the relative displacement of their
    surfaces, y' - y - (spin + spin')/2. Primes denote the second of the two spheres.
    """
    n = np.arange(count)
    stretch = np.zeros((count, count))
    stretch[n, n], stretch[n, (n + 1) % count] = -1.0, 1.0
    sum_of_spins = np.zeros((count, count))
    sum_of_spins[n, n] = sum_of_spins[n, (n + 1) % count] = 1.0
    slip = np.hstack([stretch, -0.5 * sum_of_spins])
    root_of_mass = np.sqrt(np.repeat([1.0, INERTIA / 4.0], count))
    scaled = slip / root_of_mass
    return Modes(np.linalg.eigvalsh(stretch.T @ stretch), np.linalg.eigvalsh(scaled.T @ scaled))


def longitudinal_frequency(wave_number: float) -> float:
    """Return the frequency of a longitudinal mode in units of sqrt(k_n/m).

    The wave number is in units of 1/diameter.
    """
    return float(2.0 * abs(np.sin(wave_number / 2.0)))


def shear_frequency(wave_number: float) -> float:
    """Return the frequency of the transverse mode that stretches springs.

    The frequency is in units of sqrt(k_t/m). The wave number is in units of 1/diameter.
    """
    half = wave_number / 2.0
    return float(np.sqrt(4.0 * np.sin(half) ** 2 + 4.0 / INERTIA * np.cos(half) ** 2))


class Pulse(NamedTuple):
    """The pulse in a chain of balls at rest when the first ball has the initial speed v.

    The contact force is F = A overlap^(3/2).

    Attributes:
        speed: number of balls that the pulse passes per time, in units of (A/m)^(2/5) v^(1/5).
        velocity: largest velocity of a ball, divided by v.
        force: largest force, in units of A^(2/5) m^(3/5) v^(6/5).
        wall_force: largest force on a rigid wall, in units of A^(2/5) m^(3/5) v^(6/5). The wall
            mirrors the ball: F = A (2 overlap)^(3/2).
    """

    speed: float
    velocity: float
    force: float
    wall_force: float

    @property
    def scaled_speed(self) -> float:
        """Speed in units of sqrt(A^(2/3) F^(1/3)/m), where F is the largest force."""
        return self.speed / self.force ** (1.0 / 6.0)


WALL_STIFFNESS = 2.0**1.5  # stiffness of the contact with the wall / A


def pulse(count: int = 60, samples: int = 200) -> Pulse:
    """Integrate the equations of motion of a chain of `count` balls. Return the pulse.

    `samples` is the number of samples per unit of time.
    """

    def motion(_: float, state: Array) -> Array:
        place, velocity = state[:count], state[count:]
        force = np.maximum(place[:-1] - place[1:], 0.0) ** 1.5
        acceleration = np.zeros(count)
        acceleration[:-1] -= force
        acceleration[1:] += force
        acceleration[-1] -= WALL_STIFFNESS * max(place[-1], 0.0) ** 1.5
        return np.concatenate([velocity, acceleration])

    start = np.zeros(2 * count)
    start[count] = 1.0
    end = 1.3 * count
    solution = solve_ivp(
        motion, (0.0, end), start, method="DOP853", rtol=1e-11, atol=1e-13, dense_output=True
    )
    time = np.linspace(0.0, end, round(end * samples) + 1)
    near, far = count // 2, 3 * count // 4

    def top(ball: int) -> tuple[float, float]:
        there = time < 1.05 * ball / 0.84 + 5.0
        state = solution.sol(time[there])
        force = np.maximum(state[ball] - state[ball + 1], 0.0) ** 1.5
        return peak(time[there], force)

    first, height = top(near)
    last, _ = top(far)
    early = time < 1.05 * near / 0.84 + 5.0
    _, velocity = peak(time[early], solution.sol(time[early])[count + near])
    _, wall = peak(time, WALL_STIFFNESS * np.maximum(solution.sol(time)[count - 1], 0.0) ** 1.5)
    return Pulse((far - near) / (last - first), velocity, height, wall)


def peak(time: Array, values: Array) -> tuple[float, float]:
    """Return time and height of the maximum of a parabola.

    The parabola passes through the largest value and its two neighbours.
    """
    n = int(np.clip(np.argmax(values), 1, len(values) - 2))
    before, at, after = values[n - 1 : n + 2]
    shift = 0.5 * (before - after) / (before - 2.0 * at + after)
    return float(time[n] + shift * (time[1] - time[0])), float(at - 0.25 * (before - after) * shift)
