"""The laboratory: sizes by mass, settings, and each experiment with a few grains."""

from __future__ import annotations

import itertools
import math
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from pysuite import (
    commands,
    engine,
    lab,
    shapes,
    statistics,
)
from pysuite.commands import terminal
from pysuite.lab import experiment, gravity, runs, stress
from pysuite.lab.grading import Grading, Space
from pysuite.lab.settings import SettingsError, Table

SIEVES = [(0.8e-3, 0.0), (1.0e-3, 0.4), (1.25e-3, 1.0)]
CONTACT = (
    "hooke 100 0.5 damping coeff_restitution tangential linear_history 28 1 ${mu}"
    " rolling sds 30 1e-3 ${rolling}"
)


def settings(name, own=None, *, count=60, **grains):
    known = {"density": 2500, **({"sieve": SIEVES} if not grains else {}), **grains}
    if name != "drum":
        known["count"] = count
    return {
        "contact": CONTACT,
        "parameters": {"mu": 0.5, "rolling": 0.1},
        "grains": known,
        name: own or {},
    }


# ------------------------------------------------------------------------------------ sizes


def test_a_sample_has_the_masses_of_the_sieve_table():
    grading = Grading.of_sieves([(0.5, 0.0), (1.0, 0.5), (2.0, 1.0)])
    sizes = grading.sample(4000, np.random.default_rng(1))
    curve = grading.sieve_curve(sizes)
    # a class has at most one grain too many or too few; a grain's volume is at most 2^3 pi/6
    allowed = 2.0 * 8.0 * math.pi / 6.0 / (4000 * grading.mean_volume())
    assert (curve["drawn"] - curve["wanted"]).abs().max() < allowed
    assert allowed < 0.02
    assert sizes.min() >= 0.5
    assert sizes.max() <= 2.0
    by_number = grading.quantile(np.random.default_rng(2).random(4000))
    assert (grading.sieve_curve(by_number)["drawn"] - curve["wanted"]).abs().max() > 0.2


def test_mean_volume_is_that_of_samples():
    grading = Grading.lognormal(1.0, 1.5)
    volumes = [
        math.pi / 6.0 * (grading.sample(500, np.random.default_rng(n)) ** 3).mean()
        for n in range(40)
    ]
    error = np.std(volumes) / math.sqrt(len(volumes))
    assert abs(np.mean(volumes) - grading.mean_volume()) < 4.0 * error + 1e-3


@pytest.mark.parametrize(
    ("grading", "median"),
    [
        (Grading.lognormal(2.0, 1.4), 2.0),
        (Grading.rosin_rammler(1.0, 3.0), math.log(2.0) ** (1.0 / 3.0)),
        (Grading.uniform(1.0, 3.0), 2.0),
        (Grading.of_one_size(0.7), 0.7),
    ],
    ids=["lognormal", "rosin_rammler", "uniform", "diameter"],
)
def test_medians_by_mass(grading, median):
    assert grading.median == pytest.approx(median, rel=2e-4)  # interpolated between 4001 points


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grading.uniform(2.0, 1.0), "largest = 1 must be > 2"),
        (lambda: Grading.uniform(-1.0, 1.0), "smallest = -1 must be > 0"),
        (lambda: Grading.uniform(1.0, 1.0), "largest = 1 must be > 1"),
        (lambda: Grading.of_one_size(-1.0), "diameter = -1 must be > 0"),
        (lambda: Grading.lognormal(1.0, 0.5), "deviation = 0.5 must be > 1"),
        (lambda: Grading.lognormal(math.nan, 2.0), "median = nan must be > 0 and finite"),
        (lambda: Grading.rosin_rammler(1.0, -1.0), "exponent = -1 must be > 0"),
    ],
)
def test_laws_of_sizes_have_bounds(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_is_cut_off_is_told():
    cut = Grading.lognormal(1.0, 2.0, largest=2.0)
    # the largest size is one standard deviation, ln 2, above the median
    assert cut.left_out == pytest.approx((0.01, 0.15866), abs=2e-4)
    assert cut.finer(2.0) == 1.0
    (told,) = runs.size_remarks(
        runs.parse(
            Table(settings("heap", lognormal={"median": 1e-3, "deviation": 1.2})),
            "heap",
            gravity.Heap.keys,
            True,
        ).grains
    )
    assert "the finest 1 % and the coarsest 1 % of the mass are left out" in told


@pytest.mark.parametrize("axis", [None, 2])
def test_placed_grains_neither_overlap_nor_leave_the_space(axis):
    space = Space((0.0, 0.0, 0.0), (6.0, 6.0, 8.0), axis, (False, False, False))
    sizes = np.linspace(1.2, 0.5, 150)
    place = space.place(sizes, np.random.default_rng(3))
    apart = np.linalg.norm(place[:, None] - place, axis=2) - 0.5 * (sizes[:, None] + sizes)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.0
    away = np.linalg.norm(place[:, :2] - 3.0, axis=1) if axis else np.abs(place - 3.0)[:, :2].max(1)
    assert (away + 0.5 * sizes).max() <= 3.0
    with pytest.raises(ValueError, match="no room"):
        Space((0.0, 0.0, 0.0), (2.0, 2.0, 2.0)).place(np.ones(9), np.random.default_rng(3))


def test_sieves_without_mass_are_no_sizes():
    grading = Grading.of_sieves([(0.5, 0.0), (1.0, 0.0), (2.0, 1.0), (8.0, 1.0)])
    assert (grading.smallest, grading.largest) == (1.0, 2.0)
    assert grading.collections().size == 0


@pytest.mark.parametrize("name", ["heap", "hopper", "silo"])
@pytest.mark.parametrize(
    "sizes",
    [
        {"diameter": 1e-3},
        {"uniform": {"smallest": 1e-3, "largest": 3e-3}},
        {"uniform": {"smallest": 1e-3, "largest": 1e-2}},
    ],
)
def test_grains_have_room_in_cylinders_that_are_chosen(name, sizes, tmp_path):
    for count, own in itertools.product((2, 5, 10, 50, 100), ({}, {"hole": 20e-3})):
        given = settings(name, {} if name == "heap" else own, count=count, **sizes)
        bench = runs.prepare(name, given, tmp_path)
        for seed in range(3):
            random = np.random.default_rng(seed)
            diameters = bench.settings.grains.grading.sample(count, random)
            bench.plan.space.place(diameters, random)


def test_intervals_of_fractions_end_at_0_and_1(tmp_path):
    wide = statistics.mean([0.4, 0.6], statistics.SINGLE_LEVEL)
    assert wide.high > 1.0
    assert runs.error_in_words(wide) == " ± 1.3 (95 %)"
    found = wide.within(0.0, 1.0)
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)
    assert runs.error_in_words(statistics.Interval(0.25, 0.0, 1.0, "")) == " (0 to 1, 95 %)"
    alone = statistics.Interval(0.5, -math.inf, math.inf, "one repetition")
    assert alone.within(0.0, 1.0) == alone
    assert runs.error_in_words(alone) == ""
    bench = runs.prepare("packing", settings("packing", TINY["packing"]), tmp_path)
    assert set(experiment.FRACTIONS) <= {
        name for one in runs.EXPERIMENTS.values() for name in one.units
    }

    class Two(type(bench.experiment)):
        def conclude(self, table, plan):
            return {"fraction": wide, "coordination": wide}

    found = runs.concluded(Two(), pd.DataFrame(), bench.plan)
    assert (found["fraction"].high, found["coordination"].high) == (1.0, wide.high)


