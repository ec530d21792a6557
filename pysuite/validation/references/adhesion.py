"""Impacts of adhesive spheres: elastic and yielding JKR contacts (Thornton & Ning 1998).

Forces and energies are computed by quadrature, in any consistent units. `work` is the work of
adhesion: twice the surface energy. In an impact, a contact breaks at the largest gap at which it
can exist. In a code that breaks the contact at the largest tension, half as much energy is lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq


class Material(NamedTuple):
    """A contact: E*, effective radius, work of adhesion per area, yield pressure (`limit`)."""

    modulus: float
    radius: float
    work: float
    limit: float = np.inf


def depth(a: float, m: Material) -> float:
    """Overlap of a JKR contact of radius a (Johnson, Kendall & Roberts 1971)."""
    return a**2 / m.radius - float(np.sqrt(2.0 * np.pi * m.work * a / m.modulus))


def slope(a: float, m: Material) -> float:
    """Derivative of the overlap with respect to the contact radius."""
    return 2.0 * a / m.radius - float(np.sqrt(np.pi * m.work / (2.0 * m.modulus * a)))


def pressure(r: float, a: float, m: Material) -> float:
    """Pressure at the distance r from the centre of a JKR contact, cut off at `m.limit`."""
    inside = np.sqrt(1.0 - (r / a) ** 2)
    pushes = 2.0 * m.modulus * a / (np.pi * m.radius) * inside
    pulls = np.sqrt(2.0 * m.work * m.modulus / (np.pi * a)) / inside
    return float(min(pushes - pulls, m.limit))


def force(a: float, m: Material) -> float:
    """Force of a contact of radius a: the integral of the pressure."""

    def ring(angle: float) -> float:
        r = a * np.sin(angle)
        return float(2.0 * np.pi * r * pressure(r, a, m) * a * np.cos(angle))

    corners = []
    pushes = 2.0 * m.modulus * a / (np.pi * m.radius)
    pulls = np.sqrt(2.0 * m.work * m.modulus / (np.pi * a))
    if pushes - pulls > m.limit:
        # the cut-off ends at the angle at which pushes c - pulls/c = limit, with c = cos(angle)
        corners = [
            np.arccos((m.limit + np.sqrt(m.limit**2 + 4.0 * pushes * pulls)) / (2.0 * pushes))
        ]
    ends = [0.0, *corners, np.pi / 2.0]
    return sum(
        quad(ring, a, b, epsabs=0.0, epsrel=1e-11)[0] if b > a else 0.0
        for a, b in itertools.pairwise(ends)
    )


def touch_radius(m: Material) -> float:
    """Contact radius at zero overlap."""
    return float((2.0 * np.pi * m.work * m.radius**2 / m.modulus) ** (1.0 / 3.0))


def widest_gap(m: Material) -> float:
    """Contact radius at the widest gap, at which the contact breaks in an impact."""
    return float(touch_radius(m) / 16.0 ** (1.0 / 3.0))


def largest_tension(m: Material) -> float:
    """Contact radius at the largest tension. The largest tension is the pull-off force."""
    return float((1.125 * np.pi * m.work * m.radius**2 / m.modulus) ** (1.0 / 3.0))


End = Callable[[Material], float]


def jkr_loss(m: Material, end: End = widest_gap) -> float:
    """Energy lost in an impact: the work against tension from zero overlap to separation."""
    return -_work(m, end(m), touch_radius(m))


def _work(m: Material, start: float, end: float) -> float:
    return float(quad(lambda a: force(a, m) * slope(a, m), start, end, epsabs=0.0, epsrel=1e-9)[0])


def yield_radius(m: Material) -> float:
    """Contact radius at which the pressure in the centre reaches the yield pressure."""

    def excess(a: float) -> float:
        return pressure(0.0, a, m._replace(limit=np.inf)) - m.limit

    least = touch_radius(m)
    return float(brentq(excess, 1e-6 * least, 1e6 * least, xtol=1e-15, rtol=1e-14))


def flattened(a: float, m: Material) -> Material:
    """Return the elastic contact whose force at radius a equals that of the yielded contact."""
    elastic = m._replace(limit=np.inf)
    lacks = force(a, elastic) - force(a, m)
    pushes = 4.0 * m.modulus * a**3 / 3.0
    return elastic._replace(radius=1.0 / (1.0 / m.radius - lacks / pushes))


def pull_off(m: Material) -> float:
    """Largest tension of a JKR contact, found numerically. The exact value is 3/2 pi work R."""
    from scipy.optimize import minimize_scalar

    elastic = m._replace(limit=np.inf)
    scale = touch_radius(m)
    found = minimize_scalar(
        lambda a: force(a, elastic), bounds=(0.3 * scale, scale), options={"xatol": 1e-9 * scale}
    )
    return float(-found.fun)


def radius_at(overlap: float, m: Material) -> float:
    """Contact radius at an overlap, on the branch of larger radii."""
    least = widest_gap(m)
    most = least + np.sqrt(m.radius * max(overlap, 0.0)) + 10.0 * touch_radius(m)
    return float(brentq(lambda a: depth(a, m) - overlap, least, most, xtol=1e-16, rtol=1e-14))


def restitution(speed: float, mass: float, m: Material, end: End = widest_gap) -> float:
    """Return the restitution; 0 if the spheres stick. `mass` is the effective mass."""
    energy = 0.5 * mass * speed**2
    start, yields = touch_radius(m), np.inf if np.isinf(m.limit) else yield_radius(m)
    elastic = m._replace(limit=np.inf)
    first = 0.0 if np.isinf(yields) else _work(elastic, start, yields)
    if np.isinf(yields) or first >= energy:
        return float(np.sqrt(max(0.0, 1.0 - jkr_loss(elastic, end) / energy)))
    largest = yields
    while first + _work(m, yields, largest) < energy:
        largest *= 1.2

    def left(a: float) -> float:
        return first + _work(m, yields, a) - energy

    deepest = brentq(left, yields, largest, rtol=1e-12)
    flat = flattened(deepest, m)
    returned = _work(flat, end(flat), deepest)
    return float(np.sqrt(max(0.0, returned / energy)))
