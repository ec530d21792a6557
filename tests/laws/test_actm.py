"""Normal law actm: each collision has the prescribed restitution and collision time.

The exact solution in references/actm.py is computed with 25 decimal digits and has no time step.
"""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from pysuite import damped_hertz, laws
from pysuite.measure.timestep import advise
from pysuite.validation.references import actm

STIFFNESS, DAMPING = range(2)  # history values of a contact
FRICTIONLESS = "tangential linear_nohistory 0 0"
TIME = 2e-3


def begin(text: str, speed, radius_i=0.5, radius_j=0.5, mass_i=1.0, mass_j=1.0, **more):
    model = laws.ContactModel(f"{text} {FRICTIONLESS}" if "tangential" not in text else text)
    speed = np.atleast_1d(np.asarray(speed, dtype=float))
    separation, velocity = np.zeros((2, speed.size, 3))
    separation[:, 0] = (np.asarray(radius_i) + np.asarray(radius_j)) * (1 - 1e-9)
    velocity[:, 0] = -speed
    arguments = {"timestep": 1e-5} | more
    return model.evaluate(
        separation, velocity, radius_i=radius_i, radius_j=radius_j, mass_i=mass_i, mass_j=mass_j,
        **arguments,
    )  # fmt: skip


def achieved(
    history: np.ndarray, speed: float, effective_radius: float, mass: float
) -> tuple[float, float]:
    """Return the exact restitution and collision time for stiffness and damping in the history."""
    with localcontext() as context:
        context.prec = 32
        k = Decimal(float(history[STIFFNESS])) * Decimal(effective_radius).sqrt()
        d, u, m = (Decimal(float(x)) for x in (history[DAMPING], speed, mass))
        unit = (m**2 / (k**2 * u)) ** Decimal("0.2")
        result = damped_hertz.collide(d * unit / (2 * m), digits=25)
        return float(result.restitution), float(result.duration * unit)


@pytest.mark.parametrize(
    "e", [0.01, 0.012, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.97, 0.999, 1]
)
def test_restitution_and_collision_time_are_met(e):
    for speed, radius, mass in ((0.01, 0.5, 1.0), (1.3, 0.05, 4.0), (20.0, 0.5, 1e-3)):
        history = begin(f"actm {TIME} {e} NULL 0.3", speed, radius_j=radius, mass_j=mass).history[0]
        found, time = achieved(history, speed, 0.5 * radius / (0.5 + radius), mass / (1.0 + mass))
        assert found == pytest.approx(e, rel=1e-8)
        assert time == pytest.approx(TIME, rel=1e-8)


def test_between_the_tested_restitutions():
    for e in np.geomspace(0.01, 1.0, 200)[1:].tolist():
        stiffness, damping, *_ = begin(f"actm {TIME} {e!r} NULL 0.3", 1.0).history[0]
        found, time, _ = actm.resulting_collision(stiffness * 0.5, damping, 1.0, 0.5)
        assert found == pytest.approx(e, rel=1e-8)
        assert time == pytest.approx(TIME, rel=1e-8)


def test_never_stiffer_than_the_material():
    modulus, poisson, e = 2e5, 0.3, 0.6
    text = f"actm {{}} {e} {modulus} {poisson}"
    material = 4 / 3 * modulus / (2 * (1 - poisson**2))
    hertz_time = actm.resulting_collision(material * 0.5, 0.0, 1.0, 0.5)[1]
    short = begin(text.format(0.01 * hertz_time), 1.0).history[0]
    assert short[STIFFNESS] == pytest.approx(material, rel=1e-15)
    found, time = achieved(short, 1.0, 0.25, 0.5)
    assert found == pytest.approx(e, rel=1e-8)
    assert time > hertz_time
    physical = time
    # the bound on the stiffness acts for all collision times below `physical`
    for factor, bounded in ((0.999, True), (1.001, False)):
        history = begin(text.format(factor * physical), 1.0).history[0]
        assert (history[STIFFNESS] == short[STIFFNESS]) == bounded
        found = achieved(history, 1.0, 0.25, 0.5)[1]
        assert found == pytest.approx(physical * max(factor, 1.0), rel=1e-8)


def test_stiffness_and_damping_stay_until_the_contact_ends():
    text = f"actm {TIME} 0.5 NULL 0.3"
    first = begin(text, 1.0)
    later = begin(text, -3.0, history=first.history)
    np.testing.assert_array_equal(np.abs(later.history), first.history)
    again = begin(text, 1.0, history=later.history)
    np.testing.assert_array_equal(again.history, first.history)


