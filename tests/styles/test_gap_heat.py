"""Heat flow across gaps through gas and by radiation, compared with numerical integrals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from pysuite import engine, laws
from pysuite.outputs import WALL_CONTACTS, pair_local

GAS, SMALLEST, LENS = 0.03, 1e-3, 0.2
HEAT = f"heat none gas {GAS} {SMALLEST} lens {LENS}"
CONTACT = "hooke 1e4 5 tangential linear_history 5e3 1 0.5"
# Each row lists both radii and the gap. The cases are: a gap, a gap below the smallest gap, spheres
# that just touch, spheres that overlap, a gap just within the range, a gap just beyond the range,
# unequal spheres with a gap, unequal spheres that overlap, and two cases of a small sphere within
# the gas around a large sphere.
PAIRS = [
    (1.0, 1.0, 0.1),
    (1.0, 1.0, 4e-4),
    (1.0, 1.0, 0.0),
    (1.0, 1.0, -2e-2),
    (1.0, 1.0, 0.1999),
    (1.0, 1.0, 0.2001),
    (0.5, 1.5, 0.02),
    (1.5, 0.5, -1e-2),
    (2.0, 0.1, 0.05),
    (0.05, 2.0, 1e-2),
]


def outer_circle(large: float, small: float, distance: float) -> float:
    """Return the radius of the circle within which gas conducts heat to the small sphere.

    Gas conducts where the small sphere is less than LENS times the large radius away from the large
    sphere.
    """

    def beyond(angle: float) -> float:
        along, across = distance - small * np.cos(angle), small * np.sin(angle)
        return np.hypot(along, across) - (1 + LENS) * large

    if beyond(0.0) >= 0.0:
        return 0.0
    return small if beyond(np.pi / 2) <= 0.0 else small * np.sin(brentq(beyond, 0.0, np.pi / 2))


def integral(thickness, inner: float, outer: float) -> float:
    """Integrate 2 pi r/max(thickness(r), SMALLEST) over r from `inner` to `outer`."""
    if outer <= inner:
        return 0.0
    thin = [inner]
    if thickness(inner) < SMALLEST < thickness(outer):
        thin.append(brentq(lambda r: thickness(r) - SMALLEST, inner, outer, xtol=1e-15))
    elif thickness(outer) <= SMALLEST:
        thin.append(outer)
    total = np.pi * (thin[-1] ** 2 - inner**2) / SMALLEST
    value, _ = quad(
        lambda r: 2 * np.pi * r / thickness(r), thin[-1], outer, epsrel=1e-12, epsabs=0, limit=400
    )
    return total + value


def between_spheres(a: float, b: float, gap: float) -> float:
    large, small = max(a, b), min(a, b)
    distance = a + b + gap

    def thickness(r: float) -> float:
        return distance - np.sqrt(large**2 - r**2) - np.sqrt(max(small**2 - r**2, 0.0))

    along = (large**2 - small**2 + distance**2) / (2 * distance)
    inner = np.sqrt(large**2 - along**2) if gap < 0 else 0.0
    return GAS * integral(thickness, inner, outer_circle(large, small, distance))


def at_plane(radius: float, gap: float) -> float:
    distance = radius + gap
    outer = min(radius, np.sqrt(max(((1 + LENS) * radius) ** 2 - distance**2, 0.0)))
    inner = np.sqrt(radius**2 - distance**2) if gap < 0 else 0.0
    return GAS * integral(lambda r: distance - np.sqrt(max(radius**2 - r**2, 0.0)), inner, outer)


def script(grains, model: str, extra: str = "") -> str:
    """Return a script with grains at rest; each grain is (x, y, z, radius, temperature)."""
    create = "\n".join(
        f"create_atoms 1 single {x!r} {y!r} {z!r}\n"
        f"set atom {n} diameter {2 * r!r} temperature {t!r}"
        for n, (x, y, z, r, t) in enumerate(grains, 1)
    )
    return f"""
