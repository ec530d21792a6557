"""The NVIDIA GPU that `run_style verlet/plus/gpu` would take, and what it still needs."""

from __future__ import annotations

import ctypes
import os

DRIVER = "libcuda.so.1"
BYTES_OF_GRAIN = 950  # at most, if each touches six others; csds, Mindlin, no ledger


def description(driver: str = DRIVER) -> str:
    """Return name and memory of the first card, what fits, and the compiler; never raises.

    Args:
        driver: file of NVIDIA's driver library.
    """
    try:
        cuda = ctypes.CDLL(driver)
    except OSError:
        return f"none: no NVIDIA driver ({driver})"
    number, card = ctypes.c_int(), ctypes.c_int()
    name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    statuses = [
        cuda.cuInit(0),
        cuda.cuDriverGetVersion(ctypes.byref(number)),
        cuda.cuDeviceGet(ctypes.byref(card), 0),
        cuda.cuDeviceGetName(name, len(name), card),
        cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), card),
    ]
    if any(statuses):
        return f"none: the driver ({driver}) finds no card"
    version = f"{number.value // 1000}.{number.value % 1000 // 10}"
    grains = memory.value / BYTES_OF_GRAIN
    return (
        f"{name.value.decode()}, {memory.value / 2**30:.0f} GiB, about {grains:.1g} grains; "
        f"driver for CUDA {version}; {_compiler()}"
    )


def _compiler() -> str:
    file = os.environ.get("GRANULAR_PLUS_NVRTC", "")
    try:
        nvrtc = ctypes.CDLL(file or "libnvrtc.so.13")
    except OSError:
        return "no NVRTC, which compiles kernels: pip install '.[gpu]'"
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"NVRTC {major.value}.{minor.value}"
