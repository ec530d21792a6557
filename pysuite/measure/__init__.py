"""Measurements on a packing or a flow.

The functions measure the angle of repose, mass flow, coordination, fabric, bulk density, and
fragments held together by bonds. Their arguments are tables in the form returned by `engine.Run`,
or numpy arrays. Quantities with scatter are returned as an `Interval`, which has a `value`, the
ends `low` and `high`, and a text `how` that describes the origin of the interval.

>>> measured = mass_flow(range(61), [2.0 * second for second in range(61)])
>>> measured.value
2.0
"""

from pysuite.contacts import fragment_numbers, fragments
from pysuite.measure.bulk import Bulk, bulk_density
from pysuite.measure.grains import (
    Coordination,
    angle_of_repose,
    anisotropy,
    coordination,
    fabric,
    felt,
    heap_angle,
    heap_surface,
    mass_flow,
    surface,
)

__all__ = [
    "Bulk",
    "Coordination",
    "angle_of_repose",
    "anisotropy",
    "bulk_density",
    "coordination",
    "fabric",
    "felt",
    "fragment_numbers",
    "fragments",
    "heap_angle",
    "heap_surface",
    "mass_flow",
    "surface",
]
