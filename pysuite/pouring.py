"""Convert mass fractions of sieved grains to the number fractions that `fix pour` needs."""

from __future__ import annotations

import math
from collections.abc import Mapping


def diameters_by_mass(fractions: Mapping[float, float]) -> str:
    """Return the words of `fix pour` for classes of diameters.

    All grains have the same density.

    >>> diameters_by_mass({1.0: 0.5, 2.0: 0.5})
    'diam poly 2 1.0 0.8888888888888888 2.0 0.1111111111111111'

    Args:
        fractions: mass fraction of each diameter. Mass fractions are normalized to a sum of 1.

    Raises:
        ValueError: there is no class, a diameter is not > 0 and finite, or a fraction is not >= 0
            and finite.
    """
    for diameter, fraction in fractions.items():
        if not (diameter > 0.0 and math.isfinite(diameter)):
            raise ValueError(f"diameter = {diameter} must be > 0 and finite")
        if not (fraction >= 0.0 and math.isfinite(fraction)):
            raise ValueError(
                f"the mass fraction {fraction} of diameter {diameter:g} must be >= 0 and finite"
            )
    number = {d: fraction / d**3 for d, fraction in fractions.items() if fraction > 0.0}
    if not number:
        raise ValueError("at least one class of grains must have a mass fraction > 0")
    total = sum(number.values())
    words = [f"{float(diameter)!r} {float(count / total)!r}" for diameter, count in number.items()]
    return f"diam poly {len(words)} {' '.join(words)}"
