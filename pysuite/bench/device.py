"""Speed of a GPU with run_style verlet/plus/gpu, compared with one CPU core."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from pysuite import engine, files
from pysuite.bench.performance import Table
from pysuite.errors import UsageError
from pysuite.lammps import gpu

SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (10_000,)
ON_GPU, ON_CORE = "verlet/plus/gpu strict yes", "verlet"
# Number of steps times number of grains. The run takes seconds on one core, and tenths of a second
# on a GPU.
STEPS_TIMES_GRAINS, ON_CARD_TIMES_GRAINS = 4_000_000, 200_000_000
TIMEOUT = 3600.0

PACKING = """
units lj
atom_style sphere
newton off
boundary p p p
comm_modify vel yes
lattice sc 1.0306
region box block 0 {edge} 0 {edge} 0 {edge}
create_box 1 box
create_atoms 1 box
set group all diameter 1 density 1
displace_atoms all random 0.005 0.005 0.005 9
velocity all create 0.001 123 loop geom
pair_style granular/plus
pair_coeff * * hertz/material 1e6 20 0.3 tangential mindlin NULL 1 0.5
fix move all nve/sphere
timestep 1e-4
run_style {style}
thermo 100000
run {few}
run {few}
run {many}
"""

FLOW = """
units lj
atom_style sphere
newton off
boundary p p f
comm_modify vel yes
lattice sc 0.7
region box block 0 {edge} 0 {edge} 0 20
create_box 1 box
region fill block 0 {edge} 0 {edge} 0.5 8.4
create_atoms 1 region fill
variable size atom random(0.8,1.0,8123)
set group all diameter v_size density 1
velocity all create 1 123 loop geom
pair_style granular/plus
pair_coeff * * hertz/material 1e5 20 0.3 tangential mindlin NULL 1 0.5
fix floor all wall/granular/plus hertz/material 1e5 20 0.3 tangential mindlin NULL 1 0.5 &
  zplane 0 NULL
fix weight all gravity 1 vector 0 0 -1
fix move all nve/sphere
timestep 5e-4
run_style {style}
thermo 100000
run {steps}
fix weight all gravity 1 chute 22
run {steps}
"""
FLOW_EDGE, FLOW_STEPS = 60, 5_000
QUICK_FLOW_EDGE, QUICK_FLOW_STEPS = 12, 500


class Measured(NamedTuple):
    """Seconds per step, number of grains, and name of the GPU (empty for a CPU core)."""

    seconds: float
    grains: int
    device: str


def packing(style: str, grains: int, *, few: int, many: int, more: str = "") -> engine.Run:
    """Run a cube of about `grains` packed grains twice for `few` steps, then for `many` steps."""
    edge = math.ceil(grains ** (1 / 3))
    script = PACKING.format(style=style, edge=edge, few=few, many=many)
    return engine.run(script + more, timeout=TIMEOUT)


def _loops(log: str) -> list[tuple[float, int, int]]:
    found = re.findall(
        r"^Loop time of (\S+) .* for (\d+) steps with (\d+) atoms", log, re.MULTILINE
    )
    return [(float(seconds), int(steps), int(grains)) for seconds, steps, grains in found]


def _device(log: str) -> str:
    found = re.search(r"steps on (.*), and", log)
    return found[1] if found else ""


def step_of_packing(log: str) -> Measured:
    """Return the time of a step, computed from the difference between a long and a short run.

    The difference excludes the transfer of grains to the GPU and back.
    """
    _, (few_seconds, few, grains), (many_seconds, many, _) = _loops(log)
    resolved = many_seconds > few_seconds
    seconds = (many_seconds - few_seconds) / (many - few) if resolved else many_seconds / many
    return Measured(seconds, grains, _device(log))


def step_of_run(log: str) -> Measured:
    """Return the average time of a step."""
    loops = _loops(log)
    seconds = sum(loop[0] for loop in loops) / sum(loop[1] for loop in loops)
    return Measured(seconds, loops[0][2], _device(log))


def measure_packing(style: str, grains: int) -> Measured:
    """Measure the time of a step in a packing of about `grains` grains."""
    is_host = os.environ.get("GRANULAR_PLUS_DEVICE") == "host"
    if style == ON_GPU and not is_host:
        many = max(500, ON_CARD_TIMES_GRAINS // grains)
    else:
        many = min(500, max(10, STEPS_TIMES_GRAINS // grains))
    return step_of_packing(packing(style, grains, few=many // 5, many=many).log)


def measure_flow(style: str, *, quick: bool) -> Measured:
    """Measure the time of a step of FLOW, including builds of neighbour lists."""
    edge, steps = (QUICK_FLOW_EDGE, QUICK_FLOW_STEPS) if quick else (FLOW_EDGE, FLOW_STEPS)
    return step_of_run(
        engine.run(FLOW.format(style=style, edge=edge, steps=steps), timeout=TIMEOUT).log
    )


def check(grains: Sequence[int]) -> None:
    """Raise UsageError if there is no GPU or if a size is below 8."""
    for size in grains:
        if size < 8:
            raise UsageError(f"--grains {size} must be >= 8")
    if os.environ.get("GRANULAR_PLUS_DEVICE") == "host":
        return
    if obstacle := gpu.look().obstacle:
        raise UsageError(f"--only device needs an NVIDIA GPU: {obstacle}")


def measure(grains: Sequence[int] = (), *, quick: bool = False) -> Iterator[dict[str, object]]:
    """Yield one table row per size of the packing, then one row for FLOW."""
    check(grains)
    for size in grains or (QUICK_SIZES if quick else SIZES):
        yield _row("dense packing", *(measure_packing(style, size) for style in (ON_GPU, ON_CORE)))
    yield _row("fall and flow", *(measure_flow(style, quick=quick) for style in (ON_GPU, ON_CORE)))


def _row(scene: str, on_gpu: Measured, core: Measured) -> dict[str, object]:
    return {
        "scene": scene,
        "device": on_gpu.device,
        "grains": on_gpu.grains,
        "ms": 1e3 * on_gpu.seconds,
        "grain_steps": on_gpu.grains / on_gpu.seconds,
        "core_ms": 1e3 * core.seconds,
        "ratio": core.seconds / on_gpu.seconds,
    }


def write_report(folder: Path, rows: Sequence[dict[str, object]]) -> Table:
    """Write the table and return it."""
    cells = pd.DataFrame(rows)
    device = cells.pop("device").iloc[0]
    for name in cells.columns[1:]:
        digits = "d" if name == "grains" else ".3g"
        cells[name] = [f"{value:{digits}}" for value in cells[name]]
    cells.columns = pd.Index(
        (
            "scene",
            "grains",
            "ms per step",
            "grain steps/s",
            "one core: ms per step",
            "times as fast",
        )
    )
    table = Table(f"Time of a step on {device} and on one core of this machine", cells)
    files.write(folder / "device.md", f"{table.markdown()}\n")
    return table
