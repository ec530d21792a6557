// Contacts of surfaces of any shape. The rate at which their overlap changes differs from the approach speed.
//
// The depth delta of such a contact is a function of the positions of the bodies. The gradient of delta is parallel to
// the normal. Its length g = |grad delta| is stored in Batch::gradient. In the coordinate delta, the contact behaves
// like a contact of spheres with g times the speed along the normal and 1/g^2 times the mass. into_depth transforms to
// this coordinate before the normal law. out_of_depth transforms back: a force f along delta is a force f g along the
// normal, and the work is the same.

#ifndef GRANULAR_PLUS_STAGES_SURFACE_H
#define GRANULAR_PLUS_STAGES_SURFACE_H

#include "normal.h"

GRANULAR_PLUS_LAWS_BEGIN

// The normal stage will record an approach speed that is g times the true speed. The excess is subtracted in advance.
STAGE void remember_true_speed(Batch &b, const ModelConstants &model)
{
  if (model.remembered[OF_COLLISION] < 0) return;
  Row *remembered = remembered_of(OF_COLLISION, b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector separation = load(b.separation, l), velocity = load(b.velocity, l);
    const double distance = length(separation), per_distance = distance > 0.0 ? 1.0 / distance : 0.0;
    const double excess = (b.gradient[l] - 1.0) * dot(velocity, separation) * per_distance;
    const double so_far = remembered[APPROACH_SPEED][l], largest = remembered[COLLISION_OVERLAP][l];
    remembered[APPROACH_SPEED][l] = so_far + (largest == 0.0 ? excess : 0.0);
  }
}

// Laws that fix values when a contact begins use the true speed and mass, because g is unbounded at the first touch of
// a flat face.
template <class Normal, bool OBSERVES> STAGE void into_depth_stage(Batch &b, const ModelConstants &model)
{
  if constexpr (Normal::per_collision) set_up_if_new<Normal>(b, model);
  [[maybe_unused]] Row *remembered = remembered_of(OF_CONTACT, b, model);
  const int lanes = padded_to_vectors(b.count);
  if constexpr (OBSERVES) remember_true_speed(b, model);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector separation = load(b.separation, l), velocity = load(b.velocity, l);
    const double square = dot(separation, separation), gradient = b.gradient[l];
    const double per_square = square > 0.0 ? 1.0 / square : 0.0, inverse = 1.0 / gradient;
    const Vector excess = ((gradient - 1.0) * (dot(velocity, separation) * per_square)) * separation;
    store(b.velocity, l, velocity + excess);
    b.mass_i[l] *= inverse * inverse;    // no later stage reads the masses
    b.mass_j[l] *= inverse * inverse;
    if constexpr (OBSERVES) {
      remembered[DASHPOT_FORCE_BEFORE][l] *= inverse;
      remembered[ELASTIC_FORCE_BEFORE][l] *= inverse;
    }
  }
}

template <bool OBSERVES> STAGE void out_of_depth_stage(Batch &b, const ModelConstants &model)
{
  [[maybe_unused]] Row *remembered = remembered_of(OF_CONTACT, b, model);
  const int lanes = padded_to_vectors(b.count);

#pragma omp simd
  for (int l = 0; l < lanes; ++l) {
    const Vector normal = load(b.normal, l), velocity = load(b.velocity, l);
    const double gradient = b.gradient[l];
    store(b.velocity, l, velocity + ((1.0 / gradient - 1.0) * dot(velocity, normal)) * normal);
    b.normal_force[l] *= gradient;
    b.coulomb_normal_force[l] *= gradient;
    b.contact_radius[l] *= gradient * gradient;
    b.damping_coefficient[l] *= gradient * gradient;    // ratio of force to speed along the normal
    if constexpr (OBSERVES) {
      b.observed[NORMAL_ELASTIC_FORCE][l] *= gradient;
      remembered[DASHPOT_FORCE_BEFORE][l] *= gradient;
      remembered[ELASTIC_FORCE_BEFORE][l] *= gradient;
    }
  }
}

GRANULAR_PLUS_LAWS_END

#endif
