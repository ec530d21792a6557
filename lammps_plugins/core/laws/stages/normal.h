// The stage of the normal and the damping law: computes geometry and motion of each contact, then its normal force.

#ifndef GRANULAR_PLUS_STAGES_NORMAL_H
#define GRANULAR_PLUS_STAGES_NORMAL_H

#include "../normal/normal_law.h"
#include "geometry.h"

GRANULAR_PLUS_LAWS_BEGIN

LANE NormalContact contact_of(const Geometry &pair)
{
  NormalContact contact;
  contact.overlap = pair.overlap;
  contact.effective_radius = pair.effective_radius;
  contact.effective_mass = pair.effective_mass;
  contact.plastic_loss = 0.0;
  return contact;
}

template <class Normal> RARELY void set_up_new_contacts(Batch &b, const ModelConstants &model)
{
  const auto elastic = constants_of<Normal>(model.normal);
  const double *facing = facing_of(b, model);
  Row *kept = b.history + model.normal_history;
  for (int l = 0; l < b.count; ++l) {
    if (kept[Normal::STIFFNESS][l] > 0.0) continue;
    const Geometry pair = geometry(b, facing, l);
    Normal::begin(elastic, contact_of(pair), -dot(load(b.velocity, l), pair.normal), kept, l);
  }
}

template <class Normal> STAGE void set_up_if_new(Batch &b, const ModelConstants &model)
{
  const double *stiffness = b.history[model.normal_history + Normal::STIFFNESS];
  double least = stiffness[0];
#pragma omp simd reduction(min : least)
  for (int l = 0; l < b.count; ++l) least = smaller(stiffness[l], least);
  if (!(least > 0.0)) set_up_new_contacts<Normal>(b, model);
}

// Largest tolerated overlap of a softened contact, divided by the smaller radius. Larger overlaps are reported.
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

// lower bound of the stored largest overlap; 0 means that the contact has not begun
constexpr double HAS_BEGUN = 1.0e-300;

STAGE void remember_collision(Batch &b, const ModelConstants &model)
{
  if (model.remembered[OF_COLLISION] < 0) return;
  const double timestep = b.timestep;
  Row *remembered = remembered_of(OF_COLLISION, b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const double velocity = dot(load(b.velocity, l), load(b.normal, l));
    const double overlap = b.overlap[l], way = std::fabs(timestep * velocity);
    const double speed = remembered[APPROACH_SPEED][l], time = remembered[CONTACT_TIME][l];
    const double largest = remembered[COLLISION_OVERLAP][l];
    // the overlap is negative if a cohesive contact acts across a gap
    const bool within_step = (way > overlap) & (overlap > 0.0);
    const double since_touch = within_step ? timestep * (overlap / way) : timestep;
    const double begins = largest == 0.0 ? 1.0 : 0.0;
    remembered[APPROACH_SPEED][l] = speed - begins * velocity;
    remembered[CONTACT_TIME][l] = time + begins * since_touch + (1.0 - begins) * timestep;
    remembered[COLLISION_OVERLAP][l] = larger(larger(overlap, largest), HAS_BEGUN);
  }
}

