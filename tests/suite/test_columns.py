"""Columns that collapse: evaluation of views from above, fits and overlaps with known results."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pysuite import engine
from pysuite.lammps.run import unused_variables
from pysuite.validation import cases_folder, discover
from pysuite.validation.setups import columns
from pysuite.validation.setups.columns import Column

(CASE,) = (case for case in discover(cases_folder()) if case.name == "column-collapse")
COLLAPSE = CASE.run.__globals__


def disc(radius: float, height: float = 0.5, shift: float = 0.0) -> np.ndarray:
    at = np.arange(-math.ceil(radius), math.ceil(radius) + 1.0) + shift
    x, y = (grid.ravel() for grid in np.meshgrid(at, at))
    inside = np.hypot(x, y) < radius - 0.5
    # the rows of spheres must not be parallel to the rows of pixels
    turn = math.cos(0.3), math.sin(0.3)
    x, y = turn[0] * x - turn[1] * y, turn[1] * x + turn[0] * y
    return np.column_stack([x, y, np.full_like(x, height)])[inside]


def cone(radius: float, slope: float) -> np.ndarray:
    heights = np.arange(0.5, radius * slope)
    layers = [disc(radius - (z - 0.5) / slope, z, 0.5 * (i % 2)) for i, z in enumerate(heights)]
    return np.concatenate(layers)


def seen(place: np.ndarray) -> columns.Seen:
    return columns.seen(place, np.full(len(place), 0.5))


@pytest.mark.parametrize("radius", [6.0, 15.0, 30.5])
@pytest.mark.parametrize("slope", [0.2, 0.5])
def test_the_front_of_a_cone_is_its_radius(radius, slope):
    view = seen(cone(radius, slope))
    # the edge of the square lattice of spheres has gaps of up to a diameter
    assert view.front == pytest.approx(radius, abs=0.75)


@pytest.mark.parametrize("slope", [0.2, 0.5])
def test_the_surface_of_a_cone_has_its_slope(slope):
    view = seen(cone(30.5, slope))
    part = (view.distance > 3.0) & (view.distance < 26.0)
    found, _ = np.polyfit(view.distance[part], view.height[part], 1)
    assert found == pytest.approx(-slope, rel=0.05)


def test_single_spheres_beyond_the_deposit_do_not_count():
    rng = np.random.default_rng(1)
    away, angle = rng.uniform(13.0, 40.0, 300), rng.uniform(0.0, 2.0 * math.pi, 300)
    single = np.column_stack([away * np.cos(angle), away * np.sin(angle), np.full(300, 0.5)])
    heap = cone(12.0, 0.5)
    alone, both = seen(heap), seen(np.concatenate([heap, single]))
    assert both.front == pytest.approx(alone.front, abs=0.5)
    assert both.distance.max() > 35.0


def test_a_ring_that_is_cut_off_does_not_count():
    ring = disc(20.0)
    ring = ring[np.hypot(*ring.T[:2]) > 14.0]
    assert seen(np.concatenate([disc(10.0), ring])).front == pytest.approx(10.0, abs=0.5)


def test_nothing_on_the_axis_has_no_front():
    ring = disc(20.0)
    assert math.isnan(seen(ring[np.hypot(*ring.T[:2]) > 14.0]).front)


def test_the_volume_below_the_surface_of_a_sphere():
    place, radius = np.array([[3.3, -2.2, 2.0]]), np.array([1.5])
    view = columns.seen(place, radius)
    ring = np.pi * ((view.distance + 0.5) ** 2 - (view.distance - 0.5) ** 2)
    spacing = columns.RING / columns.RINGS
    volume = (view.height * ring).sum() / spacing
    expected = np.pi * 1.5**2 * 2.0 + 2.0 / 3.0 * np.pi * 1.5**3
    assert volume == pytest.approx(expected, rel=0.03)
    covered = (view.coverage * ring).sum() / spacing
    assert covered == pytest.approx(np.pi * 1.5**2, rel=0.03)


def test_the_top_is_the_height_near_the_axis():
    heap = np.concatenate([disc(10.0, 0.5), disc(4.0, 3.0)])
    # the mean height of a hemisphere is 2/3 of its radius
    expected = math.pi / 4.0 * (3.0 + 0.5 * 2.0 / 3.0)
    assert seen(heap).top(3.0) == pytest.approx(expected, rel=0.05)


def test_overlaps_are_those_of_touching_spheres():
    place = np.array([[0.0, 0.0, 0.0], [0.9, 0.0, 0.0], [0.0, 1.1, 0.0], [5.0, 5.0, 5.0]])
    radius = np.array([0.5, 0.5, 0.55, 0.5])
    assert columns.overlaps(place, radius) == pytest.approx([0.1])


def table(factor: float, exponent: float, edge: float, scatter: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    rows = []
    for aspect in (0.6, 1.0, 1.4):
        for radius in (10.0, 10.0, 14.0, 20.0):
            real = aspect * rng.uniform(1.0, 1.03)
            top = 0.65 * radius * real**0.2
            runout = factor * radius * real**exponent * (1.0 - edge / top)
            runout *= 1.0 + scatter * rng.normal()
            rows.append({"radius": radius, "height": real * radius, "runout": runout, "top": top})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("factor", "exponent", "edge"), [(1.24, 1.0, 2.4), (1.6, 0.5, 1.0), (1.0, 0.8, 0.0)]
)
def test_a_power_law_is_found_whatever_edge_is_missing(factor, exponent, edge):
    of = table(factor, exponent, edge)
    law = COLLAPSE["fit"](of, 0.7)
    assert law == pytest.approx((factor, exponent, edge), rel=1e-4, abs=1e-4)
    found = COLLAPSE["exponent"](of, 0.7, 0.95)
    assert (found.low, found.high) == pytest.approx((exponent, exponent), abs=1e-4)
    found = COLLAPSE["prefactor"](of, exponent, 0.95)
    assert (found.low, found.high) == pytest.approx((factor, factor), rel=1e-4)


def test_intervals_hold_what_scatters():
    of = table(1.24, 1.0, 2.4, scatter=0.02)
    for found, true in (
        (COLLAPSE["exponent"](of, 1.0, 0.99), 1.0),
        (COLLAPSE["prefactor"](of, 1.0, 0.99), 1.24),
    ):
        assert found.low < true < found.high
        assert found.high - found.low > 0.01


def test_without_extrapolation_columns_run_less_far():
    of = table(1.24, 1.0, 2.4)
    of = of[of["radius"] == 10.0]
    assert (of["runout"] / of["height"]).max() < 0.85


def test_the_exponent_between_two_aspect_ratios():
    aspect = np.array([2.0, 2.0, 4.0, 8.0, 4.0])
    radius = np.array([8.0, 8.0, 8.0, 8.0, 12.0])
    runout = [2.0, 4.0, 6.0, 6.0 * 2.0**0.5, 100.0]
    of = pd.DataFrame(
        {"aspect": aspect, "radius": radius, "height": aspect * radius, "runout": runout}
    )
    found = np.array(COLLAPSE["local_exponents"](of))
    np.testing.assert_allclose(found, [[2.0, 4.0, 1.0], [4.0, 8.0, 0.5]])


def test_columns_are_low_or_tall_and_pairs_share_a_packing():
    rows = [
        {"slider": slider, "pack": pack, "aspect": a, "radius": 8.0, "height": 8.0 * a + 0.1}
        | {"runout": 8.0 * a * (1.1 if slider == "dsds" else 1.0)}
        for slider in ("csds", "dsds")
        for pack in (0, 1)
        for a in (1.0, 2.0)
    ]
    whole = pd.DataFrame(rows).drop(index=7)
    low, tall = COLLAPSE["split"](whole).values()
    assert (list(low["aspect"]), list(tall["aspect"])) == ([1.0, 1.0], [2.0, 2.0])
    dsds, csds = COLLAPSE["pairs"](whole)
    assert len(dsds) == 3
    assert dsds == pytest.approx(1.1 * csds)


def test_spheres_fill_the_cylinder_without_touching_the_plane(tmp_path):
    column = Column(2.0, 5.0, 0.5, 0.1)
    lines = columns.write(tmp_path, column, 1, 40.0).read_text().split("Atoms # sphere\n\n")[1]
    rows = np.array([line.split() for line in lines.split("\n\n")[0].splitlines()], dtype=float)
    diameter, place = rows[:, 2], rows[:, 4:7]
    assert np.hypot(*place.T[:2]).max() < 4.5
    assert place[:, 2].min() > 0.5
    assert np.abs(diameter - 1.0).max() < 0.1
    expected = columns.SETTLED * math.pi * 25.0 * 10.0
    assert np.pi / 6.0 * (diameter**3).sum() == pytest.approx(expected, rel=0.02)


class Folder:
    def __init__(self, folder):
        self.folder, self.runs = folder, 0

    def lammps(self, script, **keywords):
        self.runs += 1
        unused = unused_variables(script, keywords["variables"])
        words = {k: v for k, v in keywords["variables"].items() if k not in unused}
        folder = self.folder / str(self.runs)
        return engine.run(script, folder=folder, timeout=600.0, variables=words)


@pytest.fixture(scope="module")
def collapsed(tmp_path_factory):
    column = Column(1.0, 4.0, 0.5, 0.1)
    c = Folder(tmp_path_factory.mktemp("column"))
    return column, columns.collapse(c, column, columns.fill(c, column, 1))


def test_a_column_stands_until_its_cylinder_vanishes(collapsed):
    column, found = collapsed
    assert found.height == pytest.approx(column.height, rel=0.15)
    assert 0.45 < found.fraction < 0.62
    assert found.front[0] == pytest.approx(column.radius, abs=0.5)
    assert found.energy[0] < 1e-3
    assert len(found.time) == columns.FRAMES + 1


def test_a_column_spreads_and_comes_to_rest(collapsed):
    column, found = collapsed
    assert found.front[-1] > 1.2 * column.radius
    assert found.top[-1] < 0.9 * found.top[0]
    assert found.energy[-1] < 0.05 * found.energy.max()
    assert found.energy.max() < 0.5 * column.height
    assert 0.0 <= found.outside < 0.3


def test_contacts_are_stiff_enough(collapsed):
    _, found = collapsed
    assert 0.0 < found.overlap[0] < found.overlap[1] < 0.03


def test_the_row_of_a_collapse(collapsed):
    column, found = collapsed
    row = COLLAPSE["row"](column, 3, found)
    assert row["runout"] == found.front[-1] - column.radius
    before = found.time < row["duration"]
    assert (found.front[before] - column.radius < 0.95 * row["runout"]).all()
    assert 0.0 < row["duration"] < found.time[-1]
