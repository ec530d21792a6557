"""Credible regions of `pysuite calibrate` contain the true parameters with nominal probability.

The problems are synthetic. A run returns the value of a smooth function plus a scatter of known
size.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pysuite.figures import panels
from pysuite.validation import Case, Context
from pysuite.validation.setups import calibration_problems
from pysuite.validation.setups.calibration_problems import KINDS, PARAMETERS

LEVEL = 0.95
PROBLEMS = 400
MIN_COVERAGE = 370 / 400
FEWEST_EACH = 88 / 100


def solve(c: Context) -> pd.DataFrame:
    rows = [
        {"kind": kind, "number": number}
        | calibration_problems.solve(calibration_problems.problem(kind, number, error=c["error"]))
        for kind in KINDS
        for number in range(c["problems"] // len(KINDS))
    ]
    return pd.DataFrame(rows)


def judge(c: Context, table: pd.DataFrame) -> None:
    c.check(
        f"number of problems, of {len(table)}, whose {LEVEL:.0%} region contains the true"
        " parameters",
        measured=int((table["level"] < LEVEL).sum()),
        reference=MIN_COVERAGE * len(table),
        kind="at_least",
        reason=(
            "if a region contains the true parameters with a probability of 95 %, then the"
            " probability of 370 or more of 400 is 98.9 %; if 95 % is replaced by 90 %, 98.9 %"
            " becomes 5 %"
        ),
    )
    for kind, rows in table.groupby("kind", sort=False):
        c.check(
            f"number of problems, of {len(rows)} with {KINDS[kind]}, whose region contains the"
            " true parameters",
            measured=int((rows["level"] < LEVEL).sum()),
            reference=FEWEST_EACH * len(rows),
            kind="at_least",
            reason=(
                "if a region contains the true parameters with a probability of 95 %, then the"
                " probability of 88 or more of 100 is 99.9 %; if 95 % is replaced by 81 %, 99.9 %"
                " becomes 5 %"
            ),
        )
    names = [parameter.name for parameter in PARAMETERS]
    c.check(
        f"number of true parameters, of {2 * len(table)}, inside their {LEVEL:.0%} interval",
        measured=int(table[names].to_numpy().sum()),
        reference=MIN_COVERAGE * 2 * len(table),
        kind="at_least",
        reason=(
            "the same fraction is required as for the regions; the probability of a pass is not"
            " given, because the two parameters of a problem are not independent"
        ),
    )


def tell(c: Context, table: pd.DataFrame) -> None:
    names = [parameter.name for parameter in PARAMETERS]
    of_kinds = table.groupby("kind", sort=False)
    c.note(
        f"Number of problems whose {LEVEL:.0%} region contains the true parameters, and number of"
        " true parameters inside their intervals: "
        + "; ".join(
            f"{KINDS[kind]}: {(rows['level'] < LEVEL).sum()} of {len(rows)} and"
            f" {int(rows[names].to_numpy().sum())} of {2 * len(rows)},"
            f" posterior {rows['width'].median():.2f} times as wide as the prior"
            for kind, rows in of_kinds
        )
        + "."
    )


def draw(c: Context, table: pd.DataFrame) -> None:
    figure, (axis,) = panels(1)
    for kind, rows in table.groupby("kind", sort=False):
        inside = np.arange(1, len(rows) + 1) / len(rows)
        axis.step(np.sort(rows["level"]), inside, where="post", label=kind)
    axis.plot([0.0, 1.0], [0.0, 1.0], color="k", linewidth=0.8)
    axis.set(xlabel="probability of the region", ylabel="fraction of problems")
    axis.legend()
    c.figure(
        "coverage",
        figure,
        "Fraction of problems whose region contains the true parameters, against the probability"
        " of the region.",
    )


def run(c: Context) -> None:
    table = solve(c)
    c.table(
        "problems",
        table,
        "level: probability of the smallest region of the posterior that contains the true"
        " parameters; friction and rolling: 1 if the 95 % interval of the parameter contains the"
        " true value.",
    )
    judge(c, table)
    tell(c, table)
    draw(c, table)


CASE = Case(
    name="calibration-coverage",
    title="Credible regions of pysuite calibrate contain the true parameters with nominal"
    " probability",
    source="synthetic problems with known answers",
    tier="full",
    parameters={"error": 1.0, "problems": PROBLEMS},
    spoil={"error": 2.0, "problems": 40},
    run=run,
    timeout=7200.0,
)
