"""Liquid bridges between two spheres: laws of Willett, their energies, and the exact shape.

The laws are from Willett et al., Langmuir 16 (2000) 9396. Attractive forces are positive. The
energy at a gap is the work to stretch the bridge from zero gap to this gap. `gap` is the distance
between the surfaces, not half of it. Two spheres are described by Derjaguin's radius
2 R_i R_j/(R_i + R_j). For a sphere at a wall, this radius is twice the radius of the sphere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.optimize import root

Array = NDArray[np.float64]

# rows: powers of ln(V/R^3); columns: powers of theta
F1 = [
    [-0.44507, 0.050832, -1.1466],
    [-0.1119, -0.000411, -0.1490],
    [-0.012101, -0.0036456, -0.01255],
    [-0.0005, -0.0003505, -0.00029076],
]
F2 = [
    [1.9222, -0.57473, -1.2918],
    [-0.0668, -0.1201, -0.22574],
    [-0.0013375, -0.0068988, -0.01137],
]
F3 = [
    [1.268, -0.01396, -0.23566],
    [0.198, 0.092, -0.06418],
    [0.02232, 0.02238, -0.009853],
    [0.0008585, 0.001318, -0.00053],
]
F4 = [
    [-0.010703, 0.073776, -0.34742],
    [0.03345, 0.04543, -0.09056],
    [0.0018574, 0.004456, -0.006257],
]

DISCRIMINANT = 4.0 * 2.5 - 1.05**2  # minus the discriminant of 1 + 1.05 x + 2.5 x^2


def derjaguin_radius(radius_i: ArrayLike, radius_j: ArrayLike) -> Array:
    """Radius of two equal spheres that are equivalent to two unequal spheres.

    The radius of a wall is inf.
    """
    return 2.0 / (1.0 / np.asarray(radius_i, float) + 1.0 / np.asarray(radius_j, float))


@dataclass(frozen=True)
class Bridge:
    """A liquid bridge. `angle` is the contact angle in radians, `radius` is Derjaguin's radius."""

    tension: float
    angle: float
    volume: float
    radius: float

    @property
    def rupture_distance(self) -> float:
        """Gap at which the bridge breaks."""
        root_volume = float(np.cbrt(self.volume / self.radius**3))
        return self.radius * (1.0 + 0.5 * self.angle) * root_volume * (1.0 + 0.1 * root_volume)

    def half_gap(self, gap: ArrayLike) -> Array:
        """Half the gap divided by sqrt(V/R): the variable s of Willett et al."""
        return 0.5 * np.asarray(gap, float) / np.sqrt(self.volume / self.radius)

    def force(self, gap: ArrayLike) -> Array:
        """Attractive force at gaps: full regression of Willett et al.

        If the spheres overlap, the force at gap 0 is returned.
        """
        coefficients = [_coefficient(table, self) for table in (F1, F2, F3, F4)]
        f1, f2, f3, f4 = coefficients
        s = self.half_gap(gap)
        log_s = np.log(np.where(s > 0.0, s, 1.0))
        bend = np.where(s > 0.0, np.exp(f3 * log_s + f4 * log_s**2), 0.0)
        return 2.0 * np.pi * self.radius * self.tension * np.exp(f1 - f2 * bend)

    def simple_force(self, gap: ArrayLike) -> Array:
        """Attractive force at gaps: closed-form approximation of Willett et al.

        If the spheres overlap, the force at gap 0 is returned.
        """
        s = self.half_gap(np.maximum(gap, 0.0))
        at_touch = 2.0 * np.pi * self.radius * self.tension * np.cos(self.angle)
        return at_touch / (1.0 + 2.1 * s + 10.0 * s**2)

    def viscous_resistance(self, gap: float) -> float:
        """Viscous force divided by viscosity and stretching speed, from Reynolds's equation."""
        height = np.sqrt(gap**2 + 2.0 * self.volume / (np.pi * self.radius))
        edge = np.sqrt(self.radius * (height - gap))

        def moment(r: float) -> float:
            return float(r**3 / (gap + r**2 / self.radius) ** 3)

        return 6.0 * np.pi * quad(moment, 0.0, edge, epsabs=0.0, epsrel=1e-13)[0]

    def energy(self, gap: float) -> float:
        """Work against `force` when the bridge is stretched from gap 0 to `gap`."""
        return _work(self.force, gap)

    def simple_energy(self, gap: ArrayLike) -> Array:
        """Work against `simple_force` when the bridge is stretched from gap 0 to each `gap`."""
        length = np.sqrt(self.volume / self.radius)
        at_touch = 2.0 * np.pi * self.radius * self.tension * np.cos(self.angle)
        root_d = np.sqrt(DISCRIMINANT)
        x = np.asarray(gap, float) / length
        angles = np.arctan((5.0 * x + 1.05) / root_d) - np.arctan(1.05 / root_d)
        return at_touch * length * 2.0 / root_d * angles


def _coefficient(table: list[list[float]], bridge: Bridge) -> float:
    # the tables are fits for V/R^3 from 1e-3 to 0.1, but are used here for V/R^3 from 1e-6 to 1
    log_volume = np.log(np.clip(bridge.volume / bridge.radius**3, 1e-6, 1.0))
    return sum(
        np.polynomial.polynomial.polyval(bridge.angle, row) * log_volume**power
        for power, row in enumerate(table)
    )


