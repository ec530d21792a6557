"""Draw the manual's figure of force against overlap for contacts that yield.

Run `python docs/draw_powders.py` after a law for such contacts has changed.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from pysuite import laws
from pysuite.figures import panels, prepare_figures

FIGURE = Path(__file__).with_name("reference") / "figures" / "yielding.svg"
FRICTIONLESS = "tangential linear_nohistory 0 0"
MODELS = {
    "walton_braun": "walton_braun 1e4 4e4",
    "luding": "luding 1e4 5e4 2e4 0.03",
    "edinburgh": "edinburgh 1e5 4e5 1.5e5 -8 1.5 1.5",
    "thornton_ning": "thornton_ning 1.82e7 0.3 1.5e5 20",
}
# overlaps at which loading and unloading of two spheres of diameter 1 reverse
TURNS = [0.0, 0.012, 0.003, 0.018, 0.0]
POINTS = 400


def force(model: str, overlap: np.ndarray) -> np.ndarray:
    """Return the force of one contact at successive overlaps."""
    law = laws.ContactModel(f"{model} {FRICTIONLESS}")
    history, found = None, []
    for depth in overlap:
        step = law.evaluate([[1.0 - depth, 0, 0]], [[0, 0, 0]], timestep=1e-3, history=history)
        history = step.history
        found.append(step.normal_force[0])
    return np.array(found)


def main() -> None:
    """Write the figure."""
    prepare_figures()
    legs = [np.linspace(a, b, POINTS) for a, b in itertools.pairwise(TURNS)]
    overlap = np.clip(np.concatenate(legs), 1e-9, None)
    figure, axes = panels(len(MODELS))
    for axis, (name, model) in zip(axes, MODELS.items(), strict=True):
        axis.plot(overlap, force(model, overlap), linewidth=1.2)
        axis.axhline(0.0, color="0.6", linewidth=0.6)
        axis.set(xlabel="overlap / diameter", ylabel="force [n. u.]", title=name)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE)


if __name__ == "__main__":
    main()
