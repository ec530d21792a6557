"""Write files completely or not at all, and prepare folders."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pysuite.errors import UsageError


@contextlib.contextmanager
def whole(path: Path | str) -> Iterator[Path]:
    """Yield the name of a temporary file that replaces `path` when the context is left.

    After an error in the context, an existing file is unchanged. If `path` is a device or a pipe,
    `path` itself is yielded.
    """
    path = Path(path)
    try:
        with _whole(path) as temporary:
            yield temporary
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[Path]:
    if path.exists() and not path.is_file():
        yield path
        return
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:  # name `path`, not the temporary file, which the user does not know
        raise OSError(error.errno, error.strerror, str(path)) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
        temporary.chmod(mode & 0o777)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write(path: Path | str, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8 with unchanged line endings."""
    with whole(path) as temporary:
        temporary.write_bytes(content if isinstance(content, bytes) else content.encode())


def replace_section(document: Path, section: str, section_begin: str, section_end: str) -> str:
    """Return the text of a document in which the section between two marks is replaced.

    Raises UsageError if the document does not contain these marks.
    """
    text = document.read_text(encoding="utf-8") if document.is_file() else ""
    head, begin, rest = text.partition(section_begin)
    _, end, tail = rest.partition(section_end)
    if not begin or not end:
        raise UsageError(f"{document} has no section between {section_begin} and {section_end}")
    return f"{head}{begin}\n\n{section}\n\n{end}{tail}"


def check_readable(path: Path | str) -> None:
    """Raise OSError if a file cannot be opened."""
    with Path(path).open("rb"):
        pass


def check_picture(path: Path | str) -> None:
    """Raise ValueError if matplotlib cannot write this picture format."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    known = FigureCanvasAgg.get_supported_filetypes()
    suffix = Path(path).suffix
    if suffix.lower().removeprefix(".") not in known:
        raise ValueError(
            f"picture {path}: suffix {suffix or '(none)'} must be one of {', '.join(known)}"
        )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def prepare_folder(folder: Path) -> Path:
    """Create and return a writable folder. Raises UsageError if it cannot be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".writable-{os.getpid()}"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise UsageError(
            f"cannot write to the report folder {folder}: {error.strerror}; "
            "choose another folder with --report DIR"
        ) from error
    return folder.resolve()