def _work(force: Callable[[float], Array | float], gap: float) -> float:
    # the substitution separation = x^3 gap resolves the steep fall of the force near gap 0
    def integrand(x: float) -> float:
        return 3.0 * x**2 * gap * float(force(x**3 * gap))

    return quad(integrand, 0.0, 1.0, epsabs=0.0, epsrel=1e-13, limit=200)[0]


# ------------------------------------------------------------------------------- Young and Laplace


@dataclass(frozen=True)
class Shape:
    """A bridge in equilibrium.

    Attributes:
        gap: gap between the surfaces.
        force: attractive force divided by the surface tension.
        neck: smallest radius of the liquid.
        half_angles: half-filling angles. For each sphere, this is the angle at the centre of the
            sphere between the axis and the contact line.
    """

    gap: float
    force: float
    neck: float
    half_angles: tuple[float, float]


NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)
NODES, WEIGHTS = 0.5 * (NODES + 1.0), 0.5 * WEIGHTS


def young_laplace(
    radii: tuple[float, float], angle: float, volume: float, gaps: ArrayLike
) -> list[Shape]:
    """Return the exact shapes of a bridge between two spheres at growing gaps, without gravity.

    The meridian y(x) has the constant mean curvature H and obeys

        y/sqrt(1 + y'^2) + H y^2 = C.

    The force is 2 pi tension C. At the contact line of sphere i, y = R_i sin(b_i) and
    y' = cot(b_i + angle). At the neck, y = y0 and y' = 0. The unknowns are b_1, b_2 and y0. The
    solution at one gap is the initial guess at the next gap. Thus the solver follows the branch of
    stable bridges.

    Args:
        radii: finite radii of the spheres.
        angle: contact angle in radians, small enough for a concave meridian (b + angle < pi/2).
        volume: volume of the liquid.
        gaps: gaps in ascending order. The first gap must be small.

    Returns:
        The shapes up to the last gap that has a solution.
    """
    scale = np.cbrt(volume)
    unknown = _torus(radii, angle, volume, float(np.atleast_1d(gaps)[0]))
    shapes: list[Shape] = []
    for gap in np.atleast_1d(gaps):

        def residual(u: Array, gap: float = float(gap)) -> list[float]:
            _, ends = _meridian(radii, angle, u)
            (length_i, volume_i, constant_i), (length_j, volume_j, constant_j) = ends
            return [
                (length_i + length_j - gap) / scale,
                (volume_i + volume_j) / volume - 1.0,
                (constant_i - constant_j) / scale,
            ]

        solution = root(residual, unknown, method="hybr", options={"xtol": 1e-13})
        if not np.abs(residual(solution.x)).max() < 1e-9:
            break
        unknown = solution.x
        curvature, _ = _meridian(radii, angle, unknown)
        neck = unknown[2]
        pull = 2.0 * np.pi * (neck + curvature * neck**2)
        shapes.append(Shape(float(gap), pull, neck, (unknown[0], unknown[1])))
    return shapes


def _meridian(
    radii: tuple[float, float], angle: float, unknown: Array
) -> tuple[float, list[tuple[float, float, float]]]:
    """Return the curvature, and for each half of the bridge its length, volume and constant C."""
    neck = unknown[2]
    first = radii[0] * np.sin(unknown[0])
    curvature = (first * np.sin(unknown[0] + angle) - neck) / (neck**2 - first**2)
    constant = neck + curvature * neck**2
    ends = []
    for radius, half_angle in zip(radii, unknown[:2], strict=True):
        contact = radius * np.sin(half_angle)
        # y = neck + (contact - neck) t^2 removes the singularity of dx/dy = 1/y' at the neck
        y = neck + (contact - neck) * NODES**2
        cosine = (constant - curvature * y**2) / y
        slope = np.sqrt(np.maximum(1.0 - cosine**2, 1e-300)) / cosine
        dx = 2.0 * (contact - neck) * NODES / slope * WEIGHTS
        cap = radius * (1.0 - np.cos(half_angle))
        filled = np.pi * cap**2 * (3.0 * radius - cap) / 3.0
        ends.append(
            (
                dx.sum() - cap,
                np.pi * (y**2 * dx).sum() - filled,
                contact * np.sin(half_angle + angle) + curvature * contact**2,
            )
        )
    return curvature, ends


def _torus(radii: tuple[float, float], angle: float, volume: float, gap: float) -> Array:
    radius = float(derjaguin_radius(*radii))

    def neck(half_angle: float) -> float:
        arc = (0.5 * gap + radius * (1.0 - np.cos(half_angle))) / np.cos(half_angle + angle)
        return radius * np.sin(half_angle) - arc * (1.0 - np.sin(half_angle + angle))

    trial = np.linspace(0.01, 0.95 * (0.5 * np.pi - angle), 2000)
    line = radius * np.sin(trial)
    height = gap + radius * (1.0 - np.cos(trial))
    half_angle = float(np.interp(volume, np.pi * line**2 * height, trial))
    contact = radius * np.sin(half_angle)
    ends = (np.arcsin(contact / r) for r in radii)
    return np.array([*ends, max(neck(half_angle), 0.5 * contact)])
