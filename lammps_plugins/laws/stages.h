// The lane loops: each stage takes a batch through one step of the contact, its law inlined.

#ifndef GRANULAR_PLUS_STAGES_H
#define GRANULAR_PLUS_STAGES_H

#include "bookkeeping.h"
#include "contact.h"
#include "gauss_legendre.h"
#include "registry.h"

#include <cstring>

GRANULAR_PLUS_LAWS_BEGIN

template <class Law> typename Law::Constants constants_of(const double *slot)
{
  typename Law::Constants constants;
  std::memcpy(&constants, slot, sizeof constants);
  return constants;
}

LANE Vector load(const Row *rows, int lane) { return {rows[0][lane], rows[1][lane], rows[2][lane]}; }
LANE void store(Row *rows, int lane, const Vector &v)
{
  rows[0][lane] = v.x;
  rows[1][lane] = v.y;
  rows[2][lane] = v.z;
}

// how two particles, or a particle and a wall, lie to each other
struct Geometry {
  Vector normal;    // from j to i; coincident centres have none: zero, and no force rather than NaN
  double inverse_distance, overlap, effective_radius, effective_mass;
};

// Divisions are what a contact waits for most: one serves radii and masses, and need not wait for the distance.
LANE Geometry geometry(const Batch &b, const double *facing, int lane)
{
  const Vector separation = load(b.separation, lane);
  const double radius_i = b.radius_i[lane], radius_j = b.radius_j[lane], curvature = facing[lane];
  // negative masses are those of particles that cannot be moved; between two of them the first counts, as in LAMMPS
  const double mass_i = std::fabs(b.mass_i[lane]), mass_j = std::fabs(b.mass_j[lane]);
  const double radii = radius_i + curvature, masses = mass_i + mass_j;
  const double product = radii * masses;    // 0 for a grain that fills its tube
  const double inverse = product != 0.0 ? 1.0 / product : 0.0;
  const double both = mass_i * mass_j * (radii * inverse);
  const double distance = length(separation);
  const double inverse_distance = distance > 0.0 ? 1.0 / distance : 0.0;
  return {inverse_distance * separation, inverse_distance, radius_i + radius_j - distance,
          radius_i * curvature * (masses * inverse),
          b.mass_j[lane] < 0.0 ? mass_i : (b.mass_i[lane] < 0.0 ? mass_j : both)};
}

LANE const double *facing_of(const Batch &b, const StackConstants &stack)
{
  return stack.against_wall ? b.surface_radius : b.radius_j;
}

// Each stage comes in two kinds. The observing one also fills Batch::observed and keeps the values of Remembered.

// adds the work to stretch bridges from touch to the gap of each lane
template <class Law, class Gap>
void add_stretch_energy(const typename Law::Constants &constants, const Batch &b, Gap gap, double *energy)
{
  const int lanes = b.padded();
  if constexpr (Law::closed_energy) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) energy[l] += Law::stretch_energy(constants, 2.0 * b.effective_radius[l], gap(l));
  } else {
    // The cube root of the gap is the variable: near touch the force falls steeply. Errors of 1e-10 are left.
    gauss_legendre::for_each_node([&](double node, double weight) {
      const double place = node * node * node, share = 3.0 * node * node * weight;
#pragma omp simd
      for (int l = 0; l < lanes; ++l)
        energy[l] += share * gap(l) * Law::force(constants, 2.0 * b.effective_radius[l], place * gap(l));
    });
  }
}

template <class Normal> [[gnu::noinline]] void adapt_each_new_contact(Batch &b, const StackConstants &stack)
{
  const auto elastic = constants_of<Normal>(stack.normal);
  const double *facing = facing_of(b, stack);
  Row *kept = b.history + stack.normal_history;
  for (int l = 0; l < b.count; ++l) {
    if (kept[Normal::STIFFNESS][l] > 0.0) continue;
    const Geometry pair = geometry(b, facing, l);
    NormalContact contact;
    contact.overlap = pair.overlap;
    contact.effective_radius = pair.effective_radius;
    contact.effective_mass = pair.effective_mass;
    Normal::begin(elastic, contact, -dot(load(b.velocity, l), pair.normal), kept, l);
  }
}

// Laws that adapt to each collision do so when it begins. Few contacts are new: most batches are passed over.
template <class Normal> void adapt_to_new_contacts(Batch &b, const StackConstants &stack)
{
  const double *stiffness = b.history[stack.normal_history + Normal::STIFFNESS];
  double least = stiffness[0];
#pragma omp simd reduction(min : least)
  for (int l = 0; l < b.count; ++l) least = smaller(stiffness[l], least);
  if (!(least > 0.0)) adapt_each_new_contact<Normal>(b, stack);
}

