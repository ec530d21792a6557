"""Energy conservation of shaped grains that collide without friction and damping."""

from __future__ import annotations

import pandas as pd

from pysuite import shapes, statistics
from pysuite.validation import Case, Context
from pysuite.validation.setups import collisions
from pysuite.validation.setups.collisions import Outcome

MESHES = {
    "ellipsoids 1.5 : 1 : 0.7": shapes.ellipsoid(1.5, 1.0, 0.7),
    "cubes": shapes.cube(1.6),
}
PAIRS = {"smoke": 24, "quick": 300, "full": 300}
LIMITS = {50: 3e-4, 200: 2e-5}  # bounds on the rms change of energy, by steps per contact


def simulate(c: Context, mesh: shapes.Mesh, steps: int) -> Outcome:
    folder = c.folder / f"{steps}-{len(mesh.triangles)}"
    folder.mkdir(parents=True, exist_ok=True)
    body, file = shapes.Shape(mesh), mesh.write(folder / "grain.obj")
    words = {"file": file, "restitution": c["restitution"]}
    script, momenta, *_ = collisions.prepare(body, steps, PAIRS[c.tier], collisions.OURS, **words)
    c.lammps(script, folder=folder, timeout=1500)
    return collisions.outcomes(body, folder, momenta)


def run(c: Context) -> None:
    rows = []
    for name, mesh in MESHES.items():
        for steps, limit in LIMITS.items():
            found = simulate(c, mesh, steps)
            energy = found.energy[found.met]
            rms = statistics.root_mean_square(energy, of="collisions")
            rows.append(
                {
                    "grains": name,
                    "steps": steps,
                    "collisions": int(found.met.sum()),
                    "rms": rms.value,
                    "largest gain": energy.max(),
                    "largest loss": -energy.min(),
                    "momentum": found.momentum.max(),
                }
            )
            judge(c, name, steps, limit, found, rms)
    c.table(
        "collisions",
        pd.DataFrame(rows),
        "Relative change of energy, and change of angular momentum / m v R.",
    )


def judge(
    c: Context, name: str, steps: int, limit: float, found: Outcome, rms: statistics.Interval
) -> None:
    c.check(
        f"{name}, {steps} steps per contact: change of energy, rms",
        measured=rms,
        reference=0.0,
        tolerance=limit,
        kind="at_most",
        reason=(
            "the integrator has an error of second order in the time step; in codes that choose a"
            " single contact point, the energy changes by 3e-3 to 8e-2 at any time step"
        ),
    )
    c.check(
        f"{name}, {steps} steps per contact: largest change of angular momentum / m v R",
        measured=float(found.momentum.max()),
        reference=0.0,
        tolerance=1e-12,
        kind="at_most",
        reason=(
            "forces and torques on a pair sum to zero, but positions are rounded in each of some"
            " ten thousand steps"
        ),
    )
    c.check(
        f"{name}, {steps} steps per contact: pairs that met and separated",
        measured=float(found.met.mean()),
        reference=0.9,
        kind="at_least",
        reason="pairs that miss each other test nothing",
    )


CASE = Case(
    name="shape-collisions",
    title="Elastic collisions of ellipsoids and cubes conserve energy and angular momentum",
    source="energy and angular momentum; mechanics",
    tier="smoke",
    parameters={"restitution": 1.0},
    spoil={"restitution": 0.998},
    run=run,
)
