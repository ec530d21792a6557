"""`pysuite compare` compares two sets of results by quantity. One set may be a stored baseline."""

from __future__ import annotations

import json
import math
import shutil

import pandas
import pytest

from pysuite import (
    commands,
    validation,
)
from pysuite.errors import UsageError
from pysuite.validation import (
    compare,
    judge,
)

TWO_CHECKS = """
c.check("x", measured=c["x"], reference=1, tolerance=0.1, kind="absolute", reason="test")
c.check("y", measured=5, reference=1, kind="at_least", reason="test")
"""


def verdict(kind, measured, reference, tolerance):
    return judge(
        "case",
        "x",
        measured=measured,
        reference=reference,
        tolerance=tolerance,
        kind=kind,
        reason="test",
    )


@pytest.mark.parametrize(
    ("row", "share"),
    [
        (verdict("absolute", 1.0, 0.0, 2.0), 2.0),
        (verdict("relative", 10.0, 20.0, 0.1), 2.0),
        (verdict("at_most", 1.0, 5.0, 0.0), 4.0),
        (verdict("at_most", 1.0, 2.0, 3.0), 3.0),
        (verdict("at_least", 7.0, 5.0, 0.0), 2.0),
        (verdict("absolute", 0.0, 0.0, 0.0), 0.0),
    ],
)
def test_what_may_change(row, share):
    assert compare.allowed(row, 0.5) == pytest.approx(0.5 * share, abs=1e-9)


@pytest.mark.parametrize("text", ["x", "x=1,y", "=1", ""])
def test_a_side_that_says_nothing(text):
    with pytest.raises(UsageError, match=r"must be key=value"):
        compare.parse_side(text)


def test_a_side():
    assert compare.parse_side("default") == {}
    assert compare.parse_side("a=1,b=x=y") == {"a": "1", "b": "x=y"}


@pytest.fixture
def report(make_case, tmp_path):
    def run(name, x=1.0, body=TWO_CHECKS, tier="smoke"):
        case = make_case(body)
        validation.run_cases([case], tmp_path / name, tier=tier, overrides={"sample": {"x": x}})
        return tmp_path / name

    return run


def rows(results):
    return {row.quantity: row for result in results for row in result.verdicts}


def test_equal_sides_have_no_differences(report, tmp_path):
    one, other = compare.load(report("one")), compare.load(report("other"))
    (result,) = compare.compare_results(one, other, tmp_path)
    assert result.passed
    assert [row.error for row in result.verdicts] == [0.0, 0.0]
    assert result.parameters == {}
    assert (result.folder / "differences.svg").exists()


def test_a_difference_is_judged_by_its_own_tolerance(report, tmp_path):
    one = compare.load(report("one", 1.0))
    for x, passed in ((1.009, True), (1.02, False)):
        (result,) = compare.compare_results(one, compare.load(report("other", x)), tmp_path)
        assert rows([result])["x"].passed is passed
        assert rows([result])["y"].passed
        assert result.parameters == {"x": f"1.0 → {x}"}


def test_what_is_not_on_both_sides_is_red(report, tmp_path):
    one = compare.load(report("one"))
    other = compare.load(report("other", body=TWO_CHECKS.replace('"y"', '"z"')))
    found = rows(compare.compare_results(one, other, tmp_path))
    assert {name: row.passed for name, row in found.items()} == {"x": True, "y": False, "z": False}
    assert math.isnan(found["y"].measured)
    assert math.isnan(found["z"].reference)


def test_tiers_are_not_mixed(report, tmp_path):
    one, other = compare.load(report("one")), compare.load(report("other", tier="quick"))
    with pytest.raises(UsageError, match=r"tier smoke in .* and in tier quick"):
        compare.compare_results(one, other, tmp_path)


def test_baseline_keeps_what_is_compared(report, tmp_path):
    file = tmp_path / "baseline.json"
    side = compare.load(report("one"))
    compare.save_baseline(side, file)
    (result,) = compare.compare_results(compare.load(file), side, tmp_path)
    assert result.passed
    assert "seconds" in json.loads(file.read_text())["results"][0]


def test_what_is_red_makes_no_baseline(report, tmp_path):
    with pytest.raises(UsageError, match="failed cases cannot be saved as a baseline: sample"):
        compare.save_baseline(compare.load(report("one", 2.0)), tmp_path / "baseline.json")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nowhere", None, "neither a report folder nor a baseline file"),
        ("file", "no json", "is not a baseline file"),
        ("file", '{"results": [{"case": "x"}]}', "is not a baseline file"),
    ],
)
def test_sides_that_cannot_be_loaded(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=message):
        compare.load(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ('{"case": "sam', "Unterminated string"),
        ("[]", "list indices"),
        ('{"case": "sample"}', "missing entry 'verdicts'"),
        ("\x00\x01", "Expecting value"),
    ],
)
@pytest.mark.parametrize("action", ["compare", "save", "check"])
def test_a_corrupt_result_is_named(command, report, tmp_path, text, reason, action):
    good, bad = report("good"), tmp_path / "bad"
    shutil.copytree(good, bad)
    file = bad / "cases" / "sample" / "result.json"
    file.write_text(text)
    baseline = tmp_path / "baseline.json"
    command("compare", good, "--save", baseline)
    arguments = {
        "compare": ("compare", good, bad),
        "save": ("compare", bad, "--save", tmp_path / "other.json"),
        "check": ("compare", baseline, bad),
    }
    status, output = command(*arguments[action])
    assert status == 2
    assert f"{file} is not a result: " in output
    assert reason in output
    assert "Run that case again, or remove its folder" in output


