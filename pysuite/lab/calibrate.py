"""Find contact parameters whose bulk values meet the targets: `pysuite calibrate`."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pysuite import files
from pysuite.figures import prepare_figures, spread_ticks
from pysuite.lab import inference, runs
from pysuite.lab.experiment import unit_of
from pysuite.lab.inference import Direction, Parameter, Posterior, Target
from pysuite.lab.runs import EXPERIMENTS, Bench
from pysuite.lab.settings import Key, Table
from pysuite.lab.surrogate import Surrogate, fewest_runs, require_library, rule_of_fewest
from pysuite.pictures.units import labelled

Array = NDArray[np.float64]
# Evaluate(points, repetitions, stage) returns a table with one row per point; see `calibrate`.
Evaluate = Callable[[list[dict[str, float]], list[int], str], pd.DataFrame]

DRAWN = 2000  # points in the table of the posterior
TICKS = 4
AT_END = 0.02  # a coordinate closer than this to 0 or 1 is at the end of its range
REASONS = 3
MISSED = 1.5  # rms of (value - prediction)/error above which to warn


@dataclass(frozen=True)
class Design:
    """Plan of the runs of a calibration.

    Attributes:
        points: number of sets of parameters that are spread over the ranges.
        repetitions: number of runs of each set, with different grains.
        rounds: number of rounds with further sets, drawn from the current posterior.
        batch: number of sets in each round.
        check: number of runs at the solution, with new grains.
        seed: random seed of the calibration.
    """

    points: int = 20
    repetitions: int = 2
    rounds: int = 2
    batch: int = 5
    check: int = 4
    seed: int = 1

    @property
    def runs(self) -> int:
        """Number of runs of each experiment, for each swept value."""
        return (self.points + self.rounds * self.batch) * self.repetitions + self.check


@dataclass(frozen=True)
class Calibration:
    """Result of a calibration.

    Attributes:
        parameters: parameters with their ranges.
        targets: targets to meet.
        runs: one row for each run used for fitting.
        posterior: posterior of the coordinates of the parameters. A coordinate is 0 at the lower
            end of the parameter's range, and 1 at the upper end.
        best: coordinates of the parameters in `answer`.
        surrogates: surrogates of the targets.
        misses: (value - prediction)/error for each target and each run in the rounds. The
            prediction is made by the surrogate fitted before the round.
        undecided: directions in parameter space that the targets do not determine.
        telling: bulk values that are not targets, and how well each value would determine the first
            undecided direction. Columns: "quantity", "change" (from -2 to +2 standard deviations
            along this direction), "error" (combined error of run and surrogate), and "ratio"
            (change / error).
        reach: values of each target that are reached within the ranges. Columns: "quantity",
            "target", "uncertainty", "lowest" and "highest" (within the ranges), "closest" (at
            `best`), and "off" (difference of "closest" from the target / combined error).
        check: one row for each target, with measured value at the solution, prediction and target.
        failed: number of runs that lack the value of a target.
    """

    parameters: Sequence[Parameter]
    targets: Sequence[Target]
    runs: pd.DataFrame
    posterior: Posterior
    best: Array
    surrogates: Mapping[str, Surrogate]
    misses: Mapping[str, Array]
    undecided: list[Direction]
    telling: pd.DataFrame
    reach: pd.DataFrame
    check: pd.DataFrame
    failed: int

    @functools.cached_property
    def constraints(self) -> pd.DataFrame:
        """Width of each parameter's posterior divided by the width of its prior.

        There is a row for all targets together and, with several targets, a row for each target
        alone. The columns are "targets" and the names of the parameters.
        """
        return inference.constraints(self.parameters, self.targets, self.surrogates)

    @property
    def answer(self) -> dict[str, float]:
        """The parameters with the largest likelihood.

        If the surrogates show that these parameters miss a target, the answer is the parameters
        closest to the targets.
        """
        return values_at(self.parameters, self.best)

    @property
    def unmet(self) -> list[str]:
        """The targets that the parameters in `answer` miss by more than chance explains.

        The criterion uses the runs at these parameters or, without such runs, the surrogates.
        """
        known = self.check["from_target"].notna()
        tested = self.check if known.all() and len(self.check) else self.reach
        away = tested["from_target" if tested is self.check else "off"]
        return list(tested.loc[away > inference.UNMET, "quantity"])

    @property
    def identified(self) -> bool:
        """Whether the targets determine all parameters."""
        return not self.undecided

    def table(self) -> pd.DataFrame:
        """Return one row per parameter: answer, median, 50 % and 90 % intervals, and width.

        The last column is the width of the posterior divided by the width of the prior. For the
        intervals, see `Posterior.intervals`.
        """
        likely, wide = self.posterior.intervals(0.5), self.posterior.intervals(0.9)
        middles = self.posterior.quantiles([0.5])
        coordinates = np.stack([wide[0], likely[0], middles[0], likely[1], wide[1]])
        rows = []
        for n, parameter in enumerate(self.parameters):
            low, quarter, middle, three, high = parameter.value(coordinates[:, n])
            rows.append(
                {
                    "parameter": parameter.name,
                    "answer": self.answer[parameter.name],
                    "median": middle,
                    "low_50": quarter,
                    "high_50": three,
                    "low_90": low,
                    "high_90": high,
                    "width": self.posterior.widths[n],
                }
            )
        return pd.DataFrame(rows)

    def samples(self, seed: int = 1) -> pd.DataFrame:
        """Return a table of equally weighted points of the posterior: one column per parameter."""
        drawn = self.posterior.draw(DRAWN, seed)
        columns = {p.name: p.value(drawn[:, n]) for n, p in enumerate(self.parameters)}
        return pd.DataFrame(columns)

    def diagnosis(self) -> list[str]:
        """Return sentences on undetermined parameters, and on other doubts about the result.

        If no parameters meet all targets, the first sentence reports this, and no sentence
        describes how well the parameters are determined.
        """
        texts = []
        if self.unmet:
            texts.append(self._out_of_reach())
        for direction in self.undecided if not self.unmet else ():
            texts.append(self._not_identified(direction))
        if self.undecided and not self.unmet:
            best = self.telling[self.telling["ratio"] > inference.DECIDES]
            if len(best):
                first = best.iloc[0]
                texts.append(
                    f"measure {first['quantity']} too: this value changes along the line by"
                    f" {first['change']:.3g}, which is {first['ratio']:.2g} times its scatter"
                )
            else:
                texts.append(
                    "none of the other values of these experiments changes along this line by"
                    f" more than {inference.DECIDES:g} times its scatter: another experiment is"
                    " needed"
                )
        for name, misses in self.misses.items():
            size = float(np.sqrt(np.mean(misses**2))) if misses.size else 0.0
            if size > MISSED:
                texts.append(
                    f"{name}: runs of the refinement rounds are {size:.2g} standard errors (rms)"
                    " from the prediction, whereas 1 is expected: use more points"
                )
        texts += self._at_ends()
        for _, row in self.check.iterrows():
            if row["off"] > inference.UNMET:
                texts.append(
                    f"{row['quantity']}: runs at the solution give {row['measured']:.4g}, which"
                    f" is {row['off']:.2g} standard errors from the prediction: use more points"
                )
        if self.failed:
            names = [target.name for target in self.targets]
            reasons = _reasons(self.runs[self.runs[names].isna().any(axis=1)])
            lost = (
                "1 run gave no value and is"
                if self.failed == 1
                else f"{self.failed} runs gave no value and are"
            )
            texts.append(f"{lost} ignored{reasons}")
        return texts

    def _out_of_reach(self) -> str:
        parts = []
        for _, row in self.reach.iterrows():
            margin = inference.UNMET * row["uncertainty"]
            near = row["lowest"] - margin <= row["target"] <= row["highest"] + margin
            parts.append(
                f"{row['quantity']} = {row['target']:.4g}"
                f" {'can be' if near else 'cannot be'} met as the only target, because in these"
                f" ranges the value varies from {row['lowest']:.4g} to {row['highest']:.4g}"
            )
        return (
            "no parameters in these ranges meet all targets, so there is no solution:"
            f" {'; '.join(parts)}. The closest parameters miss {', '.join(self.unmet)}"
        )

    def _at_ends(self) -> list[str]:
        texts = []
        density = self.posterior.density_at_ends()
        for n, parameter in enumerate(self.parameters):
            decided = self.posterior.widths[n] <= inference.UNDECIDED
            for side, end in enumerate((parameter.low, parameter.high)):
                if self.unmet and abs(self.best[n] - side) < AT_END:
                    texts.append(
                        f"{parameter.name} is at the end of its range, {end:g}: values beyond"
                        " this end may come closer to the targets"
                    )
                if not self.unmet and decided and density[side, n] > inference.CUT_OFF:
                    texts.append(
                        f"{parameter.name}: its range ends at {end:g}, where the density of the"
                        f" posterior is {density[side, n]:.2g} of its maximum: the true value may"
                        " lie outside the range"
                    )
        return texts

    def _not_identified(self, direction: Direction) -> str:
        moved = [
            (parameter, step)
            for parameter, step in zip(self.parameters, direction.step, strict=True)
            if abs(step) > 0.3 * np.abs(direction.step).max()
        ]
        names = " and ".join(parameter.name for parameter, _ in moved)
        ends = []
        for n, parameter in enumerate(self.parameters):
            step = direction.step[n]
            if all(parameter is not other for other, _ in moved):
                continue
            centre = self.posterior.mean[n]
            values = parameter.value(np.clip([centre - step, centre + step], 0.0, 1.0))
            ends.append(f"{parameter.name} from {values[0]:.3g} to {values[1]:.3g}")
        how = "trade off along this line" if len(moved) > 1 else "is not determined"
        return (
            f"not identified: {names} {how}: {', '.join(ends)}; the posterior is"
            f" {direction.width:.2g} times as wide as the prior in this direction"
        )


def values_at(parameters: Sequence[Parameter], coordinates: Array) -> dict[str, float]:
    """Return parameter values at coordinates, to seven digits."""
    return {
        parameter.name: float(f"{float(parameter.value(u)):.7g}")
        for parameter, u in zip(parameters, coordinates, strict=True)
    }


def calibrate(
    parameters: Sequence[Parameter],
    targets: Sequence[Target],
    evaluate: Evaluate,
    design: Design | None = None,
) -> Calibration:
    """Find the parameters that meet the targets.

    Args:
        parameters: parameters to determine, with their ranges.
        targets: bulk values with their standard uncertainty.
        evaluate: function of (points, repetitions, stage). `points` is a list of dictionaries with
            the values of the parameters. `repetitions` contains a different number for each point;
            this number selects the grains of the run. `stage` is "design", "round 1" and so on, or
            "check". The function returns a table with one row per point and a column for each
            target. Further columns are other bulk values. Values of a failed run are nan. An
            optional column "error" gives the reason for a failure, and is "" for successful runs.
        design: plan of the runs; by default `Design()`.

    Raises:
        ValueError: too few runs gave a value.
    """
    design = design or Design()
    coordinates = inference.design(design.points, len(parameters), design.seed)
    seen = np.empty((0, len(parameters)))
    runs = pd.DataFrame()
    found: Posterior | None = None
    surrogates: dict[str, Surrogate] = {}
    misses: dict[str, list[Array]] = {target.name: [] for target in targets}
    for turn in range(design.rounds + 1):
        if turn:
            assert found is not None
            coordinates = _apart(found, seen, design.batch, design.seed + turn)
        points = [values_at(parameters, u) for u in coordinates]
        repeated = [point for point in points for _ in range(design.repetitions)]
        # each run has different grains, so that the fit includes the scatter between runs
        first = turn * 1000
        numbers = [first + n + 1 for n in range(len(repeated))]
        stage = "design" if turn == 0 else f"round {turn}"
        new = evaluate(repeated, numbers, stage).reset_index(drop=True)
        new = new.assign(stage=stage, **{p.name: [q[p.name] for q in repeated] for p in parameters})
        for name, surrogate in surrogates.items():
            good = new[np.isfinite(new[name].to_numpy(dtype=float))]
            if len(good):
                misses[name].append(surrogate.misses(_coordinates(parameters, good), good[name]))
        runs = pd.concat([runs, new], ignore_index=True)
        seen = np.concatenate([seen, coordinates])
        surrogates = {t.name: _surrogate(parameters, runs, t.name) for t in targets}
        found = inference.posterior(len(parameters), targets, surrogates, seed=design.seed)
    assert found is not None
    undecided = inference.undecided(found)
    names = [target.name for target in targets]
    others = {}
    for name in _values(runs, parameters):
        if name not in names and runs[name].notna().sum() >= 0.8 * len(runs):
            others[name] = _surrogate(parameters, runs, name)
    best = inference.closest(found, targets, surrogates, seed=design.seed)
    check = _check(parameters, targets, best, surrogates, evaluate, design)
    return Calibration(
        parameters,
        targets,
        runs,
        found,
        best,
        surrogates,
        {name: np.concatenate([np.empty(0), *parts]) for name, parts in misses.items()},
        undecided,
        inference.telling(found, undecided, others),
        inference.reach(best, targets, surrogates, seed=design.seed),
        check,
        int(runs[names].isna().any(axis=1).sum()),
    )


def _values(runs: pd.DataFrame, parameters: Sequence[Parameter]) -> list[str]:
    known = {parameter.name for parameter in parameters}
    return [
        str(name)
        for name in runs.select_dtypes("number")
        if name not in known and runs[name].nunique() > 1
    ]


def _coordinates(parameters: Sequence[Parameter], runs: pd.DataFrame) -> Array:
    return np.column_stack([p.coordinate(runs[p.name]) for p in parameters])


def _surrogate(parameters: Sequence[Parameter], runs: pd.DataFrame, name: str) -> Surrogate:
    if name not in runs:
        raise ValueError(f"no run gave a value of {name}")
    known = np.isfinite(runs[name].to_numpy(dtype=float))
    good = runs[known]
    try:
        return Surrogate(_coordinates(parameters, good), good[name])
    except ValueError as error:
        lost = runs[~known]
        told = f"; {len(lost)} gave none{_reasons(lost)}" if len(lost) else ""
        raise ValueError(f"{name}: {error}{told}") from error


def _reasons(failed: pd.DataFrame) -> str:
    if "error" not in failed or not (failed["error"] != "").any():
        return ""
    counts = failed.loc[failed["error"] != "", "error"].value_counts().head(REASONS)
    return ": " + "; ".join(
        f"{why} ({count} run{'s' if count > 1 else ''})" for why, count in counts.items()
    )


def _apart(found: Posterior, seen: Array, count: int, seed: int) -> Array:
    drawn = found.draw(500, seed)
    chosen: list[Array] = []
    for _ in range(count):
        others = np.concatenate([seen, *[point[None] for point in chosen]])
        distance = np.linalg.norm(drawn[:, None] - others[None], axis=2).min(axis=1)
        chosen.append(drawn[int(np.argmax(distance))])
    return np.stack(chosen)


def _check(
    parameters: Sequence[Parameter],
    targets: Sequence[Target],
    best: Array,
    surrogates: Mapping[str, Surrogate],
    evaluate: Evaluate,
    design: Design,
) -> pd.DataFrame:
    columns = [
        "quantity", "target", "uncertainty", "predicted", "error", "measured", "standard_error",
        "off", "from_target",
    ]  # fmt: skip
    if not design.check:
        return pd.DataFrame(columns=columns)
    answer = values_at(parameters, best)
    numbers = [999_000 + n for n in range(1, design.check + 1)]
    runs = evaluate([answer] * design.check, numbers, "check")
    rows = []
    for target in targets:
        values = runs[target.name].to_numpy(dtype=float)
        values = values[np.isfinite(values)]
        mean, error = (float(x[0]) for x in surrogates[target.name](best))
        scatter = float(surrogates[target.name].scatter(best)[0])
        # the surrogate estimates the scatter from all runs
        standard = scatter / math.sqrt(len(values)) if len(values) else math.nan
        measured = float(values.mean()) if len(values) else math.nan
        off = abs(measured - mean) / math.hypot(error, standard)
        away = abs(measured - target.value) / math.hypot(target.uncertainty, standard)
        row = (
            target.name, target.value, target.uncertainty, mean, error, measured, standard, off,
            away,
        )  # fmt: skip
        rows.append(dict(zip(columns, row, strict=True)))
    return pd.DataFrame(rows, columns=columns)


# ------------------------------------------------------------------------------ with experiments


@dataclass(frozen=True)
class Job:
    """A calibration specified by a file. A target's name consists of experiment and quantity."""

    parameters: list[Parameter]
    targets: list[Target]
    benches: dict[str, Bench]
    design: Design
    folder: Path

    @property
    def runs(self) -> int:
        """Total number of runs."""
        sweeps = [
            math.prod(len(values) for values in bench.plan.sweep.values())
            for bench in self.benches.values()
        ]
        return self.design.runs * sum(sweeps)


