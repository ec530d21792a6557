"""What experiments measure, from tables of grains and contacts: angles, rates, contacts, fabric.

All take numpy arrays or columns of pandas tables, as `Run.dump` and `Run.thermo` return them, in
the units of the script. A `Measured` has a standard error, which says how well the data determine
the value; what differs from one packing to the next is seen only from several.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
MOST_BLOCKS = 20  # of a flow, for its error
LEAST_CONTACTS = 4  # of a grain that is no rattler: as many as balance it without friction


class Measured(NamedTuple):
    """A value and its standard error, in the same unit."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.4g} +- {self.error:.2g}"


def free_surface(
    place: npt.ArrayLike, top: npt.ArrayLike, edges: npt.ArrayLike, floor: float = 0.0
) -> Array:
    """Return the middle of each bin and the highest point in it, shape (bins, 2).

    Args:
        place: where each grain is, along a slice or away from an axis, shape (grains,).
        top: its highest point, height of the centre plus radius, shape (grains,).
        edges: of the bins, rising, shape (bins + 1,).
        floor: height where there are no grains.

    Raises:
        ValueError: the edges do not rise, or place and top differ in shape.
    """
    place, top, edges = (np.asarray(values, dtype=float) for values in (place, top, edges))
    if place.shape != top.shape:
        raise ValueError(f"place has the shape {place.shape}, top {top.shape}: they must be equal")
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0.0).all():
        raise ValueError("edges must be two numbers or more, each larger than the one before")
    bins = np.digitize(place, edges) - 1
    height = [top[bins == n].max(initial=floor) for n in range(len(edges) - 1)]
    return np.column_stack([0.5 * (edges[1:] + edges[:-1]), height])


def angle_of_repose(surface: npt.ArrayLike, centre: float = 0.0) -> Measured:
    """Return the slope of a heap against the horizontal, in degrees, from its free surface.

    A straight line is fitted to the height over the distance from the centre, so that a ridge has
    one angle for its two slopes; its error is that of the fit.

    Args:
        surface: place and height, shape (bins, 2); see `free_surface`. Leave out what is not part
            of the slope, such as the foot.
        centre: place of the summit.

    Raises:
        ValueError: there are fewer than three points.
    """
    points = np.asarray(surface, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise ValueError(f"a surface has the shape (3 or more, 2), this one {points.shape}")
    away = np.abs(points[:, 0] - centre)
    fit = np.polyfit(away, points[:, 1], 1)
    misfit = points[:, 1] - np.polyval(fit, away)
    spread = ((away - away.mean()) ** 2).sum()
    error = np.sqrt((misfit**2).sum() / (len(points) - 2) / spread)
    angle = np.arctan(-fit[0])
    return Measured(float(np.degrees(angle)), float(np.degrees(error * np.cos(angle) ** 2)))


def mass_flow(time: npt.ArrayLike, passed: npt.ArrayLike) -> Measured:
    """Return the rate at which mass has passed, in a steady part of a run.

    The rate is that between the first time and the last; its error comes from the scatter of the
    rates of up to 20 blocks of equal length, which are taken to be independent.

    Args:
        time: shape (n,), rising, n of four or more.
        passed: mass that has passed until then, or minus the mass that is left, shape (n,).

    Raises:
        ValueError: fewer than four times, times that do not rise, or shapes that differ.
    """
    time, passed = np.asarray(time, dtype=float), np.asarray(passed, dtype=float)
    if time.shape != passed.shape or time.ndim != 1 or len(time) < 4:
        raise ValueError("time and passed must be of one shape (n,), with n >= 4")
    if not (np.diff(time) > 0.0).all():
        raise ValueError("each time must be larger than the one before")
    blocks = min(MOST_BLOCKS, (len(time) - 1) // 2 or 1)
    ends = np.linspace(time[0], time[-1], blocks + 1)
    rates = np.diff(np.interp(ends, time, passed)) / np.diff(ends)
    rate = (passed[-1] - passed[0]) / (time[-1] - time[0])
    error = rates.std(ddof=1) / np.sqrt(blocks) if blocks > 1 else np.nan
    return Measured(float(rate), float(error))


class Coordination(NamedTuple):
    """Contacts per grain.

    Attributes:
        mean: contacts of all grains over their number.
        without_rattlers: the same of the grains that are held, and the contacts between them.
        rattlers: fraction of the grains that are not.
    """

    mean: float
    without_rattlers: float
    rattlers: float


def coordination(
    first: npt.ArrayLike, second: npt.ArrayLike, grains: int, least: int = LEAST_CONTACTS
) -> Coordination:
    """Return the coordination number of a packing; contacts with walls count if they are listed.

    Grains with fewer than `least` contacts are rattlers; they are taken away with their contacts,
    which may make rattlers of others. LAMMPS's `compute rattlers/atom` does the same.

    Args:
        first: ID of one grain of each contact, shape (contacts,).
        second: ID of the other grain; 0 for a wall.
        grains: number of all grains, those without contacts included.
        least: contacts that hold a grain.

    Raises:
        ValueError: the shapes differ, or there are more grains in the contacts than in all.
    """
    pairs = np.column_stack([np.asarray(first, dtype=int), np.asarray(second, dtype=int)])
    known = np.unique(pairs[pairs > 0])
    if grains < max(1, len(known)):
        raise ValueError(f"grains = {grains} must be >= {max(1, len(known))}")
    held, between = known, pairs
    while True:
        ids, counts = np.unique(between[between > 0], return_counts=True)
        stays = ids[counts >= least]
        if len(stays) == len(held):
            break
        held = stays
        between = between[np.isin(between, np.append(held, 0)).all(axis=1)]
    return Coordination(
        mean=float((pairs > 0).sum() / grains),
        without_rattlers=float((between > 0).sum() / len(held)) if len(held) else 0.0,
        rattlers=1.0 - len(held) / grains,
    )


def fabric(normals: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Array:
    """Return the fabric tensor, the mean of n n over contacts: shape (3, 3), trace 1.

    Args:
        normals: of the contacts, of any length and sign but zero, shape (contacts, 3).
        weights: of the contacts, as their normal forces, shape (contacts,); none: all alike.

    Raises:
        ValueError: there is no contact, a normal is zero, or a shape does not fit.
    """
    normals = np.asarray(normals, dtype=float)
    if normals.ndim != 2 or normals.shape[1] != 3 or not len(normals):
        raise ValueError(f"normals have the shape (contacts, 3), these {normals.shape}")
    length = np.linalg.norm(normals, axis=1)
    if not (length > 0.0).all():
        raise ValueError("a normal is zero")
    weights = np.ones(len(normals)) if weights is None else np.asarray(weights, dtype=float)
    if weights.shape != length.shape or not weights.sum() > 0.0:
        raise ValueError("weights must be one for each contact, and their sum > 0")
    unit = normals / length[:, None]
    tensor: Array = np.einsum("c,ci,cj->ij", weights, unit, unit) / weights.sum()
    return tensor
