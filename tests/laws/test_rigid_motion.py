"""The springs of a rigidly rotated pair rotate with the pair: tests of the laws, without LAMMPS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pysuite import laws

LAWS = {
    "linear": "hooke 1e5 10 tangential linear_history 8e4 0.5 0.5",
    "carried force": "hertz 1e5 10 tangential mindlin_rescale/force 8e4 0.5 0.5",
    "rolling": "hooke 1e5 10 tangential linear_nohistory 0.5 0.5 rolling sds 1e5 1 0.5",
    "complete": "hertz/material 1e5 10 0.3 tangential mindlin_deresiewicz 0.5 0.5",
}
RADII = np.array([0.5, 0.3])
DISTANCE = 0.79
TURN = np.array([0.3, -0.4, 0.5])  # about an axis oblique to the line of centres


def drift(model: laws.ContactModel, steps: int, *, half_step: bool) -> float:
    """Return the relative change of force and torque, which are rotated back for the comparison.

    With `half_step`, the laws receive the velocities of the half step.
    """
    points = [
        Rotation.from_rotvec(TURN * k / steps).apply([DISTANCE, 0, 0]) for k in range(steps + 1)
    ]
    load = model.evaluate(
        [points[0]], [[0, 1e-4, 0]], spin_i=[[0, 0, 1e-4]], timestep=1.0,
        radius_i=RADII[0], radius_j=RADII[1],
    )  # fmt: skip
    at_rest = [[0.0, 0.0, 0.0]]

    def held(where, history):
        step = model.evaluate(
            [where], at_rest, timestep=0.0, radius_i=RADII[0], radius_j=RADII[1], history=history
        )
        return np.concatenate([step.force[0], step.torque_i[0]]).reshape(2, 3)

    before, history = held(points[0], load.history), load.history
    spin = TURN / steps
    for k in range(1, steps + 1):
        velocity = points[k] - points[k - 1] if half_step else np.cross(spin, points[k])
        history = model.evaluate(
            [points[k]], [velocity], spin_i=[spin], spin_j=[spin], timestep=1.0,
            radius_i=RADII[0], radius_j=RADII[1], history=history,
        ).history  # fmt: skip
    after = Rotation.from_rotvec(TURN).inv().apply(held(points[-1], history))
    return float(np.abs(after - before).max() / np.abs(before).max())


@pytest.mark.parametrize("slider", ["csds", "truncate"])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_springs_turn_exactly_but_for_the_square_of_the_step(law, slider):
    model = laws.ContactModel(f"{law} slider {slider}")
    coarse, fine = drift(model, 100, half_step=False), drift(model, 200, half_step=False)
    angle = np.linalg.norm(TURN)
    assert fine <= (angle / 200) ** 2  # 200 steps with errors of third order each
    assert coarse / fine == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize(
    "law",
    [
        "hooke 1e5 10 tangential linear_history 8e4 0.5 10",
        "hooke 1e5 10 tangential linear_history 1e-3 0 10 rolling sds 1e5 1 100",
    ],
    ids=["tangential", "rolling"],
)
def test_with_synchronized_verlet_a_spring_turns_to_the_normal_of_the_half_step(law):
    """Terms of third order are neglected."""
    model = laws.ContactModel(f"{law} slider csds synchronized_verlet")
    angle = 1e-3
    spin = angle * np.array([0.0, 0.6, 0.8])
    half, whole = (Rotation.from_rotvec(part * spin) for part in (0.5, 1.0))
    before, spring = np.array([DISTANCE, 0.0, 0.0]), np.array([0.0, 0.03, 0.1])
    after = whole.apply(before)
    step = model.evaluate(
        [after], [after - before], spin_i=[spin], spin_j=[spin], timestep=1.0,
        radius_i=RADII[0], radius_j=RADII[1], history=[np.tile(spring, model.history_size // 3)],
    )  # fmt: skip
    normal, size = after / DISTANCE, np.linalg.norm(spring)
    expected = half.apply(spring)
    expected -= expected @ normal * normal
    expected *= size / np.linalg.norm(expected)
    np.testing.assert_allclose(step.history[0, -3:], expected, rtol=0, atol=angle**3 * size)


def test_the_way_of_lammps_does_not_so_the_test_above_can_fail():
    assert drift(laws.ContactModel(f"{LAWS['linear']} slider dsds"), 200, half_step=False) > 0.1


def test_velocities_of_the_half_step_leave_a_slip_in_proportion_to_the_step():
    """The slip is a/2 * b * distance/steps.

    Here, a is the component of the rotation along the line of centres, and b is its component
    perpendicular to that line.
    """
    model = laws.ContactModel(LAWS["linear"])
    coarse, fine = drift(model, 2_000, half_step=True), drift(model, 4_000, half_step=True)
    assert coarse / fine == pytest.approx(2.0, rel=0.05)
    across = np.linalg.norm(TURN[1:])
    slip = 0.5 * TURN[0] * across * DISTANCE / 4_000
    assert fine <= 1.1 * slip / 1e-4  # relative to the springs, stretched by 1e-4
