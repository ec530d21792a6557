"""Grains with a shape: energy, friction, ranks, restart, walls and refused input."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.spatial.transform import Rotation

from pysuite import engine, meshes, shapes
from pysuite.outputs import pair_local

SMOOTH_LAW = "hertz {stiffness} 0 tangential linear_nohistory 0 0"
FULL_LAW = (
    "hertz {stiffness} 0.4 damping tsuji tangential mindlin_rescale/force 4e3 1 0.4 "
    "rolling sds 100 1 0.1 twisting sds 100 1 0.1"
)
STEPS = 50  # number of time steps per collision


class Collisions:
    def __init__(self, folder: Path, mesh: shapes.Mesh, pairs: int, steps: float, nodes: int = 0):
        self.file = mesh.write(folder / "grain.obj")
        self.nodes = f"nodes {nodes}" if nodes else ""
        body = shapes.Shape(mesh, nodes=nodes)
        self.body, self.pairs = body, pairs
        radius, mass = body.volume_radius, body.volume
        overlap = 0.02 * radius
        self.stiffness = 15 * (mass / 2) / (16 * np.sqrt(radius / 2) * overlap**2.5) * 4 / 3
        self.timestep = 2.94 * overlap / steps
        self.end = round((0.3 * body.bounding_radius + 3 * radius + 18 * overlap) / self.timestep)
        self.apart = 8 * body.bounding_radius
        random = np.random.default_rng(7)
        self.atoms = []
        for k in range(pairs):
            impact = 1.4 * radius * np.sqrt(random.uniform())
            angle = 2 * np.pi * random.uniform()
            y = (k - pairs // 2) * self.apart
            self.atoms += [
                ((0.0, y, 0.0), 0.5),
                (
                    (
                        2.05 * body.bounding_radius,
                        y + impact * np.cos(angle),
                        impact * np.sin(angle),
                    ),
                    -0.5,
                ),
            ]

    def script(self, law: str, *, newton: str = "on", interrupted: bool = False) -> str:
        width = self.apart * (self.pairs // 2 + 1)
        lines = [
            f"units lj\natom_style bpm/sphere\natom_modify map array\nnewton {newton}",
            "comm_modify vel yes\nregion all block " + f"{-width} {width} " * 3,
            "processors 1 * 1\ncreate_box 1 all",
        ]
        for k, (place, speed) in enumerate(self.atoms, 1):
            lines += [
                "create_atoms 1 single {} {} {}".format(*place),
                f"set atom {k} diameter {2 * self.body.bounding_radius:.17g}",
                f"group one id {k}\nvelocity one set {speed} 0 0\ngroup one delete",
            ]
        style = f"""
pair_style granular/plus ledger yes
pair_coeff * * {law.format(stiffness=self.stiffness)}
"""
        grains = f"fix shape all shape/granular/plus file {self.file} density 1 orient random 5"
        grains += f" {self.nodes}\n"
        output = f"""
