"""`pysuite bench`: how it measures and what it calculates. No test depends on computing times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pysuite import (
    commands,
    engine,
    files,
)
from pysuite.bench import performance
from pysuite.bench import segments as bench
from pysuite.bench.performance import Limits
from pysuite.bench.segments import (
    OURS,
    REFERENCE,
    SECOND_REFERENCE,
    Cell,
    Measurement,
)
from pysuite.commands import terminal
from pysuite.errors import UsageError

LIMITS = Limits(bandwidth=1e10, flops=1e10)

FEW_GRAINS = Cell(
    600,
    "boundary p p p",
    "fix move all nve/sphere\n",
    f"""
    {bench.SETUP}
    region box block 0 10 0 10 0 10
    create_box 1 box
    create_atoms 1 random 600 4711 NULL overlap 0.95 maxtry 1000
    set group all diameter 1.0 density 1.0
    velocity all create 1 8123
    write_data cell.data nocoeff
    """,
)


def measurement(times: dict[str, list[float]], *, ranks: int = 1, grains: int = 1000, **other):
    entries, segments = [], []
    for label, values in times.items():
        for number, seconds in enumerate(values):
            sections = {"Pair": seconds, "Neigh": 1.0, "Comm": 0.0, "Modify": 0.0}
            segments.append(
                {"round": number, "entry": len(entries), "steps": 10, "Loop": seconds + 1.0}
                | sections
            )
        entries.append(
            {
                "label": label,
                "style": label,
                "clone": "",
                "grains": grains,
                "pairs": 4000.0,
                "contacts": 2000.0,
                "diameter": 1.0,
                "steps_per_build": 30.0,
                "reported_bytes": 5e5,
                "resident_bytes": 1e6 if label == bench.BASELINE else 1.5e6,
            }
        )
    machine = {
        "processor": "Abacus",
        "cores": 2,
        "caches": "",
        "clones": ["portable"],
        "compiler": "GCC 12",
        "lammps": "2025",
    }
    name = other.pop("benchmark", "chute")
    return Measurement(name, ranks, machine, "build", entries, segments, **other)


def test_ratios_are_medians_of_ratios_within_rounds():
    # in the last round, the machine is four times slower than in the second
    result = measurement({REFERENCE: [1.0, 2.0, 8.0], OURS: [0.25, 0.4, 2.4]})
    rows = performance.summary(result).set_index("label")
    assert rows.loc[OURS, "pair_median"] == pytest.approx(0.25)
    assert rows.loc[OURS, "pair_low"] == pytest.approx(0.225)
    assert rows.loc[OURS, "pair_high"] == pytest.approx(0.275)
    assert rows.loc[OURS, "loop_median"] == pytest.approx(1.4 / 3.0)
    assert rows.loc[REFERENCE, "pair_median"] == 1.0
    assert rows.loc[OURS, "rounds"] == 3
    assert rows.loc[OURS, "pair_ms"] == pytest.approx(40.0)
    assert rows.loc[OURS, "contact_ns"] == pytest.approx(0.04 / 2000 * 1e9)
    assert np.isnan(rows.loc[OURS, "pair_second_median"])


def test_sizes_are_compared_with_the_one_nearest_to_1e5():
    small = measurement({OURS: [0.001, 0.002]}, grains=1000)
    large = measurement({OURS: [0.11, 0.22]}, grains=100_000)
    small.entries[0]["contacts"], large.entries[0]["contacts"] = 2000.0, 200_000.0
    small.entries += large.entries
    small.segments += [row | {"entry": 1} for row in large.segments]
    rows = performance.summary(small)
    assert rows["size_median"].tolist() == pytest.approx([1 / 1.1, 1.0])


def test_speed_up():
    one = performance.summary(measurement({REFERENCE: [4.0], OURS: [1.0]}))
    two = performance.summary(measurement({REFERENCE: [2.5], OURS: [0.5]}, ranks=2))
    rows = performance.speed_up(pd.concat([one, two], ignore_index=True)).set_index("label")
    assert rows.loc[OURS, "pair"] == pytest.approx(2.0)
    assert rows.loc[OURS, "pair_relative"] == pytest.approx(2.0 / 1.6)
    assert rows.loc[REFERENCE, "pair_relative"] == 1.0


def test_memory_of_a_law_is_counted_from_a_run_without_one():
    result = measurement({bench.BASELINE: [1.0], OURS: [1.0]}, benchmark="memory")
    (row,) = performance.memory(performance.summary(result)).to_dict("records")
    assert row == {"label": OURS, "reported": 500.0, "resident": 1500.0, "per_contact": 250.0}


def test_shares_of_the_limits():
    result = measurement({OURS: [1.0]})  # 1000 grains with 2000 contacts
    row = LIMITS.shares(performance.summary(result)).iloc[0]
    of_grain = performance.BYTES_OF_GRAIN + performance.BYTES_OF_TOUCHING_GRAIN
    assert row["bytes"] == performance.BYTES_OF_CONTACT + of_grain / 2
    assert row["bandwidth"] == pytest.approx(row["bytes"] * 2000 / 1e10 / 0.1)
    assert row["arithmetic"] == pytest.approx(performance.FLOPS_OF_CONTACT * 2000 / 1e10 / 0.1)
    result.entries[0]["contacts"] = 100.0
    row = LIMITS.shares(performance.summary(result)).iloc[0]
    of_grains = 10 * performance.BYTES_OF_GRAIN + 2 * performance.BYTES_OF_TOUCHING_GRAIN
    assert row["bytes"] == performance.BYTES_OF_CONTACT + of_grains


def test_report(tmp_path):
    times = {REFERENCE: [1.0, 1.1], SECOND_REFERENCE: [0.5, 0.5], OURS: [0.2, 0.21]}
    for benchmark, ranks in (("chute", 1), ("chute", 2), ("size", 1), ("memory", 1)):
        more = {bench.BASELINE: [0.1, 0.1]} if benchmark == "memory" else {}
        measurement(times | more, benchmark=benchmark, ranks=ranks).save(tmp_path)
    document = tmp_path / "docs" / "performance.md"
    document.parent.mkdir()
    document.write_text(
        f"head\n{performance.SECTION_BEGIN}\nold\n{performance.SECTION_END}\ntail\n"
    )
    tables = performance.write_report(tmp_path, LIMITS, document)
    assert len(tables) == 6
    text = document.read_text()
    assert text.startswith("head\n")
    assert text.endswith("\ntail\n")
    assert "old" not in text
    assert "Abacus" in text
    assert "figures/performance.svg" in text
    assert (document.parent / "figures" / "performance.svg").is_file()
    assert len(pd.read_csv(tmp_path / "performance.csv")) == 13
    performance.write_report(tmp_path, LIMITS, document)
    assert document.read_text() == text


def test_a_document_without_marks_is_left_alone(tmp_path):
    document = tmp_path / "performance.md"
    document.write_text("my text\n")
    with pytest.raises(UsageError, match="has no section"):
        files.replace_section(document, "new", performance.SECTION_BEGIN, performance.SECTION_END)
    assert document.read_text() == "my text\n"


@pytest.mark.parametrize("ranks", [1, 2])
def test_measures_a_small_gas(monkeypatch, tmp_path, ranks):
    small = bench.Benchmark("chute", FEW_GRAINS, (((1, 1, 1), 5),), rounds=3, warm_up=5)
    monkeypatch.setattr(bench, "BENCHMARKS", (small,))
    styles = ["gran-hertz", "plus-csds"]
    (plan,) = bench.plan(styles=styles, ranks=[ranks], clones=["portable"])
    done = []
    result = bench.measure(plan, done.append)
    assert done == sorted(done)
    assert len(result.segments) == plan.segments == 9
    assert [entry["label"] for entry in result.entries] == [*styles, "plus-csds [portable]"]
    frame = result.frame()
    assert (frame["Loop"] > 0).all()
    assert (frame.groupby("entry")["round"].nunique() == 3).all()
    for entry in result.entries:
        assert entry["grains"] == 600
        assert 0 < entry["contacts"] < 6000
        if entry["style"].startswith(
            "plus"
        ):  # LAMMPS counts only the pairs of lists that it has built itself
            assert entry["pairs"] == 0
        else:
            assert entry["contacts"] < entry["pairs"] < 6000
        assert entry["reported_bytes"] > 1e5
    assert result.entries[1]["contacts"] == result.entries[2]["contacts"]
    result.save(tmp_path)
    assert bench.load(tmp_path) == [result]
    assert bench.check_folder(tmp_path) == tmp_path


def test_results_of_another_build_are_not_mixed(tmp_path):
    measurement({OURS: [1.0]}).save(tmp_path)
    with pytest.raises(UsageError, match="another machine or build"):
        bench.check_folder(tmp_path)


def test_the_clone_can_change_within_a_process(monkeypatch):
    with engine.Session() as session:
        session.commands("atom_style sphere\nregion b block 0 1 0 1 0 1\ncreate_box 1 b")
        monkeypatch.setenv("GRANULAR_PLUS_CLONE", "portable")
        session.command("pair_style granular/plus")
        monkeypatch.setenv("GRANULAR_PLUS_CLONE", "abacus")
        session.command("pair_style none")
        with pytest.raises(engine.LammpsError, match="GRANULAR_PLUS_CLONE = abacus"):
            session.command("pair_style granular/plus")


def test_an_error_of_lammps_is_told(monkeypatch):
    wrong = replace(FEW_GRAINS, end="fix move all nve/cube\n")
    small = bench.Benchmark("chute", wrong, (((1, 1, 1), 5),), rounds=1)
    monkeypatch.setattr(bench, "BENCHMARKS", (small,))
    (plan,) = bench.plan(styles=["gran-hertz"])
    with pytest.raises(engine.LammpsError, match="nve/cube"):
        bench.measure(plan)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--case", "shute"], "unknown case 'shute'; did you mean chute"),
        (["--clone", "abacus"], "clone 'abacus' must be one of"),
        (["--rounds", "0"], "--ranks and --rounds must be >= 1"),
        (["--case", "size", "--style", "gran-hooke"], "measures gran-hooke"),
    ],
)
def test_usage(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert commands.main(["bench", "--report", str(tmp_path), *arguments]) == terminal.USAGE
    assert message in capsys.readouterr().err


def test_quick_is_a_part_of_all():
    quick = {(plan.title, entry) for plan in bench.plan(quick=True) for entry in plan.entries}
    full = {(plan.title, entry) for plan in bench.plan() for entry in plan.entries}
    assert quick < full
