"""Print the path of a file of an installed wheel, or the wheel's version, for CMake.

`find_wheel.py WHEEL SUFFIX [FOLDER]` or `find_wheel.py WHEEL --version`

With FOLDER, the file is copied there, together with all files of the wheel that compilers read, and
the path of the copy is printed. For each build, pip installs the required wheels in a new folder.
The copies keep their paths and time stamps, so files compiled with them need no recompilation.
"""

import filecmp
import shutil
import sys
from importlib.metadata import PackagePath, files, version
from pathlib import Path

READ_BY_COMPILERS = {".h", ".hpp", ".cpp", ".cmake"}


def place_in(folder: Path, path: PackagePath) -> Path:
    """Return the path of the copy of a file of a wheel."""
    return folder.joinpath(*(part for part in path.parts if part != ".."))


def copy(source: Path, target: Path) -> None:
    """Copy a file. An identical copy that already exists keeps its time stamp."""
    if target.is_file() and filecmp.cmp(source, target, shallow=False):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


wheel, wanted, *folders = sys.argv[1:]
if wanted == "--version":
    print(version(wheel))
else:
    paths = files(wheel) or []
    matches = [path for path in paths if str(path).endswith(wanted)]
    if not matches:
        sys.exit(f"the {wheel} wheel has no file {wanted}")
    if folders:
        folder = Path(folders[0]) / f"{wheel}-{version(wheel)}"
        for path in paths:
            if path == matches[0] or path.suffix in READ_BY_COMPILERS:
                copy(path.locate(), place_in(folder, path))
        print(place_in(folder, matches[0]).as_posix())
    else:
        print(matches[0].locate().resolve().as_posix())
