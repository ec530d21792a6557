"""The same physics in other units of length, mass and time gives bitwise identical results.

The units are powers of two, so that products, quotients and the roots that occur are exact.
"""

from __future__ import annotations

import numpy as np
import pytest

from pysuite import laws


def evaluate(model, rng, in_units) -> list[laws.Step]:
    count, films = 200, "/film" in model.text
    radius_i, radius_j = rng.uniform(0.3, 0.7, (2, count))
    mass_i, mass_j = rng.uniform(0.5, 2.0, (2, count))
    if model.wall:
        radius_j = np.zeros(count)
    normal = rng.normal(size=(count, 3))
    history = np.zeros((count, model.history_size))
    if films:
        history[:, -1] = 10.0 ** rng.uniform(-4.0, -2.0, count) * in_units("volume")
    partner = {} if model.wall else {"radius_j": radius_j * in_units("distance")}
    if not model.wall:
        partner["mass_j"] = mass_j * in_units("mass")
    steps = []
    for _ in range(6):
        overlap = 10.0 ** rng.uniform(-5, -1.5, count)
        if "bridge willett" in model.text or model.text.startswith("jkr"):
            overlap = np.where(rng.random(count) < 0.3, -overlap, overlap)
        distance = (radius_i + radius_j - overlap) / np.linalg.norm(normal, axis=1)
        velocity, spin_i, spin_j = rng.normal(size=(3, count, 3)) * 10.0 ** rng.uniform(-3, 2)
        step = model.evaluate(
            distance[:, None] * normal * in_units("distance"),
            velocity * in_units("distance/time"),
            spin_i=spin_i * in_units("1/time"),
            spin_j=spin_j * in_units("1/time"),
            radius_i=radius_i * in_units("distance"),
            mass_i=mass_i * in_units("mass"),
            history=history,
            timestep=1e-3 * in_units("time"),
            observe=True,
            **partner,
        )
        history = step.history
        steps.append(step)
        normal = normal + 0.05 * rng.normal(size=normal.shape)
    return steps


UNITS_OF_STEP = {
    "force": "force",
    "torque_i": "torque",
    "torque_j": "torque",
    "energy": "energy",
    "plastic_loss": "energy",
    "warming": "power",
    "conductance": "power/temperature",
}


def has_units_of_lammps(text: str) -> bool:
    words = text.split()
    if words[0] == "bridge" or words[words.index("slider") + 1] != "dsds":
        return False
    tangential = words[words.index("tangential") + 1]
    marshall = "marshall" in words and tangential.startswith("mindlin")
    return marshall or tangential.endswith("_classic")


@pytest.mark.parametrize("wall", [False, True], ids=["pair", "wall"])
def test_other_units_change_no_bit(model_in_units, model_in_other_units, other_units, wall):
    text, scaled = model_in_units, model_in_other_units
    if has_units_of_lammps(text):
        pytest.skip("LAMMPS's law depends on the unit of length")
    assert text != scaled
    one = evaluate(laws.ContactModel(text, wall=wall), np.random.default_rng(3), lambda unit: 1.0)
    other = evaluate(laws.ContactModel(scaled, wall=wall), np.random.default_rng(3), other_units)
    acts = False
    for here, there in zip(one, other, strict=True):
        for name, unit in UNITS_OF_STEP.items():
            expected = getattr(here, name)
            np.testing.assert_array_equal(getattr(there, name) / other_units(unit), expected, name)
        acts = acts or bool(np.abs(here.force).max() > 0.0)
    assert acts


@pytest.mark.parametrize("wall", [False, True], ids=["pair", "wall"])
def test_attraction_is_the_same_in_other_units(other_units, wall):
    law = "hertz {} 0 damping velocity tangential linear_nohistory 0 0 {}"
    parameters = laws.attraction()["parameters"]
    forces = []
    for in_units in (lambda unit: 1.0, other_units):
        values = [
            value * in_units(p["unit"])
            for value, p in zip((0.6, 0.02, 0.5), parameters, strict=True)
        ]
        pull = " ".join(["van_der_waals", *map(repr, values)])
        model = laws.ContactModel(law.format(repr(1e4 * in_units("pressure")), pull), wall=wall)
        forces.append([s.force / in_units("force") for s in evaluate(
            model, np.random.default_rng(4), in_units
        )])  # fmt: skip
    np.testing.assert_array_equal(*forces)


def test_bonds_are_the_same_in_other_units(other_units):
    [beam] = (law for law in laws.registry()["bond"] if law["parameters"])
    values = {"E": 1e6, "nu": 0.3, "ratio": 0.7, "sigma": 1e9, "tau": 1e9, "beta": 0.2}
    found = []
    for in_units in (lambda unit: 1.0, other_units):
        words = [
            f"{p['label']} {values[p['symbol']] * in_units(p['unit'])!r}".strip()
            for p in beam["parameters"]
            if p["symbol"] in values
        ]
        length, upright = in_units("distance"), np.array([[1.0, 0.0, 0.0, 0.0]])
        turned = np.array([[0.98, 0.1, -0.12, 0.05]])
        turned /= np.linalg.norm(turned)
        bonds = laws.bonds(
            f"hooke 1 0 tangential linear_nohistory 0 0 bond beam {' '.join(words)}",
            (np.array([[1.0, 0.0, 0.0]]) * length, upright, upright),
            (np.array([[1.02, 0.03, -0.01]]) * length, upright, turned),
            timestep=1e-3 * in_units("time"),
            velocity=np.array([0.1, 0.2, -0.3]) * in_units("distance/time"),
            spin_i=np.array([0.3, -0.1, 0.2]) * in_units("1/time"),
            spin_j=np.array([-0.2, 0.4, 0.1]) * in_units("1/time"),
            radius_i=0.5 * length,
            radius_j=0.4 * length,
            mass_i=1.0 * in_units("mass"),
            mass_j=0.7 * in_units("mass"),
        )
        found.append(
            np.concatenate([
                (bonds.force / in_units("force")).ravel(),
                (bonds.torque_i / in_units("torque")).ravel(),
                (bonds.energy / in_units("energy")).ravel(),
                (bonds.stress / in_units("pressure")).ravel(),
                (bonds.loss / in_units("energy")).ravel(),
            ])
        )  # fmt: skip
    np.testing.assert_array_equal(*found)
    assert np.abs(found[0]).min() > 0.0
