"""Bonds as beams: energy of a bond between two grains, and linear theory of Timoshenko beams.

Quaternions are ordered w, x, y, z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def product(p: ArrayLike, q: ArrayLike) -> Array:
    """Return the product of quaternions. The arrays have shape (..., 4)."""
    p, q = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    w = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    v = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + np.cross(p[..., 1:], q[..., 1:])
    return np.concatenate([w, v], axis=-1)


def rotation(vector: ArrayLike) -> Array:
    """Return the quaternions, of shape (..., 4), of rotation vectors of shape (..., 3)."""
    vector = np.asarray(vector, float)
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * vector], axis=-1)


def matrix(q: ArrayLike) -> Array:
    """Return the rotation matrices, of shape (..., 3, 3), of unit quaternions, (..., 4)."""
    q = np.asarray(q, float)
    columns = []
    for axis in np.eye(3):
        pure = np.concatenate([[0.0], axis])
        columns.append(product(product(q, pure), q * [1, -1, -1, -1])[..., 1:])
    return np.stack(columns, axis=-1)


@dataclass(frozen=True)
class Beam:
    """A Timoshenko beam of circular cross-section, with Cowper's shear coefficient."""

    modulus: float
    poisson_ratio: float
    radius: float
    length: float

    @property
    def area(self) -> float:
        """Area of the cross-section."""
        return float(np.pi * self.radius**2)

    @property
    def second_moment(self) -> float:
        """Second moment of area, I = pi r^4/4."""
        return float(np.pi * self.radius**4 / 4)

    @property
    def shear_modulus(self) -> float:
        """G = E/(2 (1 + nu))."""
        return self.modulus / (2 * (1 + self.poisson_ratio))

    @property
    def shear_coefficient(self) -> float:
        """Kappa of a circular cross-section: 6 (1 + nu)/(7 + 6 nu) (Cowper 1966)."""
        return 6 * (1 + self.poisson_ratio) / (7 + 6 * self.poisson_ratio)

    @property
    def shear_flexibility(self) -> float:
        """Shear compliance divided by bending compliance: 12 E I/(kappa G A L^2)."""
        bend = 12 * self.modulus * self.second_moment
        return bend / (self.shear_coefficient * self.shear_modulus * self.area * self.length**2)

    def stiffness(self) -> Array:
        """Return the stiffness matrix of a beam along x, of shape (12, 12).

        The degrees of freedom are three displacements and three rotations of the first end,
        followed by the displacements and rotations of the second end.
        """
        axial = self.modulus * self.area / self.length
        torsion = 2 * self.shear_modulus * self.second_moment / self.length
        phi, length = self.shear_flexibility, self.length
        bend = self.modulus * self.second_moment / ((1 + phi) * length**3)
        k = np.zeros((12, 12))
        for first, second, value in ((0, 6, axial), (3, 9, torsion)):
            k[[first, second], [first, second]] += value
            k[[first, second], [second, first]] -= value
        of_plane = bend * np.array(
            [
                [12, 6 * length, -12, 6 * length],
                [6 * length, (4 + phi) * length**2, -6 * length, (2 - phi) * length**2],
                [-12, -6 * length, 12, -6 * length],
                [6 * length, (2 - phi) * length**2, -6 * length, (4 + phi) * length**2],
            ]
        )
        for plane, sign in (((1, 5, 7, 11), 1), ((2, 4, 8, 10), -1)):
            turned = np.array([1, sign, 1, sign])
            k[np.ix_(plane, plane)] += of_plane * np.outer(turned, turned)
        return k

    def energy(self, separation: ArrayLike, frame_i: ArrayLike, frame_j: ArrayLike) -> Array:
        """Return the energies of n bonds from separations x_j - x_i and frames of the grains.

        The frames of the grains i and the frames of the grains j are arrays of shape (n, 3, 3).
        The columns of a frame are the unit vectors a, b and c. When a bond formed, the frames of
        both grains were equal, and a had the direction of the separation.
        """
        d, i, j = (np.asarray(x, float) for x in (separation, frame_i, frame_j))
        distance = np.linalg.norm(d, axis=-1)
        e = d / distance[..., None]
        phi = self.shear_flexibility
        bend = self.modulus * self.second_moment / ((1 + phi) * self.length)
        torsion = 2 * self.shear_modulus * self.second_moment / self.length

        def along(k: int) -> Array:
            return np.sum(i[..., k] * j[..., k], axis=-1)

        axial = self.modulus * self.area / self.length * (distance - self.length) ** 2 / 2
        shear = 12 * bend * (1 - np.sum((i[..., 0] + j[..., 0]) * e, axis=-1) / 2)
        coupling = ((2 - phi) * bend + torsion / 2) * (1 - along(0))
        return axial + shear - coupling + torsion * (2 - along(1) - along(2)) / 2


def chain_stiffness(beams: Sequence[Beam]) -> Array:
    """Return the stiffness matrix of bonded grains in a row along x.

    Each grain has 6 degrees of freedom.
    """
    k = np.zeros((6 * len(beams) + 6, 6 * len(beams) + 6))
    for n, beam in enumerate(beams):
        part = slice(6 * n, 6 * n + 12)
        k[part, part] += beam.stiffness()
    return k