def read(path: Path | str, folder: Path | str) -> Job:
    """Read a file of targets and write the scripts of its experiments.

    Raises SettingsError if a setting is invalid.
    """
    require_library()
    path = Path(path)
    top = Table.read(path)
    top.only(["parameters", "experiments", "targets", "design"])
    ranges = top.table("parameters")
    if not ranges.values:
        raise top.error("parameters", "is missing: give the parameters with their ranges")
    parameters = [_parameter(ranges, name) for name in ranges.values]
    benches: dict[str, Bench] = {}
    experiments = top.table("experiments")
    if not experiments.values:
        raise top.error("experiments", "is missing: give the experiments with their settings")
    for name in experiments.values:
        table = experiments.table(name)
        table.only(["kind", "settings"])
        kind = table.text_of("kind", name)
        if kind not in EXPERIMENTS:
            raise table.error("kind", f"must be one of {', '.join(EXPERIMENTS)}")
        settings = path.parent / table.text_of("settings")
        if not settings.is_file():
            raise table.error(
                "settings", "must be a file; its path is relative to the folder of the targets file"
            )
        benches[name] = runs.read(kind, settings, Path(folder) / name)
    for parameter in parameters:
        if all(parameter.name not in b.settings.parameters for b in benches.values()):
            raise ranges.error(
                parameter.name, "must be one of the [parameters] of an experiment's settings"
            )
        if all(parameter.name not in b.settings.used_parameters for b in benches.values()):
            raise ranges.error(parameter.name, "must be used by a contact model, as ${name}")
    rows = top.values.get("targets")
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows) or not rows:
        raise top.error("targets", "must be one or more [[targets]] tables")
    targets: list[Target] = []
    for row in rows:
        table = Table(row, "targets", top.text, top.file)
        target = _target(table, benches)
        if any(target.name == other.name for other in targets):
            raise table.error("quantity", f"must not be given twice: {target.name}")
        targets.append(target)
    design = top.table("design")
    design.only(vars(Design()))
    default = Design(points=10 * len(parameters))
    fewest = {"points": fewest_runs(len(parameters)), "rounds": 0, "check": 0}
    bounds = {"points": rule_of_fewest(len(parameters))}
    numbers = {
        key: design.whole(key, getattr(default, key), fewest.get(key, 1), bounds.get(key, ""))
        for key in vars(default)
    }
    for bench in benches.values():
        bench.write()
    return Job(parameters, targets, benches, Design(**numbers), Path(folder).resolve())


