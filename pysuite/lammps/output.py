"""What a run leaves behind: log, thermo tables, timings and dumps, as pandas frames."""

from __future__ import annotations

import contextlib
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pysuite.lammps.errors import LammpsError

if TYPE_CHECKING:  # pandas and numpy take longer to import than many a script to run
    import numpy
    import pandas
    from numpy.typing import NDArray

LOG_FILE = "log.lammps"


@dataclass
class Run:
    """What a run of a script left behind.

    Attributes:
        folder: the folder LAMMPS ran in; a temporary one lives as long as this object.
        log_file: what LAMMPS wrote to its screen; in `folder`, or in a temporary one where LAMMPS
            ran in the folder of its script.
        ranks: number of MPI ranks.
        wall: seconds from start to end of the worker, its start-up included.
        returncode: exit status of the worker; negative for a signal, None after a timeout.
        error: why the run failed, or None (only seen with `check=False`).
    """

    folder: Path
    ranks: int
    wall: float = 0.0
    returncode: int | None = 0
    error: LammpsError | None = None
    log_file: Path = Path(LOG_FILE)

    def text(self, name: str) -> str:
        """Return the text of the file `name` in the run's folder."""
        path = self.folder / name
        if not path.is_file():
            raise FileNotFoundError(f"the run wrote no file {name!r}{self._files()}")
        return path.read_text(errors="replace")

    @functools.cached_property
    def log(self) -> str:
        """What LAMMPS wrote to its screen, with the commands echoed."""
        path = self.folder / self.log_file
        return path.read_text(errors="replace") if path.exists() else ""

    @functools.cached_property
    def thermo(self) -> pandas.DataFrame:
        """All thermo output (styles `one` and `custom`); column "run" counts run commands."""
        return parse_thermo(self.log)

    @functools.cached_property
    def ledger(self) -> pandas.DataFrame:
        """What the thermo output has of a `compute granular/ledger`, by name, as "slip"."""
        from pysuite import outputs

        return outputs.ledger(self.log, self.thermo)

    def wall_vector(self, fix: str | None = None) -> pandas.DataFrame:
        """Return what the thermo output has of a `fix wall/granular/plus`, by name."""
        from pysuite import outputs

        return outputs.wall(self.log, self.thermo, fix)

    def local(self, name: str) -> pandas.DataFrame:
        """Return a dump of pairs (`dump local`) with its columns by name, as "friction".

        Where all grains are spheres without bonds, it has normals and forces too, as vectors.
        """
        from pysuite import outputs

        return outputs.local(self.log, self.dump(name), name)

    def broken_bonds(self, fix: str | None = None) -> pandas.DataFrame:
        """Return the table of broken bonds that a `fix granular/bond` with `events` has written."""
        from pysuite import outputs

        return outputs.broken_bonds(self.log, self.folder, fix)

    def fragments(self, grains: str, contacts: str, step: int | None = None) -> pandas.DataFrame:
        """Return the pieces that bonds hold together, the heaviest first: "grains" and "mass".

        Args:
            grains: dump custom with id and mass.
            contacts: dump local with patom1, patom2 and, of `compute pair/local`, bond.
            step: of the frame; None: the last of the grains.

        Raises:
            ValueError: one of the dumps has no frame of this step, or lacks a column.
        """
        from pysuite.contacts import fragments

        if step is None:
            step = int(self.dump(grains)["step"].max())
        for name in (grains, contacts):
            if all(step not in parse_steps(path.read_text()) for path in self._dumps(name)):
                raise ValueError(f"the dump {name!r} has no frame of step {step}")
        tables = (self.dump(grains), self.local(contacts))
        return fragments(*(table[table["step"] == step] for table in tables))

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per section (mean over ranks) of the last run command; "Loop" is their sum."""
        all_timings = self.all_timings
        if not all_timings:
            raise ValueError("the log has no timing breakdown: no run command was completed")
        return all_timings[-1]

    @functools.cached_property
    def all_timings(self) -> list[dict[str, float]]:
        """The timing breakdowns of all run commands."""
        return parse_timings(self.log)

    def dump(self, name: str) -> pandas.DataFrame:
        """Return a text dump (`dump custom`, `dump local`), or several where `name` has a "*".

        Columns are those of the file after "step"; rows are sorted by step, then by id where
        there is one. A last frame that was cut short by a crash is left out.
        """
        return parse_dump(*(path.read_text() for path in self._dumps(name)))

    def _dumps(self, name: str) -> list[Path]:
        paths = sorted(self.folder.glob(name))
        if not paths:
            raise FileNotFoundError(f"the run wrote no dump {name!r}{self._files()}")
        return paths

    def _files(self) -> str:
        names = sorted(path.name for path in self.folder.iterdir() if path.is_file())
        return f" in {self.folder}; there are: {', '.join(names)}"


def parse_thermo(log: str) -> pandas.DataFrame:
    """Return the thermo tables of a log.

    Other lines in between, as those of `fix print`, are left out: the first word of a row stands
    where that of the first row does, which follows the header.

    Raises:
        ValueError: `thermo_modify` gives the first column no width, and a `fix print` has lines
            with as many words.
    """
    import pandas

    tables = []
    columns: list[str] = []
    rows: list[list[float]] = []
    layout: _Layout | None = None
    printed = _Printed()
    lines = iter(log.splitlines())
    for line in lines:
        words = line.split()
        if line.startswith("Per MPI rank memory allocation"):
            columns, rows, layout = next(lines, "").split(), [], None
            tables.append((columns, rows))
        elif line.startswith("Loop time of"):
            columns = []
        elif not columns:
            printed.note(words)
        elif len(words) == len(columns):
            try:
                numbers = [float(word) for word in words]
            except ValueError:
                continue
            layout = layout or _Layout(columns[0], line)
            if layout.has(line):
                if rows and layout.is_ambiguous(line):
                    printed.check(len(words))
                rows.append(numbers)
    frames = []
    for index, (names, values) in enumerate(tables):
        frame = pandas.DataFrame(values, columns=names, dtype=float)
        if "Step" in frame:
            frame["Step"] = frame["Step"].astype("int64")
        frame.insert(0, "run", index)
        frames.append(frame)
    if not frames:
        return pandas.DataFrame({"run": pandas.Series(dtype="int64")})
    return pandas.concat(frames, ignore_index=True)


class _Printed:
    """The commands `fix print` of a log that are in force and write to the screen."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}  # of each fix: in a line

    def note(self, command: list[str]) -> None:
        if command[:1] == ["clear"]:
            self.words.clear()
        elif command[:1] == ["unfix"]:
            self.words.pop(" ".join(command[1:2]), None)
        elif command[:1] == ["fix"] and command[3:4] == ["print"]:
            text = re.search(r"([\"\'])(.*?)\1", " ".join(command))
            silent = "screen no" in " ".join(command[5:])
            # values of variables are put in later
            line = re.sub(r"\$(\(.*?\)|\{.*?\})", "0", text[2] if text else command[5])
            self.words[command[1]] = 0 if silent else len(line.split())

    def check(self, columns: int) -> None:
        """Raise ValueError where a fix may have printed a line with this number of words."""
        for fix, count in self.words.items():
            if count == columns:
                raise ValueError(
                    "rows of the thermo output, whose first column has no width, may be lines of"
                    f" fix {fix} print: give it `screen no`, or thermo_modify `format none`"
                )


