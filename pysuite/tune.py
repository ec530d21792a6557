"""Find the settings of neighbour lists and communication with which a script runs fastest.

Copies of the script with different settings run in turn, in short segments. Settings are changed
one after the other. A change is kept only if the script is then significantly faster.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pysuite.bench import segments
from pysuite.errors import UsageError
from pysuite.lammps.script import commands, joined

if TYPE_CHECKING:
    import pandas

SKINS = (0.05, 0.1, 0.2, 0.3, 0.45)  # in mean diameters
# arguments of atom_modify sort: interval in steps, and size of cells. The size 0.0 stands for half
# the neighbour cutoff.
SORTS = ("100 0.0", "1000 0.0")
SEGMENT_SECONDS, SEGMENT_STEPS = 0.4, (20, 1000)
CONFIDENCE = 0.95
# commands placed before the creation of the box; all other commands are placed before the run
BEFORE_BOX = ("newton", "processors")


@dataclass(frozen=True)
class Script:
    """The part of an input script that precedes one of its `run` commands.

    Attributes:
        folder: folder of the script.
        lines: commands, including the commands of included files.
        files: files in `folder` that are named in the script.
    """

    folder: Path
    lines: tuple[str, ...]
    files: tuple[str, ...]

    def commands(self, settings: Mapping[str, str]) -> str:
        """Return the commands with `settings`.

        `settings` maps names of commands to the words that replace those in the script.
        """
        lines = {name: f"{name} {words}" for name, words in settings.items()}
        early = [lines.pop(name) for name in BEFORE_BOX if name in lines]
        kept = [
            line
            for line in self.lines
            if _command(line) not in BEFORE_BOX or _command(line) not in settings
        ]
        return "\n".join([*early, *kept, *lines.values()]) + "\n"

    def neighbor_style(self) -> str:
        """Return the neighbour style: bin, nsq or multi."""
        found = [line.split() for line in self.lines if _command(line) == "neighbor"]
        return found[-1][2] if found and len(found[-1]) > 2 else "bin"


def _command(line: str) -> str:
    return line.split(maxsplit=1)[0] if line.strip() else ""


def read_script(path: Path, run: int = 1) -> Script:
    """Read an input script up to its `run` command number `run`; the first has number 1.

    Raises UsageError if the script has fewer `run` commands, if the command `jump` precedes the
    run, or if the name of an included file contains a variable.
    """
    if run < 1:
        raise UsageError(f"--run {run} must be >= 1")
    lines: list[str] = []
    runs = 0
    for line in _logical_lines(path):
        name = _command(line)
        if name == "run":
            runs += 1
            if runs == run:
                break
        if name == "jump":
            raise UsageError(
                f"{path}: `{line}` precedes run {run}. A script cannot be cut after a jump. Choose"
                " an earlier run with --run"
            )
        lines.append(line)
    else:
        if runs == 0:
            raise UsageError(f"{path} has no command `run`: there is nothing to measure")
        raise UsageError(f"{path} has {runs} commands `run`; --run {run} must be <= {runs}")
    words = {word.replace("${here}/", "") for line in lines for word in re.split(r'[\s"\']+', line)}
    files = [word for word in sorted(words) if word and (path.parent / word).is_file()]
    return Script(path.parent, tuple(lines), tuple(file for file in files if _lies_beside(file)))


def _lies_beside(name: str) -> bool:
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def _logical_lines(path: Path) -> Iterator[str]:
    text = path.read_text()
    for words in commands(text):
        line = joined(text, words)
        if words[0].text != "include":
            yield line
            continue
        name = words[1].text
        if "$" in name:
            raise UsageError(
                f"{path}: `{line}` contains a variable. Replace the variable by its value"
            )
        yield from _logical_lines(path.parent / name)


# --------------------------------------------------------------------------------- measuring


class Ratio(NamedTuple):
    """Time divided by the time of the unmodified script: estimate and confidence interval."""

    value: float
    low: float
    high: float


class Trial(NamedTuple):
    """Settings and the measured times of the script with these settings.

    Attributes:
        settings: for each changed command, the words that replace those in the script.
        times: seconds per step in each round.
        reference: seconds per step of the unmodified script in each round.
        steps_per_build: mean number of steps between builds of neighbour lists; nan if no list was
            built.
    """

    settings: Mapping[str, str]
    times: np.ndarray
    reference: np.ndarray
    steps_per_build: float

    @property
    def ratio(self) -> Ratio:
        """Return the time divided by the time of the unmodified script."""
        return ratio_of(self.times, self.reference)


@dataclass
class Tuning:
    """Trials of each stage, and a second measurement of the best settings.

    `best` is None if no settings are significantly faster than the unmodified script.
    """

    stages: dict[str, list[Trial]] = field(default_factory=dict)
    best: Trial | None = None


def ratio_of(times: np.ndarray, reference: np.ndarray) -> Ratio:
    """Return the sum of `times` divided by the sum of `reference`, with a confidence interval.

    `times` and `reference` are measured in the same rounds. Sums are used because neighbour lists
    are built only in some of the rounds. The interval is from percentiles of 1000 bootstrap samples
    of the rounds (Efron 1979).
    """
    chosen = np.random.default_rng(1147).integers(len(times), size=(1000, len(times)))
    resampled = times[chosen].sum(axis=1) / reference[chosen].sum(axis=1)
    outside = 0.5 * (1.0 - CONFIDENCE)
    low, high = np.quantile(resampled, (outside, 1.0 - outside))
    return Ratio(float(times.sum() / reference.sum()), float(low), float(high))


@dataclass(frozen=True)
class Tuner:
    """Measures trials of a script in alternation.

    In each stage, the words of one command are varied. `on_stage` is called at the start of each
    stage with the name of the stage and the number of trials.
    """

    script: Script
    arguments: Sequence[str] = ()
    warm_up: int = 200
    rounds: int = 15
    on_stage: Callable[[str, int], None] = lambda name, trials: None

    def tune(self, ranks: int) -> Tuning:
        """Choose settings one after the other. Compare the best with the unmodified script.

        Raises UsageError if `ranks`, `rounds` or `warm_up` is below 1, LammpsError if LAMMPS fails,
        and EngineError if LAMMPS or MPI is missing.
        """
        for name, value in (("ranks", ranks), ("rounds", self.rounds), ("warm-up", self.warm_up)):
            if value < 1:
                raise UsageError(f"--{name} {value} must be >= 1")
        found = Tuning()
        self.on_stage("the unmodified script", 1)
        (as_it_is,), (described,) = self._measure([{}], ranks, self.warm_up, 1)
        steps = int(np.clip(SEGMENT_SECONDS / as_it_is.times[0], *SEGMENT_STEPS))
        best: Mapping[str, str] = {}
        for name, choices in self._choices(ranks, described["diameter"]).items():
            # the first trial is the reference
            settings = [best, *({**best, name: words} for words in choices)]
            self.on_stage(name, len(settings))
            found.stages[name], _ = self._measure(settings, ranks, steps, self.rounds)
            best = chosen(found.stages[name]).settings
        if best:
            self.on_stage("the best", 1)
            (again,), _ = self._measure([best], ranks, steps, 2 * self.rounds)
            found.best = again if again.ratio.high < 1.0 else None
        return found

    def _choices(self, ranks: int, diameter: float) -> dict[str, list[str]]:
        style = self.script.neighbor_style()
        choices = {"newton": ["off", "on"]}
        if ranks > 1:
            choices["processors"] = [
                f"{x} {y} {ranks // (x * y)}"
                for x in range(1, ranks + 1)
                for y in range(1, ranks + 1)
                if ranks % (x * y) == 0
            ]
        choices["neighbor"] = [f"{factor * diameter:.3g} {style}" for factor in SKINS]
        choices["atom_modify"] = [f"sort {words}" for words in SORTS]
        return choices

    def _measure(
        self, trials: Sequence[Mapping[str, str]], ranks: int, steps: int, rounds: int
    ) -> tuple[list[Trial], list[dict[str, float]]]:
        settings = [{}, *(dict(trial) for trial in trials if trial)]
        entries = [
            {
                "script": f"{self.script.commands(each)}run {self.warm_up}\n",
                "steps": steps,
                "clone": "",
                "arguments": list(self.arguments),
            }
            for each in settings
        ]
        with tempfile.TemporaryDirectory(prefix="pysuite-") as name:
            folder = Path(name)
            for file in self.script.files:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.script.folder / file, folder / file)
            run = segments.side_by_side(entries, rounds, folder, ranks)
        times, builds = np.zeros((2, len(settings), rounds))
        for segment in run.segments:
            place = segment["entry"], segment["round"]
            times[place], builds[place] = segment["Loop"] / steps, segment["builds"]
        built = builds[:, -1] - builds[:, 0]
        per_build = np.where(built > 0, (rounds - 1) * steps / np.maximum(built, 1), np.nan)
        places = [settings.index(dict(trial)) for trial in trials]
        measured = [
            Trial(trials[k], times[p], times[0], per_build[p]) for k, p in enumerate(places)
        ]
        return measured, [run.entries[p] for p in places]


def frame(name: str, trials: Sequence[Trial]) -> pandas.DataFrame:
    """Return a table of the trials of a command."""
    import pandas

    best = chosen(trials)
    return pandas.DataFrame(
        [
            {
                name: trial.settings.get(name, "unmodified"),
                "time": f"{trial.ratio.value:.3f}",
                "interval": f"{trial.ratio.low:.3f}–{trial.ratio.high:.3f}",
                "ms per step": f"{1e3 * trial.times.mean():.3g}",
                "steps per list": f"{trial.steps_per_build:.3g}",
                "": "chosen" if trial is best else "",
            }
            for trial in trials
        ]
    ).replace("nan", "")


def chosen(trials: Sequence[Trial]) -> Trial:
    """Return the fastest trial if it is significantly faster than the first, else the first."""
    fastest = min(trials, key=lambda trial: float(trial.times.sum()))
    return fastest if ratio_of(fastest.times, trials[0].times).high < 1.0 else trials[0]
