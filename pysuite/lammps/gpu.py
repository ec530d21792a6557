"""The NVIDIA GPU that `run_style verlet/plus/gpu` would use."""

from __future__ import annotations

import ctypes
import os
from typing import NamedTuple

DRIVER = "libcuda.so.1"
COMPILERS = ("libnvrtc.so.13", "libnvrtc.so.12")
BYTES_OF_GRAIN = 950  # upper estimate for six contacts per grain with Mindlin and csds, no ledger


class Found(NamedTuple):
    """Description of the first GPU ("" if there is none), and obstacle to its use ("" if none)."""

    device: str
    obstacle: str


def description(driver: str = DRIVER) -> str:
    """Describe the first GPU, its capacity in grains, and the compiler; never raises."""
    device, obstacle = look(driver)
    if not device:
        return f"none: {obstacle}"
    return f"{device}; {obstacle or _compiler()}"


def look(driver: str = DRIVER) -> Found:
    """Look for a GPU, its driver and the compiler; never raises."""
    try:
        cuda = ctypes.CDLL(driver)
    except OSError:
        return Found("", f"no NVIDIA driver ({driver})")
    number, device = ctypes.c_int(), ctypes.c_int()
    name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    statuses = [
        cuda.cuInit(0),
        cuda.cuDriverGetVersion(ctypes.byref(number)),
        cuda.cuDeviceGet(ctypes.byref(device), 0),
        cuda.cuDeviceGetName(name, len(name), device),
        cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), device),
    ]
    if any(statuses):
        return Found("", f"the driver ({driver}) finds no GPU")
    version = f"{number.value // 1000}.{number.value % 1000 // 10}"
    grains = memory.value / BYTES_OF_GRAIN
    named = (
        f"{name.value.decode()}, {memory.value / 2**30:.0f} GiB, about {grains:.1g} grains; "
        f"driver for CUDA {version}"
    )
    lacking = "no NVRTC, which compiles kernels: pip install '.[gpu]'"
    return Found(named, "" if _compiler() else lacking)


def _compiler() -> str:
    given = os.environ.get("GRANULAR_PLUS_NVRTC", "")
    for file in [given] if given else COMPILERS:
        try:
            nvrtc = ctypes.CDLL(file)
        except OSError:
            continue
        major, minor = ctypes.c_int(), ctypes.c_int()
        nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return f"NVRTC {major.value}.{minor.value}"
    return ""
