"""Waves in a face-centred cubic crystal of equal spheres with normal and tangential springs."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pysuite.validation.references.chains import INERTIA

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

CELL = 2.0**0.5  # edge of the cubic cell, in diameters
NEIGHBOURS = [
    np.array(b) / 2.0**0.5
    for b in itertools.product((-1.0, 0.0, 1.0), repeat=3)
    if np.count_nonzero(b) == 2
]
PRESSURE = 8.0**0.5  # pressure × diameter^2 / contact force


def places(cells: int) -> Array:
    """Return the centres of spheres of diameter 1 in `cells`^3 cubic cells of 4 spheres each."""
    corner = np.array(list(itertools.product(range(cells), repeat=3)), dtype=np.float64)
    basis = np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])
    return CELL * (corner[:, None] + basis).reshape(-1, 3)


def waves(wave_vector: ArrayLike, tangential: float) -> tuple[Array, Complex]:
    """Return squared frequencies and modes of waves.

    The squared frequencies have shape (6,) and are in units of k_n/m. The modes are the columns of
    a matrix of shape (6, 6). Each mode consists of three displacements u and three spins.
    `wave_vector` (q) is in units of the inverse diameter. `tangential` is k_t/k_n. A contact in
    direction n is stretched by u (e^(iq n) - 1) - (spin x n)(e^(iq n) + 1)/2. The pressure of the
    crystal is neglected.
    """
    matrix = np.zeros((6, 6), dtype=np.complex128)
    for n in NEIGHBOURS:
        phase = np.exp(1j * np.dot(wave_vector, n))
        lever = np.cross(np.eye(3), n).T
        stretch = np.hstack([(phase - 1.0) * np.eye(3), -0.5 * (phase + 1.0) * lever])
        along = np.outer(n, n)
        spring = along + tangential * (np.eye(3) - along)
        matrix += 0.5 * stretch.conj().T @ spring @ stretch
    root = np.sqrt(np.repeat([1.0, 0.25 * INERTIA], 3))
    squares, vectors = np.linalg.eigh(matrix / np.outer(root, root))
    return squares, vectors / root[:, None]
