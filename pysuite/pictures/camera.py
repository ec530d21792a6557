"""Camera position at which a scene just fills the picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
VIEW_ANGLE = 30.0  # vertical angle of view, degrees
MARGIN = 0.05  # fraction of the picture that is left free on each side


class Camera(NamedTuple):
    """A camera, in the length unit of the scene.

    Attributes:
        position: position of the camera.
        focus: point at the centre of the picture, in the middle of the scene's depth.
        up: upward direction in the picture.
        half_height: half the height of the picture at the focus.
        depths: smallest and largest distance of the scene from the camera, along the viewing
            direction.
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

    The points of meshes are passed as spheres of radius 0. `centres` has shape (n, 3), and `radii`
    has shape (n,). `eye` points from the scene to the camera, and `aspect` is width / height of the
    picture. Raises ValueError if there is nothing to draw, if `eye` or `up` is zero, or if `eye`
    and `up` are parallel.
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
        # A sphere is completely visible if the distance of its centre from the planes through the
        # camera and the edges of the picture is at least its radius.
        reach = radii * np.hypot(1.0, slope) / slope + seen[:, 2] - middle
        right = (reach + seen[:, axis] / slope).max()
        left = (reach - seen[:, axis] / slope).max()
        across[axis] = 0.5 * (right - left) * slope
        distances[axis] = 0.5 * (right + left)
    distance = max(distances.max(), np.finfo(float).tiny)
    half_height = distance * tangent
    if parallel:
        distance += near - far  # moves the camera in front of the scene
    focus = np.array([*across, middle]) @ axes
    depths = (distance - (near - middle), distance + (middle - far))
    return Camera(focus + distance * axes[2], focus, axes[1], half_height, depths)


def _axes(eye: Array, up: Array) -> Array:
    """Return the axes of the picture as rows: to the right, up, and towards the camera."""
    right = np.cross(up, eye)
    length = np.linalg.norm(right)
    if not length > 1e-6 * np.linalg.norm(up) * np.linalg.norm(eye):
        raise ValueError(f"eye {eye} and up {up} must not be parallel or zero")
    right /= length
    ahead = eye / np.linalg.norm(eye)
    return np.array([right, np.cross(ahead, right), ahead])
