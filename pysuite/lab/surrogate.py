"""Predict a bulk value from parameters, with a Gaussian process of scikit-learn.

The coordinate of a parameter runs from 0 to 1 over its range, on a linear or logarithmic scale.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

Array = NDArray[np.float64]

INSTALL = "calibration needs scikit-learn: pip install 'granular-plus[calibrate]'"
MIN_RUNS, MIN_RUNS_PER_PARAMETER = 5, 2
SLOPE = 1.0  # prior standard deviation of the slopes of log(scatter)


def fewest_runs(parameters: int) -> int:
    """Return the smallest number of runs that a surrogate needs."""
    return MIN_RUNS + MIN_RUNS_PER_PARAMETER * parameters


def rule_of_fewest(parameters: int) -> str:
    """Return the smallest number of runs as a text that states the rule."""
    return (
        f"{fewest_runs(parameters)}, that is, {MIN_RUNS} plus {MIN_RUNS_PER_PARAMETER} for each of"
        f" {parameters} parameter{'s' if parameters != 1 else ''}"
    )


def require_library() -> None:
    """Raise ImportError if scikit-learn is not installed."""
    try:
        import sklearn.gaussian_process  # noqa: F401
        import threadpoolctl  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{INSTALL} ({error})") from error


class Surrogate:
    """A Gaussian process, fitted to runs, that predicts a bulk value from the parameters.

    A call with an array of coordinates, of shape (n, parameters), returns two arrays of shape (n,):
    the mean over samples of grains, and the standard error of this mean. Single runs scatter about
    the mean. The standard deviation of this scatter may vary exponentially with the coordinates.
    The rates of this variation are fitted to the residuals of a first fit, which assumes the same
    scatter everywhere.
    """

    def __init__(self, coordinates: ArrayLike, values: ArrayLike):
        require_library()
        from threadpoolctl import threadpool_limits

        x = np.asarray(coordinates, dtype=float)
        y = np.asarray(values, dtype=float)
        if len(y) < fewest_runs(x.shape[1]):
            raise ValueError(
                f"only {len(y)} runs gave a value; the minimum is {rule_of_fewest(x.shape[1])}"
            )
        self._offset, self._scale = float(y.mean()), float(y.std()) or 1.0
        scaled = (y - self._offset) / self._scale
        self._one_thread = threadpool_limits  # threads slow down small matrices
        with threadpool_limits(1):
            even = _fitted(x, scaled, np.zeros(x.shape[1]))
            self._slopes = scatter_slopes(x, scaled - even.predict(x))
            self._process = _fitted(x, scaled, self._slopes)
        self._noise = float(self._process.kernel_.k2.k1.noise_level)

    def __call__(self, coordinates: ArrayLike) -> tuple[Array, Array]:
        """Return the mean over samples of grains, and the standard error of this mean."""
        points = np.atleast_2d(coordinates)
        with self._one_thread(1):
            mean, deviation = self._process.predict(points, return_std=True)
        error = np.sqrt(np.maximum(deviation**2 - self._variance(points), 0.0))
        return self._offset + self._scale * mean, self._scale * error

    def scatter(self, coordinates: ArrayLike) -> Array:
        """Return the standard deviation of single runs with different samples of grains."""
        return np.asarray(self._scale * np.sqrt(self._variance(np.atleast_2d(coordinates))))

    def _variance(self, points: Array) -> Array:
        return self._noise * np.exp(2.0 * (points - 0.5) @ self._slopes)

    def misses(self, coordinates: ArrayLike, values: ArrayLike) -> Array:
        """Return (value - prediction)/error for runs that were not used in the fit.

        The error includes the scatter of single runs. The root mean square of the results is about
        1 if the errors are correct.
        """
        mean, error = self(coordinates)
        away = np.asarray(values, dtype=float) - mean
        return np.asarray(away / np.hypot(error, self.scatter(coordinates)))


def scatter_slopes(coordinates: Array, residuals: Array) -> Array:
    """Return the slopes of log(scatter) over the coordinates as an array of shape (parameters,)."""
    away = coordinates - 0.5
    squares = residuals**2 + 1e-12 * (float(np.mean(residuals**2)) + 1e-12)

    def cost(slopes: Array) -> float:
        factors = 2.0 * away @ slopes
        # likeliest variance at the centre for these slopes
        level = math.log(float(np.mean(squares * np.exp(-factors))))
        unlikely = 0.5 * len(squares) * level + 0.5 * float(factors.sum())
        return unlikely + 0.5 * float(slopes @ slopes) / SLOPE**2

    return np.asarray(optimize.minimize(cost, np.zeros(away.shape[1]), method="L-BFGS-B").x)


def _fitted(coordinates: Array, values: Array, slopes: Array) -> GaussianProcessRegressor:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels

    from pysuite.lab.scatter_kernel import Exponential

    smooth = kernels.RBF([0.5] * coordinates.shape[1], (0.1, 20.0))
    white = kernels.WhiteKernel(0.1, (1e-6, 2.0))
    kernel = kernels.ConstantKernel(1.0, (1e-2, 1e3)) * smooth + white * Exponential(slopes)
    process = GaussianProcessRegressor(kernel, alpha=1e-10, n_restarts_optimizer=1, random_state=1)
    with warnings.catch_warnings():
        # a length scale is at its bound if the parameter has no influence
        warnings.simplefilter("ignore", ConvergenceWarning)
        return process.fit(coordinates, values)