def _parameter(ranges: Table, name: str) -> Parameter:
    value = ranges.values[name]
    if isinstance(value, Mapping):
        table = ranges.table(name)
        table.only(["low", "high", "log"])
        log = table.values.get("log", False)
        if not isinstance(log, bool):
            raise table.error("log", "must be true or false")
        low, high = (table.needed(end, Key(None, "", "", -math.inf)) for end in ("low", "high"))
    else:
        ends = ranges.numbers(name, Key(None, "", "", -math.inf))
        if ends is None or len(ends) != 2:
            raise ranges.error(name, "must be [low, high], or a table with low, high and log")
        (low, high), log = ends, False
    if not low < high:
        raise ranges.error(name, "must have low < high")
    if log and not low > 0.0:
        raise ranges.error(name, "must have low > 0, because it is logarithmic")
    return Parameter(name, low, high, log)


def _target(table: Table, benches: Mapping[str, Bench]) -> Target:
    table.only(["experiment", "quantity", "value", "uncertainty"])
    experiment = table.text_of("experiment")
    if experiment not in benches:
        raise table.error("experiment", f"must be one of {', '.join(benches)}")
    quantity = table.text_of("quantity")
    bench = benches[experiment]
    known = bench.experiment.quantities(bench.plan)
    if quantity not in known:
        raise table.error("quantity", f"must be one of {', '.join(known)}")
    if quantity in bench.experiment.prescribed(bench.settings):
        raise table.error(
            "quantity", "is prescribed by the settings of the experiment, so it cannot be a target"
        )
    value = table.needed("value", Key(None, "", "what was measured", -math.inf))
    uncertainty = table.needed("uncertainty", Key(None, "", "standard uncertainty of the value"))
    dimension = bench.experiment.units[quantity.split(" ")[0]][0]
    unit = unit_of(dimension, bench.settings.units)
    return Target(f"{experiment} {quantity}", value, uncertainty, unit)


