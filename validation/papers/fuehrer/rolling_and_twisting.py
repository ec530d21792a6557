"""Decay of rolling and twisting until contacts come to rest, compared with exact solutions.

Pairs of spheres with fixed centres rotate against each other about an axis in the contact plane
(rolling) or about the normal (twisting). The moment of inertia of the relative motion, the
frequency of the spring and the limiting moment are 1. The initial rate of rotation is 4.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp

from pysuite import statistics
from pysuite.figures import panels
from pysuite.outputs import pair_local
from pysuite.validation import Case, Context
from pysuite.validation.references import friction, rolling
from pysuite.validation.setups import packings

RATE = 4.0
END = 20.0
STEPS = (0.04, 0.02, 0.01)  # the undamped spring has a period of 2 pi
OVERLAP = 0.01
NORMAL_STIFFNESS = 100.0
NORMAL_FORCE = NORMAL_STIFFNESS * OVERLAP
DAMPING = {"overdamped": 2.0, "underdamped": 0.3, "no dashpot": 0.0}
MODELS = ("rolling sds", "twisting sds", "twisting marshall")
MASS = 4.0 / 3.0 * np.pi

LIFT = OVERLAP / (1.25 * END)  # separation speed that leaves a fifth of the force at the end

BASE_RADIUS = 1e5
SPEED = 1.0
GRAVITY = 1.0
SPHERE_STIFFNESS = 1e4
SPHERE_OVERLAP = GRAVITY / SPHERE_STIFFNESS
ROLLING_FRICTION = 0.1
ROLLING_STIFFNESS = 10.0  # the spring reaches the limit at an angle of 0.01
ROLLING_DASHPOT = 2.0
DECELERATION = 5.0 / 7.0 * ROLLING_FRICTION * GRAVITY
SPHERE_TOLERANCE = 3e-4
SPHERE_REASON = (
    "three errors are of the order of 1e-4: the overlap is 1e-4 of the radius, the curved base"
    " drops by 6e-5 along the path and thus adds 1e-4 to the kinetic energy, and the time step is"
    " finite"
)

HELD = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data ${data}
pair_style granular/plus
"""

ELASTIC = ["elastic_rolling", "elastic_twisting"]
TURN = (
    f"""
compute resisting all pair/local {pair_local(*ELASTIC)}
"""
    + """
fix hold all setforce 0 0 0
fix move all nve/sphere
timestep ${step}
compute pair all property/local patom1
dump turning all custom 1 turning id omegax omegaz tqx tqz
dump_modify turning format float %.17g
dump energies all local 1 energies c_pair c_resisting[*]
dump_modify energies format float %.17g
run ${steps}
"""
)

