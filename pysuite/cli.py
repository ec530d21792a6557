"""The command `pysuite`: list, run, validate, compare; measure; advise; convert; look up; diagnose.

Exit status: 0 all is well, 1 something failed (or, with --spoil, did not fail as it must), 2 the
command could not do what was asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import math
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import pysuite
from pysuite import (
    convert,
    engine,
    figures,
    files,
    meshes,
    outputs,
    pictures,
    sources,
    tune,
    validation,
)
from pysuite.bench import (
    conversion,
    peers,
    performance,
    whole,
)
from pysuite.bench import segments as bench
from pysuite.convert import agreement
from pysuite.measure import timestep
from pysuite.meshes import drawing, repair
from pysuite.validation import (
    Case,
    CaseError,
    Result,
    Verdict,
    compare,
    report,
)

if TYPE_CHECKING:
    import pandas

OK, RED, USAGE = 0, 1, 2
INTERRUPTED = 130
SECONDS_OF_SILENCE = 20.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    options = _parser().parse_args(arguments)
    console = Console(highlight=False)
    # a CI that cancels or `timeout` must not leave LAMMPS behind any more than Ctrl-C does
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        limit = getattr(options, "timeout", None)
        if limit is not None and not limit > 0.0:
            raise CaseError(f"--timeout {limit:g} must be > 0")
        return int(options.command(options, console))
    except (CaseError, engine.EngineError, engine.LammpsError) as error:
        problem = str(error)
    except OSError as error:  # of a file: a full disk, a folder that is not there
        place = f"{error.filename}: " if error.filename is not None else ""
        problem = f"{place}{error.strerror or error}"
    except KeyboardInterrupt:
        goes_on = "; the same command goes on where this one ended" if options.goes_on else ""
        console.print(f"interrupted{goes_on}")
        return INTERRUPTED
    Console(stderr=True, highlight=False).print(f"[red]pysuite:[/] {escape(problem)}")
    return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pysuite",
        description="Runs LAMMPS with granular/plus and compares with reference solutions.",
        epilog="Exit status: 0 success, 1 something failed, 2 wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"pysuite {pysuite.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (command, text, add_options) in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=command, goes_on=name in ("validate", "sweep", "lab", "calibrate"))
        add_options(sub)
    return parser


Options = Callable[[argparse.ArgumentParser], None]
Command = Callable[[argparse.Namespace, Console], int]
COMMANDS: dict[str, tuple[Command, str, Options]] = {}  # by name, in the order of this file


def command(
    name: str, text: str, add_options: Options = lambda sub: None
) -> Callable[[Command], Command]:
    """Make a function a subcommand, with what `--help` says and its options."""

    def register(function: Command) -> Command:
        COMMANDS[name] = function, text, add_options
        return function

    return register


def add_case_options(sub: argparse.ArgumentParser, default_tier: str) -> None:
    """Options of commands that work on cases."""
    sub.add_argument(
        "--cases", type=Path, metavar="DIR", help="folder of the cases, instead of validation/"
    )
    sub.add_argument(
        "--tier",
        choices=validation.TIERS,
        default=default_tier,
        help="quick includes smoke, full includes quick (default: %(default)s)",
    )


# ---------------------------------------------------------------------------------- commands


def _list_options(sub: argparse.ArgumentParser) -> None:
    add_case_options(sub, "full")


@command("list", "List the cases, their tiers and sources.", _list_options)
def list_command(options: argparse.Namespace, console: Console) -> int:
    """List the cases of a tier."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("case", no_wrap=True)
    table.add_column("tier", no_wrap=True)
    table.add_column("what it shows, and its source")
    for case in _of_tier(validation.discover(options.cases), options.tier):
        text = f"{escape(case.title)}\n[dim]{escape(sources.expand(case.source))}[/]"
        table.add_row(case.name, case.tier, text)
    console.print(table)
    return OK


def _run_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("names", nargs="+", metavar="CASE")
    add_case_options(sub, "quick")
    sub.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a parameter of the cases (may be repeated)",
    )
    sub.add_argument(
        "--spoil",
        action="store_true",
        help="make a parameter of each case wrong on purpose; succeeds if the case then fails",
    )
    sub.add_argument(
        "--plant",
        default="",
        metavar="CLAIM",
        help="plant the effect of a claim that is not found; succeeds if it is found then",
    )
    sub.add_argument("--report", type=Path, metavar="DIR", help="also write a report")
    sub.add_argument(
        "--keep", action="store_true", help="with --report: keep everything LAMMPS wrote"
    )


@command("run", "Run some cases, with other parameters if you like.", _run_options)
def run_command(options: argparse.Namespace, console: Console) -> int:
    """Run named cases; see the parser for the options."""
    if options.spoil and options.plant:
        raise CaseError("--spoil and --plant exclude each other")
    chosen = validation.select(validation.discover(options.cases), options.names)
    if options.plant and any(options.plant not in case.planted for case in chosen):
        without = ", ".join(case.name for case in chosen if options.plant not in case.planted)
        raise CaseError(f"{without}: there is no claim {options.plant!r} whose effect is planted")
    overrides = {case.name: validation.parse_settings(case, options.settings) for case in chosen}
    with tempfile.TemporaryDirectory(prefix="pysuite-") as temporary:
        results = _run(
            chosen,
            options.report or Path(temporary),
            console,
            tier=options.tier,
            overrides=overrides,
            spoil=options.spoil,
            plant=options.plant,
            keep=options.keep,
        )
        for result in results:
            _print_verdicts(result, console)
        if options.report:
            _write_report(results, options, console)
    if options.spoil:
        return _judge_spoiled(results, console)
    if options.plant:
        return _judge_planted(results, console)
    return OK if all(result.passed for result in results) else RED


def _validate_options(sub: argparse.ArgumentParser) -> None:
    add_case_options(sub, "quick")
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report"),
        metavar="DIR",
        help="folder of the report (default: %(default)s)",
    )
    sub.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="cases run at once (default: 1)"
    )
    sub.add_argument(
        "--only",
        nargs="+",
        metavar="PATTERN",
        help="only cases whose name matches one of the patterns, as in 'oblique-*'",
    )
    sub.add_argument(
        "--full",
        nargs="+",
        default=[],
        metavar="PATTERN",
        help="cases that run in tier full all the same",
    )
    sub.add_argument(
        "--repetitions",
        type=int,
        default=0,
        metavar="N",
        help="then run the cases that draw random numbers N more times, with different ones, and "
        "report which verdicts change",
    )
    sub.add_argument(
        "--fresh",
        action="store_true",
        help="run every case again, even if its result in this folder is still valid",
    )
    sub.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="time limit for each case, instead of its own",
    )
    sub.add_argument(
        "--document", type=Path, metavar="FILE", help="also update the generated section of FILE"
    )
    sub.add_argument(
        "--claims", type=Path, metavar="FILE", help="also update the papers' claims in FILE"
    )
    sub.add_argument(
        "--gallery",
        type=Path,
        metavar="FILE",
        help="also write all figures, and what could not be reproduced, to this page",
    )
    sub.add_argument("--keep", action="store_true", help="keep everything LAMMPS wrote")


def _matches(case: Case, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(case.name, pattern) for pattern in patterns)


