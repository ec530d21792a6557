"""What users read of single contacts, and that reading leaves the run alone."""

from __future__ import annotations

import numpy as np
import pytest

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
NAMES = " ".join(f"p{n}" for n in range(1, 13))
OUTPUT = f"""
compute contact all pair/local dist force fx fy fz {NAMES} cutoff radius
compute pair all property/local patom1 patom2 cutoff radius
dump contacts all local ${{every}} contacts c_pair[*] c_contact[*]
dump_modify contacts format float %.17g
"""


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "on"), (2, "off")])
def test_contacts_are_those_of_pair_granular(packing, tools, model, ranks, newton):
    """Distance, forces and p1 to p12; pair granular resets springs when it is asked, so once."""
    tables = []
    for pair in (
        f"granular\npair_coeff * * {model}",
        f"granular/plus\npair_coeff * * {model} slider dsds",
    ):
        script = f"{tools.one_list}pair_style {pair}{tools.move}{tools.begin}{OUTPUT}run 200"
        run = packing.run(script.replace("${every}", "201"), ranks=ranks, newton=newton)
        contacts = run.dump("contacts")
        last = contacts[contacts["step"] == 201].to_numpy()[:, 1:]
        flip = np.ones(last.shape[1])
        # the pair the other way round; rolling (p5 to p8) and twisting (p9) are the same
        flip[[4, 5, 6, 7, 8, 9, 16, 17, 18]] = -1  # fx fy fz, p1 p2 p3, p10 p11 p12
        ordered = np.where(last[:, :1] < last[:, 1:2], last, last * flip)
        ordered[:, :2] = np.sort(last[:, :2], axis=1)
        tables.append(ordered[np.lexsort(ordered[:, [1, 0]].T)])
    theirs, ours = tables
    assert len(theirs) > 500
    assert ours.shape == theirs.shape
    whole = {"rolling": slice(11, 15), "twisting": slice(15, 16)}
    columns = set(range(19))
    for keyword, here in whole.items():
        if keyword in model:
            assert np.abs(ours[:, here]).max() > 0.0
        else:  # pair granular leaves what happens to stand there
            assert (ours[:, here] == 0.0).all()
            columns -= set(range(19)[here])
    for column in columns:
        scale = np.abs(theirs[:, column]).max()
        error = np.abs(ours[:, column] - theirs[:, column]).max()
        assert error <= 1e-9 * scale, f"column {column + 1}"
    assert np.abs(ours[:, 7:11]).max() > 0.0  # friction


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_reading_contacts_does_not_change_the_run(packing, tools, model, slider):
    pair = f"pair_style granular/plus\npair_coeff * * {model} slider {slider}"
    quiet = packing.end(pair)
    watched = packing.end(pair, move=tools.move + OUTPUT.replace("${every}", "7"))
    assert watched.equals(quiet)


def test_force_between_groups(packing, tools):
    """Asks for pairs that do not touch, too."""
    group = """
group top subtract all bottom
compute push bottom group/group top
thermo_style custom step c_push[1] c_push[2] c_push[3]
thermo_modify format float %.17g
thermo 100
"""
    pair = f"pair_style granular/plus\npair_coeff * * {MODELS['hooke']}"
    run = packing.run(f"{tools.setup}{pair}{tools.move}{group}run 100")
    assert run.thermo["c_push[3]"].iloc[-1] < 0.0  # the packing weighs on its floor
