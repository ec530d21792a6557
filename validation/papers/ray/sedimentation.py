"""Settling of a hundred spheres on a hexagonal layer of 195 fixed spheres, for four restitutions.

Ray, Kempe & Fröhlich 2015 compare the energies with the direct formulas and with the iteration. To
simulate a scheme, the case chooses the restitution and collision time of the model actm such that
actm has the stiffness and damping of the scheme. The curves of the energies agree if their
distance, averaged over time and packings, is less than the width of a line.

As in the paper, the spheres start in the range from 0.1 to 1.4 in x and y (the periodic directions)
and from 0.3 to 1.2 in z. The size of the domain is missing in the available copy. Here, the domain
is as wide as the layer of 13 diameters, and this width is taken as 1.5 in the paper's unit of
length. The restitutions, the time step and the duration are missing, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import actm
from pysuite.validation.seeds import seed
from pysuite.validation.setups import packings

# TIME is the collision time; units are diameter, mass and gravity
STEPS, STEP, TIME = 5000, 2e-3, 0.04
METHODS = ("exact", "direct", "iterative")
HALVED = "iterative, half the step"
LINE = 0.01  # width of a line in the paper's figure / length of the axis
BETWEEN = (0.8, 0.5)
DIAMETERS = 13.0 / 1.5  # diameters per unit of length in the paper
SEEDS = tuple(range(3, 19))
FRAMES = {0: "at the start", STEPS: "at the end"}

SCRIPT = """
units lj
atom_style sphere
boundary p p f
newton off
comm_modify vel yes
read_data ${data}
group layer id <= 195
group grains subtract all layer
pair_style granular/plus ledger yes
pair_coeff * * actm ${time} ${e} NULL 0.3 tangential linear_nohistory 0 0
neighbor 0.2 bin
neigh_modify delay 0 every 1 exclude group layer layer
timestep ${step}
fix weight grains gravity 1 vector 0 0 -1
fix hold layer freeze
fix move grains nve/sphere
compute ledger all granular/ledger
variable speed atom sqrt(vx^2+vy^2+vz^2)
dump picture all image ${steps} frame.*.ppm v_speed diameter size 640 480 view 70 20 zoom 1.3 &
     box no 0