@command("validate", "Run all cases of a tier and write a report.", _validate_options)
def validate_command(options: argparse.Namespace, console: Console) -> int:
    """Run a tier and write the report; red if anything is."""
    if options.jobs < 1:
        raise CaseError(f"--jobs {options.jobs} must be >= 1")
    if options.repetitions < 0:
        raise CaseError(f"--repetitions {options.repetitions} must be >= 0")
    found = validation.discover(options.cases)
    chosen = _of_tier(found, options.tier)
    if options.only:
        chosen = [case for case in chosen if _matches(case, options.only)]
        if not chosen:
            names = ", ".join(case.name for case in _of_tier(found, options.tier))
            raise CaseError(
                f"no case of tier {options.tier} matches {' or '.join(map(repr, options.only))};"
                f" there are: {names}"
            )
    keywords = {
        "jobs": options.jobs,
        "resume": not options.fresh,
        "timeout": options.timeout,
        "keep": options.keep,
    }
    in_full = [case for case in found if _matches(case, options.full)]
    others = [case for case in chosen if case not in in_full]
    results = _run(others, options.report, console, tier=options.tier, **keywords)
    results += _run(in_full, options.report, console, tier="full", **keywords)
    results.sort(key=lambda result: result.case)
    drawn = {result.case for result in results if result.random}
    repetitions = []
    for number in range(1, options.repetitions + 1):
        console.print(f"\n[bold]Repetition {number}[/]")
        repetitions.append(
            _run(
                [case for case in others if case.name in drawn],
                options.report / f"repetition-{number}",
                console,
                tier=options.tier,
                repetition=number,
                **keywords,
            )
        )
    everything = [result for each in (results, *repetitions) for result in each]
    for result in everything:
        if not result.passed:
            _print_verdicts(result, console)
    if repetitions:
        console.print(f"\n{report.repeated(results, repetitions).summary}", soft_wrap=True)
    _write_report(results, options, console)
    if options.document:
        report.write_section(
            results,
            options.document,
            tier=options.tier,
            environment=engine.environment(),
            repetitions=repetitions,
        )
    if options.claims:
        report.write_claims(
            results,
            _register(options),
            options.claims,
            tier=options.tier,
            environment=engine.environment(),
        )
    if options.gallery:
        size = report.write_gallery(
            results, options.gallery, tier=options.tier, environment=engine.environment()
        )
        console.print(f"gallery: {options.gallery}, {size / 1e6:.2f} MB", soft_wrap=True)
    console.print("\n[bold]What to cite[/]")
    for citation in report.citations(results):
        console.print(Padding(escape(citation), (0, 0, 0, 2)))
    if not results:
        console.print("[red]No case was run.[/]")
    return OK if results and all(result.passed for result in everything) else RED


def _compare_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "sides",
        nargs="+",
        metavar="SIDE",
        help="two report folders or baseline files; with --case or --input two or more settings as "
        "key=value,key=value, or the word default; the first is the reference",
    )
    chosen = sub.add_mutually_exclusive_group()
    chosen.add_argument("--case", metavar="NAME", help="run this case with each of the settings")
    chosen.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="run this LAMMPS script with each of the settings as variables",
    )
    add_case_options(sub, "quick")
    sub.add_argument(
        "--share",
        type=float,
        default=compare.SHARE,
        metavar="X",
        help="fraction of its tolerance by which a quantity may change (default: %(default)s)",
    )
    sub.add_argument(
        "--tolerance",
        type=float,
        default=1e-10,
        metavar="X",
        help="with --input: fraction of its largest value by which a thermo column may differ "
        "(default: %(default)s)",
    )
    sub.add_argument("--ranks", type=int, default=1, metavar="N", help="with --input: MPI ranks")
    sub.add_argument("--timeout", type=float, metavar="SECONDS", help="of each run; default: none")
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/compare"),
        metavar="DIR",
        help="folder of the comparison (default: %(default)s)",
    )
    sub.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="compare nothing: save the verdicts of one report folder as a baseline file",
    )


@command("compare", "Compare two versions, settings or styles.", _compare_options)
def compare_command(options: argparse.Namespace, console: Console) -> int:
    """Compare sides and write a report; like `diff`, red if anything differs."""
    if options.save:
        if len(options.sides) != 1 or options.case or options.input:
            raise CaseError("--save takes one report folder, and nothing to compare it with")
        side = compare.load(Path(options.sides[0]))
        compare.save_baseline(side, options.save)
        console.print(f"baseline: {options.save}, {report.summary(list(side.results.values()))}")
        return OK
    if len(options.sides) < 2:
        raise CaseError("there is nothing to compare with: name two sides or more")
    if not options.share >= 0 or not options.tolerance >= 0:
        raise CaseError("--share and --tolerance must be >= 0")
    folder = validation.prepare_folder(options.report)
    figures.prepare_figures()
    tier = options.tier
    if options.input:
        outputs = compare.run_input(
            options.input, options.sides, ranks=options.ranks, timeout=options.timeout
        )
        name = re.sub(r"[^a-z0-9]+", "-", options.input.name.lower()).strip("-")
        results = compare.compare_outputs(name, outputs, folder, options.tolerance)
        tier = "of an input script"
    else:
        if options.case:
            (case,) = validation.select(validation.discover(options.cases), [options.case])
            sides = compare.run_sides(
                case, options.sides, folder, tier=tier, timeout=options.timeout
            )
        else:
            sides = [compare.load(Path(side)) for side in options.sides]
            tier = ", ".join(sorted({r.run_tier for s in sides for r in s.results.values()}))
        results = [
            result
            for number, side in enumerate(sides[1:], start=1)
            for result in compare.compare_results(
                sides[0], side, folder / f"comparison-{number}", options.share
            )
        ]
    return _report_comparison(results, folder, tier, console)


def _bench_options(sub: argparse.ArgumentParser) -> None:
    names = ", ".join(benchmark.name for benchmark in bench.BENCHMARKS)
    sub.add_argument(
        "--case",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"which benchmarks: {names}; with --only whole: "
        f"{', '.join(case.name for case in whole.CASES)}",
    )
    sub.add_argument(
        "--only",
        choices=("whole", "styles"),
        help="whole runs, walls and all, or the pair styles alone (default: both, or with --case "
        "and --style the pair styles)",
    )
    sub.add_argument(
        "--style",
        nargs="+",
        default=[],
        choices=bench.STYLE_NAMES,
        metavar="NAME",
        help=f"which styles: {', '.join(bench.STYLE_NAMES)}",
    )
    sub.add_argument("--ranks", nargs="+", type=int, default=[], metavar="N", help="MPI ranks")
    sub.add_argument("--rounds", type=int, metavar="N", help="rounds of each benchmark")
    sub.add_argument("--quick", action="store_true", help="few rounds of the small benchmarks")
    sub.add_argument(
        "--clone",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"also {bench.OURS} with these instruction sets: portable, avx2, avx512",
    )
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/bench"),
        metavar="DIR",
        help="folder of the report, which shows all measurements in it (default: %(default)s)",
    )
    sub.add_argument(
        "--document", type=Path, metavar="FILE", help="also update the generated section of FILE"
    )