SPHERE = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block -20 20 -3 3 -4 4
create_box 2 box
create_atoms 1 single ${start} 0 ${height}
set type 1 diameter 2 density ${density}
velocity all set ${speed} 0 0
set type 1 omega 0 ${speed} 0
change_box all z final -100010 10 y final -10 10
create_atoms 2 single 0 0 -${radius}
variable diameter equal 2*${radius}
set type 2 diameter ${diameter} density 1
group base type 2
group sphere type 1
pair_style granular/plus
pair_coeff * * ${law}
neighbor 0.1 nsq
fix base base freeze
fix move sphere nve/sphere
fix weight sphere gravity 1 vector 0 0 -1
timestep ${step}
dump sphere sphere custom ${every} sphere id x vx omegay
dump_modify sphere format float %.17g
run ${steps}
"""


class Contact(NamedTuple):
    """Two spheres that lie on top of each other and rotate against each other."""

    model: str
    damping: str
    radii: tuple[float, float]

    @property
    def label(self) -> str:
        """Name in tables and figures."""
        return f"{self.model}, {self.damping}"

    @property
    def rolls(self) -> bool:
        """Whether the axis of rotation lies in the contact plane."""
        return self.model.startswith("rolling")

    @property
    def moments(self) -> tuple[float, float]:
        """Moments of inertia of both spheres, whose density is 1."""
        return tuple(rolling.SOLID_SPHERE * MASS * radius**5 for radius in self.radii)

    @property
    def pivot(self) -> rolling.Pivot:
        """Inertia, stiffness, dashpot and limit of the rotation."""
        inertia = rolling.reduced(*self.moments)
        return rolling.Pivot(inertia, inertia, DAMPING[self.damping] * inertia, inertia)

    @property
    def coefficients(self) -> str:
        """Arguments of pair_coeff that give the contact the coefficients of `pivot`."""
        pivot = self.pivot
        arm = rolling.reduced(*self.radii)
        area = 0.5 * OVERLAP * arm  # half the squared contact radius
        numbers = {
            "rolling sds": (
                pivot.stiffness / arm**2,
                pivot.dashpot / arm**2,
                pivot.limit / (arm * NORMAL_FORCE),
            ),
            "twisting sds": (pivot.stiffness, pivot.dashpot, pivot.limit / NORMAL_FORCE),
            "twisting marshall": (
                pivot.stiffness / area,
                pivot.dashpot / area,
                pivot.limit / (2.0 / 3.0 * np.sqrt(2.0 * area) * NORMAL_FORCE),
            ),
        }[self.model]
        k, c, mu = (f"{number:.17g}" for number in numbers)
        normal = f"hooke {NORMAL_STIFFNESS} 1 damping velocity"
        if self.model == "twisting marshall":
            return f"{normal} tangential linear_history {k} {c} {mu} {self.model}"
        return f"{normal} tangential linear_history 1 0 1 {self.model} {k} {c} {mu}"

    @property
    def spins(self) -> tuple[float, float]:
        """Initial spins of both spheres."""
        return (0.5 * RATE, -0.5 * RATE) if self.rolls else (RATE, 0.0)


CONTACTS = [
    Contact(model, damping, (1.0, 1.0) if model.startswith("rolling") else (1.0, 1.6))
    for model in MODELS
    for damping in DAMPING
]


def write_pairs(c: Context, lift: float) -> Path:
    spacing = 6.0
    spheres = [
        (
            n + 1,
            2.0 * contact.radii[k],
            (spacing * (n + 0.5), 0.0, k * (sum(contact.radii) - OVERLAP)),
            (0.0, 0.0, k * lift),
            (contact.spins[k], 0.0, 0.0) if contact.rolls else (0.0, 0.0, contact.spins[k]),
        )
        for n, contact in enumerate(CONTACTS)
        for k in range(2)
    ]
    kind, diameter, place, velocity, spin = zip(*spheres, strict=True)
    return packings.write_spheres(
        c.folder / f"pairs-{lift:g}.data",
        [(0.0, spacing * len(CONTACTS)), (-4.0, 4.0), (-8.0, 8.0)],
        place,
        diameter=diameter,
        kind=kind,
        velocity=velocity,
        spin=spin,
    )


@functools.cache
def turn(c: Context, slider: str, step: float, lift: float = 0.0) -> list[rolling.Motion]:
    """Return the motion of each contact. The spring in the motion is a magnitude without sign."""
    # spheres of different pairs never meet, so "* *" has no effect
    types = ["* *", *(f"{n} {n}" for n in range(1, len(CONTACTS) + 1))]
    coefficients = "\n".join(
        f"pair_coeff {pair} {contact.coefficients} slider {slider}"
        for pair, contact in zip(types, [CONTACTS[0], *CONTACTS], strict=True)
    )
    steps = round(END / step)
    run = c.lammps(
        HELD + coefficients + TURN,
        variables={"data": write_pairs(c, lift), "step": step, "steps": steps},
    )
    frame = run.dump("turning").drop(columns=["step", "id"])
    table = frame.to_numpy().reshape(steps + 1, len(CONTACTS), 2, 4)
    time = step * np.arange(steps + 1)
    energies = run.local("energies").sort_values(["step", "patom1"], kind="stable")
    stored = energies[ELASTIC].sum(axis=1).to_numpy().reshape(steps + 1, len(CONTACTS))
    motions = []
    for n, contact in enumerate(CONTACTS):
        pivot = contact.pivot
        axis = 0 if contact.rolls else 1
        rate = table[:, n, 0, axis] - table[:, n, 1, axis]
        moment = table[:, n, 0, 2 + axis]
        angle = np.concatenate([[0.0], np.cumsum(0.5 * step * (rate[1:] + rate[:-1]))])
        spring = np.sqrt(2.0 * np.maximum(stored[:, n], 0.0) / pivot.stiffness)
        motions.append(rolling.Motion(time, angle, spring, rate, moment))
    return motions


def sign_changes(contact: Contact, moment: np.ndarray) -> int:
    signs = np.sign(moment[np.abs(moment) > 1e-3 * contact.pivot.limit])
    return int(np.count_nonzero(np.diff(signs)))


def exact(contact: Contact, step: float) -> rolling.Motion:
    return rolling.exact_motion(contact.pivot, RATE, step * np.arange(round(END / step) + 1))


def run(c: Context) -> None:
    the_reference_itself(c)
    decay(c)
    coming_to_rest(c)
    rolling_sphere(c)


def the_reference_itself(c: Context) -> None:
    time = np.linspace(0.0, END, 401)
    worst = 0.0
    for dashpot in (2.0, 0.3):
        pivot = rolling.Pivot(1.0, 1.0, dashpot, 1.0)

        def slope(_: float, y: np.ndarray, pivot: rolling.Pivot = pivot) -> list[float]:
            moment = float(pivot.moment(y[0], y[1]))
            return [-(moment + pivot.stiffness * y[0]) / pivot.dashpot, moment / pivot.inertia]

        numerical = solve_ivp(
            slope, (0.0, END), [0.0, RATE], t_eval=time, rtol=1e-9, atol=1e-11, max_step=0.02
        )
        motion = rolling.exact_motion(pivot, RATE, time)
        worst = max(worst, np.abs(numerical.y - [motion.spring, motion.rate]).max())
    c.check(
        "reference: eq. (10) integrated numerically against the piecewise solution",
        measured=worst,
        reference=0.0,
        tolerance=1e-7,
        kind="absolute",
        reason="the tolerance is a hundred times the tolerance of the numerical integration",
    )
    plates = friction.csds_exact(friction.Plates(), time)
    motion = rolling.exact_motion(rolling.Pivot(1.0, 1.0, 2.0, 1.0), RATE, time)
    c.check(
        "reference: spring and rate of a pivot against spring and velocity of sliding plates",
        measured=np.abs(np.array(plates[1:3]) - np.array(motion[2:4])).max(),
        reference=0.0,
        tolerance=1e-12,
        kind="absolute",
        reason="the two independent solutions differ only by round-off",
    )


def decay(c: Context) -> None:
    frame = pd.DataFrame(decay_of(c, n) for n in range(len(CONTACTS)))
    c.table(
        "errors",
        frame,
        "Largest errors against the exact motion: error of the rate of rotation / initial rate,"
        " error of the moment / limit, error of the spring in radians, and gain of energy / initial"
        " energy.",
    )
    for model in MODELS:
        judge_decay(c, model, frame[frame["contact"].str.startswith(model)])
    damped = frame[~frame["contact"].str.endswith("no dashpot")]
    for words, column in (("lowest", damped["order"].min()), ("highest", damped["order"].max())):
        c.claim(
            "F18",
            "C-SDS: order of the error of the rate against the exact solution of eq. (10),"
            f" {words} of all contacts with a dashpot",
            statistics.numerical(column, 0.0, "measured at these time steps"),
            equals=1.0,
            within=0.2,
            reason="the moment follows the paper's equation; backward Euler is of first order",
        )


def decay_of(c: Context, n: int) -> dict[str, float | str]:
    contact = CONTACTS[n]
    motions = [turn(c, c["slider"], step)[n] for step in STEPS]
    errors = [
        np.abs(motion.rate - exact(contact, step).rate).max() / RATE
        for motion, step in zip(motions, STEPS, strict=True)
    ]
    middle, fine = motions[1], motions[2]
    reference = exact(contact, STEPS[1])
    off = 2.0 * fine.rate[::2] - middle.rate - reference.rate
    energy = middle.mechanical(contact.pivot).max() / (0.5 * contact.pivot.inertia * RATE**2)
    return {
        "contact": contact.label,
        **{f"rate, dt {step}": error for step, error in zip(STEPS, errors, strict=True)},
        "order": friction.convergence_order(STEPS, errors),
        "rate, extrapolated": np.abs(off).max() / RATE,
        "moment": np.abs(middle.moment - reference.moment)[1:].max() / contact.pivot.limit,
        "spring": np.abs(middle.spring - np.abs(reference.spring)).max(),
        "energy": energy - 1.0,
    }


def judge_decay(c: Context, model: str, errors: pd.DataFrame) -> None:
    middle = STEPS[1]
    for words, column, tolerance, reason in (
        (
            "rate against the exact value, largest error, fraction of the initial rate",
            f"rate, dt {middle}",
            0.1 * middle,
            "the error is of first order, as claim F18 shows; the tolerance is a tenth of omega dt",
        ),
        (
            "rate against the exact value, extrapolated to dt = 0",
            "rate, extrapolated",
            0.25 * middle**2,
            "the remainder is of second order; the tolerance is a quarter of (omega dt)^2",
        ),
        (
            "moment against the exact value, fraction of the limit",
            "moment",
            2.0 * middle,
            "the error is of first order; in the first oscillation, the rate of change of the"
            " moment is up to twice omega times the limit",
        ),
        (
            "spring against the exact value, radians",
            "spring",
            2.0 * middle,
            "the error is of first order; without dashpot, the spring stretches by 4 dt per step"
            " and on average reaches the limit halfway through a step",
        ),
        (
            "gain of kinetic + elastic energy, fraction of the initial energy",
            "energy",
            0.25 * middle**2,
            "with velocity Verlet, the energy of an undamped spring oscillates by (omega dt)^2 / 4",
        ),
    ):
        c.check(
            f"{model}: {words}",
            measured=errors[column].max(),
            reference=0.0,
            tolerance=tolerance,
            kind="at_most" if column == "energy" else "absolute",
            reason=reason,
        )


def largest_jump(contact: Contact, motion: rolling.Motion) -> float:
    return float(np.abs(np.diff(motion.moment)).max() / contact.pivot.limit)


def coming_to_rest(c: Context) -> None:
    frame = pd.DataFrame(
        stop_of(c, n, slider, lift)
        for lift in (0.0, LIFT)
        for slider in dict.fromkeys((c["slider"], "dsds"))
        for n in range(len(CONTACTS))
    )
    c.table(
        "stop",
        frame,
        "sign changes: sign changes of the moment; exact: sign changes in the exact solution, or -1"
        " if there is no exact solution; jump: largest change of the moment in one step / limit.",
    )
    plus, stock = (frame[frame["slider"] == slider] for slider in (c["slider"], "dsds"))
    judge_smooth(c, plus)
    judge_chatter(c, plus, stock)
    thrown_backwards(c)
    figure_stop(c)


def stop_of(c: Context, n: int, slider: str, lift: float) -> dict[str, float | str]:
    middle, fine = STEPS[1:]
    contact = CONTACTS[n]
    jumps = [largest_jump(contact, turn(c, slider, step, lift)[n]) for step in (middle, fine)]
    found = turn(c, slider, fine, lift)[n]
    return {
        "contact": contact.label,
        "normal force": "falling" if lift else "constant",
        "slider": slider,
        "sign changes": sign_changes(contact, found.moment),
        "exact": -1 if lift else sign_changes(contact, exact(contact, fine).moment),
        f"jump, dt {middle}": jumps[0],
        f"jump, dt {fine}": jumps[1],
        "ratio": jumps[1] / jumps[0],
    }


def judge_smooth(c: Context, plus: pd.DataFrame) -> None:
    fine = STEPS[2]
    steady = plus[plus["exact"] >= 0]
    c.check_close(
        "C-SDS, constant normal force: sign changes of the moment beyond the exact ones",
        steady["sign changes"],
        steady["exact"],
        tolerance=0.0,
        reason="counts are exact; moments below 1e-3 of the limit are ignored",
    )
    c.check(
        "C-SDS, falling normal force: largest number of sign changes of the moment",
        measured=plus[plus["exact"] < 0]["sign changes"].max(),
        reference=END / np.pi + 1.0,
        kind="at_most",
        reason="the moment changes sign in each half oscillation of the spring, and once before",
    )
    ratio = plus["ratio"].max()
    c.claim(
        "F18",
        "C-SDS: largest change of the moment per step, with half the time step / with the full"
        " one, largest of all contacts",
        statistics.numerical(
            ratio, ratio - 0.5, "distance from the ratio of a uniform change, 0.5"
        ),
        at_most=0.5,
        within=0.05,
        reason=(
            "changes of a continuous moment are proportional to dt; the tolerance, a tenth, allows"
            " for the position of the steps on the curve"
        ),
    )
    c.check(
        f"C-SDS: largest change of the moment in a step of {fine}, fraction of the limit",
        measured=plus[f"jump, dt {fine}"].max(),
        reference=RATE * fine,
        tolerance=0.02 * RATE * fine,
        kind="at_most",
        reason=(
            "a spring without dashpot is loaded at the full rate; the tolerance, a fiftieth, allows"
            " for the falling limit"
        ),
    )


def judge_chatter(c: Context, plus: pd.DataFrame, stock: pd.DataFrame) -> None:
    chattering = stock[stock["contact"].str.startswith("twisting sds")]["sign changes"].max()
    c.check(
        "D-SDS, falling normal force, twisting sds: largest number of sign changes",
        measured=chattering,
        reference=10.0 * END / np.pi,
        kind="at_least",
        reason=(
            "the slip rule of LAMMPS's twisting models follows the sign of the velocity; the bound"
            " is ten times the number of sign changes in oscillations of the spring"
        ),
    )
    c.note(
        "With D-SDS, the moment of a damped contact that starts to roll jumps to the limit within"
        " one step. The moment of a twisting contact without dashpot chatters when the limit falls"
        " below the moment of the spring, because LAMMPS's slip rule opposes the velocity, not the"
        f" spring. This moment changes its sign {chattering} times. With C-SDS, moments change"
        f" their sign at most {plus['sign changes'].max()} times."
    )


def thrown_backwards(c: Context) -> None:
    """Judge eq. (3) for moments by the energy of the spring after the first step of D-SDS."""
    for n, contact in enumerate(CONTACTS):
        if contact.damping != "overdamped":
            continue
        pivot = contact.pivot
        expected = (pivot.dashpot * RATE - pivot.limit) ** 2 / (2.0 * pivot.stiffness)
        energies = [
            0.5 * pivot.stiffness * turn(c, c["discontinuous"], step)[n].spring[1] ** 2 / expected
            for step in STEPS[1:]
        ]
        c.claim(
            "F18",
            f"D-SDS, {contact.label}: elastic energy after the first step / eq. (3),"
            " (gamma v - limit)^2 / 2k",
            statistics.refined(*energies),
            equals=1.0,
            within=2.0 * STEPS[2],
            reason=(
                "as in sliding, the spring is thrown backwards; in half a step, the moment slows"
                " the rotation, which changes the energy by a fraction of at most"
                " gamma dt / (gamma v - limit)"
            ),
        )


EXACT_STOP = SPEED**2 / (2.0 * DECELERATION)


def rolling_sphere(c: Context) -> None:
    """Judge the constant deceleration 5/7 mu g R_eff/R and the oscillation after the halt."""
    frame = roll(c)
    pivot = rolling.rolling_pair(
        rolling.rolling_inertia(1.0, 1.0),
        rolling.reduced(1.0, BASE_RADIUS),
        ROLLING_STIFFNESS,
        ROLLING_DASHPOT,
        ROLLING_FRICTION,
    )
    reference = rolling.exact_motion(pivot, SPEED, frame["time"].to_numpy())
    judge_sphere(c, frame, reference)
    figure_sphere(c, frame, reference)


def roll(c: Context) -> pd.DataFrame:
    step = 0.02 * np.pi / np.sqrt(SPHERE_STIFFNESS)
    steps = round(1.3 * SPEED / DECELERATION / step)
    every = 50
    run = c.lammps(
        SPHERE,
        variables={
            "radius": BASE_RADIUS,
            "height": f"{1.0 - SPHERE_OVERLAP:.17g}",
            "start": f"{-0.5 * EXACT_STOP:.17g}",
            "density": f"{1.0 / MASS:.17g}",
            "speed": SPEED,
            "law": f"hooke {SPHERE_STIFFNESS} 20 damping velocity"
            f" tangential linear_history {SPHERE_STIFFNESS} 1 0.5"
            f" rolling sds {ROLLING_STIFFNESS} {ROLLING_DASHPOT:.17g} {ROLLING_FRICTION}"
            f" slider {c['slider']}",
            "step": f"{step:.17g}",
            "every": every,
            "steps": steps // every * every,
        },
    )
    frame = run.dump("sphere")
    way = frame["x"] - frame["x"].iloc[0]
    return pd.DataFrame({"time": frame["step"] * step, "way": way, "speed": frame["vx"]})


def judge_sphere(c: Context, frame: pd.DataFrame, reference: rolling.Motion) -> None:
    c.check_close(
        "sphere on a plane: speed against the exact value, fraction of the initial speed",
        frame["speed"],
        reference.rate,
        scale=SPEED,
        tolerance=SPHERE_TOLERANCE,
        reason=SPHERE_REASON,
    )
    c.check_close(
        "sphere on a plane: path against the exact value, fraction of the path to the halt",
        frame["way"],
        reference.angle,
        scale=EXACT_STOP,
        tolerance=SPHERE_TOLERANCE,
        reason=SPHERE_REASON,
    )
    c.check(
        "sphere on a plane: path to the halt against the closed form v^2 / (2 * 5/7 mu g)",
        measured=frame["way"].max(),
        reference=EXACT_STOP,
        tolerance=SPHERE_TOLERANCE + ROLLING_FRICTION / ROLLING_STIFFNESS / EXACT_STOP,
        reason=SPHERE_REASON + "; the path may be longer by 0.01, the deflection of the spring",
    )


def figure_sphere(c: Context, frame: pd.DataFrame, reference: rolling.Motion) -> None:
    figure, (left, right) = panels(2)
    late = frame["time"] > 0.95 * SPEED / DECELERATION
    for axis, part in ((left, late | True), (right, late)):
        shown = frame[part]
        axis.plot(shown["time"], shown["speed"], "C2", label=f"granular/plus, slider {c['slider']}")
        axis.plot(shown["time"], reference.rate[part], "k--", linewidth=0.8, label="exact")
        axis.set(xlabel="time")
    left.set(ylabel="speed")
    left.legend()
    right.set(title="coming to rest")
    c.figure("sphere", figure, "A sphere rolls to a halt and oscillates on its rolling spring.")


def figure_stop(c: Context) -> None:
    step = STEPS[-1]
    figure, axes = panels(3, sharey=True)
    shown = (
        ("rolling sds, overdamped", 0.0),
        ("twisting marshall, underdamped", 0.0),
        ("twisting sds, no dashpot", LIFT),
    )
    for axis, (label, lift) in zip(axes, shown, strict=True):
        n = [contact.label for contact in CONTACTS].index(label)
        contact = CONTACTS[n]
        limit = contact.pivot.limit
        for slider, colour in (("dsds", "C0"), (c["slider"], "C2")):
            motion = turn(c, slider, step, lift)[n]
            axis.plot(motion.time, motion.moment / limit, colour, label=slider, linewidth=1.0)
        if lift:
            bound = 1.0 - lift * motion.time / OVERLAP
            axis.plot(motion.time, bound, "k:", motion.time, -bound, "k:", linewidth=0.8)
            label += ", falling normal force"
        else:
            reference = exact(contact, step)
            axis.plot(reference.time, reference.moment / limit, "k--", linewidth=0.8, label="exact")
        axis.set(title=label, xlabel="time [1/frequency]")
    axes[0].set_ylabel("moment / limit")
    axes[0].legend()
    c.figure(
        "stop",
        figure,
        "Moment while two spheres rotate against each other and come to rest. Right: if the limit"
        " (dotted) falls, the moment with D-SDS chatters, because the slip rule follows the sign of"
        " the velocity.",
    )


CASE = Case(
    name="rolling-and-twisting",
    title=(
        "Rolling and twisting follow closed forms, and the continuous slider comes to rest smoothly"
    ),
    source="[fuehrer2024] eq. (10); [marshall2009]; mechanics",
    tier="smoke",
    parameters={"slider": "csds", "discontinuous": "dsds"},
    spoil={"slider": "dsds"},
    run=run,
)
