"""Validation cases: what a case is, where cases are found, how they run and are judged.

One file `validation/<name>.py` is one case and defines `CASE = Case(...)`. A case runs in a process
of its own, so that whatever happens in it is a red row and not the end of the others. What it finds
is kept in `<report>/cases/<name>/result.json` as it goes, with its figures and tables beside.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import importlib.util
import io
import json
import math
import os
import re
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pysuite import engine, workers

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

TIERS = ("smoke", "quick", "full")
KINDS = ("relative", "absolute", "at_most", "at_least")
RESULT_FILE = "result.json"
OUTPUT_FILE = "output.txt"
SCRATCH_FOLDER = "scratch"
# files of this package that decide nothing of what a case finds
WITHOUT_INFLUENCE = (
    "bench.py",
    "cli.py",
    "compare.py",
    "convert.py",
    "performance.py",
    "report.py",
)
PREVIEW = ".preview.png"
PREVIEW_WIDTH = 760  # pixels
PREVIEW_COLOURS = 48
LARGEST_SVG = 1_500_000  # bytes; a larger figure (many points) is drawn as PNG instead

FIGURE_STYLE: dict[Any, Any] = {
    "figure.figsize": (6.4, 4.0),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "savefig.dpi": 160,
    "svg.hashsalt": "pysuite",
    # Okabe and Ito's colours, told apart by everyone
    "axes.prop_cycle": "cycler('color', ['#0072b2', '#d55e00', '#009e73', '#cc79a7', "
    "'#e69f00', '#56b4e9', '#000000'])",
}


class HasName(Protocol):
    """Anything that is chosen by name."""

    @property
    def name(self) -> str:
        """The name."""


Named = TypeVar("Named", bound=HasName)


class CaseError(ValueError):
    """A case, its name, a setting or the report folder is not usable; the text says why."""


# ------------------------------------------------------------------------------ case and verdict


@dataclass(frozen=True)
class Case:
    """A validation case.

    Attributes:
        name: lower-case words joined by "-".
        title: what the case shows, in a sentence.
        source: the paper and figure, or the closed form, it compares with.
        tier: the lowest tier in which it runs; quick includes smoke, full includes quick.
        parameters: defaults, which `--set key=value` overrides.
        spoil: parameters that must turn the case red.
        run: the function that runs it, `run(context) -> None`.
        timeout: seconds after which the whole case is killed and red.
        file: where the case was found (set by `discover`).
    """

    name: str
    title: str
    source: str
    tier: str
    parameters: Mapping[str, Any]
    spoil: Mapping[str, Any]
    run: Callable[[Context], None]
    timeout: float = 1800.0
    file: Path | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise CaseError(f"case name {self.name!r} must be lower-case words joined by '-'")
        if self.tier not in TIERS:
            raise CaseError(f"{self.name}: tier {self.tier!r} must be one of {', '.join(TIERS)}")
        if not self.spoil:
            raise CaseError(f"{self.name}: spoil must name a parameter that makes the case fail")
        unknown = set(self.spoil) - set(self.parameters)
        if unknown:
            raise CaseError(f"{self.name}: spoil names no parameter: {', '.join(sorted(unknown))}")
        try:
            json.dumps([self.parameters, self.spoil])
        except TypeError as error:
            raise CaseError(f"{self.name}: parameters must be plain values: {error}") from error
        if not self.timeout > 0:
            raise CaseError(f"{self.name}: timeout {self.timeout} must be > 0")

    def runs_in(self, tier: str) -> bool:
        """Whether the case belongs to a tier."""
        return TIERS.index(self.tier) <= TIERS.index(tier)


@dataclass(frozen=True)
class Verdict:
    """One judged quantity. `error` has the unit of `tolerance` and may not be above it."""

    case: str
    quantity: str
    measured: float
    reference: float
    error: float
    tolerance: float
    kind: str
    reason: str
    passed: bool


def judge(
    case: str,
    quantity: str,
    *,
    measured: float,
    reference: float,
    tolerance: float,
    kind: str,
    reason: str,
) -> Verdict:
    """Return the verdict of a measured quantity.

    Error, which must be at most `tolerance`: relative |m-r|/|r|, absolute |m-r|, at_most m-r,
    at_least r-m. A value that is not finite never passes.

    Raises:
        CaseError: unknown kind, a tolerance that is negative or cannot fail, no reason given,
            or a relative error asked for against zero.
    """
    measured, reference, tolerance = float(measured), float(reference), float(tolerance)
    if kind not in KINDS:
        raise CaseError(f"{quantity}: kind {kind!r} must be one of {', '.join(KINDS)}")
    if not 0 <= tolerance < math.inf:
        raise CaseError(f"{quantity}: tolerance {tolerance} must be finite and >= 0")
    if not reason.strip():
        raise CaseError(f"{quantity}: the tolerance needs a reason")
    if kind == "relative" and reference == 0:
        raise CaseError(f"{quantity}: a relative error needs a reference other than 0")
    error = {
        "relative": lambda: abs(measured - reference) / abs(reference),
        "absolute": lambda: abs(measured - reference),
        "at_most": lambda: measured - reference,
        "at_least": lambda: reference - measured,
    }[kind]()
    passed = math.isfinite(measured) and math.isfinite(reference) and error <= tolerance
    return Verdict(case, quantity, measured, reference, error, tolerance, kind, reason, passed)


@dataclass(frozen=True)
class Attachment:
    """A figure or table of a case: its file lies in the folder of the case's result."""

    name: str
    file: str
    caption: str = ""

    @property
    def preview(self) -> str:
        """The file of a figure's small picture, for pages that show many."""
        return str(Path(self.file).with_suffix(PREVIEW))


