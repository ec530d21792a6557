"""The damped Hertz collision of Ray, Kempe & Fröhlich 2015, and two ways to meet e and T_c.

Their expansions in the one parameter, the damping λ, are judged by the exact solution, which
knows none of them. Their direct formulas, and the iteration of Kempe & Fröhlich 2012 that these
replace, are judged over the whole range of restitution by what the exact collision does with the
stiffness and damping that they find; the cost is told in evaluations of the force, which do not
depend on a machine. The digits of their tables are lost in the copy at hand: bounds below are
those at which the text's words hold.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context, panels
from pysuite.references import actm

TIME, SPEED, MASS = 1e-3, 1.0, 0.5
STEPS = 200  # of an integration of the iteration, in the collision time
STAGES = 4  # evaluations of the force in a step of its Runge-Kutta scheme
LOWEST = {"smoke": 0.3, "quick": 0.1, "full": 0.08}  # below 0.0714 the direct formulas do not part
SAMPLES = {"smoke": 8, "quick": 16, "full": 40}
DAMPINGS = (0.0, 0.05, 0.15, 0.3, 0.5)  # of the trajectories


class Series(NamedTuple):
    """A coefficient of an expansion in the damping.

    Attributes:
        quantity: what is expanded, as `expand` names it.
        power: of the damping.
        printed: by the paper, with four digits.
        found: whether these are its digits.
    """

    quantity: str
    power: int
    printed: float
    found: bool


PRINTED = (
    Series("root of the largest overlap", 1, -0.748, True),
    Series("root of the largest overlap", 2, 0.578, True),
    Series("restitution", 1, -3.576, True),
    Series("restitution", 2, 5.131, False),
    Series("duration", 0, 3.218, True),
    Series("duration", 1, 1.152, False),
)


def expand(unit: float) -> dict[str, np.ndarray]:
    """Return coefficients of powers of the damping in this unit, from exact collisions."""
    damping = np.linspace(0.0, 0.02, 9)
    collisions = np.array([actm.collide(unit * each) for each in damping.tolist()])
    restitution, duration, overlap = collisions.T
    # an interpolation of degree 8: its error in the second derivative is below 1e-8
    coefficients = np.polynomial.polynomial.polyfit
    return {
        "restitution": coefficients(damping, restitution, 8),
        "duration": coefficients(damping, duration, 8),
        "root of the largest overlap": coefficients(damping, np.sqrt(overlap), 8),
    }


def judge_series(c: Context, found: dict[str, np.ndarray]) -> None:
    wrong = []
    for series in PRINTED:
        exact = found[series.quantity][series.power]
        name = f"{series.quantity}, coefficient of the power {series.power} of the damping"
        if series.found:
            c.check(
                name,
                measured=exact,
                reference=series.printed,
                tolerance=5.1e-4,
                kind="absolute",
                reason="half of the last of four digits that are printed",
            )
        else:
            wrong.append(f"{name}: {series.printed} is printed, {exact:.4f} is exact")
            c.check(
                f"{name}: off what is printed, in its last digits",
                measured=abs(exact - series.printed) / 1e-3,
                reference=1.0,
                kind="at_least",
                reason="a digit that is printed would have to be wrong: more than rounding",
            )
    c.not_reproduced("; ".join(wrong) + ".")


def meet(e: float) -> dict[str, float]:
    """Return errors and cost of both schemes for one restitution."""
    row: dict[str, float] = {"e": e}
    begin = time.perf_counter()
    direct = actm.direct_contact(e, TIME, SPEED, MASS)
    row["direct, microseconds"] = 1e6 * (time.perf_counter() - begin)
    begin = time.perf_counter()
    iteration = actm.iterative_contact(e, TIME, SPEED, MASS, steps=STEPS)
    row["iterative, microseconds"] = 1e6 * (time.perf_counter() - begin)
    row["iterative, integrations"] = iteration.integrations
    row["iterative, forces"] = iteration.integrations * STEPS * STAGES
    for name, contact in (("direct", direct), ("iterative", iteration.contact)):
        found, duration, _ = actm.resulting_collision(*contact, SPEED, MASS)
        row[f"e, {name}"] = found / e - 1.0
        row[f"time, {name}"] = duration / TIME - 1.0
    return row


def judge_schemes(c: Context, table: pd.DataFrame) -> None:
    high, low = table[table["e"] >= 0.7], table[table["e"] >= 0.3]
    c.check(
        "direct formulas, e >= 0.7: largest relative error of e",
        measured=high["e, direct"].abs().max(),
        reference=2e-3,
        kind="at_most",
        reason="said to be excellent in all cases of practical relevance",
    )
    c.check(
        "direct formulas, e >= 0.3: largest relative error of e",
        measured=low["e, direct"].abs().max(),
        reference=0.08,
        kind="at_most",
        reason="said to be acceptable at a low restitution",
    )
    c.check(
        "direct formulas, e >= 0.3: largest relative error of the collision time",
        measured=low["time, direct"].abs().max(),
        reference=5e-3,
        kind="at_most",
        reason="said to agree with what was asked for",
    )
    for quantity in ("e", "time"):
        c.check(
            f"iteration: largest relative error of {'e' if quantity == 'e' else 'T_c'}",
            measured=table[f"{quantity}, iterative"].abs().max(),
            reference=2e-3,
            kind="at_most",
            reason="it ends at 1e-3 of both together, found with 200 steps of fourth order",
        )
    work = table.sort_values("e")["iterative, integrations"].to_numpy()
    c.check(
        "iteration: integrations at the lowest restitution over those at e = 0.97",
        measured=work[0] / work[-1],
        reference=1.5,
        kind="at_least",
        reason="said to cost more the lower the restitution; a round is three integrations",
    )
    c.check(
        "iteration: least evaluations of the force for a collision",
        measured=table["iterative, forces"].min(),
        reference=500.0,
        kind="at_least",
        reason="said to cost more than the direct formulas always, which are two square roots and"
        " a logarithm and evaluate none",
    )


def trajectory(damping: float, count: int = 4000) -> pd.DataFrame:
    """Return overlap and speed of a collision without units, by velocity Verlet with a dashpot."""
    step = 1.2 * actm.collide(damping).duration / count
    x, v, rows = 0.0, 1.0, []
    for _ in range(count):
        rows.append((x, v))
        half = v + 0.5 * step * (-2.0 * damping * v - max(x, 0.0) ** 1.5)
        x += step * half
        v = (half - 0.5 * step * max(x, 0.0) ** 1.5) / (1.0 + damping * step)
        if x < 0.0:
            break
    return pd.DataFrame(rows, columns=["overlap", "speed"])


def judge_trajectories(c: Context, paths: dict[float, pd.DataFrame]) -> None:
    exact = {damping: actm.collide(damping) for damping in paths}
    c.check(
        "trajectories: largest error of the speed at parting and of the largest overlap",
        measured=max(
            max(
                abs(-path["speed"].iloc[-1] - exact[damping].restitution),
                abs(path["overlap"].max() - exact[damping].overlap),
            )
            for damping, path in paths.items()
        ),
        reference=1e-3,
        kind="at_most",
        reason="some steps of 1/4000 of the collision: the end is one of them",
    )


def draw(c: Context, table: pd.DataFrame, paths: dict[float, pd.DataFrame]) -> None:
    figure, axes = panels(2)
    for name, marker in (("direct", "s-"), ("iterative", "^-")):
        axes[0].loglog(table["e"], table[f"e, {name}"].abs() + 1e-9, marker, label=f"e, {name}")
        axes[0].loglog(
            table["e"], table[f"time, {name}"].abs() + 1e-9, f"{marker}-", label=f"T_c, {name}"
        )
    axes[0].set(xlabel="restitution asked for", ylabel="relative error")
    axes[0].legend(fontsize="small")
    axes[1].semilogx(table["e"], table["iterative, integrations"], "^-")
    axes[1].set(
        xlabel="restitution asked for", ylabel="integrations of a collision", ylim=(0, None)
    )
    c.figure("schemes", figure, "Errors of two ways to stiffness and damping, and what one costs.")

    figure, axes = panels(2)
    dampings = np.linspace(0.0, 0.5, 26)
    overlap = [actm.collide(each).overlap for each in dampings.tolist()]
    axes[0].plot(dampings, np.sqrt(overlap), label="exact")
    axes[0].plot(dampings, 1.0456 - 0.748 * dampings + 0.578 * dampings**2, "--", label="printed")
    axes[0].set(xlabel="damping", ylabel="root of the largest overlap")
    axes[0].legend()
    for damping, path in paths.items():
        axes[1].plot(path["overlap"], path["speed"], label=f"damping {damping:g}")
    axes[1].set(xlabel="overlap", ylabel="speed")
    axes[1].legend(fontsize="small")
    c.figure("collision", figure, "Largest penetration, and collisions in phase space.")


def run(c: Context) -> None:
    judge_series(c, expand(c["damping_unit"]))
    restitutions = np.geomspace(LOWEST[c.tier], 0.97, SAMPLES[c.tier])
    table = pd.DataFrame([meet(e) for e in restitutions.tolist()])
    judge_schemes(c, table)
    paths = {damping: trajectory(damping) for damping in DAMPINGS}
    judge_trajectories(c, paths)
    c.table("schemes", table, "Errors and cost of two ways to stiffness and damping.")
    draw(c, table, paths)


CASE = Case(
    name="damped-hertz",
    title="Expansions of the damped Hertz collision, and two ways to meet e and T_c",
    source="[ray2015]",
    tier="smoke",
    parameters={"damping_unit": 1.0},  # of d t*/(2 m)
    spoil={"damping_unit": 1.01},
    run=run,
)
