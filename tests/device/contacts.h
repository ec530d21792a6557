// Contacts as arrays, for the clones of the plug-in and for one lane per thread.

#ifndef GRANULAR_PLUS_DEVICE_CONTACTS_H
#define GRANULAR_PLUS_DEVICE_CONTACTS_H

#include "device/one_lane.h"
#include "laws/contact.h"
#include "laws/lane.h"

namespace granular_plus {

// n contacts; value k of contact l is at [k * n + l]
struct Contacts {
  int n;
  double timestep;
  const double *given;
  double *history;
  double *results;
};

// calls f(row) for each input of a contact; for_each_result does so for each result
template <class SomeBatch, class Function> STAGE void for_each_given(SomeBatch &b, Function f)
{
  for (int d = 0; d < 3; ++d) f(b.separation[d]);
  for (int d = 0; d < 3; ++d) f(b.velocity[d]);
  for (int d = 0; d < 3; ++d) f(b.spin_i[d]);
  for (int d = 0; d < 3; ++d) f(b.spin_j[d]);
  f(b.radius_i), f(b.radius_j), f(b.mass_i), f(b.mass_j), f(b.held_i), f(b.held_j);
  f(b.surface_radius), f(b.gradient);
  for (int d = 0; d < 3; ++d) f(b.turning_velocity[d]);
}
constexpr int GIVEN = 23;

template <class SomeBatch, class Function>
STAGE void for_each_result(SomeBatch &b, bool heat, int observables, Function f)
{
  for (int d = 0; d < 3; ++d) f(b.force[d]);
  for (int d = 0; d < 3; ++d) f(b.torque_i[d]);
  for (int d = 0; d < 3; ++d) f(b.torque_j[d]);
  if (heat) f(b.conductance), f(b.warming);
  for (int k = 0; k < observables; ++k) f(b.observed[k]);
}
constexpr int RESULTS = 9 + 2 + OBSERVABLES;

// copies the constants that are known when lanes are compiled
STAGE void copy_offsets(const ModelConstants &from, ModelConstants &to)
{
  to.normal_history = from.normal_history;
  to.tangential_history = from.tangential_history;
  to.rolling_history = from.rolling_history;
  to.twisting_history = from.twisting_history;
  to.bridge_history = from.bridge_history;
  for (int part = 0; part < REMEMBERED_PARTS; ++part) to.remembered[part] = from.remembered[part];
  to.observables = from.observables;
  to.meets_surface = from.meets_surface;
}

}    // namespace granular_plus

#endif
