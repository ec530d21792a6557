"""Waves in a face-centred cubic crystal of spheres: frequencies, pressure and its exponent.

With linear springs and almost no pressure, the frequencies of all six modes of a wave are known
exactly. With Hertz contacts, the frequencies are proportional to the pressure to the power 1/6.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite import statistics
from pysuite.figures import panels
from pysuite.statistics import Interval, numerical
from pysuite.validation import Case, Context
from pysuite.validation.references import crystals
from pysuite.validation.setups import modes as setup
from pysuite.validation.setups import packings

CELLS = 4
WAVES = {"100": (1, 0, 0), "110": (1, 1, 0), "111": (1, 1, 1)}
TANGENTIAL = 2.0 / 3.0  # k_t/k_n
OVERLAP = 1e-8  # overlap / diameter; small, because contact forces resist rotation
SPEED = 2e-10  # all modes together stretch contacts by less than the overlap
DURATION, STEPS, SAMPLES = 40.0, (0.02, 0.01, 0.005), 400
# overlaps; time steps in units of (m/k_n)^(1/2)
HERTZ, HERTZ_STEPS = (1e-7, 1e-6), (0.08, 0.04, 0.02)
WEAK = 1e-2  # strain of the wave / overlap
STIFFNESS = 1.0

SCRIPT = """
units lj
atom_style sphere
boundary p p p
comm_modify vel yes
newton off
read_data crystal.data
neighbor 0.2 bin
neigh_modify every 100000 delay 0 check no
pair_style granular/plus
pair_coeff * * {law}
fix move all nve/sphere
compute stress all pressure NULL virial
thermo_style custom step c_stress
thermo_modify norm no format float %.17g
timestep {step:.17g}
dump motion all custom {every} motion id vx vy vz omegax omegay omegaz
dump_modify motion sort id format float %.17g
thermo 1000000
run {steps}
"""


def wave_vector(waves: tuple[int, int, int]) -> np.ndarray:
    """Return the wave vector for the given numbers of wavelengths along the edges of the box."""
    return 2.0 * np.pi / (CELLS * crystals.CELL) * np.array(waves)


def shapes_of(waves: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the frequencies and shapes of the six modes of a wave.

    Returns:
        The frequencies are an array of shape (6,). The velocities and spins are an array of shape
        (6, spheres, 6).
    """
    q = wave_vector(waves)
    squares, vectors = crystals.waves(q, TANGENTIAL)
    phase = np.exp(1j * crystals.places(CELLS) @ q)
    shapes = np.real(phase[None, :, None] * vectors.T[:, None, :])
    return np.sqrt(squares), SPEED * shapes / np.abs(shapes).max(axis=(1, 2), keepdims=True)


