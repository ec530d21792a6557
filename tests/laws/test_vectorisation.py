"""GCC, which compiles the laws for this test, reports that every lane loop is vectorised."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from pysuite import laws

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "cmake" / "granular_plus.cmake").read_text()
STAGE = r"(?P<stage>\w+)_stage<(?P<laws>[\w:, ]+?)(, (true|false))?>"


def setting(name: str) -> list[str]:
    found = re.search(rf"set\({name} (.*)\)", SETTINGS)
    assert found, f"granular_plus.cmake sets no {name}"
    return found[1].split()


def loops_by_stage(report: Path) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    function = ""
    for line in report.read_text().splitlines():
        if line.startswith(";; Function "):
            found = re.search(STAGE, line)
            function = (
                re.sub(r"granular_plus::\w+::", "", line[12:].split(" (")[0]) if found else ""
            )
        elif function and re.search(r"laws/stages/\w+\.h", line):
            found = re.search(r"couldn't vectorize loop|loop vectorized", line)
            if found:
                result.setdefault(function, []).append(found[0])
    return result


def all_stages() -> set[tuple[str, int]]:
    """Return each kind of stage with the number of its instantiations."""
    count = {
        role: len([law for law in entries if law["name"] != "none"])
        for role, entries in laws.registry().items()
    }
    sliders = count["slider"]
    tangential = laws.registry()["tangential"]
    springs = sum(law["synchronizes"] and "classic" not in law["name"] for law in tangential)
    # a law without a spring that the slider moves has two stages: one for all sliders, and one for
    # dsds with observables
    moved_by_slider = sum(law["synchronizes"] for law in tangential)
    shared = 2 * (count["tangential"] - moved_by_slider)
    normal = [law for law in laws.registry()["normal"] if not law["non_local"]]
    dampings = sum(not law["non_local"] for law in laws.registry()["damping"])
    adapting = sum(law["per_collision"] for law in normal)
    without = sum(2 for law in normal if law["yields"] or law["name"] in ("dmt", "jkr"))
    # a nonlocal law is combined with the damping law of the same name or, if there is no such
    # damping law, with all damping laws
    own = {law["name"] for law in laws.registry()["damping"] if law["non_local"]}
    non_local = [law["name"] for law in laws.registry()["normal"] if law["non_local"]]
    pairs = {
        "normal": (len(normal) - adapting) * dampings
        + adapting
        - without
        + sum(1 if name in own else dampings for name in non_local),
        "ending": count["normal"],
        "into_depth": count["normal"],
        "gap": 2,  # with and without observables
        "out_of_depth": 2,
        "bridge": count["bridge"] * 2,  # with and without gaps
        "rupture": count["bridge"],
        "viscous": 2,  # with and without observables
        "attraction": 2,  # with and without a wall
        "bond": count["bond"],
        "heat": len(laws.registry()["heat"]) * 2,  # with and without observables
    }
    return set(pairs.items()) | {
        # STAGE drops only the last Boolean argument. Synchronized stages have two such arguments,
        # so they count twice: with and without observables.
        ("tangential", (moved_by_slider + 2 * springs) * sliders + shared),
        ("rolling", (count["rolling"] + 2) * sliders),
        ("twisting", count["twisting"] * sliders),
    }


@pytest.mark.slow
def test_every_lane_loop_is_vectorised(gcc, tmp_path):
    report = tmp_path / "report"
    command = [
        gcc,
        "-std=c++17",
        "-fPIC",
        *setting("law_flags"),
        "-fno-ipa-icf",  # do not merge stages with identical code
        "-DGRANULAR_PLUS_CLONE=portable",
        f"-fdump-tree-vect-optimized-missed={report}",
        "-c",
        str(ROOT / "lammps_plugins" / "core" / "kernels" / "clone.cpp"),
        "-o",
        os.devnull,
    ]
    subprocess.run(command, check=True)

    loops = loops_by_stage(report)
    assert [stage for stage, said in loops.items() if "couldn't vectorize loop" in said] == []
    found: dict[str, set[str]] = {}
    for stage in loops:
        match = re.search(STAGE, stage)
        found.setdefault(match["stage"], set()).add(match["laws"])
    assert {(stage, len(names)) for stage, names in found.items()} == all_stages()
