"""`pysuite convert --check` reports where and why the forces of two scripts first differ."""

from __future__ import annotations

import dataclasses
import re
import shutil
import textwrap

import numpy as np
import pytest

from pysuite import (
    commands,
    convert,
    engine,
)
from pysuite.convert import agreement
from pysuite.lammps.script import shortened

PAIR = """
    units lj
    atom_style sphere
    newton off
    comm_modify vel yes
    region box block -4 4 -4 4 -4 4
    create_box 1 box
    create_atoms 1 single -0.52 0 0
    create_atoms 1 single 0.52 0 0
    create_atoms 1 single 3 3 3
    set group all diameter 1 density 1
    set atom 1 vx 1 vy 0.8 vz 0.3
    set atom 2 vx -1 vy -0.8
    pair_style granular
    pair_coeff * * hooke {stiffness} 5 tangential linear_history 1e3 1 {friction}
    fix move all nve/sphere
    timestep 1e-3
    {runs}
"""


def pair(runs: str = "run 200", *, stiffness: str = "1e4", friction: str = "0.5") -> str:
    text = textwrap.dedent(PAIR).format(runs=runs, stiffness=stiffness, friction=friction)
    return text.replace("\\n", "\n")


# --------------------------------------------------------------------------- shortened scripts


@pytest.mark.parametrize(
    "runs",
    [
        "run 30",
        "run 4\nrun 4\nvariable n equal 30\nrun $n # the last\nrun 7",
        "label again\nrun 4\njump SELF again",
        "if '1 > 0' then 'run 30'",
        "run &\n  30",
        "run 30 # \n",
    ],
)
def test_a_shortened_script_ends_after_its_steps(runs):
    text = shortened(pair(runs), 11, ["dump d all custom 1 steps id"])
    run = engine.run(f"{text}\nprint DONE")
    assert list(dict.fromkeys(run.dump("steps")["step"])) == list(range(12))
    assert not [line for line in run.log.splitlines() if line == "DONE"]


def test_a_shorter_script_runs_to_its_end():
    run = engine.run(shortened(pair("run 3\nrun 2\nprint DONE"), 11))
    assert run.thermo["Step"].max() == 5
    assert "DONE" in run.log.splitlines()


def test_a_script_that_runs_nothing():
    with pytest.raises(ValueError, match="the script has no command `run`"):
        shortened("units lj\nprint 'run 1'\n", 5)


# ------------------------------------------------------------------------------------- forces


def test_the_same_script_agrees(tmp_path):
    found = agreement.compare(pair(), pair(), tmp_path, steps=100)
    assert (found.steps, found.largest, found.step, found.real) == (100, 0.0, None, False)
    assert str(found).startswith("forces agree for 100 steps")
    assert list(tmp_path.iterdir()) == []


FIRST_TOUCH = 20  # a gap of 0.04 closes by 2e-3 per step


def test_a_real_difference_is_told_with_step_and_contact(tmp_path):
    found = agreement.compare(pair(), pair(stiffness="1.001e4"), tmp_path, steps=100)
    assert found.step is not None
    assert 0 <= found.step - FIRST_TOUCH <= 1
    assert found.real
    assert found.before == 0.0
    assert found.where == "in the contact of atoms 1 and 2"
    assert "real difference" in str(found)


PUSH = "variable push equal (step>5)*100\nfix push all addforce v_push 0 0\n"
GRAVITY = "fix weight all gravity 1 vector 0 0 -1\nrun 200"
FLOOR = (
    "fix floor all wall/gran granular hooke 1e4 5 tangential linear_nohistory 0 0 zplane {} NULL"
)


