"""The energy balance of compute granular/ledger closes.

This also holds on several ranks and across restarts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.outputs import LOSSES, STORED, pair_local
from pysuite.validation.references import mindlin

RESISTANCES = "rolling sds 1e3 5 0.1 twisting sds 300 1 0.05"
MARSHALL = "rolling sds 1e3 5 0.1 twisting marshall"
HOOKE = "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"
HERTZ = f"hertz 4e5 200 tangential mindlin_rescale/force 3e5 0.8 0.3 {RESISTANCES}"
MATERIAL = f"hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3 {MARSHALL}"
JKR = f"jkr 6e5 200 0.25 5 tangential mindlin_rescale/force NULL 1 0.3 {RESISTANCES}"
COMPLETE = "hertz/material 6e5 200 0.25 tangential mindlin_deresiewicz 0.8 0.3"
ACTM = f"actm 0.008 0.6 6e5 0.25 tangential mindlin NULL 1 0.3 {MARSHALL}"
MODELS = {
    "hooke": HOOKE,
    "hooke, dsds": f"{HOOKE} slider dsds",
    "hooke, truncate": f"{HOOKE} slider truncate",
    "hooke, all": f"{HOOKE} {RESISTANCES}",
    "velocity, no history": "hooke 2e4 8 damping velocity tangential linear_nohistory 0.8 0.3",
    "restitution": "hooke 2e4 0.7 damping coeff_restitution tangential linear_history 1e4 1 0.3"
    " limit_damping",
    "hertz": HERTZ,
    "hertz, dsds": f"{HERTZ} slider dsds",
    "hertz, rescaled": HERTZ.replace("mindlin_rescale/force", "mindlin_rescale"),
    "material": MATERIAL,
    "material, force": MATERIAL.replace("mindlin", "mindlin/force"),
    "deresiewicz": f"{COMPLETE} {MARSHALL}",
    "deresiewicz, alone": COMPLETE,
    "dmt": JKR.replace("jkr", "dmt"),
    "jkr": JKR,
    "actm": ACTM,
    "actm, NULL": ACTM.replace("6e5", "NULL").replace("mindlin", "mindlin_rescale/force"),
}
# In these models, a change of the contact radius creates no energy. The models hertz, dmt and jkr
# store a force, which decreases with the radius. In the model deresiewicz, springs slip.
PASSIVE = ("hooke", "hooke, all", "hertz", "deresiewicz, alone", "dmt", "jkr")

LEDGER = """
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
"""


def pair_of(model: str, ledger: str = "ledger yes") -> str:
    return f"pair_style granular/plus {ledger}\npair_coeff * * {model}"


def lost(row: pd.Series) -> float:
    return row[LOSSES].sum()


def largest_difference(one: pd.Series, other: pd.Series) -> float:
    energies = [*STORED, *LOSSES, "created", "potential", "residual"]
    assert (one[["contacts", "sliding_contacts"]] == other[["contacts", "sliding_contacts"]]).all()
    return (one[energies] - other[energies]).abs().max()


# ------------------------------------------------------------------------------------- the balance


@pytest.mark.parametrize("name", MODELS)
def test_the_balance_closes(packing, tools, name):
    """The time steps are 1/80 and 1/160 of the collision time."""
    residuals = []
    for step, steps in ((1e-4, 2000), (5e-5, 4000)):
        move = tools.move.replace("timestep 1e-4", f"timestep {step}")
        script = f"{tools.setup}{pair_of(MODELS[name])}{move}{LEDGER}thermo 100\nrun {steps}"
        table = packing.run(script).ledger
        assert abs(table["residual"].iloc[0]) <= 1e-14 * table["kinetic_translation"].iloc[0]
        residuals.append(table["residual"].abs().max() / lost(table.iloc[-1]))
        for loss in ("normal_dashpot", "slip"):
            assert table[loss].iloc[-1] > 0.005 * lost(table.iloc[-1]), loss
    print(f"{name}: {residuals[0]:.1e} {residuals[1]:.1e}")
    assert residuals[0] <= 1e-3
    # Errors are at least of first order in the time step. The factor exceeds 0.5, because contacts
    # begin at different times within a step. Below 1e-5, errors of opposite sign cancel.
    assert residuals[1] <= max(0.6 * residuals[0], 1e-5)


ACTM_TIME = 0.01
GAS = """
units lj
atom_style sphere
comm_modify vel yes
lattice sc 0.6
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
set group all diameter 1 density 1
velocity all create 5 4711 loop geom
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
timestep {step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 100
run 3000
"""


@pytest.mark.parametrize(
    "law",
    [
        "hooke 2e4 20 damping mass_velocity tangential linear_history 1e4 0.5 0.5",
        "hooke 2e4 0.7 damping coeff_restitution tangential linear_history 1e4 0.5 0.5",
        "hertz 2e4 30 tangential mindlin_rescale/force 1e4 0.5 0.5",
        f"hertz 2e4 30 tangential mindlin_rescale/force 1e4 0.5 0.5 {RESISTANCES}",
        "hertz/material 3e4 0.7 0.3 damping tsuji tangential mindlin NULL 0.5 0.5",
        f"actm {ACTM_TIME} 0.7 NULL 0.3 tangential mindlin_rescale/force NULL 0.5 0.5",
    ],
)
def test_the_balance_closes_in_a_gas(packing, law):
    """The time step is 1/50 of the collision time."""
    speed, mass, radius = 5.0, 0.25 * np.pi / 3, 0.25  # effective mass and radius
    if law.startswith("actm"):
        time = ACTM_TIME
    elif law.startswith("hooke"):
        time = np.pi * np.sqrt(mass / 2e4)
    else:
        stiffness = (2e4 if "material" not in law else 4 / 3 * 3e4 / (2 * 0.91)) * np.sqrt(radius)
        time = 3.218 * (mass**2 / (stiffness**2 * speed)) ** 0.2
    table = packing.run(GAS.format(law=law, step=time / 50)).ledger
    part = table["residual"].abs().max() / lost(table.iloc[-1])
    print(f"{part:.1e}")
    assert lost(table.iloc[-1]) > 0.3 * table["kinetic_translation"].iloc[0]
    assert part <= 1e-3


IMPACT = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single -0.505 0 0
create_atoms 1 single 0.505 0 0
set group all diameter 1 density 1.9098593171027443
variable approach atom -x/abs(x)*{speed}
variable shear atom x*{shear}
velocity all set v_approach v_shear 0
set atom 1 omega 0.1 0.2 0.3
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
timestep {step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 1
run {steps}
"""


def impact(packing, law: str, *, step: float, time: float = 0.3, speed=1.0, shear=1.0):
    script = IMPACT.format(law=law, step=step, speed=speed, shear=shear, steps=round(time / step))
    return packing.run(script).ledger


def test_a_contact_that_ends_loses_what_is_in_its_springs(packing):
    """Springs are undamped and far from the Coulomb limit, so there are no other losses."""
    law = (
        "hooke 1e4 0 damping velocity tangential linear_history 3e3 0 1e6"
        " rolling sds 2e3 0 1e6 twisting sds 300 0 1e6"
    )
    table = impact(packing, law, step=5e-6, time=0.03)
    touching = table[table["contacts"] == 1].iloc[-1]
    end = table.iloc[-1]
    assert end["contacts"] == 0
    for spring, loss in (
        ("elastic_tangential", "slip"),
        ("elastic_rolling", "rolling"),
        ("elastic_twisting", "twisting"),
    ):
        assert end[spring] == 0.0
        assert touching[spring] > 0.0
        # the work in the last half step causes the difference
        assert end[loss] == pytest.approx(touching[spring], rel=0.1), loss
    assert end["created"] == 0.0
    assert abs(end["residual"]) < 1e-4 * (end["kinetic_translation"] + end["kinetic_rotation"])


def test_jkr_snaps_in_and_pulls_off(packing):
    """The loss is the difference of the energies at pull-off and when the surfaces first touch.

    Both energies are negative, because they are relative to separated surfaces. The energy is
    8/15 E a^5/R^2 - 8/3 sqrt(pi w E) a^3.5/R + 2 pi w a^2. Here a is the contact radius, E is the
    effective modulus, R is the effective radius, and w is the surface energy.
    """
    modulus, poisson, surface = 1e5, 0.3, 2.0
    effective, radius = modulus / (2 * (1 - poisson**2)), 0.25
    law = f"jkr {modulus} 0 {poisson} {surface} tangential linear_nohistory 0 0"

    def energy(a):
        return (
            8 / 15 * effective * a**5 / radius**2
            - 8 / 3 * np.sqrt(np.pi * surface * effective) * a**3.5 / radius
            + 2 * np.pi * surface * a**2
        )

    # The overlap is a^2/R - 2 sqrt(pi w a/E). It is zero when the surfaces first touch. The contact
    # breaks at the largest tension.
    at_touch = (4 * np.pi * surface * radius**2 / effective) ** (1 / 3)
    at_end = (9 * np.pi * surface * radius**2 / (4 * effective)) ** (1 / 3)
    ends = []
    for step in (4e-5, 2e-5, 1e-5):
        end = impact(packing, law, step=step, time=0.1, shear=0.0).iloc[-1]
        assert end["contacts"] == 0
        assert end["elastic_normal"] == 0.0
        ends.append(end)
    expected = energy(at_end) - energy(at_touch)
    assert expected > 0
    assert ends[-1]["normal_dashpot"] == pytest.approx(expected, rel=0.05)
    for end, step in zip(ends, (4e-5, 2e-5, 1e-5), strict=True):
        # At snap-in and at pull-off, the error is at most the largest force times the relative
        # displacement in a step.
        tension = 3 * np.pi * surface * radius
        assert abs(end["residual"]) <= 2 * tension * 2.0 * step


@pytest.mark.parametrize("speed", [0.05, 1.0])
def test_jkr_balance_in_a_cycle(packing, speed):
    law = JKR.replace("6e5 200 0.25 5", "1e5 100 0.3 2")
    residuals = []
    for step in (1e-4, 5e-5, 2.5e-5):
        table = impact(packing, law, step=step, speed=speed, shear=0.3)
        assert table["contacts"].iloc[-1] == (speed < 0.5)
        residuals.append(table["residual"].abs().max() / lost(table.iloc[-1]))
    assert residuals[0] < 1e-2
    # The last residual may exceed a quarter of the first one, because contacts begin and end within
    # steps.
    assert residuals[2] < 0.5 * residuals[0]


# ---------------------------------------------------------------------------------- single entries


def test_energies_are_those_of_lammps(packing, tools):
    values = ["sliding", *STORED[2:6]]
    more = f"""
compute contact all pair/local {pair_local(*values)}
compute sum all reduce sum c_contact[*] inputs local
compute turning all erotate/sphere
variable weight atom mass*z
compute weight all reduce sum v_weight
thermo_style custom step ke c_turning c_weight c_sum[*] c_ledger[*]
thermo_modify norm no format float %.17g
thermo 50
run 200
"""
    model = pair_of(HERTZ)
    run = packing.run(f"{tools.setup}{model}{tools.move}{LEDGER}{more}")
    table, thermo = run.ledger, run.thermo
    sums = thermo.filter(like="c_sum").set_axis(values, axis=1)
    for entry, expected in {
        "kinetic_translation": thermo["KinEng"],
        "kinetic_rotation": thermo["c_turning"],
        "potential": thermo["c_weight"],
        **{name: sums[name] for name in values[1:]},
    }.items():
        assert expected.iloc[-1] > 0, entry
        np.testing.assert_allclose(table[entry], expected, rtol=1e-10, err_msg=entry)
    # Compute pair/local uses velocities at full steps. The ledger uses velocities at half steps.
    np.testing.assert_allclose(table["sliding_contacts"], sums["sliding"], rtol=0.02)
    assert (table[["capillary", "rupture", "wall_work", "bridges", "ruptures"]] == 0).all(axis=None)


@pytest.mark.parametrize("name", PASSIVE)
def test_csds_creates_nothing(packing, tools, name):
    script = f"{tools.setup}{pair_of(MODELS[name])}{tools.move}{LEDGER}run 1000"
    assert packing.run(script).ledger["created"].iloc[-1] == 0.0


PRESSED = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -1 1 -1 1 0 2
create_box 1 box
create_atoms 1 single 0 0 {height}
set group all diameter 1 density 1
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix floor all wall/granular/plus {law} zplane 0 NULL
fix move all move linear {speed} 0 0
timestep 1
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
run {steps}
"""


@pytest.mark.parametrize("part", [0.1, 0.6, 0.9, 1.5])
def test_energies_of_the_complete_law_are_mindlins(packing, part):
    """A ball is pressed against a wall and sheared by `part` times the sliding displacement U.

    The whole contact slides if the shear displacement w exceeds U. According to Cattaneo and
    Mindlin, the displacement at the distance x from the centre is min(w, U (1 - x^2/a^2)), where a
    is the contact radius. Stored and lost energy follow from this displacement.
    """
    spheres = mindlin.Spheres(0.5, 1e4 / 1.82, 1e4 / (4 * 1.3 * 1.7), 0.3)
    approach, steps = 1e-3, 4000
    limit = 0.3 * spheres.normal_force(approach)
    slides = spheres.sliding_displacement(approach)
    law = "hertz/material 1e4 0 0.3 damping velocity tangential mindlin_deresiewicz 0 0.3"
    script = PRESSED.format(
        law=law, height=0.5 - approach, speed=part * slides / steps, steps=steps
    )
    end = packing.run(script).ledger.iloc[-1]
    middle = np.sqrt(max(1.0 - part, 0.0))  # radius of the area that does not slip, divided by a
    energy = (middle * part**2 + 8 / 15 - middle + 2 / 3 * middle**3 - middle**5 / 5) * slides**2
    energy *= 0.5 * spheres.stiffness(approach)
    work = limit * slides * (part - 0.4 * (1.0 - middle**5))
    # the contact forms within the first step, so a part of this step does no work
    step = 2.0 / (part * steps)
    assert end["elastic_tangential"] == pytest.approx(energy, rel=step)
    assert end["slip"] == pytest.approx(work - energy, rel=3.0 * step)
    assert end["created"] == 0.0


@pytest.mark.parametrize(
    "friction",
    [
        "mindlin_deresiewicz 0 0.3",
        "linear_nohistory 10 0.3",
        *(f"linear_history 1e3 0 0.3 slider {name}" for name in ("csds", "dsds", "truncate")),
    ],
)
def test_a_contact_that_slides_counts_once(packing, friction):
    law = f"hertz/material 1e4 1 0.3 damping velocity tangential {friction}"
    script = PRESSED.format(law=law, height=0.499, speed=0.01, steps=100)
    table = packing.run(script).ledger
    assert table["sliding_contacts"].iloc[-1] == 1.0


@pytest.mark.parametrize("model", [HOOKE, HERTZ], ids=["hooke", "hertz"])
def test_dsds_creates_energy_in_oblique_impacts(packing, model):
    """If the dashpot is strong, the slider dsds creates the energy (gamma v - F_max)^2/(2 k)."""
    law = model.replace(" 0.8 0.3", " 5 0.3") + " slider {}"
    created = [
        impact(packing, law.format(slider), step=2e-5, shear=3.0)["created"]
        for slider in ("csds", "dsds")
    ]
    assert (created[0] == 0.0).all()
    assert created[1].iloc[-1] > 0.1
    assert created[1].is_monotonic_increasing


def test_growing_stiffness_creates(packing, tools):
    script = f"{tools.setup}{pair_of(MATERIAL)}{tools.move}{LEDGER}run 1000"
    end = packing.run(script).ledger.iloc[-1]
    assert end["created"] > 1e-3 * lost(end)


# ----------------------------------------------------------------- no effect on runs; ranks


@pytest.mark.parametrize("name", MODELS)
def test_a_ledger_does_not_change_the_run(packing, name):
    without, with_ledger = (
        packing.end(pair_of(MODELS[name], f"ledger {word}")) for word in ("no", "yes")
    )
    assert with_ledger.equals(without)


@pytest.mark.parametrize("model", [HERTZ, JKR], ids=["hertz", "jkr"])
def test_ranks_and_newton_do_not_matter(packing, tools, model):
    """Within 200 steps, trajectories differ only by round-off."""
    script = f"{tools.setup}{pair_of(model)}{tools.move}{LEDGER}run 200"
    ends = [
        packing.run(script, ranks=ranks, newton=newton).ledger.iloc[-1]
        for ranks, newton in ((1, "on"), (1, "off"), (2, "on"), (2, "off"))
    ]
    for other in ends[1:]:
        assert largest_difference(ends[0], other) <= 1e-9 * lost(ends[0])


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_in_pieces_is_one_run(packing, tools, ranks):
    start = f"{tools.setup}{pair_of(HERTZ)}{tools.move}{LEDGER}"
    whole, pieces = (
        packing.run(start + runs, ranks=ranks).ledger.iloc[-1]
        for runs in (
            "run 200\nrun 0",
            # the ledger cannot be read from the log of a run without setup, so add `run 0`
            "run 70 post no\nrun 50 pre no post no\nrun 80 pre no\nrun 0",
        )
    )
    assert largest_difference(whole, pieces) <= 1e-9 * lost(whole)


def test_setup_books_nothing(packing, tools):
    table = packing.run(
        f"{tools.setup}{pair_of(JKR)}{tools.move}{LEDGER}run 100\nrun 0\nrun 0"
    ).ledger
    assert lost(table.iloc[1]) > 0
    for n in (2, 3):
        assert table[LOSSES].iloc[n].equals(table[LOSSES].iloc[1]), n


# ----------------------------------------------------------------------------------------- restart

STEPS = 100
AFTER = """
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
"""


class Restarts:
    def __init__(self, packing, tools, folder: Path):
        self.packing, self.tools, self.folder = packing, tools, folder

    def whole(self, **options):
        script = f"""{self.tools.setup}{pair_of(HERTZ)}{self.tools.move}{LEDGER}
restart {STEPS} {self.folder}/periodic.*
run {STEPS}
write_restart {self.folder}/command
restart 0
run {STEPS}"""
        return self.packing.run(script, **options).ledger

    def second(self, file: str, again: str, **options):
        script = f"""
atom_modify map array sort 60 0
newton ${{newton}}
comm_modify vel yes
read_restart {self.folder}/{file}
{AFTER}{again}{self.tools.move}{LEDGER}run {STEPS}"""
        return self.packing.run(script, **options).ledger


@pytest.fixture
def restarts(packing, tools, tmp_path):
    return Restarts(packing, tools, tmp_path)


@pytest.mark.parametrize("again", ["", pair_of(HERTZ)], ids=["kept", "repeated"])
@pytest.mark.parametrize("file", ["command", f"periodic.{STEPS}"])
def test_totals_go_on_after_a_restart(restarts, file, again):
    expected = restarts.whole()
    found = restarts.second(file, again)
    assert lost(expected.iloc[2]) < lost(expected.iloc[-1])
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), expected.iloc[-2:].reset_index(drop=True), check_exact=True
    )


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (2, 2)])
@pytest.mark.parametrize("again", ["", pair_of(HERTZ)], ids=["kept", "repeated"])
def test_totals_go_on_on_other_ranks(restarts, before, after, again):
    expected = restarts.whole(ranks=before)
    for file in ("command", f"periodic.{STEPS}"):
        found = restarts.second(file, again, ranks=after)
        begin, end = expected.iloc[-2], expected.iloc[-1]
        # Sums are added in different orders. After 100 steps, trajectories have accumulated
        # round-off.
        kinetic = begin["kinetic_translation"]
        assert largest_difference(begin, found.iloc[0]) <= 1e-12 * kinetic, file
        assert largest_difference(end, found.iloc[-1]) <= 1e-9 * lost(end), file


def is_rounding(residual: float, row: pd.Series) -> bool:
    """Return whether the residual is only round-off of the energies that are added."""
    return abs(residual) <= 4 * np.finfo(float).eps * row[STORED].abs().max()


def test_a_ledger_may_be_opened_late(restarts, packing, tools):
    start = f"{tools.setup}{pair_of(HERTZ, '')}{tools.move}"
    packing.run(f"{start}run {STEPS}\nwrite_restart {restarts.folder}/command")
    table = restarts.second("command", pair_of(HERTZ))
    assert is_rounding(table["residual"].iloc[0], table.iloc[0])
    assert lost(table.iloc[0]) == 0.0
    assert abs(table["residual"].iloc[-1]) < 1e-2 * lost(table.iloc[-1])


def test_a_ledger_opened_between_two_runs_changes_nothing(packing, tools):
    run = f"run {STEPS}\n"
    whole = packing.run(f"{tools.setup}{pair_of(HERTZ)}{tools.move}{LEDGER}{run}{run}").ledger
    late = packing.run(
        f"{tools.setup}{pair_of(HERTZ, '')}{tools.move}{run}"
        f"pair_style granular/plus ledger yes{LEDGER}{run}"
    ).ledger
    whole, late = (table.iloc[-2:].reset_index(drop=True) for table in (whole, late))
    assert (late["elastic_tangential"] > 0.0).all()
    pd.testing.assert_frame_equal(late[STORED], whole[STORED], check_exact=True)
    assert is_rounding(late["residual"].iloc[0], late.iloc[0])
    assert late[LOSSES].diff().iloc[1].sum() == pytest.approx(whole[LOSSES].diff().iloc[1].sum())


# --------------------------------------------------------------------------------------- bad input


BOX = """
atom_style sphere
comm_modify vel yes
region box block 0 1 0 1 0 1
create_box 1 box
create_atoms 1 single 0.5 0.5 0.5
"""
RUN = "\nfix move all nve/sphere\nthermo_style custom step c_ledger[*]\nrun 0"


@pytest.mark.parametrize(
    ("commands", "named"),
    [
        (pair_of(HOOKE, "") + "\ncompute ledger all granular/ledger", ["ledger yes"]),
        (pair_of(HOOKE, "ledger no") + "\ncompute ledger all granular/ledger", ["ledger yes"]),
        (
            pair_of(HOOKE) + "\ngroup some id 1\ncompute ledger some granular/ledger",
            ["group = some must be all"],
        ),
        (pair_of(HOOKE) + "\ncompute ledger all granular/ledger bank", ["keyword bank", "reset"]),
        (
            pair_of(HOOKE) + "\ncompute ledger all granular/ledger reset maybe",
            ["keyword reset: maybe must be yes or no"],
        ),
        (pair_of(HOOKE) + "\ncompute ledger all granular/ledger reset", ["needs yes or no"]),
        (
            "pair_style zero 1.0\npair_coeff * *\ncompute ledger all granular/ledger",
            ["pair_style granular/plus"],
        ),
        ("pair_style granular/plus ledger", ["ledger", "yes, no or collisions"]),
        (
            "pair_style granular/plus ledger maybe",
            ["keyword ledger: maybe", "yes, no or collisions"],
        ),
        ("pair_style granular/plus 1.5 ledger yes journal", ["journal", "ledger, list, skin"]),
        (
            "pair_style granular/plus ledger yes ledger no",
            ["keyword ledger = no must be given only once", "ledger = yes"],
        ),
        ("pair_style granular/plus journal yes", ["journal"]),
    ],
)
def test_what_is_refused(lammps_error, commands, named):
    message = lammps_error(BOX + commands + RUN)
    for word in named:
        assert word in message


TWO = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {place}
set group all diameter 0.2 mass 1
set atom 2 vx {vx} vy {vy}
timestep {step}
fix move all nve/sphere
thermo 1
"""
FREE = "tangential linear_nohistory 0 0"
MET = f"""
compute met all pair/local {pair_local("approach_speed", "contact_time", "largest_overlap")}
dump met all local 1 met c_met[*]
dump_modify met format float %.17g
"""


# The distance is exactly 0.2. Its computed square is slightly less than the square of the diameter.
TOUCHING, TOWARDS = "0.12 0.16 0", np.array([-0.6, -0.8])
STEP = 1e-5


def two(place: str = TOUCHING, approach: float = 0.0) -> str:
    vx, vy = approach * TOWARDS
    return TWO.format(place=place, vx=vx, vy=vy, step=STEP)


def met(commands: str, approach: float) -> np.ndarray:
    run = engine.run(two(approach=approach) + commands)
    return run.local("met")[["approach_speed", "contact_time", "largest_overlap"]].to_numpy()


@pytest.mark.parametrize("before", ["collisions", "yes", "no"])
def test_a_cohesive_contact_across_a_gap_begins_once(before):
    law = f"\npair_coeff * * jkr 1e3 0 0.3 0.5 {FREE}\n"
    found = met(
        f"pair_style granular/plus ledger {before}{law}run 40\n"
        f"pair_style granular/plus ledger collisions{law}{MET}run 20",
        approach=-0.5,
    )
    assert np.isfinite(found).all()
    speed, time, _ = found.T
    assert len(set(speed)) == 1
    np.testing.assert_allclose(np.diff(time)[1:], STEP, rtol=1e-9)


def test_grains_that_just_touch_begin_once():
    style = f"pair_style granular/plus ledger collisions\npair_coeff * * hertz 1e3 0 {FREE}\n"
    found = met(f"{style}{MET}run 10", approach=1.0)
    np.testing.assert_allclose(found[:, 0], 1.0, rtol=1e-9)


def test_what_a_ledger_does_not_keep_is_forgotten():
    """A collision is measured anew after `ledger yes`, which does not store collisions.

    With `ledger collisions` and `ledger yes`, a contact has equally many values of history, because
    their number is rounded up to whole vectors.
    """
    law = (
        "\npair_coeff * * hooke 1e3 0 tangential linear_history 1e3 0 0.1"
        " rolling sds 1e2 0 0.1 twisting sds 1e2 0 0.1\n"
    )
    found = met(
        f"pair_style granular/plus ledger collisions{law}run 40\n"
        f"pair_style granular/plus ledger yes{law}run 40\n"
        f"pair_style granular/plus ledger collisions{law}{MET}run 20",
        approach=0.5,
    )
    assert 19.5 * STEP < found[-1, 1] < 20.5 * STEP


BRIDGE = " bridge willett 0.5 20 volume 1e-5"


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    ("before", "then", "kept"),
    [
        (("collisions", BRIDGE), ("collisions", ""), True),
        (("collisions", ""), ("collisions", BRIDGE), True),
        (("yes", BRIDGE), ("collisions", ""), False),
        (("yes", ""), ("collisions", BRIDGE), False),
    ],
)
def test_a_bridge_that_comes_or_goes_leaves_the_collision(tmp_path, before, then, kept, restart):
    """With `ledger collisions`, a liquid bridge of fixed volume has no history."""
    styles = [
        f"pair_style granular/plus ledger {ledger}\n"
        f"pair_coeff * * hooke 1e3 0 tangential linear_history 1e3 0 0.1{bridge}\n"
        for ledger, bridge in (before, then)
    ]
    between = ""
    if restart:
        file = tmp_path / "between"
        between = f"write_restart {file}\nclear\nplugin restore\nread_restart {file}\n"
        between += f"timestep {STEP}\nfix move all nve/sphere\nthermo 1\n"
        # History in a restart file is not read if the ledger or the bridge has changed.
        kept = False
    found = met(f"{styles[0]}run 40\n{between}{styles[1]}{MET}run 20", approach=0.5)
    steps = 60 if kept else 20
    assert (steps - 0.5) * STEP < found[-1, 1] < (steps + 0.5) * STEP
    np.testing.assert_allclose(found[:, 0], 0.5, rtol=1e-2)


