"""Seeds of the random numbers in cases. All seeds differ between repetitions.

`pysuite validate --repetitions 5` runs the cases that draw random numbers five more times, each
time with other seeds. Verdicts must not depend on the seeds.
"""

from __future__ import annotations

SEED_STEP = 7919  # larger than any difference between two seeds of one case
_repetition = 0
_asked = False


def repeat(repetition: int) -> None:
    """Set the number of the repetition in this process. The first run has the number 0."""
    global _repetition
    _repetition = repetition


def seed(number: int) -> int:
    """Return the seed for a number. In the first run, the seed is the number itself."""
    global _asked
    _asked = True
    return number + SEED_STEP * _repetition


def asked() -> bool:
    """Return True if this process has called `seed`: its results depend on the repetition."""
    return _asked
