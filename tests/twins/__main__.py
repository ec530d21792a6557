"""Run random scenes several times, with settings that must not change the results.

    python -m tests.twins --scenes 2000 --seed 1

Each scene (tests/twins/scenes.py) runs once for each entry of TWINS. The states, ledgers and forces
on walls at the end are compared with those of the entry "base". Round-off may decide whether a
contact forms or slides. The entry "nudge" measures this effect. Its time step is longer by a factor
of 1 + 1e-15. The difference between "nudge" and "base" determines which differences are allowed.
"""

from __future__ import annotations

import argparse
import collections
import math
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pysuite import engine
from pysuite.lammps.library import mpiexec
from pysuite.outputs import LEDGER
from tests.twins import scenes
from tests.twins.scenes import Dimension, Scene, Twin

SHARE = 50  # number of scenes of one worker
TIMEOUT = 600.0  # seconds for all scenes of a worker
TOLERANCE = 1e-9  # relative to the largest value; collisions amplify round-off
AMPLIFIED = 1e3  # differences may also reach this factor times the effect of round-off
CHAOTIC = 1e-7  # if round-off changes a scene by more than this value, the scene is not judged
NUDGE = "nudge"
TWINS: Mapping[str, Twin] = {
    "base": Twin(),
    NUDGE: Twin(nudge=1.0 + 1e-15),
    "units": Twin(),  # the seed of the scene selects the units
    "lists": Twin(lists="every"),
    "skin": Twin(skin=1.5),
    "spectators": Twin(spectators=True),
    "no ledger": Twin(ledger=False),
    "newton": Twin(newton="on"),
    "all grains": Twin(all_grains=True),
    "own list": Twin(own_list=True),
    "engine": Twin(engine=True, ledger=False),
    "two runs": Twin(runs=2),
    "restart": Twin(runs=2, restart=True),
    "stock": Twin(style="stock", ledger=False, skin=1.5),
    "suffix": Twin(style="suffix", ledger=False),
}
MEASURES = {  # twins that are compared with a twin other than the base
    "restart": "two runs",  # both have a second setup, which uses velocities at the full step
    "suffix": "stock",
}
# Few scenes run on several ranks, because ranks that share a core wait for each other.
RANKS = "ranks"
EVERY = 5  # every fifth scene runs on several ranks
STATE = {
    "x": scenes.LENGTH,
    "v": scenes.VELOCITY,
    "omega": scenes.SPIN,
    "f": scenes.FORCE,
    "torque": scenes.TORQUE,
}
COUNTED = ("contacts", "bridges", "bonds", "ruptures", "sliding", "broken")


def run(scene: Scene, twin: Twin) -> dict[str, np.ndarray]:
    """Run a scene with the settings of a twin and return the results.

    Raises LammpsError if LAMMPS refuses a command.
    """
    os.environ["GRANULAR_PLUS_LOOK_AT_ALL"] = "yes" if twin.all_grains else "no"
    os.environ["GRANULAR_PLUS_CHECK_LISTS"] = "yes" if twin.own_list else "no"
    os.environ |= {"GRANULAR_PLUS_DEVICE": "host", "GRANULAR_PLUS_POISON": "yes"}
    args = ["-suffix", "plus/dsds"] if twin.style == "suffix" else []
    with engine.Session(args) as session:
        for command in scene.script(twin):
            session.command(command)
        return dict(outcome(session.lammps, scene, twin))


def outcome(lammps: Any, scene: Scene, twin: Twin) -> Iterator[tuple[str, np.ndarray]]:
    """Yield names and values of the quantities that are compared, in the units of the scene."""
    grains = len(scene.grains)

    def gathered(name: str, width: int, dimension: Dimension) -> np.ndarray:
        values = np.array(lammps.gather(name, 1, width), dtype=float).reshape(-1, width)
        return values[:grains] / twin.units.of(dimension)

    for name, dimension in STATE.items():
        yield name, gathered(name, 3, dimension)
    if scene.heat:
        yield "temperature", gathered("temperature", 1, scenes.NUMBER)
    if scene.film:
        yield "film", gathered("d_film", 1, scenes.VOLUME)
    for number in range(len(scene.walls)):
        if twin.style == "plus":
            force = [lammps.extract_fix(f"wall{number}", 0, 1, i) for i in range(3)]
            yield f"force on wall {number}", np.array(force) / twin.units.of(scenes.FORCE)
    if twin.ledger and twin.style == "plus":
        ledger = np.array(lammps.extract_compute("ledger", 0, 1)[: len(LEDGER.names)])
        for entries, (kind, dimension) in ledger_entries().items():
            yield kind, ledger[list(entries)] / twin.units.of(dimension)


