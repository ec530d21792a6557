"""The definition of a case and the context passed to its function."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysuite import engine, sources, statistics
from pysuite.errors import CaseError
from pysuite.lammps.run import unused_variables
from pysuite.statistics import Interval
from pysuite.validation import benchmarks, claims
from pysuite.validation.verdict import (
    Attachment,
    Result,
    Verdict,
    judge,
    reported,
)

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

TIERS = ("smoke", "quick", "full")


@dataclass(frozen=True)
class Case:
    """A validation case.

    Attributes:
        name: lower-case words joined by "-".
        title: a sentence that states what the case shows.
        source: origin of the reference, such as a figure of a paper or a closed form; see
            `pysuite.sources`.
        tier: the lowest tier in which the case runs. The tier full includes quick, and quick
            includes smoke.
        parameters: default values of the parameters, which `--set key=value` overrides.
        spoil: parameters with which the case must fail.
        run: the function that runs the case, `run(context) -> None`.
        planted: for each claim that the case does not find, parameters that create the claimed
            effect on purpose. With these parameters, the case must find the claim. The keys are the
            numbers of the claims.
        timeout: seconds after which the case is killed and fails.
        file: file that defines the case, set by `discover`.
        root: folder of all cases, set by `discover`. The folder `data` is in `root`, and the folder
            `inputs` is next to `root`.
    """

    name: str
    title: str
    source: str
    tier: str
    parameters: Mapping[str, Any]
    spoil: Mapping[str, Any]
    run: Callable[[Context], None]
    planted: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    timeout: float = 1800.0
    file: Path | None = None
    root: Path | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise CaseError(f"case name {self.name!r} must be lower-case words joined by '-'")
        if self.tier not in TIERS:
            raise CaseError(f"{self.name}: tier {self.tier!r} must be one of {', '.join(TIERS)}")
        if not self.spoil:
            raise CaseError(f"{self.name}: spoil must name a parameter that makes the case fail")
        try:
            sources.keys(self.source)
        except ValueError as error:
            raise CaseError(f"{self.name}: source {error}") from error
        for name, changed in {"spoil": self.spoil, **self.planted}.items():
            if unknown := set(changed) - set(self.parameters):
                text = ", ".join(sorted(unknown))
                raise CaseError(f"{self.name}: {name} sets unknown parameters: {text}")
        try:
            json.dumps([self.parameters, self.spoil, self.planted])
        except TypeError as error:
            raise CaseError(f"{self.name}: parameters must be plain values: {error}") from error
        if not self.timeout > 0:
            raise CaseError(f"{self.name}: timeout {self.timeout} must be > 0")

    def runs_in(self, tier: str) -> bool:
        """Return True if the case runs in a tier: in the case's own tier or in a higher tier."""
        return TIERS.index(self.tier) <= TIERS.index(tier)


