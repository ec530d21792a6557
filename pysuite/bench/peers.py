"""Compare granular/plus with other codes: elastic collisions, bridges, bulk flows, run times.

Each comparison runs the same grains, walls, law and steps in all codes.
"""

from __future__ import annotations

import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import pysuite
from pysuite import engine, files, meshes, outputs, shapes
from pysuite.bench import segments
from pysuite.bench.performance import Table
from pysuite.errors import UsageError
from pysuite.lammps import processes
from pysuite.validation import (
    cases_folder,
)
from pysuite.validation.setups import (
    bounces,
    bulk,
    collisions,
    dense_packs,
    packings,
    silo_and_drum,
    wet_packs,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

ABSENT = "not installed"
TIMEOUT = 3600.0


class Code(NamedTuple):
    """Path of another code's program, and a text with the name and version of the code."""

    program: Path
    version: str

    def run(self, script: str, folder: Path) -> str:
        """Run a script and return the output. Raises UsageError if the script fails."""
        (folder / "in.script").write_text(script)
        command = [str(self.program), "-in", "in.script", "-log", "log.peer"]
        returncode, output = processes.run_process(command, folder, TIMEOUT)
        if returncode != 0:
            raise UsageError(f"{self.version}: {engine.describe_exit(returncode or 1, output, '')}")
        return output


class Yade(Code):
    """YADE, which runs Python scripts."""

    def run(self, script: str, folder: Path) -> str:
        """Run a script and return the output. Raises UsageError if the script fails."""
        (folder / "script.py").write_text(script)
        command = [str(self.program), "-n", "-x", "script.py"]
        returncode, output = processes.run_process(command, folder, TIMEOUT)
        # YADE exits with 0 even if its script failed
        if returncode != 0 or "Traceback" in output:
            raise UsageError(f"{self.version}: {output[-500:]}")
        return output


def find_yade(program: str | None) -> Yade | None:
    """Return YADE, or None if `program` is not found.

    Raises UsageError if the program prints no version of YADE.
    """
    path = shutil.which(program) if program else None
    if path is None:
        return None
    with tempfile.TemporaryDirectory(prefix="pysuite-") as folder:
        _, output = processes.run_process([path, "--version"], Path(folder), timeout=60.0)
    found = re.search(r"Yade (?:version: )?(\d{4}\.\w+)", output)
    if found is None:
        raise UsageError(f"{path} prints no version of YADE: {output[:200]}")
    return Yade(Path(path), f"YADE {found[1]}")


def find(program: str | None) -> Code | None:
    """Return LAMMPS or LIGGGHTS, or None if `program` is not found.

    Raises UsageError if the program prints no version of LAMMPS or LIGGGHTS.
    """
    path = shutil.which(program) if program else None
    if path is None:
        return None
    with tempfile.TemporaryDirectory(prefix="pysuite-") as folder:
        (Path(folder) / "in.empty").write_text("units lj\n")
        command = [path, "-in", "in.empty", "-log", "none"]
        _, output = processes.run_process(command, Path(folder), timeout=60.0)
    found = re.search(r"^(LAMMPS|LIGGGHTS) \((?:Version )?([^,)]+)", output, re.MULTILINE)
    if found is None:
        raise UsageError(f"{path} prints no version of LAMMPS or LIGGGHTS: {output[:200]}")
    return Code(Path(path), found[2] if "LIGGGHTS" in found[2] else f"{found[1]} {found[2]}")


@dataclass(frozen=True)
class Request:
    """Codes to compare with, and the size of the comparison.

    LAMMPS needs the packages GRANSURF and ASPHERE. Codes that are not installed are None.
    """

    lammps: Code | None
    liggghts: Code | None
    quick: bool
    folder: Path
    yade: Yade | None = None

    def describe(self) -> str:
        """Return one sentence about the date, the machine and the codes."""
        machine = segments.describe_machine()
        clone = machine["clones"][-1] if machine["clones"] else "unknown"
        others = [code.version for code in (self.lammps, self.liggghts, self.yade) if code]
        return (
            f"Measured on {time.strftime('%Y-%m-%d')}: {machine['processor']}, "
            f"{machine['cores']} cores ({machine['caches']}); granular/plus {pysuite.__version__} "
            f"(compiled by {machine['compiler']}, instruction set {clone}) in LAMMPS "
            f"{machine['lammps']}; {'; '.join(others) or 'no other code'}."
        )


def _table(caption: str, rows: Sequence[Mapping[str, str]]) -> Table:
    import pandas

    return Table(caption, pandas.DataFrame(rows).fillna(""))


# ------------------------------------------------------------------- energy at walls of triangles

SURFACE_GLOBAL = (
    f"surface/global input stl 1 1 wall.stl model * * granular hertz {bounces.STIFFNESS:.17g} 0 "
    "tangential linear_nohistory 0 0 damping velocity"
)


def bounce_table(request: Request) -> Table:
    """Return the table of energy changes of balls that bounce off meshes."""
    ours = bounces.OURS.format(stiffness=bounces.STIFFNESS, restitution=1.0)
    codes = {
        "granular/plus": (None, ours),
        "surface/global": (request.lammps, SURFACE_GLOBAL),
        "surface/global, flat 20": (request.lammps, f"{SURFACE_GLOBAL} flat 20"),
    }
    rows = []
    for wall_name, wall in bounces.WALLS.items():
        for name, (code, line) in codes.items():
            row = {"wall": wall_name, "code": name}
            if code is None and line != ours:
                rows.append(row | {"bounces": ABSENT})
                continue
            for steps in bounces.STEPS:
                folder = request.folder / f"bounces-{len(wall.triangles)}-{steps}-{len(rows)}"
                script = bounces.prepare(folder, wall, steps, 20 if request.quick else 60, line)
                if code:
                    code.run(script, folder)
                else:
                    engine.run(script, folder=folder, timeout=TIMEOUT)
                energies = engine.parse_dump((folder / "energies").read_text())
                change = bounces.changes(energies)
                row["bounces"] = str(len(change))
                row[f"rms, {steps} steps"] = f"{_rms(change):.1e}"
            row |= _extremes(change)
            rows.append(row)
    return _table(
        "**Energy at meshes**: relative change of a ball's energy in a bounce without friction "
        "and damping. Root mean squares are given for several numbers of time steps per collision. "
        f"The largest gain and the largest loss are given at {bounces.STEPS[-1]} steps.",
        rows,
    )


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).mean()))


