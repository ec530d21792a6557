"""Statements in theory_shapes.md about contact areas that are not circular."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from pysuite import engine, shapes

PAGE = Path(__file__).parents[2] / "docs/explanation/theory_shapes.md"
LYING = """
units lj
atom_style bpm/sphere
comm_modify vel yes
boundary f f f
region box block -9 9 -9 9 -1 9
create_box 1 box
create_atoms 1 single 0 0 {height}
set atom 1 diameter {diameter:.17g}
pair_style granular/plus
pair_coeff * * hertz 1 0 tangential linear_nohistory 0 0
fix grain all shape/granular/plus file {file} density 1 nodes 40000
fix floor all wall/granular/plus hertz 1 0 tangential linear_nohistory 0 0 zplane 0 NULL
variable force equal fz[1]
thermo_style custom step v_force
run 0
"""


def below_hertz(ratio: float) -> float:
    """Return (R1 R2)^(1/4) d^(3/2) divided by the force of Hertz's elliptic contact.

    R1 and R2 are the radii of curvature, d is the overlap, and `ratio` is R1/R2. The result is
    F2^(3/2) in Johnson, Contact Mechanics, eqs. 4.26 to 4.28.
    """

    def integrals(axes: float) -> tuple[float, float]:
        squared = 1.0 - axes**-2
        return ellipk(squared), ellipe(squared)

    def radii(axes: float) -> float:
        k, e = integrals(axes)
        return (axes**2 * e - k) / (k - e)

    axes = brentq(lambda axes: radii(axes) - ratio, 1.0 + 1e-6, 1e3)
    k, e = integrals(axes)
    squared = 1.0 - axes**-2
    f1 = (4 / (np.pi * squared * axes**1.5) * np.sqrt((axes**2 * e - k) * (k - e))) ** (1 / 3)
    return (2 / np.pi * axes**-0.5 / f1 * k) ** 1.5


def test_the_page_has_the_differences_from_elliptic_contacts():
    rows = re.search(r"\| \$R_1 : R_2\$ \|(.*)\|\n.*\n\| too low by \|(.*)\|", PAGE.read_text())
    ratios = [float(cell.split(":")[1]) for cell in rows[1].split("|")]
    shown = [float(cell.strip(" %")) for cell in rows[2].split("|")]
    assert len(ratios) == 4
    for ratio, percent in zip(ratios, shown, strict=True):
        digits = 1 if percent < 10 else 0
        assert round(100 * (1 - below_hertz(ratio)), digits) == percent


@pytest.mark.parametrize("ratio", [2.0, 10.0])
def test_an_ellipsoid_on_its_side_is_too_soft_by_that(ratio, tmp_path):
    depth = 0.01
    mesh = shapes.ellipsoid(np.sqrt(ratio), 1.0, 1.0)  # the radii of curvature are `ratio` and 1
    file = mesh.write(tmp_path / "grain.obj")
    diameter = 2 * shapes.Shape(mesh).bounding_radius
    run = engine.run(LYING.format(height=1 - depth, diameter=diameter, file=file))
    hertz = ratio**0.25 * depth**1.5 / below_hertz(ratio)
    # the remaining error is caused by the spacing of the nodes and by the finite overlap
    assert run.thermo["v_force"].iloc[0] / hertz == pytest.approx(below_hertz(ratio), rel=2e-3)