@command("bench", "Measure the cost of the pair styles, side by side.", _bench_options)
def bench_command(options: argparse.Namespace, console: Console) -> int:
    """Measure, print the tables and write the report; nothing is judged."""
    chosen = options.case or options.style or options.ranks or options.clone
    plans = []
    if options.only != "whole":
        plans = bench.plan(
            options.case,
            styles=options.style,
            ranks=options.ranks,
            rounds=options.rounds,
            clones=options.clone,
            quick=options.quick,
        )
        bench.check_folder(options.report)
    if options.only == "whole" or not (options.only or chosen):
        folder = validation.prepare_folder(options.report)
        names = options.case if options.only else ()
        for found in whole.measure_cases(names, rounds=options.rounds, quick=options.quick):
            whole.save(folder, found)
            console.print(f"{found.case}: {found.seconds}", soft_wrap=True)
        table = whole.write_report(folder, options.document)
        _print_frame(table.caption, table.cells, console)
    if not plans:
        return OK
    folder = bench.check_folder(options.report)
    limits = performance.measure_limits()
    with _progress(console) as progress:
        for plan in plans:
            task = progress.add_task(plan.title, total=plan.segments)
            result = bench.measure(
                plan,
                lambda done, task=task: progress.update(task, completed=done),  # type: ignore[misc]
            )
            result.save(folder)
            progress.remove_task(task)
    for table in performance.write_report(folder, limits, options.document):
        _print_frame(table.caption, table.cells, console)
    console.print(f"report: {folder}", soft_wrap=True)
    return OK


def _peers_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "name",
        nargs="*",
        metavar="NAME",
        help=f"which comparisons: {', '.join(peers.COMPARISONS)} (default: all)",
    )
    sub.add_argument(
        "--lammps",
        metavar="PROGRAM",
        help="a separate LAMMPS of July 2026 with GRANULAR, GRANSURF and ASPHERE",
    )
    sub.add_argument(
        "--liggghts",
        default="liggghts",
        metavar="PROGRAM",
        help="LIGGGHTS 3.8 (default: the one that is installed)",
    )
    sub.add_argument(
        "--yade",
        default="yade",
        metavar="PROGRAM",
        help="YADE 2023 (default: the one that is installed)",
    )
    sub.add_argument("--quick", action="store_true", help="few collisions, short runs")
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/peers"),
        metavar="DIR",
        help="folder of the tables (default: %(default)s)",
    )
    sub.add_argument(
        "--document", type=Path, metavar="FILE", help="also update the generated sections of FILE"
    )


@command("peers", "Compare with other codes: energy in collisions, and time.", _peers_options)
def peers_command(options: argparse.Namespace, console: Console) -> int:
    """Compare and print the tables; nothing is judged."""
    for name in options.name:
        if name not in peers.COMPARISONS:
            raise CaseError(f"comparison {name!r} must be one of {', '.join(peers.COMPARISONS)}")
    folder = validation.prepare_folder(options.report)
    lammps, liggghts = peers.find(options.lammps), peers.find(options.liggghts)
    yade = peers.find_yade(options.yade)
    for name in options.name or peers.COMPARISONS:
        console.print(f"[dim]measuring {name}[/]")
        with tempfile.TemporaryDirectory(prefix="pysuite-") as runs:
            request = peers.Request(lammps, liggghts, options.quick, Path(runs), yade)
            table = peers.COMPARISONS[name](request)
            for series in Path(runs).glob("*.csv"):
                shutil.copy(series, folder)
        _print_frame(table.caption, table.cells, console)
        peers.write(table, name, request.describe(), folder, options.document)
    console.print(request.describe())
    return OK


def _tune_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("script", type=Path, metavar="FILE", help="a LAMMPS input script")
    sub.add_argument(
        "--ranks", type=int, nargs="+", default=[1], metavar="N", help="MPI ranks (default: 1)"
    )
    sub.add_argument(
        "--set",
        dest="variables",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a variable of the script, like LAMMPS's -var (may be repeated)",
    )
    for name, default, text in (
        ("run", 1, "which of its run commands to measure; those before it are run in full"),
        ("warm-up", 200, "steps before the first measurement"),
        ("rounds", 15, "segments in which each setting is measured"),
    ):
        text = f"{text} (default: %(default)s)"
        sub.add_argument(f"--{name}", type=int, default=default, metavar="N", help=text)


@command("tune", "Find the neighbour settings with which a script runs fastest.", _tune_options)
def tune_command(options: argparse.Namespace, console: Console) -> int:
    """Measure a script with other settings and print the lines that make it faster."""
    arguments = []
    for text in options.variables:
        name, separator, value = text.partition("=")
        if not name or not separator:
            raise CaseError(f"--set {text!r} must be NAME=VALUE")
        arguments += ["-var", name, *value.split()]
    tuner = tune.Tuner(
        tune.read_script(options.script, options.run),
        arguments,
        options.warm_up,
        options.rounds,
        lambda stage, trials: console.print(f"[dim]measuring {stage} ({trials})[/]"),
    )
    for ranks in options.ranks:
        found = tuner.tune(ranks)
        console.print(f"\n[bold]{ranks} rank{'s' if ranks > 1 else ''}[/]")
        for name, trials in found.stages.items():
            _print_frame(
                f"{name}: time over that of the script as it is", tune.frame(name, trials), console
            )
        if found.best is None:
            console.print("\nNothing is faster beyond doubt than the script as it is.")
            continue
        ratio = found.best.ratio
        console.print(
            f"\n{1 / ratio.value:.2f} ({1 / ratio.high:.2f}–{1 / ratio.low:.2f}) times as fast with"
        )
        for name, words in found.best.settings.items():
            console.print(f"  {name:<12} {words}")
    return OK


def _fields_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "dump", type=Path, metavar="DUMP", help="grains: x y z vx vy vz mass, with contacts id"
    )
    sub.add_argument(
        "--contacts",
        type=Path,
        metavar="DUMP",
        help="dump local with patom1, separation, force_x to _z and point; without it the stress "
        "is only that of the motion",
    )
    sub.add_argument(
        "--losses",
        type=Path,
        action="append",
        default=[],
        metavar="DUMP",
        help="dump local of compute granular/dissipation pairs, or of a wall; may be given again",
    )
    sub.add_argument(
        "--log", type=Path, metavar="LOG", help="log of the run, from which columns get their names"
    )
    sub.add_argument(
        "--step", type=int, metavar="N", help="of the frame (default: the last of the grains)"
    )
    sub.add_argument(
        "--cells",
        type=int,
        nargs=3,
        default=(1, 1, 40),
        metavar="N",
        help="of the grid along x, y and z (default: 1 1 40)",
    )
    sub.add_argument(
        "--width", type=float, required=True, metavar="W", help="of the Gaussian, about a radius"
    )
    sub.add_argument("-o", "--output", type=Path, metavar="CSV", help="write the table here")


@command("fields", "Density, velocity, stress, temperature on a grid from dumps.", _fields_options)
def fields_command(options: argparse.Namespace, console: Console) -> int:
    """Print or write coarse-grained fields of one frame of a dump, by default the last."""
    from pysuite.measure import fields

    if not all(count >= 1 for count in options.cells):
        raise CaseError(f"--cells {' '.join(map(str, options.cells))} must be >= 1")
    try:
        grains, step = _frame(options.dump, options.step)
        box = fields.read_box(options.dump, step)
        log = options.log.read_text(errors="replace") if options.log else ""

        def named(dump: Path) -> pandas.DataFrame:
            return outputs.local(log, _frame(dump, step, options.dump)[0], dump.name)

        contacts = named(options.contacts) if options.contacts else None
        losses = [named(dump) for dump in options.losses]
        edges = fields.grid(grains, options.cells, options.width, box)
        table = fields.fields(
            grains, edges, options.width, contacts=contacts, box=box, losses=losses
        )
    except ValueError as error:
        raise CaseError(str(error)) from error
    if options.output:
        with files.whole(options.output) as beside:
            table.to_csv(beside, index=False)
        console.print(f"written: {options.output}", soft_wrap=True)
    else:
        cells = table.map(lambda value: f"{value:.4g}")
        _print_frame(f"{len(table)} cells:", cells, console)
    volume = math.prod(edge[1] - edge[0] for edge in edges)
    console.print(
        f"mass of the fields {table['density'].sum() * volume:.10g}, "
        f"of the grains {grains['mass'].sum():.10g}"
    )
    return OK