class Context:
    """The argument of the function that runs a case.

    The context has the parameters of the run, and methods that run LAMMPS and record results.

    Attributes:
        tier: tier of the run.
        parameters: parameters of the run. `context["e"]` is short for `context.parameters["e"]`.
        folder: scratch folder, which is deleted after the run unless `--keep` is given.
        inputs: the folder `inputs` next to the folder of cases.
        data: the folder `data` in the folder of cases.
    """

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

    @property
    def level(self) -> float:
        """Confidence level, to be passed as `level` to the functions of `pysuite.statistics`.

        The level is `LEVEL` (99.999 %), or `SINGLE_LEVEL` (95 %) if the effect of a claim is
        planted. Intervals of deterministic quantities have no level.
        """
        return statistics.SINGLE_LEVEL if self._result.planted else statistics.LEVEL

    def lammps(self, script: str | Path, **keywords: Any) -> engine.Run:
        """Run LAMMPS with `engine.run` in a new folder below the scratch folder of the case.

        If the script is given as text, variables that the script does not use are ignored. A case
        may therefore pass all its parameters to each of its scripts.
        """
        self._runs += 1
        if isinstance(script, str) and "variables" in keywords:
            unused = unused_variables(script, keywords["variables"])
            keywords["variables"] = {
                k: v for k, v in keywords["variables"].items() if k not in unused
            }
        keywords.setdefault("folder", self.folder / f"run-{self._runs:03d}")
        return engine.run(script, **keywords)

    def check(
        self,
        quantity: str,
        *,
        measured: float | Interval,
        reference: float,
        reason: str,
        tolerance: float = 0.0,
        kind: str = "relative",
    ) -> Verdict:
        """Judge a quantity as `judge` does. The case continues, also after a failure."""
        return self._keep(
            judge(
                self._result.case,
                quantity,
                measured=measured,
                reference=reference,
                tolerance=tolerance,
                kind=kind,
                reason=reason,
            )
        )

    def claim(
        self,
        number: str,
        quantity: str,
        measured: Interval,
        *,
        reason: str,
        at_most: float | None = None,
        at_least: float | None = None,
        equals: float | None = None,
        within: float = 0.0,
    ) -> Verdict:
        """Judge a quantity that decides a claim of the register. The case continues.

        Exactly one limit must be given. With `at_most`, the claim is found if the whole interval is
        at most `at_most`. With `at_least`, the claim is found if the whole interval is at least
        `at_least`. With `equals`, the claim is found if the whole interval is within
        `equals` ± `within`. The verdict fails if the finding differs from the register. In a
        planted run, whose parameters produce the claimed effect, the claim must be found.

        Raises:
            CaseError: the register does not list the claim for this case, or the number of limits
                is not one.
        """
        known = self._claim(number)
        limits = {"at_most": at_most, "at_least": at_least, "absolute": equals}
        given = [(kind, limit) for kind, limit in limits.items() if limit is not None]
        if len(given) != 1:
            raise CaseError(f"claim {number}: give exactly one of at_most, at_least and equals")
        ((kind, limit),) = given
        return self._keep(
            judge(
                self._result.case,
                quantity,
                measured=measured,
                reference=limit,
                tolerance=within,
                kind=kind,
                reason=reason,
                claim=number,
                expected="found" if number == self._result.planted else known.expected,
            )
        )

    def benchmark(
        self,
        quantity: str,
        measured: Interval,
        *,
        seeds: str = "",
        deviates: str = "",
        undecided: str = "",
    ) -> Verdict:
        """Judge a quantity by its row in `data/benchmarks/<case>.csv`. The case continues.

        `seeds` describes the seeds of the random numbers. `deviates` is the reason for a known
        deviation. With `deviates`, the whole interval must be outside the tolerance. `undecided` is
        the reason why the interval is too wide for a decision. With `undecided`, one part of the
        interval must be within the tolerance, and another part must be outside. Raises CaseError if
        the file has no row for the quantity.
        """
        known = benchmarks.references(self.data.parent, self._result.case)
        if quantity not in known:
            raise CaseError(f"benchmark {self._result.case} has no quantity {quantity!r}")
        reference = known[quantity]
        verdict = benchmarks.judge_by(
            reference, self._result.case, measured, seeds, deviates, undecided
        )
        return self._keep(verdict)

    def undecidable(
        self, number: str, quantity: str, measured: Interval, *, reason: str
    ) -> Verdict:
        """Record the measured quantity of a claim that cannot be judged. The case continues.

        For example, the paper may give no number, or the quantity may be a time that depends on the
        machine. Raises CaseError if the register does not list the claim for this case.
        """
        known = self._claim(number)
        return self._keep(
            reported(
                self._result.case,
                quantity,
                measured=measured,
                reason=reason,
                claim=number,
                expected=known.expected,
            )
        )

    def _claim(self, number: str) -> claims.Claim:
        known = claims.register(self.data.parent).get(number)
        if known is None or self._result.case not in known.cases:
            raise CaseError(f"the register has no claim {number} for case {self._result.case}")
        return known

    def _keep(self, verdict: Verdict) -> Verdict:
        self._result.verdicts.append(verdict)
        self._result.save()
        return verdict

    def check_close(
        self,
        quantity: str,
        found: ArrayLike,
        expected: ArrayLike,
        *,
        tolerance: float,
        reason: str,
        scale: float = 1.0,
    ) -> Verdict:
        """Judge the largest difference between corresponding values, divided by `scale`."""
        import numpy as np

        difference = np.abs(np.asarray(found, dtype=float) - np.asarray(expected, dtype=float))
        return self.check(
            quantity,
            measured=difference.max() / scale,
            reference=0.0,
            tolerance=tolerance,
            kind="absolute",
            reason=reason,
        )

    def reference(self, source: str) -> Any:
        """Return the contents of `data/<source>/reference.json`: numbers from a paper."""
        return json.loads((self.data / source / "reference.json").read_text())

    def figure(self, name: str, figure: Figure, caption: str) -> None:
        """Save a matplotlib figure as SVG, or as PNG if the SVG is large. The figure is closed."""
        self._result.keep_figure(name, figure, caption)

    def table(self, name: str, frame: pandas.DataFrame, caption: str = "") -> None:
        """Save a data frame as CSV."""
        path = self._result.attachment(name, ".csv")
        frame.to_csv(path, index=False)
        self._result.tables.append(Attachment(name, path.name, caption))
        self._result.save()

    def note(self, text: str) -> None:
        """Record a finding in words."""
        self._result.notes.append(text)
        self._result.save()

    def not_reproduced(self, text: str) -> None:
        """Record a result of the source that is not reproduced, and the reason if it is known."""
        self._result.not_reproduced.append(text)
        self._result.save()
