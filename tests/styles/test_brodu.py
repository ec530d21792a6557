"""The normal law brodu: forces in packings, limits, energy, ranks, restart, errors.

Forces in packings are compared with the results of a second method. The second method adds
displacements of a half space as vectors. A root finder solves for all forces at once.
"""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy.optimize import root

from pysuite import engine
from pysuite.outputs import LEDGER
from pysuite.validation.setups import packings

E, NU, FACTOR, R = 1e9, 0.3, 1.125, 0.5
STIFFNESS = 4 / 3 * E / (2 * (1 - NU**2))
FRICTIONLESS = "tangential linear_nohistory 0 0"
MODEL = f"brodu {E} {NU} {FACTOR} 0 {FRICTIONLESS}"
BOX = 2.9  # distance between the planes of a packing

START = """
units si
atom_style sphere
atom_modify map array sort 0 0
comm_modify vel yes
newton off
boundary f f f
neighbor 0.2 bin
"""
FORCES = packings.write("end").replace(packings.COLUMNS, f"{packings.COLUMNS} x y z radius")


def pair_words(model: str = MODEL, ledger: str = "") -> str:
    return f"pair_style granular/plus {ledger}\npair_coeff * * {model}\n"


def few(*centres: tuple[float, float, float]) -> str:
    grains = "".join(f"create_atoms 1 single {x} {y} {z}\n" for x, y, z in centres)
    return f"""{START}
region box block -4 4 -4 4 -4 4
create_box 1 box
{grains}set group all diameter {2 * R}
set group all density 2000
"""


def forces(script: str, **options) -> pandas.DataFrame:
    dump = engine.run(f"{script}{FORCES}", **options).dump("end")
    return dump.sort_values("id").reset_index(drop=True)


AT_REST = "fix move all nve/sphere\ntimestep 1e-6\nrun 0\n"

# ------------------------------------------------------------------ one contact, several contacts


@pytest.mark.parametrize("wall", [False, True])
def test_a_contact_alone_is_that_of_hertz(wall):
    script = few((0, 0, 0)) if wall else few((0, 0, 0), (0.97, 0, 0))
    ends = []
    for model in (MODEL, f"hertz/material {E} 0 {NU} {FRICTIONLESS}"):
        plane = f"fix w all wall/granular/plus {model} xplane NULL 0.48\n" if wall else ""
        run = f"fix move all nve/sphere\ntimestep 1e-5\nrun {20 if wall else 300}\n"
        ends.append(forces(script + pair_words(model) + plane + run))
    pandas.testing.assert_frame_equal(ends[0], ends[1], check_exact=False, rtol=1e-13)
    assert ends[0]["fx"].abs().max() > 1e3


def through_the_middle(overlap: float, nu: float, factor: float) -> float:
    """Return the force of one contact of a grain that is squeezed between two other grains."""
    stiffness = 4 / 3 * E / (2 * (1 - nu**2)) * np.sqrt(R / 2)
    # Boussinesq's solution for the displacement on the axis, at the depth 2 R, due to a unit force
    per_force = factor * (1 + nu) * (3 - 2 * nu) / (2 * np.pi * E * 2 * R)
    force = 0.0
    for _ in range(200):
        force = stiffness * (overlap + per_force * force) ** 1.5
    return force


@pytest.mark.parametrize("nu", [-0.5, 0.0, 0.3, 0.5])
@pytest.mark.parametrize("factor", [0.0, 1.0, 1.8])
def test_opposite_contacts_stiffen_each_other(nu, factor):
    script = few((-0.97, 0, 0), (0, 0, 0), (0.97, 0, 0))
    model = f"brodu {E} {nu} {factor} 0 {FRICTIONLESS}"
    end = forces(script + pair_words(model) + AT_REST)
    expected = through_the_middle(2 * R - 0.97, nu, factor)
    np.testing.assert_allclose(end["fx"], [-expected, 0, expected], rtol=1e-9, atol=1e-9)


