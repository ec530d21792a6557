// Unchanged laws and stages with one contact per thread. The position of each law's history is known at compile time,
// so a contact stays in registers.

#ifndef GRANULAR_PLUS_DEVICE_ONE_LANE_H
#define GRANULAR_PLUS_DEVICE_ONE_LANE_H

#include "contacts.h"

GRANULAR_PLUS_LAWS_BEGIN

// layout of history rows, as computed by common_layout for a single model
template <class L, bool OBSERVES> constexpr ModelConstants offsets_of()
{
  ModelConstants model{};
  int size = 0;
  const auto next = [&size](int values) {
    size += values;
    return size - values;
  };
  model.normal_history = next(L::Normal::history);
  model.tangential_history = next(L::Tangential::history);
  model.rolling_history = next(L::Rolling::history);
  model.twisting_history = next(L::Twisting::history);
  model.bridge_history = next(L::Bridge::history);
  const bool rolls = L::Rolling::history > 0, twists = L::Twisting::history > 0, bridges = L::Bridge::pulls;
  bool kept[REMEMBERED_PARTS] = {};    // shapes have no part here; bonds have their own rows
  kept[OF_CONTACT] = kept[OF_COLLISION] = true;
  kept[OF_ROLLING] = rolls;
  kept[OF_TWISTING] = twists;
  kept[OF_BRIDGE] = bridges;
  for (int part = 0; part < REMEMBERED_PARTS; ++part)
    model.remembered[part] = !OBSERVES || kept[part] ? next(REMEMBERED_VALUES[part]) : -1;
  model.observables = L::attracts  ? BOND_ENERGY
      : bridges                    ? ATTRACTION_FORCE
      : twists                     ? CAPILLARY_FORCE
      : rolls                      ? TWISTING_ENERGY
      : L::Normal::yields          ? ROLLING_ENERGY
      : L::Slider::lammps_geometry ? PLASTIC_LOSS
                                   : LEVER_LOSS;
  return model;
}

template <class L, bool OBSERVES> constexpr int history_size()
{
  constexpr ModelConstants OFFSETS = offsets_of<L, OBSERVES>();
  int size = OFFSETS.bridge_history + L::Bridge::history;
  for (int part = 0; OBSERVES && part < REMEMBERED_PARTS; ++part)
    if (OFFSETS.remembered[part] >= 0) size += REMEMBERED_VALUES[part];
  return size;
}

template <class L, Path PATH, bool OBSERVES>
STAGE void evaluate(const ModelConstants &given, const Contacts &contacts, int contact)
{
  constexpr int SIZE = history_size<L, OBSERVES>();
  constexpr ModelConstants OFFSETS = offsets_of<L, OBSERVES>();
  ModelConstants model = given;
  copy_offsets(OFFSETS, model);
  Batch b;
  b.count = 1;
  b.timestep = contacts.timestep;
  const double *in = contacts.given + contact;
  for_each_given(b, [&](Row &row) { row[0] = *in, in += contacts.n; });
  UNROLL
  for (int h = 0; h < SIZE; ++h) b.history[h][0] = contacts.history[h * contacts.n + contact];
  pass_stages<L, PATH, OBSERVES>(b, model);
  UNROLL
  for (int h = 0; h < SIZE; ++h) contacts.history[h * contacts.n + contact] = b.history[h][0];
  double *out = contacts.results + contact;
  constexpr int OBSERVED = OBSERVES ? OFFSETS.observables : 0;
  for_each_result(b, L::passes_heat, OBSERVED, [&](const Row &row) { *out = row[0], out += contacts.n; });
}

#ifdef __CUDACC__
template <class L, Path PATH, bool OBSERVES>
__global__ void contact(const __grid_constant__ ModelConstants model, const Contacts contacts)
{
  const int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l < contacts.n) evaluate<L, PATH, OBSERVES>(model, contacts, l);
}
#endif

GRANULAR_PLUS_LAWS_END

#endif