def test_the_dashpot_counts_for_its_part_of_the_first_and_the_last_step():
    """A force acts for half a step before its evaluation and half a step after it.

    Half a step is replaced by the time overlap/speed if the contact began less than a step before,
    or will end less than a step later.
    """
    model = laws.ContactModel(f"actm {TIME} 0.5 NULL 0.3 {FRICTIONLESS}")
    timestep, speed = 1e-6, 1.0
    for way, part in ((0.25, 0.75), (0.75, 1.25), (1.5, 1.0)):
        overlap = way * speed * timestep
        for history in (None, begin(model.text, 1.0).history):
            for direction in (-1.0, 1.0):
                step = model.evaluate(
                    [[1 - overlap, 0, 0]], [[direction * speed, 0, 0]], timestep=timestep,
                    history=history,
                )  # fmt: skip
                stiffness, damping = np.abs(step.history[0])
                assert (step.history[0, DAMPING] < 0.0) == (direction > 0.0 and way < 1.0)
                overlap_now = 1 - (1 - overlap)
                elastic = stiffness * np.sqrt(0.25 * overlap_now) * overlap_now
                half, coefficient = 0.5 * timestep, part * damping
                present = (0.5 * direction * speed + half * elastic) / (0.5 + half * coefficient)
                expected = elastic - coefficient * present
                assert step.normal_force[0] == pytest.approx(expected, rel=1e-6)


def test_an_end_that_is_put_off_counts_once():
    """A step that predicts the end of the contact already includes half of the next step."""
    text = f"actm {TIME} 0.5 NULL 0.3 {FRICTIONLESS}"
    timestep, overlap = 1e-6, 1e-8
    began = begin(text, 1.0).history
    forces = [
        laws.ContactModel(text)
        .evaluate([[1 - overlap, 0, 0]], [[1.0, 0, 0]], timestep=timestep, history=history)
        .normal_force[0]
        for history in (began, began * [1.0, -1.0])
    ]
    assert forces[1] == pytest.approx(forces[0] * 0.01 / 0.51, rel=1e-3)


@pytest.mark.parametrize("modulus", ["NULL", "1e11"])
def test_contacts_that_do_not_begin_with_an_impact_stay_soft_and_damped(modulus):
    """The law uses a speed of at least 1e-5 R/t*, where t* is the time unit of damped_hertz."""
    text = f"actm {TIME} 0.5 {modulus} 0.3"
    resting = (
        1e-5 * 0.25 * float(damped_hertz.collide(damped_hertz.damping_for(0.5)).duration) / TIME
    )
    expected = begin(text, resting).history[0]
    for speed in (0.0, -2.0, 1e-3 * resting, 1e-300):
        history = begin(text, speed).history[0]
        np.testing.assert_allclose(np.abs(history), expected, rtol=1e-12)
    faster = begin(text, 2.0 * resting).history[0]
    assert faster[STIFFNESS] == pytest.approx(expected[STIFFNESS] / np.sqrt(2), rel=1e-9)
    assert expected[DAMPING] > 0.0


def test_contacts_found_overlapping_count_as_impacts_with_that_overlap():
    model = laws.ContactModel(f"actm {TIME} 1 NULL 0.3 {FRICTIONLESS}")
    unit = TIME / actm.UNDAMPED_DURATION
    for overlap in (1e-4, 1e-2):
        step = model.evaluate([[1 - overlap, 0, 0]], [[0, 0, 0]], timestep=1e-5)
        history = step.history[0]
        stiffness = 0.5 / np.sqrt(overlap / unit * unit**5) / np.sqrt(0.25)
        assert history[STIFFNESS] == pytest.approx(stiffness, rel=1e-9)
        # angular frequency of small oscillations about that overlap: k' = 3/2 F/overlap
        frequency = np.sqrt(1.5 * step.normal_force[0] / overlap / 0.5)
        assert 2 * np.pi / frequency == pytest.approx(1.6 * TIME, rel=0.05)


def test_a_short_collision_time_leaves_slow_impacts_alone():
    modulus, poisson, e = 2e5, 0.3, 0.6
    for speed in (1e-3, 1.0):
        history = begin(f"actm 1e-12 {e} {modulus} {poisson}", speed).history[0]
        assert achieved(history, speed, 0.25, 0.5)[0] == pytest.approx(e, rel=1e-8)


