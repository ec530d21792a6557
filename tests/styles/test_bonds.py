"""Solid bonds in LAMMPS: beams, motion, breaking, the ledger, ranks and restarts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.outputs import BROKEN_BONDS, DISSIPATION, pair_local
from pysuite.validation.references import bonds
from pysuite.validation.references.bonds import Beam, chain_stiffness

MODULUS, POISSON, RATIO, LENGTH = 1.0e4, 0.25, 0.8, 1.1
CONTACT = "hooke 1e4 0 damping velocity tangential linear_nohistory 0 0"
TOUGH = "tension NULL shear NULL"
BEAM = Beam(MODULUS, POISSON, RATIO / 2, LENGTH)
INERTIA = 0.4 * 0.5**2  # diameter 1, mass 1

SETUP = """
units lj
atom_style bpm/sphere
atom_modify map array
comm_modify vel yes
boundary p p p
"""
MODEL = """
pair_style granular/plus ledger yes
pair_coeff * * {contact} bond beam {modulus} {poisson} {ratio} {strength}
"""
STYLES = """
fix move all nve/bpm/sphere
fix bonds all granular/bond form 0.2 events events.csv
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo_modify format float %.17g
compute q all property/atom quatw quati quatj quatk
"""
FRAMES = """
dump all all custom {every} {name} id mass x y z vx vy vz omegax omegay omegaz fx fy fz tqx tqy &
     tqz c_q[1] c_q[2] c_q[3] c_q[4]