def _frame(
    dump: Path, step: int | None, beside: Path | None = None
) -> tuple[pandas.DataFrame, int]:
    """Return the frame of a step, by default the last, and its step.

    Raises ValueError where there is none, as of the step of the frame of another dump.
    """
    text = dump.read_text()
    table, steps = engine.parse_dump(text), engine.parse_steps(text)
    found = max(steps) if step is None else step
    if found not in steps:
        wanted = f", which {beside} has" if beside else ""
        raise ValueError(
            f"{dump} has no frame of step {found}{wanted}; its last is of step {max(steps)}:"
            " choose a step of both with --step"
        )
    return table[table["step"] == found].reset_index(drop=True), found


def _picture_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "dump", type=Path, metavar="FILE", help="dump with id x y z radius and colour, or restart"
    )
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="PICTURE",
        help=("PNG or JPEG: the last frame of the dump; GIF: a film of all frames"),
    )
    for name, text in (
        ("meshes", "vtp files of walls; of NAME.STEP.vtp those that belong to the frame"),
        ("shapes", "vtp files of fix shape/granular/plus, drawn instead of spheres"),
    ):
        sub.add_argument(f"--{name}", type=Path, nargs="+", default=[], metavar="VTP", help=text)
    sub.add_argument(
        "--colour",
        default="speed",
        metavar="NAME",
        help="speed, force or a column of the dump, as type or v_liquid (default: %(default)s)",
    )
    sub.add_argument("--label", default="", help="written at the colour bar")
    sub.add_argument("--largest", type=float, metavar="X", help="upper end of the colours")
    sub.add_argument(
        "--chains",
        type=Path,
        metavar="DUMP",
        help="force chains: dump local with patom1, force, separation and point",
    )
    sub.add_argument(
        "--log", type=Path, metavar="LOG", help="log that names the columns of --chains"
    )
    sub.add_argument(
        "--cracks",
        type=Path,
        metavar="CSV",
        help="broken bonds in glassy grains, red in tension, blue in shear: the table of fix "
        "granular/bond with keyword events",
    )
    sub.add_argument(
        "--eye",
        type=float,
        nargs=3,
        default=pictures.Scene().eye,
        metavar="X",
        help="direction from the middle of the scene to the eye (default: %(default)s)",
    )
    sub.add_argument(
        "--up",
        type=float,
        nargs=3,
        default=pictures.Scene().up,
        metavar="X",
        help="what points up in the picture (default: %(default)s)",
    )
    sub.add_argument("--zoom", type=float, default=1.0, metavar="X", help="larger than 1: closer")
    sub.add_argument("--size", type=int, nargs=2, default=(800, 600), metavar="PIXELS")


@command("picture", "Draw a picture or a film of a run, without a screen.", _picture_options)
def picture_command(options: argparse.Namespace, console: Console) -> int:
    """Draw the grains of a dump or restart with meshes, shapes and force chains."""
    if not options.zoom > 0.0 or min(options.size) < 1:
        raise CaseError("--zoom must be > 0, and --size >= 1")
    scene = pictures.Scene(
        colour=options.colour,
        label=options.label,
        meshes=tuple(options.meshes),
        shapes=tuple(options.shapes),
        chains=options.chains is not None,
        eye=tuple(options.eye),
        up=tuple(options.up),
        zoom=options.zoom,
        size=tuple(options.size),
        largest=options.largest,
    )
    try:
        contacts = None
        if options.chains:
            text = options.chains.read_text()
            contacts = engine.parse_dump(text)
            if options.log:
                log = options.log.read_text(errors="replace")
                contacts = outputs.local(log, contacts, options.chains.name)
        with options.dump.open("rb") as file:
            is_text = file.read(5) == b"ITEM:"
        if is_text:
            grains = engine.parse_dump(options.dump.read_text())
        else:
            grains = pictures.read_restart(options.dump)
        if options.chains:
            drawn = grains["step"].unique()
            drawn = drawn if options.output.suffix.lower() == ".gif" else drawn[-1:]
            lacking = sorted({*map(int, drawn)} - {*engine.parse_steps(text)})
            if lacking:
                last = max(engine.parse_steps(text))
                raise ValueError(
                    f"{options.chains} has no frame of step {lacking[0]}, which {options.dump} has;"
                    f" its last is of step {last}"
                )
        cracks = outputs.read_broken_bonds(options.cracks) if options.cracks else None
        count = pictures.draw(grains, options.output, scene, contacts=contacts, cracks=cracks)
    except (ValueError, ImportError) as error:
        raise CaseError(str(error)) from error
    console.print(
        f"written: {options.output}" + (f", {count} frames" if count > 1 else ""), soft_wrap=True
    )
    return OK


def _timestep_options(sub: argparse.ArgumentParser) -> None:
    for name, text in (
        ("radius", "radius of the smallest spheres"),
        ("density", "density of their material"),
        ("speed", "largest relative speed at which they meet"),
        ("modulus", "Young's modulus"),
    ):
        sub.add_argument(f"--{name}", type=float, required=True, metavar="X", help=text)
    for name, default, text in (
        ("poisson", 0.25, "Poisson's ratio"),
        ("restitution", 1.0, "coefficient of restitution"),
        ("overlap", 0.01, "largest overlap that normal actm may give, as a fraction of the radius"),
        ("steps", timestep.STEPS, "time steps in a collision"),
    ):
        text = f"{text} (default: %(default)s)"
        sub.add_argument(f"--{name}", type=float, default=default, metavar="X", help=text)


@command("timestep", "Print which time step and collision time spheres need.", _timestep_options)
def timestep_command(options: argparse.Namespace, console: Console) -> int:
    """Print the times of spheres; units are those of the input."""
    try:
        advice = timestep.advise(
            radius=options.radius,
            density=options.density,
            speed=options.speed,
            youngs_modulus=options.modulus,
            poisson_ratio=options.poisson,
            restitution=options.restitution,
            overlap=options.overlap,
            steps=options.steps,
        )
    except ValueError as error:
        raise CaseError(str(error)) from error
    console.print(f"[bold]timestep {advice.step:.3g}[/]   with the material as it is")
    if advice.speedup > 1.0:
        console.print(
            f"[bold]timestep {advice.actm_step:.3g}[/]   softened, {advice.speedup:.1f} times that"
            f" of Hertz, by the normal model\n  actm {advice.collision_time:.3g}"
            f" {options.restitution:g} {options.modulus:g} {options.poisson:g}"
        )
    else:
        console.print(
            f"The material itself overlaps by more than {options.overlap:g} of the radius: normal"
            " actm has nothing to soften."
        )
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "takes", "fraction", "time step", "largest overlap"):
        table.add_column(column, justify="right" if column else "left")
    fraction = f"1/{options.steps:g}"
    rayleigh = f"1/{1.0 / timestep.RAYLEIGH_PART:g}"
    for name, time, share, step, overlap in (
        ("Hertz collision", advice.hertz_time, fraction, advice.hertz_step, advice.hertz_overlap),
        ("Rayleigh wave", advice.rayleigh_time, rayleigh, advice.rayleigh_step, None),
        ("actm collision", advice.collision_time, fraction, advice.actm_step, advice.actm_overlap),
    ):
        percent = "" if overlap is None else f"{100.0 * overlap:.2g} % of radius"
        table.add_row(name, f"{time:.3g}", share, f"{step:.3g}", percent)
    console.print(Padding(table, (1, 0)))
    console.print(
        "Times are in the unit of time that goes with what you gave: seconds if radius, density,"
        " speed and modulus are in m, kg/m³, m/s and Pa; in a LAMMPS script, that of its `units`."
        " The first step is the smaller of those of Hertz collision and Rayleigh wave."
    )
    return OK


