"""Elementary functions of the laws: errors, computing time, and results on a GPU.

    python -m tests.device.functions

`make device-functions` installs the required packages. Errors are in units in the last place of the
exact value, which mpmath computes.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import mpmath
import numpy as np
import pandas as pd
from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError

from tests.device.cuda import Device, must
from tests.device.lanes import BUILD
from tests.device.nvrtc import compile_program

CHECKED, TIMED, ADDED = (
    20_000,
    2**18,
    16,
)  # numbers of values: compared, timed, and added up on a GPU
RUNS = 20
KINDS = ("ours", "library")


class Function(NamedTuple):
    exact: Callable[[mpmath.mpf], mpmath.mpf]
    low: float
    high: float
    by_exponent: bool = True  # whether logarithms of arguments are evenly distributed


FUNCTIONS = {
    "Exponential": Function(mpmath.exp, -50.0, 50.0, by_exponent=False),
    "Logarithm": Function(mpmath.log, 1e-12, 1e12),
    "Arctangent": Function(mpmath.atan, 1e-6, 1e6),
    "Power": Function(lambda x: mpmath.power(x, mpmath.mpf("1.5")), 1e-12, 1e3),
    "CubeRoot": Function(lambda x: mpmath.root(x, 3), 1e-12, 1e3),
    "FifthRoot": Function(lambda x: mpmath.root(x, 5), 1e-12, 1e3),
}


def arguments(function: Function, count: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    if not function.by_exponent:
        return rng.uniform(function.low, function.high, count)
    return 10.0 ** rng.uniform(np.log10(function.low), np.log10(function.high), count)


def largest_error(function: Function, x: np.ndarray, y: np.ndarray) -> float:
    largest = 0.0
    with mpmath.workprec(120):
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            exact = function.exact(mpmath.mpf(at))
            error = abs(mpmath.mpf(value) - exact) / np.spacing(abs(float(exact)))
            largest = max(largest, float(error))
    return largest


class Host:
    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(BUILD / "libfunctions.so"))

    def values(self, name: str, kind: str, x: np.ndarray) -> tuple[np.ndarray, float]:
        y = np.empty_like(x)
        pointers = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (x, y)]
        began = time.perf_counter()
        getattr(self.library, f"{kind}_{name}")(len(x), *pointers)
        return y, (time.perf_counter() - began) / len(x)


class Gpu:
    def __init__(self) -> None:
        self.device = Device()
        names = [
            f"granular_plus::values<granular_plus::{name}, {str(kind == 'ours').lower()}>"
            for name in FUNCTIONS
            for kind in KINDS
        ]
        program = compile_program('#include "functions.h"', names, self.device.arch)
        kernels = iter(self.device.load(program))
        self.kernels = {(name, kind): next(kernels) for name in FUNCTIONS for kind in KINDS}

    def values(
        self, name: str, kind: str, x: np.ndarray, count: int = 1
    ) -> tuple[np.ndarray, float]:
        """Return sums of `count` values each, and the time for one value in seconds."""
        arrays = [self.device.array(x), self.device.array(x)]
        numbers = [ctypes.c_int(len(x)), ctypes.c_int(count)]
        pointers = [ctypes.c_void_p(where) for where in arrays]
        kernel = self.kernels[name, kind]
        seconds = self.device.launch(kernel, len(x), *numbers, *pointers)
        y = self.device.read(arrays[1], x)
        self.device.free(*arrays)
        return y, seconds / (len(x) * count)


def compare(host: Host, gpu: Gpu | None) -> pd.DataFrame:
    rows = []
    for name, function in FUNCTIONS.items():
        x, many = arguments(function, CHECKED), arguments(function, TIMED)
        for kind in KINDS:
            y, _ = host.values(name, kind, x)
            row = {
                "function": name,
                "kind": kind,
                "error": largest_error(function, x, y),
                "ns": 1e9 * min(host.values(name, kind, many)[1] for _ in range(RUNS)),
            }
            if gpu is not None:
                there, _ = gpu.values(name, kind, x)
                row["error on GPU"] = largest_error(function, x, there)
                here, there = (place.values(name, kind, many)[0] for place in (host, gpu))
                row["other bits"] = float(np.mean(here != there))
                times = (gpu.values(name, kind, many, ADDED)[1] for _ in range(RUNS))
                row["ns on GPU"] = 1e9 * min(times)
            rows.append(row)
    return pd.DataFrame(rows)


def main() -> int:
    """Print the table; return 1 if results on a GPU differ."""
    try:
        gpu = Gpu()
    except (RuntimeError, DynamicLibNotFoundError):
        gpu = None
        print("No GPU: functions ran on the host only.")
    else:
        version = must(driver.cuDriverGetVersion())
        print(f"{gpu.device.name}, driver for CUDA {version / 1000:.1f}")
    table = compare(Host(), gpu)
    print(table.to_string(index=False, float_format="%.4g"))
    if gpu is None:
        return 0
    return int((table[table["kind"] == "ours"]["other bits"] > 0.0).any())


if __name__ == "__main__":
    sys.exit(main())
