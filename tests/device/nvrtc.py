"""NVIDIA's run-time compiler NVRTC, with the options of `device/kernel_compiler.cpp`."""

from __future__ import annotations

import ctypes
import functools
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import granular_plus

from tests.device.assembler import Kernel, kernels_of

SOURCES = Path(__file__).parents[2]
# Functions without __host__ or __device__ are device functions. FMA is off, as in the clones.
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
    f"-I{SOURCES / 'lammps_plugins' / 'device' / 'standard'}",
)


class Program(NamedTuple):
    code: bytes  # compiled code (cubin)
    names: tuple[str, ...]  # names of the kernels in the compiled code
    seconds: float  # CPU time of the compilation, in seconds
    kernels: tuple[Kernel, ...]


def library() -> str:
    """Return GRANULAR_PLUS_NVRTC or, if it is not set, the NVRTC installed by pip.

    Raises FileNotFoundError if no NVRTC is found.
    """
    granular_plus.plugin_folder()  # find the library installed by pip
    if "GRANULAR_PLUS_NVRTC" not in os.environ:
        raise FileNotFoundError("no NVRTC: install it with pip install '.[gpu]'")
    return os.environ["GRANULAR_PLUS_NVRTC"]


@functools.cache
def load(file: str) -> ctypes.CDLL:
    """Load the library. Raises OSError if the library cannot be loaded."""
    nvrtc = ctypes.CDLL(file)
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    return nvrtc


def version(file: str) -> str:
    major, minor = ctypes.c_int(), ctypes.c_int()
    load(file).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def compile_program(source: str, kernels: Sequence[str], architecture: str) -> Program:
    """Compile CUDA source for GPUs of this architecture, for example `sm_90`.

    Kernels are named as in C++, with the arguments of their templates. Raises RuntimeError with the
    compiler's message if the source has an error.
    """
    nvrtc, program = load(library()), ctypes.c_void_p()

    def call(name: str, *arguments: object) -> int:
        return getattr(nvrtc, name)(*arguments)

    def must(name: str, *arguments: object) -> None:
        if status := call(name, *arguments):
            raise RuntimeError(f"{name}: {nvrtc.nvrtcGetErrorString(status).decode()}")

    def read(kind: str) -> bytes:
        size = ctypes.c_size_t()
        must(f"nvrtcGet{kind}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        must(f"nvrtcGet{kind}", program, text)
        return text.raw

    def name_in_code(kernel: str) -> str:
        name = ctypes.c_char_p()
        must("nvrtcGetLoweredName", program, kernel.encode(), ctypes.byref(name))
        assert name.value is not None
        return name.value.decode()

    text = (source.encode(), b"source.cu", 0, None, None)
    must("nvrtcCreateProgram", ctypes.byref(program), *text)
    try:
        for kernel in kernels:
            must("nvrtcAddNameExpression", program, kernel.encode())
        options = [text.encode() for text in (*OPTIONS, f"--gpu-architecture={architecture}")]
        array = (ctypes.c_char_p * len(options))(*options)
        began = time.process_time()
        status = call("nvrtcCompileProgram", program, len(options), array)
        seconds = time.process_time() - began
        log = read("ProgramLog").decode().rstrip("\0")
        if status:
            raise RuntimeError(log)
        names = tuple(map(name_in_code, kernels))
        taken = kernels_of(log)
        return Program(read("CUBIN"), names, seconds, tuple(taken[name] for name in names))
    finally:
        call("nvrtcDestroyProgram", ctypes.byref(program))
