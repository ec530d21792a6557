"""Make all pages of results from one clean commit, or list those that are out of date.

    make results                           all pages, from the commit that is checked out
    make results PEERS='--lammps LMP ...'  also the comparison with other codes
    make results EXAMPLES=LAMMPS/examples  also the conversion of LAMMPS's examples
    make release-check                     fails if sources of a page have changed since it was made

Between releases, pages may be older than the sources, and no test compares them. Changes of
comments, docstrings and layout do not make a page out of date.

Each page states the commit from which it was made: the last commit that changed any file other
than these pages. Pages of cases consist of stored results, one for each case, and state the commit
of each result; `pysuite validate --pages docs/results` can also update them case by case. A step is
skipped if its pages were made from the present commit. An interrupted call therefore continues
where it stopped. If the finished pages have been committed, it can also continue in another clone.
Steps keep their other output in build/results: a case runs again only if a file that it depends on
has changed.

Most cases run in tier quick. A case runs in tier full if the simulation of tier quick is smaller
than that in its paper or exercise, or has too few samples. Computing times are measured while
nothing else runs.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path("docs/results")
BUT_PAGES = ("--", ".", f":(exclude){RESULTS.as_posix()}")
STAMP = "Made from commit {}"
PHYSICS = ("lammps_plugins/core",)
VALIDATED = (
    *PHYSICS,
    "pysuite/damped_hertz.py",
    "pysuite/independent.py",
    "pysuite/statistics.py",
    "pysuite/validation",
    "inputs",
    "validation",
)
TIMED = ("lammps_plugins", "pysuite/bench")
# for each page: the folders and files whose changes make it out of date
PAGES = {
    "validation.md": VALIDATED,
    "claims.md": VALIDATED,
    "benchmarks.md": VALIDATED,
    "gallery.md": VALIDATED,
    "mutations.md": ("lammps_plugins/core/laws", "tests/mutation"),
    "selection.md": ("lammps_plugins/core/laws", "tests/laws", "tests/selection"),
    "lists.md": ("lammps_plugins/grains", "lammps_plugins/core/history", "tests/lists"),
    "performance.md": TIMED,
    "peers.md": (*TIMED, "pysuite/validation/setups"),
    "conversion.md": (*TIMED, "pysuite/convert"),
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
PIECES = re.compile(r"""'"'|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/""", re.DOTALL)


class Step(NamedTuple):
    """A command that writes pages. {pages} and {work} stand for folders, {jobs} for a number."""

    name: str
    command: str
    pages: tuple[str, ...]


# cases for which tier quick is smaller than the paper or exercise, or has too few samples
IN_FULL = (
    "brazil-nut",
    "brazil-nut-shapes",
    "calibration-coverage",
    "chute",
    "column-collapse",
    "critical-state",
    "drum",
    "elastic-gas",
    "frictionless-shear",
    "gas-damping",
    "haff-law",
    "hertz-gas",
    "jamming",
    "li-cost",
    "packing-sound",
    "penetration",
    "sheared-gas",
    "silo",
    "softening",
    "wet-shear",
    "wet-shear-motion",
)
VALIDATE = "pysuite validate --report {work}/report --tier"
STEPS = (
    Step(
        "validation",
        f"{VALIDATE} full --only li-cost"
        f" && {VALIDATE} quick --full {' '.join(IN_FULL)} --jobs {{jobs}} --repetitions 1"
        " --pages {pages}",
        ("validation.md", "gallery.md", "claims.md", "benchmarks.md"),
    ),
    Step(
        "mutations",
        "make build/mutants/installed && build/mutants/venv/bin/python -m tests.mutation --tier"
        " smoke --jobs {jobs} --page {pages}/mutations.md",
        ("mutations.md",),
    ),
    Step(
        "selection",
        "make build/mutants/installed && build/mutants/venv/bin/python -m tests.selection"
        " --page {pages}/selection.md",
        ("selection.md",),
    ),
    Step("lists", "python -m tests.lists --page {pages}/lists.md", ("lists.md",)),
    Step(
        "performance",
        "pysuite bench --report {work}/bench --document {pages}/performance.md",
        ("performance.md",),
    ),
    Step("peers", "pysuite peers {peers} --document {pages}/peers.md", ("peers.md",)),
    Step(
        "conversion",
        "cd {examples} && pysuite convert --survey granular pour granregion multi rigid bpm"
        " --report {work}/conversion --document {pages}/conversion.md",
        ("conversion.md",),
    ),
)
NEEDS = {"peers": "PEERS='--lammps ...'", "conversion": "EXAMPLES=LAMMPS/examples"}


def git(root: Path, *arguments: str) -> str:
    """Return the output of a git command. Raises CalledProcessError if the command fails."""
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commits_of(page: str) -> list[str]:
    """Return the commits recorded in a page: the commit of the page, or those of its parts."""
    found = re.findall(STAMP.format("([0-9a-f]{12})"), page)
    return found or list(dict.fromkeys(re.findall(r"Commit: ([^,]*),", page)))


def stamped(page: str, commit: str) -> str:
    """Return a page with its commit as the last line, unless its parts state their commits."""
    plain = re.sub(STAMP.format("[0-9a-f]{12}") + r"\s*$", "", page).rstrip()
    return f"{plain}\n" if "Commit: " in plain else f"{plain}\n\n{STAMP.format(commit)}\n"


def code(name: str, text: str) -> object:
    """Return the code of a file, without comments, docstrings and layout.

    Raises SyntaxError for invalid Python, or ValueError for a character with the value 0.
    """
    if name.endswith(".py"):
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
                del node.body[0]
        return ast.dump(tree)
    return PIECES.sub(lambda piece: " " if piece[0][0] == "/" else piece[0], text).split()


def has_changed(root: Path, name: str, commit: str) -> bool:
    """Return whether a file has changed since a commit, apart from comments and layout."""
    if not name.endswith((".h", ".cpp", ".py")):
        return True
    try:
        texts = [git(root, "show", f"{then}:{name}") for then in (commit, "HEAD")]
    except subprocess.CalledProcessError:  # a new or deleted file
        return True
    try:
        return code(name, texts[0]) != code(name, texts[1])
    except (SyntaxError, ValueError):  # not valid source: assume a change
        return True


def out_of_date(root: Path) -> dict[str, str]:
    """Return the pages that are out of date, each with the reason."""
    found = {}
    for page, folders in PAGES.items():
        commits = commits_of((root / RESULTS / page).read_text(encoding="utf-8"))
        reasons = [why for commit in commits if (why := lacks(root, commit, folders))]
        if not commits or any(" + changes" in commit for commit in commits):
            found[page] = "names no clean commit"
        elif reasons:
            found[page] = reasons[0]
    return found


def lacks(root: Path, commit: str, folders: Sequence[str]) -> str:
    """Return why pages made from a commit are out of date; "" if no source has changed."""
    try:
        names = git(root, "diff", "--name-only", commit, "HEAD", "--", *folders).splitlines()
    except subprocess.CalledProcessError:
        return f"was made from commit {commit}, which is not in this repository"
    changed = [name for name in names if has_changed(root, name, commit)]
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return (
        f"was made from commit {commit} and lacks changes of {changed[0]}{more}" if changed else ""
    )


def commit_of_sources(root: Path) -> str:
    """Return 12 digits of the last commit that changed any file other than pages of results."""
    return git(root, "log", "-1", "--format=%H", *BUT_PAGES)[:12]


def steps_left(root: Path, commit: str) -> list[Step]:
    """Return the steps whose pages were not made from this commit."""

    def made(name: str) -> bool:
        return commits_of((root / RESULTS / name).read_text(encoding="utf-8")) == [commit]

    return [step for step in STEPS if not all(map(made, step.pages))]


def make(jobs: int, peers: str, examples: str) -> None:
    """Run the steps whose pages were made from another commit."""
    if git(ROOT, "status", "--porcelain", *BUT_PAGES):
        sys.exit("make results: commit all changes first, because the pages name one commit")
    commit = commit_of_sources(ROOT)
    work = ROOT / "build" / "results"
    given = {"peers": peers, "conversion": examples}
    for step in steps_left(ROOT, commit):
        if not given.get(step.name, "yes"):
            print(f"make results: {step.pages[0]} is unchanged; {NEEDS[step.name]} updates it")
            continue
        pages = work / "pages"
        shutil.rmtree(pages / "cases", ignore_errors=True)  # may contain removed cases
        shutil.copytree(ROOT / RESULTS, pages, dirs_exist_ok=True)
        words = {"pages": pages, "work": work, "jobs": jobs, "peers": peers, "examples": examples}
        command = step.command.format(**words)
        print(f"make results: {command}", flush=True)
        if subprocess.run(command, shell=True, cwd=ROOT, check=False).returncode:
            sys.exit(f"make results: {step.name} failed; repeat the command to continue")
        if commit_of_sources(ROOT) != commit:
            sys.exit("make results: another commit was checked out during the step")
        for name in step.pages:
            page = pages / name
            text = page.read_text(encoding="utf-8")
            text = text.replace(pages.relative_to(ROOT).as_posix(), RESULTS.as_posix())
            page.write_text(stamped(text, commit), encoding="utf-8")
        shutil.copytree(pages, ROOT / RESULTS, dirs_exist_ok=True)
    old = {page for step in steps_left(ROOT, commit) for page in step.pages}
    print(f"make results: made from commit {commit}: {', '.join(sorted(set(PAGES) - old))}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the pages, or check them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="list the pages that are out of date")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--peers", default="", metavar="OPTIONS", help="options of pysuite peers")
    parser.add_argument("--examples", default="", metavar="DIR", help="LAMMPS's examples")
    options = parser.parse_args(arguments)
    if not options.check:
        make(options.jobs, options.peers, options.examples)
        return
    stale = out_of_date(ROOT)
    for page, why in stale.items():
        print(f"docs/results/{page} {why}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
