"""Synthetic problems with known answers for `pysuite calibrate`; this script solves all of them.

Each problem has two parameters, and two or three bulk values that scatter from run to run. The
targets are the bulk values for known parameters, plus a random error as large as the uncertainty.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from pysuite.lab import calibrate, inference
from pysuite.lab.inference import Target
from pysuite.validation.setups import calibration_problems
from pysuite.validation.setups.calibration_problems import DESIGN, PARAMETERS

TABLE = Path(__file__).with_name("calibration_problems.csv")
COUNT = 40


def laws(number):
    random = np.random.default_rng([40, number])
    return calibration_problems.smooth(random)[: random.integers(2, 4)]


def problem(number, *, scatter=0.8, uncertainty=0.5):
    """Return the planted scaled parameters, the targets, and the function that evaluates points."""
    functions = laws(number)
    random = np.random.default_rng([41, number])
    planted = random.uniform(0.0, 1.0, len(PARAMETERS))
    targets = [
        Target(f"value {n}", float(law(planted) + uncertainty * random.normal()), uncertainty)
        for n, law in enumerate(functions)
    ]

    def evaluate(points, numbers, stage):
        u = np.column_stack([p.coordinate([q[p.name] for q in points]) for p in PARAMETERS])
        table = {}
        for n, law in enumerate(functions):
            noise = [
                np.random.default_rng([42, number, n, repetition]).normal()
                for repetition in numbers
            ]
            table[f"value {n}"] = law(u) + scatter * np.array(noise)
        return pd.DataFrame(table)

    return planted, targets, evaluate


def solve(number):
    planted, targets, evaluate = problem(number)
    found = calibrate.calibrate(PARAMETERS, targets, evaluate, DESIGN)
    there = inference.log_likelihood(planted, targets, found.surrogates)[0]
    widths = found.posterior.widths
    quantiles = found.posterior.quantiles((0.05, 0.25, 0.75, 0.95))
    inside = [
        int(((quantiles[n] <= planted) & (planted <= quantiles[3 - n])).sum()) for n in (1, 0)
    ]
    return {
        "problem": number,
        "level": round(found.posterior.level_of(there), 3),
        "in_50": inside[0],
        "in_90": inside[1],
        "width_friction": round(float(widths[0]), 3),
        "width_rolling": round(float(widths[1]), 3),
        "identified": found.identified,
    }


def main():
    rows = []
    for number in range(COUNT):
        rows.append(solve(number))
        print(rows[-1], file=sys.stderr)
    pd.DataFrame(rows).to_csv(TABLE, index=False)


if __name__ == "__main__":
    main()
