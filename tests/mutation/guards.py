"""Numbers of the laws that a change of which no user could feel: guards, placeholders and limits.

Each is named by a piece of the line in which it stands, and a test finds every piece in its header.
"""

from __future__ import annotations

FLAG = "a flag: only whether it is zero matters"
GUARD = "keeps a quotient finite where its value is not used"
SEARCH = "start, step or limit of a search that ends at the same place"
PLACEHOLDER = "stands where no value is needed"

# by header, a piece of the line: why
GUARDS = {
    "capillary/film.h": {
        "Law::prepare({given.tension, given.contact_angle, 1.0})": PLACEHOLDER,
    },
    "normal/actm.h": {"effective_shear_modulus(1.5 * (1.0 - ratio": PLACEHOLDER},
    "normal/normal_law.h": {
        "double shallow = 1.0e-5": SEARCH,
        "const double middle": SEARCH,
    },
    "stages/bridge.h": {"kept[0][l] > 0.0 ? kept[0][l] : 1.0": GUARD},
    "stages/normal.h": {
        "constexpr double TOLERATED_OVERLAP": "from which a warning is given",
    },
    "stages/rolling.h": {"const double moves = timestep > 0.0": FLAG},
    "stages/tangential.h": {
        "const double nearly": "from which a contact is said to slide",
        "const double moves = timestep > 0.0": FLAG,
    },
    "tangential/mindlin_deresiewicz.h": {
        "LANE bool at_edge": GUARD,
        "const double rim": "where a knot of the memory is put that is to spare",
        "anew.square = smaller(outermost": "where a knot of the memory is put that is to spare",
    },
}


def reason(place: str, line: str) -> str:
    """Return why a number needs no case to notice a change; empty if it needs one.

    `place` begins with its header, `line` is the line of the header in which it stands.
    """
    for piece, why in GUARDS.get(place.partition(":")[0], {}).items():
        if piece in line:
            return why
    return ""
