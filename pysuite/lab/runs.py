"""Run a laboratory experiment: write script and grains, run, measure, evaluate."""

from __future__ import annotations

import hashlib
import math
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pysuite import engine, files
from pysuite.figures import panels, prepare_figures, spread_ticks
from pysuite.lab import gravity, stress
from pysuite.lab.experiment import FRACTIONS, Experiment, Plan, time_step, unit_of
from pysuite.lab.settings import Grains, Settings, SettingsError, Table, parse
from pysuite.pictures.units import labelled
from pysuite.statistics import Interval

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        gravity.Heap(),
        gravity.Drum(),
        gravity.Hopper(),
        gravity.Silo(),
        stress.Shear(),
        stress.Triaxial(),
        stress.Oedometer(),
        stress.Packing(),
    )
}
SKIN = 0.3  # neighbour-list skin / smallest diameter, if sizes are divided into collections
LONGEST_SKIN = 0.2  # skin / d50 without collections; largest skin / d50 with collections
# LAMMPS warnings that are not shown, because the scripts cause them deliberately
MEANT = (
    "New thermo_style",
    "granular/plus: a data file contains no contact history",
    "granular/plus: fix rise nve does not rotate",
)
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Outcome:
    """Result of an experiment.

    Attributes:
        experiment: name of the experiment.
        table: one row per run: variables, measured values, seconds, error, folder.
        values: results of all runs by name, with 95 % intervals from repetitions. The main quantity
            comes first.
        sieves: specified and drawn sieve curve; see `Grading.sieve_curve`.
        remarks: remarks for the user.
        folder: folder of script, tables and picture.
    """

    experiment: str
    table: pd.DataFrame
    values: dict[str, Interval]
    sieves: pd.DataFrame
    remarks: list[str]
    folder: Path

    @property
    def value(self) -> Interval:
        """The main quantity. Raises KeyError if no run gave a value."""
        main = EXPERIMENTS[self.experiment].main
        for name, found in self.values.items():
            if name.split(" ")[0] == main:
                return found
        raise KeyError(main)

    @property
    def picture(self) -> Path:
        """The picture."""
        return self.folder / f"{self.experiment}.png"

    def summary(self) -> pd.DataFrame:
        """Return a table with one row per quantity: value, interval, unit and meaning."""
        units = EXPERIMENTS[self.experiment].units
        rows = []
        for name, found in self.values.items():
            unit, meaning = units.get(name.split(" ")[0], ("", ""))
            rows.append(
                {
                    "quantity": name,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                    "unit": unit,
                    "meaning": meaning,
                    "from": found.how,
                }
            )
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class Bench:
    """An experiment and its settings in a folder."""

    experiment: Experiment
    settings: Settings
    plan: Plan
    folder: Path

    @property
    def script(self) -> Path:
        """The script."""
        return self.folder / f"in.{self.experiment.name}"

    def point(self, parameters: Mapping[str, float], repetition: int) -> list[dict[str, Any]]:
        """Return the variables of the runs of one repetition."""
        changed = dict(parameters)
        if changed:
            changed["dt"] = time_step(
                self.settings, self.plan, self.settings.parameters | dict(parameters)
            )
        points: list[dict[str, Any]] = [changed]
        for name, values in self.plan.sweep.items():
            if len(values) > 1:
                points = [{**point, name: value} for point in points for value in values]
        return [{**point, "repetition": repetition} for point in points]

    def write(self) -> None:
        """Write the script and the files that it reads."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for file, write in self.plan.files.items():
            write(self.folder / file)
        if self.settings.grains.shape:
            shutil.copy2(self.settings.grains.shape, self.folder)
        self.write_grains([1])
        dt = time_step(self.settings, self.plan, self.settings.parameters)
        files.write(self.script, script(self, dt))

    def write_grains(self, repetitions: Iterable[int]) -> None:
        """Write the grains of some repetitions into the script's folder."""
        for repetition in repetitions:
            path = self.folder / f"grains-{repetition}.data"
            title = grains_title(self, repetition)
            if path.is_file():
                with path.open() as file:
                    if file.readline().rstrip("\n") == title:
                        continue
            files.write(path, grains_file(self, repetition))

    def run(
        self,
        points: list[dict[str, Any]],
        *,
        jobs: int = 1,
        ranks: int = 1,
        timeout: float | None = None,
        retry: bool = False,
        progress: Progress | None = None,
    ) -> pd.DataFrame:
        """Run the script with sets of variables; return the measured values."""
        self.write_grains(sorted({point["repetition"] for point in points}))
        table = engine.sweep(
            self.script,
            points,
            folder=self.folder / "runs",
            jobs=jobs,
            ranks=ranks,
            timeout=timeout,
            retry=retry,
            progress=progress,
            take=lambda run: {"run": run},
        )
        runs = table.pop("run") if "run" in table else pd.Series([None] * len(table))
        defaults = {name: values[0] for name, values in self.plan.sweep.items()}
        rows = []
        for (_, row), run in zip(table.iterrows(), runs, strict=True):
            known: dict[str, Any] = dict(defaults)
            known.update({str(name): value for name, value in row.items()})
            about = {name: known.pop(name) for name in ("seconds", "error", "folder")}
            measured: dict[str, float] = {}
            if not about["error"]:
                try:
                    measured = self.experiment.measure(run, self.plan, known)
                except (ValueError, KeyError, IndexError) as error:
                    about["error"] = f"nothing can be measured: {error}"
            rows.append({**known, **measured, **about})
        return pd.DataFrame(rows)