def run(
    job: Job,
    *,
    jobs: int = 1,
    ranks: int = 1,
    timeout: float | None = None,
    retry: bool = False,
    progress: Callable[[str, int, int], object] | None = None,
) -> Calibration:
    """Run a calibration.

    Finished runs are not repeated; failed runs are repeated only with `retry`. `timeout` is the
    time limit of each run in seconds.
    """
    before = 0

    def evaluate(points: list[dict[str, float]], numbers: list[int], stage: str) -> pd.DataFrame:
        nonlocal before
        columns: dict[str, list[float]] = {}
        reasons: list[list[str]] = [[] for _ in points]
        for name, bench in job.benches.items():
            sets = []
            for point, number in zip(points, numbers, strict=True):
                own = {key: x for key, x in point.items() if key in bench.settings.parameters}
                sets += bench.point(own, number)
            each = len(sets) // len(points)

            def tell(done: int, of: int, name: str = name, start: int = before) -> None:
                if progress:
                    progress(f"{stage}: {name}", start + done, job.runs)

            table = bench.run(
                sets, jobs=jobs, ranks=ranks, timeout=timeout, retry=retry, progress=tell
            )
            before += len(sets)
            if (table["error"] != "").all():
                raise runs.no_run_succeeded(table, f"{name}: ")
            targets = {target.name for target in job.targets}
            wanted = [
                quantity
                for quantity in bench.experiment.quantities(bench.plan)
                if f"{name} {quantity}" in targets
            ]
            for n in range(len(points)):
                rows = table.iloc[n * each : (n + 1) * each]
                found, reason = _concluded(bench, rows)
                if any(quantity not in found for quantity in wanted):
                    reasons[n].append(f"{name}: {reason}")
                for quantity, value in found.items():
                    if quantity in bench.experiment.prescribed(bench.settings):
                        continue
                    column = columns.setdefault(f"{name} {quantity}", [math.nan] * len(points))
                    column[n] = value
        for target in job.targets:
            columns.setdefault(target.name, [math.nan] * len(points))
        return pd.DataFrame({**columns, "error": ["; ".join(texts) for texts in reasons]})

    found = calibrate(job.parameters, job.targets, evaluate, job.design)
    write(found, job.folder)
    return found


