"""Read text dumps of styles custom and local.

If a run was killed, the last frame may have fewer rows than its header announces. Such a frame is
skipped.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy
    import pandas
    from numpy.typing import NDArray

START = "ITEM: TIMESTEP\n"
BEFORE_START = re.compile(r"(?:ITEM: UNITS\n.*\n)?(?:ITEM: TIME\n.*\n)?\Z")
HEAD = re.compile(
    START + r" *(\d+) *\n"
    r"ITEM: NUMBER OF (.*)\n *(\d+) *\n(?:ITEM: BOX BOUNDS.*\n(?:.*\n){3})?ITEM: \2(.*)\n"
)
OTHER_STYLE = re.compile(START + r".*\nITEM: (?!NUMBER OF ).*\n")
NO_DUMP = "not a text dump of style custom or local, or a dump without frames"


class _Part(NamedTuple):
    """A frame in the text of a dump.

    Attributes:
        step: number of the step, or None if the text ends before this number.
        begin, body, end: positions in the text; rows begin at `body`.
        rows: number of rows according to the header.
        lack: description of what is missing; empty if the frame is complete.
    """

    step: int | None
    begin: int
    body: int
    end: int
    rows: int = 0
    names: tuple[str, ...] = ()
    lack: str = ""

    @property
    def words(self) -> str:
        """Description of an incomplete frame."""
        name = "last frame" if self.step is None else f"frame of step {self.step}"
        return f"the {name} is incomplete, {self.lack}"


def read_dump(*paths: Path, step: int | None = None) -> str:
    """Return the complete frames of a text dump, which may be split into several files.

    Without `step`, warns of each incomplete frame. With `step`, raises ValueError if the frame of
    this step is incomplete. Raises ValueError if no frame is complete.
    """
    kept, steps = [], set()
    left_out: dict[str, int | None] = {}
    for path in paths:
        text = path.read_text(errors="replace")
        try:
            parts = list(_parts(text))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        if not parts and text.strip():
            raise ValueError(f"{path}: {NO_DUMP}")
        for part in parts:
            if part.lack:
                left_out[f"{path}: {part.words}"] = part.step
            else:
                kept.append(text[part.begin : part.end])
                steps.add(part.step)
    if left_out and not kept:
        raise ValueError(f"{next(iter(left_out))}; there is no other frame")
    if step is None:
        _warn(left_out)
    elif step not in steps and step in left_out.values():
        raise ValueError(next(words for words, number in left_out.items() if number == step))
    return "".join(kept)


def incomplete_steps(path: Path) -> list[int]:
    """Return the steps for which a dump has only an incomplete frame."""
    parts = list(_parts(path.read_text(errors="replace")))
    complete = {part.step for part in parts if not part.lack}
    return [part.step for part in parts if part.step is not None and part.step not in complete]


def _warn(left_out: Iterable[str]) -> None:
    for words in left_out:
        # all warnings come from this line, so that Python shows equal texts once
        warnings.warn(f"{words}; this frame is skipped", stacklevel=1)


def _parts(text: str) -> Iterator[_Part]:
    """Yield all frames of a text dump. Raises ValueError if the dump has another style."""
    begins = []
    at = text.find(START)
    while at >= 0:
        before = BEFORE_START.search(text[max(0, at - 200) : at])
        begins.append(at - (len(before[0]) if before else 0))
        at = text.find(START, at + 1)
    for begin, end in itertools.pairwise([*begins, len(text)]):
        yield from _parts_between(text, begin, end)


def _parts_between(text: str, begin: int, end: int) -> Iterator[_Part]:
    """Yield a frame. If the text ends in the first line of the next frame, yield that, too."""
    start = text.index(START, begin)
    head = HEAD.match(text, start, end)
    if head is None:
        if OTHER_STYLE.match(text, start, end):
            raise ValueError(NO_DUMP)
        known = re.compile(START + r" *(\d+) *\n").match(text, start, end)
        yield _Part(
            int(known[1]) if known else None, begin, end, end, lack="with a truncated header"
        )
        return
    body, count = head.end(), int(head[3])
    part = _Part(int(head[1]), begin, body, end, count, tuple(head[4].split()))
    rows = text.count("\n", body, end)
    if rows < count:
        yield part._replace(lack=f"with {rows} of {count} rows")
        return
    close = end
    if rows > count or not text.endswith("\n", body, end):
        close = body
        for _ in range(count):
            close = text.index("\n", close) + 1
    last = text[max(body, text.rfind("\n", body, close - 1) + 1) : close] if count else ""
    if count and len(last.split()) != len(part.names):
        lack = f"with {len(last.split())} of {len(part.names)} columns in its last row"
        yield part._replace(lack=lack)
    else:
        yield part._replace(end=close)
    if text[close:end].strip():
        yield _Part(None, close, end, end, lack="with a truncated header")


def parse_steps(text: str) -> list[int]:
    """Return the steps of the complete frames, including frames without rows."""
    return [part.step for part in _parts(text) if part.step is not None and not part.lack]


class Frame(NamedTuple):
    """Header of a frame of a dump.

    Attributes:
        time: time if written by `dump_modify ... time yes`, otherwise None.
        units: unit style if written by `dump_modify ... units yes`, otherwise "".
        origin: array of shape (3,) with the corner of the box.
        edges: array of shape (3, 3) with one edge vector of the box per row.
    """

    step: int
    time: float | None
    units: str
    origin: NDArray[numpy.float64]
    edges: NDArray[numpy.float64]


def parse_frames(text: str) -> list[Frame]:
    """Return the headers of the complete frames; for rows see `parse_dump`."""
    import numpy

    text = "".join(text[part.begin : part.end] for part in _parts(text) if not part.lack)
    style = re.search(r"^ITEM: UNITS\n *(\S+)", text, re.MULTILINE)
    units = style[1] if style else ""
    head = r"^(?:ITEM: TIME\n(.*)\n)?ITEM: TIMESTEP\n(.*)\nITEM: NUMBER OF .*\n.*\n"
    box = r"ITEM: BOX BOUNDS(.*)\n(.*\n.*\n.*)\n"
    frames = []
    for time, step, kind, bounds in re.findall(head + box, text, re.MULTILINE):
        lines = numpy.array([[float(word) for word in line.split()] for line in bounds.split("\n")])
        if "abc" in kind:  # general triclinic
            edges, origin = lines[:, :3], lines[:, 3]
        else:
            xy, xz, yz = lines[:, 2] if "xy" in kind else (0.0, 0.0, 0.0)
            low = [min(0.0, xy, xz, xy + xz), min(0.0, yz), 0.0]
            high = [max(0.0, xy, xz, xy + xz), max(0.0, yz), 0.0]
            origin = lines[:, 0] - low
            edges = numpy.diag(lines[:, 1] - high - origin)
            edges[1, 0], edges[2, 0], edges[2, 1] = xy, xz, yz
        frames.append(Frame(int(step), float(time) if time else None, units, origin, edges))
    return frames


def parse_dump(*texts: str) -> pandas.DataFrame:
    """Return the frames of text dumps as one table; see `Run.dump`.

    Raises ValueError if no frame is complete or if columns differ.
    """
    import numpy
    import pandas

    columns: tuple[str, ...] | None = None
    steps, counts, left_out = [], [], []
    body: list[str] = []
    for text in texts:
        for part in _parts(text):
            if part.lack:
                left_out.append(f"a dump: {part.words}")
                continue
            columns = columns or part.names
            if part.names != columns:
                both = f"{list(columns)}, then {list(part.names)}"
                raise ValueError(f"the columns of the dump change: {both}")
            steps.append(part.step)
            counts.append(part.rows)
            body.extend(text[part.body : part.end].split("\n")[: part.rows])
    if columns is None:
        raise ValueError(f"{left_out[0]}; there is no other frame" if left_out else NO_DUMP)
    _warn(left_out)
    names = list(columns)
    frame = pandas.DataFrame(_columns_of(body, names), columns=names)
    frame.insert(0, "step", numpy.repeat(numpy.asarray(steps, dtype="int64"), counts))
    order = ["step", "id"] if "id" in names else ["step"]
    return frame.sort_values(order, kind="stable", ignore_index=True)


def _columns_of(rows: list[str], names: list[str]) -> dict[str, Any]:
    """Return the columns of a table as arrays: integers, floats exact to the last bit, or text."""
    import numpy

    if not rows:
        return {name: numpy.empty(0) for name in names}
    columns = {}
    try:
        cells = numpy.loadtxt(rows, ndmin=2, comments=None)
    except ValueError:
        cells = numpy.loadtxt(rows, ndmin=2, comments=None, dtype=str)
    for name, column, first in zip(names, cells.T, rows[0].split(), strict=True):
        with contextlib.suppress(ValueError):
            column = column.astype(float)
            if first.lstrip("-").isdigit() and (column == column.round()).all():
                column = column.astype("int64")
        columns[name] = column
    return columns