def _extremes(change: np.ndarray) -> dict[str, str]:
    largest = {"largest gain": change.max(), "largest loss": -change.min()}
    return {name: f"{value:.1e}" if value > 0 else "none" for name, value in largest.items()}


# ------------------------------------------------------------------------- energy of shapes

SUPERELLIPSOIDS = collisions.Language(
    "ellipsoid superellipsoid",
    """
pair_style granular/superellipsoid
pair_coeff * * hertz {stiffness:.17g} 0 tangential classic 0 0 0 damping viscoelastic
fix move all nve/asphere
compute spinning all erotate/asphere
thermo_style custom step ke c_spinning
thermo_modify norm no
""",
    "set atom {atom} mass {mass:.17g}\n"
    "set atom {atom} shape {lengths} block {blocks} quat {axis} {degrees:.17g} angmom 0 0 0",
    "angmomx angmomy angmomz",
    'print "$(ke+c_spinning:%.17g)" append energies screen no',
)


class Grain(NamedTuple):
    """A superellipsoid (half axes and LAMMPS's block exponents), or a box if `blocks` is None."""

    axes: tuple[float, float, float]
    blocks: tuple[float, float] | None

    def mesh(self) -> shapes.Mesh:
        """Return the mesh of the grain."""
        if self.blocks is None:
            return shapes.box(*(2 * axis for axis in self.axes))
        return shapes.superellipsoid(*self.axes, *self.blocks)


GRAINS = {
    "ellipsoids 1.5 : 1 : 0.7": Grain((1.5, 1.0, 0.7), (2, 2)),
    "superellipsoids, exponents 4": Grain((0.8, 0.8, 0.8), (4, 4)),
    "superellipsoids, exponents 8": Grain((0.8, 0.8, 0.8), (8, 8)),
    "cubes": Grain((0.8, 0.8, 0.8), None),
}
COLLISION_STEPS = (50, 200)  # time steps per contact


def collision_table(request: Request) -> Table:
    """Return the table of energy changes in collisions of two shaped grains."""
    rows = []
    for grain_name, grain in GRAINS.items():
        for name, collide in (
            ("granular/plus", _our_collisions),
            ("granular/superellipsoid", _collisions_of_superellipsoids),
        ):
            row = {"grains": grain_name, "code": name}
            if grain.blocks is None and collide is _collisions_of_superellipsoids:
                rows.append(row | {"collisions": "not possible"})
                continue
            if request.lammps is None and collide is _collisions_of_superellipsoids:
                rows.append(row | {"collisions": ABSENT})
                continue
            for steps in COLLISION_STEPS:
                folder = request.folder / f"collisions-{steps}-{len(rows)}"
                folder.mkdir(parents=True)
                energy = collide(request, grain, steps, folder)
                row["collisions"] = str(len(energy))
                row[f"rms, {steps} steps"] = f"{_rms(energy):.1e}"
            row |= _extremes(energy)
            rows.append(row)
    return _table(
        "**Energy of shapes**: relative change of kinetic energy in collisions of random "
        "pairs without friction and damping. Root mean squares are given for several numbers of "
        "time steps per contact. The largest gain and the largest loss are given at "
        f"{COLLISION_STEPS[-1]} steps.",
        rows,
    )


def _our_collisions(request: Request, grain: Grain, steps: int, folder: Path) -> np.ndarray:
    mesh = grain.mesh()
    body, file = shapes.Shape(mesh), mesh.write(folder / "grain.obj")
    script, momenta, *_ = collisions.prepare(
        body, steps, _pairs(request), collisions.OURS, file=file, restitution=1.0
    )
    engine.run(script, folder=folder, timeout=TIMEOUT)
    found = collisions.outcomes(body, folder, momenta)
    return found.energy[found.met]


