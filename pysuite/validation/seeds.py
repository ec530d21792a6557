"""Seeds of the random numbers in cases; all seeds change from one repetition to the next.

`pysuite validate --repetitions 5` runs the cases that draw random numbers five more times with
other seeds: verdicts must not depend on them.
"""

from __future__ import annotations

SEED_STEP = 7919  # larger than any difference between two seeds of one case
_repetition = 0
_asked = False


def repeat(repetition: int) -> None:
    """Set the repetition for this process from now on; 0 is the first run."""
    global _repetition
    _repetition = repetition


def seed(number: int) -> int:
    """Return the seed for a number; in the first run, it is the number itself."""
    global _asked
    _asked = True
    return number + SEED_STEP * _repetition


def asked() -> bool:
    """Whether this process has requested a seed that another repetition would change."""
    return _asked
