"""Measure whole runs: the same script with LAMMPS's own styles and with `suffix plus`.

Runs with LAMMPS's styles and runs with `suffix plus` alternate, in separate processes. Both use the
neighbour-list skin with which they are fastest. The result is the median ratio of the two times
over the rounds.
"""

from __future__ import annotations

import json
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pysuite import engine, files, meshes
from pysuite.bench import peers, segments
from pysuite.bench.performance import Table
from pysuite.errors import UsageError
from pysuite.names import select
from pysuite.validation import (
    cases_folder,
)

SECTION_BEGIN = "<!-- pysuite bench --only whole: begin -->"
SECTION_END = "<!-- pysuite bench --only whole: end -->"
SECTIONS = ("Pair", "Modify", "Neigh", "Comm")
PLUS, LAMMPS, LIGGGHTS = "granular/plus", "LAMMPS", "LIGGGHTS"
AS_GIVEN = "LAMMPS as given"  # with the skin of the script
TIMEOUT = 600.0
ROUNDS, QUICK_ROUNDS = 5, 1


@dataclass(frozen=True)
class WholeRun:
    """A script that also runs with LAMMPS's own styles.

    Attributes:
        skin: skin with which LAMMPS's styles are fastest. If empty, this is the skin in the script.
        script: commands, or the name of a file in `inputs`. If empty, the case is the hopper made
            of triangles.
    """

    name: str
    title: str
    script: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    skin: str = ""


BOX = """
units lj
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
lattice sc 0.2
region box block 0 40 0 40 0 20
create_box 1 box
region fill block 0.5 39.5 0.5 39.5 0.5 19.5
create_atoms 1 region fill
variable size atom random(0.9,1.0,8123)
set group all diameter v_size density 1.0
velocity all create 1.0 4711
pair_style granular
pair_coeff * * hertz/material 1e5 0.9 0.3 damping tsuji tangential mindlin NULL 1.0 0.5
variable wall string "hertz/material 1e5 0.9 0.3 damping tsuji tangential mindlin NULL 1.0 0.5"
variable dx equal xhi
variable dy equal yhi
variable dz equal zhi
fix x all wall/gran granular ${wall} xplane 0 $(xhi)
fix y all wall/gran granular ${wall} yplane 0 $(yhi)
fix z all wall/gran granular ${wall} zplane 0 $(zhi)
fix move all nve/sphere
timestep 5e-4
neighbor 0.45 bin
neigh_modify every 1 delay 0 check yes
thermo_style custom step ke
thermo 1000
run 1000
"""

TWO_KINDS = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block -15 15 -15 15 0 50
create_box 2 box
pair_style granular
"""

POURED_DRUM = f"""{TWO_KINDS}
pair_coeff 1 * hertz/material 1e5 0.2 0.3 tangential mindlin NULL 1.0 0.5 damping tsuji
pair_coeff 2 2 jkr 1e5 0.1 0.3 50 tangential mindlin NULL 1.0 0.5 rolling sds 1e3 1e3 0.1 &
  twisting marshall
variable angle equal 0
region side cylinder z 0 0 15 0 20 side in rotate v_angle 0 0 0 0 0 1
region floor plane 0 0 0 0 0 1 side in rotate v_angle 0 0 0 0 0 1
region lid plane 0 0 20 0 0 -1 side in rotate v_angle 0 0 0 0 0 1
region above cylinder z 0 0 14.45 20 50
variable wall string "granular hertz/material 1e5 0.1 0.3 tangential mindlin NULL 1.0 0.5 &
  damping tsuji region"
fix move all nve/sphere
fix weight all gravity 10 vector 0 0 -1
fix one all pour 2000 1 1234 region above diam range 0.5 1.0 dens 1.0 1.0
fix two all pour 2000 2 1234 region above diam range 0.5 1.0 dens 1.0 1.0
fix side all wall/gran/region ${{wall}} side
fix floor all wall/gran/region ${{wall}} floor
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
timestep 1e-3
thermo_style custom step atoms ke
thermo 1000
run 2000
unfix one
unfix two
variable outside atom z>10
group high variable outside
delete_atoms group high
fix lid all wall/gran/region ${{wall}} lid
fix weight all gravity 10 vector 0 -1 0
variable angle equal 2*PI*elapsed/20000
run 3000
"""

HEATED_FLOOR = f"""{TWO_KINDS}
pair_coeff * * hertz/material 1e5 0.2 0.3 tangential mindlin NULL 1.0 0.5 damping tsuji &
  heat area 5.0
