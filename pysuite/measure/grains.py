"""Measurements on grains and contacts: heaps, mass flow, coordination, fabric."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from pysuite import statistics
from pysuite.contacts import ENDS, NORMAL, check_steps, need, rows_of, touching
from pysuite.statistics import Interval

UNEVEN = 1e-3  # relative tolerance, for times printed with few digits
ROUNDS = 100
SECTORS = 4  # sectors of a heap; narrower sectors would not be independent
# The angle of a heap is measured on the part of its surface that is above the height FOOT, below
# TIP times the heap's height, and at least AXIS from the axis. FOOT and AXIS are in diameters of
# the probing ball. With FOOT = 1, measured angles of cones of random packings are 0.3 to 0.5
# degrees too large. With FOOT = 1.2, their errors are at most 0.1 degrees.
FOOT, AXIS, TIP = 1.2, 1.5, 0.9


def surface(
    grains: pd.DataFrame,
    edges: ArrayLike,
    place: ArrayLike | None = None,
    *,
    floor: float = np.nan,
) -> pd.DataFrame:
    """Return the free surface of a heap: its highest point within each interval.

    Args:
        grains: a table with columns x, y, z and radius; z points up.
        edges: edges of the intervals, of shape (n + 1,), in ascending order.
        place: array of the coordinate that is divided into intervals, with one value per grain,
            such as `grains["x"]` for a ridge along y. The default is for conical heaps: the
            distance of the grain from the vertical line through the volume-weighted centre of all
            grains.
        floor: height of intervals without grains; by default nan.

    Returns:
        A table with n rows. Column "place" is the midpoint of the interval, and column "height" is
        the height of the surface.
    """
    bounds = np.asarray(edges, dtype=float)
    if bounds.ndim != 1 or bounds.size < 2 or not (np.diff(bounds) > 0.0).all():
        raise ValueError(f"edges = {edges!r} must be two or more numbers in ascending order")
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
    level: float = statistics.SINGLE_LEVEL,
) -> Interval:
    """Return the angle of a free surface to the horizontal, in degrees.

    A straight line is fitted to the surface. The ends of the confidence interval come from the
    scatter of the points about this line. The points are assumed to be independent, which is nearly
    true if the intervals passed to `surface` are at least a grain wide. The scatter between heaps
    of different seeds is not included. For the mean over several heaps, `pysuite.statistics.mean`
    with `level=0.95` returns the confidence interval.

    A 95 % interval covers the angle in 95 % of cases if the standard deviation of the points is at
    most 1.25 grain diameters. Larger scatter biases the angle, because no point can be below the
    floor. For example, let the standard deviation be 1.5 diameters, and the lowest height half a
    diameter above the floor. Then the coverage is 91 %, and an angle of 30 degrees is
    underestimated by 0.4 degrees.

    Args:
        profile: a table with columns "place" and "height", in the form returned by `surface`. The
            height is fitted as a function of the absolute value of the place. The two sides of a
            ridge whose top is at 0 are thus combined.
        between: two heights that exclude the foot and the tip of the heap. Points are used where
            the fitted line is between these heights. Selecting points by their own heights would
            underestimate the angle, because high points at the tip and low points at the foot
            would be excluded.
        level: probability with which the angle lies in the confidence interval.

    Raises:
        ValueError: fewer than three points are left.
    """
    low, high = between
    height = profile["height"].to_numpy(dtype=float)
    away = np.abs(profile["place"].to_numpy(dtype=float))
    used = _within(away, height, low, high)
    if used.sum() < 3:
        raise ValueError(
            "an angle of repose needs at least 3 points where the fitted line is between the"
            f" heights {low:g} and {high:g}; there are {used.sum()}"
        )
    return _descent(statistics.slope(away[used], height[used], level))


def _descent(slope: Interval) -> Interval:
    return slope.mapped(lambda steepness: -float(np.degrees(np.arctan(steepness))))


def _within(
    away: NDArray[np.float64], height: NDArray[np.float64], low: float, high: float
) -> NDArray[np.bool_]:
    """Return True for the points that are used for the fit.

    At these points, the fitted line is between the heights `low` and `high`.
    """
    known = np.isfinite(height)
    used = known & (height >= low) & (height <= high)
    seen = set()
    for _ in range(ROUNDS):
        if used.tobytes() in seen or not used.any() or not np.ptp(away[used]) > 0.0:
            break
        seen.add(used.tobytes())
        line = _line(away[used], height[used], away)
        used = known & (line >= low) & (line <= high)
    return used


def _line(
    x: NDArray[np.float64], y: NDArray[np.float64], at: NDArray[np.float64]
) -> NDArray[np.float64]:
    off = x - x.mean()
    found: NDArray[np.float64] = y.mean() + (off @ y) / (off @ off) * (at - x.mean())
    return found


def felt(
    grains: pd.DataFrame, places: ArrayLike, ball: float, *, floor: float = 0.0
) -> NDArray[np.float64]:
    """Return the height of the lowest point of a ball that is lowered onto grains.

    A ball as large as a grain rolls over the gaps between grains. It samples every part of the
    surface equally, whatever the number of grains and the slope.

    Args:
        grains: a table with columns x, y, z and radius; z points up.
        places: array of shape (n, 2), x and y of the centre of the ball.
        ball: diameter of the ball.
        floor: height returned where the ball touches no grain.
    """
    centre = grains[["x", "y", "z"]].to_numpy(dtype=float)
    reach = grains["radius"].to_numpy(dtype=float) + 0.5 * ball
    points = np.asarray(places, dtype=float).reshape(-1, 2)
    near = cKDTree(centre[:, :2]).query_ball_point(points, reach.max())
    point = np.repeat(np.arange(len(points)), [len(one) for one in near])
    grain = np.concatenate([np.asarray(one, dtype=np.int64) for one in near])
    above = reach[grain] ** 2 - ((centre[grain, :2] - points[point]) ** 2).sum(axis=1)
    touch = above > 0.0
    lowest = centre[grain[touch], 2] + np.sqrt(above[touch]) - 0.5 * ball
    height = np.full(len(points), float(floor))
    np.maximum.at(height, point[touch], lowest)
    return height


def heap_surface(grains: pd.DataFrame, ball: float) -> pd.DataFrame:
    """Return the free surface of a conical heap on a floor at z = 0, probed by a ball.

    Args:
        grains: a table with columns x, y, z and radius; z points up.
        ball: diameter of the ball, such as the median diameter of the grains.

    Returns:
        A table with one row for each point of a square lattice whose spacing is half the diameter
        of the ball. The axis of the heap is the vertical line through the volume-weighted centre of
        all grains. Columns:

        * "place": distance of the point from the axis.
        * "sector": number of the sector that contains the point. The axis is the centre of sectors.
        * "height": height of the surface at the point.
    """
    weight = grains["radius"].to_numpy() ** 3
    axis = [np.average(grains[name], weights=weight) for name in ("x", "y")]
    widest = float(np.hypot(grains["x"] - axis[0], grains["y"] - axis[1]).max())
    row = np.arange(-widest, widest + 0.5 * ball, 0.5 * ball)
    points = np.stack(np.meshgrid(row, row), axis=-1).reshape(-1, 2)
    place = np.hypot(points[:, 0], points[:, 1])
    points, place = points[place <= widest], place[place <= widest]
    turn = np.arctan2(points[:, 1], points[:, 0]) / (2.0 * np.pi) + 0.5
    return pd.DataFrame(
        {
            "place": place,
            "sector": np.floor(SECTORS * turn).astype(int) % SECTORS,
            "height": felt(grains, points + axis, ball),
        }
    )


def heap_angle(
    grains: pd.DataFrame, ball: float, *, level: float = statistics.SINGLE_LEVEL
) -> Interval:
    """Return the angle of repose of a conical heap on a floor at z = 0, in degrees.

    The height of the surface, from `heap_surface`, is fitted by a straight line as a function of
    the distance from the axis. Points closer to the axis than 1.5 ball diameters are left out.
    Points are also left out where the line is lower than 1.2 ball diameters or higher than 0.9
    times the height of the heap. The ends of the confidence interval come from fits that leave out
    one sector at a time.

    Args:
        grains: a table with columns x, y, z and radius; z points up.
        ball: diameter of the ball, such as the median diameter of the grains.
        level: probability with which the angle lies in the confidence interval.

    Raises:
        ValueError: the heap is too flat or too narrow.
    """
    surface = heap_surface(grains, ball)
    surface = surface[surface["place"] >= AXIS * ball]
    top = float((grains["z"] + grains["radius"]).max())

    def slope(part: pd.DataFrame) -> float:
        place, height = part["place"].to_numpy(), part["height"].to_numpy()
        used = _within(place, height, FOOT * ball, TIP * top)
        if used.sum() < 3 or not np.ptp(place[used]) > 0.0:
            raise ValueError(
                f"a heap {top / ball:.3g} ball diameters high is too low for an angle of repose."
                f" The angle is measured at least {AXIS:g} ball diameters from the axis, at heights"
                f" between {FOOT:g} ball diameters and {TIP:g} times the height of the heap"
            )
        return float(np.polyfit(place[used], height[used], 1)[0])

    others = [slope(surface[surface["sector"] != n]) for n in range(SECTORS)]
    return _descent(statistics.jackknife(slope(surface), others, level, "sectors"))


def mass_flow(
    time: ArrayLike, mass: ArrayLike, *, level: float = statistics.SINGLE_LEVEL
) -> Interval:
    """Return the mean rate at which a mass grows, with a confidence interval.

    The series is divided into blocks longer than its correlation time. The scatter of the blocks
    gives the interval. Pass only the steady part of the flow.

    Args:
        time: array of shape (n,), evenly spaced times.
        mass: array of shape (n,), mass discharged up to these times, or any other cumulative
            quantity.
        level: probability with which the mean of a longer series lies in the interval.

    Raises:
        ValueError: times are not evenly spaced, or too few for the correlation time of the flow.
    """
    times, masses = np.asarray(time, dtype=float), np.asarray(mass, dtype=float)
    if times.ndim != 1 or times.shape != masses.shape:
        raise ValueError(f"time {times.shape} and mass {masses.shape} must have the same length")
    if times.size < 2:
        raise ValueError(f"time must have two values or more, not {times.size}")
    if not (np.isfinite(times).all() and np.isfinite(masses).all()):
        raise ValueError("time and mass must be finite")
    between = np.diff(times)
    mean = between.mean()
    if not (np.abs(between - mean) <= UNEVEN * mean).all() or not mean > 0.0:
        raise ValueError(
            "time must be evenly spaced; its intervals range from"
            f" {between.min():g} to {between.max():g}. Use the lines of a single run, and leave out"
            " the last line if its interval differs"
        )
    try:
        return statistics.series(np.diff(masses) / mean, level)
    except ValueError as error:
        raise ValueError(
            f"time has {times.size} values, too few for a confidence interval: {error}. Write more"
            " lines, or let the flow run longer"
        ) from error


class Coordination(NamedTuple):
    """Contacts per grain.

    Attributes:
        mean: mean number of contacts of all grains.
        bearing: mean number of contacts of the grains that bear load; nan if no grain bears load.
            Contacts with rattlers do not count, but contacts with walls count.
        rattlers: fraction of the grains that bear no load.
        contacts: array of shape (grains,), number of contacts of each grain, in the order of the
            table.
        rattling: array of shape (grains,), True for rattlers.
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

    A grain with fewer contacts than `fewest` is a rattler: it bears no load. Rattlers and their
    contacts are removed repeatedly, until no rattler is left. With friction, two contacts can
    support a grain. Without friction, a grain needs four contacts (three in two dimensions).

    Args:
        grains: a table of one step with column "id".
        contacts: a table with one row per contact, in the form returned by `Run.local`. Columns
            "patom1" and "patom2" are the IDs of the grains. If the table has a column "gap", only
            rows with a negative gap count, because other pairs are joined only by a liquid bridge
            or a bond. Without a column "gap", rows with a separation of 0 do not count. If the
            table contains neither gaps nor separations, all rows count.
        walls: array of shape (grains,), number of contacts of each grain with walls. If the script
            dumps the numbers of contacts of `fix floor … wall/granular/plus … contacts`, pass
            `grains[outputs.WALL_CONTACTS.of("f_floor", "contacts")]`. For several walls, pass the
            sum of their columns.
        fewest: smallest number of contacts of a grain that bears load.

    Raises:
        ValueError: a grain of a contact is missing in `grains`, or the two tables belong to
            different steps.
    """
    check_steps({"grains": grains, "contacts": contacts})
    contacts = contacts[touching(contacts)]
    ends = rows_of(grains, contacts[ENDS])
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
    """Return the fabric tensor, of shape (3, 3): the mean of n n over contacts with normals n.

    The trace of the tensor is 1. Its eigenvalues are 1/3 if contacts are isotropic.

    Args:
        contacts: either an array of shape (n, 3) with vectors of any length along the normals, or
            a table in the form returned by `Run.local`, with columns "normal_x", "normal_y" and
            "normal_z". Rows of a table are ignored if their grains do not touch, as in
            `coordination`.
        weights: array of shape (n,), weights of the contacts, such as the normal force.

    Raises:
        ValueError: there is no contact, a vector has length 0, or the table has no normals.
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
        raise ValueError("a fabric tensor needs at least one contact, and normals of length > 0")
    normals = vectors / lengths[:, None]
    total = np.einsum("n,ni,nj->ij", weight, normals, normals) / weight.sum()
    return np.asarray(total)


def anisotropy(tensor: ArrayLike) -> float:
    """Return the largest minus the smallest eigenvalue of a fabric tensor."""
    found = np.linalg.eigvalsh(np.asarray(tensor, dtype=float))
    return float(found[-1] - found[0])
