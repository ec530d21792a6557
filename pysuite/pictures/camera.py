"""Camera position at which a scene just fills the picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
VIEW_ANGLE = 30.0  # degrees, from the lower to the upper edge of the picture
MARGIN = 0.05  # fraction of the picture left free on each side


class Camera(NamedTuple):
    """A camera, in the length unit of the scene.

    Attributes:
        position: position of the camera, (3,).
        focus: point at the centre of the picture, (3,), at the middle of the scene's depth.
        up: direction that points up in the picture, (3,).
        half_height: half the height of the picture at the focus.
        depths: smallest and largest distance of the scene from the camera, along the view.
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

    Args:
        centres: centres of the spheres, (n, 3); points of a mesh are spheres of radius 0.
        radii: radii of the spheres, (n,).
        eye: direction from the scene to the camera, (3,).
        up: direction that points up, (3,).
        aspect: width / height of the picture.
        parallel: whether to use parallel projection.

    Raises:
        ValueError: there is nothing to draw, or `eye` is zero or along `up`.
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
        # a camera at `distance` in front of the centre, shifted by `across`, shows a sphere
        # completely if the sphere's centre is inside each plane through the camera and an edge of
        # the picture, at a distance of at least the sphere's radius
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
    """Return the axes of the picture, rows: right, up, towards the camera."""
    right = np.cross(up, eye)
    length = np.linalg.norm(right)
    if not length > 1e-6 * np.linalg.norm(up) * np.linalg.norm(eye):
        raise ValueError(f"eye {eye} must not be along up {up}, and neither may be zero")
    right /= length
    ahead = eye / np.linalg.norm(eye)
    return np.array([right, np.cross(ahead, right), ahead])