def prepare(
    name: str, settings: Path | str | Mapping[str, Any] | Table, folder: Path | str
) -> Bench:
    """Read settings and write the script of an experiment to a folder.

    Raises SettingsError if a setting is invalid.
    """
    bench = read(name, settings, folder)
    bench.write()
    return bench


def read(name: str, settings: Path | str | Mapping[str, Any] | Table, folder: Path | str) -> Bench:
    """Read the settings of an experiment. Raises SettingsError if a setting is invalid."""
    if name not in EXPERIMENTS:
        raise SettingsError(f"experiment {name!r} must be one of {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[name]
    top = settings if isinstance(settings, Table) else Table.read(settings)
    for other in EXPERIMENTS:
        if other != name and other in top.values:
            raise top.error(
                other, f"belongs to `pysuite lab {other}`; `pysuite lab {name}` uses [{name}]"
            )
    found = parse(top, name, experiment.keys, experiment.counted)
    if found.grains.shape and not experiment.shapes:
        able = ", ".join(one.name for one in EXPERIMENTS.values() if one.shapes)
        raise top.table("grains").error(
            "shape", f"must not be given: only {able} support shaped grains"
        )
    try:
        plan = experiment.plan(found)
    except ValueError as error:
        raise top.table(name).located(str(error)) from error
    taken = {"repetition", "dt", "contact", "wall", "prepare", *plan.variables, *plan.sweep}
    taken |= set(re.findall(r"^variable\s+(\w+)", plan.body, re.MULTILINE))
    for parameter in found.parameters:
        if parameter in taken:
            raise top.table("parameters").error(
                parameter, "must have another name: the script has a variable of this name"
            )
        if not re.fullmatch(r"\w+", parameter):
            raise top.table("parameters").error(
                parameter, "must have a name of letters, digits and underscores"
            )
    try:
        time_step(found, plan, found.parameters)
    except SettingsError as error:
        raise top.located(str(error)) from error
    return Bench(experiment, found, plan, Path(folder).resolve())


def run(
    name: str,
    settings: Path | str | Mapping[str, Any],
    *,
    folder: Path | str | None = None,
    jobs: int = 1,
    repetitions: int = 4,
    ranks: int = 1,
    timeout: float | None = None,
    retry: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Run an experiment and return its outcome, which is also written to its folder.

    Args:
        name: heap, drum, hopper, silo, shear, triaxial, oedometer or packing.
        settings: a TOML file, or a mapping with the same keys.
        folder: folder for all files, by default lab/NAME. Finished runs in this folder are not
            repeated.
        jobs: number of simultaneous runs.
        repetitions: number of runs with different grains. The uncertainty follows from the scatter
            of these runs.
        ranks: MPI ranks of each run.
        timeout: time limit of each run in seconds.
        retry: whether to repeat runs that failed before.
        progress: called at the start and after each run with the numbers of finished and of all
            runs.

    Raises:
        SettingsError: a setting is invalid; the message names table, key, value and bound.
        ValueError: repetitions or jobs < 1.
        LammpsError: no run succeeded.
    """
    if repetitions < 1:
        raise ValueError(f"repetitions = {repetitions} must be >= 1")
    bench = prepare(name, settings, Path("lab") / name if folder is None else folder)
    points = [point for n in range(1, repetitions + 1) for point in bench.point({}, n)]
    table = bench.run(
        points, jobs=jobs, ranks=ranks, timeout=timeout, retry=retry, progress=progress
    )
    good = table[table["error"] == ""]
    if good.empty:
        raise no_run_succeeded(table)
    experiment, plan = bench.experiment, bench.plan
    values = concluded(experiment, good, plan)
    sieves = sieve_curve(bench, range(1, repetitions + 1))
    outcome = Outcome(name, table, values, sieves, remarks_of(bench, table, sieves), bench.folder)
    for file, frame in (
        ("table.csv", table),
        ("values.csv", outcome.summary()),
        ("sieves.csv", sieves),
    ):
        files.write(bench.folder / file, frame.to_csv(index=False))
    draw(bench, good, outcome)
    return outcome


def no_run_succeeded(table: pd.DataFrame, place: str = "") -> engine.LammpsError:
    """Return the error for failed runs, with the first reason and all warnings."""
    lines = [f"{place}no run succeeded: {table['error'].iloc[0]}", *warnings_of(table["folder"])]
    return engine.LammpsError("\n  ".join(lines), folder=Path(table["folder"].iloc[0]))


def concluded(experiment: Experiment, good: pd.DataFrame, plan: Plan) -> dict[str, Interval]:
    """Return the results of all runs, with fractions clipped to the range from 0 to 1."""
    return {
        name: found.within(0.0, 1.0) if name.split(" ")[0] in FRACTIONS else found
        for name, found in experiment.conclude(good, plan).items()
    }


def remarks_of(bench: Bench, table: pd.DataFrame, sieves: pd.DataFrame) -> list[str]:
    """Return remarks on sizes and neighbour lists, and LAMMPS's warnings."""
    grading = bench.settings.grains.grading
    remarks = [*size_remarks(bench.settings.grains), *bench.plan.remarks]
    worst = float((sieves["drawn"] - sieves["wanted"]).abs().max())
    if worst > 0.05:
        remarks.append(
            f"the drawn grains differ from the specified sieve curve by up to {worst:.2f} of the"
            f" mass (sieves.csv): {bench.plan.count} grains are few for sizes from"
            f" {grading.smallest:g} to {grading.largest:g}"
        )
    remarks += warnings_of(table.loc[table["error"] == "", "folder"])
    if "rest" in table and (table["rest"] == 0.0).any():
        count = int((table["rest"] == 0.0).sum())
        remarks.append(f"in {_runs(count)} the grains had not come to rest: raise `longest`")
    failed = int((table["error"] != "").sum())
    if failed:
        remarks.append(f"{failed} of {len(table)} runs failed and are ignored: see the table")
    return remarks


def warnings_of(folders: Iterable[str]) -> list[str]:
    """Return LAMMPS's warnings. Warnings that differ only in numbers are listed once."""
    warned: dict[str, list[str]] = {}
    for folder in folders:
        log = Path(folder) / engine.LOG_FILE
        text = log.read_text(errors="replace") if log.is_file() else ""
        lines = re.findall(r"^WARNING: (.*?)(?: \(\S+:\d+\))?$", text, re.MULTILINE)
        kinds = {re.sub(r"[\d.]+", "", line): line for line in sorted(lines, reverse=True)}
        for kind, line in sorted(kinds.items()):
            if not line.startswith(MEANT):
                warned.setdefault(kind, []).append(line)
    remarks = []
    for lines in warned.values():
        example = "" if len(set(lines)) == 1 else ", for example"
        remarks.append(f"LAMMPS warns in {_runs(len(lines))}{example}: {lines[0]}")
    return remarks


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def size_remarks(grains: Grains) -> list[str]:
    """Return remarks on cut-off sizes, and on neighbour lists for unequal sizes."""
    grading = grains.grading
    remarks = []
    finer, coarser = grading.left_out
    if finer or coarser:
        remarks.append(
            f"sizes, {grading.name}: cut to the range from {grading.smallest:.3g} to"
            f" {grading.largest:.3g}, so that the finest {100 * finer:.2g} % and the coarsest"
            f" {100 * coarser:.2g} % of the mass are left out"
        )
    collections = grading.collections()
    if collections.size:
        remarks.append(
            f"the largest grain is {grading.largest / grading.smallest:.3g} times the smallest:"
            f" neighbours are found with `neighbor multi` in {collections.size} collections"
        )
    return remarks


def sieve_curve(bench: Bench, repetitions: Iterable[int]) -> pd.DataFrame:
    """Return the sieve curve of the grains of all repetitions."""
    drawn = [sample(bench, repetition)[0] for repetition in repetitions]
    return bench.settings.grains.grading.sieve_curve(np.concatenate(drawn))


def sample(bench: Bench, repetition: int) -> tuple[np.ndarray, np.random.Generator]:
    """Return a repetition's grain diameters, and the generator for their positions."""
    random = np.random.default_rng([bench.settings.seed, repetition])
    return bench.settings.grains.grading.sample(bench.plan.count, random), random


def grains_title(bench: Bench, repetition: int) -> str:
    """Return the title of the grains file, with a hash of the settings."""
    plan, settings = bench.plan, bench.settings
    grading = settings.grains.grading
    sizes = (grading.diameter.tolist(), grading.passing.tolist(), plan.count, settings.seed)
    grains = (settings.grains.density, settings.grains.shape)
    known = (sizes, grains, settings.options, plan.space, plan.low, plan.high)
    digest = hashlib.sha256(repr(known).encode()).hexdigest()[:12]
    return f"{plan.count} grains, {grading.name}: repetition {repetition}, {digest}"


def grains_file(bench: Bench, repetition: int) -> str:
    """Return the data file of a repetition's grains."""
    plan, grains = bench.plan, bench.settings.grains
    diameter, random = sample(bench, repetition)
    bounding = diameter * grains.bounding
    try:
        centre = plan.space.place(bounding, random)
    except ValueError as error:
        raise SettingsError(f"[{bench.experiment.name}] {error}") from error
    kind = np.ones(len(diameter))
    rows = np.column_stack([kind, bounding, centre])
    if plan.plates:
        rows = np.concatenate([rows, plan.plates(random)])
    middle = [" 0"] if grains.shape else [""]  # bpm/sphere has a molecule ID
    style = "bpm/sphere" if grains.shape else "sphere"
    lines = [
        grains_title(bench, repetition),
        "",
        f"{len(rows)} atoms",
        f"{int(rows[:, 0].max())} atom types",
        "",
    ]
    for axis, low, high in zip("xyz", plan.low, plan.high, strict=True):
        lines.append(f"{low:.12g} {high:.12g} {axis}lo {axis}hi")
    lines += ["", f"Atoms # {style}", ""]
    for number, (kind_, size, x, y, z) in enumerate(rows, start=1):
        lines.append(
            f"{number}{middle[0]} {kind_:.0f} {size:.12g} {grains.density:.12g}"
            f" {x:.12g} {y:.12g} {z:.12g}"
        )
    return "\n".join([*lines, ""])


def script(bench: Bench, dt: float) -> str:
    """Return the script of an experiment."""
    experiment, settings, plan = bench.experiment, bench.settings, bench.plan
    grains = settings.grains
    grading = grains.grading
    diameters = (
        f"diameter {grading.smallest:.4g}"
        if grading.is_one_size
        else f"diameters from {grading.smallest:.4g} to {grading.largest:.4g}"
    )
    head = [
        f"# {experiment.title}",
        f"# Written by `pysuite lab {experiment.name}`; also runs with `lmp -in"
        f" {bench.script.name}`.",
        "#",
        f"# {plan.count} grains, {grading.name}, {diameters}.",
        "",
        _variable("repetition", 1, "selects the file of the grains: grains-1.data and so on"),
    ]
    head += [_variable(name, value, "contact") for name, value in settings.parameters.items()]
    head.append(_variable("dt", dt, "time step"))
    head += [_variable(name, *value) for name, value in plan.variables.items() if name != "every"]
    if "every" in plan.variables:
        every = max(1, round(plan["longest"] / dt / 2000))
        head.append(_variable("every", every, plan.variables["every"][1]))
    style = "bpm/sphere" if grains.shape else "sphere"
    collections = grading.collections()
    wide = collections.size > 0
    skin = min(SKIN * grading.smallest, LONGEST_SKIN * grading.median) if wide else (
        LONGEST_SKIN * grading.median
    )  # fmt: skip
    body = [
        "",
        f"units           {settings.units}",
        f"atom_style      {style}",
        f"boundary        {experiment.boundary}",
        "newton          off",
        f"neighbor        {skin:.4g} {'multi' if wide else 'bin'}",
        f"comm_modify     {'mode multi ' if wide else ''}vel yes",
        "read_data       grains-${repetition}.data",
        "group           grains type 1",
        *grains.commands,
    ]
    if grains.shape:
        body.append(
            f"fix             shapes grains shape/granular/plus file {grains.shape.name} density"
            f" {grains.density:.12g} {grains.words} orient random $(4711+v_repetition)"
        )
    body += [
        "",
        f'variable        contact string "{settings.contact}"',
        f'variable        wall string "{settings.wall}"',
    ]
    first = "contact"
    if experiment.prepares:
        body.append(f'variable        prepare string "{settings.prepare}"')
        first = "prepare"
    body += [
        "pair_style      granular/plus",
        f"pair_coeff      * * ${{{first}}}",
        "timestep        ${dt}",
        "neigh_modify    every 1 delay 0 check yes"
        + (
            f" collection/interval {len(collections)} "
            + " ".join(f"{bound:.8g}" for bound in collections)
            if wide
            else ""
        ),
    ]
    if not grains.shape:
        body.append("fix             move grains nve/sphere")
    return "\n".join([*head, *body, "", plan.body])


def _variable(name: str, value: float | str, meaning: str) -> str:
    if isinstance(value, str):
        return f"variable        {name} equal {value}  # {meaning}"
    return f"variable        {name} index {value:.10g}  # {meaning}"


def error_in_words(found: Interval) -> str:
    """Return the 95 % interval for a title: as ± if it is symmetric, otherwise as two bounds."""
    below, above = found.value - found.low, found.high - found.value
    if not math.isfinite(below + above):
        return ""
    if math.isclose(below, above, rel_tol=1e-6):
        return f" ± {above:.2g} (95 %)"
    return f" ({found.low:.3g} to {found.high:.3g}, 95 %)"


def draw(bench: Bench, good: pd.DataFrame, outcome: Outcome) -> None:
    """Plot the curves of all runs and, for unequal grains, the sieve curve."""
    import matplotlib.pyplot as plt

    prepare_figures()
    curves = []
    for number, (_, row) in enumerate(good.iterrows()):
        ended = engine.Run(Path(row["folder"]), 1)
        curve = bench.experiment.curve(ended, bench.plan)
        curves.append(curve.assign(line=number))
    joined = pd.concat(curves, ignore_index=True)
    one_size = bench.settings.grains.grading.is_one_size
    figure, (left, *right) = panels(1 if one_size else 2)
    units = bench.settings.units
    bench.experiment.draw(left, joined, units)
    name, found = next(iter(outcome.values.items()))
    error = error_in_words(found)
    quantity = labelled(name, unit_of(bench.experiment.units[name.split(" ")[0]][0], units))
    title = f"{bench.experiment.name}: {quantity} = {found.value:.4g}{error}"
    left.set_title(f"{title}; one line per run", fontsize=10)
    for axes in right:
        axes.plot(outcome.sieves["opening"], outcome.sieves["wanted"], label="wanted")
        axes.plot(outcome.sieves["opening"], outcome.sieves["drawn"], "o", ms=4, label="drawn")
        axes.set(
            xlabel=labelled("diameter", unit_of("length", units)),
            ylabel="mass fraction finer",
            xscale="log",
        )
        spread_ticks(axes.xaxis)
        axes.legend()
    with files.whole(outcome.picture) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
    plt.close(figure)
