// Heat flow between grains across the gap between their surfaces, whether the grains touch or not.

#ifndef GRANULAR_PLUS_GAP_HEAT_H
#define GRANULAR_PLUS_GAP_HEAT_H

#include "kernels.h"
#include "rows.h"

#include "../laws/heat/gap.h"

GRANULAR_PLUS_LAWS_BEGIN

namespace {

struct HeatLanes {
  Row radius_i, radius_j, distance, of_gas, of_radiation;
  int i[LANES], j[LANES];
  int count = 0;
};

void conduct(const Particles &particles, GapHeatConstants constants, HeatLanes &lanes)
{
  const int count = lanes.count, filled = padded_to_vectors(count);
  for (int l = count; l < filled; ++l) {
    lanes.radius_i[l] = lanes.radius_i[count - 1];
    lanes.radius_j[l] = lanes.radius_j[count - 1];
    lanes.distance[l] = lanes.distance[count - 1];
  }
  const double *__restrict radius_i = lanes.radius_i, *__restrict radius_j = lanes.radius_j;
  const double *__restrict distance = lanes.distance;
  double *__restrict of_gas = lanes.of_gas, *__restrict of_radiation = lanes.of_radiation;
#pragma omp simd
  for (int l = 0; l < filled; ++l) {
    const auto conductance = heat::Gap::between_spheres(constants, radius_i[l], radius_j[l], distance[l]);
    of_gas[l] = conductance.of_gas;
    of_radiation[l] = conductance.of_radiation;
  }
  const double *temperature = particles.temperature;
  for (int l = 0; l < count; ++l) {
    const int i = lanes.i[l], j = lanes.j[l];
    const double flow = heat::Gap::flow({lanes.of_gas[l], lanes.of_radiation[l]}, temperature[i], temperature[j]);
    particles.heatflow[i] += flow;
    if (j < particles.force_end) particles.heatflow[j] -= flow;
  }
  lanes.count = 0;
}

int pass_heat(const Particles &particles, const Pairs &pairs, const PairGroup &pair_group)
{
  const GapHeatConstants &constants = pair_group.constants.gap_heat;
  const bool radiates = constants.stefan_boltzmann > 0.0;
  const auto is_cold = [&](int particle) { return !(particles.temperature[particle] > 0.0); };
  int cold = -1;
  HeatLanes lanes;
  for (int p = pair_group.begin; p < pair_group.end; ++p) {
    const RowOffset row_i = pairs.row_i[pairs.number[p]], row_j = pairs.row_j[pairs.number[p]];
    const double *x_i = row_of(particles.position, row_i), *x_j = row_of(particles.position, row_j);
    const double dx = x_i[0] - x_j[0], dy = x_i[1] - x_j[1], dz = x_i[2] - x_j[2];
    const double squared = dx * dx + dy * dy + dz * dz;
    const double radius_i = value_of(particles.radius, row_i), radius_j = value_of(particles.radius, row_j);
    const double reach = radius_i + radius_j + heat::Gap::reach(constants, radius_i, radius_j);
    if (!(squared < reach * reach && squared > 0.0)) continue;
    const int l = lanes.count++;
    lanes.radius_i[l] = radius_i;
    lanes.radius_j[l] = radius_j;
    lanes.distance[l] = std::sqrt(squared);
    lanes.i[l] = Pairs::particle_of(row_i);
    lanes.j[l] = Pairs::particle_of(row_j);
    if (radiates && is_cold(lanes.i[l])) cold = lanes.i[l];
    if (radiates && is_cold(lanes.j[l])) cold = lanes.j[l];
    if (lanes.count == LANES) conduct(particles, constants, lanes);
  }
  if (lanes.count > 0) conduct(particles, constants, lanes);
  return cold;
}

}    // namespace

GRANULAR_PLUS_LAWS_END

#endif
