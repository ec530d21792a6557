"""Run a dense packing with run_style verlet/plus/gpu, and compare it with LAMMPS's verlet.

    python -m tests.device.steps [GRAINS …]

The neighbour list is not rebuilt, so only the steps on the GPU are measured. Results of the
smallest packing after 500 steps must be bitwise identical to those of verlet: with newly compiled
kernels, with stored ones, and with one damaged kernel file.
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
from pysuite.bench import device

SIZES = (*device.SIZES, 4_000_000)
FEW, MANY = 100, 500
END = "write_dump all custom end id x y z vx vy vz omegax omegay omegaz modify sort id format float"


def run(style: str, grains: int, more: str = "") -> engine.Run:
    return device.packing(style, grains, few=FEW, many=MANY, more=more)


def with_kept_kernels(grains: int, folder: Path) -> Iterator[tuple[str, engine.Run]]:
    """Run with newly compiled kernels, with stored kernels, and with one damaged kernel file."""
    os.environ["GRANULAR_PLUS_KERNEL_CACHE"] = str(folder)
    written = f"{END} %.17g\n"
    for kernels in ("compiled", "kept", "kept but one that is damaged"):
        files = sorted(folder.iterdir())
        for file in files[:1] if kernels.endswith("damaged") else []:
            file.write_bytes(file.read_bytes()[:-1])
        yield f"{kernels} ({len(files)} files)", run("verlet/plus/gpu", grains, written)
    del os.environ["GRANULAR_PLUS_KERNEL_CACHE"]


def main(sizes: list[int]) -> int:
    sizes = sizes or list(SIZES)
    expected = run("verlet", sizes[0], f"{END} %.17g\n").dump("end").to_numpy(float)
    same = True
    with tempfile.TemporaryDirectory() as folder:
        for kernels, found in with_kept_kernels(sizes[0], Path(folder)):
            agrees = np.array_equal(found.dump("end").to_numpy(float), expected)
            gpu = device.step_of_packing(found.log).device
            seconds = float(re.findall(r"^Loop time of (\S+)", found.log, re.MULTILINE)[0])
            print(f"{gpu}, kernels {kernels}: first {FEW} steps in {seconds:.2f} s, ", end="")
            print(f"{'same' if agrees else 'not the same'} bits as verlet")
            same = same and agrees
    for grains in sizes:
        time, count, _ = device.step_of_packing(run("verlet/plus/gpu", grains).log)
        print(f"{count:9} grains: {1e6 * time:8.1f} us a step, {count / time:.2e} grain steps/s")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]]))
