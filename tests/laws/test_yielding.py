"""Normal laws of contacts that yield: known answers, energy along random paths, refusals.

Two spheres of radius 0.5 have prescribed overlaps. The laws integrate the energy lost over a step,
so a few long steps suffice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from pysuite import laws
from pysuite.validation.references import powders

FRICTIONLESS = "tangential linear_nohistory 0 0"
RADIUS = 0.25  # effective

WALTON_BRAUN = "walton_braun 1e4 4e4"
LUDING = "luding 1e4 5e4 1e4 0.05"
LINEAR = "edinburgh 1e4 4e4 1e4 -1 1 1"
HERTZIAN = "edinburgh 1e5 4e5 1e5 -1 1.5 1.5"
TEXTS = [
    WALTON_BRAUN,
    LUDING,
    "luding 1e4 5e4 0 0.05",
    "luding 1e4 1e4 1e4 0.05",
    LINEAR,
    HERTZIAN,
    "edinburgh 1e5 4e5 3e5 0 1.5 2.5",
    "edinburgh 1e5 1e5 3e5 -1 2 1",
]


def lead(text: str, overlaps, radius: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return force, energy and loss in each step for prescribed overlaps of shape (steps, n)."""
    model = laws.ContactModel(f"{text} {FRICTIONLESS}")
    found, history = [], None
    for overlap in np.atleast_2d(np.transpose(overlaps).T):
        separation = np.zeros((overlap.size, 3))
        separation[:, 0] = 2.0 * radius - overlap
        step = model.evaluate(
            separation,
            np.zeros_like(separation),
            radius_i=radius,
            radius_j=radius,
            timestep=1e-3,
            history=history,
            observe=True,
        )
        history = step.history
        found.append((step.normal_force, step.energy, step.plastic_loss))
    force, energy, loss = np.transpose(found, (1, 0, 2))
    return force, energy, loss


