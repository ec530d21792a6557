"""Rigid motion of a loaded packing does not load springs, because forces rotate with the grains.

Fix move sets positions and velocities at the time of the step. LAMMPS's integrators give velocities
of half a step earlier. For these integrators, see tests/laws/test_rigid_motion.py.
"""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine

MODELS = {
    "hooke": "hooke 1e4 5 tangential linear_history 8e3 1 0.5",
    "all": "hertz 1e5 5 tangential mindlin 8e4 1 0.5 rolling sds 1e3 1 0.2 twisting marshall",
    "force": "hertz 1e5 5 tangential mindlin_rescale/force 8e4 1 0.5 rolling sds 1e3 1 0.2",
    "no spring": "hertz 1e5 5 tangential linear_nohistory 1 0.5",
    "deresiewicz": "hertz/material 1e5 5 0.3 tangential mindlin_deresiewicz 1 0.5",
}
AXIS = np.array([1.0, -2.0, 3.0]) / np.sqrt(14.0)
COUNT = 40

HEAD = """
units lj
atom_style sphere
atom_modify map array
newton {newton}
boundary f f f
comm_modify vel yes
region box block -20 20 -20 20 -20 20
create_box 1 box
neighbor 0.3 bin
timestep 1e-3
"""
FORCES = "write_dump all custom {0} x y z fx fy fz tqx tqy tqz modify format float %.17g sort id\n"
TURN = "fix turn all move rotate 0 0 0 {axis[0]} {axis[1]} {axis[2]} {period} units box\n"


def loaded_pairs(model: str, newton: str) -> str:
    """Return commands that create pairs in all directions and load springs.

    The tangential forces are about half of the Coulomb limit.
    """
    rng = np.random.default_rng(5)
    directions = rng.normal(size=(COUNT, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    places = np.stack(np.meshgrid(*[np.linspace(-8, 8, 4)] * 3), axis=-1).reshape(-1, 3)[:COUNT]
    script = HEAD.format(newton=newton)
    for place, direction in zip(places, directions, strict=True):
        for x, y, z in (place, place + 0.99 * direction):
            script += f"create_atoms 1 single {x:.17g} {y:.17g} {z:.17g}\n"
    script += (
        f"set group all diameter 1 density 1\npair_style granular/plus\npair_coeff * * {model}\n"
    )
    script += "variable odd atom id%2\ngroup odd variable odd\n"
    return script + "fix push odd move linear 0.005 0.005 -0.005\nrun 400\nunfix push\n"


def turned(script: str, steps: int, **options: object) -> tuple[np.ndarray, np.ndarray]:
    axis, rest = list(AXIS), "velocity all set 0 0 0\nset group all omega 0 0 0\nrun 0\n"
    script += rest + FORCES.format("before") + TURN.format(axis=axis, period=1e-3 * steps)
    script += f"run {steps}\nunfix turn\n{rest}{FORCES.format('after')}"
    run = engine.run(script, timeout=100, **options)
    return tuple(run.dump(name).to_numpy(float)[:, 1:] for name in ("before", "after"))


@pytest.mark.parametrize("slider", ["csds", "truncate"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_turn_leaves_loaded_springs_as_they_are(model, slider):
    errors = []
    for steps in (2_000, 4_000):
        before, after = turned(loaded_pairs(f"{model} slider {slider}", "on"), steps)
        largest = np.abs(before[:, 3:6]).max()
        errors.append(np.abs(after - before)[:, 3:].max() / largest)
    # The rotation of springs has an error of third order in the angle of a step. The error of a
    # full turn is at most 2 pi/3 times this angle squared.
    assert errors[0] <= 2.1 * (2 * np.pi / 2_000) ** 2, errors
    assert errors[1] <= 1e-5


def test_the_way_of_lammps_loads_springs_so_the_test_above_can_fail():
    before, after = turned(loaded_pairs(f"{MODELS['hooke']} slider dsds", "on"), 4_000)
    assert np.abs(after - before)[:, 3:].max() > 0.1 * np.abs(before[:, 3:6]).max()


@pytest.mark.parametrize("newton", ["on", "off"])
def test_on_two_ranks_with_many_lists(newton):
    # there are few steps, because a step takes 30 ms if the ranks share a core
    steps = 1_000
    script = loaded_pairs(MODELS["hooke"], newton) + "neigh_modify every 5 delay 0 check no\n"
    before, after = turned(script, steps, ranks=2)
    error = np.abs(after - before)[:, 3:].max() / np.abs(before[:, 3:6]).max()
    assert error <= 2.1 * (2 * np.pi / steps) ** 2


# -------------------------------------------------------------------------------------------- walls

DRUM = """
region drum cylinder z 0 0 {radius} -3 3 side in rotate v_angle 0 0 0 0 0 1
region lids block -20 20 -20 20 -3 3 rotate v_angle 0 0 0 0 0 1
"""


@pytest.mark.parametrize("slider", ["csds", "truncate"])
@pytest.mark.parametrize("rolling", ["", "rolling sds 1e3 1 0.2 twisting sds 10 0.1 0.1"])
def test_grains_carried_by_a_rotating_drum_do_not_slip(slider, rolling):
    steps, model = 4_000, f"hooke 1e4 5 tangential linear_history 8e3 1 0.5 {rolling}"
    script = HEAD.format(newton="on")
    angles = np.linspace(0, 2 * np.pi, 13)[:-1]
    for k, angle in enumerate(angles):
        on_lid = k % 2
        r, z = (2.0, 2.51) if on_lid else (4.51, 0.3 * k - 1)
        script += f"create_atoms 1 single {r * np.cos(angle)} {r * np.sin(angle)} {z}\n"
    script += f"""set group all diameter 1 density 1
pair_style granular/plus
pair_coeff * * {model}
variable angle equal 2*PI*(step>401)*ternary(step<{401 + steps},(step-401)/{steps},1)
{DRUM.format(radius=5.0)}
fix shell all wall/granular/plus {model} slider {slider} region drum
fix push all move linear 0.004 0.003 0
run 400
unfix push
velocity all set 0 0 0
set group all omega 0 0 0
run 1
{FORCES.format("before")}
fix turn all move rotate 0 0 0 0 0 1 {1e-3 * steps} units box
run {steps}
unfix turn
velocity all set 0 0 0
set group all omega 0 0 0
run 1
{FORCES.format("after")}"""
    run = engine.run(script, timeout=100)
    before, after = (run.dump(name).to_numpy(float)[:, 4:] for name in ("before", "after"))
    largest = np.abs(before[:, :3]).max()
    assert largest > 10
    assert np.abs(after - before).max() <= 1e-5 * largest


# ------------------------------------------------------------------------------------------- ledger


@pytest.mark.parametrize("slider", ["csds", "truncate", "dsds"])
def test_work_of_friction_is_what_grains_lose(slider):
    """The ledger entry `lever` is zero unless the slider is dsds.

    Only this slider uses the lever arms of LAMMPS.
    """
    model = f"{MODELS['hooke']} slider {slider}"
    script = loaded_pairs(model, "on").replace("granular/plus\n", "granular/plus ledger yes\n")
    script += "compute ledger all granular/ledger\nthermo_style custom step c_ledger[*]\n"
    script += "set group all omega 5 -3 4\nfix move all nve/sphere\nrun 20\n"
    last = engine.run(script).ledger.iloc[-1]
    assert last["slip"] > 0.0
    assert (last["lever"] == 0.0) == (slider != "dsds")