// overlaps of softened contacts beyond this part of the smaller radius are reported
constexpr double TOLERATED_OVERLAP = 0.05;

LANE void watch_overlaps(Batch &b)
{
  double excess = b.excess_overlap;
#pragma omp simd reduction(max : excess)
  for (int l = 0; l < b.count; ++l) {
    const double radius = b.radius_j[l] > 0.0 ? smaller(b.radius_i[l], b.radius_j[l]) : b.radius_i[l];
    excess = larger(b.overlap[l] - TOLERATED_OVERLAP * radius, excess);
  }
  b.excess_overlap = excess;
}

// geometry and motion of the contact, then the normal force
template <class Normal, class Damping, bool OBSERVES> void normal_stage(Batch &b, const StackConstants &stack)
{
  if constexpr (Normal::adapts) adapt_to_new_contacts<Normal>(b, stack);
  const auto elastic = constants_of<Normal>(stack.normal);
  const auto dashpot = constants_of<Damping>(stack.damping);
  const double floor = stack.normal_force_floor;
  const double velocity_depth = stack.velocity_depth;
  const Row *turning_velocity = stack.against_wall ? b.turning_velocity : b.velocity;
  const double timestep = b.timestep;
  [[maybe_unused]] const double follows = stack.tangential_follows;
  [[maybe_unused]] Row *kept = b.history + stack.normal_history;
  Row *remembered = b.history + stack.ledger_history;
  const double *facing = facing_of(b, stack);
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Geometry pair = geometry(b, facing, l);
    const Vector normal{pair.normal.x, pair.normal.y, pair.normal.z};
    const Vector velocity = load(b.velocity, l);
    const double normal_velocity = dot(velocity, normal);
    const Vector spin_i = load(b.spin_i, l), spin_j = load(b.spin_j, l);
    const double depth = velocity_depth * pair.overlap;
    const Vector surface_spin = (b.radius_i[l] - depth) * spin_i + (b.radius_j[l] - depth) * spin_j;

    NormalContact contact;
    contact.overlap = pair.overlap;
    contact.effective_radius = pair.effective_radius;
    contact.effective_mass = pair.effective_mass;
    contact.contact_radius = Normal::contact_radius(elastic, contact.overlap, contact.effective_radius);

    if constexpr (Normal::adapts) Normal::recall(contact, kept, l, normal_velocity, timestep);

    const double elastic_force = Normal::force(elastic, contact);
    const double damping = Damping::coefficient(dashpot, contact, Normal::secant(elastic, contact));
    double dashpot_velocity = normal_velocity;
    if constexpr (Normal::adapts)
      dashpot_velocity = Normal::present_velocity(contact, elastic_force, normal_velocity, timestep);
    const double force = larger(elastic_force - damping * dashpot_velocity, floor);

    store(b.normal, l, normal);
    store(b.tangential_velocity, l, velocity - normal_velocity * normal - cross(surface_spin, normal));
    const Vector turning = load(turning_velocity, l);
    store(b.half_tilt, l, (0.5 * timestep * pair.inverse_distance) * (turning - dot(turning, normal) * normal));
    b.overlap[l] = contact.overlap;
    b.effective_radius[l] = contact.effective_radius;
    b.contact_radius[l] = contact.contact_radius;
    b.damping_coefficient[l] = damping;
    b.stiffness_factor[l] = Normal::adapts ? follows * contact.stiffness + (1.0 - follows) : 1.0;
    b.normal_force[l] = force;
    b.limiting_force[l] =
        std::fabs(Normal::cohesive ? elastic_force + 2.0 * Normal::pulloff_force(elastic, contact) : force);
    b.spin[l] = 0.5 * dot(spin_i + spin_j, normal);

    if constexpr (OBSERVES) {
      const double energy = Normal::energy(elastic, contact);
      const double dashpot_force = force - elastic_force;
      const double path = timestep * normal_velocity;
      // a contact that forms within the step has not worked as much as it holds; surface energy that it sets free is lost
      const double forming =
          remembered[ALIVE_BEFORE][l] > 0.0 || timestep == 0.0 ? 0.0 : -0.5 * elastic_force * path - energy;
      b.observed[NORMAL_ELASTIC_FORCE][l] = elastic_force;
      b.observed[NORMAL_ENERGY][l] = energy;
      b.observed[NORMAL_LOSS][l] =
          (Normal::cohesive ? forming : 0.0) - 0.5 * (remembered[DASHPOT_FORCE_BEFORE][l] + dashpot_force) * path;
      b.observed[CREATED][l] = 0.0;
      b.observed[NUMERICAL_LOSS][l] = Normal::cohesive ? 0.0 : forming;
      b.observed[ROLLING_ENERGY][l] = 0.0;
      b.observed[ROLLING_LOSS][l] = 0.0;
      b.observed[TWISTING_ENERGY][l] = 0.0;
      b.observed[TWISTING_LOSS][l] = 0.0;
      b.observed[TOUCHING][l] = 1.0;
      b.observed[CAPILLARY_FORCE][l] = 0.0;
      b.observed[CAPILLARY_ENERGY][l] = 0.0;
      b.observed[BRIDGE_LOSS][l] = 0.0;
      b.observed[BRIDGES][l] = 0.0;
      b.observed[RUPTURES][l] = 0.0;
      remembered[DASHPOT_FORCE_BEFORE][l] = dashpot_force;
      remembered[ELASTIC_FORCE_BEFORE][l] = elastic_force;
      remembered[NORMAL_ENERGY_BEFORE][l] = energy;
      const double alive = remembered[ALIVE_BEFORE][l];    // 1 or 0, in which case the other values are 0 too
      const double way = std::fabs(path);
      const double since_touch = way > contact.overlap ? timestep * (contact.overlap / way) : timestep;
      remembered[APPROACH_SPEED][l] -= (1.0 - alive) * normal_velocity;
      remembered[CONTACT_TIME][l] += alive * timestep + (1.0 - alive) * since_touch;
      remembered[LARGEST_OVERLAP][l] = larger(contact.overlap, remembered[LARGEST_OVERLAP][l]);
      remembered[ALIVE_BEFORE][l] = 1.0;
    }
  }
  if constexpr (Normal::adapts) watch_overlaps(b);
}

