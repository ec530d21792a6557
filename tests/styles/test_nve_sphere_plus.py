"""Motion with fix nve/sphere/plus equals that with LAMMPS's fix nve/sphere bit for bit."""

from __future__ import annotations

import pytest

PAIR = """pair_style granular/plus
pair_coeff * * hooke 2e4 15 damping mass_velocity tangential linear_history 1e4 0.8 0.3"""
STYLES = ("nve/sphere", "nve/sphere/plus")
REST = "\nfix weight all gravity 1 vector 0 0 -1\ntimestep 1e-4\n"
ODD = "variable odd atom id%2\ngroup odd variable odd\n"


def same_bits(packing, moves, **options):
    one, other = (
        packing.end(PAIR, move=moves.format(style=style) + REST, **options) for style in STYLES
    )
    return one.equals(other)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize(
    "moves",
    [
        "fix move all {style}\nfix floor bottom freeze",
        "group grains subtract all bottom\nfix move grains {style}",
        ODD + "velocity all set -0.0 0 -0.0\nfix move odd {style}",
        "group grains subtract all bottom\nfix move grains {style}\n"
        "fix shake bottom move wiggle 0.1 0 0 0.05",
        "group body id 110:116\ngroup free subtract all body\n"
        "neigh_modify exclude group body body\nfix rigid body rigid single\nfix move free {style}",
        "atom_modify first bottom\nfix move bottom {style}",
        "group few id 200:220\nfix slow few viscous 2.0\nfix move all {style}\n"
        "fix faster all dt/reset 10 1e-5 2e-4 0.001",
    ],
    ids=["freeze", "group", "every other", "fix move", "rigid", "first group", "varying step"],
)
def test_same_bits_as_nve_sphere(packing, moves, ranks):
    assert same_bits(packing, moves, ranks=ranks)


@pytest.mark.parametrize("clone", ["portable", "avx2"])
def test_same_bits_with_every_clone(packing, clone, monkeypatch):
    monkeypatch.setenv("GRANULAR_PLUS_CLONE", clone)
    assert same_bits(packing, ODD + "fix move odd {style}")


DIPOLES = """
units lj
atom_style hybrid sphere dipole
atom_modify map array
region box block 0 8 0 8 0 8
create_box 1 box
lattice sc 1.0
create_atoms 1 box
set group all diameter 0.9 density 1
set group all dipole/random 4711 1.5
velocity all create 1.0 4711 loop geom
set group all omega 1 2 3
comm_modify vel yes
pair_style granular/plus
pair_coeff * * hooke 1e3 5 tangential linear_nohistory 1 0.5
fix move all {style} update {keyword}
timestep 1e-3
run 50
write_dump all custom end id x y z vx vy vz omegax mux muy muz modify sort id format float %.17g
"""


@pytest.mark.parametrize("keyword", ["dipole", "dipole/dlm"])
def test_keywords_are_left_to_lammps(packing, keyword):
    one, other = (packing.run(DIPOLES.format(style=s, keyword=keyword)) for s in STYLES)
    assert one.dump("end").equals(other.dump("end"))
    assert "uses LAMMPS's fix nve/sphere because of the keyword update" in other.log


def test_respa_is_refused(packing, tools, lammps_error):
    script = tools.setup + PAIR + "\nfix move all nve/sphere/plus\nrun_style respa 2 2\nrun 0\n"
    text = lammps_error(script, variables=packing.variables())
    assert "run_style respa" in text
    assert "run_style verlet" in text


def test_points_are_refused(packing, tools, lammps_error):
    script = tools.setup + PAIR + "\nset atom 7 diameter 0\nfix move all nve/sphere/plus\nrun 0\n"
    text = lammps_error(script, variables=packing.variables())
    assert "radius of atom 7 = 0 must be > 0" in text
