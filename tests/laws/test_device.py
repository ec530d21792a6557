"""Laws and stages compiled for a GPU do what the clones do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


# what both link into one library: all laws and stages, and the types that they share
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
    """Beside each other in one library, as `make device` links them. GCC compares all types."""
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
    """Build the library of `make device`: a few minutes of a compiler."""
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


@pytest.mark.slow  # half a minute of a compiler
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
    """With the few headers of lammps_plugins/device/standard, for an old card and a new one."""
    pytest.importorskip("cuda.bindings", reason="make device-run-time installs it")
    output = output_of("tests.device.at_run_time", "sm_80", "sm_100")
    assert output.count(" kernels, compiled one by one") == 2
