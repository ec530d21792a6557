"""Van der Waals attraction acts across gaps of pairs and walls, and conserves energy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, laws, meshes
from pysuite.outputs import pair_local

A, D0, CUTOFF = 0.6, 0.02, 0.15
PULL = f"van_der_waals {A} {D0} {CUTOFF}"
FREE = "hertz 4e5 0 damping velocity tangential linear_nohistory 0 0"
RUBS = "hertz 4e5 20 damping mass_velocity tangential mindlin_rescale/force 3e5 1 0.3"


def pull(gap: np.ndarray, radius: float) -> np.ndarray:
    return np.where(gap < CUTOFF, A * radius / (6.0 * np.maximum(gap, D0) ** 2), 0.0)


def energy(gap: np.ndarray, radius: float) -> np.ndarray:
    closer = np.minimum(gap - D0, 0.0) * A * radius / (6.0 * D0**2)
    found = A * radius / 6.0 * (1.0 / CUTOFF - 1.0 / np.maximum(gap, D0)) + closer
    return np.where(gap < CUTOFF, found, 0.0)


@pytest.mark.parametrize("wall", [False, True])
def test_the_force_is_hamakers(wall):
    """If surfaces overlap, the force has the same value as at the gap D0.

    At a plane, the effective radius is the radius of the grain.
    """
    gap = np.array([-0.01, -1e-6, 0.0, 1e-3, 0.0199, 0.0201, 0.05, 0.1499, 0.1501, 0.3])
    one, other = 0.5, 0.0 if wall else 0.3
    effective = one if wall else one * other / (one + other)
    separation = np.zeros((len(gap), 3))
    separation[:, 0] = one + other + gap
    still = np.zeros((len(gap), 3))
    forces = []
    for text in (f"{FREE} {PULL}", FREE):
        model = laws.ContactModel(text, wall=wall)
        step = model.evaluate(separation, still, radius_i=one, radius_j=other, timestep=1e-4)
        forces.append(step.force[:, 0])
    # the tolerance is the round-off of forces, which are about 100
    expected = -pull(gap, effective)
    np.testing.assert_allclose(forces[0] - forces[1], expected, rtol=1e-12, atol=1e-12)


PAIR = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single -0.6 0 0
create_atoms 1 single 0.6 0.05 0
set group all diameter 1 mass 1
set atom 1 vx 0.3
set atom 2 vx -0.3
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix move all nve/sphere
timestep {step}
compute ledger all granular/ledger
compute contact all pair/local {values}
dump contact all local 1 contact c_contact[*]
dump_modify contact format float %.17g
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 1
"""
NAMES = ["gap", "van_der_waals_force", "van_der_waals_energy"]


def test_a_pair_meets_and_parts_with_its_energy():
    residuals = []
    for step in (2e-4, 1e-4):
        text = PAIR.format(law=f"{FREE} {PULL}", step=step, values=pair_local(*NAMES))
        run = engine.run(f"{text}run {round(1.6 / step)}")
        ledger, seen = run.ledger, run.local("contact")
        gap = seen["gap"].to_numpy()
        np.testing.assert_allclose(seen["van_der_waals_force"], pull(gap, 0.25), rtol=1e-12)
        np.testing.assert_allclose(
            seen["van_der_waals_energy"], energy(gap, 0.25), rtol=1e-9, atol=1e-12
        )
        held = ledger["van_der_waals"]
        assert held.iloc[0] == held.iloc[-1] == 0.0
        assert held.min() == pytest.approx(seen["van_der_waals_energy"].min())
        kinetic = ledger["kinetic_translation"]
        deep = -held.min()
        assert deep > kinetic.iloc[0]
        # the residual is the energy lost or gained when the force jumps to zero at the cutoff
        residuals.append(abs(ledger["residual"]).max() / deep)
        assert abs(kinetic.iloc[-1] - kinetic.iloc[0]) <= 5e-3 * deep
        assert ledger["contacts"].max() == 1.0
    assert residuals[0] <= 5e-3
    assert residuals[1] < 0.7 * residuals[0]


