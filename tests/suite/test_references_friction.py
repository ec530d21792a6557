"""The reference solutions of friction satisfy the equations that they solve."""

import numpy as np
import pytest

from pysuite.validation.references import friction, impact
from pysuite.validation.references.friction import Plates

PAPER = Plates()
SETS = [PAPER, Plates(velocity=0.6), Plates(velocity=16.0), Plates(2.0, 3.0, 7.0, 0.5, 3.0)]


def derivative(function, time, step=1e-5):
    return (function(time + step) - function(time - step)) / (2 * step)


def test_slide_durations_of_the_paper():
    end = friction.csds_slide_duration(PAPER)
    assert end == pytest.approx(3.92991922641146, abs=1e-13)
    assert 2 * (4 - end) == pytest.approx(np.exp(-end / 2), abs=1e-14)
    assert friction.dsds_slide_duration(PAPER) == 2.0


def test_csds_closed_form_of_the_paper():
    end = friction.csds_slide_duration(PAPER)
    slide, u = np.linspace(0, end, 50), np.linspace(0, 10, 50)
    state = friction.csds_exact(PAPER, np.concatenate([slide, end + u]))
    spring, velocity = 1 - np.exp(-end / 2), 4 - end
    a = spring + velocity
    assert state.spring == pytest.approx(
        np.concatenate([1 - np.exp(-slide / 2), (spring + a * u) * np.exp(-u)]), abs=1e-13
    )
    assert state.velocity == pytest.approx(
        np.concatenate([4 - slide, (velocity - a * u) * np.exp(-u)]), abs=1e-13
    )
    assert state.force[slide.size :] == pytest.approx(-(1 - a * u) * np.exp(-u), abs=1e-13)


def test_dsds_closed_form_of_the_paper():
    slide, u = np.linspace(0, 1.999, 50), np.linspace(0, 10, 50)
    state = friction.dsds_exact(PAPER, np.concatenate([slide, 2 + u]))
    assert state.spring == pytest.approx(
        np.concatenate([1 - 2 * (4 - slide), -(3 + u) * np.exp(-u)]), abs=1e-13
    )
    assert state.velocity == pytest.approx(
        np.concatenate([4 - slide, (2 + u) * np.exp(-u)]), abs=1e-13
    )
    assert state.spring[0] == -7.0
    assert friction.dsds_created_energy(PAPER) == 24.5


@pytest.mark.parametrize("plates", SETS, ids=str)
def test_csds_exact_solves_equation_10(plates):
    end = friction.csds_slide_duration(plates)
    time = np.linspace(0.01, 2 * end + 5, 400)
    time = time[np.abs(time - end) > 1e-3]
    state = friction.csds_exact(plates, time)
    test = -(plates.stiffness * state.spring + plates.dashpot * state.velocity)
    force = np.clip(test, -plates.limit, plates.limit)
    assert state.force == pytest.approx(force, abs=1e-12)
    velocity = derivative(lambda t: friction.csds_exact(plates, t).velocity, time)
    assert plates.mass * velocity == pytest.approx(force, abs=1e-8)
    spring = derivative(lambda t: friction.csds_exact(plates, t).spring, time)
    loading = -(force + plates.stiffness * state.spring) / plates.dashpot
    assert spring == pytest.approx(loading, abs=1e-8)


@pytest.mark.parametrize("plates", SETS, ids=str)
def test_dsds_exact_solves_its_equations(plates):
    end = friction.dsds_slide_duration(plates)
    time = np.linspace(0.01, 2 * end + 5, 400)
    time = time[np.abs(time - end) > 1e-3]
    state = friction.dsds_exact(plates, time)
    test = -(plates.stiffness * state.spring + plates.dashpot * state.velocity)
    assert state.force == pytest.approx(test, abs=1e-12)  # the same equation holds during sliding
    assert np.all(np.abs(state.force) <= plates.limit * (1 + 1e-12))
    velocity = derivative(lambda t: friction.dsds_exact(plates, t).velocity, time)
    assert plates.mass * velocity == pytest.approx(state.force, abs=1e-8)
    stick = time > end
    spring = derivative(lambda t: friction.dsds_exact(plates, t).spring, time)
    assert spring[stick] == pytest.approx(state.velocity[stick], abs=1e-8)


