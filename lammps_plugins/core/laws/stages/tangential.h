// The stage of the tangential law and its slider.

#ifndef GRANULAR_PLUS_STAGES_TANGENTIAL_H
#define GRANULAR_PLUS_STAGES_TANGENTIAL_H

#include "../tally.h"
#include "../friction/csds.h"
#include "../tangential/tangential_law.h"
#include "turning.h"

GRANULAR_PLUS_LAWS_BEGIN

// Vectors are copied by components below, because GCC does not vectorise loops in which structs are copied as a whole.
template <class Constants> struct Slip {
  const Constants &constants;
  const Vector &normal, &velocity;
  double damping, coulomb_limit, timestep;
  const Vector &force_before;    // values of the last step, read by observing stages only
  double energy_before;
};

struct Friction {
  Vector force;
  double energy, dashpot_loss, slip_loss, created, numerical, sliding;
};

// rotation of the contact in this step
struct Turn {
  Vector tilt;          // half of the change of the normal (half_tilt)
  double spin_angle;    // about the normal
};

template <class Law, bool OBSERVES> LANE Friction friction_without_spring(const Slip<typename Law::Constants> &slip)
{
  const double magnitude = slip.damping * length(slip.velocity);
  const bool slides = magnitude > slip.coulomb_limit;
  const Vector force = -(slides ? slip.coulomb_limit / magnitude * slip.damping : slip.damping) * slip.velocity;
  if constexpr (!OBSERVES) return {{force.x, force.y, force.z}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const double work = -0.5 * slip.timestep * dot(slip.force_before + force, slip.velocity);
  const double dashpot_loss = slides ? 0.0 : work;
  return {{force.x, force.y, force.z}, 0.0, dashpot_loss, work - dashpot_loss, 0.0, 0.0, slides ? 1.0 : 0.0};
}

template <class Law, bool OBSERVES>
LANE Friction friction_of_complete_law(const Slip<typename Law::Constants> &slip, const Turn &turn, Row *history, int l,
                                       double coulomb_normal_force, double contact_radius)
{
  const double weight = Law::stiffness(slip.constants, contact_radius);
  for (int k = 0; k < 3 * Law::history_vectors; k += 3)
    store(history + k, l,
          turned_with_contact<friction::Csds>(load(history + k, l), slip.normal, turn.tilt, turn.spin_angle, weight,
                                              slip.coulomb_limit));
  [[maybe_unused]] const Vector elastic_before =
      OBSERVES ? Law::elastic_force(slip.constants, history, l) : Vector{0.0, 0.0, 0.0};
  const Vector force = Law::advance(slip.constants, history, l, slip.velocity, coulomb_normal_force, contact_radius,
                                    slip.damping, slip.timestep);
  if constexpr (!OBSERVES) return {{force.x, force.y, force.z}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const Vector path = slip.timestep * slip.velocity;
  const Vector elastic = Law::elastic_force(slip.constants, history, l);
  const double work = -0.5 * dot(slip.force_before + force, path);
  const double energy = Law::elastic_energy(slip.constants, history, l);
  const double gain = energy - slip.energy_before;
  const double dashpot_loss = -dot(force - elastic, path);
  const double slip_loss = larger(0.0, -0.5 * dot(elastic_before + elastic, path) - gain);
  // Stretching cannot increase the elastic energy by more than the work done against the force at the end of the step.
  const double excess = gain + dot(elastic, path);
  // smaller values are round-off
  const double created = excess > 1.0e-10 * (energy + slip.energy_before) ? excess : 0.0;
  const double nearly = 0.999999 * slip.coulomb_limit * slip.coulomb_limit;
  const double sliding = dot(force, force) > nearly ? 1.0 : 0.0;
  return {{force.x, force.y, force.z},
          energy,
          dashpot_loss,
          slip_loss,
          created,
          work - gain - dashpot_loss - slip_loss + created,
          sliding};
}

// Used where the spring that LAMMPS stores differs from the slider's spring q. left(q, slips) returns the spring that
// LAMMPS stores.
template <class Slider, class Left>
LANE Vector step_as_lammps(Vector &q, const SpringDashpot &spring, const Vector &velocity, double coulomb_limit,
                           double timestep, double &sliding, Left left)
{
  const Vector stretched = q + (timestep * spring.state_rate) * velocity;
  const Vector force = Slider::step(q, spring, velocity, coulomb_limit, timestep, sliding);
  const Vector reset = q - stretched;
  q = left(q, dot(reset, reset) > 0.0);
  return force;
}

// SYNCHRONIZED: true if velocity and normal are those of the half step.
template <class Law, class Slider, bool OBSERVES, bool SYNCHRONIZED>
LANE Friction friction_of_spring(const Slip<typename Law::Constants> &slip, const Turn &turn, Row *history, int l,
                                 double contact_radius, [[maybe_unused]] const Vector &normal_at_end)
{
  const double coulomb_limit = slip.coulomb_limit, timestep = slip.timestep;
  // 0 in setup, where springs already have their values at the end of the last step
  [[maybe_unused]] const double moves = timestep > 0.0 ? 1.0 : 0.0;
  Vector velocity{slip.velocity.x, slip.velocity.y, slip.velocity.z};
  const double stiffness = Law::stiffness(slip.constants, contact_radius);
  const auto spring =
      Law::carries_force ? carrying_force(stiffness, slip.damping) : carrying_displacement(stiffness, slip.damping);
  Vector q = load(history, l);
  if constexpr (Law::rescales) {
    const double before = history[3][l], now = contact_radius;
    q = (now < before ? now / before : 1.0) * q;
    history[3][l] = now;
  }
  const double weight = std::fabs(spring.force_per_state);
  if constexpr (SYNCHRONIZED) {
    // At the half step, the normal has made only half of its change.
    const Vector moved =
        turned_with_contact<Slider>(q, slip.normal, 0.5 * turn.tilt, turn.spin_angle, weight, coulomb_limit);
    const double way = timestep * spring.state_rate;
    const Vector stretched = moved + way * velocity;
    const bool turns = turns_on(stretched, normal_at_end, moves * weight, coulomb_limit);
    velocity = select(turns, turned_into_plane(velocity, normal_at_end), velocity);
    // The stretch of this step is subtracted, because the slider will add it.
    q = select(turns, turned_into_plane(stretched, normal_at_end) - way * velocity, select(moves > 0.0, moved, q));
  } else if constexpr (Law::keeps_length) {
    q = turned_with_contact<Slider>(q, slip.normal, turn.tilt, turn.spin_angle, weight, coulomb_limit);
  } else {
    q = select(moves > 0.0, projected(q, slip.normal), q);
  }

  [[maybe_unused]] const Vector entering{q.x, q.y, q.z};
  Vector force;
  [[maybe_unused]] double sliding;
  // For these laws, LAMMPS multiplies a spring that slips by the contact radius.
  if constexpr (Law::in_lammps && Slider::lammps_geometry) {
    force = step_as_lammps<Slider>(
        q, spring, velocity, coulomb_limit, timestep, sliding,
        [contact_radius](const Vector &spring_now, bool slips) { return (slips ? contact_radius : 1.0) * spring_now; });
    // if the contact slips, LAMMPS resets the spring with the velocity before its rotation into the plane
  } else if constexpr (SYNCHRONIZED && Slider::lammps_geometry) {
    const double per_force_per_state = spring.force_per_state != 0.0 ? -1.0 / spring.force_per_state : 0.0;
    force = step_as_lammps<Slider>(
        q, spring, velocity, coulomb_limit, timestep, sliding, [&](const Vector &spring_now, bool slips) {
          return spring_now + (slips ? per_force_per_state * slip.damping : 0.0) * (slip.velocity - velocity);
        });
  } else {
    force = Slider::step(q, spring, velocity, coulomb_limit, timestep, sliding);
  }
  store(history, l, q);

  if constexpr (!OBSERVES) return {{force.x, force.y, force.z}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const auto tally = tally_of<Slider, Law::carries_force>(entering, q, spring, velocity, slip.force_before, force,
                                                          slip.energy_before, timestep);
  return {
      {force.x, force.y, force.z}, tally.energy, tally.dashpot, tally.slip, tally.created, tally.numerical, sliding};
}

template <class Law, class Slider, bool OBSERVES, bool SYNCHRONIZED>
LANE Friction friction_of(const Slip<typename Law::Constants> &slip, const Row *turning, const Batch &b, Row *history,
                          int l)
{
  if constexpr (Law::history == 0) {
    return friction_without_spring<Law, OBSERVES>(slip);
  } else {
    const Turn turn{half_tilt(load(turning, l), slip.normal, 0.5 * slip.timestep * b.inverse_distance[l]),
                    slip.timestep * b.spin[l]};
    if constexpr (Law::complete)
      return friction_of_complete_law<Law, OBSERVES>(slip, turn, history, l, b.coulomb_normal_force[l],
                                                     b.contact_radius[l]);
    else
      return friction_of_spring<Law, Slider, OBSERVES, SYNCHRONIZED>(
          slip, turn, history, l, b.contact_radius[l], SYNCHRONIZED ? load(b.normal_at_end, l) : slip.normal);
  }
}

template <class Law, class Slider, bool OBSERVES, bool SYNCHRONIZED = false>
STAGE void tangential_stage(Batch &b, const ModelConstants &model)
{
  const auto shared = constants_of<Law>(model.tangential);
  const double timestep = b.timestep;
  const double lever_depth = model.lever_depth;
  [[maybe_unused]] const double lever_excess = model.lever_depth - model.slip_depth;
  Row *history = b.history + model.tangential_history;
  Row *remembered = remembered_of(OF_CONTACT, b, model);
  [[maybe_unused]] const Row *turning = model.meets_surface ? b.turning_velocity : b.velocity;
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const typename Law::Constants constants = Law::scaled(shared, b.stiffness_factor[l]);
    const Vector normal = load(b.normal, l);
    const Vector velocity = load(b.tangential_velocity, l);
    const Vector force_before = OBSERVES ? load(remembered + TANGENTIAL_FORCE_BEFORE, l) : Vector{};
    const Slip<typename Law::Constants> slip{constants,
                                             normal,
                                             velocity,
                                             constants.damping_ratio * b.damping_coefficient[l],
                                             constants.friction * b.coulomb_normal_force[l],
                                             timestep,
                                             force_before,
                                             OBSERVES ? remembered[TANGENTIAL_ENERGY_BEFORE][l] : 0.0};

    const Friction friction = friction_of<Law, Slider, OBSERVES, SYNCHRONIZED>(slip, turning, b, history, l);
    const Vector torque = cross(friction.force, normal);
    const double depth = lever_depth * b.overlap[l];
    if constexpr (OBSERVES) {
      b.observed[TANGENTIAL_ENERGY][l] = friction.energy;
      b.observed[TANGENTIAL_DASHPOT_LOSS][l] = friction.dashpot_loss;
      b.observed[SLIP_LOSS][l] = friction.slip_loss;
      b.observed[CREATED][l] = friction.created;
      b.observed[NUMERICAL_LOSS][l] += friction.numerical;
      if constexpr (Slider::lammps_geometry) {
        const Vector drift =
            (timestep * lever_excess * b.overlap[l]) * cross(load(b.spin_i, l) + load(b.spin_j, l), normal);
        b.observed[LEVER_LOSS][l] = -0.5 * dot(slip.force_before + friction.force, drift);
      }
      b.observed[SLIDING][l] = friction.sliding;
      store(remembered + TANGENTIAL_FORCE_BEFORE, l, friction.force);
      remembered[TANGENTIAL_ENERGY_BEFORE][l] = friction.energy;
    }
    store(b.force, l, b.normal_force[l] * normal + friction.force);
    store(b.torque_i, l, (b.radius_i[l] - depth) * torque);
    store(b.torque_j, l, (b.radius_j[l] - depth) * torque);
  }
}

GRANULAR_PLUS_LAWS_END

#endif