def _collisions_of_superellipsoids(
    request: Request, grain: Grain, steps: int, folder: Path
) -> np.ndarray:
    assert request.lammps is not None
    assert grain.blocks is not None
    body = shapes.Shape(grain.mesh())
    script, momenta, *_ = collisions.prepare(
        body,
        steps,
        _pairs(request),
        SUPERELLIPSOIDS,
        mass=body.volume,
        lengths=" ".join(f"{2 * axis:.17g}" for axis in grain.axes),
        blocks=" ".join(map(str, grain.blocks)),
    )
    request.lammps.run(script, folder)
    before = body.volume * collisions.SPEED**2
    change = np.loadtxt(folder / "energies") / before - 1
    met = [collisions.spins(folder, k).any() for k in range(len(momenta))]
    return change[met]


def _pairs(request: Request) -> int:
    return 12 if request.quick else 60


GRAVITY = "fix weight all gravity 1 vector 0 0 -1\n"
LAW = "hertz/material 1e6 0.9 0.3 damping tsuji tangential mindlin NULL 1.0 0.5"
WIDTH, TOP = 60.0, 20.0
RIM, HOLE, SLOPE = 28.0, 4.0, 28.0  # hopper: upper radius, lower radius, height
GRAIN_COUNT = 32_000
SETTLE = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block {box}
create_box 1 box
lattice sc 0.65
{fill}
group extra id > {count}
delete_atoms group extra compress yes
variable size atom random(0.9,1.1,8123)
set group all diameter v_size density 1
pair_style granular/plus
pair_coeff * * {law}
{walls}
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix drag all viscous 0.3
timestep 4e-4
thermo 1000
run {steps}
write_dump all custom grains id diameter x y z vx vy vz omegax omegay omegaz &
  modify sort id format float %.17g
"""
GO_ON = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data "{grains}"
pair_style granular/plus
pair_coeff * * {law}
timestep 2e-4
neighbor 0.2 bin
neigh_modify every 1 delay 0
fix move all nve/sphere
{walls}
thermo 0
thermo_style custom step atoms ke{contacts}
run {warm_up}
"""


def planes() -> str:
    """Return the commands for plane walls at the four sides of the box."""
    return "".join(f"fix side{d} all wall/granular/plus {LAW} {d}plane 0 {WIDTH}\n" for d in "xy")


def floor(edge: float) -> np.ndarray:
    """Return the triangles of a floor that is divided into squares with sides of about `edge`."""
    cells = max(1, round(WIDTH / edge))
    return meshes.sheet((0, 0, 0), (WIDTH, 0, 0), (0, WIDTH, 0), (cells, cells))


def hopper(edge: float, top: float = 75.0) -> np.ndarray:
    """Return the triangles of a cone below a cylinder. The edges are about `edge` long."""
    slope = np.hypot(RIM - HOLE, SLOPE)
    low, high = (max(1, round(length / edge)) for length in (slope, top - SLOPE))
    profile = [(HOLE + (RIM - HOLE) * k / low, SLOPE * k / low) for k in range(low + 1)]
    profile += [(RIM, SLOPE + (top - SLOPE) * k / high) for k in range(1, high + 1)]
    return meshes.lathe(profile, round(2 * np.pi * RIM / edge))


def settle_in_box(folder: Path) -> Path:
    """Let grains settle on the floor of the box, and return their data file."""
    fill = (
        f"region fill block 0.6 {WIDTH - 0.6} 0.6 {WIDTH - 0.6} 0.6 {TOP - 2} units box\n"
        "create_atoms 1 region fill"
    )
    walls = planes() + f"fix floor all wall/granular/plus {LAW} zplane 0 NULL"
    box = [(-1.0, WIDTH + 1), (-1.0, WIDTH + 1), (-1.0, TOP)]
    return _settle(folder, box, fill, walls)


def settle_in_hopper(folder: Path) -> Path:
    """Let grains settle in the closed hopper, and return their data file."""
    fill = (
        f"region above cylinder z 0 0 {RIM - 1.2} {SLOPE} 60 units box\n"
        f"region cone cone z 0 0 {HOLE - 0.1} {RIM - 1.4} 1.4 {SLOPE} units box\n"
        "region fill union 2 above cone\ncreate_atoms 1 region fill"
    )
    meshes.write_stl(folder / "coarse.stl", hopper(4.0), text=True)
    walls = (
        f'fix hopper all wall/granular/plus {LAW} mesh "{folder}/coarse.stl"\n'
        f"fix plug all wall/granular/plus {LAW} zplane 0 NULL"
    )
    box = [(-30.0, 30.0), (-30.0, 30.0), (-40.0, 80.0)]
    return _settle(folder, box, fill, walls)


def _settle(
    folder: Path, box: list[tuple[float, float]], fill: str, walls: str, steps: int = 10_000
) -> Path:
    edges = " ".join(f"{low} {high}" for low, high in box)
    script = SETTLE.format(
        box=edges, fill=fill, count=GRAIN_COUNT, law=LAW, walls=walls, steps=steps
    )
    engine.run(script, folder=folder, timeout=TIMEOUT)
    grains = engine.parse_dump((folder / "grains").read_text())
    data = packings.write_spheres(
        folder / "grains.data",
        box,
        grains[["x", "y", "z"]],
        diameter=grains["diameter"],
        velocity=grains[["vx", "vy", "vz"]],
        spin=grains[["omegax", "omegay", "omegaz"]],
    )
    # older codes accept no comment after `Atoms`
    data.write_text(data.read_text().replace("Atoms # sphere", "Atoms"))
    return data