def ledger_entries() -> dict[tuple[int, ...], tuple[str, Dimension]]:
    of_unit: dict[str, list[int]] = collections.defaultdict(list)
    for number, entry in enumerate(LEDGER.entries):
        # The residual is a small difference of large numbers. It follows from other entries.
        if entry.name != "residual":
            of_unit[entry.unit].append(number)
    dimensions = {"energy": scenes.ENERGY, "volume": scenes.VOLUME, "1": scenes.NUMBER}
    return {
        tuple(numbers): (f"ledger: {unit}", dimensions[unit]) for unit, numbers in of_unit.items()
    }


# ----------------------------------------------------------------------------------------- judging


def scale(base: Mapping[str, np.ndarray], name: str) -> float:
    """Return the largest value of a quantity, or a lower bound if all values are small."""
    floor = {"x": 1.0, "v": 0.1, "omega": 0.1, "f": 1.0, "torque": 0.1}.get(name, 1e-3)
    return max(floor, float(np.abs(base[name]).max(initial=0.0)))


def difference(base: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], name: str) -> float:
    if base[name].shape != other[name].shape:
        return math.inf
    found = float(np.abs(base[name] - other[name]).max(initial=0.0)) / scale(base, name)
    return found if math.isfinite(found) else math.inf


class Finding(NamedTuple):
    seed: int
    twin: str
    quantity: str
    found: float
    allowed: float

    def __str__(self) -> str:
        return (
            f"scene {self.seed}, {self.twin}: {self.quantity} differs by {self.found:.1e},"
            f" {self.allowed:.1e} is allowed"
        )


Outcome = dict[str, np.ndarray] | str  # results, or the message of a LAMMPS error


def judge(seed: int, outcomes: Mapping[str, Outcome]) -> tuple[str, list[Finding]]:
    """Return the status of a scene, and differences that are too large.

    The status is "judged", "chaotic" or "refused".
    """
    base, nudged = outcomes["base"], outcomes[NUDGE]
    if isinstance(base, str) or isinstance(nudged, str):
        return "refused", []
    round_off = {name: difference(base, nudged, name) for name in base}
    if max(round_off[name] for name in STATE) > CHAOTIC:
        return "chaotic", []
    findings = []
    for twin, other in outcomes.items():
        if twin in ("base", NUDGE, *MEASURES.values()) and twin != "stock":
            continue
        of = MEASURES.get(twin, "base")
        measure = outcomes.get(of)
        if isinstance(other, str) or isinstance(measure, str) or measure is None:
            text = other if isinstance(other, str) else f"no {of}: {measure}"
            findings.append(Finding(seed, twin, text, math.inf, 0.0))
            continue
        for name in measure.keys() & other.keys():
            allowed = TOLERANCE + AMPLIFIED * round_off.get(name, 0.0)
            found = difference(measure, other, name)
            if found > allowed:
                findings.append(Finding(seed, twin, name, found, allowed))
    return "judged", findings


# ----------------------------------------------------------------------------------------- running


def write_drawings() -> None:
    for name, text in scenes.drawings().items():
        Path(name).write_text(text, encoding="utf-8")


def twins_of(seed: int, scene: Scene, names: list[str]) -> Iterator[tuple[str, Twin]]:
    """Yield the twins of a scene.

    Twins with LAMMPS's styles are omitted if LAMMPS lacks a law of the scene.
    """
    for name in names:
        twin = TWINS[name]
        if name == "units":
            if not scene.follows_units:
                continue
            twin = scenes.with_units(twin, seed)
        if twin.style == "plus" or scene.stock:
            yield name, twin


def work(first: int, last: int, names: list[str], ranks: int, file: Path) -> None:
    found: dict[int, dict[str, Outcome]] = {}
    write_drawings()
    for seed in range(first, last):
        scene = scenes.scene(seed)
        found[seed] = {}
        left_out = ranks > 1 and seed % EVERY != 0
        for name, twin in twins_of(seed, scene, [] if left_out else names):
            try:
                found[seed][name] = run(scene, replace(twin, ranks=ranks))
            except engine.LammpsError as error:
                found[seed][name] = error.message
                if ranks > 1:
                    os._exit(1)
        if int(os.environ.get("PMI_RANK", "0")) == 0:
            temporary = file.with_suffix(".new")
            temporary.write_bytes(pickle.dumps(found))
            temporary.replace(file)


