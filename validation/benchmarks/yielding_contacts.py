"""Restitution of contacts that yield, over four decades of speed.

Spheres with Luding's contact law stick within a window of speeds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import powders
from pysuite.validation.setups import impacts

RADIUS, DENSITY = 0.5, 6.0 / np.pi  # mass 1, effective radius 0.5 at the floor
K1, K2, KC, PHI = 1.0e4, 5.0e4, 1.0e4, 0.05
LUDING = (K1, K2, KC, PHI, RADIUS)
HERTZ = (1.0e5, 4.0e5, 1.5)
E_STAR, NU, PY = 1.0e5, 0.3, 800.0  # for thornton_ning
STEPS = 400  # steps per half period at the largest stiffness


class Found(NamedTuple):
    """Restitution of one law at each speed."""

    speed: np.ndarray
    e: np.ndarray
    theory: np.ndarray


def simulate(c: Context, law: str, speeds: np.ndarray, time: float) -> np.ndarray:
    """Return the restitution at each speed. The restitution is 0 if the sphere sticks.

    `time` is the longest collision time.
    """
    step = np.pi / np.sqrt(K2) / STEPS
    balls = [impacts.Ball(RADIUS, DENSITY, (0.0, 0.0, -float(v))) for v in speeds]
    outcome = impacts.collide(
        c,
        [impacts.Impact(f"{law} tangential linear_nohistory 0 0", ball) for ball in balls],
        step=step,
        steps=(steps := round(time / step)),
        trace_every=steps,
        lasting=True,
    )
    assert outcome.trace is not None
    last = outcome.trace.groupby("impact").last()
    return np.where(last["overlap"] > 0.0, 0.0, outcome.velocity[:, 2] / speeds)


def run(c: Context) -> None:
    fastest = 10.0
    window = powders.luding_sticking_speeds(*LUDING)
    near = np.array([0.98, 0.999, 1.001, 1.02])
    speeds = np.sort(
        np.concatenate([np.geomspace(1e-3, fastest, 25), window[0] * near, window[1] * near])
    )
    slow = np.geomspace(1e-3, 0.5, 12)
    laws = {
        "walton_braun": (f"walton_braun {K1} {c['k2']}", speeds),
        "luding": (f"luding {K1} {c['k2']} {KC} {PHI}", speeds),
        "edinburgh": (f"edinburgh {HERTZ[0]} {HERTZ[1]} 0 0 {HERTZ[2]} {HERTZ[2]}", slow),
    }
    yields_at = powders.thornton_ning_yield_speed(E_STAR, PY, RADIUS, 1.0)
    fast = yields_at * np.geomspace(0.5, 1000.0, 18)
    pressure = PY * (c["k2"] / K2)
    laws["thornton_ning"] = (
        f"thornton_ning {2.0 * (1.0 - NU**2) * E_STAR} {NU} {pressure} 0",
        fast,
    )
    theory = {
        "walton_braun": np.full_like(speeds, np.sqrt(K1 / K2)),
        "luding": np.array([powders.luding_restitution(v, *LUDING) for v in speeds]),
        "edinburgh": np.full_like(slow, powders.edinburgh_restitution(*HERTZ)),
        "thornton_ning": np.array([powders.thornton_ning_restitution(v / yields_at) for v in fast]),
    }
    # contacts with exponent 1.5 are soft at low speed and therefore last long
    deepest = (1.25 * slow[0] ** 2 / HERTZ[0]) ** 0.4
    times = {"edinburgh": 4.0 * deepest / slow[0], "thornton_ning": 0.4}
    found = {
        name: Found(v, simulate(c, law, v, times.get(name, 0.1)), theory[name])
        for name, (law, v) in laws.items()
    }
    judge(c, found, window)
    draw(c, found, window)
    c.table(
        "restitution",
        pd.concat(
            pd.DataFrame({"law": name, "speed": f.speed, "e": f.e, "theory": f.theory})
            for name, f in found.items()
        ),
        "Restitution at each impact speed.",
    )


def judge(c: Context, found: dict[str, Found], window: tuple[float, float]) -> None:
    for name, f in found.items():
        free = f.theory > 0.1
        c.check_close(
            f"{name}: restitution, largest error",
            f.e[free],
            f.theory[free],
            tolerance=1e-4,
            reason=(
                "the law is exact; the error is of second order in the time step, 1/400 of half a"
                " period; only values of e above 0.1 are judged"
            ),
        )
    luding = found["luding"]
    sticks = (luding.speed > window[0]) & (luding.speed < window[1])
    c.check(
        f"luding: number of spheres that stick outside the window from {window[0]:.5g} to"
        f" {window[1]:.5g} or rebound inside it",
        measured=float((sticks != (luding.e == 0.0)).sum()),
        reference=0.0,
        kind="absolute",
        reason=(
            "the nearest speeds are 0.1 % from the limits of the window; outside, these speeds give"
            " e = 0.04"
        ),
    )


def draw(c: Context, found: dict[str, Found], window: tuple[float, float]) -> None:
    figure, (axis,) = panels(1)
    axis.axvspan(*window, color="0.9", label="luding sticks")
    for colour, (name, f) in zip(("C0", "C1", "C2", "C3"), found.items(), strict=True):
        axis.semilogx(f.speed, f.theory, colour, linewidth=0.8)
        axis.semilogx(f.speed, np.clip(f.e, 0.0, None), colour + "o", mfc="none", label=name)
    axis.set(xlabel="speed of impact", ylabel="restitution", ylim=(0.0, 1.0))
    axis.legend()
    c.figure("restitution", figure, "Restitution against speed. Lines show the theory.")


CASE = Case(
    name="yielding-contacts",
    title=(
        "Restitution of yielding contacts, and window of speeds in which Luding's contacts stick"
    ),
    source="[walton1986]; [luding2008]; [thakur2014]; [thornton1998]",
    tier="smoke",
    parameters={"k2": K2},
    spoil={"k2": 1.2 * K2},
    run=run,
)
