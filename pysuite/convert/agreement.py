"""Run two LAMMPS scripts and find the first step and the contact at which forces differ.

In dense flow, even a difference in the last digit grows exponentially. Therefore a third run
measures the growth of round-off alone. This run repeats the first script, with the time step
changed by a relative 1e-15.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import shutil
import struct
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from pysuite import outputs
from pysuite.convert import Conversion, is_number
from pysuite.lammps.errors import LammpsError
from pysuite.lammps.output import Run
from pysuite.lammps.run import run
from pysuite.lammps.script import Word, commands, inner_commands, inside, shortened

TOLERANCE = 1e-9  # fraction of the largest force on a grain so far
LEVELS = (1e-15, 1e-12, TOLERANCE)  # for each, the first step with a larger difference is reported
NUDGE = 1e-15  # relative change of the time step
AMPLIFIED = 1e3
COLUMNS = ("id", "x", "y", "z", "radius", "fx", "fy", "fz")
DUMP, SCRIPT = "forces.bin", "in.pysuite"
COPIED_BYTES = 100_000_000  # larger files are copied only if the script names them


class Frame(NamedTuple):
    """The grains at a step, sorted by ID.

    Arrays have the shape (grains, 3) or (grains,). Only `periods` has the shape (3,): it contains
    the edge lengths of the box, and infinity for axes that are not periodic.
    """

    step: int
    ids: np.ndarray
    centres: np.ndarray
    radii: np.ndarray
    forces: np.ndarray
    periods: np.ndarray


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Agreement of two runs.

    Differences are divided by the largest force on a grain so far.

    Attributes:
        largest: largest difference up to `step` or, if `step` is None, in the whole run.
        levels: for each of LEVELS, the first step with a larger difference, or None.
        step: first step at which the difference exceeds TOLERANCE or the grains differ, or None.
        before: largest difference before `step`.
        round_off: largest difference up to `step` in the run with the changed time step.
        where: contact or grain with the largest difference at `step`.
        touched: whether there was a contact. If false, only forces such as gravity were compared.
    """

    steps: int
    largest: float
    levels: tuple[int | None, ...]
    step: int | None = None
    before: float = 0.0
    round_off: float = 0.0
    where: str = ""
    touched: bool = True

    @property
    def real(self) -> bool:
        """Whether a difference is more than amplified round-off.

        A difference that exceeds AMPLIFIED times `before` is real, because it appears suddenly. A
        difference that exceeds AMPLIFIED times `round_off` is real, because round-off alone does
        not cause it.
        """
        amplified = AMPLIFIED * min(self.before, self.round_off)
        return self.step is not None and self.largest > amplified

    def __str__(self) -> str:
        if not self.touched:
            return (
                f"no contact occurred in {self.steps} steps, so no contact forces were compared:"
                " use more steps, so that grains touch"
            )
        if self.step is None:
            return (
                f"forces agree for {self.steps} steps: they differ by at most {self.largest:.1e} of"
                " the largest force on a grain"
            )
        passed = ", ".join(
            f"{level:.0e} at step {step}"
            for level, step in zip(LEVELS, self.levels, strict=True)
            if step is not None
        )
        verdict = (
            "a real difference"
            if self.real
            else "no real difference, only round-off that the flow has amplified"
        )
        return (
            f"{verdict}: forces differ from step {self.step} on, first {self.where}, by"
            f" {self.largest:.1e} of the largest force on a grain so far. Differences in earlier"
            f" steps are <= {self.before:.1e}. The difference exceeded {passed}. For comparison,"
            f" changing the time step of LAMMPS's own script by a relative {NUDGE:.0e} causes"
            f" differences of up to {self.round_off:.1e} until step {self.step}."
        )


