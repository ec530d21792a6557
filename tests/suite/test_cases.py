"""Cases are found, run, judged and stored; a case that fails does not stop the others."""

from __future__ import annotations

import ast
import math
import time
from pathlib import Path

import pytest

from pysuite import validation
from pysuite.errors import CaseError, UsageError
from pysuite.validation import (
    Case,
    Result,
    judge,
)

NAN, INF = math.nan, math.inf


def verdict(kind, measured, reference, tolerance, reason="test"):
    return judge(
        "case",
        "quantity",
        measured=measured,
        reference=reference,
        tolerance=tolerance,
        kind=kind,
        reason=reason,
    )


@pytest.mark.parametrize(
    ("row", "error", "passed"),
    [
        (verdict("relative", 1.01, 1.0, 0.02), 0.01, True),
        (verdict("relative", -0.97, -1.0, 0.02), 0.03, False),
        (verdict("relative", 2.0, -2.0, 1.0), 2.0, False),
        (verdict("absolute", 0.5, 0.0, 0.5), 0.5, True),
        (verdict("absolute", -0.6, 0.0, 0.5), 0.6, False),
        (verdict("at_most", 0.9, 1.0, 0.0), -0.1, True),
        (verdict("at_most", 1.1, 1.0, 0.05), 0.1, False),
        (verdict("at_least", 0.96, 1.0, 0.05), 0.04, True),
        (verdict("at_least", 0.9, 1.0, 0.05), 0.1, False),
    ],
)
def test_kinds_of_verdict(row, error, passed):
    assert row.error == pytest.approx(error)
    assert row.passed is passed


@pytest.mark.parametrize("kind", validation.KINDS)
@pytest.mark.parametrize(
    ("measured", "reference"), [(NAN, 1.0), (1.0, NAN), (INF, 1.0), (-INF, 1.0), (1.0, INF)]
)
def test_what_is_not_finite_never_passes(kind, measured, reference):
    assert verdict(kind, measured, reference, 1e300).passed is False


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": "roughly"}, "kind 'roughly'"),
        ({"tolerance": INF}, "must be finite"),
        ({"tolerance": NAN}, "must be finite"),
        ({"tolerance": -1.0}, "must be finite and >= 0"),
        ({"reason": "  "}, "a reason for the tolerance must be given"),
        ({"reference": 0.0}, "the reference of a relative error must not be 0"),
    ],
)
def test_a_check_must_be_able_to_fail(wrong, message):
    sound = {"kind": "relative", "measured": 1, "reference": 1, "tolerance": 0, "reason": "test"}
    with pytest.raises(CaseError, match=message):
        verdict(**(sound | wrong))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "Sliding Plates"}, "lower-case"),
        ({"tier": "slow"}, "tier 'slow'"),
        ({"spoil": {}}, "spoil must name"),
        ({"spoil": {"y": 1}}, "unknown parameters: y"),
        ({"parameters": {"x": object()}}, "plain values"),
        ({"timeout": NAN}, "timeout nan"),
    ],
)
def test_wrong_cases(wrong, message):
    sound = {"name": "a", "title": "", "source": "", "tier": "smoke", "run": print}
    sound |= {"parameters": {"x": 1}, "spoil": {"x": 2}}
    with pytest.raises(CaseError, match=message):
        Case(**(sound | wrong))


def test_tiers_contain_each_other(make_case):
    tiers = {tier: make_case(tier=tier, name=tier) for tier in validation.TIERS}
    runs = [
        [tiers[lowest].runs_in(tier) for tier in validation.TIERS] for lowest in validation.TIERS
    ]
    assert runs == [[True, True, True], [False, True, True], [False, False, True]]


# --------------------------------------------------------------------------------- discovery


def test_discover(make_case, case_folder):
    make_case(name="second")
    make_case(name="first-one")
    (case_folder / "_helper.py").write_text("raise RuntimeError")
    (case_folder / "notes.txt").write_text("")
    assert [case.name for case in validation.discover(case_folder)] == ["first-one", "second"]


JUDGED_BY_PLACE = """
root = float(c.data.parent.name == "validation" and c.inputs.name == "inputs")
c.check("x", measured=c["x"] * root, reference=1, tolerance=0.1, reason="test")
"""


