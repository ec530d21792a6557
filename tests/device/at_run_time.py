"""Compile the laws for a GPU at run time, one combination after another.

    python -m tests.device.at_run_time [ARCH …]

`make device-run-time` installs the required packages. For each architecture (sm_80, sm_90 and
sm_100, unless others are named) the program prints how long NVRTC takes for a combination of laws
and how large the compiled code is. If there is a GPU, its results must be bitwise identical to
those of a clone.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator

import numpy as np
import pandas as pd
from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError

from tests.device.cuda import Device, must
from tests.device.lanes import BUILD, CLONE, TIMESTEP, Lanes
from tests.device.nvrtc import Program, compile_program

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
SOURCE = '#include "one_lane.h"'
BY_POINTER = '#include "stages_by_pointer.h"'
RUNS = 5
USUAL = "hertz/material viscoelastic mindlin csds"
DRAWN, REPEATED = (
    2**16,
    16,
)  # different contacts, and copies of each of them on a device for timing


class Contacts(ctypes.Structure):
    """The struct Contacts of contacts.h."""

    _fields_ = [
        ("n", ctypes.c_int),
        ("timestep", ctypes.c_double),
        ("given", ctypes.c_void_p),
        ("history", ctypes.c_void_p),
        ("results", ctypes.c_void_p),
    ]


def kernel_name(lanes: Lanes, number: int, template: str = "contact") -> str:
    types, path, observes = lanes.key(number)
    arguments = [f"granular_plus::device::{types}", f"{observes}".lower()]
    if template == "contact":
        arguments.insert(1, f"granular_plus::Path({path})")
    return f"granular_plus::{template}<{', '.join(arguments)}>"


def run(
    device: Device, lanes: Lanes, number: int, program: Program, repeated: int
) -> tuple[bool, float]:
    given, history = lanes.contacts(number, DRAWN)
    expected = lanes.evaluate(number, CLONE, given, history)[:2]
    given, before = (np.tile(table, repeated) for table in (given, history))
    n = given.shape[1]
    results = np.zeros((lanes.result_rows, n))
    arrays = [device.array(table) for table in (given, before, results)]
    (kernel,) = device.load(program)
    constants = lanes.constants(number)
    model = (ctypes.c_char * len(constants)).from_buffer_copy(constants)
    contacts = Contacts(n, TIMESTEP, *arrays)
    seconds = []
    for _ in range(RUNS):
        device.write(arrays[1], before)
        seconds.append(device.launch(kernel, n, model, contacts))
    found = [device.read(arrays[1], before), device.read(arrays[2], results)]
    device.free(*arrays)
    same = all(
        np.array_equal(np.tile(one, repeated), other, equal_nan=True)
        for one, other in zip(expected, found, strict=True)
    )
    return same, min(seconds) / n


def measure(lanes: Lanes, arch: str, device: Device | None) -> Iterator[dict[str, object]]:
    for number in range(lanes.count):
        program = compile_program(SOURCE, [kernel_name(lanes, number)], arch)
        row = {
            "laws": lanes.title(number),
            "path": lanes.key(number)[1],
            "observes": lanes.key(number)[2],
            "seconds": program.seconds,
            "kB": len(program.code) / 1e3,
            **program.kernels[0]._asdict(),
        }
        if device is not None:
            row["same bits"], seconds = run(device, lanes, number, program, 1)
            row["ns per contact"] = 1e9 * seconds
        yield row


def compare_ways(lanes: Lanes, arch: str, device: Device | None) -> Iterator[dict[str, object]]:
    """Compare stages inlined in one kernel with stages called through pointers."""
    for number in range(lanes.count):
        if lanes.title(number) != USUAL or lanes.key(number)[1] != 0:
            continue
        for template, source in (("contact", SOURCE), ("contact_by_pointer", BY_POINTER)):
            program = compile_program(source, [kernel_name(lanes, number, template)], arch)
            row = {
                "kernel": template,
                "observes": lanes.key(number)[2],
                "seconds": program.seconds,
                **program.kernels[0]._asdict(),
            }
            if device is not None:
                row["same bits"], seconds = run(device, lanes, number, program, REPEATED)
                row["ns per contact"] = 1e9 * seconds
            yield row


def main(architectures: list[str]) -> int:
    """Print the tables; return 1 if results on a device differ from those of a clone."""
    try:
        device = Device()
    except (RuntimeError, DynamicLibNotFoundError):
        device = None
        print("No GPU: kernels are only compiled.")
    else:
        print(f"{device.name}, driver for CUDA {must(driver.cuDriverGetVersion()) / 1000:.1f}")
        architectures = [device.arch]
    lanes = Lanes(BUILD / "liblanes.so")
    differ = 0
    for arch in architectures:
        table = pd.DataFrame(measure(lanes, arch, device))
        ways = pd.DataFrame(compare_ways(lanes, arch, device))
        print(f"\n{arch}: {len(table)} kernels, compiled one by one")
        print(table[["seconds", "kB", "registers", "stack"]].describe().loc[["min", "50%", "max"]])
        print(ways.to_string(index=False))
        if device is not None:
            differ += (~table["same bits"]).sum() + (~ways["same bits"]).sum()
            print(f"{differ} differ from the clones")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(ARCHITECTURES)))
