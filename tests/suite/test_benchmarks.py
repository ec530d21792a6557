"""Benchmarks: the stored references are correct, and the results of any code can be judged."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pysuite import commands, engine
from pysuite.errors import CaseError, UsageError
from pysuite.outputs import pair_local
from pysuite.statistics import Interval
from pysuite.validation import benchmarks, cases_folder, discover
from pysuite.validation.references import (
    actm,
    adhesion,
    chains,
    collapse,
    crystals,
    gases,
    networks,
    powders,
)
from pysuite.validation.setups import elasticity, jammed, steady_shear

ROOT = cases_folder()
GIVEN = {name: benchmarks.references(ROOT, name) for name in benchmarks.names(ROOT)}
HEADER = ",".join(benchmarks.Reference._fields)


def given(benchmark: str, start: str) -> list[float]:
    rows = GIVEN[benchmark].values()
    return [row.reference for row in rows if row.quantity.startswith(start)]


def test_every_benchmark_has_a_case_and_a_set_up():
    cases = {case.name for case in discover(ROOT)}
    assert set(GIVEN) <= cases
    set_ups = (ROOT / benchmarks.FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in GIVEN if f"## {name}\n" not in set_ups] == []


def test_modes_of_a_chain_are_the_eigenvalues_of_its_energy():
    count = 32
    found = chains.modes(count)
    waves = 2.0 * np.pi * np.arange(count) / count
    along = sorted(chains.longitudinal_frequency(q) ** 2 for q in waves)
    across = sorted([chains.shear_frequency(q) ** 2 for q in waves] + [0.0] * count)
    assert found.longitudinal == pytest.approx(along, abs=1e-13)
    assert found.transverse == pytest.approx(across, abs=1e-13)
    some = 2.0 * np.pi / count * np.array([0, 1, 2, 4, 8, 16])
    benchmark = "chain-modes"
    expected = [chains.longitudinal_frequency(q) for q in some[1:]]
    assert given(benchmark, "longitudinal") == pytest.approx(expected, rel=1e-9)
    expected = [chains.shear_frequency(q) for q in some]
    assert given(benchmark, "shear") == pytest.approx(expected, rel=1e-9)
    assert given(benchmark, "rolling") == [0.0] * 5


def test_a_dense_gas_is_that_of_kolafa():
    assert given("elastic-gas", "compress") == pytest.approx([gases.compressibility(0.4)], rel=1e-6)
    # the first two virial coefficients of both equations of state are those of hard spheres
    for equation in (gases.compressibility, gases.carnahan_starling):
        x = 1e-4
        assert equation(x) == pytest.approx(1.0 + 4.0 * x + 10.0 * x**2, abs=1e-10)
    assert gases.compressibility(0.4) / gases.carnahan_starling(0.4) == pytest.approx(
        1.00286, abs=1e-5
    )
    # the integral of 1 - exp(-u/T) over the distance is the hard diameter, 1
    duration = 0.005
    soft, k = gases.soft_diameter(duration), gases.stiffness(duration)
    assert np.pi * np.sqrt(0.5 / k) == pytest.approx(duration)
    r = np.linspace(0.5, soft, 400_001)
    filled = 1.0 - np.exp(-0.5 * k * (soft - r) ** 2)
    assert 0.5 + np.trapezoid(filled, r) == pytest.approx(1.0, abs=1e-9)


def test_spheres_of_a_gas_collide_as_often_as_their_pressure_says():
    fraction, temperature = 0.4, 2.0
    z = gases.compressibility(fraction)
    rate = gases.collision_rate(fraction, gases.contact_value(z, fraction), temperature)
    # The mean normal approach speed of colliding pairs is (pi T)^(1/2), and so is the mean impulse.
    # There are N rate/2 collisions per unit of time. Each collision adds
    # diameter times impulse/(3 N T) to the compressibility.
    virial = 0.5 * rate * math.sqrt(math.pi * temperature) / (3.0 * temperature)
    assert 1.0 + virial == pytest.approx(z)
    rate = gases.collision_rate(fraction, gases.contact_value(z, fraction))
    assert given("elastic-gas", "collision") == pytest.approx([rate], rel=1e-6)
    # at e = 0.999, Haff's cooling rate and the energy loss in collisions agree within 1e-3
    sparse, e = 0.05, 0.999
    contact = gases.contact_value(gases.carnahan_starling(sparse), sparse)
    haff = (1.0 - e**2) / 6.0 * gases.collision_rate(sparse, contact)
    assert actm.haff_rate(e, sparse) == pytest.approx(haff, rel=1e-3)
    assert given("haff-law", "cooling") == pytest.approx([actm.haff_rate(0.9, 0.05)], rel=1e-6)


def test_sheared_gases_are_those_of_lun():
    names = ("temperature", "pressure", "shear")
    for e in (0.95, 0.9):
        expected = gases.sheared(0.3, e)
        found = [
            row.reference
            for name in names
            for row in GIVEN["sheared-gas"].values()
            if row.quantity.startswith(name) and row.quantity.endswith(f"e = {e:g}")
        ]
        assert found == pytest.approx(expected, rel=1e-6)
        # the power supplied by the shear equals the energy loss in collisions
        contact = gases.contact_value(gases.carnahan_starling(0.3), 0.3)
        rate = gases.collision_rate(0.3, contact, expected.temperature)
        lost = 0.5 * rate * 0.3 * (1.0 - e**2) * expected.temperature
        assert expected.stress == pytest.approx(lost, rel=1e-6)
    # a dilute elastic gas has the viscosity of Chapman & Enskog, 5/16 (T/pi)^(1/2)/d^2
    thin = gases.sheared(1e-5, 0.999_999)
    viscosity = thin.stress / thin.temperature**0.5 * 6.0 / math.pi
    assert viscosity == pytest.approx(5.0 / 16.0 / math.pi**0.5, rel=1e-4)


def test_a_profile_of_bagnold_is_recognised(tmp_path):
    of = next(case for case in discover(ROOT) if case.name == "chute").run.__globals__
    area, layers, fraction = of["LENGTH"] * of["WIDTH"], 20, 0.58
    height = np.arange(layers) + 0.5
    weight, speed = layers - height, layers**1.5 - (layers - height) ** 1.5
    grains = fraction * area / (np.pi / 6.0)

    def flow(thinner: float, gained: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Any:
        rows = [
            f"{k + 1} {z} {grains * (1.0 - thinner * (z > 11))} {v} {-w * area / grains}"
            f" {0.4 * w * area / grains}"
            for k, (z, v, w) in enumerate(zip(height, speed, weight, strict=True))
        ]
        ends = [
            f"{k + 1} {z} 1.0 {area * momentum * (k == 10)} {area * momentum * (k == 15)}"
            for momentum in gained
            for k, z in enumerate(height)
        ]
        head = f"10000 {layers} 1"
        (tmp_path / "profile").write_text("\n".join(["# profile", head, *rows] * 2))
        (tmp_path / "ends").write_text("\n".join(ends))
        (tmp_path / "reaction").write_text("# force\n10000 -500 200\n20000 -500 200\n")
        return of["read"](tmp_path, 2.0)

    steady, on_base = flow(0.0)
    assert steady.pressure.shape == (2, layers)
    mean = steady.mean()
    assert mean.fraction == pytest.approx(np.full(layers, fraction))
    assert mean.pressure == pytest.approx(weight)
    assert mean.shear == pytest.approx(0.4 * weight)
    assert on_base == pytest.approx(np.array([[200.0, 500.0]] * 2))
    # per unit of area, each of the layers at 10.5 and 15.5 gains momentum 1 in the first block and
    # momentum 2 in the second
    faster, on_base = flow(0.0, (0.0, 1.0, 3.0))
    places = [5, 10, 15, 16]
    gains = np.array([[0.5, 0.25, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0]])
    assert (faster.shear - steady.shear)[:, places] == pytest.approx(gains)
    gains = np.array([[0.5, 0.5, 0.25, 0.0], [1.0, 1.0, 0.5, 0.0]])
    assert (steady.pressure - faster.pressure)[:, places] == pytest.approx(gains)
    assert on_base - [200.0, 500.0] == pytest.approx(area * np.array([[0.5, -0.5], [1.0, -1.0]]))
    inside = steady.inside().mean()
    assert inside.height.tolist() == pytest.approx(np.arange(5.5, 17.0))
    assert of["stress_ratio"](inside) == pytest.approx(0.4)
    assert of["exponent"](inside) == pytest.approx(0.5, abs=0.01)
    assert of["dilation"](inside) == pytest.approx(0.0, abs=1e-12)
    assert of["dilation"](flow(0.1)[0].inside().mean()) == pytest.approx(0.1 / 0.95)
    assert [b.speed.shape for b in steady.blocks()] == [(layers,)] * 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_packing_is_measured_from_its_positions(dimension):
    """The packing is a lattice in which one grain is smaller and free."""
    side, spacing = 6, 0.98
    places = spacing * np.array(list(itertools.product(range(side), repeat=dimension)), dtype=float)
    sizes = np.ones(len(places))
    edge, overlap = side * spacing, 1.0 - spacing
    full = jammed.contacts(places, sizes, edge, 1.0)
    assert len(full.one) == dimension * len(places)
    assert full.force == pytest.approx(np.full(len(full.one), overlap))
    state = jammed.measure(places, sizes, edge, 1.0)
    assert (state.bearing, state.contacts) == (len(places), 2 * dimension)
    filled = {2: np.pi / 4, 3: np.pi / 6}[dimension]
    assert state.fraction == pytest.approx(filled / spacing**dimension)
    # neither a shrunk grain nor a grain with at most `dimension` contacts carries a force
    centre = np.full(dimension, 2)
    around = [centre - np.eye(dimension, dtype=int)[0], *(centre + np.eye(dimension, dtype=int))]
    shrunk = sizes.copy()
    for place in around[:dimension]:
        shrunk[np.ravel_multi_index(place, (side,) * dimension)] = 0.5
    found = jammed.contacts(places, shrunk, edge, 1.0)
    kept, bears = jammed.between_bearing(found, len(places))
    assert bears.sum() == len(places) - dimension - 1
    assert sorted({*kept.one.tolist(), *kept.other.tolist()}) == list(range(bears.sum()))
    sizes[0] = 0.5
    hertz = jammed.measure(places, sizes, edge, 1.5)
    lost = 2 * dimension
    assert hertz.bearing == len(places) - 1
    assert hertz.contacts == pytest.approx(
        2.0 * (dimension * len(places) - lost) / (len(places) - 1)
    )


def test_the_shear_modulus_of_crystals():
    """The lattice is face-centred cubic with spring constant and spacing 1."""
    corners = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]) * math.sqrt(0.5)
    cells = np.array(list(itertools.product(range(3), repeat=3))) * math.sqrt(2.0)
    places = (cells[:, None] + corners).reshape(-1, 3)
    touching = 1.0 + 1e-12
    edge = 3.0 * math.sqrt(2.0)
    found = jammed.contacts(places, np.full(len(places), touching), edge, 1.0)
    # C11 = 2 C12 = 2 C44 = sqrt(2) k/d, and the mean shear modulus is (C11 - C12 + 3 C44) / 5
    modulus = jammed.shear_modulus(found, len(places), edge**3)
    assert modulus == pytest.approx(0.8 / math.sqrt(2.0), rel=1e-9)


def crystal(overlap: float) -> elasticity.Packing:
    """Return a face-centred cubic packing of spheres that overlap."""
    cells = 3
    places = (1.0 - overlap) * crystals.places(cells)
    edge = (1.0 - overlap) * cells * crystals.CELL
    return elasticity.bearing(jammed.State(places, np.ones(len(places)), edge, math.nan))


def test_the_mean_field_is_exact_in_a_crystal():
    of, tangential = crystal(1e-6), 0.7
    mean_field = networks.mean_field(of.fraction_times_contacts, of.pressure)
    affine, relaxed = of.network(tangential)
    assert networks.bulk(relaxed) == pytest.approx(mean_field, rel=1e-5)
    assert networks.least_bulk(of.contacts, of.edge**3) == pytest.approx(mean_field, rel=1e-5)
    assert affine == pytest.approx(relaxed, rel=1e-9)
    ratio = networks.shear(relaxed) / networks.bulk(relaxed)
    assert ratio == pytest.approx(networks.affine_ratio(tangential), rel=1e-9)


def test_relaxed_moduli_are_those_of_a_dense_least_squares_solution():
    rng = np.random.default_rng(5)
    of = crystal(1e-2)
    shaken = of.places + rng.uniform(-2e-3, 2e-3, of.places.shape)
    of = elasticity.bearing(jammed.State(shaken, np.ones(len(shaken)), of.edge, math.nan))
    affine, relaxed = of.network(0.7)
    assert np.linalg.eigvalsh(affine - relaxed).min() > 0.0
    assert networks.bulk(affine) > 1.001 * networks.bulk(relaxed)
    # displacements and rotations of all spheres, from a dense matrix
    one, other, normal, distance, _, stiffness = of.contacts
    rows, stretch = [], []
    for i, j, n, length, k in zip(one, other, normal, distance, stiffness, strict=True):
        across = np.linalg.svd(n[None])[2][1:]
        for direction, spring in ((n, k), (across[0], 0.7 * k), (across[1], 0.7 * k)):
            row = np.zeros((len(shaken), 6))
            row[i, :3], row[j, :3] = direction, -direction
            row[[i, j], 3:] = -0.5 * length * np.cross(n, direction)
            rows.append(math.sqrt(spring) * row.ravel())
            branch = length * networks.STRAINS @ n
            stretch.append(math.sqrt(spring) * branch @ direction)
    by_motion, by_strain = np.array(rows), np.array(stretch)
    motion = np.linalg.lstsq(by_motion, -by_strain, rcond=1e-10)[0]
    left = by_strain + by_motion @ motion
    assert relaxed == pytest.approx(left.T @ left / of.edge**3, rel=1e-6, abs=1e-9)


def test_the_lower_bound_of_the_bulk_modulus():
    """The contacts of the crystal have balanced forces and random stiffnesses."""
    rng = np.random.default_rng(3)
    of = crystal(1e-6)
    one, other, normal = of.contacts[:3]
    balance = np.zeros((len(of.places), 3, len(one)))
    balance[one, :, range(len(one))] = normal
    balance[other, :, range(len(one))] = -normal
    balance = balance.reshape(-1, len(one))
    for scatter in (0.1, 0.5, 1.0):
        wanted = 1.0 + scatter * rng.standard_normal(len(one))
        force = wanted - np.linalg.lstsq(balance, balance @ wanted, rcond=1e-10)[0]
        assert balance @ force == pytest.approx(0.0, abs=1e-12)
        contacts = of.contacts._replace(
            force=force, stiffness=rng.lognormal(0.0, scatter, len(one))
        )
        for tangential in (0.0, 0.7):
            changed = of._replace(contacts=contacts)
            bound = networks.least_bulk(contacts, of.edge**3)
            assert 0.0 < bound < networks.bulk(changed.network(tangential).relaxed)


class Here:
    """Stands in for the `Context` of a case and runs LAMMPS."""

    def lammps(self, script: str, **keywords: Any) -> engine.Run:
        return engine.run(script, **keywords)


def test_moduli_of_a_disordered_packing(tmp_path: Path):
    """The moduli from LAMMPS are nearly those of a network of springs without forces."""
    kind = jammed.Kind(3, "hertz", elasticity.POWER)
    of = elasticity.bearing(jammed.prepare(Here(), kind, 9500, grains=128, steps=6)[-1])
    network = of.network(0.7)
    scale = networks.bulk(network.relaxed)
    for found, expected in zip(
        elasticity.strained(Here(), of, 0.7, tmp_path / "strains"), network, strict=True
    ):
        assert found / scale == pytest.approx(expected / scale, abs=10.0 * of.overlap)
    assert of.overlap < 2e-3
    across = network.affine[:3, 3:] / scale  # these moduli vanish in a crystal
    assert np.abs(across).max() > 20.0 * of.overlap


def test_moduli_and_sound_of_a_crystal(tmp_path: Path):
    of, tangential = crystal(1e-6), 0.7
    network = of.network(tangential)
    moduli = elasticity.strained(Here(), of, tangential, tmp_path / "strains")
    scale = networks.bulk(network.relaxed)
    for found, expected in zip(moduli, network, strict=True):
        assert found / scale == pytest.approx(expected / scale, abs=2e-4)
    speeds, very_long = elasticity.sound(
        Here(), of, tangential, network.relaxed, tmp_path / "waves"
    )
    wave_number = 2.0 * np.pi / (elasticity.COPIES * of.edge)
    squares = crystals.waves([wave_number, 0.0, 0.0], tangential)[0]
    # crystals.waves returns frequencies in units of of.frequency
    expected = np.sqrt(np.sort(squares)[:3]) * of.frequency / wave_number
    assert speeds == pytest.approx(expected, rel=2e-4)
    assert very_long == pytest.approx(expected, rel=5e-3)
    assert (speeds < very_long).all()


def test_the_affine_moduli_of_packings_have_the_ratio_of_walton():
    poisson = 0.2
    tangential = 2.0 * (1.0 - poisson) / (2.0 - poisson)  # Mindlin
    assert given("packing-sound", "affine shear") == [
        pytest.approx(networks.affine_ratio(tangential))
    ]
    exponential = given("packing-sound", "affine bulk modulus, at least")
    assert exponential == [pytest.approx(math.gamma(4.0 / 3.0))]
    # `material` is Walton's B = 1/(4 pi) (1/shear + 1/(shear + lambda)) with Lame's constant lambda
    contacts, pressure, shear = 3.7, 1e-5, 1.0
    material = (1.0 / shear + (1.0 - 2.0 * poisson) / shear) / (4.0 * math.pi)
    walton = (3.0 * contacts**2 * pressure / (math.pi**4 * material**2)) ** (1.0 / 3.0) / 6.0
    hertz = 4.0 / 3.0 * shear / (1.0 - poisson)
    assert hertz * networks.mean_field(contacts, pressure / hertz) == pytest.approx(walton)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_shear_modulus_is_the_curvature_of_the_energy(dimension):
    rng = np.random.default_rng(7)
    edge = 3.0
    places = np.array(list(itertools.product(range(3), repeat=dimension))) + 0.5
    places = places + rng.uniform(-0.05, 0.05, places.shape)
    count, sizes = len(places), np.full(len(places), 1.55)
    found = jammed.contacts(places, sizes, edge, 1.5)
    shears = jammed.shears(dimension)
    assert np.einsum("sij,tij->st", shears, shears) == pytest.approx(0.5 * np.eye(len(shears)))
    assert np.einsum("sii->s", shears) == pytest.approx(0.0)
    branch = found.distance[:, None] * found.normal
    overlap = 1.55 - found.distance
    assert found.stiffness == pytest.approx(1.5 * math.sqrt(1.55 / 4.0) * overlap**0.5)
    assert found.force == pytest.approx(math.sqrt(1.55 / 4.0) * overlap**1.5)

    def energy(x: np.ndarray) -> float:
        moved, strain = x[: count * dimension].reshape(count, dimension), x[count * dimension :]
        r = branch + branch @ np.einsum("s,sij->ij", strain, shears)
        r = r + moved[found.one] - moved[found.other]
        stretch = np.linalg.norm(r, axis=1) - found.distance
        return float((0.5 * found.stiffness * stretch**2).sum())

    size, h = count * dimension + len(shears), 1e-4
    steps = h * np.eye(size)
    hessian = np.array(
        [
            [
                energy(a + b) - energy(a - b) - energy(b - a) + energy(-a - b)
                for b in steps
            ]
            for a in steps
        ]
    ) / (4.0 * h**2)  # fmt: skip
    free, all_moves = slice(dimension, count * dimension), slice(count * dimension, size)
    coupling = hessian[free, all_moves]
    curvature = hessian[all_moves, all_moves] - coupling.T @ np.linalg.solve(
        hessian[free, free], coupling
    )
    expected = np.trace(curvature) / len(shears) / edge**dimension
    modulus = jammed.shear_modulus(found, count, edge**dimension)
    assert modulus == pytest.approx(expected, rel=1e-5)


def test_waves_of_a_crystal_are_the_eigenvalues_of_its_energy():
    cells, tangential = 2, 0.4
    places = crystals.places(cells)
    count, edge = len(places), cells * crystals.CELL
    matrix = np.zeros((6 * count, 6 * count))
    for i in range(count):
        for n in crystals.NEIGHBOURS:
            apart = (places - places[i] - n + 0.5 * edge) % edge - 0.5 * edge
            j = int(np.linalg.norm(apart, axis=1).argmin())
            stretch = np.zeros((3, 6 * count))
            lever = np.cross(np.eye(3), n).T
            stretch[:, 6 * j : 6 * j + 6] += np.hstack([np.eye(3), -0.5 * lever])
            stretch[:, 6 * i : 6 * i + 6] += np.hstack([-np.eye(3), -0.5 * lever])
            spring = np.outer(n, n) + tangential * (np.eye(3) - np.outer(n, n))
            matrix += 0.5 * stretch.T @ spring @ stretch  # each contact occurs twice
    root = np.tile(np.sqrt(np.repeat([1.0, 0.1], 3)), count)
    all_squares = np.linalg.eigvalsh(matrix / np.outer(root, root))
    for waves in ((1, 0, 0), (1, 1, 0), (1, 1, 1)):
        squares, _ = crystals.waves(2.0 * np.pi / edge * np.array(waves), tangential)
        off = np.abs(squares[:, None] - all_squares).min(axis=1)
        assert off.max() < 1e-12
    # For long waves along [100], (frequency/wave number)^2 is k_n d^2/m (1 + k_t/k_n) if the wave
    # is longitudinal, and half this value if the wave is transverse.
    squares, _ = crystals.waves([1e-4, 0.0, 0.0], tangential)
    assert squares[:3] / 1e-8 == pytest.approx([0.7, 0.7, 1.4], rel=1e-6)
    edge = 4 * crystals.CELL
    for name, waves in (("100", (1, 0, 0)), ("110", (1, 1, 0)), ("111", (1, 1, 1))):
        squares, _ = crystals.waves(2.0 * np.pi / edge * np.array(waves), 2.0 / 3.0)
        assert given("fcc-sound", f"[{name}]") == pytest.approx(np.sqrt(squares), rel=1e-8)
    assert given("fcc-sound", "pressure") == pytest.approx([8.0**0.5])
    assert given("fcc-sound", "exponent") == pytest.approx([1.0 / 6.0])


def test_columns_spread_as_in_the_experiments():
    benchmark = "column-collapse"
    for name, law in (("low columns", collapse.LOW), ("tall columns", collapse.TALL)):
        assert given(benchmark, f"{name}: exponent of the run") == pytest.approx([law.exponent])
        assert given(benchmark, f"{name}: factor") == pytest.approx([law.factor])
    exponent = collapse.HEIGHT.exponent
    assert given(benchmark, "tall columns: exponent of the height") == pytest.approx([exponent])
    # each tolerance is half the distance to the exponent of another kind of column
    between = {"low columns: exponent of the run-out": 0.5 * (collapse.LOW.exponent - 0.5)}
    between["tall columns: exponent of the run-out"] = 0.5 * (collapse.CHANNEL - 0.5)
    between["tall columns: exponent of the height"] = 0.5 * exponent
    for quantity, bound in between.items():
        assert GIVEN[benchmark][quantity].tolerance == pytest.approx(bound, rel=1e-3)
    # both laws give nearly the same run-out at CHANGE
    assert collapse.TALL(collapse.CHANGE) == pytest.approx(collapse.LOW(collapse.CHANGE), rel=0.02)


def test_the_pulse_is_what_the_equations_of_motion_give():
    found = chains.pulse(40)
    walls = [found.wall_force] * 2
    faceted = [found.speed, found.velocity]
    expected = [found.speed, found.velocity, found.force, found.scaled_speed, *walls, *faceted]
    assert given("nesterenko-chain", "") == pytest.approx(expected, rel=1e-5)


def test_jkr_impacts_lose_the_work_between_touch_and_the_widest_gap():
    unit = adhesion.Material(1.0, 1.0, 1.0)
    loss = adhesion.jkr_loss(unit)
    assert given("jkr-impact", "loss") == pytest.approx([loss], rel=1e-6)
    slow = math.sqrt(2.0 * loss)
    assert given("jkr-impact", "sticking") == pytest.approx([slow], rel=1e-6)
    # the loss scales as work^5/3 R^4/3 E^-2/3
    other = adhesion.Material(7.0, 0.3, 0.2)
    assert adhesion.jkr_loss(other) == pytest.approx(
        loss * (other.work**5 * other.radius**4 / other.modulus**2) ** (1 / 3), rel=1e-8
    )
    speeds = slow * np.array([1.1, 1.5, 2.0, 5.0, 10.0])
    expected = [adhesion.restitution(v, 1.0, unit) for v in speeds]
    assert given("jkr-impact", "restitution") == pytest.approx(expected, rel=1e-6)
    assert adhesion.restitution(0.999 * slow, 1.0, unit) == 0.0


def test_forces_of_jkr_contacts_are_their_pressure_summed():
    m = adhesion.Material(3.0, 0.4, 0.05)
    for a in (0.2, 0.5):
        closed = 4.0 * m.modulus * a**3 / (3.0 * m.radius)
        closed -= math.sqrt(8.0 * math.pi * m.work * m.modulus * a**3)
        assert adhesion.force(a, m) == pytest.approx(closed, rel=1e-9)
    assert adhesion.pull_off(m) == pytest.approx(1.5 * math.pi * m.work * m.radius, rel=1e-9)


def test_contacts_that_yield_and_stick():
    m = adhesion.Material(1.0, 1.0, 1e-7, 8e-3)
    radii = [adhesion.radius_at(depth, m) for depth in (0.001, 0.003, 0.01)]
    flat = [adhesion.flattened(a, m) for a in radii]
    benchmark = "yielding-adhesion"
    forces = [adhesion.force(a, m) for a in radii]
    assert given(benchmark, "Thornton & Ning: force") == pytest.approx(forces, rel=1e-8)
    torn = [adhesion.pull_off(f) / (1.5 * math.pi * m.work) for f in flat]
    assert given(benchmark, "Thornton & Ning: pull-off") == pytest.approx(torn, rel=1e-5)
    speeds = np.array([5.0, 20.0, 100.0]) * math.sqrt(m.limit**5)
    e = [adhesion.restitution(v, 1.0, m) for v in speeds]
    assert given(benchmark, "Thornton & Ning: restitution") == pytest.approx(e, rel=1e-5)
    dry = m._replace(work=1e-14)
    yields = powders.thornton_ning_yield_speed(1.0, m.limit, 1.0, 1.0)
    closed = powders.thornton_ning_restitution(speeds[1] / yields)
    assert adhesion.restitution(speeds[1], 1.0, dry) == pytest.approx(closed, rel=1e-3)


def test_edinburgh_with_adhesion():
    law = (1e4, 4e4, 2e3, -0.1, 1.5)
    benchmark = "yielding-adhesion"
    least = [powders.edinburgh_least_force(depth, *law) for depth in (0.005, 0.01, 0.02)]
    assert given(benchmark, "Edinburgh: least") == pytest.approx(least, rel=1e-5)
    e = [powders.edinburgh_adhesive_restitution(v, 1.0, *law) for v in (0.1, 0.2, 0.5)]
    assert given(benchmark, "Edinburgh: rest") == pytest.approx(e, rel=1e-5)
    dry = powders.edinburgh_adhesive_restitution(0.3, 1.0, 1e4, 4e4, 0.0, 0.0, 1.5)
    assert dry == pytest.approx(powders.edinburgh_restitution(1e4, 4e4, 1.5), rel=1e-9)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / benchmarks.FOLDER
    place.mkdir(parents=True)
    row = "speed,m/s,2.0,0.1,relative,theory,ours,because"
    (place / "fast.csv").write_text(f"{HEADER}\n{row}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("row", "status", "words"),
    [
        ("fast,speed,2.1,", 0, "within other fast speed 2.1 2 5 % 10 %"),
        ("fast,speed,2.3,", 1, "outside other fast speed 2.3 2 15 % 10 %"),
        ("fast,speed,2.1,2.5", 1, "undecided other fast speed 2.1 2 25 % 10 %"),
    ],
)
def test_results_of_any_code_are_judged(folder, row, status, words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    file = folder / "other.csv"
    file.write_text(f"benchmark,quantity,value,high\n{row}\n")
    assert commands.main(["benchmarks", str(file), "--cases", str(folder)]) == status
    head, line = (" ".join(text.split()) for text in capsys.readouterr().out.strip().splitlines())
    assert head == "code benchmark quantity value reference largest error tolerance"
    assert line == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("benchmark,quantity\nfast,speed", "has no column value"),
        ("benchmark,quantity,value\nfast,speed,quick", "line 2: value, low and high must be num"),
        ("benchmark,quantity,value\nfast,speed,nan", "line 2: value nan must be finite"),
        ("benchmark,quantity,value,low\nfast,speed,2,3", "between low 3"),
        ("benchmark,quantity,value\nslow,speed,2", "there is no benchmark 'slow'; there are: fast"),
        ("benchmark,quantity,value\nfast,spin,2", "benchmark fast has no quantity 'spin'"),
        ("benchmark,quantity,value,unit\nfast,speed,2,km/h", "unit 'km/h' must be 'm/s'"),
    ],
)
def test_results_that_cannot_be_judged_are_refused(folder, text, message):
    file = folder / "other.csv"
    file.write_text(text + "\n")
    with pytest.raises(UsageError, match=message):
        benchmarks.judge_all(benchmarks.read(file), folder)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("speed,m/s,two,0.1,relative,theory,ours,because", "reference and tolerance must be num"),
        ("speed,m/s,2,0.1,roughly,theory,ours,because", "kind 'roughly' must be one of"),
        ("speed,m/s,2,0.1,relative,hearsay,ours,because", "reference_by 'hearsay' must be one of"),
    ],
)
def test_references_are_checked(folder, row, message):
    (folder / benchmarks.FOLDER / "fast.csv").write_text(f"{HEADER}\n{row}\n")
    with pytest.raises(CaseError, match=message):
        benchmarks.references(folder, "fast")


def test_a_result_known_to_be_outside_passes_only_while_it_is(folder):
    reference = benchmarks.references(folder, "fast")["speed"]
    outside, inside = Interval(3.0, 2.9, 3.1, ""), Interval(2.0, 2.0, 2.0, "")
    assert not benchmarks.judge_by(reference, "fast", outside).passed
    assert benchmarks.judge_by(reference, "fast", outside, deviates="known").passed
    assert not benchmarks.judge_by(reference, "fast", inside, deviates="known").passed


def test_an_undecided_quantity_must_be_undecided(folder):
    reference = benchmarks.references(folder, "fast")["speed"]
    wide = Interval(2.0, 1.0, 3.0, "")
    assert not benchmarks.judge_by(reference, "fast", wide).passed
    assert benchmarks.judge_by(reference, "fast", wide, undecided="one run").passed
    for decided in (Interval(3.0, 2.9, 3.1, ""), Interval(2.0, 2.0, 2.0, "")):
        assert not benchmarks.judge_by(reference, "fast", decided, undecided="one run").passed


def test_what_is_written_is_read(folder):
    rows = [benchmarks.Found("fast", "speed", "m/s", 2.0, 1.9, 2.05, "1 to 4", "ours", "abc")]
    benchmarks.write(rows, file := Path(folder / "results.csv"))
    assert benchmarks.read(file) == rows


def globals_of(name: str) -> dict[str, Any]:
    return next(case for case in discover(ROOT) if case.name == name).run.__globals__


def sheared(ratio: float, fraction: float = 0.6, contacts: float = 4.0, inertia: float = 0.01):
    scatter = 1.0 + 0.01 * np.cos(np.arange(16))
    return steady_shear.Flow(
        inertia, np.ones(16), ratio * scatter, fraction * scatter, contacts * scatter
    )


def test_stress_of_steady_shear_is_that_of_the_forces(tmp_path):
    """LAMMPS's virial contains the sum of dx*fy. The stress along the flow is the sum of dy*fx.

    The two sums differ by the sum of the torques.
    """
    spheres = steady_shear.Spheres(5, 0.5, 0.7)
    stages = [steady_shear.Stage(0.1, 0.5, 1.0), steady_shear.Stage(0.05, 0.25, 0.5)]
    text = steady_shear.script(spheres, stages, 1)
    end = """
