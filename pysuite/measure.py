"""What is measured of a packing or a flow: angle of repose, mass flow, coordination, fabric.

The functions take tables as `engine.Run` returns them, or numpy arrays. Whatever scatters comes
back as an `Interval` with its `value` and the ends `low` and `high`.

>>> measured = mass_flow(range(61), [2.0 * second for second in range(61)])
>>> measured.value
2.0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pysuite.cases import intervals
from pysuite.cases.intervals import Interval
from pysuite.contacts import NORMAL, check_steps, need, touching

ENDS = ["patom1", "patom2"]  # IDs of the two grains, as compute property/local calls them
UNEVEN = 1e-3  # of a time interval: what may come from times printed with few digits


def surface(
    grains: pd.DataFrame,
    edges: ArrayLike,
    place: ArrayLike | None = None,
    *,
    floor: float = np.nan,
) -> pd.DataFrame:
    """Return the free surface of a heap: its highest point within each of some intervals.

    Args:
        grains: a table with columns x, y, z and radius; z points up.
        edges: of the intervals, (n + 1,), rising.
        place: coordinate of each grain that the intervals divide, such as `grains["x"]` for a
            ridge along y; by default the distance from the vertical line through the centre of all
            grains, weighted by volume, for a conical heap.
        floor: height where there is no grain; by default nan.

    Returns:
        A table with n rows: "place", the middle of the interval, and "height".
    """
    bounds = np.asarray(edges, dtype=float)
    if bounds.ndim != 1 or bounds.size < 2 or not (np.diff(bounds) > 0.0).all():
        raise ValueError(f"edges = {edges!r} must be two rising numbers or more")
    if place is None:
        weight = grains["radius"].to_numpy() ** 3
        x, y = (grains[name].to_numpy() - np.average(grains[name], weights=weight) for name in "xy")
        place = np.hypot(x, y)
    interval = np.digitize(np.asarray(place, dtype=float), bounds) - 1
    top = (grains["z"] + grains["radius"]).to_numpy()
    heights = [top[interval == n] for n in range(bounds.size - 1)]
    height = [one.max(initial=-np.inf if np.isnan(floor) else floor) for one in heights]
    middle = 0.5 * (bounds[1:] + bounds[:-1])
    return pd.DataFrame({"place": middle, "height": height}).replace(-np.inf, np.nan)


def angle_of_repose(
    profile: pd.DataFrame,
    *,
    between: tuple[float, float] = (-np.inf, np.inf),
    level: float = intervals.ALONE,
) -> Interval:
    """Return the angle of a free surface to the horizontal, in degrees, from a straight line.

    The ends of the interval come from how the points scatter about the line, taken as independent:
    intervals of `surface` that are a grain wide or wider are nearly so. How heaps of different
    seeds scatter is another question; see `intervals.mean`.

    Args:
        profile: "place" and "height", as `surface` returns them. The slope is that of the height
            over the absolute value of the place, so both sides of a ridge about 0 count as one.
        between: heights used, so that foot and tip of the heap can be left out.
        level: probability with which the angle lies in the interval.

    Raises:
        ValueError: fewer than three points are left.
    """
    low, high = between
    height = profile["height"].to_numpy(dtype=float)
    used = (height >= low) & (height <= high)  # false for nan
    if used.sum() < 3:
        raise ValueError(
            f"an angle of repose needs 3 points of the surface between {low:g} and {high:g},"
            f" not {used.sum()}"
        )
    away = np.abs(profile["place"].to_numpy(dtype=float))
    slope = intervals.slope(away[used], height[used], level)
    return slope.mapped(lambda steepness: -float(np.degrees(np.arctan(steepness))))


def mass_flow(time: ArrayLike, mass: ArrayLike, *, level: float = intervals.ALONE) -> Interval:
    """Return the mean rate at which a mass grows, with its uncertainty.

    The uncertainty comes from blocks of the series that are longer than its memory. Give the steady
    part of the flow only.

    Args:
        time: (n,) at even intervals.
        mass: (n,) that has flowed out up to these times, or any other quantity that adds up.
        level: probability with which the mean of a longer series lies in the interval.

    Raises:
        ValueError: times are not even, or too few for the memory of the flow.
    """
    times, masses = np.asarray(time, dtype=float), np.asarray(mass, dtype=float)
    if times.ndim != 1 or times.shape != masses.shape:
        raise ValueError(f"time {times.shape} and mass {masses.shape} must have the same length")
    if times.size < 2:
        raise ValueError(f"a flow needs two times or more, not {times.size}")
    between = np.diff(times)
    mean = between.mean()
    if not (np.abs(between - mean) <= UNEVEN * mean).all() or not mean > 0.0:
        raise ValueError(
            f"times must be even: intervals are from {between.min():g} to {between.max():g}"
        )
    return intervals.series(np.diff(masses) / mean, level)


class Coordination(NamedTuple):
    """Contacts per grain.

    Attributes:
        mean: of all grains.
        bearing: of the grains that bear load, of their contacts with each other and with walls;
            nan where there are none.
        rattlers: fraction of the grains that bear none.
        contacts: (grains,) of each grain, in the order of the table.
        rattling: (grains,) whether it is a rattler.
    """

    mean: float
    bearing: float
    rattlers: float
    contacts: NDArray[np.int64]
    rattling: NDArray[np.bool_]


def coordination(
    grains: pd.DataFrame, contacts: pd.DataFrame, *, walls: ArrayLike = 0, fewest: int = 2
) -> Coordination:
    """Return the mean number of contacts per grain, with rattlers and without.

    A grain with fewer contacts than `fewest` cannot be held by them; it is taken away as a rattler
    with its contacts, and so on until none is left. With friction two contacts may hold a grain,
    without it takes four (three in two dimensions).

    Args:
        grains: a table of one time with column "id".
        contacts: a row for each contact, with the IDs of its grains, "patom1" and "patom2", as
            `Run.local` returns it. Where it has "gap", rows with a gap, which only a liquid bridge
            or a bond joins, do not count, nor do those of separation 0, of grains that do not
            touch. A table with neither counts in full.
        walls: contacts of each grain with walls, (grains,), such as the column "contacts" of a
            `fix wall/granular/plus … contacts`.
        fewest: contacts of a grain that bears load.

    Raises:
        ValueError: a contact has a grain that is not in the table, or the two tables are not of the
            same step.
    """
    check_steps({"grains": grains, "contacts": contacts})
    contacts = contacts[touching(contacts)]
    number = pd.Index(grains["id"])
    if number.has_duplicates:
        raise ValueError("the table of grains must be of one time, but an id occurs twice")
    ends = np.stack([number.get_indexer(contacts[end].astype("int64")) for end in ENDS], axis=-1)
    if (ends < 0).any():
        lost = int(contacts[ENDS].to_numpy()[ends < 0][0])
        raise ValueError(f"a contact has grain {lost}, which is not in the table of grains")
    at_walls = np.broadcast_to(np.asarray(walls, dtype=np.int64), len(grains))

    def count(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(pairs.ravel(), minlength=len(grains)) + at_walls

    found = count(ends)
    rattling = np.zeros(len(grains), dtype=bool)
    kept, bearing = ends, found
    while (few := ~rattling & (bearing < fewest)).any():
        rattling |= few
        kept = kept[~rattling[kept].any(axis=1)]
        bearing = count(kept)
    held = bearing[~rattling]
    return Coordination(
        float(found.mean()) if len(grains) else float("nan"),
        float(held.mean()) if held.size else float("nan"),
        float(rattling.mean()) if len(grains) else float("nan"),
        found,
        rattling,
    )


def fabric(contacts: pd.DataFrame | ArrayLike, weights: ArrayLike = 1.0) -> NDArray[np.float64]:
    """Return the fabric tensor, the mean of n n over contacts of normal n: (3, 3), trace 1.

    Its eigenvalues are 1/3 where contacts point in all directions alike.

    Args:
        contacts: a table with columns "normal_x", "normal_y", "normal_z", as `Run.local` returns
            it, or vectors of any length along the normals, (n, 3). Of a table, grains that do not
            touch are left out, as by `coordination`.
        weights: (n,) of the contacts, such as the normal force.

    Raises:
        ValueError: there is no contact, a vector of length 0, or no column of normals.
    """
    if isinstance(contacts, pd.DataFrame):
        need(contacts, NORMAL, "contacts")
        vectors, counted = contacts[NORMAL].to_numpy(dtype=float), touching(contacts)
    else:
        vectors = np.asarray(contacts, dtype=float).reshape(-1, 3)
        counted = np.ones(len(vectors), dtype=bool)
    weight = np.broadcast_to(np.asarray(weights, dtype=float), len(vectors))[counted]
    vectors = vectors[counted]
    lengths = np.linalg.norm(vectors, axis=1)
    if not len(vectors) or not (lengths > 0.0).all():
        raise ValueError("a fabric tensor needs one contact or more, each with a direction")
    normals = vectors / lengths[:, None]
    total = np.einsum("n,ni,nj->ij", weight, normals, normals) / weight.sum()
    return np.asarray(total)


def anisotropy(tensor: ArrayLike) -> float:
    """Return the largest less the smallest eigenvalue of a fabric tensor, 0 if isotropic."""
    found = np.linalg.eigvalsh(np.asarray(tensor, dtype=float))
    return float(found[-1] - found[0])
