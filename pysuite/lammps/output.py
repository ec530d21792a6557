"""Output of a run: log, thermo tables and timings; for dumps see `dumps.py`."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pysuite.lammps import dumps
from pysuite.lammps.errors import LammpsError

if TYPE_CHECKING:
    import pandas

LOG_FILE = "log.lammps"


@dataclass
class Run:
    """Output of a run of a script.

    Attributes:
        folder: folder in which LAMMPS ran; a temporary folder is deleted with this object.
        log_file: file with the screen output of LAMMPS. The file is in `folder`, or in a temporary
            folder if LAMMPS ran in the folder of the script.
        ranks: number of MPI ranks.
        wall: seconds from start to end of the worker, including the start-up.
        returncode: exit status of the worker; negative for a signal, None after a timeout.
        error: error of a failed run (only with `check=False`), or None.
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
        """Screen output of LAMMPS, with echoed commands."""
        path = self.folder / self.log_file
        return path.read_text(errors="replace") if path.exists() else ""

    @functools.cached_property
    def thermo(self) -> pandas.DataFrame:
        """All thermo output (styles `one` and `custom`).

        Column "run" contains the number of the run command, counted from 0.
        """
        return parse_thermo(self.log)

    @functools.cached_property
    def ledger(self) -> pandas.DataFrame:
        """Thermo output of a `compute granular/ledger`, with column names such as "slip".

        Rows are those of `thermo`, which contains "Step" and "Time" if the script prints them. Only
        entries that are thermo columns themselves are included, not variables computed from them.
        """
        from pysuite import outputs

        return outputs.ledger(self.log, self.thermo)

    def wall_vector(self, fix: str | None = None) -> pandas.DataFrame:
        """Return the thermo output of a `fix wall/granular/plus`, with columns such as "force_z".

        `fix` is the ID of the fix. With None, the last wall with entries in the output is used.
        Rows are those of `thermo`, which contains "Step" and "Time" if the script prints them. Only
        entries that are thermo columns themselves are included, not variables computed from them.
        """
        from pysuite import outputs

        return outputs.wall(self.log, self.thermo, fix)

    def local(self, name: str) -> pandas.DataFrame:
        """Return a dump of pairs (`dump local`) with column names such as "friction".

        If all grains are spheres without bonds, missing vectors of normals and forces are computed
        from the other columns and added.
        """
        from pysuite import outputs

        return outputs.local(self.log, self.dump(name), name)

    def broken_bonds(self, fix: str | None = None) -> pandas.DataFrame:
        """Return the table of broken bonds that `fix granular/bond` writes with `events`."""
        from pysuite import outputs

        return outputs.broken_bonds(self.log, self.folder, fix)

    def fragments(self, grains: str, contacts: str, step: int | None = None) -> pandas.DataFrame:
        """Return one row per fragment held together by bonds, the heaviest fragment first.

        The columns are "grains" (number of grains) and "mass".

        Args:
            grains: name of a dump custom with id and mass.
            contacts: name of a dump local with patom1, patom2 and the value bond of `compute
                pair/local`.
            step: step of the frame. None selects the last frame of the grains.

        Raises:
            ValueError: one of the dumps has no complete frame of this step, or lacks a column.
        """
        from pysuite import outputs
        from pysuite.contacts import fragments

        texts = {grains: dumps.read_dump(*self._dumps(grains), step=step)}
        if step is None:
            step = int(dumps.parse_dump(texts[grains])["step"].max())
        texts[contacts] = dumps.read_dump(*self._dumps(contacts), step=step)
        for name, text in texts.items():
            if step not in dumps.parse_steps(text):
                raise ValueError(f"the dump {name!r} has no frame of step {step}")
        tables = [dumps.parse_dump(text) for text in texts.values()]
        tables[1] = outputs.local(self.log, tables[1], contacts)
        return fragments(*(table[table["step"] == step] for table in tables))

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per section (mean over ranks) of the last run command; "Loop" is the total."""
        all_timings = self.all_timings
        if not all_timings:
            raise ValueError("the log has no timing breakdown: no run command was completed")
        return all_timings[-1]

    @functools.cached_property
    def all_timings(self) -> list[dict[str, float]]:
        """The timing breakdowns of all run commands."""
        return parse_timings(self.log)

    def dump(self, name: str) -> pandas.DataFrame:
        """Return a text dump (`dump custom`, `dump local`), or several if `name` contains "*".

        The columns are "step" and the columns of the file. Rows are sorted by step and, if there is
        a column id, by id. If a crash has truncated the last frame, this frame is skipped with a
        warning.

        Raises:
            ValueError: the file is not a text dump, or none of its frames is complete.
        """
        return dumps.parse_dump(dumps.read_dump(*self._dumps(name)))

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

    A line is a row if its first word is at the same position as the first word of the first row.
    Raises ValueError if `thermo_modify` gives the first column no width and a `fix print` writes
    lines with as many words as a row.
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
    """The `fix print` commands of a log that write to the screen."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}  # number of words per line, by the fix's ID

    def note(self, command: list[str]) -> None:
        if command[:1] == ["clear"]:
            self.words.clear()
        elif command[:1] == ["unfix"]:
            self.words.pop(" ".join(command[1:2]), None)
        elif command[:1] == ["fix"] and command[3:4] == ["print"]:
            text = re.search(r"([\"\'])(.*?)\1", " ".join(command))
            silent = "screen no" in " ".join(command[5:])
            # "0" stands for each variable
            line = re.sub(r"\$(\(.*?\)|\{.*?\})", "0", text[2] if text else command[5])
            self.words[command[1]] = 0 if silent else len(line.split())

    def check(self, columns: int) -> None:
        for fix, count in self.words.items():
            if count == columns:
                raise ValueError(
                    f"lines of fix {fix} cannot be distinguished from rows of the thermo output,"
                    f" whose first column has no width: add `screen no` to fix {fix}, or use"
                    " `thermo_modify format none`"
                )


class _Layout:
    """Position of the first word of each row of a table.

    LAMMPS aligns integers at the right of their column and other numbers at the left, after a blank
    or a sign. A first column without width begins at the start of the line.
    """

    INTEGERS = ("Step", "Elapsed", "Elaplong", "Atoms")

    def __init__(self, column: str, first: str) -> None:
        self.start, self.end = _first_word(first)
        self.is_right = self.start > 1 or (column in self.INTEGERS and self.start > 0)
        self.has_blank = self.start == 1

    def has(self, line: str) -> bool:
        start, end = _first_word(line)
        if self.is_right:
            return end == self.end or (start == 0 and end > self.end)
        if self.has_blank:
            return start + line.lstrip().startswith("-") == 1
        return start <= 1

    def is_ambiguous(self, line: str) -> bool:
        return not self.is_right and not line.startswith(" ")


def _first_word(line: str) -> tuple[int, int]:
    start = len(line) - len(line.lstrip())
    return start, start + len(line.split(None, 1)[0])


def parse_timings(log: str) -> list[dict[str, float]]:
    """Return seconds per section (mean over ranks) for each "MPI task timing breakdown"."""
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
