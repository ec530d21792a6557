"""Cost of the complete law M4 relative to M1, for contacts alone and for faceted bodies.

According to Li et al. 2022, M4 is more expensive by 0.3 to 3 % for the impact of a faceted sphere,
and by 38 % for 151 ellipsoids. The ratio depends on CPU and program and is not judged. No other
program may run on the machine. One process alternates between both models. The time step is almost
zero, so both models have equal contacts.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from pysuite import engine, laws, shapes, statistics
from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.references import alumina
from pysuite.validation.seeds import seed
from pysuite.validation.setups import impacts

MODELS = {"M1": "mindlin NULL", "M4": "mindlin_deresiewicz"}
PRINTED = 73.0 / 53.0  # hours with M4 / hours with M1 in the paper
AXES, MASS, WIDTH, DEPTH = (6e-3, 5e-3, 5e-3), 1.9e-3, 0.055, 0.040
PEANUTS, SETTLING, STEPS, STEPS_OF_IMPACT = 40, 12_000, 40, 400
HEAPS, IMPACTS = 24, 12
HARD = "hertz/material 59e9 0.98 0.25 damping tsuji tangential {model} 1 0.092"
LAW = "hertz/material 5e6 0.5 0.2 damping tsuji tangential {model} 1 0.8"
CONTACTS = 5_000
# blocks of contacts alone, blocks of each impact or heap, consecutive runs in a block
BLOCKS, BLOCKS_OF_ONE, TURNS = 160, 5, 12
IMPACT = """
units si
atom_style bpm/sphere
boundary f f f
newton off
comm_modify vel yes
region all block -0.02 0.08 -0.02 0.06 -0.02 0.32
create_box 1 all
create_atoms 1 single 0.02 0.02 {height:.17g}
set type 1 diameter {diameter:.17g}
velocity all set {vx:.17g} 0 {vz:.17g}
fix move all shape/granular/plus file {mesh} density {density} orient random {seed}
pair_style granular/plus
"""

SCRIPT = """
units si
atom_style bpm/sphere
boundary f f f
newton off
comm_modify vel yes
region all block -0.02 0.08 -0.02 0.06 -0.02 0.32
create_box 1 all
region peanuts block 0.0065 0.0485 0.0065 0.0335 0.0065 0.31
lattice sc 0.0122 origin 0.54 0.54 0.6
create_atoms 1 region peanuts subset {peanuts} {seed}
set type 1 diameter {diameter}
displace_atoms all random 2e-4 2e-4 2e-4 {seed}
fix move all shape/granular/plus file {mesh} density {density:.17g} orient random {seed}
neighbor 1e-3 bin
fix weight all gravity 9.81 vector 0 0 -1
fix calm all viscous 0.05
thermo 100000
pair_style granular/plus
"""
MODEL = """
pair_coeff * * {law}
fix sides all wall/granular/plus {law} xplane 0 {width}
fix front all wall/granular/plus {law} yplane 0 {depth}
fix floor all wall/granular/plus {law} zplane 0 NULL
"""


def take(session: engine.Session, model: str, law: str) -> None:
    """Switch the session to this model. All contacts then start with an empty history."""
    law = law.format(model=MODELS[model])
    session.commands(MODEL.format(law=law, width=WIDTH, depth=DEPTH))


def heap(c: Context, number: int) -> engine.Session:
    session = engine.Session()
    session.commands(
        SCRIPT.format(
            peanuts=PEANUTS,
            seed=seed(5 + number),
            diameter=2 * AXES[0],
            mesh=shapes.ellipsoid(*AXES, level=3).write(c.folder / "peanut.obj"),
            density=MASS / (4 / 3 * np.pi * np.prod(AXES)),
        )
    )
    take(session, list(MODELS)[number % 2], LAW)
    session.commands(f"timestep 4e-5\nrun {SETTLING}")
    session.commands(f"timestep {c['held']}")
    return session


def impact(c: Context, number: int) -> engine.Session:
    """Return a LAMMPS session with the paper's faceted sphere, halfway through its impact."""
    session = engine.Session()
    vx, _, vz = impacts.oblique(4.0, np.radians(20.0))
    session.commands(
        IMPACT.format(
            height=alumina.RADIUS,
            diameter=2.0 * alumina.RADIUS,
            vx=vx,
            vz=vz,
            mesh=shapes.ellipsoid(*3 * [alumina.RADIUS], level=4).write(c.folder / "sphere.obj"),
            density=alumina.DENSITY,
            seed=seed(5 + number),
        )
    )
    take(session, list(MODELS)[number % 2], HARD)
    session.commands(f"timestep 1e-8\nrun 500\ntimestep {c['held']}")
    return session