region side cylinder z 0 0 15 0 20 side in
region floor plane 0 0 0 0 0 1 side in
region above cylinder z 0 0 14.45 20 50
variable wall string "granular hertz/material 1e5 0.1 0.3 tangential mindlin NULL 1.0 0.5 &
  damping tsuji"
variable warmth equal sin(step*1e-4)
fix heat all property/atom temperature heatflow
fix move all nve/sphere
fix warm all heat/flow constant 1.0
fix weight all gravity 10 vector 0 0 -1
fix one all pour 1000 1 1234 region above diam range 0.5 1.0 dens 1.0 1.0
fix two all pour 1000 2 1234 region above diam range 0.5 1.0 dens 1.0 1.0
fix side all wall/gran/region ${{wall}} region side
fix floor all wall/gran/region ${{wall}} heat area 5.0 region floor temperature v_warmth
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
timestep 1e-3
thermo_style custom step atoms ke
thermo 1000
run 20000
"""

POURED_CHUTE = """
units lj
atom_style sphere
boundary p p fm
newton off
comm_modify vel yes
region box block -10 10 -10 10 -0.5 16
create_box 1 box
pair_style gran/hooke/history 2000 NULL 50 NULL 0.5 0
pair_coeff * *
fix move all nve/sphere
fix weight all gravity 1 spherical 0 -180
fix floor all wall/gran hooke/history 2000 NULL 50 NULL 0.5 0 zplane 0 NULL
region above block -9 9 -9 9 10 15
fix rain all pour 3000 1 300719 vol 0.13 50 region above
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
timestep 1e-3
compute_modify thermo_temp dynamic/dof yes
thermo_modify lost ignore norm no
thermo 1000
run 12000
unfix rain
fix weight all gravity 1 chute 26
run 8000
"""

SIZES = """
units lj
atom_style sphere
boundary p p p
newton off
region box block 0 12 0 12 0 12 units box
create_box 2 box
create_atoms 1 random 400 4711 NULL overlap 1.0 maxtry 10000
lattice sc 31.75463
create_atoms 2 box
set type 1 diameter 1.0 density 1.0
variable size atom random(0.1,0.2,8123)
set type 2 diameter v_size density 1.0
group large type 1
group small type 2
pair_style granular
pair_coeff * * hertz/material 1e5 0.9 0.3 damping tsuji tangential mindlin NULL 1.0 0.5
fix move all nve/sphere
neighbor 0.05 multi
neigh_modify every 1 delay 0 check yes
comm_modify vel yes mode multi
delete_atoms overlap 0.6 small large
velocity all create 1e-2 4711
timestep 7e-5
thermo 1000
run 1000
"""

CASES = (
    WholeRun(
        "chute",
        "32,000 grains flow down a chute",
        "in.chute",
        {"n": "500", "skin": "0.2", "every": "500"},
        "0.1",
    ),
    WholeRun(
        "hopper",
        "1500 grains flow out of a hopper made of regions",
        "in.hopper",
        {"settle": "3", "flow": "3"},
        "0.1",
    ),
    WholeRun("drum", "a rotating drum made of a moving region", "in.drum", {"turns": "0.05"}),
    WholeRun(
        "heap",
        "1500 grains in a cylinder that is lifted off a floor",
        "in.heap",
        {"settle": "1.2", "speed": "2", "rest": "1"},
        "0.1",
    ),
    WholeRun("box", "a gas between six planes", BOX, skin="0.2"),
    WholeRun(
        "pour", "3000 grains are poured onto a floor, then flow down it", POURED_CHUTE, skin="0.3"
    ),
    WholeRun(
        "poured-drum", "4000 grains are poured into a drum that then turns", POURED_DRUM, skin="0.4"
    ),
    WholeRun(
        "heated-floor",
        "2000 grains are poured onto a floor that heats them",
        HEATED_FLOOR,
        skin="0.4",
    ),
    WholeRun("sizes", "a gas of grains of diameters from 0.1 to 1", SIZES, skin="0.1"),
    WholeRun("mesh-hopper", "a hopper of triangles"),
)


class Timing(NamedTuple):
    """Seconds for all loops of a run.

    `sections` has the seconds for each section, summed over the loops with a timing breakdown.
    """

    loop: float
    sections: dict[str, float]

    def shares(self) -> dict[str, float]:
        """Return the share of each section in the time of the loops with a timing breakdown."""
        whole = self.sections["Loop"]
        return {name: self.sections[name] / whole for name in SECTIONS}


def timing(log: str) -> Timing:
    """Add up the times of all runs in a log.

    Raises ValueError if no run has a timing breakdown.
    """
    loops, sections = 0.0, dict.fromkeys(("Loop", *SECTIONS), 0.0)
    runs = re.split(r"^Loop time of ", log, flags=re.MULTILINE)[1:]
    for run in runs:
        loop = float(run.split(maxsplit=1)[0])
        loops += loop
        found = {
            name: re.search(
                rf"^{name[:3]}\w* +(?:time \(%\) = |\| *(?:[-\d.e+]+ *\| *)?)([-\d.e+]+)",
                run,
                re.MULTILINE,
            )
            for name in ("Pair", "Neigh", "Comm", "Modify")
        }
        pair = found["Pair"]
        if pair is None:
            continue
        sections["Loop"] += loop
        for name, match in found.items():
            sections[name] += float(match[1]) if match else 0.0
    if sections["Loop"] == 0.0:
        raise ValueError("the log has no timing breakdown")
    return Timing(loops, sections)


@dataclass
class Result:
    """Times of the runs of a case.

    Attributes:
        seconds: for each code, the time of all loops, one value per round.
        shares: for each code, the shares of the sections in the last round.
    """

    case: str
    other: str
    seconds: dict[str, list[float]]
    shares: dict[str, dict[str, float]]
    machine: dict[str, Any] = field(default_factory=segments.describe_machine)
    build: str = field(default_factory=engine.fingerprint)
    date: str = field(default_factory=lambda: time.strftime("%Y-%m-%d"))

    def ratios(self, other: str = "") -> list[float]:
        """Return the time of granular/plus divided by the time of the other code, per round."""
        pairs = zip(self.seconds[PLUS], self.seconds.get(other or self.other, ()), strict=False)
        return [ours / theirs for ours, theirs in pairs]


def with_skin(script: str, skin: str) -> str:
    """Replace a script's neighbour-list skin. Raises ValueError if the script sets no skin."""
    text, count = re.subn(r"^(neighbor +)\S+", rf"\g<1>{skin}", script, flags=re.MULTILINE)
    if count == 0:
        raise ValueError("the script has no command `neighbor`")
    return text


