"""Heat flow through liquid bridges, compared with an integral over the liquid."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad

from pysuite import engine, laws

LIQUID, SMALLEST, GAS = 0.6, 1e-3, 0.02
CONTACT = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"
HEAT = f"heat none liquid {LIQUID} {SMALLEST}"
# Each row lists the volume, both radii and the gap. The cases are: a gap, a gap below the smallest
# thickness, spheres that just touch, spheres that overlap, liquid that is thinner than the smallest
# thickness at its edge, and unequal spheres.
BRIDGES = [
    (1e-3, 0.5, 0.5, 0.02),
    (1e-3, 0.5, 0.5, 4e-4),
    (1e-3, 0.5, 0.5, 0.0),
    (1e-3, 0.5, 0.5, -0.01),
    (1e-7, 0.5, 0.5, 0.0),
    (2e-3, 0.6, 0.3, 0.01),
]
CAPACITY = 1e9  # so large that temperatures do not change


def through_the_liquid(volume: float, radius: float, gap: float) -> float:
    """Return the conductance of liquid between two paraboloids.

    The conductance is the conductivity times the integral of 2 pi r/l over r. Here l is the
    thickness of the liquid at the distance r from the axis. If the surfaces overlap, the liquid
    begins where the surfaces intersect. Then the integral has the same value as for a gap of 0.
    """
    gap = max(gap, 0.0)
    # q is the squared radius of the edge of the liquid: pi (gap q + q²/(2 radius)) = volume
    end = max(np.roots([np.pi / (2 * radius), np.pi * gap, -volume]).real)
    ends = (0.0, min(end, max(0.0, radius * (SMALLEST - gap))), end)
    parts = [
        quad(lambda q: np.pi / max(gap + q / radius, SMALLEST), *part, epsabs=0, epsrel=1e-12)[0]
        for part in itertools.pairwise(ends)
    ]
    return LIQUID * sum(parts)


def two_grains(words: str, radii: tuple[float, float], gap: float, more: str = "") -> str:
    return f"""units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -2 2 -2 2 -2 2
create_box 1 box
create_atoms 1 single 0 0 0
create_atoms 1 single {sum(radii) - 1e-6!r} 0 0
set atom 1 diameter {2 * radii[0]!r}
set atom 2 diameter {2 * radii[1]!r}
set group all density 1
fix heat all property/atom temperature heatflow ghost yes
{more}
fix flow all heat/flow constant {CAPACITY}
set atom 1 temperature 300
set atom 2 temperature 400
pair_style granular/plus
pair_coeff * * {words}
fix hold all setforce 0 0 0
fix move all nve/sphere
compute thermal all property/atom temperature heatflow
timestep 1e-6
run 1
displace_atoms all move 0 0 0
group second id 2
displace_atoms second move {gap + 1e-6!r} 0 0
run 1
write_dump all custom heat.dump id c_thermal[2] modify sort id format float %.17g
"""


@pytest.mark.parametrize(("volume", "first", "second", "gap"), BRIDGES)
def test_a_bridge_conducts_as_the_integral_says(volume, first, second, gap):
    script = two_grains(
        f"{CONTACT} bridge willett 1 10 volume {volume} {HEAT}", (first, second), gap
    )
    flow = engine.run(script).dump("heat.dump")["c_thermal[2]"].to_numpy()
    expected = through_the_liquid(volume, 2 * first * second / (first + second), gap)
    assert flow == pytest.approx([100 * expected, -100 * expected], rel=1e-9)


def test_liquid_takes_the_place_of_gas():
    bridge = f"{CONTACT} bridge willett 1 10 volume 1e-3"
    flows = [
        engine.run(two_grains(f"{bridge} heat none {words}", (0.5, 0.5), 0.01))
        .dump("heat.dump")["c_thermal[2]"]
        .iloc[0]
        for words in (
            f"gas {GAS} {SMALLEST}",
            f"liquid {LIQUID} {SMALLEST}",
            f"gas {GAS} {SMALLEST} liquid {LIQUID} {SMALLEST}",
            f"gas {GAS} {SMALLEST} liquid {GAS} {SMALLEST}",
        )
    ]
    assert flows[2] == pytest.approx(flows[0] + flows[1] * (1 - GAS / LIQUID), rel=1e-12)
    assert flows[3] == pytest.approx(flows[0], rel=1e-12)


def test_a_bridge_from_films_conducts_by_its_own_volume():
    films = (
        "fix films all property/atom d_film ghost yes\n"
        "set atom 1 d_film 3e-4\nset atom 2 d_film 1e-4"
    )
    words = f"{CONTACT} bridge willett 1 10 film share 0.5 {HEAT}"
    run = engine.run(two_grains(words, (0.5, 0.5), 0.01, films))
    expected = through_the_liquid(2e-4, 0.5, 0.01)
    assert run.dump("heat.dump")["c_thermal[2]"].iloc[0] == pytest.approx(100 * expected, rel=1e-9)
    dry = engine.run(
        two_grains(words, (0.5, 0.5), 0.01, films.replace("3e-4", "0").replace("1e-4", "0"))
    )
    assert dry.dump("heat.dump")["c_thermal[2]"].abs().max() == 0.0


@pytest.mark.parametrize("wall", ["zplane 0 NULL", "region half"])
def test_a_wall_conducts_through_its_bridge(wall):
    text = f"{CONTACT} bridge willett 1 10 volume 1e-3 {HEAT}"
    script = f"""units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -2 2 -2 2 0 4