def _concluded(bench: Bench, rows: pd.DataFrame) -> tuple[dict[str, float], str]:
    """Return the values of the runs at one point or, if a run failed, the reason."""
    failed = rows.loc[rows["error"] != "", "error"]
    if len(failed):
        return {}, str(failed.iloc[0])
    plan = replace(bench.plan, remarks=[])
    try:
        found = bench.experiment.conclude(rows, plan)
    except ValueError as error:
        return {}, str(error)
    values = {name: x.value for name, x in found.items()}
    return values, "; ".join(plan.remarks) or "the runs do not give this quantity"


def write(found: Calibration, folder: Path) -> None:
    """Write tables, pictures and the report."""
    folder.mkdir(parents=True, exist_ok=True)
    always = {"runs.csv": found.runs, "reach.csv": found.reach, "check.csv": found.check}
    concluded = {
        "parameters.csv": found.table(),
        "posterior.csv": found.samples(),
        "constraints.csv": found.constraints,
        "telling.csv": found.telling,
    }
    for name, table in (always if found.unmet else always | concluded).items():
        files.write(folder / name, table.to_csv(index=False))
    if found.unmet:
        for name in (*concluded, "answer.json", "posterior.png"):
            (folder / name).unlink(missing_ok=True)
    else:
        files.write(folder / "answer.json", json.dumps(found.answer, indent=1) + "\n")
        draw_posterior(found, folder / "posterior.png")
    draw_runs(found, folder / "runs.png")
    files.write(folder / "report.md", report(found))