@pytest.mark.parametrize(
    ("runs", "steps", "touched"),
    [
        (GRAVITY, FIRST_TOUCH - 5, False),
        (GRAVITY, FIRST_TOUCH + 5, True),
        (FLOOR.format(-0.51) + "\n" + GRAVITY, FIRST_TOUCH - 5, False),
        (FLOOR.format(-0.499) + "\n" + GRAVITY, FIRST_TOUCH - 5, True),
        # drag changes the forces only slightly in each step
        (f"fix drag all viscous 0.1\n{GRAVITY}", FIRST_TOUCH - 5, False),
        (f"fix drag all viscous 0.1\n{GRAVITY}", FIRST_TOUCH + 5, True),
        (f"fix kicks all langevin 1 1 0.1 4711\n{GRAVITY}", FIRST_TOUCH - 5, False),
        (f"fix kicks all langevin 1 1 0.1 4711\n{GRAVITY}", FIRST_TOUCH + 5, True),
        (PUSH + GRAVITY, FIRST_TOUCH - 5, False),
        # grains that overlap but do not interact
        (f"neigh_modify exclude group all all\n{GRAVITY}", FIRST_TOUCH + 5, False),
        # grains that overlap at rest are in contact, although no force changes
        (
            "unfix move\nset atom 1 x -0.49 vx 0 vy 0 vz 0\nset atom 2 x 0.49 vx 0 vy 0\nrun 9",
            5,
            True,
        ),
    ],
)
def test_without_a_contact_nothing_was_compared(tmp_path, runs, steps, touched):
    script = pair(runs).replace("newton off", "newton off\nboundary p p f")
    found = agreement.compare_conversion(
        convert.convert(script, slider="dsds"), tmp_path, steps=steps
    )
    assert (found.steps, found.step, found.touched) == (steps, None, touched)
    assert str(found).startswith(
        "forces agree" if touched else f"no contact occurred in {steps} steps"
    )


@pytest.mark.parametrize(("height", "touched"), [(-0.51, False), (-0.499, True)])
@pytest.mark.parametrize("style", ["pair_style none", "if '1 > 0' then '{}'", "include in.style"])
def test_contacts_of_walls_alone_and_of_styles_set_elsewhere(tmp_path, style, height, touched):
    script = pair(f"{FLOOR.format(height)}\n{GRAVITY}").replace(
        "newton off", "newton off\nboundary p p f"
    )
    if "none" in style:
        script = re.sub("pair_coeff.*", "", script)
    (tmp_path / "in.style").write_text("pair_style granular\n")
    script = script.replace("pair_style granular", style.format("pair_style granular"))
    found = agreement.compare_conversion(
        convert.convert(script, slider="dsds", read={"in.style": "pair_style granular\n"}.get),
        tmp_path,
        steps=FIRST_TOUCH - 5,
    )
    assert (found.step, found.touched) == (None, touched)


def test_a_script_without_grains_that_act_has_no_contact(tmp_path):
    script = re.sub("pair_coeff.*", "", pair().replace("pair_style granular", "pair_style none"))
    found = agreement.compare_conversion(convert.convert(script), tmp_path, steps=50)
    assert (found.step, found.touched) == (None, False)


@pytest.mark.parametrize("failing", ["before", "after"])
def test_an_error_names_its_script_and_keeps_its_log(tmp_path, failing):
    result = convert.convert(pair(), slider="dsds")
    broken = pair().replace("timestep", "timestop")
    result = dataclasses.replace(result, **{"before" if failing == "before" else "text": broken})
    with pytest.raises(engine.LammpsError) as raised:
        agreement.compare_conversion(result, tmp_path, steps=5)
    name = "the script before conversion" if failing == "before" else "the converted script"
    assert str(raised.value).startswith(f"{name} stopped: Unknown command: timestop")
    kept = raised.value.folder
    assert kept is not None
    assert f"kept in {kept}" in str(raised.value)
    assert "Unknown command: timestop" in (kept / "log.lammps").read_text()
    assert "timestop" in (kept / agreement.SCRIPT).read_text()
    assert not (kept / agreement.DUMP).exists()
    shutil.rmtree(kept.parent)


def test_a_difference_below_the_tolerance_is_none(tmp_path):
    found = agreement.compare(pair(), pair(stiffness="1.0000000001e4"), tmp_path, steps=100)
    assert found.step is None
    assert 1e-12 < found.largest < agreement.TOLERANCE
    above = agreement.compare(pair(), pair(stiffness="1.000000003e4"), tmp_path, steps=100)
    assert above.step is not None


@pytest.mark.parametrize(("shift", "real"), [(1e-16, False), (1e-12, True)])
def test_last_digits_of_coordinates_are_passed_over(tmp_path, shift, real):
    script = pair("run 3").replace("vx", "vz 0 vx 0 #").replace("-0.52", "-0.499999998")
    scripts = [script.replace(" 0.52", f" {0.499999998 + d:.17g}") for d in (0.0, shift)]
    found = agreement.compare(*scripts, tmp_path, steps=3)
    assert (found.step is not None) == real


