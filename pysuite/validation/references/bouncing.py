"""Closed-form solutions for the verification cases of MFIX-DEM.

In the cases, balls with linear contacts bounce, are squeezed, or slide (Garg et al., Powder
Technol. 220 (2012) 122). In `Bounce` and `peak_heights`, heights are those of the lowest point of
the ball.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm
from scipy.optimize import brentq

Array = NDArray[np.float64]


class Bounce(NamedTuple):
    """A ball that is dropped and bounces once on a linear contact.

    The attributes are the frequency sqrt(k/m), the damping ratio, gravity, and the height from
    which the ball is dropped.
    """

    frequency: float
    damping: float
    gravity: float
    drop: float

    @property
    def touch(self) -> float:
        """Time from release to the first contact with the ground."""
        return float(np.sqrt(2.0 * self.drop / self.gravity))

    def contact(self, time: ArrayLike) -> tuple[Array, Array]:
        """Return the height x (negative) and the velocity x' during the first contact.

        `time` is the time since the start of the contact. The equation of motion is
        x'' + 2 damping frequency x' + frequency^2 x = -gravity with x(0) = 0. x'(0) is the velocity
        with which the ball hits the ground.
        """
        t = np.asarray(time, dtype=float)
        rest = -self.gravity / self.frequency**2
        decay = self.damping * self.frequency
        swing = self.frequency * np.sqrt(1.0 - self.damping**2)
        velocity = -self.gravity * self.touch
        amplitude = (velocity - decay * rest) / swing
        fading = np.exp(-decay * t)
        cosine, sine = np.cos(swing * t), np.sin(swing * t)
        height = rest + fading * (-rest * cosine + amplitude * sine)
        speed = fading * (
            (swing * amplitude + decay * rest) * cosine + (swing * rest - decay * amplitude) * sine
        )
        return height, speed

    @property
    def parting(self) -> float:
        """Time from release to the end of the first contact."""
        swing = self.frequency * np.sqrt(1.0 - self.damping**2)
        late = 1.5 * np.pi / swing
        early = 0.5 * np.pi / swing
        return self.touch + brentq(lambda t: float(self.contact(t)[0]), early, late, xtol=1e-15)

    def motion(self, time: ArrayLike) -> tuple[Array, Array]:
        """Return height and velocity at times since release, before the second contact."""
        t = np.asarray(time, dtype=float)
        height = np.asarray(self.drop - 0.5 * self.gravity * t**2, dtype=float)
        velocity = np.asarray(-self.gravity * t, dtype=float)
        during = (t >= self.touch) & (t < self.parting)
        height[during], velocity[during] = self.contact(t[during] - self.touch)
        after = t >= self.parting
        start = float(self.contact(self.parting - self.touch)[1])
        s = t[after] - self.parting
        height[after] = start * s - 0.5 * self.gravity * s**2
        velocity[after] = start - self.gravity * s
        return height, velocity


def peak_heights(drop: float, restitution: float, bounces: int) -> Array:
    """Return the peak heights after the bounces k = 1, 2, ... of a hard ball: drop e^(2 k)."""
    return np.asarray(drop * restitution ** (2.0 * np.arange(1, bounces + 1)), dtype=float)


def stacked(
    time: ArrayLike,
    *,
    masses: tuple[float, float],
    places: tuple[float, float],
    contacts: tuple[float, float, float],
    stiffness: float,
    dashpots: tuple[float, float, float],
    gravity: float,
) -> Array:
    """Return the heights of two balls that are squeezed between floor and ceiling.

    The result has the shape (n, 2) for n times. The times must be equally spaced and start at 0.
    `contacts` contains three numbers: the height of the lower ball when it just touches the floor,
    the distance between the centres of the balls when they just touch each other, and the height of
    the upper ball when it just touches the ceiling.
    """
    t = np.asarray(time, dtype=float)
    (c1, c2, c3), k = dashpots, stiffness
    floor, between, ceiling = contacts
    m1, m2 = masses
    matrix = np.zeros((5, 5))
    matrix[0, 2] = matrix[1, 3] = 1.0
    matrix[2] = [-2 * k, k, -(c1 + c2), c2, k * floor - k * between - m1 * gravity]
    matrix[3] = [k, -2 * k, c2, -(c2 + c3), k * between + k * ceiling - m2 * gravity]
    matrix[2] /= m1
    matrix[3] /= m2
    forward = expm(matrix * (t[1] - t[0]))
    states = [np.array([*places, 0.0, 0.0, 1.0])]
    for _ in t[1:]:
        states.append(forward @ states[-1])
    return np.array(states)[:, :2]


def rolling_starts(speed: float, friction: float, gravity: float) -> float:
    """Return the time at which a ball that slides without initial spin starts to roll.

    The time is 2 u0 / (7 mu g).
    """
    return 2.0 * speed / (7.0 * friction * gravity)


def sliding_ball(
    time: ArrayLike, speed: float, friction: float, gravity: float
) -> tuple[Array, Array]:
    """Return the speed and the surface speed of a ball that slides without initial spin.

    The speed is u0 - mu g t and the surface speed is 5/2 mu g t. When the ball rolls, both are
    5/7 u0.
    """
    t = np.minimum(time, rolling_starts(speed, friction, gravity))
    return speed - friction * gravity * t, 2.5 * friction * gravity * t