class Walls(NamedTuple):
    """Commands for the measured wall and its number of triangles, and commands for other forces."""

    others: str
    measured: str
    triangles: int = 0


def wall_table(request: Request) -> Table:
    """Return the table of time spent on walls."""
    mesh = "fix wall all wall/granular/plus {law} mesh {file}\n"
    slope = "fix weight all gravity 1 vector 0.2 0.1 -1\n"
    plug = f"fix plug all wall/granular/plus {LAW} zplane 0 NULL\n"
    setups = (
        ("floor", settle_in_box, slope + planes(), floor, (WIDTH, 4.0, 1.0, 0.5)),
        ("hopper", settle_in_hopper, GRAVITY + plug, hopper, (4.0, 1.0, 0.5)),
    )
    scripts: dict[str, tuple[str, int]] = {}
    for name, settle, others, make, edges in setups:
        folder = request.folder / name
        folder.mkdir(parents=True)
        grains = settle(folder)
        walls = {f"{name}: no wall": Walls(others, "")}
        if name == "floor":
            plane = f"fix wall all wall/granular/plus {LAW} zplane 0 NULL\n"
            walls[PLANE] = Walls(others, plane)
        for edge in edges:
            triangles = make(edge)
            file = meshes.write_stl(folder / f"{edge}.stl", triangles, text=True)
            walls[f"{name}: edges of {edge:g}"] = Walls(
                others, mesh.format(law=LAW, file=f'"{file}"'), len(triangles)
            )
        for label, wall in walls.items():
            script = GO_ON.format(
                grains=grains,
                law=LAW,
                walls=wall.others + wall.measured,
                contacts=f" {outputs.WALL.of('f_wall', 'contacts')}" if wall.measured else "",
                warm_up=300,
            )
            scripts[label] = script, wall.triangles
    return _time_walls(request, scripts)


PLANE = "floor: zplane"


def _time_walls(request: Request, scripts: Mapping[str, tuple[str, int]]) -> Table:
    import pandas

    rounds, steps = (5, 30) if request.quick else (30, 50)
    entries = [{"script": s, "steps": steps, "clone": ""} for s, _ in scripts.values()]
    run = segments.side_by_side(entries, rounds, request.folder)
    times = pandas.DataFrame(run.segments).pivot_table(
        index="round", columns="entry", values="Modify"
    )
    times = 1e6 * times.set_axis(list(scripts), axis=1) / steps
    rows = []
    for (label, (_, triangles)), log in zip(scripts.items(), run.logs, strict=True):
        bare = f"{label.partition(':')[0]}: no wall"
        if label == bare:
            continue
        contacts = float(engine.parse_thermo(log)[outputs.WALL.of("f_wall", "contacts")].iloc[-1])
        ratio = (times[label] - times[bare]) / (times[PLANE] - times["floor: no wall"])
        low, middle, high = ratio.quantile([0.25, 0.5, 0.75])
        net = float((times[label] - times[bare]).median())
        rows.append(
            {
                "wall, edges in diameters": label,
                "triangles": f"{triangles:,}" if triangles else "",
                "contacts": f"{contacts:,.0f}",
                "µs per step": f"{net:.0f}",
                "over zplane": f"{middle:.2f} ({low:.2f}–{high:.2f})",
            }
        )
    return _table(
        f"**Time of the fix** for {GRAIN_COUNT:,} grains, most of them far from the wall. µs per "
        f"step: extra time of a step due to the wall, median of {rounds} rounds. Over zplane: this "
        "time divided by the extra time due to the plane floor in the same round, with quartiles.",
        rows,
    )


# --------------------------------------------------------------------------- whole runs

HERTZ = "hertz/material 1e6 0.9 0.3 damping coeff_restitution tangential mindlin NULL {} 0.5"
# in LIGGGHTS the tangential damping coefficient is sqrt(4 G*/E*) times the normal damping
# coefficient; see docs/howto/migrating.md
OUR_LAW = HERTZ.format(f"{np.sqrt(2 * (1 - 0.3) / (2 - 0.3)):.6g}") + " slider truncate"
OURS_IN_HOPPER = f"""
pair_style granular/plus
pair_coeff * * {OUR_LAW}
fix wall all wall/granular/plus {OUR_LAW} mesh wall.stl
"""
LIGGGHTS_IN_HOPPER = """
fix young all property/global youngsModulus peratomtype 1e6
fix poisson all property/global poissonsRatio peratomtype 0.3
fix restitution all property/global coefficientRestitution peratomtypepair 1 0.9
fix friction all property/global coefficientFriction peratomtypepair 1 0.5
pair_style gran model hertz tangential history
pair_coeff * *
fix drawing all mesh/surface file wall.stl type 1
fix wall all wall/gran model hertz tangential history mesh n_meshes 1 meshes drawing
"""
FLOW = """
units lj
atom_style {style}
atom_modify map array
boundary f f f
newton off
{velocities}
read_data "{grains}"
{law}
timestep 2e-4
neighbor 0.2 bin
neigh_modify every 1 delay 0
fix weight all gravity 1 vector 0 0 -1
fix move all nve/sphere
thermo_style custom step atoms ke
thermo_modify lost ignore norm no
thermo 500
run 200
run {steps}
"""


def _loop_of_ours(script: str, folder: Path) -> float:
    return engine.run(script, folder=folder, timeout=TIMEOUT).timings["Loop"]


