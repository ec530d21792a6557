"""The code for few grains, contacts or pairs gives the same results as the code for many.

Results are compared bit for bit.
"""

from __future__ import annotations

import pytest

from pysuite import engine, laws
from pysuite.validation.setups import packings

SCRIPT = """
units lj
atom_style sphere
boundary f f f
newton {newton}
comm_modify vel yes
region box block -4 4 -4 4 0 12
create_box 1 box
create_atoms 1 single 0.0 0.0 0.6
create_atoms 1 single 0.9 0.1 1.2
create_atoms 1 single -0.3 0.7 2.4
create_atoms 1 single 0.2 -0.4 4.0
create_atoms 1 single -0.5 0.1 6.0
set group all diameter 0.97 density 1.1
set atom 2 diameter 0.83 density 1.3
set atom 3 diameter 0.91 density 1.2
set atom 4 diameter 1.07 density 0.9
velocity all create 0.2 4711 loop geom
set group all omega 1 -2 3
pair_style granular/plus ledger {ledger}
pair_coeff * * {model}
fix floor all wall/granular/plus {model} zplane 0 NULL
fix sides all wall/granular/plus {model} zcylinder 1.6
fix weight all gravity 1 vector 0.1 0 -1
fix move all {move}
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
timestep 5e-4
run {steps}
"""
ROLLS = "rolling sds 1e3 5 0.1 twisting sds 300 1 0.05"
MODELS = {
    "hertz": f"hertz/material 1e5 0.5 0.3 damping tsuji tangential mindlin NULL 1 0.4 {ROLLS}",
    "no history": "hooke 2e4 15 damping velocity tangential linear_nohistory 0.8 0.3",
    "bridges": "hooke 2e4 15 tangential linear_history 1e4 1 0.3 bridge willett 2 20 volume 0.01",
    "jkr": "jkr 1e5 20 0.25 5 tangential mindlin_rescale NULL 1 0.3",
    "actm": "actm 0.04 0.6 1e5 0.25 tangential mindlin NULL 1 0.3",
}


def end(model: str, **options):
    values = {"newton": "off", "ledger": "no", "move": "nve/sphere/plus", "steps": 12000} | options
    script = SCRIPT.format(model=MODELS[model], **values)
    return engine.run(script + packings.write("end")).dump("end")


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("model", MODELS)
def test_search_and_integrator_of_many_give_the_same_bits(model, newton):
    """With a ledger, the plug-in uses the search for many pairs even if there are few pairs."""
    few = end(model, newton=newton)
    assert few.equals(end(model, newton=newton, ledger="yes", move="nve/sphere"))


@pytest.mark.parametrize("clone", laws.clones())
@pytest.mark.parametrize("model", ["hertz", "bridges"])
def test_every_clone_gives_the_same_bits(model, clone, monkeypatch):
    """If contacts are few, the portable code computes them, unless GRANULAR_PLUS_CLONE is set."""
    few = end(model, steps=6000)
    monkeypatch.setenv("GRANULAR_PLUS_CLONE", clone)
    assert few.equals(end(model, steps=6000))


def test_the_time_step_of_a_few_contacts_with_a_wall(monkeypatch):
    in_time = end("actm", steps=8000)
    monkeypatch.setitem(MODELS, "actm", MODELS["actm"].replace("actm 0.04", "actm steps 80"))
    assert in_time.equals(end("actm", steps=8000))