def test_a_grain_that_is_squeezed_bulges_aside():
    side = []
    for nu in (0.0, 0.25, 0.5):
        model = f"brodu {E} {nu} 1 0 {FRICTIONLESS}"
        grains = [(0, 0, -0.97), (0, 0, 0), (0, 0, 0.97), (1 - 1e-9, 0, 0)]
        end = forces(few(*grains) + pair_words(model) + AT_REST)
        force = end["fz"].iloc[2]
        s = np.sqrt(0.5)
        per_force = (
            (1 + nu)
            / (4 * np.pi * E * R * s)
            * ((7 - 8 * nu) * s**2 - 2 * (1 - nu) - 2 * (1 - 2 * nu) * s)
        )
        bulge = 2 * per_force * force
        stiffness = 4 / 3 * E / (2 * (1 - nu**2)) * np.sqrt(R / 2)
        np.testing.assert_allclose(end["fx"].iloc[3], stiffness * (1e-9 + bulge) ** 1.5, rtol=1e-5)
        side.append(bulge / force)
    assert 0 < side[0] < side[1] < side[2]  # the bulge is largest if grains are incompressible


# ------------------------------------------------------------------------------- whole packings


def half_space(place, direction):
    """Return the displacement at `place` in a half space due to a unit force at the origin.

    The displacement is multiplied by 2 pi E/(1 + nu).
    """
    distance = np.linalg.norm(place)
    u = place / distance
    along = direction @ u
    radial = (1 - 2 * NU) * (direction + u) / (1 + along)
    return (along * u + (3 - 4 * NU) * direction - radial) / distance


def by_another_way(grains: pandas.DataFrame, planes: bool, period: float = 0.0) -> np.ndarray:
    """Calculate the forces on grains from their positions and radii with the second method.

    If `planes` is true, planes are at 0 and BOX in each dimension. `period` is the period along x,
    or 0 if the box is not periodic.
    """
    x, radius = grains[["x", "y", "z"]].to_numpy(), grains["radius"].to_numpy()
    ends, overlaps, normals, radii = [], [], [], []
    for i in range(len(x)):
        for j in range(i):
            between = x[j] - x[i]
            if period:
                between[0] -= period * np.round(between[0] / period)
            distance = np.linalg.norm(between)
            if distance < radius[i] + radius[j]:
                ends.append((i, j))
                overlaps.append(radius[i] + radius[j] - distance)
                normals.append(between / distance)
                radii.append(radius[i] * radius[j] / (radius[i] + radius[j]))
        for d, at in [(d, at) for d in range(3) for at in (0.0, BOX)] if planes else []:
            towards = np.eye(3)[d] * np.sign(at - x[i, d])
            if abs(at - x[i, d]) < radius[i]:
                ends.append((i, -1))
                overlaps.append(radius[i] - abs(at - x[i, d]))
                normals.append(towards)
                radii.append(radius[i])
    away = {
        (k, n): normals[k] * (1 if place == 0 else -1)
        for k, pair in enumerate(ends)
        for place, n in enumerate(pair)
        if n >= 0
    }
    coupling = np.zeros((len(ends), len(ends)))
    for k, n in away:
        for m, other in away:
            if other == n and m != k:
                by, at = away[m, n] * radius[n], away[k, n] * radius[n]
                moved = half_space(at - by, -away[m, n]) @ away[k, n]
                coupling[k, m] += FACTOR * (1 + NU) / (2 * np.pi * E) * moved
    overlaps, radii = np.array(overlaps), np.array(radii)

    def respond(force):
        depth = np.maximum(overlaps + coupling @ force, 0)
        return STIFFNESS * np.sqrt(radii) * depth**1.5

    scale = respond(0 * overlaps).max()
    found = root(lambda f: (respond(f * scale) - f * scale) / scale, respond(0 * overlaps) / scale,
                 tol=1e-13)  # fmt: skip
    assert np.abs(found.fun).max() < 1e-12
    on_grains = np.zeros_like(x)
    for (k, n), direction in away.items():
        on_grains[n] -= found.x[k] * scale * direction
    return on_grains