timestep {self.timestep}
compute ledger all granular/ledger
thermo_style custom step c_ledger[*]
thermo {self.end}
"""
        half = self.middle()
        lines += ["neighbor 0.2 bin", style, grains, output]
        if interrupted:
            lines += [f"run {half} upto\nwrite_restart middle\nclear\nread_restart middle"]
            lines += ["neighbor 0.2 bin", grains, output]
        else:
            lines += [f"run {half} upto"]  # a run must also end here if there is no restart
        lines += [f"run {self.end} upto"]
        lines += ["write_dump all custom end id x y z vx vy vz omegax omegay omegaz modify sort id"]
        lines[-1] += " format float %.17g"
        return "\n".join(lines)

    def middle(self) -> int:
        return round(0.42 * self.end)

    @staticmethod
    def state(run: engine.Run) -> np.ndarray:
        return np.atleast_2d(np.loadtxt(run.folder / "end", skiprows=9))[:, 1:]


@pytest.fixture(scope="module")
def ellipsoids(tmp_path_factory) -> Collisions:
    return Collisions(
        tmp_path_factory.mktemp("ellipsoids"), shapes.ellipsoid(1.5, 1.0, 0.7), 20, STEPS
    )


@pytest.fixture(scope="module")
def cubes(tmp_path_factory) -> Collisions:
    return Collisions(tmp_path_factory.mktemp("cubes"), shapes.cube(1.6), 20, STEPS)


def ledger(run: engine.Run) -> pandas.Series:
    return run.ledger.iloc[-1]


def test_grains_warm_by_what_their_contacts_lose(ellipsoids):
    """The specific heat is 1, so the sum of mass times temperature is the heat in the grains."""
    thermal = (
        "fix heat all property/atom temperature heatflow ghost yes\n"
        "fix flow all heat/flow constant 1\ncompute warm all property/atom temperature\n"
        "variable warmth atom mass*c_warm\ncompute warmth all reduce sum v_warmth\n"
    )
    script = ellipsoids.script(f"{FULL_LAW} heat none friction 0.7")
    script = script.replace("pair_style", f"{thermal}pair_style", 1)
    more = "c_ledger[*] c_warmth\nthermo_modify norm no format float %.17g"
    script = script.replace("c_ledger[*]", more)
    run = engine.run(script)
    dissipated = ["normal_dashpot", "tangential_dashpot", "slip", "rolling", "twisting"]
    lost = ledger(run)[dissipated].sum()
    assert lost > 0.0
    assert run.thermo["c_warmth"].iloc[-1] == pytest.approx(0.7 * lost, rel=1e-9)


@pytest.mark.parametrize("kind", ["ellipsoids", "cubes"])
def test_elastic_collisions_conserve_energy(kind, request):
    """Errors of the energy are of second order in the time step.

    With 50 steps per collision, the errors are up to 2e-4.
    """
    collisions = request.getfixturevalue(kind)
    run = engine.run(collisions.script(SMOOTH_LAW))
    balance = ledger(run)
    before = collisions.pairs * collisions.body.volume * 0.25
    after = balance["kinetic_translation"] + balance["kinetic_rotation"]
    assert after == pytest.approx(before, rel=2e-4)
    assert balance["kinetic_rotation"] > 0.1 * before
    assert balance["contacts"] == 0
    state = collisions.state(run)
    momentum = state[:, 3:6].reshape(-1, 2, 3).sum(axis=1)
    np.testing.assert_allclose(momentum, 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["ellipsoids", "cubes"])
def test_approach_speed_is_that_along_the_normal(kind, request):
    collisions = request.getfixturevalue(kind)
    names = ("approach_speed", "contact_time", "normal_x")
    watch = (
        f"compute met all pair/local {pair_local(*names)}\n"
        "compute pair all property/local patom1\n"
        "dump met all local 1 met c_met[*] c_pair\ndump_modify met format float %.17g\n"
    )
    script = collisions.script(SMOOTH_LAW).replace("ledger yes", "ledger collisions")
    rows = engine.run(script.replace("timestep", f"{watch}timestep", 1)).local("met")
    pair = (rows[rows.columns[-1]] + 1) // 2
    begun = rows[rows["contact_time"] > 0].groupby(pair).first()  # grains may collide again
    assert len(begun) > 0.5 * collisions.pairs
    assert begun["normal_x"].abs().min() < 0.9
    np.testing.assert_allclose(begun["approach_speed"], begun["normal_x"].abs(), rtol=1e-9)


@pytest.mark.parametrize("kind", ["ellipsoids", "cubes"])
@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
def test_ledger_balances(kind, slider, request):
    collisions = request.getfixturevalue(kind)
    balance = ledger(engine.run(collisions.script(f"{FULL_LAW} slider {slider}")))
    before = collisions.pairs * collisions.body.volume * 0.25
    assert abs(balance["residual"]) < 1e-3 * before
    lost = before - balance["kinetic_translation"] - balance["kinetic_rotation"]
    assert lost > 0.2 * before
    for name in ("normal_dashpot", "slip", "rolling", "twisting"):
        assert balance[name] > 0
    if slider == "csds":
        assert balance["created"] == 0


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_ranks_and_newton(newton, ranks, ellipsoids):
    """Results agree only up to round-off, because forces are added in different orders."""
    reference = ellipsoids.state(engine.run(ellipsoids.script(FULL_LAW)))
    found = ellipsoids.state(engine.run(ellipsoids.script(FULL_LAW, newton=newton), ranks=ranks))
    np.testing.assert_allclose(found, reference, atol=1e-11)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("kind", ["ellipsoids", "cubes"])
def test_restart(kind, ranks, request):
    collisions = request.getfixturevalue(kind)
    whole = engine.run(collisions.script(FULL_LAW))
    parts = engine.run(collisions.script(FULL_LAW, interrupted=True), ranks=ranks)
    np.testing.assert_allclose(collisions.state(parts), collisions.state(whole), atol=1e-11)
    one, other = ledger(whole), ledger(parts)
    for name, value in one.items():
        assert other[name] == pytest.approx(value, abs=1e-9), name


DROP = """units si
atom_style bpm/sphere
comm_modify vel yes
boundary p p f
region all block -0.05 0.05 -0.05 0.05 -0.01 0.05
create_box 2 all
{atoms}
neighbor 0.002 bin
{more}
group none empty
fix shape {group} shape/granular/plus file {file} density 2500 {options}
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix wall all wall/granular/plus {law} {wall}
{gravity}
timestep 2e-6
compute ledger all granular/ledger
thermo_style custom step c_ledger[*] f_wall[*]
thermo 1
run {steps}
write_dump all custom end id x y z vx vy vz omegax omegay omegaz modify sort id format float %.17g
"""
MATERIAL = "hertz/material 5e7 {e} 0.2 damping tsuji tangential mindlin_rescale/force NULL 1 0.5"


def drop(mesh: shapes.Mesh, folder: Path, atoms: list[tuple], **other: object) -> engine.Run:
    file = mesh.write(folder / "grain.obj")
    diameter = 2 * shapes.Shape(mesh).bounding_radius
    lines = []
    for k, (x, y, z, vx, vy, vz) in enumerate(atoms, 1):
        lines += [f"create_atoms 1 single {x} {y} {z}\nset atom {k} diameter {diameter:.17g}"]
        lines += [f"group one id {k}\nvelocity one set {vx} {vy} {vz}\ngroup one delete"]
    values = {
        "atoms": "\n".join(lines),
        "file": file,
        "options": "",
        "group": "all",
        "law": MATERIAL.format(e=0.5),
        "wall": "zplane 0 NULL",
        "gravity": "",
        "more": "",
        "steps": 2000,
    } | other
    return engine.run(DROP.format(**values))


@pytest.mark.parametrize(
    "wall", ["zplane 0 NULL", "region box", "zcylinder 0.02"], ids=["plane", "region", "cylinder"]
)
def test_walls_give_back_the_energy(wall, tmp_path):
    more = "region box block -0.04 0.04 -0.04 0.04 0 0.045"
    atoms = [(0.012 * k, 0.012 * m, 0.01, 0, 0, -1.0) for k in (-1, 0, 1) for m in (-1, 0, 1)]
    extra = {}
    if wall.startswith("zcylinder"):
        atoms = [(0.0, 0.0, 0.012 * k, 1.0, 0.2 * k, 0.0) for k in range(4)]
        more = "change_box all boundary f f f"
    run = drop(
        shapes.ellipsoid(0.006, 0.004, 0.003),
        tmp_path,
        atoms,
        options="orient random 4",
        law="hertz 1e9 0 tangential linear_nohistory 0 0",
        wall=wall,
        more=more,
        steps=8000,
        **extra,
    )
    balance = ledger(run)
    mass = 2500 * 4 / 3 * np.pi * 0.006 * 0.004 * 0.003
    before = 0.5 * mass * sum(v[3] ** 2 + v[4] ** 2 + v[5] ** 2 for v in atoms)
    after = balance["kinetic_translation"] + balance["kinetic_rotation"] + balance["elastic_normal"]
    assert after == pytest.approx(before, rel=2e-4)
    assert balance["kinetic_rotation"] > 1e-3 * before
    assert abs(balance["residual"]) < 1e-3 * before


def shell(folder: Path, half: float) -> Path:
    """Write the closed mesh of a hollow box. The inner width is four times the wall thickness."""
    outer, inner = shapes.cube(3 * half), shapes.cube(2 * half)
    triangles = np.concatenate([outer.triangles, inner.triangles[:, ::-1] + len(outer.points)])
    mesh = shapes.Mesh(np.concatenate([outer.points, inner.points]), triangles.astype(np.int32))
    return mesh.write(folder / "shell.stl")


@pytest.mark.parametrize(
    "law",
    ["hertz 1e9 0 tangential linear_nohistory 0 0", MATERIAL.format(e=0.7)],
    ids=["elastic", "friction"],
)
def test_closed_mesh_is_its_planes(law, tmp_path):
    """Results agree only to 1e-5, because collisions amplify round-off of single precision."""
    half = 0.032  # exact in single precision
    atoms = [
        (0.02 * (k % 3 - 1), 0.02 * (k // 3 - 1), 0.002 * k, 0.3 * k - 1, 0.2 * k, -1.0)
        for k in range(9)
    ]
    found = []
    for wall in (f"mesh {shell(tmp_path, half)}", f"zplane {-half} {half}"):
        sides = "".join(
            f"fix {side} all wall/granular/plus {law} {side}plane {-half} {half}\n" for side in "xy"
        )
        run = drop(
            shapes.ellipsoid(0.006, 0.004, 0.003),
            tmp_path,
            atoms,
            options="orient random 3",
            law=law,
            wall=wall,
            gravity="" if wall.startswith("mesh") else sides,
            more="change_box all z final -0.05 0.05 boundary f f f",
            steps=12000,
        )
        balance = ledger(run)
        energy = balance[["kinetic_translation", "kinetic_rotation", "elastic_normal"]].sum()
        before = run.ledger.iloc[0]["kinetic_translation"]
        if law.startswith("hertz 1e9"):
            assert energy == pytest.approx(before, rel=1e-4)
        assert abs(balance["residual"]) < 1e-3 * before
        found.append(Collisions.state(run))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-5 * np.abs(found[1]).max())


EDGES = """units lj
atom_style bpm/sphere
atom_modify map array
boundary f f f
comm_modify vel yes
region box block -5 5 -5 5 -5 5
create_box 1 box
create_atoms 1 single {place}
set group all diameter 1.6
fix grain all shape/granular/plus file {file} density 1.5 nodes 1000 orient random {seed}
pair_style granular/plus ledger yes
pair_coeff * * hertz/material 1e5 0 0.3 tangential linear_nohistory 0 0
fix obstacle all wall/granular/plus hertz/material 1e5 0 0.3 tangential linear_nohistory 0 0 &
  mesh {cube}