def test_steps_are_multiples_of_the_time_step():
    steps = begin("actm steps 40 0.5 NULL 0.3", 1.0, timestep=2e-5).history
    time = begin(f"actm {40 * 2e-5!r} 0.5 NULL 0.3", 1.0, timestep=2e-5).history
    np.testing.assert_allclose(steps, time, rtol=1e-14)
    text = laws.ContactModel(f"actm steps 40 0.5 NULL 0.3 {FRICTIONLESS}").text
    assert text.startswith("actm steps 40 0.5 NULL 0.3 tangential")


def sheared(text: str) -> laws.Step:
    return laws.ContactModel(text).evaluate([[0.999, 0, 0]], [[-1.0, 1e-3, 0]], timestep=1e-5)


@pytest.mark.parametrize("poisson", [-0.5, 0.0, 0.3, 0.5])
@pytest.mark.parametrize(
    "model", ["mindlin NULL 0 1e3", "mindlin_rescale/force NULL 0 1e3", "mindlin_deresiewicz 0 1e3"]
)
def test_tangential_stiffness_follows_the_normal_one(model, poisson):
    """For equal materials, 8 G*/(4/3 E*) = 3 (1 - nu)/(2 - nu), whatever the modulus."""
    for modulus in ("NULL", "1e12"):
        text = f"actm {TIME} 1 {modulus} {poisson}"
        normal = float(sheared(f"{text} {FRICTIONLESS}").history[0, STIFFNESS])
        expected = 3 * (1 - poisson) / (2 - poisson) * normal
        given = f"hertz {normal!r} 0 tangential mindlin {expected!r} 0 1e3"
        if "deresiewicz" in model:  # a material with the softened stiffness
            soft = normal * 0.75 * 2 * (1 - poisson**2)
            given = f"hertz/material {soft!r} 0 {poisson} tangential {model}"
        found = sheared(f"{text} tangential {model}").force[0, 1]
        assert found == pytest.approx(sheared(given).force[0, 1], rel=1e-9)


def test_tangential_stiffness_of_the_bound_is_the_material_s():
    friction = "tangential mindlin NULL 0 1e3 twisting marshall"
    bounded = f"actm 1e-12 1 2e5 0.3 {friction}"
    material = f"hertz/material 2e5 0 0.3 {friction}"
    spin = {"spin_i": [1.0, 0, 0]}
    forces = [
        laws.ContactModel(text).evaluate([[0.999, 0, 0]], [[-1.0, 1e-3, 0]], timestep=1e-5, **spin)
        for text in (bounded, material)
    ]
    np.testing.assert_allclose(forces[0].force, forces[1].force, rtol=1e-12)
    np.testing.assert_allclose(forces[0].torque_i, forces[1].torque_i, rtol=1e-12)
    assert np.abs(forces[0].torque_i[0, 0]) > 0.0


def test_tangential_stiffness_that_is_given_stays():
    given = f"actm {TIME} 1 1e9 0.3 tangential mindlin 8e5 0 1e3"
    expected = "hertz 1e5 0 tangential mindlin 8e5 0 1e3"
    found, wanted = (sheared(text).force[0, 1] for text in (given, expected))
    assert found == pytest.approx(wanted, rel=1e-12)


# ------------------------------------------------------------------------------------ references


def test_exact_solution_has_the_known_limits():
    undamped = damped_hertz.collide(0.0)
    assert undamped.restitution == pytest.approx(1.0, rel=1e-14)
    assert undamped.duration == pytest.approx(actm.UNDAMPED_DURATION, rel=1e-14)
    assert undamped.overlap == pytest.approx(actm.UNDAMPED_OVERLAP, rel=1e-14)
    small = 1e-4
    weak = damped_hertz.collide(small)
    assert (1 - weak.restitution) / small == pytest.approx(actm.SLOPE, rel=1e-3)
    series = actm.series(small)
    assert weak.restitution == pytest.approx(series[0], abs=1e-10)
    assert weak.duration == pytest.approx(series[1], rel=1e-7)


