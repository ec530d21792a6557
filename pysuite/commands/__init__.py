"""The program `pysuite`. Each of its commands is a file with HELP, `add_options` and `run`.

The exit status is 0 after success. The exit status is 1 if something failed or, with --spoil, if
something passed that should fail. The exit status is 2 if the command could not be carried out.
"""

from __future__ import annotations

import argparse
import signal
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import TextIO

import pysuite
from pysuite.commands import (
    bench,
    benchmarks,
    calibrate,
    columns,
    compare,
    convert,
    doctor,
    fields,
    grains,
    lab,
    list_cases,
    mesh,
    pack,
    peers,
    picture,
    run,
    shape,
    sweep,
    timestep,
    tune,
    validate,
    view,
)
from pysuite.commands.terminal import INTERRUPTED, USAGE, open_console, print_failure, print_warning
from pysuite.errors import CaseError, UsageError
from pysuite.lammps.errors import EngineError, LammpsError

COMMANDS: dict[str, ModuleType] = {
    "list": list_cases,
    "run": run,
    "validate": validate,
    "compare": compare,
    "benchmarks": benchmarks,
    "bench": bench,
    "peers": peers,
    "tune": tune,
    "fields": fields,
    "picture": picture,
    "view": view,
    "timestep": timestep,
    "sweep": sweep,
    "lab": lab,
    "calibrate": calibrate,
    "convert": convert,
    "mesh": mesh,
    "shape": shape,
    "pack": pack,
    "grains": grains,
    "columns": columns,
    "doctor": doctor,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    command = COMMANDS[options.command]

    console = open_console()
    # SIGTERM stops LAMMPS as Ctrl-C does
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        limit = getattr(options, "timeout", None)
        if limit is not None and not limit > 0.0:
            raise UsageError(f"--timeout {limit:g} must be > 0")
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            warnings.filterwarnings("default", category=UserWarning, module=r"pysuite\.")
            return int(command.run(options, console))
    except (UsageError, CaseError, EngineError, LammpsError) as error:
        problem = str(error)
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        problem = f"{place}{error.strerror or error}"
    except KeyboardInterrupt:
        resumes = getattr(command, "RESUMES", False)
        goes_on = "; the same command continues where this one stopped" if resumes else ""
        console.print(f"interrupted{goes_on}")
        return INTERRUPTED
    print_failure(problem)
    return USAGE


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if category is UserWarning:
        print_warning(str(message))
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), file=sys.stderr)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="pysuite",
        description="Run LAMMPS with granular/plus and compare results with reference solutions.",
        epilog="The exit status is 0 after success, 1 if something failed, and 2 if the command"
        " could not be carried out.",
    )
    parser.add_argument("--version", action="version", version=f"pysuite {pysuite.__version__}")
    subparsers = parser.add_subparsers(
        title="commands", required=True, metavar="COMMAND", dest="command"
    )
    # options before the command take no value
    asked = next((word for word in arguments if not word.startswith("-")), None)
    for name, command in COMMANDS.items():
        sub = subparsers.add_parser(name, help=command.HELP, description=command.HELP)
        if name == asked:
            command.add_options(sub)
    return parser.parse_args(arguments)
