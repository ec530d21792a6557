"""Compare the laws compiled for a device with the clones of the plug-in.

    python -m tests.device [host]

`make device` builds the library. Each combination of laws is evaluated by a clone, by a lane
function on the host and, if there is a GPU, by the same lane function on the GPU. All results must
be bitwise identical. With the argument `host`, the program loads the library built by
`make build/device/libhost.so`, which needs no nvcc.
"""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pandas as pd

from tests.device.assembler import Kernel, kernels_of
from tests.device.lanes import BUILD, CLONE, DEVICE, HOST, LAWS, PATHS, Lanes

DRAWN, REPEATED = 2**16, 4  # different contacts, and copies of each of them on a device


def assembled(report: str) -> dict[tuple[str, int, bool], Kernel]:
    """Return the kernels, keyed by laws, code path and whether they compute observables."""
    kernels = kernels_of(report)
    readable = subprocess.run(
        ["c++filt"], input="\n".join(kernels), capture_output=True, text=True, check=True
    ).stdout.splitlines()
    named = {}
    for name, kernel in zip(readable, kernels.values(), strict=True):
        found = re.search(rf"({LAWS}), \(granular_plus::Path\)(\d), (true|false)>", name)
        assert found, name
        named[found[1].replace(" ", ""), int(found[2]), found[3] == "true"] = kernel
    return named


def compare(lanes: Lanes, kernels: dict[tuple[str, int, bool], Kernel] | None) -> pd.DataFrame:
    rows = []
    for number in range(lanes.count):
        given, history = lanes.contacts(number, 300)
        expected = np.vstack(lanes.evaluate(number, CLONE, given, history)[:2])
        found = np.vstack(lanes.evaluate(number, HOST, given, history)[:2])
        key = lanes.key(number)
        row = {
            "laws": lanes.title(number),
            "path": PATHS[key[1]],
            "observes": key[2],
            **(kernels[key]._asdict() if kernels else {}),
            "same bits": np.array_equal(expected, found, equal_nan=True),
        }
        if lanes.has_device:
            given, history = (np.tile(table, REPEATED) for table in lanes.contacts(number, DRAWN))
            expected = np.vstack(lanes.evaluate(number, CLONE, given, history)[:2])
            *tables, seconds = lanes.evaluate(number, DEVICE, given, history)
            found = np.vstack(tables)
            row["on device"] = np.array_equal(expected, found, equal_nan=True)
            row["ns per contact"] = 1e9 * seconds
        rows.append(row)
    return pd.DataFrame(rows)


def main(arguments: list[str]) -> int:
    if arguments == ["host"]:
        table = compare(Lanes(BUILD / "libhost.so"), None)
    else:
        table = compare(Lanes(BUILD / "liblanes.so"), assembled((BUILD / "ptxas").read_text()))
    print(table.to_string(index=False))
    agree = table["same bits"]
    if "on device" in table:
        agree &= table["on device"]
    else:
        print("Lanes ran on the host only.")
    if "registers" in table:
        most = table[["registers", "stack"]].max()
        print(f"up to {most['registers']} registers and {most['stack']} bytes of stack")
    print(f"{len(table)} combinations; {(~agree).sum()} differ from the clones")
    return int(not agree.all())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