def test_a_ledger_opens_anew_after_a_run_without():
    style = "pair_style granular/plus ledger {}\npair_coeff * * hertz 1e3 0 " + FREE + "\n"
    output = "compute ledger all granular/ledger\nthermo_style custom step c_ledger[*]\n"
    output += "thermo_modify norm no format float %.17g\n"
    run = engine.run(
        two(approach=1.0)
        + f"{style.format('yes')}run 100\n{style.format('no')}run 100\n"
        + f"{style.format('yes')}{output}run 100"
    )
    ledger = run.ledger.dropna()
    assert len(ledger) == 101
    assert ledger["residual"].abs().max() < 1e-6 * ledger["kinetic_translation"].max()


@pytest.mark.parametrize("overlap", [0.0, 1e-8])
def test_contacts_without_energy_are_not_new_for_the_ledger(overlap):
    """At an overlap of 0, a DMT contact has a force but no energy."""
    place = TOUCHING if overlap == 0.0 else f"0.12 {0.16 - overlap:.17g} 0"
    run = engine.run(
        two(place)
        + pair_of(f"dmt 1e3 0 0.3 0.5 {FREE}")
        + "\ncompute ledger all granular/ledger\nthermo_style custom step c_ledger[*] ke"
        + "\nthermo_modify norm no format float %.17g\nrun 50"
    )
    ledger = run.ledger
    energy = run.thermo["KinEng"].max()
    assert energy > 0.0
    assert ledger["contacts"].iloc[-1] == 1
    assert abs(ledger["normal_dashpot"].iloc[-1]) < 1e-12 * energy
    assert abs(ledger["residual"].iloc[-1]) < 1e-4 * energy