def _runs_options(sub: argparse.ArgumentParser, what: str, folder: str) -> None:
    """Add the options of commands that run many scripts, in a folder from which they go on."""
    sub.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at once (default: 1)")
    sub.add_argument("--ranks", type=int, default=1, metavar="N", help="MPI ranks of each run")
    sub.add_argument("--timeout", type=float, metavar="SECONDS", help="of each run; default: none")
    sub.add_argument("--retry", action="store_true", help="run again what failed before")
    sub.add_argument(
        "--folder",
        type=Path,
        metavar="DIR",
        help=f"where {what}; the same command goes on from there (default: {folder})",
    )


def _sweep_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("script", type=Path, metavar="FILE", help="the LAMMPS script")
    sub.add_argument(
        "--vary",
        action="append",
        required=True,
        metavar="NAME=A,B,...",
        help="values of a variable; all combinations of several are run",
    )
    _runs_options(sub, "the runs are kept", "sweep")
    sub.add_argument("-o", "--output", type=Path, metavar="CSV", help="write the table here")


@command("sweep", "Run a script with many values of its variables.", _sweep_options)
def sweep_command(options: argparse.Namespace, console: Console) -> int:
    """Print a table with the last line of the thermo output of each run; red if one failed."""
    variables = {}
    for text in options.vary:
        name, separator, values = text.partition("=")
        if not name or not separator or not values:
            raise CaseError(f"--vary {text} must be NAME=A,B,...")
        variables[name] = values.split(",")
    try:
        with _progress(console) as progress:
            task = progress.add_task(options.script.name, total=None)
            table = engine.sweep(
                options.script,
                variables,
                folder=options.folder or Path("sweep"),
                jobs=options.jobs,
                ranks=options.ranks,
                timeout=options.timeout,
                retry=options.retry,
                progress=lambda done, of: progress.update(task, completed=done, total=of),
            )
    except FileNotFoundError as error:
        raise CaseError(f"there is no script {options.script}") from error
    except ValueError as error:
        raise CaseError(str(error)) from error
    shown = table.drop(columns=["error", "folder"]).to_string(index=False)
    console.print(escape(shown), soft_wrap=True)
    failed = table[table["error"] != ""]
    for _, row in failed.iterrows():
        settings = ", ".join(f"{name}={row[name]}" for name in variables)
        console.print(f"[red]failed[/] {escape(settings)}: {escape(row['error'])}", soft_wrap=True)
    if options.output:
        files.write(options.output, table.to_csv(index=False))
        console.print(f"written: {options.output}", soft_wrap=True)
    return RED if len(failed) else OK


def _lab_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "experiment",
        choices=("heap", "drum", "hopper", "shear", "triaxial", "oedometer", "packing"),
        metavar="EXPERIMENT",
        help="%(choices)s",
    )
    sub.add_argument("settings", type=Path, metavar="SETTINGS", help="TOML file")
    sub.add_argument(
        "--repetitions",
        type=int,
        default=4,
        metavar="K",
        help="runs with other grains, from which the uncertainty comes (default: %(default)s)",
    )
    _runs_options(sub, "script, runs, tables and picture are", "lab/EXPERIMENT")


@command("lab", "Do an experiment with grains, as in a laboratory.", _lab_options)
def lab_command(options: argparse.Namespace, console: Console) -> int:
    """Print what was measured, with its uncertainty from repetitions; red if a run failed."""
    from pysuite import lab

    if not options.settings.is_file():
        raise CaseError(f"there is no file {options.settings}")
    if options.jobs < 1:
        raise CaseError(f"--jobs {options.jobs} must be >= 1")
    if options.repetitions < 1:
        raise CaseError(f"--repetitions {options.repetitions} must be >= 1")
    try:
        with _progress(console) as progress:
            task = progress.add_task(options.experiment, total=None)
            outcome = lab.run(
                options.experiment,
                options.settings,
                folder=options.folder,
                jobs=options.jobs,
                repetitions=options.repetitions,
                ranks=options.ranks,
                timeout=options.timeout,
                retry=options.retry,
                progress=lambda done, of: progress.update(task, completed=done, total=of),
            )
    except ValueError as error:
        raise CaseError(str(error)) from error
    shown = outcome.table.drop(columns=["folder"])
    console.print(escape(shown.to_string(index=False)), soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("", "value", "95 % interval", "unit", "meaning"):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for _, row in outcome.summary().iterrows():
        known = math.isfinite(row["low"])
        between = f"{row['low']:.4g} to {row['high']:.4g}" if known else "one run: unknown"
        cells = (row["quantity"], f"{row['value']:.4g}", between, row["unit"], row["meaning"])
        table.add_row(*(escape(cell) for cell in cells))
    console.print(Padding(table, (1, 0)))
    for remark in outcome.remarks:
        console.print(Padding(escape(remark), (0, 0, 0, 2)))
    console.print(f"script, tables and picture: {escape(str(outcome.folder))}", soft_wrap=True)
    return RED if (outcome.table["error"] != "").any() else OK


def _calibrate_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("targets", type=Path, metavar="TARGETS", help="TOML file")
    _runs_options(sub, "runs and report are", "calibration")


@command("calibrate", "Find contact parameters from what was measured in bulk.", _calibrate_options)
def calibrate_command(options: argparse.Namespace, console: Console) -> int:
    """Print parameters with their uncertainty, and what the targets do not decide."""
    from pysuite.lab import calibrate

    if not options.targets.is_file():
        raise CaseError(f"there is no file {options.targets}")
    if options.jobs < 1:
        raise CaseError(f"--jobs {options.jobs} must be >= 1")
    try:
        job = calibrate.read(options.targets, options.folder or Path("calibration"))
        with _progress(console) as progress:
            task = progress.add_task("design", total=job.runs)

            def tell(stage: str, done: int, of: int) -> None:
                elapsed = progress.tasks[0].elapsed or 0.0
                left = f", {(of - done) * elapsed / done / 60:.0f} min left" if done else ""
                progress.update(task, completed=done, description=f"{stage}{left}")

            found = calibrate.run(
                job,
                jobs=options.jobs,
                ranks=options.ranks,
                timeout=options.timeout,
                retry=options.retry,
                progress=tell,
            )
    except (ValueError, ImportError) as error:
        raise CaseError(str(error)) from error
    for title, frame in (
        ("Parameters", found.table()),
        ("Width over that of the prior", found.constraints),
        ("Runs at the answer", found.check),
    ):
        text = frame.map(lambda x: x if isinstance(x, str) else f"{x:.4g}")
        _print_frame(title, text, console)
    for text in found.diagnosis() or ["The targets decide all parameters."]:
        console.print(Padding(escape(text), (0, 0, 0, 2)))
    console.print(f"report: {escape(str(job.folder / 'report.md'))}", soft_wrap=True)
    return OK


def _convert_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("script", type=Path, nargs="?", metavar="FILE", help="the LAMMPS script")
    sub.add_argument(
        "--slider",
        choices=("csds", "dsds", "truncate"),
        default="csds",
        help="dsds reproduces LAMMPS's trajectory to round-off (default: %(default)s)",
    )
    sub.add_argument("-o", "--output", type=Path, metavar="OUT", help="where the new script goes")
    sub.add_argument(
        "--check",
        type=int,
        metavar="N",
        help="also run both scripts for N steps; red where forces differ by more than round-off",
    )
    sub.add_argument(
        "--survey",
        type=Path,
        nargs="+",
        metavar="FOLDER",
        help="instead: convert and check all scripts in.* in folders, as LAMMPS's examples",
    )
    sub.add_argument(
        "--document", type=Path, metavar="PAGE", help="with --survey: write a page of results"
    )
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/conversion"),
        metavar="DIR",
        help="with --survey: folder of what is found, from which it goes on (default: %(default)s)",
    )


