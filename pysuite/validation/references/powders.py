"""Contacts that yield: forces, work, and closed forms for the restitution.

The laws are from Walton & Braun 1986, Luding 2008, Morrissey 2013 and Thakur et al. 2014.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq

Array = NDArray[np.float64]


def luding_restitution(
    speed: float, k1: float, k2: float, kc: float, phi: float, radius: float, mass: float = 1.0
) -> float:
    """Return the restitution of the law luding, or 0 if the spheres stick.

    `radius` and `mass` are effective values.
    """
    plastic = 2.0 * radius * phi
    limit = plastic * k2 / (k2 - k1)
    deepest = speed * np.sqrt(mass / k1)
    if deepest <= limit:
        k = k1 + (k2 - k1) * deepest / limit
        square = k1 / k - kc * (k - k1) ** 2 / (k1 * k * (k + kc))
    else:
        lost = 0.5 * k1 * limit**2 - 0.5 * k2 * (limit - plastic) ** 2
        lost += 0.5 * kc * k2 * plastic**2 / (k2 + kc)
        square = 1.0 - 2.0 * lost / (mass * speed**2)
    return float(np.sqrt(max(square, 0.0)))


def luding_sticking_speeds(
    k1: float, k2: float, kc: float, phi: float, radius: float, mass: float = 1.0
) -> tuple[float, float]:
    """Return the lowest and highest speed at which the spheres stick, for the law luding.

    The speeds are nan if the spheres never stick.
    """
    plastic = 2.0 * radius * phi
    limit = plastic * k2 / (k2 - k1)
    # e^2 = 0: k1^2 (k + kc) = kc (k - k1)^2
    a, b, c = kc, -(2.0 * kc * k1 + k1**2), kc * k1**2 - k1**2 * kc
    k = (-b + np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a) if kc > 0.0 else np.inf
    lost = 0.5 * k1 * limit**2 - 0.5 * k2 * (limit - plastic) ** 2
    lost += 0.5 * kc * k2 * plastic**2 / (k2 + kc)
    highest = np.sqrt(2.0 * lost / mass)
    if k >= k2:
        return (np.nan, np.nan)
    return float(limit * (k - k1) / (k2 - k1) * np.sqrt(k1 / mass)), float(highest)


def edinburgh_restitution(k1: float, k2: float, exponent: float) -> float:
    """Return the restitution of the law edinburgh without adhesion, for any speed."""
    part = (1.0 - k1 / k2) ** (1.0 / exponent)  # plastic overlap / largest overlap
    n = exponent + 1.0
    returned = k2 * ((1.0 - part**n) / n - part**exponent * (1.0 - part))
    return float(np.sqrt(returned * n / k1))


def thornton_ning_yield_speed(modulus: float, pressure: float, radius: float, mass: float) -> float:
    """Return the lowest speed at which a contact without adhesion yields.

    All arguments except the pressure are effective values.
    """
    constant = np.pi**2 / (2.0 * np.sqrt(10.0)) * np.sqrt(8.0 * np.pi / 15.0 * 2.5)
    return float(constant * np.sqrt(pressure**5 * radius**3 / (modulus**4 * mass)))


def thornton_ning_restitution(speed_over_yield: float) -> float:
    """Return the restitution of a contact without adhesion (Thornton & Ning 1998, equation 34)."""
    if speed_over_yield <= 1.0:
        return 1.0
    x = 1.0 / speed_over_yield
    slope = x / (x + 2.0 * np.sqrt(1.2 - 0.2 * x * x))
    return float(np.sqrt(1.2 * np.sqrt(3.0) * (1.0 - x * x / 6.0)) * slope**0.25)


@dataclass
class Contact:
    """Contacts with the law walton_braun, luding or edinburgh.

    The force in first loading is F = f0 + k1 z, where z = overlap^n. In unloading, the force is
    F = f0 + k (z - z_p), but not less than F = f0 - ka overlap^chi. In the law luding, k grows with
    the largest overlap and reaches k2 at the overlap `limit`. Beyond `limit`, the contacts are
    elastic.

    Attributes:
        largest: largest overlap of each contact so far. For the law luding, it is at most `limit`.
        plastic: z_p of each contact.
        overlap: present overlap of each contact.
        branch: name of the present branch of each contact.
    """

    k1: float
    k2: float
    adhesive: float
    jump: float
    n: float
    chi: float
    limit: float  # with inf, k is always k2
    pulls: bool
    count: int
    largest: Array = field(init=False)
    plastic: Array = field(init=False)
    overlap: Array = field(init=False)
    branch: NDArray[np.str_] = field(init=False)

    def __post_init__(self) -> None:
        self.largest = np.zeros(self.count)
        self.plastic = np.zeros(self.count)
        self.overlap = np.zeros(self.count)
        self.branch = np.full(self.count, "elastic")

    @classmethod
    def of(cls, text: str, radius: float, count: int) -> Contact:
        """Return `count` contacts. `text` is a normal law with its arguments, as in pair_coeff."""
        name, *words = text.split()
        a = [float(word) for word in words]
        if name == "walton_braun":
            return cls(a[0], a[1], 0.0, 0.0, 1.0, 1.0, np.inf, False, count)
        if name == "luding":
            limit = 2.0 * radius * a[3] * a[1] / (a[1] - a[0]) if a[1] > a[0] else 1e300
            return cls(a[0], a[1], a[2], 0.0, 1.0, 1.0, limit, True, count)
        if name == "edinburgh":
            return cls(a[0], a[1], a[2], a[3], a[4], a[5], np.inf, True, count)
        raise ValueError(f"no reference solution for the law {name}")

    def slope(self, largest: Array) -> Array:
        """Return the stiffness k of the elastic branch, which depends on the largest overlap."""
        if np.isinf(self.limit):
            return np.full_like(largest, self.k2)
        return self.k1 + (self.k2 - self.k1) * largest / self.limit

    def loading(self, overlap: Array) -> Array:
        """Return the force in first loading. For the law luding, it is elastic beyond `limit`."""
        beyond = np.maximum(overlap - self.limit, 0.0)
        return self.jump + self.k1 * (overlap - beyond) ** self.n + self.k2 * beyond

    def _elastic(self, k: Array, overlap: Array) -> Array:
        force = self.jump + k * (overlap**self.n - self.plastic)
        return force if self.pulls else np.maximum(force, 0.0)

    def _elastic_work(self, k: Array, start: Array, end: Array) -> Array:
        n = self.n + 1.0
        if not self.pulls:
            rest = self.plastic ** (1.0 / self.n)
            start, end = np.maximum(start, rest), np.maximum(end, rest)
        return self.jump * (end - start) + k * (
            (end**n - start**n) / n - self.plastic * (end - start)
        )

    def _loading_work(self, start: Array, end: Array) -> Array:
        n = self.n + 1.0
        below, above = np.minimum(start, self.limit), np.minimum(end, self.limit)
        work = self.jump * (end - start) + self.k1 * (above**n - below**n) / n
        if np.isfinite(self.limit):
            work += self.k1 * self.limit * ((end - above) - (start - below))
            work += 0.5 * self.k2 * ((end - above) ** 2 - (start - below) ** 2)
        return work

    def _meets(self, k: Array) -> tuple[Array, Array]:
        with np.errstate(divide="ignore", invalid="ignore"):
            up = (self.plastic / (1.0 - self.k1 / k)) ** (1.0 / self.n)
        up = np.where(k > self.k1, up, np.where(self.plastic > 0.0, np.inf, 0.0))
        low, high = np.zeros(self.count), self.plastic ** (1.0 / self.n)
        for _ in range(200):
            middle = 0.5 * (low + high)
            beyond = k * (middle**self.n - self.plastic) + self.adhesive * middle**self.chi > 0.0
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        return up, low

    def move(self, overlap: Array) -> tuple[Array, Array]:
        """Move to new overlaps. Return the work done on the contacts, and the final force."""
        start, end = self.overlap, overlap
        k = self.slope(self.largest)
        up, down = self._meets(k)
        turn = np.clip(up, start, np.maximum(start, end))
        rising = end > start
        loads = rising & (end > up)
        work = self._elastic_work(k, start, np.where(rising, turn, start))
        work += np.where(loads, self._loading_work(turn, np.where(loads, end, turn)), 0.0)
        falls = ~rising & self.pulls & (end < down)
        entry = np.where(falls, np.minimum(start, down), end)
        work += np.where(rising, 0.0, self._elastic_work(k, start, np.where(rising, start, entry)))
        n = self.chi + 1.0
        pulled = self.jump * (end - entry) - self.adhesive * (end**n - entry**n) / n
        work += np.where(falls, pulled, 0.0)

        self.largest = np.where(
            loads, np.maximum(self.largest, np.minimum(end, self.limit)), self.largest
        )
        k = self.slope(self.largest)
        yielded = np.minimum(end, self.limit) ** self.n * (1.0 - self.k1 / k)
        self.plastic = np.where(loads, yielded, self.plastic)
        on_branch = end**self.n + self.adhesive * end**self.chi / k
        self.plastic = np.where(falls, on_branch, self.plastic)
        self.overlap = end
        self.branch = np.where(loads, "loading", np.where(falls, "adhesive", "elastic"))
        return work, self._elastic(k, end)


def edinburgh_least_force(
    depth: float, k1: float, k2: float, adhesive: float, jump: float, exponent: float
) -> float:
    """Return the most attractive force of the law edinburgh in unloading from the overlap `depth`.

    The exponent chi must be equal to n.
    """
    plastic = (1.0 - k1 / k2) * depth**exponent
    return jump - adhesive * k2 * plastic / (k2 + adhesive)


def edinburgh_adhesive_restitution(
    speed: float, mass: float, k1: float, k2: float, adhesive: float, jump: float, exponent: float
) -> float:
    """Return the restitution of the law edinburgh with adhesion, or 0 if the spheres stick.

    The exponent chi must be equal to n.
    """
    n = exponent
    energy = 0.5 * mass * speed**2

    def left(depth: float) -> float:
        return quad(lambda x: jump + k1 * x**n, 0.0, depth)[0] - energy

    least = (-jump / k1) ** (1.0 / n)
    most = least + (2.0 * (n + 1.0) * energy / k1) ** (1.0 / (n + 1.0))
    while left(most) < 0.0:
        most *= 2.0
    depth = brentq(left, least, most, rtol=1e-14)
    plastic = (1.0 - k1 / k2) * depth**n
    turns = (k2 * plastic / (k2 + adhesive)) ** (1.0 / n)
    returned = quad(lambda x: jump + k2 * (x**n - plastic), turns, depth, epsabs=0.0)[0]
    returned += quad(lambda x: jump - adhesive * x**n, 0.0, turns, epsabs=0.0)[0]
    return float(np.sqrt(max(returned, 0.0) / energy))
