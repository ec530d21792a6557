"""Laws and stages compiled for a GPU give the same results as the clones."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.device import engine_kernels, nvrtc

ROOT = Path(__file__).parents[2]


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


UNIT = """
{includes}
#include "device/compiled.h"
namespace granular_plus {{
void on_{unit}(Batch &b, const ModelConstants &model, Contacts &, Compiled &)
{{
  end_of_step(b, model);
}}
}}
"""
DEVICE = ["-DGRANULAR_PLUS_LANES=1", "-DGRANULAR_PLUS_CLONE=device"]


def test_each_name_stands_for_one_type_in_code_for_processor_and_device(gcc, tmp_path):
    sources = ROOT / "lammps_plugins" / "core"
    laws = sorted(path.relative_to(sources) for path in (sources / "laws").rglob("*.h"))
    includes = "\n".join(f'#include "{path}"' for path in laws)
    objects = []
    for unit, options in (("processor", []), ("device", DEVICE)):
        text, compiled = tmp_path / f"{unit}.cpp", tmp_path / f"{unit}.o"
        text.write_text(UNIT.format(includes=includes, unit=unit))
        settings = [
            "-std=c++17",
            "-flto",
            "-fPIC",
            "-fopenmp-simd",
            *(f"-I{folder}" for folder in (ROOT / "lammps_plugins", sources, ROOT / "tests")),
            *options,
        ]
        subprocess.run([gcc, *settings, "-c", text, "-o", compiled], check=True)
        objects.append(compiled)
    link = [gcc, "-shared", "-flto", "-Werror=odr", *objects, "-o", tmp_path / "both.so"]
    linked = subprocess.run(link, capture_output=True, text=True, check=False)
    assert linked.returncode == 0, linked.stderr


@pytest.fixture(scope="module")
def lanes() -> None:
    compiler = make("build/device/venv/installed")
    if compiler.returncode:
        pytest.skip(f"nvcc cannot be installed: {compiler.stderr.strip().splitlines()[-1]}")
    built = make("build/device/liblanes.so")
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]


def output_of(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", module, *arguments]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-4000:]
    return finished.stdout


@pytest.mark.slow  # compiling takes half a minute
def test_lanes_compiled_for_the_host_agree_with_the_clones(gcc):
    built = make("build/device/libhost.so", f"CXX={gcc}")
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    assert "; 0 differ from the clones" in output_of("tests.device", "host")


@pytest.mark.long
@pytest.mark.usefixtures("lanes")
def test_lanes_compiled_for_a_device_agree_with_the_clones():
    assert "; 0 differ from the clones" in output_of("tests.device")


@pytest.mark.long
@pytest.mark.usefixtures("lanes")
def test_laws_compile_at_run_time():
    """The two architectures are those of an old and of a new GPU."""
    pytest.importorskip("cuda.bindings", reason="make device-run-time installs it")
    output = output_of("tests.device.at_run_time", "sm_80", "sm_100")
    assert output.count(" kernels, compiled one by one") == 2


# ------------------------------------------------------------------------------------- the engine


# bytes of stack that kernels may use for arrays with indices known only at run time
LARGEST_STACK = 144  # for the complete law of Mindlin and Deresiewicz with a ledger at a wall
STACK_AT_A_MESH = 208
STACK_OF_BOTH = 312  # for the complete law at a mesh


def test_each_kernel_of_a_step_is_compiled():
    """A struct in these headers that has a call operator is a kernel."""
    headers = (ROOT / "lammps_plugins" / "device").glob("*kernels*.h")
    text = "".join(path.read_text() for path in headers)
    beginning = re.compile(r"^(?=(?:template <.*> )?struct (\w+) {)", re.MULTILINE)
    _, *structs = beginning.split(text)
    bodies = dict(zip(structs[::2], structs[1::2], strict=True))
    written = {name for name in bodies if "\n  STAGE void operator()(int" in bodies[name]}
    assert {"FirstHalfStep", "EvaluatePairs", "EvaluateWallContacts"} < written
    compiled = {word for _, kernel in engine_kernels.kernels() for word in kernel.split("::")}
    assert written <= {re.split("[<>]", word)[0] for word in compiled}


def test_a_run_includes_the_headers_of_these_kernels():
    includes = re.findall(r'#include "(.*)"', engine_kernels.SOURCE)
    text = (ROOT / "lammps_plugins" / "offload" / "make_engine.cpp").read_text()
    missing = [name for name in includes if f'"{name}"' not in text]
    assert missing == ["device/run_kernel.h"]  # the kernel compiler adds this header


@pytest.mark.slow
@pytest.mark.parametrize("architecture", engine_kernels.ARCHITECTURES)
def test_the_kernels_of_a_step_compile_at_run_time(architecture, record_property):
    """Only kernels of meshes and of the complete law of Mindlin and Deresiewicz may use a stack.

    Times, sizes and stacks are stated in docs/explanation/gpu.md.
    """
    try:
        file = nvrtc.library()
    except FileNotFoundError as error:
        if sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"):
            raise  # the extra `test` installs NVRTC
        pytest.skip(str(error))
    table = pd.DataFrame(engine_kernels.measure(architecture))
    record_property("NVRTC", nvrtc.version(file))
    record_property("seconds", float(table["seconds"].sum()))
    record_property("kB", float(table["kB"].sum()))
    print(table.to_string())
    complete = table["kernel"].str.contains("mindlin_deresiewicz")
    at_mesh = table["kernel"].str.contains("at a mesh|Patches|FromMesh")
    stacks = [STACK_OF_BOTH, STACK_AT_A_MESH, LARGEST_STACK]
    bound = np.select([at_mesh & complete, at_mesh, complete], stacks, 0)
    assert (table["stack"] <= bound).all(), table[table["stack"] > bound].to_string()