@command("convert", "Convert a script with LAMMPS's granular or gran/* styles.", _convert_options)
def convert_command(options: argparse.Namespace, console: Console) -> int:
    """Print what changes and what does not; write the new script; red if something is left."""
    if (options.script is None) == (options.survey is None):
        raise CaseError("name either a script or, with --survey, folders")
    if options.survey:
        return _survey_conversions(options, console)
    try:
        script = _script_text(options.script)
    except OSError as error:
        raise CaseError(f"cannot read {options.script}: {error.strerror}") from error
    result = convert.convert(
        script, slider=options.slider, read=lambda name: _included(name, options.script.parent)
    )
    target = options.output or Path(f"{options.script}.plus")
    shown = result.diff(str(options.script), str(target))
    for name, included in result.included.items():
        shown += included.diff(name, f"{name}.plus")
    sys.stdout.write(_printable(shown))  # as it is, tabs and all: a patch that `patch` takes
    for title, notes in (
        ("Not converted", result.refused),
        ("What will differ", result.differences),
    ):
        if notes:
            console.print(f"\n[bold]{title}[/]")
        for note in notes:
            console.print(Padding(escape(_printable(str(note))), (0, 0, 0, 2)))
    if result.refused:
        console.print("\nnothing is written: mend these lines first", soft_wrap=True)
        return RED
    if not result.converted:
        console.print(f"{options.script} uses no granular or gran/* style: nothing to convert")
    if options.output:
        if options.output.exists() and options.output.samefile(options.script):
            raise CaseError(f"-o {options.output} is the script itself, which is never overwritten")
        written = {options.output: result.text}
        for name, included in result.included.items():
            written[Path(f"{_place(name, options.script.parent)}.plus")] = included.text
        for path, text in written.items():
            try:
                files.write(path, text.encode("utf-8", "surrogateescape"))
            except OSError as error:
                raise CaseError(f"cannot write {path}: {error.strerror}") from error
        names = ", ".join(map(str, written))
        console.print(f"\nwritten: {names}", soft_wrap=True)
    elif result.converted:
        console.print("\nnothing is written without -o OUT", soft_wrap=True)
    return OK if options.check is None else _check_conversion(result, options, console)


def _survey_conversions(options: argparse.Namespace, console: Console) -> int:
    """Convert and check all scripts in folders; write what was found as a page."""
    folder = validation.prepare_folder(options.report)
    findings = conversion.survey(
        options.survey, folder, lambda name: console.print(f"[dim]running {escape(name)}[/]")
    )
    page = conversion.document(findings, options.survey)
    if options.document:
        files.write(options.document, page)
        console.print(f"written: {options.document}", soft_wrap=True)
    else:
        sys.stdout.write(page)
    return OK


def _check_conversion(
    result: convert.Conversion, options: argparse.Namespace, console: Console
) -> int:
    """Run the script before and after conversion and tell where their forces part."""
    if options.check < 1:
        raise CaseError(f"--check {options.check} must be >= 1")
    try:
        found = agreement.compare_conversion(result, options.script.parent, steps=options.check)
    except ValueError as error:
        raise CaseError(f"{options.script}: {error}") from error
    console.print(f"\n[bold]Check[/]\n  {escape(str(found))}")
    return RED if found.real else OK


