"""Compile the kernels of run_style verlet/plus/gpu as in a run on a GPU.

    python -m tests.device.engine_kernels [ARCH …]

For each architecture (sm_80, sm_90 and sm_100, unless others are named) the program prints the
compilation time, size, registers and bytes of stack of each kernel. No GPU is needed.
By default, the NVRTC of the extra `gpu` compiles the kernels. The environment variable
GRANULAR_PLUS_NVRTC selects another one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from pysuite import laws
from tests.device.nvrtc import compile_program, library, version

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
SOURCE = """#include "device/compiled_stages.h"
#include "device/film_kernels.h"
#include "device/kernels_of_algorithms.h"
#include "device/list_kernels.h"
#include "device/heat_kernels.h"
#include "device/load_kernels.h"
#include "device/mesh_kernels.h"
#include "device/run_kernel.h"
"""
STEPS = "granular_plus::steps::"
UNLESS = f"{STEPS}UnlessEnded"
OF_HEAT = (
    *("PassHeatAcrossGaps", "SumHeat", "Warm", "WatchTemperatures"),
    *("PassHeatFromWall", "PassHeatFromMesh"),
)
OF_LOADS = ("MoveUnderLoad", "CountTouching", "ListTouching", "SumLoads", "ApplyLoad")
OF_FILMS = ("FindBridges", "CountBridges", "ShareLiquid", "MoveLiquid", "DryFilms")
PLAIN = (
    *(STEPS + name for name in ("FirstHalfStep", "SecondHalfStep", "SumForces")),
    *(STEPS + name for name in ("AddGravity", "Freeze")),
    *(STEPS + name for name in ("WatchBudgets", "EndStep", "FindPatches")),
    *(STEPS + name for name in (*OF_HEAT, *OF_LOADS, *OF_FILMS)),
)
OF_LISTS = (
    STEPS + "NoBridges",
    STEPS + "InvalidateReach",
    *(STEPS + name for name in ("WrapIntoBox", "SetBudgets", "CountImages", "PlacePoints")),
    *(STEPS + name for name in ("CellOf", "FirstOfKey", "CountPartners", "FillRows")),
    *(STEPS + name for name in ("CountOfGroups", "PlacePairs", "CarryContacts", "Receivers")),
    f"granular_plus::algorithms::Part<granular_plus::Largest, {STEPS}LeavesBox>",
    f"granular_plus::algorithms::Part<granular_plus::Largest, {STEPS}ReachOf>",
    "granular_plus::algorithms::SumOfChunk",
    "granular_plus::algorithms::RunningSumsOfChunk",
    "granular_plus::algorithms::CountDigits<int>",
    "granular_plus::algorithms::PlaceByDigit<int>",
    "granular_plus::algorithms::CopySorted<int>",
)
OF_LEDGER = (
    f"{STEPS}Clear",
    f"granular_plus::algorithms::Part<granular_plus::Sum, {STEPS}SumOfObservable>",
)
OBSERVABLES = 16  # number of observables of laws without bridges
WITH_BRIDGES, WITH_FILMS, WITH_ATTRACTION = 22, 25, 27
# values that a ledger stores for contacts, rolling, twisting, bridges, shapes, collisions, bonds
REMEMBERED = (7, 4, 2, 3, 0, 3, 0)
DRYING = ("DryBridges", ""), ("DryBridgesAtWall", " at a wall")
ROLES = ("normal", "tangential", "slider", "rolling", "twisting", "bridge", "heat")


class Model(NamedTuple):
    normal: str
    tangential: str
    slider: str = "csds"
    rolling: str = "none"
    twisting: str = "none"
    bridge: str = "none"
    heat: str = "none"
    attracts: bool = False
    warms: bool = False

    @property
    def title(self) -> str:
        names = [name for name in self[: len(ROLES)] if name != "none"]
        more = ["van_der_waals"] * self.attracts + ["friction"] * self.warms
        return " ".join([*names, *more])

    @property
    def passes_heat(self) -> bool:
        return self.heat != "none" or self.warms

    @property
    def from_films(self) -> bool:
        return self.bridge.endswith("film")

    @property
    def ends_at_touch(self) -> bool:
        return self.bridge == "none" and not self.attracts


MODELS = (
    Model("hooke", "linear_history"),
    Model("hertz/material", "mindlin"),
    Model("hertz/material", "mindlin_deresiewicz", rolling="sds", twisting="marshall"),
    Model("luding", "linear_history", "truncate", "sds", "sds"),
    Model("hertz/material", "mindlin", attracts=True),
    Model("hertz/material", "mindlin", bridge="willett"),
    Model("hertz/material", "mindlin", bridge="willett/film"),
    Model("hertz/material", "mindlin", heat="radius"),
    Model("hertz/material", "mindlin", rolling="sds", twisting="sds", heat="radius", warms=True),
    Model("hertz/material", "mindlin", attracts=True, warms=True),
    Model("hertz/material", "mindlin", bridge="willett", heat="area", warms=True),
    Model("hertz/material", "mindlin", bridge="willett/film", heat="radius", warms=True),
)


def stages(model: Model, *, at_wall: int, ledger: bool = False) -> str:
    """Return the C++ names of a model's stages, as `stages_on_gpu` in grain_engine.h does.

    at_wall is 0 for pairs, 1 at a wall and 2 at a mesh.
    """
    chosen: dict[str, int] = {}
    first: dict[str, int] = {}
    values = 0
    for role, name in zip(ROLES, model[: len(ROLES)], strict=True):
        known = laws.registry()[role]
        chosen[role] = next(number for number, law in enumerate(known) if law["name"] == name)
        if role not in ("slider", "heat"):
            first[role] = values
            values += known[chosen[role]]["history"]
    numbers = [chosen["normal"], 0, *(chosen[role] for role in ROLES[1:])]
    numbers += [int(model.attracts), int(model.passes_heat), int(model.warms), 0]
    numbers += list(first.values())
    remembered: list[int] = []
    parts = [True, *(name != "none" for name in (model.rolling, model.twisting, model.bridge))]
    parts += [False, model.from_films, False]
    for size, kept in zip(REMEMBERED, parts, strict=True):
        remembered += [values if kept else -1] * ledger
        values += size * kept * ledger
    observed = WITH_BRIDGES if model.bridge != "none" else OBSERVABLES
    observed = WITH_FILMS if model.from_films else observed
    observed = (WITH_ATTRACTION if model.attracts else observed) * ledger
    numbers += [values, at_wall, observed, *remembered]
    return f"{STEPS}CompiledStages<{', '.join(map(str, numbers))}>"


def kernels() -> Iterator[tuple[str, str]]:
    for kernel in PLAIN:
        yield kernel.split("::")[-1], f"{UNLESS}<{kernel}>"
    for kernel in (*OF_LISTS, *OF_LEDGER):
        yield re.sub(r"\w+::", "", kernel), kernel
    for model in MODELS:
        for ledger in (True,) if model.warms else (False, True):
            title = model.title + " ledger" * ledger
            kinds = (
                ("EvaluatePairs", ""),
                ("EvaluateWallContacts", " at a wall"),
                ("EvaluateMeshContacts", " at a mesh"),
            )
            for at_wall, (kernel, where) in enumerate(kinds[: 2 + model.ends_at_touch]):
                of_contacts = stages(model, at_wall=at_wall, ledger=ledger)
                yield f"{title}{where}", f"{UNLESS}<{STEPS}{kernel}<{of_contacts}>>"
            for at_wall, (kernel, where) in enumerate(DRYING * model.from_films):
                of_contacts = stages(model, at_wall=at_wall, ledger=ledger)
                yield f"{title} dries{where}", f"{UNLESS}<{STEPS}{kernel}<{of_contacts}>>"


def measure(architecture: str) -> Iterator[dict[str, object]]:
    for title, kernel in kernels():
        program = compile_program(SOURCE, [f"run<{kernel}>"], architecture)
        size = {"seconds": program.seconds, "kB": len(program.code) / 1e3}
        yield {"kernel": title, **size, **program.kernels[0]._asdict()}


def main(architectures: list[str]) -> int:
    print(f"NVRTC {version(library())}")
    for architecture in architectures or ARCHITECTURES:
        table = pd.DataFrame(measure(architecture))
        print(f"{architecture}: {table['seconds'].sum():.1f} s, {table['kB'].sum():.0f} kB")
        print(table.round(2).to_string(index=False), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