def packing(folder, period: float = 0.0) -> str:
    random = np.random.default_rng(4711)
    lattice = np.stack(np.meshgrid(*[[0.5, 1.45, 2.4]] * 3), axis=-1).reshape(-1, 3)
    file = packings.write_spheres(
        folder / "grains.data",
        [[0, period or BOX], [-0.2, BOX + 0.2], [-0.2, BOX + 0.2]],
        lattice + random.uniform(-0.03, 0.03, lattice.shape),
        diameter=random.uniform(0.96, 1.04, len(lattice)),
        density=2000,
    )
    boundary = "boundary p f f" if period else "boundary f f f"
    return f"{START.replace('boundary f f f', boundary)}read_data {file}\n"


def planes(model: str = MODEL) -> str:
    return "".join(
        f"fix {d} all wall/granular/plus {model} {d}plane 0 {BOX}\n" for d in ("x", "y", "z")
    )


def compare(found: pandas.DataFrame, expected: np.ndarray) -> None:
    difference = np.abs(found[["fx", "fy", "fz"]].to_numpy() - expected).max()
    # pair granular/plus iterates until forces have converged to 1e-11 of the largest force
    assert difference < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize(("ranks", "newton"), [(1, "off"), (1, "on"), (2, "on"), (4, "off")])
def test_forces_of_a_packing_between_planes_solve_the_equations(tmp_path, ranks, newton):
    script = packing(tmp_path) + pair_words() + planes() + AT_REST
    found = forces(script.replace("newton off", f"newton {newton}"), ranks=ranks)
    expected = by_another_way(found, planes=True)
    compare(found, expected)
    plain = f"hertz/material {E} 0 {NU} {FRICTIONLESS}"
    hertz = forces(packing(tmp_path) + pair_words(plain) + planes(plain) + AT_REST)
    change = np.abs(hertz[["fx", "fy", "fz"]].to_numpy() - expected).max()
    assert change > 0.05 * np.abs(expected).max()


@pytest.mark.parametrize(("ranks", "newton"), [(1, "off"), (1, "on"), (2, "off"), (2, "on")])
@pytest.mark.parametrize("listed", ["own", "lammps"])
def test_forces_across_a_periodic_border_solve_the_equations(tmp_path, ranks, newton, listed):
    period = 2.85
    script = packing(tmp_path, period) + pair_words(ledger=f"list {listed}") + AT_REST
    found = forces(script.replace("newton off", f"newton {newton}"), ranks=ranks)
    compare(found, by_another_way(found, planes=False, period=period))


MOVING = "fix move all nve/sphere\ntimestep 2e-5\n"
FRICTION = "tangential mindlin NULL 1 0.5 rolling sds 1e6 0 0.2"
ROUGH = f"brodu {E} {NU} {FACTOR} 0.9 damping coeff_restitution {FRICTION}"


def test_a_restarted_run_is_the_one_that_was_not_interrupted(tmp_path):
    text = pair_words(ROUGH, "ledger yes") + planes(ROUGH) + MOVING
    begin = packing(tmp_path) + text
    whole = forces(f"{begin}run 150\nwrite_restart {tmp_path}/then\nrun 150\n")
    again = forces(
        f"atom_modify map array sort 0 0\ncomm_modify vel yes\nnewton off\n"
        f"read_restart {tmp_path}/then\nneighbor 0.2 bin\n{text}run 150\n"
    )
    columns = [name for name in again if name != "step"]
    pandas.testing.assert_frame_equal(again[columns], whole[columns], check_exact=True)


