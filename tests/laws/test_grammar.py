"""Contact models as users write them: bounds, messages, mixing, and conversion back to text."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import laws

FRICTION = "tangential linear_history 1e4 1 0.5"
MDR = "mdr 5e6 0.4 1.9e5 2 0.5 0.5"
GOOD = f"hooke 2e4 5 damping velocity {FRICTION} slider csds"


def test_every_parameter_has_symbol_unit_meaning_and_bounds():
    for role, entries in laws.registry().items():
        assert len({law["name"] for law in entries}) == len(entries)
        for law in entries:
            assert law["source"], f"{role} {law['name']}"
            for parameter in law["parameters"]:
                where = f"{role} {law['name']} {parameter}"
                assert parameter["symbol"], where
                assert parameter["unit"], where
                assert len(parameter["meaning"]) > 5, where
                assert parameter["low"] < parameter["high"], where
                assert np.isfinite([parameter["low"], parameter["high"]]).any(), where


def test_models_are_those_of_the_manual():
    names = {role: [law["name"] for law in list_] for role, list_ in laws.registry().items()}
    assert {"hooke", "hertz", "hertz/material", "dmt", "jkr", "actm"} <= set(names["normal"])
    assert {"velocity", "mass_velocity", "tsuji", "coeff_restitution"} <= set(names["damping"])
    assert {
        "linear_nohistory",
        "linear_history",
        "mindlin",
        "mindlin/force",
        "mindlin_rescale",
        "mindlin_rescale/force",
    } <= set(names["tangential"])
    assert {"none", "sds"} <= set(names["rolling"])
    assert {"none", "sds", "marshall"} <= set(names["twisting"])
    assert {"csds", "dsds", "truncate"} <= set(names["slider"])


def test_what_is_not_given_has_its_default():
    text = laws.ContactModel(f"hooke 1 2 {FRICTION}").text
    for default in ("damping viscoelastic", "rolling none", "twisting none", "slider csds"):
        assert default in text


def test_text_comes_back_as_the_same_model(model_text, make_contacts):
    given = laws.ContactModel(model_text)
    again = laws.ContactModel(given.text)
    assert again.text == given.text
    contacts = make_contacts(given)
    one, other = contacts.evaluate(given), contacts.evaluate(again)
    np.testing.assert_array_equal(one.force, other.force)
    np.testing.assert_array_equal(one.history, other.history)


@pytest.mark.parametrize("extra", ["limit_damping", "cutoff 1.25", "cutoff 0.1 limit_damping"])
def test_options_survive_the_way_to_text(extra):
    text = laws.ContactModel(f"{GOOD} {extra}").text
    assert extra.split()[0] in text
    assert laws.ContactModel(text).text == text


def test_numbers_survive_the_way_to_text_to_the_last_bit():
    value = 0.1 + 0.2
    assert (
        laws.ContactModel(f"hooke {value!r} 1e-300 {FRICTION}").text.split()[1]
        == "0.30000000000000004"
    )


def test_keywords_may_come_in_any_order():
    moved = (
        f"hooke 2e4 5 twisting marshall slider csds {FRICTION} rolling sds 1 2 3 damping velocity"
    )
    usual = f"{GOOD} rolling sds 1 2 3 twisting marshall"
    assert laws.ContactModel(moved).text == laws.ContactModel(usual).text


# ---------------------------------------------------------------------------- mixing


def numbers_of(text: str, model: str, count: int) -> list[float]:
    words = text.split()
    start = words.index(model) + 1
    return [float(word) for word in words[start : start + count]]


def test_stiffness_damping_and_friction_mix_geometrically():
    mixed = laws.mix(
        "hooke 100 4 damping velocity tangential linear_history 50 0.5 0.2",
        "hooke 400 9 damping velocity tangential linear_history 200 2 0.8",
    )
    np.testing.assert_allclose(numbers_of(mixed, "hooke", 2), [200, 6], rtol=1e-15)
    np.testing.assert_allclose(numbers_of(mixed, "linear_history", 3), [100, 1.0, 0.4], rtol=1e-15)


def test_rolling_and_twisting_mix_geometrically():
    mixed = laws.mix(
        f"hooke 1 1 {FRICTION} rolling sds 2 3 0.1 twisting sds 100 0 0.01",
        f"hooke 1 1 {FRICTION} rolling sds 8 27 0.4 twisting sds 400 7 0.04",
    )
    rolling, twisting = mixed.split("twisting")
    np.testing.assert_allclose(numbers_of(rolling, "sds", 3), [4, 9, 0.2], rtol=1e-15)
    np.testing.assert_allclose(numbers_of(twisting, "sds", 3), [200, 0, 0.02], rtol=1e-15)


def test_collision_time_and_restitution_mix_geometrically_moduli_as_springs_in_a_row():
    first = f"actm 1e-3 0.4 1000 0.1 {FRICTION}"
    mixed = numbers_of(laws.mix(first, f"actm 4e-3 0.9 3000 0.4 {FRICTION}"), "actm", 4)
    modulus = 1 / ((1 - 0.1**2) / 1000 + (1 - 0.4**2) / 3000)
    np.testing.assert_allclose(mixed, [2e-3, 0.6, modulus, 0.2], rtol=1e-14)
    unbounded = laws.mix(first, f"actm 4e-3 0.9 NULL 0.4 {FRICTION}")
    assert unbounded.split()[3] == "NULL"
    steps = laws.mix(first.replace("1e-3", "steps 20"), f"actm steps 80 0.9 3000 0.4 {FRICTION}")
    assert steps.startswith("actm steps 40 ")
    with pytest.raises(ValueError, match=r"cannot mix .*actm, one with Tc as a time and the other"):
        laws.mix(first, first.replace("1e-3", "steps 20"))


@pytest.mark.parametrize(("normal", "energy"), [("hertz/material", ""), ("dmt", 2), ("jkr", 2)])
def test_moduli_mix_as_two_springs_in_a_row(normal, energy):
    first, second = (f"{energy and given}" for given in (2.0, 8.0))
    mixed = laws.mix(
        f"{normal} 1000 4 0.1 {first} {FRICTION}", f"{normal} 3000 9 0.4 {second} {FRICTION}"
    )
    modulus = 1 / ((1 - 0.1**2) / 1000 + (1 - 0.4**2) / 3000)
    expected = [modulus, 6, 0.2, 4][: 4 if energy else 3]
    np.testing.assert_allclose(numbers_of(mixed, normal, len(expected)), expected, rtol=1e-14)


def test_a_stiffness_from_the_material_stays_one():
    null, given = "tangential mindlin NULL 1 0.5", "tangential mindlin 50 1 0.5"
    for first, second in [(null, null), (null, given), (given, null)]:
        mixed = laws.mix(f"hertz/material 1e3 1 0.1 {first}", f"hertz/material 1e3 1 0.1 {second}")
        assert "mindlin NULL" in mixed


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (f"hooke 1 1 {FRICTION}", f"hertz 1 1 {FRICTION}", ["normal", "hooke", "hertz"]),
        (
            f"hooke 1 1 damping velocity {FRICTION}",
            f"hooke 1 1 damping tsuji {FRICTION}",
            ["damping", "velocity", "tsuji"],
        ),
        (
            f"hooke 1 1 {FRICTION}",
            "hooke 1 1 tangential mindlin 1 1 1",
            ["tangential", "linear_history", "mindlin"],
        ),
        (f"{GOOD}", GOOD.replace("csds", "dsds"), ["slider", "csds", "dsds"]),
        (GOOD, f"{GOOD} rolling sds 1 1 1", ["rolling", "none", "sds"]),
        (
            f"{GOOD} twisting marshall",
            f"{GOOD} twisting sds 1 1 1",
            ["twisting", "marshall", "sds"],
        ),
        (
            f"dmt 1 1 0.3 1 {FRICTION}",
            f"jkr 1 1 0.3 1 {FRICTION}",
            ["normal", "dmt", "jkr"],
        ),
        (
            f"{MDR} damping mdr 1 {FRICTION}",
            f"mdr 5e6 0.3 1.9e5 2 0.5 0.5 damping mdr 1 {FRICTION}",
            ["normal", "mdr", "different parameters"],
        ),
    ],
)
def test_unlike_models_do_not_mix(first, second, named):
    with pytest.raises(ValueError, match="cannot mix") as error:
        laws.mix(first, second)
    for word in [*named, "pair_coeff"]:
        assert word in str(error.value)


def test_limited_damping_and_the_larger_cutoff_win():
    mixed = laws.mix(f"{GOOD} limit_damping cutoff 1.5", f"{GOOD} cutoff 2.5")
    assert "limit_damping" in mixed
    assert "cutoff 2.5" in mixed


# ---------------------------------------------------------------------------- bad input

BAD = {
    "missing tangential": ("hooke 1 1", ["tangential", "missing", "linear_history"]),
    "no words": ("", ["normal", "hooke"]),
    "unknown normal model": (f"hook 1 1 {FRICTION}", ["normal", "hook", "hooke", "hertz/material"]),
    "unknown tangential model": ("hooke 1 1 tangential linear 1 1 1", ["tangential", "linear"]),
    "unknown damping model": (f"hooke 1 1 damping air {FRICTION}", ["damping", "air", "tsuji"]),
    "unknown slider": (f"hooke 1 1 {FRICTION} slider glide", ["slider", "glide", "csds"]),
    "unknown keyword": (f"{GOOD} limit_damping skid 3", ["unknown keyword", "skid"]),
    "unknown keyword after numbers": (f"hooke 1 1 {FRICTION} skid 3", ["linear_history", "skid"]),
    "mdr undamped": (
        f"mdr 5e6 0.4 1.9e5 2 0.5 0.5 {FRICTION}",
        ["mdr", "viscoelastic", "it needs damping mdr"],
    ),
    "damping mdr": (f"hooke 1 1 damping mdr 1 {FRICTION}", ["damping mdr", "hooke", "model mdr"]),
    "damping mdr 1.5": (
        f"{MDR} damping mdr 1.5 {FRICTION}",
        ["damping mdr", "type = 1.5", "1 or 2"],
    ),
    "damping mdr 3": (
        f"{MDR} damping mdr 3 {FRICTION}",
        ["damping mdr", "type = 3", ">= 1 and <= 2"],
    ),
    "mdr that cannot be compressed": (
        f"mdr 5e6 0.5 1.9e5 2 0.5 0.5 damping mdr 1 {FRICTION}",
        ["normal mdr", "nu = 0.5", ">= 0 and < 0.5"],
    ),
    "mdr without strength": (
        f"mdr 5e6 0.4 0 2 0.5 0.5 damping mdr 1 {FRICTION}",
        ["normal mdr", "yield stress Y = 0", "> 0"],
    ),
    "mdr with a bridge": (
        f"{MDR} damping mdr 1 {FRICTION} bridge willett 1 20 volume 1e-3",
        ["normal model mdr", "bridge willett"],
    ),
    "mdr with attraction": (
        f"{MDR} damping mdr 1 {FRICTION} van_der_waals 1e-3 1e-2 0.1",
        ["normal model mdr", "van_der_waals"],
    ),
    "mdr with gas": (
        f"{MDR} damping mdr 1 {FRICTION} heat area 1 gas 1 1e-3",
        ["normal model mdr", "heat flow across gaps"],
    ),
    "normal none": (f"none {FRICTION}", ["normal model none", "as in pair granular"]),
    "tangential none": ("hooke 1 1 tangential none", ["tangential model none", "pair granular"]),
    "damping none": (
        f"hooke 1 1 damping none {FRICTION}",
        ["damping model none", "a model is required"],
    ),
    "unsynchronized": (
        "hooke 1 1 tangential linear_nohistory 1 1 synchronized_verlet",
        ["synchronized_verlet", "linear_nohistory"],
    ),
    "synchronized twice": (f"{GOOD} synchronized_verlet synchronized_verlet", ["only once"]),
    "heat without coefficient": (
        f"{GOOD} heat area",
        ["heat area", "1 to 16", "hs [friction F] [gas kg smin]"],
    ),
    "fraction without number": (
        f"{GOOD} heat area 1 friction",
        ["heat area", "friction needs a number"],
    ),
    "fraction above one": (f"{GOOD} heat none friction 2", ["F = 2", ">= 0 and <= 1"]),
    "negative conductance": (f"{GOOD} heat area -2", ["heat area", "hs = -2", ">= 0"]),
    "mixing what": (f"{GOOD} mixing paint", ["mixing: expected materials, found paint"]),
    "mixing nothing": (f"{GOOD} mixing", ["mixing", "materials"]),
    "mixing without NULL": (
        "hertz/material 1 1 0.3 tangential mindlin 1 1 1 mixing materials",
        ["mixing materials", "kt = NULL"],
    ),
    "mixing without material": (f"{GOOD} mixing materials", ["mixing materials", "E and nu"]),
    "no model": (f"{GOOD[:-5]}", ["slider", "csds", "truncate"]),
    "too few": (f"hooke 1 {FRICTION}", ["normal hooke", "2", "kn eta", "not 1"]),
    "too many": (f"hooke 1 2 3.5 {FRICTION}", ["normal hooke", "not 3", "3.5"]),
    "too few tangential": ("hooke 1 1 tangential mindlin 1", ["tangential mindlin", "3", "not 1"]),
    "argument of damping": (f"hooke 1 1 damping tsuji 3 {FRICTION}", ["damping tsuji", "0", "3"]),
    "argument of slider": (f"{GOOD} 7", ["slider csds", "0", "7"]),
    "text for a number": (f"hooke stiff 1 {FRICTION}", ["normal hooke", "kn = stiff", "number"]),
    "number and text": (f"hooke 1e4x 1 {FRICTION}", ["normal hooke", "kn = 1e4x", "number"]),
    "NaN": ("hooke 1 1 tangential linear_history 1 1 nan", ["friction", "mu = nan", "finite"]),
    "infinity": (f"hooke inf 1 {FRICTION}", ["normal hooke", "kn = inf", "finite"]),
    "beyond double": (f"hooke 1e999 1 {FRICTION}", ["normal hooke", "kn = 1e999", "finite"]),
    "negative stiffness": (f"hooke -1 1 {FRICTION}", ["normal hooke", "kn = -1", ">= 0"]),
    "negative damping": (f"hooke 1 -0.5 {FRICTION}", ["damping", "eta = -0.5", ">= 0"]),
    "negative friction": (
        "hooke 1 1 tangential linear_history 1 1 -0.3",
        ["linear_history", "friction coefficient mu = -0.3 must be >= 0"],
    ),
    "negative tangential stiffness": (
        "hertz 1 1 tangential mindlin -2 1 1",
        ["tangential mindlin", "kt = -2", ">= 0"],
    ),
    "negative tangential damping": (
        "hooke 1 1 tangential linear_nohistory -1 1",
        ["linear_nohistory", "xgamma = -1", ">= 0"],
    ),
    "negative modulus": (f"hertz/material -1 1 0.3 {FRICTION}", ["E = -1", ">= 0"]),
    "e of zero": (
        f"hooke 1 0 damping coeff_restitution {FRICTION}",
        ["coeff_restitution", "restitution e = 0 must be > 0 and <= 1"],
    ),
    "e above one": (f"hooke 1 1.01 damping tsuji {FRICTION}", ["tsuji", "e = 1.01", "<= 1"]),
    "negative e": (f"hertz 1 -0.1 damping tsuji {FRICTION}", ["tsuji", "e = -0.1", "> 0"]),
    "nu too large": (f"hertz/material 1 1 0.51 {FRICTION}", ["nu = 0.51", "> -1 and <= 0.5"]),
    "nu too small": (f"hertz/material 1 1 -1 {FRICTION}", ["nu = -1", "> -1 and <= 0.5"]),
    "NULL stiffness": (f"hooke NULL 1 {FRICTION}", ["normal hooke", "kn", "NULL"]),
    "NULL friction": (
        "hooke 1 1 tangential mindlin 1 1 NULL",
        ["tangential mindlin", "mu", "NULL"],
    ),
    "NULL without material": (
        "hertz 1 1 tangential mindlin NULL 1 1",
        ["mindlin", "kt = NULL", "E and nu", "hertz"],
    ),
    "too few for rolling": (f"{GOOD} rolling sds 1 2", ["rolling sds", "3", "k gamma mu", "not 2"]),
    "argument of none": (f"{GOOD} rolling none 1", ["rolling none", "0", "not 1"]),
    "argument of marshall": (f"{GOOD} twisting marshall 1", ["twisting marshall", "0", "not 1"]),
    "unknown rolling model": (f"{GOOD} rolling epsd 1", ["rolling", "epsd", "sds"]),
    "unknown twisting model": (f"{GOOD} twisting bend", ["twisting", "bend", "marshall"]),
    "negative rolling stiffness": (f"{GOOD} rolling sds -1 2 3", ["rolling sds", "k = -1", ">= 0"]),
    "negative rolling damping": (f"{GOOD} rolling sds 1 -2 3", ["gamma = -2", ">= 0"]),
    "negative rolling friction": (
        f"{GOOD} rolling sds 1 2 -3",
        ["rolling friction coefficient mu = -3 must be >= 0"],
    ),
    "NaN for twisting": (f"{GOOD} twisting sds nan 2 3", ["twisting sds", "k = nan", "finite"]),
    "negative twisting friction": (
        f"{GOOD} twisting sds 1 2 -3",
        ["twisting friction coefficient mu = -3 must be >= 0"],
    ),
    "negative surface energy": (
        f"jkr 1 1 0.3 -1 {FRICTION}",
        ["normal jkr", "surface energy density gamma = -1 must be >= 0"],
    ),
    "no modulus with cohesion": (f"jkr 0 1 0.3 1 {FRICTION}", ["normal jkr", "E = 0", "> 0"]),
    "nu too large with cohesion": (f"jkr 1 1 0.6 1 {FRICTION}", ["nu = 0.6", "<= 0.5"]),
    "too few for cohesion": (
        f"jkr 1 1 0.3 {FRICTION}",
        ["normal jkr", "4", "E eta nu gamma", "not 3"],
    ),
    "restitution of zero": (f"actm 1 0 1 0.3 {FRICTION}", ["normal actm", "e = 0", ">= 0.01"]),
    "restitution below the fit": (f"actm 1 0.009 1 0.3 {FRICTION}", ["e = 0.009", ">= 0.01"]),
    "negative restitution": (f"actm 1 -0.5 1 0.3 {FRICTION}", ["e = -0.5", ">= 0.01 and <= 1"]),
    "restitution above one": (f"actm 1 1.1 1 0.3 {FRICTION}", ["e = 1.1", "<= 1"]),
    "no collision time": (f"actm 0 0.5 1 0.3 {FRICTION}", ["collision time", "Tc = 0", "> 0"]),
    "negative collision time": (f"actm -1 0.5 1 0.3 {FRICTION}", ["Tc = -1", "> 0"]),
    "no steps": (f"actm steps 0 0.5 1 0.3 {FRICTION}", ["Tc = 0", "> 0"]),
    "steps without number": (
        f"actm steps 0.5 1 0.3 {FRICTION}",
        ["Tc e E nu", "not 3", "the word steps must be followed by a number"],
    ),
    "steps elsewhere": (f"hertz steps 5 1 {FRICTION}", ["normal hertz", "not 3"]),
    "Tc NULL": (f"actm NULL 0.5 1 0.3 {FRICTION}", ["normal actm", "Tc", "NULL"]),
    "own damping": (f"actm 1 0.5 1 0.3 damping tsuji {FRICTION}", ["damping tsuji", "actm"]),
    "own damping, later": (f"actm 1 0.5 NULL 0 {FRICTION} damping velocity", ["velocity", "actm"]),
    "rolling twice": (f"{GOOD} rolling none rolling none", ["rolling", "only once"]),
    "damping twice": (f"{GOOD} damping velocity", ["damping", "only once"]),
    "tangential twice": (f"{GOOD} {FRICTION}", ["tangential", "only once"]),
    "slider twice": (f"{GOOD} slider csds", ["slider", "only once"]),
    "limit_damping twice": (f"{GOOD} limit_damping limit_damping", ["limit_damping", "only once"]),
    "cutoff twice": (f"{GOOD} cutoff 1 cutoff 2", ["cutoff", "only once"]),
    "cutoff of zero": (f"{GOOD} cutoff 0", ["cutoff = 0", "> 0"]),
    "negative cutoff": (f"{GOOD} cutoff -1", ["cutoff = -1", "> 0"]),
    "cutoff without number": (f"{GOOD} cutoff", ["cutoff", "number"]),
    "cutoff text": (f"{GOOD} cutoff far", ["cutoff = far", "number"]),
}


@pytest.mark.parametrize(("text", "named"), BAD.values(), ids=BAD)
def test_bad_input_names_keyword_value_and_bound(text, named):
    with pytest.raises(ValueError, match=r".+") as error:
        laws.ContactModel(text)
    for word in named:
        assert word in str(error.value)


GUESSES = {
    "tangental": ("hooke 1 1 tangental linear_history 1 1 1", "tangential"),
    "hertzz": (f"hertzz 1 1 {FRICTION}", "hertz"),
    "hertz/matreial": (f"hertz/matreial 1 1 0.3 {FRICTION}", "hertz/material"),
    "midnlin": ("hooke 1 1 tangential midnlin 1 1 1", "mindlin"),
    "rollling": (f"{GOOD} rollling sds 1 1 1", "rolling"),
    "marshal": (f"{GOOD} twisting marshal", "marshall"),
    "csd": (f"hooke 1 1 {FRICTION} slider csd", "csds"),
    "limitdamping": (f"{GOOD} limitdamping", "limit_damping"),
    "synchronised_verlet": (f"{GOOD} synchronised_verlet", "synchronized_verlet"),
    "volme": ("hooke 1 1 tangential linear_nohistory 1 1 bridge willet 1 1 volume 1", "willett"),
}


@pytest.mark.parametrize(("text", "meant"), GUESSES.values(), ids=GUESSES)
def test_a_mistyped_word_is_guessed(text, meant):
    with pytest.raises(ValueError, match=f"did you mean {meant}"):
        laws.ContactModel(text)


@pytest.mark.parametrize("word", ["skid", "x", "7", "interaction"])
def test_a_word_that_is_like_no_other_is_not_guessed(word):
    with pytest.raises(ValueError, match=r".+") as error:
        laws.ContactModel(f"{GOOD} {word}")
    assert "did you mean" not in str(error.value)


def test_a_mistyped_keyword_of_a_wall_is_guessed_there_only():
    text = f"{GOOD} walmaterial 1 0.3"
    with pytest.raises(ValueError, match="did you mean wallmaterial"):
        laws.ContactModel(text, wall=True)


@pytest.mark.parametrize(
    ("words", "wall", "message"),
    [
        ("cutoff 1", True, "keyword cutoff is for pairs, not for walls"),
        ("wallmaterial 1 0.3", False, "keyword wallmaterial is for walls, not for pairs"),
    ],
)
def test_a_keyword_of_the_other_kind_of_contact_is_told_as_such(words, wall, message):
    with pytest.raises(ValueError, match=message):
        laws.ContactModel(f"{GOOD} {words}", wall=wall)


def shear_modulus(modulus, ratio):
    return modulus / (2.0 * (1.0 + ratio))


@pytest.mark.parametrize("normal", ["hertz/material {} 0 {}", "jkr {} 0 {} 1e-9"])
@pytest.mark.parametrize("tangential", ["mindlin NULL 0 9", "mindlin_deresiewicz 0 9"])
def test_mixing_materials_gives_the_effective_shear_modulus_of_both(normal, tangential):
    """1/G* = (2 - nu_i)/G_i + (2 - nu_j)/G_j, and k_t = 8 G* a."""
    materials = ((1000.0, 0.1), (3000.0, 0.4))
    own = [f"{normal.format(*m)} tangential {tangential} mixing materials" for m in materials]
    effective = 1.0 / sum((2.0 - nu) / shear_modulus(modulus, nu) for modulus, nu in materials)
    overlap, shear, radius = 1e-3, 1e-8, 0.5
    contact = {
        "separation": [[2 * radius - overlap, 0, 0]],
        "velocity": [[0, 1, 0]],
        "timestep": shear,
        "radius_i": radius,
        "radius_j": radius,
    }

    def friction(first, second):
        model = laws.ContactModel(first, mixed_with=second)
        pressed = model.evaluate(**(contact | {"velocity": [(0, 0, 0)]}))
        return model.evaluate(**contact, history=pressed.history).force[0, 1]

    contact_radius = (0.5 * radius * overlap) ** 0.5
    expected = -8.0 * effective * contact_radius * shear
    # with jkr, adhesion widens the contact; with mindlin_deresiewicz, the edge slips
    rough = "jkr" in normal or "deresiewicz" in tangential
    assert friction(*own) == pytest.approx(expected, rel=1e-3 if rough else 1e-9)
    soft = friction(*(text.replace(" mixing materials", "") for text in own))
    assert soft > 0.7 * expected  # both are negative


def test_mixing_materials_suits_actm_whose_stiffness_is_a_ratio():
    hertz, actm = (
        [
            f"{normal.format(*m)} tangential mindlin NULL 0 9 mixing materials"
            for m in ((1000.0, 0.1), (3000.0, 0.4))
        ]
        for normal in ("hertz/material {} 0 {}", "actm 1e-9 1 {} {}")
    )
    contact = {"separation": [[0.999, 0, 0]], "velocity": [[-1e-3, 1, 0]], "timestep": 1e-8}
    forces = [
        laws.ContactModel(a, mixed_with=b).evaluate(**contact).force for a, b in (hertz, actm)
    ]
    np.testing.assert_allclose(*forces, rtol=1e-9)


@pytest.mark.parametrize(
    "normal",
    [
        "hooke 1 0.5",
        "hertz 1 0.5",
        "hertz/material 1 0.5 0.3",
        "dmt 1 0.5 0.3 1",
        "jkr 1 0.5 0.3 1",
    ],
)
@pytest.mark.parametrize(
    "option",
    [
        "damping velocity",
        "damping mass_velocity",
        "damping viscoelastic",
        "damping tsuji",
        "damping coeff_restitution",
        "limit_damping",
    ],
)
def test_cohesion_goes_with_dashpots_that_need_no_restitution(normal, option):
    """A contact that attracts has no prescribed restitution."""
    text = f"{normal} {FRICTION} {option}"
    words = [*option.split(), normal.split()[0]]
    refused = words[0] == "limit_damping" or words[1] in ("tsuji", "coeff_restitution")
    if words[-1] not in ("dmt", "jkr") or not refused:
        laws.ContactModel(text)
        return
    message = "cannot be combined with the cohesive normal model"
    with pytest.raises(ValueError, match=message) as error:
        laws.ContactModel(text)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        f"hooke 0 0 {FRICTION}",
        f"hooke 1 1 damping tsuji {FRICTION}",
        f"hertz/material 1e-9 1 0.5 {FRICTION}",
        f"hertz/material 1 1 -0.999 {FRICTION}",
        "hooke 1 1 tangential linear_history 0 0 0",
        "hooke 1 1 tangential linear_nohistory 0 1e6",
        f"hooke 1 1 {FRICTION} rolling sds 0 0 0 twisting sds 0 0 0",
        f"dmt 1 0 0.5 0 {FRICTION}",
        f"jkr 1 0 0.5 0 {FRICTION}",
        f"actm 1e-9 0.01 NULL 0 {FRICTION}",
        f"hertz/material 0 0 0 {FRICTION}",
        f"dmt 0 0 0 0 {FRICTION}",
        f"hooke 1 1 {FRICTION} heat radius 0 friction 1",
        f"actm steps 1e-3 1 1e-9 0.5 {FRICTION}",
    ],
)
def test_the_bounds_themselves_are_allowed_and_give_a_force(text):
    step = laws.ContactModel(text).evaluate([[0.999, 0, 0]], [[-1.0, 0.1, 0]], timestep=1e-6)
    assert np.isfinite(step.force).all()
