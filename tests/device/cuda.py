"""What the checks on a device use of NVIDIA's compiler at run time (NVRTC) and of its driver."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cuda.bindings import driver, nvrtc

from tests.device.assembler import Kernel, kernels_of

SOURCES = Path(__file__).parents[2]
# Unmarked functions count as functions of the device; a sum of a product keeps its two roundings.
OPTIONS = (
    "--std=c++17",
    "--device-as-default-execution-space",
    "--fmad=false",
    "--ptxas-options=-v",
    "-DGRANULAR_PLUS_CLONE=device",
    "-DGRANULAR_PLUS_LANES=1",
    f"-I{SOURCES / 'tests' / 'device'}",
    f"-I{SOURCES / 'lammps_plugins'}",
    f"-I{SOURCES / 'lammps_plugins' / 'core'}",
)
STANDARD = (f"-I{SOURCES / 'lammps_plugins' / 'device' / 'standard'}",)


class Program(NamedTuple):
    """A program compiled for one kind of card."""

    code: bytes  # of that card (cubin)
    names: tuple[str, ...]  # of its kernels, as the code has them
    seconds: float
    kernels: tuple[Kernel, ...]


def must(result: tuple[Any, ...]) -> Any:
    """Return what a call returns besides its status; raises RuntimeError if it failed."""
    status, *values = result
    if status:
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return values[0] if len(values) == 1 else tuple(values)


def text_of(size: Any, read: Any, program: Any) -> bytes:
    text = b" " * must(size(program))
    must(read(program, text))
    return text


def compile_program(
    source: str, kernels: Sequence[str], arch: str, options: Sequence[str] = STANDARD
) -> Program:
    """Compile CUDA source for cards of this architecture, for example `sm_90`.

    Kernels are named as in C++, with the arguments of their templates. Raises RuntimeError with
    what the compiler says where the source is in error.
    """
    program = must(nvrtc.nvrtcCreateProgram(source.encode(), b"source.cu", 0, [], []))
    for kernel in kernels:
        must(nvrtc.nvrtcAddNameExpression(program, kernel.encode()))
    arguments = [text.encode() for text in (*OPTIONS, *options, f"--gpu-architecture={arch}")]
    began = time.perf_counter()
    (status,) = nvrtc.nvrtcCompileProgram(program, len(arguments), arguments)
    seconds = time.perf_counter() - began
    log = text_of(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode()
    if status:
        raise RuntimeError(log)
    code = text_of(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program)
    names = tuple(
        must(nvrtc.nvrtcGetLoweredName(program, kernel.encode())).decode() for kernel in kernels
    )
    must(nvrtc.nvrtcDestroyProgram(program))
    taken = kernels_of(log)
    return Program(code, names, seconds, tuple(taken[name] for name in names))


class Device:
    """The first card, and arrays and programs on it."""

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
        """Copy an array to the card; returns where it lies."""
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
        """Return the kernels of a program, in the order in which they were asked for."""
        module = must(driver.cuModuleLoadData(program.code))
        return [must(driver.cuModuleGetFunction(module, name.encode())) for name in program.names]

    def launch(self, kernel: Any, threads: int, *arguments: Any, block: int = 128) -> float:
        """Run a kernel in so many threads; returns seconds. Arguments are values of ctypes."""
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