def _loop_of(code: Code, script: str, folder: Path) -> float:
    return float(re.findall(r"Loop time of (\S+)", code.run(script, folder))[-1])


def hopper_table(request: Request) -> Table:
    """Return the table of run times of granular/plus and LIGGGHTS for an emptying hopper."""
    rounds, steps = (1, 200) if request.quick else (5, 1000)
    folder = request.folder / "flow"
    folder.mkdir(parents=True)
    grains = settle_in_hopper(folder)
    rows = []
    for edge in (4.0, 1.0, 0.5):
        triangles = hopper(edge)
        meshes.write_stl(folder / "wall.stl", triangles, text=True)
        ours = FLOW.format(
            style="sphere",
            velocities="comm_modify vel yes",
            law=OURS_IN_HOPPER,
            grains=grains,
            steps=steps,
        )
        theirs = FLOW.format(
            style="granular",
            velocities="communicate single vel yes",
            law=LIGGGHTS_IN_HOPPER,
            grains=grains,
            steps=steps,
        )
        runs = {"granular/plus": partial(_loop_of_ours, ours, folder)}
        if request.liggghts:
            runs["LIGGGHTS"] = partial(_loop_of, request.liggghts, theirs, folder)
        seconds = in_turns(runs, rounds)
        row = {"edges in diameters": f"{edge:g}", "triangles": f"{len(triangles):,}"}
        for name in ("granular/plus", "LIGGGHTS"):
            there = name in seconds
            row[f"{name}, s"] = f"{statistics.median(seconds[name]):.2f}" if there else ABSENT
        if request.liggghts:
            row["ratio"] = _ratio(seconds["granular/plus"], seconds["LIGGGHTS"])
        rows.append(row)
    return _table(
        f"**A hopper that empties**: {GRAIN_COUNT:,} grains, {steps} steps on one core. The codes "
        f"run in turn, {rounds} times each. Times are medians. Ratios are medians, with the "
        "smallest and the largest ratio.",
        rows,
    )


# ------------------------------------------------------------------------ time of shapes

PACKED = GRAINS["ellipsoids 1.5 : 1 : 0.7"]
SIDE = 6  # grains along an edge of the lattice
PACK = """
units lj
atom_style {style}
atom_modify map array
boundary p p p
newton off
comm_modify vel yes
region box block {box}
create_box 1 box
neighbor 0.2 bin
timestep 1e-3
{grains}
{head}
"""
SQUEEZE = """
fix drag all viscous 2
fix squeeze all deform 1 x scale {scale} y scale {scale} z scale {scale} remap x
run 4000
unfix squeeze
run 1000
write_dump all custom packed id x y z c_turn[*] modify sort id format float %.17g
"""
COUNT = """
compute ledger all granular/ledger
thermo_style custom step {contacts}
run 0
"""


def shape_table(request: Request) -> Table:
    """Return the table of time per contact in a packing of ellipsoids."""
    rounds, steps = (1, 50) if request.quick else (3, 200)
    folder, lammps = request.folder, request.lammps
    PACKED.mesh().write(folder / "2562.obj")
    shapes.ellipsoid(*PACKED.axes, level=3).write(folder / "642.obj")
    packing = _pack(folder)

    def ours(nodes: int, speed: float) -> Callable[[], float]:
        script = packing.script(OUR_SHAPES.format(nodes=nodes), speed) + RUNS.format(steps)
        return lambda: engine.run(script, folder=folder, timeout=TIMEOUT).timings["Pair"]

    def theirs(code: Code, speed: float) -> Callable[[], float]:
        script = packing.script(THEIR_SHAPES, speed) + RUNS.format(steps)
        return lambda: engine.parse_timings(code.run(script, folder))[-1]["Pair"]

    rows = []
    contacts = _count_contacts(packing, folder)
    for speed in (0.0, 0.5):
        runs = {f"granular/plus, {nodes} nodes": ours(nodes, speed) for nodes in (2562, 642)}
        if lammps:
            runs[SUPERELLIPSOID] = theirs(lammps, speed)
        seconds = in_turns(runs, rounds)
        for name, found in seconds.items():
            time_of_contact = 1e6 * statistics.median(found) / steps / contacts
            relative = _ratio(found, next(iter(seconds.values())))
            row = {"speed": f"{speed:g}", "code": name, "µs per contact": f"{time_of_contact:.2f}"}
            rows.append(row | {"relative": relative})
        if not lammps:
            rows.append({"speed": f"{speed:g}", "code": SUPERELLIPSOID, "µs per contact": ABSENT})
    return _table(
        f"**Time of shapes**: {SIDE**3} ellipsoids with axes 1.5 : 1 : 0.7, packed in a periodic "
        f"box with {contacts:.0f} contacts at the start. The codes run in turn on one core. µs per "
        f"contact: Pair time / (steps × contacts at the start), median of {rounds} runs of {steps} "
        "steps. Relative: median ratio to the first row with the same speed, with the smallest and "
        "the largest ratio. Speed: rms velocity of the initial random motion.",
        rows,
    )


SUPERELLIPSOID = "granular/superellipsoid"
RUNS = "run 20\nrun {}\n"


