// Tangential friction.

#ifndef GRANULAR_PLUS_STAGES_TANGENTIAL_H
#define GRANULAR_PLUS_STAGES_TANGENTIAL_H

#include "../tally.h"
#include "../friction/csds.h"
#include "../tangential/tangential_law.h"
#include "turning.h"

GRANULAR_PLUS_LAWS_BEGIN

// tangential force; adds up force and torques
template <class Law, class Slider, bool OBSERVES, bool SYNCHRONIZED = false> void
tangential_stage(Batch &b, const ModelConstants &model)
{
  const auto shared = constants_of<Law>(model.tangential);
  const double timestep = b.timestep;
  const double lever_depth = model.lever_depth;
  [[maybe_unused]] const double lever_excess = model.lever_depth - model.slip_depth;
  [[maybe_unused]] const double moves =
      timestep > 0.0 ? 1.0 : 0.0;    // in setup springs are at the end of a step already
  Row *history = b.history + model.tangential_history;
  Row *remembered = b.history + model.ledger_history;
  [[maybe_unused]] const Row *turning = model.against_wall ? b.turning_velocity : b.velocity;
  [[maybe_unused]] const double half_step = 0.5 * b.timestep;
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const TangentialLaw::Constants constants{shared.stiffness * b.stiffness_factor[l], shared.damping_ratio,
                                             shared.friction};
    const Vector normal = load(b.normal, l);
    const Vector velocity_before = load(b.tangential_velocity, l);
    Vector velocity{velocity_before.x, velocity_before.y, velocity_before.z};
    const double coulomb_limit = constants.friction * b.coulomb_normal_force[l];
    const double damping = constants.damping_ratio * b.damping_coefficient[l];

    Vector friction;
    [[maybe_unused]] double energy = 0.0, dashpot_loss = 0.0, slip_loss = 0.0, created = 0.0, numerical = 0.0;
    [[maybe_unused]] double sliding = 0.0;
    const Vector force_before = OBSERVES ? load(remembered + TANGENTIAL_FORCE_BEFORE, l) : Vector{};
    if constexpr (Law::history == 0) {
      const double magnitude = damping * length(velocity);
      friction = -(magnitude > coulomb_limit ? coulomb_limit / magnitude * damping : damping) * velocity;
      if constexpr (OBSERVES) {
        const double work = -0.5 * timestep * dot(force_before + friction, velocity);
        sliding = magnitude > coulomb_limit ? 1.0 : 0.0;
        dashpot_loss = magnitude > coulomb_limit ? 0.0 : work;
        slip_loss = work - dashpot_loss;
      }
    } else if constexpr (Law::complete) {
      const double weight = Law::stiffness(constants, b.contact_radius[l]);
      const Vector tilt = half_tilt(load(turning, l), normal, half_step * b.inverse_distance[l]);
      const double spin_angle = timestep * b.spin[l];
      for (int k = 0; k < 3 * Law::history_vectors; k += 3)
        store(
            history + k, l,
            turned_with_contact<friction::Csds>(load(history + k, l), normal, tilt, spin_angle, weight, coulomb_limit));
      friction = Law::advance(constants, history, l, velocity, b.coulomb_normal_force[l], b.contact_radius[l], damping,
                              timestep);
      if constexpr (OBSERVES) {
        const double work = -0.5 * timestep * dot(force_before + friction, velocity);
        energy = Law::elastic_energy(constants, history, l);
        dashpot_loss = -timestep * dot(friction - Law::elastic_force(constants, history, l), velocity);
        slip_loss = work - (energy - remembered[TANGENTIAL_ENERGY_BEFORE][l]) - dashpot_loss;
        sliding = dot(friction, friction) > 0.999999 * coulomb_limit * coulomb_limit ? 1.0 : 0.0;
      }
    } else {
      const double stiffness = Law::stiffness(constants, b.contact_radius[l]);
      const auto spring =
          Law::carries_force ? carrying_force(stiffness, damping) : carrying_displacement(stiffness, damping);
      Vector q = load(history, l);
      if constexpr (Law::rescales) {
        const double before = history[3][l], now = b.contact_radius[l];
        q = (now < before ? now / before : 1.0) * q;
        history[3][l] = now;
      }
      const double weight = std::fabs(spring.force_per_state);
      if constexpr (SYNCHRONIZED) {
        const Vector end = load(b.normal_at_end, l);
        const Vector moved = turned_with_contact<Slider>(
            q, normal, 0.5 * half_tilt(load(turning, l), normal, half_step * b.inverse_distance[l]),
            timestep * b.spin[l], weight, coulomb_limit);
        const double way = timestep * spring.state_rate;
        const Vector stretched = moved + way * velocity;
        const bool turns = turns_on(stretched, end, moves * weight, coulomb_limit);
        velocity = select(turns, turned_into_plane(velocity, end), velocity);
        // what the slider is given is the spring before it is stretched
        q = select(turns, turned_into_plane(stretched, end) - way * velocity, select(moves > 0.0, moved, q));
      } else if constexpr (Law::keeps_length) {
        q = turned_with_contact<Slider>(q, normal,
                                        half_tilt(load(turning, l), normal, half_step * b.inverse_distance[l]),
                                        timestep * b.spin[l], weight, coulomb_limit);
      } else {
        q = select(moves > 0.0, projected(q, normal), q);
      }
      [[maybe_unused]] const Vector entering{q.x, q.y, q.z};
      if constexpr (Law::in_lammps && Slider::lammps_geometry) {    // a spring that slips is left too short
        const Vector stretched = q + (timestep * spring.state_rate) * velocity;
        friction = Slider::step(q, spring, velocity, coulomb_limit, timestep);
        const Vector reset = q - stretched;
        q = (dot(reset, reset) > 0.0 ? b.contact_radius[l] : 1.0) * q;
      } else if constexpr (SYNCHRONIZED &&
                           Slider::lammps_geometry) {    // where it slips, the velocity has not turned on
        const Vector stretched = q + (timestep * spring.state_rate) * velocity;
        friction = Slider::step(q, spring, velocity, coulomb_limit, timestep);
        const Vector reset = q - stretched;
        const double per_force_per_state = spring.force_per_state != 0.0 ? -1.0 / spring.force_per_state : 0.0;
        q = q + (dot(reset, reset) > 0.0 ? per_force_per_state * damping : 0.0) * (velocity_before - velocity);
      } else {
        friction = Slider::step(q, spring, velocity, coulomb_limit, timestep);
      }
      store(history, l, q);
      if constexpr (OBSERVES) {
        const auto tally =
            tally_of<Slider, Law::carries_force>(entering, q, spring, velocity, force_before, friction,
                                                 remembered[TANGENTIAL_ENERGY_BEFORE][l], coulomb_limit, timestep);
        energy = tally.energy;
        dashpot_loss = tally.dashpot;
        slip_loss = tally.slip;
        created = tally.created;
        numerical = tally.numerical;
        sliding = tally.sliding;
      }
    }

    const Vector torque = cross(friction, normal);
    const double depth = lever_depth * b.overlap[l];
    if constexpr (OBSERVES) {
      const Vector drift =
          (timestep * lever_excess * b.overlap[l]) * cross(load(b.spin_i, l) + load(b.spin_j, l), normal);
      b.observed[TANGENTIAL_ENERGY][l] = energy;
      b.observed[TANGENTIAL_DASHPOT_LOSS][l] = dashpot_loss;
      b.observed[SLIP_LOSS][l] = slip_loss;
      b.observed[CREATED][l] += created;
      b.observed[NUMERICAL_LOSS][l] += numerical;
      b.observed[LEVER_LOSS][l] = -0.5 * dot(force_before + friction, drift);
      b.observed[SLIDING][l] = sliding;
      store(remembered + TANGENTIAL_FORCE_BEFORE, l, friction);
      remembered[TANGENTIAL_ENERGY_BEFORE][l] = energy;
    }
    store(b.force, l, b.normal_force[l] * normal + friction);
    store(b.torque_i, l, (b.radius_i[l] - depth) * torque);
    store(b.torque_j, l, (b.radius_j[l] - depth) * torque);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
