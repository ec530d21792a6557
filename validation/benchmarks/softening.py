"""How soft may a sheared packing be? The collision time over that of the material, from 1 up.

inputs/in.shear, grains sheared between rough plates under constant pressure, with Hertz contacts of
a stiff material, at first as they are and then softened by normal actm: the collision time at the
shear rate times the diameter becomes a multiple of Hertz's, and the time step with it. Mindlin's
tangential stiffness follows. What the flow shows of its contacts changes (overlap, their number);
what it shows to the outside (shear stress over pressure) should not, up to some softness.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from pysuite.cases import Case, Context, panels
from pysuite.references import actm

MODULUS, POISSON, RESTITUTION = 2e5, 0.3, 0.5
FRICTION = 0.5  # of in.shear
INERTIAL = 0.1  # inertial number: shear rate in units of the pressure
STEPS = 40  # in a collision
# softer still, grains are pressed through the plates: at 16 times in the larger packing, at 8 in
# the smaller one
MULTIPLES = {"quick": (1, 2, 7.5), "full": (1, 2, 4, 8)}
SIZES = {"quick": {"width": 8, "layers": 12, "strain": 6}, "full": {"strain": 10}}
JUDGED = 2.0  # up to this multiple the flow should stay as it is
NAMES = {
    "shear stress over pressure": "stress",
    "volume fraction": "fraction",
    "contacts per grain": "contacts",
    "friction mobilised, sum Ft/(mu sum Fn)": "mobilised",
}


def hertz_time() -> float:
    """Return the collision time of two mean grains at the shear rate times the diameter."""
    mass = 0.5 * np.pi / 6.0
    stiffness = 4.0 / 3.0 * MODULUS / (2.0 * (1.0 - POISSON**2)) * np.sqrt(0.25)
    damping = actm.damping_for(RESTITUTION)
    unit = (mass**2 / (stiffness**2 * INERTIAL)) ** 0.2
    return float(actm.collide(damping).duration) * unit


def shear(c: Context, law: str, time: float, friction: float = FRICTION) -> dict[str, float]:
    """Return what the flow shows, and the seconds that it takes."""
    script = (c.inputs / "in.shear").read_text()
    contact = (
        f"pair_coeff * * {law} tangential mindlin_rescale/force NULL 1 ${{mu}} ${{friction}}\n"
    )
    script, replaced = re.subn(r"pair_coeff .*&\n.*\n", contact, script)
    script, timed = re.subn(r"timestep .*\n", f"timestep {time / STEPS:.17g}\n", script)
    assert (replaced, timed) == (1, 1)
    variables = {"inertial": INERTIAL, "mu": friction, **SIZES[c.tier]}
    run = c.lammps(script, variables=variables, timeout=3000.0)
    values = {
        name: float(re.search(rf"^{re.escape(label)} +(\S+)", run.log, re.MULTILINE)[1])
        for label, name in NAMES.items()
    }
    return values | {"seconds": run.timings["Loop"]}


def simulate(c: Context) -> pd.DataFrame:
    """Return what flows show, first that of the material, then softer and softer ones."""
    unit = hertz_time()
    material = f"{MODULUS!r} {POISSON!r}"
    real = f"hertz/material {MODULUS!r} {RESTITUTION!r} {POISSON!r} damping coeff_restitution"
    rows = [{"law": "hertz/material", "multiple": 1.0, **shear(c, real, unit)}]
    for multiple in MULTIPLES[c.tier]:
        time = multiple * unit
        law = f"actm {time:.17g} {RESTITUTION!r} {material}"
        friction = FRICTION * (c["friction"] if multiple <= JUDGED else 1.0)
        found = shear(c, law, time, friction)
        rows.append({"law": "actm", "multiple": multiple, **found})
    return pd.DataFrame(rows)


def first_crossing(x: np.ndarray, y: np.ndarray, limit: float) -> float:
    """Return the x from which on y is above a limit, between the points on a straight line."""
    above = np.flatnonzero(y > limit)
    if not above.size:
        return float(x[-1])
    n = above[0]
    return float(np.interp(limit, y[n - 1 : n + 1], x[n - 1 : n + 1])) if n else 0.0


def judge(c: Context, reference: pd.Series, soft: pd.DataFrame) -> None:
    judged = soft[soft["multiple"] <= JUDGED]
    softest = f"up to {judged['multiple'].max():g} times the collision time: largest change"
    noise = {"quick": 0.06, "full": 0.03}[c.tier]
    change = (soft["stress"] / reference["stress"] - 1.0).abs().to_numpy()
    c.check(
        f"largest collision time, over the material's, up to which the stress stays within {noise}",
        measured=first_crossing(soft["multiple"].to_numpy(), change, noise),
        reference=JUDGED,
        kind="at_least",
        reason="the flow of rigid grains is set by the inertial number, and grains that overlap by"
        " less than a hundredth are rigid to a few per cent, to which noise comes; up to twice the"
        " collision time they do, and beyond they need not",
    )
    c.check(
        f"volume fraction, {softest}",
        measured=(judged["fraction"] / reference["fraction"] - 1.0).abs().max(),
        reference=0.0,
        tolerance=0.02,
        kind="at_most",
        reason="grains that overlap by a fraction x of their diameter fill 1 + 3 x of the space;"
        " x is 0.001 at twice the collision time, and grows as its power 5/3; noise 0.005",
    )
    c.check(
        "actm at the collision time of the material: shear stress over pressure",
        measured=soft["stress"].iloc[0],
        reference=reference["stress"],
        tolerance=noise,
        reason="the same contacts but for those that begin more slowly than the shear; noise",
    )
    c.check(
        f"contacts per grain, {soft['multiple'].iloc[-1]} times the collision time, over the first",
        measured=soft["contacts"].iloc[-1] / reference["contacts"],
        reference=1.2,
        kind="at_least",
        reason="softer grains touch more neighbours: this must change",
    )


def tell(c: Context, reference: pd.Series, soft: pd.DataFrame) -> None:
    """Say in words what the table holds."""
    parts = [
        f"{words} {', '.join(format(v, form) for v in soft[name])} ({reference[name]:{form}})"
        for words, name, form in (
            ("stress over pressure", "stress", ".3f"),
            ("volume fraction", "fraction", ".3f"),
            ("contacts per grain", "contacts", ".2f"),
            ("seconds", "seconds", ".1f"),
        )
    ]
    multiples = ", ".join(f"{m:g}" for m in soft["multiple"])
    c.note(f"Softened by {multiples}, and the material itself: {', '.join(parts)}.")


def draw(c: Context, reference: pd.Series, soft: pd.DataFrame) -> None:
    figure, axes = panels(len(NAMES), height=3.2)
    for axis, (label, name) in zip(axes, NAMES.items(), strict=True):
        axis.semilogx(soft["multiple"], soft[name], "o-")
        axis.axhline(reference[name], color="0.5", linewidth=0.8)
        axis.set(title=label.split(",")[0], xlabel="collision time")
    c.figure("softening", figure, "Softened packings; grey: the material itself.")


def run(c: Context) -> None:
    table = simulate(c)
    c.table("softening", table, "What the flow shows, by collision time over that of the material.")
    reference, soft = table.iloc[0], table[table["law"] == "actm"]
    judge(c, reference, soft)
    tell(c, reference, soft)
    draw(c, reference, soft)


CASE = Case(
    name="softening",
    title="A sheared packing softened through its collision time: the stress stays, the contacts"
    " change",
    source="[midi2004] rigid grains flow by the inertial number",
    tier="quick",
    parameters={"friction": 1.0},
    spoil={"friction": 0.5},  # of grains softened as far as that must not matter
    run=run,
    timeout=3600.0,
)