def along(
    text: str, *overlaps: float, radius: float = 0.5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    force, energy, loss = lead(text, np.array(overlaps)[:, None], radius)
    return force[:, 0], energy[:, 0], loss[:, 0]


def restitution(text: str, speed: float, radius: float = 0.5) -> float:
    """Return the restitution for effective mass 1."""

    def energy(overlap: float) -> float:
        _, held, lost = along(text, overlap, radius=radius)
        return float(held[0] + lost[0])

    low, high = 0.0, 0.4
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if energy(middle) < 0.5 * speed**2 else (low, middle)
    _, held, lost = along(text, low, 1e-9, radius=radius)
    assert abs(held[-1]) < 1e-8 * speed**2
    return float(np.sqrt(1.0 - 2.0 * lost.sum() / speed**2))


def test_walton_braun_has_the_restitution_of_its_stiffnesses_at_any_speed():
    force, _, _ = along(WALTON_BRAUN, 0.01, 0.009, 0.0074)
    np.testing.assert_allclose(force, [100.0, 60.0, 0.0], rtol=1e-9)
    for speed in (0.01, 1.0, 10.0):
        assert restitution(WALTON_BRAUN, speed) == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize(
    ("speed", "e"), [(1.0, 0.717740562565), (2.0, 0.468521285666), (10.0, 0.692218655243)]
)
def test_luding_has_the_restitution_of_its_slopes(speed, e):
    expected = powders.luding_restitution(speed, 1e4, 5e4, 1e4, 0.05, 0.5)
    assert expected == pytest.approx(e, rel=1e-11)
    assert restitution(LUDING, speed, radius=1.0) == pytest.approx(expected, rel=1e-9)


def test_luding_sticks_between_two_speeds():
    low, high = powders.luding_sticking_speeds(1e4, 5e4, 1e4, 0.05, 0.5)
    assert (low, high) == pytest.approx((3.125, 7.216878364870), rel=1e-12)
    for speed in (low * (1 - 1e-6), high * (1 + 1e-6)):
        expected = powders.luding_restitution(speed, 1e4, 5e4, 1e4, 0.05, 0.5)
        assert 1e-4 < expected < 1e-2
        assert restitution(LUDING, speed, radius=1.0) == pytest.approx(expected, rel=1e-4)
    for speed in (low * (1 + 1e-6), 5.0, high * (1 - 1e-6)):
        assert powders.luding_restitution(speed, 1e4, 5e4, 1e4, 0.05, 0.5) == 0.0
        with pytest.raises(RuntimeWarning):  # the loss exceeds the initial energy
            restitution(LUDING, speed, radius=1.0)


def test_edinburgh_pulls_most_where_unloading_meets_the_adhesive_branch():
    for text, k2, kadh, n, plastic in (
        (LINEAR, 4e4, 1e4, 1.0, 0.0075),
        (HERTZIAN, 4e5, 1e5, 1.5, 0.01 * 0.75 ** (2 / 3)),
    ):
        lowest = plastic * (k2 / (k2 + kadh)) ** (1 / n)
        largest = 1.0 - (1.0 - 0.01)  # as rounded
        force, _, _ = along(text, 0.01, plastic, lowest, 0.999 * lowest, 1.001 * lowest)
        assert force[1] == pytest.approx(-1.0, abs=1e-9 * k2 * largest**n)
        expected = -1.0 - kadh * k2 * plastic**n / (k2 + kadh)
        assert force[2] == pytest.approx(expected, rel=1e-9)
        assert expected == pytest.approx(-61.0, rel=1e-9)
        assert force[3] > force[2]
        assert force[4] > force[2]


@pytest.mark.parametrize(("n", "e"), [(1.0, 0.5), (1.5, 0.463323)])
def test_edinburgh_without_adhesion_has_the_restitution_of_its_exponent(n, e):
    assert restitution(f"edinburgh 1e5 4e5 0 0 {n} {n}", 0.3) == pytest.approx(e, abs=1e-6)
    expected = powders.edinburgh_restitution(1e5, 4e5, n)
    assert restitution(f"edinburgh 1e5 4e5 0 0 {n} {n}", 0.3) == pytest.approx(expected, rel=1e-8)


def random_paths(count: int, steps: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    overlap = 10.0 ** rng.uniform(-4, -2, count)
    path = [overlap]
    for _ in range(steps - 1):
        stride = 10.0 ** rng.uniform(-3, 0.7, count)
        up = rng.random(count) < 0.5
        overlap = np.clip(np.where(up, overlap * (1 + stride), overlap / (1 + stride)), 1e-6, 0.2)
        path.append(overlap)
    return 1.0 - (1.0 - np.array(path))  # rounded as in a difference of positions


@pytest.mark.parametrize("text", TEXTS)
def test_energy_and_losses_are_the_work_done_along_any_path(text):
    path = random_paths(10_000, 60, seed=1)
    force, energy, loss = lead(text, path)
    reference = powders.Contact.of(text, RADIUS, path.shape[1])
    work = np.zeros(path.shape[1])
    turned_over = np.zeros(path.shape[1])
    before = np.zeros(path.shape[1])
    branches = set()
    for k, overlap in enumerate(path):
        done, expected = reference.move(overlap)
        work += done
        constant = reference.jump * (overlap - before)
        turned_over += np.abs(done - constant) + np.abs(constant)
        before = overlap
        branches |= set(reference.branch)
        scale = np.abs(reference.loading(overlap) - reference.jump) + np.abs(expected)
        scale -= reference.jump  # jump <= 0: the terms may cancel
        assert (np.abs(force[k] - expected) <= 1e-11 * scale).all(), k
        held = energy[k] + loss[: k + 1].sum(axis=0)
        assert (np.abs(held - work) <= 1e-12 * turned_over + 1e-18).all(), k
        assert (loss[k] >= -1e-15 * turned_over).all(), k
    assert branches >= {"loading", "elastic"}


@pytest.mark.parametrize("text", TEXTS)
def test_a_contact_that_has_not_moved_has_not_changed(text):
    model = laws.ContactModel(f"{text} {FRICTIONLESS}")
    history = None
    for overlap in random_paths(2_000, 30, seed=2):
        separation = np.zeros((overlap.size, 3))
        separation[:, 0] = 1.0 - overlap
        arguments = {"separation": separation, "velocity": np.zeros_like(separation)}
        step = model.evaluate(**arguments, timestep=1e-3, history=history)
        again = model.evaluate(**arguments, timestep=0.0, history=step.history, observe=True)
        assert (again.history == step.history).all()
        assert (again.force == step.force).all()
        assert (again.plastic_loss == 0.0).all()
        history = step.history


@pytest.mark.parametrize("text", [*TEXTS, "thornton_ning 1e6 0.3 1e4 0.1"])
def test_a_dashpot_may_be_added(text: str):
    damped = laws.ContactModel(f"{text} eta 5 damping velocity {FRICTIONLESS}")
    at = {"separation": [[0.99, 0, 0]], "timestep": 1e-9}
    moving = damped.evaluate(**at, velocity=[[-0.1, 0, 0]])
    at_rest = damped.evaluate(**at, velocity=[[0, 0, 0]])
    np.testing.assert_allclose(moving.force - at_rest.force, [[0.5, 0, 0]], rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (WALTON_BRAUN, lambda force, overlap: force),
        (LUDING, lambda force, overlap: force + 1e4 * overlap),
        (HERTZIAN, lambda force, overlap: force + 1e5 * overlap**1.5 + 1.0),
    ],
)
def test_the_coulomb_limit_counts_from_the_largest_pull_at_this_overlap(
    text: str, limit: Callable[[np.ndarray, np.ndarray], np.ndarray]
):
    model = laws.ContactModel(f"{text} damping velocity tangential linear_nohistory 1e9 0.3")
    frictionless = laws.ContactModel(f"{text} {FRICTIONLESS}")
    text_with_dashpot = text + " eta 1"
    assert laws.ContactModel(f"{text_with_dashpot} {FRICTIONLESS}").text.count("eta 1") == 1
    model = laws.ContactModel(
        f"{text_with_dashpot} damping velocity tangential linear_nohistory 1e9 0.3"
    )
    history = None
    for overlap in (0.01, 0.008, 0.007, 0.005, 0.009):
        at = {"separation": [[1.0 - overlap, 0, 0]], "velocity": [[0, 1.0, 0]], "timestep": 1e-3}
        step = model.evaluate(**at, history=history)
        force = frictionless.evaluate(**at, history=history).normal_force
        history = step.history
        expected = 0.3 * np.abs(limit(force, np.array([overlap])))
        assert -step.force[0, 1] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("walton_braun 1e4 9e3", "largest stiffness of unloading k2 = 9000 must be >= k1 = 10000"),
        ("walton_braun 0 9e3", "stiffness of first loading k1 = 0 must be > 0"),
        ("walton_braun nan 9e3", "k1 = nan must be finite"),
        ("luding 1e4 5e4 1e4 1", "phi = 1 must be > 0 and < 1"),
        ("luding 1e4 5e4 -1 0.1", "kc = -1 must be >= 0"),
        ("luding 2e4 1e4 0 0.1", "k2 = 10000 must be >= k1 = 20000"),
        ("edinburgh 1 2 1 0.1 1.5 1.5", "f0 = 0.1 must be <= 0"),
        ("edinburgh 3 2 1 0 1.5 1.5", "k2 = 2 must be >= k1 = 3"),
        ("edinburgh 1 2 1 0 0.5 1.5", "n = 0.5 must be >= 1"),
        (
            "walton_braun 1 2 damping tsuji",
            "damping tsuji cannot be combined with normal walton_bra",
        ),
        ("luding 1 2 1 0.1 damping coeff_restitution", "restitution follows from its plastic"),
        ("luding 1 2 1 0.1 eta -1 damping velocity", "eta = -1 must be >= 0"),
        ("luding 1 2 1 0.1 limit_damping", "limit_damping cannot be combined with the cohesive"),
        ("luding 1 2 1 0.1 tangential mindlin NULL 1 0.3", "needs a normal model with E and nu"),
    ],
)
def test_what_cannot_be_is_refused_by_name(text, message):
    words = text if "tangential" in text else f"{text} {FRICTIONLESS}"
    with pytest.raises(ValueError, match=r"^(?!\s)") as problem:
        laws.ContactModel(words)
    assert message in str(problem.value)


