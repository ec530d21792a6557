"""`pysuite doctor`: check the installation and explain how to fix problems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysuite.commands.terminal import OK, RED

if TYPE_CHECKING:
    from rich.console import Console

HELP = "Check the installation and explain how to fix problems."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add no options."""


def run(options: argparse.Namespace, console: Console) -> int:
    """Print the environment and each problem with its remedy; fail if there is a problem."""
    from rich.markup import escape

    from pysuite import engine

    environment = engine.environment()
    shown = {
        name.replace("_", " "): _plain(value)
        for name, value in environment.items()
        if name not in ("packages", "error") and value not in (None, "")
    }
    width = max(map(len, shown))
    for name, value in shown.items():  # not wrapped, for copying into bug reports
        console.print(f"[dim]{name:<{width}}[/]  {escape(value)}", soft_wrap=True)
    problems = diagnose(environment)
    for problem in problems:
        console.print(f"[red]✗[/] {escape(problem)}", soft_wrap=True)
    if not problems:
        console.print("[green]✓[/] LAMMPS, MPI and the plug-in work together.", soft_wrap=True)
    return RED if problems else OK


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def diagnose(environment: Mapping[str, Any]) -> list[str]:
    """Return each problem of the environment with its remedy."""
    from pysuite import engine

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
            f"The command {path.name} is {path}, which belongs to {name}. LAMMPS needs the command"
            " of MPICH. With `-n 4`, the other command starts four separate runs that write to the"
            f" same files. Put {own.parent} first in PATH, or call {own}."
        )
    shadow = engine.shadowing_file()
    if shadow is not None:
        problems.append(
            f"Python started in this folder imports {shadow} instead of the suite, so that"
            " `import pysuite` and `python -m pysuite` fail here. Rename that file or folder, or"
            " work in another folder. The command pysuite is not affected."
        )
    for style in environment["styles"]:
        try:
            engine.require_style(*style.split(" ", 1))
        except engine.EngineError as error:
            problems.append(str(error))
    return problems
