"""Plant faults in the plug-in's own neighbour list; test that the check of all pairs finds them.

    make lists      docs/results/lists.md

For each fault, a copy of the plug-in with this fault is built, and tests/styles/test_all_pairs.py
runs until a test fails. The exit status is 1 if all tests pass despite one of the faults.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "lists"
SOURCE, PLUGIN = FOLDER / "source", FOLDER / "plugin"
PAGE = ROOT / "docs" / "results" / "lists.md"
TESTS = "tests/styles/test_all_pairs.py"
HEAD = """# Faults planted in the plug-in's own neighbour list

`GRANULAR_PLUS_CHECK_LISTS=yes` compares the list with all pairs of grains, including their images,
in every step, and stops LAMMPS if a pair that acts is not listed. Each fault below is planted in
the sources; a test that runs with this check must then fail. Written by `make lists`.

| fault | first test to fail |
|---|---|
"""


class Fault(NamedTuple):
    title: str
    file: str
    right: str
    wrong: str


NEIGHBORS = "lammps_plugins/grains/grain_neighbors.cpp"
HISTORY = "lammps_plugins/grains/grain_history.cpp"
FAULTS = (
    Fault(
        "ghosts do not receive the budgets of their owners",
        HISTORY,
        "  comm->forward_comm(this);\n  sends_budgets = false;",
        "  sends_budgets = false;",
    ),
    Fault(
        "exceeded budgets are not checked",
        HISTORY,
        "if (neighbors->budget_exceeded())",
        "if (neighbors->budget_exceeded() && false)",
    ),
    Fault(
        "a budget exceeded on one rank is not communicated to the others",
        NEIGHBORS,
        "return comm->nprocs > 1 ? any_over_ranks(world, here) : here;",
        "return here;",
    ),
    Fault(
        "budgets exceed half of the skin, for which ghosts are communicated",
        NEIGHBORS,
        "budgets[a] = rule.of(",
        "budgets[a] = 4.0 * rule.most + rule.of(",
    ),
    Fault(
        "growth of grains does not count towards their budgets",
        NEIGHBORS,
        "std::max(0.0, atom->radius[a] - then[ROW * a + 3])",
        "0.0 * then[ROW * a + 3]",
    ),
    Fault(
        "motion of images with the box does not count towards budgets",
        NEIGHBORS,
        "0.5 * radii.box_since_list().of_images(*domain)",
        "0.0 * radii.box_since_list().of_images(*domain)",
    ),
    Fault(
        "the gap across which grains act is omitted from their reach",
        NEIGHBORS,
        "reach[a] = atom->radius[a] + budgets[a] + 0.5 * largest_gap",
        "reach[a] = atom->radius[a] + budgets[a]",
    ),
    Fault(
        "the budgets of partners are omitted from the search",
        NEIGHBORS,
        "search.find(*kernels, {x, reach.data(), owned, all}",
        "search.find(*kernels, {x, atom->radius, owned, all}",
    ),
    Fault(
        "of two images of one grain, neither lists the pair",
        NEIGHBORS,
        "tag[a] == tag[b] ? is_first_image(a, b)",
        "tag[a] == tag[b] ? false",
    ),
    Fault(
        "with newton off, only one of the two grains' ranks lists the pair",
        NEIGHBORS,
        "if (b < owned || seen_once) {",
        "if (b < owned || true) {",
    ),
    Fault(
        "exclusions of groups exclude more pairs than specified",
        NEIGHBORS,
        "if ((a.mask & one && b.mask & other) || (a.mask & other && b.mask & one)) return true;",
        "if (a.mask & one || b.mask & other) return true;",
    ),
    Fault(
        "a list is kept after atoms have arrived, left or been sorted",
        NEIGHBORS.replace(".cpp", ".h"),
        "void invalidate() { outdated = own; }",
        "void invalidate() { outdated = own && first.empty(); }",
    ),
    Fault(
        "the cells of the search are smaller than the reach",
        "lammps_plugins/core/history/pair_search.cpp",
        "double edge = 2.0 * static_cast<double>(level.largest)",
        "double edge = 0.7 * static_cast<double>(level.largest)",
    ),
)


def run(*command: object, **keywords: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **keywords
    )


def build() -> None:
    """Build the plug-in. Raises RuntimeError with the compiler's message if the build fails."""
    done = run("cmake", "--build", PLUGIN, "--parallel", os.cpu_count())
    if done.returncode != 0:
        raise RuntimeError(done.stdout[-3000:] + done.stderr[-3000:])


def hidden() -> Path:
    folder = FOLDER / "hidden"
    metadata = folder / "granular_plus-1.0.0.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True, exist_ok=True)
    version = importlib.metadata.version("granular_plus")
    metadata.write_text(f"Metadata-Version: 2.1\nName: granular_plus\nVersion: {version}\n")
    return folder


def first_red() -> str:
    """Return the first test that fails with the new plug-in, or an empty string."""
    done = run(
        *(sys.executable, "-m", "pytest", "-x", "-q", "-m", "not long"),
        *("-n", str(os.cpu_count()), TESTS),
        cwd=ROOT,
        env=os.environ | {"LAMMPS_PLUGIN_PATH": str(PLUGIN), "PYTHONPATH": str(hidden())},
    )
    if done.returncode not in {0, 1, 2}:  # 2: interrupted by -x
        raise RuntimeError(done.stdout[-3000:] + done.stderr[-1000:])
    found = re.search(
        rf"^(?:FAILED|ERROR) {re.escape(TESTS)}::(.*?)(?: - |$)", done.stdout, re.MULTILINE
    )
    return found[1] if found else ""


def copy_sources() -> None:
    folders = ("lammps_plugins", "cmake", "CMakeLists.txt", "pysuite/__init__.py")
    names = run("git", "ls-files", *folders, cwd=ROOT)
    for name in names.stdout.split():
        there, here = SOURCE / name, ROOT / name
        if not here.exists() or (there.exists() and there.read_bytes() == here.read_bytes()):
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(here, there)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", type=int, nargs="+", help="numbers of the faults to plant; the first fault is 1"
    )
    parser.add_argument("--page", type=Path, default=PAGE, help="file to write")
    args = parser.parse_args()
    copy_sources()
    python = f"Python_EXECUTABLE={sys.executable}"
    run("cmake", "-G", "Ninja", "-S", SOURCE, "-B", PLUGIN, "-D", python).check_returncode()
    build()
    assert first_red() == "", "the tests fail without a fault"
    rows = []
    for number, fault in enumerate(FAULTS, 1):
        if args.only and number not in args.only:
            continue
        file = SOURCE / fault.file
        text = file.read_text()
        assert text.count(fault.right) == 1, fault
        file.write_text(text.replace(fault.right, fault.wrong))
        try:
            build()
            red = first_red()
        finally:
            file.write_text(text)
        rows.append((fault.title, red))
        print(f"{number:2d}  {fault.title}: {red or 'NOT NOTICED'}", flush=True)
    if not args.only:
        lines = [f"| {title} | {f'`{red}`' if red else '**none**'} |" for title, red in rows]
        args.page.write_text(HEAD + "\n".join(lines) + "\n")
    return int(not all(red for _, red in rows))


if __name__ == "__main__":
    sys.exit(main())