def test_two_materials_mix():
    first, second = (f"edinburgh {k} {4 * k} 1e4 {f0} 1.5 2" for k, f0 in ((1e4, -1), (4e4, -4)))
    mixed = laws.mix(f"{first} {FRICTIONLESS}", f"{second} {FRICTIONLESS}")
    assert mixed.startswith("edinburgh 20000 80000 10000 -2 1.5 2 ")
    with pytest.raises(ValueError, match=r"with exponents n = 1.5 and 1"):
        laws.mix(f"{first} {FRICTIONLESS}", f"edinburgh 1 2 1 0 1 2 {FRICTIONLESS}")


# ------------------------------------------------------------------------------- thornton_ning

YOUNG, POISSON, PRESSURE, SURFACE = 2.0e7 * (1 - 0.3**2), 0.3, 2.0e5, 5.0
MODULUS = 1.0e7  # effective
THORNTON_NING = f"thornton_ning {YOUNG!r} {POISSON} {PRESSURE} {SURFACE}"


def dry(speed_over_yield: float) -> float:
    """Return the closed-form restitution without adhesion, for speed/(speed of first yield)."""
    x = 1.0 / speed_over_yield
    part = x / (x + 2.0 * np.sqrt(1.2 - x * x / 5.0))
    return float(np.sqrt(1.2 * np.sqrt(3.0)) * np.sqrt(1.0 - x * x / 6.0) * part**0.25)


