"""Fit lambda(e) and tau(e) of the normal law actm and write the coefficients into its header.

Run `python docs/fit_actm.py`. The form of the functions follows from time reversal; see
docs/explanation/theory_actm.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from pysuite import damped_hertz

HEADER = Path(__file__).parents[1] / "lammps_plugins" / "core" / "laws" / "normal" / "actm.h"
BEGIN = "  // polynomials in ln^2 e/(SCALE + ln^2 e); written by docs/fit_actm.py\n"
END = "  // end of the output of docs/fit_actm.py\n"
LOWEST = 0.01  # restitution
DEGREE = 11
SCALES = (16.0, 20.0, 24.0, 28.0, 32.0)

Array = np.ndarray


def exact(logarithms: Array) -> tuple[Array, Array]:
    """Return the exact values that the two polynomials approximate, for ln e < 0."""
    dampings = np.array([damped_hertz.damping_for(float(np.exp(x))) for x in logarithms])
    durations = np.array([float(damped_hertz.collide(damping).duration) for damping in dampings])
    return (
        -dampings / (np.exp(0.1 * logarithms) * logarithms),
        durations * np.exp(0.1 * logarithms),
    )


def fit(scale: float) -> tuple[Array, Array]:
    """Return the coefficients of both polynomials, lowest power first.

    The polynomials interpolate the exact functions at Chebyshev nodes.
    """
    largest = np.log(LOWEST) ** 2
    interval = [0.0, largest / (scale + largest)]
    nodes = 0.5 * interval[1] * (1.0 + np.polynomial.chebyshev.chebpts1(DEGREE + 1))
    logarithms = -np.sqrt(scale * nodes / (1.0 - nodes))
    both = [
        np.polynomial.Chebyshev.fit(nodes, values, DEGREE, domain=interval)
        .convert(kind=np.polynomial.Polynomial)
        .coef
        for values in exact(logarithms)
    ]
    return both[0], both[1]


def errors(scale: float, damping: Array, duration: Array) -> tuple[float, float]:
    """Return the largest relative errors of the achieved restitution and collision time."""
    worst = np.zeros(2)
    for e in np.geomspace(LOWEST, 0.9999, 300):
        square = np.log(e) ** 2
        x = square / (scale + square)
        polynomial = np.polynomial.polynomial.polyval
        achieved = damped_hertz.collide(float(-(e**0.1) * np.log(e) * polynomial(x, damping)))
        time = float(achieved.duration) / (e**-0.1 * polynomial(x, duration))
        worst = np.maximum(worst, np.abs([float(achieved.restitution) / e - 1.0, time - 1.0]))
    return float(worst[0]), float(worst[1])


def written(scale: float, damping: Array, duration: Array) -> str:
    """Return the lines of the header that define the coefficients."""

    def array(name: str, values: Array) -> str:
        numbers = ", ".join(f"{value:.17g}" for value in values)
        return f"  static constexpr double {name}[] = {{{numbers}}};\n"

    return (
        f"  static constexpr double SCALE = {scale};\n"
        + array("DAMPING_FIT", damping)
        + array("DURATION_FIT", duration)
    )


if __name__ == "__main__":
    trials = [(errors(scale, *fit(scale)), scale) for scale in SCALES]
    for (e, time), scale in trials:
        print(f"scale {scale}: largest error of e {e:.1e}, of the collision time {time:.1e}")
    best = min(trials)[1]
    page = HEADER.read_text()
    block = re.escape(BEGIN) + ".*" + re.escape(END)
    HEADER.write_text(
        re.sub(block, lambda _: BEGIN + written(best, *fit(best)) + END, page, flags=re.DOTALL)
    )
