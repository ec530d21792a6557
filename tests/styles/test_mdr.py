"""The normal law mdr: formulas for one contact, pair granular, restart, ranks, refused input.

Fix nve/noforce moves grains at constant speed, so that overlaps are known.
"""

from __future__ import annotations

import math

import numpy as np
import pandas
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.optimize import brentq

from pysuite import engine
from pysuite.outputs import LEDGER, LOSSES
from pysuite.validation.setups import packings

E, NU, YIELD, R = 1e9, 0.3, 5e7, 0.5
FLAT = E / (1 - NU**2)  # modulus of a grain in contact with a rigid plane
SHEAR = E / (2 * (1 + NU))
FRICTIONLESS = "damping mdr 1 tangential linear_nohistory 0 0"

LEAD = """
units si
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary f f f
neighbor 0.2 bin
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single 0 0 0
{other}set group all diameter {diameter}
set group all density 1000
pair_style granular/plus ledger yes
pair_coeff * * {model}
{wall}
fix lead all nve/noforce
timestep 1e-4
variable x equal x[1]
variable f equal fx[1]
compute books all granular/ledger
variable energy equal {energy}
variable loss equal {loss}
compute radii all property/atom radius
compute largest all reduce max c_radii
variable radius equal c_largest
thermo_style custom step v_x v_f v_radius v_energy v_loss
thermo_modify norm no format float %.16g
thermo 1
"""


def words(
    yield_stress: float = YIELD, gamma: float = 0.0, part: float = 0.0, eta: float = 0.0
) -> str:
    return f"mdr {E} {NU} {yield_stress} {gamma} {part} {eta} {FRICTIONLESS}"


def lead(model: str, *ways: tuple[float, int], wall: bool = False) -> pandas.DataFrame:
    """Move a grain of radius R along x against another grain or a plane.

    Each tuple in `ways` contains the increase of the overlap per step and the number of steps.
    """
    touch = 2 * R if not wall else R
    script = LEAD.format(
        energy=LEDGER.of("c_books", "elastic_normal"),
        loss=LEDGER.of("c_books", "plastic"),
        other="" if wall else f"create_atoms 1 single {touch} 0 0\n",
        diameter=2 * R,
        model=model,
        wall=f"fix wall all wall/granular/plus {model} xplane NULL {touch}" if wall else "",
    )
    for overlap, steps in ways:
        script += f"velocity all set 0 0 0\nset atom 1 vx {overlap / 1e-4!r}\nrun {steps}\n"
    thermo = engine.run(script).thermo
    thermo = thermo[~thermo["Step"].duplicated()]
    return thermo.rename(columns=lambda name: name.removeprefix("v_")).set_index("Step")


# ------------------------------------------------- one contact, compared with formulas


def profile_force(depth, height, width):
    """Return the force that presses half an ellipse into a row of springs.

    FLAT is the stiffness of the springs per length.
    """
    angle = np.arccos(1 - 2 * np.clip(depth / height, 0, 1))
    return FLAT * height * width / 4 * (angle - np.sin(angle) * np.cos(angle))


def yield_pressure(deepest, radius):
    return YIELD * (1 + 1.75 * np.exp(-4.4 * deepest / radius))


def depth_of_yield():
    return brentq(
        lambda d: 4 * FLAT * np.sqrt(d / R) / (3 * np.pi) - yield_pressure(d, R), 1e-9, 0.1 * R
    )


def yielded(deepest, of_grain):
    """Return the height, width and shift of the profile, and the depth where the contact opens."""
    y = depth_of_yield()
    radius = np.sqrt(2 * deepest * of_grain - deepest**2 + y**2 - y * R)
    height, width = 4 * yield_pressure(deepest, of_grain) / FLAT * radius, 2 * radius
    force = profile_force(height / 2, height, width)
    z = of_grain - deepest + height / 2
    root = np.hypot(radius, z)
    shift = force * (2 * radius**2 * (NU - 1) - (2 * NU - 1) * z * (root - z))
    shift /= 2 * np.pi * radius**2 * SHEAR * root
    return height, width, shift, deepest - height / 2 - shift