units lj
atom_style sphere
boundary f f f
comm_modify vel yes
region box block -10 190 -10 10 -10 10 units box
create_box 1 box
fix heat all property/atom temperature heatflow ghost yes
{create}
set group all density 1
fix flow all heat/flow constant 2
pair_style granular/plus ledger yes
pair_coeff * * {model}
{extra}
compute thermal all property/atom temperature heatflow
run 0
write_dump all custom heat.dump id c_thermal[*] modify sort id format float %.17g
"""


def heat_flows(text: str, **options) -> np.ndarray:
    return engine.run(text, **options).dump("heat.dump")["c_thermal[2]"].to_numpy()


def pairs_of_grains():
    for k, (a, b, gap) in enumerate(PAIRS):
        yield 10.0 * k, 0.0, 0.0, a, 300.0
        yield 10.0 * k, a + b + gap, 0.0, b, 310.0


@pytest.mark.parametrize(("ranks", "newton"), [(1, "on"), (2, "on"), (2, "off")])
def test_two_spheres_conduct_as_the_integral_says(ranks, newton):
    """The tolerance covers the rounding of positions.

    Positions are rounded by a few times 1e-16. In the integral, the gap is at least 1e-3.
    """
    text = f"newton {newton}\nprocessors * 2 1\n" if ranks == 2 else f"newton {newton}\n"
    flow = heat_flows(text + script(list(pairs_of_grains()), f"{CONTACT} {HEAT}"), ranks=ranks)
    expected = np.array([10.0 * between_spheres(*pair) for pair in PAIRS])
    np.testing.assert_allclose(flow[0::2], expected, rtol=1e-10, atol=0)
    np.testing.assert_array_equal(flow[1::2], -flow[0::2])
    assert expected[4] > 0.0
    assert expected[5] == 0.0


def test_grains_of_equal_temperature_exchange_nothing():
    grains = [(*grain[:4], 305.7) for grain in pairs_of_grains()]
    assert (heat_flows(script(grains, f"{CONTACT} heat radius 5 gas 1 1e-3")) == 0.0).all()


def test_the_gas_conducts_alike_on_either_side_of_touch():
    near = 1e-9
    grains = [
        grain
        for k, gap in enumerate((near, -near))
        for grain in ((10.0 * k, 0.0, 0.0, 1.0, 300.0), (10.0 * k, 2.0 + gap, 0.0, 1.0, 310.0))
    ]
    apart, _, together, _ = heat_flows(script(grains, f"{CONTACT} {HEAT}"))
    # a change of the gap by d changes the conductance by at most the fraction d/SMALLEST
    assert together == pytest.approx(apart, rel=4 * near / SMALLEST)
    _, _, both, _ = heat_flows(script(grains, f"{CONTACT} {HEAT.replace('none', 'radius 5')}"))
    assert both - together == pytest.approx(10 * 2 * 5 * np.sqrt(0.5 * near), rel=1e-5)


WALL_GAPS = [0.1, 4e-4, -2e-2, 0.1999, 0.2001]
PLATE = """solid plate
facet normal 0 0 1
outer loop
vertex -10 -9 -1
vertex 190 -9 -1
vertex 190 9 -1
endloop
endfacet
facet normal 0 0 1
outer loop
vertex -10 -9 -1
vertex 190 9 -1
vertex -10 9 -1
endloop
endfacet
endsolid plate
"""
WALLS = {
    "plane": "zplane -1 NULL",
    "mesh": "mesh plate.stl",
    "region": "region above",
    "both planes": "zplane -1 9",
}


@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_wall_conducts_as_the_integral_says(wall, ranks, tmp_path):
    (tmp_path / "plate.stl").write_text(PLATE)
    grains = [(10.0 * k, 0.0, gap, 1.0, 300.0) for k, gap in enumerate(WALL_GAPS)]
    words = WALLS[wall].replace("plate.stl", str(tmp_path / "plate.stl"))
    fix = f"""
