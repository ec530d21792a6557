"""Elastic moduli of packings of spheres or discs: networks of springs, and mean-field theory.

In a network, each contact is replaced by a spring that bears no force at rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# extension along x, y and z, and shear in xy, xz and yz
PAIRS = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
STRAINS = np.array(
    [0.5 * (np.outer(e[i], e[j]) + np.outer(e[j], e[i])) for e in [np.eye(3)] for i, j in PAIRS]
)


class Contacts(NamedTuple):
    """Contacts of a packing. Each row of the arrays belongs to one contact.

    Attributes:
        one, other: indices of the two grains.
        normal: array of shape (contacts, dimensions), unit vectors from `other` to `one`.
        distance: distance between the centres.
        force: repulsive force, in units of the stiffness and the smaller diameter.
        stiffness: derivative of the force with respect to the overlap.
    """

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    normal: Array
    distance: Array
    force: Array
    stiffness: Array

    def only(self, these: NDArray[np.bool_]) -> Contacts:
        """Return the contacts for which the mask `these` is True."""
        return Contacts(
            self.one[these],
            self.other[these],
            self.normal[these],
            self.distance[these],
            self.force[these],
            self.stiffness[these],
        )


class Moduli(NamedTuple):
    """Stiffness of a network. The arrays have shape (strains, strains).

    Attributes:
        affine: stiffness if all grains follow the strain and do not turn.
        relaxed: stiffness if grains move and turn until all forces and torques balance.
    """

    affine: Array
    relaxed: Array


def moduli(
    of: Contacts, grains: int, volume: float, strains: Array, tangential: float = 0.0
) -> Moduli:
    """Return the stiffness of the network against strains.

    `strains` are symmetric tensors, of shape (strains, d, d). `tangential` is the tangential
    stiffness of a contact divided by the normal stiffness. If `tangential` is not zero, the grains
    must be equal spheres. Every grain must be held by its contacts.
    """
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    d = of.normal.shape[1]
    unit = np.eye(d)
    along = of.normal[:, :, None] * of.normal[:, None, :]
    block = of.stiffness[:, None, None] * (along + tangential * (unit - along))
    shifts = np.broadcast_to(unit, along.shape)
    moves = [shifts, -shifts]  # motion of the contact point when one of the two grains moves
    if tangential:
        # a rotation w of one of the two spheres moves the contact point by -(w x n) distance/2
        arm = 0.5 * of.distance[:, None] * of.normal
        turned = np.stack([np.cross(arm, axis) for axis in unit], axis=2)
        moves = [np.concatenate([move, turned], axis=2) for move in moves]
    width = moves[0].shape[2]
    freedoms = np.concatenate(
        [width * grain[:, None] + np.arange(width) for grain in (of.one, of.other)], axis=1
    )
    both = np.concatenate(moves, axis=2)
    pulled = block @ both
    entries = np.swapaxes(both, 1, 2) @ pulled
    place = np.broadcast_arrays(freedoms[:, :, None], freedoms[:, None, :])
    size = width * grains
    hessian = csc_array((entries.ravel(), [p.ravel() for p in place]), shape=(size, size))
    follow = of.distance * np.einsum("sij,cj->sic", strains, of.normal)
    load = np.einsum("cij,sjc->sic", block, follow)
    on_grains = np.zeros((size, len(strains)))
    np.add.at(on_grains, freedoms, np.einsum("cif,sic->cfs", both, load))
    # one grain is fixed, because otherwise the whole network could move freely
    symmetric = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}
    held = hessian[d:, d:]
    moved = splu(held, diag_pivot_thresh=0.0, **symmetric).solve(on_grains[d:])
    affine = np.einsum("sic,tic->st", follow, load)
    return Moduli(affine / volume, (affine - on_grains[d:].T @ moved) / volume)


def bulk(stiffness: Array) -> float:
    """Return the bulk modulus. `stiffness` is the matrix of shape (6, 6) for `STRAINS`."""
    return float(stiffness[:3, :3].mean())


def shear(stiffness: Array) -> float:
    """Return the mean shear modulus over all directions.

    `stiffness` is the matrix of shape (6, 6) for `STRAINS`.
    """
    across = stiffness[[0, 0, 1], [1, 2, 2]].sum()
    return float((np.trace(stiffness) + 2.0 * np.trace(stiffness[3:, 3:]) - across) / 15.0)


def mean_field(contacts: float, pressure: float) -> float:
    """Return the bulk modulus of a packing of equal spheres that all follow the strain.

    All contacts are assumed to bear the same force (Walton 1987). `contacts` is the number of
    contacts per sphere times the solid fraction. The contact force is A R^(1/2) overlap^(3/2) with
    the effective radius R. Pressure and modulus are in units of A.
    """
    return contacts ** (2.0 / 3.0) * (2.0 * np.pi * pressure) ** (1.0 / 3.0) / (4.0 * np.pi)


def affine_ratio(tangential: float) -> float:
    """Return the mean shear modulus over all directions, divided by the bulk modulus.

    All spheres follow the strain. `tangential` is defined as in `moduli`. The ratio does not depend
    on the directions of the contacts.
    """
    return 0.6 * (1.0 + 1.5 * tangential)


def least_bulk(of: Contacts, volume: float) -> float:
    """Return a lower bound of the bulk modulus.

    The contact forces must be in equilibrium. Of all changes of the forces that balance a change
    of the load, the true change has the least elastic energy (Agnolin & Roux 2007). The bound is
    calculated from the energy of a change that is proportional to the forces.
    """
    pressure = (of.force * of.distance).sum() / (3.0 * volume)
    return float(volume * pressure**2 / (of.force**2 / of.stiffness).sum())
