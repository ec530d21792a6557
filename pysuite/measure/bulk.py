"""The bulk density of a packing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.contacts import AXES, need
from pysuite.measure.volumes import Box, Volume, around


class Bulk(NamedTuple):
    """Content of a volume.

    Attributes:
        density: mass per volume, including the space between the grains.
        fraction: volume of the grains divided by `volume`.
        mass: mass inside the volume. If the border cuts a grain, the part inside is included.
        volume: volume over which density and fraction are averaged.
    """

    density: float
    fraction: float
    mass: float
    volume: float


def bulk_density(
    grains: pd.DataFrame, volume: Volume | None = None, box: Box | None = None
) -> Bulk:
    """Return the bulk density of a packing within a volume.

    The density describes the packing only if the packing fills the volume: exclude the free surface
    and, unless they are of interest, the layers at walls. Overlaps of spheres are not subtracted.

    Args:
        grains: a table with columns x, y, z, radius and mass.
        volume: volume returned by `volumes.block` or `volumes.region`. None selects the smallest
            box around the grains; along periodic axes, the bounds are those of the simulation box.
        box: simulation box, from which periodic images of grains follow; with None, there are no
            images.

    Raises:
        ValueError: a column is missing.
    """
    need(grains, [*AXES, "radius", "mass"], "grains")
    volume = volume or around(grains, box)
    radius = grains["radius"].to_numpy(dtype=float)
    part, _ = volume.parts(grains[list(AXES)].to_numpy(dtype=float), radius, box)
    mass = float(part @ grains["mass"].to_numpy(dtype=float))
    solid = float(part @ (4.0 / 3.0 * np.pi * radius**3))
    size = float(np.prod(np.ptp(volume.ends, axis=1)))
    if volume.encloses is not None:
        samples, share = volume.samples()
        size = share * len(samples)
    return Bulk(mass / size, solid / size, mass, size)
