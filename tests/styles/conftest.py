"""A packing from which tests start, and functions that compare trajectories."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pytest

from pysuite import engine
from pysuite.validation.setups import packings

# The data file does not store the history of contacts, so springs start unloaded.
PACKING = packings.settling(
    7,
    layers=15,
    top=17.0,
    style="granular",
    model="hooke 2e4 20 damping mass_velocity tangential linear_history 1e4 1 0.3",
    steps=12_000,
)

# tests append pair_style and pair_coeff
SETUP = """
units lj
atom_style sphere
atom_modify map array sort 60 0
boundary p p f
newton ${newton}
comm_modify vel yes
read_data ${packing}
group bottom id <= 35
neighbor 0.15 bin
neigh_modify every 20 delay 0 check no
"""

# With this setup, the neighbour list is built only once. A new list may reverse a pair. Then the
# history of rolling and twisting in pair granular would get the wrong sign, because these models do
# not override transfer_history_factor.
ONE_LIST = (
    SETUP.replace("sort 60 0", "sort 0 0")
    .replace("neighbor 0.15", "neighbor 0.3")
    .replace("every 20", "every 1000")
)

MOVE = """
fix move all nve/sphere
fix weight all gravity 1 vector 0 0 -1
fix floor bottom freeze
timestep 1e-4
thermo 1000
"""

# Tests append these commands to MOVE to start without spin and history. If grains spin, new
# contacts that twist too fast slip at setup in pair granular, but not in granular/plus.
BEGIN = """
set group all omega 0 0 0
timestep 1e-12
run 1
timestep 1e-4
"""


def difference(one: pandas.DataFrame, other: pandas.DataFrame) -> dict[str, float]:
    """Return the largest difference of each vector quantity, divided by the RMS value."""
    found = packings.differences(one, other)
    assert np.isfinite(list(found.values())).all(), found
    return found


class Packing:
    def __init__(self, folder: Path):
        engine.run(PACKING, folder=folder)
        self.path = folder / "packing.data"

    def variables(self, newton: str = "on") -> dict[str, str]:
        return {"newton": newton, "packing": str(self.path)}

    def run(self, script: str, *, newton: str = "on", **options: object) -> engine.Run:
        used = {k: v for k, v in self.variables(newton).items() if f"${{{k}}}" in script}
        return engine.run(script, variables=used, **options)

    def end(self, pair: str, *, steps: int = 200, move: str = MOVE, **options: object):
        script = f"{SETUP}{pair}\n{move}\nrun {steps}\n{packings.write('end')}"
        return self.run(script, **options).dump("end")


@pytest.fixture(scope="session")
def packing(tmp_path_factory: pytest.TempPathFactory) -> Packing:
    return Packing(tmp_path_factory.mktemp("packing"))


@pytest.fixture(scope="session")
def tools():
    class Tools:
        setup = SETUP
        one_list = ONE_LIST
        move = MOVE
        begin = BEGIN
        dump_command = staticmethod(packings.write)
        difference = staticmethod(difference)

    return Tools


@pytest.fixture(scope="session")
def lmp() -> str:
    path = os.pathsep.join([os.environ.get("PATH", ""), str(Path(sys.executable).parent)])
    found = shutil.which("lmp", path=path)
    assert found is not None, f"no lmp in {path}"
    return found


@pytest.fixture
def lammps_error(tmp_path: Path) -> Callable[[str], str]:
    def run(script: str, **options: object) -> str:
        result = engine.run(script, folder=tmp_path, check=False, timeout=60, **options)
        assert result.error is not None, "LAMMPS accepted the input"
        assert result.returncode == engine.ERROR_EXIT, f"no LAMMPS error: {result.error}"
        return result.error.message

    return run
