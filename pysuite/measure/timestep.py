"""Time step of a granular system, and how much a longer collision time softens contacts.

>>> advice = advise(radius=1e-3, density=2500, speed=0.1, youngs_modulus=7e10, poisson_ratio=0.24)
>>> round(advice.hertz_time * 1e6, 1), advice.collision_time > 10 * advice.hertz_time
(9.5, True)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pysuite import damped_hertz

RAYLEIGH_PART = 0.2  # common time step / Rayleigh time
STEPS = 50  # time steps per collision


@dataclass(frozen=True)
class Advice:
    """Times of a head-on collision of two equal spheres, in the units of the input.

    Attributes:
        rayleigh_time: time of a surface wave from pole to pole of a sphere.
        rayleigh_step: a fifth of rayleigh_time.
        hertz_time: duration of a collision if the contact is not softened.
        hertz_step: hertz_time divided by the number of time steps per collision.
        hertz_overlap: largest overlap without softening, as a fraction of the radius.
        collision_time: parameter Tc of the contact law `actm`, chosen so that the largest overlap
            is the argument `overlap`. If hertz_overlap exceeds `overlap`, collision_time is
            hertz_time.
        actm_step: collision_time divided by the number of time steps per collision.
        actm_overlap: largest overlap in a collision that lasts collision_time, as a fraction of the
            radius.
        speedup: actm_step / hertz_step.
    """

    rayleigh_time: float
    rayleigh_step: float
    hertz_time: float
    hertz_step: float
    hertz_overlap: float
    collision_time: float
    actm_step: float
    actm_overlap: float
    speedup: float

    @property
    def step(self) -> float:
        """Time step for the unsoftened material: the smaller of hertz_step and rayleigh_step."""
        return min(self.hertz_step, self.rayleigh_step)


def advise(
    *,
    radius: float,
    density: float,
    speed: float,
    youngs_modulus: float,
    poisson_ratio: float,
    restitution: float = 1.0,
    overlap: float = 0.01,
    steps: int = STEPS,
) -> Advice:
    """Return characteristic times and time steps of spheres of one material.

    Args:
        radius: radius of the smallest spheres.
        density: density of the material.
        speed: largest normal component of the relative velocity before a collision.
        youngs_modulus: Young's modulus of the material.
        poisson_ratio: Poisson's ratio of the material.
        restitution: coefficient of restitution.
        overlap: largest overlap allowed with the contact law `actm`, as a fraction of the radius.
        steps: time steps per collision.

    Raises:
        ValueError: an argument is out of bounds. The message names the argument.
    """
    bounds = {
        "radius": (radius, 0.0 < radius < math.inf, "> 0 and finite"),
        "density": (density, 0.0 < density < math.inf, "> 0 and finite"),
        "speed": (speed, 0.0 < speed < math.inf, "> 0 and finite"),
        "youngs_modulus": (youngs_modulus, 0.0 < youngs_modulus < math.inf, "> 0 and finite"),
        "poisson_ratio": (poisson_ratio, -1.0 < poisson_ratio <= 0.5, "> -1 and <= 0.5"),
        "restitution": (restitution, 0.01 <= restitution <= 1.0, ">= 0.01 and <= 1"),
        "overlap": (overlap, 0.0 < overlap < 1.0, "> 0 and < 1"),
        "steps": (steps, steps >= 1, ">= 1"),
    }
    for name, (value, allowed, text) in bounds.items():
        if not allowed:
            raise ValueError(f"{name} = {value:g} must be {text}")

    shear = youngs_modulus / (2.0 * (1.0 + poisson_ratio))
    wave = 0.1631 * poisson_ratio + 0.8766
    rayleigh = math.pi * radius * math.sqrt(density / shear) / wave

    mass = 0.5 * density * 4.0 / 3.0 * math.pi * radius**3  # effective mass of two equal spheres
    modulus = youngs_modulus / (2.0 * (1.0 - poisson_ratio**2))
    stiffness = 4.0 / 3.0 * modulus * math.sqrt(0.5 * radius)
    collision = damped_hertz.collide(damped_hertz.damping_for(restitution))
    hertz_unit = (mass**2 / (stiffness**2 * speed)) ** 0.2
    unit = max(overlap * radius / (speed * collision.overlap), hertz_unit)

    def part(unit: float) -> float:
        return unit * speed * collision.overlap / radius

    return Advice(
        rayleigh_time=rayleigh,
        rayleigh_step=RAYLEIGH_PART * rayleigh,
        hertz_time=collision.duration * hertz_unit,
        hertz_step=collision.duration * hertz_unit / steps,
        hertz_overlap=part(hertz_unit),
        collision_time=collision.duration * unit,
        actm_step=collision.duration * unit / steps,
        actm_overlap=part(unit),
        speedup=unit / hertz_unit,
    )
