"""Shear flows of a packing that is softened by longer and longer collision times.

With the normal model actm, the collision time is set to a multiple of Hertz's collision time at the
speed (shear rate times diameter). If the grains remain stiff enough, the ratio of shear stress to
pressure should not change.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from pysuite import damped_hertz, statistics
from pysuite.figures import panels
from pysuite.statistics import Interval
from pysuite.validation import Case, Context
from pysuite.validation.seeds import seed

MODULUS, POISSON, RESTITUTION = 2e5, 0.3, 0.5
FRICTION = 0.5  # in inputs/in.shear
INERTIAL = 0.1
STEPS = 40  # per collision
# multiples of Hertz's collision time; with a multiple of 8, grains are pressed through the plates
MULTIPLES = (1, 2, 7.5)
SIZE = {"width": 8, "layers": 12, "strain": 6}
PACKINGS = 16
JUDGED = 2.0  # larger multiples are simulated but not judged
NAMES = {
    "shear stress / pressure": "stress",
    "volume fraction": "fraction",
    "contacts per grain": "contacts",
    "friction mobilised, sum Ft/(mu sum Fn)": "mobilised",
}


def hertz_time() -> float:
    """Return Hertz's collision time of mean grains at the speed (shear rate times diameter)."""
    mass = 0.5 * np.pi / 6.0
    stiffness = 4.0 / 3.0 * MODULUS / (2.0 * (1.0 - POISSON**2)) * np.sqrt(0.25)
    damping = damped_hertz.damping_for(RESTITUTION)
    unit = (mass**2 / (stiffness**2 * INERTIAL)) ** 0.2
    return float(damped_hertz.collide(damping).duration) * unit


def shear(
    c: Context, number: int, law: str, time: float, friction: float = FRICTION
) -> dict[str, float]:
    script = (c.inputs / "in.shear").read_text()
    contact = (
        f"pair_coeff * * {law} tangential mindlin_rescale/force NULL 1 ${{mu}} ${{friction}}\n"
    )
    script, replaced = re.subn(r"pair_coeff .*&\n.*\n", contact, script)
    script, timed = re.subn(r"timestep .*\n", f"timestep {time / STEPS:.17g}\n", script)
    # the smallest grains might pass through rougher plates
    script, closed = re.subn(r"(plates random) 0.2 0.2", r"\1 0.1 0.1", script)
    assert (replaced, timed, closed) == (1, 1, 1)
    variables = {"inertial": INERTIAL, "mu": friction, "seed": seed(4711 + number), **SIZE}
    run = c.lammps(script, variables=variables, timeout=3000.0)
    values = {
        name: float(re.search(rf"^{re.escape(label)} +(\S+)", run.log, re.MULTILINE)[1])
        for label, name in NAMES.items()
    }
    return values | {"seconds": run.timings["Loop"]}


def simulate(c: Context, number: int) -> pd.DataFrame:
    unit = hertz_time()
    material = f"{MODULUS!r} {POISSON!r}"
    real = f"hertz/material {MODULUS!r} {RESTITUTION!r} {POISSON!r} damping coeff_restitution"
    rows = [{"law": "hertz/material", "multiple": 1.0, **shear(c, number, real, unit)}]
    for multiple in MULTIPLES:
        time = multiple * unit
        law = f"actm {time:.17g} {RESTITUTION!r} {material}"
        friction = FRICTION * (c["friction"] if multiple <= JUDGED else 1.0)
        found = shear(c, number, law, time, friction)
        rows.append({"law": "actm", "multiple": multiple, **found})
    return pd.DataFrame(rows).assign(packing=number)


def judge(c: Context, table: pd.DataFrame) -> None:
    real = table[table["law"] == "hertz/material"]

    def over_real(name: str, multiple: float) -> Interval:
        soft = table[(table["law"] == "actm") & (table["multiple"] == multiple)]
        return statistics.ratio(soft[name], real[name])

    for multiple in (m for m in MULTIPLES if m <= JUDGED):
        softened = f"{multiple:g} times the collision time of the material"
        c.check(
            f"stress ratio at {softened} / that of the material",
            measured=over_real("stress", multiple),
            reference=1.0,
            tolerance=0.1,
            reason=(
                "the inertial number determines the stress ratio of rigid grains; the stress ratio"
                " of grains that overlap by less than 1 % differs by a few per cent; half the"
                " friction would change the stress ratio by a fifth"
            ),
        )
        c.check(
            f"volume fraction at {softened} / that of the material",
            measured=over_real("fraction", multiple),
            reference=1.0,
            tolerance=0.02,
            reason=(
                "an overlap of x diameters increases the volume fraction by a factor of 1 + 3 x; at"
                " twice the collision time, x is 0.001"
            ),
        )
    c.check(
        f"contacts per grain at {MULTIPLES[-1]:g} times the collision time of the material / those"
        " of the material",
        measured=over_real("contacts", MULTIPLES[-1]),
        reference=1.2,
        kind="at_least",
        reason="softer grains touch more neighbours",
    )


def tell(c: Context, reference: pd.Series, soft: pd.DataFrame) -> None:
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
    c.note(
        f"Values at {multiples} times the collision time of the material, followed by the values of"
        f" the material itself in brackets: {', '.join(parts)}."
    )


def draw(c: Context, reference: pd.Series, soft: pd.DataFrame) -> None:
    figure, axes = panels(len(NAMES), height=3.2)
    for axis, (label, name) in zip(axes, NAMES.items(), strict=True):
        axis.semilogx(soft["multiple"], soft[name], "o-")
        axis.axhline(reference[name], color="0.5", linewidth=0.8)
        axis.set(title=label.split(",")[0], xlabel="collision time / that of the material")
        axis.set_xticks(soft["multiple"], [f"{multiple:g}" for multiple in soft["multiple"]])
        axis.minorticks_off()
    c.figure("softening", figure, "Softened packings. Grey lines show the material itself.")


def run(c: Context) -> None:
    table = pd.concat([simulate(c, number) for number in range(PACKINGS)])
    c.table(
        "softening",
        table,
        "Flow properties. multiple: collision time / collision time of the material.",
    )
    judge(c, table)
    means = table.groupby(["law", "multiple"], as_index=False).mean()
    soft = means[means["law"] == "actm"]
    (reference,) = (row for _, row in means[means["law"] != "actm"].iterrows())
    tell(c, reference, soft)
    draw(c, reference, soft)


CASE = Case(
    name="softening",
    title=(
        "A packing softened by a longer collision time flows at the same stress ratio, but with"
        " more contacts"
    ),
    source="[midi2004] flow of rigid grains as a function of the inertial number",
    tier="full",
    parameters={"friction": 1.0},
    spoil={"friction": 0.5},  # factor on the friction at the judged collision times
    run=run,
    timeout=3600.0,
)