set atom 1 vx {velocity[0]} vy {velocity[1]} vz {velocity[2]}
compute books all granular/ledger
timestep 2e-4
thermo_style custom step c_books[*]
thermo_modify norm no format float %.17g
run 5000
"""


def test_edges_that_stand_out_of_a_mesh_conserve_energy(tmp_path):
    """Behind an edge, the distance from the mesh has a kink.

    The kink causes an error of first order in the time step. If each face had a separate contact,
    the energy would change by up to 35 %.
    """
    cube = meshes.write_stl(tmp_path / "cube.stl", meshes.box((-1, -1, -1), (1, 1, 1)))
    file = shapes.rock(1.0, 0.3, 40, 5).write(tmp_path / "rock.obj")
    random = np.random.default_rng(2)
    changed = []
    for seed in range(1, 9):
        aim = np.array([1.0, 1.0, random.choice([1.0, random.uniform(-0.8, 0.8)])])
        aim = random.permutation(aim * random.choice([-1.0, 1.0], 3))
        outward = aim / np.linalg.norm(aim)
        way = -outward + random.normal(scale=0.3, size=3)
        velocity = 3 * way / np.linalg.norm(way)
        place = " ".join(repr(x) for x in (aim - velocity * 0.5).tolist())
        run = engine.run(
            EDGES.format(place=place, file=file, cube=cube, seed=seed, velocity=velocity.tolist())
        )
        books = run.ledger
        energy = books[["kinetic_translation", "kinetic_rotation", "elastic_normal"]].sum(axis=1)
        assert books["elastic_normal"].iloc[-1] == 0.0
        changed.append(energy.iloc[-1] / energy.iloc[0] - 1.0)
    assert np.abs(changed).max() < 1e-2


def wound(triangles: np.ndarray, how: str) -> np.ndarray:
    triangles = triangles.copy()
    chosen = {"as drawn": slice(0, 0), "turned": slice(None), "mixed": slice(None, None, 3)}[how]
    triangles[chosen] = triangles[chosen][:, ::-1]
    return triangles


@pytest.mark.parametrize("how", ["as drawn", "turned", "mixed"])
@pytest.mark.parametrize("role", ["container", "obstacle"])
def test_winding_of_a_closed_mesh_does_not_matter(role, how, tmp_path):
    half, law = 0.032, MATERIAL.format(e=0.7)
    start = {"container": 0.002, "obstacle": 0.012}[role]
    atoms = [
        (0.02 * (k % 3 - 1), 0.02 * (k // 3 - 1), start + 0.002 * (k % 2), 0.1 * k, -0.1, -1.0)
        for k in range(4)
    ]
    low = -half if role == "container" else -0.02
    high = half if role == "container" else 0.0
    box = meshes.box((-half, -half, low), (half, half, high), cells=3, seed=1)
    file = meshes.write_stl(tmp_path / "box.stl", wound(box, how))
    sides = f"fix x all wall/granular/plus {law} xplane {-half} {half}\n"
    sides += f"fix y all wall/granular/plus {law} yplane {-half} {half}\n"
    planes = f"zplane {low} {high}" if role == "container" else "zplane 0 NULL"
    found = []
    for wall in (f"mesh {file}", planes):
        run = drop(
            shapes.box(0.006, 0.008, 0.004),
            tmp_path,
            atoms,
            options="orient random 3",
            law=law,
            wall=wall,
            gravity=sides if wall is planes and role == "container" else "",
            more="change_box all z final -0.05 0.05 boundary f f f",
            steps=20000 if role == "container" else 6000,
        )
        balance = ledger(run)
        assert abs(balance["residual"]) < 1e-3 * run.ledger.iloc[0]["kinetic_translation"]
        assert balance["normal_dashpot"] > 0
        found.append(Collisions.state(run))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-5 * np.abs(found[1]).max())


def test_grain_deep_in_a_mesh(tmp_path):
    """A grain whose centre lies on a mesh could belong to either side of the mesh."""
    box = meshes.box((-0.03, -0.03, -0.02), (0.03, 0.03, 0.0))
    wall = f"mesh {meshes.write_stl(tmp_path / 'box.stl', box)}"
    message = r"innermost point from the mesh = 0\.000\d+ must be >= 0\.0012"
    with pytest.raises(engine.LammpsError, match=message):
        drop(shapes.cube(0.01), tmp_path, [(0, 0, 0.0005, 0, 0, 0)], wall=wall, steps=1)


@pytest.mark.parametrize("how", ["as drawn", "turned"])
def test_ring_on_a_peg(how, tmp_path):
    inner, outer, high = 0.006, 0.010, 0.002
    profile = [(inner, -high), (outer, -high), (outer, high), (inner, high), (inner, -high)]
    corners = meshes.lathe(profile, 40)
    points, of = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    ring = shapes.Mesh(points, of.reshape(-1, 3).astype(np.int32))
    radius, low, top = 0.005, -0.009, 0.04
    peg = meshes.lathe([(0, low), (radius, low), (radius, top), (0, top)], 24)
    file = meshes.write_stl(tmp_path / "peg.stl", wound(peg, how))
    run = drop(
        ring,
        tmp_path,
        [(0, 0, 0.01, 0.2, 0.1, 0.0)],
        law="hertz 1e8 0 tangential linear_nohistory 0 0",
        wall=f"mesh {file}",
        steps=20000,
    )
    balance = ledger(run)
    kept = balance[["kinetic_translation", "kinetic_rotation", "elastic_normal"]].sum()
    assert kept == pytest.approx(run.ledger.iloc[0]["kinetic_translation"], rel=1e-3)
    state = Collisions.state(run)[0]
    assert np.hypot(state[0], state[1]) < inner - radius
    assert balance["kinetic_rotation"] > 0


TURNING = """
units lj
atom_style bpm/sphere
boundary f f f
newton off
comm_modify vel yes
region all block -8 8 -8 8 -8 8
create_box 1 all
create_atoms 1 single {place}
set group all diameter {diameter:.17g}
neighbor 0.2 bin
{lists}
pair_style granular/plus
pair_coeff * * {law}
fix grain all shape/granular/plus file {file} density 1e6
{region}
fix w all wall/granular/plus {law} {wall}
timestep 1e-3
thermo_style custom step f_w[1] f_w[2] f_w[3]
thermo_modify norm no format float %.17g
thermo 10
run {steps}
"""


@pytest.mark.parametrize(
    ("size", "place", "region", "wall", "steps"),
    [
        ((2, 2, 0.1), "0 0 0.07", "", "zplane 0 NULL rotate 0.5 0 0 0 0 1 0", 200),
        (
            (2, 2, 0.4),
            "0 0 0.25",
            "variable turn equal 5e-4*step\n"
            "region turns block -20 20 -20 20 0 40 rotate v_turn 0 0 0 0 1 0",
            "region turns",
            300,
        ),
        ((1, 1, 1), "-3.3 0 4", "", "zcylinder 5 rotate 0.5 0 0 0 0 1 0", 1000),
    ],
    ids=["plane", "region", "cylinder"],
)
def test_walls_that_turn_meet_grains_at_rest(size, place, region, wall, steps, tmp_path):
    """The grain is at rest, but nodes near the wall are searched again because the wall moves."""
    mesh = shapes.box(*size)
    file = mesh.write(tmp_path / "grain.obj")
    forces = [
        engine.run(
            TURNING.format(
                place=place,
                diameter=2 * shapes.Shape(mesh).bounding_radius,
                lists=f"neigh_modify delay 0 every 1 check {check}",
                law="hooke 1000 0 tangential linear_nohistory 0 0",
                file=file,
                region=region,
                wall=wall,
                steps=steps,
            ),
            folder=tmp_path,
        ).thermo.iloc[:, -3:]
        for check in ("yes", "no")
    ]
    assert np.abs(forces[0].to_numpy()).max() > 10.0
    np.testing.assert_array_equal(*forces)


def test_cube_rests_on_a_plane(tmp_path):
    edge = 0.01
    run = drop(
        shapes.cube(edge),
        tmp_path,
        [(0, 0, 0.5 * edge, 0, 0, 0)],
        gravity="fix g all gravity 9.81 vector 0 0 -1",
        steps=20000,
    )
    state = Collisions.state(run)
    assert np.abs(state[0, 3:]).max() < 1e-9
    weight = 2500 * edge**3 * 9.81
    force = run.wall_vector()["force_z"].iloc[-1]
    assert force == pytest.approx(-weight, rel=1e-6)


def test_sphere_as_shape_is_a_sphere(tmp_path):
    atoms = [(0, 0, 0.0052, 0, 0, -1.0)]
    found = []
    for group in ("all", "none"):
        run = drop(
            shapes.sphere(0.005),
            tmp_path,
            atoms,
            law=MATERIAL.format(e=0.7),
            more="set group all density 2500"
            + ("\nfix move all nve/sphere" if group == "none" else ""),
            group=group,
            steps=1500,
        )
        force = run.wall_vector()["force_z"].abs().max()
        found.append((Collisions.state(run)[0, 5], force))
    np.testing.assert_allclose(found[0], found[1], rtol=0.005)


class TestRestitution:
    """The effective mass of a contact is smaller if the contact force also rotates the grain."""

    @pytest.mark.parametrize(
        "law",
        [
            "hertz/material 5e7 {e} 0.2 damping coeff_restitution",
            "actm 4e-4 {e} 5e9 0.2",
        ],
        ids=["coeff_restitution", "actm"],
    )
    def test_off_centre(self, law, tmp_path):
        """The law assumes that lever arm and curvature are constant while the grain rotates."""
        e = 0.6
        run = drop(
            shapes.ellipsoid(0.006, 0.004, 0.003),
            tmp_path,
            [(0, 0, 0.0065, 0, 0, -1.0)],
            options="orient random 3 nodes 10000",
            law=law.format(e=e) + " tangential linear_nohistory 0 0",
            steps=6000,
        )
        balance = ledger(run)
        mass = 2500 * 4 / 3 * np.pi * 0.006 * 0.004 * 0.003
        before = 0.5 * mass
        after = balance["kinetic_translation"] + balance["kinetic_rotation"]
        state = Collisions.state(run)[0]
        # The contact point arrives at speed 1 and leaves at speed e. An impulse J then dissipates
        # J (1 - e)/2.
        impulse = mass * (state[5] + 1.0)
        assert 1 - 2 * (before - after) / impulse == pytest.approx(e, abs=0.03)


BAD = [
    ("file none.stl density 1", "file none.stl: the file cannot be read"),
    ("density 1", "keyword file is missing"),
    ("file {file}", "keyword density is missing"),
    ("file {file} density 0", "keyword density: RHO = 0 must be > 0"),
    ("file {file} density nan", "RHO = nan must be a finite number"),
    ("file {file} density 1 surface rough", "keyword surface: rough must be smooth or facets"),
    ("file {file} density 1 nodes 0", "keyword nodes: N = 0 must be >= 1"),
    ("file {file} density 1 nodes 100000000", "nodes = 100000000 must be > 0 and <= 2000000"),
    ("file {file} density 1 cell -1", "keyword cell: H = -1 must be > 0"),
    ("file {file} density 1 cell 1e-5", "more than the limit of 5e7"),
    ("file {file} density 1 orient along 1", "keyword orient: along must be random"),
    ("file {file} density 1 orient random 0", "keyword orient: SEED = 0 must be >= 1"),
    ("file {file} density 1 orient", "keyword orient needs random SEED"),
    (
        "file {file} density 1 vtk 10 grains.vtp",
        r"keyword vtk: FILE = grains.vtp must be a name with one \*",
    ),
    ("file {file} density 1 vtk 10 *.grains.*.vtp", "FILE = .* must be a name with one"),
    ("file {file} density 1 node 10", "unknown keyword node.*did you mean nodes"),
    ("file {file} density 1 density 2", "keyword density = 2 must be given only once"),
    ("file {open} density 1", "is open: 3 edges"),
    ("file {inside} density 1", "is inside out: its volume"),
    ("file {flat} density 1", "consistent orientations|encloses no volume"),
]

FRICTION = "tangential linear_nohistory 1 0.3"
HEAD = """units lj
atom_style {atoms}
dimension {dimension}
comm_modify vel {vel}
region all block -5 5 -5 5 {low} {high}
create_box 1 all
create_atoms 1 single 0 0 0
set group all diameter 1.8
pair_style granular/plus
pair_coeff * * {law}
{fix}
{more}
timestep 0.001
run 2
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    cube = shapes.cube()
    return {
        "file": cube.write(folder / "cube.obj"),
        "open": shapes.Mesh(cube.points, cube.triangles[1:]).write(folder / "open.obj"),
        "inside": shapes.Mesh(cube.points, cube.triangles[:, ::-1]).write(folder / "inside.stl"),
        "flap": shapes.Mesh(cube.points, cube.triangles[:1]).write(folder / "flap.stl"),
        "flat": shapes.Mesh(cube.points * np.array([1, 1, 1e-10]), cube.triangles).write(
            folder / "flat.obj"
        ),
    }


