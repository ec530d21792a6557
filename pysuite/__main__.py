"""`python -m pysuite` is the same as the command `pysuite`."""

import sys

from pysuite.cli import main

if __name__ == "__main__":
    sys.exit(main())
