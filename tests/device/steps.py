"""Run a dense packing with run_style verlet/plus/gpu, and compare it with LAMMPS's verlet.

    python -m tests.device.steps [GRAINS …]

The neighbour list does not change, so that the time of a step is that of the card. Of the smallest
packing all bits must be those of verlet after 500 steps: with kernels that are compiled, with those
that are kept from the run before, and where one of these files is damaged.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pysuite import engine

SIZES = (10_000, 100_000, 1_000_000, 4_000_000)
FEW, MANY = 100, 500
SCRIPT = """
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
END = "write_dump all custom end id x y z vx vy vz omegax omegay omegaz modify sort id format float"


def run(style: str, grains: int, more: str = "") -> engine.RunResult:
    """Run so many grains, or the next whole number of layers."""
    edge = int(np.ceil(grains ** (1 / 3)))
    script = SCRIPT.format(style=style, edge=edge, few=FEW, many=MANY)
    return engine.run(script + more, timeout=3600)


def seconds_per_step(log: str) -> float:
    """Return the time of a step, without what handing over takes."""
    loops = re.findall(r"^Loop time of (\S+) .* for (\d+) steps", log, re.MULTILINE)
    (_, _), (few, _), (many, _) = loops
    return (float(many) - float(few)) / (MANY - FEW)


def with_kept_kernels(grains: int, folder: Path) -> Iterator[tuple[str, engine.RunResult]]:
    """Run with kernels that are compiled, with kept ones, and with one of them damaged."""
    os.environ["GRANULAR_PLUS_KERNEL_CACHE"] = str(folder)
    written = f"{END} %.17g\n"
    for kernels in ("compiled", "kept", "kept but one that is damaged"):
        files = sorted(folder.iterdir())
        for file in files[:1] if kernels.endswith("damaged") else []:
            file.write_bytes(file.read_bytes()[:-1])
        yield f"{kernels} ({len(files)} files)", run("verlet/plus/gpu", grains, written)
    del os.environ["GRANULAR_PLUS_KERNEL_CACHE"]


def main(sizes: list[int]) -> int:
    """Print the times; 1 where bits differ."""
    sizes = sizes or list(SIZES)
    expected = run("verlet", sizes[0], f"{END} %.17g\n").dump("end").to_numpy(float)
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for kernels, found in with_kept_kernels(sizes[0], Path(folder)):
            agrees = np.array_equal(found.dump("end").to_numpy(float), expected)
            device = re.findall(r"steps on (.*), and", found.log)[0]
            seconds = float(re.findall(r"^Loop time of (\S+)", found.log, re.MULTILINE)[0])
            print(f"{device}, kernels {kernels}: first {FEW} steps in {seconds:.2f} s, ", end="")
            print(f"{'same' if agrees else 'other'} bits as verlet")
            same = same and agrees
    for grains in sizes:
        found = run("verlet/plus/gpu", grains)
        count = int(re.findall(r"with (\d+) atoms", found.log)[0])
        time = seconds_per_step(found.log)
        print(f"{count:9} grains: {1e6 * time:8.1f} us a step, {count / time:.2e} grain steps/s")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]]))
