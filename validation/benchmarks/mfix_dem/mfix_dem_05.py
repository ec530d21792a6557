"""Case DEM05 of MFIX: a sphere hits a wall at an angle, with linear springs and friction.

Sphere and anvil are the same as in Kharaz's experiment. The model M2 in `kharaz_models` has the
same springs.
"""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import alumina, impact
from pysuite.validation.setups import impacts

SPEED = 3.9
STIFFNESS, TANGENTIAL_STIFFNESS = 1.72e7, 1.48e7
ANGLES = np.radians(
    [2, 5, 8, 10, 12, 15, 18, 20, 22, 25, 28, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85]
)
RESOLUTION = 1000  # steps per collision
# difference between neighbouring points of the experiment; spin in rad/s
SCATTER = {"e_t": 0.02, "omega": 30.0}


def judge_closed_forms(c: Context, rebound: alumina.Rebound, exact: alumina.Rebound) -> None:
    _, slides = solve()
    longest = float(np.pi * np.sqrt(alumina.MASS / STIFFNESS))
    # relative shortening of the lever arm
    arm = 0.5 * SPEED * longest / np.pi / alumina.RADIUS
    for words, reference, where in (
        ("sliding contacts against the momentum balance", by_momentum(), slides),
        (
            "all contacts against the exact motion of springs and slider",
            exact,
            np.full(ANGLES.shape, True),
        ),
    ):
        for name, scale in {"e_t": 1.0, "omega": exact.omega.max()}.items():
            c.check_close(
                f"{words}, {where.sum()} angles: {name}, largest error"
                + ("" if name == "e_t" else ", fraction of the largest spin"),
                getattr(rebound, name)[where],
                getattr(reference, name)[where],
                scale=scale,
                tolerance=1.0 / RESOLUTION + arm,
                reason=(
                    "the error is of first order in the time step; half the overlap shortens the"
                    f" lever arm of friction by {arm:.1%} of the radius"
                ),
            )
        if where is slides:
            c.check_close(
                f"{words}: rebound angle of the centre, largest error, degrees",
                rebound.centre_angle[where],
                reference.centre_angle[where],
                tolerance=np.degrees(1.0 / RESOLUTION),
                reason="the error is of first order in the time step; the lever arm has no effect",
            )
    c.check_close(
        "all angles: e_n, largest deviation from the prescribed value",
        rebound.e_n,
        alumina.RESTITUTION,
        tolerance=1.0 / RESOLUTION,
        reason="the error is of first order in the time step",
    )


def judge_experiment(
    c: Context, rebound: alumina.Rebound, points: dict[str, np.ndarray]
) -> pd.DataFrame:
    _, slides = solve()
    begin = np.degrees(ANGLES[slides].min())
    rows = []
    for name, scatter in SCATTER.items():
        angle, value = points[name].T
        there = (angle >= begin) & (angle <= np.degrees(ANGLES[-1]))
        deviation = np.abs(np.interp(angle, np.degrees(ANGLES), getattr(rebound, name)) - value)
        c.check(
            f"experiment, {there.sum()} points from {begin:.0f} degrees on: {name}, mean deviation",
            measured=deviation[there].mean(),
            reference=0.0,
            tolerance=scatter,
            kind="absolute",
            reason="scatter and reading error of the experiment, as in the case kharaz-models",
        )
        means = {"sliding": deviation[there].mean(), "all": deviation.mean()}
        rows.append({"indicator": name} | means)
    return pd.DataFrame(rows)


def run(c: Context) -> None:
    rebound = simulate(c)
    exact, _ = solve()
    judge_closed_forms(c, rebound, exact)
    points = alumina.experiment(c.data / "kharaz" / "experiment.csv")
    deviations = judge_experiment(c, rebound, points)
    c.table(
        "experiment",
        deviations,
        "Mean deviation from the experiment, at the angles at which contacts slide and at all"
        " angles. The spin is in rad/s.",
    )
    of_e_t = deviations.iloc[0]
    c.note(
        "On average, the e_t of the linear contact deviates from the experiment by"
        f" {of_e_t['all']:.3f} over all angles and by {of_e_t['sliding']:.3f} over the angles at"
        " which the contact slides."
    )
    draw(c, rebound, exact, {name: points[name] for name in SCATTER})