@pytest.mark.parametrize("plates", SETS, ids=str)
def test_csds_losses_are_the_integrals_of_equation_11(plates):
    end = friction.csds_slide_duration(plates)
    time = np.union1d(np.linspace(0, 2 * end + 5, 20001), [end])
    state, energies = friction.csds_exact(plates, time), friction.csds_energies(plates, time)
    loading = -(state.force + plates.stiffness * state.spring) / plates.dashpot

    def integral(power):
        return np.concatenate([[0], np.cumsum(np.diff(time) * (power[1:] + power[:-1]) / 2)])

    accuracy = 1e-6 * plates.energy
    assert energies.dashpot == pytest.approx(integral(plates.dashpot * loading**2), abs=accuracy)
    assert energies.slip == pytest.approx(
        integral(-state.force * (state.velocity - loading)), abs=accuracy
    )
    assert energies.total == pytest.approx(plates.energy, rel=1e-12)
    assert np.all(np.diff(energies.slip) >= -1e-12 * plates.energy)
    assert np.all(np.diff(energies.dashpot) >= -1e-12 * plates.energy)


def test_csds_energies_of_the_paper_add_to_eight():
    time = np.linspace(0, 3.9, 40)
    energies = friction.csds_energies(PAPER, time)
    assert energies.total == pytest.approx(8.0, rel=1e-14)
    assert energies.dashpot == pytest.approx((1 - np.exp(-time)) / 2, abs=1e-14)
    assert energies.slip == pytest.approx(
        4 * time - time**2 / 2 - (1 - np.exp(-time / 2)), abs=1e-13
    )


def test_slow_plates_stick_at_once():
    slow = Plates(velocity=0.4)
    assert friction.csds_slide_duration(slow) == friction.dsds_slide_duration(slow) == 0.0
    assert friction.dsds_created_energy(slow) == 0.0
    time = np.linspace(0, 10, 50)
    for exact, other in zip(
        friction.csds_exact(slow, time), friction.dsds_exact(slow, time), strict=True
    ):
        assert exact == pytest.approx(other, abs=1e-15)


def test_what_the_exact_solutions_do_not_cover_is_refused():
    with pytest.raises(ValueError, match="dashpot = 1"):
        friction.csds_exact(Plates(dashpot=1.0), 0.0)
    with pytest.raises(ValueError, match="velocity = nan"):
        Plates(velocity=float("nan"))
    with pytest.raises(ValueError, match="model = 'truncate'"):
        friction.explicit(PAPER, "Euler", "truncate", 0.1, 1)


# ------------------------------------------------------------------------------ explicit schemes


def worst_velocity(scheme, model, time_step, reset="evaluating", until=10.0):
    state = friction.explicit(PAPER, scheme, model, time_step, round(until / time_step), reset)
    exact = getattr(friction, f"{model}_exact")(PAPER, state.states.time)
    return np.abs(state.states.velocity - exact.velocity).max()