def simulate(
    c: Context, law: str, overlap: float, motion: np.ndarray, step: float, duration: float
) -> tuple[pd.DataFrame, float]:
    folder = c.folder / f"{law.split()[0]}-{overlap:g}-{step:g}"
    folder.mkdir()
    scale = 1.0 - overlap
    edge = CELLS * crystals.CELL * scale
    packings.write_spheres(
        folder / "crystal.data",
        [(-0.25, edge - 0.25)] * 3,
        scale * crystals.places(CELLS),
        diameter=1.0,
        density=6.0 / np.pi,
        velocity=motion[:, :3],
        spin=motion[:, 3:],
    )
    steps = round(duration / step)
    every = max(1, steps // SAMPLES)
    text = SCRIPT.format(law=law, step=step, steps=steps, every=every)
    run = c.lammps(text, folder=folder)
    return run.dump("motion"), float(run.thermo["c_stress"].iloc[0])


def linear(c: Context) -> pd.DataFrame:
    found = {name: shapes_of(waves) for name, waves in WAVES.items()}
    frequencies = np.concatenate([of for of, _ in found.values()])
    shapes = np.concatenate([of for _, of in found.values()])
    law = f"hooke 1 0 tangential linear_history {TANGENTIAL * c['k_t']:.17g} 0 1e6"
    values = []
    for step in STEPS:
        motion, _ = simulate(c, law, OVERLAP, shapes.sum(axis=0), step, DURATION)
        times = step * motion["step"].unique()
        values.append(
            [
                setup.frequency(times, left, guess)
                for left, guess in zip(setup.left(motion, shapes), frequencies, strict=True)
            ]
        )
    rows = [setup.to_no_step(list(of)) for of in zip(*values, strict=True)]
    table = pd.DataFrame(rows, columns=["value", "coarser"])
    table.insert(0, "theory", frequencies)
    table.insert(0, "mode", [n for _ in WAVES for n in range(1, 7)])
    table.insert(0, "wave", [name for name in WAVES for _ in range(6)])
    return table


def hertz(c: Context) -> pd.DataFrame:
    frequencies, shapes = shapes_of(WAVES["100"])
    rows = []
    for overlap in HERTZ:
        # F = k sqrt(R) overlap^(3/2) with R = 1/4; k_t = kt sqrt(R overlap)
        normal = 1.5 * STIFFNESS * np.sqrt(0.25 * overlap)
        tangential = TANGENTIAL * 1.5 * STIFFNESS
        law = f"hertz {STIFFNESS} 0 tangential mindlin {tangential:.17g} 0 1e6"
        unit = normal**-0.5
        motion = WEAK * overlap / SPEED / unit * shapes[2]
        values = []
        for step in HERTZ_STEPS:
            dump, pressure = simulate(c, law, overlap, motion, step * unit, DURATION * unit)
            times = step * dump["step"].unique()
            left = setup.left(dump, motion[None])[0]
            values.append(setup.frequency(times, left, frequencies[2]) / unit)
        value, coarser = setup.to_no_step(values)
        force = STIFFNESS * np.sqrt(0.25) * overlap**1.5
        rows.append(
            {"overlap": overlap, "pressure": pressure, "force": force, "frequency": value}
            | {"coarser": coarser}
        )
    return pd.DataFrame(rows)


def run(c: Context) -> None:
    table, pressed = linear(c), hertz(c)
    c.table(
        "modes",
        table,
        "value: frequencies with linear springs, in units of (k_n/m)^(1/2), extrapolated to zero"
        " time step; coarser: the same frequencies, extrapolated from the two coarser steps.",
    )
    c.table(
        "hertz",
        pressed,
        "Hertz contacts: pressure, contact force, and frequency of the longitudinal wave [100].",
    )
    for row in table.itertuples():
        interval = numerical(row.value, row.value - row.coarser, "change with twice the time step")
        c.benchmark(f"[{row.wave}], mode {row.mode} of 6", interval)
    ratio = pressed["pressure"] / pressed["force"]
    c.benchmark("pressure, Hertz", between(ratio, "overlaps a decade apart"))
    logarithms = np.log(pressed[["pressure", "frequency", "coarser"]].to_numpy())
    rise = np.diff(logarithms, axis=0)
    exponents = np.concatenate([rise[:, 1] / rise[:, 0], rise[:, 2] / rise[:, 0]])
    c.benchmark(
        "exponent of the frequency over the pressure, Hertz",
        between(
            exponents,
            "range over overlaps a decade apart and over two time steps",
        ),
    )
    draw(c, table)


def between(values: pd.Series | np.ndarray, how: str) -> Interval:
    some = np.asarray(values)
    return statistics.Interval(some.mean(), some.min(), some.max(), how)


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, axes = panels(len(WAVES))
    for axis, (name, waves) in zip(axes, WAVES.items(), strict=True):
        ways = np.linspace(1e-3, CELLS, 200)
        squares = [crystals.waves(w * wave_vector(waves), TANGENTIAL)[0] for w in ways]
        axis.plot(ways, np.sqrt(np.abs(squares)), "0.6", linewidth=0.8)
        here = table[table["wave"] == name]
        axis.plot(np.ones(6), here["value"], "C0o", mfc="none")
        axis.set(xlabel=f"wavelengths along an edge, [{name}]", ylabel="frequency")
    c.figure(
        "waves",
        figure,
        "Frequency against wave number. Lines show the theory, circles the measured values.",
    )


CASE = Case(
    name="fcc-sound",
    title="Waves in a face-centred cubic crystal of spheres",
    source="lattice dynamics; eigenvalues of the energy of all springs",
    tier="quick",
    parameters={"k_t": 1.0},
    spoil={"k_t": 1.0005},
    run=run,
)