def test_what_commands_change_is_brought_in_from_outside():
    text = PAIR.format(law=f"{FREE} {PULL}", step=1e-4, values=pair_local(*NAMES))
    run = engine.run(f"{text}run 1800\nset atom 1 x -0.54 y 0.04\nrun 100")
    ledger = run.ledger
    assert ledger["exchanged"].iloc[-1] != 0.0
    assert abs(ledger["residual"]).max() <= 2e-3 * abs(ledger["van_der_waals"]).max()


FALL = """
units lj
atom_style sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -3 3 -3 3 -3 3
create_box 1 box
create_atoms 1 single 0.3 0.1 0.64
set group all diameter 1 mass 1
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix floor all wall/granular/plus {law} {floor} local
fix move all nve/sphere
fix weight all gravity 0.2 vector 0 0 -1
timestep 1e-4
compute ledger all granular/ledger
variable height equal xcm(all,z)
variable force equal fcm(all,z)
thermo_style custom step v_height v_force c_ledger[*] f_floor[*]
thermo_modify format float %.17g
thermo 1
"""


def floor(folder, name: str) -> str:
    corners = np.array([[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0], [0.1, 0.2, 0]], float)
    triangles = np.array([corners[[k, (k + 1) % 4, 4]] for k in range(4)])
    meshes.write_stl(folder / "floor.stl", triangles)
    if name == "region":
        return "region above"
    return "zplane 0 NULL" if name == "plane" else "mesh floor.stl"


@pytest.mark.parametrize("kind", ["plane", "region", "mesh"])
def test_a_floor_attracts(kind, tmp_path):
    text = FALL.format(law=f"{FREE} {PULL}", floor=floor(tmp_path, kind))
    text = text.replace("fix floor", "region above block EDGE EDGE EDGE EDGE 0 EDGE\nfix floor")
    run = engine.run(f"{text}run 9000", folder=tmp_path)
    thermo, ledger = run.thermo, run.ledger
    gap = thermo["v_height"].to_numpy() - 0.5
    assert gap.min() < -1e-3
    expected = np.where(gap < 0.0, 4e5 * np.sqrt(0.5) * np.maximum(-gap, 0.0) ** 1.5, 0.0)
    expected = expected - 0.2 - pull(gap, 0.5)
    np.testing.assert_allclose(thermo["v_force"], expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ledger["van_der_waals"], energy(gap, 0.5), rtol=1e-9, atol=1e-12)
    assert abs(ledger["residual"]).max() <= 2e-3 * -ledger["van_der_waals"].min()
    wall = run.wall_vector("floor")
    np.testing.assert_allclose(-wall["force_z"], thermo["v_force"] + 0.2, rtol=1e-9, atol=1e-9)


def test_energy_is_conserved_over_an_edge(tmp_path):
    table = meshes.box([-1, -1, -1], [1, 1, 0])
    meshes.write_stl(tmp_path / "floor.stl", table)
    text = FALL.format(law=f"{FREE} {PULL}", floor="mesh floor.stl")
    text = text.replace("0.3 0.1 0.64", "0.3 0.1 0.6").replace("gravity 0.2", "gravity 0")
    text += "set group all vx 2.0\n"
    residuals = []
    for step in (1e-4, 5e-5):
        run = engine.run(
            f"{text}timestep {step}\nrun {round(0.9 / step)}", folder=tmp_path, timeout=100
        )
        ledger = run.ledger
        held = -ledger["van_der_waals"].min()
        assert held > 1.0
        residuals.append(abs(ledger["residual"]).max() / held)
    print(residuals)
    assert residuals[0] <= 1e-2
    assert residuals[1] < 0.7 * residuals[0]