@pytest.mark.parametrize("scheme", friction.SCHEMES)
def test_explicit_schemes_reach_their_order_on_the_smooth_slide(scheme):
    steps = np.array([0.4, 0.2, 0.1])
    errors = []
    for step in steps:
        state = friction.explicit(PAPER, scheme, "csds", step, round(3.6 / step)).states
        errors.append(np.abs(state.spring - friction.csds_exact(PAPER, state.time).spring).max())
    order = friction.SCHEMES[scheme].order
    assert friction.convergence_order(steps, errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize(("scheme", "order"), [("Euler", 1), ("Heun", 2), ("midpoint", 2)])
def test_csds_keeps_the_order_across_the_kink_up_to_two(scheme, order):
    steps = np.array([0.1, 0.05, 0.02, 0.01, 0.005])
    errors = [worst_velocity(scheme, "csds", step) for step in steps]
    assert friction.convergence_order(steps, errors) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("scheme", ["Euler", "Heun", "RK4"])
def test_dsds_is_first_order_in_every_scheme(scheme):
    steps = np.array([0.1, 0.05, 0.02, 0.01, 0.005])
    errors = [worst_velocity(scheme, "dsds", step) for step in steps]
    assert friction.convergence_order(steps, errors) == pytest.approx(1, abs=0.15)


def test_dsds_with_the_reached_velocity_is_second_order_in_heun():
    steps = np.array([0.1, 0.05, 0.02, 0.01])
    errors = [worst_velocity("Heun", "dsds", step, reset="reached") for step in steps]
    assert friction.convergence_order(steps, errors) == pytest.approx(2, abs=0.1)


def test_midpoint_dsds_does_not_converge_and_leaves_coulomb_until_eight():
    assert worst_velocity("midpoint", "dsds", 0.001) > 2.4
    run = friction.explicit(PAPER, "midpoint", "dsds", 0.2, 75)
    test = np.abs(run.states.spring + 2 * run.states.velocity)
    assert run.states.time[test > 1].max() == pytest.approx(8.0)
    slides = run.states.time[:-1] < 8
    assert run.auxiliary.spring[slides] == pytest.approx(
        1 - 2 * run.states.velocity[:-1][slides], abs=1e-12
    )


def test_euler_dsds_oscillates_as_equation_19_says():
    step = 0.1
    state = friction.explicit(PAPER, "Euler", "dsds", step, 10).states
    assert state.spring[1] == -7.0
    assert state.force[1] == pytest.approx(-(1 - 2 * step))


# ------------------------------------------------------------------------------- discrete steps


def random_contacts(rng, count, dimensions):
    springs = rng.normal(size=(count, dimensions)) * 10.0 ** rng.uniform(-3, 2, (count, 1))
    stiffness, dashpot, limit = 10.0 ** rng.uniform(-3, 3, (3, count))
    dashpot[::5] = 0.0
    return springs, stiffness, dashpot, limit


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("time_step", [1e-4, 0.1, 10.0])
def test_csds_step_is_passive_for_any_history(dimensions, time_step):
    rng = np.random.default_rng(1)
    spring, stiffness, dashpot, limit = random_contacts(rng, 500, dimensions)
    for _ in range(50):
        velocity = rng.normal(size=spring.shape) * 10.0 ** rng.uniform(-3, 3, (500, 1))
        bound = limit * np.maximum(rng.uniform(-0.2, 2, 500), 0.0)
        new, force = friction.csds_step(spring, velocity, stiffness, dashpot, bound, time_step)
        work = -np.sum(force * velocity, axis=1) * time_step
        stored = stiffness / 2 * (np.sum(new**2, axis=1) - np.sum(spring**2, axis=1))
        moved = np.sum((new - spring) ** 2, axis=1)
        slip = velocity - (new - spring) / time_step
        slip_loss = -np.sum(force * slip, axis=1) * time_step
        length = np.linalg.norm(spring, axis=1) + np.linalg.norm(new, axis=1)
        drag = np.linalg.norm(force, axis=1) + dashpot * np.sqrt(moved) / time_step
        # `scale` is the size of the terms that the rounding error of the spring affects
        scale = np.abs(work) + (drag + stiffness * length) * length
        assert np.all(stored <= work + 1e-12 * scale)
        assert np.all(slip_loss >= -1e-12 * scale)
        losses = slip_loss + dashpot * moved / time_step + stiffness / 2 * moved
        assert np.all(np.abs(work - stored - losses) <= 1e-12 * (scale + losses))
        assert np.all(np.linalg.norm(force, axis=1) <= bound * (1 + 1e-12))
        spring = new


def test_csds_step_sticks_and_degenerates_as_it_should():
    new, force = friction.csds_step(0.1, 0.2, 3.0, 0.7, 100.0, 0.01)
    assert new == pytest.approx(0.1 + 0.2 * 0.01, rel=1e-15)
    assert force == pytest.approx(-(3.0 * new + 0.7 * 0.2), rel=1e-14)
    new, force = friction.csds_step(0.1, 50.0, 3.0, 0.0, 0.2, 0.01)  # Cundall & Strack
    assert (new, force) == (pytest.approx(0.2 / 3.0), pytest.approx(-0.2))
    new, force = friction.csds_step([[0.3, 0.4]], [[1.0, 2.0]], 0.0, 0.0, 0.0, 0.01)
    assert new.tolist() == [[0.3, 0.4]]
    assert not force.any()


def test_csds_step_is_continuous_where_slip_begins():
    below, above = (
        np.array(friction.csds_step(0.2, 1.0, 2.0, 0.5, bound, 0.1))
        for bound in (1.1 - 1e-9, 1.1 + 1e-9)
    )
    assert below == pytest.approx(above, abs=1e-8)


def test_dsds_step_creates_the_energy_of_equation_3():
    new, force = friction.dsds_step(0.0, 4.0, 1.0, 2.0, 1.0, 0.01)
    assert (new, force) == (-7.0, -1.0)


@pytest.mark.parametrize("model", ["csds", "dsds"])
def test_verlet_converges_to_the_exact_motion(model):
    steps = np.array([0.1, 0.05, 0.02, 0.01])
    errors = []
    for step in steps:
        state = friction.verlet(PAPER, getattr(friction, f"{model}_step"), step, round(10 / step))
        exact = getattr(friction, f"{model}_exact")(PAPER, state.time)
        errors.append(np.abs(state.velocity - exact.velocity).max())
    assert friction.convergence_order(steps, errors) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("time_step", [0.2, 0.1, 0.01, 0.003])
def test_verlet_with_the_csds_never_gains_energy(time_step):
    state = friction.verlet(PAPER, friction.csds_step, time_step, round(10 / time_step))
    assert np.diff(state.mechanical(PAPER)).max() <= 0.0


# ---------------------------------------------------------------------------------------- impact


def test_impact_agrees_with_small_steps_of_the_implicit_scheme():
    angle, friction_coefficient, stiffness, dashpot = np.radians(40.0), 0.3, 2 / 7, 0.4
    damping_ratio = impact.linear_damping_ratio(0.8)
    exact = impact.csds_impact(angle, friction_coefficient, damping_ratio, stiffness, dashpot)
    steps = 20000
    step = impact.repulsive_duration(damping_ratio) / steps
    overlap, approach, tangent = 0.0, np.cos(angle), np.sin(angle)
    spring, velocity, centres = 0.0, tangent, tangent
    for _ in range(steps):
        approach -= step * (overlap + 2 * damping_ratio * approach)
        overlap += step * approach
        bound = friction_coefficient * max(overlap + 2 * damping_ratio * approach, 0.0)
        spring, force = friction.csds_step(spring, velocity, stiffness, dashpot, bound, step)
        velocity += 3.5 * force * step
        centres += force * step
    assert centres / tangent == pytest.approx(exact.tangential_restitution[0], abs=2e-4)
    assert -approach / np.cos(angle) == pytest.approx(exact.normal_restitution[0], abs=2e-4)


def test_impact_that_always_slides_obeys_the_identity():
    angle = np.radians(np.arange(5.0, 86.0, 5.0))
    for coefficient in (0.1, 0.5):
        for dashpot in (0.05, 0.5, 5.0):
            result = impact.csds_impact(angle, coefficient, 0.05, 2 / 7, dashpot)
            slides = result.always_slides
            assert slides.any()
            assert not slides.all()
            identity = impact.gross_sliding_restitution(
                angle, coefficient, result.normal_restitution
            )
            assert result.tangential_restitution[slides] == pytest.approx(
                identity[slides], abs=1e-9
            )
            assert np.all(result.kinetic_energy < 1.0)


def test_impact_normal_restitution_without_damping_is_one():
    assert impact.repulsive_duration(0.0) == pytest.approx(np.pi)
    assert impact.linear_damping_ratio(1.0) == 0.0
    result = impact.csds_impact(0.3, 0.0, 0.0, 0.3, 1.0)
    assert result.normal_restitution[0] == pytest.approx(1.0)
    assert result.kinetic_energy[0] == pytest.approx(1.0)
