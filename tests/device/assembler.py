"""Read the reports of NVIDIA's assembler about kernels."""

from __future__ import annotations

import re
from typing import NamedTuple


class Kernel(NamedTuple):
    registers: int
    stack: int  # bytes


def kernels_of(report: str) -> dict[str, Kernel]:
    """Read the report of `ptxas -v`; return the kernels, with their mangled names as keys."""
    kernels = {}
    for block in report.split("Compiling entry function '")[1:]:
        used, stack = re.search(r"Used (\d+)", block), re.search(r"(\d+) bytes stack", block)
        assert used, block
        assert stack, block
        kernels[block.split("'", 1)[0]] = Kernel(int(used[1]), int(stack[1]))
    return kernels
