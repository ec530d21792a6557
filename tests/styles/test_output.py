"""Output of single contacts equals that of pair granular and does not change the run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pysuite.outputs import PAIR, pair_local

MODELS = {
    "hooke": "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    "rescaled": "hertz 4e5 200 tangential mindlin_rescale/force 3e5 0.8 0.3",
    "material": "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3",
    "no history": "hooke 2e4 15 damping mass_velocity tangential linear_nohistory 0.8 0.3",
    "whole contact": "hertz 4e5 200 tangential mindlin 3e5 0.8 0.3 rolling sds 5e3 2 0.2"
    " twisting sds 300 0.05 0.03",
    "marshall": "dmt 6e5 200 0.25 10 tangential mindlin_rescale 3e5 0.8 0.3 rolling sds 5e3 2 0.2"
    " twisting marshall",
    "jkr": "jkr 6e5 200 0.25 40 tangential linear_nohistory 0.8 0.3 rolling sds 5e3 2 0.2",
}
SHARED = PAIR.names[:12]  # quantities that pair granular also provides
OUTPUT = f"""
compute contact all pair/local dist force fx fy fz {pair_local(*SHARED)} cutoff radius
compute pair all property/local patom1 patom2 cutoff radius
dump contacts all local ${{every}} contacts c_pair[*] c_contact[*]
dump_modify contacts format float %.17g
"""


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    ("ranks", "newton"),
    [(1, "on"), (2, "off"), pytest.param(2, "on", marks=pytest.mark.product)],
)
def test_contacts_are_those_of_pair_granular(packing, tools, model, ranks, newton):
    """Compare the output of one step, because output makes pair granular reset springs.

    Both styles use LAMMPS's neighbour list. With different lists, the ghost in a pair across a
    periodic boundary could be a different grain in each style, and velocities of ghosts are half a
    step old.
    """
    tables = []
    for pair in (
        f"granular\npair_coeff * * {model}",
        f"granular/plus list lammps\npair_coeff * * {model} slider dsds",
    ):
        script = f"{tools.one_list}pair_style {pair}{tools.move}{tools.begin}{OUTPUT}run 200"
        run = packing.run(script.replace("${every}", "201"), ranks=ranks, newton=newton)
        contacts = run.local("contacts")
        tables.append(from_the_first(contacts[contacts["step"] == 201]))
    theirs, ours = tables
    assert len(theirs) > 500
    assert ours.shape == theirs.shape
    compared = set(ours)
    for keyword in ("rolling", "twisting"):
        here = [name for name in SHARED if name.startswith(keyword)]
        if keyword in model:
            assert ours[here].abs().max(axis=None) > 0.0
        else:  # pair granular puts out arbitrary values
            assert (ours[here] == 0.0).all(axis=None)
            compared -= set(here)
    for name in compared:
        error = (ours[name] - theirs[name]).abs().max()
        assert error <= 1e-9 * theirs[name].abs().max(), name
    assert ours["friction"].max() > 0.0


def from_the_first(contacts: pd.DataFrame) -> pd.DataFrame:
    table = contacts.drop(columns="step").copy()
    turned = table["patom1"] > table["patom2"]
    directed = [f"{name}{axis}" for name in ("f", "friction_", "separation_") for axis in "xyz"]
    table.loc[turned, directed] *= -1
    table[["patom1", "patom2"]] = np.sort(table[["patom1", "patom2"]], axis=1)
    return table.sort_values(["patom1", "patom2"], ignore_index=True)


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_reading_contacts_does_not_change_the_run(packing, tools, model, slider):
    pair = f"pair_style granular/plus\npair_coeff * * {model} slider {slider}"
    quiet = packing.end(pair)
    watched = packing.end(pair, move=tools.move + OUTPUT.replace("${every}", "7"))
    assert watched.equals(quiet)


def test_force_between_groups(packing, tools):
    group = """
group top subtract all bottom
compute push bottom group/group top
thermo_style custom step c_push[*]
thermo_modify format float %.17g
thermo 100
"""
    pair = f"pair_style granular/plus\npair_coeff * * {MODELS['hooke']}"
    run = packing.run(f"{tools.setup}{pair}{tools.move}{group}run 100")
    assert run.thermo["c_push[3]"].iloc[-1] < 0.0
