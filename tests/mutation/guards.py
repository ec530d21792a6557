"""Guards, placeholders and limits in the laws: numbers whose change has no effect for users.

A part of the source line identifies each number.
"""

from __future__ import annotations

FLAG = "a flag: only whether it is zero matters"
GUARD = "keeps a quotient finite where its value is not used"
SEARCH = "start, step or limit of a search; it does not affect the result of the search"
PLACEHOLDER = "placeholder for a value that is not used"
UNREAD = "only used by damping laws that cannot be combined with this normal law"

# For each header, this table lists parts of lines. Beside each part is the reason why no case needs
# to detect a change of the number in the line.
GUARDS = {
    "bond/beam.h": {
        "broken() { return {-1.0}; }": "only its sign matters",
    },
    "capillary/film.h": {
        "Law::prepare({given.tension, given.contact_angle, 1.0})": PLACEHOLDER,
    },
    "friction/dsds.h": {"sliding = slips ? 1.0": FLAG},
    "normal/actm.h": {"effective_shear_modulus(1.5 * (1.0 - ratio": PLACEHOLDER},
    "normal/edinburgh.h": {
        "given.exponent == 1.0": UNREAD,
        "(plastic > 0.0 ? plastic : 1.0)": GUARD,
    },
    "normal/jkr.h": {"return 4.0 / 3.0 * c.modulus * contact.contact_radius;": UNREAD},
    "normal/normal_law.h": {
        "double shallow = 1.0e-5": SEARCH,
        "const double middle": SEARCH,
    },
    "normal/thornton_ning.h": {
        "const double presses": FLAG,
        "const double yields": FLAG,
        "(2.0 * p.elastic) : 1.0": GUARD,
        "return a * a / radius - 2.0 *": "cancels in the difference of two overlaps",
        "q -= (q * (q * q - p) - r)": SEARCH,
    },
    "random.h": {"+ 0.5) * 0x1p-53": "half of the last digit of a random number, which is never 0"},
    "stages/bridge.h": {"kept[0][l] > 0.0 ? kept[0][l] : 1.0": GUARD},
    "stages/normal.h": {
        "constexpr double TOLERATED_OVERLAP": "smallest overlap for which a warning is issued",
    },
    "stages/rolling.h": {"const double moves = timestep > 0.0": FLAG},
    "stages/tangential.h": {
        "const double nearly": "fraction of the squared limit from which a contact slides",
        "const double moves = timestep > 0.0": FLAG,
    },
    "tangential/mindlin_deresiewicz.h": {
        "LANE bool at_edge": GUARD,
        "const double way = divisor > 0.0": "limit that only round-off can exceed",
        "const double fraction = divisor > 0.0": GUARD,
        "const double rim": "position of a knot that is not needed",
        "new_knot.square = smaller(outermost": "position of a knot that is not needed",
    },
}


def reason(place: str, line: str) -> str:
    """Return why no case needs to detect a mutation of this line, or "" if a case must do so."""
    for piece, why in GUARDS.get(place.partition(":")[0], {}).items():
        if piece in line:
            return why
    return ""