@pytest.mark.parametrize("damping", ["0.05", "0.2", "0.45", "0.55"])
def test_exact_solution_agrees_with_an_ordinary_integration_and_with_itself(damping):
    from scipy.integrate import solve_ivp

    def touches_no_more(_, state):
        return state[0]

    touches_no_more.terminal, touches_no_more.direction = True, -1
    value = float(damping)
    run = solve_ivp(
        lambda _, s: [s[1], -2 * value * s[1] - np.maximum(s[0], 0) ** 1.5], [0, 100], [0, 1],
        events=touches_no_more, method="DOP853", rtol=1e-12, atol=1e-15,
    )  # fmt: skip
    found = damped_hertz.collide(value)
    assert found.duration == pytest.approx(run.t[-1], rel=1e-9)
    assert found.restitution == pytest.approx(-run.y[1, -1], rel=1e-8)
    results = []
    for digits in (25, 35):
        with localcontext() as context:
            context.prec = digits + 8
            results.append(damped_hertz.collide(Decimal(damping), digits=digits))
    for one, other, double in zip(*results, found, strict=True):
        assert abs(one / other - 1) < Decimal("1e-24")
        assert double == pytest.approx(float(other), rel=1e-12)


def test_time_reversal():
    """For weak damping, time reversal gives 1 - e = w - 2/5 w^2, where w = SLOPE*damping."""
    for damping in (1e-3, 2e-3):
        weak = actm.SLOPE * damping
        exact = float(damped_hertz.collide(damping).restitution)
        assert (exact - 1 + weak) / weak**2 == pytest.approx(0.4, abs=2 * weak)


@pytest.mark.parametrize(
    ("e", "error"),
    [(0.97, -1.0e-6), (0.9, -1.3e-5), (0.8, -2.6e-4), (0.5, -1.2e-2), (0.3, -7.4e-2), (0.1, -0.65)],
)
def test_error_of_the_direct_inversion(e, error):
    """The paper's formulas have these errors; the law does not."""
    found = actm.resulting_collision(*actm.direct_contact(e, TIME, 1.0, 0.5), 1.0, 0.5)[0]
    assert found / e - 1 == pytest.approx(error, rel=0.1)


@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
def test_iteration_meets_its_tolerance_only(e):
    result = actm.iterative_contact(e, TIME, 1.0, 0.5)
    found, time, _ = actm.resulting_collision(*result.contact, 1.0, 0.5)
    assert found == pytest.approx(e, rel=3e-3)
    assert time == pytest.approx(TIME, rel=3e-3)
    assert result.integrations >= 4


def test_what_parts_no_more_is_refused():
    with pytest.raises(ValueError, match=r"damping = 0\.6 must be >= 0 and < 0\.56"):
        damped_hertz.collide(0.6)


def test_rate_of_haffs_law():
    """In a dilute gas as e -> 1, the rate is (1 - e^2)/6 times the collision rate.

    The collision rate is 4 n d^2 sqrt(pi T/m).
    """
    e, phi = 1 - 1e-6, 1e-6
    expected = (1 - e**2) / 6 * 4 * (6 * phi / np.pi) * np.sqrt(np.pi) * 3.0
    assert actm.haff_rate(e, phi, speed=3.0) == pytest.approx(expected, rel=1e-5)


def test_times_of_a_system():
    material = {"radius": 1e-3, "density": 2500.0, "youngs_modulus": 7e10, "poisson_ratio": 0.25}
    advice = advise(speed=0.5, **material)
    mass = 0.5 * 2500 * 4 / 3 * np.pi * 1e-9
    stiffness = 4 / 3 * 7e10 / (2 * (1 - 0.25**2)) * np.sqrt(0.5e-3)
    _, time, overlap = actm.resulting_collision(stiffness, 0.0, 0.5, mass)
    assert advice.hertz_time == pytest.approx(time, rel=1e-9)
    assert advice.hertz_overlap == pytest.approx(overlap / 1e-3, rel=1e-9)
    assert advice.actm_overlap == pytest.approx(0.01, rel=1e-12)
    assert advice.speedup == pytest.approx(0.01 / advice.hertz_overlap, rel=1e-9)
    shear = 7e10 / 2.5
    wave = np.pi * 1e-3 * np.sqrt(2500 / shear) / (0.1631 * 0.25 + 0.8766)
    assert advice.rayleigh_step == pytest.approx(0.2 * wave, rel=1e-12)
    text = f"actm {advice.collision_time!r} 1 7e10 0.25"
    law = begin(text, 0.5, radius_i=1e-3, radius_j=1e-3, mass_i=2 * mass, mass_j=2 * mass)
    softened = law.history[0, STIFFNESS] * np.sqrt(0.5e-3)
    assert actm.resulting_collision(softened, 0.0, 0.5, mass)[2] == pytest.approx(1e-5, rel=1e-9)
    with pytest.raises(ValueError, match="overlap = 0 must be > 0 and < 1"):
        advise(speed=0.5, overlap=0.0, **material)
