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
        title: one sentence on what the case shows.
        source: the reference: a paper and figure, or a closed form; see `pysuite.sources`.
        tier: the lowest tier in which the case runs; quick includes smoke, full includes quick.
        parameters: defaults, which `--set key=value` overrides.
        spoil: parameters with which the case must fail.
        run: the function that runs the case, `run(context) -> None`.
        planted: for each claim that the case does not find, keyed by its number, the parameters
            that create the claimed effect on purpose; with these the case must find the claim.
        timeout: seconds after which the whole case is killed and fails.
        file: file that defines the case (set by `discover`).
        root: folder of all cases, with `data` in it and `inputs` next to it (set by `discover`).
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
        """Whether the case runs in a tier: its own or a higher one."""
        return TIERS.index(self.tier) <= TIERS.index(tier)


class Context:
    """What a case's function receives: parameters, LAMMPS, and methods that record results.

    Attributes:
        tier: tier of the run.
        parameters: parameters of the run; `context["e"]` is short for `context.parameters["e"]`.
        folder: scratch folder, deleted after the run unless `--keep` is given.
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
        """Confidence level of intervals: `LEVEL` or, if an effect is planted, `SINGLE_LEVEL`."""
        return statistics.SINGLE_LEVEL if self._result.planted else statistics.LEVEL

    def lammps(self, script: str | Path, **keywords: Any) -> engine.Run:
        """Run LAMMPS with `engine.run` in a new folder below the case's scratch folder.

        A script given as text receives only the variables that it uses, so a case may pass its
        whole table of parameters to each of its scripts.
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
        """Judge a quantity (see `judge`); the case continues even if the verdict is a failure."""
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
        """Judge a quantity that decides a claim of the register; the case continues.

        The claim is found if the whole interval is at most `at_most`, at least `at_least`, or no
        further than `within` from `equals`. The verdict fails if the finding differs from the one
        in the register. If the claim's effect is planted, the verdict fails if the claim is not
        found.

        Raises:
            CaseError: the register has no such claim for this case, or not exactly one limit is
                given.
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
        """Judge a quantity by its row in `data/benchmarks/<case>.csv`; the case continues.

        `seeds` describes the seeds of the random numbers. `deviates` gives the reason for a known
        deviation: in that case the result must be outside the tolerance. `undecided` gives the
        reason why the interval is too wide for a verdict: in that case the interval must be partly
        within the tolerance and partly outside. Raises CaseError if there is no such reference.
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
        """Record the measured quantity of a claim that cannot be judged; the case continues.

        Possible reasons: the paper does not give a number, or the quantity is a time that depends
        on the machine. Raises CaseError if the register has no such claim for this case.
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
        """Judge the largest difference of corresponding values, as a fraction of `scale`."""
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
        """Return the contents of `data/<source>/reference.json`: numbers printed in a paper."""
        return json.loads((self.data / source / "reference.json").read_text())

    def figure(self, name: str, figure: Figure, caption: str) -> None:
        """Save a matplotlib figure as SVG, or as PNG if the SVG is large; then close it."""
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
        """Record in words a result of the source that is not reproduced and, if known, why."""
        self._result.not_reproduced.append(text)
        self._result.save()
