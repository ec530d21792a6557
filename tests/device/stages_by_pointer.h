// The stages of one_lane.h, called through pointers. With pointers, a device could evaluate any combination of laws
// without compiling that combination, but batches would be kept in memory instead of registers.

#ifndef GRANULAR_PLUS_DEVICE_STAGES_BY_POINTER_H
#define GRANULAR_PLUS_DEVICE_STAGES_BY_POINTER_H

#include "one_lane.h"

GRANULAR_PLUS_LAWS_BEGIN

template <class L, bool OBSERVES>
__device__ Stage touching_stages[] = {normal_stage<typename L::Normal, typename L::Damping, OBSERVES>,
                                      tangential_stage<typename L::Tangential, typename L::Slider, OBSERVES>};

// a kernel for grains that touch, without rolling, twisting, bridges or heat
template <class L, bool OBSERVES>
__global__ void contact_by_pointer(const __grid_constant__ ModelConstants model, const Contacts contacts)
{
  const int l = blockIdx.x * blockDim.x + threadIdx.x;
  if (l >= contacts.n) return;
  constexpr ModelConstants OFFSETS = offsets_of<L, OBSERVES>();
  Batch b;
  b.count = 1;
  b.timestep = contacts.timestep;
  const double *in = contacts.given + l;
  for_each_given(b, [&](Row &row) { row[0] = *in, in += contacts.n; });
  for (int h = 0; h < history_size<L, OBSERVES>(); ++h) b.history[h][0] = contacts.history[h * contacts.n + l];
  for (const Stage stage : touching_stages<L, OBSERVES>) stage(b, model);
  for (int h = 0; h < history_size<L, OBSERVES>(); ++h) contacts.history[h * contacts.n + l] = b.history[h][0];
  double *out = contacts.results + l;
  for_each_result(b, false, OBSERVES ? OFFSETS.observables : 0,
                  [&](const Row &row) { *out = row[0], out += contacts.n; });
}

GRANULAR_PLUS_LAWS_END

#endif