def head(fix: str, **other: str) -> str:
    values = {
        "atoms": "bpm/sphere",
        "dimension": "3",
        "vel": "yes",
        "low": "-5",
        "high": "5",
        "law": "hertz 1e4 0.5 damping tsuji tangential linear_nohistory 1 0.3",
        "more": "",
    } | other
    return HEAD.format(fix=fix, **values)


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_arguments(arguments, message, files):
    fix = "fix shape all shape/granular/plus " + arguments.format(**files)
    with pytest.raises(engine.LammpsError, match=message):
        engine.run(head(fix))


GOOD = "fix shape all shape/granular/plus file {file} density 1"


@pytest.mark.parametrize("name", ["grain.obj", "none.obj"])
def test_one_processor_reads_the_file(name, tmp_path):
    programs = []
    for rank in ("0", "1"):
        folder = tmp_path / rank
        folder.mkdir()
        script = head(GOOD.format(file=name)) + "create_atoms 1 single 0 0 0\nrun 1"
        program = f"from pysuite import engine\nengine.Session().commands({script!r})\nprint('ran')"
        programs += [":", "-n", "1", "-wdir", str(folder), sys.executable, "-c", program]
    shapes.cube().write(tmp_path / "0" / "grain.obj")
    command = [engine.mpiexec(), *programs[1:]]
    done = subprocess.run(
        command, input="", capture_output=True, text=True, check=False, timeout=60
    )
    if name == "grain.obj":
        assert done.stdout.count("ran") == 2, done.stderr
    else:
        assert "file none.obj: the file cannot be read" in done.stdout + done.stderr
        assert "ran" not in done.stdout.split()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"atoms": "sphere"}, "atom_style bpm/sphere"),
        ({"dimension": "2", "low": "-0.5", "high": "0.5"}, "dimension = 2 must be 3"),
        ({"vel": "no"}, "vel yes"),
        ({"law": f"jkr 1e4 0.5 0.3 10 {FRICTION}"}, "normal jkr is not available"),
        ({"law": f"dmt 1e4 0.5 0.3 10 {FRICTION}"}, "normal dmt is not available"),
        (
            {
                "law": "hertz 1e4 50 tangential linear_nohistory 1 0.3 "
                "bridge willett 0.1 20 volume 1e-3 cutoff 3"
            },
            "liquid bridge is not available",
        ),
        (
            {"law": "hertz 1e4 50 damping velocity tangential linear_nohistory 1 0.3"},
            "damping velocity",
        ),
        ({"more": "fix move all nve/sphere"}, "fix move nve/sphere moves grains"),
        ({"more": "run_style respa 2 2"}, "respa"),
        ({"more": "change_box all boundary p p f\nfix wall all wall/granular/plus jkr 1e4 0.5 0.3 "
          "10 tangential linear_nohistory 1 0.3 zplane -5 5"}, "normal jkr"),
        ({"more": "region r cylinder z 0 0 4 -5 5\nfix wall all wall/granular/plus hertz 1e4 50 "
          "tangential linear_nohistory 1 0.3 region r\nset atom 1 x 3.5"}, "can touch only planes"),
        ({"more": "fix wall all wall/granular/plus hertz 1e4 50 tangential linear_nohistory 1 0.3 "
          "mesh {flap}"}, "need a closed mesh: this mesh has 3 open edges"),
        ({"more": "unfix shape_shape_granular_plus\nrun 1"},
         "fix shape_shape_granular_plus, which this fix needs, has been deleted"),
    ],
)  # fmt: skip
def test_what_is_refused(other, message, files):
    other = {name: text.replace("{flap}", str(files["flap"])) for name, text in other.items()}
    with pytest.raises(engine.LammpsError, match=message):
        engine.run(head(GOOD.format(**files), **other))


