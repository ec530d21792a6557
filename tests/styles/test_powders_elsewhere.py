"""Collisions of yielding grains, compared step by step with LIGGGHTS 3.8.

Some cases are not compared:

- Reloading from the adhesive branch: LIGGGHTS then reduces the largest overlap and the slope.
- The law `thornton_ning`: LIGGGHTS calculates its force as a sum of increments.
- `cohesion sjkr` of LIGGGHTS: granular/plus has no such law.
"""

from __future__ import annotations

import math
import shutil

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.lammps import processes

MODULUS, POISSON, SPEED = 1e5, 0.3, 0.5
EFFECTIVE_RADIUS, EFFECTIVE_MASS = 0.25, 1.0  # for two spheres with diameter 1 and mass 2
E_STAR = MODULUS / (2.0 * (1.0 - POISSON**2))
HERTZ = 4.0 / 3.0 * E_STAR * math.sqrt(EFFECTIVE_RADIUS)
# the stiffness that LIGGGHTS's hooke/hysteresis derives from a characteristic velocity of 2
_ROOT = 16.0 / 15.0 * math.sqrt(EFFECTIVE_RADIUS) * E_STAR
HOOKE = _ROOT * (EFFECTIVE_MASS * 4.0 / _ROOT) ** 0.2
PLASTIC = {"coefficientAdhesionStiffness": 1.5, "coefficientPlasticityDepth": 0.05}
EDINBURGH = {"UnloadingStiffness": 4, "coefficientAdhesionStiffness": 1, "pullOffForce": -0.5}
EDINBURGH |= {"surfaceEnergy": 0}
# Each entry lists the model of granular/plus, the model of LIGGGHTS, the properties that LIGGGHTS
# needs for each pair of types, and other properties that LIGGGHTS needs.
LAWS = {
    "luding": (
        "luding 1e4 5e4 1.5e4 0.05",
        "luding",
        {"LoadingStiffness": 1e4, "UnloadingStiffness": 5, "pullOffForce": 0} | PLASTIC,
        {},
    ),
    "hooke/hysteresis": (
        f"luding {HOOKE!r} {6 * HOOKE!r} {1.5 * HOOKE!r} 0.05",
        "hooke/hysteresis",
        {"coefficientMaxElasticStiffness": 6} | PLASTIC,
        {"characteristicVelocity": 2.0},
    ),
    "edinburgh, n = 1.5": (
        f"edinburgh {HERTZ!r} {4 * HERTZ!r} {HERTZ!r} -0.5 1.5 1.5",
        "edinburgh",
        EDINBURGH,
        {"overlapExponent": 1.5, "adhesionExponent": 1.5},
    ),
    "edinburgh, n = 1": (
        f"edinburgh {2 * E_STAR * EFFECTIVE_RADIUS!r} {8 * E_STAR * EFFECTIVE_RADIUS!r}"
        f" {2 * E_STAR * EFFECTIVE_RADIUS!r} -0.5 1 1",
        "edinburgh",
        EDINBURGH,
        {"overlapExponent": 1.0, "adhesionExponent": 1.0},
    ),
}
THEIRS = """
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
units si
soft_particles yes
region box block -3 3 -3 3 -3 3 units box
create_box 1 box
neighbor 0.1 bin
neigh_modify delay 0
fix modulus all property/global youngsModulus peratomtype {modulus}
fix ratio all property/global poissonsRatio peratomtype {poisson}
fix e all property/global coefficientRestitution peratomtypepair 1 1
fix mu all property/global coefficientFriction peratomtypepair 1 0
{properties}
pair_style gran model {model} tangential off{settings}
pair_coeff * *
create_atoms 1 single -0.5005 0 0 units box
create_atoms 1 single 0.5005 0 0 units box
set group all diameter 1 density {density!r}
set atom 1 vx {speed}
set atom 2 vx -{speed}
fix move all nve/sphere
timestep {step}
dump grains all custom 5 grains id x vx
dump_modify grains format "%d %.17g %.17g"
run {steps}
"""
OURS = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single -0.5005 0 0
create_atoms 1 single 0.5005 0 0
set group all diameter 1 density {density!r}
set atom 1 vx {speed}
set atom 2 vx -{speed}
pair_style granular/plus
pair_coeff * * {law} tangential linear_nohistory 0 0
fix move all nve/sphere
timestep {step}
dump grains all custom 5 grains id x vx
dump_modify grains format float %.17g
run {steps}
"""
liggghts = shutil.which("liggghts")


def of_the_first(dump: pd.DataFrame) -> np.ndarray:
    return dump.loc[dump["id"] == 1, ["x", "vx"]].to_numpy()


@pytest.mark.skipif(liggghts is None, reason="LIGGGHTS is not installed")
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("speed", [0.05, 0.4, 2.0])
def test_a_collision_is_that_of_liggghts(name, speed, tmp_path):
    """Overlap and speed are compared in every fifth step, until separation or reloading."""
    law, model, pairs, numbers = LAWS[name]
    step, steps = 2e-5, round(0.05 / 2e-5) + round(1e-3 / speed / 2e-5)
    common = {"speed": speed, "step": step, "steps": steps, "density": 12.0 / math.pi}
    properties = [
        f"fix {key} all property/global {key} peratomtypepair 1 {value!r}"
        for key, value in pairs.items()
    ]
    properties += [
        f"fix {key} all property/global {key} scalar {v!r}" for key, v in numbers.items()
    ]
    script = THEIRS.format(
        modulus=MODULUS,
        poisson=POISSON,
        properties="\n".join(properties),
        model=model,
        settings=" fixKc on" if model == "edinburgh" else "",
        **common,
    )
    (tmp_path / "in.theirs").write_text(script)
    assert liggghts is not None
    code, said = processes.run_process([liggghts, "-in", "in.theirs"], tmp_path, timeout=60.0)
    assert code == 0, said[-500:]
    theirs = of_the_first(engine.parse_dump((tmp_path / "grains").read_text()))
    ours = of_the_first(engine.run(OURS.format(law=law, **common)).dump("grains"))
    deepest = ours[:, 0].max() + 0.5
    assert deepest > 1e-4
    turned = ours[:, 0].argmax()
    again = np.flatnonzero(ours[turned + 1 :, 1] > 0.0)
    end = turned + 1 + again[0] if len(again) else len(ours)
    assert ours[end - 1, 0] < -0.5 + 0.8 * deepest
    ours, theirs = ours[:end], theirs[:end]
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=0, atol=1e-9 * deepest)
    np.testing.assert_allclose(ours[:, 1], theirs[:, 1], rtol=0, atol=1e-9 * speed)