def of_lammps(case: WholeRun, code: str) -> Timing:
    """Run a script with LAMMPS's own styles or with suffix plus."""
    is_file = "\n" not in case.script
    inputs = cases_folder().parent / "inputs"
    text = (inputs / case.script).read_text() if is_file else case.script
    variables = {"style": "granular", **case.variables, "here": str(inputs)} if is_file else {}
    if code == PLUS:
        text = f"suffix plus\n{text}"
    elif code == LAMMPS and case.skin:
        text = with_skin(text, case.skin)
    used = {k: v for k, v in variables.items() if re.search(rf"^variable +{k} index", text, re.M)}
    return timing(engine.run(text, variables=used, timeout=TIMEOUT).log)


def mesh_hopper(
    liggghts: peers.Code | None, folder: Path, quick: bool
) -> dict[str, Callable[[], Timing]]:
    """For each code, return a function that runs a hopper with mesh edges of about 4 diameters."""
    grains = peers.settle_in_hopper(folder)
    meshes.write_stl(folder / "wall.stl", peers.hopper(4.0), text=True)
    common = {"grains": grains, "steps": 200 if quick else 1000}
    ours = peers.FLOW.format(
        style="sphere", velocities="comm_modify vel yes", law=peers.OURS_IN_HOPPER, **common
    )
    theirs = peers.FLOW.format(
        style="granular",
        velocities="communicate single vel yes",
        law=peers.LIGGGHTS_IN_HOPPER,
        **common,
    )
    runs = {
        PLUS: lambda: timing(engine.run("suffix plus\n" + ours, folder=folder, timeout=TIMEOUT).log)
    }
    if liggghts:
        runs[LIGGGHTS] = lambda: timing(liggghts.run(theirs, folder))
    return runs