WITHIN = """
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single {place}
set group all diameter 1 mass 1
velocity all set {velocity}
region wall {region}
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix wall all wall/granular/plus {law} region wall
fix move all nve/sphere
timestep {step}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify norm no format float %.17g
thermo 50
"""
# each tuple lists the position and velocity of the grain, and the time that it spends near the wall
INSIDE, PAST = ("0.3 0.2 -0.7", "0.7 0.4 -0.9", 8.0), ("1.75 0.2 0.2", "-0.6 0 0.7", 2.5)
REGIONS = {
    "cylinder": ("cylinder z 0 0 1.75 -2 2", INSIDE),
    "cone": ("cone z 0 0 1 2.5 -2 2", INSIDE),
    "blunt cone": ("cone z 0 0 1.5 2 -2 2", INSIDE),
    "sphere": ("sphere 0 0 0 2", INSIDE),
    "block": ("block -2 2 -2 2 -2 2", INSIDE),
    "rod": ("cylinder z 0 0 1 INF INF side out", ("1.75 0.2 0.2", "-0.6 0.4 0.3", 2.5)),
    "past the end of a rod": ("cylinder z 0 0 1 -1 1 side out", PAST),
    "past the rim of a tube": ("cylinder z 0 0 1.75 -2 1 open 2", ("1.1 0 0.2", "0.2 0 0.5", 4.0)),
    "past the base of a cone": ("cone z 0 0 1.5 1 -1 1 side out", PAST),
}


@pytest.mark.parametrize("law", ["", "van_der_waals 2 0.05 0.5"], ids=["hertz", "attraction"])
@pytest.mark.parametrize("kind", REGIONS)
def test_energy_is_conserved_at_regions(kind, law):
    """If the force did not conserve energy, the error would not decrease with the time step."""
    region, (place, velocity, time) = REGIONS[kind]
    contact = f"hertz 1e4 0 damping velocity tangential linear_nohistory 0 0 {law}"
    errors = []
    for step in (4e-4, 1e-4):
        text = WITHIN.format(region=region, law=contact, step=step, place=place, velocity=velocity)
        ledger = engine.run(f"{text}run {round(time / step)}").ledger
        held = ledger["kinetic_translation"] + ledger["elastic_normal"] + ledger["van_der_waals"]
        scale = ledger["kinetic_translation"].max()
        errors.append(np.abs(held - held.iloc[0]).max() / scale)
        errors[-1] = max(errors[-1], np.abs(ledger["residual"]).max() / scale)
        assert ledger["elastic_normal"].max() > 0.0
    # the error is at least of first order in the time step
    assert errors[0] <= 5e-4
    assert errors[1] <= errors[0] / 4


MAKE = """
units lj
atom_style sphere
boundary p p f
region box block 0 5 0 5 -1 6
create_box 2 box
lattice sc 0.8
region fill block 0.1 4.9 0.1 4.9 0.7 4 units box
create_atoms 1 region fill
set type 1 type/subset 2 20 4711
set type 1 diameter 0.9 density 1
set type 2 diameter 0.7 density 1
displace_atoms all random 0.03 0.03 0.03 8123
velocity all create 1.0 8731 loop all
write_data grains.data
"""
GAS = """
units lj
atom_style sphere
atom_modify map array sort 20 0
boundary p p f
newton {newton}
comm_modify vel yes
read_data grains.data
neighbor {skin} bin
pair_style granular/plus ledger yes
pair_coeff 1 1 {law}
pair_coeff 2 2 {other}
fix floor all wall/granular/plus {law} zplane 0 NULL
fix lid all wall/granular/plus {law} zplane NULL 5
fix move all nve/sphere
fix weight all gravity 5 vector 0 0 -1
timestep 2e-4
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
thermo 100
"""
WEAKER = f"{RUBS} van_der_waals 0.3 0.01 0.1"


def pack(newton: str = "on", skin: float = 0.2) -> str:
    return GAS.format(law=f"{RUBS} {PULL}", other=WEAKER, newton=newton, skin=skin)


