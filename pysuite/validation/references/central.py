"""Central impact of two spheres, integrated by an adaptive solver.

The equation of motion is m delta'' = -F_e(delta) - c(delta) delta'. It is integrated until the
overlap delta is 0 again. This includes the phase in which the force is attractive.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp


def restitution(
    force: Callable[[float], float],
    dashpot: Callable[[float], float],
    mass: float,
    speed: float,
    duration: float,
) -> float:
    """Return the ratio of the speed after the impact to the speed before.

    `force` and `dashpot` are functions of the overlap, F_e and c. `duration` is an estimate of the
    contact time. Raises RuntimeError if the spheres do not separate.
    """
    length = speed * duration

    def motion(_: float, y: np.ndarray) -> list[float]:
        overlap = max(y[0], 0.0) * length
        total = force(overlap) + dashpot(overlap) * y[1] * speed
        return [y[1], -total * duration / (mass * speed)]

    def parts(_: float, y: np.ndarray) -> float:
        return y[0]

    parts.terminal = True  # type: ignore[attr-defined]
    parts.direction = -1.0  # type: ignore[attr-defined]
    solution = solve_ivp(
        motion, (0.0, 50.0), [0.0, 1.0], events=parts, rtol=1e-10, atol=1e-12, max_step=0.05
    )
    if not solution.t_events[0].size:
        raise RuntimeError("the spheres do not separate")
    return float(-solution.y_events[0][0][1])