class _Layout:
    """Where the first word of each row of a table stands, from its header and first row.

    LAMMPS writes integers to the right of their column and other numbers to the left, behind a
    blank or a sign. Words of a column without a width begin each line.
    """

    INTEGERS = ("Step", "Elapsed", "Elaplong", "Atoms")

    def __init__(self, column: str, first: str) -> None:
        self.start, self.end = _first_word(first)
        self.is_right = self.start > 1 or (column in self.INTEGERS and self.start > 0)
        self.has_blank = self.start == 1

    def has(self, line: str) -> bool:
        """Return whether a line may be a row."""
        start, end = _first_word(line)
        if self.is_right:
            return end == self.end or (start == 0 and end > self.end)
        if self.has_blank:
            return start + line.lstrip().startswith("-") == 1
        return start <= 1

    def is_ambiguous(self, line: str) -> bool:
        """Return whether a line that may be a row may be any other line as well."""
        return not self.is_right and not line.startswith(" ")


def _first_word(line: str) -> tuple[int, int]:
    start = len(line) - len(line.lstrip())
    return start, start + len(line.split(None, 1)[0])


def parse_steps(text: str) -> list[int]:
    """Return the steps of all frames of a text dump, those without a row too."""
    return [int(step) for step in re.findall(r"^ITEM: TIMESTEP\n *(\d+)", text, re.MULTILINE)]


