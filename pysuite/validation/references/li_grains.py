"""Spheres in a rocking box in two dimensions, with the contact models M1 and M4 of Li et al.

The source is Li, Zeng, Wen & Zhang, Aerospace 9 (2022) 737, eqs. (5), (6) and (18). The models are
used as printed. `li_models` contains the laws of a single contact. The lever arm of friction is the
radius minus half the overlap. The frame of reference is the box, which rotates about the middle of
its floor. All values are in SI units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pysuite.validation.references import impact

POISSON, RESTITUTION, FRICTION, GRAVITY = 0.2, 0.5, 0.8, 9.81
PERIOD, TILT = 3.0, np.radians(15.0)
FREQUENCY = 8.0  # frequency of shaking, 1/s
SPRINGS, DEEPEST = 24, 6e-4  # springs of M4; overlap in m at which all springs are compressed
SKIN = 1e-3  # contacts are listed if the gap is smaller
WALLS = 3  # floor, left, right


class Sample(NamedTuple):
    """State of all scenes at one time. The arrays have shape (scenes,).

    Energies and speed are measured in the frame at rest, not in the frame of the box.
    """

    time: float
    nut: np.ndarray  # height of the first sphere in the box
    height: np.ndarray  # height of the centre of mass in the box
    speed: np.ndarray  # speed of the first sphere
    kinetic: np.ndarray
    energy: np.ndarray


class Scenes:
    """Spheres in a vertical plane, in scenes that do not interact.

    Args:
        laws: law of each scene, "M1" or "M4".
        places: array of shape (scenes, spheres, 2), horizontal and vertical position.
        radii: array of shape (scenes, spheres).
        masses: array of shape (spheres,). The masses are the same in all scenes.
        width: width of the box.
        young: Young's modulus.
        step: time step.
        begin: time at which the box starts to rock.
        gravity: gravitational acceleration.
        shaking: array of shape (scenes,), vertical acceleration in units of gravity.

    Attributes:
        place, velocity: arrays of shape (scenes × spheres, 2), in the frame of the box.
        spin: array of shape (scenes × spheres,), positive from the horizontal to the vertical axis.
        stretch: total tangential displacement of each listed contact since the contact began.
        springs: array of shape (listed contacts, SPRINGS), stretch of the springs of M4.
    """

    def __init__(
        self,
        laws: Sequence[str],
        places: np.ndarray,
        radii: np.ndarray,
        masses: np.ndarray,
        *,
        width: float,
        young: float,
        step: float,
        begin: float = np.inf,
        gravity: float = GRAVITY,
        shaking: np.ndarray | None = None,
    ):
        self.scenes, count = radii.shape
        self.count, self.width, self.step, self.begin = count, width, step, begin
        self.gravity = gravity
        self.scene = np.repeat(np.arange(self.scenes), count)
        self.shaking = np.zeros(self.scenes) if shaking is None else shaking
        self.mass = np.tile(masses, self.scenes)
        self.place, self.radius = places.reshape(-1, 2).copy(), radii.ravel()
        self.inertia = 0.4 * self.mass * self.radius**2
        self.velocity, self.spin = np.zeros_like(self.place), np.zeros(len(self.mass))
        self.complete = np.array([law == "M4" for law in laws])[self.scene]
        self.modulus = young / (2.0 * (1.0 - POISSON**2))
        self.shear = young / (2.0 * (1.0 + POISSON)) / (2.0 * (2.0 - POISSON))
        self.damping = impact.linear_damping_ratio(RESTITUTION)
        self.time, self.angle, self.rate, self.acceleration = 0.0, 0.0, 0.0, 0.0
        self.depth = DEEPEST * ((np.arange(SPRINGS) + 0.5) / SPRINGS) ** 2
        first, second = np.triu_indices(count, 1)
        offsets = count * np.arange(self.scenes)[:, None]
        grains = np.arange(len(self.mass))
        self.one = np.concatenate([(first + offsets).ravel(), np.tile(grains, WALLS)])
        walls = len(grains) + np.repeat(np.arange(WALLS), len(grains))
        self.other = np.concatenate([(second + offsets).ravel(), walls])
        self._memory = np.zeros(len(self.one)), np.zeros((len(self.one), SPRINGS))
        self._listed = np.zeros(0, dtype=int)
        self.stretch, self.springs = np.zeros(0), np.zeros((0, SPRINGS))
        self.list_contacts()

    def rock(self, time: float) -> None:
        """Set the angle of the box, and the first and second derivative of the angle, at a time."""
        since = time - self.begin
        if since < 0.0:
            return
        turn = 2.0 * np.pi / PERIOD
        if self.rate == 0.0:
            x, z = self.place[:, 0] - 0.5 * self.width, self.place[:, 1]
            self.velocity += TILT * turn * np.column_stack([z, -x])
            self.spin -= TILT * turn
        self.angle = TILT * np.sin(turn * since)
        self.rate = TILT * turn * np.cos(turn * since)
        self.acceleration = -TILT * turn**2 * np.sin(turn * since)

    def list_contacts(self) -> None:
        """List the pairs of spheres, and the spheres at walls, whose gaps are smaller than SKIN.

        Contacts that are no longer listed lose their histories.
        """
        stretch, springs = self._memory
        if len(self._listed):
            stretch[:], springs[:] = 0.0, 0.0
            stretch[self._listed], springs[self._listed] = self.stretch, self.springs
        gap = -self.overlaps(self.one, self.other)[0]
        listed = np.flatnonzero(gap < SKIN)
        self._listed, self._from = listed, self.place.copy()
        self.first, self.second = self.one[listed], self.other[listed]
        self.stretch, self.springs = stretch[listed], springs[listed]
        pair = self.second < len(self.mass)
        self.pair, self.partner = pair, np.where(pair, self.second, 0)
        one, two = self.radius[self.first], self.radius[self.partner]
        effective = np.where(pair, one * two / (one + two), one)
        m_one, m_two = self.mass[self.first], self.mass[self.partner]
        reduced = np.where(pair, m_one * m_two / (m_one + m_two), m_one)
        self.effective, self.reduced = effective, reduced
        self.normal_stiffness = 4.0 / 3.0 * self.modulus * np.sqrt(effective)
        self.is_complete = np.flatnonzero(self.complete[self.first])
        self.arm_two = np.where(pair, two, 0.0)
        self.pairs = np.flatnonzero(pair)
        self.both = np.r_[self.first, self.second[self.pairs]]

    def overlaps(
        self, one: np.ndarray, other: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the overlaps, and the components x and z of the normals from `one` to `other`."""
        walls = other >= len(self.mass)
        partner = np.where(walls, 0, other)
        x, z = self.place[one].T
        along = self.place[partner] - self.place[one]
        distance = np.hypot(*along.T)
        distance = np.where(distance > 0.0, distance, 1.0)
        wall = other - len(self.mass)
        reach = np.where(wall == 0, z, np.where(wall == 1, x, self.width - x))
        overlap = self.radius[one] - np.where(walls, reach, distance - self.radius[partner])
        n_x = np.where(
            walls, np.where(wall == 0, 0.0, np.where(wall == 1, -1.0, 1.0)), along[:, 0] / distance
        )
        n_z = np.where(walls, np.where(wall == 0, -1.0, 0.0), along[:, 1] / distance)
        return overlap, n_x, n_z

    def advance(self, steps: int) -> None:
        """Advance all scenes by a number of leapfrog steps."""
        count = len(self.mass)
        for _ in range(steps):
            self.time += self.step
            self.rock(self.time)
            self.place += self.step * self.velocity
            if np.abs(self.place - self._from).max() > 0.4 * SKIN:
                self.list_contacts()
            f_x, f_z, torque_one, torque_two = self.forces()
            pairs, both = self.pairs, self.both
            push_x = np.bincount(both, np.r_[f_x, -f_x[pairs]], count)
            push_z = np.bincount(both, np.r_[f_z, -f_z[pairs]], count)
            turn = np.bincount(both, np.r_[torque_one, torque_two[pairs]], count)
            x, z = self.place[:, 0] - 0.5 * self.width, self.place[:, 1]
            v_x, v_z = self.velocity.T.copy()
            # gravity, and the Euler, Coriolis and centrifugal accelerations
            since = max(self.time - self.begin, 0.0)
            shaken = self.shaking[self.scene] * np.sin(2.0 * np.pi * FREQUENCY * since)
            weight = self.gravity * (1.0 + shaken)
            a_x = -weight * np.sin(self.angle) + self.acceleration * z
            a_x += 2.0 * self.rate * v_z + self.rate**2 * x
            a_z = -weight * np.cos(self.angle) - self.acceleration * x
            a_z += -2.0 * self.rate * v_x + self.rate**2 * z
            self.velocity[:, 0] += self.step * (push_x / self.mass + a_x)
            self.velocity[:, 1] += self.step * (push_z / self.mass + a_z)
            self.spin += self.step * (turn / self.inertia - self.acceleration)

    def forces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return forces and torques: four arrays with one value per contact.

        The arrays are the x component of the force on the first body, its z component, the torque
        on the first body, and the torque on the second body. Torques are positive from x to z.
        """
        overlap, n_x, n_z = self.overlaps(self.first, self.second)
        inside = np.maximum(overlap, 0.0)
        v_one = self.velocity[self.first]
        v_two = np.where(self.pair[:, None], self.velocity[self.partner], 0.0)
        v_x, v_z = (v_one - v_two).T
        approach = v_x * n_x + v_z * n_z
        # along the tangent (-n_z, n_x)
        arm = self.radius[self.first] - 0.5 * inside
        arm_two = self.arm_two - np.where(self.pair, 0.5 * inside, 0.0)
        slip = -v_x * n_z + v_z * n_x
        slip += arm * self.spin[self.first] + arm_two * self.spin[self.partner]
        elastic = self.normal_stiffness * inside**1.5
        normal = (
            elastic
            + self.damping
            * np.sqrt(5.0 * self.normal_stiffness * self.reduced)
            * np.sqrt(np.sqrt(inside))
            * approach
        )
        stiffness = 8.0 * self.shear * np.sqrt(self.effective * inside)
        dashpot = 2.0 * np.sqrt(5.0 / 6.0) * self.damping * np.sqrt(stiffness * self.reduced)
        limit = FRICTION * np.maximum(normal, 0.0)
        touches = overlap > 0.0
        self.stretch = np.where(touches, self.stretch + self.step * slip, 0.0)
        spring = stiffness * self.stretch
        which = self.is_complete
        if len(which):
            spring[which] = self.foundation(
                which, inside[which], self.step * slip[which], limit[which]
            )
        sticks = np.abs(spring) < (1.0 - 1e-9) * limit
        tangential = np.where(sticks, spring + dashpot * slip, limit * np.sign(self.stretch))
        tangential = np.where(touches, tangential, 0.0)
        f_x = -normal * n_x + tangential * n_z
        f_z = -normal * n_z - tangential * n_x
        return f_x, f_z, -arm * tangential, -arm_two * tangential

    def foundation(
        self, which: np.ndarray, inside: np.ndarray, slip: np.ndarray, limit: np.ndarray
    ) -> np.ndarray:
        """Return the total force of the springs of M4; see `mindlin`."""
        depth = np.maximum(inside[:, None] - self.depth, 0.0)
        total = depth.sum(axis=1)
        part = depth / np.where(total > 0.0, total, 1.0)[:, None]
        each = 8.0 * self.shear * np.sqrt(self.effective[which] * DEEPEST) / SPRINGS
        cap = (limit / each)[:, None] * part
        springs = np.clip(self.springs[which] + slip[:, None], -cap, cap)
        self.springs[which] = springs
        return each * springs.sum(axis=1)

    def sample(self) -> Sample:
        """Return the state of all scenes."""

        def total(values: np.ndarray) -> np.ndarray:
            return np.bincount(self.scene, values, self.scenes)

        x, z = self.place[:, 0] - 0.5 * self.width, self.place[:, 1]
        v_x, v_z = self.velocity[:, 0] - self.rate * z, self.velocity[:, 1] + self.rate * x
        square = v_x**2 + v_z**2
        kinetic = total(
            0.5 * self.mass * square + 0.5 * self.inertia * (self.spin + self.rate) ** 2
        )
        lifted = self.gravity * self.mass * (x * np.sin(self.angle) + z * np.cos(self.angle))
        nuts = np.arange(self.scenes) * self.count
        return Sample(
            self.time,
            z[nuts].copy(),
            total(self.mass * z) / total(self.mass),
            np.sqrt(square[nuts]),
            kinetic,
            kinetic + total(lifted),
        )