def test_folders_below_have_cases_and_data_has_none(make_case, case_folder, tmp_path):
    make_case(name="inner", body=JUDGED_BY_PLACE)
    for name in ("papers/one", "data/one"):
        (case_folder / name).mkdir(parents=True)
    text = (case_folder / "inner.py").read_text()
    (case_folder / "inner.py").rename(case_folder / "papers" / "one" / "inner.py")
    (case_folder / "data" / "one" / "prepare.py").write_text(text.replace('"inner"', '"no-case"'))
    (case,) = validation.discover(case_folder)
    assert case.name == "inner"
    assert validation.run_case(case, tmp_path / "report").passed


def test_a_file_may_define_several_cases(make_case, case_folder, tmp_path):
    make_case(name="one")
    path = case_folder / "one.py"
    twins = "\nimport dataclasses\nCASES = [CASE, dataclasses.replace(CASE, name='two')]\n"
    path.write_text(path.read_text() + twins)
    both = validation.discover(case_folder)
    assert [case.name for case in both] == ["one", "two"]
    results = validation.run_cases(both, tmp_path / "report")
    assert [(result.case, result.passed) for result in results] == [("one", True), ("two", True)]
    with pytest.raises(CaseError, match="defines 2 cases instead of one"):
        validation.load_case(path)


def test_a_case_file_may_define_a_dataclass(case_folder, make_case, tmp_path):
    make_case()
    text = (case_folder / "sample.py").read_text()
    dataclass = """from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Point:
    x: float
"""
    (case_folder / "sample.py").write_text(dataclass + text)
    assert validation.run_case(validation.load_case(case_folder / "sample.py"), tmp_path).passed


@pytest.mark.parametrize("text", ["import nothing_like_it", "CASE = 3", "def ("])
def test_a_file_that_cannot_be_loaded_is_a_red_row(make_case, case_folder, tmp_path, text):
    make_case(name="sound")
    (case_folder / "broken_file.py").write_text(text)
    broken, sound = validation.discover(case_folder)
    assert broken.name == "broken-file"
    results = validation.run_cases([broken, sound], tmp_path / "report")
    assert [result.passed for result in results] == [False, True]
    assert results[0].error


def test_two_files_of_one_name(make_case, case_folder):
    case = make_case()
    (case_folder / "copy.py").write_text(case.file.read_text())
    with pytest.raises(CaseError, match=r"sample\.py and .*copy\.py both define case sample"):
        validation.discover(case_folder)


def test_no_folder_of_cases(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        validation.discover(tmp_path / "nowhere")


def test_unknown_case_has_close_matches(make_case):
    known = [make_case(name="sliding-plates"), make_case(name="oblique-impacts")]
    assert validation.select(known, ["oblique-impacts"]) == [known[1]]
    with pytest.raises(UsageError, match=r"'sliding-plate'; did you mean sliding-plates\?"):
        validation.select(known, ["sliding-plate"])
    with pytest.raises(UsageError, match="there are: oblique-impacts, sliding-plates"):
        validation.select(known, ["xyzzy"])


def test_settings_take_the_type_of_the_default(make_case):
    parameters = {"x": 1.0, "n": 3, "word": "csds", "flag": True, "list": [1, 2]}
    case = make_case(parameters=parameters)
    texts = ["x=2", "n=4", "word=a=b", "flag=no", "list=[3]"]
    found = validation.parse_settings(case, texts)
    assert found == {"x": 2.0, "n": 4, "word": "a=b", "flag": False, "list": [3]}
    assert isinstance(found["x"], float)
    assert validation.parse_settings(case, ["flag=True"]) == {"flag": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "form key=value"),
        ("xx=1", r"no parameter 'xx'; did you mean x\?"),
        ("x=one", "x = 'one' is not of type float"),
        ("n=1.5", "not of type int"),
        ("flag=2", "not of type bool"),
    ],
)
def test_wrong_settings(make_case, text, message):
    case = make_case(parameters={"x": 1.0, "n": 3, "flag": False})
    with pytest.raises(UsageError, match=message):
        validation.parse_settings(case, [text])


# ----------------------------------------------------------------------------------- running