def test_a_result_with_a_word_where_a_number_must_be(report):
    file = report("bad") / "cases" / "sample" / "result.json"
    record = json.loads(file.read_text())
    record["verdicts"][0]["measured"] = "large"
    file.write_text(json.dumps(record))
    with pytest.raises(UsageError, match="measured of x is 'large', not a number"):
        compare.load(file.parents[2])


def test_empty_folder(tmp_path):
    with pytest.raises(UsageError, match="has no results"):
        compare.load(tmp_path)


def test_outputs_are_compared_row_by_row(tmp_path):
    one = pandas.DataFrame({"run": [0, 0], "Step": [0, 10], "KinEng": [1.0, 2.0]})
    other = one.assign(KinEng=[1.0, 2.01])
    for tolerance, passed in ((0.004, False), (0.006, True)):
        outputs = [("a=1", one), ("a=2", other)]
        (result,) = compare.compare_outputs("in-x", outputs, tmp_path, tolerance)
        assert result.passed is passed
    with pytest.raises(UsageError, match="steps or columns of their thermo output differ"):
        compare.compare_outputs("in-x", [("a", one), ("b", one[:1])], tmp_path, 1.0)


# --------------------------------------------------------------------------- command line


@pytest.fixture
def command(case_folder, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")

    def run(*arguments):
        cased = ("--cases", str(case_folder), "--tier", "smoke")
        output = ("--report", str(tmp_path / "difference"))
        status = commands.main([*map(str, arguments), *cased, *output])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return run


def test_compare_settings_of_a_case(command, make_case, tmp_path):
    make_case(TWO_CHECKS)
    status, output = command("compare", "--case", "sample", "default", "x=1.0")
    assert (status, "all pass" in output) == (0, True)
    assert output.index("running sample with default") < output.index("running sample with x=1.0")
    status, output = command("compare", "--case", "sample", "default", "x=1.0", "x=1.05")
    assert status == 1
    assert "1.05" in output
    assert (tmp_path / "difference" / "index.html").exists()


def test_compare_folders(command, report):
    one, other = report("one"), report("other", 1.05)
    assert command("compare", one, one)[0] == 0
    assert command("compare", one, other)[0] == 1
    assert command("compare", one, other, "--share", "1")[0] == 0


def test_compare_an_input_script(command, tmp_path):
    script = tmp_path / "in.gas"
    script.write_text("""
variable step index 0.001
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 single 1 1 1
mass 1 1
velocity all set 1 0 0
fix move all nve
timestep ${step}
thermo 5
thermo_style custom step ke xlo
run 10
""")
    status, output = command("compare", "--input", script, "default", "step=0.002")
    assert status == 0
    assert f"running {script} with step=0.002" in output
    status, output = command("compare", "--input", script, "default", "step=x")
    assert (status, "ERROR" in output or "timestep" in output) == (2, True)
    status, output = command("compare", "--input", script, "default", "stpe=0.002")
    assert (status, "does not use 'stpe'; did you mean step?" in output) == (2, True)


@pytest.mark.parametrize("side", ["default", "seed=7"])
def test_the_same_settings_twice_show_whether_a_script_repeats_itself(command, tmp_path, side):
    script = tmp_path / "in.gas"
    text = """
variable seed index 5
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 single 1 1 1
create_atoms 1 single 3 1 1
mass 1 1
velocity all create 1 {seed}
fix move all nve
thermo_style custom step {column}
run 1
"""
    script.write_text(text.format(seed="${seed}", column="temp"))
    status, output = command("compare", "--input", script, side, side)
    assert (status, "1 case, 1 judged quantity: all pass" in output) == (0, True), output
    script.write_text(text.format(seed="${seed}", column="cpu"))
    status, output = command("compare", "--input", script, side, side)
    assert status == 1, output


def test_where_nothing_can_be_judged(command, report, tmp_path):
    script = tmp_path / "in.none"
    script.write_text(
        "region box block 0 5 0 5 0 5\ncreate_box 1 box\nmass 1 1\n"
        "thermo_style custom step\nrun 1\n"
    )
    status, output = command("compare", "--input", script, "default", "default")
    assert (status, "writes no thermo output to compare" in output) == (2, True)
    one = report("one")
    file = one / "cases" / "sample" / "result.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"verdicts": []}))
    status, output = command("compare", one, one)
    assert (status, "nothing to judge" in output) == (2, True), output


def test_baseline(command, report, tmp_path):
    file = tmp_path / "baseline.json"
    assert command("compare", report("one"), "--save", file)[0] == 0
    assert command("compare", file, report("same"))[0] == 0
    status, output = command("compare", file, report("other", 1.05))
    assert status == 1
    assert "FAIL" in output
    status, output = command("compare", file, report("third"), "--save", tmp_path / "more.json")
    assert status == 2
    assert "--save needs exactly one report folder" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["one"], "nothing to compare: give"),
        (["--case", "smple", "default", "default"], "unknown case 'smple'; did you mean sample?"),
        (["--case", "sample", "default", "y=1"], "sample has no parameter 'y'"),
        (["--input", "{folder}/in.none", "default", "a=1"], "in.none: No such file or directory"),
        (["{folder}", "{folder}"], "has no results"),
    ],
)
def test_compare_says_what_is_wrong(command, make_case, tmp_path, arguments, message):
    make_case()
    status, output = command("compare", *(text.format(folder=tmp_path) for text in arguments))
    assert status == 2
    assert message in output