def report(found: Calibration) -> str:
    """Return the report in Markdown."""

    def table(frame: pd.DataFrame) -> str:
        head = "| " + " | ".join(map(str, frame.columns)) + " |"
        rule = "|" + "---|" * len(frame.columns)
        rows = [
            "| " + " | ".join(x if isinstance(x, str) else f"{x:.4g}" for x in row) + " |"
            for row in frame.itertuples(index=False)
        ]
        return "\n".join([head, rule, *rows])

    best = "the closest parameters" if found.unmet else "the solution"
    verdict = found.diagnosis() or ["The targets determine all parameters."]
    lines = ["# Calibration", "", *(f"* {text}" for text in verdict), ""]
    if not found.unmet:
        lines += [
            "## Parameters",
            "",
            "`answer` has the largest likelihood. `width` is the standard deviation of the"
            " posterior, divided by the standard deviation of the prior.",
            "",
            table(found.table()),
            "",
            "![Posterior](posterior.png)",
            "",
            "## Constraints by target",
            "",
            "Standard deviation of each parameter, divided by the standard deviation of the prior:"
            " for all targets together, and for each target alone.",
            "",
            table(found.constraints),
            "",
        ]
    lines += [
        "## Reach",
        "",
        "Lowest and highest mean of each target within the ranges, and the mean at"
        f" {best}. `off` is the difference of this last mean from the target, divided by the"
        " combined error of mean and target.",
        "",
        table(found.reach),
        "",
        "## Check",
        "",
        f"Runs at {best}, with new grains. `off` is the difference of the measured mean from the"
        " prediction; `from_target` is the difference of the measured mean from the target. Both"
        " differences are divided by the combined error of the two values.",
        "",
        table(found.check),
        "",
        "![Runs](runs.png)",
        "",
    ]
    return "\n".join(lines)