create_box 1 box
region half block -2 2 -2 2 0 4
create_atoms 1 single 0 0 0.49
set group all diameter 1 density 1
fix heat all property/atom temperature heatflow ghost yes
fix flow all heat/flow constant {CAPACITY}
set group all temperature 300
pair_style granular/plus
pair_coeff * * {text}
fix hold all setforce 0 0 0
fix move all nve/sphere
fix wall all wall/granular/plus granular {text} {wall} temperature 400
compute thermal all property/atom temperature heatflow
timestep 1e-6
run 1
write_dump all custom heat.dump id c_thermal[2] modify format float %.17g
"""
    flow = engine.run(script).dump("heat.dump")["c_thermal[2]"].iloc[0]
    assert flow == pytest.approx(100 * through_the_liquid(1e-3, 1.0, -0.01), rel=1e-9)


FLOW = """{setup}pair_style granular/plus
pair_coeff * * hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3 &
  bridge willett 5 20 volume 2e-3 heat radius 40 gas 1 1e-3 liquid 20 1e-3
{move}
fix heat all property/atom temperature heatflow ghost yes
fix flow all heat/flow constant 2
variable start atom 300+10*sin(id)
set group all temperature v_start
compute thermal all property/atom temperature
variable warmth atom mass*c_thermal
compute warmth all reduce sum v_warmth
compute bridges all granular/ledger
thermo_style custom step c_warmth
thermo_modify norm no format float %.17g
run 200
write_dump all custom heat.dump id c_thermal modify sort id format float %.17g
"""


def test_no_heat_is_made_or_lost_on_any_number_of_ranks(packing, tools):
    text = FLOW.format(setup=tools.setup, move=tools.move).replace(
        "compute bridges all granular/ledger\n", ""
    )
    ends = []
    for ranks, newton in ((1, "off"), (1, "on"), (2, "off"), (2, "on")):
        run = packing.run(text, newton=newton, ranks=ranks)
        warmth = run.thermo["c_warmth"]
        assert warmth.iloc[-1] == pytest.approx(warmth.iloc[0], rel=1e-13)
        ends.append(run.dump("heat.dump")["c_thermal"].to_numpy())
    for other in ends[1:]:
        np.testing.assert_allclose(other, ends[0], rtol=1e-11)
    dry = packing.run(text.replace(" liquid 20 1e-3", "")).dump("heat.dump")["c_thermal"]
    assert np.abs(dry.to_numpy() - ends[0]).max() > 0.1


def test_bad_input():
    bridge = f"{CONTACT} bridge willett 1 10 volume 1e-3"
    for words, named in (
        (f"{CONTACT} {HEAT}", "liquid kl = 0.6 needs keyword bridge"),
        (f"{bridge} heat none liquid -1 1e-3", "kl = -1 must be >= 0"),
        (f"{bridge} heat none liquid 1 0", "lmin = 0 must be > 0"),
        (f"{bridge} heat none liquid 1", "liquid needs two numbers, kl and lmin"),
    ):
        with pytest.raises(ValueError, match=named):
            laws.ContactModel(words)