dump_modify picture backcolor white amap 0 2.5 ca 0 3 min blue 1.25 white max red
thermo_style custom step c_ledger[*]
thermo_modify norm no format float %.12g
thermo ${every}
run ${steps}
"""


def write_data(path: Path, number: int) -> Path:
    row = np.sqrt(3) / 2
    layer = [(x + 0.5 * (y % 2), row * y, 0.0) for y in range(15) for x in range(13)]
    rng = np.random.default_rng(seed(number))
    low, high = np.array([[0.1, 0.1, 0.3], [1.4, 1.4, 1.2]]) * DIAMETERS
    grains: list[tuple[float, ...]] = []
    while len(grains) < 100:
        place = rng.uniform(low, high) - [0.0, 0.0, 0.5]
        if all(np.linalg.norm(place - other) > 1.0 for other in grains):
            grains.append(tuple(place))
    # the period is longer than fifteen rows
    box = [(0.0, 13.0), (0.0, 14 * row + 1.0), (-1.0, 40.0)]
    return packings.write_spheres(path, box, layer + grains, diameter=1.0, density=6.0 / np.pi)


def asked_of_actm(method: str, e: float) -> tuple[float, float]:
    """Return the input for which actm has the stiffness and damping that a method gives for e.

    Returns:
        Restitution and collision time.
    """
    if method == "exact":
        return e, TIME
    if method == "direct":
        found = actm.direct_contact(e, TIME, 1.0, 1.0)
    else:
        found = actm.iterative_contact(e, TIME, 1.0, 1.0).contact
    return actm.resulting_collision(*found, 1.0, 1.0)[:2]


def settle(c: Context, method: str, e: float, seed: int) -> pd.DataFrame:
    parts = 2 if method == HALVED else 1
    asked, collision_time = asked_of_actm(method, e)
    run = c.lammps(
        SCRIPT,
        variables={
            "data": write_data(c.folder / f"grains-{seed}.data", seed),
            "e": asked,
            "time": collision_time,
            "step": STEP / parts,
            "steps": STEPS * parts,
            "every": 20 * parts,
        },
    )
    frame = pd.DataFrame(
        {
            "time": STEP / parts * run.thermo["Step"],
            "kinetic": run.ledger["kinetic_translation"],
            "elastic": run.ledger["elastic_normal"],
            "lost": run.ledger["normal_dashpot"],
            "potential": run.ledger["potential"],
            "residual": run.ledger["residual"],
        }
    )
    frame.attrs |= {"folder": run.folder, "seconds": run.timings["Loop"]}
    return frame


# potential energy of grains in the hollows of the layer
FLOOR = 100 * np.sqrt(2.0 / 3.0)
PARTS = ("potential", "kinetic", "elastic")


def to_lose(frames: dict[str, pd.DataFrame]) -> float:
    return float(frames["exact"]["potential"].iloc[0] - FLOOR)


def ends(e: float, frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    scale = to_lose(frames)
    return pd.DataFrame(
        {
            "method": method,
            "e": e,
            "kinetic at the end": frame["kinetic"].iloc[-1] / scale,
            "potential at the end": (frame["potential"].iloc[-1] - FLOOR) / scale,
            "elastic, largest": frame["elastic"].max() / scale,
            "residual": frame["residual"].abs().max() / scale,
            "seconds": frame.attrs["seconds"],
        }
        for method, frame in frames.items()
    )


def apart(runs: list[dict[str, pd.DataFrame]], method: str, other: str) -> np.ndarray:
    return np.array(
        [
            (frames[method] - frames[other])[[*PARTS, "lost"]].abs().mean().max() / to_lose(frames)
            for frames in runs
        ]
    )


def judge_methods(c: Context, settled: Mapping[float, list[dict[str, pd.DataFrame]]]) -> None:
    ratios = {}
    for e, runs in settled.items():
        between = c["difference"] * apart(runs, "direct", "iterative")
        ratios[e] = statistics.ratio(between, apart(runs, "iterative", HALVED))
        c.claim(
            "R9",
            f"e = {e}: energy fractions, direct against iterative, mean difference over time",
            statistics.mean(between, of="packings"),
            at_most=LINE,
            reason="the paper compares curves in a figure; the width of a line is a hundredth of"
            " the axis",
        )
        for method in ("direct", "iterative"):
            c.check(
                f"e = {e}: energy fractions, {method} against exact, mean difference over time",
                measured=statistics.mean(apart(runs, method, "exact"), of="packings"),
                reference=LINE,
                kind="at_most",
                reason=(
                    "all schemes prescribe the same collisions; the width of a line is a hundredth"
                    " of the axis"
                ),
            )
    c.note(
        "Difference between direct and iterative scheme, divided by the change of the iterative"
        " scheme with half the time step: "
        + ", ".join(
            f"{ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}] at e = {e}"
            for e, ratio in ratios.items()
        )
        + "."
    )


def judge_ends(c: Context, table: pd.DataFrame) -> None:
    exact = table[table["method"] == "exact"]
    settling = exact[exact["e"] == c["settling"]]
    what = "final kinetic energy / potential energy released by settling"
    for e, of_e in exact.groupby("e"):
        left = statistics.mean(of_e["kinetic at the end"], of="packings")
        missing = "the paper's restitution, time step and duration are not available"
        c.undecidable("R8", f"e = {e}: {what}", left, reason=missing)
        c.undecidable("R12", f"e = {e}: {what}", left, reason=missing)
    c.check(
        "settling: final height above the layer's hollows, fraction of the initial height",
        measured=statistics.mean(settling["potential at the end"], of="packings"),
        reference=0.1,
        kind="at_most",
        reason="grains must lie on the layer; a few grains lie half a diameter higher on others",
    )
    c.check(
        "largest residual of the energy balance / potential energy released by settling",
        measured=statistics.mean(exact["residual"], of="packings"),
        reference=0.0,
        tolerance=1e-3 * 50 * STEP / TIME,
        kind="at_most",
        reason=(
            "with 50 steps per collision, the residual is at most 1e-3 of the energy lost; the"
            " bound is larger in proportion to the time step, because collisions have 20 steps here"
        ),
    )


def draw(c: Context, settled: dict[str, dict[str, pd.DataFrame]]) -> None:
    figure, axes = panels(2, sharey=True)
    for axis, (name, frames) in zip(axes, settled.items(), strict=True):
        scale = to_lose(frames)
        for method, style in zip(METHODS, ("-", "--", ":"), strict=True):
            frame = frames[method]
            for colour, part in enumerate(PARTS):
                share = (frame[part] - (FLOOR if part == "potential" else 0.0)) / scale
                label = part if method == "exact" else None
                axis.plot(frame["time"], share, style, color=f"C{colour}", label=label)
        axis.set(xlabel="time", title=f"e = {c[name]}")
    axes[0].set(ylabel="energy / energy released by settling")
    axes[0].legend()
    c.figure(
        "energies",
        figure,
        "Energies with the exact (solid), direct (dashed) and iterative (dotted) scheme.",
    )


def run(c: Context) -> None:
    cases = {"bouncing": c["bouncing"], "settling": c["settling"]}
    settled = {
        e: [{method: settle(c, method, e, seed) for method in (*METHODS, HALVED)} for seed in SEEDS]
        for e in sorted({*cases.values(), *BETWEEN}, reverse=True)
    }
    for name, e in cases.items():
        for method, frame in settled[e][0].items():
            c.table(f"{name}-{method}".replace(", ", "-").replace(" ", "-"), frame)
        snapshots(c, name, settled[e][0]["exact"])
    draw(c, {name: settled[e][0] for name, e in cases.items()})
    table = pd.concat(ends(e, frames) for e, runs in settled.items() for frames in runs)
    c.table("ends", table)
    c.not_reproduced(
        "The paper's restitutions, time step and duration are not available. The comparison of"
        " direct formulas and iteration is repeated here for four restitutions."
    )
    judge_methods(c, settled)
    judge_ends(c, table)


def snapshots(c: Context, name: str, frame: pd.DataFrame) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(FRAMES), figsize=(9.0, 3.6))
    for axis, (step, text) in zip(axes, FRAMES.items(), strict=True):
        axis.imshow(plt.imread(frame.attrs["folder"] / f"frame.{step}.ppm"))
        axis.set(title=text)
        axis.set_axis_off()
    c.figure(
        f"snapshots-{name}",
        figure,
        f"Grains, {name}, drawn by LAMMPS. The colour shows the speed; red is 2.5.",
    )


CASE = Case(
    name="sedimentation",
    title="A hundred spheres settle on a hexagonal layer; exact, direct and iterative scheme agree",
    source="[ray2015] section 4",
    tier="quick",
    parameters={
        "bouncing": 0.97,
        "settling": 0.3,
        "difference": 1.0,  # factor on the difference between direct formulas and iteration
    },
    spoil={"settling": 0.95},
    run=run,
)
