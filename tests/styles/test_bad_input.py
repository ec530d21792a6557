"""Bad input is a LAMMPS error that names keyword, value and bound; never a crash."""

from __future__ import annotations

import pytest

BOX = """
units lj
atom_style sphere
comm_modify vel yes
region box block 0 9 0 9 0 9
create_box 2 box
create_atoms 1 single 2 2 2
create_atoms 2 single 2.9 2 2
"""
GOOD = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"

BAD_COEFFICIENTS = {
    "missing tangential": ("* * hooke 1 1", ["tangential", "required"]),
    "unknown keyword": (f"* * {GOOD} limit_damping skid 3", ["unknown keyword", "skid"]),
    "unknown model": ("* * hook 1 1", ["normal", "hook", "hertz"]),
    "wrong number": (f"* * {GOOD} 7 8", ["tangential linear_history", "3", "got 5", "7"]),
    "text": (f"* * {GOOD.replace('1e4', 'stiff')}", ["kn = stiff", "number"]),
    "NaN": (f"* * {GOOD.replace('1e4', 'nan')}", ["kn = nan", "finite"]),
    "infinity": (f"* * {GOOD.replace('5e3', 'inf')}", ["kt = inf", "finite"]),
    "negative": (f"* * {GOOD.replace('1e4', '-1')}", ["kn = -1", ">= 0"]),
    "friction": (
        f"* * {GOOD.replace('0.5', '-0.3')}",
        ["granular/plus", "friction coefficient mu = -0.3 must be >= 0"],
    ),
    "restitution": (
        "* * hooke 1 1.2 damping tsuji tangential linear_nohistory 1 1",
        ["e = 1.2", "> 0 and <= 1"],
    ),
    "Poisson's ratio": (
        "* * hertz/material 1 1 0.7 tangential linear_nohistory 1 1",
        ["nu = 0.7", "> -1 and <= 0.5"],
    ),
    "NULL": ("* * hertz 1 1 tangential mindlin NULL 1 1", ["kt = NULL", "E and nu"]),
    "twice": (f"* * {GOOD} slider csds slider dsds", ["slider", "twice"]),
    "nothing": ("", []),
    "types alone": ("* *", ["normal"]),
    "type beyond": (f"1 3 {GOOD}", ["3"]),
    "no type": (f"one two {GOOD}", ["one"]),
    "empty type": (f"'' 1 {GOOD}", ["types must be numbers or ranges"]),
    "type with two signs": (f"1 --3 {GOOD}", ["types must be numbers or ranges"]),
}


@pytest.mark.parametrize(("line", "named"), BAD_COEFFICIENTS.values(), ids=BAD_COEFFICIENTS)
def test_bad_pair_coeff(lammps_error, line, named):
    message = lammps_error(f"{BOX}pair_style granular/plus\npair_coeff {line}")
    for word in named:
        assert word in message


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("-1", ["cutoff", "-1", "> 0"]),
        ("0", ["cutoff", "0", "> 0"]),
        ("nan", ["nan"]),
        ("far", ["far"]),
        ("1.2 1.3", ["1.3"]),
        ("1.2 colour red", ["colour"]),
        ("ledgr yes", ["did you mean ledger?"]),
    ],
)
def test_bad_pair_style(lammps_error, arguments, named):
    message = lammps_error(f"{BOX}pair_style granular/plus {arguments}")
    for word in named:
        assert word in message


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (f"fix wall all wall/granular/plus {GOOD} zplan 0 NULL", "zplane"),
        (f"fix wall all wall/granular/plus {GOOD} zplane 0 NULL wigle z 1 1", "wiggle"),
        (f"fix wall all wall/granular/plus {GOOD} wallmatrial 1 0.3 zplane 0 1", "wallmaterial"),
        ("pair_style capillary/willett\npair_coeff * * 1 1 volume 1 simpel", "simple"),
        ("pair_style granular/plus\npair_coeff * * hooke 1 1 tangental linear_history", "tang"),
    ],
)
def test_a_mistyped_word_is_guessed(lammps_error, line, meant):
    box = BOX.replace("comm_modify vel yes", "comm_modify vel yes\nboundary p p f")
    assert f"did you mean {meant}" in lammps_error(f"{box}{line}\nrun 1")


MOVE = "\nfix move all nve/sphere\nrun 1"


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("atom_style sphere", "atom_style atomic", ["radius", "atom_style sphere"]),
        ("comm_modify vel yes", "comm_modify vel no", ["velocity", "comm_modify vel yes"]),
        ("units lj", "units lj\natom_modify id no", ["IDs"]),
    ],
    ids=["wrong atom style", "ghost velocities off", "no atom IDs"],
)
def test_what_the_pair_style_needs(lammps_error, old, new, named):
    script = BOX.replace(old, new)
    move = MOVE
    if "atomic" in new:
        script += "mass * 1\n"
        move = "\nfix move all nve\nrun 1"
    message = lammps_error(f"{script}pair_style granular/plus\npair_coeff * * {GOOD}{move}")
    for word in ["granular/plus", *named]:
        assert word in message


@pytest.mark.parametrize(
    ("second", "named"),
    [
        ("", ["types 1 2"]),
        (f"pair_coeff 2 2 {GOOD.replace('hooke', 'hertz')}", ["types 1 2", "hooke", "hertz"]),
        (f"pair_coeff 2 2 {GOOD} slider dsds", ["types 1 2", "csds", "dsds"]),
    ],
    ids=["one type without", "unlike models", "unlike sliders"],
)
def test_types_that_cannot_be_mixed(lammps_error, second, named):
    pair = f"pair_style granular/plus\npair_coeff 1 1 {GOOD}\n{second}"
    message = lammps_error(f"{BOX}{pair}{MOVE}")
    for word in named:
        assert word in message or "not set" in message


def test_bad_input_on_two_ranks_ends_all_ranks(lammps_error):
    bad = f"pair_style granular/plus\npair_coeff * * {GOOD} slider glide"
    assert "glide" in lammps_error(BOX + bad, ranks=2)


def test_the_history_fix_is_not_for_users(lammps_error):
    assert "granular/plus" in lammps_error(f"{BOX}fix mine all GRANULAR_PLUS/HISTORY")