def simulate(c: Context) -> alumina.Rebound:
    ratio = np.sqrt(TANGENTIAL_STIFFNESS / STIFFNESS)
    asked = impact.unlimited_restitution(alumina.RESTITUTION)
    law = f"hooke {STIFFNESS} {asked:.17g} damping coeff_restitution"
    law += f" tangential linear_history {TANGENTIAL_STIFFNESS} {ratio:.17g} {c['friction']}"
    law += f" slider {c['slider']} limit_damping"
    step = np.pi * np.sqrt(alumina.MASS / STIFFNESS) / RESOLUTION
    outcome = impacts.collide(
        c,
        [
            impacts.Impact(
                law, impacts.Ball(alumina.RADIUS, alumina.DENSITY, impacts.oblique(SPEED, angle))
            )
            for angle in ANGLES
        ],
        step=step,
        steps=round(1.1 * RESOLUTION),
        floor=c["floor"],
    )
    return alumina.indicators(
        ANGLES, SPEED, outcome.velocity[:, 2], outcome.velocity[:, 0], outcome.spin[:, 1]
    )


def rebound_with(restitution: np.ndarray) -> alumina.Rebound:
    along = SPEED * np.sin(ANGLES)
    spin = impact.SPIN_GAIN * (1.0 - restitution) * along / alumina.RADIUS
    normal = alumina.RESTITUTION * SPEED * np.cos(ANGLES)
    return alumina.indicators(ANGLES, SPEED, normal, restitution * along, spin)


def by_momentum() -> alumina.Rebound:
    return rebound_with(
        impact.gross_sliding_restitution(ANGLES, alumina.FRICTION, alumina.RESTITUTION)
    )


@functools.cache
def solve() -> tuple[alumina.Rebound, np.ndarray]:
    zeta = impact.linear_damping_ratio(impact.unlimited_restitution(alumina.RESTITUTION))
    stiffness = TANGENTIAL_STIFFNESS / STIFFNESS
    solution = impact.csds_impact(
        ANGLES, alumina.FRICTION, zeta, stiffness, 2.0 * zeta * np.sqrt(stiffness)
    )
    return rebound_with(solution.tangential_restitution), solution.always_slides


def draw(
    c: Context,
    rebound: alumina.Rebound,
    exact: alumina.Rebound,
    points: dict[str, np.ndarray],
) -> None:
    figure, axes = panels(3)
    degrees = np.degrees(ANGLES)
    for axis, (name, label) in zip(
        axes,
        {
            "e_t": "tangential restitution",
            "omega": "spin [rad/s]",
            "centre_angle": "rebound angle of the centre [degrees]",
        }.items(),
        strict=True,
    ):
        if name in points:
            axis.plot(*points[name].T, "k^", mfc="none", ms=5, label="experiment")
        axis.plot(degrees, getattr(exact, name), "k", linewidth=0.8, label="exact")
        axis.plot(degrees, getattr(rebound, name), "C0o", ms=4, mfc="none", label="granular/plus")
        axis.set(xlabel="angle of impact [degrees]", ylabel=label)
    axes[0].legend(fontsize=8)
    c.figure(
        "rebound", figure, "Rebound with linear springs: exact motion and Kharaz's experiment."
    )


CASE = Case(
    name="mfix-dem-05",
    title="MFIX DEM05: oblique impact with linear springs",
    source="[garg2012] oblique collision; [kharaz2001]; momentum balance",
    tier="smoke",
    parameters={"friction": alumina.FRICTION, "slider": "csds", "floor": "wall"},
    spoil={"friction": 0.1},
    run=run,
)
