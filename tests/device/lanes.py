"""Access to the library built by `make device`, and contacts for its combinations of laws."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np

from pysuite import laws
from tests.laws.conftest import words_of

BUILD = Path(__file__).parents[2] / "build" / "device"
ROLES = ("normal", "damping", "tangential", "rolling", "twisting", "slider", "bridge", "heat")
PATHS = ("touching", "patches", "synchronized", "separated", "ending")
CLONE, HOST, DEVICE = range(3)
TIMESTEP = 1e-3
LAWS = r"(?:Attracted<\S+::)?(?:Heated<\S+::)?Laws8<.+>"  # C++ name of a combination


def random_contacts(rng: np.random.Generator, count: int, path: str) -> np.ndarray:
    """Return inputs in the order of contacts.h, an array of shape (Lanes.given_rows, count)."""
    apart = path in ("separated", "ending")
    radius, mass = rng.uniform(0.3, 0.7, (2, count)), rng.uniform(0.5, 2.0, (2, count))
    depth = 10.0 ** rng.uniform(-5, -1.5, count)
    distance = radius.sum(axis=0) + (depth if apart else -depth)
    normal = rng.normal(size=(3, count))
    motion = rng.normal(size=(9, count)) * 10.0 ** rng.uniform(-3, 1, count)
    held = (rng.random((2, count)) < 0.1).astype(float)
    gradient = rng.uniform(0.5, 2.0, count) if path == "patches" else np.ones(count)
    return np.vstack(
        [
            distance * normal / np.linalg.norm(normal, axis=0),
            motion,
            radius,
            mass,
            held,
            np.full(count, 2.0**500),
            gradient,
            rng.normal(size=(3, count)),
        ]
    )


class Lanes:
    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))
        for name in ("compiled_law", "compiled_types", "last_failure"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.evaluate_contacts.restype = ctypes.c_double
        self.library.copy_constants.restype = ctypes.c_bool
        self.count = self.library.compiled_count()
        self.given_rows = self.library.given_rows()
        self.history_rows = self.library.history_rows()
        self.result_rows = self.library.result_rows()
        self.has_device = self.library.device_count() > 0

    def law_names(self, number: int) -> list[str]:
        return [self.library.compiled_law(number, k).decode() for k in range(len(ROLES))]

    def key(self, number: int) -> tuple[str, int, bool]:
        types = re.search(LAWS, self.library.compiled_types(number).decode())
        assert types
        return (
            types[0].replace(" ", ""),
            self.library.compiled_path(number),
            bool(self.library.compiled_observes(number)),
        )

    def attracts(self, number: int) -> bool:
        return self.key(number)[0].startswith("Attracted")

    def warms(self, number: int) -> bool:
        return "Heated<" in self.key(number)[0]

    def title(self, number: int) -> str:
        names = [name for name in self.law_names(number) if name != "none"]
        more = ["van_der_waals"] * self.attracts(number) + ["heat of friction"] * self.warms(number)
        return " ".join([*names, *more])

    def words(self, number: int) -> str:
        registry = laws.registry()
        chosen = {
            role: next(law for law in registry[role] if law["name"] == name)
            for role, name in zip(ROLES, self.law_names(number), strict=True)
        }
        parts = [words_of(chosen["normal"])]
        for role in ROLES[1:]:
            if role == "damping" and chosen["normal"]["per_collision"]:
                continue
            parts.append(f"{role} {words_of(chosen[role])}")
            if chosen[role]["name"].endswith("/film"):
                parts.append("viscous 0.1 gap 1e-3")
        if self.warms(number):
            parts.append("friction 0.7")
            if chosen["bridge"]["name"] != "none":
                parts.append("liquid 3 1e-3")
        if self.attracts(number):
            parts.append("van_der_waals 0.1 1e-4 0.1")
        if PATHS[self.library.compiled_path(number)] == "synchronized":
            parts.append("synchronized_verlet")
        return " ".join(parts)

    def constants(self, number: int) -> bytes:
        constants = ctypes.create_string_buffer(self.library.constants_size())
        words = self.words(number).encode()
        if not self.library.copy_constants(number, words, ctypes.c_double(TIMESTEP), constants):
            raise RuntimeError(f"{self.words(number)}: {self.library.last_failure().decode()}")
        return constants.raw

    def evaluate(
        self, number: int, where: int, given: np.ndarray, history: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        assert (len(given), len(history)) == (self.given_rows, self.history_rows)
        history, results = history.copy(), np.zeros((self.result_rows, given.shape[1]))
        pointers = (
            array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            for array in (np.ascontiguousarray(given), history, results)
        )
        seconds = self.library.evaluate_contacts(
            number,
            self.words(number).encode(),
            where,
            given.shape[1],
            ctypes.c_double(TIMESTEP),
            *pointers,
        )
        if seconds < 0.0:
            raise RuntimeError(f"{self.words(number)}: {self.library.last_failure().decode()}")
        return history, results, seconds

    def contacts(self, number: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return contacts; half of them have a history computed by the laws."""
        rng = np.random.default_rng(number)
        path = PATHS[self.library.compiled_path(number)]
        kept = 10.0 ** rng.uniform(-4, -2, (self.history_rows, count))
        history = np.where(rng.random(count) < 0.5, kept, 0.0)
        for _ in range(3):
            given = random_contacts(rng, count, path)
            history, _, _ = self.evaluate(number, CLONE, given, history)
        return random_contacts(rng, count, path), history