def job(first: int, last: int, names: list[str], ranks: int, folder: Path) -> dict[int, Any]:
    """Run scenes `first` to `last` - 1 in worker processes.

    If a worker dies, a message replaces the results of its current scene.
    """
    found: dict[int, Any] = {}
    while first < last:
        file = folder / "found.pickle"
        file.unlink(missing_ok=True)
        order = [sys.executable, "-m", "tests.twins", "--work", f"{first}", f"{last}", str(ranks)]
        order += [str(file), *names]
        if ranks > 1:
            order = [str(mpiexec()), "-n", str(ranks), *order]
        process = subprocess.run(
            order, cwd=folder, env=environment(), capture_output=True, timeout=TIMEOUT, check=False
        )
        if file.exists():
            found |= pickle.loads(file.read_bytes())
        first = max(found, default=first - 1) + 1
        if process.returncode != 0 or not file.exists():
            message = process.stderr.decode(errors="replace").strip()[-300:]
            found[first] = dict.fromkeys(names, f"ended: {process.returncode} {message}")
            first += 1
    return found


def environment() -> dict[str, str]:
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def compare(first: int, last: int, names: list[str]) -> tuple[dict[str, int], list[Finding]]:
    with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
        folder = Path(name)
        alone = job(first, last, [n for n in names if n != RANKS], 1, folder)
        parallel = job(first, last, ["base"], 2, folder) if RANKS in names else {}
    counts: dict[str, int] = collections.Counter()
    findings: list[Finding] = []
    for seed, outcomes in alone.items():
        if parallel.get(seed) and not isinstance(outcomes["base"], str):
            outcomes[RANKS] = parallel[seed]["base"]
        verdict, different = judge(seed, outcomes)
        counts[verdict] += 1
        findings += different
    return counts, findings


def differs(seed: int, scene: Scene, name: str) -> list[Finding]:
    names = ["base", NUDGE, name, *([MEASURES[name]] if name in MEASURES else [])]
    outcomes: dict[str, Outcome] = {}
    for each, twin in twins_of(seed, scene, names):
        try:
            outcomes[each] = run(scene, twin)
        except engine.LammpsError as error:
            outcomes[each] = error.message
    return judge(seed, outcomes)[1]


def shrink(seed: int, name: str) -> Scene:
    """Remove parts of a scene as long as the given twin still differs from the base."""
    scene = scenes.scene(seed)
    while True:
        for less in scenes.smaller(scene):
            if differs(seed, less, name):
                scene = less
                break
        else:
            return scene


def show(seed: int, scene: Scene, names: list[str]) -> None:
    for name, twin in twins_of(seed, scene, names):
        print(f"# {name}", *scene.script(twin), "", sep="\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.twins")
    parser.add_argument("--scenes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first scene")
    parser.add_argument("--twins", nargs="*", default=[*TWINS, RANKS])
    parser.add_argument("--show", type=int, metavar="SEED", help="print the script of a scene")
    parser.add_argument("--shrink", type=int, metavar="SEED", help="print a reduced script")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        first, last, ranks, file, *names = arguments.work
        work(int(first), int(last), names, int(ranks), Path(file))
        return 0
    if arguments.shrink is not None:
        seed, name = arguments.shrink, arguments.twins[0]
        with tempfile.TemporaryDirectory(prefix="pysuite-") as folder:
            os.chdir(folder)
            write_drawings()
            show(seed, shrunk := shrink(seed, name), [MEASURES.get(name, "base"), name])
            print(*(f"# {finding}" for finding in differs(seed, shrunk, name)), sep="\n")
        return 0
    if arguments.show is not None:
        show(arguments.show, scenes.scene(arguments.show), arguments.twins[:1])
        return 0
    measures = [MEASURES[name] for name in arguments.twins if name in MEASURES]
    twins = list(dict.fromkeys(["base", NUDGE, *measures, *arguments.twins]))
    counts: collections.Counter[str] = collections.Counter()
    found = 0
    end = arguments.seed + arguments.scenes
    for first in range(arguments.seed, end, SHARE):
        more, findings = compare(first, min(first + SHARE, end), twins)
        counts.update(more)
        found += len(findings)
        print(*findings, sep="\n", end="\n" if findings else "", flush=True)
    print(*(f"{verdict}: {number}" for verdict, number in sorted(counts.items())), sep="\n")
    print(f"findings: {found}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
