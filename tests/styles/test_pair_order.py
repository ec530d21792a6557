"""Contact history does not depend on the order of the two atoms of a pair in a neighbour list."""

from __future__ import annotations

import pytest

MODELS = {
    "tangential": "hertz 4e5 200 tangential mindlin_rescale 3e5 0.8 0.3",
    "mindlin_deresiewicz": "hertz/material 6e5 200 0.25 tangential mindlin_deresiewicz 0.8 0.3",
    "rolling": "hertz 4e5 200 tangential linear_nohistory 0.8 0.3 rolling sds 5e3 2 0.2",
    "twisting": "hertz 4e5 200 tangential linear_nohistory 0.8 0.3 twisting sds 300 0.05 0.03",
    "marshall": "hertz 4e5 200 tangential mindlin 3e5 0.8 0.3 rolling sds 5e3 2 0.2"
    " twisting marshall",
    "jkr": "jkr 6e5 200 0.25 40 tangential mindlin 3e5 0.8 0.3 rolling sds 5e3 2 0.2",
}

# The tolerance is wide because displaced positions are rounded anew. Stiff contacts amplify the
# difference.
TOLERANCE = 1e-8

ORDER = """
compute pair all property/local patom1 patom2 cutoff radius
dump order all local 1000 {0} c_pair[*]
dump_modify order first yes
run 0 post no
undump order
uncompute pair
"""


def run_on(packing, tools, pair: str, move: str, newton: str):
    setup = tools.one_list.replace("sort 0 0", "sort 1 0")
    script = setup + pair + tools.move + tools.begin
    script += "run 200\n" + ORDER.format("before") + move + ORDER.format("after")
    return packing.run(f"{script}run 100\n{tools.dump_command('end')}", newton=newton)


def differences(packing, tools, pair, newton="on"):
    """Compare a run after a displacement of all grains with a run without displacement.

    Return the differences and the number of pairs whose order has changed.
    """
    stays = run_on(packing, tools, pair, "", newton)
    moves = run_on(packing, tools, pair, "displace_atoms all move 3.5 2.5 0 units box", newton)
    pairs = [
        set(map(tuple, moves.local(n)[["patom1", "patom2"]].to_numpy()))
        for n in ("before", "after")
    ]
    turned = len({(j, i) for i, j in pairs[0]} & pairs[1] - pairs[0])
    found = tools.difference(stays.dump("end"), moves.dump("end"))
    del found["position"]
    return found, turned


@pytest.mark.parametrize("slider", ["csds", "dsds", "truncate"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_contacts_that_turn_round_remember_the_same(packing, tools, model, slider):
    if slider == "truncate" and "jkr" in model:
        # The setup of a run evaluates sliding contacts again after their springs have been cut at
        # the Coulomb limit. In jkr contacts, rounding then decides whether the dashpot acts.
        model = model.replace("tangential mindlin 3e5", "tangential linear_nohistory")
    pair = f"pair_style granular/plus\npair_coeff * * {model} slider {slider}"
    found, turned = differences(packing, tools, pair)
    print(f"\norder of {turned} pairs has changed: {max(found.values()):.1e}")
    assert turned > 20
    assert {name: value for name, value in found.items() if not value <= TOLERANCE} == {}


@pytest.mark.parametrize("model", ["rolling", "twisting"])
def test_pair_granular_turns_the_spring_so_the_test_above_can_fail(packing, tools, model):
    pair = f"pair_style granular\npair_coeff * * {MODELS[model]}"
    found, turned = differences(packing, tools, pair)
    assert turned > 20
    assert found["torque"] > 1e-4
