"""Collisions with the normal model actm must have the prescribed restitution and duration.

Pairs of spheres collide head-on. Both spheres are free, or one is frozen. The collision begins at a
random time within a step. The direct inversion of Ray, Kempe & Fröhlich 2015 and the iteration of
Kempe & Fröhlich 2012 are compared with the exact solution.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import laws, statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import actm, friction
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings

TIME = 1e-3  # requested collision time
RESTITUTIONS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0)
LOWEST = 0.3  # lowest restitution judged in LAMMPS
# the lowest speed is just above the speed at which the law regards spheres as being at rest
SPEEDS = (0.02, 0.2, 2.0, 20.0)
SIZES = (1.0, 3.0, 10.0)  # ratios of the radii
RADIUS = 0.5  # radius of the larger sphere
RESOLUTIONS = {
    "smoke": (50, 100, 200),
    "quick": (50, 100, 200, 400),
    "full": (50, 100, 200, 400, 800, 1600),
}
JUDGED = 200  # steps per collision in judged runs
SPACING = 3.0

SCRIPT = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data ${data}
group frozen id <= ${frozen}
group moving subtract all frozen
pair_style granular/plus
COEFFICIENTS
fix still frozen freeze
fix move moving nve/sphere
timestep ${step}
neighbor 0.1 bin
dump places all custom 1 places id x
dump_modify places sort id format float %.17g
thermo 100000
run ${steps}
write_dump all custom end id vx modify sort id format float %.17g
"""


def grid() -> pd.DataFrame:
    rows = [
        (e, speed, size, frozen)
        for frozen in (True, False)
        for e in RESTITUTIONS
        for speed in SPEEDS
        for size in SIZES
    ]
    table = pd.DataFrame(rows, columns=["e", "speed", "size", "frozen"])
    mass = 4 / 3 * np.pi * RADIUS**3
    other = mass / table["size"] ** 3
    table["mass"] = np.where(table["frozen"], other, mass * other / (mass + other))
    return table


