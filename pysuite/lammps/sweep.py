"""Run a script with many sets of variables; an interrupted sweep can continue."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysuite import files
from pysuite.lammps.environment import fingerprint
from pysuite.lammps.errors import LammpsError
from pysuite.lammps.output import LOG_FILE, Run
from pysuite.lammps.read_files import file_words, is_file, read_files
from pysuite.lammps.run import run, text_with_includes

if TYPE_CHECKING:
    import pandas

DONE_FILE = "sweep.json"
VARIABLE = r"^\s*variable\s+(\w+)\s+(?:index|string)\s+(\S+)"
INTERRUPTED = (-signal.SIGINT, -signal.SIGTERM)


def last_line(run: Run) -> dict[str, Any]:
    """Return the last line of thermo output, keyed by column."""
    from pysuite import outputs

    table = outputs.thermo_names(run.log, run.thermo.drop(columns="run"))
    return {} if table.empty else dict(table.iloc[-1])


def sweep(
    script: str | Path,
    variables: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
    *,
    folder: str | Path,
    jobs: int = 1,
    take: Callable[[Run], Mapping[str, Any]] = last_line,
    ranks: int = 1,
    newton: str | None = None,
    timeout: float | None = None,
    retry: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> pandas.DataFrame:
    """Run a script once for each set of variables and return a table with one row per run.

    Each run has its own folder below `folder`. Finished runs are kept there. A later call does not
    repeat a finished run as long as script, variables, ranks, newton, LAMMPS, plug-ins and all
    files that the run has read are unchanged. After an interruption, the same call therefore
    continues. The files that a run has read are found in its log. The log does not show these files
    if, for example, the script uses the command `python` or starts a program with `shell`. Then a
    warning gives the reason, and a later call repeats the run.

    Args:
        script: LAMMPS commands as text, or the Path of an input script. Files in the folder of the
            script, or in its subfolders, are copied to the folder of each run whose commands
            name them, directly or through variables.
        variables: either a mapping with a sequence of values for each variable, or a sequence of
            mappings with one value for each variable. In the first case, all combinations of values
            are run; the last variable changes fastest.
        folder: folder in which runs are stored.
        jobs: number of simultaneous runs.
        take: function that returns the results of a run for the table. By default, these are the
            last line of thermo output. Names of ledger and wall entries begin with the ID of the
            compute or fix, as in "ledger.slip" and "floor.force_z".
        ranks: MPI ranks of each run.
        newton: see `run`.
        timeout: time limit of each run in seconds.
        retry: whether to repeat runs that failed before.
        progress: called at the start and after each run, from this thread, with the numbers of
            finished and of all runs.

    Returns:
        One row per set, in order: the variables, the results of `take`, `seconds`, `error` ("" if
            the run succeeded) and `folder`. Failed runs also have a row.

    Raises:
        ValueError: jobs < 1, there is no set of variables, or the script does not use one of the
            variables given.
        EngineError: LAMMPS or MPI is missing.
    """
    import pandas

    if jobs < 1:
        raise ValueError(f"jobs = {jobs} must be >= 1")
    points = _points(variables)
    if not points:
        raise ValueError("variables: there is no combination of values, so there is nothing to run")
    if isinstance(script, Path):
        script = script.resolve(strict=True)
    folder_of_script = script.parent if isinstance(script, Path) else None
    text = text_with_includes(script)[0]
    known = json.dumps([text, ranks, newton, fingerprint()])
    named_files = [_named_files(script, text, point) for point in points]
    places = [
        _place(Path(folder).resolve(), known, point, named)
        for point, named in zip(points, named_files, strict=True)
    ]

    def run_point(point: Mapping[str, Any], place: Path, named: list[Path]) -> None:
        if _is_valid(place, folder_of_script) and not (retry and _stored_run(place, ranks).error):
            return
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        begun = place.stat().st_mtime_ns
        for file in named:
            assert folder_of_script
            copy = place / file.relative_to(folder_of_script)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)
        done = run(
            script,
            variables=point,
            ranks=ranks,
            newton=newton,
            timeout=timeout,
            folder=place,
            check=False,
        )
        if done.error and done.returncode in INTERRUPTED:
            raise done.error  # the user interrupted the run; the script has no error
        error = done.error.message if done.error else ""
        read = read_files(done.log, place, folder_of_script, begun)
        record = {"seconds": done.wall, "returncode": done.returncode, "error": error}
        files.write(place / DONE_FILE, json.dumps(record | read._asdict()))

    different = {
        place: (point, named)
        for place, point, named in zip(places, points, named_files, strict=True)
    }
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [
            pool.submit(run_point, point, place, named)
            for place, (point, named) in different.items()
        ]
        try:
            if progress:
                progress(0, len(waiting))
            for number, future in enumerate(as_completed(waiting), start=1):
                future.result()
                if progress:
                    progress(number, len(waiting))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    _warn_of_unknown(list(different))
    rows = []
    for point, place in zip(points, places, strict=True):
        ended = _stored_run(place, ranks)
        found = {} if ended.error else dict(take(ended))
        message = ended.error.message if ended.error else ""
        about = {"seconds": ended.wall, "error": message, "folder": str(place)}
        rows.append({**point, **found, **about})
    return pandas.DataFrame(rows)


def _points(
    variables: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    if not isinstance(variables, Mapping):
        return [dict(point) for point in variables]
    for name, values in variables.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ValueError(f"variables: {name} = {values!r} must be a sequence of values")
    combinations = itertools.product(*variables.values())
    return [dict(zip(variables, values, strict=True)) for values in combinations]


def _place(folder: Path, known: str, point: Mapping[str, Any], named_files: list[Path]) -> Path:
    """Return the folder of a run, whose name contains the variables and a hash.

    The hash covers `known` (script, ranks, newton, LAMMPS and plug-ins), the variables and the
    files that the script names.
    """
    words = [f"{name}={value}" for name, value in point.items()]
    hashed = hashlib.sha256("\n".join([known, *words]).encode())
    for file in named_files:
        hashed.update(file.read_bytes())
    digest = hashed.hexdigest()[:12]
    name = re.sub(r"[^\w.=+-]+", "_", "-".join(words))[:80]
    return folder / f"{name}-{digest}"


def _named_files(script: str | Path, text: str, point: Mapping[str, Any]) -> list[Path]:
    if not isinstance(script, Path):
        return []
    values = dict(re.findall(VARIABLE, text, re.MULTILINE)) | dict(point)
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", str(value))
    paths = {Path(os.path.normpath(script.parent / word)) for word in file_words(text)}
    inside = [path for path in paths if path.is_relative_to(script.parent)]
    return sorted(path for path in inside if is_file(path))


def _is_valid(place: Path, folder_of_script: Path | None) -> bool:
    if not (place / DONE_FILE).is_file():
        return False
    record = json.loads((place / DONE_FILE).read_text())
    log = (place / LOG_FILE).read_text(errors="replace")
    digest = read_files(log, place, folder_of_script).digest
    return record.get("unknown") == "" and record["digest"] == digest


def _warn_of_unknown(places: Sequence[Path]) -> None:
    reasons = [json.loads((place / DONE_FILE).read_text())["unknown"] for place in places]
    unknown = [reason for reason in reasons if reason]
    if unknown:
        warnings.warn(
            f"{len(unknown)} of {len(places)} runs will be repeated by the next call, because it is"
            f" unknown which files they have read: {unknown[0]}",
            stacklevel=3,
        )


def _stored_run(place: Path, ranks: int) -> Run:
    record = json.loads((place / DONE_FILE).read_text())
    ended = Run(place, ranks, wall=record["seconds"], returncode=record["returncode"])
    ended.log_file = place / LOG_FILE
    if record["error"]:
        ended.error = LammpsError(record["error"], returncode=record["returncode"])
    return ended
