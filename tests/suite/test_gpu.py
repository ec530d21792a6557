"""`pysuite doctor` reports on a GPU. In the tests, a small library replaces the GPU's driver."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pysuite import engine
from pysuite.lammps import gpu

DRIVER = """
#include <stddef.h>
#include <string.h>
int cuInit(unsigned flags) { return STATUS; }
int cuDriverGetVersion(int *version) { *version = 13020; return 0; }
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetName(char *name, int length, int device) { strcpy(name, "Abacus 9000"); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)60 << 30; return 0; }
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 5; return 0; }
"""

needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")


@pytest.fixture
def library(tmp_path):
    """Return a function that compiles a driver whose cuInit returns a given status."""

    def make(status: int) -> str:
        source, file = tmp_path / "driver.c", tmp_path / f"driver{status}.so"
        source.write_text(DRIVER)
        command = ["cc", "-shared", "-fPIC", f"-DSTATUS={status}", "-o", file, source]
        subprocess.run(list(map(str, command)), check=True)
        return str(file)

    return make


def test_a_machine_without_a_driver():
    assert gpu.description("libnothing.so") == "none: no NVIDIA driver (libnothing.so)"
    assert "gpu" in engine.environment()


@needs_compiler
def test_a_driver_without_a_gpu(library):
    assert gpu.description(library(100)).endswith("finds no GPU")


@needs_compiler
def test_a_gpu_and_its_compiler(library, monkeypatch):
    file = library(0)
    monkeypatch.setenv("GRANULAR_PLUS_NVRTC", file)
    assert gpu.description(file) == (
        "Abacus 9000, 60 GiB, about 7e+07 grains; driver for CUDA 13.2; NVRTC 13.5"
    )
    monkeypatch.setenv("GRANULAR_PLUS_NVRTC", "nothing.so")
    assert gpu.description(file).endswith("no NVRTC, which compiles kernels: pip install '.[gpu]'")


@needs_compiler
def test_an_older_compiler_is_found(library, monkeypatch):
    monkeypatch.delenv("GRANULAR_PLUS_NVRTC", raising=False)
    file = library(0)
    monkeypatch.setattr(gpu, "COMPILERS", ("nothing.so", file))
    assert gpu.description(file).endswith("NVRTC 13.5")
    monkeypatch.setattr(gpu, "COMPILERS", ("nothing.so",))
    assert "no NVRTC" in gpu.description(file)