// The spring q turns with the contact; its length stays. The rotation that takes the old normal n - w to the new one n
// takes q, which is perpendicular to the old one, to q - (q n) n + (q n) w/2, but for terms of third order in the angle;
// the spin is that of the pair about its normal. LAMMPS leaves out w and the spin, and leaves springs alone that stick
// out of the plane by less than 1e-10 of the bound.
template <class Slider>
LANE Vector turned_with_contact(const Vector &q, const Vector &normal, const Vector &half_tilt, double spin_angle,
                                double weight, double bound)
{
  const double along = dot(q, normal);
  Vector in_plane = q - along * normal;
  if constexpr (!Slider::as_lammps) in_plane = in_plane + along * half_tilt + spin_angle * cross(normal, q);
  const double remains = dot(in_plane, in_plane);
  const double stretch = remains > 0.0 ? std::sqrt(dot(q, q) / remains) : 0.0;
  const bool turns = std::fabs(along) * weight > 1.0e-10 * bound || (!Slider::as_lammps && spin_angle != 0.0);
  return select(turns, stretch * in_plane, q);
}

// tangential force; adds up force and torques
template <class Law, class Slider, bool OBSERVES> void tangential_stage(Batch &b, const StackConstants &stack)
{
  const auto shared = constants_of<Law>(stack.tangential);
  const double timestep = b.timestep;
  const double torque_depth = stack.torque_depth;
  [[maybe_unused]] const double arm_depth = stack.torque_depth - stack.velocity_depth;
  Row *history = b.history + stack.tangential_history;
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const TangentialLaw::Constants constants{shared.stiffness * b.stiffness_factor[l], shared.damping_ratio,
                                             shared.friction};
    const Vector normal = load(b.normal, l);
    const Vector velocity = load(b.tangential_velocity, l);
    const double bound = constants.friction * b.limiting_force[l];
    const double damping = constants.damping_ratio * b.damping_coefficient[l];

    Vector friction;
    [[maybe_unused]] double energy = 0.0, dashpot_loss = 0.0, slip_loss = 0.0, created = 0.0, numerical = 0.0;
    [[maybe_unused]] double sliding = 0.0;
    const Vector force_before = OBSERVES ? load(remembered + TANGENTIAL_FORCE_BEFORE, l) : Vector{};
    if constexpr (Law::history == 0) {
      const double magnitude = damping * length(velocity);
      friction = -(magnitude > bound ? bound / magnitude * damping : damping) * velocity;
      if constexpr (OBSERVES) {
        const double work = -0.5 * timestep * dot(force_before + friction, velocity);
        sliding = magnitude > bound ? 1.0 : 0.0;
        dashpot_loss = magnitude > bound ? 0.0 : work;
        slip_loss = work - dashpot_loss;
      }
    } else if constexpr (Law::complete) {
      const double weight = Law::stiffness(constants, b.contact_radius[l]);
      const Vector tilt = load(b.half_tilt, l);
      const double spin_angle = timestep * b.spin[l];
      for (int k = 0; k < 3 * Law::history_vectors; k += 3)
        store(history + k, l,
              turned_with_contact<friction::Csds>(load(history + k, l), normal, tilt, spin_angle, weight, bound));
      friction =
          Law::advance(constants, history, l, velocity, b.limiting_force[l], b.contact_radius[l], damping, timestep);
      if constexpr (OBSERVES) {
        const double work = -0.5 * timestep * dot(force_before + friction, velocity);
        energy = Law::elastic_energy(constants, history, l);
        dashpot_loss = -timestep * dot(friction - Law::elastic_force(constants, history, l), velocity);
        slip_loss = work - (energy - remembered[TANGENTIAL_ENERGY_BEFORE][l]) - dashpot_loss;
        sliding = dot(friction, friction) > 0.999999 * bound * bound ? 1.0 : 0.0;
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
      q = turned_with_contact<Slider>(q, normal, load(b.half_tilt, l),
                                      timestep * b.spin[l], std::fabs(spring.yield), bound);
      [[maybe_unused]] const Vector entering{q.x, q.y, q.z};
      friction = Slider::step(q, spring, velocity, bound, timestep);
      store(history, l, q);
      if constexpr (OBSERVES) {
        const auto books = booked<Slider, Law::carries_force>(entering, q, spring, velocity, force_before, friction,
                                                              remembered[TANGENTIAL_ENERGY_BEFORE][l], bound, timestep);
        energy = books.energy;
        dashpot_loss = books.dashpot;
        slip_loss = books.slip;
        created = books.created;
        numerical = books.numerical;
        sliding = books.sliding;
      }
    }

    const Vector torque = cross(friction, normal);
    const double depth = torque_depth * b.overlap[l];
    if constexpr (OBSERVES) {
      const Vector drift = (timestep * arm_depth * b.overlap[l]) * cross(load(b.spin_i, l) + load(b.spin_j, l), normal);
      b.observed[TANGENTIAL_ENERGY][l] = energy;
      b.observed[TANGENTIAL_DASHPOT_LOSS][l] = dashpot_loss;
      b.observed[SLIP_LOSS][l] = slip_loss;
      b.observed[CREATED][l] += created;
      b.observed[NUMERICAL_LOSS][l] += numerical;
      b.observed[ARM_LOSS][l] = -0.5 * dot(force_before + friction, drift);
      b.observed[SLIDING][l] = sliding;
      store(remembered + TANGENTIAL_FORCE_BEFORE, l, friction);
      remembered[TANGENTIAL_ENERGY_BEFORE][l] = energy;
    }
    store(b.force, l, b.normal_force[l] * normal + friction);
    store(b.torque_i, l, (b.radius_i[l] - depth) * torque);
    store(b.torque_j, l, (b.radius_j[l] - depth) * torque);
  }
}