compute virial all pressure NULL virial
compute torques all property/atom tqz
compute torque all reduce sum c_torques
compute pairs all pair/local {values}
variable given equal c_virial[4]*vol
variable torque equal c_torque
thermo_style custom step v_given v_torque vol
thermo_modify format float %.17g
run 0
write_dump all local pairs c_pairs[1] c_pairs[2] c_pairs[3] c_pairs[4] modify format float %.17g
"""
    names = ("separation_x", "force_y", "separation_y", "force_x")
    run = engine.run(text + end.format(values=pair_local(*names)), folder=tmp_path)
    dx, fy, dy, fx = run.local("pairs")[list(names)].to_numpy().T
    last = run.thermo.iloc[-1]
    assert last["v_given"] == pytest.approx(np.sum(dx * fy), rel=1e-9)
    assert last["v_given"] + last["v_torque"] == pytest.approx(np.sum(dy * fx), rel=1e-9)
    assert abs(last["v_torque"]) > 1e-6 * abs(last["v_given"])
    fast, slow = (steady_shear.read(tmp_path, spheres, s, n) for n, s in enumerate(stages))
    assert [len(flow.ratio) for flow in (fast, slow)] == [4, 2]
    assert fast.pressure.mean() == pytest.approx(1.0, abs=0.1)
    assert 0.3 < fast.ratio.mean() < 0.6
    assert 0.5 < fast.fraction.mean() < slow.fraction.mean() < 0.62
    assert 1.0 < fast.contacts.mean() < slow.contacts.mean() < 6.0


def test_blocks_of_steady_shear_are_read(tmp_path):
    spheres, stage = steady_shear.Spheres(10, 0.0, 0.1), steady_shear.Stage(0.05, 0.25, 1.0)
    assert stage.blocks == 5
    assert stage._replace(strain=30.0).shorter(0.3).strain == pytest.approx(9.0)
    assert stage._replace(strain=30.0).shorter(0.01).strain == 2.0
    duration = stage.steps(spheres) * spheres.step
    assert duration == pytest.approx(0.25 / 0.05, rel=0.05)
    volume = 1000.0 * np.pi / 6.0 / 0.6
    spin = np.array([0.0, 0.0, 20.0, 20.0, 20.0])
    rows = [f"{k} 2.0 -0.3 0.6\n" for k in range(5)]
    (tmp_path / "stress-0").write_text("# header\n" + "".join(rows))
    (tmp_path / "contacts-0").write_text("".join(f"{k} 4.5\n" for k in range(5)))
    (tmp_path / "spin-0").write_text("".join(f"{k} {s}\n" for k, s in enumerate(spin)))
    flow = steady_shear.read(tmp_path, spheres, stage, 0)
    gained = 0.1 * 20.0 / duration / volume
    assert flow.shear == pytest.approx([0.3, 0.3 - gained, 0.3, 0.3])
    assert flow.ratio[0] == pytest.approx(0.15)
    assert (flow.pressure[0], flow.fraction[0], flow.contacts[0]) == (2.0, 0.6, 4.5)
    assert steady_shear.strains(np.arange(9.0)).tolist() == [2.5, 6.5]


def test_a_power_of_the_inertial_number_is_extrapolated():
    limit = globals_of("frictionless-shear")["limit"]
    inertia = np.array([5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2])
    exact = 0.1 + 0.35 * inertia**0.42
    errors = np.full(6, 1e-6)
    found = limit(inertia, exact, errors, 100)
    assert found.value.value == pytest.approx(0.1, abs=1e-6)
    assert (found.factor, found.exponent) == pytest.approx((0.35, 0.42), abs=1e-6)
    assert found.at(inertia) == pytest.approx(exact)
    rng = np.random.default_rng(1)
    errors = np.full(6, 2e-3)
    inside = 0
    for _ in range(200):
        value = limit(inertia, exact + errors * rng.standard_normal(6), errors, 100, 0.8).value
        inside += value.low <= 0.1 <= value.high
        assert value.at_level(0.95).low < value.low
    assert 0.75 < inside / 200 < 0.97
    rough = exact + 0.01 * np.array([1, -1, 1, -1, 1, -1])
    wide, narrow = (limit(inertia, values, errors, 100) for values in (rough, exact))
    assert wide.misfit > 10.0
    assert wide.value.high - wide.value.low > 2.0 * (narrow.value.high - narrow.value.low)


def test_flows_without_friction_are_summarised():
    of = globals_of("frictionless-shear")
    inertia = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2)
    flows = [sheared(0.1 + 0.4 * i**0.4, 1.0 / (1.56 + 0.3 * i**0.4), inertia=i) for i in inertia]
    table = of["summary"](flows)
    assert table["blocks"].tolist() == [4] * 7
    limits = of["limits"](table, 0.95)
    # the mean of sixteen samples of a cosine is small but not 0
    assert of["angle"](limits["ratio"].value.value) == pytest.approx(5.71, abs=0.02)
    assert 1.0 / limits["volume"].value.value == pytest.approx(0.641, abs=0.001)
    stiff = table.iloc[[1, 3]].assign(ratio=lambda rows: rows["ratio"] + [0.01, 0.02])
    stiff["ratio_error"] *= [1.0, 1e6]
    both = table.merge(stiff, on="inertia", suffixes=("", "_stiff"))
    assert of["differences"](both, "ratio").tolist() == pytest.approx([0.01, 0.02])
    mean = of["mean_difference"](both, "ratio")
    assert mean.value == pytest.approx(0.01, rel=1e-6)
    ends = of["rigid"](Interval(0.1, 0.07, 0.14, ""), Interval(0.009, -0.027, 0.036, ""))
    assert (ends.value, ends.low, ends.high) == pytest.approx((0.11, 0.06, 0.16))
    error = 2.0**0.5 * table["ratio_error"][1]
    assert mean.high - mean.value == pytest.approx(2.179 * error, rel=1e-3)


def test_sliders_and_frictions_are_compared():
    of = globals_of("critical-state")
    state, rates = of["State"], (0.003, 0.01)
    found = {
        state(friction, slider, i): sheared(
            (0.2 + 0.1 * friction + i) * (1.03 if slider == "csds" else 1.0),
            0.62 - 0.05 * friction - i,
            inertia=i,
        )
        for friction in (0.1, 0.3, 1.0)
        for slider in ("csds", "dsds")
        for i in rates
    }
    found[state(0.3, "csds", 0.01)] = sheared(1.06 * 0.24, 0.595, inertia=0.01)
    ratio = of["compared"](found, "stress ratio", 0.95)
    assert ratio.value == pytest.approx(1.03 * (1.06 / 1.03) ** (1.0 / 6.0))
    assert of["compared"](found, "contacts", 0.95).value == pytest.approx(1.0)
    alone = of["compared"](found, "stress ratio", 0.95, 0.1)
    assert alone.value == pytest.approx(1.03)
    assert alone.high - alone.low > ratio.high - ratio.low
    mean = 1.0 + 0.01 * np.cos(np.arange(16)).mean()
    thinner = of["growth"](found, "solid fraction", -1.0, 0.95)
    assert thinner.value == pytest.approx(mean * 0.05 * 0.2, rel=1e-6)
    growth = of["growth"](found, "stress ratio", 1.0, 0.95)
    lower, higher = 1.03 * 0.2165, (1.03 * 0.233 + 1.06 * 0.24) / 2.0
    assert growth.value == pytest.approx(mean * (higher - lower), rel=1e-6)
    still = of["limits"](found, 1.0, "solid fraction", 0.95)
    assert still.value == pytest.approx(mean * 0.57, rel=1e-6)
    assert len(of["summary"](found)) == len(found)