def _script_text(path: Path) -> str:
    """Return a script as it is: any bytes in comments, line ends of either kind."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def _place(name: str, folder: Path) -> Path:
    """Return where an included file lies: LAMMPS looks from where it runs, in most cases there."""
    return folder / name if (folder / name).is_file() else Path(name)


def _included(name: str, folder: Path) -> str | None:
    try:
        return _script_text(_place(name, folder))
    except OSError:
        return None


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _mesh_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("drawing", type=Path, metavar="FILE", help="STL or a format trimesh can read")
    sub.add_argument(
        "--scale", type=float, default=1.0, metavar="S", help="factor on all lengths (default: 1)"
    )
    sub.add_argument(
        "--grains", type=float, default=0.0, metavar="D", help="diameter of the grains"
    )
    sub.add_argument("--picture", type=Path, metavar="PNG", help="draw it here")
    sub.add_argument("--repair", action="store_true", help="repair it before it is written")
    sub.add_argument(
        "--thicken",
        type=float,
        metavar="T",
        help="make a closed plate of a sheet, T thick (scaled)",
    )
    sub.add_argument("-o", "--output", type=Path, metavar="STL", help="write it here, scaled")
    _add_overwrite(sub)


@command("mesh", "Check a drawing that is to be a wall, repair and convert it.", _mesh_options)
def mesh_command(options: argparse.Namespace, console: Console) -> int:
    """Print what a drawing is like as a wall; red if LAMMPS would refuse it."""
    if not options.scale > 0.0:
        raise CaseError(f"--scale {options.scale} must be > 0")
    if not options.grains >= 0.0:
        raise CaseError(f"--grains {options.grains} must be >= 0")
    if options.repair and not options.output:
        raise CaseError("--repair needs --output, where the mended drawing goes")
    if options.thicken is not None and not options.thicken > 0.0:
        raise CaseError(f"--thicken {options.thicken} must be > 0")
    if options.thicken is not None and not options.output:
        raise CaseError("--thicken needs --output, where the plate goes")
    _check_targets(options, options.output)
    try:
        triangles = drawing.load(options.drawing, options.scale)
        done: list[str] = []
        if options.repair:
            triangles, done = repair.repair(triangles)
        if options.thicken is not None:
            triangles = drawing.thickened(triangles, options.thicken)
    except ValueError as error:
        raise CaseError(f"{options.drawing}: {error}") from error
    except ImportError as error:
        raise CaseError(
            f"this needs {error.name}: pip install 'granular-plus[mesh]' ({error})"
        ) from error
    found = drawing.examine(triangles, options.grains)
    table = Table(box=None, pad_edge=False, show_header=False)

    def lengths(*values: float) -> str:
        text = " to ".join(f"{value:.5g}" for value in values)
        if options.grains > 0.0:
            text += " = " + " to ".join(f"{value / options.grains:.3g}" for value in values)
            text += " grains"
        return text

    table.add_row("triangles", f"{found.triangles} in {found.parts} parts")
    for name, low, high in zip("xyz", found.low, found.high, strict=True):
        table.add_row(name, lengths(low, high))
    table.add_row("edges", lengths(found.shortest, found.longest))
    table.add_row("area", f"{found.area:.5g}")
    table.add_row("closed", f"yes, volume {found.volume:.5g}" if found.closed else "no")
    console.print(table)
    for sentence in done:
        console.print(f"  repair: {escape(sentence)}")
    for remark in found.remarks:
        console.print(f"  {escape(remark)}")
    for problem in found.problems:
        console.print(f"[red]  {escape(problem)}[/]")
    if options.output:
        meshes.write_stl(options.output, triangles)
        console.print(f"written to {escape(str(options.output))}")
    if options.picture:
        drawing.draw(triangles, options.picture)
        console.print(f"drawn to {escape(str(options.picture))}")
    return RED if found.problems else OK


def _shape_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("part", type=Path, metavar="FILE", help="a closed surface, STL or OBJ")
    sub.add_argument(
        "--make",
        nargs="+",
        default=[],
        metavar=("KIND", "NUMBER"),
        help="first write FILE: sphere, ellipsoid, superellipsoid, box, cube, tetrahedron, "
        "cylinder or rock; with too few NUMBERs an error names them",
    )
    _add_overwrite(sub)
    sub.add_argument("--surface", choices=("smooth", "facets"), default="", help="as in the fix")
    sub.add_argument("--nodes", type=int, default=0, metavar="N", help="as in the fix")
    sub.add_argument("--cell", type=float, default=0.0, metavar="H", help="as in the fix")
    sub.add_argument(
        "--overlap",
        type=float,
        default=0.01,
        metavar="X",
        help="overlap of the contact in which nodes are counted, over the radius of equal volume "
        "(default: %(default)s)",
    )
    sub.add_argument("--picture", type=Path, metavar="OUT", help="draw surface and nodes: PNG, SVG")


@command("shape", "Show what fix shape/granular/plus makes of a mesh; or make one.", _shape_options)
def shape_command(options: argparse.Namespace, console: Console) -> int:
    """Print what the fix makes of a mesh, and how many nodes a contact will have."""
    from pysuite import shapes
    from pysuite.shapes import preview

    _check_targets(options, options.part if options.make else None)
    try:
        if options.make:
            kind, *numbers = options.make
            preview.make(kind, [float(number) for number in numbers]).write(options.part)
        body = shapes.Shape(options.part, options.surface, options.nodes, options.cell)
        contact = preview.nodes_in_contact(body, options.overlap)
    except (ValueError, OSError) as error:
        raise CaseError(f"{options.part}: {error}") from error
    table = Table(box=None, pad_edge=False, show_header=False)
    moments = ", ".join(f"{moment:.6g}" for moment in body.inertia)
    x, y, z = body.centre
    triangles, nodes = len(body.mesh.triangles), len(body.nodes)
    for name, text in (
        ("triangles", f"{triangles}, the sharpest edge {body.sharpest:.3g} degrees"),
        ("surface", "smooth" if body.smooth else "with sharp edges"),
        ("volume", f"{body.volume:.8g}"),
        ("area", f"{body.area:.8g}"),
        ("centre of mass", f"{x:.6g} {y:.6g} {z:.6g} in the file"),
        ("moments of inertia", f"{moments} at density 1"),
        ("bounding radius", f"{body.bounding_radius:.8g}, which the radius of the atom stands for"),
        ("radius of equal volume", f"{body.volume_radius:.8g}"),
        ("nodes", f"{nodes}, {body.spacing:.3g} apart"),
        ("cell", f"{body.cell:.3g}, {body.field_bytes / 1e6:.2g} MB"),
        (
            "nodes in a contact",
            f"{contact.mean:.3g} (least {contact.least}) at an overlap of "
            f"{options.overlap:g} radii, with a plane",
        ),
    ):
        table.add_row(name, text)
    console.print(table)
    if contact.mean < preview.ENOUGH_NODES:
        console.print(f"nodes {contact.enough} would give 9 in a contact: forces to about 1 %")
    if options.picture:
        console.print(f"picture: {preview.draw(body, options.picture)}")
    return OK


def _pack_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("part", type=Path, metavar="FILE", help="a closed surface, STL or OBJ")
    sub.add_argument(
        "--grains",
        type=float,
        required=True,
        metavar="D",
        help="diameter of the largest, in the unit of FILE; the smallest have 0.8 of it",
    )
    sub.add_argument(
        "--seed", type=int, default=1, help="for another packing (default: %(default)s)"
    )
    sub.add_argument(
        "--bonded", action="store_true", help="also write a script that bonds them, in.NAME"
    )
    _add_overwrite(sub)
    sub.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DATA",
        help="data file for atom_style bpm/sphere (default: NAME.data here, of FILE's NAME)",
    )


@command("pack", "Fill a closed surface with grains, and bond them.", _pack_options)
def pack_command(options: argparse.Namespace, console: Console) -> int:
    """Write the data file and the script, and print what the cluster is like."""
    data = options.output or Path(f"{options.part.stem}.data")
    script = data.with_name(f"in.{data.stem}")
    for path in (data, script) if options.bonded else (data,):
        if path.exists() and not options.overwrite:
            raise CaseError(f"{path} exists: give another name, or --overwrite")
    from pysuite import shapes
    from pysuite.shapes import clusters

    try:
        mesh = shapes.read(options.part)
        grains = clusters.fill(mesh, options.grains, options.seed)
    except (ValueError, OSError) as error:
        raise CaseError(f"{options.part}: {error}") from error
    clusters.write_data(data, grains)
    share = grains.volume / clusters.volume_within(mesh)
    console.print(f"{len(grains.radii)} grains, {share:.3g} of the volume: {escape(str(data))}")
    if options.bonded:
        clusters.write_script(script, data, options.part.name, grains)
        console.print(
            f"{grains.bonds()} bonds, between grains closer than {grains.gap:.3g}: "
            f"{escape(str(script))}"
        )
    return OK


def _columns_options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "style",
        nargs="?",
        choices=sorted({_style(table) for table in outputs.ALL}),
        metavar="STYLE",
        help="show only this style: %(choices)s",
    )


@command("columns", "Explain the numbered entries in the output of the styles.", _columns_options)
def columns_command(options: argparse.Namespace, console: Console) -> int:
    """Print number, name, unit and meaning of what the styles put out."""
    for entries in outputs.ALL:
        if options.style in (None, _style(entries)):
            console.print(f"\n[bold]{entries.style}[/]")
            table = Table(box=None, pad_edge=False, header_style="dim")
            for heading in ("entry", "name", "unit", "meaning"):
                table.add_column(heading, no_wrap=heading != "meaning")
            for number, entry in enumerate(entries.entries, start=1):
                table.add_row(escape(entries.written.format(number)), *entry)
            console.print(table)
    return OK


def _style(entries: outputs.Outputs) -> str:
    return entries.style.split()[0]  # without the word that asks for the columns per atom


@command("doctor", "Check the installation, and say how to fix what does not work.")
def doctor_command(options: argparse.Namespace, console: Console) -> int:
    """Say what works, and what helps where something does not."""
    environment = engine.environment()
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in environment.items():
        if name not in ("packages", "error") and value not in (None, ""):
            table.add_row(name.replace("_", " "), escape(_plain(value)))
    console.print(table)
    problems = diagnose(environment)
    for problem in problems:
        console.print(f"[red]✗[/] {escape(problem)}")
    if not problems:
        console.print("[green]✓[/] LAMMPS, MPI and the plug-in work together.")
    return RED if problems else OK


def diagnose(environment: Mapping[str, Any]) -> list[str]:
    """Return one sentence with its remedy for each thing that is wrong in `environment()`."""
    problems = []
    if "error" in environment:
        return [environment["error"]]
    if "MPICH" not in environment["mpi"]:
        problems.append(f"LAMMPS uses {environment['mpi']}, not MPICH. {engine.INSTALL_LAMMPS}")
    try:
        own = engine.mpiexec()
    except engine.EngineError as error:
        problems.append(str(error))
        own = Path(sys.prefix) / "bin" / "mpiexec"
    for path, name in engine.foreign_launchers().items():
        problems.append(
            f"The command {path.name} is {path}, of {name}; LAMMPS needs MPICH's. With this one "
            "`-n 4` starts four runs of one rank each, which write to the same files. Put "
            f"{own.parent} first in PATH, or call {own}."
        )
    shadow = engine.shadowing_file()
    if shadow is not None:
        problems.append(
            f"Python started in this folder takes {shadow} for the suite: `import pysuite` and "
            "`python -m pysuite` fail here. Rename it, or work in another folder; the command "
            "pysuite itself does not mind."
        )
    for style in environment["styles"]:
        try:
            engine.require_style(*style.split(" ", 1))
        except engine.EngineError as error:
            problems.append(str(error))
    return problems


# ------------------------------------------------------------------------------------ helpers


def _add_overwrite(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--overwrite", action="store_true", help="even where there is a drawing")


def _check_targets(options: argparse.Namespace, drawing: Path | None) -> None:
    """Refuse to write over a drawing, and pictures of unknown kinds, before any work is done."""
    if drawing is not None and drawing.is_file() and not options.overwrite:
        raise CaseError(f"{drawing} exists: give another name, or --overwrite")
    if options.picture:
        try:
            files.check_picture(options.picture)
        except ValueError as error:
            raise CaseError(str(error)) from error


def _of_tier(found: Sequence[Case], tier: str) -> list[Case]:
    return [case for case in found if case.runs_in(tier)]


def _run(chosen: Sequence[Case], folder: Path, console: Console, **keywords: Any) -> list[Result]:
    """Run cases with a progress bar that names those at work."""
    at_work: list[str] = []
    with _progress(console) as progress:
        task = progress.add_task("", total=len(chosen))

        def start(case: Case) -> None:
            at_work.append(case.name)
            progress.update(task, description=", ".join(at_work))

        def finish(result: Result) -> None:
            at_work.remove(result.case)
            mark = "[green]pass[/]" if result.passed else "[red]FAIL[/]"
            count = f"{sum(v.passed for v in result.verdicts)}/{len(result.verdicts)}"
            took = "found" if result.reused else f"{result.seconds:.1f} s"
            progress.console.print(f"{mark} {result.case}  {count}  {took}")
            progress.update(task, advance=1, description=", ".join(at_work))

        return validation.run_cases(chosen, folder, on_start=start, on_result=finish, **keywords)


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    """Show a bar or, where there is no terminal, a line now and then."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    over = threading.Event()

    def tell() -> None:
        while not over.wait(SECONDS_OF_SILENCE):
            for task in progress.tasks:
                of = f" of {task.total:g}" if task.total is not None else ""
                done = f"{task.completed:g}{of}, {task.elapsed or 0.0:.0f} s"
                console.print(f"{task.description}: {done}", soft_wrap=True)

    teller = threading.Thread(target=tell, daemon=True)
    with progress:
        if not console.is_terminal:
            teller.start()
        try:
            yield progress
        finally:
            over.set()