// adds the torque that resists rolling
template <class Law, class Slider, bool OBSERVES> void rolling_stage(Batch &b, const StackConstants &stack)
{
  const auto constants = constants_of<Law>(stack.rolling);
  const double timestep = b.timestep;
  Row *history = b.history + stack.rolling_history;
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double arm = b.effective_radius[l];
    const Vector velocity = arm * cross(load(b.spin_i, l) - load(b.spin_j, l), normal);
    const double bound = constants.friction * b.limiting_force[l];
    const auto spring = carrying_displacement(constants.stiffness, constants.damping);
    Vector q =
        turned_with_contact<Slider>(load(history, l), normal, load(b.half_tilt, l),
                                    timestep * b.spin[l], spring.yield, bound);
    [[maybe_unused]] const Vector entering{q.x, q.y, q.z};
    const Vector force = Slider::step(q, spring, velocity, bound, timestep);
    store(history, l, q);
    if constexpr (OBSERVES) {
      const auto books =
          booked<Slider, false>(entering, q, spring, velocity, load(remembered + ROLLING_FORCE_BEFORE, l), force,
                                remembered[ROLLING_ENERGY_BEFORE][l], bound, timestep);
      b.observed[ROLLING_ENERGY][l] = books.energy;
      b.observed[ROLLING_LOSS][l] = books.dashpot + books.slip;
      b.observed[CREATED][l] += books.created;
      b.observed[NUMERICAL_LOSS][l] += books.numerical;
      store(remembered + ROLLING_FORCE_BEFORE, l, force);
      remembered[ROLLING_ENERGY_BEFORE][l] = books.energy;
    }
    const Vector torque = arm * cross(normal, force);
    store(b.torque_i, l, load(b.torque_i, l) + torque);
    store(b.torque_j, l, load(b.torque_j, l) - torque);
  }
}