def test_below_yield_a_contact_is_that_of_hertz():
    found = lead(words(yield_stress=1e12), (1e-6, 100))
    overlap = found["x"].to_numpy()[1:]
    force = -found["f"].to_numpy()[1:]
    # as in LAMMPS, the law calculates an arccosine from the sine if the cosine is near 1
    rounding = 2e-16 * FLAT * R**2 / np.sqrt(overlap / (8 * R))
    difference = force - profile_force(overlap / 2, 4 * R, 2 * R)
    assert (np.abs(difference) < 1e-9 * force + rounding).all()
    hertz = 4 / 3 * (FLAT / 2) * np.sqrt(R / 2) * overlap**1.5
    np.testing.assert_allclose(force, hertz, rtol=2 * overlap[-1] / R)
    assert found["energy"].iloc[-1] == pytest.approx(0.4 * hertz[-1] * overlap[-1], rel=1e-4)


def test_it_yields_where_the_mean_pressure_says_and_unloads_along_its_profile():
    step, steps = 1e-4, 2000
    found = lead(words(), (step, steps), (-step, 1200))
    radius = found["radius"].to_numpy()[1:]
    overlap = found["x"].to_numpy()[1:] + 2 * (radius - R)
    force = -found["f"].to_numpy()[1:]
    depth = overlap / 2
    # after yield, the profile that belongs to the present depth is compressed by half its height
    elastic = depth[:steps] < depth_of_yield()
    assert 100 < elastic.sum() < steps - 100
    np.testing.assert_allclose(
        force[:steps][elastic], profile_force(depth[:steps][elastic], 4 * R, 2 * R), rtol=1e-9
    )
    plastic = np.flatnonzero(~elastic)
    loaded = np.array([yielded(depth[k], radius[k])[:2] for k in plastic])
    # the tolerance is wide because the law knows the depth of yield only to half a step
    np.testing.assert_allclose(
        force[:steps][~elastic], np.pi / 8 * FLAT * loaded[:, 0] * loaded[:, 1], rtol=1e-3
    )
    # during unloading, the profile stays as it was at the largest depth
    height, width, shift, loose = yielded(depth[steps - 1], radius[steps - 1])
    assert np.ptp(radius[steps:]) == 0.0 < radius[-1] - R
    flat_depth = depth[steps - 1] + (loose - depth[steps - 1]) * (
        overlap[steps:] - overlap[steps - 1]
    ) / (2 * loose - overlap[steps - 1])
    compressed = (flat_depth - loose) / (1 + shift / (height / 2))
    expected = profile_force(compressed, height, width)
    np.testing.assert_allclose(force[steps:], expected, rtol=2e-3, atol=2e-3 * force.max())
    assert force[-1] == 0.0
    assert overlap[-1] > 0.0


def through_another(style: str, aside: float, model: str) -> engine.Run:
    return engine.run(f"""
units si
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary f f f
neighbor 0.5 bin
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single -0.72 0 0
create_atoms 1 single 0.72 0 0
create_atoms 1 single 0 {aside} 0
set group all diameter 1
set atom 3 diameter 0.5
set group all density 1000
pair_style {style}
pair_coeff * * {model}
set atom 1 vx 0.3
set atom 2 vx -0.3
fix lead all nve/noforce
timestep 1e-3
variable one equal fx[1]
variable middle equal fy[3]
thermo_style custom step v_one v_middle
thermo_modify norm no format float %.17g
thermo 1
run 1000
""")


@pytest.mark.parametrize("aside", [0.0, 0.1, 0.2, 0.35])
def test_a_contact_through_another_grain_is_screened_as_in_pair_granular(aside):
    model = words(part=0.5)
    theirs = through_another("granular", aside, model).thermo
    ours = through_another("granular/plus", aside, model).thermo
    for force in ("v_one", "v_middle"):
        scale = theirs["v_one"].abs().max()
        assert (theirs[force] - ours[force]).abs().max() < 1e-9 * scale


