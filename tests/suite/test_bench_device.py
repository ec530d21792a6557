"""`pysuite bench --only device`: the kernels run on the CPU, so the tests need no GPU."""

from __future__ import annotations

from functools import partial

import pytest

from pysuite import commands, engine
from pysuite.bench import device
from pysuite.commands import terminal
from pysuite.lammps import gpu

LOG = """
Loop time of 9.0 on 1 procs for 100 steps with 10648 atoms
run_style verlet/plus/gpu: computed 99 of 100 steps on Abacus 9000, and built 0 neighbour lists
Loop time of 0.5 on 1 procs for 100 steps with 10648 atoms
Loop time of 1.7 on 1 procs for 500 steps with 10648 atoms
"""


def test_times_of_a_log():
    """Only the step time of a run, not that of a packing, includes compilation and transfers."""
    found = device.step_of_packing(LOG)
    assert found == (pytest.approx(1.2 / 400), 10648, "Abacus 9000")
    assert device.step_of_run(LOG).seconds == pytest.approx(11.2 / 700)


def test_steps_too_short_to_be_resolved():
    assert device.step_of_packing(LOG.replace("1.7", "0.4")).seconds == pytest.approx(0.4 / 500)


def test_a_run_that_the_card_refuses_is_an_error(monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", "host")
    monkeypatch.setattr(device, "PACKING", device.PACKING.replace("nve/sphere", "nve/limit 0.1"))
    with pytest.raises(engine.LammpsError, match="nve/limit"):
        device.measure_packing(device.ON_GPU, 64)


def test_a_small_packing_and_a_short_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", "host")
    monkeypatch.setattr(device, "STEPS_TIMES_GRAINS", 5_000)
    monkeypatch.setattr(device, "QUICK_FLOW_STEPS", 60)
    arguments = ["--only", "device", "--quick", "--grains", "60", "--report", str(tmp_path)]
    assert commands.main(["bench", *arguments]) == terminal.OK
    assert "fall and flow" in capsys.readouterr().out
    title, _, head, _, packing, flow = (tmp_path / "device.md").read_text().splitlines()
    assert title == "Time of a step on host and on one core of this machine"
    assert head.startswith("| scene | grains | ms per step |")
    for line, grains in ((packing, 64), (flow, 1152)):
        cells = line.strip("| ").split(" | ")
        assert int(cells[1]) == grains
        milliseconds, rate, of_core, ratio = map(float, cells[2:])
        assert rate == pytest.approx(grains / milliseconds * 1e3, rel=0.02)
        assert ratio == pytest.approx(of_core / milliseconds, rel=0.02)
        assert ratio > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--only device needs an NVIDIA GPU: no NVIDIA driver (libnothing.so)"),
        (["--grains", "7"], "--grains 7 must be >= 8"),
        (["--ranks", "2"], "--ranks has no effect with --only device"),
    ],
)
def test_what_is_refused(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("GRANULAR_PLUS_DEVICE", raising=False)
    monkeypatch.setattr(gpu, "look", partial(gpu.look, "libnothing.so"))
    command = ["bench", "--only", "device", "--report", str(tmp_path / "new"), *arguments]
    assert commands.main(command) == terminal.USAGE
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_sizes_without_a_device(tmp_path, capsys):
    assert commands.main(["bench", "--grains", "64"]) == terminal.USAGE
    assert "--grains needs --only device" in capsys.readouterr().err
