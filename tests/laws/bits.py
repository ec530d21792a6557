"""Print hashes of the results of combinations of laws, for `make compare-compilers`."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np

from pysuite import laws

VALUES = {"e": 0.6, "E": 4.0e4, "nu": 0.3, "theta": 20.0, "V": 1.0e-3, "Tc": 0.02, "mu": 0.3}


def words_of(law: dict) -> str:
    words = [law["name"]]
    for parameter in law["parameters"]:
        low, high = max(parameter["low"], 0.0), min(parameter["high"], 100.0)
        words += [parameter["label"], repr(VALUES.get(parameter["symbol"], 0.5 * (low + high)))]
    return " ".join(filter(None, words))


def models() -> list[laws.ContactModel]:
    """Return all permitted models that differ from the first law of a role in at most two roles."""
    table = laws.registry()
    first = {role: entries[0] for role, entries in table.items()}
    found: dict[str, laws.ContactModel] = {}
    for one, two in itertools.combinations(table, 2):
        for law, other in itertools.product(table[one], table[two]):
            chosen = first | {one: law, two: other}
            text = " ".join(
                f"{'' if role == 'normal' else role + ' '}{words_of(entry)}"
                for role, entry in chosen.items()
                if not (role == "damping" and chosen["normal"]["per_collision"])
            )
            if any(entry["non_local"] for entry in chosen.values()):
                continue  # runs only within LAMMPS
            try:
                found[text] = laws.ContactModel(text)
            except ValueError:  # not every pair of laws is allowed
                continue
    return list(found.values())


def digest(model: laws.ContactModel, count: int = 200) -> str:
    rng = np.random.default_rng(4711)
    normal = rng.normal(size=(count, 3))
    normal *= ((1.0 - 10.0 ** rng.uniform(-5, -1.5, count)) / np.linalg.norm(normal, axis=1))[
        :, None
    ]
    velocity, spin_i, spin_j = rng.normal(size=(3, count, 3))
    history = None
    found = hashlib.sha256()
    for _ in range(3):
        step = model.evaluate(
            separation=normal,
            velocity=velocity,
            spin_i=spin_i,
            spin_j=spin_j,
            radius_i=0.5,
            radius_j=0.5,
            mass_i=1.0,
            mass_j=1.0,
            history=history,
            timestep=1e-3,
        )
        history = step.history
        for values in vars(step).values():
            found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    for one in models():
        print(digest(one)[:16], one.text)
