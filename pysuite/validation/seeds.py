"""Seeds of the random numbers in cases; all of them change from one repetition to the next.

`pysuite validate --repetitions 5` runs the cases that draw random numbers five more times with
other seeds: verdicts must not depend on them.
"""

from __future__ import annotations

SEED_STEP = 7919  # more than the differences between the seeds of one case
_repetition = 0
_asked = False


def repeat(repetition: int) -> None:
    """Set the repetition for this process from now on; 0 is the first run."""
    global _repetition
    _repetition = repetition


def seed(number: int) -> int:
    """Return the seed for a number: the number itself in the first run."""
    global _asked
    _asked = True
    return number + SEED_STEP * _repetition


def asked() -> bool:
    """Whether this process has asked for a seed that another repetition would change."""
    return _asked