def test_a_case_leaves_what_it_finds(make_case, tmp_path):
    case = make_case("""
        import pandas
        import matplotlib.pyplot as plt
        run = c.lammps("print 'x is $x' file out", variables={"x": c["x"]})
        assert run.folder.parent == c.folder
        c.note(run.text("out").strip() + " in tier " + c.tier)
        c.not_reproduced("y is not found")
        figure, axes = plt.subplots()
        axes.plot([0, 1])
        c.figure("a line", figure, "A line.")
        c.table("numbers", pandas.DataFrame({"a": [1, 2]}), caption="Numbers.")
        c.check("x", measured=c["x"], reference=3, tolerance=0, reason="exact")
    """)
    result = validation.run_case(case, tmp_path, overrides={"x": 3.0})
    assert result.error is None
    assert result.passed
    assert result.notes == ["x is 3.0 in tier quick"]
    assert result.not_reproduced == ["y is not found"]
    assert result.parameters == {"x": 3.0}
    assert [verdict.quantity for verdict in result.verdicts] == ["x"]
    folder = tmp_path / "cases" / "sample"
    assert (folder / "a-line.svg").read_text().startswith("<?xml")
    assert (folder / result.figures[0].preview).read_bytes().startswith(b"\x89PNG")
    assert (folder / "numbers.csv").read_text() == "a\n1\n2\n"
    assert not (folder / "scratch").exists()
    assert Result.load(folder) == result


def test_scratch_is_kept_on_request(make_case, tmp_path):
    case = make_case('c.lammps("print a file out")\n' + "c.note('done')")
    result = validation.run_case(case, tmp_path, keep=True)
    assert (result.folder / "scratch" / "run-001" / "out").read_text() == "a\n"


RED_BODIES = {
    "exception": ("raise KeyError('gone')", "KeyError: 'gone'"),
    "lammps error": ("c.lammps('nonsense')", "LammpsError: Unknown command: nonsense"),
    "crash": ("os.kill(os.getpid(), signal.SIGSEGV)", "the case crashed with SIGSEGV"),
    "exit": ("sys.exit(0)", "the case ended with exit status 0"),
    "no verdict": ("pass", "no verdict"),
    "wrong check": (
        "c.check('y', measured=1, reference=0, tolerance=1, reason='test')",
        "CaseError: y: the reference of a relative error must not be 0",
    ),
    "figure twice": (
        "import pandas\nfor _ in 'ab': c.table('t', pandas.DataFrame())",
        "CaseError: name 't' of a figure or table must be unique and not empty",
    ),
}


@pytest.mark.parametrize("what", RED_BODIES)
def test_whatever_happens_is_a_red_row(make_case, tmp_path, what):
    body, message = RED_BODIES[what]
    result = validation.run_case(make_case(body), tmp_path)
    assert not result.passed
    assert result.error.startswith(message)
    assert not result.failed_a_check
    row = result.verdicts[-1]
    assert (row.passed, row.reason) == (False, result.error.splitlines()[0])