def test_what_the_force_does_is_stored_or_lost():
    step = 1e-4
    found = lead(words(), (step, 1500), (-step, 1490))
    # the ledger books the energy of the step in which the contact forms as a numerical loss
    found = found[found.index > 0]
    work = -cumulative_trapezoid(found["f"], found["x"], initial=0)
    balance = work - (found["energy"] - found["energy"].iloc[0]) - found["loss"]
    assert np.abs(balance).max() < 1e-9 * work.max()
    assert found["loss"].iloc[-1] > 0.3 * work.max()
    assert found["energy"].iloc[-1] == 0.0


def test_an_adhesive_contact_pulls_as_it_parts():
    """The pull-off force exceeds the result of the JKR theory by at most 2 %.

    As in LAMMPS, springs begin to attract only at 0.99 times the largest contact radius.
    """
    gamma = 2e3
    found = lead(words(yield_stress=1e12, gamma=gamma), (2e-5, 500), (-2e-5, 499))
    unloading = found.iloc[500:]
    pull = unloading["f"].max()
    # JKR theory for a sphere on a plane, where gamma is the work of adhesion
    jkr = 1.5 * np.pi * gamma * R
    assert 0 < pull <= jkr * 1.02


@pytest.mark.parametrize("gamma", [0.0, 2e3])
def test_a_plane_is_one_half_of_a_contact(gamma):
    pair = lead(words(gamma=gamma), (4e-5, 500), (-4e-5, 300))
    wall = lead(words(gamma=gamma), (2e-5, 500), (-2e-5, 300), wall=True)
    ratio = wall["f"].to_numpy()[1:500] / pair["f"].to_numpy()[1:500]
    deep = wall["x"].to_numpy()[1:500] / R
    # The grain overlaps the plane by half as much as the other grain. The force is larger by this
    # factor.
    np.testing.assert_allclose(ratio, 1 + np.exp(10.7 * deep - 10), rtol=1e-6)


# ------------------------------------------------------------------------------- many contacts

BODY = """
units si
atom_style sphere
atom_modify map array sort 0 0
comm_modify vel yes
newton off
boundary f f f
neighbor 0.5 bin
read_data {grains}
"""
FRICTION = "damping mdr 1 tangential linear_history 1e8 1 0.5 rolling sds 1e8 0 0.2"
# the time step is a third of the longest possible time step for Hertz contacts
PLANES = """
variable in equal 10*step*dt
variable out equal -10*step*dt
region xlo plane -1.6 0 0 1 0 0 side in move v_in NULL NULL
region xhi plane 1.6 0 0 -1 0 0 side in move v_out NULL NULL
region ylo plane 0 -1.6 0 0 1 0 side in move NULL v_in NULL
region yhi plane 0 1.6 0 0 -1 0 side in move NULL v_out NULL
region zlo plane 0 0 -1.6 0 0 1 side in move NULL NULL v_in
region zhi plane 0 0 1.6 0 0 -1 side in move NULL NULL v_out
"""
MOVE = """
timestep 1e-5
fix move all nve/sphere
"""


def pressing(style: str, gamma: float, *, eta: float = 0.2, ledger: str = "") -> str:
    slider = " slider dsds" if style.endswith("plus") else ""
    model = f"mdr {E} {NU} {YIELD} {gamma} 0.5 {eta} {FRICTION}{slider}"
    wall = "wall/granular/plus" if style.endswith("plus") else "wall/gran/region granular"
    walls = "".join(
        f"fix {side} all {wall} {model} region {side}\n"
        for side in ("xlo", "xhi", "ylo", "yhi", "zlo", "zhi")
    )
    return f"pair_style {style} {ledger}\npair_coeff * * {model}\n{PLANES}{walls}{MOVE}"


@pytest.fixture(scope="module")
def body(tmp_path_factory) -> str:
    random = np.random.default_rng(4711)
    lattice = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    file = packings.write_spheres(
        tmp_path_factory.mktemp("grains") / "grains.data",
        [[-2, 2]] * 3,
        lattice + random.uniform(-0.04, 0.04, lattice.shape),
        diameter=random.uniform(0.8, 1.0, len(lattice)),
        density=2000,
    )
    return BODY.format(grains=file)


AT_END = packings.write("end").replace(packings.COLUMNS, f"{packings.COLUMNS} radius")
BALANCE = """compute ledger all granular/ledger
thermo_style custom step c_ledger[*] press
thermo_modify norm no format float %.17g
thermo 500
"""