def _print_frame(caption: str, frame: pandas.DataFrame, console: Console) -> None:
    console.print(f"\n{escape(caption.replace('**', ''))}")
    table = Table(box=None, pad_edge=False, header_style="dim")
    for number, column in enumerate(frame.columns):
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*map(escape, row))
    console.print(table)


def _print_verdicts(result: Result, console: Console) -> None:
    console.print(f"\n[bold]{result.case}[/]  {escape(result.title)}")
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for verdict in result.verdicts:
        mark = "[green]pass[/]" if verdict.passed else "[red]FAIL[/]"
        claim = f"[bold]{verdict.claim}[/] " if verdict.claim else ""
        table.add_row(mark, f"{claim}{escape(verdict.quantity)}\n[dim]{_numbers(verdict)}[/]")
    console.print(table)
    if result.error:
        console.print(f"[red]{escape(result.error)}[/]")
    for note in result.notes:
        console.print(f"[dim]{escape(note)}[/]")
    for text in result.not_reproduced:
        console.print(f"[dim]Not reproduced. {escape(text)}[/]")


def _numbers(verdict: Verdict) -> str:
    """Return measured value, reference and tolerance as one line of text."""
    number = report.format_number(verdict.measured)
    measured = f"measured {report.interval(verdict) if verdict.how else number}"
    if verdict.claim:
        return f"{measured}, demanded {report.demand(verdict)}: {verdict.finding}"
    reference = report.format_number(verdict.reference)
    error, tolerance = (report.format_number(x, 3) for x in (verdict.error, verdict.tolerance))
    if verdict.kind in ("at_most", "at_least"):
        sign = "≤" if verdict.kind == "at_most" else "≥"
        beyond = f", tolerance {tolerance}" if verdict.tolerance else ""
        return f"{measured}, must be {sign} {reference}{beyond}"
    return f"{measured}, reference {reference}, error {error}, tolerance {tolerance}"


def _register(options: argparse.Namespace) -> dict[str, validation.Claim]:
    return validation.register(options.cases or validation.cases_folder())


def _write_report(results: list[Result], options: argparse.Namespace, console: Console) -> None:
    path = report.write_report(
        results,
        options.report.resolve(),
        tier=options.tier,
        environment=engine.environment(),
        register=_register(options),
    )
    console.print(f"\n{report.summary(results)}\nreport: {path}", soft_wrap=True)


def _report_comparison(results: list[Result], folder: Path, tier: str, console: Console) -> int:
    for result in results:
        if not result.passed:
            _print_verdicts(result, console)
    path = report.write_report(
        results, folder, tier=tier, environment=engine.environment(), title=compare.TITLE
    )
    console.print(f"\n{report.summary(results)}\nreport: {path}", soft_wrap=True)
    return OK if all(result.passed for result in results) else RED


def _judge_spoiled(results: Sequence[Result], console: Console) -> int:
    status = OK
    for result in results:
        if result.failed_a_check:
            console.print(f"[green]{result.case}: spoiled, and failed as it must.[/]")
            continue
        status = RED
        if result.error:
            text = "spoiled, it ended with an error, which says nothing about its checks."
        else:
            text = "spoiled, and still passed: this case cannot fail."
        console.print(f"[red]{result.case}: {text}[/]")
    return status


def _judge_planted(results: Sequence[Result], console: Console) -> int:
    for result in results:
        planted = f"{result.case}: the effect of claim {result.planted} planted"
        if result.found_what_is_planted:
            console.print(f"[green]{planted}, and found.[/]")
        else:
            console.print(f"[red]{planted}, and not found.[/]")
    return OK if all(result.found_what_is_planted for result in results) else RED


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
