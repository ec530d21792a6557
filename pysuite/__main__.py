"""Entry point of `python -m pysuite`."""

import sys


def main() -> int:
    """Run the command line; name a missing Python package."""
    try:
        from pysuite import commands

        return commands.main()
    except ModuleNotFoundError as error:
        package = str(error.name).split(".")[0]
        if package == "pysuite":
            raise
        print(
            f"pysuite: the Python package {package} is missing: install it with"
            f" `{sys.executable} -m pip install granular-plus`",
            file=sys.stderr,
        )
        return 2


if __name__ == "__main__":
    sys.exit(main())
