"""Tangential contact of spheres with partial slip: a foundation of springs, and closed forms.

Sources: Cattaneo 1938; Mindlin, J. Appl. Mech. 16 (1949) 259; Mindlin & Deresiewicz, J. Appl. Mech.
20 (1953) 327; Johnson, Contact Mechanics (1985), section 7.3; Popov & Hess, Method of
Dimensionality Reduction in Contact Mechanics and Friction (2015), chapter 5.

N is the normal force, T the tangential force, a the contact radius. K = 8 G* a is the tangential
stiffness without slip, with 1/G* = (2 - nu_i)/G_i + (2 - nu_j)/G_j. The whole contact slides beyond
the displacement U = 3 mu N/(2 K).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spheres:
    """Two spheres: effective radius R, modulus E*, shear modulus G* and friction coefficient mu."""

    radius: float
    modulus: float
    shear_modulus: float
    friction: float

    def __post_init__(self) -> None:
        for name in ("radius", "modulus", "shear_modulus", "friction"):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} = {getattr(self, name)} must be > 0")

    def contact_radius(self, approach: ArrayLike) -> Array:
        """Hertz: a = sqrt(R delta); zero if the spheres are apart."""
        return np.sqrt(self.radius * np.maximum(approach, 0.0))

    def normal_force(self, approach: ArrayLike) -> Array:
        """Hertz: N = 4/3 E* sqrt(R) delta^(3/2)."""
        return 4.0 / 3.0 * self.modulus / self.radius * self.contact_radius(approach) ** 3

    def stiffness(self, approach: ArrayLike) -> Array:
        """K = 8 G* a."""
        return 8.0 * self.shear_modulus * self.contact_radius(approach)

    def sliding_displacement(self, approach: ArrayLike) -> Array:
        """U = 3 mu N/(2 K) = mu E*/(4 G*) delta: beyond U the whole contact slides."""
        return self.friction * self.modulus / (4.0 * self.shear_modulus) * np.asarray(approach)


def foundation(
    spheres: Spheres,
    approach: ArrayLike,
    displacement: ArrayLike,
    *,
    springs: int = 4000,
    substeps: int = 1,
) -> Array:
    """Tangential force along any history of approach and tangential displacement.

    A line of independent springs under the parabola x^2/R, with normal stiffness E* and tangential
    stiffness 4 G* per length. A spring slips when its tangential force would exceed mu times its
    normal force.

    Args:
        spheres: the pair.
        approach: (n,) history of the approach; all springs are relaxed at the first entry.
        displacement: (n,) or, in two directions, (n, 2), relative to the first entry.
        springs: number of springs on the positive half of the line.
        substeps: number of parts into which each step is divided.

    Returns:
        The resisting force, positive along the displacement; same shape as `displacement`.
    """
    approach = np.asarray(approach, dtype=float)
    displacement = np.asarray(displacement, dtype=float)
    path = displacement.reshape(len(approach), -1)
    farthest = spheres.contact_radius(approach.max())
    width = farthest / springs
    position = (np.arange(springs) + 0.5) * width
    depth = position**2 / spheres.radius
    cap_per_depth = spheres.friction * spheres.modulus / (4.0 * spheres.shear_modulus)
    stretch = np.zeros((springs, path.shape[1]))
    force = np.zeros_like(path)
    for step in range(1, len(approach)):
        normal_part = (approach[step] - approach[step - 1]) / substeps
        shear_part = (path[step] - path[step - 1]) / substeps
        for part in range(substeps):
            now = approach[step - 1] + (part + 1) * normal_part
            # a spring touched during this part is displaced only from touch on
            with np.errstate(divide="ignore", invalid="ignore"):
                follows = np.where(
                    depth <= now - normal_part, 1.0, np.clip((now - depth) / normal_part, 0.0, 1.0)
                )
            stretch += follows[:, None] * shear_part
            cap = cap_per_depth * np.maximum(now - depth, 0.0)
            size = np.sqrt((stretch**2).sum(axis=1))
            slips = size > cap
            stretch[slips] *= (cap[slips] / size[slips])[:, None]
        force[step] = 8.0 * spheres.shear_modulus * width * stretch.sum(axis=0)
    return force.reshape(displacement.shape)


def loading(limit: float, stiffness: float, displacement: ArrayLike) -> Array:
    """First loading at constant N: T(w) for `limit` = mu N and `stiffness` = 8 G* a.

    T = mu N (1 - (1 - w/U)^(3/2)), odd in w, and mu N beyond U.
    """
    sliding = 1.5 * limit / stiffness
    part = np.clip(np.abs(displacement) / sliding, 0.0, 1.0)
    return np.sign(displacement) * limit * (1.0 - (1.0 - part) ** 1.5)


def branch(
    limit: float, stiffness: float, turning: float, force: float, displacement: ArrayLike
) -> Array:
    """Unloading or reloading at constant N from the turning point (`turning`, `force`).

    Masing's rule: T = T* + 2 f((w - w*)/2), where f is first loading.
    """
    return force + 2.0 * loading(limit, stiffness, 0.5 * (np.asarray(displacement) - turning))


def loop_dissipation(limit: float, stiffness: float, amplitude: float) -> float:
    """Energy lost per cycle of displacement between -w* and w* at constant N.

    Mindlin & Deresiewicz 1953, with T* the force at w*: 36/5 (mu N)^2/K times
    1 - (1 - T*/mu N)^(5/3) - 5/6 (T*/mu N) (1 + (1 - T*/mu N)^(2/3)). If the contact slides, the
    friction work over the path 4 (w* - U) is added.
    """
    sliding = 1.5 * limit / stiffness
    part = float(loading(limit, stiffness, amplitude)) / limit
    partial = 1.0 - (1.0 - part) ** (5 / 3) - 5 / 6 * part * (1.0 + (1.0 - part) ** (2 / 3))
    return 7.2 * limit**2 / stiffness * partial + 4.0 * limit * max(amplitude - sliding, 0.0)


def oblique_loading(limit: Array, stiffness: Array, displacement: Array) -> Array:
    """First loading while N also grows, (n,) each; the displacement grows faster than U.

    T = mu N (1 - (1 - w/U)^(3/2)) with the present mu N and U (Mindlin & Deresiewicz 1953).
    """
    histories = zip(limit, stiffness, displacement, strict=True)
    return np.array([loading(*values) for values in histories])