def compare(
    first: str,
    second: str,
    folder: Path,
    *,
    steps: int,
    variables: Mapping[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
    timeout: float | None = None,
    names: tuple[str, str] = ("the first script", "the second script"),
) -> Agreement:
    """Run two scripts and compare the forces on all grains at each step.

    Both scripts run in copies of `folder`. `variables` are set as `-var name value`. `files` maps
    the names of further files to their texts. `timeout` is the time limit of each run in seconds.

    Raises LammpsError if LAMMPS fails. Raises ValueError if a script has no command `run` or does
    not use one of `variables`.
    """
    with tempfile.TemporaryDirectory(prefix="pysuite-") as temporary:

        def forces(label: str, name: str, script: str, steps: int, nudge: bool = False) -> Path:
            place = Path(temporary) / label
            script = _dumping(script, steps, nudge)
            try:
                run_copy(script, folder, place, variables=variables, files=files, timeout=timeout)
            except LammpsError as error:
                raise _kept(error, name, place) from error
            return place / DUMP

        one = forces("first", names[0], first, steps)
        other = forces("second", names[1], second, steps)
        found = _compare(one, other, steps)
        if found.step is None:
            return found
        name = f"{names[0]}, with a time step changed by a relative {NUDGE:.0e},"
        nudged = forces("nudged", name, first, found.steps, nudge=True)
        of_nudged = _compare(one, nudged, found.steps, tolerance=np.inf)
        return dataclasses.replace(found, round_off=of_nudged.largest)


def _kept(error: LammpsError, name: str, place: Path) -> LammpsError:
    (place / DUMP).unlink(missing_ok=True)
    kept = Path(tempfile.mkdtemp(prefix="pysuite-")) / place.name
    shutil.move(place, kept)
    message = f"{name} stopped: {error.message}"
    return LammpsError(message, log=error.log, returncode=error.returncode, folder=kept)


def compare_conversion(
    conversion: Conversion,
    folder: Path,
    *,
    steps: int,
    variables: Mapping[str, Any] | None = None,
    timeout: float | None = None,
) -> Agreement:
    """Run a script before and after its conversion; see `compare`."""
    found = compare(
        conversion.before,
        conversion.text,
        folder,
        steps=steps,
        variables=variables,
        files=_included(conversion),
        timeout=timeout,
        names=("the script before conversion", "the converted script"),
    )
    if found.step is not None:
        return found
    touched = _touches(conversion, folder, steps, variables, timeout)
    return dataclasses.replace(found, touched=touched)


def _included(conversion: Conversion) -> dict[str, str]:
    return {f"{name}.plus": included.text for name, included in conversion.included.items()}


def _touches(
    conversion: Conversion,
    folder: Path,
    steps: int,
    variables: Mapping[str, Any] | None,
    timeout: float | None,
) -> bool:
    """Return whether the ledger of the converted script counts a contact."""
    before = {"": conversion.text, **_included(conversion)}
    files = {name: with_ledger(script) for name, script in before.items()}
    begin = []
    if files != before:
        begin.append("compute pysuite_ledger all granular/ledger")
        contacts = outputs.LEDGER.of("c_pysuite_ledger", "contacts")
    else:  # no pair style of granular/plus, but perhaps walls
        walls = re.findall(
            r"^\s*fix\s+(\S+)\s+\S+\s+wall/granular/plus\s", before[""], re.MULTILINE
        )
        contacts = "+".join(outputs.WALL.of(f"f_{wall}", "contacts") for wall in walls)
        if not contacts:
            return False
    begin += [
        f"variable pysuite_contacts equal {contacts}",
        "fix pysuite_touch all halt 1 v_pysuite_contacts > 0 error hard message no",
    ]
    text = files.pop("")
    with tempfile.TemporaryDirectory(prefix="pysuite-") as temporary:
        place = Path(temporary) / "touch"
        try:
            run_copy(
                shortened(text, steps, begin),
                folder,
                place,
                variables=variables,
                files=files,
                timeout=timeout,
            )
        except LammpsError as error:
            if "pysuite_touch" not in error.message:
                raise _kept(error, "the converted script with counted contacts", place) from error
            return True
    return False


def with_ledger(script: str) -> str:
    """Return a converted script with the ledger of granular/plus switched on."""
    places: list[int] = []

    def walk(begin: int, end: int) -> None:
        for words in commands(script, begin, end):
            if words[0].text == "pair_style":
                places.extend(_behind_cutoffs(script, words))
            for word in itertools.chain.from_iterable(inner_commands(words)):
                if word.quoted:
                    walk(*inside(script, word))

    walk(0, len(script))
    for place in sorted(places, reverse=True):
        script = f"{script[:place]} ledger yes{script[place:]}"
    return script


def _behind_cutoffs(script: str, words: list[Word]) -> Iterator[int]:
    """Yield the positions at which a pair_style may have keywords."""
    hybrid = words[1].text.startswith("hybrid") if len(words) > 1 else False
    for number, word in enumerate(words[1:], start=1):
        if word.text != "granular/plus":
            continue
        following = words[number + 1 : number + 2]
        if following and (not hybrid or is_number(script, following[0].text)):
            yield following[0].end
        else:
            yield word.end


def run_copy(
    script: str,
    folder: Path,
    place: Path,
    *,
    variables: Mapping[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> Run:
    """Run a script in a copy of its folder. Subfolders that the script names are also copied."""
    place.mkdir()
    for path in sorted(folder.iterdir()):
        if path.is_file() and (path.stat().st_size < COPIED_BYTES or path.name in script):
            shutil.copy(path, place)
        elif path.is_dir() and f"{path.name}/" in script:
            shutil.copytree(path, place / path.name)
    for name, text in (files or {}).items():
        (place / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    (place / SCRIPT).write_bytes(script.encode("utf-8", "surrogateescape"))
    return run(place / SCRIPT, variables=variables, folder=place, timeout=timeout)


def _dumping(script: str, steps: int, nudge: bool) -> str:
    begin = [
        f"dump pysuite_forces all custom 1 {DUMP} {' '.join(COLUMNS)}",
        "dump_modify pysuite_forces sort id",
    ]
    if nudge:
        begin.append(f"timestep $(dt*{1.0 + NUDGE:.17g}:%.17g)")
    return shortened(script, steps, begin)


def _compare(one: Path, other: Path, steps: int, tolerance: float = TOLERANCE) -> Agreement:
    scale = largest = 0.0
    levels: list[int | None] = [None] * len(LEVELS)
    compared = -1
    for a, b in zip(_frames(one), _frames(other), strict=False):
        if compared == steps:  # after that, `run every` still runs one step of each further part
            break
        before = largest
        compared += 1
        if a.step != b.step or not np.array_equal(a.ids, b.ids):
            where = f"in the number of grains ({len(a.ids)} and {len(b.ids)})"
            return Agreement(compared, np.inf, tuple(levels), a.step, before, where=where)
        apart = np.linalg.norm(a.forces - b.forces, axis=1)
        scale = max(scale, float(np.linalg.norm(a.forces, axis=1).max(initial=0.0)))
        for grain in np.flatnonzero(apart > tolerance * scale).tolist():
            if apart[grain] <= scale * _uncertainty(a, grain):
                apart[grain] = 0.0
        difference = float(apart.max(initial=0.0))
        relative = difference / scale if scale > 0.0 else np.inf if difference > 0.0 else 0.0
        largest = max(largest, relative)
        levels = [
            a.step if step is None and largest > level else step
            for level, step in zip(LEVELS, levels, strict=True)
        ]
        if not relative <= tolerance:
            where = _where(a, apart)
            return Agreement(compared, largest, tuple(levels), a.step, before, where=where)
    return Agreement(max(compared, 0), largest, tuple(levels))


def _uncertainty(frame: Frame, grain: int) -> float:
    """Return the relative change of a force that round-off in the coordinates may cause."""
    deepest = float(_overlaps(frame, grain).max(initial=-np.inf))
    digits = np.finfo(float).eps * float(np.abs(frame.centres).max())
    return 4.0 * digits / deepest if deepest > 0.0 else 0.0


def _overlaps(frame: Frame, grain: int) -> np.ndarray:
    """Return the overlaps of a grain with all other grains as an array of shape (grains,).

    Gaps are negative overlaps. The overlap of the grain with itself is set to -inf.
    """
    way = frame.centres - frame.centres[grain]
    finite = np.isfinite(frame.periods)
    period = np.where(finite, frame.periods, 1.0)
    way -= np.where(finite, period * np.round(way / period), 0.0)
    overlap: np.ndarray = frame.radii + frame.radii[grain] - np.linalg.norm(way, axis=1)
    overlap[grain] = -np.inf
    return overlap


def _where(frame: Frame, apart: np.ndarray) -> str:
    worst = int(np.argmax(apart))
    touching = _overlaps(frame, worst) > 0.0
    partner = int(np.argmax(np.where(touching, apart, -np.inf)))
    if touching[partner] and apart[partner] > 0.1 * apart[worst]:
        return f"in the contact of atoms {frame.ids[worst]} and {frame.ids[partner]}"
    lonely = "" if touching.any() else ", which touches no other grain"
    return f"on atom {frame.ids[worst]}{lonely}"


# ------------------------------------------------------------------- binary dumps of LAMMPS


def _frames(path: Path) -> Iterator[Frame]:
    """Yield the complete frames of a binary dump; a truncated last frame is skipped."""
    with path.open("rb") as file:
        while True:
            try:
                yield _frame(file)
            except EOFError:
                return


def _frame(file: BinaryIO) -> Frame:
    (marker,) = _read(file, "q")
    _read(file, f"{-marker}s")  # the name of the format
    _read(file, "ii")  # byte order, revision
    step, _count, triclinic = _read(file, "qqi")
    periodic = np.array(_read(file, "6i"))[::2] == 0
    box = np.array(_read(file, "6d"))
    _read(file, {0: "", 1: "3d", 2: "6d"}[triclinic])
    _read(file, "i")  # number of columns
    _read(file, f"{_read(file, 'i')[0]}s")  # units
    if _read(file, "c")[0] != b"\0":
        _read(file, "d")  # time
    _read(file, f"{_read(file, 'i')[0]}s")  # names of the columns
    (ranks,) = _read(file, "i")
    blocks = []
    for _ in range(ranks):
        (count,) = _read(file, "i")
        blocks.append(np.array(_read(file, f"{count}d")))
    rows = np.concatenate(blocks).reshape(-1, len(COLUMNS))
    periods = np.where(periodic, box[1::2] - box[::2], np.inf)
    return Frame(step, rows[:, 0].astype(int), rows[:, 1:4], rows[:, 4], rows[:, 5:], periods)


def _read(file: BinaryIO, layout: str) -> tuple[Any, ...]:
    layout = f"={layout}"
    size = struct.calcsize(layout)
    data = file.read(size)
    if len(data) < size:
        raise EOFError
    return struct.unpack(layout, data)
