"""Print the path of a file of an installed wheel, or the wheel's version, for CMake.

`find_wheel.py WHEEL SUFFIX` or `find_wheel.py WHEEL --version`
"""

import sys
from importlib.metadata import files, version

wheel, wanted = sys.argv[1:]
if wanted == "--version":
    print(version(wheel))
else:
    matches = [path.locate() for path in files(wheel) or [] if str(path).endswith(wanted)]
    if not matches:
        sys.exit(f"the {wheel} wheel has no file {wanted}")
    print(matches[0].resolve().as_posix())