def forces(script: str, **options) -> pandas.DataFrame:
    return engine.run(f"{script}{AT_END}", **options).dump("end")


def apart(one: pandas.DataFrame, other: pandas.DataFrame) -> float:
    names = ["fx", "fy", "fz"]
    return float(
        (one[names] - other[names]).abs().to_numpy().max() / one[names].abs().to_numpy().max()
    )


@pytest.mark.parametrize(("gamma", "steps"), [(0.0, 4000), (2e3, 1000)])
def test_forces_are_those_of_pair_granular(body, gamma, steps):
    """For adhesive contacts that shrink, LAMMPS's forces are accurate only to 1e-10.

    Sorting of atoms is off, because it reverses rolling springs in pair granular.
    """
    theirs, ours = (
        forces(f"{body}{pressing(style, gamma)}run {steps}\n")
        for style in ("granular", "granular/plus")
    )
    difference = apart(theirs, ours)
    print(f"{difference:.1e}", theirs["radius"].max())
    assert difference < 1e-9


@pytest.mark.parametrize(
    ("ranks", "newton", "steps"),
    [
        ("2 1 1", "off", 4000),
        ("1 1 1", "on", 2000),
        pytest.param("2 1 1", "on", 2000, marks=pytest.mark.product),
        pytest.param("2 2 1", "off", 2000, marks=pytest.mark.product),
        pytest.param("2 2 1", "on", 2000, marks=pytest.mark.product),
    ],
)
def test_ranks_and_newton_do_not_matter(body, ranks, newton, steps):
    script = f"{pressing('granular/plus', 0.0, ledger='ledger yes')}{BALANCE}run {steps}\n"
    several = body.replace("read_data", f"processors {ranks}\nread_data")
    several = several.replace("newton off", f"newton {newton}")
    one = engine.run(f"{body}{script}{AT_END}")
    other = engine.run(f"{several}{script}{AT_END}", ranks=math.prod(map(int, ranks.split())))
    assert apart(one.dump("end"), other.dump("end")) < 1e-9
    entries = [LEDGER.of("c_ledger", name) for name in ("elastic_normal", "plastic")]
    for name in (*entries, "Press"):
        ours, theirs = one.thermo[name], other.thermo[name]
        assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max(), name


DUMBBELLS = """
units si
atom_style sphere
atom_modify map array
comm_modify vel yes
newton {newton}
processors {ranks} 1 1
boundary p f f
neighbor 0.2 bin
region box block -4 4 -4 4 -4 4
create_box 1 box
create_atoms 1 single -2.2 0 0
create_atoms 1 single -1.3 0 0
create_atoms 1 single -1.3 2.5 0
create_atoms 1 single -2.2 2.5 0
set group all diameter 1
set atom 1 diameter 0.8
set atom 4 diameter 0.8
set group all density 1000
pair_style granular/plus
pair_coeff * * {model}
fix lead all nve/noforce
timestep 1e-4
velocity all set 2 0 0
set atom 1 vx 3.2
set atom 4 vx 3.2
run 900
velocity all set 10 0 0
run 1500
set atom 1 vx 9.8
set atom 4 vx 9.8
run 50
"""


@pytest.mark.parametrize("newton", ["off", "on"])
def test_the_sides_of_a_contact_stay_with_its_grains(newton):
    """In one pair, the smaller grain has the lower ID. In the other pair, it has the higher ID."""
    one, other = (
        forces(DUMBBELLS.format(model=words(), newton=newton, ranks=ranks), ranks=ranks)
        for ranks in (1, 2)
    )
    one, other = (end.set_index("id").sort_index() for end in (one, other))
    assert (one["xu"] > 0).tolist() == [False, True, True, False]  # the rank boundary is at 0
    assert one["fx"].abs().min() > 1e5
    assert (one["radius"] > [0.4, 0.5, 0.5, 0.4]).all()  # radii grow if grains yield
    np.testing.assert_allclose(other["fx"], one["fx"], rtol=1e-9)
    np.testing.assert_allclose(other["radius"], one["radius"], rtol=1e-12)