@dataclass
class Result:
    """What a case found. `error` says why it did not run to its end, if it did not."""

    case: str
    title: str
    source: str
    tier: str
    run_tier: str
    parameters: dict[str, Any]
    spoiled: bool = False
    verdicts: list[Verdict] = field(default_factory=list)
    figures: list[Attachment] = field(default_factory=list)
    tables: list[Attachment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_reproduced: list[str] = field(default_factory=list)
    seconds: float = 0.0
    error: str | None = None
    complete: bool = False
    fingerprint: str = ""
    folder: Path | None = None
    reused: bool = False  # found in the folder of the report instead of run; not kept

    @property
    def passed(self) -> bool:
        """Whether the case is green: it ran to its end, was judged, and failed nowhere."""
        return self.complete and bool(self.verdicts) and all(v.passed for v in self.verdicts)

    @property
    def failed_a_check(self) -> bool:
        """Whether a quantity was judged and failed: what a spoiled parameter must achieve."""
        return self.error is None and any(not v.passed for v in self.verdicts)

    def fail(self, message: str) -> None:
        """Turn the case red for a reason that is no judged quantity."""
        self.error = message
        numbers = dict.fromkeys(("measured", "reference", "error", "tolerance"), math.nan)
        self.verdicts.append(
            Verdict(
                case=self.case,
                quantity="case runs to its end",
                kind="",
                reason=message.splitlines()[0],
                passed=False,
                **numbers,
            )
        )

    def attachment(self, name: str, suffix: str) -> Path:
        """Return the path of a new figure or table. Raises CaseError for a name used twice."""
        assert self.folder is not None
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
        path = self.folder / (stem + suffix)
        if not stem or path.exists():
            raise CaseError(f"figure or table name {name!r} is empty or used twice")
        return path

    def keep_figure(self, name: str, figure: Figure, caption: str) -> None:
        """Keep a matplotlib figure, as SVG or, where that is large, as PNG; then close it."""
        import matplotlib.pyplot as plt

        path = self.attachment(name, ".svg")
        figure.savefig(path, facecolor="white")
        save_preview(figure, path.with_suffix(PREVIEW))
        if path.stat().st_size > LARGEST_SVG:
            path.unlink()
            path = path.with_suffix(".png")
            figure.savefig(path, facecolor="white")
        plt.close(figure)
        self.figures.append(Attachment(name, path.name, caption))
        self.save()

    def record(self) -> dict[str, Any]:
        """Return what is kept of it, as plain values."""
        record = dataclasses.asdict(self)
        del record["folder"], record["reused"]
        return record

    def save(self) -> None:
        """Write result.json; a reader never sees a half-written one."""
        assert self.folder is not None
        record = self.record()
        temporary = self.folder / f"{RESULT_FILE}.{os.getpid()}"
        temporary.write_text(json.dumps(record, indent=1))
        temporary.replace(self.folder / RESULT_FILE)

    @classmethod
    def load(cls, folder: Path) -> Result:
        """Read what `save` wrote. Raises OSError, or ValueError with the file's name."""
        file = folder / RESULT_FILE
        try:
            record = json.loads(file.read_text())
            return dataclasses.replace(cls.from_record(record), folder=folder)
        except KeyError as error:
            raise ValueError(f"{file} is not a result: it has no {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"{file} is not a result: {error}") from error

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Result:
        """Return the result that `record` described. Raises KeyError or TypeError."""
        parts = {"verdicts": Verdict, "figures": Attachment, "tables": Attachment}
        lists = {name: [kind(**row) for row in record[name]] for name, kind in parts.items()}
        for verdict in lists["verdicts"]:
            for name in ("measured", "reference", "error", "tolerance"):
                if not isinstance(value := getattr(verdict, name), (int, float)):
                    raise TypeError(f"{name} of {verdict.quantity} is {value!r}, not a number")
        return cls(**{**record, **lists})


# ----------------------------------------------------------------------------------- context


class Context:
    """What a case's function is given: parameters, LAMMPS, and where to leave what it finds."""

    def __init__(self, result: Result, folder: Path, inputs: Path, data: Path):
        self._result = result
        self._runs = 0
        self.tier = result.run_tier
        self.parameters = result.parameters
        self.folder = folder
        self.inputs = inputs
        self.data = data

    def __getitem__(self, parameter: str) -> Any:
        return self.parameters[parameter]

    def lammps(self, script: str | Path, **keywords: Any) -> engine.Run:
        """Run LAMMPS with `engine.run` in a new folder below the case's scratch folder."""
        self._runs += 1
        keywords.setdefault("folder", self.folder / f"run-{self._runs:03d}")
        return engine.run(script, **keywords)

    def check(
        self,
        quantity: str,
        *,
        measured: float,
        reference: float,
        reason: str,
        tolerance: float = 0.0,
        kind: str = "relative",
    ) -> Verdict:
        """Judge a quantity (see `judge`) and go on, whatever the verdict."""
        verdict = judge(
            self._result.case,
            quantity,
            measured=measured,
            reference=reference,
            tolerance=tolerance,
            kind=kind,
            reason=reason,
        )
        self._result.verdicts.append(verdict)
        self._result.save()
        return verdict

    def figure(self, name: str, figure: Figure, caption: str) -> None:
        """Keep a matplotlib figure, as SVG or, where that is large, as PNG; then close it."""
        self._result.keep_figure(name, figure, caption)

    def table(self, name: str, frame: pandas.DataFrame, caption: str = "") -> None:
        """Keep a data frame as CSV."""
        path = self._result.attachment(name, ".csv")
        frame.to_csv(path, index=False)
        self._result.tables.append(Attachment(name, path.name, caption))
        self._result.save()

    def note(self, text: str) -> None:
        """Keep a finding in words."""
        self._result.notes.append(text)
        self._result.save()

    def not_reproduced(self, text: str) -> None:
        """Keep in words what of the source is not found here, and why, as far as that is known."""
        self._result.not_reproduced.append(text)
        self._result.save()


# --------------------------------------------------------------------------------- discovery


def cases_folder() -> Path:
    """Return the folder of the cases: beside the package, or installed with granular_plus."""
    candidates = [Path(__file__).resolve().parents[1] / "validation"]
    specification = importlib.util.find_spec("granular_plus")
    if specification is not None:
        for location in specification.submodule_search_locations or ():
            candidates.append(Path(location) / "share" / "validation")
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise CaseError(
        f"no validation cases found in {' or '.join(map(str, candidates))}; "
        "name their folder with --cases DIR"
    )


def discover(folder: Path | None = None) -> list[Case]:
    """Return the cases of a folder, sorted by name.

    Files whose names begin with "_" are no cases. A file that cannot be loaded gives a case that
    says so when it runs, so that it is a red row. Raises CaseError for no folder, or a name that
    two files use.
    """
    folder = cases_folder() if folder is None else folder
    if not folder.is_dir():
        raise CaseError(f"there is no folder of cases {folder}")
    found: dict[str, Case] = {}
    for path in sorted(folder.resolve().glob("[!_]*.py")):
        try:
            case = load_case(path)
        except Exception as error:
            case = _unloadable(path, error)
        if case.name in found:
            raise CaseError(f"{path} and {found[case.name].file} both define case {case.name}")
        found[case.name] = case
    return [found[name] for name in sorted(found)]


def load_case(path: Path) -> Case:
    """Return the case a file defines. Raises CaseError, or whatever the file raises."""
    specification = importlib.util.spec_from_file_location(f"pysuite_case_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise CaseError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(specification)
    # dataclasses look up the module of a class there
    sys.modules[specification.name] = module
    try:
        # not exec_module: compiled files know changes by size and second only
        exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[specification.name]
        raise
    case = getattr(module, "CASE", None)
    if not isinstance(case, Case):
        raise CaseError(f"{path} does not define CASE = Case(...)")
    return dataclasses.replace(case, file=path)


def _unloadable(path: Path, error: Exception) -> Case:
    def run(_: Context) -> None:
        raise error

    return Case(
        name=re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "unnamed",
        title=f"{path.name} cannot be loaded: {error}",
        source="",
        tier="smoke",
        parameters={"loads": True},
        spoil={"loads": False},
        run=run,
        file=path,
    )


def select(cases: Sequence[Named], names: Iterable[str]) -> list[Named]:
    """Return the cases of these names. Raises CaseError with close matches for an unknown one."""
    by_name = {case.name: case for case in cases}
    chosen = []
    for name in names:
        if name not in by_name:
            raise CaseError(f"unknown case {name!r}{_close_matches(name, by_name)}")
        chosen.append(by_name[name])
    return chosen


def parse_settings(case: Case, settings: Iterable[str]) -> dict[str, Any]:
    """Return overrides from "key=value" texts, converted to the types of the defaults."""
    overrides: dict[str, Any] = {}
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise CaseError(f"setting {setting!r} must have the form key=value")
        if key not in case.parameters:
            raise CaseError(
                f"{case.name} has no parameter {key!r}{_close_matches(key, case.parameters)}"
            )
        default = case.parameters[key]
        try:
            overrides[key] = _convert(text, default)
        except ValueError as error:
            kind = type(default).__name__
            raise CaseError(f"{case.name}: {key} = {text!r} is not of type {kind}") from error
    return overrides


def _convert(text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() not in ("yes", "true", "no", "false"):
            raise ValueError(text)
        return text.lower() in ("yes", "true")
    if isinstance(default, (int, float, str)):
        return type(default)(text)
    return json.loads(text)


def _close_matches(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    matches = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if matches:
        return f"; did you mean {' or '.join(matches)}?"
    return f"; there are: {', '.join(known)}" if known else "; there are none"


# ----------------------------------------------------------------------------------- running


def prepare_folder(folder: Path) -> Path:
    """Return the report folder, created and writable. Raises CaseError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".writable-{os.getpid()}"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise CaseError(
            f"cannot write to the report folder {folder}: {error.strerror}; "
            "choose another one with --report DIR"
        ) from error
    return folder.resolve()


def run_case(
    case: Case,
    folder: Path,
    *,
    tier: str = "quick",
    overrides: Mapping[str, Any] | None = None,
    spoil: bool = False,
    resume: bool = False,
    keep: bool = False,
    timeout: float | None = None,
) -> Result:
    """Run a case in a worker process and return its result; never raises for what a case does.

    Args:
        case: a case found by `discover` or `load_case`, so that the worker can load it.
        folder: the report folder; everything of the case goes to `<folder>/cases/<name>`.
        tier: how thorough the case should be; a case of a higher tier runs in its own.
        overrides: parameters that differ from the defaults.
        spoil: also apply `case.spoil`; the result must then be red.
        resume: return what is there if the same code finished the same case before.
        keep: keep the scratch folder with everything LAMMPS wrote.
        timeout: seconds instead of `case.timeout`.
    """
    assert case.file is not None
    if not case.runs_in(tier):
        tier = case.tier
    parameters = {**case.parameters, **(overrides or {}), **(case.spoil if spoil else {})}
    result_folder = folder / "cases" / (case.name + (".spoiled" if spoil else ""))
    result = Result(
        case=case.name,
        title=case.title,
        source=case.source,
        tier=case.tier,
        run_tier=tier,
        parameters=parameters,
        spoiled=spoil,
        fingerprint=_fingerprint(case, tier, parameters),
        folder=result_folder,
    )
    if resume:
        earlier = _load_if_there(result_folder)
        # one that did not run to its end was perhaps killed with the interrupted validation
        ended = earlier is not None and earlier.complete and earlier.error is None
        if earlier and ended and earlier.fingerprint == result.fingerprint:
            earlier.reused = True
            return earlier
    shutil.rmtree(result_folder, ignore_errors=True)
    result_folder.mkdir(parents=True)
    result.save()

    limit = case.timeout if timeout is None else timeout
    start = time.monotonic()
    command = workers.worker_command("cases", str(case.file), str(result_folder))
    returncode, output = workers.run_process(command, result_folder, limit)
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
    """Run cases, `jobs` at a time, and return their results in the order of the cases.

    `overrides` maps case names to parameters; other keywords go to `run_case`. The callbacks are
    called from the threads that wait for the cases.
    """
    folder = prepare_folder(folder)
    interrupted = threading.Event()

    def run(case: Case) -> Result:
        on_start(case)
        result = run_case(case, folder, overrides=(overrides or {}).get(case.name, {}), **keywords)
        if not interrupted.is_set():  # else the result says no more than that it was killed
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
            workers.end_all_processes()
            raise


def prepare_figures() -> None:
    """Let matplotlib draw without a screen and in the style of the reports."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams.update(FIGURE_STYLE)


def save_preview(figure: Figure, path: Path) -> None:
    """Save a matplotlib figure as a small picture of few colours."""
    from PIL import Image

    with io.BytesIO() as file:
        resolution = PREVIEW_WIDTH / figure.get_figwidth()
        figure.savefig(file, format="png", dpi=resolution, facecolor="white")
        picture = Image.open(file).convert("RGB")
    picture.quantize(PREVIEW_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _load_if_there(folder: Path) -> Result | None:
    try:
        return Result.load(folder)
    except (OSError, ValueError):
        return None


def _fingerprint(case: Case, tier: str, parameters: Mapping[str, Any]) -> str:
    """Return a hash of all that decides what a case finds: a resumed result must be the same."""
    assert case.file is not None
    digest = hashlib.sha256(json.dumps([tier, parameters], sort_keys=True).encode())
    digest.update(engine.fingerprint().encode())
    package = Path(__file__).resolve().parent
    cases = case.file.parent
    inputs = cases.parent / "inputs"
    files = [case.file, *package.rglob("*.py"), *inputs.glob("*"), *cases.glob("data/**/*")]
    for path in sorted(set(files)):
        if path.is_file() and path.name not in WITHOUT_INFLUENCE:
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _worker() -> None:
    """Run one case in this process: its file and the folder of its result are the arguments."""
    # ending by an exception lets the engine end the LAMMPS processes this case has started
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    file, folder = Path(sys.argv[1]), Path(sys.argv[2])
    result = Result.load(folder)
    scratch = folder / SCRATCH_FOLDER
    scratch.mkdir()
    try:
        prepare_figures()
        case = load_case(file)
        context = Context(result, scratch, file.parents[1] / "inputs", file.parent / "data")
        case.run(context)
        if not result.verdicts:
            result.fail("no verdict: the case checked nothing")
    except Exception as error:
        traceback.print_exc()
        message = error.message if isinstance(error, engine.LammpsError) else str(error)
        result.fail(f"{type(error).__name__}: {message}")
    result.complete = True
    result.save()