CHANGED = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
newton off
comm_modify vel yes
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single 0 0 0.49
create_atoms 1 single 0.97 0 0.49
set group all diameter 1 density 1
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix wall all wall/granular/plus {law} zplane 0 NULL
fix move all nve/sphere
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify norm no format float %.17g
timestep 1e-4
group one id 1
run 100
run 0
{commands}
run 0
"""


@pytest.mark.parametrize(
    "commands",
    [
        "displace_atoms all move 0 0 -0.01",
        "displace_atoms one move 0.02 0 0",
        "set group all diameter 1.02",
        "",
    ],
    ids=["into the wall", "into the other", "larger", "none"],
)
def test_what_commands_do_to_contacts_is_brought_in(commands):
    law = "hooke 1e4 0 tangential linear_history 3e3 0 0.5"
    ledger = engine.run(CHANGED.format(law=law, commands=commands)).ledger
    before, again, after = ledger.iloc[-3], ledger.iloc[-2], ledger.iloc[-1]
    energies = ["elastic_normal", "elastic_tangential", "kinetic_translation", "kinetic_rotation"]
    for name in [*energies, "exchanged", "residual"]:
        assert again[name] == before[name]
    put_in = after[energies].sum() - before[energies].sum()
    assert bool(put_in > 0.1) == bool(commands)
    assert after["exchanged"] == pytest.approx(put_in, abs=1e-12)
    assert after["residual"] == pytest.approx(before["residual"], abs=1e-12)
