"""`pysuite calibrate`: problems with known answers, trade-offs, resumed calibrations, errors."""

from __future__ import annotations

import importlib.util
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pysuite import (
    commands,
)
from pysuite.commands import terminal
from pysuite.lab import calibrate, inference, runs
from pysuite.lab.inference import Parameter, Target
from pysuite.lab.settings import SettingsError
from pysuite.lab.surrogate import Surrogate, scatter_slopes
from pysuite.validation.setups import calibration_problems

HERE = Path(__file__).parent


def problems():
    path = HERE / "calibration_problems.py"
    specification = importlib.util.spec_from_file_location("calibration_problems", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


TABLE = pd.read_csv(HERE / "calibration_problems.csv")


@pytest.mark.parametrize("probability", [0.5, 0.9])
def test_regions_have_the_planted_parameters_as_often_as_they_say(probability):
    inside = int((TABLE["level"] < probability).sum())
    low, high = stats.binom.interval(0.95, len(TABLE), probability)
    assert len(TABLE) == 40
    assert low <= inside <= high


def test_posteriors_are_a_third_as_wide_as_the_prior_where_data_decide():
    decided = TABLE[TABLE["identified"]]
    assert len(decided) >= 36
    widths = decided[["width_friction", "width_rolling"]].to_numpy()
    assert np.median(widths) < 1.0 / 3.0
    # in a few problems, the law is nearly constant near one end of a range, so the width is larger
    assert (widths <= 1.0 / 3.0).mean() > 0.9


@pytest.mark.parametrize("number", [3, 17])
def test_the_table_is_what_the_problems_give(number):
    row = problems().solve(number)
    known = TABLE.set_index("problem").loc[number]
    # the fitted length scales depend slightly on CPU and library versions
    for name in ("width_friction", "width_rolling"):
        assert row[name] == pytest.approx(known[name], abs=0.02)
    assert row["level"] == pytest.approx(known["level"], abs=0.1)


def test_problems_are_of_the_kind_that_they_are_called():
    centre, corner = (
        calibrate.values_at(calibration_problems.PARAMETERS, np.array(u))
        for u in ([0.5, 0.5], [1.0, 1.0])
    )

    def at(number, kind, point):
        given = calibration_problems.problem(kind, number)
        return given, given.evaluate([point] * 300, list(range(300)), "design").to_numpy()

    for number in range(3):
        ends, _ = at(number, "end", centre)
        assert np.isin(ends.planted, [0.0, 1.0]).sum() == (2 if number == 2 else 1)
        _, runs = at(number, "correlated", centre)
        # the smallest correlation is 0.6; its standard error from 300 runs is 0.04
        assert runs.shape[1] == 3
        assert np.corrcoef(runs.T).min() > 0.45
        given, runs = at(number, "bent", centre)
        assert len(given.targets) == 2
        assert runs.std(axis=0) == pytest.approx([0.8, 0.8], rel=0.2)
        assert abs(np.corrcoef(runs.T)[0, 1]) < 0.25
    ratios = [
        at(n, "varying", corner)[1][:, 0].std() / at(n, "varying", centre)[1][:, 0].std()
        for n in range(8)
    ]
    # each of two slopes multiplies or divides the scatter by 1.6 to 2.7
    assert max(ratios) > 2.5
    assert min(ratios) < 0.4


def test_targets_err_by_their_uncertainty():
    def errors(error):
        both = [
            calibration_problems.problem("bent", number, error=size).targets
            for number in range(200)
            for size in (error, 0.0)
        ]
        pairs = zip(both[::2], both[1::2], strict=True)
        return np.array([[a.value - b.value for a, b in zip(*pair, strict=True)] for pair in pairs])

    # the standard deviation of 400 errors has a standard error of 4 %
    assert errors(1.0).std() == pytest.approx(0.5, rel=0.15)
    assert errors(2.0) == pytest.approx(2.0 * errors(1.0))


@pytest.mark.slow
def test_targets_that_are_thought_too_exact_are_noticed():
    module = problems()
    missed = 0
    for number in range(6):
        planted, targets, evaluate = module.problem(number, uncertainty=4.0)
        wrong = [Target(t.name, t.value, 0.3) for t in targets]
        found = calibrate.calibrate(module.PARAMETERS, wrong, evaluate, module.DESIGN)
        there = inference.log_likelihood(planted, wrong, found.surrogates)[0]
        missed += found.posterior.level_of(there) > 0.9
    assert missed > stats.binom.ppf(0.999, 6, 0.1)


PAIR = [Parameter("friction", 0.0, 1.0), Parameter("rolling", 0.0, 0.2)]
SMALL = calibrate.Design(points=14, repetitions=2, rounds=1, batch=3, check=3)


def trade_off(points, numbers, stage):
    friction, rolling = (
        np.array([point[name] for point in points]) for name in ("friction", "rolling")
    )
    noise = np.array([np.random.default_rng(n).normal(size=2) for n in numbers])
    total, difference = friction + rolling / 0.2, friction - rolling / 0.2
    return pd.DataFrame(
        {"angle": 20 + 8 * total + 0.5 * noise[:, 0], "height": 5 + difference + 0.1 * noise[:, 1]}
    )


def test_a_planted_trade_off_is_called_not_identified():
    found = calibrate.calibrate(PAIR, [Target("angle", 28.0, 0.5)], trade_off, SMALL)
    assert not found.identified
    (direction,) = found.undecided
    assert direction.step[0] == pytest.approx(-direction.step[1], rel=0.1)
    texts = found.diagnosis()
    assert "not identified: friction and rolling trade off along this line" in texts[0]
    assert texts[1].startswith("measure height too")
    both = [Target("angle", 28.0, 0.5), Target("height", 5.0, 0.1)]
    decided = calibrate.calibrate(PAIR, both, trade_off, SMALL)
    assert decided.identified
    assert decided.diagnosis() == []
    assert decided.answer["friction"] == pytest.approx(0.5, abs=0.15)
    alone = decided.constraints.set_index("targets")["friction"]
    assert alone["all"] < 0.5 * min(alone["angle"], alone["height"])


def test_a_parameter_without_influence_is_not_identified():
    def heap(points, numbers, stage):
        return trade_off([{**point, "rolling": 0.1} for point in points], numbers, stage)

    found = calibrate.calibrate(PAIR, [Target("angle", 28.0, 0.5)], heap, SMALL)
    assert "not identified: rolling is not determined" in found.diagnosis()[0]
    assert "another experiment is needed" in found.diagnosis()[1]


def test_a_target_out_of_reach_is_told_first_and_nothing_is_concluded(tmp_path):
    (tmp_path / "answer.json").write_text("{}")  # left by an earlier calibration
    found = calibrate.calibrate(PAIR, [Target("angle", 60.0, 0.5)], trade_off, SMALL)
    assert found.unmet == ["angle"]
    texts = found.diagnosis()
    assert texts[0].startswith("no parameters in these ranges meet all targets, so there is no")
    assert "angle = 60 cannot be met as the only target" in texts[0]
    assert not any("not identified" in text for text in texts)
    assert "friction is at the end of its range, 1" in " ".join(texts)
    (row,) = found.reach.to_dict("records")
    assert row["lowest"] == pytest.approx(20.0, abs=0.7)
    assert row["highest"] == pytest.approx(36.0, abs=0.7)
    calibrate.write(found, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "runs.csv", "reach.csv", "check.csv", "runs.png", "report.md",
    }  # fmt: skip
    report = (tmp_path / "report.md").read_text()
    assert "## Reach" in report
    assert "## Parameters" not in report


def test_the_closest_parameters_are_not_the_uncertain_ones():
    def fraction(points, numbers, stage):
        mu = np.array([point["mu"] for point in points])
        noise = np.array([np.random.default_rng(n).normal() for n in numbers])
        value = 0.61 - 0.05 * mu + 2e-3 * noise
        return pd.DataFrame({"fraction": np.where((mu > 0.6) & (stage == "design"), np.nan, value)})

    design = calibrate.Design(points=14, repetitions=2, rounds=0, check=3)
    target = Target("fraction", 0.70, 0.001)
    found = calibrate.calibrate([Parameter("mu", 0.0, 1.0)], [target], fraction, design)
    # the likelihood is largest near mu = 1, where no run of the design gave a value
    assert found.posterior.best[0] > 0.9
    assert found.answer["mu"] == pytest.approx(0.0, abs=0.02)
    assert found.unmet == ["fraction"]
    (row,) = found.reach.to_dict("records")
    assert row["closest"] == row["highest"] == pytest.approx(0.61, abs=0.005)
    assert found.check["measured"].item() == pytest.approx(0.61, abs=0.005)
    text = "mu is at the end of its range, 0: values beyond this end may come closer to the targets"
    assert text in found.diagnosis()


@pytest.mark.parametrize("place", [0.03, 0.97, 0.15])
def test_a_posterior_that_a_range_cuts_off_is_told(place):
    """The standard deviation of the posterior is 5 % of the range."""

    def linear(points, numbers, stage):
        noise = np.array([np.random.default_rng(n).normal() for n in numbers])
        return pd.DataFrame({"angle": 10 * np.array([p["mu"] for p in points]) + 0.05 * noise})

    found = calibrate.calibrate(
        [Parameter("mu", 0.0, 1.0)], [Target("angle", 10 * place, 0.5)], linear, SMALL
    )
    density = found.posterior.density_at_ends()[:, 0]
    # `apart` is the distance of the planted value from the middle of the last bin in standard
    # deviations. A bin is a third of a standard deviation wide.
    apart = (min(place, 1.0 - place) - 0.05 / 6.0) / 0.05
    assert density.max() == pytest.approx(math.exp(-0.5 * apart**2), abs=0.15)
    assert density.min() < 1e-6
    texts = found.diagnosis()
    if place == 0.15:
        assert texts == []
    else:
        assert len(texts) == 1
        assert texts[0].startswith(f"mu: its range ends at {round(place)}, where the density")


def test_targets_that_exclude_each_other_are_told():
    def twice(points, numbers, stage):
        return trade_off(points, numbers, stage).assign(other=lambda table: table["angle"])

    both = [Target("angle", 24.0, 0.3), Target("other", 32.0, 0.3)]
    for check in (0, 3):
        design = calibrate.Design(points=14, repetitions=2, rounds=1, batch=3, check=check)
        found = calibrate.calibrate(PAIR, both, twice, design)
        assert found.unmet == ["angle", "other"]
        assert "angle = 24 can be met as the only target, because in" in found.diagnosis()[0]
    met = calibrate.calibrate(PAIR, [Target("angle", 24.0, 0.3)], twice, SMALL)
    assert met.unmet == []


def test_pictures_have_legends_units_and_few_ticks(tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    drawn = []
    monkeypatch.setattr(plt, "close", drawn.append)
    log = [Parameter("friction", 0.001, 1.0, log=True), Parameter("rolling", 0.0125, 0.0875)]
    targets = [Target("angle", 24.0, 0.5, "°"), Target("height", 5.0, 0.1)]
    found = calibrate.calibrate(log, targets, trade_off, SMALL)
    calibrate.draw_posterior(found, tmp_path / "posterior.png")
    calibrate.draw_runs(found, tmp_path / "runs.png")
    monkeypatch.undo()
    for figure in drawn:
        assert figure.legends
        figure.canvas.draw()
        for axes in figure.axes:
            labels = [text for text in axes.get_xticklabels() if text.get_text()]
            low, high = axes.get_window_extent().extents[[0, 2]]
            boxes = sorted(text.get_window_extent().extents[[0, 2]].tolist() for text in labels)
            shown = [box for box in boxes if low - 1 <= sum(box) / 2 <= high + 1]
            for one, other in itertools.pairwise(shown):
                assert one[1] < other[0]
        plt.close(figure)
    assert [axes.get_ylabel() for axes in drawn[1].axes] == ["angle (°)", "", "height", ""]


def test_runs_that_fail_do_not_count_and_are_told():
    def some(points, numbers, stage):
        table = trade_off(points, numbers, stage)
        if stage == "design":
            table.loc[lost, "angle"] = np.nan
        return table

    lost = [3]
    found = calibrate.calibrate(PAIR, [Target("angle", 28.0, 0.5)], some, SMALL)
    assert found.failed == 1
    assert "1 run gave no value and is ignored" in found.diagnosis()

    def told(points, numbers, stage):
        table = some(points, numbers, stage)
        reason = np.where(table.index == 0, "too low", "too steep")
        return table.assign(error=np.where(table["angle"].isna(), reason, ""))

    lost = [0, 3, 4]
    found = calibrate.calibrate(PAIR, [Target("angle", 28.0, 0.5)], told, SMALL)
    reasons = "too steep (2 runs); too low (1 run)"
    assert f"3 runs gave no value and are ignored: {reasons}" in found.diagnosis()
    lost = list(range(20))
    reasons = r"too steep \(19 runs\); too low \(1 run\)"
    with pytest.raises(ValueError, match=f"angle: only 8 runs gave .*; 20 gave none: {reasons}"):
        calibrate.calibrate(PAIR, [Target("angle", 28.0, 0.5)], told, SMALL)


def test_a_heap_without_an_angle_gives_its_reason(tmp_path, monkeypatch):
    heap = SETTINGS.split("[packing]")[0] + "[heap]\nlongest = 0.1\n"
    (tmp_path / "heap.toml").write_text(heap)
    file = tmp_path / "targets.toml"
    file.write_text(TARGETS.replace("packing", "heap").replace("fraction", "angle"))
    job = calibrate.read(file, tmp_path / "folder")

    def some(bench, points, **options):
        rows = pd.DataFrame(points)
        known = {"angle": [np.nan if n < 2 else 20.0 + n for n in range(len(rows))]}
        errors = ["no run" if n == 2 else "" for n in range(len(rows))]
        return rows.assign(**known, error=errors)

    monkeypatch.setattr(runs.Bench, "run", some)
    low = r"heap: angle is not known: the heap is so low .* \(2 runs\)"
    message = rf"heap angle: only 5 runs gave .*; 3 gave none: {low}; heap: no run \(1 run\)"
    with pytest.raises(ValueError, match=message):
        calibrate.run(job)


def test_posterior_of_a_linear_law_is_known():
    grid = inference.design(60, 2, 1)
    surrogates = {
        "sum": Surrogate(grid, 10 * grid.sum(axis=1)),
        "difference": Surrogate(grid, 10 * (grid[:, 0] - grid[:, 1])),
    }
    targets = [Target("sum", 10.0, 0.4), Target("difference", 0.0, 0.2)]
    found = inference.posterior(2, targets, surrogates)
    assert found.mean == pytest.approx([0.5, 0.5], abs=2e-3)
    # The parameters are (s + d)/20 and (s - d)/20, where s is the sum and d the difference. Their
    # variances are (0.4^2 + 0.2^2)/400, and their covariance is (0.4^2 - 0.2^2)/400.
    known = np.array([[0.2, 0.12], [0.12, 0.2]]) / 400
    assert found.covariance == pytest.approx(known, rel=0.02)
    assert found.worth > 1000
    assert surrogates["sum"](np.array([[0.3, 0.4]]))[1][0] < 0.02
    assert surrogates["sum"].scatter([0.3, 0.4])[0] < 0.02


def density(of):
    x = (np.arange(20_000) + 0.5) / 20_000
    weights = of(x)
    return inference.Posterior(x[:, None], weights / weights.sum(), np.log(weights))


def test_intervals_have_equal_tails_inside_the_range():
    # the density is skewed, so the shortest interval would differ
    found = density(lambda x: stats.beta.pdf(x, 3.0, 8.0) + 1e-9)
    low, high = found.intervals(0.9)[:, 0]
    assert [low, high] == pytest.approx(stats.beta.ppf([0.05, 0.95], 3.0, 8.0), abs=1e-3)


@pytest.mark.parametrize("side", [0, 1])
def test_intervals_reach_the_end_of_the_range_where_the_posterior_is_largest(side):
    found = density(lambda x: np.exp(-10.0 * np.abs(side - x)))
    low, high = found.intervals(0.9)[:, 0]
    other = -np.log(1.0 - 0.9 * (1.0 - np.exp(-10.0))) / 10.0
    assert [low, high] == pytest.approx([0.0, other] if side == 0 else [1.0 - other, 1.0], abs=1e-3)
    assert (low, high)[side] == side


@pytest.mark.parametrize("count", [3, 4, 5])
def test_posterior_of_sharp_targets_is_not_cut_off(count):
    """The posterior is narrow: a grid over the ranges would have at most one likely point."""
    grid = inference.design(60, count, 1)
    surrogates = {f"{n}": Surrogate(grid, 10 * grid[:, n]) for n in range(count)}
    targets = [Target(f"{n}", 4.0 + n, 0.1) for n in range(count)]
    if count == 5:
        with pytest.raises(ValueError, match="use fewer parameters"):
            inference.posterior(count, targets, surrogates)
        return
    found = inference.posterior(count, targets, surrogates)
    assert found.mean == pytest.approx(0.4 + 0.1 * np.arange(count), abs=1e-3)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx([0.01] * count, rel=0.1)


def test_a_surrogate_that_predicts_badly_is_told():
    def jumps(points, numbers, stage):
        table = trade_off(points, numbers, stage)
        return table if stage == "design" else table.assign(angle=table["angle"] + 3.0)

    both = [Target("angle", 28.0, 0.5), Target("height", 5.0, 0.1)]
    found = calibrate.calibrate(PAIR, both, jumps, SMALL)
    assert any("angle: runs of the refinement rounds are" in text for text in found.diagnosis())


def test_surrogate_knows_scatter_and_error():
    random = np.random.default_rng(5)
    grid = inference.design(80, 2, 3)
    surrogate = Surrogate(grid, 20 + 10 * grid[:, 0] + random.normal(size=80))
    # the standard error of a standard deviation of 80 samples is 8 %
    assert surrogate.scatter([0.5, 0.5])[0] == pytest.approx(1.0, rel=0.25)
    more = inference.design(80, 2, 4)
    misses = surrogate.misses(more, 20 + 10 * more[:, 0] + random.normal(size=80))
    assert np.sqrt(np.mean(misses**2)) == pytest.approx(1.0, abs=0.25)
    mean, error = surrogate(np.array([[0.5, 0.5]]))
    assert abs(mean[0] - 25.0) < 4.0 * error[0]
    assert 0.05 < error[0] < 0.5


def test_surrogate_knows_where_runs_scatter_more():
    random = np.random.default_rng(6)
    grid = inference.design(80, 2, 3)
    # the scatter grows by a factor of 16 along the first coordinate
    scatter = np.exp(np.log(16.0) * (grid[:, 0] - 0.5))
    surrogate = Surrogate(grid, 20 + 10 * grid[:, 1] + scatter * random.normal(size=80))
    calm, wild, other = surrogate.scatter([[0.0, 0.5], [1.0, 0.5], [1.0, 0.0]])
    # The standard error of the most likely slope is (24/80)**0.5/2 = 0.27. The prior reduces the
    # slope by 7 %.
    assert np.log(wild / calm) == pytest.approx(np.log(16.0), abs=1.0)
    assert np.log(wild / other) == pytest.approx(0.0, abs=0.5)
    _, (near, far) = surrogate([[0.1, 0.5], [0.9, 0.5]])
    assert far > 1.5 * near


def test_slopes_of_even_scatter_are_none():
    grid = inference.design(400, 2, 3)
    residuals = np.random.default_rng(7).normal(size=400)
    # the standard error of a slope is (6/400)**0.5
    assert scatter_slopes(grid, residuals) == pytest.approx([0.0, 0.0], abs=0.4)
    steep = scatter_slopes(grid, residuals * np.exp(2.0 * grid[:, 0]))
    assert steep == pytest.approx([2.0, 0.0], abs=0.4)
    assert scatter_slopes(grid, np.zeros(400)) == pytest.approx([0.0, 0.0], abs=1e-3)


# ----------------------------------------------------------------------------- with experiments

SETTINGS = """\
contact = "hooke 100 0.5 damping coeff_restitution tangential linear_history 28 1 ${mu}"

[parameters]
mu = 0.5

[grains]
density = 2500
count = 40
uniform = { smallest = 0.8e-3, largest = 1.2e-3 }

[packing]
pressure = 1000
inertial = 0.05
"""
TARGET = """\
experiment = "packing"
quantity = "fraction"
value = 0.60
uncertainty = 0.01
"""
TARGETS = f"""\
[parameters]
mu = [0.0, 1.0]

[experiments.packing]
settings = "packing.toml"

[[targets]]
{TARGET}
[design]
points = 8
repetitions = 1
rounds = 1
batch = 2
check = 2
"""


@pytest.fixture
def targets(tmp_path):
    (tmp_path / "packing.toml").write_text(SETTINGS)
    file = tmp_path / "targets.toml"
    file.write_text(TARGETS)
    return file


def test_interrupted_and_resumed_gives_the_same_answer(targets, tmp_path, capsys):
    class StopError(Exception):
        pass

    def stop(stage, done, of):
        assert of == 12
        if done == 5:
            raise StopError

    with pytest.raises(StopError):
        calibrate.run(calibrate.read(targets, tmp_path / "resumed"), progress=stop)
    kept = len(list((tmp_path / "resumed/packing/runs").iterdir()))
    assert 5 <= kept <= 7
    command = ["calibrate", str(targets), "--folder", str(tmp_path / "resumed")]
    assert commands.main(command) == terminal.OK
    shown = capsys.readouterr().out
    assert "mu" in shown
    calibrate.run(calibrate.read(targets, tmp_path / "whole"))
    answers = [
        json.loads((tmp_path / name / "answer.json").read_text()) for name in ("resumed", "whole")
    ]
    assert answers[0] == answers[1]
    for name in ("report.md", "posterior.png", "runs.png", "posterior.csv", "check.csv"):
        assert (tmp_path / "whole" / name).stat().st_size > 100
    runs = pd.read_csv(tmp_path / "whole/runs.csv")
    assert len(runs) == 10
    assert "packing pressure" not in runs
    assert np.corrcoef(runs["mu"], runs["packing fraction"])[0, 1] < -0.5


def test_the_command_says_first_that_nothing_meets_the_targets(targets, monkeypatch, capsys):
    found = calibrate.calibrate(PAIR, [Target("angle", 60.0, 0.5)], trade_off, SMALL)
    monkeypatch.setattr(calibrate, "run", lambda *_, **__: found)
    folder = str(targets.parent / "out")
    assert commands.main(["calibrate", str(targets), "--folder", folder]) == terminal.RED
    shown = capsys.readouterr().out
    lines = [line.strip() for line in shown.splitlines() if "design" not in line and line.strip()]
    assert lines[0].startswith("no parameters in these ranges meet all targets")
    assert "Values reached within the ranges" in shown
    assert "median" not in shown


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mu = [0.0, 1.0]", "mu = [1.0, 0.5]", r"line 2: \[parameters\] mu .* low < high"),
        ("mu = [0.0, 1.0]", "mu = 3", r"mu = 3 must be \[low, high\]"),
        ("mu = [0.0, 1.0]", "mu = {low=0, high=1, log=true}", r"must have low > 0"),
        ("mu = [0.0, 1.0]", "nu = [0.0, 1.0]", r"nu .* must be one of the \[parameters\]"),
        ("packing.toml", "other.toml", r'\[experiments.packing\] settings = "other.toml" must be'),
        ('"fraction"', '"angle"', r'\[targets\] quantity = "angle" must be one of fraction'),
        ("uncertainty = 0.01", "uncertainty = 0", r"uncertainty = 0 must be > 0"),
        (
            "points = 8",
            "points = 3",
            r"points = 3 .* >= 7, that is, 5 plus 2 for each of 1 parameter",
        ),
        (
            '"fraction"',
            '"pressure"',
            r'quantity = "pressure" is prescribed by the settings',
        ),
        (
            "experiment = ",
            "experiments = ",
            r"experiments = .* is unknown; did you mean experiment",
        ),
        ("points = 8", "pionts = 8", r"\[design\] pionts = 8 is unknown; did you mean points"),
        ("[design]", "[desing]", r"desing = .* is unknown; did you mean design\?"),
        ("mu = [0.0, 1.0]", "mu = {low=0, hgih=1}", r"hgih = 1 is unknown; did you mean high\?"),
        ("settings =", "setings =", r'setings = "packing.toml" is unknown; did you mean settings'),
        ("mu = [0.0, 1.0]", "mu = {low=0, high=1, log='no'}", r"log = .no. must be true or false"),
        ('"fraction"', '"fraction foo"', r'quantity = "fraction foo" must be one of frac'),
        ("[design]", f"[[targets]]\n{TARGET}\n[design]", r"must not be given twice: packing fr"),
        (f"[[targets]]\n{TARGET}", "", r"targets .*must be one or more \[\[targets\]\] tables"),
    ],
)
def test_errors_name_table_key_value_and_bound(targets, tmp_path, old, new, message):
    targets.write_text(TARGETS.replace(old, new))
    with pytest.raises(SettingsError, match=message):
        calibrate.read(targets, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_parameter_that_no_contact_uses_is_an_error(targets, tmp_path):
    settings = SETTINGS.replace("mu = 0.5", "mu = 0.5\nnu = 1")
    (tmp_path / "packing.toml").write_text(settings)
    targets.write_text(TARGETS.replace("mu = [", "nu = ["))
    with pytest.raises(SettingsError, match=r"nu .* must be used by a contact model"):
        calibrate.read(targets, tmp_path / "out")


TUTORIAL = HERE.parents[1] / "docs/tutorial"


def test_files_of_the_tutorial_are_those_of_its_page(tmp_path):
    page = (TUTORIAL / "calibration.md").read_text()
    for name in ("heap", "targets"):
        for part in (TUTORIAL / f"beads/{name}.toml").read_text().split("\n\n"):
            text = "\n".join(line for line in part.splitlines() if not line.startswith("#"))
            assert text in page, text
    job = calibrate.read(TUTORIAL / "beads/targets.toml", tmp_path)
    assert f"This command simulates {job.runs} heaps" in page
    drum = runs.prepare("drum", TUTORIAL / "beads/drum.toml", tmp_path / "drum")
    heap = job.benches["heap"]
    assert drum.settings.contact == heap.settings.contact
    assert drum.settings.grains.grading.quantile(0.3) == heap.settings.grains.grading.quantile(0.3)
