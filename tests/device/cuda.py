"""Access to NVIDIA's driver for checks on a device."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from cuda.bindings import driver

from tests.device.nvrtc import Program


def must(result: tuple[Any, ...]) -> Any:
    """Return the outputs of a driver call without its status. Raises RuntimeError on failure."""
    status, *values = result
    if status:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return values[0] if len(values) == 1 else tuple(values)


class Device:
    def __init__(self) -> None:
        must(driver.cuInit(0))
        device = must(driver.cuDeviceGet(0))
        must(driver.cuCtxSetCurrent(must(driver.cuDevicePrimaryCtxRetain(device))))
        attribute = driver.CUdevice_attribute
        major, minor = (
            must(driver.cuDeviceGetAttribute(kind, device))
            for kind in (
                attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            )
        )
        self.arch = f"sm_{major}{minor}"
        self.name = must(driver.cuDeviceGetName(100, device)).split(b"\0")[0].decode()

    def array(self, values: np.ndarray) -> int:
        """Copy an array to the GPU; return its address there."""
        where = must(driver.cuMemAlloc(values.nbytes))
        self.write(int(where), values)
        return int(where)

    def write(self, where: int, values: np.ndarray) -> None:
        values = np.ascontiguousarray(values)
        must(driver.cuMemcpyHtoD(where, values.ctypes.data, values.nbytes))

    def read(self, where: int, like: np.ndarray) -> np.ndarray:
        values = np.empty_like(like)
        must(driver.cuMemcpyDtoH(values.ctypes.data, where, values.nbytes))
        return values

    def free(self, *arrays: int) -> None:
        for where in arrays:
            must(driver.cuMemFree(where))

    def load(self, program: Program) -> list[Any]:
        module = must(driver.cuModuleLoadData(program.code))
        return [must(driver.cuModuleGetFunction(module, name.encode())) for name in program.names]

    def launch(self, kernel: Any, threads: int, *arguments: Any, block: int = 128) -> float:
        """Run a kernel with ctypes arguments in `threads` threads; return the time in seconds."""
        addresses = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        begin, end = (must(driver.cuEventCreate(0)) for _ in range(2))
        must(driver.cuEventRecord(begin, 0))
        blocks = (threads + block - 1) // block
        must(
            driver.cuLaunchKernel(
                kernel, blocks, 1, 1, block, 1, 1, 0, 0, ctypes.addressof(addresses), 0
            )
        )
        must(driver.cuEventRecord(end, 0))
        must(driver.cuEventSynchronize(end))
        milliseconds = must(driver.cuEventElapsedTime(begin, end))
        for event in (begin, end):
            must(driver.cuEventDestroy(event))
        return 1e-3 * milliseconds