def draw_posterior(found: Calibration, path: Path) -> None:
    """Plot the posterior and the solution for each parameter and each pair."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    prepare_figures()
    samples, count = found.samples(), len(found.parameters)
    size = 2.2 * count + 1.6
    figure, grid = plt.subplots(count, count, figsize=(size, size), squeeze=False)
    for row, y in enumerate(found.parameters):
        for column, x in enumerate(found.parameters):
            axes = grid[row][column]
            if column > row:
                axes.set_visible(False)
                continue
            axes.set(xlim=(x.low, x.high), xscale="log" if x.log else "linear")
            if column == row:
                bins = x.value(np.linspace(0.0, 1.0, 41))
                axes.hist(samples[x.name], bins, color="C0", alpha=0.7)
                axes.axvline(found.answer[x.name], color="C1")
                axes.set_yticks([])
            else:
                axes.set(ylim=(y.low, y.high), yscale="log" if y.log else "linear")
                axes.plot(samples[x.name], samples[y.name], ",", color="C0", alpha=0.6)
                axes.plot(found.answer[x.name], found.answer[y.name], "o", color="C1")
            if row == count - 1:
                axes.set_xlabel(x.name)
            if column == 0 and row:
                axes.set_ylabel(y.name)
            spread_ticks(axes.xaxis, TICKS)
            axes.tick_params("x", labelbottom=row == count - 1)
            if column < row:
                spread_ticks(axes.yaxis, TICKS)
                axes.tick_params("y", labelleft=column == 0)
    legend = [
        Patch(color="C0", alpha=0.7, label="posterior"),
        Line2D([], [], color="C1", marker="o", label="solution: largest likelihood"),
    ]
    figure.legend(handles=legend, loc="outside upper center", ncols=2)
    with files.whole(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
    plt.close(figure)


def draw_runs(found: Calibration, path: Path) -> None:
    """Plot runs, surrogate and target for each pair of a target and a parameter."""
    import matplotlib.pyplot as plt

    prepare_figures()
    rows, columns = len(found.targets), len(found.parameters)
    figure, grid = plt.subplots(
        rows, columns, figsize=(3.4 * columns + 1.6, 2.6 * rows + 1.0), squeeze=False
    )
    place = "closest point" if found.unmet else "answer"
    others = f", other parameters at the {place}" if columns > 1 else ""
    u = np.linspace(0.0, 1.0, 60)
    for row, target in enumerate(found.targets):
        for n, parameter in enumerate(found.parameters):
            axes = grid[row][n]
            line = np.tile(found.best, (len(u), 1))
            line[:, n] = u
            mean, error = found.surrogates[target.name](line)
            x = parameter.value(u)
            axes.axhspan(
                target.value - target.uncertainty, target.value + target.uncertainty,
                color="C2", alpha=0.3, label="target ± uncertainty",
            )  # fmt: skip
            axes.plot(
                found.runs[parameter.name], found.runs[target.name], ".", color="0.6", ms=4,
                label="runs" + (" (other parameters vary)" if columns > 1 else ""),
            )  # fmt: skip
            axes.fill_between(x, mean - error, mean + error, color="C0", alpha=0.25)
            axes.plot(x, mean, color="C0", label=f"surrogate ± error{others}")
            axes.set(
                xlabel=parameter.name,
                xlim=(parameter.low, parameter.high),
                xscale="log" if parameter.log else "linear",
            )
            spread_ticks(axes.xaxis, TICKS)
            if n == 0:
                axes.set_ylabel(labelled(target.name, target.unit))
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=1)
    with files.whole(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)
    plt.close(figure)