// adds the torque that resists twisting
template <class Law, class Slider, bool OBSERVES> void twisting_stage(Batch &b, const StackConstants &stack)
{
  const auto constants = constants_of<Law>(stack.twisting);
  const double timestep = b.timestep;
  double *history = b.history[stack.twisting_history];
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l);
    const double velocity = dot(load(b.spin_i, l) - load(b.spin_j, l), normal);
    const double radius = b.contact_radius[l];
    const double factor = Law::follows_tangential ? b.stiffness_factor[l] : 1.0;
    const auto spring = carrying_displacement(factor * Law::stiffness(constants, radius),
                                              Law::damping(constants, radius, b.damping_coefficient[l]));
    const double bound = Law::friction(constants, radius) * b.limiting_force[l];
    double q = history[l];
    [[maybe_unused]] const double entering = q;
    const double moment = Slider::step(q, spring, velocity, bound, timestep);
    history[l] = q;
    if constexpr (OBSERVES) {
      const auto books = booked<Slider, false>(entering, q, spring, velocity, remembered[TWISTING_MOMENT_BEFORE][l],
                                               moment, remembered[TWISTING_ENERGY_BEFORE][l], bound, timestep);
      b.observed[TWISTING_ENERGY][l] = books.energy;
      b.observed[TWISTING_LOSS][l] = books.dashpot + books.slip;
      b.observed[CREATED][l] += books.created;
      b.observed[NUMERICAL_LOSS][l] += books.numerical;
      remembered[TWISTING_MOMENT_BEFORE][l] = moment;
      remembered[TWISTING_ENERGY_BEFORE][l] = books.energy;
    }
    store(b.torque_i, l, load(b.torque_i, l) + moment * normal);
    store(b.torque_j, l, load(b.torque_j, l) - moment * normal);
  }
}

// Contacts that have ended since the step before, for the ledger: their last forces still act over half of this step,
// and what then remains in their springs is lost.
template <class Normal> void ending_stage(Batch &b, const StackConstants &stack)
{
  const double half = 0.5 * b.timestep;
  const Row *remembered = b.history + stack.ledger_history;
  const double *facing = facing_of(b, stack);
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Geometry pair = geometry(b, facing, l);
    const Vector normal{pair.normal.x, pair.normal.y, pair.normal.z};
    const Vector velocity = load(b.velocity, l);
    const Vector spin_i = load(b.spin_i, l), spin_j = load(b.spin_j, l);
    const double normal_velocity = dot(velocity, normal);
    const Vector surface_spin = b.radius_i[l] * spin_i + b.radius_j[l] * spin_j;
    const Vector sliding = velocity - normal_velocity * normal - cross(surface_spin, normal);
    const Vector rolling = pair.effective_radius * cross(spin_i - spin_j, normal);
    const double twisting = dot(spin_i - spin_j, normal);

    const double elastic =
        remembered[NORMAL_ENERGY_BEFORE][l] - half * remembered[ELASTIC_FORCE_BEFORE][l] * normal_velocity;
    const double dashpot = -half * remembered[DASHPOT_FORCE_BEFORE][l] * normal_velocity;
    b.observed[NORMAL_LOSS][l] = dashpot + (Normal::cohesive ? elastic : 0.0);
    b.observed[NUMERICAL_LOSS][l] = Normal::cohesive ? 0.0 : elastic;
    b.observed[SLIP_LOSS][l] =
        remembered[TANGENTIAL_ENERGY_BEFORE][l] - half * dot(load(remembered + TANGENTIAL_FORCE_BEFORE, l), sliding);
    b.observed[ROLLING_LOSS][l] =
        remembered[ROLLING_ENERGY_BEFORE][l] - half * dot(load(remembered + ROLLING_FORCE_BEFORE, l), rolling);
    b.observed[TWISTING_LOSS][l] =
        remembered[TWISTING_ENERGY_BEFORE][l] - half * remembered[TWISTING_MOMENT_BEFORE][l] * twisting;
    b.observed[TANGENTIAL_DASHPOT_LOSS][l] = 0.0;
    b.observed[CREATED][l] = 0.0;
    b.observed[ARM_LOSS][l] = 0.0;
  }
}