@pytest.mark.parametrize(("units", "mvv2e"), [("lj", 1.0), ("metal", 1.0364269e-4)])
def test_set_quat_and_spin(units, mvv2e, files):
    more = 'run 1\nset atom 1 omega 0 0 2\nrun 10\nprint "spin $(f_shape) energy"'
    script = head(GOOD.format(**files), more=more).replace("units lj", f"units {units}")
    run = engine.run(script)
    text = (run.folder / engine.LOG_FILE).read_text(encoding="utf-8")
    scale = 1.8 / np.sqrt(3)
    expected = mvv2e * 0.5 * scale**5 / 6 * 4
    found = float(text.split("\nspin ")[1].split()[0])
    assert found == pytest.approx(expected, rel=1e-10)


def test_free_top_of_a_million_steps(tmp_path):
    """A freely rotating grain keeps its angular momentum, and its energy stays within a band.

    Errors of the conversion between angular momentum and spin do not accumulate, because both are
    stored. The energy oscillates because the integrator splits the motion into rotations.
    """
    file = shapes.box(1.0, 2.0, 3.0).write(tmp_path / "box.obj")
    entries = ("omegax", "omegay", "omegaz", "quatw", "quati", "quatj", "quatk")
    run = engine.run(
        f"""units lj
atom_style bpm/sphere
boundary f f f
comm_modify vel yes
newton off
region all block -5 5 -5 5 -5 5
create_box 1 all
create_atoms 1 single 0 0 0
set group all diameter {np.sqrt(14.0):.17g}
fix top all shape/granular/plus file {file} density 1 nodes 100
set atom 1 omega 0.3 1.0 0.2
pair_style granular/plus
pair_coeff * * hooke 1 0.5 {FRICTION}
compute now all property/atom {" ".join(entries)}
compute sum all reduce sum {" ".join(f"c_now[{k}]" for k in range(1, 8))}
timestep 0.1
thermo_style custom step f_top c_sum[*]
thermo_modify norm no format float %.17g
thermo 1000
run 1000000
""",
        timeout=600,
    )
    values = run.thermo[[f"c_sum[{k}]" for k in range(1, 8)]].to_numpy(copy=True)
    spin, turn = values[:, :3], Rotation.from_quat(values[:, [4, 5, 6, 3]])
    inertia = 0.5 * np.array([13.0, 10.0, 5.0])  # principal moments of a box of mass 6
    momentum = turn.apply(inertia * turn.inv().apply(spin))
    size = np.linalg.norm(momentum[0])
    np.testing.assert_allclose(momentum, momentum[:1].repeat(len(momentum), 0), atol=1e-12 * size)
    energy = run.thermo["f_top"].to_numpy() / run.thermo["f_top"].iloc[0]
    early, late = energy[:100], energy[-100:]
    assert np.ptp(energy) < 2e-3
    assert np.ptp(late) < 1.2 * np.ptp(early)
    assert late.mean() == pytest.approx(early.mean(), abs=0.1 * np.ptp(early))