def measure_cases(
    names: Sequence[str] = (), *, rounds: int | None = None, quick: bool = False
) -> Iterator[Result]:
    """Measure the cases one by one. Raises UsageError for an unknown name or rounds < 1."""
    if rounds is not None and rounds < 1:
        raise UsageError(f"--rounds {rounds} must be >= 1")
    number = rounds or (QUICK_ROUNDS if quick else ROUNDS)
    for case in select(CASES, names) if names else CASES:
        with tempfile.TemporaryDirectory(prefix="pysuite-") as folder:
            runs: dict[str, Callable[[], Timing]]
            if case.script:
                other = LAMMPS
                codes = (PLUS, LAMMPS, AS_GIVEN) if case.skin else (PLUS, LAMMPS)
                runs = {name: partial(of_lammps, case, name) for name in codes}
            else:
                other = LIGGGHTS
                runs = mesh_hopper(peers.find("liggghts"), Path(folder), quick)
            found: dict[str, list[Timing]] = {name: [] for name in runs}
            for turn in range(number):
                for name in list(runs) if turn % 2 == 0 else reversed(list(runs)):
                    found[name].append(runs[name]())
        yield Result(
            case.name,
            other,
            {name: [each.loop for each in timings] for name, timings in found.items()},
            {name: timings[-1].shares() for name, timings in found.items()},
        )


# ------------------------------------------------------------------------------------ the report


def load(folder: Path) -> list[Result]:
    """Return the results in the folder, in the order of CASES."""
    path = folder / "whole.json"
    found = [Result(**each) for each in json.loads(path.read_text())] if path.is_file() else []
    order = [case.name for case in CASES]
    return sorted(found, key=lambda result: order.index(result.case))


def save(folder: Path, result: Result) -> None:
    """Save a result, replacing an earlier one of the same case.

    Raises UsageError if the folder holds results of another machine or build.
    """
    others = [each for each in load(folder) if each.case != result.case]
    if any((each.machine, each.build) != (result.machine, result.build) for each in others):
        raise UsageError(
            f"the results in {folder} come from another machine or build; "
            "choose another folder with --report DIR, or remove them"
        )
    text = json.dumps([asdict(each) for each in [*others, result]], indent=1)
    files.write(folder / "whole.json", text)


def table(results: Sequence[Result]) -> Table:
    """Return the table of whole runs."""
    import pandas

    titles = {case.name: case.title for case in CASES}
    rows = []
    for result in results:
        ratios = sorted(result.ratios())
        row = {"run": f"{result.case}: {titles[result.case]}", "compared with": result.other}
        for name, column in ((PLUS, "granular/plus, s"), (result.other, "the other, s")):
            there = name in result.seconds
            row[column] = f"{statistics.median(result.seconds[name]):.2f}" if there else "–"
        row["ratio"] = (
            f"{statistics.median(ratios):.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})" if ratios else "–"
        )
        given = result.ratios(AS_GIVEN)
        row["to the script's skin"] = f"{statistics.median(given):.2f}" if given else "–"
        for name, column in ((PLUS, "shares"), (result.other, "shares of the other")):
            shares = result.shares.get(name, {})
            row[column] = " ".join(f"{100 * shares[key]:.0f}" for key in SECTIONS if shares) or "–"
        rows.append(row)
    rounds = max(len(result.seconds[PLUS]) for result in results)
    caption = (
        "**Whole runs** on one rank. Times are total loop times: medians of alternating runs, "
        f"{rounds} per code. Ratio: median, with the smallest and the largest ratio. LAMMPS runs "
        "with its fastest skin. If the script has a different skin, there is also a ratio to "
        "LAMMPS with the script's skin. Shares: Pair, Modify (walls, integration, gravity), Neigh "
        "and Comm in %."
    )
    return Table(caption, pandas.DataFrame(rows))


def write_report(folder: Path, document: Path | None = None) -> Table:
    """Write and return the table of all results in the folder.

    If a Markdown file `document` is given, the table also replaces the text between two marks of
    `document`. Raises UsageError if the marks are missing.
    """
    results = load(folder)
    made = table(results)
    machine = results[0].machine
    text = (
        f"Measured on {max(result.date for result in results)}: {machine['processor']}, "
        f"{machine['cores']} cores ({machine['caches']}); LAMMPS {machine['lammps']}; "
        f"granular/plus compiled by {machine['compiler']}.\n\n{made.markdown()}"
    )
    files.write(folder / "whole.md", text + "\n")
    if document is not None:
        section = files.replace_section(document, text, SECTION_BEGIN, SECTION_END)
        files.write(document, section.rstrip() + "\n")
    return made
