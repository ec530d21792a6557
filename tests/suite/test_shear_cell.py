"""The shear cell of Kovalcinova et al.: motion of the lids, and the nonaffine motion D2min."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from pysuite import engine, statistics, validation
from pysuite.outputs import LOSSES
from pysuite.validation.setups import shear_cell
from pysuite.validation.setups.shear_cell import Granulate, Protocol


class Folder:
    def __init__(self, folder):
        self.folder = folder

    def lammps(self, script, **keywords):
        self.run = engine.run(script, folder=self.folder, **keywords)
        return self.run


@pytest.fixture(scope="module")
def sheared(tmp_path_factory):
    """Shear a wet pack, first downwards. Return its cycles and the positions of its grains."""
    with pytest.MonkeyPatch.context() as patch:
        everyone = shear_cell.WATCH.replace("places grains", "places all")
        patch.setattr(shear_cell, "WATCH", everyone)
        c = Folder(tmp_path_factory.mktemp("cell"))
        cycles = shear_cell.shear(
            c,
            Granulate(0.25, shear_cell.TENSION),
            0.3,
            pack=1,
            protocol=Protocol(pressed=1, settling=1, counted=1, period=60.0),
            first=-1,
        )
    return cycles, c.run.dump("places")


def test_lids_take_the_shape_of_the_paper(sheared):
    cycles, places = sheared
    lids = cycles.grains.index[cycles.grains["type"].isin((2, 3))]
    places = places[places["id"].isin(lids)]
    x, y = (places[axis].to_numpy().reshape(-1, len(lids)) for axis in "xy")
    time = np.arange(len(y)) / shear_cell.SAMPLES
    shape = 1.0 - (2.0 * x[0] / shear_cell.LENGTH) ** 2
    expected = -shear_cell.AMPLITUDE * np.sin(2.0 * np.pi * time)[:, None] * shape
    assert np.abs(x - x[0]).max() == 0.0
    assert np.abs(y - y[0] - expected).max() < 1e-4  # the dump has six digits


def test_lids_press_and_work(sheared):
    cycles, _ = sheared
    assert (cycles.lids > 0.05).all()
    lost = cycles.ledger[LOSSES].sum(axis=1).diff().sum()
    residual = cycles.ledger["residual"].to_numpy()
    assert cycles.work.sum() == pytest.approx(residual[-1] - residual[0], rel=0.01)
    assert (cycles.lost + cycles.ruptured).sum() == pytest.approx(lost, rel=1e-6)


def test_forces_on_the_grains_are_those_of_the_contacts(sheared):
    grains = sheared[0].grains
    assert (grains["force"] >= 0.0).all()
    assert (grains.loc[grains["type"] == 1, "force"] > 0.0).mean() > 0.9


def test_affine_motion_has_no_nonaffine_part():
    places = np.random.default_rng(1).uniform(0.0, 20.0, (200, 2))
    moved = places @ np.array([[1.1, 0.2], [-0.1, 0.9]]) + 3.0
    assert shear_cell.nonaffine(places, moved) < 1e-20
    # D2min is 0.1^2 if only the grain itself moves, and up to twice this value if all grains move
    moved[:, 1] += 0.1 * (-1.0) ** np.arange(200)
    assert 0.01 < shear_cell.nonaffine(places, moved) < 0.02


def test_equal_strains_have_equal_motion_if_motion_follows_the_angle():
    rng = np.random.default_rng(2)
    places = rng.uniform(0.0, 20.0, (100, 2))
    way = rng.normal(0.0, 0.1, (100, 2))
    samples = shear_cell.SAMPLES
    angle = np.sin(2.0 * np.pi * np.arange(2 * samples + 1) / samples)
    frames = places + angle[:, None, None] * way
    found = shear_cell.strained(frames, 9)
    assert found.shape == (3, 9)
    assert found == pytest.approx(np.full((3, 9), found.mean()), rel=0.1)
    in_time = [shear_cell.nonaffine(*frames[n : n + 2]) for n in (0, samples // 4 - 1)]
    assert in_time[0] > 50.0 * in_time[1]


def test_equal_strains_keep_the_place_of_motion():
    rng = np.random.default_rng(3)
    places, way = rng.uniform(0.0, 20.0, (100, 2)), rng.normal(0.0, 0.1, (100, 2))
    samples = shear_cell.SAMPLES
    angle = np.sin(2.0 * np.pi * np.arange(2 * samples + 1) / samples)
    frames = places + np.maximum(angle - 0.5, 0.0)[:, None, None] * way
    found = shear_cell.strained(frames, 4)
    assert (found[:, :3] < 1e-3 * found[:, 3:]).all()


# ----------------------------------------------------------------- functions of case wet-shear


@pytest.fixture(scope="module")
def wet_shear():
    validation.discover()
    return sys.modules["pysuite_case_wet_shear"]


def packs(slope, start, scatter=0.1, seed=1):
    pressure = np.linspace(0.05, 0.3, 20)
    noise = np.random.default_rng(seed).normal(0.0, scatter, 20)
    return pd.DataFrame({"pressure": pressure, "E_diss": start + slope * pressure + noise})


def test_lines_cross_where_they_should(wet_shear):
    dry, wet = packs(11.0, 1.5), packs(4.0, 2.9, seed=2)
    found = wet_shear.crossing(dry, wet, 0.999)
    assert 0.1 < found.low < 0.2 < found.high < 0.3
    assert statistics.p_value(found, lambda of: of.low > 0.0) < 1e-6
    alike = wet_shear.crossing(dry, packs(11.0, 2.9, seed=2), 0.999)
    assert (alike.low, alike.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("count", [20, 200])
def test_the_crossing_lies_in_its_interval(wet_shear, count):
    hits = [
        found.low < 0.2 < found.high
        for n in range(count)
        for found in [
            wet_shear.crossing(packs(11.0, 1.5, 0.5, n), packs(4.0, 2.9, 0.5, 1000 + n), 0.95)
        ]
    ]
    assert np.mean(hits) > 0.85


@pytest.fixture
def judged(tmp_path):
    def call(judge, *arguments):
        case = sys.modules[judge.__module__].CASE
        parameters = dict(case.parameters)
        result = validation.Result(
            case.name, case.title, case.source, case.tier, "full", parameters, folder=tmp_path
        )
        root = validation.cases_folder()
        c = validation.Context(result, tmp_path, root.parent / "inputs", root / "data")
        judge(c, *arguments)
        found = {}
        for verdict in result.verdicts:
            found.setdefault(verdict.claim, set()).add(verdict.finding)
        return found

    return call


@pytest.mark.parametrize(
    ("rough", "cause"), [(11.0, "found"), (4.0, "not found"), (7.5, "undecided")]
)
def test_the_friction_must_cause_most_of_the_slower_growth(wet_shear, judged, rough, cause):
    dry, wet = packs(11.0, 1.5), packs(4.0, 2.9, seed=2)
    found = judged(wet_shear.judge_lines, dry, wet, packs(rough, 2.0, seed=3))
    assert found["K22"] == {cause}
    assert found["K7"] == {"found"}
    assert found["K10"] == {"undecidable"}


def test_a_curve_is_not_a_straight_line(wet_shear, judged):
    dry, wet = packs(11.0, 1.5), packs(4.0, 2.9, seed=2)
    bent = wet.assign(E_diss=wet["E_diss"] + 40.0 * (wet["pressure"] - 0.175) ** 2)
    straight, curved = (
        wet_shear.p_of(statistics.bend(runs["pressure"], runs["E_diss"])) for runs in (wet, bent)
    )
    assert straight > 0.05 > curved
    assert judged(wet_shear.judge_growth, dry, bent)["K6"] == {"undecidable"}


def test_the_pressure_is_steady_after_its_last_large_change(wet_shear):
    samples = shear_cell.SAMPLES
    empty = pd.DataFrame()
    settling = np.repeat([1.5, 0.95, 1.3, 1.05], samples)
    cycles = shear_cell.Cycles(
        np.ones((3 * samples, 2)), empty, empty, empty, settling, empty, empty
    )
    assert wet_shear.settled(cycles, 0.1) == 3
    assert wet_shear.settled(cycles, 0.4) == 1
    assert wet_shear.settled(cycles, 0.6) == 0


@pytest.mark.parametrize(("few", "many"), [(2, 6), (6, 2), (3, 3)])
def test_either_order_of_the_numbers_of_cycles_will_do(wet_shear, judged, few, many):
    rng = np.random.default_rng(4)
    each = [
        pd.DataFrame(
            {f"cycles to {of:.0%}": n + rng.integers(0, 3, 12) for of in wet_shear.SETTLED}
        )
        for n in (few, 4, many)
    ]
    found = judged(wet_shear.judge_settling, each)
    assert found["K27"] == {"undecided" if few == many else "found"}


@pytest.mark.parametrize(("share", "third"), [(0.06, "not found"), (0.9, "found")])
def test_ruptures_leave_a_third_or_more(wet_shear, judged, share, third):
    rng = np.random.default_rng(5)
    wet = packs(4.0, 2.9).assign(granulate="wet")
    wet["pressed with"] = np.repeat([0.1, 0.4], 10)
    wet["E_bb"] = (share - 0.001 * rng.random(20)) * wet["E_diss"] * np.repeat([1.0, 0.3], 10)
    wet["D2min"] = np.repeat([2.0, 1.0], 10) * rng.uniform(0.99, 1.01, 20)
    dry = wet.assign(granulate="dry")
    found = judged(wet_shear.judge_wet, dry, wet)
    assert found["K25"] == found["K12"] == {third}


# ---------------------------------------------------------- functions of case wet-shear-motion


def moved(by_angle, seed):
    angle = shear_cell.angles(4) / shear_cell.SHEAR_ANGLE
    scatter = np.random.default_rng(seed).uniform(0.95, 1.05, angle.size)
    empty = pd.DataFrame()
    ledger = pd.DataFrame(dict.fromkeys([*LOSSES, "created"], np.zeros(angle.size + 1)))
    return shear_cell.Cycles(
        np.ones((angle.size, 2)),
        ledger,
        np.zeros(angle.size),
        by_angle(angle) * scatter,
        np.ones(angle.size),
        empty,
        np.ones((7, 9)),
    )


@pytest.mark.parametrize(
    ("by_angle", "flat"),
    [
        (lambda angle: 2.0 - angle**2, "found"),
        (lambda angle: 1.0 + angle**2, "not found"),
        (np.ones_like, "undecided"),
    ],
)
def test_motion_must_be_largest_with_flat_lids(wet_shear, judged, by_angle, flat):
    motion = sys.modules["pysuite_case_wet_shear_motion"]
    each = [[moved(by_angle, n) for n in range(first, first + 10)] for first in (0, 10)]
    assert judged(motion.judge_flat, each)["K14"] == {flat}
