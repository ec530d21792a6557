"""A kernel for scikit-learn. Call `surrogate.require_library` before importing this module."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Kernel

Array = NDArray[np.float64]


class Exponential(Kernel):  # type: ignore[misc]
    """Kernel f(x) f(y) with f(x) = exp(slopes·(x − 1/2)), for scatter proportional to f."""

    def __init__(self, slopes: Array):
        self.slopes = slopes

    def _factor(self, points: Array) -> Array:
        return np.asarray(np.exp((np.asarray(points) - 0.5) @ self.slopes))

    def __call__(
        self, places: Array, others: Array | None = None, eval_gradient: bool = False
    ) -> Array | tuple[Array, Array]:
        """Return the kernel matrix of two sets of points and, on request, an empty gradient."""
        matrix = np.outer(self._factor(places), self._factor(places if others is None else others))
        return (matrix, np.empty((*matrix.shape, 0))) if eval_gradient else matrix

    def diag(self, places: Array) -> Array:
        """Return the diagonal of the kernel matrix."""
        return self._factor(places) ** 2

    def is_stationary(self) -> bool:
        """Return False."""
        return False