// path: relative displacement along the normal in this step, positive when the surfaces separate.
template <class Normal>
LANE void observe_normal(Batch &b, Row *remembered, const NormalContact &contact, double elastic_force,
                         double dashpot_force, double energy, double path, double timestep, int l)
{
  // When a contact forms, the work done on the contact exceeds the energy that the contact stores. The difference
  // counts as a loss if the law is cohesive, otherwise as a numerical loss.
  const double before = std::fabs(remembered[NORMAL_ENERGY_BEFORE][l]) + std::fabs(remembered[ELASTIC_FORCE_BEFORE][l]);
  const double forming =
      before > 0.0 || timestep == 0.0 ? 0.0 : -0.5 * elastic_force * path - energy - contact.plastic_loss;
  // If a contact that has yielded breaks while the spheres still overlap, the remaining energy is lost.
  [[maybe_unused]] const double torn = before > 0.0 && elastic_force == 0.0 && energy == 0.0
      ? remembered[NORMAL_ENERGY_BEFORE][l] - 0.5 * remembered[ELASTIC_FORCE_BEFORE][l] * path
      : 0.0;
  b.observed[NORMAL_ELASTIC_FORCE][l] = elastic_force;
  b.observed[NORMAL_ENERGY][l] = energy;
  b.observed[NORMAL_LOSS][l] = (Normal::cohesive ? forming : 0.0) +
      (Normal::yields && Normal::acts_across_gap ? torn : 0.0) -
      0.5 * (remembered[DASHPOT_FORCE_BEFORE][l] + dashpot_force) * path;
  b.observed[NUMERICAL_LOSS][l] = Normal::cohesive ? 0.0 : forming;
  b.observed[TOUCHING][l] = 1.0;
  if constexpr (Normal::yields) b.observed[PLASTIC_LOSS][l] = (timestep > 0.0 ? 1.0 : 0.0) * contact.plastic_loss;
  remembered[DASHPOT_FORCE_BEFORE][l] = dashpot_force;
  remembered[ELASTIC_FORCE_BEFORE][l] = elastic_force;
  remembered[NORMAL_ENERGY_BEFORE][l] = energy;
}

// kept: values of the law in the history; remembered: values of the ledger.
template <class Normal, class Damping, bool OBSERVES> STAGE void normal_stage(Batch &b, const ModelConstants &model)
{
  if constexpr (Normal::per_collision) set_up_if_new<Normal>(b, model);
  if constexpr (OBSERVES) begin_to_observe(b, model, LEVER_LOSS);
  const auto elastic = constants_of<Normal>(model.normal);
  const auto dashpot = constants_of<Damping>(model.damping);
  const double floor = model.normal_force_floor;
  const double slip_depth = model.slip_depth;
  const double timestep = b.timestep;
  [[maybe_unused]] const double follows = model.tangential_per_normal;
  [[maybe_unused]] Row *kept = b.history + model.normal_history;
  [[maybe_unused]] Row *remembered = remembered_of(OF_CONTACT, b, model);
  const double *facing = facing_of(b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Geometry pair = geometry(b, facing, l);
    const Vector normal{pair.normal.x, pair.normal.y, pair.normal.z};
    const double normal_velocity = dot(load(b.velocity, l), normal);
    const Vector slip = slip_velocity(b, normal, slip_depth * pair.overlap, l);
    const double spin = 0.5 * dot(load(b.spin_i, l) + load(b.spin_j, l), normal);

    NormalContact contact = contact_of(pair);
    contact.contact_radius = Normal::contact_radius(elastic, contact.overlap, contact.effective_radius);
    if constexpr (Normal::history > 0) Normal::follow(elastic, contact, kept, l, normal_velocity, timestep);
    const double elastic_force = Normal::force(elastic, contact);
    const double damping = Damping::coefficient(dashpot, contact, Normal::secant(elastic, contact));
    const double dashpot_velocity = Normal::dashpot_velocity(contact, elastic_force, normal_velocity, timestep);
    const double force = larger(elastic_force - damping * dashpot_velocity, floor);

    store(b.normal, l, normal);
    store(b.tangential_velocity, l, slip);
    b.spin[l] = spin;
    b.inverse_distance[l] = pair.inverse_distance;
    b.overlap[l] = contact.overlap;
    b.effective_radius[l] = contact.effective_radius;
    b.contact_radius[l] = contact.contact_radius;
    b.damping_coefficient[l] = damping;
    b.stiffness_factor[l] = Normal::per_collision ? follows * contact.stiffness + (1.0 - follows) : 1.0;
    b.normal_force[l] = force;
    b.coulomb_normal_force[l] =
        std::fabs(Normal::cohesive ? elastic_force + Normal::adhesion(elastic, contact) : force);
    if constexpr (OBSERVES)
      observe_normal<Normal>(b, remembered, contact, elastic_force, force - elastic_force,
                             Normal::energy(elastic, contact), timestep * normal_velocity, timestep, l);
  }
  if constexpr (OBSERVES) remember_collision(b, model);
  if constexpr (Normal::per_collision) watch_overlaps(b);
}

GRANULAR_PLUS_LAWS_END

#endif
