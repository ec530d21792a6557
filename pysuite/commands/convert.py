"""`pysuite convert`: convert a script that uses LAMMPS's granular or gran/* styles."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.commands.terminal import (
    OK,
    RED,
    add_variables_option,
    parse_variables,
    print_indented,
    print_wrote,
)
from pysuite.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from pysuite import convert

HELP = "Convert a script that uses LAMMPS's granular or gran/* styles."


def add_options(sub: argparse.ArgumentParser) -> None:
    """Add the options."""
    sub.add_argument("script", type=Path, nargs="?", metavar="FILE", help="the LAMMPS script")
    sub.add_argument(
        "--slider",
        choices=("csds", "dsds", "truncate"),
        default="csds",
        help="slider of the new script: the rule for sliding, rolling and twisting at the Coulomb"
        " limit; with dsds, the trajectory equals LAMMPS's to round-off (default: %(default)s)",
    )
    sub.add_argument("-o", "--output", type=Path, metavar="OUT", help="write the new script here")
    sub.add_argument(
        "--check",
        type=int,
        metavar="N",
        help="also run the old and the new script for N steps; fail if forces differ by more"
        " than round-off, or if there is no contact",
    )
    add_variables_option(
        sub, "for the runs of --check: a variable of the script, like LAMMPS's -var"
    )
    sub.add_argument(
        "--survey",
        type=Path,
        nargs="+",
        metavar="FOLDER",
        help="convert and check all scripts in.* in these folders, such as LAMMPS's examples",
    )
    sub.add_argument(
        "--document",
        type=Path,
        metavar="PAGE",
        help="with --survey: write a page with the results to this file",
    )
    sub.add_argument(
        "--report",
        type=Path,
        default=Path("report/conversion"),
        metavar="DIR",
        help="with --survey: folder of results; an interrupted survey continues there (default:"
        " %(default)s)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Print the changes and write the new script; fail if a line cannot be converted."""
    from pysuite import convert, files

    if (options.script is None) == (options.survey is None):
        raise UsageError("name either a script or, with --survey, folders")
    if options.check is not None and options.check < 1:
        raise UsageError(f"--check {options.check} must be >= 1")
    if options.variables and options.check is None:
        raise UsageError("--set sets a variable for the runs of --check: add --check N")
    variables = parse_variables(options.variables)
    if options.survey:
        return _survey_conversions(options, console)
    script = _script_text(options.script)
    result = convert.convert(
        script, slider=options.slider, read=lambda name: _included(name, options.script.parent)
    )
    target = options.output or Path(f"{options.script}.plus")
    shown = result.diff(str(options.script), str(target))
    for name, included in result.included.items():
        shown += included.diff(name, f"{name}.plus")
    sys.stdout.write(_printable(shown))  # not wrapped, so that `patch` accepts it
    for title, notes in (
        ("Not converted", result.refused),
        ("What will differ", result.differences),
    ):
        if notes:
            console.print(f"\n[bold]{title}[/]")
        for note in notes:
            print_indented(_printable(str(note)), console)
    if result.refused:
        remedy = "" if result.is_liggghts else ": fix these lines first"
        console.print(f"\nnothing written{remedy}", soft_wrap=True)
        return RED
    if not result.converted:
        console.print(f"{options.script} uses no granular or gran/* style: nothing to convert")
    if options.output:
        if options.output.exists() and options.output.samefile(options.script):
            raise UsageError(
                f"-o {options.output} is the script itself, which is never overwritten"
            )
        written = {options.output: result.text}
        for name, included in result.included.items():
            written[Path(f"{_place(name, options.script.parent)}.plus")] = included.text
        for path, text in written.items():
            try:
                files.write(path, text.encode("utf-8", "surrogateescape"))
            except OSError as error:
                raise UsageError(f"cannot write {path}: {error.strerror}") from error
        console.print()
        print_wrote(", ".join(map(str, written)), console)
    elif result.converted:
        console.print("\nnothing written: add -o OUT", soft_wrap=True)
    return OK if options.check is None else _check_conversion(result, options, variables, console)


def _check_conversion(
    result: convert.Conversion,
    options: argparse.Namespace,
    variables: dict[str, list[str]],
    console: Console,
) -> int:
    from rich.markup import escape

    from pysuite.convert import agreement
    from pysuite.lammps.errors import LammpsError

    try:
        found = agreement.compare_conversion(
            result, options.script.parent, steps=options.check, variables=variables
        )
    except LammpsError as error:
        if missing := re.search(r"Substitution for illegal variable (\w+)$", error.message):
            error.message += f"; give its value with --set {missing[1]}=VALUE"
        raise
    except ValueError as error:
        raise UsageError(f"{options.script}: {error}") from error
    console.print(f"\n[bold]Check[/]\n  {escape(str(found))}")
    if found.real and result.differences:
        places = dict.fromkeys(note.place or "the whole script" for note in result.differences)
        console.print(
            "  The cause may be a difference listed above under 'What will differ'"
            f" ({escape(_printable('; '.join(places)))}). Remove these commands from the script and"
            " repeat the check, to find out whether forces still differ.",
            soft_wrap=True,
        )
    return RED if found.real or not found.touched else OK


def _included(name: str, folder: Path) -> str | None:
    try:
        return _script_text(_place(name, folder))
    except OSError:
        return None


def _place(name: str, folder: Path) -> Path:
    """Return an included file's path: in the script's folder, or else in the current folder."""
    return folder / name if (folder / name).is_file() else Path(name)


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _script_text(path: Path) -> str:
    """Read a script, keeping line endings and bytes that are not UTF-8."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    if "\0" in text:
        raise UsageError(f"{path} is not a text file: it contains bytes with the value 0")
    return text


def _survey_conversions(options: argparse.Namespace, console: Console) -> int:
    from rich.markup import escape

    from pysuite import files, validation
    from pysuite.bench import conversion_survey

    folder = validation.prepare_folder(options.report)
    findings = conversion_survey.survey(
        options.survey, folder, lambda name: console.print(f"[dim]running {escape(name)}[/]")
    )
    page = conversion_survey.document(findings, options.survey)
    if options.document:
        files.write(options.document, page)
        print_wrote(options.document, console)
    else:
        sys.stdout.write(page)
    return OK
