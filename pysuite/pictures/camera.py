"""Camera position at which a scene just fills the picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
VIEW_ANGLE = 30.0  # degrees, across the height of the picture
MARGIN = 0.05  # fraction left free on each side


class Camera(NamedTuple):
    """A camera, in the length unit of the scene.

    Attributes:
        position: (3,).
        focus: centre of the picture at the middle of the scene's depth, (3,).
        up: upward direction in the picture, (3,).
        half_height: half the height of the picture at the focus.
        depths: distances from the camera, along the view, at which the scene begins and ends.
    """

    position: Array
    focus: Array
    up: Array
    half_height: float
    depths: tuple[float, float]


def fit(
    centres: ArrayLike,
    radii: ArrayLike,
    *,
    eye: ArrayLike,
    up: ArrayLike,
    aspect: float,
    parallel: bool = False,
) -> Camera:
    """Return the camera that shows all spheres as large as possible.

    `centres` (n, 3) and `radii` (n,) also describe points of meshes, with radius 0. `eye` points
    from the scene to the camera, and `aspect` is width / height of the picture. Raises ValueError
    if there is nothing to draw, or if `eye` is zero or along `up`.
    """
    centres = np.asarray(centres, dtype=float).reshape(-1, 3)
    radii = np.broadcast_to(np.asarray(radii, dtype=float), len(centres))
    if not len(centres):
        raise ValueError("there is nothing to draw")
    axes = _axes(np.asarray(eye, dtype=float), np.asarray(up, dtype=float))
    seen = centres @ axes.T
    near, far = (seen[:, 2] + radii).max(), (seen[:, 2] - radii).min()
    middle = 0.5 * (near + far)
    tangent = np.tan(np.radians(0.5 * VIEW_ANGLE))
    slopes = (
        tangent * (1.0 - 2.0 * MARGIN) * np.array([aspect, 1.0])
    )  # slopes of the planes through the camera and the edges of the usable picture
    across, distances = np.empty(2), np.empty(2)
    for axis, slope in enumerate(slopes):
        if parallel:
            high, low = (seen[:, axis] + radii).max(), (seen[:, axis] - radii).min()
            across[axis] = 0.5 * (high + low)
            distances[axis] = 0.5 * (high - low) / slope
            continue
        # a sphere is visible completely if its centre is at least a radius inside each plane
        # through the camera and an edge of the picture
        reach = radii * np.hypot(1.0, slope) / slope + seen[:, 2] - middle
        right = (reach + seen[:, axis] / slope).max()
        left = (reach - seen[:, axis] / slope).max()
        across[axis] = 0.5 * (right - left) * slope
        distances[axis] = 0.5 * (right + left)
    distance = max(distances.max(), np.finfo(float).tiny)
    half_height = distance * tangent
    if parallel:
        distance += near - far  # puts the camera in front of the scene
    focus = np.array([*across, middle]) @ axes
    depths = (distance - (near - middle), distance + (middle - far))
    return Camera(focus + distance * axes[2], focus, axes[1], half_height, depths)


def _axes(eye: Array, up: Array) -> Array:
    """Return the picture's axes as rows: right, up, towards the camera."""
    right = np.cross(up, eye)
    length = np.linalg.norm(right)
    if not length > 1e-6 * np.linalg.norm(up) * np.linalg.norm(eye):
        raise ValueError(f"eye {eye} must not be along up {up}, and neither may be zero")
    right /= length
    ahead = eye / np.linalg.norm(eye)
    return np.array([right, np.cross(ahead, right), ahead])