class Contacts:
    """Many contacts of spheres under oscillating shear."""

    def __init__(self, model: str):
        rng = np.random.default_rng(seed(2))
        self.model = laws.ContactModel(LAW.format(model=MODELS[model]))
        self.separation, self.velocity = np.zeros((2, CONTACTS, 3))
        self.separation[:, 0] = 1.0 - 10.0 ** rng.uniform(-4.0, -2.0, CONTACTS)
        self.velocity[:] = rng.normal(scale=0.01, size=(CONTACTS, 3))
        self.history: np.ndarray | None = None
        for _ in range(20):
            self.step()
            self.velocity[:, 1] = np.where(
                rng.random(CONTACTS) < 0.1, -self.velocity[:, 1], self.velocity[:, 1]
            )

    def step(self) -> None:
        """Advance all contacts by one step."""
        found = self.model.evaluate(
            self.separation, self.velocity, timestep=1e-3, history=self.history
        )
        self.history = found.history


def least(task: Callable[[], None]) -> float:
    """Return the smallest CPU time of several consecutive runs of a task, in seconds."""
    times = []
    for _ in range(TURNS):
        start = time.process_time_ns()
        task()
        times.append(time.process_time_ns() - start)
    return 1e-9 * min(times)


def by_itself() -> pd.DataFrame:
    contacts = {name: Contacts(name) for name in MODELS}
    return pd.DataFrame(
        [{name: least(each.step) for name, each in contacts.items()} for _ in range(BLOCKS)]
    )


def held(session: engine.Session, law: str, count: int) -> dict[str, float]:
    rows = []
    with session:
        before = session.atoms("x")
        for _ in range(BLOCKS_OF_ONE):
            row = {}
            for name in MODELS:
                session.commands("unfix sides\nunfix front\nunfix floor")
                take(session, name, law)
                session.command("run 1 post no")
                row[name] = least(lambda: session.command(f"run {count} pre no post no"))
            rows.append(row)
        moved = (session.atoms("x") - before).abs().to_numpy().max()
    return pd.DataFrame(rows).median().to_dict() | {"moved": moved}


def judge(c: Context, found: dict[str, pd.DataFrame]) -> None:
    for name, diameter in (("impact", 2.0 * alumina.RADIUS), ("heap", 2.0 * AXES[0])):
        c.check(
            f"{name}: largest displacement of a grain during the timing, in diameters",
            measured=found[name]["moved"].max() / diameter,
            reference=1e-4,
            kind="at_most",
            reason=(
                "both models must have the same contacts, so no grain may move by as much as an"
                " overlap"
            ),
        )
    ratios = {
        name: statistics.ratio(table["M4"], table["M1"], c.level) for name, table in found.items()
    }
    reason = "run time depends on the CPU and on the other parts of a step"
    c.undecidable(
        "L10",
        "impact of the sphere of 5120 facets: time of M4 / time of M1",
        ratios["impact"],
        reason=reason,
    )
    c.undecidable(
        "L20",
        f"heaps of {PEANUTS} ellipsoids of 1280 facets: time of M4 / time of M1",
        ratios["heap"],
        reason=reason,
    )
    c.note(
        f"M4 takes {ratios['contacts'].value:.2f} times as long as M1 for contacts of spheres,"
        f" {ratios['impact'].value:.2f} times as long for the impact of a faceted sphere, and"
        f" {ratios['heap'].value:.2f} times as long in a heap of ellipsoids. In the heap, it takes"
        " longer to find the contacts than to compute their forces."
    )


def run(c: Context) -> None:
    found = {
        "contacts": by_itself(),
        "impact": pd.DataFrame(
            [held(impact(c, number), HARD, STEPS_OF_IMPACT) for number in range(IMPACTS)]
        ),
        "heap": pd.DataFrame([held(heap(c, number), LAW, STEPS) for number in range(HEAPS)]),
    }
    c.table("contacts", found["contacts"], "Smallest time of a step in each block, in seconds.")
    words = (
        "Time of the steps with each model in seconds, and largest displacement of a grain in"
        " metres"
    )
    c.table("impact", found["impact"], f"{words}. Each row is an impact.")
    c.table("heap", found["heap"], f"{words}. Each row is a heap.")
    judge(c, found)
    figure, axes = panels(3)
    for axis, (name, table) in zip(axes, found.items(), strict=True):
        axis.plot(table["M4"].to_numpy() / table["M1"].to_numpy(), "o")
        axis.axhline(PRINTED, color="0.5", linewidth=0.8)
        axis.set(ylabel="time of M4 / M1", title=name, ylim=(0.0, None))
    axes[0].set_xlabel("block")
    axes[1].set_xlabel("impact")
    axes[2].set_xlabel("heap")
    c.figure("ratios", figure, "Times of M4 / times of M1. The line is 73 h / 53 h.")


CASE = Case(
    name="li-cost",
    title="Cost of the complete tangential law: large for contacts alone, small for faceted bodies",
    source="[li2022] fig. 7, section 3.2",
    tier="full",
    parameters={"held": 1e-12},  # time step so short that nothing moves
    spoil={"held": 1e-8},
    run=run,
    timeout=7200.0,
)
