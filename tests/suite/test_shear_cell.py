"""The cell of Kovalcinova et al.: the motion of its lids, and D2min."""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import engine
from pysuite.outputs import LOSSES
from pysuite.validation.setups import shear_cell
from pysuite.validation.setups.shear_cell import Granulate, Protocol


class Folder:
    """The part of a case's context that this cell uses."""

    def __init__(self, folder):
        self.folder = folder

    def lammps(self, script, **keywords):
        self.run = engine.run(script, folder=self.folder, **keywords)
        return self.run


@pytest.fixture(scope="module")
def sheared(tmp_path_factory):
    """Return the run of a wet pack that is sheared downwards first, and the initial positions."""
    with pytest.MonkeyPatch.context() as patch:
        everyone = shear_cell.WATCH.replace("places grains", "places all")
        patch.setattr(shear_cell, "WATCH", everyone)
        c = Folder(tmp_path_factory.mktemp("cell"))
        cycles = shear_cell.shear(
            c,
            Granulate(0.25, shear_cell.TENSION),
            0.3,
            pack=1,
            protocol=Protocol(pressed=1, settling=1, counted=1, period=60.0),
            first=-1,
        )
    return cycles, c.run.dump("places")


def test_lids_take_the_shape_of_the_paper(sheared):
    cycles, places = sheared
    lids = cycles.grains.index[cycles.grains["type"].isin((2, 3))]
    places = places[places["id"].isin(lids)]
    x, y = (places[axis].to_numpy().reshape(-1, len(lids)) for axis in "xy")
    time = np.arange(len(y)) / shear_cell.SAMPLES
    shape = 1.0 - (2.0 * x[0] / shear_cell.LENGTH) ** 2
    expected = -shear_cell.AMPLITUDE * np.sin(2.0 * np.pi * time)[:, None] * shape
    assert np.abs(x - x[0]).max() == 0.0
    assert np.abs(y - y[0] - expected).max() < 1e-4  # the dump has six digits


def test_lids_press_and_work(sheared):
    cycles, _ = sheared
    assert (cycles.lids > 0.05).all()
    lost = cycles.ledger[LOSSES].sum(axis=1).diff().sum()
    residual = cycles.ledger["residual"].to_numpy()
    assert cycles.work.sum() == pytest.approx(residual[-1] - residual[0], rel=0.01)
    assert (cycles.lost + cycles.ruptured).sum() == pytest.approx(lost, rel=1e-6)


def test_forces_on_the_grains_are_those_of_the_contacts(sheared):
    grains = sheared[0].grains
    assert (grains["force"] >= 0.0).all()
    assert (grains.loc[grains["type"] == 1, "force"] > 0.0).mean() > 0.9


def test_affine_motion_has_no_nonaffine_part():
    places = np.random.default_rng(1).uniform(0.0, 20.0, (200, 2))
    moved = places @ np.array([[1.1, 0.2], [-0.1, 0.9]]) + 3.0
    assert shear_cell.nonaffine(places, moved) < 1e-20
    # D2min is 0.1^2 from a grain's own motion, and up to twice as much with that of its neighbours
    moved[:, 1] += 0.1 * (-1.0) ** np.arange(200)
    assert 0.01 < shear_cell.nonaffine(places, moved) < 0.02