def test_grains_that_only_one_run_has(tmp_path):
    more = pair().replace("run 200", "run 5\ncreate_atoms 1 single -3 -3 -3\nrun 5")
    found = agreement.compare(pair(), more, tmp_path, steps=20)
    assert (found.step, found.where) == (6, "in the number of grains (3 and 4)")
    assert found.real


PACKING = """
    units lj
    atom_style sphere
    boundary p p p
    newton off
    comm_modify vel yes
    lattice sc 1.0
    region box block 0 4 0 4 0 4
    create_box 1 box
    create_atoms 1 box
    set group all diameter 0.9 density 1
    velocity all create 30 4711 dist gaussian
    pair_style granular
    pair_coeff * * hooke {} 0 tangential linear_nohistory 0 0
    fix move all nve/sphere
    timestep {}
    run 3000
"""


def test_amplified_round_off_is_told_from_real_differences(tmp_path):
    """A few collisions in the gas amplify a relative change of 1e-14 in the stiffness."""
    gas = textwrap.dedent(PACKING)
    found = agreement.compare(
        gas.format("1e4", "1e-3"), gas.format("1.00000000000001e4", "1e-3"), tmp_path, steps=3000
    )
    assert found.step is not None
    assert not found.real
    assert 0.0 < found.before <= agreement.TOLERANCE
    first, middle, last = found.levels
    assert first is not None
    assert middle is not None
    assert first < middle < last == found.step
    assert "round-off that the flow has amplified" in str(found)


def test_dumps_of_a_box_that_is_not_periodic_and_of_two_blocks(tmp_path):
    script = pair().replace("newton off", "newton off\nboundary p f s\nprocessors 2 1 1")
    text = agreement._dumping(script, 3, nudge=False)
    text = text.replace("run 200", "dump t all custom 1 text id fx\ndump_modify t sort id\nrun 200")
    run = engine.run(text, ranks=2)
    frames = list(agreement._frames(run.folder / agreement.DUMP))
    assert [frame.step for frame in frames] == [0, 1, 2, 3]
    assert list(frames[-1].ids) == [1, 2, 3]
    assert list(np.isfinite(frames[0].periods)) == [True, False, False]
    assert frames[0].periods[0] == 8.0
    assert frames[0].radii == pytest.approx(0.5)


# -------------------------------------------------------------------------------- conversions


def test_converted_scripts_are_checked_with_what_they_include(tmp_path):
    (tmp_path / "in.style").write_text("pair_style granular\n")
    script = pair().replace("pair_style granular", "include in.style")
    result = convert.convert(script, slider="dsds", read={"in.style": "pair_style granular\n"}.get)
    found = agreement.compare_conversion(result, tmp_path, steps=100)
    assert found.step is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.style"]


STYLES = [
    "granular 1.5",
    "granular ${cut}",
    "hybrid granular",
    "hybrid granular 1.5",
    "hybrid granular $(v_cut+0.1)",
    "hybrid/overlay lj/cut 1 granular ${cut}",
]


@pytest.mark.parametrize("style", STYLES)
def test_scripts_with_a_cutoff_are_checked(tmp_path, style):
    """The check counts contacts with the keyword *ledger*, which must follow the cutoff."""
    script = pair().replace("pair_style granular", f"variable cut equal 1.4\npair_style {style}")
    if "hybrid" in style:
        script = script.replace("* * hooke", "* * granular hooke")
    if "lj/cut" in style:
        script = script.replace("pair_coeff", "pair_coeff * * lj/cut 0 1\npair_coeff", 1)
    found = agreement.compare_conversion(
        convert.convert(script, slider="dsds"), tmp_path, steps=FIRST_TOUCH + 5
    )
    assert (found.step, found.touched) == (None, True)


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("granular/plus", "granular/plus ledger yes"),
        ("granular/plus ${cut} # far", "granular/plus ${cut} ledger yes # far"),
        ("hybrid granular/plus lj/cut 1", "hybrid granular/plus ledger yes lj/cut 1"),
        ("hybrid granular/plus 2 lj/cut 1", "hybrid granular/plus 2 ledger yes lj/cut 1"),
        ("hybrid granular/plus ${of} lj/cut 1", "hybrid granular/plus ${of} ledger yes lj/cut 1"),
        ("hybrid granular/plus ${lj} 1", "hybrid granular/plus ledger yes ${lj} 1"),
    ],
)
def test_where_the_ledger_is_opened(style, expected):
    known = "variable lj string lj/cut\n"
    script = f"{known}pair_style {style}\n"
    assert agreement.with_ledger(script) == f"{known}pair_style {expected}\n"


