"""Modes of a periodic chain of touching spheres with normal and tangential springs.

One box contains a chain for each mode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.statistics import Interval, numerical
from pysuite.validation import Case, Context
from pysuite.validation.references import chains
from pysuite.validation.setups import modes as setup
from pysuite.validation.setups import packings

COUNT = 32
WAVES = (0, 1, 2, 4, 8, 16)  # numbers of wavelengths in the chain
# overlap / diameter; small, because a normal force acts like an additional transverse spring
OVERLAP = 1e-8
SPEED = 1e-9  # springs stretch by less than the overlap
DURATION = 40.0  # 20 periods of the fastest mode, 1.25 of the slowest
STEPS = (0.032, 0.016, 0.008)  # the fastest mode has a period of 2
SAMPLES = 250
SPACING = 3.0
STRETCHED, ROLLING, LONGITUDINAL = "shear and rotation", "rolling", "longitudinal"

SCRIPT = """
units lj
atom_style sphere
boundary p f f
comm_modify vel yes
newton off
read_data chains.data
neighbor 0.3 bin
neigh_modify every 100000 delay 0 check no
pair_style granular/plus
pair_coeff * * hooke 1 0 tangential linear_history {stiffness:.17g} 0 1e6
fix move all nve/sphere
timestep {step:.17g}
dump motion all custom {every} motion id vx vy vz omegax omegay omegaz
dump_modify motion sort id format float %.17g
thermo 1000000
run {steps}
"""


class Mode(NamedTuple):
    """A chain in one mode; the initial velocities and spins are arrays of shape (COUNT, 3)."""

    name: str
    waves: int
    velocity: np.ndarray
    spin: np.ndarray

    @property
    def wave_number(self) -> float:
        """Wave number times the diameter."""
        return 2.0 * np.pi * self.waves / COUNT

    @property
    def quantity(self) -> str:
        """Name of the quantity that is judged."""
        return f"{self.name}, {self.waves} of {COUNT}"


def transverse(name: str, waves: int, across: np.ndarray) -> Mode:
    """Return a transverse mode of a chain along x.

    For wave number q, sphere n is displaced by y cos(qn) and rotated by s sin(qn). The spring
    between spheres n and n + 1 stretches by -(2 y sin(q/2) + s cos(q/2)) sin(q(n + 1/2)). In the
    rolling mode, the springs do not stretch.
    """
    half = np.pi * waves / COUNT
    phase = 2.0 * half * np.arange(COUNT)
    moved, turned = np.cos(half), -2.0 * np.sin(half)
    if name == STRETCHED:
        moved, turned = 2.0 * np.sin(half), np.cos(half) * 4.0 / chains.INERTIA
    # With 0 or COUNT/2 waves the sine is zero at all spheres; the spins then follow a cosine.
    shape = np.sin(phase) if waves not in (0, COUNT // 2) else np.cos(phase)
    largest = max(abs(moved), abs(turned))
    velocity = SPEED * moved / largest * np.outer(np.cos(phase), across)
    spin = SPEED * turned / largest * np.outer(shape, np.cross([1.0, 0.0, 0.0], across))
    return Mode(name, waves, velocity, spin)


def modes() -> list[Mode]:
    found = []
    for waves in WAVES:
        phase = 2.0 * np.pi * waves / COUNT * np.arange(COUNT)
        if waves:
            along = SPEED * np.outer(np.cos(phase), [1.0, 0.0, 0.0])
            found.append(Mode(LONGITUDINAL, waves, along, np.zeros((COUNT, 3))))
        for across in ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]):
            found.append(transverse(STRETCHED, waves, np.array(across)))
            if waves:
                found.append(transverse(ROLLING, waves, np.array(across)))
    return found


def simulate(c: Context, chosen: list[Mode], step: float) -> tuple[np.ndarray, np.ndarray]:
    folder = c.folder / f"step-{step:g}"
    folder.mkdir()
    x = np.arange(COUNT) * (1.0 - OVERLAP)
    rows = int(np.ceil(np.sqrt(len(chosen))))
    places = [
        np.column_stack(
            [x, np.full(COUNT, SPACING * (k // rows)), np.full(COUNT, SPACING * (k % rows))]
        )
        for k in range(len(chosen))
    ]
    wide = SPACING * rows
    packings.write_spheres(
        folder / "chains.data",
        [(-0.5, COUNT * (1.0 - OVERLAP) - 0.5), (-SPACING, wide), (-SPACING, wide)],
        np.concatenate(places),
        diameter=1.0,
        density=6.0 / np.pi,
        velocity=np.concatenate([mode.velocity for mode in chosen]),
        spin=np.concatenate([mode.spin for mode in chosen]),
    )
    steps = round(DURATION / step)
    every = max(1, steps // SAMPLES)
    script = SCRIPT.format(step=step, steps=steps, every=every, stiffness=c["k_t"])
    run = c.lammps(script, folder=folder)
    motion = run.dump("motion")
    times = step * motion["step"].unique()
    shapes = np.zeros((len(chosen), len(chosen), COUNT, 6))
    for k, mode in enumerate(chosen):
        shapes[k, k] = np.hstack([mode.velocity, mode.spin])
    return times, setup.left(motion, shapes.reshape(len(chosen), -1, 6))


def softness(times: np.ndarray, left: np.ndarray) -> float:
    return float(-2.0 * np.polyfit(times**2, left, 1)[0])


def run(c: Context) -> None:
    chosen = modes()
    runs = [simulate(c, chosen, step) for step in STEPS]
    rows = []
    for k, mode in enumerate(chosen):
        if mode.name == ROLLING:
            values = [softness(times, left[k]) for times, left in runs]
        else:
            along = mode.name == LONGITUDINAL
            law = chains.longitudinal_frequency if along else chains.shear_frequency
            values = [
                setup.frequency(times, left[k], law(mode.wave_number)) for times, left in runs
            ]
        value, coarser = setup.to_no_step(values)
        rows.append({"quantity": mode.quantity, "value": value, "coarser": coarser})
    table = pd.DataFrame(rows)
    c.table(
        "modes",
        table,
        "value: frequency of each chain, or its square for rolling modes, extrapolated to zero time"
        " step; coarser: the same quantity, extrapolated from the two coarser steps.",
    )
    for quantity, of in table.groupby("quantity", sort=False):
        c.benchmark(str(quantity), interval(of))
    draw(c, chosen, table)


def interval(of: pd.DataFrame) -> Interval:
    value = float(of["value"].mean())
    error = np.abs(of[["value", "coarser"]].to_numpy() - value).max()
    return numerical(value, float(error), "range of both polarizations and both extrapolations")


def draw(c: Context, chosen: list[Mode], table: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    q = np.linspace(0.0, np.pi, 200)
    for colour, name, law in (
        ("C0", LONGITUDINAL, chains.longitudinal_frequency),
        ("C1", STRETCHED, chains.shear_frequency),
        ("C2", ROLLING, lambda _: 0.0),
    ):
        axis.plot(q, [law(x) for x in q], colour, linewidth=0.8)
        here = [k for k, mode in enumerate(chosen) if mode.name == name]
        value = table["value"].to_numpy()[here]
        value = np.sqrt(np.abs(value)) if name == ROLLING else value
        axis.plot(
            [chosen[k].wave_number for k in here], value, colour + "o", mfc="none", label=name
        )
    axis.set(xlabel="wave number times diameter", ylabel="frequency")
    axis.legend()
    c.figure("modes", figure, "Frequency against wave number for k_n = k_t. Lines show the theory.")


CASE = Case(
    name="chain-modes",
    title="Modes of a chain of spheres with normal and tangential springs",
    source="lattice dynamics; eigenvalues of the energy of all springs",
    tier="smoke",
    parameters={"k_t": 1.0},
    spoil={"k_t": 1.0001},
    run=run,
)