def test_a_hole_that_the_largest_grain_blocks_is_told(tmp_path):
    given = settings("silo", {"hole": [0.9e-3, 5e-3]}, diameter=1e-3)
    remarks = runs.prepare("silo", given, tmp_path).plan.remarks
    told = [text for text in remarks if text.startswith("hole")]
    assert len(told) == 1
    assert told[0].startswith("hole = 0.0009 is smaller than the largest grain, 0.001, which")


@pytest.mark.parametrize("name", ["packing", "shear", "oedometer", "triaxial"])
def test_grains_with_a_shape_have_room(name, tmp_path):
    shapes.ellipsoid(0.5, 0.5, 1.0).write(tmp_path / "grain.obj")
    own = {"oedometer": {"first": 1.0, "last": 2.0}, "shear": {"stress": 1.0}}
    given = settings(name, shape=str(tmp_path / "grain.obj"), count=60, diameter=1e-3)
    given[name] = own.get(name, {"pressure": 1.0})
    bench = runs.prepare(name, given, tmp_path / "out")
    assert bench.settings.grains.bounding == pytest.approx(2.0 ** (1 / 3) * 2 ** (1 / 3), rel=0.01)
    assert (tmp_path / "out" / "grains-1.data").is_file()


# --------------------------------------------------------------------------------- settings

