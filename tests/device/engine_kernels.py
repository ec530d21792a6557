"""Compile the kernels of run_style verlet/plus/gpu, as a run on a card does.

    python -m tests.device.engine_kernels [ARCH …]

For each architecture (sm_80, sm_90 and sm_100, unless others are named) it prints how long NVRTC
takes for a kernel, how large it is, and how many registers and bytes of stack a thread needs. No
GPU is needed. GRANULAR_PLUS_NVRTC names another NVRTC than that of extra `gpu`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pandas as pd

from pysuite import laws
from tests.device.nvrtc import compile_program, library, version

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
SOURCE = """#include "device/compiled_stages.h"
#include "device/kernels_of_algorithms.h"
#include "device/list_kernels.h"
#include "device/load_kernels.h"
#include "device/mesh_kernels.h"
#include "device/run_kernel.h"
"""
STEPS = "granular_plus::steps::"
UNLESS = f"{STEPS}UnlessEnded"
OF_LOADS = ("MoveUnderLoad", "CountTouching", "ListTouching", "SumLoads", "BearLoad")
PLAIN = (
    *(STEPS + name for name in ("FirstHalfStep", "SecondHalfStep", "SumForces")),
    *(STEPS + name for name in ("AddGravity", "Freeze")),
    *(STEPS + name for name in ("WatchBudgets", "EndStep", "FindPatches")),
    *(STEPS + name for name in OF_LOADS),
)
OF_LISTS = (
    STEPS + "ListAnew",
    *(STEPS + name for name in ("WrapIntoBox", "SetBudgets", "CountImages", "PlacePoints")),
    *(STEPS + name for name in ("CellOf", "FirstOfKey", "CountPartners", "FillRows")),
    *(STEPS + name for name in ("CountOfGroups", "PlacePairs", "CarryContacts", "Receivers")),
    f"granular_plus::algorithms::Part<granular_plus::Largest, {STEPS}LeavesBox>",
    f"granular_plus::algorithms::Part<granular_plus::Largest, {STEPS}ReachOf>",
    "granular_plus::algorithms::CountDigits<int>",
    "granular_plus::algorithms::PlaceByDigit<int>",
)
OF_LEDGER = (
    f"{STEPS}Clear",
    f"granular_plus::algorithms::Part<granular_plus::Sum, {STEPS}SumOfObservable>",
)
# normal, tangential, slider, rolling, twisting
MODELS = (
    ("hooke", "linear_history", "csds", "none", "none"),
    ("hertz/material", "mindlin", "csds", "none", "none"),
    ("hertz/material", "mindlin_deresiewicz", "csds", "sds", "marshall"),
    ("luding", "linear_history", "truncate", "sds", "sds"),
)
OBSERVABLES = 16  # that laws without bridges fill
REMEMBERED = (7, 4, 2)  # values that a ledger remembers of a contact, of rolling and of twisting
ROLES = ("normal", "tangential", "slider", "rolling", "twisting")


def stages(model: tuple[str, ...], *, at_wall: int, ledger: bool = False) -> str:
    """Return the stages of these laws as `stages_on_card` in grain_engine.h names them.

    at_wall is 0 for pairs, 1 at a wall and 2 at a mesh.
    """
    chosen: dict[str, int] = {}
    first: dict[str, int] = {}
    values = 0
    for role, name in zip(ROLES, model, strict=True):
        known = laws.registry()[role]
        chosen[role] = next(number for number, law in enumerate(known) if law["name"] == name)
        if role != "slider":
            first[role] = values
            values += known[chosen[role]]["history"]
    numbers = [chosen["normal"], 0, *(chosen[role] for role in ROLES[1:]), 0]
    numbers += [first[role] for role in ("normal", "tangential", "rolling", "twisting")]
    remembered = [values] * ledger
    for size, kept in zip(REMEMBERED, (True, model[3] != "none", model[4] != "none"), strict=True):
        remembered += [values if kept else -1] * ledger
        values += size * kept * ledger
    numbers += [values, at_wall, OBSERVABLES * ledger, *remembered, *[-1] * 4 * ledger]
    return f"{STEPS}CompiledStages<{', '.join(map(str, numbers))}>"


def kernels() -> Iterator[tuple[str, str]]:
    """Yield titles of kernels, and their types."""
    for kernel in PLAIN:
        yield kernel.split("::")[-1], f"{UNLESS}<{kernel}>"
    for kernel in (*OF_LISTS, *OF_LEDGER):
        yield re.sub(r"\w+::", "", kernel), kernel
    for model in MODELS:
        for ledger in (False, True):
            title = " ".join(name for name in model if name != "none") + " ledger" * ledger
            kinds = ("EvaluatePairs", ""), ("MeetWall", " at a wall"), ("MeetMesh", " at a mesh")
            for at_wall, (kernel, where) in enumerate(kinds):
                of_contacts = stages(model, at_wall=at_wall, ledger=ledger)
                yield f"{title}{where}", f"{UNLESS}<{STEPS}{kernel}<{of_contacts}>>"


def measure(architecture: str) -> Iterator[dict[str, object]]:
    """Compile each kernel by itself."""
    for title, kernel in kernels():
        program = compile_program(SOURCE, [f"run<{kernel}>"], architecture)
        size = {"seconds": program.seconds, "kB": len(program.code) / 1e3}
        yield {"kernel": title, **size, **program.kernels[0]._asdict()}


def main(architectures: list[str]) -> int:
    """Print a table for each architecture."""
    print(f"NVRTC {version(library())}")
    for architecture in architectures or ARCHITECTURES:
        table = pd.DataFrame(measure(architecture))
        print(f"{architecture}: {table['seconds'].sum():.1f} s, {table['kB'].sum():.0f} kB")
        print(table.round(2).to_string(index=False), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
