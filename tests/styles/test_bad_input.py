"""Bad input causes a LAMMPS error, never a crash.

The error message names the keyword, the value and the bound.
"""

from __future__ import annotations

import pytest

from pysuite import engine

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
    "missing tangential": ("* * hooke 1 1", ["tangential", "missing"]),
    "unknown keyword": (f"* * {GOOD} limit_damping skid 3", ["unknown keyword", "skid"]),
    "unknown model": ("* * hook 1 1", ["normal", "hook", "hertz"]),
    "wrong number": (f"* * {GOOD} 7 8", ["tangential linear_history", "3", "not 5", "7"]),
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
    "twice": (f"* * {GOOD} slider csds slider dsds", ["slider", "only once"]),
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


# keys: commands up to their first keyword; values: the keywords that the error message lists
COMMANDS = {
    "granular/film": "rate, bridges, supply, initial",
    "granular/temperature": "initial, expansion, reference",
    "granular/bond": "form, once, every, within, events",
    "shape/granular/plus": "file, density, surface, nodes, cell, orient, vtk",
    f"wall/granular/plus {GOOD} zplane 0 NULL": "wiggle, shear, move, rotate, load, contacts, "
    "local, temperature, film",
    f"wall/granular/plus {GOOD} region box": "contacts, local, temperature, film",
    "granular/insert": "region, mesh, face, seed, number, mass, rate, every, tries, species, "
    "velocity, film, temperature",
}


def test_a_keyword_of_the_contact_model_after_the_wall_style_brings_its_place(lammps_error):
    box = BOX.replace("comm_modify vel yes", "comm_modify vel yes\nboundary p p f")
    wall = f"fix it all wall/granular/plus {GOOD} zplane 0 NULL"
    message = lammps_error(f"{box}{wall} bridge willett 0.07 20 volume 1e-3")
    assert (
        "keyword bridge belongs to the contact model; put this keyword before the wall style"
        in message
    )


@pytest.mark.parametrize(("command", "known"), COMMANDS.items())
def test_an_unknown_keyword_brings_the_known_ones(lammps_error, command, known):
    box = BOX.replace("comm_modify vel yes", "comm_modify vel yes\nboundary p p f")
    message = lammps_error(f"{box}fix it all {command} nowhere 3")
    assert f"unknown keyword nowhere; known are {known}" in message
    assert "fix it" in message


FILM = "granular/film"
INSERT = "granular/insert region box seed 1"
WALL = f"wall/granular/plus {GOOD} zplane 0 NULL"


@pytest.mark.parametrize(
    ("words", "message"),
    {
        "whole": (f"{INSERT} every 1.5", "keyword every: N = 1.5 must be an integer"),
        "least": (f"{INSERT} every -3", "keyword every: N = -3 must be >= 1 and <= 2147483647"),
        "most": (f"{INSERT} number 99999999999", "must be >= 1 and <= 2147483647"),
        "hexadecimal": (f"{FILM} rate 0x10", "keyword rate: E = 0x10 must be a finite number"),
        "infinite": (f"{FILM} rate 1e999", "keyword rate: E = 1e999 must be a finite number"),
        "empty": (f"{FILM} rate ''", "keyword rate: E =  must be a finite number"),
        "or NULL": (
            f"{WALL} load z 1 mass 1 between a NULL",
            "keyword load: between lo = a must be a finite number or NULL",
        ),
        "optional, half": (
            f"{WALL} load z 1 mass 1 between NULL",
            "keyword load needs dim F mass M [drag C] [between lo hi]: ",
        ),
        "choice": (f"{WALL} shear u 1", "keyword shear: dim = u must be x, y or z"),
        "yes or no": (f"{FILM} bridges maybe", "keyword bridges: maybe must be yes or no"),
        "variable": (
            f"{WALL} move NULL 3 fast",
            "keyword move: vz = fast must be a number or v_name",
        ),
        "repeated": (f"{WALL} shear x 1 shear x 2", "dimension x already has the motion shear"),
        "twice": (
            f"{WALL} contacts local contacts",
            "keyword contacts must be given only once",
        ),
        "one of two": (
            f"{INSERT} number 5 mass 2",
            "keyword mass = 2: number or mass must be given only once; number = 5 was given before",
        ),
        "missing": (f"{INSERT} rate 2", "keyword number or mass is missing"),
        "rest": (f"{INSERT} species 1 density", "keyword species needs TYPE density D"),
    }.values(),
)
def test_operands(lammps_error, words, message):
    box = BOX.replace("comm_modify vel yes", "comm_modify vel yes\nboundary p p f")
    found = lammps_error(f"{box}fix it all {words}")
    assert message in found
    assert "fix it" in found


def test_words_that_mean_yes_and_optional_ones():
    box = BOX.replace("comm_modify vel yes", "comm_modify vel yes\nboundary p p f")
    fixes = f"fix film all property/atom d_film ghost yes\nfix dry all {FILM} rate 1 bridges on\n"
    fixes += f"fix lid all {WALL} load z 1 mass 2 between NULL 1 shear x 1 shear y 2\n"
    fixes += f"fix top all {WALL} move 1 NULL NULL move NULL 2 NULL contacts\n"
    engine.run(f"{box}pair_style granular/plus\npair_coeff * * {GOOD}\n{fixes}{MOVE}")


MOVE = "\nfix move all nve/sphere\nrun 1"


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("atom_style sphere", "atom_style atomic", ["radius", "atom_style sphere"]),
        ("comm_modify vel yes", "comm_modify vel no", ["velocities", "comm_modify vel yes"]),
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