GOOD = """\
contact = "hooke 100 0.5 tangential linear_history 28 1 ${mu}"

[parameters]
mu = 0.5

[grains]
density = 2500
count = 60
diameter = 1e-3
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("density = 2500", "density = -1", r"line 7: \[grains\] density = -1 must be > 0"),
        ("density = 2500", "density = inf", r"line 7: \[grains\] density = inf must be finite"),
        ("density = 2500", "density = nan", r"line 7: \[grains\] density = nan must be finite"),
        ("count = 60", "count = 1", r"line 8: \[grains\] count = 1 must be a whole number >= 2"),
        ("mu = 0.5", "mu = true", r"line 4: \[parameters\] mu = true must be a number"),
        ("mu = 0.5", 'mu = "much"', r"line 4: \[parameters\] mu = \"much\" must be a number"),
        ("mu = 0.5", "nu = 0.5", r"line 1: contact .* variables of \[parameters\] only, not 'mu'"),
        ("diameter = 1e-3", "", r"\[grains\] sieve is missing"),
        ("diameter = 1e-3", "sieve = [[1, 0.1], [2, 1]]", r"sieve .* grow from 0 in the first"),
        (
            "diameter = 1e-3",
            "lognormal = {median = 1, deviation = 0.9}",
            r"deviation = 0.9 must be",
        ),
        ("[grains]", "[grain]", r"line 6: grain = .* is unknown; did you mean grains\?"),
        (
            "[grains]",
            "[shear]\nstress = 1\n[grains]",
            r"line 6: shear = .* belongs to `pysuite lab shear`; `pysuite lab heap` uses",
        ),
        ("hooke 100 0.5", "hook 100 0.5", r"line 1: contact = .* did you mean .*hooke.*\?$"),
        ("hooke 100 0.5", "hooke 0 0.5", "line 1: contact = .*; give timestep = …$"),
        (
            "[grains]",
            "[heap]\nradius = 5e-4\n[grains]",
            r"line 7: \[heap\] radius = 0.0005 must be > half",
        ),
        ("density = 2500", "", r"\[grains\] density is missing"),
        (
            "diameter = 1e-3",
            "lognormal = {median = 1, deviate = 2}",
            r"deviate = 2 is unknown; did",
        ),
        (
            "count = 60",
            "count = 60\ncolour = 3",
            r"line 9: \[grains\] colour = 3 is unknown; did you mean count",
        ),
        ("count = 60", "coutn = 60", r"\[grains\] coutn = 60 is unknown; did you mean count\?"),
        ("contact =", "contct =", r"contct = .* is unknown; did you mean contact\?"),
        ("[grains]", "[heap]\nradius = 0\n[grains]", r"line 7: \[heap\] radius = 0 must be > 0"),
        ("hooke 100 0.5", "hook 100 0.5", r"contact = .*hook"),
        ("density", "density = ", r"line 7"),
        ("[grains]", f"[heap]\nradius = {10**400}\n[grains]", r"radius = .* must be finite"),
        ("mu = 0.5", "mu = 0.5\ndt = 1", r"dt = 1 must have another name: the script has a"),
        ("mu = 0.5", "mu = 0.5\nd50 = 1", r"d50 = 1 must have another name"),
        ("mu = 0.5", '"mu-1" = 0.5\nmu = 0.5', r"mu-1 = 0.5 must have a name of letters"),
    ],
)
def test_errors_name_line_table_key_value_and_bound(tmp_path, old, new, message):
    file = tmp_path / "heap.toml"
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(SettingsError, match=message):
        runs.prepare("heap", file, tmp_path / "out")


def test_the_command_tells_the_error_and_not_a_traceback(tmp_path, capsys):
    file = tmp_path / "heap.toml"
    file.write_text(GOOD.replace("2500", "0"))
    command = ["lab", "heap", str(file), "--folder", str(tmp_path / "out")]
    assert commands.main(command) == terminal.USAGE
    assert "density = 0 must be > 0" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("name", "own", "quantities"),
    [
        ("shear", {"stress": 10.0}, ["friction_angle", "peak_angle", "fraction"]),
        ("shear", {"stress": [10.0, 20.0]}, 2 * ["friction_angle", "peak_angle", "fraction"]),
        ("shear", {"stress": [1.0, 2.0, 3.0]}, [*9 * [""], "friction_angle", "cohesion"]),
        ("hopper", {"hole": [0.01, 0.02]}, 2 * ["rate", "arching", "over_beverloo"]),
        ("silo", {"hole": [0.01, 0.02]}, 2 * ["rate", "arching", "over_beverloo"]),
        ("hopper", {"hole": [0.01, 0.02, 0.03]}, [*9 * [""], "beverloo_c", "beverloo_k"]),
    ],
)
def test_quantities_of_a_repetition(name, own, quantities, tmp_path):
    bench = runs.prepare(name, settings(name, own, count=300), tmp_path)
    found = bench.experiment.quantities(bench.plan)
    assert [
        word.split(" ")[0] if wanted else "" for word, wanted in zip(found, quantities, strict=True)
    ] == quantities
    table = pd.DataFrame(
        {
            word: [1.0]
            for word in (
                "normal_stress",
                "shear_stress",
                "friction_angle",
                "peak_angle",
                "peak_angle_least",
                "peak_angle_most",
                "fraction",
                "rate",
                "repetition",
                "arched",
            )
        }
    )
    ((key, values),) = own.items()
    each = values if isinstance(values, list) else [values]
    table = pd.concat(
        [
            table.assign(
                **{
                    key: value,
                    "normal_stress": value,
                    "shear_stress": 0.5 * value,
                    "rate": value**2.5,
                }
            )
            for value in each
        ]
    )
    assert set(found) == set(bench.experiment.conclude(table, bench.plan))


def test_a_time_limit_is_positive(tmp_path, capsys):
    file = tmp_path / "heap.toml"
    file.write_text(GOOD)
    assert commands.main(["lab", "heap", str(file), "--timeout", "-1"]) == terminal.USAGE
    assert "--timeout -1 must be > 0" in capsys.readouterr().err


FRICTION = "tangential linear_history 28 0 0.5"


def test_time_step_follows_the_largest_slope():
    mass = 2500 * math.pi / 6.0 * 1e-9
    linear = experiment.collision_time(f"hooke 100 0.5 {FRICTION}", 1e-3, 2500, 0.1, 0.0)
    # tolerance: the stiffness is computed by finite differences
    assert linear == pytest.approx(math.pi * math.sqrt(0.5 * mass / 100), rel=1e-4)
    # In a Hertz contact, the largest overlap follows from the energy. The stiffness there is
    # 2 E* sqrt(R* overlap), with R* = d/4 and m* = m/2.
    modulus = 1e7 / (2.0 * (1.0 - 0.3**2))
    overlap = (15.0 * 0.5 * mass * 0.1**2 / (16.0 * modulus * math.sqrt(2.5e-4))) ** 0.4
    slope = 2.0 * modulus * math.sqrt(2.5e-4 * overlap)
    hertz = experiment.collision_time(
        f"hertz/material 1e7 0.5 0.3 {FRICTION}", 1e-3, 2500, 0.1, 0.0
    )
    # overlaps are sampled in steps of 2 %
    assert hertz == pytest.approx(math.pi * math.sqrt(0.5 * mass / slope), rel=0.02)
    # for contacts that yield, the collision time follows from the stiffness of unloading, 4 k1
    yielding = experiment.collision_time(f"walton_braun 100 400 {FRICTION}", 1e-3, 2500, 0.1, 0.0)
    assert yielding == pytest.approx(0.5 * linear, rel=1e-3)


# ------------------------------------------------------------------------------ experiments

TINY = {
    "heap": {"longest": 0.1, "rough": 5e-3},
    "drum": {"radius": 4e-3, "length": 3e-3, "turns": 0.1},
    "hopper": {"hole": 5e-3, "bin": 6e-3},
    "silo": {"hole": 5e-3, "bin": 7e-3},
    "shear": {"stress": [500.0, 1000.0], "inertial": 0.02, "strain": 0.5},
    "triaxial": {"pressure": 1000.0, "inertial": 0.02, "strain": 0.2},
    "oedometer": {"first": 200.0, "last": 2000.0, "ramp": 0.02},
    "packing": {"pressure": 1000.0},
}


def test_axes_have_units():
    label = [experiment.unit_of("mass/time", style) for style in ("si", "cgs", "lj")]
    assert label == ["kg/s", "g/s", "lj units"]
    assert [experiment.unit_of(dimension, "si") for dimension in ("1", "°", "pressure")] == [
        "", "°", "Pa",
    ]  # fmt: skip
    for one in runs.EXPERIMENTS.values():
        for _, dimension in one.axes:
            assert experiment.unit_of(dimension, "si") or dimension == "1"


@pytest.mark.parametrize("name", TINY)
def test_each_experiment_gives_table_value_and_picture(name, tmp_path):
    ended = []
    found = getattr(lab, name)(
        settings(name, TINY[name]),
        folder=tmp_path,
        repetitions=2,
        jobs=2,
        progress=lambda *numbers: ended.append(numbers),
    )
    assert (found.table["error"] == "").all()
    assert ended[-1][0] == ended[-1][1] == len(found.table)
    assert found.picture.stat().st_size > 10_000
    assert found.value.low < found.value.value < found.value.high
    low, high = {
        "heap": (1, 45), "drum": (10, 60), "hopper": (1e-5, 1e-2),
        "silo": (1e-5, 1e-2), "shear": (10, 45),
        "triaxial": (10, 45), "oedometer": (1e3, 1e6), "packing": (0.5, 0.68),
    }[name]  # fmt: skip
    assert low < found.value.value < high
    for file in ("table.csv", "values.csv", "sieves.csv"):
        assert len(pd.read_csv(tmp_path / file)) >= 2


@pytest.mark.parametrize(("name", "own"), [("hopper", {"bin": 6e-3}), ("silo", {"bin": 7e-3})])
def test_runs_that_are_halted_early_have_arched(name, own, tmp_path):
    """Holes are 1.3 and 1.7 grain diameters wide."""
    holes = [1.5e-3, 2.0e-3]
    own = own | {"hole": holes} | ({"angle": 60.0} if name == "silo" else {})
    found = getattr(lab, name)(settings(name, own, count=150), folder=tmp_path, repetitions=2)
    assert {name: one.value for name, one in found.values.items()} == {
        f"arching ({hole:g})": 1.0 for hole in holes
    }
    for folder in found.table["folder"]:
        thermo = engine.Run(Path(folder), 1).thermo
        assert thermo["v_agitation"].iloc[-1] < experiment.REST


def test_a_heap_that_came_to_rest_is_judged_by_its_last_step(tmp_path):
    found = lab.heap(settings("heap"), folder=tmp_path, repetitions=1)
    end = engine.Run(Path(found.table["folder"][0]), 1).thermo.iloc[-1]
    assert end["v_agitation"] < experiment.REST
    assert end["Step"] % 2000 != 0


def test_equal_grains_have_no_sieve_curve(tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    drawn = []
    monkeypatch.setattr(plt, "close", drawn.append)
    found = lab.packing(
        settings("packing", {"pressure": 1000.0}, diameter=1e-3), folder=tmp_path, repetitions=1
    )
    assert not any("sieve curve" in remark for remark in found.remarks)
    assert found.sieves.to_dict("list") == {"opening": [1e-3], "wanted": [1.0], "drawn": [1.0]}
    (figure,) = drawn
    assert len(figure.axes) == 1
    assert "one size, diameter 0.001." in (tmp_path / "in.packing").read_text()


def test_the_script_runs_alone_and_gives_the_same(tmp_path):
    found = lab.packing(settings("packing", TINY["packing"]), folder=tmp_path, repetitions=2)
    alone = tmp_path / "alone"
    alone.mkdir()
    for file in (tmp_path / "in.packing", *tmp_path.glob("grains-*.data")):
        shutil.copy(file, alone)
    for repetition in (1, 2):
        variables = {} if repetition == 1 else {"repetition": repetition}
        end = engine.run(alone / "in.packing", variables=variables).thermo.iloc[-1]
        assert end["v_fraction"] == found.table["fraction"][repetition - 1]
    assert found.table["fraction"].nunique() == 2


def test_what_has_ended_is_kept_and_other_settings_run_anew(tmp_path):
    first = lab.packing(settings("packing", TINY["packing"]), folder=tmp_path, repetitions=1)
    again = lab.packing(settings("packing", TINY["packing"]), folder=tmp_path, repetitions=2)
    # the computing time is that of the first call, so repetition 1 did not run again
    assert again.table["seconds"][0] == first.table["seconds"][0]
    assert again.table["folder"][0] == first.table["folder"][0]
    other = settings("packing", TINY["packing"], sieve=[(0.8e-3, 0.0), (1.25e-3, 1.0)])
    changed = lab.packing(other, folder=tmp_path, repetitions=1)
    assert changed.table["folder"][0] != first.table["folder"][0]
    assert changed.table["fraction"][0] != first.table["fraction"][0]


def test_stress_control_holds_the_stress(tmp_path):
    own = TINY["triaxial"] | {"inertial": 0.01}
    found = lab.triaxial(settings("triaxial", own), folder=tmp_path, repetitions=1)
    # tolerance: the stress of 60 grains fluctuates
    assert found.table["lateral"][0] == pytest.approx(1000.0, rel=0.02)


def test_wide_sizes_use_collections_and_have_the_same_forces(tmp_path):
    wide = settings(
        "packing", TINY["packing"], count=200, uniform={"smallest": 4e-4, "largest": 2e-3}
    )
    bench = runs.prepare("packing", wide, tmp_path)
    (told,) = runs.size_remarks(bench.settings.grains)
    assert "5 times the smallest" in told
    assert "3 collections" in told
    text = bench.script.read_text()
    head = text[: text.index("unfix           shrink")] + (
        "write_dump all custom end id x y z fx fy fz modify sort id format float %.15g\n"
    )
    assert re.search(r"neighbor .* multi\n", head)
    assert "collection/interval 3 " in head
    plain = re.sub(r" collection/interval .*", "", head).replace(" multi\n", " bin\n")
    plain = plain.replace("mode multi ", "")
    ends = []
    for number, script in enumerate((head, plain)):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(tmp_path / "grains-1.data", folder)
        ends.append(engine.run(script, folder=folder).dump("end"))
    first, second = (end[["x", "y", "z", "fx", "fy", "fz"]].to_numpy() for end in ends)
    size = np.abs(first).max(axis=0)
    # the runs add forces in different orders; collisions amplify the round-off
    assert (np.abs(first - second) / size).max() < 1e-6
    assert size[3:].min() > 0.0


def test_a_plate_may_be_larger_than_the_heap(tmp_path):
    own = TINY["heap"] | {"rough": 30e-3}
    found = lab.heap(settings("heap", own), folder=tmp_path, repetitions=1)
    assert found.table["error"].tolist() == [""]


@pytest.mark.parametrize(
    ("name", "own", "message"),
    [
        ("oedometer", {"width": 2e-3}, r"width = 0.002 must be >= 0.00275 \(2.2 times the largest"),
        ("drum", {"length": 2e-3}, r"length = 0.002 must be >= 0.00275 \(2.2"),
        (
            "shear",
            {"stress": [500, 1000, 500]},
            r"stress = 500, 1000, 500 must not contain 500 twice",
        ),
        ("hopper", {"hole": [5e-3, 5e-3]}, r"hole = 0.005, 0.005 must not contain 0.005 twice"),
        ("hopper", {"bin": 1e-3, "hole": 5e-4}, r"bin = 0.001 must be > largest grain = 0.00125"),
        (
            "heap",
            {"radius": 5e-4},
            r"radius = 0.0005 must be > half the largest diameter, which is 0.00125",
        ),
    ],
)
def test_what_an_experiment_cannot_do_is_told(name, own, message, tmp_path):
    with pytest.raises(SettingsError, match=rf"\[{name}\] {message}"):
        runs.prepare(name, settings(name, TINY[name] | own), tmp_path)


def test_a_run_that_fails_is_a_row_and_does_not_count(tmp_path):
    bench = runs.prepare("packing", settings("packing", TINY["packing"]), tmp_path)
    text = bench.script.read_text()
    broken = text.replace(
        "run             0", 'if "${repetition} == 2" then "error here"\nrun 0', 1
    )
    bench.script.write_text(broken)
    table = bench.run([point for n in (1, 2) for point in bench.point({}, n)])
    assert (table["error"] != "").tolist() == [False, True]
    remarks = runs.remarks_of(bench, table, runs.sieve_curve(bench, [1]))
    assert any("1 of 2 runs failed" in remark for remark in remarks)


def test_an_experiment_of_which_no_run_succeeds_says_why_and_where(tmp_path, capsys):
    file = tmp_path / "heap.toml"
    commands_ = """commands = ["print 'WARNING: too warm'", "no_such_command"]\n"""
    file.write_text(GOOD.replace("count = 60", "count = 60\n" + commands_))
    command = ["lab", "heap", str(file), "--repetitions", "2", "--folder", str(tmp_path / "out")]
    assert commands.main(command) == terminal.RED
    told = capsys.readouterr().err.replace("\n", " ")
    assert "no run succeeded" in told
    assert "no_such_command" in told
    assert "LAMMPS warns in 2 runs: too warm" in told
    assert str(tmp_path / "out" / "runs") in told


# ------------------------------------------------------------------------------ conclusions


def test_hole_of_the_floor_has_the_area_of_its_circle(tmp_path):
    from pysuite import meshes

    gravity.write_floor(tmp_path / "floor.stl", 3.0)
    triangles = meshes.read_stl(tmp_path / "floor.stl")
    sides = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    polygon = 48 * 0.5 * math.sin(2.0 * math.pi / 48) * 9.0
    assert polygon - 0.5 * np.linalg.norm(sides, axis=1).sum() == pytest.approx(math.pi, rel=1e-5)


def test_the_cone_of_a_silo_rises_at_its_angle_from_the_hole_of_the_floor(tmp_path):
    from pysuite import meshes

    own = {"hole": 5e-3, "bin": 8e-3, "angle": 20.0}
    bench = runs.prepare("silo", settings("silo", own), tmp_path)
    cone = meshes.read_stl(bench.folder / "cone.stl").reshape(-1, 3)
    gravity.write_floor(tmp_path / "floor.stl", 8.0 / 5.0 + 0.5)
    floor = meshes.read_stl(tmp_path / "floor.stl").reshape(-1, 3)
    np.testing.assert_allclose(cone[:, :2], floor[:, :2], atol=1e-6)
    away = np.hypot(*cone[:, :2].T) - np.hypot(*cone[:, :2].T).min()
    np.testing.assert_allclose(away, cone[:, 2] * math.tan(math.radians(20.0)), atol=1e-6)
    # the cone ends at a height of 1.5 mm / tan 20
    assert bench.plan.space.low[2] == pytest.approx(1.5e-3 / math.tan(math.radians(20.0)))
    with pytest.raises(SettingsError, match=r"\[silo\] angle = 85.0 must be > 0 and <= 80"):
        runs.prepare("silo", settings("silo", own | {"angle": 85.0}), tmp_path)


@pytest.mark.parametrize(("ratio", "shown"), [(0.9999, "0.999"), (0.987, "0.987"), (1.001, None)])
def test_a_remark_on_a_low_pile_never_calls_it_as_high_as_the_bin_is_wide(ratio, shown, tmp_path):
    first = runs.prepare("hopper", settings("hopper", {"hole": 2e-3}), tmp_path)
    volume = experiment.solid_volume(first.settings, 60) / gravity.PACKED
    gap = 0.01 * first.plan["d50"]

    def excess(width):
        return volume / (math.pi * (0.5 * width - gap) ** 2) - ratio * width

    own = {"hole": 2e-3, "bin": optimize.brentq(excess, 1e-3, 1.0, xtol=1e-12)}
    remarks = runs.prepare("hopper", settings("hopper", own), tmp_path).plan.remarks
    expected = f"the pile is only {shown} times as high as the bin is wide"
    assert [text.split(":")[0] for text in remarks] == ([expected] if shown else [])


def test_rates_are_compared_with_beverloos_law(tmp_path):
    own = {"hole": [1.2e-3, 5e-3]}
    bench = runs.prepare("silo", settings("silo", own), tmp_path)
    plan = bench.plan
    law = 0.58 * 0.58 * 2500 * math.sqrt(9.81) * (5e-3 - 1.4 * plan["d50"]) ** 2.5
    rates = [(1.2e-3, 1e-6), (1.2e-3, 2e-6), (5e-3, 1.2 * law), (5e-3, 1.4 * law)]
    table = pd.DataFrame(rates, columns=["hole", "rate"]).assign(arched=0.0)
    found = bench.experiment.conclude(table, plan)
    assert found["over_beverloo (0.005)"].value == pytest.approx(1.3)
    # a hole of 0.0012 is narrower than Beverloo's k of 1.4 grains
    assert "over_beverloo (0.0012)" not in found


def test_beverloos_law_is_found_in_rates_that_obey_it(tmp_path):
    own = {"hole": [5e-3, 6e-3, 8e-3, 10e-3]}
    bench = runs.prepare("hopper", settings("hopper", own), tmp_path)
    plan = bench.plan
    unit = plan["bulk_density"] * math.sqrt(plan["gravity"]) * plan["d50"] ** 2.5
    random = np.random.default_rng(7)
    rows = [
        {"hole": hole, "arched": 0.0, "rate": 0.58 * unit * (hole / plan["d50"] - 1.4) ** 2.5}
        for hole in own["hole"]
        for _ in range(4)
    ]
    table = pd.DataFrame(rows)
    table["rate"] *= 1.0 + 0.01 * random.normal(size=len(table))
    found = bench.experiment.conclude(table, plan)
    for name, planted in (("beverloo_c", 0.58), ("beverloo_k", 1.4), ("exponent", 2.5)):
        assert found[name].low < planted < found[name].high, name
    assert found["exponent"].high - found["exponent"].low < 0.5


@pytest.mark.parametrize(("holes", "each"), [(4, 1), (4, 4)])
def test_intervals_of_beverloos_law_hold_in_95_of_100_cases(holes, each, tmp_path):
    own = {"hole": np.linspace(5e-3, 12e-3, holes).tolist()}
    plan = runs.prepare("hopper", settings("hopper", own), tmp_path).plan
    hole = np.repeat(own["hole"], each)
    unit = plan["bulk_density"] * math.sqrt(plan["gravity"]) * plan["d50"] ** 2.5
    root = (0.58 * unit) ** 0.4 * (hole / plan["d50"] - 1.4)
    random = np.random.default_rng(3)
    inside = []
    for _ in range(300):
        noise = random.normal(size=len(hole))
        # the line has constant noise in rate^(2/5); the power law has constant noise in log(rate)
        rates = (root + 0.02 * root.mean() * noise) ** 2.5, root**2.5 * np.exp(0.02 * noise)
        line, power = (
            gravity.beverloo(pd.DataFrame({"hole": hole, "rate": rate}), plan) for rate in rates
        )
        checked = (line["beverloo_c"], 0.58), (line["beverloo_k"], 1.4), (power["exponent"], 2.5)
        inside.append([found.low < planted < found.high for found, planted in checked])
    # three standard errors of a coverage in 300 draws
    allowed = 3.0 * math.sqrt(0.95 * 0.05 / 300)
    assert np.mean(inside, axis=0) == pytest.approx(0.95, abs=allowed)


def test_ends_of_k_are_where_the_line_may_be_0(tmp_path):
    plan = runs.prepare("hopper", settings("hopper", {"hole": [5e-3, 6e-3, 8e-3]}), tmp_path).plan
    hole = np.repeat([5.0, 6.0, 8.0], 2)
    root = hole - 1.4 + np.array([0.1, -0.2, 0.15, 0.05, -0.1, 0.12])
    table = pd.DataFrame({"hole": hole * plan["d50"], "rate": root**2.5})
    found = gravity.beverloo(table, plan)["beverloo_k"]
    low, high = (
        statistics.extrapolated(hole, root, 1, to=end, level=statistics.SINGLE_LEVEL)
        for end in (found.low, found.high)
    )
    assert (low.high, high.low) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_a_hole_without_a_limit_has_none():
    found = gravity.zero(np.array([5.0, 6.0, 7.0, 8.0]), np.array([1.0, 1.2, 0.9, 1.1]))
    assert (found.low, found.high) == (-math.inf, math.inf)


def curve_of_a_triaxial_test(stress_at, lines=stress.FINE, end=0.25):
    samples = (np.arange(lines * 20) + 1.0).reshape(lines, 20) * end / (lines * 20)
    thermo = pd.DataFrame({"v_strain": samples[:, -1], "v_volumetric": 0.0, "v_fraction": 0.6})
    thermo["f_line[1]"] = thermo["f_line[2]"] = 1.0
    thermo["f_line[3]"] = 1.0 + stress_at(samples).mean(axis=1)
    thermo["f_line[4]"] = samples.mean(axis=1)
    return SimpleNamespace(thermo=thermo.assign(run=1))


@pytest.mark.parametrize("true", [50.0, 497.0, 1500.0, 4706.0, 40000.0])
def test_e50_is_that_of_an_exact_curve_or_not_known(true):
    """The stress 1 - exp(-strain/s) is 0.5 at a strain of s ln 2, so E50 is 0.5/(s ln 2)."""
    run = curve_of_a_triaxial_test(lambda strain: -np.expm1(-strain * true * math.log(4.0)))
    found = stress.Triaxial().measure(run, None, {})["modulus"]
    if true > 3000.0:  # half of the stress is reached within less than 2 lines of output
        assert math.isnan(found)
    else:
        # Each line of output is a mean over a small strain. The lines are interpolated. If half of
        # the stress is reached after 2.7 lines, the interpolated strain is wrong by 1.7 %.
        assert found == pytest.approx(true, rel=0.017)


def test_a_remark_tells_that_e50_is_not_known(tmp_path):
    bench = runs.prepare("triaxial", settings("triaxial", TINY["triaxial"]), tmp_path)
    table = pd.DataFrame({"modulus": [math.nan, 5.0, math.nan]})
    for name in ("peak_angle", "dilatancy"):
        table = table.assign(**{name: 1.0, f"{name}_least": 0.9, f"{name}_most": 1.1})
    for _ in range(2):
        found = bench.experiment.conclude(table, bench.plan)
    assert found["modulus"].value == 5.0
    # the mean of the known moduli is not the mean of all runs
    assert (found["modulus"].low, found["modulus"].high) == (-math.inf, math.inf)
    (told,) = bench.plan.remarks
    assert "modulus is not known in 2 of 3 runs" in told


def test_each_stress_of_a_shear_test_has_its_own_values(tmp_path):
    own = {"stress": [500.0, 1000.0]}
    bench = runs.prepare("shear", settings("shear", own), tmp_path)
    table = pd.DataFrame({"stress": own["stress"], "normal_stress": own["stress"]})
    table["shear_stress"], table["fraction"] = [350.0, 620.0], [0.6, 0.61]
    table["friction_angle"], table["peak_angle"] = [35.0, 31.8], [37.0, 33.0]
    table["peak_angle_least"] = table["peak_angle_most"] = table["peak_angle"]
    table["repetition"] = 1
    found = bench.experiment.conclude(table, bench.plan)
    assert set(found) == {
        f"{quantity} ({at:g})"
        for quantity in ("friction_angle", "peak_angle", "fraction")
        for at in own["stress"]
    }
    scatter = pd.Series({"shear_stress": 1.01, "friction_angle": 1.001, "peak_angle": 1.001})
    scatter["peak_angle_least"] = scatter["peak_angle_most"] = 1.001
    scatter["repetition"] = 2.0
    again = pd.concat([table, table.mul(scatter.reindex(table.columns, fill_value=1.0))])
    found = bench.experiment.conclude(again, bench.plan)
    assert list(found)[:2] == ["friction_angle", "cohesion"]
    assert found["peak_angle (500)"].high - found["peak_angle (500)"].low < 1.0
    assert found["peak_angle (1000)"].value == pytest.approx(33.0, rel=1e-3)


def test_all_scripts_name_what_they_use(tmp_path):
    known = {"bulk_density", "density", "d50", "inertial", "unit"}
    for name, own in TINY.items():
        bench = runs.prepare(name, settings(name, own), tmp_path / name)
        body = bench.plan.body + " ".join(str(v[0]) for v in bench.plan.variables.values())
        for variable in set(bench.plan.variables) - known:
            assert re.search(rf"\b(v_)?{variable}\b", body), (name, variable)


def test_pages_list_what_experiments_take():
    page = (Path(__file__).parents[2] / "docs/reference/lab.md").read_text()
    for name, one in lab.EXPERIMENTS.items():
        assert f"### {name}\n" in page
        for key in one.keys:
            assert f"| `{key}` |" in page, (name, key)
        for quantity in one.units:
            assert f"*{quantity}*" in page, (name, quantity)


def test_stress_experiments_have_a_unit_of_time():
    bench_settings = runs.parse(
        Table(settings("packing", TINY["packing"], diameter=2e-3)), "packing",
        stress.Packing.keys, True,
    )  # fmt: skip
    assert stress.unit_time(bench_settings, 2500.0) == pytest.approx(2e-3)


# --------------------------------------------------------------------- published results, slow

STIFF = "hooke {0} 0.5 damping coeff_restitution tangential linear_history {1} 1 ${{mu}}"


@pytest.mark.slow
def test_packings_are_those_of_agnolin_and_roux(tmp_path):
    given = {
        "contact": STIFF.format(1e4, 2860),
        "units": "lj",
        "parameters": {"mu": 0.3},
        "grains": {"density": 1, "count": 300, "diameter": 1.0},
        "packing": {"pressure": 1.0},
    }
    bench = runs.prepare("packing", given, tmp_path)
    points = [point for mu in (0.0, 0.3) for n in (1, 2) for point in bench.point({"mu": mu}, n)]
    mean = bench.run(points, jobs=2).groupby("mu").mean(numeric_only=True)
    # Solid fractions of packings of 300 spheres scatter by 0.002. The two expected fractions differ
    # by 0.046.
    for mu, fraction, bearing in ((0.0, 0.639, 6.0), (0.3, 0.593, 4.5)):
        assert mean.loc[mu, "fraction"] == pytest.approx(fraction, abs=0.012)
        assert mean.loc[mu, "bearing"] == pytest.approx(bearing, abs=0.2)


CRYSTAL = """
units lj
atom_style sphere
newton off
comm_modify vel yes
lattice fcc {density:.17g}
region box block 0 3 0 3 0 3
create_box 1 box
create_atoms 1 box
set group all diameter 1 density 1
pair_style granular/plus
variable contact string "hooke 1e4 50 tangential linear_history 3e3 0.5 {friction}"
neighbor 0.1 bin
timestep 4e-4
fix move all nve/sphere
compute stress all pressure NULL pair
variable fraction equal 0
compute contacts all contact/atom
compute coordination all reduce ave c_contacts
variable pressure equal 1
variable unit equal 1
variable axial_rate equal 1e-3
variable largest equal 1e-3
"""


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.25])
def test_a_triaxial_test_finds_the_strength_of_a_crystal(friction, tmp_path):
    """Thornton (1979) derived the strength of this crystal."""
    spacing = np.sqrt(2.0) * (1.0 - 0.35e-4)  # the pressure compresses the crystal
    script = CRYSTAL.format(density=4.0 / spacing**3, friction=friction) + stress.COMPRESSION
    line = engine.run(script, folder=tmp_path).thermo.iloc[1:]
    ratio = line["f_line[3]"] / line["f_line[1]"]
    # the strain changes the lattice by 1e-3, and dashpots carry 1e-3 of the pressure
    assert ratio.max() == pytest.approx(2 * (1 + friction) / (1 - friction), rel=3e-3)
    # in the first three quarters of the run, the stress control still settles
    np.testing.assert_allclose(line["f_line[1]"].iloc[3 * len(line) // 4 :], 1.0, rtol=0.01)


@pytest.mark.slow
def test_strength_grows_with_friction_from_a_value_above_0_and_saturates(tmp_path):
    """Göncü and Luding (2013) found this dependence for spheres."""
    given = {
        "contact": STIFF.format(1e3, 286),
        "prepare": STIFF.format(1e3, 286).replace("${mu}", "0"),
        "units": "lj",
        "parameters": {"mu": 0.5},
        "grains": {"density": 1, "count": 400, "uniform": {"smallest": 0.8, "largest": 1.2}},
        "triaxial": {"pressure": 1.0, "inertial": 0.004},
    }
    bench = runs.prepare("triaxial", given, tmp_path)
    friction = (0.0, 0.1, 0.3, 0.6)
    points = [point for mu in friction for point in bench.point({"mu": mu}, 2)]
    table = bench.run(points, jobs=2)
    for angle in ("peak_angle", "critical_angle"):
        found = table[angle].to_numpy()
        assert found[0] > 3.0
        rate = np.diff(found) / np.diff(friction)
        assert (rate > 0.0).all()
        assert rate[2] < 0.3 * rate[0]
    assert table["lateral"].to_numpy() == pytest.approx(1.0, abs=0.01)