class Bed(NamedTuple):
    """A periodic cube of grains.

    Attributes:
        place: positions of the centres, array of shape (grains, 3).
        turn: quaternions, array of shape (grains, 4).
        low: lower bound of each coordinate.
        edge: edge length of the cube.
    """

    place: np.ndarray
    turn: np.ndarray
    low: float
    edge: float

    def script(self, style: Style, speed: float = 0.0) -> str:
        """Return a script that creates the grains with random velocities of rms value `speed`."""
        velocity = np.random.default_rng(5).normal(size=self.place.shape) * speed / np.sqrt(3)
        grains = ""
        for atom, (x, v, q) in enumerate(zip(self.place, velocity, self.turn, strict=True), 1):
            axis = " ".join(f"{c:.17g}" for c in q[1:] / np.linalg.norm(q[1:]))
            degrees = np.degrees(2 * np.arctan2(np.linalg.norm(q[1:]), q[0]))
            grains += f"create_atoms 1 single {x[0]:.17g} {x[1]:.17g} {x[2]:.17g}\n"
            grains += f"{style.grain.format(axis=axis, degrees=degrees, atom=atom)}\n"
            grains += f"set atom {atom} vx {v[0]:.17g} vy {v[1]:.17g} vz {v[2]:.17g}\n"
        box = f"{self.low} {self.low + self.edge} " * 3
        return PACK.format(style=style.atoms, box=box, grains=grains, head=style.head)


def _pack(folder: Path) -> Bed:
    """Return ellipsoids packed to a solid fraction of 0.6."""
    spacing, scale = 2.2 * max(PACKED.axes), 0.589
    lattice = (np.stack(np.meshgrid(*[np.arange(SIDE)] * 3), -1).reshape(-1, 3) + 0.5) * spacing
    turn = np.random.default_rng(11).normal(size=(len(lattice), 4))
    loose = Bed(lattice, turn, 0.0, SIDE * spacing)
    script = loose.script(OUR_SHAPES.format(nodes=642)) + SQUEEZE.format(scale=scale)
    engine.run(script, folder=folder, timeout=TIMEOUT)
    packed = engine.parse_dump((folder / "packed").read_text())
    edge = SIDE * spacing * scale
    return Bed(
        packed[["x", "y", "z"]].to_numpy(),
        packed[[f"c_turn[{k}]" for k in (1, 2, 3, 4)]].to_numpy(),
        0.5 * (SIDE * spacing - edge),
        edge,
    )


def _count_contacts(packing: Bed, folder: Path) -> float:
    script = packing.script(OUR_SHAPES.format(nodes=2562))
    script = script.replace("pair_style granular/plus", "pair_style granular/plus ledger yes")
    script += COUNT.format(contacts=outputs.LEDGER.of("c_ledger", "contacts"))
    run = engine.run(script, folder=folder, timeout=TIMEOUT)
    return float(run.ledger["contacts"].iloc[-1])