def test_ranks_do_not_matter(tmp_path):
    script = packing(tmp_path) + pair_words(ROUGH) + planes(ROUGH) + MOVING + "run 300\n"
    one, two = forces(script), forces(script, ranks=2)
    names = ["x", "y", "z", "fx", "fy", "fz"]
    difference = (one[names] - two[names]).abs() / one[names].abs().max()
    # the measured difference is below 1e-11
    assert difference.to_numpy().max() < 1e-6


# ------------------------------------------------------------------------------------- energy

BOOKS = """
compute books all granular/ledger
thermo_style custom step c_books[*]
thermo_modify norm no format float %.16g
thermo 10
"""


def books(script: str) -> pandas.DataFrame:
    thermo = engine.run(script).thermo
    return pandas.DataFrame(
        {name: thermo[f"c_books[{n}]"] for n, name in enumerate(LEDGER.names, 1)}
    )


def test_energy_is_conserved_where_contacts_keep_their_directions():
    """The ledger calculates work from forces, but the elastic energy from the law."""
    grains = few((-0.96, 0, 0), (0, 0, 0), (0.96, 0, 0)) + pair_words(ledger="ledger yes")
    grains += f"fix w all wall/granular/plus {MODEL} xplane -1.44 1.44\nset atom 2 vx 10\n{BOOKS}"
    worst = []
    for step in (2e-6, 1e-6):
        run = f"fix move all nve/sphere\ntimestep {step}\nrun {round(1e-2 / step)}\n"
        of = books(grains + run)
        exchanged = np.ptp(of["elastic_normal"])
        assert exchanged > 0.5 * of["kinetic_translation"].max()
        worst.append(np.ptp(of["residual"]) / exchanged)
    assert worst[0] < 1e-4
    assert 3.5 < worst[0] / worst[1] < 4.5


def test_forces_that_do_not_exist_are_an_error(lammps_error):
    text = few((-0.4, 0, 0), (0, 0, 0), (0.4, 0, 0)) + pair_words() + AT_REST
    message = lammps_error(text)
    for word in ("normal model brodu", "beyond the range", "overlap of", "radii"):
        assert word in message


# ----------------------------------------------------------------------------------- refusals

PLANE = "fix wall all wall/granular/plus {} zplane -1.9 NULL\n"
REFUSED = {
    "two materials": (
        pair_words() + PLANE.format(MODEL.replace(f" {NU} ", " 0.25 ")),
        ["fix wall", "brodu", "E, nu and gamma_d must be the same for all pairs and walls"],
    ),
    "another wall": (
        pair_words() + PLANE.format("hooke 1e6 0 tangential linear_nohistory 0 0"),
        ["fix wall", "normal model brodu", "for neither"],
    ),
    "another law": (
        pair_words() + PLANE.format(f"mdr {E} {NU} 1e8 0 0.2 0 damping mdr 1 {FRICTIONLESS}"),
        ["fix wall", "normal model brodu", "mdr"],
    ),
    "a mesh": (
        pair_words() + f"fix wall all wall/granular/plus {MODEL} mesh {{mesh}}\n",
        ["fix wall", "normal model brodu", "mesh"],
    ),
    "hybrid": (
        f"pair_style hybrid granular/plus\npair_coeff * * granular/plus {MODEL}\n",
        ["hybrid", "brodu"],
    ),
    "damping of another law": (
        pair_words(MODEL.replace(" 0 tang", " 0 damping mdr 1 tang")),
        ["damping mdr", "it needs normal model mdr"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_together_is_refused(lammps_error, tmp_path, name):
    text, named = REFUSED[name]
    mesh = tmp_path / "part.stl"
    mesh.write_text(
        "solid s\nfacet normal 0 0 1\nouter loop\nvertex -4 -4 -1\nvertex 4 -4 -1\n"
        "vertex 0 4 -1\nendloop\nendfacet\nendsolid s\n"
    )
    message = lammps_error(few((0, 0, 0), (0.97, 0, 0)) + text.format(mesh=mesh) + AT_REST)
    for word in named:
        assert word in message
