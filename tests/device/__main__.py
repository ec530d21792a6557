"""Compare the laws as they are compiled for a device with the clones of the plug-in.

    python -m tests.device

`make device` builds the library that this loads. Each combination of laws is evaluated for the
same contacts by a clone and by its lane function on the host, which must agree to the last bit,
and on a GPU where there is one. Registers and stack are those that the assembler reported.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pysuite import laws
from tests.laws.conftest import words_of

BUILD = Path(__file__).parents[2] / "build" / "device"
ROLES = ("normal", "damping", "tangential", "rolling", "twisting", "slider", "bridge", "heat")
PATHS = ("touching", "patches", "synchronized", "separated", "ending")
CLONE, HOST, DEVICE = range(3)
TIMESTEP = 1e-3
# The power function of a device, which laws call as a contact begins, is within 2 units in the
# last place; what follows from it may lose three digits where forces cancel.
DEVICE_ERROR = 1e-12


class Kernel(NamedTuple):
    """What the assembler says of one kernel."""

    registers: int
    stack: int  # bytes


def assembled(report: str) -> dict[tuple[str, int, bool], Kernel]:
    """Read the assembler's report, by laws, path and whether the stages observe."""
    blocks = report.split("Compiling entry function '")[1:]
    names = "\n".join(block.split("'", 1)[0] for block in blocks)
    readable = subprocess.run(
        ["c++filt"], input=names, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    kernels = {}
    for name, block in zip(readable, blocks, strict=True):
        found = re.search(r"(Laws8<.+>), \(granular_plus::Path\)(\d), (true|false)>", name)
        assert found, name
        key = (found[1].replace(" ", ""), int(found[2]), found[3] == "true")
        used, stack = re.search(r"Used (\d+)", block), re.search(r"(\d+) bytes stack", block)
        assert used, block
        assert stack, block
        kernels[key] = Kernel(int(used[1]), int(stack[1]))
    return kernels


def random_contacts(rng: np.random.Generator, count: int, path: str) -> np.ndarray:
    """Return what contacts are given, (Lanes.given_rows, count).

    That is geometry and motion, masses, and the surface.
    """
    apart = path in ("separated", "ending")
    radius, mass = rng.uniform(0.3, 0.7, (2, count)), rng.uniform(0.5, 2.0, (2, count))
    depth = 10.0 ** rng.uniform(-5, -1.5, count)
    distance = radius.sum(axis=0) + (depth if apart else -depth)
    normal = rng.normal(size=(3, count))
    motion = rng.normal(size=(9, count)) * 10.0 ** rng.uniform(-3, 1, count)
    held = (rng.random((2, count)) < 0.1).astype(float)
    gradient = rng.uniform(0.5, 2.0, count) if path == "patches" else np.ones(count)
    return np.vstack(
        [
            distance * normal / np.linalg.norm(normal, axis=0),
            motion,
            radius,
            mass,
            held,
            np.full(count, 2.0**500),
            gradient,
            rng.normal(size=(3, count)),
        ]
    )


class Lanes:
    """The library, and the combinations of laws that it holds."""

    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        for name in ("compiled_law", "compiled_types", "last_failure"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.evaluate_contacts.restype = ctypes.c_double
        self.count = self.library.compiled_count()
        self.given_rows = self.library.given_rows()
        self.history_rows = self.library.history_rows()
        self.result_rows = self.library.result_rows()
        self.has_device = self.library.device_count() > 0

    def law_names(self, number: int) -> list[str]:
        return [self.library.compiled_law(number, k).decode() for k in range(len(ROLES))]

    def key(self, number: int) -> tuple[str, int, bool]:
        types = re.search(r"Laws8<.+>", self.library.compiled_types(number).decode())
        assert types
        return (
            types[0].split(";")[0].replace(" ", ""),
            self.library.compiled_path(number),
            bool(self.library.compiled_observes(number)),
        )

    def words(self, number: int) -> str:
        """Return the words of a pair_coeff command for these laws."""
        registry = laws.registry()
        chosen = {
            role: next(law for law in registry[role] if law["name"] == name)
            for role, name in zip(ROLES, self.law_names(number), strict=True)
        }
        parts = [words_of(chosen["normal"])]
        for role in ROLES[1:]:
            if role == "damping" and chosen["normal"]["per_collision"]:
                continue
            parts.append(f"{role} {words_of(chosen[role])}")
            if chosen[role]["name"].endswith("/film"):
                parts.append("viscous 0.1 gap 1e-3")
        if PATHS[self.library.compiled_path(number)] == "synchronized":
            parts.append("synchronized_verlet")
        return " ".join(parts)

    def evaluate(
        self, number: int, where: int, given: np.ndarray, history: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Return history and results after a step, and on a device seconds per contact."""
        assert (len(given), len(history)) == (self.given_rows, self.history_rows)
        history, results = history.copy(), np.zeros((self.result_rows, given.shape[1]))
        pointers = (
            array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            for array in (np.ascontiguousarray(given), history, results)
        )
        seconds = self.library.evaluate_contacts(
            number,
            self.words(number).encode(),
            where,
            given.shape[1],
            ctypes.c_double(TIMESTEP),
            *pointers,
        )
        if seconds < 0.0:
            raise RuntimeError(f"{self.words(number)}: {self.library.last_failure().decode()}")
        return history, results, seconds

    def contacts(self, number: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return contacts with a history that the laws have made; half of them began from none."""
        rng = np.random.default_rng(number)
        path = PATHS[self.library.compiled_path(number)]
        kept = 10.0 ** rng.uniform(-4, -2, (self.history_rows, count))
        history = np.where(rng.random(count) < 0.5, kept, 0.0)
        for _ in range(3):
            given = random_contacts(rng, count, path)
            history, _, _ = self.evaluate(number, CLONE, given, history)
        return random_contacts(rng, count, path), history


def relative_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference of two tables, over the largest of each row."""
    scale = np.abs(np.nan_to_num(a)).max(axis=1, keepdims=True)
    difference = np.abs(np.nan_to_num(a) - np.nan_to_num(b))
    return float((difference / np.where(scale > 0.0, scale, 1.0)).max())


def compare(lanes: Lanes, kernels: dict[tuple[str, int, bool], Kernel]) -> pd.DataFrame:
    """Return a row for each combination of laws."""
    rows = []
    for number in range(lanes.count):
        given, history = lanes.contacts(number, 300)
        expected = np.vstack(lanes.evaluate(number, CLONE, given, history)[:2])
        found = np.vstack(lanes.evaluate(number, HOST, given, history)[:2])
        key = lanes.key(number)
        row = {
            "laws": " ".join(name for name in lanes.law_names(number) if name != "none"),
            "path": PATHS[key[1]],
            "observes": key[2],
            **kernels[key]._asdict(),
            "same bits": np.array_equal(expected, found, equal_nan=True),
        }
        if lanes.has_device:
            given, history = lanes.contacts(number, 2**18)
            expected = np.vstack(lanes.evaluate(number, CLONE, given, history)[:2])
            *found, seconds = lanes.evaluate(number, DEVICE, given, history)
            row["difference on device"] = relative_difference(expected, np.vstack(found))
            row["ns per contact"] = 1e9 * seconds
        rows.append(row)
    return pd.DataFrame(rows)


def main() -> int:
    """Print the table; 1 where anything differs."""
    table = compare(Lanes(BUILD / "liblanes.so"), assembled((BUILD / "ptxas").read_text()))
    print(table.to_string(index=False))
    differ = table[~table["same bits"]]
    if "difference on device" in table:
        differ = pd.concat([differ, table[table["difference on device"] > DEVICE_ERROR]])
    else:
        print("No GPU here: the lanes ran on the host only.")
    print(
        f"{len(table)} kernels; up to {table['registers'].max()} registers and "
        f"{table['stack'].max()} bytes of stack; {len(differ)} differ from the clones"
    )
    return int(len(differ) > 0)


if __name__ == "__main__":
    sys.exit(main())