@pytest.fixture
def folder(tmp_path):
    engine.run(MAKE, folder=tmp_path)
    return tmp_path


def test_many_grains_on_any_ranks(tools, folder):
    end = f"run 1500\n{tools.dump_command('end')}"
    runs = {
        (ranks, newton, skin): engine.run(
            pack(newton, skin).replace("grains.data", str(folder / "grains.data")) + end,
            ranks=ranks,
            timeout=300,
        )
        for ranks, newton, skin in ((1, "on", 0.2), (2, "on", 0.2), (2, "off", 0.2), (1, "on", 0.6))
    }
    first, *others = runs.values()
    ledger = first.ledger.iloc[-1]
    assert ledger["van_der_waals"] < -1.0
    assert abs(ledger["residual"]) <= 1e-2 * ledger["normal_dashpot"]
    for other in others:
        # the tolerance is wide because collisions amplify round-off
        assert max(tools.difference(first.dump("end"), other.dump("end")).values()) < 1e-6
        np.testing.assert_allclose(other.ledger.iloc[-1], ledger, rtol=1e-6, atol=1e-6)


def test_a_restart_goes_on_exactly(tools, folder):
    end = tools.dump_command("end")
    text = pack().replace("grains.data", str(folder / "grains.data"))
    whole = engine.run(f"{text}run 400\nrun 400\n{end}")
    engine.run(f"{text}run 400\nwrite_restart half", folder=folder)
    fixes = pack()[pack().index("fix floor") :]
    again = engine.run(
        f"comm_modify vel yes\nread_restart half\nneighbor 0.2 bin\n{fixes}run 400\n{end}",
        folder=folder,
    )
    pd.testing.assert_frame_equal(again.dump("end"), whole.dump("end"))
    residual = abs(again.ledger["residual"] - whole.ledger["residual"].iloc[-1]).iloc[-1]
    assert residual <= 1e-9 * whole.ledger["normal_dashpot"].iloc[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("van_der_waals -1 0.01 0.1", "Hamaker constant A = -1 must be >= 0"),
        ("van_der_waals 1 0 0.1", "D0 = 0 must be > 0"),
        ("van_der_waals 1 0.2 0.1", "Rv = 0.1 must be >= D0 = 0.2"),
        ("van_der_waals 1 0.2", "keyword van_der_waals needs A, D0 and Rv"),
        ("van_der_waals 1 nan 0.1", "D0 = nan must be finite"),
        (f"{PULL} {PULL}", "keyword van_der_waals must be given only once"),
        (f"{PULL} bridge willett 1 20 volume 1e-3", "cannot be combined with bridge willett"),
    ],
)
def test_bad_input_is_named(words, message, lammps_error):
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        laws.ContactModel(f"{FREE} {words}")


@pytest.mark.usefixtures("folder")  # contains grains.data
def test_what_does_not_go_together_is_refused(lammps_error):
    with pytest.raises(ValueError, match="cannot be combined with normal jkr"):
        laws.ContactModel(f"jkr 1e5 0 0.3 1 tangential linear_nohistory 0 0 {PULL}")
    error = lammps_error(
        GAS.format(law=f"{RUBS} {PULL}", other=RUBS, newton="on", skin=0.2) + "run 0"
    )
    assert "cannot mix a model with van_der_waals and a model without this keyword" in error
    error = lammps_error(
        pack().replace("granular/plus ledger", "granular/plus 1.0 ledger") + "run 0"
    )
    assert "the distance at which van der Waals attraction ends" in error


def test_a_step_that_is_too_long_is_noticed():
    """The collision time follows from the stiffness A R/(3 D0^3) of the attraction."""
    soft = "hooke 1e2 0 damping velocity tangential linear_nohistory 0 0"
    for law, warns in ((soft, False), (f"{soft} van_der_waals {A} 1e-3 0.1", True)):
        run = engine.run(PAIR.format(law=law, step=2e-3, values="dist force") + "run 0")
        assert ("WARNING" in run.log) == warns
