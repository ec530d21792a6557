"""One step of a slider from arbitrary states: the checks of Führer et al., section 2.2.

Millions of combinations cannot be run as impacts. However, one step of a compiled slider can be
computed for a hundred thousand springs at once, with random force, direction, speed and
coefficients. Backward Euler satisfies the paper's inequalities exactly, with the loading rate
(xi' - xi)/dt and the slip velocity v - (xi' - xi)/dt, where a step changes the spring xi to xi'.
The test force k xi + gamma v is evaluated with two springs: the one that the step would give
without slip, which decides whether the contact slides, and the one at the end of the step, for
which eq. (17) holds. The capped spring of Silbert et al. 2001 is judged on the same states and on
the paper's two plates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import laws, statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import friction
from pysuite.validation.seeds import seed
from pysuite.validation.setups.plates import PLATES, motion

STATES = 100_000
STEPS = (0.1, 0.01, 0.001)  # time steps of the plates
# round-off of differences of springs, which change by at least a thousandth in a step
ROUNDING = 1e-9


class States(NamedTuple):
    """Springs before a step, with velocities and coefficients; arrays of shape (n,) or (n, 3)."""

    spring: np.ndarray
    velocity: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    limit: np.ndarray

    @classmethod
    def draw(cls, count: int) -> States:
        """Return states of which about half slide in a time step of 1."""
        rng = np.random.default_rng(seed(20240319))

        def vectors(smallest: float, largest: float) -> np.ndarray:
            size = 10.0 ** rng.uniform(np.log10(smallest), np.log10(largest), count)
            direction = rng.normal(size=(count, 3))
            return size[:, None] * direction / np.linalg.norm(direction, axis=1, keepdims=True)

        def numbers(smallest: float, largest: float) -> np.ndarray:
            return 10.0 ** rng.uniform(np.log10(smallest), np.log10(largest), count)

        return cls(
            vectors(0.01, 10.0),
            vectors(0.01, 10.0),
            numbers(0.001, 1.0),
            numbers(0.01, 100.0),
            numbers(0.01, 100.0),
        )


class Stepped(NamedTuple):
    """Result of a step: magnitudes of vectors, shape (n,)."""

    loads: np.ndarray  # whether the spring has grown along its direction
    rate: np.ndarray  # loading rate of the spring
    speed: np.ndarray
    slip: np.ndarray  # slip velocity
    asked: np.ndarray  # test force without slip
    test: np.ndarray  # test force of the new spring
    force: np.ndarray


def step(states: States, slider: str) -> Stepped:
    """Take one step of a compiled slider."""
    force, spring = laws.slide(
        slider,
        states.spring,
        states.velocity,
        stiffness=states.stiffness,
        damping=states.damping,
        bound=states.limit,
        timestep=1.0,
    )
    rate = spring - states.spring
    stiffness, damping = states.stiffness[:, None], states.damping[:, None]
    asked = stiffness * (states.spring + states.velocity) + damping * states.velocity
    test = stiffness * spring + damping * states.velocity
    return Stepped(
        np.sum(spring * rate, axis=1) > 0.0,
        *(
            np.linalg.norm(vectors, axis=1)
            for vectors in (rate, states.velocity, states.velocity - rate, asked, test, force)
        ),
    )


def judge_loading(c: Context, states: States, found: Stepped) -> None:
    sliding = found.asked > states.limit * (1.0 + ROUNDING)
    chosen = sliding & found.loads
    c.check(
        "random states: fraction in which the contact slides while its spring grows",
        measured=np.mean(chosen),
        reference=0.05,
        kind="at_least",
        reason="the claim is about these states, so thousands are needed",
    )
    c.claim(
        "F6",
        f"{chosen.sum()} springs loaded while sliding: largest ratio of loading rate to velocity",
        statistics.numerical((found.rate / found.speed)[chosen].max(), ROUNDING, "round-off"),
        at_most=1.0,
        within=2.0 * ROUNDING,
        reason="eq. (15) holds for a backward Euler step as in continuous time",
    )


def judge_sticking(c: Context, states: States, found: Stepped) -> None:
    slips = found.slip > ROUNDING * found.speed
    exceeds = found.asked > states.limit * (1.0 + ROUNDING)
    c.check(
        "random states: fraction in which the contact sticks",
        measured=np.mean(~exceeds),
        reference=0.1,
        kind="at_least",
        reason="thousands of states are needed on both sides of the slip condition",
    )
    c.claim(
        "F7",
        f"{STATES} states: number that slip although the test force is within the limit, or stick"
        " although it is not",
        statistics.numerical(float(np.count_nonzero(slips != exceeds)), 0.0, "counted"),
        at_most=0.0,
        reason="a state slips if, and only if, its test force exceeds the limit",
    )
    above = np.maximum(found.test - states.limit, 0.0)
    c.claim(
        "F7",
        "new spring: test force minus Coulomb's limit, against dashpot times slip velocity, largest"
        " difference, fraction of the test force",
        statistics.numerical(
            (np.abs(above - states.damping * found.slip) / found.test).max(), 1e-12, "round-off"
        ),
        at_most=ROUNDING,
        reason="round-off; in states without slip both sides of eq. (17) are zero",
    )


def judge_capping(c: Context, states: States) -> None:
    """Judge the truncation of Silbert et al., which limits only the length of the spring."""
    capped = friction.capped_test_force(states.spring, states.velocity, states.damping)
    sliding = friction.test_force(*states[:4]) > states.limit
    c.claim(
        "F17",
        f"{sliding.sum()} states that slide: fraction in which no spring length satisfies the"
        " limit",
        statistics.fraction(np.count_nonzero((capped > states.limit)[sliding]), sliding.sum()),
        at_least=0.05,
        reason=(
            "the paper states, without a number, that a capped spring cannot satisfy the limit in"
            " general. Our bound is one in twenty, more than a rare exception"
        ),
    )
    capped_force = step(states, c["capped"]).force
    c.claim(
        "F17",
        "largest ratio of the compiled truncation's force to Coulomb's limit",
        statistics.numerical((capped_force / states.limit).max(), ROUNDING, "round-off"),
        at_least=2.0,
        reason=(
            "Coulomb's law is violated; our bound, twice its limit, excludes an effect of the time"
            " step"
        ),
    )


class Capped(NamedTuple):
    """Force against time of the plates with a capped spring, at one time step."""

    time: np.ndarray
    force: np.ndarray


def judge_plates(c: Context) -> dict[float, Capped]:
    found = {}
    for size in STEPS:
        time, _, force = motion(c, "granular/plus", c["capped"], size)
        found[size] = Capped(time, force)
    jumps = [np.abs(np.diff(capped.force)).max() for capped in found.values()]
    c.claim(
        "F17",
        "plates: order, in the time step, of the largest change of force per step",
        statistics.numerical(
            friction.convergence_order(STEPS[1:], jumps[1:]),
            abs(
                friction.convergence_order(STEPS[1:], jumps[1:])
                - friction.convergence_order(STEPS[:2], jumps[:2])
            ),
            "change with ten times the step",
        ),
        equals=0.0,
        within=0.3,
        reason=(
            "a force that jumps does so at any time step (order 0); the continuous slider has order"
            " 1"
        ),
    )
    return found


def draw(c: Context, states: States, found: Stepped, plates: dict[float, Capped]) -> None:
    figure, axes = panels(2)
    shown = slice(0, 4000)
    axes[0].loglog(
        (found.asked / states.limit)[shown], (found.slip / found.speed + 1e-17)[shown], ".", ms=2
    )
    axes[0].set(xlabel="test force / Coulomb's limit", ylabel="slip / velocity")
    for size, capped in plates.items():
        axes[1].plot(capped.time, capped.force, label=f"dt = {size:g}")
    axes[1].axhline(-PLATES.limit, color="0.5", linestyle="--", linewidth=0.8)
    axes[1].set(xlabel="time [n. u.]", ylabel="force [n. u.]")
    axes[1].legend()
    c.figure(
        "states",
        figure,
        "Left: slip of random states. Right: force of the paper's plates with a capped spring;"
        " dashed: Coulomb's limit.",
    )


def run(c: Context) -> None:
    states = States.draw(STATES)
    found = step(states, c["slider"])
    judge_loading(c, states, found)
    judge_sticking(c, states, found)
    judge_capping(c, states)
    plates = judge_plates(c)
    c.table(
        "states",
        pd.DataFrame(
            {
                "slider": slider,
                "slide": np.mean(row.asked > states.limit * (1.0 + ROUNDING)),
                "largest loading rate": (row.rate / row.speed)[row.loads].max(),
                "largest force": (row.force / states.limit).max(),
            }
            for slider in ("csds", "dsds", "truncate")
            for row in (step(states, slider),)
        ),
        "One step of each slider; loading rates / velocity, forces / Coulomb's limit.",
    )
    draw(c, states, found, plates)


CASE = Case(
    name="slider-states",
    title=(
        "C-SDS loads its spring no faster than it slides, and sticks below the limit; a capped"
        " spring fails"
    ),
    source="[fuehrer2024] eqs. (12) to (17); [silbert2001]",
    tier="smoke",
    parameters={"slider": "csds", "capped": "truncate"},
    spoil={"slider": "dsds"},
    run=run,
)