def test_variables_of_the_runs_are_set_from_outside(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    script = tmp_path / "in.mine"
    script.write_text(pair("run ${n}").replace("5 tangential", "${gamma} tangential"))
    check = ["convert", str(script), "--slider", "dsds", "--check", "60", "--set", "gamma=5"]
    assert commands.main([*check, "--set", "n=100"]) == 0
    assert "forces agree for 60 steps" in capsys.readouterr().out
    assert commands.main([*check, "--set", "n=30"]) == 0
    assert "forces agree for 30 steps" in capsys.readouterr().out
    assert commands.main(check) == 2
    told = capsys.readouterr().err
    assert "illegal variable n; give its value with --set n=VALUE" in told
    assert commands.main([*check, "--set", "m=1"]) == 2
    assert "the script does not use 'm'" in capsys.readouterr().err


SPUN = "run 22\nset group all omega 0 0 30\nrun 30"


@pytest.mark.parametrize("more", ["", " pre no"])
def test_a_second_run_differs_where_convert_says_so(tmp_path, more):
    """The setup of the second run resets the spring in pair granular. `pre no` omits the setup."""
    script = pair(SPUN + more, friction="0.1")
    result = convert.convert(script, slider="dsds")
    found = agreement.compare_conversion(result, tmp_path, steps=60)
    if more:
        assert (result.differences, found.step) == ([], None)
        return
    (note,) = result.differences
    assert note.text == convert.SECOND_RUN
    assert script.splitlines()[note.line - 1] == "run 30"
    assert found.real
    assert found.step == 23


DRIVEN = """
    units lj
    atom_style sphere
    boundary p p p
    newton off
    comm_modify vel yes
    lattice sc 1.0
    region box block 0 4 0 4 0 4
    create_box 1 box
    create_atoms 1 box
    set group all diameter 1.03 density 1
    displace_atoms all random 0.02 0.02 0.02 7
    pair_style granular
    pair_coeff * * hooke 2e4 30 tangential linear_history 1e4 2 0.2
    variable drive atom 30*(z-2)
    fix drive all addforce v_drive 0 0
    fix move all nve/sphere
    timestep 5e-4
    run {}
"""


@pytest.mark.parametrize("every", ["40 every 4 NULL", "40 pre no every 4 NULL"])
def test_runs_in_parts_differ_where_convert_says_so(tmp_path, every):
    result = convert.convert(textwrap.dedent(DRIVEN).format(every), slider="dsds")
    found = agreement.compare_conversion(result, tmp_path, steps=38)
    if "pre no" in every:
        assert (result.differences, found.step, found.steps) == ([], None, 38)
        return
    assert [note.text for note in result.differences] == [convert.SECOND_RUN]
    assert found.real
    assert found.step == 5


def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    script = tmp_path / "in.mine"
    script.write_text(pair(friction="0.1"))
    assert commands.main(["convert", str(script), "--slider", "dsds", "--check", "60"]) == 0
    assert "forces agree for 60 steps" in capsys.readouterr().out
    assert commands.main(["convert", str(script), "--slider", "dsds", "--check", "9"]) == 1
    assert "no contact occurred in 9 steps" in capsys.readouterr().out
    assert commands.main(["convert", str(script), "--check", "60"]) == 1
    told = capsys.readouterr().out
    assert "in the contact of atoms 1 and 2" in told
    assert "listed above under 'What will differ' (the whole script)" in told
    spun = pair(SPUN, friction="0.1")
    script.write_text(spun)
    assert commands.main(["convert", str(script), "--slider", "dsds", "--check", "60"]) == 1
    line = spun.splitlines().index("run 30") + 1
    assert f"'What will differ' (line {line})" in capsys.readouterr().out
    output = tmp_path / "out"
    assert commands.main(["convert", str(script), "--check", "0", "-o", str(output)]) == 2
    told = capsys.readouterr()
    assert (told.out, output.exists()) == ("", False)
    assert "--check 0 must be >= 1" in told.err
    script.write_text(
        "pair_style granular\npair_coeff * * hooke 1 1 tangential linear_nohistory 0 0"
    )
    assert commands.main(["convert", str(script), "--check", "9"]) == 2
    assert "has no command `run`" in capsys.readouterr().err