def test_vtk(files, tmp_path):
    fix = GOOD.format(**files) + f" vtk 2 {tmp_path}/grain.*.vtp"
    engine.run(head(fix))
    text = (tmp_path / "grain.2.vtp").read_text(encoding="utf-8")
    arrays = {
        name: np.frombuffer(
            base64.b64decode(data)[8:], {"Float32": "<f4", "Int32": "<i4"}.get(kind, "<f8")
        )
        for kind, name, data in re.findall(
            r'type="(\w+)" Name="(\w+)" [^>]*>([^<]*)</DataArray>', text
        )
    }
    points = arrays["Points"].reshape(-1, 3)
    assert len(points) == 14
    # OVITO requires this name; VTK and ParaView do not
    assert re.search(r'<Points>\s*<DataArray [^>]*Name="Points"', text)
    assert np.linalg.norm(points, axis=1).max() == pytest.approx(0.9, rel=1e-6)
    assert arrays["connectivity"].reshape(-1, 3).max() == 13
    np.testing.assert_array_equal(arrays["offsets"], 3 * np.arange(1, 25))
    np.testing.assert_array_equal(arrays["id"], 1.0)
    assert arrays["velocity"].shape == (24 * 3,)


POUR = """units lj
atom_style bpm/sphere
comm_modify vel yes
boundary p p f
region all block 0 6 0 6 0 12
create_box 2 all
group dice empty
region top block 1 5 1 5 7 11
fix shape dice shape/granular/plus file {file} density 2 orient random 3 nodes 400
pair_style granular/plus ledger yes
pair_coeff * * {law}
fix floor all wall/granular/plus {law} zplane 0 NULL
fix weight all gravity 1 vector 0 0 -1
fix pour dice pour 12 2 4711 region top diam one 1.2 vol 0.3 100 dens 1 1 vel 0 0 0 0 -2
compute ledger all granular/ledger
timestep 1e-3
thermo_style custom step atoms c_ledger[*]
thermo 4000
run 4000
variable mass equal mass(all)
print "poured $(v_mass:%.15g)"
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_poured_grains_have_mass_and_inertia_at_once(ranks, files):
    law = "hooke 2e3 0.3 damping coeff_restitution tangential linear_history 500 1 0.5"
    run = engine.run(POUR.format(file=files["file"], law=law), ranks=ranks)
    mass = float(run.log.split("\npoured ")[-1].split()[0])
    assert mass == pytest.approx(12 * 2 * (1.2 / np.sqrt(3)) ** 3, rel=1e-12)
    balance = ledger(run)
    assert abs(balance["residual"]) < 1e-3 * balance["exchanged"]
    assert balance["kinetic_rotation"] > 0
