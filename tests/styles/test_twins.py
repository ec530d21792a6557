"""Random scenes run twice. The second run has a change that must not alter the result.

`make twins` runs more scenes.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pysuite import laws

ROOT = Path(__file__).parents[2]
SHARE = 50  # number of scenes per test
SCENES = range(1, 201, SHARE)
MORE = range(201, 2001, 4 * SHARE)


@pytest.fixture(scope="module")
def twins():
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("tests.twins.__main__")
    finally:
        sys.path.remove(str(ROOT))


def check(twins, first: int, last: int) -> None:
    counts, findings = twins.compare(first, last, [*twins.TWINS, twins.RANKS])
    assert not findings, "\n".join(map(str, findings))
    assert counts["refused"] == 0, counts
    assert counts["judged"] > 0.9 * (last - first), counts


@pytest.mark.parametrize("first", SCENES)
def test_twins_agree(twins, first):
    check(twins, first, first + SHARE)


@pytest.mark.long
@pytest.mark.parametrize("first", MORE)
def test_more_twins_agree(twins, first):
    check(twins, first, first + MORE.step)


def test_scenes_have_everything(twins):
    words: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for seed in range(SCENES.start, SCENES.stop):
        scene = twins.scenes.scene(seed)
        script = " ".join(scene.script(twins.Twin())).split()
        words.update(set(script))
        pairs.update(name for name, _ in twins.twins_of(seed, scene, list(twins.TWINS)))
    named = {
        law["name"].removesuffix("/film")
        for role in laws.registry().values()
        for law in role
        # Non-local laws need newton off or equal types. They are tested in test_mdr.py and
        # test_brodu.py.
        if not law["non_local"]
    }
    walls = {"zplane", "zcylinder", "mesh", "sphere", "block", "cone", "wiggle", "shear", "rotate"}
    others = {"film", "van_der_waals", "beam", "shape/granular/plus", "limit_damping", "gravity"}
    missing = (named | walls | others) - set(words)
    assert not missing
    assert min(pairs[name] for name in twins.TWINS) >= 20, pairs


def test_a_difference_is_found(twins):
    base = twins.run(twins.scenes.scene(2), twins.Twin())
    other = {name: values.copy() for name, values in base.items()}
    other["v"][0] *= 1.0 + 1e-8 * np.abs(base["v"]).max() / np.abs(base["v"][0]).max()
    verdict, findings = twins.judge(2, {"base": base, twins.NUDGE: base, "lists": other})
    assert verdict == "judged"
    assert [finding.quantity for finding in findings] == ["v"]
    assert not twins.judge(2, {"base": base, twins.NUDGE: other, "lists": other})[1]