def test_a_restarted_run_is_the_one_that_was_not_interrupted(body, tmp_path):
    text = pressing("granular/plus", 2e3, ledger="ledger yes")
    whole = forces(f"{body}{text}run 1500\nwrite_restart {tmp_path}/then\nrun 1500\n")
    again = engine.run(f"""
atom_modify map array sort 0 0
comm_modify vel yes
newton off
read_restart {tmp_path}/then
neighbor 0.5 bin
{text}run 1500
{packings.write("end")}""").dump("end")
    columns = [name for name in again if name != "radius"]
    pandas.testing.assert_frame_equal(again[columns], whole[columns], check_exact=True)


SWARM = f"""
pair_style granular/plus ledger yes
pair_coeff * * mdr {E} {NU} {YIELD} {{gamma}} {{part}} 0.2 {FRICTION}
variable vx atom -30*x
variable vy atom -30*y
variable vz atom -30*z
velocity all set v_vx v_vy v_vz
fix move all nve/sphere
timestep {{step}}
compute ledger all granular/ledger
variable momentum equal mass(all)*vcm(all,x)
thermo_style custom step c_ledger[*] v_momentum
thermo_modify format float %.17g
run {{steps}}
"""


@pytest.mark.parametrize("gamma", [0.0, 2e3])
def test_the_balance_of_a_cloud_that_falls_together_closes(body, gamma):
    script = SWARM.format(gamma=gamma, part=0.5, step=1e-5, steps=4000)
    thermo = engine.run(body + script).thermo
    of = {name: thermo[f"c_ledger[{n}]"] for n, name in enumerate(LEDGER.names, 1)}
    lost = sum(of[name].iloc[-1] for name in LOSSES)
    assert of["plastic"].iloc[-1] > 0.1 * lost
    # the tolerance is wide because growing radii change the energy of springs
    assert abs(of["residual"]).max() < 1e-4 * lost
    momentum = thermo["v_momentum"]
    assert np.ptp(momentum) < 1e-9 * 2000 * 30


# ------------------------------------------------------------------------------------ refusals

MODEL = f"mdr {E} {NU} {YIELD} 0 0.5 0.2 {FRICTIONLESS}"
PAIR = f"pair_style granular/plus\npair_coeff * * {MODEL}\n"
OTHER = MODEL.replace(f" {NU} ", " 0.25 ")
HOOKE = "hooke 1e6 0 tangential linear_nohistory 0 0"
PLANE = "fix wall all wall/granular/plus {} zplane -1.9 NULL\n"
REFUSED = {
    "two materials": (
        f"{{body}}{PAIR}" + PLANE.format(OTHER),
        ["fix wall", "E, nu, Y and psi_b must be the same for all pairs and walls"],
    ),
    "another wall": (f"{{body}}{PAIR}" + PLANE.format(HOOKE), ["fix wall", "mdr", "for neither"]),
    "a wall alone": (
        f"{{body}}pair_style granular/plus\npair_coeff * * {HOOKE}\n" + PLANE.format(MODEL),
        ["fix wall", "mdr", "for neither"],
    ),
    "hybrid": (
        f"{{body}}pair_style hybrid granular/plus\npair_coeff * * granular/plus {MODEL}\n",
        ["hybrid"],
    ),
    "points": (f"{{body}}set atom 3 diameter 0\n{PAIR}", ["radius of grain 3 = 0", "> 0"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_together_is_refused(body, lammps_error, name):
    script, named = REFUSED[name]
    text = lammps_error(script.format(body=body) + "fix move all nve\nrun 1\n")
    for word in named:
        assert word in text


def test_a_grain_that_is_new_begins_anew(body):
    script = body + pressing("granular/plus", 0.0).replace("fix move", "fix move") + "run 2000\n"
    grains = packings.write("end").replace(packings.COLUMNS, f"{packings.COLUMNS} d_Ro radius")
    script += """
group gone id 27
delete_atoms group gone
create_atoms 1 single 1.9 1.9 1.9
set atom 27 diameter 0.1 density 2000
run 1
"""
    end = engine.run(f"{script}{grains}").dump("end").set_index("id")
    assert end.loc[27, "d_Ro"] == 0.05
    assert (end["radius"] > end["d_Ro"]).any()
