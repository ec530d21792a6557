"""Tangential contact of spheres with partial slip: a foundation of springs and closed forms.

Sources: Cattaneo 1938; Mindlin, J. Appl. Mech. 16 (1949) 259; Mindlin & Deresiewicz, J. Appl. Mech.
20 (1953) 327; Johnson, Contact Mechanics (1985), section 7.3; Popov & Hess, Method of
Dimensionality Reduction in Contact Mechanics and Friction (2015), chapter 5.

N is the normal force, T is the tangential force, and a is the contact radius. The tangential
stiffness without slip is K = 8 G* a, where 1/G* = (2 - nu_i)/G_i + (2 - nu_j)/G_j. The whole
contact slides if the displacement exceeds U = 3 mu N/(2 K).
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
        """Contact radius a = sqrt(R delta) of Hertz; zero if the spheres do not touch."""
        return np.sqrt(self.radius * np.maximum(approach, 0.0))

    def normal_force(self, approach: ArrayLike) -> Array:
        """Normal force N = 4/3 E* sqrt(R) delta^(3/2) of Hertz."""
        return 4.0 / 3.0 * self.modulus / self.radius * self.contact_radius(approach) ** 3

    def stiffness(self, approach: ArrayLike) -> Array:
        """Tangential stiffness K = 8 G* a without slip."""
        return 8.0 * self.shear_modulus * self.contact_radius(approach)

    def sliding_displacement(self, approach: ArrayLike) -> Array:
        """Displacement U = 3 mu N/(2 K) = mu E*/(4 G*) delta beyond which the contact slides."""
        return self.friction * self.modulus / (4.0 * self.shear_modulus) * np.asarray(approach)


def foundation(
    spheres: Spheres,
    approach: ArrayLike,
    displacement: ArrayLike,
    *,
    springs: int = 4000,
    substeps: int = 1,
) -> Array:
    """Return the tangential force for any history of approach and tangential displacement.

    The contact is a line of independent springs that is pressed by a parabola x^2/R. Per length,
    the normal stiffness is E* and the tangential stiffness is 4 G*. A spring slips when its
    tangential force would exceed mu times its normal force.

    Args:
        spheres: the two spheres.
        approach: array of shape (n,), history of the approach. All springs are relaxed at the first
            entry.
        displacement: history of the tangential displacement, an array of shape (n,), or (n, 2) for
            two directions. Only differences of entries matter.
        springs: number of springs on the positive half of the line.
        substeps: number of parts into which each step is divided.

    Returns:
        The force that resists the displacement, an array of the same shape as `displacement`. The
        force is positive if it resists a positive displacement.
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
            # a spring that is first compressed during this part is displaced only from then on
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
    """Return the tangential force T(w) in first loading at constant N.

    `limit` is mu N and `stiffness` is 8 G* a. For w <= U, T = mu N (1 - (1 - w/U)^(3/2)). For
    w > U, T = mu N. T is odd in w.
    """
    sliding = 1.5 * limit / stiffness
    part = np.clip(np.abs(displacement) / sliding, 0.0, 1.0)
    return np.sign(displacement) * limit * (1.0 - (1.0 - part) ** 1.5)


def branch(
    limit: float, stiffness: float, turning: float, force: float, displacement: ArrayLike
) -> Array:
    """Return the tangential force in unloading or reloading at constant N.

    The turning point has the displacement w* = `turning` and the force T* = `force`. Masing's rule
    gives T = T* + 2 f((w - w*)/2), where f is the force in first loading.
    """
    return force + 2.0 * loading(limit, stiffness, 0.5 * (np.asarray(displacement) - turning))


def loop_dissipation(limit: float, stiffness: float, amplitude: float) -> float:
    """Return the energy lost in a cycle of displacement between -w* and w* at constant N.

    T* is the force at w*. The energy is 36/5 (mu N)^2/K times
    1 - (1 - T*/mu N)^(5/3) - 5/6 (T*/mu N) (1 + (1 - T*/mu N)^(2/3)) (Mindlin & Deresiewicz 1953).
    If the contact slides, the friction work over the path 4 (w* - U) is added.
    """
    sliding = 1.5 * limit / stiffness
    part = float(loading(limit, stiffness, amplitude)) / limit
    partial = 1.0 - (1.0 - part) ** (5 / 3) - 5 / 6 * part * (1.0 + (1.0 - part) ** (2 / 3))
    return 7.2 * limit**2 / stiffness * partial + 4.0 * limit * max(amplitude - sliding, 0.0)


def oblique_loading(limit: Array, stiffness: Array, displacement: Array) -> Array:
    """Return the tangential force in first loading while N also grows.

    All arrays have shape (n,). The displacement must grow faster than U. The force is
    T = mu N (1 - (1 - w/U)^(3/2)) with the present values of N and U (Mindlin & Deresiewicz 1953).
    """
    histories = zip(limit, stiffness, displacement, strict=True)
    return np.array([loading(*values) for values in histories])
