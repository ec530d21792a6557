"""`pysuite bench`: measure the cost of pair styles side by side."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import OK, print_frame, show_progress
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Measure the cost of pair styles side by side."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    from pysuite.bench import segments as bench

    names = ", ".join(benchmark.name for benchmark in bench.BENCHMARKS)
    sub.add_argument(
        "--case",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"benchmarks: {names}; with --only whole: chute, hopper, drum, heap, box, pour,"
        " poured-drum, heated-floor, sizes, mesh-hopper",
    )
    sub.add_argument(
        "--only",
        choices=("whole", "styles", "device"),
        help="whole: measure only whole runs with walls; styles: measure only pair styles; device:"
        " measure only time steps on an NVIDIA GPU (default: whole and styles; with --case,"
        " --style, --ranks or --clone: styles)",
    )
    sub.add_argument(
        "--style",
        nargs="+",
        default=[],
        choices=bench.STYLE_NAMES,
        metavar="NAME",
        help=f"styles: {', '.join(bench.STYLE_NAMES)}",
    )
    sub.add_argument(
        "--ranks", nargs="+", type=int, default=[], metavar="N", help="numbers of MPI ranks"
    )
    sub.add_argument("--rounds", type=int, metavar="N", help="number of rounds per benchmark")
    sub.add_argument(
        "--grains",
        nargs="+",
        type=int,
        default=[],
        metavar="N",
        help="with --only device: numbers of grains in the dense packing (default: 10000 100000"
        " 1000000)",
    )
    sub.add_argument("--quick", action="store_true", help="fewer rounds, small benchmarks only")
    sub.add_argument(
        "--clone",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"also measure {bench.OURS} with these instruction sets: portable, avx2, avx512",
    )
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/bench"),
        metavar="DIR",
        help="folder of the report; the report includes earlier measurements stored there (default:"
        " %(default)s)",
    )
    sub.add_argument(
        "--document", type=Path, metavar="FILE", help="also update the generated section of FILE"
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the measurements, print the tables and write the report. Nothing is judged."""
    from pysuite import validation
    from pysuite.bench import performance, whole
    from pysuite.bench import segments as bench

    if options.grains and options.only != "device":
        raise UsageError("--grains needs --only device")
    if options.only == "device":
        return run_on_device(options, console)
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
        print_frame(table.caption, table.cells, console)
    if not plans:
        return OK
    folder = bench.check_folder(options.report)
    limits = performance.measure_limits()
    with show_progress(console) as progress:
        for plan in plans:
            task = progress.add_task(plan.title, total=plan.segments)
            result = bench.measure(
                plan,
                lambda done, task=task: progress.update(task, completed=done),  # type: ignore[misc]
            )
            result.save(folder)
            progress.remove_task(task)
    for table in performance.write_report(folder, limits, options.document):
        print_frame(table.caption, table.cells, console)
    console.print(f"report: {folder}", soft_wrap=True)
    return OK


def run_on_device(options: argparse.Namespace, console: Console) -> int:
    """Measure the time of a step on a GPU and on one core."""
    from pysuite import validation
    from pysuite.bench import device

    for name in ("case", "style", "ranks", "rounds", "clone", "document"):
        if getattr(options, name):
            raise UsageError(f"--{name} has no effect with --only device")
    device.check(options.grains)
    folder = validation.prepare_folder(options.report)
    rows = []
    for row in device.measure(options.grains, quick=options.quick):
        console.print(f"{row['scene']}, {row['grains']} grains: {row['ms']:.3g} ms per step")
        rows.append(row)
    table = device.write_report(folder, rows)
    print_frame(table.caption, table.cells, console)
    console.print(f"report: {folder}", soft_wrap=True)
    return OK