region above plane 0 0 -1 0 0 1 units box
fix floor all wall/granular/plus {CONTACT} {HEAT} {words} temperature 310 contacts
"""
    dump = "write_dump all custom wall.dump id f_floor[*] modify sort id format float %.17g\n"
    run = engine.run(script(grains, CONTACT, fix) + dump, ranks=ranks)
    flow = run.dump("heat.dump")["c_thermal[2]"].to_numpy()
    expected = [10.0 * at_plane(1.0, gap) for gap in WALL_GAPS]
    np.testing.assert_allclose(flow, expected, rtol=1e-10, atol=0)
    assert expected[3] > 0.0
    assert expected[4] == 0.0
    np.testing.assert_array_equal(run.dump("wall.dump")[WALL_CONTACTS.of("f_floor", "heat")], flow)


def test_pair_local_gives_the_heat_across_the_gap():
    text = script(list(pairs_of_grains()), f"{CONTACT} {HEAT}") + (
        f"compute pairs all pair/local {pair_local('heat')}\nrun 0\n"
        "write_dump all local pairs.dump index c_pairs modify format float %.17g\n"
    )
    run = engine.run(text)
    flow = run.dump("heat.dump")["c_thermal[2]"].to_numpy()
    found = np.sort(np.abs(run.dump("pairs.dump")["c_pairs"].to_numpy()))
    np.testing.assert_allclose(found[found > 0], np.sort(flow[0::2][flow[0::2] > 0]), rtol=1e-14)


PERIODS = np.array([7, 5]) * 0.75 ** (-1 / 3)  # periods of the packing along x and y
FLOW = """{setup}pair_style granular/plus list {list}
pair_coeff * * hertz/material 6e5 0.6 0.25 damping tsuji tangential mindlin NULL 1 0.3 {heat}
{move}
fix heat all property/atom temperature heatflow ghost yes
fix flow all heat/flow constant {capacity}
variable start atom 300+10*sin(id)
set group all temperature v_start
compute thermal all property/atom temperature heatflow
variable warmth atom mass*c_thermal[1]
compute warmth all reduce sum v_warmth
thermo_style custom step c_warmth
thermo_modify norm no format float %.17g
run {steps}
write_dump all custom heat.dump id x y z radius c_thermal[*] modify sort id format float %.17g
"""


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("ranks", [1, 2])
def test_no_heat_is_made_or_lost_in_a_flow(packing, tools, newton, ranks):
    words = {"setup": tools.setup, "move": tools.move, "capacity": 2, "steps": 200}
    words["heat"] = "heat radius 40 gas 20 1e-3 lens 0.3"
    ends = []
    for listed in ("own", "lammps"):
        run = packing.run(FLOW.format(list=listed, **words), newton=newton, ranks=ranks)
        warmth = run.thermo["c_warmth"]
        assert warmth.iloc[-1] == pytest.approx(warmth.iloc[0], rel=1e-13)
        ends.append(run.dump("heat.dump")["c_thermal[1]"].to_numpy())
    assert np.ptp(ends[0]) < 19.9  # at the start, temperatures differ by up to 20
    np.testing.assert_allclose(*ends, rtol=1e-12)


ACROSS_GAPS = {  # the force may reach farther, or less far, than the heat flow through gas
    "nothing": "",
    "bridges": "bridge willett 1 0 volume 1e-4",
    "attraction": "van_der_waals 1e-3 1e-3 0.3",
}


@pytest.mark.parametrize("force", ACROSS_GAPS)
@pytest.mark.parametrize("listed", ["own", "lammps"])
def test_all_pairs_within_reach_conduct_between_two_lists(packing, tools, listed, force):
    words = {"setup": tools.setup.replace("every 20", "every 50"), "move": tools.move}
    words |= {"capacity": 1e15, "steps": 149, "heat": f"{HEAT} {ACROSS_GAPS[force]}"}
    end = packing.run(FLOW.format(list=listed, **words)).dump("heat.dump")
    place, radius = end[["x", "y", "z"]].to_numpy(), end["radius"].to_numpy()
    temperature, flow = end["c_thermal[1]"].to_numpy(), np.zeros(len(end))
    for i in range(len(end)):
        apart = place[i + 1 :] - place[i]
        apart[:, :2] -= PERIODS * np.round(apart[:, :2] / PERIODS)
        gaps = np.linalg.norm(apart, axis=1) - radius[i] - radius[i + 1 :]
        for j in i + 1 + np.flatnonzero(gaps < LENS * np.maximum(radius[i], radius[i + 1 :])):
            heat = between_spheres(radius[i], radius[j], gaps[j - i - 1])
            flow[i] += heat * (temperature[j] - temperature[i])
            flow[j] -= heat * (temperature[j] - temperature[i])
    np.testing.assert_allclose(end["c_thermal[2]"], flow, rtol=0, atol=1e-9 * np.abs(flow).max())


SIGMA, HOT, COLD = 5e-8, 900.0, 500.0


def overlap_of_discs(a: float, b: float, apart: float) -> float:
    if apart <= abs(a - b):
        return np.pi * min(a, b) ** 2
    x = (apart**2 + a**2 - b**2) / (2 * apart)
    parts = ((a, x), (b, apart - x))
    return sum(r * r * np.arccos(h / r) - h * np.sqrt(max(r * r - h * h, 0.0)) for r, h in parts)


def exchange_area(a: float, b: float, distance: float) -> float:
    """Return the exact product of area and view factor of two spheres.

    Parallel rays of any direction project the spheres onto two discs. The product is the integral
    of the overlap of these discs over all directions.
    """
    edges = np.arcsin([0.0, abs(a - b) / distance, (a + b) / distance])
    return sum(
        quad(
            lambda angle: 2 * overlap_of_discs(a, b, distance * np.sin(angle)) * np.sin(angle),
            *ends,
            epsrel=1e-10,
        )[0]
        for ends in itertools.pairwise(edges)
    )


def radiated(grains, emissivity: float, more: str = "") -> np.ndarray:
    model = f"{CONTACT} heat none radiation {emissivity} {SIGMA} {more}"
    return heat_flows(script(grains, model)) / (SIGMA * (HOT**4 - COLD**4))


def hot_and_cold(pairs):
    for k, (a, b, gap) in enumerate(pairs):
        yield 10.0 * k, 0.0, 0.0, a, COLD
        yield 10.0 * k, a + b + gap, 0.0, b, HOT


def test_black_spheres_see_each_other():
    """The heat flow of the plug-in is at most 5.02 % too low.

    It is exact in the limit of a small or distant sphere.
    """
    pairs = [(1, 1, 0), (1, 1, 0.2), (1, 1, 1), (0.5, 1, 0), (1, 0.2, 0.3), (1, 1e-3, 0.5)]
    flow = radiated(list(hot_and_cold(pairs)), 1.0, "view 1.5")
    exact = np.array([exchange_area(a, b, a + b + gap) for a, b, gap in pairs])
    error = flow[0::2] / exact - 1
    assert (error < 0.0).all()
    assert error.min() == pytest.approx(-0.0501, abs=1e-4)
    assert error.argmin() == 0
    assert abs(error[-1]) < 5e-4
    assert abs(error[2]) < 0.006
    np.testing.assert_array_equal(flow[1::2], -flow[0::2])
    # Howell's catalogue lists the view factor 0.0756
    assert exact[0] / (4 * np.pi) == pytest.approx(0.0756, abs=5e-5)


def test_grey_spheres_add_the_resistances_of_their_surfaces():
    pairs = [(1, 1, 0.1), (0.5, 1, -1e-2), (1, 0.2, 0.3)]
    grains = list(hot_and_cold(pairs))
    resistance = [1 / radiated(grains, emissivity)[0::2] for emissivity in (1.0, 0.8)]
    areas = [4 * np.pi * np.array([pair[k] for pair in pairs]) ** 2 for k in (0, 1)]
    expected = (1 / 0.8 - 1) * (1 / areas[0] + 1 / areas[1])
    np.testing.assert_allclose(resistance[1] - resistance[0], expected, rtol=1e-12)


def test_who_sees_whom():
    flow = radiated(list(hot_and_cold([(1, 1, 0.499), (1, 1, 0.501), (0.5, 1, 0.499)])), 0.7)
    assert (flow[0::2] > 0.0).tolist() == [True, False, True]
    grains = [(*grain[:4], 305.7) for grain in hot_and_cold(PAIRS)]
    assert (radiated(grains, 0.7) == 0.0).all()


def test_gas_and_radiation_act_side_by_side():
    grains = list(pairs_of_grains())
    words = f"radiation 0.7 {SIGMA}"
    both, gas, radiation = (
        heat_flows(script(grains, f"{CONTACT} {heat}"))
        for heat in (f"{HEAT} {words}", HEAT, f"heat none {words}")
    )
    np.testing.assert_allclose(both, gas + radiation, rtol=1e-13)


def test_all_clones_give_the_same_bits(monkeypatch):
    text = script(list(pairs_of_grains()), f"{CONTACT} {HEAT} radiation 0.7 {SIGMA}")
    flows = []
    for clone in laws.clones():
        monkeypatch.setenv("GRANULAR_PLUS_CLONE", clone)
        flows.append(heat_flows(text))
    for flow in flows[1:]:
        np.testing.assert_array_equal(flow, flows[0])
    assert np.abs(flows[0]).max() > 0.0


@pytest.mark.parametrize("wall", ["zplane -1 NULL", "mesh plate.stl"])
def test_a_wall_fills_half_of_what_a_sphere_sees(wall, tmp_path):
    (tmp_path / "plate.stl").write_text(PLATE)
    gaps = (-1e-2, 0.1, 0.499, 0.501)
    grains = [(10.0 * k, 0.0, gap, 1.0, COLD) for k, gap in enumerate(gaps)]
    words = wall.replace("plate.stl", str(tmp_path / "plate.stl"))
    heat = f"heat none radiation 0.7 {SIGMA}"
    fix = f"fix floor all wall/granular/plus {CONTACT} {heat} {words} temperature {HOT}"
    flow = heat_flows(script(grains, CONTACT, fix)) / (SIGMA * (HOT**4 - COLD**4))
    expected = 4 * np.pi / (1 / 0.7 + 1)
    np.testing.assert_allclose(flow, [expected, expected, expected, 0.0], rtol=1e-12)


def test_radiation_needs_absolute_temperatures(lammps_error):
    model = f"{CONTACT} heat none radiation 0.7 {SIGMA}"
    pair = [(0.0, 0.0, 0.0, 1.0, 300.0), (2.1, 0.0, 0.0, 1.0, 0.0)]
    message = lammps_error(script(pair, model))
    for word in ("temperature of grain 2 = 0", "> 0", "absolute"):
        assert word in message
    fix = f"fix floor all wall/granular/plus {model} zplane -1 NULL temperature 0"
    message = lammps_error(script(pair[:1], CONTACT, fix))
    for word in ("floor", "temperature of grain 1 = 300 and of the wall = 0", "> 0"):
        assert word in message


BAD = {
    "no smallest gap": ("heat none gas 1", ["gas needs two numbers, kg and smin"]),
    "smallest gap zero": ("heat area 1 gas 1 0", ["heat area", "smin = 0", "> 0"]),
    "negative smallest gap": ("heat area 1 gas 1 -2", ["heat area", "smin = -2", "> 0"]),
    "negative conductivity": ("heat radius 1 gas -1 1e-3", ["heat radius", "kg = -1", ">= 0"]),
    "lens zero": ("heat none gas 1 1e-3 lens 0", ["heat none", "L = 0", "> 0 and <= 1"]),
    "lens too thick": ("heat none gas 1 1e-3 lens 1.5", ["heat none", "L = 1.5", "> 0 and <= 1"]),
    "no constant": ("heat none radiation 0.5", ["radiation needs two numbers, e and sigma"]),
    "emissivity above one": ("heat area 1 radiation 1.2 1", ["e = 1.2", "> 0 and <= 1"]),
    "emissivity zero": ("heat area 1 radiation 0 1", ["heat area", "e = 0", "> 0"]),
    "constant zero": ("heat area 1 radiation 0.5 0", ["heat area", "sigma = 0", "> 0"]),
    "no view": ("heat none radiation 1 1 view 0", ["heat none", "V = 0", "> 0"]),
    "short cutoff": (f"{HEAT} cutoff 2.1", ["cutoff = 2.1", ">= 2.2", "heat begins to cross"]),
    "no bridge alone": ("bridge willett 1 0 film heat none gas 1", ["gas needs two numbers"]),
}


@pytest.mark.parametrize(("words", "named"), BAD.values(), ids=BAD)
def test_bad_input(lammps_error, words, named):
    grains = [(0.0, 0.0, 0.0, 1.0, 300.0), (3.0, 0.0, 0.0, 1.0, 300.0)]
    message = lammps_error(script(grains, f"{CONTACT} {words}"))
    for word in named:
        assert word in message


def test_a_wall_with_gas_needs_a_temperature(lammps_error):
    fix = f"fix floor all wall/granular/plus {CONTACT} {HEAT} zplane -1 NULL"
    message = lammps_error(script([(0.0, 0.0, 0.0, 1.0, 300.0)], CONTACT, fix))
    assert "a wall that conducts heat needs keyword temperature" in message
