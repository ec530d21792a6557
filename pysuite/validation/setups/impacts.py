"""Impacts of spheres: one LAMMPS run simulates many impacts that do not affect each other.

Every ball flies downwards and hits the floor or another sphere (its partner) within the first step.
The vertical direction is z. The floor is a wall with the contact law of the ball, or a frozen
sphere that is so large that its surface is nearly flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pysuite.validation.setups import packings

if TYPE_CHECKING:
    import pandas

    from pysuite.validation import Context

FLOORS = ("wall", "sphere")
# Radius of the sphere that is the floor / largest radius of a ball. At a distance of 200 ball radii
# from the top, the surface of the floor is lower by 0.002 ball radii.
FLOOR_RADIUS = 1e7
SPACING = 6.0  # distance between impacts / largest radius of a ball

# duration of a Hertz impact / (largest overlap / speed): (4/5) sqrt(pi) Gamma(2/5)/Gamma(9/10)
HERTZ_DURATION = 2.943275

Vector = tuple[float, float, float]

SETUP = """
units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data balls.data
pair_style {style}
"""

RUN = """
fix move balls nve/sphere
timestep {step:.17g}
thermo 1000000000
run {steps}
write_dump all custom end id x y z vx vy vz omegax omegay omegaz modify format float %.17g
"""

TRACE = """
dump trace balls custom {every} trace id x y z vx vz omegay fx fz
dump_modify trace sort id format float %.17g
"""


class Ball(NamedTuple):
    """A solid sphere in SI units. Velocity and spin are vectors."""

    radius: float
    density: float
    velocity: Vector
    spin: Vector = (0.0, 0.0, 0.0)

    @property
    def mass(self) -> float:
        """Mass of the sphere."""
        return self.density * 4.0 / 3.0 * np.pi * self.radius**3

    @property
    def inertia(self) -> float:
        """Moment of inertia about a diameter."""
        return 0.4 * self.mass * self.radius**2


class Impact(NamedTuple):
    """A ball that hits a partner, which is below the ball, or the floor.

    `law` is the contact law in the form of pair_coeff. `gap` is the initial gap. By default, the
    gap is half the distance that the ball moves in the first step.
    """

    law: str
    ball: Ball
    partner: Ball | None = None
    gap: float | None = None


class Outcome(NamedTuple):
    """Motion after n impacts: arrays of shape (n, 3).

    If there is no partner, the motion of the partner is nan. `trace` is a table of the motion of
    the balls during the run. Its columns are z, vx, vz, omegay, fx, fz, `time`, `impact` (number of
    the impact, from 0) and `overlap`.
    """

    velocity: np.ndarray
    spin: np.ndarray
    partner_velocity: np.ndarray
    partner_spin: np.ndarray
    trace: pandas.DataFrame | None
    wall_seconds: float


def oblique(speed: float, angle: float) -> Vector:
    """Return a velocity whose direction is tilted from -z towards +x by `angle`, in radians."""
    return (speed * float(np.sin(angle)), 0.0, -speed * float(np.cos(angle)))


def equivalent_material(modulus: float, shear_modulus: float) -> tuple[float, float]:
    """Return Young's modulus and Poisson's ratio of equal bodies with the effective moduli E*, G*.

    Poisson's ratio follows from E*/G* = 2 (2 - nu) / (1 - nu).
    """
    ratio = 0.5 * modulus / shear_modulus
    poisson = (ratio - 2.0) / (ratio - 1.0)
    return 2.0 * modulus * (1.0 - poisson**2), poisson


def effective_moduli(
    young: float, poisson: float, other_young: float = np.inf, other_poisson: float = 0.0
) -> tuple[float, float]:
    """Return E* and G* of two materials. By default, the second material is rigid."""
    compliance = (1.0 - poisson**2) / young + (1.0 - other_poisson**2) / other_young
    shear = sum(
        2.0 * (1.0 + nu) * (2.0 - nu) / e
        for e, nu in ((young, poisson), (other_young, other_poisson))
    )
    return 1.0 / compliance, 1.0 / shear


def hertz_time(mass: float, modulus: float, radius: float, speed: float) -> float:
    """Return the duration of an elastic Hertz impact. The arguments are effective values."""
    return HERTZ_DURATION * hertz_overlap(mass, modulus, radius, speed) / speed


def hertz_overlap(mass: float, modulus: float, radius: float, speed: float) -> float:
    """Return the largest overlap of an elastic Hertz impact. The arguments are effective values."""
    return float((15.0 * mass * speed**2 / (16.0 * modulus * np.sqrt(radius))) ** 0.4)


def collide(
    c: Context,
    impacts: Sequence[Impact],
    *,
    step: float,
    steps: int,
    floor: str = "wall",
    style: str = "granular/plus",
    trace_every: int = 0,
    commands: str = "",
    lasting: bool = False,
) -> Outcome:
    """Simulate all impacts. Return the motion after the impacts.

    Args:
        c: context of the case.
        impacts: laws, balls and partners.
        step: time step.
        steps: number of steps. Unless `lasting` is True, all spheres must have separated at the end
            of the run.
        floor: "wall" or "sphere".
        style: pair style. With the style `granular` of LAMMPS, the floor must be a sphere.
        trace_every: number of steps between rows of `trace`. With 0, no trace is recorded.
        commands: LAMMPS commands that are inserted before the run.
        lasting: whether spheres may still be in contact at the end of the run.

    Raises:
        RuntimeError: spheres are still in contact at the end of the run, and `lasting` is False.
        ValueError: the floor is unknown.
    """
    if floor not in FLOORS:
        raise ValueError(f"floor {floor!r} must be one of {', '.join(FLOORS)}")
    folder = c.folder / f"impacts-{len(list(c.folder.glob('impacts-*'))) + 1:03d}"
    folder.mkdir()
    on_floor = [impact for impact in impacts if impact.partner is None]
    huge = floor == "sphere" and bool(on_floor)
    _write_data(folder / "balls.data", impacts, step, huge)
    script = SETUP.format(style=style) + _laws(impacts, floor, style) + commands
    if trace_every:
        script += TRACE.format(every=trace_every)
    run = c.lammps(script + RUN.format(step=step, steps=steps), folder=folder)
    end = run.dump("end")
    count = len(impacts)
    place = end[["x", "y", "z"]].to_numpy()
    motion = end[["vx", "vy", "vz", "omegax", "omegay", "omegaz"]].to_numpy()
    other = np.full((count, 6), np.nan)
    with_partner = [n for n, impact in enumerate(impacts) if impact.partner is not None]
    other[with_partner] = motion[count : count + len(with_partner)]
    if not lasting:
        _require_apart(impacts, place, with_partner, huge)
    trace = None
    if trace_every:
        trace = _with_overlaps(run.dump("trace"), impacts, with_partner, step, huge)
    return Outcome(
        motion[:count, :3], motion[:count, 3:], other[:, :3], other[:, 3:], trace, run.wall
    )


def _kinds(impacts: Sequence[Impact]) -> list[str]:
    return list(dict.fromkeys(impact.law for impact in impacts))


def _laws(impacts: Sequence[Impact], floor: str, style: str) -> str:
    kinds = _kinds(impacts)
    floor_type = len(kinds) + 1
    lines = [f"pair_coeff * * {kinds[0]}"]
    lines += [f"pair_coeff {n} {n} {law}" for n, law in enumerate(kinds, start=1)]
    floored = {impact.law for impact in impacts if impact.partner is None}
    lines.append(f"group balls type <= {len(kinds)}")
    if floor == "sphere" and floored:
        lines += [f"pair_coeff {n} {floor_type} {law}" for n, law in enumerate(kinds, start=1)]
        lines += [f"group floor type {floor_type}", "fix floor floor freeze"]
        # neighbour lists of style bin would have bins as large as the floor
        lines.append(f"neighbor {_largest(impacts):.6g} nsq")
    else:
        lines.append(f"neighbor {_largest(impacts):.6g} bin")
        for n, law in enumerate(kinds, start=1):
            if law in floored:
                lines.append(f"group kind{n} type {n}")
                lines.append(f"fix floor{n} kind{n} wall/{style} {law} zplane 0.0 NULL")
    return "\n".join(lines) + "\n"


def _largest(impacts: Sequence[Impact]) -> float:
    balls = [ball for impact in impacts for ball in (impact.ball, impact.partner) if ball]
    return max(ball.radius for ball in balls)


def _write_data(path: Path, impacts: Sequence[Impact], step: float, huge: bool) -> None:
    kinds = _kinds(impacts)
    largest = _largest(impacts)
    side = int(np.ceil(np.sqrt(len(impacts))))
    spacing = SPACING * largest
    floor_radius = FLOOR_RADIUS * largest
    balls: list[tuple[int, Ball, Vector]] = []
    partners: list[tuple[int, Ball, Vector]] = []
    for n, (law, ball, partner, gap) in enumerate(impacts):
        row, column = divmod(n, side)
        x, y = (spacing * (k - 0.5 * (side - 1)) for k in (column, row))
        kind = kinds.index(law) + 1
        below = partner.velocity[2] if partner is not None else 0.0
        if gap is None:
            gap = 0.5 * step * (below - ball.velocity[2])
        if partner is None:
            distance = ball.radius + gap
            height = distance - (_fall(np.array([x, y]), impacts) if huge else 0.0)
        else:
            partners.append((kind, partner, (x, y, partner.radius)))
            height = 2.0 * partner.radius + ball.radius + gap
        balls.append((kind, ball, (x, y, height)))
    spheres = [*balls, *partners]
    reach = spacing * (side + 2)
    top = max(place[2] + ball.radius for _, ball, place in spheres) + reach
    box = [(-reach, reach), (-reach, reach), (-reach, top)]
    if huge:
        still = Ball(floor_radius, 1.0, (0.0, 0.0, 0.0))
        spheres.append((len(kinds) + 1, still, (0.0, 0.0, -floor_radius)))
        wide = 1.01 * floor_radius
        box = [(-wide, wide), (-wide, wide), (-wide, top)]
    kinds_of, all_balls, places = zip(*spheres, strict=True)
    radius, density, velocity, spin = zip(*all_balls, strict=True)
    packings.write_spheres(
        path,
        box,
        places,
        diameter=2.0 * np.array(radius),
        density=density,
        kind=kinds_of,
        velocity=velocity,
        spin=spin,
    )


def _fall(place: np.ndarray, impacts: Sequence[Impact]) -> Any:
    return (place[..., 0] ** 2 + place[..., 1] ** 2) / (2.0 * FLOOR_RADIUS * _largest(impacts))


def _with_overlaps(
    dump: pandas.DataFrame,
    impacts: Sequence[Impact],
    with_partner: Sequence[int],
    step: float,
    huge: bool,
) -> pandas.DataFrame:
    count = len(impacts)
    trace = dump[dump["id"] <= count].reset_index(drop=True)
    trace["impact"] = trace["id"] - 1
    trace["time"] = step * trace["step"]
    frames = trace["step"].nunique()
    place = trace[["x", "y", "z"]].to_numpy().reshape(frames, count, 3)
    touching = np.array([impact.ball.radius for impact in impacts])
    distance = place[:, :, 2] + (_fall(place, impacts) if huge else 0.0)
    others = dump[(dump["id"] > count) & (dump["id"] <= count + len(with_partner))]
    below = others[["x", "y", "z"]].to_numpy().reshape(frames, -1, 3)
    for k, n in enumerate(with_partner):
        distance[:, n] = np.linalg.norm(place[:, n] - below[:, k], axis=1)
        partner = impacts[n].partner
        assert partner is not None
        touching[n] += partner.radius
    trace["overlap"] = (touching - distance).ravel()
    return trace


def _require_apart(
    impacts: Sequence[Impact], place: np.ndarray, with_partner: Sequence[int], huge: bool
) -> None:
    count = len(impacts)
    heights = place[:count, 2] + (_fall(place[:count], impacts) if huge else 0.0)
    for n, impact in enumerate(impacts):
        if impact.partner is None:
            gap = heights[n] - impact.ball.radius
        else:
            other = place[count + with_partner.index(n)]
            touching = impact.ball.radius + impact.partner.radius
            gap = float(np.linalg.norm(place[n] - other)) - touching
        if not gap > -1e-6 * impact.ball.radius:
            raise RuntimeError(f"impact {n + 1} of {count} still lasts at the end of the run")
