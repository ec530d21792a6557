"""Collapse of cylindrical columns of dry grains: power laws of experiments.

The experiments are by Lube, Huppert, Sparks and Hallworth (2004). The numbers are taken from later
papers that cite them. The aspect ratio is the initial height divided by the initial radius.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHANGE = 1.7  # aspect ratio at which the laws change
DURATION = 3.0  # duration of the collapse / sqrt(initial height / gravity)
CHANNEL = 2.0 / 3.0  # exponent of the run-out of tall columns between side walls


class PowerLaw(NamedTuple):
    """A power law: length / initial radius = factor * aspect**exponent."""

    factor: float
    exponent: float

    def __call__(self, aspect: ArrayLike) -> NDArray[np.float64]:
        """Return the length divided by the initial radius."""
        return self.factor * np.asarray(aspect, dtype=float) ** self.exponent


LOW = PowerLaw(1.24, 1.0)  # run-out at aspect ratios below CHANGE
TALL = PowerLaw(1.6, 0.5)  # run-out at aspect ratios above CHANGE
HEIGHT = PowerLaw(0.88, 1.0 / 6.0)  # final height at aspect ratios above CHANGE