def test_what_was_judged_before_a_crash_stays(make_case, tmp_path):
    case = make_case("""
        c.check("x", measured=1, reference=1, tolerance=0.1, reason="test")
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    result = validation.run_case(case, tmp_path)
    assert [(row.quantity, row.passed) for row in result.verdicts] == [
        ("x", True),
        ("case runs to its end", False),
    ]
    assert "SIGKILL" in result.error


def test_nan_is_red(make_case, tmp_path):
    body = "c.check('x', measured=float('nan'), reference=1, tolerance=1, reason='test')"
    result = validation.run_case(make_case(body), tmp_path)
    assert not result.passed
    assert result.error is None
    assert result.failed_a_check


def test_timeout_ends_the_case_and_its_lammps(make_case, tmp_path, processes_in):
    case = make_case("c.lammps('label a\\njump SELF a')", timeout=2.0)
    start = time.monotonic()
    result = validation.run_case(case, tmp_path)
    assert time.monotonic() - start < 8
    assert result.error == "timeout: the case had not finished after 2 s and was killed"
    assert processes_in(tmp_path) == []


def test_spoil_turns_red_and_keeps_the_sound_result(make_case, tmp_path):
    case = make_case()
    sound = validation.run_case(case, tmp_path)
    spoiled = validation.run_case(case, tmp_path, spoil=True)
    assert sound.passed
    assert not spoiled.passed
    assert spoiled.failed_a_check
    assert spoiled.parameters == {"x": 2.0}
    assert Result.load(tmp_path / "cases" / "sample").passed


def test_a_case_runs_at_least_in_its_own_tier(make_case, tmp_path):
    result = validation.run_case(make_case(tier="full"), tmp_path, tier="smoke")
    assert result.run_tier == "full"


# ------------------------------------------------------------------------------- many, resume


def test_results_come_in_order_and_each_is_told(make_case, tmp_path):
    slow = make_case("time.sleep(0.5)\nc.note('x')", name="slow")
    fast = make_case(name="fast")
    started, finished = [], []
    results = validation.run_cases(
        [slow, fast],
        tmp_path,
        jobs=2,
        on_start=lambda case: started.append(case.name),
        on_result=lambda result: finished.append(result.case),
    )
    assert [result.case for result in results] == ["slow", "fast"]
    assert sorted(started) == ["fast", "slow"]
    assert finished == ["fast", "slow"]


def test_resume(make_case, tmp_path):
    body = "open(os.environ['COUNTER'], 'a').write('x')\n"
    check = "c.check('x', measured=c['x'], reference=1, tolerance=0, reason='test')"
    counter = tmp_path / "counter"

    def runs(case, **keywords):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COUNTER", str(counter))
            before = len(counter.read_text()) if counter.exists() else 0
            validation.run_case(case, tmp_path / "report", **({"resume": True} | keywords))
            return len(counter.read_text()) - before

    case = make_case(body + check)
    assert runs(case) == 1
    assert runs(case) == 0
    assert runs(case, resume=False) == 1
    assert runs(case, tier="full") == 1
    assert runs(case, overrides={"x": 2.0}) == 1
    assert runs(case, overrides={"x": 2.0}) == 0  # the case failed, but it was judged
    edited = make_case(body + check + "\n# edited")
    assert runs(edited, overrides={"x": 2.0}) == 1
    failing = make_case(body + "raise ValueError")
    assert runs(failing) == 1
    assert runs(failing) == 1  # the case was interrupted


def test_resume_passes_over_a_case_that_was_killed(make_case, tmp_path):
    case = make_case()
    result = validation.run_case(case, tmp_path)
    result.complete = False
    result.save()
    again = validation.run_case(case, tmp_path, resume=True)
    assert again.complete
    assert not again.reused
    assert validation.run_case(case, tmp_path, resume=True).reused


def test_resume_passes_over_a_damaged_result(make_case, tmp_path):
    case = make_case()
    validation.run_case(case, tmp_path)
    (tmp_path / "cases" / "sample" / "result.json").write_text('{"case": "sample"}')
    assert validation.run_case(case, tmp_path, resume=True).passed


def test_unwritable_report_folder(make_case, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write to the report folder .*--report DIR"):
        validation.run_cases([make_case()], tmp_path / "file" / "report")


# ------------------------------------------------------------------------------ structure of cases

CASE_FILES = sorted({case.file for case in validation.discover()})
WORK = {
    "lammps": "simulates",
    "check": "judges",
    "check_close": "judges",
    "figure": "draws",
}


def work_of(function: ast.FunctionDef) -> set[str]:
    called = {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "c"
    }
    return {WORK[name] for name in called & set(WORK)}


@pytest.mark.parametrize("file", CASE_FILES, ids=lambda file: file.stem)
def test_cases_simulate_judge_and_draw_apart(file: Path) -> None:
    functions = [n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions if len(work_of(f)) > 1] == []
    # functions longer than 75 lines should be split
    assert [f.name for f in functions if f.end_lineno - f.lineno > 75] == []


def test_work_of_functions_is_recognised() -> None:
    (mixed,) = ast.parse("def run(c):\n    c.lammps('')\n    c.check_close('', 1, 1)\n").body
    assert work_of(mixed) == {"simulates", "judges"}


@pytest.mark.parametrize(
    ("found", "expected", "passed"),
    [("[1, 2.1]", "[1, 2]", True), ("[1, 2.3]", "[1, 2]", False), ("[1, NAN]", "1", False)],
)
def test_check_close_judges_the_largest_difference(make_case, tmp_path, found, expected, passed):
    body = (
        f"NAN = float('nan')\n"
        f"c.check_close('x', {found}, {expected}, scale=2.0, tolerance=0.1, reason='test')"
    )
    result = validation.run_case(make_case(body), tmp_path / "report")
    assert result.error is None
    (row,) = result.verdicts
    assert row.passed is passed
    assert row.kind == "absolute"
    if passed:
        assert row.measured == pytest.approx(0.05)