// Geometry of pairs on which no contact law acts: apart, joined by a liquid bridge, or with bridges alone. Springs of a
// contact that was there before are gone.
template <bool OBSERVES> void gap_stage(Batch &b, const StackConstants &stack)
{
  std::memset(b.history, 0, stack.ledger_history * sizeof(Row));
  if (OBSERVES) std::memset(b.observed, 0, sizeof b.observed);
  const double *facing = facing_of(b, stack);
  const int lanes = b.padded();

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Geometry pair = geometry(b, facing, l);
    store(b.normal, l, {pair.normal.x, pair.normal.y, pair.normal.z});
    b.overlap[l] = pair.overlap;
    b.effective_radius[l] = pair.effective_radius;
    b.normal_force[l] = 0.0;
    store(b.force, l, Vector{});
    store(b.torque_i, l, Vector{});
    store(b.torque_j, l, Vector{});
  }
}

// adds the pull of a liquid bridge; GAPS: surfaces may be apart and no contact law has acted
template <class Law, bool GAPS, bool OBSERVES> void bridge_stage(Batch &b, const StackConstants &stack)
{
  const auto constants = constants_of<Law>(stack.bridge);
  const double timestep = b.timestep;
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();
  if constexpr (OBSERVES) {
    std::memset(b.observed[CAPILLARY_ENERGY], 0, sizeof(Row));
    if constexpr (GAPS) {
      std::memset(remembered, 0, BRIDGE_FORCE_BEFORE * sizeof(Row));    // a contact that was there has ended
      const auto gap = [&b](int l) { return larger(0.0, -b.overlap[l]); };
      add_stretch_energy<Law>(constants, b, gap, b.observed[CAPILLARY_ENERGY]);
    }
  }

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double radius = 2.0 * b.effective_radius[l];
    double pull;
    if constexpr (GAPS)
      pull = Law::force(constants, radius, larger(0.0, -b.overlap[l]));
    else
      pull = Law::force_at_touch(constants, radius);
    const Vector normal = load(b.normal, l);
    store(b.force, l, load(b.force, l) - pull * normal);

    if constexpr (OBSERVES) {
      const double energy = b.observed[CAPILLARY_ENERGY][l] - pull * larger(0.0, b.overlap[l]);
      // a bridge that forms within the step has worked for a part of it only
      const double work = 0.5 * pull * timestep * dot(load(b.velocity, l), normal);
      const bool forms = remembered[BRIDGE_FORCE_BEFORE][l] == 0.0 && timestep > 0.0;
      b.observed[NUMERICAL_LOSS][l] += forms ? work - energy : 0.0;
      b.observed[CAPILLARY_FORCE][l] = pull;
      b.observed[CAPILLARY_ENERGY][l] = energy;
      b.observed[BRIDGES][l] = 1.0;
      remembered[BRIDGE_FORCE_BEFORE][l] = pull;
      remembered[BRIDGE_ENERGY_BEFORE][l] = energy;
    }
  }
}

// a bridge that has ruptured since the last step: what it took to stretch it so far is lost
template <class Law> void rupture_stage(Batch &b, const StackConstants &stack)
{
  const auto constants = constants_of<Law>(stack.bridge);
  const double half_step = 0.5 * b.timestep;
  Row *remembered = b.history + stack.ledger_history;
  const int lanes = b.padded();
  const auto gap = [&](int l) { return Law::rupture_distance(constants, 2.0 * b.effective_radius[l]); };
  std::memset(b.observed[BRIDGE_LOSS], 0, sizeof(Row));
  add_stretch_energy<Law>(constants, b, gap, b.observed[BRIDGE_LOSS]);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double away = dot(load(b.velocity, l), load(b.normal, l));
    // its last force still acts over half a step
    const double last = remembered[BRIDGE_ENERGY_BEFORE][l] + half_step * remembered[BRIDGE_FORCE_BEFORE][l] * away;
    b.observed[NUMERICAL_LOSS][l] += last - b.observed[BRIDGE_LOSS][l];
    b.observed[RUPTURES][l] = 1.0;
  }
}

GRANULAR_PLUS_LAWS_END

#endif