def collide(c: Context, table: pd.DataFrame, per_time: int) -> pd.DataFrame:
    step, count = TIME / per_time, len(table)
    gap = table["speed"] * step * np.random.default_rng(seed(11)).uniform(0.0, 1.0, count)
    places = SPACING * np.stack(np.unravel_index(np.arange(count), (8, 8, -(-count // 64))), axis=1)
    centres = np.concatenate([places, places]).astype(float)
    small = RADIUS / table["size"].to_numpy()
    centres[count:, 0] += RADIUS + small + gap
    share = np.where(table["frozen"], 0.0, 1.0 / (1.0 + table["size"] ** 3))
    velocity = np.concatenate([table["speed"] * share, table["speed"] * (share - 1.0)])
    kind = np.tile([RESTITUTIONS.index(e) + 1 for e in table["e"]], 2)
    radius = np.concatenate([np.full(count, RADIUS), small])
    data = packings.write_spheres(
        c.folder / f"pairs-{per_time}.data",
        [(-2.0, end + 4.0) for end in places.max(axis=0)],
        centres,
        diameter=2.0 * radius,
        kind=kind,
        velocity=velocity[:, None] * [1.0, 0.0, 0.0],
    )
    target = c["collision_time"]
    coefficients = "\n".join(
        f"pair_coeff {k} {k} actm {target!r} {e} NULL 0.3 tangential linear_nohistory 0 0"
        f" {c['option']}"
        for k, e in enumerate(RESTITUTIONS, start=1)
    )
    run = c.lammps(
        SCRIPT.replace("COEFFICIENTS", coefficients),
        variables={
            "data": data,
            "frozen": int(table["frozen"].sum()),
            "step": f"{step:.17g}",
            "steps": round(1.6 * per_time),
        },
    )
    x = run.dump("places")["x"].to_numpy().reshape(-1, 2, count)
    v = run.dump("end")["vx"].to_numpy().reshape(2, count)
    gaps = x[:, 1] - x[:, 0] - RADIUS - small
    return pd.DataFrame(
        {"e": (v[1] - v[0]) / table["speed"], "time": step * steps_in_contact(gaps)}
    )


def steps_in_contact(gaps: np.ndarray) -> np.ndarray:
    """Return the interpolated number of steps with negative gap. `gaps` has shape (steps, n)."""
    columns = np.arange(gaps.shape[1])
    inside = gaps < 0.0
    first = inside.argmax(axis=0)
    last = len(gaps) - 1 - inside[::-1].argmax(axis=0)

    def crossing(before: np.ndarray) -> np.ndarray:
        a, b = gaps[before, columns], gaps[before + 1, columns]
        return before + a / (a - b)

    return crossing(last) - crossing(first - 1)


class Errors(NamedTuple):
    """Relative errors at the judged time step, and the largest error at each time step."""

    judged: pd.DataFrame
    worst: pd.DataFrame


def simulate(c: Context, table: pd.DataFrame) -> Errors:
    above = table["e"] >= LOWEST
    worst = []
    for per_time in RESOLUTIONS[c.tier]:
        found = collide(c, table, per_time)
        errors = pd.DataFrame(
            {"e": (found["e"] / table["e"] - 1.0).abs(), "time": (found["time"] / TIME - 1.0).abs()}
        )
        if per_time == JUDGED:
            judged = errors
            c.table("collisions", table.assign(found=found["e"], time=found["time"]))
        worst.append(
            {
                "steps": per_time,
                "e": errors["e"][above].max(),
                "time": errors["time"][above].max(),
                "e, all": errors["e"].max(),
                "time, all": errors["time"].max(),
            }
        )
    return Errors(judged, pd.DataFrame(worst))


def judge_collisions(c: Context, table: pd.DataFrame, errors: Errors) -> None:
    for frozen, name in ((False, "pairs"), (True, "against a frozen sphere")):
        chosen = (table["e"] >= LOWEST) & (table["frozen"] == frozen)
        c.check(
            f"{chosen.sum()} collisions, {name}, e from {LOWEST} to 1, time step T_c/{JUDGED}:"
            " largest relative error of e",
            measured=errors.judged["e"][chosen].max(),
            reference=0.0,
            tolerance=1e-3,
            kind="at_most",
            reason="the project requires this accuracy; errors of velocity Verlet are of second"
            " order",
        )
        c.check(
            f"collision time, {name}: largest relative error",
            measured=errors.judged["time"][chosen].max(),
            reference=0.0,
            tolerance=1e-2,
            kind="at_most",
            reason="a collision lasts 200 steps; the measured number of steps may be wrong by two",
        )
    for quantity, name in (("e", "e"), ("time", "the collision time")):
        c.check(
            f"largest relative error of {name} over all speeds, sizes and masses",
            measured=statistics.refined(*errors.worst[quantity].iloc[-2:]),
            reference=1e-3 if quantity == "e" else 1e-2,
            kind="at_most",
            reason="the project requires this accuracy",
        )
        c.check(
            f"order in the time step of the largest error of {name}",
            measured=friction.convergence_order(
                1.0 / errors.worst["steps"], errors.worst[quantity]
            ),
            reference=1.0,
            kind="at_least",
            reason="the error must decrease at least in proportion to the time step",
        )
    c.note(
        f"Largest relative error of e for e >= {LOWEST}: "
        + ", ".join(f"{row.e:.1e} at T_c/{row.steps}" for row in errors.worst.itertuples())
        + f"; for e down to {min(RESTITUTIONS)}: "
        + ", ".join(f"{value:.1e}" for value in errors.worst["e, all"])
        + ". At low restitution, the time step does not resolve the end of a collision as well."
    )


def draw_collisions(c: Context, table: pd.DataFrame, errors: Errors) -> None:
    figure, (axis,) = panels(1)
    for e, group in errors.judged["e"].groupby(table["e"]):
        axis.semilogy(np.full(len(group), e), group + 1e-16, "C0.", alpha=0.4)
    axis.axhline(1e-3, color="0.5", linewidth=0.8)
    axis.set(xlabel="requested restitution", ylabel=f"relative error at T_c/{JUDGED}")
    c.figure("errors", figure, "Relative error of the restitution of every collision in LAMMPS.")


MASS, SPEED = 0.5, 1.0
METHODS = {"exact": "o-", "direct": "s-", "iterative": "^-"}


def compiled_contact(e: float) -> actm.Contact:
    model = laws.ContactModel(f"actm {TIME} {e!r} NULL 0.3 tangential linear_nohistory 0 0")
    history = model.evaluate([[1 - 1e-9, 0, 0]], [[-SPEED, 0, 0]], timestep=1e-6).history[0]
    return actm.Contact(history[0] * np.sqrt(0.25), history[1])


def without_time_step(e: float) -> dict[str, float]:
    row: dict[str, float] = {"e": e}
    contacts = {"exact": compiled_contact(e)}
    contacts["direct"] = actm.direct_contact(e, TIME, SPEED, MASS)
    try:
        iteration = actm.iterative_contact(e, TIME, SPEED, MASS)
    except ValueError:
        row["integrations"] = np.nan
    else:
        contacts["iterative"] = iteration.contact
        row["integrations"] = iteration.integrations
    for method, contact in contacts.items():
        row[f"stiffness, {method}"], row[f"damping, {method}"] = contact
        try:
            found, duration, _ = actm.resulting_collision(*contact, SPEED, MASS)
        except ValueError:  # the spheres stick together
            found, duration = 0.0, np.inf
        row[f"e, {method}"] = abs(found / e - 1.0)
        row[f"time, {method}"] = abs(duration / TIME - 1.0)
    return row


def judge_methods(c: Context, table: pd.DataFrame) -> None:
    for quantity, name in (("e", "restitution"), ("time", "collision time")):
        c.check(
            f"the law without time steps, e from 0.02 to 1: largest relative error of the {name}",
            measured=table[f"{quantity}, exact"].max(),
            reference=0.0,
            tolerance=1e-8,
            kind="at_most",
            reason="the error of the fit in actm must be much smaller than errors of simulations",
        )
    c.check(
        "iteration, e >= 0.1: largest relative error of e",
        measured=table["e, iterative"][table["e"] >= 0.1].max(),
        reference=0.0,
        tolerance=1e-2,
        kind="at_most",
        reason=("the iteration ends if errors in an integration with 200 steps are below 1e-3"),
    )
    direct = actm.direct_contact(0.5, TIME, SPEED, MASS)
    half = actm.resulting_collision(*direct, SPEED, MASS)[0]
    c.note(f"For e = 0.5, the direct formulas give {half:.3f} ({half / 0.5 - 1.0:+.1%}).")
    stuck = table["e"][np.isinf(table["time, direct"])]
    c.note(
        f"With the direct formulas, the spheres stick together for all tested e up to"
        f" {stuck.max():.3f}. On average, the iteration needs {table['integrations'].mean():.0f}"
        " integrations of 200 steps for a collision."
        if len(stuck)
        else "With the direct formulas, the spheres separate at every e."
    )


def draw_methods(c: Context, table: pd.DataFrame) -> None:
    figure, axes = panels(2, sharey=True)
    for axis, quantity in zip(axes, ("e", "time"), strict=True):
        for method, marker in METHODS.items():
            axis.loglog(table["e"], table[f"{quantity}, {method}"] + 1e-16, marker, label=method)
        axis.set(xlabel="requested restitution", title=quantity)
    axes[0].set(ylabel="relative error", ylim=(1e-16, 3.0))
    axes[0].legend()
    c.figure(
        "methods",
        figure,
        "Errors of three ways to find stiffness and damping, without errors due to the time step.",
    )


def run(c: Context) -> None:
    table = grid()
    errors = simulate(c, table)
    c.table("errors", errors.worst, f"Largest relative errors for e >= {LOWEST} and for all e.")
    judge_collisions(c, table, errors)
    draw_collisions(c, table, errors)
    methods = pd.DataFrame(without_time_step(e) for e in np.geomspace(0.02, 1.0, 40).tolist())
    c.table("methods", methods, "Relative errors of three ways to find stiffness and damping.")
    judge_methods(c, methods)
    c.table("cost", cost(), "Cost of preparing a collision with each method.")
    draw_methods(c, methods)


def cost() -> pd.DataFrame:
    count, rounds = 100_000, 5
    stack = laws.ContactModel(f"actm {TIME} 0.5 NULL 0.3 tangential linear_nohistory 0 0")
    separation = np.tile([1 - 1e-9, 0.0, 0.0], (count, 1))
    velocity = np.tile([-1.0, 0.0, 0.0], (count, 1))
    begun = stack.evaluate(separation, velocity, timestep=1e-6).history

    def seconds(history: np.ndarray | None) -> float:
        best = np.inf
        for _ in range(rounds):
            begin = time.perf_counter()
            stack.evaluate(separation, velocity, timestep=1e-6, history=history)
            best = min(best, time.perf_counter() - begin)
        return best / count

    def python(find) -> float:
        begin = time.perf_counter()
        for _ in range(20):
            find(0.5, TIME, 1.0, 0.5)
        return (time.perf_counter() - begin) / 20

    return pd.DataFrame(
        {
            "method": ["exact, compiled", "direct, Python", "iterative, Python"],
            "microseconds": [
                1e6 * (seconds(None) - seconds(begun)),
                1e6 * python(actm.direct_contact),
                1e6 * python(actm.iterative_contact),
            ],
        }
    )


CASE = Case(
    name="binary-collisions",
    title="Every collision has the prescribed restitution and collision time",
    source="[ray2015]",
    tier="smoke",
    parameters={"collision_time": TIME, "option": ""},
    spoil={"option": "limit_damping"},
    run=run,
)
