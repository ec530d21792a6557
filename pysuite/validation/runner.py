"""Runs cases. Each case has its own process, so that its crash does not affect other cases.

While a case runs, its results are saved in `<report>/cases/<name>/result.json`. Its figures and
tables are saved in the same folder.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pysuite import engine
from pysuite.errors import CaseError
from pysuite.figures import prepare_figures
from pysuite.files import prepare_folder
from pysuite.lammps import processes
from pysuite.names import select
from pysuite.validation import claims, dependencies, seeds
from pysuite.validation.case import Case, Context
from pysuite.validation.discovery import load_cases
from pysuite.validation.verdict import (
    Result,
)

OUTPUT_FILE = "output.txt"
SCRATCH_FOLDER = "scratch"


def run_case(
    case: Case,
    folder: Path,
    *,
    tier: str = "quick",
    overrides: Mapping[str, Any] | None = None,
    spoil: bool = False,
    plant: str = "",
    repetition: int = 0,
    resume: bool = False,
    keep: bool = False,
    timeout: float | None = None,
) -> Result:
    """Run a case in a worker process and return its result.

    Errors in the case are not raised here, but recorded in the result.

    Args:
        case: a case returned by `discover` or `load_case`. The worker loads the file of the case.
        folder: the report folder. The files of the case are written to `<folder>/cases/<name>`.
        tier: size and duration of the run. A case of a higher tier runs in its own tier.
        overrides: parameters that differ from the defaults.
        spoil: whether to apply the parameters `case.spoil`. The case must then fail.
        plant: number of a claim, or "". With a number, the parameters that create the effect of the
            claim are applied. The case must then find the claim.
        repetition: number of the repetition. The random numbers differ between repetitions.
        resume: whether to return the stored result if the same code already finished the same case.
        keep: whether to keep the scratch folder with all output of LAMMPS.
        timeout: time limit in seconds. If given, it replaces `case.timeout`.
    """
    assert case.file is not None
    assert case.root is not None
    if not case.runs_in(tier):
        tier = case.tier
    parameters = {**case.parameters, **(overrides or {}), **(case.spoil if spoil else {})}
    if plant:
        if plant not in case.planted:
            raise CaseError(
                f"{case.name}: no parameters are given with which claim {plant!r} must be found"
            )
        parameters |= case.planted[plant]
    kind = ".spoiled" if spoil else f".planted-{plant}" if plant else ""
    result_folder = folder / "cases" / (case.name + kind)
    result = Result(
        case=case.name,
        title=case.title,
        source=case.source,
        tier=case.tier,
        run_tier=tier,
        parameters=parameters,
        spoiled=spoil,
        planted=plant,
        repetition=repetition,
        fingerprint=_fingerprint(case, tier, parameters, repetition),
        folder=result_folder,
    )
    if resume:
        earlier = _load_if_there(result_folder)
        # If the result is incomplete, for example after an interruption, the case runs again.
        ended = earlier is not None and earlier.complete and earlier.error is None
        if earlier and ended and earlier.fingerprint == result.fingerprint:
            earlier.reused = True
            return earlier
    shutil.rmtree(result_folder, ignore_errors=True)
    result_folder.mkdir(parents=True)
    result.save()

    limit = case.timeout if timeout is None else timeout
    start = time.monotonic()
    given = map(str, (case.file, case.root, result_folder))
    command = processes.worker_command("validation.runner", *given)
    returncode, output = processes.run_process(command, result_folder, limit)
    (result_folder / OUTPUT_FILE).write_text(output)

    result = _load_if_there(result_folder) or result
    result.seconds = time.monotonic() - start
    if returncode is None:
        result.fail(f"timeout: the case had not finished after {limit:g} s and was killed")
    elif not result.complete:
        result.fail(engine.describe_exit(returncode, output, "the case"))
    result.complete = True
    result.save()
    if not keep:
        shutil.rmtree(result_folder / SCRATCH_FOLDER, ignore_errors=True)
    return result


def run_cases(
    cases: Sequence[Case],
    folder: Path,
    *,
    jobs: int = 1,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    on_start: Callable[[Case], None] = lambda case: None,
    on_result: Callable[[Result], None] = lambda result: None,
    **keywords: Any,
) -> list[Result]:
    """Run cases, `jobs` of them at a time. Return the results in the order of the cases.

    `overrides` maps names of cases to parameters. Other keywords are passed to `run_case`.
    `on_start` and `on_result` are called from the threads that wait for the cases.
    """
    folder = prepare_folder(folder)
    interrupted = threading.Event()

    def run(case: Case) -> Result:
        on_start(case)
        result = run_case(case, folder, overrides=(overrides or {}).get(case.name, {}), **keywords)
        if not interrupted.is_set():  # a case killed by an interruption has no result
            on_result(result)
        return result

    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        futures = [pool.submit(run, case) for case in cases]
        try:
            return [future.result() for future in futures]
        except BaseException:
            interrupted.set()
            for future in futures:
                future.cancel()
            processes.end_all_processes()
            raise


def _load_if_there(folder: Path) -> Result | None:
    try:
        return Result.load(folder)
    except (OSError, ValueError):
        return None


def _fingerprint(case: Case, tier: str, parameters: Mapping[str, Any], repetition: int) -> str:
    """Return a hash of the settings, files and expected findings of a case, and of LAMMPS.

    A stored result with the same hash can be reused.
    """
    digest = hashlib.sha256(json.dumps([tier, parameters, repetition], sort_keys=True).encode())
    digest.update((engine.fingerprint() + dependencies.expected(case)).encode())
    for path in dependencies.files(case):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _worker() -> None:
    """Run one case in this process.

    The arguments in `sys.argv` are the file of the case, the folder of all cases and the folder of
    the result.
    """
    # exit by an exception, so that the engine can end the LAMMPS processes of this case
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    file, root, folder = map(Path, sys.argv[1:])
    result = Result.load(folder)
    scratch = folder / SCRATCH_FOLDER
    scratch.mkdir()
    try:
        prepare_figures()
        seeds.repeat(result.repetition)
        (case,) = select(load_cases(file, root), [result.case])
        context = Context(result, scratch, root.parent / "inputs", root / "data")
        case.run(context)
        if not result.verdicts:
            result.fail("no verdict: the case judged no quantity")
        elif missing := claims.forgotten(claims.register(root), result, file):
            result.fail(
                f"the case must judge {' and '.join(missing)}, which {claims.REGISTER} assigns to"
                " the case"
            )
    except Exception as error:
        traceback.print_exc()
        message = error.message if isinstance(error, engine.LammpsError) else str(error)
        result.fail(f"{type(error).__name__}: {message}")
    result.random = seeds.asked()
    result.complete = True
    result.save()