def test_thornton_ning_without_adhesion_loads_along_a_line_once_it_yields():
    text = f"thornton_ning {YOUNG!r} {POISSON} {PRESSURE} 0"
    depth = (np.pi * PRESSURE / (2.0 * MODULUS)) ** 2 * RADIUS
    first = np.pi**3 * RADIUS**2 * PRESSURE**3 / (6.0 * MODULUS**2)
    for times in (0.5, 2.0, 10.0, 100.0):
        overlap = 1.0 - (1.0 - times * depth)
        force, _, _ = along(text, overlap)
        expected = first + np.pi * PRESSURE * RADIUS * (overlap - depth)
        if times < 1.0:
            expected = 4.0 / 3.0 * MODULUS * np.sqrt(RADIUS) * overlap**1.5
        assert force[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("times", "e"), [(0.9, 1.0), (10.0, 0.658558), (100.0, 0.374299)])
def test_thornton_ning_without_adhesion_has_the_restitution_of_its_yield_speed(times, e):
    text = f"thornton_ning {YOUNG!r} {POISSON} {PRESSURE} 0"
    speed = 3.193846608638 * np.sqrt(PRESSURE**5 * RADIUS**3 / MODULUS**4)
    found = restitution(text, times * speed)
    assert found == pytest.approx(e, abs=1e-6)
    if times > 1.0:
        assert found == pytest.approx(dry(times), rel=1e-8)


def test_thornton_ning_is_jkr_until_it_yields():
    elastic = f"jkr {YOUNG!r} 0 {POISSON} {SURFACE}"
    stiff = f"thornton_ning {YOUNG!r} {POISSON} 1e9 {SURFACE}"
    path = np.concatenate([np.geomspace(1e-6, 1e-2, 40), np.geomspace(1e-2, 1e-6, 40), [-1e-5]])
    one, energy, _ = along(elastic, *path)
    other, held, lost = along(stiff, *path)
    np.testing.assert_allclose(other, one, rtol=1e-12)
    np.testing.assert_allclose(held, energy, rtol=1e-11, atol=1e-15)
    assert (lost == 0.0).all()