def in_turns(runs: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Call the functions in turn, once per round; return each function's results."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            found[name].append(run())
    return found


def _ratio(times: Sequence[float], others: Sequence[float]) -> str:
    ratios = [a / b for a, b in zip(times, others, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


class Style(NamedTuple):
    """Parts of a script: atom style, commands for each grain, commands after all grains."""

    atoms: str
    grain: str
    head: str

    def format(self, **words: object) -> Style:
        """Fill in the placeholders of `head`."""
        return self._replace(head=self.head.format(**words))


OUR_SHAPES = Style(
    "bpm/sphere",
    "set atom {atom} diameter 3 quat {axis} {degrees:.17g}",
    "fix shape all shape/granular/plus file {nodes}.obj density 1 nodes {nodes}\n"
    "pair_style granular/plus\n"
    "pair_coeff * * hertz 1e4 0.9 damping coeff_restitution tangential linear_history 5e3 1 0.5\n"
    "compute turn all property/atom quatw quati quatj quatk\n",
)
THEIR_SHAPES = Style(
    "ellipsoid superellipsoid",
    "set atom {atom} mass 4.4\nset atom {atom} shape 3 2 1.4 block 2 2 quat {axis} {degrees:.17g}",
    "pair_style granular/superellipsoid\n"
    "pair_coeff * * hertz 1e4 10 tangential linear_history 5e3 1 0.5 damping viscoelastic\n"
    "fix move all nve/asphere\n",
)


# ---------------------------------------------------------------------------------- liquid bridges


def bridge_table(request: Request) -> Table:
    """Return the table of differences between granular/plus and YADE for stretched bridges."""
    pack = wet_packs.make(wet_packs.SIDE[request.quick])
    rows = []
    for law, theirs in wet_packs.LAWS.items():
        row = {"granular/plus": f"{law}, film", "YADE": theirs}
        folder = request.folder / theirs
        folder.mkdir()
        ours = wet_packs.run_ours(pack, law, folder)
        if request.yade is None:
            rows.append(row | {"bridges": ABSENT})
            continue
        request.yade.run(wet_packs.write_theirs(pack, law, folder), folder)
        rows += [
            row | compared for compared in wet_packs.compare(ours, wet_packs.read_theirs(folder))
        ]
    return _table(
        "**Liquid bridges** between grains that touch at first. The grains are then moved apart in"
        " stages; each stage scales all distances by the same factor. The columns are numbers of"
        " bridges (in both codes, and in only one of the codes) and the largest relative"
        " differences of the bridges' volumes and pulls.",
        rows,
    )


# --------------------------------------------------------------------------------- time of spheres


def packing_table(request: Request) -> Table:
    """Return the table of run times of a dense packing of spheres.

    Each code runs with the neighbour-list skin that is fastest for it.
    """
    rounds = 1 if request.quick else 5
    folder = request.folder / "packing"
    folder.mkdir()
    cell = segments.make_cell(segments.DENSE, folder)
    pack = dense_packs.make(cell, request.quick, folder)

    others = {
        "LIGGGHTS": (request.liggghts, pack.in_liggghts),
        "YADE": (request.yade, pack.in_yade),
    }
    runs: dict[str, Callable[[], float]] = {}
    best: dict[str, float] = {}
    for name in (*dense_packs.LAMMPS_STYLES, *others):
        with_skin: dict[float, Callable[[], float]] = {}
        for skin in dense_packs.SKINS:
            if name in dense_packs.LAMMPS_STYLES:
                with_skin[skin] = partial(_loop_of_ours, pack.in_lammps(name, skin), folder)
            elif code := others[name][0]:
                with_skin[skin] = partial(_loop_of, code, others[name][1](skin), folder)
        if with_skin:
            once = {skin: run() for skin, run in with_skin.items()}
            best[name] = min(once, key=once.__getitem__)
            runs[name] = with_skin[best[name]]
    seconds = in_turns(runs, rounds)
    rows = []
    for name in (*dense_packs.LAMMPS_STYLES, *others):
        row = {"code": name}
        if name not in seconds:
            rows.append(row | {"s": ABSENT})
            continue
        row["skin"] = f"{best[name]:g}"
        row["s"] = f"{statistics.median(seconds[name]):.3g}"
        row["over granular/plus"] = _ratio(seconds[name], seconds["granular/plus"])
        rows.append(row)
    return _table(
        f"**Time of spheres**: {len(pack.grains):,} densely packed, drifting spheres in a periodic "
        f"box, {pack.steps} steps on one core. Each code uses the skin that is fastest for it. The "
        f"codes run in turn, {rounds} times each. Times are medians of the loop time. Ratios are "
        "medians, with the smallest and the largest ratio.",
        rows,
    )


# ----------------------------------------------------------------------------- a ball hits a bed

BEDS = {True: 1, False: 4}  # number of beds, by the value of `quick`


def penetration_table(request: Request) -> Table:
    """Return the table of heights of a ball that penetrates beds of grains.

    Writes the curves to `penetration.csv`, the source of `validation/data/dosta/reduced.csv`.
    """
    bed = bulk.Bed(bulk.HALF)
    kept = bulk.kept_beds(cases_folder() / "data")[: BEDS[request.quick]]
    curves: dict[tuple[str, int], np.ndarray] = {}
    for number, grains in enumerate(kept, 1):
        impact = bulk.above(bed, grains)
        folder = request.folder / f"bed-{number}"
        folder.mkdir()
        data = impact.write(folder / "grains.data")
        for slider in ("csds", "dsds"):
            hit = engine.run(impact.script(data, slider), folder=folder / slider, timeout=TIMEOUT)
            name = f"granular/plus, {slider}"
            curves[name, number] = impact.curve(hit.thermo["Step"], hit.thermo["v_z"])
        for name, code, script_of in (
            ("LIGGGHTS", request.liggghts, bulk.in_liggghts),
            ("YADE", request.yade, bulk.in_yade),
        ):
            if code:
                code.run(script_of(impact, folder), folder)
                curves[name, number] = impact.curve(*np.loadtxt(folder / "heights").T)
    _write_curves(curves, request.folder / "penetration.csv")
    rows = []
    for name in dict.fromkeys(name for name, _ in curves):
        own = [bulk.read(curve, bed.scale) for (code, _), curve in curves.items() if code == name]
        row = {"code": name}
        for quantity in own[0]:
            heights = [1e3 * each[quantity] for each in own]
            row |= {f"{quantity}, mm": ", ".join(f"{height:.2f}" for height in heights)}
        rows.append(row)
    for name, code in (("LIGGGHTS", request.liggghts), ("YADE", request.yade)):
        if code is None:
            rows.append({"code": name, f"{next(iter(bulk.TIMES))}, mm": ABSENT})
    return _table(
        f"**A ball hits beds** of {bed.number:,} grains: height of the ball in each bed. The runs"
        " halve all lengths and times, so heights are taken at half the published times.",
        rows,
    )


def _write_curves(curves: Mapping[tuple[str, int], np.ndarray], path: Path) -> None:
    times = bulk.HALF * bulk.MILLISECONDS
    lines = ["code,packing," + ",".join(f"{1e3 * time:g}" for time in times)]
    for (code, number), curve in curves.items():
        heights = ",".join(f"{height:.6f}" for height in np.interp(times, *curve.T))
        lines.append(f'"{code}",{number},{heights}')
    files.write(path, "\n".join(lines) + "\n")


# ----------------------------------------------------------------------------- flow out of a silo


def silo_table(request: Request) -> Table:
    """Return the table of flow rates out of silos.

    Writes the numbers to `silo.csv`, the source of `validation/data/dosta/silo.csv`.
    """
    time = 0.07 if request.quick else silo_and_drum.SILO_TIME
    rows, lines = [], ["code,orifice,material,packing,flow"]
    for orifice, material in product(silo_and_drum.ORIFICES, silo_and_drum.MATERIALS):
        silo = silo_and_drum.Silo(orifice, material, **silo_and_drum.SILO)
        folder = request.folder / f"silo-{orifice}-{material}"
        folder.mkdir()
        fill = partial(engine.run, folder=folder / "fill")
        grains = silo_and_drum.fill_silo(fill, silo, 1, folder)
        data = silo_and_drum.write_silo(silo, grains, folder / "silo.data")
        left = {}
        for slider in ("csds", "dsds"):
            script = silo_and_drum.flow(silo, data, folder, slider, time)
            run = engine.run(script, folder=folder / slider, timeout=TIMEOUT)
            left[f"granular/plus, {slider}"] = run.thermo["c_left"].to_numpy()
        others = {
            "LIGGGHTS": (request.liggghts, silo_and_drum.in_liggghts),
            "YADE": (request.yade, silo_and_drum.in_yade),
        }
        row = {"orifice": orifice, "material": material}
        for name, (code, script_of) in others.items():
            if code:
                code.run(script_of(silo, grains, folder, time), folder)
                counts = np.loadtxt(folder / "count")
                left[name] = np.append(silo.number, counts[counts[:, 0] > 0, 1])
        for name in ("granular/plus, csds", "granular/plus, dsds", *others):
            if name not in left:
                row[name] = ABSENT
                continue
            flow = silo_and_drum.rate(left[name])
            row[name] = f"{flow:.0f}"
            lines.append(f'"{name}",{orifice},{material},1,{flow:.1f}')
        rows.append(row)
    files.write(request.folder / "silo.csv", "\n".join(lines) + "\n")
    return _table(
        f"**Flow out of a silo** of {silo.number:,} grains: grains per second, counted for"
        f" {time - silo_and_drum.BEGUN:.2g} s.",
        rows,
    )


# ------------------------------------------------------------------------------ a drum that turns

DRUMS = {True: 1, False: 2}  # number of packings, by the value of `quick`


def drum_table(request: Request) -> Table:
    """Return the table of centres of mass of two materials in a rotating drum.

    Writes the numbers to `drum.csv`, the source of `validation/data/dosta/drum.csv`.
    """
    time = 0.02 if request.quick else silo_and_drum.DRUM_TIME
    drum = silo_and_drum.Drum(**silo_and_drum.DRUM)
    curves = {}
    for number in range(1, DRUMS[request.quick] + 1):
        folder = request.folder / f"drum-{number}"
        folder.mkdir()
        fill = partial(engine.run, folder=folder / "fill")
        filled = silo_and_drum.fill_drum(fill, drum, number, folder)
        data = silo_and_drum.write_drum(drum, filled, folder / "drum.data")
        for slider in ("csds", "dsds"):
            script = silo_and_drum.turn(drum, data, folder, slider, time)
            run = engine.run(script, folder=folder / slider, timeout=TIMEOUT)
            curves[f"granular/plus, {slider}", number] = run.thermo.iloc[:, -4:].to_numpy()
        for name, code, script_of in (
            ("LIGGGHTS", request.liggghts, silo_and_drum.drum_in_liggghts),
            ("YADE", request.yade, silo_and_drum.drum_in_yade),
        ):
            if code:
                code.run(script_of(drum, filled, folder, time), folder)
                curves[name, number] = np.loadtxt(folder / "count")[:, 1:]
    found = silo_and_drum.centres(curves, drum)
    files.write(request.folder / "drum.csv", found.to_csv(index=False, float_format="%.5f"))
    names = list(silo_and_drum.CENTRES)
    rows = [
        {"code": str(code)} | {name: f"{own[name].mean():.3f}" for name in names}
        for code, own in found.groupby("code", sort=False)
    ]
    for name, code in (("LIGGGHTS", request.liggghts), ("YADE", request.yade)):
        if code is None:
            rows.append({"code": name, names[0]: ABSENT})
    return _table(
        f"**A drum turns** for {time:g} s: coordinates of the two materials' centres of mass, "
        f"divided by the drum radius. Values are means of {DRUMS[request.quick]} fillings. Each "
        f"filling has {drum.counts[0]:,} grains of material M1 on top of {drum.counts[1]:,} grains "
        "of material M2.",
        rows,
    )


COMPARISONS: dict[str, Callable[[Request], Table]] = {
    "packing": packing_table,
    "bounces": bounce_table,
    "collisions": collision_table,
    "walls": wall_table,
    "hopper": hopper_table,
    "shapes": shape_table,
    "bridges": bridge_table,
    "penetration": penetration_table,
    "silo": silo_table,
    "drum": drum_table,
}


def write(
    table: Table, name: str, described: str, folder: Path, document: Path | None = None
) -> None:
    """Write a table to the folder and, if `document` is given, to section `name` of `document`.

    Raises UsageError if the document has no section `name`.
    """
    text = f"{described}\n\n{table.markdown()}"
    files.write(folder / f"{name}.md", f"{text}\n")
    if document is not None:
        begin, end = (f"<!-- pysuite peers {name}: {place} -->" for place in ("begin", "end"))
        files.write(document, files.replace_section(document, text, begin, end))