dump_modify all sort id format float %.17g first yes
"""
END = FRAMES.format(every=1_000_000_000, name="end.dump") + "run 0\nundump all\n"


def model(strength: str = TOUGH, contact: str = CONTACT) -> str:
    given = {"modulus": MODULUS, "poisson": POISSON, "ratio": RATIO}
    return MODEL.format(contact=contact, strength=strength, **given)


def rod(grains: int, commands: str, strength: str = TOUGH, length: float = LENGTH, **options):
    """Run commands for a row of bonded spheres of diameter 1 along x. Only bonds exert forces."""
    places = "".join(f"create_atoms 1 single {length * k!r} 0 0\n" for k in range(grains))
    box = f"region box block -4 {length * grains + 3} -9 9 -9 9\ncreate_box 1 box\n{places}"
    script = f"{SETUP}{box}set group all diameter 1 mass 1\n{model(strength)}{STYLES}{commands}"
    return engine.run(script, **options)


def energy(run: engine.Run) -> pd.Series:
    ledger = run.ledger
    names = ("kinetic_translation", "kinetic_rotation", "elastic_normal", "bond")
    return sum(ledger[name] for name in (*names, "bond_damping", "fracture", "normal_dashpot"))


# ----------------------------------------------------------------------------------------- beams


def relax(stiffness: float, mass: float) -> str:
    """Return commands that damp the slowest mode critically.

    The amplitude of this mode falls to 1e-9 of its initial value.
    """
    slowest = float(np.sqrt(stiffness / mass))
    step = 0.01  # a tenth of the period of the fastest mode
    steps = int(25 / slowest / step)
    return f"fix drag all viscous {2 * slowest!r}\ntimestep {step}\nrun {steps}\n{END}"


@pytest.mark.parametrize("grains", [20])
def test_cantilever_bends_as_a_timoshenko_beam(grains):
    span, load = (grains - 1) * LENGTH, 1e-5
    bend = 3 * MODULUS * BEAM.second_moment / span**3
    deflection = load / bend + load * span / (
        BEAM.shear_coefficient * BEAM.shear_modulus * BEAM.area
    )
    run = rod(
        grains,
        f"group clamp id 1\nfix clamp clamp freeze\ngroup tip id {grains}\n"
        f"fix load tip addforce 0 {load} 0\n{relax(bend, 0.25 * grains)}",
    )
    end = run.dump("end.dump")
    assert end["y"].iloc[-1] == pytest.approx(deflection, rel=1e-3)
    assert end["fy"].iloc[0] == 0.0  # fix freeze sets the force on the clamped grain to zero
    slope = 2 * np.arctan2(end["c_q[4]"], end["c_q[1]"]).iloc[-1]
    expected = load * span**2 / (2 * MODULUS * BEAM.second_moment)
    assert slope == pytest.approx(expected, rel=1e-3)


def test_torsion_is_that_of_a_shaft():
    grains, degrees = 20, 0.1
    end = rod(
        grains,
        "run 0\ngroup ends id 1 20\ngroup inside subtract all ends\nunfix move\n"
        f"fix move inside nve/bpm/sphere\nset atom {grains} quat 1 0 0 {degrees}\n"
        "unfix bonds\npair_coeff * * "
        f"{CONTACT} bond beam {MODULUS} {POISSON} {RATIO} {TOUGH} damping 1\n"
        f"timestep 0.005\nrun 40000\n{END}",
    ).dump("end.dump")
    polar = 2 * BEAM.second_moment
    torque = BEAM.shear_modulus * polar * np.radians(degrees) / ((grains - 1) * LENGTH)
    np.testing.assert_allclose(end["tqx"].iloc[[0, -1]], [torque, -torque], rtol=1e-3)
    turned = np.degrees(2 * np.arctan2(end["c_q[2]"], end["c_q[1]"]))
    np.testing.assert_allclose(turned, np.linspace(0, degrees, grains), atol=1e-3 * degrees)


def test_three_point_bending():
    grains, load = 21, 1e-4
    span = (grains - 1) * LENGTH
    bend = 48 * MODULUS * BEAM.second_moment / span**3
    deflection = load / bend + load * span / (
        4 * BEAM.shear_coefficient * BEAM.shear_modulus * BEAM.area
    )
    end = rod(
        grains,
        f"group supports id 1 {grains}\nfix supports supports setforce NULL 0 0\n"
        f"group middle id {grains // 2 + 1}\nfix load middle addforce 0 {-load} 0\n"
        f"{relax(bend, 0.5 * grains)}",
    ).dump("end.dump")
    assert end["y"].iloc[grains // 2] == pytest.approx(-deflection, rel=1e-3)


def test_five_natural_frequencies_of_a_cantilever():
    grains = 20
    # y and the angle about z
    inside = np.concatenate([[6 * k + 1, 6 * k + 5] for k in range(1, grains)])
    stiffness = chain_stiffness([BEAM] * (grains - 1))[np.ix_(inside, inside)]
    inertia = np.tile([1.0, INERTIA], grains - 1)
    values, shapes = np.linalg.eigh(stiffness / np.sqrt(np.outer(inertia, inertia)))
    frequencies = np.sqrt(values[:5])
    shapes = shapes[:, :5] / np.sqrt(inertia)[:, None]
    speed = 1e-5 * shapes @ frequencies  # all five modes have the same amplitude
    begin = "".join(
        f"set atom {k + 2} vy {float(speed[2 * k])!r} omega 0 0 {float(speed[2 * k + 1])!r}\n"
        for k in range(grains - 1)
    )
    step, every = 0.01, 50
    periods = int(2.2 * 2 * np.pi / frequencies[0] / step / every) * every
    run = rod(
        grains,
        f"group clamp id 1\nfix clamp clamp freeze\n{begin}timestep {step}\n"
        f"{FRAMES.format(every=every, name='end.dump')}run {periods}\n",
    )
    frames = run.dump("end.dump")
    y = frames["y"].to_numpy().reshape(-1, grains)[:, 1:]
    turn = 2 * np.arctan2(frames["c_q[4]"], frames["c_q[1]"]).to_numpy().reshape(-1, grains)[:, 1:]
    motion = np.stack([y, turn], axis=-1).reshape(len(y), -1)
    time = step * every * np.arange(len(y))
    for frequency, shape in zip(frequencies, shapes.T, strict=True):
        swing = motion @ (inertia * shape)
        up = np.flatnonzero((swing[1:-1] < 0) & (swing[2:] >= 0)) + 1
        crossing = time[up] - swing[up] * (time[1] - time[0]) / (swing[up + 1] - swing[up])
        found = 2 * np.pi * (len(crossing) - 1) / (crossing[-1] - crossing[0])
        assert found == pytest.approx(frequency, rel=1e-3)


# ---------------------------------------------------------------------------------------- motion


def tumble(step: float, steps: int, every: int):
    return rod(
        5,
        "velocity all create 0.4 4711 rot yes mom yes\nset group all omega 0.2 0.3 -0.4\n"
        f"timestep {step}\nthermo {every}\n{FRAMES.format(every=every, name='end.dump')}"
        f"run {steps}\n",
    )


def momenta(frames: pd.DataFrame, grains: int):
    def of(*names):
        return frames[list(names)].to_numpy().reshape(-1, grains, 3)

    mass = frames["mass"].to_numpy().reshape(-1, grains, 1)
    x, v, spin = of("x", "y", "z"), of("vx", "vy", "vz"), of("omegax", "omegay", "omegaz")
    return (mass * v).sum(1), (np.cross(x, mass * v) + mass * INERTIA * spin).sum(1)


def check_tumbling(steps: int):
    bands, ends = [], []
    for halved in (1, 2):
        run = tumble(4e-3 / halved, steps * halved, 20 * halved)
        total = energy(run)
        bands.append(total.max() - total.min())
        parts = np.array_split(total.to_numpy(), 8)
        ends.append(abs(parts[-1].mean() - parts[0].mean()))
        frames = run.dump("end.dump")
        for momentum in momenta(frames, 5):
            scale = np.abs(frames[["vx", "vy", "vz"]].to_numpy()).max()
            assert np.abs(momentum - momentum[0]).max() <= 1e-12 * scale * 5 * max(1, steps / 2e4)
    assert bands[0] / total.iloc[0] < 2e-2
    # Errors of the energy are of second order in the time step. The tolerance is wide because each
    # value of `bands` is a difference of extreme values.
    assert bands[0] / bands[1] == pytest.approx(4.0, rel=0.25)
    assert ends[1] < 0.1 * bands[1]


def test_a_tumbling_rod_keeps_its_energy():
    check_tumbling(20_000)


@pytest.mark.slow
def test_a_tumbling_rod_keeps_its_energy_for_a_million_steps():
    check_tumbling(1_000_000)


def test_strength_of_zero_is_no_bond_to_the_bit():
    motion = f"velocity all create 1.0 5 rot yes\ntimestep 1e-3\nrun 500\n{END}"
    bonded, weak, removed, never = (
        rod(5, before + motion, strength, length=0.98).dump("end.dump")
        for before, strength in (
            ("", TOUGH),
            ("", "tension 0 shear 1"),
            ("run 0\nfix_modify bonds remove all\n", TOUGH),
            ("unfix bonds\npair_coeff * * " + CONTACT + "\n", TOUGH),
        )
    )
    for other in (weak, removed):
        pd.testing.assert_frame_equal(other, never, check_exact=True)
    assert not np.allclose(bonded["x"], never["x"])


# -------------------------------------------------------------------------------------- breaking

LOADS = {
    "tension": ("set atom 1 vx -0.5\nset atom 2 vx 0.5\n", "tension 60 shear NULL", "axial"),
    "shear": ("set atom 1 vy -0.5\nset atom 2 vy 0.5\n", "tension NULL shear 10", "shear"),
    "bending": (
        "set atom 1 omega 0 0 2\nset atom 2 omega 0 0 -2\n",
        "tension 60 shear NULL",
        "bending",
    ),
    "torsion": (
        "set atom 1 omega 2 0 0\nset atom 2 omega -2 0 0\n",
        "tension NULL shear 60",
        "torsion",
    ),
    "compression": (
        "set atom 1 vx 0.5 vy -0.5\nset atom 2 vx -0.5 vy 0.5\n",
        "tension NULL shear 5",
        "shear",
    ),
}


def energy_of_bond(frame: pd.DataFrame, length: float) -> float:
    x = frame[["x", "y", "z"]].to_numpy()
    turned = bonds.matrix(frame[[f"c_q[{k}]" for k in range(1, 5)]].to_numpy())
    return float(Beam(MODULUS, POISSON, RATIO / 2, length).energy(x[1] - x[0], *turned))


@pytest.mark.parametrize("length", [LENGTH, 0.99], ids=["gap", "overlap"])
@pytest.mark.parametrize("load", LOADS)
def test_a_bond_that_breaks_sets_free_what_it_held(load, length):
    motion, strength, name = LOADS[load]
    errors = []
    for step in (1e-4, 5e-5):
        steps = int(0.1 / step)
        run = rod(
            2,
            f"{motion}timestep {step}\nthermo 1\n{FRAMES.format(every=1, name='end.dump')}"
            f"run {steps}\n",
            strength,
            length,
        )
        ledger, frames = run.ledger, run.dump("end.dump")
        broke = int(np.flatnonzero(ledger["broken_bonds"] == 1)[0])
        assert 20 < broke < steps - 20
        assert list(ledger["bonds"].iloc[broke - 1 : broke + 1]) == [1, 0]
        held = energy_of_bond(frames[frames["step"] == broke], length)
        fracture = ledger["fracture"]
        assert fracture.iloc[broke - 1] == 0.0
        # the tolerance is wide because the energy is a small difference of large terms
        np.testing.assert_allclose(fracture.iloc[broke:], held, rtol=1e-10)
        assert ledger["bond"].iloc[broke + 1 :].abs().max() == 0.0
        total = energy(run).to_numpy()
        errors.append(np.abs(total - total[0]).max())
        at_break = np.abs(np.diff(total[broke - 1 : broke + 3])).max()
        assert at_break <= 1.5 * np.ptp(total[:broke])
        events = run.broken_bonds()
        assert list(events["step"]) == [broke]
        assert events["load"].iloc[0] == name
        assert events["energy"].iloc[0] == pytest.approx(held, rel=1e-10)
        if load == "compression":
            assert events["axial"].iloc[0] < 0.0
    assert errors[1] < 0.35 * errors[0]  # errors are of second order in the time step


def test_a_table_of_nothing_has_its_columns():
    run = rod(2, "run 1\n")
    events = run.broken_bonds("bonds")
    assert events.empty
    assert dict(events.dtypes.astype(str)) == {
        name: "float64" if kind == "float" else kind for name, kind in BROKEN_BONDS.items()
    }
    with pytest.raises(ValueError, match="no fix of style granular/bond glue with keyword events"):
        run.broken_bonds("glue")


def test_damping_of_bonds_is_tallied():
    residuals = []
    for step in (2e-3, 1e-3):
        run = rod(
            5,
            f"velocity all create 1.0 5 rot yes\ntimestep {step}\nthermo 1\nrun {int(2 / step)}\n",
            f"{TOUGH} damping 0.1",
        )
        total, lost = energy(run), run.ledger["bond_damping"]
        assert lost.iloc[-1] > 0.3 * total.iloc[0]
        assert lost.diff().min() >= 0.0
        residuals.append((total - total.iloc[0]).abs().max())
    assert residuals[0] < 1e-2 * lost.iloc[-1]
    assert residuals[1] < 0.6 * residuals[0]  # errors are at least of first order in the time step


# ------------------------------------------------------------------- ranks, lists, restarts, output

# create grains one by one, so that their IDs do not depend on the number of ranks
CUBE = "".join(
    f"create_atoms 1 single {1.02 * i!r} {1.02 * j!r} {1.02 * k!r}\n"
    for i in range(6)
    for j in range(6)
    for k in range(6)
)
BLOCK = f"""{SETUP}
region box block 0 6.12 0 6.12 0 6.12
create_box 1 box
{CUBE}
set group all diameter 1 mass 1
{model("tension 200 shear 150 scatter 3 11 damping 0.02")}
neighbor 0.1 bin
{STYLES.replace("form 0.2", "form 0.1")}
variable v atom 0.8*(x-3)*(y>2)+0.5*sin(7*id)
variable w atom -0.4*(y-3)+0.5*cos(5*id)
velocity all set v_v v_w NULL
timestep 2e-3
thermo 50
"""


def block(commands: str, newton: str = "on", **options) -> engine.Run:
    return engine.run(f"newton {newton}\n{BLOCK}{commands}", **options)


@pytest.fixture(scope="module")
def shattered():
    return block(f"run 200\n{END}")


@pytest.mark.parametrize(
    ("ranks", "newton", "balance"),
    [
        (1, "off", False),
        (2, "on", False),
        (2, "off", False),
        (4, "on", False),
        (2, "on", True),
        (2, "off", True),
        (4, "on", True),
    ],
)
def test_ranks_and_newton_do_not_matter(shattered, ranks, newton, balance):
    shift = "fix balance all balance 30 1.0 shift xyz 10 1.05\n" if balance else ""
    other = block(f"{shift}run 200\n{END}", newton, ranks=ranks)
    ledger, expected = other.ledger, shattered.ledger
    assert 20 < expected["broken_bonds"].iloc[-1] < 600  # there were 648 bonds
    for name in ("bonds", "broken_bonds"):
        np.testing.assert_array_equal(ledger[name], expected[name])
    # the order in which forces are added differs
    for name in ("fracture", "bond", "bond_damping", "kinetic_translation"):
        np.testing.assert_allclose(ledger[name], expected[name], rtol=1e-8, atol=1e-9)
    events = [run.broken_bonds() for run in (other, shattered)]
    pd.testing.assert_frame_equal(*events, rtol=1e-7)


def test_restart_before_and_at_a_breakage_gives_the_same_bits(tmp_path, shattered):
    events = shattered.broken_bonds()
    broke = int(events["step"].iloc[len(events) // 2])
    for stop in (broke - 1, broke):
        first = f"run {stop}\nwrite_restart {tmp_path}/half\nrun {200 - stop}\n{END}"
        whole = block(first)
        again = engine.run(
            f"newton on\nread_restart {tmp_path}/half\ncomm_modify vel yes\nneighbor 0.1 bin\n"
            f"{STYLES.replace('form 0.2', 'form 0.1')}timestep 2e-3\nthermo 50\n"
            f"run {200 - stop}\n{END}"
        )
        pd.testing.assert_frame_equal(
            again.dump("end.dump"), whole.dump("end.dump"), check_exact=True
        )
        for name in ("bonds", "broken_bonds", "fracture", "bond_damping"):
            assert again.ledger[name].iloc[-1] == pytest.approx(
                whole.ledger[name].iloc[-1], rel=1e-13
            )


def test_stresses_in_pair_local():
    names = ("bond", "bond_axial_stress", "bond_energy", "separation_x", "normal_x", "point_x")
    run = rod(
        3,
        f"compute local all pair/local {pair_local(*names)} force\n"
        "displace_atoms all ramp x 0 0.022 x 0 2.2\n"
        "dump local all local 1 local.dump c_local[*]\n"
        "dump_modify local format float %.17g\nrun 0\n".replace("displace", "run 0\ndisplace"),
    )
    frame = run.dump("local.dump")
    frame = frame[frame["step"] == 0].to_numpy()[-2:, -7:]
    np.testing.assert_array_equal(frame[:, 0], 1.0)
    np.testing.assert_allclose(frame[:, 1], MODULUS * 0.011 / LENGTH, rtol=1e-9)
    axial = MODULUS * BEAM.area / LENGTH
    np.testing.assert_allclose(frame[:, 2], 0.5 * axial * 0.011**2, rtol=1e-9)
    np.testing.assert_allclose(frame[:, 6], -axial * 0.011, rtol=1e-9)
    np.testing.assert_array_equal(frame[:, 4], np.sign(frame[:, 3]))
    np.testing.assert_allclose(frame[:, 5], -0.5 * frame[:, 3], rtol=1e-12)


def test_bonds_of_a_box_thinner_than_two_cutoffs():
    script = f"""{SETUP}
    region box block 0 3.3 -5 5 -5 5
    create_box 1 box
    create_atoms 1 single 0.5 0 0
    create_atoms 1 single 1.6 0 0
    create_atoms 1 single 2.7 0 0
    set group all diameter 1 mass 1
    {model()}{STYLES}
    neighbor 0.3 bin
    neigh_modify every 5 delay 0 check no
    velocity all create 0.5 9 rot yes mom yes
    timestep 1e-3
    thermo 1
    run 2000
    """
    for newton in ("on", "off"):
        run = engine.run(f"newton {newton}\n{script}")
        assert (run.ledger["bonds"] == 3).all()
        total = energy(run)
        assert (total - total.iloc[0]).abs().max() < 2e-3 * total.iloc[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("atom_style bpm/sphere", "atom_style sphere"), "atom_style bpm/sphere"),
        (("form 0.2", "form -1"), "keyword form: GAP = -1 must be >= 0"),
        (("form 0.2", "grow 0.2"), "unknown keyword grow; known are form, once,"),
        (("form 0.2", "once"), "keyword form is missing"),
        (("form 0.2", "form 0.2 every 0"), "keyword every: N = 0 must be >= 1"),
        (("form 0.2", "form 0.2 often"), "unknown keyword often"),
        (("form 0.2", "form 0.2 within type 1"), "J = events must be a type or a range"),
        (("form 0.2", "form 0.2 within type 1 x"), "must be a type or a range"),
        (("form 0.2", "form 0.2 within type 1*1*1 1"), "1*1*1 must be a type or a range"),
        (("form 0.2", "form 0.2 within type 0 1"), "I = 0 must be a type or a range of types"),
        (("form 0.2", "form 0.2 within type 1*5 1"), "1*5 must be a type or a range of types from"),
        (("form 0.2", f"form 0.2 within type {10**20} 1"), "must be a type or a range"),
        (("events.csv", "no_folder/events.csv"), "cannot write file no_folder/events.csv: No"),
        (("form 0.2", "form few"), "GAP = few must be a finite number"),
        (("form 0.2", "form 0.2 every 1.5"), "N = 1.5 must be an integer"),
        (
            ("form 0.2", "form 0.2 once every 2"),
            "once or every must be given only once; once was given before",
        ),
        (
            ("form 0.2 events", "form 0.2 events a.csv events"),
            "only once; events = a.csv was given before",
        ),
        ((TOUGH, "tension 1 shear 1 scatter 5 1e17"), "seed = 1e+17 must be"),
        (("nve/bpm/sphere", "nve/sphere"), "fix move nve/sphere does not update"),
        ((f" bond beam {MODULUS} {POISSON} {RATIO} {TOUGH}", ""), "a pair_coeff with keyword bond"),
    ],
)  # fmt: skip
def test_bad_input(lammps_error, change, message):
    box = "region box block -4 4 -4 4 -4 4\ncreate_box 1 box\n"
    box += "create_atoms 1 single 0 0 0\ncreate_atoms 1 single 1.1 0 0\n"
    script = f"{SETUP}{box}set group all diameter 1 mass 1\n{model()}{STYLES}run 0\n"
    assert change[0] in script
    script = script.replace(*change).replace(
        "nve/bpm/sphere", "nve/sphere" if "atom_style sphere" in change[1] else "nve/bpm/sphere"
    )
    if "atom_style sphere" in change[1]:
        script = "\n".join(line for line in script.splitlines() if "compute q" not in line)
    assert message in lammps_error(script)


@pytest.mark.parametrize(
    ("fixes", "warned"),
    [
        ("fix bond all granular/bond form 0.2\n", [False, False]),
        ("", [True, True]),
        ("fix bond all granular/bond form 0.2\nrun 0\nunfix bond\n", [False, False, False]),
    ],
)
@pytest.mark.parametrize("ranks", [1, 2])
def test_bonds_that_nothing_forms_are_warned_of(fixes, warned, ranks):
    box = "region box block -4 4 -4 4 -4 4\ncreate_box 1 box\n"
    box += "create_atoms 1 single 0 0 0\ncreate_atoms 1 single 1.1 0 0\n"
    script = f"{SETUP}{box}set group all diameter 1 mass 1\n{model()}{fixes}run 0\nrun 1\n"
    log = engine.run(script, ranks=ranks).log
    assert log.count("keyword bond has no effect") == sum(warned)


@pytest.mark.parametrize("types", ["1 2", "2 2"])
def test_types_that_cannot_bond_are_an_error(lammps_error, types):
    box = "region box block -4 4 -4 4 -4 4\ncreate_box 2 box\ncreate_atoms 1 single 0 0 0\n"
    models = model().replace("* *", "1 1") + f"pair_coeff *2 2 {CONTACT}\n"
    script = f"{SETUP}{box}set group all diameter 1 mass 1\n{models}{STYLES}run 0\n"
    script = script.replace("form 0.2", f"form 0.2 within type {types}")
    assert "no pair_coeff with keyword bond applies to the types" in lammps_error(script)
    engine.run(script.replace(f"type {types}", "type 1 *"))


def test_a_bond_that_leaves_the_list_is_an_error(lammps_error):
    box = "region box block -9 9 -9 9 -9 9\ncreate_box 1 box\n"
    box += "create_atoms 1 single 0 0 0\ncreate_atoms 1 single 1.1 0 0\n"
    script = f"{SETUP}{box}set group all diameter 1 mass 1\n{model()}{STYLES}"
    script += "run 0\ndisplace_atoms all ramp x 0 3 x 0 1.1\nrun 0\n"
    assert "the bond between grains" in lammps_error(script)


def test_bonds_of_deleted_grains_go_with_them():
    run = rod(
        5,
        "run 0\ngroup gone id 3\ndelete_atoms group gone compress no\nrun 0\n"
        "velocity all create 0.3 2 rot yes loop geom\nrun 100\n",
    )
    assert run.ledger["bonds"].iloc[-1] == 2


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "on"), (2, "off")])
def test_grains_lose_what_bonds_do(ranks, newton):
    asked = """
    compute lost all granular/dissipation sums
    compute sum all reduce sum c_lost[*]
    thermo_style custom step c_ledger[*] c_sum[*]
    thermo_modify format float %.17g norm no
    """
    run = block(f"{asked}run 200\n", newton, ranks=ranks)
    lost = run.thermo[DISSIPATION.of("c_sum").split()].set_axis(DISSIPATION.names, axis=1)
    expected = run.ledger["bond_damping"] + run.ledger["fracture"]
    assert run.ledger["fracture"].iloc[-1] > 0.1 * expected.iloc[-1] > 0.0
    # the sums have 1e5 terms, which are added in different orders
    np.testing.assert_allclose(lost["bond"], expected, rtol=1e-11)
    contacts = run.ledger["normal_dashpot"]
    np.testing.assert_allclose(lost["total"], expected + contacts, rtol=1e-11)


def test_ghosts_on_one_side_only():
    """With newton off, the lower rank sends many ghosts but receives none."""
    script = f"""
    newton off
    {SETUP.replace("boundary p p p", "boundary p p f")}
    processors 1 1 *
    region box block 0 16.5 0 16.5 0 20
    create_box 1 box
    lattice sc 0.75
    region lower block INF INF INF INF 0 9.95
    create_atoms 1 region lower
    set group all diameter 1 mass 1
    velocity all create 0.01 11 rot yes loop geom
    {model()}{STYLES}
    timestep 1e-3
    run 20
    """
    one, two = (engine.run(script, ranks=ranks) for ranks in (1, 2))
    assert one.ledger["bonds"].iloc[-1] > 5000
    for name in ("bonds", "bond", "kinetic_translation", "kinetic_rotation"):
        np.testing.assert_allclose(two.ledger[name], one.ledger[name], rtol=1e-11)


STRETCH = "run 0\ndisplace_atoms all ramp x 0 {by} x 0 2.2\n"


def test_another_pair_style_has_no_bonds():
    log = rod(3, "run 1\npair_style zero 2\npair_coeff * *\nprint 'left $(f_bonds[1])'\n").log
    assert "left 0" in log


def test_bonds_that_have_no_model_are_gone_with_a_warning():
    run = rod(3, f"run 0\nunfix bonds\npair_coeff * * {CONTACT}\nrun 0\n")
    assert "none of them has a bond law" in run.log
    # delete_atoms initialises the models without a run, so no bonds form that could be lost
    gone = f"unfix bonds\npair_coeff * * {CONTACT}\nrun 0\n"
    run = rod(3, f"delete_atoms overlap 0.1 all all\n{gone}")
    assert "none of them has a bond law" not in run.log
    run = engine.run(f"""{SETUP}
    region box block -4 8 -4 4 -4 4
    create_box 2 box
    create_atoms 1 single 0 0 0
    create_atoms 1 single 1.1 0 0
    create_atoms 2 single 2.2 0 0
    set group all diameter 1 mass 1
    {model()}{STYLES}run 0
    pair_coeff 1 2 {CONTACT}
    run 0
    """)
    assert "their contact model no longer has a bond law: 1" in run.log
    assert run.ledger["bonds"].tolist() == [2, 1]


def test_bonds_do_not_break_in_a_minimization():
    run = rod(
        3,
        f"min_style fire\nminimize 0 1e-6 1 1\n{STRETCH.format(by=0.4)}minimize 0 1e-6 20 20\n"
        f"{STRETCH.format(by=0.4)}timestep 1e-3\nrun 10\n",
        strength="tension 300 shear NULL",
    )
    ledger = run.ledger
    assert ledger["bonds"].iloc[0] == 2
    assert (ledger["broken_bonds"].iloc[:-2] == 0).all()
    assert len(run.broken_bonds()) == ledger["broken_bonds"].iloc[-1] > 0


def test_a_bond_that_broke_in_the_last_step_is_absent_from_a_minimization():
    """Only the setup of the minimization still includes half of the last force of the bond."""
    commands = f"run 0\n{STRETCH.format(by=0.4)}timestep 1e-9\nrun 1\n"
    run = rod(
        2,
        f"{commands}velocity all set 0 0 0\nmin_style fire\ndump f all custom 1 f.dump id fx\n"
        "dump_modify f sort id format float %.17g\nminimize 0 0 3 3\n",
        strength="tension 300 shear NULL",
    )
    force = run.dump("f.dump")
    assert run.ledger["broken_bonds"].iloc[-1] == 1
    last = force[force["step"] == force["step"].max()]
    np.testing.assert_array_equal(last["fx"], 0.0)
    more = "minimize 0 0 3 3\nvelocity all set 0 0 0\nrun 3\n"
    run = rod(2, f"{commands}min_style fire\n{more}", strength="tension 300 shear NULL")
    assert run.ledger["broken_bonds"].iloc[-1] == 1
    assert run.ledger["kinetic_translation"].iloc[-1] == 0.0


@pytest.mark.parametrize("ranks", [1, 2])
def test_grains_whose_bond_broke_may_be_put_apart(ranks):
    broken = f"run 0\n{STRETCH.format(by=0.4)}timestep 1e-9\nrun 1\n"
    apart = "group second id 2\ndisplace_atoms second move 2 0 0\nrun 1\n"
    run = rod(2, broken + apart, strength="tension 300 shear NULL", ranks=ranks)
    assert run.ledger["bonds"].iloc[-1] == 0


def test_the_step_may_change_after_a_model():
    """The command timestep must skip models that do not exist yet.

    After pair_coeff, models for pairs of different types may be missing until the next run.
    """
    box = "region box block -4 4 -4 4 -4 4\ncreate_box 2 box\ncreate_atoms 1 single 0 0 0\n"
    box += "create_atoms 2 single 1.1 0 0\nset group all diameter 1 mass 1\n"
    command = next(line for line in model().splitlines() if line.startswith("pair_coeff"))
    other = command.replace("* * hooke 1e4", "2 2 hooke 2e4")
    models = model().replace("* *", "1 1") + other + "\n"
    run = engine.run(f"{SETUP}{box}{models}{STYLES}run 1\n{command}\ntimestep 5e-4\nrun 1\n")
    assert (run.ledger["bonds"] == 1).all()


def test_a_fix_that_adds_grains_may_precede_the_first_bond():
    box = "region box block -4 4 -4 4 -4 4\ncreate_box 1 box\n"
    box += "create_atoms 1 single 0 0 0\ncreate_atoms 1 single 1 0 0\n"
    box += "set group all diameter 1 mass 1\nregion top block -1 2 -1 1 2 3\n"
    bonded = next(line for line in model().splitlines() if line.startswith("pair_coeff"))
    more = "fix more all deposit 5 1 50 1 region top near 1.0 vz -1 -1\n"
    late = f"{CONTACT}\n{more}{bonded}\n"
    ends = []
    for models in (
        f"{model()}{more}",
        model().replace(bonded, f"pair_coeff * * {late}"),
        more + model(),
    ):
        run = engine.run(
            f"{SETUP}{box}{models}{STYLES}run 2000\n"
            "write_dump all custom end id x y z modify sort id format float %.17g\n"
        )
        assert (run.ledger["bonds"] == 1).all()
        ends.append(run.dump("end").to_numpy(float))
    assert len(ends[0]) == 7
    for other in ends[1:]:
        np.testing.assert_array_equal(other, ends[0])


def test_two_fixes_do_not_share_a_table():
    run = rod(2, "fix more all granular/bond form 0.1 events events.csv\n", check=False)
    assert "fix bonds already writes to file events.csv (keyword events)" in str(run.error)


def test_a_group_is_looked_up_when_its_bonds_are_removed():
    between = "group other id 4 5 6\n"
    run = rod(6, "run 0\ngroup some id 1 2\nfix_modify bonds remove some\n" + between + "run 0\n")
    assert run.ledger["bonds"].tolist() == [5, 4]
    gone = rod(
        6,
        "run 0\ngroup some id 1 2\nfix_modify bonds remove some\ngroup some delete\n"
        + between
        + "run 0\n",
        check=False,
    )
    assert "group some has been deleted" in str(gone.error)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("remove none", "fix_modify bonds: keyword remove: GROUP = none must be the ID of a group"),
        ("remove", "fix_modify bonds: keyword remove needs GROUP"),
        ("delete all", "delete"),  # LAMMPS reports the error: unknown keyword delete
    ],
)
def test_a_wrong_removal_is_refused(words, message):
    assert message in str(rod(2, f"fix_modify bonds {words}\n", check=False).error)


def test_a_rerun_has_no_bonds():
    run = rod(
        3, "dump d all custom 1 d.dump id x y z\nrun 1\nrerun d.dump dump x y z\n", check=False
    )
    assert "a dump contains no bonds" in str(run.error)


def test_a_box_that_shrinks_below_two_reaches():
    box = "region box block 0 6 -4 4 -4 4\ncreate_box 1 box\n"
    box += "create_atoms 1 single 0.3 0 0\ncreate_atoms 1 single 1.4 0 0\n"
    script = f"{SETUP}{box}set group all diameter 1 mass 1\n{model()}{STYLES}run 0\n"
    run = engine.run(f"{script}change_box all x final 0 2.2\nrun 0\n", check=False)
    assert "through more than one periodic image" in str(run.error)


LISTS = {
    "in every step": "neighbor 0.1 bin\nneigh_modify every 1 delay 0 check no\n",
    "once": "neighbor 0.5 bin\n",
}
PULLED = """
timestep 1e-4
velocity all set 0 0 0
set atom 1 vx -0.05
set atom 2 vx 0.05
thermo 1
"""


def pulled(steps: int, every: int, lists: str) -> engine.Run:
    forms = f"fix forms all granular/bond form 0.2 every {every}\n"
    return rod(2, f"{PULLED}{LISTS[lists]}{forms}run {steps}\n", "tension 5 shear NULL")


@pytest.fixture(scope="module")
def breakage() -> int:
    bonds = pulled(200, 1000, "once").ledger["bonds"]
    return int(np.flatnonzero(bonds == 0)[0])


@pytest.mark.parametrize("later", [0, 1, 2])
def test_a_broken_bond_may_form_again_from_the_step_after(breakage, later):
    runs = {lists: pulled(breakage + 4, breakage + later, lists) for lists in LISTS}
    formed = [0] * (breakage + 1) + [1, 1, 1, 1]
    if later == 0:
        formed = [0] * (breakage + 5)
    elif later == 2:
        formed[breakage + 1] = 0
    for run in runs.values():
        now = run.ledger["bonds"]
        assert now.iloc[: breakage + 1].tolist() == [1] * breakage + [0]
        assert now.iloc[breakage:].tolist() == formed[breakage:]
    ledgers = [run.ledger for run in runs.values()]
    np.testing.assert_allclose(*ledgers, rtol=0.0, atol=1e-12 * ledgers[0].abs().max().max())


@pytest.mark.parametrize("lists", LISTS)
def test_what_a_broken_bond_still_gives_is_not_exchanged(breakage, lists):
    books = pulled(breakage + 4, 1000, lists).ledger
    assert books["exchanged"].abs().max() == 0.0
    before = books["residual"].iloc[:breakage].abs().max()
    assert books["residual"].iloc[breakage:].abs().max() <= 1.5 * before


def test_a_bond_that_broke_in_the_last_step_of_a_run(breakage):
    """The setup of the next run repeats the last step of the bond and must not form a new bond."""
    again = f"fix again all granular/bond form 0.2 every {breakage + 1}\nrun 0\nrun 3\n"
    for lists in LISTS:
        run = rod(2, f"{PULLED}{LISTS[lists]}run {breakage}\n{again}", "tension 5 shear NULL")
        assert run.ledger["bonds"].iloc[breakage + 1 :].tolist() == [0, 0, 1, 1, 1]