def test_thornton_ning_is_torn_off_as_the_flattened_jkr_contact():
    """The largest pull is 3 pi gamma Rp, where Rp is the flattened radius.

    Once the contact is torn off, there is no force until the faces touch again.
    """
    force, _, _ = along(THORNTON_NING, 0.01, 0.00999)
    down = np.linspace(0.01, 1e-6, 20001)
    force, energy, _ = along(THORNTON_NING, *down)
    model = laws.ContactModel(f"{THORNTON_NING} {FRICTIONLESS}")
    step = model.evaluate([[0.99, 0, 0]], [[0, 0, 0]], timestep=1e-3)
    plastic, radius = step.history[0, 1:3]
    gamma = SURFACE
    curvature = 4.0 * MODULUS * radius**3 / (
        3.0 * (step.normal_force[0] + 4.0 * radius * np.sqrt(np.pi * gamma * MODULUS * radius))
    )  # fmt: skip
    assert curvature > 1.3 * RADIUS
    pull = 3.0 * np.pi * gamma * curvature
    assert force.min() == pytest.approx(-pull, rel=1e-4)
    assert force.min() >= -pull * (1.0 + 1e-9)
    torn = np.argmax(force == 0.0)
    assert (force[torn:] == 0.0).all()
    assert (energy[torn:] == 0.0).all()
    gap = (3.0 / 16.0 * np.pi**2 * curvature * (gamma / MODULUS) ** 2) ** (1.0 / 3.0)
    assert down[torn] == pytest.approx(plastic - gap, abs=1e-6)
    # a torn contact acts again above the plastic overlap
    path = [0.01, 0.5 * plastic, 0.99 * plastic, 1.01 * plastic, 0.5 * plastic, -1e-9, 1e-3]
    force, _, _ = along(THORNTON_NING, *path)
    assert force[1] == 0.0
    assert force[2] == 0.0
    assert force[3] < 0.0
    assert force[4] == 0.0
    assert force[6] == pytest.approx(along(THORNTON_NING, 1e-3)[0][0], rel=1e-12)


@pytest.mark.parametrize("surface", [0.0, SURFACE, 4.0 * SURFACE])
def test_first_loading_of_thornton_ning_loses_from_where_it_yields(surface):
    text = f"thornton_ning {YOUNG!r} {POISSON} {PRESSURE} {surface}"
    overlap = np.linspace(1e-9, 2e-3, 20_001)
    force, held, _ = along(text, *overlap)
    work = np.trapezoid(force, overlap)
    _, energy, loss = along(text, overlap[0], overlap[-1])
    assert loss[1] > 0.0
    assert energy[1] - energy[0] + loss[1] == pytest.approx(work, abs=1e-4 * loss[1])
    assert held[-1] == pytest.approx(energy[1], rel=1e-9)


def test_energy_and_losses_of_thornton_ning_are_the_work_done_along_any_path():
    """One long step gives the same energies as fifty short steps."""
    path = np.abs(random_paths(1_000, 20, seed=3)) / 20.0 + 3e-3
    path[0] = 4e-3
    _, energy, loss = lead(THORNTON_NING, path)
    parts = 50
    short = [path[0]]
    for before, after in itertools.pairwise(path):
        short += [before + (after - before) * k / parts for k in range(1, parts + 1)]
    fine = np.array(short)
    force, held, lost = lead(THORNTON_NING, fine)
    assert (loss >= -1e-13 * energy.max()).all()
    ends = np.arange(0, len(fine), parts)
    many = held[ends] + np.cumsum(lost, axis=0)[ends]
    few = energy + np.cumsum(loss, axis=0)
    turned_over = np.cumsum(np.abs(np.diff(few, axis=0, prepend=0.0)), axis=0)
    joined = (force != 0.0).all(axis=0)
    assert joined.mean() > 0.5
    assert (np.abs(many - few) <= 1e-12 * turned_over)[:, joined].all()
    for k in range(1, len(path)):
        leg = force[ends[k - 1] : ends[k] + 1]
        weights = np.ones(parts + 1)
        weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
        work = (weights[:, None] * leg).sum(axis=0) / 3.0 * (path[k] - path[k - 1]) / parts
        done = few[k] - few[k - 1]
        assert (np.abs(work - done) <= 1e-4 * turned_over[k])[joined].all()
