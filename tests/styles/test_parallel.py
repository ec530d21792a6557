"""Trajectories do not depend on the number of ranks, the newton setting and the kernel variant."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine, laws

MODELS = {
    "hooke": "hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3",
    "rescaled": "hertz 4e5 200 tangential mindlin_rescale/force 3e5 0.8 0.3",
    "material": "hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3",
    "whole contact": "hertz 4e5 200 tangential mindlin 3e5 0.8 0.3 rolling sds 5e3 2 0.2"
    " twisting marshall",
    "mindlin_deresiewicz": "hertz/material 6e5 200 0.25 tangential mindlin_deresiewicz 0.8 0.3",
    "actm": "actm 0.01 0.6 1e6 0.25 tangential mindlin NULL 0.8 0.3 twisting marshall",
    "luding": "luding 1e4 5e4 2e4 0.05 eta 5 damping mass_velocity tangential linear_history 1e4"
    " 0.8 0.3",
    "edinburgh": "edinburgh 2e5 8e5 1e5 -0.1 1.5 1.5 tangential mindlin 3e5 0.8 0.3",
    "thornton_ning": "thornton_ning 6e5 0.25 3e4 2 tangential mindlin NULL 0.8 0.3",
    "jkr": "jkr 6e5 200 0.25 40 tangential mindlin_rescale 3e5 0.8 0.3 twisting sds 300 0.05 0.03",
}

# Only the order of additions differs. See test_superset.py for the growth of round-off.
TOLERANCE = 1e-10


# newton setting of each slider on two ranks; if `every_setting` is true, both settings are tested
FIRST = {"csds": "on", "dsds": "off"}


@pytest.mark.parametrize(
    "every_setting", [False, pytest.param(True, marks=pytest.mark.product)], ids=["two", "all"]
)
@pytest.mark.parametrize("slider", FIRST)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_ranks_and_newton_do_not_matter(packing, tools, model, slider, every_setting):
    pair = f"pair_style granular/plus\npair_coeff * * {model} slider {slider}"
    # In model deresiewicz, rounding decides which turning points are merged. After 200 steps, this
    # has caused differences of forces of 1e-8.
    steps = 100 if "deresiewicz" in model else 200
    one = packing.end(pair, steps=steps)
    settings = [(1, "off"), (2, FIRST[slider])]
    for ranks, newton in [(2, "on"), (2, "off")] if every_setting else settings:
        other = packing.end(pair, steps=steps, ranks=ranks, newton=newton)
        worst = max(tools.difference(one, other).values())
        print(f"{slider} {ranks} ranks newton {newton}: {worst:.1e}")
        assert worst <= TOLERANCE, (ranks, newton)


@pytest.mark.parametrize("newton", ["on", "off"])
def test_a_rank_without_grains_takes_part_in_communication(packing, tools, newton):
    """There are two ranks, and the upper one has no grains."""
    setup = tools.setup.replace("read_data", "processors 1 1 2\nread_data")
    pair = f"pair_style granular/plus\npair_coeff * * {MODELS['hooke']}"
    script = f"{setup}change_box all z final 0 40\n{pair}{tools.move}run 200\n"
    empty = packing.run(script + tools.dump_command("end"), ranks=2, newton=newton, timeout=60)
    one = packing.end(pair, newton=newton)
    assert max(tools.difference(one, empty.dump("end")).values()) <= TOLERANCE


@pytest.mark.parametrize(
    ("model", "newton"),
    [
        ("rescaled", "on"),
        ("thornton_ning", "off"),
        *(
            pytest.param(model, newton, marks=pytest.mark.product)
            for model, newton in (
                ("rescaled", "off"),
                ("luding", "on"),
                ("luding", "off"),
                ("edinburgh", "on"),
                ("edinburgh", "off"),
                ("thornton_ning", "on"),
            )
        ),
    ],
)
def test_four_ranks(packing, tools, model, newton):
    pair = f"pair_style granular/plus\npair_coeff * * {MODELS[model]}"
    four = packing.end(pair, ranks=4, newton=newton, timeout=60)
    assert max(tools.difference(packing.end(pair), four).values()) <= TOLERANCE


FLYING = """
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton {newton}
boundary p p f
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 random 500 4711 box overlap 0.95 maxtry 500
set group all diameter 1 density 1
velocity all create 4 1234
pair_style granular/plus
pair_coeff * * hertz 1e5 100 tangential mindlin 1e5 0.8 0.3
fix move all nve/sphere
fix lids all wall/granular/plus hertz 1e5 100 tangential mindlin 1e5 0.8 0.3 zplane 0 10
timestep 1e-3
"""
FLIGHT = """
dump frames all custom 200 frames id type x y z vx vy vz
run 1000
"""
RERUN = """
read_dump {frames} 0 x y z vx vy vz    # create_atoms names atoms differently on several ranks
{before}
set group all omega 0 0 0
dump forces all custom 1 forces id fx fy fz
dump_modify forces format float %.17g
rerun {frames} dump x y z vx vy vz
"""


@pytest.mark.parametrize("newton", ["on", "off"])
def test_rerun_has_no_history_between_frames_on_any_number_of_ranks(newton, tmp_path):
    begin = FLYING.format(newton=newton)
    engine.run(begin + FLIGHT, folder=tmp_path)

    def forces(before, ranks):
        script = begin + RERUN.format(frames=tmp_path / "frames", before=before)
        table = engine.run(script, ranks=ranks).dump("forces")
        assert table["step"].nunique() == 6
        return table[["fx", "fy", "fz"]].to_numpy()

    alone = forces("", 1)
    assert (np.abs(alone).max(axis=1) > 1.0).sum() > 100
    # `run 5` leaves springs, which must not affect the rerun
    for ranks in (1, 2):
        difference = np.abs(forces("run 5", ranks) - alone).max()
        assert difference <= 1e-12 * np.abs(alone).max()


@pytest.mark.parametrize("clone", laws.clones())
def test_every_clone_gives_the_same_bits(packing, monkeypatch, clone):
    pair = f"pair_style granular/plus\npair_coeff * * {MODELS['material']}"
    fastest = packing.end(pair)
    monkeypatch.setenv("GRANULAR_PLUS_CLONE", clone)
    assert packing.end(pair).equals(fastest)


def test_a_clone_that_does_not_exist_is_refused(lammps_error, monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_CLONE", "abacus")
    script = "region box block 0 1 0 1 0 1\natom_style sphere\ncreate_box 1 box\n"
    message = lammps_error(script + "pair_style granular/plus")
    assert "GRANULAR_PLUS_CLONE = abacus must be one of portable" in message
