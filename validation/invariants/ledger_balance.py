"""The energy ledger of a packing that falls, settles and flows down a slope is balanced.

The residual is the remainder of the energy balance: the change of the kinetic, potential and
elastic energy, plus all losses and minus all gains in the ledger.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.outputs import LOSSES, STORED
from pysuite.validation import Case, Context
from pysuite.validation.references import friction
from pysuite.validation.seeds import seed

DENSITY = 1.0
LARGEST, SMALLEST = 0.95, 0.8  # diameters
STIFFNESS = 2e4
HERTZ = f"hertz {STIFFNESS} 30 damping viscoelastic"
HOOKE = f"hooke {STIFFNESS} 20 damping mass_velocity"
LINEAR = "linear_history 1e4 0.5 0.5"
FORCE = "mindlin_rescale/force 1e4 0.5 0.5"
DISPLACEMENT = "mindlin 1e4 0.5 0.5"
RESISTANCES = "rolling sds 1e3 5 0.1 twisting sds 300 1 0.05"
WET = "bridge willett 4 20 volume 0.001"
VISCOUS = "bridge willett/film 4 20 share 0.05 viscous 0.05 gap 0.01"
FILM = "fix film all property/atom d_film ghost yes\nset group all d_film 0.02\n"
SPEED = 5.0  # approach speed of the fastest grains
DURATION = {"smoke": 1.5, "quick": 3.0, "full": 6.0}
SIDE = {"smoke": 10, "quick": 10, "full": 20}
MECHANISMS = ["normal_dashpot", "tangential_dashpot", "slip", "rolling", "twisting"]
REFINEMENTS = (50, 100, 200)  # steps per collision time
SAMPLES = 100
PARALLEL_STEPS = 300

PACKING = """
units si
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 ${side} 0 ${side} 0 30
create_box 2 box
lattice sc 1.0
variable inside equal ${side}-0.1
region floor block 0 ${inside} 0 ${inside} 0 0.9
create_atoms 2 region floor
region fill block 0 ${inside} 0 ${inside} 1 10.9
create_atoms 1 region fill
group floor type 2
group grains type 1
variable diameter atom random(${smallest},${largest},${sizes})
set group grains diameter v_diameter
set group floor diameter 1.0
set group all density ${density}
displace_atoms grains random 0.02 0.02 0.02 ${displaced}
velocity grains create 1 1
variable shear atom 0.5*z
velocity grains set v_shear NULL NULL sum yes
set group grains omega 0.5 1.0 -1.0
"""

MOVE = """
pair_style granular/plus ledger yes
pair_coeff * * ${law}
neighbor 0.2 bin
timestep ${step}
fix weight all gravity 5 chute 26
fix move all nve/sphere
fix floor floor freeze
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo ${every}
run ${steps}
"""

CONTINUE = """
units si
atom_style sphere
boundary p p f
comm_modify vel yes
read_data ${packing}
group floor type 2
"""

POSITIONS = "write_dump all custom end id xu yu zu modify sort id format float %.17g\n"


def collision_time(normal: str) -> float:
    """Return the undamped collision time of two of the smallest grains at the largest speed u.

    With the effective mass m and the effective radius R, the time is pi sqrt(m/k) for Hooke
    contacts, and 3.218 (m^2/(k^2 R u))^(1/5) for Hertz contacts.
    """
    radius = 0.5 * SMALLEST
    mass = 0.5 * DENSITY * 4.0 / 3.0 * np.pi * radius**3
    if normal == HOOKE:
        return float(np.pi * np.sqrt(mass / STIFFNESS))
    stiffness = STIFFNESS * np.sqrt(0.5 * radius)
    return float(3.2180654597 * (mass**2 / (stiffness**2 * SPEED)) ** 0.2)


@functools.cache
def ledger(
    c: Context, slider: str, refinement: int, normal: str, tangential: str, bridge: str = ""
) -> pd.DataFrame:
    step = collision_time(normal) / refinement
    every = max(1, round(DURATION[c.tier] / step / SAMPLES))
    run = c.lammps(
        PACKING + (FILM if bridge == VISCOUS else "") + MOVE,
        variables={
            **start(c),
            "law": f"{normal} tangential {tangential} {RESISTANCES} slider {slider} {bridge}",
            "step": f"{step:.17g}",
            "every": every,
            "steps": every * SAMPLES,
        },
    )
    return run.ledger.assign(time=step * run.thermo["Step"])


def start(c: Context) -> dict[str, float]:
    return {
        "side": SIDE[c.tier],
        "smallest": SMALLEST,
        "largest": LARGEST,
        "density": DENSITY,
        "sizes": seed(4711),
        "displaced": seed(8123),
    }


def turned_over(frame: pd.DataFrame) -> pd.Series:
    return frame[LOSSES].sum(axis=1)


def run(c: Context) -> None:
    balance(c)
    created(c)
    wet(c)
    judge_parallel(c, *in_parallel(c))


def balance(c: Context) -> None:
    frames = [ledger(c, c["slider"], n, HERTZ, FORCE) for n in REFINEMENTS]
    residuals = [frame["residual"].abs().max() for frame in frames]
    lost = [turned_over(frame).iloc[-1] for frame in frames]
    parts = np.array(residuals) / lost
    c.table(
        "balance",
        pd.DataFrame(
            {
                "steps in a collision": REFINEMENTS,
                "largest residual": residuals,
                "energy lost": lost,
                "part": parts,
                **{name: [f[name].iloc[-1] for f in frames] for name in frames[0].columns[:-1]},
            }
        ),
        "Largest residual, total energy lost, and the final entries of the ledger.",
    )
    grains = SIDE[c.tier] ** 2 * 10
    c.check(
        f"{grains} grains, T_c/{REFINEMENTS[0]}: largest residual, fraction of the energy lost",
        measured=parts[0],
        reference=0.0,
        tolerance=1e-3,
        kind="at_most",
        reason=(
            "for a step of T_c/50, the manual states a residual of at most 1e-3 of the energy lost"
        ),
    )
    c.check(
        f"ratio of the residuals at T_c/{REFINEMENTS[2]} and T_c/{REFINEMENTS[0]}",
        measured=residuals[2] / residuals[0],
        reference=(REFINEMENTS[0] / REFINEMENTS[2]),
        kind="at_most",
        reason=("the time step is halved twice; the residual must decrease at least in proportion"),
    )
    losses = frames[1][MECHANISMS]
    c.check(
        "smallest of the losses (dashpots, slip, rolling, twisting), fraction of the total",
        measured=losses.iloc[-1].min() / lost[1],
        reference=0.02,
        kind="at_least",
        reason="each mechanism must lose enough energy for a wrong entry to show in the balance",
    )
    numerical = [frame["numerical"].iloc[-1] for frame in frames]
    c.check(
        f"numerical loss at T_c/{REFINEMENTS[0]}, fraction of the energy lost",
        measured=abs(numerical[0]) / lost[0],
        reference=0.0,
        tolerance=1.0 / REFINEMENTS[0],
        kind="at_most",
        reason="the discretization of the slider causes a loss of first order in the time step",
    )
    c.note(
        "The residual is proportional to the power"
        f" {friction.convergence_order(1.0 / np.array(REFINEMENTS), residuals):.2f} of the step. At"
        f" T_c/50, T_c/100 and T_c/200, it is {', '.join(f'{part:.1e}' for part in parts)} of the"
        " energy lost."
    )
    figure_balance(c, frames[-1])


def created(c: Context) -> None:
    rows = []
    for normal, tangential, slider in (
        (HOOKE, LINEAR, c["slider"]),
        (HOOKE, LINEAR, "dsds"),
        (HERTZ, FORCE, c["slider"]),
        (HERTZ, FORCE, "dsds"),
        (HERTZ, DISPLACEMENT, c["slider"]),
    ):
        frame = ledger(c, slider, REFINEMENTS[0], normal, tangential)
        end = frame.iloc[-1]
        rows.append(
            {
                "normal": normal.split()[0],
                "tangential": tangential.split()[0],
                "slider": slider,
                "created": end["created"],
                "lost": end[LOSSES].sum(),
                "part": end["created"] / end[LOSSES].sum(),
                "residual": frame["residual"].abs().max() / turned_over(frame).iloc[-1],
            }
        )
    c.table("created", pd.DataFrame(rows), "Energy created by friction, and total losses.")
    c.check(
        f"other laws and sliders, {len(rows)} runs: largest residual, fraction of the energy lost",
        measured=max(row["residual"] for row in rows),
        reference=0.0,
        tolerance=1e-3,
        kind="at_most",
        reason=(
            "the manual states this bound for a step of T_c/50; the ledger includes the energy that"
            " is created by sliders and by dashpots pulling at the end of a contact"
        ),
    )
    constant, constant_dsds, force, force_dsds, displacement = rows
    c.check(
        "C-SDS, constant stiffness: energy created",
        measured=constant["created"],
        reference=0.0,
        kind="absolute",
        reason="the discrete law is passive, so the value is exactly zero",
    )
    c.check(
        "C-SDS, mindlin_rescale/force: energy created",
        measured=force["created"],
        reference=0.0,
        kind="absolute",
        reason="a law that stores a force and reduces it with the contact radius is passive, too",
    )
    for name, row in (
        ("D-SDS, constant stiffness", constant_dsds),
        ("D-SDS, mindlin_rescale/force", force_dsds),
        ("C-SDS, mindlin, whose stiffness grows under a loaded spring", displacement),
    ):
        c.check(
            f"{name}: energy created, fraction of all energy lost",
            measured=row["part"],
            reference=0.02,
            kind="at_least",
            reason=(
                "this energy is much larger than the residual, so round-off and time step cannot be"
                " its cause"
            ),
        )
    c.note(
        f"The model mindlin creates {100 * displacement['part']:.0f} % of the total energy lost,"
        " even with C-SDS, because it stiffens loaded springs while contacts close. The ledger"
        " reports this energy and is balanced. D-SDS creates"
        f" {100 * constant_dsds['part']:.0f} % with constant stiffness and"
        f" {100 * force_dsds['part']:.0f} % with mindlin_rescale/force."
    )


def wet(c: Context) -> None:
    rows = []
    for bridge in (WET, VISCOUS):
        frame = ledger(c, c["slider"], REFINEMENTS[0], HERTZ, FORCE, bridge)
        lost = turned_over(frame).iloc[-1]
        rows.append(
            {
                "bridge": bridge.split()[1],
                "bridges": frame["bridges"].iloc[-1],
                "residual": frame["residual"].abs().max() / lost,
                **(frame[["rupture", "viscous"]].iloc[-1] / lost),
            }
        )
    table = pd.DataFrame(rows)
    c.table(
        "wet",
        table,
        "Final number of bridges. Residual and losses are fractions of the total energy lost.",
    )
    c.check(
        "runs with liquid bridges (fixed volume; viscous, from films): largest residual,"
        " fraction of the energy lost",
        measured=table["residual"].max(),
        reference=0.0,
        tolerance=1e-3,
        kind="at_most",
        reason="the bound is the same as for the dry packing",
    )
    c.check(
        "smaller of the losses by rupture (fixed volume) and viscosity (films), fraction of the"
        " total",
        measured=min(table["rupture"].iloc[0], table["viscous"].iloc[1]),
        reference=0.02,
        kind="at_least",
        reason="each loss must be large enough for a wrong entry to show in the balance",
    )


class End(NamedTuple):
    """Ledger and positions at the end of a run."""

    ledger: pd.Series
    places: np.ndarray


def in_parallel(c: Context) -> list[End]:
    step = collision_time(HERTZ) / REFINEMENTS[1]
    common = {
        "law": f"{HERTZ} tangential {FORCE} {RESISTANCES} slider {c['slider']}",
        "step": f"{step:.17g}",
    }
    settled = c.lammps(
        PACKING + MOVE + "write_data packing.data nocoeff\n",
        variables={**start(c), **common, "every": 1000, "steps": round(1.2 / step)},
    )
    variables = {
        "packing": settled.folder / "packing.data",
        **common,
        "every": PARALLEL_STEPS,
        "steps": PARALLEL_STEPS,
    }
    ends = []
    for ranks, newton in ((1, "on"), (1, "off"), (2, "on"), (2, "off")):
        run = c.lammps(CONTINUE + MOVE + POSITIONS, variables=variables, ranks=ranks, newton=newton)
        places = run.dump("end")[["xu", "yu", "zu"]].to_numpy()
        ends.append(End(run.ledger.iloc[-1], places))
    return ends


def judge_parallel(c: Context, first: End, *others: End) -> None:
    lost = first.ledger[LOSSES].sum()
    totals = [*STORED, *LOSSES, "created", "residual"]
    counts = ["contacts", "sliding_contacts"]
    c.check_close(
        f"{PARALLEL_STEPS} steps on 1 and 2 ranks, newton on and off: trajectories, largest"
        " distance",
        [other.places for other in others],
        first.places,
        tolerance=1e-10,
        reason=(
            "forces are summed in different orders; after few steps, the difference is still"
            " round-off, so the totals of the runs can be compared"
        ),
    )
    c.check_close(
        "1 and 2 ranks, newton on and off: entries of the ledger, largest difference, fraction of"
        " the energy lost",
        [other.ledger[totals] for other in others],
        first.ledger[totals],
        scale=lost,
        tolerance=1e-9,
        reason="every pair is counted once, so only round-off differs",
    )
    c.check_close(
        f"1 and 2 ranks, newton on and off: numbers of contacts ({first.ledger['contacts']:.0f})"
        " and of sliding contacts, largest difference",
        [other.ledger[counts] for other in others],
        first.ledger[counts],
        tolerance=0.0,
        reason="counts are exact; with newton off, each side of a border counts half of a pair",
    )
    c.check(
        "1 and 2 ranks, newton on and off: energy lost, fraction of the kinetic energy",
        measured=lost / first.ledger["kinetic_translation"],
        reference=0.01,
        kind="at_least",
        reason="the comparison needs totals well above zero",
    )


def figure_balance(c: Context, frame: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8.0, 5.0))
    potential = frame["potential"] - frame["potential"].min()
    elastic = frame[STORED[2:]].sum(axis=1)
    parts = {
        "potential": potential,
        "kinetic, translation": frame["kinetic_translation"],
        "kinetic, rotation": frame["kinetic_rotation"],
        "elastic": elastic,
        **{
            f"lost: {name.replace('_', ' ')}": frame[name]
            for name in [*MECHANISMS, "numerical", "lever"]
        },
    }
    colours = plt.get_cmap("tab20").colors
    axis.stackplot(frame["time"], *parts.values(), labels=parts, colors=colours)
    total = sum(parts.values()).iloc[0] + frame["created"]
    axis.plot(frame["time"], total, "k--", linewidth=0.8, label="initial plus created energy")
    axis.set(xlabel="time", ylabel="energy", xlim=(0.0, frame["time"].iloc[-1]))
    axis.grid(visible=False)
    handles, labels = axis.get_legend_handles_labels()
    axis.legend(handles[::-1], labels[::-1], fontsize=8, bbox_to_anchor=(1.0, 1.0))
    c.figure("energies", figure, "Stored and dissipated energies, stacked.")


CASE = Case(
    name="ledger-balance",
    title="The energy balance of a settling and shearing packing closes to a thousandth",
    source="conservation of energy",
    tier="smoke",
    parameters={"slider": "csds"},
    spoil={"slider": "dsds"},
    run=run,
)