class Frame(NamedTuple):
    """The head of a frame of a dump.

    Attributes:
        step: its number.
        time: in LAMMPS's units, with `dump_modify ... time yes`, else None.
        units: the unit style, with `dump_modify ... units yes`, else "".
        origin: corner of the box, (3,).
        edges: vectors of the box, one a row, (3, 3).
    """

    step: int
    time: float | None
    units: str
    origin: NDArray[numpy.float64]
    edges: NDArray[numpy.float64]


def parse_frames(text: str) -> list[Frame]:
    """Return the heads of all frames of a text dump; rows and columns are those of `parse_dump`."""
    import numpy

    style = re.search(r"^ITEM: UNITS\n *(\S+)", text, re.MULTILINE)
    units = style[1] if style else ""
    head = r"^(?:ITEM: TIME\n(.*)\n)?ITEM: TIMESTEP\n(.*)\nITEM: NUMBER OF .*\n.*\n"
    box = r"ITEM: BOX BOUNDS(.*)\n(.*\n.*\n.*)\n"
    frames = []
    for time, step, kind, bounds in re.findall(head + box, text, re.MULTILINE):
        lines = numpy.array([[float(word) for word in line.split()] for line in bounds.split("\n")])
        if "abc" in kind:  # general triclinic: vectors, then the origin
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


def parse_timings(log: str) -> list[dict[str, float]]:
    """Return one dict (section to seconds, mean over ranks) per "MPI task timing breakdown"."""
    breakdowns = []
    loop = float("nan")
    inside = False
    for line in log.splitlines():
        if line.startswith("Loop time of"):
            loop = float(line.split()[3])
        elif line.startswith("MPI task timing breakdown"):
            breakdowns.append({"Loop": loop})
            inside = True
        elif inside and not line.strip():
            inside = False
        elif inside and "|" in line and not line.startswith("Section"):
            section, _, mean, *_ = (part.strip() for part in line.split("|"))
            breakdowns[-1][section] = float(mean)
    return breakdowns


def parse_dump(*texts: str) -> pandas.DataFrame:
    """Return the frames of text dumps as one table; see `Run.dump`. Empty frames add no rows."""
    import numpy
    import pandas

    columns: list[str] | None = None
    steps, counts, body = [], [], []
    for text in texts:
        lines = text.splitlines()
        cursor, step, count, label = 0, 0, 0, ""
        while cursor < len(lines):
            line = lines[cursor]
            if line == "ITEM: TIMESTEP" and cursor + 1 < len(lines):
                step = int(lines[cursor + 1])
            elif line.startswith("ITEM: NUMBER OF ") and cursor + 1 < len(lines):
                count = int(lines[cursor + 1])
                label = line.removeprefix("ITEM: NUMBER OF ")
            elif label and line.startswith(f"ITEM: {label}"):
                names = line.removeprefix(f"ITEM: {label}").split()
                columns = columns or names
                if names != columns:
                    raise ValueError(f"the columns of the dump change: {columns}, then {names}")
                rows = lines[cursor + 1 : cursor + 1 + count]
                cut_short = cursor + count >= len(lines) - 1 and not text.endswith("\n")
                if len(rows) == count and not cut_short:
                    steps.append(step)
                    counts.append(count)
                    body.extend(rows)
                cursor += count
            cursor += 1
    if columns is None:
        raise ValueError("this is no text dump of style custom or local, or it has no frame")
    frame = pandas.DataFrame(_columns_of(body, columns), columns=columns)
    frame.insert(0, "step", numpy.repeat(numpy.asarray(steps, dtype="int64"), counts))
    order = ["step", "id"] if "id" in columns else ["step"]
    return frame.sort_values(order, kind="stable", ignore_index=True)


def _columns_of(rows: list[str], names: list[str]) -> dict[str, Any]:
    """Return arrays of the columns of a table: integers, floats to the last bit, or text."""
    import numpy

    if not rows:
        return {name: numpy.empty(0) for name in names}
    columns = {}
    try:
        cells = numpy.loadtxt(rows, ndmin=2, comments=None)
    except ValueError:  # a column of text, such as element
        cells = numpy.loadtxt(rows, ndmin=2, comments=None, dtype=str)
    for name, column, first in zip(names, cells.T, rows[0].split(), strict=True):
        with contextlib.suppress(ValueError):
            column = column.astype(float)
            if first.lstrip("-").isdigit() and (column == column.round()).all():
                column = column.astype("int64")
        columns[name] = column
    return columns
